/* test_msccl.c - MSCCL XML: our plans written, read back and proved; faults put into them and
 * found; and what a wrong file is told. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interchange/interchange.h"
#include "interchange/msccl_xml.h"
#include "interchange/programs/prove.h"
#include "support/memory.h"
#include "tests/interchange/round_trip.h"

static struct sup_error error;
static struct inter_msccl about;

static int read_text(const char *text, struct prg_program *program)
{
    FILE *stream = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
    *program = (struct prg_program){0};
    error.text[0] = '\0';
    const int status = inter_msccl_read(stream, "test.xml", false, program, &about, &error);
    fclose(stream);
    return status;
}

/* Also of a file that isn't read: -1, with `error`. */
enum { UNREAD = -1 };
static int fault_of(const char *text, struct prg_verdict *verdict)
{
    struct prg_program program;
    int fault = UNREAD;
    if (read_text(text, &program) == RB_OK) {
        assert_int_equal(prg_prove(&program, verdict), RB_OK);
        fault = (int)verdict->fault;
    }
    prg_free(&program);
    return fault;
}

/* ---- There and back -------------------------------------------------------------------------- */

static char *write_plan(const struct rb_plan_spec *spec)
{
    return write_by(inter_msccl_write, spec, &error);
}

static void check_back(const struct rb_plan_spec *spec, struct tally *tally)
{
    struct prg_verdict verdict;
    char *text = write_plan(spec);
    if (text == NULL) {
        tally->refused++;
        tally->error = error;
        return;
    }
    const int fault = fault_of(text, &verdict);
    if (fault != PRG_RIGHT || !verdict.contents || verdict.least_room > PRG_NCCL_SLOTS)
        fail_msg("%s %s, p = %d, n = %d, root %d: %s%s, room %d", spec->collective, spec->algorithm,
                 (int)spec->p, (int)spec->n, (int)spec->root, error.text,
                 fault == UNREAD ? "" : verdict.what, (int)verdict.least_room);
    for (int i = 0; i < INTER_REMARKS; i++)
        if (i != INTER_STEPS && i != INTER_THREADBLOCKS)
            assert_int_equal(about.remark[i], 0);
    tally->right++;
    free(text);
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
    const struct tally all = check_all(40, 5, check_back);
    assert_true(all.right > 20 * all.refused);
}

/* 80 blocks of one message are two steps; the 256 steps of a threadblock are the last. */
static void long_messages_and_long_plans(void **state)
{
    struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "binomial", .p = 4, .n = 80};
    struct tally tally = {0};
    (void)state;
    char *text = write_plan(&spec);
    assert_non_null(strstr(text, "cnt=\"71\""));
    assert_non_null(strstr(text, "cnt=\"9\""));
    free(text);
    check_back(&spec, &tally);
    spec.algorithm = "chain";
    for (spec.n = 255; spec.n <= 257; spec.n++)
        check_back(&spec, &tally);
    assert_int_equal(tally.right, 3);
    assert_string_equal(error.text, "MSCCL refuses more than 256 steps of a threadblock, which "
                                    "rank 0 would have");
    spec = (struct rb_plan_spec){.collective = "scan", .algorithm = "chain", .p = 2, .n = 1};
    assert_null(write_plan(&spec));
    assert_string_equal(error.text, "MSCCL has no scan");
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* A file is an array of its lines. */
struct file {
    char **line;
    int32_t lines;
};

static struct file split(const char *text)
{
    struct file file = {.line = sup_calloc(strlen(text) + 1, sizeof *file.line)};
    for (const char *end; *text != '\0'; text = end + 1) {
        end = strchr(text, '\n');
        file.line[file.lines++] = sup_strndup(text, (size_t)(end - text));
    }
    return file;
}

static void free_file(struct file *file)
{
    for (int32_t i = 0; i < file->lines; i++)
        free(file->line[i]);
    free(file->line);
}

