/* interchange.c - see interchange.h. The plans that have been read stay until the program ends. */
#define _POSIX_C_SOURCE 200809L /* stat */

#include "interchange/interchange.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "interchange/programs/lower.h"
#include "roundabout.h"
#include "support/csv.h"
#include "support/data_files.h"
#include "support/memory.h"

/* ---- Programs as plans ----------------------------------------------------------------------- */

void inter_program_note(const struct prg_verdict *proof, char *text, size_t size)
{
    static const char *const contents[] = {"contents unknown: the file names no collective that "
                                           "says what they must be",
                                           "contents proved"};
    snprintf(text, size, "%" PRId64 " messages; no race; %s%s", proof->messages,
             contents[proof->contents],
             !proof->contents || !proof->reduces ? ""
             : proof->same_order                 ? "; all ranks combine in the same order"
                                                 : "; ranks combine in different orders");
    if (proof->least_room > 0)
        sup_append(text, size, "; ", "FIFOs need room for %" PRId64 " message%s", proof->least_room,
                   proof->least_room == 1 ? "" : "s");
    if (proof->least_room > 1)
        sup_append(text, size, ", ", "for with less %s", proof->tight);
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

/* ---- The formats ----------------------------------------------------------------------------- */

/* The first that knows the text reads it. */
static const struct inter_reader *const readers[] = {
    &inter_mscclpp_reader, &inter_plan_json, &inter_goal_reader,
    &inter_msccl_reader,   &inter_plan_csv,
};
enum { READERS = sizeof readers / sizeof readers[0] };

int inter_read(struct sup_lines *lines, struct inter_plan *plan)
{
    const char *text = lines->next + strspn(lines->next, " \t\r\n");
    char titles[200] = "";
    for (size_t i = 0; i < READERS; i++) {
        if (readers[i]->knows(text))
            return readers[i]->read(lines, plan);
        sup_append(titles, sizeof titles, ", ", "%s", readers[i]->title);
    }
    return inter_fail(plan, 1, "no plan in a format that is known: %s", titles);
}

/* ---- Files ----------------------------------------------------------------------------------- */

enum { PREFIX = sizeof "file:" - 1 };

/* A file that was read for a collective. */
struct known {
    struct inter_plan plan;
    const struct rb_collective *collective;
    char *path, *name; /* the algorithm's name; both owned */
    uint64_t hash;
    struct known *next;
};

/* They are global because an algorithm that was found is there for all. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *first;

/* A pipe would block, and a device may never end. */
static int read_text(const char *path, struct sup_lines *lines, struct sup_error *error)
{
    struct stat about;
    *lines = (struct sup_lines){0};
    if (path[0] == '\0')
        return sup_fail(error, RB_EINVAL, "file: the name of a file is missing");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return sup_fail(error, RB_EINVAL, "%.300s: not a regular file", path);
    const int status = sup_input("plan", path, error);
    return status == RB_OK ? sup_lines_read(lines, path, error) : status;
}

/* The collective that was asked for, or the file's. What does not say what ranks must have at the
 * end is of none. */
static int find_collective(struct known *known)
{
    struct inter_plan *plan = &known->plan;
    const bool unknown = plan->program != NULL && plan->header.collective[0] == '\0';
    if (known->collective == NULL)
        known->collective = unknown ? &rb_none : rb_collective_named(plan->header.collective);
    if (known->collective == NULL)
        return inter_fail(plan, 1, "it names no collective that there is");
    if (unknown == (known->collective == &rb_none) || plan->wrong != NULL)
        return RB_OK;
    return unknown ? inter_fail(plan, 1,
                                "it does not say what ranks must have at the end, so it can't be "
                                "taken for %s: its collective is none",
                                known->collective->info.name)
                   : inter_fail(plan, 1, "it has contents, so its collective can't be none");
}

static int read_plan(struct known *known, struct sup_error *error)
{
    struct sup_lines lines;
    int status = read_text(known->path, &lines, error);
    inter_plan_init(&known->plan, known->path, status == RB_OK ? strlen(lines.text) : 0, error);
    if (status == RB_OK) {
        known->hash = sup_hash_bytes(SUP_HASH_START, lines.text, strlen(lines.text));
        known->name = sup_format("file:%s#%016" PRIx64, known->path, known->hash);
        status = inter_read(&lines, &known->plan);
    }
    free(lines.text);
    if (status == RB_OK)
        status = find_collective(known);
    if (status == RB_OK)
        status = inter_plan_finish(&known->plan, known->collective, known->name);
    sup_had_memory(status != RB_ENOMEM); /* who tries a name must not take it for a wrong one */
    return status;
}

static void forget(struct known *known)
{
    inter_plan_free(&known->plan);
    free(known->path);
    free(known->name);
    free(known);
}

static struct known *read_file(const struct rb_collective *collective, const char *path,
                               struct sup_error *error)
{
    struct known *known = sup_calloc(1, sizeof *known);
    known->collective = collective;
    known->path = sup_strdup(path);
    if (read_plan(known, error) == RB_OK)
        return known;
    forget(known);
    return NULL;
}

/* With the lock. */
static const struct known *find(const struct rb_collective *collective, const char *path,
                                struct sup_error *error)
{
    for (const struct known *known = first; known != NULL; known = known->next)
        if (strcmp(known->path, path) == 0 &&
            (collective == NULL
                 ? known->plan.header.collective[0] != '\0' || known->collective == &rb_none
                 : known->collective == collective))
            return known;
    struct known *known = read_file(collective, path, error);
    if (known != NULL) {
        known->next = first;
        first = known;
    }
    return known;
}

static const struct rb_algorithm *resolve(const char *collective, const char *name, char *why,
                                          size_t why_size)
{
    struct sup_error error;
    uint64_t hash;
    size_t length = strlen(name + PREFIX);
    const bool hashed = sup_hash_take(name + PREFIX, &length, &hash);
    char *path = sup_strndup(name + PREFIX, length);
    const struct rb_collective *by = collective == NULL ? NULL : rb_collective_named(collective);
    pthread_mutex_lock(&lock);
    const struct known *known = find(by, path, &error);
    pthread_mutex_unlock(&lock);
    free(path);
    if (known != NULL &&
        (!hashed || sup_check_hash(known->path, hash, known->hash, &error) == RB_OK))
        return &known->plan.algorithm;
    rb_why(why, why_size, RB_EINVAL, "%s", error.text);
    return NULL;
}

void inter_start(void)
{
    rb_resolve_by(resolve);
}
