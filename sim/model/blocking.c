/* blocking.c - any plan with one port in `blocking`, event by event, for ranks that share the port
 * of their host.
 *
 * What events.c does, several times as fast: in `blocking` a message starts when both its ends are
 * in its round, so that a rank's whole state is its round's one send and one receive, a cache line;
 * and a rank's round is asked of the plan once, or if the plan's rounds are waves, not at all: a
 * row of their table has it. Events have the same order, and so the same times. */
#include <inttypes.h>
#include <stdlib.h>

#include "model.h"
#include "schedules/dependences/envelopes.h"
#include "support/memory.h"

enum kind {
    SENT,     /* a rank's send is complete */
    RECEIVED, /* a rank's receive is complete and combined */
    BOTH,     /* a rank's send is, and its receiver has it */
};

struct rank_state {
    int64_t round;    /* or -1: it hasn't started */
    int64_t bytes;    /* of the send */
    int64_t combined; /* of the receive */
    int32_t to, from; /* or -1 */
    int32_t open;     /* messages not complete */
};

struct blocking {
    struct model_run *model;
    struct model_event_queue queue;
    struct model_shared_ports shared;
    struct rb_rank *rank;
    struct rank_state *rank_state; /* per rank */
    struct dep_envelopes envelopes;
    struct rb_op *ops;
    int8_t *table;              /* of the plan's waves, or NULL; with it: */
    int64_t long_bytes, longer; /* length of blocks below `longer`; others have one element less */
    int64_t rounds;
    int64_t passed; /* of each rank, the rounds before its current one; the sum */
    double now_s;
};

static void launch(struct blocking *run, int32_t from)
{
    const struct rank_state *rank_state = &run->rank_state[from];
    const double gamma = run->model->parameters.gamma_s_per_byte;
    const int64_t combined = run->rank_state[rank_state->to].combined;
    const struct model_passage passage = model_shared_ports_pass(
        &run->shared, run->now_s, from, rank_state->to, 0, rank_state->round, rank_state->bytes);
    run->model->messages++;
    run->model->bytes += (uint64_t)rank_state->bytes;
    model_show(run->model, &(struct sim_message){.from = from,
                                                 .to = rank_state->to,
                                                 .round = rank_state->round,
                                                 .bytes = rank_state->bytes,
                                                 .start_s = passage.start_s,
                                                 .end_s = passage.end_s});
    if (combined == 0 || gamma == 0) {
        model_event_queue_add(&run->queue, passage.end_s, BOTH, from);
        return;
    }
    model_event_queue_add(&run->queue, passage.end_s, SENT, from);
    model_event_queue_add(&run->queue, passage.end_s + gamma * (double)combined, RECEIVED,
                          rank_state->to);
}

/* One message of the rank's round. */
static void add_message(struct rank_state *rank_state, const struct rb_envelope *envelope)
{
    rank_state->open++;
    if (envelope->sends) {
        rank_state->to = envelope->peer;
        rank_state->bytes = envelope->bytes;
    } else {
        rank_state->from = envelope->peer;
        rank_state->combined = envelope->combined;
    }
}

/* The messages of a round, as the plan tells them or by its operations. Returns how many operations
 * or messages it has, or RB_EWRONG. */
static int32_t set_by_plan(struct blocking *run, struct rank_state *rank_state, int32_t rank,
                           int64_t t, struct sup_error *error)
{
    const struct sim_spec *spec = run->model->spec;
    char why[240];
    int32_t count =
        dep_envelopes_round(&run->envelopes, &run->rank[rank], t, run->ops, why, sizeof why);
    for (int32_t i = 0; i < count; i++)
        add_message(rank_state, &run->envelopes.of_round[i]);
    if (count == RB_EWRONG)
        return sup_fail(error, RB_EWRONG, "the plan is wrong: %s", why);
    if (count >= 0)
        return count;
    count = sim_round(spec->plan, spec->layout, &run->rank[rank], t, run->ops, error);
    struct dep_messages left = dep_messages_of(run->ops, count);
    for (struct dep_message message; dep_next_message(&left, &message);) {
        const struct rb_envelope envelope = dep_envelope_of(spec->plan, spec->layout, &message);
        add_message(rank_state, &envelope);
    }
    return count;
}

static int32_t absolute(int32_t relative, int32_t root, int32_t p)
{
    return relative < p - root ? relative + root : relative - (p - root);
}

/* The messages of round t by the plan's wave. */
static void set_by_wave(struct blocking *run, struct rank_state *rank_state, int32_t rank,
                        int64_t t)
{
    const struct rb_plan *plan = run->model->spec->plan;
    const struct rb_wave wave = rb_plan_wave(plan, run->table, t);
    const int32_t p = run->model->p, root = rb_plan_root(plan);
    const int32_t r = absolute(rank, p - root, p), to = absolute(r, wave.shift, p),
                  from = absolute(r, p - wave.shift, p);
    const int64_t block = wave.entry[r] + wave.first;
    if (block >= 0 && to != 0) {
        rank_state->to = absolute(to, root, p);
        rank_state->bytes =
            run->long_bytes - (block < run->longer ? 0 : run->model->spec->layout->element);
    }
    if (wave.entry[from] + wave.first >= 0 && r != 0)
        rank_state->from = absolute(from, root, p);
    rank_state->open = (rank_state->to >= 0) + (rank_state->from >= 0);
}

