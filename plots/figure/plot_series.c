/* plot_series.c - several settings, and several results files, in one figure: settings that differ
 * only in what --series names, or in their file, become one family, and the curves of each have its
 * values behind the algorithm's name: "circulant, fat-tree:64". Kinds then draw a family as they
 * draw a setting. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "support/memory.h"

/* A setting of a file. */
struct member {
    const struct point *setting;
    int32_t file;
    size_t family;
    bool shown; /* some curve of it is */
    bool measured;
    char variant[256]; /* "fat-tree:64, blocking" */
};

struct folding {
    const struct plot_request *request;
    const struct decide_curves *parts;
    struct member *members;
    size_t count;
    struct decide_curves *data;
    struct plot_family *families;
};

/* "default" of "results/default.db"; with its directory, "results/default", if another file has the
 * same name. */
static void name_file(const struct plot_request *request, int32_t file, char *name, size_t size)
{
    const char *path = request->files[file], *base = sup_base_name(path);
    bool twice = false;
    for (int32_t i = 0; i < request->file_count; i++)
        twice = twice || (i != file && strcmp(sup_base_name(request->files[i]), base) == 0);
    const char *begin = twice ? path : base, *dot = strrchr(base, '.');
    snprintf(name, size, "%.*s",
             (int)((dot == NULL || dot == base ? base + strlen(base) : dot) - begin), begin);
}

/* What a measured point cannot have in common with a simulated one; reductions are measured with
 * elements of several bytes. */
static bool is_of_machine(int id)
{
    const enum point_part part = point_parameters[id].part;
    return part == POINT_OF_MACHINE || part == POINT_OF_ENGINE || part == POINT_OF_EXECUTION ||
           id == POINT_ELEMENT;
}

/* True for what does not keep settings apart: what --series names; the machine, of simulated and
 * measured settings together; and the hash of a platform if its text or its file may differ. */
static bool is_free(const struct plot_request *request, int id)
{
    return point_parameters[id].varies || request->series[id] ||
           (request->mixed && is_of_machine(id)) ||
           (id == POINT_PLATFORM_HASH &&
            (request->series[POINT_PLATFORM] || request->file_count > 1));
}

static bool are_one_family(const struct plot_request *request, const struct point *a,
                           const struct point *b)
{
    bool same = true;
    for (int id = 0; id < POINT_PARAMETERS && same; id++)
        same = is_free(request, id) || point_compare(a, b, &point_parameters[id]) == 0;
    return same;
}

/* What a family's members differ in. */
static void compare_members(struct folding *folding)
{
    for (size_t i = 0; i < folding->count; i++) {
        const struct member *member = &folding->members[i];
        struct plot_family *family = &folding->families[member->family];
        const struct point **first = member->measured ? &family->measured : &family->simulated;
        if (!member->shown)
            continue;
        family->several = family->several || (!member->measured && *first != NULL);
        *first = *first == NULL ? member->setting : *first;
        for (size_t k = 0; k < folding->count; k++) {
            const struct member *other = &folding->members[k];
            if (other->family != member->family || !other->shown)
                continue;
            family->files = family->files || other->file != member->file;
            for (int id = 0; id < POINT_PARAMETERS; id++)
                if (!point_parameters[id].varies &&
                    point_compare(member->setting, other->setting, &point_parameters[id]) != 0)
                    family->differs[id] = true;
        }
    }
    for (size_t i = 0; i < folding->data->setting_count; i++) {
        struct plot_family *family = &folding->families[i];
        if (family->simulated == NULL || family->measured == NULL)
            family->simulated = family->measured = NULL;
    }
}

/* True if this parameter, or the file (POINT_PARAMETERS), distinguishes a member from another one
 * of its family; where there are simulated and measured ones, from another one of its own sort. */
