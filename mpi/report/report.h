/* report.h - counts and times a program's calls by algorithm.
 *
 * A row is a collective, a number of ranks p, a class of sizes (powers of two), the algorithm or
 * the reason why there was none, and the window. This module does not use MPI, and only one thread
 * may use it at a time. */
#pragma once

#include <roundabout.h>
#include <stdio.h>

/* Why the MPI library's own collective served a call. */
enum report_reason {
    REPORT_BY_PLAN,   /* it did not: a plan served it */
    REPORT_NATIVE,    /* the setting said so */
    REPORT_INTER,     /* an inter-communicator */
    REPORT_OPERATOR,  /* no plan keeps the order of an operator that does not commute */
    REPORT_NEGATIVE,  /* a reduction's datatype has a negative extent */
    REPORT_ARGUMENT,  /* a wrong argument, which the MPI library reports */
    REPORT_ENDING,    /* MPI_Finalize has begun */
    REPORT_UNSERVED,  /* the requested algorithm cannot serve this p or root */
    REPORT_NOT_TRIED, /* the online choice has not tried anything else yet */
    REPORT_KEPT,      /* the online choice found nothing that is clearly faster */
    REPORT_INEXACT,   /* the online choice is not for results that depend on the order of operations
                       */
    REPORT_SCARCE,    /* MPI had no communicator left to carry its messages */
    REPORT_REASONS
};

/* One call. */
struct report_event {
    const char *collective;                    /* static */
    int32_t p;                                 /* 0: not known */
    int64_t bytes;                             /* of all data; -1: not known */
    const struct rb_algorithm_info *algorithm; /* from the registry; NULL: the MPI library's */
    int64_t n;                                 /* 0: none */
    int32_t width;                             /* 0: none */
    enum report_reason reason;
    double time_s;
};

struct report_row {
    const char *collective;
    int32_t p;
    int32_t size_class; /* -1: not known, 0: no bytes, k: 2^(k-1) .. 2^k - 1 bytes */
    const struct rb_algorithm_info *algorithm;
    int32_t width;
    enum report_reason reason;
    /* The members above identify a row; the members below are its counts. */
    int64_t least_n, most_n;
    int32_t ranks;                   /* that made such calls */
    int64_t calls;                   /* of all these ranks */
    int64_t least_calls, most_calls; /* of one of them */
    double total_s;                  /* of all these ranks */
    double most_total_s, longest_s;  /* of one rank, of one call */
};

/* A zeroed one is empty. */
struct report {
    struct report_row *rows; /* owned; sorted by what tells them apart */
    size_t count;
};

/* O(log rows), without allocation unless the row is new. RB_ENOMEM. */
int report_add(struct report *report, const struct report_event *event);
/* Adds what another rank reports. RB_ENOMEM. */
int report_merge(struct report *report, const struct report_row rows[], size_t count);
void report_free(struct report *report);

/* Rows as bytes that mean the same in another process of this program, and back. The room is for
 * report_bytes(count) bytes. */
size_t report_bytes(size_t count);
void report_pack(const struct report_row rows[], size_t count, void *packed);
void report_unpack(const void *packed, size_t count, struct report_row rows[]);

/* What made a report. */
struct report_maker {
    const char *version;    /* of this program */
    const char *mpi;        /* the MPI library and its version */
    int32_t ranks;          /* in all */
    const char *interfaces; /* of a host, in words, for text; NULL: left out */
};

/* Writes an aligned table under a line that says what made it, or CSV with a header line and the
 * maker in each row. The stream has write errors. */
void report_text(const struct report *report, const struct report_maker *maker, FILE *stream);
void report_csv(const struct report *report, const struct report_maker *maker, FILE *stream);
