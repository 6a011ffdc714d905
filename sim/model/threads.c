/* threads.c - see threads.h: a barrier before each loop and one after it. */
#define _POSIX_C_SOURCE 200809L
#include "threads.h"

#include <stdlib.h>

#include "support/memory.h"

struct member {
    struct model_threads *threads;
    int32_t i;
};

static void *be_member(void *context)
{
    const struct member member = *(struct member *)context;
    struct model_threads *const threads = member.threads;
    free(context);
    pthread_mutex_lock(&threads->gate);
    pthread_mutex_unlock(&threads->gate);
    for (;;) {
        pthread_barrier_wait(&threads->begin);
        if (threads->work == NULL)
            return NULL;
        threads->work(threads->context, member.i, threads->shares);
        pthread_barrier_wait(&threads->end);
    }
}

static bool hire(struct model_threads *threads, int32_t i)
{
    struct member *member = sup_malloc(sizeof *member);
    *member = (struct member){threads, i};
    if (pthread_create(&threads->thread[i - 1], NULL, be_member, member) == 0)
        return true;
    free(member);
    return false;
}

void model_threads_start(struct model_threads *threads, int32_t shares)
{
    *threads = (struct model_threads){.shares = 1};
    threads->thread = sup_malloc((size_t)shares * sizeof *threads->thread);
    pthread_mutex_init(&threads->gate, NULL);
    pthread_mutex_lock(&threads->gate);
    while (threads->shares < shares && hire(threads, threads->shares))
        threads->shares++;
    pthread_barrier_init(&threads->begin, NULL, (unsigned)threads->shares);
    pthread_barrier_init(&threads->end, NULL, (unsigned)threads->shares);
    pthread_mutex_unlock(&threads->gate);
}

void model_threads_run(struct model_threads *threads, model_share *work, void *context)
{
    threads->work = work;
    threads->context = context;
    pthread_barrier_wait(&threads->begin);
    work(context, 0, threads->shares);
    pthread_barrier_wait(&threads->end);
}

void model_threads_end(struct model_threads *threads)
{
    threads->work = NULL;
    pthread_barrier_wait(&threads->begin);
    for (int32_t i = 1; i < threads->shares; i++)
        pthread_join(threads->thread[i - 1], NULL);
    pthread_barrier_destroy(&threads->begin);
    pthread_barrier_destroy(&threads->end);
    pthread_mutex_destroy(&threads->gate);
    free(threads->thread);
}
