/* satisfiability.c - a clause-learning search for a satisfying assignment.
 *
 * Source: J. P. Marques-Silva and K. A. Sakallah, GRASP: a search algorithm for propositional
 * satisfiability, 1999 (learning up to the first unique implication point, jumping back); M.
 * Moskewicz, C. Madigan, Y. Zhao, L. Zhang and S. Malik, Chaff: engineering an efficient SAT
 * solver, 2001 (two watched literals, activities); N. Een and N. Soerensson, An extensible
 * SAT-solver, 2003; G. Audemard and L. Simon, Predicting learnt clauses quality in modern SAT
 * solvers, 2009 (which learnt clauses to keep); M. Luby, A. Sinclair and D. Zuckerman, Optimal
 * speedup of Las Vegas algorithms, 1993 (when to start afresh).
 *
 * Literal 2 v is variable v, 2 v + 1 its negation. A clause lies in one array of words: its length,
 * its quality (0: given, else the number of decision levels when it was learnt), its literals, of
 * which the first two are watched: only when a watched literal becomes false, the clause is looked
 * at. Example: (a or b), (not a or b), (a or not b): deciding not a forces b, which contradicts the
 * third clause; what is learnt is a, from which b follows. */
#include "redistribution.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/include/roundabout.h"

enum { HEAD = 2, NONE = -1, RESTART = 128, REDUCE = 4000, REDUCE_MORE = 600, KEEP = 3 };

struct words {
    int32_t *word;
    size_t count, room;
};

struct redist_formula {
    int32_t variables;
    bool out_of_memory, too_large, contradiction;
    struct words clause;            /* all clauses, end to end */
    struct words *watch;            /* by literal: index of the clause, another of its literals */
    size_t watch_room;              /* capacity in literals of the arrays by variable */
    int8_t *value;                  /* by literal: 1 true, -1 false, 0 open */
    int8_t *phase;                  /* by variable: its last value */
    int8_t *seen;                   /* by variable: of the analysis */
    int32_t *level, *reason;        /* by variable */
    double *activity, increment;    /* by variable */
    int32_t *heap, *place, in_heap; /* open variables, most active first; index by variable */
    struct words trail, level_start, learnt, cleared;
    int32_t *level_mark, mark; /* by level: of counting levels */
    size_t propagated;
    int64_t learnt_clauses, reduce_at, restarts;
    FILE *formula, *proof; /* of redist_formula_certify, or NULL */
    struct words given;    /* then: the clauses as they were given, each with a 0 behind it */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool push(struct redist_formula *f, struct words *list, int32_t word)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 4;
        int32_t *const more = realloc(list->word, room * sizeof *more);
        if (!more) {
            f->out_of_memory = true;
            return false;
        }
        list->word = more;
        list->room = room;
    }
    list->word[list->count++] = word;
    return true;
}

/* Replaces `old` by an array of `room` elements of `size` bytes; new elements are zero. */
static void *grown(struct redist_formula *f, void *array, size_t old, size_t room, size_t size)
{
    char *const more = realloc(array, room * size);
    if (!more) {
        f->out_of_memory = true;
        return array;
    }
    memset(more + old * size, 0, (room - old) * size);
    return more;
}

struct redist_formula *redist_formula_new(void)
{
    struct redist_formula *const f = calloc(1, sizeof *f);
    if (f) {
        f->increment = 1;
        f->reduce_at = REDUCE;
    }
    return f;
}

void redist_formula_free(struct redist_formula *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->watch_room; i++)
        free(f->watch[i].word);
    free(f->watch);
    free(f->clause.word);
    free(f->value);
    free(f->phase);
    free(f->seen);
    free(f->level);
    free(f->reason);
    free(f->activity);
    free(f->heap);
    free(f->place);
    free(f->level_mark);
    free(f->trail.word);
    free(f->level_start.word);
    free(f->learnt.word);
    free(f->cleared.word);
    free(f->given.word);
    free(f);
}

/* ---- The certificate ------------------------------------------------------------------------- */

void redist_formula_certify(struct redist_formula *f, FILE *formula, FILE *proof)
{
    f->formula = formula;
    f->proof = proof;
}

