/* rules_build.c - makes rules of the times of algorithms.
 *
 * For each p and m the fastest algorithm that the library has is chosen. Neighbours in m that
 * choose the same algorithm make one rule, if one segment size serves them all. The border between
 * two neighbours is their geometric mean, in the library's measure of a message, and likewise
 * between two p. Below half the least and above twice the largest the library's own choice stays.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/rules/rules_format.h"
#include "support/memory.h"
#include "support/names.h"

/* A candidate as the library would run it. */
struct sample {
    const struct rules_candidate *from;
    const struct mpilib_algorithm *row; /* NULL: the library's own choice, or lacking */
    bool own;                           /* the library's own choice */
    int32_t radix;
    int64_t segment_bytes; /* 0: not segmented */
};

/* The samples of one p and m. */
struct slice {
    const struct sample *sample;
    size_t count;
    int64_t m_bytes;
    double best_s; /* of all algorithms, also those that the library lacks */
};

/* An algorithm with its radix. */
struct choice {
    const struct mpilib_algorithm *row;
    bool own;
    int32_t radix, protocol;
};

struct builder {
    const struct rules_request *request;
    const struct rules_call *call;
    enum rules_nodes nodes;
    struct rules_table *table;
    struct sample *sample; /* of the call and nodes: by p, m */
    size_t count;
    bool any_ranks_only; /* leave out algorithms of certain numbers of ranks */
};

/* ---- Samples --------------------------------------------------------------------------------- */

static bool is_own(const struct rules_candidate *candidate, const char *library)
{
    static const char native[] = "native";
    const size_t length = sizeof native - 1;
    return strncmp(candidate->algorithm, native, length) == 0 &&
           (candidate->algorithm[length] == '\0' ||
            (candidate->algorithm[length] == ':' &&
             strcmp(candidate->algorithm + length + 1, library) == 0));
}

/* The blocks that a plan divides its data into, and the radix that it chooses. False: there is no
 * such plan. */
