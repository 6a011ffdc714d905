/* modular.c - T_opt without cuts by modular classes, where their conditions hold (Section 5 of the
 * paper).
 *
 * For M = m L and gcd(r, s) = 1 (else both are divided by it). The messages from p to q with
 * p r - q s = k (mod g), g = gcd(P r, Q s), are class k: they are equally long, vol(k), and with
 * r' = gcd(r, Q), s' = gcd(s, P) each of its senders has Q s' / g receivers in it, each receiver
 * P r' / g senders, in complete bipartite graphs of so many ranks. So a class takes
 * N = max(Q s', P r') / g matchings. Its senders are those with p = k u (mod s'), its receivers
 * those with q = k v (mod r'), where u r - v s = 1: classes can go on at the same time unless they
 * agree modulo s' or modulo r'.
 *
 * One pass has one matching of each class. Say r' <= s': the classes that agree modulo r' follow
 * each other, from k = 1 - r upwards, without a pause, so that a pass takes 1 / r' of the sum of
 * all vol(k), and N passes follow each other. For r' = s' = 1, that is T_opt. Else it is T_opt if
 * and only if P / s' >= Q / r', where the receivers never rest. r' > s' is the mirror image.
 *
 * No two classes meet modulo s': class k + s' starts no earlier than class k + r', which follows k,
 * as start(k) never falls. For start(k + 1) - start(k) is the number of rises of vol, less that of
 * falls, between i and i + 1 for i = k - r', k - 2 r', ...; vol is the convolution of r ones with s
 * ones, modulo g. If r + s <= g, it rises s (or r) times in a row, and falls as often r (or s)
 * places later: as r' divides r, each fall modulo r' has its rise before it. Else take off the
 * multiples of g in r and s, which are constants in vol, and if what is left, r and s again, still
 * is more than g, take the g - r and g - s zeros instead of the ones: a constant and a convolution
 * of less than g, which starts at k = 1 - r or later.
 *
 * Example 1, (6, 2) -> (6, 3): g = 6, r' = 2, s' = 3; k = -1, ..., 2 have lengths 1, 2, 2, 1, but
 * P / s' = 2 < 3 = Q / r'. (15, 3) -> (6, 5), Table 4: r' = 3, s' = 5, g = 15; k = -2, ..., 4 have
 * 1, 2, 3, 3, 3, 2, 1 and start at 0, 0, 0, 1, 2, 3, 4; a pass takes 5 and there are 3, T_opt = 15.
 *
 * Proposition 1 as printed has this inequality the wrong way round ("r' < s' and P / s' < Q / r'"):
 * that holds of (15, 3) -> (15, 5), for which Section 4.2 proves that no such timetable exists. The
 * text below Table 4, and the table, are of the condition above.
 *
 * Work: O(messages log messages). */
#include <stdlib.h>

#include "../plan.h"
#include "redistribution.h"

struct classes {
    const struct rb_traffic *traffic;
    int64_t P, Q, r, s; /* r, s without common divisor */
    int64_t g, r_, s_;  /* r', s' */
    int64_t count;      /* of classes with messages: k = 1 - r .. count - r */
    int64_t *volume;    /* [count] */
    int64_t *start;     /* [count]: within a pass */
    int64_t pass;       /* how long one takes */
};

