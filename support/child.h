/* child.h - processes that must not outlive the one that started them. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include <sys/types.h>

/* In a child, right after fork: from now on, also after an exec, it is killed when its parent ends,
 * whatever ends that; at once if it has ended already. `parent` is what getpid said before fork. */
void sup_child_ends_with(pid_t parent);

#endif
