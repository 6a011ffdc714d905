/* choose.c - the rows that the options of a verb choose (rows.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "experiments/rows/rows.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/units.h"

static bool in_list(const struct cli_args *args, const char *option, int64_t value)
{
    if (!cli_args_given(args, option))
        return true;
    const struct sup_list *list = cli_args_list(args, option);
    for (size_t i = 0; i < list->count; i++)
        if (list->value[i] == value)
            return true;
    return false;
}

bool rows_collective_is_asked(const struct cli_args *args, const char *collective)
{
    const char *const *names;
    const int32_t count = cli_args_texts(args, "collective", &names);
    for (int32_t i = 0; i < count; i++)
        if (strcmp(names[i], collective) == 0)
            return true;
    return count == 0;
}

static bool is_asked(const struct cli_args *args, const struct rows_row *row)
{
    return rows_collective_is_asked(args, row->collective) && in_list(args, "ranks", row->p) &&
           in_list(args, "bytes", row->m_bytes) && in_list(args, "ppn", row->ranks_per_node);
}

int rows_refuse_filters(const struct cli_args *args, const char *why, struct sup_error *error)
{
    static const char *const known[] = {"collective", "ranks", "bytes", "ppn"};
    struct cli_option option;
    for (int32_t i = 0; point_filter_option(i, &option); i++) {
        bool useful = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            useful = useful || strcmp(option.name, known[k]) == 0;
        if (!useful && cli_args_given(args, option.name))
            return sup_fail(error, RB_EINVAL, "--%s: %s", option.name, why);
    }
    return RB_OK;
}

static int32_t only_number(const struct cli_args *args, const char *option)
{
    if (!cli_args_given(args, option))
        return 0;
    const struct sup_list *list = cli_args_list(args, option);
    return list->count == 1 ? (int32_t)list->value[0] : 0;
}

struct rows_defaults rows_defaults_of(const struct cli_args *args)
{
    return (struct rows_defaults){.system = cli_args_text(args, "machine"),
                                  .unnamed = "here",
                                  .unnamed_algorithm = "default",
                                  .unnamed_ranks_per_node = only_number(args, "ppn"),
                                  .unnamed_p = only_number(args, "ranks"),
                                  .ranks_option = "-p"};
}

void rows_tell(const struct rows_set *set)
{
    char *note;
    for (int i = 0; (note = rows_note(set, i)) != NULL; i++) {
        cli_complain(CLI_EXIT_DONE, "note: %s", note);
        free(note);
    }
}

void rows_tell_unplanned(const struct rows_row *const row[], size_t count)
{
    const char *first = NULL;
    int64_t unplanned = 0;
    for (size_t i = 0; i < count; i++)
        if (row[i]->algorithm == NULL && !row[i]->own_choice) {
            first = first == NULL ? row[i]->name : first;
            unplanned++;
        }
    if (unplanned > 0)
        cli_complain(CLI_EXIT_DONE,
                     "note: left out: %" PRId64 " row%s of algorithms that have no plan here, such "
                     "as %s",
                     unplanned, sup_plural(unplanned), first);
}

int rows_choose(const struct cli_args *args, const struct rows_set *set, bool points,
                const struct rows_row ***chosen, size_t *count, struct sup_error *error)
{
    struct rows_filter *filter = NULL;
    struct sup_error why;
    const char *system = NULL;
    int status = RB_OK;
    *chosen = NULL;
    *count = 0;
    if (rows_need_some(set, error) != RB_OK)
        return RB_EINVAL;
    if (cli_args_given(args, "system") &&
        (status = rows_system(set, cli_args_text(args, "system"), &system, &why)) != RB_OK)
        return sup_fail(error, status, "--system: %s", why.text);
    if (cli_args_given(args, "where") &&
        (status = rows_filter_parse(cli_args_text(args, "where"), &filter, &why)) != RB_OK)
        return sup_fail(error, status, "--where: %s", why.text);
    *chosen = sup_calloc(set->count, sizeof **chosen);
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        if ((system == NULL || row->system == system) && (!points || is_asked(args, row)) &&
            rows_filter_matches(filter, row))
            (*chosen)[(*count)++] = row;
    }
    rows_filter_free(filter);
    return *count > 0 ? RB_OK
                      : sup_fail(error, RB_EINVAL, "%s: the options leave none of its %zu rows",
                                 set->file[0], set->count);
}
