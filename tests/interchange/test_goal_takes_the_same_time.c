/* Plans for other simulators: a GOAL text, read back and timed by itself, takes as long as in the
 * engine. A message starts when everything that its two ends require is complete. With the argument
 * `long`, under each rule with each number of ranks. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interchange/export/export.h"
#include "tests/fitting.h"

enum { MOST_OPS = 20000, MOST_REQUIRED = 100 };

enum op_kind { SEND, RECV, CALC };
struct goal_op {
    int rank;
    enum op_kind kind;
    int peer;
    long bytes, tag;
    int required[MOST_REQUIRED]; /* operations */
    int required_count;
    int other;       /* end of the message */
    double complete; /* negative: not yet */
};

struct goal {
    struct goal_op *op;
    int count, ranks;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static void read_line(struct goal *goal, const char *line, int rank, int rank_first)
{
    struct goal_op op = {.rank = rank, .complete = -1};
    char word[8], way[8];
    int label, needed;
    if (sscanf(line, "l%d requires l%d", &label, &needed) == 2) {
        struct goal_op *of = &goal->op[rank_first + label - 1];
        assert_true(needed < label);
        assert_true(of->required_count < MOST_REQUIRED);
        of->required[of->required_count++] = rank_first + needed - 1;
        return;
    }
    if (sscanf(line, "l%d: %7s %ldb %7s %d tag %ld", &label, word, &op.bytes, way, &op.peer,
               &op.tag) == 6)
        op.kind = strcmp(word, "send") == 0 ? SEND : RECV;
    else if (sscanf(line, "l%d: calc 0", &label) == 1)
        op.kind = CALC;
    else
        fail_msg("what is '%s'?", line);
    assert_int_equal(rank_first + label - 1, goal->count);
    assert_true(goal->count < MOST_OPS);
    goal->op[goal->count++] = op;
}

static struct goal read_goal(FILE *stream)
{
    struct goal goal = {.op = calloc(MOST_OPS, sizeof *goal.op)};
    char line[200];
    int rank = -1, rank_first = 0;
    assert_int_equal(fscanf(stream, "num_ranks %d\n", &goal.ranks), 1);
    while (fgets(line, sizeof line, stream) != NULL) {
        if (line[0] == '\n' || line[0] == '}')
            continue;
        if (sscanf(line, "rank %d {", &rank) == 1)
            rank_first = goal.count;
        else
            read_line(&goal, line, rank, rank_first);
    }
    assert_int_equal(rank, goal.ranks - 1);
    return goal;
}

static void match(struct goal *goal)
{
    for (int i = 0; i < goal->count; i++) {
        struct goal_op *op = &goal->op[i];
        int matches = 0;
        for (int k = 0; k < goal->count && op->kind != CALC; k++) {
            const struct goal_op *other = &goal->op[k];
            if (other->kind == CALC || other->kind == op->kind || other->tag != op->tag ||
                other->peer != op->rank || other->rank != op->peer)
                continue;
            assert_int_equal(other->bytes, op->bytes);
            op->other = k;
            matches++;
        }
        assert_int_equal(matches, op->kind != CALC);
    }
}

/* ---- Timing ---------------------------------------------------------------------------------- */

/* When what it requires is complete; negative: not known yet. */
static double ready(const struct goal *goal, const struct goal_op *op)
{
    double latest = 0;
    for (int i = 0; i < op->required_count; i++) {
        const double complete = goal->op[op->required[i]].complete;
        if (complete < 0)
            return -1;
        latest = complete > latest ? complete : latest;
    }
    return latest;
}

static double time_of(struct goal *goal)
{
    double last = 0;
    int left = goal->count;
    while (left > 0) {
        const int before = left;
        for (int i = 0; i < goal->count; i++) {
            struct goal_op *op = &goal->op[i];
            double start = op->complete < 0 ? ready(goal, op) : -1;
            if (start < 0)
                continue;
            if (op->kind != CALC) {
                const double there = ready(goal, &goal->op[op->other]);
                if (there < 0)
                    continue;
                start = (there > start ? there : start) + 1e-6 + 8e-11 * (double)op->bytes;
                goal->op[op->other].complete = start;
                left--;
            }
            op->complete = start;
            left--;
            last = start > last ? start : last;
        }
        if (left == before)
            fail_msg("%d of %d operations wait for ever", left, goal->count);
    }
    return last;
}

static double exported_time(const struct export_request *export)
{
    FILE *stream = tmpfile();
    struct sup_error error;
    assert_non_null(stream);
    assert_int_equal(export_write_goal(export, stream, &error), RB_OK);
    rewind(stream);
    struct goal goal = read_goal(stream);
    fclose(stream);
    match(&goal);
    const double time_s = time_of(&goal);
    free(goal.op);
    return time_s;
}

static double simulated_time(const struct export_request *export)
{
    char crossbar[32];
    snprintf(crossbar, sizeof crossbar, "crossbar:%d", (int)rb_plan_ranks(export->plan));
    const struct sim_spec spec = {.plan = export->plan,
                                  .layout = export->layout,
                                  .platform = crossbar,
                                  .ppn = 1,
                                  .overlap = export->overlap,
                                  .variant = "signals"};
    struct sim_result result;
    struct sup_error error;
    if (sim_run(sim_engine_find("simgrid"), &spec, &result, &error) != RB_OK)
        fail_msg("%s", error.text);
    const double time_s = result.time_s;
    sim_result_free(&result);
    return time_s;
}

static bool thorough; /* the argument `long` */

static void goal_takes_the_time_of_the_engine(void **state)
{
    (void)state;
    static const int32_t ranks[] = {2, 5, 8, 11};
    static const struct sim_overlap rules[] = {
        {SIM_BLOCKING, 1}, {SIM_WINDOW, 2}, {SIM_WINDOW, 5}, {SIM_DATA, 1}};
    const struct rb_algorithm_info *algorithm;
    for (int32_t a = 0; (algorithm = rb_algorithm_at(a)) != NULL; a++)
        for (int i = 0; i < 4; i++) {
            const int32_t p = fitting_ranks(algorithm, ranks[i]);
            const struct rb_plan_spec request = {
                .collective = algorithm->collective, .algorithm = algorithm->name, .p = p, .n = 3};
            const struct rb_layout layout = {.bytes = INT64_C(2000) * p * p, .element = 1};
            struct export_request export = {.layout = &layout};
            struct rb_plan *plan;
            assert_int_equal(rb_plan_create(&request, &plan, NULL, 0), RB_OK);
            export.plan = plan;
            for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
                if (!thorough && (a + i) % 4 != (int)rule)
                    continue; /* SimGrid starts anew for each */
                export.overlap = rules[rule];
                const double exported = exported_time(&export), engine = simulated_time(&export);
                if (exported < engine * (1 - 1e-9) || exported > engine * (1 + 1e-9))
                    fail_msg("%s %s, p = %d, window %d: %.12g instead of %.12g",
                             algorithm->collective, algorithm->name, p, rules[rule].window,
                             exported, engine);
            }
            rb_plan_destroy(plan);
        }
}

int main(int argc, char *argv[])
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(goal_takes_the_time_of_the_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
