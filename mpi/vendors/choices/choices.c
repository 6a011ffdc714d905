#include "mpi/vendors/choices/choices.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "mpi/vendors/names/mpilib.h"

/* ---- Rules ----------------------------------------------------------------------------------- */

/* The last rule that applies to a call counts. */
struct rule {
    const char *library;
    const char *collective; /* the call's: "allgatherv" */
    const char *where;      /* a word of applies(); "": everywhere */
    int32_t ppn;            /* equal on all hosts; 0: any */
    int32_t ranks;          /* from so many on */
    const char *unit;       /* of `bytes`: all data, a share, or the elements of all data */
    int64_t bytes;          /* from so many on */
    const char *algorithm;  /* SMPI's; @mpich: what this library chooses; x/y: x over the hosts'
                             * first ranks, y inside hosts */
};
static const struct rule rules[] = {
#include "choices.inc"
};

/* The last that applies counts. */
struct segment {
    const char *collective, *algorithm;
    double bytes, per_rank; /* from bytes + per_rank p on */
    int64_t segment;        /* bytes; 0: the message isn't cut */
};
static const struct segment segments[] = {
#include "segments.inc"
};

/* The ranks that take part: all of a call, the first ranks of hosts, or the ranks of a host. */
struct members {
    const struct mpilib_call *call;
    int32_t p, ppn;
    bool world;
};

static bool is_even(const struct members *members)
{
    return members->world && members->p % members->ppn == 0;
}

static bool applies(const char *where, const struct members *members)
{
    const int32_t p = members->p;
    const int64_t elements = members->call->bytes / members->call->element;
    if (strcmp(where, "world") == 0)
        return members->world;
    if (strcmp(where, "uniform") == 0) /* as many ranks on each host */
        return is_even(members);
    if (strcmp(where, "power") == 0)
        return (p & (p - 1)) == 0;
    if (strcmp(where, "even") == 0)
        return p % 2 == 0;
    if (strcmp(where, "odd") == 0)
        return p % 2 != 0;
    if (strcmp(where, "few") == 0) /* fewer elements than the largest power of two up to p */
        return 2 * elements <= p || elements < (INT64_C(1) << (rb_ceil_log2(p + 1) - 1));
    return true;
}

static int64_t divide_up(int64_t bytes, int64_t by)
{
    return bytes / by + (bytes % by != 0);
}

static int64_t shares_of(const struct members *members)
{
    const bool pairs = strcmp(members->call->collective, "alltoall") == 0;
    return pairs ? (int64_t)members->p * members->p : members->p;
}

/* A rank's part of the data, or a pair's, in whole elements. */
static int64_t share_of(const struct members *members)
{
    const struct mpilib_call *call = members->call;
    return divide_up(call->bytes / call->element, shares_of(members)) * call->element;
}

/* Of the data: calls with one count for all ranks have as many equal shares as there are. */
static int64_t all_of(const struct members *members)
{
    static const char *const counted[] = {"allgather", "alltoall", "gather", "scatter"};
    const struct mpilib_call *call = members->call;
    int64_t all = call->bytes;
    for (size_t i = 0; i < sizeof counted / sizeof *counted && !call->irregular; i++)
        if (strcmp(counted[i], call->collective) == 0 &&
            __builtin_mul_overflow(share_of(members), shares_of(members), &all))
            all = INT64_MAX;
    return all;
}

static int64_t amount_of(const char *unit, const struct members *members)
{
    const int64_t bytes = strcmp(unit, "share") == 0 ? share_of(members) : all_of(members);
    return strcmp(unit, "elements") == 0 ? bytes / members->call->element : bytes;
}

static const char *find(const char *library, const struct members *members)
{
    const struct mpilib_call *call = members->call;
    const bool other = call->irregular && strcmp(call->collective, "reduce-scatter") != 0;
    const char *algorithm = NULL;
    char name[32];
    snprintf(name, sizeof name, "%s%s", call->collective, other ? "v" : "");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];
        if (strcmp(rule->library, library) == 0 && strcmp(rule->collective, name) == 0 &&
            applies(rule->where, members) && members->p >= rule->ranks &&
            (rule->ppn == 0 || (is_even(members) && members->ppn == rule->ppn)) &&
            amount_of(rule->unit, members) >= rule->bytes)
            algorithm = rule->algorithm;
    }
    return algorithm;
}

bool mpilib_chooses(const char *library)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].library, library) == 0)
            return true;
    return false;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* SMPI's algorithms of MPI_Allgatherv and MPI_Alltoallv by the names of those of MPI_Allgather and
 * MPI_Alltoall that send the same messages. */
