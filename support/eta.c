/* eta.c - see eta.h.
 *
 * Per kind there are decaying sums of costs and times. Pieces are usually ordered by cost, so that
 * recent pieces resemble the next ones more than early pieces do; and sums let long pieces count
 * more than short ones, whose times vary most. */
#include "support/eta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/array.h"

/* What a piece still counts when the next one of its kind is done. */
static const double decay = 0.95;
/* What is known of a kind itself counts as much as what is known of the coarser kind if it comes
 * from so many pieces, or kinds. */
static const double prior = 0.25;
/* The share of a piece at which its progress counts as much as its estimate. */
static const double trusted_share = 0.01;

enum {
    NO_KIND = -1,
    LOOKED_AT = 1 << 14 /* of more pieces left than this, only a sample is looked at */
};

struct sums { /* of pieces, weighted */
    double count, cost_s, took_s;
};

struct kind {
    uint64_t hash; /* with that of the parent */
    int32_t parent;
    struct sums done, failed; /* of this kind itself, the finest; decayed */
    /* While a question is answered: */
    struct sums running;
    double seen, sum; /* how much is known of it, and the sum of that many logarithms of factors */
    double factor;    /* that corrects costs */
};

struct piece {
    double cost_s;
    double whole_s; /* that it would take without the limit, as far as it has said when it ran */
    int32_t kind;   /* the finest */
    bool done;
};

struct sup_eta {
    struct piece *piece;
    size_t pieces, next; /* those before next have begun */
    int32_t workers;
    double limit_s;
    struct kind *kind; /* parents before their children */
    size_t kinds;
    int32_t *slot;   /* hash table of kinds; NO_KIND: empty */
    size_t slots;    /* a power of 2 */
    double *free_s;  /* per worker: when it is free; a heap, the earliest first */
    double *whole_s; /* per worker: how long its piece will have taken */
};

struct sup_eta *sup_eta_create(size_t pieces, int32_t workers, double limit_s)
{
    struct sup_eta *eta = calloc(1, sizeof *eta);
    if (eta == NULL)
        return NULL;
    *eta = (struct sup_eta){.pieces = pieces, .workers = workers, .limit_s = limit_s};
    eta->piece = calloc(pieces + 1, sizeof *eta->piece);
    eta->free_s = calloc((size_t)workers, sizeof *eta->free_s);
    eta->whole_s = calloc((size_t)workers, sizeof *eta->whole_s);
    if (eta->piece != NULL && eta->free_s != NULL && eta->whole_s != NULL)
        return eta;
    sup_eta_destroy(eta);
    return NULL;
}

