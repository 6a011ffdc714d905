/* The algorithm, n and window of a call: by the rules of the header's table, and by settings, which
 * are refused unless every part is valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/choice/choice.h"

static void check(const char *collective, int64_t bytes, bool ordered, bool irregular,
                  const char *algorithm, int64_t n)
{
    const struct choice_setting by_rule = {0};
    const struct choice_situation situation = {.collective = collective,
                                               .p = 16,
                                               .bytes = bytes,
                                               .ordered = ordered,
                                               .irregular = irregular};
    const struct choice_result choice = choice_make(&by_rule, &situation);
    assert_string_equal(choice.algorithm->name, algorithm);
    assert_string_equal(choice.algorithm->collective, collective);
    assert_int_equal(choice.plan.n, n);
    assert_int_equal(choice.width, CHOICE_DEFAULT_WINDOW);
}

/* 16 ranks: q = 4. 78,400,000 bytes are 19,600,000 elements of 4: sqrt(4 * that) = 8854.4, which is
 * 126.5 times 70 and 221.4 times 40; 256 / 70 = 3.66. All rounded. */
static void the_rules_are_those_documented(void **state)
{
    (void)state;
    const int64_t large = 78400000, small = 65535;
    check("bcast", small, false, false, "binomial", 1);
    check("bcast", 65536, false, false, "circulant", 4);
    check("bcast", large, false, false, "circulant", 126);
    check("reduce", small, false, false, "binomial", 1);
    check("reduce", small, true, false, "binomial", 1);
    check("reduce", large, false, false, "circulant", 126);
    check("reduce", large, true, false, "chain", 126);
    check("allgather", small, false, true, "dissemination", 1);
    check("allgather", large, false, false, "circulant", 1);
    check("allgather", large, false, true, "circulant", 221);
    check("reduce-scatter", small, false, false, "dissemination", 1);
    check("reduce-scatter", large, false, false, "circulant", 1);
    check("reduce-scatter", large, false, true, "circulant", 221);
    check("allreduce", small, false, false, "recursive-doubling", 1);
    check("allreduce", large, false, false, "circulant", 1);
    check("allreduce", large, true, false, "recursive-doubling", 1);
    check("scatter", 16 * 65536 - 1, false, false, "binomial", 1);
    check("scatter", 16 * 65536, false, false, "flat", 1);
    check("gather", small, false, false, "binomial", 1);
    check("gather", large, false, false, "flat", 1);
    check("alltoall", 16 * 16 * 256 - 1, false, false, "bruck", 1);
    check("alltoall", 16 * 16 * 256, false, false, "pairwise", 1);
    check("alltoall", 0, false, true, "pairwise", 1);
}

/* 16 ranks, start-ups worth 19600 bytes. 26,000 bytes: 4 * 45600 = 182,400 by dissemination, 6 *
 * 19600 + 2.5 * 26000 = 182,600 by fours. 1,600,000 bytes: n = sqrt(14 * 400000) / 70 = 33.8, so 48
 * * (19600 + 1600000 / 34) = 3,199,624 by chain, 4,117,600 by fours; 600,000: n = 20.7, and 35 *
 * (19600 + 600000 / 21) = 1,686,000 by chain, 1,617,600 by fours. */
static void scans_take_the_fastest(void **state)
{
    (void)state;
    check("scan", 26000, false, false, "dissemination", 1);
    check("scan", 26200, true, false, "halving-dissemination", 1);
    check("exscan", 26000, true, false, "two-phase", 1);
    check("exscan", 600000, false, false, "halving-dissemination", 1);
    check("scan", 1600000, true, false, "chain", 34);
    check("scan", 78400000, false, false, "chain", 237); /* sqrt(14 * 19600000) / 70 */
}

/* 24 ranks on hosts of 4. Where ranks share hosts, rules plan by them, unless the operator doesn't
 * commute; n is that of the closed form, sqrt(m/4 A)/70 for n + A rounds. */
