/* exchange.c - RB_Alltoall, RB_Alltoallv: every rank has data for each rank.
 *
 * SRC is the send buffer, row d of it for rank d; DST the receive buffer, row s of it from rank s.
 * In MPI_Alltoallv a rank knows the counts of its own pairs only. So the plan may depend on nothing
 * that is the call's. Where a setting names one that forwards data, the ranks first tell each other
 * the counts of all pairs; otherwise only those serve that send directly, without a buffer for what
 * is forwarded. */
#include <string.h>

#include "arguments.h"
#include "call.h"
#include "data.h"

/* One side of a call: where each other rank's data are. */
struct side {
    struct lib_data data;          /* of rank 0 where counts are regular: all have as many */
    const int *counts, *displs;    /* NULL: regular */
    int64_t *count, *displacement; /* irregular: per row, in bytes of memory or packed */
    int64_t *plan_count, *plan_displacement; /* the same by the plan's ranks */
    int64_t row;                             /* regular: from row to row in bytes of memory */
    int64_t bytes;                           /* of all rows */
    char *memory;                            /* dense data are in place, other data packed */
};

struct exchange {
    struct lib_call *call;
    struct side sent, received;
    bool in_place;
    int p;
    int64_t *first;    /* of all pairs' bytes in sequence, of the plan's ranks; NULL: unknown */
    int64_t *tmp_rows; /* then, displacements */
    int64_t tmp_bytes;
};

static struct lib_data row_of(const struct side *side, int rank)
{
    struct lib_data row = side->data;
    if (side->counts != NULL)
        row.count = side->counts[rank];
    const int64_t element = side->counts != NULL ? side->displs[rank] : rank * side->data.count;
    row.address = lib_data_at(&row, element);
    return row;
}

/* Where a row begins in the side's memory. */
static char *row_memory(const struct side *side, int rank)
{
    return side->memory + (side->counts != NULL ? side->displacement[rank] : rank * side->row);
}

/* ---- The data to exchange -------------------------------------------------------------------- */

/* The rows' counts and displacements in bytes: in the caller's memory if it is dense, otherwise
 * packed in sequence. MPI error code. */
static int list_rows(struct side *side, int p, bool packed, int64_t room[])
{
    side->count = side->plan_count = room;
    side->displacement = side->plan_displacement = room + p;
    side->bytes = 0;
    for (int i = 0; i < p; i++) {
        if (side->counts[i] < 0)
            return MPI_ERR_COUNT;
        side->count[i] = side->counts[i] * side->data.elements.size;
        side->displacement[i] = packed ? side->bytes : side->displs[i] * side->data.elements.extent;
        side->bytes += side->count[i];
    }
    return MPI_SUCCESS;
}

/* True if the side's data are in memory of the call, not in the user's buffer. */
static bool is_packed(const struct exchange *exchange, const struct side *side)
{
    return !side->data.elements.dense || (side == &exchange->sent && exchange->in_place) ||
           (side->counts == NULL && side->row != lib_data_bytes(&side->data));
}

/* Regular rows that are sent should be as long as those received. If they are not, the messages
 * have the latters' length, as other ranks expect it; rows that are too long stay here. */
static bool is_too_long(const struct exchange *exchange)
{
    return exchange->sent.counts == NULL &&
           lib_data_bytes(&exchange->sent.data) > exchange->sent.row;
}

/* If count and datatype of both sides are equal, their buffers must differ. */
static int check_buffers(const struct exchange *exchange)
{
    const struct side *sent = &exchange->sent, *received = &exchange->received;
    int error = lib_check_buffer(received->data.address, &received->data.elements, received->bytes);
    if (error != MPI_SUCCESS || exchange->in_place)
        return error;
    error = lib_check_buffer(sent->data.address, &sent->data.elements, sent->bytes);
    if (error == MPI_SUCCESS && sent->data.elements.type == received->data.elements.type &&
        sent->data.count == received->data.count && sent->counts == received->counts)
        error = lib_check_alias(sent->data.address, received->data.address, sent->bytes);
    return error;
}

/* Rows for forwarded data have room for the longest. With a few long ones among short ones that
 * would be far more than the data. */
enum { MOST_ROOM = 16, LITTLE_ROOM = 1 << 20 };

static bool has_room(const struct exchange *exchange)
{
    return exchange->tmp_bytes <= LITTLE_ROOM ||
           exchange->tmp_bytes / MOST_ROOM <=
               exchange->first[(size_t)exchange->p * (size_t)exchange->p] / exchange->p;
}

/* Puts a side's rows in the order of the plan's ranks, into 2 p numbers; packed data stay where
 * they are. */