static const char *regular_name(const struct mpilib_call *call, const char *name)
{
    static const char *const equal[][3] = {{"allgather", "mpich_ring", "NTSLR"},
                                           {"allgather", "mpich_rdb", "rdb"},
                                           {"allgather", "ompi_bruck", "bruck"},
                                           {"alltoall", "ompi_basic_linear", "basic_linear"},
                                           {"alltoall", "bruck", "mvapich2_scatter_dest"}};
    for (size_t i = 0; call->irregular && i < sizeof equal / sizeof *equal; i++)
        if (strcmp(equal[i][0], call->collective) == 0 && strcmp(equal[i][1], name) == 0)
            return equal[i][2];
    return name;
}

/* What the name stands for among these ranks: follows @mpich, but not @mpich/@mpich. */
static const char *resolve(const char *name, const struct members *members)
{
    while (name != NULL && name[0] == '@' && strchr(name, '/') == NULL)
        name = find(name + 1, members);
    return name;
}

const char *mpilib_without_plan(const struct sup_error *why, char name[96])
{
    const bool found =
        sscanf(why->text, "there is no plan that follows SMPI's %*s %95s for", name) == 1;
    return found ? name : why->text;
}

static int refuse(const struct mpilib_call *call, const char *name, struct sup_error *error)
{
    return sup_fail(error, RB_EINVAL,
                    "there is no plan that follows SMPI's %s %s for %" PRId32 " ranks, %" PRId32
                    " per host: use --engine smpi",
                    call->collective, name, call->p, call->ppn);
}

static const char *plan_of(const struct mpilib_algorithm *row)
{
    return row == NULL ? NULL : row->algorithm != NULL ? row->algorithm : row->follows;
}

static const struct mpilib_algorithm *row_of(const struct members *members, const char *name)
{
    const struct mpilib_call *call = members->call;
    const struct mpilib_algorithm *row =
        name == NULL ? NULL : mpilib_named("smpi", call->collective, regular_name(call, name));
    /* SMPI's rings of allreduce leave fewer elements than ranks to a reduction and a broadcast. */
    if (row != NULL && strcmp(call->collective, "allreduce") == 0 && plan_of(row) != NULL &&
        strstr(plan_of(row), "ring") != NULL && call->bytes / call->element < members->p)
        return NULL;
    return row != NULL && mpilib_serves(row, members->p, members->ppn) ? row : NULL;
}

/* What a library runs for a call that its choice does not serve, where SMPI's algorithm of that
 * name does something else: ompi/mca/coll/base/coll_base_allgather.c and coll_base_allreduce.c of
 * Open MPI 4.1. */
static const char *served(const char *library, const struct members *members, const char *name)
{
    static const char *const instead[][4] = {
        {"ompi", "allgather", "rdb", "bruck"},                   /* p is no power of two */
        {"ompi", "allgather", "ompi_neighborexchange", "NTSLR"}, /* p is odd */
        {"ompi", "allgather", "pair", "NTSLR"},                  /* two ranks: one exchange */
        {"ompi", "allreduce", "lr", "rdb"},                      /* fewer elements than ranks */
        {"ompi", "allreduce", "ompi_ring_segmented", "rdb"}};
    const struct mpilib_call *call = members->call;
    for (size_t i = 0; i < sizeof instead / sizeof *instead && call->itself && name != NULL; i++)
        if (strcmp(instead[i][0], library) == 0 && strcmp(instead[i][1], call->collective) == 0 &&
            strcmp(instead[i][2], name) == 0 && row_of(members, name) == NULL)
            return instead[i][3];
    return name;
}

/* The library's segments as a number of blocks. */
static int64_t blocks_of(const struct members *members, const char *name, const char *algorithm)
{
    const struct mpilib_call *call = members->call;
    const bool of_share = strcmp(call->collective, "gather") == 0;
    const int64_t amount = of_share ? share_of(members) : call->bytes;
    int64_t segment = 0;
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        const struct segment *row = &segments[i];
        if (strcmp(row->collective, call->collective) == 0 && strcmp(row->algorithm, name) == 0 &&
            (double)amount >= row->bytes + row->per_rank * members->p)
            segment = row->segment;
    }
    const bool halves = strcmp(algorithm, "split-binary") == 0;
    const bool phases = strcmp(algorithm, "segmented-ring") == 0;
    const int64_t cut = halves ? divide_up(amount, 2) : phases ? share_of(members) : amount;
    return segment == 0 || cut == 0 ? 1 : divide_up(cut, segment);
}

