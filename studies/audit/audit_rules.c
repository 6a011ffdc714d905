/* audit_rules.c - see audit.h. */
#include "studies/audit/audit.h"
#include "support/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int check_settings(const struct audit *audit, const struct rules_format *format,
                          struct sup_error *error)
{
    for (size_t i = 0; i < audit->setting_count; i++) {
        const struct audit_setting *setting = &audit->settings[i], *first = &audit->settings[0];
        if (setting->source != first->source)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: a file has rules for one machine, and these are \"%s\" "
                            "and \"%s\": choose one",
                            format->name, first->source, setting->source);
    }
    for (size_t i = 0; i < audit->setting_count; i++) {
        const struct audit_setting *setting = &audit->settings[i], *first = &audit->settings[0];
        if (setting->ppn != first->ppn)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: its rules can't tell %" PRId32 " and %" PRId32
                            " ranks per node apart: choose one by --ppn",
                            format->name, first->ppn, setting->ppn);
        if (setting->library == NULL || strcmp(setting->library, format->library) != 0)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: has rules for %s, and the choices are those of %s",
                            format->name, format->library,
                            setting->library == NULL ? "another library" : setting->library);
    }
    return RB_OK;
}

/* What a rule would take at a point; NULL: the decision. */
static const struct audit_choice *choice_at(const struct audit *audit,
                                            const struct audit_point *point)
{
    const struct audit_rule *rule = audit_rule_for(audit, point);
    return rule == NULL || rule->choice == NULL ? NULL
                                                : audit_find_choice(audit, point, rule->choice);
}

static bool same_place(const struct audit_point *a, const struct audit_point *b)
{
    return a->setting == b->setting && a->p == b->p && a->m_bytes == b->m_bytes;
}

/* NULL: the library's own choice. */
static struct rules_candidate candidate_of(const struct audit *audit,
                                           const struct audit_point *point,
                                           const struct audit_choice *choice)
{
    const double time_s = choice == NULL ? point->decision.time_s : choice->time_s;
    return (struct rules_candidate){
        .collective = audit->settings[point->setting].collective,
        .algorithm = choice == NULL ? "native" : choice->algorithm,
        .radix = choice == NULL ? 0 : choice->radix,
        .p = point->p,
        .ppn = audit->settings[point->setting].per_node,
        .m_bytes = point->m_bytes,
        .segment_bytes = choice == NULL ? 0 : choice->segment_bytes,
        .time_s = time_s > 0 ? time_s : 1, /* the only one of its point */
    };
}

static size_t add_all(const struct audit *audit, const struct audit_point *point,
                      struct rules_candidate candidates[])
{
    size_t count = 0;
    for (size_t i = 0; i < point->count; i++) {
        const struct audit_choice *choice = &audit->choices[point->first + i];
        if (choice->offered && choice->algorithm != NULL)
            candidates[count++] = candidate_of(audit, point, choice);
    }
    return count;
}

int audit_rule_candidates(const struct audit *audit, const struct rules_format *format,
                          struct rules_candidate **candidates, size_t *count, int64_t *unwritable,
                          struct sup_error *error)
{
    *count = 0;
    *unwritable = 0;
    *candidates = NULL;
    const bool all = format->one_choice;
    const int status = check_settings(audit, format, error);
    if (status != RB_OK)
        return status;
    *candidates = sup_calloc(audit->point_count + audit->choice_count, sizeof **candidates);
    for (size_t i = 0; i < audit->point_count; i++) {
        const struct audit_point *point = &audit->points[i];
        const struct audit_choice *choice = choice_at(audit, point);
        if (i > 0 && same_place(point, point - 1))
            continue;
        if (all) {
            *count += add_all(audit, point, *candidates + *count);
            continue;
        }
        if (choice == NULL && point->known)
            choice = &point->decision;
        if (choice != NULL && choice->algorithm == NULL) {
            choice = NULL;
            ++*unwritable;
        }
        (*candidates)[(*count)++] = candidate_of(audit, point, choice);
    }
    return RB_OK;
}
