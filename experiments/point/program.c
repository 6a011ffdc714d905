/* program.c - runs of a point inside a workload. */
#include "experiments/point/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "experiments/workload/workload_file.h"
#include "support/memory.h"
#include "support/units.h"

static const char alone[] = "alone";

bool point_has_program(const struct point *point)
{
    return point->program != NULL && strcmp(point->program, alone) != 0;
}

/* Of a text that may end with the hash of the file, which then must be its. */
static int read_text(const char *text, const struct workload_value value[], size_t count,
                     struct sim_workload *workload, struct sup_error *error)
{
    size_t length = strlen(text);
    uint64_t hash;
    const bool hashed = sup_hash_take(text, &length, &hash);
    char *name = sup_strndup(text, length);
    int status = workload_read_with(name, value, count, workload, error);
    if (status == RB_OK && hashed && workload_hash(workload) != hash)
        status = sup_fail(error, RB_EINVAL, "%s has changed since its results were made", name);
    free(name);
    return status;
}

/* With the point's values in the place of its words. */
static int read_workload(const struct point *point, struct sim_workload *workload,
                         struct sup_error *error)
{
    char blocks[24], bytes[24];
    if (sim_native_name(point->plan.algorithm) != NULL) /* the library chooses them */
        snprintf(blocks, sizeof blocks, "best");
    else
        snprintf(blocks, sizeof blocks, "%" PRId64, point->plan.n);
    snprintf(bytes, sizeof bytes, "%" PRId64, point->m_bytes);
    const struct workload_value value[] = {
        {"algorithm", point->plan.algorithm}, {"blocks", blocks}, {"bytes", bytes}};
    return read_text(point->program, value, sizeof value / sizeof *value, workload, error);
}

int point_program_name(const char *word, char *text, size_t size, struct sup_error *error)
{
    struct sim_workload workload = {0};
    size_t length = strlen(word);
    uint64_t hash;
    snprintf(text, size, "%s", word);
    if (strcmp(word, alone) == 0)
        return RB_OK;
    int status = read_text(word, NULL, 0, &workload, error);
    sup_hash_take(word, &length, &hash);
    if (status == RB_OK && (size_t)snprintf(text, size, "%.*s#%016" PRIx64, (int)length, word,
                                            workload_hash(&workload)) >= size)
        status = sup_fail(error, RB_EINVAL, "%.40s...: too long", word);
    sim_workload_free(&workload);
    return status;
}

int point_check_program(const struct point *point, struct sup_error *error)
{
    if (!point_has_program(point))
        return RB_OK;
    if (!point->engine->walks)
        return sup_fail(error, RB_EINVAL,
                        "the engine %s runs no programs: take flow, simgrid or model",
                        point->engine->name);
    if (point->ppn != 1 || point->placement_rule->rule != SIM_BLOCK ||
        point->placement_rule->search)
        return sup_fail(error, RB_EINVAL,
                        "its jobs say where ranks are: leave out the placement and the ranks per "
                        "host");
    return sim_arrival_is_none(point->arrival_rule)
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "it says when ranks come: leave out the arrival");
}

/* ---- The point's collective in the program --------------------------------------------------- */

static bool is_of_point(const struct point *point, const struct workload_move *move)
{
    return move->collective == point->collective && move->pattern == NULL &&
           move->bytes == point->m_bytes && move->algorithm != NULL &&
           strcmp(move->algorithm, point->plan.algorithm) == 0;
}

/* How often a step is done, by the repeats around it. O(steps). */
static double passes_of(const struct sim_job *job, int32_t step)
{
    double passes = 1;
    for (int32_t s = 0; s < step; s++)
        if (job->step[s].kind == SIM_REPEAT && job->step[s].end > step)
            passes *= (double)job->step[s].times;
    return passes;
}

/* How many times; *p: among so many ranks, if that differs from the point's. */
static double count_calls(const struct point *point, const struct sim_workload *workload,
                          int32_t *p)
{
    double calls = 0;
    *p = point->plan.p;
    for (int32_t j = 0; j < workload->jobs; j++) {
        const struct sim_job *job = &workload->job[j];
        for (int32_t s = 0; s < job->steps; s++) {
            const struct sim_communicators *set = &job->set[job->step[s].set];
            if (job->step[s].kind != SIM_MOVE ||
                !is_of_point(point, workload_move_of(workload, j, s)))
                continue;
            calls += passes_of(job, s) * set->count;
            for (int32_t i = 0; i < set->shapes; i++)
                if (sim_communicator_size(set, set->shape[i]) != point->plan.p)
                    *p = sim_communicator_size(set, set->shape[i]);
        }
    }
    return calls;
}

double point_program_calls(const struct point *point)
{
    struct sim_workload workload = {0};
    struct sup_error why;
    int32_t p;
    double calls = 1;
    if (point_has_program(point) && read_workload(point, &workload, &why) == RB_OK)
        calls = count_calls(point, &workload, &p);
    sim_workload_free(&workload);
    return calls > 1 ? calls : 1;
}

int point_prepare_program(const struct point *point, struct point_run *run, struct sup_error *error)
{
    char bytes[32];
    int32_t p;
    int status = point_check_program(point, error);
    if (status != RB_OK || !point_has_program(point))
        return status;
    status = read_workload(point, &run->workload, error);
    if (status != RB_OK)
        return status;
    if (count_calls(point, &run->workload, &p) == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: no step does %s of %s by %s: its step needs bytes: $bytes, algorithm: "
                        "$algorithm, blocks: $blocks",
                        point->program, point->plan.collective,
                        sup_format_bytes(point->m_bytes, bytes, sizeof bytes),
                        point->plan.algorithm);
    if (p != point->plan.p)
        return sup_fail(error, RB_EINVAL, "%s does it among %" PRId32 " ranks, not among %" PRId32,
                        point->program, p, point->plan.p);
    run->spec.workload = &run->workload;
    return workload_settle(&run->workload, point->platform, error);
}
