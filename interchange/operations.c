/* operations.c - see operations.h.
 *
 * Operations come in any order. Those that follow one another and are of one rank and round are a
 * run; the runs are sorted, and the operations copied in their order: first the sends of a rank's
 * round, then the others as they came. Rows of one message that continue a range become one
 * operation then. A rank's round is found by its place: most ranks have something to do in each
 * round, so that the place is often as far from the rank's first as the round is from its first;
 * otherwise it is found by bisection, before that. */
#include "interchange/interchange.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

/* ---- Adding ---------------------------------------------------------------------------------- */

void inter_plan_init(struct inter_plan *plan, const char *path, size_t size,
                     struct sup_error *error)
{
    static const struct inter_largest none = {.value = -1};
    *plan = (struct inter_plan){.path = path,
                                .size = size,
                                .error = error,
                                .header = {.root = -1, .rounds = -1},
                                .last_rank = none,
                                .last_round = none,
                                .last_owner = none,
                                .last_index = none,
                                .last_port = none};
}

void inter_plan_free(struct inter_plan *plan)
{
    free(plan->op);
    free(plan->place);
    free(plan->wrong);
    if (plan->program != NULL)
        free(plan->program->bytes);
    free(plan->program);
    *plan = (struct inter_plan){0};
}

int inter_fail(const struct inter_plan *plan, int32_t line, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return sup_fail(plan->error, RB_EINVAL, "%.180s:%" PRId32 ": %s", plan->path, line, what);
}

struct bounded {
    const char *name;
    int64_t value, most;
};

static int check_bounds(const struct inter_plan *plan, int32_t line, const struct bounded values[],
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i].value < 0 || values[i].value > values[i].most)
            return inter_fail(plan, line, "%s: %" PRId64 " is not in 0..%" PRId64, values[i].name,
                              values[i].value, values[i].most);
    return RB_OK;
}

static bool is_local(enum rb_op_kind kind)
{
    return kind == RB_COPY || kind == RB_REDUCE;
}

static int32_t larger(int32_t a, int64_t b)
{
    return b > a ? (int32_t)b : a;
}

static void note(struct inter_largest *largest, const char *column, int64_t value, int32_t line)
{
    if (value > largest->value)
        *largest = (struct inter_largest){(int32_t)value, line, column};
}

static void note_op(struct inter_plan *plan, int32_t line, int32_t round, int32_t rank,
                    const struct rb_op *op)
{
    note(&plan->last_round, "round", round, line);
    note(&plan->last_rank, "rank", rank, line);
    note(&plan->last_rank, "peer", op->peer, line);
    note(&plan->last_index, "index", op->at.first + op->at.count - 1, line);
    note(&plan->last_port, "port", op->port, line);
    note(&plan->last_owner, "owner", op->at.owner, line);
    plan->buffers |= 1u << op->at.buffer;
    if (!is_local(op->kind))
        return;
    note(&plan->last_index, "from_index", op->from.first + op->from.count - 1, line);
    note(&plan->last_owner, "from_owner", op->from.owner, line);
    plan->buffers |= 1u << op->from.buffer;
}

/* A run that goes on, or a new one. Until the operations are in order, a run is a place. */
static void add_to_run(struct inter_plan *plan, int32_t round, int32_t rank)
{
    struct inter_place *last = plan->places == 0 ? NULL : &plan->place[plan->places - 1];
    if (last == NULL || last->rank != rank || last->round != round) {
        sup_grow(&plan->place, plan->places, sizeof *plan->place);
        last = &plan->place[plan->places++];
        *last = (struct inter_place){rank, round, plan->ops, plan->ops};
    }
    last->end++;
}

