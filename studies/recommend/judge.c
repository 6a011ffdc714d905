/* judge.c - recommendations from words, held against measured rows (recommend.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/predict/predict.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/options.h"

/* Measured times of what is recommended, and of the library's own choice, over the least. */
struct judged {
    const char *collective;
    int64_t points;
    double choice, choice_worst, own, own_worst; /* sums of logarithms, then geometric means */
};

#define JUDGED(member) OUT_OF_BASE(DECIDE_ITSELF, struct judged, member)
static const struct out_column columns[] = {
    {"collective", "collective", OUT_WORD, JUDGED(collective)},
    {"points", "points", OUT_COUNT, JUDGED(points)},
    {"choice_mean", "choice", OUT_RATIO, JUDGED(choice)},
    {"choice_worst", "worst", OUT_RATIO, JUDGED(choice_worst)},
    {"own_mean", "library", OUT_RATIO, JUDGED(own)},
    {"own_worst", "worst", OUT_RATIO, JUDGED(own_worst)},
};

static const struct decide_call *find_call(const struct decide *decision,
                                           const struct rows_row *row)
{
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        if (call->p == row->p && call->m_bytes == row->m_bytes &&
            strcmp(decision->places[call->place].collective, row->collective) == 0)
            return call;
    }
    return NULL;
}

/* The time for which what was measured is recommended; NAN: it has none. */
static double promised_s(const struct decide *decision, const struct decide_call *call,
                         const struct rows_row *row)
{
    for (size_t i = call->first; i < call->first + call->count; i++) {
        const struct decide_way *way = &decision->ways[i];
        if (row->own_choice
                ? way->own
                : way->offered && way->radix == row->radix && way->n == rows_blocks(row) &&
                      strcmp(way->algorithm, row->algorithm) == 0)
            return way->time_s;
    }
    return NAN;
}

static void add_point(struct judged *judged, double choice, double own)
{
    judged->points++;
    judged->choice += log(choice);
    judged->choice_worst = fmax(judged->choice_worst, choice);
    judged->own += log(own);
    judged->own_worst = fmax(judged->own_worst, own);
}

/* The point of a row of the library's own choice: what is recommended of what was measured. */
static void judge_point(const struct recommend_request *request, const struct decide *decision,
                        const struct rows_row *own, struct judged judged[])
{
    const struct decide_call *call = find_call(decision, own);
    const struct rows_row *choice = own;
    double best_s = own->median_s, least_s = call == NULL ? NAN : promised_s(decision, call, own);
    int32_t ways = 0, k = 0;
    for (size_t i = 0; i < request->judged_rows && call != NULL; i++) {
        const struct rows_row *row = request->judged[i];
        if (row->own_choice || row->algorithm == NULL || !predict_same_point(row, own) ||
            !rows_is_of_library(own->name, row->name))
            continue;
        const double time_s = promised_s(decision, call, row);
        best_s = fmin(best_s, row->median_s);
        ways++;
        if (!call->own_stays && !isnan(time_s) && !(time_s >= least_s)) {
            least_s = time_s;
            choice = row;
        }
    }
    while (k < request->collectives && strcmp(request->collective[k], own->collective) != 0)
        k++;
    for (int i = 0; i < 2 && ways > 0; i++, k = request->collectives)
        add_point(&judged[k], choice->median_s / best_s, own->median_s / best_s);
}

/* All points with so many ranks per node. */
static int judge_ppn(struct recommend_request *request, int32_t ppn, struct judged judged[],
                     struct recommend_answer *answer, struct sup_error *error)
{
    request->ppn = ppn;
    recommend_free(answer);
    const int status = recommend(request, answer, error);
    for (size_t i = 0; i < request->judged_rows && status == RB_OK; i++)
        if (request->judged[i]->own_choice && request->judged[i]->ranks_per_node == ppn)
            judge_point(request, &answer->decision, request->judged[i], judged);
    return status;
}

static struct decide_row row_of(const void *context, size_t i)
{
    return (struct decide_row){.itself = &((const struct judged *)context)[i]};
}

static void print(const struct recommend_request *request, const struct recommend_answer *answer,
                  struct judged judged[], bool json, FILE *stream)
{
    const char *data = "collective points choice_mean choice_worst own_mean own_worst";
    const char *system = request->judged[0]->system;
    const struct decide_table table = {.text = data,
                                       .data = data,
                                       .own = columns,
                                       .own_width = OUT_COUNT_OF(columns),
                                       .rows = (size_t)request->collectives + 1,
                                       .row = row_of,
                                       .context = judged};
    struct out_verdict verdict = {0};
    for (int32_t k = 0; k <= request->collectives; k++) {
        judged[k].choice = exp(judged[k].choice / (double)judged[k].points);
        judged[k].own = exp(judged[k].own / (double)judged[k].points);
    }
    out_verdict_say(&verdict, "%s from words, %s: over the least measured times.", system,
                    request->where);
    recommend_say_model(request, answer, &verdict);
    if (json)
        decide_table_rows(&table, stream,
                          json_pack("{s:s, s:o, s:o}", "version", cli_program_version, "system",
                                    out_json_text(system), "verdict", out_verdict_json(&verdict)),
                          "judged");
    else {
        out_verdict_lines(&verdict, 0, stream);
        decide_table_text(&table, stream);
    }
    out_verdict_free(&verdict);
}

int recommend_judge(const struct recommend_request *request, bool json, FILE *stream,
                    struct sup_error *error)
{
    struct recommend_request asked = *request;
    struct recommend_answer answer = {0};
    struct judged *judged = sup_calloc((size_t)request->collectives + 1, sizeof *judged);
    int status = RB_OK;
    judged[request->collectives].collective = "all";
    for (int32_t k = 0; k < request->collectives; k++)
        judged[k].collective = request->collective[k];
    for (size_t i = 0, k; i < request->judged_rows && status == RB_OK; i++) {
        const int32_t ppn = request->judged[i]->ranks_per_node;
        for (k = 0; request->judged[k]->ranks_per_node != ppn;)
            k++;
        if (k == i)
            status = judge_ppn(&asked, ppn, judged, &answer, error);
    }
    if (status == RB_OK && judged[request->collectives].points == 0)
        status = sup_fail(error, RB_EINVAL,
                          "--judge: no point has rows of these collectives by the own choice of %s "
                          "and by its algorithms",
                          sup_library_title(request->format->library));
    else if (status == RB_OK)
        print(request, &answer, judged, json, stream);
    recommend_free(&answer);
    free(judged);
    return status;
}
