#include "turns.h"

#include <stdlib.h>

enum { MOST_PERIOD = 1 << 20 };

static uint32_t rotate(uint32_t word, int32_t left, int32_t d)
{
    const uint32_t all = (UINT32_C(1) << d) - 1;
    return left == 0 ? word : ((word << left) | (word >> (d - left))) & all;
}

static uint32_t top_bit(int32_t d)
{
    return UINT32_C(1) << (d - 1);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Registers of the shape's cubes, one round later. */
static void step(const int32_t d[], int32_t cubes, uint32_t reg[])
{
    uint32_t left_above = 0;
    for (int32_t i = 0; i < cubes; i++) {
        const uint32_t left = reg[i] >> (d[i] - 1);
        reg[i] = ((reg[i] ^ left << (d[i] - 1)) << 1) | (left ^ left_above);
        left_above = left;
    }
}

static void find_responses(struct rb_shape *shape)
{
    int32_t d[RB_MOST_CUBES];
    for (const struct rb_shape *at = shape; at->cube >= 0; at = at->above)
        d[at->cube] = at->d;
    for (int32_t i = 0; i < shape->cube; i++) {
        uint32_t reg[RB_MOST_CUBES] = {0};
        reg[i] = top_bit(d[i]);
        for (int32_t t = 0; t < shape->period; t++) {
            shape->response[(int64_t)i * shape->period + t] = reg[shape->cube];
            step(d, shape->cube + 1, reg);
        }
    }
}

struct rb_shape *rb_shape_below(struct rb_shape *above, int32_t d, bool *too_long)
{
    if (above->below[d] != NULL)
        return above->below[d];
    const int32_t cube = above->cube + 1;
    int64_t multiple = d;
    for (const struct rb_shape *at = above; at->cube >= 0; at = at->above)
        multiple = multiple / rb_common_divisor(multiple, at->d) * at->d;
    const int64_t period = multiple << rb_ceil_log2(cube + 1);
    *too_long = cube >= RB_MOST_CUBES || period > MOST_PERIOD;
    struct rb_shape *shape = *too_long ? NULL : calloc(1, sizeof *shape);
    if (shape == NULL)
        return NULL;
    *shape = (struct rb_shape){.above = above,
                               .cube = cube,
                               .d = d,
                               .before = above->before + above->d,
                               .period = (int32_t)period};
    if (cube > 0) {
        shape->response = malloc((size_t)cube * (size_t)period * sizeof *shape->response);
        if (shape->response == NULL) {
            free(shape);
            return NULL;
        }
        find_responses(shape);
    }
    return above->below[d] = shape;
}

void rb_shapes_free(struct rb_shape *top)
{
    for (size_t d = 0; d < sizeof top->below / sizeof top->below[0]; d++)
        if (top->below[d] != NULL) {
            rb_shapes_free(top->below[d]);
            free(top->below[d]->response);
            free(top->below[d]);
            top->below[d] = NULL;
        }
}

/* ---- Roles ----------------------------------------------------------------------------------- */

/* The role in the shape's cube before round u. */
static uint32_t role(const struct rb_shape *shape, const int32_t number[], int64_t u)
{
    const int32_t d = shape->d, period = shape->period;
    uint32_t y = rotate((uint32_t)number[shape->cube], (int32_t)(u % d), d);
    for (const struct rb_shape *at = shape->above; at->cube >= 0; at = at->above) {
        const uint32_t *response = shape->response + (int64_t)at->cube * period;
        const int32_t first = (int32_t)((u + period + 1 - at->d) % period);
        for (uint32_t rest = (uint32_t)number[at->cube]; rest != 0; rest &= rest - 1) {
            const int32_t t = first + __builtin_ctz(rest);
            y ^= response[t < period ? t : t - period];
        }
    }
    return y;
}

/* The number in a cube, which is entered, that has a role in round u. */
static int32_t choose(struct rb_way *way, int32_t d, bool gate, int64_t u)
{
    rb_way_enter(way, d, 0);
    const uint32_t turned = (gate ? 0 : top_bit(d)) ^ role(way->shape, way->number, u);
    const int32_t number = (int32_t)rotate(turned, (int32_t)((d - u % d) % d), d);
    way->number[way->shape->cube] = number;
    return number;
}

int32_t rb_way_choose(struct rb_way *way, int32_t k, bool gate, int64_t u)
{
    const struct rb_split split = rb_split(k);
    const int32_t number = choose(way, split.d, gate, u);
    return number < split.pairs ? number + (choose(way, 1, gate, u) << split.d) : number;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* The last round in which the cube takes in or sends out anything. */
static int64_t last_in(const struct rb_shape *shape, int64_t n)
{
    return n - 2 + shape->before;
}

/* What a node of this role sends; -1: nothing. */
static int64_t block_of(const struct rb_shape *shape, uint32_t y, int64_t n, int64_t u)
{
    if (y == 0)
        return rb_smaller(u, n - 1);
    const int64_t block = u - 1 - (31 - __builtin_clz(y)) - shape->before;
    return block < 0 ? -1 : rb_smaller(block, n - 1);
}

/* The message of the way's node, or if that leaves its cube, or enters it, of the node that the
 * cube is, and so on up. */
static struct rb_turn find_turn(const struct rb_way *way, bool sends, int64_t n, int64_t u)
{
    const struct rb_shape *shape = way->shape;
    if (u > last_in(shape, n) + shape->d)
        return (struct rb_turn){.block = -1};
    uint32_t y = role(shape, way->number, u);
    while (y == (sends ? 0 : top_bit(shape->d)) && shape->cube > 0 && u <= last_in(shape, n)) {
        shape = shape->above;
        y = role(shape, way->number, u);
    }
    const int32_t d = shape->d;
    return (struct rb_turn){.block = block_of(shape, sends ? y : y ^ top_bit(d), n, u),
                            .cube = shape->cube,
                            .number = way->number[shape->cube] ^ 1 << (d - 1 - (int32_t)(u % d))};
}

struct rb_turn rb_way_sends(const struct rb_way *way, int64_t n, int64_t u)
{
    return find_turn(way, true, n, u);
}

struct rb_turn rb_way_receives(const struct rb_way *way, int64_t n, int64_t u)
{
    return find_turn(way, false, n, u);
}