static int fault_of_file(const struct file *file, struct prg_verdict *verdict)
{
    char *text;
    size_t size;
    FILE *stream = sup_memory_open(&text, &size);
    for (int32_t i = 0; i < file->lines; i++)
        fprintf(stream, "%s\n", file->line[i]);
    sup_memory_close(stream, &text);
    const int fault = fault_of(text, verdict);
    free(text);
    return fault;
}

/* The attribute's value in a line; "" if it has none. */
static const char *get(const char *line, const char *name, char value[32])
{
    char *key = sup_format(" %s=\"", name);
    const char *at = strstr(line, key);
    snprintf(value, 32, "%.*s", at == NULL ? 0 : (int)strcspn(at + strlen(key), "\""),
             at == NULL ? "" : at + strlen(key));
    free(key);
    return value;
}

static void set(char **line, const char *name, const char *value)
{
    char *key = sup_format(" %s=\"", name);
    char *at = strstr(*line, key) + strlen(key);
    char *changed = sup_format("%.*s%s%s", (int)(at - *line), *line, value, at + strcspn(at, "\""));
    free(key);
    free(*line);
    *line = changed;
}

static void set_number(char **line, const char *name, int add)
{
    char value[32], changed[32];
    snprintf(changed, sizeof changed, "%d", atoi(get(*line, name, value)) + add);
    set(line, name, changed);
}

/* Changes a step in one way; false where that can't be done. */
typedef bool change(struct file *file, int32_t at);

static bool is_type(const struct file *file, int32_t at, const char *types)
{
    char value[32], key[40];
    snprintf(key, sizeof key, " %s ", get(file->line[at], "type", value));
    return value[0] != '\0' && strstr(types, key) != NULL;
}

static bool drop(struct file *file, int32_t at)
{
    if (!is_type(file, at, " s r rrc "))
        return false;
    set(&file->line[at], "type", "nop");
    return true;
}
static bool count_one_more(struct file *file, int32_t at)
{
    if (!is_type(file, at, " s r rrc "))
        return false;
    set_number(&file->line[at], "cnt", 1);
    return true;
}
static bool change_peer(struct file *file, int32_t at)
{
    char value[32];
    const char *side = strcmp(get(file->line[at], "send", value), "-1") == 0 ? "recv" : "send";
    if (strstr(file->line[at], "<tb") == NULL ||
        strcmp(get(file->line[at], side, value), "-1") == 0)
        return false;
    set(&file->line[at], "chan", "7");
    return true;
}
static bool drop_dependence(struct file *file, int32_t at)
{
    char value[32];
    if (atoi(get(file->line[at], "depid", value)) < 0 || value[0] == '\0')
        return false;
    set(&file->line[at], "depid", "-1");
    set(&file->line[at], "deps", "-1");
    return true;
}
static bool send_another_chunk(struct file *file, int32_t at)
{
    char value[32];
    if (!is_type(file, at, " s "))
        return false;
    set_number(&file->line[at], "srcoff", atoi(get(file->line[at], "srcoff", value)) > 0 ? -1 : 1);
    return true;
}
static bool keep_elsewhere(struct file *file, int32_t at)
{
    char value[32];
    if (!is_type(file, at, " r rrc "))
        return false;
    set_number(&file->line[at], "dstoff", atoi(get(file->line[at], "dstoff", value)) > 0 ? -1 : 1);
    return true;
}
static bool combine_instead(struct file *file, int32_t at)
{
    if (!is_type(file, at, " r "))
        return false;
    set(&file->line[at], "type", "rrc");
    return true;
}
static bool keep_instead(struct file *file, int32_t at)
{
    if (!is_type(file, at, " rrc "))
        return false;
    set(&file->line[at], "type", "r");
    return true;
}
/* Two steps that follow one another change their places. */
static bool swap(struct file *file, int32_t at)
{
    char first[32], second[32];
    if (!is_type(file, at, " s r rrc ") || !is_type(file, at + 1, " s r rrc "))
        return false;
    get(file->line[at], "s", first);
    get(file->line[at + 1], "s", second);
    set(&file->line[at], "s", second);
    set(&file->line[at + 1], "s", first);
    char *line = file->line[at];
    file->line[at] = file->line[at + 1];
    file->line[at + 1] = line;
    return true;
}
/* The first step that waits for another one of its rank is waited for by that one, too. */
static bool wait_for_each_other(struct file *file, int32_t at)
{
    char thread[32], step[32], number[32], value[32];
    int32_t tb = at, gpu, other;
    if (atoi(get(file->line[at], "depid", thread)) < 0 || thread[0] == '\0')
        return false;
    get(file->line[at], "deps", step);
    while (strstr(file->line[tb], "<tb") == NULL)
        tb--;
    for (gpu = tb; strstr(file->line[gpu], "<gpu") == NULL;)
        gpu--;
    for (other = gpu; strstr(file->line[other], "<tb") == NULL ||
                      strcmp(get(file->line[other], "id", value), thread) != 0;)
        other++;
    other += 1 + atoi(step);
    set(&file->line[at], "hasdep", "1");
    set(&file->line[other], "deps", get(file->line[at], "s", number));
    set(&file->line[other], "depid", get(file->line[tb], "id", number));
    return true;
}

