/* verify_schedules.c - the work on schedules and on the paper's claims about them (verify.h). */
#define _DEFAULT_SOURCE /* sysconf's physical memory */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedules/literal/oracle.h"
#include "studies/verification/verify.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/table.h"

/* ---- Tables of others ------------------------------------------------------------------------ */

/* Circulant schedules of another program, from a text file (verify.h).
 *
 * A line "p r send_0 ... send_q-1 | recv_0 ... recv_q-1" for each relative rank r of a p, in
 * order; docs/formats.md describes the file. A p is checked when its last rank has been read, so
 * that only one p is in memory. */

enum { MOST_FIELDS = 2 * RB_MAX_Q + 5 };

/* What a rank sends, and what it receives. */
struct entries {
    int8_t block[2][RB_MAX_Q];
};

struct reader {
    struct sup_lines lines;
    char *field[MOST_FIELDS]; /* of the line; field[fields] is its end */
    int32_t fields;
    struct rb_circulant graph; /* of the p that is being read; p = 0: none yet */
    struct entries *rank;      /* owned: of the ranks of this p so far */
    int32_t ranks;
    char what[400]; /* the first thing wrong with this p; else empty */
    struct verify_table *table;
};

/* RB_EINVAL and a message "FILE:LINE:COLUMN: what" about a field, or the line's end. */
#define blame(reader, i, error, what, ...)                                                         \
    sup_fail(error, RB_EINVAL, "%s:%" PRId32 ":%d: " what, (reader)->lines.path,                   \
             (reader)->lines.at, (int)((reader)->field[i] - (reader)->lines.line) + 1,             \
             __VA_ARGS__)

/* Cuts the line into fields, which blanks separate; a # begins a comment. */
static void split(struct reader *reader)
{
    char *at = reader->lines.line;
    at[strcspn(at, "#")] = '\0';
    reader->fields = 0;
    for (at += strspn(at, " \t"); *at != '\0' && reader->fields < MOST_FIELDS - 1;) {
        reader->field[reader->fields++] = at;
        at += strcspn(at, " \t");
        while (*at == ' ' || *at == '\t')
            *at++ = '\0';
    }
    reader->field[reader->fields] = at;
}

static int read_number(const struct reader *reader, int32_t field, const char *what, int64_t least,
                       int64_t most, int64_t *value, struct sup_error *error)
{
    const char *text = reader->field[field];
    const bool minus = least < 0 && *text == '-';
    if (field < reader->fields &&
        sup_parse_int(text + minus, least < 0 ? 0 : least, most, value, NULL) == RB_OK) {
        *value = minus ? -*value : *value;
        return RB_OK;
    }
    return blame(reader, field, error,
                 "\"%.20s\" is not %s, a whole number from %" PRId64 " to %" PRId64, text, what,
                 least, most);
}

static void check_conditions(struct reader *reader)
{
    const size_t p = (size_t)reader->graph.p, q = (size_t)reader->graph.q;
    struct rb_verdict verdict;
    struct rb_schedule_room room = {
        .base = sup_malloc(p), .send = sup_malloc(p * q + 1), .recv = sup_malloc(p * q + 1)};
    for (size_t r = 0; r < p; r++)
        for (size_t k = 0; k < q; k++) {
            room.send[k * p + r] = reader->rank[r].block[0][k];
            room.recv[k * p + r] = reader->rank[r].block[1][k];
        }
    if (rb_verify_schedule_table(reader->graph.p, &room, &verdict) == RB_EWRONG)
        snprintf(reader->what, sizeof reader->what, "%s", verdict.what);
    rb_schedule_room_free(&room);
}

/* All lines of a p have been read. */
static int end_p(struct reader *reader, struct sup_error *error)
{
    struct verify_table *table = reader->table;
    if (reader->ranks < reader->graph.p)
        return blame(reader, 0, error,
                     "the lines of p = %" PRId32 " end, but rank %" PRId32
                     " is missing: the ranks 0 to p - 1 of a p stand together",
                     reader->graph.p, reader->ranks);
    if (reader->what[0] == '\0' && reader->graph.p > 0)
        check_conditions(reader);
    table->p_count += reader->graph.p > 0;
    table->rank_count += reader->graph.p;
    if (reader->what[0] != '\0')
        json_array_append_new(
            table->wrong, json_pack("{s:i, s:s}", "p", (int)reader->graph.p, "what", reader->what));
    reader->ranks = 0;
    reader->what[0] = '\0';
    return RB_OK;
}

