/* model_report.c - showing how fast the engine model is (model.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "command/options/options.h"
#include "command/output/json_rows.h"
#include "experiments/bench/model.h"

static double per_s(const struct rb_model_sample *sample)
{
    return sample->cpu_s > 0 ? (double)sample->messages / sample->cpu_s : 0;
}

static double bytes_per_rank(const struct rb_model_sample *sample)
{
    return sample->bytes_per_rank;
}

/* Of a case's samples. */
static struct bench_spread spread_of(const struct rb_model_results *results, size_t which,
                                     double (*value_of)(const struct rb_model_sample *))
{
    enum { MOST = 1000 };
    double value[MOST];
    size_t count = 0;
    for (size_t i = 0; i < results->count && count < MOST; i++)
        if (results->samples[i].which == which)
            value[count++] = value_of(&results->samples[i]);
    return rb_bench_spread(value, count);
}

enum { COLUMNS = 9 };

static const char *variant_of(const struct rb_model_case *is)
{
    return is->variant != NULL ? is->variant : "its choice";
}

/* "  100  met"; blank if nothing is asked. */
static const char *goal_text(double goal, bool met, char text[32])
{
    text[0] = '\0';
    if (goal > 0)
        snprintf(text, 32, " %4.3g  %s", goal, met ? "met" : "missed");
    return text;
}

static void print_case(const struct rb_model_results *results, size_t which, FILE *stream)
{
    const struct rb_model_case *is = &rb_model_cases[which];
    const struct bench_spread speed = spread_of(results, which, per_s);
    const double bytes = spread_of(results, which, bytes_per_rank).median;
    char range[48], goals[2][32];
    snprintf(range, sizeof range, "%.3g (%.3g-%.3g)", speed.median * 1e-6, speed.low * 1e-6,
             speed.high * 1e-6);
    fprintf(stream, "%-8s %-10s %-9s %8" PRId32 " %4" PRId64 "  %22s%-13s  %9.0f%s\n", is->engine,
            variant_of(is), is->progress, is->p, is->n, range,
            goal_text(is->per_s * 1e-6, speed.median >= is->per_s, goals[0]), bytes,
            goal_text(is->bytes_per_rank, bytes <= is->bytes_per_rank, goals[1]));
}

static void print_heading(const char *const text[COLUMNS], FILE *stream)
{
    fprintf(stream, "%-8s %-10s %-9s %8s %4s  %22s%-13s  %9s%s\n", text[0], text[1], text[2],
            text[3], text[4], text[5], text[6], text[7], text[8]);
}

void rb_model_print_table(const struct rb_bench_request *request,
                          const struct rb_model_results *results)
{
    FILE *stream = request->stream;
    struct rb_bench_machine machine;
    rb_bench_machine(&machine);
    fputs("Circulant broadcast, blocks of 10 KB, on a crossbar: one core, median (quartiles)\n\n",
          stream);
    print_heading(
        (const char *[COLUMNS]){"", "", "", "", "", "million messages", "", "bytes for", ""},
        stream);
    print_heading((const char *[COLUMNS]){"engine", "variant", "progress", "p", "n", "per second",
                                          " goal", "a rank", " goal"},
                  stream);
    for (size_t i = 0; i < rb_model_case_count; i++)
        print_case(results, i, stream);
    fprintf(stream,
            "\nhere: %s; %s; roundabout %s\n%" PRId32
            " runs of each, each in a process of its own; memory: its peak over that with two "
            "ranks; CPU time, with loading the platform\n",
            machine.cpu, machine.compiler, rb_program_version, request->samples);
}

void rb_model_print_csv(const struct rb_bench_request *request,
                        const struct rb_model_results *results)
{
    FILE *stream = request->stream;
    struct rb_bench_machine machine;
    rb_bench_machine(&machine);
    fputs("engine,variant,progress,p,n,messages,cpu_s,messages_per_s,bytes_per_rank,cpu,compiler,"
          "version\n",
          stream);
    for (size_t i = 0; i < results->count; i++) {
        const struct rb_model_sample *sample = &results->samples[i];
        const struct rb_model_case *is = &rb_model_cases[sample->which];
        fprintf(stream,
                "%s,%s,%s,%" PRId32 ",%" PRId64 ",%" PRId64 ",%.17g,%.17g,%.17g,\"%s\",\"%s\",%s\n",
                is->engine, is->variant != NULL ? is->variant : "", is->progress, is->p, is->n,
                sample->messages, sample->cpu_s, per_s(sample), sample->bytes_per_rank, machine.cpu,
                machine.compiler, rb_program_version);
    }
}

int rb_model_print_json(const struct rb_bench_request *request,
                        const struct rb_model_results *results)
{
    struct rb_bench_machine machine;
    struct rb_json_rows rows;
    rb_bench_machine(&machine);
    rb_json_rows_begin(&rows, request->stream,
                       json_pack("{s:s, s:s, s:s, s:s}", "benchmark", rb_bench_model.name, "cpu",
                                 machine.cpu, "compiler", machine.compiler, "version",
                                 rb_program_version),
                       "rows");
    for (size_t i = 0; i < results->count; i++) {
        const struct rb_model_sample *sample = &results->samples[i];
        const struct rb_model_case *is = &rb_model_cases[sample->which];
        rb_json_rows_add(&rows, json_pack("{s:s, s:s?, s:s, s:i, s:I, s:I, s:f, s:f, s:f}",
                                          "engine", is->engine, "variant", is->variant, "progress",
                                          is->progress, "p", (int)is->p, "n", (json_int_t)is->n,
                                          "messages", (json_int_t)sample->messages, "cpu_s",
                                          sample->cpu_s, "messages_per_s", per_s(sample),
                                          "bytes_per_rank", sample->bytes_per_rank));
    }
    return rb_json_rows_end(&rows);
}

static int run(const struct rb_bench_request *request, struct rb_error *error)
{
    struct rb_model_results results;
    int status = rb_model_measure(request, &results, error);
    if (status == RB_OK && request->format == RB_JSON &&
        rb_model_print_json(request, &results) != RB_OK)
        status = rb_fail(error, RB_ENOMEM, "out of memory");
    if (status == RB_OK && request->format == RB_CSV)
        rb_model_print_csv(request, &results);
    if (status == RB_OK && request->format == RB_TABLE)
        rb_model_print_table(request, &results);
    free(results.samples);
    return status;
}

const struct rb_benchmark rb_bench_model = {
    .name = "model",
    .title = "messages per second of the engine model, beside simgrid",
    .run = run,
};
