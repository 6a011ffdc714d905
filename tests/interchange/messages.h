/* messages.h - the messages of a plan, to compare with those of a file. */
#ifndef TESTS_INTERCHANGE_MESSAGES_H
#define TESTS_INTERCHANGE_MESSAGES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"

enum { MOST_MESSAGES = 100000 };

struct message {
    int64_t from, to, tag, bytes;
};

struct messages {
    struct message list[MOST_MESSAGES];
    int count;
};

static int compare_messages(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct message));
}

/* Sorts both, and says whether they are the same. */
static bool same_messages(struct messages *a, struct messages *b)
{
    qsort(a->list, (size_t)a->count, sizeof a->list[0], compare_messages);
    qsort(b->list, (size_t)b->count, sizeof b->list[0], compare_messages);
    return a->count == b->count &&
           memcmp(a->list, b->list, (size_t)a->count * sizeof a->list[0]) == 0;
}

static void add_message(struct messages *messages, struct message message)
{
    if (messages->count < MOST_MESSAGES)
        messages->list[messages->count++] = message;
}

/* Those that a plan sends. An empty one has `least` bytes. */
static void messages_of_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                             int64_t least, struct messages *messages)
{
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    messages->count = 0;
    for (int32_t r = 0; r < rb_plan_ranks(plan); r++) {
        struct rb_rank state;
        rb_plan_rank(plan, r, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
            const int32_t count = rb_plan_round(plan, &state, t, ops);
            struct dep_messages left = dep_messages_of(ops, count);
            for (struct dep_message message; dep_next_send(&left, &message);) {
                const int64_t bytes = dep_message_bytes(plan, layout, &message);
                add_message(messages, (struct message){r, message.ops->peer,
                                                       t * rb_plan_ports(plan) + message.ops->port,
                                                       bytes > least ? bytes : least});
            }
        }
    }
    free(ops);
}

#endif
