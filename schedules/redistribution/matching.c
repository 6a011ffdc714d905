/* matching.c - T_opt exactly, by matchings that are kept as long as possible (T. Gonzalez and S.
 * Sahni, Open shop scheduling to minimize finish time, JACM 1976; for equal lengths it is the proof
 * of Theorem 1).
 *
 * With T units of time to go, a port with T units left is critical: it must not be idle. By König's
 * theorem on the multigraph of units there is a matching that covers all critical ports. It is kept
 * until a message in it ends or an idle port becomes critical; the next matching must cover that
 * port too. So no port ever has more units left than there is time, and everything ends at T_opt.
 *
 * There are at most as many matchings as messages. The vector of remaining units, divided by T, is
 * in the polytope { x >= 0, sum of x at every port <= 1 }, whose vertices are the matchings, in a
 * face of dimension E - C + A: E messages left, C critical ports, A connected components that have
 * only critical ports. A component with critical ports adds at most -1 to A - C (if it has only
 * such, it has two or more), and there always is one, so the dimension is at most E - 1. A matching
 * as above is in this face; held as long as it can be, it leaves a vector in a smaller face; in
 * dimension 0 the vector is the matching. Hence at most E in all.
 *
 * Cuts are another matter: whoever is interrupted has one more piece. Messages on the way stay so
 * if others can fill the gaps (port_matching.c), and of three rules for who fills them that with
 * the fewest cuts is taken. Work: matchings x ports, and the searches. */
#include "port_matching.h"

#include <stdlib.h>

#include "schedules/plan/plan.h"

struct decomposition {
    struct redist_port_matching ports;
    struct rb_timetable *timetable;
    size_t room;
    int64_t *since; /* [senders]: when the running message's piece began */
    int64_t now, end;
};

/* Enters the part of its running message that a sender has sent until now into the timetable. */
static int close_piece(struct decomposition *d, int32_t sender)
{
    const size_t message = d->ports.running[sender];
    const int64_t length = d->now - d->since[sender];
    const int64_t sent = d->ports.traffic->message[message].length - d->ports.rest[message];
    return redist_timetable_add(
        d->timetable, &d->room,
        (struct rb_piece){message, sent - length, length, d->since[sender]});
}

/* Chooses the messages in flight from now on. */
static int change(struct decomposition *d)
{
    struct redist_port_matching *m = &d->ports;
    const int64_t left = d->end - d->now;
    redist_port_matching_fill(m);
    for (int32_t port = 0; port < m->ports; port++)
        if (m->load[port] == left && m->matched[port] == REDIST_NO_MESSAGE)
            redist_port_matching_cover(m, port, left);
    for (int32_t sender = 0; sender < m->senders; sender++) {
        if (m->running[sender] == m->matched[sender])
            continue;
        if (m->running[sender] != REDIST_NO_MESSAGE && close_piece(d, sender) != RB_OK)
            return RB_ENOMEM;
        m->running[sender] = m->matched[sender];
        d->since[sender] = d->now;
    }
    return RB_OK;
}

/* How long that can stay so. */
static int64_t time_to_hold(const struct decomposition *d)
{
    const struct redist_port_matching *m = &d->ports;
    int64_t hold = d->end - d->now;
    for (int32_t port = 0; port < m->ports; port++) {
        const size_t message = m->matched[port];
        const int64_t most =
            message == REDIST_NO_MESSAGE ? d->end - d->now - m->load[port] : m->rest[message];
        hold = most < hold ? most : hold;
    }
    return hold;
}

static int hold(struct decomposition *d, int64_t units)
{
    struct redist_port_matching *m = &d->ports;
    d->now += units;
    for (int32_t sender = 0; sender < m->senders; sender++) {
        const size_t message = m->matched[sender];
        if (message == REDIST_NO_MESSAGE)
            continue;
        redist_port_matching_send(m, message, units);
        if (m->rest[message] > 0)
            continue;
        if (close_piece(d, sender) != RB_OK)
            return RB_ENOMEM;
        m->running[sender] = REDIST_NO_MESSAGE;
    }
    return RB_OK;
}

static int decompose(const struct rb_traffic *traffic, enum redist_preference preference,
                     struct rb_timetable *timetable)
{
    struct decomposition d = {.timetable = timetable,
                              .since = malloc((size_t)traffic->senders * sizeof *d.since),
                              .end = traffic->longest_port};
    *timetable = (struct rb_timetable){0};
    int status = redist_port_matching_init(&d.ports, traffic, preference);
    if (d.since == NULL)
        status = RB_ENOMEM;
    while (status == RB_OK && d.now < d.end) {
        status = change(&d);
        if (status == RB_OK)
            status = hold(&d, time_to_hold(&d));
    }
    redist_port_matching_deinit(&d.ports);
    free(d.since);
    if (status == RB_OK)
        redist_timetable_finish(timetable);
    else
        rb_timetable_deinit(timetable);
    return status;
}

int redist_matching(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                    const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                    char *why, size_t why_size)
{
    (void)problem;
    (void)options;
    int status = decompose(traffic, 0, timetable);
    for (int i = 1; i < REDIST_PREFERENCES && status == RB_OK; i++) {
        struct rb_timetable other;
        if (timetable->count == traffic->count)
            break;
        status = decompose(traffic, (enum redist_preference)i, &other);
        if (status == RB_OK && other.count < timetable->count) {
            const struct rb_timetable worse = *timetable;
            *timetable = other;
            other = worse;
        }
        rb_timetable_deinit(&other);
    }
    if (status == RB_OK)
        return RB_OK;
    rb_timetable_deinit(timetable);
    return rb_why(why, why_size, status, "out of memory");
}
