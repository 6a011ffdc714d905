/* rules.c - the formats of rules, and what they have in common: reading a file, looking up lines,
 * the library's measure of a message. */
#include "mpi/vendors/rules/rules.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/rules/rules_format.h"
#include "support/memory.h"
#include "support/names.h"

#define RULES_FORMAT(format) extern const struct rules_format format;
#include "mpi/vendors/rules/rules_formats.h"

#define RULES_FORMAT(format) &(format),
static const struct rules_format *const formats[] = {
#include "mpi/vendors/rules/rules_formats.h"
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* A file of rules is no larger; the largest known has some thousand lines. */
enum { MOST_BYTES = 64 << 20 };

const struct rules_format *rules_format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

char *rules_format_usual(const char *text)
{
    const char *library = sup_library_named(text);
    for (size_t i = 0; i < FORMATS && library != NULL && rules_format_find(text) == NULL; i++)
        if (strcmp(formats[i]->library, library) == 0)
            return sup_format("%s", formats[i]->name);
    return sup_format("%s", text);
}

const char *rules_format_word(int32_t i)
{
    return i < FORMATS ? formats[i]->name : NULL;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

const struct rules_call *rules_call_named(const struct rules_format *format, const char *call)
{
    for (const struct rules_call *at = format->call; at->collective != NULL; at++)
        if (strcmp(at->call, call) == 0)
            return at;
    return NULL;
}

const struct rules_call *rules_call_numbered(const struct rules_format *format, int64_t id)
{
    for (const struct rules_call *at = format->call; at->collective != NULL; at++)
        if (at->id == id)
            return at;
    return NULL;
}

static const struct rules_call *call_of(const struct rules_format *format, const char *collective)
{
    for (const struct rules_call *at = format->call; at->collective != NULL; at++)
        if (strcmp(at->collective, collective) == 0)
            return at;
    return NULL;
}

const char *rules_call(const struct rules_format *format, const char *collective)
{
    const struct rules_call *call = call_of(format, collective);
    return call == NULL ? NULL : call->call;
}

int64_t rules_size_of(const struct rules_call *call, int32_t p, int64_t m_bytes)
{
    switch (call->size) {
    case RULES_PER_RANK:
        return m_bytes / p;
    case RULES_PER_PAIR:
        return m_bytes / p / p;
    case RULES_BLIND:
        return 0;
    case RULES_ALL:
        break;
    }
    return m_bytes;
}

int64_t rules_measure(const struct rules_format *format, const char *call, int32_t p,
                      int64_t m_bytes)
{
    const struct rules_call *found = rules_call_named(format, call);
    return found == NULL ? m_bytes : rules_size_of(found, p, m_bytes);
}

/* ---- Reading --------------------------------------------------------------------------------- */

int rules_complain(const struct rules_text *text, struct sup_error *error, const char *format, ...)
{
    char why[400];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return text->line == 0
               ? sup_fail(error, RB_EINVAL, "%s: %s", text->name, why)
               : sup_fail(error, RB_EINVAL, "%s, line %d: %s", text->name, text->line, why);
}

struct rules_line *rules_add(struct rules_file *file, const struct rules_call *call,
                             const struct mpilib_algorithm *row)
{
    sup_grow(&file->line, file->count, sizeof *file->line);
    struct rules_line *line = &file->line[file->count++];
    *line = (struct rules_line){
        .call = call, .rule = {.call = call, .row = row, .p_high = INT32_MAX, .high = INT64_MAX}};
    snprintf(line->name, sizeof line->name, "%s", row == NULL ? "" : row->name);
    return line;
}

/* True if a word before this place sets the variable of the next one: setenv, -genv, -env. */
static bool is_set_by_blank(const char *line, const char *at)
{
    static const char *const words[] = {"setenv", "-genv", "-env"};
    while (at > line && isspace((unsigned char)at[-1]))
        at--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(at - line) >= length && strncmp(at - length, words[i], length) == 0)
            return true;
    }
    return false;
}

/* Cuts the next setting of a variable out of a line, in a shell's script, a file of settings or the
 * midst of a command: `export NAME="value"`, `-x NAME=value`, `"NAME": "value"`, `setenv NAME
 * value`. Returns what follows the name's beginning, "REST=value", which the caller frees; NULL:
 * there is none. */
