/* launcher.c - a file's lines without what a launcher, a terminal or a mail put into them
 * (format.h).
 *
 *   Wed May 16 10:17:50 2018[1,0]<stdout>:# OSU MPI Allreduce ...   mpirun --timestamp-output
 *   0: # OSU MPI ...            [0] # OSU MPI ...            node01: # OSU MPI ...
 *
 * A prefix is what stands before the first heading of a format: times of day and what stands about
 * them, or a label that ends in a sign. Lines with a prefix of this shape lose it. Each label is
 * one rank's or stream's output, which is read as a whole, and a line that runs into the next one's
 * prefix is cut there. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_PARTS = 9, PART = 80, CSV_WITHIN = 200 /* lines a heading that no sign begins */ };

/* A prefix: texts, and times of day, which are empty texts. */
struct prefix {
    char part[MOST_PARTS][PART];
    int count;
};

/* ---- Times of day ---------------------------------------------------------------------------- */

/* 9 is a figure, _ a figure or a blank, a letter a letter; other signs are themselves. */
static const char *const stamps[] = {"Www Mmm _9 99:99:99 9999",
                                     "Www Mmm _9 99:99:99",
                                     "Mmm _9 99:99:99",
                                     "9999-99-99T99:99:99",
                                     "9999-99-99 99:99:99",
                                     "9999/99/99 99:99:99",
                                     "99/99/99 99:99:99",
                                     "99:99:99",
                                     "9999999999.999"};

static bool is_like(char form, char sign)
{
    const bool figure = isdigit((unsigned char)sign);
    return form == '9'                                        ? figure
           : form == '_'                                      ? figure || sign == ' '
           : isalpha((unsigned char)form) != 0 && form != 'T' ? isalpha((unsigned char)sign) != 0
                                                              : form == sign;
}

/* Behind the seconds: a fraction, and a zone. */
static size_t rest_of_stamp(const char *text)
{
    static const char figures[] = "0123456789";
    size_t length = 0;
    if ((*text == '.' || *text == ',') && isdigit((unsigned char)text[1]))
        length = 1 + strspn(text + 1, figures);
    if (text[length] == 'Z')
        return length + 1;
    if ((text[length] == '+' || text[length] == '-') && isdigit((unsigned char)text[length + 1]))
        length += 1 + strspn(text + length + 1, "0123456789:");
    return length;
}

/* The length of a time of day at the beginning of a text; 0: there is none. */
static size_t stamp_at(const char *text)
{
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++) {
        size_t k = 0;
        while (stamps[i][k] != '\0' && text[k] != '\0' && is_like(stamps[i][k], text[k]))
            k++;
        if (stamps[i][k] == '\0')
            return k + rest_of_stamp(text + k);
    }
    return 0;
}

/* ---- Prefixes -------------------------------------------------------------------------------- */

static bool is_word(char sign)
{
    return isalnum((unsigned char)sign) || (sign != '\0' && strchr("_-./@+", sign) != NULL);
}

static const char ends[] = ":]>|)}"; /* of labels */

/* Divides what stands before a heading; false: it is no prefix. */
static bool divide(const char *text, size_t length, struct prefix *prefix)
{
    const char *end = text + length;
    size_t used = 0;
    *prefix = (struct prefix){.count = 1};
    for (size_t step; text < end; text += step) {
        step = stamp_at(text);
        if (prefix->count + 2 > MOST_PARTS || used + 1 == PART)
            return false;
        if (step > 0) {
            prefix->count += 2;
            used = 0;
        } else {
            prefix->part[prefix->count - 1][used++] = *text;
            step = 1;
        }
    }
    const char *last = prefix->part[prefix->count - 1];
    while (used > 0 && isspace((unsigned char)last[used - 1]))
        used--;
    return prefix->count > 1 || (used > 0 && strchr(ends, last[used - 1]) != NULL);
}

/* How long a text is that is like a part of a prefix: it has words and blanks where that has some,
 * and else the same signs. -1: it is not. */
static long match_part(const char *part, const char *text)
{
    const char *begin = text;
    while (*part != '\0') {
        if (isspace((unsigned char)*part)) {
            part += strspn(part, " \t");
            text += strspn(text, " \t");
        } else if (is_word(*part)) {
            if (!is_word(*text))
                return -1;
            while (is_word(*part))
                part++;
            while (is_word(*text))
                text++;
        } else if (*part++ != *text++) {
            return -1;
        }
    }
    return text - begin;
}

/* The length of the prefix of a text, and what it says where `prefix` has words; 0: it has none. */
static size_t match(const struct prefix *prefix, const char *text, struct prefix *found)
{
    const char *at = text;
    found->count = prefix->count;
    for (int i = 0; i < prefix->count; i++) {
        const long length = i % 2 == 1 ? (long)stamp_at(at) : match_part(prefix->part[i], at);
        if (length < 0 || length >= PART || (i % 2 == 1 && length == 0))
            return 0;
        snprintf(found->part[i], PART, "%.*s", i % 2 == 1 ? 0 : (int)length, at);
        at += length;
    }
    return (size_t)(at - text);
}