static bool distinguishes(const struct folding *folding, const struct member *member, int id)
{
    const struct plot_family *family = &folding->families[member->family];
    bool differs = false;
    for (size_t k = 0; k < folding->count && !differs; k++) {
        const struct member *other = &folding->members[k];
        if (other->family != member->family || !other->shown ||
            (family->measured != NULL && other->measured != member->measured))
            continue;
        differs = id == POINT_PARAMETERS
                      ? other->file != member->file
                      : point_compare(member->setting, other->setting, &point_parameters[id]) != 0;
    }
    return differs;
}

/* What distinguishes the members of each family. */
static void name_variants(struct folding *folding)
{
    const struct plot_request *request = folding->request;
    for (size_t i = 0; i < folding->count; i++) {
        struct member *member = &folding->members[i];
        const struct plot_family *family = &folding->families[member->family];
        char word[200];
        for (int id = 0; id < POINT_PARAMETERS; id++) {
            const bool named = family->measured != NULL
                                   ? is_free(request, id) && id != POINT_PLATFORM_HASH &&
                                         distinguishes(folding, member, id)
                                   : request->series[id] && family->differs[id];
            if (named && !point_parameters[id].varies)
                sup_append(member->variant, sizeof member->variant, ", ", "%s",
                           point_format(member->setting, &point_parameters[id], word, sizeof word));
        }
        if (family->measured != NULL)
            sup_append(member->variant, sizeof member->variant, ", ", "%s",
                       member->measured ? "measured" : "simulated");
        if (family->measured != NULL ? distinguishes(folding, member, POINT_PARAMETERS)
                                     : family->files) {
            name_file(request, member->file, word, sizeof word);
            sup_append(member->variant, sizeof member->variant, ", ", "%s", word);
        }
        int same = 1;
        for (size_t k = 0; k < i; k++)
            same += folding->members[k].family == member->family &&
                    strcmp(folding->members[k].variant, member->variant) == 0;
        if (same > 1) { /* one platform's name with two meanings */
            snprintf(word, sizeof word, "#%d", same);
            sup_append(member->variant, sizeof member->variant, ", ", "%s", word);
        }
    }
}

static void add_members(struct folding *folding)
{
    struct decide_curves *data = folding->data;
    for (int32_t file = 0; file < folding->request->file_count; file++)
        for (size_t i = 0; i < folding->parts[file].setting_count; i++) {
            const struct point *setting = &folding->parts[file].settings[i];
            size_t family = 0;
            while (family < data->setting_count &&
                   !are_one_family(folding->request, &data->settings[family], setting))
                family++;
            if (family == data->setting_count) {
                sup_grow(&data->settings, data->setting_count, sizeof *setting);
                sup_grow(&folding->families, data->setting_count, sizeof *folding->families);
                folding->families[data->setting_count] = (struct plot_family){.files = false};
                data->settings[data->setting_count++] = *setting;
            }
            sup_grow(&folding->members, folding->count, sizeof *folding->members);
            folding->members[folding->count++] =
                (struct member){.setting = setting,
                                .file = file,
                                .family = family,
                                .measured = decide_is_measured(setting)};
            for (size_t k = 0; k < folding->parts[file].curve_count; k++) {
                const struct decide_curve *curve = &folding->parts[file].curves[k];
                folding->members[folding->count - 1].shown |= curve->setting == i && !curve->hidden;
            }
        }
}

