/* probe.h - runs another program for its answer, for a limited time. */
#ifndef COMMAND_DOCTOR_PROBE_H
#define COMMAND_DOCTOR_PROBE_H

#include <stdbool.h>
#include <stddef.h>

enum doctor_answer {
    DOCTOR_ANSWERED,  /* it ended with status 0 */
    DOCTOR_REFUSED,   /* it ended in another way */
    DOCTOR_SILENT,    /* it did not end in time, or said too much, and was killed */
    DOCTOR_NOT_THERE, /* PATH has no such program, or it cannot be executed */
};

/* Runs a program of PATH (arguments[0]) without input, and copies the beginning of what it writes,
 * on standard output and error together, to text. After limit_s seconds, or when it has written 64
 * KiB, it is killed together with its process group. The text is as the program wrote it: show it
 * only by a stream of out_show, or escaped. */
enum doctor_answer doctor_ask(const char *const arguments[], double limit_s, char *text,
                              size_t size);

/* Where PATH has this program: true, and the full path. */
bool doctor_find_program(const char *name, char *path, size_t size);

#endif
