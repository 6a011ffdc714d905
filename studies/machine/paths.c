/* paths.c - critical paths of measured rows, kept (machine.h). */
#include "studies/machine/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

/* Larger messages need a rendezvous, as with the usual thresholds of 8 to 64 KiB. */
static const double rendezvous_bytes = 32768;

enum {
    MOST_MESSAGES = 2 << 20,  /* of the plans that are kept: 100 MB */
    MOST_OPERATIONS = 1 << 25 /* rounds * ranks of a plan: after a slip such as --ppn 1000000 */
};

struct plan {
    struct rb_plan_spec spec;
    struct path_plan *list; /* NULL: not made, or made and given up for room */
    int64_t operations;     /* at most; 0: not known yet */
    int status;
    char why[160];
};

struct known {
    double m_bytes;
    struct path path;
};

/* Rows that differ only in m. */
struct family {
    int32_t plan;
    struct path_setting setting; /* but m_bytes */
    struct known *known;         /* by rising m */
    size_t count;
};

struct mach_paths {
    path_cost *cost;
    const void *context;
    struct plan *plan;
    size_t plans;
    struct family *family;
    size_t families;
    struct path scaled;
    struct path_room room;
    int64_t limit;
    int64_t messages;
};

struct mach_paths *mach_paths_create(path_cost *cost, const void *context)
{
    struct mach_paths *paths = sup_calloc(1, sizeof *paths);
    paths->cost = cost;
    paths->context = context;
    return paths;
}

void mach_paths_forget(struct mach_paths *paths)
{
    for (size_t i = 0; i < paths->families; i++) {
        struct family *family = &paths->family[i];
        for (size_t k = 0; k < family->count; k++)
            path_free(&family->known[k].path);
        free(family->known);
        family->known = NULL;
        family->count = 0;
    }
}

void mach_paths_destroy(struct mach_paths *paths)
{
    if (paths == NULL)
        return;
    mach_paths_forget(paths);
    for (size_t i = 0; i < paths->plans; i++)
        path_plan_destroy(paths->plan[i].list);
    path_free(&paths->scaled);
    path_room_free(&paths->room);
    free(paths->plan);
    free(paths->family);
    free(paths);
}

