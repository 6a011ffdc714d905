/* tried.c - what was tried on the machine: which rules held there, and better ones (recommend.h).
 *
 * Of each pair of jobs the ratio of the medians counts, without the rules to with them. A rule is
 * slower at a size if it is in all pairs, of which there are three or more. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/recommend/recommend.h"
#include "support/memory.h"

enum { LEAST_PAIRS = 3, NAMED = 40, LABELLED = 3 };
static const double clearly = 0.99; /* a gain below it is a loss */

/* A row that belongs to a call. */
struct sample {
    double time_s;
    size_t call;
    char pair[NAMED];
    bool ruled, paired;
};

struct judging {
    struct recommend_work *work;
    struct decide *decision;
    struct recommend_trials *trials;
    struct sample *sample; /* owned */
    size_t count;
};

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t find_call(const struct judging *judging, const struct rows_row *row)
{
    const struct decide *decision = judging->decision;
    size_t i = 0;
    while (i < decision->call_count &&
           (row->ranks_per_node != judging->work->request->ppn || decision->calls[i].p != row->p ||
            decision->calls[i].m_bytes != row->m_bytes ||
            strcmp(decision->places[decision->calls[i].place].collective, row->collective) != 0))
        i++;
    return i;
}

/* Why the row is of no use; NULL: it is a sample. */
static const char *take_row(struct judging *judging, const struct rows_row *row, uint64_t hash)
{
    struct sample *made = &judging->sample[judging->count];
    char side[NAMED];
    uint64_t of;
    *made = (struct sample){.time_s = row->median_s, .call = find_call(judging, row)};
    if (sscanf(row->notes, "%39s %39s %" SCNx64, side, made->pair, &of) != LABELLED ||
        (strcmp(side, "own") != 0 && strcmp(side, "rules") != 0))
        return "without the label of a trial";
    if (of != hash)
        return "of other rules";
    if (made->call == judging->decision->call_count)
        return "of other calls or ranks per node";
    made->ruled = strcmp(side, "rules") == 0;
    judging->count++;
    return NULL;
}

static struct sample *find_partner(struct judging *judging, const struct sample *sample)
{
    for (size_t i = 0; i < judging->count; i++) {
        struct sample *other = &judging->sample[i];
        if (other->call == sample->call && other->ruled && !other->paired &&
            strcmp(other->pair, sample->pair) == 0)
            return other;
    }
    return NULL;
}

/* ---- Calls and rules ------------------------------------------------------------------------- */

static void judge_call(struct judging *judging, size_t i)
{
    const struct decide_call *call = &judging->decision->calls[i];
    struct recommend_tried tried = {.call = i,
                                    .choice = call->choice->name,
                                    .promised = call->gain,
                                    .low = INFINITY,
                                    .high = 0};
    double own = 0, ruled = 0;
    for (size_t k = 0; k < judging->count; k++) {
        struct sample *sample = &judging->sample[k], *partner;
        if (sample->call != i || sample->ruled || (partner = find_partner(judging, sample)) == NULL)
            continue;
        sample->paired = partner->paired = true;
        own += log(sample->time_s);
        ruled += log(partner->time_s);
        tried.low = fmin(tried.low, sample->time_s / partner->time_s);
        tried.high = fmax(tried.high, sample->time_s / partner->time_s);
        tried.pairs++;
    }
    if (tried.pairs == 0)
        return;
    tried.own_s = exp(own / tried.pairs);
    tried.time_s = exp(ruled / tried.pairs);
    tried.gain = tried.own_s / tried.time_s;
    tried.found = tried.pairs < LEAST_PAIRS ? "open"
                  : tried.high < clearly    ? "slower"
                  : tried.low > 1           ? "faster"
                                            : "as fast";
    judging->trials->tried[judging->trials->count++] = tried;
}

static bool is_slower(const struct recommend_tried *tried)
{
    return strcmp(tried->found, "slower") == 0;
}

/* Leaves the call two ways, with the times that were measured: the library's own, and what was
 * tried, unless it was slower. Without a trial: its own, as the nearest size was slower. */