static bool ask_plan(const struct rules_candidate *candidate, int64_t *blocks, int32_t *radix)
{
    const struct rb_plan_spec spec = {.collective = candidate->collective,
                                      .algorithm = candidate->algorithm,
                                      .p = candidate->p,
                                      .n = candidate->n > 0 ? candidate->n : 1,
                                      .radix = candidate->radix};
    struct rb_plan *plan;
    char why[200];
    if (rb_algorithm_find(candidate->collective, candidate->algorithm) == NULL ||
        !sup_plan_is_supported(&spec) || rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        return false;
    *blocks = rb_plan_blocks(plan);
    *radix = rb_plan_radix(plan);
    rb_plan_destroy(plan);
    return true;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Bytes of the longest of so many blocks, in whole elements. */
static int64_t block_bytes(int64_t m_bytes, int64_t blocks, int64_t element)
{
    return divide_up(divide_up(m_bytes, element), blocks) * element;
}

static bool is_pipelined(const struct rules_candidate *candidate)
{
    const struct rb_algorithm_info *info =
        rb_algorithm_find(candidate->collective, candidate->algorithm);
    return info == NULL || info->pipelined;
}

/* How the library would run the candidate; the row is NULL if it can't. */
static struct sample sample_of(const struct builder *builder,
                               const struct rules_candidate *candidate)
{
    const struct rules_format *format = builder->request->format;
    struct sample sample = {.from = candidate, .radix = candidate->radix};
    int64_t blocks = candidate->n;
    if (candidate->foreign)
        return sample;
    if (is_own(candidate, format->library)) {
        sample.own = true;
        return sample;
    }
    const struct mpilib_algorithm *row =
        mpilib_ours(format->library, format->version, candidate->collective, builder->call->call,
                    candidate->algorithm, candidate->radix, candidate->p, candidate->ppn);
    if (row == NULL ||
        (builder->any_ranks_only && row->ranks != MPILIB_ANY && row->ranks != MPILIB_ONE_PER_NODE))
        return sample;
    const bool segmented = row->segmented && format->segments;
    if (!segmented && is_pipelined(candidate) &&
        (candidate->n > 1 || (candidate->n == 0 && candidate->segment_bytes > 0)))
        return sample;
    int32_t radix = candidate->radix;
    if (((row->fanned || row->radix != 0) && radix == 0) || (segmented && candidate->n > 1)) {
        if (!ask_plan(candidate, &blocks, &radix))
            radix = candidate->radix;
        if (row->radix != 0 && radix != 0 &&
            mpilib_radix(radix, candidate->p) != mpilib_radix(row->radix, candidate->p))
            return sample;
    }
    sample.row = row;
    sample.radix = row->fanned ? radix : row->radix;
    if (segmented && candidate->n == 0)
        sample.segment_bytes = candidate->segment_bytes;
    else if (segmented && blocks > 1)
        sample.segment_bytes =
            block_bytes(candidate->m_bytes, blocks, builder->request->element_bytes);
    if (sample.segment_bytes >= candidate->m_bytes)
        sample.segment_bytes = 0;
    return sample;
}

SUP_COMPARE(compare_samples, struct sample, SUP_ORDER(a->from->p, b->from->p),
            SUP_ORDER(a->from->m_bytes, b->from->m_bytes),
            SUP_ORDER(a->from->time_s, b->from->time_s),
            strcmp(a->from->algorithm, b->from->algorithm),
            SUP_ORDER(a->from->radix, b->from->radix), SUP_ORDER(a->from->n, b->from->n));

/* ---- Times ----------------------------------------------------------------------------------- */

static bool is_of(const struct sample *sample, const struct choice *choice)
{
    return sample->row == choice->row && sample->own == choice->own &&
           (choice->row != NULL || choice->own) && sample->radix == choice->radix &&
           sample->from->protocol == choice->protocol;
}

static struct choice choice_of(const struct sample *sample)
{
    return (struct choice){sample->row, sample->own, sample->radix, sample->from->protocol};
}

static bool is_usable(const struct sample *sample)
{
    return sample->row != NULL || sample->own;
}

/* The bytes of a segment if the library is told so many, 0 for all. */
static double length_of(const struct slice *slice, int64_t segment_bytes)
{
    return (double)(segment_bytes == 0 || segment_bytes > slice->m_bytes ? slice->m_bytes
                                                                         : segment_bytes);
}

/* The time of the choice with this segment size: that of a sample, or between two by powers. False:
 * not known. */
static bool time_of(const struct slice *slice, const struct choice *choice, int64_t segment_bytes,
                    double *time_s)
{
    const double length = length_of(slice, segment_bytes);
    const struct sample *below = NULL, *above = NULL;
    for (size_t i = 0; i < slice->count; i++) {
        const struct sample *sample = &slice->sample[i];
        if (!is_of(sample, choice))
            continue;
        const double at = length_of(slice, sample->segment_bytes);
        /* Samples are sorted by time: of several of one length the first one counts. */
        if (at <= length && (below == NULL || at > length_of(slice, below->segment_bytes)))
            below = sample;
        if (at >= length && (above == NULL || at < length_of(slice, above->segment_bytes)))
            above = sample;
    }
    if (below == NULL || above == NULL)
        return false;
    const double low = length_of(slice, below->segment_bytes),
                 high = length_of(slice, above->segment_bytes);
    const double share = high > low ? log(length / low) / log(high / low) : 0;
    *time_s = exp((1 - share) * log(below->from->time_s) + share * log(above->from->time_s));
    return true;
}

/* The fastest usable sample; NULL: none. */
static const struct sample *best_of(const struct slice *slice)
{
    for (size_t i = 0; i < slice->count; i++)
        if (is_usable(&slice->sample[i]))
            return &slice->sample[i];
    return NULL;
}

/* The mean loss by this choice and segment size against the best of the library, as a logarithm;
 * INFINITY if a time is not known or some loss exceeds `most`. */
static double loss_of(const struct slice *slice, size_t count, const struct choice *choice,
                      int64_t segment_bytes, double most)
{
    double logs = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sample *best = best_of(&slice[i]);
        double time_s;
        if (best == NULL)
            continue;
        if (!time_of(&slice[i], choice, segment_bytes, &time_s) ||
            time_s > best->from->time_s * (1 + most))
            return INFINITY;
        logs += log(time_s / best->from->time_s);
    }
    return logs / (double)count;
}

/* The segment size with the least mean loss, among those of the samples; the loss is INFINITY if
 * there is none. */
static double best_segment(const struct slice *slice, size_t count, const struct choice *choice,
                           double most, int64_t *segment_bytes)
{
    double least = INFINITY;
    *segment_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < slice[i].count; k++) {
            const struct sample *sample = &slice[i].sample[k];
            if (!is_of(sample, choice))
                continue;
            const double loss = loss_of(slice, count, choice, sample->segment_bytes, most);
            if (loss < least) {
                least = loss;
                *segment_bytes = sample->segment_bytes;
            }
        }
    }
    return least;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Neighbours that leave the choice to the library become one. */
