/* rounds.c - any plan, round after round, in `blocking` and `lockstep`.
 *
 * A message starts when both its ends are in its round; so the times when ranks are through obey a
 * max-plus recurrence over rounds. They are taken from the sends alone; that the receives fit them
 * shows in a sum over the ends of all messages of a round that is checked, which is 0 if each has
 * two ends. */
#include <inttypes.h>
#include <stdlib.h>

#include "roster.h"
#include "run.h"
#include "schedules/dependences/messages.h"

struct by_rounds {
    struct rb_roster roster;
    struct rb_op *ops;
    double round_s; /* lockstep: when the round at hand starts */
};

/* A number for the message between two ranks at a port, the same at both its ends. Sums of such
 * numbers are those of other messages by chance only. */
static uint64_t message_key(int32_t from, int32_t to, int32_t port)
{
    return ((uint64_t)(uint32_t)from * UINT64_C(0x9e3779b97f4a7c15) + (uint32_t)port) ^
           (uint64_t)(uint32_t)to * UINT64_C(0xd6e8feb86659fd93);
}

/* A message, for both its ends. */
static void send(struct rb_model *model, const struct by_rounds *state, int32_t rank,
                 const struct dep_message *message)
{
    const struct rb_sim_spec *spec = model->spec;
    const int32_t peer = message->ops->peer, port = message->ops->port;
    const int64_t bytes = dep_message_bytes(spec->plan, spec->layout, message);
    const double start = spec->progress.rule == RB_LOCKSTEP
                             ? state->round_s
                             : rb_later(model->through_s[rank], model->through_s[peer]);
    const double end =
        start + rb_model_cost_s(&model->parameters, bytes) *
                    rb_model_noise(&model->parameters, rank, port, state->roster.round);
    model->next_s[rank] = rb_later(model->next_s[rank], end);
    model->next_s[peer] = rb_later(model->next_s[peer], end);
    model->messages++;
    model->bytes += (uint64_t)bytes;
    rb_model_show(model, &(struct rb_sim_message){.from = rank,
                                                  .to = peer,
                                                  .port = port,
                                                  .round = state->roster.round,
                                                  .bytes = bytes,
                                                  .start_s = start,
                                                  .end_s = end});
}

static int do_round(struct rb_model *model, struct by_rounds *state, struct rb_error *error)
{
    struct rb_roster *roster = &state->roster;
    const bool checks = rb_model_checks(roster->round);
    uint64_t unmatched = 0;
    for (int32_t i = 0; i < roster->now_count; i++) {
        const int32_t rank = roster->now[i];
        const int32_t count =
            rb_model_round(model, &roster->rank[rank], roster->round, state->ops, error);
        if (count < 0)
            return count;
        struct dep_messages left = dep_messages_of(state->ops, count);
        struct dep_message message;
        while (dep_next_send(&left, &message)) {
            const int32_t peer = message.ops->peer;
            if ((uint32_t)peer >= (uint32_t)model->p)
                return rb_fail(error, RB_EWRONG,
                               "the plan is wrong: round %" PRId64
                               ": rank %d sends to rank %d, which is no peer of it",
                               roster->round, rank, peer);
            if (checks)
                unmatched += message_key(rank, peer, message.ops->port);
            send(model, state, rank, &message);
        }
        while (checks && dep_next_message(&left, &message))
            unmatched -= message_key(message.ops->peer, rank, message.ops->port);
        rb_roster_keep(roster, rank, count > 0);
    }
    if (unmatched != 0)
        return rb_fail(error, RB_EWRONG,
                       "the plan is wrong: in round %" PRId64 " a rank sends what its peer doesn't "
                       "receive, or waits for what its peer doesn't send",
                       roster->round);
    for (int32_t i = 0; i < roster->now_count; i++) {
        const int32_t rank = roster->now[i];
        model->through_s[rank] = model->next_s[rank];
        state->round_s = rb_later(state->round_s, model->through_s[rank]);
    }
    return RB_OK;
}

int rb_model_rounds(struct rb_model *model, struct rb_error *error)
{
    const struct rb_plan *plan = model->spec->plan;
    struct by_rounds state = {.ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *state.ops)};
    int status = rb_roster_init(&state.roster, plan);
    if (state.ops == NULL)
        status = RB_ENOMEM;
    if (status != RB_OK)
        rb_fail(error, status, "no memory for %d ranks", model->p);
    for (int32_t rank = 0; rank < model->p; rank++) {
        model->next_s[rank] = model->through_s[rank];
        state.round_s = rb_later(state.round_s, model->through_s[rank]);
    }
    while (status == RB_OK && rb_roster_advance(&state.roster))
        status = do_round(model, &state, error);
    free(state.ops);
    rb_roster_free(&state.roster);
    return status;
}
