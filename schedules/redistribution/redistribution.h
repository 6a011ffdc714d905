/* redistribution.h - internal to the library: timetables under construction, and the methods.
 * roundabout-redistribution.h explains the terms.
 *
 * traffic.c computes the traffic from the problem; a method makes a timetable from the traffic (one
 * file each, listed in list.h); timetable.c checks timetables and computes their facts. */
#pragma once

#include "roundabout-redistribution.h"
#include "schedules/plan/plan.h"

/* Defines a function for qsort: by a member of a type, and where it is equal by another. */
#define REDIST_BY(name, type, member, other)                                                       \
    static int name(const void *left, const void *right)                                           \
    {                                                                                              \
        const type *a = left, *b = right;                                                          \
        return a->member != b->member ? (a->member > b->member) - (a->member < b->member)          \
                                      : (a->other > b->other) - (a->other < b->other);             \
    }                                                                                              \
    static int name(const void *left, const void *right)

/* ---- Formulas -------------------------------------------------------------------------------- */

/* Whether an assignment makes all clauses true (satisfiability.c). */

struct redist_formula;

/* The largest total number of literals in clauses, given and learnt, where each clause counts as
 * two more; a formula that needs more stays undecided. They take up to 150 MB with their data
 * structures; each variable takes 80 to 160 bytes. */
#define REDIST_FORMULA_MOST_WORDS ((size_t)1 << 23)

enum redist_answer { REDIST_NO, REDIST_YES, REDIST_UNDECIDED };

/* A new formula without variables or clauses; the caller frees it. NULL: out of memory. */
struct redist_formula *redist_formula_new(void);
void redist_formula_free(struct redist_formula *formula); /* NULL is fine */

/* A new variable: 1, 2, ... If memory runs out, here and below, redist_formula_solve reports it. */
int32_t redist_formula_variable(struct redist_formula *formula);

/* Adds a clause, which requires that at least one of `count` literals is true: v > 0 says that
 * variable v is true, -v that it is false. No variable twice. Only before the first call of
 * redist_formula_solve. */
void redist_formula_clause(struct redist_formula *formula, const int32_t literal[], size_t count);

/* From now on each clause is kept as it is given, and redist_formula_solve, called once, writes the
 * formula in DIMACS's format and, as DRAT, what it learns; after the answer REDIST_NO that is a
 * proof, each step of which follows by unit propagation. Before the first clause. Comments may be
 * written to `formula` before. The streams stay the caller's, who looks for errors of writing. */
void redist_formula_certify(struct redist_formula *formula, FILE *dimacs, FILE *proof);

/* Searches until it has an answer, has used up the effort (assignments made, which it subtracts),
 * or has no room for learnt clauses. It may be called again with more effort. Deterministic. 0 with
 * the answer, or RB_ENOMEM. */
int redist_formula_solve(struct redist_formula *formula, int64_t *effort,
                         enum redist_answer *answer);

/* After the answer REDIST_YES: the value of this variable. */
bool redist_formula_true(const struct redist_formula *formula, int32_t variable);

/* L = lcm(P r, Q s), or 0 if that is more than RB_MAX_ELEMENTS. */
int64_t redist_cyclic_slice(const struct rb_cyclic *dimension);

/* Appends a piece to a timetable under construction, whose array grows as needed; room is its
 * capacity (0 at first). After RB_ENOMEM the timetable is unchanged. Amortised O(1). */
int redist_timetable_add(struct rb_timetable *timetable, size_t *room, struct rb_piece piece);

/* Call it when all pieces are added: sorts them and sets the length. O(pieces log pieces). */
void redist_timetable_finish(struct rb_timetable *timetable);

/* Enters every message in one piece, which starts at start[message], into an empty timetable.
 * RB_ENOMEM: the caller deinits it. */
int redist_timetable_of_starts(const struct rb_traffic *traffic, const int64_t start[],
                               struct rb_timetable *timetable);

rb_redistribute redist_best, redist_unit, redist_matching, redist_greedy, redist_modular,
    redist_stepwise, redist_stepwise_total, redist_caterpillar;

/* ---- The symmetry of a block-cyclic redistribution ------------------------------------------- */

