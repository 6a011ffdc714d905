/* program.c - programs, made step by step. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

int prg_init(struct prg_program *program, int32_t ranks)
{
    *program = (struct prg_program){.ranks = ranks};
    program->memory = calloc((size_t)ranks, sizeof *program->memory);
    program->first_thread = calloc((size_t)ranks + 1, sizeof *program->first_thread);
    return program->memory == NULL || program->first_thread == NULL ? RB_ENOMEM : RB_OK;
}

void prg_free(struct prg_program *program)
{
    free(program->memory);
    free(program->thread);
    free(program->first_thread);
    free(program->step);
    free(program->fifo);
    free(program->bytes);
    free(program->fifo_table);
    *program = (struct prg_program){0};
}

/* Room for one more of `count` things of this size, in an array of *room. */
static bool grow(void **array, int64_t count, int64_t *room, size_t size)
{
    if (count < *room)
        return true;
    const int64_t larger = *room < 16 ? 32 : *room + *room / 2;
    void *moved = realloc(*array, (size_t)larger * size);
    if (moved == NULL)
        return false;
    *array = moved;
    *room = larger;
    return true;
}

int prg_begin_thread(struct prg_program *program, int32_t rank, int32_t number)
{
    int64_t room = program->thread_room;
    if (!grow((void **)&program->thread, program->threads, &room, sizeof *program->thread))
        return RB_ENOMEM;
    program->thread_room = (int32_t)room;
    program->thread[program->threads++] =
        (struct prg_thread){.rank = rank, .number = number, .first = program->steps};
    return RB_OK;
}

int prg_add(struct prg_program *program, const struct prg_step *step)
{
    if (!grow((void **)&program->step, program->steps, &program->step_room, sizeof *program->step))
        return RB_ENOMEM;
    program->step[program->steps++] = *step;
    program->thread[program->threads - 1].count++;
    return RB_OK;
}

struct prg_step prg_step_of(int32_t rank)
{
    return (struct prg_step){.in = PRG_NONE,
                             .out = PRG_NONE,
                             .dep_thread = PRG_NONE,
                             .dep_step = PRG_NONE,
                             .from_rank = rank,
                             .at_rank = rank,
                             .from = PRG_NONE,
                             .at = PRG_NONE};
}

/* ---- FIFOs by their ends: a table of numbers + 1 with open addressing, at most half full ----- */

static int32_t *place_of(const struct prg_program *program, const struct prg_fifo *fifo)
{
    const uint64_t key = ((uint64_t)(uint32_t)fifo->from << 32 | (uint32_t)fifo->to) ^
                         ((uint64_t)(uint32_t)fifo->channel << 17 | (uint64_t)fifo->signal << 16);
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (;; at++) {
        int32_t *place = &program->fifo_table[at & (uint32_t)(2 * program->fifo_room - 1)];
        if (*place == 0)
            return place;
        const struct prg_fifo *there = &program->fifo[*place - 1];
        if (there->from == fifo->from && there->to == fifo->to && there->channel == fifo->channel &&
            there->signal == fifo->signal)
            return place;
    }
}

static bool grow_fifos(struct prg_program *program)
{
    const int32_t room = program->fifo_room == 0 ? 64 : 2 * program->fifo_room;
    struct prg_fifo *moved = realloc(program->fifo, (size_t)room * sizeof *moved);
    if (moved != NULL)
        program->fifo = moved;
    int32_t *table = moved == NULL ? NULL : calloc(2 * (size_t)room, sizeof *table);
    if (table == NULL)
        return false;
    free(program->fifo_table);
    program->fifo_table = table;
    program->fifo_room = room;
    for (int32_t i = 0; i < program->fifos; i++)
        *place_of(program, &program->fifo[i]) = i + 1;
    return true;
}

