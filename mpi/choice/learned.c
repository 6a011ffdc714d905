/* learned.c - see learned.h. */
#include "learned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const struct choice_learned_row *row = a, *other = b;
    const struct choice_trial_key *left = &row->trial.key, *right = &other->trial.key;
    int order = strcmp(row->collective, other->collective);
    if (order == 0)
        order = (row->p > other->p) - (row->p < other->p);
    if (order == 0)
        order = left->irregular - right->irregular;
    if (order == 0)
        order = left->size_class - right->size_class;
    return order != 0 ? order : left->ordered - right->ordered;
}

int choice_learned_add(struct choice_learned *learned, const struct choice_learned_row *row)
{
    const size_t place = sup_array_place(learned->rows, learned->count, sizeof *row, row, compare);
    struct choice_learned_row *old = &learned->rows[place];
    if (place < learned->count && compare(old, row) == 0) {
        if (row->trial.calls >= old->trial.calls)
            *old = *row;
        return RB_OK;
    }
    if (learned->count == CHOICE_MOST_LEARNED)
        return RB_OK;
    if (!sup_array_insert(&learned->rows, learned->count, sizeof *row, place, row))
        return RB_ENOMEM;
    learned->count++;
    return RB_OK;
}

void choice_learned_free(struct choice_learned *learned)
{
    free(learned->rows);
    *learned = (struct choice_learned){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int64_t least_bytes(const struct choice_learned_row *row)
{
    const int class = row->trial.key.size_class;
    return class == 0 ? 0 : (int64_t)1 << (class - 1);
}

/* "native", or the text of a setting. */
static const char *candidate_text(const struct choice_learned_row *row, int candidate)
{
    const struct choice_situation situation = {.collective = row->collective,
                                               .bytes = least_bytes(row)};
    const char *text = "native";
    if (candidate > 0 && choice_candidate(&situation, candidate - 1, &text) == NULL)
        return "?";
    return text;
}

static bool was_tried(const struct choice_trial *trial)
{
    for (int i = 0; i < trial->candidates; i++)
        if (trial->tried[i].trials > 0)
            return true;
    return false;
}

/* "circulant:n=2 0.61 faster; binomial 1.70 far slower" */
static void print_tried(const struct choice_learned_row *row, FILE *stream)
{
    static const char *const verdict[] = {[CHOICE_UNSUITED] = "can't serve it",
                                          [CHOICE_DROPPED] = "far slower",
                                          [CHOICE_SLOWER] = "not clearly faster",
                                          [CHOICE_FASTER] = "faster"};
    const char *separator = "";
    for (int i = 0; i < row->trial.candidates; i++) {
        const struct choice_tried *tried = &row->trial.tried[i];
        if (tried->verdict == CHOICE_UNTRIED)
            continue;
        fprintf(stream, "%s%s", separator, candidate_text(row, i));
        if (tried->verdict != CHOICE_UNSUITED)
            fprintf(stream, " %.2f", (double)tried->ratio);
        fprintf(stream, " %s", verdict[tried->verdict]);
        separator = "; ";
    }
    if (row->trial.stage == CHOICE_CLOSED && !was_tried(&row->trial))
        fprintf(stream, "%sranks differ, or none can serve it", separator);
    fputc('\n', stream);
}

static void print_class(const struct choice_learned_row *row, char text[48])
{
    snprintf(text, 48, "%s%s%s", row->collective, row->trial.key.irregular ? "/irregular" : "",
             row->trial.key.ordered ? "/ordered" : "");
}

void choice_learned_text(const struct choice_learned *learned, FILE *stream)
{
    if (learned->count == 0)
        return;
    fprintf(stream,
            "\nonline choice: the candidate kept, and those tried last, each with its time divided "
            "by that of the candidate kept then\n%-24s  %4s  %9s  %8s  %-18s  %9s  %s\n",
            "collective", "p", "bytes", "calls", "kept", "time", "tried");
    for (size_t i = 0; i < learned->count; i++) {
        const struct choice_learned_row *row = &learned->rows[i];
        char calls[48], bytes[32], time[40];
        print_class(row, calls);
        sup_format_bytes(least_bytes(row), bytes, sizeof bytes - 2);
        if (row->trial.key.size_class > 1)
            strcat(bytes, "..");
        sup_format_seconds((double)row->trial.current_s, time, sizeof time);
        fprintf(stream, "%-24s  %4" PRId32 "  %9s  %8" PRId64 "  %-18s  %9s  ", calls, row->p,
                bytes, row->trial.calls, candidate_text(row, row->trial.current), time);
        print_tried(row, stream);
    }
}

/* The last number of bytes of its class. */
static int64_t most_bytes(const struct choice_learned_row *row)
{
    return row->trial.key.size_class == 0 ? 0 : 2 * (least_bytes(row) - 1) + 1;
}

/* The rules for the row's collective, p and counts: the last row's, if these are the same. */
static int find_known(const struct choice_decisions *known, const struct choice_learned_row *row,
                      const struct choice_learned_row *last, struct choice_decision_row *found)
{
    const struct choice_situation situation = {
        .collective = row->collective, .p = row->p, .irregular = row->trial.key.irregular};
    if (known == NULL ||
        (last != NULL && strcmp(last->collective, row->collective) == 0 && last->p == row->p &&
         last->trial.key.irregular == row->trial.key.irregular))
        return RB_OK;
    choice_decision_row_free(found);
    return choice_decision_row_make(known, &situation, found);
}

int choice_learned_rules(const struct choice_learned *learned, const struct choice_decisions *known,
                         FILE *stream, int *rules)
{
    struct choice_decision_row there = {0};
    int status = RB_OK;
    *rules = 0;
    for (size_t i = 0; i < learned->count && status == RB_OK; i++) {
        const struct choice_learned_row *row = &learned->rows[i];
        char calls[48], bytes[48] = "0";
        status = find_known(known, row, i > 0 ? row - 1 : NULL, &there);
        if (status != RB_OK || row->trial.key.ordered || !was_tried(&row->trial) ||
            choice_decision_row_covers(&there, least_bytes(row), most_bytes(row)))
            continue;
        print_class(row, calls);
        if (row->trial.key.size_class > 0)
            snprintf(bytes, sizeof bytes, "%" PRId64 "..%" PRId64, least_bytes(row),
                     most_bytes(row));
        fprintf(stream, "%-24s  %-6" PRId32 "  %-24s  %-18s  # %" PRId64 " calls: ", calls, row->p,
                bytes, candidate_text(row, row->trial.current), row->trial.calls);
        print_tried(row, stream);
        ++*rules;
    }
    choice_decision_row_free(&there);
    return status;
}
