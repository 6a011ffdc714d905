/* tune_measured.c - see tune_measured.h. */
#include "command/tune_measured.h"

#include <stdlib.h>
#include <string.h>

#include "command/rules_options.h"
#include "support/memory.h"
#include "support/options/common_options.h"

bool verb_tune_is_measured(const struct cli_args *args)
{
    static const char database[] = "SQLite format 3";
    const char *const *operands;
    char head[sizeof database] = "";
    if (cli_args_operands(args, &operands) != 1)
        return false;
    FILE *file = sup_got(fopen(operands[0], "rb"));
    if (file == NULL)
        return false;
    const size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return size > 0 && memcmp(head, database, size) != 0;
}

static int run(const struct cli_args *args, const struct decide_rules_request *request,
               struct rows_set *set, FILE *stream, struct rules_notes *notes,
               struct sup_error *error)
{
    const struct rows_defaults defaults = rows_defaults_of(args);
    const char *const *operands;
    size_t count;
    cli_args_operands(args, &operands);
    int status = rows_refuse_filters(
        args, "chooses results of a sweep; use --where for measured rows", error);
    if (status == RB_OK)
        status = rows_read(set, operands[0], &defaults, error);
    if (status != RB_OK)
        return status;
    rows_tell(set);
    const struct rows_row **row;
    status = rows_choose(args, set, true, &row, &count, error);
    if (status == RB_OK)
        rows_tell_unplanned(row, count);
    if (status == RB_OK)
        status = decide_rules_write_measured(row, count, request, stream, notes, error);
    free(row);
    return status;
}

int verb_tune_measured_run(const struct cli_args *args, const struct decide_rules_request *request,
                           FILE *stream)
{
    struct rows_set set = {0};
    struct sup_error error;
    struct rules_notes notes;
    const int status = run(args, request, &set, stream, &notes, &error);
    rows_free(&set);
    if (status == RB_OK)
        verb_rules_tell(&notes);
    return cli_fail(status, &error);
}
