/* reversed.c - algorithms that are others read backwards: reductions from broadcasts,
 * reduce-scatters from allgathers, gathers from scatters (sequence.h says why). Each is a row
 * (schedules/plan/plan.h) and nothing else. */
#include "schedules/circulant/rails.h"
#include "schedules/patterns/grid.h"
#include "schedules/patterns/sequence.h"
#include "schedules/patterns/tree.h"
#include "schedules/plan/plan.h"

/* ---- Reduce ---------------------------------------------------------------------------------- */

/* Round-optimal pipelined reduction: the circulant broadcast read backwards. Source: J. L. Traeff,
 * Optimal Broadcast Schedules in Logarithmic Time, 2024, Observation 1.3. Rounds: n - 1 + ceil(log2
 * p), optimal. Volume: n (p - 1) blocks, optimal. In broadcast round i, k = i mod q, rank r sends
 * to r + skip[k] and receives from r - skip[k]; here it receives from the former and sends to the
 * latter. The order of the operands is not that of the ranks, so the operator must be commutative.
 * p = 5, n = 2: the table in bcast_circulant.c, from its last line to its first. */
RB_ROW(rb_reduce_circulant, "reduce", "circulant", "round-optimal pipeline on the circulant graph",
       "Traeff 2024, Observation 1.3", "n - 1 + ceil(log2 p)", RB_REVERSED(rb_bcast_circulant),
       RB_PIPELINED(""), .info.circulant = true, .pipeline = rb_reversed_pipeline);

/* Pipelined reduction through a tree of ports: bcast_hosts.c read backwards. Rounds and volume as
 * there; the radix is for `hosts`. Commutative operators only. */
RB_ROW(rb_reduce_turns, "reduce", "turns", "pipeline through ports that ranks share, by turns",
       "docs/groups.md", "at most n - 1 + ceil(log2 N) + ceil(log2 K)", RB_REVERSED(rb_bcast_hosts),
       RB_PIPELINED(""), RB_BY_GROUPS, .info.places = true, .pipeline = rb_reversed_pipeline);

/* Pipelined reduction on a torus: bcast_torus.c read backwards. Rounds and volume as there.
 * Commutative operators only. */
RB_ROW(rb_reduce_torus, "reduce", "torus", "pipeline to neighbours on a torus, d trees in turn",
       "docs/textbook.md", "at most n + 2 (N + K - 1)", RB_REVERSED_UNPRICED(rb_bcast_torus),
       RB_PIPELINED(""), .info.groups = true, .info.places = true,
       .pipeline = rb_reversed_pipeline);

/* The tree over groups of fan.c towards the root. Rounds and volume as there. Commutative
 * operators only. */
RB_ROW(rb_reduce_fan, "reduce", "fan",
       "tree over groups, whose ranks receive from several groups at once", "docs/groups.md",
       RB_FAN_ROUNDS, RB_REVERSED_UNPRICED(rb_bcast_fan), RB_AT_ONCE,
       .info.radix = "r - 1 groups send to another one in a level", .info.groups = true);

/* Pipelined reduction on rails: bcast_rails.c read backwards. Rounds and volume as there.
 * Commutative operators only. */
RB_ROW(rb_reduce_rails, "reduce", "rails", "pipeline inside and over nodes with a NIC per rank",
       "docs/rails.md, on Traeff 2024", "n - 1 + ceil(log2 N) + min(2, (K - 1) N)",
       RB_REVERSED_UNPRICED(rb_bcast_rails), RB_PIPELINED(" of each of J lanes"), RB_ON_RAILS,
       RB_LANES, .pipeline = rb_reversed_pipeline);

/* The same for `rails-direct`. */
RB_ROW(rb_reduce_rails_direct, "reduce", "rails-direct",
       "pipeline inside and over nodes whose ranks receive from all nodes at once", "docs/rails.md",
       "n - 1 + min(2, N - 1) + min(2, (K - 1) N)", RB_REVERSED_UNPRICED(rb_bcast_rails_direct),
       RB_PIPELINED(" of each of J lanes"), RB_ON_RAILS_DIRECTLY, RB_LANES,
       .pipeline = rb_reversed_pipeline);

/* The tree over nodes of bcast_spread.c towards the root. Rounds and volume as there. Commutative
 * operators only. */
