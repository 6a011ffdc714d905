#include "support/names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "support/memory.h"
#include "support/units.h"

/* ---- Collectives ----------------------------------------------------------------------------- */

const struct rb_collective_info *sup_collective_named(const char *text)
{
    static const char *const others[][2] = {{"broadcast", "bcast"},
                                            {"reduce-scatter-block", "reduce-scatter"},
                                            {"reducescatter", "reduce-scatter"},
                                            {"allgatherv", "allgather"},
                                            {"alltoallv", "alltoall"},
                                            {"all-to-all", "alltoall"},
                                            {"all-to-allv", "alltoall"},
                                            {"gatherv", "gather"},
                                            {"scatterv", "scatter"}};
    char name[48];
    size_t length = 0;
    if (strncasecmp(text, "MPI_", 4) == 0)
        text += 4;
    for (; *text != '\0'; text++) {
        if (length == sizeof name - 1)
            return NULL;
        name[length++] = *text == '_' || *text == ' ' ? '-' : (char)tolower((unsigned char)*text);
    }
    name[length] = '\0';
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return rb_collective_find(others[i][1]);
    return rb_collective_find(name);
}

bool sup_plan_is_supported(const struct rb_plan_spec *spec)
{
    errno = 0;
    const bool supported = rb_plan_is_supported(spec);
    sup_had_memory(supported || errno != ENOMEM);
    return supported;
}

char *sup_collective_names(const char *list)
{
    char *names;
    size_t size;
    FILE *stream = sup_memory_open(&names, &size);
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        char *name = sup_strndup(at, length);
        const struct rb_collective_info *info = sup_collective_named(name);
        fprintf(stream, "%s%.*s", info == NULL ? name : info->name, at[length] == ',', ",");
        free(name);
        at += length;
        if (*at == '\0')
            break;
    }
    sup_memory_close(stream, &names);
    return names;
}

/* ---- Libraries ------------------------------------------------------------------------------- */

static const struct name {
    const char *text, *library;
    bool derived; /* another library, of which the same is known */
} names[] = {
    {"ompi", "ompi", false},
    {"openmpi", "ompi", false},
    {"customompi", "ompi", true},
    {"hpcx", "ompi", true},
    {"mpich", "mpich", false},
    {"mpich2", "mpich", false},
    {"mpich3", "mpich", false},
    {"mpich4", "mpich", false},
    {"craympich", "mpich", true},
    {"impi", "impi", false},
    {"intelmpi", "impi", false},
    {"intel(r)mpi", "impi", false},
    {"intel(r)mpilibrary", "impi", false},
    {"intelmpilibrary", "impi", false},
    {"mvapich2", "mvapich2", false},
    {"mvapich", "mvapich2", false},
    {"ucc", "ucc", false},
    {"fjmpi", "fujitsu", false},
    {"fujitsu", "fujitsu", false},
    {"fujitsumpi", "fujitsu", false},
    {"nccl", "nccl", false},
    {"rccl", "nccl", true},
    {"ncclmodel", "nccl", true},
    {"smpi", "smpi", false},
};

/* True if the text is the name, perhaps with a version. */
static bool is_named(const char *text, const char *name)
{
    for (;; text++, name++) {
        const char *begin = text;
        text += strspn(text, "_- ");
        if (*name == '\0' && *text == '\0')
            return true;
        if (*name == '\0') {
            text += strspn(text, "/@");
            return text > begin && (isdigit((unsigned char)*text) ||
                                    (*text == 'v' && isdigit((unsigned char)text[1])));
        }
        if (tolower((unsigned char)*text) != *name)
            return false;
    }
}

static const struct name *find(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_named(text, names[i].text))
            return &names[i];
    return NULL;
}

const char *sup_library_named(const char *text)
{
    const struct name *name = find(text);
    return name == NULL ? NULL : name->library;
}

const char *sup_library_title(const char *text)
{
    static const char *const titles[][2] = {{"ompi", "Open MPI"},       {"mpich", "MPICH"},
                                            {"impi", "Intel MPI"},      {"mvapich2", "MVAPICH2"},
                                            {"fujitsu", "Fujitsu MPI"}, {"ucc", "UCC"},
                                            {"nccl", "NCCL"},           {"smpi", "SMPI"}};
    const struct name *name = find(text);
    for (size_t i = 0; name != NULL && !name->derived && i < sizeof titles / sizeof *titles; i++)
        if (strcmp(titles[i][0], name->library) == 0)
            return titles[i][1];
    return text;
}

