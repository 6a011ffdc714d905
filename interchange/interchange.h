/* interchange.h - plans of other programs: the formats in which they can be read, and --algorithm
 * file:NAME. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interchange/programs/program.h"
#include "interchange/programs/prove.h"
#include "roundabout.h"
#include "schedules/plan/plan.h"
#include "support/csv.h"

/* ---- Plans as lists of operations ------------------------------------------------------------ */

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

/* ---- The formats ----------------------------------------------------------------------------- */

/* The formats in which a plan can be read: for --algorithm file:NAME.
 *
 * A new format is one file NAME.c here, with a const struct inter_reader, and its line in the
 * table of interchange.c. `read` goes through the file's text, fills in what it says of the whole
 * plan (plan->header), and calls inter_add for each operation, in any order. All else is common:
 * the hash, values that the file doesn't say, the order of operations and their merging, the checks
 * of rules 1 to 9 of rb_op, and the descriptor of an algorithm. */

struct inter_reader {
    const char *title; /* for messages */
    /* Whether a file that begins so, after blanks, is of this format. The text is the whole file,
     * and ends with a zero byte. */
    bool (*knows)(const char *text);
    /* lines->next is the whole text, which the reader may change, by lines (support/csv.h) or
     * otherwise. RB_EINVAL with path and line (inter_fail). */
    int (*read)(struct sup_lines *lines, struct inter_plan *plan);
};

extern const struct inter_reader inter_plan_csv, inter_plan_json; /* plan_file.c */
extern const struct inter_reader inter_goal_reader, inter_mscclpp_reader, inter_msccl_reader;

/* Reads a text in any of the formats into an empty plan. It may free the text (lines->text is NULL
 * then). RB_EINVAL. */
int inter_read(struct sup_lines *lines, struct inter_plan *plan);

/* ---- Programs as plans ----------------------------------------------------------------------- */

/* Schedules that are no round plans, as plans: proved when they are read, then replayed by
 * engines. */

/* prg_finish, whose message it begins with the path. */
int inter_finish_program(struct prg_program *program, const char *path, struct sup_error *error);

/* For readers, after the last step and prg_finish: proves the program, and adds its
 * operations if it is right; otherwise the plan is wrong for the reason that was found. slots: what
 * a FIFO holds where the program is to run (PRG_NCCL_SLOTS); a program that needs more is wrong. 0:
 * any. Frees the file's text first, because a proof takes much memory, too, and the program in any
 * case. RB_EINVAL, RB_ENOMEM with a message; no memory is asked for that the steps of a file of
 * this size can't need. */
int inter_take_program(struct inter_plan *plan, struct sup_lines *lines,
                       struct prg_program *program, int64_t slots);

/* What a proof has found, in one line for people. */
void inter_program_note(const struct prg_verdict *proof, char *text, size_t size);

/* ---- The command line ------------------------------------------------------------------------ */

/* From now on algorithms whose names begin with "file:" are the plans of files (rb_resolve_by). A
 * file is read when it is first named, once for each collective. The algorithm's own name is
 * "file:NAME#HASH", with the hash of the content in 16 digits, and this name is found if the file
 * has that content. */
void inter_start(void);
