#include "experiments/point/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/runs.h"
#include "platforms/network.h"
#include "platforms/platform.h"
#include "support/memory.h"
#include "support/names.h"

/* ---- Groups ---------------------------------------------------------------------------------- */

const char *const point_group_words[POINT_GROUP_WORDS] = {
    "host",
    "node",
    "router",
    "leaf",
    "host/router/group",
    "host/router/group:1",
    "host/router/group:2",
    "host/router/group:3",
    "host/router/quad:1",
    "host/router/group:even",
    "host/leaf",
    "host/leaf:even",
    "host/leaf:fill",
    "host/row",
    "host/row/plane",
    "host/row/plane:even",
    "host/row/plane:fold",
    "host:across",
    "host/row:across",
    "host/row/plane:across",
};

/* The words of a text, from the smallest groups up, and the terminals (platforms/platform.h) that
 * share the resource that each one names. */
enum { MOST_WORDS = 8 };
struct words {
    const char *text;
    int32_t count;
    uint64_t seed; /* behind a colon: of the order of the groups; 0: that of the terminals */
    bool even;     /* "even" behind a colon: small groups are dealt out */
    bool fold;     /* "even" or "fold": rows and planes there and back */
    bool fill;     /* "fill" behind a colon: small groups get ranks of the others */
    bool across;   /* "across" behind a colon: the largest are what has one place in each part */
    char word[MOST_WORDS][8];
    int32_t terminals[MOST_WORDS];
};

/* True if the list, "a, b, c", has the word. */
static bool lists(const char *list, const char *word, size_t length)
{
    for (size_t of; (of = strcspn(list, ",")) > 0; list += of + strspn(list + of, ", "))
        if (of == length && strncmp(list, word, of) == 0)
            return true;
    return false;
}

/* What is behind the colon. */
static bool read_order(const char *text, struct words *words)
{
    if (lists(POINT_GROUP_ORDERS, text, strlen(text))) {
        words->even = strcmp(text, "even") == 0;
        words->fold = words->even || strcmp(text, "fold") == 0;
        words->fill = strcmp(text, "fill") == 0;
        words->across = strcmp(text, "across") == 0;
        return true;
    }
    words->seed = strtoull(text, NULL, 10);
    return words->seed > 0 && text[0] > '0' && text[0] <= '9' &&
           text[strspn(text, "0123456789")] == '\0';
}

/* False: the text is not made of words. */
static bool split(const char *text, struct words *words)
{
    *words = (struct words){.text = text};
    for (const char *at = text, *end;; at = end + 1) {
        end = at + strcspn(at, "/:");
        const size_t length = (size_t)(end - at);
        if (!lists(POINT_GROUP_LEVELS, at, length) || words->count == MOST_WORDS)
            return false;
        snprintf(words->word[words->count++], sizeof words->word[0], "%.*s", (int)length, at);
        if (*end != '/')
            return *end == '\0' || read_order(end + 1, words);
    }
}

/* True if the ranks' places are not their terminals'. */
static bool words_change(const struct words *words)
{
    return words->seed > 0 || words->fold || words->fill || words->across;
}

int point_check_groups(const char *text, bool words, struct sup_error *error)
{
    struct words named;
    char why[256];
    if (words && split(text, &named))
        return RB_OK;
    /* The order is for so many ranks as there are. */
    char *sizes = sup_strdup(text);
    if (sizes[0] != '@')
        sizes[strcspn(sizes, "@")] = '\0';
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "flat", .p = 1, .n = 1, .groups = sizes};
    struct rb_plan *plan;
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    rb_plan_destroy(plan);
    free(sizes);
    return status == RB_OK
               ? RB_OK
               : sup_fail(error, status, "%s%s", why,
                          words
                              ? "; or one of " POINT_GROUP_LEVELS
                                ", or several, as host/router/group; "
                                "behind a colon the seed of an order, or one of " POINT_GROUP_ORDERS
                              : "");
}

