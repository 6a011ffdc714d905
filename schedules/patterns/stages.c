#include "stages.h"

#include <stdlib.h>
#include <string.h>

#include "schedules/plan/random.h"

/* Children and columns in orders of their own, and shuffles that are tried for each. */
enum { MOST_ORDERED = 64, SHUFFLES = 256 };

/* ---- Orders of columns ----------------------------------------------------------------------- */

/* Lengths of steps that lead round all children; returns how many there are. */
static int32_t find_steps(int32_t children, int32_t step[])
{
    int32_t count = 0;
    for (int32_t length = 1; length < children; length++)
        if (rb_common_divisor(length, children) == 1)
            step[count++] = length;
    return count;
}

/* Steps of one length, for step > 0, or any order. */
static void lay_order(int32_t children, int32_t step, uint64_t seed, int32_t order[])
{
    for (int32_t i = 0; i < children; i++)
        order[i] = step > 0 ? i * step % children : i;
    for (int32_t i = children - 1; i > 0 && step == 0; i--) {
        const int32_t other = (int32_t)rb_random_below(&seed, (uint32_t)i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* How much the sum of cubes of the loads rises with this order, or `most` or more; adds the order
 * to them if `keep`. load[t][from][to]: the columns that send from one child to another in round t.
 */
static int64_t weigh(int32_t children, const int32_t order[], int64_t most, bool keep,
                     int32_t load[])
{
    int64_t sum = 0;
    for (int32_t h = 1, t = 0; h < children && sum < most; h *= 2, t++)
        for (int32_t x = 0; x < children; x++) {
            const int32_t from = order[x], to = order[x >= h ? x - h : x - h + children];
            int32_t *here = &load[(t * children + from) * children + to];
            sum += (3 * (int64_t)*here * (*here + 1) + 1) * (h < children - h ? h : children - h);
            *here += keep;
        }
    return sum;
}

static int make_orders(struct rb_stage *stage)
{
    const int32_t children = stage->most;
    const int32_t columns = stage->columns < MOST_ORDERED ? stage->columns : MOST_ORDERED;
    if (stage->kind != RB_STAGE_DOUBLING || children < 3 || children > MOST_ORDERED || columns < 2)
        return RB_OK;
    const size_t cells = (size_t)children * (size_t)children * (size_t)rb_ceil_log2(children);
    int32_t *load = calloc(cells, sizeof *load), tried[MOST_ORDERED], step[MOST_ORDERED];
    const int32_t steps = find_steps(children, step);
    stage->order = malloc((size_t)columns * (size_t)children * sizeof *stage->order);
    if (load == NULL || stage->order == NULL) {
        free(load);
        return RB_ENOMEM;
    }
    for (int32_t column = 0; column < columns; column++) {
        int32_t *order = stage->order + (size_t)column * (size_t)children;
        int64_t least = INT64_MAX;
        for (int32_t i = 0; i < steps + SHUFFLES; i++) {
            lay_order(children, i < steps ? step[(column + i) % steps] : 0,
                      (uint64_t)column * (MOST_ORDERED + SHUFFLES) + (uint64_t)i, tried);
            const int64_t weight = weigh(children, tried, least, false, load);
            if (weight < least)
                memcpy(order, tried, (size_t)children * sizeof *order);
            least = weight < least ? weight : least;
        }
        weigh(children, order, INT64_MAX, true, load);
    }
    free(load);
    return RB_OK;
}

int32_t rb_stage_column_size(const struct rb_stage *stage, const struct rb_family *family,
                             int32_t column)
{
    int32_t count = 0;
    if (family->even)
        return family->children;
    for (int32_t a = 0; a < family->children; a++)
        count += rb_stage_in_column(stage, family, column, a);
    return count;
}

/* NULL: by number. */
static const int32_t *order_of(const struct rb_stage *stage, int32_t column)
{
    return stage->order == NULL ? NULL : stage->order + column % MOST_ORDERED * stage->most;
}

int32_t rb_stage_child_at(const struct rb_stage *stage, const struct rb_family *family,
                          int32_t column, int32_t position)
{
    const int32_t *order = order_of(stage, column);
    if (family->even && family->children == stage->most)
        return order == NULL ? position : order[position];
    for (int32_t i = 0;; i++) {
        const int32_t a = order == NULL ? i : order[i];
        if (rb_stage_in_column(stage, family, column, a) && position-- == 0)
            return a;
    }
}

int32_t rb_stage_position(const struct rb_stage *stage, const struct rb_family *family,
                          int32_t column, int32_t child)
{
    const int32_t *order = order_of(stage, column);
    int32_t position = 0;
    for (int32_t i = 0; (order == NULL ? i : order[i]) != child; i++)
        position += rb_stage_in_column(stage, family, column, order == NULL ? i : order[i]);
    return position;
}

/* ---- Ranks without a column -------------------------------------------------------------------
 *
 * What comes together in the columns that a child lacks is dealt to its ranks in a round at the
 * end: to each one piece of one of these columns, from a rank of that column; slice by slice, if
 * there are more columns than ranks. A piece is what some of the column's children brought in. At
 * least half of the children have ranks in each column, so
 * that each of its ranks has one piece to send at most. */

int32_t rb_stage_first_dealt(int32_t size, int32_t lacking, int32_t q)
{
    return (int32_t)rb_ceil_divide((int64_t)q * size, lacking);
}

int32_t rb_stage_lacking(const struct rb_family *family, int32_t size, int32_t slice)
{
    const int32_t left = family->columns - size * (slice + 1);
    return left < size ? left : size;
}

bool rb_stage_piece(const struct rb_stage *stage, const struct rb_family *family, int32_t b,
                    int32_t i, int32_t slice, struct rb_piece *piece)
{
    const int32_t size = rb_stage_size(stage, family->first_child + b);
    const int32_t lacking = rb_stage_lacking(family, size, slice);
    if (lacking <= 0)
        return false;
    const int32_t q = (int32_t)((int64_t)i * lacking / size);
    const int32_t at = rb_stage_first_dealt(size, lacking, q), column = size * (slice + 1) + q;
    const int32_t there = rb_stage_column_size(stage, family, column);
    const int32_t each = there / (family->children - there);
    const int32_t receivers = rb_stage_first_dealt(size, lacking, q + 1) - at, number = i - at;
    const int32_t pieces = receivers < each ? receivers : each;
    int32_t before = 0; /* children that lack the column */
    if (number >= pieces)
        return false;
    for (int32_t a = 0; a < b; a++)
        before += !rb_stage_in_column(stage, family, column, a);
    *piece = (struct rb_piece){column, (int32_t)((int64_t)number * there / pieces),
                               (int32_t)((number + (int64_t)1) * there / pieces),
                               before * each + number};
    return true;
}

int32_t rb_stage_number(const struct rb_stage *stage, const struct rb_family *family,
                        int32_t column, int32_t child)
{
    int32_t number = 0;
    for (int32_t a = 0; a < child; a++)
        number += rb_stage_in_column(stage, family, column, a);
    return number;
}

/* ---- The plan's stages ----------------------------------------------------------------------- */

static int compare_sizes(const void *a, const void *b)
{
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left < right) - (left > right);
}

/* As many as at least half of the children have ranks, and at most MOST_DEALS + 1 for a rank of the
 * smallest; but if these are hardly more than the smallest has, as that has. size: in falling
 * order. */
static int32_t choose_columns(const int32_t size[], int32_t children)
{
    enum { MOST_DEALS = 15 };
    const int32_t smallest = size[children - 1], median = size[(children + 1) / 2 - 1];
    const int32_t most = MOST_DEALS + 1;
    const int32_t columns = median / most < smallest ? median : most * smallest;
    return smallest >= columns - columns / 8 ? smallest : columns;
}

/* size: room for those of all children. */
static void measure_family(const struct rb_plan *plan, struct rb_stage *stage, int32_t group,
                           int32_t size[])
{
    const struct rb_stages *exchange = plan->data.own;
    struct rb_family *family = &stage->family[group];
    const int32_t first = stage->groups == NULL ? 0 : rb_group_first(stage->groups, group);
    const int32_t end = stage->groups == NULL ? plan->p : rb_group_first(stage->groups, group + 1);
    const int32_t child = rb_stage_child(stage, first),
                  children = rb_stage_child(stage, end - 1) + 1 - child;
    for (int32_t i = 0; i < children; i++)
        size[i] = rb_stage_size(stage, child + i);
    qsort(size, (size_t)children, sizeof *size, compare_sizes);
    const int32_t largest = size[0], smallest = size[children - 1];
    const int32_t columns = exchange->personal ? smallest : choose_columns(size, children);
    const int32_t slices =
        (int32_t)rb_ceil_divide(largest, stage->kind == RB_STAGE_DIRECT ? smallest : columns);
    const int32_t beyond = (largest - columns) % columns;
    *family = (struct rb_family){child, children, columns, beyond, largest == smallest};
    stage->most = children > stage->most ? children : stage->most;
    stage->slices = slices > stage->slices ? slices : stage->slices;
    stage->columns = columns > stage->columns ? columns : stage->columns;
    const int32_t deals = (int32_t)rb_ceil_divide(columns, smallest) - 1;
    if (stage->kind != RB_STAGE_DIRECT && deals > stage->deals)
        stage->deals = deals;
}

int64_t rb_stage_column_rounds(const struct rb_stage *stage)
{
    return stage->kind == RB_STAGE_RING ? stage->most - 1 : rb_ceil_log2(stage->most);
}

int rb_stage_make(struct rb_plan *plan, struct rb_stage *stage)
{
    const int32_t groups = stage->groups == NULL ? 1 : stage->groups->count;
    stage->first = plan->rounds;
    stage->family = malloc((size_t)groups * sizeof *stage->family);
    int32_t *size = malloc((size_t)plan->p * sizeof *size);
    if (stage->family == NULL || size == NULL) {
        free(size);
        return RB_ENOMEM;
    }
    for (int32_t group = 0; group < groups; group++)
        measure_family(plan, stage, group, size);
    free(size);
    stage->moves = stage->kind == RB_STAGE_DIRECT ? 1 + (int64_t)stage->slices * (stage->most - 1)
                                                  : (int64_t)stage->slices * stage->most;
    plan->rounds += stage->kind == RB_STAGE_DIRECT
                        ? (int64_t)stage->slices * (stage->most - 1)
                        : stage->slices - 1 + rb_stage_column_rounds(stage) + stage->deals;
    return make_orders(stage);
}

void rb_stages_free(struct rb_stages *exchange)
{
    for (int32_t s = 0; s < exchange->count; s++) {
        free(exchange->stage[s].family);
        free(exchange->stage[s].order);
    }
    free(exchange);
}

/* From the ranks outwards; stage 0 is the outermost. */
int rb_stages_find(struct rb_plan *plan, struct rb_stages *exchange, char *why, size_t why_size)
{
    const struct rb_groups *level[RB_MOST_STAGES];
    int32_t count = 0;
    for (const struct rb_groups *at = &plan->groups; at != NULL; at = at->above) {
        if (count == RB_MOST_STAGES - 1)
            return rb_why(why, why_size, RB_ENOTSUP, "there is no exchange on more than %d levels",
                          RB_MOST_STAGES - 1);
        if (at->count < plan->p)
            level[count++] = at;
    }
    exchange->personal = plan->parts > 1;
    exchange->count = count + 1;
    for (int32_t s = 0; s <= count; s++) {
        exchange->stage[s].groups = s == 0 ? NULL : level[count - s];
        exchange->stage[s].children = s == count ? NULL : level[count - 1 - s];
    }
    return RB_OK;
}
