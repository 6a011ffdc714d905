/* workload_report.c - where the time of a workload's jobs goes, as table, csv or json. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/simulate.h"
#include "experiments/point/parameters.h"
#include "plots/figure/plot.h"
#include "support/memory.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A row of the answer: of a job, or of one of its steps. */
struct row {
    const char *job, *step; /* step NULL: the whole job */
    int32_t line;
    int64_t passes;
    const struct workload_split *split;
};

#define OF_SPLIT(member) OUT_OF_BASE(1, struct workload_split, member)
#define SECONDS(name, share)                                                                       \
    {                                                                                              \
        (name "_s"), .kind = OUT_SECONDS, OF_SPLIT(s[WORKLOAD_##share])                            \
    }
#define EXTREMES(name, share)                                                                      \
    {(name "_low_s"), .kind = OUT_SECONDS, OF_SPLIT(low_s[WORKLOAD_##share])},                     \
    {                                                                                              \
        (name "_high_s"), .kind = OUT_SECONDS, OF_SPLIT(high_s[WORKLOAD_##share])                  \
    }
static const struct out_column columns[] = {
    {"job", .kind = OUT_WORD, OUT_OF(struct row, job)},
    {"step", .kind = OUT_WORD, OUT_OF(struct row, step), .optional = true},
    {"line", .kind = OUT_COUNT, OUT_OF(struct row, line), .positive = true, .optional = true},
    {"passes", .kind = OUT_COUNT, OUT_OF(struct row, passes), .positive = true, .optional = true},
    SECONDS("time", TIME),
    SECONDS("computing", COMPUTING),
    SECONDS("waiting", WAITING),
    SECONDS("moving", MOVING),
    SECONDS("inside", INSIDE),
    SECONDS("others", OTHERS),
    EXTREMES("time", TIME),
    EXTREMES("inside", INSIDE),
    EXTREMES("others", OTHERS),
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};
/* The same without the extremes of copies. */
static const struct out_table plain = {columns, .width = OUT_COUNT_OF(columns) - 6};

static const struct out_table *table_of(const struct verb_workload *shown)
{
    return shown->answer->copies > 0 ? &table : &plain;
}

/* Row i of job j: its steps, the end, the whole. */
static struct row row_of(const struct verb_workload *shown, int32_t j, int32_t i)
{
    const struct sim_job *job = &shown->workload->job[j];
    const struct workload_account *account = &shown->answer->account[j];
    struct row row = {.job = job->name, .split = &account->row[i]};
    if (i < job->steps) {
        row.step = job->step[i].name;
        row.line = job->step[i].line;
        row.passes = account->passes[i];
    } else if (i == job->steps) {
        row.step = "after its last step";
    }
    return row;
}

/* Repeats and what was started have no time of their own, nor has the end of a job without. */
static bool has_time(const struct verb_workload *shown, int32_t j, int32_t i)
{
    const struct sim_job *job = &shown->workload->job[j];
    return i < job->steps ? job->step[i].kind != SIM_REPEAT && job->step[i].label < 0
                          : i > job->steps || !job->until_others;
}

/* Times that are less than a digit of the job's are what rounding leaves. */
static void fill(const struct verb_workload *shown, int32_t j, int32_t i, union out_cell cells[])
{
    const double digit_s = 1e-14 * shown->answer->account[j].whole.s[WORKLOAD_TIME];
    const struct row row = row_of(shown, j, i);
    const bool timed = !shown->workload->job[j].until_others;
    const void *const structs[] = {&row, timed ? row.split : NULL};
    out_cells(table_of(shown), structs, cells);
    for (size_t k = 0; k < table_of(shown)->width; k++)
        if (columns[k].kind == OUT_SECONDS && fabs(cells[k].real) < digit_s)
            cells[k].real = 0;
}

/* ---- csv and json ---------------------------------------------------------------------------- */

static void print_csv(const struct verb_workload *shown, FILE *stream)
{
    union out_cell cells[OUT_COUNT_OF(columns)] = {{0}};
    out_csv_heading(table_of(shown), stream);
    for (int32_t j = 0; j < shown->workload->jobs; j++)
        for (int32_t i = 0; i < shown->workload->job[j].steps + 2; i++)
            if (has_time(shown, j, i)) {
                fill(shown, j, i, cells);
                out_csv_row(table_of(shown), cells, stream);
            }
}

static json_t *job_json(const struct verb_workload *shown, int32_t j)
{
    const struct sim_job *job = &shown->workload->job[j];
    const struct workload_account *account = &shown->answer->account[j];
    union out_cell cells[OUT_COUNT_OF(columns)] = {{0}};
    json_t *steps = json_array();
    for (int32_t i = 0; i < job->steps + 1; i++)
        if (has_time(shown, j, i)) {
            fill(shown, j, i, cells);
            json_array_append_new(steps, out_json_row(table_of(shown), cells));
        }
    fill(shown, j, job->steps + 1, cells);
    json_t *whole = out_json_row(table_of(shown), cells);
    json_object_set_new(whole, "ranks", json_integer(job->ranks));
    json_object_set_new(whole, "rounds", json_real(account->rounds));
    json_object_set_new(whole, "exposed_s", json_real(account->exposed_s));
    json_object_set_new(whole, "hidden_s", json_real(account->hidden_s));
    json_object_set_new(whole, "steps", steps);
    return whole;
}

json_t *verb_workload_json(const struct verb_workload *shown, const struct out_verdict *verdict)
{
    const struct point *point = shown->point;
    const struct sim_result *result = &shown->answer->result;
    json_t *all = json_object(), *jobs = json_array();
    json_object_set_new(all, "workload", out_json_text(shown->file));
    point_add(all, point, POINT_PLATFORM, POINT_PLATFORM_HASH);
    json_object_set_new(all, "hosts", json_integer(result->hosts));
    point_add(all, point, POINT_ENGINE, POINT_ENGINE);
    json_object_set_new(all, "variant", json_string(result->variant));
    point_add(all, point, POINT_OVERLAP, POINT_OVERLAP);
    json_object_set_new(all, "copies", json_integer(shown->answer->copies));
    json_object_set_new(all, "time_s", json_real(result->time_s));
    json_object_set_new(all, "messages", json_integer(result->messages));
    json_object_set_new(all, "bytes", json_integer(result->bytes));
    for (int32_t j = 0; j < shown->workload->jobs; j++)
        json_array_append_new(jobs, job_json(shown, j));
    json_object_set_new(all, "jobs", jobs);
    json_object_set_new(all, "verdict", out_verdict_json(verdict));
    json_object_set_new(all, "version", json_string(cli_program_version));
    return all;
}

/* ---- The verdict ----------------------------------------------------------------------------- */

static const char *const part_words[WORKLOAD_PARTS] = {"computing", "waiting for others", "moving",
                                                       "lost to contention inside the job",
                                                       "lost to other jobs"};
/* Smaller shares of a job's time are not worth a word. */
static const double LITTLE = 0.005;

static bool is_noise(const struct verb_workload *shown, const struct workload_split *split,
                     int share)
{
    return shown->answer->copies > 0 && share < WORKLOAD_PARTS &&
           workload_is_noise(split, (enum workload_share)share);
}

/* "28 % computing, 41 % lost to contention inside the job". */
static void list_parts(const struct verb_workload *shown, const struct workload_split *whole,
                       char *text, size_t size)
{
    char share[OUT_WORDS];
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < WORKLOAD_PARTS; k++) {
        const double part = whole->s[k] / whole->s[WORKLOAD_TIME];
        if (!(fabs(part) >= LITTLE) || used >= size)
            continue;
        out_percent(fabs(part), share);
        used += (size_t)snprintf(
            text + used, size - used, part < 0 ? "%s%s made it %s faster%s" : "%s%s %s%s",
            used > 0 ? ", " : "",
            part >= 0              ? share
            : k == WORKLOAD_OTHERS ? "other jobs"
                                   : "another order of messages",
            part >= 0 ? part_words[k] : share, is_noise(shown, whole, k) ? ", which is noise" : "");
    }
}

/* The job that loses most; -1: all run until others end. */
static int32_t worst_job(const struct verb_workload *shown)
{
    int32_t worst = -1;
    double most_s = -INFINITY;
    for (int32_t j = 0; j < shown->workload->jobs; j++) {
        const double *s = shown->answer->account[j].whole.s;
        const double lost_s = s[WORKLOAD_INSIDE] + s[WORKLOAD_OTHERS];
        if (shown->workload->job[j].until_others || lost_s <= most_s)
            continue;
        worst = j;
        most_s = lost_s;
    }
    return worst;
}

/* Where a job loses most to contention or, if it loses nothing, what else its steps take. */
static void say_most(const struct verb_workload *shown, int32_t j, struct out_verdict *verdict)
{
    const struct workload_split *whole = &shown->answer->account[j].whole;
    const struct workload_split *row = shown->answer->account[j].row;
    const double time_s = whole->s[WORKLOAD_TIME];
    bool loses = false;
    int32_t step = -1;
    double most_s = LITTLE * time_s;
    char share[OUT_WORDS];
    for (int k = WORKLOAD_INSIDE; k <= WORKLOAD_OTHERS; k++)
        loses = loses || (whole->s[k] > most_s && !is_noise(shown, whole, k));
    const int first = loses ? WORKLOAD_INSIDE : WORKLOAD_WAITING;
    int part = first;
    for (int32_t i = 0; i < shown->workload->job[j].steps + 1; i++)
        for (int k = first; k < WORKLOAD_PARTS; k++)
            if (row[i].s[k] > most_s && !is_noise(shown, &row[i], k)) {
                step = i;
                part = k;
                most_s = row[i].s[k];
            }
    if (step < 0)
        return;
    out_percent(most_s / time_s, share);
    if (loses)
        out_verdict_say(verdict, "Most is lost in '%s', to %s (%s).", row_of(shown, j, step).step,
                        part == WORKLOAD_INSIDE ? "contention inside the job" : "other jobs",
                        share);
    else
        out_verdict_say(verdict,
                        "Nothing is lost to contention; beside computing most is %s in '%s' (%s).",
                        part_words[part], row_of(shown, j, step).step, share);
}

void verb_workload_say(const struct verb_workload *shown, struct out_verdict *verdict)
{
    const int32_t j = worst_job(shown);
    char time[32], parts[256];
    if (j < 0)
        return;
    const struct workload_split *whole = &shown->answer->account[j].whole;
    list_parts(shown, whole, parts, sizeof parts);
    out_verdict_say(verdict, "%s takes %s%s%s.", shown->workload->job[j].name,
                    sup_format_seconds(whole->s[WORKLOAD_TIME], time, sizeof time),
                    parts[0] != '\0' ? ": " : "", parts);
    /* In a graph time moves between operations that overlap. */
    if (shown->workload->job[j].graph == NULL)
        say_most(shown, j, verdict);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const struct out_column text_columns[] = {
    {.heading = "job", .kind = OUT_WORD, .width = -24, .less = OUT_KEPT},
    {.heading = "time", .kind = OUT_WORD, .width = 8},
    {.heading = "computing", .kind = OUT_WORD, .width = 9},
    {.heading = "waiting", .kind = OUT_WORD, .width = 7},
    {.heading = "moving", .kind = OUT_WORD, .width = 7},
    {.heading = "own\ncontention", .kind = OUT_WORD, .width = 10},
    {.heading = "other\njobs", .kind = OUT_WORD, .width = 7},
};
enum { TEXTS = OUT_COUNT_OF(text_columns), WIDEST_NAME = 24 };

/* A row with these texts, NULL: the headings. On one screen long names are cut off. */
static void text_row(const struct verb_workload *shown, const char *name,
                     char text[TEXTS][OUT_CELL_SIZE + 1], FILE *stream)
{
    char cut[4 * WIDEST_NAME + 4];
    const struct out_table lines = {text_columns, .width = TEXTS - (shown->workload->jobs == 1)};
    union out_cell cells[TEXTS] = {{.word = name}};
    if (name != NULL && !shown->details) {
        plot_gnuplot_cut(name, WIDEST_NAME, cut, sizeof cut);
        cells[0].word = cut;
    }
    for (int i = 1; i < TEXTS; i++)
        cells[i].word = text[i];
    if (text == NULL)
        out_text_heading(&lines, stream);
    else
        out_text_row(&lines, cells, stream);
}

/* A split of job j in seconds or, of the job's time, in shares, but for the time of a step. Less
 * than a digit of the table is 0; what is noise has a mark. */
static void split_row(const struct verb_workload *shown, int32_t j, const char *name,
                      const struct workload_split *split, bool shares, FILE *stream)
{
    const struct workload_split *whole = &shown->answer->account[j].whole;
    const double whole_s = whole->s[WORKLOAD_TIME];
    char text[TEXTS][OUT_CELL_SIZE + 1], value[OUT_CELL_SIZE];
    for (int k = 0; k < WORKLOAD_SHARES; k++) {
        const double s = fabs(split->s[k]) < 5e-4 * whole_s ? 0 : split->s[k];
        const bool noise = s != 0 && is_noise(shown, split, k);
        if (!shares || (k == WORKLOAD_TIME && split != whole))
            sup_format_seconds(s, value, sizeof value);
        else
            out_percent(whole_s > 0 ? s / whole_s : 0, value);
        snprintf(text[k == WORKLOAD_TIME ? 1 : k + 2], sizeof *text, "%s%s", noise ? "~" : "",
                 value);
    }
    text_row(shown, name, text, stream);
}

/* The name of a step, with its line if another has the same. */
static const char *name_step(const struct verb_workload *shown, int32_t j, int32_t i, char *name,
                             size_t size)
{
    const struct row row = row_of(shown, j, i);
    int same = 0;
    for (int32_t k = 0; k < shown->workload->job[j].steps; k++)
        same += has_time(shown, j, k) && strcmp(row_of(shown, j, k).step, row.step) == 0;
    if (same > 1 && row.line > 0)
        snprintf(name, size, "  %s, line %" PRId32, row.step, row.line);
    else
        snprintf(name, size, "  %s", row.step);
    return name;
}

/* The largest share of a job's time that some part of a step is. */
static double weight_of(const struct verb_workload *shown, int32_t j, int32_t i)
{
    const struct workload_account *account = &shown->answer->account[j];
    double most = 0;
    for (int k = 0; k < WORKLOAD_PARTS; k++)
        most = fmax(most, fabs(account->row[i].s[k]) / account->whole.s[WORKLOAD_TIME]);
    return most;
}

/* What a step must weigh to be on the screen, which has so many rows for those of a job. */
static double least_weight(const struct verb_workload *shown, int32_t j, int32_t room)
{
    static const double LEAST = 0.01;
    const int32_t rows = shown->workload->job[j].steps + 1;
    double *weight = sup_calloc((size_t)rows, sizeof *weight);
    for (int32_t i = 0; i < rows; i++)
        weight[i] = has_time(shown, j, i) ? weight_of(shown, j, i) : 0;
    sup_sort_reals(weight, (size_t)rows);
    const double least = rows > room ? weight[rows - room] : 0;
    free(weight);
    return fmax(least, LEAST);
}

/* On one screen only steps that matter, and how many others there are. */
static void print_steps(const struct verb_workload *shown, int32_t j, FILE *stream)
{
    const struct workload_account *account = &shown->answer->account[j];
    const int32_t rows = shown->workload->job[j].steps + 1;
    struct workload_split others = {0};
    int32_t left = 0, printed = 0;
    char name[128];
    const int32_t most = shown->workload->jobs > 2 ? 2 : 10 / shown->workload->jobs;
    const double least = shown->details ? 0 : least_weight(shown, j, most);
    for (int32_t i = 0; i < rows; i++) {
        if (!has_time(shown, j, i) || weight_of(shown, j, i) < 1e-9)
            continue;
        if (weight_of(shown, j, i) >= least && (shown->details || printed < most)) {
            split_row(shown, j, name_step(shown, j, i, name, sizeof name), &account->row[i], true,
                      stream);
            printed++;
            continue;
        }
        left++;
        for (int k = 0; k < WORKLOAD_SHARES; k++)
            others.s[k] += account->row[i].s[k];
    }
    snprintf(name, sizeof name, "  %" PRId32 " other step%s", left, sup_plural(left));
    if (left > 0)
        split_row(shown, j, name, &others, true, stream);
}

/* On one screen are the steps of so many jobs, and so many jobs. */
enum { SEVERAL = 3, MOST_JOBS = 8 };

static void print_job(const struct verb_workload *shown, int32_t j, FILE *stream)
{
    const struct workload_account *account = &shown->answer->account[j];
    const struct sim_job *job = &shown->workload->job[j];
    char exposed[32], hidden[32];
    if (job->until_others) {
        out_text_entry(0, 24, 1, job->name, stream, "until the others end: %.3g times its program",
                       account->rounds);
        return;
    }
    split_row(shown, j, job->name, &account->whole, false, stream);
    split_row(shown, j, "  of its time", &account->whole, true, stream);
    if (shown->workload->jobs > SEVERAL && !shown->details)
        return;
    print_steps(shown, j, stream);
    if (account->hidden_s > 0 || shown->details)
        out_text_entry(2, 0, 0, "", stream, "%s of communication exposed, %s behind computing",
                       sup_format_seconds(account->exposed_s, exposed, sizeof exposed),
                       sup_format_seconds(account->hidden_s, hidden, sizeof hidden));
}

static void print_text(const struct verb_workload *shown, const struct out_verdict *verdict,
                       FILE *stream)
{
    const struct sim_result *result = &shown->answer->result;
    const int32_t ranks = sim_workload_ranks(shown->workload);
    char text[32];
    out_verdict_lines(verdict, 0, stream);
    fputc('\n', stream);
    text_row(shown, NULL, NULL, stream);
    const int32_t jobs = shown->workload->jobs;
    const int32_t most = shown->details || jobs <= MOST_JOBS ? jobs : MOST_JOBS;
    for (int32_t j = 0; j < most; j++)
        print_job(shown, j, stream);
    if (most < jobs)
        fprintf(stream, "and %" PRId32 " more job%s\n", jobs - most, sup_plural(jobs - most));
    fputc('\n', stream);
    out_text_entry(0, 6, 1, "on", stream, "%s, %" PRId32 " ranks; engine %s, %s",
                   shown->point->platform_text, ranks, shown->point->engine_text,
                   shown->point->overlap);
    out_text_entry(0, 6, 1, "moved", stream, "%s in %" PRId64 " message%s",
                   sup_format_size(result->bytes, text, sizeof text), result->messages,
                   sup_plural(result->messages));
    if (shown->answer->copies > 0)
        out_text_entry(0, 6, 1, "copies", stream,
                       "%" PRId32
                       ": each value is a median; ~ is noise, less than the copies differ",
                       shown->answer->copies);
    if (!shown->details)
        out_more(stream, "--details (all steps), --diagram FILE, --report FILE");
}

void verb_workload_print(const struct verb_workload *shown, const struct out_verdict *verdict,
                         enum out_format format, FILE *stream)
{
    if (format == OUT_CSV)
        print_csv(shown, stream);
    else if (format == OUT_JSON)
        out_json_print(stream, verb_workload_json(shown, verdict), 0);
    else
        print_text(shown, verdict, stream);
}
