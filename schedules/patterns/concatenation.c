#include "concatenation.h"

/* ---- One table ---- */

int32_t rb_table_areas(const struct rb_table *table)
{
    return (int32_t)rb_ceil_divide(table->columns * table->rows, table->area);
}

struct rb_area rb_table_area(const struct rb_table *table, int32_t i, int64_t limit)
{
    const int64_t first = i * table->area, column = table->have + first / table->rows;
    return (struct rb_area){.first = first,
                            .end = rb_smaller(first + table->area, table->columns * table->rows),
                            .offset = rb_smaller(column, limit - 1)};
}

bool rb_table_fits(const struct rb_table *table)
{
    for (int32_t i = rb_table_areas(table) - 1; i >= 0; i--) {
        const struct rb_area area = rb_table_area(table, i, INT64_MAX);
        if ((area.end - 1) / table->rows - area.first / table->rows >= table->have)
            return false;
    }
    return true;
}

/* The smallest divisor of n that is at least `least`, which is at most n. */
static int64_t divisor_from(int64_t n, int64_t least)
{
    int64_t best = n;
    for (int64_t i = 1; i * i <= n; i++) {
        if (n % i != 0)
            continue;
        if (i >= least && i < best)
            best = i;
        if (n / i >= least && n / i < best)
            best = n / i;
    }
    return best;
}

int64_t rb_table_cut(const struct rb_table *table, int32_t k)
{
    struct rb_table cut = *table;
    cut.area = rb_ceil_divide(table->rows * table->columns, k);
    if (rb_table_fits(&cut))
        return cut.area;
    const int64_t whole = table->rows * (table->have - 1);
    return whole + divisor_from(table->rows, cut.area - whole);
}

/* ---- All rounds ----
 *
 * plan->data.number: [0] h of round d - 1, [1] its columns, [2] its areas. */

int rb_concatenation_init(struct rb_plan *plan, enum rb_concatenation aim)
{
    const int32_t k = rb_used_ports(plan);
    plan->rounds = rb_ceil_log(plan->p, k + 1);
    plan->max_ops = 1;
    if (plan->p == 1)
        return RB_OK;
    int64_t have = 1;
    for (int64_t t = 1; t < plan->rounds; t++)
        have *= k + 1;
    struct rb_table last = {.have = have, .columns = plan->p - have, .rows = plan->n};
    last.area = rb_table_cut(&last, k);
    if (aim == RB_LEAST_VOLUME && last.area > rb_ceil_divide(last.rows * last.columns, k)) {
        plan->rounds++;
        last.columns = k * (have - 1);
        last.area = last.rows * (have - 1);
    }
    /* The rounds before have fewer columns than `have`; ports share at most k - 1. */
    plan->max_ops = (int32_t)(2 * ((have > last.columns ? have : last.columns) + k));
    plan->data.number[0] = have;
    plan->data.number[1] = last.columns;
    plan->data.number[2] = last.area;
    return RB_OK;
}

static struct rb_table table_of(const struct rb_plan *plan, int64_t t)
{
    const int64_t *number = plan->data.number;
    const int32_t k = rb_used_ports(plan);
    int64_t have = 1;
    for (int64_t i = 0; i < t && have < number[0]; i++)
        have *= k + 1;
    if (have < number[0])
        return (struct rb_table){have, k * have, plan->n, plan->n * have};
    if (rb_ceil_log(have, k + 1) == t)
        return (struct rb_table){have, number[1], plan->n, number[2]};
    have += number[1];
    struct rb_table rest = {.have = have, .columns = plan->p - have, .rows = plan->n};
    rest.area = rb_ceil_divide(rest.rows * rest.columns, k);
    return rest;
}

/* One message: an area, to the rank `offset` after this one or from the one before. */
static int32_t move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t rank,
                    const struct rb_table *table, const struct rb_area *area, int32_t port,
                    struct rb_op ops[])
{
    const int32_t offset = (int32_t)area->offset;
    const int32_t other = rb_after(plan, rank, kind == RB_SEND ? offset : plan->p - offset);
    const int32_t receiver = kind == RB_SEND ? other : rank;
    int32_t count = 0;
    for (int64_t x = area->first, end; x < area->end; x = end) {
        const int64_t column = x / table->rows;
        const int32_t distance = (int32_t)(table->have + column);
        end = rb_smaller((column + 1) * table->rows, area->end);
        ops[count++] = (struct rb_op){.kind = kind,
                                      .peer = other,
                                      .port = port,
                                      .at = {RB_DST, rb_after(plan, receiver, plan->p - distance),
                                             x - column * table->rows, end - x}};
    }
    return count;
}

int32_t rb_concatenation_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[])
{
    const struct rb_table table = table_of(plan, t);
    int32_t count = 0;
    for (int kind = RB_SEND; kind <= RB_RECV; kind++) {
        int64_t limit = INT64_MAX;
        for (int32_t i = rb_table_areas(&table) - 1; i >= 0; i--) {
            const struct rb_area area = rb_table_area(&table, i, limit);
            limit = area.offset;
            count += move(plan, (enum rb_op_kind)kind, state->rank, &table, &area, i, ops + count);
        }
    }
    return count;
}

/* The first area of a round is full, so it is the longest message. */
double rb_concatenation_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                             double beta_s_per_byte)
{
    double blocks = 0;
    for (int64_t t = 0; t < plan->rounds; t++)
        blocks += (double)table_of(plan, t).area;
    return (double)plan->rounds * alpha_s +
           blocks * bytes / ((double)plan->p * (double)plan->n) * beta_s_per_byte;
}
