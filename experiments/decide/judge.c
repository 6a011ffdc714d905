/* judge.c - from times to choices, and compares the library's own with them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "support/memory.h"
#include "support/units.h"

const char *const decide_source_names[DECIDE_SOURCES] = {"not reached", "computed", "simulated",
                                                         "predicted", "measured"};
const char *const decide_verdict_names[DECIDE_VERDICTS] = {NULL,  "good",  "loses",
                                                           "tie", "alone", "no time"};
const char *const decide_cause_names[DECIDE_CAUSES] = {NULL,      "algorithm", "segment", "radix",
                                                       "latency", "halves",    "unknown"};

/* ---- Choices --------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Same algorithm and radix, whatever the segments. */
static bool same_plan(const struct decide_way *a, const struct decide_way *b)
{
    if (a->algorithm == NULL || b->algorithm == NULL)
        return a->algorithm == b->algorithm && same_text(a->name, b->name);
    return same_text(a->algorithm, b->algorithm) && a->radix == b->radix;
}

bool decide_same_way(const struct decide_way *a, const struct decide_way *b)
{
    return same_plan(a, b) && same_text(a->name, b->name) && a->radix == b->radix &&
           a->segment_bytes == b->segment_bytes && a->offered == b->offered;
}

double decide_ratio(const struct decide_way *way, const struct decide_way *than)
{
    return than->time_s > 0 ? way->time_s / than->time_s : 1;
}

static bool has_spread(const struct decide_way *way)
{
    return !isnan(way->low_s) && !isnan(way->high_s);
}

static bool overlap(const struct decide_way *a, const struct decide_way *b)
{
    return has_spread(a) && has_spread(b) && a->low_s <= b->high_s && b->low_s <= a->high_s;
}

/* Takes longer by more than the threshold. */
static bool is_slower(const struct decide *decision, const struct decide_way *way,
                      const struct decide_way *than)
{
    return way->time_s > than->time_s * (1 + decision->threshold);
}

static bool loses_to(const struct decide *decision, const struct decide_way *way,
                     const struct decide_way *than)
{
    return is_slower(decision, way, than) && !overlap(way, than);
}

/* ---- One call ------------------------------------------------------------------------------- */

const struct decide_way *decide_find_way(const struct decide *decision,
                                         const struct decide_call *call,
                                         const struct decide_way *sought)
{
    for (size_t i = 0; i < call->count; i++)
        if (decide_same_way(&decision->ways[call->first + i], sought))
            return &decision->ways[call->first + i];
    return NULL;
}

/* Measured times are like each other if they overlap and are close; computed ones if they are
 * equal. */
static bool is_like(const struct decide_way *a, const struct decide_way *b)
{
    static const double close = 1.1, equal = 1e-6;
    const double ratio = fmax(a->time_s, b->time_s) / fmin(a->time_s, b->time_s);
    return has_spread(a) && has_spread(b) ? overlap(a, b) && ratio <= close : ratio - 1 <= equal;
}

/* The library's choice that the decision is; if that is not known, the one that takes most nearly
 * as long. */
static const struct decide_way *find_like(const struct decide *decision,
                                          const struct decide_call *call)
{
    const struct decide_way *like = NULL;
    double nearest = INFINITY;
    if (call->own_known)
        return decide_find_way(decision, call, &call->own);
    for (size_t i = 0; i < call->count; i++) {
        const struct decide_way *way = &decision->ways[call->first + i];
        const double distance = fabs(log(way->time_s / call->own.time_s));
        if (way->offered && distance < nearest && is_like(&call->own, way)) {
            nearest = distance;
            like = way;
        }
    }
    return like;
}

/* A condition on a choice of the call. */
typedef bool decide_condition(const struct decide *decision, const struct decide_call *call,
                              const struct decide_way *way);

static bool is_offered(const struct decide *decision, const struct decide_call *call,
                       const struct decide_way *way)
{
    (void)decision;
    (void)call;
    return way->offered;
}