bool sup_same_library(const char *a, const char *b)
{
    const struct name *left = find(a), *right = find(b);
    if (left == NULL || right == NULL)
        return strcmp(a, b) == 0;
    return left == right ||
           (strcmp(left->library, right->library) == 0 && !left->derived && !right->derived);
}

char *sup_algorithm_names(const char *list)
{
    static const char native[] = "native:";
    char *names_;
    size_t size;
    FILE *stream = sup_memory_open(&names_, &size);
    for (;;) {
        const size_t length = strcspn(list, ",");
        char *word = sup_strndup(list, length);
        const bool is_native = strncmp(word, native, sizeof native - 1) == 0;
        const char *library = is_native ? sup_library_named(word + sizeof native - 1) : NULL;
        fprintf(stream, "%s%s", library == NULL ? word : native, library == NULL ? "" : library);
        free(word);
        if (list[length] == '\0')
            break;
        fputc(',', stream);
        list += length + 1;
    }
    sup_memory_close(stream, &names_);
    return names_;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static const char *const rule_names[] = {
    [RB_COUNTS_REGULAR] = "regular",
    [RB_COUNTS_MOD3] = "mod3",
    [RB_COUNTS_DEGENERATE] = "degenerate",
};
enum { RULE_NAMES = sizeof rule_names / sizeof rule_names[0], MOST_PARTS = 1 << 30 };

int sup_counts_parse(const char *text, struct rb_counts *counts, struct sup_error *error)
{
    *counts = (struct rb_counts){0};
    for (int i = 0; i < RULE_NAMES; i++)
        if (strcmp(text, rule_names[i]) == 0) {
            counts->rule = (enum rb_counts_rule)i;
            return RB_OK;
        }
    counts->rule = RB_COUNTS_RANDOM;
    const int status = sup_parse_random("counts", text, &counts->seed, error);
    if (status != RB_ENOTSUP)
        return status;
    return sup_fail(error, RB_EINVAL,
                    "counts '%s' are unknown: there are regular, mod3, degenerate and random:SEED "
                    "(a whole number, by default 1)",
                    text);
}

const char *sup_counts_format(const struct rb_counts *counts, char *buffer, size_t size)
{
    if (counts->rule == RB_COUNTS_RANDOM)
        snprintf(buffer, size, "random:%" PRIu64, counts->seed);
    else
        snprintf(buffer, size, "%s", rule_names[counts->rule]);
    return buffer;
}

int sup_counts_check(const struct rb_counts *counts, const struct rb_collective_info *collective,
                     struct sup_error *error)
{
    char text[32];
    if (counts->rule == RB_COUNTS_REGULAR || (collective->distributed && !collective->fixed_counts))
        return RB_OK;
    if (collective->fixed_counts)
        return sup_fail(
            error, RB_EINVAL,
            "%s: the instance of %s says how much each rank has: counts must be regular",
            sup_counts_format(counts, text, sizeof text), collective->name);
    return sup_fail(error, RB_EINVAL,
                    "%s: the data of %s are not divided among the ranks: counts must be regular",
                    sup_counts_format(counts, text, sizeof text), collective->name);
}

int sup_counts_apply(const struct rb_counts *counts, const struct rb_collective_info *collective,
                     int32_t p, struct rb_layout *layout, int64_t **first, struct sup_error *error)
{
    *first = NULL;
    layout->first = NULL;
    int status = sup_counts_check(counts, collective, error);
    if (status != RB_OK || counts->rule == RB_COUNTS_REGULAR)
        return status;
    const int32_t parts = collective->personalized ? p : 1;
    if ((int64_t)p * parts > MOST_PARTS)
        return sup_fail(error, RB_EINVAL,
                        "irregular counts of %s are kept for each pair of ranks: p must be at most "
                        "32768, not %d",
                        collective->name, p);
    *first = sup_calloc((size_t)p * (size_t)parts + 1, sizeof **first);
    rb_counts_deal(counts, p, parts, layout->bytes / layout->element, *first);
    layout->first = *first;
    return RB_OK;
}
