/* contract.c - what a collective asks of buffers of chunks. */
#include <string.h>

#include "program.h"
#include "roundabout.h"

/* In which buffer a slot is read as one of `buffer`: its number there, or PRG_NONE. */
static int32_t number_in(const struct prg_program *program, int32_t rank, enum prg_buffer buffer,
                         int32_t slot)
{
    const struct prg_memory *memory = &program->memory[rank];
    const int32_t number = slot - memory->base[buffer];
    return number >= 0 && number < memory->chunks[buffer] ? number : PRG_NONE;
}

/* The datum of chunk i of a rank's input or output: whole data are numbered through, parts go by
 * rank. */
static int32_t whole(const struct prg_program *program, int32_t rank, enum prg_buffer buffer,
                     int32_t slot)
{
    return number_in(program, rank, buffer, slot);
}
static int32_t own_part(const struct prg_program *program, int32_t rank, enum prg_buffer buffer,
                        int32_t slot)
{
    const int32_t i = number_in(program, rank, buffer, slot);
    return i == PRG_NONE ? PRG_NONE : rank * program->memory[rank].chunks[buffer] + i;
}

static int32_t start_whole(const struct prg_program *program, int32_t rank, int32_t slot)
{
    return whole(program, rank, PRG_INPUT, slot);
}
static int32_t start_part(const struct prg_program *program, int32_t rank, int32_t slot)
{
    return own_part(program, rank, PRG_INPUT, slot);
}
static int32_t start_root(const struct prg_program *program, int32_t rank, int32_t slot)
{
    return rank == program->contract.root ? whole(program, rank, PRG_INPUT, slot) : PRG_NONE;
}
static int32_t end_whole(const struct prg_program *program, int32_t rank, int32_t slot)
{
    return whole(program, rank, PRG_OUTPUT, slot);
}
static int32_t end_part(const struct prg_program *program, int32_t rank, int32_t slot)
{
    return own_part(program, rank, PRG_OUTPUT, slot);
}
static int32_t end_root(const struct prg_program *program, int32_t rank, int32_t slot)
{
    return rank == program->contract.root ? whole(program, rank, PRG_OUTPUT, slot) : PRG_NONE;
}
/* Chunk i of what comes from rank s is chunk i of what s has for this rank. */
static int32_t end_exchanged(const struct prg_program *program, int32_t rank, int32_t slot)
{
    const int32_t i = number_in(program, rank, PRG_OUTPUT, slot);
    const int32_t all = program->memory[rank].chunks[PRG_OUTPUT], each = all / program->ranks;
    return i == PRG_NONE ? PRG_NONE : i / each * all + rank * each + i % each;
}

/* A rank's input and output are `in` and `out` times the smallest share: a chunk count C or, where
 * it is 0, p times C. */
struct rule {
    const char *name, *other;
    bool in_parts, out_parts; /* a rank has a p-th of the data there */
    bool in_place_input;      /* in place the smaller buffer is the input, in the output */
    bool reducing, everywhere_equal;
    int32_t (*start)(const struct prg_program *program, int32_t rank, int32_t slot);
    int32_t (*end)(const struct prg_program *program, int32_t rank, int32_t slot);
};
static const struct rule rules[] = {
    {"allreduce", "all_reduce", false, false, false, true, true, start_whole, end_whole},
    {"allgather", "all_gather", true, false, true, false, true, start_part, end_whole},
    {"reduce_scatter", "reducescatter", false, true, false, true, false, start_whole, end_part},
    {"broadcast", "bcast", false, false, false, false, true, start_root, end_whole},
    {"reduce", "reduce", false, false, false, true, false, start_whole, end_root},
    {"alltoall", "all_to_all", false, false, false, false, false, start_part, end_exchanged},
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
        const bool exchanges = rule->end == end_exchanged;
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