static void write_formula(const struct redist_formula *f)
{
    int64_t clauses = 0;
    for (size_t i = 0; i < f->given.count; i++)
        clauses += f->given.word[i] == 0;
    fprintf(f->formula, "p cnf %" PRId32 " %" PRId64 "\n", f->variables, clauses);
    for (size_t i = 0; i < f->given.count; i++)
        fprintf(f->formula, f->given.word[i] ? "%" PRId32 " " : "%" PRId32 "\n", f->given.word[i]);
}

/* A step of the proof: a clause that follows from those before it, or after "d " one that later
 * steps do without. */
static void write_step(const struct redist_formula *f, const char *what, const int32_t literal[],
                       size_t count)
{
    if (!f->proof)
        return;
    fputs(what, f->proof);
    for (size_t i = 0; i < count; i++)
        fprintf(f->proof, "%" PRId32 " ", literal[i] & 1 ? -(literal[i] >> 1) : literal[i] >> 1);
    fputs("0\n", f->proof);
}

/* ---- Which variable next: a heap by activity ------------------------------------------------- */

static void sift_up(struct redist_formula *f, int32_t at)
{
    const int32_t v = f->heap[at];
    while (at > 0 && f->activity[f->heap[(at - 1) / 2]] < f->activity[v]) {
        f->heap[at] = f->heap[(at - 1) / 2];
        f->place[f->heap[at]] = at;
        at = (at - 1) / 2;
    }
    f->heap[at] = v;
    f->place[v] = at;
}

static void sift_down(struct redist_formula *f, int32_t at)
{
    const int32_t v = f->heap[at];
    for (int32_t child; (child = 2 * at + 1) < f->in_heap; at = child) {
        if (child + 1 < f->in_heap && f->activity[f->heap[child + 1]] > f->activity[f->heap[child]])
            child++;
        if (f->activity[f->heap[child]] <= f->activity[v])
            break;
        f->heap[at] = f->heap[child];
        f->place[f->heap[at]] = at;
    }
    f->heap[at] = v;
    f->place[v] = at;
}

static void enter(struct redist_formula *f, int32_t v)
{
    if (f->place[v] != NONE)
        return;
    f->heap[f->in_heap] = v;
    sift_up(f, f->in_heap++);
}

static int32_t most_active(struct redist_formula *f)
{
    const int32_t v = f->heap[0];
    f->place[v] = NONE;
    f->in_heap--;
    if (f->in_heap > 0) {
        f->heap[0] = f->heap[f->in_heap];
        sift_down(f, 0);
    }
    return v;
}

static void bump(struct redist_formula *f, int32_t v)
{
    f->activity[v] += f->increment;
    if (f->activity[v] > 1e100) {
        for (int32_t i = 1; i <= f->variables; i++)
            f->activity[i] *= 1e-100;
        f->increment *= 1e-100;
    }
    if (f->place[v] != NONE)
        sift_up(f, f->place[v]);
}

/* ---- Building -------------------------------------------------------------------------------- */

int32_t redist_formula_variable(struct redist_formula *f)
{
    const int32_t v = f->variables + 1;
    const size_t need = 2 * (size_t)v + 2;
    if (need > f->watch_room && !f->out_of_memory) {
        const size_t old = f->watch_room / 2, room = 2 * (size_t)v + 2;
        f->value = grown(f, f->value, 2 * old, 2 * room, sizeof *f->value);
        f->phase = grown(f, f->phase, old, room, sizeof *f->phase);
        f->seen = grown(f, f->seen, old, room, sizeof *f->seen);
        f->level = grown(f, f->level, old, room, sizeof *f->level);
        f->reason = grown(f, f->reason, old, room, sizeof *f->reason);
        f->activity = grown(f, f->activity, old, room, sizeof *f->activity);
        f->heap = grown(f, f->heap, old, room, sizeof *f->heap);
        f->place = grown(f, f->place, old, room, sizeof *f->place);
        f->level_mark = grown(f, f->level_mark, old, room, sizeof *f->level_mark);
        f->watch = grown(f, f->watch, 2 * old, 2 * room, sizeof *f->watch);
        if (!f->out_of_memory)
            f->watch_room = 2 * room;
    }
    if (f->out_of_memory)
        return v;
    f->variables = v;
    f->place[v] = NONE;
    enter(f, v);
    return v;
}

