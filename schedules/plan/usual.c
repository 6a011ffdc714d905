/* usual.c - common preconditions and postconditions of collectives, and common costs of algorithms
 * (plan.h). */
#include "schedules/plan/plan.h"

int64_t rb_dst_of_all(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                      int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

int64_t rb_src_of_all(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                      int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_SRC ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

int64_t rb_dst_of_owner(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                        int32_t owner, int64_t index)
{
    return rank == owner && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

int64_t rb_dst_of_root(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    return rank == plan->root && buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

double rb_cost_of_all(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes);
}

double rb_cost_of_others(const struct rb_plan *plan, double bytes, double alpha_s,
                         double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * alpha_s + (p - 1) / p * bytes * beta_s_per_byte;
}
