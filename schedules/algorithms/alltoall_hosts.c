/* alltoall_hosts.c - over groups that share a port: all that a group has for another one in one
 * message, and messages to as many groups at once as a group has ranks.
 *
 * Source: this project; docs/groups.md. The groups are the nodes of Bruck's index algorithm (J.
 * Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 3), and the K ranks of a group
 * its ports. Data for the group at distance d travel by the digits of d to base r: those with the
 * value z at digit x move z r^x groups on. By default r = N, the number of groups, so that data
 * pass between groups once; r = K + 1 has the fewest rounds.
 *
 * Phases: for each digit, an all-to-all inside groups, by the binary digits of the distance, brings
 * data to the ranks that send them, and the messages follow; at the end data reach their ranks
 * inside. A digit has R values. Where R - 1 < k', each message is cut into s pieces, by the rank
 * that data are for, mod s: s divides all groups' sizes, and (R - 1) s <= k' if s > 1. Piece c of
 * value z has number (z - 1) s + c = v K + u, u < K. In a group of k ranks, rank u mod k sends and
 * receives it, in turn v W + floor(u / k'), where k' is the size of the smallest group and W =
 * ceil(K / k').
 *
 * Rounds: w = ceil(log_r N) digits have (w + 1) ceil(log2 K), and ceil(turns / ports) for each
 * digit, which has at most ceil((R - 1) / K) W turns. Volume between groups: optimal for r = N. No
 * state per rank. O(p + operations) work per round.
 *
 * TMP. A row is named by how far data move inside in each phase, and by the turns of their
 * messages. From these and a rank where the data are follow all ranks that they have passed and
 * will pass; so data that are at a rank at the same time have different rows. Distances after a
 * message are multiples of its s.
 *
 * p = 4, N = 2 groups of 2, s = 2: t = 0: 0 -> 1 data for 1 and 3, 1 -> 0 for 0 and 2; t = 1: 0 ->
 * 2 data of 0 and 1 for 2, 1 -> 3 for 3; in t = 2 nothing is left to move. */
#include <stdlib.h>

#include "schedules/plan/plan.h"

enum { MOST_DIGITS = 31, FEW_ROWS = 1 << 16, MOST_TIMES = 64 };

struct digit {
    int64_t unit;              /* r^x */
    int32_t values, piece;     /* R, s */
    int64_t messages, turns;   /* of a group: (R - 1) s */
    int64_t rounds;            /* of the messages */
    int64_t rows, sent, later; /* rows of data that have not moved to other groups at lower digits;
                                * of data that moved at this one; that moved at lower ones */
};

struct hosts {
    int32_t digits, largest, smallest, windows; /* w, K, k', W */
    int32_t inside;                             /* rounds of a phase inside groups */
    struct digit digit[MOST_DIGITS + 1];        /* and one without values behind the last */
};

static const struct hosts *hosts_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

/* ---- The plan -------------------------------------------------------------------------------- */

static void deal(const struct rb_plan *plan, struct hosts *hosts, struct digit *digit,
                 int32_t common, int32_t multiple_of)
{
    digit->piece = multiple_of;
    for (int32_t s = multiple_of; (digit->values - 1) * (int64_t)s <= hosts->smallest; s++)
        if (common % s == 0 && s % multiple_of == 0)
            digit->piece = s;
    digit->messages = (digit->values - 1) * (int64_t)digit->piece;
    const int64_t last = digit->messages - 1;
    digit->turns =
        last / hosts->largest * hosts->windows + last % hosts->largest / hosts->smallest + 1;
    digit->rounds = rb_ceil_divide(digit->turns, rb_used_ports(plan));
}

/* Rows from the last digit to the first; *fits: there are not too many for 64 bits. */
static int64_t count_rows(struct hosts *hosts)
{
    const int64_t most = INT64_MAX / 4;
    struct digit *end = &hosts->digit[hosts->digits];
    const int64_t step = hosts->largest / (hosts->digits > 1 ? hosts->digit[0].piece : 1);
    *end = (struct digit){.rows = 1, .later = step};
    for (struct digit *digit = end - 1; digit >= hosts->digit; digit--) {
        digit->sent = digit + 1 == end ? hosts->largest / digit->piece : digit[1].later;
        if (digit->sent > most / digit->turns / step)
            return most;
        digit->rows = digit[1].rows + digit->turns * digit->sent;
        digit->later = digit[1].later + digit->turns * step * digit->sent;
    }
    return hosts->digit[0].rows > most / hosts->largest ? most
                                                        : hosts->digit[0].rows * hosts->largest;
}

