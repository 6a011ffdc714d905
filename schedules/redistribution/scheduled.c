#include "redistribution.h"

#include <stdlib.h>
#include <string.h>

/* The pieces of each rank in one direction, by rising round: those of rank r are piece[first[r]] ..
 * piece[first[r + 1] - 1], indices into the timetable. */
struct of_ranks {
    size_t *first; /* ranks + 1 */
    uint32_t *piece;
};

struct redist_scheduled {
    struct rb_timetable timetable;
    int32_t *round; /* of each piece */
    struct of_ranks sent, received;
};

static struct redist_scheduled *scheduled_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

static const struct rb_message *message_of(const struct rb_plan *plan, size_t piece)
{
    const struct redist_scheduled *scheduled = scheduled_of(plan);
    return &redist_problem_of(plan)->traffic.message[scheduled->timetable.piece[piece].message];
}

static int32_t receiver(const struct rb_plan *plan, const struct rb_message *message)
{
    return redist_problem_of(plan)->problem.at + message->to;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static int32_t end_of(const struct rb_plan *plan, size_t piece, bool sender)
{
    const struct rb_message *message = message_of(plan, piece);
    return sender ? message->from : receiver(plan, message);
}

/* Counting sort by rank, which keeps the order of time. */
static int sort_by_rank(const struct rb_plan *plan, bool sender, struct of_ranks *ranks)
{
    const size_t count = scheduled_of(plan)->timetable.count;
    ranks->first = calloc((size_t)plan->p + 2, sizeof *ranks->first);
    ranks->piece = malloc((count + 1) * sizeof *ranks->piece);
    if (ranks->first == NULL || ranks->piece == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < count; i++)
        ranks->first[end_of(plan, i, sender) + 2]++;
    for (int32_t r = 0; r < plan->p; r++)
        ranks->first[r + 2] += ranks->first[r + 1];
    for (size_t i = 0; i < count; i++)
        ranks->piece[ranks->first[end_of(plan, i, sender) + 1]++] = (uint32_t)i;
    return RB_OK;
}

/* Numbers the times at which pieces start. */
static int number_rounds(struct rb_plan *plan)
{
    struct redist_scheduled *scheduled = scheduled_of(plan);
    const struct rb_timetable *timetable = &scheduled->timetable;
    int32_t rounds = 0;
    if (timetable->count >= INT32_MAX)
        return RB_ENOMEM;
    scheduled->round = malloc((timetable->count + 1) * sizeof *scheduled->round);
    if (scheduled->round == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < timetable->count; i++) {
        rounds += i == 0 || timetable->piece[i].start != timetable->piece[i - 1].start;
        scheduled->round[i] = rounds - 1;
    }
    plan->rounds = rounds > 0 ? rounds : redist_problem_of(plan)->traffic.copies > 0;
    plan->max_ops = 3;
    return RB_OK;
}

/* Every algorithm of this kind has the name of one. */
static const struct rb_redistribute_method *method_named(const char *name)
{
    const struct rb_redistribute_method *method = rb_redistribute_methods;
    while (strcmp(method->name, name) != 0)
        method++;
    return method;
}

/* By the algorithm's method; where there is nothing to send, every method's is empty. */
static int make_timetable(const struct rb_plan *plan, struct rb_timetable *timetable, char *why,
                          size_t why_size)
{
    const struct rb_redistribute_method *method = method_named(plan->algorithm->info.name);
    const struct redist_problem *all = redist_problem_of(plan);
    if (all->traffic.count == 0)
        return RB_OK;
    const int status =
        method->schedule(&all->problem, &all->traffic, NULL, timetable, why, why_size);
    if (status != RB_OK)
        *timetable = (struct rb_timetable){0};
    return status;
}

int redist_scheduled_init(struct rb_plan *plan, char *why, size_t why_size)
{
    char reason[200] = "";
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    struct redist_scheduled *scheduled = plan->data.own = calloc(1, sizeof *scheduled);
    if (scheduled == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    status = make_timetable(plan, &scheduled->timetable, reason, sizeof reason);
    if (status == RB_OK)
        status = number_rounds(plan);
    if (status == RB_OK)
        status = sort_by_rank(plan, true, &scheduled->sent);
    if (status == RB_OK)
        status = sort_by_rank(plan, false, &scheduled->received);
    if (status == RB_OK)
        return RB_OK;
    redist_scheduled_fini(plan);
    if (status != RB_EINVAL)
        return rb_why(why, why_size, status, "out of memory");
    return rb_why(why, why_size, RB_ENOTSUP, "redistribute %s has no plan for %s: %s",
                  plan->algorithm->info.name, plan->instance, reason);
}

bool redist_scheduled_applies(const struct rb_plan *plan)
{
    struct rb_timetable timetable = {0};
    const int status = make_timetable(plan, &timetable, NULL, 0);
    rb_timetable_deinit(&timetable);
    return status != RB_EINVAL;
}

void redist_scheduled_fini(struct rb_plan *plan)
{
    struct redist_scheduled *scheduled = scheduled_of(plan);
    rb_timetable_deinit(&scheduled->timetable);
    free(scheduled->round);
    free(scheduled->sent.first);
    free(scheduled->sent.piece);
    free(scheduled->received.first);
    free(scheduled->received.piece);
    free(scheduled);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* The place of the rank's first piece of round t or later: first[rank + 1] if there is none. */
static size_t from_round(const struct redist_scheduled *scheduled, const struct of_ranks *ranks,
                         int32_t rank, int64_t t)
{
    size_t low = ranks->first[rank], high = ranks->first[rank + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (scheduled->round[ranks->piece[middle]] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The rank's operation of round t in one direction, if it has one. */
static int32_t put_op(const struct rb_plan *plan, const struct of_ranks *ranks, int32_t rank,
                      int64_t t, struct rb_op *op)
{
    const struct redist_scheduled *scheduled = scheduled_of(plan);
    const size_t place = from_round(scheduled, ranks, rank, t);
    if (place == ranks->first[rank + 1] || scheduled->round[ranks->piece[place]] != t)
        return 0;
    const struct rb_piece *piece = &scheduled->timetable.piece[ranks->piece[place]];
    const struct rb_message *message = message_of(plan, ranks->piece[place]);
    const int32_t to = receiver(plan, message);
    const bool sends = ranks == &scheduled->sent;
    *op = (struct rb_op){
        .kind = sends ? RB_SEND : RB_RECV,
        .peer = sends ? to : message->from,
        .at = {.buffer = sends ? RB_SRC : RB_DST,
               .owner = message->from,
               .first = to * rb_part_blocks(plan) + piece->first,
               .count = piece->length},
    };
    return 1;
}

/* What stays with the rank; at most one range, as a pair has one message. */
static int32_t put_copy(const struct rb_plan *plan, int32_t rank, struct rb_op *op)
{
    const int64_t units = rb_share_of(plan, rank, rank).units;
    if (units == 0)
        return 0;
    const struct rb_range at = {RB_DST, rank, rank * rb_part_blocks(plan), units};
    *op = (struct rb_op){.kind = RB_COPY, .peer = rank, .at = at, .from = at};
    op->from.buffer = RB_SRC;
    return 1;
}

int32_t redist_scheduled_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[])
{
    const struct redist_scheduled *scheduled = scheduled_of(plan);
    int32_t count = put_op(plan, &scheduled->sent, state->rank, t, ops);
    count += put_op(plan, &scheduled->received, state->rank, t, ops + count);
    if (t == 0)
        count += put_copy(plan, state->rank, ops + count);
    return count;
}

static int64_t next_in(const struct rb_plan *plan, const struct of_ranks *ranks, int32_t rank,
                       int64_t t)
{
    const struct redist_scheduled *scheduled = scheduled_of(plan);
    const size_t place = from_round(scheduled, ranks, rank, t);
    return place == ranks->first[rank + 1] ? plan->rounds : scheduled->round[ranks->piece[place]];
}

int64_t redist_scheduled_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct redist_scheduled *scheduled = scheduled_of(plan);
    if (t == 0 && rb_share_of(plan, state->rank, state->rank).units > 0)
        return 0;
    const int64_t sends = next_in(plan, &scheduled->sent, state->rank, t);
    const int64_t receives = next_in(plan, &scheduled->received, state->rank, t);
    return sends < receives ? sends : receives;
}