/* A cut's part of this name, such as a dragonfly's "group"; a grid's row or plane. */
static int find_part(const char *platform, const char *word, int32_t *terminals,
                     struct sup_error *error)
{
    struct platform_cuts cuts;
    const int status = platform_find_cuts(platform, &cuts, error);
    if (status != RB_OK)
        return status;
    if (strcmp(word, "row") == 0 && cuts.grid.sides > 1) {
        *terminals = cuts.grid.side[0];
        return RB_OK;
    }
    if (strcmp(word, "plane") == 0 && cuts.grid.sides > 2) {
        *terminals = cuts.grid.side[0] * cuts.grid.side[1];
        return RB_OK;
    }
    for (int32_t i = 0; i < cuts.count; i++)
        if (strcmp(cuts.cut[i].name, word) == 0) {
            *terminals = cuts.cut[i].terminals;
            return RB_OK;
        }
    return sup_fail(error, RB_EINVAL, "groups: %s has no %s", platform, word);
}

/* The terminals that share the resource named by the word. */
static int find_terminals(const struct point *point, const char *word, int32_t *terminals,
                          struct sup_error *error)
{
    *terminals = 1;
    if (strcmp(word, "host") == 0)
        return RB_OK;
    if (!platform_is_generated(point->platform_text))
        return sup_fail(error, RB_EINVAL,
                        "groups: which hosts of a file share a %s is not known: give sizes", word);
    if (strcmp(word, "quad") == 0) { /* four routers that follow one another */
        const int status = platform_find_group(point->platform_text, "router", terminals, error);
        *terminals *= 4;
        return status;
    }
    return strcmp(word, "group") == 0 || strcmp(word, "row") == 0 || strcmp(word, "plane") == 0
               ? find_part(point->platform_text, word, terminals, error)
               : platform_find_group(point->platform_text, word, terminals, error);
}

/* True if hosts that share something need not follow one another. */
static bool is_machine(const char *platform)
{
    struct platform_hosts hosts;
    struct sup_error error;
    return platform_is_generated(platform) &&
           platform_find_hosts(platform, &hosts, &error) == RB_OK && hosts.machine != NULL;
}

/* The sizes as in rb_plan_spec, without those that only repeat the first ones; the last group is
 * cut off at p. Nothing if each rank is alone. True if there is something. */
static bool write_sizes(FILE *stream, bool first, const int32_t size[], int32_t count)
{
    int32_t period = 1;
    for (int32_t i = 1; i < count; i++)
        if (size[i] > size[i % period] || (i + 1 < count && size[i] < size[i % period]))
            period = i + 1;
    if (period == 1 && size[0] == 1)
        return false;
    for (int32_t i = 0; i < period; i++)
        fprintf(stream, "%s%" PRId32, i > 0 ? "," : first ? "" : "/", size[i]);
    return true;
}

/* A rank at a place. */
struct placed {
    int32_t terminal, rank;
    int32_t part[MOST_WORDS];   /* which router, group, .., by word */
    uint64_t group[MOST_WORDS]; /* from the largest on: its number, or that of a seed */
    int32_t slot;               /* where among the ranks of its smallest part */
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    for (int32_t i = 0; i < MOST_WORDS; i++)
        if (x->group[i] != y->group[i])
            return SUP_ORDER(x->group[i], y->group[i]);
    return SUP_FIRST(SUP_ORDER(x->slot, y->slot), SUP_ORDER(x->terminal, y->terminal),
                     SUP_ORDER(x->rank, y->rank));
}