static void append(struct builder *builder, const struct rules_rule *rule)
{
    struct rules_table *table = builder->table;
    struct rules_rule *before = table->count == 0 ? NULL : &table->rule[table->count - 1];
    if (rule->row == NULL && before != NULL && before->row == NULL && rule->low > 0 &&
        before->high == rule->low - 1) {
        before->high = rule->high;
        return;
    }
    sup_grow(&table->rule, table->count, sizeof *table->rule);
    table->rule[table->count++] = *rule;
}

/* The time of the next best algorithm; of the library's own choice, if it is known. */
static double rival_of(const struct slice *slice, const struct choice *choice)
{
    double rival_s = NAN;
    for (size_t i = 0; i < slice->count; i++) {
        const struct sample *sample = &slice->sample[i];
        if (!is_usable(sample) || is_of(sample, choice))
            continue;
        if (sample->own)
            return sample->from->time_s;
        if (isnan(rival_s))
            rival_s = sample->from->time_s;
    }
    return rival_s;
}

/* What the rule costs and gains at its points. */
static void judge(const struct slice *slice, size_t count, const struct choice *choice,
                  struct rules_rule *rule)
{
    double loss = 0, gain = 0, lacking = 0;
    size_t gains = 0, points = 0;
    rule->worst_loss = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sample *best = best_of(&slice[i]);
        const double rival_s = rival_of(&slice[i], choice);
        double time_s;
        if (best == NULL || !time_of(&slice[i], choice, rule->segment_bytes, &time_s))
            continue;
        points++;
        loss += log(time_s / best->from->time_s);
        lacking += log(time_s / slice[i].best_s);
        rule->worst_loss = fmax(rule->worst_loss, time_s / best->from->time_s - 1);
        if (!isnan(rival_s)) {
            gain += log(rival_s / time_s);
            gains++;
        }
    }
    rule->points = (int32_t)points;
    rule->loss = points == 0 ? 0 : exp(loss / (double)points) - 1;
    rule->lacking = points == 0 ? 0 : exp(lacking / (double)points) - 1;
    rule->gain = gains == 0 ? NAN : exp(gain / (double)gains) - 1;
}

int64_t rules_halfway(int64_t a, int64_t b)
{
    return (int64_t)floor(sqrt((double)a) * sqrt((double)b));
}

int64_t rules_first(int64_t least)
{
    return least / 2 + least % 2;
}

int64_t rules_last(int64_t largest, int64_t end)
{
    return largest > end / 2 ? end : 2 * largest;
}

/* So many of the points from the first on go together; the rule for them. */
static size_t next_rule(const struct builder *builder, const struct slice *slice, size_t count,
                        struct rules_rule *rule)
{
    const struct sample *best = best_of(&slice[0]);
    size_t many = 1;
    if (best == NULL) {
        while (many < count && best_of(&slice[many]) == NULL)
            many++;
        rule->gain = NAN;
        return many;
    }
    const struct choice choice = choice_of(best);
    rule->row = choice.row;
    rule->radix = choice.radix;
    rule->protocol = choice.protocol;
    rule->segment_bytes = best->segment_bytes;
    /* One variable has the segment size of all calls anyway. */
    const bool free_size = choice.row != NULL && choice.row->variable != NULL;
    const double most = free_size ? INFINITY : builder->request->tolerance;
    for (; many < count; many++) {
        const struct sample *next = best_of(&slice[many]);
        int64_t segment_bytes;
        if (next == NULL || !is_of(next, &choice) ||
            isinf(best_segment(slice, many + 1, &choice, most, &segment_bytes)))
            break;
        rule->segment_bytes = segment_bytes;
    }
    judge(slice, many, &choice, rule);
    return many;
}

