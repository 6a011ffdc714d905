/* formulas.c - the slides' formulas, in their order (formulas.h). */
#include "studies/check/formulas.h"

#include <math.h>

/* ts + tw times a multiple of m. */
static double message_s(const struct check_slide *x, double times)
{
    return x->ts_s + x->tw_s_per_byte * x->m * times;
}

/* (1), and of all-reduce and prefix sums: (ts + tw m) log p. */
static double doubling_s(const struct check_slide *x)
{
    return message_s(x, 1) * log2(x->p);
}

/* All-to-all broadcast on a ring; (7): (ts + tw m)(p - 1). */
static double steps_s(const struct check_slide *x)
{
    return message_s(x, 1) * (x->p - 1);
}

/* All-to-all broadcast on a mesh: 2 ts (sqrt p - 1) + tw m (p - 1). */
static double mesh_all_s(const struct check_slide *x)
{
    return 2 * x->ts_s * (sqrt(x->p) - 1) + x->tw_s_per_byte * x->m * (x->p - 1);
}

/* (2), (3): ts log p + tw m (p - 1). */
static double growing_s(const struct check_slide *x)
{
    return x->ts_s * log2(x->p) + x->tw_s_per_byte * x->m * (x->p - 1);
}

/* (4): (ts + tw m p / 2)(p - 1). */
static double personalized_ring_s(const struct check_slide *x)
{
    return message_s(x, x->p / 2) * (x->p - 1);
}

/* (5): (2 ts + tw m p)(sqrt p - 1). */
static double personalized_mesh_s(const struct check_slide *x)
{
    return (2 * x->ts_s + x->tw_s_per_byte * x->m * x->p) * (sqrt(x->p) - 1);
}

/* (6): (ts + tw m p / 2) log p. */
static double personalized_hypercube_s(const struct check_slide *x)
{
    return message_s(x, x->p / 2) * log2(x->p);
}

/* Circular shift on a ring: min(q, p - q) neighbour communications. */
static double shift_ring_s(const struct check_slide *x)
{
    return message_s(x, 1) * fmin(x->q, x->p - x->q);
}

/* Circular shift on a mesh: (ts + tw m)(sqrt p + 1). */
static double shift_mesh_s(const struct check_slide *x)
{
    return message_s(x, 1) * (sqrt(x->p) + 1);
}

/* (8): (ts + tw m)(2 log p - 1). */
static double shift_hypercube_s(const struct check_slide *x)
{
    return message_s(x, 1) * (2 * log2(x->p) - 1);
}

/* (9): ts + tw m. */
static double shift_direct_s(const struct check_slide *x)
{
    return message_s(x, 1);
}

/* (10): 2 (ts log p + tw (p - 1) m / p), and the slide's approximation: 2 (ts log p + tw m). */
static double split_s(const struct check_slide *x)
{
    return 2 * (x->ts_s * log2(x->p) + x->tw_s_per_byte * (x->p - 1) * x->m / x->p);
}

static double split_about_s(const struct check_slide *x)
{
    return 2 * (x->ts_s * log2(x->p) + x->tw_s_per_byte * x->m);
}

static const struct check_statement one_to_all = {"(1)", "(ts + tw m) log p", doubling_s,
                                                  CHECK_FORMULA_EXACT, CHECK_DATA_WHOLE};
