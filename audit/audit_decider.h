/* audit_decider.h - how a library decides, for audits whose times are of plans: of simulations or
 * of a sweep's results. */
#ifndef AUDIT_AUDIT_DECIDER_H
#define AUDIT_AUDIT_DECIDER_H

#include "audit/audit.h"
#include "roundabout.h"

/* What a library takes for one call. */
struct audit_decision {
    char name[96];         /* the library's name of the algorithm */
    const char *algorithm; /* ours; NULL: there is no plan */
    int32_t radix;         /* 0: none, or the algorithm's own choice */
    int64_t segment_bytes; /* 0: unsegmented */
};

/* How a library decides. */
struct audit_decider {
    const char *library; /* as in mpilib.h; its algorithms are what could be chosen instead */
    int version;
    /* "native:ompi": the engine of natives decides by itself and does not say how, and the
     * library's algorithms are its own. NULL: `decide` says it. */
    const char *native;
    /* False: the library has no rule for this call. */
    bool (*decide)(void *context, const char *collective, int32_t p, int32_t ppn, int64_t m_bytes,
                   struct audit_decision *decision);
    void *context;
};

/* What could not be judged. */
struct audit_left_out {
    int64_t no_rule;  /* points for which the library has no rule */
    int64_t no_plan;  /* points whose algorithm has no plan, or none for this p */
    char names[200];  /* of these algorithms, separated by commas */
    int64_t too_long; /* simulations that would take too long, by estimate, or did */
    int64_t failed;
    struct sup_error failure; /* of the first that failed */
};

/* Counts a point whose algorithm has no plan. */
void audit_leave_out(struct audit_left_out *left_out, const char *name);

/* The algorithm that a decision is for p ranks; NULL: there is no plan, or the library takes
 * another algorithm for so many ranks. */
const struct rb_algorithm_info *audit_plan_of(const struct audit_decider *decider,
                                              const struct audit_decision *decision,
                                              const char *collective, int32_t p);

/* The radix of the plan, which may be its algorithm's own choice; 0: it has none. */
int32_t audit_radix(const struct rb_plan_spec *spec);

/* The block count n of a plan whose blocks are segments of so many bytes, at most: 1 for an
 * algorithm that is not pipelined, or without segments. 0: there is no such plan. */
int64_t audit_blocks(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t segment_bytes);
/* The bytes of a segment of n blocks, at most; 0 if the data are not cut. */
int64_t audit_segment(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t n);

#endif
