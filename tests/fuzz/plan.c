/* plan.c - any plan there can be: what is made verifies, its layout adds up, its rounds keep what
 * roundabout.h promises, and it is exported as CSV, JSON, GOAL and traces. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "command/verbs.h"
#include "fuzz.h"
#include "interchange/export/export.h"
#include "roundabout.h"

enum { MOST_RANKS = 13, MOST_BLOCKS = 6, MOST_OPS = 1 << 14, MOST_DATA = 1 << 14 };

static struct sup_error error;

static int32_t algorithms(void)
{
    int32_t count = 0;
    while (rb_algorithm_at(count) != NULL)
        count++;
    return count;
}

/* One byte in eight asks for values of any size; of such a plan only single rounds are looked at.
 */
static bool take_spec(struct fuzz_bytes *bytes, struct rb_plan_spec *spec, char instance[96])
{
    const bool wild = fuzz_take(bytes) % 8 == 7;
    const struct rb_algorithm_info *algorithm =
        rb_algorithm_at((int32_t)fuzz_take_int(bytes, 0, algorithms() - 1));
    const struct rb_collective_info *collective = rb_collective_find(algorithm->collective);
    *spec =
        (struct rb_plan_spec){.collective = algorithm->collective, .algorithm = algorithm->name};
    spec->p = (int32_t)fuzz_take_int(bytes, 1, wild ? 1 << 12 : MOST_RANKS);
    spec->n = wild ? fuzz_take_wild(bytes) : fuzz_take_int(bytes, 1, MOST_BLOCKS);
    spec->root = (int32_t)fuzz_take_int(bytes, -1, 255) % spec->p;
    spec->ports = (int32_t)(wild ? fuzz_take_wild(bytes) : fuzz_take_int(bytes, 0, 4));
    spec->ordered = fuzz_take(bytes) % 2 == 1;
    spec->radix = (int32_t)fuzz_take_int(bytes, 0, 9);
    if (collective->instance != NULL && collective->fixed_counts) {
        snprintf(instance, 96, "P=%d,r=%d,Q=%d,s=%d", (int)fuzz_take_int(bytes, 1, 5),
                 (int)fuzz_take_int(bytes, 1, wild ? 99 : 6), (int)fuzz_take_int(bytes, 1, 5),
                 (int)fuzz_take_int(bytes, 1, wild ? 99 : 6));
        const uint8_t length = fuzz_take(bytes);
        if (length > 0)
            snprintf(instance + strlen(instance), 96 - strlen(instance), ",M=%d", length);
        spec->instance = instance;
        if (rb_instance_ranks(spec->collective, instance, &spec->p, NULL, 0) != RB_OK)
            return false;
        spec->root = 0;
    } else if (collective->instance != NULL) {
        snprintf(instance, 96, "q=%" PRId64, fuzz_take_int(bytes, -1, 20));
        spec->instance = instance;
    }
    return wild;
}

/* ---- One round ------------------------------------------------------------------------------- */

static void check_range(const struct rb_plan *plan, const struct rb_range *range)
{
    FUZZ_ASSERT(range->buffer >= RB_SRC && range->buffer < RB_BUFFERS &&
                    rb_plan_has(plan, range->buffer),
                "buffer %d", (int)range->buffer);
    FUZZ_ASSERT(range->owner >= 0 && range->owner < rb_plan_ranks(plan) && range->first >= 0 &&
                    range->count >= 1 && range->count <= rb_plan_blocks(plan) &&
                    range->first <= rb_plan_blocks(plan) - range->count,
                "blocks %" PRId64 " + %" PRId64 " of %d", range->first, range->count, range->owner);
}

/* 0: sends, 1: receives, 2: local operations. */
static int phase_of(const struct rb_op *op)
{
    return op->kind == RB_SEND ? 0 : op->kind == RB_RECV || op->kind == RB_RECV_REDUCE ? 1 : 2;
}

static void check_round(const struct rb_plan *plan, int32_t rank, int64_t t, struct rb_op ops[])
{
    struct rb_rank state;
    rb_plan_rank(plan, rank, &state);
    const int32_t count = rb_plan_round(plan, &state, t, ops);
    FUZZ_ASSERT(count >= 0 && count <= rb_plan_max_ops(plan), "%d operations", count);
    const int64_t next = rb_plan_next(plan, &state, t);
    FUZZ_ASSERT(next >= t && next <= rb_plan_rounds(plan) && (count == 0 || next == t),
                "after round %" PRId64 " comes %" PRId64, t, next);
    for (int32_t i = 0; i < count; i++) {
        FUZZ_ASSERT(ops[i].peer >= 0 && ops[i].peer < rb_plan_ranks(plan) && ops[i].port >= 0 &&
                        ops[i].port < rb_plan_ports(plan),
                    "peer %d, port %d", ops[i].peer, ops[i].port);
        FUZZ_ASSERT(i == 0 || phase_of(&ops[i - 1]) <= phase_of(&ops[i]),
                    "sends, receives and local operations stand in this order");
        FUZZ_ASSERT((ops[i].peer == rank) == (phase_of(&ops[i]) == 2), "rank %d to %d", rank,
                    ops[i].peer);
        check_range(plan, &ops[i].at);
        if (phase_of(&ops[i]) == 2)
            check_range(plan, &ops[i].from);
    }
}

