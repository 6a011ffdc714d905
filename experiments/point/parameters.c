/* parameters.c - the table of a point's parameters, and what reads and sets them by it. */
#include "experiments/point/parameters.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/point.h"
#include "experiments/point/words.h"
#include "roundabout.h"
#include "support/names.h"
#include "support/output/table.h"

#define COLUMN(name, type_, member, part_)                                                         \
    .column = name, .type = POINT_##type_, .at = offsetof(struct point, member),                   \
    .part = POINT_OF_##part_

const struct point_parameter point_parameters[POINT_PARAMETERS] = {
    [POINT_COLLECTIVE] = {COLUMN("collective", TEXT, plan.collective, COLLECTIVE),
                          .key = "collective", .worded = true, .native = true,
                          .option = {CLI_ROW("collective", TEXT, "NAME"), .fallback = "bcast",
                                     .usual = sup_collective_names,
                                     .help = "the collective; roundabout list names them all"},
                          .filter = {.value = "NAME,...", .help = "use only these collectives"}},
    [POINT_ALGORITHM] = {COLUMN("algorithm", TEXT, plan.algorithm, PLAN), .varies = true,
                         .key = "algorithms", .worded = true, .native = true,
                         .option = {CLI_ROW("algorithm", TEXT, "NAME"),
                                    .usual = sup_algorithm_names,
                                    .help = "the algorithm; roundabout list names them all, each "
                                            "collective's default first"},
                         .filter = {.value = "NAME,...",
                                    .help = "use only these algorithms; bruck stands for "
                                            "bruck:r=2, bruck:r=4, ..."}},
    [POINT_P] = {COLUMN("p", INT32, plan.p, PLAN), .varies = true, .key = "ranks", .worded = true,
                 .native = true,
                 .option = {CLI_ROW("ranks", INT, "P"), .letter = 'p', .least = 1,
                            .most = RB_MAX_RANKS, .help = "number of ranks"},
                 .filter = {.value = "P,...", .help = "use only these numbers of ranks"}},
    [POINT_N] = {COLUMN("n", INT64, plan.n, PLAN), .varies = true, .worded = true,
                 .option = {CLI_ROW("blocks", INT, "N"), .letter = 'n', .least = 1,
                            .most = INT64_MAX, .help = "number of blocks"}},
    [POINT_BYTES] = {COLUMN("m_bytes", INT64, m_bytes, DATA), .varies = true, .key = "bytes",
                     .option = {CLI_ROW("bytes", BYTES, "M"), .letter = 'm',
                                .help = "bytes of all the data: the message, or all ranks' data "
                                        "together"},
                     .filter = {.value = "M,...", .help = "use only these message sizes"}},
    [POINT_ROOT] = {COLUMN("root", INT32, plan.root, PLAN), .in_names = true, .key = "roots",
                    .worded = true, .native = true,
                    .option = {CLI_ROW("root", INT, "RANK"), .fallback = "0", .least = 0,
                               .most = RB_MAX_RANKS - 1,
                               .help = "root of the collective, below P"}},
    [POINT_PORTS] =
        {COLUMN("ports", INT32, plan.ports, PLAN), .in_names = true, .key = "ports", .worded = true,
         .option = {CLI_ROW("ports", INT, "K"), .fallback = "1", .least = 1, .most = RB_MAX_PORTS,
                    .help = "sends and receives that a rank can have in flight at once"}},
    [POINT_RADIX] = {COLUMN("radix", INT32, plan.radix, PLAN), .varies = true, .key = "radix",
                     .worded = true,
                     .option = {CLI_ROW("radix", INT, "R"), .least = 2, .most = RB_MAX_RANKS,
                                .help = "radix of algorithms that have one, from 2 to P; "
                                        "default: the algorithm's choice"},
                     .filter = {.value = "R,...",
                                .help = "use only these radices; 0: algorithms without a radix, "
                                        "or with their own choice",
                                .least = 0,
                                .most = RB_MAX_RANKS}},
    [POINT_GROUPS] =
        {/* NULL: each rank is alone */
         COLUMN("groups", TEXT, plan.groups, PLAN), .varies = true, .key = "groups",
         .option =
             {CLI_ROW("groups", TEXT, "SIZES"),
              .help =
                  "ranks that share a port, in groups of consecutive ranks: a size, "
                  "sizes in turn (3,1,4), or the ranks of one of " POINT_GROUP_LEVELS
                  "; of several levels: host/router/group; behind a colon the seed of an order, "
                  "host/router/group:1, or one of " POINT_GROUP_ORDERS
                  " (docs/groups.md); default, for algorithms that plan by groups: node where "
                  "it has several hosts, host where it has several ranks, else each rank alone"},
         .filter = {.value = "SIZES", .help = "use only these groups"}},
    [POINT_INSTANCE] =
        {/* NULL: the usual one, or there are no others */
         COLUMN("instance", TEXT, plan.instance, INSTANCE), .in_names = true, .key = "instances",
         .worded = true,
         .option = {CLI_ROW("instance", TEXT, "TEXT"),
                    .help = "the problem, for collectives that are families of "
                            "problems, such as q=5 for shift; see roundabout "
                            "list; default: the collective's default"},
         .filter = {.value = "NAME,...", .help = "use only these instances"}},
    [POINT_ORDERED] = {COLUMN(NULL, BOOL, plan.ordered, PLAN), .worded = true,
                       .option = {CLI_FLAG("ordered"),
                                  .help = "in reductions, the operator is not commutative: "
                                          "combine in rank order"}},
    [POINT_ELEMENT] = {COLUMN("element_bytes", INT64, element_bytes, DATA), .key = "element-bytes",
                       .option = {CLI_ROW("element", BYTES, "BYTES"), .fallback = "1", .least = 1,
                                  .most = INT32_MAX,
                                  .help = "size of an element: blocks consist of whole elements"}},
    [POINT_COUNTS] =
        {COLUMN("counts", TEXT, counts, DATA), .in_names = true, .key = "counts",
         .option = {CLI_ROW("counts", TEXT, "RULE"), .fallback = "regular",
                    .help = "how the data are divided among the ranks, where they "
                            "are: regular, mod3 (rank i weighs i mod 3), degenerate "
                            "(rank 0 has all), random:SEED, zipf:S:SEED, hot:COUNT:FACTOR:SEED, "
                            "banded:WIDTH:SEED, file:NAME (a matrix, or a value in "
                            "each line)"},
         .filter = {.value = "NAME,...", .help = "use only these counts"}},
    [POINT_PLATFORM] = {COLUMN("platform", TEXT, platform_text, MACHINE), .key = "platforms",
                        .option = {CLI_ROW("platform", TEXT, "PLATFORM"),
                                   .help = "a generator, such as fat-tree:1024, a machine, such as "
                                           "leonardo (see roundabout list), or a SimGrid XML file"},
                        .filter = {.value = "NAME,...",
                                   .help = "use only these platforms; fat-tree stands for every "
                                           "fat-tree:..."}},
    [POINT_PLATFORM_HASH] = {COLUMN("platform_hash", TEXT, platform_hash, MACHINE),
                             .option = {.help = "identifies the platform: a hash of its XML"}},
    [POINT_PPN] = {COLUMN("ppn", INT32, ppn, MACHINE), .in_names = true, .key = "ppn",
                   .option = {CLI_ROW("ppn", INT, "RANKS"), .fallback = "1", .least = 1,
                              .most = RB_MAX_RANKS, .help = "ranks per host"},
                   .filter = {.value = "K,...",
                              .help = "use only these numbers of ranks per host"}},
    [POINT_PLACEMENT] =
        {COLUMN("placement", TEXT, placement, MACHINE), .in_names = true, .key = "placement",
         .option = {CLI_ROW("placement", TEXT, "RULE"), .fallback = "block",
                    .help = "ranks on hosts: block, cyclic, gray (a ring on a hypercube), "
                            "random:SEED, file:NAME (a line per rank with a host, a rankfile or a "
                            "table), search:SEED (an order of the hosts with little contention in "
                            "the plan's rounds), search:SEED:RULE"},
         .filter = {.value = "NAME,...", .help = "use only these placements"}},
    [POINT_ENGINE] = {COLUMN("engine", TEXT, engine_text, ENGINE), .in_names = true,
                      .key = "engine",
                      .option = {CLI_ROW("engine", TEXT, "NAME"), .fallback = "simgrid",
                                 .help = "the engine; roundabout list names them all"},
                      .filter = {.value = "NAME,...", .help = "use only these engines"}},
    [POINT_OVERLAP] = {COLUMN("progress", TEXT, overlap, EXECUTION), .key = "overlap",
                       .option = {CLI_ROW("overlap", TEXT, "RULE"), .synonym = "progress",
                                  .fallback = "blocking",
                                  .help = "how rounds overlap: lockstep, blocking, window:W, "
                                          "data (all in flight)"},
                       .filter = {.value = "NAME,...", .help = "use only these overlap rules"}},
    [POINT_ENGINE_OPTIONS] =
        {COLUMN("engine_options", TEXT, engine_options, ENGINE), .key = "engine-options",

         .option = {.help = "the engine's own options (--engine-option), separated by blanks"}},
    [POINT_JITTER] =
        {/* 0: none */
         COLUMN("jitter", INT32, jitter, ENGINE), .in_names = true, .key = "jitter",
         .option = {CLI_ROW("jitter", INT, "K"), .least = 1, .most = SIM_MOST_COPIES,
                    .help = "run K copies with latencies up to a millionth longer, and "
                            "take the median; default: one run, without longer latencies"},
         .filter = {.value = "K,...",
                    .help = "use only results of so many copies (--jitter of simulate); "
                            "0: of single runs",
                    .least = 0,
                    .most = SIM_MOST_COPIES}},
    [POINT_ARRIVAL] =
        {COLUMN("arrival", TEXT, arrival, EXECUTION), .in_names = true, .key = "arrival",
         .option = {CLI_ROW("arrival", TEXT, "RULE"), .fallback = "together",
                    .help = "when ranks come: together, late:K:TIME:SEED (K ranks, chosen by the "
                            "seed), late:1:TIME:rankR, uniform:TIME:SEED, exponential:TIME:SEED, "
                            "sorted:TIME, file:NAME (lines RANK,TIME); for a SEED 1..10 the median "
                            "of ten; times are counted from the last arrival"},
         .filter = {.value = "NAME,...",
                    .help = "use only these arrivals; uniform stands for every uniform:..."}},
    [POINT_PROGRAM] = {COLUMN("program", TEXT, program, EXECUTION), .in_names = true,
                       .key = "program",
                       .option = {.name = "program",
                                  .type = CLI_OPT_TEXT,
                                  .value = "FILE",
                                  .fallback = "alone",
                                  .help = "the workload in which the collective runs: in its steps "
                                          "with $algorithm, $blocks and $bytes; the time is that "
                                          "of the whole; alone: none"},
                       .filter = {.value = "NAME,...",
                                  .help = "use only results in these programs "
                                          "(docs/workloads.md)"}},
};

