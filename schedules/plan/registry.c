/* registry.c - the collectives and algorithms of list.h, and those of libraries that were added,
 * by name and number; and what many of them have in common. */
#include <stdatomic.h>
#include <string.h>

#include "schedules/plan/plan.h"

/* ---- Common preconditions and postconditions of collectives, common costs of algorithms ------ */

int64_t rb_dst_of_all(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                      int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

int64_t rb_src_of_all(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                      int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_SRC ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

int64_t rb_dst_of_owner(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                        int32_t owner, int64_t index)
{
    return rank == owner && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

int64_t rb_dst_of_root(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    return rank == plan->root && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

double rb_cost_of_all(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes);
}

double rb_cost_of_others(const struct rb_plan *plan, double bytes, double alpha_s,
                         double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * alpha_s + (p - 1) / p * bytes * beta_s_per_byte;
}

double rb_cost_of_parts(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / plan->p);
}

/* ---- The registry ---------------------------------------------------------------------------- */

static const struct rb_collective *const collectives[] = {
#define RB_COLLECTIVE(name) &name,
#define RB_ALGORITHM(name)
#include "list.h"
};

static const struct rb_algorithm *const algorithms[] = {
#define RB_COLLECTIVE(name)
#define RB_ALGORITHM(name) &name,
#include "list.h"
};

static const struct rb_library core = {
    .name = "roundabout",
    .release = RB_VERSION,
    .collectives = sizeof collectives / sizeof collectives[0],
    .collective = collectives,
    .algorithms = sizeof algorithms / sizeof algorithms[0],
    .algorithm = algorithms,
};

/* In the order of listing, up to the first NULL. A library is put there in one step, once it is
 * known to be in order, so that a reader sees all of it or nothing. */
static _Atomic(const struct rb_library *) libraries[1 + RB_MAX_LIBRARIES + 1] = {&core};

static const struct rb_library *library_at(int32_t i)
{
    return atomic_load_explicit(&libraries[i], memory_order_acquire);
}

static const struct rb_collective *collective_of(const struct rb_library *library, const char *name)
{
    for (int32_t i = 0; i < library->collectives; i++)
        if (strcmp(library->collective[i]->info.name, name) == 0)
            return library->collective[i];
    return NULL;
}

/* name NULL: the first of the collective. */
static const struct rb_algorithm *algorithm_of(const struct rb_library *library,
                                               const char *collective, const char *name)
{
    for (int32_t i = 0; i < library->algorithms; i++) {
        const struct rb_algorithm_info *info = &library->algorithm[i]->info;
        if ((name == NULL || (info->name[0] == name[0] && strcmp(info->name, name) == 0)) &&
            strcmp(info->collective, collective) == 0)
            return library->algorithm[i];
    }
    return NULL;
}

const struct rb_collective *rb_collective_named(const char *name)
{
    const struct rb_library *library;
    const struct rb_collective *found = NULL;
    for (int32_t i = 0; found == NULL && (library = library_at(i)) != NULL; i++)
        found = collective_of(library, name);
    return found == NULL && strcmp(name, rb_none.info.name) == 0 ? &rb_none : found;
}

static _Atomic(rb_resolver *) resolver;

void rb_resolve_by(rb_resolver *by)
{
    atomic_store_explicit(&resolver, by, memory_order_release);
}

bool rb_is_file(const char *algorithm)
{
    return strncmp(algorithm, "file:", 5) == 0;
}

const struct rb_algorithm *rb_algorithm_named(const char *collective, const char *name, char *why,
                                              size_t why_size)
{
    const struct rb_library *library;
    const struct rb_algorithm *found = NULL;
    rb_resolver *resolve = atomic_load_explicit(&resolver, memory_order_acquire);
    if (resolve != NULL && name != NULL && rb_is_file(name) &&
        (collective == NULL || rb_collective_named(collective) != NULL))
        return resolve(collective, name, why, why_size);
    for (int32_t i = 0; found == NULL && (library = library_at(i)) != NULL; i++)
        found = algorithm_of(library, collective, name);
    if (found == NULL)
        rb_why(why, why_size, RB_EINVAL, "there is no algorithm '%s' for %s",
               name == NULL ? "" : name, collective);
    return found;
}

const struct rb_collective_info *rb_collective_at(int32_t i)
{
    const struct rb_library *library;
    for (int32_t k = 0; i >= 0 && (library = library_at(k)) != NULL; k++) {
        if (i < library->collectives)
            return &library->collective[i]->info;
        i -= library->collectives;
    }
    return NULL;
}

const struct rb_algorithm_info *rb_algorithm_at(int32_t i)
{
    const struct rb_library *library;
    for (int32_t k = 0; i >= 0 && (library = library_at(k)) != NULL; k++) {
        if (i < library->algorithms)
            return &library->algorithm[i]->info;
        i -= library->algorithms;
    }
    return NULL;
}

const struct rb_collective_info *rb_collective_find(const char *name)
{
    const struct rb_collective *collective = rb_collective_named(name);
    return collective == NULL ? NULL : &collective->info;
}

const struct rb_algorithm_info *rb_algorithm_get(const char *collective, const char *name,
                                                 char *why, size_t why_size)
{
    const struct rb_algorithm *algorithm = rb_algorithm_named(collective, name, why, why_size);
    return algorithm == NULL ? NULL : &algorithm->info;
}

bool rb_takes_root(const struct rb_algorithm_info *algorithm)
{
    return algorithm->root != NULL || rb_collective_find(algorithm->collective)->rooted;
}

const struct rb_algorithm_info *rb_algorithm_find(const char *collective, const char *name)
{
    return rb_algorithm_get(collective, name, NULL, 0);
}

/* Whether a library is of this release, its names are its own alone, and its algorithms have their
 * collectives. */
static int check_library(const struct rb_library *library, char *why, size_t why_size)
{
    /* Its descriptors and its use of struct rb_plan are those of its release. */
    if (library->release == NULL || strcmp(library->release, RB_VERSION) != 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "%s: it was compiled with release %s, the core is of release " RB_VERSION,
                      library->name, library->release == NULL ? "\"\"" : library->release);
    for (int32_t i = 0; i < library->collectives; i++) {
        const char *name = library->collective[i]->info.name;
        if (rb_collective_named(name) != NULL ||
            collective_of(library, name) != library->collective[i])
            return rb_why(why, why_size, RB_EINVAL, "%s: there is a collective %s already",
                          library->name, name);
    }
    for (int32_t i = 0; i < library->algorithms; i++) {
        const struct rb_algorithm_info *info = &library->algorithm[i]->info;
        if (rb_collective_named(info->collective) == NULL &&
            collective_of(library, info->collective) == NULL)
            return rb_why(why, why_size, RB_EINVAL, "%s: algorithm %s: there is no collective %s",
                          library->name, info->name, info->collective);
        if (rb_algorithm_named(info->collective, info->name, NULL, 0) != NULL ||
            algorithm_of(library, info->collective, info->name) != library->algorithm[i])
            return rb_why(why, why_size, RB_EINVAL, "%s: there is an algorithm %s for %s already",
                          library->name, info->name, info->collective);
    }
    return RB_OK;
}

/* If another thread takes the place that was free, the names are checked again. */
int rb_library_add(const struct rb_library *library, char *why, size_t why_size)
{
    for (;;) {
        int32_t place = 0;
        const struct rb_library *there;
        for (; (there = library_at(place)) != NULL; place++)
            if (there == library)
                return RB_OK;
        if (place > RB_MAX_LIBRARIES)
            return rb_why(why, why_size, RB_ENOMEM, "%s: there are %d libraries already",
                          library->name, RB_MAX_LIBRARIES);
        const int status = check_library(library, why, why_size);
        if (status != RB_OK && library_at(place) == NULL)
            return status;
        if (status == RB_OK && atomic_compare_exchange_strong(&libraries[place], &there, library))
            return RB_OK;
    }
}
