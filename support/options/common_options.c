/* common_options.c - reads the values of the common options (common_options.h). */
#include "support/options/common_options.h"
#include "support/options/help.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/units.h"

/* ---- Lists of instances (rb_plan_spec.instance) from one text: q=1..3 is q=1, q=2, q=3 ------- */

enum { MOST_INSTANCES = 100000, MOST_LENGTH = 256 };

/* Takes text over. */
static int add(struct cli_texts *texts, char *text, struct sup_error *error)
{
    sup_grow(&texts->text, texts->count, sizeof *texts->text);
    texts->text[texts->count++] = text;
    if (texts->count > MOST_INSTANCES)
        return sup_fail(error, RB_EINVAL, "more than %d instances", MOST_INSTANCES);
    return RB_OK;
}

/* Adds each of the texts of `front`, with a comma between, followed by a copy of the word. */
static int join(const struct cli_texts *front, const char *word, struct cli_texts *texts,
                struct sup_error *error)
{
    int status = RB_OK;
    if (front->count == 0)
        return add(texts, sup_strdup(word), error);
    for (size_t i = 0; status == RB_OK && i < front->count; i++) {
        char *both = sup_format("%s,%s", front->text[i], word);
        status = add(texts, both, error);
        if (status == RB_OK && strlen(both) >= MOST_LENGTH)
            status = sup_fail(error, RB_EINVAL, "\"%.40s...\" is too long", both);
    }
    return status;
}

/* The texts of front with NAME=VALUE added, for each value of a range; *ranged is false if the word
 * has none. */
static int join_range(const struct cli_texts *front, const char *word, struct cli_texts *texts,
                      bool *ranged, struct sup_error *error)
{
    const char *equals = strchr(word, '=');
    struct sup_list values;
    *ranged = equals != NULL && strstr(equals, "..") != NULL;
    if (!*ranged)
        return RB_OK;
    int status =
        sup_parse_list(equals + 1, false, INT64_MIN, INT64_MAX, MOST_INSTANCES, &values, error);
    if (status != RB_OK)
        return status;
    for (size_t i = 0; status == RB_OK && i < values.count; i++) {
        char one[MOST_LENGTH];
        snprintf(one, sizeof one, "%.*s=%" PRId64, (int)(equals - word), word, values.value[i]);
        status = join(front, one, texts, error);
    }
    sup_list_free(&values);
    return status;
}

