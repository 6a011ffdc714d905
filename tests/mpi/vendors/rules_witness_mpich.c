/* rules_witness_mpich.c - a function with the name of the one by which MPICH sends through UCX. The
 * program exports it, so MPICH calls it. What an algorithm is called shows in whom a rank sends how
 * much, in which order. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules_on_mpi.h"
#include "support/memory.h"

const char witness_format[] = "mpich";
const bool witness_names = false;
const int witness_sizes = 3;
const int witness_least_p = 3;
const int witness_most_p = 4;

enum { MOST_RANKS = 64 };
static const void *peer[MOST_RANKS]; /* UCX's end points */
static int learning = -1;
static uint64_t messages;

void witness_start(void)
{
    messages = SUP_HASH_START;
}

struct witness_algorithm witness_algorithm(void)
{
    return (struct witness_algorithm){.call = NULL};
}

uint64_t witness_messages(void)
{
    return messages;
}

void witness_learn(int rank)
{
    learning = rank;
}

static void note(const void *to, size_t bytes)
{
    uint64_t message[2] = {MOST_RANKS, bytes};
    if (learning >= 0 && learning < MOST_RANKS)
        peer[learning] = to;
    for (uint64_t i = 0; i < MOST_RANKS; i++)
        if (peer[i] == to)
            message[0] = i;
    messages = sup_hash_bytes(messages, message, sizeof message);
}

typedef void *sender(void *to, const void *buffer, size_t count, uint64_t tag, const void *how);
void *ucp_tag_send_nbx(void *to, const void *buffer, size_t count, uint64_t tag, const void *how);

void *ucp_tag_send_nbx(void *to, const void *buffer, size_t count, uint64_t tag, const void *how)
{
    sender *next;
    *(void **)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    if (next == NULL) {
        fprintf(stderr, "UCX has no ucp_tag_send_nbx\n");
        abort();
    }
    note(to, count);
    return next(to, buffer, count, tag, how);
}