int inter_add(struct inter_plan *plan, int32_t line, int64_t round, int64_t rank,
              const struct rb_op *op)
{
    const struct inter_header *header = &plan->header;
    const bool local = is_local(op->kind);
    const int64_t last_rank = (header->p > 0 ? header->p : RB_MAX_RANKS) - 1;
    const int64_t blocks = header->blocks > 0 ? header->blocks : INTER_MAX_BLOCKS;
    const int64_t last_slot = RB_MAX_RANKS - 1; /* there may be more slots than ranks */
    const struct bounded values[] = {
        {"round", round, header->rounds >= 0 ? header->rounds - 1 : INT32_MAX - 1},
        {"rank", rank, last_rank},
        {"peer", op->peer, last_rank},
        {"port", op->port, (header->ports > 0 ? header->ports : RB_MAX_PORTS) - 1},
        {"owner", op->at.owner, op->at.buffer == RB_TMP ? last_slot : last_rank},
        {"index", op->at.first, blocks - op->at.count},
        {"from_owner", op->from.owner, op->from.buffer == RB_TMP ? last_slot : last_rank},
        {"from_index", op->from.first, blocks - op->from.count},
    };
    const size_t count = sizeof values / sizeof values[0];
    const int status = check_bounds(plan, line, values, local ? count : count - 2);
    if (status != RB_OK)
        return status;
    note_op(plan, line, (int32_t)round, (int32_t)rank, op);
    add_to_run(plan, (int32_t)round, (int32_t)rank);
    sup_grow(&plan->op, plan->ops, sizeof *plan->op);
    plan->op[plan->ops++] = (struct inter_op){
        .peer = op->peer,
        .owner = op->at.owner,
        .first = (int32_t)op->at.first,
        .count = (int32_t)op->at.count,
        .from_owner = local ? op->from.owner : 0,
        .from_first = local ? (int32_t)op->from.first : 0,
        .port = (uint16_t)op->port,
        .kind = (uint8_t)(op->kind & 15),
        .incoming_is_left = op->incoming_is_left,
        .buffer = (uint8_t)(op->at.buffer & 15),
        .from_buffer = (uint8_t)(local ? op->from.buffer & 15 : 0),
        .line = line,
    };
    return RB_OK;
}

/* ---- What is not said ------------------------------------------------------------------------ */

static int check_collective(const struct inter_plan *plan, const struct rb_collective *collective)
{
    const char *said = plan->header.collective;
    if (said[0] == '\0' || strcmp(said, collective->info.name) == 0)
        return RB_OK;
    return inter_fail(plan, 1, "the plan is for %s, not for %s", said, collective->info.name);
}

/* The owner of the first data that are sent, received or written; TMP may have slots instead. */
static int32_t named_owner(const struct inter_plan *plan)
{
    for (size_t i = 0; i < plan->ops; i++)
        if (plan->op[i].buffer != RB_TMP)
            return plan->op[i].owner;
    return 0;
}

/* Where every rank owns data: only the root can send before it has received anything, and where it
 * collects the data, what comes last can only be for it. -1: there are no messages. */
static int32_t root_of_messages(const struct inter_plan *plan, bool collects)
{
    const struct inter_place *found = NULL;
    for (size_t i = 0; i < plan->places; i++) {
        const struct inter_place *place = &plan->place[i];
        bool is_end = false;
        for (size_t k = place->first; k < place->end && !is_end; k++)
            is_end = !is_local(plan->op[k].kind) && (plan->op[k].kind == RB_SEND) != collects;
        if (is_end && (found == NULL ||
                       (collects ? place->round > found->round : place->round < found->round)))
            found = place;
    }
    return found == NULL ? -1 : found->rank;
}