static void hosts_are_planned_by(void **state)
{
    (void)state;
    static const struct {
        const char *collective;
        int64_t bytes;
        bool ordered;
        const char *alone, *grouped;
    } known[] = {
        {"bcast", 4096, false, "binomial", "fan"},
        {"bcast", 4097, false, "binomial", "binomial"},
        {"bcast", 65535, false, "binomial", "binomial"},
        {"bcast", 65536, false, "circulant", "two-leaders"},
        {"reduce", 8, false, "binomial", "fan"},
        {"reduce", 78400000, false, "circulant", "hosts"},
        {"reduce", 8, true, "binomial", "binomial"},
        {"reduce", 78400000, true, "chain", "chain"},
        {"allgather", 8, false, "dissemination", "exchange"}, /* more hosts than ranks on one */
        {"allgather", 524287, false, "circulant", "exchange"},
        {"allgather", 524288, false, "circulant", "hosts"},
        {"reduce-scatter", 65535, true, "dissemination", "dissemination"},
        {"allreduce", 8191, false, "recursive-doubling", "recursive-doubling"},
        {"allreduce", 8192, false, "recursive-doubling", "exchange"},
        {"allreduce", 262143, false, "circulant", "exchange"},
        {"allreduce", 262144, false, "circulant", "hosts"},
        {"reduce-scatter", 78400000, false, "circulant", "hosts"},
        {"reduce-scatter", 78400000, true, "circulant", "circulant"},
        {"allreduce", 78400000, false, "circulant", "hosts"},
        {"allreduce", 78400000, true, "recursive-doubling", "recursive-doubling"},
        {"alltoall", 65535, false, "bruck", "bruck"},
        {"alltoall", 65536, false, "bruck", "hosts"},
        {"alltoall", 24 * 24 * 8192 - 1, false, "pairwise", "hosts"},
        {"alltoall", 24 * 24 * 8192, false, "pairwise", "pairwise"},
        {"scatter", 32768, false, "binomial", "fan"},
        {"scatter", 32769, false, "binomial", "binomial"},
        {"gather", 8, false, "binomial", "fan"},
        {"scatter", 24 * 8192 - 1, false, "binomial", "binomial"},
        {"scatter", 24 * 8192, false, "binomial", "binomial"},
        {"gather", 78400000, false, "flat", "flat"},
        {"scan", 8, false, "dissemination", "halving-dissemination"},
        {"scan", 300000, true, "halving", "hosts"},
        {"exscan", 78400000, false, "chain", "chain"},
        {"scan", 900000, false, "halving", "hosts"},
        {"scan", 1000000, false, "halving", "chain"}, /* 56 (19600 + 29412) < 6 * 19600 + 8/3 m */
    };
    struct choice_groups fours = {.sizes = "4", .count = 6}, single = {.sizes = "", .count = 24},
                         whole = {.sizes = "24", .count = 1};
    const struct choice_setting by_rule = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct choice_situation situation = {.collective = known[i].collective,
                                             .p = 24,
                                             .bytes = known[i].bytes,
                                             .ordered = known[i].ordered};
        const bool differ = strcmp(known[i].alone, known[i].grouped) != 0;
        assert_true(!differ || choice_needs_groups(NULL, &situation));
        struct choice_groups *groups[] = {NULL, &single, &whole, &fours};
        for (int g = 0; g < 4; g++) {
            situation.groups = groups[g];
            const struct choice_result choice = choice_make(&by_rule, &situation);
            assert_int_equal(choice.status, RB_OK);
            assert_string_equal(choice.algorithm->name, g < 3 ? known[i].alone : known[i].grouped);
        }
    }
    /* Three hosts of 8: each has a rank for each other host. */
    struct choice_groups eights = {.sizes = "8", .count = 3};
    const struct choice_situation direct = {
        .collective = "reduce-scatter", .p = 24, .bytes = 65535, .groups = &eights};
    assert_string_equal(choice_make(&by_rule, &direct).algorithm->name, "hosts-direct");
    assert_true(choice_needs_groups(
        NULL, &(struct choice_situation){.collective = "allgather", .p = 24, .bytes = 65535}));
    /* Hosts of 12 leave the exchange earlier. */
    struct choice_groups dozens = {.sizes = "12", .count = 2};
    const struct choice_situation crowded = {
        .collective = "allgather", .p = 24, .bytes = 65536, .groups = &dozens};
    assert_string_equal(choice_make(&by_rule, &crowded).algorithm->name, "hosts");
}

/* 24 ranks, six on each leaf switch, on hosts of three or of one: rules plan by both levels where
 * an algorithm can, for hosts of one rank, too. */
