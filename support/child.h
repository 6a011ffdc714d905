/* child.h - child processes that end with their parent. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include <sys/types.h>

/* Call this in a child right after fork: from now on, also after an exec, the child gets this
 * signal when its parent ends for any reason; it ends at once if the parent has ended already.
 * `parent` is the result of getpid before fork. */
void sup_child_ends_with(pid_t parent, int signal_number);

#endif
