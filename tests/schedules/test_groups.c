/* Plans by groups of ranks that share a port: the groups themselves, hosts and leaders of every
 * collective for all kinds of groups, the verifier's count of messages per group, and the delays of
 * streams inside groups. With the argument `long`, more of the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "schedules/patterns/streams.h"
#include "schedules/plan/random.h"

static bool thorough;

/* ---- Groups ---------------------------------------------------------------------------------- */

static struct rb_plan *planned(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s %s p=%d groups %s: %s", spec->collective, spec->algorithm, (int)spec->p,
                 spec->groups, why);
    return plan;
}

static void sizes_make_groups(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t p, count, size, first[8];
        const char *kept;
    } known[] = {
        {NULL, 3, 3, 1, {0, 1, 2, 3}, ""},
        {"1", 3, 3, 1, {0, 1, 2, 3}, ""},
        {"1,1", 2, 2, 1, {0, 1, 2}, ""},
        {"4", 8, 2, 4, {0, 4, 8}, "4"},
        {"4,4", 9, 3, 4, {0, 4, 8, 9}, "4"},
        {"4", 3, 1, 4, {0, 3}, "4"},
        {"3,1,4", 8, 3, 0, {0, 3, 4, 8}, "3,1,4"},
        {"3,1,4", 5, 3, 0, {0, 3, 4, 5}, "3,1,4"},
        {"3,1", 12, 6, 0, {0, 3, 4, 7, 8, 11, 12}, "3,1"},
        {"2,9", 1, 1, 0, {0, 1}, "2,9"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct rb_plan_spec spec = {.collective = "bcast",
                                          .algorithm = "binomial",
                                          .p = known[i].p,
                                          .n = 1,
                                          .groups = known[i].text};
        struct rb_plan *plan = planned(&spec);
        const struct rb_groups *groups = rb_plan_groups(plan);
        assert_int_equal(groups->ranks, known[i].p);
        assert_int_equal(groups->count, known[i].count);
        assert_int_equal(groups->size, known[i].size);
        assert_string_equal(groups->text, known[i].kept);
        for (int32_t g = 0; g <= groups->count; g++)
            assert_int_equal(rb_group_first(groups, g), known[i].first[g]);
        for (int32_t g = 0; g < groups->count; g++)
            for (int32_t rank = known[i].first[g]; rank < known[i].first[g + 1]; rank++)
                assert_int_equal(rb_group_of(groups, rank), g);
        rb_plan_destroy(plan);
    }
}

/* Larger groups cut smaller ones off, and an order moves ranks. */
static void levels_and_orders_make_groups(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t p, levels, count[3], size[3];
    } known[] = {{"2/4", 10, 2, {5, 3}, {2, 4}},
                 {"2/3", 10, 2, {7, 4}, {0, 3}},
                 {"1/4", 8, 1, {2}, {4}},
                 {"2/1", 8, 1, {4}, {2}},
                 {"1/1", 3, 1, {3}, {1}},
                 {"2,1/3,4/8", 16, 3, {12, 6, 2}, {0, 0, 8}},
                 {"2/4,4@2,1,0,3", 4, 2, {2, 1}, {2, 4}},
                 {"2/20", 8, 2, {4, 1}, {2, 20}},
                 {"3/20", 8, 2, {3, 1}, {3, 20}},
                 {"2/4,2", 9, 2, {5, 3}, {2, 0}},
                 {"4/6,2", 16, 2, {6, 4}, {0, 0}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct rb_plan_spec spec = {.collective = "bcast",
                                          .algorithm = "hosts",
                                          .p = known[i].p,
                                          .n = 1,
                                          .groups = known[i].text};
        struct rb_plan *plan = planned(&spec);
        const struct rb_groups *groups = rb_plan_groups(plan);
        int32_t level = 0;
        assert_string_equal(groups->text, strcmp(known[i].text, "1") == 0 ? "" : known[i].text);
        for (const struct rb_groups *at = groups; at != NULL; at = at->above, level++) {
            if (at->count != known[i].count[level] || at->size != known[i].size[level])
                fail_msg("%s: level %d has %d groups of %d", known[i].text, (int)level,
                         (int)at->count, (int)at->size);
            for (int32_t g = 0; at->above != NULL && g < at->count; g++)
                assert_int_equal(rb_group_of(at->above, rb_group_first(at, g)),
                                 rb_group_of(at->above, rb_group_first(at, g + 1) - 1));
        }
        assert_int_equal(level, known[i].levels);
        for (int32_t rank = 0; rank < known[i].p; rank++)
            assert_int_equal(rb_groups_rank(groups, rb_groups_place(groups, rank)), rank);
        rb_plan_destroy(plan);
    }
}

