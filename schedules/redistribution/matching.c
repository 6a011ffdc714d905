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
 * if others can fill the gaps, and of three rules for who fills them that with
 * the fewest cuts is taken. Work: matchings x ports, and the searches. */
#include <stdlib.h>
#include <string.h>

#include "redistribution.h"
#include "schedules/plan/plan.h"

/* ---- A matching of senders and receivers that changes as little as possible ------------------ */

/* The messages in flight at one time are a matching in the bipartite graph of the messages that
 * have units left. When some end, others start. The ports that must be busy can always be covered
 * (König), but perhaps only by interrupting messages: the search for an alternating path minimises
 * the number of interrupted messages. */

#define REDIST_NO_MESSAGE SIZE_MAX

/* The message that an idle port prefers. */
enum redist_preference {
    REDIST_MOST_LEFT, /* to the port with most left; of several the longest */
    REDIST_LONGEST,   /* of several that to the port with most left */
    REDIST_SHORTEST,  /* to the port with most left; of several the shortest */
    REDIST_PREFERENCES
};

/* Ports: senders 0 .. senders - 1, then receivers. */
struct redist_port_matching {
    const struct rb_traffic *traffic;
    enum redist_preference preference;
    int32_t senders, ports;
    int64_t *rest;         /* [messages]: units left */
    int64_t *load;         /* [ports]: units left */
    size_t *first;         /* [ports + 1]: where a port's messages are in listed */
    int32_t *listed_count; /* [ports]: how many have units left; they come first */
    size_t *listed;        /* [2 messages]: longest first */
    size_t *matched;       /* [ports]: message on the way, or REDIST_NO_MESSAGE */
    size_t *running; /* [senders]: message that was on the way before this instant, likewise */
    struct redist_keyed *idle; /* [ports]: of fill */
    int32_t *queue[2];         /* [ports]: of the search; this cost, and one more */
    size_t *reached;           /* [ports]: by which message the search came */
    uint64_t *seen;            /* [ports]: in which search last */
    uint64_t searches;
};

/* Alternating paths that interrupt few messages. */

static int32_t from_port(const struct redist_port_matching *m, size_t message)
{
    return m->traffic->message[message].from;
}

static int32_t to_port(const struct redist_port_matching *m, size_t message)
{
    return m->senders + m->traffic->message[message].to;
}

/* The port of the message that isn't this one. */
static int32_t other_port(const struct redist_port_matching *m, size_t message, int32_t port)
{
    return port < m->senders ? to_port(m, message) : from_port(m, message);
}

static int allocate(struct redist_port_matching *m)
{
    const size_t ports = (size_t)m->ports, messages = m->traffic->count;
    m->rest = malloc((messages + 1) * sizeof *m->rest);
    m->load = calloc(ports, sizeof *m->load);
    m->first = calloc(ports + 1, sizeof *m->first);
    m->listed_count = calloc(ports, sizeof *m->listed_count);
    m->listed = malloc((2 * messages + 1) * sizeof *m->listed);
    m->matched = malloc(ports * sizeof *m->matched);
    m->running = malloc((size_t)m->senders * sizeof *m->running);
    m->idle = malloc(ports * sizeof *m->idle);
    m->queue[0] = malloc(ports * sizeof *m->queue[0]);
    m->queue[1] = malloc(ports * sizeof *m->queue[1]);
    m->reached = malloc(ports * sizeof *m->reached);
    m->seen = calloc(ports, sizeof *m->seen);
    return m->rest == NULL || m->load == NULL || m->first == NULL || m->listed_count == NULL ||
                   m->listed == NULL || m->matched == NULL || m->running == NULL ||
                   m->idle == NULL || m->queue[0] == NULL || m->queue[1] == NULL ||
                   m->reached == NULL || m->seen == NULL
               ? RB_ENOMEM
               : RB_OK;
}

static void port_matching_deinit(struct redist_port_matching *m)
{
    free(m->rest);
    free(m->load);
    free(m->first);
    free(m->listed_count);
    free(m->listed);
    free(m->matched);
    free(m->running);
    free(m->idle);
    free(m->queue[0]);
    free(m->queue[1]);
    free(m->reached);
    free(m->seen);
    *m = (struct redist_port_matching){0};
}

static void list(struct redist_port_matching *m, int32_t port, size_t message)
{
    m->listed[m->first[port] + (size_t)m->listed_count[port]++] = message;
}

/* Every port's messages, longest first: they are listed in that order. */
static int list_all(struct redist_port_matching *m)
{
    const size_t messages = m->traffic->count;
    struct redist_keyed *order = malloc((messages + 1) * sizeof *order);
    if (order == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < messages; i++)
        order[i] = (struct redist_keyed){-m->rest[i], i};
    redist_sort(order, messages);
    for (size_t i = 0; i < messages; i++) {
        list(m, from_port(m, order[i].number), order[i].number);
        list(m, to_port(m, order[i].number), order[i].number);
    }
    free(order);
    return RB_OK;
}

