/* workload.c - workload files: what is read is a program that ends, whose parts refer to each
 * other; messages have a file and line. */
#include "experiments/workload/workload_file.h"
#include "fuzz.h"

static void check_set(const struct sim_job *job, const struct sim_communicators *set)
{
    for (int32_t c = 0; c < set->count; c++)
        FUZZ_ASSERT(sim_communicator_size(set, c) >= 1, "no ranks");
    for (int32_t r = 0; r < job->ranks; r++)
        FUZZ_ASSERT(
            set->of[r] < set->count &&
                (set->of[r] < 0 || set->member[set->first[set->of[r]] + set->rank_in[r]] == r),
            "rank %d", r);
}

static void check_job(const struct sim_workload *workload, int32_t j)
{
    const struct sim_job *job = &workload->job[j];
    FUZZ_ASSERT(job->ranks >= 1 && job->steps >= 1 && job->name != NULL, "job %d", j);
    FUZZ_ASSERT(job->streams >= 1 && job->streams <= 1 + SIM_MOST_STARTED, "%d", job->streams);
    for (int32_t i = 0; i < job->sets; i++)
        check_set(job, &job->set[i]);
    for (int32_t i = 0; i < job->steps; i++) {
        const struct sim_step *step = &job->step[i];
        FUZZ_ASSERT(step->name != NULL && step->label < job->labels, "step %d", i);
        FUZZ_ASSERT(step->kind != SIM_REPEAT || (step->end > i && step->end <= job->steps),
                    "repeat %d", i);
        FUZZ_ASSERT(step->kind != SIM_MOVE ||
                        (step->set >= 0 && step->set < job->sets &&
                         workload_move_of(workload, j, i)->collective != NULL),
                    "move %d", i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_workload workload;
    struct sup_error error = {0};
    const struct point_known_platform platform = {
        .text = "crossbar:64", .hosts = 64, .alpha_s = 1e-6, .beta_s_per_byte = 1e-10};
    const int status = workload_read(fuzz_file(0, data, size), &workload, &error);
    if (status != RB_OK)
        fuzz_check_error(&error);
    else
        for (int32_t j = 0; j < workload.jobs; j++)
            check_job(&workload, j);
    if (status == RB_OK && workload_settle(&workload, &platform, &error) != RB_OK)
        fuzz_check_error(&error);
    sim_workload_free(&workload);
    return 0;
}
