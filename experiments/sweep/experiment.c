/* experiment.c - an experiment file read, checked against its schema, its values understood.
 *
 * The keys are those of the parameters (point/parameters.h), but for `blocks` and `seed`. */
#define _POSIX_C_SOURCE 200809L /* strdup, strndup */

#include "experiments/sweep/experiment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/sweep/values.h"
#include "support/hash.h"

enum { MOST_VALUES = 100000, MOST_TEXT = 16 << 20, MOST_GRIDS = 1000 };

/* ---- The schema ---- */

struct words {
    char **word;
    unsigned count;
};

struct blocks_text {
    struct words counts, of_optimum, of_f, of_g;
};

struct grid_text {
    struct words of[POINT_PARAMETERS];
    struct words seed;
    struct blocks_text blocks;
};

struct experiment_text {
    char *name;
    struct grid_text common;
    struct grid_text *grids;
    unsigned grids_count;
};

static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, 4096)};

enum { OPTIONAL = CYAML_FLAG_OPTIONAL, OPTIONAL_PTR = CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER };

#define WORDS(key, structure, member, most)                                                        \
    CYAML_FIELD_SEQUENCE_COUNT(key, OPTIONAL_PTR, structure, member.word, member.count,            \
                               &word_schema, 1, most)

static const cyaml_schema_field_t blocks_fields[] = {
    WORDS("counts", struct blocks_text, counts, MOST_VALUES),
    WORDS("of-optimum", struct blocks_text, of_optimum, MOST_VALUES),
    WORDS("of-F", struct blocks_text, of_f, MOST_VALUES),
    WORDS("of-G", struct blocks_text, of_g, MOST_VALUES), CYAML_FIELD_END};

/* The schemas of a grid, and of the file, which has a grid's keys at the top. */
struct schemas {
    cyaml_schema_field_t grid_fields[POINT_PARAMETERS + 3], fields[POINT_PARAMETERS + 5];
    cyaml_schema_value_t grid, experiment;
};

/* Fields for the keys of the parameters: the first one's, moved on for the others. Returns how
 * many. */
static size_t add_keys(const cyaml_schema_field_t *first, cyaml_schema_field_t fields[])
{
    size_t count = 0;
    for (size_t i = 0; i < POINT_PARAMETERS; i++) {
        if (point_parameters[i].key == NULL)
            continue;
        fields[count] = *first;
        fields[count].key = point_parameters[i].key;
        fields[count].data_offset += (uint32_t)(i * sizeof(struct words));
        fields[count].count_offset += (uint32_t)(i * sizeof(struct words));
        if (i == POINT_COLLECTIVE || i == POINT_ELEMENT)
            fields[count].value.sequence.max = 1;
        count++;
    }
    return count;
}

static void make_schemas(struct schemas *schemas)
{
    static const cyaml_schema_field_t in_grid[] = {
        WORDS("seed", struct grid_text, seed, 1),
        CYAML_FIELD_MAPPING("blocks", OPTIONAL, struct grid_text, blocks, blocks_fields),
        CYAML_FIELD_END};
    static const cyaml_schema_field_t at_the_top[] = {
        WORDS("seed", struct experiment_text, common.seed, 1),
        CYAML_FIELD_MAPPING("blocks", OPTIONAL, struct experiment_text, common.blocks,
                            blocks_fields)};
    static const cyaml_schema_field_t first_in_grid =
        WORDS("", struct grid_text, of[0], MOST_VALUES);
    static const cyaml_schema_field_t first_at_the_top =
        WORDS("", struct experiment_text, common.of[0], MOST_VALUES);

    size_t count = add_keys(&first_in_grid, schemas->grid_fields);
    memcpy(schemas->grid_fields + count, in_grid, sizeof in_grid);
    schemas->grid = (cyaml_schema_value_t){
        CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct grid_text, schemas->grid_fields)};

    schemas->fields[0] = (cyaml_schema_field_t)CYAML_FIELD_STRING_PTR(
        "name", OPTIONAL_PTR, struct experiment_text, name, 1, 200);
    count = 1 + add_keys(&first_at_the_top, schemas->fields + 1);
    memcpy(schemas->fields + count, at_the_top, sizeof at_the_top);
    count += sizeof at_the_top / sizeof *at_the_top;
    schemas->fields[count++] = (cyaml_schema_field_t)CYAML_FIELD_SEQUENCE(
        "grids", OPTIONAL_PTR, struct experiment_text, grids, &schemas->grid, 1, MOST_GRIDS);
    schemas->fields[count] = (cyaml_schema_field_t)CYAML_FIELD_END;
    schemas->experiment = (cyaml_schema_value_t){
        CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct experiment_text, schemas->fields)};
}

/* ---- Reading a grid ---- */