static void check_some_rounds(const struct rb_plan *plan)
{
    const int32_t p = rb_plan_ranks(plan);
    const int64_t rounds = rb_plan_rounds(plan);
    if (rb_plan_max_ops(plan) > MOST_OPS)
        return;
    struct rb_op *ops = malloc(((size_t)rb_plan_max_ops(plan) + 1) * sizeof *ops);
    const int64_t t[] = {0, 1, rounds / 2, rounds - 2, rounds - 1};
    const int32_t ranks[] = {0, p / 2, p - 1};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++)
            if (t[i] >= 0 && t[i] < rounds)
                check_round(plan, ranks[k], t[i], ops);
    free(ops);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* first is room for irregular counts. */
static bool take_layout(struct fuzz_bytes *bytes, const struct rb_plan *plan, bool wild,
                        struct rb_layout *layout, int64_t first[])
{
    const struct rb_collective_info *collective = rb_plan_collective(plan);
    const struct rb_counts counts = {.rule = (enum rb_counts_rule)(fuzz_take(bytes) % 4),
                                     .seed = fuzz_take(bytes)};
    layout->element = fuzz_take_int(bytes, 1, 16);
    layout->bytes = (wild ? fuzz_take_wild(bytes) : fuzz_take_int(bytes, 0, 65535));
    layout->bytes -= layout->bytes % layout->element;
    layout->first = NULL;
    if (rb_layout_check(layout, error.text, sizeof error.text) != RB_OK) {
        fuzz_check_error(&error);
        return false;
    }
    const int32_t owners = rb_plan_owners(plan), parts = rb_plan_parts(plan);
    if (counts.rule == RB_COUNTS_REGULAR || !collective->distributed || collective->fixed_counts ||
        (int64_t)owners * parts > MOST_DATA)
        return true;
    rb_counts_deal(&counts, owners, parts, layout->bytes / layout->element, first);
    layout->first = first;
    return true;
}

static void check_layout(const struct rb_plan *plan, const struct rb_layout *layout)
{
    int64_t end = 0;
    for (int32_t owner = 0; owner < rb_plan_owners(plan); owner++) {
        const int32_t whose = rb_plan_owners(plan) == 1 ? rb_plan_root(plan) : owner;
        FUZZ_ASSERT(rb_layout_offset(plan, layout, whose, 0) == end, "owner %d begins at %" PRId64,
                    owner, rb_layout_offset(plan, layout, whose, 0));
        for (int64_t i = 0; i < rb_plan_blocks(plan) && i < 64; i++) {
            const struct rb_range block = {RB_DST, whose, i, 1};
            const int64_t here = rb_layout_offset(plan, layout, whose, i);
            const int64_t next = rb_layout_offset(plan, layout, whose, i + 1);
            FUZZ_ASSERT(here <= next && next - here == rb_layout_bytes(plan, layout, &block) &&
                            here % layout->element == 0,
                        "block %" PRId64 " of %d: %" PRId64 "..%" PRId64, i, owner, here, next);
        }
        end = rb_layout_offset(plan, layout, whose, rb_plan_blocks(plan));
    }
    FUZZ_ASSERT(end == layout->bytes, "%" PRId64 " of %" PRId64 " bytes", end, layout->bytes);
}

/* ---- Exports --------------------------------------------------------------------------------- */

static void export_goal(const struct export_request *export)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort();
    const int status = export_write_goal(export, stream, &error);
    fclose(stream);
    if (status != RB_OK)
        fuzz_check_error(&error);
    else
        FUZZ_ASSERT(strncmp(text, "num_ranks ", 10) == 0, "%.40s", text);
    FUZZ_ASSERT((status == RB_OK) == (export->overlap.rule != SIM_LOCKSTEP), "status %d", status);
    free(text);
}

static void export_traces(const struct export_request *export)
{
    char directory[300], path[340];
    fuzz_path("traces", directory, sizeof directory);
    FUZZ_ASSERT(export_write_ti(export, directory, &error) == RB_OK, "%s", error.text);
    for (int32_t rank = 0; rank < rb_plan_ranks(export->plan); rank++) {
        snprintf(path, sizeof path, "%s/%d", directory, rank);
        FUZZ_ASSERT(unlink(path) == 0, "no trace of rank %d", rank);
    }
    snprintf(path, sizeof path, "%s/traces", directory);
    FUZZ_ASSERT(unlink(path) == 0 && rmdir(directory) == 0, "not only traces in the directory");
}

static size_t lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    FUZZ_ASSERT(file != NULL, "no %s", path);
    size_t lines = 0;
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