static int32_t literal_of(int32_t dimacs)
{
    return dimacs > 0 ? 2 * dimacs : 1 - 2 * dimacs;
}

/* Makes a literal true, because of the clause at `reason`. */
static void assign(struct redist_formula *f, int32_t literal, int32_t reason)
{
    const int32_t v = literal >> 1;
    f->value[literal] = 1;
    f->value[literal ^ 1] = -1;
    f->phase[v] = literal & 1 ? -1 : 1;
    f->level[v] = (int32_t)f->level_start.count;
    f->reason[v] = reason;
    push(f, &f->trail, literal);
}

/* Stores a clause of two or more literals, watches the first two; its place. */
static int32_t store(struct redist_formula *f, const int32_t literal[], size_t count,
                     int32_t quality)
{
    const int32_t place = (int32_t)f->clause.count;
    if (f->clause.count + count + HEAD > REDIST_FORMULA_MOST_WORDS) {
        f->too_large = true;
        return NONE;
    }
    push(f, &f->clause, (int32_t)count);
    push(f, &f->clause, quality);
    for (size_t i = 0; i < count; i++)
        push(f, &f->clause, literal[i]);
    for (size_t i = 0; i < 2; i++) {
        push(f, &f->watch[literal[i]], place);
        push(f, &f->watch[literal[i]], literal[1 - i]);
    }
    return place;
}

void redist_formula_clause(struct redist_formula *f, const int32_t literal[], size_t count)
{
    if (f->out_of_memory || f->too_large)
        return;
    for (size_t i = 0; f->formula && i <= count; i++)
        push(f, &f->given, i < count ? literal[i] : 0);
    f->learnt.count = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t l = literal_of(literal[i]);
        if (f->value[l] > 0)
            return;
        if (f->value[l] == 0 && !push(f, &f->learnt, l))
            return;
    }
    if (f->learnt.count == 0)
        f->contradiction = true;
    else if (f->learnt.count == 1)
        assign(f, f->learnt.word[0], NONE);
    else
        store(f, f->learnt.word, f->learnt.count, 0);
}

/* ---- Consequences ---------------------------------------------------------------------------- */

/* The clause at `place` watches `lost`, which has become false. Watches another literal instead if
 * one isn't false: true. Else the clause's first literal is the only one left. */
static bool rewatch(struct redist_formula *f, int32_t place, int32_t lost)
{
    int32_t *const c = f->clause.word + place, size = c[0], *const l = c + HEAD;
    if (l[0] == lost) {
        l[0] = l[1];
        l[1] = lost;
    }
    if (f->value[l[0]] > 0)
        return false;
    for (int32_t i = 2; i < size; i++)
        if (f->value[l[i]] >= 0) {
            l[1] = l[i];
            l[i] = lost;
            push(f, &f->watch[l[1]], place);
            push(f, &f->watch[l[1]], l[0]);
            return true;
        }
    return false;
}

/* Propagates all consequences of the trail. Returns the index of a clause that has become false, or
 * NONE. */
static int32_t propagate(struct redist_formula *f)
{
    int32_t conflict = NONE;
    while (conflict == NONE && f->propagated < f->trail.count && !f->out_of_memory) {
        const int32_t lost = f->trail.word[f->propagated++] ^ 1;
        struct words *const w = &f->watch[lost];
        size_t kept = 0, i = 0;
        while (i < w->count) {
            const int32_t place = w->word[i], other = w->word[i + 1];
            i += 2;
            if (f->value[other] <= 0 && rewatch(f, place, lost))
                continue;
            const int32_t first = f->value[other] > 0 ? other : f->clause.word[place + HEAD];
            w->word[kept++] = place;
            w->word[kept++] = first;
            if (f->value[first] < 0) {
                conflict = place;
                break;
            }
            if (f->value[first] == 0)
                assign(f, first, place);
        }
        while (i < w->count)
            w->word[kept++] = w->word[i++];
        w->count = kept;
    }
    return conflict;
}

static void back_to(struct redist_formula *f, int32_t level)
{
    if ((int32_t)f->level_start.count <= level)
        return;
    const size_t start = (size_t)f->level_start.word[level];
    while (f->trail.count > start) {
        const int32_t l = f->trail.word[--f->trail.count];
        f->value[l] = f->value[l ^ 1] = 0;
        enter(f, l >> 1);
    }
    f->level_start.count = (size_t)level;
    f->propagated = start;
}

