/* recommend.h - from a cluster in a user's words to the algorithms that an MPI library should take,
 * and the file of rules that tells it so (docs/recommend.md).
 *
 * The choices of the library run on the platform, by the engine flow, at numbers of ranks from one
 * node to the whole cluster and at sizes from one byte on; the same engine runs the plan of the
 * library's default. Estimates of their real time decide what fits into the budget, so that results
 * do not depend on the machine's load. Small numbers of ranks come first: what loses there by far
 * waits behind the rest at larger ones, and what would take too long has a prediction from there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "experiments/point/point.h"
#include "experiments/point/words.h"
#include "experiments/rows/rows.h"
#include "mpi/vendors/rules/rules.h"
#include "support/error.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

/* ---- The cluster ----------------------------------------------------------------------------- */

enum { RECOMMEND_CLUSTER_NOTES = 12 };

/* What a user knows of a cluster; 0 and NULL: not said. */
struct recommend_cluster {
    int32_t nodes, ppn, nics;
    bool gpus;                               /* a rank has a GPU */
    const char *wiring;                      /* a topology file of NCCL, whose nodes these are */
    const char *network;                     /* a platform generator: "fat-tree" */
    const char *nic, *latency;               /* of a node's link, as given */
    char read_nic[32];                       /* the same, from a file */
    int32_t leaf;                            /* nodes of a leaf switch */
    char note[RECOMMEND_CLUSTER_NOTES][300]; /* what is doubtful in a file */
    int notes;
};

/* Fills what is not said from the output of `sinfo` (nodes, processors), `lstopo` (processors; as
 * text or XML) or `ibnetdiscover` (nodes, link speed, nodes of a leaf switch), and adds notes. A
 * topology of NCCL (NCCL_TOPO_FILE) becomes the `wiring`.
 * RB_EINVAL with a line that names the file, RB_EIO. */
int recommend_read_topology(const char *path, struct recommend_cluster *cluster,
                            struct sup_error *error);

/* The platform of the generator's smallest shape that holds the nodes. Of rails nodes have as many
 * network interfaces as are given, else a rank each of GPUs, else the most up to 8 that have as
 * many ranks each; and 8 without ranks. The caller frees the text. RB_EINVAL, with a message that
 * names the option. */
int recommend_platform(const struct recommend_cluster *cluster, char **text,
                       struct sup_error *error);

/* ---- The recommendation ---------------------------------------------------------------------- */

enum { RECOMMEND_MOST_RANKS = 1 << 24 };

/* A model of measured rows of any machines. */
struct recommend_learnt {
    struct predict_model *model; /* owned; NULL: none, because */
    struct sup_error why;
    const struct rows_row **row; /* that it is fitted to; owned, the rows are the set's */
    int32_t rows;
    char machines[160];
    const char *left_out; /* a system that is not fitted; NULL: none */
};
/* Fits it to the rows of all systems but learnt->left_out; all else of *learnt is zeroed before,
 * and freed by the caller also after a failure. Errors of a fit; if it can't be done, RB_OK and the
 * reason. Some seconds for thousands of rows. */
int recommend_learn(const struct rows_set *set, struct recommend_learnt *learnt,
                    struct sup_error *error);
/* Likewise to the rows that Roundabout has, which must live as long, but for those of a system that
 * is called so (NULL: of none); if there are none, RB_OK and the reason. */
int recommend_learn_shipped(const char *system, struct rows_taken *taken,
                            struct recommend_learnt *learnt, struct sup_error *error);
void recommend_forget(struct recommend_learnt *learnt); /* safe on a zeroed struct */
/* True if rows of Roundabout's can say anything of a platform; else why not. */
bool recommend_fits_rows(const char *platform, struct sup_error *why);

/* RB_EINVAL if no measured row is like the times of a setting, or there is no model. */
int recommend_check_setting(const struct recommend_learnt *learnt, const struct point *setting,
                            struct sup_error *error);
