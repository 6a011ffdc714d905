/* Every algorithm's plan that is written as csv and json and read again is the same plan: each
 * rank's operations of each round, block by block, and it is proved like the first; with n = 2 on
 * two ports, and in groups of two where an algorithm plans by groups. With the
 * argument `all` for p = 1 .. 40 and n = 1 .. 5, which takes minutes. Files that are wrong are
 * refused in words that name the line. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/verbs.h"
#include "interchange/interchange.h"
#include "roundabout.h"
#include "schedules/plan/plan.h"
#include "support/memory.h"

static char folder[] = "/dev/shm/roundabout-plan-file.XXXXXX"; /* thousands of files */
static int32_t most_p = 8, most_n = 2;

/* ---- Reading --------------------------------------------------------------------------------- */

static int read_text(const char *text, const char *collective, struct inter_plan *plan,
                     struct sup_error *error)
{
    char *copy = sup_strdup(text);
    struct sup_lines lines = {.path = "plan", .text = copy, .next = copy};
    inter_plan_init(plan, "plan", strlen(lines.text), error);
    int status = inter_read(&lines, plan);
    if (status == RB_OK)
        status = inter_plan_finish(plan, rb_collective_named(collective), "file:plan");
    free(lines.text);
    return status;
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t length = (size_t)ftell(file);
    char *text = sup_calloc(1, length + 1);
    rewind(file);
    assert_int_equal(fread(text, 1, length, file), length);
    fclose(file);
    return text;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* The operations of a round, one per block. */
struct blocks {
    struct rb_op *op;
    size_t count;
};

static void expand(const struct rb_plan *plan, int32_t rank, int64_t t, struct blocks *blocks)
{
    struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    struct rb_rank state;
    rb_plan_rank(plan, rank, &state);
    const int32_t count = t < rb_plan_rounds(plan) ? rb_plan_round(plan, &state, t, ops) : 0;
    blocks->count = 0;
    for (int32_t i = 0; i < count; i++)
        for (int64_t k = 0; k < ops[i].at.count; k++) {
            struct rb_op one = ops[i];
            one.at.first += k;
            one.from.first += k;
            one.at.count = 1;
            sup_grow(&blocks->op, blocks->count, sizeof one);
            blocks->op[blocks->count++] = one;
        }
    free(ops);
}

static void same_op(const struct rb_op *a, const struct rb_op *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->peer, b->peer);
    assert_int_equal(a->port, b->port);
    assert_int_equal(a->at.buffer, b->at.buffer);
    assert_int_equal(a->at.owner, b->at.owner);
    assert_int_equal(a->at.first, b->at.first);
    if (a->kind == RB_RECV_REDUCE || a->kind == RB_REDUCE)
        assert_int_equal(a->incoming_is_left, b->incoming_is_left);
    if (a->kind != RB_COPY && a->kind != RB_REDUCE)
        return;
    assert_int_equal(a->from.buffer, b->from.buffer);
    assert_int_equal(a->from.owner, b->from.owner);
    assert_int_equal(a->from.first, b->from.first);
}

static void same_plan(const struct rb_plan *plan, const struct rb_plan *read)
{
    struct blocks a = {0}, b = {0};
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++)
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
            expand(plan, rank, t, &a);
            expand(read, rank, t, &b);
            assert_int_equal(a.count, b.count);
            for (size_t i = 0; i < a.count; i++)
                same_op(&a.op[i], &b.op[i]);
        }
    free(a.op);
    free(b.op);
}

static void write_plan(const struct rb_plan_spec *spec, const char *format, const char *path)
{
    char p[16], n[32], root[16], ports[16];
    snprintf(p, sizeof p, "%d", (int)spec->p);
    snprintf(n, sizeof n, "%lld", (long long)spec->n);
    snprintf(root, sizeof root, "%d", (int)spec->root);
    snprintf(ports, sizeof ports, "%d", (int)spec->ports);
    const char *words[] = {"--collective",
                           spec->collective,
                           "--algorithm",
                           spec->algorithm,
                           "-p",
                           p,
                           "-n",
                           n,
                           "--root",
                           root,
                           "--ports",
                           ports,
                           "--format",
                           format,
                           "-o",
                           path,
                           "--groups",
                           spec->groups,
                           NULL};
    const int count = spec->groups == NULL ? 16 : 18;
    assert_int_equal(cli_verb_main(&verb_plan, count, (char **)words), 0);
}

