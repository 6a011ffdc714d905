/* composed.c - the algorithms that are two others, one after the other: allreduce as reduce-scatter
 * and allgather, or reduce and broadcast; broadcast as scatter and allgather; reduce as
 * reduce-scatter and gather (sequence.h). Each is a row (schedules/plan/plan.h) and nothing else.
 */
#include "schedules/circulant/rails.h"
#include "schedules/patterns/grid.h"
#include "schedules/patterns/sequence.h"
#include "schedules/patterns/tree.h"
#include "schedules/plan/plan.h"

/* ---- Broadcast ------------------------------------------------------------------------------- */

/* Scatter, then allgather, on a ring. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds: p - 1 + ceil(log2 p). Bytes on the longest path: 2 (p - 1)/p of the message.
 */
RB_ROW(rb_bcast_ring_split, "bcast", "ring-split", "scatter, then allgather, on a ring",
       "Grama et al. 2003", "p - 1 + ceil(log2 p)", RB_COMPOSED(rb_scatter_ring, rb_allgather_ring),
       RB_SHARES);

/* Scatter, then allgather, on a mesh. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds on a rows of b: a + b - 2 + ceil(log2 a) + ceil(log2 b). Bytes on the longest
 * path: 2 (p - 1)/p of the message. */
RB_ROW(rb_bcast_mesh_split, "bcast", "mesh-split", "scatter, then allgather, on an a x b mesh",
       "Grama et al. 2003", "a + b - 2 + ceil(log2 a) + ceil(log2 b)",
       RB_COMPOSED(rb_scatter_mesh, rb_allgather_mesh), RB_SHARES, RB_ON_MESH);

/* Scatter, then allgather, on a hypercube. Source: Grama et al. 2003, "improving performance of
 * operations"; formula (10). Rounds: 2 log2 p. Bytes on the longest path: 2 (p - 1)/p of the
 * message. scatter-doubling is the same for root 0. */
RB_ROW(rb_bcast_hypercube_split, "bcast", "hypercube-split",
       "scatter, then allgather, on a hypercube", "Grama et al. 2003", "2 log2 p",
       RB_COMPOSED(rb_scatter_hypercube, rb_allgather_hypercube), RB_SHARES, RB_ON_HYPERCUBE);

/* Scatter, then allgather, on a torus: as hypercube-split, but round rings of neighbours, dimension
 * by dimension, where the groups are rows and planes (allgather_exchange.c). The messages that go
 * far are those of the scatter, which are short but for the first few. Source: this project;
 * docs/textbook.md, "Broadcast on a torus". Rounds: ceil(log2 p) + those of the allgather. Bytes on
 * the longest path: 2 (p - 1)/p of the message where groups have equal sizes. */
RB_ROW(rb_bcast_rings_split, "bcast", "rings-split",
       "scatter, then allgather, round rings of groups of groups", "docs/textbook.md",
       "at most ceil(log2 p) + N + K + ceil(K/J) - 2",
       RB_COMPOSED_UNPRICED(rb_scatter_binomial, rb_allgather_exchange_rings), RB_SHARES,
       .info.groups = true, .info.places = true);

/* ---- Reduce ---------------------------------------------------------------------------------- */

/* Reduce-scatter, then gather, on a ring. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds: p - 1 + ceil(log2 p). Bytes on the longest path: 2 (p - 1)/p of the message.
 * Commutative operators only. */
RB_ROW(rb_reduce_ring_split, "reduce", "ring-split", "reduce-scatter, then gather, on a ring",
       "Grama et al. 2003", "p - 1 + ceil(log2 p)",
       RB_COMPOSED(rb_reduce_scatter_ring, rb_gather_ring), RB_SHARES);

/* Reduce-scatter, then gather, on a mesh. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds on a rows of b: a + b - 2 + ceil(log2 a) + ceil(log2 b). Bytes on the longest
 * path: 2 (p - 1)/p of the message. Commutative operators only. */
RB_ROW(rb_reduce_mesh_split, "reduce", "mesh-split",
       "reduce-scatter, then gather, on an a x b mesh", "Grama et al. 2003",
       "a + b - 2 + ceil(log2 a) + ceil(log2 b)",
       RB_COMPOSED(rb_reduce_scatter_mesh, rb_gather_mesh), RB_SHARES, RB_ON_MESH);

/* Reduce-scatter, then gather, on a hypercube. Source: Grama et al. 2003, "improving performance of
 * operations"; formula (10). Rounds: 2 log2 p. Bytes on the longest path: 2 (p - 1)/p of the
 * message. Commutative operators only. */
