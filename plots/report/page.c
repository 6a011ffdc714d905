#define _DEFAULT_SOURCE /* gethostname, gmtime_r */
#include "plots/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/table.h"
#include "support/process.h"

#define TEMPLATE "report.html"

/* Digits of reals: more than a reader can use, and less than half of the space of all 17. */
enum { DIGITS = 12, NONCE_BYTES = 16 };

struct page {
    FILE *stream;
    json_t *data;
    char nonce[2 * NONCE_BYTES + 1]; /* by which the browser knows the page's own scripts */
};

/* ---- Origin ---------------------------------------------------------------------------------- */

char *page_command(const char *verb, char *const words[])
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = sup_memory_open(&text, &size);
    fprintf(memory, "roundabout %s", verb);
    for (; *words != NULL; words++) {
        char *word = sup_shell_word(*words);
        fprintf(memory, " %s", word);
        free(word);
    }
    sup_memory_close(memory, &text);
    return text;
}

json_t *page_origin(const char *verb, char *const words[])
{
    char host[256] = "", when[32];
    struct tm utc;
    const time_t now = time(NULL);
    char *command = page_command(verb, words);
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    json_t *origin = json_pack("{s:s, s:o, s:o, s:s}", "version", cli_program_version, "command",
                               out_json_text(command), "host", out_json_text(host), "made", when);
    free(command);
    return origin;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* A file of this folder, as it is installed or in the source tree. */
static FILE *open_part(const char *name, struct sup_error *error)
{
    char path[SUP_PATH_SIZE], full[128];
    snprintf(full, sizeof full, "plots/report/%s", name);
    if (sup_data_path(path, sizeof path, full, error) != RB_OK)
        return NULL;
    FILE *file = sup_got(fopen(path, "r"));
    if (file == NULL)
        sup_fail(error, RB_EFAILED, "%s: cannot be read: %s", path, strerror(errno));
    return file;
}

static int copy_part(const struct page *page, const char *name, struct sup_error *error)
{
    char buffer[16384];
    size_t count;
    FILE *file = open_part(name, error);
    if (file == NULL)
        return RB_EFAILED;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0)
        fwrite(buffer, 1, count, page->stream);
    const bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? sup_fail(error, RB_EFAILED, "%s: cannot be read", name) : RB_OK;
}

/* JSON that can stand in HTML: nothing in it ends its element or begins a comment. */
static int write_safely(const char *text, size_t size, void *stream)
{
    for (size_t i = 0; i < size; i++)
        if (strchr("<>&", text[i]) != NULL && text[i] != '\0')
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)text[i]);
        else
            fputc(text[i], stream);
    return 0;
}

/* The name between a line's first `before` and the quotation mark behind it; false: it has none. */
static bool find_name(const char *line, const char *before, char *name, size_t size)
{
    const char *at = strstr(line, before);
    const char *end = at == NULL ? NULL : strchr(at + strlen(before), '"');
    if (end == NULL)
        return false;
    at += strlen(before);
    snprintf(name, size, "%.*s", (int)(end - at), at);
    return true;
}

/* A line of report.html; those that name other files become their contents. */
static int write_line(const struct page *page, const char *line, struct sup_error *error)
{
    char name[64];
    int status = RB_OK;
    if (find_name(line, "<link rel=\"stylesheet\" href=\"", name, sizeof name)) {
        fprintf(page->stream, "<style nonce=\"%s\">\n", page->nonce);
        status = copy_part(page, name, error);
        fputs("</style>\n", page->stream);
    } else if (find_name(line, "<script src=\"", name, sizeof name)) {
        fprintf(page->stream, "<script nonce=\"%s\">\n", page->nonce);
        status = copy_part(page, name, error);
        fputs("</script>\n", page->stream);
    } else if (strstr(line, "<script id=\"data\"") != NULL) {
        fputs("<script id=\"data\" type=\"application/json\">", page->stream);
        /* What is not ASCII is escaped, line separators among it. */
        json_dump_callback(page->data, write_safely, page->stream,
                           JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII |
                               JSON_REAL_PRECISION(DIGITS));
        fputs("</script>\n", page->stream);
    } else {
        const char *nonce = strstr(line, "NONCE");
        for (; nonce != NULL; nonce = strstr(line, "NONCE")) {
            fprintf(page->stream, "%.*snonce-%s", (int)(nonce - line), line, page->nonce);
            line = nonce + strlen("NONCE");
        }
        fputs(line, page->stream);
    }
    return status;
}

static int make_nonce(struct page *page, struct sup_error *error)
{
    unsigned char bytes[NONCE_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return sup_fail(error, RB_EFAILED, "no random number for the page: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(page->nonce + 2 * i, 3, "%02x", bytes[i]);
    return RB_OK;
}

int page_begin(FILE *stream, const char *title, struct sup_error *error)
{
    const struct page page = {.stream = stream};
    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
          "content=\"light dark\">\n<title>",
          stream);
    out_html_text(title, stream);
    fputs("</title>\n<style>\n", stream);
    const int status = copy_part(&page, "report.css", error);
    fputs("</style>\n<main>\n", stream);
    return status;
}

int page_write(FILE *stream, json_t *data, struct sup_error *error)
{
    struct page page = {.stream = stream, .data = data};
    char line[512];
    int status = make_nonce(&page, error);
    FILE *file = status == RB_OK ? open_part(TEMPLATE, error) : NULL;
    if (file == NULL)
        status = RB_EFAILED;
    while (status == RB_OK && fgets(line, sizeof line, file) != NULL)
        status = write_line(&page, line, error);
    if (file != NULL)
        fclose(file);
    json_decref(data);
    return status;
}
