/* row.h - an algorithm's descriptor as a row of a table: for files with several algorithms, which
 * differ in what is said of them and in the parts of which they are made. */
#ifndef RB_SCHEDULES_PATTERNS_ROW_H
#define RB_SCHEDULES_PATTERNS_ROW_H

#include "schedules/plan/plan.h"

/* After the number of rounds: RB_REVERSED or another family's macro, what the blocks are, and what
 * else the descriptor has. */
#define RB_ROW(symbol, collective_, name_, title_, paper_, rounds_, ...)                           \
    const struct rb_algorithm symbol = {.info.collective = (collective_),                          \
                                        .info.name = (name_),                                      \
                                        .info.title = (title_),                                    \
                                        .info.paper = (paper_),                                    \
                                        .info.rounds = (rounds_),                                  \
                                        __VA_ARGS__}

/* What the blocks are. */
#define RB_AT_ONCE          .info.blocks = "all blocks travel as one message"
#define RB_OF_RANK          .info.blocks = "all blocks of a rank travel together"
#define RB_FOR_RANK         .info.blocks = "all blocks for a rank travel together"
#define RB_SHARES           .info.blocks = "blocks of each of the p shares, which travel together"
#define RB_PIPELINED(whose) .info.pipelined = true, .info.blocks = "pipelined blocks" whose

/* It plans by groups, and a group takes in and sends out at most one message per port and round. */
#define RB_BY_GROUPS .info.groups = true, .info.one_per_port = true

#endif