/* Which faults a change may make. `always`: it must make one of them wherever it is made; otherwise
 * it may be harmless. */
static const struct {
    const char *name;
    change *change;
    unsigned faults;
    bool always;
} changes[] = {
    {"drop", drop, 1u << PRG_UNMATCHED, true},
    {"count one more", count_one_more, 1u << PRG_UNMATCHED, true},
    {"another channel", change_peer, 1u << PRG_UNMATCHED, true},
    {"drop a dependence", drop_dependence, 1u << PRG_RACE | 1u << PRG_UNSET | 1u << PRG_CONTENTS,
     false},
    {"send another chunk", send_another_chunk,
     1u << PRG_RACE | 1u << PRG_UNSET | 1u << PRG_CONTENTS, false},
    {"keep elsewhere", keep_elsewhere, 1u << PRG_RACE | 1u << PRG_UNSET | 1u << PRG_CONTENTS, true},
    {"combine instead", combine_instead, 1u << PRG_RACE | 1u << PRG_UNSET | 1u << PRG_CONTENTS,
     true},
    {"keep instead", keep_instead, 1u << PRG_CONTENTS, true},
    {"swap", swap, 1u << PRG_RACE | 1u << PRG_UNSET | 1u << PRG_CONTENTS | 1u << PRG_DEADLOCK,
     false},
    {"wait for each other", wait_for_each_other, 1u << PRG_DEADLOCK, true},
};
enum { CHANGES = sizeof changes / sizeof changes[0], FAULTS = PRG_CONTENTS + 1 };

static void check_changes(const struct rb_plan_spec *spec, int32_t found[CHANGES][FAULTS],
                          int32_t unread[CHANGES])
{
    char *text = write_plan(spec);
    struct file whole = split(text);
    for (int c = 0; c < CHANGES; c++)
        for (int32_t at = 0; at < whole.lines; at++) {
            struct file file = split(text);
            struct prg_verdict verdict = {0};
            if (changes[c].change(&file, at)) {
                const int fault = fault_of_file(&file, &verdict);
                if (fault > PRG_RIGHT ? (changes[c].faults >> fault & 1u) == 0
                                      : changes[c].always && fault == PRG_RIGHT)
                    fail_msg("%s %s, line %d, %s: fault %d: %s", spec->collective, spec->algorithm,
                             (int)at + 1, changes[c].name, fault, verdict.what);
                if (fault == UNREAD)
                    unread[c]++;
                else
                    found[c][fault]++;
            }
            free_file(&file);
        }
    free_file(&whole);
    free(text);
}