/* One rule for all sizes: the choice with the least mean loss. */
static void only_rule(const struct slice *slice, size_t count, struct rules_rule *rule)
{
    double least = INFINITY;
    struct choice chosen = {0};
    rule->gain = NAN;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < slice[i].count; k++) {
            const struct choice choice = choice_of(&slice[i].sample[k]);
            int64_t segment_bytes;
            if (!is_usable(&slice[i].sample[k]))
                continue;
            const double loss = best_segment(slice, count, &choice, INFINITY, &segment_bytes);
            if (loss < least) {
                least = loss;
                chosen = choice;
                rule->segment_bytes = segment_bytes;
            }
        }
    }
    rule->row = chosen.row;
    rule->radix = chosen.radix;
    rule->protocol = chosen.protocol;
    if (!isinf(least))
        judge(slice, count, &chosen, rule);
}

/* The slices of the samples from..end, which are of one p; their number. */
static size_t slices_of(const struct builder *builder, size_t from, size_t end, struct slice *slice)
{
    size_t count = 0;
    for (size_t next; from < end; from = next) {
        for (next = from + 1; next < end && builder->sample[next].from->m_bytes ==
                                                builder->sample[from].from->m_bytes;)
            next++;
        slice[count++] = (struct slice){.sample = &builder->sample[from],
                                        .count = next - from,
                                        .m_bytes = builder->sample[from].from->m_bytes,
                                        .best_s = builder->sample[from].from->time_s};
    }
    return count;
}

/* The library's own choice for these numbers of ranks and sizes, if there are any. */
static void add_own(struct builder *builder, int32_t p_low, int32_t p_high, int64_t low,
                    int64_t high)
{
    const struct rules_rule rule = {.call = builder->call,
                                    .nodes = builder->nodes,
                                    .p_low = p_low,
                                    .p_high = p_high,
                                    .low = low,
                                    .high = high,
                                    .gain = NAN};
    if (p_low <= p_high && low <= high)
        append(builder, &rule);
}

/* The rules of one p, for ranks low .. high. */
static void add_ranks(struct builder *builder, const struct slice *slice, size_t count, int32_t p,
                      int32_t low, int32_t high)
{
    const bool blind = builder->call->size == RULES_BLIND || builder->request->format->one_choice;
    const bool limited = !blind && !builder->request->everywhere;
    int64_t from = limited ? rules_first(rules_size_of(builder->call, p, slice[0].m_bytes)) : 0;
    const int64_t end =
        limited ? rules_last(rules_size_of(builder->call, p, slice[count - 1].m_bytes), INT64_MAX)
                : INT64_MAX;
    add_own(builder, low, high, 0, from - 1);
    for (size_t i = 0; i < count;) {
        struct rules_rule rule = {.call = builder->call,
                                  .nodes = builder->nodes,
                                  .p_low = low,
                                  .p_high = high,
                                  .low = from,
                                  .high = end};
        if (blind) {
            only_rule(slice, count, &rule);
            i = count;
        } else {
            i += next_rule(builder, slice + i, count - i, &rule);
        }
        if (i < count)
            rule.high = rules_halfway(rules_size_of(builder->call, p, slice[i - 1].m_bytes),
                                      rules_size_of(builder->call, p, slice[i].m_bytes));
        if (rule.high > builder->request->format->most_bytes)
            rule.high = INT64_MAX;
        /* Sizes so close that the library's measure does not tell them apart make no rule. */
        if (rule.high < rule.low)
            continue;
        append(builder, &rule);
        if (rule.high == INT64_MAX)
            return;
        from = rule.high + 1;
    }
    add_own(builder, low, high, from, INT64_MAX);
}