/* ---- Options --------------------------------------------------------------------------------- */

static enum cli_option_type list_of(enum cli_option_type type)
{
    return type == CLI_OPT_INT ? CLI_OPT_INTS : type == CLI_OPT_BYTES ? CLI_OPT_BYTESES : type;
}

bool point_filter_option(int32_t i, struct cli_option *option)
{
    for (int k = 0; k < POINT_PARAMETERS; k++) {
        const struct point_parameter *parameter = &point_parameters[k];
        if (parameter->filter.help == NULL || i-- > 0)
            continue;
        const struct cli_option *bounds =
            parameter->filter.most != 0 ? &parameter->filter : &parameter->option;
        *option =
            (struct cli_option){.name = parameter->option.name,
                                .synonym = parameter->option.synonym,
                                .letter = parameter->option.letter,
                                .type = list_of(parameter->option.type),
                                .value = parameter->filter.value,
                                .help = parameter->filter.help,
                                .least = bounds->least,
                                .most = bounds->most,
                                .usual = parameter->option.usual,
                                .repeatable = parameter->type == POINT_TEXT,
                                .separable = parameter->type == POINT_TEXT && k != POINT_GROUPS};
        return true;
    }
    return false;
}

/* True for parameters in rb_plan_spec. */
bool point_is_of_plan(const struct point_parameter *parameter)
{
    return parameter->at < offsetof(struct point, plan) + sizeof(struct rb_plan_spec);
}

