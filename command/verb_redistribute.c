/* verb_redistribute.c - block-cyclic redistribution: the messages between all pairs of ranks, and
 * timetables for them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "studies/redistribution/redistribution.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/common_options.h"
#include "support/process.h"

static bool look_option(int32_t i, struct cli_option *option)
{
    return plot_look_option_without(compare_gantt_lacks(), i, option);
}

static const struct cli_option options[] = {
    {CLI_ROW("source-ranks", INT, "P"), .letter = 'P', .least = 1, .most = RB_MAX_RANKS,
     .help = "number of ranks on which the array lies"},
    {CLI_ROW("source-block", INT, "R"), .letter = 'r', .least = 1, .most = RB_MAX_ELEMENTS,
     .help = "elements of a block on these ranks: CYCLIC(r)"},
    {CLI_ROW("target-ranks", INT, "Q"), .letter = 'Q', .least = 1, .most = RB_MAX_RANKS,
     .help = "number of ranks to which the array moves"},
    {CLI_ROW("target-block", INT, "S"), .letter = 's', .least = 1, .most = RB_MAX_ELEMENTS,
     .help = "elements of a block on these ranks: CYCLIC(s)"},
    {CLI_ROW("elements", INT, "M"), .letter = 'M', .least = 1, .most = RB_MAX_ELEMENTS,
     .help = "elements of the array; default: the least common multiple of P r and Q s"},
    {CLI_ROW("at", INT, "RANK"), .least = 0, .most = RB_MAX_RANKS,
     .help = "rank of the target's first process: 0 if it is the source's first, P if the target's "
             "ranks are all different from the source's"},
    {CLI_ROW("instance", TEXT, "TEXT"),
     .help =
         "all these values in one text, as for plans: P=6,r=2,Q=6,s=3, with / between dimensions"},
    {CLI_ROW("matrix", TEXT, "FILE"),
     .help = "instead of an array: any data among P ranks, a line for each with its elements for "
             "each rank"},
    {CLI_ROW("method", TEXT, "NAME,..."), .fallback = "all",
     .help = "methods to make a timetable; roundabout list names them, under redistribute"},
    {CLI_ROW("exchanges", INT, "N"), .least = 0, .most = INT64_MAX,
     .help = "largest number of exchanges by greedy for each length that it tries; default: as "
             "many as its bound on work allows"},
    {CLI_ROW("certificate", TEXT, "FILE"),
     .help =
         "also prove that no timetable of T_opt leaves all messages whole: a DRAT proof, and in "
         "FILE.cnf the formula that it refutes; status 1 if there is such a timetable"},
    {CLI_FLAG("grid"), .help = "also print the communication grid"},
    {CLI_FLAG("gantt"),
     .help = "also draw what each rank sends and receives at which time, for each method named, or "
             "for the first of all: pictures, with data and script beside them"},
    {CLI_ROW("output", TEXT, "DIR"), .letter = 'o', .fallback = ".",
     .help = "directory for the pictures of --gantt; created if missing"},
    PLOT_OPTION_PICTURES("pdf,png"),
    {.more = look_option},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

/* One request; its parts are freed together. */
struct redistribution {
    struct compare_task task;
    struct rb_redistribute_options bounds;
    const struct rb_redistribute_method **method; /* owned */
    struct compare_attempt *attempt;              /* owned; `made` of them are there */
    size_t count, made;
    bool named; /* the methods were */
    struct plot_look look;
    struct plot_request place;      /* of the pictures of --gantt */
    struct out_file formula, proof; /* of --certificate */
};

/* ---- The request ----------------------------------------------------------------------------- */

/* The options that define the problem, by their names in the instance. */
static const struct word {
    const char *option, *name;
    bool needed;
} words[] = {{"source-ranks", "P", true}, {"source-block", "r", true}, {"target-ranks", "Q", true},
             {"target-block", "s", true}, {"elements", "M", false},    {"at", "at", false}};
enum { WORDS = sizeof words / sizeof words[0] };

static int write_instance(const struct cli_args *args, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < WORDS; i++) {
        if (cli_args_given(args, words[i].option))
            sup_append(text, size, ",", "%s=%" PRId64, words[i].name,
                       cli_args_int(args, words[i].option));
        else if (words[i].needed)
            return cli_complain(
                CLI_EXIT_USAGE,
                "--%s: missing: give -P, -r, -Q and -s, an --instance, or a --matrix",
                words[i].option);
    }
    return CLI_EXIT_DONE;
}