/* True if some choice for this p holds for this p alone. */
static bool is_strict(const struct builder *builder, size_t from)
{
    for (size_t i = from; i < builder->table->count; i++) {
        const struct mpilib_algorithm *row = builder->table->rule[i].row;
        if (row != NULL && (row->ranks == MPILIB_TWO ||
                            (builder->request->format->strict_ranks && row->ranks != MPILIB_ANY)))
            return true;
    }
    return false;
}

static void fill(struct builder *builder, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        builder->sample[i] = sample_of(builder, builder->sample[i].from);
}

/* Ranks around p without p itself get the best of the algorithms that serve all numbers of ranks.
 */
static void add_around(struct builder *builder, size_t from, size_t end, struct slice *slice,
                       int32_t low, int32_t high)
{
    builder->any_ranks_only = true;
    fill(builder, from, end);
    const size_t count = slices_of(builder, from, end, slice);
    if (low <= high)
        add_ranks(builder, slice, count, builder->sample[from].from->p, low, high);
    builder->any_ranks_only = false;
    fill(builder, from, end);
}

/* Adds the candidate to the list of what the library lacks, as long as there is room. */
static void name_lacking(struct builder *builder, const struct rules_candidate *won)
{
    static const char more[] = ", ...";
    const struct rules_format *format = builder->request->format;
    char *list = builder->table->lacking;
    const size_t room = sizeof builder->table->lacking - sizeof more;
    const bool another =
        won->foreign &&
        mpilib_ours(format->library, format->version, won->collective, builder->call->call,
                    won->algorithm, won->radix, won->p, won->ppn) != NULL;
    char name[160];
    snprintf(name, sizeof name, "%s%s (%s)", another ? "another " : "", won->algorithm,
             won->collective);
    if (strstr(list, name) != NULL || strstr(list, more) != NULL)
        return;
    if (strlen(list) + strlen(name) + 2 < room)
        sup_append(list, room, ", ", "%s", name);
    else
        strcat(list, more);
}

/* The first call of a collective; others, such as allgatherv beside allgather, have rules of the
 * same times, by fewer algorithms perhaps, and do not count as more points. */
static bool is_main_call(const struct builder *builder)
{
    const struct rules_call *first = builder->request->format->call;
    while (strcmp(first->collective, builder->call->collective) != 0)
        first++;
    return first == builder->call;
}

/* Notes how much is lost at the points because the library lacks algorithms. */
static void count_lacking(struct builder *builder, const struct slice *slice, size_t count,
                          double *logs)
{
    struct rules_table *table = builder->table;
    if (!is_main_call(builder))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct sample *best = best_of(&slice[i]);
        const struct rules_candidate *won = slice[i].sample[0].from;
        table->points++;
        if (best == NULL) {
            table->without++;
            continue;
        }
        const double lost = best->from->time_s / slice[i].best_s;
        *logs += log(lost);
        table->lacking_worst = fmax(table->lacking_worst, lost - 1);
        if (best->from->time_s <= slice[i].best_s)
            continue;
        table->lacking_wins++;
        name_lacking(builder, won);
    }
}

static bool is_same_rule(const struct rules_rule *a, const struct rules_rule *b)
{
    return a->row == b->row && a->low == b->low && a->high == b->high && a->radix == b->radix &&
           a->segment_bytes == b->segment_bytes && a->protocol == b->protocol;
}

/* What two rules with the same content say together. */
static void join(struct rules_rule *into, const struct rules_rule *other)
{
    const double a = into->points, b = other->points;
    const double all = a + b > 0 ? a + b : 1;
    into->p_high = other->p_high;
    into->points += other->points;
    into->loss = exp((a * log1p(into->loss) + b * log1p(other->loss)) / all) - 1;
    into->lacking = exp((a * log1p(into->lacking) + b * log1p(other->lacking)) / all) - 1;
    into->worst_loss = fmax(into->worst_loss, other->worst_loss);
    if (isnan(into->gain))
        into->gain = other->gain;
    else if (!isnan(other->gain))
        into->gain = exp((a * log1p(into->gain) + b * log1p(other->gain)) / all) - 1;
}