/* The curves of a file, whose first setting is a certain member. */
static void add_curves(struct folding *folding, int32_t file, size_t first)
{
    const struct decide_curves *part = &folding->parts[file];
    struct decide_curves *data = folding->data;
    const size_t offset = data->sample_count;
    memcpy(data->samples + offset, part->samples, part->sample_count * sizeof *part->samples);
    memcpy(data->spreads + offset, part->spreads, part->sample_count * sizeof *part->spreads);
    data->sample_count += part->sample_count;
    for (size_t i = 0; i < part->curve_count; i++) {
        struct decide_curve *curve = &data->curves[data->curve_count];
        *curve = part->curves[i];
        const struct member *member = &folding->members[first + curve->setting];
        char name[512];
        snprintf(name, sizeof name, "%s%s%s", curve->algorithm,
                 *member->variant == '\0' ? "" : ", ", member->variant);
        curve->base = decide_intern(data, curve->algorithm);
        curve->variant = decide_intern(data, member->variant);
        curve->algorithm = decide_intern(data, name);
        curve->plan_algorithm = decide_intern(data, curve->plan_algorithm);
        curve->groups = decide_intern(data, curve->groups);
        curve->origin = first + curve->setting;
        curve->setting = member->family;
        curve->best = data->samples + offset + (curve->best - part->samples);
        curve->samples = data->samples + offset + (curve->samples - part->samples);
        data->curve_count++;
    }
}

/* As decide_curves_load sorts them. */
SUP_COMPARE(compare_curves, struct decide_curve, SUP_ORDER(a->setting, b->setting),
            SUP_ORDER(a->p, b->p), SUP_ORDER(a->m_bytes, b->m_bytes),
            strcmp(a->plan_algorithm, b->plan_algorithm), SUP_ORDER(a->radix, b->radix),
            SUP_ORDER(a->origin, b->origin));

void plot_fold(const struct plot_request *request, const struct decide_curves parts[],
               struct decide_curves *data, struct plot_family **families)
{
    struct folding folding = {.request = request, .parts = parts, .data = data};
    *data = (struct decide_curves){0};
    char versions[256] = "";
    size_t curves = 0, samples = 0, first = 0;
    for (int32_t file = 0; file < request->file_count; file++) {
        const struct decide_curves *part = &parts[file];
        curves += part->curve_count;
        samples += part->sample_count;
        data->failed += part->failed;
        if (part->versions != NULL && strstr(versions, part->versions) == NULL)
            sup_append(versions, sizeof versions, ", ", "%s", part->versions);
    }
    data->curves = sup_calloc(curves + 1, sizeof *data->curves);
    data->samples = sup_calloc(samples + 1, sizeof *data->samples);
    data->spreads = sup_calloc(samples + 1, sizeof *data->spreads);
    add_members(&folding);
    data->versions = decide_intern(data, versions);
    compare_members(&folding);
    name_variants(&folding);
    for (int32_t file = 0; file < request->file_count; file++) {
        add_curves(&folding, file, first);
        first += parts[file].setting_count;
    }
    qsort(data->curves, data->curve_count, sizeof *data->curves, compare_curves);
    *families = folding.families;
    free(folding.members);
}

bool plot_is_of(const struct decide_curve *curve, const char *algorithm)
{
    return strcmp(curve->algorithm, algorithm) == 0 ||
           (curve->base != NULL && strcmp(curve->base, algorithm) == 0);
}

const char *plot_base_name(const struct decide_curve *curve)
{
    return curve->base == NULL ? curve->algorithm : curve->base;
}

const char *plot_variant(const struct decide_curves *data, size_t setting, const char *algorithm,
                         size_t i)
{
    const char *seen[64];
    size_t count = 0;
    for (size_t k = 0; k < data->curve_count; k++) {
        const struct decide_curve *curve = &data->curves[k];
        bool known = curve->setting != setting || curve->hidden || !plot_is_of(curve, algorithm);
        for (size_t j = 0; j < count && !known; j++)
            known = seen[j] == curve->algorithm;
        if (known || count == sizeof seen / sizeof *seen)
            continue;
        if (count == i)
            return curve->algorithm;
        seen[count++] = curve->algorithm;
    }
    return NULL;
}

void plot_variant_title(const struct decide_curve *curve, const char *of, char *title, size_t size)
{
    const char *variant = curve->variant == NULL ? "" : curve->variant;
    snprintf(title, size, "%s%s%s", of, *of == '\0' || *variant == '\0' ? "" : ", ", variant);
}

/* ---- Colours --------------------------------------------------------------------------------- */

