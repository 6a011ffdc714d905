/* verify_thorough.c - the level thorough: which plans, and the work on them (verify.h). */
#include "studies/verification/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/plan/random.h"
#include "support/memory.h"

enum { MOST_VALUES = 160, INSTANCE_TEXT = 48 };

/* ---- Values ---------------------------------------------------------------------------------- */

/* The values of one cell. */
struct room {
    int64_t ports[4], radices[MOST_VALUES], blocks[MOST_VALUES], roots[MOST_VALUES];
    char text[MOST_VALUES][INSTANCE_TEXT];
    const char *instances[MOST_VALUES];
    struct sup_counts counts[8];
    struct verify_lists lists;
};

/* The parameters whose values are chosen. */
struct subject {
    const struct rb_algorithm_info *algorithm;
    const struct rb_collective_info *collective;
    int32_t p, q;
    uint64_t seed;
};

/* Number i of this seed and p, in 0 .. below - 1. */
static int64_t pick(uint64_t seed, int32_t p, uint64_t i, int64_t below)
{
    return (int64_t)(rb_random_at((seed << 40) + ((uint64_t)p << 8), i) % (uint64_t)below);
}

/* Adds a value if it is in range and not there yet. */
static void add(struct sup_list *list, int64_t value, int64_t least, int64_t most)
{
    if (value < least || value > most || list->count >= MOST_VALUES)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (list->value[i] == value)
            return;
    list->value[list->count++] = value;
}

static void add_range(struct sup_list *list, int64_t from, int64_t to, int64_t least, int64_t most)
{
    for (int64_t value = from; value <= to; value++)
        add(list, value, least, most);
}

