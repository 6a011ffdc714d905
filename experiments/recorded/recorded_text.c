/* recorded_text.c - the text of a workload file, from the loops of a recording: what its steps took
 * and moved, and the shapes of its communicators. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/recorded/recorded.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_EACH = 1 << 14 };

/* What stands for a collective; NULL: nothing does. A barrier is an allreduce of a byte. */
static const char *const models[RECORD_COLLECTIVES] = {
    [RECORD_OF_Bcast] = "bcast",
    [RECORD_OF_Reduce] = "reduce",
    [RECORD_OF_Allreduce] = "allreduce",
    [RECORD_OF_Scan] = "scan",
    [RECORD_OF_Exscan] = "exscan",
    [RECORD_OF_Reduce_scatter_block] = "reduce-scatter",
    [RECORD_OF_Reduce_scatter] = "reduce-scatter",
    [RECORD_OF_Allgather] = "allgather",
    [RECORD_OF_Allgatherv] = "allgather",
    [RECORD_OF_Alltoall] = "alltoall",
    [RECORD_OF_Alltoallv] = "alltoall",
    [RECORD_OF_Alltoallw] = "alltoall",
    [RECORD_OF_Scatter] = "scatter",
    [RECORD_OF_Scatterv] = "scatter",
    [RECORD_OF_Gather] = "gather",
    [RECORD_OF_Gatherv] = "gather",
    [RECORD_OF_Barrier] = "allreduce",
};

/* ---- What steps took ------------------------------------------------------------------------- */

struct sent {
    int32_t from, to;
    int64_t messages, bytes;
};

/* Of a step, all its passes and ranks. */
struct sums {
    int64_t passes, next; /* next: of computing_s */
    int32_t width;        /* ranks that do it */
    bool is_divided;      /* inside: who waits for whom is known */
    float *computing_s;   /* of each pass and such rank, -1: it is the rank's arrival; owned */
    double *moving_s;     /* likewise: inside without waiting for late ranks; owned */
    double inside_s, bytes, communicators;
    struct sent *sent; /* owned */
    size_t sents, at;
};

struct writing {
    struct recorded *recorded;
    const struct recorded_program *program;
    const struct workload_wishes *wishes;
    struct workload_told *told;
    struct sums *sums; /* per node */
    FILE *text;
    struct sup_error *error;
    struct shape *shape; /* per set */
    int64_t *until_ns;   /* per rank: while the messages or the collective of a pass must wait */
    int64_t *latest_ns;  /* per communicator: when the last member came */
    int32_t ranks;       /* of the workload */
    uint64_t started, open;
    int64_t unmodelled;
    size_t steps; /* written */
    int status;
};

static bool takes_part(const struct recorded *recorded, const struct recorded_step *step, int32_t r)
{
    const struct record_call *call = &recorded->call[step->call];
    return step->only > 0
               ? recorded->only[(step->only - 1) * (size_t)recorded->ranks + (size_t)r]
               : call->how >= RECORD_WAITED || recorded->set[call->communicator].of[r] >= 0;
}

static void add_sent(struct sums *sums, int32_t from, const struct record_peer *peer)
{
    size_t i = sums->at;
    if (i >= sums->sents || sums->sent[i].from != from || sums->sent[i].to != peer->to)
        for (i = 0; i < sums->sents; i++)
            if (sums->sent[i].from == from && sums->sent[i].to == peer->to)
                break;
    if (i == sums->sents) {
        sup_grow(&sums->sent, sums->sents, sizeof *sums->sent);
        sums->sent[sums->sents++] = (struct sent){.from = from, .to = peer->to};
    }
    sums->sent[i].messages += peer->messages;
    sums->sent[i].bytes += peer->bytes;
    sums->at = i + 1;
}

