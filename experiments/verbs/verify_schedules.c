/* verify_schedules.c - the work on bare circulant schedules, and on what the paper claims of them
 * (verify_work.h). */
#include <inttypes.h>
#include <stdio.h>

#include "experiments/verbs/verify_sample.h"
#include "experiments/verbs/verify_work.h"

/* What one p costs: the ranks looked at. Little of it depends on log p, and the progress line's
 * estimate needs no more. */
static int64_t cost_of(const void *job_, int32_t p)
{
    const struct rb_verify_job *job = job_;
    return rb_sample_size(p, job->sample);
}

int rb_verify_divide(struct rb_verify_job *job, const int32_t ranks[], size_t count,
                     int32_t workers)
{
    enum { PIECES_PER_WORKER = 16 };
    /* At most some seconds: what a rank costs is a table's entry or a literal transcription. */
    int64_t most = job->what == RB_VERIFY_CLAIMS ? INT64_C(1) << 22 : INT64_C(1) << 28;
    int64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += cost_of(job, ranks[i]);
    if (total / workers / PIECES_PER_WORKER < most)
        most = total / workers / PIECES_PER_WORKER;
    return rb_chunks_cut(&job->chunks, ranks, count, most, cost_of, job);
}

void rb_verify_wrong_schedule(struct rb_verify_record *record, int32_t p, int32_t sample,
                              const char *what)
{
    struct rb_verify_failure *failure = rb_verify_failure_place(record);
    char option[32] = "";
    if (sample > 0)
        snprintf(option, sizeof option, " --sample %" PRId32, sample);
    if (failure != NULL) {
        failure->p = p;
        snprintf(failure->what, sizeof failure->what, "schedules for p = %" PRId32 ": %s", p, what);
        snprintf(failure->repeat, sizeof failure->repeat,
                 "roundabout verify --schedules%s -p %" PRId32, option, p);
    }
    rb_verify_count_failure(record);
}

/* One p; false if it is wrong or could not be checked. */
static bool verify_p(int32_t p, struct rb_schedule_room *room, struct rb_verify_record *record)
{
    struct rb_verdict verdict;
    int status = rb_verify_schedule(p, room, &verdict);
    if (status == RB_EWRONG) {
        rb_verify_wrong_schedule(record, p, 0, verdict.what);
    } else if (status != RB_OK) {
        rb_verify_give_up(record, status, "out of memory");
    }
    return status == RB_OK;
}

void rb_verify_schedules(void *context, int32_t worker, int32_t workers, void *record_)
{
    const struct rb_verify_job *job = context;
    struct rb_verify_record *record = record_;
    struct rb_schedule_room room = {0};
    bool good = true;
    (void)workers;
    for (size_t i; good && (i = rb_verify_next(record, worker)) < job->chunks.count;) {
        const struct rb_chunk *chunk = &job->chunks.chunk[i];
        for (int64_t p = chunk->first; good && p <= chunk->last; p += chunk->step) {
            good = verify_p((int32_t)p, &room, record);
            record->p_count++;
            record->rank_count += p;
            atomic_fetch_add(&record->done, cost_of(job, (int32_t)p));
        }
    }
    rb_schedule_room_free(&room);
}

void rb_verify_claims(void *context, int32_t worker, int32_t workers, void *record_)
{
    const struct rb_verify_job *job = context;
    struct rb_verify_record *record = record_;
    (void)workers;
    for (size_t i; (i = rb_verify_next(record, worker)) < job->chunks.count;) {
        const struct rb_chunk *chunk = &job->chunks.chunk[i];
        for (int64_t p = chunk->first; p <= chunk->last; p += chunk->step) {
            rb_claims_check((int32_t)p, job->sample, record->claims);
            record->p_count++;
            record->rank_count += rb_sample_size((int32_t)p, job->sample);
            atomic_fetch_add(&record->done, cost_of(job, (int32_t)p));
        }
    }
}
