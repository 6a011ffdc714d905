#include "experiments/point/bound_problem.h"

#include <math.h>

#include "roundabout.h"

/* c(J) = (bytes + J - 1 + 2^-J) / (1 - 2^-J) falls, then rises. */
double point_bound_root(double last, double bytes)
{
    double least = INFINITY, half = .5;
    for (int32_t messages = 1; messages < 1000; messages++, half /= 2) {
        const double after = (bytes + messages - 1 + half) / (1 - half);
        if (after >= least)
            break;
        least = after;
    }
    return last - 1 + least;
}

/* Of doublings, where rounding would count one too many. */
double point_bound_shares(double all, double largest)
{
    return ceil(log2(all / largest) * (1 - 1e-12)) + all - largest;
}

double point_bound_scan(int32_t p, int32_t ports, double bytes)
{
    static const double saved = 3 - 2 * 1.4142135623730951; /* (sqrt 2 - 1)^2 */
    static const double share = 1 - 1 / 1.4142135623730951; /* of the time in start-ups */
    const double all = (double)ports * p, others = p - 1.0;
    const double time = 2 * others * bytes / (all + saved * bytes);
    return share * time <= others ? time : fmax(time, others * (1 + bytes / all));
}

/* point_bound_scan over hosts > 1, where only bytes occupy a host's link. bytes: of one link. */
static double scan_over(int32_t hosts, double bytes)
{
    return 2 * (hosts - 1.0) * bytes / (hosts + bytes);
}

/* How many of the others can be reached by messages in at most j of d rounds: the sum of C(d, i)
 * ports^i over 1 <= i <= j, or more than `others`. *sent: the least number of messages in all, if
 * the rest takes j + 1 each. */
static double reach(int32_t d, int32_t j, double ports, double others, double *sent)
{
    double reached = 0, exactly = 1;
    *sent = others;
    for (int32_t i = 1; i <= j && i <= d && reached < others; i++) {
        exactly *= ports * (d - i + 1) / i;
        reached += exactly;
        *sent += fmax(others - reached, 0);
    }
    return reached;
}

/* The least d for which messages in at most j of d rounds reach all others. */
static int32_t rounds_for(int32_t j, double ports, double others)
{
    double sent;
    int32_t low = 1, high = (int32_t)ceil(others / ports);
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (reach(middle, j, ports, others, &sent) < others)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double point_bound_rounds(int32_t p, int32_t ports, double pair)
{
    const double others = p - 1.0;
    const int32_t least_rounds = rb_ceil_log(p, 1 + (int64_t)ports);
    double least = INFINITY, sent;
    int32_t d = 0;
    /* From the d of one j to that of the next, the time is concave in d. */
    for (int32_t j = 1; d != least_rounds; j++) {
        d = rounds_for(j, ports, others);
        for (int32_t end = d; end >= d - 1 && end >= least_rounds; end--) {
            reach(end, end, ports, others, &sent);
            least = fmin(least, end + sent * pair / ports);
        }
    }
    return least;
}

void point_bound_ports(const struct point_problem *problem, double least_s,
                       struct point_bound *bound)
{
    const double alpha_s = problem->alpha_s;
    const double port_rate = problem->rank_rate / problem->ports; /* of one message */
    if (problem->prefixes && problem->hosts > 1 && problem->per_host > 1 && alpha_s > 0)
        point_bound_keep(
            bound,
            alpha_s * scan_over(problem->hosts, problem->bytes / problem->host_rate / alpha_s),
            "host");
    if (problem->ports == 0 || problem->p == 1 || !(least_s > 0))
        return;
    if (problem->prefixes)
        point_bound_keep(bound,
                         least_s * point_bound_scan(problem->p, problem->ports,
                                                    problem->bytes / port_rate / least_s),
                         "rank");
    if (problem->need == POINT_OTHERS && problem->ports == 1)
        point_bound_keep(bound,
                         least_s *
                             point_bound_shares(problem->bytes / port_rate / least_s,
                                                problem->share[point_problem_largest(problem)] /
                                                    port_rate / least_s),
                         "rank");
    if (problem->need == POINT_PAIRS && problem->in_step && point_problem_has_equal_pairs(problem))
        point_bound_keep(bound,
                         least_s * point_bound_rounds(
                                       problem->p, problem->ports,
                                       (double)(problem->pair_elements * problem->layout->element) /
                                           port_rate / least_s),
                         "rank");
}
