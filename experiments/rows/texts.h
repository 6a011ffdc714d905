/* texts.h - texts of which equal ones are kept once. */
#ifndef EXPERIMENTS_ROWS_TEXTS_H
#define EXPERIMENTS_ROWS_TEXTS_H

#include "experiments/rows/rows.h"

/* The text's copy among the set's texts; equal texts have the same pointer. */
const char *rows_texts_keep(struct rows_texts **texts, const char *text);
void rows_texts_free(struct rows_texts *texts); /* NULL is fine */

#endif