static bool beats(const struct decide *decision, const struct decide_call *call,
                  const struct decide_way *way)
{
    return way->offered && loses_to(decision, &call->own, way);
}

static bool beats_beyond(const struct decide *decision, const struct decide_call *call,
                         const struct decide_way *way)
{
    return !way->offered && !way->own && loses_to(decision, &call->own, way) &&
           (call->choice == NULL || loses_to(decision, call->choice, way));
}

/* Beats the decision with other segments, and almost as well as the best. */
static bool mends_segment(const struct decide *decision, const struct decide_call *call,
                          const struct decide_way *way)
{
    return beats(decision, call, way) && !is_slower(decision, way, call->choice) &&
           same_plan(way, call->like != NULL ? call->like : &call->own);
}

static bool mends_radix(const struct decide *decision, const struct decide_call *call,
                        const struct decide_way *way)
{
    const struct decide_way *made = call->like != NULL ? call->like : &call->own;
    return beats(decision, call, way) && !is_slower(decision, way, call->choice) &&
           way->algorithm != NULL && same_text(way->algorithm, made->algorithm) &&
           way->segment_bytes == made->segment_bytes;
}

/* Of equals the first one. */
static const struct decide_way *fastest(const struct decide *decision,
                                        const struct decide_call *call, decide_condition *condition)
{
    const struct decide_way *best = NULL;
    for (size_t i = 0; i < call->count; i++) {
        const struct decide_way *way = &decision->ways[call->first + i];
        if (!isnan(way->time_s) && condition(decision, call, way) &&
            (best == NULL || way->time_s < best->time_s * (1 - decision->equal)))
            best = way;
    }
    return best;
}

/* True if the library has another choice with a time than the decision. */
static bool has_others(const struct decide *decision, const struct decide_call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        const struct decide_way *way = &decision->ways[call->first + i];
        if (way->offered && !isnan(way->time_s) &&
            !(call->own_known && decide_same_way(way, &call->own)))
            return true;
    }
    return false;
}

/* Why an algorithm of NCCL loses to another one, as far as that follows from the two. */
static enum decide_cause between_gpus(const struct decide_way *made, const struct decide_way *best)
{
    static const char ring[] = "multi-ring", tree[] = "two-tree-in-lanes";
    if (same_text(made->algorithm, ring) && same_text(best->algorithm, tree))
        return DECIDE_LATENCY;
    return same_text(made->algorithm, tree) && same_text(best->algorithm, ring) ? DECIDE_HALVES
                                                                                : DECIDE_ALGORITHM;
}

/* The smallest change that mends the loss; the best becomes that one. */
static void find_cause(const struct decide *decision, struct decide_call *call)
{
    const struct decide_way *mender = NULL;
    call->cause = DECIDE_UNKNOWN;
    if (!call->own_known && call->like == NULL)
        return;
    call->cause = call->like == NULL ? DECIDE_ALGORITHM : between_gpus(call->like, call->choice);
    if ((mender = fastest(decision, call, mends_segment)) != NULL)
        call->cause = DECIDE_SEGMENT;
    else if ((mender = fastest(decision, call, mends_radix)) != NULL)
        call->cause = DECIDE_RADIX;
    if (mender != NULL)
        call->choice = mender;
}

/* Compares the library's own way with the others. */
static void judge_own(const struct decide *decision, struct decide_call *call)
{
    call->verdict = DECIDE_NO_TIME;
    if (isnan(call->own.time_s))
        return;
    call->verdict = DECIDE_ALONE;
    call->like = find_like(decision, call);
    if (has_others(decision, call)) {
        const struct decide_way *beating = fastest(decision, call, beats);
        call->choice = beating != NULL ? beating : fastest(decision, call, is_offered);
        call->verdict = beating != NULL                                 ? DECIDE_LOSES
                        : is_slower(decision, &call->own, call->choice) ? DECIDE_TIE
                                                                        : DECIDE_GOOD;
        if (call->verdict == DECIDE_LOSES)
            find_cause(decision, call);
    }
    call->beyond = fastest(decision, call, beats_beyond);
}

