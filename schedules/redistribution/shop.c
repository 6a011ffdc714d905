/* shop.c - decides whether there is a timetable without cuts, by a formula that describes when
 * each operation starts.
 *
 * Variables: operation i starts at t; it is on the way at t (the same if its length is 1). Clauses:
 * every operation has exactly one start; what is on the way at t started less than its length
 * before; a port has at most one operation on the way at a time, and at least one if its operations
 * fill the whole length.
 *
 * Ports with equal operations can be exchanged in any timetable. So the first of the receivers with
 * most operations may be the first of its kind to be served by the first of the senders with most
 * operations, and that sender the first of its kind to serve it: of all operations between the two
 * kinds it is the earliest. The other receivers can be sorted, kind by kind, by when that sender
 * serves them, and the other senders by when they serve that receiver. It is this order that makes
 * "no" quick.
 *
 * (4, 5) -> (5, 2): T = 5; 12 operations with 12 * 5 - 8 starts in all, as eight of them have
 * length 2: the answer is no. */
#include <inttypes.h>
#include <stdlib.h>

#include "redistribution.h"

enum { SEARCH = 16 };   /* effort for the search is at least this many times that for the formula */
enum { LITERALS = 16 }; /* number of literals that cost as much as an assignment */

struct model {
    const struct redist_shop *shop;
    int64_t unit; /* all lengths are multiples of it, and so starts can be */
    int64_t T;    /* units */
    struct redist_formula *f;
    int32_t ports[2];
    size_t *first[2]; /* the operations of port p of side s: list[s][first[s][p]] and on */
    size_t *list[2];
    int32_t *starts, *on_way; /* [i * T + t]: variables */
    int32_t *literal;         /* scratch: a clause */
    FILE *formula;            /* for comments, or NULL */
};

static int32_t port_of(const struct rb_message *op, int side)
{
    return side == 0 ? op->from : op->to;
}

static size_t degree(const struct model *m, int side, int32_t port)
{
    return m->first[side][port + 1] - m->first[side][port];
}

static int allocate(struct model *m)
{
    const size_t count = m->shop->count, starts = count * (size_t)m->T;
    m->f = redist_formula_new();
    m->starts = calloc(starts, sizeof *m->starts);
    m->on_way = calloc(starts, sizeof *m->on_way);
    m->literal = calloc(count + (size_t)m->T + 1, sizeof *m->literal);
    bool whole = m->f && m->starts && m->on_way && m->literal;
    for (int side = 0; side < 2; side++) {
        m->first[side] = calloc((size_t)m->ports[side] + 2, sizeof *m->first[side]);
        m->list[side] = calloc(count, sizeof *m->list[side]);
        whole = whole && m->first[side] && m->list[side];
    }
    return whole ? RB_OK : RB_ENOMEM;
}

static void release(struct model *m)
{
    redist_formula_free(m->f);
    free(m->starts);
    free(m->on_way);
    free(m->literal);
    for (int side = 0; side < 2; side++) {
        free(m->first[side]);
        free(m->list[side]);
    }
}

/* The operations of each port, in their order. */
static void sort_by_port(struct model *m, int side)
{
    size_t *const first = m->first[side];
    const struct redist_shop *const shop = m->shop;
    for (size_t i = 0; i < shop->count; i++)
        first[port_of(&shop->op[i], side) + 2]++;
    for (int32_t p = 2; p <= m->ports[side]; p++)
        first[p] += first[p - 1];
    for (size_t i = 0; i < shop->count; i++)
        m->list[side][first[port_of(&shop->op[i], side) + 1]++] = i;
}

/* Requires that at most one of the literals is true: four at a time, with a new variable whose
 * negation represents them among the rest. Overwrites the array. */
static void at_most_one(struct redist_formula *f, int32_t literal[], size_t count)
{
    while (count > 1) {
        const size_t group = count <= 5 ? count : 4;
        const int32_t link = count > group ? redist_formula_variable(f) : 0;
        for (size_t i = 0; i < group; i++) {
            for (size_t j = i + 1; j < group; j++)
                redist_formula_clause(f, (int32_t[]){-literal[i], -literal[j]}, 2);
            if (link)
                redist_formula_clause(f, (int32_t[]){-literal[i], -link}, 2);
        }
        if (!link)
            return;
        literal += group - 1;
        count -= group - 1;
        literal[0] = -link;
    }
}