/* The sizes of the parts of a word, such as routers, in the order of their places. */
static int find_sizes(const struct words *words, int32_t word, const struct placed at[], int32_t p,
                      int32_t size[], int32_t *count, struct sup_error *error)
{
    int32_t most = 0;
    for (int32_t r = 0; r < p; r++)
        most = at[r].part[word] > most ? at[r].part[word] : most;
    bool *seen = sup_calloc((size_t)most + 1, sizeof *seen);
    int status = RB_OK;
    *count = 0;
    for (int32_t r = 0; r < p && status == RB_OK; r++) {
        const int32_t part = at[r].part[word];
        if (r > 0 && part == at[r - 1].part[word]) {
            size[*count - 1]++;
            continue;
        }
        if (seen[part])
            status = sup_fail(error, RB_ENOTSUP,
                              "groups: %s: rank %" PRId32
                              " comes back to one that other ranks have left: the ranks of a %s "
                              "must follow one another",
                              words->word[word], r, words->word[word]);
        seen[part] = true;
        size[(*count)++] = 1;
    }
    free(seen);
    return status;
}

/* The text for ranks at these places; a NULL if each is alone. */
static int write_places(const struct words *words, const struct placed at[], int32_t p, char **text,
                        struct sup_error *error)
{
    int32_t *size = sup_reallocarray(NULL, (size_t)p, sizeof *size), count, levels = 0;
    bool is_moved = false;
    int status = RB_OK;
    size_t length;
    FILE *stream = sup_memory_open(text, &length);
    for (int32_t i = 0; i < words->count && status == RB_OK; i++) {
        status = find_sizes(words, i, at, p, size, &count, error);
        if (status == RB_OK)
            levels += write_sizes(stream, levels == 0, size, count);
    }
    for (int32_t i = 0; i < p; i++)
        is_moved |= at[i].rank != i;
    if (words->across && levels == 0 && is_moved)
        fprintf(stream, "%d", levels = 1);
    for (int32_t i = 0; i < p && is_moved && levels > 0; i++)
        fprintf(stream, "%c%" PRId32, i == 0 ? '@' : ',', at[i].rank);
    sup_memory_close(stream, text);
    free(size);
    if (status == RB_OK && levels > 0)
        return RB_OK;
    free(*text);
    *text = NULL;
    return status;
}