/* What is not a time: "[1,0]<stdout>:". */
static const char *label_of(struct rows_file *file, const struct prefix *prefix)
{
    char label[MOST_PARTS * PART] = "";
    size_t used = 0;
    for (int i = 0; i < prefix->count; i += 2)
        for (const char *at = prefix->part[i]; *at != '\0'; at++)
            if (!isspace((unsigned char)*at))
                label[used++] = *at;
    label[used] = '\0';
    return rows_texts_keep(&file->set->texts, label);
}

/* The heading of a format in a line, `csv`: also of one that no sign begins; NULL: it has none. */
static const char *heading_in(const char *line, bool csv)
{
    for (const char *at = strpbrk(line, "#{"); at != NULL; at = strpbrk(at + 1, "#{"))
        if (rows_recognises(at))
            return at;
    /* The prefix spoils the first column's name. */
    for (const char *at = line; csv && *at != '\0'; at++)
        if (at > line && (isspace((unsigned char)at[-1]) || strchr(ends, at[-1]) != NULL) &&
            rows_recognises(at) && rows_csv_columns(at) > rows_csv_columns(line))
            return at + strspn(at, " \t");
    return NULL;
}

/* True if a prefix stands before the heading of a format. */
static bool find_prefix(const char *line, bool csv, struct prefix *prefix)
{
    const char *heading = heading_in(line, csv);
    line += strspn(line, " \t");
    return heading != NULL && heading > line && divide(line, (size_t)(heading - line), prefix);
}