static void read_again(const struct rb_plan_spec *spec, const struct rb_plan *plan,
                       const char *format)
{
    char path[100];
    struct inter_plan file;
    struct sup_error error = {.text = ""};
    struct rb_plan *read;
    struct rb_verdict verdict = {0};
    char why[300] = "";
    snprintf(path, sizeof path, "%s/plan.%s", folder, format);
    write_plan(spec, format, path);
    char *text = read_whole(path);
    assert_string_equal(read_text(text, spec->collective, &file, &error) == RB_OK ? "" : error.text,
                        "");
    if (file.wrong != NULL)
        fail_msg("%s", file.wrong);
    struct rb_plan_spec again = *spec;
    again.n = file.only.n > 0 ? file.only.n : spec->n;
    if (!rb_plan_algorithm(plan)->one_per_port)
        again.groups = NULL; /* those of a file have ports that are counted */
    if (file.only.root >= 0) /* of csv it follows from the rows */
        assert_int_equal(file.only.root, spec->root);
    else
        assert_int_equal(file.ops, 0);
    assert_int_equal(rb_plan_make(rb_collective_named(spec->collective), &file.algorithm, &again,
                                  &read, why, sizeof why),
                     RB_OK);
    same_plan(plan, read);
    if (strcmp(format, "json") == 0) {
        assert_int_equal(rb_plan_rounds(read), rb_plan_rounds(plan));
        assert_int_equal(rb_plan_blocks(read), rb_plan_blocks(plan));
        assert_int_equal(rb_plan_n(read), rb_plan_n(plan));
    }
    if (rb_verify_plan(read, NULL, &verdict) != RB_OK)
        fail_msg("%s %s, p = %d, n = %d, %s: %s", spec->collective, spec->algorithm, (int)spec->p,
                 (int)spec->n, format, verdict.what);
    rb_plan_destroy(read);
    inter_plan_free(&file);
    free(text);
}

static void every_plan_comes_back(void **state)
{
    (void)state;
    const struct rb_algorithm_info *info;
    int64_t plans = 0;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++) {
        const int64_t before = plans;
        for (int32_t p = 1; p <= most_p; p++)
            for (int32_t n = 1; n <= most_n; n++) {
                const bool rooted = rb_takes_root(info);
                const struct rb_plan_spec spec = {.collective = info->collective,
                                                  .algorithm = info->name,
                                                  .p = p,
                                                  .n = n,
                                                  .root = rooted ? n % p : 0,
                                                  .ports = n == 2 ? 2 : 1,
                                                  .groups = info->groups && n == 2 ? "2" : NULL};
                struct rb_plan *plan;
                if (!rb_plan_is_supported(&spec) || rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
                    continue;
                read_again(&spec, plan, "csv");
                read_again(&spec, plan, "json");
                rb_plan_destroy(plan);
                plans++;
            }
        if (plans == before)
            fail_msg("%s %s: no plan", info->collective, info->name);
    }
    print_message("%lld plans\n", (long long)plans);
    assert_true(plans > 1000);
}

/* Received in one round, what even and odd owners have would meet in TMP if rows were not mirrored:
 * with fewer ranks it meets only later. */
static void mirrored_rows_come_back(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {
        .collective = "alltoall", .algorithm = "bine", .p = 26, .n = 1, .ports = 1};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    read_again(&spec, plan, "csv");
    rb_plan_destroy(plan);
}

/* Data of equal distance meet in TMP: they need a row for each pair. */
static void rows_of_pairs_come_back(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {
        .collective = "alltoall", .algorithm = "hosts", .p = 12, .n = 2, .ports = 1, .groups = "3"};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    read_again(&spec, plan, "csv");
    rb_plan_destroy(plan);
}

