/* symmetry.c - the symmetry of a block-cyclic redistribution (symmetry.h). */
#include "symmetry.h"

#include <stdlib.h>

/* x / y modulo m; y and m have no common factor. */
static int64_t quotient_modulo(int64_t x, int64_t y, int64_t m)
{
    int64_t result = 0;
    while ((result * y - x) % m != 0)
        result++;
    return result;
}

bool redist_symmetry_applies(const struct rb_redistribution *problem,
                             const struct rb_traffic *traffic)
{
    if (!problem || problem->dimensions != 1 || traffic->count == 0 || traffic->copies > 0)
        return false;
    const struct rb_cyclic *const c = &problem->dimension[0];
    if (c->r > c->M / c->P || c->s > c->M / c->Q)
        return false;
    const int64_t of_senders = c->r * c->P, of_receivers = c->s * c->Q;
    const int64_t rounds = of_senders / redist_gcd(of_senders, of_receivers);
    return c->M % of_receivers == 0 && c->M / of_receivers % rounds == 0;
}

int redist_symmetry_init(struct redist_symmetry *g, const struct rb_cyclic *c,
                         const struct rb_traffic *traffic)
{
    const int64_t common = redist_gcd(c->r, c->s), r = c->r / common, s = c->s / common;
    g->part[0] = redist_gcd(s, c->P);
    g->part[1] = redist_gcd(r, c->Q);
    g->families = redist_gcd(c->P / g->part[0], c->Q / g->part[1]);
    g->slope =
        quotient_modulo(r / g->part[1] % g->families, s / g->part[0] % g->families, g->families);
    g->copies[0] = c->P / g->part[0] / g->families;
    g->copies[1] = c->Q / g->part[1] / g->families;
    g->longer = g->part[0] * g->copies[0] >= g->part[1] * g->copies[1] ? 0 : 1;
    g->mean = traffic->longest_port / (g->part[g->longer] * g->copies[g->longer]);
    g->length = calloc((size_t)(g->part[0] * g->part[1] * g->families), sizeof *g->length);
    if (!g->length)
        return RB_ENOMEM;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message *const m = &traffic->message[i];
        if (m->from < g->part[0] && m->to < g->part[1] * g->families)
            g->length[(m->from * g->part[1] + m->to % g->part[1]) * g->families +
                      m->to / g->part[1]] = m->length;
    }
    return RB_OK;
}

void redist_symmetry_deinit(struct redist_symmetry *g)
{
    free(g->length);
    *g = (struct redist_symmetry){0};
}

struct redist_symmetry_place redist_symmetry_place(const struct redist_symmetry *g,
                                                   const struct rb_message *message)
{
    const int64_t port[2] = {message->from, message->to};
    struct redist_symmetry_place place;
    int64_t member[2];
    for (int side = 0; side < 2; side++) {
        place.inner[side] = port[side] % g->part[side];
        member[side] = port[side] / g->part[side] % g->families;
        place.copy[side] = port[side] / g->part[side] / g->families;
    }
    const int64_t back = g->slope * member[0] % g->families;
    place.family = (member[1] - back + g->families) % g->families;
    return place;
}

int64_t redist_symmetry_length(const struct redist_symmetry *g, int64_t sender, int64_t receiver,
                               int64_t family)
{
    const int64_t cell = sender % g->part[0] * g->part[1] + receiver % g->part[1];
    return g->length[cell * g->families + family];
}

int64_t redist_symmetry_cell(const struct redist_symmetry *g, int64_t sender, int64_t receiver,
                             int64_t families)
{
    int64_t sum = 0;
    for (int64_t family = 0; family < families; family++)
        sum += redist_symmetry_length(g, sender, receiver, family);
    return sum;
}
