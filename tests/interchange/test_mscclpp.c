/* test_mscclpp.c - MSCCL++'s JSON as programs: each kind of operation, faults that are found, and
 * what a wrong file is told. Two ranks run the same operations; in their text @ is the rank and %
 * the other one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "interchange/msccl_xml.h"
#include "interchange/programs/prove.h"
#include "roundabout.h"
#include "support/memory.h"
#include "tests/interchange/round_trip.h"

static struct sup_error error;
static struct prg_verdict verdict;
static char text[16384];

static void append(const char *part, int rank)
{
    size_t length = strlen(text);
    for (; *part != '\0'; part++) {
        assert_true(length + 2 < sizeof text);
        text[length++] = *part == '@'   ? (char)('0' + rank)
                         : *part == '%' ? (char)('1' - rank)
                                        : *part;
    }
    text[length] = '\0';
}

/* Threadblocks of both ranks; each has all channels and remote buffers. The first buffer is the
 * other rank's scratch, the second its input; the first semaphore is 0, the second 1. */
static const char *file_of(const char *const block[])
{
    static const char lists[] =
        "],\"channels\":[{\"channel_type\":\"memory\",\"channel_ids\":[0,1]},"
        "{\"channel_type\":\"port\",\"channel_ids\":[0]},"
        "{\"channel_type\":\"switch\",\"channel_ids\":[0]}],\"remote_buffer_refs\":["
        "{\"access_channel_type\":\"memory\",\"remote_buffer_ids\":[0,1]},"
        "{\"access_channel_type\":\"port\",\"remote_buffer_ids\":[0,1]}]}";
    text[0] = '\0';
    append("{\"name\":\"x\",\"collective\":\"allreduce\",\"protocol\":\"Simple\",\"inplace\":true,"
           "\"max_message_size\":18446744073709551615,\"gpus\":[",
           0);
    for (int rank = 0; rank < 2; rank++) {
        append(rank > 0 ? "," : "", rank);
        append(
            "{\"id\":@,\"input_chunks\":2,\"output_chunks\":0,\"scratch_chunks\":2,\"channels\":["
            "{\"channel_type\":\"memory\",\"connected_to\":[%,%]},"
            "{\"channel_type\":\"port\",\"connected_to\":[%]},{\"channel_type\":\"switch\","
            "\"buffer_type\":\"i\",\"rank_groups\":[{\"size\":2,\"ranks\":[0,1]}]}],"
            "\"remote_buffers\":[{\"rank\":%,\"type\":\"s\"},{\"rank\":%,\"type\":\"i\"}],"
            "\"semaphores\":[{\"init_value\":0},{\"init_value\":1}],\"threadblocks\":[",
            rank);
        for (int b = 0; block[b] != NULL; b++) {
            append(b > 0 ? "," : "", rank);
            append("{\"ops\":[", rank);
            append(block[b], rank);
            append(lists, rank);
        }
        append("]}", rank);
    }
    append("]}", 0);
    return text;
}

/* The fault, or PRG_CONTENTS + 1 if the file is refused. */
static enum prg_fault fault_of(const char *const block[])
{
    struct prg_program program;
    error.text[0] = '\0';
    const int read = inter_read_mscclpp(file_of(block), "x.json", &program, &error);
    if (read == RB_OK)
        assert_int_equal(prg_prove(&program, &verdict), RB_OK);
    prg_free(&program);
    if (read == RB_OK && verdict.fault == PRG_RIGHT)
        assert_true(verdict.contents);
    return read == RB_OK ? verdict.fault : PRG_CONTENTS + 1;
}

#define OP(name, rest)  "{\"name\":\"" name "\"" rest "}"
#define ON(type, ids)   ",\"channel_type\":\"" type "\",\"channel_ids\":[" ids "]"
#define AT(type, index) "{\"type\":\"" type "\",\"index\":" index ",\"size\":1}"
#define OF(id, index)   "{\"buffer_id\":" id ",\"index\":" index ",\"size\":1}"
#define SRC(list)       ",\"src_buff\":[" list "]"
#define DST(list)       ",\"dst_buff\":[" list "]"
#define GROUP(block)    ",\"tbg_info\":{\"tb_id\":" block ",\"tbg_size\":2}"

