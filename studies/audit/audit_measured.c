#include "studies/audit/audit.h"
#include "support/memory.h"
#include "support/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Order ----------------------------------------------------------------------------------- */

/* Between GPUs other libraries' times are held against a choice, too; no other library's algorithm
 * is offered. */
static const char *library_of(const struct rows_row *row)
{
    return row->manner.engine != NULL ? "" : row->library;
}

/* Everything but the choice and its time. */
static int by_point(const struct rows_row *a, const struct rows_row *b)
{
    const char *const texts[][2] = {{a->system, b->system},
                                    {library_of(a), library_of(b)},
                                    {library_of(a)[0] == '\0' ? "" : a->library_version,
                                     library_of(b)[0] == '\0' ? "" : b->library_version},
                                    {a->collective, b->collective}};
    int order = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && order == 0; i++)
        order = strcmp(texts[i][0], texts[i][1]);
    return SUP_FIRST(order, SUP_ORDER(a->ranks_per_node, b->ranks_per_node), SUP_ORDER(a->p, b->p),
                     SUP_ORDER(a->m_bytes, b->m_bytes), SUP_ORDER(a->root, b->root),
                     SUP_ORDER(a->element_bytes, b->element_bytes), strcmp(a->test, b->test),
                     strcmp(a->shape, b->shape));
}

SUP_COMPARE(by_row, struct rows_row *, by_point(*a, *b), strcmp((*a)->name, (*b)->name),
            SUP_ORDER((*a)->line, (*b)->line));

/* ---- Points ---------------------------------------------------------------------------------- */

struct adding {
    struct decide *audit;
    const struct decide_library *decider; /* NULL: the library's own choice */
};

/* The rows of one point. */
struct group {
    const struct rows_row *const *rows;
    size_t count;
    const struct rows_row *own; /* of the library's own choice; NULL: none */
};

static bool is_offered(const struct group *group, const struct rows_row *row)
{
    return group->own == NULL || (strcmp(group->own->library, row->library) == 0 &&
                                  rows_is_of_library(group->own->name, row->name));
}

static struct decide_way choice_of(const struct group *group, const struct rows_row *row)
{
    return (struct decide_way){.name = row->name,
                               .algorithm = row->algorithm,
                               .radix = row->radix,
                               .segment_bytes = row->segment_bytes,
                               .time_s = row->median_s,
                               .low_s = row->p10_s,
                               .high_s = row->p90_s,
                               .confirmed_s = NAN,
                               .source = DECIDE_MEASURED,
                               .offered = is_offered(group, row)};
}

static size_t add_setting(struct adding *adding, const struct rows_row *row)
{
    char source[256];
    snprintf(source, sizeof source, "%s%s%s%s%s", row->system, row->library[0] != '\0' ? " " : "",
             row->library, row->library_version[0] != '\0' ? " " : "", row->library_version);
    const struct decide_place setting = {
        .place = source,
        .library = sup_library_named(row->library),
        .collective = row->collective,
        .ppn = row->ranks_per_node,
    };
    return decide_add_place(adding->audit, &setting);
}

/* The row of what the decider takes; NULL: it was not measured. */
static const struct rows_row *find_row(const struct group *group,
                                       const struct decide_taken *decision)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct rows_row *row = group->rows[i];
        if (!row->own_choice && is_offered(group, row) && row->algorithm != NULL &&
            strcmp(row->algorithm, decision->algorithm) == 0 &&
            (decision->radix == 0 || row->radix == 0 || row->radix == decision->radix) &&
            (row->segment_bytes == decision->segment_bytes ||
             (row->segment_bytes == 0 && decision->segment_bytes >= row->m_bytes)))
            return row;
    }
    return NULL;
}

/* What is decided at the point. False: it has no time, which is counted. */
static bool decide(struct adding *adding, const struct group *group,
                   const struct rows_row **decided, bool *known)
{
    const struct decide_library *decider = adding->decider;
    const struct rows_row *first = group->rows[0];
    struct decide_taken decision;
    *known = decider != NULL && decider->decide(decider->context, first->collective, first->p,
                                                first->ranks_per_node, first->m_bytes, &decision);
    *decided = group->own;
    if (*known) {
        *decided = decision.algorithm == NULL ? NULL : find_row(group, &decision);
        if (*decided == NULL)
            decide_leave_out(adding->audit, DECIDE_NOT_MEASURED, 1, decision.name);
    } else if (group->own == NULL) {
        decide_leave_out(adding->audit, DECIDE_UNDECIDED, 1, NULL);
    }
    return *decided != NULL;
}

static void add_point(struct adding *adding, const struct group *group)
{
    const struct rows_row *made, *first = group->rows[0];
    struct decide_call point = {.p = first->p, .m_bytes = first->m_bytes, .has_own = true};
    char run[256];
    if (!decide(adding, group, &made, &point.own_known))
        return;
    snprintf(run, sizeof run, "%s%s%s", first->test, first->shape[0] != '\0' ? " " : "",
             first->shape);
    point.place = add_setting(adding, group->own == NULL ? first : group->own);
    point.run = run;
    point.own = choice_of(group, made);
    if (!point.own_known)
        point.own.name = point.own.algorithm = NULL;
    decide_add_call(adding->audit, &point);
    for (size_t i = 0; i < group->count; i++) {
        const struct decide_way choice = choice_of(group, group->rows[i]);
        if (!group->rows[i]->own_choice)
            decide_add_way(adding->audit, &choice);
    }
}

/* True if the rows are of the decider's library. */
static bool is_asked(const struct adding *adding, const struct rows_row *row)
{
    const char *library = sup_library_named(row->library);
    return adding->decider == NULL ||
           (library != NULL && strcmp(library, adding->decider->library) == 0);
}

/* A point for each row of the library's own choice, in case it was measured twice; or one for what
 * is decided. */
static void add_points(struct adding *adding, struct group group)
{
    size_t own = 0;
    if (!is_asked(adding, group.rows[0])) {
        decide_leave_out(adding->audit, DECIDE_OTHERS, (int64_t)group.count, NULL);
        return;
    }
    for (size_t i = 0; i < group.count; i++) {
        if (!group.rows[i]->own_choice)
            continue;
        group.own = group.rows[i];
        if (own++ == 0 || adding->decider == NULL)
            add_point(adding, &group);
    }
    if (own == 0)
        add_point(adding, &group);
}

void audit_add_measured(struct decide *audit, const struct rows_row *const rows[], size_t count,
                        const struct decide_library *decider)
{
    struct adding adding = {audit, decider};
    const struct rows_row **sorted = sup_calloc(count, sizeof *sorted);
    if (count > 0) {
        memcpy(sorted, rows, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_row);
    }
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && by_point(sorted[first], sorted[next]) == 0; next++)
            ;
        add_points(&adding, (struct group){.rows = sorted + first, .count = next - first});
    }
    free(sorted);
}
