/* modular.c - T_opt without cuts by modular classes, in any number of dimensions.
 *
 * The product of timetables: where message a of the first dimension has the time from start to
 * start + length, message (a, b) has the part of it that message b has of the second dimension's
 * timetable, in which every unit takes length(a). So no port is used twice, and the lengths
 * multiply. The product is T_opt if the same side never rests in all dimensions. On grids that
 * overlap, what stays at its rank leaves a gap, so T_opt may be less: then it is refused. */
#include "redistribution.h"

#include <stdlib.h>

#include "schedules/plan/plan.h"

/* ---- The timetable of the classes ------------------------------------------------------------ */

/* Timetables of T_opt without cuts for one dimension, by modular classes, if there is room for
 * them (after Section 5 of the paper, but with other conditions).
 *
 * For one slice, M = L, and gcd(r, s) = 1 (else both are divided by it). The messages from p to q
 * with p r - q s = k (mod g), g = gcd(P r, Q s), are class k: they are equally long, vol(k), and
 * with r' = gcd(r, Q), s' = gcd(s, P) each of its senders has B = Q s' / g receivers in it, each
 * receiver A = P r' / g senders, in complete bipartite graphs of so many ranks; a rank's place
 * there is p div (g / r'), or q div (g / s'). The class' senders are those with p = k u (mod s'),
 * its receivers those with q = k v (mod r'), where u r - v s = 1.
 *
 * Say P >= Q, so that the receivers must never rest (else it is the mirror image).
 *
 * Windows. A receiver's classes, those that agree modulo r', follow each other from k = 1 - r
 * upwards without a pause, one sender in each; this takes 1 / r' of the sum of all vol(k), a pass.
 * After A passes, with other senders each, everything is sent, and this is T_opt. It works if
 * there are senders enough: classes that agree modulo s' and are on at the same time need senders
 * of their own. Class k in pass b takes those at places b + w B, ..., b + w B + B - 1 (mod A) for
 * its receivers in order, where w, one of floor(A / B) windows, is the first that is free when the
 * class starts; so each pair meets once. For r' <= s' one window is enough, that is P / s' >= Q /
 * r'; for s' = 1 there are r', enough for all.
 *
 * Proof for r' <= s'. Class k + s' starts no earlier than class k + r', which follows k, as
 * start(k) never falls: start(k + 1) - start(k) is the number of rises of vol, less that of falls,
 * from i to i + 1 for i = k - r', k - 2 r', ...; vol is the convolution of r ones with s ones,
 * modulo g. If r + s <= g, it rises s (or r) times in a row, and falls as often r (or s) places
 * later: as r' divides r, each fall modulo r' has its rise before it. Else take off the multiples
 * of g in r and s, which are constants in vol, and if what is left, r and s again, still is more
 * than g, take the g - r and g - s zeros instead of the ones: a constant and a convolution of less
 * than g, which starts at k = 1 - r or later.
 *
 * Phases, for r' = 1 and B > A: all receivers are in all classes, but A at a time for want of
 * senders. They are taken in groups of A by their places, at most s' groups as P >= Q. In phase f
 * of s', group x has the classes with k = x + f (mod s'), so that no two groups want the same
 * senders; these follow each other in passes as above, A passes a phase. All phases are equally
 * long, and T_opt is reached. Hence: if gcd(r, Q) = 1 or gcd(s, P) = 1, there always is a T_opt
 * timetable without cuts.
 *
 * (15, 3) -> (6, 5), Table 4: r' = 3, s' = 5, g = 15; k = -2, ..., 4 have lengths 1, 2, 3, 3, 3,
 * 2, 1 and start at 0, 0, 0, 1, 2, 3, 4; a pass takes 5 and there are 3, T_opt = 15. Example 1,
 * (6, 2) -> (6, 3), has r' = 2, s' = 3, and room for 1 window if the senders never rest, where 2
 * are needed.
 *
 * Proposition 1 as printed has, besides r' = s' = 1, "r' < s' and P / s' < Q / r'" or the mirror
 * image: that holds of (15, 3) -> (15, 5), for which Section 4.2 says that no such timetable
 * exists, and of (4, 5) -> (5, 2): its four senders each have 2, 2 and 1 elements to send without
 * rest, the 1 to receiver 2, hence at time 0, 2 or 4, and three times are not enough for four. The
 * text below Table 4, and the table, are of the inequality above.
 *
 * Work: O(messages log messages + classes x windows). */

struct classes {
    int64_t P, Q, r, s; /* r, s without common divisor */
    int64_t g, r_, s_;  /* r', s' */
    int64_t count;      /* of classes with messages: k = 1 - r .. count - r */
    int64_t *volume;    /* [count] */
    int64_t *start;     /* [count]: within a pass */
    int64_t *window;    /* [count] */
    int64_t *free_at;   /* [max(P, Q)]: when a window of a residue is free again */
    int64_t pass;       /* how long one takes */
    bool by_receivers;  /* the receivers are never idle; otherwise the senders */
    bool by_phases;     /* otherwise by windows */
};

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

