/* allgather_greedy.c - rounds filled greedily over links of which each carries so many blocks in a
 * round (rb_neighbours): for ranks with several links, as on a torus, and for damaged networks.
 *
 * In each round the pairs of neighbours have their turns: those over the narrowest link first, then
 * those whose receiver has fewest blocks, the rest at random. A message takes as many blocks as all
 * of its links have left in this round, of those that the receiver lacks the ones that fewest ranks
 * have. This has no guarantee, so seeds are tried until a plan has the fewest rounds that are
 * possible (rb_bound_rounds): those in which some rank takes in all blocks of the others over its
 * links without a pause. The seeds are fixed, so that a plan is a function of its spec.
 *
 * Source: docs/platforms.md. Rounds: of the 63 that 4 x 4 x 4 ranks of a torus need at least for n
 * = 6, all; on other networks a few per cent more. Volume: n (p - 1) blocks received per rank,
 * optimal. Memory: 8 bytes for each of these blocks of each rank. Time for a seed: O(p^3 n^2); for
 * a large n several blocks move as one.
 *
 * p = 3, each rank with a link to and from both others, n = 1: round 0: each sends its block to
 * both. */
#include <stdlib.h>
#include <string.h>

#include "schedules/patterns/sequence.h"
#include "schedules/plan/random.h"

enum {
    TRIES = 8,
    MOST_PAIRS = 1 << 17,
    MOST_RANKS = 4096,
    MOST_BLOCKS = 128 /* of a rank, that move alone: more make no fewer rounds, but take long */
};
static const double most_work = 0x1p34; /* p^3 n^2, by which time grows */

struct greedy {
    struct rb_neighbours on;
    int64_t n, unit; /* blocks of a rank, of which each is so many of the plan's */
    int64_t rounds, least;
    int32_t *first_out, *first_in; /* of each rank, its pairs' numbers: up to the next rank's */
    int32_t *incoming;             /* the pair of a number in first_in */
    int32_t *port;                 /* of each pair */
    int64_t *round_at;             /* moves before each round; owned */
    uint64_t *move;                /* by round, pair and block; owned */
};

