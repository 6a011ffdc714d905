/* rows.h - measured collectives as rows: one row is one collective by one algorithm, of one size,
 * on one allocation of a machine.
 *
 * Readers (list.h lists their formats) turn benchmark suites' files into rows: CSV files with
 * columns of several names, OSU micro-benchmarks and Intel MPI Benchmarks. docs/predict.md
 * describes what they accept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "mpi/vendors/names/mpilib.h"
#include "support/error.h"
#include "support/memory.h"
#include "support/output/verdict.h"

/* Texts are never NULL unless their comment says so, are "" if the data don't give them, and belong
 * to the set; equal texts of one set are the same pointer. Numbers are 0 and times NAN if the data
 * don't give them. */
struct rows_row {
    const char *system;          /* the machine: "mare_nostrum" */
    const char *test;            /* the allocation (job) in which it was measured */
    const char *library;         /* "OMPI", "FJMPI" */
    const char *library_version; /* "4.1.6" */
    const char *collective;      /* ours: "reduce-scatter" */
    const char *name;            /* of the algorithm in the data: "scatter_allgather_ompi" */
    const char *algorithm;       /* ours, of a plan of this program; NULL: there is none */
    const char *transport;       /* what carried the messages if the data name it: "UTOFU", "MPI" */
    const char *shape;           /* nodes as in the data if they form a torus: "2x2x2" */
    const char *notes;
    const char *overlap;         /* the overlap rule of a plan of this program */
    struct mpilib_manner manner; /* how the plan is run */
    int32_t radix;               /* of the plan; 0: its algorithm has none */
    int32_t nodes;               /* >= 1 */
    int32_t ranks_per_node;      /* >= 1 */
    int32_t p;                   /* >= 1; nodes * ranks_per_node, or fewer */
    int32_t interfaces;          /* parallel network interfaces that the algorithm used, >= 1 */
    int32_t root;
    const char *ran;       /* what the library's own choice was, as its times show: "ring", whose
                            * row has the same times, and the algorithm (names.c); NULL: it is not
                            * known, or the row is none of such a choice */
    bool own_choice;       /* the library chose the algorithm: the data call it default */
    int64_t bytes;         /* of the largest buffer of a rank: the vector of a bcast, reduce,
                            * allreduce or reduce-scatter; the data of all p ranks in an allgather,
                            * gather, scatter; the data for all p ranks in an alltoall */
    int64_t m_bytes;       /* all owners' data together, as everywhere in this program: `bytes`,
                            * and in an alltoall p times as many */
    int64_t element_bytes; /* >= 1 */
    int64_t segment_bytes; /* the algorithm cuts messages into such segments; 0: it cuts none */
    int64_t n;             /* blocks of the plan if the data name them; 0: they don't */
    int64_t runs;          /* repetitions; 0: not known */
    double min_s, p10_s, median_s, p90_s; /* of the slowest rank's times; median_s > 0, finite */
    double low_s,
        high_s;         /* the median's confidence interval, else the percentiles, if both known */
    int32_t file, line; /* where it stands: number of the file in the set, and line */
};

struct rows_texts; /* the texts of a set */

/* Why rows are left out. */
enum rows_left {
    ROWS_NO_COLLECTIVE, /* tests between two ranks */
    ROWS_OVERLAPPED,    /* non-blocking collectives, which other algorithms carry out */
    ROWS_UNKNOWN,       /* collectives that this program does not have */
    ROWS_IRREGULAR,     /* counts that differ, of which nothing else is known here */
    ROWS_IN_GROUPS,     /* several groups of ranks ran them at a time */
    ROWS_NOT_MEASURED,  /* the benchmark gave them up: no memory, no time */
    ROWS_NOT_TIMED,     /* no time, or a time of 0 */
    ROWS_FAILED,        /* the benchmark found their results wrong */
    ROWS_TORN,          /* lines with more or fewer values than their heading */
    ROWS_REPEATED,      /* rows that repeat a row before them in every column */
    ROWS_REASONS
};

struct rows_set {
    struct rows_row *row; /* owned */
    size_t count;
    const char **file; /* owned: names of the files, which are texts of the set */
    int32_t files;
    struct rows_texts *texts;               /* owned */
    struct sup_map seen;                    /* rows by hashes, finds repeated ones */
    struct out_left_out left[ROWS_REASONS]; /* rows that were left out, over all files */
    int64_t assumed;                        /* rows that nothing but unnamed_algorithm names */
    int64_t by_name;                        /* rows whose ranks only their file's name says */
    const char *prefix;                     /* of a launcher; NULL: there was none */
    int64_t prefixed;                       /* lines that had it */
    int32_t labels;                         /* the most in a file */
    char *found; /* of rows_find_fallbacks, owned; NULL: it was not called */
};

/* What a file does not say of itself; a file that says otherwise is refused. NULL and 0: not given.
 */
struct rows_defaults {
    const char *system;
    const char *library;
    const char *algorithm; /* as the data would name it */
    int32_t p, ranks_per_node;
    const char *unnamed; /* the system of rows for which nothing names it; NULL: they are wrong */
    /* The algorithm, the ranks per node and the ranks where nothing else names them, rows that do
     * may differ; NULL and 0: none. */
    const char *unnamed_algorithm;
    int32_t unnamed_ranks_per_node, unnamed_p;
    const char *unnamed_library; /* where nothing else names it */
    const char *ranks_option;    /* of the verb, which gives the number of ranks; NULL: none */
};