/* A small table of cells that describes the whole problem.
 *
 * Let r and s have no common factor, M be a multiple of L, and r = r' r'', s = s' s'', P = s' P',
 * Q = r' Q' with r' = gcd(r, Q), s' = gcd(s, P), g0 = gcd(P', Q'), a = P' / g0, b = Q' / g0. How
 * much sender p has for receiver q depends on p r - q s modulo g = r' s' g0 only. It follows:
 *
 * - The communication grid is a x b copies of a tile of s' g0 senders and r' g0 receivers.
 * - In a tile, sender p + s' has for receiver q + r' k what p has for q, k = r''/s'' modulo g0:
 * what goes from senders i, i + s', ... to receivers j, j + r', ... falls into g0 families of g0
 *   messages, none of which share a port. A family can be scheduled as one message.
 * - What remains is an open shop of a s' senders and b r' receivers, with a cell of up to
 *   g0 families between every two. All senders have the same to send there, all receivers the same
 *   to receive. With r'' s'' units in a cell on average, T_opt is r'' s'' max(a s', b r').
 * - If s' = 1, all cells have r'' s'' units, because the b receivers of each of the r' kinds take
 *   the same share of a sender's data; likewise if r' = 1.
 *
 * (16, 9) -> (18, 5): r' = 9, s' = 1, g0 = 2, a = 8, b = 1; 8 x 9 cells of 5 units, T_opt 45. */

/* Sides: 0 senders, 1 receivers. */
struct redist_symmetry {
    int64_t part[2];   /* s', r': kinds of senders, of receivers */
    int64_t copies[2]; /* a, b */
    int64_t families;  /* g0 */
    int64_t slope;     /* k */
    int64_t mean;      /* units of a cell, on average */
    int longer;        /* the side with more ports in the shop: 0 if a s' >= b r' */
    int64_t *length;   /* of families, or 0; owned */
};

/* Where a message is: port inner[side] of copy copy[side], of which family. */
struct redist_symmetry_place {
    int64_t inner[2], copy[2], family;
};

/* True if the problem has one dimension of whole slices of L elements and none stays at its rank.
 */
bool redist_symmetry_applies(const struct rb_redistribution *problem,
                             const struct rb_traffic *traffic);

/* The grid of such a problem. Deinit it also after a failure. RB_ENOMEM. O(messages). */
int redist_symmetry_init(struct redist_symmetry *grid, const struct rb_cyclic *problem,
                         const struct rb_traffic *traffic);
void redist_symmetry_deinit(struct redist_symmetry *grid);

struct redist_symmetry_place redist_symmetry_place(const struct redist_symmetry *grid,
                                                   const struct rb_message *message);

/* Units of the first `families` families of the cell. */
int64_t redist_symmetry_cell(const struct redist_symmetry *grid, int64_t sender, int64_t receiver,
                             int64_t families);

/* What is sorted by keys: messages or ports, longest first by negative lengths. Of equal keys the
 * first number is first. */
struct redist_keyed {
    int64_t key;
    size_t number;
};
void redist_sort(struct redist_keyed keyed[], size_t count);

/* ---- Timetables in synchronised steps -------------------------------------------------------- */

/* Every message belongs to a step, and a step starts when the longest message of the one before
 * has ended. */

/* step[i], 0 <= step[i] < steps, is message i's; a step without messages takes no time. The caller
 * deinits the timetable, and need not after a failure: RB_ENOMEM with why. O(messages log
 * messages). */
int redist_timetable_of_steps(const struct rb_traffic *traffic, const int32_t step[], int32_t steps,
                              struct rb_timetable *timetable, char *why, size_t why_size);

/* Messages of the rank that has most of them, whichever side: the fewest steps (König). RB_ENOMEM.
 */
int redist_steps_fewest(const struct rb_traffic *traffic, int32_t *steps);

/* longest[k], k < fewest steps, such that no choice of steps has the k-th longest shorter than
 * that: as messages of length v or more need as many steps as some rank has of them. Their sum is a
 * bound on the total. The caller's array has redist_steps_fewest entries. RB_ENOMEM. O(messages log
 * messages). */
int redist_steps_bound(const struct rb_traffic *traffic, int64_t longest[]);

/* ---- Timetables without cuts: the open shop -------------------------------------------------- */

/* Operations of given lengths between senders and receivers, each to be done in one piece, none of
 * a sender or of a receiver at the same time as another one, all within `length`: a non-preemptive
 * open shop, whose jobs and machines are the senders and receivers. NP-hard in general (T.
 * Gonzalez and S. Sahni, Open shop scheduling to minimize finish time, 1976). If there is a
 * timetable, there is one whose starts are whole numbers, because each operation can start as
 * early as those before it let it. */