static int read_task(const struct cli_args *args, struct compare_task *task)
{
    char composed[RB_INSTANCE_LENGTH];
    const char *instance = cli_args_text(args, "instance");
    struct sup_error error;
    const char *matrix = cli_args_text(args, "matrix");
    if (matrix != NULL && instance != NULL)
        return cli_complain(CLI_EXIT_USAGE, "--instance: not together with --matrix");
    for (int i = 0; i < WORDS && matrix != NULL; i++)
        if (cli_args_given(args, words[i].option))
            return cli_complain(CLI_EXIT_USAGE, "--%s: not together with --matrix, which says all",
                                words[i].option);
    for (int i = 0; i < WORDS && instance != NULL; i++)
        if (cli_args_given(args, words[i].option))
            return cli_complain(CLI_EXIT_USAGE,
                                "--%s: not together with --instance: give %s=... in the instance",
                                words[i].option, words[i].name);
    if (matrix != NULL) {
        const int read = compare_task_of_matrix(task, matrix, &error);
        return read == RB_OK ? CLI_EXIT_DONE
                             : cli_complain(cli_exit_of(read), "--matrix: %s", error.text);
    }
    if (instance == NULL && write_instance(args, composed, sizeof composed) != CLI_EXIT_DONE)
        return CLI_EXIT_USAGE;
    const int status = compare_task_init(task, instance == NULL ? composed : instance, &error);
    return status == RB_OK ? CLI_EXIT_DONE
                           : cli_complain(cli_exit_of(status), "%s%s",
                                          instance == NULL ? "" : "--instance: ", error.text);
}

static bool is_chosen(const struct redistribution *request,
                      const struct rb_redistribute_method *method)
{
    for (size_t i = 0; i < request->count; i++)
        if (request->method[i] == method)
            return true;
    return false;
}

/* Reads "best,greedy" or "all". */
static int read_methods(const struct cli_args *args, struct redistribution *request)
{
    const char *text = cli_args_text(args, "method");
    const struct rb_redistribute_method *method = rb_redistribute_methods;
    struct sup_error error;
    size_t all = 0;
    while (method[all].name != NULL)
        all++;
    request->named = strcmp(text, "all") != 0;
    request->method = sup_calloc(all, sizeof *request->method);
    request->attempt = sup_calloc(all, sizeof *request->attempt);
    for (; !request->named && request->count < all; request->count++)
        request->method[request->count] = &method[request->count];
    for (const char *word = text; request->named && word != NULL;) {
        const char *comma = strchr(word, ',');
        char name[64];
        snprintf(name, sizeof name, "%.*s", comma == NULL ? 63 : (int)(comma - word), word);
        if (compare_method_find(name, &method, &error) != RB_OK)
            return cli_complain(CLI_EXIT_USAGE, "--method: %s", error.text);
        if (!is_chosen(request, method))
            request->method[request->count++] = method;
        word = comma == NULL ? NULL : comma + 1;
    }
    return CLI_EXIT_DONE;
}

/* Options that would do nothing. */
static int refuse_idle(const struct cli_args *args, const struct redistribution *request)
{
    const struct rb_redistribute_method *greedy;
    const char *drawing = cli_args_given(args, "output") ? "output" : plot_look_given(args);
    if (drawing != NULL && !cli_args_flag(args, "gantt"))
        return cli_complain(CLI_EXIT_USAGE, "--%s: only with --gantt", drawing);
    if (cli_args_flag(args, "grid") && cli_args_format(args) == OUT_CSV)
        return cli_complain(CLI_EXIT_USAGE, "--grid: csv holds one table: ask for json, or for one "
                                            "of both");
    if (cli_args_given(args, "exchanges") &&
        (compare_method_find("greedy", &greedy, NULL) != RB_OK || !is_chosen(request, greedy)))
        return cli_complain(CLI_EXIT_USAGE, "--exchanges: only with --method greedy");
    return CLI_EXIT_DONE;
}

/* How the pictures of --gantt are drawn. */
static int read_place(const struct cli_args *args, struct redistribution *request)
{
    struct sup_error error;
    int status = plot_look_of(args, compare_gantt_lacks(), "--gantt", &request->look, &error);
    request->place =
        (struct plot_request){.directory = cli_args_text(args, "output"),
                              .look = &request->look,
                              .list = cli_args_format(args) == OUT_TEXT ? stdout : stderr};
    if (status == RB_OK)
        status = cli_args_set(args, "pictures", &request->place.pictures, &error);
    return cli_fail(status, &error);
}

/* ---- The work -------------------------------------------------------------------------------- */

/* The method that is at work. */
struct making {
    struct redistribution *request;
    size_t i;
    int status;
    struct sup_error error;
    struct cli_bar bar;
    struct sup_eta *eta;
    double started_s;
};

static void make_timetable(void *context)
{
    struct making *making = context;
    struct redistribution *request = making->request;
    making->status =
        compare_attempt_make(&request->attempt[making->i], &request->task,
                             request->method[making->i], &request->bounds, &making->error);
}

