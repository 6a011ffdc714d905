/* composed.c - the algorithms that are two others, one after the other: allreduce as reduce-scatter
 * and allgather, or reduce and broadcast; broadcast as scatter and allgather; reduce as
 * reduce-scatter and gather (composed.h). Each is a descriptor and nothing else. */
#include "schedules/patterns/binary.h"
#include "schedules/patterns/grid.h"
#include "schedules/patterns/sequence.h"
#include "schedules/patterns/tree.h"

/* ---- Broadcast ------------------------------------------------------------------------------- */

/* Scatter, then allgather, on a ring. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds: p - 1 + ceil(log2 p). Bytes on the longest path: 2 (p - 1)/p of the message.
 */
const struct rb_algorithm rb_bcast_ring_split = {
    .info = {.collective = "bcast",
             .name = "ring-split",
             .title = "scatter, then allgather, on a ring",
             .paper = "Grama et al. 2003",
             .rounds = "p - 1 + ceil(log2 p)",
             .blocks = "blocks of each of the p shares, which travel together"},
    RB_COMPOSED(rb_scatter_ring, rb_allgather_ring),
};

/* Scatter, then allgather, on a mesh. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds on a rows of b: a + b - 2 + ceil(log2 a) + ceil(log2 b). Bytes on the longest
 * path: 2 (p - 1)/p of the message. */
