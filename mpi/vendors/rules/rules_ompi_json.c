/* rules_ompi_json.c - Open MPI's JSON file of rules (6.0), in the same parameter as the classic
 * one.
 *
 *     {"rule_file_version": 3, "module": "tuned", "collectives": {"bcast": [
 *       {"comm_size_min": 2, "comm_size_max": 64, "comm_rank_distribution": "any",
 *        "rules": [{"msg_size_min": 0, "msg_size_max": 4095, "alg": "binomial", "faninout": 0,
 *                   "seg_size": 0, "reqs": 0}]}]}}
 *
 * The reader here does what coll_tuned_dynamic_file.c does, from which the schema in Open MPI's
 * documentation differs: that lacks seg_size and has reducescatter for reduce_scatter. The first
 * communicator rule that holds counts, and in it the first rule for the message; a rule with an
 * unknown algorithm is left out. The reader stores "inf" of comm_size_max in an int, where it
 * becomes -1; so the writer leaves comm_size_max out. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "mpi/vendors/rules/rules_format.h"

/* Collectives that Open MPI knows and that have no rules here. */
static const char *const others[] = {"alltoallv",
                                     "alltoallw",
                                     "barrier",
                                     "gatherv",
                                     "scatterv",
                                     "neighbor_allgather",
                                     "neighbor_allgatherv",
                                     "neighbor_alltoall",
                                     "neighbor_alltoallv",
                                     "neighbor_alltoallw"};

static const char *const distributions[] = {
    [RULES_ANY_NODES] = "any",
    [RULES_ONE_PER_NODE] = "one-per-node",
    [RULES_SINGLE_NODE] = "single-node",
};
enum { DISTRIBUTIONS = sizeof distributions / sizeof distributions[0] };

/* ---- Writing --------------------------------------------------------------------------------- */

/* A number, or another word where it has no limit. */
static json_t *number_json(int64_t number, bool unlimited, const char *word)
{
    return unlimited ? json_string(word) : json_integer(number);
}

static json_t *rule_json(const struct rules_rule *rule)
{
    const struct mpilib_algorithm *row = rule->row;
    return json_pack("{sI so so si sI si}", "msg_size_min", (json_int_t)rule->low, "msg_size_max",
                     number_json(rule->high, rule->high == INT64_MAX, "inf"), "alg",
                     number_json(0, row != NULL, row == NULL ? NULL : row->name), "faninout",
                     (int)(row != NULL && row->fanned ? rule->radix : 0), "seg_size",
                     (json_int_t)rule->segment_bytes, "reqs", 0);
}

/* The rules from..end, which are of one range of ranks. */
static json_t *ranks_json(const struct rules_table *table, size_t from, size_t end)
{
    const struct rules_rule *first = &table->rule[from];
    json_t *rules = json_array();
    for (; from < end; from++)
        json_array_append_new(rules, rule_json(&table->rule[from]));
    return json_pack("{si so* ss so}", "comm_size_min", (int)first->p_low, "comm_size_max",
                     first->p_high == INT32_MAX ? NULL : json_integer(first->p_high),
                     "comm_rank_distribution", distributions[first->nodes], "rules", rules);
}

static int write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error)
{
    (void)head, (void)error;
    json_t *collectives = json_object();
    for (size_t i = 0, end; i < table->count; i = end) {
        json_t *array = json_array();
        end = rules_call_end(table, i);
        for (size_t k = i, next; k < end; k = next) {
            next = rules_ranks_end(table, k);
            json_array_append_new(array, ranks_json(table, k, next));
        }
        json_object_set_new(collectives, table->rule[i].call->call, array);
    }
    json_t *json = json_pack("{sissso}", "rule_file_version", 3, "module", "tuned", "collectives",
                             collectives);
    json_dumpf(json, stream, JSON_INDENT(2));
    json_decref(json);
    fputc('\n', stream);
    return RB_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A member that is a whole number from 0 on or "inf"; *value stays as it is if there is none. */
struct number {
    const char *key;
    int64_t infinity; /* what "inf" is */
    int64_t *value;
};

static int read_numbers(const struct rules_text *text, const json_t *object, const char *of,
                        const struct number numbers[], size_t count, struct sup_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_object_get(object, numbers[i].key);
        if (json_is_string(json) && strncasecmp(json_string_value(json), "inf", 3) == 0)
            *numbers[i].value = numbers[i].infinity;
        else if (json_is_integer(json) && json_integer_value(json) >= 0)
            *numbers[i].value = json_integer_value(json);
        else if (json != NULL)
            return rules_complain(text, error, "%s: \"%s\" must be a whole number or \"inf\"", of,
                                  numbers[i].key);
    }
    return RB_OK;
}

static bool read_algorithm(const json_t *json, struct rules_line *line)
{
    const char *call = line->call->call;
    if (json_is_integer(json) && json_integer_value(json) == 0)
        return true;
    if (json_is_string(json) && strcmp(json_string_value(json), "ignore") == 0)
        return true;
    if (json_is_integer(json) && json_integer_value(json) <= INT_MAX) {
        line->rule.row = mpilib_numbered("ompi", call, (int)json_integer_value(json), 600);
    } else if (json_is_string(json)) {
        size_t count;
        const struct mpilib_algorithm *row = mpilib_rows("ompi", &count);
        for (size_t i = 0; i < count; i++)
            if (strcmp(row[i].call, call) == 0 && mpilib_has(&row[i], 600) &&
                strcmp(row[i].name, json_string_value(json)) == 0)
                line->rule.row = &row[i];
    }
    if (line->rule.row != NULL)
        snprintf(line->name, sizeof line->name, "%s", line->rule.row->name);
    return line->rule.row != NULL;
}

