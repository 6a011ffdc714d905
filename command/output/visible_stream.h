/* visible_stream.h - a stream that writes to another one what a person may be shown. */
#ifndef RB_COMMAND_OUTPUT_VISIBLE_STREAM_H
#define RB_COMMAND_OUTPUT_VISIBLE_STREAM_H

#include <stdio.h>

/* All but ends of lines, tabs and what rb_visible (support/visible.h) leaves alone becomes \xNN. A
 * flush goes on to the stream beneath, which fclose flushes and leaves open. NULL: out of memory.
 */
FILE *rb_visible_stream(FILE *beneath);

#endif
