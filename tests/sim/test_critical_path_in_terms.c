/* test_critical_path_in_terms.c - critical paths as terms: sums that are known by hand, and those
 * of measurements. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "sim/path/path.h"

static double host_byte_s = 1;

/* Latency 1000 s, overhead 1 s, and for bytes 1 s, so that the longest path is plain. */
static double plain_cost(const void *context, enum path_kind kind, double bytes)
{
    (void)context;
    (void)bytes;
    if (kind == PATH_HOST_BYTES)
        return host_byte_s;
    return kind == PATH_LATENCY || kind == PATH_HOST_LATENCY ? 1000 : 1;
}

struct sums {
    double of[PATH_KINDS];
};

static struct sums sums_of(const char *collective, const char *algorithm, int32_t p, int64_t n,
                           struct path_setting setting)
{
    const struct rb_plan_spec spec = {
        .collective = collective, .algorithm = algorithm, .p = p, .n = n};
    struct rb_plan *plan;
    struct path_plan *list;
    struct path_room room = {0};
    struct path path = {0};
    struct sums sums = {{0}};
    struct sup_error error = {0};
    char why[300];
    double time_s = 0;
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_OK);
    assert_int_equal(path_plan_create(plan, &list, &error), RB_OK);
    path_find(list, &setting, plain_cost, NULL, &room, &path);
    for (int32_t i = 0; i < path.count; i++) {
        sums.of[path.term[i].kind] += path.term[i].weight;
        time_s += path.term[i].weight * plain_cost(NULL, path.term[i].kind, 0);
    }
    assert_true(fabs(time_s - path.time_s) <= 1e-4 * path.time_s);
    path_free(&path);
    path_room_free(&room);
    path_plan_destroy(list);
    rb_plan_destroy(plan);
    return sums;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-5 * fabs(expected) + 1e-9)
        fail_msg("%.9g instead of %.9g", value, expected);
}

static const struct path_setting small = {
    .style = PATH_IN_ROUNDS, .ppn = 1, .m_bytes = 4096, .rendezvous_bytes = 1e9};
static const struct path_setting large = {
    .style = PATH_IN_ROUNDS, .ppn = 1, .m_bytes = 4096, .rendezvous_bytes = 0};

static struct path_setting with(struct path_setting setting, enum path_style style, int32_t ppn)
{
    setting.style = style;
    setting.ppn = ppn;
    return setting;
}

static void rounds_of_a_tree_add_up(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 64; p *= 2) {
        const double q = log2(p);
        const struct sums sums = sums_of("bcast", "binomial", p, 1, large);
        assert_near(sums.of[PATH_LATENCY], q);
        assert_near(sums.of[PATH_BYTES], q * 4096);
        assert_near(sums.of[PATH_COMBINED], 0);
        const struct sums reduce = sums_of("reduce", "binomial", p, 1, large);
        assert_near(reduce.of[PATH_BYTES], q * 4096);
        assert_near(reduce.of[PATH_COMBINED], q * 4096);
    }
}

/* On 32 nodes of MareNostrum 5 Open MPI's binomial broadcast of 64 MiB took 15 times, that by a
 * binary tree 9 times and that by a k-nomial tree of radix 4 16 times as long as one message
 * (40.65, 24.41 and 43.35 ms against 2.71 ms): it sends to all children at once. */
static void messages_to_children_share_the_port(void **state)
{
    (void)state;
    const struct path_setting together = with(large, PATH_BATCHES, 1);
    assert_near(sums_of("bcast", "binomial", 32, 1, together).of[PATH_BYTES], 15 * 4096);
    assert_near(sums_of("bcast", "binary", 32, 1, together).of[PATH_BYTES], 9 * 4096);
    assert_near(sums_of("bcast", "knomial", 32, 1, together).of[PATH_BYTES], 16 * 4096);
    assert_near(sums_of("bcast", "binomial", 32, 1, together).of[PATH_LATENCY], 5);
    /* 13.57 ms, 5: four levels of two halves each, one of one half, and the exchange of halves. */
    const struct sums split = sums_of("bcast", "split-binary", 32, 1, together);
    assert_near(split.of[PATH_BYTES] + split.of[PATH_EXCHANGED], 5 * 4096);
}