static void wrong_orders_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"2@0,1,2", "2@0,1,2,2",   "2@0,1,2,4",
                                      "2@",      "2@0,1,2,3,0", "2@0,1,2,3,",
                                      "2@a",     "2@-1,0,1,2",  "2@00,1,2,3"};
    struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "hosts", .p = 4, .n = 1};
    struct rb_plan *plan;
    char why[256];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        spec.groups = bad[i];
        assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_EINVAL);
        assert_string_equal(why, "groups: behind the @ must be each of the 4 ranks once, in the "
                                 "order of their places, as in 2@0,2,1,3");
    }
    spec.groups = "2@0,2,1,3";
    spec.collective = "scan"; /* of which each rank has those of the ranks before it */
    spec.algorithm = "dissemination";
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
    assert_string_equal(why,
                        "scan dissemination keeps the ranks in order, without another behind @: "
                        "its results depend on it");
    assert_false(rb_plan_is_supported(&spec));
    spec.collective = "bcast";
    spec.algorithm = "fan"; /* of groups of consecutive ranks, which are renamed */
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_OK);
    rb_plan_destroy(plan);
    spec.algorithm = "binomial"; /* plans by no groups */
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_OK);
    rb_plan_destroy(plan);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"0",          "-1",
                                      "4,",         ",4",
                                      "4,,4",       "4;4",
                                      " 4",         "04",
                                      "host",       "3,0,4",
                                      "4 ",         "1.5",
                                      "+4",         "99999999999999999999",
                                      "1073741825", "/4",
                                      "4/",         "2//4",
                                      "2/0",        "@0",
                                      "2,/4",       "1/2/3/4/5/6/7/8/9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct rb_plan_spec spec = {
            .collective = "bcast", .algorithm = "hosts", .p = 8, .n = 1, .groups = bad[i]};
        struct rb_plan *plan;
        char why[256], expected[256];
        snprintf(expected, sizeof expected,
                 "groups must be sizes of at least one rank, such as 4 or 3,1,4, not \"%s\"",
                 bad[i]);
        assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_EINVAL);
        assert_null(plan);
        assert_string_equal(why, expected);
    }
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static const char *const collectives[] = {"bcast", "reduce", "allgather", "reduce-scatter",
                                          "allreduce"};
static const char *const algorithms[] = {"hosts", "turns", "leaders", "fan", "hosts-direct"};

static int64_t verified; /* plans */