static void faults_are_found(void **state)
{
    static const struct rb_plan_spec specs[] = {
        {.collective = "allreduce", .algorithm = "ring", .p = 4, .n = 1},
        {.collective = "allreduce", .algorithm = "rabenseifner", .p = 4, .n = 1},
        {.collective = "allgather", .algorithm = "circulant", .p = 5, .n = 2},
        {.collective = "reduce-scatter", .algorithm = "circulant", .p = 5, .n = 1},
        {.collective = "bcast", .algorithm = "circulant", .p = 6, .n = 3},
        {.collective = "alltoall", .algorithm = "bruck", .p = 5, .n = 1},
    };
    int32_t found[CHANGES][FAULTS] = {{0}}, unread[CHANGES] = {0}, of_fault[FAULTS] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        check_changes(&specs[i], found, unread);
    for (int c = 0; c < CHANGES; c++) {
        printf("%-20s harmless %d, unmatched %d, deadlock %d, race %d, unset %d, contents %d, "
               "refused %d\n",
               changes[c].name, (int)found[c][PRG_RIGHT], (int)found[c][PRG_UNMATCHED],
               (int)found[c][PRG_DEADLOCK], (int)found[c][PRG_RACE], (int)found[c][PRG_UNSET],
               (int)found[c][PRG_CONTENTS], (int)unread[c]);
        for (int fault = 0; fault < FAULTS; fault++)
            of_fault[fault] += found[c][fault];
    }
    for (int fault = PRG_UNMATCHED; fault < FAULTS; fault++)
        assert_true(of_fault[fault] >= 5);
}

/* Two ranks that send each other `ahead` chunks before they receive: each in one threadblock. */
static char *exchange(int ahead)
{
    char *text;
    size_t size;
    FILE *stream = sup_memory_open(&text, &size);
    fprintf(stream, "<algo ngpus=\"2\" coll=\"alltoall\" nchunksperloop=\"%d\" outofplace=\"1\">\n",
            2 * ahead);
    for (int rank = 0; rank < 2; rank++) {
        fprintf(stream, "<gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"0\">\n", rank,
                2 * ahead, 2 * ahead);
        fprintf(stream, "<tb id=\"0\" send=\"%d\" recv=\"%d\" chan=\"0\">\n", 1 - rank, 1 - rank);
        for (int i = 0; i < 2 * ahead + 1; i++) {
            const char *type = i == 0 ? "cpy" : i <= ahead ? "s" : "r";
            const int from = i == 0 ? rank * ahead : (1 - rank) * ahead + (i - 1) % ahead;
            fprintf(stream,
                    "<step s=\"%d\" type=\"%s\" srcbuf=\"i\" srcoff=\"%d\" dstbuf=\"o\" "
                    "dstoff=\"%d\" cnt=\"%d\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n",
                    i, type, from, from, i == 0 ? ahead : 1);
        }
        fputs("</tb>\n</gpu>\n", stream);
    }
    fputs("</algo>\n", stream);
    sup_memory_close(stream, &text);
    return text;
}

static void a_capacity_that_is_too_small_is_found(void **state)
{
    (void)state;
    for (int ahead = 1; ahead <= 12; ahead++) {
        struct prg_verdict verdict;
        char *text = exchange(ahead);
        assert_int_equal(fault_of(text, &verdict), PRG_RIGHT);
        assert_true(verdict.contents);
        assert_int_equal(verdict.least_room, ahead);
        free(text);
    }
}

/* Plans of files are right with up to the eight slots that NCCL's FIFOs have. */
static void nccl_has_eight_slots(void **state)
{
    (void)state;
    for (int ahead = 7; ahead <= 10; ahead++) {
        struct inter_plan plan;
        struct sup_lines lines = {.path = "test.xml", .text = exchange(ahead)};
        lines.next = lines.text;
        inter_plan_init(&plan, lines.path, strlen(lines.next), &error);
        assert_int_equal(inter_read(&lines, &plan), RB_OK);
        assert_int_equal(plan.wrong == NULL, ahead <= 8);
        if (plan.wrong != NULL) {
            char *needed = sup_format("FIFOs have 8 slots, and it needs %d", ahead);
            assert_non_null(strstr(plan.wrong, needed));
            free(needed);
        }
        inter_plan_free(&plan);
        free(lines.text);
    }
}

