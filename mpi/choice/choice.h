/* choice.h - chooses algorithm, number of blocks n and number of rounds in flight for a call.
 *
 * The rules use what all ranks of a call know: p, the bytes m of all the data, whether the operator
 * commutes, and whether counts differ:
 *
 *                    m < 64 KiB            larger
 *   bcast, reduce    binomial              circulant, n = sqrt(m/4 q)/70
 *     not commutative: binomial            chain, likewise
 *   allgather,       dissemination         circulant, n = 1, or sqrt(m/4 q)/40 if counts differ
 *   reduce-scatter
 *   allreduce        recursive-doubling    circulant, n = 1; not commutative: recursive-doubling
 *   alltoall         bruck, if a pair's part is less than 256 bytes, else pairwise; pairwise if
 *                    counts differ
 *   scatter, gather  binomial, if a rank's part is less than 64 KiB, else flat
 *   scan             dissemination; chain, n = sqrt(m/4 (p - 2))/70, or halving, where that is
 *   exscan           two-phase;     faster by the closed forms with a start-up worth 4 * 70^2 bytes
 *   any other        its first algorithm, n = 1
 *
 * Where ranks share hosts (struct choice_groups) and the operator commutes, bcast and reduce take
 * fan up to 4 KiB, and from 64 KiB on all collectives that have it take hosts, with the n of its
 * closed form: sqrt(m/4 A)/70 for n + A rounds (docs/groups.md). Allgather, reduce-scatter and
 * allreduce (from 8 KiB on) take exchange below 64 KiB, on hosts of up to 8 ranks below 512 KiB
 * (allreduce 256 KiB), and for any size where leaf switches are known; then a broadcast takes hosts
 * by both levels, and a reduction on hosts of one rank turns. Where each rank of a host
 * has a network interface of its own, they take spread below 64 KiB and rails instead
 * (docs/rails.md).
 *
 * Flat takes p - 1 start-ups instead of q for the same bytes at the root. With parts of 64 KiB this
 * costs at most a third more time, and nothing is forwarded, so no rank needs memory for other
 * ranks' data.
 *
 * 70 and 40 are the constants F and G of Traeff 2024, Section 3, whose m counts elements of 4
 * bytes; n is rounded. Or by a setting: ALGORITHM[:n=N][,window=W][,r=R], "circulant:n=16,window=4"
 * or "bruck:r=8"; the rules choose what it leaves out. n=F:70 means sqrt(m/4 q)/70 for every
 * collective, and the setting "native" means the MPI library's own collective. */
#pragma once

#include <roundabout.h>

enum { CHOICE_DEFAULT_WINDOW = 4, CHOICE_MOST_WINDOW = 1024 };

struct choice_setting {
    const struct rb_algorithm_info *algorithm; /* NULL: by rule, or native */
    bool native;                               /* the MPI library's own; nothing else is set */
    struct rb_plan_spec plan;                  /* its n and options are set; n 0: by factor */
    double factor;                             /* n = sqrt(m/4 q)/factor; 0: by rule */
    int32_t width;                             /* 0: CHOICE_DEFAULT_WINDOW */
    bool learned; /* chosen online in an earlier run: not for inexact results unless RB_ONLINE is
                   * "rounding" */
};

/* Ranks that share a port, and what is known of plans by these groups. A zeroed one: not known. One
 * thread at a time. */
enum { CHOICE_KNOWN_PIPELINES = 16 };
struct choice_groups {
    const char *sizes;  /* as rb_plan_spec.groups has them */
    const char *levels; /* and those of larger groups, each of several of these, as leaf switches
                         * are; NULL: there are none */
    int32_t count;
    int32_t lanes; /* ranks of the smallest group, if each rank has a port of its own out of its
                    * group after all; 0: they share it */
    bool moved;    /* the plan's ranks are in another order than the communicator's */
    int32_t known;
    struct choice_pipeline {
        const struct rb_algorithm_info *algorithm;
        double root; /* of A, the rounds of its pipeline above n, for each round of a block */
    } pipeline[CHOICE_KNOWN_PIPELINES];
};

struct choice_situation {
    const char *collective;
    int32_t p;
    int64_t bytes;
    bool ordered;   /* the operator does not commute */
    bool irregular; /* counts differ; for alltoall, may differ, and then bytes is 0 */
    bool direct;    /* there is no memory for forwarded data */
    bool inexact;   /* results may depend on the order of operations: rounding, or a user's
                     * operator */
    struct choice_groups *groups; /* NULL: not known, or not needed (choice_needs_groups) */
};

struct choice_result {
    int status;                                /* RB_ENOMEM: there is no choice */
    const struct rb_algorithm_info *algorithm; /* NULL: the MPI library's own */
    struct rb_plan_spec plan;                  /* its n and options are set */
    int32_t width;
};

/* Room for the text of a setting with a file's name, and its end. */
enum { CHOICE_SETTING = 640 };

/* RB_EINVAL with why, which quotes the wrong part and says what would be right. */
int choice_setting_parse(const char *collective, const char *text, struct choice_setting *setting,
                         char *why, size_t why_size);

/* The candidates for trials beside the MPI library's own collective (trial.h), the most promising
 * first: setting `index` for calls of this collective and size, or NULL. Uses the situation's
 * collective, bytes, ordered and irregular. *text is the setting as text, unless text is NULL. */
enum { CHOICE_CANDIDATES = 6 };
const struct choice_setting *choice_candidate(const struct choice_situation *situation, int index,
                                              const char **text);

/* True if the choice by this setting, or by rule (NULL), depends on the groups in this situation,
 * which are not needed for that. */
bool choice_needs_groups(const struct choice_setting *setting,
                         const struct choice_situation *situation);

/* True if some ranks of p share a port, but not all of them, or groups of these do. Otherwise plans
 * by groups are circulant ones, and neither rules nor decision files nor trials take them. */
static inline bool choice_is_grouped(const struct choice_groups *groups, int32_t p)
{
    return groups != NULL && groups->count > 1 && (groups->count < p || groups->levels != NULL);
}

/* The sizes that an algorithm plans by, of all levels if it knows any but the smallest groups. */
static inline const char *choice_groups_for(const struct rb_algorithm_info *algorithm,
                                            const struct choice_groups *groups)
{
    return algorithm->places && groups->levels != NULL ? groups->levels : groups->sizes;
}

/* True if plans must have the ranks in the communicator's order: scans, and operators that do not
 * commute. */
bool choice_needs_order(const struct choice_situation *situation);

/* True if the candidate of a trial is for ranks with such ports, or plans by no groups. */
static inline bool choice_suits(const struct choice_groups *groups,
                                const struct rb_algorithm_info *candidate)
{
    return !candidate->groups || candidate->own_nic == (groups->lanes > 0) ||
           (candidate->places && groups->levels != NULL);
}

/* O(log p), the first time for an algorithm and groups O(p log p). Making the plan shows whether
 * the algorithm can serve the situation. */
struct choice_result choice_make(const struct choice_setting *setting,
                                 const struct choice_situation *situation);