/* As the verb prints it: as many rows of CSV as of JSON. */
static void print(const struct rb_plan_spec *spec, const struct rb_layout *layout)
{
    char p[16], n[32], root[16], ports[16], radix[16], m[32], element[32], path[300];
    char *arguments[32] = {"--collective", (char *)spec->collective,
                           "--algorithm",  (char *)spec->algorithm,
                           "-n",           n,
                           "--ports",      ports,
                           "-m",           m,
                           "--element",    element,
                           "-o",           path,
                           "--format",     "csv"};
    int count = 16;
    char **const format = &arguments[15];
    snprintf(n, sizeof n, "%" PRId64, spec->n);
    snprintf(ports, sizeof ports, "%d", spec->ports > 0 ? spec->ports : 1);
    snprintf(m, sizeof m, "%" PRId64, layout->bytes);
    snprintf(element, sizeof element, "%" PRId64, layout->element);
    snprintf(p, sizeof p, "%d", spec->p);
    snprintf(root, sizeof root, "%d", spec->root);
    snprintf(radix, sizeof radix, "%d", spec->radix);
    if (spec->instance != NULL) {
        arguments[count++] = "--instance";
        arguments[count++] = (char *)spec->instance;
    }
    arguments[count++] = "-p";
    arguments[count++] = p;
    arguments[count++] = "--root";
    arguments[count++] = root;
    if (spec->radix > 0) {
        arguments[count++] = "--radix";
        arguments[count++] = radix;
    }
    if (spec->ordered)
        arguments[count++] = "--ordered";
    fuzz_path("plan", path, sizeof path);
    FUZZ_ASSERT(cli_verb_main(&verb_plan, count, arguments) == 0, "no CSV");
    const size_t lines = lines_of(path);
    unlink(path);
    *format = "json";
    FUZZ_ASSERT(cli_verb_main(&verb_plan, count, arguments) == 0, "no JSON");
    json_t *json = json_load_file(path, 0, NULL);
    unlink(path);
    FUZZ_ASSERT(json != NULL, "it is no JSON");
    FUZZ_ASSERT(json_array_size(json_object_get(json, "rows")) + 1 == lines, "%zu lines of CSV",
                lines);
    json_decref(json);
}

static void export_plan(struct fuzz_bytes *bytes, const struct rb_plan_spec *spec,
                        const struct rb_plan *plan, const struct rb_layout *layout)
{
    const uint8_t how = fuzz_take(bytes);
    struct export_request export = {.plan = plan, .layout = layout};
    switch (how % 32) {
    case 0:
    case 1:
    case 2:
    case 3:
        export.overlap = (struct sim_overlap){(enum sim_overlap_rule)(how % 4), 1 + how / 32};
        export_goal(&export);
        break;
    case 4:
        export.overlap.rule = SIM_BLOCKING;
        export_traces(&export);
        break;
    case 5:
        if (layout->first == NULL)
            print(spec, layout);
        break;
    default:
        break;
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void check_measures(const struct rb_plan *plan, const struct rb_verdict *verdict)
{
    int64_t stated;
    FUZZ_ASSERT(
        verdict->rounds == rb_plan_rounds(plan) && verdict->rounds >= rb_bound_rounds(plan) &&
            verdict->moves >= rb_bound_moves(plan),
        "%" PRId64 " rounds, %" PRId64 " moves, fewer than the bounds %" PRId64 ", %" PRId64,
        verdict->rounds, verdict->moves, rb_bound_rounds(plan), rb_bound_moves(plan));
    if (rb_plan_critical_volume(plan, &stated) == RB_OK)
        FUZZ_ASSERT(stated == verdict->critical_volume,
                    "%" PRId64 " blocks in sequence, not %" PRId64, verdict->critical_volume,
                    stated);
}

static void check_plan(struct fuzz_bytes *bytes, const struct rb_plan_spec *spec,
                       const struct rb_plan *plan, bool wild)
{
    static int64_t first[MOST_DATA + 1];
    struct rb_layout layout;
    struct rb_verdict verdict;
    double time_s;
    check_some_rounds(plan);
    if (!take_layout(bytes, plan, wild, &layout, first))
        return;
    check_layout(plan, &layout);
    if (rb_plan_cost(plan, &layout, 1e-6, 1e-9, &time_s) == RB_OK)
        FUZZ_ASSERT(time_s >= 0, "%g s", time_s);
    if (wild)
        return;
    FUZZ_ASSERT(rb_verify_plan(plan, NULL, &verdict) == RB_OK, "%s %s: %s", spec->collective,
                spec->algorithm, verdict.what);
    check_measures(plan, &verdict);
    FUZZ_ASSERT(rb_verify_plan(plan, &layout, &verdict) == RB_OK, "%s %s: %s", spec->collective,
                spec->algorithm, verdict.what);
    export_plan(bytes, spec, plan, &layout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    struct rb_plan_spec spec;
    struct rb_plan *plan;
    char instance[96];
    const bool wild = take_spec(&bytes, &spec, instance);
    if (spec.p < 1 || (!wild && spec.p > MOST_RANKS))
        return 0;
    if (rb_plan_create(&spec, &plan, error.text, sizeof error.text) != RB_OK) {
        fuzz_check_error(&error);
        return 0;
    }
    FUZZ_ASSERT(rb_plan_is_supported(&spec), "%s %s", spec.collective, spec.algorithm);
    check_plan(&bytes, &spec, plan, wild);
    rb_plan_destroy(plan);
    return 0;
}
