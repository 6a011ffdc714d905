/* traffic.c - who has how much for whom when CYCLIC(r) on P ranks becomes CYCLIC(s) on Q ranks.
 *
 * Below, the side with the larger blocks is the outer one: A ranks with blocks of a elements,
 * against B inner ranks with blocks of b <= a. What outer rank i and inner rank j share repeats
 * after every slice of L = lcm(A a, B b) elements.
 *
 * Whole slices. Let an outer block of i start delta elements after an inner block of j, at places x
 * and x - delta. Then delta = i a - j b (mod g), g = gcd(A a, B b), and every such delta occurs
 * once per slice (Chinese remainders). The two blocks share min(b, delta + a, b - delta) elements,
 * -a < delta < b: Figure 5 of the paper, vol. So j has something from i wherever j b = i a - delta
 * (mod g), which is solved for j with one inverse, and the sum over delta, delta + g, ... is a sum
 * of three arithmetic progressions. P = Q = 6, r = 2, s = 3: the receivers are the outer side,
 * g = 6, and delta = -2, -1, 0, 1 gives 1, 2, 2 and 1 elements; receiver 0 has 2 from senders 0 and
 * 3 (delta = 0) and 1 from 1 and 4 (delta = -2); Table 2.
 *
 * The incomplete last slice is walked by outer blocks, each of which falls on at most B inner
 * ranks.
 *
 * Several dimensions: an element goes from (p1, p2) to (q1, q2) if each coordinate does, so the
 * lengths multiply. */
#include <stdlib.h>

#include "redistribution.h"
#include "schedules/plan/plan.h"

/* ---- The symmetry of a block-cyclic redistribution (redistribution.h)
 * ------------------------------ */

/* x / y modulo m; y and m have no common factor. */
static int64_t quotient_modulo(int64_t x, int64_t y, int64_t m)
{
    int64_t result = 0;
    while ((result * y - x) % m != 0)
        result++;
    return result;
}

bool redist_symmetry_applies(const struct rb_redistribution *problem,
                             const struct rb_traffic *traffic)
{
    if (!problem || problem->dimensions != 1 || traffic->count == 0 || traffic->copies > 0)
        return false;
    const struct rb_cyclic *const c = &problem->dimension[0];
    if (c->r > c->M / c->P || c->s > c->M / c->Q)
        return false;
    const int64_t of_senders = c->r * c->P, of_receivers = c->s * c->Q;
    const int64_t rounds = of_senders / rb_common_divisor(of_senders, of_receivers);
    return c->M % of_receivers == 0 && c->M / of_receivers % rounds == 0;
}

int redist_symmetry_init(struct redist_symmetry *g, const struct rb_cyclic *c,
                         const struct rb_traffic *traffic)
{
    const int64_t common = rb_common_divisor(c->r, c->s), r = c->r / common, s = c->s / common;
    g->part[0] = rb_common_divisor(s, c->P);
    g->part[1] = rb_common_divisor(r, c->Q);
    g->families = rb_common_divisor(c->P / g->part[0], c->Q / g->part[1]);
    g->slope =
        quotient_modulo(r / g->part[1] % g->families, s / g->part[0] % g->families, g->families);
    g->copies[0] = c->P / g->part[0] / g->families;
    g->copies[1] = c->Q / g->part[1] / g->families;
    g->longer = g->part[0] * g->copies[0] >= g->part[1] * g->copies[1] ? 0 : 1;
    g->mean = traffic->longest_port / (g->part[g->longer] * g->copies[g->longer]);
    g->length = calloc((size_t)(g->part[0] * g->part[1] * g->families), sizeof *g->length);
    if (!g->length)
        return RB_ENOMEM;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message *const m = &traffic->message[i];
        if (m->from < g->part[0] && m->to < g->part[1] * g->families)
            g->length[(m->from * g->part[1] + m->to % g->part[1]) * g->families +
                      m->to / g->part[1]] = m->length;
    }
    return RB_OK;
}

void redist_symmetry_deinit(struct redist_symmetry *g)
{
    free(g->length);
    *g = (struct redist_symmetry){0};
}