/* Gives simulated curves the times of a model, for a library whose rules are to be made or NULL,
 * and notes on that. Leaves out what it can't say. Errors of recommend_check_setting and of a
 * model; RB_EINVAL if nothing is left. */
int recommend_correct_curves(const struct recommend_learnt *learnt,
                             const struct rules_format *format, struct decide_curves *data,
                             struct out_verdict *notes, struct sup_error *error);
/* Says what a model is fitted to, and which collectives it doesn't know. */
void recommend_say_learnt(const struct recommend_learnt *learnt, const char *unknown,
                          struct out_verdict *verdict);

struct recommend_request {
    const struct point_known_platform *platform; /* NULL: measured rows say it */
    const char *where; /* the platform, or the machine that was measured */
    int32_t nodes, ppn;
    int32_t ranks_per_host; /* where a node has several hosts (rails); 0: ppn */
    const char *const *collective;
    int32_t collectives;
    const struct rules_format *format; /* of the library's rules */
    const char *base;                  /* as in rules_head */
    double budget_s;                   /* of processors, by estimate, for all simulations */
    bool quick;                        /* fewer p and sizes */
    int32_t jobs;
    const struct rows_row *const *row; /* measured rows of the machine, in place of simulation */
    size_t rows;
    const struct recommend_learnt *learnt; /* corrects simulated times; NULL: these count */
    const struct rows_row *const *judged;  /* measured rows whose numbers of ranks and sizes are
                                            * asked about, and no other; their times don't count */
    size_t judged_rows;
    const struct rows_row *const *tried; /* measured with the rules and without them; NULL: none */
    size_t tried_rows;
};

/* What a way was run by; of each way of the decision, which points to it (`more`). */
struct recommend_try {
    struct point point;       /* its cost_s is an estimate */
    const char *protocol;     /* of NCCL's: "LL128"; NULL: none is known */
    double expected_s;        /* from fewer ranks; NAN: not known */
    double logs;              /* of measured rows: the sum of their times' logarithms, */
    int32_t rows;             /* and how many they are */
    struct point_bound bound; /* of a simulated one */
};

/* What was found of a call that was tried, by pairs of jobs without the rules and with them. A gain
 * is how many times longer the former take. */
struct recommend_tried {
    size_t call;          /* its number in the decision */
    const char *choice;   /* what the rules took there */
    double promised;      /* the gain by the times that made the rules; NAN: not known */
    double gain;          /* measured: geometric mean of the pairs, */
    double low, high;     /* the least and the largest */
    double own_s, time_s; /* geometric means */
    int32_t pairs;
    const char *found; /* "faster" or "slower" in all pairs, "as fast"; "open": in too few */
};
/* Of a rule for one number of ranks: nowhere slower; slower at some sizes, or all, that were tried;
 * not tried. */
enum recommend_fate {
    RECOMMEND_HELD,
    RECOMMEND_MOVED,
    RECOMMEND_DROPPED,
    RECOMMEND_OPEN,
    RECOMMEND_FATES
};
struct recommend_trials {
    struct recommend_tried *tried; /* owned; by call */
    size_t count;
    int32_t fate[RECOMMEND_FATES]; /* rules */
    size_t rows;                   /* used, also of the rules that these come of */
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
    int64_t simulated;                /* ways, of which a model may have corrected the times, */
    char unknown[160];                /* but for these collectives, that its rows don't know */
    char fit[300];                    /* what the model says of its fit to measured rows */
    struct sup_error unconfirmed;     /* why one failed; empty: none */
    struct point_groupings groupings; /* of all ways */
    char native[32];
    struct point_rule *rules; /* of all points; owned */
    size_t rule_count;
    struct recommend_trials trials;
};

/* The caller frees the answer, also on failure. RB_EINVAL; errors of sup_pool_run. */
int recommend(const struct recommend_request *request, struct recommend_answer *answer,
              struct sup_error *error);
