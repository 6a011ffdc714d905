#include "support/csv.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

/* Reads the whole stream, and adds a zero byte. Stops at a zero byte in the stream: no text has
 * one, and devices may have them without end. */
static char *read_all(FILE *stream, size_t *size)
{
    size_t room = 1 << 16;
    char *text = sup_malloc(room);
    for (*size = 0;; room *= 2, text = sup_realloc(text, room)) {
        const size_t got = fread(text + *size, 1, room - 1 - *size, stream);
        const bool is_text = memchr(text + *size, '\0', got) == NULL;
        *size += got;
        if (*size < room - 1 || !is_text)
            break;
    }
    text[*size] = '\0';
    return text;
}

int sup_lines_read(struct sup_lines *lines, const char *path, struct sup_error *error)
{
    static const char order_mark[] = "\xef\xbb\xbf";
    const bool standard = strcmp(path, "-") == 0;
    size_t size;
    errno = 0;
    FILE *stream = standard ? stdin : sup_got(fopen(path, "rb"));
    *lines = (struct sup_lines){.path = path};
    if (stream == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    lines->text = read_all(stream, &size);
    int status = RB_OK;
    if (ferror(stream))
        status =
            sup_fail(error, errno == EISDIR ? RB_EINVAL : RB_EIO, "%s: %s", path, strerror(errno));
    if (!standard)
        fclose(stream);
    if (status != RB_OK)
        return status;
    const size_t length = strlen(lines->text);
    if (length < size) {
        const bool results = strcmp(lines->text, "SQLite format 3") == 0;
        int line = 1;
        for (size_t i = 0; i < length; i++)
            line += lines->text[i] == '\n';
        return sup_fail(error, RB_EINVAL, "%.100s:%d: a zero byte: this is no text file%s", path,
                        line, results ? " but a sweep's results: see roundabout tune --help" : "");
    }
    const bool marked = strncmp(lines->text, order_mark, sizeof order_mark - 1) == 0;
    lines->next = marked ? lines->text + sizeof order_mark - 1 : lines->text;
    return RB_OK;
}

bool sup_lines_next(struct sup_lines *lines)
{
    if (lines->next == NULL || *lines->next == '\0')
        return false;
    lines->line = lines->next;
    lines->at++;
    char *end = strchr(lines->line, '\n');
    lines->next = end == NULL ? NULL : end + 1;
    if (end == NULL)
        end = lines->line + strlen(lines->line);
    *end = '\0';
    if (end > lines->line && end[-1] == '\r')
        end[-1] = '\0';
    return true;
}

char *sup_csv_value(char **rest, char separator)
{
    char *value = *rest + strspn(*rest, separator == '\t' ? " " : " \t");
    char *to = value, *from = value;
    const bool quoted = *from == '"';
    if (quoted)
        for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
            if (*from == '"')
                from++;
            *to++ = *from;
        }
    if (quoted && *from++ != '"')
        return NULL;
    while (!quoted && *from != '\0' && *from != separator)
        *to++ = *from++;
    if (quoted)
        from += strspn(from, separator == '\t' ? " " : " \t");
    if (*from != '\0' && *from != separator)
        return NULL;
    while (!quoted && to > value && isspace((unsigned char)to[-1]))
        to--;
    *rest = *from == '\0' ? NULL : from + 1;
    *to = '\0';
    return value;
}

int32_t sup_csv_split(char *line, char separator, char *value[], int32_t most)
{
    int32_t count = 0;
    for (char *rest = line; rest != NULL; count++) {
        if (count == most)
            return most + 1;
        value[count] = sup_csv_value(&rest, separator);
        if (value[count] == NULL)
            return -(count + 1);
    }
    return count;
}

/* `known` has the ranks that came before; NULL: they may come again. */
static int take_ranks(struct sup_lines *lines, const struct sup_rank_lines *of, bool known[],
                      struct sup_error *error)
{
    enum { MOST = 3 };
    char *value[MOST];
    int32_t rank[2] = {0};
    const int32_t columns = strchr(of->columns, ',') == strrchr(of->columns, ',') ? 2 : 3;
    const int32_t count = sup_csv_split(lines->line, ',', value, MOST);
    for (int32_t i = 0; i < count && i + 1 < columns; i++) {
        int64_t number;
        if (sup_parse_int(value[i], 0, INT64_MAX, &number, error) != RB_OK)
            return lines->at == 1 ? RB_OK : RB_EINVAL; /* a heading */
        if (number >= of->ranks)
            return sup_fail(error, RB_EINVAL, "rank %" PRId64 " of %" PRId32, number, of->ranks);
        rank[i] = (int32_t)number;
    }
    if (count != columns)
        return sup_fail(error, RB_EINVAL, "%s is required here", of->columns);
    if (known != NULL && known[rank[0]])
        return sup_fail(error, RB_EINVAL, "rank %" PRId32 " is given twice", rank[0]);
    if (known != NULL)
        known[rank[0]] = true;
    return of->take(of->context, rank, value[columns - 1], error);
}

