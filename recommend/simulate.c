/* simulate.c - times of a library's choices, and the rules of them (recommend.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "experiments/point/native.h"
#include "experiments/point/rule.h"
#include "experiments/point/runs.h"
#include "recommend/recommend.h"
#include "support/memory.h"

const char *const recommend_source_names[RECOMMEND_SOURCES] = {"not reached", "simulated",
                                                               "predicted", "measured"};

enum {
    MOST_SIZE = 64 << 20,
    MOST_PER_RANK = 1 << 30, /* bytes of a call for each rank */
    MOST_BLOCKS = 2048,
    LEAST_SEGMENT = 8192,
    MOST_SEGMENT = 4 << 20,
    AGAIN = 3,     /* passes over what leads by an expectation alone */
    SEGMENTS = 8,  /* the factor between them */
    CONFIRMED = 3, /* points of a collective */
    MOST_COLLECTIVES = 64
};
static const double longest_run_s = 60;  /* real time; estimates are far below */
static const double hopeless = 4;        /* times the best at fewer ranks: no run */
static const double of_rest = 0.1;       /* of the budget, for such a pass */
static const double other_choice = 1.02; /* the default must be faster by this to stay */

struct work {
    const struct recommend_request *request;
    struct recommend_answer *answer;
    const struct rules_call *call; /* of the present collective */
    struct point common;
    size_t previous, step, end; /* cells with fewer ranks, the present ones, and their end */
    double left_s, weight;      /* of the budget; of the steps to come */
    size_t *order;              /* of the tries that run */
    size_t count;
    const char *what;
    struct sup_error *error;
};

/* ---- The calls ------------------------------------------------------------------------------- */

/* Numbers of ranks: some of one node, the node, some nodes, the whole cluster. */
static size_t find_ranks(const struct recommend_request *request, int32_t p[64])
{
    const int32_t factor = request->quick ? 4 : 2;
    const int64_t ppn = request->ppn, all = ppn * request->nodes;
    size_t count = 0;
    for (int64_t few = request->quick ? 4 : 2; few < ppn; few *= request->quick ? 8 : 4)
        p[count++] = (int32_t)few;
    for (int64_t some = ppn; some < all; some *= factor)
        if (some > 1)
            p[count++] = (int32_t)some;
    p[count++] = (int32_t)all;
    return count;
}

static int64_t all_bytes(const struct rules_call *call, int64_t size, int32_t p)
{
    const int64_t times = call->size == RULES_PER_RANK   ? p
                          : call->size == RULES_PER_PAIR ? (int64_t)p * p
                                                         : 1;
    return size > (int64_t)MOST_PER_RANK * p / times ? 0 : size * times;
}

static const struct rules_call *find_call(const struct rules_format *format, const char *collective)
{
    const struct rules_call *call = format->call;
    while (call->collective != NULL && strcmp(call->collective, collective) != 0)
        call++;
    return call->collective == NULL ? NULL : call;
}

static void add_cells(struct work *work, int32_t collective, int32_t p)
{
    struct recommend_answer *answer = work->answer;
    const int64_t factor = work->request->quick ? 16 : 8;
    for (int64_t size = 1; size <= MOST_SIZE;
         size = size < MOST_SIZE && size * factor > MOST_SIZE ? MOST_SIZE : size * factor) {
        const int64_t m_bytes = all_bytes(work->call, size, p);
        if (m_bytes == 0)
            return;
        sup_grow(&answer->cell, answer->cells, sizeof *answer->cell);
        answer->cell[answer->cells++] = (struct recommend_cell){
            .collective = collective, .p = p, .size = size, .m_bytes = m_bytes};
    }
}

/* ---- What could be done ---------------------------------------------------------------------- */

static void add_try(struct work *work, const struct recommend_cell *cell,
                    enum recommend_whose whose, const struct rb_plan_spec *plan,
                    int64_t segment_bytes)
{
    struct recommend_answer *answer = work->answer;
    struct recommend_try try_ = {.whose = whose,
                                 .point = work->common,
                                 .segment_bytes = segment_bytes,
                                 .time_s = NAN,
                                 .low_s = NAN,
                                 .high_s = NAN,
                                 .expected_s = NAN,
                                 .bound = {.time_s = NAN}};
    try_.point.plan = *plan;
    try_.point.m_bytes = cell->m_bytes;
    point_resolve(&try_.point);
    if (point_estimate(&try_.point, NULL) != RB_OK)
        return;
    sup_grow(&answer->try_, answer->tries, sizeof *answer->try_);
    answer->try_[answer->tries++] = try_;
}

