#include "recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/dependences/messages.h"
#include "support/memory.h"

static bool grow(struct obs_recording *recording)
{
    int64_t room = recording->room > 0 ? 2 * (int64_t)recording->room : 1024;
    if (room > OBS_MOST_RECORDED)
        room = OBS_MOST_RECORDED;
    if (room == recording->room)
        return false;
    recording->message =
        sup_reallocarray(recording->message, (size_t)room, sizeof *recording->message);
    recording->room = (int32_t)room;
    return true;
}

static void record(void *context, const struct sim_message *message)
{
    struct obs_recording *recording = context;
    if (recording->missed > 0 || (recording->count == recording->room && !grow(recording)))
        recording->missed++;
    else
        recording->message[recording->count++] = *message;
}

struct sim_observer obs_recording_observer(struct obs_recording *recording)
{
    return (struct sim_observer){.message = record, .context = recording};
}

static int compare(const void *left, const void *right)
{
    const struct sim_message *a = left, *b = right;
    if (a->end_s != b->end_s)
        return a->end_s < b->end_s ? -1 : 1;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->port != b->port)
        return a->port < b->port ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Counts each rank's messages, then deals them out; they come by end, and stay so. */
static void index_ranks(struct obs_recording *recording)
{
    int32_t *const first = recording->first, p = recording->p;
    for (int32_t i = 0; i < recording->count; i++) {
        first[recording->message[i].from + 1]++;
        first[recording->message[i].to + 1]++;
    }
    for (int32_t rank = 0; rank < p; rank++)
        first[rank + 1] += first[rank];
    for (int32_t i = 0; i < recording->count; i++) {
        recording->of_rank[first[recording->message[i].from]++] = i;
        recording->of_rank[first[recording->message[i].to]++] = i;
    }
    for (int32_t rank = p; rank > 0; rank--) /* each first has become the next rank's */
        first[rank] = first[rank - 1];
    first[0] = 0;
}

int obs_recording_close(struct obs_recording *recording, int32_t p, struct sup_error *error)
{
    const int32_t count = recording->count;
    if (recording->missed > 0)
        return sup_fail(error, RB_EINVAL,
                        "%" PRId64 " messages are too many to be looked at one by one, which goes "
                        "up to %d: give fewer ranks or blocks",
                        count + recording->missed, OBS_MOST_RECORDED);
    recording->p = p;
    recording->first = sup_calloc((size_t)p + 1, sizeof *recording->first);
    recording->of_rank = sup_malloc((2 * (size_t)count + 1) * sizeof *recording->of_rank);
    if (count > 0)
        qsort(recording->message, (size_t)count, sizeof *recording->message, compare);
    index_ranks(recording);
    return RB_OK;
}

void obs_recording_free(struct obs_recording *recording)
{
    free(recording->message);
    free(recording->of_rank);
    free(recording->first);
    *recording = (struct obs_recording){0};
}

/* ---- Finds the operations of the plan to which a message of a run belongs -------------------- */

int32_t obs_message_ops(const struct sim_spec *spec, const struct sim_message *message,
                        bool at_receiver, struct rb_op ops[])
{
    struct rb_rank state;
    rb_plan_rank(spec->plan, at_receiver ? message->to : message->from, &state);
    const int32_t count = rb_layout_round(spec->plan, spec->layout, &state, message->round, ops);
    const int32_t side =
        DEP_DIRECTIONS * message->port + (int32_t)(at_receiver ? DEP_RECEIVES : DEP_SENDS);
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message its; dep_next_message(&left, &its);)
        if (dep_side(its.ops) == side) {
            memmove(ops, its.ops, (size_t)its.count * sizeof *ops);
            return its.count;
        }
    return 0;
}