static void one_start(struct model *m, size_t i)
{
    const int64_t T = m->T, length = m->shop->op[i].length / m->unit;
    int32_t *const starts = m->starts + (int64_t)i * T, *const on_way = m->on_way + (int64_t)i * T;
    const int64_t last = T - length;
    for (int64_t t = 0; t <= last; t++)
        m->literal[t] = starts[t] = redist_formula_variable(m->f);
    if (m->formula)
        fprintf(m->formula,
                "c message %zu, %" PRId32 " to %" PRId32 ", takes %" PRId64
                ": it starts at 0 to %" PRId64 " if %" PRId32 " to %" PRId32 "\n",
                i, m->shop->op[i].from, m->shop->op[i].to, length, last, starts[0], starts[last]);
    redist_formula_clause(m->f, m->literal, (size_t)(last + 1));
    at_most_one(m->f, m->literal, (size_t)(last + 1));
    for (int64_t t = 0; t < T; t++) {
        size_t count = 1;
        on_way[t] = length == 1 ? starts[t] : redist_formula_variable(m->f);
        for (int64_t u = t < length ? 0 : t - length + 1; length > 1 && u <= t && u <= last; u++) {
            redist_formula_clause(m->f, (int32_t[]){-starts[u], on_way[t]}, 2);
            m->literal[count++] = starts[u];
        }
        m->literal[0] = -on_way[t];
        if (length > 1)
            redist_formula_clause(m->f, m->literal, count);
    }
}

static void one_at_a_time(struct model *m, int side, int32_t port)
{
    const int64_t T = m->T;
    const size_t *const list = m->list[side] + m->first[side][port];
    const size_t count = degree(m, side, port);
    int64_t load = 0;
    for (size_t i = 0; i < count; i++)
        load += m->shop->op[list[i]].length;
    for (int64_t t = 0; t < T; t++) {
        for (size_t i = 0; i < count; i++)
            m->literal[i] = m->on_way[(int64_t)list[i] * T + t];
        if (load == T * m->unit)
            redist_formula_clause(m->f, m->literal, count);
        at_most_one(m->f, m->literal, count);
    }
}

/* ---- Ports that can be exchanged ------------------------------------------------------------- */

static bool exchangeable(const struct model *m, int side, int32_t a, int32_t b)
{
    const size_t *const x = m->list[side] + m->first[side][a];
    const size_t *const y = m->list[side] + m->first[side][b];
    const size_t count = degree(m, side, a);
    if (degree(m, side, b) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct rb_message *const v = &m->shop->op[x[i]], *const w = &m->shop->op[y[i]];
        if (port_of(v, !side) != port_of(w, !side) || v->length != w->length)
            return false;
    }
    return true;
}

static int32_t port_of_most(const struct model *m, int side)
{
    int32_t most = 0;
    for (int32_t p = 1; p < m->ports[side]; p++)
        if (degree(m, side, p) > degree(m, side, most))
            most = p;
    return most;
}

/* The first operation between a port and one of the other side, or count. */
static size_t operation_with(const struct model *m, int side, int32_t port, int32_t other)
{
    for (size_t i = m->first[side][port]; i < m->first[side][port + 1]; i++)
        if (port_of(&m->shop->op[m->list[side][i]], !side) == other)
            return m->list[side][i];
    return m->shop->count;
}

/* Operation i starts before operation j, of the same length. */
static void demand_order(struct model *m, size_t i, size_t j)
{
    const int64_t T = m->T;
    int32_t started = 0; /* i has started before t */
    if (m->formula)
        fprintf(m->formula, "c message %zu before message %zu: their ports can be exchanged\n", i,
                j);
    for (int64_t t = 0; t <= T - m->shop->op[i].length / m->unit; t++) {
        if (!started)
            redist_formula_clause(m->f, (int32_t[]){-m->starts[(int64_t)j * T + t]}, 1);
        else
            redist_formula_clause(m->f, (int32_t[]){-m->starts[(int64_t)j * T + t], started}, 2);
        const int32_t next = redist_formula_variable(m->f), now = m->starts[(int64_t)i * T + t];
        if (started)
            redist_formula_clause(m->f, (int32_t[]){-next, started, now}, 3);
        else
            redist_formula_clause(m->f, (int32_t[]){-next, now}, 2);
        started = next;
    }
}

/* Orders the interchangeable ports of a side by the time of their operation with `other`. */
static void order_ports(struct model *m, int side, int32_t other)
{
    for (int32_t a = 0; a < m->ports[side]; a++) {
        const size_t i = operation_with(m, side, a, other);
        int32_t b = a + 1;
        while (b < m->ports[side] && !exchangeable(m, side, a, b))
            b++;
        if (b < m->ports[side] && i < m->shop->count)
            demand_order(m, i, operation_with(m, side, b, other));
    }
}

static void formulate(struct model *m)
{
    for (int side = 0; side < 2; side++)
        sort_by_port(m, side);
    for (size_t i = 0; i < m->shop->count; i++)
        one_start(m, i);
    for (int side = 0; side < 2; side++)
        for (int32_t p = 0; p < m->ports[side]; p++)
            one_at_a_time(m, side, p);
    const int32_t sender = port_of_most(m, 0), receiver = port_of_most(m, 1);
    order_ports(m, 1, sender);
    order_ports(m, 0, receiver);
}

