/* rotation.c - timetables without cuts: every port of one side serves the other side in the same
 * cyclic order.
 *
 * Let a s' >= b r' in the shop of redistribution.h, so that receivers are never idle (otherwise
 * everything is mirrored). Put the senders into some cyclic order. Receiver c starts at time 0 with
 * sender o(c) and serves one after the other without pause; it is done after T_opt. If the
 * receivers are sorted by o, no sender has two receivers at once exactly if, of every two
 * neighbours c, c', the one ahead, c', is done with each sender before c reaches it:
 *     W(c, n) - W(c, o) >= W(c', n + 1) - W(c', o')    for n = o', o' + 1, ..., o + a s' - 1,
 * where W(c, n) is the sum of the cells of c with senders 0 .. n - 1, and the first receiver is
 * also ahead of the last one, by a round. The sum over one copy of the senders is the same for all
 * receivers, so that n need only run over one copy.
 *
 * If all cells are equal (s' = 1 or r' = 1), o(c) = 0, 1, 2, ... will do: there always is a
 * timetable without cuts. Else the receivers are placed one by one, so that the next few could
 * follow as closely as their kinds allow. The senders' order is copy after copy, and within a copy
 * by steps of 1, 2, ... modulo s'. All that is tried until REDIST_ROTATION_WORK is done.
 *
 * (4, 3) -> (6, 2), mirrored, as there are more receivers: s' = 2, r' = 3, g0 = 2, a = b = 1. In
 * the shop two senders have 2 1 0 and 0 1 2 units for three receivers. The first begins with
 * receiver 0, the second one ahead, with receiver 1: both are done at T_opt = 3. */
#include <stdlib.h>

#include "redistribution.h"

struct redist_rotation {
    const struct redist_symmetry *grid;
    int x;             /* the side of the senders: the longer one */
    int64_t senders;   /* in the shop */
    int64_t *position; /* [s']: of a kind of senders, in the order */
    int64_t *sum;      /* [r'][s' + 1]: of cells over one copy, in the order */
};

/* Comparisons until a search for a rotation ends. */
#define REDIST_ROTATION_WORK ((int64_t)1 << 25)

enum { WIDEST = 4, LOOKED_AHEAD = 24 };

struct rotation {
    struct redist_rotation r;
    int64_t *left;     /* [r']: receivers of this kind still to be placed */
    int64_t *begin;    /* [kind b + copy]: o */
    int8_t *gap;       /* [(kind s' + place) r' + next kind]: least gap, at most WIDEST */
    int32_t *distance; /* [(receivers to come r' + kind) s' + place] */
    int64_t work;      /* of placing so far, in comparisons */
};

/* Deinit it also after a failure. RB_ENOMEM. */
static int rotation_init(struct redist_rotation *o, const struct redist_symmetry *grid)
{
    const int x = grid->longer;
    const int64_t s = grid->part[x];
    *o = (struct redist_rotation){.grid = grid, .x = x, .senders = s * grid->copies[x]};
    o->position = calloc((size_t)s, sizeof *o->position);
    o->sum = calloc((size_t)(grid->part[!x] * (s + 1)), sizeof *o->sum);
    return o->position && o->sum ? RB_OK : RB_ENOMEM;
}

static void rotation_deinit(struct redist_rotation *o)
{
    free(o->position);
    free(o->sum);
    *o = (struct redist_rotation){0};
}

/* Units of a kind of receivers from the first n senders in the order; n may exceed their number. */
static int64_t rotation_sum(const struct redist_rotation *o, int64_t kind, int64_t n)
{
    const int64_t s = o->grid->part[o->x];
    return n / s * s * o->grid->mean + o->sum[kind * (s + 1) + n % s];
}

/* Units of the first families of the cell of a kind of senders and one of receivers. */
static int64_t rotation_cell(const struct redist_rotation *o, int64_t sender, int64_t receiver,
                             int64_t families)
{
    return o->x == 0 ? redist_symmetry_cell(o->grid, sender, receiver, families)
                     : redist_symmetry_cell(o->grid, receiver, sender, families);
}

/* Puts the senders into the order copy after copy, and within a copy by steps modulo s'. False if
 * that is no order, because step and s' have a common factor. */
static bool rotation_order(struct redist_rotation *o, int64_t step)
{
    const int64_t s = o->grid->part[o->x], kinds = o->grid->part[!o->x];
    if (rb_common_divisor(s, step) > 1)
        return false;
    for (int64_t n = 0; n < s; n++)
        o->position[n * step % s] = n;
    for (int64_t kind = 0; kind < kinds; kind++)
        for (int64_t n = 0; n < s; n++)
            o->sum[kind * (s + 1) + n + 1] =
                o->sum[kind * (s + 1) + n] +
                rotation_cell(o, n * step % s, kind, o->grid->families);
    return true;
}

/* True if a receiver of kind c' may begin at o' when the next one behind it, of kind c, begins at
 * o. */
static bool clear(const struct rotation *o, int64_t c, int64_t at, int64_t c_ahead, int64_t ahead)
{
    const int64_t s = o->r.grid->part[o->r.x];
    const int64_t end = ahead + s < at + o->r.senders ? ahead + s : at + o->r.senders;
    const int64_t lead = rotation_sum(&o->r, c_ahead, ahead) - rotation_sum(&o->r, c, at);
    for (int64_t n = ahead; n < end; n++)
        if (rotation_sum(&o->r, c, n) + lead < rotation_sum(&o->r, c_ahead, n + 1))
            return false;
    return true;
}