struct coloured {
    const char *algorithm;
    bool in_focus;
    size_t wins;
    double nearest; /* the least of its times by that of the fastest */
};

SUP_COMPARE(by_wins, struct coloured, b->in_focus - a->in_focus, SUP_ORDER(b->wins, a->wins),
            SUP_ORDER(a->nearest, b->nearest), strcmp(a->algorithm, b->algorithm));

size_t plot_coloured(const char *algorithm)
{
    const char *groups = strstr(algorithm, ":g=");
    return groups == NULL ? strlen(algorithm) : (size_t)(groups - algorithm);
}

bool plot_same_colour(const char *a, const char *b)
{
    const size_t length = plot_coloured(a);
    return length == plot_coloured(b) && strncmp(a, b, length) == 0;
}

size_t plot_order(const struct decide_curves *data, const char *focus, const char ***order)
{
    struct coloured *all = NULL;
    const struct decide_curve *fastest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        const char *name = plot_base_name(curve);
        size_t k = 0;
        if (fastest == NULL || !decide_same_case(fastest, curve))
            fastest = plot_fastest(data, curve, NULL, NULL);
        while (k < count && !plot_same_colour(all[k].algorithm, name))
            k++;
        if (k == count) {
            sup_grow(&all, count, sizeof *all);
            all[count++] = (struct coloured){name, plot_is_of(curve, focus), 0, INFINITY};
        }
        all[k].wins += curve == fastest;
        all[k].nearest = fmin(all[k].nearest, curve->best->time_s / fastest->best->time_s);
    }
    *order = sup_calloc(count + 1, sizeof **order);
    if (count > 0)
        qsort(all, count, sizeof *all, by_wins);
    for (size_t i = 0; i < count; i++)
        (*order)[i] = all[i].algorithm;
    free(all);
    return count;
}

/* ---- --only ---------------------------------------------------------------------------------- */

static bool has_word(const char *list, const char *word, bool prefix)
{
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");
        while (at[length] == ',') { /* "latency=2us" belongs to the platform before it */
            const size_t next = strcspn(at + length + 1, ",");
            const char *equals = memchr(at + length + 1, '=', next);
            const char *colon = memchr(at + length + 1, ':', next);
            if (equals == NULL || (colon != NULL && colon < equals))
                break;
            length += 1 + next;
        }
        const bool equal = strncmp(word, at, length) == 0;
        if (equal && (word[length] == '\0' || (prefix && strchr(":,", word[length]) != NULL)))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static bool has_number(const struct plot_only *only, int64_t number)
{
    for (size_t i = 0; i < only->numbers.count; i++)
        if (only->numbers.value[i] == number)
            return true;
    return false;
}

static bool is_shown(const struct plot_only *only, const struct point *setting,
                     const struct decide_curve *curve)
{
    switch (only->id) {
    case POINT_ALGORITHM:
        return has_word(only->values, curve->algorithm, false) ||
               has_word(only->values, curve->plan_algorithm, false);
    case POINT_P:
        return has_number(only, curve->p);
    case POINT_BYTES:
        return has_number(only, curve->m_bytes);
    case POINT_RADIX:
        return has_number(only, curve->radix);
    case POINT_GROUPS:
        return has_word(only->values, curve->groups, false);
    default:
        return point_parameters[only->id].type == POINT_TEXT
                   ? has_word(only->values, point_text(setting, &point_parameters[only->id]),
                              only->id == POINT_PLATFORM || only->id == POINT_ARRIVAL)
                   : has_number(only, point_number(setting, &point_parameters[only->id]));
    }
}

int plot_hide(const struct plot_request *request, struct decide_curves *data)
{
    int shown = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        struct decide_curve *curve = &data->curves[i];
        for (size_t k = 0; k < request->only_count && !curve->hidden; k++)
            curve->hidden = !is_shown(&request->only[k], &data->settings[curve->setting], curve);
        shown += !curve->hidden;
    }
    return shown;
}