struct redist_symmetry_place redist_symmetry_place(const struct redist_symmetry *g,
                                                   const struct rb_message *message)
{
    const int64_t port[2] = {message->from, message->to};
    struct redist_symmetry_place place;
    int64_t member[2];
    for (int side = 0; side < 2; side++) {
        place.inner[side] = port[side] % g->part[side];
        member[side] = port[side] / g->part[side] % g->families;
        place.copy[side] = port[side] / g->part[side] / g->families;
    }
    const int64_t back = g->slope * member[0] % g->families;
    place.family = (member[1] - back + g->families) % g->families;
    return place;
}

/* Units of a family of the cell between a sender and a receiver of the shop (their kind is what
 * counts); 0: no such message. */
static int64_t length_at(const struct redist_symmetry *g, int64_t sender, int64_t receiver,
                         int64_t family)
{
    const int64_t cell = sender % g->part[0] * g->part[1] + receiver % g->part[1];
    return g->length[cell * g->families + family];
}

int64_t redist_symmetry_cell(const struct redist_symmetry *g, int64_t sender, int64_t receiver,
                             int64_t families)
{
    int64_t sum = 0;
    for (int64_t family = 0; family < families; family++)
        sum += length_at(g, sender, receiver, family);
    return sum;
}

/* ---- Traffic --------------------------------------------------------------------------------- */

/* One dimension, from the side with the larger blocks. */
struct sides {
    int64_t a, b;
    int32_t A, B;
    int64_t slices;  /* whole ones */
    int64_t rest;    /* elements of the incomplete one */
    int64_t g, d;    /* gcd(A a, B b), gcd(b, g); 0 without a whole slice */
    int64_t inverse; /* of b / d, mod g / d */
};

/* The data of one outer rank for the inner ranks. */
struct shares {
    int64_t *volume;  /* [B], elements */
    int32_t *touched; /* those with volume > 0, in any order */
    int32_t count;
};

/* Messages in elements, growing. */
struct list {
    struct rb_message *message;
    size_t count, room;
};

int64_t redist_cyclic_slice(const struct rb_cyclic *z)
{
    if (z->r > RB_MAX_ELEMENTS / z->P || z->s > RB_MAX_ELEMENTS / z->Q)
        return 0;
    const int64_t source = z->P * z->r, target = z->Q * z->s,
                  common = rb_common_divisor(source, target);
    return source / common > RB_MAX_ELEMENTS / target ? 0 : source / common * target;
}

/* x with x * value = 1 (mod modulus), which have no common divisor; modulus < 2^31. */
static int64_t inverse_of(int64_t value, int64_t modulus)
{
    int64_t old = modulus, now = value % modulus, old_x = 0, x = 1 % modulus;
    while (now > 1) {
        const int64_t quotient = old / now, next = old % now, next_x = old_x - quotient * x;
        old = now;
        now = next;
        old_x = x;
        x = next_x;
    }
    return x < 0 ? x + modulus : x;
}

static struct sides sides_of(const struct rb_cyclic *c)
{
    const bool from_is_outer = c->r >= c->s;
    struct sides z = {.a = from_is_outer ? c->r : c->s,
                      .b = from_is_outer ? c->s : c->r,
                      .A = from_is_outer ? c->P : c->Q,
                      .B = from_is_outer ? c->Q : c->P,
                      .rest = c->M};
    z.a = z.a < c->M ? z.a : c->M;
    z.b = z.b < c->M ? z.b : c->M;
    if (z.a > c->M / z.A || z.b > c->M / z.B)
        return z;
    const int64_t outer = z.a * z.A, inner = z.b * z.B, g = rb_common_divisor(outer, inner);
    if (outer / g > c->M / inner)
        return z;
    z.slices = c->M / (outer / g * inner);
    z.rest = c->M % (outer / g * inner);
    z.g = g;
    z.d = rb_common_divisor(z.b, g);
    z.inverse = inverse_of(z.b / z.d, g / z.d);
    return z;
}

static void add(struct shares *shares, int32_t j, int64_t elements)
{
    if (shares->volume[j] == 0)
        shares->touched[shares->count++] = j;
    shares->volume[j] += elements;
}

/* How many of y, y + step, ... are less than end. */
static uint64_t terms(uint64_t y, uint64_t step, uint64_t end)
{
    return y < end ? (end - 1 - y) / step + 1 : 0;
}