typedef int reader(struct sweep_grid *grid, const char *word, struct sup_error *error);

/* Where a parameter's key is more than a list of numbers or texts, or its default isn't that of the
 * option. */
static const struct special {
    reader *read;
    const char *fallback;
    bool required;
} specials[POINT_PARAMETERS] = {
    [POINT_COLLECTIVE] = {.read = sweep_read_collective},
    [POINT_ALGORITHM] = {.read = sweep_read_algorithm, .fallback = "all"},
    [POINT_P] = {.required = true},
    [POINT_BYTES] = {.read = sweep_read_bytes, .required = true},
    [POINT_RADIX] = {.read = sweep_read_radix},
    [POINT_GROUPS] = {.read = sweep_read_groups},
    [POINT_INSTANCE] = {.read = sweep_read_instance},
    [POINT_ELEMENT] = {.read = sweep_read_element_bytes},
    [POINT_COUNTS] = {.read = sweep_read_counts},
    [POINT_PLATFORM] = {.required = true},
    [POINT_PLACEMENT] = {.read = sweep_read_placement},
    [POINT_ENGINE] = {.read = sweep_read_engine},
    [POINT_PROGRESS] = {.read = sweep_read_progress},
    [POINT_ENGINE_OPTIONS] = {.read = sweep_read_engine_option},
};

/* What reads one key. */
struct key {
    const char *name, *part;
    size_t offset;        /* of its words in struct grid_text */
    const char *fallback; /* NULL: none */
    bool required;
    reader *read; /* or by the parameter's type */
    const struct point_parameter *parameter;
};

/* Keys that are no parameter's. */
static const struct key seed_key = {
    "seed", NULL, offsetof(struct grid_text, seed), "1", false, sweep_read_seed, NULL};
static const struct key block_keys[] = {
    {"blocks", "counts", offsetof(struct grid_text, blocks.counts), NULL, false, sweep_read_blocks,
     NULL},
    {"blocks", "of-optimum", offsetof(struct grid_text, blocks.of_optimum), NULL, false,
     sweep_read_of_optimum, NULL},
    {"blocks", "of-F", offsetof(struct grid_text, blocks.of_f), NULL, false, sweep_read_of_f, NULL},
    {"blocks", "of-G", offsetof(struct grid_text, blocks.of_g), NULL, false, sweep_read_of_f, NULL},
};

static struct key key_of(size_t id)
{
    const struct point_parameter *parameter = &point_parameters[id];
    const struct special *special = &specials[id];
    return (struct key){.name = parameter->key,
                        .offset = offsetof(struct grid_text, of) + id * sizeof(struct words),
                        .fallback = special->fallback != NULL ? special->fallback
                                    : special->required       ? NULL
                                                              : parameter->option.fallback,
                        .required = special->required,
                        .read = special->read,
                        .parameter = parameter};
}

static const struct words *words_of(const struct grid_text *text, const struct key *key)
{
    return (const struct words *)(const void *)((const char *)text + key->offset);
}

static bool has_blocks(const struct grid_text *text)
{
    const struct blocks_text *blocks = &text->blocks;
    return blocks->counts.count + blocks->of_optimum.count + blocks->of_f.count +
               blocks->of_g.count >
           0;
}

/* The file being read. */
struct source {
    const struct sweep_document *document;
    const struct experiment_text *text;
    struct sup_error *error;
};

/* Returns RB_EINVAL with a message that begins with the position. */
static int blame(const struct source *source, const struct sweep_place *place, const char *what)
{
    size_t line = sweep_document_line(source->document, place);
    const char *file = source->document->file, *dot = place->part != NULL ? "." : "";
    const char *part = place->part != NULL ? place->part : "";
    if (line == 0)
        return sup_fail(source->error, RB_EINVAL, "%s: %s: %s", file, place->key, what);
    return sup_fail(source->error, RB_EINVAL, "%s:%zu: %s%s%s: %s", file, line, place->key, dot,
                    part, what);
}

static int read_word(const struct key *key, struct sweep_grid *grid, const char *word,
                     struct sup_error *error)
{
    return key->read != NULL ? key->read(grid, word, error)
                             : sweep_read_value(grid, key->parameter, word, error);
}

/* One key of grid i: its own words, or those at the top level, or the default. */
static int read_key(const struct source *source, const struct key *key, size_t i,
                    struct sweep_grid *grid)
{
    const struct experiment_text *text = source->text;
    const struct grid_text *own = text->grids_count > 0 ? &text->grids[i] : &text->common;
    struct sweep_place place = {text->grids_count > 0 ? "grids" : NULL, i, key->name, key->part, 0};
    struct sup_error what;
    const struct words *words = words_of(own, key);
    bool of_blocks = key->part != NULL;