void recommend_free(struct recommend_answer *answer); /* safe on a zeroed struct */

/* Recommends for the numbers of ranks, ranks per node and sizes of the request's judged rows, which
 * are of one machine, without segments; prints, as a table or JSON, how much longer than the least
 * of the library's measured times what is recommended took, and its own choice. Errors of
 * `recommend`; RB_EINVAL if no point can be judged. */
int recommend_judge(const struct recommend_request *request, bool json, FILE *stream,
                    struct sup_error *error);

/* ---- Trying it on the machine ---------------------------------------------------------------- */

/* Rows of native calls that such a script measured are labelled with the side, the pair and the
 * hash of the rules: "rules 1755081000.1 0123456789abcdef". */
struct recommend_trial {
    double time_s;          /* that all jobs may take */
    const char *name;       /* of the script, without directories */
    char *const *words;     /* of the command, ends with NULL */
    size_t tried, left_out; /* set: calls, and those for which the time is too short */
};
/* RB_EINVAL if there is nothing to try. Write errors show in the stream. */
int recommend_write_try(const struct recommend_request *request,
                        const struct recommend_answer *answer, struct recommend_trial *trial,
                        FILE *stream, struct sup_error *error);

/* ---- The page -------------------------------------------------------------------------------- */

enum recommend_format { RECOMMEND_TEXT, RECOMMEND_HTML, RECOMMEND_JSON };

/* Says by what times are corrected, or why they are not. */
void recommend_say_model(const struct recommend_request *request,
                         const struct recommend_answer *answer, struct out_verdict *verdict);

struct recommend_printing {
    enum recommend_format format;
    bool details;                        /* of text: all that is known, not one screen */
    char *const *words;                  /* of the command, ends with NULL */
    const char *output;                  /* the rules file, or NULL */
    const char *script;                  /* of --try, or NULL, */
    const struct recommend_trial *trial; /* and what is in it */
};

/* RB_EFAILED if the page's style sheet can't be read; write errors show in the stream. */
int recommend_print(const struct recommend_request *request, const struct recommend_answer *answer,
                    const struct recommend_printing *how, FILE *stream, struct sup_error *error);

/* ---- Its steps, private to this folder ------------------------------------------------------- */

struct predict_model;

struct recommend_work {
    const struct recommend_request *request;
    struct recommend_answer *answer;
    struct decide *decision;       /* of the answer */
    const struct rules_call *call; /* of the present collective */
    struct point common;           /* all but a try's plan and size */
    size_t previous, step, end;    /* calls with fewer ranks, the present ones, and their end */
    double left_s, weight;         /* of the budget; of the steps to come */
    size_t *order;                 /* of the ways that run; owned */
    size_t count;
    struct predict_model *model; /* of the measured rows; owned, */
    double model_left_s;         /* of a budget for times of request->learnt, as large as left_s */
    struct rows_row *assumed;    /* and of these copies of them; owned */
    struct sup_error *error;
};

/* ---- Calls, and what could be done (tries.c) ---- */

enum { RECOMMEND_VALUES = 256 };
/* Numbers of ranks, rising: those that are looked at, and those that were measured. */
size_t recommend_ranks(const struct recommend_request *request, int64_t p[RECOMMEND_VALUES]);
/* The sizes for p ranks in bytes of all data, rising. */
size_t recommend_sizes(const struct recommend_work *work, const char *collective, int32_t p,
                       int64_t m[RECOMMEND_VALUES]);
/* Adds the last call's ways of the library, its own and, with `ours`, plans that it lacks. */
void recommend_add_ways(struct recommend_work *work, bool ours);
/* Adds a way of the last call with its plan, which the library calls `name`, if there is such a
 * plan. */
enum recommend_whose { RECOMMEND_LIBRARY, RECOMMEND_OWN, RECOMMEND_OURS };
void recommend_add_way(struct recommend_work *work, enum recommend_whose whose, const char *name,
                       const struct rb_plan_spec *plan, int64_t segment_bytes);

