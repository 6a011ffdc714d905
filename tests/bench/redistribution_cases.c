/* redistribution_cases.c - finds the small grids that have no timetable of T_opt without cuts.
 *
 *     redistribution_cases MOST_P MOST_R EFFORT
 *     redistribution_cases P R Q S EFFORT NAME
 *
 * decides it for all (P, r) -> (Q, s) with P, Q <= MOST_P and r, s <= MOST_R without a common
 * factor, one slice of L elements; a problem and its reversal count once. Prints those that have
 * none, and those that stay undecided, as docs/redistribution.md shows them. EFFORT is for
 * one decision (redistribution.h). The second form asks whether one cut suffices for (P, R) -> (Q,
 * S): for the I-th place of the cut NAME-I.cnf is the question, and NAME-I its certificate. Exit
 * status 1: it does, or it stays undecided. Exit status 3: out of memory, or a file cannot be
 * written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/redistribution/redistribution.h"

struct cases {
    int64_t effort;
    int64_t all, closed, searched, none, undecided;
};

static const char *certificates; /* their NAME, or NULL */
static int certified;

static FILE *certificate(const char *ending)
{
    char path[1000];
    if (!certificates)
        return NULL;
    snprintf(path, sizeof path, "%s-%d%s", certificates, certified, ending);
    return fopen(path, "w");
}

static void stop_unless(int status)
{
    if (status == RB_OK)
        return;
    fprintf(stderr, "redistribution_cases: out of memory, or a file cannot be written\n");
    exit(3);
}

/* Whether these operations have a timetable without cuts of length T_opt + more. */
static enum redist_answer decide(const struct rb_traffic *traffic, const struct rb_message op[],
                                 size_t count, int64_t more, int64_t effort)
{
    const struct redist_shop shop = {traffic->senders, traffic->receivers, count, op,
                                     traffic->longest_port + more};
    int64_t *const start = malloc((count + 1) * sizeof *start);
    enum redist_answer answer = REDIST_UNDECIDED;
    FILE *const formula = certificate(".cnf"), *const proof = certificate("");
    stop_unless(start && !formula == !certificates
                    ? redist_shop_certify(&shop, formula, proof, &effort, start, &answer)
                    : RB_ENOMEM);
    if (formula)
        stop_unless(fclose(formula) || fclose(proof) ? RB_EIO : RB_OK);
    certified++;
    free(start);
    return answer;
}

/* Whether one cut suffices, for any place of the cut. By symmetry, messages with the same p r - q s
 * modulo gcd(P r, Q s) are one case, and cutting off a is the same as cutting off length - a. */
static enum redist_answer decide_one_cut(const struct rb_cyclic *c,
                                         const struct rb_traffic *traffic, int64_t effort)
{
    const int64_t g = rb_common_divisor(c->P * c->r, c->Q * c->s);
    struct rb_message *const op = malloc((traffic->count + 1) * sizeof *op);
    bool *const seen = calloc((size_t)g, sizeof *seen);
    enum redist_answer answer = REDIST_NO;
    stop_unless(op && seen ? RB_OK : RB_ENOMEM);
    for (size_t i = 0; answer != REDIST_YES && i < traffic->count; i++) {
        const struct rb_message m = traffic->message[i];
        const int64_t class = ((m.from * c->r - m.to * c->s) % g + g) % g;
        for (int64_t a = 1; answer != REDIST_YES && !seen[class] && 2 * a <= m.length; a++) {
            memcpy(op, traffic->message, (i + 1) * sizeof *op);
            memcpy(op + i + 1, traffic->message + i, (traffic->count - i) * sizeof *op);
            op[i].length = a;
            op[i + 1].length = m.length - a;
            const enum redist_answer one = decide(traffic, op, traffic->count + 1, 0, effort);
            answer = one == REDIST_NO ? answer : one;
        }
        seen[class] = true;
    }
    free(op);
    free(seen);
    return answer;
}

/* Cuts of `best`, for the problem or its reversal: a timetable read backwards serves the other. */
static int64_t cuts_of_best(const struct rb_redistribution *problem, int64_t effort)
{
    const struct rb_cyclic c = problem->dimension[0];
    const struct rb_redistribution both[] = {
        *problem, {.dimensions = 1, .dimension = {{c.s, c.r, c.Q, c.P, c.M}}, .at = c.Q}};
    const struct rb_redistribute_options options = {.most_effort = effort};
    int64_t fewest = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        struct rb_traffic traffic;
        struct rb_timetable timetable;
        char why[256];
        stop_unless(rb_traffic_init(&traffic, &both[i], why, sizeof why));
        stop_unless(redist_best(&both[i], &traffic, &options, &timetable, why, sizeof why));
        const int64_t cuts = (int64_t)(timetable.count - traffic.count);
        fewest = cuts < fewest ? cuts : fewest;
        rb_timetable_deinit(&timetable);
        rb_traffic_deinit(&traffic);
    }
    return fewest;
}