static void leaves_are_planned_by(void **state)
{
    (void)state;
    static const struct {
        const char *collective;
        int64_t bytes;
        const char *threes, *ones;
    } known[] = {
        {"bcast", 4096, "fan", "binomial"},
        {"bcast", 65536, "hosts", "hosts"},
        {"reduce", 65536, "hosts", "turns"},
        {"allgather", 8, "exchange", "exchange"},
        {"allgather", 78400000, "exchange", "exchange"},
        {"reduce-scatter", 78400000, "exchange", "exchange"},
        {"allreduce", 8, "recursive-doubling", "recursive-doubling"},
        {"allreduce", 78400000, "exchange", "exchange"},
        {"alltoall", 65536, "hosts", "bruck"},
        {"scan", 8, "halving-dissemination", "dissemination"},
    };
    struct choice_groups threes = {.sizes = "3", .levels = "3/6", .count = 8},
                         ones = {.sizes = "1", .levels = "1/6", .count = 24, .lanes = 1};
    struct choice_groups *groups[] = {&threes, &ones};
    const struct choice_setting by_rule = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int g = 0; g < 2; g++) {
            const struct choice_situation situation = {.collective = known[i].collective,
                                                       .p = 24,
                                                       .bytes = known[i].bytes,
                                                       .groups = groups[g]};
            const struct choice_result choice = choice_make(&by_rule, &situation);
            assert_string_equal(choice.algorithm->name, g == 0 ? known[i].threes : known[i].ones);
            if (choice.algorithm->groups)
                assert_string_equal(choice_groups_for(choice.algorithm, groups[g]),
                                    choice.algorithm->places ? groups[g]->levels
                                                             : groups[g]->sizes);
        }
    assert_true(choice_suits(&ones, rb_algorithm_find("bcast", "hosts")));
    assert_false(choice_suits(&ones, rb_algorithm_find("bcast", "fan")));
}

/* Where each rank has a port of its own, rules plan by hosts for that: spread below 64 KiB, rails
 * from there on. A host of one rank leaves one lane, and nothing is shared: as without hosts. */
static void ports_of_their_own_are_used(void **state)
{
    (void)state;
    static const struct {
        const char *collective;
        int64_t bytes;
        bool ordered;
        const char *alone, *grouped;
    } known[] = {
        {"bcast", 8, false, "binomial", "spread"},
        {"bcast", 65535, false, "binomial", "spread"},
        {"bcast", 65536, false, "circulant", "rails"},
        {"reduce", 65535, false, "binomial", "spread"},
        {"reduce", 78400000, false, "circulant", "rails"},
        {"reduce", 78400000, true, "chain", "chain"},
        {"allgather", 65535, false, "dissemination", "dissemination"},
        {"allgather", 78400000, false, "circulant", "rails"},
        {"reduce-scatter", 78400000, false, "circulant", "rails"},
        {"allreduce", 65535, false, "recursive-doubling", "recursive-doubling"},
        {"allreduce", 65536, false, "circulant", "rails"},
        {"allreduce", 78400000, true, "recursive-doubling", "recursive-doubling"},
        {"alltoall", 78400000, false, "pairwise", "pairwise"},
    };
    struct choice_groups own = {.sizes = "4", .count = 6, .lanes = 4},
                         single = {.sizes = "7,1", .count = 6, .lanes = 1},
                         whole = {.sizes = "24", .count = 1, .lanes = 24};
    struct choice_groups *groups[] = {&single, &whole, &own};
    const struct choice_setting by_rule = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int g = 0; g < 3; g++) {
            struct choice_situation situation = {.collective = known[i].collective,
                                                 .p = 24,
                                                 .bytes = known[i].bytes,
                                                 .ordered = known[i].ordered};
            if (strcmp(known[i].alone, known[i].grouped) != 0)
                assert_true(choice_needs_groups(NULL, &situation));
            situation.groups = groups[g];
            const struct choice_result choice = choice_make(&by_rule, &situation);
            const char *expected = g < 2 ? known[i].alone : known[i].grouped;
            assert_int_equal(choice.status, RB_OK);
            assert_string_equal(choice.algorithm->name, expected);
            assert_int_equal(choice.plan.ports, choice.algorithm->own_nic ? 24 : 1);
        }
}

/* Trials take the candidates for the ports that there are. */
static void candidates_suit_the_ports(void **state)
{
    (void)state;
    const struct choice_groups own = {.lanes = 2}, shared = {.lanes = 0};
    const struct {
        const char *name;
        bool own, shared;
    } known[] = {{"rails", true, false},
                 {"spread", true, false},
                 {"hosts", false, true},
                 {"fan", false, true},
                 {"circulant", true, true}};
    for (int i = 0; i < 5; i++) {
        const struct rb_algorithm_info *algorithm = rb_algorithm_find("bcast", known[i].name);
        assert_true(choice_suits(&own, algorithm) == known[i].own);
        assert_true(choice_suits(&shared, algorithm) == known[i].shared);
    }
}

/* Without n in the setting it is the best one of the core's closed form, for start-ups that take as
 * long as 4 * 70^2 bytes; it is found once for an algorithm and groups. */