/* Data of one owner are the root's, of the collective or of the algorithm, or rank 0's. */
static int derive_root(struct inter_plan *plan, const struct rb_collective *collective)
{
    const struct rb_collective_info *info = &collective->info;
    struct inter_header *header = &plan->header;
    const bool said = header->root >= 0;
    if (!info->rooted && info->distributed && header->root > 0)
        return inter_fail(plan, 1, "root %" PRId32 ", but %s has no root", header->root,
                          info->name);
    if (header->root < 0 && !info->distributed)
        header->root = named_owner(plan);
    else if (!info->rooted && header->root < 0)
        header->root = 0;
    else if (header->root < 0)
        header->root = root_of_messages(plan, collective->postcondition == rb_dst_of_root);
    if (header->root < header->p)
        return RB_OK;
    size_t at = 0;
    while (!said && at < plan->ops && plan->op[at].owner != header->root)
        at++;
    return inter_fail(plan, said || at == plan->ops ? 1 : plan->op[at].line,
                      "root %" PRId32 ": not one of %" PRId32 " ranks", header->root, header->p);
}

/* Rounds without operations: each is looked at for each rank. */
enum { MOST_IDLE_ROUNDS = 1 << 20 };

/* Where each rank owns data there are no slots. */
static int check_owners(const struct inter_plan *plan)
{
    const int32_t p = plan->header.p;
    for (size_t i = 0; i < plan->ops && plan->last_owner.value >= p; i++) {
        const struct inter_op *op = &plan->op[i];
        const bool from = is_local(op->kind) && op->owner < p; /* then it can only be that one */
        const int32_t owner = from ? op->from_owner : op->owner;
        if (owner >= p)
            return inter_fail(plan, op->line, "%s: %" PRId32 " is not in 0..%" PRId32,
                              from ? "from_owner" : "owner", owner, p - 1);
    }
    return RB_OK;
}

/* Of programs without data; -1: of others. */
static int64_t bytes_in_all(const struct inter_plan *plan)
{
    int64_t bytes = 0;
    if (plan->program == NULL || plan->program->bytes == NULL)
        return -1;
    for (size_t i = 0; i < plan->ops; i++)
        bytes += plan->op[i].kind == RB_SEND ? plan->program->bytes[plan->op[i].first] : 0;
    return bytes;
}

enum { NEED_PER_BYTE = 1 << 12, NEED_LEAST = 1 << 26 };

bool inter_may_need(size_t file, double bytes)
{
    return bytes <= NEED_LEAST + NEED_PER_BYTE * (double)file;
}

/* The memory of the verifier, which other readers of rounds need less than: per rank, of each
 * buffer the data of each owner, or the slots; and the steps through all ranks' rounds, and ports.
 */
static int check_need(const struct inter_plan *plan, const struct rb_collective_info *info)
{
    const struct inter_header *header = &plan->header;
    const double p = header->p, blocks = (double)header->blocks;
    const double owners = larger(info->distributed ? header->p : 1, plan->last_owner.value + 1);
    const double datum = __builtin_popcount(plan->buffers) * (4 + (info->reducing ? 8 + p / 8 : 0));
    const struct {
        double need;
        struct {
            const char *column, *many;
            int64_t value;
            const struct inter_largest *from;
        } numbers[3];
    } needs[] = {
        {p * owners * blocks * datum,
         {{"p", "ranks", header->p, &plan->last_rank},
          {"p", "owners", (int64_t)owners, &plan->last_owner},
          {"blocks", "blocks", header->blocks, &plan->last_index}}},
        {p * (double)header->rounds,
         {{"p", "ranks", header->p, &plan->last_rank},
          {"rounds", "rounds", header->rounds, &plan->last_round}}},
        {p * (header->ports + INTER_RANK_BYTES),
         {{"p", "ranks", header->p, &plan->last_rank},
          {"ports", "ports", header->ports, &plan->last_port}}},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (inter_may_need(plan->size, needs[i].need))
            continue;
        int worst = 0;
        for (int k = 1; k < 3; k++)
            if (needs[i].numbers[k].value > needs[i].numbers[worst].value)
                worst = k;
        const struct inter_largest *from = needs[i].numbers[worst].from;
        const bool said = from->value + 1 < needs[i].numbers[worst].value;
        return inter_fail(plan, said ? 1 : from->line,
                          "%s: %" PRId64
                          ": the rows of a file of %zu bytes can't be for so many %s",
                          said ? needs[i].numbers[worst].column : from->column,
                          said ? needs[i].numbers[worst].value : from->value, plan->size,
                          needs[i].numbers[worst].many);
    }
    return RB_OK;
}

