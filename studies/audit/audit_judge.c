/* audit_judge.c - compares each decision with the choices that the library had. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/audit/audit.h"
#include "support/memory.h"

const char *const audit_verdict_names[AUDIT_VERDICTS] = {"good", "loses", "tie", "alone",
                                                         "no time"};
const char *const audit_cause_names[AUDIT_CAUSES] = {NULL,      "algorithm", "segment", "radix",
                                                     "latency", "halves",    "unknown"};

/* ---- Choices --------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Same algorithm and radix, whatever the segments. */
static bool same_way(const struct audit_choice *a, const struct audit_choice *b)
{
    if (a->algorithm == NULL || b->algorithm == NULL)
        return a->algorithm == b->algorithm && same_text(a->name, b->name);
    return same_text(a->algorithm, b->algorithm) && a->radix == b->radix;
}

bool audit_same_choice(const struct audit_choice *a, const struct audit_choice *b)
{
    return same_way(a, b) && same_text(a->name, b->name) && a->radix == b->radix &&
           a->segment_bytes == b->segment_bytes && a->offered == b->offered;
}

double audit_ratio(const struct audit_choice *choice, const struct audit_choice *than)
{
    return than->time_s > 0 ? choice->time_s / than->time_s : 1;
}

static bool has_spread(const struct audit_choice *choice)
{
    return !isnan(choice->low_s) && !isnan(choice->high_s);
}

static bool overlap(const struct audit_choice *a, const struct audit_choice *b)
{
    return has_spread(a) && has_spread(b) && a->low_s <= b->high_s && b->low_s <= a->high_s;
}

/* Takes longer by more than the threshold. */
static bool is_slower(const struct audit *audit, const struct audit_choice *choice,
                      const struct audit_choice *than)
{
    return choice->time_s > than->time_s * (1 + audit->threshold);
}

static bool loses_to(const struct audit *audit, const struct audit_choice *choice,
                     const struct audit_choice *than)
{
    return is_slower(audit, choice, than) && !overlap(choice, than);
}

/* ---- One point ------------------------------------------------------------------------------- */

const struct audit_choice *audit_find_choice(const struct audit *audit,
                                             const struct audit_point *point,
                                             const struct audit_choice *sought)
{
    for (size_t i = 0; i < point->count; i++)
        if (audit_same_choice(&audit->choices[point->first + i], sought))
            return &audit->choices[point->first + i];
    return NULL;
}

/* Measured times are like each other if they overlap and are close; computed ones if they are
 * equal. */
static bool is_like(const struct audit_choice *a, const struct audit_choice *b)
{
    static const double close = 1.1, equal = 1e-6;
    const double ratio = fmax(a->time_s, b->time_s) / fmin(a->time_s, b->time_s);
    return has_spread(a) && has_spread(b) ? overlap(a, b) && ratio <= close : ratio - 1 <= equal;
}

/* The library's choice that the decision is; if that is not known, the one that takes most nearly
 * as long. */
static const struct audit_choice *find_like(const struct audit *audit,
                                            const struct audit_point *point)
{
    const struct audit_choice *like = NULL;
    double nearest = INFINITY;
    if (point->known)
        return audit_find_choice(audit, point, &point->decision);
    for (size_t i = 0; i < point->count; i++) {
        const struct audit_choice *choice = &audit->choices[point->first + i];
        const double distance = fabs(log(choice->time_s / point->decision.time_s));
        if (choice->offered && distance < nearest && is_like(&point->decision, choice)) {
            nearest = distance;
            like = choice;
        }
    }
    return like;
}

/* A condition on a choice of the point. */
typedef bool audit_condition(const struct audit *audit, const struct audit_point *point,
                             const struct audit_choice *choice);

static bool is_offered(const struct audit *audit, const struct audit_point *point,
                       const struct audit_choice *choice)
{
    (void)audit;
    (void)point;
    return choice->offered;
}

static bool beats(const struct audit *audit, const struct audit_point *point,
                  const struct audit_choice *choice)
{
    return choice->offered && loses_to(audit, &point->decision, choice);
}

static bool beats_beyond(const struct audit *audit, const struct audit_point *point,
                         const struct audit_choice *choice)
{
    return !choice->offered && loses_to(audit, &point->decision, choice) &&
           (point->best == NULL || loses_to(audit, point->best, choice));
}

