/* allgather_circulant.c - p circulant broadcasts at once, their blocks packed into one message.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Algorithm 7.
 * Rounds: n - 1 + q, q = ceil(log2 p). Volume: n (p - 1) blocks received per rank, optimal.
 * Memory of the plan: q p bytes, the send schedules of all relative ranks: in every round a rank
 * needs one entry for each owner, and what it receives is what another rank sends. One table serves
 * all owners, because a schedule depends on the distance from the root alone. No state per rank.
 *
 * Round t of a rank is the round of bcast_circulant.c for every owner j, in the order of j: with
 * r - j as relative rank. Nothing is sent to j of j's own. p = 3, n = 1 (q = 2, skips 1 2 3):
 * round 0: r sends its own block to r + 1; round 1: to r + 2. */
#include <stdlib.h>

#include "schedules/circulant/circulant.h"
#include "schedules/patterns/packed.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = plan->p == 1 ? 1 : 2 * (plan->p - 1);
    const int status = rb_circulant_rounds_init(plan, why, why_size);
    if (status != RB_OK || plan->p == 1)
        return status;
    return rb_circulant_rounds_table(plan, why, why_size);
}

static void fini(struct rb_plan *plan)
{
    free(plan->data.circulant.table);
}

/* What rank `sender` sends in a round, by its send row: a block of each owner but `to`. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int32_t sender,
                    int32_t to, const int8_t row[], int64_t shift, struct rb_op ops[])
{
    const int64_t last = plan->n - 1;
    int32_t count = 0;
    for (int32_t owner = 0; owner < plan->p; owner++) {
        const int32_t relative = sender >= owner ? sender - owner : sender + (plan->p - owner);
        const int64_t block = row[relative] + shift;
        if (block < 0 || owner == to)
            continue;
        ops[count++] = (struct rb_op){
            .kind = kind,
            .peer = peer,
            .at = {RB_DST, owner, block < last ? block : last, 1},
        };
    }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    const struct rb_circulant_round now = rb_circulant_round_of(plan, t);
    const int8_t *row = plan->data.circulant.table + (size_t)now.k * (size_t)plan->p;
    const int32_t r = state->rank;
    const int32_t to = rb_circulant_to(graph, r, now.k), from = rb_circulant_from(graph, r, now.k);

    const int32_t count = pack(plan, RB_SEND, to, r, to, row, now.shift, ops);
    return count + pack(plan, RB_RECV, from, from, r, row, now.shift, ops + count);
}

struct content {
    int64_t shift, last;
};

static int64_t block_of(const void *context, int8_t entry)
{
    const struct content *content = context;
    const int64_t block = entry + content->shift;
    return block < content->last ? block : content->last;
}

static int32_t envelopes(const struct rb_plan *plan, const struct rb_lengths *lengths,
                         const struct rb_rank *state, int64_t t, struct rb_envelope envelope[])
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    const struct rb_circulant_round now = rb_circulant_round_of(plan, t);
    const struct content content = {now.shift, plan->n - 1};
    const int32_t r = state->rank;
    int32_t count = 0;
    for (int32_t sends = 1; sends >= 0; sends--) {
        const int32_t peer =
            sends ? rb_circulant_to(graph, r, now.k) : rb_circulant_from(graph, r, now.k);
        const struct rb_packed packed = {
            plan,
            lengths,
            NULL,
            plan->p,
            graph->q,
            plan->data.circulant.table + (size_t)now.k * (size_t)plan->p,
            now.k,
            sends ? r : peer,
            sends ? peer : r,
            block_of,
            &content};
        bool any;
        const int64_t bytes = rb_packed_length(&packed, &any);
        if (any)
            envelope[count++] = (struct rb_envelope){sends, peer, 0, bytes, 0};
    }
    return count;
}

static size_t envelope_table(const struct rb_plan *plan, void *table)
{
    return rb_packed_table(plan->data.circulant.table, plan->p, plan->data.circulant.graph.q,
                           table);
}

/* A rank always has a block of its own to send. All messages of a round have the same length,
 * because every owner has the same relative ranks. */
RB_ROW(rb_allgather_circulant, "allgather", "circulant",
       "p packed broadcasts on the circulant graph", "Traeff 2024, Algorithm 7",
       "n - 1 + ceil(log2 p)", RB_PIPELINED(" of every rank"), .info.circulant = true, .init = init,
       .fini = fini, .round = round_, .next = rb_never_idle, .cost = rb_cost_of_others,
       .envelopes = envelopes, .envelope_table = envelope_table);
