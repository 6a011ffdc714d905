/* rooted.c - RB_Scatter, RB_Gather: each rank's part comes from the root, or goes to the root. Only
 * the root's call gives the locations of all parts; the other ranks know only their own part, which
 * has the same size as every other one. Data are bytes (data.h), in the order of ranks. The root
 * has all of them. Another rank has room for the parts that pass through it, including its own:
 * they belong to consecutive ranks of the plan, counted from the root, and may wrap around from the
 * last rank to the first. */
#include "arguments.h"
#include "call.h"
#include "data.h"

struct parts {
    struct lib_call *call;
    struct lib_data own; /* this rank's part; with MPI_IN_PLACE, its location among all parts */
    struct lib_data all; /* all parts; at the root only */
    bool is_root, in_place;
    int root;
    int64_t bytes; /* of one part; at the root, of one of all */
};

/* The parts that a rank holds: those of `count` ranks, from rank `first` on. */
struct span {
    int32_t first, count;
};

/* ---- The data to move ------------------------------------------------------------------------ */

/* At the root the buffer for its own part must not be this part's location among all parts. */
static int check_buffers(const struct parts *parts)
{
    const struct lib_data *own = &parts->own, *all = &parts->all;
    if (!parts->is_root)
        return lib_check_buffer(own->address, &own->elements, own->count);
    int error = lib_check_buffer(all->address, &all->elements, all->count);
    if (error != MPI_SUCCESS || parts->in_place)
        return error;
    error = lib_check_buffer(own->address, &own->elements, own->count);
    if (error == MPI_SUCCESS && own->elements.type == all->elements.type &&
        lib_data_bytes(own) == parts->bytes)
        error =
            lib_check_alias(own->address, lib_data_at(all, parts->root * own->count), own->count);
    return error;
}

/* One side of a call: a rank's own part, or all parts. */
struct side {
    const void *buffer;
    int count; /* of a part */
    MPI_Datatype type;
};

