/* test_chakra.c - our plans as Chakra traces, read back by the numbers of mlcommons/chakra's
 * et_def.proto: they have the plan's messages, and a run as ASTRA-sim makes it, where a node begins
 * when its data_deps are done, ends. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "interchange/export/export.h"
#include "tests/fitting.h"
#include "tests/interchange/messages.h"

enum { COMP = 4, SEND = 5, RECV = 6, MOST_NODES = 20000, MOST_DEPS = 64 };

struct node {
    int64_t rank, type, peer, tag, bytes;
    int64_t deps[MOST_DEPS];
    int dep_count, attributes;
    bool done;
};

static struct node node[MOST_NODES];
static int nodes;

/* ---- Protocol buffers ---- */

struct bytes {
    const unsigned char *next, *end;
};

static int64_t take_varint(struct bytes *bytes)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(bytes->next < bytes->end && shift < 64);
        value |= (uint64_t)(*bytes->next & 127) << shift;
        if (*bytes->next++ < 128)
            return (int64_t)value;
    }
}

static struct bytes take_bytes(struct bytes *bytes)
{
    const int64_t length = take_varint(bytes);
    assert_true(length <= bytes->end - bytes->next);
    const struct bytes part = {bytes->next, bytes->next + length};
    bytes->next += length;
    return part;
}

static bool is_text(struct bytes bytes, const char *text)
{
    return (size_t)(bytes.end - bytes.next) == strlen(text) &&
           memcmp(bytes.next, text, strlen(text)) == 0;
}

static void take_attribute(struct bytes bytes, struct node *to)
{
    struct bytes name = {NULL, NULL};
    int64_t key = 0, value = 0;
    while (bytes.next < bytes.end) {
        key = take_varint(&bytes);
        if (key == (1 << 3 | 2))
            name = take_bytes(&bytes);
        else
            value = take_varint(&bytes);
    }
    to->attributes++;
    if (is_text(name, "comm_size") && key == 9 << 3)
        to->bytes = value;
    else if (is_text(name, to->type == SEND ? "comm_dst" : "comm_src") && key == 7 << 3)
        to->peer = value;
    else if (is_text(name, "comm_tag") && key == 7 << 3)
        to->tag = value;
    else
        assert_true(is_text(name, "is_cpu_op") && key == 27 << 3 && value == 0);
}

/* Node: 1 id, 2 name, 3 type, 5 data_deps, 10 attr. */
static void take_node(struct bytes bytes, int64_t rank, int64_t id)
{
    struct node *to = &node[nodes++];
    assert_true(nodes <= MOST_NODES);
    *to = (struct node){.rank = rank};
    int64_t own = 0;
    while (bytes.next < bytes.end) {
        const int64_t key = take_varint(&bytes);
        if (key == 1 << 3)
            own = take_varint(&bytes);
        else if (key == 3 << 3)
            to->type = take_varint(&bytes);
        else if (key == (2 << 3 | 2))
            take_bytes(&bytes);
        else if (key == (10 << 3 | 2))
            take_attribute(take_bytes(&bytes), to);
        else if (key == (5 << 3 | 2))
            for (struct bytes deps = take_bytes(&bytes); deps.next < deps.end; to->dep_count++) {
                assert_true(to->dep_count < MOST_DEPS);
                to->deps[to->dep_count] = take_varint(&deps);
                assert_in_range(to->deps[to->dep_count], 0, id - 1);
            }
        else
            fail_msg("field %d of wire type %d", (int)(key >> 3), (int)(key & 7));
    }
    assert_int_equal(own, id);
    assert_int_equal(to->attributes, to->type == COMP ? 1 : 4);
}

static void read_rank(const char *directory, int32_t rank)
{
    static unsigned char room[1 << 20];
    char path[100];
    snprintf(path, sizeof path, "%s/plan.%d.et", directory, (int)rank);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct bytes bytes = {room, room + fread(room, 1, sizeof room, file)};
    fclose(file);
    unlink(path);
    take_bytes(&bytes); /* the metadata */
    for (int64_t id = 0; bytes.next < bytes.end; id++)
        take_node(take_bytes(&bytes), rank, id);
}

/* ---- A run ---- */

static bool may_end(const struct node *of, const struct node *first_of_rank)
{
    for (int i = 0; i < of->dep_count; i++)
        if (!first_of_rank[of->deps[i]].done)
            return false;
    for (int i = 0; i < nodes && of->type == RECV; i++)
        if (node[i].type == SEND && node[i].rank == of->peer && node[i].peer == of->rank &&
            node[i].tag == of->tag)
            return node[i].done && node[i].bytes == of->bytes;
    return of->type != RECV;
}

static bool run_ends(void)
{
    int left = nodes, before = nodes + 1;
    while (left > 0 && left < before) {
        before = left;
        for (int i = 0, first = 0; i < nodes; i++) {
            first = node[i].rank != node[first].rank ? i : first;
            if (!node[i].done && may_end(&node[i], &node[first])) {
                node[i].done = true;
                left--;
            }
        }
    }
    return left == 0;
}

static void check_plan(const struct rb_algorithm_info *algorithm, struct sim_overlap overlap)
{
    static struct messages expected, found;
    const int32_t p = fitting_ranks(algorithm, 8);
    const struct rb_plan_spec spec = {
        .collective = algorithm->collective, .algorithm = algorithm->name, .p = p, .n = 3};
    const struct rb_layout layout = {.bytes = INT64_C(100) * p * p, .element = 1};
    struct export_request export = {.layout = &layout, .overlap = overlap};
    struct rb_plan *plan;
    struct sup_error error;
    char directory[] = "/tmp/chakra-XXXXXX";
    assert_non_null(mkdtemp(directory));
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    export.plan = plan;
    assert_int_equal(export_write_chakra(&export, directory, &error), RB_OK);
    nodes = found.count = 0;
    for (int32_t r = 0; r < p; r++)
        read_rank(directory, r);
    assert_int_equal(rmdir(directory), 0);
    for (int i = 0; i < nodes; i++)
        if (node[i].type == SEND)
            add_message(&found,
                        (struct message){node[i].rank, node[i].peer, node[i].tag, node[i].bytes});
    messages_of_plan(plan, &layout, 1, &expected);
    if (!same_messages(&expected, &found) || !run_ends())
        fail_msg("%s %s: other messages, or a run that never ends", algorithm->collective,
                 algorithm->name);
    rb_plan_destroy(plan);
}

static void our_plans_come_back_with_their_messages(void **state)
{
    static const struct sim_overlap rules[] = {{SIM_BLOCKING, 1}, {SIM_WINDOW, 3}, {SIM_DATA, 1}};
    const struct rb_algorithm_info *algorithm;
    (void)state;
    for (int32_t a = 0; (algorithm = rb_algorithm_at(a)) != NULL; a++)
        check_plan(algorithm, rules[a % 3]);
}

/* In a ring each rank combines p - 1 times. */
static void reductions_are_computations(void **state)
{
    const struct rb_algorithm_info *algorithm;
    int computations = 0;
    (void)state;
    for (int32_t a = 0; (algorithm = rb_algorithm_at(a)) != NULL; a++)
        if (strcmp(algorithm->collective, "reduce-scatter") == 0 &&
            strcmp(algorithm->name, "ring") == 0)
            check_plan(algorithm, (struct sim_overlap){SIM_DATA, 1});
    for (int i = 0; i < nodes; i++)
        computations += node[i].type == COMP && node[i].dep_count == 1 && node[i - 1].type == RECV;
    assert_int_equal(computations, 8 * 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_plans_come_back_with_their_messages),
        cmocka_unit_test(reductions_are_computations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