static int64_t set_up(struct rb_plan *plan, struct hosts *hosts)
{
    const struct rb_groups *groups = &plan->groups;
    int32_t common = 0, multiple_of = 1;
    rb_groups_extent(groups, &hosts->smallest, &hosts->largest);
    for (int32_t group = 0; group < groups->count && common != 1; group++)
        common = (int32_t)rb_common_divisor(rb_group_size(groups, group), common);
    hosts->windows = (int32_t)rb_ceil_divide(hosts->largest, hosts->smallest);
    hosts->inside = rb_ceil_log2(hosts->largest);
    plan->rounds = hosts->inside;
    for (int64_t unit = 1; unit < groups->count; unit *= plan->radix) {
        struct digit *digit = &hosts->digit[hosts->digits++];
        const int64_t values = rb_ceil_divide(groups->count, unit);
        digit->unit = unit;
        digit->values = values < plan->radix ? (int32_t)values : plan->radix;
        deal(plan, hosts, digit, common, multiple_of);
        multiple_of = digit->piece;
        plan->rounds += hosts->inside + digit->rounds;
    }
    return count_rows(hosts);
}

static int32_t row(const struct rb_plan *plan, int32_t owner, int32_t to);

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    struct hosts *hosts = plan->data.own = calloc(1, sizeof *hosts);
    if (hosts == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    if (plan->radix == 0)
        plan->radix = plan->groups.count > 2 ? plan->groups.count : 2;
    const int64_t rows = set_up(plan, hosts);
    if (rows > FEW_ROWS && rows > MOST_TIMES * (int64_t)plan->p) {
        const int32_t smallest = hosts->smallest, largest = hosts->largest;
        free(hosts);
        return rb_why(why, why_size, RB_ENOTSUP,
                      "alltoall hosts has no plan of radix %d for groups of %d to %d ranks: what "
                      "ranks forward would need over %d times the memory of their data; larger "
                      "radices, or more equal groups, need less",
                      (int)plan->radix, (int)smallest, (int)largest, (int)MOST_TIMES);
    }
    plan->rounds = plan->rounds > 0 ? plan->rounds : 1;
    plan->max_ops = (int32_t)(2 * rows + 1); /* all that a rank has at a time has rows */
    plan->buffers |= 1u << RB_TMP;
    plan->tmp_rows = (int32_t)rows;
    plan->tmp_row = row;
    return RB_OK;
}

static void fini(struct rb_plan *plan)
{
    free(plan->data.own);
}

/* ---- The way of data ------------------------------------------------------------------------- */

static int32_t size_of(const struct rb_plan *plan, int32_t group)
{
    return rb_group_size(&plan->groups, group);
}

static int32_t value_of(const struct rb_plan *plan, const struct digit *digit, int32_t distance)
{
    return (int32_t)(distance / digit->unit % plan->radix);
}

/* group + distance, and group - distance, mod N. */
static int32_t further(const struct rb_plan *plan, int32_t group, int64_t distance)
{
    return (int32_t)((group + distance) % plan->groups.count);
}
static int32_t before(const struct rb_plan *plan, int32_t group, int64_t distance)
{
    return further(plan, group, plan->groups.count - distance);
}

/* In a group of k: from one member to another. */
static int32_t way(int32_t from, int32_t to, int32_t k)
{
    return to < from ? to - from + k : to - from;
}

/* The number of the message with what member `to` of another group gets at this value. */
static int64_t number_of(const struct digit *digit, int32_t value, int32_t to)
{
    return (value - 1) * (int64_t)digit->piece + to % digit->piece;
}
/* The member of a group of k that has a message with this number. */
static int32_t member_of(const struct hosts *hosts, int64_t number, int32_t k)
{
    return (int32_t)(number % hosts->largest) % k;
}