#define SIGNAL         OP("signal", ON("memory", "0"))
#define WAIT           OP("wait", ON("memory", "0"))
#define GIVE           OP("put", SRC(AT("i", "%")) DST(OF("0", "%")) ON("memory", "0"))
#define COMBINE(index) OP("re", SRC(AT("i", "@") "," AT("s", index)) DST(AT("i", "@")))
#define SHARE          OP("put", SRC(AT("i", "@")) DST(OF("1", "@")) ON("memory", "0"))
#define RIGHT(group)                                                                               \
    OP("rres", SRC(AT("i", "@") "," OF("1", "@"))                                                  \
                   DST(AT("i", "@") "," OF("1", "@")) ",\"channel_type\":\"memory\"" group)
#define PORT_GIVE(name)     OP(name, SRC(AT("i", "%")) DST(OF("0", "%")) ON("port", "0"))
#define PORT_WAIT           OP("wait", ON("port", "0"))
#define BARRIER(blocks)     OP("barrier", ",\"barrier_id\":3,\"num_threadblocks\":" blocks)
#define SEMAPHORE(name, id) OP(name, ",\"semaphore_ids\":[" id "]")
#define PIPELINE(op)        OP("pipeline", ",\"ops\":[" op "]")
#define LOAD                                                                                       \
    OP("glres",                                                                                    \
       SRC("{\"switch_channel_id\":0,\"index\":@,\"size\":1}")                                     \
           DST("{\"switch_channel_id\":0,\"index\":@,\"size\":1}") ",\"channel_type\":\"switch\"")

#define BLOCKS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void each_kind_of_operation_is_proved(void **state)
{
    (void)state;
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," WAIT "," COMBINE("@") "," SHARE)),
                     PRG_RIGHT);
    assert_int_equal(fault_of(BLOCKS(OP("rlxsignal", ON("memory", "0")) "," OP("nop", "") "," RIGHT(
                         "") "," OP("rlxwait", ON("memory", "0")))),
                     PRG_RIGHT);
    assert_int_equal(fault_of(BLOCKS(LOAD)), PRG_RIGHT);
    /* What is combined into is the second source. */
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," WAIT "," OP(
                         "re", SRC(AT("s", "@") "," AT("i", "@")) DST(AT("i", "@"))) "," SHARE)),
                     PRG_RIGHT);
    /* Two threadblocks share each chunk. */
    assert_int_equal(fault_of(BLOCKS(RIGHT(GROUP("0")), RIGHT(GROUP("1")))), PRG_RIGHT);
    assert_int_equal(fault_of(BLOCKS(PIPELINE(RIGHT(GROUP("0"))), PIPELINE(RIGHT(GROUP("1"))))),
                     PRG_RIGHT);
    /* The port's put, its signal, and what comes after its flush. */
    assert_int_equal(fault_of(BLOCKS(PORT_GIVE("pwsf") "," PORT_WAIT "," COMBINE("@") "," SHARE)),
                     PRG_RIGHT);
    /* One threadblock waits and a second one combines, by a semaphore and by a barrier. */
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," WAIT "," SEMAPHORE("sem_release", "0"),
                                     SEMAPHORE("sem_acquire", "1") "," SEMAPHORE(
                                         "sem_acquire", "0") "," COMBINE("@") "," SHARE)),
                     PRG_RIGHT);
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," WAIT "," BARRIER("3") "," BARRIER("3"),
                                     BARRIER("3") "," BARRIER("3"),
                                     BARRIER("3") "," COMBINE("@") "," SHARE "," BARRIER("3"))),
                     PRG_RIGHT);
}

