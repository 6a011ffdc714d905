/* verify_schedules.c - the work on schedules and on the paper's claims about them (verify.h). */
#define _DEFAULT_SOURCE /* sysconf's physical memory */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "studies/verification/verify.h"
#include "support/memory.h"
#include "support/options/options.h"

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

static int descending(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a < *b) - (*a > *b);
}

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
