/* trace.h - records of the messages inside an MPI library's collective (docs/traced.md), and the
 * plan that such a record shows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "support/error.h"

/* Elements place .. place + count - 1 of all data of the collective, to each of which the ranks of
 * the set contributed; 0 where nothing is combined. */
struct trace_run {
    uint32_t place, set;
    int64_t count;
};

struct trace_event {
    bool posted;  /* a receive was posted; otherwise a message was sent */
    int32_t rank; /* which did so */
    int32_t peer; /* -1: the tag tells */
    int32_t line; /* of the file */
    uint64_t tag; /* the same at both ends */
    int64_t bytes;
    size_t first, end; /* runs of the record: the contents of what was sent */
};

struct trace_record {
    const char *path; /* of the file, as messages call it; not owned */
    int32_t p, root;
    char library[128];
    char settings[512];  /* of rank 0's MPI library for its collectives */
    char collective[32]; /* "": a program's calls, of unknown contents */
    int64_t elements;    /* of 8 bytes, of all data */
    int64_t calls;       /* of rank 0 */
    int64_t messages, bytes;
    struct trace_event *event; /* owned; by rank, and then in the order of time */
    size_t events;
    struct trace_run *run; /* owned */
    size_t runs;
};

/* What is wrong with a record without a line. */
#define TRACE_EMPTY "empty: no rank started MPI under the library that records"

/* Reads the records of all ranks from one file, which messages call `name`. RB_EINVAL with name,
 * line and what is wrong; RB_EIO. The caller frees the record, also after a failure. */
int trace_record_read(const char *path, const char *name, struct trace_record *record,
                      struct sup_error *error);
void trace_record_free(struct trace_record *record); /* safe on a zeroed struct */

/* The plan that a record of one call on tagged data shows, in the form of `roundabout plan --format
 * csv` (docs/formats.md), with its n and its rounds. A block is the largest piece that no message
 * divides. A message's round is the first in which its data are there, its receiver can do without
 * what it replaces, and both ranks have one of `ports` ports free, 1 <= ports <= 64; of several,
 * the message that was sent first goes first. RB_EINVAL with the record's path, the line and what
 * can't be: contents that are unknown, or that the sender can't have. Time: messages times rounds,
 * and blocks. */
int trace_plan_write(const struct trace_record *record, int32_t ports, FILE *stream, int64_t *n,
                     int64_t *rounds, struct sup_error *error);
