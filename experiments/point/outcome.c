/* outcome.c - the table of a point's outcome. */
#include "experiments/point/outcome.h"

/* The type of a member, and where it is. */
#define AT(path)                                                                                   \
    .member = _Generic(&((struct point_outcome *)0)->path,                                         \
        int32_t *: POINT_IS_INT32,                                                                 \
        int64_t *: POINT_IS_INT64,                                                                 \
        bool *: POINT_IS_BOOL,                                                                     \
        double *: POINT_IS_REAL,                                                                   \
        const char **: POINT_IS_TEXT,                                                              \
        default: POINT_IS_BUFFER),                                                                 \
    .at = offsetof(struct point_outcome, path)

static bool has_copies(const struct point_outcome *outcome)
{
    return outcome->spread.copies > 0;
}

static bool has_bound(const struct point_outcome *outcome)
{
    return outcome->bound.time_s > 0;
}

const struct point_value point_values[] = {
    {"time_s", "time_s", OUT_SECONDS, AT(time_s)},
    {"rounds", "rounds", OUT_COUNT, AT(rounds)},                   /* none, and the next: no plan */
    {"bound_rounds", "bound_rounds", OUT_COUNT, AT(bound_rounds)}, /* fewest of any plan */
    {"messages", "messages", OUT_COUNT, AT(messages)},
    {"bytes", "moved_bytes", OUT_BYTES, AT(moved_bytes)}, /* between ranks, over all messages */
    {"uncontended", "uncontended", OUT_TRUTH, AT(uncontended)}, /* alpha, beta hold everywhere */
    {"alpha_s", "alpha_s", OUT_SECONDS, AT(alpha_s)},
    {"beta_s_per_byte", "beta_s_per_byte", OUT_REAL, AT(beta_s_per_byte)},
    {"closed_form_s", "closed_form_s", OUT_SECONDS, AT(closed_form_s)}, /* rb_plan_cost */
    {"time_over_closed_form", NULL, OUT_RATIO, AT(time_over_closed_form)},
    {"wall_s", NULL, OUT_SECONDS, AT(wall_s)}, /* results have these in the table timings */
    {"load_s", NULL, OUT_SECONDS, AT(load_s)},
    {"messages_per_s", NULL, OUT_REAL, AT(messages_per_s)},
    {"peak_bytes", NULL, OUT_BYTES, AT(peak_bytes)},
    {"version", NULL, OUT_WORD, AT(version)},
    {"c2", NULL, OUT_COUNT, AT(c2)},
    {"c2_bytes", NULL, OUT_REAL, AT(c2_bytes)},
    {"bound_c2", NULL, OUT_COUNT, AT(bound_c2)},
    {"bound_c2_of_rounds", NULL, OUT_COUNT, AT(bound_c2_of_rounds)},
    {"bound_s", "bound_s", OUT_SECONDS, AT(bound.time_s), has_bound}, /* point_bound_find */
    {"bound_by", "bound_by", OUT_WORD, AT(bound.part), has_bound},    /* the part that binds */
    {"time_over_bound", NULL, OUT_RATIO, AT(time_over_bound)},
    {"jitter", NULL, OUT_COUNT, AT(spread.copies)},
    /* The ends of the copies' times, or of the interval of a measured median. */
    {"time_low_s", "time_low_s", OUT_SECONDS, AT(spread.low_s), has_copies},
    {"time_high_s", "time_high_s", OUT_SECONDS, AT(spread.high_s), has_copies},
    {NULL},
};

union out_cell point_value_of(const struct point_value *value, const struct point_outcome *outcome)
{
    const void *place = (const char *)outcome + value->at;
    union out_cell cell = {.word = NULL};
    switch (value->member) {
    case POINT_IS_INT32:
        cell.whole = *(const int32_t *)place;
        break;
    case POINT_IS_INT64:
        cell.whole = *(const int64_t *)place;
        break;
    case POINT_IS_BOOL:
        cell.whole = *(const bool *)place;
        break;
    case POINT_IS_REAL:
        cell.real = *(const double *)place;
        break;
    case POINT_IS_TEXT:
        cell.word = *(const char *const *)place;
        break;
    case POINT_IS_BUFFER:
        cell.word = *(const char *)place == '\0' ? NULL : place;
        break;
    }
    return cell;
}

void point_outcome_add(json_t *object, const struct point_outcome *outcome)
{
    for (const struct point_value *value = point_values; value->name != NULL; value++) {
        const struct out_column column = {value->name, .kind = value->kind};
        const struct out_table one = {&column, .width = 1};
        const union out_cell cell = point_value_of(value, outcome);
        out_json_add(object, &one, &cell);
    }
}
