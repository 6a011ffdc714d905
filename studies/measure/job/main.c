/* main.c - roundabout-measure-openmpi, -mpich: the programs that the verb `measure` executes under
 * mpirun. */
#define _POSIX_C_SOURCE 200809L /* SIGXFSZ */

#include <signal.h>

#include "interchange/interchange.h"
#include "job.h"
#include "roundabout-redistribution.h"

static int measure(struct job_context *job)
{
    const struct measure_request *request = job->request;
    int status = RB_OK;
    if (job->rank == 0)
        status = measure_sink_open(request, &job->sink, job->error);
    status = job_meet(status);
    if (job->rank == 0) {
        job->cases = (request->pairs ? job_count_pair_cases(request) : 0) +
                     (request->collectives ? job_count_collective_cases(request) : 0);
        cli_bar_start(&job->bar, "measuring", job->cases);
    }
    if (status == RB_OK && request->pairs)
        status = job_pairs(job);
    if (status == RB_OK && request->collectives)
        status = job_collectives(job);
    if (job->rank == 0)
        cli_bar_end(&job->bar);
    const int closed = measure_sink_close(job->sink, status == RB_OK ? job->error : NULL);
    return job_meet(status == RB_OK ? closed : status);
}

static int run(const struct cli_args *args)
{
    struct measure_request request;
    struct sup_error error = {.text = ""};
    struct job_context job = {0};
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int status = measure_request(args, ranks, &request, &error);
    if (status == RB_OK) {
        job_init(&job, &request, &error);
        status = measure(&job);
    }
    if (status != RB_OK && error.text[0] != '\0')
        cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    job_free(&job);
    measure_request_free(&request);
    return cli_exit_of(status);
}

static bool speaks(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

static const struct cli_verb verb = MEASURE_VERB(run, speaks);

int main(int argc, char *argv[])
{
    signal(SIGXFSZ, SIG_IGN); /* a file that becomes too large is an error of writing */
    MPI_Init(&argc, &argv);
    char why[200];
    inter_start();
    const int status = rb_redistribution_add(why, sizeof why) == RB_OK
                           ? cli_verb_main(&verb, argc - 1, argv + 1)
                           : cli_complain(CLI_EXIT_FAILED, "%s", why);
    MPI_Finalize();
    return status;
}
