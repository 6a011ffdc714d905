/* model.h - common parts of the variants of the engine `model`: the machine, what they wait for, a
 * run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "schedules/dependences/window.h"
#include "sim/engine/engine.h"
#include "sim/engine/tally.h"
#include "sim/workload/walk.h"

/* ---- The machine ----------------------------------------------------------------------------- */

/* The parameters of a machine for the engine `model`.
 *
 * A message of m bytes takes alpha + beta m; a calibration may give several pieces by m. If one of
 * LogGOPS's parameters is given, messages cost what LogGOPS says instead (Hoefler, Schneider,
 * Lumsdaine 2010, LogGOPSim): L, o, g, G, O, and the size S beyond which a sender waits for its
 * receiver. */

struct model_piece { /* for messages of at least so many bytes */
    int64_t from_bytes;
    double alpha_s, beta_s_per_byte;
};
enum { MODEL_MOST_PIECES = 16 };

struct model_parameters {
    int32_t hosts;
    struct model_piece piece[MODEL_MOST_PIECES]; /* piece[0].from_bytes is 0 */
    int32_t pieces;
    int32_t most_ppn;  /* ranks on a host */
    bool shares_hosts; /* messages may share the port of a host: of several ranks, or of one rank's
                        * collectives; between ranks of one host: */
    double inner_alpha_s, inner_beta_s_per_byte;
    double gamma_s_per_byte; /* combining a byte with another */
    bool loggops;
    double L_s, o_s, g_s, G_s_per_byte, O_s_per_byte;
    int64_t S_bytes;
    double noise; /* a message takes 1 + x times as long, x exponential with this mean */
    uint64_t seed;
    int32_t threads; /* >= 1, for one run */
};

/* Reads a spec's platform and options. RB_EINVAL, RB_EIO with a message that names what is wrong.
 */
int model_parameters_read(const struct sim_spec *spec, struct model_parameters *parameters,
                          struct sup_error *error);

/* The factor of noise for the time of the message from this rank; of a workload's, round is the
 * key of its route (struct sim_walk_message). */
double model_noise(const struct model_parameters *parameters, int32_t from, int32_t port,
                   int64_t round);