/* True if a row before has the same plan, as calls of one collective do. */
static bool is_repeated(const struct mpilib_algorithm *rows, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(rows[k].collective, rows[i].collective) == 0 && rows[k].algorithm != NULL &&
            strcmp(rows[k].algorithm, rows[i].algorithm) == 0 && rows[k].radix == rows[i].radix)
            return true;
    return false;
}

static void add_library(struct work *work, const struct recommend_cell *cell,
                        struct rb_plan_spec plan)
{
    const struct rules_format *format = work->request->format;
    size_t count;
    const struct mpilib_algorithm *rows = mpilib_rows(format->library, &count);
    for (size_t i = 0; i < count; i++) {
        const struct mpilib_algorithm *row = &rows[i];
        if (strcmp(row->collective, plan.collective) != 0 || mpilib_info(row) == NULL ||
            !mpilib_has(row, format->version) || !mpilib_serves(row, plan.p) ||
            is_repeated(rows, i))
            continue;
        plan.algorithm = mpilib_info(row)->name;
        plan.radix = mpilib_info(row)->radix == NULL ? 0 : mpilib_radix(row->radix, plan.p);
        plan.n = 1;
        add_try(work, cell, RECOMMEND_LIBRARY, &plan, 0);
        for (int64_t segment = LEAST_SEGMENT; row->segmented && segment <= MOST_SEGMENT;
             segment *= SEGMENTS) {
            plan.n = audit_blocks(&plan, cell->m_bytes, segment);
            if (plan.n > 1 && plan.n <= MOST_BLOCKS)
                add_try(work, cell, RECOMMEND_LIBRARY, &plan, segment);
        }
    }
}

/* Plans that no library has: circulant, and those that plan by hosts. */
static void add_ours(struct work *work, const struct recommend_cell *cell, struct rb_plan_spec plan)
{
    const struct point_known_platform *platform = work->request->platform;
    const struct rb_algorithm_info *info;
    const bool several = plan.p > work->request->ppn && work->request->ppn > 1;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++) {
        if (strcmp(info->collective, plan.collective) != 0 ||
            !(info->groups ? several : strcmp(info->name, "circulant") == 0))
            continue;
        plan.algorithm = info->name;
        plan.groups = info->groups ? work->answer->groups : NULL;
        plan.n = 1;
        if (info->pipelined && rb_best_n(&plan, cell->m_bytes, platform->alpha_s,
                                         platform->beta_s_per_byte, &plan.n) != RB_OK)
            plan.n = 1;
        add_try(work, cell, RECOMMEND_OURS, &plan, 0);
    }
}

/* The plan that follows the library's default, where there is one. */
static void add_default(struct work *work, const struct recommend_cell *cell,
                        struct rb_plan_spec plan)
{
    struct point point = work->common;
    struct point_plan found;
    point.plan = plan;
    point.m_bytes = cell->m_bytes;
    if (point_find_plan(&point, &found, NULL) != RB_OK)
        return;
    if (found.spec.groups != NULL)
        found.spec.groups = work->answer->groups;
    point.plan = found.spec;
    point_resolve(&point);
    if (point.algorithm != NULL) {
        found.spec.algorithm = point.algorithm->name; /* which outlives the choice */
        add_try(work, cell, RECOMMEND_DEFAULT, &found.spec, 0);
    }
}

static void add_tries(struct work *work, struct recommend_cell *cell)
{
    struct rb_plan_spec plan = work->common.plan;
    plan.collective = work->request->collective[cell->collective];
    plan.p = cell->p;
    cell->first = work->answer->tries;
    add_library(work, cell, plan);
    add_ours(work, cell, plan);
    plan.algorithm = work->answer->native;
    if (plan.algorithm[0] != '\0')
        add_default(work, cell, plan);
    cell->count = work->answer->tries - cell->first;
}

/* ---- Expectations ---------------------------------------------------------------------------- */

/* The closed form's; NAN: it has none. */
static double closed_s(const struct point *point)
{
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = 1};
    struct rb_plan *plan;
    double time_s = NAN;
    char why[256];
    if (point->algorithm == NULL || rb_plan_create(&point->plan, &plan, why, sizeof why) != RB_OK)
        return NAN;
    if (rb_plan_cost(plan, &layout, point->platform->alpha_s, point->platform->beta_s_per_byte,
                     &time_s) != RB_OK)
        time_s = (double)rb_plan_rounds(plan);
    rb_plan_destroy(plan);
    return time_s;
}

