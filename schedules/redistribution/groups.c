/* groups.c - timetables without cuts from one for a few ports.
 *
 * Let a s' >= b r' in the shop of redistribution.h, so that receivers never rest (else all is
 * mirrored). Divide the copies of senders into groups and the copies of receivers into groups. If a
 * group of k copies of senders can serve a group of l copies of receivers in k s' r'' s'' units,
 * which needs k s' >= l r', then a group of receivers can take one group of senders after the other
 * without rest, cyclically, each group of receivers starting with another one, far enough from the
 * others that no group of senders serves two at once. So a small shop (redistribution.h) is enough
 * where there are such groups. With k = l = 1, the tile itself, there are if s' >= r' and a >= b,
 * or mirrored. That is the condition of the paper's Proposition 1 with P / s' and Q / r' compared
 * the other way round; as printed it promises a timetable for (4, 5) -> (5, 2), which has none.
 *
 * Smaller groups are tried first; at last everything is one group.
 *
 * (8, 3) -> (3, 4): s' = 4, r' = 3, a = 2, b = 1: a tile of 4 senders and 3 receivers, done in 4
 * units, then the other one in 4 units: T_opt = 8. */
#include <stdlib.h>

#include "redistribution.h"

/* A timetable for groups of n[0] and n[1] copies; start: as length, for n[0] s' senders and n[1] r'
 * receivers. */
struct pattern {
    int64_t n[2];
    int64_t *start;
};

/* How the copies of the longer side are divided into groups: the first `larger` have n + 1 copies,
 * the others n; those of the other side into groups of `width`. */
struct division {
    int64_t groups, n, larger, width;
    int64_t *offset; /* [groups]: where each group of the other side begins; owned */
};

/* The place of an operation in a pattern. */
static int64_t place(const struct redist_symmetry *g, const struct pattern *p, int64_t sender,
                     int64_t receiver, int64_t family)
{
    return (sender * p->n[1] * g->part[1] + receiver) * g->families + family;
}

/* ---- The shop of two groups ------------------------------------------------------------------ */

/* The operations: whole cells, or each family on its own. */
static size_t list_operations(const struct redist_symmetry *g, const struct pattern *p, bool cells,
                              struct rb_message op[])
{
    size_t count = 0;
    for (int32_t i = 0; i < p->n[0] * g->part[0]; i++)
        for (int32_t j = 0; j < p->n[1] * g->part[1]; j++) {
            int64_t sum = 0;
            for (int64_t f = 0; f < g->families; f++) {
                const int64_t length = redist_symmetry_length(g, i, j, f);
                sum += length;
                if (!cells && length > 0)
                    op[count++] = (struct rb_message){i, j, length};
            }
            if (cells && sum > 0)
                op[count++] = (struct rb_message){i, j, sum};
        }
    return count;
}

/* From the starts of the operations, in the order of list_operations, to those of the families. */
static void fill_pattern(const struct redist_symmetry *g, struct pattern *p, bool cells,
                         const int64_t *start)
{
    for (int64_t i = 0; i < p->n[0] * g->part[0]; i++)
        for (int64_t j = 0; j < p->n[1] * g->part[1]; j++) {
            int64_t sum = 0;
            for (int64_t f = 0; f < g->families; f++) {
                const int64_t length = redist_symmetry_length(g, i, j, f);
                if (length == 0)
                    continue;
                p->start[place(g, p, i, j, f)] = cells ? *start + sum : *start++;
                sum += length;
            }
            start += cells && sum > 0;
        }
}

static int search_pattern(const struct redist_symmetry *g, struct pattern *p, bool cells,
                          int64_t *effort, bool *found)
{
    const int64_t senders = p->n[0] * g->part[0], receivers = p->n[1] * g->part[1];
    const size_t most = (size_t)(senders * receivers * (cells ? 1 : g->families));
    struct rb_message *const op = malloc(most * sizeof *op);
    int64_t *const start = malloc(most * sizeof *start);
    int status = op && start ? RB_OK : RB_ENOMEM;
    if (!status) {
        const struct redist_shop shop = {(int32_t)senders, (int32_t)receivers,
                                         list_operations(g, p, cells, op), op,
                                         g->mean * (senders > receivers ? senders : receivers)};
        enum redist_answer answer;
        status = redist_shop_decide(&shop, effort, start, &answer);
        *found = answer == REDIST_YES;
    }
    if (!status && *found)
        fill_pattern(g, p, cells, start);
    free(op);
    free(start);
    return status;
}

