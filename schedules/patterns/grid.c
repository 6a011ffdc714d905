#include "grid.h"

struct rb_grid rb_grid_of(struct rb_plan *plan)
{
    const struct rb_algorithm *forward = plan->algorithm->forward;
    return (forward != NULL ? forward : plan->algorithm)->grid(plan);
}

struct rb_grid rb_grid_ring(struct rb_plan *plan)
{
    return (struct rb_grid){.dimensions = 1, .extent = {plan->p, 1}};
}

/* The least divisor of p that is no less than its root. */
static int32_t squarest_columns(int32_t p)
{
    int32_t columns = p;
    for (int32_t rows = 2; rows <= p / rows; rows++)
        if (p % rows == 0)
            columns = p / rows;
    return columns;
}

struct rb_grid rb_grid_mesh(struct rb_plan *plan)
{
    if (plan->radix == 0)
        plan->radix = plan->p > 1 ? squarest_columns(plan->p) : 2;
    const int32_t columns = plan->p > 1 ? plan->radix : 1;
    return (struct rb_grid){.dimensions = 2, .extent = {columns, plan->p / columns}};
}

struct rb_grid rb_grid_hypercube(struct rb_plan *plan)
{
    return (struct rb_grid){.dimensions = rb_ceil_log2(plan->p), .extent = {2, 2}};
}

bool rb_mesh_supports(int32_t p, int32_t columns)
{
    return (p <= 3 || squarest_columns(p) < p) && (columns == 0 || p == 1 || p % columns == 0);
}

bool rb_hypercube_supports(int32_t p, int32_t radix)
{
    (void)radix;
    return (p & (p - 1)) == 0;
}

int64_t rb_grid_steps(const struct rb_grid *grid)
{
    int64_t steps = 0;
    for (int32_t dimension = 0; dimension < grid->dimensions; dimension++)
        steps += grid->extent[dimension > 0] - 1;
    return steps;
}

int32_t rb_grid_dimension(const struct rb_grid *grid, int64_t *round)
{
    int32_t dimension = 0;
    for (; *round >= grid->extent[dimension > 0] - 1; dimension++)
        *round -= grid->extent[dimension > 0] - 1;
    return dimension;
}