static int read_rule(const struct rules_text *text, const json_t *json, const char *of,
                     struct rules_line like, struct rules_file *file, struct sup_error *error)
{
    const json_t *algorithm = json_object_get(json, "alg");
    int64_t fan = 0, ignored = 0;
    if (!json_is_object(json))
        return rules_complain(text, error, "%s: must be an object", of);
    if (!json_is_string(algorithm) && !json_is_integer(algorithm))
        return rules_complain(text, error, "%s: \"alg\" must be a name or a number", of);
    const struct number numbers[] = {{"msg_size_min", INT64_MAX, &like.rule.low},
                                     {"msg_size_max", INT64_MAX, &like.rule.high},
                                     {"faninout", 0, &fan},
                                     {"seg_size", INT64_MAX, &like.rule.segment_bytes},
                                     {"reqs", 0, &ignored}};
    const int status =
        read_numbers(text, json, of, numbers, sizeof numbers / sizeof *numbers, error);
    if (status != RB_OK || !read_algorithm(algorithm, &like))
        return status;
    like.rule.radix = fan <= INT32_MAX ? (int32_t)fan : 0;
    *rules_add(file, like.call, NULL) = like;
    return RB_OK;
}

static int read_nodes(const struct rules_text *text, const json_t *json, const char *of,
                      enum rules_nodes *nodes, struct sup_error *error)
{
    const json_t *distribution = json_object_get(json, "comm_rank_distribution");
    *nodes = RULES_ANY_NODES;
    if (distribution == NULL)
        return RB_OK;
    if (!json_is_string(distribution))
        return rules_complain(text, error, "%s: \"comm_rank_distribution\" must be a text", of);
    for (int i = 0; i < DISTRIBUTIONS; i++)
        if (strcmp(json_string_value(distribution), distributions[i]) == 0)
            *nodes = (enum rules_nodes)i;
    return RB_OK;
}

static int read_ranks(const struct rules_text *text, const json_t *json, const char *of,
                      const struct rules_call *call, struct rules_file *file,
                      struct sup_error *error)
{
    const json_t *rules = json_object_get(json, "rules");
    int64_t low = 0, high = INT32_MAX;
    enum rules_nodes nodes;
    if (!json_is_array(rules))
        return rules_complain(text, error, "%s: must be an object with an array \"rules\"", of);
    const struct number numbers[] = {{"comm_size_min", -1, &low}, {"comm_size_max", -1, &high}};
    int status = read_numbers(text, json, of, numbers, sizeof numbers / sizeof *numbers, error);
    if (status == RB_OK)
        status = read_nodes(text, json, of, &nodes, error);
    if (status != RB_OK)
        return status;
    struct rules_line like = {.call = call,
                              .group = (int)file->count,
                              .rule = {.call = call,
                                       .nodes = nodes,
                                       .p_low = (int32_t)(low < INT32_MAX ? low : INT32_MAX),
                                       .p_high = (int32_t)(high < INT32_MAX ? high : INT32_MAX),
                                       .high = INT64_MAX}};
    /* If none of the rules holds for a size, Open MPI chooses itself. */
    for (size_t i = 0; status == RB_OK && i < json_array_size(rules); i++) {
        char rule[160];
        snprintf(rule, sizeof rule, "%.100s, rule %zu", of, i + 1);
        status = read_rule(text, json_array_get(rules, i), rule, like, file, error);
    }
    if (status == RB_OK)
        *rules_add(file, call, NULL) = like;
    return status;
}

static bool is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return false;
}

static int read_tree(const struct rules_text *text, json_t *tree, struct rules_file *file,
                     struct sup_error *error)
{
    json_t *collectives = json_object_get(tree, "collectives"), *array;
    const char *name;
    int status = RB_OK;
    if (!json_is_object(collectives))
        return rules_complain(text, error, "must have an object \"collectives\"");
    json_object_foreach(collectives, name, array)
    {
        const struct rules_call *call = rules_call_named(file->format, name);
        if (call == NULL && is_other(name))
            continue;
        if (call == NULL)
            return rules_complain(text, error, "\"%.60s\" is no collective of Open MPI", name);
        if (!json_is_array(array))
            return rules_complain(text, error, "%s: must be an array", name);
        for (size_t i = 0; status == RB_OK && i < json_array_size(array); i++) {
            char of[100];
            snprintf(of, sizeof of, "%s, entry %zu", name, i + 1);
            status = read_ranks(text, json_array_get(array, i), of, call, file, error);
        }
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

int rules_load_json(struct rules_text *text, json_t **json, struct sup_error *error)
{
    json_error_t why;
    *json = json_loadb(text->at, (size_t)(text->end - text->at), 0, &why);
    text->line = why.line;
    if (*json == NULL)
        return rules_complain(text, error, "no JSON: %.120s", why.text);
    text->line = 0;
    return RB_OK;
}

static int parse(struct rules_text *text, struct rules_file *file, struct sup_error *error)
{
    json_t *tree;
    int status = rules_load_json(text, &tree, error);
    if (status == RB_OK)
        status = read_tree(text, tree, file, error);
    json_decref(tree);
    return status;
}

static bool is_mine(const char *text, size_t size)
{
    return rules_has_word(text, size, "\"collectives\"");
}

const struct rules_format rules_ompi_json = {
    .name = "ompi-json",
    .title = "Open MPI's JSON file of rules: 6.0",
    .library = "ompi",
    .version = 600,
    .call = rules_ompi_calls,
    .nodes = true,
    .segments = true,
    .most_bytes = INT64_MAX,
    .variables = RULES_OMPI_VARIABLES,
    .write = write,
    .parse = parse,
    .is_mine = is_mine,
};
