/* job.c - see job.h. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/memory.h"

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

void job_init(struct job_context *job, const struct measure_request *request,
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

void job_free(struct job_context *job)
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