/* For every kind, position of a sender and number of further receivers: the smallest distance in
 * which these can follow, of any kinds, with gaps up to WIDEST. */
static void look_ahead(struct rotation *o)
{
    const int64_t s = o->r.grid->part[o->r.x], kinds = o->r.grid->part[!o->r.x], states = kinds * s;
    for (int64_t i = 0; i < states; i++) {
        const int64_t kind = i / s, at = i % s;
        for (int64_t next = 0; next < kinds; next++) {
            int64_t gap = 1;
            while (gap < WIDEST && !clear(o, kind, at, next, at + gap))
                gap++;
            o->gap[i * kinds + next] = (int8_t)gap;
        }
    }
    for (int64_t i = states; i < (LOOKED_AHEAD + 1) * states; i++) {
        const int64_t state = i % states, before = i - i % states - states;
        o->distance[i] = INT32_MAX;
        for (int64_t next = 0; next < kinds; next++) {
            const int64_t gap = o->gap[state * kinds + next];
            const int32_t d = (int32_t)gap + o->distance[before + next * s + (state % s + gap) % s];
            o->distance[i] = d < o->distance[i] ? d : o->distance[i];
        }
    }
}

/* The next kind and its position: the choice that leaves room for most receivers within the range
 * of the search; among equal choices the kind with most receivers left. -1: no more room. */
static int64_t choose(const struct rotation *o, int64_t c, int64_t *at, int64_t depth, int64_t end)
{
    const int64_t s = o->r.grid->part[o->r.x], kinds = o->r.grid->part[!o->r.x];
    const int32_t *const distance = o->distance + depth * kinds * s;
    int64_t chosen = -1, best = INT64_MAX, place = 0;
    for (int64_t next = 0; next < kinds; next++) {
        if (o->left[next] == 0)
            continue;
        int64_t ahead = *at + o->gap[(c * s + *at % s) * kinds + next];
        while (ahead < end && !clear(o, c, *at, next, ahead))
            ahead++;
        const int64_t cost = ahead - *at + distance[next * s + ahead % s];
        if (ahead < end && (cost < best || (cost == best && o->left[next] > o->left[chosen]))) {
            chosen = next;
            best = cost;
            place = ahead;
        }
    }
    *at = place;
    return chosen;
}

/* Places all receivers, the first of them one of kind 0 at `first`. */
static bool place_receivers(struct rotation *o, int64_t first, int64_t depth)
{
    const int64_t kinds = o->r.grid->part[!o->r.x], copies = o->r.grid->copies[!o->r.x];
    for (int64_t kind = 0; kind < kinds; kind++)
        o->left[kind] = copies;
    o->begin[--o->left[0]] = first;
    int64_t kind = 0, at = first;
    for (int64_t placed = 1; placed < kinds * copies; placed++) {
        kind = choose(o, kind, &at, depth, first + o->r.senders);
        o->work += kinds * o->r.grid->part[o->r.x];
        if (kind < 0 || o->work > REDIST_ROTATION_WORK)
            return false;
        o->begin[kind * copies + --o->left[kind]] = at;
    }
    return clear(o, kind, at, 0, first + o->r.senders);
}

static void lay_out(const struct rotation *o, const struct rb_traffic *traffic, int64_t start[])
{
    const struct redist_symmetry *const g = o->r.grid;
    const int x = o->r.x, y = !x;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct redist_symmetry_place m = redist_symmetry_place(g, &traffic->message[i]);
        const int64_t begin = o->begin[m.inner[y] * g->copies[y] + m.copy[y]];
        const int64_t n = m.copy[x] * g->part[x] + o->r.position[m.inner[x]];
        const int64_t turn = ((n - begin) % o->r.senders + o->r.senders) % o->r.senders;
        start[i] = rotation_sum(&o->r, m.inner[y], begin + turn) -
                   rotation_sum(&o->r, m.inner[y], begin) +
                   rotation_cell(&o->r, m.inner[x], m.inner[y], m.family);
    }
}

/* With the senders in the order by this step. */
static bool try_order(struct rotation *o, int64_t step)
{
    bool found = false;
    if (!rotation_order(&o->r, step))
        return false;
    look_ahead(o);
    for (int64_t first = 0; first < o->r.grid->part[o->r.x] && !found; first++)
        for (int64_t depth = 0; depth <= LOOKED_AHEAD && !found; depth += depth > 0 ? depth : 1)
            found = place_receivers(o, first, depth);
    return found;
}

int redist_nocut_rotation(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                          int64_t start[], bool *found)
{
    const int64_t s = grid->part[grid->longer], kinds = grid->part[!grid->longer];
    struct rotation o = {0};
    int status = rotation_init(&o.r, grid);
    o.left = calloc((size_t)kinds, sizeof *o.left);
    o.begin = calloc((size_t)(kinds * grid->copies[!grid->longer]), sizeof *o.begin);
    o.gap = calloc((size_t)(kinds * s * kinds), sizeof *o.gap);
    o.distance = calloc((size_t)((LOOKED_AHEAD + 1) * kinds * s), sizeof *o.distance);
    if (!o.left || !o.begin || !o.gap || !o.distance)
        status = RB_ENOMEM;
    *found = false;
    for (int64_t step = 1; !status && step <= s && !*found && o.work < REDIST_ROTATION_WORK; step++)
        *found = try_order(&o, step);
    if (*found)
        lay_out(&o, traffic, start);
    rotation_deinit(&o.r);
    free(o.left);
    free(o.begin);
    free(o.gap);
    free(o.distance);
    return status;
}
