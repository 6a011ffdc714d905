/* values.c - one value of an experiment's key, read into the grid. */
#include "experiments/sweep/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "mpi/vendors/choices/choices.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"

enum { MOST_VALUES = 100000, MOST_WORDS = 64 };

static int add_list(struct sup_list *list, const char *word, bool bytes, int64_t least,
                    int64_t most, struct sup_error *error)
{
    struct sup_list more = {0};
    const int status = sup_parse_list(word, bytes, least, most, MOST_VALUES, &more, error);
    if (status == RB_OK && more.count > 0) {
        list->value = sup_reallocarray(list->value, list->count + more.count, sizeof *list->value);
        memcpy(list->value + list->count, more.value, more.count * sizeof *more.value);
        list->count += more.count;
    }
    sup_list_free(&more);
    return status;
}

static void add_name(struct sweep_names *names, const char *text)
{
    sup_grow(&names->name, names->count, sizeof *names->name);
    names->name[names->count++] = sup_strdup(text);
}

/* The rule "random", or "search", alone takes the experiment's seed, also "search:1:random"; and
 * "late:1:5us". */
static int add_rule(struct sweep_grid *grid, enum point_id id, const char *word,
                    struct sup_error *error)
{
    struct sweep_rules *rules = &grid->rule[id];
    const char *colon = strncmp(word, "search:", 7) == 0 ? strchr(word + 7, ':') : NULL;
    const char *rule = colon == NULL ? word : colon + 1;
    const bool seeded = (strcmp(rule, "random") == 0 && id != POINT_OVERLAP) ||
                        (strcmp(word, "search") == 0 && id == POINT_PLACEMENT) ||
                        (id == POINT_ARRIVAL && sim_arrival_lacks_seed(word));
    char text[128];
    if (seeded)
        snprintf(text, sizeof text, "%s:%" PRId64, word, grid->seed);
    sup_grow(&rules->rule, rules->count, sizeof *rules->rule);
    return point_rule_read(id, seeded ? text : word, &rules->rule[rules->count++], error);
}

/* A multiple, above 0. */
static int add_real(struct sweep_reals *reals, const char *word, struct sup_error *error)
{
    double value;
    int status = sup_parse_real(word, &value, error);
    if (status != RB_OK)
        return status;
    if (!(value > 0 && value < 1e12))
        return sup_fail(error, RB_EINVAL, "\"%s\" is not a number above 0 (and below 1e12)", word);
    sup_grow(&reals->value, reals->count, sizeof *reals->value);
    reals->value[reals->count++] = value;
    return RB_OK;
}

/* RB_EINVAL for an unknown word, with the nearest known one, or with all of them. */
static int unknown_word(const char *word, const char *const words[], size_t count,
                        struct sup_error *error)
{
    const char *nearest = sup_nearest_word(word, words, count);
    if (nearest != NULL)
        return sup_fail(error, RB_EINVAL, "no \"%s\"; did you mean %s?", word, nearest);
    char all[400] = "";
    for (size_t i = 0; i < count; i++)
        sup_append(all, sizeof all, ", ", "%s", words[i]);
    return sup_fail(error, RB_EINVAL, "no \"%s\"; there are: %s", word, all);
}

static int read_collective(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    const char *words[MOST_WORDS];
    size_t count = 0;

    grid->collective = sup_collective_named(word);
    if (grid->collective != NULL)
        return RB_OK;
    for (int32_t i = 0; count < MOST_WORDS && rb_collective_at(i) != NULL; i++)
        words[count++] = rb_collective_at(i)->name;
    return unknown_word(word, words, count, error);
}

/* One of the library's behind an engine; of a library with rules, also without that engine. */
static int add_native(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    const struct sim_engine *engine = sim_engine_of_natives();
    char *usual = sup_algorithm_names(word);
    const char *name = sim_native_name(usual);
    int status = RB_OK;
    if (engine != NULL)
        status = engine->find_native(grid->collective, name, error);
    else if (!mpilib_chooses(name))
        status = sup_fail(error, RB_EINVAL,
                          "%s needs the engine smpi, which was left out of this build: SimGrid's "
                          "smpicc wasn't found",
                          word);
    if (status == RB_OK)
        add_name(&grid->text[POINT_ALGORITHM], usual);
    free(usual);
    return status;
}

