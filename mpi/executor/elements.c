#include "elements.h"

#include <string.h>
#include <threads.h>

const struct exec_elements exec_elements_bytes = {.type = MPI_BYTE,
                                                  .op = MPI_OP_NULL,
                                                  .extent = 1,
                                                  .true_extent = 1,
                                                  .size = 1,
                                                  .named = true,
                                                  .dense = true,
                                                  .commutative = true};

/* A cache of the types used last. It has only named types, which cannot be freed. Without it a
 * short call would spend a third of its set-up time on queries about MPI_INT. */
enum { KNOWN = 4 };
static thread_local struct exec_elements known[KNOWN];
static thread_local int oldest;

static bool is_known(MPI_Datatype type, struct exec_elements *elements)
{
    for (int i = 0; i < KNOWN; i++)
        if (known[i].extent > 0 && known[i].type == type) {
            *elements = known[i];
            return true;
        }
    return false;
}

static void remember(const struct exec_elements *elements)
{
    known[oldest] = *elements;
    oldest = (oldest + 1) % KNOWN;
}

static int query(MPI_Datatype type, struct exec_elements *elements)
{
    int error, integers, addresses, types, combiner;
    MPI_Count size;
    MPI_Aint lb;
    *elements = (struct exec_elements){.type = type, .op = MPI_OP_NULL, .commutative = true};
    if ((error = PMPI_Type_size_x(type, &size)) != MPI_SUCCESS ||
        (error = PMPI_Type_get_extent(type, &lb, &elements->extent)) != MPI_SUCCESS ||
        (error = PMPI_Type_get_true_extent(type, &elements->true_lb, &elements->true_extent)) !=
            MPI_SUCCESS ||
        (error = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner)) !=
            MPI_SUCCESS)
        return error;
    /* A derived type of the same size and extent may yet hold its parts in another order. */
    elements->size = size;
    elements->named = combiner == MPI_COMBINER_NAMED;
    elements->dense = elements->named && size == elements->extent && size == elements->true_extent;
    if (elements->named)
        remember(elements);
    return MPI_SUCCESS;
}

int exec_elements_of(MPI_Datatype type, MPI_Op op, struct exec_elements *elements)
{
    int error, commutes;
    if (!is_known(type, elements) && (error = query(type, elements)) != MPI_SUCCESS)
        return error;
    if (op == MPI_OP_NULL)
        return MPI_SUCCESS;
    if ((error = PMPI_Op_commutative(op, &commutes)) != MPI_SUCCESS)
        return error;
    elements->op = op;
    elements->commutative = commutes != 0;
    return MPI_SUCCESS;
}

size_t exec_elements_room(const struct exec_elements *elements, int64_t count)
{
    return count == 0 ? 0 : (size_t)((count - 1) * elements->extent + elements->true_extent);
}

static int32_t at_most(int64_t count)
{
    return count < EXEC_MAX_COUNT ? (int32_t)count : EXEC_MAX_COUNT;
}

int exec_elements_copy(const struct exec_elements *elements, const void *from, void *to,
                       int64_t count, const struct exec_self *self)
{
    const char *source = from;
    char *target = to;
    if (elements->dense) {
        if (count > 0)
            memcpy(target, source, (size_t)count * (size_t)elements->extent);
        return MPI_SUCCESS;
    }
    while (count > 0) {
        const int32_t now = at_most(count);
        const int error =
            PMPI_Sendrecv(source, now, elements->type, self->rank, self->tag, target, now,
                          elements->type, self->rank, self->tag, self->comm, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS)
            return error;
        source += now * elements->extent;
        target += now * elements->extent;
        count -= now;
    }
    return MPI_SUCCESS;
}

/* PMPI_Reduce_local(in, inout) computes inout = in op inout, so it fits where the incoming operand
 * is the left one. Otherwise the result is computed in the incoming operand's memory and copied. */
int exec_elements_combine(const struct exec_elements *elements, void *incoming, void *result,
                          int64_t count, bool incoming_is_left, const struct exec_self *self)
{
    const bool in_place = exec_elements_keeps(elements, incoming_is_left);
    char *in = in_place ? incoming : result, *inout = in_place ? result : incoming;
    for (int64_t done = 0; done < count;) {
        const int32_t now = at_most(count - done);
        const int error =
            PMPI_Reduce_local(in + done * elements->extent, inout + done * elements->extent, now,
                              elements->type, elements->op);
        if (error != MPI_SUCCESS)
            return error;
        done += now;
    }
    return in_place ? MPI_SUCCESS : exec_elements_copy(elements, incoming, result, count, self);
}