/* Adds the library's own way to the last call: what the i-th way does. */
void recommend_add_own(struct recommend_work *work, size_t i);

/* ---- Times ---- */

bool recommend_is_nccl(const struct recommend_request *request);
/* Times the last call's ways of NCCL by its cost model, and adds its own choice.
 * RB_EINVAL: none of them has a time. */
int recommend_compute(struct recommend_work *work);

/* Simulates the ways of the present calls within a share of the budget (simulate.c). */
int recommend_simulate(struct recommend_work *work);
/* Runs some of the choices by simgrid. */
int recommend_confirm(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error);
/* Gives the ways of the calls from `first` on, all of one collective, the times of request->learnt,
 * and where it can't say, those that are simulated, times the ratio of others. Within one node,
 * where nobody measured, times stay simulated. */
int recommend_correct(struct recommend_work *work, size_t first);
/* Adds the ways of the last call with times that were measured, or are predicted (measured.c). */
int recommend_measure(struct recommend_work *work);
/* Fits the model. */
int recommend_fit(struct recommend_work *work);

/* ---- What was tried (try.c) ---- */

/* Of all choices: the same for the same rules. */
uint64_t recommend_hash(const struct decide *decision);
/* Judges the rules by what was tried of them, and gives ways the times from which better ones are
 * made. False: nothing of these rules was tried. */
bool recommend_judge_tried(struct recommend_work *work);

/* ---- A cluster from other programs' output, private to this folder --------------------------- */

enum { RECOMMEND_NAME = 80, RECOMMEND_MOST_PPN = 1 << 16, RECOMMEND_MOST_NODES = 1 << 20 };

/* An adapter of a node, and a link of a switch to one. */
struct recommend_adapter {
    char guid[RECOMMEND_NAME], node[RECOMMEND_NAME]; /* node "": it has no name */
    bool named;                                      /* by its description */
    uint64_t number, board;                          /* of the guid, of the board; 0: not known */
};
struct recommend_link {
    char guid[RECOMMEND_NAME], node[RECOMMEND_NAME];
    int32_t from; /* number of the switch */
};

struct recommend_topology {
    const char *path;
    int line, kind;
    char (*name)[RECOMMEND_NAME]; /* owned: of nodes, some of them several times */
    size_t names;
    int64_t counted;            /* nodes without names */
    int64_t cores, most_cores;  /* the least and the most of a node */
    int64_t gpus;               /* the least of a node that has some; 0: none is known */
    int column[16], columns;    /* of sinfo: what each is, and how many; 0: no heading */
    int64_t unknown, open, out; /* lines of sinfo: without processors, with "20+", of nodes that
                                 * are down */
    struct recommend_adapter *adapter; /* owned */
    struct recommend_link *link;       /* owned */
    size_t adapters, links;
    uint64_t board;
    int32_t switches, at_switch; /* how many, and that whose links follow; 0: none */
    int64_t aggregating;
    double gbps;         /* the fastest link of a node */
    int32_t leaf, rails; /* nodes of the leaf switch that has most; usual adapters of a node */
    struct recommend_cluster *cluster;
    struct sup_error *error;
};

void recommend_topology_add_name(struct recommend_topology *topology, const char *name,
                                 size_t length);
/* Adds a note on what is doubtful, as long as there is room. */
void recommend_topology_note(struct recommend_topology *topology, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True if a line begins the output of sinfo; reads a line; adds notes at the end. */
bool recommend_topology_is_sinfo(const char *line);
int recommend_topology_read_sinfo(struct recommend_topology *topology, const char *line);
void recommend_topology_end_sinfo(struct recommend_topology *topology);

/* Likewise, of ibnetdiscover; at the end it names the nodes. */
bool recommend_topology_is_ibnet(const char *line);
void recommend_topology_read_ibnet(struct recommend_topology *topology, const char *line);
void recommend_topology_end_ibnet(struct recommend_topology *topology);
