/* case.c - a case of the executor: a plan of any algorithm, run some times by all ranks on one
 * communicator, against a reference computed from all ranks' data. Ranks may differ in what they
 * think the sizes are, or something fails on one of them. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"
#include "tests/fitting.h"

enum op { OP_NONE, OP_SUM, OP_MAX, OP_SUMMED, OP_COMPOSED };
static const char *const op_name[] = {"none", "MPI_SUM", "MPI_MAX", "summed", "composed"};
const char *const limit_name[LIMITS] = {"--ranks", "--elements", "--blocks",   "--width",
                                        "--runs",  "--kind",     "--surprises"};
struct limits case_had;

static struct {
    struct rb_plan_spec spec;
    struct rb_plan *plan;
    char groups[64];
    int kind;
    struct data_type type; /* its geometry alone */
    enum op op;
    int width, runs;
    struct rb_layout layout;
    int64_t elements, span;
    int64_t *first, *displacement; /* or NULL */
    int64_t *begin, *end;          /* an owner's elements, where the data are distributed */
    int wrong_rank; /* in the first run it has another number of elements; -1: none */
    int64_t wrong_elements;
    bool wants_whole;
    uint64_t scripted; /* a bit for each rank */
    uint64_t data_seed;
    uint32_t *prefix[SM_MOST_RANKS]; /* words of ranks 0 .. r combined */
    char *dst[SM_MOST_RANKS], *before[SM_MOST_RANKS];
    bool gave_up[SM_MOST_RANKS];
} the;

int32_t sm_most_elements;

struct data_type case_type(int kind)
{
    return kind == WORDS ? (struct data_type){MPI_UINT64_T, 8, {0, 4}, 2}
                         : data_type_of((enum kind)kind);
}

void case_free_type(int kind, struct data_type *type)
{
    if (kind != WORDS)
        data_type_free(type);
}

int64_t case_limited(const struct limits *limits, enum limit which, int64_t value)
{
    const int64_t most = limits->most[which];
    return case_had.most[which] = value < most ? value : most;
}

static bool is(const char *collective)
{
    return strcmp(the.spec.collective, collective) == 0;
}