/* "p skip s_0 ... s_q" */
static int read_skips(struct reader *reader, struct sup_error *error)
{
    const struct rb_circulant *graph = &reader->graph;
    for (int32_t k = 0; k <= graph->q; k++) {
        int64_t skip;
        const int status = read_number(reader, 2 + k, "a skip", 0, RB_MAX_RANKS, &skip, error);
        if (status != RB_OK)
            return status;
        if (skip != graph->skip[k] && reader->what[0] == '\0')
            snprintf(reader->what, sizeof reader->what,
                     "other skips at p = %" PRId32 ": skip[%" PRId32 "] is %" PRId64
                     ", not %" PRId32 "; the conditions are for skip[q] = p, skip[k] = "
                     "ceil(skip[k+1] / 2)",
                     graph->p, k, skip, graph->skip[k]);
    }
    return RB_OK;
}

/* The q blocks from a field on, which a rank sends (way 0) or receives (1). */
static int read_blocks(struct reader *reader, int way, int32_t field, struct sup_error *error)
{
    const int32_t q = reader->graph.q;
    for (int32_t k = 0; k < q; k++) {
        int64_t block;
        const int status =
            read_number(reader, field + k, "a block", -RB_MAX_RANKS, RB_MAX_RANKS, &block, error);
        if (status != RB_OK)
            return status;
        const bool exists = block >= -q && block < q;
        if (!exists && reader->what[0] == '\0')
            snprintf(reader->what, sizeof reader->what,
                     "condition %d fails at p = %" PRId32 ": rank %" PRId32 " %s block %" PRId64
                     " in round %" PRId32 ", which is outside -q..q-1",
                     way == 0 ? 4 : 3, reader->graph.p, reader->ranks,
                     way == 0 ? "sends" : "receives", block, k);
        reader->rank[reader->ranks].block[way][k] = (int8_t)(exists ? block : INT8_MIN);
    }
    return RB_OK;
}

static int read_rank(struct reader *reader, struct sup_error *error)
{
    const int32_t q = reader->graph.q;
    int64_t r;
    int status = read_number(reader, 1, "a rank", 0, reader->graph.p - 1, &r, error);
    if (status == RB_OK && r != reader->ranks)
        return blame(reader, 1, error,
                     "rank %" PRId64 " of p = %" PRId32 " after %" PRId32
                     " of its ranks: the ranks of a p stand in order, from 0 (sort -n -k1,1 -k2,2)",
                     r, reader->graph.p, reader->ranks);
    if (status == RB_OK && strcmp(reader->field[2 + q], "|") != 0)
        return blame(reader, 2 + q, error,
                     "a | belongs here, behind q = %" PRId32 " blocks to send", q);
    sup_grow(&reader->rank, (size_t)reader->ranks, sizeof *reader->rank);
    if (status == RB_OK)
        status = read_blocks(reader, 0, 2, error);
    if (status == RB_OK)
        status = read_blocks(reader, 1, 3 + q, error);
    reader->ranks++;
    return status;
}

static int read_line(struct reader *reader, struct sup_error *error)
{
    int64_t p;
    split(reader);
    if (reader->fields == 0)
        return RB_OK;
    int status = read_number(reader, 0, "a number of ranks p", 1, RB_MAX_RANKS, &p, error);
    if (status == RB_OK && p != reader->graph.p)
        status = end_p(reader, error);
    if (status == RB_OK && p < reader->graph.p)
        return blame(reader, 0, error,
                     "p = %" PRId64 " after p = %" PRId32
                     ": p must rise, so that no p comes twice (sort -n -k1,1 -k2,2)",
                     p, reader->graph.p);
    if (status != RB_OK)
        return status;
    rb_circulant_init(&reader->graph, (int32_t)p);
    const bool skips = reader->fields > 1 && strcmp(reader->field[1], "skip") == 0;
    const int32_t q = reader->graph.q, fields = skips ? q + 3 : 2 * q + 3;
    if (reader->fields != fields)
        return blame(
            reader, reader->fields < fields ? reader->fields : fields, error,
            "%" PRId32 " fields, not %" PRId32 ": for p = %" PRId64 " (q = %" PRId32 ") %s",
            reader->fields, fields, p, q,
            skips ? "p, skip and q + 1 skips" : "p, r, q blocks to send, | and q to receive");
    return skips ? read_skips(reader, error) : read_rank(reader, error);
}

