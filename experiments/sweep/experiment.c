/* experiment.c - an experiment file read, checked against its schema, its values understood.
 *
 * The keys are those of the parameters (point/parameters.h), but for `blocks` and `seed`. */
#include "experiments/sweep/experiment.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/process.h"

/* ---- The schema ------------------------------------------------------------------------------ */

enum { MOST_VALUES = 100000, MOST_GRIDS = 1000 };

static const struct sweep_field block_fields[] = {
    {"counts", .form = SWEEP_SOME, .most = MOST_VALUES},
    {"of-optimum", .form = SWEEP_SOME, .most = MOST_VALUES},
    {"of-F", .form = SWEEP_SOME, .most = MOST_VALUES},
    {"of-G", .form = SWEEP_SOME, .most = MOST_VALUES},
};

/* Beside parameters: of the file alone, name, confirm, confirm-share and grids; of grids too, seed
 * and blocks. */
enum { FILE_FIELDS = 4, OTHER_FIELDS = FILE_FIELDS + 2 };

/* The file being read. */
struct source {
    const struct sweep_document *document;
    const char *engine; /* instead of the file's, and then nothing is confirmed; NULL: none */
    /* A grid has all but the file's first and its last three. */
    struct sweep_field field[POINT_PARAMETERS + OTHER_FIELDS];
    size_t fields;
    struct sup_error *error;
};

/* A key that is an older name of a parameter's option gets its present name. */
static void modernize(const struct sweep_node *node)
{
    for (size_t k = 0; node->kind == SWEEP_MAPPING && k < node->count; k += 2)
        for (size_t i = 0; i < POINT_PARAMETERS && node->item[k]->kind == SWEEP_WORD; i++) {
            const struct point_parameter *parameter = &point_parameters[i];
            if (parameter->key == NULL || parameter->option.synonym == NULL ||
                strcmp(parameter->option.synonym, node->item[k]->word) != 0)
                continue;
            free(node->item[k]->word);
            node->item[k]->word = sup_strdup(parameter->key);
        }
}

/* A mapping, or the counts alone. */
static int check_blocks(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    const struct source *source = context;
    const struct sweep_field counts = {field->key, .form = SWEEP_SOME, .most = MOST_VALUES};
    return node->kind == SWEEP_MAPPING
               ? sweep_read_mapping(source->document, node, block_fields,
                                    sizeof block_fields / sizeof *block_fields, NULL, source->error)
               : sweep_check_words(source->document, &counts, node, source->error);
}

static int check_grids(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct source *source = context;
    int status = sweep_check_list(source->document, field, node, source->error);
    const struct sweep_node *grid;
    for (size_t i = 0; status == RB_OK && (grid = sweep_item(node, i)) != NULL; i++) {
        modernize(grid);
        status = sweep_read_mapping(source->document, grid, source->field + 1,
                                    source->fields - FILE_FIELDS, source, source->error);
    }
    return status;
}

static void make_fields(struct source *source)
{
    size_t count = 0;
    source->field[count++] = (struct sweep_field){"name", .form = SWEEP_ONE, .most = 200};
    for (size_t i = 0; i < POINT_PARAMETERS; i++)
        if (point_parameters[i].key != NULL)
            source->field[count++] = (struct sweep_field){
                point_parameters[i].key, .form = SWEEP_SOME,
                .most = i == POINT_COLLECTIVE || i == POINT_ELEMENT ? 1 : MOST_VALUES};
    source->field[count++] = (struct sweep_field){"seed", .form = SWEEP_SOME, .most = 1};
    source->field[count++] = (struct sweep_field){"blocks", SWEEP_ANY, .read = check_blocks};
    source->field[count++] = (struct sweep_field){"confirm", .form = SWEEP_SOME, .most = 1};
    source->field[count++] = (struct sweep_field){"confirm-share", .form = SWEEP_SOME, .most = 1};
    source->field[count++] =
        (struct sweep_field){"grids", .form = SWEEP_ANY, .most = MOST_GRIDS, .read = check_grids};
    source->fields = count;
}

/* ---- Reading a grid ---- */

