/* team.h - threads that share out one loop after another. */
#ifndef RB_SIM_MODEL_TEAM_H
#define RB_SIM_MODEL_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Does share `i` of `shares`. */
typedef void rb_share(void *context, int32_t i, int32_t shares);

struct rb_team {
    int32_t shares;       /* the caller's thread does share 0 */
    pthread_t *thread;    /* the others, shares - 1; owned */
    pthread_mutex_t gate; /* closed until all are there */
    pthread_barrier_t begin, end;
    rb_share *work; /* at hand; NULL: the team breaks up */
    void *context;
};

/* A team for `shares` >= 1 shares, or for fewer if there are no more threads to be had: results
 * must not depend on how many. It stays where it is in memory. RB_ENOMEM: there is none. */
int rb_team_start(struct rb_team *team, int32_t shares);
/* Returns when all shares are done. */
void rb_team_do(struct rb_team *team, rb_share *work, void *context);
void rb_team_end(struct rb_team *team);

#endif