/* True of the options that a verb words itself. */
static bool is_worded(const struct point_parameter *parameter)
{
    return !point_is_of_plan(parameter) || parameter == &point_parameters[POINT_COLLECTIVE] ||
           parameter == &point_parameters[POINT_ALGORITHM] ||
           parameter == &point_parameters[POINT_P] || parameter == &point_parameters[POINT_N];
}

bool point_plan_option(int32_t i, struct cli_option *option)
{
    for (int k = 0; k < POINT_PARAMETERS; k++)
        if (!is_worded(&point_parameters[k]) && i-- == 0) {
            *option = point_parameters[k].option;
            return true;
        }
    return false;
}

/* Of a plan from a file, what its options don't give is the file's. If it can't be read, nothing
 * changes, and whoever asks for the plan complains. */
static void take_only(const struct cli_args *args, struct rb_plan_spec *spec)
{
    const struct rb_algorithm_info *info = NULL;
    if (!cli_args_given(args, "collective") || rb_collective_find(spec->collective) == NULL)
        info = rb_algorithm_find(NULL, spec->algorithm);
    if (info == NULL)
        info = rb_algorithm_find(spec->collective, spec->algorithm);
    if (info == NULL)
        return;
    spec->collective = info->collective;
    spec->algorithm = info->name;
    if (!cli_args_given(args, "blocks") && info->only->n > 0)
        spec->n = info->only->n;
    if (!cli_args_given(args, "root") && info->only->root >= 0)
        spec->root = info->only->root;
    if (!cli_args_given(args, "ports"))
        spec->ports = info->only->ports;
    if (!cli_args_given(args, "instance") && info->only->instance != NULL)
        spec->instance = info->only->instance;
}