static void verify(const struct rb_plan_spec *spec, const struct rb_counts *counts)
{
    struct rb_plan *plan = planned(spec);
    struct rb_verdict verdict;
    struct rb_layout layout = {.bytes = 4 * 7 * (int64_t)spec->p, .element = 4};
    int64_t *first = NULL;
    if (counts != NULL) {
        first = malloc(((size_t)spec->p + 1) * sizeof *first);
        rb_counts_deal(counts, spec->p, 1, layout.bytes / layout.element, first);
        layout.first = first;
    }
    if (rb_verify_plan(plan, counts == NULL ? NULL : &layout, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective %s --algorithm %s -p %d -n %d --root %d --groups "
                 "%s --radix %d: %s",
                 spec->collective, spec->algorithm, (int)spec->p, (int)spec->n, (int)spec->root,
                 spec->groups, (int)spec->radix, verdict.what);
    if (rb_plan_algorithm(plan)->one_per_port)
        assert_int_equal(verdict.group_messages, rb_plan_groups(plan)->count > 1);
    assert_int_equal(verdict.redundant, 0);
    int64_t stated;
    if (counts == NULL) {
        const struct rb_collective_info *collective = rb_collective_find(spec->collective);
        const bool parts_are_passed_on = collective->rooted && collective->distributed;
        assert_true(verdict.moves >= rb_bound_moves(plan));
        if (!parts_are_passed_on)
            assert_int_equal(verdict.moves, rb_bound_moves(plan));
        if (rb_plan_critical_volume(plan, &stated) == RB_OK)
            assert_int_equal(stated, verdict.critical_volume);
    }
    free(first);
    rb_plan_destroy(plan);
    verified++;
}

/* All collectives that have a root, or have none; with both algorithms. */
static void verify_all(bool rooted, struct rb_plan_spec *spec, const struct rb_counts *counts)
{
    for (size_t c = 0; c < sizeof collectives / sizeof collectives[0]; c++)
        for (size_t a = 0; a < sizeof algorithms / sizeof algorithms[0]; a++) {
            const struct rb_collective_info *collective = rb_collective_find(collectives[c]);
            if (rb_algorithm_find(collectives[c], algorithms[a]) == NULL)
                continue;
            if (collective->rooted != rooted || (counts != NULL && !collective->distributed))
                continue;
            spec->collective = collectives[c];
            spec->algorithm = algorithms[a];
            verify(spec, counts);
        }
}

static void groups_of_all_sizes(void **state)
{
    (void)state;
    static const int64_t blocks[] = {1, 2, 5, 13};
    const int32_t most = thorough ? 48 : 19;
    for (int32_t p = 1; p <= most; p++)
        for (int32_t size = 1; size <= p + 1; size++) {
            char text[16];
            snprintf(text, sizeof text, "%d", (int)size);
            for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
                struct rb_plan_spec spec = {.p = p, .n = blocks[b], .groups = text};
                for (spec.root = 0; spec.root < p; spec.root += thorough ? 1 : 1 + p / 5)
                    verify_all(true, &spec, NULL);
                spec.root = 0;
                if (b % 2 == 1 && (thorough || p <= 13))
                    verify_all(false, &spec, NULL);
            }
        }
}

/* A list of sizes, by a seed. */
static void random_sizes(uint64_t seed, char *text, size_t room, int32_t *p)
{
    uint64_t random = seed;
    const int32_t count = 2 + (int32_t)rb_random_below(&random, 9);
    const int32_t most = 1 + (int32_t)rb_random_below(&random, thorough ? 20 : 9);
    size_t length = 0;
    *p = 0;
    for (int32_t g = 0; g < count; g++) {
        const int32_t size = 1 + (int32_t)(rb_random_below(&random, (uint32_t)most));
        length +=
            (size_t)snprintf(text + length, room - length, "%s%d", g == 0 ? "" : ",", (int)size);
        *p += size;
    }
    *p -= (int32_t)rb_random_below(&random, 2); /* the last may be cut short */
}

static void groups_of_unequal_sizes(void **state)
{
    (void)state;
    const uint64_t lists = thorough ? 1000 : 120;
    for (uint64_t seed = 1; seed <= lists; seed++) {
        char text[128];
        int32_t p;
        random_sizes(seed, text, sizeof text, &p);
        struct rb_plan_spec spec = {.p = p, .n = 1 + (int64_t)(seed % 11), .groups = text};
        const int32_t step = thorough ? 1 : 1 + p / 4;
        uint64_t random = seed;
        for (spec.root = (int32_t)rb_random_below(&random, (uint32_t)step); spec.root < p;
             spec.root += step)
            verify_all(true, &spec, NULL);
        spec.root = 0;
        if (p <= 40 || thorough)
            verify_all(false, &spec, NULL);
    }
}