/* Joins the last range of ranks, from `last` on, with the one before it, if their rules are the
 * same. */
static void join_ranges(struct builder *builder, size_t before, size_t last)
{
    struct rules_table *table = builder->table;
    const size_t count = table->count - last;
    if (before == last || last - before != count)
        return;
    for (size_t i = 0; i < count; i++)
        if (!is_same_rule(&table->rule[before + i], &table->rule[last + i]))
            return;
    for (size_t i = 0; i < count; i++)
        join(&table->rule[before + i], &table->rule[last + i]);
    table->count = last;
}

/* Adds a range of ranks, and joins it with the range before it. */
struct ranges {
    size_t before, last;
};

static void end_range(struct builder *builder, struct ranges *ranges)
{
    const size_t count = builder->table->count;
    if (count == ranges->last)
        return;
    join_ranges(builder, ranges->before, ranges->last);
    if (builder->table->count == count) {
        ranges->before = ranges->last;
        ranges->last = count;
    } else {
        ranges->last = builder->table->count;
    }
}

/* The rules of the samples from..end of one p. */
static void add_p(struct builder *builder, size_t from, size_t end, struct slice *slice,
                  int32_t low, int32_t high, struct ranges *ranges, double *logs)
{
    const int32_t p = builder->sample[from].from->p;
    const size_t at = builder->table->count;
    size_t count = slices_of(builder, from, end, slice);
    count_lacking(builder, slice, count, logs);
    add_ranks(builder, slice, count, p, low, high);
    if (is_strict(builder, at)) {
        builder->table->count = at;
        add_around(builder, from, end, slice, low, p - 1);
        end_range(builder, ranges);
        count = slices_of(builder, from, end, slice);
        add_ranks(builder, slice, count, p, p, p);
        end_range(builder, ranges);
        if (high > p)
            add_around(builder, from, end, slice, p + 1, high);
    }
    end_range(builder, ranges);
}

/* One choice for all p and m: the points of all p count alike. */
static void add_only(struct builder *builder, struct slice *slice, double *logs)
{
    const size_t count = slices_of(builder, 0, builder->count, slice);
    count_lacking(builder, slice, count, logs);
    add_ranks(builder, slice, count, builder->sample[0].from->p, 2, INT32_MAX);
}

static void add_ranges(struct builder *builder, struct slice *slice, double *logs)
{
    const bool everywhere = builder->request->everywhere;
    int32_t low = 2, high = 1;
    struct ranges ranges = {builder->table->count, builder->table->count};
    if (!everywhere)
        low = (int32_t)fmax(2, (double)rules_first(builder->sample[0].from->p));
    add_own(builder, 2, low - 1, 0, INT64_MAX);
    end_range(builder, &ranges);
    for (size_t i = 0, next; i < builder->count; i = next) {
        const int32_t p = builder->sample[i].from->p;
        for (next = i; next < builder->count && builder->sample[next].from->p == p;)
            next++;
        high = next < builder->count ? (int32_t)rules_halfway(p, builder->sample[next].from->p)
               : everywhere          ? INT32_MAX
                                     : (int32_t)rules_last(p, INT32_MAX);
        add_p(builder, i, next, slice, low, high, &ranges, logs);
        low = high == INT32_MAX ? high : high + 1;
    }
    if (high < INT32_MAX)
        add_own(builder, low, INT32_MAX, 0, INT64_MAX);
    end_range(builder, &ranges);
}

static void add_call(struct builder *builder, double *logs)
{
    struct slice *slice = sup_calloc(builder->count, sizeof *slice);
    qsort(builder->sample, builder->count, sizeof *builder->sample, compare_samples);
    (builder->request->format->one_choice ? add_only : add_ranges)(builder, slice, logs);
    free(slice);
}

/* ---- All calls ------------------------------------------------------------------------------- */

