/* test_schedule_proof.c - the steps of the proof in docs/core.md ("Why the schedules are right"),
 * each checked by the literal transcription of the paper's algorithms alone: the core is not used,
 * so these are facts about the paper's schedules. Names are the proof's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/literal/oracle.h"

enum { MAX_Q = 30 };

struct graph {
    struct oracle oracle;
    int32_t odd[MAX_Q + 1], low;
};

static void init(struct graph *graph, int64_t p)
{
    oracle_init(&graph->oracle, (int32_t)p);
    graph->odd[0] = 0;
    for (int32_t k = 1; k <= graph->oracle.q; k++)
        graph->odd[k] = graph->odd[k - 1] + (int32_t)(graph->oracle.skip[k] % 2);
    graph->low = 0;
    while (graph->oracle.skip[graph->low] <= graph->odd[graph->oracle.q])
        graph->low++;
}

/* What r receives as indices of skips, where q stands for the baseblock: R_q(r) of the proof. */
static void receive(const struct graph *graph, int64_t r, int32_t index[])
{
    oracle_recv(&graph->oracle, (int32_t)r, index);
    for (int32_t k = 0; k < graph->oracle.q; k++)
        index[k] = index[k] >= 0 ? graph->oracle.q : index[k] + graph->oracle.q;
}

/* What the proof says of round k of rank r. */
struct place {
    int32_t j, h, m; /* m = -1 unless (c) holds */
    int64_t rest;
};

static struct place find(const struct graph *graph, int64_t r, int32_t k)
{
    const int64_t *skip = graph->oracle.skip;
    struct place place = {graph->oracle.q, -1, -1, r};
    for (int32_t i = graph->oracle.q - 1; i > k; i--) {
        if (place.rest >= skip[i]) {
            place.rest -= skip[i];
            place.j = i;
        }
    }
    while (place.h < k && skip[place.h + 1] <= place.rest)
        place.h++;
    const int32_t odd_j = graph->odd[place.j];
    if (place.h < k && place.rest < odd_j - graph->odd[place.h + 1]) {
        place.m = place.j;
        while (skip[place.m] % 2 == 0 || odd_j - graph->odd[place.m] != place.rest)
            place.m--;
    }
    return place;
}

/* What (c) gives for an h and m, which nothing else matters for: as it was found first. */
struct found {
    int32_t until[MAX_Q + 1][MAX_Q + 1]; /* what is known, below this round */
    int32_t index[MAX_Q + 1][MAX_Q + 1][MAX_Q + 1];
};

static void check_irregular(struct found *found, const struct place *place, const int32_t index[])
{
    const int32_t first = place->h + 1, last = place->m < place->j ? place->m : place->j - 1;
    int32_t *kept = found->index[place->m][first], *until = &found->until[place->m][first];
    assert_true(first < place->m);
    for (; *until <= last; ++*until)
        kept[*until] = index[*until];
    uint32_t seen = 0;
    for (int32_t k = first; k <= last; k++) {
        assert_int_equal(index[k], kept[k]);
        seen |= 1u << index[k];
    }
    assert_int_equal(seen, (2u << last) - (1u << first)); /* each of first .. last */
}

static void check_receive(struct graph *graph, int64_t r, struct found *found)
{
    int32_t index[MAX_Q + 3] = {0};
    oracle_recv_counting(&graph->oracle, (int32_t)r, index);
    assert_int_equal(graph->oracle.outside, 0); /* Lemma 4 */
    receive(graph, r, index);
    for (int32_t k = 0; k < graph->oracle.q; k++) {
        const struct place place = find(graph, r, k);
        if (place.h == k) /* (a) */
            assert_int_equal(index[k], place.j);
        else if (place.m < 0 || k > place.m) /* (b), and (c) beyond m */
            assert_int_equal(index[k], k);
        else
            check_irregular(found, &place, index);
    }
}

/* Step 1: below the largest skip that r uses, all is as for the rest on the smaller graph. Its rank
 * 0 stands for the rank that is a skip. */
static void check_smaller_graph(const struct graph *graph, int64_t r)
{
    int32_t index[MAX_Q + 3], smaller_index[MAX_Q + 3], h = 0;
    struct graph smaller;
    receive(graph, r, index);
    while (graph->oracle.skip[h + 1] <= r)
        h++;
    init(&smaller, graph->oracle.skip[h]);
    receive(&smaller, r - graph->oracle.skip[h], smaller_index);
    for (int32_t k = 0; k < h; k++)
        assert_int_equal(index[k], smaller_index[k]);
}

