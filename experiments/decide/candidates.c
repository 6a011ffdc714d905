/* candidates.c - the road to rules: what a decision asks of them, and what a library then takes
 * (decide.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "support/memory.h"
#include "support/output/verdict.h"

int decide_check_places(const struct decide *decision, const struct rules_format *format,
                        bool any_ppn, const char *of_places, const char *of_ppn,
                        struct sup_error *error)
{
    const struct decide_place *first = decision->places;
    for (size_t i = 1; i < decision->place_count; i++)
        if (decision->places[i].place != first->place)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: a file has rules for one machine, and these are \"%s\" "
                            "and \"%s\": choose one%s",
                            format->name, first->place, decision->places[i].place, of_places);
    for (size_t i = 1; i < decision->place_count && !any_ppn; i++)
        if (decision->places[i].ppn != first->ppn)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: its rules can't tell %" PRId32 " and %" PRId32
                            " ranks per node apart: choose one by %s",
                            format->name, first->ppn, decision->places[i].ppn, of_ppn);
    return RB_OK;
}

static int check_library(const struct decide *decision, const struct rules_format *format,
                         struct sup_error *error)
{
    for (size_t i = 0; i < decision->place_count; i++) {
        const char *library = decision->places[i].library;
        if (library == NULL || strcmp(library, format->library) != 0)
            return sup_fail(
                error, RB_EINVAL, "--format %s: has rules for %s, and the choices are those of %s",
                format->name, format->library, library == NULL ? "another library" : library);
    }
    return RB_OK;
}

/* What a rule would take at a call; NULL: the decision. */
static const struct decide_way *choice_at(const struct decide *decision,
                                          const struct decide_call *call)
{
    const struct decide_rule *rule = decide_rule_for(decision, call);
    return rule == NULL || rule->choice == NULL ? NULL
                                                : decide_find_way(decision, call, rule->choice);
}

static bool same_place(const struct decide_call *a, const struct decide_call *b)
{
    return a->place == b->place && a->p == b->p && a->m_bytes == b->m_bytes;
}

/* NULL: the library's own choice. */
static struct rules_candidate candidate_of(const struct decide *decision,
                                           const struct decide_call *call,
                                           const struct decide_way *way)
{
    const double time_s = way == NULL ? call->own.time_s : way->time_s;
    return (struct rules_candidate){
        .collective = decision->places[call->place].collective,
        .algorithm = way == NULL ? "native" : way->algorithm,
        .radix = way == NULL ? 0 : way->radix,
        .p = call->p,
        .ppn = decision->places[call->place].per_node,
        .m_bytes = call->m_bytes,
        .segment_bytes = way == NULL ? 0 : way->segment_bytes,
        .protocol = way == NULL ? 0 : way->protocol,
        .time_s = time_s > 0 ? time_s : 1, /* the only one of its call */
    };
}

static size_t add_all(const struct decide *decision, const struct decide_call *call,
                      struct rules_candidate candidates[])
{
    size_t count = 0;
    for (size_t i = 0; i < call->count; i++) {
        const struct decide_way *way = &decision->ways[call->first + i];
        if (way->offered && way->algorithm != NULL)
            candidates[count++] = candidate_of(decision, call, way);
    }
    return count;
}

/* ---- All ways -------------------------------------------------------------------------------- */

static const struct decide_way *fastest_offered(const struct decide *decision,
                                                const struct decide_call *call)
{
    const struct decide_way *best = NULL;
    for (size_t i = 0; i < call->count; i++) {
        const struct decide_way *way = &decision->ways[call->first + i];
        if (way->offered && isfinite(way->time_s) && (best == NULL || way->time_s < best->time_s))
            best = way;
    }
    return best;
}

/* What a rule may take at a call; ALONE: of the library's own choice no time is known to compare
 * others with. */
enum { ANY, AS_FAST_AS_OWN, OWN, ALONE };

static bool is_candidate(const struct decide_call *call, const struct decide_way *way,
                         const struct decide_way *best, double stays, unsigned char may)
{
    if (may == ALONE)
        return way->own;
    if (!isfinite(way->time_s) || (!way->own && way->algorithm == NULL))
        return false;
    if (way->own)
        return may != ANY || best == NULL || way->time_s * (1 + stays) <= best->time_s;
    /* What is computed says nothing of how long simulated ways take. */
    if (!way->offered && best != NULL && best->source == DECIDE_COMPUTED)
        return false;
    return !way->offered || may == ANY ||
           (may == AS_FAST_AS_OWN && way->time_s <= call->own.time_s);
}

