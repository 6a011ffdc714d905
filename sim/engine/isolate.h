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

/* What runs in the child: writes what it has to say to reply and returns 0, or a negative RB_E...
 * code with a message. Its standard error is kept from the user, unless it dies. */
typedef int rb_work(void *context, FILE *reply, struct rb_error *error);

/* Runs work(context) in a child and waits for it. On success *reply is what it wrote, of *size
 * bytes, which the caller frees. If work fails, its status and message come back. If the child
 * dies, RB_EFAILED with a message that says of what, and what it said last on standard error;
 * `name` is what died, "SimGrid". RB_ENOMEM if there is no room for a child. The child is killed
 * when the calling process dies. */
int rb_isolate(const char *name, rb_work *work, void *context, char **reply, size_t *size,
               struct rb_error *error);

/* What the work tells while it runs, record by record through a pipe, so that neither side has to
 * keep it. */
struct rb_listener {
    FILE *told;         /* in the child: where work writes the records; set before it is called */
    size_t record_size; /* bytes, at most 4096 */
    void (*hear)(void *context, const void *record); /* called in the parent, for each in order */
    void *context;
};

/* rb_isolate with a listener. Records of work that fails or dies have been heard, too. */
int rb_isolate_listening(const char *name, rb_work *work, void *context,
                         struct rb_listener *listener, char **reply, size_t *size,
                         struct rb_error *error);

#ifdef __cplusplus
}
#endif
#endif
