/* smpi_names.c - the names of SMPI's own algorithms, which SMPI itself provides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/isolate.h"
#include "smpi.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_NAMES = 64 };

/* NULL: irregular counts give no choice. */
static const struct {
    const char *ours, *regular, *irregular;
} names[] = {
    {"bcast", "bcast", "bcast"},
    {"reduce", "reduce", "reduce"},
    {"allgather", "allgather", "allgatherv"},
    {"reduce-scatter", "reduce_scatter", "reduce_scatter"},
    {"allreduce", "allreduce", "allreduce"},
    {"scatter", "scatter", NULL},
    {"gather", "gather", NULL},
    {"alltoall", "alltoall", "alltoallv"},
};

/* These choose for every collective, also for those that another is made of. */
static const char *const selectors[] = {"default", "ompi", "mpich", "mvapich2", "impi"};

static bool is_selector(const char *name)
{
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
        if (strcmp(selectors[i], name) == 0)
            return true;
    return false;
}

static const char *name_of(const struct rb_collective_info *collective, bool irregular)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].ours, collective->name) == 0)
            return irregular ? names[i].irregular : names[i].regular;
    return NULL;
}

int simmpi_native_option(const struct sim_native *native, bool irregular, char *option, size_t size,
                         struct sup_error *error)
{
    const char *what = name_of(native->collective, irregular);
    if (what == NULL)
        return sup_fail(error, RB_EINVAL,
                        "native:%s: SMPI has no choice of %s for counts other than regular",
                        native->algorithm, native->collective->name);
    if (is_selector(native->algorithm))
        what = "coll-selector";
    snprintf(option, size, "smpi/%s:%s", what, native->algorithm);
    return RB_OK;
}

static int try_option(void *context, FILE *reply, struct sup_error *error)
{
    (void)reply;
    (void)error;
    simmpi_try_option(context);
    return RB_OK;
}

/* RB_EINVAL: the nearest of the names in SMPI's complaint "... Valid algorithms: a, b, c.". */
static int no_such_name(const struct rb_collective_info *collective, const char *name,
                        char *complaint, struct sup_error *error)
{
    static const char before[] = "Valid algorithms: ";
    const char *known[MOST_NAMES], *nearest = NULL;
    size_t count = 0;
    char *list = strstr(complaint, before);
    char all[sizeof error->text];
    char *refused = list != NULL ? strstr(list, ", automatic") : NULL;
    if (refused != NULL) /* the last of them */
        *refused = '\0';
    snprintf(all, sizeof all, "%s", list != NULL ? list + sizeof before - 1 : complaint);
    if (list != NULL) {
        for (char *word = strtok(list + sizeof before - 1, ", ."); word && count < MOST_NAMES;
             word = strtok(NULL, ", ."))
            known[count++] = word;
        nearest = sup_nearest_word(name, known, count);
    }
    if (nearest != NULL)
        return sup_fail(error, RB_EINVAL,
                        "SMPI has no %s \"%s\" of its own; did you mean native:%s?",
                        collective->name, name, nearest);
    return sup_fail(error, RB_EINVAL, "SMPI has no %s \"%s\" of its own; it has %s",
                    collective->name, name, all);
}

int simmpi_find_native(const struct rb_collective_info *collective, const char *name,
                       struct sup_error *error)
{
    if (name_of(collective, false) == NULL)
        return sup_fail(error, RB_EINVAL, "native:%s: no %s of SMPI's own is known here", name,
                        collective->name);
    if (strcmp(name, "automatic") == 0)
        return sup_fail(error, RB_EINVAL,
                        "native:automatic ends in a deadlock, since SMPI tries its algorithms one "
                        "after the other; name one");
    char option[128], *reply;
    size_t size;
    struct sup_error why;
    snprintf(option, sizeof option, "smpi/%s:%s", name_of(collective, false), name);
    int status = sim_isolate("SMPI", try_option, option, &reply, &size, &why);
    if (status == RB_OK) {
        free(reply);
        return RB_OK;
    }
    sup_had_memory(status != RB_ENOMEM);
    return no_such_name(collective, name, why.text, error);
}
