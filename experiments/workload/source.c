#include "experiments/workload/source.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "experiments/recorded/recorded.h"
#include "roundabout.h"
#include "support/memory.h"

static const struct workload_source *const sources[] = {&workload_chakra, &recorded_source,
                                                        &workload_goal, &workload_time_independent};

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
    workload_told_free(&unheard);
    if (status != RB_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

void workload_told_measured(struct workload_told *told, size_t i, double seconds)
{
    told->communicating_s += seconds > 0 ? seconds : 0;
    for (; i != SIZE_MAX && told->steps <= i; told->steps++) {
        sup_grow(&told->measured_s, told->steps, sizeof *told->measured_s);
        told->measured_s[told->steps] = -1;
    }
    if (i != SIZE_MAX)
        told->measured_s[i] = seconds;
}

void workload_told_free(struct workload_told *told)
{
    out_verdict_free(&told->said);
    free(told->measured_s);
}