int32_t prg_fifo_of(struct prg_program *program, int32_t from, int32_t to, int32_t channel,
                    bool signal)
{
    const struct prg_fifo fifo = {from, to, channel, signal};
    if (program->fifos == program->fifo_room && (program->fifos == 1 << 29 || !grow_fifos(program)))
        return PRG_NONE;
    int32_t *place = place_of(program, &fifo);
    if (*place == 0) {
        program->fifo[program->fifos++] = fifo;
        *place = program->fifos;
    }
    return *place - 1;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Puts the threads in the order of their ranks; each rank's keep theirs. */
static int sort_threads(struct prg_program *program)
{
    struct prg_thread *sorted = malloc(((size_t)program->threads + 1) * sizeof *sorted);
    int32_t *next = calloc((size_t)program->ranks + 1, sizeof *next);
    if (sorted != NULL && next != NULL) {
        for (int32_t i = 0; i < program->threads; i++)
            next[program->thread[i].rank + 1]++;
        for (int32_t r = 0; r < program->ranks; r++)
            next[r + 1] += next[r];
        memcpy(program->first_thread, next, ((size_t)program->ranks + 1) * sizeof *next);
        for (int32_t i = 0; i < program->threads; i++)
            sorted[next[program->thread[i].rank]++] = program->thread[i];
        free(program->thread);
        program->thread = sorted;
        program->thread_room = program->threads + 1;
    }
    free(next);
    return sorted != NULL && next != NULL ? RB_OK : (free(sorted), RB_ENOMEM);
}

static int check_slots(const struct prg_program *program, const struct prg_step *step, int32_t rank,
                       int32_t first, struct sup_error *error)
{
    if (rank < 0 || rank >= program->ranks)
        return sup_fail(error, RB_EINVAL, "line %d: there is no rank %d", (int)step->line,
                        (int)rank);
    if (first != PRG_NONE &&
        (first < 0 || step->count > program->memory[rank].slots - (int64_t)first))
        return sup_fail(error, RB_EINVAL, "line %d: rank %d has %d slots, not %d and %d more",
                        (int)step->line, (int)rank, (int)program->memory[rank].slots, (int)first,
                        (int)step->count);
    return RB_OK;
}

static int check_dependence(const struct prg_program *program, const struct prg_step *step,
                            int32_t rank, struct sup_error *error)
{
    if (step->dep_thread == PRG_NONE)
        return RB_OK;
    const int32_t first = program->first_thread[rank];
    if (step->dep_thread < 0 || step->dep_thread >= program->first_thread[rank + 1] - first)
        return sup_fail(error, RB_EINVAL, "line %d: it waits for thread %d, which rank %d has not",
                        (int)step->line, (int)step->dep_thread, (int)rank);
    if (step->dep_step < 0 || step->dep_step >= program->thread[first + step->dep_thread].count)
        return sup_fail(error, RB_EINVAL,
                        "line %d: it waits for step %d of thread %d, which has %lld steps",
                        (int)step->line, (int)step->dep_step, (int)step->dep_thread,
                        (long long)program->thread[first + step->dep_thread].count);
    return RB_OK;
}

static int check_step(const struct prg_program *program, int32_t rank, const struct prg_step *step,
                      struct sup_error *error)
{
    if (step->count < 0)
        return sup_fail(error, RB_EINVAL, "line %d: %d chunks", (int)step->line, (int)step->count);
    if ((step->in != PRG_NONE && program->fifo[step->in].to != rank) ||
        (step->out != PRG_NONE && program->fifo[step->out].from != rank))
        return sup_fail(error, RB_EINVAL, "line %d: the FIFO is not one of rank %d",
                        (int)step->line, (int)rank);
    int status = check_slots(program, step, step->from_rank, step->from, error);
    if (status == RB_OK)
        status = check_slots(program, step, step->at_rank, step->at, error);
    return status == RB_OK ? check_dependence(program, step, rank, error) : status;
}

int prg_finish(struct prg_program *program, struct sup_error *error)
{
    int status = sort_threads(program);
    if (status != RB_OK)
        return sup_fail(error, status, "out of memory");
    for (int32_t i = 0; status == RB_OK && i < program->threads; i++) {
        const struct prg_thread *thread = &program->thread[i];
        for (int64_t k = 0; status == RB_OK && k < thread->count; k++)
            status = check_step(program, thread->rank, &program->step[thread->first + k], error);
    }
    return status;
}

/* ---- What a collective asks of buffers of chunks --------------------------------------------- */

int32_t prg_datum(const struct prg_program *program, enum prg_share share, int32_t rank,
                  enum prg_buffer buffer, int32_t slot)
{
    const int32_t all = program->memory[rank].chunks[buffer], each = all / program->ranks;
    const int32_t i = slot - program->memory[rank].base[buffer];
    if (i < 0 || i >= all || (share == PRG_OF_ROOT && rank != program->contract.root))
        return PRG_NONE;
    return share == PRG_PART        ? rank * all + i
           : share == PRG_EXCHANGED ? i / each * all + rank * each + i % each
                                    : i;
}

/* A rank's input and output are `in` and `out` times the smallest share: a chunk count C or, where
 * it is 0, p times C. */
struct rule {
    const char *name, *other;
    bool in_parts, out_parts; /* a rank has a p-th of the data there */
    bool in_place_input;      /* in place the smaller buffer is the input, in the output */
    bool reducing, everywhere_equal;
    enum prg_share start, end;
};
static const struct rule rules[] = {
    {"allreduce", "all_reduce", false, false, false, true, true, PRG_WHOLE, PRG_WHOLE},
    {"allgather", "all_gather", true, false, true, false, true, PRG_PART, PRG_WHOLE},
    {"reduce_scatter", "reducescatter", false, true, false, true, false, PRG_WHOLE, PRG_PART},
    {"broadcast", "bcast", false, false, false, false, true, PRG_OF_ROOT, PRG_WHOLE},
    {"reduce", "reduce", false, false, false, true, false, PRG_WHOLE, PRG_OF_ROOT},
    {"alltoall", "all_to_all", false, false, false, false, false, PRG_PART, PRG_EXCHANGED},
};
/* The project's names. */
static const char *const collectives[] = {"allreduce", "allgather", "reduce-scatter",
                                          "bcast",     "reduce",    "alltoall"};

static const struct rule *rule_named(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].name, name) == 0 || strcmp(rules[i].other, name) == 0)
            return &rules[i];
    return NULL;
}

