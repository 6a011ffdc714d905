/* scan_hosts.c - scans over groups that share a port: what their ranks have together is halved
 * inside a group, scanned between groups by shares or by dissemination, and doubled inside.
 *
 * Source: this project; docs/groups.md. Of `hosts` a cluster is a group; of `halving-dissemination`
 * it has as many whole groups as make r ranks, so that the groups may be single ranks. The least
 * cluster has 2^s ranks or more, below 2^(s+1), and the vector S = 2^s lanes. Of a cluster of K
 * ranks 2^b take part (folded.h). All values are of consecutive ranks, in their order.
 *   Up, b steps: of two aligned sets of 2^k participants, i in the lower one and j = i + 2^k have
 *   the same lanes, as long as k < s; each hands the half that is the other's its value V of its
 *   set and combines. From k = s on, and where ranks are folded away, j hands i all it has. The
 *   keeper has T, the lower set's V. At the end participant i < S has lane i in reversed bits.
 *   Between clusters: a scan of each lane, by the clusters' shares of it (halving.h); or whole, V's
 *   range doubling in each round (scan_dissemination.c). One message into and out of a rank per
 *   round. It gives E, what precedes the cluster.
 *   Down: a keeper below has E of both sets, and E T is the other's; one above gives E back and
 *   goes on with E T.
 * At the end each rank has E of itself, which is the exclusive result; and for the inclusive one
 * combines its own contribution, which it has kept.
 *
 * Rounds, of N clusters: 2 (f + B + ceil(log2 N)), or 2 (f + B) + ceil(log2 N); B of the largest
 * cluster, f = 1 if ranks are folded away. Volume: 2 (N - 1)/N of the vector into and out of a
 * cluster, or ceil(log2 N) vectors; 2 (S - 1 + b - s)/S per participant inside, and 2 where ranks
 * are folded away. No state per rank.
 *
 * Buffers: V is where the contributions are, E in the first S slots of TMP, T in others behind.
 *
 * p = 4, 2 groups of 2, S = 2: t = 0: rank 0 has lane 0 of x0 x1 and T = x0, rank 1 lane 1; t = 1,
 * 2: ranks 0 and 2 scan lane 0, by a share for each group, 1 and 3 lane 1; t = 3: rank 2 sends 3 E
 * x2 of lane 0, and 3 sends 2 E of lane 1. */
#include "schedules/patterns/folded.h"
#include "schedules/patterns/halving.h"
#include "schedules/plan/plan.h"

/* No host has so many ranks; more lanes would be more operations than fit in an int32_t. */
enum { MOST_SPLIT = 16 };

struct hosts {
    int32_t split, levels, fold, joined; /* s, B, f, groups of a cluster */
    int32_t clusters, between;           /* N, ceil(log2 N) */
    bool by_shares;                      /* between them; otherwise lanes travel whole */
};

static struct hosts hosts_of(const struct rb_plan *plan)
{
    const int64_t *number = plan->data.number;
    struct hosts hosts = {.split = (int32_t)number[0],
                          .levels = (int32_t)number[1],
                          .fold = (int32_t)number[2],
                          .joined = (int32_t)number[3],
                          .by_shares = plan->algorithm->info.radix == NULL};
    const int32_t whole = plan->groups.count / hosts.joined;
    hosts.clusters = whole > 1 ? whole : 1;
    hosts.between = rb_ceil_log2(hosts.clusters);
    return hosts;
}

/* The last cluster has the groups that are left, too. */
static int32_t cluster_first(const struct rb_plan *plan, const struct hosts *hosts, int32_t cluster)
{
    const struct rb_groups *groups = &plan->groups;
    return rb_group_first(groups,
                          cluster < hosts->clusters ? cluster * hosts->joined : groups->count);
}

static struct rb_folded cluster_folded(const struct rb_plan *plan, const struct hosts *hosts,
                                       int32_t cluster)
{
    return rb_folded_of(cluster_first(plan, hosts, cluster + 1) -
                        cluster_first(plan, hosts, cluster));
}

/* A rank and its cluster. */
struct place {
    const struct rb_plan *plan;
    struct hosts hosts;
    int32_t rank, cluster, first;
    struct rb_folded folded;
    int32_t participant; /* -1: folded away */
};