/* Appends a file's rows to a set, which is zeroed at first. The format is recognised by the file's
 * head. "-" is standard input. RB_EINVAL with file, line and what would be right; RB_EIO. After a
 * failure the set has the rows before the wrong one. */
int rows_read(struct rows_set *set, const char *path, const struct rows_defaults *defaults,
              struct sup_error *error);
void rows_free(struct rows_set *set); /* safe on a zeroed struct */

/* The i-th sentence of what was left out of the set or changed in its files, "2 rows failed ...";
 * NULL: there are no more. The caller frees it. */
char *rows_note(const struct rows_set *set, int i);
/* RB_EINVAL, with what was left out, if the set has no rows. */
int rows_need_some(const struct rows_set *set, struct sup_error *error);

/* True if a line at the beginning of this file begins rows in a known format. */
bool rows_is_file(const char *path);

/* A library may take another algorithm than the one that it is told, and say nothing. Finds such
 * names from the times: a name without a plan whose times are, at nine of ten points of a machine,
 * those of one forced algorithm ran that one; and if they are now those of one algorithm, now those
 * of another, the library's own choice. Names that ran one thing at one point are samples of it:
 * the first row stays, with the medians of their times. So do those of the library's own choice,
 * which are samples of what it chose, too: the forced algorithm that took as long, if one did
 * (`ran`). `found` says it all: "nvlstree ran ring; ..."; "": nothing. Call it when all files are
 * read. O(rows^2) in rows of such libraries. */
void rows_find_fallbacks(struct rows_set *set);

/* The system in the set that is meant: case and underscores, blanks and dashes don't matter, and
 * the beginning of a name suffices if only one system begins so. RB_EINVAL with the systems that
 * there are. */
int rows_system(const struct rows_set *set, const char *text, const char **system,
                struct sup_error *error);

/* Blocks of the plan that a row stands for: n if it has one, otherwise as many segments as cover
 * the `bytes`, at least 1. */
int64_t rows_blocks(const struct rows_row *row);

/* True if a choice is named as one of the library whose own choice has this name: marked like it,
 * "ring_ompi" beside "default_ompi", "default-ring" beside "default-default". */
bool rows_is_of_library(const char *decision, const char *choice);
/* The first row of a library's own choice whose name marks its algorithms so; NULL: none. */
const struct rows_row *rows_mark(const struct rows_row *const row[], size_t count);

/* ---- Filters
 * -------------------------------------------------------------------------------------
 *
 * nodes<=64, system=leonardo & bytes>=64KiB, algorithm~bine_* | (nodes=2x2x2 & !library=OMPI):
 * terms FIELD OPERATOR VALUE, joined by & (or `and`, or a comma), | (or `or`), !, and parentheses.
 * Fields are the names of a row: system, test, library, version, collective, algorithm (in the
 * data or ours), transport, notes, nodes (8 or 2x2x2), ppn, p, interfaces, bytes, m, segment;
 * numbers compare by = != < <= > >=, texts by =
 * != and ~ (with * and ?, as in file names) without regard to case. */
struct rows_filter;

/* RB_EINVAL with the position of what is wrong. */
int rows_filter_parse(const char *text, struct rows_filter **filter, struct sup_error *error);
/* A filter of NULL matches every row. */
bool rows_filter_matches(const struct rows_filter *filter, const struct rows_row *row);
void rows_filter_free(struct rows_filter *filter); /* NULL is fine */

/* True if a text matches a pattern with * and ?, as in file names, without regard to case. */
bool rows_like(const char *pattern, const char *text);

/* ---- Options of verbs ------------------------------------------------------------------------ */

struct cli_args;

/* The rows of a file that --system and --where leave, and what there is to say of them. */
struct rows_taken {
    struct rows_set set;
    const struct rows_row **row; /* owned */
    size_t count;
    struct out_verdict notes; /* what was left out, changed or found; without a full stop */
};
enum {
    ROWS_OF_POINTS = 1,  /* only those of --collective, -p, -m and --ppn */
    ROWS_FALLBACKS = 2,  /* find what ran another algorithm (rows_find_fallbacks) */
    ROWS_PLANNED = 4,    /* count those of algorithms without a plan */
    ROWS_ONE_MACHINE = 8 /* others are refused, in the name of `option` */
};
/* args NULL: all rows. defaults NULL: what nothing names is the machine "here", or that of
 * --machine, the library's own choice, and the one number of -p or --ppn. RB_EINVAL, also if no row
 * is left, RB_EIO. The caller frees what was taken, also after a failure. */
int rows_take(const struct cli_args *args, const char *file, const struct rows_defaults *defaults,
              unsigned how, const char *option, struct rows_taken *taken, struct sup_error *error);
void rows_taken_tell(const struct rows_taken *taken); /* the notes, on standard error */
void rows_taken_free(struct rows_taken *taken);       /* safe on a zeroed struct */

/* The filter of this option, --rows or --where (NULL: none), and for --rows of --collective,
 * --library and, without --nodes, --bytes, too. RB_EINVAL with a message that names the option. */
int rows_filter_of(const struct cli_args *args, const char *option, struct rows_filter **filter,
                   struct sup_error *error);
/* True if --collective names it, or none. */
bool rows_collective_is_asked(const struct cli_args *args, const char *collective);
/* RB_EINVAL, with this reason, if a filter of points is given that rows don't have. */
int rows_refuse_filters(const struct cli_args *args, const char *why, struct sup_error *error);