/* How many ranks of the side that never rests, or of the other one, are in a class' complete
 * bipartite graphs. */
static int64_t together(const struct classes *c, bool never_rest)
{
    return never_rest == c->by_receivers ? c->Q * c->s_ / c->g : c->P * c->r_ / c->g;
}

/* In which pass a message of class k is sent. */
static int64_t pass_of(const struct classes *c, struct rb_message m, int64_t k)
{
    const int64_t from = m.from / (c->g / c->r_), to = m.to / (c->g / c->s_);
    const int64_t place = c->by_receivers ? to : from, other = c->by_receivers ? from : to;
    const int64_t passes = together(c, false);
    const int64_t shift = c->by_phases ? 0 : c->window[k] * together(c, true);
    const int64_t pass = ((other - place - shift) % passes + passes) % passes;
    if (!c->by_phases)
        return pass;
    const int64_t phases = c->by_receivers ? c->s_ : c->r_;
    return (k + phases - place / passes) % phases * passes + pass;
}

/* When classes start in a pass, if those follow each other that agree modulo chains. */
static void time_classes(struct classes *c, int64_t chains)
{
    c->pass = 0;
    for (int64_t k = 0; k < c->count; k++) {
        c->start[k] = k < chains ? 0 : c->start[k - chains] + c->volume[k - chains];
        c->pass = most(c->pass, c->start[k] + c->volume[k]);
    }
}

/* Gives each class the first window of its residue that is free when it starts; false: there are
 * not enough. */
static bool give_windows(struct classes *c, int64_t residues)
{
    const int64_t windows = together(c, false) / together(c, true);
    for (int64_t i = 0; i < residues * windows; i++)
        c->free_at[i] = 0;
    for (int64_t k = 0; k < c->count; k++) {
        int64_t *const free_at = c->free_at + k % residues * windows;
        int64_t w = 0;
        while (w < windows && free_at[w] > c->start[k])
            w++;
        if (w == windows)
            return false;
        c->window[k] = w;
        free_at[w] = c->start[k] + c->volume[k];
    }
    return true;
}

/* True if there is a T_opt timetable in which this side is never idle. */
static bool arrange_by(struct classes *c, bool by_receivers)
{
    const int64_t chains = by_receivers ? c->r_ : c->s_, others = by_receivers ? c->s_ : c->r_;
    if (by_receivers ? c->P < c->Q : c->Q < c->P)
        return false;
    c->by_receivers = by_receivers;
    c->by_phases = chains == 1 && together(c, true) > together(c, false);
    time_classes(c, c->by_phases ? others : chains);
    return c->by_phases || give_windows(c, others);
}

static int arrange(struct classes *c, char *why, size_t why_size)
{
    if (arrange_by(c, true) || arrange_by(c, false))
        return RB_OK;
    return rb_why(why, why_size, RB_EINVAL,
                  "modular's classes are too many at once for the %s: r' = gcd(r, Q) = %lld, s' = "
                  "gcd(s, P) = %lld, P / s' = %lld, Q / r' = %lld",
                  c->P > c->Q   ? "senders"
                  : c->P < c->Q ? "receivers"
                                : "ranks",
                  (long long)c->r_, (long long)c->s_, (long long)(c->P / c->s_),
                  (long long)(c->Q / c->r_));
}

static struct classes classes_of(const struct rb_cyclic *z)
{
    const int64_t common = rb_common_divisor(z->r, z->s);
    struct classes c = {.P = z->P, .Q = z->Q, .r = z->r / common, .s = z->s / common};
    c.g = rb_common_divisor(c.P * c.r, c.Q * c.s);
    c.r_ = rb_common_divisor(c.r, c.Q);
    c.s_ = rb_common_divisor(c.s, c.P);
    c.count = least(c.g, c.r + c.s - 1);
    return c;
}

/* When each message starts if the traffic is the dimension's own, of one slice, for disjoint grids:
 * start[] is the caller's, [messages]; the length is T_opt. RB_EINVAL with why if there is no room;
 * RB_ENOMEM. O(messages + classes x windows). */
static int modular_times(const struct rb_cyclic *dimension, const struct rb_traffic *traffic,
                         int64_t start[], int64_t *length, char *why, size_t why_size)
{
    int status = RB_OK;
    struct classes c = classes_of(dimension);
    c.volume = calloc((size_t)c.count, sizeof *c.volume);
    c.start = calloc((size_t)c.count, sizeof *c.start);
    c.window = calloc((size_t)c.count, sizeof *c.window);
    c.free_at = malloc((size_t)most(c.P, c.Q) * sizeof *c.free_at);
    if (c.volume == NULL || c.start == NULL || c.window == NULL || c.free_at == NULL)
        status = RB_ENOMEM;
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        c.volume[class_of(&c, traffic->message[i])] = traffic->message[i].length;
    if (status == RB_OK)
        status = arrange(&c, why, why_size);
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++) {
        const int64_t k = class_of(&c, traffic->message[i]);
        start[i] = pass_of(&c, traffic->message[i], k) * c.pass + c.start[k];
    }
    *length = traffic->longest_port;
    free(c.volume);
    free(c.start);
    free(c.window);
    free(c.free_at);
    return status;
}

