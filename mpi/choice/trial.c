#include "trial.h"

#include <inttypes.h>
#include <math.h>
#include <roundabout.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "support/memory.h"
#include "support/units.h"

enum { SMALL_CLASS = 16 }; /* up to 64 KiB - 1 */
enum { FIRST_TRIAL_SMALL = 64, FIRST_TRIAL = 8, NEXT_TRIAL = 4, NEXT_TRIAL_UNTRIED = 2 };
enum { CHECKED = 7 }; /* words before the times */

#define MARGIN         1.05f
#define MARGIN_TO_STAY 1.02f
#define LOST_SHARE     0.02
#define EXPECTED_LOSS  2.0  /* calls of the current choice */
#define LONG_CALL_S    1e-4 /* worth a reduction after the first call */
#define SET_UP_S       1e-3 /* a first call may take longer by this: plans, memory, a communicator */
#define AGREEMENT_S    5e-5 /* a reduction takes as long as a short call; not counted as more */

int32_t choice_size_class(int64_t bytes)
{
    int32_t class = 0;
    for (; bytes > 0; bytes /= 2)
        class ++;
    return class;
}

/* ---- Classes of calls ------------------------------------------------------------------------ */

static bool same_key(const struct choice_trial_key *a, const struct choice_trial_key *b)
{
    return a->collective == b->collective && a->size_class == b->size_class &&
           a->irregular == b->irregular && a->ordered == b->ordered;
}

/* Whatever changes the stage, the current choice or the next trial calls this afterwards, so that a
 * call that passes compares two numbers only. */
static void set_pass(struct choice_trial *trial)
{
    trial->pass = 0;
    if (trial->current == 0 && trial->stage == CHOICE_CLOSED)
        trial->pass = INT64_MAX;
    else if (trial->current == 0 && trial->stage == CHOICE_WAITING)
        trial->pass = trial->next_trial - CHOICE_TRIAL_BEFORE;
}

static bool make_room(struct choice_trials *trials)
{
    if (trials->count < trials->room)
        return true;
    const int32_t room = trials->room > 0 ? 2 * trials->room : 2;
    struct choice_trial *grown = realloc(trials->trials, (size_t)room * sizeof *grown);
    if (grown == NULL)
        return false;
    trials->trials = grown;
    trials->room = room;
    return true;
}

struct choice_trial *choice_trials_find(const struct choice_trials *trials,
                                        const struct choice_trial_key *key)
{
    int i = trials->first[key->collective] - 1;
    while (i >= 0 && !same_key(&trials->trials[i].key, key))
        i = trials->trials[i].next;
    return i >= 0 ? &trials->trials[i] : NULL;
}

int choice_trials_make(struct choice_trials *trials, const struct choice_trial_key *key,
                       int candidates, struct choice_trial **made)
{
    *made = NULL;
    if (trials->count == CHOICE_MOST_TRIALS)
        return RB_OK;
    if (!make_room(trials))
        return RB_ENOMEM;
    *made = &trials->trials[trials->count];
    **made = (struct choice_trial){
        .key = *key,
        .candidates = (int8_t)candidates,
        .challenger = 1,
        .stage = candidates > 1 ? CHOICE_WAITING : CHOICE_CLOSED,
        .next = (int16_t)(trials->first[key->collective] - 1),
        .next_trial = key->size_class <= SMALL_CLASS ? FIRST_TRIAL_SMALL : FIRST_TRIAL,
    };
    set_pass(*made);
    trials->first[key->collective] = (int16_t)++trials->count;
    return RB_OK;
}

void choice_trials_free(struct choice_trials *trials)
{
    free(trials->trials);
    *trials = (struct choice_trials){0};
}

/* ---- A call ---------------------------------------------------------------------------------- */

static int serving(const struct choice_trial *trial)
{
    return trial->stage == CHOICE_TRYING ? trial->challenger : trial->current;
}

int choice_trial_begin(struct choice_trial *trial)
{
    trial->calls++;
    return serving(trial);
}