static void show_method(void *context)
{
    struct making *making = context;
    const struct sup_eta_running running = {making->i, sup_clock_s() - making->started_s, 0};
    if (cli_bar_is_due(&making->bar))
        cli_bar_show(&making->bar, sup_eta_left_s(making->eta, &running, 1),
                     making->request->method[making->i]->name);
}

/* How long a method takes depends on the problem: as a guess, 1 us for each pair of ranks. */
static void start_progress(struct making *making)
{
    const struct redistribution *request = making->request;
    const struct rb_traffic *traffic = &request->task.traffic;
    const double pairs = (double)traffic->senders * (double)traffic->receivers;
    making->eta = sup_eta_create(request->count, 1, 0);
    for (size_t i = 0; i < request->count; i++)
        sup_eta_describe(making->eta, i, 1e-6 * pairs, i);
    cli_bar_start(&making->bar, "methods", 0);
}

static int make_timetables(struct redistribution *request)
{
    struct making making = {.request = request};
    start_progress(&making);
    for (; request->made < request->count && making.status == RB_OK; request->made++) {
        making.i = request->made;
        making.started_s = sup_clock_s();
        sup_attend(make_timetable, show_method, &making);
        sup_eta_done(making.eta, making.i, sup_clock_s() - making.started_s);
    }
    cli_bar_end(&making.bar);
    sup_eta_destroy(making.eta);
    return cli_fail(making.status, &making.error);
}

/* ---- The certificate ------------------------------------------------------------------------- */

static int open_certificate(struct redistribution *request, const char *path)
{
    struct sup_error error;
    if (strcmp(path, "-") == 0)
        return cli_complain(CLI_EXIT_USAGE, "--certificate: \"-\": give a file: there will be two");
    char *const formula = sup_format("%s.cnf", path);
    int status = out_open_for(&request->proof, "certificate", path, &error);
    if (status == RB_OK)
        status = out_open_derived(&request->formula, formula, &error);
    if (status == RB_OK)
        fprintf(request->formula.stream, "c %s: a timetable without cuts\n", OUT_MADE_MARK);
    free(formula);
    return cli_fail(status, &error);
}

struct certifying {
    struct redistribution *request;
    int status, exists;
    struct cli_bar bar;
};

static void decide_cuts(void *context)
{
    struct certifying *certifying = context;
    struct redistribution *request = certifying->request;
    certifying->status =
        rb_timetable_certify(&request->task.traffic, request->formula.stream, request->proof.stream,
                             25 * RB_MOST_EFFORT, &certifying->exists);
}

static void show_certifying(void *context)
{
    struct certifying *certifying = context;
    cli_bar_share(&certifying->bar, 0);
}

/* What a method found needs no search. */
static int find_whole(const struct redistribution *request)
{
    for (size_t i = 0; i < request->made; i++)
        if (request->attempt[i].applies && request->attempt[i].facts.cuts == 0 &&
            request->attempt[i].facts.length == request->attempt[i].facts.bound)
            return cli_complain(CLI_EXIT_FALSE, "--certificate: %s has T_opt without cuts",
                                request->method[i]->name);
    return CLI_EXIT_DONE;
}

/* The proof is kept if it is one, and the formula also for another solver. */
static int certify(struct redistribution *request)
{
    struct certifying certifying = {.request = request};
    struct sup_error error;
    const long mark = ftell(request->formula.stream);
    cli_bar_start(&certifying.bar, "certificate", 0);
    sup_attend(decide_cuts, show_certifying, &certifying);
    cli_bar_end(&certifying.bar);
    int status = certifying.status;
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "--certificate: out of memory");
    if (certifying.exists > 0)
        return cli_complain(CLI_EXIT_FALSE,
                            "--certificate: there is a timetable of T_opt without cuts");
    if (certifying.exists == 0)
        status = out_complete(&request->proof, &error);
    const bool written = ftell(request->formula.stream) > mark;
    if (status == RB_OK && written)
        status = out_close(&request->formula, &error);
    if (status == RB_OK && certifying.exists == 0)
        status = out_close(&request->proof, &error);
    if (status != RB_OK || certifying.exists == 0)
        return cli_fail(status, &error);
    return cli_complain(CLI_EXIT_FAILED, "--certificate: undecided: %s",
                        written ? "the formula is there for another solver"
                                : "the formula would be too large");
}

static void print_to(FILE *stream, const struct cli_args *args,
                     const struct redistribution *request)
{
    const enum out_format format = cli_args_format(args);
    const struct compare_shown shown = {format, cli_args_flag(args, "grid"), cli_details(args)};
    if (format == OUT_TEXT && shown.details)
        compare_print_task(&request->task, stream);
    if (format == OUT_TEXT && shown.grid)
        compare_print_grid(&request->task, stream);
    compare_print_attempts(&request->task, request->attempt, request->made, &shown, stream);
}

