/* isolate.h - runs a piece of work in a child process, so that it may crash.
 *
 * For libraries that can be started only once per process and that abort on bad input (SimGrid). */
#ifndef RB_SIM_ENGINE_ISOLATE_H
#define RB_SIM_ENGINE_ISOLATE_H

#include <stddef.h>
#include <stdio.h>

#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The work of the child: it writes its result to reply and returns 0, or a negative RB_E... code
 * with a message. Its standard error is hidden unless the child crashes. */
typedef int rb_work(void *context, FILE *reply, struct rb_error *error);

/* Runs work(context) in a child and waits for it. On success *reply has the *size bytes that it
 * wrote; the caller frees them. If the work fails, returns its status and message. If the child
 * crashes, returns RB_EFAILED with a message that gives the cause and the last line of its standard
 * error; `name` is the name of the crashed part, such as "SimGrid". RB_ENOMEM if there is no memory
 * for a child. The child is killed if the calling process ends. */
int rb_isolate(const char *name, rb_work *work, void *context, char **reply, size_t *size,
               struct rb_error *error);

/* Passes records from the running work to the parent through a pipe, so that neither side must
 * store them. */
struct rb_listener {
    FILE *told;         /* in the child: the stream to which work writes the records; set before it
                         * is called */
    size_t record_size; /* bytes, at most 4096 */
    void (*hear)(void *context, const void *record); /* called in the parent for each record, in
                                                      * order */
    void *context;
};

/* rb_isolate with a listener. Records that were written before the work failed or crashed are
 * passed on too. */
int rb_isolate_listening(const char *name, rb_work *work, void *context,
                         struct rb_listener *listener, char **reply, size_t *size,
                         struct rb_error *error);

#ifdef __cplusplus
}
#endif
#endif