/* The cost of a message between hosts, without noise. */
static inline double model_cost_s(const struct model_parameters *parameters, int64_t bytes)
{
    int32_t i = parameters->pieces - 1;
    while (i > 0 && bytes < parameters->piece[i].from_bytes)
        i--;
    return parameters->piece[i].alpha_s + parameters->piece[i].beta_s_per_byte * (double)bytes;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* A queue of events by time; events of the same time are in the order of their numbers. */

struct model_event {
    double time;    /* in the user's unit */
    int64_t number; /* given when it was first put in */
    int64_t what;   /* the user's: a kind and an index */
};

enum { MODEL_EVENT_KINDS = 8 };

static inline int64_t model_event_what(int32_t kind, int64_t index)
{
    return index * MODEL_EVENT_KINDS + kind;
}

static inline int32_t model_event_kind(const struct model_event *event)
{
    return (int32_t)(event->what % MODEL_EVENT_KINDS);
}

static inline int64_t model_event_index(const struct model_event *event)
{
    return event->what / MODEL_EVENT_KINDS;
}

struct model_event_list {
    struct model_event *event; /* owned */
    int64_t count, room;
};

struct model_event_queue {
    struct model_event_list sorted;    /* the first events; those before `taken` are gone */
    struct model_event_list later[64]; /* all others (events.c) */
    uint64_t filled;                   /* bit b: later[b] is not empty */
    uint64_t limit;                    /* bits of the last time that is sorted */
    int64_t taken;
    int64_t count;   /* of all events */
    int64_t numbers; /* given so far */
};

/* A new event, with the next number; its time is not below 0. O(64), and in practice as many steps
 * as the logarithm of the count. */
void model_event_queue_add(struct model_event_queue *queue, double time, int32_t kind,
                           int64_t index);
/* Puts an event that was taken back, with its number. */
void model_event_queue_put_back(struct model_event_queue *queue, struct model_event event);
/* The first event, valid until the next change; NULL: there is none. */
const struct model_event *model_event_queue_first(struct model_event_queue *queue);
/* Removes and returns the first event; the queue must not be empty. */
struct model_event model_event_queue_take(struct model_event_queue *queue);
void model_event_queue_free(struct model_event_queue *queue); /* safe on a zeroed struct */

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Computes when the blocks that an operation needs are ready, from the blocks that a rank's
 * earlier operations have read and written, and the times of these operations.
 *
 * An operation that writes blocks waits for all earlier operations on these blocks; one that reads
 * waits for the earlier writes. There are two methods. The first keeps the operations of the
 * rank's last rounds and searches them from the newest to the oldest; it is fast and needs little
 * memory. The second keeps two times per block. Operations in flight that are older than the last
 * rounds almost never delay another operation, because ports keep their order. If they might, this
 * is reported, and the run must be repeated with times per block. */

struct model_block_access; /* of one block */

struct model_accesses {
    const struct rb_plan *plan;
    int32_t p;
    int64_t window;
    int32_t sides; /* of a rank (dep_side); local operations have one more, this one */
    bool by_block; /* one of two: */
    bool lost;     /* an operation that might delay another one is no longer kept */
    int64_t ring;  /* slots per rank: a power of two, since dividing by it takes time */
    char *slot;    /* per rank and round in flight: its operations, see windows.c; owned */
    size_t slot_bytes;
    int32_t most;        /* that a slot has room for */
    double *forgotten_s; /* per rank: when all was through that is no longer kept; owned */
    struct model_block_access *block; /* per rank, buffer, row and block, owned */
    struct dep_block_index index;     /* of them */
};

/* For ranks with so many rounds in flight, two or more: with one, everything earlier has been
 * waited for. exact: nothing may be lost. RB_ENOMEM; to be freed in
 * any case. Memory O(p) times the operations of a round, or O(p) times all blocks. */
int model_accesses_init(struct model_accesses *accesses, const struct rb_plan *plan, int64_t window,
                        bool exact);
void model_accesses_free(struct model_accesses *accesses);

/* The time from which a message operation in the rank's round number `number` (of its active
 * rounds) can proceed, at least floor_s. */
double model_accesses_ready_s(struct model_accesses *accesses, int32_t rank, int64_t number,
                              const struct rb_op *op, double floor_s);

/* The round's operations, after all of them were asked about; */
void model_accesses_add(struct model_accesses *accesses, int32_t rank, int64_t number,
                        const struct rb_op ops[], int32_t count);
/* and when those of each side are done: done_s[0 .. sides - 1]; done_s[sides]: when this round and
 * all before are. ops are read if by_block only. */
void model_accesses_finish(struct model_accesses *accesses, int32_t rank, int64_t number,
                           const double done_s[], const struct rb_op ops[], int32_t count);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Common parts of the variants of the engine `model`: a run, and the cost of a message.
 *
 * A variant is a function that simulates the plan from start to end; model.c lists them. */

struct model_run {
    const struct sim_spec *spec;
    int32_t p;
    struct model_parameters parameters;
    /* Per rank: the time at which all its rounds so far were complete. By
     * relative rank if the variant says so. */
    double *through_s;
    double *next_s; /* per rank: scratch */
    int64_t messages;
    sim_tally bytes;
    struct sim_result *result; /* of a workload, what the walk knows */
};

/* Each function simulates the plan. RB_EWRONG; RB_ENOMEM for the blocks in flight of very many
 * ranks. */
int model_windows(struct model_run *model, struct sup_error *error);
int model_waves(struct model_run *model, struct sup_error *error);
int model_blocking(struct model_run *model, struct sup_error *error);
int model_events(struct model_run *model, struct sup_error *error);
int model_loggops(struct model_run *model, struct sup_error *error);

static inline double model_later(double a, double b)
{
    return a > b ? a : b;
}

/* The number of rounds that a rank may have in flight. */
static inline int64_t model_window(const struct model_run *model)
{
    return sim_overlap_window(&model->spec->overlap, rb_plan_rounds(model->spec->plan));
}

/* A check takes a fifth of the rest of a round's time, so the fastest variants check the first
 * rounds and then a sample. That suffices because plans are regular, and rb_verify_plan checks
 * every round. */
static inline bool model_checks(int64_t t)
{
    return t < 16 || t % 16 == 0;
}

/* rb_layout_round, checked in some rounds; RB_EWRONG with a message. */
static inline int32_t model_round(const struct model_run *model, const struct rb_rank *rank,
                                  int64_t t, struct rb_op ops[], struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    return model_checks(t) ? sim_round(spec->plan, spec->layout, rank, t, ops, error)
                           : rb_layout_round(spec->plan, spec->layout, rank, t, ops);
}

/* A run is that far. */
static inline void model_tell(const struct model_run *model, double share)
{
    const struct sim_meter *meter = model->spec->meter;
    if (meter != NULL)
        meter->tell(meter->context, share);
}

/* After a variant's walk: what it knows, and when ranks that computed last were through. */
int model_end_walk(struct model_run *model, struct sim_walk *walk, struct sup_error *error);

static inline void model_show(const struct model_run *model, const struct sim_message *message)
{
    const struct sim_observer *observer = model->spec->observer;
    if (observer != NULL && observer->message != NULL)
        observer->message(observer->context, message);
}

/* ---- Shared ports ---------------------------------------------------------------------------- */

/* The port that the ranks of a host share (docs/model.md). */

struct model_port; /* one direction of a host's port: when it is taken */

struct model_shared_ports {
    const struct model_parameters *parameters;
    int32_t hosts;
    int32_t *host;           /* per rank; owned */
    struct model_port *port; /* per host: out, in; owned */
};

/* RB_EINVAL if the ranks don't fit; to be freed in any case. */
int model_shared_ports_init(struct model_shared_ports *ports, const struct model_run *model,
                            struct sup_error *error);
void model_shared_ports_free(struct model_shared_ports *ports);

struct model_passage {
    double start_s, end_s;
};
/* A message requests its ports at now_s, and takes the first time at which both are free for long
 * enough; no earlier request is delayed by it. Call this in the order of time. O(gaps of the two
 * ports between messages that have theirs already). */
struct model_passage model_shared_ports_pass(struct model_shared_ports *ports, double now_s,
                                             int32_t from, int32_t to, int32_t port, int64_t round,
                                             int64_t bytes);