/* Rank 0 combines what rank 1 sends so many times, and sends the result back. */
static char *combination(int times)
{
    char *text;
    size_t size;
    FILE *stream = sup_memory_open(&text, &size);
    fputs("<algo ngpus=\"2\" coll=\"allreduce\" nchunksperloop=\"1\" inplace=\"1\">\n", stream);
    for (int rank = 0; rank < 2; rank++) {
        fprintf(stream,
                "<gpu id=\"%d\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n"
                "<tb id=\"0\" send=\"%d\" recv=\"%d\" chan=\"0\">\n",
                rank, 1 - rank, 1 - rank);
        for (int i = 0; i <= times; i++)
            fprintf(stream,
                    "<step s=\"%d\" type=\"%s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" "
                    "dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n",
                    i,
                    (i < times) == (rank == 1) ? "s"
                    : rank == 0                ? "rrc"
                                               : "r");
        fputs("</tb>\n</gpu>\n", stream);
    }
    fputs("</algo>\n", stream);
    sup_memory_close(stream, &text);
    return text;
}

static void what_counts_twice_is_found(void **state)
{
    (void)state;
    for (int times = 1; times <= 6; times++) {
        struct prg_verdict verdict;
        char *text = combination(times);
        assert_int_equal(fault_of(text, &verdict), times == 1 ? PRG_RIGHT : PRG_CONTENTS);
        if (times > 1)
            assert_non_null(strstr(verdict.what, "twice"));
        free(text);
    }
}

/* ---- What a file is told --------------------------------------------------------------------- */

#define ALGO               "<algo ngpus=\"2\" coll=\"broadcast\" nchunksperloop=\"1\" inplace=\"1\">\n"
#define GPU(id)            "<gpu id=\"" #id "\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n"
#define TB(id, send, recv) "<tb id=\"" #id "\" send=\"" #send "\" recv=\"" #recv "\" chan=\"0\">\n"
#define STEP(s, type, buffer, offset, count, depid, deps, hasdep)                                  \
    "<step s=\"" #s "\" type=\"" type "\" srcbuf=\"" buffer "\" srcoff=\"" #offset                 \
    "\" dstbuf=\"" buffer "\" dstoff=\"" #offset "\" cnt=\"" #count "\" depid=\"" #depid           \
    "\" deps=\"" #deps "\" hasdep=\"" #hasdep "\"/>\n"
#define SEND    STEP(0, "s", "o", 0, 1, -1, -1, 0)
#define RECEIVE STEP(0, "r", "o", 0, 1, -1, -1, 0)
#define END     "</tb></gpu>\n"
#define SECOND  GPU(1) TB(0, -1, 0) RECEIVE END "</algo>\n"
/* Rank 0 with these steps, from line 4 on. */
#define WITH(steps) ALGO GPU(0) TB(0, 1, -1) steps END SECOND