/* All messages whole, none on the way. Deinit it also after a failure. RB_ENOMEM. */
static int port_matching_init(struct redist_port_matching *m, const struct rb_traffic *traffic,
                              enum redist_preference preference)
{
    *m = (struct redist_port_matching){.traffic = traffic,
                                       .preference = preference,
                                       .senders = traffic->senders,
                                       .ports = traffic->senders + traffic->receivers};
    const int status = allocate(m);
    if (status != RB_OK)
        return status;
    for (size_t i = 0; i < traffic->count; i++) {
        m->rest[i] = traffic->message[i].length;
        m->load[from_port(m, i)] += m->rest[i];
        m->load[to_port(m, i)] += m->rest[i];
        m->first[from_port(m, i) + 1]++;
        m->first[to_port(m, i) + 1]++;
    }
    for (int32_t port = 0; port < m->ports; port++) {
        m->first[port + 1] += m->first[port];
        m->matched[port] = REDIST_NO_MESSAGE;
        if (port < m->senders)
            m->running[port] = REDIST_NO_MESSAGE;
    }
    return list_all(m);
}

static void match(struct redist_port_matching *m, size_t message)
{
    m->matched[from_port(m, message)] = message;
    m->matched[to_port(m, message)] = message;
}

static void unlist(struct redist_port_matching *m, int32_t port, size_t message)
{
    size_t *at = m->listed + m->first[port];
    const size_t *const end = at + --m->listed_count[port];
    while (*at != message)
        at++;
    memmove(at, at + 1, (size_t)(end - at) * sizeof *at);
}

/* Takes units off a message; the last ones also take it off the lists and its ports. */
static void port_matching_send(struct redist_port_matching *m, size_t message, int64_t units)
{
    const int32_t from = from_port(m, message), to = to_port(m, message);
    m->rest[message] -= units;
    m->load[from] -= units;
    m->load[to] -= units;
    if (m->rest[message] > 0)
        return;
    unlist(m, from, message);
    unlist(m, to, message);
    m->matched[from] = REDIST_NO_MESSAGE;
    m->matched[to] = REDIST_NO_MESSAGE;
}

/* True if the port prefers the first message. */
static bool prefers(const struct redist_port_matching *m, int32_t port, size_t x, size_t y)
{
    const int64_t load_x = m->load[other_port(m, x, port)], rest_x = m->rest[x];
    const int64_t load_y = m->load[other_port(m, y, port)], rest_y = m->rest[y];
    if (m->preference == REDIST_LONGEST)
        return rest_x != rest_y ? rest_x > rest_y : load_x > load_y;
    if (load_x != load_y)
        return load_x > load_y;
    return m->preference == REDIST_MOST_LEFT ? rest_x > rest_y : rest_x < rest_y;
}

/* The best message to an idle port, or REDIST_NO_MESSAGE. */
static size_t choose(const struct redist_port_matching *m, int32_t port)
{
    const size_t *const listed = m->listed + m->first[port];
    size_t best = REDIST_NO_MESSAGE;
    for (int32_t i = 0; i < m->listed_count[port]; i++)
        if (m->matched[other_port(m, listed[i], port)] == REDIST_NO_MESSAGE &&
            (best == REDIST_NO_MESSAGE || prefers(m, port, listed[i], best)))
            best = listed[i];
    return best;
}

/* Those of one side that are idle and have something left. */
static size_t find_idle(struct redist_port_matching *m, int32_t port, int32_t end,
                        struct redist_keyed idle[])
{
    size_t count = 0;
    for (; port < end; port++)
        if (m->matched[port] == REDIST_NO_MESSAGE && m->listed_count[port] > 0)
            idle[count++] = (struct redist_keyed){-m->load[port], (size_t)port};
    return count;
}

/* Matches idle ports with each other, as long as there is a message between two; ports with most
 * left choose first. Interrupts nothing. O(messages of the idle ports). */
static void port_matching_fill(struct redist_port_matching *m)
{
    struct redist_keyed *idle = m->idle;
    const size_t senders = find_idle(m, 0, m->senders, idle);
    const size_t receivers = find_idle(m, m->senders, m->ports, idle + senders);
    if (senders == 0 || receivers == 0)
        return;
    if (senders > receivers)
        idle += senders;
    const size_t count = senders > receivers ? receivers : senders;
    redist_sort(idle, count);
    for (size_t i = 0; i < count; i++) {
        const size_t message = choose(m, (int32_t)idle[i].number);
        if (message != REDIST_NO_MESSAGE)
            match(m, message);
    }
}

/* Gives the port the message; the port that had it gets the one by which the search reached it,
 * and so on back to the port where the search began. */
static void swap_back(struct redist_port_matching *m, int32_t port, size_t message)
{
    for (;;) {
        const size_t gives_up = m->matched[port];
        match(m, message);
        if (gives_up == REDIST_NO_MESSAGE)
            return;
        message = m->reached[port];
        port = other_port(m, message, other_port(m, gives_up, port));
    }
}

