/* visible_stream.h - a stream that writes to another one what a person may be shown. */
#ifndef COMMAND_OUTPUT_VISIBLE_STREAM_H
#define COMMAND_OUTPUT_VISIBLE_STREAM_H

#include <stdio.h>

/* All but ends of lines, tabs and what sup_visible (support/visible.h) leaves alone becomes \xNN. A
 * flush goes on to the stream beneath, which fclose flushes and leaves open. NULL: out of memory.
 */
FILE *out_visible_stream(FILE *beneath);

#endif
