/* audit_measured.c - see audit_measured.h. */
#include "experiments/audit/audit_measured.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

/* ---- Order ----------------------------------------------------------------------------------- */

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Everything but the choice and its time. */
static int by_point(const struct rows_row *a, const struct rows_row *b)
{
    const char *const texts[][2] = {{a->system, b->system},
                                    {a->library, b->library},
                                    {a->library_version, b->library_version},
                                    {a->collective, b->collective}};
    const int64_t numbers[][2] = {{a->ranks_per_node, b->ranks_per_node},
                                  {a->p, b->p},
                                  {a->m_bytes, b->m_bytes},
                                  {a->root, b->root},
                                  {a->element_bytes, b->element_bytes}};
    int order = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && order == 0; i++)
        order = strcmp(texts[i][0], texts[i][1]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && order == 0; i++)
        order = order_of(numbers[i][0], numbers[i][1]);
    if (order == 0)
        order = strcmp(a->test, b->test);
    return order == 0 ? strcmp(a->shape, b->shape) : order;
}

static int by_row(const void *a, const void *b)
{
    const struct rows_row *left = *(const struct rows_row *const *)a,
                          *right = *(const struct rows_row *const *)b;
    const int order = by_point(left, right);
    if (order != 0)
        return order;
    const int by_name = strcmp(left->name, right->name);
    return by_name != 0 ? by_name : order_of(left->line, right->line);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Of "default_ompi" the mark is "_ompi", at the end of names; of "default-default" it is
 * "default-", at their beginning. */
static bool is_of_library(const char *decision, const char *choice)
{
    static const char word[] = "default";
    const size_t length = strlen(word), choice_length = strlen(choice);
    if (strncmp(decision, word, length) != 0 || decision[length] == '\0')
        return true;
    const char *rest = decision + length;
    if (strcmp(rest + 1, word) == 0)
        return strncmp(choice, decision, length + 1) == 0;
    const size_t rest_length = strlen(rest);
    return choice_length > rest_length && strcmp(choice + choice_length - rest_length, rest) == 0;
}

/* The name that other tables have for a library: NULL if there is none. */
static const char *library_of(const struct rows_row *row)
{
    static const char *const names[][2] = {{"OMPI", "ompi"},    {"Open MPI", "ompi"},
                                           {"OpenMPI", "ompi"}, {"CRAY_MPICH", "mpich"},
                                           {"MPICH", "mpich"},  {"FJMPI", "fujitsu"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(row->library, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

/* ---- Points ---------------------------------------------------------------------------------- */

struct adding {
    struct audit *audit;
    struct sup_error *error;
};

static int choice_of(struct adding *adding, const struct rows_row *row, const char *decision,
                     struct audit_choice *choice)
{
    *choice = (struct audit_choice){.radix = row->radix,
                                    .segment_bytes = row->segment_bytes,
                                    .time_s = row->median_s,
                                    .low_s = row->p10_s,
                                    .high_s = row->p90_s,
                                    .offered = is_of_library(decision, row->name)};
    int status = audit_word(adding->audit, row->name, &choice->name, adding->error);
    if (status == RB_OK)
        status = audit_word(adding->audit, row->algorithm, &choice->algorithm, adding->error);
    return status;
}

static int add_setting(struct adding *adding, const struct rows_row *row, size_t *index)
{
    struct audit_setting setting = {.ppn = row->ranks_per_node};
    char source[256];
    snprintf(source, sizeof source, "%s%s%s%s%s", row->system, row->library[0] != '\0' ? " " : "",
             row->library, row->library_version[0] != '\0' ? " " : "", row->library_version);
    int status = audit_word(adding->audit, source, &setting.source, adding->error);
    if (status == RB_OK)
        status = audit_word(adding->audit, library_of(row), &setting.library, adding->error);
    if (status == RB_OK)
        status = audit_word(adding->audit, row->collective, &setting.collective, adding->error);
    return status == RB_OK ? audit_add_setting(adding->audit, &setting, index, adding->error)
                           : status;
}

/* Rows of one point, `decision` among them. */
static int add_point(struct adding *adding, const struct rows_row *const rows[], size_t count,
                     size_t decision)
{
    const struct rows_row *made = rows[decision];
    struct audit_point point = {.p = made->p, .m_bytes = made->m_bytes};
    struct audit_choice choice;
    char run[256];
    snprintf(run, sizeof run, "%s%s%s", made->test, made->shape[0] != '\0' ? " " : "", made->shape);
    int status = add_setting(adding, made, &point.setting);
    if (status == RB_OK)
        status = audit_word(adding->audit, run, &point.run, adding->error);
    if (status == RB_OK)
        status = choice_of(adding, made, made->name, &point.decision);
    if (status != RB_OK)
        return status;
    point.decision.name = point.decision.algorithm = NULL;
    status = audit_add_point(adding->audit, &point, adding->error);
    for (size_t i = 0; i < count && status == RB_OK; i++) {
        if (rows[i]->own_choice)
            continue;
        status = choice_of(adding, rows[i], made->name, &choice);
        if (status == RB_OK)
            status = audit_add_choice(adding->audit, &choice, adding->error);
    }
    return status;
}

int audit_add_measured(struct audit *audit, const struct rows_row *const rows[], size_t count,
                       int64_t *undecided, struct sup_error *error)
{
    struct adding adding = {audit, error};
    const struct rows_row **sorted = calloc(count + 1, sizeof *sorted);
    int status = sorted == NULL ? sup_fail(error, RB_ENOMEM, "out of memory") : RB_OK;
    *undecided = 0;
    if (sorted != NULL && count > 0) {
        memcpy(sorted, rows, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_row);
    }
    for (size_t first = 0, next; first < count && status == RB_OK; first = next) {
        size_t decisions = 0;
        for (next = first; next < count && by_point(sorted[first], sorted[next]) == 0; next++)
            decisions += sorted[next]->own_choice;
        *undecided += decisions == 0;
        for (size_t i = first; i < next && status == RB_OK; i++)
            if (sorted[i]->own_choice)
                status = add_point(&adding, sorted + first, next - first, i - first);
    }
    free(sorted);
    return status;
}
