/* source.c - see source.h. */
#include "experiments/workload/source.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "roundabout.h"
#include "support/memory.h"

static const struct workload_source *const sources[] = {&workload_recording};

const struct workload_source *workload_source_of(const char *path)
{
    char head[4096];
    struct stat about;
    size_t size = 0;
    if (stat(path, &about) != 0 || (!S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode)))
        return NULL;
    const bool is_directory = S_ISDIR(about.st_mode);
    FILE *file = is_directory ? NULL : sup_got(fopen(path, "r"));
    if (file != NULL) {
        size = fread(head, 1, sizeof head, file);
        fclose(file);
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (sources[i]->is(path, is_directory ? NULL : head, size))
            return sources[i];
    return NULL;
}

int workload_source_text(const struct workload_source *source, const char *path,
                         const struct workload_wishes *wishes, char **text, size_t *size,
                         struct workload_told *told, struct sup_error *error)
{
    struct workload_told unheard = {0};
    FILE *stream = sup_memory_open(text, size);
    const int status = source->write(path, wishes, stream, told != NULL ? told : &unheard, error);
    sup_memory_close(stream, text);
    out_verdict_free(&unheard.said);
    if (status != RB_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
