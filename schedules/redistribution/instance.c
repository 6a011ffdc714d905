#include "instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ------------------------------------------------------------------------------------ */

enum { P_, R_, Q_, S_, M_, AT, NUMBERS };

/* One dimension's words. */
static int read_dimension(const char *text, int32_t p, struct rb_cyclic *one, int64_t *at,
                          char *why, size_t why_size)
{
    const int64_t usual = p > 0 ? p : 1;
    struct rb_instance_number numbers[NUMBERS] = {
        [P_] = {"P", 1, RB_MAX_RANKS, usual, false}, [R_] = {"r", 1, RB_MAX_ELEMENTS, 2, false},
        [Q_] = {"Q", 1, RB_MAX_RANKS, usual, false}, [S_] = {"s", 1, RB_MAX_ELEMENTS, 3, false},
        [M_] = {"M", 1, RB_MAX_ELEMENTS, 0, false},  [AT] = {"at", 0, RB_MAX_RANKS, 0, false},
    };
    const int status = rb_instance_read(text, numbers, NUMBERS, why, why_size);
    if (status != RB_OK)
        return status;
    if (p == 0 && (!numbers[P_].given || !numbers[Q_].given))
        return rb_why(why, why_size, RB_EINVAL, "%s is missing: how many ranks the array is %s",
                      numbers[P_].given ? "Q" : "P", numbers[P_].given ? "to lie on" : "on");
    *one = (struct rb_cyclic){.P = (int32_t)numbers[P_].value,
                              .r = numbers[R_].value,
                              .Q = (int32_t)numbers[Q_].value,
                              .s = numbers[S_].value,
                              .M = numbers[M_].value};
    if (!numbers[M_].given)
        one->M = redist_cyclic_slice(one);
    if (one->M == 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "the least common multiple of P r and Q s is too large: give M");
    if (!numbers[AT].given)
        return RB_OK;
    if (*at >= 0)
        return rb_why(why, why_size, RB_EINVAL, "at is given twice");
    *at = numbers[AT].value;
    return RB_OK;
}

/* All dimensions' ranks multiplied, or -1 if there are more than can be. */
static int64_t product(const struct rb_redistribution *problem, bool of_senders)
{
    int64_t ranks = 1;
    for (int32_t d = 0; d < problem->dimensions && ranks >= 0; d++) {
        ranks *= of_senders ? problem->dimension[d].P : problem->dimension[d].Q;
        if (ranks > RB_MAX_RANKS)
            ranks = -1;
    }
    return ranks;
}

int32_t rb_redistribution_senders(const struct rb_redistribution *problem)
{
    return (int32_t)product(problem, true);
}

int32_t rb_redistribution_receivers(const struct rb_redistribution *problem)
{
    return (int32_t)product(problem, false);
}

int32_t rb_redistribution_ranks(const struct rb_redistribution *problem)
{
    const int32_t senders = rb_redistribution_senders(problem);
    const int32_t end = problem->at + rb_redistribution_receivers(problem);
    return end > senders ? end : senders;
}

/* Where the receivers begin, and whether that makes p ranks. */
static int place(struct rb_redistribution *problem, int32_t p, int64_t at, char *why,
                 size_t why_size)
{
    const int64_t senders = product(problem, true), receivers = product(problem, false);
    if (senders < 0 || receivers < 0 || senders + receivers > RB_MAX_RANKS)
        return rb_why(why, why_size, RB_EINVAL, "P and Q make more than %d ranks",
                      (int)RB_MAX_RANKS);
    if (at > senders)
        return rb_why(why, why_size, RB_EINVAL,
                      "at must be in 0..%lld, where the source's ranks end, not %lld",
                      (long long)senders, (long long)at);
    if (at >= 0)
        problem->at = (int32_t)at;
    else
        problem->at = (int32_t)(p == 0 || p == senders + receivers ? senders : 0);
    const int32_t ranks = rb_redistribution_ranks(problem);
    if (p == 0 || p == ranks)
        return RB_OK;
    if (at >= 0)
        return rb_why(why, why_size, RB_EINVAL, "these are %d ranks", (int)ranks);
    return rb_why(why, why_size, RB_EINVAL,
                  "these are %lld ranks, or %d if the target's are the source's",
                  (long long)(senders + receivers), (int)ranks);
}

