/* tries.c - the calls of a recommendation, and the ways to do them (recommend.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/decide.h"
#include "experiments/point/words.h"
#include "mpi/vendors/choices/choices.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"

enum {
    MOST_SIZE = 64 << 20,
    LEAST_OF_GPUS = 256, /* sizes between GPUs */
    MOST_OF_GPUS = 1 << 30,
    MOST_PER_RANK = 1 << 30, /* bytes of a call for each rank */
    MOST_BLOCKS = 2048,
    LEAST_SEGMENT = 8192,
    MOST_SEGMENT = 4 << 20,
    SEGMENTS = 8 /* the factor between them */
};

/* ---- The calls ------------------------------------------------------------------------------- */

/* Sorts and leaves repeated values out; returns how many are left. */
static size_t sort_values(int64_t value[], size_t count)
{
    struct sup_list list = {.value = value};
    sup_list_tidy(&list, count);
    return list.count;
}

/* Some of one node, the node, some nodes, the whole cluster; and what was measured. */
size_t recommend_ranks(const struct recommend_request *request, int64_t p[RECOMMEND_VALUES])
{
    const int64_t ppn = request->ppn, all = ppn * request->nodes;
    const bool judged = request->judged_rows > 0;
    const struct rows_row *const *row = judged ? request->judged : request->row;
    const size_t rows = judged ? request->judged_rows : request->rows;
    size_t count = 0;
    for (int64_t few = request->quick ? 4 : 2; few < ppn && !judged; few *= request->quick ? 8 : 4)
        p[count++] = few;
    for (int64_t some = ppn; some < all && !judged; some *= request->quick ? 4 : 2)
        p[count++] = some > 1 ? some : all;
    if (!judged)
        p[count++] = all;
    for (size_t i = 0; i < rows; i++)
        if (row[i]->ranks_per_node == ppn && row[i]->p <= all && row[i]->p > 1 &&
            count < RECOMMEND_VALUES) {
            p[count++] = row[i]->p;
            count = sort_values(p, count);
        }
    return sort_values(p, count);
}

/* Bytes of all data for a size in the library's measure; 0: too many. */
static int64_t all_bytes(const struct rules_call *call, int64_t size, int32_t p)
{
    const int64_t times = call->size == RULES_PER_RANK   ? p
                          : call->size == RULES_PER_PAIR ? (int64_t)p * p
                                                         : 1;
    return size > (int64_t)MOST_PER_RANK * p / times ? 0 : size * times;
}

size_t recommend_sizes(const struct recommend_work *work, const char *collective, int32_t p,
                       int64_t m[RECOMMEND_VALUES])
{
    const struct recommend_request *request = work->request;
    const bool gpus = recommend_is_nccl(request);
    const int64_t most = gpus ? MOST_OF_GPUS : MOST_SIZE;
    const bool judged = request->judged_rows > 0;
    const struct rows_row *const *row = judged ? request->judged : request->row;
    const size_t rows = judged ? request->judged_rows : request->rows;
    size_t count = 0;
    for (int64_t size = gpus ? LEAST_OF_GPUS : 1; size <= most && !judged;
         size *= request->quick ? 16 : 8)
        m[count++] = all_bytes(work->call, size, p);
    if (!judged)
        m[count++] = all_bytes(work->call, most, p);
    for (size_t i = 0; i < rows; i++)
        if (row[i]->p == p && row[i]->ranks_per_node == request->ppn &&
            strcmp(row[i]->collective, collective) == 0 && count < RECOMMEND_VALUES) {
            m[count++] = row[i]->m_bytes;
            count = sort_values(m, count);
        }
    return sort_values(m, count);
}

/* ---- What could be done ---------------------------------------------------------------------- */

static const struct decide_call *last_call(const struct recommend_work *work)
{
    return &work->decision->calls[work->decision->call_count - 1];
}

void recommend_add_way(struct recommend_work *work, enum recommend_whose whose, const char *name,
                       const struct rb_plan_spec *plan, int64_t segment_bytes)
{
    struct recommend_answer *answer = work->answer;
    struct recommend_try try_ = {
        .point = work->common, .expected_s = NAN, .bound = {.time_s = NAN}};
    struct decide_way way = decide_untimed(plan->radix, segment_bytes);
    try_.point.plan = *plan;
    try_.point.m_bytes = last_call(work)->m_bytes;
    point_resolve(&try_.point);
    if (try_.point.algorithm != NULL && point_estimate(&try_.point, NULL) != RB_OK)
        return;
    way.name = name;
    way.algorithm = plan->algorithm;
    way.n = plan->n;
    way.offered = whose == RECOMMEND_LIBRARY;
    way.own = whose == RECOMMEND_OWN;
    sup_grow(&answer->try_, work->decision->way_count, sizeof *answer->try_);
    answer->try_[work->decision->way_count] = try_;
    decide_add_way(work->decision, &way);
}