static void order_side(const struct exchange *exchange, struct side *side, int64_t room[])
{
    const int p = exchange->p;
    for (int i = 0; i < p; i++) {
        const int rank = lib_call_rank(exchange->call, i);
        room[i] = side->count[rank];
        room[p + i] = side->displacement[rank];
    }
    side->plan_count = room;
    side->plan_displacement = room + p;
}

/* Tells all ranks the counts of all pairs, and finds the places of forwarded data. All ranks return
 * the same: if what one sends is not what the other expects, an error. */
static int share_counts(struct exchange *exchange)
{
    const struct lib_communicator *communicator = exchange->call->communicator;
    const size_t p = (size_t)exchange->p, all = p * p;
    const size_t rows = (size_t)rb_plan_rows(exchange->call->cached->plan, RB_TMP);
    int64_t *room = lib_scratch_reserve(&exchange->call->communicator->pairs,
                                        (6 * p + 2 * all + all + 1 + rows) * sizeof *room);
    if (room == NULL)
        return MPI_ERR_NO_MEM;
    int64_t *mine = room, *theirs = mine + 2 * p, most = 0;
    memcpy(mine, exchange->sent.count, p * sizeof *mine);
    memcpy(mine + p, exchange->received.count, p * sizeof *mine);
    int error = PMPI_Allgather(mine, (int)(2 * p), MPI_INT64_T, theirs, (int)(2 * p), MPI_INT64_T,
                               communicator->of);
    if (error != MPI_SUCCESS)
        return error;
    exchange->first = theirs + 2 * all;
    exchange->tmp_rows = exchange->first + all + 1;
    order_side(exchange, &exchange->sent, exchange->tmp_rows + rows);
    order_side(exchange, &exchange->received, exchange->tmp_rows + rows + 2 * p);
    exchange->first[0] = 0;
    for (size_t pair = 0; pair < all; pair++) {
        const size_t from = (size_t)lib_call_rank(exchange->call, (int32_t)(pair / p));
        const size_t to = (size_t)lib_call_rank(exchange->call, (int32_t)(pair % p));
        const int64_t sent = theirs[2 * p * from + to], expected = theirs[2 * p * to + p + from];
        if (sent != expected && error != MPI_ERR_TRUNCATE)
            error = sent > expected ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
        exchange->first[pair + 1] = exchange->first[pair] + sent;
        most = sent > most ? sent : most;
    }
    for (size_t i = 0; i < rows; i++)
        exchange->tmp_rows[i] = (int64_t)i * most;
    exchange->tmp_bytes = (int64_t)rows * most;
    return error;
}

static int plan_exchange(struct exchange *exchange)
{
    const int p = exchange->p = exchange->call->communicator->p;
    struct side *sides[] = {&exchange->sent, &exchange->received};
    const bool irregular = exchange->received.counts != NULL;
    int error = MPI_SUCCESS;
    if (irregular) {
        int64_t *room = lib_scratch_reserve(&exchange->call->communicator->counts,
                                            4 * (size_t)p * sizeof *room);
        if (room == NULL)
            return MPI_ERR_NO_MEM;
        for (int i = 0; i < 2 && error == MPI_SUCCESS; i++)
            error = list_rows(sides[i], p, is_packed(exchange, sides[i]), room + 2 * i * p);
    } else {
        for (int i = 0; i < 2; i++) {
            sides[i]->row = lib_data_bytes(&exchange->received.data);
            sides[i]->bytes = p * sides[i]->row;
        }
    }
    if (error != MPI_SUCCESS)
        return error;
    const struct choice_situation situation = {.bytes =
                                                   irregular ? 0 : p * exchange->received.bytes,
                                               .irregular = irregular,
                                               .direct = irregular};
    exchange->call->is_fixed = exchange->received.data.elements.named;
    error = lib_call_plan(exchange->call, 0, &situation);
    const bool is_planned = lib_call_is_planned(exchange->call, error);
    if (is_planned)
        error = check_buffers(exchange);
    if (is_planned && error == MPI_SUCCESS && irregular &&
        rb_plan_has(exchange->call->cached->plan, RB_TMP))
        error = share_counts(exchange);
    if (exchange->first != NULL && error == MPI_SUCCESS && !has_room(exchange))
        lib_call_give_up(exchange->call);
    lib_call_check_type(exchange->call, &exchange->received.data.elements);
    if (!exchange->in_place)
        lib_call_check_type(exchange->call, &exchange->sent.data.elements);
    if (irregular) /* -1: not known */
        exchange->call->event.bytes =
            exchange->first != NULL ? exchange->first[(size_t)p * (size_t)p] : -1;
    return error;
}

