/* two_levels.c - collectives in two steps, inside groups and over their leaders, as MPI libraries
 * make them for hosts of several ranks; and in lanes. Each is a descriptor and nothing else
 * (levels.h): a line below.
 *
 * OVER-over-INSIDE: a broadcast goes over the leaders by one algorithm, then inside all groups by
 * another one. Source: Karonis et al. 2000; Graham and Shipman 2008; with two binomial trees this
 * is MPICH's SMP-aware broadcast. A reduction is the same backwards; allreduce is a reduction
 * inside, an allreduce over the leaders and a broadcast inside; allgather is a gather inside, an
 * allgather over the leaders of all data of their groups, and a broadcast of all data inside, which
 * brings a rank also the data of its own group (MVAPICH2, Open MPI's HAN); reduce-scatter is a
 * reduction of the whole vector inside, a reduce-scatter over the leaders, and a scatter inside.
 * The gather and the scatter are binomial. In a round at most one message enters or leaves a group:
 * its leader's.
 *
 * The steps follow each other, since with one port nothing is gained by overlapping them: a leader
 * sends every block twice or more often, once inside, in rounds of their own. Without lockstep a
 * group begins inside as soon as its leader is done.
 *
 * OVER-in-lanes: J. L. Traeff, S. Hunold, Decomposing MPI Collectives for Exploiting Multi-lane
 * Communication, 2020. For groups of k ranks each: a broadcast scatters k shares inside the root's
 * group, broadcasts each of them over a lane, all k at once, and gathers them inside. Reduction:
 * reduce-scatter inside, k reductions, gather in the root's group. Allreduce: reduce-scatter
 * inside, k allreduces, allgather inside. Allgather: k allgathers over the lanes, then of what they
 * brought inside; reduce-scatter backwards. Inside, scatter and gather are binomial, allgather and
 * reduce-scatter by dissemination. For groups of different sizes only allreduce has plans: with as
 * many lanes as the smallest group has ranks, of which larger groups reduce to some of theirs.
 *
 * Rounds: those of the parts together, with N groups of at most K ranks. Volume: the parts'.
 * State per rank: that of the parts, at most two circulant schedules.
 *
 * p = 5, groups of 3, binomial-over-binomial: 0 -> 3; 0 -> 2; 0 -> 1, 3 -> 4. */
#include "schedules/patterns/lanes.h"
#include "schedules/patterns/levels.h"

/* ---- What is said of a part ------------------------------------------------------------------ */

#define NAME_binomial           "binomial"
#define NAME_flat               "flat"
#define NAME_knomial            "knomial"
#define NAME_chain              "chain"
#define NAME_circulant          "circulant"
#define NAME_scatter_allgather  "scatter-allgather"
#define NAME_rabenseifner       "rabenseifner"
#define NAME_recursive_doubling "recursive-doubling"
#define NAME_recursive_halving  "recursive-halving"
#define NAME_ring               "ring"
#define NAME_dissemination      "dissemination"
#define NAME_bine               "bine"
#define NAME_two_tree           "two-tree"

/* Rounds for P ranks and B blocks, as texts. A part of one rank has none, which is what min() is
 * for. ALL_: those of allreduce where they are not those of reduce or allgather. */
#define LOG2(P)                    "ceil(log2 " P ")"
#define ROUNDS_binomial(P, B)      LOG2(P)
#define ROUNDS_dissemination(P, B) LOG2(P)
#define ROUNDS_flat(P, B)          P " - 1"
/* Of radix 4, or P below that. */
#define DIGITS(P)                       "ceil(log_(4) " P ")"
#define ROUNDS_knomial(P, B)            B " (3 (" DIGITS(P) " - 1) + ceil(" P " / 4^(" DIGITS(P) " - 1)) - 1)"
#define ROUNDS_ring(P, B)               P " - 1"
#define ROUNDS_chain(P, B)              "min(1, " P " - 1)(" B " + " P " - 2)"
#define ROUNDS_circulant(P, B)          "min(1, " P " - 1)(" B " - 1) + " LOG2(P)
#define ROUNDS_scatter_allgather(P, B)  LOG2(P) " + " P " - 1"
#define ROUNDS_rabenseifner(P, B)       "floor(log2 " P ") + " LOG2(P)
#define ROUNDS_recursive_doubling(P, B) "2 " LOG2(P) " - floor(log2 " P ")"
#define ROUNDS_recursive_halving(P, B)  ROUNDS_recursive_doubling(P, B)
#define TWO_TREE_ROUNDS(P, B)                                                                      \
    "min(1, " P " - 1)(" B " + " P " - 2 + min(1, h - 1)(2 floor(log2 h) + 2 - h - 2 floor(h / "   \
    "2)))"
