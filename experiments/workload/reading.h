/* reading.h - private to this folder: a workload file while it is read, and what stays of it. */
#pragma once

#include <stdio.h>

#include "experiments/workload/workload_file.h"
#include "interchange/goal.h"

/* Of all jobs; of the ranks of all jobs, and of a job's in all its sets and `only`; of all
 * programs; of what a rank does, repeats included. */
enum {
    WORKLOAD_JOBS = 1000,
    WORKLOAD_RANKS = 1 << 24,
    WORKLOAD_PLACES = 1 << 26,
    WORKLOAD_STEPS = 10000,
    WORKLOAD_PASSES = 1000000000,
};

/* A plan that was made for a step: for communicators of a size, or for one of them, and a root. */
struct workload_made {
    int32_t shape, root;
    struct rb_plan *plan; /* owned */
    struct rb_layout layout;
    int64_t *first; /* of the layout */
};

/* What the context of a workload has of a step, and of a job. */
struct workload_step {
    struct workload_move move;
    struct workload_made **made; /* by rising shape and root */
    size_t count;
};
struct workload_part {
    const struct sim_job *job;
    struct workload_step *step; /* as many as the job has */
    int32_t steps;
    const struct sweep_node *node, *hosts; /* the job's; of `hosts`, NULL: it has none */
    double alpha_s, beta_s_per_byte;
    int32_t *host; /* per rank, of the platform; NULL: not known yet */
};
struct workload_file {
    char *path;
    struct sweep_document document;
    const struct sweep_node *jobs;
    struct workload_part *part; /* per job */
    int32_t parts;
    struct out_verdict said; /* workload_said */
};

enum { WORKLOAD_LABELS = 64 };

/* A label that a step waits for, within the repeat that is around all others; -1: in none. */
struct workload_wait {
    const struct sweep_node *node;
    int32_t label, step, outermost;
};

struct workload_reading {
    struct sim_workload *workload;
    struct workload_file *file;
    const struct sweep_document *document;
    struct sup_error *error;
    int64_t seed;
    int32_t ranks, steps; /* of all jobs so far */
    int64_t places;       /* of sets and `only`, so far */
    int64_t planned;      /* ranks of plans that were tried */
    void *into;           /* what the keys of the mapping that is being read set */
    /* Of the job that is being read: */
    struct sim_job *job;
    struct workload_part *part;
    int32_t step; /* that is being read */
    int64_t repetitions;
    const struct sweep_node *program, *graph;          /* one of them; NULL: the other */
    const struct sweep_node *collectives;              /* of a graph; NULL: none */
    double speed;                                      /* of a graph; 0: not known */
    const struct sweep_node *started[WORKLOAD_LABELS]; /* where a label is started first */
    int32_t started_at[WORKLOAD_LABELS];               /* by this step */
    struct workload_wait *wait;                        /* owned */
    size_t waits;
    int32_t depth;     /* of repeats */
    int32_t outermost; /* repeat around the step; -1: none */
    double times;      /* of all repeats around the step */
    double passes;     /* of all steps so far */
};

/* The communicators of the step that is being read. */
static inline const struct sim_communicators *
workload_set_of(const struct workload_reading *reading)
{
    return &reading->job->set[reading->job->step[reading->step].set];
}

/* sweep_fault about the file that is read; of a parser's status, with its message unless that is
 * RB_OK. */
int workload_fault(const struct workload_reading *reading, const struct sweep_node *node,
                   const char *key, const char *what, ...) __attribute__((format(printf, 4, 5)));
int workload_blame(const struct workload_reading *reading, const struct sweep_node *node,
                   const char *key, int status, const struct sup_error *why);
/* That a mapping has the key. */
int workload_require(const struct workload_reading *reading, const struct sweep_node *node,
                     const char *key);

/* Reads a mapping by its table; the context of the table's readers is the reading. */
int workload_read_mapping(struct workload_reading *reading, const struct sweep_node *node,
                          const struct workload_keys *keys, void *into);

/* Readers of tables, which set what is at `at` in `into`: an int32_t from `least` to `largest`, 0:
 * the job's ranks; seconds, a double; a bool, whether it is the second of two words; a struct
 * sim_grid; and of the step that is read its set. */
typedef int workload_reader(void *context, const struct sweep_field *field,
                            const struct sweep_node *node);
workload_reader workload_take_number, workload_take_time, workload_take_choice, workload_take_grid,
    workload_take_set;

/* A whole number, and a time; with a message about the node. */
int workload_read_time(const struct workload_reading *reading, const char *key,
                       const struct sweep_node *node, double *seconds);
