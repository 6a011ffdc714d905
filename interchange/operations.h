/* operations.h - a plan as a list of operations, and the algorithm that has this one plan. */
#ifndef INTERCHANGE_OPERATIONS_H
#define INTERCHANGE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interchange/programs/prove.h"
#include "roundabout.h"
#include "schedules/plan/plan.h"
#include "support/csv.h"

/* What a file says of the whole plan. Values that it doesn't say are derived from the operations.
 */
struct inter_header {
    char collective[64];               /* "": not said */
    char instance[RB_INSTANCE_LENGTH]; /* "": not said, or none */
    int32_t p, ports;                  /* 0: not said */
    int32_t root;                      /* -1: not said */
    int64_t n, blocks, rounds;         /* blocks: of an owner; 0: not said; rounds: -1 */
};

/* An operation on blocks that follow one another, in half the room of struct rb_op. */
struct inter_op {
    int32_t peer, owner, first, count;
    int32_t from_owner, from_first;
    uint16_t port;
    uint8_t kind : 4, incoming_is_left : 1;
    uint8_t buffer : 4, from_buffer : 4;
    int32_t line; /* of the file */
};

/* Operations of a rank's round: op[first .. end - 1]. */
struct inter_place {
    int32_t rank, round;
    size_t first, end;
};

/* The largest number of an owner's blocks. */
#define INTER_MAX_BLOCKS ((int64_t)INT32_MAX - 1)

/* The largest number in any operation, and its column and line; -1: there is none. */
struct inter_largest {
    int32_t value, line;
    const char *column;
};

/* How TMP has rows in personalized collectives (rb_plan_location). */
enum inter_tmp { INTER_TMP_BY_DISTANCE, INTER_TMP_MIRRORED, INTER_TMP_BY_PAIR, INTER_TMPS };

struct inter_plan {
    struct rb_algorithm algorithm; /* first member: its functions find the rest */
    struct rb_plan_only only;
    const char *path;        /* of the file; stays as long as the plan */
    struct sup_error *error; /* for messages while the file is read */
    struct inter_header header;
    uint32_t buffers;
    enum inter_tmp tmp;
    int64_t slot_blocks; /* rb_plan_slot_blocks */
    int32_t tmp_rows;    /* that the slots fill */
    int32_t max_ops;
    char *wrong;               /* why the plan is wrong; NULL: every rule of one rank holds */
    struct inter_op *op;       /* owned */
    struct inter_place *place; /* owned; by rank and round */
    size_t ops, places;
    struct inter_program *program; /* owned; of a schedule of another form (interchange.h); NULL */
    size_t size;                   /* bytes of the file */
    struct inter_largest last_rank, last_round, last_owner, last_index, last_port;
};

/* What is kept of a program (interchange/programs/program.h) whose operations these are. */
struct inter_program {
    struct prg_verdict verdict;
    int32_t chunks;     /* into which the collective's data are divided */
    int64_t blocks;     /* the places of a rank, or the messages */
    int64_t *bytes;     /* of each message, for programs without data; owned; or NULL */
    int64_t untimed_ns; /* computation that was read */
    char remarks[200];  /* of the reader; "" */
};

/* A plan without operations, of which nothing is said, for a file of `size` bytes. */
void inter_plan_init(struct inter_plan *plan, const char *path, size_t size,
                     struct sup_error *error);
void inter_plan_free(struct inter_plan *plan);

/* RB_EINVAL with the path, a line of the file (from 1) and what is wrong in it. */
int inter_fail(const struct inter_plan *plan, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a file of so many bytes may ask for so many bytes of memory, or so many steps: a plan
 * that is right needs some per row. Checked before they are asked for. */
enum { INTER_RANK_BYTES = 256 }; /* of a rank, in any engine, at least */
bool inter_may_need(size_t file, double bytes);

/* Adds an operation of a rank in a round, with its line of the file. Its kind, buffers and counts
 * are right; all other values may be any, and must be within what the header says, or can say.
 * RB_EINVAL. */
int inter_add(struct inter_plan *plan, int32_t line, int64_t round, int64_t rank,
              const struct rb_op *op);

/* Makes plan->algorithm, for a collective, after the last operation. name: that of the algorithm,
 * which must stay. RB_EINVAL if the header is of another collective or contradicts itself; a plan
 * that breaks a rule of rb_op is an algorithm whose `init` says so. O(operations log operations).
 */
int inter_plan_finish(struct inter_plan *plan, const struct rb_collective *collective,
                      const char *name);

#endif
