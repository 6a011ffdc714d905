/* group_words.h - the words of --groups, besides sizes: the ranks of a host, a node, a router or a
 * leaf switch are a group. */
#ifndef EXPERIMENTS_POINT_GROUP_WORDS_H
#define EXPERIMENTS_POINT_GROUP_WORDS_H

#include "experiments/point/point.h"

enum { POINT_GROUPS_ROOM = 24 };

/* RB_EINVAL unless the text is sizes as in rb_plan_spec.groups or, if words are allowed, host,
 * node, router or leaf. */
int point_check_groups(const char *text, bool words, struct sup_error *error);

/* Replaces a word in point->plan.groups by the sizes that it stands for, in room; the point's
 * platform_text, ppn and placement rule have been set. Sizes of 1 become NULL. RB_EINVAL: the
 * platform has no such thing, or the ranks that share one don't follow one another. */
int point_find_groups(struct point *point, char room[POINT_GROUPS_ROOM], struct sup_error *error);

#endif