/* The loop of Algorithm 6: who the receiver is. */
static void check_send(const struct graph *graph, int64_t r)
{
    const int64_t *skip = graph->oracle.skip, p = graph->oracle.p;
    int32_t c = graph->oracle.q, next = c, send[MAX_Q + 3];
    int64_t rest = r, e = p, next_size = p;
    for (int32_t k = graph->oracle.q - 1; k >= 1; k--) {
        const int64_t upper = e - skip[k], behind = rest - upper;
        const struct place to = find(graph, (r + skip[k]) % p, k);
        const int32_t open = graph->odd[next] - graph->odd[k];
        const bool is_upper = rest >= skip[k];
        if (k > graph->low) /* no upper part is missing, and the next is large enough */
            assert_true(upper > 0 && behind < next_size);
        assert_true(!is_upper || behind >= 0);
        if (behind < 0) { /* in the same part: (a) */
            assert_int_equal(to.h, k);
            assert_int_equal(to.j, c);
        } else if (behind < next_size) { /* in the next */
            assert_int_equal(to.j, next);
            assert_int_equal(to.rest, behind);
            assert_true(to.h < k);
            assert_true(is_upper ? behind == open + rest - skip[k] : behind < open);
            if (is_upper && (rest > skip[k] || skip[k] % 2 == 0))
                assert_true(to.m < k);
            if (!is_upper)
                assert_true(to.m > k);
        }
        if (is_upper) {
            c = k;
            rest -= skip[k];
            e = upper;
        } else {
            next = k;
            next_size = upper < 0 ? 0 : upper;
            e = upper < 0 ? e : skip[k];
        }
    }
    oracle_send(&graph->oracle, (int32_t)r, send);
    if (r > 0 && graph->oracle.q > 0) /* condition 4 */
        assert_int_equal(send[0], oracle_baseblock(&graph->oracle, (int32_t)r) - graph->oracle.q);
}

static void all_ranks_of_small_p(void **state)
{
    (void)state;
    static struct found found;
    for (int32_t p = 1; p <= 700; p++) {
        struct graph graph;
        init(&graph, p);
        memset(&found, 0, sizeof found);
        for (int32_t r = 0; r < p; r++) {
            check_receive(&graph, r, &found);
            check_send(&graph, r);
            if (r > 0)
                check_smaller_graph(&graph, r);
        }
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Sums of few skips, and a few more or less: where (c) holds. */
static void delicate_ranks_of_large_p(void **state)
{
    (void)state;
    static struct found found;
    uint64_t seed = 20240722;
    for (int32_t i = 0; i < 400; i++) {
        const int32_t bits = 11 + i % 20;
        const int64_t power = INT64_C(1) << (bits - 1);
        const int64_t near = i < 100 ? (int64_t)(next_random(&seed) % 5) - 2
                                     : (int64_t)(next_random(&seed) % (uint64_t)power) + 1;
        struct graph graph;
        init(&graph, power + near <= 1 << 30 ? power + near : 1 << 30);
        memset(&found, 0, sizeof found);
        for (int32_t n = 0; n < 200; n++) {
            int64_t r = (int64_t)(next_random(&seed) % 70) - 35;
            for (int32_t terms = 1 + n % 3; terms > 0; terms--)
                r += graph.oracle.skip[next_random(&seed) % (uint64_t)graph.oracle.q];
            r = (r + graph.oracle.p) % graph.oracle.p;
            check_receive(&graph, r, &found);
            check_send(&graph, r);
            if (r > 0)
                check_smaller_graph(&graph, r);
        }
    }
}

/* For the table: if skip[j + 1] is even, ranks below skip[j] receive in rounds below j the same on
 * the graphs with skip[j] and skip[j + 1] ranks. */
static void doubling_to_even_sizes(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 700; p++) {
        struct graph one, two;
        init(&one, p);
        init(&two, 2 * p);
        for (int32_t r = 0; r < p; r++) {
            int32_t index_one[MAX_Q + 3], index_two[MAX_Q + 3];
            receive(&one, r, index_one);
            receive(&two, r, index_two);
            for (int32_t k = 0; k < one.oracle.q; k++) {
                const bool b = index_one[k] == one.oracle.q;
                assert_int_equal(index_two[k], b ? two.oracle.q : index_one[k]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_of_small_p),
        cmocka_unit_test(delicate_ranks_of_large_p),
        cmocka_unit_test(doubling_to_even_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