static int read_algorithm(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    const char *words[MOST_WORDS] = {"all"};
    size_t count = 1;
    bool all = strcmp(word, "all") == 0;
    const struct rb_algorithm_info *algorithm;

    if (sim_native_name(word) != NULL)
        return add_native(grid, word, error);
    if (rb_is_file(word)) {
        char why[400];
        algorithm = rb_algorithm_get(grid->collective->name, word, why, sizeof why);
        if (algorithm == NULL)
            return sup_fail(error, RB_EINVAL, "%s", why);
        add_name(&grid->text[POINT_ALGORITHM], algorithm->name);
        cli_say_untimed(algorithm);
        return RB_OK;
    }
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++) {
        if (strcmp(algorithm->collective, grid->collective->name) != 0)
            continue;
        if (all || strcmp(algorithm->name, word) == 0) {
            add_name(&grid->text[POINT_ALGORITHM], algorithm->name);
            if (!all)
                return RB_OK;
        } else if (count < MOST_WORDS) {
            words[count++] = algorithm->name;
        }
    }
    if (all && grid->text[POINT_ALGORITHM].count == 0)
        return sup_fail(error, RB_EINVAL, "%s has no plans but files'", grid->collective->name);
    return all ? RB_OK : unknown_word(word, words, count, error);
}

static int read_bytes(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    size_t before = grid->number[POINT_BYTES].count;
    int status = add_list(&grid->number[POINT_BYTES], word, true, 0, INT64_MAX, error);
    for (size_t i = before; status == RB_OK && i < grid->number[POINT_BYTES].count; i++)
        if (grid->number[POINT_BYTES].value[i] % grid->element_bytes != 0)
            status = sup_fail(error, RB_EINVAL,
                              "%" PRId64 " bytes are not a multiple of element-bytes, %" PRId64,
                              grid->number[POINT_BYTES].value[i], grid->element_bytes);
    return status;
}

static int read_blocks(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    return add_list(&grid->number[POINT_N], word, false, 1, INT64_C(1) << 40, error);
}

int sweep_read_of_optimum(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    return add_real(&grid->n_optimum, word, error);
}

int sweep_read_of_f(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    return add_real(&grid->n_f, word, error);
}

static int read_radix(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    if (strcmp(word, "all") != 0)
        return add_list(&grid->number[POINT_RADIX], word, false, 2, RB_MAX_RANKS, error);
    grid->all_radices = true;
    return RB_OK;
}

/* Whether there is such a problem for any of the grid's p, and if not, why not. */
static int check_instance(const struct sweep_grid *grid, const char *instance,
                          struct sup_error *error)
{
    const struct sup_list *p = &grid->number[POINT_P];
    int32_t own;
    char why[300];
    int status = rb_instance_ranks(grid->collective->name, instance, &own, why, sizeof why) == RB_OK
                     ? RB_ENOTSUP
                     : RB_EINVAL;
    for (size_t i = 0; status == RB_ENOTSUP && i < p->count; i++) {
        const struct rb_plan_spec spec = {.collective = grid->collective->name,
                                          .p = (int32_t)p->value[i],
                                          .n = 1,
                                          .ports = 1,
                                          .instance = instance};
        struct rb_plan *plan;
        const int made = rb_plan_create(&spec, &plan, why, sizeof why);
        sup_had_memory(made != RB_ENOMEM);
        if (made == RB_OK)
            rb_plan_destroy(plan);
        status = made == RB_OK ? RB_OK : status;
    }
    return status == RB_OK ? RB_OK : sup_fail(error, status, "%s", why);
}

/* Of the problems of a range, there need be only one. */
static int read_instance(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    size_t first = grid->instance.count;
    if (grid->collective->instance == NULL)
        return sup_fail(error, RB_EINVAL, "%s has no instances, which was to be \"%s\"",
                        grid->collective->name, word);
    int status = cli_add_instances(word, &grid->instance, error);
    if (status != RB_OK)
        return status;
    do
        status = check_instance(grid, grid->instance.text[first++], error);
    while (status == RB_ENOTSUP && first < grid->instance.count);
    return status;
}