RB_ROW(rb_reduce_spread, "reduce", "spread",
       "tree over nodes with a NIC per rank, all of which receive at once", "docs/rails.md",
       "ceil(log_(J + 1) N) (1 + min(1, K - 1)) + min(1, K - 1)",
       RB_REVERSED_UNPRICED(rb_bcast_spread), RB_AT_ONCE, RB_ON_RAILS);

/* The binomial tree towards the root. Source: textbook. Rounds: ceil(log2 p). Volume: n (p - 1)
 * blocks. Rank order is kept for root 0: partial results of neighbours meet, counted from the root.
 * p = 5: 1 -> 0, 3 -> 2; 2 -> 0; 4 -> 0. */
RB_ROW(rb_reduce_binomial, "reduce", "binomial", "binomial tree, the whole message at once",
       "textbook; Grama et al. 2003", "ceil(log2 p)", RB_REVERSED(rb_bcast_binomial), RB_AT_ONCE,
       .ordered_for_root_0 = true);

/* The pipelined chain towards the root. Source: textbook. Rounds: n + p - 2. Volume: n (p - 1)
 * blocks. Rank order is kept for root 0: partial results of neighbours meet, counted from the root.
 * p = 3, n = 2: 2 -> 1 block 1; 2 -> 1 block 0, 1 -> 0 block 1; 1 -> 0 block 0. */
RB_ROW(rb_reduce_chain, "reduce", "chain", "pipelined chain, from the last rank to the root",
       "textbook", "n + p - 2", RB_REVERSED(rb_bcast_chain), RB_PIPELINED(""),
       .pipeline = rb_reversed_pipeline, .ordered_for_root_0 = true);

/* The pipelined binary tree towards the root. Source: textbook. Rounds: those of the broadcast.
 * Volume: n (p - 1) blocks. A rank combines its children's results with its own, which are not its
 * neighbours': commutative operators only. p = 3, n = 1: 2 -> 0; 1 -> 0. */
RB_ROW(rb_reduce_binary, "reduce", "binary", "pipelined complete binary tree", "textbook",
       RB_BINARY_PERIOD " + " RB_BINARY_FIRST RB_BINARY_DEPTH, RB_REVERSED(rb_bcast_binary),
       RB_PIPELINED(""), .pipeline = rb_reversed_pipeline);

/* The k-nomial tree towards the root. Source: MPICH's and Open MPI's trees (bcast_knomial.c); with
 * radix 2 Open MPI's `binomial` (in-order binomial tree), with n blocks as its segments. Rounds and
 * volume: those of the broadcast. Rank order is kept for radix 2 and root 0 only, where the partial
 * results of neighbours meet; `binomial` does so. p = 6, r = 3, n = 1: 2 -> 0, 5 -> 3; 1 -> 0, 4 ->
 * 3; 3 -> 0. */
RB_ROW(rb_reduce_knomial, "reduce", "knomial", "pipelined k-nomial tree, the nearest ranks first",
       "Open MPI 6.0; MPICH 4.0", RB_KNOMIAL_ROUNDS, RB_REVERSED(rb_bcast_knomial),
       RB_PIPELINED(""), .info.radix = "r - 1 messages in each digit to base r",
       .pipeline = rb_reversed_pipeline);

/* Several pipelined chains towards the root. Source: Open MPI's `chain` (bcast_chains.c). Rounds
 * and volume: those of the broadcast. The root receives a block from the last chain first, where
 * Open MPI's receives it from the first: commutative operators only. p = 6, r = 2, n = 1: 3 -> 2, 5
 * -> 4; 4 -> 0, 2 -> 1; 1 -> 0. */
RB_ROW(rb_reduce_chains, "reduce", "chains", "several pipelined chains towards the root",
       "Open MPI 4.1", RB_CHAINS_ROUNDS, RB_REVERSED(rb_bcast_chains), RB_PIPELINED(""),
       .info.radix = "number of chains", .pipeline = rb_reversed_pipeline);

/* Every rank sends the whole message to the root, the last rank first. Source: textbook. Rounds: p
 * - 1. Volume: n (p - 1) blocks. The last rank's data are combined with the root's first:
 * commutative operators only. p = 3: 2 -> 0; 1 -> 0. */
RB_ROW(rb_reduce_flat, "reduce", "flat", "the root receives from one rank after the other",
       "textbook", "p - 1", RB_REVERSED(rb_bcast_flat), RB_AT_ONCE);

/* The broadcast on the Bine tree read backwards: distances double. Source: De Sensi et al. 2025.
 * Rounds: ceil(log2 p). Volume: n (p - 1) blocks. Neighbouring intervals meet, but they go round
 * from rank p - 1 to rank 0: commutative operators only. p = 5: 2 -> 3, 1 -> 0; 4 -> 0; 3 -> 0. */
