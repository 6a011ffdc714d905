/* arrival.h - when ranks come to a collective: as a text, as times, and as a workload.
 *
 *   together                      all at 0
 *   late:K:TIME:SEED              K ranks, which the seed chooses, by TIME
 *   late:1:TIME:rankR             rank R
 *   uniform:TIME:SEED             each at a random time up to TIME
 *   exponential:TIME:SEED         at random times, TIME on average
 *   sorted:TIME                   rank 0 at 0, the last one at TIME, the others evenly between
 *   file:NAME                     as lines RANK,TIME say, one for each rank
 *
 * A SEED may be FIRST..LAST: so many arrivals by these seeds.
 * The random times are those of a computing step that is the first of the first job. */
#pragma once

#include "sim/workload/workload.h"

enum { SIM_MOST_SEEDS = 1000 };
struct sim_arrival {
    struct sim_duration late; /* of a file without its values; SIM_CONSTANT: all at once */
    int32_t seeds;            /* late.seed and those that follow it, 1 or more */
    int32_t rank;             /* the one that is late; -1: others are, or a seed chooses */
    uint64_t hash;            /* of the file's content */
    char file[SIM_FILE_NAME];
};

/* Reads and writes these texts; a seed that is left out is 1. A file is read to check it, and the
 * text that is written ends with the hash of its content; such a text is refused if the file has
 * changed. RB_EINVAL with a message. Writing needs SIM_PLACEMENT_TEXT bytes of room. */
int sim_arrival_parse(const char *text, struct sim_arrival *arrival, struct sup_error *error);
const char *sim_arrival_format(const struct sim_arrival *arrival, char *buffer, size_t size);

/* True of a rule by a seed that the text leaves out. */
bool sim_arrival_lacks_seed(const char *text);

/* The rule is NULL or together. */
static inline bool sim_arrival_is_none(const struct sim_arrival *arrival)
{
    return arrival == NULL || (arrival->late.kind == SIM_CONSTANT && arrival->late.a == 0);
}

/* at_s[r] for so many ranks, by seed i, 0 <= i < arrival->seeds. RB_EINVAL with a message if there
 * are too few ranks, or the file has another number of them. O(p log p). */
int sim_arrival_find(const struct sim_arrival *arrival, int32_t ranks, int32_t i, double at_s[],
                     struct sup_error *error);

/* Makes a workload of one job, in which each rank computes for at_s[r], which is copied, and then
 * does the collective of the spec's plan, with the spec's layout, ppn and placement; at_s NULL: it
 * does the collective alone. The plan and
 * the layout must outlive the workload, which the caller frees. O(p). */
void sim_arrival_workload(const struct sim_spec *spec, const double at_s[],
                          struct sim_workload *workload);