static int32_t row(const struct rb_plan *plan, int32_t owner, int32_t to)
{
    const struct hosts *hosts = hosts_of(plan);
    const int32_t home = rb_group_of(&plan->groups, owner), end = rb_group_of(&plan->groups, to);
    const int32_t distance = way(home, end, plan->groups.count);
    int32_t group = home, member = owner - rb_group_first(&plan->groups, home);
    const int32_t last = to - rb_group_first(&plan->groups, end);
    int32_t first_way = -1, piece = 1;
    int64_t place = 0;
    for (int32_t x = 0; x < hosts->digits; x++) {
        const struct digit *digit = &hosts->digit[x];
        const int32_t value = value_of(plan, digit, distance), k = size_of(plan, group);
        if (value == 0)
            continue;
        const int64_t number = number_of(digit, value, last);
        const int64_t turn =
            number / hosts->largest * hosts->windows + number % hosts->largest / hosts->smallest;
        const int32_t moves = way(member, member_of(hosts, number, k), k);
        if (first_way < 0) {
            first_way = moves;
            place += digit[1].rows + turn * digit->sent;
        } else {
            place +=
                digit[1].later + (turn * (hosts->largest / piece) + moves / piece) * digit->sent;
        }
        piece = digit->piece;
        group = further(plan, group, value * digit->unit);
        member = member_of(hosts, number, size_of(plan, group));
    }
    const int32_t moves = way(member, last, size_of(plan, end));
    return first_way < 0 ? (int32_t)(moves * hosts->digit[0].rows)
                         : (int32_t)(first_way * hosts->digit[0].rows + place + moves / piece);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Operations of `rank`, on data from one group for another. Without room for them it is enough to
 * know that there are any. */
struct pack {
    const struct rb_plan *plan;
    enum rb_op_kind kind;
    int32_t rank, peer, port;
    struct rb_op *ops;
    int32_t count;
};

static void add(struct pack *pack, int32_t owner, int32_t to)
{
    if (pack->ops != NULL) {
        const bool sends = pack->kind == RB_SEND, own = pack->rank == (sends ? owner : to);
        const enum rb_buffer buffer = own ? (sends ? RB_SRC : RB_DST) : RB_TMP;
        pack->ops[pack->count] = (struct rb_op){.kind = pack->kind,
                                                .peer = pack->peer,
                                                .port = pack->port,
                                                .at = rb_part_range(pack->plan, buffer, owner, to)};
    }
    pack->count++;
}

static void add_group(struct pack *pack, int32_t group, int32_t to)
{
    const int32_t end = rb_group_first(&pack->plan->groups, group + 1);
    for (int32_t owner = rb_group_first(&pack->plan->groups, group); owner < end; owner++)
        add(pack, owner, to);
}

/* The highest digit below x of which the distance has a value; NULL: none. */
static const struct digit *last_moved(const struct rb_plan *plan, int32_t x, int32_t distance)
{
    const struct digit *digit = hosts_of(plan)->digit;
    while (--x >= 0)
        if (value_of(plan, &digit[x], distance) > 0)
            return &digit[x];
    return NULL;
}

/* Inside a group, in the phase before digit x: data for member `to` of another group that the
 * member sends 2^bit further: data whose way has this bit, and which have moved by lower ones. */
static void pack_way(struct pack *pack, int32_t group, int32_t member, int32_t x, int32_t distance,
                     int32_t to, int32_t bit)
{
    const struct rb_plan *plan = pack->plan;
    const struct hosts *hosts = hosts_of(plan);
    const struct digit *digit = &hosts->digit[x], *moved = last_moved(plan, x, distance);
    const bool leaves = x < hosts->digits;
    const int32_t home = before(plan, group, leaves ? distance % digit->unit : distance);
    const int32_t first = rb_group_first(&plan->groups, group), k = size_of(plan, group);
    const int32_t target =
        leaves ? member_of(hosts, number_of(digit, value_of(plan, digit, distance), to), k) : to;
    const int32_t left = way(member, target, k), h = (int32_t)1 << bit;
    const int32_t end =
        h < k - left ? h : k - left; /* of ways so far: below h, and below k - left */
    const int32_t rank = to + rb_group_first(&plan->groups, further(plan, home, distance));
    if (left % (2 * (int64_t)h) != h)
        return;
    if (moved == NULL) {
        for (int32_t made = 0; made < end; made++)
            add(pack, first + way(made, member, k), rank);
        return;
    }
    const int32_t from = member_of(hosts, number_of(moved, value_of(plan, moved, distance), to), k);
    if (way(from, member, k) < end)
        add_group(pack, home, rank);
}

static void pack_inside(struct pack *pack, int32_t group, int32_t member, int32_t x, int32_t bit)
{
    const struct rb_plan *plan = pack->plan;
    const struct digit *digit = &hosts_of(plan)->digit[x];
    const bool leaves = x < hosts_of(plan)->digits;
    for (int32_t distance = 0; distance < plan->groups.count; distance++) {
        if (leaves && value_of(plan, digit, distance) == 0)
            continue;
        const int32_t home = before(plan, group, leaves ? distance % digit->unit : distance);
        const int32_t members = size_of(plan, further(plan, home, distance));
        for (int32_t to = 0; to < members && (pack->ops != NULL || pack->count == 0); to++)
            pack_way(pack, group, member, x, distance, to, bit);
    }
}

static void inside(struct pack *pack, int32_t x, int32_t bit)
{
    const struct rb_groups *groups = &pack->plan->groups;
    const int32_t rank = pack->rank, group = rb_group_of(groups, rank);
    const int32_t first = rb_group_first(groups, group), k = rb_group_size(groups, group);
    const int32_t h = (int32_t)1 << bit, member = rank - first;
    if (h >= k)
        return;
    pack->kind = RB_SEND;
    pack->peer = first + (member + h) % k;
    pack_inside(pack, group, member, x, bit);
    pack->kind = RB_RECV;
    pack->peer = first + way(h, member, k);
    pack_inside(pack, group, pack->peer - first, x, bit);
}

/* The number of the message that a member of a group of k has in this turn, or -1. */
static int64_t number_in(const struct hosts *hosts, const struct digit *digit, int64_t turn,
                         int32_t member, int32_t k)
{
    const int64_t from = turn % hosts->windows * hosts->smallest;
    const int64_t at = from + way((int32_t)(from % k), member, k);
    const int64_t number = turn / hosts->windows * hosts->largest + at;
    return turn < digit->turns && at < from + hosts->smallest && at < hosts->largest &&
                   number < digit->messages
               ? number
               : -1;
}

/* What a group sends in a message of this number. */
static void pack_message(struct pack *pack, int32_t group, const struct digit *digit,
                         int64_t number)
{
    const struct rb_plan *plan = pack->plan;
    const int64_t value = number / digit->piece + 1, turn = digit->unit * plan->radix;
    for (int64_t low = 0; low < digit->unit; low++) {
        const int32_t home = before(plan, group, low);
        for (int64_t distance = value * digit->unit + low; distance < plan->groups.count;
             distance += turn) {
            const int32_t end = further(plan, home, distance);
            for (int32_t to = (int32_t)(number % digit->piece); to < size_of(plan, end);
                 to += digit->piece)
                add_group(pack, home, rb_group_first(&plan->groups, end) + to);
        }
    }
}

static void outside(struct pack *pack, const struct digit *digit, int64_t t)
{
    const struct rb_plan *plan = pack->plan;
    const struct hosts *hosts = hosts_of(plan);
    const int32_t group = rb_group_of(&plan->groups, pack->rank), ports = rb_used_ports(plan);
    const int32_t member = pack->rank - rb_group_first(&plan->groups, group);
    for (int kind = RB_SEND; kind <= RB_RECV; kind++)
        for (int32_t port = 0; port < ports; port++) {
            const int64_t number =
                number_in(hosts, digit, t * ports + port, member, size_of(plan, group));
            if (number < 0)
                continue;
            const int64_t distance = (number / digit->piece + 1) * digit->unit;
            const int32_t other =
                kind == RB_SEND ? further(plan, group, distance) : before(plan, group, distance);
            pack->kind = (enum rb_op_kind)kind;
            pack->port = port;
            pack->peer = rb_group_first(&plan->groups, other) +
                         member_of(hosts, number, size_of(plan, other));
            pack_message(pack, kind == RB_SEND ? group : other, digit, number);
        }
}

/* ops may be NULL: then the result is above 0 if there are any. */
static int32_t operations(const struct rb_plan *plan, int32_t rank, int64_t t, struct rb_op *ops)
{
    const struct hosts *hosts = hosts_of(plan);
    struct pack pack = {.plan = plan, .rank = rank, .ops = ops};
    int32_t x = 0;
    int64_t left = t;
    for (; x < hosts->digits && left >= hosts->inside + hosts->digit[x].rounds; x++)
        left -= hosts->inside + hosts->digit[x].rounds;
    if (left >= hosts->inside && x < hosts->digits)
        outside(&pack, &hosts->digit[x], left - hosts->inside);
    else
        inside(&pack, x, (int32_t)left);
    if (t == 0 && ops != NULL)
        ops[pack.count] = rb_keep_own(plan, rank);
    return pack.count + (t == 0);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return operations(plan, state->rank, t, ops);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    while (t < plan->rounds && operations(plan, state->rank, t, NULL) == 0)
        t++;
    return t;
}

RB_ROW(rb_alltoall_hosts, "alltoall", "hosts",
       "a message per pair of groups that share a port, to as many groups at once as they have "
       "ranks",
       "docs/groups.md, on Bruck et al. 1997",
       "at most (w + 1) ceil(log2 K) + w ceil(ceil((r - 1)/K) ceil(K/J)/k), w = ceil(log_r N)",
       RB_FOR_RANK, .info.groups = true,
       .info.radix = "r: base of the digits of distances between groups, N by default",
       .init = init, .fini = fini, .round = round_, .next = next);