RB_ROW(rb_reduce_bine, "reduce", "bine",
       "Bine tree, distances doubling, partial results as a whole", "De Sensi et al. 2025",
       "ceil(log2 p)", RB_REVERSED(rb_bcast_bine), RB_AT_ONCE);

/* The broadcast on a ring per port read backwards. Rounds and volume as there. Commutative
 * operators only. */
RB_ROW(rb_reduce_multi_ring, "reduce", "multi-ring",
       "a pipelined chain per port, each through the ranks of a group to another one",
       "Hu et al. 2025, reversed", "n + p - 2", RB_REVERSED(rb_bcast_multi_ring),
       RB_PIPELINED(" on each ring"), RB_BY_GROUPS, .pipeline = rb_reversed_pipeline);

/* The broadcast on a ring read backwards. Source: Grama et al. 2003, "all-to-one reduction".
 * Rounds: ceil(log2 p). Volume: n (p - 1) blocks. Rank order is kept for any root: the partial
 * results of neighbours meet. p = 5, root 1: 0 -> 1; 2 -> 1, 3 -> 4; 4 -> 1. */
RB_ROW(rb_reduce_ring, "reduce", "ring", "within the parts of a ring of p ranks, then between them",
       "Grama et al. 2003", "ceil(log2 p)", RB_REVERSED(rb_bcast_ring), RB_AT_ONCE,
       .ordered_for_every_root = true);

/* The broadcast on a mesh read backwards. Source: Grama et al. 2003, "broadcast and reduction on a
 * mesh". Rounds on a rows of b: ceil(log2 a) + ceil(log2 b). Volume: n (p - 1) blocks. Rank order
 * is kept for any root: rows are combined, then their results. p = 6 (2 rows of 3), root 0: 1 -> 0,
 * 4 -> 3; 2 -> 0, 5 -> 3; 3 -> 0. */
RB_ROW(rb_reduce_mesh, "reduce", "mesh",
       "within every row of an a x b mesh, then in the root's column", "Grama et al. 2003",
       "ceil(log2 a) + ceil(log2 b)", RB_REVERSED(rb_bcast_mesh), RB_AT_ONCE, RB_ON_MESH,
       .ordered_for_every_root = true);

/* The broadcast on a hypercube read backwards. Source: Grama et al. 2003, procedure
 * ALL_TO_ONE_REDUCE; formula (1). Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks. Rank order is
 * kept for any root: subcubes of neighbouring numbers meet. p = 4, root 3: 2 -> 3, 0 -> 1; 1 -> 3.
 */
RB_ROW(rb_reduce_hypercube, "reduce", "hypercube",
       "the dimensions of a hypercube, the lowest first", "Grama et al. 2003", "log2 p",
       RB_REVERSED(rb_bcast_hypercube), RB_AT_ONCE, RB_ON_HYPERCUBE,
       .ordered_for_every_root = true);

/* The broadcast on a balanced binary tree read backwards. Source: Grama et al. 2003, "broadcast and
 * reduction on a balanced binary tree"; formula (1). Rounds: log2 p, p = 2^d. Volume: n (p - 1)
 * blocks. Rank order is kept for any root: neighbouring subtrees meet. p = 4, root 0: 1 -> 0, 3 ->
 * 2; 2 -> 0. */
RB_ROW(rb_reduce_tree, "reduce", "tree",
       "within the subtrees of a balanced binary tree, then between them", "Grama et al. 2003",
       "log2 p", RB_REVERSED(rb_bcast_tree), RB_AT_ONCE, RB_ON_HYPERCUBE,
       .ordered_for_every_root = true);

/* ---- Reduce-scatter -------------------------------------------------------------------------- */

/* The packed circulant allgather read backwards. Source: J. L. Traeff, Optimal Broadcast Schedules
 * in Logarithmic Time, 2024, Observation 1.4. Rounds: n - 1 + ceil(log2 p); for n = 1 that is
 * ceil(log2 p) rounds in which a rank sends, receives and combines p - 1 blocks, the least
 * possible. Commutative operators only. Memory of the plan: that of the allgather. p = 3, n = 1:
 * round 0: r sends its contribution for r + 1 to r + 1; round 1: for r + 2 to r + 2, in the
 * backward direction of the graph. */