void point_read_plan(const struct cli_args *args, struct rb_plan_spec *spec)
{
    struct point point = {.plan = *spec};
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const char *name = parameter->option.name;
        const struct cli_option *option =
            point_is_of_plan(parameter) && i != POINT_P ? cli_args_option(args, name) : NULL;
        if (option == NULL || option->type != parameter->option.type || option->repeatable)
            continue;
        if (parameter->type == POINT_TEXT)
            point_set_text(&point, parameter, cli_args_text(args, name));
        else if (parameter->type == POINT_BOOL)
            point_set_number(&point, parameter, cli_args_flag(args, name));
        else
            point_set_number(&point, parameter, cli_args_int(args, name));
    }
    *spec = point.plan;
    if (spec->algorithm == NULL && cli_args_option(args, "algorithm") != NULL) {
        const struct rb_algorithm_info *usual =
            cli_args_given(args, "algorithm") ? NULL : rb_algorithm_find(spec->collective, NULL);
        spec->algorithm = usual == NULL ? "" : usual->name;
    }
    if (spec->algorithm != NULL && rb_is_file(spec->algorithm))
        take_only(args, spec);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static const void *place_of(const struct point *point, const struct point_parameter *parameter)
{
    return (const char *)point + parameter->at;
}

const char *point_text(const struct point *point, const struct point_parameter *parameter)
{
    assert(parameter->type == POINT_TEXT);
    const char *text = *(const char *const *)place_of(point, parameter);
    return text == NULL ? "" : text;
}