int sup_rank_lines_read(const char *path, const struct sup_rank_lines *of, uint64_t *hash,
                        struct sup_error *error)
{
    struct sup_lines lines = {0};
    struct sup_error why;
    bool *known = of->once ? sup_calloc((size_t)of->ranks, sizeof *known) : NULL;
    int status = sup_lines_read(&lines, path, error);
    if (status == RB_OK && hash != NULL)
        *hash = sup_hash_bytes(SUP_HASH_START, lines.text, strlen(lines.text));
    while (status == RB_OK && sup_lines_next(&lines))
        if (lines.line[strspn(lines.line, " \t\r")] != '\0' && lines.line[0] != '#' &&
            (status = take_ranks(&lines, of, known, &why)) != RB_OK)
            sup_fail(error, status, "%.300s:%" PRId32 ": %s", path, lines.at, why.text);
    free(known);
    free(lines.text);
    return status;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static const int64_t MOST_SUM = INT64_C(1) << 62;

/* Reads the number at *text, which is moved behind it. */
static int take_number(char **text, int64_t *value, struct sup_error *error)
{
    char *end = *text, word[48];
    *value = 0;
    while (*end >= '0' && *end <= '9' && end - *text < 18)
        *value = 10 * *value + (*end++ - '0');
    const size_t length = strcspn(*text, ",; \t");
    if (length == 0)
        return sup_fail(error, RB_EINVAL, "nothing, where a number is to be");
    if (end == *text + length) {
        *text = end;
        return RB_OK;
    }
    snprintf(word, sizeof word, "%.*s", (int)(length < 40 ? length : 40), *text);
    *text += length;
    return sup_parse_int(word, 0, MOST_SUM, value, error);
}

static int take_row(char *text, struct sup_matrix *matrix, int32_t *column, struct sup_error *error)
{
    const size_t before = (size_t)matrix->rows * (size_t)matrix->columns;
    for (*column = 1;; (*column)++) {
        int64_t value;
        text += strspn(text, " \t");
        const int status = take_number(&text, &value, error);
        if (status != RB_OK)
            return status;
        if (*column > (matrix->rows > 0 ? matrix->columns : 1 << 20))
            return sup_fail(error, RB_EINVAL, "one value more than in the lines before");
        if (value > MOST_SUM - matrix->sum)
            return sup_fail(error, RB_EINVAL, "with it all values add up to more than 2^62");
        matrix->sum += value;
        sup_grow(&matrix->value, before + (size_t)*column - 1, sizeof value);
        matrix->value[before + (size_t)*column - 1] = value;
        text += strspn(text, " \t");
        if (*text == '\0')
            break;
        text += *text == ',' || *text == ';';
    }
    if (matrix->rows > 0 && *column < matrix->columns)
        return sup_fail(error, RB_EINVAL, "the last value; the lines before have %" PRId32,
                        matrix->columns);
    matrix->columns = *column;
    matrix->rows++;
    return RB_OK;
}

int sup_matrix_read(const char *path, struct sup_matrix *matrix, struct sup_error *error)
{
    struct sup_lines lines;
    struct sup_error why;
    int32_t column;
    *matrix = (struct sup_matrix){0};
    int status = sup_lines_read(&lines, path, error);
    if (status == RB_OK)
        matrix->hash = sup_hash_bytes(SUP_HASH_START, lines.text, strlen(lines.text));
    while (status == RB_OK && sup_lines_next(&lines)) {
        if (lines.line[strspn(lines.line, " \t")] == '\0' || lines.line[0] == '#')
            continue;
        matrix->end = lines.at;
        status = take_row(lines.line, matrix, &column, &why);
        if (status != RB_OK)
            sup_fail(error, status, "%.300s:%" PRId32 ", column %" PRId32 ": %s", path, lines.at,
                     column, why.text);
    }
    if (status == RB_OK && matrix->sum == 0)
        status = sup_fail(error, RB_EINVAL, "%.300s: %s", path,
                          matrix->rows == 0 ? "no line with numbers" : "all values are 0");
    free(lines.text);
    return status;
}

int sup_check_hash(const char *path, uint64_t known, uint64_t found, struct sup_error *error)
{
    return known == found
               ? RB_OK
               : sup_fail(error, RB_EINVAL,
                          "%.300s: the file has changed: the hash of its content is %016" PRIx64
                          ", not %016" PRIx64,
                          path, found, known);
}