RB_ROW(rb_reduce_scatter_circulant, "reduce-scatter", "circulant",
       "p packed reductions on the circulant graph", "Traeff 2024, Observation 1.4",
       "n - 1 + ceil(log2 p)", RB_REVERSED(rb_allgather_circulant), RB_PIPELINED(" for every rank"),
       .info.circulant = true);

/* The allgather `leaders` (allgather_hosts.c) read backwards. Rounds and volume as there.
 * Commutative operators only. */
RB_ROW(rb_reduce_scatter_leaders, "reduce-scatter", "leaders",
       "packed reductions over groups, through a leader of each", "docs/groups.md, on Traeff 2024",
       "n + D (ceil(log2 N) - 1) + ceil(log2 K) + F", RB_REVERSED_UNPRICED(rb_allgather_leaders),
       RB_PIPELINED(" of every rank"), RB_BY_GROUPS, .pipeline = rb_reversed_pipeline);

/* On rails: the allgather of allgather_rails.c read backwards. Commutative operators only. */
RB_ROW(rb_reduce_scatter_rails, "reduce-scatter", "rails",
       "packed reductions inside and over nodes with a NIC per rank",
       "docs/rails.md, on Traeff 2024",
       "n - 1 + ceil(log2 N) + min(1, K - 1) + min(1, (N - 1) (K - L))",
       RB_REVERSED_UNPRICED(rb_allgather_rails), RB_PIPELINED(" of every rank"), RB_ON_RAILS,
       RB_LANES, .pipeline = rb_reversed_pipeline);

/* The same for `rails-direct`. */
RB_ROW(rb_reduce_scatter_rails_direct, "reduce-scatter", "rails-direct",
       "partial results inside, then of all nodes at once", "docs/rails.md",
       "n - 1 + min(1, N - 1) + min(1, K - 1) + min(1, (N - 1) (K - L))",
       RB_REVERSED_UNPRICED(rb_allgather_rails_direct), RB_PIPELINED(" of every rank"),
       RB_ON_RAILS_DIRECTLY, RB_LANES, .pipeline = rb_reversed_pipeline);

/* The ring allgather read backwards: partial results go round and grow. Source: textbook; what MPI
 * libraries take for long messages. Rounds: p - 1. Volume: n (p - 1) blocks sent per rank, optimal.
 * A partial result starts at its owner's left neighbour and goes left, so the order is cyclic:
 * commutative operators only. p = 3: two rounds, each to the left neighbour. */
RB_ROW(rb_reduce_scatter_ring, "reduce-scatter", "ring", "partial results go round a ring",
       "textbook", "p - 1", RB_REVERSED(rb_allgather_ring), RB_FOR_RANK);

/* The pipelined ring allgather read backwards. Source: the allgather's. Rounds: n + p - 2. Volume:
 * n (p - 1) blocks sent per rank, optimal. The order is cyclic: commutative operators only. p = 3,
 * n = 2: the allgather's rounds 2, 1, 0. */
RB_ROW(rb_reduce_scatter_pipelined_ring, "reduce-scatter", "pipelined-ring",
       "a chain towards every rank, all at once round a ring", "Traeff et al. 2010, reversed",
       "n + p - 2", RB_REVERSED(rb_allgather_pipelined_ring), RB_PIPELINED(" for every rank"));

/* The dissemination allgather read backwards. Source: the allgather's; J. L. Traeff 2024, "Optimal,
 * Non-pipelined Reduce-scatter and Allreduce Algorithms", arXiv 2410.14234, which combines as often
 * as it receives: p - 1 blocks. Rounds: ceil(log2 p), optimal. Volume: n (p - 1) blocks sent per
 * rank, optimal. Commutative operators only. p = 5: the allgather's round 2, then 1, then 0, with
 * what was received sent. */
RB_ROW(rb_reduce_scatter_dissemination, "reduce-scatter", "dissemination",
       "the data that a rank forwards halve in every round",
       "Bruck et al. 1997, reversed; Traeff, arXiv 2410.14234", "ceil(log2 p)",
       RB_REVERSED(rb_allgather_dissemination), RB_FOR_RANK);

/* The allgather by recursive doubling read backwards. Source: textbook; Thakur, Rabenseifner, Gropp
 * 2005. Rounds: log2 p; floor(log2 p) + 2 if p is no power of two. Volume: n (p - 1) blocks sent
 * per rank, optimal. Partners are far apart first: commutative operators only. p = 5: 1 -> 0; 0 <->
 * 3, 2 <-> 4; 0 <-> 2, 3 <-> 4; 0 -> 1. */