/* Beats the decision with other segments, and almost as well as the best. */
static bool mends_segment(const struct audit *audit, const struct audit_point *point,
                          const struct audit_choice *choice)
{
    return beats(audit, point, choice) && !is_slower(audit, choice, point->best) &&
           same_way(choice, point->like != NULL ? point->like : &point->decision);
}

static bool mends_radix(const struct audit *audit, const struct audit_point *point,
                        const struct audit_choice *choice)
{
    const struct audit_choice *made = point->like != NULL ? point->like : &point->decision;
    return beats(audit, point, choice) && !is_slower(audit, choice, point->best) &&
           choice->algorithm != NULL && same_text(choice->algorithm, made->algorithm) &&
           choice->segment_bytes == made->segment_bytes;
}

/* Of equals the first one. */
static const struct audit_choice *
fastest(const struct audit *audit, const struct audit_point *point, audit_condition *condition)
{
    const struct audit_choice *best = NULL;
    for (size_t i = 0; i < point->count; i++) {
        const struct audit_choice *choice = &audit->choices[point->first + i];
        if (!isnan(choice->time_s) && condition(audit, point, choice) &&
            (best == NULL || choice->time_s < best->time_s))
            best = choice;
    }
    return best;
}

/* True if the library has another choice with a time than the decision. */
static bool has_others(const struct audit *audit, const struct audit_point *point)
{
    for (size_t i = 0; i < point->count; i++) {
        const struct audit_choice *choice = &audit->choices[point->first + i];
        if (choice->offered && !isnan(choice->time_s) &&
            !(point->known && audit_same_choice(choice, &point->decision)))
            return true;
    }
    return false;
}

/* Why an algorithm of NCCL loses to another one, as far as that follows from the two. */
static enum audit_cause between_gpus(const struct audit_choice *made,
                                     const struct audit_choice *best)
{
    static const char ring[] = "multi-ring", tree[] = "two-tree-in-lanes";
    if (same_text(made->algorithm, ring) && same_text(best->algorithm, tree))
        return AUDIT_LATENCY;
    return same_text(made->algorithm, tree) && same_text(best->algorithm, ring) ? AUDIT_HALVES
                                                                                : AUDIT_ALGORITHM;
}

/* The smallest change that mends the loss; the best becomes that one. */
static void find_cause(const struct audit *audit, struct audit_point *point)
{
    const struct audit_choice *mender = NULL;
    point->cause = AUDIT_UNKNOWN;
    if (!point->known && point->like == NULL)
        return;
    point->cause = point->like == NULL ? AUDIT_ALGORITHM : between_gpus(point->like, point->best);
    if ((mender = fastest(audit, point, mends_segment)) != NULL)
        point->cause = AUDIT_SEGMENT;
    else if ((mender = fastest(audit, point, mends_radix)) != NULL)
        point->cause = AUDIT_RADIX;
    if (mender != NULL)
        point->best = mender;
}