static int read_counts(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    const struct sweep_rules *rules = &grid->rule[POINT_COUNTS];
    const int status = add_rule(grid, POINT_COUNTS, word, error);
    return status == RB_OK
               ? sup_counts_check(&rules->rule[rules->count - 1].counts, grid->collective, error)
               : status;
}

static int read_groups(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    const int status = point_check_groups(word, true, error);
    if (status == RB_OK)
        add_name(&grid->text[POINT_GROUPS], strcmp(word, "1") == 0 ? "" : word);
    return status;
}

static int choose_engine(const char *word, struct sweep_engine_choice *choice,
                         struct sup_error *error)
{
    const struct sim_engine *engine;
    const char *variant;
    const int status = sim_engine_read(word, &engine, &variant, error);
    if (status == RB_OK)
        *choice =
            (struct sweep_engine_choice){.engine = engine,
                                         .variant = variant == NULL ? NULL : sup_strdup(variant),
                                         .text = sup_strdup(word)};
    return status;
}

static int read_engine(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    struct sweep_engine_choice choice;
    const int status = choose_engine(word, &choice, error);
    if (status != RB_OK)
        return status;
    sup_grow(&grid->engine, grid->engine_count, sizeof *grid->engine);
    grid->engine[grid->engine_count++] = choice;
    return RB_OK;
}

int sweep_read_confirm(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    return choose_engine(word, &grid->confirm, error);
}

int sweep_read_share(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    const int status = sup_parse_real(word, &grid->confirm_share, error);
    return status != RB_OK || (grid->confirm_share > 0 && grid->confirm_share <= 1)
               ? status
               : sup_fail(error, RB_EINVAL, "\"%s\" is not above 0 and at most 1", word);
}

static int read_engine_option(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    if (strchr(word, ':') == NULL)
        return sup_fail(error, RB_EINVAL, "\"%s\" is not KEY:VALUE, such as network/model:LV08",
                        word);
    add_name(&grid->text[POINT_ENGINE_OPTIONS], word);
    return RB_OK;
}

static int read_element_bytes(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    const struct cli_option *option = &point_parameters[POINT_ELEMENT].option;
    const int status = sup_parse_bytes(word, &grid->element_bytes, error);
    if (status == RB_OK &&
        (grid->element_bytes < option->least || grid->element_bytes > option->most))
        return sup_fail(error, RB_EINVAL, "\"%s\" is not from %" PRId64 " to %" PRId64 " bytes",
                        word, option->least, option->most);
    return status;
}

int sweep_read_seed(struct sweep_grid *grid, const char *word, struct sup_error *error)
{
    return sup_parse_int(word, 0, INT64_MAX, &grid->seed, error);
}

/* ---- By parameter ---- */

/* The parameters whose values are more than numbers, rules or texts. */
static int (*const readers[POINT_PARAMETERS])(struct sweep_grid *grid, const char *word,
                                              struct sup_error *error) = {
    [POINT_COLLECTIVE] = read_collective,
    [POINT_ALGORITHM] = read_algorithm,
    [POINT_N] = read_blocks,
    [POINT_BYTES] = read_bytes,
    [POINT_RADIX] = read_radix,
    [POINT_GROUPS] = read_groups,
    [POINT_INSTANCE] = read_instance,
    [POINT_ELEMENT] = read_element_bytes,
    [POINT_COUNTS] = read_counts,
    [POINT_ENGINE] = read_engine,
    [POINT_ENGINE_OPTIONS] = read_engine_option,
};

int sweep_read_value(struct sweep_grid *grid, enum point_id id, const char *word,
                     struct sup_error *error)
{
    const struct point_parameter *parameter = &point_parameters[id];
    const struct cli_option *option = &parameter->option;
    if (readers[id] != NULL)
        return readers[id](grid, word, error);
    if (point_is_rule(id))
        return add_rule(grid, id, word, error);
    if (parameter->type != POINT_TEXT)
        return add_list(&grid->number[id], word, option->type == CLI_OPT_BYTES, option->least,
                        option->most, error);
    add_name(&grid->text[id], word);
    return RB_OK;
}
