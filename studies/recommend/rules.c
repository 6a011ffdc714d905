/* rules.c - the rules of a recommendation, written and read back (steps.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/recommend/steps.h"
#include "support/memory.h"

static const double other_choice = 1.02; /* the default must be faster by this to stay */

/* ---- The rules ------------------------------------------------------------------------------- */

static void choose_in(struct recommend_answer *answer, struct recommend_cell *cell,
                      enum recommend_whose whose, const struct recommend_try **chosen)
{
    *chosen = NULL;
    for (size_t i = cell->first; i < cell->first + cell->count; i++)
        if (answer->try_[i].whose == whose && isfinite(answer->try_[i].time_s) &&
            (*chosen == NULL || answer->try_[i].time_s < (*chosen)->time_s))
            *chosen = &answer->try_[i];
}

static size_t add_candidates(const struct recommend_cell *cell,
                             const struct recommend_answer *answer, int32_t ppn,
                             struct rules_candidate candidate[])
{
    size_t count = 0;
    for (size_t i = cell->first; i < cell->first + cell->count; i++) {
        const struct recommend_try *try_ = &answer->try_[i];
        const struct rb_plan_spec *plan = &try_->point.plan;
        const bool standard = try_->whose == RECOMMEND_DEFAULT;
        if (!isfinite(try_->time_s) ||
            (standard && cell->best != NULL && try_->time_s * other_choice > cell->best->time_s))
            continue;
        candidate[count++] =
            (struct rules_candidate){.collective = plan->collective,
                                     .algorithm = standard ? "native" : plan->algorithm,
                                     .radix = plan->radix,
                                     .p = plan->p,
                                     .ppn = ppn,
                                     .m_bytes = cell->m_bytes,
                                     .n = plan->n,
                                     .time_s = try_->time_s,
                                     .foreign = try_->whose == RECOMMEND_OURS};
    }
    return count;
}

static int make_rules(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error)
{
    const struct rules_request rules = {
        .format = request->format, .element_bytes = 1, .tolerance = 0.02, .everywhere = true};
    char *source = sup_format(
        request->rows > 0 ? "measured rows of %s" : "simulations of %s by flow", request->where);
    const struct rules_head head = {.source = source, .base = request->base};
    struct rules_candidate *candidate = sup_calloc(answer->tries + 1, sizeof *candidate);
    size_t count = 0;
    for (size_t i = 0; i < answer->cells; i++) {
        struct recommend_cell *cell = &answer->cell[i];
        choose_in(answer, cell, RECOMMEND_DEFAULT, &cell->standard);
        choose_in(answer, cell, RECOMMEND_OURS, &cell->ours);
        choose_in(answer, cell, RECOMMEND_LIBRARY, &cell->best);
        count += add_candidates(cell, answer, recommend_per_node(request), candidate + count);
    }
    FILE *stream = sup_memory_open(&answer->file, &answer->file_size);
    const int status = rules_make(&rules, candidate, count, &head, stream, &answer->notes, error);
    sup_memory_close(stream, &answer->file);
    free(candidate);
    free(source);
    return status;
}

/* The try that the library takes by this rule: of its plan the nearest segment. */
static const struct recommend_try *find_try(const struct recommend_answer *answer,
                                            const struct recommend_cell *cell,
                                            const struct rules_answer *rule)
{
    const struct recommend_try *nearest = NULL;
    double least = INFINITY;
    for (size_t i = cell->first; i < cell->first + cell->count; i++) {
        const struct recommend_try *try_ = &answer->try_[i];
        const double far =
            fabs(log((double)(try_->segment_bytes + 1)) - log((double)(rule->segment_bytes + 1)));
        if (try_->whose == RECOMMEND_LIBRARY && isfinite(try_->time_s) && rule->row != NULL &&
            rule->row->algorithm != NULL &&
            strcmp(rule->row->algorithm, try_->point.plan.algorithm) == 0 && far < least) {
            least = far;
            nearest = try_;
        }
    }
    return nearest;
}

static int look_up(const struct recommend_request *request, struct recommend_answer *answer,
                   struct sup_error *error)
{
    struct rules_file *file = NULL;
    int status =
        rules_parse("the rules", answer->file, answer->file_size, request->format, &file, error);
    for (size_t i = 0; i < answer->cells && status == RB_OK; i++) {
        struct recommend_cell *cell = &answer->cell[i];
        const struct rules_query query = {.collective = request->collective[cell->collective],
                                          .p = cell->p,
                                          .ppn = recommend_per_node(request),
                                          .m_bytes = cell->m_bytes};
        struct rules_answer rule = {.name = ""};
        const bool found = rules_look_up(file, &query, &rule);
        cell->best = found ? find_try(answer, cell, &rule) : cell->standard;
        cell->name[0] = '\0';
        if (found)
            snprintf(cell->name, sizeof cell->name, "%s",
                     rule.row != NULL ? rule.row->name : rule.name);
    }
    rules_file_free(file);
    return status;
}

int recommend_rules(const struct recommend_request *request, struct recommend_answer *answer,
                    struct sup_error *error)
{
    const int status = make_rules(request, answer, error);
    return status == RB_OK ? look_up(request, answer, error) : status;
}