static int64_t gcd(int64_t x, int64_t y)
{
    return y == 0 ? x : gcd(y, x % y);
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/* Which class, counted from k = 1 - r. */
static int64_t class_of(const struct classes *c, struct rb_message m)
{
    const int64_t y = (m.from * c->r - m.to * c->s + c->r - 1) % c->g;
    return y < 0 ? y + c->g : y;
}

/* In which pass: the places of sender and receiver in their complete bipartite graph differ by
 * that. */
static int64_t pass_of(const struct classes *c, struct rb_message m)
{
    const int64_t senders = c->P * c->r_ / c->g, receivers = c->Q * c->s_ / c->g;
    const int64_t passes = most(senders, receivers);
    const int64_t from = m.from / (c->g / c->r_), to = m.to / (c->g / c->s_);
    return (to - from + passes) % passes;
}

static int check_problem(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                         char *why, size_t why_size)
{
    const struct rb_cyclic *z = &problem->dimension[0];
    if (problem->dimensions != 1)
        return rb_why(why, why_size, RB_EINVAL, "modular is for one dimension, not %d",
                      (int)problem->dimensions);
    if (traffic->copies > 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "modular is for disjoint grids: %zu of its messages are copies here",
                      traffic->copies);
    const bool large = z->r > z->M / z->P || z->s > z->M / z->Q;
    const int64_t outer = large ? 0 : z->P * z->r, inner = large ? 0 : z->Q * z->s;
    if (large || outer / gcd(outer, inner) > z->M / inner ||
        z->M % (outer / gcd(outer, inner) * inner) != 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "modular needs M, %lld, to be a multiple of lcm(P r, Q s)", (long long)z->M);
    return RB_OK;
}

/* The condition for T_opt; for T_opt only. */
static int check_condition(const struct classes *c, char *why, size_t why_size)
{
    const int64_t boxes_P = c->P / c->s_, boxes_Q = c->Q / c->r_;
    const bool holds = c->r_ == c->s_ || (c->r_ < c->s_ ? boxes_P >= boxes_Q : boxes_P <= boxes_Q);
    if (holds)
        return RB_OK;
    return rb_why(why, why_size, RB_EINVAL,
                  "modular needs P / s' %s Q / r' with r' = gcd(r, Q) = %lld and s' = gcd(s, P) = "
                  "%lld; they are %lld and %lld",
                  c->r_ < c->s_ ? ">=" : "<=", (long long)c->r_, (long long)c->s_,
                  (long long)boxes_P, (long long)boxes_Q);
}

/* When classes start in a pass. */
static void time_classes(struct classes *c)
{
    const int64_t chains = least(c->r_, c->s_);
    for (int64_t k = 0; k < c->count; k++) {
        c->start[k] = k < chains ? 0 : c->start[k - chains] + c->volume[k - chains];
        c->pass = most(c->pass, c->start[k] + c->volume[k]);
    }
}

static int timetable_of(const struct classes *c, struct rb_timetable *timetable)
{
    size_t room = 0;
    for (size_t i = 0; i < c->traffic->count; i++) {
        const struct rb_message m = c->traffic->message[i];
        const int64_t start = pass_of(c, m) * c->pass + c->start[class_of(c, m)];
        if (rb_timetable_add(timetable, &room, (struct rb_piece){i, 0, m.length, start}) != RB_OK)
            return RB_ENOMEM;
    }
    rb_timetable_finish(timetable);
    return RB_OK;
}

static struct classes classes_of(const struct rb_cyclic *z, const struct rb_traffic *traffic)
{
    const int64_t common = gcd(z->r, z->s);
    struct classes c = {
        .traffic = traffic, .P = z->P, .Q = z->Q, .r = z->r / common, .s = z->s / common};
    c.g = gcd(c.P * c.r, c.Q * c.s);
    c.r_ = gcd(c.r, c.Q);
    c.s_ = gcd(c.s, c.P);
    c.count = least(c.g, c.r + c.s - 1);
    return c;
}

int rb_redistribute_modular(const struct rb_redistribution *problem,
                            const struct rb_traffic *traffic,
                            const struct rb_redistribute_options *options,
                            struct rb_timetable *timetable, char *why, size_t why_size)
{
    (void)options;
    *timetable = (struct rb_timetable){0};
    int status = check_problem(problem, traffic, why, why_size);
    if (status != RB_OK)
        return status;
    struct classes c = classes_of(&problem->dimension[0], traffic);
    c.volume = calloc((size_t)c.count, sizeof *c.volume);
    c.start = calloc((size_t)c.count, sizeof *c.start);
    status = c.volume == NULL || c.start == NULL ? RB_ENOMEM : check_condition(&c, why, why_size);
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        c.volume[class_of(&c, traffic->message[i])] = traffic->message[i].length;
    if (status == RB_OK) {
        time_classes(&c);
        status = timetable_of(&c, timetable);
    }
    free(c.volume);
    free(c.start);
    if (status != RB_OK)
        rb_timetable_deinit(timetable);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}
