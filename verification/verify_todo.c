/* verify_todo.c - see verify_todo.h. */
#define _DEFAULT_SOURCE /* sysconf's physical memory */

#include "verification/verify_todo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/options.h"
#include "verification/verify_sample.h"

/* Removes the recorded p from ranks and adds them to the sum. */
static int skip_recorded(struct verify_run *verification, const struct verify_checked *checked,
                         int32_t ranks[], size_t *count)
{
    const struct verify_job *job = &verification->job;
    const struct verify_checked_range **found = malloc((*count + 1) * sizeof *found);
    size_t left = 0;
    int status = found == NULL ? RB_ENOMEM
                               : verify_checked_look_up(checked, job->sample, ranks, *count, found);
    for (size_t i = 0; status == RB_OK && i < *count; i++) {
        if (found[i] == NULL) {
            ranks[left++] = ranks[i];
            continue;
        }
        if (found[i]->wrong != NULL)
            verify_wrong_schedule(&verification->sum, ranks[i], found[i]->sample, found[i]->wrong);
        verification->sum.rank_count += verify_sample_size(ranks[i], job->sample);
    }
    free(found);
    if (status != RB_OK)
        return status;
    verification->recorded = verification->sum.p_count = (int64_t)(*count - left);
    *count = left;
    return RB_OK;
}

/* Prints in one line what the record had. */
static void say_what_is_skipped(const struct verify_run *verification,
                                const struct verify_checked *checked)
{
    char others[128] = "", damaged[64] = "";
    if (checked->count == 0 && checked->other_versions == 0 && checked->damaged == 0)
        return;
    if (checked->other_versions > 0)
        snprintf(others, sizeof others,
                 "; lines of other versions than %.60s, not counted: %" PRId64, cli_program_version,
                 checked->other_versions);
    if (checked->damaged > 0)
        snprintf(damaged, sizeof damaged, "; damaged lines, not counted: %" PRId64,
                 checked->damaged);
    cli_complain(CLI_EXIT_DONE, "%s: %" PRId64 " of %zu values of p are there already%s%s",
                 checked->path, verification->recorded, verification->job.ranks->count, others,
                 damaged);
}

static int read_record(struct verify_run *verification, const char *path,
                       struct verify_checked *checked, int32_t ranks[], size_t *count)
{
    struct sup_error error;
    int status = verify_checked_open(checked, path, &error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "%s", error.text);
    verification->job.checked = checked;
    verification->recorded_in = path;
    if (skip_recorded(verification, checked, ranks, count) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "out of memory");
    say_what_is_skipped(verification, checked);
    return CLI_EXIT_DONE;
}

static int descending(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a < *b) - (*a > *b);
}

/* Tables that the memory can't hold are refused beforehand. */
static int check_memory(const int32_t ranks[], size_t count, int32_t workers)
{
    int32_t *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return cli_complain(CLI_EXIT_FAILED, "out of memory");
    memcpy(sorted, ranks, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, descending);
    size_t at_once = count < (size_t)workers ? count : (size_t)workers;
    double needed = 0, gib = 1024.0 * 1024 * 1024;
    for (size_t i = 0; i < at_once; i++)
        needed += (double)sorted[i] * (rb_ceil_log2(sorted[i]) + 1);
    const int32_t largest = count > 0 ? sorted[0] : 0;
    free(sorted);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (needed <= there)
        return CLI_EXIT_DONE;
    return cli_complain(
        CLI_EXIT_USAGE,
        "--ranks: up to p = %" PRId32 ", %zu table%s of q + 1 bytes per rank take"
        "%s %.1f GiB, but the memory is %.1f GiB: look at some ranks of each p with "
        "--sample N%s",
        largest, at_once, at_once == 1 ? "" : "s", at_once == 1 ? "s" : "", needed / gib,
        there / gib, at_once == 1 ? "" : ", or use fewer --jobs");
}

int verify_todo(struct verify_run *verification, const char *record, int32_t workers,
                struct verify_checked *checked)
{
    struct verify_job *job = &verification->job;
    size_t count = job->ranks->count;
    int32_t *ranks = malloc(count * sizeof *ranks);
    if (ranks == NULL)
        return cli_complain(CLI_EXIT_FAILED, "out of memory");
    for (size_t i = 0; i < count; i++)
        ranks[i] = (int32_t)job->ranks->value[i];
    int status = CLI_EXIT_DONE;
    if (record != NULL)
        status = read_record(verification, record, checked, ranks, &count);
    if (status == CLI_EXIT_DONE && job->what == VERIFY_WHAT_SCHEDULES && job->sample == 0)
        status = check_memory(ranks, count, workers);
    if (status == CLI_EXIT_DONE && verify_divide(job, ranks, count, workers) != RB_OK)
        status = cli_complain(CLI_EXIT_FAILED, "out of memory");
    free(ranks);
    return status;
}
