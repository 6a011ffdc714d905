/* alltoall_bruck.c - few rounds or little volume: data travel by the digits of their distance
 * (Bruck's index algorithm, any radix, k ports).
 *
 * Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 3, and Appendix A
 * for the last digit. Radix r, 2 <= r <= p; by default k + 1, which takes the fewest rounds. w =
 * ceil(log p to base r) digits. Rounds (C1): (w - 1) ceil((r - 1)/k) + ceil((h - 1)/k), h = ceil(p
 * / r^(w-1)) values of the last digit. Volume in sequence (C2): at most n ceil(p / r) blocks per
 * round; exactly, of each round the number of distances below p that have its least value z at its
 * digit x. r = p is direct and has the least volume, r = k + 1 the fewest rounds. No state per
 * rank; O(log p) work per round besides its operations.
 *
 * What rank s has for d, at distance j = (d - s) mod p, moves by z r^x when digit x of j is z > 0;
 * up to k values z of one digit share a round, one per port. So before digit x it is at s + (j mod
 * r^x): in SRC if it has not moved yet, else in TMP; and it arrives in DST if no higher digit is
 * left. The paper's first and last phase, which rotate the data at each rank, are nothing but this
 * naming of places. p = 5:
 *
 *   r = 2, k = 1                  r = 3, k = 2
 *   round  distances  by          round  distances (port 0; port 1)  by
 *     0    1, 3       1             0    1, 4; 2                     1; 2
 *     1    2, 3       2             1    3, 4                        3
 *     2    4          4
 */
#include "schedules/plan/plan.h"

/* A round: the values first .. end - 1 of a digit, whose unit is r^x. */
struct digit_round {
    int64_t unit;
    int32_t first, end;
};

/* Values of the digit with this unit, 0 among them: r, or fewer if it is the last. */
static int32_t values_of(const struct rb_plan *plan, int64_t unit)
{
    const int64_t left = (plan->p + unit - 1) / unit;
    return left < plan->radix ? (int32_t)left : plan->radix;
}

/* Rounds of that digit. */
static int32_t rounds_of(const struct rb_plan *plan, int64_t unit)
{
    const int32_t ports = rb_used_ports(plan);
    return (values_of(plan, unit) - 1 + ports - 1) / ports;
}

static struct digit_round round_of(const struct rb_plan *plan, int64_t t)
{
    const int32_t ports = rb_used_ports(plan);
    int64_t unit = 1;
    for (; t >= rounds_of(plan, unit); unit *= plan->radix)
        t -= rounds_of(plan, unit);
    const int32_t values = values_of(plan, unit), first = 1 + (int32_t)t * ports;
    return (struct digit_round){unit, first, first < values - ports ? first + ports : values};
}

/* Of the distances 0 .. p - 1, how many have the value z > 0 at the digit with this unit. */
static int64_t distances_with(const struct rb_plan *plan, int64_t unit, int64_t z)
{
    const int64_t turn = unit * plan->radix, rest = plan->p % turn - z * unit;
    return plan->p / turn * unit + (rest < 0 ? 0 : rest < unit ? rest : unit);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    const int32_t most = plan->p > 2 ? plan->p : 2;
    int64_t most_parts = 0;
    if (plan->radix == 0)
        plan->radix = plan->ports < most ? plan->ports + 1 : most;
    for (int64_t unit = 1; unit < plan->p; unit *= plan->radix) {
        int64_t parts = 0; /* of a digit's rounds the first has the longest messages */
        for (int32_t z = 1; z <= rb_used_ports(plan) && z < values_of(plan, unit); z++)
            parts += distances_with(plan, unit, z);
        most_parts = parts > most_parts ? parts : most_parts;
        plan->rounds += rounds_of(plan, unit);
    }
    plan->rounds = plan->p > 1 ? plan->rounds : 1;
    plan->max_ops = (int32_t)(2 * most_parts + 1);
    plan->buffers |= 1u << RB_TMP;
    return RB_OK;
}

/* Where the data at this distance are at `rank` when it is the turn of the digit to move. */
static struct rb_range leaving(const struct rb_plan *plan, int32_t rank, int64_t distance,
                               int64_t unit)
{
    const int32_t moved = (int32_t)(distance % unit);
    const int32_t owner = rb_after(plan, rank, plan->p - moved);
    return rb_part_range(plan, moved == 0 ? RB_SRC : RB_TMP, owner,
                         rb_after(plan, owner, (int32_t)distance));
}

/* One message: what has the value z moves by z units, to `other` or from it. */
static int32_t move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t rank, int64_t unit,
                    int64_t z, int32_t port, struct rb_op ops[])
{
    const int32_t by = (int32_t)(z * unit);
    const int32_t other = rb_after(plan, rank, kind == RB_SEND ? by : plan->p - by);
    const int32_t sender = kind == RB_SEND ? rank : other;
    int32_t count = 0;
    for (int64_t turn = 0; turn + by < plan->p; turn += unit * plan->radix)
        for (int64_t j = turn + by; j < turn + by + unit && j < plan->p; j++) {
            struct rb_op *op = &ops[count++];
            *op = (struct rb_op){
                .kind = kind, .peer = other, .port = port, .at = leaving(plan, sender, j, unit)};
            if (kind == RB_RECV)
                op->at.buffer = turn == 0 ? RB_DST : RB_TMP;
        }
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    int32_t count = 0;
    if (plan->p > 1) {
        const struct digit_round now = round_of(plan, t);
        for (int kind = RB_SEND; kind <= RB_RECV; kind++)
            for (int32_t z = now.first; z < now.end; z++)
                count += move(plan, (enum rb_op_kind)kind, state->rank, now.unit, z, z - now.first,
                              ops + count);
    }
    if (t == 0)
        ops[count++] = rb_keep_own(plan, state->rank);
    return count;
}

/* The number of a digit's rounds whose first value is below z. */
static int64_t rounds_below(int64_t z, int32_t ports)
{
    return z <= 1 ? 0 : (z - 1 + ports - 1) / ports;
}

/* The longest messages of the digit's rounds, added up, without looking at each: whole turns of the
 * distances have `unit` of them for every value, the rest for the values below some `whole`, and
 * part of it for that one. */
static double parts_critical_volume(const struct rb_plan *plan, int64_t unit)
{
    const int32_t ports = rb_used_ports(plan), values = values_of(plan, unit);
    const int64_t turn = unit * plan->radix, rest = plan->p % turn, whole = rest / unit;
    const int64_t all = rounds_below(values, ports), longer = rounds_below(whole, ports);
    double parts = (double)(plan->p / turn * unit) * (double)all + (double)unit * (double)longer;
    if (whole >= 1 && whole < values && (whole - 1) % ports == 0)
        parts += (double)(rest % unit);
    return parts;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double p = plan->p;
    double parts = 0;
    for (int64_t unit = 1; unit < plan->p; unit *= plan->radix)
        parts += parts_critical_volume(plan, unit);
    return (double)plan->rounds * alpha_s + parts * bytes / (p * p) * beta_s_per_byte;
}

RB_ROW(rb_alltoall_bruck, "alltoall", "bruck", "by the digits of the distance (Bruck's index)",
       "Bruck et al. 1997, Section 3", "about ceil((r - 1)/k) ceil(log_r p), k ports", RB_FOR_RANK,
       .info.radix = "r: base of the digits, 2 to p, k + 1 by default", .init = init,
       .round = round_, .next = rb_never_idle, .cost = cost);
