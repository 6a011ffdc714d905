/* verify_claims.h - checks the paper's claims about its algorithms, rank by rank.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024: Lemma 5 (recursive
 * calls of Algorithm 4), Lemma 6 (iterations of its loop), Theorem 3 (violations in Algorithm 6).
 * The counts are made in the literal transcription (oracle/). */
#ifndef COMMAND_VERBS_VERIFY_CLAIMS_H
#define COMMAND_VERBS_VERIFY_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

enum { VERB_CLAIMS = 4 };

struct verb_claim {
    const char *name;   /* in json: "calls" */
    const char *text;   /* "at most q - 1 recursive calls" */
    const char *source; /* "Lemma 5" */
    bool known_false;   /* it is known to fail, so a failure is reported but is not an error */
    int32_t least_q;    /* the claim concerns p with at least this q */
};
extern const struct verb_claim verb_claims[VERB_CLAIMS];

/* A rank at which a count was made. */
struct verb_claim_case {
    int32_t p, r;
    int32_t value, bound;
};

/* The results for one claim; zeroed: none. */
struct verb_claim_tally {
    int64_t checked, exceptions;            /* ranks */
    struct verb_claim_case first_exception; /* smallest p, then smallest r; if exceptions > 0 */
    struct verb_claim_case tightest; /* largest value - bound, of these the first; if checked > 0 */
};

/* Checks ranks of p, all or a sample of them (verify_sample.h). p = 1 has no schedule: nothing is
 * checked. O(log p) per rank. */
void verb_claims_check(int32_t p, int32_t sample, struct verb_claim_tally tally[VERB_CLAIMS]);
/* Adds another worker's results. */
void verb_claims_add(struct verb_claim_tally sum[VERB_CLAIMS],
                     const struct verb_claim_tally more[VERB_CLAIMS]);
/* True if a claim fails that is believed to be true. */
bool verb_claims_news(const struct verb_claim_tally tally[VERB_CLAIMS]);

#endif
