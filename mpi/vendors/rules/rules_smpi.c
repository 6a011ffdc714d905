/* rules_smpi.c - options of SimGrid's SMPI, one for each collective, which smpirun takes on its
 * command line.
 *
 *     --cfg=smpi/bcast:scatter_LR_allgather
 *
 * There are no rules by size or ranks: the algorithm of a collective is that with the least mean
 * loss over all points with times. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <string.h>

#include "mpi/vendors/rules/rules_format.h"

static const struct rules_call calls[] = {
    {"bcast", "bcast", -1, RULES_BLIND},
    {"reduce", "reduce", -1, RULES_BLIND},
    {"allreduce", "allreduce", -1, RULES_BLIND},
    {"allgather", "allgather", -1, RULES_BLIND},
    {"alltoall", "alltoall", -1, RULES_BLIND},
    {"reduce-scatter", "reduce_scatter", -1, RULES_BLIND},
    {"gather", "gather", -1, RULES_BLIND},
    {"scatter", "scatter", -1, RULES_BLIND},
    {NULL, NULL, -1, RULES_ALL},
};

static const char option[] = "--cfg=smpi/";

static int write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error)
{
    (void)head, (void)error;
    for (size_t i = 0; i < table->count; i++) {
        const struct rules_rule *rule = &table->rule[i];
        if (rule->row != NULL)
            fprintf(stream, "%s%s:%s\n", option, rule->call->call, rule->row->name);
    }
    return RB_OK;
}

static int read_option(const struct rules_text *text, char *at, struct rules_file *file,
                       struct sup_error *error)
{
    if (strncmp(at, option, sizeof option - 1) != 0)
        return rules_complain(text, error, "\"%.60s\" must begin with %s", at, option);
    at += sizeof option - 1;
    char *name = strchr(at, ':');
    if (name == NULL)
        return rules_complain(text, error, "\"%.60s\" must be COLLECTIVE:ALGORITHM", at);
    *name++ = '\0';
    const struct rules_call *call = rules_call_named(file->format, at);
    if (call == NULL)
        return RB_OK;
    struct rules_line *line = rules_add(file, call, mpilib_named("smpi", call->collective, name));
    snprintf(line->name, sizeof line->name, "%s", name);
    return RB_OK;
}

static int read_line(const struct rules_text *text, char *line, struct rules_file *file,
                     struct sup_error *error)
{
    int status = RB_OK;
    char *rest;
    for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && status == RB_OK;
         word = strtok_r(NULL, " \t\r", &rest))
        status = read_option(text, word, file, error);
    return status;
}

static int parse(struct rules_text *text, struct rules_file *file, struct sup_error *error)
{
    return rules_each_line(text, NULL, read_line, file, error);
}

static bool is_mine(const char *text, size_t size)
{
    return size >= sizeof option && memcmp(text, option, sizeof option - 1) == 0;
}

const struct rules_format rules_smpi = {
    .name = "smpi",
    .title = "options of SimGrid's SMPI",
    .library = "smpi",
    .call = calls,
    .one_choice = true,
    .most_bytes = INT64_MAX,
    .write = write,
    .parse = parse,
    .is_mine = is_mine,
    .last_wins = true,
};
