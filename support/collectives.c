/* collectives.c - see collectives.h. */
#include "support/collectives.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "support/memory.h"

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
