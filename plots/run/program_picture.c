/* program_picture.c - the programs of a workload's ranks against time. */
#include "plots/run/pictures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/output/table.h"

enum { MOST_ROWS = 40, MOST_BARS = 4000, CELL_ROWS = 128, CELL_COLUMNS = 400 };

static const struct plot_kind kind = {
    .name = "program",
    .title = "ranks against time: which step of its program each rank does when",
    .lacks = DIAG_FIGURE_LACKS,
};

/* ---- Recording ------------------------------------------------------------------------------- */

static void record(void *context, const struct sim_step_end *end)
{
    struct diag_program *program = context;
    const int32_t rank = sim_workload_first(program->workload, end->job) + end->rank;
    if (rank % program->every != 0)
        return;
    sup_grow(&program->end, program->count, sizeof *program->end);
    program->end[program->count++] = *end;
}

struct sim_observer diag_program_observer(struct diag_program *program)
{
    program->every = (sim_workload_ranks(program->workload) - 1) / CELL_ROWS + 1;
    return (struct sim_observer){.step = record, .context = program};
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* What has a colour: computing, waiting, and each name of a step that moves data. */
enum { COMPUTING, WAITING, FIRST_MOVE };
struct names {
    char *name[PLOT_MOST_TITLES]; /* owned */
    bool seen[PLOT_MOST_TITLES];
    int32_t count;
};

/* The place of a name, which is added if there is room; the last place has all others. */
static int32_t place_of(struct names *names, const char *name)
{
    const int32_t last = PLOT_MOST_TITLES - 1;
    for (int32_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    if (names->count > last)
        return last;
    names->name[names->count] = sup_strdup(names->count == last ? "other steps" : name);
    return names->count++;
}

static int32_t colour_of(struct names *names, const struct sim_workload *workload,
                         const struct sim_step_end *end)
{
    const struct sim_job *job = &workload->job[end->job];
    const struct sim_step *step = &job->step[end->step];
    char name[200];
    if (step->kind != SIM_MOVE)
        return step->kind == SIM_COMPUTE ? COMPUTING : WAITING;
    snprintf(name, sizeof name, "%s%s%s", workload->jobs > 1 ? job->name : "",
             workload->jobs > 1 ? ": " : "", step->name);
    return place_of(names, name);
}

/* ---- Bars ------------------------------------------------------------------------------------ */

static void write_bar(FILE *data, struct names *names, int32_t rank, double from_s, double to_s,
                      double low, double high, int32_t colour)
{
    if (!(to_s > from_s))
        return;
    names->seen[colour] = true;
    fprintf(data, "%" PRId32 " %.17g %.17g %g %g %" PRId32 "\n", rank, from_s, to_s, rank + low,
            rank + high, colour);
}

/* What a rank of a graph does at once gets a lane each, of which there are 64. */
static int32_t find_lane(const struct diag_program *program, size_t i, const int32_t lane[])
{
    const struct sim_step_end *end = program->end;
    uint64_t taken = 0;
    int32_t first = 0;
    for (size_t k = 0; k < i; k++)
        if (end[k].job == end[i].job && end[k].rank == end[i].rank &&
            end[k].ready_s < end[i].end_s && end[i].ready_s < end[k].end_s)
            taken |= UINT64_C(1) << lane[k];
    while (first < 63 && (taken >> first & 1) != 0)
        first++;
    return first;
}

/* Of each bar its lane, and of each rank how many it has. */
static void find_lanes(const struct diag_program *program, int32_t lane[], int32_t lanes[])
{
    for (size_t i = 0; i < program->count; i++) {
        const struct sim_step_end *end = &program->end[i];
        int32_t *most = &lanes[sim_workload_first(program->workload, end->job) + end->rank];
        lane[i] = program->workload->job[end->job].graph != NULL ? find_lane(program, i, lane) : 0;
        *most = lane[i] < *most ? *most : lane[i] + 1;
    }
}

/* A step of the line is a bar of its rank, after what it waited for; one that was started is a
 * strip over the others. */
static void write_bars(const struct diag_program *program, struct names *names, FILE *data)
{
    int32_t *lane = sup_calloc(program->count, sizeof *lane);
    int32_t *lanes = sup_calloc((size_t)sim_workload_ranks(program->workload), sizeof *lanes);
    find_lanes(program, lane, lanes);
    for (size_t i = 0; i < program->count; i++) {
        const struct sim_step_end *end = &program->end[i];
        const struct sim_step *step = &program->workload->job[end->job].step[end->step];
        const int32_t rank = sim_workload_first(program->workload, end->job) + end->rank;
        const int32_t colour = colour_of(names, program->workload, end);
        if (program->workload->job[end->job].graph != NULL) {
            const double high = 0.8 / lanes[rank], low = lane[i] * high - 0.4;
            write_bar(data, names, rank, end->ready_s, end->end_s, low, low + high, colour);
        } else if (step->label < 0) {
            write_bar(data, names, rank, end->begin_s, end->ready_s, -0.2, 0.4, WAITING);
            write_bar(data, names, rank, end->ready_s, end->end_s, -0.2, 0.4, colour);
        } else {
            write_bar(data, names, rank, end->ready_s, end->end_s, -0.4, -0.25, colour);
        }
    }
    free(lane);
    free(lanes);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* What the line of a rank does for longest in an interval of time, and what it has started. */
struct cell {
    double line_s, flight_s;
    int32_t line, flight;
};

static void fill_cells(struct cell cell[], double column_s, double from_s, double to_s,
                       int32_t colour, bool started)
{
    for (int i = (int)(from_s / column_s); i < CELL_COLUMNS && i * column_s < to_s; i++) {
        const double s = fmin((i + 1) * column_s, to_s) - fmax(i * column_s, from_s);
        double *most_s = started ? &cell[i].flight_s : &cell[i].line_s;
        if (s <= *most_s)
            continue;
        *most_s = s;
        *(started ? &cell[i].flight : &cell[i].line) = colour;
    }
}

/* While it waits, what it has started is what it does. -1: nothing. */
static int32_t shown_of(const struct cell *cell)
{
    return cell->line_s == 0                             ? -1
           : cell->line == WAITING && cell->flight_s > 0 ? cell->flight
                                                         : cell->line;
}

static void fill_rows(const struct diag_program *program, struct names *names, double column_s,
                      struct cell cells[])
{
    for (size_t i = 0; i < program->count; i++) {
        const struct sim_step_end *end = &program->end[i];
        const int32_t rank = sim_workload_first(program->workload, end->job) + end->rank;
        const bool started = program->workload->job[end->job].step[end->step].label >= 0;
        struct cell *row = &cells[(size_t)(rank / program->every) * CELL_COLUMNS];
        if (!started)
            fill_cells(row, column_s, end->begin_s, end->ready_s, WAITING, false);
        fill_cells(row, column_s, end->ready_s, end->end_s,
                   colour_of(names, program->workload, end), started);
    }
}

/* Equal neighbours are one bar. */
static void write_cells(const struct diag_program *program, struct names *names, FILE *data)
{
    const double column_s = program->time_s / CELL_COLUMNS;
    const int32_t rows = (sim_workload_ranks(program->workload) - 1) / program->every + 1;
    struct cell *cells = sup_calloc((size_t)rows * CELL_COLUMNS, sizeof *cells);
    fill_rows(program, names, column_s, cells);
    for (int32_t row = 0; row < rows; row++) {
        const struct cell *cell = &cells[(size_t)row * CELL_COLUMNS];
        for (int i = 0, k; i < CELL_COLUMNS; i = k) {
            for (k = i + 1; k < CELL_COLUMNS && shown_of(&cell[k]) == shown_of(&cell[i]);)
                k++;
            if (shown_of(&cell[i]) >= 0)
                write_bar(data, names, row * program->every, i * column_s, k * column_s, -0.5,
                          program->every - 0.5, shown_of(&cell[i]));
        }
    }
    free(cells);
}

/* ---- The page -------------------------------------------------------------------------------- */

enum { MOST_SHOWN = 150000 };

static void add_bar(json_t *columns[], int32_t rank, double from_s, double to_s, int32_t colour,
                    bool started)
{
    if (!(to_s > from_s))
        return;
    json_array_append_new(columns[0], json_integer(rank));
    json_array_append_new(columns[1], json_real(from_s));
    json_array_append_new(columns[2], json_real(to_s));
    json_array_append_new(columns[3], json_integer(colour));
    json_array_append_new(columns[4], json_integer(started));
}

json_t *diag_program_json(const struct diag_program *program)
{
    static const char *const column_names[] = {"rank", "start_s", "end_s", "colour", "started"};
    enum { COLUMNS = sizeof column_names / sizeof *column_names };
    const int32_t every = program->every * (int32_t)(program->count / MOST_SHOWN + 1);
    struct names names = {.name = {sup_strdup("computing"), sup_strdup("waiting")},
                          .count = FIRST_MOVE};
    json_t *columns[COLUMNS], *texts = json_array();
    for (int k = 0; k < COLUMNS; k++)
        columns[k] = json_array();
    for (size_t i = 0; i < program->count; i++) {
        const struct sim_step_end *end = &program->end[i];
        const int32_t rank = sim_workload_first(program->workload, end->job) + end->rank;
        const bool started = program->workload->job[end->job].step[end->step].label >= 0;
        if (rank % every != 0)
            continue;
        if (!started)
            add_bar(columns, rank, end->begin_s, end->ready_s, WAITING, false);
        add_bar(columns, rank, end->ready_s, end->end_s, colour_of(&names, program->workload, end),
                started);
    }
    for (int32_t i = 0; i < names.count; i++) {
        json_array_append_new(texts, out_json_text(names.name[i]));
        free(names.name[i]);
    }
    json_t *all = json_pack("{s:i, s:i, s:o}", "ranks", sim_workload_ranks(program->workload),
                            "every", every, "names", texts);
    for (int k = 0; k < COLUMNS; k++)
        json_object_set_new(all, column_names[k], columns[k]);
    return all;
}

/* ---- The picture ----------------------------------------------------------------------------- */

static void write_jobs(const struct sim_workload *workload, FILE *script)
{
    char name[64];
    fprintf(script, "jobs = %" PRId32 "\narray job_names[jobs]\narray job_first[jobs + 1]\n",
            workload->jobs);
    for (int32_t j = 0; j < workload->jobs; j++) {
        char shown[80];
        snprintf(name, sizeof name, "job_names[%" PRId32 "]", j + 1);
        plot_gnuplot_cut(workload->job[j].name, 16, shown, sizeof shown);
        plot_gnuplot_text(script, name, shown);
        fprintf(script, "job_first[%" PRId32 "] = %" PRId32 "\n", j + 1,
                sim_workload_first(workload, j));
    }
    fprintf(script, "job_first[jobs + 1] = %" PRId32 "\n", sim_workload_ranks(workload));
}

static void write_figure(const struct diag_program *program, struct plot_figure *figure)
{
    const int32_t ranks = sim_workload_ranks(program->workload);
    const bool bars = ranks <= MOST_ROWS && program->count <= MOST_BARS;
    struct names names = {.name = {sup_strdup("computing"), sup_strdup("waiting")},
                          .count = FIRST_MOVE};
    int entries = 0;
    plot_figure_series(figure, 0, "steps: rank, from_s, to_s, low, high, colour");
    (bars ? write_bars : write_cells)(program, &names, figure->data);
    fprintf(figure->script, "array seen[%" PRId32 "]\n", names.count);
    for (int32_t i = 0; i < names.count; i++) {
        plot_figure_title(figure, names.name[i]);
        fprintf(figure->script, "seen[%" PRId32 "] = %d\n", i + 1, names.seen[i]);
        entries += names.seen[i];
        free(names.name[i]);
    }
    fprintf(figure->script, "entries = %d\nranks = %" PRId32 "\nevery = %" PRId32 "\nbars = %d\n",
            entries, ranks, program->every, bars);
    write_jobs(program->workload, figure->script);
    diag_picture_time(figure->script, program->time_s);
}

int diag_program_draw(const struct diag_program *program, struct sup_error *error)
{
    struct diag_picture open;
    if (!(program->time_s > 0))
        return sup_fail(error, RB_EINVAL, "there is nothing to draw: nothing takes time");
    const int status =
        diag_picture_begin(&open, program->file, program->look, &kind, &program->text, error);
    if (status != RB_OK)
        return status;
    write_figure(program, &open.figure);
    return plot_figure_finish(&open.figure, &open.plotter);
}
