/* visible_stream.h - a stream that writes displayable text to another stream. */
#ifndef SUPPORT_OUTPUT_VISIBLE_STREAM_H
#define SUPPORT_OUTPUT_VISIBLE_STREAM_H

#include <stdio.h>

/* Writes every byte as \xNN except line ends, tabs and what sup_visible (support/visible.h) leaves
 * unchanged. A flush also flushes the underlying stream; fclose flushes it and leaves it open. */
FILE *out_visible_stream(FILE *beneath);

#endif
