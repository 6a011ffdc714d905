/* program.h - runs of a point inside a workload. Private to this folder, but for words.c. */
#ifndef EXPERIMENTS_POINT_PROGRAM_H
#define EXPERIMENTS_POINT_PROGRAM_H

#include "experiments/point/point.h"

/* The usual text of a program: "alone", or the text of a workload (workload_file.h) with the hash
 * of its file, "summa.yaml#0123456789abcdef". Reads the file to check it; a hash that is given must
 * be its. RB_EINVAL, RB_EIO. */
int point_program_name(const char *word, char *text, size_t size, struct sup_error *error);

/* Makes the run that of the program, in which words $algorithm, $blocks and $bytes stand for the
 * point's. RB_EINVAL unless it has a step that does the point's collective, so, and all that do are
 * among as many ranks. */
int point_prepare_program(const struct point *point, struct point_run *run,
                          struct sup_error *error);

/* How many times the point's collective runs in the program, by all its communicators; 1: alone. */
double point_program_calls(const struct point *point);

#endif
