/* races.c - vector clocks, in the order of a trace.
 *
 * A clock has a number per thread: how many of its steps are known to be done. Threads, steps that
 * others wait for and messages have clocks. Two accesses are ordered if the later one's thread
 * knows that the earlier one's step is done. With a number for every thread of every rank that
 * would take too much memory and time, so clocks have numbers for the threads of one rank only:
 * first, in one pass for all ranks, by what its own threads wait for alone, which nearly always
 * suffices; then, for each rank where it did not, by messages too. */
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

enum { ALL_RANKS = -1 };

struct access { /* the last ones of a slot: a list by thread */
    int32_t step;
    int32_t next; /* in races->read, or PRG_NONE */
};

struct races {
    const struct prg_program *program;
    const int32_t *thread_of;
    const struct prg_trace *trace;
    int64_t *base;  /* per rank: its first slot among all */
    int32_t *write; /* per slot: the step that wrote it last, or PRG_NONE */
    int32_t *reads; /* per slot: list of steps that have read it since */
    struct access *read;
    int32_t read_count, read_room, read_free;
    bool *suspect;      /* per rank: the first pass has found accesses that it could not order */
    int32_t rank;       /* of this pass, or ALL_RANKS */
    int32_t *component; /* per thread: its number in clocks, or PRG_NONE */
    int32_t width;      /* numbers of a clock */
    int32_t *clock;     /* per thread: its clock */
    int32_t *uses;      /* per step: how many others will read its clock */
    int32_t *kept;      /* per step: its clock among `clocks` */
    int32_t *clocks;    /* kept, of `width` numbers each */
    int32_t *unused;    /* numbers of those that are free again */
    int32_t clock_count, clock_room, unused_count;
    int64_t *place;  /* per thread: steps of it that are done */
    int32_t race[2]; /* steps */
    int32_t race_rank, race_slot;
};

