#define _POSIX_C_SOURCE 200809L /* getc_unlocked */

#include "decisions.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/units.h"

enum { LINE_SIZE = 512, WORDS = 4, MOST_LINES = 1 << 20 };

struct span {
    int64_t least, most;
};

struct rule {
    const struct rb_collective_info *collective;
    bool irregular;
    struct span ranks, bytes;
    struct choice_setting setting;
};

struct choice_decisions {
    struct rule *rules; /* in the file's order */
    size_t count;
    uint64_t hash; /* of the file's text */
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* Cuts a line into at most WORDS + 1 words, without its comment. */
static int words_of(char *line, char *words[WORDS + 1])
{
    static const char space[] = " \t\r\n";
    int count = 0;
    line[strcspn(line, "#")] = '\0';
    for (line += strspn(line, space); *line != '\0' && count <= WORDS;
         line += strspn(line, space)) {
        words[count++] = line;
        line += strcspn(line, space);
        if (*line != '\0')
            *line++ = '\0';
    }
    return count;
}

static int parse_end(const char *text, bool bytes, int64_t most, int64_t *value,
                     struct sup_error *error)
{
    if (!bytes)
        return sup_parse_int(text, 1, most, value, error);
    return sup_parse_bytes(text, value, error);
}

/* "A..B", "A..", "..B", "A" or "*". */
static int parse_span(char *text, bool bytes, struct span *span, struct sup_error *error)
{
    const int64_t most = bytes ? INT64_MAX : RB_MAX_RANKS;
    int status = RB_OK;
    *span = (struct span){bytes ? 0 : 1, most};
    if (strcmp(text, "*") == 0)
        return RB_OK;
    char *end = strstr(text, "..");
    if (end == NULL) {
        status = parse_end(text, bytes, most, &span->least, error);
        span->most = span->least;
        return status;
    }
    *end = '\0';
    end += 2;
    if (*text != '\0')
        status = parse_end(text, bytes, most, &span->least, error);
    if (status == RB_OK && *end != '\0')
        status = parse_end(end, bytes, most, &span->most, error);
    if (status == RB_OK && span->least > span->most)
        return sup_fail(error, RB_EINVAL, "'%s..%s': the first end is the larger one", text, end);
    return status;
}

static int parse_collective(char *text, struct rule *rule, struct sup_error *error)
{
    char *slash = strchr(text, '/');
    if (slash != NULL && strcmp(slash, "/irregular") == 0) {
        rule->irregular = true;
        *slash = '\0';
    }
    rule->collective = rb_collective_find(text);
    if (rule->collective == NULL)
        return sup_fail(error, RB_EINVAL,
                        "'%s' is no collective: they are as roundabout list names them, and with "
                        "/irregular for calls whose counts differ",
                        text);
    if (rule->irregular && !rule->collective->distributed)
        return sup_fail(error, RB_EINVAL, "'%s/irregular': %s has no counts that could differ",
                        text, text);
    return RB_OK;
}

static int parse_rule(char *words[WORDS], struct rule *rule, struct sup_error *error)
{
    char why[sizeof error->text];
    *rule = (struct rule){0};
    int status = parse_collective(words[0], rule, error);
    if (status == RB_OK)
        status = parse_span(words[1], false, &rule->ranks, error);
    if (status == RB_OK)
        status = parse_span(words[2], true, &rule->bytes, error);
    if (status != RB_OK)
        return status;
    status =
        choice_setting_parse(rule->collective->name, words[3], &rule->setting, why, sizeof why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "%s", why);
}

static struct rule *add_rule(struct choice_decisions *decisions)
{
    if (!sup_array_grow(&decisions->rules, decisions->count, sizeof *decisions->rules))
        return NULL;
    return &decisions->rules[decisions->count++];
}

/* One line; *started: the header was there. */
static int read_line(struct choice_decisions *decisions, char *line, bool *started,
                     struct sup_error *error)
{
    char *words[WORDS + 1];
    struct rule *rule;
    if (!*started) {
        *started = true;
        line[strcspn(line, "\r\n")] = '\0';
        return strcmp(line, CHOICE_DECISIONS_HEADER) == 0
                   ? RB_OK
                   : sup_fail(error, RB_EINVAL,
                              "'%.60s': the first line of a decision file of this version is '%s'",
                              line, CHOICE_DECISIONS_HEADER);
    }
    const int count = words_of(line, words);
    if (count == 0)
        return RB_OK;
    if (count != WORDS)
        return sup_fail(error, RB_EINVAL,
                        "'%s ...': a rule is COLLECTIVE RANKS BYTES SETTING, such as 'bcast 2..23 "
                        "64KiB.. circulant:n=F:70', not %s words",
                        words[0], count > WORDS ? "more" : "fewer");
    if ((rule = add_rule(decisions)) == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    return parse_rule(words, rule, error);
}

/* Reads up to LINE_SIZE - 1 characters of a line, its end with them; their number, 0 at the end.
 * Unlike fgets it can tell a zero byte from the end. */
static int get_line(FILE *file, char line[LINE_SIZE])
{
    int length = 0;
    for (int c = 0; length < LINE_SIZE - 1 && c != '\n' && (c = getc_unlocked(file)) != EOF;)
        line[length++] = (char)c;
    line[length] = '\0';
    return length;
}

int choice_decisions_read(FILE *file, const char *name, struct choice_decisions **decisions,
                          struct sup_error *error)
{
    char line[LINE_SIZE];
    struct sup_error why = {0};
    bool started = false;
    int number = 0, length, status = RB_OK;
    *decisions = calloc(1, sizeof **decisions);
    if (*decisions == NULL)
        return sup_fail(error, RB_ENOMEM, "%s: out of memory", name);
    (*decisions)->hash = SUP_HASH_START;
    while (status == RB_OK && (length = get_line(file, line)) > 0) {
        (*decisions)->hash = sup_hash_bytes((*decisions)->hash, line, (size_t)length);
        if (++number > MOST_LINES)
            status = sup_fail(&why, RB_EINVAL, "a decision file has at most %d lines", MOST_LINES);
        else if (strlen(line) < (size_t)length)
            status = sup_fail(&why, RB_EINVAL, "a zero byte: this is no text file");
        else if (length == LINE_SIZE - 1 && line[length - 1] != '\n')
            status = sup_fail(&why, RB_EINVAL, "a line has at most %d characters", LINE_SIZE - 2);
        else
            status = read_line(*decisions, line, &started, &why);
    }
    if (status == RB_OK && ferror(file))
        status = sup_fail(&why, RB_EIO, "it can't be read");
    else if (status == RB_OK && !started)
        status =
            sup_fail(&why, RB_EINVAL, "empty: the first line is '%s'", CHOICE_DECISIONS_HEADER);
    if (status == RB_OK)
        return RB_OK;
    choice_decisions_free(*decisions);
    *decisions = NULL;
    return sup_fail(error, status, "%s:%d: %s", name, number > 0 ? number : 1, why.text);
}

struct choice_decisions *choice_decisions_none(void)
{
    return calloc(1, sizeof(struct choice_decisions));
}

int choice_decisions_append(struct choice_decisions *decisions, struct choice_decisions *more)
{
    for (size_t i = 0; i < more->count; i++) {
        struct rule *rule = add_rule(decisions);
        if (rule == NULL)
            return RB_ENOMEM;
        *rule = more->rules[i];
        rule->setting.learned = true;
    }
    more->count = 0;
    return RB_OK;
}

uint64_t choice_decisions_hash(const struct choice_decisions *decisions)
{
    return decisions->hash;
}

void choice_decisions_free(struct choice_decisions *decisions)
{
    if (decisions != NULL)
        free(decisions->rules);
    free(decisions);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_in(const struct span *span, int64_t value)
{
    return span->least <= value && value <= span->most;
}

static bool serves(const struct rule *rule, const struct choice_situation *situation)
{
    return strcmp(rule->collective->name, situation->collective) == 0 &&
           rule->irregular == situation->irregular && is_in(&rule->ranks, situation->p);
}

SUP_COMPARE(by_least, struct choice_decision, SUP_ORDER(a->least, b->least));

/* The place of the last entry that begins at so many bytes or below. */
static size_t place_of(const struct choice_decision decisions[], size_t count, int64_t bytes)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (decisions[middle].least <= bytes)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first cut from this one on that no rule has; next[] of a taken cut leads towards it. */
static size_t first_free(size_t next[], size_t cut)
{
    while (next[cut] != cut)
        cut = next[cut] = next[next[cut]];
    return cut;
}

/* Lists the sizes at which another rule may become the first that fits: 0, and each rule's ends.
 * Returns their number. */
static size_t list_cuts(const struct choice_decisions *decisions,
                        const struct choice_situation *situation, struct choice_decision cuts[])
{
    size_t count = 1, distinct = 1;
    for (size_t i = 0; i < decisions->count; i++) {
        const struct rule *rule = &decisions->rules[i];
        if (!serves(rule, situation))
            continue;
        cuts[count++].least = rule->bytes.least;
        if (rule->bytes.most < INT64_MAX)
            cuts[count++].least = rule->bytes.most + 1;
    }
    qsort(cuts, count, sizeof *cuts, by_least);
    for (size_t i = 1; i < count; i++)
        if (cuts[i].least != cuts[distinct - 1].least)
            cuts[distinct++] = cuts[i];
    return distinct;
}

/* Each rule, in the file's order, takes the ranges between its ends that no earlier rule has. */
int choice_decision_row_make(const struct choice_decisions *decisions,
                             const struct choice_situation *situation,
                             struct choice_decision_row *row)
{
    struct choice_decision *cuts = calloc(2 * decisions->count + 1, sizeof *cuts);
    size_t *next = calloc(2 * decisions->count + 2, sizeof *next), kept = 1;
    if (cuts == NULL || next == NULL) {
        free(cuts);
        free(next);
        return RB_ENOMEM;
    }
    const size_t count = list_cuts(decisions, situation, cuts);
    for (size_t i = 0; i <= count; i++)
        next[i] = i;
    for (size_t i = 0; i < decisions->count; i++) {
        const struct rule *rule = &decisions->rules[i];
        if (!serves(rule, situation))
            continue;
        const size_t last = place_of(cuts, count, rule->bytes.most);
        size_t cut = first_free(next, place_of(cuts, count, rule->bytes.least));
        for (; cut <= last; cut = first_free(next, cut)) {
            cuts[cut].setting = &rule->setting;
            next[cut] = cut + 1;
        }
    }
    free(next);
    for (size_t i = 1; i < count; i++)
        if (cuts[i].setting != cuts[kept - 1].setting)
            cuts[kept++] = cuts[i];
    *row = (struct choice_decision_row){.decisions = cuts, .count = kept, .known = true};
    return RB_OK;
}

void choice_decision_row_free(struct choice_decision_row *row)
{
    free(row->decisions);
    *row = (struct choice_decision_row){0};
}

const struct choice_setting *choice_decision_row_find(const struct choice_decision_row *row,
                                                      int64_t bytes)
{
    return row->count > 0 ? row->decisions[place_of(row->decisions, row->count, bytes)].setting
                          : NULL;
}

bool choice_decision_row_covers(const struct choice_decision_row *row, int64_t least, int64_t most)
{
    size_t i = row->count > 0 ? place_of(row->decisions, row->count, least) : 0;
    for (; i < row->count && row->decisions[i].least <= most; i++)
        if (row->decisions[i].setting == NULL)
            return false;
    return row->count > 0;
}
