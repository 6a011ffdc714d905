/* best.c - a timetable of T_opt with few cuts, the default method.
 *
 * There is no cut if a timetable without cuts is known or found: by the symmetry of the problem
 * (shop.c), or by the classes of modular.c, which support products of dimensions. Otherwise it
 * takes the matchings of matching.c. It then removes cuts one by one: two pieces of a message
 * become one, and all other pieces may move to make this possible, which is a search in an open
 * shop of the pieces (redistribution.h). This works for some dozens of ranks and some hundreds of
 * units; for more, the search would exceed its effort or its memory; then the cuts stay, and the
 * timetable says so, unless a method that never cuts happens to take no longer.
 *
 * (15, 3) -> (15, 5), the paper's counter-example, which has no timetable without cuts in T_opt =
 * 15: matching cuts six of the 105 messages, and two of these cuts can be mended. */
#include <stdlib.h>
#include <string.h>

#include "redistribution.h"
#include "schedules/plan/plan.h"

enum { ATTEMPT = 8 }; /* one attempt to remove a cut gets this part of the remaining effort */

/* The pieces as operations: of message[i], starting at start[i]. */
struct pieces {
    size_t count;
    struct rb_message *op;
    size_t *message;
    int64_t *start;
};

static int pieces_init(struct pieces *p, size_t room)
{
    p->op = malloc(room * sizeof *p->op);
    p->message = malloc(room * sizeof *p->message);
    p->start = malloc(room * sizeof *p->start);
    return p->op && p->message && p->start ? RB_OK : RB_ENOMEM;
}

static void pieces_deinit(struct pieces *p)
{
    free(p->op);
    free(p->message);
    free(p->start);
}

REDIST_BY(by_message, struct rb_piece, message, start);

/* Sorts the timetable's pieces by message. */
static void take_pieces(struct pieces *p, struct rb_timetable *timetable,
                        const struct rb_traffic *traffic)
{
    qsort(timetable->piece, timetable->count, sizeof *timetable->piece, by_message);
    p->count = timetable->count;
    for (size_t i = 0; i < p->count; i++) {
        p->message[i] = timetable->piece[i].message;
        p->op[i] = traffic->message[p->message[i]];
        p->op[i].length = timetable->piece[i].length;
        p->start[i] = timetable->piece[i].start;
    }
}

/* Puts the pieces into a timetable that has room for as many. A message's pieces take its units in
 * the order in which they start. */
static void give_pieces(const struct pieces *p, struct rb_timetable *timetable)
{
    timetable->count = p->count;
    for (size_t i = 0; i < p->count; i++)
        timetable->piece[i] = (struct rb_piece){p->message[i], 0, p->op[i].length, p->start[i]};
    qsort(timetable->piece, timetable->count, sizeof *timetable->piece, by_message);
    for (size_t i = 1; i < p->count; i++) {
        struct rb_piece *const piece = &timetable->piece[i];
        if (piece->message == piece[-1].message)
            piece->first = piece[-1].first + piece[-1].length;
    }
    redist_timetable_finish(timetable);
}

/* Makes one piece of pieces i and i + 1. */
static void join(struct pieces *p, size_t i)
{
    const size_t behind = p->count - i - 2;
    p->op[i].length += p->op[i + 1].length;
    memmove(&p->op[i + 1], &p->op[i + 2], behind * sizeof *p->op);
    memmove(&p->message[i + 1], &p->message[i + 2], behind * sizeof *p->message);
    p->count--;
}

/* Tries to remove the cut between pieces i and i + 1; otherwise p does not change. */
static int mend(struct pieces *p, struct pieces *scratch, size_t i,
                const struct rb_traffic *traffic, int64_t *effort, enum redist_answer *answer)
{
    scratch->count = p->count;
    memcpy(scratch->op, p->op, p->count * sizeof *p->op);
    memcpy(scratch->message, p->message, p->count * sizeof *p->message);
    join(scratch, i);
    const struct redist_shop shop = {traffic->senders, traffic->receivers, scratch->count,
                                     scratch->op, traffic->longest_port};
    int64_t part = *effort / ATTEMPT;
    *effort -= part;
    const int status = redist_shop_decide(&shop, &part, scratch->start, answer);
    *effort += part;
    if (!status && *answer == REDIST_YES) {
        const struct pieces old = *p;
        *p = *scratch;
        *scratch = old;
    }
    return status;
}