/* What a key is, where it is not given. */
static const struct absent {
    const char *fallback; /* NULL: the option's */
    bool required;
} absent[POINT_PARAMETERS] = {
    [POINT_ALGORITHM] = {.fallback = "all"},
    [POINT_P] = {.required = true},
    [POINT_BYTES] = {.required = true},
    [POINT_PLATFORM] = {.required = true},
};

/* What reads one key. */
struct key {
    const char *name, *part;
    const char *fallback; /* NULL: none */
    bool required;
    enum point_id id; /* of the parameter, without `read` */
    int (*read)(struct sweep_grid *grid, const char *word, struct sup_error *error);
};

/* Keys of other names than their parameter's, or of none. */
static const struct key seed_key = {"seed", .fallback = "1", .read = sweep_read_seed};
static const struct key confirm_keys[] = {
    {"confirm", .read = sweep_read_confirm},
    {"confirm-share", .fallback = "0.1", .read = sweep_read_share},
};
static const struct key block_keys[] = {
    {"blocks", "counts", .id = POINT_N},
    {"blocks", "of-optimum", .read = sweep_read_of_optimum},
    {"blocks", "of-F", .read = sweep_read_of_f},
    {"blocks", "of-G", .read = sweep_read_of_f},
};

static struct key key_of(enum point_id id)
{
    const struct point_parameter *parameter = &point_parameters[id];
    return (struct key){.name = parameter->key,
                        .fallback = absent[id].fallback != NULL ? absent[id].fallback
                                    : absent[id].required       ? NULL
                                                                : parameter->option.fallback,
                        .required = absent[id].required,
                        .id = id};
}

/* NULL: the file has no grids, but is one. */
static const struct sweep_node *grids_of(const struct sweep_document *document)
{
    return sweep_member(document->node[0], "grids");
}

/* The value of a key in grid i, or else at the top. `blocks` is inherited as a whole, so that a
 * grid can replace one kind of count by another. NULL: there is none. */
static const struct sweep_node *find_value(const struct sweep_document *document, size_t i,
                                           const char *key, const char *part)
{
    const struct sweep_node *top = document->node[0];
    const struct sweep_node *value = sweep_member(sweep_item(grids_of(document), i), key);
    if (value == NULL || (value->kind == SWEEP_MAPPING && value->count == 0))
        value = sweep_member(top, key);
    if (part == NULL || value == NULL || value->kind == SWEEP_MAPPING)
        return part == NULL ? value : sweep_member(value, part);
    return strcmp(part, block_fields[0].key) == 0 ? value : NULL;
}

