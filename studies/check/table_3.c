/* table_3.c - see table_3.h. */
#include "studies/check/table_3.h"

#include <inttypes.h>

#include "studies/redistribution/attempt.h"

const struct check_table_3_print check_table_3[CHECK_TABLE_3_ROWS] = {
    {.P = 15, .r = 4, .Q = 12, .s = 3, .L = 180, .t_opt = 15, .t_algo = 18, .t_ech = 15},
    {.P = 15, .r = 4, .Q = 16, .s = 3, .L = 240, .t_opt = 16, .t_algo = 23, .t_ech = 17},
    {.P = 15, .r = 2, .Q = 14, .s = 3, .L = 210, .t_opt = 15, .t_algo = 19, .t_ech = 16},
    {.P = 15, .r = 2, .Q = 16, .s = 3, .L = 240, .t_opt = 16, .t_algo = 22, .t_ech = 17},
    {.P = 16, .r = 9, .Q = 18, .s = 5, .L = 720, .t_opt = 45, .t_algo = 49, .t_ech = 46},
    {.P = 15, .r = 9, .Q = 18, .s = 5, .L = 270, .t_opt = 18, .t_algo = 20, .t_ech = 18},
    {.P = 15, .r = 16, .Q = 18, .s = 32, .L = 2800, .t_opt = 192, .t_algo = 208, .t_ech = 192},
    {.P = 15, .r = 16, .Q = 9, .s = 32, .L = 1440, .t_opt = 160, .t_algo = 174, .t_ech = 160},
    {.P = 14, .r = 17, .Q = 19, .s = 33, .L = 149226, .t_opt = 10659, .t_algo = 10659},
};

/* A method's timetable for the task, in elements. */
static int try(const struct compare_task *task, const char *method, int64_t exchanges,
               int64_t *length, int64_t *cuts, double *seconds, struct sup_error *error)
{
    const struct rb_redistribute_options options = {.most_exchanges = exchanges};
    const struct rb_redistribute_method *found;
    struct compare_attempt attempt;
    int status = compare_method_find(method, &found, error);
    if (status == RB_OK)
        status = compare_attempt_make(&attempt, task, found, &options, error);
    if (status != RB_OK)
        return status;
    *length = attempt.facts.length * task->traffic.unit;
    *cuts = attempt.facts.cuts;
    *seconds = attempt.seconds;
    compare_attempt_deinit(&attempt);
    return RB_OK;
}

int check_table_3_compute(const struct check_table_3_print *print, struct check_table_3_line *line,
                          struct sup_error *error)
{
    char instance[128];
    struct compare_task task;
    int64_t length, cuts;
    double seconds;
    snprintf(instance, sizeof instance, "P=%" PRId32 ",r=%" PRId64 ",Q=%" PRId32 ",s=%" PRId64,
             print->P, print->r, print->Q, print->s);
    int status = compare_task_init(&task, instance, error);
    if (status != RB_OK)
        return status;
    *line = (struct check_table_3_line){.print = print,
                                        .method = rb_redistribute_methods[0].name,
                                        .L = task.problem.dimension[0].M,
                                        .t_opt = task.traffic.longest_port * task.traffic.unit};
    status = try(&task, line->method, 0, &line->length, &line->cuts, &line->seconds, error);
    if (status == RB_OK)
        status = try(&task, "matching", 0, &length, &line->matching_cuts, &seconds, error);
    if (status == RB_OK)
        status = try(&task, "greedy", -1, &line->greedy_0, &cuts, &seconds, error);
    if (status == RB_OK)
        status = try(&task, "greedy", 0, &line->greedy, &cuts, &seconds, error);
    line->holds = line->length == line->t_opt && line->seconds <= CHECK_TABLE_3_SECONDS;
    compare_task_deinit(&task);
    return status;
}

static int run(const struct check_request *request, struct sup_error *error)
{
    struct check_table_3_line line[CHECK_TABLE_3_ROWS];
    struct cli_bar bar;
    bool all_hold = true;
    cli_bar_start(&bar, "rows", CHECK_TABLE_3_ROWS);
    for (int64_t i = 0; i < CHECK_TABLE_3_ROWS; i++) {
        const int status = check_table_3_compute(&check_table_3[i], &line[i], error);
        if (status != RB_OK)
            return status;
        all_hold = all_hold && line[i].holds;
        cli_bar_update(&bar, i + 1, "");
    }
    cli_bar_end(&bar);
    check_table_3_report(request, line, CHECK_TABLE_3_ROWS);
    return all_hold ? RB_OK
                    : sup_fail(error, RB_EWRONG, "not every row reaches T_opt within %g s",
                               CHECK_TABLE_3_SECONDS);
}

const struct check_paper check_paper_table_3 = {
    .name = "table-3",
    .title = "Table 3 of Desprez et al. 1998: redistributions in T_opt",
    .options = (const char *const[]){NULL},
    .run = run,
};