static void exchanges_are_told_from_other_messages(void **state)
{
    (void)state;
    const struct sums doubling = sums_of("allgather", "recursive-doubling", 16, 1, large);
    assert_near(doubling.of[PATH_EXCHANGED], 4096 * 15 / 16.0);
    assert_near(doubling.of[PATH_BYTES], 0);
    const struct sums ring = sums_of("allgather", "ring", 16, 1, large);
    assert_near(ring.of[PATH_BYTES], 4096 * 15 / 16.0);
    assert_near(ring.of[PATH_EXCHANGED], 0);
    assert_near(ring.of[PATH_LATENCY], 15);
    const struct sums reduced = sums_of("allreduce", "ring", 16, 1, large);
    assert_near(reduced.of[PATH_LATENCY], 30);
    assert_near(reduced.of[PATH_COMBINED], 4096 * 15 / 16.0);
}

static void pipelines_overlap(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 8; n++) {
        const struct sums sums = sums_of("bcast", "chain", 5, n, large);
        assert_near(sums.of[PATH_LATENCY], (double)n - 1 + 4);
        assert_near(sums.of[PATH_BYTES], 4096.0 / (double)n * ((double)n - 1 + 4));
    }
}

static void posted_messages_wait_for_nothing(void **state)
{
    (void)state;
    const struct path_setting posted = with(small, PATH_POSTED, 1);
    const struct sums gather = sums_of("gather", "flat", 9, 1, posted);
    assert_near(gather.of[PATH_LATENCY], 1);
    assert_near(gather.of[PATH_OVERHEAD], 8);
    assert_near(gather.of[PATH_BYTES], 4096 * 8 / 9.0);
    const struct sums all = sums_of("alltoall", "pairwise", 9, 1, posted);
    assert_near(all.of[PATH_OVERHEAD], 8);
    assert_near(all.of[PATH_BYTES], 4096 * 8 / 81.0);
}

/* Open MPI's gather linear_sync on 32 nodes took 111 us for 256 bytes, 31 round trips of 3.6 us. */
static void messages_that_are_asked_for_take_round_trips(void **state)
{
    (void)state;
    struct path_setting asked = small;
    asked.asked = true;
    assert_near(sums_of("gather", "flat", 9, 1, small).of[PATH_LATENCY], 1);
    assert_near(sums_of("gather", "flat", 9, 1, asked).of[PATH_LATENCY], 16);
}

static void ranks_of_a_host_share_its_port(void **state)
{
    (void)state;
    /* Pairwise exchange at distance 4 leaves hosts of 4 with 4 messages at a time. */
    const struct sums alone = sums_of("allgather", "recursive-doubling", 16, 1, large);
    const struct sums shared =
        sums_of("allgather", "recursive-doubling", 16, 1, with(large, PATH_IN_ROUNDS, 4));
    assert_near(alone.of[PATH_EXCHANGED], 4096 * 15 / 16.0);
    assert_near(shared.of[PATH_HOST_BYTES], 4096 * 3 / 16.0);
    assert_near(shared.of[PATH_EXCHANGED], 4 * 4096 * 12 / 16.0);
    assert_near(shared.of[PATH_HOST_LATENCY], 2);
    assert_near(shared.of[PATH_LATENCY], 2);
    /* At distances 1, 2 and 4 in hosts of 4 one, two and four messages leave a host. Those that
     * stay inside share nothing with them. */
    host_byte_s = 100;
    const struct sums inside =
        sums_of("allgather", "dissemination", 8, 1, with(large, PATH_IN_ROUNDS, 4));
    host_byte_s = 1;
    assert_near(inside.of[PATH_HOST_BYTES], 4096 * 3 / 8.0);
}