static void read_starts(const struct model *m, int64_t start[])
{
    for (size_t i = 0; i < m->shop->count; i++) {
        const int32_t *const starts = m->starts + (int64_t)i * m->T;
        int64_t t = 0;
        while (!redist_formula_true(m->f, starts[t]))
            t++;
        start[i] = t * m->unit;
    }
}

static int64_t common_unit(const struct redist_shop *shop)
{
    int64_t unit = shop->op[0].length;
    for (size_t i = 1; i < shop->count; i++)
        unit = rb_common_divisor(unit, shop->op[i].length);
    return unit;
}

/* No operation, or one that can't be done in time: no formula is needed. */
static bool plain(const struct redist_shop *shop, enum redist_answer *answer)
{
    *answer = shop->count == 0 ? REDIST_YES : REDIST_UNDECIDED;
    for (size_t i = 0; i < shop->count; i++)
        if (shop->op[i].length > shop->length)
            *answer = REDIST_NO;
    return *answer != REDIST_UNDECIDED;
}

/* Words of the formula's clauses (redistribution.h), at least: those about an operation's starts,
 * each of which is on the way for its length. */
static double least_words(const struct model *m)
{
    enum { WORDS = 4 + 1 }; /* a clause of two literals, and a literal in a longer one */
    double words = 0;
    for (size_t i = 0; i < m->shop->count; i++) {
        const double length = (double)(m->shop->op[i].length / m->unit);
        words += WORDS * length * ((double)m->T - length + 1);
    }
    return words;
}

int redist_shop_certify(const struct redist_shop *shop, FILE *formula, FILE *proof, int64_t *effort,
                        int64_t start[], enum redist_answer *answer)
{
    struct model m = {.shop = shop, .ports = {shop->senders, shop->receivers}, .formula = formula};
    if (plain(shop, answer))
        return RB_OK;
    m.unit = common_unit(shop);
    m.T = shop->length / m.unit;
    if (m.T > *effort / SEARCH / (int64_t)shop->count)
        return RB_OK;
    const double words = least_words(&m);
    if (words > (double)REDIST_FORMULA_MOST_WORDS || words > (double)*effort / 2 * LITERALS)
        return RB_OK;
    *effort -= m.T * (int64_t)shop->count + (int64_t)words / LITERALS;
    int status = allocate(&m);
    if (!status) {
        redist_formula_certify(m.f, formula, proof);
        formulate(&m);
        status = redist_formula_solve(m.f, effort, answer);
    }
    if (!status && *answer == REDIST_YES)
        read_starts(&m, start);
    release(&m);
    return status;
}

int redist_shop_decide(const struct redist_shop *shop, int64_t *effort, int64_t start[],
                       enum redist_answer *answer)
{
    return redist_shop_certify(shop, NULL, NULL, effort, start, answer);
}

int rb_timetable_certify(const struct rb_traffic *traffic, FILE *formula, FILE *proof,
                         int64_t most_effort, int *exists)
{
    static const int of[] = {[REDIST_NO] = 0, [REDIST_YES] = 1, [REDIST_UNDECIDED] = -1};
    const struct redist_shop shop = {traffic->senders, traffic->receivers, traffic->count,
                                     traffic->message, traffic->longest_port};
    int64_t *const start = malloc((traffic->count + 1) * sizeof *start);
    enum redist_answer answer = REDIST_UNDECIDED;
    const int status =
        start ? redist_shop_certify(&shop, formula, proof, &most_effort, start, &answer)
              : RB_ENOMEM;
    free(start);
    *exists = of[answer];
    return status;
}

/* ---- Timetables of T_opt units in which no message is cut ------------------------------------ */

/* Where the problem has a grid (redistribution.h), by rotation, which is quick (rotation.c); else
 * by a search over all messages, which succeeds for some dozens of ports. */

static int search_all(const struct rb_traffic *traffic, int64_t *effort, int64_t start[],
                      bool *found)
{
    const struct redist_shop shop = {traffic->senders, traffic->receivers, traffic->count,
                                     traffic->message, traffic->longest_port};
    enum redist_answer answer;
    const int status = redist_shop_decide(&shop, effort, start, &answer);
    *found = !status && answer == REDIST_YES;
    return status;
}

static int search_grid(const struct rb_cyclic *problem, const struct rb_traffic *traffic,
                       int64_t *effort, int64_t start[], bool *found)
{
    struct redist_symmetry grid;
    int status = redist_symmetry_init(&grid, problem, traffic);
    if (!status)
        status = redist_nocut_rotation(&grid, traffic, start, found);
    if (!status && !*found)
        status = search_all(traffic, effort, start, found);
    redist_symmetry_deinit(&grid);
    return status;
}

int redist_nocut_search(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found)
{
    return redist_symmetry_applies(problem, traffic)
               ? search_grid(&problem->dimension[0], traffic, effort, start, found)
               : search_all(traffic, effort, start, found);
}
