/* test_workload_file.c - workload files: what they mean, and what is said of mistakes. With the
 * option
 * --print: the tables of docs/workloads.md. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/workload/workload_file.h"
#include "support/memory.h"

static const char file_name[] = "test_workload.yaml", times_name[] = "test_workload_times.csv",
                  late_name[] = "test_workload_late.csv";

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int read_text(const char *text, struct sim_workload *workload, struct sup_error *error)
{
    write_file(file_name, text);
    const int status = workload_read(file_name, workload, error);
    unlink(file_name);
    return status;
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

/* A job of 64 ranks with these keys and this program. */
static char *job_of(const char *keys, const char *program)
{
    return sup_format("jobs:\n"
                      "  - name: solver\n"
                      "    ranks: 64\n"
                      "    %s\n"
                      "    program:\n"
                      "%s",
                      keys, program);
}

static const char sets[] =
    "communicators: {rows: {grid: [8, 8], along: 1}, tail: {lists: [0..7, 8..13]}}";

static const struct mistake {
    const char *keys, *program; /* of a job; NULL: the text is a whole file */
    const char *message;        /* after the file's name and ":" */
} mistakes[] = {
    /* steps */
    {"", "      - {bcast: {bytes: 1}, reduce: {bytes: 1}}\n",
     "6:29: a step has one kind, not bcast and reduce"},
    {"", "      - {only: 3}\n",
     "6:9: a step has one of compute, wait, repeat, and the collectives, such as bcast"},
    {"", "      - {bcst: {bytes: 1}}\n", "6:10: bcst: no such key; did you mean bcast?"},
    {"", "      - {start: panels, bcast: {bytes: 1}}\n      - wait: panel\n",
     "7:15: wait: nothing is started under 'panel' before; did you mean panels?"},
    {"", "      - wait: panels\n      - {start: panels, bcast: {bytes: 1}}\n",
     "6:15: wait: nothing is started under 'panels' before"},
    {"", "      - {start: panels, bcast: {bytes: 1}}\n", "6:17: panels: no step waits for it"},
    {"", "      - repeat: 100\n        do: {start: panels, compute: 1us}\n      - wait: panels\n",
     "7:21: panels: 100 in flight at once, at most 64"},
    {"",
     "      - repeat: 40\n        do: [{start: a, compute: 1us}, {queue: b, compute: 1us}]\n"
     "      - wait: [a, b]\n",
     "7:48: b: 80 in flight at once with those of other names, at most 64"},
    {"",
     "      - repeat: 2\n        do: [&a {repeat: 40, do: {start: a, compute: 1us}}, wait: a, *a]\n"
     "      - wait: a\n",
     "7:42: a: 80 in flight at once, at most 64"},
    {"", "      - {start: a, queue: b, compute: 1us}\n",
     "6:27: queue: a step has one of start and queue"},
    {"", "      - {start: a, wait: a}\n",
     "6:17: wait: only computing and collectives can be started"},
    {"", "      - {repeat: 2, wait: a}\n", "6:21: a step has one kind, not repeat and wait"},
    {"", "      - {repeat: 2}\n", "6:9: repeat: what is repeated stands under the key do"},
    {"", "      - {compute: 1us, do: []}\n", "6:28: do: repeat is missing: how often"},
    {"", "      - {repeat: 2, do: []}\n", "6:25: do: a list of steps is required here"},
    {"", "      - {repeat: 1e18, do: [{compute: 1us}]}\n",
     "6:29: a rank would do more than 1000000000 steps up to this one"},
    {"repetitions: 1e18", "      - compute: 1us\n",
     "6:9: a rank would do more than 1000000000 steps up to this one"},
    {"", "      - {only: 60..70, compute: 1us}\n",
     "6:16: only: \"70\" is not a whole number from 0 to 63"},
    {"", "      - compute: 1us\n      - arrival: 1us\n",
     "7:18: arrival: is the first step of a program, and not repeated"},
    /* computing */
    {"", "      - compute: 100\n", "6:18: compute: \"100\" has no unit: write 100us or 100ms, say"},
    {"", "      - compute: {normal: [1us]}\n", "6:27: normal: takes a list of two values"},
    {"", "      - compute: {uniform: [2us, 1us]}\n",
     "6:34: uniform: the second time is below the first"},
    {"", "      - compute: {pareto: [2us, 1]}\n", "6:33: pareto: the exponent is a number above 1"},
    {"", "      - compute: {uniform: [1us, 2us], constant: 1us}\n",
     "6:28: computing has one kind, not constant and uniform"},
    {"", "      - compute: {late: {ranks: 65, by: 1us}}\n",
     "6:33: ranks: \"65\" is not a whole number from 0 to 64"},
    {"", "      - compute: {late: {ranks: 3}}\n", "6:25: late: by is missing: how late they are"},
    {"", "      - compute: {}\n", "6:18: compute: a time, or a distribution, is required here"},
    /* communicators */
    {sets, "      - bcast: {in: row, bytes: 1}\n",
     "6:21: in: no communicator 'row'; did you mean rows?"},
    {"communicators: {rows: {grid: [8, 9], along: 1}}", "      - compute: 1us\n",
     "4:34: rows: grid 8 x 9 has 72 places, the job 64 ranks"},
    {"communicators: {rows: {grid: [8, 8]}}", "      - compute: 1us\n",
     "4:27: rows: along is missing: the dimensions of its communicators"},
    {"communicators: {pairs: {lists: [[1, 3], [2, 3]]}}", "      - compute: 1us\n",
     "4:45: pairs: rank 3 is in two of them"},
    {"communicators: {pairs: {lists: [[1, 3], []]}}", "      - compute: 1us\n",
     "4:45: pairs: a communicator of no ranks"},
    {"communicators: {pairs: {lists: [[1, 64]]}}", "      - compute: 1us\n",
     "4:41: pairs: \"64\" is not a whole number from 0 to 63"},
    {"communicators: {world: {blocks: 8}}", "      - compute: 1us\n",
     "4:21: world: is there already: all ranks"},
    {"communicators: {a: {blocks: 8, every: 8}}", "      - compute: 1us\n",
     "4:43: a: a set has one of grid, blocks, every, lists and file"},
    {"communicators: {a: {blocks: 0}}", "      - compute: 1us\n",
     "4:33: a: \"0\" is not a whole number from 1 to 64"},
    /* collectives */
    {sets, "      - bcast: {in: rows, bytes: 1, root: 9}\n",
     "6:43: root: 9: communicators of rows have 8 ranks"},
    {sets, "      - bcast: {in: tail, bytes: 1, root: 6}\n",
     "6:43: root: 6: communicators of tail have down to 6 ranks"},
    {sets, "      - allreduce: {in: tail, bytes: 1, algorithm: swing}\n",
     "6:52: algorithm: swing needs p = 2^d, and one of tail has 6 ranks"},
    {"", "      - bcast: {bytes: 1, algorithm: circulent}\n",
     "6:38: algorithm: unknown \"circulent\" for bcast: did you mean circulant?"},
    {"", "      - bcast: {bytes: 1, algorithm: 'native:ompj'}\n", "6:38: algorithm: "},
    {"", "      - bcast: {bytes: 1, algorithm: 'rules:none.conf'}\n",
     "6:38: algorithm: none.conf: No such file or directory"},
    {"", "      - bcast: {bytes: 1, algorithm: 'native:ompi', blocks: 3}\n",
     "6:61: blocks: the library chooses them"},
    {"", "      - bcast: {root: 1}\n", "6:16: bytes: the key is missing"},
    {"", "      - bcast: {bytes: 5, element-bytes: 4}\n",
     "6:24: bytes: 5 is not a multiple of element-bytes, 4"},
    {"", "      - allgather: {bytes: 5, root: 1}\n", "6:37: root: allgather has none"},
    {"", "      - bcast: {bytes: 5, root: steps}\n",
     "6:33: root: \"steps\" is not a rank, step, or step+1, say"},
    {"", "      - bcast: {bytes: 5, root: step1}\n",
     "6:33: root: \"step1\" is not a rank, step, or step+1, say"},
    {"", "      - bcast: {bytes: 5, counts: mod3}\n", "6:35: counts: "},
    {"", "      - bcast: 1MiB\n", "6:16: lines 'key: value' are required here"},
    /* point to point */
    {"", "      - halo: {grid: [8, 9], bytes: 1}\n",
     "6:22: grid: 72 places, and one of world has 64 ranks"},
    {"", "      - halo: {grid: [8, 8]}\n", "6:15: bytes: the key is missing"},
    {"", "      - halo: {grid: [8, 8], bytes: 1, periodic: maybe}\n",
     "6:50: periodic: \"maybe\" is not no or yes"},
    {sets, "      - halo: {in: rowz, grid: [2, 4], bytes: 1}\n",
     "6:20: in: no communicator 'rowz'; did you mean rows?"},
    {"", "      - pairs: {bytes: 1, grid: [8, 8]}\n", "6:33: grid: is a key of halo"},
    {"", "      - pairs: {bytes: 1, distance: 0}\n",
     "6:37: distance: \"0\" is not a whole number from 1 to 64"},
    {"", "      - matrix: {bytes: 1}\n", "6:25: bytes: the matrix has them"},
    /* jobs */
    {"until: others", "      - compute: 1us\n", "4:12: until: others, but every job is"},
    {"until: end", "      - compute: 1us\n", "4:12: until: \"end\" is not others"},
    {"until: others\n    repetitions: 2", "      - compute: 1us\n",
     "5:18: repetitions: the job repeats its program until others end"},
    {"progress: always", "      - compute: 1us\n",
     "4:15: progress: \"always\" is not thread, calls or waits"},
    {"placement: search:1", "      - compute: 1us\n",
     "4:16: placement: a search is for one plan, not for a workload"},
    {"hosts: 0..30", "      - compute: 1us\n", "4:12: hosts: 31 of them, and 64 ranks need 64"},
    {"jobs: {ranks: 1e9, program: [{compute: 1us}]}", NULL,
     "1:15: ranks: the jobs together have more than 16777216"},
    {"jobs: {ranks: 8}", NULL, "1:7: program: the key is missing"},
    {"jobs: {program: []}", NULL, "1:7: ranks: the key is missing"},
    {"alocation: interleaved\njobs: []", NULL,
     "1:1: alocation: no such key; did you mean allocation?"},
    {"allocation: nearby\njobs: []", NULL,
     "1:13: allocation: \"nearby\" is not consecutive, interleaved or random:SEED"},
    {"seed: 1", NULL, "1:1: jobs: the key is missing"},
    {"- 1", NULL, "1:1: lines 'key: value' are required here"},
    {"jobs:\n- {name: a, ranks: 2, hosts: 0..1, program: [{compute: 1s}]}\n"
     "- {name: b, ranks: 2, hosts: 1..2, program: [{compute: 1s}]}",
     NULL, "3:30: hosts: host 1 is also a's"},
    {"jobs:\n- {name: a, ranks: 2, program: [{compute: 1s}]}\n"
     "- {name: a, ranks: 2, program: [{compute: 1s}]}",
     NULL, "3:10: name: a is another job's"},
};

