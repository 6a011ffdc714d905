/* names.c - from names in the data to our algorithms (format.h). The names themselves are in the
 * table of libraries (mpi/vendors/names/); here is how suites put them together. */
#include "experiments/rows/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/rows/rows.h"
#include "mpi/vendors/names/mpilib.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/units.h"

/* ---- Texts of which equal ones are kept once ------------------------------------------------- */

struct rows_texts {
    char **text; /* owned, as each is */
    size_t count;
    struct sup_map index;
};

const char *rows_texts_keep(struct rows_texts **place, const char *text)
{
    if (*place == NULL)
        *place = sup_calloc(1, sizeof **place);
    struct rows_texts *texts = *place;
    for (uint64_t hash = sup_hash_bytes(SUP_HASH_START, text, strlen(text));; hash += 2) {
        const size_t i = (size_t)*sup_map_at(&texts->index, hash, (int64_t)texts->count);
        if (i == texts->count) {
            sup_grow(&texts->text, texts->count, sizeof *texts->text);
            texts->text[texts->count++] = sup_strdup(text);
        }
        if (strcmp(texts->text[i], text) == 0)
            return texts->text[i];
    }
}

void rows_texts_free(struct rows_texts *texts)
{
    if (texts == NULL)
        return;
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    free(texts->index.of);
    free(texts);
}

/* ---- From names to algorithms ---------------------------------------------------------------- */

enum { LONGEST_NAME = 120 };

/* "default", "default_ompi", "default-default", "native": the library chose. Fujitsu's
 * "default-ring" is an algorithm. */
static bool is_own_choice(const char *name)
{
    return strcmp(name, "default") == 0 || strncmp(name, "default_", 8) == 0 ||
           strcmp(name, "default-default") == 0 || strcmp(name, "native") == 0 ||
           strcmp(name, "auto") == 0;
}

/* Cuts "-NUMBER" or "_NUMBER" off the end of a name. */
static bool cut_number(char *name, char sign, int64_t *number)
{
    char *last = strrchr(name, sign);
    if (last == NULL || last[1] == '\0' || strspn(last + 1, "0123456789") != strlen(last + 1) ||
        sup_parse_int(last + 1, 0, INT64_MAX, number, NULL) != RB_OK)
        return false;
    *last = '\0';
    return true;
}

/* BINE-B_CONT-UTOFU-65536-3: family and variant, transport, segment size, interfaces. */
static void cut_fugaku(char *name, struct rows_name *read)
{
    int64_t segment, interfaces;
    char copy[LONGEST_NAME];
    strcpy(copy, name);
    if (!cut_number(copy, '-', &interfaces) || !cut_number(copy, '-', &segment) || interfaces < 1 ||
        interfaces > RB_MAX_PORTS)
        return;
    const char *transport = sup_ends_in(copy, "-UTOFU") ? "UTOFU"
                            : sup_ends_in(copy, "-MPI") ? "MPI"
                                                        : NULL;
    if (transport == NULL)
        return;
    copy[strlen(copy) - strlen(transport) - 1] = '\0';
    strcpy(name, copy);
    read->transport = transport;
    read->segment_bytes = segment;
    read->interfaces = (int32_t)interfaces;
}

static bool take(const char *library, const char *collective, const char *name,
                 struct rows_name *read)
{
    const struct mpilib_algorithm *row = mpilib_named(library, collective, name);
    if (row == NULL)
        return false;
    const struct rb_algorithm_info *info = mpilib_info(row);
    read->known = true;
    read->manner.engine = row->manner.engine;
    if (info != NULL) {
        read->algorithm = info->name;
        read->manner = row->manner;
        if (read->radix == 0 && info->radix != NULL)
            read->radix = row->radix;
    }
    return true;
}

/* Our own name, with a radix after it if there is one: "knomial:r=4". */
static bool take_own(const char *collective, const char *name, struct rows_name *read)
{
    char plain[LONGEST_NAME];
    const char *radix = strstr(name, ":r=");
    int64_t number = 0;
    snprintf(plain, sizeof plain, "%.*s",
             (int)(radix == NULL ? strlen(name) : (size_t)(radix - name)), name);
    if (radix != NULL && sup_parse_int(radix + 3, 2, RB_MAX_RANKS, &number, NULL) != RB_OK)
        return false;
    const struct rb_algorithm_info *info = rb_algorithm_find(collective, plain);
    if (info == NULL)
        return false;
    read->known = true;
    read->algorithm = info->name;
    read->radix = info->radix == NULL ? 0 : (int32_t)number;
    return true;
}

