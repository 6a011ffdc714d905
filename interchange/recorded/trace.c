#define _DEFAULT_SOURCE /* strsep */

#include "interchange/recorded/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/csv.h"
#include "support/memory.h"

/* ---- Records --------------------------------------------------------------------------------- */

#define NO_RECORD "no line of a record that roundabout trace wrote"

struct reader {
    struct trace_record *record;
    struct sup_lines lines;
    int32_t rank; /* whose record it is; -1: before the first */
    bool ended;   /* that record is complete */
};

/* "200000001+64": the first element, in hexadecimal digits, and how many. */
static bool read_run(struct trace_record *record, const char *word)
{
    uint64_t first;
    int64_t count;
    int end = 0;
    if (sscanf(word, "%16" SCNx64 "+%15" SCNd64 "%n", &first, &count, &end) != 2 ||
        word[end] != '\0' || count < 1 || (int64_t)(uint32_t)first + count > record->elements)
        return false;
    sup_grow(&record->run, record->runs, sizeof *record->run);
    record->run[record->runs++] =
        (struct trace_run){(uint32_t)first, (uint32_t)(first >> 32), count};
    return true;
}

/* PEER TAG BYTES [RUN...] */
static const char *read_event(struct reader *r, bool posted, char *text)
{
    struct trace_record *record = r->record;
    struct trace_event event = {
        .posted = posted, .rank = r->rank, .line = r->lines.at, .first = record->runs};
    int at = 0;
    if (sscanf(text, "%" SCNd32 " %16" SCNx64 " %15" SCNd64 "%n", &event.peer, &event.tag,
               &event.bytes, &at) != 3 ||
        event.peer < -1 || event.peer >= record->p || event.bytes < 0)
        return "not a peer, a tag and bytes";
    text += at;
    for (char *word; (word = strsep(&text, " ")) != NULL;)
        if (*word != '\0' && !read_run(record, word))
            return "the rank sends elements that it did not receive";
    event.end = record->runs;
    record->messages += !posted;
    record->bytes += posted ? 0 : event.bytes;
    sup_grow(&record->event, record->events, sizeof *record->event);
    record->event[record->events++] = event;
    return NULL;
}

/* COLLECTIVE ELEMENTS ROOT: the same at all ranks. */
static const char *read_call(struct reader *r, const char *text)
{
    struct trace_record call = {0}, *record = r->record;
    if (sscanf(text, "%31s %10" SCNd64 " %" SCNd32, call.collective, &call.elements, &call.root) !=
            3 ||
        rb_collective_find(call.collective) == NULL || call.elements < 0 ||
        call.elements > UINT32_MAX || call.root < 0 || call.root >= record->p)
        return "not a collective, its elements, and a root";
    if (r->rank == 0 && record->collective[0] != '\0')
        return "a second call of rank 0";
    if (r->rank > 0 && (strcmp(call.collective, record->collective) != 0 ||
                        call.elements != record->elements || call.root != record->root))
        return "another call than that of rank 0";
    strcpy(record->collective, call.collective);
    record->elements = call.elements;
    record->root = call.root;
    return NULL;
}

/* RANK RANKS: in rising order, each record complete. */
static const char *read_rank(struct reader *r, const char *text)
{
    int32_t rank, p;
    if (sscanf(text, "%" SCNd32 " %" SCNd32, &rank, &p) != 2 || rank != r->rank + 1 || rank >= p ||
        (rank > 0 && (p != r->record->p || !r->ended)))
        return "not the next rank, behind the complete record of the one before";
    r->rank = rank;
    r->record->p = p;
    r->ended = false;
    return NULL;
}

static const char *read_line(struct reader *r)
{
    struct trace_record *record = r->record;
    char *text = r->lines.line;
    const char *word = strsep(&text, " ");
    if (text == NULL)
        text = r->lines.line + strlen(r->lines.line);
    if (strcmp(word, "rank") == 0)
        return read_rank(r, text);
    if (r->ended)
        return NO_RECORD;
    if (strcmp(word, "send") == 0)
        return read_event(r, false, text);
    if (strcmp(word, "post") == 0)
        return read_event(r, true, text);
    if (strcmp(word, "call") == 0)
        return read_call(r, text);
    if (strcmp(word, "library") == 0)
        snprintf(record->library, sizeof record->library, "%s", text);
    else if (strcmp(word, "setting") == 0 && r->rank == 0)
        sup_append(record->settings, sizeof record->settings, "", " %s", text);
    else if (strcmp(word, "begin") == 0)
        record->calls += r->rank == 0;
    else if (strcmp(word, "end") == 0)
        r->ended = true;
    else if (strcmp(word, "setting") != 0)
        return NO_RECORD;
    return NULL;
}

