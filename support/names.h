/* names.h - the names that people, files, MPI and benchmarks have for collectives, for libraries
 * and for counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "roundabout.h"

/* ---- Collectives ----------------------------------------------------------------------------- */

/* The collective of this name: ours ("reduce-scatter"), MPI's ("MPI_Reduce_scatter_block",
 * "allgatherv", which is allgather: counts that differ are another parameter), or a usual one
 * ("broadcast"). Case does not matter, and blanks and `_` are as `-`. NULL: there is none. */
const struct rb_collective_info *sup_collective_named(const char *text);

/* A list of such names by commas, each as we call it; what is no such name stays as it is. The
 * caller frees it. */
char *sup_collective_names(const char *list);

/* As rb_plan_is_supported, which can't say that there was no memory: then the program ends
 * (memory.h). */
bool sup_plan_is_supported(const struct rb_plan_spec *spec);

/* ---- Libraries ------------------------------------------------------------------------------- */

/* One table for all verbs: what one of them takes, each takes to which the library means
 * something. */

/* The library of our tables (mpi/vendors/names/mpilib.h) that is called so: "Open MPI 4.1.4",
 * "openmpi" and "OMPI" are "ompi", "CRAY_MPICH" is "mpich". Case, blanks, `-` and `_` do not
 * matter, and a version may follow behind a blank, `/` or `@`. NULL: none is. */
const char *sup_library_named(const char *text);
/* As its makers write it: "Open MPI" for "ompi"; the text for a library that is derived from
 * another, or not known. */
const char *sup_library_title(const char *text);

/* True if two names are of the same library. One that is derived from another is only the same as
 * itself: "CRAY_MPICH" is not "MPICH". */
bool sup_same_library(const char *a, const char *b);

/* A list of algorithms by commas, with the usual names of libraries: "native:openmpi" is
 * "native:ompi". The caller frees it. */
char *sup_algorithm_names(const char *list);

/* ---- Counts ---------------------------------------------------------------------------------- */

/* How data are divided, as a text:
 *
 *   regular, mod3, degenerate, random:SEED     rb_counts_rule
 *   zipf:S:SEED                                weights 1, 2^-S, 3^-S, ...
 *   hot:COUNT:FACTOR:SEED                      COUNT ranks weigh FACTOR
 *   banded:WIDTH:SEED                          of pairs: neighbours on a ring have most
 *   file:NAME                                  a line for each rank with its value, or its values
 *                                              for all ranks (sup_matrix_read): its elements, or
 *                                              its share if there are more or fewer elements */
enum { SUP_COUNTS_FILE = 256, SUP_COUNTS_TEXT = SUP_COUNTS_FILE + 64 };
struct sup_counts {
    struct rb_counts deal; /* of a file without weights */
    int64_t elements;      /* the sum of a file's values; 0: no file */
    int32_t ranks;         /* lines of a file */
    bool pairs;            /* a file of a value for each pair */
    uint64_t hash;         /* of a file's content */
    char file[SUP_COUNTS_FILE];
};

/* From text, and to text. A file is read to check it, and the text that is written ends with the
 * hash of its content; such a text is refused if the file has changed. RB_EINVAL with a message
 * that says what would be right. Writing needs SUP_COUNTS_TEXT bytes of room. */
int sup_counts_parse(const char *text, struct sup_counts *counts, struct sup_error *error);
const char *sup_counts_format(const struct sup_counts *counts, char *buffer, size_t size);

/* The values of counts of a file. RB_EINVAL, also if the file has changed; RB_EIO. The caller frees
 * them, also after a failure. */
struct sup_matrix;
int sup_counts_matrix(const struct sup_counts *counts, struct sup_matrix *matrix,
                      struct sup_error *error);

static inline bool sup_counts_differ(const struct sup_counts *counts)
{
    return counts->deal.rule != RB_COUNTS_REGULAR;
}

/* RB_EINVAL if counts are not regular and the collective's data are not divided among the ranks, or
 * not between all pairs of them where the counts are of pairs. */
int sup_counts_check(const struct sup_counts *counts, const struct rb_collective_info *collective,
                     struct sup_error *error);

/* Sets *bytes to those of a file's elements, of so many bytes each, unless counts are of no file.
 * RB_EINVAL: they are more than 2^63. */
int sup_counts_bytes(const struct sup_counts *counts, int64_t element, int64_t *bytes,
                     struct sup_error *error);

/* Sets these counts for p ranks in a layout whose bytes and element are set. Irregular counts need
 * storage: *first, to which the layout then points, and which the caller frees. RB_EINVAL as
 * sup_counts_check, for another number of ranks than the counts are for, or for more than 2^30
 * pairs of ranks; *first is then NULL. Reads the file again. */
int sup_counts_apply(const struct sup_counts *counts, const struct rb_collective_info *collective,
                     int32_t p, struct rb_layout *layout, int64_t **first, struct sup_error *error);
