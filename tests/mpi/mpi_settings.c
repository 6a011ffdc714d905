/* mpi_settings.c - every setting on every shape of hosts: all algorithms of the registry, with and
 * without options, chosen and by a decision file. The result is that of the MPI library's own
 * function; the plan serves if there is one, and otherwise the report says that there is none.
 *
 *   mpirun -n P mpi_settings [--splits N] [--seed S]
 *
 * The seed draws RB_HOSTS and RB_RAILS for all ranks together. These are cut into random groups in
 * random order, N times in all, which therefore have hosts of other sizes. Exit status 1 if a case
 * failed; the command that repeats it is printed. */
#define _POSIX_C_SOURCE 200809L /* setenv, mkstemp */
#include <roundabout-mpi.h>
#include <roundabout.h>
#include <stdio.h>
#include <unistd.h>

#include "mpi/library/call.h"
#include "mpi/library/hosts.h"
#include "mpi_data.h"
#include "mpi_groups.h"

enum { MOST_RANKS = 16, MOST_COUNT = 100, ELEMENT = 8, MOST_TEXT = 64 };

static char hosts_text[MOST_TEXT];
static int rails; /* 0: not said */

struct group {
    MPI_Comm comm;
    int p, rank;
    struct lib_hosts_order hosts;
    MPI_Datatype type; /* two words */
    struct operators operators;
};

struct test_case {
    enum lib_function which;
    const struct rb_algorithm_info *algorithm;
    char setting[MOST_TEXT];
    bool decided; /* by the file; the setting is the algorithm alone */
    int64_t n;
    int radix, root, count;
    bool ordered;
};

/* ---- Settings -------------------------------------------------------------------------------- */

/* The place of an algorithm among its collective's, from 1 on: its elements in a decided case. */
static int place_of(const struct rb_algorithm_info *algorithm)
{
    const struct rb_algorithm_info *other;
    int place = 1;
    for (int32_t i = 0; (other = rb_algorithm_at(i)) != algorithm; i++)
        place += strcmp(other->collective, algorithm->collective) == 0;
    return place;
}

/* How many parts of `count` elements all the data have. */
static int parts_of(enum lib_function which, int p)
{
    switch (which) {
    case LIB_CALL_ALLTOALL:
        return p * p;
    case LIB_CALL_ALLGATHER:
    case LIB_CALL_REDUCE_SCATTER:
    case LIB_CALL_SCATTER:
    case LIB_CALL_GATHER:
        return p;
    default:
        return 1;
    }
}

/* A rule for each algorithm and p, told apart by their bytes. The library reads it at once. */
static void decide(void)
{
    char name[] = "/tmp/mpi_settings.XXXXXX";
    const struct rb_algorithm_info *algorithm;
    FILE *file = fdopen(mkstemp(name), "w");
    fprintf(file, CHOICE_DECISIONS_HEADER "\n");
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++) {
        const int which = lib_function_of(algorithm->collective);
        for (int p = 1; p <= MOST_RANKS && which >= 0; p++)
            fprintf(file, "%s %d %d %s\n", algorithm->collective, p,
                    parts_of((enum lib_function)which, p) * ELEMENT * place_of(algorithm),
                    algorithm->name);
    }
    fclose(file);
    setenv("RB_DECISIONS", name, 1);
    if (lib_settings_wrong() != NULL)
        fprintf(stderr, "%s\n", lib_settings_wrong());
    remove(name);
}

static void draw_environment(uint64_t seed)
{
    size_t length = 0;
    for (int i = 0, sizes = 1 + draw_below(&seed, 4); i < sizes; i++)
        length += (size_t)snprintf(hosts_text + length, sizeof hosts_text - length, "%s%d",
                                   i > 0 ? "," : "", 1 + draw_below(&seed, 4));
    setenv("RB_HOSTS", hosts_text, 1);
    setenv("RB_ONLINE", draw_below(&seed, 2) == 0 ? "off" : "rounding", 1);
    rails = draw_below(&seed, 5);
    char rails_text[MOST_TEXT];
    snprintf(rails_text, sizeof rails_text, "%d", rails);
    if (rails > 0)
        setenv("RB_RAILS", rails_text, 1);
    decide();
}

