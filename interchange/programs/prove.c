/* prove.c - one check after another, until one finds a fault. */
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

/* ---- What is in each slot after each step, symbolically -------------------------------------- */

/* Values are numbered: equal numbers mean the same operands, combined in the same order.
 *
 * Without reductions a value is its datum. In reductions a value is a datum with the ranks whose
 * contributions it has; two values are combined once, and the pair is looked up from then on.
 * Order means which operands are combined with which, not which of two is the left one, because
 * additions of floating-point numbers commute to the bit. */

struct pair { /* a < b */
    int32_t a, b, result;
};

struct values {
    int32_t count, room;
    size_t words;
    int32_t *datum;
    uint64_t *ranks;    /* words per value: bit r is rank r's contribution */
    struct pair *table; /* of a power of two of places, result 0: free; value 0 is no result */
    int64_t places, pairs;
};

struct contents {
    const struct prg_program *program;
    const int32_t *thread_of;
    struct prg_verdict *verdict;
    int64_t *base;     /* per rank: its first slot among all */
    int32_t *slot;     /* values, or PRG_NONE */
    int32_t **message; /* per step that has put one which nobody has taken: its values; owned */
    struct values values;
};

/* ---- Values ---------------------------------------------------------------------------------- */

static bool grow_values(struct values *values)
{
    const int32_t room = values->room == 0 ? 1024 : values->room + values->room / 2;
    int32_t *datum = realloc(values->datum, (size_t)room * sizeof *datum);
    if (datum != NULL)
        values->datum = datum;
    uint64_t *ranks = realloc(values->ranks, (size_t)room * values->words * sizeof *ranks);
    if (ranks != NULL)
        values->ranks = ranks;
    if (datum != NULL && ranks != NULL)
        values->room = room;
    return datum != NULL && ranks != NULL;
}

/* A new value without contributions, or PRG_NONE. */
static int32_t add_value(struct values *values, int32_t datum)
{
    if (values->count == INT32_MAX / 2 || (values->count == values->room && !grow_values(values)))
        return PRG_NONE;
    values->datum[values->count] = datum;
    memset(values->ranks + (size_t)values->count * values->words, 0,
           values->words * sizeof *values->ranks);
    return values->count++;
}

static struct pair *place_of(const struct values *values, int32_t a, int32_t b)
{
    const uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    for (;; at++) {
        struct pair *place = &values->table[at & (uint64_t)(values->places - 1)];
        if (place->result == 0 || (place->a == a && place->b == b))
            return place;
    }
}

static bool grow_table(struct values *values)
{
    const struct values old = *values;
    values->places = old.places == 0 ? 1024 : 2 * old.places;
    values->table = calloc((size_t)values->places, sizeof *values->table);
    if (values->table == NULL) {
        *values = old;
        return false;
    }
    for (int64_t i = 0; i < old.places; i++)
        if (old.table[i].result != 0)
            *place_of(values, old.table[i].a, old.table[i].b) = old.table[i];
    free(old.table);
    return true;
}

/* A rank whose contribution both values have, or PRG_NONE. */
static int32_t in_both(const struct values *values, int32_t a, int32_t b)
{
    const uint64_t *x = values->ranks + (size_t)a * values->words,
                   *y = values->ranks + (size_t)b * values->words;
    for (size_t w = 0; w < values->words; w++)
        if ((x[w] & y[w]) != 0)
            return (int32_t)(64 * w) + __builtin_ctzll(x[w] & y[w]);
    return PRG_NONE;
}

