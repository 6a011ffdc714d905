/* verify_claims.h - checks the paper's claims about its algorithms, rank by rank.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024: Lemma 5 (recursive
 * calls of Algorithm 4), Lemma 6 (iterations of its loop), Theorem 3 (violations in Algorithm 6).
 * The counts are made in the literal transcription (oracle/). */
#ifndef VERIFICATION_VERIFY_CLAIMS_H
#define VERIFICATION_VERIFY_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

enum { VERIFY_CLAIMS = 4 };

struct verify_claim {
    const char *name;   /* in json: "calls" */
    const char *text;   /* "at most q - 1 recursive calls" */
    const char *source; /* "Lemma 5" */
    bool known_false;   /* it is known to fail, so a failure is reported but is not an error */
    int32_t least_q;    /* the claim concerns p with at least this q */
};
extern const struct verify_claim verify_claim_table[VERIFY_CLAIMS];

/* A rank at which a count was made. */
struct verify_claim_case {
    int32_t p, r;
    int32_t value, bound;
};

/* The results for one claim; zeroed: none. */
struct verify_claim_tally {
    int64_t checked, exceptions;              /* ranks */
    struct verify_claim_case first_exception; /* smallest p, then smallest r; if exceptions > 0 */
    struct verify_claim_case
        tightest; /* largest value - bound, of these the first; if checked > 0 */
};

/* Checks ranks of p, all or a sample of them (verify_sample.h). p = 1 has no schedule: nothing is
 * checked. O(log p) per rank. */
void verify_claims_check(int32_t p, int32_t sample, struct verify_claim_tally tally[VERIFY_CLAIMS]);
/* Adds another worker's results. */
void verify_claims_add(struct verify_claim_tally sum[VERIFY_CLAIMS],
                       const struct verify_claim_tally more[VERIFY_CLAIMS]);
/* True if a claim fails that is believed to be true. */
bool verify_claims_news(const struct verify_claim_tally tally[VERIFY_CLAIMS]);

#endif
