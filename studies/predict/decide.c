/* decide.c - a file of rules for an MPI library of predicted times (predict.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "roundabout.h"
#include "studies/predict/predict.h"
#include "support/memory.h"

/* Files of rules are of one machine, and most of one number of ranks per node. */
static int check_system(const struct predict_result *result, const struct rules_format *format,
                        struct sup_error *error)
{
    const struct rows_row *first = result->count > 0 ? result->tested[0].row : NULL;
    for (size_t i = 1; i < result->count && !format->nodes; i++) {
        const struct rows_row *row = result->tested[i].row;
        if (row->ranks_per_node != first->ranks_per_node)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: its rules can't tell %" PRId32 " and %" PRId32
                            " ranks per node apart: choose one by --rows, such as ppn=%" PRId32,
                            format->name, first->ranks_per_node, row->ranks_per_node,
                            first->ranks_per_node);
    }
    for (size_t i = 1; i < result->folds; i++)
        if (result->fold[i].system != result->fold[0].system)
            return sup_fail(error, RB_EINVAL,
                            "--format: rules are for one machine, and the rows are of %s and %s: "
                            "choose one by --system",
                            result->fold[0].system, result->fold[i].system);
    return RB_OK;
}

int predict_write_rules(const struct predict_result *result, struct rules_request rules,
                        const struct rules_head *head, FILE *stream, struct rules_notes *notes,
                        struct sup_error *error)
{
    size_t count = 0;
    notes->count = 0;
    rules.element_bytes = 1;
    rules.tolerance = 0.02;
    int status = check_system(result, rules.format, error);
    if (status != RB_OK)
        return status;
    struct rules_candidate *candidate = sup_calloc(result->count, sizeof *candidate);
    for (size_t i = 0; i < result->count; i++) {
        const struct predict_tested *tested = &result->tested[i];
        const struct rows_row *row = tested->row;
        if (!tested->predicted)
            continue;
        candidate[count++] = (struct rules_candidate){.collective = row->collective,
                                                      .algorithm = row->algorithm,
                                                      .radix = row->radix,
                                                      .p = row->p,
                                                      .ppn = row->ranks_per_node,
                                                      .m_bytes = row->m_bytes,
                                                      .n = row->n,
                                                      .segment_bytes = row->segment_bytes,
                                                      .time_s = tested->estimate.time_s};
        if (row->element_bytes > rules.element_bytes)
            rules.element_bytes = row->element_bytes;
    }
    status = rules_make(&rules, candidate, count, head, stream, notes, error);
    free(candidate);
    return status;
}
