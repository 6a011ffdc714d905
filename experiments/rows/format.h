/* format.h - the formats of files with measured collectives, and what their readers share.
 *
 * A format is one file with one const descriptor and one line in experiments/rows/list.h. Its
 * reader turns lines into drafts of rows; rows_add completes and checks a draft, whatever the
 * format. */
#pragma once

#include "experiments/rows/rows.h"
#include "support/csv.h"

/* ---- Texts of which equal ones are kept once ------------------------------------------------- */

/* The text's copy among the set's texts; equal texts have the same pointer. */
const char *rows_texts_keep(struct rows_texts **texts, const char *text);
void rows_texts_free(struct rows_texts *texts); /* NULL is fine */

/* ---- Which of our algorithms a name in the data means ---------------------------------------- */

/* What a name says; texts are static or the registry's. */
struct rows_name {
    const char *algorithm; /* ours; NULL: no plan */
    struct mpilib_manner manner;
    const char *transport; /* "" unless the name has one */
    int32_t radix, interfaces;
    int64_t segment_bytes;
    bool own_choice;
    bool known; /* the name is in the table of libraries, or ours */
};

/* Reads the name of an algorithm of one of our collectives, as a library, a benchmark suite or this
 * program calls it; the library's name may help. */
struct rows_name rows_read_name(const char *library, const char *collective, const char *name);

/* ---- Formats --------------------------------------------------------------------------------- */

/* The formats of files with measured collectives, and what their readers share.
 *
 * A format is one file with one const descriptor and one line in experiments/rows/list.h. Its
 * reader turns lines into drafts of rows; rows_add completes and checks a draft, whatever the
 * format. */

/* A name that was read before; name NULL: none. */
struct rows_known_name {
    const char *library, *collective, *name;
    struct rows_name read;
};
enum { ROWS_KNOWN_NAMES = 256 };

/* What a file's size is the size of. */
enum rows_size {
    ROWS_OF_BUFFER, /* a rank's largest buffer: rows_row.bytes */
    ROWS_OF_ALL,    /* all owners' data: rows_row.m_bytes */
    ROWS_OF_BLOCK,  /* what OSU and Intel call the message: one rank's data in an allgather, gather
                     * or  scatter, a pair's data in an alltoall; in others a rank's buffer */
};

/* A row as a file says it. Texts are valid until the next line, and NULL, numbers 0, the size and
 * times negative or NAN if they are missing. */
struct rows_draft {
    const char *system, *test, *library, *library_version, *collective, *name, *notes, *shape,
        *overlap, *counts;
    int64_t nodes, ranks_per_node, p, radix, interfaces, root, element_bytes, segment_bytes, n,
        runs;
    int64_t size;
    enum rows_size size_of;
    double min_s, p10_s, median_s, p90_s, ci_low_s, ci_high_s;
};

/* A line without its launcher's prefix. */
struct rows_line {
    char *text;
    const char *label;    /* what the prefix says beside times of day; NULL: there is no prefix */
    int32_t number;       /* in the file */
    size_t place, stream; /* the first place of its label */
    bool owned;
};

/* What the command of a run says, "mpirun -np 44 --map-by ppr:22:node osu_bcast"; 0: nothing. */
struct rows_command {
    int64_t p, nodes, ranks_per_node;
};

/* A file being read, which is all in memory. */
struct rows_file {
    struct rows_set *set;
    const struct rows_defaults *defaults;
    struct rows_draft options, said; /* by the defaults alone; by them and by remarks until now */
    int status;                      /* of the remarks */
    bool own_names; /* its algorithms are named as this program does, whatever the library */
    struct sup_lines lines; /* the current line */
    struct rows_line *line; /* all lines, and how many were current */
    size_t line_count, line_next;
    struct rows_command command;
    int32_t number; /* in the set */
    struct sup_error *error;
    struct rows_known_name known[ROWS_KNOWN_NAMES]; /* by hash */
};

/* The next line that is no remark; false at the end and at a wrong remark. */
bool rows_next_line(struct rows_file *file);

/* Cuts the file into lines (launcher.c). */
void rows_cut_lines(struct rows_file *file);
void rows_free_lines(struct rows_file *file);
/* True if a line, or what stands behind a prefix in it, begins rows in a known format. */
bool rows_is_heading(const char *line);
bool rows_recognises(const char *line); /* a line without a prefix */

/* RB_EINVAL with "PATH:LINE: " before the message. */
int rows_wrong(const struct rows_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct rows_format {
    const char *name; /* for messages */
    /* True if this line, the first of the file that some format recognises, begins such a file. It
     * is not changed. */
    bool (*recognises)(const char *line);
    /* Reads the whole file, of which the current line is that line. */
    int (*read)(struct rows_file *file);
};

/* Counts a row, or a line, that is left out; what it is of may be NULL. */
void rows_leave(struct rows_file *file, enum rows_left reason, const char *what);

/* How many known columns a line has as the heading of a CSV file (csv.c). */
int rows_csv_columns(const char *line);

/* Takes what a line says if it is the command of such a program, "osu_"; launcher.c. */
void rows_read_command(const char *line, const char *program, struct rows_command *command);

/* A draft in which everything is missing. */
struct rows_draft rows_empty_draft(void);

/* Completes a draft by what is said, and appends it to the set or counts it among what the set
 * leaves out. RB_EINVAL with the line, also if the draft contradicts what is said. */
int rows_add(struct rows_file *file, const struct rows_draft *draft);

/* "2x2x2" or "8": the product, and whether it had a factor sign. False: it is no number from 1 to
 * RB_MAX_RANKS. */
bool rows_parse_nodes(const char *text, int64_t *nodes, bool *torus);

/* True if texts are equal but for case, underscores, blanks and dashes; or if a begins b so. */
bool rows_same_text(const char *a, const char *b, bool prefix);

/* Is the current line a remark, "# roundabout: p=64 ppn=4 algorithm=binomial"? */
bool rows_is_remark(const struct rows_file *file);
/* Adds to what is said of the lines below. RB_EINVAL also if an option says otherwise. */
int rows_read_remark(struct rows_file *file);

#define ROWS_FORMAT(name) extern const struct rows_format name;
#include "experiments/rows/list.h"
#undef ROWS_FORMAT