int rb_redistribution_read(const char *text, int32_t p, struct rb_redistribution *problem,
                           char *why, size_t why_size)
{
    int64_t at = -1;
    int status = RB_OK;
    *problem = (struct rb_redistribution){0};
    if (text == NULL) {
        status =
            read_dimension(NULL, p, &problem->dimension[problem->dimensions++], &at, why, why_size);
    }
    for (const char *word = text; status == RB_OK && word != NULL;) {
        const size_t length = strcspn(word, "/");
        char one[RB_INSTANCE_LENGTH];
        if (length >= sizeof one || problem->dimensions == RB_MAX_DIMENSIONS)
            return rb_why(why, why_size, RB_EINVAL, "\"%.40s...\" is too long", text);
        snprintf(one, sizeof one, "%.*s", (int)length, word);
        /* With several dimensions, p alone says nothing about each. */
        const bool only = problem->dimensions == 0 && word[length] == '\0';
        status = read_dimension(one, only ? p : 0, &problem->dimension[problem->dimensions++], &at,
                                why, why_size);
        word = word[length] == '/' ? word + length + 1 : NULL;
    }
    return status == RB_OK ? place(problem, p, at, why, why_size) : status;
}

void rb_redistribution_write(const struct rb_redistribution *problem, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t d = 0; d < problem->dimensions && used < size; d++) {
        const struct rb_cyclic *one = &problem->dimension[d];
        used += (size_t)snprintf(text + used, size - used, "%sP=%d,r=%lld,Q=%d,s=%lld,M=%lld",
                                 d == 0 ? "" : "/", (int)one->P, (long long)one->r, (int)one->Q,
                                 (long long)one->s, (long long)one->M);
    }
    if (used < size)
        snprintf(text + used, size - used, ",at=%d", (int)problem->at);
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* Messages and copies, each sorted, into one sorted list. */
static void merge(const struct rb_traffic *traffic, int32_t at, int32_t ranks,
                  struct rb_shares *shares)
{
    size_t i = 0, j = 0, used = 0;
    for (int32_t owner = 0; owner < ranks; owner++) {
        shares->row[owner] = used;
        while ((i < traffic->count && traffic->message[i].from == owner) ||
               (j < traffic->copies && traffic->copy[j].from == owner)) {
            const bool copy = j < traffic->copies && traffic->copy[j].from == owner &&
                              !(i < traffic->count && traffic->message[i].from == owner &&
                                traffic->message[i].to < traffic->copy[j].to);
            const struct rb_message *next = copy ? &traffic->copy[j++] : &traffic->message[i++];
            shares->share[used++] = (struct rb_share){
                .part = at + next->to, .before = shares->units, .units = next->length};
            shares->units += next->length;
        }
    }
    shares->row[ranks] = used;
}

int redist_problem_make(const struct rb_redistribution *problem, struct redist_problem **made,
                        char *why, size_t why_size)
{
    const int32_t ranks = rb_redistribution_ranks(problem);
    struct redist_problem *all = calloc(1, sizeof *all);
    *made = NULL;
    if (all == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    all->problem = *problem;
    int status = rb_traffic_init(&all->traffic, problem, why, why_size);
    if (status == RB_OK) {
        all->shares.row = calloc((size_t)ranks + 1, sizeof *all->shares.row);
        all->shares.share =
            calloc(all->traffic.count + all->traffic.copies + 1, sizeof *all->shares.share);
        if (all->shares.row == NULL || all->shares.share == NULL)
            status = rb_why(why, why_size, RB_ENOMEM, "out of memory");
        else
            merge(&all->traffic, problem->at, ranks, &all->shares);
    }
    if (status != RB_OK) {
        redist_problem_free(all);
        return status;
    }
    *made = all;
    return RB_OK;
}

void redist_problem_free(struct redist_problem *redistributed)
{
    if (redistributed == NULL)
        return;
    rb_traffic_deinit(&redistributed->traffic);
    free(redistributed->shares.row);
    free(redistributed->shares.share);
    free(redistributed);
}