/* "COLLNET_DIRECT", as NCCL's own messages have it, is "collnetdirect". */
static void cut_case(char *name)
{
    char *to = name;
    for (; *name != '\0'; name++)
        if (*name != '_')
            *to++ = (char)tolower((unsigned char)*name);
    *to = '\0';
}

struct rows_name rows_read_name(const char *library, const char *collective, const char *name)
{
    struct rows_name read = {.transport = "", .interfaces = 1};
    const char *mpi = sup_library_named(library);
    char key[LONGEST_NAME];
    int64_t segment;
    if (is_own_choice(name)) {
        read.own_choice = true;
        if (mpi != NULL && strcmp(mpi, "nccl") == 0)
            read.manner.engine = "nccl";
        return read;
    }
    if (strlen(name) >= sizeof key)
        return read;
    strcpy(key, name);
    if (mpi != NULL && strcmp(mpi, "nccl") == 0)
        cut_case(key);
    cut_fugaku(key, &read);
    if (take("pico", collective, key, &read) || take("fujitsu", collective, key, &read) ||
        (mpi != NULL && take(mpi, collective, key, &read)) || take_own(collective, key, &read))
        return read;
    /* PICO's "..._segmented_over_16384". */
    if (cut_number(key, '_', &segment) && take("pico", collective, key, &read))
        read.segment_bytes = segment;
    return read;
}

/* ---- Names that were forced and are not what ran --------------------------------------------- */

/* Names that were forced and are not what ran (rows.h): NCCL takes another algorithm where it
 * can't serve the value of NCCL_ALGO, and says nothing. */

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

/* How far times are apart, by their logarithms. One job's network is now idle, now busy, so that
 * the medians of one algorithm can be of two kinds; then the tenth percentiles are still alike. */
static double apart_by(const struct rows_row *a, const struct rows_row *b)
{
    return fmin(fabs(log(a->median_s / b->median_s)), fabs(log(a->p10_s / b->p10_s)));
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
            if (apart_by(other, row) <= near_enough) {
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
            set->row[i].own_choice = forced == NULL;
        }
}

/* ---- Names that ran one thing: their rows are samples of it ---------------------------------- */

static const double far = 1.25; /* times the median, or a part of it: an outlier */

static const char *class_of(const struct rows_row *row)
{
    return row->own_choice ? own : row->ran != NULL ? row->ran : row->name;
}

static bool in_class(const struct rows_row *a, const struct rows_row *b)
{
    return b->manner.engine != NULL && same_point(a, b) && strcmp(class_of(a), class_of(b)) == 0;
}

/* A time of each sample of a class, with those of the class `also` (NULL: none) at its point. */
static double median_of(const struct rows_set *set, const struct rows_row *of,
                        const struct rows_row *also, size_t member)
{
    double *time_s = sup_calloc(set->count, sizeof *time_s);
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        double here_s;
        memcpy(&here_s, (const char *)row + member, sizeof here_s);
        if (!isnan(here_s) && (in_class(of, row) || (also != NULL && in_class(also, row))))
            time_s[count++] = here_s;
    }
    sup_sort_reals(time_s, count);
    const double median_s = count == 0 ? NAN : sup_quantile(time_s, count, 0.5);
    free(time_s);
    return median_s;
}

/* The algorithm that the library's own choice was at its point: of those that were forced there and
 * took as long as one of its rows, the nearest. NULL: none did. */
static const struct rows_row *find_chosen(const struct rows_set *set, const struct rows_row *chose)
{
    const struct rows_row *nearest = NULL;
    double least = near_enough;
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        if (row->algorithm == NULL || row->own_choice || !same_point(row, chose))
            continue;
        for (size_t k = 0; k < set->count; k++) {
            const double apart = in_class(chose, &set->row[k]) ? apart_by(row, &set->row[k]) : 1;
            nearest = apart <= least ? row : nearest;
            least = fmin(least, apart);
        }
    }
    return nearest;
}

