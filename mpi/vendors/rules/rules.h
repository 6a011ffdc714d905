/* rules.h - files of rules by which MPI libraries choose their algorithms: made from times of
 * algorithms, written, read, and looked up as the library looks them up (docs/tuning-files.md).
 *
 *     candidates --rules_build--> rules_table --rules_write--> file --rules_read--> rules_file
 * --rules_look_up--> answer
 *
 * A format is one file in this folder and one line in rules_formats.h. Sizes of messages are of two
 * kinds: m is all data of a collective, as in plans; a library's measure of it is what the library
 * compares with the thresholds of its rules, which may be m / p (rules_measure). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "mpi/vendors/names/mpilib.h"
#include "support/error.h"

/* How the ranks of a communicator are spread over hosts, as far as formats know it. */
enum rules_nodes { RULES_ANY_NODES, RULES_ONE_PER_NODE, RULES_SINGLE_NODE };

/* What a library compares with the thresholds of a call's rules. */
enum rules_size {
    RULES_ALL,      /* m */
    RULES_PER_RANK, /* m / p */
    RULES_PER_PAIR, /* m / p^2 */
    RULES_BLIND,    /* something else, which may differ from rank to rank: one rule must serve all
                       sizes */
};

struct rules_call {
    const char *collective; /* ours */
    const char *call;       /* the library's */
    int id;                 /* its number in files; -1: none */
    enum rules_size size;
};

struct rules_file;
struct rules_head;
struct rules_query;
struct rules_answer;
struct rules_table;
struct rules_text;

struct rules_format {
    const char *name; /* of --format: "ompi", "ompi-2", "ompi-json", "mpich", ... */
    const char *title;
    const char *library;           /* as in mpilib.h */
    int version;                   /* of the library, as in mpilib.h */
    const struct rules_call *call; /* ends with collective NULL */
    bool nodes;         /* its rules tell one rank per node and a single node from others */
    bool strict_ranks;  /* the library does not check whether an algorithm serves p: only p that had
                           times get it */
    bool one_choice;    /* no ranges: one algorithm for each call */
    bool segments;      /* its rules have segment sizes */
    int64_t most_bytes; /* the largest threshold */
    const char *base;   /* what the file is that its rules are put into; NULL: none is needed */
    bool last_wins;     /* of rules that hold */
    /* The environment in which the library's programs take the file, whose path is @:
     * "NAME=VALUE NAME=@". NULL: MPI programs don't. */
    const char *variables;

    /* What the header says of rules_write, and of rules_parse. */
    int (*write)(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error);
    int (*parse)(struct rules_text *text, struct rules_file *file, struct sup_error *error);
    /* True if the text looks like this format. */
    bool (*is_mine)(const char *text, size_t size);
    /* NULL: the lines are looked up. */
    bool (*look_up)(const struct rules_file *file, const struct rules_query *query,
                    const struct rules_call *call, int64_t size, struct rules_answer *answer);
};

#define RULES_FILE_SETS "." /* variables that the file itself sets, in a shell */

const struct rules_format *rules_format_find(const char *name); /* NULL: unknown */
/* The format of a library's name, "openmpi": the first of that library; else the text. The caller
 * frees it. */
char *rules_format_usual(const char *text);
const char *rules_format_word(int32_t i); /* the i-th one's name, for tables of options */

/* ---- Making rules ---------------------------------------------------------------------------- */

/* The time of one algorithm at one point, measured or predicted. Several n of the same algorithm, p
 * and m may follow each other in any order. */
struct rules_candidate {
    const char *collective,
        *algorithm;        /* ours; the algorithm "native" is the library's own choice */
    int32_t radix;         /* 0: the algorithm's own choice, or none */
    int32_t p, ppn;        /* ppn: ranks per host; 0: not known */
    int64_t m_bytes;       /* all data */
    int64_t n;             /* blocks; 0: not known */
    int64_t segment_bytes; /* where n is 0: bytes of a segment, 0: one segment */
    int32_t protocol;      /* of NCCL: 1 LL, 2 LL128, 3 Simple; 0: not known, or none */
    double time_s;
    bool foreign; /* not the library's own implementation: it shows what is lost, and makes no rule
                   */
};

struct rules_request {
    const struct rules_format *format;
    int64_t element_bytes; /* segments are whole elements; at least 1 */
    double tolerance; /* 0.02: one segment size may serve several m if it costs none of them more */
    bool everywhere;  /* the nearest rule holds outside of what was looked at, too; otherwise the
                         library chooses there, as far as the format can say so */
    bool own_will_do; /* rules that leave all choices to the library are no error */
};

/* The last whole number that is nearer to a than to b, by ratio: a rule's border between two p or
 * sizes with times. */
int64_t rules_halfway(int64_t a, int64_t b);

/* What counts as looked at, of p or sizes: from half the least to twice the largest with times. The
 * latter is at most `end`. */
int64_t rules_first(int64_t least);
int64_t rules_last(int64_t largest, int64_t end);