/* The tree for short messages: all radices. */
static void fans_of_all_radices(void **state)
{
    (void)state;
    static const char *const rooted[] = {"bcast", "reduce", "scatter", "gather"};
    static const char *const groups[] = {NULL, "2", "4", "3,1,4,1,5", "50"};
    for (int32_t p = 1; p <= (thorough ? 130 : 33); p += 1 + p / 12)
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            for (int32_t radix = 2; radix <= (p > 2 ? p : 2); radix++)
                for (size_t c = 0; c < sizeof rooted / sizeof rooted[0]; c++) {
                    const struct rb_plan_spec spec = {.collective = rooted[c],
                                                      .algorithm = "fan",
                                                      .p = p,
                                                      .root = p * 2 / 3,
                                                      .n = 2,
                                                      .radix = radix,
                                                      .groups = groups[g]};
                    verify(&spec, NULL);
                }
}

static int64_t rounds_of_fan(const char *collective, int32_t p, int32_t root, const char *groups)
{
    const struct rb_plan_spec spec = {.collective = collective,
                                      .algorithm = "fan",
                                      .p = p,
                                      .root = root,
                                      .n = 1,
                                      .groups = groups};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    const int64_t rounds = plan->rounds;
    rb_plan_destroy(plan);
    return rounds;
}

/* Without a radix, as few levels as the root's group can serve at once: of 32 groups of 32 all of a
 * scatter's, 5 + 1 + 5 rounds, in a broadcast 6, and by a group of one rank one after the other. */
static void fans_choose_a_radix(void **state)
{
    (void)state;
    assert_int_equal(rounds_of_fan("scatter", 1024, 40, "32"), 5 + 1 + 5);
    assert_int_equal(rounds_of_fan("gather", 1024, 0, "32"), 5 + 1 + 5);
    assert_int_equal(rounds_of_fan("bcast", 1024, 0, "32"), 3 * 5 + 2);
    assert_int_equal(rounds_of_fan("bcast", 41, 1, "1,8,8,8,8,8"), 2 * 3 + 5);
    assert_int_equal(rounds_of_fan("bcast", 41, 0, "1,8,8,8,8,8"), 4 * 3 + 3);
}

/* Rounds with D lanes for N groups of k ranks each, by the formula of docs/groups.md. */
static int64_t rounds_in_lanes(int32_t groups, int32_t k, int32_t lanes, int64_t n)
{
    int32_t q = 0, drain = 0, steps = 0;
    while ((1 << q) < groups)
        q++;
    for (int32_t of = 0; of < 2; of++) { /* the root's group, and others */
        const int32_t ranks = k - (of == 0), members = ranks < 2 * lanes ? ranks : lanes;
        int32_t exchange = 0;
        while ((1 << exchange) < members)
            exchange++;
        exchange = lanes > 2 && members == lanes + 1 ? lanes : exchange;
        steps = exchange > steps ? exchange : steps;
        if (members < ranks && 1 + rb_stream_delays(ranks - members + 1).drain > drain)
            drain = 1 + rb_stream_delays(ranks - members + 1).drain;
    }
    steps += drain > 0;
    return lanes + n + (int64_t)lanes * (q - 1) + (drain > steps ? drain : steps);
}

