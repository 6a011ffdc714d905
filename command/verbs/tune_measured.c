/* tune_measured.c - see tune_measured.h. */
#include "command/verbs/tune_measured.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options/common_options.h"
#include "command/verbs/rules_options.h"
#include "experiments/point/parameters.h"

bool verb_tune_is_measured(const struct cli_args *args)
{
    static const char database[] = "SQLite format 3";
    const char *const *operands;
    char head[sizeof database] = "";
    if (cli_args_operands(args, &operands) != 1)
        return false;
    FILE *file = fopen(operands[0], "rb");
    if (file == NULL)
        return false;
    const size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return size > 0 && memcmp(head, database, size) != 0;
}

static bool is_in(const struct cli_args *args, const char *option, int64_t value)
{
    if (!cli_args_given(args, option))
        return true;
    const struct sup_list *list = cli_args_list(args, option);
    for (size_t i = 0; i < list->count; i++) {
        if (list->value[i] == value)
            return true;
    }
    return false;
}

static bool is_asked(const struct cli_args *args, const struct rows_row *row)
{
    const char *const *names;
    const int32_t count = cli_args_texts(args, "collective", &names);
    bool named = count == 0;
    for (int32_t i = 0; i < count; i++)
        named = named || strcmp(names[i], row->collective) == 0;
    return named && is_in(args, "ranks", row->p) && is_in(args, "bytes", row->m_bytes) &&
           is_in(args, "ppn", row->ranks_per_node);
}

/* Of the filters, measured rows have these. */
static int check_filters(const struct cli_args *args, struct sup_error *error)
{
    static const char *const known[] = {"collective", "ranks", "bytes", "ppn"};
    struct cli_option option;
    for (int32_t i = 0; point_filter_option(i, &option); i++) {
        bool useful = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            useful = useful || strcmp(option.name, known[k]) == 0;
        if (!useful && cli_args_given(args, option.name))
            return sup_fail(error, RB_EINVAL,
                            "--%s: chooses results of a sweep; use --where for measured rows",
                            option.name);
    }
    return RB_OK;
}

/* What the options leave of the rows. */
static int choose(const struct cli_args *args, const struct rows_set *set,
                  const struct rows_row **row, size_t *count, struct sup_error *error)
{
    struct rows_filter *filter = NULL;
    struct sup_error why;
    const char *system = NULL;
    int status = RB_OK;
    if (cli_args_given(args, "system") &&
        (status = rows_system(set, cli_args_text(args, "system"), &system, &why)) != RB_OK)
        return sup_fail(error, status, "--system: %s", why.text);
    if (cli_args_given(args, "where") &&
        (status = rows_filter_parse(cli_args_text(args, "where"), &filter, &why)) != RB_OK)
        return sup_fail(error, status, "--where: %s", why.text);
    *count = 0;
    for (size_t i = 0; i < set->count; i++) {
        if ((system == NULL || set->row[i].system == system) && is_asked(args, &set->row[i]) &&
            (filter == NULL || rows_filter_matches(filter, &set->row[i])))
            row[(*count)++] = &set->row[i];
    }
    rows_filter_free(filter);
    return *count > 0 ? RB_OK
                      : sup_fail(error, RB_EINVAL, "%s: the options leave none of its %zu rows",
                                 set->file[0], set->count);
}

static int run(const struct cli_args *args, const struct tune_rules_request *request,
               struct rows_set *set, FILE *stream, struct rules_notes *notes,
               struct sup_error *error)
{
    const struct rows_defaults none = {0};
    const char *const *operands;
    size_t count;
    cli_args_operands(args, &operands);
    int status = check_filters(args, error);
    if (status == RB_OK)
        status = rows_read(set, operands[0], &none, error);
    if (status != RB_OK)
        return status;
    const struct rows_row **row = calloc(set->count + 1, sizeof *row);
    if (row == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    status = choose(args, set, row, &count, error);
    if (status == RB_OK)
        status = tune_rules_write_measured(row, count, request, stream, notes, error);
    free(row);
    return status;
}

int verb_tune_measured_run(const struct cli_args *args, const struct tune_rules_request *request,
                           FILE *stream)
{
    struct rows_set set = {0};
    struct sup_error error;
    struct rules_notes notes;
    const int status = run(args, request, &set, stream, &notes, &error);
    rows_free(&set);
    if (status == RB_OK)
        verb_rules_tell(&notes);
    return status == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(status), "%s", error.text);
}
