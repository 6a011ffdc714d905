/* inputs.h - files that a command reads because a value names them (a placement, a platform, a
 * calibration), wherever they are opened: the command line is told their names, and refuses to
 * write over them. */
#ifndef SUPPORT_INPUTS_H
#define SUPPORT_INPUTS_H

#include "support/error.h"

/* Call it before the file is opened: `what` says what the file is, "placement". Returns what the
 * listener returns; RB_OK without one. */
int sup_input(const char *what, const char *path, struct sup_error *error);

/* From now on sup_input calls this function; NULL: none. */
typedef int sup_input_listener(const char *what, const char *path, struct sup_error *error);
void sup_input_listen(sup_input_listener *listener);

#endif