static enum rules_nodes nodes_of(const struct rules_candidate *candidate)
{
    if (candidate->ppn <= 1)
        return RULES_ONE_PER_NODE;
    return candidate->p <= candidate->ppn ? RULES_SINGLE_NODE : RULES_ANY_NODES;
}

/* The numbers of ranks per host differ, so that the format has to tell them apart. */
static bool differs(const struct rules_candidate *candidates, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (candidates[i].ppn != candidates[0].ppn)
            return true;
    return false;
}

static int check(const struct rules_request *request, const struct rules_candidate *candidates,
                 size_t count, bool by_nodes, struct sup_error *error)
{
    int32_t ppn[3] = {0, 0, 0};
    if (request->element_bytes < 1)
        return sup_fail(error, RB_EINVAL, "elements of %" PRId64 " bytes: must be at least 1",
                        request->element_bytes);
    for (size_t i = 0; i < count; i++) {
        const enum rules_nodes nodes = by_nodes ? nodes_of(&candidates[i]) : RULES_ANY_NODES;
        if (candidates[i].p < 1 || candidates[i].m_bytes < 0 || candidates[i].n < 0 ||
            !(candidates[i].time_s > 0) || isinf(candidates[i].time_s))
            return sup_fail(error, RB_EINVAL, "%s, p = %" PRId32 ": no such time",
                            candidates[i].algorithm, candidates[i].p);
        if (ppn[nodes] == 0)
            ppn[nodes] = candidates[i].ppn + 1;
        if (ppn[nodes] != candidates[i].ppn + 1)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: its rules do not tell %" PRId32 " from %" PRId32
                            " ranks per host: choose with --ppn",
                            request->format->name, ppn[nodes] - 1, candidates[i].ppn);
    }
    return RB_OK;
}

/* The samples of the call and nodes. */
static void gather(struct builder *builder, const struct rules_candidate *candidates, size_t count,
                   bool by_nodes)
{
    builder->count = 0;
    for (size_t i = 0; i < count; i++)
        if (candidates[i].p > 1 &&
            strcmp(candidates[i].collective, builder->call->collective) == 0 &&
            (!by_nodes || nodes_of(&candidates[i]) == builder->nodes))
            builder->sample[builder->count++] = sample_of(builder, &candidates[i]);
}

static bool has_choice(const struct rules_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rule[i].row != NULL)
            return true;
    return false;
}

int rules_build(const struct rules_request *request, const struct rules_candidate *candidates,
                size_t count, struct rules_table *table, struct sup_error *error)
{
    const bool by_nodes = request->format->nodes && differs(candidates, count);
    struct builder builder = {.request = request, .table = table};
    double logs = 0;
    *table = (struct rules_table){.format = request->format, .everywhere = request->everywhere};
    const int status = check(request, candidates, count, by_nodes, error);
    if (status != RB_OK)
        return status;
    builder.sample = sup_calloc(count, sizeof *builder.sample);
    for (builder.call = request->format->call; builder.call->collective != NULL; builder.call++) {
        /* The narrower conditions come first. */
        for (int nodes = by_nodes ? RULES_SINGLE_NODE : RULES_ANY_NODES; nodes >= RULES_ANY_NODES;
             nodes--) {
            builder.nodes = (enum rules_nodes)nodes;
            gather(&builder, candidates, count, by_nodes);
            if (builder.count > 0)
                add_call(&builder, &logs);
        }
    }
    free(builder.sample);
    if (table->points > table->without)
        table->lacking_mean = exp(logs / (double)(table->points - table->without)) - 1;
    bool natives = count > 0;
    for (size_t i = 0; i < count; i++)
        natives = natives && strcmp(candidates[i].algorithm, "native") == 0;
    return has_choice(table) || request->own_will_do
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "--format %s: %s", request->format->name,
                          natives ? "all times are of the library's own choice, and "
                                    "rules need those of its algorithms"
                          : strcmp(request->format->library, "nccl") == 0
                              ? "none of these is NCCL's, whose times are computed: roundabout "
                                "recommend --library nccl has them"
                              : "the library has none of these algorithms");
}