/* Makes p, for its n; the caller frees p->start. Cells first: there is less to search. */
static int make_pattern(const struct redist_symmetry *g, struct pattern *p, int64_t *effort,
                        bool *found)
{
    const size_t size = (size_t)(p->n[0] * g->part[0] * p->n[1] * g->part[1] * g->families);
    *found = false;
    p->start = calloc(size, sizeof *p->start);
    int status = p->start ? RB_OK : RB_ENOMEM;
    if (!status)
        status = search_pattern(g, p, true, effort, found);
    if (!status && !*found && g->families > 1)
        status = search_pattern(g, p, false, effort, found);
    return status;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static int64_t group_start(const struct division *d, int64_t group)
{
    return group * d->n + (group < d->larger ? group : d->larger);
}

static int64_t group_of(const struct division *d, int64_t copy)
{
    const int64_t in_larger = d->larger * (d->n + 1);
    return copy < in_larger ? copy / (d->n + 1) : d->larger + (copy - in_larger) / d->n;
}

/* Divides the longer side into d->groups groups and the other one into as many as can take turns,
 * which begin at least the largest group apart; false if these would be too wide. */
static bool divide(const struct redist_symmetry *g, struct division *d)
{
    const int x = g->longer, y = !x;
    d->n = g->copies[x] / d->groups;
    d->larger = g->copies[x] % d->groups;
    const int64_t apart = d->n + (d->larger > 0);
    int64_t turns = 1;
    d->offset[0] = 0;
    for (int64_t i = 1; i < d->groups; i++) {
        const int64_t start = group_start(d, i);
        if (start - d->offset[turns - 1] >= apart && g->copies[x] - start >= apart)
            d->offset[turns++] = start;
    }
    d->width = (g->copies[y] + turns - 1) / turns;
    return d->width * g->part[y] <= d->n * g->part[x];
}

/* When each message starts. pattern[0]: of groups of d->n copies, pattern[1]: of one more. */
static void lay_out(const struct redist_symmetry *g, const struct division *d,
                    const struct pattern pattern[], const struct rb_traffic *traffic,
                    int64_t start[])
{
    const int x = g->longer, y = !x;
    for (size_t i = 0; i < traffic->count; i++) {
        struct redist_symmetry_place m = redist_symmetry_place(g, &traffic->message[i]);
        const int64_t group = group_of(d, m.copy[x]), first = group_start(d, group);
        const struct pattern *const p = &pattern[group < d->larger];
        const int64_t turn = first - d->offset[m.copy[y] / d->width];
        m.inner[x] += (m.copy[x] - first) * g->part[x];
        m.inner[y] += m.copy[y] % d->width * g->part[y];
        start[i] = (turn < 0 ? turn + g->copies[x] : turn) * g->part[x] * g->mean +
                   p->start[place(g, p, m.inner[0], m.inner[1], m.family)];
    }
}

/* Searches the patterns that a division needs; found: all of them were. */
static int try_division(const struct redist_symmetry *g, const struct division *d,
                        const struct rb_traffic *traffic, int64_t *effort, int64_t start[],
                        bool *found)
{
    const int x = g->longer;
    struct pattern pattern[2] = {{.n = {d->n, d->n}}, {.n = {d->n + 1, d->n + 1}}};
    pattern[0].n[!x] = pattern[1].n[!x] = d->width;
    int status = make_pattern(g, &pattern[0], effort, found);
    if (!status && *found && d->larger > 0)
        status = make_pattern(g, &pattern[1], effort, found);
    if (!status && *found)
        lay_out(g, d, pattern, traffic, start);
    free(pattern[0].start);
    free(pattern[1].start);
    return status;
}

/* Tries one division after the other; each may use half of the effort that is left. */
int redist_nocut_groups(const struct redist_symmetry *g, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found)
{
    struct division d = {.offset = malloc((size_t)g->copies[g->longer] * sizeof *d.offset)};
    int status = d.offset ? RB_OK : RB_ENOMEM;
    *found = false;
    for (d.groups = g->copies[g->longer]; !status && !*found && d.groups > 0; d.groups--)
        if (divide(g, &d)) {
            int64_t half = *effort / 2;
            *effort -= half;
            status = try_division(g, &d, traffic, &half, start, found);
            *effort += half;
        }
    free(d.offset);
    return status;
}