struct redist_shop {
    int32_t senders, receivers;
    size_t count;
    const struct rb_message *op; /* sorted by from, to; there may be several between two */
    int64_t length;              /* when everything has to be done */
};

/* Decides whether there is a timetable; if so, start[i] is when op[i] starts. Exact, but undecided
 * once the effort is used up, if it is less than 16 count length, or if the formula is too large,
 * as it soon is with long operations: of the clauses about starts alone there are as many as
 * operations times starts times lengths. Effort: what the formula's variables, a sixteenth of its
 * literals and the assignments take (above); what was used is taken off. Lengths count
 * in their greatest common divisor. RB_ENOMEM. Memory: up to 250 MB. */
int redist_shop_decide(const struct redist_shop *shop, int64_t *effort, int64_t start[],
                       enum redist_answer *answer);

/* The same, with a certificate (redist_formula_certify): comments in the formula say what its
 * variables mean, and which ports are sorted. If the answer needs no formula, nothing is written.
 */
int redist_shop_certify(const struct redist_shop *shop, FILE *formula, FILE *proof, int64_t *effort,
                        int64_t start[], enum redist_answer *answer);

/* ---- Timetables of T_opt units in which no message is cut (shop.c) -------------------------- */

/* Searches for one: start[i] is when message i of the traffic starts. found says whether one was
 * found; if not, one may still exist. The effort is that of redist_shop_decide, in all;
 * the effort used is subtracted. RB_ENOMEM. problem: NULL for traffic of no array. */
int redist_nocut_search(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found);

/* The part of this search for problems with a grid. */
int redist_nocut_rotation(const struct redist_symmetry *grid, const struct rb_traffic *traffic,
                          int64_t start[], bool *found);

/* ---- Modular classes ------------------------------------------------------------------------- */

/* When each message of the problem's traffic starts if every dimension's M is one slice, lcm(P r,
 * Q s), and the length: T_opt of such arrays on disjoint grids if the same side never rests in all
 * dimensions. The order is good for other M, too. start[] is the caller's, [messages]. RB_EINVAL
 * with why if the problem is NULL, a dimension has less than a slice, or there is no room for its
 * classes; RB_ENOMEM. */
int redist_modular_starts(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                          int64_t start[], int64_t *length, char *why, size_t why_size);

/* ---- Instances ------------------------------------------------------------------------------- */

/* Internal to the library: the data of a redistribution that the collective and its algorithms
 * need. */

/* What plan->problem.own points to. */
struct redist_problem {
    struct rb_redistribution problem;
    struct rb_traffic traffic;
    struct rb_shares shares; /* its messages and copies by rank */
};

static inline struct redist_problem *redist_problem_of(const struct rb_plan *plan)
{
    return plan->problem.own;
}

/* The caller frees it. RB_EINVAL with why, RB_ENOMEM. O(messages log p). */

extern const struct rb_collective redist_collective;

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Makes a plan of a timetable, for the descriptors of the redistribute algorithms.
 *
 * Rounds are the different times at which pieces start, so a rank sends at most one piece and
 * receives at most one piece in a round. The engine determines how long a piece takes: with the
 * overlap rule `data` a rank's sends and receives proceed independently, each in the timetable's
 * order, as the timetable intends; with `lockstep` a round is a step. In round 0 a rank also copies
 * the data that stay with it. One port. Memory: O(pieces), 12 bytes each and 32 for the timetable.
 *
 * An algorithm's name is that of its method (rb_redistribute_methods); a method whose conditions
 * don't hold is RB_ENOTSUP. */

int redist_scheduled_init(struct rb_plan *plan, char *why, size_t why_size);
/* For .suits of methods with conditions: by trying. */
bool redist_scheduled_applies(const struct rb_plan *plan);
void redist_scheduled_fini(struct rb_plan *plan);
int32_t redist_scheduled_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[]);
int64_t redist_scheduled_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);

/* All members of a descriptor except .info. */
#define REDIST_SCHEDULED                                                                           \
    .init = redist_scheduled_init, .fini = redist_scheduled_fini, .round = redist_scheduled_round, \
    .next = redist_scheduled_next