static char *cut_setting(char *line, const char *variable, char **rest)
{
    for (char *at = line; (at = strstr(at, variable)) != NULL; at++) {
        const char *name = at + strlen(variable), *end = name;
        const char before = at == line ? ' ' : at[-1];
        while (isalnum((unsigned char)*end) || *end == '_')
            end++;
        const char *value = end + strspn(end, " \t\"']");
        if (isalnum((unsigned char)before) || before == '_' || before == '-')
            continue;
        if (*value == '=' || *value == ':')
            value += 1 + strspn(value + 1, " \t");
        else if (!isspace((unsigned char)*end) || !is_set_by_blank(line, at))
            continue;
        const bool quoted = *value == '"' || *value == '\'';
        const bool all_quoted = !quoted && (before == '"' || before == '\'') && *end == '=';
        const char stops[] = {quoted       ? *value
                              : all_quoted ? before
                                           : ' ',
                              quoted || all_quoted ? '\r' : '\t', '\r', '\0'};
        value += quoted;
        const size_t length = strcspn(value, stops);
        *rest = (char *)value + length + (value[length] != '\0');
        return sup_format("%.*s=%.*s", (int)(end - name), name, (int)length, value);
    }
    return NULL;
}

int rules_each_line(struct rules_text *text, const char *variable, rules_line_reader *read,
                    struct rules_file *file, struct sup_error *error)
{
    bool found = variable == NULL;
    int status = RB_OK;
    for (text->line = 1; status == RB_OK && text->at < text->end; text->line++) {
        const size_t left = (size_t)(text->end - text->at);
        const char *end = memchr(text->at, '\n', left);
        const size_t length = end == NULL ? left : (size_t)(end - text->at);
        char *line = sup_strndup(text->at, length), *at = line + strspn(line, " \t"), *rest;
        text->at += length + (end != NULL);
        if (variable == NULL)
            status = read(text, line, file, error);
        for (; variable != NULL && *at != '#' && status == RB_OK; at = rest) {
            char *setting = cut_setting(at, variable, &rest);
            if (setting == NULL)
                break;
            found = true;
            status = read(text, setting, file, error);
            free(setting);
        }
        free(line);
    }
    if (status != RB_OK || found)
        return status;
    text->line = 0;
    return rules_complain(text, error, "no line sets %s", variable);
}

bool rules_has_word(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length < size; i++)
        if (memcmp(text + i, word, length) == 0)
            return true;
    return false;
}

static const struct rules_format *format_of(const char *text, size_t size)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->is_mine(text, size))
            return formats[i];
    return NULL;
}

int rules_parse(const char *name, const char *text, size_t size, const struct rules_format *format,
                struct rules_file **file, struct sup_error *error)
{
    *file = NULL;
    if (format == NULL)
        format = format_of(text, size);
    if (format == NULL)
        return sup_fail(error, RB_EINVAL, "%s: no file of rules that is known", name);
    struct rules_text at = {.name = name, .at = text, .end = text + size, .line = 1};
    struct rules_file *made = sup_calloc(1, sizeof *made);
    made->format = format;
    const int status = format->parse(&at, made, error);
    if (status != RB_OK)
        rules_file_free(made);
    else
        *file = made;
    return status;
}