/* One rule: what the library shall take for these numbers of ranks and sizes. */
struct rules_rule {
    const struct rules_call *call;
    const struct mpilib_algorithm *row; /* NULL: the library's own choice */
    enum rules_nodes nodes;
    int32_t p_low, p_high; /* INT32_MAX: all larger ones */
    int64_t low, high; /* inclusive, in the library's measure at p; INT64_MAX: all larger ones */
    int32_t radix;     /* 0: none */
    int64_t segment_bytes; /* 0: not segmented */
    int32_t protocol;      /* as in rules_candidate */
    int32_t points;        /* so many (p, m) had times */
    double loss; /* by one segment size for all of them: mean and worst of time / best time - 1 */
    double worst_loss;
    double gain;    /* the next best time among the library's algorithms / this time - 1, mean; NAN:
                       there is no other */
    double lacking; /* time / best time of all algorithms, also those that the library lacks, - 1,
                       mean */
};

struct rules_table {
    const struct rules_format *format;
    bool everywhere;         /* as requested */
    struct rules_rule *rule; /* owned; by call, nodes, p, size */
    size_t count;
    size_t points;        /* (collective, p, m) with times, of the first call of each collective */
    size_t lacking_wins;  /* those whose fastest algorithm the library lacks */
    double lacking_mean;  /* over all points: mean of time / best time of all - 1 */
    double lacking_worst; /* and the worst */
    char lacking[280]; /* the algorithms that the library lacks, "circulant (bcast)", separated by
                          commas */
    size_t without; /* points for which the library has none of the algorithms; no rule is made of
                       them */
};

/* RB_EINVAL if no rule can be made, or if the candidates are of several machines' shapes that the
 * format can't tell apart (the message says which). The caller frees the table, also on
 * failure. */
int rules_build(const struct rules_request *request, const struct rules_candidate *candidates,
                size_t count, struct rules_table *table, struct sup_error *error);
void rules_table_free(struct rules_table *table); /* safe on a zeroed struct */

/* For the head of the file, where the format has comments; otherwise it is left out. */
struct rules_head {
    const char *source; /* "results/default.db" */
    int more;           /* files beside it */
    const char *base;   /* path of the file that the rules are put into (rules_format); NULL:
                           none */
};

/* Write errors show in the stream. RB_EINVAL if the format can't hold these rules. */
int rules_write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                struct sup_error *error);

/* What a reader of the file should know: what the library lacks, what that costs, and where the
 * rules hold; "warning: ..." if they hold where nothing was looked at because the format can't
 * limit them. The head of the file has them, too. */
enum { RULES_NOTES = 8, RULES_NOTE = 400 };
struct rules_notes {
    char line[RULES_NOTES][RULES_NOTE];
    size_t count;
    size_t claim; /* where in the first line it begins to say what the rules gain */
};
void rules_notes(const struct rules_table *table, struct rules_notes *notes);

/* rules_build and rules_write in one; the notes are set, also on failure. */
int rules_make(const struct rules_request *request, const struct rules_candidate *candidates,
               size_t count, const struct rules_head *head, FILE *stream, struct rules_notes *notes,
               struct sup_error *error);

/* The library's measure of m for a call ("alltoall") of p ranks. */
int64_t rules_measure(const struct rules_format *format, const char *call, int32_t p,
                      int64_t m_bytes);

/* ---- Reading rules --------------------------------------------------------------------------- */

struct rules_file;

/* Reads a file as the library does. The format may be NULL: then the content decides. RB_EINVAL
 * with one line that says what is wrong and where, RB_EIO. */
int rules_read(const char *path, const struct rules_format *format, struct rules_file **file,
               struct sup_error *error);
/* The same for a text in memory, which need not end in 0; `name` is for messages. */
int rules_parse(const char *name, const char *text, size_t size, const struct rules_format *format,
                struct rules_file **file, struct sup_error *error);
void rules_file_free(struct rules_file *file); /* NULL is allowed */
const struct rules_format *rules_file_format(const struct rules_file *file);

struct rules_query {
    const char *collective; /* ours */
    const char
        *call; /* the library's; NULL: the one that serves the collective with regular counts */
    int32_t p, ppn; /* ppn 0: one rank per host */
    int64_t m_bytes;
    bool not_commutative; /* the operator of a reduction */
};

struct rules_answer {
    char name[96];                      /* the library's name, or number, of the algorithm */
    const struct mpilib_algorithm *row; /* NULL: an algorithm that mpilib doesn't know */
    int32_t radix;                      /* 0: none */
    int64_t segment_bytes;              /* 0: not segmented */
    int64_t low, high; /* the sizes for which the answer is this one, in the library's measure */
};

/* What the library takes. False: no rule serves this call, and the library chooses by itself. */
bool rules_look_up(const struct rules_file *file, const struct rules_query *query,
                   struct rules_answer *answer);

/* What the library calls a collective of ours; NULL: it has no rules for it. */
const char *rules_call(const struct rules_format *format, const char *collective);
