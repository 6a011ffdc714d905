/* redistribution_report.c - see redistribution_report.h. */
#include "experiments/redistribution/redistribution_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "command/options/options.h"
#include "command/output/json_rows.h"

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* Elements of the whole array. */
static int64_t elements(const struct rb_redistribution *problem)
{
    int64_t product = 1;
    for (int32_t d = 0; d < problem->dimensions; d++)
        product *= problem->dimension[d].M;
    return product;
}

void rb_print_task(const struct rb_task *task, FILE *stream)
{
    const struct rb_traffic *traffic = &task->traffic;
    fprintf(stream, "%s\n%" PRId32 " sender%s, %" PRId32 " receiver%s, ", task->text,
            traffic->senders, plural(traffic->senders), traffic->receivers,
            plural(traffic->receivers));
    fprintf(stream, "%zu message%s, ", traffic->count, plural((int64_t)traffic->count));
    if (traffic->copies > 0)
        fprintf(stream, "%zu cop%s, ", traffic->copies, traffic->copies == 1 ? "y" : "ies");
    fprintf(stream, "T_opt = %" PRId64 " unit%s of %" PRId64 " element%s\n\n",
            traffic->longest_port, plural(traffic->longest_port), traffic->unit,
            plural(traffic->unit));
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

void rb_print_grid(const struct rb_task *task, FILE *stream)
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

/* ---- Table ----------------------------------------------------------------------------------- */

/* Into a text of the caller's: "3/4". */
static const char *pair(int64_t sender, int64_t receiver, char *text, size_t size)
{
    snprintf(text, size, "%" PRId64 "/%" PRId64, sender, receiver);
    return text;
}

/* Length against T_opt; 1 where there is nothing to send. */
static double ratio(const struct rb_timetable_facts *facts)
{
    return facts->bound == 0 ? 1 : (double)facts->length / (double)facts->bound;
}

static void print_attempt(const struct rb_attempt *attempt, FILE *stream)
{
    const struct rb_timetable_facts *facts = &attempt->facts;
    char startups[48], buffers[48];
    if (!attempt->applies) {
        fprintf(stream, "%-14s  does not apply: %s\n", attempt->method->name, attempt->why.text);
        return;
    }
    fprintf(stream,
            "%-14s %10" PRId64 " %8.4f %7" PRId64 " %7" PRId64 " %11s %13s %9" PRId64 " %9.3f\n",
            attempt->method->name, facts->length, ratio(facts), facts->cuts, attempt->steps,
            pair(facts->send_startups, facts->receive_startups, startups, sizeof startups),
            pair(facts->send_buffer, facts->receive_buffer, buffers, sizeof buffers),
            facts->longest_piece, attempt->seconds);
}

void rb_print_attempts_table(const struct rb_attempt attempt[], size_t count, FILE *stream)
{
    fprintf(stream, "%-14s %10s %8s %7s %7s %11s %13s %9s %9s\n", "method", "length", "/T_opt",
            "cuts", "steps", "start-ups", "buffers", "longest", "seconds");
    for (size_t i = 0; i < count && ferror(stream) == 0; i++)
        print_attempt(&attempt[i], stream);
    fputs("\nsteps: times at which something starts; start-ups, buffers: most of a sender / of a\n"
          "receiver; longest: piece; seconds: to compute. Lengths and buffers in units.\n",
          stream);
    for (size_t i = 0; i < count; i++)
        if (attempt[i].timetable.gave_up)
            fprintf(stream,
                    "Note: %s gave up its search for fewer cuts, which would take too long or too "
                    "much memory.\n",
                    attempt[i].method->name);
}

/* ---- csv and json ---------------------------------------------------------------------------- */

static json_t *task_fields(const struct rb_task *task)
{
    const struct rb_traffic *traffic = &task->traffic;
    return json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I}", "instance", task->text,
                     "senders", traffic->senders, "receivers", traffic->receivers, "at",
                     task->problem.at, "elements", (json_int_t)elements(&task->problem),
                     "unit_elements", (json_int_t)traffic->unit, "messages",
                     (json_int_t)traffic->count, "copies", (json_int_t)traffic->copies, "t_opt",
                     (json_int_t)traffic->longest_port);
}

/* Of a method that applies only; else null. */
static json_t *count_of(const struct rb_attempt *attempt, int64_t count)
{
    return attempt->applies ? json_integer(count) : json_null();
}

static json_t *common_fields(const struct rb_attempt *attempt)
{
    const struct rb_timetable_facts *facts = &attempt->facts;
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}",
                     "method", attempt->method->name, "title", attempt->method->title, "paper",
                     attempt->method->paper, "refused", attempt->applies ? "" : attempt->why.text,
                     "length", count_of(attempt, facts->length), "length_over_t_opt",
                     attempt->applies ? json_real(ratio(facts)) : json_null(), "cuts",
                     count_of(attempt, facts->cuts), "steps", count_of(attempt, attempt->steps),
                     "send_startups", count_of(attempt, facts->send_startups), "receive_startups",
                     count_of(attempt, facts->receive_startups), "send_buffer",
                     count_of(attempt, facts->send_buffer), "receive_buffer",
                     count_of(attempt, facts->receive_buffer), "longest_piece",
                     count_of(attempt, facts->longest_piece), "seconds", attempt->seconds);
}

/* A row of JSON. In CSV, gave_up stands at the right of all others. */
static json_t *attempt_fields(const struct rb_attempt *attempt)
{
    json_t *fields = common_fields(attempt);
    json_object_set_new(fields, "gave_up", json_boolean(attempt->timetable.gave_up));
    return fields;
}

int rb_print_attempts_csv(const struct rb_task *task, const struct rb_attempt attempt[],
                          size_t count, FILE *stream)
{
    int status = RB_OK;
    for (size_t i = 0; i < count && status == RB_OK && ferror(stream) == 0; i++) {
        json_t *row = task_fields(task), *rest = common_fields(&attempt[i]);
        if (row == NULL || rest == NULL || json_object_update(row, rest) != 0 ||
            json_object_set_new(row, "version", json_string(rb_program_version)) != 0 ||
            json_object_set_new(row, "gave_up", json_integer(attempt[i].timetable.gave_up)) != 0)
            status = RB_ENOMEM;
        if (status == RB_OK && i == 0)
            rb_csv_names(row, stream);
        if (status == RB_OK)
            rb_csv_values(row, stream);
        json_decref(row);
        json_decref(rest);
    }
    return status;
}

static json_t *grid_fields(const struct rb_traffic *traffic)
{
    json_t *all = json_array();
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message *message = &traffic->message[i];
        json_array_append_new(all, json_pack("{s:i, s:i, s:I}", "from", message->from, "to",
                                             message->to, "length", (json_int_t)message->length));
    }
    return all;
}

int rb_print_attempts_json(const struct rb_task *task, const struct rb_attempt attempt[],
                           size_t count, bool want_grid, FILE *stream)
{
    struct rb_json_rows rows;
    json_t *head = task_fields(task);
    json_object_set_new(head, "version", json_string(rb_program_version));
    if (want_grid)
        json_object_set_new(head, "grid", grid_fields(&task->traffic));
    rb_json_rows_begin(&rows, stream, head, "methods");
    for (size_t i = 0; i < count && ferror(stream) == 0 && !rows.failed; i++)
        rb_json_rows_add(&rows, attempt_fields(&attempt[i]));
    return rb_json_rows_end(&rows);
}