static void blocks_of_hosts_are_those_of_the_closed_form(void **state)
{
    (void)state;
    static const char *const collectives[] = {"bcast", "reduce", "allgather", "reduce-scatter",
                                              "allreduce"};
    char why[300];
    struct choice_setting setting;
    struct choice_groups fours = {.sizes = "4", .count = 6};
    for (int c = 0; c < 5; c++) {
        struct choice_groups unequal = {.sizes = "3,1,5", .count = 8};
        struct choice_groups *groups[] = {&fours, &unequal};
        for (int g = 0; g < 4; g++) { /* and again */
            struct choice_groups *here = groups[g % 2];
            const struct choice_situation situation = {
                .collective = collectives[c], .p = 24, .bytes = 78400000, .groups = here};
            const struct rb_plan_spec spec = {
                .collective = collectives[c], .algorithm = "hosts", .p = 24, .groups = here->sizes};
            int64_t n;
            assert_int_equal(choice_setting_parse(collectives[c], "hosts", &setting, why, 300),
                             RB_OK);
            assert_true(choice_needs_groups(&setting, &situation));
            assert_int_equal(rb_best_n(&spec, situation.bytes, 4.0 * 70 * 70, 1, &n), RB_OK);
            assert_true(n > 100);
            assert_in_range(choice_make(&setting, &situation).plan.n, n - 1, n + 1);
            assert_int_equal(here->known, here == &fours ? c + 1 : 1);
        }
    }
    /* Given, or by another formula: as for any other algorithm. */
    const struct choice_situation situation = {
        .collective = "bcast", .p = 24, .bytes = 78400000, .groups = &fours};
    assert_int_equal(choice_setting_parse("bcast", "hosts:n=3", &setting, why, 300), RB_OK);
    assert_int_equal(choice_make(&setting, &situation).plan.n, 3);
    assert_int_equal(choice_setting_parse("bcast", "hosts:n=F:50", &setting, why, 300), RB_OK);
    assert_int_equal(choice_make(&setting, &situation).plan.n, 198); /* sqrt(5 * 19600000) / 50 */
}

static void plans_exist_for_what_rules_choose(void **state)
{
    (void)state;
    static const char *const collectives[] = {"bcast",     "scatter",        "gather",
                                              "allgather", "reduce-scatter", "reduce",
                                              "allreduce", "scan",           "exscan"};
    for (int c = 0; c < 9; c++)
        for (int32_t p = 1; p < 40; p++)
            for (int64_t bytes = 0; bytes < INT64_MAX / 1024; bytes = bytes * 1000 + 1) {
                const struct choice_setting by_rule = {0};
                struct choice_groups twos = {.sizes = "2", .count = (p + 1) / 2};
                const struct choice_situation situation = {.collective = collectives[c],
                                                           .p = p,
                                                           .groups = p % 4 < 2 ? &twos : NULL,
                                                           .bytes = bytes,
                                                           .ordered = p % 2 == 1 && c > 4,
                                                           .irregular = p % 3 == 1};
                const struct choice_result choice = choice_make(&by_rule, &situation);
                const struct rb_plan_spec spec = {.collective = collectives[c],
                                                  .algorithm = choice.algorithm->name,
                                                  .p = p,
                                                  .n = choice.plan.n,
                                                  .groups = p % 4 < 2 ? twos.sizes : NULL,
                                                  .ordered = situation.ordered};
                struct rb_plan *plan;
                assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
                rb_plan_destroy(plan);
            }
}

static void settings_say_what_rules_would(void **state)
{
    (void)state;
    char why[300];
    struct choice_setting setting;
    const struct choice_situation situation = {.collective = "bcast", .p = 16, .bytes = 78400000};

    assert_int_equal(choice_setting_parse("bcast", "circulant:n=16,window=7", &setting, why, 300),
                     RB_OK);
    struct choice_result choice = choice_make(&setting, &situation);
    assert_string_equal(choice.algorithm->name, "circulant");
    assert_int_equal(choice.plan.n, 16);
    assert_int_equal(choice.width, 7);

    assert_int_equal(choice_setting_parse("bcast", "chain:window=1", &setting, why, 300), RB_OK);
    choice = choice_make(&setting, &situation);
    assert_string_equal(choice.algorithm->name, "chain");
    assert_int_equal(choice.plan.n, 126); /* by rule */
    assert_int_equal(choice.width, 1);

    assert_int_equal(choice_setting_parse("bcast", "flat", &setting, why, 300), RB_OK);
    choice = choice_make(&setting, &situation);
    assert_string_equal(choice.algorithm->name, "flat");
    assert_int_equal(choice.plan.n, 1);

    /* 8854.4 / 50 = 177.1 */
    assert_int_equal(choice_setting_parse("bcast", "circulant:window=2,n=F:50", &setting, why, 300),
                     RB_OK);
    choice = choice_make(&setting, &situation);
    assert_int_equal(choice.plan.n, 177);
    assert_int_equal(choice.width, 2);

    assert_int_equal(choice_setting_parse("alltoall", "bruck:r=8,window=1", &setting, why, 300),
                     RB_OK);
    choice = choice_make(&setting, &(struct choice_situation){.collective = "alltoall", .p = 16});
    assert_string_equal(choice.algorithm->name, "bruck");
    assert_int_equal(choice.plan.radix, 8);
    assert_int_equal(choice.width, 1);

    assert_int_equal(choice_setting_parse("bcast", "native", &setting, why, 300), RB_OK);
    assert_null(choice_make(&setting, &situation).algorithm);
}