static int derive(struct inter_plan *plan, const struct rb_collective *collective)
{
    const struct rb_collective_info *info = &collective->info;
    struct inter_header *header = &plan->header;
    if (header->p == 0)
        header->p =
            larger(plan->last_rank.value, info->distributed ? plan->last_owner.value : 0) + 1;
    if (header->p == 0)
        header->p = 1;
    const int64_t parts = info->personalized ? header->p : 1;
    if (header->blocks == 0 && plan->ops > 0)
        header->blocks = (plan->last_index.value / parts + 1) * parts;
    if (header->n == 0)
        header->n = header->blocks / parts;
    if (header->rounds < 0)
        header->rounds = plan->last_round.value + 1;
    if (header->rounds > MOST_IDLE_ROUNDS && (size_t)header->rounds > plan->ops + MOST_IDLE_ROUNDS)
        return inter_fail(plan, 1,
                          "%" PRId64 " rounds for %zu operations: there may be %d more at most",
                          header->rounds, plan->ops, MOST_IDLE_ROUNDS);
    if (header->ports == 0)
        header->ports = larger(plan->last_port.value, 0) + 1;
    if (header->blocks % parts != 0 || header->blocks > INTER_MAX_BLOCKS)
        return inter_fail(plan, 1,
                          "%" PRId64 " blocks of an owner: they must be a multiple of p = %" PRId32
                          " in %s, and at most %" PRId64,
                          header->blocks, header->p, info->name, INTER_MAX_BLOCKS);
    plan->only =
        (struct rb_plan_only){.by_place = plan->program != NULL,
                              .file = plan->path,
                              .p = header->p,
                              .n = header->n,
                              .ports = header->ports,
                              .instance = header->instance[0] == '\0' ? NULL : header->instance,
                              .bytes = bytes_in_all(plan),
                              .untimed_ns = plan->program == NULL ? 0 : plan->program->untimed_ns};
    int status = derive_root(plan, collective);
    plan->only.root = header->root;
    if (status == RB_OK && info->distributed)
        status = check_owners(plan);
    return status == RB_OK && plan->program == NULL ? check_need(plan, info) : status;
}

/* ---- Order ----------------------------------------------------------------------------------- */

SUP_COMPARE(by_rank, struct inter_place, SUP_ORDER(a->rank, b->rank), SUP_ORDER(a->round, b->round),
            SUP_ORDER(a->first, b->first));

/* Whether b's blocks follow a's in one range. Local operations of one buffer may read what the one
 * before has written. */
static bool continues(const struct inter_op *a, const struct inter_op *b, int64_t row)
{
    return a->kind == b->kind && a->peer == b->peer && a->port == b->port &&
           a->buffer == b->buffer && a->owner == b->owner && a->first + a->count == b->first &&
           b->first % row != 0 && a->incoming_is_left == b->incoming_is_left &&
           (!is_local(a->kind) ||
            (a->from_buffer == b->from_buffer && a->from_buffer != a->buffer &&
             a->from_owner == b->from_owner && a->from_first + a->count == b->from_first &&
             b->from_first % row != 0));
}

/* In which turn an operation is copied: sends come first, then receives, then what is local. */
enum { TURNS = 3 };
static int turn_of(const struct inter_op *op)
{
    return op->kind == RB_SEND ? 0 : is_local((enum rb_op_kind)op->kind) ? 2 : 1;
}

/* Operations of one message that stand together. */
struct piece {
    int32_t peer, port;
    size_t first, end, begins; /* where the message's first piece is */
};

SUP_COMPARE(by_message, struct piece, SUP_ORDER(a->peer, b->peer), SUP_ORDER(a->port, b->port),
            SUP_ORDER(a->first, b->first));

