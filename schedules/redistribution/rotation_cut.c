/* rotation_cut.c - T_opt with at most one cut for each port of the side that never rests.
 *
 * Like rotation.c, but a receiver may begin in the middle of a cell: it does the rest of that cell
 * at the very end, so that one message is cut. Receiver c begins at u(c) of its round of T_opt
 * units, and the one ahead, c', has to be ahead by at least
 *     D(c, c') = max over n of W(c', n + 1) - W(c, n).
 * All receivers fit if the distances round the circle add up to T_opt at most. The kinds of
 * receivers follow each other in one order, b times; the order is the nearest kind next, from any
 * beginning. What is left of T_opt moves beginnings on to the next cell, so that nothing is cut.
 * Messages of one family are g0 at a time, and cut together.
 *
 * (15, 3) -> (15, 5): 15 receivers in distances of 1 on average, as T_opt = 15 leaves no more. */
#include <stdlib.h>

#include "nocut.h"
#include "rotation.h"

/* Beginnings in the order of the circle: kind[i % kinds] begins at[i]. */
struct circle {
    struct redist_rotation *o;
    int64_t *kind;  /* [r']: the order of the kinds */
    int64_t *begin; /* [kind b + copy]: u */
    bool *taken;    /* [r'] */
    int64_t length; /* of one turn through the kinds */
};

static int64_t distance(const struct redist_rotation *o, int64_t c, int64_t ahead)
{
    const int64_t s = o->grid->part[o->x];
    int64_t most = 0;
    for (int64_t n = 0; n < s; n++) {
        const int64_t d = redist_rotation_sum(o, ahead, n + 1) - redist_rotation_sum(o, c, n);
        most = d > most ? d : most;
    }
    return most;
}

/* Orders the kinds, `first` first; the length of a turn. */
static int64_t order_kinds(struct circle *circle, int64_t first)
{
    const int64_t kinds = circle->o->grid->part[!circle->o->x];
    int64_t length = 0, last = first;
    for (int64_t kind = 0; kind < kinds; kind++)
        circle->taken[kind] = kind == first;
    circle->kind[0] = first;
    for (int64_t i = 1; i < kinds; i++) {
        int64_t next = -1, nearest = 0;
        for (int64_t kind = 0; kind < kinds; kind++) {
            const int64_t d = circle->taken[kind] ? 0 : distance(circle->o, last, kind);
            if (!circle->taken[kind] && (next < 0 || d < nearest)) {
                next = kind;
                nearest = d;
            }
        }
        circle->taken[next] = true;
        circle->kind[i] = last = next;
        length += nearest;
    }
    return length + distance(circle->o, last, first);
}

/* How far it is from u to where a receiver of this kind begins a cell. */
static int64_t to_next_cell(const struct redist_rotation *o, int64_t kind, int64_t u)
{
    int64_t n = u / (o->grid->part[o->x] * o->grid->mean) * o->grid->part[o->x];
    while (redist_rotation_sum(o, kind, n) < u)
        n++;
    return redist_rotation_sum(o, kind, n) - u;
}

/* Starts as close together as possible, or a little later while there is `spare` time. */
static void place_receivers(struct circle *circle, int64_t spare)
{
    const struct redist_rotation *const o = circle->o;
    const int64_t kinds = o->grid->part[!o->x], copies = o->grid->copies[!o->x];
    int64_t u = 0;
    for (int64_t i = 0; i < kinds * copies; i++) {
        const int64_t kind = circle->kind[i % kinds];
        if (i > 0)
            u += distance(o, circle->kind[(i - 1) % kinds], kind);
        const int64_t on = to_next_cell(o, kind, u);
        if (on <= spare) {
            u += on;
            spare -= on;
        }
        circle->begin[kind * copies + i / kinds] = u;
    }
}

/* Searches for the shortest turn; false: none is short enough. */
static bool find_circle(struct circle *circle, int64_t most)
{
    const int64_t s = circle->o->grid->part[circle->o->x];
    const int64_t kinds = circle->o->grid->part[!circle->o->x];
    int64_t work = 0;
    for (int64_t step = 1; step <= s; step++) {
        if (!redist_rotation_order(circle->o, step))
            continue;
        for (int64_t first = 0; first < kinds && work < REDIST_ROTATION_WORK; first++) {
            circle->length = order_kinds(circle, first);
            work += kinds * kinds * s;
            if (circle->length <= most)
                return true;
        }
    }
    return false;
}

static int lay_out(const struct circle *circle, const struct rb_traffic *traffic,
                   struct rb_timetable *timetable)
{
    const struct redist_rotation *const o = circle->o;
    const struct redist_symmetry *const g = o->grid;
    const int x = o->x, y = !x;
    const int64_t T = o->senders * g->mean;
    size_t room = 0;
    int status = RB_OK;
    for (size_t i = 0; !status && i < traffic->count; i++) {
        const struct redist_symmetry_place m = redist_symmetry_place(g, &traffic->message[i]);
        const int64_t begin = circle->begin[m.inner[y] * g->copies[y] + m.copy[y]] % T;
        const int64_t n = m.copy[x] * g->part[x] + o->position[m.inner[x]];
        const int64_t at = redist_rotation_sum(o, m.inner[y], n) +
                           redist_rotation_cell(o, m.inner[x], m.inner[y], m.family);
        const int64_t start = (at - begin + T) % T, length = traffic->message[i].length;
        const int64_t whole = start + length <= T ? length : T - start;
        status = redist_timetable_add(timetable, &room, (struct rb_piece){i, 0, whole, start});
        if (!status && whole < length)
            status = redist_timetable_add(timetable, &room,
                                          (struct rb_piece){i, whole, length - whole, 0});
    }
    redist_timetable_finish(timetable);
    return status;
}

int redist_rotation_with_cuts(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                              struct rb_timetable *timetable, bool *found)
{
    struct redist_rotation o;
    const int y = !grid->longer;
    const int64_t kinds = grid->part[y];
    struct circle circle = {.o = &o};
    int status = redist_rotation_init(&o, grid);
    circle.kind = calloc((size_t)kinds, sizeof *circle.kind);
    circle.taken = calloc((size_t)kinds, sizeof *circle.taken);
    circle.begin = calloc((size_t)(kinds * grid->copies[y]), sizeof *circle.begin);
    *found = false;
    if (!circle.kind || !circle.taken || !circle.begin)
        status = RB_ENOMEM;
    const int64_t T = o.senders * grid->mean;
    if (!status && find_circle(&circle, T / grid->copies[y])) {
        *found = true;
        place_receivers(&circle, T - circle.length * grid->copies[y]);
        status = lay_out(&circle, traffic, timetable);
    }
    free(circle.kind);
    free(circle.taken);
    free(circle.begin);
    redist_rotation_deinit(&o);
    return status;
}
