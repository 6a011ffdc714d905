/* rows.c - sets of rows: reading files into them, and their systems (rows.h). */
#include "experiments/rows/rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

static const struct rows_format *const formats[] = {
#define ROWS_FORMAT(name) &name,
#include "experiments/rows/list.h"
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- Lines ----------------------------------------------------------------------------------- */

int rows_wrong(const struct rows_file *file, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return sup_fail(file->error, RB_EINVAL, "%.100s:%" PRId32 ": %s", file->lines.path,
                    file->lines.at, text);
}

bool rows_next_line(struct rows_file *file)
{
    while (file->status == RB_OK && file->line_next < file->line_count) {
        file->lines.line = file->line[file->line_next].text;
        file->lines.at = file->line[file->line_next++].number;
        if (!rows_is_remark(file)) {
            rows_read_command(file->lines.line, "osu_", &file->command);
            return true;
        }
        file->status = rows_read_remark(file);
    }
    return false;
}

bool rows_recognises(const char *line)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->recognises(line))
            return true;
    return false;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Finds the first line that a format recognises, and reads from there. */
static int read_text(struct rows_file *file)
{
    while (rows_next_line(file))
        for (int i = 0; i < FORMATS; i++)
            if (formats[i]->recognises(file->lines.line))
                return formats[i]->read(file);
    if (file->status != RB_OK)
        return file->status;
    return sup_fail(file->error, RB_EINVAL,
                    "%s: no measurements found: expected a CSV header (collective, algorithm, "
                    "bytes, p or nodes, median_s, ...) or the output of OSU or Intel MPI "
                    "benchmarks, nccl-tests, NCCL's inspector or its tuning table",
                    file->lines.path);
}

int rows_read(struct rows_set *set, const char *path, const struct rows_defaults *defaults,
              struct sup_error *error)
{
    struct rows_file file = {.set = set,
                             .defaults = defaults,
                             .options = {.system = defaults->system,
                                         .library = defaults->library,
                                         .name = defaults->algorithm,
                                         .p = defaults->p,
                                         .ranks_per_node = defaults->ranks_per_node},
                             .number = set->files,
                             .error = error};
    file.said = file.options;
    int status = sup_lines_read(&file.lines, path, error);
    if (status == RB_OK) {
        rows_cut_lines(&file);
        sup_grow(&set->file, (size_t)set->files, sizeof *set->file);
        set->file[set->files++] = rows_texts_keep(&set->texts, path);
        status = read_text(&file);
        status = status == RB_OK ? file.status : status;
    }
    rows_free_lines(&file);
    return status;
}

bool rows_is_file(const char *path)
{
    enum { LINES = 200, LONGEST = 8192 };
    char line[LONGEST];
    bool found = false;
    struct stat file; /* a pipe can be read only once */
    FILE *stream =
        stat(path, &file) == 0 && S_ISREG(file.st_mode) ? sup_got(fopen(path, "rb")) : NULL;
    for (int i = 0; stream != NULL && !found && i < LINES && fgets(line, sizeof line, stream);
         i++) {
        line[strcspn(line, "\r\n")] = '\0';
        const char *text = strncmp(line, "\xef\xbb\xbf", 3) == 0 ? line + 3 : line;
        found = rows_is_heading(text);
    }
    if (stream != NULL)
        fclose(stream);
    return found;
}

void rows_free(struct rows_set *set)
{
    free(set->row);
    free(set->file);
    free(set->seen.of);
    free(set->found);
    rows_texts_free(set->texts);
    *set = (struct rows_set){0};
}

int64_t rows_blocks(const struct rows_row *row)
{
    if (row->n > 0)
        return row->n;
    if (row->segment_bytes <= 0 || row->bytes <= row->segment_bytes)
        return 1;
    return (row->bytes - 1) / row->segment_bytes + 1;
}

/* ---- What is left out ------------------------------------------------------------------------ */

/* Behind "N rows". */
static const char *const reasons[ROWS_REASONS] = {
    [ROWS_NO_COLLECTIVE] = "of tests that are no collectives",
    [ROWS_OVERLAPPED] = "of non-blocking collectives, which have other algorithms",
    [ROWS_UNKNOWN] = "of unknown collectives",
    [ROWS_IRREGULAR] = "of ranks whose counts differ",
    [ROWS_IN_GROUPS] = "of tests that several groups of ranks ran at a time",
    [ROWS_NOT_MEASURED] = "that the benchmark did not measure",
    [ROWS_NOT_TIMED] = "without a time",
    [ROWS_FAILED] = "whose validation failed",
    [ROWS_TORN] = "with more or fewer values than the heading has columns",
    [ROWS_REPEATED] = "that repeat others",
};

