/* stages.h - an exchange by levels (algorithms/allgather_exchange.c), as laid out before it runs:
 * its stages, from all ranks inwards, and where their ranks stand in columns. */
#pragma once

#include "schedules/plan/plan.h"

enum rb_stage_kind { RB_STAGE_DOUBLING, RB_STAGE_DIRECT, RB_STAGE_RING };

/* A group of a stage, and its children. */
struct rb_family {
    int32_t first_child, children;
    int32_t columns; /* unless the stage is direct */
    int32_t beyond;  /* ranks of the largest child beyond a multiple of them */
    bool even;       /* all children have so many ranks */
};

struct rb_stage {
    const struct rb_groups *groups;   /* NULL: there is one, of all ranks */
    const struct rb_groups *children; /* NULL: places */
    enum rb_stage_kind kind;
    int32_t most;    /* children of a group */
    int32_t slices;  /* most ranks of a child for one of another, over those of its group */
    int64_t first;   /* round */
    int64_t moves;   /* 1 + the kinds of moves in this stage (row) */
    int32_t deals;   /* rounds for children with fewer ranks than columns */
    int32_t columns; /* most; of `order`, which has the children of each column in its order */
    int32_t *order;  /* NULL: by number */
    struct rb_family *family;
};

enum { RB_MOST_STAGES = 8 };

struct rb_stages {
    int32_t count;
    bool personal; /* alltoall */
    struct rb_stage stage[RB_MOST_STAGES];
};

/* The stages of the plan's groups, in plan->data.own, which rb_stages_free frees; RB_ENOTSUP with
 * why. A stage's kind is set before it is made, in their order: that adds its rounds to the plan's.
 * RB_ENOMEM. */
int rb_stages_find(struct rb_plan *plan, struct rb_stages *stages, char *why, size_t why_size);
int rb_stage_make(struct rb_plan *plan, struct rb_stage *stage);
void rb_stages_free(struct rb_stages *stages);

/* The rounds of a doubling or a ring, without those before and after. */
int64_t rb_stage_column_rounds(const struct rb_stage *stage);

/* ---- Children -------------------------------------------------------------------------------- */

static inline int32_t rb_stage_child(const struct rb_stage *stage, int32_t place)
{
    return stage->children == NULL ? place : rb_group_of(stage->children, place);
}

static inline int32_t rb_stage_first(const struct rb_stage *stage, int32_t child)
{
    return stage->children == NULL ? child : rb_group_first(stage->children, child);
}

static inline int32_t rb_stage_size(const struct rb_stage *stage, int32_t child)
{
    return stage->children == NULL ? 1 : rb_group_size(stage->children, child);
}

static inline const struct rb_family *rb_stage_family(const struct rb_stage *stage, int32_t place)
{
    return &stage->family[stage->groups == NULL ? 0 : rb_group_of(stage->groups, place)];
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* True if the a-th child of a group has a rank in this column. */
static inline bool rb_stage_in_column(const struct rb_stage *stage, const struct rb_family *family,
                                      int32_t column, int32_t a)
{
    return a < family->children &&
           (family->even || rb_stage_size(stage, family->first_child + a) > column);
}

/* A rank c of the a-th child beyond the columns gives what it has to rank c + shift, modulo their
 * number: those of different children to different columns, as long as there are. */
static inline int32_t rb_stage_shift(const struct rb_family *family, int32_t a)
{
    return (int32_t)((int64_t)a * family->beyond % family->columns);
}

/* How many children have. */
int32_t rb_stage_column_size(const struct rb_stage *stage, const struct rb_family *family,
                             int32_t column);
/* The child at a position of a column's order, and the position of a child. */
int32_t rb_stage_child_at(const struct rb_stage *stage, const struct rb_family *family,
                          int32_t column, int32_t position);
int32_t rb_stage_position(const struct rb_stage *stage, const struct rb_family *family,
                          int32_t column, int32_t child);
/* The number of a child within a column. */
int32_t rb_stage_number(const struct rb_stage *stage, const struct rb_family *family,
                        int32_t column, int32_t child);

/* ---- Ranks without a column ------------------------------------------------------------------ */

/* What some of a column's children brought in, for a rank of a child that lacks the column. */
struct rb_piece {
    int32_t column, first, end; /* of which children, numbered within the column */
    int32_t giver;              /* the child that sends it, numbered so */
};

/* The piece of rank i of child b; false if it gets none. */
bool rb_stage_piece(const struct rb_stage *stage, const struct rb_family *family, int32_t b,
                    int32_t i, int32_t slice, struct rb_piece *piece);
/* How many columns are dealt in a slice to a child of `size` that lacks them, and the first of its
 * ranks that gets a piece of the q-th of these. */
int32_t rb_stage_lacking(const struct rb_family *family, int32_t size, int32_t slice);
int32_t rb_stage_first_dealt(int32_t size, int32_t lacking, int32_t q);
