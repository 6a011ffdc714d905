/* words.h - the words of a point that mean a plan's groups and neighbours. */
#pragma once

#include "experiments/point/parameters.h"
#include "experiments/point/point.h"
#include "mpi/vendors/choices/choices.h"

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The words of --groups, besides sizes, as help and messages list them: the ranks of one of these
 * are a group, and groups of several levels have slashes between them, host/router/group. A quad is
 * four routers. */
#define POINT_GROUP_LEVELS "host, node, router, quad, leaf, group, row, plane"
/* Behind a colon, instead of the seed of an order in which messages may meet on fewer links: small
 * groups are dealt out, or filled up; on tori parts come there and back, or groups are what has one
 * place in each part. */
#define POINT_GROUP_ORDERS "even, fill, fold, across"

/* What is tried if nothing is named, from the smallest groups up. */
enum { POINT_GROUP_WORDS = 20 };
extern const char *const point_group_words[POINT_GROUP_WORDS];

/* RB_EINVAL unless the text is sizes as in rb_plan_spec.groups, whose order is not checked, or, if
 * words are allowed, words. */
int point_check_groups(const char *text, bool words, struct sup_error *error);

/* Replaces words in point->plan.groups by the sizes that they stand for, *owned, which the caller
 * frees; NULL: there is no word, or each rank is alone, which is NULL in the plan, too. The point's
 * p, platform_text, ppn and placement rule have been set. Sizes that repeat are given once. An
 * order of the ranks follows if those that share something don't follow one another and the point's
 * algorithm plans by places. RB_EINVAL: the platform has no such thing; RB_ENOTSUP: the ranks that
 * share one don't follow one another. */
int point_find_groups(struct point *point, char **owned, struct sup_error *error);

/* The neighbours of points' ranks, kept. */
struct point_neighbours;

/* Sets the plan's neighbours (rb_plan_spec), if the point's algorithm plans by them, and unless
 * ports are given, as many ports as a rank has. Neighbours are the ranks whose hosts are nearest,
 * by the number of links between them; of what a link carries in the time in which the widest one
 * carries k blocks, k at most 128, less than 5 % is lost if some k allows it. They are NULL if the
 * platform has fewer hosts than ranks. RB_ENOTSUP: the platform has no formula, or ranks share
 * hosts. *kept is NULL at first; the caller frees it after the plans. O(p^2 routes). */
int point_find_neighbours(struct point *point, bool ports_given, struct point_neighbours **kept,
                          struct sup_error *error);
void point_neighbours_free(struct point_neighbours *kept); /* NULL is fine */

/* point_find_groups and point_find_neighbours, and what a plan by groups needs and the request
 * leaves open: without groups the ranks of a node are a group where it has several hosts, otherwise
 * those of a host where it has several ranks; and unless ports are given, a plan that needs a
 * network interface for each rank of a group has as many (point_set_ports). The note says what was
 * set, in options, or is empty. */
enum { POINT_NOTE = 256 };
int point_complete(struct point *point, bool ports_given, char **owned,
                   struct point_neighbours **kept, char note[POINT_NOTE], struct sup_error *error);

/* The ranks that share a node or host by --platform and --ppn, for verbs that run nothing: 1 if
 * neither is given. RB_EINVAL with the option's name. */
int point_shared_ranks(const struct cli_args *args, int32_t *ranks, struct sup_error *error);

/* True if the algorithm, which plans by groups, sees all that the sizes say: several levels and an
 * order are for those that plan by places; an order alone, in which their ranks are renamed, also
 * for those with a network interface per rank, which are for nothing but the platform's nodes. */
bool point_groups_suit(const struct rb_algorithm_info *algorithm, const char *sizes);

/* Ways to group ranks, by words or sizes. */
struct point_groupings {
    struct point_grouping {
        const char *name; /* as it was given; not kept */
        char *sizes;      /* as in rb_plan_spec; owned, and in the same place until all are freed */
    } * way;              /* owned */
    size_t count;
    int64_t ungrouped;    /* words whose ranks don't follow one another */
    struct sup_error why; /* of the first of these */
};

/* Adds the ways to group the ranks of this point that the names stand for, but those in which each
 * rank is alone. Names that a user gave must mean something: RB_EINVAL, RB_ENOTSUP with the
 * option's name. Others are left out if they don't, if one group holds all ranks, or if an earlier
 * one means the same. */
int point_add_groupings(const struct point *point, const char *const name[], size_t names,
                        bool given, struct point_groupings *to, struct sup_error *error);
void point_groupings_free(struct point_groupings *groupings); /* safe on a zeroed struct */

/* Gives a plan that needs a network interface for each rank of a group as many ports as its groups
 * need: the fewest with which there is a plan, or as many as there are. Others don't change. */
void point_set_ports(struct point *point);