/* One line for a problem that has no timetable without cuts. */
static void print_none(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                       int64_t effort)
{
    static const char *const words[] = {
        [REDIST_NO] = "no", [REDIST_YES] = "yes", [REDIST_UNDECIDED] = "?"};
    const struct rb_cyclic *const c = &problem->dimension[0];
    const enum redist_answer longer = decide(traffic, traffic->message, traffic->count, 1, effort);
    const enum redist_answer one = decide_one_cut(c, traffic, effort);
    const int64_t cuts = one == REDIST_YES ? 1 : cuts_of_best(problem, effort);
    const bool least = one == REDIST_YES || (one == REDIST_NO && cuts == 2);
    printf("| (%d, %lld) → (%d, %lld) | %zu | %lld | %s | %s%lld |\n", (int)c->P, (long long)c->r,
           (int)c->Q, (long long)c->s, traffic->count, (long long)traffic->longest_port,
           words[longer],
           least              ? ""
           : one == REDIST_NO ? "2 to "
                              : "at most ",
           (long long)cuts);
}

static void try_case(struct cases *cases, int32_t P, int64_t r, int32_t Q, int64_t s)
{
    const int64_t steps = P * r / rb_common_divisor(P * r, Q * s);
    const struct rb_redistribution problem = {
        .dimensions = 1, .dimension = {{r, s, P, Q, steps * Q * s}}, .at = P};
    struct rb_traffic traffic;
    char why[256];
    cases->all++;
    if (rb_common_divisor(r, Q) == 1 || rb_common_divisor(s, P) == 1) {
        cases->closed++;
        return;
    }
    stop_unless(rb_traffic_init(&traffic, &problem, why, sizeof why));
    int64_t effort = cases->effort;
    int64_t *const start = malloc((traffic.count + 1) * sizeof *start);
    bool found = false;
    stop_unless(start ? redist_nocut_search(&problem, &traffic, &effort, start, &found)
                      : RB_ENOMEM);
    free(start);
    const enum redist_answer answer =
        found ? REDIST_YES : decide(&traffic, traffic.message, traffic.count, 0, cases->effort);
    cases->searched += answer == REDIST_YES;
    cases->none += answer == REDIST_NO;
    cases->undecided += answer == REDIST_UNDECIDED;
    if (answer == REDIST_NO)
        print_none(&problem, &traffic, cases->effort / 20);
    else if (answer == REDIST_UNDECIDED)
        printf("| (%d, %lld) → (%d, %lld) | %zu | %lld | | undecided; at most %lld |\n", (int)P,
               (long long)r, (int)Q, (long long)s, traffic.count, (long long)traffic.longest_port,
               (long long)cuts_of_best(&problem, cases->effort / 20));
    fflush(stdout);
    rb_traffic_deinit(&traffic);
}

/* The second form. */
static int certify_one_cut(char **argv)
{
    const struct rb_cyclic c = {
        .P = atoi(argv[1]), .r = atoll(argv[2]), .Q = atoi(argv[3]), .s = atoll(argv[4])};
    struct rb_redistribution problem = {.dimensions = 1, .dimension = {c}, .at = c.P};
    struct rb_traffic traffic;
    char why[256] = "no problem";
    problem.dimension[0].M = c.P * c.r / rb_common_divisor(c.P * c.r, c.Q * c.s) * c.Q * c.s;
    stop_unless(rb_traffic_init(&traffic, &problem, why, sizeof why));
    certificates = argv[6];
    const enum redist_answer one = decide_one_cut(&c, &traffic, atoll(argv[5]));
    rb_traffic_deinit(&traffic);
    return one == REDIST_NO ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 7)
        return certify_one_cut(argv);
    const int32_t most_p = argc == 4 ? atoi(argv[1]) : 0;
    const int64_t most_r = argc == 4 ? atoll(argv[2]) : 0;
    struct cases cases = {.effort = argc == 4 ? atoll(argv[3]) : 0};
    if (most_p < 1 || most_r < 1 || cases.effort < 1) {
        fprintf(stderr, "redistribution_cases: wants three numbers from 1, "
                        "MOST_P MOST_R EFFORT, such as 12 9 20000000\n");
        return 2;
    }
    printf("| problem | messages | T_opt | without cuts in T_opt + 1 | cuts needed in T_opt |\n"
           "| --- | --- | --- | --- | --- |\n");
    for (int32_t P = 1; P <= most_p; P++)
        for (int32_t Q = P; Q <= most_p; Q++)
            for (int64_t r = 1; r <= most_r; r++)
                for (int64_t s = 1; s <= (P == Q ? r : most_r); s++)
                    if (rb_common_divisor(r, s) == 1)
                        try_case(&cases, P, r, Q, s);
    printf(
        "\n%lld problems: %lld without cuts because gcd(r, Q) = 1 or gcd(s, P) = 1, %lld others; "
        "%lld have none, %lld undecided\n",
        (long long)cases.all, (long long)cases.closed, (long long)cases.searched,
        (long long)cases.none, (long long)cases.undecided);
    return 0;
}