RB_ROW(rb_reduce_hypercube_split, "reduce", "hypercube-split",
       "reduce-scatter, then gather, on a hypercube", "Grama et al. 2003", "2 log2 p",
       RB_COMPOSED(rb_reduce_scatter_hypercube, rb_gather_hypercube), RB_SHARES, RB_ON_HYPERCUBE);

/* Reduce-scatter, then gather, on a torus: the broadcast read backwards. Source: this project;
 * docs/textbook.md, "Broadcast on a torus". Rounds and bytes: the broadcast's. Commutative
 * operators only. */
RB_ROW(rb_reduce_rings_split, "reduce", "rings-split",
       "reduce-scatter, then gather, round rings of groups of groups", "docs/textbook.md",
       "at most N + K + ceil(K/J) - 2 + ceil(log2 p)",
       RB_COMPOSED_UNPRICED(rb_reduce_scatter_exchange_rings, rb_gather_binomial), RB_SHARES,
       .info.groups = true, .info.places = true);

/* ---- Allreduce ------------------------------------------------------------------------------- */

/* Circulant reduce-scatter, then circulant allgather. Source: J. L. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time, 2024, Observation 1.4. Rounds: 2 (n - 1 + q), q = ceil(log2 p).
 * Volume: 2 n (p - 1) blocks sent per rank, of shares of n blocks each: optimal. For n = 1, 2 q
 * rounds. Commutative operators only. Memory of the plan: those of the parts. p = 3, n = 1: two
 * rounds of reduce-scatter, two of allgather. */
RB_ROW(rb_allreduce_circulant, "allreduce", "circulant",
       "p packed reductions, then p packed broadcasts, on the circulant graph",
       "Traeff 2024, Observation 1.4", "2 (n - 1 + ceil(log2 p))",
       RB_COMPOSED(rb_reduce_scatter_circulant, rb_allgather_circulant),
       RB_PIPELINED(" of each of the p shares"), .info.circulant = true);

/* Bine reduce-scatter, then Bine allgather. Source: De Sensi et al. 2025; the authors' code for any
 * even p. Rounds: 2 ceil(log2 p) for even p, 2 ceil(log2(p - 1)) + 4 for odd p. Volume: 2 n (p - 1)
 * blocks sent per rank, of shares of n blocks each, optimal for even p; for powers of two messages
 * are as long, and between the same ranks, as those of `bine`. Commutative operators only. */
RB_ROW(rb_allreduce_bine_blocks, "allreduce", "bine-blocks",
       "p shares, reduce-scatter and allgather on Bine butterflies of all ranks",
       "De Sensi et al. 2025", "2 ceil(log2 p); 2 ceil(log2(p - 1)) + 4 if p is odd",
       RB_COMPOSED(rb_reduce_scatter_bine, rb_allgather_bine), RB_SHARES);

/* For ranks that share ports: reduce-scatter and allgather by `leaders`. Rounds: theirs.
 * Commutative operators only. Memory of the plan: those of the parts. */
RB_ROW(rb_allreduce_leaders, "allreduce", "leaders",
       "packed reductions, then packed broadcasts, through a leader of each group",
       "docs/groups.md, on Traeff 2024", "2 (n + D (ceil(log2 N) - 1) + ceil(log2 K) + F)",
       RB_COMPOSED_UNPRICED(rb_reduce_scatter_leaders, rb_allgather_leaders),
       RB_PIPELINED(" of each of the p shares"), RB_BY_GROUPS, .pipeline = rb_composed_pipeline);

/* On rails: reduce-scatter and allgather of allgather_rails.c. Rounds: theirs. Commutative
 * operators only. Memory of the plan: those of the parts. */
RB_ROW(rb_allreduce_rails, "allreduce", "rails",
       "packed reductions, then packed broadcasts, over nodes with a NIC per rank",
       "docs/rails.md, on Traeff 2024",
       "2 (n - 1 + ceil(log2 N) + min(1, K - 1) + min(1, (N - 1) (K - L)))",
       RB_COMPOSED_UNPRICED(rb_reduce_scatter_rails, rb_allgather_rails),
       RB_PIPELINED(" of each of the p shares"), RB_ON_RAILS, RB_LANES,
       .pipeline = rb_composed_pipeline);

