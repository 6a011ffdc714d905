/* fuzz.h - what the fuzz targets share: a target is one file NAME.c with LLVMFuzzerTestOneInput,
 * its seeds are the files in seeds/NAME/ (docs/testing.md). */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that holds for every input; otherwise the input is a finding. */
#define FUZZ_ASSERT(holds, ...)                                                                    \
    ((holds) ? (void)0                                                                             \
             : (fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #holds),                \
                fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), abort()))

/* A function that failed has a message of one line. Clears the message for the next one. */
void fuzz_check_error(struct sup_error *error);

/* The bytes with a zero byte behind them; the caller frees them. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The path of a file in memory that holds these bytes, until the next call with the same slot. */
enum { FUZZ_SLOTS = 4 };
const char *fuzz_file(int slot, const void *data, size_t size);

/* A path in a directory of this process, for what must be made by name: in $FUZZ_SCRATCH, else in
 * /dev/shm. The caller removes the file; the directory goes when the process ends in good order. */
void fuzz_path(const char *name, char *path, size_t size);

/* True if the text is a decision file of the MPI library. */
bool fuzz_decisions_are_read(const char *text, size_t size, struct sup_error *error);

/* Values taken off the front of the input; 0 when it is used up. */
struct fuzz_bytes {
    const uint8_t *data;
    size_t size;
};
uint8_t fuzz_take(struct fuzz_bytes *bytes);
/* least <= value <= most. */
int64_t fuzz_take_int(struct fuzz_bytes *bytes, int64_t least, int64_t most);
/* A whole number of any size, often near a power of two or an end of its type. */
int64_t fuzz_take_wild(struct fuzz_bytes *bytes);

#endif