/* The library's own choice at the row's point, if it is the row's class; NULL: it is not. */
static const struct rows_row *find_chooser(const struct rows_set *set, const struct rows_row *row)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *other = &set->row[i];
        if (!other->own_choice || !same_point(other, row))
            continue;
        const struct rows_row *chosen = find_chosen(set, other);
        return chosen != NULL && in_class(chosen, row) ? other : NULL;
    }
    return NULL;
}

/* What one row says of all samples; of the library's own choice the time is that of what it chose,
 * which then has the algorithm. */
static struct rows_row join(const struct rows_set *set, const struct rows_row *row)
{
    static const size_t members[] = {
        offsetof(struct rows_row, min_s),    offsetof(struct rows_row, p10_s),
        offsetof(struct rows_row, median_s), offsetof(struct rows_row, p90_s),
        offsetof(struct rows_row, low_s),    offsetof(struct rows_row, high_s)};
    struct rows_row joined = *row;
    const struct rows_row *also = row->own_choice ? find_chosen(set, row) : find_chooser(set, row);
    joined.name = class_of(row);
    joined.ran = row->own_choice && also != NULL ? class_of(also) : NULL;
    joined.algorithm = joined.ran != NULL ? NULL : row->algorithm;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const double median_s = median_of(set, row, also, members[i]);
        memcpy((char *)&joined + members[i], &median_s, sizeof median_s);
    }
    return joined;
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

static char *say_fallbacks(const struct rows_set *set)
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

/* Times that are far from those of their class. */
struct outliers {
    int64_t all, count;
    double most;
    struct rows_row worst, among;
};

static void count_outlier(struct outliers *outliers, const struct rows_row *row,
                          const struct rows_row *joined)
{
    const double apart = fabs(log(row->median_s / joined->median_s));
    outliers->all++;
    outliers->count += apart > log(far);
    if (apart <= outliers->most)
        return;
    outliers->most = apart;
    outliers->worst = *row;
    outliers->among = *joined;
}

static void say_outliers(struct rows_set *set, const struct outliers *outliers)
{
    char here[32], others[32], size[32];
    if (outliers->count == 0 || set->found[0] == '\0')
        return;
    char *text =
        sup_format("%s; their rows are samples, of which medians count: %" PRId64 " of %" PRId64
                   " times are far off, such as %s's %s for %s on %" PRId32 " ranks instead of %s",
                   set->found, outliers->count, outliers->all, outliers->worst.name,
                   sup_format_seconds(outliers->worst.median_s, here, sizeof here),
                   sup_format_shown(outliers->worst.bytes, size, sizeof size), outliers->worst.p,
                   sup_format_seconds(outliers->among.median_s, others, sizeof others));
    free(set->found);
    set->found = text;
}

/* Joins the rows of one point; those that go have no name. */
static void join_point(struct rows_row *const of[], size_t count, struct outliers *outliers)
{
    struct rows_set here = {.row = sup_calloc(count, sizeof *here.row), .count = count};
    for (size_t i = 0; i < count; i++)
        here.row[i] = *of[i];
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (!in_class(&here.row[i], &here.row[first]))
            first++;
        if (first == i)
            *of[i] = join(&here, &here.row[i]);
        else
            of[i]->name = NULL;
        count_outlier(outliers, &here.row[i], of[first]);
    }
    free(here.row);
}

/* Leaves a row for each class at a point, and says what was found. */
static void join_all(struct rows_set *set)
{
    struct rows_row **at = sup_calloc(set->count, sizeof *at);
    bool *seen = sup_calloc(set->count, sizeof *seen);
    struct outliers outliers = {0};
    size_t left = 0;
    free(set->found);
    set->found = say_fallbacks(set);
    for (size_t i = 0; i < set->count; i++) {
        size_t count = 0;
        const struct rows_row point = set->row[i];
        for (size_t k = i; point.manner.engine != NULL && !seen[i] && k < set->count; k++)
            if (set->row[k].manner.engine != NULL && same_point(&set->row[k], &point)) {
                seen[k] = k > i;
                at[count++] = &set->row[k];
            }
        join_point(at, count, &outliers);
    }
    say_outliers(set, &outliers);
    for (size_t i = 0; i < set->count; i++)
        if (set->row[i].name != NULL)
            set->row[left++] = set->row[i];
    set->count = left;
    free(seen);
    free(at);
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
    join_all(set);
}
