/* directory.c - see directory.h. */
#include "interchange/export/directory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/output/output.h"
#include "support/replace.h"

int export_directory_open(struct export_directory *directory, const char *path,
                          struct sup_error *error)
{
    *directory = (struct export_directory){.path = path, .mine = mkdir(path, 0777) == 0};
    if (!directory->mine && errno != EEXIST)
        return sup_fail(error, RB_EINVAL, "%s: cannot make this directory: %s", path,
                        strerror(errno));
    return out_staging_open(&directory->staging, path, error);
}

int export_directory_close(struct export_directory *directory, int status, struct sup_error *error)
{
    if (status == RB_OK)
        status = out_staging_publish(&directory->staging, error);
    out_staging_discard(&directory->staging);
    if (status != RB_OK && directory->mine)
        rmdir(directory->path);
    return status;
}

int export_file_open(const struct export_directory *directory, const char *name, FILE **file,
                     struct sup_error *error)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", directory->staging.path, name) >= (int)sizeof path)
        return sup_fail(error, RB_EINVAL, "%s: the name is too long", directory->path);
    *file = sup_got(fopen(path, "w"));
    return *file != NULL ? RB_OK
                         : sup_fail(error, RB_EIO, "%s: cannot write: %s", path, strerror(errno));
}

int export_file_close(const struct export_directory *directory, const char *name, FILE *file,
                      int status, struct sup_error *error)
{
    if (file == NULL || sup_finish(file) || status != RB_OK)
        return status;
    return sup_fail(error, RB_EIO, "%s: cannot write \"%s\": %s", directory->path, name,
                    sup_reason_text(errno));
}
