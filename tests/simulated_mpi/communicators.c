/* communicators.c - communicators with their error handlers, and where ranks meet. */
#include "simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct handler {
    struct sm_object object;
    MPI_Errhandler is;
};
/* What all ranks of a communicator bring to a collective. */
struct meeting {
    void *data[SM_MOST_RANKS];
    int context, number, arrived;
    const char *name;
    int new_context; /* of communicators made here */
    struct meeting *next;
};

static struct sm_comm worlds[SM_MOST_RANKS], selves[SM_MOST_RANKS];
static struct meeting *meetings;
static int contexts;
static int64_t calls; /* of the failing rank */

enum { WORLD_CONTEXT, FIRST_OWN_CONTEXT };

void sm_comms_begin(void)
{
    meetings = NULL;
    contexts = FIRST_OWN_CONTEXT + SM_MOST_RANKS;
    calls = 0;
    for (int r = 0; r < sm_ranks; r++) {
        worlds[r] =
            (struct sm_comm){.object = {.kind = SM_COMM, .owner = r, .handle = MPI_COMM_WORLD},
                             .context = WORLD_CONTEXT,
                             .size = sm_ranks,
                             .rank = r,
                             .handler = MPI_ERRORS_ARE_FATAL};
        for (int i = 0; i < sm_ranks; i++)
            worlds[r].world[i] = i;
        selves[r] =
            (struct sm_comm){.object = {.kind = SM_COMM, .owner = r, .handle = MPI_COMM_SELF},
                             .context = FIRST_OWN_CONTEXT + r,
                             .size = 1,
                             .world = {r},
                             .handler = MPI_ERRORS_ARE_FATAL};
    }
}

struct sm_comm *sm_comm_of(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD  ? &worlds[sm_current]
           : comm == MPI_COMM_SELF ? &selves[sm_current]
                                   : sm_object_of(comm, SM_COMM);
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = sm_comm_of(comm)->size;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = sm_comm_of(comm)->rank;
    return MPI_SUCCESS;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

int sm_raise(MPI_Comm comm, int error)
{
    if (error != MPI_SUCCESS && sm_comm_of(comm)->handler == MPI_ERRORS_ARE_FATAL)
        sm_fault("rank %d: the error %d reached the handler of %s, which ends the "
                 "program",
                 sm_current, error, comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "a communicator");
    return error;
}

int sm_refused(MPI_Comm comm)
{
    if (sm_current < 0 || sm_current != sm_nature.failing || !sm_inside[sm_current] ||
        ++calls != sm_nature.call)
        return MPI_SUCCESS;
    sm_failed[sm_current] = true;
    return sm_raise(comm, MPI_ERR_OTHER);
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *result)
{
    struct handler *handler = sm_object_make(SM_HANDLER, sizeof *handler);
    handler->is = sm_comm_of(comm)->handler;
    *result = handler->object.handle;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    const bool own = handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL;
    sm_comm_of(comm)->handler =
        own ? handler : ((struct handler *)sm_object_of(handler, SM_HANDLER))->is;
    return MPI_SUCCESS;
}

int PMPI_Errhandler_free(MPI_Errhandler *handler)
{
    sm_object_free(sm_object_of(*handler, SM_HANDLER));
    return MPI_SUCCESS;
}

int PMPI_Error_class(int error, int *class)
{
    *class = error;
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *there)
{
    *there = 1;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *level)
{
    *level = sm_nature.level;
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    struct sm_comm *freed = sm_object_of(*comm, SM_COMM);
    sm_object_free(freed);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* ---- Meetings -------------------------------------------------------------------------------- */

static struct meeting *meet(MPI_Comm comm, const char *name, const void *mine, size_t bytes)
{
    struct sm_comm *in = sm_comm_of(comm);
    const int number = in->meetings++;
    sm_pause();
    struct meeting *found = meetings;
    while (found != NULL && (found->context != in->context || found->number != number))
        found = found->next;
    if (found == NULL) {
        found = sm_memory(sizeof *found);
        *found = (struct meeting){.context = in->context,
                                  .number = number,
                                  .name = name,
                                  .new_context = contexts,
                                  .next = meetings};
        meetings = found;
        contexts += SM_MOST_RANKS;
    }
    if (strcmp(found->name, name) != 0)
        sm_fault("rank %d is in %s where another is in %s", sm_current, name, found->name);
    found->data[in->rank] = memcpy(sm_memory(bytes), mine, bytes);
    if (++found->arrived == in->size)
        for (int r = 0; r < in->size; r++)
            sm_wake(in->world[r]);
    while (found->arrived < in->size)
        sm_wait(name, NULL, 0);
    sm_pause();
    return found;
}

/* ---- New communicators ----------------------------------------------------------------------- */

struct place {
    int color, key, rank;
};

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->rank - y->rank;
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *result)
{
    const struct sm_comm *of = sm_comm_of(comm);
    const struct place mine = {color, key, of->rank};
    struct place places[SM_MOST_RANKS];
    const struct meeting *meeting = meet(comm, "MPI_Comm_split", &mine, sizeof mine);
    int first = -1, count = 0;
    for (int r = 0; r < of->size; r++) {
        const struct place *its = meeting->data[r];
        if (its->color != color)
            continue;
        first = first < 0 ? r : first;
        places[count++] = *its;
    }
    qsort(places, (size_t)count, sizeof *places, by_key);
    struct sm_comm *made = sm_object_make(SM_COMM, sizeof *made);
    made->context = meeting->new_context + first;
    made->size = count;
    made->handler = of->handler;
    for (int i = 0; i < count; i++) {
        made->world[i] = of->world[places[i].rank];
        made->rank = places[i].rank == of->rank ? i : made->rank;
    }
    *result = made->object.handle;
    return MPI_SUCCESS;
}
