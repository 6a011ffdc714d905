#define _POSIX_C_SOURCE 200809L /* nanosleep, SIGXFSZ */

#include "job.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interchange/interchange.h"
#include "roundabout-redistribution.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/process.h"

enum { WAIT_NS = 200000 };

/* Numbers the hosts in the order of their first ranks. */
static void number_hosts(struct job_context *job, const struct measure_machine machines[],
                         int ranks_of[])
{
    for (int r = 0; r < job->ranks; r++) {
        int first = 0;
        while (strcmp(machines[first].host, machines[r].host) != 0)
            first++;
        job->host[r] = first == r ? job->hosts++ : job->host[first];
        const int here = ++ranks_of[job->host[r]];
        job->ppn = here > job->ppn ? here : job->ppn;
        job->cores[job->host[r]] = machines[r].cores;
    }
}

static void init(struct job_context *job, const struct measure_request *request,
                 struct sup_error *error)
{
    int length;
    *job = (struct job_context){.request = request, .error = error};
    MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
    MPI_Get_library_version(job->library, &length);
    job->library[strcspn(job->library, "\n")] = '\0';
    for (char *tab = strchr(job->library, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' ';
    measure_machine_read(&job->machine);

    struct measure_machine *machines = sup_calloc((size_t)job->ranks, sizeof *machines);
    int *ranks_of = sup_calloc((size_t)job->ranks, sizeof *ranks_of);
    job->host = sup_calloc((size_t)job->ranks, sizeof *job->host);
    job->cores = sup_calloc((size_t)job->ranks, sizeof *job->cores);
    MPI_Allgather(&job->machine, sizeof job->machine, MPI_BYTE, machines, sizeof *machines,
                  MPI_BYTE, MPI_COMM_WORLD);
    number_hosts(job, machines, ranks_of);
    free(machines);
    free(ranks_of);
}

static void job_free(struct job_context *job)
{
    free(job->host);
    free(job->cores);
    *job = (struct job_context){0};
}

bool job_oversubscribed(const struct job_context *job, int ranks)
{
    for (int host = 0; host < job->hosts; host++) {
        int here = 0;
        for (int r = 0; r < ranks; r++)
            here += job->host[r] == host;
        if (here > job->cores[host])
            return true;
    }
    return false;
}

void job_row(const struct job_context *job, struct measure_result *row)
{
    const struct measure_request *request = job->request;
    const time_t now = time(NULL);
    measure_result_clear(row);
    row->ranks = job->ranks;
    row->hosts = job->hosts;
    row->ppn = job->ppn;
    row->cores = job->machine.cores;
    row->seed = (int64_t)request->seed;
    row->precision_percent = 100 * request->precision;
    row->least_runs = request->least_runs;
    row->most_runs = request->most_runs;
    row->most_time_s = request->most_time_s;
    snprintf(row->mpi, sizeof row->mpi, "%s", ROUNDABOUT_MPI_FLAVOUR);
    snprintf(row->mpi_library, sizeof row->mpi_library, "%.127s", job->library);
    snprintf(row->host, sizeof row->host, "%s", job->machine.host);
    snprintf(row->cpu, sizeof row->cpu, "%s", job->machine.cpu);
    snprintf(row->kernel, sizeof row->kernel, "%s", job->machine.kernel);
    snprintf(row->job, sizeof row->job, "%s", job->machine.job);
    snprintf(row->partition, sizeof row->partition, "%s", job->machine.partition);
    snprintf(row->nodes, sizeof row->nodes, "%s", job->machine.nodes);
    snprintf(row->label, sizeof row->label, "%s", request->label);
    snprintf(row->version, sizeof row->version, "%.47s", cli_program_version);
    strftime(row->date, sizeof row->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
}

static void doze(void)
{
    nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

int job_meet(int status)
{
    MPI_Request request;
    int worst = status, done = 0;
    MPI_Iallreduce(&status, &worst, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return worst;
        doze();
    }
}

void job_receive(void *buffer, int bytes, int source, int tag, MPI_Comm comm)
{
    int there = 0;
    for (;;) {
        MPI_Iprobe(source, tag, comm, &there, MPI_STATUS_IGNORE);
        if (there)
            break;
        doze();
    }
    MPI_Recv(buffer, bytes, MPI_BYTE, source, tag, comm, MPI_STATUS_IGNORE);
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

enum { EXCHANGES = 32, TURN_TAG = 1, CLOCK_TAG = 2 };

/* Rank 0 answers one rank. */
static void answer(int rank, MPI_Comm comm)
{
    double now_s;
    MPI_Send(NULL, 0, MPI_BYTE, rank, TURN_TAG, comm);
    for (int i = 0; i < EXCHANGES; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, rank, CLOCK_TAG, comm, MPI_STATUS_IGNORE);
        now_s = sup_clock_s();
        MPI_Send(&now_s, 1, MPI_DOUBLE, rank, CLOCK_TAG, comm);
    }
}

static void ask(struct job_clocks *clocks, MPI_Comm comm)
{
    struct measure_clock_sample sample[EXCHANGES];
    double reference_s;
    job_receive(NULL, 0, 0, TURN_TAG, comm);
    for (int i = 0; i < EXCHANGES; i++) {
        const double before_s = sup_clock_s();
        MPI_Send(NULL, 0, MPI_BYTE, 0, CLOCK_TAG, comm);
        MPI_Recv(&reference_s, 1, MPI_DOUBLE, 0, CLOCK_TAG, comm, MPI_STATUS_IGNORE);
        sample[i] = measure_clock_sample_of(before_s, reference_s, sup_clock_s());
    }
    if (clocks->count == JOB_CLOCK_MEMORY)
        memmove(clocks->sample, clocks->sample + 1, --clocks->count * sizeof *clocks->sample);
    clocks->sample[clocks->count++] = measure_clock_quickest(sample, EXCHANGES);
    clocks->clock = measure_clock_fit(clocks->sample, clocks->count);
}

void job_clocks_ask(struct job_clocks *clocks, MPI_Comm comm)
{
    int rank, ranks;
    double error_s = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 1; rank == 0 && r < ranks; r++)
        answer(r, comm);
    if (rank > 0) {
        ask(clocks, comm);
        error_s = clocks->sample[clocks->count - 1].round_trip_s / 2;
    }
    MPI_Reduce(&error_s, &clocks->error_s, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
}

double job_clocks_now_s(const struct job_clocks *clocks)
{
    return measure_clock_reference(&clocks->clock, sup_clock_s());
}

/* ---- The program ----------------------------------------------------------------------------- */

/* Roundabout-measure-openmpi, -mpich: the programs that the verb `measure` executes under
 * mpirun. */

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

/* Rows that went to a file, and what can be done with them. */
static void say_rows(const struct job_context *job)
{
    const struct measure_request *request = job->request;
    const char *file = request->output != NULL ? request->output : request->results;
    const bool pairs = request->pairs && request->output != NULL;
    const bool uneven = !pairs && sup_counts_differ(&request->counts); /* tune reads no such rows */
    if (file == NULL || (request->output != NULL && strcmp(file, "-") == 0))
        return;
    const char *of_next = uneven ? request->results : file;
    char *word = sup_shell_word(file), *next = of_next == NULL ? NULL : sup_shell_word(of_next);
    printf("%" PRId64 " rows in %s.", job->done, word);
    if (next != NULL)
        printf(" Next: roundabout %s %s%s", pairs ? "calibrate" : "tune", next,
               pairs ? " -o here" : "");
    putchar('\n');
    free(next);
    free(word);
}

static int run(const struct cli_args *args)
{
    struct measure_request request;
    struct sup_error error = {.text = ""};
    struct job_context job = {0};
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int status = measure_request(args, ranks, &request, &error);
    const int worst = job_meet(status); /* a file may not be everywhere */
    if (status == RB_OK && worst != RB_OK)
        status = sup_fail(&error, worst,
                          "another rank could not read what is asked for: files must "
                          "be on all hosts");
    if (status == RB_OK) {
        init(&job, &request, &error);
        status = measure(&job);
        if (status == RB_OK && job.rank == 0)
            say_rows(&job);
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
