/* rounds.c - any plan, round after round, in `blocking` and `lockstep`.
 *
 * A message starts when both its ends are in its round; so the times when ranks are through obey a
 * max-plus recurrence over rounds. */
#include <stdlib.h>

#include "roster.h"
#include "run.h"

struct by_rounds {
    struct rb_roster roster;
    struct rb_op *ops;
    double round_s; /* lockstep: when the round at hand starts */
};

/* The message that begins at ops[0], for both its ends. Returns how many operations it has. */
static int32_t send(struct rb_model *model, const struct by_rounds *state, int32_t rank,
                    const struct rb_op ops[], int32_t count)
{
    const struct rb_sim_spec *spec = model->spec;
    const int32_t peer = ops->peer;
    int64_t bytes = 0;
    int32_t length = 0;
    for (; length < count && ops[length].kind == RB_SEND && ops[length].peer == peer &&
           ops[length].port == ops->port;
         length++)
        bytes += rb_layout_bytes(spec->plan, spec->layout, &ops[length].at);
    const double start = spec->progress.rule == RB_LOCKSTEP
                             ? state->round_s
                             : rb_later(model->through_s[rank], model->through_s[peer]);
    const double end =
        start + rb_model_cost_s(&model->parameters, bytes) *
                    rb_model_noise(&model->parameters, rank, ops->port, state->roster.round);
    model->next_s[rank] = rb_later(model->next_s[rank], end);
    model->next_s[peer] = rb_later(model->next_s[peer], end);
    model->messages++;
    model->bytes += bytes;
    rb_model_show(model, &(struct rb_sim_message){.from = rank,
                                                  .to = peer,
                                                  .port = ops->port,
                                                  .round = state->roster.round,
                                                  .bytes = bytes,
                                                  .start_s = start,
                                                  .end_s = end});
    return length;
}

static void do_round(struct rb_model *model, struct by_rounds *state)
{
    const struct rb_sim_spec *spec = model->spec;
    struct rb_roster *roster = &state->roster;
    for (int32_t i = 0; i < roster->now_count; i++) {
        const int32_t rank = roster->now[i];
        const int32_t count = rb_layout_round(spec->plan, spec->layout, &roster->rank[rank],
                                              roster->round, state->ops);
        for (int32_t k = 0; k < count && state->ops[k].kind == RB_SEND;)
            k += send(model, state, rank, &state->ops[k], count - k);
        rb_roster_keep(roster, rank, count > 0);
    }
    for (int32_t i = 0; i < roster->now_count; i++) {
        const int32_t rank = roster->now[i];
        model->through_s[rank] = model->next_s[rank];
        state->round_s = rb_later(state->round_s, model->through_s[rank]);
    }
}

int rb_model_rounds(struct rb_model *model, struct rb_error *error)
{
    const struct rb_plan *plan = model->spec->plan;
    struct by_rounds state = {.ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *state.ops)};
    int status = rb_roster_init(&state.roster, plan);
    if (state.ops == NULL)
        status = RB_ENOMEM;
    for (int32_t rank = 0; rank < model->p; rank++) {
        model->next_s[rank] = model->through_s[rank];
        state.round_s = rb_later(state.round_s, model->through_s[rank]);
    }
    while (status == RB_OK && rb_roster_advance(&state.roster))
        do_round(model, &state);
    free(state.ops);
    rb_roster_free(&state.roster);
    return status == RB_OK ? RB_OK : rb_fail(error, status, "no memory for %d ranks", model->p);
}
