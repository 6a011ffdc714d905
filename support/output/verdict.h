/* verdict.h - sentences: what a command answers, what its tables mean, and where to see more.
 *
 * A verdict says what decides the numbers, what would better them and how sure that is, made only
 * of what was computed. It follows the tables in text and is the member "verdict", a list of texts,
 * in JSON and pages; CSV has none. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A sentence on a line of its own, continued where lines have a width (out_text_fit): the answer
 * with which text begins, or a note. Write errors show in the stream, here and below. */
void out_say(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The last line of text: "More: " and the options that show more. */
void out_more(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct out_verdict {
    char **sentence; /* owned, as the list is */
    size_t count;
};

/* Adds a sentence. Texts from outside (names of links, files) may stand in it as they are: streams
 * for display and JSON make them harmless. */
void out_verdict_say(struct out_verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The sentences from number `from` on, counted from 0, as out_say prints them. */
void out_verdict_lines(const struct out_verdict *verdict, size_t from, FILE *stream);
/* The sentences, each on a line of its own, fitted to the width of the text
 * (out_text_fit), behind the word "Verdict". Nothing without sentences. */
void out_verdict_text(const struct out_verdict *verdict, FILE *stream);
/* An array of texts; the caller owns it. */
json_t *out_verdict_json(const struct out_verdict *verdict);

/* For sentences: how much longer one time is than another, of which it is the multiple `ratio`:
 * "12 % longer", "0.4 % longer", "2.3 times as long", "as long". For a ratio of at least 1. */
enum { OUT_WORDS = 32 };
const char *out_longer(double ratio, char words[OUT_WORDS]);
/* The two largest of some ratios; zeroed at first. */
struct out_worst {
    double most, next;
};
/* True if this one is the largest so far. */
bool out_worst_add(struct out_worst *worst, double ratio);
/* For sentences that name the largest: " (an outlier; 2.1 times as long elsewhere)" if it is more
 * than four times the next, otherwise "". */
enum { OUT_OUTLIER = 96 };
const char *out_outlier(const struct out_worst *worst, char text[OUT_OUTLIER]);
/* "71 %", "0.4 %", "under 0.01 %". */
const char *out_percent(double share, char words[OUT_WORDS]);
/* A ratio in three digits: "1.38", "11.7", "128". */
const char *out_ratio(double ratio, char words[OUT_WORDS]);

void out_verdict_free(struct out_verdict *verdict); /* safe on a zeroed struct */

/* What a command does not use, for one reason: of each reason there is one of these, zeroed at
 * first. Every verb counts what it leaves out so. */
struct out_left_out {
    int64_t count;
    char names[512]; /* what it is of, each name once, or an error; "..." at the end: and others */
};
/* The name is NULL where there is none. */
void out_leave_out(struct out_left_out *left, int64_t count, const char *name);
/* "12 of 48 rows (ring, bruck)", "1 row that repeats others (bcast)": `of` is 0 where all are not
 * said, and `which` stands behind the unit. The caller frees it. */
char *out_left_out_text(const struct out_left_out *left, int64_t of, const char *unit,
                        const char *which);
