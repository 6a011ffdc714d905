#include "studies/redistribution/redistribution.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/csv.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/options.h"
#include "support/output/verdict.h"
#include "support/units.h"

/* ---- Attempts -------------------------------------------------------------------------------- */

int compare_task_init(struct compare_task *task, const char *instance, struct sup_error *error)
{
    *task = (struct compare_task){0};
    int status =
        rb_redistribution_read(instance, 0, &task->problem, error->text, sizeof error->text);
    if (status == RB_OK)
        status = rb_traffic_init(&task->traffic, &task->problem, error->text, sizeof error->text);
    if (status != RB_OK)
        return status;
    rb_redistribution_write(&task->problem, task->text, sizeof task->text);
    task->elements = 1;
    for (int32_t d = 0; d < task->problem.dimensions; d++)
        task->elements *= task->problem.dimension[d].M;
    return RB_OK;
}

int compare_task_of_matrix(struct compare_task *task, const char *path, struct sup_error *error)
{
    struct sup_counts counts = {0};
    struct sup_matrix matrix;
    *task = (struct compare_task){0};
    snprintf(task->text, sizeof task->text, "file:%s", path);
    int status = sup_counts_parse(task->text, &counts, error);
    if (status == RB_OK && !counts.pairs)
        status = sup_fail(error, RB_EINVAL, "%s: one value in a line: no matrix", path);
    if (status == RB_OK)
        status = sup_counts_matrix(&counts, &matrix, error);
    if (status != RB_OK)
        return status;
    sup_counts_format(&counts, task->text, sizeof task->text);
    task->elements = matrix.sum;
    sup_had_memory(rb_traffic_of_pairs(&task->traffic, matrix.rows, matrix.value) == RB_OK);
    free(matrix.value);
    return RB_OK;
}

void compare_task_deinit(struct compare_task *task)
{
    rb_traffic_deinit(&task->traffic);
}

static int64_t different_starts(const struct rb_timetable *timetable)
{
    int64_t starts = 0;
    for (size_t i = 0; i < timetable->count; i++)
        starts += i == 0 || timetable->piece[i].start != timetable->piece[i - 1].start;
    return starts;
}

int compare_attempt_make(struct compare_attempt *attempt, const struct compare_task *task,
                         const struct rb_redistribute_method *method,
                         const struct rb_redistribute_options *options, struct sup_error *error)
{
    *attempt = (struct compare_attempt){.method = method};
    const clock_t begun = clock();
    const struct rb_redistribution *problem = task->problem.dimensions > 0 ? &task->problem : NULL;
    int status = method->schedule(problem, &task->traffic, options, &attempt->timetable,
                                  attempt->why.text, sizeof attempt->why.text);
    attempt->seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (status == RB_EINVAL)
        return RB_OK;
    if (status != RB_OK)
        return sup_fail(error, status, "%s: %s", method->name, attempt->why.text);
    struct sup_error why = {"out of memory"};
    status = rb_timetable_check(&attempt->timetable, &task->traffic, why.text, sizeof why.text);
    if (status == RB_OK)
        status = rb_timetable_facts(&attempt->timetable, &task->traffic, &attempt->facts);
    if (status != RB_OK) {
        compare_attempt_deinit(attempt);
        return sup_fail(error, status, "%s: %s", method->name, why.text);
    }
    attempt->steps = different_starts(&attempt->timetable);
    attempt->applies = true;
    return RB_OK;
}

void compare_attempt_deinit(struct compare_attempt *attempt)
{
    rb_timetable_deinit(&attempt->timetable);
}

int compare_method_find(const char *name, const struct rb_redistribute_method **method,
                        struct sup_error *error)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (*method = rb_redistribute_methods; (*method)->name != NULL && count < MOST; (*method)++) {
        if (strcmp((*method)->name, name) == 0)
            return RB_OK;
        names[count++] = (*method)->name;
    }
    char hint[SUP_HINT_SIZE];
    return sup_fail(error, RB_EINVAL, "unknown \"%s\": %s", name,
                    sup_hint(name, names, count, "roundabout list redistribute names them", hint));
}

/* ---- Reports --------------------------------------------------------------------------------- */