void mach_paths_limit(struct mach_paths *paths, int64_t operations)
{
    paths->limit = operations;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static int32_t plan_of(struct mach_paths *paths, const struct rows_row *row)
{
    const int64_t n = rows_blocks(row);
    for (size_t i = 0; i < paths->plans; i++) {
        const struct rb_plan_spec *spec = &paths->plan[i].spec;
        if (spec->p == row->p && spec->n == n && spec->radix == row->radix &&
            spec->root == row->root && strcmp(spec->collective, row->collective) == 0 &&
            strcmp(spec->algorithm, row->algorithm) == 0)
            return (int32_t)i;
    }
    sup_grow(&paths->plan, paths->plans, sizeof *paths->plan);
    paths->plan[paths->plans] = (struct plan){.spec = {.collective = row->collective,
                                                       .algorithm = row->algorithm,
                                                       .p = row->p,
                                                       .root = row->root,
                                                       .n = n,
                                                       .radix = row->radix}};
    return (int32_t)paths->plans++;
}

static void make_room(struct mach_paths *paths, const struct plan *but)
{
    while (paths->messages > MOST_MESSAGES) {
        struct plan *longest = NULL;
        for (size_t i = 0; i < paths->plans; i++) {
            struct plan *plan = &paths->plan[i];
            if (plan->list != NULL && plan != but &&
                (longest == NULL ||
                 path_plan_messages(plan->list) > path_plan_messages(longest->list)))
                longest = plan;
        }
        if (longest == NULL)
            return;
        paths->messages -= path_plan_messages(longest->list);
        path_plan_destroy(longest->list);
        longest->list = NULL;
    }
}

/* Makes the plan's list of messages if it isn't there. */
static int list_of(struct mach_paths *paths, struct plan *plan, struct sup_error *error)
{
    struct rb_plan *made = NULL;
    if (plan->list != NULL)
        return RB_OK;
    if (paths->limit > 0 && plan->operations > paths->limit)
        return sup_fail(error, RB_ENOTSUP, "the plan is too long for now");
    if (plan->status == RB_OK) {
        plan->status = rb_plan_create(&plan->spec, &made, plan->why, sizeof plan->why);
        if (plan->status == RB_EINVAL)
            plan->status = RB_ENOTSUP;
    }
    if (plan->status != RB_OK)
        return sup_fail(error, plan->status, "%s",
                        plan->status == RB_ENOMEM ? "out of memory" : plan->why);
    plan->operations = rb_plan_rounds(made) * rb_plan_ranks(made);
    if (paths->limit > 0 && plan->operations > paths->limit) {
        rb_plan_destroy(made);
        return sup_fail(error, RB_ENOTSUP, "the plan is too long for now");
    }
    const int status =
        plan->operations > MOST_OPERATIONS
            ? sup_fail(error, RB_ENOTSUP,
                       "its plan has %" PRId64 " operations, and at most %d are followed",
                       plan->operations, MOST_OPERATIONS)
            : path_plan_create(made, &plan->list, error);
    rb_plan_destroy(made);
    if (status == RB_ENOTSUP) {
        plan->status = status;
        snprintf(plan->why, sizeof plan->why, "%.150s", error->text);
    }
    if (status == RB_OK) {
        paths->messages += path_plan_messages(plan->list);
        make_room(paths, plan);
    }
    return status;
}

/* ---- Families -------------------------------------------------------------------------------- */

/* The torus that the hosts form, such as 8x8x8; none if the text is not one for so many hosts. */
static void extents_of(const char *shape, int32_t hosts, int32_t extent[3])
{
    int a, b, c, end = 0;
    const bool torus = sscanf(shape, "%5dx%5dx%5d%n", &a, &b, &c, &end) == 3 &&
                       shape[end] == '\0' && a > 0 && b > 0 && c > 0 && (int64_t)a * b * c == hosts;
    extent[0] = torus ? a : 0;
    extent[1] = torus ? b : 0;
    extent[2] = torus ? c : 0;
}

static bool same_setting(const struct path_setting *a, const struct path_setting *b)
{
    return a->style == b->style && a->ppn == b->ppn && a->by_block == b->by_block &&
           a->packs == b->packs && a->asked == b->asked &&
           memcmp(a->extent, b->extent, sizeof a->extent) == 0;
}

static struct family *family_of(struct mach_paths *paths, int32_t plan,
                                const struct path_setting *setting)
{
    for (size_t i = 0; i < paths->families; i++)
        if (paths->family[i].plan == plan && same_setting(&paths->family[i].setting, setting))
            return &paths->family[i];
    sup_grow(&paths->family, paths->families, sizeof *paths->family);
    paths->family[paths->families] = (struct family){.plan = plan, .setting = *setting};
    return &paths->family[paths->families++];
}

static bool is_bytes(enum path_kind kind)
{
    return kind != PATH_LATENCY && kind != PATH_HOST_LATENCY && kind != PATH_OVERHEAD;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(a);
}

/* True if both paths are the same messages, whose sizes are in proportion to m. */
static bool same_messages(const struct known *a, const struct known *b)
{
    const double ratio = b->m_bytes / a->m_bytes;
    if (a->path.count != b->path.count)
        return false;
    for (int32_t i = 0; i < a->path.count; i++) {
        const struct path_term *s = &a->path.term[i], *t = &b->path.term[i];
        if (s->kind != t->kind || !near(s->bytes * ratio, t->bytes) ||
            !near(is_bytes(s->kind) ? s->weight * ratio : s->weight, t->weight))
            return false;
    }
    return true;
}

static void scale(struct path *to, const struct known *from, double m_bytes)
{
    const double ratio = m_bytes / from->m_bytes;
    struct path_term *term = to->term =
        sup_reallocarray(to->term, (size_t)from->path.count, sizeof *to->term);
    to->count = from->path.count;
    to->time_s = NAN;
    for (int32_t i = 0; i < to->count; i++) {
        term[i] = from->path.term[i];
        term[i].bytes *= ratio;
        if (is_bytes(term[i].kind))
            term[i].weight *= ratio;
    }
}

static int find(struct mach_paths *paths, struct family *family, size_t at,
                const struct path_setting *setting, struct sup_error *error)
{
    struct known found = {.m_bytes = setting->m_bytes};
    struct plan *plan = &paths->plan[family->plan];
    const int status = list_of(paths, plan, error);
    if (status != RB_OK)
        return status;
    path_find(plan->list, setting, paths->cost, paths->context, &paths->room, &found.path);
    sup_grow(&family->known, family->count, sizeof *family->known);
    memmove(&family->known[at + 1], &family->known[at],
            (family->count - at) * sizeof *family->known);
    family->known[at] = found;
    family->count++;
    return RB_OK;
}

int mach_paths_of(struct mach_paths *paths, const struct rows_row *row, const struct path **path,
                  struct sup_error *error)
{
    static const enum path_style styles[] = {[MPILIB_IN_ROUNDS] = PATH_IN_ROUNDS,
                                             [MPILIB_TOGETHER] = PATH_BATCHES,
                                             [MPILIB_POSTED] = PATH_POSTED};
    struct path_setting setting = {.style = styles[row->manner.sends],
                                   .ppn = row->ranks_per_node,
                                   .m_bytes = (double)row->m_bytes,
                                   .rendezvous_bytes = rendezvous_bytes,
                                   .by_block = row->manner.by_block,
                                   .packs = row->manner.packs,
                                   .asked = row->manner.asked};
    extents_of(row->shape, row->nodes, setting.extent);
    struct family *family = family_of(paths, plan_of(paths, row), &setting);
    size_t at = 0;
    while (at < family->count && family->known[at].m_bytes < setting.m_bytes)
        at++;
    const bool known = at < family->count && family->known[at].m_bytes <= setting.m_bytes;
    if (!known && at > 0 && at < family->count &&
        same_messages(&family->known[at - 1], &family->known[at])) {
        scale(&paths->scaled, &family->known[at - 1], setting.m_bytes);
        *path = &paths->scaled;
        return RB_OK;
    }
    const int status = known ? RB_OK : find(paths, family, at, &setting, error);
    if (status == RB_OK)
        *path = &family->known[at].path;
    return status;
}
