/* reversed.c - algorithms that are others read backwards: reductions from broadcasts,
 * reduce-scatters from allgathers, gathers from scatters (reversed.h says why). Each is only a
 * descriptor. */
#include "schedules/patterns/binary.h"
#include "schedules/patterns/grid.h"
#include "schedules/patterns/reversal.h"
#include "schedules/patterns/tree.h"

/* ---- Reduce ---------------------------------------------------------------------------------- */

/* Round-optimal pipelined reduction: the circulant broadcast read backwards. Source: J. L. Traeff,
 * Optimal Broadcast Schedules in Logarithmic Time, 2024, Observation 1.3. Rounds: n - 1 + ceil(log2
 * p), optimal. Volume: n (p - 1) blocks, optimal. In broadcast round i, k = i mod q, rank r sends
 * to r + skip[k] and receives from r - skip[k]; here it receives from the former and sends to the
 * latter. The order of the operands is not that of the ranks, so the operator must be commutative.
 * p = 5, n = 2: the table in bcast_circulant.c, from its last line to its first. */
const struct rb_algorithm rb_reduce_circulant = {
    .info = {.collective = "reduce",
             .name = "circulant",
             .title = "round-optimal pipeline on the circulant graph",
             .paper = "Traeff 2024, Observation 1.3",
             .rounds = "n - 1 + ceil(log2 p)",
             .blocks = "pipelined blocks",
             .pipelined = true,
             .circulant = true},
    RB_REVERSED(rb_bcast_circulant),
    .pipeline = rb_reversed_pipeline,
};

/* Pipelined reduction for ranks that share ports: bcast_hosts.c read backwards, so a group takes in
 * and sends out one message in a round. Rounds and volume as there. Commutative operators only. */
const struct rb_algorithm rb_reduce_hosts = {
    .info = {.collective = "reduce",
             .name = "hosts",
             .title = "pipeline inside and over groups that share a port",
             .paper = "docs/groups.md, on Traeff 2024",
             .rounds = "n + max(D (ceil(log2 N) - 1) + E + F, G)",
             .blocks = "pipelined blocks",
             .pipelined = true,
             .groups = true,
             .one_per_port = true},
    RB_REVERSED(rb_bcast_hosts),
    .pipeline = rb_reversed_pipeline,
};

/* The same for `leaders`. */
const struct rb_algorithm rb_reduce_leaders = {
    .info = {.collective = "reduce",
             .name = "leaders",
             .title = "pipeline inside groups, to a leader of each, and over them",
             .paper = "docs/groups.md, on Traeff 2024",
             .rounds = "n + max(D (ceil(log2 N) - 1) + E + F, G)",
             .blocks = "pipelined blocks",
             .pipelined = true,
             .groups = true,
             .one_per_port = true},
    RB_REVERSED(rb_bcast_leaders),
    .pipeline = rb_reversed_pipeline,
};

/* The tree over groups of bcast_fan.c towards the root. Rounds and volume as there. Commutative
 * operators only. */
const struct rb_algorithm rb_reduce_fan = {
    .info = {.collective = "reduce",
             .name = "fan",
             .title = "tree over groups, whose ranks receive from several groups at once",
             .paper = "docs/groups.md",
             .rounds = "at most ceil(log_r N) ceil((r - 1)/J) + (ceil(log_r N) + 1) ceil(log2 K)",
             .blocks = "all blocks travel as one message",
             .radix = "r - 1 groups send to another one in a level",
             .groups = true},
    RB_REVERSED_UNPRICED(rb_bcast_fan),
};

/* The binomial tree towards the root. Source: textbook. Rounds: ceil(log2 p). Volume: n (p - 1)
 * blocks. Rank order is kept for root 0: partial results of neighbours meet, counted from the root.
 * p = 5: 1 -> 0, 3 -> 2; 2 -> 0; 4 -> 0. */
const struct rb_algorithm rb_reduce_binomial = {
    .info = {.collective = "reduce",
             .name = "binomial",
             .title = "binomial tree, the whole message at once",
             .paper = "textbook; Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks travel as one message"},
    RB_REVERSED(rb_bcast_binomial),
    .ordered_for_root_0 = true,
};