void compare_print_task(const struct compare_task *task, FILE *stream)
{
    const struct rb_traffic *traffic = &task->traffic;
    fprintf(stream, "%s\n%" PRId32 " sender%s, %" PRId32 " receiver%s, ", task->text,
            traffic->senders, sup_plural(traffic->senders), traffic->receivers,
            sup_plural(traffic->receivers));
    fprintf(stream, "%zu message%s, ", traffic->count, sup_plural((int64_t)traffic->count));
    if (traffic->copies > 0)
        fprintf(stream, "%zu cop%s, ", traffic->copies, traffic->copies == 1 ? "y" : "ies");
    fprintf(stream, "T_opt = %" PRId64 " unit%s of %" PRId64 " element%s\n\n",
            traffic->longest_port, sup_plural(traffic->longest_port), traffic->unit,
            sup_plural(traffic->unit));
}

/* ---- The grid -------------------------------------------------------------------------------- */

static int digits(int64_t number)
{
    return snprintf(NULL, 0, "%" PRId64, number);
}

/* Of all cells: the longest length, in the parentheses of a copy, and the last receiver. */
static int cell_width(const struct rb_traffic *traffic)
{
    int width = digits(traffic->receivers - 1);
    for (size_t i = 0; i < traffic->count; i++)
        width =
            digits(traffic->message[i].length) > width ? digits(traffic->message[i].length) : width;
    for (size_t i = 0; i < traffic->copies; i++)
        width = digits(traffic->copy[i].length) + 2 > width ? digits(traffic->copy[i].length) + 2
                                                            : width;
    return width;
}

/* A sender's row; *message and *copy are where its entries begin, and then where they end. */
static void print_row(const struct rb_traffic *traffic, int32_t from, int width, size_t *message,
                      size_t *copy, FILE *stream)
{
    const size_t begin = *message;
    fprintf(stream, "%5" PRId32, from);
    for (int32_t to = 0; to < traffic->receivers; to++) {
        const struct rb_message *m = traffic->message + *message, *c = traffic->copy + *copy;
        if (*message < traffic->count && m->from == from && m->to == to) {
            fprintf(stream, " %*" PRId64, width, m->length);
            (*message)++;
        } else if (*copy < traffic->copies && c->from == from && c->to == to) {
            fprintf(stream, " %*s(%" PRId64 ")", width - 2 - digits(c->length), "", c->length);
            (*copy)++;
        } else {
            fprintf(stream, " %*s", width, "-");
        }
    }
    fprintf(stream, "  %4zu\n", *message - begin);
}

static int64_t messages_to(const struct rb_traffic *traffic, int32_t to)
{
    int64_t count = 0;
    for (size_t i = 0; i < traffic->count; i++)
        count += traffic->message[i].to == to;
    return count;
}