bool choice_trial_is_timed(const struct choice_trial *trial)
{
    return trial->stage == CHOICE_TRYING || trial->stage == CHOICE_AFTERWARDS ||
           (trial->stage == CHOICE_WAITING &&
            trial->calls > trial->next_trial - CHOICE_TRIAL_BEFORE);
}

/* True after those calls of the challenger at which the ranks agree: the 1st (if calls are long),
 * the 3rd and the 7th. */
static bool is_stop(const struct choice_trial *trial)
{
    return trial->count == 3 || trial->count == CHOICE_TRIAL_DURING ||
           (trial->count == 1 && trial->current_s >= (float)LONG_CALL_S);
}

bool choice_trial_end(struct choice_trial *trial, double time_s)
{
    if (!choice_trial_is_timed(trial))
        return false;
    switch (trial->stage) {
    case CHOICE_WAITING:
        trial->before[trial->count++] = (float)time_s;
        return trial->count == CHOICE_TRIAL_BEFORE;
    case CHOICE_TRYING:
        trial->during[trial->count++] = (float)time_s;
        return is_stop(trial);
    case CHOICE_AFTERWARDS:
        trial->after[trial->count++] = (float)time_s;
        return trial->count == CHOICE_TRIAL_AFTER;
    case CHOICE_CLOSED:
        break;
    }
    return false;
}

/* ---- Agreement ------------------------------------------------------------------------------- */

static float *times_of(struct choice_trial *trial)
{
    return trial->stage == CHOICE_WAITING  ? trial->before
           : trial->stage == CHOICE_TRYING ? trial->during
                                           : trial->after;
}

/* The values that must be equal at all ranks, as one whole number below 2^53. */
static double place_of(const struct choice_trial *trial)
{
    int64_t place = trial->key.collective;
    place = place * 128 + trial->key.size_class;
    place = place * 4 + trial->key.irregular * 2 + trial->key.ordered;
    place = place * 4 + (int64_t)trial->stage;
    place = place * 16 + trial->count;
    place = place * 8 + trial->current;
    return (double)(place * 8 + trial->challenger);
}

/* The least of a number is the complement of the maximum of its negative. */
void choice_trial_offer(const struct choice_trial *trial, int64_t bytes, bool failed,
                        double words[CHOICE_TRIAL_WORDS])
{
    struct choice_trial copy = *trial;
    const float *times = times_of(&copy);
    words[0] = place_of(trial);
    words[1] = -words[0];
    words[2] = (double)bytes;
    words[3] = -words[2];
    words[4] = (double)trial->calls;
    words[5] = -words[4];
    words[6] = failed ? 1 : 0;
    for (int i = CHECKED; i < CHOICE_TRIAL_WORDS; i++)
        words[i] = i < CHECKED + trial->count ? (double)times[i - CHECKED] : 0;
}

static bool all_alike(const double words[CHOICE_TRIAL_WORDS])
{
    return words[0] == -words[1] && words[2] == -words[3] && words[4] == -words[5] && words[6] == 0;
}

SUP_COMPARE(compare_times, float, SUP_ORDER(*a, *b));