void sup_eta_destroy(struct sup_eta *eta)
{
    if (eta == NULL)
        return;
    free(eta->piece);
    free(eta->free_s);
    free(eta->whole_s);
    free(eta->kind);
    free(eta->slot);
    free(eta);
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* The slot with this kind, or the empty one where it belongs. */
static size_t slot_of(const struct sup_eta *eta, uint64_t hash)
{
    size_t slot = (size_t)(hash >> 7) & (eta->slots - 1);
    while (eta->slot[slot] != NO_KIND && eta->kind[eta->slot[slot]].hash != hash)
        slot = (slot + 1) & (eta->slots - 1);
    return slot;
}

static bool make_slots(struct sup_eta *eta)
{
    if (2 * (eta->kinds + 1) <= eta->slots)
        return true;
    const size_t slots = eta->slots == 0 ? 64 : 2 * eta->slots;
    int32_t *slot = malloc(slots * sizeof *slot);
    if (slot == NULL)
        return false;
    for (size_t i = 0; i < slots; i++)
        slot[i] = NO_KIND;
    free(eta->slot);
    eta->slot = slot;
    eta->slots = slots;
    for (size_t k = 0; k < eta->kinds; k++)
        eta->slot[slot_of(eta, eta->kind[k].hash)] = (int32_t)k;
    return true;
}

/* The number of the kind, made if it is new; NO_KIND: out of memory. */
static int32_t find_kind(struct sup_eta *eta, const struct sup_eta_kind *wanted)
{
    int32_t kind = NO_KIND;
    uint64_t hash = 0x9e3779b97f4a7c15;
    for (int level = 0; level < SUP_ETA_LEVELS; level++) {
        hash = (hash ^ wanted->level[level]) * 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
        if (!make_slots(eta))
            return NO_KIND;
        const size_t slot = slot_of(eta, hash);
        if (eta->slot[slot] == NO_KIND) {
            if (!sup_array_grow(&eta->kind, eta->kinds, sizeof *eta->kind))
                return NO_KIND;
            eta->kind[eta->kinds] = (struct kind){.hash = hash, .parent = kind};
            eta->slot[slot] = (int32_t)eta->kinds++;
        }
        kind = eta->slot[slot];
    }
    return kind;
}

static void add(struct sums *to, double count, double cost_s, double took_s)
{
    to->count += count;
    to->cost_s += count * cost_s;
    to->took_s += count * took_s;
}

/* A piece of this kind took so long. */
static void learn(struct sup_eta *eta, int32_t kind, double cost_s, double took_s, bool failed)
{
    struct sums *sums = failed ? &eta->kind[kind].failed : &eta->kind[kind].done;
    sums->count *= decay;
    sums->cost_s *= decay;
    sums->took_s *= decay;
    add(sums, 1, cost_s, took_s);
}

static double log_ratio(const struct sums *sums)
{
    return sums->cost_s > 0 && sums->took_s > 0 ? log(sums->took_s / sums->cost_s) : 0;
}

/* From fine to coarse. A kind counts for the coarser one at most as one, however many pieces it
 * has: that the pieces done are of few kinds, those whose estimates are the highest, perhaps
 * because they are wrong, must not decide for all others. */
static void look_up(struct sup_eta *eta)
{
    for (size_t k = 0; k < eta->kinds; k++)
        eta->kind[k].seen = eta->kind[k].sum = 0;
    for (size_t k = eta->kinds; k-- > 0;) {
        struct kind *kind = &eta->kind[k];
        const struct sums own = {kind->done.count + kind->running.count,
                                 kind->done.cost_s + kind->running.cost_s,
                                 kind->done.took_s + kind->running.took_s};
        if (own.count > 0) {
            kind->seen = own.count;
            kind->sum = own.count * log_ratio(&own);
        }
        if (kind->parent == NO_KIND || kind->seen <= 0)
            continue;
        const double weight = kind->seen / (kind->seen + prior);
        eta->kind[kind->parent].seen += weight;
        eta->kind[kind->parent].sum += weight * kind->sum / kind->seen;
    }
}

/* Then from coarse to fine: parents come first in the array, so their factors are known. */
static void find_factors(struct sup_eta *eta)
{
    look_up(eta);
    for (size_t k = 0; k < eta->kinds; k++) {
        struct kind *kind = &eta->kind[k];
        const double above = kind->parent == NO_KIND ? 0 : log(eta->kind[kind->parent].factor);
        const double failed = kind->failed.count;
        kind->factor = exp((prior * above + kind->sum + failed * log_ratio(&kind->failed)) /
                           (prior + kind->seen + failed));
    }
}

/* ---- Telling --------------------------------------------------------------------------------- */

bool sup_eta_describe(struct sup_eta *eta, size_t i, double cost_s, const struct sup_eta_kind *kind)
{
    eta->piece[i] = (struct piece){.cost_s = fmax(cost_s, 1e-6), .kind = find_kind(eta, kind)};
    return eta->piece[i].kind != NO_KIND;
}

void sup_eta_learn(struct sup_eta *eta, double cost_s, const struct sup_eta_kind *kind,
                   double took_s)
{
    const int32_t known = find_kind(eta, kind);
    if (known != NO_KIND)
        learn(eta, known, fmax(cost_s, 1e-6), took_s, false);
}

static void note_begun(struct sup_eta *eta, size_t i)
{
    if (eta->next < i + 1)
        eta->next = i + 1;
}

void sup_eta_done(struct sup_eta *eta, size_t i, double took_s, bool failed)
{
    struct piece *piece = &eta->piece[i];
    note_begun(eta, i);
    if (eta->limit_s > 0 && took_s >= eta->limit_s)
        took_s = fmax(took_s, piece->whole_s);
    if (!piece->done)
        learn(eta, piece->kind, piece->cost_s, took_s, failed);
    piece->done = true;
}

/* ---- Answering ------------------------------------------------------------------------------- */

static double limited(const struct sup_eta *eta, double time_s)
{
    return eta->limit_s > 0 ? fmin(time_s, eta->limit_s) : time_s;
}

static double corrected_s(const struct sup_eta *eta, size_t i)
{
    return limited(eta, eta->piece[i].cost_s * eta->kind[eta->piece[i].kind].factor);
}

/* How long a running piece will have taken, if nobody ends it. One that has outlived its estimate
 * is expected to last in proportion to its age. */
static double whole_s(struct sup_eta *eta, const struct sup_eta_running *running)
{
    const double age_s = running->elapsed_s, share = fmin(running->share, 1);
    double cost_s =
        eta->piece[running->piece].cost_s * eta->kind[eta->piece[running->piece].kind].factor;
    cost_s = fmax(cost_s, 1.3 * age_s + 0.3 * fmin(cost_s, age_s));
    if (share > 0 && age_s > 0) {
        const double trust = share / (share + trusted_share);
        cost_s = exp(trust * log(age_s / share) + (1 - trust) * log(cost_s));
    }
    eta->piece[running->piece].whole_s = cost_s;
    return cost_s;
}

/* A running piece that is well on its way, or late, teaches already. */
static double weight_of(const struct sup_eta *eta, const struct sup_eta_running *running)
{
    const struct piece *piece = &eta->piece[running->piece];
    if (running->share > 0)
        return fmin(1, 10 * running->share);
    return running->elapsed_s > piece->cost_s * eta->kind[piece->kind].factor ? 0.5 : 0;
}

static void teach(struct sup_eta *eta, const struct sup_eta_running *running, double whole_s)
{
    const struct piece *piece = &eta->piece[running->piece];
    add(&eta->kind[piece->kind].running, weight_of(eta, running), piece->cost_s, whole_s);
}

static void forget(struct sup_eta *eta, const struct sup_eta_running *running)
{
    eta->kind[eta->piece[running->piece].kind].running = (struct sums){0};
}

void sup_eta_give_work(double free_s[], int32_t workers, double work_s)
{
    free_s[0] += work_s;
    for (int32_t at = 0, child; (child = 2 * at + 1) < workers; at = child) {
        child += child + 1 < workers && free_s[child + 1] < free_s[child];
        if (free_s[at] <= free_s[child])
            return;
        const double later = free_s[at];
        free_s[at] = free_s[child];
        free_s[child] = later;
    }
}

static void give_work(struct sup_eta *eta, double work_s)
{
    sup_eta_give_work(eta->free_s, eta->workers, work_s);
}

/* The time after which all workers are free, if the pieces left are handed out in their order. */
static double hand_out(struct sup_eta *eta)
{
    const size_t left = eta->pieces - eta->next, step = left / LOOKED_AT + 1;
    double last_s = 0;
    if (step > 1) { /* then one piece hardly matters */
        double work_s = 0;
        for (size_t i = eta->next; i < eta->pieces; i += step)
            work_s += corrected_s(eta, i) * (double)step;
        for (int32_t w = 0; w < eta->workers; w++)
            give_work(eta, work_s / eta->workers);
    } else {
        for (size_t i = eta->next; i < eta->pieces; i++)
            give_work(eta, corrected_s(eta, i));
    }
    for (int32_t w = 0; w < eta->workers; w++)
        last_s = fmax(last_s, eta->free_s[w]);
    return last_s;
}

double sup_eta_left_s(struct sup_eta *eta, const struct sup_eta_running running[], int32_t count)
{
    memset(eta->free_s, 0, (size_t)eta->workers * sizeof *eta->free_s);
    find_factors(eta);
    for (int32_t i = 0; i < count; i++) {
        note_begun(eta, running[i].piece);
        eta->whole_s[i] = whole_s(eta, &running[i]);
    }
    for (int32_t i = 0; i < count; i++)
        teach(eta, &running[i], eta->whole_s[i]);
    find_factors(eta);
    for (int32_t i = 0; i < count; i++) {
        forget(eta, &running[i]);
        give_work(eta, fmax(limited(eta, eta->whole_s[i]) - running[i].elapsed_s, 1e-3));
    }
    return hand_out(eta);
}