const struct rb_algorithm rb_bcast_mesh_split = {
    .info = {.collective = "bcast",
             .name = "mesh-split",
             .title = "scatter, then allgather, on an a x b mesh",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2 + ceil(log2 a) + ceil(log2 b)",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_COLUMNS},
    RB_COMPOSED(rb_scatter_mesh, rb_allgather_mesh),
    .supports = rb_mesh_supports,
};

/* Scatter, then allgather, on a hypercube. Source: Grama et al. 2003, "improving performance of
 * operations"; formula (10). Rounds: 2 log2 p. Bytes on the longest path: 2 (p - 1)/p of the
 * message. scatter-doubling is the same for root 0. */
const struct rb_algorithm rb_bcast_hypercube_split = {
    .info = {.collective = "bcast",
             .name = "hypercube-split",
             .title = "scatter, then allgather, on a hypercube",
             .paper = "Grama et al. 2003",
             .rounds = "2 log2 p",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_HYPERCUBE_RANKS},
    RB_COMPOSED(rb_scatter_hypercube, rb_allgather_hypercube),
    .supports = rb_hypercube_supports,
};

/* ---- Reduce ---------------------------------------------------------------------------------- */

/* Reduce-scatter, then gather, on a ring. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds: p - 1 + ceil(log2 p). Bytes on the longest path: 2 (p - 1)/p of the message.
 * Commutative operators only. */
const struct rb_algorithm rb_reduce_ring_split = {
    .info = {.collective = "reduce",
             .name = "ring-split",
             .title = "reduce-scatter, then gather, on a ring",
             .paper = "Grama et al. 2003",
             .rounds = "p - 1 + ceil(log2 p)",
             .blocks = "blocks of each of the p shares, which travel together"},
    RB_COMPOSED(rb_reduce_scatter_ring, rb_gather_ring),
};

/* Reduce-scatter, then gather, on a mesh. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds on a rows of b: a + b - 2 + ceil(log2 a) + ceil(log2 b). Bytes on the longest
 * path: 2 (p - 1)/p of the message. Commutative operators only. */
const struct rb_algorithm rb_reduce_mesh_split = {
    .info = {.collective = "reduce",
             .name = "mesh-split",
             .title = "reduce-scatter, then gather, on an a x b mesh",
             .paper = "Grama et al. 2003",
             .rounds = "a + b - 2 + ceil(log2 a) + ceil(log2 b)",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_COLUMNS},
    RB_COMPOSED(rb_reduce_scatter_mesh, rb_gather_mesh),
    .supports = rb_mesh_supports,
};

/* Reduce-scatter, then gather, on a hypercube. Source: Grama et al. 2003, "improving performance of
 * operations"; formula (10). Rounds: 2 log2 p. Bytes on the longest path: 2 (p - 1)/p of the
 * message. Commutative operators only. */
const struct rb_algorithm rb_reduce_hypercube_split = {
    .info = {.collective = "reduce",
             .name = "hypercube-split",
             .title = "reduce-scatter, then gather, on a hypercube",
             .paper = "Grama et al. 2003",
             .rounds = "2 log2 p",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_HYPERCUBE_RANKS},
    RB_COMPOSED(rb_reduce_scatter_hypercube, rb_gather_hypercube),
    .supports = rb_hypercube_supports,
};

/* ---- Allreduce ------------------------------------------------------------------------------- */

/* Circulant reduce-scatter, then circulant allgather. Source: J. L. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time, 2024, Observation 1.4. Rounds: 2 (n - 1 + q), q = ceil(log2 p).
 * Volume: 2 n (p - 1) blocks sent per rank, of shares of n blocks each: optimal. For n = 1, 2 q
 * rounds. Commutative operators only. Memory of the plan: those of the parts. p = 3, n = 1: two
 * rounds of reduce-scatter, two of allgather. */
const struct rb_algorithm rb_allreduce_circulant = {
    .info = {.collective = "allreduce",
             .name = "circulant",
             .title = "p packed reductions, then p packed broadcasts, on the circulant graph",
             .paper = "Traeff 2024, Observation 1.4",
             .rounds = "2 (n - 1 + ceil(log2 p))",
             .blocks = "pipelined blocks of each of the p shares",
             .pipelined = true,
             .circulant = true},
    RB_COMPOSED(rb_reduce_scatter_circulant, rb_allgather_circulant),
};

/* Bine reduce-scatter, then Bine allgather. Source: De Sensi et al. 2025; the authors' code for any
 * even p. Rounds: 2 ceil(log2 p) for even p, 2 ceil(log2(p - 1)) + 4 for odd p. Volume: 2 n (p - 1)
 * blocks sent per rank, of shares of n blocks each, optimal for even p; for powers of two messages
 * are as long, and between the same ranks, as those of `bine`. Commutative operators only. */
const struct rb_algorithm rb_allreduce_bine_blocks = {
    .info = {.collective = "allreduce",
             .name = "bine-blocks",
             .title = "p shares, reduce-scatter and allgather on Bine butterflies of all ranks",
             .paper = "De Sensi et al. 2025",
             .rounds = "2 ceil(log2 p); 2 ceil(log2(p - 1)) + 4 if p is odd",
             .blocks = "blocks of each of the p shares, which travel together"},
    RB_COMPOSED(rb_reduce_scatter_bine, rb_allgather_bine),
};

/* For ranks that share ports: reduce-scatter and allgather of allgather_hosts.c. Rounds: theirs.
 * Commutative operators only. Memory of the plan: those of the parts. */
const struct rb_algorithm rb_allreduce_hosts = {
    .info = {.collective = "allreduce",
             .name = "hosts",
             .title = "packed reductions, then packed broadcasts, over groups that share a port",
             .paper = "docs/groups.md, on Traeff 2024",
             .rounds = "2 (n + D (ceil(log2 N) - 1) + ceil(log2 K) + F)",
             .blocks = "pipelined blocks of each of the p shares",
             .pipelined = true,
             .groups = true,
             .one_per_port = true},
    RB_COMPOSED_UNPRICED(rb_reduce_scatter_hosts, rb_allgather_hosts),
    .pipeline = rb_composed_pipeline,
};

/* The same for `leaders`. */
const struct rb_algorithm rb_allreduce_leaders = {
    .info = {.collective = "allreduce",
             .name = "leaders",
             .title = "packed reductions, then packed broadcasts, through a leader of each group",
             .paper = "docs/groups.md, on Traeff 2024",
             .rounds = "2 (n + D (ceil(log2 N) - 1) + ceil(log2 K) + F)",
             .blocks = "pipelined blocks of each of the p shares",
             .pipelined = true,
             .groups = true,
             .one_per_port = true},
    RB_COMPOSED_UNPRICED(rb_reduce_scatter_leaders, rb_allgather_leaders),
    .pipeline = rb_composed_pipeline,
};

/* Circulant reduction to rank 0, then circulant broadcast. Source: J. L. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time, 2024, Algorithm 1 and Observation 1.3. Rounds: 2 (n - 1 + q), q =
 * ceil(log2 p). Volume: 2 n (p - 1) blocks in all, optimal, but up to n blocks in and n out at one
 * rank where shares would need 2 (p - 1)/p of them. Under window:w the broadcast of a block starts
 * as soon as rank 0 has it. State per rank: its schedule, twice. Commutative operators only. p = 5,
 * n = 2: four rounds up, four down. */
const struct rb_algorithm rb_allreduce_circulant_reduce_bcast = {
    .info = {.collective = "allreduce",
             .name = "circulant-reduce-bcast",
             .title = "circulant reduction to rank 0, then circulant broadcast",
             .paper = "Traeff 2024, Algorithm 1",
             .rounds = "2 (n - 1 + ceil(log2 p))",
             .blocks = "pipelined blocks",
             .pipelined = true,
             .circulant = true},
    RB_COMPOSED(rb_reduce_circulant, rb_bcast_circulant),
    .pipeline = rb_composed_pipeline,
};

/* Ring reduce-scatter, then ring allgather. Source: textbook; what MPI and machine-learning
 * libraries take for long vectors. Rounds: 2 (p - 1). Volume: 2 n (p - 1) blocks sent per rank, of
 * shares of n blocks each: optimal. Commutative operators only. p = 3: two rounds to the left, two
 * to the right. */
const struct rb_algorithm rb_allreduce_ring = {
    .info = {.collective = "allreduce",
             .name = "ring",
             .title = "partial results go round a ring, then the results",
             .paper = "textbook",
             .rounds = "2 (p - 1)",
             .blocks = "blocks of each of the p shares, which travel together"},
    RB_COMPOSED(rb_reduce_scatter_ring, rb_allgather_ring),
};

/* Binomial reduction to rank 0, then binomial broadcast. Source: textbook. Rounds: 2 ceil(log2 p).
 * Volume: 2 n (p - 1) blocks. Rank order is kept. p = 3: 1 -> 0; 2 -> 0; 0 -> 2; 0 -> 1. */
const struct rb_algorithm rb_allreduce_binomial = {
    .info = {.collective = "allreduce",
             .name = "binomial",
             .title = "binomial tree to rank 0 and back",
             .paper = "textbook",
             .rounds = "2 ceil(log2 p)",
             .blocks = "all blocks travel as one message"},
    RB_COMPOSED(rb_reduce_binomial, rb_bcast_binomial),
    .ordered_for_root_0 = true,
};

/* Every rank sends its vector to rank 0, which sends the result to every rank. Source: textbook;
 * Open MPI's `basic_linear`. Rounds: 2 (p - 1). Volume: 2 n (p - 1) blocks. Commutative operators
 * only. p = 3: 2 -> 0; 1 -> 0; 0 -> 1; 0 -> 2. */
const struct rb_algorithm rb_allreduce_flat = {
    .info = {.collective = "allreduce",
             .name = "flat",
             .title =
                 "rank 0 receives from one rank after the other, and sends to one after the other",
             .paper = "textbook",
             .rounds = "2 (p - 1)",
             .blocks = "all blocks travel as one message"},
    RB_COMPOSED(rb_reduce_flat, rb_bcast_flat),
};

/* Binomial reduction to rank 0, then k-nomial broadcast. Source: Open MPI's `nonoverlapping`, a
 * reduction and a broadcast by the algorithms that the library chooses for these; by its rules they
 * are these two for 64 ranks and more and most sizes. Rounds: ceil(log2 p) + those of the
 * broadcast. Volume: 2 n (p - 1) blocks. Rank order is kept. p = 3: 1 -> 0; 2 -> 0; 0 -> 1; 0 -> 2.
 */
const struct rb_algorithm rb_allreduce_nonoverlapping = {
    .info = {.collective = "allreduce",
             .name = "nonoverlapping",
             .title = "binomial tree to rank 0, then pipelined k-nomial tree",
             .paper = "Open MPI 4.1",
             .rounds = "ceil(log2 p) + " RB_KNOMIAL_ROUNDS,
             .blocks = "pipelined blocks of the broadcast",
             .radix = "r - 1 messages of the broadcast in each digit to base r",
             .pipelined = true},
    RB_COMPOSED(rb_reduce_binomial, rb_bcast_knomial),
    .pipeline = rb_composed_pipeline,
    .partly_pipelined = true,
    .ordered_for_root_0 = true,
};

/* Pipelined chain towards rank 0, then pipelined chain back. Source: textbook. Rounds: 2 (n + p -
 * 2). Volume: 2 n (p - 1) blocks. Rank order is kept. p = 3, n = 1: 2 -> 1; 1 -> 0; 0 -> 1; 1 -> 2.
 */
const struct rb_algorithm rb_allreduce_chain = {
    .info = {.collective = "allreduce",
             .name = "chain",
             .title = "pipelined chain to rank 0 and back",
             .paper = "textbook",
             .rounds = "2 (n + p - 2)",
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_COMPOSED(rb_reduce_chain, rb_bcast_chain),
    .pipeline = rb_composed_pipeline,
    .ordered_for_root_0 = true,
};

/* Pipelined binary tree towards rank 0, then pipelined binary tree back. Source: textbook. Rounds:
 * twice those of the broadcast. Volume: 2 n (p - 1) blocks. Commutative operators only. p = 3, n =
 * 1: 2 -> 0; 1 -> 0; 0 -> 1; 0 -> 2. */
const struct rb_algorithm rb_allreduce_binary = {
    .info = {.collective = "allreduce",
             .name = "binary",
             .title = "pipelined complete binary tree to rank 0 and back",
             .paper = "textbook",
             .rounds = "2 " RB_BINARY_PERIOD " + 2 " RB_BINARY_FIRST RB_BINARY_DEPTH,
             .blocks = "pipelined blocks",
             .pipelined = true},
    RB_COMPOSED(rb_reduce_binary, rb_bcast_binary),
    .pipeline = rb_composed_pipeline,
};

/* Reduce-scatter, then allgather, on a mesh. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds on a rows of b: 2 (a + b - 2). Volume: 2 n (p - 1) blocks sent per rank, of
 * shares of n blocks each: optimal. Commutative operators only. */
const struct rb_algorithm rb_allreduce_mesh_split = {
    .info = {.collective = "allreduce",
             .name = "mesh-split",
             .title = "reduce-scatter, then allgather, on an a x b mesh",
             .paper = "Grama et al. 2003",
             .rounds = "2 (a + b - 2)",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_MESH_RANKS,
             .radix = RB_MESH_COLUMNS},
    RB_COMPOSED(rb_reduce_scatter_mesh, rb_allgather_mesh),
    .supports = rb_mesh_supports,
};

/* Reduce-scatter, then allgather, on a hypercube. Source: Grama et al. 2003, "improving performance
 * of operations"; formula (10). Rounds: 2 log2 p. Volume: 2 n (p - 1) blocks sent per rank, of
 * shares of n blocks each: optimal. Commutative operators only. rabenseifner is the same for these
 * p. */
const struct rb_algorithm rb_allreduce_hypercube_split = {
    .info = {.collective = "allreduce",
             .name = "hypercube-split",
             .title = "reduce-scatter, then allgather, on a hypercube",
             .paper = "Grama et al. 2003",
             .rounds = "2 log2 p",
             .blocks = "blocks of each of the p shares, which travel together",
             .ranks = RB_HYPERCUBE_RANKS},
    RB_COMPOSED(rb_reduce_scatter_hypercube, rb_allgather_hypercube),
    .supports = rb_hypercube_supports,
};
