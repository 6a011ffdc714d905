/* doctor.h - what this installation has and lacks: programs, libraries, limits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "support/output/table.h"

/* ---- Another program's answer ---------------------------------------------------------------- */

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

/* ---- Findings -------------------------------------------------------------------------------- */

/* What this installation has and lacks: programs, libraries, limits. */

enum doctor_state {
    DOCTOR_OK,
    DOCTOR_MISSING, /* a verb of this build needs it */
    DOCTOR_LACKING, /* optional */
    DOCTOR_NOTE,    /* worth knowing, but nothing is missing */
    DOCTOR_STATES
};

/* Texts of other programs are as these wrote them. */
struct doctor_finding {
    const char *item; /* "gnuplot" */
    enum doctor_state state;
    bool needed;
    char found[512];  /* a version, a number; "" if nothing was found */
    char path[4096];  /* "" if it is no file */
    char advice[256]; /* what gets it, or mends it; "" if it is there */
};

enum { DOCTOR_MOST_FINDINGS = 64 };
struct doctor_findings {
    struct doctor_finding finding[DOCTOR_MOST_FINDINGS];
    int32_t count;
};

/* Looks at everything; each question to another program takes limit_s seconds at most. */
void doctor_examine(double limit_s, struct doctor_findings *findings);
/* True if nothing is missing that is needed. */
bool doctor_is_well(const struct doctor_findings *findings);
/* Prints in a format: text, where details are versions and paths, or JSON. */
void doctor_print(const struct doctor_findings *findings, enum out_format format, bool details,
                  FILE *stream);
