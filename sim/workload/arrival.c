/* arrival.c - when ranks come to a collective: rules, their texts, and the workload. */
#include "arrival.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/csv.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/units.h"

/* Of a later rank the end is a double with too few digits after the time of arrival. */
static const double MOST_LATE_S = 3600;

/* The rules with a time; with a seed if `seeded`. */
static const struct rule {
    const char *name;
    enum sim_duration_kind kind;
    bool counted, seeded;
} rules[] = {{"late", SIM_LATE, true, true},
             {"uniform", SIM_UNIFORM, false, true},
             {"exponential", SIM_EXPONENTIAL, false, true},
             {"sorted", SIM_RAMP, false, false}};

/* ---- Files ----------------------------------------------------------------------------------- */

/* At context[rank], unless that is NULL. */
static int take_time(void *context, const int32_t rank[2], const char *text,
                     struct sup_error *error)
{
    double *at_s = context, late_s = 0;
    const int status = sup_parse_seconds(text, &late_s, error);
    if (late_s > MOST_LATE_S)
        return sup_fail(error, RB_EINVAL, "\"%s\" is more than an hour", text);
    if (at_s != NULL)
        at_s[rank[0]] = late_s;
    return status;
}

/* The file's hash, and at_s[r] unless that is NULL. */
static int read_file(const char *path, uint64_t *hash, int32_t ranks, double at_s[],
                     struct sup_error *error)
{
    const struct sup_rank_lines lines = {.columns = "RANK,TIME",
                                         .ranks = at_s == NULL ? RB_MAX_RANKS : ranks,
                                         .once = at_s != NULL,
                                         .take = take_time,
                                         .context = at_s};
    int status = sup_input("arrival", path, error);
    for (int32_t r = 0; at_s != NULL && r < ranks; r++)
        at_s[r] = -1;
    if (status == RB_OK)
        status = sup_rank_lines_read(path, &lines, hash, error);
    for (int32_t r = 0; status == RB_OK && at_s != NULL && r < ranks; r++)
        if (at_s[r] < 0)
            status = sup_fail(error, RB_EINVAL, "%.300s: no line for rank %" PRId32 " of %" PRId32,
                              path, r, ranks);
    return status;
}

static int parse_file(const char *name, struct sim_arrival *arrival, struct sup_error *error)
{
    size_t length = strlen(name);
    uint64_t hash = 0;
    const bool known = sup_hash_take(name, &length, &arrival->hash);
    if (length == 0 || length >= SIM_FILE_NAME || strcmp(name, "-") == 0)
        return sup_fail(error, RB_EINVAL, "'file:%.40s': a file of 1 to %d characters", name,
                        SIM_FILE_NAME - 1);
    memcpy(arrival->file, name, length);
    arrival->late.kind = SIM_LISTED;
    const int status = read_file(arrival->file, &hash, 0, NULL, error);
    if (status == RB_OK && known)
        return sup_check_hash(arrival->file, arrival->hash, hash, error);
    arrival->hash = hash;
    return status;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The parts between colons. */
enum { MOST_PARTS = 4 };
struct parts {
    char *text; /* owned */
    char *part[MOST_PARTS];
    int32_t count;           /* one more than there is room for, if there are more */
    const struct rule *rule; /* NULL: there is no such */
    int32_t time;            /* the part with the time; the one with the seed follows */
};

static void split(const char *text, struct parts *parts)
{
    *parts = (struct parts){.text = sup_strdup(text)};
    parts->count = sup_csv_split(parts->text, ':', parts->part, MOST_PARTS);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0] && parts->count > 0; i++)
        if (strcmp(parts->part[0], rules[i].name) == 0) {
            parts->rule = &rules[i];
            parts->time = rules[i].counted ? 2 : 1;
        }
}

bool sim_arrival_lacks_seed(const char *text)
{
    struct parts parts;
    split(text, &parts);
    const bool lacks = parts.rule != NULL && parts.rule->seeded && parts.count == parts.time + 1;
    free(parts.text);
    return lacks;
}