static void judge(const struct audit *audit, struct audit_point *point)
{
    point->ratio = NAN;
    point->best = point->beyond = point->like = NULL;
    point->cause = AUDIT_NO_CAUSE;
    point->cliff = 0;
    point->verdict = AUDIT_NO_TIME;
    if (isnan(point->decision.time_s))
        return;
    point->verdict = AUDIT_ALONE;
    point->like = find_like(audit, point);
    if (has_others(audit, point)) {
        const struct audit_choice *beating = fastest(audit, point, beats);
        point->best = beating != NULL ? beating : fastest(audit, point, is_offered);
        point->verdict = beating != NULL                                   ? AUDIT_LOSES
                         : is_slower(audit, &point->decision, point->best) ? AUDIT_TIE
                                                                           : AUDIT_GOOD;
        if (point->verdict == AUDIT_LOSES)
            find_cause(audit, point);
        point->ratio = audit_ratio(&point->decision, point->best);
    }
    point->beyond = fastest(audit, point, beats_beyond);
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* What is known of the library's choice. */
static const struct audit_choice *made(const struct audit_point *point)
{
    return point->known ? &point->decision : point->like;
}

/* True if the library decides otherwise at the neighbour, and that would do here. If choices or
 * their times are not known: if the neighbour does not lose. */
static bool knows_better(const struct audit *audit, const struct audit_point *neighbour,
                         const struct audit_point *point)
{
    const struct audit_choice *here = made(point), *there = made(neighbour), *tried;
    if (here != NULL && there != NULL) {
        if (audit_same_choice(here, there))
            return false;
        tried = audit_find_choice(audit, point, there);
        if (tried != NULL && !isnan(tried->time_s))
            return !is_slower(audit, tried, point->best);
    }
    return neighbour->verdict == AUDIT_GOOD &&
           point->ratio > neighbour->ratio * (1 + audit->threshold);
}

/* The nearest neighbour in the direction of `step`, of the same p and run; NULL: there is none. */
static const struct audit_point *neighbour_in_m(const struct audit *audit, size_t i, int step)
{
    const struct audit_point *point = &audit->points[i];
    for (size_t k = i + (size_t)step; k < audit->point_count; k += (size_t)step) {
        const struct audit_point *other = &audit->points[k];
        if (other->setting != point->setting || other->p != point->p)
            break;
        if (other->m_bytes != point->m_bytes && other->run == point->run)
            return other;
    }
    return NULL;
}

static const struct audit_point *neighbour_in_p(const struct audit *audit, size_t i, int step)
{
    const struct audit_point *point = &audit->points[i];
    for (size_t k = i + (size_t)step; k < audit->point_count; k += (size_t)step) {
        const struct audit_point *other = &audit->points[k];
        if (other->setting != point->setting)
            break;
        if (other->p != point->p && other->m_bytes == point->m_bytes)
            return other;
    }
    return NULL;
}

static void find_cliffs(const struct audit *audit, size_t i)
{
    struct audit_point *point = &audit->points[i];
    const struct audit_point *smaller = neighbour_in_m(audit, i, -1),
                             *larger = neighbour_in_m(audit, i, 1),
                             *fewer = neighbour_in_p(audit, i, -1),
                             *more = neighbour_in_p(audit, i, 1);
    if (smaller != NULL && knows_better(audit, smaller, point))
        point->cliff |= AUDIT_FROM_M;
    if (larger != NULL && knows_better(audit, larger, point))
        point->cliff |= AUDIT_BELOW_M;
    if (fewer != NULL && knows_better(audit, fewer, point))
        point->cliff |= AUDIT_FROM_P;
    if (more != NULL && knows_better(audit, more, point))
        point->cliff |= AUDIT_BELOW_P;
    point->m_edge = larger != NULL ? larger->m_bytes : 0;
    point->p_edge = more != NULL ? more->p : 0;
}

/* ---- All points ------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
    const struct audit_point *left = a, *right = b;
    if (left->setting != right->setting)
        return left->setting < right->setting ? -1 : 1;
    if (left->p != right->p)
        return left->p < right->p ? -1 : 1;
    if (left->m_bytes != right->m_bytes)
        return left->m_bytes < right->m_bytes ? -1 : 1;
    return strcmp(left->run, right->run);
}

static int worst_first(const void *a, const void *b)
{
    const struct audit_point *left = *(const struct audit_point *const *)a,
                             *right = *(const struct audit_point *const *)b;
    if (left->ratio != right->ratio)
        return left->ratio > right->ratio ? -1 : 1;
    return by_place(left, right);
}

void audit_judge(struct audit *audit, double threshold)
{
    audit->threshold = threshold;
    free((void *)audit->losses);
    audit->loss_count = 0;
    audit->losses = sup_calloc(audit->point_count, sizeof(struct audit_point *));
    if (audit->point_count > 0)
        qsort(audit->points, audit->point_count, sizeof *audit->points, by_place);
    for (size_t i = 0; i < audit->point_count; i++)
        judge(audit, &audit->points[i]);
    for (size_t i = 0; i < audit->point_count; i++)
        if (audit->points[i].verdict == AUDIT_LOSES) {
            find_cliffs(audit, i);
            audit->losses[audit->loss_count++] = &audit->points[i];
        }
    qsort((void *)audit->losses, audit->loss_count, sizeof *audit->losses, worst_first);
}