/* ---- Learning -------------------------------------------------------------------------------- */

static void meet(struct redist_formula *f, int32_t literal, int32_t *open)
{
    const int32_t v = literal >> 1;
    if (f->seen[v] || f->level[v] == 0)
        return;
    f->seen[v] = 1;
    push(f, &f->cleared, v);
    bump(f, v);
    if (f->level[v] == (int32_t)f->level_start.count)
        (*open)++;
    else
        push(f, &f->learnt, literal);
}

/* True if the other literals of the learnt clause imply this one (one step back only). */
static bool redundant(const struct redist_formula *f, int32_t literal)
{
    const int32_t reason = f->reason[literal >> 1];
    if (reason == NONE)
        return false;
    const int32_t *const c = f->clause.word + reason;
    for (int32_t i = 0; i < c[0]; i++) {
        const int32_t v = c[HEAD + i] >> 1;
        if (v != literal >> 1 && !f->seen[v] && f->level[v] > 0)
            return false;
    }
    return true;
}

/* Removes redundant literals and puts a literal of the highest level below the current one second.
 * Returns that level. */
static int32_t minimise(struct redist_formula *f)
{
    struct words *const c = &f->learnt;
    size_t kept = 1;
    for (size_t i = 1; i < c->count; i++)
        if (!redundant(f, c->word[i]))
            c->word[kept++] = c->word[i];
    c->count = kept;
    for (size_t i = 2; i < c->count; i++)
        if (f->level[c->word[i] >> 1] > f->level[c->word[1] >> 1]) {
            const int32_t l = c->word[1];
            c->word[1] = c->word[i];
            c->word[i] = l;
        }
    return c->count > 1 ? f->level[c->word[1] >> 1] : 0;
}

/* From a clause that is false to the learnt clause: its first literal is the one to make true at
 * the level that is returned. */
static int32_t analyse(struct redist_formula *f, int32_t conflict)
{
    int32_t open = 0, literal = NONE;
    size_t at = f->trail.count;
    f->learnt.count = f->cleared.count = 0;
    push(f, &f->learnt, 0);
    do {
        const int32_t size = f->clause.word[conflict];
        for (int32_t i = 0; i < size; i++)
            if (f->clause.word[conflict + HEAD + i] != literal)
                meet(f, f->clause.word[conflict + HEAD + i], &open);
        do
            literal = f->trail.word[--at];
        while (!f->seen[literal >> 1]);
        conflict = f->reason[literal >> 1];
        open--;
    } while (open > 0);
    f->learnt.word[0] = literal ^ 1;
    const int32_t level = minimise(f);
    for (size_t i = 0; i < f->cleared.count; i++)
        f->seen[f->cleared.word[i]] = 0;
    return level;
}

/* How many levels the learnt clause spans. */
static int32_t levels(struct redist_formula *f)
{
    int32_t count = 0;
    f->mark++;
    for (size_t i = 0; i < f->learnt.count; i++) {
        const int32_t level = f->level[f->learnt.word[i] >> 1];
        count += f->level_mark[level] != f->mark;
        f->level_mark[level] = f->mark;
    }
    return count;
}

static void learn(struct redist_formula *f, int32_t conflict)
{
    const int32_t level = analyse(f, conflict), quality = levels(f);
    back_to(f, level);
    if (f->out_of_memory)
        return;
    write_step(f, "", f->learnt.word, f->learnt.count);
    int32_t place = NONE;
    if (f->learnt.count > 1) {
        place = store(f, f->learnt.word, f->learnt.count, quality);
        f->learnt_clauses++;
    }
    if (!f->out_of_memory && !f->too_large)
        assign(f, f->learnt.word[0], place);
    f->increment *= 1 / 0.95;
}

/* ---- Forgetting ------------------------------------------------------------------------------ */