SUP_COMPARE(by_beginning, struct piece, SUP_ORDER(a->begins, b->begins),
            SUP_ORDER(a->first, b->first));

/* Brings together what is of one message, messages in the order in which they begin. */
static void join_messages(struct inter_op ops[], size_t count)
{
    struct piece *piece = NULL;
    size_t pieces = 0;
    bool apart = false;
    for (size_t i = 0; i < count; i++) {
        if (pieces > 0 && piece[pieces - 1].peer == ops[i].peer &&
            piece[pieces - 1].port == ops[i].port) {
            piece[pieces - 1].end++;
            continue;
        }
        sup_grow(&piece, pieces, sizeof *piece);
        piece[pieces++] = (struct piece){ops[i].peer, ops[i].port, i, i + 1, i};
    }
    if (pieces > 2)
        qsort(piece, pieces, sizeof *piece, by_message);
    for (size_t k = 1; k < pieces && pieces > 2; k++)
        if (piece[k].peer == piece[k - 1].peer && piece[k].port == piece[k - 1].port) {
            piece[k].begins = piece[k - 1].begins;
            apart = true;
        }
    if (apart) {
        struct inter_op *joined = sup_reallocarray(NULL, count, sizeof *joined);
        size_t done = 0;
        qsort(piece, pieces, sizeof *piece, by_beginning);
        for (size_t k = 0; k < pieces; k++)
            for (size_t i = piece[k].first; i < piece[k].end; i++)
                joined[done++] = ops[i];
        memcpy(ops, joined, count * sizeof *ops);
        free(joined);
    }
    free(piece);
}

/* Copies the operations of runs from .. end - 1, of one round of a rank, that have this turn,
 * behind to[0 .. ops - 1], and returns how many there are then. row: blocks of a part. */
static size_t copy_turn(const struct inter_plan *plan, size_t from, size_t end, int turn,
                        int64_t row, struct inter_op to[], size_t ops)
{
    size_t last = ops, kept = ops;
    for (const struct inter_place *run = plan->place + from; run < plan->place + end; run++)
        for (size_t i = run->first; i < run->end; i++)
            if (turn_of(&plan->op[i]) == turn)
                to[last++] = plan->op[i];
    if (turn < TURNS - 1)
        join_messages(to + ops, last - ops);
    for (size_t i = ops; i < last; i++)
        if (kept > ops && continues(&to[kept - 1], &to[i], row))
            to[kept - 1].count += to[i].count;
        else
            to[kept++] = to[i];
    return kept;
}

/* Brings the runs in order, and the operations in the order of runs; then there is one place for
 * each round of a rank that has operations. */
static void bring_in_order(struct inter_plan *plan, int64_t row)
{
    struct inter_op *to = sup_reallocarray(NULL, plan->ops, sizeof *to);
    size_t ops = 0, places = 0;
    if (plan->places > 0)
        qsort(plan->place, plan->places, sizeof *plan->place, by_rank);
    for (size_t i = 0, end; i < plan->places; i = end) {
        struct inter_place place = plan->place[i];
        const size_t first = ops;
        for (end = i; end < plan->places && plan->place[end].rank == place.rank &&
                      plan->place[end].round == place.round;)
            end++;
        for (int turn = 0; turn < TURNS; turn++)
            ops = copy_turn(plan, i, end, turn, row, to, ops);
        place.first = first;
        place.end = ops;
        plan->max_ops = larger(plan->max_ops, (int64_t)(ops - first));
        plan->place[places++] = place;
    }
    free(plan->op);
    plan->op = sup_reallocarray(to, ops, sizeof *to);
    plan->place = sup_reallocarray(plan->place, places, sizeof *plan->place);
    plan->ops = ops;
    plan->places = places;
}

/* ---- The algorithm --------------------------------------------------------------------------- */

static const struct inter_plan *plan_of(const struct rb_plan *plan)
{
    return (const struct inter_plan *)plan->algorithm;
}