int workload_read_whole(const struct workload_reading *reading, const char *key,
                        const struct sweep_node *node, int64_t least, int64_t most, int64_t *value);

/* Takes room for something per rank of the job; RB_EINVAL: there are too many. */
int workload_take_places(struct workload_reading *reading, const char *key,
                         const struct sweep_node *node);
int workload_by_number(const void *a, const void *b); /* for qsort: values int64_t */

/* Calls `take` for each line RANK,VALUE of a file, which may begin with a heading, with the value's
 * text; no rank comes twice. Messages, also those of `take`, begin with the file's name and line.
 */
int workload_read_ranks(const struct workload_reading *reading, const char *path,
                        int (*take)(void *context, const int32_t rank[2], const char *text,
                                    struct sup_error *error),
                        void *context);

/* Values of fields of a job (communicators.c, program.c). */
workload_reader workload_read_sets;
double workload_grid_places(const struct sim_grid *grid);
int workload_read_program(struct workload_reading *reading);

/* A collective in a trace, of all ranks or of those of a group, of which the first is all ranks. */
struct workload_call {
    const char *action, *collective; /* static */
    int32_t root, element;
    int64_t bytes;
    int32_t group;
};
struct workload_group {
    char *name; /* owned */
    bool *is;   /* per rank; owned */
    int32_t count;
    int32_t set; /* of the job, of which it is a communicator */
};
/* A time-independent trace, or Chakra's: dag[r] as inter_read_goal_graph gives it, but for
 * computing, which is in picoseconds; a receive has the bytes that it has room for; and a step's
 * `count`, which is k + 1 for collective number k and else 0. */
struct workload_trace {
    double speed; /* flops per second, before it is read; 0: not known */
    struct prg_program program;
    struct inter_dag *dag;
    struct workload_call *call; /* owned, as all */
    int32_t calls;
    struct workload_group *group; /* NULL: all is of all ranks */
    int32_t groups;
    bool nodes;  /* Chakra's: lines are numbers of nodes */
    char **path; /* one of all ranks, or one of each */
    int32_t paths;
    int64_t left_out; /* actions, or nodes */
    int64_t unknown;  /* of these, of types that are not known */
    int32_t unknown_type;
};
/* Reads it from a file or a list of files; of Chakra's from a directory or the file PREFIX.0.et.
 * RB_EINVAL with one line "FILE:LINE: ACTION: ..." or "FILE: node N: ...", RB_EIO. The caller frees
 * it, also after a failure. */
typedef int workload_trace_reader(const char *path, struct workload_trace *trace,
                                  struct sup_error *error);
workload_trace_reader workload_read_trace, workload_read_chakra;
/* What a source writes of a trace that is read so. */
struct workload_wishes;
int workload_write_trace(workload_trace_reader *read, const char *path,
                         const struct workload_wishes *wishes, FILE *text, struct sup_error *error);
void workload_free_trace(struct workload_trace *trace);
const char *workload_trace_path(const struct workload_trace *trace, int32_t rank); /* its file */

/* The job does what this file says (graph.c). */
int workload_read_graph(struct workload_reading *reading, const struct sweep_node *node);

extern const struct workload_keys workload_set_keys, workload_step_keys, workload_duration_keys,
    workload_move_keys, workload_pattern_keys;

/* Words of algorithms, and of groups. */
#define WORKLOAD_BEST  "best"
#define WORKLOAD_RULES "rules:"
#define WORKLOAD_HOST  "host"

/* A library chooses the algorithm and its blocks. */
bool workload_is_librarys(const struct workload_move *move);
/* Whether there is a plan for p ranks, each on a host of its own; RB_EINVAL with why not. */
int workload_try_plan(const struct workload_move *move, int32_t p, struct sup_error *error);

/* Ranges of whole numbers, "0..31", also in lists. */
struct sup_list;
int workload_read_numbers(const struct workload_reading *reading, const char *key,
                          const struct sweep_node *node, int64_t most, struct sup_list *list);

/* Values of fields of a step: what it moves, by the collective or the pattern that the field is,
 * after checks that there are plans for its communicators; and how long it computes. */
workload_reader workload_read_move, workload_read_pattern;
int workload_read_duration(struct workload_reading *reading, const struct sweep_node *node,
                           const char *key, struct sim_duration *duration);
/* That there are plans for the step, whose keys are the node's; NULL: it has none. */
int workload_check_plans(struct workload_reading *reading, const struct sweep_node *node);
int workload_plan_of(void *context, int32_t job, int32_t step, int32_t communicator,
                     int64_t counter, struct sim_step_plan *plan, struct sup_error *error);
void workload_free_step(struct workload_step *step);