/* ---- Wrong files ----------------------------------------------------------------------------- */

#define HEAD "round,rank,op,peer,port,buffer,owner,index,from_buffer,from_owner,from_index,left\n"

static const struct {
    const char *collective, *text, *why;
} wrong[] = {
    {"bcast", "",
     "plan:1: no plan in a format that is known: MSCCL++'s JSON, json of roundabout plan, GOAL, "
     "MSCCL XML, csv of roundabout plan"},
    {"bcast", "round,rank,op\n", "plan:1: the column peer is missing"},
    {"bcast", "round,round,op\n", "plan:1: the column round for a second time"},
    {"bcast", HEAD "0,0,send,1\n", "plan:2: 4 values for 12 columns"},
    {"bcast", HEAD "\n0,0,sand,1,0,dst,0,0,,,,\n", "plan:3: op: \"sand\": did you mean send?"},
    {"bcast", HEAD "0,0,send,-1,0,dst,0,0,,,,\n",
     "plan:2: peer: \"-1\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,0,send,1,0,dst,0,99999999999999999999,,,,\n",
     "plan:2: index: \"99999999999999999999\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,2147483647,send,1,0,dst,0,0,,,,\n",
     "plan:2: rank: 2147483647 is not in 0..1073741823"},
    {"bcast", HEAD "0,0,send,1,1024,dst,0,0,,,,\n", "plan:2: port: 1024 is not in 0..1023"},
    {"bcast", HEAD "0,0,copy,0,0,dst,0,0,,,,\n",
     "plan:2: from_buffer: \"\": there are src, dst, tmp"},
    {"bcast", HEAD ",0,copy,0,0,dst,0,0,,,,\n", "plan:2: round: missing"},
    {"reduce", HEAD "0,0,reduce,1,0,dst,0,0,,,,leftt\n",
     "plan:2: left: \"leftt\": there are present, incoming"},
    {"bcast", "{\"p\": 2}", "plan:1: no \"rows\": near the beginning of the object: no plan"},
    {"bcast", "{\"p\": 0, \"rows\": []}", "plan:1: p: not a whole number in 1..1073741824"},
    {"bcast", "{\"p\": 2, \"p\": 2, \"rows\": []}",
     "plan:1: before the rows: duplicate object key near '\"p\"'"},
    {"bcast", "{\"a\": {\"rows\": []}}", "plan:1: before the rows: '}' expected near end of file"},
    {"bcast", "{\"collective\": \"gather\", \"rows\": []}",
     "plan:1: the plan is for gather, not "
     "for bcast"},
    {"bcast", "{\"p\": 2, \"root\": 2, \"rows\": []}", "plan:1: root 2: not one of 2 ranks"},
    {"alltoall", "{\"p\": 2, \"blocks\": 3, \"rows\": []}",
     "plan:1: 3 blocks of an owner: they must be a multiple of p = 2 in alltoall, and at most "
     "2147483646"},
    {"bcast", "{\"rows\": [\n{\"round\": true}]}",
     "plan:2: \"true}]}\" does not begin with a number, a short word in quotes or null"},
    {"bcast", "{\"rows\": [{\"round\": 0, \"note\": 1, \"note\": 2,\n\"round\": 1}]}",
     "plan:2: round for a second time in a row"},
    {"bcast", "{\"p\": 2, \"rounds\": 1048577, \"rows\": []}",
     "plan:1: 1048577 rounds for 0 operations: there may be 1048576 more at most"},
    {"bcast", "{\"rows\": [", "plan:1: '{' is missing before \"\""},
    {"bcast", "{\"rows\": 1}", "plan:1: the rows are no array"},
    {"bcast", "{\"p\": \"x\", \"rows\": []}", "plan:1: p: not a whole number in 1..1073741824"},
    {"bcast", "{\"ports\": 0, \"rows\": []}", "plan:1: ports: not a whole number in 1..1024"},
    {"bcast", "{\"n\": 4294967297, \"rows\": []}",
     "plan:1: n: not a whole number in 1..4294967296"},
    {"bcast", "{\"rows\": [{\"round\" 0}]}", "plan:1: ':' is missing before \"0}]}\""},
    {"bcast", "{\"rows\": [{round: 0}]}",
     "plan:1: \"round: 0}]}\" does not begin with a name in quotes"},
    {"bcast", "{\"rows\": [{\"round\": 0 \"rank\": 1}]}",
     "plan:1: '}' is missing before \"\"rank\": 1}]}\""},
    {"bcast", "{\"rows\": [] x", "plan:1: '}' is missing before \"x\""},
    {"bcast", "{\"rows\": [{\"round\": nul}]}",
     "plan:1: \"nul}]}\" does not begin with a number, a short word in quotes or null"},
    {"bcast", "{\"rows\": [{\"round\": \"12345678901234567890123456789012\"}]}",
     "plan:1: \"12345678901234567890\" does not begin with a number, a short word in quotes or "
     "null"},
    {"bcast", HEAD "0,0,send,1,x,dst,0,0,,,,\n",
     "plan:2: port: \"x\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,0,send,1,0,dst,0,5..3,,,,\n",
     "plan:2: index: \"5..3\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,0,send,1,0,dst,0,1..,,,,\n",
     "plan:2: index: \"1..\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,0,send,1,0,dst,x,0,,,,\n",
     "plan:2: owner: \"x\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,x,send,1,0,dst,0,0,,,,\n",
     "plan:2: rank: \"x\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,0,copy,0,0,dst,0,0,dst,0,x,\n",
     "plan:2: from_index: \"x\" is not a whole number in 0..2147483647"},
    {"bcast", HEAD "0,0,\"send,1,0,dst,0,0,,,,\n", "plan:2: value 3: wrong quotes"},
    {"bcast", HEAD "0,0,send,1,0,dsst,0,0,,,,\n", "plan:2: buffer: \"dsst\": did you mean dst?"},
    {"bcast", HEAD ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n",
     "plan:2: more than 64 values"},
    {"bcast", "{\"rows\": []} x", "plan:1: \"x\" behind the end"},
    {"bcast",
     "{\"p\": 2, \"rows\": [\n{\"round\": 0, \"rank\": 2, \"op\": \"send\", \"peer\": 0, "
     "\"buffer\": \"dst\", \"owner\": 0, \"index\": 0}]}",
     "plan:2: rank: 2 is not in 0..1"},
    {"allgather",
     "{\"p\": 2, \"rows\": [\n{\"round\": 0, \"rank\": 1, \"op\": \"recv\", \"peer\": 0, "
     "\"buffer\": \"tmp\", \"owner\": 2, \"index\": 0}]}",
     "plan:2: owner: 2 is not in 0..1"},
};