    /* `blocks` is inherited as a whole, so that a grid can replace one kind of count by another. */
    if (of_blocks ? !has_blocks(own) : words->count == 0)
        words = words_of(&text->common, key);
    for (; place.item < words->count; place.item++) {
        int status = read_word(key, grid, words->word[place.item], &what);
        if (status != RB_OK)
            return blame(source, &place, what.text);
    }
    if (words->count > 0 || of_blocks)
        return RB_OK;
    if (key->required)
        return sup_fail(source->error, RB_EINVAL, "%s: the key %s is missing%s",
                        source->document->file, key->name,
                        text->grids_count > 0 ? " in a grid and at the top" : "");
    return key->fallback == NULL ? RB_OK : read_word(key, grid, key->fallback, source->error);
}

/* The engine's options as one text, for the results. */
static int join_options(struct sweep_grid *grid, struct sup_error *error)
{
    size_t size = 1;
    for (size_t i = 0; i < grid->text[POINT_ENGINE_OPTIONS].count; i++)
        size += strlen(grid->text[POINT_ENGINE_OPTIONS].name[i]) + 1;
    grid->engine_options = calloc(1, size);
    if (grid->engine_options == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < grid->text[POINT_ENGINE_OPTIONS].count; i++) {
        if (i > 0)
            strcat(grid->engine_options, " ");
        strcat(grid->engine_options, grid->text[POINT_ENGINE_OPTIONS].name[i]);
    }
    return RB_OK;
}

static int64_t smallest(const struct sup_list *list)
{
    int64_t least = list->value[0];
    for (size_t i = 1; i < list->count; i++)
        if (list->value[i] < least)
            least = list->value[i];
    return least;
}

/* Checks combinations of values. */
static int check_together(const struct source *source, const struct sweep_grid *grid, size_t i)
{
    struct sweep_place place = {source->text->grids_count > 0 ? "grids" : NULL, i, "roots", NULL,
                                0};
    char what[160];
    bool pipelined = false, has_radix = false;
    const char *native = NULL;

    for (size_t r = 0; r < grid->number[POINT_ROOT].count; r++)
        if (grid->number[POINT_ROOT].value[r] >= smallest(&grid->number[POINT_P])) {
            snprintf(what, sizeof what,
                     "%" PRId64 " is no rank when p = %" PRId64 "; give one below the smallest p",
                     grid->number[POINT_ROOT].value[r], smallest(&grid->number[POINT_P]));
            return blame(source, &place, what);
        }
    for (size_t a = 0; a < grid->text[POINT_ALGORITHM].count; a++) {
        const char *name = grid->text[POINT_ALGORITHM].name[a];
        const struct rb_algorithm_info *info = rb_algorithm_find(grid->collective->name, name);
        if (sim_native_name(name) != NULL)
            native = name;
        pipelined = pipelined || (info != NULL && info->pipelined);
        has_radix = has_radix || (info != NULL && info->radix != NULL);
    }
    place.key = "radix";
    if (!has_radix && (grid->all_radices || grid->number[POINT_RADIX].count > 0))
        return blame(source, &place, "none of these algorithms has a radix");
    place.key = "engine";
    for (size_t e = 0; native != NULL && e < grid->engine_count; e++)
        if (grid->engine[e].engine->find_native == NULL) {
            snprintf(what, sizeof what, "%s has no plan, which %s needs; give the engine %s",
                     native, grid->engine[e].engine->name, sim_engine_of_natives()->name);
            return blame(source, &place, what);
        }
    place.key = "jitter";
    for (size_t e = 0; grid->number[POINT_JITTER].count > 0 && e < grid->engine_count; e++)
        for (size_t r = 0; r < grid->text[POINT_PROGRESS].count; r++) {
            struct sim_spec spec = {0};
            struct sup_error why;
            int status =
                sim_progress_parse(grid->text[POINT_PROGRESS].name[r], &spec.progress, &why);
            if (status == RB_OK)
                status = sim_jitter_check(grid->engine[e].engine, &spec, &why);
            if (status != RB_OK)
                return blame(source, &place, why.text);
        }
    if (pipelined && grid->number[POINT_N].count + grid->n_optimum.count + grid->n_f.count == 0)
        return sup_fail(source->error, RB_EINVAL,
                        "%s: the key blocks is missing: for instance blocks: 1..64*2, or blocks: "
                        "{of-optimum: [0.5, 1, 2]}",
                        source->document->file);
    return RB_OK;
}