/* On standard output: --output is where pictures go. */
static int print(const struct cli_args *args, const struct redistribution *request)
{
    struct out_file output;
    struct sup_error error;
    int status = out_open(&output, "-", &error);
    if (status == RB_OK && cli_args_format(args) == OUT_TEXT)
        out_show(&output);
    if (status != RB_OK)
        return cli_fail(status, &error);
    print_to(output.stream, args, request);
    return cli_finish_output(&output, CLI_EXIT_DONE);
}

static bool is_drawn(const struct redistribution *request, size_t i, size_t drawn)
{
    return request->attempt[i].applies && (request->named || drawn == 0);
}

/* Checks the request for a drawing before anything is printed. */
static int check_drawing(const struct redistribution *request)
{
    struct sup_error error;
    bool mine;
    size_t drawn = 0;
    int status = plot_gnuplot_find(request->place.pictures, NULL, &error);
    for (size_t i = 0; status == RB_OK && i < request->made; i++)
        if (is_drawn(request, i, drawn)) {
            status = compare_gantt_fits(&request->task, &request->attempt[i], &error);
            drawn++;
        }
    if (status == RB_OK)
        status = plot_figure_directory(request->place.directory, &mine, &error);
    return status == RB_OK ? CLI_EXIT_DONE
                           : cli_complain(cli_exit_of(status), "--gantt: %s", error.text);
}

/* Each of the methods that were named, or the first that applies. */
static int draw(const struct redistribution *request)
{
    struct sup_error error;
    size_t drawn = 0;
    for (size_t i = 0; i < request->made; i++) {
        if (!is_drawn(request, i, drawn))
            continue;
        const int status =
            compare_gantt_draw(&request->task, &request->attempt[i], &request->place, &error);
        if (status != RB_OK)
            return cli_complain(cli_exit_of(status), "--gantt: %s", error.text);
        drawn++;
    }
    plot_look_warn(&request->look);
    return CLI_EXIT_DONE;
}

/* CLI_EXIT_FALSE unless a method applies. */
static int exit_status(const struct redistribution *request)
{
    for (size_t i = 0; i < request->made; i++)
        if (request->attempt[i].applies)
            return CLI_EXIT_DONE;
    return CLI_EXIT_FALSE;
}

static void free_request(struct redistribution *request)
{
    for (size_t i = 0; i < request->made; i++)
        compare_attempt_deinit(&request->attempt[i]);
    free(request->attempt);
    free(request->method);
    plot_look_free(&request->look);
    out_discard(&request->formula);
    out_discard(&request->proof);
    compare_task_deinit(&request->task);
}

static int run(const struct cli_args *args)
{
    struct redistribution request = {0};
    int status = read_methods(args, &request);
    if (status == CLI_EXIT_DONE)
        status = refuse_idle(args, &request);
    if (status == CLI_EXIT_DONE)
        status = read_place(args, &request);
    if (cli_args_given(args, "exchanges"))
        request.bounds.most_exchanges =
            cli_args_int(args, "exchanges") > 0 ? cli_args_int(args, "exchanges") : -1;
    if (status == CLI_EXIT_DONE)
        status = read_task(args, &request.task);
    const char *certificate = cli_args_text(args, "certificate");
    if (status == CLI_EXIT_DONE && certificate != NULL)
        status = open_certificate(&request, certificate);
    if (status == CLI_EXIT_DONE)
        status = make_timetables(&request);
    if (status == CLI_EXIT_DONE && cli_args_flag(args, "gantt"))
        status = check_drawing(&request);
    if (status == CLI_EXIT_DONE)
        status = print(args, &request);
    if (status == CLI_EXIT_DONE && cli_args_flag(args, "gantt"))
        status = draw(&request);
    if (status == CLI_EXIT_DONE && certificate != NULL)
        status = find_whole(&request);
    if (status == CLI_EXIT_DONE && certificate != NULL)
        status = certify(&request);
    if (status == CLI_EXIT_DONE)
        status = exit_status(&request);
    free_request(&request);
    return status;
}

const struct cli_verb verb_redistribute = {
    .name = "redistribute",
    .title = "Make timetables that redistribute a block-cyclic array, or any data.",
    .common = "source-ranks|source-block|target-ranks|target-block|elements|method|gantt",
    .options = options,
    .examples =
        "roundabout redistribute -P 6 -r 2 -Q 6 -s 3 --gantt\n"
        "roundabout redistribute -P 15 -r 3 -Q 6 -s 5 --grid\n"
        "roundabout redistribute -P 512 -r 64 -Q 512 -s 63 --method best,greedy\n"
        "roundabout redistribute --matrix examples/moe.csv\n"
        "roundabout redistribute --instance P=2,r=1,Q=3,s=2/P=3,r=2,Q=2,s=3 --format json\n",
    .run = run,
};
