/* transport_mpich.c - the messages of MPICH on UCX (trace.h).
 *
 * MPICH's own functions are not visible outside its library, but it calls UCX, the library below
 * it, by name, and the loader finds these functions first. An endpoint says where a message goes;
 * the messages by which the ranks connect show whose it is. A tag has all that MPICH matches by:
 * the context, the source and MPI's tag. */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

#include "trace.h"

#define EXPORTED __attribute__((visibility("default")))

static ucp_ep_h *endpoint_of; /* of each rank in MPI_COMM_WORLD */
static int ranks_known;

static int peer_of(ucp_ep_h endpoint)
{
    if (trace_connecting_to() >= 0)
        endpoint_of[trace_connecting_to()] = endpoint;
    for (int i = 0; i < ranks_known; i++)
        if (endpoint_of[i] == endpoint)
            return i;
    return -1;
}

/* A datatype that is not contiguous can only be packed by UCX. */
static void note(bool send, int peer, const void *buffer, size_t count, ucp_tag_t tag,
                 const ucp_request_param_t *param)
{
    const bool typed = (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE) != 0;
    const bool plain = !typed || (param->datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG;
    const size_t size = typed && plain ? param->datatype >> UCP_DATATYPE_SHIFT : 1;
    trace_message(send, peer, tag, plain ? buffer : NULL, count * size);
}

/* The address of UCX's own function. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (next == NULL)                                                                              \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

EXPORTED ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void *buffer, size_t count,
                                           ucp_tag_t tag, const ucp_request_param_t *param)
{
    NEXT(ucp_tag_send_nbx);
    if (trace_is_on())
        note(true, peer_of(endpoint), buffer, count, tag, param);
    return next(endpoint, buffer, count, tag, param);
}

EXPORTED ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t count,
                                           ucp_tag_t tag, ucp_tag_t mask,
                                           const ucp_request_param_t *param)
{
    NEXT(ucp_tag_recv_nbx);
    if (trace_is_on())
        note(false, -1, buffer, count, tag, param);
    return next(worker, buffer, count, tag, mask, param);
}

void trace_transport_start(int ranks)
{
    endpoint_of = calloc((size_t)ranks, sizeof *endpoint_of);
    ranks_known = endpoint_of == NULL ? 0 : ranks;
}