int verify_table_read(const char *path, struct verify_table *table, struct sup_error *error)
{
    struct reader reader = {.table = table};
    table->wrong = json_array();
    int status = sup_lines_read(&reader.lines, path, error);
    while (status == RB_OK && sup_lines_next(&reader.lines))
        status = read_line(&reader, error);
    if (status == RB_OK)
        status = end_p(&reader, error);
    if (status == RB_OK && table->p_count == 0)
        status = sup_fail(error, RB_EINVAL,
                          "%s: no schedules: a line is \"p r send_0 ... | recv_0 ...\"", path);
    free(reader.lines.text);
    free(reader.rank);
    return status;
}

/* ---- The report ------------------------------------------------------------------------------ */

static int32_t wrong_p(const struct verify_table *table, size_t i)
{
    return (int32_t)json_integer_value(json_object_get(json_array_get(table->wrong, i), "p"));
}

void verify_table_print(const struct verify_table *table, bool json, FILE *stream)
{
    const size_t count = json_array_size(table->wrong);
    if (json) {
        out_json_print(stream,
                       json_pack("{s:I, s:I, s:i, s:O, s:s}", "p_count", (json_int_t)table->p_count,
                                 "ranks", (json_int_t)table->rank_count, "wrong", (int)count,
                                 "faults", table->wrong, "version", cli_program_version),
                       0);
        return;
    }
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s\n",
                json_string_value(json_object_get(json_array_get(table->wrong, i), "what")));
    if (count == 0)
        fprintf(stream, "%" PRId64 " value%s of p, %" PRId64 " rank%s: all four conditions hold\n",
                table->p_count, sup_plural(table->p_count), table->rank_count,
                sup_plural(table->rank_count));
    else
        fprintf(stream, "%zu of %" PRId64 " value%s of p %s wrong: ", count, table->p_count,
                sup_plural(table->p_count), count == 1 ? "is" : "are");
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%" PRId32 "%s", wrong_p(table, i), i + 1 < count ? ", " : "\n");
}

/* ---- Claims ---------------------------------------------------------------------------------- */

enum { CALLS, ITERATIONS, ITERATIONS_OBSERVED, VIOLATIONS };

/* Lemma 6 fails first at p = 257, r = 2. That the iterations are O(log p) all the same is what
 * matters for Theorem 2; 4q - 8 is the simplest bound that no p has exceeded. */
const struct verify_claim verify_claim_table[VERIFY_CLAIMS] = {
    [CALLS] = {.name = "calls",
               .text = "at most q - 1 recursive calls",
               .source = "Lemma 5",
               .least_q = 1},
    [ITERATIONS] = {.name = "iterations",
                    .text = "at most 2q + R iterations, R recursive calls",
                    .source = "Lemma 6",
                    .known_false = true,
                    .least_q = 1},
    [ITERATIONS_OBSERVED] = {.name = "iterations_observed",
                             .text = "at most 4q - 8 iterations, q >= 5",
                             .source = "observed",
                             .least_q = 5},
    [VIOLATIONS] = {.name = "violations",
                    .text = "at most 4 violations",
                    .source = "Theorem 3",
                    .least_q = 1},
};

static bool is_before(const struct verify_claim_case *a, const struct verify_claim_case *b)
{
    return a->p != b->p ? a->p < b->p : a->r < b->r;
}