static void refuse(const char *collective, const char *text, const char *culprit)
{
    char why[300] = "";
    struct choice_setting setting;
    assert_int_equal(choice_setting_parse(collective, text, &setting, why, sizeof why), RB_EINVAL);
    if (strstr(why, culprit) == NULL)
        fail_msg("'%s' does not name '%s'", why, culprit);
    assert_null(strchr(why, '\n'));
}

static void wrong_settings_are_named(void **state)
{
    (void)state;
    refuse("bcast", "", "there is no algorithm ''");
    refuse("bcast", "circulent", "'circulent' for bcast");
    refuse("bcast", "dissemination", "'dissemination' for bcast");
    refuse("bcast", "circulant:", "not ''");
    refuse("bcast", "circulant:n=", "circulant:n=");
    refuse("bcast", "circulant:n=0", "0");
    refuse("bcast", "circulant:n=-1", "-1");
    refuse("bcast", "circulant:n=3x", "3x");
    refuse("bcast", "circulant:n=3,", "not ''");
    refuse("bcast", "circulant:n=3,,window=2", "not ''");
    refuse("bcast", "circulant:n=3;window=2", "3;window=2");
    refuse("bcast", "circulant:n=F:", "\"\"");
    refuse("bcast", "circulant:n=F:x", "\"x\"");
    refuse("bcast", "circulant:n=F:0", "'F:0'");
    refuse("bcast", "circulant:n=F:-3", "-3");
    refuse("bcast", "circulant:n=F:3,n=4", "'n=4': this option is given twice");
    refuse("bcast", "native:n=4", "'native:n=4'");
    refuse("bcast", "circulant:window=0", "0");
    refuse("bcast", "circulant:window=1025", "1025");
    refuse("bcast", "circulant:blocks=3", "'blocks=3'");
    refuse("bcast", "circulant:n=3,n=4", "'n=4': this option is given twice");
    refuse("bcast", "circulant:window=3,n=4,window=3", "'window=3': this option is given twice");
    refuse("bcast", " circulant", "' circulant'");
    refuse("bcast", "circulant:r=4", "circulant has no radix: leave out 'r=4'");
    refuse("alltoall", "bruck:r=1", "1");
    refuse("alltoall", "bruck:r=2,r=4", "'r=4': this option is given twice");
    char text[CHOICE_SETTING + 1];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    refuse("bcast", text, "characters");
}

/* A collective that choice.c says nothing of has its algorithms in the registry's order. */
static void a_collective_without_rules_has_its_first_algorithm(void **state)
{
    (void)state;
    const struct choice_situation situation = {.collective = "shift", .p = 16, .bytes = 1 << 20};
    const char *text = NULL;
    check("shift", 1 << 20, false, false, "direct", 1);
    const struct choice_setting *second = choice_candidate(&situation, 1, &text);
    assert_non_null(second);
    assert_string_equal(text, "ring");
    assert_ptr_equal(second->algorithm, rb_algorithm_find("shift", "ring"));
    const struct choice_situation unknown = {.collective = "none", .p = 16};
    assert_null(choice_candidate(&unknown, 0, NULL));
    assert_null(choice_make(&(struct choice_setting){0}, &unknown).algorithm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rules_are_those_documented),
        cmocka_unit_test(scans_take_the_fastest),
        cmocka_unit_test(hosts_are_planned_by),
        cmocka_unit_test(leaves_are_planned_by),
        cmocka_unit_test(ports_of_their_own_are_used),
        cmocka_unit_test(candidates_suit_the_ports),
        cmocka_unit_test(blocks_of_hosts_are_those_of_the_closed_form),
        cmocka_unit_test(plans_exist_for_what_rules_choose),
        cmocka_unit_test(a_collective_without_rules_has_its_first_algorithm),
        cmocka_unit_test(settings_say_what_rules_would),
        cmocka_unit_test(wrong_settings_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