static const char *rival_of(const struct decide_way *way)
{
    return way->rival != NULL ? way->rival : way->name;
}

/* Measured times agree by chance. */
static bool is_equal(const struct decide_way *a, const struct decide_way *b)
{
    return a->source != DECIDE_MEASURED && b->source != DECIDE_MEASURED &&
           decide_is_equal(a->time_s, b->time_s);
}

static bool is_rival(const struct decide *decision, const struct decide_call *call,
                     const struct decide_way *way)
{
    (void)decision;
    return way->offered && !same_text(rival_of(way), rival_of(call->choice)) &&
           !is_equal(way, call->choice);
}

double decide_lead(double rival_s, double time_s)
{
    return rival_s == time_s ? 1 : time_s > 0 ? rival_s / time_s : NAN;
}

void decide_take(const struct decide *decision, struct decide_call *call,
                 const struct decide_way *way)
{
    call->choice = way;
    call->lead = NAN;
    call->tie = NULL;
    call->gain = call->has_own && !isnan(way->time_s) ? decide_ratio(&call->own, way) : NAN;
    call->of_bound = point_bound_ratio(way->time_s, &call->bound);
    call->next_best = fastest(decision, call, is_rival);
    if (call->next_best == NULL)
        return;
    call->lead = decide_lead(call->next_best->time_s, way->time_s);
    if (has_spread(way))
        call->tie = overlap(way, call->next_best) ? "tie" : "no";
}

