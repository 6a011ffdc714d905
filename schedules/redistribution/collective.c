/* collective.c - redistribute: an array that is distributed CYCLIC(r) on P ranks moves to CYCLIC(s)
 * on Q ranks; every rank sends each rank the elements that belong there. SRC has a rank's data for
 * each rank, DST the data for the rank by owner; parts without elements are left out.
 *
 * Source: F. Desprez, S. Domas, J. Dongarra, A. Petitet, C. Randriamaro, Y. Robert 1998, More on
 * Scheduling Block-Cyclic Array Redistribution. A block is a unit of their messages
 * (redistribution.h), and n has no meaning.
 *
 * Bounds: a port has one message per round, so there are at least as many rounds as one rank has
 * messages; each unit moves once; and T_opt, the largest number of units that one rank has to send
 * or to receive, bounds the volume in sequence (Lemma 1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redistribution.h"

/* ---- Instances ------------------------------------------------------------------------------- */

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

static void problem_free(struct redist_problem *redistributed)
{
    if (redistributed == NULL)
        return;
    rb_traffic_deinit(&redistributed->traffic);
    free(redistributed->shares.row);
    free(redistributed->shares.share);
    free(redistributed);
}

static int problem_make(const struct rb_redistribution *problem, struct redist_problem **made,
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
        problem_free(all);
        return status;
    }
    *made = all;
    return RB_OK;
}

/* ---- The collective -------------------------------------------------------------------------- */

static int instance(struct rb_plan *plan, const char *text, char *why, size_t why_size)
{
    struct rb_redistribution problem;
    struct redist_problem *all;
    int status = rb_redistribution_read(text, plan->p, &problem, why, why_size);
    if (status == RB_OK)
        status = problem_make(&problem, &all, why, why_size);
    if (status != RB_OK)
        return status;
    int64_t longest = 1;
    for (size_t i = 0; i < all->shares.row[plan->p]; i++)
        if (all->shares.share[i].units > longest)
            longest = all->shares.share[i].units;
    if (longest > INT64_MAX / plan->p / plan->p) {
        problem_free(all);
        return rb_why(why, why_size, RB_EINVAL, "the messages have too many units, up to %lld",
                      (long long)longest);
    }
    plan->problem.own = all;
    plan->shares = &all->shares;
    plan->n = 1;
    plan->blocks = longest * plan->p;
    rb_redistribution_write(&problem, plan->instance, sizeof plan->instance);
    return RB_OK;
}

static int instance_ranks(const char *text, int32_t *p, char *why, size_t why_size)
{
    struct rb_redistribution problem;
    const int status = rb_redistribution_read(text, 0, &problem, why, why_size);
    if (status == RB_OK)
        *p = rb_redistribution_ranks(&problem);
    return status;
}

static void release(struct rb_plan *plan)
{
    problem_free(redist_problem_of(plan));
}

/* True if the block is a unit of what its owner has for the block's destination. */
static bool is_unit(const struct rb_plan *plan, int32_t owner, int64_t index)
{
    const int64_t blocks = rb_part_blocks(plan);
    return index % blocks < rb_share_of(plan, owner, (int32_t)(index / blocks)).units;
}

static int64_t precondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                            int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_SRC && is_unit(plan, owner, index) ? rb_plan_datum(plan, owner, index)
                                                           : RB_NOTHING;
}

static int64_t postcondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                             int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST && is_unit(plan, owner, index) ? rb_plan_datum(plan, owner, index)
                                                           : RB_NOTHING;
}

/* The most messages of one sender, or of one receiver. */
static int64_t bound_rounds(const struct rb_plan *plan, int64_t n)
{
    const struct rb_traffic *traffic = &redist_problem_of(plan)->traffic;
    int64_t sent = 0, most = 0;
    int32_t *received = calloc((size_t)traffic->receivers, sizeof *received);
    (void)n;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message *message = &traffic->message[i];
        sent = i > 0 && message[-1].from == message->from ? sent + 1 : 1;
        most = sent > most ? sent : most;
        if (received != NULL && ++received[message->to] > most)
            most = received[message->to];
    }
    free(received);
    return most;
}

static int64_t bound_moves(const struct rb_plan *plan)
{
    const struct rb_traffic *traffic = &redist_problem_of(plan)->traffic;
    int64_t units = 0;
    for (size_t i = 0; i < traffic->count; i++)
        units += traffic->message[i].length;
    return units;
}

static int64_t bound_busiest(const struct rb_plan *plan, int64_t rounds)
{
    (void)rounds;
    return redist_problem_of(plan)->traffic.longest_port;
}

const struct rb_collective redist_collective = {
    .info = {.name = "redistribute",
             .title = "a block-cyclic array moves to another block-cyclic distribution",
             .distributed = true,
             .personalized = true,
             .instance = "P=P,r=R,Q=Q,s=S,M=M,at=A: from blocks of R elements on ranks 0 .. P - 1 "
                         "to blocks of S on ranks A .. A + Q - 1; usually P = Q = p, R = 2, S = 3, "
                         "M the least common multiple of P R and Q S, A = P if that makes p ranks, "
                         "else 0; several dimensions: P=..,..,s=../P=..,..,s=..",
             .fixed_counts = true},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .instance = instance,
    .instance_ranks = instance_ranks,
    .release = release,
    .precondition = precondition,
    .postcondition = postcondition,
    .bound_rounds = bound_rounds,
    .bound_moves = bound_moves,
    .bound_busiest = bound_busiest,
};

/* ---- What this library has ------------------------------------------------------------------- */

/* The methods of list.h, and what it adds to the core: the collective, and a plan for each method
 * (best.c and others: sources, and how they work). Rounds: times at which pieces start
 * (redistribution.h). */

const struct rb_redistribute_method rb_redistribute_methods[] = {
#define REDIST_METHOD(function, name_, title_, paper_, rounds_, suits_)                            \
    {name_, title_, paper_, redist_##function},
#include "list.h"
    {0},
};

#define REDIST_METHOD(function, name_, title_, paper_, rounds_, suits_)                            \
    static const struct rb_algorithm function = {                                                  \
        .info = {.collective = "redistribute",                                                     \
                 .name = name_,                                                                    \
                 .title = title_,                                                                  \
                 .paper = paper_,                                                                  \
                 .rounds = rounds_,                                                                \
                 .blocks = "nothing: messages are cut by the method"},                             \
        .suits = suits_,                                                                           \
        REDIST_SCHEDULED};
#include "list.h"

static const struct rb_algorithm *const algorithms[] = {
#define REDIST_METHOD(function, name, title, paper, rounds, suits) &function,
#include "list.h"
};
static const struct rb_collective *const collectives[] = {&redist_collective};

static const struct rb_library library = {
    .name = "roundabout-redistribution",
    .release = RB_VERSION,
    .collectives = sizeof collectives / sizeof collectives[0],
    .collective = collectives,
    .algorithms = sizeof algorithms / sizeof algorithms[0],
    .algorithm = algorithms,
};

int rb_redistribution_add(char *why, size_t why_size)
{
    return rb_library_add(&library, why, why_size);
}
