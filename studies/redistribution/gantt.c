#include "studies/redistribution/redistribution.h"

#include <ctype.h>
#include <inttypes.h>

#include "plots/figure/plot.h"

enum { MOST_ROWS = 40, MOST_BARS = 4000 };

static const struct plot_kind kind = {
    .name = "gantt",
    .title = "timetable of a redistribution: what each rank sends and receives when",
    .lacks = PLOT_LACKS_AXES | PLOT_LACKS_LEGEND | PLOT_LACKS_SPREAD,
};

unsigned compare_gantt_lacks(void)
{
    return kind.lacks;
}

int compare_gantt_fits(const struct compare_task *task, const struct compare_attempt *attempt,
                       struct sup_error *error)
{
    if (attempt->timetable.count == 0)
        return sup_fail(error, RB_EINVAL, "there is nothing to send");
    if (task->traffic.senders > MOST_ROWS || task->traffic.receivers > MOST_ROWS)
        return sup_fail(error, RB_EINVAL,
                        "draws up to %d senders and receivers; these are %" PRId32 " and %" PRId32,
                        MOST_ROWS, task->traffic.senders, task->traffic.receivers);
    if (attempt->timetable.count > MOST_BARS)
        return sup_fail(error, RB_EINVAL, "draws up to %d pieces; %s makes %zu", MOST_BARS,
                        attempt->method->name, attempt->timetable.count);
    return RB_OK;
}

/* ---- Texts in the bars
 * ------------------------------------------------------------------------ */

/* Widths in cm of a column of a paper, for letters of 6 points. */
#define ROW_CM   6.7
#define DIGIT_CM 0.14
#define COMMA_CM 0.07
#define SPARE_CM 0.05

static double width_of(int32_t number)
{
    char text[16];
    return DIGIT_CM * snprintf(text, sizeof text, "%" PRId32, number);
}

/* The text of bars: sender and receiver if these fit everywhere; otherwise the rank at the other
 * end, where it fits, if it fits in half of the bars; otherwise none. */
enum inside { BOTH_ENDS, OTHER_END, NOTHING };

struct labels {
    double cm_per_unit;
    enum inside inside;
};

static bool has_room(const struct labels *labels, const struct rb_piece *piece, double width)
{
    return width + SPARE_CM <= labels->cm_per_unit * (double)piece->length;
}

static struct labels choose_labels(const struct compare_task *task,
                                   const struct compare_attempt *attempt)
{
    struct labels labels = {.cm_per_unit = ROW_CM / (double)attempt->facts.length};
    const size_t count = attempt->timetable.count;
    size_t for_both = 0, for_other = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rb_piece *piece = &attempt->timetable.piece[i];
        const struct rb_message *message = &task->traffic.message[piece->message];
        const double from = width_of(message->from), to = width_of(message->to);
        for_both += has_room(&labels, piece, from + COMMA_CM + to);
        for_other += has_room(&labels, piece, from > to ? from : to);
    }
    labels.inside = for_both == count ? BOTH_ENDS : 2 * for_other >= count ? OTHER_END : NOTHING;
    return labels;
}

static void write_label(FILE *data, const struct labels *labels, const struct rb_piece *piece,
                        const struct rb_message *message, int32_t other)
{
    if (labels->inside == BOTH_ENDS)
        fprintf(data, " \"%" PRId32 ",%" PRId32 "\"", message->from, message->to);
    else if (labels->inside == OTHER_END && has_room(labels, piece, width_of(other)))
        fprintf(data, " \"%" PRId32 "\"", other);
    else
        fputs(" \"\"", data);
}

/* ---- The figure ------------------------------------------------------------------------------ */

static void write_bars(const struct compare_task *task, const struct compare_attempt *attempt,
                       struct plot_figure *figure)
{
    const struct labels labels = choose_labels(task, attempt);
    plot_figure_series(figure, 0, "messages, or pieces of them");
    for (size_t i = 0; i < attempt->timetable.count; i++) {
        const struct rb_piece *piece = &attempt->timetable.piece[i];
        const struct rb_message *message = &task->traffic.message[piece->message];
        fprintf(figure->data, "%" PRId32 " %" PRId32 " %" PRId64 " %" PRId64 " %d", message->from,
                message->to, piece->start, piece->start + piece->length,
                piece->length < message->length);
        write_label(figure->data, &labels, piece, message, message->to);
        write_label(figure->data, &labels, piece, message, message->from);
        fputc('\n', figure->data);
    }
    fprintf(figure->script, "other_end = %d # is what bars are marked with\n",
            labels.inside == OTHER_END);
}

/* redistribute-gantt-METHOD-P6-r2-Q6-s3-M36-at6: a file's name. */
static void make_name(const struct compare_task *task, const struct compare_attempt *attempt,
                      char *name, size_t size)
{
    size_t used =
        (size_t)snprintf(name, size, "redistribute-%s-%s-", kind.name, attempt->method->name);
    for (const char *c = task->text; *c != '\0' && used + 1 < size; c++)
        if (*c != '=')
            name[used++] = isalnum((unsigned char)*c) ? *c : '-';
    name[used] = '\0';
}

/* A text of the script, which --labels can replace. */
static void write_text(const struct plot_figure *figure, const char *name, const char *text)
{
    enum { WIDEST = 24 };
    char shown[4 * WIDEST + 4];
    plot_gnuplot_text(figure->script, name,
                      plot_figure_label(figure, text, WIDEST, shown, sizeof shown));
}

static void write_facts(const struct compare_task *task, const struct compare_attempt *attempt,
                        const struct plot_figure *figure)
{
    FILE *script = figure->script;
    write_text(figure, "sender_text", "sender");
    write_text(figure, "receiver_text", "receiver");
    write_text(figure, "whole_text", "message");
    if (attempt->facts.cuts > 0)
        write_text(figure, "piece_text", "piece of one");
    fprintf(script, "senders = %" PRId32 "\nreceivers = %" PRId32 "\n", task->traffic.senders,
            task->traffic.receivers);
    fprintf(script, "end = %" PRId64 "\nbound = %" PRId64 "\nany_cut = %d\n", attempt->facts.length,
            attempt->facts.bound, attempt->facts.cuts > 0);
}

int compare_gantt_draw(const struct compare_task *task, const struct compare_attempt *attempt,
                       const struct plot_request *place, struct sup_error *error)
{
    struct plot_plotter plotter = {.request = place, .error = error};
    struct plot_figure figure;
    char name[200], unit[64], facts[128];
    make_name(task, attempt, name, sizeof name);
    snprintf(unit, sizeof unit, "a unit of time: one unit, %" PRId64 " element%s",
             task->traffic.unit, task->traffic.unit == 1 ? "" : "s");
    snprintf(facts, sizeof facts, "%s: %" PRId64 " units, T_opt = %" PRId64 ", %" PRId64 " cut%s",
             attempt->method->name, attempt->facts.length, attempt->facts.bound,
             attempt->facts.cuts, attempt->facts.cuts == 1 ? "" : "s");
    const struct plot_figure_text text = {
        .origin = {task->text, facts, unit},
        .labels = {facts, task->text},
        .columns = "sender, receiver, start, end, is_piece, text_of_sender, text_of_receiver",
    };
    int status = plot_figure_begin_named(&figure, &plotter, &kind, name, &text);
    if (status != RB_OK)
        return status;
    write_facts(task, attempt, &figure);
    write_bars(task, attempt, &figure);
    return plot_figure_finish(&figure, &plotter);
}