static void mistakes_are_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const struct mistake *mistake = &mistakes[i];
        struct sim_workload workload;
        struct sup_error error = {0};
        char *text = mistake->program == NULL ? sup_strdup(mistake->keys)
                                              : job_of(mistake->keys, mistake->program);
        char *wanted = sup_format("%s:%s", file_name, mistake->message);
        const int status = read_text(text, &workload, &error);
        sim_workload_free(&workload);
        if (wanted[strlen(wanted) - 1] == ' ' && strlen(error.text) > strlen(wanted))
            error.text[strlen(wanted)] = '\0'; /* the rest is another part's */
        assert_string_equal(error.text, wanted);
        assert_int_equal(status, RB_EINVAL);
        free(wanted);
        free(text);
    }
}

/* Of files of ranks, the position is theirs. */
static void mistakes_in_files_are_said(void **state)
{
    static const struct {
        const char *lines, *message;
    } cases[] = {
        {"0,1us\n64,1us\n", "2: rank 64 of 64"},
        {"rank,time\n0,1us\n0,2us\n", "3: rank 0 is given twice"},
        {"0,1us\n1\n", "2: RANK,VALUE is required here"},
        {"0,1us\nx,1us\n", "2: \"x\" is not a whole number of at least 0"},
        {"0,fast\n", "1: \"fast\" is not a time: write a number and ns, us, ms or s, such as 1us"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_workload workload;
        struct sup_error error = {0};
        char *text = job_of("", "      - compute: {file: test_workload_times.csv}\n");
        char *wanted = sup_format("%s:%s", times_name, cases[i].message);
        write_file(times_name, cases[i].lines);
        assert_int_equal(read_text(text, &workload, &error), RB_EINVAL);
        assert_string_equal(error.text, wanted);
        sim_workload_free(&workload);
        free(wanted);
        free(text);
    }
    unlink(times_name);
}

/* ---- Examples -------------------------------------------------------------------------------- */

static void examples_are_read(void **state)
{
    static const char *const names[] = {"two-jobs", "summa", "training", "skew"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sim_workload workload;
        struct sup_error error = {0};
        char *path = sup_format("%s/examples/workloads/%s.yaml", ROUNDABOUT_SOURCE_DIR, names[i]);
        if (workload_read(path, &workload, &error) != RB_OK)
            fail_msg("%s", error.text);
        sim_workload_free(&workload);
        free(path);
    }
}

/* ---- What a file means ----------------------------------------------------------------------- */

static const char everything[] =
    "allocation: random:5\n"
    "seed: 7\n"
    "jobs:\n"
    "  - {name: background, ranks: 4, ppn: 2, until: others, hosts: [8, 3..4], program: [{compute: "
    "1ms}]}\n"
    "  - ranks: 12\n"
    "    start: 3ms\n"
    "    repetitions: 2\n"
    "    progress: calls\n"
    "    placement: cyclic\n"
    "    communicators:\n"
    "      faces: {grid: [2, 3, 2], along: [0, 2]}\n"
    "      blocks: {blocks: 5}\n"
    "      every: {every: 5}\n"
    "      lists: {lists: [[7, 2], 3..5]}\n"
    "      split: {file: test_workload_times.csv}\n"
    "    program:\n"
    "      - compute: {ramp: [1us, 3us]}\n"
    "      - {start: a, only: 0..5, MPI_Bcast: {in: lists, bytes: 1KiB, root: step+1, algorithm: "
    "chain, blocks: 4}}\n"
    "      - {queue: b, compute: {file: test_workload_late.csv}}\n"
    "      - repeat: 3\n"
    "        do:\n"
    "          - {queue: b, allreduce: {bytes: 1MiB, algorithm: best}}\n"
    "          - wait: a\n"
    "          - {start: a, compute: {pareto: [1us, 2.5]}}\n"
    "      - wait: [b, a]\n";

static void read_everything(struct sim_workload *workload)
{
    struct sup_error error;
    write_file(times_name, "rank,colour\n0,9\n3,2\n5,9\n");
    write_file(late_name, "# RANK,TIME\n11,2us\n");
    if (read_text(everything, workload, &error) != RB_OK)
        fail_msg("%s", error.text);
    unlink(times_name);
    unlink(late_name);
}

static void all_keys_are_meant(void **state)
{
    struct sim_workload workload;
    (void)state;
    read_everything(&workload);
    assert_int_equal(workload.jobs, 2);
    assert_int_equal(workload.allocation, SIM_SCATTERED);
    assert_int_equal(workload.seed, 5);
    const struct sim_job *job = &workload.job[0];
    assert_string_equal(job->name, "background");
    assert_true(job->until_others && !job->calls && job->ppn == 2 && job->hosts == 3);
    assert_int_equal(job->host[0] * 100 + job->host[1] * 10 + job->host[2], 834);
    assert_int_equal(job->streams, 1);
    job = &workload.job[1];
    assert_string_equal(job->name, "job 2");
    assert_true(job->calls && !job->until_others && job->placement.rule == SIM_CYCLIC);
    assert_true(job->start_s == 3e-3 && job->host == NULL && job->hosts == 12);
    static const struct {
        const char *name;
        enum sim_step_kind kind;
        int32_t label;
        uint64_t after;
        int32_t end;
    } steps[] = {{"repetitions", SIM_REPEAT, -1, 0, 9}, {"compute", SIM_COMPUTE, -1, 0, 0},
                 {"bcast in lists", SIM_MOVE, 0, 0, 0}, {"compute", SIM_COMPUTE, 1, 2, 0},
                 {"repeat 3", SIM_REPEAT, -1, 0, 8},    {"allreduce", SIM_MOVE, 1, 2, 0},
                 {"wait a", SIM_NOTHING, -1, 1, 0},     {"compute", SIM_COMPUTE, 0, 0, 0},
                 {"wait b, a", SIM_NOTHING, -1, 3, 0}};
    assert_int_equal(job->steps, sizeof steps / sizeof *steps);
    for (int32_t i = 0; i < job->steps; i++) {
        assert_string_equal(job->step[i].name, steps[i].name);
        assert_int_equal(job->step[i].kind, steps[i].kind);
        assert_int_equal(job->step[i].label, steps[i].label);
        assert_int_equal(job->step[i].after, steps[i].after);
        assert_int_equal(job->step[i].end, steps[i].end);
    }
    assert_int_equal(job->step[0].times, 2);
    assert_int_equal(job->step[2].line, 18);
    assert_true(job->step[2].only[5] && !job->step[2].only[6] && job->step[1].only == NULL);
    assert_int_equal(job->streams, 1 + 1 + 4); /* a once, b once and three times */
    assert_true(job->step[1].compute.kind == SIM_RAMP && job->step[1].compute.b == 3e-6);
    assert_int_equal(job->step[1].compute.seed, 7);
    assert_true(job->step[3].compute.value[11] == 2e-6 && job->step[3].compute.value[0] == 0);
    assert_true(job->step[7].compute.kind == SIM_PARETO && job->step[7].compute.b == 2.5);
    sim_workload_free(&workload);
}

/* Of each set: the members of all communicators, with a bar before each. */
static void communicators_have_their_ranks(void **state)
{
    static const char *const wanted[] = {"|0 1 2 3 4 5 6 7 8 9 10 11",
                                         "|0 1 6 7|2 3 8 9|4 5 10 11",
                                         "|0 1 2 3 4|5 6 7 8 9|10 11",
                                         "|0 5 10|1 6 11|2 7|3 8|4 9",
                                         "|7 2|3 4 5",
                                         "|3|0 5"};
    struct sim_workload workload;
    (void)state;
    read_everything(&workload);
    const struct sim_job *job = &workload.job[1];
    assert_int_equal(job->sets, sizeof wanted / sizeof *wanted);
    for (int32_t s = 0; s < job->sets; s++) {
        const struct sim_communicators *set = &job->set[s];
        char text[200] = "";
        for (int32_t c = 0; c < set->count; c++) {
            assert_true(sim_communicator_size(set, c) > 0);
            for (int32_t i = set->first[c]; i < set->first[c + 1]; i++) {
                char more[16];
                snprintf(more, sizeof more, "%s%" PRId32, i == set->first[c] ? "|" : " ",
                         set->member[i]);
                strcat(text, more);
                assert_int_equal(set->of[set->member[i]], c);
                assert_int_equal(set->rank_in[set->member[i]], i - set->first[c]);
            }
        }
        assert_string_equal(text, wanted[s]);
        for (int32_t r = 0; r < job->ranks; r++)
            assert_true(set->of[r] < 0 ||
                        set->member[set->first[set->of[r]] + set->rank_in[r]] == r);
    }
    assert_int_equal(job->set[4].of[0], -1);
    sim_workload_free(&workload);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static const struct point_known_platform platform = {
    .text = "crossbar:16", .hosts = 16, .alpha_s = 1e-6, .beta_s_per_byte = 8e-11};

static struct sim_step_plan plan_of(const struct sim_workload *workload, int32_t job, int32_t step,
                                    int32_t communicator, int64_t counter)
{
    struct sim_step_plan plan;
    struct sup_error error;
    if (workload->plan_of(workload->context, job, step, communicator, counter, &plan, &error) !=
        RB_OK)
        fail_msg("%s", error.text);
    return plan;
}

static void steps_have_plans(void **state)
{
    struct sim_workload workload;
    struct sup_error error;
    int64_t n;
    (void)state;
    read_everything(&workload);
    if (workload_settle(&workload, &platform, &error) != RB_OK)
        fail_msg("%s", error.text);
    struct sim_step_plan plan = plan_of(&workload, 1, 2, 1, 4); /* root: 4 + 1 of 3 ranks */
    assert_int_equal(rb_plan_ranks(plan.plan), 3);
    assert_int_equal(rb_plan_root(plan.plan), 2);
    assert_int_equal(rb_plan_n(plan.plan), 4);
    assert_int_equal(plan.layout->bytes, 1024);
    assert_ptr_equal(plan.plan, plan_of(&workload, 1, 2, 1, 7).plan);
    assert_ptr_not_equal(plan.plan, plan_of(&workload, 1, 2, 1, 5).plan);
    /* The best algorithm with its best n takes no longer than any other. */
    plan = plan_of(&workload, 1, 5, 0, 0);
    double best_s, time_s;
    const struct rb_algorithm_info *info;
    assert_int_equal(rb_plan_cost(plan.plan, plan.layout, 1e-6, 8e-11, &best_s), RB_OK);
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++) {
        struct rb_plan_spec spec = {
            .collective = "allreduce", .algorithm = info->name, .p = 12, .n = 1};
        struct rb_plan *other = NULL;
        if (strcmp(info->collective, "allreduce") != 0 || !rb_plan_is_supported(&spec))
            continue;
        assert_int_equal(rb_best_n(&spec, 1 << 20, 1e-6, 8e-11, &n), RB_OK);
        spec.n = info->pipelined ? n : 1;
        if (rb_plan_create(&spec, &other, NULL, 0) == RB_OK &&
            rb_plan_cost(other, plan.layout, 1e-6, 8e-11, &time_s) == RB_OK)
            assert_true(best_s <= time_s);
        rb_plan_destroy(other);
    }
    sim_workload_free(&workload);
}

/* Of Open MPI's rules: chains for large broadcasts, with segments of 8 KiB. What a library takes is
 * what mpilib_choose says, for as many ranks per host as there are. */
static void libraries_choose(void **state)
{
    static const struct {
        const char *algorithm;
        int64_t n;
        const char *groups;
    } wanted[] = {{"chain", 128, ""}, {"binomial", 1, ""}, {NULL, 0, "4"}, {"hosts", 4, "4"}};
    struct sim_workload workload;
    struct sup_error error;
    struct mpilib_choice choice;
    const struct mpilib_call call = {
        .collective = "bcast", .p = 12, .ppn = 4, .bytes = 1 << 20, .element = 4};
    (void)state;
    assert_int_equal(mpilib_choose("mvapich2", &call, &choice, &error), RB_OK);
    write_file(late_name, "1\n7\n1\n2\n2\n0 6 0 0\n65536 3 0 8192\n");
    if (read_text("jobs:\n"
                  "  ranks: 12\n"
                  "  ppn: 4\n"
                  "  program:\n"
                  "    - bcast: {bytes: 1MiB, algorithm: 'rules:test_workload_late.csv'}\n"
                  "    - bcast: {bytes: 1KiB, algorithm: 'rules:test_workload_late.csv'}\n"
                  "    - bcast: {bytes: 1MiB, element-bytes: 4, algorithm: 'native:MVAPICH2'}\n"
                  "    - bcast: {bytes: 1MiB, algorithm: hosts, groups: host, blocks: 4}\n"
                  "    - allgather: {bytes: 1200, counts: mod3, algorithm: ring}\n"
                  "    - shift: {bytes: 12, instance: q=5}\n",
                  &workload, &error) != RB_OK ||
        workload_settle(&workload, &platform, &error) != RB_OK)
        fail_msg("%s", error.text);
    for (int32_t i = 0; i < 4; i++) {
        const struct rb_plan_spec spec = rb_plan_spec_of(plan_of(&workload, 0, i, 0, 0).plan);
        const bool native = wanted[i].algorithm == NULL;
        assert_string_equal(spec.algorithm, native ? choice.algorithm : wanted[i].algorithm);
        assert_int_equal(spec.n, native ? choice.n : wanted[i].n);
        assert_string_equal(spec.groups, wanted[i].groups);
    }
    const int64_t *first = plan_of(&workload, 0, 4, 0, 0).layout->first;
    assert_true(first[1] == 0 && first[2] == 100 && first[3] == 300 && first[12] == 1200);
    assert_string_equal(rb_plan_instance(plan_of(&workload, 0, 5, 0, 0).plan), "q=5");
    sim_workload_free(&workload);
    unlink(late_name);
}

/* n is the best for the route between the job's own first hosts, here on a torus, neighbours
 * and far apart. */
static void blocks_are_for_the_jobs_hosts(void **state)
{
    static const char *const hosts[] = {"0..7", "[0, 36, 1..6]"};
    const struct point_known_platform torus = {
        .text = "torus:8x8", .hosts = 64, .alpha_s = 1, .beta_s_per_byte = 1};
    struct sup_error error;
    double alpha_s[2], beta[2];
    int64_t n;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sim_workload workload;
        char *text =
            sup_format("jobs: {ranks: 8, hosts: %s, program: [{bcast: {bytes: 1MiB}}]}", hosts[i]);
        if (read_text(text, &workload, &error) != RB_OK ||
            workload_settle(&workload, &torus, &error) != RB_OK)
            fail_msg("%s", error.text);
        workload_costs(&workload, 0, &alpha_s[i], &beta[i]);
        const struct rb_plan_spec spec = {.collective = "bcast", .p = 8, .n = 1};
        assert_int_equal(rb_best_n(&spec, 1 << 20, alpha_s[i], beta[i], &n), RB_OK);
        assert_int_equal(rb_plan_n(plan_of(&workload, 0, 0, 0, 0).plan), n);
        assert_true(n > 1);
        sim_workload_free(&workload);
        free(text);
    }
    assert_true(alpha_s[0] > 0 && alpha_s[0] < alpha_s[1] && alpha_s[1] < 1e-4);
}

