/* diagnosis.c - see diagnosis.h. */
#include "diagnosis.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- Ranks ----------------------------------------------------------------------------------- */

static bool takes_part(const struct obs_rank_use *rank)
{
    return rank->sends + rank->receives > 0;
}

/* The union of a rank's messages, which are sorted by end: from the last to the first, each adds
 * its part before all later ones. */
static double time_busy(const struct obs_recording *recording, int32_t rank)
{
    double busy_s = 0, covered_from_s = INFINITY;
    for (int32_t i = recording->first[rank + 1]; i-- > recording->first[rank];) {
        const struct sim_message *message = &recording->message[recording->of_rank[i]];
        const double until_s = fmin(message->end_s, covered_from_s);
        if (message->start_s < until_s)
            busy_s += until_s - message->start_s;
        covered_from_s = fmin(covered_from_s, message->start_s);
    }
    return busy_s;
}

static void look_at_ranks(const struct obs_recording *recording, struct obs_diagnosis *diagnosis)
{
    for (int32_t r = 0; r < recording->p; r++) {
        struct obs_rank_use *rank = &diagnosis->rank[r];
        rank->first_s = INFINITY;
        for (int32_t i = recording->first[r]; i < recording->first[r + 1]; i++) {
            const struct sim_message *message = &recording->message[recording->of_rank[i]];
            const double length_s = message->end_s - message->start_s;
            const bool sends = message->from == r;
            *(sends ? &rank->sends : &rank->receives) += 1;
            *(sends ? &rank->send_s : &rank->recv_s) += length_s;
            rank->first_s = fmin(rank->first_s, message->start_s);
            rank->last_s = fmax(rank->last_s, message->end_s);
        }
        if (takes_part(rank))
            diagnosis->taking_part++;
        else
            rank->first_s = 0;
        rank->busy_s = time_busy(recording, r);
    }
}

/* A difference of sums, which may leave a trace of rounding. */
static double rest(double all_s, double part_s, double time_s)
{
    return all_s - part_s > 1e-12 * time_s ? all_s - part_s : 0;
}

double obs_use_of(const struct obs_rank_use *rank, enum obs_use use, double time_s)
{
    switch (use) {
    case OBS_USE_SENDING:
        return rank->send_s;
    case OBS_USE_RECEIVING:
        return rank->recv_s;
    case OBS_USE_BUSY:
        return rank->busy_s;
    case OBS_USE_IDLE:
        return rest(time_s, rank->busy_s, time_s);
    case OBS_USE_GAPS:
        return rest(rank->last_s - rank->first_s, rank->busy_s, time_s);
    case OBS_USE_BEGUN:
        return rank->first_s;
    case OBS_USE_THROUGH:
    case OBS_USES:
        break;
    }
    return rank->last_s;
}

struct value {
    double value;
    int32_t rank;
};