static void take_times(struct judging *judging, const struct decide_call *call,
                       const struct recommend_tried *tried)
{
    struct decide_way *ways = judging->decision->ways, *own = NULL, *none = NULL;
    for (size_t k = call->first; k < call->first + call->count; k++) {
        struct decide_way *way = &ways[k];
        const bool kept =
            tried != NULL && !is_slower(tried) && !way->own && way->more == call->choice->more;
        own = way->own ? way : own;
        if (way->own)
            continue;
        way->time_s = kept ? fmin(tried->time_s, tried->own_s) : NAN;
        way->source = kept ? DECIDE_MEASURED : DECIDE_UNTIMED;
        none = kept ? none : way;
    }
    if (own == NULL && none != NULL) { /* whose plan is not known */
        own = none;
        *own = decide_untimed(0, 0);
        own->name = judging->work->answer->native;
        own->own = true;
    }
    if (own != NULL && tried != NULL) {
        own->time_s = tried->own_s;
        own->source = DECIDE_MEASURED;
    } else if (own != NULL && isnan(own->time_s))
        own->time_s = call->choice->time_s;
}

/* What becomes of the rule of the calls from `first` to before `end`. Each call of it follows what
 * was tried at the nearest size. */
static void judge_rule(struct judging *judging, size_t first, size_t end)
{
    const struct decide_call *calls = judging->decision->calls;
    const struct recommend_trials *trials = judging->trials;
    int32_t slower = 0, others = 0;
    for (size_t i = first; i < end; i++) {
        const struct recommend_tried *nearest = NULL;
        double least = INFINITY;
        for (size_t k = 0; k < trials->count; k++) {
            const struct recommend_tried *tried = &trials->tried[k];
            if (tried->call < first || tried->call >= end || strcmp(tried->found, "open") == 0)
                continue;
            const double far =
                fabs(log((double)calls[tried->call].m_bytes / (double)calls[i].m_bytes));
            nearest = far < least ? tried : nearest;
            least = fmin(far, least);
        }
        if (nearest == NULL)
            break;
        if (nearest->call == i || is_slower(nearest))
            take_times(judging, &calls[i], nearest->call == i ? nearest : NULL);
        slower += nearest->call == i && is_slower(nearest);
        others += nearest->call == i && !is_slower(nearest);
    }
    judging->trials->fate[slower + others == 0 ? RECOMMEND_OPEN
                          : slower == 0        ? RECOMMEND_HELD
                          : others == 0        ? RECOMMEND_DROPPED
                                               : RECOMMEND_MOVED]++;
}

bool recommend_judge_tried(struct recommend_work *work)
{
    const struct recommend_request *request = work->request;
    struct decide *decision = work->decision;
    struct recommend_trials trials = {
        .tried = sup_calloc(decision->call_count + 1, sizeof *trials.tried)};
    struct judging judging = {.work = work, .decision = decision, .trials = &trials};
    const uint64_t hash = recommend_hash(decision);
    struct decide_left_out *left_out = &decision->left_out[DECIDE_UNTRIED];
    const struct decide_left_out before = *left_out;
    *left_out = (struct decide_left_out){.count = -(int64_t)work->answer->trials.rows};
    judging.sample = sup_calloc(request->tried_rows + 1, sizeof *judging.sample);
    for (size_t i = 0; i < request->tried_rows; i++) {
        const char *useless = take_row(&judging, request->tried[i], hash);
        if (useless != NULL)
            decide_leave_out(decision, DECIDE_UNTRIED, 1, useless);
    }
    for (size_t i = 0; i < decision->call_count; i++)
        judge_call(&judging, i);
    for (size_t i = 0; i < judging.count; i++)
        if (!judging.sample[i].paired)
            decide_leave_out(decision, DECIDE_UNTRIED, 1, "without a partner");
    for (size_t first = 0, end; first < decision->call_count && trials.count > 0; first = end) {
        end = recommend_rule_end(decision, first);
        if (recommend_is_ruled(&decision->calls[first]))
            judge_rule(&judging, first, end);
    }
    free(judging.sample);
    if (trials.count == 0) {
        free(trials.tried);
        if (work->answer->trials.count > 0)
            *left_out = before;
        return false;
    }
    trials.rows = work->answer->trials.rows + judging.count;
    free(work->answer->trials.tried);
    work->answer->trials = trials;
    return true;
}