/* The pipelined chain towards the root. Source: textbook. Rounds: n + p - 2. Volume: n (p - 1)
 * blocks. Rank order is kept for root 0: partial results of neighbours meet, counted from the root.
 * p = 3, n = 2: 2 -> 1 block 1; 2 -> 1 block 0, 1 -> 0 block 1; 1 -> 0 block 0. */
const struct rb_algorithm rb_reduce_chain = {
    .info = {.collective = "reduce",
             .name = "chain",
             .title = "pipelined chain, from the last rank to the root",
             .paper = "textbook",
             .rounds = "n + p - 2",
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_REVERSED(rb_bcast_chain),
    .pipeline = rb_reversed_pipeline,
    .ordered_for_root_0 = true,
};

/* The pipelined binary tree towards the root. Source: textbook. Rounds: those of the broadcast.
 * Volume: n (p - 1) blocks. A rank combines its children's results with its own, which are not its
 * neighbours': commutative operators only. p = 3, n = 1: 2 -> 0; 1 -> 0. */
const struct rb_algorithm rb_reduce_binary = {
    .info = {.collective = "reduce",
             .name = "binary",
             .title = "pipelined complete binary tree",
             .paper = "textbook",
             .rounds = RB_BINARY_PERIOD " + " RB_BINARY_FIRST RB_BINARY_DEPTH,
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_REVERSED(rb_bcast_binary),
    .pipeline = rb_reversed_pipeline,
};

/* The k-nomial tree towards the root. Source: MPICH's and Open MPI's trees (bcast_knomial.c); with
 * radix 2 Open MPI's `binomial` (in-order binomial tree), with n blocks as its segments. Rounds and
 * volume: those of the broadcast. Rank order is kept for radix 2 and root 0 only, where the partial
 * results of neighbours meet; `binomial` does so. p = 6, r = 3, n = 1: 2 -> 0, 5 -> 3; 1 -> 0, 4 ->
 * 3; 3 -> 0. */
const struct rb_algorithm rb_reduce_knomial = {
    .info = {.collective = "reduce",
             .name = "knomial",
             .title = "pipelined k-nomial tree, the nearest ranks first",
             .paper = "Open MPI 6.0; MPICH 4.0",
             .rounds = RB_KNOMIAL_ROUNDS,
             .blocks = "pipelined blocks",
             .radix = "r - 1 messages in each digit to base r",
             .pipelined = true},
    RB_REVERSED(rb_bcast_knomial),
    .pipeline = rb_reversed_pipeline,
};

/* Several pipelined chains towards the root. Source: Open MPI's `chain` (bcast_chains.c). Rounds
 * and volume: those of the broadcast. The root receives a block from the last chain first, where
 * Open MPI's receives it from the first: commutative operators only. p = 6, r = 2, n = 1: 3 -> 2, 5
 * -> 4; 4 -> 0, 2 -> 1; 1 -> 0. */
const struct rb_algorithm rb_reduce_chains = {
    .info = {.collective = "reduce",
             .name = "chains",
             .title = "several pipelined chains towards the root",
             .paper = "Open MPI 4.1",
             .rounds = RB_CHAINS_ROUNDS,
             .blocks = "pipelined blocks",
             .radix = "number of chains",
             .pipelined = true},
    RB_REVERSED(rb_bcast_chains),
    .pipeline = rb_reversed_pipeline,
};

/* Every rank sends the whole message to the root, the last rank first. Source: textbook. Rounds: p
 * - 1. Volume: n (p - 1) blocks. The last rank's data are combined with the root's first:
 * commutative operators only. p = 3: 2 -> 0; 1 -> 0. */
const struct rb_algorithm rb_reduce_flat = {
    .info = {.collective = "reduce",
             .name = "flat",
             .title = "the root receives from one rank after the other",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks travel as one message"},
    RB_REVERSED(rb_bcast_flat),
};

/* The broadcast on the Bine tree read backwards: distances double. Source: De Sensi et al. 2025.
 * Rounds: ceil(log2 p). Volume: n (p - 1) blocks. Neighbouring intervals meet, but they go round
 * from rank p - 1 to rank 0: commutative operators only. p = 5: 2 -> 3, 1 -> 0; 4 -> 0; 3 -> 0. */
const struct rb_algorithm rb_reduce_bine = {
    .info = {.collective = "reduce",
             .name = "bine",
             .title = "Bine tree, distances doubling, partial results as a whole",
             .paper = "De Sensi et al. 2025",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks travel as one message"},
    RB_REVERSED(rb_bcast_bine),
};

/* The broadcast on a ring read backwards. Source: Grama et al. 2003, "all-to-one reduction".
 * Rounds: ceil(log2 p). Volume: n (p - 1) blocks. Rank order is kept for any root: the partial
 * results of neighbours meet. p = 5, root 1: 0 -> 1; 2 -> 1, 3 -> 4; 4 -> 1. */
const struct rb_algorithm rb_reduce_ring = {
    .info = {.collective = "reduce",
             .name = "ring",
             .title = "within the parts of a ring of p ranks, then between them",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks travel as one message"},
    RB_REVERSED(rb_bcast_ring),
    .ordered_for_every_root = true,
};

/* The broadcast on a mesh read backwards. Source: Grama et al. 2003, "broadcast and reduction on a
 * mesh". Rounds on a rows of b: ceil(log2 a) + ceil(log2 b). Volume: n (p - 1) blocks. Rank order
 * is kept for any root: rows are combined, then their results. p = 6 (2 rows of 3), root 0: 1 -> 0,
 * 4 -> 3; 2 -> 0, 5 -> 3; 3 -> 0. */
const struct rb_algorithm rb_reduce_mesh = {
    .info = {.collective = "reduce",
             .name = "mesh",
             .title = "within every row of an a x b mesh, then in the root's column",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 a) + ceil(log2 b)",
             .blocks = "all blocks travel as one message",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_COLUMNS},
    RB_REVERSED(rb_bcast_mesh),
    .supports = rb_mesh_supports,
    .ordered_for_every_root = true,
};

/* The broadcast on a hypercube read backwards. Source: Grama et al. 2003, procedure
 * ALL_TO_ONE_REDUCE; formula (1). Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks. Rank order is
 * kept for any root: subcubes of neighbouring numbers meet. p = 4, root 3: 2 -> 3, 0 -> 1; 1 -> 3.
 */
const struct rb_algorithm rb_reduce_hypercube = {
    .info = {.collective = "reduce",
             .name = "hypercube",
             .title = "the dimensions of a hypercube, the lowest first",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS},
    RB_REVERSED(rb_bcast_hypercube),
    .supports = rb_hypercube_supports,
    .ordered_for_every_root = true,
};

/* The broadcast on a balanced binary tree read backwards. Source: Grama et al. 2003, "broadcast and
 * reduction on a balanced binary tree"; formula (1). Rounds: log2 p, p = 2^d. Volume: n (p - 1)
 * blocks. Rank order is kept for any root: neighbouring subtrees meet. p = 4, root 0: 1 -> 0, 3 ->
 * 2; 2 -> 0. */
const struct rb_algorithm rb_reduce_tree = {
    .info = {.collective = "reduce",
             .name = "tree",
             .title = "within the subtrees of a balanced binary tree, then between them",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks travel as one message",
             .ranks = RB_HYPERCUBE_RANKS},
    RB_REVERSED(rb_bcast_tree),
    .supports = rb_hypercube_supports,
    .ordered_for_every_root = true,
};

/* ---- Reduce-scatter -------------------------------------------------------------------------- */

/* The packed circulant allgather read backwards. Source: J. L. Traeff, Optimal Broadcast Schedules
 * in Logarithmic Time, 2024, Observation 1.4. Rounds: n - 1 + ceil(log2 p); for n = 1 that is
 * ceil(log2 p) rounds in which a rank sends, receives and combines p - 1 blocks, the least
 * possible. Commutative operators only. Memory of the plan: that of the allgather. p = 3, n = 1:
 * round 0: r sends its contribution for r + 1 to r + 1; round 1: for r + 2 to r + 2, in the
 * backward direction of the graph. */
const struct rb_algorithm rb_reduce_scatter_circulant = {
    .info = {.collective = "reduce-scatter",
             .name = "circulant",
             .title = "p packed reductions on the circulant graph",
             .paper = "Traeff 2024, Observation 1.4",
             .rounds = "n - 1 + ceil(log2 p)",
             .blocks = "pipelined blocks for every rank",
             .pipelined = true,
             .circulant = true},
    RB_REVERSED(rb_allgather_circulant),
};

/* bcast_hosts.c's packed relative, allgather_hosts.c, read backwards. Rounds and volume as there.
 * Commutative operators only. */
const struct rb_algorithm rb_reduce_scatter_hosts = {
    .info = {.collective = "reduce-scatter",
             .name = "hosts",
             .title = "packed reductions over groups that share a port",
             .paper = "docs/groups.md, on Traeff 2024",
             .rounds = "n + D (ceil(log2 N) - 1) + ceil(log2 K) + F",
             .blocks = "pipelined blocks of every rank",
             .pipelined = true,
             .groups = true,
             .one_per_port = true},
    RB_REVERSED_UNPRICED(rb_allgather_hosts),
    .pipeline = rb_reversed_pipeline,
};

/* The same for `leaders`. */
const struct rb_algorithm rb_reduce_scatter_leaders = {
    .info = {.collective = "reduce-scatter",
             .name = "leaders",
             .title = "packed reductions over groups, through a leader of each",
             .paper = "docs/groups.md, on Traeff 2024",
             .rounds = "n + D (ceil(log2 N) - 1) + ceil(log2 K) + F",
             .blocks = "pipelined blocks of every rank",
             .pipelined = true,
             .groups = true,
             .one_per_port = true},
    RB_REVERSED_UNPRICED(rb_allgather_leaders),
    .pipeline = rb_reversed_pipeline,
};

/* The ring allgather read backwards: partial results go round and grow. Source: textbook; what MPI
 * libraries take for long messages. Rounds: p - 1. Volume: n (p - 1) blocks sent per rank, optimal.
 * A partial result starts at its owner's left neighbour and goes left, so the order is cyclic:
 * commutative operators only. p = 3: two rounds, each to the left neighbour. */
const struct rb_algorithm rb_reduce_scatter_ring = {
    .info = {.collective = "reduce-scatter",
             .name = "ring",
             .title = "partial results go round a ring",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks for a rank travel together"},
    RB_REVERSED(rb_allgather_ring),
};

/* The pipelined ring allgather read backwards. Source: the allgather's. Rounds: n + p - 2. Volume:
 * n (p - 1) blocks sent per rank, optimal. The order is cyclic: commutative operators only. p = 3,
 * n = 2: the allgather's rounds 2, 1, 0. */
const struct rb_algorithm rb_reduce_scatter_pipelined_ring = {
    .info = {.collective = "reduce-scatter",
             .name = "pipelined-ring",
             .title = "a chain towards every rank, all at once round a ring",
             .paper = "Traeff et al. 2010, reversed",
             .rounds = "n + p - 2",
             .blocks = "pipelined blocks for every rank",
             .pipelined = true},
    RB_REVERSED(rb_allgather_pipelined_ring),
};

/* The dissemination allgather read backwards. Source: the allgather's. Rounds: ceil(log2 p),
 * optimal. Volume: n (p - 1) blocks sent per rank, optimal. Commutative operators only. p = 5: the
 * allgather's round 2, then 1, then 0, with what was received sent. */
const struct rb_algorithm rb_reduce_scatter_dissemination = {
    .info = {.collective = "reduce-scatter",
             .name = "dissemination",
             .title = "the data that a rank forwards halve in every round",
             .paper = "Bruck et al. 1997, reversed",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks for a rank travel together"},
    RB_REVERSED(rb_allgather_dissemination),
};

/* The allgather by recursive doubling read backwards. Source: textbook; Thakur, Rabenseifner, Gropp
 * 2005. Rounds: log2 p; floor(log2 p) + 2 if p is no power of two. Volume: n (p - 1) blocks sent
 * per rank, optimal. Partners are far apart first: commutative operators only. p = 5: 1 -> 0; 0 <->
 * 3, 2 <-> 4; 0 <-> 2, 3 <-> 4; 0 -> 1. */
const struct rb_algorithm rb_reduce_scatter_recursive_halving = {
    .info = {.collective = "reduce-scatter",
             .name = "recursive-halving",
             .title = "exchanges along the dimensions of a hypercube, halving the data",
             .paper = "textbook; Thakur et al. 2005",
             .rounds = "log2 p; floor(log2 p) + 2 if p is no power of two",
             .blocks = "all blocks for a rank travel together"},
    RB_REVERSED(rb_allgather_recursive_doubling),
};

/* The allgather on a Bine butterfly read backwards: distances double, and the data halve. Source:
 * De Sensi et al. 2025. Rounds: ceil(log2 p) for even p, ceil(log2(p - 1)) + 2 for odd p. Volume: n
 * (p - 1) blocks sent per rank, optimal. Commutative operators only. p = 4: 0 <-> 1, 2 <-> 3; 0 <->
 * 3, 1
 * <-> 2. */
const struct rb_algorithm rb_reduce_scatter_bine = {
    .info = {.collective = "reduce-scatter",
             .name = "bine",
             .title = "exchanges on a Bine butterfly, distances doubling, halving the data",
             .paper = "De Sensi et al. 2025",
             .rounds = "ceil(log2 p); ceil(log2(p - 1)) + 2 if p is odd",
             .blocks = "all blocks for a rank travel together"},
    RB_REVERSED(rb_allgather_bine),
};

/* The pairwise allgather read backwards. Source: textbook; MPI libraries' "pairwise". Rounds: p -
 * 1. Volume: n (p - 1) blocks sent per rank, optimal. Contributions arrive from r + p - 1, r + p -
 * 2, ..., r + 1 in this order: commutative operators only. p = 3: to the left neighbour, then to
 * the right one. */
const struct rb_algorithm rb_reduce_scatter_pairwise = {
    .info = {.collective = "reduce-scatter",
             .name = "pairwise",
             .title = "each rank sends its data directly to their destinations",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks for a rank travel together"},
    RB_REVERSED(rb_allgather_pairwise),
};

/* A binomial reduction to rank 0, then a flat scatter: the gather-bcast allgather read backwards.
 * Source: Open MPI's `non-overlapping`, a reduction by the algorithm that the library chooses, and
 * a linear scatter. Rounds: p - 1 + ceil(log2 p). Volume: n (p - 1) blocks sent per rank; rank 0
 * sends and receives more than its share. A rank keeps its partial result for itself, which the
 * library sends to rank 0, and combines it with what it gets from there: commutative operators
 * only. p = 3: 1 -> 0 its contributions for 0 and 2; 2 -> 0 those for 0 and 1; 0 -> 2; 0 -> 1. */
const struct rb_algorithm rb_reduce_scatter_nonoverlapping = {
    .info = {.collective = "reduce-scatter",
             .name = "nonoverlapping",
             .title = "a binomial reduction to rank 0, then a flat scatter",
             .paper = "textbook; Open MPI 4.1",
             .rounds = "p - 1 + ceil(log2 p)",
             .blocks = "all blocks for a rank travel together"},
    RB_REVERSED(rb_allgather_gather_bcast),
};

/* The allgather on a mesh read backwards: partial results go round the columns, then round the
 * rows. Source: Grama et al. 2003, "all-to-all reduction". Rounds on a rows of b: a + b - 2.
 * Volume: n (p - 1) blocks sent per rank, optimal. The order is cyclic on each line: commutative
 * operators only. p = 6 (2 rows of 3): one round along the columns, two along the rows. */
const struct rb_algorithm rb_reduce_scatter_mesh = {
    .info = {.collective = "reduce-scatter",
             .name = "mesh",
             .title = "partial results round the columns of an a x b mesh, then round its rows",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_COLUMNS},
    RB_REVERSED(rb_allgather_mesh),
    .supports = rb_mesh_supports,
};

/* The allgather on a hypercube read backwards, the data halving. Source: Grama et al. 2003,
 * "all-to-all reduction"; formula (2). Rounds: log2 p, p = 2^d. Volume: n (p - 1) blocks sent per
 * rank, optimal. Partners are far apart first: commutative operators only. p = 4: 0 <-> 2, 1 <-> 3;
 * 0 <-> 1, 2 <-> 3. recursive-halving is the same for these p. */
const struct rb_algorithm rb_reduce_scatter_hypercube = {
    .info = {.collective = "reduce-scatter",
             .name = "hypercube",
             .title = "across the dimensions of a hypercube, the highest first, the data halving",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks for a rank travel together",
             .ranks = RB_HYPERCUBE_RANKS},
    RB_REVERSED(rb_allgather_hypercube),
    .supports = rb_hypercube_supports,
};

/* ---- Gather ---------------------------------------------------------------------------------- */

/* The binomial scatter read backwards: the parts of a subtree travel together. Source: textbook;
 * Grama et al. 2003, "scatter and gather"; what MPI libraries take. Rounds: ceil(log2 p), optimal.
 * The root receives (p - 1)/p of the data, as it must; all ranks together at most n p ceil(log2 p)
 * / 2 blocks. p = 5: 1 -> 0, 3 -> 2; 2 -> 0 parts 2, 3; 4 -> 0. */
const struct rb_algorithm rb_gather_binomial = {
    .info = {.collective = "gather",
             .name = "binomial",
             .title = "binomial tree, the parts of a subtree together",
             .paper = "textbook; Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks of a rank travel together"},
    RB_REVERSED(rb_scatter_binomial),
};

/* The scatter on the Bine tree read backwards: distances double. Source: De Sensi et al. 2025.
 * Rounds: ceil(log2 p), optimal. Volume: the scatter's. p = 5: 2 -> 3, 1 -> 0; 4 -> 0; 3 -> 0 parts
 * 2, 3. */
const struct rb_algorithm rb_gather_bine = {
    .info = {.collective = "gather",
             .name = "bine",
             .title = "Bine tree, distances doubling, the parts of a subtree together",
             .paper = "De Sensi et al. 2025",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks of a rank travel together"},
    RB_REVERSED(rb_scatter_bine),
};

/* The root receives each other rank's part itself, the last rank's first. Source: textbook. Rounds:
 * p - 1. Volume: n (p - 1) blocks, optimal; nothing is forwarded. p = 3: 2 -> 0; 1 -> 0. */
const struct rb_algorithm rb_gather_flat = {
    .info = {.collective = "gather",
             .name = "flat",
             .title = "the root receives from one rank after the other",
             .paper = "textbook",
             .rounds = "p - 1",
             .blocks = "all blocks of a rank travel together"},
    RB_REVERSED(rb_scatter_flat),
};

/* The scatter on a ring read backwards. Source: Grama et al. 2003, "scatter and gather"; formula
 * (3). Rounds: ceil(log2 p), optimal. The root receives (p - 1)/p of the data, as it must. p = 5,
 * root 1: 0 -> 1; 2 -> 1, 3 -> 4; 4 -> 1 parts 3, 4. */
const struct rb_algorithm rb_gather_ring = {
    .info = {.collective = "gather",
             .name = "ring",
             .title = "within the parts of a ring of p ranks, then between them",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks of a rank travel together"},
    RB_REVERSED(rb_scatter_ring),
};

/* The scatter on a mesh read backwards. Source: Grama et al. 2003, "scatter and gather"; formula
 * (3) where a and b are powers of two. Rounds on a rows of b: ceil(log2 a) + ceil(log2 b). The root
 * receives (p - 1)/p of the data, as it must. p = 6 (2 rows of 3), root 0: 1 -> 0, 4 -> 3; 2 -> 0,
 * 5 -> 3; 3 -> 0 parts 3, 4, 5. */
const struct rb_algorithm rb_gather_mesh = {
    .info = {.collective = "gather",
             .name = "mesh",
             .title = "within every row of an a x b mesh, then in the root's column",
             .paper = "Grama et al. 2003",
             .rounds = "ceil(log2 a) + ceil(log2 b)",
             .blocks = "all blocks of a rank travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_COLUMNS},
    RB_REVERSED(rb_scatter_mesh),
    .supports = rb_mesh_supports,
};

/* The scatter on a hypercube read backwards. Source: Grama et al. 2003, "scatter and gather";
 * formula (3). Rounds: log2 p, p = 2^d. The root receives (p - 1)/p of the data, as it must. p = 4,
 * root 3: 2 -> 3, 0 -> 1; 1 -> 3 parts 0, 1. */
const struct rb_algorithm rb_gather_hypercube = {
    .info = {.collective = "gather",
             .name = "hypercube",
             .title = "the dimensions of a hypercube, the lowest first, the data doubling",
             .paper = "Grama et al. 2003",
             .rounds = "log2 p",
             .blocks = "all blocks of a rank travel together",
             .ranks = RB_HYPERCUBE_RANKS},
    RB_REVERSED(rb_scatter_hypercube),
    .supports = rb_hypercube_supports,
};