/* How far the n of two tries of one plan are apart; INFINITY: the plans differ. Of the library's
 * choices segments must be equal, of which the default may have any. */
static double apart(const struct recommend_try *a, const struct recommend_try *b)
{
    const bool same = a->point.algorithm == b->point.algorithm &&
                      a->point.plan.radix == b->point.plan.radix &&
                      (b->whose == RECOMMEND_LIBRARY
                           ? a->whose == b->whose && a->segment_bytes == b->segment_bytes
                           : true);
    return same ? fabs(log((double)a->point.plan.n / (double)b->point.plan.n)) : INFINITY;
}

/* From the same choice at the same size and fewer ranks; those of one node say nothing of several,
 * which share links. */
static double expect(const struct work *work, size_t cell, const struct recommend_try *try_)
{
    const struct recommend_answer *answer = work->answer;
    const struct recommend_try *like = NULL;
    double least = INFINITY;
    for (size_t i = work->previous; i < work->step; i++) {
        const struct recommend_cell *before = &answer->cell[i];
        if (before->size != answer->cell[cell].size ||
            (before->p <= work->request->ppn && work->request->ppn > 1 &&
             answer->cell[cell].p > work->request->ppn))
            continue;
        for (size_t k = before->first; k < before->first + before->count; k++)
            if (isfinite(answer->try_[k].time_s) && apart(&answer->try_[k], try_) < least) {
                least = apart(&answer->try_[k], try_);
                like = &answer->try_[k];
            }
    }
    return like == NULL ? NAN : like->time_s * closed_s(&try_->point) / closed_s(&like->point);
}

/* How much longer than the fastest a try is expected to take; 1: nothing is known, or it is the
 * default. */
static double handicap(const struct recommend_answer *answer, const struct recommend_cell *cell,
                       const struct recommend_try *try_)
{
    double least_s = INFINITY;
    if (try_->whose == RECOMMEND_DEFAULT)
        return 1;
    for (size_t i = cell->first; i < cell->first + cell->count; i++)
        if (answer->try_[i].expected_s < least_s)
            least_s = answer->try_[i].expected_s;
    return try_->expected_s > least_s ? try_->expected_s / least_s : 1;
}

/* ---- Running --------------------------------------------------------------------------------- */

struct candidate {
    size_t try_;
    double key;
};

static int by_key(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    const int order = (left->key > right->key) - (left->key < right->key);
    return order != 0 ? order : (left->try_ > right->try_) - (left->try_ < right->try_);
}

static void expect_all(struct work *work)
{
    struct recommend_answer *answer = work->answer;
    for (size_t i = work->step; i < work->end; i++)
        for (size_t k = answer->cell[i].first; k < answer->cell[i].first + answer->cell[i].count;
             k++)
            answer->try_[k].expected_s = expect(work, i, &answer->try_[k]);
}

/* The time, or what is expected. */
static double likely_s(const struct recommend_try *try_)
{
    return try_->source == RECOMMEND_SIMULATED ? try_->time_s
           : isfinite(try_->expected_s)        ? try_->expected_s
                                               : INFINITY;
}

/* True if no other choice of the library is expected to be as fast. */
static bool leads(const struct recommend_answer *answer, const struct recommend_cell *cell,
                  const struct recommend_try *try_)
{
    for (size_t i = cell->first; i < cell->first + cell->count; i++)
        if (answer->try_[i].whose == try_->whose && likely_s(&answer->try_[i]) < likely_s(try_))
            return false;
    return isfinite(likely_s(try_)) && try_->whose != RECOMMEND_OURS;
}

/* What is cheap or promising comes first, until the share of the budget is spent; `again`: of what
 * leads by an expectation alone. */