int trace_record_read(const char *path, const char *name, struct trace_record *record,
                      struct sup_error *error)
{
    struct reader r = {.record = record, .rank = -1, .ended = true};
    const char *wrong = NULL;
    *record = (struct trace_record){.path = name};
    int status = sup_lines_read(&r.lines, path, error);
    while (status == RB_OK && wrong == NULL && sup_lines_next(&r.lines))
        wrong = read_line(&r);
    if (wrong != NULL)
        status = sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": %s", name, r.lines.at, wrong);
    else if (status == RB_OK && r.rank < 0)
        status = sup_fail(error, RB_EINVAL, "%s: " TRACE_EMPTY, name);
    else if (status == RB_OK && (r.rank < 0 || r.rank != record->p - 1 || !r.ended))
        status = sup_fail(error, RB_EINVAL,
                          "%s: %" PRId32 " of %" PRId32 " ranks have a complete record", name,
                          r.rank + r.ended, record->p);
    free(r.lines.text);
    return status;
}

void trace_record_free(struct trace_record *record)
{
    free(record->event);
    free(record->run);
}

/* ---- The plan that a record shows ------------------------------------------------------------ */

/* The plan that a record shows.
 *
 * A rank's values are followed through its events: what it has at the start, and what messages
 * bring. A value lives in a place that a plan can name, from the message that defines it until
 * another replaces it; so one message must come before another, or not after it. Rounds follow
 * from that alone. Combining is not recorded, but a rank that sends what two ranks contributed has
 * combined what came before: received values, in the order of the receives, with its own. */

enum { MOST_BLOCKS = 1 << 26, NOWHERE = -1, NONE = -1 };

/* A block of a message: where the sender reads it, and what the receiver does with it. */
struct item {
    int32_t name;
    uint32_t set;
    int8_t from, at;
    bool reduces;
};

struct message {
    const struct trace_event *event; /* by which it was sent */
    int32_t t, port;                 /* t: NONE before it has a round */
    int32_t before;                  /* list of edges */
    size_t first, end;               /* its items; none: it is no message of the plan */
    bool received, banned;
};

struct value {
    uint32_t set;
    int32_t name;
    int32_t next;    /* of the same block, older */
    int32_t message; /* which brought it, at last; NONE: it was there */
    int32_t line;    /* of the receive */
    int32_t use;     /* list of the messages that send it */
    int8_t place;    /* NOWHERE: received, but not used yet */
    bool gone;       /* replaced, or combined with another */
    size_t item;     /* by which it came */
};

struct use {
    int32_t message, next;
};

/* A message that comes before another: in an earlier round, or, if not strict, in no later one. */
struct edge {
    int32_t from, next;
    bool strict;
};

struct work {
    const struct trace_record *record;
    const struct rb_collective_info *info;
    struct sup_error *error;
    int32_t p, names, per_owner; /* blocks of all data, and of an owner's */
    int64_t block;               /* elements */
    struct message *message;     /* all of these are owned */
    struct item *item;
    struct edge *edge;
    size_t messages, items, edges;
    /* Of the present rank: */
    int32_t rank, line; /* line: of the present event in the record */
    struct value *value;
    struct use *use;
    size_t values, uses;
    int32_t *latest;             /* value of each block */
    int32_t *holder[RB_BUFFERS]; /* of each location, the value in it */
};

