/* main.c - roundabout-measure-openmpi, -mpich: what the verb `measure` becomes under mpirun. */
#define _POSIX_C_SOURCE 200809L /* SIGXFSZ */

#include <signal.h>
#include <stdio.h>

#include "job.h"
#include "roundabout-redistribution.h"

static int measure(struct rb_job *job)
{
    const struct rb_measure_request *request = job->request;
    int status = RB_OK;
    if (job->rank == 0)
        status = rb_sink_open(request, &job->sink, job->error);
    status = rb_job_meet(status);
    if (job->rank == 0) {
        job->cases = (request->pairs ? rb_count_pair_cases(request) : 0) +
                     (request->collectives ? rb_count_collective_cases(request) : 0);
        rb_bar_start(&job->bar, "measuring", job->cases);
    }
    if (status == RB_OK && request->pairs)
        status = rb_measure_pairs(job);
    if (status == RB_OK && request->collectives)
        status = rb_measure_collectives(job);
    if (job->rank == 0)
        rb_bar_end(&job->bar);
    const int closed = rb_sink_close(job->sink, status == RB_OK ? job->error : NULL);
    return rb_job_meet(status == RB_OK ? closed : status);
}

static int run(const struct rb_args *args)
{
    struct rb_measure_request request;
    struct rb_error error = {.text = ""};
    struct rb_job job = {0};
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int status = rb_measure_request(args, ranks, &request, &error);
    if (status == RB_OK)
        status = rb_job_init(&job, &request, &error);
    if (status == RB_OK)
        status = measure(&job);
    if (status != RB_OK && error.text[0] != '\0')
        rb_complain(RB_EXIT_FAILED, "%s", error.text);
    rb_job_free(&job);
    rb_measure_request_free(&request);
    return rb_exit_of(status);
}

static bool speaks(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

static const struct rb_verb verb = RB_MEASURE_VERB(run, speaks);

int main(int argc, char *argv[])
{
    signal(SIGXFSZ, SIG_IGN); /* a file that becomes too large is an error of writing */
    MPI_Init(&argc, &argv);
    char why[200];
    const int status = rb_redistribution_add(why, sizeof why) == RB_OK
                           ? rb_verb_main(&verb, argc - 1, argv + 1)
                           : rb_complain(RB_EXIT_FAILED, "%s", why);
    MPI_Finalize();
    return status;
}