/* The same for `rails-direct`. */
RB_ROW(rb_allreduce_rails_direct, "allreduce", "rails-direct",
       "reduce-scatter, then allgather, by ranks that send to all nodes at once", "docs/rails.md",
       "2 (n - 1 + min(1, N - 1) + min(1, K - 1) + min(1, (N - 1) (K - L)))",
       RB_COMPOSED_UNPRICED(rb_reduce_scatter_rails_direct, rb_allgather_rails_direct),
       RB_PIPELINED(" of each of the p shares"), RB_ON_RAILS_DIRECTLY, RB_LANES,
       .pipeline = rb_composed_pipeline);

/* Circulant reduction to rank 0, then circulant broadcast. Source: J. L. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time, 2024, Algorithm 1 and Observation 1.3. Rounds: 2 (n - 1 + q), q =
 * ceil(log2 p). Volume: 2 n (p - 1) blocks in all, optimal, but up to n blocks in and n out at one
 * rank where shares would need 2 (p - 1)/p of them. Under window:w the broadcast of a block starts
 * as soon as rank 0 has it. State per rank: its schedule, twice. Commutative operators only. p = 5,
 * n = 2: four rounds up, four down. */
RB_ROW(rb_allreduce_circulant_reduce_bcast, "allreduce", "circulant-reduce-bcast",
       "circulant reduction to rank 0, then circulant broadcast", "Traeff 2024, Algorithm 1",
       "2 (n - 1 + ceil(log2 p))", RB_COMPOSED(rb_reduce_circulant, rb_bcast_circulant),
       RB_PIPELINED(""), .info.circulant = true, .pipeline = rb_composed_pipeline);

/* Ring reduce-scatter, then ring allgather. Source: textbook; what MPI and machine-learning
 * libraries take for long vectors. Rounds: 2 (p - 1). Volume: 2 n (p - 1) blocks sent per rank, of
 * shares of n blocks each: optimal. Commutative operators only. p = 3: two rounds to the left, two
 * to the right. */
RB_ROW(rb_allreduce_ring, "allreduce", "ring", "partial results go round a ring, then the results",
       "textbook", "2 (p - 1)", RB_COMPOSED(rb_reduce_scatter_ring, rb_allgather_ring), RB_SHARES);

/* Reduce-scatter, then allgather, on a ring per port: multi_ring.c. Rounds: 2 (p - 1). Volume: 2 c
 * n (p - 1) blocks sent per rank, of p shares of n blocks on each of c rings: optimal. Commutative
 * operators only. */
RB_ROW(rb_allreduce_multi_ring, "allreduce", "multi-ring",
       "a ring per port, each through the ranks of a group from another one on", "Hu et al. 2025",
       "2 (p - 1)", RB_COMPOSED(rb_reduce_scatter_multi_ring, rb_allgather_multi_ring),
       .info.blocks = "blocks of each share on each ring, which travel together", RB_BY_GROUPS);

/* Binomial reduction to rank 0, then binomial broadcast. Source: textbook. Rounds: 2 ceil(log2 p).
 * Volume: 2 n (p - 1) blocks. Rank order is kept. p = 3: 1 -> 0; 2 -> 0; 0 -> 2; 0 -> 1. */
RB_ROW(rb_allreduce_binomial, "allreduce", "binomial", "binomial tree to rank 0 and back",
       "textbook", "2 ceil(log2 p)", RB_COMPOSED(rb_reduce_binomial, rb_bcast_binomial), RB_AT_ONCE,
       .ordered_for_root_0 = true);

/* Every rank sends its vector to rank 0, which sends the result to every rank. Source: textbook;
 * Open MPI's `basic_linear`. Rounds: 2 (p - 1). Volume: 2 n (p - 1) blocks. Commutative operators
 * only. p = 3: 2 -> 0; 1 -> 0; 0 -> 1; 0 -> 2. */
RB_ROW(rb_allreduce_flat, "allreduce", "flat",
       "rank 0 receives from one rank after the other, and sends to one after the other",
       "textbook", "2 (p - 1)", RB_COMPOSED(rb_reduce_flat, rb_bcast_flat), RB_AT_ONCE);

/* Binomial reduction to rank 0, then k-nomial broadcast. Source: Open MPI's `nonoverlapping`, a
 * reduction and a broadcast by the algorithms that the library chooses for these; by its rules they
 * are these two for 64 ranks and more and most sizes. Rounds: ceil(log2 p) + those of the
 * broadcast. Volume: 2 n (p - 1) blocks. Rank order is kept. p = 3: 1 -> 0; 2 -> 0; 0 -> 1; 0 -> 2.
 */