static void faults_are_found(void **state)
{
    (void)state;
    /* A signal is dropped, a wait, put and signal are swapped, an offset and a size are wrong. */
    assert_int_equal(fault_of(BLOCKS(GIVE "," WAIT "," COMBINE("@") "," SHARE)), PRG_UNMATCHED);
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," COMBINE("@") "," SHARE)), PRG_RACE);
    assert_int_equal(fault_of(BLOCKS(SIGNAL "," GIVE "," WAIT "," COMBINE("@") "," SHARE)),
                     PRG_RACE);
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," WAIT "," COMBINE("%") "," SHARE)),
                     PRG_UNSET);
    assert_int_equal(fault_of(BLOCKS(OP("put", SRC("{\"type\":\"i\",\"index\":0,\"size\":2}")
                                                   DST(OF("0", "0")) ON("memory", "0")))),
                     PRG_CONTENTS + 1);
    assert_string_equal(error.text, "x.json: gpus[0].threadblocks[0].ops[0] (put): src_buff and "
                                    "dst_buff differ in size");
    /* A signal that nobody takes is there in the next run. */
    assert_int_equal(
        fault_of(BLOCKS(GIVE "," SIGNAL "," WAIT "," COMBINE("@") "," SHARE "," SIGNAL)),
        PRG_UNMATCHED);
    /* A put on a channel that there is not. */
    assert_int_equal(fault_of(BLOCKS(OP("put", SRC(AT("i", "%")) DST(OF("0", "%"))
                                                   ON("memory", "2")) "," SIGNAL "," WAIT)),
                     PRG_CONTENTS + 1);
    assert_string_equal(error.text, "x.json: gpus[0].threadblocks[0].ops[0] (put): there is no "
                                    "such channel to another rank");
    /* Nobody shares; both wait first; a relaxed signal publishes nothing. */
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," WAIT "," COMBINE("@"))), PRG_CONTENTS);
    assert_int_equal(fault_of(BLOCKS(WAIT "," SIGNAL)), PRG_DEADLOCK);
    assert_int_equal(fault_of(BLOCKS(GIVE "," OP(
                         "rlxsignal", ON("memory", "0")) "," WAIT "," COMBINE("@") "," SHARE)),
                     PRG_RACE);
    /* The port may still read what is overwritten before a flush; the second memory channel is not
     * the first. */
    assert_int_equal(
        fault_of(BLOCKS(PORT_GIVE("pws") "," OP("copy", SRC(AT("s", "%")) DST(AT("i", "%"))))),
        PRG_RACE);
    assert_int_equal(fault_of(BLOCKS(PORT_GIVE("pws") "," OP("flush", ON("port", "0")) "," OP(
                         "copy", SRC(AT("s", "%")) DST(AT("i", "%"))))),
                     PRG_UNSET);
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," OP("wait", ON("memory", "1")))),
                     PRG_UNMATCHED);
    /* A threadblock that shares combines before the other one has waited; the barriers are two. */
    assert_int_equal(fault_of(BLOCKS(GIVE "," SIGNAL "," BARRIER("2") "," WAIT,
                                     BARRIER("2") "," COMBINE("@") "," SHARE)),
                     PRG_RACE);
    assert_int_equal(fault_of(BLOCKS(BARRIER("3"), BARRIER("3"))), PRG_CONTENTS + 1);
}