void compare_print_grid(const struct compare_task *task, FILE *stream)
{
    const struct rb_traffic *traffic = &task->traffic;
    const int width = cell_width(traffic);
    size_t message = 0, copy = 0;
    fprintf(stream, "Communication grid: units from sender (line) to receiver%s\n",
            traffic->copies > 0 ? "; what stays at its rank is in parentheses, and no message"
                                : "");
    fprintf(stream, "%5s", "S/R");
    for (int32_t to = 0; to < traffic->receivers; to++)
        fprintf(stream, " %*" PRId32, width, to);
    fprintf(stream, "  %4s\n", "N.M.");
    for (int32_t from = 0; from < traffic->senders && ferror(stream) == 0; from++)
        print_row(traffic, from, width, &message, &copy, stream);
    fprintf(stream, "%5s", "N.M.");
    for (int32_t to = 0; to < traffic->receivers; to++)
        fprintf(stream, " %*" PRId64, width, messages_to(traffic, to));
    fputs("\n\n", stream);
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* In CSV, gave_up is the last column. */
static const struct out_column columns[] = {
    {"instance", .kind = OUT_WORD, .same = true},
    {"senders", .kind = OUT_COUNT, .same = true},
    {"receivers", .kind = OUT_COUNT, .same = true},
    {"at", .kind = OUT_WHOLE, .same = true},
    {"elements", .kind = OUT_COUNT, .same = true},
    {"unit_elements", .kind = OUT_COUNT, .same = true},
    {"messages", .kind = OUT_COUNT, .same = true},
    {"copies", .kind = OUT_COUNT, .same = true},
    {"t_opt", .kind = OUT_COUNT, .same = true},
    {"method", .heading = "method", .kind = OUT_WORD, .width = -14},
    {"title", .kind = OUT_WORD},
    {"paper", .kind = OUT_WORD},
    {"refused", .kind = OUT_WORD},
    {"length", .heading = "length", .kind = OUT_COUNT, .width = 10},
    {"length_over_t_opt", .heading = "/T_opt", .kind = OUT_REAL, .width = 8, .real = "%.4f"},
    {"cuts", .heading = "cuts", .kind = OUT_COUNT, .width = 7},
    {"steps", .heading = "steps", .kind = OUT_COUNT, .width = 7},
    {.heading = "start-ups", .kind = OUT_WORD, .width = 11},
    {"send_startups", .kind = OUT_COUNT},
    {"receive_startups", .kind = OUT_COUNT},
    {.heading = "buffers", .kind = OUT_WORD, .width = 13},
    {"send_buffer", .kind = OUT_COUNT},
    {"receive_buffer", .kind = OUT_COUNT},
    {"longest_piece", .heading = "longest", .kind = OUT_COUNT, .width = 9, .less = 2},
    {"seconds", .heading = "seconds", .kind = OUT_REAL, .width = 9, .real = "%.3f", .less = 1},
    {"version", .kind = OUT_WORD, .same = true},
    {"gave_up", .kind = OUT_TRUTH},
};
/* Those up to the buffers. */
enum { SCREEN_COLUMNS = OUT_COUNT_OF(columns) - 6 };
static const struct out_table methods = {columns, .width = OUT_COUNT_OF(columns)};

struct cells {
    union out_cell cell[OUT_COUNT_OF(columns)];
    char startups[48], buffers[48]; /* texts of theirs */
};

/* "3/4". */
static const char *pair(int64_t sender, int64_t receiver, char *text, size_t size)
{
    snprintf(text, size, "%" PRId64 "/%" PRId64, sender, receiver);
    return text;
}

/* A count if the method applies; otherwise none. */
static union out_cell count_of(const struct compare_attempt *attempt, int64_t count)
{
    return (union out_cell){.whole = attempt->applies ? count : -1};
}

/* Length against T_opt; 1 where there is nothing to send. */
static double ratio(const struct compare_attempt *attempt)
{
    const struct rb_timetable_facts *facts = &attempt->facts;
    if (!attempt->applies)
        return NAN;
    return facts->bound == 0 ? 1 : (double)facts->length / (double)facts->bound;
}

static void fill(const struct compare_task *task, const struct compare_attempt *attempt,
                 struct cells *cells)
{
    const struct rb_traffic *traffic = &task->traffic;
    const struct rb_timetable_facts *facts = &attempt->facts;
    const union out_cell all[] = {
        {.word = task->text},
        {.whole = traffic->senders},
        {.whole = traffic->receivers},
        {.whole = task->problem.at},
        {.whole = task->elements},
        {.whole = traffic->unit},
        {.whole = (int64_t)traffic->count},
        {.whole = (int64_t)traffic->copies},
        {.whole = traffic->longest_port},
        {.word = attempt->method->name},
        {.word = attempt->method->title},
        {.word = attempt->method->paper},
        {.word = attempt->applies ? "" : attempt->why.text},
        count_of(attempt, facts->length),
        {.real = ratio(attempt)},
        count_of(attempt, facts->cuts),
        count_of(attempt, attempt->steps),
        {.word = pair(facts->send_startups, facts->receive_startups, cells->startups,
                      sizeof cells->startups)},
        count_of(attempt, facts->send_startups),
        count_of(attempt, facts->receive_startups),
        {.word = pair(facts->send_buffer, facts->receive_buffer, cells->buffers,
                      sizeof cells->buffers)},
        count_of(attempt, facts->send_buffer),
        count_of(attempt, facts->receive_buffer),
        count_of(attempt, facts->longest_piece),
        {.real = attempt->seconds},
        {.word = cli_program_version},
        {.whole = attempt->timetable.gave_up},
    };
    static_assert(OUT_COUNT_OF(all) == OUT_COUNT_OF(columns), "a cell for each column");
    memcpy(cells->cell, all, sizeof all);
}

static json_t *json_of_grid(const struct rb_traffic *traffic)
{
    json_t *all = json_array();
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message *message = &traffic->message[i];
        json_array_append_new(all, json_pack("{s:i, s:i, s:I}", "from", message->from, "to",
                                             message->to, "length", (json_int_t)message->length));
    }
    return all;
}