int64_t point_number(const struct point *point, const struct point_parameter *parameter)
{
    const void *place = place_of(point, parameter);
    assert(parameter->type != POINT_TEXT);
    if (parameter->type == POINT_BOOL)
        return *(const bool *)place;
    return parameter->type == POINT_INT32 ? *(const int32_t *)place : *(const int64_t *)place;
}

void point_set_text(struct point *point, const struct point_parameter *parameter, const char *text)
{
    const bool usual = text != NULL && *text == '\0' && point_is_of_plan(parameter);
    assert(parameter->type == POINT_TEXT);
    *(const char **)(void *)((char *)point + parameter->at) = usual ? NULL : text;
}

void point_set_number(struct point *point, const struct point_parameter *parameter, int64_t number)
{
    void *place = (char *)point + parameter->at;
    assert(parameter->type != POINT_TEXT);
    if (parameter->type == POINT_BOOL)
        *(bool *)place = number != 0;
    else if (parameter->type == POINT_INT32)
        *(int32_t *)place = (int32_t)number;
    else
        *(int64_t *)place = number;
}

int point_compare(const struct point *a, const struct point *b,
                  const struct point_parameter *parameter)
{
    if (parameter->type == POINT_TEXT)
        return strcmp(point_text(a, parameter), point_text(b, parameter));
    const int64_t left = point_number(a, parameter), right = point_number(b, parameter);
    return (left > right) - (left < right);
}

bool point_is_unusual(const struct point *point, const struct point_parameter *parameter)
{
    const char *usual = parameter->option.fallback;
    if (parameter->type == POINT_TEXT) {
        const char *text = *(const char *const *)place_of(point, parameter);
        return text != NULL && strcmp(text, usual == NULL ? "" : usual) != 0;
    }
    return point_number(point, parameter) != (usual == NULL ? 0 : strtoll(usual, NULL, 10));
}

/* "summa,others=1" for "workloads/summa.yaml,others=1#0123456789abcdef". */
static const char *format_program(const char *text, char *buffer, size_t size)
{
    static const char ending[] = ".yaml";
    const size_t file = strcspn(text, ",#");
    size_t first = file;
    while (first > 0 && text[first - 1] != '/')
        first--;
    size_t length = file - first;
    if (length > strlen(ending) &&
        strncmp(text + file - strlen(ending), ending, strlen(ending)) == 0)
        length -= strlen(ending);
    const char *hash = strrchr(text, '#');
    const size_t end = hash != NULL ? (size_t)(hash - text) : strlen(text);
    snprintf(buffer, size, "%.*s%.*s", (int)length, text + first, (int)(end - file), text + file);
    return buffer;
}

const char *point_format(const struct point *point, const struct point_parameter *parameter,
                         char *buffer, size_t size)
{
    if (parameter == &point_parameters[POINT_PROGRAM])
        return format_program(point_text(point, parameter), buffer, size);
    if (parameter->type == POINT_TEXT)
        snprintf(buffer, size, "%s", point_text(point, parameter));
    else
        snprintf(buffer, size, "%s%" PRId64, parameter->column, point_number(point, parameter));
    return buffer;
}

int point_setting(const struct point_parameter *parameters[POINT_PARAMETERS])
{
    int count = 0;
    for (int part = 0; part < POINT_PARTS; part++)
        for (int i = 0; i < POINT_PARAMETERS; i++) {
            const struct point_parameter *parameter = &point_parameters[i];
            if (parameter->column != NULL && !parameter->varies && (int)parameter->part == part)
                parameters[count++] = parameter;
        }
    return count;
}

json_t *point_json(const struct point *point, const struct point_parameter *parameter)
{
    return parameter->type == POINT_TEXT ? out_json_text(point_text(point, parameter))
                                         : json_integer(point_number(point, parameter));
}