static void choose_runs(struct work *work, double share_s, bool again)
{
    struct recommend_answer *answer = work->answer;
    const size_t first = answer->cell[work->step].first;
    struct candidate *candidate = sup_calloc(answer->tries - first + 1, sizeof *candidate);
    size_t count = 0;
    work->order = sup_realloc(work->order, (answer->tries - first + 1) * sizeof *work->order);
    work->count = 0;
    for (size_t i = work->step; i < work->end; i++) {
        const struct recommend_cell *cell = &answer->cell[i];
        for (size_t k = cell->first; k < cell->first + cell->count; k++) {
            const struct recommend_try *try_ = &answer->try_[k];
            const double times = handicap(answer, cell, try_);
            if (again ? try_->source != RECOMMEND_SIMULATED && leads(answer, cell, try_)
                      : times <= hopeless)
                candidate[count++] = (struct candidate){k, try_->point.cost_s * times * times};
        }
    }
    if (count > 0)
        qsort(candidate, count, sizeof *candidate, by_key);
    for (size_t i = 0; i < count; i++) {
        const double cost_s = answer->try_[candidate[i].try_].point.cost_s;
        if (cost_s > share_s)
            continue;
        share_s -= cost_s;
        work->left_s -= cost_s;
        work->order[work->count++] = candidate[i].try_;
    }
    free(candidate);
}

static const struct point *point_at(void *context, size_t i)
{
    const struct work *work = context;
    return &work->answer->try_[work->order[i]].point;
}

static int take(void *context, size_t i, const struct point_outcome *outcome,
                struct sup_error *error)
{
    const struct work *work = context;
    struct recommend_try *try_ = &work->answer->try_[work->order[i]];
    (void)error;
    if (!outcome->done)
        return RB_OK;
    try_->source = RECOMMEND_SIMULATED;
    try_->time_s = outcome->time_s;
    try_->bound = outcome->bound;
    return RB_OK;
}

static int run(struct work *work)
{
    struct point_runs runs = {.what = work->what,
                              .count = work->count,
                              .jobs = work->request->jobs,
                              .limit_s = longest_run_s,
                              .context = work,
                              .at = point_at,
                              .done = take};
    if (runs.count == 0)
        return RB_OK;
    point_runs_start(&runs);
    return point_runs_do(&runs, work->error);
}

/* What was not run has the time that is expected. */
static void take_expected(struct work *work)
{
    struct recommend_answer *answer = work->answer;
    for (size_t i = answer->cell[work->step].first; i < answer->tries; i++) {
        struct recommend_try *try_ = &answer->try_[i];
        if (try_->source == RECOMMEND_NOT_REACHED && isfinite(try_->expected_s)) {
            try_->source = RECOMMEND_PREDICTED;
            try_->time_s = try_->expected_s;
        }
        answer->source[try_->source]++;
    }
}

static int do_step(struct work *work, int32_t collective, int32_t p)
{
    work->step = work->answer->cells;
    add_cells(work, collective, p);
    work->end = work->answer->cells;
    for (size_t i = work->step; i < work->end; i++)
        add_tries(work, &work->answer->cell[i]);
    if (work->step == work->end)
        return RB_OK;
    expect_all(work);
    choose_runs(work, work->left_s * sqrt(p) / work->weight, false);
    work->weight -= sqrt(p);
    int status = run(work);
    for (int again = 0; again < AGAIN && status == RB_OK && work->count > 0; again++) {
        choose_runs(work, work->left_s * of_rest, true);
        status = run(work);
    }
    take_expected(work);
    work->previous = work->step;
    return status;
}

static int do_collective(struct work *work, int32_t collective, const int32_t p[], size_t count)
{
    const struct recommend_request *request = work->request;
    const char *name = request->collective[collective];
    int status = RB_OK;
    work->call = find_call(request->format, name);
    work->what = name;
    if (work->call == NULL)
        return sup_fail(work->error, RB_EINVAL, "--collective: rules for %s (%s) have no %s",
                        request->format->name, request->format->title, name);
    work->previous = work->answer->cells;
    for (size_t i = 0; i < count && status == RB_OK; i++)
        status = do_step(work, collective, p[i]);
    return status;
}

/* ---- The rules ------------------------------------------------------------------------------- */

static void choose_in(struct recommend_answer *answer, struct recommend_cell *cell,
                      enum recommend_whose whose, const struct recommend_try **chosen)
{
    *chosen = NULL;
    for (size_t i = cell->first; i < cell->first + cell->count; i++)
        if (answer->try_[i].whose == whose && isfinite(answer->try_[i].time_s) &&
            (*chosen == NULL || answer->try_[i].time_s < (*chosen)->time_s))
            *chosen = &answer->try_[i];
}