static json_t *json_head(const struct compare_task *task, const struct cells *cells, bool want_grid)
{
    json_t *head = out_json_same(&methods, cells->cell);
    if (want_grid)
        json_object_set_new(head, "grid", json_of_grid(&task->traffic));
    return head;
}

static void print_notes(const struct compare_attempt attempt[], size_t count, bool details,
                        FILE *stream)
{
    if (details)
        fputs("\nsteps: times at which something starts; start-ups, buffers: most of a sender / of "
              "a\nreceiver; longest: piece; seconds: to compute. Lengths and buffers in units.\n",
              stream);
    for (size_t i = 0; i < count; i++)
        if (attempt[i].timetable.gave_up)
            fprintf(stream,
                    "Note: %s gave up its search for fewer cuts, which would take too long or too "
                    "much memory.\n",
                    attempt[i].method->name);
}

/* The shortest timetable, and by which method. */
static void say_shortest(const struct compare_task *task, const struct compare_attempt attempt[],
                         size_t count, FILE *stream)
{
    const struct compare_attempt *best = NULL;
    char ratio_text[OUT_WORDS];
    for (size_t i = 0; i < count; i++)
        if (attempt[i].applies &&
            (best == NULL || attempt[i].facts.length < best->facts.length ||
             (attempt[i].facts.length == best->facts.length && attempt[i].steps < best->steps)))
            best = &attempt[i];
    if (best == NULL)
        return;
    const bool least = best->facts.length <= best->facts.bound;
    out_say(stream, "%" PRId64 " unit%s of %" PRId64 " element%s, %s%s: %s, in %" PRId64 " step%s",
            best->facts.length, sup_plural(best->facts.length), task->traffic.unit,
            sup_plural(task->traffic.unit), least ? "the least possible" : "times T_opt ",
            least ? "" : out_ratio(ratio(best), ratio_text), best->method->name, best->steps,
            sup_plural(best->steps));
    out_say(stream, "%zu message%s of %" PRId32 " sender%s to %" PRId32 " receiver%s: %s\n",
            task->traffic.count, sup_plural((int64_t)task->traffic.count), task->traffic.senders,
            sup_plural(task->traffic.senders), task->traffic.receivers,
            sup_plural(task->traffic.receivers), task->text);
}

void compare_print_attempts(const struct compare_task *task, const struct compare_attempt attempt[],
                            size_t count, const struct compare_shown *shown, FILE *stream)
{
    struct out_rows rows;
    struct cells cells;
    const enum out_format format = shown->format;
    const bool screen = format == OUT_TEXT && !shown->details;
    const struct out_table table = {columns, .width = screen ? SCREEN_COLUMNS : methods.width};
    int others = 0;
    if (screen)
        say_shortest(task, attempt, count, stream);
    fill(task, &attempt[0], &cells);
    out_rows_begin(&rows, &table, format, stream,
                   format == OUT_JSON ? json_head(task, &cells, shown->grid) : NULL, "methods");
    for (size_t i = 0; i < count && ferror(stream) == 0; i++) {
        fill(task, &attempt[i], &cells);
        if (screen && !attempt[i].applies)
            others++;
        else if (format == OUT_TEXT && !attempt[i].applies)
            fprintf(stream, "%-14s  does not apply: %s\n", attempt[i].method->name,
                    attempt[i].why.text);
        else
            out_rows_add(&rows, cells.cell);
    }
    if (format == OUT_TEXT)
        print_notes(attempt, count, shown->details, stream);
    if (screen)
        out_say(stream, "Start-ups and buffers: the most of a sender / of a receiver.");
    if (others > 0)
        out_say(stream, "%d method%s not apply.", others, others == 1 ? " does" : "s do");
    if (screen)
        out_more(stream, "--details, --grid (who sends how much to whom), --gantt");
    out_rows_end(&rows);
}