/* A block of all ranks' goes over a pair. */
static uint64_t move_of(int32_t pair, int64_t block)
{
    return (uint64_t)pair << 32 | (uint64_t)block;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* True if the pair has so many links and one more. */
static bool has_link(const struct rb_pair *pair, int32_t l)
{
    return l < RB_PAIR_LINKS && pair->link[l] >= 0;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static bool is_right(const struct rb_neighbours *on, int32_t p)
{
    bool right = on->ranks == p && on->pairs >= 0 && on->pairs <= MOST_PAIRS;
    for (int32_t l = 0; right && l < on->links; l++)
        right = on->capacity[l] > 0;
    for (int32_t i = 0; right && i < on->pairs; i++) {
        const struct rb_pair *pair = &on->pair[i];
        right = pair->from >= 0 && pair->from < p && pair->to >= 0 && pair->to < p &&
                pair->from != pair->to && pair->link[0] >= 0 &&
                (i == 0 || move_of(pair[-1].from, pair[-1].to) < move_of(pair->from, pair->to));
        for (int32_t l = 0; has_link(pair, l); l++)
            right = right && pair->link[l] < on->links;
    }
    return right;
}

/* Returns the most pairs that a rank has in a direction. */
static int32_t sort_pairs(struct greedy *greedy)
{
    const struct rb_pair *pair = greedy->on.pair;
    const int32_t p = greedy->on.ranks, pairs = greedy->on.pairs;
    int32_t most = 0, out = 0, in = 0;
    for (int32_t r = 0; r < p; r++) {
        const int32_t before = out, before_in = in;
        greedy->first_out[r] = out;
        greedy->first_in[r] = in;
        while (out < pairs && pair[out].from == r)
            out++;
        for (int32_t i = 0; i < pairs; i++)
            if (pair[i].to == r)
                greedy->incoming[in++] = i;
        most = out - before > most ? out - before : most;
        most = in - before_in > most ? in - before_in : most;
    }
    greedy->first_out[p] = greedy->first_in[p] = pairs;
    return most;
}

/* Gives each pair a port that no other one of its sender, or of its receiver, has: the edges of a
 * bipartite graph need as many colours as its busiest node has edges (Koenig 1916). Where the nodes
 * of an edge lack different colours, these change places along a path. */
static void colour(const struct greedy *greedy, int32_t ports, int32_t at[])
{
    const struct rb_pair *pair = greedy->on.pair;
    const int32_t p = greedy->on.ranks; /* receivers are nodes p .. 2 p - 1 */
#define AT(node, c) at[(int64_t)(node)*ports + (c)]
    memset(at, -1, 2 * (size_t)p * (size_t)ports * sizeof *at);
    for (int32_t i = 0; i < greedy->on.pairs; i++) {
        const int32_t from = pair[i].from, to = p + pair[i].to;
        int32_t a = 0, b = 0;
        while (AT(from, a) >= 0)
            a++;
        while (AT(to, b) >= 0)
            b++;
        for (int32_t node = to, x = a, y = b, j = AT(to, a), next; j >= 0; j = next) {
            const int32_t other = node == pair[j].from ? p + pair[j].to : pair[j].from;
            next = AT(other, y);
            AT(node, y) = AT(other, y) = j;
            AT(other, x) = -1;
            greedy->port[j] = y;
            node = other;
            y = x;
            x = a + b - x;
        }
        AT(from, a) = AT(to, a) = i;
        greedy->port[i] = a;
    }
#undef AT
}

/* The fewest rounds in which a rank can take in the others' blocks, of the rank that needs most. */
static int64_t find_least(const struct greedy *greedy, int32_t seen[])
{
    const struct rb_neighbours *on = &greedy->on;
    int64_t least = 0;
    memset(seen, -1, (size_t)on->links * sizeof *seen);
    for (int32_t r = 0; r < on->ranks; r++) {
        int64_t capacity = 0;
        for (int32_t i = greedy->first_in[r], last = 0; i < greedy->first_in[r + 1]; i++) {
            for (int32_t l = 0; has_link(&on->pair[greedy->incoming[i]], l); l++)
                last = on->pair[greedy->incoming[i]].link[l];
            capacity += seen[last] == r ? 0 : on->capacity[last];
            seen[last] = r;
        }
        if (capacity > 0 && (on->ranks - 1) * greedy->n > least * capacity)
            least = rb_ceil_divide((on->ranks - 1) * greedy->n, capacity);
    }
    return least;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* For a search. */
struct search {
    struct greedy *greedy;
    int64_t blocks, words;   /* of all ranks; of a set of them */
    uint64_t *have, *get;    /* a set for each rank: at the round's start, at its end */
    uint64_t *turn;          /* pairs in their order, in the low half */
    int32_t *holders, *held; /* ranks that have a block; blocks that a rank has */
    int32_t *left;           /* blocks that a link can carry in this round */
    uint64_t random;
};

/* The block that fewest ranks have, of those that a pair can move; -1: none. */
static int64_t pick(struct search *search, const struct rb_pair *pair)
{
    const uint64_t *have = search->have + pair->from * search->words;
    const uint64_t *get = search->get + pair->to * search->words;
    const int64_t start = rb_random_below(&search->random, (uint32_t)search->words);
    int64_t best = -1;
    for (int64_t i = 0, w = start; i < search->words; i++) {
        for (uint64_t set = have[w] & ~get[w]; set != 0; set &= set - 1) {
            const int64_t block = w * 64 + __builtin_ctzll(set);
            if (best < 0 || search->holders[block] < search->holders[best])
                best = block;
        }
        w = w + 1 < search->words ? w + 1 : 0;
    }
    return best;
}

/* Over a pair, as many blocks as its links leave. */
static void fill(struct search *search, int32_t i)
{
    struct greedy *greedy = search->greedy;
    const struct rb_pair *pair = &greedy->on.pair[i];
    int64_t most = INT32_MAX, block;
    for (int32_t l = 0; has_link(pair, l); l++)
        most = rb_smaller(most, search->left[pair->link[l]]);
    for (; most > 0 && (block = pick(search, pair)) >= 0; most--) {
        search->get[pair->to * search->words + block / 64] |= UINT64_C(1) << block % 64;
        search->holders[block]++;
        search->held[pair->to]++;
        greedy->move[greedy->round_at[greedy->rounds]++] = move_of(i, block);
        for (int32_t l = 0; has_link(pair, l); l++)
            search->left[pair->link[l]]--;
    }
}

static void line_up(struct search *search)
{
    const struct rb_neighbours *on = &search->greedy->on;
    for (int32_t i = 0; i < on->pairs; i++) {
        int64_t narrowest = 255;
        for (int32_t l = 0; has_link(&on->pair[i], l); l++)
            narrowest = rb_smaller(narrowest, on->capacity[on->pair[i].link[l]]);
        search->turn[i] = (uint64_t)narrowest << 56 | (uint64_t)search->held[on->pair[i].to] << 32 |
                          rb_random_below(&search->random, 1 << 12) << 20 | (uint64_t)i;
    }
    qsort(search->turn, (size_t)on->pairs, sizeof *search->turn, compare);
}

/* Returns how many blocks move. */
static int64_t add_round(struct search *search)
{
    struct greedy *greedy = search->greedy;
    const struct rb_neighbours *on = &greedy->on;
    const int64_t before = greedy->round_at[greedy->rounds++];
    int64_t *moves = &greedy->round_at[greedy->rounds];
    *moves = before;
    line_up(search);
    memcpy(search->left, on->capacity, (size_t)on->links * sizeof *search->left);
    for (int32_t i = 0; i < on->pairs; i++)
        fill(search, (int32_t)(search->turn[i] & (MOST_PAIRS - 1)));
    memcpy(search->have, search->get, (size_t)(on->ranks * search->words) * sizeof *search->have);
    qsort(greedy->move + before, (size_t)(*moves - before), sizeof *greedy->move, compare);
    return *moves - before;
}

/* False: blocks cannot arrive, or not in so many rounds. */
static bool try_seed(struct search *search, uint64_t seed, int64_t most_rounds)
{
    struct greedy *greedy = search->greedy;
    const int64_t n = greedy->n;
    memset(search->get, 0, (size_t)(greedy->on.ranks * search->words) * sizeof *search->get);
    for (int64_t b = 0; b < search->blocks; b++) {
        search->get[b / n * search->words + b / 64] |= UINT64_C(1) << b % 64;
        search->holders[b] = 1;
        search->held[b / n] = (int32_t)n;
    }
    memcpy(search->have, search->get,
           (size_t)(greedy->on.ranks * search->words) * sizeof *search->have);
    greedy->rounds = greedy->round_at[0] = 0;
    search->random = seed;
    while (greedy->round_at[greedy->rounds] < search->blocks * (greedy->on.ranks - 1))
        if (greedy->rounds == most_rounds || add_round(search) == 0)
            return false;
    return true;
}

/* The best of several seeds, of which there are fewer if they take long. */
static bool try_seeds(struct search *search)
{
    const struct greedy *greedy = search->greedy;
    const double work = (double)greedy->on.pairs * (double)(search->words * greedy->least);
    uint64_t best = 1, seed = 1;
    if (!try_seed(search, seed, INT64_MAX))
        return false;
    for (int64_t rounds = greedy->rounds;
         rounds > greedy->least && seed < TRIES && (double)seed * work < 2e7;)
        if (try_seed(search, ++seed, rounds - 1)) {
            best = seed;
            rounds = greedy->rounds;
        }
    return best == seed || try_seed(search, best, INT64_MAX);
}

static int run_search(struct greedy *greedy)
{
    const size_t p = (size_t)greedy->on.ranks, pairs = (size_t)greedy->on.pairs;
    const size_t blocks = (size_t)greedy->n * p, words = blocks / 64 + 1;
    struct search search = {.greedy = greedy, .blocks = (int64_t)blocks, .words = (int64_t)words};
    uint64_t *sets = malloc((2 * p * words + pairs) * sizeof *sets);
    int32_t *numbers = malloc((blocks + p + (size_t)greedy->on.links) * sizeof *numbers);
    greedy->move = malloc(blocks * p * sizeof *greedy->move);
    greedy->round_at = malloc((blocks * p + 1) * sizeof *greedy->round_at); /* most of it unused */
    int status = RB_ENOMEM;
    if (sets != NULL && numbers != NULL && greedy->move != NULL && greedy->round_at != NULL) {
        search.have = sets;
        search.get = search.have + p * words;
        search.turn = search.get + p * words;
        search.holders = numbers;
        search.held = search.holders + blocks;
        search.left = search.held + p;
        greedy->least = find_least(greedy, search.left);
        status = try_seeds(&search) ? RB_OK : RB_ENOTSUP;
    }
    free(sets);
    free(numbers);
    return status;
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* The round's first move that is not below this one. */
static int64_t find_move(const struct greedy *greedy, int64_t t, uint64_t move)
{
    int64_t low = greedy->round_at[t], high = greedy->round_at[t + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (greedy->move[middle] < move)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Over one pair; blocks that follow each other are one range. ops NULL: only their number. */
static int32_t add_message(const struct rb_plan *plan, int64_t t, int32_t pair,
                           enum rb_op_kind kind, struct rb_op ops[])
{
    const struct greedy *greedy = plan->data.own;
    const struct rb_pair *ends = &greedy->on.pair[pair];
    const int64_t begin = find_move(greedy, t, move_of(pair, 0));
    int32_t count = 0;
    for (int64_t i = begin; i < greedy->round_at[t + 1] && greedy->move[i] >> 32 == (uint64_t)pair;
         i++) {
        const int64_t block = (uint32_t)greedy->move[i], at = block % greedy->n * greedy->unit;
        const int64_t blocks = rb_smaller(greedy->unit, plan->n - at);
        const bool follows = i > begin && greedy->move[i] == greedy->move[i - 1] + 1 && at > 0;
        count += !follows;
        if (ops != NULL && follows)
            ops[count - 1].at.count += blocks;
        else if (ops != NULL)
            ops[count - 1] =
                (struct rb_op){.kind = kind,
                               .peer = kind == RB_SEND ? ends->to : ends->from,
                               .port = greedy->port[pair],
                               .at = {RB_DST, (int32_t)(block / greedy->n), at, blocks}};
    }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct greedy *greedy = plan->data.own;
    const int32_t r = state->rank;
    int32_t count = 0;
    for (int32_t i = greedy->first_out[r]; i < greedy->first_out[r + 1]; i++)
        count += add_message(plan, t, i, RB_SEND, ops == NULL ? NULL : ops + count);
    for (int32_t i = greedy->first_in[r]; i < greedy->first_in[r + 1]; i++)
        count +=
            add_message(plan, t, greedy->incoming[i], RB_RECV, ops == NULL ? NULL : ops + count);
    return count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(round_, plan, state, t);
}

static void fini(struct rb_plan *plan)
{
    struct greedy *greedy = plan->data.own;
    if (greedy == NULL)
        return;
    free(greedy->first_out);
    free(greedy->round_at);
    free(greedy->move);
    free(greedy);
}

static int make(struct rb_plan *plan, struct greedy *greedy, char *why, size_t why_size)
{
    const struct rb_neighbours *on = plan->neighbours;
    const char *collective = plan->collective->info.name;
    if (!is_right(on, plan->p))
        return rb_why(why, why_size, RB_EINVAL,
                      "neighbours must be at most %d pairs of the %d ranks, in order, over links "
                      "that carry a block or more",
                      MOST_PAIRS, (int)plan->p);
    const size_t ranks = (size_t)plan->p + 1, pairs = (size_t)on->pairs;
    greedy->on = *on;
    greedy->first_out = malloc(2 * (ranks + pairs) * sizeof(int32_t));
    if (greedy->first_out == NULL)
        return RB_ENOMEM;
    greedy->first_in = greedy->first_out + ranks;
    greedy->incoming = greedy->first_in + ranks;
    greedy->port = greedy->incoming + pairs;
    const int32_t ports = sort_pairs(greedy);
    if (ports > plan->ports)
        return rb_why(why, why_size, RB_ENOTSUP,
                      "%s greedy needs %d ports, as a rank has so many neighbours, not %d",
                      collective, (int)ports, (int)plan->ports);
    int32_t *at = malloc(2 * ranks * (size_t)plan->ports * sizeof *at);
    if (at == NULL)
        return RB_ENOMEM;
    colour(greedy, plan->ports, at);
    free(at);
    const int status = run_search(greedy);
    if (status == RB_ENOTSUP)
        return rb_why(
            why, why_size, status,
            "%s greedy sends to neighbours only, which are %d pairs here, and they do not "
            "join all ranks",
            collective, (int)on->pairs);
    return status;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t p = plan->p;
    plan->rounds = 0;
    plan->max_ops = 1;
    plan->data.own = NULL;
    if (p == 1)
        return RB_OK;
    if (plan->neighbours == NULL || p > MOST_RANKS)
        return rb_why(
            why, why_size, RB_ENOTSUP,
            "%s greedy plans for the links of a network: give a platform whose hosts have "
            "neighbours, such as torus:4x4x4, for %d ranks at most",
            plan->collective->info.name, MOST_RANKS);
    struct greedy *greedy = plan->data.own = calloc(1, sizeof *greedy);
    if (greedy == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    greedy->n = plan->n;
    for (greedy->unit = 1;
         greedy->n > MOST_BLOCKS ||
         ((double)(p * p * p) * (double)greedy->n * (double)greedy->n > most_work && greedy->n > 1);
         greedy->n = rb_ceil_divide(plan->n, greedy->unit))
        greedy->unit *= 2;
    const int status = make(plan, greedy, why, why_size);
    if (status != RB_OK) {
        fini(plan);
        return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
    }
    plan->rounds = greedy->rounds;
    for (int64_t t = 0; t < plan->rounds; t++)
        for (int32_t r = 0; r < p; r++) {
            const int32_t ops = round_(plan, &(struct rb_rank){.rank = r}, t, NULL);
            plan->max_ops = ops > plan->max_ops ? ops : plan->max_ops;
        }
    return RB_OK;
}

/* Of an instance, which it has none: of the network. */
static bool suits(const struct rb_plan *plan)
{
    return plan->p == 1 || (plan->neighbours != NULL && plan->p <= MOST_RANKS);
}

static int64_t least(const struct rb_plan *plan)
{
    const struct greedy *greedy = plan->data.own;
    return greedy == NULL ? 0 : greedy->least;
}

static int64_t least_of_both(const struct rb_plan *plan)
{
    return rb_bound_rounds(plan->data.part[0]) + rb_bound_rounds(plan->data.part[1]);
}

/* A block is 1 / p of m / n; beyond the fewest rounds there is about one. */
static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = rb_ceil_divide(plan->p * least(plan), plan->n);
    *fixed = 1;
}

#define GREEDY(whose) RB_PIPELINED(whose), .info.neighbours = true, .suits = suits

RB_ROW(rb_allgather_greedy, "allgather", "greedy",
       "over all links to neighbours, rounds filled with what fewest ranks have",
       "docs/platforms.md", "about (p - 1) n / k if a rank has k links", GREEDY(" of every rank"),
       .init = init, .fini = fini, .round = round_, .next = next, .pipeline = pipeline,
       .least = least);
RB_ROW(rb_reduce_scatter_greedy, "reduce-scatter", "greedy",
       "over all links to neighbours, the allgather backwards", "docs/platforms.md",
       "about (p - 1) n / k if a rank has k links", RB_REVERSED_UNPRICED(rb_allgather_greedy),
       GREEDY(" for every rank"), .pipeline = rb_reversed_pipeline, .least = least);
RB_ROW(rb_allreduce_greedy, "allreduce", "greedy",
       "over all links to neighbours, backwards and forwards", "docs/platforms.md",
       "about 2 (p - 1) n / k if a rank has k links",
       RB_COMPOSED_UNPRICED(rb_reduce_scatter_greedy, rb_allgather_greedy),
       GREEDY(" of each of the p shares"), .pipeline = rb_composed_pipeline,
       .least = least_of_both);