/* A pseudo-random number for each i of a seed, by the mixing of SplitMix64. */
static uint64_t mixed(uint64_t seed, uint64_t i)
{
    uint64_t x = seed + i * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The first two seeds are the best of twelve in a row: with one of them no messages of a broadcast
 * meet on dragonfly:1056, in any case that was tried; and with the first seed of quads none of 1024
 * ranks in order (docs/groups.md). */
enum { BEFORE_FIRST_SEED = 7, BEFORE_FIRST_SEED_OF_QUADS = 13703 };

/* A rank in a terminal. A seed's order goes by pseudo-random numbers of the groups. */
static struct placed place(const struct words *words, int32_t terminal, int32_t rank)
{
    struct placed placed = {.terminal = terminal, .rank = rank};
    const uint64_t before = strcmp(words->word[words->count - 1], "quad") == 0
                                ? BEFORE_FIRST_SEED_OF_QUADS
                                : BEFORE_FIRST_SEED;
    for (int32_t i = 0; i < words->count; i++) {
        const int32_t part = placed.part[i] = terminal / words->terminals[i];
        placed.group[words->count - 1 - i] =
            words->seed == 0
                ? (uint64_t)part
                : mixed(words->seed + before, (uint64_t)part * MOST_WORDS + (uint64_t)i);
    }
    return placed;
}

/* Groups across the parts of the last word: what has the same place in each of them, on a way round
 * these. */
static void place_across(const struct words *words, const struct platform_cuts *cuts,
                         struct placed at[], int32_t p)
{
    const int32_t last = words->count - 1, terminals = words->terminals[last];
    const int32_t inside = last > 0 ? words->terminals[last - 1] : 1;
    int32_t count = 0;
    for (int32_t r = 0; r < p; r++)
        count = at[r].terminal / terminals >= count ? at[r].terminal / terminals + 1 : count;
    for (int32_t r = 0; r < p; r++) {
        const int32_t class = at[r].terminal % terminals / inside;
        at[r].part[last] = terminals > 1 ? class : at[r].part[last];
        at[r].group[0] = (uint64_t) class;
        at[r].group[1] =
            (uint64_t)platform_cuts_cycle(cuts, terminals, count, at[r].terminal / terminals);
    }
    qsort(at, (size_t)p, sizeof *at, by_place);
}

/* ---- Groups without small ones ----------------------------------------------------------------
 *
 * A part with at most half as many ranks as the largest one beside it is dealt out over those: its
 * routers go to groups, one to each in turn, the ranks of its router to routers. (docs/groups.md,
 * "Small groups".) Rows and planes go to the one before, as on a grid only neighbours are near. */

/* Of one word, in places from .. end - 1. */
struct part {
    int32_t from, end, size;
};

/* The first place behind `from` that has another part of this word (words->count: of all). */
static int32_t part_end(const struct words *words, const struct placed at[], int32_t p,
                        int32_t word, int32_t from)
{
    int32_t end = from + 1;
    if (word == words->count)
        return p;
    while (end < p && at[end].part[word] == at[from].part[word])
        end++;
    return end;
}

/* Rank `at` goes to a part as the u-th: behind its ranks, or between them (`size` > 0) at distances
 * such that those that come to several leaves differ in the uplink that d-mod-k chooses. */
static void move(const struct words *words, int32_t word, const struct placed *to, int32_t size,
                 int64_t u, struct placed *at)
{
    enum { STRIDE = 5 };
    at->part[word] = to->part[word];
    at->group[words->count - 1 - word] = to->group[words->count - 1 - word];
    if (word == 0)
        at->slot = size > 0 ? (int32_t)(2 * (u * STRIDE % size) - 1) : INT32_MAX;
}

static bool is_of_grid(const struct words *words, int32_t word)
{
    return strcmp(words->word[word], "row") == 0 || strcmp(words->word[word], "plane") == 0;
}

/* The next part that is not small. */
static int32_t next_large(const struct part part[], int32_t parts, int32_t least, int32_t i)
{
    do
        i = (i + 1) % parts;
    while (part[i].size < least);
    return i;
}

/* Deals out the small ones of these parts; returns how many units went. */
static int32_t deal_out(const struct words *words, int32_t word, const struct part part[],
                        int32_t parts, int32_t least, struct placed at[])
{
    const bool near = is_of_grid(words, word);
    int32_t to = near ? next_large(part, parts, least, -1) : -1, dealt = 0;
    for (int32_t i = 0; i < parts; i++) {
        if (part[i].size >= least) {
            to = near ? i : to;
            continue;
        }
        for (int32_t from = part[i].from, end; from < part[i].end; from = end, dealt++) {
            end = word == 0 ? from + 1 : part_end(words, at, part[i].end, word - 1, from);
            to = near ? to : next_large(part, parts, least, to);
            const struct placed host = at[part[to].from];
            for (int32_t r = from; r < end; r++)
                move(words, word, &host, near ? 0 : part[to].size, dealt, &at[r]);
        }
    }
    return dealt;
}

/* Of each part of the next word. */
static int32_t deal_word(const struct words *words, int32_t word, struct placed at[], int32_t p)
{
    struct part *part = sup_reallocarray(NULL, (size_t)p, sizeof *part);
    int32_t dealt = 0;
    for (int32_t first = 0, end; first < p; first = end) {
        int32_t parts = 0, most = 0;
        end = part_end(words, at, p, word + 1, first);
        for (int32_t from = first; from < end; from = part[parts++].end) {
            const int32_t behind = part_end(words, at, end, word, from);
            part[parts] = (struct part){from, behind, behind - from};
            most = part[parts].size > most ? part[parts].size : most;
        }
        dealt += deal_out(words, word, part, parts, most / 2 + 1, at);
    }
    free(part);
    return dealt;
}

/* The place behind the parts in first .. end - 1 that have an order there and back: a last one with
 * fewer ranks stays the last, unless the plan takes parts of any size. */
static int32_t fold_end(const struct words *words, int32_t word, const struct placed at[],
                        int32_t first, int32_t end)
{
    const int32_t size = part_end(words, at, end, word, first) - first;
    return words->even ? end : end - (end - first) % size;
}

/* Puts the parts of each part of the next word in an order there and back, 0, 2, 3, 1, if the last
 * is more than two from the first on the ring of those that so many terminals have. */
static void fold(const struct words *words, int32_t word, int32_t terminals, struct placed at[],
                 int32_t p)
{
    const int32_t ring = terminals / words->terminals[word];
    for (int32_t first = 0, end; first < p && is_of_grid(words, word); first = end) {
        int32_t parts = 0, i = 0;
        end = part_end(words, at, p, word + 1, first);
        const int32_t last = fold_end(words, word, at, first, end);
        const int32_t away = at[last - 1].part[word] - at[first].part[word];
        for (int32_t r = first; r < last; r++)
            parts += r == first || at[r].part[word] != at[r - 1].part[word];
        for (int32_t r = first; r < last && away > 2 && ring - away > 2; r++) {
            i += r > first && at[r].part[word] != at[r - 1].part[word];
            at[r].group[words->count - 1 - word] =
                (uint64_t)(i % 2 == 0 ? i / 2 : parts - 1 - i / 2);
        }
    }
}

/* Until no part is small, if `even`, or none but the largest, if `across`: a router that came to a
 * group may be. Then there and back. The network has `all` terminals. */
static void even_out(const struct words *words, int32_t all, struct placed at[], int32_t p)
{
    const int32_t dealt_words = words->count - words->across;
    int32_t dealt = words->even || words->across;
    for (int32_t r = 0; r < p; r++)
        at[r].slot = r > 0 && at[r].part[0] == at[r - 1].part[0] ? at[r - 1].slot + 2 : 0;
    while (dealt > 0) {
        dealt = 0;
        for (int32_t word = 0; word < dealt_words; word++) {
            if (words->terminals[word] > 1)
                dealt += deal_word(words, word, at, p);
            qsort(at, (size_t)p, sizeof *at, by_place);
        }
    }
    for (int32_t word = 0; word < words->count && words->fold; word++)
        fold(words, word, word + 1 < words->count ? words->terminals[word + 1] : all, at, p);
    qsort(at, (size_t)p, sizeof *at, by_place);
}

/* Parts of the smallest word, whose sizes should be `end`: alike but for one rank. */
static int32_t find_shares(const struct words *words, const struct placed at[], int32_t p,
                           struct part part[])
{
    int32_t parts = 0;
    for (int32_t r = 0; r < p; r = part[parts++].end) {
        const int32_t end = part_end(words, at, p, 0, r);
        part[parts] = (struct part){r, end, end - r};
    }
    int32_t larger = p % parts; /* those that have more already come first */
    for (int32_t i = 0; i < 2 * parts; i++) {
        struct part *of = &part[i % parts];
        const bool more = larger > 0 && (of->size > p / parts) == (i < parts);
        if (i < parts || of->size <= p / parts)
            of->end = p / parts + more;
        larger -= more;
    }
    return parts;
}

/* A part of the smallest word gets ranks of larger ones, one of each in turn. Each comes to the
 * place that it had, so that those beside it have other uplinks, and the last of its part takes
 * that. */
static void fill(const struct words *words, struct placed at[], int32_t p)
{
    struct part *part = sup_reallocarray(NULL, (size_t)p, sizeof *part);
    const int32_t parts = find_shares(words, at, p, part);
    for (int32_t i = 0; i < parts; i++)
        for (int32_t slot = 0; slot < part[i].size; slot++)
            at[part[i].from + slot].slot = slot;
    for (int32_t i = 0, from = 0; i < parts; i++)
        for (int32_t slot = part[i].size; slot < part[i].end; slot++) {
            do
                from = (from + 1) % parts;
            while (part[from].size <= part[from].end);
            const int32_t last = --part[from].size, there = slot < last ? slot : last;
            struct placed *lent = &at[part[from].from + there];
            const struct placed left = at[part[from].from + last], guest = *lent;
            *lent = left;
            lent->slot = there;
            lent = &at[part[from].from + last];
            *lent = at[part[i].from];
            lent->terminal = guest.terminal;
            lent->rank = guest.rank;
            lent->slot = slot;
        }
    qsort(at, (size_t)p, sizeof *at, by_place);
    free(part);
}

/* The grid whose parts "across" goes round. */
static int find_across(const char *platform, const struct words *words, struct platform_cuts *cuts,
                       struct sup_error *error)
{
    const char *word = words->word[words->count - 1];
    const int status = platform_find_cuts(platform, cuts, error);
    if (status != RB_OK)
        return status;
    return cuts->grid.sides > 0 &&
                   (is_of_grid(words, words->count - 1) || strcmp(word, "host") == 0)
               ? RB_OK
               : sup_fail(error, RB_EINVAL,
                          "groups: %s: across is for the hosts, rows and planes of a torus",
                          words->text);
}

/* Where sets of ranks need not be alike. If those that belong together do not follow one another,
 * and any order will do, the ranks are put into the order of their terminals. */
static int find_placed_groups(const struct point *point, const struct words *words, bool any_order,
                              char **text, struct sup_error *error)
{
    struct platform_hosts hosts;
    const int32_t p = point->plan.p;
    if (!platform_is_generated(point->platform_text))
        return sup_fail(error, RB_EINVAL,
                        "groups: which ranks of a file share a %s is found on generated platforms "
                        "only: give sizes",
                        words->text);
    struct platform_cuts cuts = {0};
    int status = platform_find_hosts(point->platform_text, &hosts, error);
    if (status == RB_OK && words->across)
        status = find_across(point->platform_text, words, &cuts, error);
    if (status != RB_OK)
        return status;
    const struct sim_hosts of = {hosts.count, platform_host_name, &hosts};
    int32_t *host = sup_reallocarray(NULL, (size_t)p, sizeof *host);
    struct placed *at = sup_reallocarray(NULL, (size_t)p, sizeof *at);
    status = sim_placement_map(point->placement_rule, p, point->ppn, &of, host, error);
    for (int32_t r = 0; status == RB_OK && r < p; r++)
        at[r] = place(words, platform_host_terminal(&hosts, host[r]), r);
    if (status == RB_OK) {
        const bool is_changed = words_change(words);
        if (!is_changed)
            status = write_places(words, at, p, text, error);
        if (is_changed || (status == RB_ENOTSUP && any_order)) {
            qsort(at, (size_t)p, sizeof *at, by_place);
            if (words->across)
                place_across(words, &cuts, at, p);
            if (words->fold || words->across)
                even_out(words, hosts.count, at, p);
            if (words->fill)
                fill(words, at, p);
            status = write_places(words, at, p, text, error);
        }
    }
    free(host);
    free(at);
    return status;
}

/* The same sizes for all, from rank 0 on. */
static char *write_even(const struct words *words, int32_t ppn)
{
    char *text;
    size_t length;
    int32_t levels = 0;
    FILE *stream = sup_memory_open(&text, &length);
    for (int32_t i = 0; i < words->count; i++) {
        const int64_t size = (int64_t)words->terminals[i] * ppn;
        const int32_t one = (int32_t)(size < RB_MAX_RANKS ? size : RB_MAX_RANKS);
        levels += write_sizes(stream, levels == 0, &one, 1);
    }
    sup_memory_close(stream, &text);
    if (levels > 0)
        return text;
    free(text);
    return NULL;
}

/* Without hosts of one rank. */
static void drop_hosts(struct words *words)
{
    if (words->count < 2 || words->terminals[0] > 1)
        return;
    words->count--;
    memmove(words->word, words->word + 1, sizeof words->word - sizeof words->word[0]);
    memmove(words->terminals, words->terminals + 1,
            sizeof words->terminals - sizeof words->terminals[0]);
}

/* point_find_groups for ranks in any order, if any will do. */
static int find_groups(struct point *point, bool any_order, char **owned, struct sup_error *error)
{
    const struct sim_placement *placement = point->placement_rule;
    struct words words;
    int32_t most = 1;
    *owned = NULL;
    if (point->plan.groups == NULL)
        return RB_OK;
    if (!split(point->plan.groups, &words))
        return point_check_groups(point->plan.groups, true, error);
    for (int32_t i = 0; i < words.count; i++) {
        const int status = find_terminals(point, words.word[i], &words.terminals[i], error);
        if (status != RB_OK)
            return status;
        most = words.terminals[i] > most ? words.terminals[i] : most;
    }
    if ((words.fold || words.fill || words.across) && point->ppn == 1)
        drop_hosts(&words);
    if (placement->rule != SIM_FILE && most == 1 && point->ppn == 1 && !words.across) {
        point->plan.groups = NULL;
        return RB_OK;
    }
    /* Only cyclic parts the ranks of a host. A search exchanges whole groups of one level. */
    const bool is_host = strcmp(words.text, "host") == 0;
    const bool is_changed = words_change(&words);
    if (is_changed && !any_order)
        return sup_fail(error, RB_ENOTSUP,
                        "groups: %s: an order of the groups is for algorithms that plan by places",
                        words.text);
    const bool is_even = placement->rule == SIM_BLOCK ||
                         (is_host && placement->rule != SIM_CYCLIC && placement->rule != SIM_FILE);
    if (placement->search && (words.count > 1 || is_changed))
        return sup_fail(error, RB_ENOTSUP,
                        "groups: %s: a search for an order of the hosts keeps groups of one level "
                        "together, not of several: leave out the search",
                        words.text);
    if (!is_even && placement->rule != SIM_FILE && (!any_order || placement->search))
        return sup_fail(
            error, RB_ENOTSUP,
            "groups: %s needs the placement block%s or a file, in which the ranks of a %s follow "
            "one another, not %s",
            words.text, is_host ? ", random, gray" : "", words.text, point->placement);
    if (!is_even || is_changed || (most > 1 && is_machine(point->platform_text))) {
        const int status = find_placed_groups(point, &words, any_order, owned, error);
        if (status != RB_OK)
            return status;
    } else {
        *owned = write_even(&words, point->ppn);
    }
    point->plan.groups = *owned;
    return RB_OK;
}

int point_find_groups(struct point *point, char **owned, struct sup_error *error)
{
    const struct rb_algorithm_info *algorithm = point->algorithm;
    const bool any_order = algorithm != NULL && (algorithm->places || algorithm->own_nic);
    return find_groups(point, any_order, owned, error);
}

/* What ranks share by the platform and their number per host, if not all ranks share it; NULL:
 * nothing. */
static const char *shared_word(const struct point *point)
{
    const int32_t per_node = point_ranks_per_node(point->platform_text, point->ppn);
    const bool nodes = per_node > point->ppn;
    if (point->algorithm == NULL || !point->algorithm->groups || point->algorithm->only != NULL ||
        per_node == 1 || point->plan.p <= per_node)
        return NULL; /* nobody knows who shares what in a plan of a file */
    return nodes ? "node" : "host";
}

int point_complete(struct point *point, bool ports_given, char **owned,
                   struct point_neighbours **kept, char note[POINT_NOTE], struct sup_error *error)
{
    const char *word = point->plan.groups == NULL ? shared_word(point) : NULL;
    const int32_t ports = point->plan.ports;
    char more[32] = "";
    int status = RB_OK;
    if (word != NULL)
        point->plan.groups = word;
    note[0] = '\0';
    status = point_find_groups(point, owned, error);
    if (status != RB_OK && word != NULL) { /* those ranks don't follow one another */
        point->plan.groups = NULL;
        return RB_OK;
    }
    if (status == RB_OK && !ports_given && point->plan.groups != NULL)
        point_set_ports(point);
    if (status == RB_OK)
        status = point_find_neighbours(point, ports_given, kept, error);
    if (point->plan.ports != ports)
        snprintf(more, sizeof more, "--ports %" PRId32, point->plan.ports);
    if (word == NULL && more[0] != '\0')
        snprintf(note, POINT_NOTE, "note: %s, which %.60s needs", more, point->plan.algorithm);
    else if (word != NULL)
        snprintf(note, POINT_NOTE, "note: --groups %s%s%s, as %" PRId32 " ranks share a %s", word,
                 more[0] == '\0' ? "" : " and ", more,
                 point_ranks_per_node(point->platform_text, point->ppn), word);
    return status;
}

int point_shared_ranks(const struct cli_args *args, int32_t *ranks, struct sup_error *error)
{
    const char *platform = cli_args_text(args, "platform");
    struct platform_hosts hosts;
    struct sup_error why;
    *ranks = (int32_t)cli_args_int(args, "ppn");
    if (platform == NULL || !platform_is_generated(platform))
        return RB_OK;
    const int status = platform_find_hosts(platform, &hosts, &why);
    if (status != RB_OK)
        return sup_fail(error, status, "--platform: %s", why.text);
    *ranks = point_ranks_per_node(platform, *ranks);
    return RB_OK;
}

bool point_groups_suit(const struct rb_algorithm_info *algorithm, const char *sizes)
{
    return algorithm->places || strpbrk(sizes, algorithm->own_nic ? "/" : "/@") == NULL;
}

/* True if there are groups, and neither one of all ranks nor those of a way from the first one on.
 */
static bool is_needed(const struct point *point, const char *sizes,
                      const struct point_groupings *in, size_t first)
{
    if (sizes == NULL || strtol(sizes, NULL, 10) >= point->plan.p)
        return false;
    for (size_t i = first; i < in->count; i++)
        if (strcmp(in->way[i].sizes, sizes) == 0)
            return false;
    return true;
}

int point_add_groupings(const struct point *point, const char *const name[], size_t names,
                        bool given, struct point_groupings *to, struct sup_error *error)
{
    const size_t first = to->count;
    for (size_t i = 0; i < names; i++) {
        struct point grouped = *point;
        struct sup_error why;
        char *owned;
        grouped.plan.groups = name[i];
        const bool is_apart = find_groups(&grouped, false, &owned, &why) == RB_ENOTSUP &&
                              strchr(name[i], ':') == NULL;
        if (is_apart && to->ungrouped++ == 0)
            to->why = why;
        int status = RB_OK;
        if (owned == NULL && grouped.plan.groups != NULL) {
            status = find_groups(&grouped, true, &owned, &why);
            if (status != RB_OK && given)
                return sup_fail(error, status, "--%s", why.text);
        }
        const char *sizes = grouped.plan.groups;
        if (status != RB_OK || !(given ? sizes != NULL : is_needed(point, sizes, to, first))) {
            free(owned);
            continue;
        }
        sup_grow(&to->way, to->count, sizeof *to->way);
        to->way[to->count++] =
            (struct point_grouping){name[i], owned != NULL ? owned : sup_strdup(sizes)};
    }
    return RB_OK;
}

void point_groupings_free(struct point_groupings *groupings)
{
    for (size_t i = 0; i < groupings->count; i++)
        free(groupings->way[i].sizes);
    free(groupings->way);
    *groupings = (struct point_groupings){0};
}

void point_set_ports(struct point *point)
{
    struct rb_plan_spec spec = point->plan;
    int32_t low = 1, high = spec.p < RB_MAX_PORTS ? spec.p : RB_MAX_PORTS;
    if (point->algorithm == NULL || !point->algorithm->own_nic)
        return;
    while (low < high) {
        spec.ports = low + (high - low) / 2;
        if (sup_plan_is_supported(&spec))
            high = spec.ports;
        else
            low = spec.ports + 1;
    }
    point->plan.ports = high;
}
