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

#include "experiments/decide/decide.h"
#include "experiments/point/point.h"
#include "experiments/point/words.h"
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

/* What a way was run by; of each way of the decision, which points to it (`more`). */
struct recommend_try {
    struct point point;       /* its cost_s is an estimate */
    double expected_s;        /* from fewer ranks; NAN: not known */
    double logs;              /* of measured rows: the sum of their times' logarithms, */
    int32_t rows;             /* and how many they are */
    struct point_bound bound; /* of a simulated one */
};

struct recommend_answer {
    struct decide decision;     /* its choices are what the file makes the library take */
    struct recommend_try *try_; /* by way; owned */
    char *file;                 /* the rules; owned */
    size_t file_size;
    struct rules_notes notes;
    int64_t source[DECIDE_SOURCES]; /* ways */
    int32_t confirmed;              /* runs by simgrid, and their largest difference */
    double difference;
    char fit[200];                    /* what the model says of its fit to measured rows */
    struct sup_error unconfirmed;     /* why one failed; empty: none */
    struct point_groupings groupings; /* of all ways */
    char native[32];
    struct point_rule *rules; /* of all points; owned */
    size_t rule_count;
};

/* The caller frees the answer, also on failure. RB_EINVAL; errors of sup_pool_run. */
int recommend(const struct recommend_request *request, struct recommend_answer *answer,
              struct sup_error *error);
void recommend_free(struct recommend_answer *answer); /* safe on a zeroed struct */

/* ---- The page -------------------------------------------------------------------------------- */

enum recommend_format { RECOMMEND_TEXT, RECOMMEND_HTML, RECOMMEND_JSON };

struct recommend_printing {
    enum recommend_format format;
    bool details;       /* of text: all that is known, not one screen */
    char *const *words; /* of the command, ends with NULL */
    const char *output; /* the rules file, or NULL */
};

/* RB_EFAILED if the page's style sheet can't be read; write errors show in the stream. */
int recommend_print(const struct recommend_request *request, const struct recommend_answer *answer,
                    const struct recommend_printing *how, FILE *stream, struct sup_error *error);

#endif
