/* recommend.h - from a cluster in a user's words to the algorithms that an MPI library should take,
 * and the file of rules that tells it so (docs/recommend.md).
 *
 * The choices of the library run on the platform, by the engine flow, at numbers of ranks from one
 * node to the whole cluster and at sizes from one byte on; the same engine runs the plan of the
 * library's default. Estimates of their real time decide what fits into the budget, so that results
 * do not depend on the machine's load. Small numbers of ranks come first: what loses there by far
 * waits behind the rest at larger ones, and what would take too long has a prediction from there.
 */
#ifndef STUDIES_RECOMMEND_RECOMMEND_H
#define STUDIES_RECOMMEND_RECOMMEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/point/group_words.h"
#include "experiments/point/point.h"
#include "experiments/rows/rows.h"
#include "mpi/vendors/rules/rules.h"
#include "support/error.h"
#include "support/output/table.h"

/* ---- The cluster ----------------------------------------------------------------------------- */

enum { RECOMMEND_CLUSTER_NOTES = 12 };

/* What a user knows of a cluster; 0 and NULL: not said. */
struct recommend_cluster {
    int32_t nodes, ppn;
    const char *network;                     /* a platform generator: "fat-tree" */
    const char *nic, *latency;               /* of a node's link, as given */
    char read_nic[32];                       /* the same, from a file */
    int32_t leaf;                            /* nodes of a leaf switch */
    char note[RECOMMEND_CLUSTER_NOTES][300]; /* what is doubtful in a file */
    int notes;
};

/* Fills what is not said from the output of `sinfo` (nodes, processors), `lstopo` (processors; as
 * text or XML) or `ibnetdiscover` (nodes, link speed, nodes of a leaf switch), and adds notes.
 * RB_EINVAL with a line that names the file, RB_EIO. */
int recommend_read_topology(const char *path, struct recommend_cluster *cluster,
                            struct sup_error *error);

/* The platform of the generator's smallest shape that holds the nodes. The caller frees the text.
 * RB_EINVAL, with a message that names the option. */
int recommend_platform(const struct recommend_cluster *cluster, char **text,
                       struct sup_error *error);

/* ---- The recommendation ---------------------------------------------------------------------- */

enum { RECOMMEND_MOST_RANKS = 1 << 24 };

struct recommend_request {
    const struct point_known_platform *platform; /* NULL: measured rows say it */
    const char *where; /* the platform, or the machine that was measured */
    int32_t nodes, ppn;
    const char *const *collective;
    int32_t collectives;
    const struct rules_format *format; /* of the library's rules */
    const char *base;                  /* as in rules_head */
    double budget_s;                   /* of processors, by estimate, for all simulations */
    bool quick;                        /* fewer p and sizes */
    int32_t jobs;
    const struct rows_row *const *row; /* measured rows of the machine, in place of simulation */
    size_t rows;
};

enum recommend_source {
    RECOMMEND_NOT_REACHED, /* no time */
    RECOMMEND_SIMULATED,
    RECOMMEND_PREDICTED, /* from fewer ranks, by the closed form's ratio; or by a fitted model */
    RECOMMEND_MEASURED,
    RECOMMEND_SOURCES
};
extern const char *const recommend_source_names[RECOMMEND_SOURCES];

enum recommend_whose { RECOMMEND_LIBRARY, RECOMMEND_DEFAULT, RECOMMEND_OURS };

/* One way to do a call. */
struct recommend_try {
    enum recommend_whose whose;
    struct point point; /* its cost_s is an estimate */
    int64_t segment_bytes;
    enum recommend_source source;
    double time_s;        /* NAN: not reached */
    double low_s, high_s; /* of a prediction by a fitted model; NAN: not known */
    double expected_s;    /* from fewer ranks; NAN: not known */
    struct point_bound bound;
};

/* One call: a collective, p and a size. Pointers are to tries of the answer; NULL: none. */
struct recommend_cell {
    int32_t collective, p;
    int64_t size, m_bytes; /* size: in the library's measure (rules.h) */
    size_t first, count;   /* of its tries */
    const struct recommend_try *standard, *ours;
    const struct recommend_try *best; /* what the file makes the library take */
    char name[96];                    /* the library's name of it; "": its own choice */
};

struct recommend_answer {
    struct recommend_cell *cell; /* by collective, p, size; owned */
    size_t cells;
    struct recommend_try *try_; /* owned */
    size_t tries;
    char *file; /* the rules; owned */
    size_t file_size;
    struct rules_notes notes;
    int64_t source[RECOMMEND_SOURCES];
    int32_t confirmed; /* runs by simgrid, and their largest difference */
    double difference;
    char fit[200];                    /* what the model says of its fit to measured rows */
    struct sup_error unconfirmed;     /* why one failed; empty: none */
    struct point_groupings groupings; /* of all tries */
    int64_t failed;                   /* simulations, but for those that took too long */
    struct sup_error failure;         /* of the first of them */
    char native[32];
    struct point_rule *rules; /* of all points; owned */
};

/* The caller frees the answer, also on failure. RB_EINVAL; errors of sup_pool_run. */
int recommend(const struct recommend_request *request, struct recommend_answer *answer,
              struct sup_error *error);
void recommend_free(struct recommend_answer *answer); /* safe on a zeroed struct */

/* ---- The page -------------------------------------------------------------------------------- */

enum recommend_format { RECOMMEND_TEXT, RECOMMEND_HTML, RECOMMEND_JSON };

/* `words` of the command that made it, ends with NULL; `output`: the rules file, or NULL. Write
 * errors show in the stream. */
void recommend_print(const struct recommend_request *request, const struct recommend_answer *answer,
                     enum recommend_format format, char *const words[], const char *output,
                     FILE *stream);

#endif