static void wrong_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct inter_plan plan;
        struct sup_error error = {.text = ""};
        assert_int_equal(read_text(wrong[i].text, wrong[i].collective, &plan, &error), RB_EINVAL);
        assert_string_equal(error.text, wrong[i].why);
        inter_plan_free(&plan);
    }
}

/* Each number of a row may be the largest that the header allows, and not one more. Where each rank
 * owns data, owners are ranks; otherwise TMP may have more slots than there are ranks. */
static void numbers_end_where_the_header_says(void **state)
{
    static const char *const names[] = {"round", "rank",       "peer",       "port",
                                        "owner", "from_owner", "from_index", "index"};
    enum { NUMBERS = sizeof names / sizeof names[0], ROUND = 0, OWNER = 4, FROM_OWNER, FROM_INDEX };
    static const int64_t most[NUMBERS] = {6, 2, 2, 1, 2, 2, 3, 3};
    static const char *const buffers[] = {"src", "dst", "tmp"};
    (void)state;
    for (int where = 0; where < 2 * 2 * 3 * NUMBERS; where++) {
        const int field = where % NUMBERS, buffer = where / NUMBERS % 3;
        const bool more = where / NUMBERS / 3 % 2, slots = where / NUMBERS / 6 == 1 && buffer == 2;
        const bool is_owner = field == OWNER || field == FROM_OWNER;
        const char *collective = where / NUMBERS / 6 == 1 ? "bcast" : "allgather";
        char text[400], number[NUMBERS][24];
        struct inter_plan plan;
        struct sup_error error = {.text = ""};
        for (int i = 0; i < NUMBERS; i++)
            snprintf(number[i], sizeof number[i], "%d", i == field ? (int)(most[i] + more) : 0);
        snprintf(text, sizeof text,
                 "{\"p\": 3, \"n\": 4, \"blocks\": 4, \"ports\": 2, \"rounds\": 7, "
                 "\"rows\": [\n{\"round\": %s, \"rank\": %s, \"op\": \"copy\", \"peer\": %s, "
                 "\"port\": %s, \"buffer\": \"%s\", \"owner\": %s, \"from_buffer\": \"%s\", "
                 "\"from_owner\": %s, \"from_index\": %s, \"index\": %s}]}",
                 number[0], number[1], number[2], number[3],
                 field == FROM_OWNER ? "dst" : buffers[buffer], number[4],
                 field == FROM_OWNER ? buffers[buffer] : "dst", number[5], number[6], number[7]);
        const bool refused = more && !(is_owner && slots);
        const int status = read_text(text, collective, &plan, &error);
        if (status != (refused ? RB_EINVAL : RB_OK) ||
            (refused &&
             (strstr(error.text, names[field]) == NULL || strncmp(error.text, "plan:2: ", 8) != 0)))
            fail_msg("%s %s %s: \"%s\"", collective, names[field], number[field], error.text);
        inter_plan_free(&plan);
    }
}