RB_ROW(rb_reduce_scatter_recursive_halving, "reduce-scatter", "recursive-halving",
       "exchanges along the dimensions of a hypercube, halving the data",
       "textbook; Thakur et al. 2005", "log2 p; floor(log2 p) + 2 if p is no power of two",
       RB_REVERSED(rb_allgather_recursive_doubling), RB_FOR_RANK);

/* The allgather on a Bine butterfly read backwards: distances double, and the data halve. Source:
 * De Sensi et al. 2025. Rounds: ceil(log2 p) for even p, ceil(log2(p - 1)) + 2 for odd p. Volume: n
 * (p - 1) blocks sent per rank, optimal. Commutative operators only. p = 4: 0 <-> 1, 2 <-> 3; 0 <->
 * 3, 1 <-> 2. */
RB_ROW(rb_reduce_scatter_bine, "reduce-scatter", "bine",
       "exchanges on a Bine butterfly, distances doubling, halving the data",
       "De Sensi et al. 2025", "ceil(log2 p); ceil(log2(p - 1)) + 2 if p is odd",
       RB_REVERSED(rb_allgather_bine), RB_FOR_RANK);

/* The pairwise allgather read backwards. Source: textbook; MPI libraries' "pairwise". Rounds: p -
 * 1. Volume: n (p - 1) blocks sent per rank, optimal. Contributions arrive from r + p - 1, r + p -
 * 2, ..., r + 1 in this order: commutative operators only. p = 3: to the left neighbour, then to
 * the right one. */
RB_ROW(rb_reduce_scatter_pairwise, "reduce-scatter", "pairwise",
       "each rank sends its data directly to their destinations", "textbook", "p - 1",
       RB_REVERSED(rb_allgather_pairwise), RB_FOR_RANK);

/* A binomial reduction to rank 0, then a flat scatter: the gather-bcast allgather read backwards.
 * Source: Open MPI's `non-overlapping`, a reduction by the algorithm that the library chooses, and
 * a linear scatter. Rounds: p - 1 + ceil(log2 p). Volume: n (p - 1) blocks sent per rank; rank 0
 * sends and receives more than its share. A rank keeps its partial result for itself, which the
 * library sends to rank 0, and combines it with what it gets from there: commutative operators
 * only. p = 3: 1 -> 0 its contributions for 0 and 2; 2 -> 0 those for 0 and 1; 0 -> 2; 0 -> 1. */
RB_ROW(rb_reduce_scatter_nonoverlapping, "reduce-scatter", "nonoverlapping",
       "a binomial reduction to rank 0, then a flat scatter", "textbook; Open MPI 4.1",
       "p - 1 + ceil(log2 p)", RB_REVERSED(rb_allgather_gather_bcast), RB_FOR_RANK);

/* The allgather on a ring per port read backwards. Rounds and volume as there. Commutative
 * operators only. */
RB_ROW(rb_reduce_scatter_multi_ring, "reduce-scatter", "multi-ring",
       "a ring per port, each through the ranks of a group from another one on", "Hu et al. 2025",
       "p - 1", RB_REVERSED(rb_allgather_multi_ring), RB_BY_GROUPS,
       .info.blocks = "blocks for a rank on each ring, which travel together");

/* The allgather on a mesh read backwards: partial results go round the columns, then round the
 * rows. Source: Grama et al. 2003, "all-to-all reduction". Rounds on a rows of b: a + b - 2.
 * Volume: n (p - 1) blocks sent per rank, optimal. The order is cyclic on each line: commutative
 * operators only. p = 6 (2 rows of 3): one round along the columns, two along the rows. */
RB_ROW(rb_reduce_scatter_mesh, "reduce-scatter", "mesh",
       "partial results round the columns of an a x b mesh, then round its rows",
       "Grama et al. 2003", "a + b - 2", RB_REVERSED(rb_allgather_mesh), RB_FOR_RANK, RB_ON_MESH);

/* The allgather on a hypercube read backwards, the data halving. Source: Grama et al. 2003,
 * "all-to-all reduction"; formula (2). Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks sent per
 * rank, optimal. Partners are far apart first: commutative operators only. p = 4: 0 <-> 2, 1 <-> 3;
 * 0 <-> 1, 2 <-> 3. recursive-halving is the same for these p. */
