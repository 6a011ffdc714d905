/* pieces.c - see pieces.h.
 *
 * The crew's memory, taken as a whole, is a head and the array of results. */
#include "experiments/search/pieces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/options/options.h"
#include "roundabout.h"
#include "support/crew.h"

struct head {
    _Atomic size_t handed_out;
    _Atomic int64_t done_us; /* estimated cost of the pieces finished */
    _Atomic int64_t steps;
};

struct order {
    size_t piece;
    double cost_s;
};

struct run {
    const struct rb_pieces *pieces;
    struct order *order;
    struct rb_crew crew;
    struct rb_bar bar;
};

enum { ALIGNED = 64, HEAD = (sizeof(struct head) + ALIGNED - 1) / ALIGNED * ALIGNED };

static int64_t cost_us(const struct run *run, size_t piece)
{
    return 1 + (int64_t)(1e6 * run->pieces->cost_s[piece]);
}

static void work(void *context, int32_t worker, int32_t workers, void *record)
{
    const struct run *run = context;
    const struct rb_pieces *pieces = run->pieces;
    char *const memory = (char *)record - (size_t)worker * run->crew.record_size;
    struct head *head = (struct head *)(void *)memory;
    (void)workers;
    for (size_t i; (i = atomic_fetch_add(&head->handed_out, 1)) < pieces->count;) {
        const size_t piece = run->order[i].piece;
        pieces->run(pieces->context, piece, memory + HEAD + piece * pieces->result_size,
                    &head->steps);
        atomic_fetch_add(&head->done_us, cost_us(run, piece));
    }
}

static bool watch(void *context, const void *records)
{
    struct run *run = context;
    const struct head *head = records;
    char note[64];
    snprintf(note, sizeof note, "%" PRId64 " %s", atomic_load(&head->steps), run->pieces->step);
    rb_bar_update(&run->bar, atomic_load(&head->done_us), note);
    return false;
}

static int costliest_first(const void *a, const void *b)
{
    const struct order *left = a, *right = b;
    const int order = (left->cost_s < right->cost_s) - (left->cost_s > right->cost_s);
    return order != 0 ? order : (left->piece > right->piece) - (left->piece < right->piece);
}

static int64_t line_up(struct run *run)
{
    int64_t total = 0;
    for (size_t i = 0; i < run->pieces->count; i++) {
        run->order[i] = (struct order){i, run->pieces->cost_s[i]};
        total += cost_us(run, i);
    }
    qsort(run->order, run->pieces->count, sizeof *run->order, costliest_first);
    return total;
}

int rb_pieces_run(const struct rb_pieces *pieces, void **results, struct rb_error *error)
{
    const size_t size = pieces->count * pieces->result_size;
    const int32_t workers =
        (size_t)pieces->jobs < pieces->count ? pieces->jobs : (int32_t)pieces->count;
    struct run run = {.pieces = pieces};
    *results = calloc(pieces->count + 1, pieces->result_size);
    run.order = calloc(pieces->count + 1, sizeof *run.order);
    int status = RB_OK;
    if (*results == NULL || run.order == NULL) {
        status = rb_fail(error, RB_ENOMEM, "out of memory");
    } else if (workers > 0) {
        const size_t share = (HEAD + size + (size_t)workers - 1) / (size_t)workers;
        run.crew = (struct rb_crew){.workers = workers,
                                    .record_size = (share + ALIGNED - 1) / ALIGNED * ALIGNED,
                                    .context = &run,
                                    .work = work,
                                    .watch = watch};
        rb_bar_start(&run.bar, pieces->what, line_up(&run));
        status = rb_crew_run(&run.crew, error);
        rb_bar_end(&run.bar);
        if (status == RB_OK)
            memcpy(*results, (const char *)run.crew.records + HEAD, size);
        rb_crew_free(&run.crew);
    }
    free(run.order);
    if (status != RB_OK) {
        free(*results);
        *results = NULL;
    }
    return status;
}
