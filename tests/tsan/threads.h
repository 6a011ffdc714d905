/* threads.h - C's threads by POSIX's, for the preset `tsan`: ThreadSanitizer knows only those of
 * pthread.h. */
#ifndef TSAN_THREADS_H
#define TSAN_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define thread_local _Thread_local
#define ONCE_FLAG_INIT PTHREAD_ONCE_INIT
enum { thrd_success, thrd_error, mtx_plain };
typedef pthread_once_t once_flag;
typedef pthread_mutex_t mtx_t;
typedef pthread_t thrd_t;
typedef pthread_key_t tss_t;
struct tsan_start {
    int (*work)(void *);
    void *argument;
};

static inline void call_once(once_flag *flag, void (*work)(void))
{
    pthread_once(flag, work);
}

static inline int mtx_init(mtx_t *lock, int kind)
{
    (void)kind;
    return pthread_mutex_init(lock, NULL) == 0 ? thrd_success : thrd_error;
}

static inline int mtx_lock(mtx_t *lock)
{
    return pthread_mutex_lock(lock) == 0 ? thrd_success : thrd_error;
}

static inline int mtx_unlock(mtx_t *lock)
{
    return pthread_mutex_unlock(lock) == 0 ? thrd_success : thrd_error;
}

static inline void *tsan_begin(void *context)
{
    const struct tsan_start start = *(struct tsan_start *)context;
    free(context);
    start.work(start.argument);
    return NULL;
}

static inline int thrd_create(thrd_t *thread, int (*work)(void *), void *argument)
{
    struct tsan_start *start = malloc(sizeof *start);
    if (start == NULL)
        return thrd_error;
    *start = (struct tsan_start){work, argument};
    return pthread_create(thread, NULL, tsan_begin, start) == 0 ? thrd_success : thrd_error;
}

static inline int thrd_join(thrd_t thread, int *result)
{
    (void)result;
    return pthread_join(thread, NULL) == 0 ? thrd_success : thrd_error;
}

static inline void thrd_yield(void)
{
    sched_yield();
}

static inline int tss_create(tss_t *key, void (*at_end)(void *))
{
    return pthread_key_create(key, at_end) == 0 ? thrd_success : thrd_error;
}

static inline int tss_set(tss_t key, void *value)
{
    return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}

#endif