int cli_add_instances(const char *text, struct cli_texts *texts, struct sup_error *error)
{
    struct cli_texts made = {0};
    int status = RB_OK;
    if (strlen(text) >= MOST_LENGTH)
        return sup_fail(error, RB_EINVAL, "\"%.40s...\" is too long", text);
    for (const char *at = text; status == RB_OK && at != NULL;) {
        const size_t length = strcspn(at, ",");
        struct cli_texts longer = {0};
        char word[MOST_LENGTH];
        bool ranged;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        status = join_range(&made, word, &longer, &ranged, error);
        if (status == RB_OK && !ranged)
            status = join(&made, word, &longer, error);
        cli_texts_free(&made);
        made = longer;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    for (size_t i = 0; status == RB_OK && i < made.count; i++)
        status = add(texts, sup_strdup(made.text[i]), error);
    cli_texts_free(&made);
    return status;
}

void cli_texts_free(struct cli_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    *texts = (struct cli_texts){0};
}

/* ---- Lists with words for values that depend on p: 1,2,q,q+1 or 0,middle,last ---------------- */

enum { MOST_TERMS = 4096 };

static int64_t value_of_q(int32_t p)
{
    return rb_ceil_log2(p);
}

static int64_t value_of_p(int32_t p)
{
    return p;
}

static int64_t value_of_middle(int32_t p)
{
    return p / 2;
}

static int64_t value_of_last(int32_t p)
{
    return p - 1;
}

const struct cli_symbol cli_symbol_q = {"q", value_of_q};
const struct cli_symbol cli_symbol_p = {"p", value_of_p};
const struct cli_symbol cli_symbol_middle = {"middle", value_of_middle};
const struct cli_symbol cli_symbol_last = {"last", value_of_last};

static int append(struct cli_terms *terms, struct cli_term term, struct sup_error *error)
{
    if (terms->count == MOST_TERMS)
        return sup_fail(error, RB_EINVAL, "more than %d values", MOST_TERMS);
    terms->term[terms->count++] = term;
    return RB_OK;
}

static int unknown_word(const char *item, const struct cli_symbol *const symbols[],
                        struct sup_error *error)
{
    char words[64] = "";
    for (size_t i = 0; symbols[i] != NULL; i++)
        sup_append(words, sizeof words, ", ", "%s", symbols[i]->name);
    return sup_fail(error, RB_EINVAL, "\"%s\" is neither a number nor one of the words %s", item,
                    words);
}

/* item starts with a letter: NAME, NAME+k or NAME-k. */
static int parse_word(const char *item, const struct cli_symbol *const symbols[],
                      struct cli_terms *terms, struct sup_error *error)
{
    size_t length = strcspn(item, "+-");
    const struct cli_symbol *symbol = NULL;
    for (size_t i = 0; symbols[i] != NULL; i++)
        if (strlen(symbols[i]->name) == length && strncmp(item, symbols[i]->name, length) == 0)
            symbol = symbols[i];
    if (symbol == NULL)
        return unknown_word(item, symbols, error);
    int64_t number = 0;
    if (item[length] != '\0') {
        int status = sup_parse_int(item + length + 1, 0, INT32_MAX, &number, error);
        if (status != RB_OK)
            return status;
    }
    if (item[length] == '-')
        number = -number;
    return append(terms, (struct cli_term){symbol, number}, error);
}

static int parse_numbers(const char *item, int64_t least, int64_t most, struct cli_terms *terms,
                         struct sup_error *error)
{
    struct sup_list list;
    int status = sup_parse_list(item, 0, least, most, MOST_TERMS, &list, error);
    for (size_t i = 0; status == RB_OK && i < list.count; i++)
        status = append(terms, (struct cli_term){NULL, list.value[i]}, error);
    sup_list_free(&list);
    return status;
}

int cli_parse_terms(const char *text, const struct cli_symbol *const symbols[], int64_t least,
                    int64_t most, struct cli_terms *terms, struct sup_error *error)
{
    *terms = (struct cli_terms){.term = sup_malloc(MOST_TERMS * sizeof *terms->term)};
    char *copy = sup_strdup(text);
    int status = RB_OK;
    for (char *item = copy; status == RB_OK && item != NULL;) {
        char *comma = strchr(item, ',');
        if (comma != NULL)
            *comma++ = '\0';
        status = isalpha((unsigned char)*item) ? parse_word(item, symbols, terms, error)
                                               : parse_numbers(item, least, most, terms, error);
        item = comma;
    }
    free(copy);
    if (status != RB_OK)
        cli_terms_free(terms);
    return status;
}

void cli_terms_free(struct cli_terms *terms)
{
    free(terms->term);
    *terms = (struct cli_terms){0};
}

size_t cli_terms_values(const struct cli_terms *terms, int32_t p, int64_t least, int64_t most,
                        int64_t value[])
{
    size_t count = 0;
    for (size_t i = 0; i < terms->count; i++) {
        const struct cli_term *term = &terms->term[i];
        int64_t here = term->number + (term->symbol == NULL ? 0 : term->symbol->value(p));
        size_t j = 0;
        while (j < count && value[j] != here)
            j++;
        if (j == count && least <= here && here <= most)
            value[count++] = here;
    }
    return count;
}

/* ---- The common options ---------------------------------------------------------------------- */

enum { MOST_NAMES = 64 };

int cli_check_collective(const char *name, struct sup_error *error)
{
    if (rb_collective_find(name) != NULL)
        return RB_OK;
    const char *names[MOST_NAMES];
    char hint[SUP_HINT_SIZE];
    int32_t count = 0;
    for (; count < MOST_NAMES && rb_collective_at(count) != NULL; count++)
        names[count] = rb_collective_at(count)->name;
    return sup_fail(error, RB_EINVAL, "--collective: unknown \"%s\": %s", name,
                    sup_hint(name, names, (size_t)count, "roundabout list names them", hint));
}

int cli_check_algorithm(const char *collective, const char *name, struct sup_error *error)
{
    if (rb_algorithm_find(collective, name) != NULL)
        return RB_OK;
    const char *names[MOST_NAMES];
    char hint[SUP_HINT_SIZE], why[400];
    size_t count = 0;
    const struct rb_algorithm_info *info;
    if (rb_is_file(name)) {
        rb_algorithm_get(collective, name, why, sizeof why);
        return sup_fail(error, RB_EINVAL, "--algorithm: %s", why);
    }
    for (int32_t i = 0; count < MOST_NAMES && (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, collective) == 0)
            names[count++] = info->name;
    char list[80];
    snprintf(list, sizeof list, "roundabout list %s names them", collective);
    return sup_fail(error, RB_EINVAL, "--algorithm: unknown \"%s\" for %s: %s", name, collective,
                    sup_hint(name, names, count, list, hint));
}

int cli_check_root(int32_t root, int32_t p, struct sup_error *error)
{
    if (root < p)
        return RB_OK;
    return sup_fail(error, RB_EINVAL,
                    "--root: %" PRId32 " is not a rank: with %" PRId32
                    " ranks it must be from 0 to %" PRId32,
                    root, p, p - 1);
}

int cli_request_plan(const struct rb_plan_spec *spec, struct rb_plan **plan,
                     struct sup_error *error)
{
    int status = cli_check_collective(spec->collective, error);
    if (status == RB_OK)
        status = cli_check_algorithm(spec->collective, spec->algorithm, error);
    if (status == RB_OK)
        status = cli_check_root(spec->root, spec->p, error);
    if (status != RB_OK)
        return status;
    char why[256];
    status = rb_plan_create(spec, plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    return RB_OK;
}

int cli_request_layout(const struct cli_args *args, int64_t bytes,
                       const struct rb_collective_info *collective, int32_t p,
                       struct rb_layout *layout, int64_t **first, struct sup_error *error)
{
    char why[256];
    struct sup_counts counts;
    struct sup_error reason;
    *first = NULL;
    *layout = (struct rb_layout){.bytes = bytes, .element = cli_args_int(args, "element")};
    if (rb_layout_check(layout, why, sizeof why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--bytes: %s", why);
    int status = sup_counts_parse(cli_args_text(args, "counts"), &counts, &reason);
    if (status == RB_OK && !cli_args_given(args, "bytes"))
        status = sup_counts_bytes(&counts, layout->element, &layout->bytes, &reason);
    if (status == RB_OK)
        status = sup_counts_apply(&counts, collective, p, layout, first, &reason);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--counts: %s", reason.text);
}

int cli_request_bytes(const struct cli_args *args, const struct rb_algorithm_info *algorithm,
                      int64_t *bytes, struct sup_error *error)
{
    const struct rb_plan_only *only = algorithm == NULL ? NULL : algorithm->only;
    *bytes = cli_args_int(args, "bytes");
    if (only == NULL || only->bytes < 0)
        return RB_OK;
    *bytes = only->bytes;
    for (const char *const *name = (const char *const[]){"bytes", "element", NULL}; *name; name++)
        if (cli_args_given(args, *name))
            return sup_fail(error, RB_EINVAL,
                            "--%s: the messages of %.200s have lengths of their own: leave it out",
                            *name, only->file);
    return RB_OK;
}

void cli_say_untimed(const struct rb_algorithm_info *algorithm)
{
    char time[32];
    if (algorithm != NULL && algorithm->only != NULL && algorithm->only->untimed_ns > 0)
        cli_complain(
            CLI_EXIT_DONE, "%s: its computation, %s in all, takes no time here: messages alone do",
            algorithm->only->file,
            sup_format_seconds((double)algorithm->only->untimed_ns * 1e-9, time, sizeof time));
}

const char *cli_format_root(const struct rb_collective_info *collective, int32_t root, char *buffer,
                            size_t size)
{
    buffer[0] = '\0';
    if (collective->rooted || root > 0) /* an algorithm may have one, too */
        snprintf(buffer, size, ", root %" PRId32, root);
    return buffer;
}

/* "lower bound: 5"; of pipelined algorithms "lower bounds: 32 pipelined, 5 for any plan", where
 * pipelined plans are those with one block of an owner per message. */
static const char *format_least_rounds(const struct rb_plan *plan, char *buffer, size_t size)
{
    const int64_t least = rb_bound_rounds(plan), packed = rb_bound_rounds_packed(plan);
    if (least < 0)
        snprintf(buffer, size, "no lower bound: it names no data");
    else if (least == packed)
        snprintf(buffer, size, "lower bound: %" PRId64, least);
    else
        snprintf(buffer, size, "lower bounds: %" PRId64 " pipelined, %" PRId64 " for any plan",
                 least, packed);
    return buffer;
}

const char *cli_format_rounds(const struct rb_plan *plan, char *buffer, size_t size)
{
    char least[128];
    const int64_t rounds = rb_plan_rounds(plan);
    snprintf(buffer, size, "%" PRId64 " round%s (%s)", rounds, sup_plural(rounds),
             rounds == rb_bound_rounds_packed(plan) ? "no plan has fewer"
             : rounds == rb_bound_rounds(plan)      ? "no pipelined plan has fewer"
                                               : format_least_rounds(plan, least, sizeof least));
    return buffer;
}

const char *cli_format_least_critical_volume(const struct rb_plan *plan, char *buffer, size_t size)
{
    const int64_t least = rb_bound_critical_volume(plan, INT64_MAX);
    const int64_t of_rounds = rb_bound_critical_volume(plan, rb_plan_rounds(plan));
    if (least < 0)
        return format_least_rounds(plan, buffer, size);
    if (of_rounds == least)
        snprintf(buffer, size, "lower bound: %" PRId64, least);
    else
        snprintf(buffer, size,
                 "lower bounds: %" PRId64 " for any plan, %" PRId64 " for one of so few rounds",
                 least, of_rounds);
    return buffer;
}

int cli_args_ranks(const struct cli_args *args, const char *collective, int32_t *p,
                   struct sup_error *error)
{
    char why[256];
    const char *algorithm = cli_args_text(args, "algorithm");
    *p = cli_args_given(args, "ranks") ? (int32_t)cli_args_int(args, "ranks") : 0;
    if (*p > 0)
        return RB_OK;
    int status = cli_check_collective(collective, error);
    if (status == RB_OK && algorithm != NULL && rb_is_file(algorithm)) {
        status = cli_check_algorithm(collective, algorithm, error);
        if (status == RB_OK)
            *p = rb_algorithm_find(collective, algorithm)->only->p;
    }
    if (status != RB_OK || *p > 0)
        return status;
    status = rb_instance_ranks(collective, cli_args_text(args, "instance"), p, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "--instance: %s", why);
    return *p > 0 ? RB_OK
                  : sup_fail(error, RB_EINVAL,
                             "--ranks: missing: give -p or --ranks P (number of ranks)");
}

int64_t cli_most_blocks(const struct rb_collective_info *collective, int32_t p, int64_t elements,
                        bool regular)
{
    if (collective->fixed_counts)
        return INT64_MAX;
    if (regular && collective->distributed)
        elements = (elements + p - 1) / p;
    if (regular && collective->personalized)
        elements = (elements + p - 1) / p;
    return elements > 1 ? elements : 1;
}

void cli_note_empty_blocks(const struct rb_collective_info *collective, int32_t p, int64_t n,
                           const struct rb_layout *layout)
{
    const int64_t elements = layout->bytes / layout->element;
    const int64_t most = cli_most_blocks(collective, p, elements, layout->first == NULL);
    if (n > most)
        cli_complain(CLI_EXIT_DONE,
                     "note: n = %" PRId64 " blocks, but %s has %" PRId64 " element%s of %" PRId64
                     " byte%s: the others are empty, and their messages cost start-ups alone",
                     n, collective->distributed ? "a rank's part" : "the message",
                     elements < 1 ? 0 : most, sup_plural(elements < 1 ? 0 : most), layout->element,
                     sup_plural(layout->element));
}

const char *cli_args_first(const struct cli_args *args, const char *names)
{
    static char name[48];
    size_t length;
    for (const char *word; (word = cli_help_next(&names, '|', &length)) != NULL;) {
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        if (cli_args_given(args, name))
            return name;
    }
    return NULL;
}

int cli_refuse(const struct cli_args *args, const char *names, const char *why,
               struct sup_error *error)
{
    const char *name = cli_args_first(args, names);
    return name == NULL ? RB_OK : sup_fail(error, RB_EINVAL, "--%s: %s", name, why);
}

int cli_refused(const struct cli_args *args, const char *names, const char *why)
{
    struct sup_error error;
    return cli_fail(cli_refuse(args, names, why, &error), &error);
}

enum out_format cli_args_format(const struct cli_args *args)
{
    const char *format = cli_args_text(args, "format");
    if (strcmp(format, "csv") == 0)
        return OUT_CSV;
    return strcmp(format, "json") == 0 ? OUT_JSON : OUT_TEXT;
}

int cli_args_output(const struct cli_args *args, struct out_file *output)
{
    struct sup_error error;
    int status = out_open(output, cli_args_text(args, "output"), &error);
    if (status == RB_OK && cli_args_format(args) == OUT_TEXT)
        out_show(output);
    if (output->path != NULL)
        out_text_fit(0); /* a file is no terminal */
    if (status != RB_OK)
        out_discard(output);
    return cli_fail(status, &error);
}

int cli_print(const struct cli_args *args, int (*print)(const struct cli_args *args, FILE *stream))
{
    struct out_file output;
    const int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    return cli_finish_output(&output, print(args, output.stream));
}

int cli_show(void (*print)(const void *context, FILE *stream), const void *context)
{
    struct out_file output = {0};
    struct sup_error error;
    const int status = out_open(&output, NULL, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    out_show(&output);
    print(context, output.stream);
    return cli_finish_output(&output, CLI_EXIT_DONE);
}

int cli_finish_output(struct out_file *output, int status)
{
    struct sup_error error;
    if (status != CLI_EXIT_DONE && status != CLI_EXIT_FALSE) {
        out_discard(output);
        return status;
    }
    if (out_close(output, &error) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    return status;
}

/* ---- Sets of words --------------------------------------------------------------------------- */

enum { MOST_WORDS = 8 * sizeof(unsigned) - 1 };

/* Adds the words of "a,b" to the set of their places. */
static int add_words(const char *option, const char *text, const char *const names[], size_t count,
                     unsigned *set, struct sup_error *error)
{
    for (const char *word = text; word != NULL;) {
        const char *comma = strchr(word, ',');
        char name[32], known[512] = "there are ", hint[SUP_HINT_SIZE];
        size_t i = 0;
        snprintf(name, sizeof name, "%.*s", comma == NULL ? 31 : (int)(comma - word), word);
        const bool all = strcmp(name, "all") == 0;
        while (i < count && strcmp(name, names[i]) != 0)
            i++;
        for (size_t j = 0; i == count && j < count; j++)
            sup_append(known, sizeof known, j == 0 ? "" : ", ", "%s", names[j]);
        if (i == count && !all)
            return sup_fail(error, RB_EINVAL, "--%s: \"%s\": %s", option, name,
                            sup_hint(name, names, count, known, hint));
        *set |= all ? (1u << count) - 1 : 1u << i;
        word = comma == NULL ? NULL : comma + 1;
    }
    return RB_OK;
}

int cli_args_set(const struct cli_args *args, const char *name, unsigned *set,
                 struct sup_error *error)
{
    const char *(*word_at)(int32_t i) = cli_args_option(args, name)->word_at;
    const char *names[MOST_WORDS], *const *texts;
    const int32_t text_count = cli_args_texts(args, name, &texts);
    size_t count = 0;
    int status = RB_OK;
    while (count < MOST_WORDS && word_at((int32_t)count) != NULL) {
        names[count] = word_at((int32_t)count);
        count++;
    }
    *set = 0;
    for (int32_t i = 0; i < text_count && status == RB_OK; i++)
        status = add_words(name, texts[i], names, count, set, error);
    return status;
}