static struct place place_of(const struct rb_plan *plan, int32_t rank)
{
    const struct hosts hosts = hosts_of(plan);
    const int32_t at = rb_group_of(&plan->groups, rank) / hosts.joined;
    const int32_t cluster = at < hosts.clusters ? at : hosts.clusters - 1;
    const int32_t first = cluster_first(plan, &hosts, cluster);
    const struct rb_folded folded = cluster_folded(plan, &hosts, cluster);
    return (struct place){
        plan, hosts, rank, cluster, first, folded, rb_folded_number(&folded, rank - first)};
}

/* Consecutive lanes. */
struct lanes {
    int32_t first, count;
};

/* What a participant has left after k steps up. */
static struct lanes lanes_after(const struct hosts *hosts, int32_t k, int32_t participant)
{
    const int32_t halved = k < hosts->split ? k : hosts->split;
    struct lanes lanes = {0, (int32_t)1 << (hosts->split - halved)};
    for (int32_t i = 0; i < halved; i++)
        lanes.first += (participant >> i & 1) << (hosts->split - 1 - i);
    return lanes;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static int64_t lane_blocks(const struct rb_plan *plan)
{
    const struct hosts hosts = hosts_of(plan);
    return hosts.by_shares ? hosts.clusters * plan->n : plan->n;
}

static bool is_inclusive(const struct rb_plan *plan)
{
    return plan->collective == &rb_scan;
}

static struct rb_range lane_in(const struct rb_plan *plan, enum rb_buffer buffer, int32_t lane)
{
    const int64_t blocks = lane_blocks(plan);
    return (struct rb_range){buffer, 0, lane * blocks, blocks};
}

static struct rb_range value_of(const struct rb_plan *plan, int32_t lane)
{
    return lane_in(plan, is_inclusive(plan) ? RB_DST : RB_SRC, lane);
}

static struct rb_range in_slot(const struct rb_plan *plan, int32_t lane, int32_t slot)
{
    struct rb_range range = lane_in(plan, RB_TMP, lane);
    range.owner = slot;
    return range;
}

static struct rb_range earlier_of(const struct rb_plan *plan, int32_t lane)
{
    return in_slot(plan, lane, lane);
}

/* The slots of T: behind E's, S - 1 for the steps that halve, one for each other step and for each
 * level between groups, and S where ranks are folded. */
static int32_t first_slot_between(const struct hosts *hosts)
{
    return ((int32_t)2 << hosts->split) - 1 + hosts->levels - hosts->split;
}

static int32_t slots(const struct hosts *hosts)
{
    return first_slot_between(hosts) + hosts->between + (hosts->fold << hosts->split);
}

/* ---- Steps inside ---------------------------------------------------------------------------- */

struct step {
    int32_t partner;
    bool lower;
    struct lanes mine, others; /* what this rank keeps, and what its partner does */
    int32_t slot;              /* of T, of the first lane of mine */
    bool follows;              /* ranks precede the lower set */
};

static struct step fold_step(const struct place *place)
{
    const struct hosts *hosts = &place->hosts;
    const struct lanes all = lanes_after(hosts, 0, 0), none = {0, 0};
    const int32_t lower = place->rank - (place->rank - place->first) % 2;
    const bool is_lower = place->rank == lower;
    return (struct step){is_lower ? lower + 1 : lower,
                         is_lower,
                         is_lower ? all : none,
                         is_lower ? none : all,
                         first_slot_between(hosts) + hosts->between,
                         lower > 0};
}

/* Step k of the participants; false: this one has nothing to do. */
static bool step_between(const struct place *place, int32_t k, struct step *step)
{
    const struct hosts *hosts = &place->hosts;
    const int32_t i = place->participant, S = (int32_t)1 << hosts->split, split = hosts->split;
    if (i < 0 || k >= place->folded.steps || (k > split && (i >> split & ((1 << (k - split)) - 1))))
        return false;
    const int32_t bit = (int32_t)1 << k, set = i & ~(2 * bit - 1);
    *step = (struct step){
        .partner = place->first + rb_folded_rank(&place->folded, i ^ bit),
        .lower = (i & bit) == 0,
        .mine = lanes_after(hosts, k + 1, i),
        .others = lanes_after(hosts, k + 1, i ^ bit),
        .slot = k < split ? 2 * S - (S >> k) : 2 * S - 1 + k - split,
        .follows = place->first + rb_folded_rank(&place->folded, set) > 0,
    };
    if (k >= split) /* the lower one keeps all */
        *(step->lower ? &step->others : &step->mine) = (struct lanes){0, 0};
    return true;
}

/* The step of a rank, with the one in which ranks are folded away as the first if there is any. */
static bool step_of(const struct place *place, int32_t number, struct step *step)
{
    if (place->hosts.fold == 0 || number > 0)
        return step_between(place, number - place->hosts.fold, step);
    if (place->rank - place->first >= 2 * place->folded.folded)
        return false;
    *step = fold_step(place);
    return true;
}

/* ---- Operations ------------------------------------------------------------------------------ */

struct list {
    const struct rb_plan *plan;
    int32_t rank;
    struct rb_op *ops;
    int32_t count;
};

static void message(struct list *list, enum rb_op_kind kind, int32_t peer, struct rb_range at)
{
    list->ops[list->count++] = (struct rb_op){.kind = kind, .peer = peer, .at = at};
}

static void local(struct list *list, enum rb_op_kind kind, struct rb_range at, struct rb_range from,
                  bool left)
{
    list->ops[list->count++] = (struct rb_op){
        .kind = kind, .peer = list->rank, .at = at, .from = from, .incoming_is_left = left};
}

static struct rb_range kept_of(const struct rb_plan *plan, const struct step *step, int32_t lane)
{
    return in_slot(plan, lane, step->slot + lane - step->mine.first);
}

/* The upper set's V comes into E's place, which is free; the lower one's V stays behind as T. */
static void up(struct list *list, const struct step *step)
{
    const struct rb_plan *plan = list->plan;
    const struct lanes mine = step->mine, others = step->others;
    for (int32_t lane = others.first; lane < others.first + others.count; lane++)
        message(list, RB_SEND, step->partner, value_of(plan, lane));
    for (int32_t lane = mine.first; lane < mine.first + mine.count; lane++)
        message(list, RB_RECV, step->partner,
                step->lower ? earlier_of(plan, lane) : kept_of(plan, step, lane));
    for (int32_t lane = mine.first; lane < mine.first + mine.count; lane++) {
        const struct rb_range value = value_of(plan, lane), kept = kept_of(plan, step, lane);
        if (step->lower)
            local(list, RB_COPY, kept, value, false);
        local(list, RB_REDUCE, value, step->lower ? earlier_of(plan, lane) : kept, !step->lower);
    }
}

/* Before a step down: T becomes E of the upper set. */
static void prepare(struct list *list, const struct step *step)
{
    for (int32_t i = 0; step->lower && step->follows && i < step->mine.count; i++) {
        const int32_t lane = step->mine.first + i;
        local(list, RB_REDUCE, kept_of(list->plan, step, lane), earlier_of(list->plan, lane), true);
    }
}

static void down(struct list *list, const struct step *step)
{
    const struct rb_plan *plan = list->plan;
    const struct lanes mine = step->mine, others = step->others;
    for (int32_t lane = mine.first; lane < mine.first + mine.count; lane++)
        if (step->lower || step->follows)
            message(list, RB_SEND, step->partner,
                    step->lower ? kept_of(plan, step, lane) : earlier_of(plan, lane));
    for (int32_t lane = others.first; lane < others.first + others.count; lane++)
        if (!step->lower || step->follows)
            message(list, RB_RECV, step->partner, earlier_of(plan, lane));
    for (int32_t lane = mine.first; lane < mine.first + mine.count && !step->lower; lane++)
        local(list, step->follows ? RB_REDUCE : RB_COPY, earlier_of(plan, lane),
              kept_of(plan, step, lane), false);
}

static bool has_lane(const struct place *place)
{
    return place->participant >= 0 && place->participant >> place->hosts.split == 0;
}

/* Between clusters lanes travel whole, and reach twice as far in each round; true if this rank
 * acts. */
static bool reaches(const struct place *place, int64_t round, bool *sends, bool *receives)
{
    const int64_t h = (int64_t)1 << round;
    *sends = place->cluster + h < place->hosts.clusters;
    *receives = place->cluster >= h;
    return *sends || *receives;
}

static void disseminate(struct list *list, const struct place *place, int32_t lane, int64_t round)
{
    const struct rb_range value = value_of(list->plan, lane),
                          earlier = earlier_of(list->plan, lane),
                          kept = in_slot(list->plan, lane, first_slot_between(&place->hosts));
    const int32_t h = (int32_t)1 << round;
    bool sends, receives;
    if (!reaches(place, round, &sends, &receives))
        return;
    if (sends)
        message(list, RB_SEND, place->cluster + h, value);
    if (receives) {
        message(list, RB_RECV, place->cluster - h, kept);
        if (reaches(place, round + 1, &sends, &receives) && sends)
            local(list, RB_REDUCE, value, kept, true);
        local(list, round == 0 ? RB_COPY : RB_REDUCE, earlier, kept, round > 0);
    }
}

static void halve(struct list *list, const struct place *place, int32_t lane, int64_t round)
{
    const struct rb_plan *plan = list->plan;
    const struct hosts *hosts = &place->hosts;
    const struct rb_halving halving = {
        .plan = plan,
        .nodes = hosts->clusters,
        .node = place->cluster,
        .rank = place->rank,
        .before = lane * lane_blocks(plan),
        .value = value_of(plan, lane),
        .earlier = earlier_of(plan, lane),
        .first_kept = first_slot_between(hosts),
    };
    struct rb_op *ops = &list->ops[list->count];
    list->count += round < hosts->between
                       ? rb_halving_up(&halving, (int32_t)round, ops)
                       : rb_halving_down(&halving, (int32_t)(2 * hosts->between - 1 - round), ops);
}

/* A round between clusters, of ranks that have a lane; their peers have the same lane. */
static void between(struct list *list, const struct place *place, int64_t round)
{
    const struct hosts *hosts = &place->hosts;
    const int32_t lane = lanes_after(hosts, hosts->split, place->participant).first;
    const int32_t before = list->count;
    (hosts->by_shares ? halve : disseminate)(list, place, lane, round);
    for (int32_t i = before; i < list->count && list->ops[i].kind < RB_COPY; i++) { /* messages */
        int32_t *peer = &list->ops[i].peer;
        const struct rb_folded folded = cluster_folded(list->plan, hosts, *peer);
        *peer =
            cluster_first(list->plan, hosts, *peer) + rb_folded_rank(&folded, place->participant);
    }
}

/* An inclusive scan keeps the contribution in SRC. */
static void whole(struct list *list, enum rb_op_kind kind, enum rb_buffer to, enum rb_buffer from)
{
    const int64_t blocks = list->plan->blocks;
    local(list, kind, (struct rb_range){to, 0, 0, blocks}, (struct rb_range){from, 0, 0, blocks},
          false);
}

/* As the first local operation. */
static void keep_contribution(struct list *list)
{
    whole(list, RB_COPY, RB_SRC, RB_DST);
    const struct rb_op copy = list->ops[list->count - 1];
    int32_t at = list->count - 1;
    for (; at > 0 && list->ops[at - 1].peer == list->rank; at--)
        list->ops[at] = list->ops[at - 1];
    list->ops[at] = copy;
}

static void finish(struct list *list)
{
    const bool inclusive = is_inclusive(list->plan);
    const int32_t lanes = (int32_t)1 << hosts_of(list->plan).split;
    for (int32_t lane = 0; lane < lanes && list->rank > 0; lane++)
        local(list, RB_COPY, lane_in(list->plan, RB_DST, lane), earlier_of(list->plan, lane),
              false);
    if (inclusive)
        whole(list, list->rank > 0 ? RB_REDUCE : RB_COPY, RB_DST, RB_SRC);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct place place = place_of(plan, state->rank);
    const struct hosts *hosts = &place.hosts;
    const int32_t steps = hosts->fold + hosts->levels;
    const int64_t last = plan->rounds - 1;
    struct list list = {plan, state->rank, ops, 0};
    struct step step;
    if (t >= steps && last - t >= steps) {
        if (has_lane(&place))
            between(&list, &place, t - steps);
    } else if (step_of(&place, (int32_t)(t < steps ? t : last - t), &step)) {
        (t < steps ? up : down)(&list, &step);
    }
    if (last - t <= steps && t < last && step_of(&place, (int32_t)(last - t - 1), &step))
        prepare(&list, &step);
    if (t == 0 && is_inclusive(plan))
        keep_contribution(&list);
    if (t == last)
        finish(&list);
    return list.count;
}

static bool prepares(const struct place *place, int64_t t)
{
    const int64_t last = place->plan->rounds - 1;
    struct step step;
    return last - t <= place->hosts.fold + place->hosts.levels && t < last &&
           step_of(place, (int32_t)(last - t - 1), &step) && step.lower && step.follows &&
           step.mine.count > 0;
}

static bool acts(const struct place *place, int64_t t)
{
    const int64_t steps = place->hosts.fold + place->hosts.levels, last = place->plan->rounds - 1;
    const bool ends = t == last && place->rank > 0;
    bool sends, receives;
    struct step step;
    return ends || (is_inclusive(place->plan) && (t == 0 || t == last)) || prepares(place, t) ||
           (t >= steps && last - t >= steps
                ? has_lane(place) &&
                      (place->hosts.by_shares || reaches(place, t - steps, &sends, &receives))
                : step_of(place, (int32_t)(t < steps ? t : last - t), &step));
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct place place = place_of(plan, state->rank);
    while (t < plan->rounds && !acts(&place, t))
        t++;
    return t;
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Without a radix a cluster is a group. */
static int32_t joined_groups(struct rb_plan *plan)
{
    int32_t smallest, largest;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    if (plan->radix == 0 && plan->algorithm->info.radix != NULL)
        plan->radix = plan->p >= 4 ? 4 : plan->p > 2 ? plan->p : 2;
    return plan->radix > largest ? plan->radix / largest : 1;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int64_t *number = plan->data.number;
    number[3] = joined_groups(plan);
    struct hosts hosts = hosts_of(plan);
    hosts.split = MOST_SPLIT;
    for (int32_t cluster = 0; cluster < hosts.clusters; cluster++) {
        const struct rb_folded folded = cluster_folded(plan, &hosts, cluster);
        hosts.split = folded.steps < hosts.split ? folded.steps : hosts.split;
        hosts.levels = folded.steps > hosts.levels ? folded.steps : hosts.levels;
        hosts.fold = folded.folded > 0 ? 1 : hosts.fold;
    }
    const int32_t lanes = (int32_t)1 << hosts.split;
    number[0] = hosts.split;
    number[1] = hosts.levels;
    number[2] = hosts.fold;
    plan->rounds = 2 * (hosts.fold + (int64_t)hosts.levels) +
                   (hosts.by_shares ? 2 : 1) * (int64_t)hosts.between;
    plan->max_ops = 4 * lanes + 3 * (hosts.clusters / 2) + 8;
    plan->slot_blocks = lane_blocks(plan);
    plan->tmp_rows = (int32_t)rb_ceil_divide(slots(&hosts), lanes);
    plan->buffers |= 1u << RB_SRC | 1u << RB_TMP;
    const int status = rb_need_one_port(plan, why, why_size);
    return status != RB_OK
               ? status
               : rb_multiply_blocks(plan, (int64_t)lanes * (hosts.by_shares ? hosts.clusters : 1),
                                    why, why_size);
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const struct hosts hosts = hosts_of(plan);
    const double lanes = (double)((int32_t)1 << hosts.split);
    const double inside = 2 * (lanes - 1 + hosts.levels - hosts.split) / lanes + 2 * hosts.fold;
    return (double)plan->rounds * alpha_s +
           beta_s_per_byte * bytes * (inside + hosts.between / lanes);
}

#define OVER_CLUSTERS(collective_, row_, name_, title_, rounds_, blocks_, ...)                     \
    RB_ROW(rb_##collective_##_##row_, #collective_, name_, title_, "docs/groups.md", rounds_,      \
           .info.blocks = blocks_, .info.groups = true, .init = init, .round = round_,             \
           .next = next, .ordered_for_root_0 = true, __VA_ARGS__)

#define HOSTS(collective_)                                                                         \
    OVER_CLUSTERS(collective_, hosts, "hosts",                                                     \
                  "halved inside groups that share a port, and scanned by shares between them",    \
                  "at most 2 (ceil(log2 N) + floor(log2 K)) + 2",                                  \
                  "blocks in each group's share of a lane, which travel together", .cost = NULL)

#define MIXED(collective_)                                                                         \
    OVER_CLUSTERS(                                                                                 \
        collective_, halving_dissemination, "halving-dissemination",                               \
        "halved inside clusters of ranks, and lanes double their range between them",              \
        "at most ceil(log2 N) + 2 floor(log2 max(r, K)) + 4", "blocks in each lane", .cost = cost, \
        .info.radix = "r: ranks of a cluster of groups, or of the largest group, 4 by default")

HOSTS(scan);
HOSTS(exscan);
MIXED(scan);
MIXED(exscan);