static void draw_case(struct test_case *test, const struct rb_algorithm_info *algorithm, int p,
                      bool decided, uint64_t *random)
{
    *test = (struct test_case){.which = (enum lib_function)lib_function_of(algorithm->collective),
                               .algorithm = algorithm,
                               .decided = decided,
                               .n = 1,
                               .root = draw_below(random, 2) * draw_below(random, p),
                               .count = draw_below(random, MOST_COUNT),
                               .ordered = draw_below(random, 4) == 0};
    int length = snprintf(test->setting, MOST_TEXT, "%s", algorithm->name);
    if (decided)
        test->count = place_of(algorithm);
    if (!decided && draw_below(random, 2) == 0) {
        test->n = 1 + draw_below(random, 12);
        length += snprintf(test->setting + length, MOST_TEXT - (size_t)length, ":n=%d,window=%d",
                           (int)test->n, 1 + draw_below(random, 5));
        if (algorithm->radix != NULL) {
            test->radix = 2 + draw_below(random, p + 2);
            snprintf(test->setting + length, MOST_TEXT - (size_t)length, ",r=%d", test->radix);
        }
    }
}

static void print_case(const struct test_case *test, const struct group *group, const char *what)
{
    fprintf(stderr, "%s of %s %s: %s: p = %d, hosts of %s, root %d, %d elements%s\n",
            test->decided ? "decision" : "setting", lib_function_name(test->which), test->setting,
            what, group->p, group->hosts.sizes, test->root, test->count,
            test->ordered ? ", not commutative" : "");
}

/* ---- Running it ------------------------------------------------------------------------------ */

#define CALL(name, ...) (ours ? RB_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

static int run(const struct test_case *test, const struct group *group, const void *sent,
               void *received, bool ours)
{
    const MPI_Op op = test->ordered ? group->operators.composed : group->operators.summed;
    const MPI_Datatype type = group->type;
    const MPI_Comm comm = group->comm;
    const int count = test->count, root = test->root;
    switch (test->which) {
    case LIB_CALL_BCAST:
        return CALL(Bcast, received, count, type, root, comm);
    case LIB_CALL_REDUCE:
        return CALL(Reduce, sent, received, count, type, op, root, comm);
    case LIB_CALL_ALLREDUCE:
        return CALL(Allreduce, sent, received, count, type, op, comm);
    case LIB_CALL_SCAN:
        return CALL(Scan, sent, received, count, type, op, comm);
    case LIB_CALL_EXSCAN:
        return CALL(Exscan, sent, received, count, type, op, comm);
    case LIB_CALL_ALLGATHER:
        return CALL(Allgather, sent, count, type, received, count, type, comm);
    case LIB_CALL_REDUCE_SCATTER:
        return CALL(Reduce_scatter_block, sent, received, count, type, op, comm);
    case LIB_CALL_ALLTOALL:
        return CALL(Alltoall, sent, count, type, received, count, type, comm);
    case LIB_CALL_SCATTER:
        return CALL(Scatter, sent, count, type, received, count, type, root, comm);
    default:
        return CALL(Gather, sent, count, type, received, count, type, root, comm);
    }
}

/* Whether there is such a plan. One by hosts keeps the order of their ranks, which may not be that
 * of the operands. */
static bool is_possible(const struct test_case *test, const struct group *group)
{
    const struct lib_hosts_order *hosts = &group->hosts;
    const struct rb_algorithm_info *info = test->algorithm;
    const bool by_host = info->groups && hosts->position != NULL;
    const bool is_rooted = test->which == LIB_CALL_BCAST || test->which == LIB_CALL_REDUCE ||
                           test->which == LIB_CALL_SCATTER || test->which == LIB_CALL_GATHER;
    const bool reduces = test->which == LIB_CALL_REDUCE || test->which == LIB_CALL_ALLREDUCE ||
                         test->which == LIB_CALL_REDUCE_SCATTER || test->which == LIB_CALL_SCAN ||
                         test->which == LIB_CALL_EXSCAN;
    const int root = is_rooted ? test->root : 0;
    const bool scans = test->which == LIB_CALL_SCAN || test->which == LIB_CALL_EXSCAN;
    if (by_host && ((reduces && test->ordered) || scans))
        return false;
    const struct rb_plan_spec spec = {.collective = info->collective,
                                      .algorithm = info->name,
                                      .p = group->p,
                                      .ports = info->own_nic ? group->p : 1,
                                      .n = test->n,
                                      .root = by_host && is_rooted ? hosts->position[root] : root,
                                      .radix = test->radix,
                                      .ordered = test->ordered && reduces,
                                      .groups = info->groups ? hosts->sizes : NULL};
    struct rb_plan *plan;
    const int status = rb_plan_create(&spec, &plan, NULL, 0);
    if (status == RB_OK)
        rb_plan_destroy(plan);
    return status == RB_OK;
}

/* How many calls this algorithm has served, or, if it is NULL, the MPI library instead of it. */
static int64_t calls_by(enum lib_function which, const struct rb_algorithm_info *algorithm)
{
    const struct report *report = lib_recorded();
    int64_t calls = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct report_row *row = &report->rows[i];
        if (strcmp(row->collective, lib_function_name(which)) == 0 && row->algorithm == algorithm &&
            (algorithm != NULL || row->reason == REPORT_UNSERVED || row->reason == REPORT_OPERATOR))
            calls += row->calls;
    }
    return calls;
}