/* A row for each pair of ranks is for small plans. */
enum { MOST_IN_PAIRS = 256 };

static void place_tmp(struct rb_plan *plan, enum inter_tmp tmp)
{
    const bool in_pairs = tmp == INTER_TMP_BY_PAIR && plan->p <= MOST_IN_PAIRS;
    plan->tmp_row = in_pairs ? rb_row_of_pair : tmp == INTER_TMP_MIRRORED ? rb_row_mirrored : NULL;
    plan->tmp_rows = in_pairs ? plan->p * plan->p : 0;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct inter_plan *own = plan_of(plan);
    if (own->wrong != NULL)
        return rb_why(why, why_size, RB_EWRONG, "%s", own->wrong);
    if (own->header.blocks > 0)
        plan->blocks = own->header.blocks;
    plan->rounds = own->header.rounds;
    plan->max_ops = own->max_ops;
    plan->buffers |= own->buffers;
    plan->slot_blocks = own->slot_blocks;
    place_tmp(plan, own->tmp);
    if (own->slot_blocks > 0)
        plan->tmp_rows = own->tmp_rows;
    if (own->program != NULL) {
        plan->owners = plan->parts = 1;
        plan->blocks = own->program->blocks;
        plan->buffers = own->buffers;
    }
    return RB_OK;
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Chunks are equally long, so that the last one may end behind the data. */
static int64_t program_bytes(const struct rb_plan *plan, const struct rb_layout *layout,
                             const struct rb_range *range)
{
    const struct inter_program *program = plan_of(plan)->program;
    if (program->bytes != NULL)
        return program->bytes[range->first];
    const int64_t chunk = layout->bytes / program->chunks + (layout->bytes % program->chunks != 0);
    return chunk * range->count;
}

/* The proof was made when the file was read; a plan that is wrong has not been made. */
static int program_verify(const struct rb_plan *plan, struct rb_verdict *verdict)
{
    const struct inter_plan *own = plan_of(plan);
    const struct prg_verdict *proof = &own->program->verdict;
    int32_t *longest = sup_calloc((size_t)plan->rounds + 1, sizeof *longest);
    for (size_t i = 0; i < own->places; i++)
        for (size_t k = own->place[i].first; k < own->place[i].end; k++)
            if (own->op[k].kind == RB_SEND)
                longest[own->place[i].round] =
                    larger(longest[own->place[i].round], own->op[k].count);
    for (int64_t t = 0; t < plan->rounds; t++) {
        verdict->critical_volume += longest[t];
        verdict->busiest = verdict->busiest > longest[t] ? verdict->busiest : longest[t];
    }
    free(longest);
    verdict->messages = proof->messages;
    verdict->moves = proof->chunks;
    verdict->room = proof->least_room;
    verdict->no_contract = !proof->contents;
    inter_program_note(proof, verdict->note, sizeof verdict->note);
    if (own->program->remarks[0] != '\0')
        sup_append(verdict->note, sizeof verdict->note, "; ", "%s", own->program->remarks);
    if (own->program->untimed_ns > 0)
        sup_append(verdict->note, sizeof verdict->note, "; ",
                   "computation of %" PRId64 " ns takes no time in engines",
                   own->program->untimed_ns);
    return RB_OK;
}

/* The first of places from .. end - 1 that is not before the rank's round; end: none. */
static size_t find_place(const struct inter_plan *plan, int32_t rank, int64_t round, size_t from,
                         size_t end)
{
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        const struct inter_place *place = &plan->place[middle];
        if (place->rank < rank || (place->rank == rank && place->round < round))
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* state->state.number[0] and [1]: the rank's first place and the end of its places. */
static void prepare_rank(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct inter_plan *own = plan_of(plan);
    const size_t first = find_place(own, state->rank, 0, 0, own->places);
    state->state.number[0] = (int64_t)first;
    state->state.number[1] = (int64_t)find_place(own, state->rank, INT64_MAX, first, own->places);
}

static const struct inter_place *place_from(const struct rb_plan *plan, const struct rb_rank *state,
                                            int64_t t)
{
    const struct inter_plan *own = plan_of(plan);
    const size_t first = (size_t)state->state.number[0];
    size_t end = (size_t)state->state.number[1];
    if (first == end || t <= own->place[first].round)
        return first == end ? NULL : &own->place[first];
    const size_t furthest = first + (size_t)(t - own->place[first].round); /* as rounds rise */
    if (furthest < end && own->place[furthest].round == t)
        return &own->place[furthest];
    const size_t at = find_place(own, state->rank, t, first, furthest < end ? furthest : end);
    return at < end ? &own->place[at] : NULL;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct inter_place *place = place_from(plan, state, t);
    return place == NULL ? plan->rounds : place->round;
}

static int32_t give_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const struct inter_place *place = place_from(plan, state, t);
    if (place == NULL || place->round != t)
        return 0;
    const int32_t count = (int32_t)(place->end - place->first);
    for (int32_t i = 0; i < count; i++) {
        const struct inter_op *op = &plan_of(plan)->op[place->first + (size_t)i];
        const bool local = is_local((enum rb_op_kind)op->kind);
        ops[i] = (struct rb_op){
            .kind = (enum rb_op_kind)op->kind,
            .peer = op->peer,
            .port = op->port,
            .incoming_is_left = op->incoming_is_left,
            .at = {(enum rb_buffer)op->buffer, op->owner, op->first, op->count},
            .from = {(enum rb_buffer)op->from_buffer, op->from_owner, op->from_first,
                     local ? op->count : 0},
        };
    }
    return count;
}

/* Rules 1 to 9 of every rank's rounds. RB_EWRONG: line and why are of the first thing wrong. */
static int check_rounds(const struct inter_plan *plan, const struct rb_plan *made, int32_t *line,
                        char *why, size_t why_size)
{
    struct rb_op *ops = sup_reallocarray(NULL, (size_t)plan->max_ops, sizeof *ops);
    int32_t *scratch = sup_reallocarray(NULL, (size_t)plan->max_ops, sizeof *scratch);
    struct rb_rank state = {.rank = -1};
    int status = RB_OK;
    for (size_t i = 0; i < plan->places && status == RB_OK; i++) {
        const struct inter_place *place = &plan->place[i];
        if (place->rank != state.rank)
            rb_plan_rank(made, place->rank, &state);
        const int32_t count = rb_plan_round(made, &state, place->round, ops);
        status =
            rb_round_check(made, place->rank, place->round, ops, count, scratch, why, why_size);
        *line = plan->op[place->first].line;
    }
    free(ops);
    free(scratch);
    return status;
}

/* A file doesn't say where TMP has a block (rb_plan_location): as the first of these under which
 * the plan is right. status: of check_rounds by distance. */
static enum inter_tmp tmp_of(const struct inter_plan *file, struct rb_plan *plan, int status)
{
    struct rb_verdict verdict;
    int32_t line;
    if (plan->parts == 1 || !rb_plan_has(plan, RB_TMP) ||
        (status == RB_OK && rb_verify_plan(plan, NULL, &verdict) != RB_EWRONG))
        return INTER_TMP_BY_DISTANCE;
    for (enum inter_tmp tmp = INTER_TMP_MIRRORED; tmp < INTER_TMPS; tmp++) {
        place_tmp(plan, tmp);
        if (check_rounds(file, plan, &line, NULL, 0) == RB_OK &&
            rb_verify_plan(plan, NULL, &verdict) == RB_OK)
            return tmp;
    }
    return INTER_TMP_BY_DISTANCE;
}

/* The least size of slots, a divisor of all blocks, so that this range is in one. */
static int64_t slot_for(int64_t slot, int64_t blocks, const struct inter_op *op, int32_t first)
{
    while (slot < blocks && (blocks % slot != 0 || first % slot + op->count > slot))
        slot++;
    return slot;
}

/* TMP has slots if in a plan of one owner its rows have other numbers. A file doesn't say how many
 * blocks they have room for. */
static void find_slots(struct inter_plan *file, struct rb_plan *plan)
{
    int64_t slot = 1;
    int32_t last = 0;
    bool has_slots = false;
    for (size_t i = 0; i < file->ops && plan->owners == 1; i++) {
        const struct inter_op *op = &file->op[i];
        for (int from = 0; from < 2; from++) {
            const int32_t owner = from ? op->from_owner : op->owner;
            if ((from ? op->from_buffer : op->buffer) != RB_TMP || (from && op->kind < RB_COPY))
                continue;
            has_slots = has_slots || owner != plan->root;
            last = owner > last ? owner : last;
            slot = slot_for(slot, plan->blocks, op, from ? op->from_first : op->first);
        }
    }
    if (!has_slots)
        return;
    file->slot_blocks = plan->slot_blocks = slot;
    file->tmp_rows = plan->tmp_rows =
        (int32_t)rb_smaller(rb_ceil_divide(((int64_t)last + 1) * slot, plan->blocks), INT32_MAX);
}

/* Rules 1 to 9, for all who take a plan's rounds as they are. */
static int check_rules(struct inter_plan *plan, const struct rb_collective *collective)
{
    const struct rb_plan_only *only = &plan->only;
    const struct rb_plan_spec spec = {.p = only->p,
                                      .root = only->root < 0 ? 0 : only->root,
                                      .n = only->n > 0 ? only->n : 1,
                                      .ports = only->ports,
                                      .instance = only->instance};
    char why[256];
    struct rb_plan *made;
    int status = rb_plan_make(collective, &plan->algorithm, &spec, &made, why, sizeof why);
    if (status == RB_ENOMEM)
        return status;
    if (status != RB_OK)
        return inter_fail(plan, 1, "%s", why);
    int32_t line = 0;
    find_slots(plan, made);
    status = check_rounds(plan, made, &line, why, sizeof why);
    plan->tmp = tmp_of(plan, made, status);
    if (status != RB_OK && plan->tmp == INTER_TMP_BY_DISTANCE)
        plan->wrong = sup_format("%s:%" PRId32 ": %s", plan->path, line, why);
    rb_plan_destroy(made);
    return RB_OK;
}

int inter_plan_finish(struct inter_plan *plan, const struct rb_collective *collective,
                      const char *name)
{
    int status = check_collective(plan, collective);
    if (status == RB_OK)
        status = derive(plan, collective);
    if (status != RB_OK)
        return status;
    const int64_t parts = collective->info.personalized && plan->program == NULL ? plan->only.p : 1;
    plan->max_ops = 1;
    bring_in_order(plan, plan->program != NULL     ? INT64_MAX
                         : plan->header.blocks > 0 ? plan->header.blocks / parts
                                                   : 1);
    plan->algorithm = (struct rb_algorithm){
        .info = {.collective = collective->info.name,
                 .name = name,
                 .title = "the plan of a file",
                 .paper = "the file",
                 .rounds = "as the file says",
                 .blocks = "blocks of a part, as many as in the file",
                 .ranks = "the file's p",
                 .groups = plan->program == NULL, /* --groups: whose ports verify counts */
                 .one_per_port = plan->program == NULL,
                 .places = plan->program == NULL,
                 .only = &plan->only,
                 .root = plan->only.root > 0 ? "the file's root" : NULL},
        .init = init,
        .rank = prepare_rank,
        .round = give_round,
        .next = next,
        .ordered_for_every_root = plan->program == NULL,
    };
    if (plan->program != NULL) {
        plan->algorithm.verify = program_verify;
        plan->algorithm.bytes = program_bytes;
    }
    return plan->wrong != NULL ? RB_OK : check_rules(plan, collective);
}