/* A plan that breaks a rule of one rank is known with its line, and has no rounds to give. */
static void broken_rules_are_known(void **state)
{
    (void)state;
    struct inter_plan plan;
    struct sup_error error;
    struct rb_plan *made;
    const struct rb_plan_spec spec = {.p = 2, .n = 1};
    char why[200];
    const char text[] = HEAD "0,0,send,1,0,dst,0,0,,,,\n0,1,recv,0,0,dst,1,0,,,,\n";
    assert_int_equal(read_text(text, "bcast", &plan, &error), RB_OK);
    assert_string_equal(plan.wrong, "plan:3: round 0: rank 1 names blocks 0..0 of rank 1 in buffer "
                                    "1, which the plan does not have");
    assert_int_equal(
        rb_plan_make(rb_collective_named("bcast"), &plan.algorithm, &spec, &made, why, sizeof why),
        RB_EWRONG);
    assert_string_equal(why, plan.wrong);
    inter_plan_free(&plan);
}

/* A GOAL file without messages is a plan without operations. */
static void nothing_but_computation_is_a_plan(void **state)
{
    (void)state;
    struct inter_plan plan;
    struct sup_error error = {.text = ""};
    struct rb_plan *made;
    const struct rb_plan_spec spec = {.p = 2, .n = 1};
    assert_int_equal(read_text("num_ranks 2\nrank 0 {\na: calc 5\n}\n", "bcast", &plan, &error),
                     RB_OK);
    assert_int_equal(
        rb_plan_make(rb_collective_named("bcast"), &plan.algorithm, &spec, &made, NULL, 0), RB_OK);
    assert_int_equal(rb_plan_blocks(made), 1);
    rb_plan_destroy(made);
    inter_plan_free(&plan);
}

/* In any order, with columns in any order, CRLF, quotes and columns that nobody knows. */
static void rows_may_be_in_any_order(void **state)
{
    (void)state;
    static const char text[] = "index,op,peer,rank,note,round,buffer,owner\r\n"
                               "1,recv,0,1,,1,dst,0\r\n"
                               "0,recv,0,1,\"a, b\",0,dst,0\r\n"
                               "0,send,1,0,,0,dst,0\r\n"
                               "\r\n"
                               "1,send,1,0,,1,dst,0\r\n";
    struct inter_plan plan;
    struct sup_error error = {.text = ""};
    assert_int_equal(read_text(text, "bcast", &plan, &error), RB_OK);
    assert_int_equal(plan.only.p, 2);
    assert_int_equal(plan.only.n, 2);
    assert_int_equal(plan.only.root, 0);
    assert_int_equal(plan.header.rounds, 2);
    assert_int_equal(plan.places, 4);
    assert_int_equal(plan.place[1].round, 1);
    assert_null(plan.wrong);
    inter_plan_free(&plan);
}