/* The other end: the port that is matched with it becomes idle. */
static void give_up(struct redist_port_matching *m, int32_t port)
{
    const size_t by = m->reached[port];
    const int32_t between = other_port(m, m->matched[port], port);
    m->matched[port] = REDIST_NO_MESSAGE;
    swap_back(m, other_port(m, by, between), by);
}

struct search {
    int32_t count[2]; /* in the queues */
    int32_t spare;    /* a port that can become idle at this cost, or -1 */
};

/* Looks along the port's messages; true: an idle port was found, and the path is changed. */
static bool look_from(struct redist_port_matching *m, int32_t port, int64_t critical,
                      struct search *search)
{
    const size_t *const listed = m->listed + m->first[port];
    for (int32_t i = 0; i < m->listed_count[port]; i++) {
        const int32_t across = other_port(m, listed[i], port);
        if (m->seen[across] == m->searches)
            continue;
        m->seen[across] = m->searches;
        const size_t between = m->matched[across];
        if (between == REDIST_NO_MESSAGE) {
            swap_back(m, port, listed[i]);
            return true;
        }
        const int32_t next = other_port(m, between, across);
        const int cost = m->running[from_port(m, between)] == between;
        m->reached[next] = listed[i];
        m->queue[cost][search->count[cost]++] = next;
        if (cost == 0 && m->load[next] < critical)
            search->spare = next;
    }
    return false;
}

/* Makes an idle port busy; ports with load >= critical stay busy, if they are. Interrupts as few
 * running messages as this one port needs. The port must have load >= critical, and no port more.
 * O(messages). */
static void port_matching_cover(struct redist_port_matching *m, int32_t port, int64_t critical)
{
    struct search search = {.count = {1, 0}, .spare = -1};
    m->searches++;
    m->queue[0][0] = port;
    while (search.count[0] > 0) {
        for (int32_t i = 0; i < search.count[0]; i++)
            if (look_from(m, m->queue[0][i], critical, &search))
                return;
        if (search.spare >= 0) {
            give_up(m, search.spare);
            return;
        }
        int32_t *const next = m->queue[1];
        m->queue[1] = m->queue[0];
        m->queue[0] = next;
        search = (struct search){.count = {search.count[1], 0}, .spare = -1};
        for (int32_t i = 0; i < search.count[0] && search.spare < 0; i++)
            if (m->load[next[i]] < critical)
                search.spare = next[i];
    }
}

/* ---- The method ------------------------------------------------------------------------------ */

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
    port_matching_fill(m);
    for (int32_t port = 0; port < m->ports; port++)
        if (m->load[port] == left && m->matched[port] == REDIST_NO_MESSAGE)
            port_matching_cover(m, port, left);
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
        port_matching_send(m, message, units);
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
    int status = port_matching_init(&d.ports, traffic, preference);
    if (d.since == NULL)
        status = RB_ENOMEM;
    while (status == RB_OK && d.now < d.end) {
        status = change(&d);
        if (status == RB_OK)
            status = hold(&d, time_to_hold(&d));
    }
    port_matching_deinit(&d.ports);
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

/* ---- Theorem 1, literally -------------------------------------------------------------------- */

/* Every message is cut into units, and the multigraph of units is coloured with T_opt colours by
 * repeated matchings that cover all critical ports. A matching that covers them does so until a
 * message ends or another port becomes critical, so it serves for all units of that time. The
 * baseline: as many start-ups as units. Work and memory: units. */

static int64_t units_of(const struct rb_traffic *traffic)
{
    int64_t units = 0;
    for (size_t i = 0; i < traffic->count; i++)
        units += traffic->message[i].length;
    return units;
}

static int cut(const struct rb_timetable *whole, struct rb_timetable *units)
{
    size_t room = 0;
    for (size_t i = 0; i < whole->count; i++)
        for (int64_t k = 0; k < whole->piece[i].length; k++) {
            const struct rb_piece p = whole->piece[i];
            const struct rb_piece unit = {p.message, p.first + k, 1, p.start + k};
            if (redist_timetable_add(units, &room, unit) != RB_OK)
                return RB_ENOMEM;
        }
    redist_timetable_finish(units);
    return RB_OK;
}

int redist_unit(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                char *why, size_t why_size)
{
    const int64_t most =
        options != NULL && options->most_pieces > 0 ? options->most_pieces : RB_MOST_PIECES;
    struct rb_timetable whole;
    *timetable = (struct rb_timetable){0};
    if (units_of(traffic) > most)
        return rb_why(why, why_size, RB_EINVAL,
                      "unit cuts into %lld pieces here, more than %lld: matching doesn't",
                      (long long)units_of(traffic), (long long)most);
    int status = redist_matching(problem, traffic, options, &whole, why, why_size);
    if (status == RB_OK && cut(&whole, timetable) != RB_OK) {
        rb_timetable_deinit(timetable);
        status = rb_why(why, why_size, RB_ENOMEM, "out of memory");
    }
    rb_timetable_deinit(&whole);
    return status;
}