static int choose_levels(const char *pair, const struct members *members,
                         struct mpilib_choice *choice, struct sup_error *error)
{
    const struct mpilib_call *call = members->call;
    const struct members over = {call, (call->p - 1) / call->ppn + 1, 1, false};
    const struct members inside = {call, call->ppn, call->ppn, false};
    const char *slash = strchr(pair, '/');
    char first[64], plan[64];
    snprintf(first, sizeof first, "%.*s", (int)(slash - pair), pair);
    const char *above = resolve(first, &over), *below = resolve(slash + 1, &inside);
    const char *plans[] = {plan_of(row_of(&over, above)), plan_of(row_of(&inside, below))};
    snprintf(choice->name, sizeof choice->name, "%s over %s", above, below);
    snprintf(plan, sizeof plan, "%s-over-%s", plans[0] == NULL ? "" : plans[0],
             plans[1] == NULL ? "" : plans[1]);
    const struct rb_algorithm_info *info = rb_algorithm_find(call->collective, plan);
    if (info == NULL)
        return refuse(call, choice->name, error);
    choice->algorithm = info->name;
    choice->n = 1;
    choice->by_hosts = true;
    return RB_OK;
}

/* A reduction to rank 0 and a broadcast, each as the library chooses it. Segments are those of the
 * broadcast. */
static int choose_both(const char *library, const struct members *members,
                       struct mpilib_choice *choice, struct sup_error *error)
{
    static const char *const pairs[][3] = {{"knomial", "knomial", "nonoverlapping"},
                                           {"knomial", "binomial", "nonoverlapping"},
                                           {"knomial", "binary", "binomial-binary"},
                                           {"knomial", "chain", "binomial-chain"}};
    struct mpilib_call up = *members->call, down = up;
    up.collective = "reduce";
    down.collective = "bcast";
    const struct members first = {&up, up.p, up.ppn, true}, second = {&down, up.p, up.ppn, true};
    const char *names[] = {resolve(find(library, &first), &first),
                           resolve(find(library, &second), &second)};
    const struct mpilib_algorithm *rows[] = {row_of(&first, names[0]), row_of(&second, names[1])};
    const char *plans[] = {plan_of(rows[0]), plan_of(rows[1])};
    snprintf(choice->name, sizeof choice->name, "redbcast");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && plans[0] != NULL && plans[1] != NULL;
         i++)
        if (strcmp(pairs[i][0], plans[0]) == 0 && rows[0]->radix == 2 &&
            strcmp(pairs[i][1], plans[1]) == 0) {
            const struct rb_algorithm_info *info = rb_algorithm_find("allreduce", pairs[i][2]);
            const bool binomial = strcmp(plans[1], "binomial") == 0;
            choice->algorithm = info->name;
            choice->radix = info->radix == NULL ? 0 : binomial ? 2 : mpilib_radix(4, up.p);
            choice->n = blocks_of(&second, names[1], plans[1]);
            return RB_OK;
        }
    return refuse(members->call, choice->name, error);
}

int mpilib_choose(const char *name, const struct mpilib_call *call, struct mpilib_choice *choice,
                  struct sup_error *error)
{
    const struct members all = {call, call->p, call->ppn, true};
    const bool one_host = call->p <= call->ppn;
    const char *found = mpilib_chooses(name) ? resolve(find(name, &all), &all) : name;
    char single[64];
    *choice = (struct mpilib_choice){.n = 1};
    if (found == name && mpilib_named("smpi", NULL, name) == NULL)
        return sup_fail(error, RB_EINVAL,
                        "native:%s: a plan follows the choices of ompi, mpich, mvapich2, impi, and "
                        "algorithms of SMPI; for others use --engine smpi",
                        name);
    if (found == NULL)
        return refuse(call, name, error);
    found = served(name, &all, found);
    if (strcmp(found, "redbcast") == 0 && found != name)
        return choose_both(name, &all, choice, error);
    const char *slash = strchr(found, '/');
    if (slash != NULL && one_host) {
        const char *alone = find("one-host", &all);
        found =
            alone != NULL ? alone : resolve(slash + 1, &(struct members){call, call->p, 1, false});
    } else if (slash != NULL && call->ppn == 1) {
        snprintf(single, sizeof single, "%.*s", (int)(slash - found), found);
        found = resolve(single, &(struct members){call, call->p, 1, false});
    } else if (slash != NULL) {
        return choose_levels(found, &all, choice, error);
    }
    const struct mpilib_algorithm *row = row_of(&all, found);
    const char *plan = plan_of(row);
    const struct rb_algorithm_info *info =
        plan == NULL ? NULL : rb_algorithm_find(call->collective, plan);
    snprintf(choice->name, sizeof choice->name, "%s", found == NULL ? name : found);
    /* SMPI's algorithms by hosts do without them where hosts have different numbers of ranks. */
    if (info == NULL || (info->groups && !is_even(&all)))
        return refuse(call, choice->name, error);
    choice->algorithm = info->name;
    choice->radix = mpilib_radix(row->radix, call->p);
    choice->n = blocks_of(&all, found, info->name);
    choice->by_hosts = info->groups;
    return RB_OK;
}