static size_t add_candidates(const struct recommend_cell *cell,
                             const struct recommend_answer *answer, int32_t ppn,
                             struct rules_candidate candidate[])
{
    size_t count = 0;
    for (size_t i = cell->first; i < cell->first + cell->count; i++) {
        const struct recommend_try *try_ = &answer->try_[i];
        const struct rb_plan_spec *plan = &try_->point.plan;
        const bool standard = try_->whose == RECOMMEND_DEFAULT;
        if (!isfinite(try_->time_s) ||
            (standard && cell->best != NULL && try_->time_s * other_choice > cell->best->time_s))
            continue;
        candidate[count++] =
            (struct rules_candidate){.collective = plan->collective,
                                     .algorithm = standard ? "native" : plan->algorithm,
                                     .radix = plan->radix,
                                     .p = plan->p,
                                     .ppn = ppn,
                                     .m_bytes = cell->m_bytes,
                                     .n = plan->n,
                                     .time_s = try_->time_s,
                                     .foreign = try_->whose == RECOMMEND_OURS};
    }
    return count;
}

static int make_rules(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error)
{
    const struct rules_request rules = {
        .format = request->format, .element_bytes = 1, .tolerance = 0.02, .everywhere = true};
    const struct rules_head head = {.source = request->rows > 0
                                                  ? "roundabout recommend, measured rows"
                                                  : "roundabout recommend, simulated",
                                    .base = request->base};
    struct rules_candidate *candidate = sup_calloc(answer->tries + 1, sizeof *candidate);
    size_t count = 0;
    for (size_t i = 0; i < answer->cells; i++) {
        struct recommend_cell *cell = &answer->cell[i];
        choose_in(answer, cell, RECOMMEND_DEFAULT, &cell->standard);
        choose_in(answer, cell, RECOMMEND_OURS, &cell->ours);
        choose_in(answer, cell, RECOMMEND_LIBRARY, &cell->best);
        count += add_candidates(cell, answer, request->ppn, candidate + count);
    }
    FILE *stream = sup_memory_open(&answer->file, &answer->file_size);
    const int status = rules_make(&rules, candidate, count, &head, stream, &answer->notes, error);
    sup_memory_close(stream);
    free(candidate);
    return status;
}

/* The try that the library takes by this rule: of its plan the nearest segment. */
static const struct recommend_try *find_try(const struct recommend_answer *answer,
                                            const struct recommend_cell *cell,
                                            const struct rules_answer *rule)
{
    const struct recommend_try *nearest = NULL;
    double least = INFINITY;
    for (size_t i = cell->first; i < cell->first + cell->count; i++) {
        const struct recommend_try *try_ = &answer->try_[i];
        const double far =
            fabs(log((double)(try_->segment_bytes + 1)) - log((double)(rule->segment_bytes + 1)));
        if (try_->whose == RECOMMEND_LIBRARY && isfinite(try_->time_s) && rule->row != NULL &&
            rule->row->algorithm != NULL &&
            strcmp(rule->row->algorithm, try_->point.plan.algorithm) == 0 && far < least) {
            least = far;
            nearest = try_;
        }
    }
    return nearest;
}

int recommend_look_up(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error)
{
    struct rules_file *file = NULL;
    int status =
        rules_parse("the rules", answer->file, answer->file_size, request->format, &file, error);
    for (size_t i = 0; i < answer->cells && status == RB_OK; i++) {
        struct recommend_cell *cell = &answer->cell[i];
        const struct rules_query query = {.collective = request->collective[cell->collective],
                                          .p = cell->p,
                                          .ppn = request->ppn,
                                          .m_bytes = cell->m_bytes};
        struct rules_answer rule = {.name = ""};
        const bool found = rules_look_up(file, &query, &rule);
        cell->best = found ? find_try(answer, cell, &rule) : cell->standard;
        cell->name[0] = '\0';
        if (found)
            snprintf(cell->name, sizeof cell->name, "%s",
                     rule.row != NULL ? rule.row->name : rule.name);
    }
    rules_file_free(file);
    return status;
}

/* ---- Confirmation ---------------------------------------------------------------------------- */

struct confirming {
    struct recommend_answer *answer;
    const struct recommend_try *of[MOST_COLLECTIVES * CONFIRMED];
    struct point point[MOST_COLLECTIVES * CONFIRMED];
    size_t count;
};

static const struct point *confirmed_at(void *context, size_t i)
{
    return &((struct confirming *)context)->point[i];
}

static int take_confirmed(void *context, size_t i, const struct point_outcome *outcome,
                          struct sup_error *error)
{
    struct confirming *confirming = context;
    struct recommend_answer *answer = confirming->answer;
    (void)error;
    if (!outcome->done) {
        answer->unconfirmed = outcome->error;
        return RB_OK;
    }
    answer->confirmed++;
    answer->difference =
        fmax(answer->difference, fabs(outcome->time_s / confirming->of[i]->time_s - 1));
    return RB_OK;
}

