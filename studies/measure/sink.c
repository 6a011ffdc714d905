/* sink.c - where rows go (measure.h). */
#include "studies/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/results/results.h"
#include "support/memory.h"
#include "support/replace.h"

struct measure_sink {
    const struct measure_request *request;
    FILE *stream;
    struct results *results; /* NULL: none */
};

/* ---- The stream ------------------------------------------------------------------------------ */

/* Opens for appending; an empty file, or a new one, gets a header. */
static int append(struct measure_sink *sink, const char *path, struct sup_error *error)
{
    sink->stream = fopen(path, "a+");
    if (sink->stream == NULL)
        return out_cannot_write(path, errno, error);
    fseek(sink->stream, 0, SEEK_END);
    if (sink->request->json)
        return RB_OK;
    if (ftell(sink->stream) <= 0) {
        measure_result_write_header(sink->stream);
        fflush(sink->stream); /* errors show with the first row */
        return RB_OK;
    }
    rewind(sink->stream);
    const bool ours = measure_result_has_header(sink->stream);
    fseek(sink->stream, 0, SEEK_END);
    if (!ours)
        return sup_fail(error, RB_EINVAL,
                        "--output: \"%s\" is there and has not these columns; give another name",
                        path);
    return RB_OK;
}

/* Jobs that begin at the same time must not both write a header. Where the file can't be locked,
 * the time between looking and writing is short. */
static int open_stream(struct measure_sink *sink, struct sup_error *error)
{
    const char *path = sink->request->output;
    if (strcmp(path, "-") == 0) {
        sink->stream = stdout;
        if (!sink->request->json)
            measure_result_write_header(stdout);
        return RB_OK;
    }
    struct sup_lock lock = {0};
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
        sup_lock_wait(&lock, path, 10);
    const int status = append(sink, path, error);
    sup_lock_release(&lock);
    return status;
}

static int write_row(struct measure_sink *sink, const struct measure_result *row,
                     struct sup_error *error)
{
    (sink->request->json ? measure_result_write_json : measure_result_write_csv)(row, sink->stream);
    if (fflush(sink->stream) != 0)
        return sup_fail(error, RB_EIO, "--output: %s: not all was written: %s",
                        sink->request->output, strerror(errno));
    return RB_OK;
}

/* ---- The results file ------------------------------------------------------------------------ */

/* 16 hex digits of what times depend on besides the platform's name (FNV-1a 64). */
static void hash_machine(const struct measure_result *row, char hash[17])
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    char text[512];
    snprintf(text, sizeof text, "%s|%s|%" PRId64 "|%s|%s", row->host, row->cpu, row->cores,
             row->kernel, row->mpi_library);
    for (const char *c = text; *c != '\0'; c++)
        value = (value ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    snprintf(hash, 17, "%016" PRIx64, value);
}

/* The plan's own values; none for the MPI library's own algorithm. */
static int describe_plan(const struct measure_result *row, struct point_outcome *outcome)
{
    const struct rb_plan_spec spec = measure_result_plan(row);
    const struct rb_layout layout = {.bytes = row->m_bytes, .element = row->element_bytes};
    struct rb_verdict verdict;
    struct rb_plan *plan;
    if (strcmp(row->algorithm, MEASURE_LIBRARY_OWN) == 0)
        return RB_OK;
    int status = rb_plan_create(&spec, &plan, NULL, 0);
    if (status != RB_OK)
        return status;
    status = rb_verify_plan(plan, &layout, &verdict);
    outcome->rounds = rb_plan_rounds(plan);
    outcome->bound_rounds = rb_bound_rounds(plan);
    outcome->messages = verdict.messages;
    outcome->moved_bytes = verdict.bytes;
    rb_plan_destroy(plan);
    return status;
}

static int record(struct measure_sink *sink, const struct measure_result *row, const char *overlap,
                  struct sup_error *error)
{
    char engine[32], hash[17];
    hash_machine(row, hash);
    snprintf(engine, sizeof engine, "mpi:%s", row->mpi);
    const struct point point = {
        .plan = measure_result_plan(row),
        .m_bytes = row->m_bytes,
        .element_bytes = row->element_bytes,
        .counts = "regular",
        .platform_text = row->host,
        .platform_hash = hash,
        .ppn = (int32_t)row->ppn,
        .placement = "block",
        .overlap = overlap,
        .engine_text = engine,
        .engine_options = "",
    };
    struct point_outcome outcome = {.done = true,
                                    .time_s = row->median_s,
                                    .spread = {.low_s = row->ci_low_s, .high_s = row->ci_high_s},
                                    .alpha_s = NAN,
                                    .beta_s_per_byte = NAN,
                                    .closed_form_s = NAN};
    if (!isnan(row->ci_low_s) && !isnan(row->ci_high_s))
        outcome.spread.copies = (int32_t)(row->runs < INT32_MAX ? row->runs : INT32_MAX);
    const int status = describe_plan(row, &outcome);
    if (status != RB_OK)
        return sup_fail(error, status, "%s %s: its plan is wrong", row->collective, row->algorithm);
    return results_record(sink->results, &point, &outcome, error);
}

/* The MPI library's own algorithm has no overlap rule. It is entered under each rule with which
 * other algorithms ran, so that `tune` compares them. */
static int record_row(struct measure_sink *sink, const struct measure_result *row,
                      struct sup_error *error)
{
    const struct measure_names *overlap = &sink->request->overlap;
    int status = RB_OK;
    if (row->progress[0] != '\0')
        return record(sink, row, row->progress, error);
    for (int32_t i = 0; i < overlap->count && status == RB_OK; i++)
        status = record(sink, row, overlap->name[i], error);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

int measure_sink_open(const struct measure_request *request, struct measure_sink **sink,
                      struct sup_error *error)
{
    static const struct results_sweep_note note = {.experiment = "measure", .text = "", .hash = ""};
    struct measure_sink *made = sup_calloc(1, sizeof *made);
    made->request = request;
    int status = open_stream(made, error);
    if (status == RB_OK && request->results != NULL)
        status = results_create(request->results, &made->results, error);
    if (status == RB_OK && made->results != NULL)
        status = results_begin(made->results, &note, error);
    if (status != RB_OK)
        measure_sink_close(made, NULL);
    else
        *sink = made;
    return status;
}

int measure_sink_add(struct measure_sink *sink, const struct measure_result *row,
                     struct sup_error *error)
{
    int status = write_row(sink, row, error);
    if (status == RB_OK && sink->results != NULL && row->collective[0] != '\0')
        status = record_row(sink, row, error);
    return status;
}

int measure_sink_close(struct measure_sink *sink, struct sup_error *error)
{
    int status = RB_OK;
    if (sink == NULL)
        return RB_OK;
    if (sink->results != NULL)
        status = results_end(sink->results, error);
    results_close(sink->results);
    if (sink->stream != NULL && (ferror(sink->stream) != 0 || fflush(sink->stream) != 0))
        status =
            sup_fail(error, RB_EIO, "--output: %s: not all was written", sink->request->output);
    if (sink->stream != NULL && sink->stream != stdout)
        fclose(sink->stream);
    free(sink);
    return status;
}