RB_ROW(rb_allreduce_nonoverlapping, "allreduce", "nonoverlapping",
       "binomial tree to rank 0, then pipelined k-nomial tree", "Open MPI 4.1",
       "ceil(log2 p) + " RB_KNOMIAL_ROUNDS, RB_COMPOSED(rb_reduce_binomial, rb_bcast_knomial),
       RB_PIPELINED(" of the broadcast"),
       .info.radix = "r - 1 messages of the broadcast in each digit to base r",
       .pipeline = rb_composed_pipeline, .partly_pipelined = true, .ordered_for_root_0 = true);

/* The same with a binary tree or a chain down, as Open MPI's rules take them for 128 ranks and 2
 * bytes to 64 KiB. Rounds: ceil(log2 p) + those of the broadcast. Volume: 2 n (p - 1) blocks. Rank
 * order is kept. p = 3: 1 -> 0; 2 -> 0; 0 -> 1; 0 -> 2, and 1 -> 0; 2 -> 0; 0 -> 1; 1 -> 2. */
RB_ROW(rb_allreduce_binomial_binary, "allreduce", "binomial-binary",
       "binomial tree to rank 0, then pipelined complete binary tree", "Open MPI 4.1",
       "ceil(log2 p) + " RB_BINARY_PERIOD " + " RB_BINARY_FIRST RB_BINARY_DEPTH,
       RB_COMPOSED(rb_reduce_binomial, rb_bcast_binary), RB_PIPELINED(" of the broadcast"),
       .pipeline = rb_composed_pipeline, .partly_pipelined = true, .ordered_for_root_0 = true);
RB_ROW(rb_allreduce_binomial_chain, "allreduce", "binomial-chain",
       "binomial tree to rank 0, then pipelined chain", "Open MPI 4.1", "ceil(log2 p) + n + p - 2",
       RB_COMPOSED(rb_reduce_binomial, rb_bcast_chain), RB_PIPELINED(" of the broadcast"),
       .pipeline = rb_composed_pipeline, .partly_pipelined = true, .ordered_for_root_0 = true);

/* Pipelined chain towards rank 0, then pipelined chain back. Source: textbook. Rounds: 2 (n + p -
 * 2). Volume: 2 n (p - 1) blocks. Rank order is kept. p = 3, n = 1: 2 -> 1; 1 -> 0; 0 -> 1; 1 -> 2.
 */
RB_ROW(rb_allreduce_chain, "allreduce", "chain", "pipelined chain to rank 0 and back", "textbook",
       "2 (n + p - 2)", RB_COMPOSED(rb_reduce_chain, rb_bcast_chain), RB_PIPELINED(""),
       .pipeline = rb_composed_pipeline, .ordered_for_root_0 = true);

/* Pipelined binary tree towards rank 0, then pipelined binary tree back. Source: textbook. Rounds:
 * twice those of the broadcast. Volume: 2 n (p - 1) blocks. Commutative operators only. p = 3, n =
 * 1: 2 -> 0; 1 -> 0; 0 -> 1; 0 -> 2. */
RB_ROW(rb_allreduce_binary, "allreduce", "binary",
       "pipelined complete binary tree to rank 0 and back", "textbook",
       "2 " RB_BINARY_PERIOD " + 2 " RB_BINARY_FIRST RB_BINARY_DEPTH,
       RB_COMPOSED(rb_reduce_binary, rb_bcast_binary), RB_PIPELINED(""),
       .pipeline = rb_composed_pipeline);

/* Reduce-scatter, then allgather, on a mesh. Source: Grama et al. 2003, "improving performance of
 * operations". Rounds on a rows of b: 2 (a + b - 2). Volume: 2 n (p - 1) blocks sent per rank, of
 * shares of n blocks each: optimal. Commutative operators only. */
RB_ROW(rb_allreduce_mesh_split, "allreduce", "mesh-split",
       "reduce-scatter, then allgather, on an a x b mesh", "Grama et al. 2003", "2 (a + b - 2)",
       RB_COMPOSED(rb_reduce_scatter_mesh, rb_allgather_mesh), RB_SHARES, RB_ON_MESH);

/* Reduce-scatter, then allgather, on a hypercube. Source: Grama et al. 2003, "improving performance
 * of operations"; formula (10). Rounds: 2 log2 p. Volume: 2 n (p - 1) blocks sent per rank, of
 * shares of n blocks each: optimal. Commutative operators only. rabenseifner is the same for these
 * p. */
RB_ROW(rb_allreduce_hypercube_split, "allreduce", "hypercube-split",
       "reduce-scatter, then allgather, on a hypercube", "Grama et al. 2003", "2 log2 p",
       RB_COMPOSED(rb_reduce_scatter_hypercube, rb_allgather_hypercube), RB_SHARES,
       RB_ON_HYPERCUBE);