/* The sum of min(b, y, a + b - y) over y, y + step, ... < a + b; y > 0. a, b and step are at most
 * 2^62, so that no number here exceeds 2^64. */
static int64_t volume_from(const struct sides *z, uint64_t y, uint64_t step)
{
    const uint64_t a = (uint64_t)z->a, b = (uint64_t)z->b, rising = terms(y, step, b);
    uint64_t sum = 0;
    if (rising > 0)
        sum += rising * (2 * y + (rising - 1) * step) / 2;
    y += rising * step;
    const uint64_t flat = terms(y, step, a + 1);
    sum += flat * b;
    y += flat * step;
    const uint64_t falling = terms(y, step, a + b);
    if (falling > 0)
        sum += falling * (2 * (a + b - y) - (falling - 1) * step) / 2;
    return (int64_t)sum;
}

static void add_whole_slices(const struct sides *z, int32_t i, struct shares *shares)
{
    /* y = delta + a, from 1 on; (i a - delta) is a multiple of d, and so is i a + a - y. */
    const int64_t modulus = z->g / z->d, place = (int64_t)i * z->a + z->a;
    const int64_t first = (place - 1) % z->d + 1, after = z->a + (z->b - 1);
    const int64_t last = after < z->g ? after : z->g;
    for (int64_t y = first; y <= last; y += z->d) {
        const int64_t multiple = (place - y) / z->d % modulus;
        const int64_t j = (multiple < 0 ? multiple + modulus : multiple) * z->inverse % modulus;
        const int64_t elements = volume_from(z, (uint64_t)y, (uint64_t)z->g) * z->slices;
        for (int64_t k = j; k < z->B; k += modulus)
            add(shares, (int32_t)k, elements);
        if (last - y < z->d) /* y + d may be 2^63 */
            break;
    }
}

/* Elements x .. end - 1 of the incomplete slice, which are one outer rank's. */
static void add_range(const struct sides *z, int64_t x, int64_t end, struct shares *shares)
{
    if (z->b <= (end - x) / z->B) {
        const int64_t times = (end - x) / (z->b * z->B);
        for (int32_t j = 0; j < z->B; j++)
            add(shares, j, times * z->b);
        x += times * z->b * z->B;
    }
    while (x < end) {
        const int64_t left = z->b - x % z->b;
        const int64_t elements = left < end - x ? left : end - x;
        add(shares, (int32_t)(x / z->b % z->B), elements);
        x += elements;
    }
}

static void add_incomplete_slice(const struct sides *z, int32_t i, struct shares *shares)
{
    if (z->rest == 0 || i > (z->rest - 1) / z->a)
        return;
    for (int64_t x = i * z->a;; x += z->A * z->a) {
        add_range(z, x, z->a < z->rest - x ? x + z->a : z->rest, shares);
        if (z->a > (z->rest - 1 - x) / z->A)
            return;
    }
}

static int append(struct list *list, struct rb_message message)
{
    if (list->count == list->room) {
        const size_t room = list->room > 0 ? 2 * list->room : 64;
        struct rb_message *grown = realloc(list->message, room * sizeof *grown);
        if (grown == NULL)
            return RB_ENOMEM;
        list->message = grown;
        list->room = room;
    }
    list->message[list->count++] = message;
    return RB_OK;
}