/* The quality up to which about half of the learnt clauses are. */
static int32_t median_quality(const struct redist_formula *f)
{
    int64_t of[256] = {0}, sum = 0;
    for (size_t at = 0; at < f->clause.count; at += (size_t)f->clause.word[at] + HEAD)
        if (f->clause.word[at + 1] > 0)
            of[f->clause.word[at + 1] < 255 ? f->clause.word[at + 1] : 255]++;
    int32_t quality = 0;
    while (quality < 255 && (sum += of[quality]) < f->learnt_clauses / 2)
        quality++;
    return quality > KEEP ? quality : KEEP;
}

/* Deletes learnt clauses whose quality is below the median. Only at level 0, where reasons are no
 * longer needed; those who check the proof may still need them, so it keeps clauses that are true.
 */
static void forget(struct redist_formula *f)
{
    const int32_t quality = median_quality(f);
    size_t to = 0;
    for (int32_t i = 0; i <= 2 * f->variables + 1; i++)
        f->watch[i].count = 0;
    for (size_t at = 0; at < f->clause.count;) {
        int32_t *const c = f->clause.word + at;
        const size_t size = (size_t)c[0] + HEAD;
        at += size;
        if (c[1] > quality) {
            if (f->value[c[HEAD]] <= 0)
                write_step(f, "d ", c + HEAD, (size_t)c[0]);
            f->learnt_clauses--;
            continue;
        }
        int32_t *const l = f->clause.word + to + HEAD;
        memmove(l - HEAD, c, size * sizeof *c);
        for (int32_t i = 0; i < 2; i++) {
            push(f, &f->watch[l[i]], (int32_t)to);
            push(f, &f->watch[l[i]], l[1 - i]);
        }
        to += size;
    }
    f->clause.count = to;
    f->reduce_at += REDUCE_MORE;
}

/* ---- Search ---------------------------------------------------------------------------------- */

/* 1 1 2 1 1 2 4 1 1 2 ...: element i, from 0. */
static int64_t luby(int64_t i)
{
    int64_t size = 1, power = 0;
    while (size < i + 1) {
        size = 2 * size + 1;
        power++;
    }
    while (size - 1 != i) {
        size = (size - 1) / 2;
        power--;
        i %= size;
    }
    return (int64_t)1 << power;
}

/* Decides an open variable; false: there is none. */
static bool decide(struct redist_formula *f)
{
    while (f->in_heap > 0) {
        const int32_t v = most_active(f);
        if (f->value[2 * v] != 0)
            continue;
        push(f, &f->level_start, (int32_t)f->trail.count);
        assign(f, f->phase[v] > 0 ? 2 * v : 2 * v + 1, NONE);
        return true;
    }
    return false;
}

/* Searches until the answer is known, `budget` conflicts have been met or the effort is spent. */
static enum redist_answer search(struct redist_formula *f, int64_t budget, int64_t *effort)
{
    while (!f->out_of_memory && !f->too_large) {
        const size_t before = f->propagated;
        const int32_t conflict = propagate(f);
        *effort -= (int64_t)(f->propagated - before) + 1;
        if (conflict != NONE) {
            if (f->level_start.count == 0)
                return REDIST_NO;
            learn(f, conflict);
            budget--;
        } else if (budget <= 0 || *effort <= 0) {
            break;
        } else if (!decide(f)) {
            return REDIST_YES;
        }
    }
    return REDIST_UNDECIDED;
}

int redist_formula_solve(struct redist_formula *f, int64_t *effort, enum redist_answer *answer)
{
    *answer = f->contradiction ? REDIST_NO : REDIST_UNDECIDED;
    if (f->formula && !f->out_of_memory && !f->too_large)
        write_formula(f);
    while (*answer == REDIST_UNDECIDED && *effort > 0 && !f->out_of_memory && !f->too_large) {
        *answer = search(f, RESTART * luby(f->restarts++), effort);
        if (*answer == REDIST_YES)
            break;
        back_to(f, 0);
        if (*answer == REDIST_UNDECIDED && propagate(f) != NONE)
            *answer = REDIST_NO;
        else if (*answer == REDIST_UNDECIDED && f->learnt_clauses > f->reduce_at)
            forget(f);
    }
    f->contradiction |= *answer == REDIST_NO;
    if (*answer == REDIST_NO)
        write_step(f, "", NULL, 0);
    return f->out_of_memory ? RB_ENOMEM : RB_OK;
}

bool redist_formula_true(const struct redist_formula *f, int32_t variable)
{
    return f->value[2 * variable] > 0;
}