void rows_leave(struct rows_file *file, enum rows_left reason, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%.60s", what == NULL ? "" : what);
    out_leave_out(&file->set->left[reason], 1, name);
}

static char *say_prefix(const struct rows_set *set)
{
    if (set->labels < 2)
        return sup_format("the launcher's prefix, such as \"%s\", was taken off %" PRId64 " line%s",
                          set->prefix, set->prefixed, sup_plural(set->prefixed));
    return sup_format("the launcher's prefix, such as \"%s\", was taken off %" PRId64
                      " lines; the output of %" PRId32 " labels is told apart",
                      set->prefix, set->prefixed, set->labels);
}

char *rows_note(const struct rows_set *set, int i)
{
    if (set->prefix != NULL && i-- == 0)
        return say_prefix(set);
    for (int reason = 0; reason < ROWS_REASONS; reason++)
        if (set->left[reason].count > 0 && i-- == 0) {
            char *left = out_left_out_text(&set->left[reason], 0, "row", reasons[reason]);
            char *note =
                sup_format("%s %s left out", left, set->left[reason].count == 1 ? "is" : "are");
            free(left);
            return note;
        }
    if (set->assumed > 0 && i == 0)
        return sup_format("%" PRId64 " rows that name no algorithm are taken for the library's own "
                          "choice",
                          set->assumed);
    return NULL;
}

int rows_need_some(const struct rows_set *set, struct sup_error *error)
{
    char *all = sup_format("%s", "");
    if (set->count > 0) {
        free(all);
        return RB_OK;
    }
    for (int reason = 0; reason < ROWS_REASONS; reason++) {
        if (set->left[reason].count == 0)
            continue;
        char *left = out_left_out_text(&set->left[reason], 0, "row", reasons[reason]);
        char *before = all;
        all = sup_format("%s%s%s", before, *before == '\0' ? "" : "; ", left);
        free(before);
        free(left);
    }
    sup_fail(error, RB_EINVAL, "%s: no row can be used: it has %s",
             set->files == 0 ? "-" : set->file[0], *all == '\0' ? "a heading and no rows" : all);
    free(all);
    return RB_EINVAL;
}

/* ---- Systems --------------------------------------------------------------------------------- */

bool rows_same_text(const char *a, const char *b, bool prefix)
{
    for (;; a++, b++) {
        a += strspn(a, "_- ");
        b += strspn(b, "_- ");
        if (*a == '\0' || tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return *a == '\0' && (prefix || *b == '\0');
    }
}

int rows_system(const struct rows_set *set, const char *text, const char **system,
                struct sup_error *error)
{
    char known[300] = "";
    const char *begins = NULL, *before = NULL;
    bool several = false;
    for (size_t i = 0; i < set->count; i++) {
        const char *here = set->row[i].system;
        if (here == before)
            continue;
        before = here;
        if (rows_same_text(text, here, false)) {
            *system = here;
            return RB_OK;
        }
        if (rows_same_text(text, here, true)) {
            several = several || (begins != NULL && begins != here);
            begins = here;
        }
        bool listed = false;
        for (size_t k = 0; k < i && !listed; k++)
            listed = set->row[k].system == here;
        if (!listed)
            sup_append(known, sizeof known, ", ", "%.40s", here);
    }
    *system = begins;
    if (begins != NULL && !several)
        return RB_OK;
    return sup_fail(error, RB_EINVAL, "\"%.60s\" %s: the systems of these rows are %s", text,
                    several ? "begins several names" : "is no system of these rows",
                    known[0] == '\0' ? "none" : known);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Of "default_ompi" the mark is "_ompi", at the end of names; of "default-default" it is
 * "default-", at their beginning. */
bool rows_is_of_library(const char *decision, const char *choice)
{
    static const char word[] = "default";
    const size_t length = strlen(word);
    if (strncmp(decision, word, length) != 0 || decision[length] == '\0')
        return true;
    const char *rest = decision + length;
    if (strcmp(rest + 1, word) == 0)
        return strncmp(choice, decision, length + 1) == 0;
    return sup_ends_in(choice, rest);
}

const struct rows_row *rows_mark(const struct rows_row *const row[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (row[i]->own_choice && strcmp(row[i]->name, "default") != 0)
            return row[i];
    return NULL;
}