/* Of a rank's next item. */
static void add_item(const struct writing *writing, struct sums *sums, int32_t r)
{
    const struct recorded *recorded = writing->recorded;
    struct recorded_rank *rank = &recorded->rank[r];
    assert(rank->next < rank->items);
    const struct recorded_item *item = &rank->item[rank->next];
    const struct record_call *call = &recorded->call[item->call];
    const double late_s = ((double)writing->until_ns[r] - (double)item->enter_ns) * 1e-9;
    const double waiting_s = fmax(0, fmin(late_s, item->inside_s));
    sums->moving_s[sums->next] = item->inside_s - waiting_s;
    sums->computing_s[sums->next++] = rank->next++ == 0 ? -1 : item->computing_s;
    writing->told->waiting_s += waiting_s / recorded->ranks;
    sums->inside_s += item->inside_s;
    sums->bytes += (double)item->bytes;
    if (call->how < RECORD_WAITED)
        sums->communicators +=
            1.0 / recorded->communicator[recorded->set[call->communicator].of[r]].count;
    for (const struct record_peer *peer = &recorded->peer[item->peers];
         call->how == RECORDED_MESSAGES && peer->to >= 0; peer++)
        add_sent(sums, r, peer);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Until when a rank must wait in a step, because others come later: of a phase those who send to
 * it, of a broadcast or a scatter the root, of a reduction or a gather only the root for all.
 * False: it isn't known. */
static bool find_late(const struct writing *writing, const struct recorded_step *step)
{
    const struct recorded *recorded = writing->recorded;
    const struct record_call *call = &recorded->call[step->call];
    const int32_t *of = recorded->set[call->communicator].of;
    const enum record_collective kind = (enum record_collective)call->collective;
    const bool is_from_root =
        kind == RECORD_OF_Bcast || kind == RECORD_OF_Scatter || kind == RECORD_OF_Scatterv;
    for (int32_t r = 0; r < recorded->ranks; r++) {
        writing->until_ns[r] = INT64_MIN;
        if (of[r] >= 0)
            writing->latest_ns[of[r]] = INT64_MIN;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int32_t r = 0; r < recorded->ranks; r++) {
            if (!takes_part(recorded, step, r))
                continue;
            const struct recorded_item *item = &recorded->rank[r].item[recorded->rank[r].next];
            const int32_t root = recorded->call[item->call].root;
            const bool is_root = call->how == RECORD_BLOCKING && root >= 0 &&
                                 recorded->communicator[of[r]].member[root] == r;
            if (call->how == RECORDED_MESSAGES)
                for (const struct record_peer *peer = &recorded->peer[item->peers]; peer->to >= 0;
                     peer++)
                    writing->until_ns[peer->to] =
                        later(writing->until_ns[peer->to], item->enter_ns);
            else if (call->how != RECORD_BLOCKING || models[kind] == NULL ||
                     kind == RECORD_OF_Scan || kind == RECORD_OF_Exscan)
                return false;
            else if (pass == 0 && (is_root || !is_from_root))
                writing->latest_ns[of[r]] = later(writing->latest_ns[of[r]], item->enter_ns);
            else if (pass == 1 && (root < 0 || is_root != is_from_root))
                writing->until_ns[r] = writing->latest_ns[of[r]];
        }
    return true;
}

/* Time in calls that took much longer than the step's usual one. */
static double find_interrupted(struct sums *sums)
{
    const size_t count = (size_t)(sums->passes * sums->width);
    double sum = 0;
    sup_sort_reals(sums->moving_s, count);
    const double usual_s = sup_quantile(sums->moving_s, count, 0.5);
    for (size_t i = count;
         sums->is_divided && i > 0 && sums->moving_s[i - 1] > WORKLOAD_UNUSUAL * usual_s; i--)
        sum += sums->moving_s[i - 1] - usual_s;
    return sum;
}

static void walk(const struct writing *writing, uint32_t first, uint32_t length)
{
    const struct recorded *recorded = writing->recorded;
    for (uint32_t i = first; i < first + length; i++) {
        const struct recorded_node *node = &writing->program->node[i];
        const struct recorded_step *step = &recorded->step[node->step];
        struct sums *sums = &writing->sums[i];
        for (int64_t k = 0; k < node->times && node->length > 0; k++)
            walk(writing, node->first, node->length);
        if (node->length > 0)
            continue;
        for (int32_t r = 0; r < recorded->ranks && sums->passes == 0; r++)
            sums->width += takes_part(recorded, step, r);
        sup_grow(&sums->computing_s, (size_t)sums->passes,
                 (size_t)sums->width * sizeof *sums->computing_s);
        sup_grow(&sums->moving_s, (size_t)sums->passes,
                 (size_t)sums->width * sizeof *sums->moving_s);
        sums->is_divided = find_late(writing, step);
        sums->at = 0;
        sums->next = sums->passes++ * sums->width;
        for (int32_t r = 0; r < recorded->ranks; r++)
            if (takes_part(recorded, step, r))
                add_item(writing, sums, r);
    }
}

/* ---- Shapes of communicators ----------------------------------------------------------------- */

/* A grid of all ranks: the last extent counts fastest; communicators along some dimensions. */
struct shape {
    int32_t extent[3]; /* the first two may be 1; 0: it has none */
    bool along[3], is_world, is_used;
};

/* The communicators are those of the grid, each in the order of its ranks. */
static bool suits(const struct recorded *recorded, int32_t s, const struct shape *shape)
{
    const struct recorded_set *set = &recorded->set[s];
    for (int32_t r = 0; r < recorded->ranks; r++) {
        int32_t rest = r, stride = 1, place = 0, size = 1, first = 0;
        for (int d = 2; d >= 0; d--) {
            const int32_t x = rest % shape->extent[d];
            rest /= shape->extent[d];
            if (shape->along[d]) {
                place += x * size;
                size *= shape->extent[d];
            } else {
                first += x * stride;
            }
            stride *= shape->extent[d];
        }
        if (set->of[r] < 0)
            return false;
        const struct recorded_communicator *communicator = &recorded->communicator[set->of[r]];
        if (communicator->count != size || communicator->member[place] != r ||
            communicator->member[0] != first)
            return false;
    }
    return true;
}

/* One dimension before two, two before three. */
static struct shape find_shape(const struct recorded *recorded, int32_t s)
{
    const int32_t p = recorded->ranks, size = recorded->communicator[recorded->set[s].of[0]].count;
    for (int32_t a = 1; a <= p; a++)
        for (int32_t b = 1; p % a == 0 && b <= p / a; b++)
            for (int along = 1; along < 8 && p / a % b == 0 && (a == 1 || b > 1); along++) {
                const int32_t c = p / a / b;
                const bool is_a = along >> 2, is_b = along >> 1 & 1, is_c = along & 1;
                const struct shape tried = {
                    {a, b, c}, {is_a, is_b, is_c}, .is_world = c == p && is_c};
                if ((is_a ? a : 1) * (is_b ? b : 1) * (is_c ? c : 1) == size && !(is_a && a == 1) &&
                    !(is_b && b == 1) && suits(recorded, s, &tried))
                    return tried;
            }
    static const struct shape none;
    return none;
}

static void find_shapes(struct writing *writing)
{
    const struct recorded *recorded = writing->recorded;
    for (int32_t s = 0; s < recorded->sets; s++)
        if (recorded->set[s].of[0] >= 0)
            writing->shape[s] = find_shape(recorded, s);
    for (size_t i = 0; i < recorded->steps; i++) {
        const struct record_call *call = &recorded->call[recorded->step[i].call];
        if (call->how < RECORD_WAITED)
            writing->shape[call->communicator].is_used = true;
    }
}

/* The same shape among other ranks; false: there is none. Blocks stay as they are, and so does k of
 * every k-th; a grid of both, or of three dimensions, grows alike in all. */
static bool grow(const struct writing *writing, struct shape *shape)
{
    const int32_t p = writing->recorded->ranks, q = writing->ranks;
    int32_t extents = 0, ranks = 1;
    for (int d = 0; d < 3; d++)
        extents += shape->extent[d] > 1;
    const int32_t f =
        (int32_t)lround(pow(q > p ? q / p : p / q, 1.0 / (extents > 1 ? extents : 1)));
    for (int d = 0; d < 3; d++) {
        if (shape->extent[d] > 1)
            shape->extent[d] = q > p ? shape->extent[d] * f : shape->extent[d] / f;
        ranks *= shape->extent[d];
    }
    return ranks == q;
}

static int32_t size_of(const struct shape *shape)
{
    int32_t size = 1;
    for (int d = 0; d < 3; d++)
        size *= shape->along[d] ? shape->extent[d] : 1;
    return size;
}

static int refuse(struct writing *writing, const char *why)
{
    if (writing->status == RB_OK)
        writing->status = sup_fail(
            writing->error, RB_EINVAL, "%s: --ranks %" PRId32 ": recorded were %" PRId32 ", and %s",
            writing->recorded->path, writing->ranks, writing->recorded->ranks, why);
    return writing->status;
}

static void write_set(struct writing *writing, int32_t s)
{
    const struct recorded *recorded = writing->recorded;
    struct shape *shape = &writing->shape[s];
    const int32_t p = recorded->ranks;
    fprintf(writing->text, "      set-%" PRId32 ": ", s);
    if (writing->ranks != p && (!grow(writing, shape)))
        refuse(writing, "a set of communicators has no shape that fits");
    if (shape->extent[0] > 0) {
        const char *comma = "";
        const int from = shape->extent[0] == 1;
        fprintf(writing->text, "{grid: [");
        for (int d = from; d < 3; d++)
            fprintf(writing->text, "%s%" PRId32, d > from ? ", " : "", shape->extent[d]);
        fprintf(writing->text, "], along: [");
        for (int d = from; d < 3; d++)
            if (shape->along[d]) {
                fprintf(writing->text, "%s%d", comma, d - from);
                comma = ", ";
            }
        fprintf(writing->text, "]}\n");
        return;
    }
    const char *before = "{lists: [[";
    for (size_t c = 0; c < recorded->communicators; c++) {
        const struct recorded_communicator *communicator = &recorded->communicator[c];
        for (int32_t i = 0; i < communicator->count && communicator->set == s; i++)
            fprintf(writing->text, "%s%" PRId32, i == 0 ? before : ", ", communicator->member[i]);
        before = communicator->set == s ? "], [" : before;
    }
    fprintf(writing->text, "]]}\n");
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void indent(const struct writing *writing, int depth, const char *text)
{
    fprintf(writing->text, "%*s%s", 6 + 4 * depth, "", text);
}

static void write_loop(struct writing *writing, int depth, int64_t times)
{
    fprintf(writing->text, "%*s- repeat: %" PRId64 "\n%*sdo:\n", 6 + 4 * depth, "", times,
            8 + 4 * depth, "");
    workload_told_measured(writing->told, writing->steps++, -1);
}

/* "only: [0..3, 7], ", or nothing. */
static void write_only(struct writing *writing, const struct recorded_step *step)
{
    const struct recorded *recorded = writing->recorded;
    const char *before = "only: [";
    if (step->only == 0)
        return;
    if (writing->ranks != recorded->ranks)
        refuse(writing, "some ranks do steps that others don't");
    const bool *only = &recorded->only[(step->only - 1) * (size_t)recorded->ranks];
    for (int32_t r = 0; r < recorded->ranks; r++) {
        const int32_t first = r;
        while (only[r] && r + 1 < recorded->ranks && only[r + 1])
            r++;
        if (!only[r])
            continue;
        fprintf(writing->text, "%s%" PRId32, before, first);
        if (r > first)
            fprintf(writing->text, "..%" PRId32, r);
        before = ", ";
    }
    fputs("], ", writing->text);
}

static void write_time(const struct writing *writing, double seconds)
{
    fprintf(writing->text, "%.5gus", seconds * 1e6);
}

/* A list of all ranks' times, pass after pass. */
static void write_each(const struct writing *writing, const double seconds[], size_t count)
{
    fputs("{each: [", writing->text);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", writing->text);
        write_time(writing, seconds[i]);
    }
    fputs("]}", writing->text);
}

/* What a step's computing is: its mean, and that of each rank. */
struct computing {
    int64_t count;
    double mean, deviation, least, between; /* between: variance of the ranks' means */
    double *each;                           /* owned */
};

static struct computing find_computing(const struct writing *writing,
                                       const struct recorded_step *step, const struct sums *sums)
{
    const int32_t p = writing->recorded->ranks;
    struct computing found = {.least = INFINITY, .each = sup_calloc((size_t)p, sizeof *found.each)};
    double squares = 0;
    for (int32_t r = 0, i = 0; r < p; r++) {
        int64_t count = 0;
        double sum = 0;
        if (!takes_part(writing->recorded, step, r))
            continue;
        for (int64_t k = 0; k < sums->passes; k++) {
            const double s = sums->computing_s[k * sums->width + i];
            if (s < 0)
                continue;
            count++;
            sum += s;
            squares += s * s;
            found.least = fmin(found.least, s);
        }
        i++;
        found.each[r] = count > 0 ? sum / (double)count : 0;
        found.between += sum * found.each[r];
        found.count += count;
        found.mean += sum;
    }
    const double count = fmax(1, (double)found.count);
    found.mean /= count;
    found.between = found.between / count - found.mean * found.mean;
    found.deviation = sqrt(fmax(0, squares / count - found.mean * found.mean));
    return found;
}

/* As it was, pass after pass. */
static void write_all(const struct writing *writing, const struct recorded_step *step,
                      const struct sums *sums)
{
    const size_t p = (size_t)writing->recorded->ranks, count = (size_t)sums->passes * p;
    double *value = sup_calloc(count, sizeof *value);
    const float *next = sums->computing_s;
    for (size_t i = 0; i < count; i++)
        if (takes_part(writing->recorded, step, (int32_t)(i % p)))
            value[i] = fmax(0, *next++);
    write_each(writing, value, count);
    free(value);
}

/* Small differences matter where what follows is short, because ranks wait for each other there. So
 * do ranks that are late together or in turn, which no distribution keeps: there computing is as it
 * was, if that is no more than MOST_EACH times. */
static void write_compute(struct writing *writing, int depth, const struct recorded_step *step,
                          const struct sums *sums)
{
    const int32_t p = writing->recorded->ranks;
    const double factor = writing->wishes->strong ? (double)p / writing->ranks : 1;
    const struct computing its = find_computing(writing, step, sums);
    const double mean = its.mean * factor, deviation = its.deviation * factor;
    const double moving_s = sums->inside_s / (double)(sums->passes * sums->width);
    if (mean >= 1e-8) {
        indent(writing, depth, "- {");
        write_only(writing, step);
        fputs("compute: ", writing->text);
        if (deviation < fmin(0.02 * mean, 0.1 * moving_s))
            write_time(writing, mean);
        else if (sums->passes * p <= MOST_EACH && writing->ranks == p)
            write_all(writing, step, sums);
        else if (its.between > its.deviation * its.deviation / 2 && p <= MOST_EACH &&
                 writing->ranks == p)
            write_each(writing, its.each, (size_t)p);
        else if (deviation <= mean / 2)
            fprintf(writing->text, "{normal: [%.5gus, %.5gus]}", mean * 1e6, deviation * 1e6);
        else if (its.least * factor > mean / 2)
            fprintf(writing->text, "{pareto: [%.5gus, %.5g]}", its.least * factor * 1e6,
                    its.mean / (its.mean - its.least));
        else
            fprintf(writing->text, "{exponential: %.5gus}", mean * 1e6);
        fputs("}\n", writing->text);
        workload_told_measured(writing->told, writing->steps++, -1);
    }
    free(its.each);
}

static int64_t times_of(const struct sums *sums, const struct sent *sent)
{
    const int64_t times = (sent->messages + sums->passes / 2) / sums->passes;
    return times > 1 ? times : 1;
}

/* One message of each pair that has more than `done`. */
static void write_round(struct writing *writing, int depth, const struct sums *sums, int64_t done)
{
    const int32_t p = writing->recorded->ranks;
    int32_t *ports = sup_malloc(2 * (size_t)p * sizeof *ports);
    for (size_t i = 0; i < sums->sents;) {
        const char *before = "- matrix: {messages: [";
        memset(ports, 0, 2 * (size_t)p * sizeof *ports);
        for (; i < sums->sents; i++) {
            const struct sent *sent = &sums->sent[i];
            const int64_t all = sums->passes * times_of(sums, sent);
            if (all <= sums->passes * done)
                continue;
            if (ports[sent->from] == RB_MAX_PORTS || ports[p + sent->to] == RB_MAX_PORTS)
                break;
            ports[sent->from]++;
            ports[p + sent->to]++;
            if (before[0] == '-')
                indent(writing, depth, "");
            fprintf(writing->text, "%s[%" PRId32 ", %" PRId32 ", %" PRId64 "]", before, sent->from,
                    sent->to, (sent->bytes + all - 1) / all);
            before = ", ";
        }
        fputs("]}\n", writing->text);
        workload_told_measured(writing->told, writing->steps++, 0);
    }
    free(ports);
}

/* Messages of a pair go one after another: rounds, in each of the pairs that have as many. */
static void write_messages(struct writing *writing, int depth, const struct sums *sums)
{
    const int32_t p = writing->recorded->ranks;
    if (sums->sents > 0 && writing->ranks != p)
        refuse(writing, "messages between two ranks have no shape");
    for (int64_t done = 0, next;; done = next) {
        next = INT64_MAX;
        for (size_t i = 0; i < sums->sents; i++) {
            const int64_t times = times_of(sums, &sums->sent[i]);
            next = times > done && times < next ? times : next;
        }
        if (next == INT64_MAX)
            break;
        if (next > done + 1)
            write_loop(writing, depth, next - done);
        write_round(writing, depth + (next > done + 1), sums, done);
    }
    workload_told_measured(writing->told, sums->sents == 0 ? SIZE_MAX : writing->steps - 1,
                           sums->inside_s / p);
}

static void write_wait(struct writing *writing, int depth, const struct recorded_step *step,
                       uint64_t slots, double measured_s)
{
    const char *before = "[";
    slots &= writing->started;
    writing->open &= ~slots;
    if (slots == 0) {
        workload_told_measured(writing->told, SIZE_MAX, measured_s);
        return;
    }
    indent(writing, depth, "- {");
    if (step != NULL)
        write_only(writing, step);
    fputs("wait: ", writing->text);
    for (int i = 0; i < 64; i++)
        if ((slots >> i & 1) != 0) {
            fprintf(writing->text, "%sstarted-%d", before, i);
            before = ", ";
        }
    fputs("]}\n", writing->text);
    workload_told_measured(writing->told, writing->steps++, measured_s);
}

/* Bytes of a communicator's data. Weak: what each rank has stays. */
static int64_t bytes_of(const struct writing *writing, const struct record_call *call,
                        const struct sums *sums)
{
    const struct shape *shape = &writing->shape[call->communicator];
    const enum record_collective kind = (enum record_collective)call->collective;
    const bool whole = kind == RECORD_OF_Bcast || kind == RECORD_OF_Reduce ||
                       kind == RECORD_OF_Allreduce || kind == RECORD_OF_Scan ||
                       kind == RECORD_OF_Exscan || kind == RECORD_OF_Barrier;
    double bytes = call->partial ? sums->bytes / sums->communicators
                                 : sums->bytes / (double)(sums->passes * sums->width);
    if (writing->ranks != writing->recorded->ranks && !whole && !writing->wishes->strong) {
        const struct recorded_set *set = &writing->recorded->set[call->communicator];
        const double ratio =
            (double)size_of(shape) / writing->recorded->communicator[set->of[0]].count;
        bytes *= strcmp(models[kind], "alltoall") == 0 ? ratio * ratio : ratio;
    }
    const int64_t element = call->element > 0 ? call->element : 1;
    const int64_t rounded = ((int64_t)(bytes + 0.5) + element - 1) / element * element;
    return kind == RECORD_OF_Barrier || rounded < 1 ? 1 : rounded;
}

static void write_collective(struct writing *writing, int depth, const struct recorded_node *node,
                             const struct sums *sums)
{
    const struct recorded_step *step = &writing->recorded->step[node->step];
    const struct recorded *recorded = writing->recorded;
    const struct record_call *call = &recorded->call[step->call];
    const char *model = models[call->collective];
    const double measured_s = sums->inside_s / recorded->ranks;
    if (model == NULL) {
        writing->unmodelled += sums->passes;
        return;
    }
    if (call->root >= 0 && call->root >= size_of(&writing->shape[call->communicator]) &&
        writing->ranks != recorded->ranks)
        refuse(writing, "a root would not be there");
    indent(writing, depth, "- {");
    write_only(writing, step);
    if (call->how == RECORD_STARTED) {
        int slot = 0;
        while ((call->slots >> slot & 1) == 0)
            slot++;
        fprintf(writing->text, "start: started-%d, ", slot);
        writing->started |= call->slots;
        writing->open |= call->slots;
    }
    fprintf(writing->text, "%s: {", model);
    if (!writing->shape[call->communicator].is_world)
        fprintf(writing->text, "in: set-%" PRId32 ", ", call->communicator);
    const int64_t bytes = bytes_of(writing, call, sums);
    fprintf(writing->text, "bytes: %" PRId64, bytes);
    if (call->element > 1 && bytes % call->element == 0)
        fprintf(writing->text, ", element-bytes: %d", call->element);
    const int32_t root = call->root == RECORDED_MOVING ? node->root : call->root;
    if (call->root == RECORDED_MOVING && depth > 0)
        fprintf(writing->text, root > 0 ? ", root: step+%" PRId32 : ", root: step", root);
    else if (root > 0)
        fprintf(writing->text, ", root: %" PRId32, root);
    if (call->algorithm >= 0)
        fprintf(writing->text, ", algorithm: %s", recorded->algorithm[call->algorithm]);
    if (call->algorithm >= 0 && call->n > 0)
        fprintf(writing->text, ", blocks: %" PRId32, call->n);
    fputs("}}\n", writing->text);
    workload_told_measured(writing->told, writing->steps++, measured_s);
}

static void write_nodes(struct writing *writing, int depth, uint32_t first, uint32_t length)
{
    const struct recorded *recorded = writing->recorded;
    for (uint32_t i = first; i < first + length; i++) {
        const struct recorded_node *node = &writing->program->node[i];
        const struct recorded_step *step = &recorded->step[node->step];
        if (node->length > 0) {
            write_loop(writing, depth, node->times);
            write_nodes(writing, depth + 1, node->first, node->length);
            continue;
        }
        const struct sums *sums = &writing->sums[i];
        const struct record_call *call = &recorded->call[step->call];
        write_compute(writing, depth, step, sums);
        if (call->how == RECORDED_MESSAGES)
            write_messages(writing, depth, sums);
        else if (call->how == RECORD_WAITED)
            write_wait(writing, depth, step, call->slots, sums->inside_s / recorded->ranks);
        else if (call->how < RECORD_WAITED)
            write_collective(writing, depth, node, sums);
    }
}

/* When each rank came to its first call, since the first one of all was in MPI. */
static void write_arrival(struct writing *writing)
{
    const struct recorded *recorded = writing->recorded;
    const size_t p = (size_t)recorded->ranks;
    double *late = sup_calloc(p, sizeof *late);
    int64_t first = INT64_MAX;
    for (size_t r = 0; r < p; r++)
        if (recorded->rank[r].items > 0 && recorded->rank[r].item[0].enter_ns < first)
            first = recorded->rank[r].item[0].enter_ns;
    for (size_t r = 0; r < p; r++)
        if (recorded->rank[r].items > 0)
            late[r] = (double)(recorded->rank[r].item[0].enter_ns - first) * 1e-9;
    if (writing->ranks == recorded->ranks && p <= MOST_EACH) {
        indent(writing, 0, "- arrival: ");
        write_each(writing, late, p);
        fputs("\n", writing->text);
        workload_told_measured(writing->told, writing->steps++, -1);
    }
    free(late);
}

static void write_file(struct writing *writing)
{
    const struct recorded *recorded = writing->recorded;
    bool any = false;
    fprintf(writing->text,
            "# %" PRId32 " ranks, recorded under %s.\njobs:\n  - name: recorded\n"
            "    ranks: %" PRId32 "\n    progress: calls\n",
            recorded->ranks, recorded->header.library, writing->ranks);
    for (int32_t s = 0; s < recorded->sets; s++)
        if (writing->shape[s].is_used && !writing->shape[s].is_world) {
            fputs(any ? "" : "    communicators:\n", writing->text);
            any = true;
            write_set(writing, s);
        } else if (writing->shape[s].is_world) {
            writing->shape[s].extent[2] = writing->ranks;
        }
    fputs("    program:\n", writing->text);
    write_arrival(writing);
    write_nodes(writing, 0, writing->program->first, writing->program->length);
    if (writing->open != 0)
        write_wait(writing, 0, NULL, writing->open, 0);
}

/* ---- What is told ---------------------------------------------------------------------------- */

static void tell(const struct writing *writing)
{
    static const char *const reasons[RECORD_REASONS] = {
        "on inter-communicators", "of other threads (MPI_THREAD_MULTIPLE)",
        "on communicators with ranks outside of MPI_COMM_WORLD",
        "for want of memory, or because more than 64 collectives were in flight"};
    const struct recorded *recorded = writing->recorded;
    struct out_verdict *said = &writing->told->said;
    out_verdict_say(said,
                    "%" PRId32 " ranks under %s: %" PRId64 " calls of collectives, %" PRId64
                    " bytes, on %zu communicators; %" PRId64
                    " messages. The program has %zu steps.",
                    recorded->ranks, recorded->header.library, recorded->all_calls, recorded->bytes,
                    recorded->communicators, recorded->messages, writing->steps);
    for (int i = 0; i < RECORD_REASONS; i++)
        if (recorded->missed[i] > 0)
            out_verdict_say(said, "Not recorded: %" PRId64 " calls %s.", recorded->missed[i],
                            reasons[i]);
    if (recorded->unfinished > 0)
        out_verdict_say(said,
                        "%" PRId32 " of %" PRId32
                        " ranks have not come to MPI_Finalize: the job was "
                        "killed, or a disk was full.",
                        recorded->unfinished, recorded->ranks);
    if (recorded->lost > 0)
        out_verdict_say(said,
                        "Left out: the last %" PRId64 " calls, whose partners are not recorded.",
                        recorded->lost);
    if (writing->unmodelled > 0)
        out_verdict_say(said, "Left out: %" PRId64 " collectives of neighbours.",
                        writing->unmodelled);
    if (recorded->to_itself > 0)
        out_verdict_say(said, "Left out: %" PRId64 " messages of ranks to themselves.",
                        recorded->to_itself);
    if (writing->ranks != recorded->ranks)
        out_verdict_say(
            said, "%s scaling from %" PRId32 " to %" PRId32 " ranks: %s",
            writing->wishes->strong ? "Strong" : "Weak", recorded->ranks, writing->ranks,
            writing->wishes->strong ? "computing is divided among them, the data of all stay."
                                    : "computing and data of each stay.");
}

int recorded_write(struct recorded *recorded, const struct recorded_program *program,
                   const struct workload_wishes *wishes, FILE *text, struct workload_told *told,
                   struct sup_error *error)
{
    struct writing writing = {.recorded = recorded,
                              .program = program,
                              .wishes = wishes,
                              .told = told,
                              .sums = sup_calloc(program->nodes + 1, sizeof *writing.sums),
                              .text = text,
                              .error = error,
                              .shape =
                                  sup_calloc((size_t)recorded->sets + 1, sizeof *writing.shape),
                              .ranks = wishes->ranks > 0 ? wishes->ranks : recorded->ranks,
                              .status = RB_OK};
    for (int32_t r = 0; r < recorded->ranks; r++)
        recorded->rank[r].next = 0;
    writing.until_ns = sup_calloc((size_t)recorded->ranks, sizeof *writing.until_ns);
    writing.latest_ns = sup_calloc(recorded->communicators, sizeof *writing.latest_ns);
    walk(&writing, program->first, program->length);
    for (size_t i = 0; i < program->nodes; i++)
        told->interrupted_s += find_interrupted(&writing.sums[i]) / recorded->ranks;
    find_shapes(&writing);
    write_file(&writing);
    if (writing.status == RB_OK)
        tell(&writing);
    for (size_t i = 0; i < program->nodes; i++) {
        free(writing.sums[i].computing_s);
        free(writing.sums[i].moving_s);
        free(writing.sums[i].sent);
    }
    free(writing.sums);
    free(writing.until_ns);
    free(writing.latest_ns);
    free(writing.shape);
    return writing.status;
}