static int by_number(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* One dimension's messages, from outer to inner ranks. */
static int list_shares(const struct sides *z, struct list *list)
{
    struct shares shares = {.volume = calloc((size_t)z->B, sizeof *shares.volume),
                            .touched = malloc((size_t)z->B * sizeof *shares.touched)};
    int status = shares.volume == NULL || shares.touched == NULL ? RB_ENOMEM : RB_OK;
    for (int32_t i = 0; i < z->A && status == RB_OK; i++) {
        if (z->slices > 0)
            add_whole_slices(z, i, &shares);
        add_incomplete_slice(z, i, &shares);
        qsort(shares.touched, (size_t)shares.count, sizeof *shares.touched, by_number);
        for (int32_t k = 0; k < shares.count && status == RB_OK; k++) {
            const int32_t j = shares.touched[k];
            status = append(list, (struct rb_message){i, j, shares.volume[j]});
            shares.volume[j] = 0;
        }
        shares.count = 0;
    }
    free(shares.volume);
    free(shares.touched);
    return status;
}

/* Turns messages round, and sorts them again: a counting sort by to, which keeps from's order. */
static int turn_round(struct list *list, int32_t receivers)
{
    size_t *place = calloc((size_t)receivers + 1, sizeof *place);
    struct rb_message *turned = malloc((list->count + 1) * sizeof *turned);
    if (place == NULL || turned == NULL) {
        free(place);
        free(turned);
        return RB_ENOMEM;
    }
    for (size_t i = 0; i < list->count; i++)
        place[list->message[i].to + 1]++;
    for (int32_t j = 0; j < receivers; j++)
        place[j + 1] += place[j];
    for (size_t i = 0; i < list->count; i++) {
        const struct rb_message m = list->message[i];
        turned[place[m.to]++] = (struct rb_message){m.to, m.from, m.length};
    }
    free(place);
    free(list->message);
    *list = (struct list){.message = turned, .count = list->count, .room = list->count + 1};
    return RB_OK;
}

static int list_dimension(const struct rb_cyclic *c, struct list *list)
{
    const struct sides z = sides_of(c);
    const int status = list_shares(&z, list);
    return status == RB_OK && c->r < c->s ? turn_round(list, z.B) : status;
}

/* The end of the messages with the same sender as message i. */
static size_t row_end(const struct list *list, size_t i)
{
    const int32_t from = list->message[i].from;
    while (i < list->count && list->message[i].from == from)
        i++;
    return i;
}

/* product = product x factor, whose ranks are P and Q; the product stays sorted. */
static int multiply(struct list *product, const struct list *factor, int32_t P, int32_t Q)
{
    struct list result = {0};
    int status = RB_OK;
    for (size_t i = 0, i_end; i < product->count; i = i_end) {
        i_end = row_end(product, i);
        for (size_t j = 0, j_end; j < factor->count; j = j_end) {
            j_end = row_end(factor, j);
            for (size_t k = i; k < i_end; k++)
                for (size_t l = j; l < j_end && status == RB_OK; l++) {
                    const struct rb_message a = product->message[k], b = factor->message[l];
                    status =
                        append(&result, (struct rb_message){a.from * P + b.from, a.to * Q + b.to,
                                                            a.length * b.length});
                }
        }
    }
    free(product->message);
    *product = result;
    return status;
}

/* Converts lengths to units, and moves messages that stay at their rank to the copies. */
static int settle(struct rb_traffic *traffic, struct list *all, int32_t at)
{
    int64_t unit = 0;
    for (size_t i = 0; i < all->count; i++) {
        unit = rb_common_divisor(all->message[i].length, unit);
        traffic->copies += all->message[i].from - at == all->message[i].to;
    }
    traffic->unit = unit;
    traffic->copy = malloc((traffic->copies + 1) * sizeof *traffic->copy);
    if (traffic->copy == NULL)
        return RB_ENOMEM;
    size_t copies = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct rb_message m = all->message[i];
        m.length /= unit;
        if (m.from - at == m.to)
            traffic->copy[copies++] = m;
        else
            all->message[traffic->count++] = m;
    }
    struct rb_message *fitting =
        realloc(all->message, (traffic->count + 1) * sizeof *traffic->message);
    traffic->message = fitting != NULL ? fitting : all->message;
    all->message = NULL;
    return RB_OK;
}

static int find_longest_port(struct rb_traffic *traffic)
{
    const size_t ports = (size_t)traffic->senders + (size_t)traffic->receivers;
    int64_t *load = calloc(ports, sizeof *load);
    if (load == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < traffic->count; i++) {
        load[traffic->message[i].from] += traffic->message[i].length;
        load[traffic->senders + traffic->message[i].to] += traffic->message[i].length;
    }
    for (size_t i = 0; i < ports; i++)
        traffic->longest_port = load[i] > traffic->longest_port ? load[i] : traffic->longest_port;
    free(load);
    return RB_OK;
}