static int32_t *clock_of(const struct races *races, int32_t thread)
{
    return races->clock + (int64_t)thread * races->width;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

/* Whether a step that was done before is ordered before the present one, of another thread. */
static bool is_ordered(const struct races *races, int32_t before, int32_t thread)
{
    const int32_t other = races->thread_of[before], component = races->component[other];
    return other == thread ||
           (component != PRG_NONE &&
            (races->rank != ALL_RANKS ||
             races->program->thread[other].rank == races->program->thread[thread].rank) &&
            clock_of(races, thread)[component] > before - races->program->thread[other].first);
}

static void found(struct races *races, int32_t before, int64_t now, int32_t rank, int32_t slot)
{
    races->suspect[rank] = true;
    if (races->rank != ALL_RANKS && races->race[0] == PRG_NONE) {
        races->race[0] = before;
        races->race[1] = (int32_t)now;
        races->race_rank = rank;
        races->race_slot = slot;
    }
}

static bool note_read(struct races *races, int64_t s, int64_t slot)
{
    /* One thread's later reads are ordered after its earlier ones, so the last one suffices. */
    for (int32_t i = races->reads[slot]; i != PRG_NONE; i = races->read[i].next)
        if (races->thread_of[races->read[i].step] == races->thread_of[s]) {
            races->read[i].step = (int32_t)s;
            return true;
        }
    int32_t made = races->read_free;
    if (made != PRG_NONE) {
        races->read_free = races->read[made].next;
    } else {
        if (races->read_count == races->read_room) {
            const int32_t room = races->read_room == 0 ? 1024 : races->read_room * 2;
            struct access *moved =
                room < 0 ? NULL : realloc(races->read, (size_t)room * sizeof *moved);
            if (moved == NULL)
                return false;
            races->read = moved;
            races->read_room = room;
        }
        made = races->read_count++;
    }
    races->read[made] = (struct access){(int32_t)s, races->reads[slot]};
    races->reads[slot] = made;
    return true;
}

static void check_write(struct races *races, int64_t s, int32_t rank, int32_t i)
{
    const int64_t slot = races->base[rank] + i;
    for (int32_t k = races->reads[slot], next; k != PRG_NONE; k = next) {
        if (!is_ordered(races, races->read[k].step, races->thread_of[s]))
            found(races, races->read[k].step, s, rank, i);
        next = races->read[k].next;
        races->read[k].next = races->read_free;
        races->read_free = k;
    }
    races->reads[slot] = PRG_NONE;
    races->write[slot] = (int32_t)s;
}

static bool access_slot(struct races *races, int64_t s, int32_t rank, int32_t i, bool writes)
{
    const int64_t slot = races->base[rank] + i;
    const int32_t writer = races->write[slot];
    if (writer != PRG_NONE && !is_ordered(races, writer, races->thread_of[s]))
        found(races, writer, s, rank, i);
    if (!writes)
        return note_read(races, s, slot);
    check_write(races, s, rank, i);
    return true;
}

static bool is_access(const struct races *races, int32_t slot, int32_t rank)
{
    return slot != PRG_NONE && (races->rank == ALL_RANKS || races->rank == rank);
}

static bool access_slots(struct races *races, int64_t s)
{
    const struct prg_step *step = &races->program->step[s];
    bool room = true;
    for (int32_t i = 0; room && i < step->count; i++) {
        if (is_access(races, step->from, step->from_rank))
            room = access_slot(races, s, step->from_rank, step->from + i, false);
        if (room && is_access(races, step->at, step->at_rank))
            room = access_slot(races, s, step->at_rank, step->at + i, true);
    }
    return room;
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

static bool keep_clock(struct races *races, int64_t s)
{
    if (races->unused_count == 0) {
        if (races->clock_count == races->clock_room) {
            const int32_t room = races->clock_room == 0 ? 256 : races->clock_room * 2;
            int32_t *clocks =
                realloc(races->clocks, (size_t)room * (size_t)races->width * sizeof *clocks);
            if (clocks != NULL)
                races->clocks = clocks;
            int32_t *unused = realloc(races->unused, (size_t)room * sizeof *unused);
            if (unused != NULL)
                races->unused = unused;
            if (clocks == NULL || unused == NULL)
                return false;
            races->clock_room = room;
        }
        races->unused[races->unused_count++] = races->clock_count++;
    }
    races->kept[s] = races->unused[--races->unused_count];
    memcpy(races->clocks + (int64_t)races->kept[s] * races->width,
           clock_of(races, races->thread_of[s]), (size_t)races->width * sizeof *races->clocks);
    return true;
}

/* The thread knows what was known when another step was done. */
static void learn(struct races *races, int32_t thread, int64_t other)
{
    int32_t *mine = clock_of(races, thread);
    const int32_t *theirs = races->clocks + (int64_t)races->kept[other] * races->width;
    for (int32_t i = 0; i < races->width; i++)
        if (mine[i] < theirs[i])
            mine[i] = theirs[i];
    if (--races->uses[other] == 0)
        races->unused[races->unused_count++] = races->kept[other];
}

/* The step that put what a step takes, if that orders what others see; else PRG_NONE. */
static int64_t sender(const struct races *races, int64_t s)
{
    const int32_t match = races->trace->match[s];
    const bool orders = races->rank != ALL_RANKS && match != PRG_NONE &&
                        !races->program->step[s].relaxed && !races->program->step[match].relaxed;
    return orders ? match : PRG_NONE;
}

static int64_t dependence(const struct races *races, int64_t s)
{
    return prg_dependence(races->program, races->program->thread[races->thread_of[s]].rank,
                          &races->program->step[s]);
}

static bool do_step(struct races *races, int64_t s)
{
    const int32_t thread = races->thread_of[s];
    const int64_t other = dependence(races, s);
    if (other != PRG_NONE)
        learn(races, thread, other);
    if (sender(races, s) != PRG_NONE)
        learn(races, thread, sender(races, s));
    if (!access_slots(races, s))
        return false;
    const int64_t done = s - races->program->thread[thread].first + 1;
    if (races->component[thread] != PRG_NONE &&
        clock_of(races, thread)[races->component[thread]] < done)
        clock_of(races, thread)[races->component[thread]] = (int32_t)done;
    return races->uses[s] == 0 || keep_clock(races, s);
}

static void count_uses(struct races *races)
{
    memset(races->uses, 0, ((size_t)races->program->steps + 1) * sizeof *races->uses);
    for (int64_t s = 0; s < races->program->steps; s++) {
        const int64_t other = dependence(races, s);
        if (other != PRG_NONE)
            races->uses[other]++;
        if (sender(races, s) != PRG_NONE)
            races->uses[sender(races, s)]++;
    }
}

/* Gives the threads whose accesses matter in this pass their numbers in clocks. Other threads may
 * be many: each message of a GOAL file can be one. */
static void number_threads(struct races *races)
{
    const struct prg_program *program = races->program;
    int32_t count = 0;
    races->width = 1;
    for (int32_t t = 0; t < program->threads; t++) {
        const struct prg_thread *thread = &program->thread[t];
        if (races->rank == ALL_RANKS && t == program->first_thread[thread->rank])
            count = 0;
        races->component[t] = PRG_NONE;
        for (int64_t k = 0; k < thread->count && races->component[t] == PRG_NONE; k++) {
            const struct prg_step *step = &program->step[thread->first + k];
            if (is_access(races, step->from, step->from_rank) ||
                is_access(races, step->at, step->at_rank))
                races->component[t] = count++;
        }
        races->width = count > races->width ? count : races->width;
    }
}

/* One pass, for a rank or for all. */
static int pass(struct races *races, int32_t rank, int64_t slots)
{
    races->rank = rank;
    number_threads(races);
    count_uses(races);
    free(races->clock);
    free(races->clocks);
    races->clocks = NULL;
    races->clock_count = races->clock_room = races->unused_count = 0;
    races->clock =
        calloc((size_t)races->program->threads * (size_t)races->width + 1, sizeof *races->clock);
    if (races->clock == NULL)
        return RB_ENOMEM;
    memset(races->write, -1, (size_t)slots * sizeof *races->write);
    memset(races->reads, -1, (size_t)slots * sizeof *races->reads);
    races->read_count = 0;
    races->read_free = PRG_NONE;
    for (int64_t k = 0; k < races->program->steps && races->race[0] == PRG_NONE; k++)
        if (!do_step(races, races->trace->order[k]))
            return RB_ENOMEM;
    return RB_OK;
}

static int check(struct races *races)
{
    const struct prg_program *program = races->program;
    int64_t slots = 1;
    races->base = malloc((size_t)program->ranks * sizeof *races->base);
    for (int32_t rank = 0; races->base != NULL && rank < program->ranks; rank++) {
        races->base[rank] = slots - 1;
        slots += program->memory[rank].slots;
    }
    races->write = malloc((size_t)slots * sizeof *races->write);
    races->reads = malloc((size_t)slots * sizeof *races->reads);
    races->suspect = calloc((size_t)program->ranks, sizeof *races->suspect);
    races->component = malloc(((size_t)program->threads + 1) * sizeof *races->component);
    races->uses = malloc(((size_t)program->steps + 1) * sizeof *races->uses);
    races->kept = malloc(((size_t)program->steps + 1) * sizeof *races->kept);
    if (races->base == NULL || races->write == NULL || races->reads == NULL ||
        races->suspect == NULL || races->component == NULL || races->uses == NULL ||
        races->kept == NULL)
        return RB_ENOMEM;
    int status = pass(races, ALL_RANKS, slots);
    for (int32_t rank = 0; status == RB_OK && rank < program->ranks && races->race[0] == PRG_NONE;
         rank++)
        if (races->suspect[rank])
            status = pass(races, rank, slots);
    return status;
}

/* What a step does to the slot. */
static const char *deed(const struct races *races, int32_t s)
{
    const struct prg_step *step = &races->program->step[s];
    const bool writes = step->at != PRG_NONE && step->at_rank == races->race_rank &&
                        races->race_slot >= step->at && races->race_slot < step->at + step->count;
    return writes ? "writes" : "reads";
}

int prg_check_races(const struct prg_program *program, const int32_t thread_of[],
                    const struct prg_trace *trace, struct prg_verdict *verdict)
{
    struct races races = {
        .program = program, .thread_of = thread_of, .trace = trace, .race = {PRG_NONE, PRG_NONE}};
    const int status = check(&races);
    if (status == RB_OK && races.race[0] != PRG_NONE) {
        verdict->fault = PRG_RACE;
        snprintf(verdict->what, sizeof verdict->what,
                 "%s %s %s, which %s %s, and nothing orders the two",
                 prg_step_name(program, thread_of, races.race[0]).text, deed(&races, races.race[0]),
                 prg_slot_name(program, races.race_rank, races.race_slot).text,
                 prg_step_name(program, thread_of, races.race[1]).text,
                 deed(&races, races.race[1]));
    }
    free(races.base);
    free(races.write);
    free(races.reads);
    free(races.read);
    free(races.suspect);
    free(races.component);
    free(races.clock);
    free(races.uses);
    free(races.kept);
    free(races.clocks);
    free(races.unused);
    return status;
}