static const struct check_statement all_on_ring = {"", "(ts + tw m)(p - 1)", steps_s,
                                                   CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement all_on_mesh = {
    "", "2 ts (sqrt p - 1) + tw m (p - 1)", mesh_all_s, CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement all_on_hypercube = {"(2)", "ts log p + tw m (p - 1)", growing_s,
                                                        CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement all_reduce = {"", "(ts + tw m) log p", doubling_s,
                                                  CHECK_FORMULA_EXACT, CHECK_DATA_WHOLE};
static const struct check_statement personalized = {"(3)", "ts log p + tw m (p - 1)", growing_s,
                                                    CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement total_on_ring = {
    "(4)", "(ts + tw m p / 2)(p - 1)", personalized_ring_s, CHECK_FORMULA_EXACT, CHECK_DATA_PAIR};
static const struct check_statement total_on_mesh = {"(5)", "(2 ts + tw m p)(sqrt p - 1)",
                                                     personalized_mesh_s, CHECK_FORMULA_EXACT,
                                                     CHECK_DATA_PAIR};
static const struct check_statement total_on_hypercube = {"(6)", "(ts + tw m p / 2) log p",
                                                          personalized_hypercube_s,
                                                          CHECK_FORMULA_EXACT, CHECK_DATA_PAIR};
static const struct check_statement total_optimal = {"(7)", "(ts + tw m)(p - 1)", steps_s,
                                                     CHECK_FORMULA_EXACT, CHECK_DATA_PAIR};
static const struct check_statement shift_on_ring = {"", "(ts + tw m) min(q, p - q)", shift_ring_s,
                                                     CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement shift_on_mesh = {"", "(ts + tw m)(sqrt p + 1)", shift_mesh_s,
                                                     CHECK_FORMULA_BOUND, CHECK_DATA_EACH};
static const struct check_statement shift_on_hypercube = {
    "(8)", "(ts + tw m)(2 log p - 1)", shift_hypercube_s, CHECK_FORMULA_BOUND, CHECK_DATA_EACH};
static const struct check_statement shift_by_e_cube = {"(9)", "ts + tw m", shift_direct_s,
                                                       CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement in_parts = {"(10)", "2 (ts log p + tw (p - 1) m / p)", split_s,
                                                CHECK_FORMULA_EXACT, CHECK_DATA_WHOLE};
static const struct check_statement in_parts_about = {"(10)", "2 (ts log p + tw m)", split_about_s,
                                                      CHECK_FORMULA_BOUND, CHECK_DATA_WHOLE};

enum {
    POWER = CHECK_FORMULA_POWER,
    SQUARE = CHECK_FORMULA_SQUARE,
    PARTS = CHECK_FORMULA_PARTS,
    SHIFTS = CHECK_FORMULA_SHIFTS,
    GRAY = CHECK_FORMULA_GRAY,
};

/* clang-format off */
const struct check_formula check_formula_table[] = {
    {&one_to_all, "bcast", "ring", "ring", POWER},
    {&one_to_all, "bcast", "mesh", "mesh", POWER | SQUARE},
    {&one_to_all, "bcast", "hypercube", "hypercube", POWER},
    {&one_to_all, "bcast", "tree", "tree", POWER},
    {&one_to_all, "reduce", "ring", "ring", POWER},
    {&one_to_all, "reduce", "mesh", "mesh", POWER | SQUARE},
    {&one_to_all, "reduce", "hypercube", "hypercube", POWER},
    {&one_to_all, "reduce", "tree", "tree", POWER},
    {&all_on_ring, "allgather", "ring", "ring", 0},
    {&all_on_mesh, "allgather", "mesh", "mesh", SQUARE},
    {&all_on_hypercube, "allgather", "hypercube", "hypercube", POWER},
    {&all_on_ring, "reduce-scatter", "ring", "ring", 0},
    {&all_on_mesh, "reduce-scatter", "mesh", "mesh", SQUARE},
    {&all_on_hypercube, "reduce-scatter", "hypercube", "hypercube", POWER},
    {&all_reduce, "allreduce", "hypercube-exchange", "hypercube", POWER},
    {&all_reduce, "scan", "hypercube", "hypercube", POWER},
    {&personalized, "scatter", "ring", "ring", POWER},
    {&personalized, "scatter", "mesh", "mesh", POWER | SQUARE},
    {&personalized, "scatter", "hypercube", "hypercube", POWER},
    {&personalized, "gather", "ring", "ring", POWER},
    {&personalized, "gather", "mesh", "mesh", POWER | SQUARE},
    {&personalized, "gather", "hypercube", "hypercube", POWER},
    {&total_on_ring, "alltoall", "ring", "ring", 0},
    {&total_on_mesh, "alltoall", "mesh", "mesh", SQUARE},
    {&total_on_hypercube, "alltoall", "hypercube", "hypercube", POWER},
    {&total_optimal, "alltoall", "xor", "hypercube", POWER},
    {&shift_on_ring, "shift", "ring", "ring", SHIFTS},
    {&shift_on_mesh, "shift", "mesh", "mesh", SQUARE | SHIFTS},
    {&shift_on_hypercube, "shift", "hypercube", "hypercube", POWER | SHIFTS | GRAY},
    {&shift_by_e_cube, "shift", "direct", "hypercube", POWER | SHIFTS},
    {&in_parts, "bcast", "hypercube-split", "hypercube", POWER | PARTS},
    {&in_parts_about, "bcast", "hypercube-split", "hypercube", POWER | PARTS},
    {&in_parts, "reduce", "hypercube-split", "hypercube", POWER | PARTS},
    {&in_parts, "allreduce", "hypercube-split", "hypercube", POWER | PARTS},
};
/* clang-format on */
const size_t check_formula_count = sizeof check_formula_table / sizeof check_formula_table[0];
