/* without_memory.h - every allocation of some work fails once: a function returns RB_ENOMEM or what
 * it returns otherwise, and no memory is leaked. For programs linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free. */
#ifndef TESTS_WITHOUT_MEMORY_H
#define TESTS_WITHOUT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "roundabout.h"

/* ---- An allocator that counts, and fails once or from then on -------------------------------- */

static int64_t calls, first_refused, alive;
static bool for_ever;
static int spared; /* > 0: within what never fails (spared_memory.h) */

static bool refuse(void)
{
    if (spared > 0)
        return false;
    calls++;
    return first_refused > 0 && (calls == first_refused || (for_ever && calls > first_refused));
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *piece);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *piece);

static void *made(void *piece)
{
    alive += piece != NULL;
    return piece;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : made(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : made(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (refuse())
        return NULL;
    alive -= old != NULL;
    return made(__real_realloc(old, size));
}

void __wrap_free(void *piece)
{
    alive -= piece != NULL;
    __real_free(piece);
}

/* ---- Every failure of some work -------------------------------------------------------------- */

/* Does something with the core, frees what it got, and returns a status. */
typedef int some_work(void *context);

/* MOST: as many failures of one kind of work are tried, evenly spread. */
enum { MOST = 60 };

static void try_failures(some_work *work, void *context, const char *name)
{
    first_refused = calls = alive = 0;
    const int expected = work(context);
    const int64_t count = calls, step = count / MOST + 1;
    assert_int_equal(alive, 0);
    for (int64_t k = 1; k <= count; k += step) {
        for (int ever = 0; ever <= 1; ever++) {
            calls = 0;
            first_refused = k;
            for_ever = ever != 0;
            const int status = work(context);
            first_refused = 0;
            if (status != RB_ENOMEM && status != expected)
                fail_msg("%s: allocation %d%s of %d failing: status %d", name, (int)k,
                         ever ? " and all later" : "", (int)count, status);
            if (alive != 0)
                fail_msg("%s: allocation %d%s of %d failing: %d pieces leaked", name, (int)k,
                         ever ? " and all later" : "", (int)count, (int)alive);
        }
    }
}

#endif