/* The chunks that a buffer must have if all data are `all` chunks. */
static int32_t wanted(const struct prg_program *program, bool parts, int32_t all)
{
    return parts ? all / program->ranks : all;
}

static int check_rank(const struct prg_program *program, const struct rule *rule, int32_t rank,
                      int32_t all, bool in_place, struct sup_error *error)
{
    const int32_t *chunks = program->memory[rank].chunks;
    const int32_t in = wanted(program, rule->in_parts, all),
                  out = wanted(program, rule->out_parts, all);
    /* In place a file may leave out the buffer that the other one contains. */
    if ((chunks[PRG_INPUT] == in || (in_place && chunks[PRG_INPUT] == 0)) &&
        (chunks[PRG_OUTPUT] == out || (in_place && chunks[PRG_OUTPUT] == 0)))
        return RB_OK;
    return sup_fail(error, RB_EINVAL,
                    "rank %d has %d chunks of input and %d of output; %s of %d chunks asks for %d "
                    "and %d",
                    (int)rank, (int)chunks[PRG_INPUT], (int)chunks[PRG_OUTPUT], rule->name,
                    (int)all, (int)in, (int)out);
}

/* So that no number of a slot or datum overflows. */
static int check_size(const struct prg_program *program, int32_t rank, struct sup_error *error)
{
    const int32_t most =
        PRG_MAX_CHUNKS < INT32_MAX / program->ranks ? PRG_MAX_CHUNKS : INT32_MAX / program->ranks;
    for (int buffer = 0; buffer < PRG_BUFFERS; buffer++) {
        const int32_t chunks = program->memory[rank].chunks[buffer];
        if (chunks < 0 || chunks > most)
            return sup_fail(error, RB_EINVAL,
                            "rank %d: a buffer of %d chunks; it must have 0 to %d", (int)rank,
                            (int)chunks, (int)most);
    }
    return RB_OK;
}

/* The slots of a rank's buffers. */
static void place(struct prg_program *program, const struct rule *rule, int32_t rank, int32_t all,
                  bool in_place)
{
    struct prg_memory *memory = &program->memory[rank];
    if (rule != NULL && in_place) {
        memory->chunks[PRG_INPUT] = wanted(program, rule->in_parts, all);
        memory->chunks[PRG_OUTPUT] = wanted(program, rule->out_parts, all);
    }
    const int32_t in = memory->chunks[PRG_INPUT], out = memory->chunks[PRG_OUTPUT];
    const int32_t larger = in > out ? in : out;
    memory->base[PRG_INPUT] = in_place && rule != NULL && rule->in_parts ? rank * in : 0;
    memory->base[PRG_OUTPUT] = !in_place ? in : rule != NULL && rule->out_parts ? rank * out : 0;
    memory->base[PRG_SCRATCH] = in_place ? larger : in + out;
    memory->slots = memory->base[PRG_SCRATCH] + memory->chunks[PRG_SCRATCH];
}

/* All data of the collective in chunks, by rank 0's buffers. */
static int32_t all_chunks(const struct prg_program *program, const struct rule *rule)
{
    const int32_t in = program->memory[0].chunks[PRG_INPUT],
                  out = program->memory[0].chunks[PRG_OUTPUT];
    if (rule->in_parts)
        return out > 0 ? out : in * program->ranks;
    if (rule->out_parts)
        return in > 0 ? in : out * program->ranks;
    return in > out ? in : out;
}

int prg_set_collective(struct prg_program *program, const char *name, bool in_place, int32_t root,
                       struct sup_error *error)
{
    const struct rule *rule = rule_named(name);
    int32_t all = 0;
    for (int32_t rank = 0; rank < program->ranks; rank++)
        if (check_size(program, rank, error) != RB_OK)
            return RB_EINVAL;
    if (rule != NULL) {
        all = all_chunks(program, rule);
        const bool exchanges = rule->end == PRG_EXCHANGED;
        if (all < 1 ||
            ((rule->in_parts || rule->out_parts || exchanges) && all % program->ranks != 0))
            return sup_fail(error, RB_EINVAL, "%s of %d ranks can't have %d chunks", name,
                            (int)program->ranks, (int)all);
        for (int32_t rank = 0; rank < program->ranks; rank++)
            if (check_rank(program, rule, rank, all, in_place, error) != RB_OK)
                return RB_EINVAL;
        program->contract = (struct prg_contract){
            .collective = collectives[rule - rules],
            .root = root,
            .reducing = rule->reducing,
            .everywhere_equal = rule->everywhere_equal,
            .data = exchanges ? all * program->ranks : all,
            .start = rule->start,
            .end = rule->end,
        };
    }
    for (int32_t rank = 0; rank < program->ranks; rank++)
        place(program, rule, rank, all, in_place);
    program->chunks = rule == NULL ? 1 : program->contract.data;
    return RB_OK;
}