static int read_grid(const struct source *source, size_t i, struct sweep_grid *grid)
{
    /* Keys that the checks of others need come first. */
    static const size_t first[] = {POINT_COLLECTIVE, POINT_ELEMENT};
    int status = read_key(source, &seed_key, i, grid);
    for (size_t k = 0; k < sizeof first / sizeof *first && status == RB_OK; k++) {
        const struct key key = key_of(first[k]);
        status = read_key(source, &key, i, grid);
    }
    for (size_t id = 0; id < POINT_PARAMETERS && status == RB_OK; id++) {
        const struct key key = key_of(id);
        if (key.name != NULL && id != POINT_COLLECTIVE && id != POINT_ELEMENT)
            status = read_key(source, &key, i, grid);
    }
    for (size_t k = 0; k < sizeof block_keys / sizeof *block_keys && status == RB_OK; k++)
        status = read_key(source, &block_keys[k], i, grid);
    if (status == RB_OK)
        status = join_options(grid, source->error);
    return status != RB_OK ? status : check_together(source, grid, i);
}

/* ---- Reading the file ---- */

/* Reads it as a string; the terminating byte is not counted. */
static int read_text(const char *path, char **text, size_t *size, struct sup_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    size_t room = 1 << 16;
    int status = RB_OK;
    char *data = malloc(room);
    *size = 0;
    while (data != NULL) {
        *size += fread(data + *size, 1, room - *size, file);
        if (*size < room || room > MOST_TEXT)
            break;
        char *larger = realloc(data, room *= 2);
        if (larger == NULL)
            free(data);
        data = larger;
    }
    if (data == NULL)
        status = sup_fail(error, RB_ENOMEM, "%s: out of memory", path);
    else if (ferror(file))
        status = sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    else if (*size >= MOST_TEXT)
        status = sup_fail(error, RB_EINVAL, "%s: too long for an experiment file", path);
    fclose(file);
    if (status != RB_OK) {
        free(data);
        return status;
    }
    data[*size] = '\0'; /* the buffer has room left, so the file is not too long */
    *text = data;
    return RB_OK;
}

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
    struct sweep_place place = {NULL, 0, "name", NULL, 0};
    const char *given = source->text->name, *slash = strrchr(source->document->file, '/');
    const char *base = slash != NULL ? slash + 1 : source->document->file;
    const char *dot = strrchr(base, '.');
    size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);

    if (given != NULL && (given[0] == '.' || given[strspn(given, letters)] != '\0'))
        return blame(source, &place,
                     "is used in file names: only letters, digits and . _ - + "
                     "are allowed");
    experiment->name = given != NULL ? strdup(given) : strndup(base, length);
    return experiment->name == NULL ? sup_fail(source->error, RB_ENOMEM, "out of memory") : RB_OK;
}

int sweep_experiment_load(const char *path, struct sweep_experiment *experiment,
                          struct sup_error *error)
{
    struct schemas schemas;
    void *text = NULL;

    make_schemas(&schemas);
    *experiment = (struct sweep_experiment){0};
    int status = read_text(path, &experiment->text, &experiment->size, error);
    if (status != RB_OK)
        return status;
    hash_text(experiment->text, experiment->size, experiment->hash);
    status =
        sweep_document_open(&experiment->document, path, experiment->text, experiment->size, error);
    if (status == RB_OK)
        status = sweep_document_load(&experiment->document, experiment->text, experiment->size,
                                     &schemas.experiment, &text, error);
    if (status != RB_OK)
        goto out;

    struct source source = {&experiment->document, text, error};
    status = name_it(experiment, &source);
    size_t count = source.text->grids_count > 0 ? source.text->grids_count : 1;
    experiment->grid = calloc(count, sizeof *experiment->grid);
    if (experiment->grid == NULL)
        status = sup_fail(error, RB_ENOMEM, "out of memory");
    for (size_t i = 0; status == RB_OK && i < count; i++) {
        experiment->grid_count = i + 1;
        status = read_grid(&source, i, &experiment->grid[i]);
    }
out:
    sweep_document_free(&schemas.experiment, text);
    if (status != RB_OK)
        sweep_experiment_free(experiment);
    return status;
}

int sweep_experiment_blame(const struct sweep_experiment *experiment, size_t grid, const char *key,
                           size_t item, struct sup_error *error, const char *what, ...)
{
    struct sweep_place place = {"grids", grid, key, NULL, item};
    char text[400];
    va_list arguments;

    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return blame(&(struct source){&experiment->document, NULL, error}, &place, text);
}

static void free_names(struct sweep_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

static void free_grid(struct sweep_grid *grid)
{
    for (size_t i = 0; i < POINT_PARAMETERS; i++) {
        sup_list_free(&grid->number[i]);
        free_names(&grid->text[i]);
    }
    cli_texts_free(&grid->instance);
    for (size_t i = 0; i < grid->engine_count; i++) {
        free(grid->engine[i].variant);
        free(grid->engine[i].text);
    }
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
    sweep_document_close(&experiment->document);
    free(experiment->text);
    *experiment = (struct sweep_experiment){0};
}