/* Lines up simulated winners of a collective, from the most ranks down, at different sizes. */
static void line_up(int32_t collective, double most_s, struct confirming *confirming)
{
    const struct recommend_answer *answer = confirming->answer;
    const size_t enough = confirming->count + CONFIRMED;
    for (size_t i = answer->cells; i-- > 0 && confirming->count < enough;) {
        const struct recommend_cell *cell = &answer->cell[i];
        if (cell->collective != collective || cell->best == NULL ||
            cell->best->source != RECOMMEND_SIMULATED || cell->best->time_s <= 0)
            continue;
        struct point point = cell->best->point;
        point.engine = sim_engine_find("simgrid");
        point.engine_text = "simgrid";
        if (point_estimate(&point, NULL) != RB_OK || point.cost_s > most_s)
            continue;
        confirming->of[confirming->count] = cell->best;
        confirming->point[confirming->count++] = point;
        i -= i > 2 ? 2 : 0;
    }
}

static int confirm(const struct recommend_request *request, struct recommend_answer *answer,
                   struct sup_error *error)
{
    struct confirming *confirming = sup_calloc(1, sizeof *confirming);
    confirming->answer = answer;
    for (int32_t i = 0; i < request->collectives && i < MOST_COLLECTIVES; i++)
        line_up(i, request->budget_s / (20.0 * request->collectives), confirming);
    struct point_runs runs = {.what = "confirm",
                              .count = confirming->count,
                              .jobs = request->jobs,
                              .limit_s = longest_run_s,
                              .context = confirming,
                              .at = confirmed_at,
                              .done = take_confirmed};
    int status = RB_OK;
    if (runs.count > 0) {
        point_runs_start(&runs);
        status = point_runs_do(&runs, error);
    }
    free(confirming);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

static int make_common(struct work *work)
{
    static const struct {
        enum point_id id;
        const char *word;
    } usual[] = {
        {POINT_COUNTS, "regular"}, {POINT_PLACEMENT, "block"}, {POINT_OVERLAP, "blocking"}};
    enum { USUAL = sizeof usual / sizeof *usual };
    const struct recommend_request *request = work->request;
    struct recommend_answer *answer = work->answer;
    int status = RB_OK;
    answer->rules = sup_calloc(USUAL, sizeof *answer->rules);
    work->common = (struct point){.plan = {.ports = 1, .n = 1},
                                  .element_bytes = 1,
                                  .ppn = request->ppn,
                                  .engine = sim_engine_find("flow"),
                                  .engine_text = "flow",
                                  .engine_options = ""};
    point_set_platform(&work->common, request->platform);
    for (size_t i = 0; i < USUAL && status == RB_OK; i++) {
        status = point_rule_read(usual[i].id, usual[i].word, &answer->rules[i], work->error);
        point_set_rule(&work->common, usual[i].id, &answer->rules[i]);
    }
    snprintf(answer->groups, sizeof answer->groups, "%" PRId32, request->ppn);
    if (mpilib_chooses(request->format->library))
        snprintf(answer->native, sizeof answer->native, "native:%s", request->format->library);
    return status;
}

int recommend(const struct recommend_request *request, struct recommend_answer *answer,
              struct sup_error *error)
{
    struct work work = {
        .request = request, .answer = answer, .left_s = request->budget_s, .error = error};
    int32_t p[64];
    *answer = (struct recommend_answer){0};
    const size_t count = find_ranks(request, p);
    for (size_t i = 0; i < count; i++)
        work.weight += sqrt(p[i]) * request->collectives;
    int status = make_common(&work);
    for (int32_t i = 0; i < request->collectives && status == RB_OK; i++)
        status = do_collective(&work, i, p, count);
    free(work.order);
    if (status == RB_OK)
        status = make_rules(request, answer, error);
    if (status == RB_OK)
        status = recommend_look_up(request, answer, error);
    return status == RB_OK ? confirm(request, answer, error) : status;
}

void recommend_free(struct recommend_answer *answer)
{
    for (size_t i = 0; answer->rules != NULL && i < 3; i++)
        point_rule_free(&answer->rules[i]);
    free(answer->rules);
    free(answer->cell);
    free(answer->try_);
    free(answer->file);
    *answer = (struct recommend_answer){0};
}