/* More than two ranks take turns at the port: all numbers of them, roots, sizes of groups. */
static void hosts_of_all_radices(void **state)
{
    (void)state;
    static const int64_t blocks[] = {1, 2, 7, 12, 19};
    const int32_t most = thorough ? 130 : 26;
    for (int32_t p = 1; p <= most; p += thorough || p < 10 ? 1 : 3)
        for (int32_t size = 1; size <= p + 1; size++)
            for (int32_t radix = 2; radix <= 8; radix += thorough || radix < 4 ? 1 : 2)
                for (int reduce = 0; reduce < 2; reduce++) {
                    char text[16];
                    snprintf(text, sizeof text, "%d", (int)size);
                    struct rb_plan_spec spec = {.collective = reduce ? "reduce" : "bcast",
                                                .algorithm = "hosts",
                                                .p = p,
                                                .n = blocks[(p + size + radix) % 5],
                                                .radix = radix <= p || radix == 2 ? radix : 2,
                                                .groups = text};
                    for (; spec.root < p; spec.root += thorough && p <= 40 ? 1 : 1 + p / 3)
                        verify(&spec, NULL);
                    const int32_t lanes = radix < size ? radix : size - 1;
                    if (lanes > 1 && radix == spec.radix && size < p && p % size == 0) {
                        spec.root = 0;
                        struct rb_plan *plan = planned(&spec);
                        assert_int_equal(rb_plan_rounds(plan),
                                         rounds_in_lanes(p / size, size, lanes, spec.n));
                        rb_plan_destroy(plan);
                    }
                }
    for (uint64_t seed = 1; seed <= (thorough ? 1000 : 40); seed++) {
        char text[128];
        struct rb_plan_spec spec = {.collective = seed % 2 == 0 ? "reduce" : "bcast",
                                    .algorithm = "hosts",
                                    .n = 1 + (int64_t)(seed % 17),
                                    .radix = 3 + (int32_t)(seed % 6),
                                    .groups = text};
        random_sizes(seed, text, sizeof text, &spec.p);
        if (spec.radix > spec.p)
            continue;
        for (; spec.root < spec.p; spec.root += thorough ? 1 : 1 + spec.p / 5)
            verify(&spec, NULL);
    }
}

/* Both phases inside, and a turn for as many other groups as the smallest has ranks. */
static void direct_rounds(void **state)
{
    (void)state;
    static const struct {
        int32_t p;
        const char *groups;
        int64_t inside, turns;
    } known[] = {{1, "1", 0, 0},    {7, "7", 3, 0},    {7, "1", 0, 6},     {12, "4", 2, 1},
                 {100, "32", 5, 1}, {100, "4", 2, 6},  {9, "3,1,5", 3, 2}, {64, "5", 3, 3},
                 {20, "2,8", 3, 2}, {1000, "32", 5, 4}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct rb_plan_spec spec = {.collective = "allgather",
                                    .algorithm = "hosts-direct",
                                    .p = known[i].p,
                                    .n = 1,
                                    .groups = known[i].groups};
        struct rb_plan *plan = planned(&spec);
        assert_int_equal(rb_plan_rounds(plan), 2 * known[i].inside + known[i].turns);
        rb_plan_destroy(plan);
        spec.collective = "allreduce";
        plan = planned(&spec);
        assert_int_equal(rb_plan_rounds(plan), 4 * known[i].inside + 2 * known[i].turns);
        rb_plan_destroy(plan);
    }
}

static void irregular_counts(void **state)
{
    (void)state;
    static const struct rb_counts counts[] = {{.rule = RB_COUNTS_MOD3, .seed = 0},
                                              {.rule = RB_COUNTS_DEGENERATE, .seed = 0},
                                              {.rule = RB_COUNTS_RANDOM, .seed = 1}};
    static const char *const groups[] = {"1", "2", "3", "4", "3,1,4,1,5,9,2,6"};
    for (int32_t p = 1; p <= (thorough ? 60 : 26); p += 1 + p / 6)
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                struct rb_plan_spec spec = {.p = p, .n = 1 + p % 3, .groups = groups[g]};
                verify_all(false, &spec, &counts[c]);
            }
    assert_true(verified > 10000);
}

/* Groups of one rank: as many rounds as the circulant schedule. */
static void alone_they_are_circulant(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof collectives / sizeof collectives[0]; c++)
        for (int32_t p = 1; p <= 40; p++) {
            struct rb_plan_spec spec = {
                .collective = collectives[c], .algorithm = "hosts", .p = p, .n = 3};
            struct rb_plan *hosts = planned(&spec);
            spec.algorithm = "circulant";
            struct rb_plan *circulant = planned(&spec);
            assert_int_equal(rb_plan_rounds(hosts), rb_plan_rounds(circulant));
            rb_plan_destroy(hosts);
            rb_plan_destroy(circulant);
        }
}