/* ---- Point to point -------------------------------------------------------------------------- */

/* The messages of a step's plan, "FROM-TO BYTES" by rising sender, and that both ends agree. */
static void list_messages(const struct sim_workload *workload, int32_t step, char *text)
{
    const struct sim_step_plan plan = plan_of(workload, 0, step, 0, 0);
    const int32_t p = rb_plan_ranks(plan.plan), most = rb_plan_max_ops(plan.plan);
    struct rb_op *ops = sup_calloc((size_t)most * (size_t)p, sizeof *ops);
    int32_t *count = sup_calloc((size_t)p, sizeof *count), sends = 0, receives = 0;
    char why[300] = "";
    assert_int_equal(rb_plan_rounds(plan.plan), 1);
    for (int32_t r = 0; r < p; r++) {
        struct rb_rank state;
        rb_plan_rank(plan.plan, r, &state);
        count[r] = rb_layout_checked_round(plan.plan, plan.layout, &state, 0, &ops[r * most], why,
                                           sizeof why);
        assert_string_equal(why, "");
        assert_int_equal(rb_plan_next(plan.plan, &state, 0), count[r] == 0);
    }
    text[0] = '\0';
    for (int32_t r = 0; r < p; r++)
        for (int32_t i = 0; i < count[r]; i++) {
            const struct rb_op *op = &ops[r * most + i];
            bool met = false;
            sends += op->kind == RB_SEND;
            receives += op->kind == RB_RECV;
            if (op->kind != RB_SEND)
                continue;
            for (int32_t k = 0; k < count[op->peer]; k++) {
                const struct rb_op *other = &ops[op->peer * most + k];
                met = met || (other->kind == RB_RECV && other->peer == r &&
                              other->port == op->port && other->at.first == op->at.first);
            }
            assert_true(met);
            sprintf(text + strlen(text), "%" PRId32 "-%" PRId32 " %" PRId64 ",", r, op->peer,
                    rb_layout_bytes(plan.plan, plan.layout, &op->at));
        }
    assert_int_equal(sends, receives);
    free(ops);
    free(count);
}