/* "7" or "1..10". */
static int parse_seeds(char *text, struct sim_arrival *arrival, struct sup_error *error)
{
    char *dots = strstr(text, "..");
    int64_t first, last;
    if (dots != NULL)
        *dots = '\0';
    int status = sup_parse_int(text, 0, INT64_MAX - SIM_MOST_SEEDS, &first, error);
    if (status == RB_OK && dots != NULL)
        status = sup_parse_int(dots + 2, first, first + SIM_MOST_SEEDS - 1, &last, error);
    if (status != RB_OK)
        return status;
    arrival->late.seed = (uint64_t)first;
    arrival->seeds = dots == NULL ? 1 : (int32_t)(last - first + 1);
    return RB_OK;
}

/* Seeds, or "rank5". */
static int parse_choice(char *text, struct sim_arrival *arrival, struct sup_error *error)
{
    static const char prefix[] = "rank";
    int64_t rank;
    if (arrival->late.kind != SIM_LATE || strncmp(text, prefix, sizeof prefix - 1) != 0)
        return parse_seeds(text, arrival, error);
    if (arrival->late.ranks != 1)
        return sup_fail(error, RB_EINVAL, "%s is one rank, not %" PRId32, text,
                        arrival->late.ranks);
    const int status = sup_parse_int(text + sizeof prefix - 1, 0, RB_MAX_RANKS - 1, &rank, error);
    arrival->rank = status == RB_OK ? (int32_t)rank : -1;
    return status;
}

static int parse_parts(const struct parts *parts, struct sim_arrival *arrival,
                       struct sup_error *error)
{
    const struct rule *rule = parts->rule;
    const int32_t time = parts->time;
    double late_s = 0;
    int64_t count = 0;
    int status = RB_OK;
    arrival->late = (struct sim_duration){.kind = rule->kind, .seed = 1};
    if (parts->count < time + 1 || parts->count > time + 1 + rule->seeded)
        return sup_fail(error, RB_EINVAL, "write %s%s:TIME%s", rule->name,
                        rule->counted ? ":K" : "", rule->seeded ? " or the same with :SEED" : "");
    if (rule->counted)
        status = sup_parse_int(parts->part[1], 1, RB_MAX_RANKS, &count, error);
    if (status == RB_OK)
        status = sup_parse_seconds(parts->part[time], &late_s, error);
    if (status == RB_OK && late_s > MOST_LATE_S)
        status = sup_fail(error, RB_EINVAL, "\"%s\" is more than an hour", parts->part[time]);
    if (rule->kind == SIM_UNIFORM || rule->kind == SIM_RAMP)
        arrival->late.b = late_s;
    else
        arrival->late.a = late_s;
    arrival->late.ranks = (int32_t)count;
    return status == RB_OK && parts->count > time + 1
               ? parse_choice(parts->part[time + 1], arrival, error)
               : status;
}

int sim_arrival_parse(const char *text, struct sim_arrival *arrival, struct sup_error *error)
{
    static const char file[] = "file:";
    struct sup_error why;
    *arrival = (struct sim_arrival){.rank = -1, .seeds = 1};
    if (strcmp(text, "together") == 0)
        return RB_OK;
    if (strncmp(text, file, sizeof file - 1) == 0)
        return parse_file(text + sizeof file - 1, arrival, error);
    struct parts parts;
    split(text, &parts);
    int status = parts.rule == NULL ? RB_EINVAL : parse_parts(&parts, arrival, &why);
    free(parts.text);
    if (parts.rule == NULL)
        return sup_fail(error, RB_EINVAL,
                        "'%.100s' is unknown: there are together, late:K:TIME:SEED, "
                        "late:1:TIME:rankR, uniform:TIME:SEED, exponential:TIME:SEED, sorted:TIME "
                        "and file:NAME",
                        text);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "'%.100s': %s", text, why.text);
}

/* The shortest text with a unit that reads back to the same double. */
static const char *format_time(double seconds, char *buffer, size_t size)
{
    static const struct {
        const char *name;
        double per_second;
    } units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
    char best[64] = "", number[40];
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct sup_error why;
        char text[64];
        double back;
        snprintf(text, sizeof text, "%s%s",
                 sup_format_real(seconds * units[i].per_second, number, sizeof number),
                 units[i].name);
        if (sup_parse_seconds(text, &back, &why) == RB_OK && back == seconds &&
            (best[0] == '\0' || strlen(text) <= strlen(best)))
            snprintf(best, sizeof best, "%s", text);
    }
    snprintf(buffer, size, "%s", best);
    return buffer;
}

