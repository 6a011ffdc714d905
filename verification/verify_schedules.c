/* verify_schedules.c - the work on circulant schedules themselves, and on the paper's claims about
 * them (verify_work.h). */
#include <inttypes.h>
#include <stdio.h>

#include "verification/verify_sample.h"
#include "verification/verify_work.h"

/* The cost of one p: the number of ranks to check. It hardly depends on log p, and the progress
 * line's estimate needs nothing more exact. */
static int64_t cost_of(const void *job_, int32_t p)
{
    const struct verify_job *job = job_;
    return verify_sample_size(p, job->sample);
}

/* The most that a piece may cost, for some seconds of work. A rank costs a table's entry (1 to
 * 50 ns), a literal transcription (0.5 us), or 2q schedules one by one (10 us). */
static int64_t largest_piece(const struct verify_job *job)
{
    if (job->what == VERIFY_WHAT_CLAIMS)
        return INT64_C(1) << 22;
    return job->sample > 0 ? INT64_C(1) << 18 : INT64_C(1) << 28;
}

int verify_divide(struct verify_job *job, const int32_t ranks[], size_t count, int32_t workers)
{
    enum { PIECES_PER_WORKER = 16 };
    int64_t most = largest_piece(job), total = 0;
    for (size_t i = 0; i < count; i++)
        total += cost_of(job, ranks[i]);
    if (total / workers / PIECES_PER_WORKER < most)
        most = total / workers / PIECES_PER_WORKER;
    return verify_chunks_cut(&job->chunks, ranks, count, most, cost_of, job);
}

void verify_wrong_schedule(struct verify_record *record, int32_t p, int32_t sample,
                           const char *what)
{
    struct verify_failure *failure = verify_failure_place(record);
    char option[32] = "";
    if (sample > 0)
        snprintf(option, sizeof option, " --sample %" PRId32, sample);
    if (failure != NULL) {
        failure->p = p;
        snprintf(failure->what, sizeof failure->what, "schedules for p = %" PRId32 ": %s", p, what);
        snprintf(failure->repeat, sizeof failure->repeat,
                 "roundabout verify --schedules%s -p %" PRId32, option, p);
    }
    verify_count_failure(record);
}

static int check_sample(int32_t p, int32_t sample, struct rb_verdict *verdict)
{
    int status = RB_OK;
    for (int32_t i = 0; status == RB_OK && i < verify_sample_size(p, sample); i++)
        status = rb_verify_schedule_rank(p, verify_sample_rank(p, sample, i), verdict);
    return status;
}

/* Records the results of first .. last, if results are recorded. */
static int keep(const struct verify_job *job, const struct verify_chunk *range, char *wrong,
                struct verify_record *record)
{
    const struct verify_checked_range result = {*range, job->sample, wrong};
    struct sup_error error;
    int64_t ranks = 0;
    if (job->checked == NULL || range->first > range->last)
        return RB_OK;
    for (int64_t p = range->first; p <= range->last; p += range->step)
        ranks += verify_sample_size((int32_t)p, job->sample);
    int status = verify_checked_add(job->checked, &result, ranks, &error);
    if (status != RB_OK)
        verify_give_up(record, status, error.text);
    return status;
}

/* Does one piece. Returns true if the worker should continue. */
static bool verify_chunk(const struct verify_job *job, struct verify_chunk chunk,
                         struct rb_schedule_room *room, struct verify_record *record)
{
    struct rb_verdict verdict;
    int64_t p = chunk.first;
    struct verify_chunk right = chunk; /* the p that were found right and are not kept yet */
    for (; p <= chunk.last; p += chunk.step) {
        const int32_t here = (int32_t)p;
        int status = job->sample > 0 ? check_sample(here, job->sample, &verdict)
                                     : rb_verify_schedule(here, room, &verdict);
        if (status != RB_OK && status != RB_EWRONG) {
            verify_give_up(record, status, "out of memory");
            return false;
        }
        record->p_count++;
        record->rank_count += verify_sample_size(here, job->sample);
        if (status == RB_OK)
            continue;
        verify_wrong_schedule(record, here, job->sample, verdict.what);
        right.last = here - chunk.step;
        if (keep(job, &right, NULL, record) != RB_OK ||
            keep(job, &(struct verify_chunk){here, here, 1}, verdict.what, record) != RB_OK ||
            job->checked == NULL)
            return false;
        right.first = here + chunk.step;
    }
    right.last = chunk.last;
    return keep(job, &right, NULL, record) == RB_OK;
}

void verify_schedules(void *context, struct sup_pool_worker *worker, void *record_)
{
    const struct verify_job *job = context;
    struct verify_record *record = record_;
    struct rb_schedule_room room = {0};
    bool good = true;
    for (size_t i; good && sup_pool_next(worker, &i);)
        good = verify_chunk(job, job->chunks.chunk[i], &room, record);
    rb_schedule_room_free(&room);
}

void verify_claims(void *context, struct sup_pool_worker *worker, void *record_)
{
    const struct verify_job *job = context;
    struct verify_record *record = record_;
    for (size_t i; sup_pool_next(worker, &i);) {
        const struct verify_chunk *chunk = &job->chunks.chunk[i];
        for (int64_t p = chunk->first; p <= chunk->last; p += chunk->step) {
            verify_claims_check((int32_t)p, job->sample, record->claims);
            record->p_count++;
            record->rank_count += verify_sample_size((int32_t)p, job->sample);
        }
    }
}