/* Returns RB_EINVAL with a message that begins with the position of the node, which may be NULL. */
static int blame(const struct sweep_document *document, const struct sweep_node *node,
                 const char *key, const char *part, struct sup_error *error, const char *what)
{
    const char *dot = part != NULL ? "." : "";
    if (node == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s: %s", document->file, key, what);
    return sweep_fault(document, node, NULL, error, "%s%s%s: %s", key, dot,
                       part != NULL ? part : "", what);
}

static int read_word(const struct key *key, struct sweep_grid *grid, const char *word,
                     struct sup_error *error)
{
    return key->read != NULL ? key->read(grid, word, error)
                             : sweep_read_value(grid, key->id, word, error);
}

/* One key of grid i: its own words, or those at the top level, or the default. */
static int read_key(const struct source *source, const struct key *key, size_t i,
                    struct sweep_grid *grid)
{
    const struct sweep_document *document = source->document;
    const struct sweep_node *value = find_value(document, i, key->name, key->part), *item;
    struct sup_error what;

    for (size_t k = 0; (item = sweep_item(value, k)) != NULL; k++)
        if (read_word(key, grid, item->word, &what) != RB_OK)
            return blame(document, item, key->name, key->part, source->error, what.text);
    if (value != NULL || key->part != NULL)
        return RB_OK;
    if (key->required)
        return sup_fail(source->error, RB_EINVAL, "%s: the key %s is missing%s", document->file,
                        key->name, grids_of(document) != NULL ? " in a grid and at the top" : "");
    return key->fallback == NULL ? RB_OK : read_word(key, grid, key->fallback, source->error);
}

void sweep_join_options(struct sweep_grid *grid)
{
    const struct sweep_names *options = &grid->text[POINT_ENGINE_OPTIONS];
    size_t size = 1;
    for (size_t i = 0; i < options->count; i++)
        size += strlen(options->name[i]) + 1;
    grid->engine_options = sup_calloc(1, size);
    for (size_t i = 0; i < options->count; i++)
        strcat(strcat(grid->engine_options, i == 0 ? "" : " "), options->name[i]);
}

static int64_t smallest(const struct sup_list *list)
{
    int64_t least = list->value[0];
    for (size_t i = 1; i < list->count; i++)
        if (list->value[i] < least)
            least = list->value[i];
    return least;
}

/* Blames the first value of a key. */
static int blame_key(const struct source *source, size_t grid, const char *key, const char *what)
{
    return blame(source->document, sweep_item(find_value(source->document, grid, key, NULL), 0),
                 key, NULL, source->error, what);
}

/* One of the grid's arrivals with an engine and a placement, and the fewest and the most ranks. */
static int check_arrival(const struct sweep_grid *grid, const struct sim_arrival *arrival,
                         const struct sim_engine *engine, const struct sim_placement *placement,
                         struct sup_error *why)
{
    const struct sup_list *ranks = &grid->number[POINT_P];
    struct point point = {.arrival_rule = arrival, .engine = engine, .placement_rule = placement};
    int64_t most = 0;
    for (size_t i = 0; i < ranks->count; i++)
        most = ranks->value[i] > most ? ranks->value[i] : most;
    point.plan.p = (int32_t)smallest(ranks);
    const int status = point_check_arrival(&point, why);
    point.plan.p = (int32_t)most;
    return status == RB_OK ? point_check_arrival(&point, why) : status;
}

static int check_arrivals(const struct source *source, const struct sweep_grid *grid, size_t i)
{
    const struct sweep_rules *arrivals = &grid->rule[POINT_ARRIVAL];
    const struct sweep_rules *places = &grid->rule[POINT_PLACEMENT];
    struct sup_error why;
    for (size_t a = 0; a < arrivals->count; a++)
        for (size_t e = 0; e < grid->engine_count; e++)
            for (size_t s = 0; s < places->count; s++)
                if (check_arrival(grid, &arrivals->rule[a].arrival, grid->engine[e].engine,
                                  &places->rule[s].placement, &why) != RB_OK)
                    return blame_key(source, i, "arrival", why.text);
    return RB_OK;
}

/* Each of the grid's programs with each engine, placement, arrival and number of ranks per host. */
static int check_program(const struct source *source, const struct sweep_grid *grid, size_t i,
                         const char *program)
{
    const struct sweep_rules *places = &grid->rule[POINT_PLACEMENT],
                             *arrivals = &grid->rule[POINT_ARRIVAL];
    struct sup_error why;
    for (size_t k = 0; k < grid->engine_count * places->count * arrivals->count; k++) {
        const struct point point = {
            .program = program,
            .ppn = (int32_t)smallest(&grid->number[POINT_PPN]),
            .engine = grid->engine[k % grid->engine_count].engine,
            .placement_rule = &places->rule[k / grid->engine_count % places->count].placement,
            .arrival_rule = &arrivals->rule[k / grid->engine_count / places->count].arrival};
        if (point_check_program(&point, &why) != RB_OK)
            return blame_key(source, i, "program", why.text);
    }
    return RB_OK;
}

/* Checks combinations of values. */
static int check_together(const struct source *source, const struct sweep_grid *grid, size_t i)
{
    char what[160];
    bool has_radix = false;

    for (size_t r = 0; r < grid->number[POINT_ROOT].count; r++)
        if (grid->number[POINT_ROOT].value[r] >= smallest(&grid->number[POINT_P])) {
            snprintf(what, sizeof what,
                     "%" PRId64 " is not a rank: with %" PRId64
                     " ranks it must be from 0 to %" PRId64,
                     grid->number[POINT_ROOT].value[r], smallest(&grid->number[POINT_P]),
                     smallest(&grid->number[POINT_P]) - 1);
            return blame_key(source, i, "roots", what);
        }
    for (size_t a = 0; a < grid->text[POINT_ALGORITHM].count; a++) {
        const char *name = grid->text[POINT_ALGORITHM].name[a];
        const struct rb_algorithm_info *info = rb_algorithm_find(grid->collective->name, name);
        has_radix = has_radix || (info != NULL && info->radix != NULL);
    }
    if (!has_radix && (grid->all_radices || grid->number[POINT_RADIX].count > 0))
        return blame_key(source, i, "radix", "none of these algorithms has a radix");
    for (size_t e = 0; grid->number[POINT_JITTER].count > 0 && e < grid->engine_count; e++)
        for (size_t r = 0; r < grid->rule[POINT_OVERLAP].count; r++) {
            const struct sim_spec spec = {.overlap = grid->rule[POINT_OVERLAP].rule[r].overlap};
            struct sup_error why;
            if (sim_jitter_check(grid->engine[e].engine, &spec, &why) != RB_OK)
                return blame_key(source, i, "jitter", why.text);
        }
    int status = check_arrivals(source, grid, i);
    for (size_t k = 0; k < grid->rule[POINT_PROGRAM].count && status == RB_OK; k++)
        status = check_program(source, grid, i, grid->rule[POINT_PROGRAM].rule[k].text);
    return status;
}

/* Without the key `blocks`: the closed form's best count, half and twice as many. */
static int complete_blocks(struct sweep_grid *grid, struct sup_error *error)
{
    static const char *const usual[] = {"0.5", "1", "2"};
    int status = RB_OK;
    if (grid->number[POINT_N].count + grid->n_optimum.count + grid->n_f.count == 0)
        for (size_t i = 0; i < sizeof usual / sizeof *usual && status == RB_OK; i++)
            status = sweep_read_of_optimum(grid, usual[i], error);
    return status;
}

static int replace_engine(const struct source *source, struct sweep_grid *grid)
{
    struct sup_error why;
    const int status = sweep_read_value(grid, POINT_ENGINE, source->engine, &why);
    return status == RB_OK ? RB_OK : sup_fail(source->error, status, "--engine: %s", why.text);
}

static int read_grid(const struct source *source, size_t i, struct sweep_grid *grid)
{
    /* Keys that the checks of others need come first. */
    static const enum point_id first[] = {POINT_COLLECTIVE, POINT_ELEMENT};
    int status = read_key(source, &seed_key, i, grid);
    for (size_t k = 0; k < sizeof first / sizeof *first && status == RB_OK; k++) {
        const struct key key = key_of(first[k]);
        status = read_key(source, &key, i, grid);
    }
    for (size_t id = 0; id < POINT_PARAMETERS && status == RB_OK; id++) {
        const struct key key = key_of((enum point_id)id);
        if (id == POINT_ENGINE && source->engine != NULL)
            status = replace_engine(source, grid);
        else if (key.name != NULL && id != POINT_COLLECTIVE && id != POINT_ELEMENT)
            status = read_key(source, &key, i, grid);
    }
    for (size_t k = 0; k < sizeof block_keys / sizeof *block_keys && status == RB_OK; k++)
        status = read_key(source, &block_keys[k], i, grid);
    for (size_t k = 0; k < 2 && status == RB_OK && source->engine == NULL; k++)
        status = read_key(source, &confirm_keys[k], i, grid);
    if (status != RB_OK)
        return status;
    sweep_join_options(grid);
    status = check_together(source, grid, i);
    return status == RB_OK ? complete_blocks(grid, source->error) : status;
}

/* ---- Reading the file ---- */

static void hash_text(const char *text, size_t size, char hash[17])
{
    snprintf(hash, 17, "%016" PRIx64, sup_hash_bytes(SUP_HASH_START, text, size));
}

/* The given name, or the file's without directory and ending. It names files, so it must be able
 * to. */
static int name_it(struct sweep_experiment *experiment, const struct source *source)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._-+";
    const struct sweep_node *name = sweep_member(source->document->node[0], "name");
    const char *given = name != NULL ? name->word : NULL;
    const char *base = sup_base_name(source->document->file);
    const char *dot = strrchr(base, '.');
    size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);

    if (given != NULL && (given[0] == '.' || given[strspn(given, letters)] != '\0'))
        return blame_key(source, 0, "name",
                         "is used in file names: only letters, digits and . _ - + are allowed");
    experiment->name = given != NULL ? sup_strdup(given) : sup_strndup(base, length);
    return RB_OK;
}

