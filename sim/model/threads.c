/* threads.c - see threads.h: a barrier before each loop and one after it. */
#define _POSIX_C_SOURCE 200809L
#include "threads.h"

#include <stdlib.h>

#include "roundabout.h"

struct member {
    struct model_threads *team;
    int32_t i;
};

static void *be_member(void *context)
{
    const struct member member = *(struct member *)context;
    struct model_threads *const team = member.team;
    free(context);
    pthread_mutex_lock(&team->gate);
    pthread_mutex_unlock(&team->gate);
    for (;;) {
        pthread_barrier_wait(&team->begin);
        if (team->work == NULL)
            return NULL;
        team->work(team->context, member.i, team->shares);
        pthread_barrier_wait(&team->end);
    }
}

static bool hire(struct model_threads *team, int32_t i)
{
    struct member *member = malloc(sizeof *member);
    if (member == NULL)
        return false;
    *member = (struct member){team, i};
    if (pthread_create(&team->thread[i - 1], NULL, be_member, member) == 0)
        return true;
    free(member);
    return false;
}

int model_threads_start(struct model_threads *team, int32_t shares)
{
    *team = (struct model_threads){.shares = 1};
    team->thread = malloc((size_t)shares * sizeof *team->thread);
    if (team->thread == NULL)
        return RB_ENOMEM;
    pthread_mutex_init(&team->gate, NULL);
    pthread_mutex_lock(&team->gate);
    while (team->shares < shares && hire(team, team->shares))
        team->shares++;
    pthread_barrier_init(&team->begin, NULL, (unsigned)team->shares);
    pthread_barrier_init(&team->end, NULL, (unsigned)team->shares);
    pthread_mutex_unlock(&team->gate);
    return RB_OK;
}

void model_threads_run(struct model_threads *team, model_share *work, void *context)
{
    team->work = work;
    team->context = context;
    pthread_barrier_wait(&team->begin);
    work(context, 0, team->shares);
    pthread_barrier_wait(&team->end);
}

void model_threads_end(struct model_threads *team)
{
    team->work = NULL;
    pthread_barrier_wait(&team->begin);
    for (int32_t i = 1; i < team->shares; i++)
        pthread_join(team->thread[i - 1], NULL);
    pthread_barrier_destroy(&team->begin);
    pthread_barrier_destroy(&team->end);
    pthread_mutex_destroy(&team->gate);
    free(team->thread);
}