/* The root is whose data the rows name, and no slot of TMP, whichever comes first. */
static void slots_of_tmp_are_no_roots(void **state)
{
    (void)state;
    static const char copy[] = "0,2,copy,2,0,tmp,1,0,dst,2,0,\n",
                      *send = "1,2,send,0,0,tmp,1,0,,,,\n";
    for (int first = 0; first < 2; first++) {
        char text[400];
        struct inter_plan plan;
        struct sup_error error = {.text = ""};
        snprintf(text, sizeof text, "%s%s%s1,0,recv,2,0,dst,2,0,,,,\n", HEAD, first ? send : copy,
                 first ? copy : send);
        assert_int_equal(read_text(text, "bcast", &plan, &error), RB_OK);
        assert_null(plan.wrong);
        assert_int_equal(plan.only.root, 2);
        inter_plan_free(&plan);
    }
}

/* Sends come first, although the rank's rows say otherwise. */
static void sends_come_first(void **state)
{
    (void)state;
    static const char text[] = HEAD "0,1,recv,0,0,dst,0,0,,,,\n0,0,send,1,0,dst,0,0,,,,\n"
                                    "1,1,recv,0,0,dst,0,1,,,,\n1,0,send,1,0,dst,0,1,,,,\n"
                                    "1,1,send,2,0,dst,0,0,,,,\n1,2,recv,1,0,dst,0,0,,,,\n";
    struct inter_plan plan;
    struct sup_error error = {.text = ""};
    assert_int_equal(read_text(text, "bcast", &plan, &error), RB_OK);
    assert_null(plan.wrong);
    assert_int_equal(plan.place[3].rank, 1);
    assert_int_equal(plan.op[plan.place[3].first].kind, RB_SEND);
    inter_plan_free(&plan);
}

/* The same plan, whatever the order of rows: of two directions, of messages on several ports, whose
 * blocks come by turns, and of what is local. The order in a message, and among what is local,
 * stays.
 */
static void rows_may_be_interleaved(void **state)
{
    static const char *const messages[][3] = {
        /* two messages of rank 0 to rank 1 and 2, a receive and copies of rank 1 */
        {"0,0,send,1,0,dst,0,0,,,,\n", "0,0,send,1,0,dst,0,2,,,,\n", "0,0,send,1,0,dst,0,1,,,,\n"},
        {"0,0,send,2,1,dst,0,2,,,,\n", "0,0,send,2,1,dst,0,1,,,,\n", "0,0,send,2,1,dst,0,0,,,,\n"},
        {"0,1,recv,0,0,dst,0,0,,,,\n", "0,1,recv,0,0,dst,0,2,,,,\n", "0,1,recv,0,0,dst,0,1,,,,\n"},
        {"0,2,recv,0,1,dst,0,2,,,,\n", "0,2,recv,0,1,dst,0,1,,,,\n", "0,2,recv,0,1,dst,0,0,,,,\n"},
        {"0,1,copy,1,0,tmp,0,2,dst,0,1,\n", "0,1,copy,1,0,tmp,0,1,tmp,0,2,\n",
         "0,1,copy,1,0,tmp,0,0,tmp,0,1,\n"},
    };
    enum { MESSAGES = sizeof messages / sizeof *messages, ROWS = 3 * MESSAGES };
    size_t ops = 0;
    uint64_t random = 1;
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        char text[4000] = HEAD;
        int next[MESSAGES] = {0}, first_peer = 0;
        struct inter_plan plan;
        struct sup_error error = {.text = ""};
        const struct rb_plan_spec spec = {.p = 3, .n = 3, .ports = 2};
        struct rb_plan *made;
        struct rb_verdict verdict;
        for (int row = 0; row < ROWS; row++) {
            int from = trial == 0 ? row / 3 : (int)((random >> 33) % MESSAGES);
            random = random * 6364136223846793005U + 1442695040888963407U;
            while (next[from] == 3)
                from = (from + 1) % MESSAGES;
            if (from < 2 && next[0] == 0 && next[1] == 0)
                first_peer = from + 1;
            strcat(text, messages[from][next[from]++]);
        }
        assert_int_equal(read_text(text, "bcast", &plan, &error), RB_OK);
        if (plan.wrong != NULL)
            fail_msg("%s\n%s", plan.wrong, text);
        assert_int_equal(
            rb_plan_make(rb_collective_named("bcast"), &plan.algorithm, &spec, &made, NULL, 0),
            RB_OK);
        if (rb_verify_plan(made, NULL, &verdict) != RB_OK)
            fail_msg("%s\n%s", verdict.what, text);
        ops = trial == 0 ? plan.ops : ops;
        assert_int_equal(plan.ops, ops);
        assert_int_equal(plan.op[0].peer, first_peer);
        rb_plan_destroy(made);
        inter_plan_free(&plan);
    }
}

