/* command_words.h - random command lines, from the program's own tables of verbs and options. */
#ifndef TESTS_FUZZ_COMMAND_WORDS_H
#define TESTS_FUZZ_COMMAND_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/options/options.h"

/* The files that a line may name lie in its directory; made anew for each line. */
struct command_file {
    const char *name;
    char *content; /* owned */
    size_t size;
};

enum { MOST_WORDS = 48, WORD_SIZE = 400, MOST_FILES = 96 };

struct command_line {
    char word[MOST_WORDS][WORD_SIZE]; /* without the program's name */
    int count;
    bool large;              /* it may ask for much work: then it may take long */
    bool output[MOST_FILES]; /* it names this file as one to be written */
};

struct command_source {
    uint64_t state; /* of the random numbers */
    bool calm;      /* this line is to be right, as far as that is known */
    const struct cli_verb *const *verbs;
    int verb_count;
    const struct command_file *files;
    int file_count;
};

/* 0 <= number < below. */
uint32_t command_draw(struct command_source *source, uint32_t below);
/* The line is a function of the state alone. */
void command_make(struct command_source *source, struct command_line *line);

#endif