/* Both combined, or PRG_NONE. */
static int32_t combined(struct values *values, int32_t a, int32_t b)
{
    if (2 * values->pairs >= values->places && !grow_table(values))
        return PRG_NONE;
    struct pair *place = a < b ? place_of(values, a, b) : place_of(values, b, a);
    if (place->result != 0)
        return place->result;
    const int32_t made = add_value(values, values->datum[a]);
    if (made == PRG_NONE)
        return PRG_NONE;
    for (size_t w = 0; w < values->words; w++)
        values->ranks[(size_t)made * values->words + w] =
            values->ranks[(size_t)a * values->words + w] |
            values->ranks[(size_t)b * values->words + w];
    *place = (struct pair){.a = a < b ? a : b, .b = a < b ? b : a, .result = made};
    values->pairs++;
    return made;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

#define wrong(contents, kind, ...)                                                                 \
    ((contents)->verdict->fault = (kind),                                                          \
     (void)snprintf((contents)->verdict->what, sizeof(contents)->verdict->what, __VA_ARGS__),      \
     RB_EWRONG)

static int32_t *slot_at(const struct contents *contents, int32_t rank, int32_t slot)
{
    return &contents->slot[contents->base[rank] + slot];
}

/* What is in the i-th slot of a range. */
static int read_slot(struct contents *contents, int64_t s, int32_t rank, int32_t slot,
                     int32_t *value)
{
    *value = *slot_at(contents, rank, slot);
    return *value != PRG_NONE
               ? RB_OK
               : wrong(contents, PRG_UNSET, "%s reads %s, where nothing has been written",
                       prg_step_name(contents->program, contents->thread_of, s).text,
                       prg_slot_name(contents->program, rank, slot).text);
}

static int combine(struct contents *contents, int64_t s, int32_t a, int32_t b, int32_t *value)
{
    struct values *values = &contents->values;
    const struct prg_contract *contract = &contents->program->contract;
    const struct prg_name name = prg_step_name(contents->program, contents->thread_of, s);
    if (!contract->reducing)
        return wrong(contents, PRG_CONTENTS, "%s combines, but %s has no reductions", name.text,
                     contract->collective);
    if (values->datum[a] != values->datum[b])
        return wrong(contents, PRG_CONTENTS, "%s combines chunk %d with chunk %d", name.text,
                     (int)values->datum[a], (int)values->datum[b]);
    const int32_t twice = in_both(values, a, b);
    if (twice != PRG_NONE)
        return wrong(contents, PRG_CONTENTS,
                     "%s combines into chunk %d the contribution of rank %d twice", name.text,
                     (int)values->datum[a], (int)twice);
    *value = combined(values, a, b);
    return *value == PRG_NONE ? RB_ENOMEM : RB_OK;
}

/* The step's i-th value. */
static int value_of(struct contents *contents, int64_t s, const int32_t *came, int32_t i,
                    int32_t *value)
{
    const struct prg_step *step = &contents->program->step[s];
    int32_t other;
    if (step->from == PRG_NONE)
        return *value = came[i], RB_OK;
    int status = read_slot(contents, s, step->from_rank, step->from + i, value);
    if (status != RB_OK || (came == NULL && !step->combines))
        return status;
    if (came != NULL)
        other = came[i];
    else
        status = read_slot(contents, s, step->at_rank, step->at + i, &other);
    return status == RB_OK ? combine(contents, s, *value, other, value) : status;
}

/* All values are computed before any is written, since ranges may overlap. */
static int do_step(struct contents *contents, int64_t s, const int32_t *came)
{
    const struct prg_program *program = contents->program;
    const struct prg_step *step = &program->step[s];
    const bool puts = step->out != PRG_NONE && !program->fifo[step->out].signal;
    if (step->count == 0 || (step->from == PRG_NONE && came == NULL))
        return RB_OK;
    int32_t *value = malloc((size_t)step->count * sizeof *value);
    int status = value == NULL ? RB_ENOMEM : RB_OK;
    for (int32_t i = 0; status == RB_OK && i < step->count; i++)
        status = value_of(contents, s, came, i, &value[i]);
    if (status == RB_OK && step->at != PRG_NONE)
        memcpy(slot_at(contents, step->at_rank, step->at), value,
               (size_t)step->count * sizeof *value);
    if (status == RB_OK && puts)
        contents->message[s] = value;
    else
        free(value);
    return status;
}

static int follow(struct contents *contents, const struct prg_trace *trace)
{
    int status = RB_OK;
    for (int64_t k = 0; status == RB_OK && k < contents->program->steps; k++) {
        const int64_t s = trace->order[k];
        const int32_t sender = trace->match[s];
        int32_t *came = NULL;
        if (sender != PRG_NONE) {
            came = contents->message[sender];
            contents->message[sender] = NULL;
        }
        status = do_step(contents, s, came);
        free(came);
    }
    return status;
}

/* ---- Start and end --------------------------------------------------------------------------- */

static int set_start(struct contents *contents)
{
    const struct prg_program *program = contents->program;
    const struct prg_contract *contract = &program->contract;
    for (int32_t rank = 0; rank < program->ranks; rank++)
        for (int32_t i = 0; i < program->memory[rank].slots; i++) {
            const int32_t datum = prg_datum(program, contract->start, rank, PRG_INPUT, i);
            int32_t *slot = slot_at(contents, rank, i);
            *slot = datum;
            if (datum == PRG_NONE || !contract->reducing)
                continue;
            *slot = add_value(&contents->values, datum);
            if (*slot == PRG_NONE)
                return RB_ENOMEM;
            contents->values.ranks[(size_t)*slot * contents->values.words + (size_t)rank / 64] =
                UINT64_C(1) << rank % 64;
        }
    return RB_OK;
}

/* The lowest rank whose contribution the value lacks, or PRG_NONE. */
static int32_t missing(const struct values *values, int32_t value, int32_t ranks)
{
    for (int32_t r = 0; r < ranks; r++)
        if ((values->ranks[(size_t)value * values->words + (size_t)r / 64] >> r % 64 & 1) == 0)
            return r;
    return PRG_NONE;
}

static int check_slot(struct contents *contents, int32_t rank, int32_t i, int32_t wanted)
{
    const struct prg_program *program = contents->program;
    const int32_t value = *slot_at(contents, rank, i);
    const struct prg_name name = prg_slot_name(program, rank, i);
    if (value == PRG_NONE)
        return wrong(contents, PRG_CONTENTS, "at the end %s has nothing where chunk %d belongs",
                     name.text, (int)wanted);
    const bool reducing = program->contract.reducing;
    const int32_t datum = reducing ? contents->values.datum[value] : value;
    if (datum != wanted)
        return wrong(contents, PRG_CONTENTS, "at the end %s has chunk %d where chunk %d belongs",
                     name.text, (int)datum, (int)wanted);
    const int32_t rank_missing =
        reducing ? missing(&contents->values, value, program->ranks) : PRG_NONE;
    return rank_missing == PRG_NONE
               ? RB_OK
               : wrong(contents, PRG_CONTENTS, "at the end %s lacks the contribution of rank %d",
                       name.text, (int)rank_missing);
}

/* `first` is room for a value per datum: the one that was found first at the end. */
static int check_end(struct contents *contents, int32_t first[])
{
    const struct prg_program *program = contents->program;
    int status = RB_OK;
    memset(first, -1, (size_t)program->contract.data * sizeof *first);
    for (int32_t rank = 0; rank < program->ranks; rank++)
        for (int32_t i = 0; status == RB_OK && i < program->memory[rank].slots; i++) {
            const int32_t wanted = prg_datum(program, program->contract.end, rank, PRG_OUTPUT, i);
            if (wanted == PRG_NONE)
                continue;
            status = check_slot(contents, rank, i, wanted);
            const int32_t value = *slot_at(contents, rank, i);
            if (first[wanted] == PRG_NONE)
                first[wanted] = value;
            else if (first[wanted] != value)
                contents->verdict->same_order = false;
        }
    return status;
}

static int64_t count_slots(struct contents *contents)
{
    int64_t slots = 0;
    for (int32_t rank = 0; rank < contents->program->ranks; rank++) {
        contents->base[rank] = slots;
        slots += contents->program->memory[rank].slots;
    }
    return slots;
}

static int check(struct contents *contents, const struct prg_trace *trace)
{
    const struct prg_program *program = contents->program;
    contents->base = malloc((size_t)program->ranks * sizeof *contents->base);
    contents->message = calloc((size_t)program->steps + 1, sizeof *contents->message);
    if (contents->base == NULL || contents->message == NULL)
        return RB_ENOMEM;
    contents->slot = malloc(((size_t)count_slots(contents) + 1) * sizeof *contents->slot);
    int32_t *first = malloc(((size_t)program->contract.data + 1) * sizeof *first);
    int status = contents->slot == NULL || first == NULL ? RB_ENOMEM : RB_OK;
    if (status == RB_OK && program->contract.reducing &&
        add_value(&contents->values, PRG_NONE) == PRG_NONE) /* number 0 is no result */
        status = RB_ENOMEM;
    if (status == RB_OK)
        status = set_start(contents);
    if (status == RB_OK)
        status = follow(contents, trace);
    if (status == RB_OK)
        status = check_end(contents, first);
    free(first);
    return status;
}

/* Follows the data in the order of the trace and checks them against the contract, which must be
 * known. Sets fault, what, contents and same_order of the verdict. RB_OK, also for wrong contents;
 * RB_ENOMEM. */
static int check_contents(const struct prg_program *program, const int32_t thread_of[],
                          const struct prg_trace *trace, struct prg_verdict *verdict)
{
    struct contents contents = {.program = program,
                                .thread_of = thread_of,
                                .verdict = verdict,
                                .values.words = ((size_t)program->ranks + 63) / 64};
    verdict->same_order = true;
    const int status = check(&contents, trace);
    verdict->contents = status == RB_OK;
    for (int64_t s = 0; contents.message != NULL && s < program->steps; s++)
        free(contents.message[s]);
    free(contents.message);
    free(contents.base);
    free(contents.slot);
    free(contents.values.datum);
    free(contents.values.ranks);
    free(contents.values.table);
    return status == RB_EWRONG ? RB_OK : status;
}

/* ---- All checks ------------------------------------------------------------------------------ */

/* Compares how many messages are put into each FIFO and taken from it. left_over: signals that are
 * not taken, or "". They harm no run but the next one, so other faults are said first. A rank's own
 * semaphores may keep a value. */
static int count_messages(const struct prg_program *program, struct prg_verdict *verdict,
                          char left_over[sizeof verdict->what])
{
    int64_t *surplus = calloc((size_t)program->fifos + 1, sizeof *surplus);
    int64_t *put = calloc((size_t)program->fifos + 1, sizeof *put);
    const int status = surplus == NULL || put == NULL ? RB_ENOMEM : RB_OK;
    for (int64_t s = 0; status == RB_OK && s < program->steps; s++) {
        const struct prg_step *step = &program->step[s];
        const bool one_sided = step->from_rank != step->at_rank; /* a put or get */
        verdict->messages += one_sided;
        verdict->chunks += one_sided ? step->count : 0;
        if (step->in != PRG_NONE)
            surplus[step->in]--;
        if (step->out != PRG_NONE) {
            const bool message = !program->fifo[step->out].signal;
            surplus[step->out]++;
            put[step->out]++;
            verdict->messages += message;
            verdict->chunks += message ? step->count : 0;
        }
    }
    for (int32_t i = 0; status == RB_OK && i < program->fifos && verdict->fault == PRG_RIGHT; i++) {
        const struct prg_fifo *fifo = &program->fifo[i];
        const bool harmless = surplus[i] > 0 && fifo->signal;
        if (surplus[i] == 0 || (harmless && (fifo->from == fifo->to || left_over[0] != '\0')))
            continue;
        verdict->fault = harmless ? PRG_RIGHT : PRG_UNMATCHED;
        snprintf(harmless ? left_over : verdict->what, sizeof verdict->what,
                 "rank %d sends %lld %s to rank %d on channel %d, which takes %lld",
                 (int)fifo->from, (long long)put[i], fifo->signal ? "signals" : "messages",
                 (int)fifo->to, (int)fifo->channel, (long long)(put[i] - surplus[i]));
    }
    free(surplus);
    free(put);
    return status;
}

static int64_t length_of(const struct prg_program *program, int64_t s)
{
    return program->bytes != NULL ? program->bytes[s] : program->step[s].count;
}

static void compare_lengths(const struct prg_program *program, const int32_t thread_of[],
                            const struct prg_trace *trace, struct prg_verdict *verdict)
{
    for (int64_t s = 0; s < program->steps && verdict->fault == PRG_RIGHT; s++) {
        const int32_t sender = trace->match[s];
        if (sender == PRG_NONE || program->fifo[program->step[s].in].signal ||
            length_of(program, s) == length_of(program, sender))
            continue;
        verdict->fault = PRG_UNMATCHED;
        snprintf(verdict->what, sizeof verdict->what, "%s takes %lld %s, but %s sends %lld",
                 prg_step_name(program, thread_of, s).text, (long long)length_of(program, s),
                 program->bytes != NULL ? "bytes" : "chunks",
                 prg_step_name(program, thread_of, sender).text,
                 (long long)length_of(program, sender));
    }
}

/* The least room of the FIFOs with which the program ends; with `most` it does. */
static int find_least_room(const struct prg_program *program, const int32_t thread_of[],
                           int64_t most, struct prg_verdict *verdict)
{
    int64_t low = 0, high = most; /* low does not suffice, high does */
    int status = RB_OK;
    for (int64_t room = 1; low + 1 < high && status == RB_OK;) {
        status = prg_trace(program, thread_of, room, NULL, verdict->tight, sizeof verdict->tight);
        if (status == RB_OK)
            high = room;
        else if (status == RB_EWRONG)
            low = room, status = RB_OK;
        /* Where one does not suffice, two mostly do. */
        room = 2 * room < high && high == most ? 2 * room : low + (high - low) / 2;
    }
    verdict->least_room = high;
    if (status != RB_OK || high < 2)
        return verdict->tight[0] = '\0', status;
    status = prg_trace(program, thread_of, high - 1, NULL, verdict->tight, sizeof verdict->tight);
    return status == RB_EWRONG ? RB_OK : status;
}

static int prove_traced(const struct prg_program *program, const int32_t thread_of[],
                        const struct prg_trace *trace, struct prg_verdict *verdict)
{
    compare_lengths(program, thread_of, trace, verdict);
    if (verdict->fault != PRG_RIGHT)
        return RB_OK;
    int status = find_least_room(program, thread_of, trace->fullest, verdict);
    if (status == RB_OK)
        status = prg_check_races(program, thread_of, trace, verdict);
    if (status == RB_OK && verdict->fault == PRG_RIGHT && program->contract.collective != NULL)
        status = check_contents(program, thread_of, trace, verdict);
    return status;
}

int prg_prove(const struct prg_program *program, struct prg_verdict *verdict)
{
    *verdict = (struct prg_verdict){.fault = PRG_RIGHT, .reduces = program->contract.reducing};
    int32_t *thread_of = prg_threads_of(program);
    struct prg_trace trace = {0};
    char left_over[sizeof verdict->what] = "";
    int status = thread_of == NULL ? RB_ENOMEM : count_messages(program, verdict, left_over);
    if (status == RB_OK && verdict->fault == PRG_RIGHT) {
        status =
            prg_trace(program, thread_of, INT64_MAX, &trace, verdict->what, sizeof verdict->what);
        if (status == RB_EWRONG) {
            verdict->fault = PRG_DEADLOCK;
            status = RB_OK;
        }
    }
    if (status == RB_OK && verdict->fault == PRG_RIGHT)
        status = prove_traced(program, thread_of, &trace, verdict);
    if (status == RB_OK && verdict->fault == PRG_RIGHT && left_over[0] != '\0') {
        verdict->fault = PRG_UNMATCHED;
        snprintf(verdict->what, sizeof verdict->what, "%s", left_over);
    }
    prg_trace_free(&trace);
    free(thread_of);
    return status;
}