const char *sim_arrival_format(const struct sim_arrival *arrival, char *buffer, size_t size)
{
    const struct sim_duration *late = &arrival->late;
    char count[24] = "", time[64], choice[40] = "";
    snprintf(buffer, size, "together");
    if (late->kind == SIM_LISTED)
        snprintf(buffer, size, "file:%s#%016" PRIx64, arrival->file, arrival->hash);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *rule = &rules[i];
        if (rule->kind != late->kind)
            continue;
        if (rule->counted)
            snprintf(count, sizeof count, ":%" PRId32, late->ranks);
        if (arrival->rank >= 0)
            snprintf(choice, sizeof choice, ":rank%" PRId32, arrival->rank);
        else if (rule->seeded)
            snprintf(choice, sizeof choice,
                     arrival->seeds > 1 ? ":%" PRIu64 "..%" PRIu64 : ":%" PRIu64, late->seed,
                     late->seed + (uint64_t)arrival->seeds - 1);
        snprintf(buffer, size, "%s%s:%s%s", rule->name, count,
                 format_time(late->a + late->b, time, sizeof time), choice);
    }
    return buffer;
}

/* ---- Times ----------------------------------------------------------------------------------- */

int sim_arrival_find(const struct sim_arrival *arrival, int32_t ranks, int32_t i, double at_s[],
                     struct sup_error *error)
{
    const struct sim_duration *late = &arrival->late;
    struct sim_duration seeded = *late;
    uint64_t hash = 0;
    if (late->kind == SIM_LISTED) {
        const int status = read_file(arrival->file, &hash, ranks, at_s, error);
        return status == RB_OK ? sup_check_hash(arrival->file, arrival->hash, hash, error) : status;
    }
    if (late->kind == SIM_LATE && late->ranks > ranks)
        return sup_fail(error, RB_EINVAL, "%" PRId32 " late ranks of %" PRId32, late->ranks, ranks);
    if (arrival->rank >= ranks)
        return sup_fail(error, RB_EINVAL, "there is no rank %" PRId32 ", only 0 to %" PRId32,
                        arrival->rank, ranks - 1);
    seeded.seed += (uint64_t)i;
    sim_durations(&seeded, ranks, at_s);
    for (int32_t r = 0; arrival->rank >= 0 && r < ranks; r++)
        at_s[r] = r == arrival->rank ? late->a : 0;
    return RB_OK;
}

/* ---- The workload ---------------------------------------------------------------------------- */

static int plan_of(void *context, int32_t job, int32_t step, int32_t communicator, int64_t counter,
                   struct sim_step_plan *plan, struct sup_error *error)
{
    (void)job, (void)step, (void)communicator, (void)counter, (void)error;
    *plan = *(const struct sim_step_plan *)context;
    return RB_OK;
}

static void *copy(const void *from, size_t count, size_t size)
{
    return memcpy(sup_calloc(count, size), from, count * size);
}

void sim_arrival_workload(const struct sim_spec *spec, const double at_s[],
                          struct sim_workload *workload)
{
    const int32_t p = rb_plan_ranks(spec->plan);
    const struct sim_step_plan plan = {spec->plan, spec->layout};
    struct sim_step steps[2] = {{0}};
    int32_t count = 0;
    if (at_s != NULL)
        steps[count++] = (struct sim_step){
            .kind = SIM_COMPUTE,
            .name = sup_strdup("arrival"),
            .label = -1,
            .compute = {.kind = SIM_LISTED, .value = copy(at_s, (size_t)p, sizeof *at_s)},
            .arrival = true};
    steps[count++] = (struct sim_step){
        .kind = SIM_MOVE, .name = sup_strdup(rb_plan_collective(spec->plan)->name), .label = -1};
    struct sim_job job = {.name = sup_strdup("collective"),
                          .ranks = p,
                          .ppn = spec->ppn,
                          .hosts = (p - 1) / spec->ppn + 1,
                          .placement = spec->placement,
                          .step = copy(steps, (size_t)count, sizeof *steps),
                          .steps = count,
                          .streams = 1};
    sim_add_world(&job);
    *workload = (struct sim_workload){.job = copy(&job, 1, sizeof job),
                                      .jobs = 1,
                                      .plan_of = plan_of,
                                      .forget = free,
                                      .context = copy(&plan, 1, sizeof plan)};
}
