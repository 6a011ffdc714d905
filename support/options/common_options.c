/* common_options.c - reads the values of the common options (common_options.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/counts.h"
#include "support/options/common_options.h"

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
                    sup_hint(name, names, (size_t)count, "roundabout list shows them all", hint));
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
    return sup_fail(error, RB_EINVAL, "--algorithm: unknown \"%s\" for %s: %s", name, collective,
                    sup_hint(name, names, count, "roundabout list shows them all", hint));
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
    struct rb_counts counts;
    struct sup_error reason;
    *first = NULL;
    *layout = (struct rb_layout){.bytes = bytes, .element = cli_args_int(args, "element")};
    if (rb_layout_check(layout, why, sizeof why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--bytes: %s", why);
    int status = sup_counts_parse(cli_args_text(args, "counts"), &counts, &reason);
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
    if (collective->rooted)
        snprintf(buffer, size, ", root %" PRId32, root);
    return buffer;
}

const char *cli_format_least_rounds(const struct rb_plan *plan, char *buffer, size_t size)
{
    const int64_t least = rb_bound_rounds(plan), packed = rb_bound_rounds_packed(plan);
    if (least < 0)
        snprintf(buffer, size, "no bound: it names no data");
    else if (least == packed)
        snprintf(buffer, size, "no plan has fewer than %" PRId64, least);
    else
        snprintf(buffer, size,
                 "no plan with one block of an owner per message has fewer than %" PRId64
                 ", none at all fewer than %" PRId64,
                 least, packed);
    return buffer;
}

const char *cli_format_least_critical_volume(const struct rb_plan *plan, char *buffer, size_t size)
{
    const int64_t least = rb_bound_critical_volume(plan, INT64_MAX);
    const int64_t of_rounds = rb_bound_critical_volume(plan, rb_plan_rounds(plan));
    char more[64] = "";
    if (least < 0)
        return cli_format_least_rounds(plan, buffer, size);
    if (of_rounds != least)
        snprintf(more, sizeof more, ", none of so many rounds fewer than %" PRId64, of_rounds);
    snprintf(buffer, size, "no plan has fewer than %" PRId64 "%s", least, more);
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
        size_t i = 0, used = strlen(known);
        snprintf(name, sizeof name, "%.*s", comma == NULL ? 31 : (int)(comma - word), word);
        const bool all = strcmp(name, "all") == 0;
        while (i < count && strcmp(name, names[i]) != 0)
            i++;
        for (size_t j = 0; i == count && j < count && used < sizeof known; j++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", j == 0 ? "" : ", ",
                                     names[j]);
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
