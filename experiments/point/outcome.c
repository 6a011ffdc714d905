/* outcome.c - the table of a point's outcome. */
#include "experiments/point/outcome.h"

#define VALUE(name_, column_, kind_, member)                                                       \
    .shown = {.name = (name_), .kind = (kind_), OUT_OF(struct point_outcome, member)},             \
    .column = (column_)

static bool has_copies(const struct point_outcome *outcome)
{
    return outcome->spread.copies > 0;
}

static bool has_bound(const struct point_outcome *outcome)
{
    return outcome->bound.time_s > 0;
}

const struct point_value point_values[] = {
    {VALUE("time_s", "time_s", OUT_SECONDS, time_s)},
    {VALUE("rounds", "rounds", OUT_COUNT, rounds)}, /* none, and the next: no plan */
    {VALUE("bound_rounds", "bound_rounds", OUT_COUNT, bound_rounds)}, /* fewest of any plan */
    {VALUE("messages", "messages", OUT_COUNT, messages)},
    {VALUE("bytes", "moved_bytes", OUT_BYTES, moved_bytes)}, /* between ranks, over all messages */
    {VALUE("uncontended", "uncontended", OUT_TRUTH, uncontended)}, /* alpha, beta hold everywhere */
    {VALUE("alpha_s", "alpha_s", OUT_SECONDS, alpha_s)},
    {VALUE("beta_s_per_byte", "beta_s_per_byte", OUT_REAL, beta_s_per_byte)},
    {VALUE("closed_form_s", "closed_form_s", OUT_SECONDS, closed_form_s)}, /* rb_plan_cost */
    {VALUE("time_over_closed_form", NULL, OUT_RATIO, time_over_closed_form)},
    {VALUE("wall_s", NULL, OUT_SECONDS, wall_s)}, /* results have these in the table timings */
    {VALUE("load_s", NULL, OUT_SECONDS, load_s)},
    {VALUE("messages_per_s", NULL, OUT_REAL, messages_per_s)},
    {VALUE("peak_bytes", NULL, OUT_BYTES, peak_bytes)},
    {VALUE("version", NULL, OUT_WORD, version)},
    {VALUE("c2", NULL, OUT_COUNT, c2)},
    {VALUE("c2_bytes", NULL, OUT_REAL, c2_bytes)},
    {VALUE("bound_c2", NULL, OUT_COUNT, bound_c2)},
    {VALUE("bound_c2_of_rounds", NULL, OUT_COUNT, bound_c2_of_rounds)},
    {VALUE("bound_s", "bound_s", OUT_SECONDS, bound.time_s), has_bound}, /* point_bound_find */
    {VALUE("bound_by", "bound_by", OUT_WORD, bound.part), has_bound},    /* the part that binds */
    {VALUE("time_over_bound", NULL, OUT_RATIO, time_over_bound)},
    {VALUE("jitter", NULL, OUT_COUNT, spread.copies)},
    /* The ends of the copies' times, or of the interval of a measured median. */
    {VALUE("time_low_s", "time_low_s", OUT_SECONDS, spread.low_s), has_copies},
    {VALUE("time_high_s", "time_high_s", OUT_SECONDS, spread.high_s), has_copies},
    {VALUE("untimed_s", NULL, OUT_SECONDS, untimed_s)},
    {.column = NULL},
};

union out_cell point_value_of(const struct point_value *value, const struct point_outcome *outcome)
{
    const struct out_table one = {&value->shown, .width = 1};
    union out_cell cell;
    out_cells(&one, (const void *const[]){outcome}, &cell);
    return cell;
}

void point_outcome_add(json_t *object, const struct point_outcome *outcome)
{
    for (const struct point_value *value = point_values; value->shown.name != NULL; value++) {
        const struct out_table one = {&value->shown, .width = 1};
        const union out_cell cell = point_value_of(value, outcome);
        out_json_add(object, &one, &cell);
    }
}