/* Sets the rank's state for its first round from t on with messages; open is 0 if there is none. */
static int set_state(struct blocking *run, int32_t rank, int64_t t, struct sup_error *error)
{
    const struct sim_spec *spec = run->model->spec;
    struct rank_state *rank_state = &run->rank_state[rank];
    *rank_state = (struct rank_state){.round = run->rounds, .to = -1, .from = -1};
    for (; run->table != NULL && t < run->rounds && rank_state->open == 0; t++) {
        rank_state->round = t;
        set_by_wave(run, rank_state, rank, t);
    }
    while (t < run->rounds && rank_state->open == 0) {
        const int32_t count = set_by_plan(run, rank_state, rank, t, error);
        if (count < 0)
            return count;
        rank_state->round = t;
        t = count > 0 ? t + 1 : rb_plan_next(spec->plan, &run->rank[rank], t + 1);
    }
    if (rank_state->open == 0)
        rank_state->round = run->rounds;
    return RB_OK;
}

/* Advances a rank to round t, or the next round in which it has messages, and starts the messages
 * whose other end is ready. */
static int enter(struct blocking *run, int32_t rank, int64_t t, struct sup_error *error)
{
    struct rank_state *rank_state = &run->rank_state[rank];
    const int status = set_state(run, rank, t, error);
    if (status != RB_OK)
        return status;
    if (rank_state->to >= 0 && run->rank_state[rank_state->to].round == rank_state->round) {
        if (run->rank_state[rank_state->to].from != rank)
            return sup_fail(error, RB_EWRONG,
                            "the plan is wrong: rank %d waits for ever in round %" PRId64
                            " to send to rank %d at port 0",
                            rank, rank_state->round, rank_state->to);
        launch(run, rank);
    }
    if (rank_state->from >= 0 && run->rank_state[rank_state->from].round == rank_state->round &&
        run->rank_state[rank_state->from].to == rank)
        launch(run, rank_state->from);
    return RB_OK;
}

static int advance(struct blocking *run, int32_t rank, struct sup_error *error)
{
    const struct rank_state *rank_state = &run->rank_state[rank];
    const int64_t before = rank_state->round;
    if (rank_state->open > 0)
        return RB_OK;
    const int status = enter(run, rank, before + 1, error);
    run->passed += rank_state->round - before;
    return status;
}

static int dispatch(struct blocking *run, const struct model_event *event, struct sup_error *error)
{
    const int32_t rank = (int32_t)model_event_index(event), peer = run->rank_state[rank].to;
    double *const through_s = run->model->through_s;
    run->now_s = event->time;
    through_s[rank] = model_later(through_s[rank], run->now_s);
    run->rank_state[rank].open--;
    if (model_event_kind(event) != BOTH)
        return advance(run, rank, error);
    through_s[peer] = model_later(through_s[peer], run->now_s);
    run->rank_state[peer].open--;
    const int status = advance(run, rank, error);
    return status == RB_OK ? advance(run, peer, error) : status;
}

/* If the plan has waves, and its blocks all have one of two lengths. */
static void make_table(struct blocking *run)
{
    const struct rb_plan *plan = run->model->spec->plan;
    const struct rb_layout *layout = run->model->spec->layout;
    const int64_t elements = layout->bytes / layout->element, n = rb_plan_n(plan);
    if (rb_plan_wave_bytes(plan) == 0 || run->rounds == 0 || layout->first != NULL)
        return;
    run->table = sup_malloc((size_t)rb_plan_wave_bytes(plan));
    rb_plan_wave_table(plan, run->table);
    run->long_bytes = (elements / n + 1) * layout->element;
    run->longer = elements % n;
}

static int begin(struct model_run *model, struct blocking *run, struct sup_error *error)
{
    const struct rb_plan *plan = model->spec->plan;
    const size_t p = (size_t)model->p;
    *run = (struct blocking){.model = model,
                             .rank = sup_malloc(p * sizeof *run->rank),
                             .rank_state = sup_malloc(p * sizeof *run->rank_state),
                             .ops = sup_malloc((size_t)rb_plan_max_ops(plan) * sizeof *run->ops),
                             .rounds = rb_plan_rounds(plan)};
    int status = model_shared_ports_init(&run->shared, model, error);
    if (status == RB_OK && dep_envelopes_init(&run->envelopes, plan, model->spec->layout) != RB_OK)
        status = sup_fail(error, RB_ENOMEM, "out of memory for the messages of %d ranks", model->p);
    make_table(run);
    for (int32_t rank = 0; rank < model->p; rank++) {
        if (run->table == NULL)
            rb_plan_rank(plan, rank, &run->rank[rank]);
        run->rank_state[rank] = (struct rank_state){.round = -1, .to = -1, .from = -1};
    }
    for (int32_t rank = 0; rank < model->p && status == RB_OK; rank++)
        status = enter(run, rank, 0, error);
    return status;
}

/* There are no more events: RB_EWRONG unless every rank has completed its rounds. */
static int finished(const struct blocking *run, struct sup_error *error)
{
    for (int32_t rank = 0; rank < run->model->p; rank++) {
        const struct rank_state *rank_state = &run->rank_state[rank];
        if (rank_state->open > 0)
            return sup_fail(error, RB_EWRONG,
                            "the plan is wrong: rank %d waits for ever in round %" PRId64, rank,
                            rank_state->round);
    }
    return RB_OK;
}

int model_blocking(struct model_run *model, struct sup_error *error)
{
    struct blocking run;
    int status = begin(model, &run, error);
    while (status == RB_OK && run.queue.count > 0) {
        const struct model_event event = model_event_queue_take(&run.queue);
        status = dispatch(&run, &event, error);
        if (model->messages > 0 && model->messages % SIM_TELL_EVERY == 0)
            model_tell(model, (double)run.passed / (double)model->p / (double)run.rounds);
    }
    if (status == RB_OK)
        status = finished(&run, error);
    model_shared_ports_free(&run.shared);
    model_event_queue_free(&run.queue);
    free(run.rank);
    free(run.rank_state);
    dep_envelopes_free(&run.envelopes);
    free(run.ops);
    free(run.table);
    return status;
}
