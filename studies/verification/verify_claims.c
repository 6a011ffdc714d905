/* verify_claims.c - the paper's claims about its algorithms (verify.h). */
#include "schedules/literal/oracle.h"
#include "studies/verification/verify.h"

enum { CALLS, ITERATIONS, ITERATIONS_OBSERVED, VIOLATIONS };

/* Lemma 6 fails first at p = 257, r = 2. That the iterations are O(log p) all the same is what
 * matters for Theorem 2; 4q - 8 is the simplest bound that no p has exceeded. */
const struct verify_claim verify_claim_table[VERIFY_CLAIMS] = {
    [CALLS] = {.name = "calls",
               .text = "at most q - 1 recursive calls",
               .source = "Lemma 5",
               .least_q = 1},
    [ITERATIONS] = {.name = "iterations",
                    .text = "at most 2q + R iterations, R recursive calls",
                    .source = "Lemma 6",
                    .known_false = true,
                    .least_q = 1},
    [ITERATIONS_OBSERVED] = {.name = "iterations_observed",
                             .text = "at most 4q - 8 iterations, q >= 5",
                             .source = "observed",
                             .least_q = 5},
    [VIOLATIONS] = {.name = "violations",
                    .text = "at most 4 violations",
                    .source = "Theorem 3",
                    .least_q = 1},
};

static bool is_before(const struct verify_claim_case *a, const struct verify_claim_case *b)
{
    return a->p != b->p ? a->p < b->p : a->r < b->r;
}

static void merge(struct verify_claim_tally *sum, const struct verify_claim_tally *more)
{
    if (more->exceptions > 0 &&
        (sum->exceptions == 0 || is_before(&more->first_exception, &sum->first_exception)))
        sum->first_exception = more->first_exception;
    if (more->checked > 0) {
        int32_t new = more->tightest.value - more->tightest.bound;
        int32_t old = sum->tightest.value - sum->tightest.bound;
        if (sum->checked == 0 || new > old ||
            (new == old &&is_before(&more->tightest, &sum->tightest)))
            sum->tightest = more->tightest;
    }
    sum->checked += more->checked;
    sum->exceptions += more->exceptions;
}

void verify_claims_check(int32_t p, int32_t sample, struct verify_claim_tally tally[VERIFY_CLAIMS])
{
    struct oracle oracle;
    int32_t block[RB_MAX_Q + 1];
    oracle_init(&oracle, p);
    const int32_t ranks = p == 1 ? 0 : verify_sample_size(p, sample);
    for (int32_t i = 0; i < ranks; i++) {
        int32_t value[VERIFY_CLAIMS], bound[VERIFY_CLAIMS];
        const int32_t r = verify_sample_rank(p, sample, i);
        oracle_recv_counting(&oracle, r, block);
        value[CALLS] = oracle.calls;
        bound[CALLS] = oracle.q - 1;
        value[ITERATIONS] = value[ITERATIONS_OBSERVED] = oracle.iterations;
        bound[ITERATIONS] = 2 * oracle.q + oracle.calls;
        bound[ITERATIONS_OBSERVED] = 4 * oracle.q - 8;
        oracle_send_counting(&oracle, r, block);
        value[VIOLATIONS] = oracle.violations;
        bound[VIOLATIONS] = 4;
        for (int32_t c = 0; c < VERIFY_CLAIMS; c++) {
            const struct verify_claim_case one = {p, r, value[c], bound[c]};
            const struct verify_claim_tally seen = {.checked = 1,
                                                    .exceptions = value[c] > bound[c],
                                                    .first_exception = one,
                                                    .tightest = one};
            if (oracle.q >= verify_claim_table[c].least_q)
                merge(&tally[c], &seen);
        }
    }
}

void verify_claims_add(struct verify_claim_tally sum[VERIFY_CLAIMS],
                       const struct verify_claim_tally more[VERIFY_CLAIMS])
{
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++)
        merge(&sum[c], &more[c]);
}

bool verify_claims_news(const struct verify_claim_tally tally[VERIFY_CLAIMS])
{
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++)
        if (tally[c].exceptions > 0 && !verify_claim_table[c].known_false)
            return true;
    return false;
}