/* True for parameters that a plan's algorithm chooses by default: the radix, the instance. */
static bool is_chosen(const struct point_parameter *parameter)
{
    return !is_worded(parameter) && parameter->option.fallback == NULL;
}

static void add_columns(json_t *object, const struct point *point, int first, int last, bool chosen)
{
    for (int i = first; i <= last; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        if (parameter->column != NULL && is_chosen(parameter) == chosen)
            json_object_set_new(object, parameter->column, point_json(point, parameter));
    }
}

void point_add(json_t *object, const struct point *point, enum point_id first, enum point_id last)
{
    add_columns(object, point, (int)first, (int)last, false);
}

void point_add_chosen(json_t *object, const struct rb_plan_spec *spec)
{
    const struct point point = {.plan = *spec};
    add_columns(object, &point, 0, POINT_PARAMETERS - 1, true);
}

/* ---- Words ----------------------------------------------------------------------------------- */

const char *point_planned_option(const struct cli_args *args)
{
    struct point point = {0};
    point_read_plan(args, &point.plan);
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const char *name = parameter->option.name;
        if (point_is_of_plan(parameter) && !parameter->native &&
            cli_args_option(args, name) != NULL && cli_args_given(args, name) &&
            point_is_unusual(&point, parameter))
            return name;
    }
    return NULL;
}

const char *point_format_others(const struct rb_plan_spec *spec, const char *before, char *buffer,
                                size_t size)
{
    const struct point point = {.plan = *spec};
    buffer[0] = '\0';
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        if (parameter->worded || !point_is_of_plan(parameter) ||
            !point_is_unusual(&point, parameter))
            continue;
        char value[64] = "";
        if (parameter->type == POINT_TEXT)
            snprintf(value, sizeof value, " %s", point_text(&point, parameter));
        else if (parameter->type != POINT_BOOL)
            snprintf(value, sizeof value, " %" PRId64, point_number(&point, parameter));
        sup_append(buffer, size, "", "%s%s%s", before, parameter->option.name, value);
    }
    return buffer;
}

static const char *format_name(const struct rb_plan_spec *spec, const char *before_radix,
                               const char *before_groups, char *buffer, size_t size)
{
    const char *groups = spec->groups == NULL ? "" : spec->groups;
    char radix[24] = "";
    if (spec->radix > 0)
        snprintf(radix, sizeof radix, "%s%" PRId32, before_radix, spec->radix);
    snprintf(buffer, size, "%s%s%s%s", spec->algorithm, radix, *groups == '\0' ? "" : before_groups,
             groups);
    return buffer;
}

const char *point_curve_name(const struct rb_plan_spec *spec, char *buffer, size_t size)
{
    return format_name(spec, ":r=", ":g=", buffer, size);
}

const char *point_typed_name(const struct rb_plan_spec *spec, char *buffer, size_t size)
{
    return format_name(spec, " --radix ", " --groups ", buffer, size);
}

const char *point_format_ways(const struct rb_plan_spec *spec, char *buffer, size_t size)
{
    const char *instance = spec->instance == NULL ? "" : spec->instance;
    char k[32] = "", r[24] = "", others[128];
    if (spec->ports > 1)
        snprintf(k, sizeof k, ", k = %" PRId32 " ports", spec->ports);
    if (spec->radix > 0)
        snprintf(r, sizeof r, ", r = %" PRId32, spec->radix);
    snprintf(buffer, size, "%s%s%s%s%s", k, r,
             point_format_others(spec, ", ", others, sizeof others), *instance == '\0' ? "" : ", ",
             instance);
    return buffer;
}

/* ---- The table of a point's outcome ---------------------------------------------------------- */

#define VALUE(name_, column_, kind_, member)                                                       \
    .shown = {.name = (name_), .kind = (kind_), OUT_OF(struct point_outcome, member)},             \
    .column = (column_)

static bool has_copies(const struct point_outcome *outcome)
{
    return outcome->spread.copies > 0;
}

static bool has_arrivals(const struct point_outcome *outcome)
{
    return outcome->last_arrival_s > 0;
}

