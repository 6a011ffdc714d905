#include "choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "support/units.h"

#define SMALL_BYTES      ((int64_t)64 << 10)
#define SMALL_PART_BYTES ((int64_t)256) /* of a pair of ranks */
#define LARGE_PART_BYTES ((int64_t)8 << 10)
#define MOST_BLOCKS      ((int64_t)1 << 20)
#define MOST_FAN_BYTES   ((int64_t)4 << 10)
#define MOST_PARTS_BYTES ((int64_t)32 << 10) /* of scatter and gather, likewise */
#define TRAEFF_F         70.0
/* Up to which exchange is no slower than hosts, and from where on than recursive doubling. */
#define LONG_EXCHANGE_BYTES  ((int64_t)512 << 10)
#define LEAST_EXCHANGE_BYTES ((int64_t)8 << 10)
#define MOST_EXCHANGED       8 /* ranks of a host, with long data */

/* ---- Settings -------------------------------------------------------------------------------- */

/* "16" or "F:70". */
static int parse_blocks(const char *text, struct choice_setting *setting, struct sup_error *error)
{
    if (strncmp(text, "F:", 2) != 0)
        return sup_parse_int(text, 1, MOST_BLOCKS, &setting->plan.n, error);
    const int status = sup_parse_real(text + 2, &setting->factor, error);
    if (status == RB_OK && !(setting->factor > 0 && isfinite(setting->factor)))
        return sup_fail(error, RB_EINVAL, "'%s': F is above 0, as in n=F:70", text);
    return status;
}

/* "n=16", "window=4" or "r=8". */
static int parse_option(const char *option, struct choice_setting *setting, struct sup_error *error)
{
    int64_t number;
    int status;
    if ((strncmp(option, "n=", 2) == 0 && (setting->plan.n > 0 || setting->factor > 0)) ||
        (strncmp(option, "window=", 7) == 0 && setting->width > 0) ||
        (strncmp(option, "r=", 2) == 0 && setting->plan.radix > 0))
        return sup_fail(error, RB_EINVAL, "'%s': this option is given twice", option);
    if (strncmp(option, "n=", 2) == 0)
        return parse_blocks(option + 2, setting, error);
    if (strncmp(option, "window=", 7) == 0) {
        status = sup_parse_int(option + 7, 1, CHOICE_MOST_WINDOW, &number, error);
        if (status == RB_OK)
            setting->width = (int32_t)number;
        return status;
    }
    if (strncmp(option, "r=", 2) == 0) {
        if (setting->algorithm->radix == NULL)
            return sup_fail(error, RB_EINVAL, "%s has no radix: leave out '%s'",
                            setting->algorithm->name, option);
        status = sup_parse_int(option + 2, 2, RB_MAX_RANKS, &number, error);
        if (status == RB_OK)
            setting->plan.radix = (int32_t)number;
        return status;
    }
    return sup_fail(error, RB_EINVAL, "options are n=N, n=F:REAL, window=W and r=R, not '%s'",
                    option);
}

