/* parameters.h - the parameters of a point: one table.
 *
 * A row says everything about a parameter: where a point holds it, its column in results, the
 * option of the command line, the filter of `tune` and `plot`. The results database with its CSV,
 * the JSON of `simulate` and `plan`, the options, the filters and the order of points go through
 * the table, so that a new parameter is a new row. The order of rows is that of the columns. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "support/options/options.h"

/* The type of the member of struct point. */
enum point_type { POINT_INT32, POINT_INT64, POINT_BOOL, POINT_TEXT };

/* The part of a point to which a parameter belongs. `tune` orders its settings by these, from the
 * first to the last. */
enum point_part {
    POINT_OF_COLLECTIVE,
    POINT_OF_MACHINE,
    POINT_OF_ENGINE,
    POINT_OF_EXECUTION,
    POINT_OF_PLAN,
    POINT_OF_DATA,
    POINT_OF_INSTANCE,
    POINT_PARTS
};

struct point_parameter {
    const char *column; /* in results, CSV and JSON; NULL: it is not part of a point's identity */
    enum point_type type;
    size_t at; /* in struct point */
    enum point_part part;
    bool varies;   /* within a setting of `tune` (curves.h) */
    bool in_names; /* part of figures' names, if it is not the default */
    bool worded;   /* of a plan: messages about plans mention this parameter */
    bool native;   /* of a plan: an engine's own algorithm, which has no plan, has it too */

    struct cli_option option; /* the option, with one value; a verb may change parts of the text.
                               * Without a name: there is no option */
    const char *key;          /* of an experiment file (sweep/experiment.c); NULL: none */
    /* The filter: the name of its value, its help, and its bounds if they differ. Without a help:
     * there is no filter. The rest comes from the option. */
    struct cli_option filter;
};

extern const struct point_parameter point_parameters[POINT_PARAMETERS];

/* A verb's row for a parameter's option; members that follow override the table:
 * {POINT_LIKE(PORTS), .help = "..."}. */
#define POINT_LIKE(id) .like = &point_parameters[POINT_##id].option

/* For the `more` of a verb's row: the filters of `tune` and `plot`; and the options of a plan that
 * a verb need not word itself, which are all but its collective, algorithm, p and n. */
bool point_filter_option(int32_t i, struct cli_option *option);
bool point_plan_option(int32_t i, struct cli_option *option);

/* True for a member of struct rb_plan_spec. */
bool point_is_of_plan(const struct point_parameter *parameter);

/* The value of a text parameter; "" for NULL. */
const char *point_text(const struct point *point, const struct point_parameter *parameter);
int64_t point_number(const struct point *point, const struct point_parameter *parameter);
/* An empty text is stored as NULL where NULL means the default (in a plan). */
void point_set_text(struct point *point, const struct point_parameter *parameter, const char *text);
void point_set_number(struct point *point, const struct point_parameter *parameter, int64_t number);
/* Below, equal to or above 0, as the value of a is below, equal to or above that of b. */
int point_compare(const struct point *a, const struct point *b,
                  const struct point_parameter *parameter);

/* Sets what the verb's table has an option for that takes one value. What was not given and has no
 * default becomes 0 or NULL; of a plan from a file it becomes the file's. Not p: see
 * cli_args_ranks. */
void point_read_plan(const struct cli_args *args, struct rb_plan_spec *spec);

/* The name of a plan's curve: "circulant"; "bruck:r=4" for a given radix, "hosts:g=4" for groups.
 * Into buffer, returned. */
const char *point_curve_name(const struct rb_plan_spec *spec, char *buffer, size_t size);

/* The same as options name it: "hosts --radix 4 --groups router". */
const char *point_typed_name(const struct rb_plan_spec *spec, char *buffer, size_t size);

/* ", k = 2 ports, r = 3, fanout 4, q=5" for a plan of several ports, with a radix, with other
 * parameters that are not as usual, with an instance, else "": into buffer, returned. */
const char *point_format_ways(const struct rb_plan_spec *spec, char *buffer, size_t size);
/* The other parameters only, " fanout 4" each after `before`: ", " for a sentence, " --" for a
 * command. */
const char *point_format_others(const struct rb_plan_spec *spec, const char *before, char *buffer,
                                size_t size);

/* An option that was given and that only a plan can heed, "radix"; NULL: there is none. */
const char *point_planned_option(const struct cli_args *args);

/* True if the value is not the usual one: the option's default, or 0 or "". A text that the point
 * does not have is usual. */
bool point_is_unusual(const struct point *point, const struct point_parameter *parameter);
/* "mod3", "ppn4": into buffer, returned. */
const char *point_format(const struct point *point, const struct point_parameter *parameter,
                         char *buffer, size_t size);

/* The parameters of a setting of `tune` (curves.h), in the order of parts. Returns how many.
 */
int point_setting(const struct point_parameter *parameters[POINT_PARAMETERS]);

/* A value as JSON; NULL if there is no memory. */
json_t *point_json(const struct point *point, const struct point_parameter *parameter);
/* Sets the columns from `first` to `last`, but those that a plan's algorithm chooses; and those, of
 * a plan (rb_plan_spec_of). */
void point_add(json_t *object, const struct point *point, enum point_id first, enum point_id last);
void point_add_chosen(json_t *object, const struct rb_plan_spec *spec);