static bool has_bound(const struct point_outcome *outcome)
{
    return outcome->bound.time_s > 0;
}

const struct point_value point_values[] = {
    {VALUE("time_s", "time_s", OUT_SECONDS, time_s)},
    {VALUE("rounds", "rounds", OUT_COUNT, rounds)}, /* none, and the next: no plan */
    {VALUE("bound_rounds", "bound_rounds", OUT_COUNT, bound_rounds)}, /* fewest of any plan */
    {VALUE("messages", "messages", OUT_COUNT, messages)},
    {VALUE("bytes", "moved_bytes", OUT_BYTES, moved_bytes)}, /* between ranks, over all messages */
    {VALUE("uncontended", "uncontended", OUT_TRUTH, uncontended)}, /* alpha, beta hold everywhere */
    {VALUE("alpha_s", "alpha_s", OUT_SECONDS, alpha_s)},
    {VALUE("beta_s_per_byte", "beta_s_per_byte", OUT_REAL, beta_s_per_byte)},
    {VALUE("closed_form_s", "closed_form_s", OUT_SECONDS, closed_form_s)}, /* rb_plan_cost */
    {VALUE("time_over_closed_form", NULL, OUT_RATIO, time_over_closed_form)},
    {VALUE("wall_s", NULL, OUT_SECONDS, wall_s)}, /* results have these in the table timings */
    {VALUE("load_s", NULL, OUT_SECONDS, load_s)},
    {VALUE("messages_per_s", NULL, OUT_REAL, messages_per_s)},
    {VALUE("peak_bytes", NULL, OUT_BYTES, peak_bytes)},
    {VALUE("version", NULL, OUT_WORD, version)},
    {VALUE("c2", NULL, OUT_COUNT, c2)},
    {VALUE("c2_bytes", NULL, OUT_REAL, c2_bytes)},
    {VALUE("bound_c2", NULL, OUT_COUNT, bound_c2)},
    {VALUE("bound_c2_of_rounds", NULL, OUT_COUNT, bound_c2_of_rounds)},
    {VALUE("bound_s", "bound_s", OUT_SECONDS, bound.time_s), has_bound}, /* point_bound_find */
    {VALUE("bound_by", "bound_by", OUT_WORD, bound.part), has_bound},    /* the part that binds */
    {VALUE("time_over_bound", NULL, OUT_RATIO, time_over_bound)},
    {VALUE("jitter", NULL, OUT_COUNT, spread.copies)},
    /* The ends of the copies' times, or of the interval of a measured median. */
    {VALUE("time_low_s", "time_low_s", OUT_SECONDS, spread.low_s), has_copies},
    {VALUE("time_high_s", "time_high_s", OUT_SECONDS, spread.high_s), has_copies},
    /* Of ranks that come at different times; time_s, the bound and the copies' ends are counted
     * from the last arrival. */
    {VALUE("last_arrival_s", "last_arrival_s", OUT_SECONDS, last_arrival_s), has_arrivals},
    {VALUE("mean_inside_s", "mean_inside_s", OUT_SECONDS, mean_inside_s), has_arrivals},
    {VALUE("waiting_share", "waiting_share", OUT_RATIO, waiting_share), has_arrivals},
    {VALUE("untimed_s", NULL, OUT_SECONDS, untimed_s)},
    {.column = NULL},
};

union out_cell point_value_of(const struct point_value *value, const struct point_outcome *outcome)
{
    const struct out_table one = {&value->shown, .width = 1};
    union out_cell cell;
    out_cells(&one, (const void *const[]){outcome}, &cell);
    return cell;
}

void point_outcome_add(json_t *object, const struct point_outcome *outcome)
{
    for (const struct point_value *value = point_values; value->shown.name != NULL; value++) {
        const struct out_table one = {&value->shown, .width = 1};
        const union out_cell cell = point_value_of(value, outcome);
        out_json_add(object, &one, &cell);
    }
}