/* NULL: it is right. */
static const char *run_case(const struct test_case *test, const struct group *group, uint64_t seed)
{
    const size_t bytes = (size_t)(group->p * test->count) * ELEMENT + 1;
    void *sent = data_random(bytes, seed + (uint64_t)group->rank);
    void *received = data_random(bytes, ~seed + (uint64_t)group->rank);
    void *expected = data_copy(received, bytes);
    const bool possible = is_possible(test, group);
    const struct rb_algorithm_info *server = possible ? test->algorithm : NULL;
    const bool falls_to_others =
        test->decided &&
        (!possible ||
         (test->algorithm->groups && (group->hosts.hosts == 1 || group->hosts.hosts == group->p)));
    RB_Choose(lib_function_name(test->which), test->decided ? NULL : test->setting);
    const int64_t before = calls_by(test->which, server);
    const char *wrong = NULL;
    run(test, group, sent, expected, false);
    if (run(test, group, sent, received, true) != MPI_SUCCESS)
        wrong = "an error";
    else if (memcmp(received, expected, bytes) != 0)
        wrong = "another result";
    else if (!falls_to_others && calls_by(test->which, server) != before + 1)
        wrong = possible ? "the plan did not serve" : "the report doesn't say that no plan serves";
    free(sent);
    free(received);
    free(expected);
    return wrong;
}

/* ---- Groups of ranks ------------------------------------------------------------------------- */

/* The host of a rank of MPI_COMM_WORLD, as RB_HOSTS says. */
static int host_of(int rank)
{
    for (int host = 0;; host++)
        for (const char *text = hosts_text; text != NULL; text = strchr(text, ',')) {
            const int size = atoi(text += *text == ',');
            if (rank < size)
                return host * MOST_TEXT + (int)(text - hosts_text);
            rank -= size;
        }
}

/* Where a rank of MPI_COMM_WORLD is, as RB_HOSTS and RB_RAILS say. */
static struct lib_place place_in_world(int rank)
{
    const int host = host_of(rank);
    int world, first = rank, end = rank;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    while (first > 0 && host_of(first - 1) == host)
        first--;
    while (end < world && host_of(end) == host)
        end++;
    return (struct lib_place){
        .host = host, .interface = (rank - first) * rails / (end - first), .near = rails};
}

static struct group make_group(MPI_Comm comm, uint64_t *random)
{
    struct group group = {.operators = operators_make(), .type = data_type_of(PAIRS).type};
    struct lib_place places[MOST_RANKS], place;
    int mine, key = 0;
    MPI_Comm_rank(comm, &group.rank);
    uint64_t own = draw(random) + (uint64_t)group.rank;
    if (draw_below(random, 2) == 0)
        key = draw_below(&own, MOST_RANKS);
    MPI_Comm_split(comm, 0, key, &group.comm);
    MPI_Comm_set_errhandler(group.comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(group.comm, &group.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    place = place_in_world(mine);
    MPI_Comm_rank(group.comm, &group.rank);
    MPI_Allgather(&place, sizeof place, MPI_BYTE, places, sizeof place, MPI_BYTE, group.comm);
    lib_hosts_order_make(places, group.p, &group.hosts);
    return group;
}

static void run_group(MPI_Comm comm, uint64_t *random, int counts[2])
{
    struct group group = make_group(comm, random);
    const struct rb_algorithm_info *algorithm;
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++)
        for (int k = 0; k < 3 && lib_function_of(algorithm->collective) >= 0; k++) {
            struct test_case test;
            draw_case(&test, algorithm, group.p, k == 0, random);
            const char *wrong = run_case(&test, &group, draw(random));
            int all = wrong != NULL;
            MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LOR, group.comm);
            counts[0]++;
            counts[1] += all;
            if (wrong != NULL)
                print_case(&test, &group, wrong);
        }
    lib_hosts_order_free(&group.hosts);
    operators_free(&group.operators);
    MPI_Type_free(&group.type);
    MPI_Comm_free(&group.comm);
}

/* The hosts of all ranks are found before those of a part. */
static bool start(void)
{
    int world, value = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    if (world > MOST_RANKS || lib_record_start() != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    RB_Choose("bcast", "circulant");
    return RB_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct test_program program = {
        .name = "mpi_settings", .splits = 8, .before = start, .run = run_group};
    draw_environment(argument(argc, argv, "--seed", 1));
    return run_test_program(&program, argc, argv);
}