#define TWO_TREE_HALF(P)                    ", h = max(1, floor((" P " - 1) / 2))"
#define ROUNDS_two_tree(P, B)               TWO_TREE_ROUNDS(P, B) TWO_TREE_HALF(P)
#define ALL_ROUNDS_two_tree(P, B)           "2 " TWO_TREE_ROUNDS(P, B) TWO_TREE_HALF(P)
#define ALL_ROUNDS_bine(P, B)               "2 " LOG2(P)
#define ALL_ROUNDS_recursive_doubling(P, B) ROUNDS_recursive_doubling(P, B)
#define ALL_ROUNDS_rabenseifner(P, B)       "2 " LOG2(P)
#define ALL_ROUNDS_ring(P, B)               "2 (" P " - 1)"
#define ALL_ROUNDS_circulant(P, B)          "2 (" ROUNDS_circulant(P, B) ")"

/* How many blocks the vector has after a part over N leaders. */
#define COUNT_binomial           "n"
#define COUNT_chain              "n"
#define COUNT_knomial            "n"
#define COUNT_circulant          "n"
#define COUNT_recursive_doubling "n"
#define COUNT_scatter_allgather  "n N"
#define COUNT_ring               "n N"
#define COUNT_rabenseifner       "n 2^floor(log2 N)"

/* The part is pipelined; it cuts the vector into shares, so that there are blocks enough with n =
 * 1; it keeps rank order. */
enum {
    PIPELINED_binomial = 0,
    PIPELINED_flat = 0,
    PIPELINED_chain = 1,
    PIPELINED_knomial = 1,
    PIPELINED_circulant = 1,
    PIPELINED_scatter_allgather = 0,
    PIPELINED_rabenseifner = 0,
    PIPELINED_recursive_doubling = 0,
    PIPELINED_dissemination = 0,
    PIPELINED_ring = 0,
    PIPELINED_bine = 0,
    PIPELINED_two_tree = 1,
    SHARES_binomial = 0,
    SHARES_chain = 0,
    SHARES_knomial = 0,
    SHARES_circulant = 0,
    SHARES_recursive_doubling = 0,
    SHARES_scatter_allgather = 1,
    SHARES_rabenseifner = 1,
    SHARES_ring = 1,
    SHARES_bine = 1,
    SHARES_two_tree = 0,
    ORDERED_binomial = 1,
    ORDERED_flat = 0,
    ORDERED_chain = 1,
    ORDERED_knomial = 0,
    ORDERED_circulant = 0,
    ORDERED_rabenseifner = 0,
    ORDERED_recursive_doubling = 1,
    ORDERED_ring = 0
};

/* ---- Descriptors ----------------------------------------------------------------------------- */

#define BLOCKS(over, pipelined_)                                                                   \
    (SHARES_##over  ? "blocks in each share, which travel together"                                \
     : (pipelined_) ? "pipelined blocks; in parts that are not pipelined all travel together"      \
                    : "all blocks travel as one message")

#define TWO_LEVELS(collective_, over, inside, pipelined_, rounds_, blocks_, ...)                   \
    .info = {.collective = collective_,                                                            \
             .name = NAME_##over "-over-" NAME_##inside,                                           \
             .title = NAME_##over " over the leaders of groups, " NAME_##inside " inside groups",  \
             .paper = "Karonis et al. 2000; MPI libraries",                                        \
             .rounds = rounds_,                                                                    \
             .blocks = blocks_,                                                                    \
             .pipelined = (pipelined_),                                                            \
             .groups = true,                                                                       \
             .one_per_port = true},                                                                \
    .pipeline = (pipelined_) ? rb_levels_pipeline : NULL, RB_LEVELS(__VA_ARGS__)

#define IN_LANES(collective_, over, pipelined_, rounds_, blocks_, ...)                             \
    .info = {.collective = collective_,                                                            \
             .name = NAME_##over "-in-lanes",                                                      \
             .title = NAME_##over " in a lane for each rank of a group, on its share of the data", \
             .paper = "Traeff and Hunold 2020",                                                    \
             .rounds = rounds_,                                                                    \
             .blocks = blocks_,                                                                    \
             .pipelined = (pipelined_),                                                            \
             .groups = true},                                                                      \
    .pipeline = (pipelined_) ? rb_levels_pipeline : NULL, .partly_pipelined = true,                \
    .suits = rb_levels_suit, RB_LEVELS(__VA_ARGS__)

/* ---- Broadcast ------------------------------------------------------------------------------- */

#define PIPELINED(over, inside) (!SHARES_##over && (PIPELINED_##over | PIPELINED_##inside))

