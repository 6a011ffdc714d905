/* communicator.c - see communicator.h.
 *
 * MPI calls the deleter of an attribute when its communicator is freed, but not for MPI_COMM_WORLD
 * before MPI is gone. Therefore an attribute of MPI_COMM_SELF, which MPI_Finalize deletes first,
 * frees what is left. Deleters of attributes that were set before it run after it, and may call
 * collectives. */
#include "communicator.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

/* The process's: MPI has one set of attribute keys, too. */
static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock; /* of the list */
static struct rb_communicator *living;
static int key = MPI_KEYVAL_INVALID, end_key = MPI_KEYVAL_INVALID;
static int key_error;
static atomic_bool ended; /* the key is gone */

static void list(struct rb_communicator *communicator)
{
    mtx_lock(&lock);
    communicator->next = living;
    living = communicator;
    mtx_unlock(&lock);
}

static void unlist(const struct rb_communicator *communicator)
{
    mtx_lock(&lock);
    struct rb_communicator **link = &living;
    while (*link != NULL && *link != communicator)
        link = &(*link)->next;
    if (*link != NULL)
        *link = communicator->next;
    mtx_unlock(&lock);
}

static void destroy(struct rb_communicator *communicator)
{
    rb_executor_destroy(communicator->executor);
    rb_plan_cache_free(&communicator->plans);
    for (int i = 0; i < RB_CALLS; i++) {
        rb_decision_row_free(&communicator->decisions[i][false]);
        rb_decision_row_free(&communicator->decisions[i][true]);
    }
    rb_trials_free(&communicator->trials);
    free(communicator->data.memory);
    free(communicator->counts.memory);
    for (int b = 0; b < RB_BUFFERS; b++)
        free(communicator->plans_own[b].memory);
    if (communicator->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&communicator->comm);
    free(communicator);
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    unlist(value);
    destroy(value);
    return MPI_SUCCESS;
}

static int on_end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    while (living != NULL && PMPI_Comm_delete_attr(living->of, key) == MPI_SUCCESS)
        ; /* on_delete takes it off the list */
    PMPI_Comm_free_keyval(&key);
    atomic_store(&ended, true);
    return MPI_SUCCESS;
}

/* A program that uses sessions only has no MPI_COMM_SELF, nor communicators that it can't free. */
static void make_end_key(void)
{
    int has_self;
    if (PMPI_Initialized(&has_self) != MPI_SUCCESS || !has_self)
        return;
    key_error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &end_key, NULL);
    if (key_error == MPI_SUCCESS)
        key_error = PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
    if (key_error == MPI_SUCCESS)
        key_error = PMPI_Comm_free_keyval(&end_key); /* when the attribute is gone */
}

static void make_keys(void)
{
    if (mtx_init(&lock, mtx_plain) != thrd_success) {
        key_error = MPI_ERR_NO_MEM;
        return;
    }
    key_error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    if (key_error == MPI_SUCCESS)
        make_end_key();
}

/* A split, because a duplicate would take the caller's attributes along. */
static int make(MPI_Comm comm, struct rb_communicator *communicator)
{
    int error;
    communicator->of = comm;
    communicator->comm = MPI_COMM_NULL;
    communicator->executor = rb_executor_create();
    if ((error = PMPI_Comm_size(comm, &communicator->p)) != MPI_SUCCESS ||
        (error = PMPI_Comm_rank(comm, &communicator->rank)) != MPI_SUCCESS ||
        (error = PMPI_Comm_split(comm, 0, communicator->rank, &communicator->comm)) !=
            MPI_SUCCESS ||
        (error = PMPI_Comm_set_errhandler(communicator->comm, MPI_ERRORS_RETURN)) != MPI_SUCCESS)
        return error;
    rb_plan_cache_init(&communicator->plans, communicator->p, communicator->rank);
    return communicator->executor == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

bool rb_communicators_ended(void)
{
    return atomic_load_explicit(&ended, memory_order_relaxed);
}

int rb_communicator_of(MPI_Comm comm, struct rb_communicator **found)
{
    int there;
    call_once(&once, make_keys);
    if (key_error != MPI_SUCCESS)
        return key_error;
    int error = PMPI_Comm_get_attr(comm, key, found, &there);
    if (error != MPI_SUCCESS || there)
        return error;
    struct rb_communicator *made = calloc(1, sizeof *made);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    error = make(comm, made);
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_set_attr(comm, key, made);
    if (error != MPI_SUCCESS) {
        destroy(made);
        return error;
    }
    list(made);
    *found = made;
    return MPI_SUCCESS;
}

void *rb_scratch_reserve(struct rb_scratch *scratch, size_t bytes)
{
    if (bytes > scratch->bytes || scratch->memory == NULL) {
        free(scratch->memory);
        scratch->memory = malloc(bytes > 0 ? bytes : 1);
        scratch->bytes = scratch->memory == NULL ? 0 : bytes;
    }
    return scratch->memory;
}