/* Blocks that follow one another in a message are one operation. */
static void rows_are_merged(void **state)
{
    (void)state;
    static const char text[] = HEAD "0,0,send,1,0,dst,0,0,,,,\n0,1,recv,0,0,dst,0,0,,,,\n"
                                    "0,0,send,1,0,dst,0,1,,,,\n0,1,recv,0,0,dst,0,1,,,,\n"
                                    "0,0,send,1,0,dst,0,3,,,,\n0,1,recv,0,0,dst,0,3,,,,\n";
    struct inter_plan plan;
    struct sup_error error = {.text = ""};
    assert_int_equal(read_text(text, "bcast", &plan, &error), RB_OK);
    assert_int_equal(plan.ops, 4);
    assert_int_equal(plan.op[0].count, 2);
    assert_int_equal(plan.op[1].first, 3);
    assert_int_equal(plan.max_ops, 2);
    inter_plan_free(&plan);
}

/* Only rows of one message, of blocks that follow one another, that do the same with them. */
static void other_rows_stay_apart(void **state)
{
    (void)state;
    static const struct {
        const char *second;
        bool merged;
    } rows[] = {{"0,1,reduce,1,0,dst,0,1,tmp,0,1,present\n", true},
                {"0,1,reduce,1,0,dst,0,1,tmp,0,1,incoming\n", false},
                {"0,1,reduce,1,0,dst,0,1,tmp,0,2,present\n", false},
                {"0,1,reduce,1,0,dst,0,2,tmp,0,1,present\n", false},
                {"0,1,reduce,1,0,dst,0,1,src,0,1,present\n", false},
                {"0,1,copy,1,0,dst,0,1,tmp,0,1,\n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[500];
        struct inter_plan plan;
        struct sup_error error = {.text = ""};
        snprintf(text, sizeof text,
                 "%s0,1,reduce,1,0,dst,0,0,tmp,0,0,present\n%s0,1,copy,1,0,dst,"
                 "0,3,src,0,3,\n",
                 HEAD, rows[i].second);
        assert_int_equal(read_text(text, "reduce", &plan, &error), RB_OK);
        assert_int_equal(plan.ops, rows[i].merged ? 2 : 3);
        inter_plan_free(&plan);
    }
}

int main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        most_p = 40;
        most_n = 5;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_comes_back),
        cmocka_unit_test(mirrored_rows_come_back),
        cmocka_unit_test(rows_of_pairs_come_back),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(numbers_end_where_the_header_says),
        cmocka_unit_test(broken_rules_are_known),
        cmocka_unit_test(rows_may_be_in_any_order),
        cmocka_unit_test(sends_come_first),
        cmocka_unit_test(rows_may_be_interleaved),
        cmocka_unit_test(slots_of_tmp_are_no_roots),
        cmocka_unit_test(rows_are_merged),
        cmocka_unit_test(other_rows_stay_apart),
        cmocka_unit_test(nothing_but_computation_is_a_plan),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? failed : 1;
}