static int mend_cuts(struct rb_timetable *timetable, const struct rb_traffic *traffic,
                     int64_t *effort)
{
    timetable->gave_up = timetable->count > traffic->count &&
                         timetable->length > *effort / ATTEMPT / (int64_t)(timetable->count + 1);
    if (timetable->gave_up || timetable->count == traffic->count)
        return RB_OK;
    struct pieces p = {0}, scratch = {0};
    int status = pieces_init(&p, timetable->count);
    if (!status)
        status = pieces_init(&scratch, timetable->count);
    if (!status)
        take_pieces(&p, timetable, traffic);
    for (size_t i = 0; !status && i + 1 < p.count; i++) {
        enum redist_answer answer = REDIST_YES;
        while (!status && answer == REDIST_YES && i + 1 < p.count &&
               p.message[i] == p.message[i + 1])
            status = mend(&p, &scratch, i, traffic, effort, &answer);
        timetable->gave_up |= answer == REDIST_UNDECIDED;
    }
    if (!status)
        give_pieces(&p, timetable);
    pieces_deinit(&p);
    pieces_deinit(&scratch);
    return status;
}

static int search(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                  int64_t *effort, struct rb_timetable *timetable, bool *found)
{
    int64_t *const start = malloc((traffic->count + 1) * sizeof *start);
    int64_t half = *effort / 2;
    int status = start ? RB_OK : RB_ENOMEM;
    *effort -= half;
    if (!status)
        status = redist_nocut_search(problem, traffic, &half, start, found);
    *effort += half;
    if (!status && *found)
        status = redist_timetable_of_starts(traffic, start, timetable);
    free(start);
    return status;
}

/* Takes a timetable of a method that never cuts, if it has T_opt. */
static int keep_whole(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                      const struct rb_redistribute_options *options, struct rb_timetable *timetable)
{
    static rb_redistribute *const uncut[] = {redist_caterpillar, redist_stepwise, redist_greedy};
    int status = RB_OK;
    for (int i = 0; i < 3 && !status && timetable->count > traffic->count; i++) {
        struct rb_timetable other = {0};
        status = uncut[i](problem, traffic, options, &other, NULL, 0);
        if (!status && other.length == traffic->longest_port) {
            const struct rb_timetable old = *timetable;
            *timetable = other;
            other = old;
        }
        rb_timetable_deinit(&other);
        status = status == RB_EINVAL ? RB_OK : status;
    }
    return status;
}

/* With as few cuts as may be, as there is no timetable without, or none is known. */
static int cut(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
               const struct rb_redistribute_options *options, int64_t *effort,
               struct rb_timetable *timetable, char *why, size_t why_size)
{
    int status = redist_matching(problem, traffic, options, timetable, why, why_size);
    if (!status)
        status = mend_cuts(timetable, traffic, effort);
    if (!status)
        status = keep_whole(problem, traffic, options, timetable);
    return status;
}

int redist_best(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                char *why, size_t why_size)
{
    int64_t effort = options && options->most_effort > 0 ? options->most_effort : RB_MOST_EFFORT;
    bool found = false;
    *timetable = (struct rb_timetable){0};
    int status = search(problem, traffic, &effort, timetable, &found);
    if (!status && !found) {
        status = problem ? redist_modular(problem, traffic, options, timetable, why, why_size)
                         : RB_EINVAL;
        if (status == RB_EINVAL)
            status = cut(problem, traffic, options, &effort, timetable, why, why_size);
    }
    if (status)
        rb_timetable_deinit(timetable);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}
