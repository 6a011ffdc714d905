/* contention.h - how busy each link was when, and in which rounds of the plan messages share links.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    SIM_CONTENTION_BINS = 256,    /* of time, at most */
    SIM_CONTENTION_COLUMNS = 256, /* of rounds, at most */
    SIM_CONTENTION_NAME = 128     /* bytes to which a link's name is cut */
};

struct sim_carrier {
    char name[SIM_CONTENTION_NAME];
    int32_t level;
    double bandwidth; /* bytes per second */
    double *carried;  /* bytes, per bin; owned; NULL: none ever */
};

struct sim_level {
    char name[24];        /* "host up" */
    int32_t first, count; /* its links are link[first] .. link[first + count - 1] */
};

/* The fullest link of a level in one round, or in any of several. */
struct sim_round_load {
    double load;      /* as sim_fullest.load */
    int64_t messages; /* of the link with this load */
};

struct sim_contention {
    double time_s; /* the bins cover 0 .. time_s; the last one may be cut off there */
    double bin_s;
    int32_t bins;
    int32_t links; /* those that messages share, by level, then in the order of the level */
    struct sim_carrier *link; /* owned */
    int32_t levels;
    struct sim_level *level; /* owned */
    int64_t rounds;          /* of the plan */
    int64_t column_rounds;   /* rounds per column; the last column may have fewer */
    int32_t columns;
    struct sim_round_load *round; /* [column * levels + level]; owned */
};

void sim_contention_free(struct sim_contention *contention); /* NULL is fine; frees all of it */

/* From a process to another: contention as bytes. Write errors show in the stream. */
void sim_contention_write(const struct sim_contention *contention, FILE *stream);
/* A contention of bytes that were written; *bytes is then behind them. */
struct sim_contention *sim_contention_read(const char **bytes);
