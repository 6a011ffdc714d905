/* fallback.c - names that were forced and are not what ran (rows.h): NCCL takes another algorithm
 * where it can't serve the value of NCCL_ALGO, and says nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/rows/rows.h"
#include "support/memory.h"

static const double near_enough = 0.1, most_points = 0.9;
enum { LEAST_POINTS = 3, MOST_FORCED = 8 };
static const char own[] = "default";

/* Texts of one set are equal only if they are the same pointer. */
static bool same_name(const struct rows_row *a, const struct rows_row *b)
{
    return a->system == b->system && a->library == b->library && a->collective == b->collective &&
           a->name == b->name;
}

static bool same_point(const struct rows_row *a, const struct rows_row *b)
{
    return a->system == b->system && a->library == b->library && a->collective == b->collective &&
           a->test == b->test && a->nodes == b->nodes && a->p == b->p && a->bytes == b->bytes;
}

static bool is_open(const struct rows_row *row)
{
    return row->manner.engine != NULL && row->algorithm == NULL && !row->own_choice &&
           row->ran == NULL;
}

static bool is_first(const struct rows_set *set, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_name(&set->row[k], &set->row[i]))
            return false;
    return true;
}

/* One job's network is now idle, now busy, so that the medians of one algorithm can be of two
 * kinds; then the tenth percentiles are still alike. */
static bool is_like(const struct rows_row *a, const struct rows_row *b)
{
    return fabs(log(a->median_s / b->median_s)) <= near_enough ||
           fabs(log(a->p10_s / b->p10_s)) <= near_enough;
}

struct count {
    int64_t points, like_any, like[MOST_FORCED];
    const struct rows_row *forced[MOST_FORCED]; /* the first of each algorithm that was forced */
    int forced_count;
};

static void count_forced(struct count *count, const struct rows_row *forced)
{
    int i = 0;
    while (i < count->forced_count && count->forced[i]->name != forced->name)
        i++;
    if (i == MOST_FORCED)
        return;
    if (i == count->forced_count)
        count->forced[count->forced_count++] = forced;
    count->like[i]++;
}

/* At how many points of a name its times are those of a forced algorithm, and of which. */
static struct count count_points(const struct rows_set *set, const struct rows_row *name)
{
    struct count count = {0};
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        bool forced = false, like = false;
        if (!same_name(row, name))
            continue;
        for (size_t k = 0; k < set->count; k++) {
            const struct rows_row *other = &set->row[k];
            if (!same_point(other, row) || other->algorithm == NULL || other->own_choice ||
                other->ran != NULL)
                continue;
            forced = true;
            if (is_like(other, row)) {
                like = true;
                count_forced(&count, other);
            }
        }
        count.points += forced;
        count.like_any += like;
    }
    return count;
}

static void mark(struct rows_set *set, const struct rows_row *name, const struct rows_row *forced)
{
    const struct rows_row like = *name;
    for (size_t i = 0; i < set->count; i++)
        if (same_name(&set->row[i], &like)) {
            set->row[i].ran = forced == NULL ? own : forced->name;
            set->row[i].algorithm = forced == NULL ? NULL : forced->algorithm;
        }
}

/* The most typical of the names that ran a library's own choice stands for it. */
static void choose_own(struct rows_set *set, const struct rows_row *like)
{
    const struct rows_row *best = NULL;
    int64_t most = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        if (row->system != like->system || row->library != like->library ||
            row->collective != like->collective)
            continue;
        if (row->own_choice)
            return;
        if (row->ran != own || !is_first(set, i))
            continue;
        const int64_t points = count_points(set, row).like_any;
        if (points > most || (points == most && strcmp(row->name, best->name) < 0)) {
            best = row;
            most = points;
        }
    }
    for (size_t i = 0; best != NULL && i < set->count; i++)
        set->row[i].own_choice = set->row[i].own_choice || same_name(&set->row[i], best);
}

void rows_find_fallbacks(struct rows_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        if (!is_open(row) || !is_first(set, i))
            continue;
        const struct count count = count_points(set, row);
        const double enough = fmax(LEAST_POINTS, most_points * (double)count.points);
        int most = 0;
        for (int k = 1; k < count.forced_count; k++)
            most = count.like[k] > count.like[most] ? k : most;
        if ((double)count.like[most] >= enough)
            mark(set, row, count.forced[most]);
        else if ((double)count.like_any >= enough)
            mark(set, row, NULL);
    }
    for (size_t i = 0; i < set->count; i++)
        if (set->row[i].ran == own && is_first(set, i))
            choose_own(set, &set->row[i]);
}

static bool ran_alike(const struct rows_row *a, const struct rows_row *b)
{
    return a->ran != NULL && b->ran != NULL && a->system == b->system &&
           a->collective == b->collective && strcmp(a->ran, b->ran) == 0;
}

/* True if a row before says it, too: of the same name, or of another that ran the same. */
static bool is_said(const struct rows_set *set, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (ran_alike(&set->row[k], &set->row[i]))
            return true;
    return false;
}

char *rows_say_fallbacks(const struct rows_set *set)
{
    char *text = NULL;
    size_t size;
    FILE *stream = sup_memory_open(&text, &size);
    const char *before = "";
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        if (row->ran == NULL || is_said(set, i))
            continue;
        fprintf(stream, "%s%s %s: ", before, row->system, row->collective);
        before = "";
        for (size_t k = i; k < set->count; k++)
            if (ran_alike(&set->row[k], row) && is_first(set, k)) {
                fprintf(stream, "%s%s", before, set->row[k].name);
                before = ", ";
            }
        fprintf(stream, " ran %s", row->ran == own ? "the library's own choice" : row->ran);
        before = "; ";
    }
    sup_memory_close(stream, &text);
    return text;
}