/* Fills in the exchange and plans it. Counts and displs are NULL where they are regular. */
static int prepare(struct exchange *exchange, struct lib_call *call,
                   const struct lib_arguments *given)
{
    struct side *sent = &exchange->sent, *received = &exchange->received;
    *exchange =
        (struct exchange){.call = call,
                          .in_place = given->sendbuf == MPI_IN_PLACE,
                          .sent = {.counts = given->sendcounts, .displs = given->sdispls},
                          .received = {.counts = given->recvcounts, .displs = given->rdispls}};
    if (!lib_call_are_plain(call, given))
        return MPI_SUCCESS;
    int error = lib_call_begin(call, given->comm);
    if (error == MPI_SUCCESS)
        error = lib_data_of(given->recvbuf, given->recvtype, given->recvcount, &received->data);
    if (error == MPI_SUCCESS && exchange->in_place)
        *sent = *received;
    else if (error == MPI_SUCCESS)
        error = lib_data_of(given->sendbuf, given->sendtype, given->sendcount, &sent->data);
    return error != MPI_SUCCESS ? error : plan_exchange(exchange);
}

/* ---- The exchange ---------------------------------------------------------------------------- */

/* The call's own memory for each packed side, and in *tmp for forwarded data. */
static int place_sides(struct exchange *exchange, char **tmp)
{
    struct side *sides[] = {&exchange->sent, &exchange->received};
    const struct rb_plan *plan = exchange->call->cached->plan;
    int64_t bytes = exchange->tmp_bytes;
    if (exchange->first == NULL && rb_plan_has(plan, RB_TMP))
        bytes = rb_plan_rows(plan, RB_TMP) * exchange->received.row;
    for (int i = 0; i < 2; i++)
        bytes += is_packed(exchange, sides[i]) ? sides[i]->bytes : 0;
    char *memory = lib_scratch_reserve(&exchange->call->communicator->data, (size_t)bytes);
    if (memory == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < 2; i++) {
        const bool packed = is_packed(exchange, sides[i]);
        sides[i]->memory = packed ? memory : sides[i]->data.address;
        memory += packed ? sides[i]->bytes : 0;
    }
    *tmp = memory;
    return MPI_SUCCESS;
}

static int run_exchange(struct exchange *exchange)
{
    const struct exec_self *self = &exchange->call->communicator->self;
    const struct side *sent = &exchange->sent, *received = &exchange->received;
    char *tmp = NULL;
    int error = place_sides(exchange, &tmp);
    const bool packs = is_packed(exchange, sent) && !is_too_long(exchange);
    for (int i = 0; i < exchange->p && error == MPI_SUCCESS && packs; i++) {
        const struct lib_data row = row_of(sent, i);
        error = lib_data_pack(&row, row_memory(sent, i), self);
    }
    if (error != MPI_SUCCESS)
        return error;
    struct rb_layout layout = {
        .bytes = exchange->p * received->bytes, .element = 1, .first = exchange->first};
    if (exchange->first != NULL)
        layout.bytes = exchange->first[(size_t)exchange->p * (size_t)exchange->p];
    else if (received->counts != NULL)
        layout.bytes = sent->bytes > received->bytes ? sent->bytes : received->bytes;
    struct exec_run run = {
        .layout = &layout,
        .buffer = {[RB_SRC] = sent->memory, [RB_DST] = received->memory, [RB_TMP] = tmp},
        .rows = {[RB_SRC] = {.displacement = sent->plan_displacement, .count = sent->plan_count},
                 [RB_DST] = {.displacement = received->plan_displacement,
                             .count = received->plan_count},
                 [RB_TMP] = {.displacement = exchange->tmp_rows}},
        .elements = &exec_elements_bytes};
    error = lib_call_run(exchange->call, &run);
    for (int i = 0; i < exchange->p && error == MPI_SUCCESS && is_packed(exchange, received); i++) {
        const struct lib_data row = row_of(received, i);
        error = lib_data_unpack(&row, row_memory(received, i), self);
    }
    return error == MPI_SUCCESS && is_too_long(exchange) ? MPI_ERR_TRUNCATE : error;
}

int lib_serve_alltoall(struct lib_call *call, const struct lib_arguments *given)
{
    struct exchange exchange;
    const int error = prepare(&exchange, call, given);
    return lib_call_is_planned(call, error) ? run_exchange(&exchange) : error;
}

int lib_serve_alltoallv(struct lib_call *call, const struct lib_arguments *given)
{
    return lib_serve_alltoall(call, given);
}