#define BCAST(over, inside)                                                                        \
    const struct rb_algorithm rb_bcast_##over##_over_##inside = {                                  \
        TWO_LEVELS("bcast", over, inside, PIPELINED(over, inside),                                 \
                   ROUNDS_##over("N", "n") " + " ROUNDS_##inside("K", COUNT_##over),               \
                   BLOCKS(over, PIPELINED(over, inside)), {&rb_bcast_##over, RB_OVER},             \
                   {&rb_bcast_##inside, RB_INSIDE}),                                               \
        .partly_pipelined = !(PIPELINED_##over & PIPELINED_##inside), .cost = rb_levels_cost};

BCAST(binomial, binomial)
BCAST(binomial, flat)
BCAST(binomial, chain)
BCAST(chain, binomial)
BCAST(chain, chain)
BCAST(circulant, binomial)
BCAST(circulant, circulant)
BCAST(scatter_allgather, binomial)
BCAST(scatter_allgather, chain)

#define BCAST_IN_LANES(over)                                                                       \
    const struct rb_algorithm rb_bcast_##over##_in_lanes = {                                       \
        IN_LANES("bcast", over, PIPELINED_##over, "2 " LOG2("K") " + " ROUNDS_##over("N", "n"),    \
                 BLOCKS(over, PIPELINED_##over), {&rb_scatter_binomial, RB_INSIDE_ROOT},           \
                 {&rb_bcast_##over, RB_LANES}, {&rb_allgather_dissemination, RB_INSIDE}),          \
        .cost = rb_levels_cost};

BCAST_IN_LANES(binomial)
BCAST_IN_LANES(chain)
BCAST_IN_LANES(circulant)
BCAST_IN_LANES(scatter_allgather)
BCAST_IN_LANES(two_tree)

/* ---- Reduction ------------------------------------------------------------------------------- */

#define REDUCE(over, inside)                                                                       \
    const struct rb_algorithm rb_reduce_##over##_over_##inside = {                                 \
        TWO_LEVELS("reduce", over, inside, PIPELINED(over, inside),                                \
                   ROUNDS_##inside("K", COUNT_##over) " + " ROUNDS_##over("N", "n"),               \
                   BLOCKS(over, PIPELINED(over, inside)), {&rb_reduce_##inside, RB_INSIDE},        \
                   {&rb_reduce_##over, RB_OVER}),                                                  \
        .partly_pipelined = !(PIPELINED_##over & PIPELINED_##inside),                              \
        .ordered_for_root_0 = ORDERED_##over & ORDERED_##inside, .cost = rb_levels_cost};

REDUCE(binomial, binomial)
REDUCE(binomial, flat)
REDUCE(binomial, chain)
REDUCE(binomial, knomial)
REDUCE(knomial, binomial)
REDUCE(knomial, flat)
REDUCE(knomial, knomial)
REDUCE(chain, chain)
REDUCE(circulant, circulant)
REDUCE(rabenseifner, binomial)
REDUCE(rabenseifner, chain)

#define REDUCE_IN_LANES(over)                                                                      \
    const struct rb_algorithm rb_reduce_##over##_in_lanes = {                                      \
        IN_LANES("reduce", over, PIPELINED_##over, "2 " LOG2("K") " + " ROUNDS_##over("N", "n"),   \
                 BLOCKS(over, PIPELINED_##over), {&rb_reduce_scatter_dissemination, RB_INSIDE},    \
                 {&rb_reduce_##over, RB_LANES}, {&rb_gather_binomial, RB_INSIDE_ROOT}),            \
        .cost = rb_levels_cost};

REDUCE_IN_LANES(binomial)
REDUCE_IN_LANES(chain)
REDUCE_IN_LANES(circulant)
REDUCE_IN_LANES(rabenseifner)
REDUCE_IN_LANES(two_tree)

/* ---- Allreduce ------------------------------------------------------------------------------- */

#define ALLREDUCE(over, inside)                                                                    \
    const struct rb_algorithm rb_allreduce_##over##_over_##inside = {                              \
        TWO_LEVELS("allreduce", over, inside, PIPELINED(over, inside),                             \
                   "2 (" ROUNDS_##inside("K", COUNT_##over) ") + " ALL_ROUNDS_##over("N", "n"),    \
                   BLOCKS(over, PIPELINED(over, inside)), {&rb_reduce_##inside, RB_INSIDE},        \
                   {&rb_allreduce_##over, RB_OVER}, {&rb_bcast_##inside, RB_INSIDE}),              \
        .partly_pipelined = true, .ordered_for_root_0 = ORDERED_##over & ORDERED_##inside,         \
        .cost = rb_levels_cost};

ALLREDUCE(recursive_doubling, binomial)
ALLREDUCE(recursive_doubling, flat)
ALLREDUCE(recursive_doubling, chain)
ALLREDUCE(rabenseifner, binomial)
ALLREDUCE(rabenseifner, chain)
ALLREDUCE(ring, binomial)
ALLREDUCE(ring, chain)

#define ALLREDUCE_IN_LANES(over, blocks_)                                                          \
    const struct rb_algorithm rb_allreduce_##over##_in_lanes = {                                   \
        IN_LANES("allreduce", over, PIPELINED_##over,                                              \
                 "2 " LOG2("K") " + " ALL_ROUNDS_##over("N", "n"), blocks_,                        \
                 {&rb_reduced_shares, RB_INSIDE}, {&rb_allreduce_##over, RB_LANES},                \
                 {&rb_gathered_shares, RB_INSIDE}),                                                \
        .cost = rb_levels_cost};

ALLREDUCE_IN_LANES(recursive_doubling, BLOCKS(recursive_doubling, 0))
ALLREDUCE_IN_LANES(rabenseifner, BLOCKS(rabenseifner, 0))
ALLREDUCE_IN_LANES(ring, BLOCKS(ring, 0))
ALLREDUCE_IN_LANES(bine, BLOCKS(bine, 0))

/* Its two halves are stages: a rank's state has no room for them as one part. With all data of a
 * group on the way at once, data move between nodes as in NCCL's double binary trees, on all
 * interfaces. */
const struct rb_algorithm rb_allreduce_two_tree_in_lanes = {
    IN_LANES("allreduce", two_tree, 1, "2 " LOG2("K") " + " ALL_ROUNDS_two_tree("N", "n"),
             BLOCKS(two_tree, 1), {&rb_reduced_shares, RB_INSIDE}, {&rb_reduce_two_tree, RB_LANES},
             {&rb_bcast_two_tree, RB_LANES}, {&rb_gathered_shares, RB_INSIDE}),
    .cost = rb_levels_cost};
ALLREDUCE_IN_LANES(circulant, "pipelined blocks of each of the p shares")

/* ---- Allgather and reduce-scatter ------------------------------------------------------------ */

#define OF_ALL "blocks of every rank, pipelined where a part is"

#define ALLGATHER(over, inside)                                                                    \
    const struct rb_algorithm rb_allgather_##over##_over_##inside = {                              \
        TWO_LEVELS("allgather", over, inside, PIPELINED_##inside,                                  \
                   LOG2("K") " + " ROUNDS_##over("N", "n") " + " ROUNDS_##inside("K", "n"),        \
                   OF_ALL, {&rb_gather_binomial, RB_INSIDE}, {&rb_allgather_##over, RB_OVER},      \
                   {&rb_bcast_##inside, RB_INSIDE}),                                               \
        .partly_pipelined = true};

ALLGATHER(ring, binomial)
ALLGATHER(ring, chain)
ALLGATHER(dissemination, binomial)
ALLGATHER(recursive_doubling, binomial)

#define ALLGATHER_IN_LANES(over)                                                                   \
    const struct rb_algorithm rb_allgather_##over##_in_lanes = {IN_LANES(                          \
        "allgather", over, PIPELINED_##over, ROUNDS_##over("N", "n") " + " LOG2("K"), OF_ALL,      \
        {&rb_allgather_##over, RB_LANES}, {&rb_allgather_dissemination, RB_INSIDE})};

ALLGATHER_IN_LANES(ring)
ALLGATHER_IN_LANES(dissemination)
ALLGATHER_IN_LANES(circulant)

#define REDUCE_SCATTER(over, inside)                                                               \
    const struct rb_algorithm rb_reduce_scatter_##over##_over_##inside = {                         \
        TWO_LEVELS("reduce-scatter", over, inside, PIPELINED_##inside,                             \
                   ROUNDS_##inside("K", "n") " + " ROUNDS_##over("N", "n") " + " LOG2("K"),        \
                   OF_ALL, {&rb_reduce_##inside, RB_INSIDE}, {&rb_reduce_scatter_##over, RB_OVER}, \
                   {&rb_scatter_binomial, RB_INSIDE}),                                             \
        .partly_pipelined = true};

REDUCE_SCATTER(ring, binomial)
REDUCE_SCATTER(ring, chain)
REDUCE_SCATTER(dissemination, binomial)
REDUCE_SCATTER(recursive_halving, binomial)

#define REDUCE_SCATTER_IN_LANES(over)                                                              \
    const struct rb_algorithm rb_reduce_scatter_##over##_in_lanes = {IN_LANES(                     \
        "reduce-scatter", over, PIPELINED_##over, LOG2("K") " + " ROUNDS_##over("N", "n"), OF_ALL, \
        {&rb_reduce_scatter_dissemination, RB_INSIDE}, {&rb_reduce_scatter_##over, RB_LANES})};

REDUCE_SCATTER_IN_LANES(ring)
REDUCE_SCATTER_IN_LANES(dissemination)
REDUCE_SCATTER_IN_LANES(circulant)
