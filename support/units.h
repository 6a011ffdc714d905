/* units.h - reads numbers with units and ranges: 64KiB, 1us, 12.5GBps, 16..1024*2.
 *
 * All parsers read the whole text; on failure they return RB_EINVAL and a message that quotes the
 * text and says what would be right. A blank before a unit is accepted. docs/command-line.md,
 * "Numbers", describes what they accept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* A whole number: 1024, 1_000_000, 1e6, 64k = 64000, 64Ki = 65536, k M G T and Ki Mi Gi Ti. */
int sup_parse_int(const char *text, int64_t least, int64_t most, int64_t *value,
                  struct sup_error *error);
/* Bytes: a whole number with B, KB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB or nothing. */
int sup_parse_bytes(const char *text, int64_t *bytes, struct sup_error *error);
/* Seconds: ns, us, ms, s, min, h; a bare number is refused unless it is 0. */
int sup_parse_seconds(const char *text, double *seconds, struct sup_error *error);
/* Bytes per second: Bps, kBps, MBps, GBps, TBps, KiBps..., and bps, Gbps... (bits). */
int sup_parse_bandwidth(const char *text, double *bytes_per_s, struct sup_error *error);
int sup_parse_real(const char *text, double *value, struct sup_error *error);

/* The seed of "random:SEED", or 1 of "random", a rule that several options have; what: the rule's
 * kind, for messages. RB_ENOTSUP, and no message, if the text is another one. */
int sup_parse_random(const char *what, const char *text, uint64_t *seed, struct sup_error *error);

/* Lists and ranges: "1,2,7", "2..4096", "16..1024*2" (factor), "0..100+10" (step), and any mixture
 * by commas. Ends may be powers: 2^20. Values keep the order given; repeats are dropped. */
struct sup_list {
    int64_t *value; /* owned */
    size_t count;
};
/* A list of whole numbers, or of byte counts. Refuses more than most_values. The caller
 * frees the list. */
int sup_parse_list(const char *text, bool bytes, int64_t least, int64_t most, size_t most_values,
                   struct sup_list *list, struct sup_error *error);
/* Of an empty list: sorts the first `count` values, drops repetitions, and makes them the list. */
void sup_list_tidy(struct sup_list *list, size_t count);
/* Keeps `most` (2 or more) of them, spread evenly, with the first and the last. */
void sup_list_thin(struct sup_list *list, size_t most);
void sup_list_free(struct sup_list *list);

/* Shortest usual form into buffer, returned: 65536 -> "64KiB", 40000000 -> "40MB", 100 -> "100B".
 */
const char *sup_format_bytes(int64_t bytes, char *buffer, size_t size);
/* The same where people read: 65536 -> "64 KiB". */
const char *sup_format_shown(int64_t bytes, char *buffer, size_t size);
/* The same for a result in a table or report: four digits of a number whose exact form is long,
 * 257031125 -> "257.0 MB". */
const char *sup_format_size(int64_t bytes, char *buffer, size_t size);
/* The shortest text that reads back to the same double: 1e-06, not 9.9999999999999995e-07. */
const char *sup_format_real(double value, char *buffer, size_t size);
/* What makes a noun agree with its number: "" for 1, otherwise "s". */
const char *sup_plural(int64_t count);
/* True if the text ends in this ending. */
bool sup_ends_in(const char *text, const char *ending);
const char *sup_base_name(const char *path); /* what is behind its last slash */
/* A duration as a clock shows it, in whole seconds: "0:07", "12:30", "26:03:09". At least 0; a
 * duration that is too long for 64 bits or not a number is "?". */
const char *sup_format_clock(double seconds, char *buffer, size_t size);
/* "1.235 ms", "97.25 us". */
const char *sup_format_seconds(double seconds, char *buffer, size_t size);

/* The word of words[0 .. count - 1] nearest to text by edit distance, or NULL if none is similar
 * enough. */
const char *sup_nearest_word(const char *text, const char *const words[], size_t count);

/* What a message about an unknown word ends with: "did you mean circulant?" if one is near enough,
 * otherwise this text. Into buffer, returned. */
enum { SUP_HINT_SIZE = 160 };
const char *sup_hint(const char *text, const char *const words[], size_t count,
                     const char *otherwise, char buffer[SUP_HINT_SIZE]);