static void wrong_files_name_the_line(void **state)
{
    static const struct {
        const char *text, *message;
    } files[] = {
        {"", "test.xml:1: the file ends before </algo>"},
        {ALGO GPU(0), "test.xml:2: the file ends before </algo>"},
        {"\n<graph/>", "test.xml:2: <graph>: a schedule begins with <algo>"},
        {"<!DOCTYPE a [<!ENTITY b \"b\">]>\n<a>&b;</a>",
         "test.xml:1: a schedule has no document type (<!DOCTYPE>)"},
        {"<algo ngpus=\"2\"/>", "test.xml:1: <algo> without coll"},
        {"<algo ngpus=\"0\" coll=\"a\" nchunksperloop=\"1\"/>",
         "test.xml:1: ngpus=\"0\": it must be a whole number from 1 to 1048576"},
        {"<algo ngpus=\"99999999999999999999\" coll=\"a\" nchunksperloop=\"1\"/>",
         "test.xml:1: ngpus=\"99999999999999999999\": it must be a whole number from 1 to 1048576"},
        {"<algo ngpus=\"2\" coll=\"a\" nchunksperloop=\"1x\"/>",
         "test.xml:1: nchunksperloop=\"1x\": it must be a whole number from 0 to 268435456"},
        {ALGO "</algo>", "test.xml:2: there is no gpu 0, though ngpus=\"2\""},
        {ALGO GPU(2) "</gpu></algo>", "test.xml:2: gpu 2: with ngpus=\"2\" it must be from 0 to 1"},
        {ALGO GPU(1) "</gpu>" GPU(1), "test.xml:3: a second gpu 1"},
        {ALGO GPU(0) TB(0, 0, -1),
         "test.xml:3: send=\"0\": it must be another rank, 0 to 1, or -1: none"},
        {ALGO GPU(0) TB(0, 1, -1) "</tb>" TB(0, 1, -1), "test.xml:4: a second tb 0 of gpu 0"},
        {WITH(RECEIVE), "test.xml:4: it must receive, but its tb has no peer or channel for that"},
        {WITH(STEP(1, "s", "o", 0, 1, -1, -1, 0)), "test.xml:4: s=\"1\": it is step 0 of its tb"},
        {WITH(STEP(0, "send", "o", 0, 1, -1, -1, 0)),
         "test.xml:4: type=\"send\": it must be s, r, cpy, re, rcs, rrs, rrc, rrcs or nop"},
        {WITH(STEP(0, "s", "x", 0, 1, -1, -1, 0)),
         "test.xml:4: srcbuf=\"x\": it must be i, o or s"},
        {WITH(STEP(0, "s", "o", -1, 1, -1, -1, 0)),
         "test.xml:4: srcoff=\"-1\": it must be 0 or more"},
        {WITH(STEP(0, "s", "o", 0, 0, -1, -1, 0)), "test.xml:4: cnt=\"0\": it must be 1 or more"},
        {WITH(STEP(0, "s", "o", 0, 2, -1, -1, 0)),
         "test.xml:4: gpu 0 has 1 chunks of output, not 0 and 2 more"},
        {WITH(STEP(0, "s", "s", 0, 1, -1, -1, 0)),
         "test.xml:4: gpu 0 has 0 chunks of scratch, not 0 and 1 more"},
        {WITH(STEP(0, "s", "o", 0, 1, 3, 0, 0)),
         "test.xml:4: it waits for step 0 of tb 3, which gpu 0 has not"},
        {WITH(STEP(0, "s", "o", 0, 1, 0, 1, 0)),
         "test.xml:4: it waits for step 1 of tb 0, which gpu 0 has not"},
        {WITH(STEP(0, "nop", "o", 0, 1, -1, -1, 0) STEP(1, "s", "o", 0, 1, 0, 0, 0)),
         "test.xml:5: it waits for ever: step 0 of tb 0, and all after it, have hasdep=\"0\""},
        {ALGO GPU(0) TB(0, 1, -1) SEND "</tb>" TB(1, 1, -1) SEND END SECOND,
         "test.xml:6: tb 0 and tb 1 of gpu 0 both send on channel 0 with gpu 1, so their messages "
         "have no order: each needs a channel of its own"},
        {ALGO GPU(0) TB(0, 1, -1) SEND END GPU(1) TB(0, -1, 0) RECEIVE "</tb>" TB(3, -1, 0)
             RECEIVE END "</algo>",
         "test.xml:10: tb 0 and tb 3 of gpu 1 both receive on channel 0 with gpu 0, so their "
         "messages have no order: each needs a channel of its own"},
        {"<algo ngpus=\"1\" coll=\"alltoall\" nchunksperloop=\"1\" outofplace=\"1\">"
         "<gpu id=\"0\" i_chunks=\"2\" o_chunks=\"1\" s_chunks=\"0\"/></algo>",
         "test.xml:1: rank 0 has 2 chunks of input and 1 of output; alltoall of 2 chunks asks for "
         "2 and 2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct prg_program program;
        assert_int_equal(read_text(files[i].text, &program), RB_EINVAL);
        assert_string_equal(error.text, files[i].message);
        prg_free(&program);
    }
}

static void remarks_name_the_line(void **state)
{
    static const struct {
        const char *text;
        enum inter_msccl_remark remark;
        int32_t line;
    } files[] = {
        {WITH(SEND), INTER_REMARKS, 0},
        {WITH("<note><step/></note>\n" SEND), INTER_ELEMENT, 4},
        {WITH(STEP(0, "nop", "o", 0, 1, 0, 0, 1) STEP(1, "s", "o", 0, 1, -1, -1, 0)),
         INTER_LOOSE_NOP, 5},
        {ALGO GPU(0) TB(1, 1, -1) SEND END SECOND, INTER_GAP, 5},
        {ALGO GPU(0) TB(0, -1, -1) STEP(0, "nop", "o", 0, 1, -1, -1, 0)
             STEP(1, "nop", "o", 0, 1, -1, -1, 1) "</tb>" TB(1, 1, -1)
                 STEP(0, "s", "o", 0, 1, 0, 0, 0) END SECOND,
         INTER_NOT_HEARD, 7},
        {ALGO GPU(0) TB(0, 1, -1) SEND END GPU(1) TB(0, 0, -1) SEND "</tb>" TB(1, -1, 0) RECEIVE END
         "</algo>",
         INTER_ROOT, 1},
        {"<algo ngpus=\"1\" coll=\"broadcast\" nchunksperloop=\"2\" inplace=\"1\">"
         "<gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"/></algo>",
         INTER_CHUNKS, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct prg_program program;
        if (read_text(files[i].text, &program) != RB_OK)
            fail_msg("%s", error.text);
        for (int k = 0; k < INTER_REMARKS; k++)
            assert_int_equal(about.remark[k], k == (int)files[i].remark ? files[i].line : 0);
        prg_free(&program);
    }
}

/* A file for both places is read as in place, or else, and is right only there. */
static void both_places_are_read(void **state)
{
    static const char text[] =
        "<algo ngpus=\"1\" coll=\"allreduce\" nchunksperloop=\"1\" inplace=\"1\" outofplace=\"1\">"
        "<gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"/></algo>";
    (void)state;
    for (int out = 0; out < 2; out++) {
        struct prg_program program = {0};
        struct prg_verdict verdict;
        FILE *stream = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
        assert_int_equal(inter_msccl_read(stream, "", out, &program, &about, &error), RB_OK);
        fclose(stream);
        assert_int_equal(prg_prove(&program, &verdict), RB_OK);
        assert_int_equal(verdict.fault, out ? PRG_CONTENTS : PRG_RIGHT);
        prg_free(&program);
    }
}

/* Contents of collectives that aren't known are not proved; all else is. */
static void unknown_collectives_are_proved_without_contents(void **state)
{
    struct prg_verdict verdict;
    char *text = write_plan(
        &(struct rb_plan_spec){.collective = "bcast", .algorithm = "binomial", .p = 4, .n = 1});
    (void)state;
    memcpy(strstr(text, "broadcast"), "something", strlen("something"));
    assert_int_equal(fault_of(text, &verdict), PRG_RIGHT);
    assert_false(verdict.contents);
    free(text);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_come_back_proved),
        cmocka_unit_test(long_messages_and_long_plans),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(a_capacity_that_is_too_small_is_found),
        cmocka_unit_test(nccl_has_eight_slots),
        cmocka_unit_test(what_counts_twice_is_found),
        cmocka_unit_test(wrong_files_name_the_line),
        cmocka_unit_test(remarks_name_the_line),
        cmocka_unit_test(both_places_are_read),
        cmocka_unit_test(unknown_collectives_are_proved_without_contents),
    };
    const struct CMUnitTest long_tests[] = {cmocka_unit_test(all_plans_come_back_proved)};
    return argc > 1 && strcmp(argv[1], "long") == 0 ? cmocka_run_group_tests(long_tests, NULL, NULL)
                                                    : cmocka_run_group_tests(tests, NULL, NULL);
}