/* ---- The verifier ---------------------------------------------------------------------------- */

/* A flat schedule sends as many messages into a group as it has ranks; one that claims to plan by
 * groups and doesn't is found out. */
static void messages_of_groups_are_counted(void **state)
{
    (void)state;
    struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "circulant", .p = 24, .n = 9, .groups = "4"};
    struct rb_plan *plan = planned(&spec);
    struct rb_verdict verdict;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    assert_int_equal(verdict.group_messages, 4);
    rb_plan_destroy(plan);

    struct rb_algorithm liar = rb_bcast_circulant;
    liar.info.groups = liar.info.one_per_port = true;
    assert_int_equal(rb_plan_make(&rb_bcast, &liar, &spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_string_equal(
        verdict.what, "round 1: 2 messages go out of the group of ranks 0 to 3, which has 1 port");
    rb_plan_destroy(plan);

    /* Of larger groups, too, if it claims to know them. */
    spec = (struct rb_plan_spec){
        .collective = "allgather", .algorithm = "hosts", .p = 16, .n = 1, .groups = "2/8"};
    liar = rb_allgather_hosts;
    plan = planned(&spec);
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    assert_int_equal(verdict.group_messages, 4);
    rb_plan_destroy(plan);
    liar.info.places = true;
    assert_int_equal(rb_plan_make(&rb_allgather, &liar, &spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_string_equal(
        verdict.what, "round 3: 2 messages go out of the group of ranks 0 to 7, which has 1 port");
    rb_plan_destroy(plan);
}

/* ---- Delays ---------------------------------------------------------------------------------- */

/* D, F, E and G of docs/groups.md, of `leaders`, for groups as large as a power of two. */
static void delays_of_powers_of_two(void **state)
{
    (void)state;
    for (int32_t d = 2; d <= 12; d++) {
        const struct rb_stream_figures even = rb_stream_figures(1 << d, RB_LEADER);
        assert_int_equal(even.classes, d + 1);
        assert_int_equal(even.drain, d + 1);
        assert_int_equal(even.root.lead, d);
        assert_int_equal(even.root.drain, d);
    }
}

/* The root's group sends, and takes nothing in: however large it is, the delays of the streams are
 * those of the other groups. */
static void the_root_group_delays_no_others(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 8, 21};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int32_t k = sizes[s];
        char groups[64];
        snprintf(groups, sizeof groups, "%d,%d,100,%d,%d", (int)k, (int)k, (int)k, (int)k);
        const struct rb_plan_spec spec = {.collective = "reduce",
                                          .algorithm = "hosts",
                                          .p = 4 * k + 100,
                                          .root = 2 * k + 1,
                                          .n = 7,
                                          .groups = groups};
        struct rb_plan *plan = planned(&spec);
        assert_int_equal(rb_streams_of(plan)->drain, rb_stream_figures(k, RB_TURNS).drain);
        rb_plan_destroy(plan);
    }
}

/* Large groups beside small ones, where each size counts, and a group so large that its leader
 * needs a long distance of classes. */
static void large_groups(void **state)
{
    (void)state;
    static const char *const lists[] = {"2,71,3,100,2", "90,1,75,1", "3,80,5,3"};
    int32_t k = 2;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (int32_t root = 0; root < 90; root += 45) {
            struct rb_plan_spec spec = {.p = 160, .root = root, .n = 9, .groups = lists[i]};
            verify_all(true, &spec, NULL);
        }
    while (rb_stream_figures(k, RB_LEADER).classes < 12)
        k++;
    char size[16];
    snprintf(size, sizeof size, "%d", (int)k);
    struct rb_plan_spec spec = {
        .collective = "allgather", .algorithm = "leaders", .p = 3 * k, .n = 2, .groups = size};
    struct rb_plan *plan = planned(&spec);
    assert_in_range(rb_streams_of(plan)->classes, 12, 16);
    rb_plan_destroy(plan);
    verify(&spec, NULL);
}

/* The table of docs/groups.md, and what the page says of all k. */
static void the_page_has_their_table(void **state)
{
    (void)state;
    int32_t rows = 0;
    char line[256];
    FILE *page = fopen(ROUNDABOUT_SOURCE_DIR "/docs/groups.md", "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page) != NULL) {
        int32_t k, f, b, g, of_leaders_d, of_leaders_f, of_leaders_e, of_leaders_g;
        if (sscanf(line, "| %d | %d | %d | %d | %d | %d | %d | %d |", &k, &f, &b, &g, &of_leaders_d,
                   &of_leaders_f, &of_leaders_e, &of_leaders_g) != 8)
            continue;
        const struct rb_stream_figures hosts = rb_stream_figures(k, RB_TURNS);
        const struct rb_stream_figures leaders = rb_stream_figures(k, RB_LEADER);
        if (hosts.drain != f || hosts.back != b || hosts.root.drain != g ||
            leaders.classes != of_leaders_d || leaders.drain != of_leaders_f ||
            leaders.root.lead != of_leaders_e || leaders.root.drain != of_leaders_g)
            fail_msg("docs/groups.md is wrong for k = %d", (int)k);
        rows++;
    }
    fclose(page);
    assert_true(rows >= 30);
    for (int32_t k = 2; k <= (thorough ? 4096 : 600); k++) {
        const int32_t q = rb_ceil_log2(k + 1), inner = k > 2 ? rb_ceil_log2(k - 1) : 0;
        const struct rb_stream_figures hosts = rb_stream_figures(k, RB_TURNS);
        const struct rb_stream_figures leaders = rb_stream_figures(k, RB_LEADER);
        assert_int_equal(hosts.classes, 2);
        assert_in_range(hosts.back, 0, inner + 6);
        assert_in_range(hosts.drain, 1, inner == 0 ? 1 : 2 * inner);
        assert_int_equal(hosts.root.lead, 1);
        assert_in_range(hosts.root.drain, 0, 2 * inner + 2);
        assert_in_range(leaders.root.lead, 1, q + 2);
        assert_in_range(leaders.classes, q, q + 3);
        assert_in_range(leaders.drain, 1, 2 * q - 1);
        if (k < 3)
            continue;
        const struct rb_stream_figures deputy = rb_stream_figures(k, RB_DEPUTY);
        const struct rb_stream_delays of_others = rb_stream_delays(k - 2);
        int32_t back = 2; /* the least whose age a last node does not lack */
        while (of_others.missing >> (back - 2) & 1)
            back += 2;
        assert_int_equal(deputy.classes, 2);
        assert_int_equal(deputy.back, back);
        assert_int_equal(deputy.drain, of_others.drain + 2 > back ? of_others.drain + 2 : back);
    }
}

int main(int argc, char **argv)
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_make_groups),
        cmocka_unit_test(levels_and_orders_make_groups),
        cmocka_unit_test(wrong_orders_are_refused),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(groups_of_all_sizes),
        cmocka_unit_test(groups_of_unequal_sizes),
        cmocka_unit_test(fans_of_all_radices),
        cmocka_unit_test(fans_choose_a_radix),
        cmocka_unit_test(hosts_of_all_radices),
        cmocka_unit_test(direct_rounds),
        cmocka_unit_test(irregular_counts),
        cmocka_unit_test(alone_they_are_circulant),
        cmocka_unit_test(messages_of_groups_are_counted),
        cmocka_unit_test(delays_of_powers_of_two),
        cmocka_unit_test(the_root_group_delays_no_others),
        cmocka_unit_test(large_groups),
        cmocka_unit_test(the_page_has_their_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