static void add_blocks(struct sup_list *list, const int64_t values[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(list, values[i], 1, INT64_MAX);
}

static void take_ports(struct room *room, int64_t most)
{
    room->lists.ports.count = 0;
    for (int64_t ports = 1; ports <= most; ports++)
        room->lists.ports.value[room->lists.ports.count++] = ports;
}

static void take_all_roots(struct room *room, const struct subject *subject)
{
    if (rb_takes_root(subject->algorithm))
        add_range(&room->lists.roots, 0, subject->p - 1, 0, subject->p - 1);
}

static void take_all_radices(struct room *room, const struct subject *subject)
{
    if (subject->algorithm->radix != NULL)
        add_range(&room->lists.radices, 2, subject->p > 2 ? subject->p : 2, 2, MOST_VALUES);
}

static void take_instance(struct room *room, const char *text)
{
    struct verify_lists *lists = &room->lists;
    if (lists->instances_count == MOST_VALUES)
        return;
    snprintf(room->text[lists->instances_count], INSTANCE_TEXT, "%s", text);
    room->instances[lists->instances_count] = room->text[lists->instances_count];
    lists->instances_count++;
}

static void take_shift(struct room *room, int64_t q)
{
    char text[INSTANCE_TEXT];
    snprintf(text, sizeof text, "q=%" PRId64, q);
    take_instance(room, text);
}

/* Redistributions that have p ranks: from p to fewer, and from fewer to p, where cycles of blocks
 * meet in several ways, and an array that is no whole number of them. */
static void take_redistributions(struct room *room, int32_t p)
{
    static const char *const blocks[][2] = {{"1", "2"}, {"2", "3"}, {"3", "3"}, {"4", "6"}};
    char text[INSTANCE_TEXT];
    for (int32_t other = 1; other <= p; other++)
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            snprintf(text, sizeof text, "P=%d,r=%s,Q=%d,s=%s", (int)p, blocks[i][0], (int)other,
                     blocks[i][1]);
            take_instance(room, text);
            snprintf(text, sizeof text, "P=%d,r=%s,Q=%d,s=%s,M=%d", (int)other, blocks[i][1],
                     (int)p, blocks[i][0], (int)(17 * p + other));
            take_instance(room, text);
        }
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static void fill_small(struct room *room, const struct subject *subject)
{
    const int64_t n[] = {1, 2, subject->q + 1, 7};
    add_blocks(&room->lists.blocks, n, 4);
    take_all_roots(room, subject);
    take_all_radices(room, subject);
    take_ports(room, 4);
    room->lists.counts_count = 5;
}

static void fill_blocks(struct room *room, const struct subject *subject)
{
    const int64_t q = subject->q;
    const int64_t n[] = {1,  2,  3,  q - 1, q,   q + 1, 5,   8,   9,   31,
                         32, 33, 64, 65,    100, 127,   129, 257, 500, 1000};
    add_blocks(&room->lists.blocks, n, subject->p <= 16 ? 20 : 17);
    if (rb_takes_root(subject->algorithm))
        add(&room->lists.roots, subject->p - 1, 0, subject->p - 1);
    take_ports(room, 2);
    room->lists.counts_count = 2;
}

static void fill_roots(struct room *room, const struct subject *subject)
{
    const int64_t n[] = {1, subject->q + 1};
    add_blocks(&room->lists.blocks, n, 2);
    take_all_roots(room, subject);
}

static void fill_radices(struct room *room, const struct subject *subject)
{
    add(&room->lists.blocks, 2, 1, 2);
    take_all_radices(room, subject);
    take_ports(room, 1);
    room->lists.ports.value[room->lists.ports.count++] = 3;
}

static void fill_instances(struct room *room, const struct subject *subject)
{
    const int64_t n[] = {1, 3};
    add_blocks(&room->lists.blocks, n, 2);
    room->lists.instances_count = 0;
    if (subject->collective->fixed_counts)
        take_redistributions(room, subject->p);
    for (int32_t q = 0; q < subject->p && !subject->collective->fixed_counts; q++)
        take_shift(room, q);
}

static void fill_ranks(struct room *room, const struct subject *subject)
{
    const int32_t p = subject->p;
    const int64_t n[] = {1, subject->collective->distributed ? 3 : 33};
    add_blocks(&room->lists.blocks, n, 2);
    const int64_t roots[] = {1, p / 2, p - 1, pick(subject->seed, p, 0, p),
                             pick(subject->seed, p, 1, p)};
    for (size_t i = 0; i < 5 && rb_takes_root(subject->algorithm); i++)
        add(&room->lists.roots, roots[i], 0, p - 1);
    const int64_t radices[] = {2, 2 + pick(subject->seed, p, 2, p - 1)};
    for (size_t i = 0; i < 2 && subject->algorithm->radix != NULL; i++)
        add(&room->lists.radices, radices[i], 2, p);
    take_ports(room, 2);
    room->lists.ports.value[room->lists.ports.count++] = 4;
    room->lists.counts_count = p <= 64 ? 2 : 1;
}

static void fill_large(struct room *room, const struct subject *subject)
{
    const int64_t n[] = {1, 3};
    add_blocks(&room->lists.blocks, n, 2);
    if (rb_takes_root(subject->algorithm)) {
        room->lists.roots.value[0] = pick(subject->seed, subject->p, 3, subject->p);
        add(&room->lists.roots, 0, 0, 0);
    }
    take_ports(room, 1);
    room->lists.ports.value[room->lists.ports.count++] = 3;
}

static bool any(const struct subject *subject)
{
    (void)subject;
    return true;
}

static bool is_rooted(const struct subject *subject)
{
    return rb_takes_root(subject->algorithm);
}

static bool has_radix(const struct subject *subject)
{
    return subject->algorithm->radix != NULL;
}

static bool has_instances(const struct subject *subject)
{
    return subject->collective->instance != NULL &&
           (!subject->collective->fixed_counts || subject->p <= 8);
}

static const struct level_set {
    int32_t first, last; /* p */
    bool (*concerns)(const struct subject *subject);
    void (*fill)(struct room *room, const struct subject *subject);
} sets[] = {
    {1, 12, any, fill_small},
    {1, 40, any, fill_blocks},
    {13, 48, is_rooted, fill_roots},
    {13, 72, has_radix, fill_radices},
    {1, 48, has_instances, fill_instances},
    {13, 130, any, fill_ranks},
    {131, RB_MAX_RANKS, any, fill_large},
};
enum { SETS = sizeof sets / sizeof sets[0] };

/* Before a set changes it: one value of each. */
static void start_lists(struct room *room, const struct subject *subject)
{
    static const bool orders[] = {false, true};
    static const char *const groups[] = {NULL, "2", "3", "4", "7", "3,1,4,1,5,9,2,6"};
    const bool dealt = subject->collective->distributed && !subject->collective->fixed_counts;
    const enum rb_counts_rule rules[] = {RB_COUNTS_REGULAR, RB_COUNTS_RANDOM, RB_COUNTS_MOD3,
                                         RB_COUNTS_DEGENERATE, RB_COUNTS_RANDOM};
    for (size_t i = 0; i < 5; i++)
        room->counts[i] = (struct sup_counts){
            .deal = {.rule = rules[i],
                     .seed = rules[i] == RB_COUNTS_RANDOM ? subject->seed + i / 4 : 0},
        };
    room->instances[0] = NULL;
    room->lists = (struct verify_lists){
        .ports = {room->ports, 1},
        .radices = {room->radices, 1},
        .blocks = {room->blocks, 0},
        .roots = {room->roots, 1},
        .counts = room->counts,
        .counts_count = dealt ? 1 : 0,
        .instances = room->instances,
        .instances_count = 1,
        .groups = groups,
        .groups_count = subject->algorithm->groups ? sizeof groups / sizeof groups[0] : 1,
        .orders = orders,
        .orders_count = subject->collective->reducing ? 2 : 1,
    };
    room->ports[0] = 1;
    room->radices[0] = room->roots[0] = 0;
}

static void fill(struct room *room, const struct subject *subject, int32_t set)
{
    start_lists(room, subject);
    const bool dealt = room->lists.counts_count > 0;
    sets[set].fill(room, subject);
    if (!dealt)
        room->lists.counts_count = 1;
}

static struct subject subject_of(const struct verify_job *job, int32_t algorithm, int32_t p)
{
    return (struct subject){
        .algorithm = job->algorithms[algorithm],
        .collective = rb_collective_find(job->algorithms[algorithm]->collective),
        .p = p,
        .q = rb_ceil_log2(p),
        .seed = job->seed,
    };
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Places of the verifier: a contribution of a reduction is a set of ranks. */
static int64_t places(const struct rb_collective_info *collective, int32_t p, int64_t owners,
                      int64_t row_blocks)
{
    const int64_t words = collective->reducing ? 3 + p / 64 : 1;
    int64_t all;
    if (__builtin_mul_overflow(p * owners, row_blocks, &all) ||
        __builtin_mul_overflow(all, words, &all))
        return INT64_MAX;
    return all;
}

/* Blocks that all ranks hold or pass on in all rounds, at most, where data have destinations. */
static int64_t passes(const struct rb_collective_info *collective, int32_t p, int64_t rounds)
{
    return rounds * p * (collective->personalized ? p : 1);
}

bool verify_too_large(const struct rb_plan *plan)
{
    enum { MOST_PLACES = 1100000, MOST_PASSES = 12000000, MOST_PERSONALIZED = 300 };
    const int32_t p = rb_plan_ranks(plan);
    const struct rb_collective_info *collective = rb_plan_collective(plan);
    return places(collective, p, rb_plan_owners(plan), rb_plan_blocks(plan) / rb_plan_parts(plan)) >
               MOST_PLACES ||
           rb_plan_rounds(plan) > MOST_PASSES / p ||
           (collective->personalized && p > MOST_PERSONALIZED) ||
           passes(collective, p, rb_plan_rounds(plan)) > MOST_PASSES;
}

static int64_t sum_of(const struct sup_list *list)
{
    int64_t sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum += list->value[i];
    return sum;
}

/* How dear a place is: all to all in many messages, or not; as was measured. */
static int64_t weight_of(const struct rb_collective_info *collective)
{
    if (!collective->distributed)
        return 1;
    return collective->reducing ? 8 : collective->rooted ? 4 : 24;
}

static int64_t cost_of(struct room *room, const struct subject *subject, int32_t set)
{
    fill(room, subject, set);
    const struct verify_lists *lists = &room->lists;
    const int64_t owners = subject->collective->distributed ? subject->p : 1;
    const int64_t combinations =
        (int64_t)(lists->ports.count * lists->radices.count * lists->roots.count *
                  lists->counts_count * lists->instances_count * lists->groups_count *
                  lists->orders_count);
    const int64_t each = places(subject->collective, subject->p, owners, sum_of(&lists->blocks));
    /* Allreduce of parts has p blocks for one. */
    const int64_t parts =
        strcmp(subject->collective->name, "allreduce") == 0 ? subject->p / 4 + 1 : 1;
    const int64_t times = combinations * weight_of(subject->collective) * parts;
    return each < INT64_MAX / 4096 / times ? each * times : INT64_MAX / 4096;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

enum { LARGEST_TABLE = 1 << 18, SAMPLED_RANKS = 500, NO_SET = -1 };

static void add_cell(struct verify_cells *cells, struct verify_cell cell)
{
    sup_grow(&cells->cell, cells->count, sizeof *cells->cell);
    cells->cell[cells->count++] = cell;
}

/* The p of the sets if the user gives none: also 2^k and its neighbours, and some others. */
static bool is_usual(int32_t p)
{
    const int32_t above = 1 << rb_ceil_log2(p);
    return p <= 130 || (p <= 300 && p % 13 == 1) || p + 1 == above || p == above ||
           p == above / 2 + 1 || p == 768 || p == 769;
}

/* The schedules of p, of all ranks or a sample. */
static void add_schedules(struct verify_cells *cells, int32_t p)
{
    const int64_t looked_at = p <= LARGEST_TABLE ? p : SAMPLED_RANKS * 80;
    add_cell(cells, (struct verify_cell){-1, NO_SET, p, 20 * looked_at});
}

/* p whose schedules are checked: 3 * 2^k, 2^k, their neighbours and others, and all small ones. */
static void make_usual_schedules(struct verify_cells *cells, uint64_t seed)
{
    for (int32_t p = 2; p <= 513; p++)
        add_schedules(cells, p);
    for (int32_t k = 9; k < RB_MAX_Q; k++)
        for (int32_t i = 0; i < 11; i++) {
            const int64_t two = INT64_C(1) << k;
            const int64_t p = i < 3   ? two + i
                              : i < 6 ? 3 * (two / 2) + i - 4
                              : i < 8 ? 2 * two - 1 + i % 2
                                      : two + pick(seed, k, (uint64_t)i, two);
            if ((p > LARGEST_TABLE / 4 && p <= LARGEST_TABLE && i >= 3) || p > RB_MAX_RANKS)
                continue; /* few suffice if all ranks are checked */
            add_schedules(cells, (int32_t)p);
        }
}

static bool has_schedules(const struct verify_job *job)
{
    for (int32_t a = 0; a < job->algorithm_count; a++)
        if (job->algorithms[a]->circulant)
            return true;
    return false;
}

static void make_for(struct verify_job *job, int32_t p, struct room *room)
{
    for (int32_t a = 0; a < job->algorithm_count; a++) {
        const struct subject subject = subject_of(job, a, p);
        for (int32_t set = 0; set < SETS; set++)
            if (sets[set].first <= p && p <= sets[set].last && sets[set].concerns(&subject))
                add_cell(&job->cells,
                         (struct verify_cell){a, set, p, cost_of(room, &subject, set)});
    }
}

SUP_COMPARE(dear_first, struct verify_cell, SUP_ORDER(b->cost, a->cost), SUP_ORDER(a->p, b->p),
            SUP_ORDER(a->algorithm, b->algorithm), SUP_ORDER(a->set, b->set));

void verify_cells_make(struct verify_job *job, bool any_ranks)
{
    enum { LARGEST_USUAL = 1025 };
    struct room *room = sup_malloc(sizeof *room);
    const bool schedules = has_schedules(job);
    for (int32_t p = 1; any_ranks && p <= LARGEST_USUAL; p++)
        if (is_usual(p))
            make_for(job, p, room);
    if (any_ranks && schedules)
        make_usual_schedules(&job->cells, job->seed);
    for (size_t i = 0; !any_ranks && i < job->ranks->count; i++) {
        const int32_t p = (int32_t)job->ranks->value[i];
        make_for(job, p, room);
        if (schedules && p > 1)
            add_schedules(&job->cells, p);
    }
    free(room);
    qsort(job->cells.cell, job->cells.count, sizeof *job->cells.cell, dear_first);
}

void verify_cells_free(struct verify_cells *cells)
{
    free(cells->cell);
    *cells = (struct verify_cells){0};
}

void verify_cells_ranks(const struct verify_cells *cells, int32_t *count, int32_t *gapless)
{
    int32_t last = 0;
    *count = *gapless = 0;
    for (int32_t found = 1; found > 0;) { /* the next larger p, again and again: there are few */
        found = 0;
        for (size_t i = 0; i < cells->count; i++) {
            const struct verify_cell *cell = &cells->cell[i];
            if (cell->algorithm >= 0 && cell->p > last && (found == 0 || cell->p < found))
                found = cell->p;
        }
        *count += found > 0;
        if (found == last + 1 && *gapless == last)
            *gapless = found;
        last = found;
    }
}

/* ---- The work -------------------------------------------------------------------------------- */

/* Compares each rank's own schedule with the table, which is right by the conditions. */
static int compare_ranks(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                         struct rb_verdict *verdict)
{
    const int32_t p = graph->p;
    for (int32_t r = 0; r < p; r++) {
        int8_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1];
        rb_circulant_recv(graph, r, recv);
        rb_circulant_send(graph, r, send);
        bool same = rb_circulant_baseblock(graph, r) == room->base[r];
        for (int32_t k = 0; k < graph->q; k++) {
            const int32_t from = r >= graph->skip[k] ? r - graph->skip[k] : r - graph->skip[k] + p;
            const int8_t *row = room->send + (size_t)k * (size_t)p;
            same = same && send[k] == row[r] && recv[k] == row[from];
        }
        if (!same) {
            snprintf(verdict->what, sizeof verdict->what,
                     "what rank %" PRId32 " computes for itself is not what the table of all ranks "
                     "says",
                     r);
            return RB_EWRONG;
        }
    }
    return RB_OK;
}

static int check_schedules(int32_t p, uint64_t seed, struct rb_schedule_room *room,
                           struct verify_record *record, struct rb_verdict *verdict)
{
    struct rb_circulant graph;
    int status = RB_OK;
    record->p_count++;
    record->most_p = p > record->most_p ? p : record->most_p;
    if (p <= LARGEST_TABLE) {
        record->rank_count += p;
        status = rb_verify_schedule(p, room, verdict);
        if (status == RB_OK)
            status = rb_circulant_init(&graph, p);
        return status == RB_OK ? compare_ranks(&graph, room, verdict) : status;
    }
    record->rank_count += SAMPLED_RANKS;
    for (int32_t i = 0; i < SAMPLED_RANKS && status == RB_OK; i++) {
        const int32_t r = i < 3 ? verify_sample_rank(p, SAMPLED_RANKS, i)
                                : (int32_t)pick(seed, p, (uint64_t)i, p);
        status = rb_verify_schedule_rank(p, r, verdict);
    }
    return status;
}

static void verify_cell(const struct verify_job *job, const struct verify_cell *cell,
                        struct room *values, struct rb_schedule_room *room,
                        struct verify_record *record)
{
    if (cell->algorithm >= 0) {
        const struct subject subject = subject_of(job, cell->algorithm, cell->p);
        fill(values, &subject, cell->set);
        verify_listed(job, cell->algorithm, cell->p, &values->lists, record);
        return;
    }
    struct rb_verdict verdict;
    const int status = check_schedules(cell->p, job->seed, room, record, &verdict);
    if (status == RB_EWRONG)
        verify_wrong_schedule(record, cell->p, "--level thorough --algorithm circulant",
                              verdict.what);
    else if (status != RB_OK)
        verify_give_up(record, status, "out of memory");
}

void verify_thorough(void *context, struct sup_pool_worker *worker, void *record_)
{
    const struct verify_job *job = context;
    struct verify_record *record = record_;
    struct rb_schedule_room room = {0};
    struct room *values = sup_malloc(sizeof *values);
    for (size_t i; record->status == RB_OK && sup_pool_next(worker, &i);)
        verify_cell(job, &job->cells.cell[i], values, &room, record);
    rb_schedule_room_free(&room);
    free(values);
}
