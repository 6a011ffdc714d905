/* isolate.h - runs a piece of work in a child process, so that it may crash.
 *
 * For libraries that can be started only once per process and that abort on bad input (SimGrid). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "support/error.h"

/* The work of the child: it writes its result to reply and returns 0, or a negative RB_E... code
 * with a message. Its standard error is hidden unless the child crashes. */
typedef int sim_isolated_work(void *context, FILE *reply, struct sup_error *error);

/* Runs work(context) in a child and waits for it. On success *reply has the *size bytes that it
 * wrote; the caller frees them. If the work fails, returns its status and message. If the child
 * crashes, returns RB_EFAILED (see sim_isolated_input) with a message that gives the input, the
 * cause and the last line of its standard error; `name` is the name of the crashed part, such as
 * "SimGrid". RB_ENOMEM if there is no memory for a child. The child is killed if the calling
 * process ends. */
int sim_isolate(const char *name, sim_isolated_work *work, void *context, char **reply,
                size_t *size, struct sup_error *error);

/* In the child, says on which input the work is from now on, "platform 'x.xml' with --engine-option
 * a:b", for the message about a crash. `reading`: the input is being read, so that the library's
 * own complaint means that the input is bad, and the status is RB_EINVAL. Elsewhere it does
 * nothing. */
void sim_isolated_input(bool reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Passes records from the running work to the parent through a pipe, so that neither side must
 * store them. */
struct sim_isolate_listener {
    FILE *told;         /* in the child: the stream to which work writes the records; set before it
                         * is called */
    size_t record_size; /* bytes, at most 4096 */
    void (*hear)(void *context, const void *record); /* called in the parent for each record, in
                                                      * order */
    void (*idle)(void *context); /* called in the parent some times per second while no record
                                  * comes; may be NULL */
    void *context;
};

/* sim_isolate with a listener. Records that were written before the work failed or crashed are
 * passed on too. */
int sim_isolate_listening(const char *name, sim_isolated_work *work, void *context,
                          struct sim_isolate_listener *listener, char **reply, size_t *size,
                          struct sup_error *error);
