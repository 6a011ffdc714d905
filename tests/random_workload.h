/* random_workload.h - for tests: a workload that a seed chooses. The same seed gives the same one
 * on every machine. */
#ifndef TESTS_RANDOM_WORKLOAD_H
#define TESTS_RANDOM_WORKLOAD_H

#include "schedules/plan/random.h"
#include "tests/workloads.h"

struct random_limits {
    int32_t least, most; /* ranks of all jobs */
    int32_t jobs;        /* at most */
    bool equal;          /* computing and sizes that are the same everywhere */
};
static const struct random_limits random_small = {4, 24, 3, false};
static const struct random_limits random_large = {32, 64, 3, false};

struct random_program {
    struct built *built;
    const struct random_limits *limits;
    uint64_t state;
    int32_t job;
    int32_t
        started; /* executions since the last wait for all; at most SIM_MOST_STARTED are allowed */
    int32_t times; /* how often the present step is done */
};

static inline int32_t random_below(struct random_program *random, int32_t below)
{
    return (int32_t)rb_random_below(&random->state, (uint32_t)below);
}

static inline bool random_is(struct random_program *random, int32_t percent)
{
    return random_below(random, 100) < percent;
}

/* From a to b, with evenly spread logarithms. */
static inline double random_scale(struct random_program *random, double a, double b)
{
    return a * pow(b / a, random_below(random, 1 << 20) / (double)(1 << 20));
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static inline struct sim_duration random_duration(struct random_program *random)
{
    const int32_t ranks = random->built->workload.job[random->job].ranks;
    const double time_s = random_scale(random, 2e-6, 3e-4);
    struct sim_duration duration = {.kind = (enum sim_duration_kind)random_below(random, 8),
                                    .a = time_s,
                                    .b = time_s / 10,
                                    .ranks = 1 + random_below(random, ranks),
                                    .seed = (uint64_t)random_below(random, 1000)};
    if (random->limits->equal)
        duration.kind = SIM_CONSTANT;
    if (duration.kind == SIM_UNIFORM || duration.kind == SIM_RAMP)
        duration.b = time_s * (random_is(random, 50) ? 2 : 0.25);
    if (duration.kind == SIM_PARETO)
        duration.b = 1.5 + random_below(random, 4);
    if (duration.kind == SIM_LISTED) {
        duration.value = sup_calloc((size_t)ranks, sizeof *duration.value);
        for (int32_t r = 0; r < ranks; r++)
            duration.value[r] = random_is(random, 20) ? 0 : random_scale(random, 1e-6, 2e-4);
    }
    return duration;
}

/* Has plans for all communicators of the set. */
static inline bool random_fits(const struct sim_communicators *set, const struct built_move *move)
{
    for (int32_t i = 0; i < set->count; i++)
        if (!built_supports(move, sim_communicator_size(set, i)))
            return false;
    return true;
}

static inline struct built_move random_move(struct random_program *random, int32_t number)
{
    const struct sim_communicators *set = &random->built->workload.job[random->job].set[number];
    struct built_move move = {.n = 1 + random_below(random, 6),
                              .bytes = (int64_t)random_scale(random, 64, 1e6),
                              .root = random_below(random, 4),
                              .turns = random_is(random, 50)};
    int32_t algorithms = 0;
    while (rb_algorithm_at(algorithms) != NULL)
        algorithms++;
    if (random->limits->equal)
        move.bytes = 100000;
    do {
        const struct rb_algorithm_info *algorithm =
            rb_algorithm_at(random_below(random, algorithms));
        move.collective = algorithm->collective;
        move.algorithm = algorithm->name;
    } while (rb_collective_find(move.collective)->instance != NULL || !random_fits(set, &move));
    return move;
}

/* Leaves out the ranks that `of` puts into communicators of odd numbers. */
static inline void random_leave_out(struct random_program *random, struct sim_step *step,
                                    int32_t number)
{
    const struct sim_job *job = &random->built->workload.job[random->job];
    if (!random_is(random, 15))
        return;
    step->only = sup_calloc((size_t)job->ranks, sizeof *step->only);
    for (int32_t r = 0; r < job->ranks; r++)
        step->only[r] = job->set[number].of[r] % 2 == 0;
}

static inline uint64_t random_labels(struct random_program *random)
{
    const int32_t labels = random->built->workload.job[random->job].labels;
    return labels == 0 ? 0 : (uint64_t)random_below(random, 1 << labels);
}

/* Started, queued, after others; or not. */
static inline void random_start(struct random_program *random, struct sim_step *step)
{
    struct sim_job *job = &random->built->workload.job[random->job];
    if (job->labels == 0 || !random_is(random, 55) ||
        random->started + random->times >= SIM_MOST_STARTED) {
        step->after = random_is(random, 20) ? random_labels(random) : 0;
        return;
    }
    const int32_t label = random_below(random, job->labels);
    uint64_t after = random_is(random, 25) ? random_labels(random) : 0;
    if (random_is(random, 40))
        after |= UINT64_C(1) << label;
    built_start(step, label, after);
    random->started += random->times;
    if (random->started >= job->streams)
        job->streams = 1 + random->started;
}

static inline void random_step(struct random_program *random)
{
    const struct sim_job *job = &random->built->workload.job[random->job];
    const int32_t kind = random_below(random, 10), set = random_below(random, job->sets);
    if (kind == 0) {
        built_wait(random->built, random->job, random_labels(random));
    } else if (kind < 4) {
        struct sim_step *step = built_compute(random->built, random->job, random_duration(random));
        random_leave_out(random, step, set);
        if (random_is(random, 15))
            random_start(random, step);
    } else {
        struct sim_step *step =
            built_move(random->built, random->job, set, random_move(random, set));
        random_leave_out(random, step, set);
        random_start(random, step);
    }
}

static inline void random_steps(struct random_program *random, int32_t steps, int32_t depth)
{
    for (int32_t i = 0; i < steps; i++) {
        if (depth >= 2 || !random_is(random, 20)) {
            random_step(random);
            continue;
        }
        const int32_t times = 1 + random_below(random, 3);
        const int32_t repeat = built_repeat(random->built, random->job, times);
        random->times *= times;
        random_steps(random, 1 + random_below(random, 3), depth + 1);
        random->times /= times;
        built_end(random->built, random->job, repeat);
    }
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Rows, every k-th, or parts at random with ranks that are in none. */
static inline void random_set(struct random_program *random)
{
    const int32_t ranks = random->built->workload.job[random->job].ranks;
    const int32_t kind = random_below(random, 3), size = 2 + random_below(random, ranks - 1);
    const int32_t most = ranks < 4 ? ranks : 4;
    const int32_t count = kind == 0 ? (ranks + size - 1) / size : 1 + random_below(random, most);
    int32_t *of = sup_calloc((size_t)ranks, sizeof *of);
    for (int32_t r = 0; r < ranks; r++)
        of[r] = kind == 0 ? r / size : kind == 1 ? r % count : random_below(random, count + 1) - 1;
    for (int32_t c = 0; c < count && kind > 0; c++)
        of[c] = c; /* none is empty */
    built_set(random->built, random->job, "set", count, of);
    free(of);
}

static inline void random_job(struct random_program *random, int32_t ranks, bool calls)
{
    const int32_t sets = random_below(random, 3), labels = random_below(random, 4);
    random->job = built_job(random->built, ranks, 1 + random_below(random, 2));
    random->started = 0;
    random->times = 1;
    struct sim_job *job = &random->built->workload.job[random->job];
    job->calls = calls;
    job->waits = calls && random_is(random, 50);
    if (random->job > 0 && random_is(random, 30))
        job->start_s = random_scale(random, 1e-6, 1e-4);
    for (int32_t i = 0; i < sets; i++)
        random_set(random);
    for (int32_t i = 0; i < labels; i++)
        built_label(random->built, random->job);
    if (random_is(random, 30))
        built_compute(random->built, random->job, random_duration(random));
    random_steps(random, 2 + random_below(random, 6), 0);
    if (labels > 0)
        built_wait(random->built, random->job, UINT64_MAX);
}

/* A platform with so many hosts, or a few more. */
static inline void random_platform(struct random_program *random, int32_t hosts, char platform[],
                                   size_t size)
{
    const int32_t side = (int32_t)ceil(sqrt(hosts));
    switch (random_below(random, 5)) {
    case 0:
        snprintf(platform, size, "crossbar:%d", hosts + 1);
        break;
    case 1:
        snprintf(platform, size, "fat-tree:%d", hosts <= 16 ? 16 : 64);
        break;
    case 2:
        snprintf(platform, size, "fat-tree:%d,taper=2", hosts <= 16 ? 16 : 64);
        break;
    case 3:
        snprintf(platform, size, "dragonfly:72");
        break;
    default:
        snprintf(platform, size, "torus:%dx%d", side, side);
    }
}

/* The caller destroys it. `calls`: every job has this kind of progress. */
static inline struct built *random_workload(uint64_t seed, const struct random_limits *limits,
                                            bool calls, char platform[], size_t size)
{
    struct random_program random = {.built = built_create(), .limits = limits, .state = seed};
    struct sim_workload *workload = &random.built->workload;
    const int32_t jobs = 1 + random_below(&random, limits->jobs);
    int32_t hosts = 0;
    const int32_t ranks = limits->least + random_below(&random, limits->most - limits->least + 1);
    workload->allocation = (enum sim_allocation)random_below(&random, 3);
    workload->seed = (uint64_t)random_below(&random, 1000);
    for (int32_t j = 0; j < jobs; j++) {
        random_job(&random, ranks / jobs > 2 ? ranks / jobs : 2, calls);
        hosts += workload->job[j].hosts;
    }
    workload->job[jobs - 1].until_others = jobs > 1 && random_is(&random, 25);
    random_platform(&random, hosts, platform, size);
    return random.built;
}

#endif