static int compare_values(const void *left, const void *right)
{
    const struct value *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Sums of the same times differ in their last bits, which must not decide the order: nearly equal
 * values are those of the lowest rank. */
static int32_t who_has(double value, const struct value values[], int32_t count, double tolerance)
{
    int32_t lowest = INT32_MAX;
    for (int32_t i = 0; i < count; i++)
        if (fabs(values[i].value - value) <= tolerance && values[i].rank < lowest)
            lowest = values[i].rank;
    return lowest;
}

static struct obs_spread spread_of(const struct obs_diagnosis *diagnosis, int32_t p,
                                   enum obs_use use, struct value values[])
{
    int32_t count = 0;
    for (int32_t r = 0; r < p; r++)
        if (takes_part(&diagnosis->rank[r]))
            values[count++] =
                (struct value){obs_use_of(&diagnosis->rank[r], use, diagnosis->time_s), r};
    if (count == 0)
        return (struct obs_spread){0};
    qsort(values, (size_t)count, sizeof values[0], compare_values);
    const double least = values[0].value, median = values[(count - 1) / 2].value,
                 most = values[count - 1].value, tolerance = 1e-9 * diagnosis->time_s;
    return (struct obs_spread){least,
                               median,
                               most,
                               who_has(least, values, count, tolerance),
                               who_has(median, values, count, tolerance),
                               who_has(most, values, count, tolerance)};
}

static void look_at_spreads(int32_t p, struct obs_diagnosis *diagnosis)
{
    struct value *values = sup_malloc((size_t)p * sizeof *values);
    for (int use = 0; use < OBS_USES; use++)
        diagnosis->spread[use] = spread_of(diagnosis, p, (enum obs_use)use, values);
    free(values);
}

/* ---- Phases ---------------------------------------------------------------------------------- */

/* The earliest rounds of the message with which the last rank begins, and of the message with which
 * the first rank is done. */
static void find_turns(const struct obs_recording *recording, const struct obs_diagnosis *diagnosis,
                       int64_t *begun_round, int64_t *through_round)
{
    const double begun_s = diagnosis->spread[OBS_USE_BEGUN].most;
    const double through_s = diagnosis->spread[OBS_USE_THROUGH].least;
    *begun_round = *through_round = INT64_MAX;
    for (int32_t i = 0; i < recording->count; i++) {
        const struct sim_message *message = &recording->message[i];
        const struct obs_rank_use *from = &diagnosis->rank[message->from];
        const struct obs_rank_use *to = &diagnosis->rank[message->to];
        if (message->start_s == begun_s && message->round < *begun_round &&
            (from->first_s == begun_s || to->first_s == begun_s))
            *begun_round = message->round;
        if (message->end_s == through_s && message->round < *through_round &&
            (from->last_s == through_s || to->last_s == through_s))
            *through_round = message->round;
    }
}

static void measure(const struct obs_recording *recording, const struct obs_diagnosis *diagnosis,
                    int32_t ports, struct obs_phase *phase)
{
    const double length_s = phase->to_s - phase->from_s;
    double held_s = 0;
    for (int32_t i = 0; i < recording->count; i++) {
        const struct sim_message *message = &recording->message[i];
        const double from_s = fmax(message->start_s, phase->from_s);
        held_s += fmax(fmin(message->end_s, phase->to_s) - from_s, 0);
    }
    phase->utilisation = length_s > 0 ? held_s / (length_s * ports * diagnosis->taking_part) : NAN;
}

static void find_phases(const struct sim_spec *spec, const struct obs_recording *recording,
                        struct obs_diagnosis *diagnosis)
{
    const double tolerance_s = 1e-9 * diagnosis->time_s;
    const int64_t rounds = rb_plan_rounds(spec->plan);
    double begun_s = diagnosis->spread[OBS_USE_BEGUN].most;
    double through_s = diagnosis->spread[OBS_USE_THROUGH].least;
    int64_t begun_round, through_round;
    find_turns(recording, diagnosis, &begun_round, &through_round);
    diagnosis->full = begun_s <= through_s + tolerance_s;
    double turn_s[OBS_PHASES + 1] = {0, begun_s, fmax(begun_s, through_s), diagnosis->time_s};
    int64_t turn[OBS_PHASES + 1] = {0, begun_round, through_round + 1, rounds};
    if (!diagnosis->full) {
        turn_s[1] = through_s;
        turn_s[2] = begun_s;
        turn[1] = through_round + 1;
        turn[2] = begun_round;
    }
    if (turn[2] < turn[1]) /* ranks are in different rounds at a time */
        turn[2] = turn[1];
    for (int i = 0; i < OBS_PHASES; i++) {
        diagnosis->phase[i] = (struct obs_phase){
            .from_s = turn_s[i], .to_s = turn_s[i + 1], .rounds = turn[i + 1] - turn[i]};
        measure(recording, diagnosis, rb_plan_ports(spec->plan), &diagnosis->phase[i]);
    }
}

/* ---- Skew ------------------------------------------------------------------------------------ */

static void find_start_skew(const struct obs_recording *recording, int64_t rounds,
                            struct obs_diagnosis *diagnosis)
{
    struct starts {
        double first_s, last_s;
    } *starts = sup_malloc(((size_t)rounds + 1) * sizeof *starts);
    for (int64_t t = 0; t < rounds; t++)
        starts[t] = (struct starts){INFINITY, 0};
    for (int32_t i = 0; i < recording->count; i++) {
        struct starts *of = &starts[recording->message[i].round];
        of->first_s = fmin(of->first_s, recording->message[i].start_s);
        of->last_s = fmax(of->last_s, recording->message[i].start_s);
    }
    for (int64_t t = 0; t < rounds; t++)
        if (starts[t].last_s - starts[t].first_s >
            diagnosis->start_skew_s + 1e-9 * diagnosis->time_s) {
            diagnosis->start_skew_s = starts[t].last_s - starts[t].first_s;
            diagnosis->start_skew_round = t;
        }
    free(starts);
}

/* ---- The whole diagnosis --------------------------------------------------------------------- */

int obs_diagnose(const struct sim_spec *spec, const struct sim_result *result,
                 const struct obs_recording *recording, struct obs_diagnosis *diagnosis,
                 struct sup_error *error)
{
    *diagnosis = (struct obs_diagnosis){.time_s = result->time_s};
    diagnosis->rank = sup_calloc((size_t)recording->p, sizeof *diagnosis->rank);
    look_at_ranks(recording, diagnosis);
    look_at_spreads(recording->p, diagnosis);
    find_start_skew(recording, rb_plan_rounds(spec->plan), diagnosis);
    if (recording->count > 0)
        find_phases(spec, recording, diagnosis);
    const int status = obs_critical_path_find(spec, result, recording, &diagnosis->path, error);
    if (status != RB_OK)
        obs_diagnosis_free(diagnosis);
    return status;
}

void obs_diagnosis_free(struct obs_diagnosis *diagnosis)
{
    obs_critical_path_free(&diagnosis->path);
    free(diagnosis->rank);
    *diagnosis = (struct obs_diagnosis){0};
}