/* Leaves call->cached NULL where the MPI library must serve the call. */
static int plan_parts(struct parts *parts, const struct side *own, const struct side *all, int root,
                      MPI_Comm comm)
{
    struct lib_call *call = parts->call;
    if (!lib_call_is_plain(call, comm, 0, MPI_BYTE))
        return MPI_SUCCESS;
    int error = lib_call_begin(call, comm);
    if (error != MPI_SUCCESS)
        return error;
    const int p = call->communicator->p;
    parts->root = root;
    parts->is_root = call->communicator->rank == root;
    parts->in_place = parts->is_root && own->buffer == MPI_IN_PLACE;
    const bool knows_all = parts->is_root && lib_call_is_plain(call, comm, all->count, all->type);
    if (parts->in_place ? !knows_all : !lib_call_is_plain(call, comm, own->count, own->type))
        return MPI_SUCCESS;
    if (knows_all)
        error = lib_data_of(all->buffer, all->type, (int64_t)all->count * p, &parts->all);
    if (error == MPI_SUCCESS && !parts->in_place)
        error = lib_data_of(own->buffer, own->type, own->count, &parts->own);
    if (error != MPI_SUCCESS)
        return error;
    if (parts->in_place) {
        parts->own = parts->all;
        parts->own.count = all->count;
        parts->own.address = lib_data_at(&parts->all, (int64_t)root * all->count);
    }
    parts->bytes = knows_all ? lib_data_bytes(&parts->all) / p : lib_data_bytes(&parts->own);
    const struct choice_situation situation = {.bytes = p * parts->bytes};
    call->is_fixed = (knows_all ? &parts->all : &parts->own)->elements.named;
    error = lib_call_plan(call, root, &situation);
    if (parts->is_root && !knows_all) /* the other ranks do not know this and have made the plan
                                       * too */
        lib_call_refuse(call);
    if (lib_call_is_planned(call, error))
        error = check_buffers(parts);
    lib_call_check_type(call, &parts->own.elements);
    if (parts->is_root)
        lib_call_check_type(call, &parts->all.elements);
    return error;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The parts that this rank's rounds name, and its own: those of consecutive ranks of the plan,
 * counted from the root on. MPI error code. */
static int find_span(const struct parts *parts, struct span *span)
{
    struct lib_communicator *communicator = parts->call->communicator;
    const struct rb_plan *plan = parts->call->cached->plan;
    const struct rb_rank *state = &parts->call->cached->state;
    const int32_t p = communicator->p, root = lib_call_plan_rank(parts->call, parts->root);
    const int32_t mine = (lib_call_plan_rank(parts->call, communicator->rank) - root + p) % p;
    int32_t low = mine, high = mine;
    struct rb_op *ops =
        lib_scratch_reserve(&communicator->counts, (size_t)rb_plan_max_ops(plan) * sizeof *ops);
    if (ops == NULL)
        return MPI_ERR_NO_MEM;
    for (int64_t t = rb_plan_next(plan, state, 0); t < rb_plan_rounds(plan);
         t = rb_plan_next(plan, state, t + 1)) {
        const int32_t count = rb_layout_checked_round(plan, NULL, state, t, ops, NULL, 0);
        if (count < 0)
            return MPI_ERR_INTERN;
        for (int32_t i = 0; i < count; i++) {
            const int32_t owner = (ops[i].at.owner - root + p) % p;
            low = owner < low ? owner : low;
            high = owner > high ? owner : high;
        }
    }
    *span = (struct span){(root + low) % p, high - low + 1};
    return MPI_SUCCESS;
}

/* Runs the plan on the parts of a span in `data`. */
static int run(struct parts *parts, const struct span *span, char *data)
{
    const struct rb_layout layout = {.bytes = parts->call->communicator->p * parts->bytes,
                                     .element = 1};
    struct exec_run execution = {.layout = &layout,
                                 .buffer = {[RB_DST] = data},
                                 .rows = {[RB_DST] = {.origin = span->first * parts->bytes}},
                                 .elements = &exec_elements_bytes};
    return lib_call_run(parts->call, &execution);
}

/* The offset of this rank's part in the parts of a span. */
static char *own_place(const struct parts *parts, const struct span *span, char *data)
{
    const int32_t p = parts->call->communicator->p, rank = parts->call->communicator->rank;
    const int32_t own = parts->is_root ? rank : lib_call_plan_rank(parts->call, rank);
    return data + (own - span->first + p) % p * parts->bytes;
}

/* True if the rank's part is in its own buffer already. */
static bool is_there(const struct parts *parts, const struct span *span, char *data)
{
    return own_place(parts, span, data) == parts->own.address;
}

/* Memory for a span: the caller's if it is dense and has exactly this part, otherwise the
 * call's. */
static int place_span(const struct parts *parts, struct span *span, char **data)
{
    const struct lib_data *callers = parts->is_root ? &parts->all : &parts->own;
    const int32_t p = parts->call->communicator->p;
    int error = MPI_SUCCESS;
    *span = (struct span){0, p};
    if (!parts->is_root)
        error = find_span(parts, span);
    if (error != MPI_SUCCESS)
        return error;
    *data = callers->address;
    if (!callers->elements.dense || span->count * parts->bytes != lib_data_bytes(callers))
        *data = lib_scratch_reserve(&parts->call->communicator->data,
                                    (size_t)(span->count * parts->bytes));
    return *data == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* ---- Scatter, Gather ------------------------------------------------------------------------- */

/* At the root a part of all may be longer than its own data, or shorter; the other ranks wait for
 * its messages nevertheless. MPI_ERR_TRUNCATE where the part to be copied is the longer one. */

static int put_own(const struct parts *parts, char *part, const struct exec_self *self)
{
    if (lib_data_bytes(&parts->own) > parts->bytes)
        return MPI_ERR_TRUNCATE;
    return lib_data_pack(&parts->own, part, self);
}

static int take_own(const struct parts *parts, char *part, const struct exec_self *self)
{
    struct lib_data own = parts->own;
    if (parts->bytes > lib_data_bytes(&own))
        return MPI_ERR_TRUNCATE;
    if (parts->bytes < lib_data_bytes(&own))
        own.count = parts->bytes / own.elements.size;
    return lib_data_unpack(&own, part, self);
}

static int run_scatter(struct parts *parts)
{
    const struct exec_self *self = &parts->call->communicator->self;
    struct span span;
    char *data;
    if (parts->bytes == 0) /* then the buffers may be NULL */
        return MPI_SUCCESS;
    int error = place_span(parts, &span, &data);
    if (error == MPI_SUCCESS && parts->is_root && data != parts->all.address)
        error = lib_data_pack(&parts->all, data, self);
    if (error == MPI_SUCCESS)
        error = run(parts, &span, data);
    if (error == MPI_SUCCESS && !parts->in_place && !is_there(parts, &span, data))
        error = take_own(parts, own_place(parts, &span, data), self);
    return error;
}

static int run_gather(struct parts *parts)
{
    const struct exec_self *self = &parts->call->communicator->self;
    struct span span;
    char *data;
    if (parts->bytes == 0) /* then the buffers may be NULL */
        return MPI_SUCCESS;
    int put_error = MPI_SUCCESS, error = place_span(parts, &span, &data);
    if (error != MPI_SUCCESS)
        return error;
    if (!is_there(parts, &span, data))
        put_error = put_own(parts, own_place(parts, &span, data), self);
    if (put_error != MPI_SUCCESS && !parts->is_root) /* nobody may get what is not there */
        return put_error;
    error = run(parts, &span, data);
    if (error == MPI_SUCCESS && parts->is_root && data != parts->all.address)
        error = lib_data_unpack(&parts->all, data, self);
    return error != MPI_SUCCESS ? error : put_error;
}

/* The data sent are all parts, or a rank's own part. */
static int serve(struct lib_call *call, const struct lib_arguments *given, bool sends_all)
{
    const struct side sent = {given->sendbuf, given->sendcount, given->sendtype};
    const struct side received = {given->recvbuf, given->recvcount, given->recvtype};
    struct parts parts = {.call = call};
    const int error = plan_parts(&parts, sends_all ? &received : &sent,
                                 sends_all ? &sent : &received, given->root, given->comm);
    if (!lib_call_is_planned(call, error))
        return error;
    return sends_all ? run_scatter(&parts) : run_gather(&parts);
}

int lib_serve_scatter(struct lib_call *call, const struct lib_arguments *given)
{
    return serve(call, given, true);
}

int lib_serve_gather(struct lib_call *call, const struct lib_arguments *given)
{
    return serve(call, given, false);
}
