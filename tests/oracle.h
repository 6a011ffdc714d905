/* oracle.h - the paper's Algorithms 3 to 6 transcribed literally, as a second opinion. */
#ifndef RB_TESTS_ORACLE_H
#define RB_TESTS_ORACLE_H

#include <stdint.h>

struct oracle {
    int32_t p, q;
    int64_t skip[33];
    int32_t calls, iterations, violations; /* of the last schedule computed */
};

void oracle_init(struct oracle *oracle, int32_t p);
int32_t oracle_baseblock(const struct oracle *oracle, int32_t r);
void oracle_recv(struct oracle *oracle, int32_t r, int32_t block[]);
void oracle_send(struct oracle *oracle, int32_t r, int32_t block[]);

#endif
