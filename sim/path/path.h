/* path.h - the critical path of a plan, as terms of a cost model.
 *
 * How long a plan takes is the longest path through its messages. The path's time is a sum of
 * terms: start-ups, bytes that move, bytes that are combined. Each term has the size of its
 * message, because all costs depend on it. So the time is linear in the costs as long as the path
 * stays the same, and a fit needs the path again only where its costs have changed much.
 *
 * A message of s bytes takes latency(s) + s gap(s) from one rank to another, in the manner of LogGP
 * (Alexandrov et al. 1995). Messages that a rank sends at the same time share its port, and all
 * ranks of a host share the host's port; on a torus messages of a round share its links. Between
 * ranks of one host there are costs of their own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"
#include "support/error.h"

enum path_style {
    PATH_IN_ROUNDS, /* a rank begins a round when it has ended the round before */
    PATH_BATCHES,   /* and messages of successive rounds in which a rank only sends leave together,
                     * as non-blocking sends to all children of a tree do */
    PATH_POSTED,    /* all sends and receives are posted at once: nothing waits for a receive */
    PATH_STYLES
};

/* The messages of a plan, and what ranks do with them. */
struct path_plan;

/* Lists the messages of a plan, 48 bytes for each. Where most ranks send in most rounds and the
 * messages would be more than 2^18, some rounds are listed and stand for all. RB_EWRONG; RB_ENOTSUP
 * if ranks times rounds, or messages, are more than 2^25. */
int path_plan_create(const struct rb_plan *plan, struct path_plan **list, struct sup_error *error);
void path_plan_destroy(struct path_plan *list);           /* NULL is fine */
int32_t path_plan_messages(const struct path_plan *list); /* and local operations */

enum path_kind {
    PATH_LATENCY, /* weight: how many messages */
    PATH_OVERHEAD,
    PATH_BYTES,     /* weight: bytes */
    PATH_EXCHANGED, /* bytes to a rank that sends to this rank in the same round */
    PATH_PACKED,    /* bytes, in addition, of messages whose blocks are not contiguous */
    PATH_HOST_LATENCY,
    PATH_HOST_BYTES,
    PATH_COMBINED,
    PATH_COPIED,
    PATH_KINDS
};

/* The costs by which the path is found: of a message of `bytes` bytes, in seconds (latency,
 * overhead) or seconds per byte. */
typedef double path_cost(const void *context, enum path_kind kind, double bytes);

struct path_term {
    enum path_kind kind;
    double bytes;  /* size of the message or of the operand */
    double weight; /* the term is worth weight * cost(kind, bytes) seconds */
};

struct path {
    struct path_term *term; /* owned */
    int32_t count;
    double time_s;
};

/* How a program runs the plan. */
struct path_setting {
    enum path_style style;
    int32_t ppn;       /* consecutive ranks on each host, >= 1 */
    int32_t extent[3]; /* hosts form such a torus, the first coordinate fastest, and messages go
                        * by rising dimension; 0: the network has room for all */
    double m_bytes;    /* all owners' data together */
    double rendezvous_bytes; /* larger messages start only when both ranks are ready */
    bool by_block; /* blocks of a message that are not contiguous travel as messages of their own,
                    * instead of being packed */
    bool packs;    /* every message is packed */
    bool asked;    /* the receiver asks for every message by one of its own */
};

/* Room that successive searches share; zeroed at first. */
struct path_room {
    void *moment; /* owned */
    int32_t capacity;
};
void path_room_free(struct path_room *room);

/* Finds the path. It must be zeroed or hold an earlier one, whose room is used again. O(messages).
 */
void path_find(const struct path_plan *list, const struct path_setting *setting, path_cost *cost,
               const void *context, struct path_room *room, struct path *path);
void path_free(struct path *path);

/* The papers' model, in which a round takes what its longest message does: calls `take` with the
 * longest message of each round that has any, by the length of a message, which is 0 or more.
 * RB_EWRONG. */
struct dep_message;
typedef double path_length(const void *context, const struct dep_message *message);
int path_longest_of_rounds(const struct rb_plan *plan, const struct rb_layout *layout,
                           path_length *length, void (*take)(void *context, double longest),
                           void *context, struct sup_error *error);