static void merge(struct verify_claim_tally *sum, const struct verify_claim_tally *more)
{
    if (more->exceptions > 0 &&
        (sum->exceptions == 0 || is_before(&more->first_exception, &sum->first_exception)))
        sum->first_exception = more->first_exception;
    if (more->checked > 0) {
        int32_t new = more->tightest.value - more->tightest.bound;
        int32_t old = sum->tightest.value - sum->tightest.bound;
        if (sum->checked == 0 || new > old ||
            (new == old &&is_before(&more->tightest, &sum->tightest)))
            sum->tightest = more->tightest;
    }
    sum->checked += more->checked;
    sum->exceptions += more->exceptions;
}

void verify_claims_check(int32_t p, int32_t sample, struct verify_claim_tally tally[VERIFY_CLAIMS])
{
    struct oracle oracle;
    int32_t block[RB_MAX_Q + 1];
    oracle_init(&oracle, p);
    const int32_t ranks = p == 1 ? 0 : verify_sample_size(p, sample);
    for (int32_t i = 0; i < ranks; i++) {
        int32_t value[VERIFY_CLAIMS], bound[VERIFY_CLAIMS];
        const int32_t r = verify_sample_rank(p, sample, i);
        oracle_recv_counting(&oracle, r, block);
        value[CALLS] = oracle.calls;
        bound[CALLS] = oracle.q - 1;
        value[ITERATIONS] = value[ITERATIONS_OBSERVED] = oracle.iterations;
        bound[ITERATIONS] = 2 * oracle.q + oracle.calls;
        bound[ITERATIONS_OBSERVED] = 4 * oracle.q - 8;
        oracle_send_counting(&oracle, r, block);
        value[VIOLATIONS] = oracle.violations;
        bound[VIOLATIONS] = 4;
        for (int32_t c = 0; c < VERIFY_CLAIMS; c++) {
            const struct verify_claim_case one = {p, r, value[c], bound[c]};
            const struct verify_claim_tally seen = {.checked = 1,
                                                    .exceptions = value[c] > bound[c],
                                                    .first_exception = one,
                                                    .tightest = one};
            if (oracle.q >= verify_claim_table[c].least_q)
                merge(&tally[c], &seen);
        }
    }
}

void verify_claims_add(struct verify_claim_tally sum[VERIFY_CLAIMS],
                       const struct verify_claim_tally more[VERIFY_CLAIMS])
{
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++)
        merge(&sum[c], &more[c]);
}

bool verify_claims_news(const struct verify_claim_tally tally[VERIFY_CLAIMS])
{
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++)
        if (tally[c].exceptions > 0 && !verify_claim_table[c].known_false)
            return true;
    return false;
}

/* ---- The work -------------------------------------------------------------------------------- */

/* ---- Pieces of work -------------------------------------------------------------------------- */

/* The most ranks that a piece may have, for some seconds of work. A rank costs a table's entry (1
 * to 50 ns), a literal transcription (0.5 us), or 2q schedules one by one (10 us). */
static int64_t largest_piece(const struct verify_job *job)
{
    if (job->what == VERIFY_WHAT_CLAIMS)
        return INT64_C(1) << 22;
    return job->sample > 0 ? INT64_C(1) << 18 : INT64_C(1) << 28;
}

/* The ranks of the i-th p. What they cost hardly depends on log p, and the progress line's
 * estimate needs nothing more exact. */
static int64_t ranks_of(const struct verify_job *job, size_t i)
{
    return verify_sample_size((int32_t)job->ranks->value[i], job->sample);
}

SUP_COMPARE(descending, int64_t, SUP_ORDER(*b, *a));