/* may: of each call. */
static size_t find_candidates(const struct decide *decision, double stays,
                              const unsigned char may[], struct rules_candidate **candidates)
{
    size_t count = 0;
    *candidates = sup_calloc(decision->way_count + 1, sizeof **candidates);
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        const struct decide_way *best = fastest_offered(decision, call);
        for (size_t k = call->first; k < call->first + call->count; k++) {
            const struct decide_way *way = &decision->ways[k];
            if (!is_candidate(call, way, best, stays, may[i]))
                continue;
            struct rules_candidate candidate = candidate_of(decision, call, way->own ? NULL : way);
            candidate.n = way->own ? 1 : way->n;
            candidate.time_s = may[i] == ALONE ? 1 : way->time_s;
            candidate.foreign = !way->offered && !way->own;
            (*candidates)[count++] = candidate;
        }
    }
    return count;
}

size_t decide_all_candidates(const struct decide *decision, double stays,
                             struct rules_candidate **candidates)
{
    unsigned char *any = sup_calloc(decision->call_count + 1, sizeof *any);
    const size_t count = find_candidates(decision, stays, any, candidates);
    free(any);
    return count;
}

/* ---- What the library takes ------------------------------------------------------------------ */

/* What is not cut is one segment of all data. */
static int64_t segment_of(const struct decide_call *call, int64_t bytes)
{
    return bytes > 0 ? bytes : call->m_bytes;
}

/* The way that the library takes by this rule: of its plan the nearest segment; NULL: it has no
 * time. */
static const struct decide_way *find_taken(const struct decide *decision,
                                           const struct decide_call *call,
                                           const struct rules_answer *rule)
{
    const struct decide_way *nearest = NULL;
    double least = INFINITY;
    for (size_t i = call->first; i < call->first + call->count; i++) {
        const struct decide_way *way = &decision->ways[i];
        const double far = fabs(log((double)(segment_of(call, way->segment_bytes) + 1)) -
                                log((double)(segment_of(call, rule->segment_bytes) + 1)));
        if (way->offered && isfinite(way->time_s) && way->algorithm != NULL && rule->row != NULL &&
            rule->row->algorithm != NULL && strcmp(rule->row->algorithm, way->algorithm) == 0 &&
            far < least) {
            least = far;
            nearest = way;
        }
    }
    return nearest;
}

static void find_own(const struct decide *decision, struct decide_call *call)
{
    call->has_own = true;
    call->own = decide_untimed(0, 0);
    for (size_t i = call->first; i < call->first + call->count; i++)
        if (decision->ways[i].own && isfinite(decision->ways[i].time_s))
            call->own = decision->ways[i];
}

int decide_read_back(struct decide *decision, const struct rules_format *format, const char *text,
                     size_t size, struct sup_error *error)
{
    struct rules_file *file = NULL;
    const int status = rules_parse("the rules", text, size, format, &file, error);
    for (size_t i = 0; i < decision->call_count && status == RB_OK; i++) {
        struct decide_call *call = &decision->calls[i];
        const struct decide_place *place = &decision->places[call->place];
        const struct rules_query query = {.collective = place->collective,
                                          .p = call->p,
                                          .ppn = place->per_node,
                                          .m_bytes = call->m_bytes};
        struct rules_answer rule = {.name = ""};
        find_own(decision, call);
        const bool found = rules_look_up(file, &query, &rule);
        const struct decide_way *way = found ? find_taken(decision, call, &rule) : &call->own;
        call->taken = way == NULL ? decide_untimed(rule.radix, rule.segment_bytes) : *way;
        call->taken.name = decide_word(decision, !found             ? DECIDE_OWN_NAME
                                                 : rule.row != NULL ? rule.row->name
                                                                    : rule.name);
        decide_take(decision, call, &call->taken);
    }
    rules_file_free(file);
    return status;
}

/* ---- Rules that are never slower ------------------------------------------------------------- */

bool decide_is_slower(const struct decide_call *call)
{
    const double own_s = call->own.time_s, time_s = call->choice->time_s;
    return isfinite(own_s) && !(time_s <= own_s) && !decide_is_equal(time_s, own_s);
}

/* Where the rules are slower, they may take less. True if there are such calls. */
static bool tighten(const struct decide *decision, unsigned char may[])
{
    bool tighter = false;
    for (size_t i = 0; i < decision->call_count; i++)
        if (may[i] < OWN && decide_is_slower(&decision->calls[i])) {
            may[i]++;
            tighter = true;
        }
    return tighter;
}

static int make_once(const struct rules_request *request, const struct rules_candidate *candidates,
                     size_t count, const struct rules_head *head, char **text, size_t *size,
                     struct rules_notes *notes, struct sup_error *error)
{
    free(*text);
    FILE *stream = sup_memory_open(text, size);
    const int status = rules_make(request, candidates, count, head, stream, notes, error);
    sup_memory_close(stream, text);
    return status;
}