static int refuse(const struct work *w, const char *what)
{
    return sup_fail(w->error, RB_EINVAL, "%s:%" PRId32 ": rank %" PRId32 " %s", w->record->path,
                    w->line, w->rank, what);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int divide(struct work *w)
{
    const struct trace_record *record = w->record;
    const int64_t owners = w->info->distributed ? w->p : 1;
    const int64_t parts = w->info->personalized ? owners * w->p : owners;
    if (record->elements == 0 || record->elements % parts != 0)
        return sup_fail(w->error, RB_EINVAL, "%s: the ranks do not share the data evenly",
                        record->path);
    w->block = record->elements / parts;
    for (size_t i = 0; i < record->runs; i++)
        w->block =
            common_divisor(common_divisor(w->block, record->run[i].place), record->run[i].count);
    if (record->elements / w->block > MOST_BLOCKS)
        return sup_fail(w->error, RB_EINVAL, "%s: more than %d blocks", record->path, MOST_BLOCKS);
    w->names = (int32_t)(record->elements / w->block);
    w->per_owner = w->names / (int32_t)owners;
    return RB_OK;
}

static int32_t owner_of(const struct work *w, int32_t name)
{
    return w->info->distributed ? name / w->per_owner : w->info->rooted ? w->record->root : 0;
}

/* The rank that a block of a personalized collective is for. */
static int32_t target_of(const struct work *w, int32_t name)
{
    return name % w->per_owner / (w->per_owner / w->p);
}

/* As rb_plan_location: blocks that use the same memory have the same number. */
static int32_t location(const struct work *w, int8_t place, int32_t name)
{
    const int32_t part = w->per_owner / w->p;
    if (place != RB_TMP || !w->info->personalized)
        return name;
    return (target_of(w, name) - owner_of(w, name) + w->p) % w->p * part + name % part;
}

/* ---- Values of one rank ---------------------------------------------------------------------- */

/* Where a rank keeps a value: in TMP what is on its way through it. */
static int8_t place_for(const struct work *w, int32_t name, uint32_t set)
{
    const bool passes = w->info->reducing ? (set >> w->rank & 1) == 0
                                          : w->info->personalized && target_of(w, name) != w->rank;
    return passes ? RB_TMP : RB_DST;
}

static void add_edge(struct work *w, int32_t from, int32_t to, bool strict)
{
    if (from == to || from == NONE)
        return;
    sup_grow(&w->edge, w->edges, sizeof *w->edge);
    w->edge[w->edges] = (struct edge){from, w->message[to].before, strict};
    w->message[to].before = (int32_t)w->edges++;
}

static struct value *add_value(struct work *w, int32_t name, uint32_t set, int8_t place)
{
    sup_grow(&w->value, w->values, sizeof *w->value);
    w->value[w->values] = (struct value){.set = set,
                                         .name = name,
                                         .next = w->latest[name],
                                         .message = NONE,
                                         .use = NONE,
                                         .place = place};
    if (place != NOWHERE)
        w->holder[place][location(w, place, name)] = (int32_t)w->values;
    w->latest[name] = (int32_t)w->values;
    return &w->value[w->values++];
}

/* Gives a received value a place, where it replaces another, or is combined with it. One that is
 * there already changes nothing. */
static void take(struct work *w, int32_t received, int32_t name, int8_t place, bool combine)
{
    struct value *value = &w->value[received];
    const int32_t m = value->message, old = w->holder[place][location(w, place, name)];
    struct item *item = &w->item[value->item];
    item->at = place;
    item->reduces = combine;
    value->gone = true;
    uint32_t set = value->set;
    if (old != NONE) {
        add_edge(w, w->value[old].message, m, true);
        if (w->value[old].name == name && w->value[old].set == set)
            return;
        set |= combine ? w->value[old].set : 0;
        w->value[old].gone = true;
        for (int32_t u = w->value[old].use; u != NONE; u = w->use[u].next)
            add_edge(w, w->use[u].message, m, false);
    }
    add_value(w, name, set, place)->message = m;
}

/* The first received value that can become, or be combined to, one of this set; `combine` says how,
 * with what is in this place. */
static int32_t find_received(const struct work *w, int32_t name, uint32_t set, int8_t place,
                             bool *combine)
{
    const int32_t old = w->holder[place][location(w, place, name)];
    const uint32_t present = old == NONE ? 0 : w->value[old].set;
    int32_t found = NONE;
    for (int32_t i = w->latest[name]; i != NONE; i = w->value[i].next) {
        const struct value *value = &w->value[i];
        const bool apart = w->info->reducing && old != NONE && (value->set & present) == 0;
        if (value->place == NOWHERE && !value->gone && value->line < w->line &&
            (value->set & ~set) == 0 &&
            (apart ? (present & ~set) == 0
                   : (present & ~value->set) == 0 || (present & ~set) != 0)) {
            found = i;
            *combine = apart;
        }
    }
    return found;
}

/* The value of a block with these contributions, in a place; NONE: the rank can't have it. */
static int32_t make_value(struct work *w, int32_t name, uint32_t set)
{
    const int8_t place = place_for(w, name, set);
    bool combine = false;
    for (;;) {
        for (int32_t i = w->latest[name]; i != NONE; i = w->value[i].next)
            if (w->value[i].set == set && !w->value[i].gone && w->value[i].place != NOWHERE)
                return i;
        const int32_t received = find_received(w, name, set, place, &combine);
        if (received == NONE)
            return NONE;
        take(w, received, name, place, combine);
    }
}

/* ---- Events of one rank ---------------------------------------------------------------------- */

/* The values before the collective. */
static void begin_rank(struct work *w)
{
    const bool reducing = w->info->reducing;
    const bool at_root = w->info->rooted && !reducing && strcmp(w->info->name, "gather") != 0;
    w->values = w->uses = 0;
    for (int32_t name = 0; name < w->names; name++)
        for (int buffer = RB_SRC; buffer < RB_BUFFERS; buffer++)
            w->latest[name] = w->holder[buffer][name] = NONE;
    for (int32_t name = 0; name < w->names; name++)
        if (reducing || (at_root ? w->record->root : owner_of(w, name)) == w->rank)
            add_value(w, name, reducing ? UINT32_C(1) << w->rank : 0,
                      w->info->personalized ? RB_SRC : RB_DST);
}

/* What came and was not sent any more gets a place, too. */
static void end_rank(struct work *w)
{
    const uint32_t all = w->p == 32 ? UINT32_MAX : (UINT32_C(1) << w->p) - 1;
    w->line = INT32_MAX;
    for (int32_t name = 0; name < w->names; name++) {
        const bool wanted = w->info->distributed ? owner_of(w, name) == w->rank
                                                 : !w->info->rooted || w->rank == w->record->root;
        if (w->info->reducing && wanted)
            make_value(w, name, all);
        for (int32_t i = w->latest[name]; i != NONE; i = w->value[i].next)
            if (w->value[i].place == NOWHERE && !w->value[i].gone)
                take(w, i, name, w->info->reducing ? RB_TMP : place_for(w, name, 0), false);
    }
}

static int follow_sent(struct work *w, int32_t m)
{
    for (size_t i = w->message[m].first; i < w->message[m].end; i++) {
        const int32_t v = make_value(w, w->item[i].name, w->item[i].set);
        if (v == NONE)
            return refuse(w, "sends data that it does not have, or that a plan can't keep");
        w->item[i].from = w->value[v].place;
        add_edge(w, w->value[v].message, m, true);
        sup_grow(&w->use, w->uses, sizeof *w->use);
        w->use[w->uses] = (struct use){m, w->value[v].use};
        w->value[v].use = (int32_t)w->uses++;
    }
    return RB_OK;
}

/* A receive was posted: for the first such message for which none was. */
static int follow_posted(struct work *w, const struct trace_event *event)
{
    for (int32_t m = 0; m < (int32_t)w->messages; m++) {
        struct message *message = &w->message[m];
        if (message->received || message->event->peer != event->rank ||
            message->event->tag != event->tag ||
            (event->peer >= 0 && event->peer != message->event->rank))
            continue;
        message->received = true;
        for (size_t i = message->first; i < message->end; i++) {
            struct value *value = add_value(w, w->item[i].name, w->item[i].set, NOWHERE);
            value->item = i;
            value->line = event->line;
            value->message = m;
        }
        return RB_OK;
    }
    return refuse(w, "posts a receive for a message that nobody sends");
}

static int add_message(struct work *w, const struct trace_event *event)
{
    int64_t count = 0;
    w->rank = event->rank;
    w->line = event->line;
    sup_grow(&w->message, w->messages, sizeof *w->message);
    struct message *m = &w->message[w->messages++];
    *m = (struct message){.event = event, .t = NONE, .before = NONE, .first = w->items};
    for (size_t i = event->first; i < event->end; i++) {
        const struct trace_run *run = &w->record->run[i];
        count += run->count;
        for (int64_t k = 0; k < run->count && event->peer != event->rank; k += w->block) {
            if (w->items == MOST_BLOCKS)
                return refuse(w, "sends more blocks than a plan can have here");
            sup_grow(&w->item, w->items, sizeof *w->item);
            w->item[w->items++] =
                (struct item){.name = (int32_t)((run->place + k) / w->block), .set = run->set};
        }
    }
    m->end = w->items;
    return event->peer < 0             ? refuse(w, "sends to a rank that is not known")
           : count * 8 != event->bytes ? refuse(w, "sends contents that can't be seen")
                                       : RB_OK;
}

static int follow(struct work *w)
{
    const struct trace_record *record = w->record;
    int status = RB_OK;
    int32_t m = 0;
    for (size_t e = 0; e < record->events && status == RB_OK; e++)
        if (!record->event[e].posted)
            status = add_message(w, &record->event[e]);
    w->latest = sup_calloc((size_t)w->names, sizeof *w->latest);
    for (int buffer = RB_SRC; buffer < RB_BUFFERS; buffer++)
        w->holder[buffer] = sup_calloc((size_t)w->names, sizeof *w->holder[buffer]);
    size_t e = 0;
    for (int32_t rank = 0; rank < w->p && status == RB_OK; rank++) {
        w->rank = rank;
        begin_rank(w);
        for (; e < record->events && record->event[e].rank == rank && status == RB_OK; e++) {
            w->line = record->event[e].line;
            status =
                record->event[e].posted ? follow_posted(w, &record->event[e]) : follow_sent(w, m++);
        }
        if (status == RB_OK)
            end_rank(w);
    }
    for (size_t i = 0; i < w->messages && status == RB_OK; i++)
        if (!w->message[i].received) {
            w->rank = w->message[i].event->rank;
            w->line = w->message[i].event->line;
            status = refuse(w, "sends a message that nobody receives");
        }
    return status;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

struct rounds {
    int32_t *order;        /* owned; messages that have a round, by rounds, and then the rest */
    size_t done, messages; /* how many have one; and all */
    uint64_t *sends, *receives; /* owned; of each rank, the ports in use */
    uint64_t ports;             /* all of them */
};

/* At first messages are in the order in which they are sent: all ranks' first ones, and so on. */
static void begin_rounds(const struct work *w, struct rounds *rounds, int32_t ports)
{
    size_t *next = sup_calloc((size_t)w->p + 1, sizeof *next), seen = 0;
    rounds->ports = ports == 64 ? UINT64_MAX : (UINT64_C(1) << ports) - 1;
    rounds->order = sup_calloc(w->messages + 1, sizeof *rounds->order);
    rounds->sends = sup_calloc((size_t)w->p, sizeof *rounds->sends);
    rounds->receives = sup_calloc((size_t)w->p, sizeof *rounds->receives);
    for (size_t m = w->messages; m-- > 0;)
        next[w->message[m].event->rank] = m;
    for (int32_t rank = 0; seen < w->messages; rank = (rank + 1) % w->p) {
        const size_t m = next[rank];
        if (m == w->messages || w->message[m].event->rank != rank)
            continue;
        next[rank]++;
        seen++;
        if (w->message[m].first < w->message[m].end)
            rounds->order[rounds->messages++] = (int32_t)m;
    }
    free(next);
}

/* True if the data of a message are there in round t, and what it replaces is no longer needed or
 * may still be sent in this round. `surely`: it is sent. */
static bool may_go(const struct work *w, const struct message *m, int32_t t, bool surely)
{
    for (int32_t e = m->before; e != NONE; e = w->edge[e].next) {
        const struct message *before = &w->message[w->edge[e].from];
        if (w->edge[e].strict ? before->t == NONE || before->t == t
                              : before->t == NONE && (surely || before->banned))
            return false;
    }
    return true;
}

/* Puts the messages into round t that can go in it; those that are banned can't. */
static void choose(struct work *w, struct rounds *rounds, int32_t t)
{
    memset(rounds->sends, 0, (size_t)w->p * sizeof *rounds->sends);
    memset(rounds->receives, 0, (size_t)w->p * sizeof *rounds->receives);
    for (size_t i = rounds->done; i < rounds->messages; i++) {
        struct message *m = &w->message[rounds->order[i]];
        uint64_t *send = &rounds->sends[m->event->rank],
                 *receive = &rounds->receives[m->event->peer];
        const uint64_t open = rounds->ports & ~(*send | *receive);
        m->t = NONE;
        if (m->banned || open == 0 || !may_go(w, m, t, false))
            continue;
        m->t = t;
        m->port = __builtin_ctzll(open);
        *send |= UINT64_C(1) << m->port;
        *receive |= UINT64_C(1) << m->port;
    }
}

/* Bans chosen messages that replace what another one has yet to send; true if there were any. */
static bool ban(struct work *w, const struct rounds *rounds, int32_t t)
{
    bool any = false;
    for (size_t i = rounds->done; i < rounds->messages; i++) {
        struct message *m = &w->message[rounds->order[i]];
        if (m->t == t && !may_go(w, m, t, true))
            any = m->banned = true;
    }
    return any;
}

static int schedule(struct work *w, struct rounds *rounds, int64_t *count)
{
    for (*count = 0; rounds->done < rounds->messages; ++*count) {
        const size_t before = rounds->done;
        do
            choose(w, rounds, (int32_t)*count);
        while (ban(w, rounds, (int32_t)*count));
        for (size_t i = before; i < rounds->messages; i++) {
            const int32_t m = rounds->order[i];
            w->message[m].banned = false;
            if (w->message[m].t == NONE)
                continue;
            memmove(&rounds->order[rounds->done + 1], &rounds->order[rounds->done],
                    (i - rounds->done) * sizeof m);
            rounds->order[rounds->done++] = m;
        }
        if (rounds->done == before)
            return sup_fail(w->error, RB_EINVAL,
                            "%s: %zu messages wait for each other in every plan that keeps a block "
                            "in two places",
                            w->record->path, rounds->messages - before);
    }
    return RB_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void write_row(const struct work *w, FILE *stream, int32_t t, int32_t rank, const char *op,
                      int32_t peer, int32_t port, int8_t at, int32_t name)
{
    static const char *const buffer_names[RB_BUFFERS] = {"src", "dst", "tmp"};
    fprintf(stream,
            "%" PRId32 ",%" PRId32 ",%s,%" PRId32 ",%" PRId32 ",%s,%" PRId32 ",%" PRId32
            ",%" PRId64,
            t, rank, op, peer, port, buffer_names[at], owner_of(w, name), name % w->per_owner,
            w->block * 8);
}

static void write_message(const struct work *w, FILE *stream, const struct message *m)
{
    const int32_t from = m->event->rank, to = m->event->peer;
    for (const struct item *i = &w->item[m->first]; i < &w->item[m->end]; i++) {
        write_row(w, stream, m->t, from, "send", to, m->port, i->from, i->name);
        fputs(",,,,\n", stream);
        write_row(w, stream, m->t, to, i->reduces ? "reduce" : "recv", from, m->port, i->at,
                  i->name);
        fputs(i->reduces ? ",,,,present\n" : ",,,,\n", stream);
    }
}

static void write_rows(const struct work *w, const struct rounds *rounds, FILE *stream)
{
    fputs("round,rank,op,peer,port,buffer,owner,index,bytes,from_buffer,from_owner,from_index,"
          "left\n",
          stream);
    for (size_t i = 0; i < rounds->done; i++)
        write_message(w, stream, &w->message[rounds->order[i]]);
    for (int32_t name = 0; name < w->names && w->info->personalized; name++)
        if (owner_of(w, name) == target_of(w, name)) { /* a rank's data for itself */
            const int32_t rank = owner_of(w, name);
            write_row(w, stream, 0, rank, "copy", rank, 0, RB_DST, name);
            fprintf(stream, ",src,%" PRId32 ",%" PRId32 ",\n", rank, name % w->per_owner);
        }
}

int trace_plan_write(const struct trace_record *record, int32_t ports, FILE *stream, int64_t *n,
                     int64_t *rounds, struct sup_error *error)
{
    struct work w = {.record = record, .error = error, .p = record->p};
    struct rounds order = {0};
    w.info = rb_collective_find(record->collective);
    if (w.info == NULL)
        return sup_fail(error, RB_EINVAL, "%s: a program's messages: their contents are not known",
                        record->path);
    if (w.info->reducing && w.p > 32)
        return sup_fail(error, RB_EINVAL, "%s: more than 32 ranks' contributions", record->path);
    int status = divide(&w);
    if (status == RB_OK)
        status = follow(&w);
    if (status == RB_OK) {
        begin_rounds(&w, &order, ports);
        status = schedule(&w, &order, rounds);
    }
    if (status == RB_OK)
        write_rows(&w, &order, stream);
    *n = w.info->personalized ? w.per_owner / w.p : w.per_owner;
    free(order.order);
    free(order.sends);
    free(order.receives);
    free(w.message);
    free(w.item);
    free(w.edge);
    free(w.value);
    free(w.use);
    free(w.latest);
    for (int buffer = RB_SRC; buffer < RB_BUFFERS; buffer++)
        free(w.holder[buffer]);
    return status;
}