static void operations_that_contradict_themselves_are_refused(void **state)
{
    (void)state;
#define TWO           "{\"type\":\"i\",\"index\":0,\"size\":2}"
#define ON_SWITCH(id) "{\"switch_channel_id\":" id ",\"index\":@,\"size\":1}"
    static const struct {
        const char *operation, *why;
    } wrong[] = {
        {OP("put", SRC(AT("i", "%")) ON("memory", "0")),
         "(put): src_buff and dst_buff differ in number"},
        {OP("pws", SRC(AT("i", "%")) DST(OF("0", "%")) ON("memory", "0")),
         "(pws): only a port's put signals"},
        {OP("re", SRC(AT("i", "@") "," TWO) DST(AT("i", "@"))),
         "(re): src_buff and dst_buff differ in size"},
        {OP("rres", SRC(AT("i", "@")) DST(AT("i", "@") "," TWO)),
         "(rres): dst_buff differ in size"},
        {OP("gstore", SRC(AT("i", "@")) DST(ON_SWITCH("1")) ",\"channel_type\":\"switch\""),
         "(gstore): there is no such switch channel"},
        {OP("gstore", SRC(TWO) DST(ON_SWITCH("0")) ",\"channel_type\":\"switch\""),
         "(gstore): src_buff and dst_buff differ in size"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(fault_of(BLOCKS(wrong[i].operation)), PRG_CONTENTS + 1);
        assert_string_equal(strstr(error.text, " (") == NULL ? error.text
                                                             : strstr(error.text, " (") + 1,
                            wrong[i].why);
    }
}

/* A semaphore can be acquired as often as its first value says without being released. */
static void semaphores_have_first_values(void **state)
{
    (void)state;
    for (int value = 0; value <= 3; value++)
        for (int acquired = 1; acquired <= 4; acquired++) {
            struct prg_program program;
            char block[400] = "", *at;
            for (int i = 0; i < acquired; i++)
                snprintf(block + strlen(block), sizeof block - strlen(block), "%s%s",
                         i == 0 ? "" : ",", SEMAPHORE("sem_acquire", "1"));
            file_of(BLOCKS(block));
            for (at = text; (at = strstr(at, "\"init_value\":1")) != NULL; at++)
                at[strlen("\"init_value\":")] = (char)('0' + value);
            assert_int_equal(inter_read_mscclpp(text, "x.json", &program, &error), RB_OK);
            assert_int_equal(prg_prove(&program, &verdict), RB_OK);
            assert_int_equal(verdict.fault == PRG_UNMATCHED, acquired > value);
            prg_free(&program);
        }
}

static void wrong_files_are_refused(void **state)
{
    static const struct {
        const char *block, *message;
    } wrong[] = {
        {"1", "(without a name): an operation that is not known here"},
        {OP("ppkt", ""), "(ppkt): an operation that is not known here"},
        {OP("signal", ON("memory", "2")), "(signal): there is no such channel to another rank"},
        {OP("copy", SRC(AT("i", "2")) DST(AT("s", "0"))),
         "(copy): no number, or none that can be: index"},
        {OP("copy", SRC(AT("x", "0")) DST(AT("s", "0"))), "(copy): there is no such buffer"},
        {OP("copy", SRC(OF("2", "0")) DST(AT("s", "0"))), "(copy): there is no such buffer"},
        {OP("pws", SRC(AT("i", "0")) DST(OF("0", "0")) ON("memory", "0")),
         "(pws): only a port's put signals"},
        {SEMAPHORE("sem_acquire", "2"), "(sem_acquire): there is no such semaphore"},
        {OP("copy",
            SRC(AT("i", "0")) DST(AT("s", "0")) ",\"tbg_info\":{\"tb_id\":2,\"tbg_size\":2}"),
         "(copy): no number, or none that can be: tb_id"},
        {OP("copy",
            SRC(AT("i", "0")) DST(AT("s", "0")) ",\"tbg_info\":{\"tb_id\":0,\"tbg_size\":0}"),
         "(copy): no number, or none that can be: tb_id"},
        {OP("copy",
            SRC(AT("i", "0")) DST(AT("s", "0")) ",\"tbg_info\":{\"tb_id\":0,\"tbg_size\":65}"),
         "groups of so many threadblocks can't share a chunk here"},
        {OP("wait", ON("memory", "2")), "(wait): there is no such channel to another rank"},
        {OP("flush", ON("port", "2")), "(flush): there is no such channel to another rank"},
        {OP("put", SRC(AT("i", "0")) DST(AT("s", "0")) ON("port", "0")),
         "(put): the channel leads to another rank than the buffer's"},
        {OP("barrier", ",\"num_threadblocks\":1"),
         "(barrier): no number, or none that can be: barrier_id"},
        {OP("barrier", ",\"barrier_id\":0"),
         "(barrier): no number, or none that can be: num_threadblocks"},
        {OP("re", SRC(AT("i", "0")) DST(AT("s", "5"))),
         "(re): no number, or none that can be: index"},
    };
    struct prg_program program;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(fault_of(BLOCKS(wrong[i].block)), PRG_CONTENTS + 1);
        if (strstr(error.text, wrong[i].message) == NULL)
            fail_msg("operation %d: %s", (int)i, error.text);
    }
    static const struct {
        const char *text, *message;
    } files[] = {
        {"", ""},
        {"{", ""},
        {"[]", ""},
        {"{\"gpus\":[]}", "gpus: there must be 1 to 65536"},
        {"{\"gpus\":[1]}", "gpus[0]: no number, or none that can be: input_chunks"},
        {"{\"collective\":\"x\",\"gpus\":[{\"id\":0,\"input_chunks\":1,\"output_chunks\":1,"
         "\"scratch_chunks\":0,\"semaphores\":[{\"init_value\":1025}]}]}",
         ""},
        {"{\"gpus\":[{\"id\":0,\"input_chunks\":1e30}]}",
         "gpus[0]: no number, or none that can be: input_chunks"},
        {"{\"gpus\":[{\"id\":0,\"input_chunks\":2147483648}]}",
         "gpus[0]: no number, or none that can be: input_chunks"},
        {"{\"gpus\":[{\"id\":0,\"input_chunks\":1,\"output_chunks\":1,\"scratch_chunks\":0}]}",
         "collective: missing"},
        {"{\"collective\":\"allreduce\",\"root\":1,\"gpus\":[{\"id\":0,\"input_chunks\":1,\"output_"
         "chunks\":1,\"scratch_chunks\":0}]}",
         "root: it must be a rank"},
        {"{\"collective\":\"allreduce\",\"gpus\":[{\"id\":1,\"input_chunks\":1,\"output_chunks\":1,"
         "\"scratch_chunks\":0}]}",
         "gpus[0]: its id must be its place"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_int_equal(inter_read_mscclpp(files[i].text, "x.json", &program, &error), RB_EINVAL);
        if (strstr(error.text, files[i].message) == NULL)
            fail_msg("file %d: %s", (int)i, error.text);
        prg_free(&program);
    }
}

/* ---- Plans there and back -------------------------------------------------------------------- */

static char *write_plan(const struct rb_plan_spec *spec)
{
    return write_by(inter_mscclpp_write, spec, &error);
}

static int read_back(const char *json)
{
    struct prg_program program;
    error.text[0] = '\0';
    const int read = inter_read_mscclpp(json, "plan.json", &program, &error);
    if (read == RB_OK)
        assert_int_equal(prg_prove(&program, &verdict), RB_OK);
    prg_free(&program);
    return read == RB_OK ? (int)verdict.fault : PRG_CONTENTS + 1;
}

static int32_t count_of(const char *json, const char *part)
{
    int32_t count = 0;
    for (; (json = strstr(json, part)) != NULL; json++)
        count++;
    return count;
}

/* Between a nop and the next, GPU threads wait for each other in no order: operations differ only
 * in their channels and places, and none that writes has another one beside it. */
static void check_nops(const char *json)
{
    static const char key[] = "{\"name\": \"";
    char last[16] = "nop", name[16];
    int32_t operations = 0;
    for (const char *at = strstr(json, "\"ops\""); at != NULL; at = strchr(at + 1, '\n')) {
        const char *op = at + 1 + strspn(at + 1, " ");
        if (strncmp(op, "{\"id\"", 5) == 0)
            operations = 0, strcpy(last, "nop");
        if (strncmp(op, key, sizeof key - 1) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(op + sizeof key - 1, "\""),
                 op + sizeof key - 1);
        assert_true(++operations <= 64);
        if (strcmp(name, "nop") != 0 && strcmp(last, "nop") != 0)
            assert_true(strcmp(name, last) == 0 && strcmp(name, "re") != 0 &&
                        strcmp(name, "copy") != 0);
        strcpy(last, name);
    }
}

static void check_back(const struct rb_plan_spec *spec, struct tally *tally)
{
    char *json = write_plan(spec);
    if (json == NULL) {
        tally->refused++;
        tally->error = error;
        return;
    }
    const int fault = read_back(json);
    if (fault != PRG_RIGHT || !verdict.contents)
        fail_msg("%s %s, p = %d, n = %d, root %d, %d ports: %s%s", spec->collective,
                 spec->algorithm, (int)spec->p, (int)spec->n, (int)spec->root, (int)spec->ports,
                 error.text, verdict.what);
    assert_int_equal(count_of(json, "\"signal\""), count_of(json, "\"wait\""));
    check_nops(json);
    tally->right++;
    free(json);
}

static void plans_come_back_proved(void **state)
{
    (void)state;
    const struct tally all = check_all(9, 2, check_back);
    assert_true(all.right > 20 * all.refused);
}
static void all_plans_come_back_proved(void **state)
{
    (void)state;
    const struct tally all = check_all(17, 5, check_back);
    assert_true(all.right > 20 * all.refused);
}

/* Without any one signal, wait, put or combination the file is refuted. */
static void what_is_left_out_is_found(void **state)
{
    static const struct rb_plan_spec specs[] = {
        {.collective = "allreduce", .algorithm = "ring", .p = 4, .n = 1},
        {.collective = "allreduce", .algorithm = "recursive-doubling", .p = 6, .n = 1},
        {.collective = "allgather", .algorithm = "circulant", .p = 5, .n = 2},
        {.collective = "reduce-scatter", .algorithm = "circulant", .p = 5, .n = 1},
        {.collective = "bcast", .algorithm = "circulant", .p = 9, .n = 3, .root = 4},
        {.collective = "alltoall", .algorithm = "bruck", .p = 5, .n = 1},
    };
    static const char *const names[] = {"signal", "wait", "put", "re", "copy"};
    int32_t found[PRG_CONTENTS + 1] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        char *json = write_plan(&specs[i]);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            char *key = sup_format("{\"name\": \"%s\"", names[k]);
            for (char *op = strstr(json, key); op != NULL; op = strstr(op + 1, key)) {
                static const char nop[] = "{\"name\": \"nop\"";
                char *less = sup_strdup(json), *from = less + (op - json);
                size_t end = strcspn(from, "\n");
                while (from[end - 1] != '}')
                    end--;
                memset(from, ' ', end - 1);
                memcpy(from, nop, sizeof nop - 1);
                const int fault = read_back(less);
                if (fault > PRG_CONTENTS)
                    fail_msg("%s", error.text);
                if (fault == PRG_RIGHT)
                    fail_msg("%s %s without %.*s is right", specs[i].collective, specs[i].algorithm,
                             (int)strcspn(op, "\n"), op);
                found[fault]++;
                free(less);
            }
            free(key);
        }
        free(json);
    }
    assert_true(found[PRG_UNMATCHED] > 0 && found[PRG_RACE] > 0 && found[PRG_UNSET] > 0 &&
                found[PRG_CONTENTS] > 0);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_operation_is_proved),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(operations_that_contradict_themselves_are_refused),
        cmocka_unit_test(semaphores_have_first_values),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(plans_come_back_proved),
        cmocka_unit_test(what_is_left_out_is_found),
    };
    const struct CMUnitTest long_tests[] = {cmocka_unit_test(all_plans_come_back_proved)};
    return argc > 1 && strcmp(argv[1], "long") == 0 ? cmocka_run_group_tests(long_tests, NULL, NULL)
                                                    : cmocka_run_group_tests(tests, NULL, NULL);
}