static void judge(const struct decide *decision, struct decide_call *call)
{
    call->lead = call->gain = call->of_bound = NAN;
    call->choice = call->next_best = call->beyond = call->like = NULL;
    call->tie = NULL;
    call->cause = DECIDE_NO_CAUSE;
    call->cliff = 0;
    call->verdict = DECIDE_NO_OWN;
    if (call->has_own)
        judge_own(decision, call);
    else
        call->choice = fastest(decision, call, is_offered);
    if (call->choice != NULL)
        decide_take(decision, call, call->choice);
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* What is known of the library's choice. */
static const struct decide_way *made(const struct decide_call *call)
{
    return call->own_known ? &call->own : call->like;
}

/* True if the library decides otherwise at the neighbour, and that would do here. If choices or
 * their times are not known: if the neighbour does not lose. */
static bool knows_better(const struct decide *decision, const struct decide_call *neighbour,
                         const struct decide_call *call)
{
    const struct decide_way *here = made(call), *there = made(neighbour), *tried;
    if (here != NULL && there != NULL) {
        if (decide_same_way(here, there))
            return false;
        tried = decide_find_way(decision, call, there);
        if (tried != NULL && !isnan(tried->time_s))
            return !is_slower(decision, tried, call->choice);
    }
    return neighbour->verdict == DECIDE_GOOD &&
           call->gain > neighbour->gain * (1 + decision->threshold);
}

/* The nearest neighbour in the direction of `step`, of the same p and run; NULL: there is none. */
static const struct decide_call *neighbour_in_m(const struct decide *decision, size_t i, int step)
{
    const struct decide_call *call = &decision->calls[i];
    for (size_t k = i + (size_t)step; k < decision->call_count; k += (size_t)step) {
        const struct decide_call *other = &decision->calls[k];
        if (other->place != call->place || other->p != call->p)
            break;
        if (other->m_bytes != call->m_bytes && other->run == call->run)
            return other;
    }
    return NULL;
}

static const struct decide_call *neighbour_in_p(const struct decide *decision, size_t i, int step)
{
    const struct decide_call *call = &decision->calls[i];
    for (size_t k = i + (size_t)step; k < decision->call_count; k += (size_t)step) {
        const struct decide_call *other = &decision->calls[k];
        if (other->place != call->place)
            break;
        if (other->p != call->p && other->m_bytes == call->m_bytes)
            return other;
    }
    return NULL;
}

static void find_cliffs(const struct decide *decision, size_t i)
{
    struct decide_call *call = &decision->calls[i];
    const struct decide_call *smaller = neighbour_in_m(decision, i, -1),
                             *larger = neighbour_in_m(decision, i, 1),
                             *fewer = neighbour_in_p(decision, i, -1),
                             *more = neighbour_in_p(decision, i, 1);
    if (smaller != NULL && knows_better(decision, smaller, call))
        call->cliff |= DECIDE_FROM_M;
    if (larger != NULL && knows_better(decision, larger, call))
        call->cliff |= DECIDE_BELOW_M;
    if (fewer != NULL && knows_better(decision, fewer, call))
        call->cliff |= DECIDE_FROM_P;
    if (more != NULL && knows_better(decision, more, call))
        call->cliff |= DECIDE_BELOW_P;
    call->m_edge = larger != NULL ? larger->m_bytes : 0;
    call->p_edge = more != NULL ? more->p : 0;
}

/* "64 = 2^6", "100". */
static const char *ranks_text(int32_t p, char *text, size_t size)
{
    if ((p & (p - 1)) == 0)
        snprintf(text, size, "%" PRId32 " = 2^%" PRId32, p, rb_ceil_log2(p));
    else
        snprintf(text, size, "%" PRId32, p);
    return text;
}

const char *decide_cliff_text(const struct decide_call *call, char buffer[DECIDE_CLIFF_SIZE])
{
    char value[40];
    buffer[0] = '\0';
    if ((call->cliff & DECIDE_FROM_P) != 0)
        sup_append(buffer, DECIDE_CLIFF_SIZE, ", ", "from p = %s",
                   ranks_text(call->p, value, sizeof value));
    if ((call->cliff & DECIDE_BELOW_P) != 0)
        sup_append(buffer, DECIDE_CLIFF_SIZE, ", ", "below p = %s",
                   ranks_text(call->p_edge, value, sizeof value));
    if ((call->cliff & DECIDE_FROM_M) != 0)
        sup_append(buffer, DECIDE_CLIFF_SIZE, ", ", "from %s",
                   sup_format_bytes(call->m_bytes, value, sizeof value));
    if ((call->cliff & DECIDE_BELOW_M) != 0)
        sup_append(buffer, DECIDE_CLIFF_SIZE, ", ", "below %s",
                   sup_format_bytes(call->m_edge, value, sizeof value));
    return buffer[0] != '\0' ? buffer : NULL;
}

/* ---- All calls ------------------------------------------------------------------------------ */

SUP_COMPARE(by_place, struct decide_call, SUP_ORDER(a->place, b->place), SUP_ORDER(a->p, b->p),
            SUP_ORDER(a->m_bytes, b->m_bytes), strcmp(a->run, b->run));

SUP_COMPARE(worst_first, struct decide_call *, SUP_ORDER((*b)->gain, (*a)->gain), by_place(*a, *b));

void decide_judge(struct decide *decision, double threshold)
{
    decision->threshold = threshold;
    free((void *)decision->losses);
    decision->loss_count = 0;
    decision->losses = sup_calloc(decision->call_count, sizeof(struct decide_call *));
    if (decision->call_count > 0)
        qsort(decision->calls, decision->call_count, sizeof *decision->calls, by_place);
    for (size_t i = 0; i < decision->call_count; i++)
        judge(decision, &decision->calls[i]);
    for (size_t i = 0; i < decision->call_count; i++)
        if (decision->calls[i].verdict == DECIDE_LOSES) {
            find_cliffs(decision, i);
            decision->losses[decision->loss_count++] = &decision->calls[i];
        }
    qsort((void *)decision->losses, decision->loss_count, sizeof *decision->losses, worst_first);
}

size_t decide_count(const struct decide *decision, enum decide_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < decision->call_count; i++)
        count += decision->calls[i].verdict == verdict;
    return count;
}
