/* decide.c - predictions at points as a decision, and a file of rules for an MPI library
 * (predict.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/predict/predict.h"
#include "support/names.h"

static const double stays = 1e-9; /* the default must be faster by this, not by rounding, to stay */

/* A way with the row's plan, at its predicted time if there is one. */
static struct decide_way way_of(const struct predict_tested *tested)
{
    const struct rows_row *row = tested->row;
    struct decide_way way = decide_untimed(row->radix, row->segment_bytes);
    way.name = row->name;
    way.algorithm = row->algorithm;
    way.n = row->n;
    way.more = tested;
    if (tested->predicted) {
        way.source = DECIDE_PREDICTED;
        way.time_s = tested->estimate.time_s;
        way.low_s = tested->estimate.low_s;
        way.high_s = tested->estimate.high_s;
    }
    return way;
}

/* True if the k-th is a library's own choice, and a row of the group says what that would be. */
static bool is_repeat(const struct predict_result *result, const struct predict_group *group,
                      size_t k)
{
    const struct rows_row *row = result->tested[k].row;
    for (size_t i = group->first; row->own_choice && i < group->first + group->count; i++) {
        const struct rows_row *other = result->tested[i].row;
        if (!other->own_choice && other->algorithm != NULL && row->algorithm != NULL &&
            strcmp(other->algorithm, row->algorithm) == 0 && other->radix == row->radix &&
            other->segment_bytes == row->segment_bytes)
            return true;
    }
    return false;
}

void predict_decide(const struct predict_result *result, struct decide *decision)
{
    *decision = (struct decide){0};
    for (size_t i = 0; i < result->groups; i++) {
        const struct predict_group *group = &result->group[i];
        const struct rows_row *row = result->tested[group->first].row;
        const struct decide_place place = {.place = row->system,
                                           .collective = row->collective,
                                           .ppn = row->ranks_per_node,
                                           .per_node = row->ranks_per_node};
        const struct decide_call call = {.place = decide_add_place(decision, &place),
                                         .run = row->test,
                                         .p = row->p,
                                         .m_bytes = row->m_bytes,
                                         .more = group};
        decide_add_call(decision, &call);
        for (size_t k = group->first; k < group->first + group->count; k++) {
            struct decide_way way = way_of(&result->tested[k]);
            if (!is_repeat(result, group, k))
                decide_add_way(decision, &way);
            way.own = (int64_t)k == group->own;
            way.offered = false;
            if (way.own)
                decide_add_way(decision, &way);
        }
    }
    decide_judge(decision, 0);
    for (size_t i = 0; i < decision->call_count; i++) {
        struct decide_call *call = &decision->calls[i];
        const struct predict_group *group = call->more;
        call->has_own = call->own_known = group->own >= 0;
        if (call->has_own)
            call->own = way_of(&result->tested[group->own]);
        if (call->choice != NULL)
            decide_take(decision, call, call->choice);
    }
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* What the data call a library's own choices of a row's collective; NULL: they name no library. */
static const char *mark_of(const struct rows_set *set, const struct rows_row *row)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *other = &set->row[i];
        if (other->own_choice && strcmp(other->name, "default") != 0 &&
            other->system == row->system && other->collective == row->collective)
            return other->name;
    }
    return NULL;
}

/* Rules are of the library's own implementations, and compared with the library's own choice where
 * the rows are of this library. */
static void tell_whose(const struct rows_set *set, const struct rules_format *format,
                       struct decide *decision)
{
    for (size_t i = 0; i < decision->way_count; i++) {
        struct decide_way *way = &decision->ways[i];
        const struct predict_tested *tested = way->more;
        const char *mark = mark_of(set, tested->row),
                   *library = sup_library_named(tested->row->library);
        way->offered &= mark == NULL || rows_is_of_library(mark, way->name);
        if (way->own && library != NULL && strcmp(library, format->library) != 0)
            way->time_s = NAN;
    }
}

int predict_write_rules(const struct rows_set *set, const struct predict_result *result,
                        struct rules_request rules, const struct rules_head *head, FILE *stream,
                        struct decide *decision, struct rules_notes *notes, struct sup_error *error)
{
    char ppn[64] = "", *text = NULL;
    size_t size = 0;
    notes->count = 0;
    rules.element_bytes = 1;
    rules.tolerance = 0.02;
    for (size_t i = 0; i < result->count; i++)
        if (result->tested[i].predicted &&
            result->tested[i].row->element_bytes > rules.element_bytes)
            rules.element_bytes = result->tested[i].row->element_bytes;
    predict_decide(result, decision);
    tell_whose(set, rules.format, decision);
    if (decision->place_count > 0)
        snprintf(ppn, sizeof ppn, "--rows, such as ppn=%" PRId32, decision->places[0].ppn);
    int status = decide_check_places(decision, rules.format, rules.format->nodes, " by --system",
                                     ppn, error);
    if (status == RB_OK)
        status = decide_make_rules(decision, &rules, stays, head, &text, &size, notes, error);
    if (status == RB_OK)
        fwrite(text, 1, size, stream);
    free(text);
    return status;
}