static int parse_options(char *options, struct choice_setting *setting, struct sup_error *error)
{
    for (char *option = options, *end; option != NULL; option = end) {
        end = strchr(option, ',');
        if (end != NULL)
            *end++ = '\0';
        const int status = parse_option(option, setting, error);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

int choice_setting_parse(const char *collective, const char *text, struct choice_setting *setting,
                         char *why, size_t why_size)
{
    char copy[CHOICE_SETTING];
    struct sup_error error = {0};
    *setting = (struct choice_setting){0};
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
        snprintf(why, why_size, "a setting for %s has at most %d characters, as in %s", collective,
                 (int)sizeof copy - 1, "circulant:n=16,window=4");
        return RB_EINVAL;
    }
    setting->native = strcmp(copy, "native") == 0;
    if (setting->native)
        return RB_OK;
    char *options = rb_is_file(copy) ? strrchr(copy + strlen("file:"), ':') : strchr(copy, ':');
    if (options != NULL)
        *options++ = '\0';
    setting->algorithm = rb_algorithm_find(collective, copy);
    if (setting->algorithm == NULL) {
        snprintf(why, why_size,
                 "'%s': there is no algorithm '%s' for %s; roundabout list has all, and native, "
                 "without options, is the MPI library's",
                 text, copy, collective);
        return RB_EINVAL;
    }
    const int status = parse_options(options, setting, &error);
    if (status != RB_OK)
        snprintf(why, why_size, "'%s': %s", text, error.text);
    return status;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* Plans by groups first, then as few blocks as were best in measurements on machines with shared
 * memory (docs/mpi.md), then the rule's number. A candidate that can't serve, because the operator
 * doesn't commute, because no ranks share a host, or because they share its network interface or do
 * not, is refused when its plan is made. */
static const struct {
    const char *collective;
    const char *small[CHOICE_CANDIDATES],
        *large[CHOICE_CANDIDATES]; /* below 64 KiB, and from there on */
} candidates[] = {
    {"bcast",
     {"spread", "fan", "binomial", "circulant:n=1"},
     {"rails", "two-leaders", "hosts", "circulant:n=2", "circulant:n=1", "circulant"}},
    {"reduce",
     {"spread", "fan", "binomial", "circulant:n=1"},
     {"rails", "hosts", "turns", "circulant:n=2", "circulant", "chain"}},
    {"allgather",
     {"hosts-direct", "exchange", "dissemination", "circulant:n=1"},
     {"rails", "hosts", "exchange", "circulant:n=1", "ring", "circulant"}},
    {"reduce-scatter",
     {"hosts-direct", "exchange", "dissemination", "circulant:n=1"},
     {"rails", "hosts", "exchange", "circulant:n=1", "ring"}},
    {"allreduce",
     {"recursive-doubling", "exchange", "circulant:n=1"},
     {"rails", "hosts", "exchange", "circulant:n=1", "rabenseifner", "recursive-doubling"}},
    {"alltoall", {"bruck", "pairwise"}, {"hosts", "pairwise", "linear"}},
    {"scatter", {"fan", "binomial", "flat"}, {"flat", "binomial"}},
    {"gather", {"fan", "binomial", "flat"}, {"flat", "binomial"}},
    {"scan",
     {"halving-dissemination", "dissemination", "halving"},
     {"hosts", "halving", "chain", "dissemination"}},
    {"exscan",
     {"halving-dissemination", "two-phase", "halving"},
     {"hosts", "halving", "chain", "two-phase"}},
};
enum { LISTED = sizeof candidates / sizeof *candidates, MOST_COLLECTIVES = 64 };

static once_flag listed_once = ONCE_FLAG_INIT;
static struct {
    const char *collective; /* NULL: there are no more */
    struct {
        const char *text;
        struct choice_setting setting;
    } candidate[2][CHOICE_CANDIDATES];
} listed[MOST_COLLECTIVES + 1];

/* The i-th algorithm of a collective; NULL: there are fewer. */
static const struct rb_algorithm_info *algorithm_of(const char *collective, int i)
{
    const struct rb_algorithm_info *info;
    for (int32_t k = 0; (info = rb_algorithm_at(k)) != NULL; k++)
        if (strcmp(info->collective, collective) == 0 && i-- == 0)
            return info;
    return NULL;
}

/* The candidate's setting by the table, or a collective's i-th algorithm if the collective is not
 * in the table. NULL: there is none. */
static const char *text_of(const char *collective, bool large, int i)
{
    int k = 0;
    while (k < LISTED && strcmp(candidates[k].collective, collective) != 0)
        k++;
    if (k < LISTED)
        return (large ? candidates[k].large : candidates[k].small)[i];
    const struct rb_algorithm_info *info = algorithm_of(collective, i);
    return info == NULL ? NULL : info->name;
}

static void list_candidates(void)
{
    char why[200];
    const struct rb_collective_info *info;
    for (int c = 0; c < MOST_COLLECTIVES && (info = rb_collective_at(c)) != NULL; c++) {
        listed[c].collective = info->name;
        for (int i = 0; i < 2 * CHOICE_CANDIDATES; i++) {
            const bool large = i >= CHOICE_CANDIDATES;
            const char *text = text_of(info->name, large, i % CHOICE_CANDIDATES);
            listed[c].candidate[large][i % CHOICE_CANDIDATES].text = text;
            if (text != NULL)
                choice_setting_parse(info->name, text,
                                     &listed[c].candidate[large][i % CHOICE_CANDIDATES].setting,
                                     why, sizeof why);
        }
    }
}

const struct choice_setting *choice_candidate(const struct choice_situation *situation, int index,
                                              const char **text)
{
    const bool large = situation->bytes >= SMALL_BYTES;
    int c = 0;
    call_once(&listed_once, list_candidates);
    while (listed[c].collective != NULL && strcmp(listed[c].collective, situation->collective) != 0)
        c++;
    if (listed[c].collective == NULL || index < 0 || index >= CHOICE_CANDIDATES ||
        listed[c].candidate[large][index].setting.algorithm == NULL)
        return NULL;
    if (text != NULL)
        *text = listed[c].candidate[large][index].text;
    return &listed[c].candidate[large][index].setting;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static bool is(const struct choice_situation *situation, const char *collective)
{
    return strcmp(situation->collective, collective) == 0;
}

static bool is_scan(const struct choice_situation *situation)
{
    return is(situation, "scan") || is(situation, "exscan");
}

/* The divisor of sqrt(m q) in Traeff's rule; 0: one block is best. */
static double factor_by_rule(const struct choice_situation *situation)
{
    if (is(situation, "bcast") || is(situation, "reduce") || is_scan(situation))
        return TRAEFF_F;
    return situation->irregular ? 40 : 0;
}

/* The number of blocks for a pipeline of n rounds and this many more. */
static int64_t blocks_by_factor(const struct choice_situation *situation, int32_t rounds,
                                double factor)
{
    const double n = round(sqrt((double)situation->bytes / 4 * rounds) / factor);
    return n < 1 ? 1 : n > (double)MOST_BLOCKS ? MOST_BLOCKS : (int64_t)n;
}

static int64_t blocks_by_rule(const struct choice_situation *situation)
{
    const double factor = factor_by_rule(situation);
    if (is_scan(situation)) /* by a chain */
        return blocks_by_factor(situation, situation->p > 2 ? situation->p - 2 : 0, factor);
    return factor > 0 ? blocks_by_factor(situation, rb_ceil_log2(situation->p), factor) : 1;
}

/* As many as a plan can use: one per other rank of a host, where each rank has a port of its own
 * for what leaves the host. */
static int32_t ports_of(const struct rb_algorithm_info *algorithm, int32_t p)
{
    return !algorithm->own_nic ? 1 : p < RB_MAX_PORTS ? p : RB_MAX_PORTS;
}

/* The square root of A for plans of n + A rounds by these groups. With start-ups as long as a byte
 * of 2^40 the core's best n is 2^20 times that. RB_ENOMEM. */
static int root_of_pipeline(const struct rb_algorithm_info *algorithm,
                            const struct choice_situation *situation, double *root)
{
    struct choice_groups *groups = situation->groups;
    const struct rb_plan_spec spec = {.collective = algorithm->collective,
                                      .algorithm = algorithm->name,
                                      .p = situation->p,
                                      .ports = ports_of(algorithm, situation->p),
                                      .groups = choice_groups_for(algorithm, groups)};
    const int64_t scale = INT64_C(1) << 20;
    int64_t n;
    for (int32_t i = 0; i < groups->known; i++)
        if (groups->pipeline[i].algorithm == algorithm) {
            *root = groups->pipeline[i].root;
            return RB_OK;
        }
    const int status = rb_best_n(&spec, scale * scale, 1, 1, &n);
    if (status != RB_OK)
        return status;
    *root = (double)n / (double)scale;
    if (groups->known < CHOICE_KNOWN_PIPELINES)
        groups->pipeline[groups->known++] = (struct choice_pipeline){algorithm, *root};
    return RB_OK;
}

static int blocks_of(const struct choice_setting *setting, const struct choice_situation *situation,
                     const struct rb_algorithm_info *algorithm, int64_t *n)
{
    double root;
    *n = 1;
    if (setting->plan.n > 0)
        *n = setting->plan.n;
    else if (!algorithm->pipelined)
        return RB_OK;
    else if (setting->factor > 0)
        *n = blocks_by_factor(situation, rb_ceil_log2(situation->p), setting->factor);
    else if (algorithm->groups && situation->groups != NULL) {
        const int status = root_of_pipeline(algorithm, situation, &root);
        if (status != RB_OK) /* where the groups don't suit, the plan will be refused */
            return status == RB_ENOMEM ? status : RB_OK;
        *n = blocks_by_factor(situation, 1, TRAEFF_F / root);
    } else {
        *n = blocks_by_rule(situation);
    }
    return RB_OK;
}

/* A start-up takes as long as so many bytes. */
#define START_UP (4 * TRAEFF_F * TRAEFF_F)

static double scan_by_chain(const struct choice_situation *situation)
{
    const double n = (double)blocks_by_rule(situation);
    return (n + situation->p - 2) * (START_UP + (double)situation->bytes / n);
}

/* The scan of least time by the closed forms: q rounds of the whole vector; n + p - 2 rounds of one
 * block; 2 q rounds in which the vector passes twice, and is combined once more than in a chain; by
 * clusters of 4 ranks, q + 2 rounds, q - 2 of them with a quarter of the vector.
 * Traeff's F says that a start-up takes as long as 4 F^2 bytes. */
static const char *scan_by_rule(const struct choice_situation *situation)
{
    const double start_up = START_UP, bytes = (double)situation->bytes;
    const double q = rb_ceil_log2(situation->p), whole = q * (start_up + bytes);
    const double chain = scan_by_chain(situation);
    const double halving = 2 * q * start_up + 2.5 * bytes;
    const double mixed =
        situation->p % 4 == 0 ? (q + 2) * start_up + (2 + (q - 2) / 4) * bytes : INFINITY;
    if (situation->p > 2 && fmin(halving, mixed) < fmin(whole, chain))
        return mixed < halving ? "halving-dissemination" : "halving";
    if (chain < whole)
        return "chain";
    return is(situation, "scan") ? "dissemination" : "two-phase";
}

/* The scan over N groups of least time: the vector moves inside, and passes a port twice, or in
 * each round; or it passes from rank to rank in blocks. */
static const char *scan_by_groups(const struct choice_situation *situation)
{
    const double bytes = (double)situation->bytes;
    const double groups = situation->groups != NULL ? situation->groups->count : 1;
    const double q = ceil(log2(groups)), whole = q * START_UP + (q + 1) * bytes;
    const double hosts = 2 * q * START_UP + (3 - 2 / groups) * bytes;
    if (scan_by_chain(situation) < fmin(hosts, whole))
        return "chain";
    return hosts < whole ? "hosts" : "halving-dissemination";
}

bool choice_needs_order(const struct choice_situation *situation)
{
    return situation->ordered || is_scan(situation);
}

/* True if groups are worth planning by for long data, of scans for any: of an alltoall, as long as
 * start-ups cost more than to pass parts on inside. */
static bool is_long_for_groups(const struct choice_situation *situation)
{
    const int64_t p = situation->p;
    if (is(situation, "alltoall") &&
        (situation->irregular || situation->bytes >= p * p * LARGE_PART_BYTES))
        return false;
    return situation->bytes >= SMALL_BYTES || is_scan(situation);
}

/* True if short data are exchanged by groups at once: each has a rank for each other one. */
static bool is_direct(const struct choice_situation *situation)
{
    const struct choice_groups *groups = situation->groups;
    return (is(situation, "allgather") || is(situation, "reduce-scatter")) &&
           (groups == NULL || (int64_t)groups->count * (groups->count - 1) <= situation->p);
}

/* For data of middling length, and any where leaf switches are known. Stages that exchange what
 * they have take few start-ups, and cross ports and uplinks once (docs/mpi.md has times). NULL:
 * none is for this situation. */
static const char *by_levels(const struct choice_situation *situation)
{
    const struct choice_groups *groups = situation->groups;
    const bool has_leaves = groups != NULL && groups->levels != NULL;
    const bool has_few = groups == NULL || situation->p / groups->count <= MOST_EXCHANGED;
    const bool is_twice = is(situation, "allreduce"); /* exchanged */
    const int64_t long_bytes = is_twice ? LONG_EXCHANGE_BYTES / 2 : LONG_EXCHANGE_BYTES;
    const bool is_long = situation->bytes >= (has_few ? long_bytes : SMALL_BYTES);
    if (is(situation, "allgather") || is(situation, "reduce-scatter") ||
        (is_twice && situation->bytes >= LEAST_EXCHANGE_BYTES))
        return (has_leaves || !is_long) ? "exchange" : NULL;
    if (!has_leaves || situation->bytes < SMALL_BYTES)
        return NULL;
    if (is(situation, "bcast"))
        return "hosts";
    return is(situation, "reduce") && groups->count == situation->p ? "turns" : NULL;
}

/* For long data. A broadcast is by two leaders: turns suit hosts only where these lie well on the
 * switches, which are not known here (docs/groups.md). */
static const char *long_by_groups(const struct choice_situation *situation)
{
    if (is_scan(situation))
        return scan_by_groups(situation);
    return is(situation, "bcast") ? "two-leaders" : "hosts";
}

/* Where ranks of a host share its port, or are alone on it but share a leaf's. */
static const char *by_shared_ports(const struct choice_situation *situation, bool is_long,
                                   bool are_alone)
{
    const bool is_whole = is(situation, "bcast") || is(situation, "reduce");
    const bool has_parts = is(situation, "scatter") || is(situation, "gather");
    if (!is_long && !are_alone && is_direct(situation))
        return "hosts-direct";
    const char *name = by_levels(situation);
    if (name != NULL || are_alone)
        return name;
    if (is_long)
        return long_by_groups(situation);
    const int64_t most_bytes = is_whole ? MOST_FAN_BYTES : has_parts ? MOST_PARTS_BYTES : -1;
    return situation->bytes <= most_bytes ? "fan" : NULL;
}

/* The algorithm that plans by groups, or would by some groups if they are not known; NULL: none is
 * worthwhile. */
static const char *algorithm_by_groups(const struct choice_situation *situation)
{
    const bool rooted = is(situation, "bcast") || is(situation, "reduce");
    const bool is_long = is_long_for_groups(situation);
    /* Rules take no alltoall on rails: Bruck's is faster up to a length that the network decides.
     */
    const bool has_rails =
        !is(situation, "alltoall") && rb_algorithm_find(situation->collective, "rails") != NULL;
    const struct choice_groups *groups = situation->groups;
    const bool are_alone = groups != NULL && groups->count == situation->p;
    const int32_t lanes = are_alone                          ? 0
                          : groups != NULL                   ? groups->lanes
                          : has_rails && (is_long || rooted) ? 2
                                                             : 0;
    const char *name = NULL;
    if (lanes == 0)
        name = by_shared_ports(situation, is_long, are_alone);
    else if (lanes > 1 && has_rails && (is_long || rooted))
        name = is_long ? "rails" : "spread";
    const bool loses_order = is_scan(situation)
                                 ? situation->groups != NULL && situation->groups->moved
                                 : situation->ordered;
    return name != NULL && !loses_order && rb_algorithm_find(situation->collective, name) != NULL
               ? name
               : NULL;
}

/* NULL: there is no rule for this collective. */
static const char *algorithm_by_rule(const struct choice_situation *situation)
{
    const int64_t p = situation->p;
    const bool small = situation->bytes < SMALL_BYTES;
    const char *by_groups =
        choice_is_grouped(situation->groups, situation->p) ? algorithm_by_groups(situation) : NULL;
    if (by_groups != NULL)
        return by_groups;
    if (is(situation, "alltoall"))
        return situation->irregular || situation->bytes >= p * p * SMALL_PART_BYTES ? "pairwise"
                                                                                    : "bruck";
    if (is(situation, "scatter") || is(situation, "gather"))
        return situation->bytes / p < SMALL_BYTES ? "binomial" : "flat";
    if (is_scan(situation))
        return scan_by_rule(situation);
    if (is(situation, "allreduce"))
        return small || situation->ordered ? "recursive-doubling" : "circulant";
    if (is(situation, "allgather") || is(situation, "reduce-scatter"))
        return small ? "dissemination" : "circulant";
    if (!is(situation, "bcast") && !is(situation, "reduce"))
        return NULL;
    if (small)
        return "binomial";
    return situation->ordered ? "chain" : "circulant";
}

bool choice_needs_groups(const struct choice_setting *setting,
                         const struct choice_situation *situation)
{
    if (setting == NULL)
        return algorithm_by_groups(situation) != NULL;
    return setting->algorithm != NULL && setting->algorithm->groups;
}

struct choice_result choice_make(const struct choice_setting *setting,
                                 const struct choice_situation *situation)
{
    struct choice_result choice = {.algorithm = setting->algorithm, .plan = setting->plan};
    if (setting->native)
        return choice;
    if (choice.algorithm == NULL) {
        const char *name = algorithm_by_rule(situation);
        choice.algorithm = name != NULL ? rb_algorithm_find(situation->collective, name)
                                        : algorithm_of(situation->collective, 0);
    }
    if (choice.algorithm == NULL)
        return choice;
    choice.plan.ports = ports_of(choice.algorithm, situation->p);
    choice.status = blocks_of(setting, situation, choice.algorithm, &choice.plan.n);
    choice.width = setting->width > 0 ? setting->width : CHOICE_DEFAULT_WINDOW;
    return choice;
}