static void patterns_have_their_messages(void **state)
{
    static const char *const wanted[] = {
        "0-2 5,0-1 5,1-3 5,1-0 5,2-4 5,2-0 5,2-3 5,3-5 5,3-1 5,3-2 5,4-2 5,4-5 5,5-3 5,5-4 5,",
        ("0-2 5,0-4 5,0-1 5,0-1 5,1-3 5,1-5 5,1-0 5,1-0 5,2-4 5,2-0 5,2-3 5,2-3 5,"
         "3-5 5,3-1 5,3-2 5,3-2 5,4-0 5,4-2 5,4-5 5,4-5 5,5-1 5,5-3 5,5-4 5,5-4 5,"),
        "0-2 9,1-3 9,2-0 9,3-1 9,",
        "0-1 7,0-1 8,2-0 0,5-0 1024,",
    };
    struct sim_workload workload;
    struct sup_error error;
    char text[1000];
    (void)state;
    write_file(times_name, "from,to,bytes\n0,1,7\n0,1,8\n5,0,1KiB\n2,0,0\n");
    if (read_text("jobs:\n"
                  "  ranks: 6\n"
                  "  program:\n"
                  "    - halo: {grid: [3, 2], bytes: 5}\n"
                  "    - halo: {grid: [3, 2, 1], periodic: yes, bytes: 5}\n"
                  "    - pairs: {distance: 2, bytes: 9}\n"
                  "    - matrix: {file: test_workload_times.csv}\n",
                  &workload, &error) != RB_OK)
        fail_msg("%s", error.text);
    for (int32_t i = 0; i < 4; i++) {
        list_messages(&workload, i, text);
        assert_string_equal(text, wanted[i]);
    }
    sim_workload_free(&workload);
    unlink(times_name);
}