/* By rules that leave all to the library. */
int decide_own_by_base(struct decide *decision, const struct rules_format *format, const char *base,
                       struct sup_error *error)
{
    const struct rules_request made = {
        .format = format, .element_bytes = 1, .everywhere = true, .own_will_do = true};
    const struct rules_head head = {.source = "", .base = base};
    unsigned char *may = sup_malloc(decision->call_count + 1);
    struct rules_candidate *candidates;
    struct rules_notes notes;
    char *text = NULL;
    size_t size;
    memset(may, OWN, decision->call_count + 1);
    const size_t count = find_candidates(decision, 0, may, &candidates);
    int status = make_once(&made, candidates, count, &head, &text, &size, &notes, error);
    if (status == RB_OK)
        status = decide_read_back(decision, format, text, size, error);
    for (size_t i = 0; i < decision->call_count && status == RB_OK; i++) {
        const struct decide_call *call = &decision->calls[i];
        for (size_t k = call->first; k < call->first + call->count; k++)
            if (decision->ways[k].own)
                decision->ways[k].time_s = call->taken.time_s;
    }
    free(candidates);
    free(text);
    free(may);
    return status;
}

int decide_make_rules(struct decide *decision, const struct rules_request *request, double stays,
                      const struct rules_head *head, char **text, size_t *size,
                      struct rules_notes *notes, struct sup_error *error)
{
    struct rules_request made = *request;
    unsigned char *may = sup_calloc(decision->call_count + 1, sizeof *may);
    int status;
    *text = NULL;
    for (size_t i = 0; i < decision->call_count; i++) {
        struct decide_call *call = &decision->calls[i];
        find_own(decision, call);
        may[i] = !call->own_stays || request->format->one_choice ? ANY
                 : isfinite(call->own.time_s)                    ? OWN
                                                                 : ALONE;
        made.own_will_do |= may[i] == ALONE || fastest_offered(decision, call) != NULL;
    }
    do {
        struct rules_candidate *candidates;
        const size_t count = find_candidates(decision, stays, may, &candidates);
        status = make_once(&made, candidates, count, head, text, size, notes, error);
        free(candidates);
        if (status == RB_OK)
            status = decide_read_back(decision, request->format, *text, *size, error);
    } while (status == RB_OK && !request->format->one_choice && tighten(decision, may));
    free(may);
    return status;
}

/* ---- What is gained -------------------------------------------------------------------------- */

/* How much faster than the library's own choices. */
struct gains {
    int32_t count, slower, ruled; /* calls that rules choose for */
    double mean, most, least;
};

static struct gains find_gains(const struct decide *decision, size_t place)
{
    struct gains gains = {.least = 1};
    double logs = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        if (place != DECIDE_ALL_PLACES && call->place != place)
            continue;
        gains.ruled += strcmp(call->choice->name, DECIDE_OWN_NAME) != 0;
        if (!isfinite(call->gain) || call->gain <= 0)
            continue;
        logs += log(call->gain);
        gains.most = fmax(gains.most, call->gain);
        gains.least = fmin(gains.least, call->gain);
        gains.slower += decide_is_slower(call);
        gains.count++;
    }
    gains.mean = exp(logs / gains.count);
    return gains;
}

char *decide_say_gains(const struct decide *decision, size_t place, const char *library,
                       const char *names)
{
    const struct gains gains = find_gains(decision, place);
    char slower[80] = "never slower", words[3][OUT_WORDS];
    if (gains.count == 0 && gains.ruled == 0)
        return sup_format("No time of %s's own choices for %s is known, so they stay", library,
                          names);
    if (gains.count == 0)
        return sup_format("The own choices of %s are not known; these are the fastest", library);
    if (gains.slower > 0)
        snprintf(slower, sizeof slower, "slower at %" PRId32 ": %s at most", gains.slower,
                 out_longer(1 / gains.least, words[2]));
    return sup_format("By these rules %s's %s is %s times as fast in the mean of %" PRId32
                      " points, %s times at most, %s",
                      library, names, out_ratio(gains.mean, words[0]), gains.count,
                      out_ratio(gains.most, words[1]), slower);
}

/* ---- Rules that mend ------------------------------------------------------------------------- */

int decide_candidates(const struct decide *decision, const struct rules_format *format,
                      struct rules_candidate **candidates, size_t *count, int64_t *unwritable,
                      struct sup_error *error)
{
    *count = 0;
    *unwritable = 0;
    *candidates = NULL;
    const bool all = format->one_choice;
    int status = decide_check_places(decision, format, false, "", "--ppn", error);
    if (status == RB_OK)
        status = check_library(decision, format, error);
    if (status != RB_OK)
        return status;
    *candidates = sup_calloc(decision->call_count + decision->way_count, sizeof **candidates);
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        const struct decide_way *way = choice_at(decision, call);
        if (i > 0 && same_place(call, call - 1))
            continue;
        if (all) {
            *count += add_all(decision, call, *candidates + *count);
            continue;
        }
        if (way == NULL && call->own_known)
            way = &call->own;
        if (way != NULL && way->algorithm == NULL) {
            way = NULL;
            ++*unwritable;
        }
        (*candidates)[(*count)++] = candidate_of(decision, call, way);
    }
    return RB_OK;
}
