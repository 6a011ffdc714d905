/* process.h - child processes, words for a shell, and a thread that works while another one shows
 * how far it is. */
#pragma once

#include <sys/types.h>

/* ---- Child processes that end with their parent ---------------------------------------------- */

/* Call this in a child right after fork: from now on, also after an exec, the child gets this
 * signal when its parent ends for any reason; it ends at once if the parent has ended already.
 * `parent` is the result of getpid before fork. */
void sup_child_ends_with(pid_t parent, int signal_number);

/* ---- Text as one word of a shell's command line ---------------------------------------------- */

/* The text as a word that bash, zsh and ksh read back as the text: unchanged if it needs no quotes,
 * otherwise as '...'; with characters that cannot be displayed (error.h) as $'...', so that a
 * word is always on one line. The caller frees it. */
char *sup_shell_word(const char *text);

/* ---- Work in a thread ------------------------------------------------------------------------ */

/* Does work in a thread while this thread shows how far it is. It is for work that takes seconds
 * and does not report its own overlap. Where the result is small, processes (pool.h) are better. */

/* Does work(context), and calls tick(context) some times per second until it is done. tick may read
 * nothing that the work writes. Signals are handled in this thread. If no thread can be started,
 * tick is not called. */
void sup_attend(void (*work)(void *context), void (*tick)(void *context), void *context);