/* What a sweep made is no experiment. */
static int check_no_results(const char *path, const char *text, struct sup_error *error)
{
    static const char database[] = "SQLite format 3", table[] = "collective,algorithm,p,n,";
    if (strncmp(text, database, strlen(database)) != 0 && strncmp(text, table, strlen(table)) != 0)
        return RB_OK;
    const size_t stem = strcmp(path + strlen(path) - 4 * (strlen(path) > 4), ".csv") == 0
                            ? strlen(path) - 4
                            : strlen(path);
    char *results = sup_format("%.*s%s", (int)stem, path, path[stem] == '\0' ? "" : ".db"),
         *word = sup_shell_word(results);
    const int status = sup_fail(error, RB_EINVAL,
                                "%s: has results, and a sweep needs the experiment that made them; "
                                "to see them: roundabout tune %s",
                                path, word);
    free(word);
    free(results);
    return status;
}

int sweep_experiment_load(const char *path, const char *engine, struct sweep_experiment *experiment,
                          struct sup_error *error)
{
    struct source source = {.document = &experiment->document, .engine = engine, .error = error};

    *experiment = (struct sweep_experiment){0};
    make_fields(&source);
    int status = sweep_document_read(&experiment->document, path, "an experiment", error);
    if (status == RB_OK)
        status = check_no_results(path, experiment->document.text, error);
    if (status == RB_OK)
        status = sweep_document_parse(&experiment->document, error);
    if (status == RB_OK) {
        hash_text(experiment->document.text, experiment->document.size, experiment->hash);
        modernize(experiment->document.node[0]);
        status = sweep_read_mapping(&experiment->document, experiment->document.node[0],
                                    source.field, source.fields, &source, error);
    }
    if (status == RB_OK)
        status = name_it(experiment, &source);
    if (status == RB_OK) {
        const struct sweep_node *grids = grids_of(&experiment->document);
        const size_t count = grids != NULL && grids->kind == SWEEP_LIST ? grids->count : 1;
        experiment->grid = sup_calloc(count, sizeof *experiment->grid);
        for (size_t i = 0; status == RB_OK && i < count; i++) {
            experiment->grid_count = i + 1;
            status = read_grid(&source, i, &experiment->grid[i]);
        }
    }
    if (status != RB_OK)
        sweep_experiment_free(experiment);
    return status;
}

