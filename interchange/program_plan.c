/* program_plan.c - see program_plan.h. */
#include "interchange/program_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "interchange/programs/lower.h"
#include "support/memory.h"

void inter_program_note(const struct prg_verdict *proof, char *text, size_t size)
{
    static const char *const contents[] = {"contents unknown: the file names no collective that "
                                           "says what they must be",
                                           "contents proved"};
    int length = snprintf(text, size, "%" PRId64 " messages; no race; %s%s", proof->messages,
                          contents[proof->contents],
                          !proof->contents || !proof->reduces ? ""
                          : proof->same_order ? "; all ranks combine in the same order"
                                              : "; ranks combine in different orders");
    if (proof->least_room > 0 && length > 0 && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length,
                           "; FIFOs need room for %" PRId64 " message%s", proof->least_room,
                           proof->least_room == 1 ? "" : "s");
    if (proof->least_room > 1 && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", for with less %s", proof->tight);
}

static int take_op(void *context, int64_t round, int32_t rank, const struct rb_op *op, int32_t line)
{
    return inter_add(context, line, round, rank, op);
}

/* The blocks of an owner by the collective's names: chunks, by owner and part. */
static int64_t blocks_of(const struct prg_program *program)
{
    const struct rb_collective_info *info = program->contract.collective == NULL
                                                ? NULL
                                                : rb_collective_find(program->contract.collective);
    int64_t n = program->chunks;
    if (info != NULL && info->distributed)
        n /= program->ranks;
    if (info != NULL && info->personalized)
        n /= program->ranks;
    return n < 1 ? 1 : n;
}

static void fill_header(struct inter_plan *plan, const struct prg_program *program)
{
    const struct prg_contract *contract = &program->contract;
    const struct rb_collective_info *info =
        contract->collective == NULL ? NULL : rb_collective_find(contract->collective);
    plan->header.p = program->ranks;
    plan->header.n = blocks_of(program);
    plan->header.root = info != NULL && info->rooted ? contract->root : 0;
    if (contract->collective != NULL)
        snprintf(plan->header.collective, sizeof plan->header.collective, "%s",
                 contract->collective);
}

/* "FILE: what", as a plan that can't be made says. */
static void refute(struct inter_plan *plan, const char *what)
{
    plan->wrong = sup_format("%s: %s", plan->path, what);
    plan->header.rounds = 0;
}

static int lower(struct inter_plan *plan, const struct prg_program *program, int64_t slots)
{
    const struct prg_verdict *proof = &plan->program->verdict;
    struct prg_lowered lowered;
    char why[520];
    if (proof->fault != PRG_RIGHT)
        return refute(plan, proof->what), RB_OK;
    if (slots > 0 && proof->least_room > slots) {
        snprintf(why, sizeof why,
                 "deadlock: FIFOs have %" PRId64 " slots, and it needs %" PRId64 ": with less %s",
                 slots, proof->least_room, proof->tight);
        return refute(plan, why), RB_OK;
    }
    const int status = prg_lower(program, proof->least_room, take_op, plan, &lowered, plan->error);
    plan->program->blocks = lowered.blocks > 0 ? lowered.blocks : 1; /* as any plan has */
    plan->program->bytes = lowered.bytes;
    plan->header.rounds = lowered.rounds;
    plan->header.ports = lowered.ports;
    return status;
}

/* The memory of the proof and of engines: of each rank, each chunk there, and each that a step
 * moves. The largest number is to blame. */
static int check_need(const struct inter_plan *plan, const struct prg_program *program)
{
    static const char *const names[PRG_BUFFERS] = {"chunks of input", "chunks of output",
                                                   "chunks of scratch"};
    enum { CHUNK_BYTES = 32 };
    double need = (double)program->ranks * INTER_RANK_BYTES;
    int32_t number = program->ranks, line = 1;
    const char *what = "ranks";
    for (int32_t rank = 0; rank < program->ranks; rank++) {
        const struct prg_memory *memory = &program->memory[rank];
        need += (double)memory->slots * CHUNK_BYTES;
        for (int buffer = 0; buffer < PRG_BUFFERS; buffer++)
            if (memory->chunks[buffer] > number) {
                number = memory->chunks[buffer];
                line = memory->line > 0 ? memory->line : 1;
                what = names[buffer];
            }
    }
    for (int64_t i = 0; i < program->steps; i++) {
        const struct prg_step *step = &program->step[i];
        need += (double)step->count * CHUNK_BYTES;
        if (step->count > number) {
            number = step->count;
            line = step->line > 0 ? step->line : 1;
            what = "chunks of a step";
        }
    }
    if (inter_may_need(plan->size, need))
        return RB_OK;
    return inter_fail(plan, line,
                      "%" PRId32 " %s: the steps of a file of %zu bytes can't be for so many",
                      number, what, plan->size);
}

int inter_finish_program(struct prg_program *program, const char *path, struct sup_error *error)
{
    struct sup_error why;
    const int status = prg_finish(program, &why);
    return status == RB_OK ? status : sup_fail(error, status, "%.180s: %s", path, why.text);
}

int inter_take_program(struct inter_plan *plan, struct sup_lines *lines,
                       struct prg_program *program, int64_t slots)
{
    free(lines->text);
    *lines = (struct sup_lines){.path = lines->path};
    plan->program = sup_calloc(1, sizeof *plan->program);
    if (check_need(plan, program) != RB_OK)
        return prg_free(program), RB_EINVAL;
    plan->program->chunks = program->chunks;
    plan->program->blocks = 1;
    fill_header(plan, program);
    int status = prg_prove(program, &plan->program->verdict);
    if (status == RB_OK)
        status = lower(plan, program, slots);
    else
        sup_fail(plan->error, status, "%.300s: out of memory", plan->path);
    prg_free(program);
    return status;
}