/* Each changes one number of the file or the platform. */
static void platforms_must_suffice(void **state)
{
    struct sim_workload workload;
    struct sup_error error;
    struct point_known_platform small = platform;
    (void)state;
    read_everything(&workload);
    small.text = "crossbar:14";
    small.hosts = 14;
    assert_int_equal(workload_settle(&workload, &small, &error), RB_EINVAL);
    assert_string_equal(error.text, "test_workload.yaml:4:3: 15 hosts needed, crossbar:14 has 14");
    small.hosts = 8;
    assert_int_equal(workload_settle(&workload, &small, &error), RB_EINVAL);
    assert_string_equal(error.text, "test_workload.yaml:4:64: hosts: host 8, crossbar:14 has 8");
    sim_workload_free(&workload);
}

/* ---- Size ------------------------------------------------------------------------------------ */

static void a_million_ranks_are_read(void **state)
{
    struct sim_workload workload;
    struct sup_error error;
    (void)state;
    if (read_text("jobs:\n"
                  "  ranks: 1048576\n"
                  "  communicators:\n"
                  "    rows: {grid: [1024, 1024], along: 1}\n"
                  "    columns: {grid: [1024, 1024], along: 0}\n"
                  "  program:\n"
                  "    - compute: {normal: [200us, 20us]}\n"
                  "    - {start: a, bcast: {in: rows, bytes: 1MiB, root: 1023}}\n"
                  "    - {start: a, bcast: {in: columns, bytes: 1MiB, root: step}}\n"
                  "    - wait: a\n"
                  "    - allreduce: {bytes: 1MiB}\n"
                  "    - compute: 1us\n"
                  "    - alltoall: {in: rows, bytes: 1MiB}\n"
                  "    - allgather: {in: columns, bytes: 1MiB}\n"
                  "    - reduce-scatter: {bytes: 1MiB}\n"
                  "    - halo: {grid: [1024, 1024], bytes: 8KiB}\n",
                  &workload, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(workload.job->steps, 10);
    sim_workload_free(&workload);
}

/* ---- The page -------------------------------------------------------------------------------- */

static void print_keys(FILE *stream, const struct workload_keys *keys)
{
    const bool defaults = keys->field[0].fallback[0] != '\0';
    fprintf(stream, "| key | value |%s\n| --- | --- |%s\n", defaults ? " default |" : "",
            defaults ? " --- |" : "");
    for (size_t i = 0; i < keys->count; i++) {
        const struct sweep_field *field = &keys->field[i];
        fprintf(stream, "| `%s` | %s |", field->key, field->values);
        if (defaults)
            fprintf(stream, " %s |", field->fallback);
        fputs("\n", stream);
    }
}

static void the_page_has_the_keys(void **state)
{
    char *path = sup_format("%s/docs/workloads.md", ROUNDABOUT_SOURCE_DIR), *page, *table;
    size_t size;
    (void)state;
    FILE *file = fopen(path, "r"), *stream = sup_memory_open(&page, &size);
    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;)
        putc(c, stream);
    fclose(file);
    sup_memory_close(stream, &page);
    for (int32_t i = 0; workload_keys_at(i) != NULL; i++) {
        stream = sup_memory_open(&table, &size);
        print_keys(stream, workload_keys_at(i));
        sup_memory_close(stream, &table);
        if (strstr(page, table) == NULL)
            fail_msg("docs/workloads.md has not the table of keys \"%s\" that "
                     "test_workload_file --print prints",
                     workload_keys_at(i)->title);
        free(table);
    }
    free(page);
    free(path);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_said),
        cmocka_unit_test(mistakes_in_files_are_said),
        cmocka_unit_test(examples_are_read),
        cmocka_unit_test(all_keys_are_meant),
        cmocka_unit_test(communicators_have_their_ranks),
        cmocka_unit_test(steps_have_plans),
        cmocka_unit_test(platforms_must_suffice),
        cmocka_unit_test(patterns_have_their_messages),
        cmocka_unit_test(the_page_has_the_keys),
        cmocka_unit_test(blocks_are_for_the_jobs_hosts),
        cmocka_unit_test(libraries_choose),
        cmocka_unit_test(a_million_ranks_are_read),
    };
    if (argc == 2 && strcmp(argv[1], "--print") == 0) {
        for (int32_t i = 0; workload_keys_at(i) != NULL; i++) {
            printf("%s:\n\n", workload_keys_at(i)->title);
            print_keys(stdout, workload_keys_at(i));
            printf("\n");
        }
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