static const struct rb_collective_info *collective(void)
{
    return rb_collective_find(the.spec.collective);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static const struct rb_algorithm_info *draw_algorithm(uint64_t *random)
{
    int32_t count = 0;
    while (rb_algorithm_at(count) != NULL)
        count++;
    for (;;) {
        const struct rb_algorithm_info *drawn = rb_algorithm_at(draw_below(random, count));
        const struct rb_collective_info *of = rb_collective_find(drawn->collective);
        if (!of->personalized && of->instance == NULL)
            return drawn;
    }
}

/* Groups, ports and a radix where the algorithm has plans for them. */
static void draw_plan(uint64_t *random, const struct limits *limits)
{
    static const int blocks[] = {1, 1, 2, 3, 4, 5, 8, 13};
    const struct rb_algorithm_info *algorithm = draw_algorithm(random);
    const int64_t p = 1 + draw_below(random, draw_below(random, 4) == 0 ? SM_MOST_RANKS : 9);
    const int32_t fits = fitting_ranks(algorithm, (int32_t)case_limited(limits, LIMIT_RANKS, p));
    const int root = draw_below(random, SM_MOST_RANKS), n = blocks[draw_below(random, 8)];
    const int sizes[2] = {1 + draw_below(random, 4), 1 + draw_below(random, 4)};
    const bool ordered = draw_below(random, 2) == 0, grouped = draw_below(random, 2) == 0;
    const int ports = draw_below(random, 4), radix = draw_below(random, 5);
    the.spec = (struct rb_plan_spec){.collective = algorithm->collective,
                                     .algorithm = algorithm->name,
                                     .p = fits > 0 ? fits : 1,
                                     .n = case_limited(limits, LIMIT_BLOCKS, n)};
    case_had.most[LIMIT_RANKS] = the.spec.p;
    the.spec.root = rb_takes_root(algorithm) ? root % the.spec.p : 0;
    struct rb_plan_spec richer = the.spec;
    richer.ports = ports;
    richer.radix = algorithm->radix != NULL && radix > 1 && radix <= the.spec.p ? radix : 0;
    richer.ordered = collective()->reducing && ordered;
    snprintf(the.groups, sizeof the.groups, "%d,%d", sizes[0], sizes[1]);
    richer.groups = grouped ? the.groups : NULL;
    for (int i = 0; i < 4; i++) { /* less and less of that */
        if (rb_plan_create(&richer, &the.plan, NULL, 0) == RB_OK) {
            the.spec = richer;
            return;
        }
        richer.groups = i == 0 ? NULL : richer.groups;
        richer.ports = i == 1 ? 0 : richer.ports;
        richer.radix = i == 1 ? 0 : richer.radix;
        if (i == 2)
            richer = the.spec;
    }
    the.plan = NULL; /* no plan for so few ranks */
}

static int64_t draw_elements(uint64_t *random, int p)
{
    switch (draw_below(random, 16)) {
    case 0:
        return 2200 + draw_below(random, 4000); /* beyond scripts, and pieces that are not packed */
    case 1:
    case 2:
        return draw_below(random, 3);
    case 3:
    case 4:
    case 5:
    case 6:
        return draw_below(random, 4 * p + 1);
    default:
        return draw_below(random, 300);
    }
}

static void draw_operator(uint64_t *random)
{
    const bool first = draw_below(random, 2) == 0;
    if (!collective()->reducing)
        the.op = OP_NONE;
    else if (the.spec.ordered)
        the.op = OP_COMPOSED;
    else if (the.kind == INTS)
        the.op = first ? OP_SUM : OP_MAX;
    else
        the.op = OP_SUMMED;
    if (the.op == OP_COMPOSED && the.kind == INTS)
        the.kind = WORDS;
}

/* Who owns how much, and where nothing is combined, in another order and with gaps. */
static void draw_counts(uint64_t *random)
{
    const int p = the.spec.p, rule = draw_below(random, 4), gap = draw_below(random, 3);
    const uint64_t seed = draw(random);
    const size_t bytes = ((size_t)p + 1) * sizeof(int64_t);
    if (!collective()->distributed)
        return;
    if (rule != RB_COUNTS_REGULAR) {
        const struct rb_counts counts = {.rule = (enum rb_counts_rule)rule, .seed = seed};
        the.layout.first = the.first = sm_memory(bytes);
        rb_counts_deal(&counts, p, 1, the.elements, the.first);
    }
    the.begin = sm_memory(bytes);
    the.end = sm_memory(bytes);
    const bool shuffled = the.op == OP_NONE && the.first != NULL && gap > 0;
    int64_t place = 0;
    for (int r = p - 1; r >= 0; r--) {
        const int64_t first = rb_layout_offset(the.plan, &the.layout, r, 0);
        const int64_t end = rb_layout_offset(the.plan, &the.layout, r, rb_plan_blocks(the.plan));
        the.begin[r] = shuffled ? place : first;
        the.end[r] = the.begin[r] + end - first;
        place += end - first + gap;
    }
    if (shuffled)
        the.span = place;
    if (the.first != NULL)
        the.displacement = the.begin;
}

struct sm_nature case_nature(uint64_t *random, int p, const struct limits *limits)
{
    const int kind = draw_below(random, 12), k = draw_below(random, 30) + 1,
              rank = draw_below(random, p);
    static const int eager[] = {0, 64, 1 << 20, 1 << 10};
    sm_most_elements = draw_below(random, 3) == 0 ? 5 : INT32_MAX;
    struct sm_nature nature = {.seed = draw(random),
                               .surprises = limits->most[LIMIT_SURPRISES],
                               .order = draw_below(random, SM_ORDERS),
                               .late = (int[]){0, 20, 1000}[draw_below(random, 3)],
                               .eager_bytes = (size_t)eager[draw_below(random, 4)],
                               .level = draw_below(random, 4),
                               .failing = kind < 3 ? rank : -1};
    nature.world_quirk = draw_below(random, 2) == 0 && nature.level != MPI_THREAD_MULTIPLE;
    if (kind < 3)
        *(kind == 0 ? &nature.allocation : kind == 1 ? &nature.call : &nature.message) = k;
    return nature;
}

/* Another size at one rank, unless something else fails. */
static void draw_wrong(uint64_t *random, const struct sm_nature *nature)
{
    const bool is_wrong = draw_below(random, 10) == 0, is_more = draw_below(random, 2) == 0;
    const int rank = draw_below(random, the.spec.p),
              more = draw_below(random, 2) * draw_below(random, 9) + 1;
    the.wrong_rank = -1;
    if (!is_wrong || nature->failing >= 0 || the.first != NULL || the.elements == 0)
        return;
    the.wrong_rank = rank;
    the.wrong_elements = is_more ? the.elements + more : the.elements * 3 / 4;
}

static void draw_case(uint64_t seed, const struct limits *limits, struct sm_nature *nature)
{
    static const int widths[] = {1, 1, 2, 3, 4, 9};
    uint64_t random = seed;
    memset(&the, 0, sizeof the);
    draw_plan(&random, limits);
    the.width = (int)case_limited(limits, LIMIT_WIDTH, widths[draw_below(&random, 6)]);
    the.runs = (int)case_limited(limits, LIMIT_RUNS, 1 + draw_below(&random, 3));
    the.kind = (int)case_limited(limits, LIMIT_KIND, draw_below(&random, KINDS + 1));
    draw_operator(&random);
    the.elements = the.span =
        case_limited(limits, LIMIT_ELEMENTS, draw_elements(&random, the.spec.p));
    the.layout = (struct rb_layout){.bytes = the.elements, .element = 1};
    the.scripted = draw(&random);
    the.data_seed = draw(&random);
    the.wants_whole = draw_below(&random, 2) == 0;
    if (the.plan == NULL)
        return;
    draw_counts(&random);
    *nature = case_nature(&random, the.spec.p, limits);
    if (sm_most_elements < the.elements / 100) /* too many pieces for a short case */
        sm_most_elements = 100;
    draw_wrong(&random, nature);
}

static void describe(char *text, size_t size)
{
    const struct sm_nature *nature = &sm_nature;
    const int length = snprintf(
        text, size,
        "%s %s, p = %d, root %d, n = %lld, %d ports%s%s%s, window:%d, %lld "
        "elements of %s%s, op "
        "%s, %d runs",
        the.spec.collective, the.spec.algorithm, the.spec.p, the.spec.root, (long long)the.spec.n,
        rb_plan_ports(the.plan), the.spec.groups != NULL ? ", groups " : "",
        the.spec.groups != NULL ? the.spec.groups : "", the.spec.ordered ? ", ordered" : "",
        the.width, (long long)the.elements, the.kind == WORDS ? "words" : kind_name[the.kind],
        the.first != NULL ? ", irregular" : "", op_name[the.op], the.runs);
    if (nature->failing >= 0)
        snprintf(text + length, size - (size_t)length,
                 "; on rank %d fails allocation %lld, call %lld, message %lld", nature->failing,
                 (long long)nature->allocation, (long long)nature->call,
                 (long long)nature->message);
    if (the.wrong_rank >= 0)
        snprintf(text + length, size - (size_t)length, "; rank %d has %lld elements",
                 the.wrong_rank, (long long)the.wrong_elements);
}

/* ---- The reference --------------------------------------------------------------------------- */

static void combine(const uint32_t left[], const uint32_t right[], uint32_t result[])
{
    switch (the.op) {
    case OP_MAX:
        result[0] = left[0] > right[0] ? left[0] : right[0];
        break;
    case OP_COMPOSED:
        result[1] = left[1] * right[0] + right[1];
        result[0] = left[0] * right[0];
        break;
    default:
        result[0] = left[0] + right[0];
        if (the.type.words == 2)
            result[1] = left[1] ^ right[1];
    }
}

static uint32_t *word(char *data, int64_t element, int k)
{
    return data_word(&the.type, data, element, k);
}

static void make_reference(void)
{
    const int words = the.type.words;
    for (int r = 0; r < the.spec.p && the.op != OP_NONE; r++) {
        the.prefix[r] = sm_memory((size_t)(the.elements * words) * sizeof(uint32_t));
        for (int64_t e = 0; e < the.elements; e++) {
            uint32_t mine[2], *result = &the.prefix[r][e * words];
            for (int k = 0; k < words; k++)
                mine[k] = *word(the.before[r], e, k);
            if (r > 0)
                combine(&the.prefix[r - 1][e * words], mine, result);
            else
                memcpy(result, mine, (size_t)words * sizeof *mine);
        }
    }
}

/* Whose data must be at the elements [*first, *end) of a rank in the end, or after reductions: of
 * ranks up to which they are combined; -1: nobody's. `owner`: of distributed data, that of the
 * elements. */
static int source_of(int rank, int owner)
{
    const int p = the.spec.p, root = the.spec.root;
    return is("bcast")            ? root
           : is("reduce")         ? (rank == root ? p - 1 : -1)
           : is("allreduce")      ? p - 1
           : is("scan")           ? rank
           : is("exscan")         ? rank - 1
           : is("reduce-scatter") ? (rank == owner ? p - 1 : -1)
           : is("scatter")        ? (rank == owner ? root : -1)
           : is("gather")         ? (rank == root ? owner : -1)
           : is("allgather")      ? owner
                                  : -2;
}

static void check_elements(int rank, int run, int from, int64_t first, int64_t end)
{
    char *got = the.dst[rank];
    const int words = the.type.words;
    if (from < -1)
        sm_fault("there is no reference for %s", the.spec.collective);
    for (int64_t e = first; e < end && from >= 0; e++)
        for (int k = 0; k < words; k++) {
            const uint32_t right =
                the.op == OP_NONE ? *word(the.before[from], e, k) : the.prefix[from][e * words + k];
            if (*word(got, e, k) != right)
                sm_fault("rank %d, run %d: word %d of element %lld is %08x, not %08x", rank, run, k,
                         (long long)e, *word(got, e, k), right);
        }
}

static void check(int rank, int run)
{
    const size_t bytes = data_room(&the.type, the.span);
    char *gaps = sm_memory(bytes), *gaps_before = sm_memory(bytes);
    for (int r = 0; r < the.spec.p && the.begin != NULL; r++)
        check_elements(rank, run, source_of(rank, r), the.begin[r], the.end[r]);
    if (the.begin == NULL)
        check_elements(rank, run, source_of(rank, -1), 0, the.span);
    memcpy(gaps, the.dst[rank], bytes);
    memcpy(gaps_before, the.before[rank], bytes);
    for (int64_t e = 0; e < the.span; e++)
        for (int k = 0; k < the.type.words; k++)
            *word(gaps, e, k) = *word(gaps_before, e, k) = 0;
    if (memcmp(gaps, gaps_before, bytes) != 0)
        sm_fault("rank %d, run %d: bytes that are no data have changed", rank, run);
}

/* ---- A rank ---------------------------------------------------------------------------------- */

/* The error of a run is what it must be. */
static void check_error(int rank, int run, int error)
{
    const bool wrong = sm_got_long[rank] || (the.wants_whole && sm_got_short[rank]);
    if (error != MPI_SUCCESS && !sm_failed[rank] && !wrong)
        sm_fault("rank %d, run %d: the error %d, though nothing failed", rank, run, error);
    if (error == MPI_SUCCESS && (wrong || (sm_failed[rank] && sm_nature.allocation == 0)))
        sm_fault("rank %d, run %d: an error is not returned", rank, run);
    if (error != MPI_SUCCESS && sm_nature.allocation > 0 && error != MPI_ERR_NO_MEM)
        sm_fault("rank %d, run %d: the error %d for want of memory", rank, run, error);
}

/* With another size at one rank: true if all whose data depend on it must get an error. */
static bool is_told(int rank)
{
    return the.wants_whole && rank != the.wrong_rank && rb_plan_blocks(the.plan) == 1 &&
           !collective()->distributed;
}

static int run_plan(int rank, int run, struct exec_run *with, struct exec_context *executor)
{
    struct rb_layout layout = the.layout;
    if (run == 0 && rank == the.wrong_rank)
        layout.bytes = the.wrong_elements;
    with->layout = &layout;
    sm_got_long[rank] = sm_got_short[rank] = false;
    sm_inside[rank] = true;
    const int error = subjects[rank].run(executor, with);
    sm_inside[rank] = false;
    check_error(rank, run, error);
    if (error != MPI_SUCCESS && sm_failed[rank]) {
        the.gave_up[rank] = true;
        if (subjects[rank].run(executor, with) != error)
            sm_fault("rank %d goes on after the error %d", rank, error);
    } else if (run > 0 || the.wrong_rank < 0 || (error == MPI_SUCCESS && is_told(rank))) {
        check(rank, run);
    }
    return error;
}

static void run_all(int rank, MPI_Comm comm, const struct exec_elements *elements,
                    struct exec_context *executor)
{
    const struct subject *subject = &subjects[rank];
    const size_t bytes = data_room(&the.type, the.span);
    struct rb_rank state;
    struct exec_script script = {0};
    char *buffers[2];
    int64_t room = exec_tmp_room(the.plan, &the.layout) > the.span
                       ? exec_tmp_room(the.plan, &the.layout)
                       : the.span;
    room += the.wrong_elements;
    rb_plan_rank(the.plan, rank, &state);
    buffers[0] = sm_allocate(data_room(&the.type, the.span + the.wrong_elements));
    buffers[1] = sm_allocate(data_room(&the.type, room));
    struct exec_run run = {.plan = the.plan,
                           .state = &state,
                           .comm = comm,
                           .first_tag = 4096,
                           .buffer = {buffers[0], the.dst[rank], buffers[1]},
                           .elements = elements,
                           .width = the.width,
                           .wants_whole = the.wants_whole,
                           .script = (the.scripted >> rank & 1) != 0 ? &script : NULL};
    run.rows[RB_SRC].displacement = run.rows[RB_DST].displacement = the.displacement;
    for (int i = 0; i < the.runs && !the.gave_up[rank]; i++) {
        memcpy(the.dst[rank], the.before[rank], bytes);
        memcpy(buffers[0], the.before[rank], bytes);
        memset(buffers[1], 0x77, data_room(&the.type, room));
        run_plan(rank, i, &run, executor);
    }
    sm_free(buffers[0]);
    sm_free(buffers[1]);
    subject->free_script(&script);
}

static MPI_Op op_of(const struct operators *own)
{
    return (MPI_Op[]){MPI_OP_NULL, MPI_SUM, MPI_MAX, own->summed, own->composed}[the.op];
}

static void be_rank(int rank)
{
    const struct subject *subject = &subjects[rank];
    struct data_type type = case_type(the.kind);
    struct operators own = operators_make();
    struct exec_elements elements;
    MPI_Comm comm;
    PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (sm_nature.call > 0) /* where errors of calls without a communicator go */
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (subject->elements_of(type.type, op_of(&own), &elements) != MPI_SUCCESS)
        sm_fault("rank %d: the datatype is not understood", rank);
    struct exec_context *executor = subject->create();
    run_all(rank, comm, &elements, executor);
    subject->destroy(executor);
    case_free_type(the.kind, &type);
    operators_free(&own);
    PMPI_Comm_free(&comm);
}

/* ---- The whole ------------------------------------------------------------------------------- */

void case_check_end(int p, bool all_ended, const bool gave_up[], bool keeps_memory)
{
    char text[8000];
    bool anyone_gave_up = false;
    for (int r = 0; r < p; r++)
        anyone_gave_up = anyone_gave_up || gave_up[r];
    sm_describe(text, sizeof text);
    if (!all_ended && !anyone_gave_up)
        sm_fault("nobody goes on:%s", text);
    if (!anyone_gave_up && sm_messages_left(text, sizeof text))
        sm_fault("%s", text);
    for (int r = 0; r < p && all_ended; r++) {
        if (sm_allocated(r) != 0 && !keeps_memory)
            sm_fault("rank %d has lost %lld pieces of memory", r, (long long)sm_allocated(r));
        for (int kind = 0; kind < SM_KINDS; kind++)
            if (sm_objects(r, (enum sm_kind)kind) != 0 && !(sm_failed[r] && kind == SM_KEY))
                sm_fault("rank %d has lost a %s", r, sm_kind_name[kind]);
    }
}

void executor_run(uint64_t seed, const struct limits *limits, char *text, size_t size)
{
    struct sm_nature nature = {.failing = -1};
    sm_begin();
    draw_case(seed, limits, &nature);
    if (the.plan == NULL) {
        snprintf(text, size, "%s %s has no plan for %d ranks", the.spec.collective,
                 the.spec.algorithm, the.spec.p);
        return;
    }
    sm_world_begin(&nature, the.spec.p);
    the.type = case_type(the.kind);
    for (int r = 0; r < the.spec.p; r++) {
        const size_t bytes =
            data_room(&the.type, the.span + (r == the.wrong_rank ? the.wrong_elements : 0));
        the.before[r] = sm_allocate(bytes);
        the.dst[r] = sm_allocate(bytes);
        uint64_t random = the.data_seed + (uint64_t)r;
        for (size_t i = 0; i < bytes; i++)
            the.before[r][i] = (char)(i % 8 == 0 ? draw(&random) : random >> i % 8 * 8);
    }
    make_reference();
    describe(text, size);
    case_check_end(the.spec.p, sm_run(be_rank), the.gave_up, false);
    case_had.most[LIMIT_SURPRISES] = sm_surprises();
    rb_plan_destroy(the.plan);
}