static int check_dimension(const struct rb_cyclic *c, char *why, size_t why_size)
{
    if (c->P < 1 || c->Q < 1 || c->P > RB_MAX_RANKS || c->Q > RB_MAX_RANKS)
        return rb_why(why, why_size, RB_EINVAL, "a redistribution has P and Q in 1..%d, not %d, %d",
                      RB_MAX_RANKS, (int)c->P, (int)c->Q);
    if (c->r < 1 || c->s < 1)
        return rb_why(why, why_size, RB_EINVAL,
                      "a redistribution has blocks of at least 1 element: r and s, not %lld, %lld",
                      (long long)c->r, (long long)c->s);
    if (c->M < 1 || c->M > RB_MAX_ELEMENTS)
        return rb_why(why, why_size, RB_EINVAL, "a redistribution has M in 1..2^62, not %lld",
                      (long long)c->M);
    return RB_OK;
}

/* Sets the numbers of ranks. */
static int check_problem(const struct rb_redistribution *problem, struct rb_traffic *traffic,
                         char *why, size_t why_size)
{
    int64_t senders = 1, receivers = 1, elements = 1;
    if (problem->dimensions < 1 || problem->dimensions > RB_MAX_DIMENSIONS)
        return rb_why(why, why_size, RB_EINVAL, "an array has 1..%d dimensions, not %d",
                      RB_MAX_DIMENSIONS, (int)problem->dimensions);
    for (int32_t i = 0; i < problem->dimensions; i++) {
        const struct rb_cyclic *c = &problem->dimension[i];
        const int status = check_dimension(c, why, why_size);
        if (status != RB_OK)
            return status;
        if (c->M > RB_MAX_ELEMENTS / elements)
            return rb_why(why, why_size, RB_EINVAL, "the array has more than 2^62 elements");
        senders *= c->P;
        receivers *= c->Q;
        elements *= c->M;
        if (senders > RB_MAX_RANKS || receivers > RB_MAX_RANKS)
            return rb_why(why, why_size, RB_EINVAL,
                          "the dimensions' grids together have more than 2^30 ranks");
    }
    if (problem->at < 0 || problem->at > senders)
        return rb_why(why, why_size, RB_EINVAL,
                      "receiver 0 is a rank in 0..%lld (that is disjoint), not %d",
                      (long long)senders, (int)problem->at);
    traffic->senders = (int32_t)senders;
    traffic->receivers = (int32_t)receivers;
    return RB_OK;
}

int rb_traffic_init(struct rb_traffic *traffic, const struct rb_redistribution *problem, char *why,
                    size_t why_size)
{
    struct list all = {0};
    *traffic = (struct rb_traffic){.unit = 1};
    int status = check_problem(problem, traffic, why, why_size);
    if (status == RB_OK)
        status = append(&all, (struct rb_message){0, 0, 1});
    for (int32_t i = 0; i < problem->dimensions && status == RB_OK; i++) {
        const struct rb_cyclic *c = &problem->dimension[i];
        struct list factor = {0};
        status = list_dimension(c, &factor);
        if (status == RB_OK)
            status = multiply(&all, &factor, c->P, c->Q);
        free(factor.message);
    }
    if (status == RB_OK)
        status = settle(traffic, &all, problem->at);
    if (status == RB_OK)
        status = find_longest_port(traffic);
    free(all.message);
    if (status != RB_OK)
        rb_traffic_deinit(traffic);
    if (status == RB_ENOMEM)
        rb_why(why, why_size, status, "out of memory");
    return status;
}

int rb_traffic_of_pairs(struct rb_traffic *traffic, int32_t p, const int64_t elements[])
{
    struct list all = {0};
    int status = RB_OK;
    *traffic = (struct rb_traffic){.senders = p, .receivers = p, .unit = 1};
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j < p && status == RB_OK; j++)
            if (elements[(int64_t)i * p + j] > 0)
                status = append(&all, (struct rb_message){i, j, elements[(int64_t)i * p + j]});
    if (status == RB_OK && all.count > 0)
        status = settle(traffic, &all, 0);
    if (status == RB_OK)
        status = find_longest_port(traffic);
    free(all.message);
    if (status != RB_OK)
        rb_traffic_deinit(traffic);
    return status;
}

void rb_traffic_deinit(struct rb_traffic *traffic)
{
    free(traffic->message);
    free(traffic->copy);
    *traffic = (struct rb_traffic){0};
}