int rules_slurp(const char *path, size_t most, char **text, size_t *size, struct sup_error *error)
{
    FILE *stream = sup_got(fopen(path, "rb"));
    if (stream == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    int status = RB_OK;
    *text = NULL;
    *size = 0;
    for (size_t room = 1 << 16; *size <= most; room *= 2) {
        *text = sup_realloc(*text, room);
        *size += fread(*text + *size, 1, room - *size, stream);
        if (*size < room)
            break;
    }
    if (ferror(stream))
        status = sup_fail(error, RB_EIO, "%s: %s", path, strerror(errno));
    else if (*size > most)
        status = sup_fail(error, RB_EINVAL, "%s: longer than %zu bytes", path, most);
    fclose(stream);
    return status;
}

int rules_read(const char *path, const struct rules_format *format, struct rules_file **file,
               struct sup_error *error)
{
    char *text = NULL;
    size_t size;
    *file = NULL;
    int status = rules_slurp(path, MOST_BYTES, &text, &size, error);
    if (status == RB_OK)
        status = rules_parse(path, text, size, format, file, error);
    free(text);
    return status;
}

void rules_file_free(struct rules_file *file)
{
    if (file == NULL)
        return;
    json_decref(file->tree);
    free(file->line);
    free(file);
}

const struct rules_format *rules_file_format(const struct rules_file *file)
{
    return file->format;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

static int32_t ppn_of(const struct rules_query *query)
{
    return query->ppn < 1 ? 1 : query->ppn;
}

static bool has_nodes(const struct rules_line *line, const struct rules_query *query)
{
    const int64_t nodes = (query->p - 1) / ppn_of(query) + 1;
    return line->nodes_high == 0 || (nodes >= line->nodes_low && nodes <= line->nodes_high);
}

static bool is_on(enum rules_nodes nodes, const struct rules_query *query)
{
    const int32_t ppn = ppn_of(query);
    switch (nodes) {
    case RULES_ONE_PER_NODE:
        return ppn == 1;
    case RULES_SINGLE_NODE:
        return query->p <= ppn;
    case RULES_ANY_NODES:
        break;
    }
    return true;
}

static void answer_by(const struct rules_line *line, struct rules_answer *answer)
{
    snprintf(answer->name, sizeof answer->name, "%s", line->name);
    answer->row = line->rule.row;
    answer->radix = line->rule.radix;
    answer->segment_bytes = line->rule.segment_bytes;
    answer->low = line->rule.low;
    answer->high = line->rule.high;
}

static bool look_up_line(const struct rules_file *file, const struct rules_query *query,
                         const struct rules_call *call, int64_t size, struct rules_answer *answer)
{
    const struct rules_line *group = NULL;
    for (size_t k = 0; k < file->count; k++) {
        const struct rules_line *line =
            &file->line[file->format->last_wins ? file->count - 1 - k : k];
        if (line->call != call || query->p < line->rule.p_low || query->p > line->rule.p_high ||
            !is_on(line->rule.nodes, query) || !has_nodes(line, query))
            continue;
        if (group == NULL)
            group = line;
        if (line->group != group->group || size < line->rule.low || size > line->rule.high)
            continue;
        answer_by(line, answer);
        /* A library that can't obey such a line chooses by itself. */
        return line->name[0] != '\0' && (line->rule.row == NULL || ppn_of(query) == 1 ||
                                         line->rule.row->ranks != MPILIB_ONE_PER_NODE);
    }
    return false;
}

bool rules_look_up(const struct rules_file *file, const struct rules_query *query,
                   struct rules_answer *answer)
{
    const struct rules_format *format = file->format;
    const struct rules_call *call = query->call != NULL ? rules_call_named(format, query->call)
                                                        : call_of(format, query->collective);
    *answer = (struct rules_answer){.high = INT64_MAX};
    if (call == NULL || query->p < 1)
        return false;
    const int64_t size = rules_size_of(call, query->p, query->m_bytes);
    return format->look_up != NULL ? format->look_up(file, query, call, size, answer)
                                   : look_up_line(file, query, call, size, answer);
}

/* ---- Writing --------------------------------------------------------------------------------- */

size_t rules_call_end(const struct rules_table *table, size_t from)
{
    size_t end = from + 1;
    while (end < table->count && table->rule[end].call == table->rule[from].call)
        end++;
    return end;
}

size_t rules_ranks_end(const struct rules_table *table, size_t from)
{
    const struct rules_rule *first = &table->rule[from];
    size_t end = from + 1;
    while (end < table->count && table->rule[end].call == first->call &&
           table->rule[end].nodes == first->nodes && table->rule[end].p_low == first->p_low)
        end++;
    return end;
}

/* A text from outside becomes no second line of the file. */
static void write_line(const char *comment, const char *line, FILE *stream)
{
    fputs(comment, stream);
    for (; *line != '\0'; line++)
        fputc((unsigned char)*line < ' ' || *line == 0x7f ? '?' : *line, stream);
    fputc('\n', stream);
}

void rules_write_head(const struct rules_table *table, const struct rules_head *head,
                      const char *comment, FILE *stream)
{
    char line[700];
    char more[40] = "";
    if (head->more > 0)
        snprintf(more, sizeof more, " and %d more file%s", head->more, head->more == 1 ? "" : "s");
    snprintf(line, sizeof line, "%s. Made of the times in %.400s%s.", table->format->title,
             head->source, more);
    write_line(comment, line, stream);
    struct rules_notes notes;
    rules_notes(table, &notes);
    for (size_t i = 0; i < notes.count; i++)
        write_line(comment, notes.line[i], stream);
}

const char *rules_comment(const struct rules_rule *rule, char *text, size_t size)
{
    snprintf(text, size, "%s", rule->row == NULL ? "the library's own choice" : rule->row->name);
    if (rule->row != NULL && rule->gain == rule->gain)
        sup_append(text, size, ": ",
                   rule->gain < 0.0005 ? "as fast as the next best"
                                       : "%.1f %% less time than the next best",
                   100 * rule->gain / (1 + rule->gain));
    return text;
}

/* The segment sizes that the rules would like, where one variable has that of all calls. */
static bool note_variable(const struct rules_table *table, char note[RULES_NOTE])
{
    int64_t least = INT64_MAX, most = 0;
    const char *variable = NULL;
    double logs = 0;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct rules_rule *rule = &table->rule[i];
        if (rule->row == NULL || rule->row->variable == NULL || rule->segment_bytes == 0)
            continue;
        variable = rule->row->variable;
        least = rule->segment_bytes < least ? rule->segment_bytes : least;
        most = rule->segment_bytes > most ? rule->segment_bytes : most;
        logs += log((double)rule->segment_bytes);
        count++;
    }
    if (count > 0)
        snprintf(note, RULES_NOTE,
                 "one variable has the segment size of all rules by this algorithm, which would "
                 "like %" PRId64 " to %" PRId64 " bytes: set %s=%.0f",
                 least, most, variable, exp(logs / (double)count));
    return count > 0;
}

static double worst_loss(const struct rules_table *table)
{
    double worst = 0;
    for (size_t i = 0; i < table->count; i++)
        worst = fmax(worst, table->rule[i].worst_loss);
    return worst;
}

/* The calls whose rules hold where nothing was looked at. */
static bool note_unlimited(const struct rules_table *table, char note[RULES_NOTE])
{
    *note = '\0';
    for (size_t i = 0, end; i < table->count; i = end) {
        bool unlimited = false;
        end = rules_call_end(table, i);
        for (size_t k = i; k < end; k++)
            unlimited = unlimited ||
                        (table->rule[k].row != NULL &&
                         (table->rule[k].high == INT64_MAX || table->rule[k].p_high == INT32_MAX));
        if (unlimited && strlen(note) < RULES_NOTE / 2)
            sup_append(note, RULES_NOTE, ", ", "%s%s",
                       *note == '\0' ? "warning: the format can't limit the rules of " : "",
                       table->rule[i].call->call);
    }
    if (*note != '\0')
        sup_append(note, RULES_NOTE, " ", "to what was looked at: they hold for other %s, too",
                   table->format->one_choice ? "p and sizes" : "sizes");
    return *note != '\0';
}

void rules_notes(const struct rules_table *table, struct rules_notes *notes)
{
    const size_t served = table->points - table->without;
    size_t choices = 0, count = 0;
    for (size_t i = 0; i < table->count; i++)
        choices += table->rule[i].row != NULL;
    int length = snprintf(notes->line[count++], RULES_NOTE, "%zu rule%s from %zu point%s (p, m)",
                          choices, choices == 1 ? "" : "s", served, served == 1 ? "" : "s");
    notes->claim = (size_t)length;
    if (table->lacking_worst >= 0.0005)
        snprintf(notes->line[0] + length, RULES_NOTE - (size_t)length,
                 ": they are %.1f %% slower than the fastest algorithms in the mean, %.1f %% at "
                 "worst",
                 100 * table->lacking_mean, 100 * table->lacking_worst);
    if (!table->everywhere && !table->format->one_choice)
        snprintf(notes->line[count++], RULES_NOTE,
                 "the rules hold from half the least to twice the largest p and size that was "
                 "looked at; elsewhere the library chooses by itself (--everywhere: the nearest "
                 "rule)");
    if (!table->everywhere && note_unlimited(table, notes->line[count]))
        count++;
    if (table->lacking_wins > 0)
        snprintf(notes->line[count++], RULES_NOTE,
                 "at %zu of these points the library lacks the fastest algorithm: %s",
                 table->lacking_wins, table->lacking);
    if (table->without > 0)
        snprintf(notes->line[count++], RULES_NOTE,
                 "the library has none of the algorithms of %zu more points; there it chooses by "
                 "itself",
                 table->without);
    if (worst_loss(table) > 0.0005)
        snprintf(notes->line[count++], RULES_NOTE,
                 "one rule for several sizes costs a call at most %.1f %%",
                 100 * worst_loss(table));
    if (note_variable(table, notes->line[count]))
        count++;
    notes->count = count;
}

int rules_write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                struct sup_error *error)
{
    return table->format->write(table, head, stream, error);
}

int rules_make(const struct rules_request *request, const struct rules_candidate *candidates,
               size_t count, const struct rules_head *head, FILE *stream, struct rules_notes *notes,
               struct sup_error *error)
{
    struct rules_table table;
    notes->count = 0;
    int status = rules_build(request, candidates, count, &table, error);
    if (status == RB_OK) {
        rules_notes(&table, notes);
        status = rules_write(&table, head, stream, error);
    }
    rules_table_free(&table);
    return status;
}

void rules_table_free(struct rules_table *table)
{
    free(table->rule);
    *table = (struct rules_table){0};
}