/* ---- The method ------------------------------------------------------------------------------ */

struct factor {
    struct rb_traffic traffic; /* of one slice */
    int64_t *start;            /* [messages] */
    int64_t length;
};

static int init(struct factor *f, const struct rb_cyclic *dimension, char *why, size_t why_size)
{
    const int64_t slice = redist_cyclic_slice(dimension);
    struct rb_redistribution alone = {
        .dimensions = 1, .dimension = {*dimension}, .at = dimension->P};
    if (slice == 0 || slice > dimension->M)
        return rb_why(why, why_size, RB_EINVAL,
                      "modular needs M, %lld, to be a multiple of lcm(P r, Q s), which is more",
                      (long long)dimension->M);
    alone.dimension[0].M = slice;
    const int status = rb_traffic_init(&f->traffic, &alone, why, why_size);
    if (status != RB_OK)
        return status;
    f->start = malloc((f->traffic.count + 1) * sizeof *f->start);
    if (f->start == NULL)
        return RB_ENOMEM;
    return modular_times(dimension, &f->traffic, f->start, &f->length, why, why_size);
}

static void deinit(struct factor *f)
{
    rb_traffic_deinit(&f->traffic);
    free(f->start);
}

REDIST_BY(by_ranks, struct rb_message, from, to);

static size_t find(const struct rb_traffic *traffic, int32_t from, int32_t to)
{
    const struct rb_message wanted = {.from = from, .to = to};
    const struct rb_message *const found =
        bsearch(&wanted, traffic->message, traffic->count, sizeof wanted, by_ranks);
    return (size_t)(found - traffic->message);
}

/* When a message of the product starts. The last dimension's coordinate is the lowest digit of a
 * rank, so the digits come from the end, and the start is put together from there. */
static int64_t start_of(struct rb_message m, const struct factor factor[], int32_t dimensions)
{
    int64_t start = 0, length = 1; /* of the dimensions behind */
    for (int32_t k = dimensions - 1; k >= 0; k--) {
        const struct rb_traffic *const t = &factor[k].traffic;
        const size_t i = find(t, m.from % t->senders, m.to % t->receivers);
        start = factor[k].start[i] * length + t->message[i].length * start;
        length *= factor[k].length;
        m.from /= t->senders;
        m.to /= t->receivers;
    }
    return start;
}

int redist_modular_starts(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                          int64_t start[], int64_t *length, char *why, size_t why_size)
{
    struct factor factor[RB_MAX_DIMENSIONS] = {0};
    int status = RB_OK;
    *length = 1;
    if (problem == NULL)
        return rb_why(why, why_size, RB_EINVAL, "modular needs a problem, not only its traffic");
    for (int32_t k = 0; k < problem->dimensions && status == RB_OK; k++) {
        status = init(&factor[k], &problem->dimension[k], why, why_size);
        *length *= factor[k].length;
    }
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        start[i] = start_of(traffic->message[i], factor, problem->dimensions);
    for (int32_t k = 0; k < problem->dimensions; k++)
        deinit(&factor[k]);
    return status;
}

static int check_slices(const struct rb_redistribution *problem, char *why, size_t why_size)
{
    for (int32_t k = 0; k < problem->dimensions; k++) {
        const struct rb_cyclic *const z = &problem->dimension[k];
        if (z->M % redist_cyclic_slice(z) != 0)
            return rb_why(why, why_size, RB_EINVAL,
                          "modular needs M, %lld, to be a multiple of lcm(P r, Q s), %lld",
                          (long long)z->M, (long long)redist_cyclic_slice(z));
    }
    return RB_OK;
}

static int check_length(int64_t length, const struct rb_traffic *traffic, char *why,
                        size_t why_size)
{
    if (length == traffic->longest_port)
        return RB_OK;
    return rb_why(why, why_size, RB_EINVAL, "modular takes %lld units here, not %lld: %s",
                  (long long)length, (long long)traffic->longest_port,
                  traffic->copies > 0 ? "on grids that overlap there is less to send"
                                      : "its dimensions differ in which side never rests");
}

int redist_modular(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                   const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                   char *why, size_t why_size)
{
    (void)options;
    int64_t *start = malloc((traffic->count + 1) * sizeof *start), length;
    *timetable = (struct rb_timetable){0};
    int status = start == NULL
                     ? RB_ENOMEM
                     : redist_modular_starts(problem, traffic, start, &length, why, why_size);
    if (status == RB_OK)
        status = check_slices(problem, why, why_size);
    if (status == RB_OK)
        status = check_length(length, traffic, why, why_size);
    if (status == RB_OK)
        status = redist_timetable_of_starts(traffic, start, timetable);
    free(start);
    if (status != RB_OK)
        rb_timetable_deinit(timetable);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}