/* On a ring of 8 the messages at distances 1, 2 and 4 share links with 0, 1 and 3 others. */
static void messages_share_links_of_a_torus(void **state)
{
    (void)state;
    struct path_setting ring = large;
    ring.extent[0] = 8;
    ring.extent[1] = ring.extent[2] = 1;
    assert_near(sums_of("allgather", "recursive-doubling", 8, 1, ring).of[PATH_EXCHANGED],
                4096 * (1 + 2 * 2 + 4 * 4) / 8.0);
    assert_near(sums_of("allgather", "ring", 8, 1, ring).of[PATH_BYTES], 4096 * 7 / 8.0);
    /* On a cube every message has a link of its own. */
    ring.extent[0] = ring.extent[1] = ring.extent[2] = 2;
    assert_near(sums_of("allgather", "recursive-doubling", 8, 1, ring).of[PATH_EXCHANGED],
                4096 * 7 / 8.0);
    /* All to all on a ring: each direction of a link carries 10 of 64 messages, ties going up. */
    struct path_setting posted = ring;
    posted.extent[0] = 8;
    posted.extent[1] = posted.extent[2] = 1;
    posted.style = PATH_POSTED;
    assert_near(sums_of("alltoall", "pairwise", 8, 1, posted).of[PATH_BYTES], 4096 * 10 / 64.0);
}

static void pieces_are_packed_or_sent_alone(void **state)
{
    (void)state;
    struct path_setting setting = large;
    assert_near(sums_of("allgather", "ring", 8, 1, setting).of[PATH_PACKED],
                0); /* one block each */
    const struct sums packed = sums_of("alltoall", "bruck", 8, 1, setting);
    assert_true(packed.of[PATH_PACKED] > 0);
    setting.by_block = true;
    const struct sums alone = sums_of("alltoall", "bruck", 8, 1, setting);
    assert_near(alone.of[PATH_PACKED], 0);
    assert_true(alone.of[PATH_OVERHEAD] > packed.of[PATH_OVERHEAD]);
    setting.by_block = false;
    setting.packs = true;
    assert_near(sums_of("bcast", "binomial", 8, 1, setting).of[PATH_PACKED], 3 * 4096);
}

/* Some rounds stand for all where all ranks send; in a chain's rounds one rank does, and each
 * waits for the one before. */
static void some_rounds_stand_for_all(void **state)
{
    (void)state;
    const struct path_setting setting = {.style = PATH_IN_ROUNDS, .ppn = 1, .m_bytes = 1024};
    const struct path_setting posted = {.style = PATH_POSTED, .ppn = 1, .m_bytes = 1024};
    struct sums sums = sums_of("allgather", "ring", 1024, 1, setting);
    assert_near(sums.of[PATH_LATENCY], 1023);
    assert_near(sums.of[PATH_BYTES], 1023);
    sums = sums_of("bcast", "chain", 1024, 1, setting);
    assert_near(sums.of[PATH_LATENCY], 1023);
    sums = sums_of("alltoall", "pairwise", 1024, 1, posted);
    assert_true(sums.of[PATH_LATENCY] < 3);
    assert_true(sums.of[PATH_OVERHEAD] > 1000 && sums.of[PATH_OVERHEAD] < 1100);
}

static void long_plans_are_refused_before_they_are_listed(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "binomial", .p = 1 << 30, .n = 1};
    struct rb_plan *plan;
    struct path_plan *list = NULL;
    struct sup_error error = {0};
    char why[300];
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_OK);
    assert_int_equal(path_plan_create(plan, &list, &error), RB_ENOTSUP);
    assert_null(list);
    assert_non_null(strstr(error.text, "too long"));
    rb_plan_destroy(plan);
}

static void one_rank_has_no_path(void **state)
{
    (void)state;
    for (int style = 0; style < PATH_STYLES; style++) {
        const struct sums sums =
            sums_of("bcast", "binomial", 1, 1, with(small, (enum path_style)style, 1));
        for (int kind = 0; kind < PATH_KINDS; kind++)
            assert_near(sums.of[kind], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_of_a_tree_add_up),
        cmocka_unit_test(messages_to_children_share_the_port),
        cmocka_unit_test(exchanges_are_told_from_other_messages),
        cmocka_unit_test(pipelines_overlap),
        cmocka_unit_test(posted_messages_wait_for_nothing),
        cmocka_unit_test(messages_that_are_asked_for_take_round_trips),
        cmocka_unit_test(ranks_of_a_host_share_its_port),
        cmocka_unit_test(messages_share_links_of_a_torus),
        cmocka_unit_test(pieces_are_packed_or_sent_alone),
        cmocka_unit_test(some_rounds_stand_for_all),
        cmocka_unit_test(long_plans_are_refused_before_they_are_listed),
        cmocka_unit_test(one_rank_has_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