int sweep_experiment_blame(const struct sweep_experiment *experiment, size_t grid, const char *key,
                           size_t item, struct sup_error *error, const char *what, ...)
{
    const struct sweep_node *value = find_value(&experiment->document, grid, key, NULL);
    char text[400];
    va_list arguments;

    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return blame(&experiment->document, sweep_item(value, item), key, NULL, error, text);
}

static void free_names(struct sweep_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

static void free_engine(struct sweep_engine_choice *choice)
{
    free(choice->variant);
    free(choice->text);
}

static void free_grid(struct sweep_grid *grid)
{
    for (size_t i = 0; i < POINT_PARAMETERS; i++) {
        sup_list_free(&grid->number[i]);
        free_names(&grid->text[i]);
        for (size_t k = 0; k < grid->rule[i].count; k++)
            point_rule_free(&grid->rule[i].rule[k]);
        free(grid->rule[i].rule);
    }
    cli_texts_free(&grid->instance);
    for (size_t i = 0; i < grid->engine_count; i++)
        free_engine(&grid->engine[i]);
    free_engine(&grid->confirm);
    free(grid->engine);
    free(grid->n_optimum.value);
    free(grid->n_f.value);
    free(grid->engine_options);
}

void sweep_experiment_free(struct sweep_experiment *experiment)
{
    for (size_t i = 0; i < experiment->grid_count; i++)
        free_grid(&experiment->grid[i]);
    free(experiment->grid);
    free(experiment->name);
    sweep_document_free(&experiment->document);
    *experiment = (struct sweep_experiment){0};
}