void recommend_add_own(struct recommend_work *work, size_t i)
{
    struct recommend_answer *answer = work->answer;
    struct decide_way own = work->decision->ways[i];
    own.offered = false;
    own.own = true;
    sup_grow(&answer->try_, work->decision->way_count, sizeof *answer->try_);
    answer->try_[work->decision->way_count] = answer->try_[i];
    decide_add_way(work->decision, &own);
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

static void add_library(struct recommend_work *work, struct rb_plan_spec plan)
{
    const struct rules_format *format = work->request->format;
    const int32_t per_node = work->decision->places[last_call(work)->place].per_node;
    size_t count;
    const struct mpilib_algorithm *rows = mpilib_rows(format->library, &count);
    for (size_t i = 0; i < count; i++) {
        const struct mpilib_algorithm *row = &rows[i];
        if (strcmp(row->collective, plan.collective) != 0 || mpilib_info(row) == NULL ||
            !mpilib_has(row, format->version) || !mpilib_serves(row, plan.p, per_node) ||
            is_repeated(rows, i))
            continue;
        plan.algorithm = mpilib_info(row)->name;
        plan.radix = mpilib_info(row)->radix == NULL ? 0 : mpilib_radix(row->radix, plan.p);
        plan.n = 1;
        recommend_add_way(work, RECOMMEND_LIBRARY, row->name, &plan, 0);
        const bool segmented = row->segmented && work->request->judged_rows == 0;
        for (int64_t segment = LEAST_SEGMENT; segmented && segment <= MOST_SEGMENT;
             segment *= SEGMENTS) {
            plan.n = decide_blocks(&plan, last_call(work)->m_bytes, segment);
            if (plan.n > 1 && plan.n <= MOST_BLOCKS)
                recommend_add_way(work, RECOMMEND_LIBRARY, row->name, &plan, segment);
        }
    }
}

static void add_one_of_ours(struct recommend_work *work, const struct rb_algorithm_info *info,
                            struct rb_plan_spec plan, const struct point_grouping *way)
{
    const struct point_known_platform *platform = work->request->platform;
    struct point point = work->common;
    point.plan = plan;
    point.plan.algorithm = info->name;
    point.plan.groups = way == NULL ? NULL : way->sizes;
    point.plan.n = 1;
    point.algorithm = info;
    if (way != NULL && strcmp(way->name, "node") == 0)
        point_set_ports(&point);
    if (info->pipelined) {
        const int status = rb_best_n(&point.plan, last_call(work)->m_bytes, platform->alpha_s,
                                     platform->beta_s_per_byte, &point.plan.n);
        sup_had_memory(status != RB_ENOMEM);
        if (status != RB_OK)
            point.plan.n = 1;
    }
    recommend_add_way(work, RECOMMEND_OURS, info->name, &point.plan, 0);
}

/* Plans that no library has: circulant, and those by the groups that the platform has. */
static void add_ours(struct recommend_work *work, struct rb_plan_spec plan)
{
    struct point_groupings *groupings = &work->answer->groupings;
    const size_t first = groupings->count;
    const struct rb_algorithm_info *info;
    struct point point = work->common;
    point.plan = plan;
    point_add_groupings(&point, point_group_words, POINT_GROUP_WORDS, false, groupings, NULL);
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++) {
        if (strcmp(info->collective, plan.collective) != 0 ||
            (recommend_is_nccl(work->request) &&
             mpilib_ours("nccl", 0, info->collective, NULL, info->name, 0, plan.p, 0) != NULL))
            continue;
        if (strcmp(info->name, "circulant") == 0)
            add_one_of_ours(work, info, plan, NULL);
        for (size_t k = first; info->groups && k < groupings->count; k++)
            if (point_groups_suit(info, groupings->way[k].sizes))
                add_one_of_ours(work, info, plan, &groupings->way[k]);
    }
}

/* The plan that follows the library's default, where there is one. */
static void add_default(struct recommend_work *work, struct rb_plan_spec plan)
{
    struct point_groupings *groupings = &work->answer->groupings;
    struct point point = work->common;
    struct point_plan found;
    struct sup_error why;
    char name[96];
    point.plan = plan;
    point.m_bytes = last_call(work)->m_bytes;
    const int status = point_find_plan(&point, &found, &why);
    point.plan = found.spec;
    point_resolve(&point);
    if (status == RB_OK && point.algorithm != NULL) {
        point.plan.algorithm = point.algorithm->name; /* which outlives the choice */
        if (found.groups != NULL) { /* the same sizes, which live as long as the answer */
            point_add_groupings(&point, &(const char *){"host"}, 1, true, groupings, NULL);
            point.plan.groups = groupings->way[groupings->count - 1].sizes;
        }
        recommend_add_way(work, RECOMMEND_OWN, work->answer->native, &point.plan, 0);
    }
    if (status != RB_OK)
        decide_leave_out(work->decision, DECIDE_NO_PLAN, 1, mpilib_without_plan(&why, name));
    point_plan_free(&found);
}

void recommend_add_ways(struct recommend_work *work, bool ours)
{
    struct rb_plan_spec plan = work->common.plan;
    plan.collective = work->call->collective;
    plan.p = last_call(work)->p;
    add_library(work, plan);
    if (ours)
        add_ours(work, plan);
    plan.algorithm = work->answer->native;
    if (plan.algorithm[0] != '\0')
        add_default(work, plan);
}