/* Tables that the memory can't hold are refused beforehand. */
static int check_memory(const struct sup_list *ranks, int32_t workers)
{
    int64_t *sorted = sup_reallocarray(NULL, ranks->count, sizeof *sorted);
    memcpy(sorted, ranks->value, ranks->count * sizeof *sorted);
    qsort(sorted, ranks->count, sizeof *sorted, descending);
    size_t at_once = ranks->count < (size_t)workers ? ranks->count : (size_t)workers;
    double needed = 0, gib = 1024.0 * 1024 * 1024;
    for (size_t i = 0; i < at_once; i++)
        needed += (double)sorted[i] * (rb_ceil_log2((int32_t)sorted[i]) + 1);
    const int64_t largest = sorted[0];
    free(sorted);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (needed <= there)
        return CLI_EXIT_DONE;
    return cli_complain(CLI_EXIT_USAGE,
                        "--ranks: up to p = %" PRId64
                        ", %zu table%s of q + 1 bytes per rank take%s %.1f GiB, but the memory is "
                        "%.1f GiB: look at some ranks of each p with --sample N%s",
                        largest, at_once, at_once == 1 ? "" : "s", at_once == 1 ? "s" : "",
                        needed / gib, there / gib, at_once == 1 ? "" : ", or use fewer --jobs");
}

int verify_divide(struct verify_job *job, int32_t workers)
{
    enum { PIECES_PER_WORKER = 16 };
    int64_t most = largest_piece(job), total = 0, room = 0;
    if (job->what == VERIFY_WHAT_SCHEDULES && job->sample == 0 &&
        check_memory(job->ranks, workers) != CLI_EXIT_DONE)
        return CLI_EXIT_USAGE;
    for (size_t i = 0; i < job->ranks->count; i++)
        total += ranks_of(job, i);
    if (total / workers / PIECES_PER_WORKER < most)
        most = total / workers / PIECES_PER_WORKER;
    for (size_t i = 0; i < job->ranks->count; i++) {
        if (job->piece_count == 0 || ranks_of(job, i) > room) {
            sup_grow(&job->pieces, job->piece_count, sizeof *job->pieces);
            job->pieces[job->piece_count++] = (struct verify_piece){.first = i};
            room = most;
        }
        job->pieces[job->piece_count - 1].count++;
        room -= ranks_of(job, i);
    }
    return CLI_EXIT_DONE;
}

/* ---- The work -------------------------------------------------------------------------------- */

static int check_schedules(int32_t p, int32_t sample, struct rb_schedule_room *room,
                           struct rb_verdict *verdict)
{
    int status = RB_OK;
    if (sample == 0)
        return rb_verify_schedule(p, room, verdict);
    for (int32_t i = 0; status == RB_OK && i < verify_sample_size(p, sample); i++)
        status = rb_verify_schedule_rank(p, verify_sample_rank(p, sample, i), verdict);
    return status;
}

/* Returns true if the worker should continue. */
static bool verify_schedules_of(const struct verify_job *job, size_t i,
                                struct rb_schedule_room *room, struct verify_record *record)
{
    const int32_t p = (int32_t)job->ranks->value[i];
    struct rb_verdict verdict;
    char options[48] = "--schedules";
    const int status = check_schedules(p, job->sample, room, &verdict);
    if (status != RB_OK && status != RB_EWRONG) {
        verify_give_up(record, status, "out of memory");
        return false;
    }
    record->p_count++;
    record->rank_count += ranks_of(job, i);
    if (job->sample > 0)
        snprintf(options, sizeof options, "--schedules --sample %" PRId32, job->sample);
    if (status == RB_EWRONG)
        verify_wrong_schedule(record, p, options, verdict.what);
    return status == RB_OK;
}

void verify_schedules(void *context, struct sup_pool_worker *worker, void *record)
{
    const struct verify_job *job = context;
    struct rb_schedule_room room = {0};
    bool good = true;
    for (size_t i; good && sup_pool_next(worker, &i);) {
        const struct verify_piece *piece = &job->pieces[i];
        for (size_t k = 0; k < piece->count && good; k++)
            good = verify_schedules_of(job, piece->first + k, &room, record);
    }
    rb_schedule_room_free(&room);
}

void verify_claims(void *context, struct sup_pool_worker *worker, void *record_)
{
    const struct verify_job *job = context;
    struct verify_record *record = record_;
    for (size_t i; sup_pool_next(worker, &i);) {
        const struct verify_piece *piece = &job->pieces[i];
        for (size_t k = piece->first; k < piece->first + piece->count; k++) {
            verify_claims_check((int32_t)job->ranks->value[k], job->sample, record->claims);
            record->p_count++;
            record->rank_count += ranks_of(job, k);
        }
    }
}