bool rows_is_heading(const char *line)
{
    struct prefix prefix;
    return rows_recognises(line) || find_prefix(line, true, &prefix);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Takes colours and other orders to a terminal out of a line, and blanks that are no ASCII. */
static void clean(char *line)
{
    char *to = line;
    for (const char *from = line; *from != '\0';) {
        if (from[0] == '\x1b' && from[1] == '[') {
            from += 2 + strspn(from + 2, "0123456789;?");
            from += *from != '\0';
        } else if (strncmp(from, "\xc2\xa0", 2) == 0) {
            *to++ = ' ';
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    while (to > line && to[-1] == '\r')
        to--;
    *to = '\0';
}

static void append(struct rows_file *file, char *text, const char *label)
{
    sup_grow(&file->line, file->line_count, sizeof *file->line);
    file->line[file->line_count] = (struct rows_line){
        .text = text, .label = label, .number = file->lines.at, .place = file->line_count};
    file->line_count++;
}

/* Cuts a line where the prefix stands again, or a heading: the end of a line was lost. What is no
 * time and no tag must be the line's own, as "(3) " is not "(us)". */
static void append_pieces(struct rows_file *file, const struct prefix *prefix,
                          const struct prefix *own, char *text, const char *label)
{
    const bool certain = prefix->count > 1 || strchr(prefix->part[0], '<') != NULL;
    struct prefix found;
    append(file, text, label);
    for (char *at = text + 1; *text != '\0' && *at != '\0'; at++) {
        if (isspace((unsigned char)at[-1]))
            continue;
        const size_t length = own == NULL ? 0 : match(prefix, at, &found);
        if (length > 0 && (certain || label_of(file, &found) == label)) {
            *at = '\0';
            at += length - 1;
            append(file, at + 1, label_of(file, &found));
        } else if (*at == '#' && isdigit((unsigned char)at[-1]) && rows_recognises(at)) {
            char *heading = sup_format("%s", at);
            *at = '\0';
            append(file, heading, label);
            file->line[file->line_count - 1].owned = true;
            return;
        }
    }
}

static void append_line(struct rows_file *file, const struct prefix *prefix, char *text)
{
    struct prefix own;
    const size_t blanks = strspn(text, " \t");
    const size_t length = prefix->count == 0 ? 0 : match(prefix, text + blanks, &own);
    if (length == 0) {
        append_pieces(file, prefix, NULL, text, NULL);
        return;
    }
    file->set->prefixed++;
    append_pieces(file, prefix, &own, text + blanks + length, label_of(file, &own));
}

SUP_COMPARE(by_label, struct rows_line, SUP_ORDER((uintptr_t)a->label, (uintptr_t)b->label),
            SUP_ORDER(a->place, b->place));

SUP_COMPARE(by_stream, struct rows_line, SUP_ORDER(a->stream, b->stream),
            SUP_ORDER(a->place, b->place));

/* Puts the lines of each label together, in the order of their first ones. A line without a label
 * stays before the next one that has one. Returns how many labels there are. */
static int32_t sort_labels(struct rows_line *line, size_t count)
{
    const char *next = NULL;
    size_t first = 0;
    int32_t labels = 0;
    for (size_t i = count; i-- > 0;) {
        if (line[i].label == NULL)
            line[i].label = next;
        next = line[i].label;
    }
    qsort(line, count, sizeof *line, by_label);
    for (size_t i = 0; i < count; i++) {
        const bool begins = i == 0 || line[i].label != line[i - 1].label;
        first = begins ? line[i].place : first;
        labels += begins && line[i].label != NULL;
        line[i].stream = first;
    }
    qsort(line, count, sizeof *line, by_stream);
    return labels;
}

void rows_cut_lines(struct rows_file *file)
{
    struct rows_set *set = file->set;
    struct prefix prefix = {.count = 0};
    while (sup_lines_next(&file->lines)) {
        clean(file->lines.line);
        append(file, file->lines.line, NULL);
    }
    const size_t count = file->line_count;
    for (size_t i = 0; i < count && prefix.count == 0; i++)
        if (!find_prefix(file->line[i].text, i < CSV_WITHIN, &prefix))
            prefix.count = 0;
    struct rows_line *line = file->line;
    file->line = NULL;
    file->line_count = 0;
    for (size_t i = 0; i < count; i++) {
        file->lines.at = line[i].number;
        append_line(file, &prefix, line[i].text);
    }
    free(line);
    if (prefix.count == 0)
        return;
    set->prefix = label_of(file, &prefix);
    const int32_t labels = sort_labels(file->line, file->line_count);
    set->labels = labels > set->labels ? labels : set->labels;
}

void rows_free_lines(struct rows_file *file)
{
    for (size_t i = 0; i < file->line_count; i++)
        if (file->line[i].owned)
            free(file->line[i].text);
    free(file->line);
    free(file->lines.text);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The options of launchers that say how many ranks there are; "-N" only of srun. */
static const struct {
    const char *name;
    size_t at; /* in a command */
} options[] = {{"-n", offsetof(struct rows_command, p)},
               {"-np", offsetof(struct rows_command, p)},
               {"--np", offsetof(struct rows_command, p)},
               {"--ntasks", offsetof(struct rows_command, p)},
               {"-N", offsetof(struct rows_command, nodes)},
               {"--nodes", offsetof(struct rows_command, nodes)},
               {"-ppn", offsetof(struct rows_command, ranks_per_node)},
               {"--ppn", offsetof(struct rows_command, ranks_per_node)},
               {"-perhost", offsetof(struct rows_command, ranks_per_node)},
               {"-npernode", offsetof(struct rows_command, ranks_per_node)},
               {"--npernode", offsetof(struct rows_command, ranks_per_node)},
               {"--ntasks-per-node", offsetof(struct rows_command, ranks_per_node)}};

static bool is_launcher(const char *word, bool *srun)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prun", "srun"};
    word = sup_base_name(word);
    *srun = strcmp(word, "srun") == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void read_option(const char *word, const char *next, bool srun, struct rows_command *command)
{
    const size_t length = strcspn(word, "=");
    const char *value = word[length] == '=' ? word + length + 1 : next;
    const char *pernode = strncmp(word, "ppr:", 4) == 0 ? strstr(word, ":node") : NULL;
    char number[16];
    if (pernode != NULL) {
        snprintf(number, sizeof number, "%.*s", (int)(pernode - word - 4), word + 4);
        sup_parse_int(number, 1, RB_MAX_RANKS, &command->ranks_per_node, NULL);
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strncmp(word, options[i].name, length) == 0 && options[i].name[length] == '\0' &&
            (srun || strcmp(options[i].name, "-N") != 0) && value != NULL)
            sup_parse_int(value, 1, RB_MAX_RANKS, (int64_t *)((char *)command + options[i].at),
                          NULL);
}

void rows_read_command(const char *line, const char *program, struct rows_command *command)
{
    enum { MOST_WORDS = 100, WORD = 80 };
    char word[2][WORD];
    bool launched = false, srun = false;
    if (strstr(line, program) == NULL)
        return;
    for (int i = 0; i < MOST_WORDS && strncmp(line, program, strlen(program)) != 0; i++) {
        const size_t blanks = strspn(line, " \t"), length = strcspn(line + blanks, " \t");
        const char *next = line + blanks + length + strspn(line + blanks + length, " \t");
        snprintf(word[0], WORD, "%.*s", (int)(length < WORD ? length : WORD - 1), line + blanks);
        snprintf(word[1], WORD, "%.*s",
                 (int)(strcspn(next, " \t") < WORD ? strcspn(next, " \t") : 0), next);
        line = next;
        if (length == 0 || (launched && strstr(word[0], program) != NULL))
            return;
        if (launched)
            read_option(word[0], word[1], srun, command);
        else if ((launched = is_launcher(word[0], &srun)))
            *command = (struct rows_command){0};
    }
}