static float median(const float times[], int count)
{
    float sorted[CHOICE_TRIAL_BEFORE + CHOICE_TRIAL_DURING + CHOICE_TRIAL_AFTER];
    memcpy(sorted, times, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_times);
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static void note(struct choice_trial *trial, enum choice_trial_verdict verdict, float ratio)
{
    struct choice_tried *tried = &trial->tried[trial->challenger];
    tried->verdict = verdict;
    tried->ratio = ratio;
    if (verdict != CHOICE_UNSUITED)
        tried->trials++;
}

/* The candidate after this trial's, in turn. After a change the former choice comes next, so that a
 * win must be confirmed. */
static void choose_challenger(struct choice_trial *trial, int after)
{
    for (int i = 1; i <= trial->candidates; i++) {
        const int candidate = (after + i) % trial->candidates;
        if (candidate != trial->current && trial->tried[candidate].verdict != CHOICE_UNSUITED) {
            trial->challenger = (int8_t)candidate;
            return;
        }
    }
    trial->stage = CHOICE_CLOSED; /* there is no other */
}

static void end_trial(struct choice_trial *trial)
{
    trial->stage = CHOICE_WAITING;
    trial->count = 0;
    choose_challenger(trial, trial->challenger);
    const bool untried = trial->tried[trial->challenger].verdict == CHOICE_UNTRIED;
    trial->next_trial = trial->calls * (untried ? NEXT_TRIAL_UNTRIED : NEXT_TRIAL);
}

static double expected_loss_s(const struct choice_trial *trial)
{
    return EXPECTED_LOSS * (double)trial->current_s;
}

int choice_trial_refuse(struct choice_trials *trials, struct choice_trial *trial)
{
    if (trial->stage != CHOICE_TRYING)
        return 0; /* the current choice also serves other calls of this class, for example with
                   * another root */
    note(trial, CHOICE_UNSUITED, 0);
    if (trial->count > 0) {
        end_trial(trial);
        set_pass(trial);
        return trial->current;
    }
    choose_challenger(trial, trial->challenger);
    if (trial->stage == CHOICE_CLOSED)
        trials->lost_s -= expected_loss_s(trial);
    set_pass(trial);
    return serving(trial);
}

/* Of all calls so far, as far as their time is known. */
static double spent_s(const struct choice_trials *trials)
{
    double all = 0;
    for (int32_t i = 0; i < trials->count; i++)
        all += (double)trials->trials[i].calls * (double)trials->trials[i].current_s;
    return all;
}

/* The possible loss of a trial counts from its start, because trials of several classes may be in
 * overlap. */
static bool start_trial(struct choice_trials *trials, struct choice_trial *trial)
{
    trial->current_s = median(trial->before, CHOICE_TRIAL_BEFORE);
    trial->count = 0;
    if (trials->lost_s + expected_loss_s(trial) > LOST_SHARE * spent_s(trials)) {
        trial->next_trial = 2 * trial->calls;
    } else {
        trial->stage = CHOICE_TRYING;
        trials->lost_s += expected_loss_s(trial);
    }
    return false;
}

/* Adds the time by which the calls since the last stop exceeded that of the current choice. */
static void count_loss(struct choice_trials *trials, const struct choice_trial *trial)
{
    const int since = trial->count == CHOICE_TRIAL_DURING                           ? 3
                      : trial->current_s >= (float)LONG_CALL_S && trial->count == 3 ? 1
                                                                                    : 0;
    double lost = 0;
    if (since == 0) /* now it is known */
        trials->lost_s -= expected_loss_s(trial);
    for (int i = since; i < trial->count; i++)
        lost += (double)(trial->during[i] - trial->current_s);
    trials->lost_s += lost > 0 ? lost : 0;
}

/* A challenger's first call includes set-up that later calls reuse. */
static bool is_far_slower(const struct choice_trial *trial, float *ratio)
{
    const float first = trial->during[0];
    *ratio = first / trial->current_s;
    if (trial->count == 1)
        return *ratio > 3 && first - trial->current_s > (float)SET_UP_S;
    float best = trial->during[1];
    for (int i = 2; i < trial->count; i++)
        best = trial->during[i] < best ? trial->during[i] : best;
    *ratio = best / trial->current_s;
    return *ratio > 1.5f;
}

static bool continue_trial(struct choice_trials *trials, struct choice_trial *trial)
{
    float ratio;
    count_loss(trials, trial);
    if (is_far_slower(trial, &ratio)) {
        note(trial, CHOICE_DROPPED, ratio);
        end_trial(trial);
        return true;
    }
    if (trial->count == CHOICE_TRIAL_DURING) {
        trial->stage = CHOICE_AFTERWARDS;
        trial->count = 0;
    }
    return false;
}

static bool decide(struct choice_trial *trial)
{
    enum { TRIED = CHOICE_TRIAL_DURING - 1, CURRENT = CHOICE_TRIAL_BEFORE + CHOICE_TRIAL_AFTER };
    float tried[TRIED], current[CURRENT];
    memcpy(tried, trial->during + 1, sizeof tried);
    memcpy(current, trial->before, sizeof trial->before);
    memcpy(current + CHOICE_TRIAL_BEFORE, trial->after, sizeof trial->after);
    const float before = median(trial->before, CHOICE_TRIAL_BEFORE);
    const float after = median(trial->after, CHOICE_TRIAL_AFTER);
    const float mine = median(tried, TRIED), least = before < after ? before : after;
    qsort(tried, TRIED, sizeof *tried, compare_times);
    qsort(current, CURRENT, sizeof *current, compare_times);
    bool faster = mine * MARGIN < least && tried[TRIED - 2] < current[1];
    if (trial->challenger == 0)
        faster = current[CURRENT / 2] * MARGIN_TO_STAY > mine;
    note(trial, faster ? CHOICE_FASTER : CHOICE_SLOWER, mine / current[CURRENT / 2]);
    const int former = trial->current;
    trial->current_s = faster ? mine : current[CURRENT / 2];
    if (faster)
        trial->current = trial->challenger;
    end_trial(trial);
    if (faster) {
        trial->challenger = (int8_t)former;
        trial->next_trial = trial->calls * NEXT_TRIAL_UNTRIED;
    }
    return true;
}

bool choice_trial_agree(struct choice_trials *trials, struct choice_trial *trial,
                        const double words[CHOICE_TRIAL_WORDS])
{
    float *times = times_of(trial);
    bool ended = true;
    trials->lost_s += fmin((double)trial->current_s, AGREEMENT_S);
    if (!all_alike(words)) {
        trial->current = 0;
        trial->stage = CHOICE_CLOSED;
    } else {
        for (int i = 0; i < trial->count; i++)
            times[i] = (float)words[CHECKED + i];
        ended = trial->stage == CHOICE_WAITING  ? start_trial(trials, trial)
                : trial->stage == CHOICE_TRYING ? continue_trial(trials, trial)
                                                : decide(trial);
    }
    set_pass(trial);
    return ended;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* ---- Rows ------------------------------------------------------------------------------------ */

SUP_COMPARE(compare, struct choice_learned_row, strcmp(a->collective, b->collective),
            SUP_ORDER(a->p, b->p), a->trial.key.irregular - b->trial.key.irregular,
            a->trial.key.size_class - b->trial.key.size_class,
            a->trial.key.ordered - b->trial.key.ordered);

int choice_learned_add(struct choice_learned *learned, const struct choice_learned_row *row)
{
    const size_t place = sup_array_place(learned->rows, learned->count, sizeof *row, row, compare);
    struct choice_learned_row *old = &learned->rows[place];
    if (place < learned->count && compare(old, row) == 0) {
        if (row->trial.calls >= old->trial.calls)
            *old = *row;
        return RB_OK;
    }
    if (learned->count == CHOICE_MOST_LEARNED)
        return RB_OK;
    if (!sup_array_insert(&learned->rows, learned->count, sizeof *row, place, row))
        return RB_ENOMEM;
    learned->count++;
    return RB_OK;
}

void choice_learned_free(struct choice_learned *learned)
{
    free(learned->rows);
    *learned = (struct choice_learned){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int64_t least_bytes(const struct choice_learned_row *row)
{
    const int class = row->trial.key.size_class;
    return class == 0 ? 0 : (int64_t)1 << (class - 1);
}

/* "native", or the text of a setting. */
static const char *candidate_text(const struct choice_learned_row *row, int candidate)
{
    const struct choice_situation situation = {.collective = row->collective,
                                               .bytes = least_bytes(row)};
    const char *text = "native";
    if (candidate > 0 && choice_candidate(&situation, candidate - 1, &text) == NULL)
        return "?";
    return text;
}

static bool was_tried(const struct choice_trial *trial)
{
    for (int i = 0; i < trial->candidates; i++)
        if (trial->tried[i].trials > 0)
            return true;
    return false;
}

/* "circulant:n=2 0.61 faster; binomial 1.70 far slower" */
static void print_tried(const struct choice_learned_row *row, FILE *stream)
{
    static const char *const verdict[] = {[CHOICE_UNSUITED] = "can't serve it",
                                          [CHOICE_DROPPED] = "far slower",
                                          [CHOICE_SLOWER] = "not clearly faster",
                                          [CHOICE_FASTER] = "faster"};
    const char *separator = "";
    for (int i = 0; i < row->trial.candidates; i++) {
        const struct choice_tried *tried = &row->trial.tried[i];
        if (tried->verdict == CHOICE_UNTRIED)
            continue;
        fprintf(stream, "%s%s", separator, candidate_text(row, i));
        if (tried->verdict != CHOICE_UNSUITED)
            fprintf(stream, " %.2f", (double)tried->ratio);
        fprintf(stream, " %s", verdict[tried->verdict]);
        separator = "; ";
    }
    if (row->trial.stage == CHOICE_CLOSED && !was_tried(&row->trial))
        fprintf(stream, "%sranks differ, or none can serve it", separator);
    fputc('\n', stream);
}

static void print_class(const struct choice_learned_row *row, char text[48])
{
    snprintf(text, 48, "%s%s%s", row->collective, row->trial.key.irregular ? "/irregular" : "",
             row->trial.key.ordered ? "/ordered" : "");
}

void choice_learned_text(const struct choice_learned *learned, FILE *stream)
{
    if (learned->count == 0)
        return;
    fprintf(stream,
            "\nonline choice: the candidate kept, and those tried last, each with its time divided "
            "by that of the candidate kept then\n%-24s  %4s  %9s  %8s  %-18s  %9s  %s\n",
            "collective", "p", "bytes", "calls", "kept", "time", "tried");
    for (size_t i = 0; i < learned->count; i++) {
        const struct choice_learned_row *row = &learned->rows[i];
        char calls[48], bytes[32], time[40];
        print_class(row, calls);
        sup_format_bytes(least_bytes(row), bytes, sizeof bytes - 2);
        if (row->trial.key.size_class > 1)
            strcat(bytes, "..");
        sup_format_seconds((double)row->trial.current_s, time, sizeof time);
        fprintf(stream, "%-24s  %4" PRId32 "  %9s  %8" PRId64 "  %-18s  %9s  ", calls, row->p,
                bytes, row->trial.calls, candidate_text(row, row->trial.current), time);
        print_tried(row, stream);
    }
}

/* The last number of bytes of its class. */
static int64_t most_bytes(const struct choice_learned_row *row)
{
    return row->trial.key.size_class == 0 ? 0 : 2 * (least_bytes(row) - 1) + 1;
}

/* The rules for the row's collective, p and counts: the last row's, if these are the same. */
static int find_known(const struct choice_decisions *known, const struct choice_learned_row *row,
                      const struct choice_learned_row *last, struct choice_decision_row *found)
{
    const struct choice_situation situation = {
        .collective = row->collective, .p = row->p, .irregular = row->trial.key.irregular};
    if (known == NULL ||
        (last != NULL && strcmp(last->collective, row->collective) == 0 && last->p == row->p &&
         last->trial.key.irregular == row->trial.key.irregular))
        return RB_OK;
    choice_decision_row_free(found);
    return choice_decision_row_make(known, &situation, found);
}

int choice_learned_rules(const struct choice_learned *learned, const struct choice_decisions *known,
                         FILE *stream, int *rules)
{
    struct choice_decision_row there = {0};
    int status = RB_OK;
    *rules = 0;
    for (size_t i = 0; i < learned->count && status == RB_OK; i++) {
        const struct choice_learned_row *row = &learned->rows[i];
        char calls[48], bytes[48] = "0";
        status = find_known(known, row, i > 0 ? row - 1 : NULL, &there);
        if (status != RB_OK || row->trial.key.ordered || !was_tried(&row->trial) ||
            choice_decision_row_covers(&there, least_bytes(row), most_bytes(row)))
            continue;
        print_class(row, calls);
        if (row->trial.key.size_class > 0)
            snprintf(bytes, sizeof bytes, "%" PRId64 "..%" PRId64, least_bytes(row),
                     most_bytes(row));
        fprintf(stream, "%-24s  %-6" PRId32 "  %-24s  %-18s  # %" PRId64 " calls: ", calls, row->p,
                bytes, candidate_text(row, row->trial.current), row->trial.calls);
        print_tried(row, stream);
        ++*rules;
    }
    choice_decision_row_free(&there);
    return status;
}