RB_ROW(rb_reduce_scatter_hypercube, "reduce-scatter", "hypercube",
       "across the dimensions of a hypercube, the highest first, the data halving",
       "Grama et al. 2003", "log2 p", RB_REVERSED(rb_allgather_hypercube), RB_FOR_RANK,
       RB_ON_HYPERCUBE);

/* ---- Gather ---------------------------------------------------------------------------------- */

/* The binomial scatter read backwards: the parts of a subtree travel together. Source: textbook;
 * Grama et al. 2003, "scatter and gather"; what MPI libraries take. Rounds: ceil(log2 p), optimal.
 * The root receives (p - 1)/p of the data, as it must; all ranks together at most n p ceil(log2 p)
 * / 2 blocks. p = 5: 1 -> 0, 3 -> 2; 2 -> 0 parts 2, 3; 4 -> 0. */
RB_ROW(rb_gather_binomial, "gather", "binomial", "binomial tree, the parts of a subtree together",
       "textbook; Grama et al. 2003", "ceil(log2 p)", RB_REVERSED(rb_scatter_binomial), RB_OF_RANK);

/* The scatter over groups of fan.c read backwards. Source: docs/groups.md. Rounds and volume as
 * there. */
RB_ROW(rb_gather_fan, "gather", "fan",
       "tree over groups, whose ranks receive from several groups at once", "docs/groups.md",
       RB_FAN_ROUNDS, RB_REVERSED_UNPRICED(rb_scatter_fan), RB_OF_RANK,
       .info.radix = "r - 1 groups send to another one in a level", .info.groups = true);

/* The scatter on the Bine tree read backwards: distances double. Source: De Sensi et al. 2025.
 * Rounds: ceil(log2 p), optimal. Volume: the scatter's. p = 5: 2 -> 3, 1 -> 0; 4 -> 0; 3 -> 0 parts
 * 2, 3. */
RB_ROW(rb_gather_bine, "gather", "bine",
       "Bine tree, distances doubling, the parts of a subtree together", "De Sensi et al. 2025",
       "ceil(log2 p)", RB_REVERSED(rb_scatter_bine), RB_OF_RANK);

/* The root receives each other rank's part itself, the last rank's first. Source: textbook. Rounds:
 * p - 1. Volume: n (p - 1) blocks, optimal; nothing is forwarded. p = 3: 2 -> 0; 1 -> 0. */
RB_ROW(rb_gather_flat, "gather", "flat", "the root receives from one rank after the other",
       "textbook", "p - 1", RB_REVERSED(rb_scatter_flat), RB_OF_RANK);

/* The scatter on a ring read backwards. Source: Grama et al. 2003, "scatter and gather"; formula
 * (3). Rounds: ceil(log2 p), optimal. The root receives (p - 1)/p of the data, as it must. p = 5,
 * root 1: 0 -> 1; 2 -> 1, 3 -> 4; 4 -> 1 parts 3, 4. */
RB_ROW(rb_gather_ring, "gather", "ring", "within the parts of a ring of p ranks, then between them",
       "Grama et al. 2003", "ceil(log2 p)", RB_REVERSED(rb_scatter_ring), RB_OF_RANK);

/* The scatter on a mesh read backwards. Source: Grama et al. 2003, "scatter and gather"; formula
 * (3) where a and b are powers of two. Rounds on a rows of b: ceil(log2 a) + ceil(log2 b). The root
 * receives (p - 1)/p of the data, as it must. p = 6 (2 rows of 3), root 0: 1 -> 0, 4 -> 3; 2 -> 0,
 * 5 -> 3; 3 -> 0 parts 3, 4, 5. */
RB_ROW(rb_gather_mesh, "gather", "mesh",
       "within every row of an a x b mesh, then in the root's column", "Grama et al. 2003",
       "ceil(log2 a) + ceil(log2 b)", RB_REVERSED(rb_scatter_mesh), RB_OF_RANK, RB_ON_MESH);

/* The scatter on a hypercube read backwards. Source: Grama et al. 2003, "scatter and gather";
 * formula (3). Rounds: log2 p, p = 2^d. The root receives (p - 1)/p of the data, as it must. p = 4,
 * root 3: 2 -> 3, 0 -> 1; 1 -> 3 parts 0, 1. */
RB_ROW(rb_gather_hypercube, "gather", "hypercube",
       "the dimensions of a hypercube, the lowest first, the data doubling", "Grama et al. 2003",
       "log2 p", RB_REVERSED(rb_scatter_hypercube), RB_OF_RANK, RB_ON_HYPERCUBE);
