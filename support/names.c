#include "support/names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "support/csv.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- Collectives ----------------------------------------------------------------------------- */

const struct rb_collective_info *sup_collective_named(const char *text)
{
    static const char *const others[][2] = {{"broadcast", "bcast"},
                                            {"reduce-scatter-block", "reduce-scatter"},
                                            {"reducescatter", "reduce-scatter"},
                                            {"allgatherv", "allgather"},
                                            {"alltoallv", "alltoall"},
                                            {"all-to-all", "alltoall"},
                                            {"all-to-allv", "alltoall"},
                                            {"gatherv", "gather"},
                                            {"scatterv", "scatter"}};
    char name[48];
    size_t length = 0;
    if (strncasecmp(text, "MPI_", 4) == 0)
        text += 4;
    for (; *text != '\0'; text++) {
        if (length == sizeof name - 1)
            return NULL;
        name[length++] = *text == '_' || *text == ' ' ? '-' : (char)tolower((unsigned char)*text);
    }
    name[length] = '\0';
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return rb_collective_find(others[i][1]);
    return rb_collective_find(name);
}

bool sup_plan_is_supported(const struct rb_plan_spec *spec)
{
    errno = 0;
    const bool supported = rb_plan_is_supported(spec);
    sup_had_memory(supported || errno != ENOMEM);
    return supported;
}

char *sup_collective_names(const char *list)
{
    char *names;
    size_t size;
    FILE *stream = sup_memory_open(&names, &size);
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        char *name = sup_strndup(at, length);
        const struct rb_collective_info *info = sup_collective_named(name);
        fprintf(stream, "%s%.*s", info == NULL ? name : info->name, at[length] == ',', ",");
        free(name);
        at += length;
        if (*at == '\0')
            break;
    }
    sup_memory_close(stream, &names);
    return names;
}

/* ---- Libraries ------------------------------------------------------------------------------- */

static const struct name {
    const char *text, *library;
    bool derived; /* another library, of which the same is known */
} names[] = {
    {"ompi", "ompi", false},
    {"openmpi", "ompi", false},
    {"customompi", "ompi", true},
    {"hpcx", "ompi", true},
    {"mpich", "mpich", false},
    {"mpich2", "mpich", false},
    {"mpich3", "mpich", false},
    {"mpich4", "mpich", false},
    {"craympich", "mpich", true},
    {"impi", "impi", false},
    {"intelmpi", "impi", false},
    {"intel(r)mpi", "impi", false},
    {"intel(r)mpilibrary", "impi", false},
    {"intelmpilibrary", "impi", false},
    {"mvapich2", "mvapich2", false},
    {"mvapich", "mvapich2", false},
    {"ucc", "ucc", false},
    {"fjmpi", "fujitsu", false},
    {"fujitsu", "fujitsu", false},
    {"fujitsumpi", "fujitsu", false},
    {"nccl", "nccl", false},
    {"rccl", "nccl", true},
    {"ncclmodel", "nccl", true},
    {"smpi", "smpi", false},
};

/* True if the text is the name, perhaps with a version. */
static bool is_named(const char *text, const char *name)
{
    for (;; text++, name++) {
        const char *begin = text;
        text += strspn(text, "_- ");
        if (*name == '\0' && *text == '\0')
            return true;
        if (*name == '\0') {
            text += strspn(text, "/@");
            return text > begin && (isdigit((unsigned char)*text) ||
                                    (*text == 'v' && isdigit((unsigned char)text[1])));
        }
        if (tolower((unsigned char)*text) != *name)
            return false;
    }
}

static const struct name *find(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_named(text, names[i].text))
            return &names[i];
    return NULL;
}

const char *sup_library_named(const char *text)
{
    const struct name *name = find(text);
    return name == NULL ? NULL : name->library;
}

const char *sup_library_title(const char *text)
{
    static const char *const titles[][2] = {{"ompi", "Open MPI"},       {"mpich", "MPICH"},
                                            {"impi", "Intel MPI"},      {"mvapich2", "MVAPICH2"},
                                            {"fujitsu", "Fujitsu MPI"}, {"ucc", "UCC"},
                                            {"nccl", "NCCL"},           {"smpi", "SMPI"}};
    const struct name *name = find(text);
    for (size_t i = 0; name != NULL && !name->derived && i < sizeof titles / sizeof *titles; i++)
        if (strcmp(titles[i][0], name->library) == 0)
            return titles[i][1];
    return text;
}

bool sup_same_library(const char *a, const char *b)
{
    const struct name *left = find(a), *right = find(b);
    if (left == NULL || right == NULL)
        return strcmp(a, b) == 0;
    return left == right ||
           (strcmp(left->library, right->library) == 0 && !left->derived && !right->derived);
}

char *sup_algorithm_names(const char *list)
{
    static const char native[] = "native:";
    char *names_;
    size_t size;
    FILE *stream = sup_memory_open(&names_, &size);
    for (;;) {
        const size_t length = strcspn(list, ",");
        char *word = sup_strndup(list, length);
        const bool is_native = strncmp(word, native, sizeof native - 1) == 0;
        const char *library = is_native ? sup_library_named(word + sizeof native - 1) : NULL;
        fprintf(stream, "%s%s", library == NULL ? word : native, library == NULL ? "" : library);
        free(word);
        if (list[length] == '\0')
            break;
        fputc(',', stream);
        list += length + 1;
    }
    sup_memory_close(stream, &names_);
    return names_;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* What follows the name, by letters: Skew, Count, Factor, Random seed. */
static const struct {
    const char *form, *values;
} rules[] = {
    [RB_COUNTS_REGULAR] = {"regular", ""},
    [RB_COUNTS_MOD3] = {"mod3", ""},
    [RB_COUNTS_DEGENERATE] = {"degenerate", ""},
    [RB_COUNTS_RANDOM] = {"random:SEED", "R"},
    [RB_COUNTS_ZIPF] = {"zipf:S:SEED", "SR"},
    [RB_COUNTS_HOT] = {"hot:COUNT:FACTOR:SEED", "CFR"},
    [RB_COUNTS_BANDED] = {"banded:WIDTH:SEED", "CR"},
    [RB_COUNTS_GIVEN] = {"file:NAME", ""},
};
enum { RULES = sizeof rules / sizeof rules[0], MOST_PARTS = 1 << 30 };

int sup_counts_matrix(const struct sup_counts *counts, struct sup_matrix *matrix,
                      struct sup_error *error)
{
    *matrix = (struct sup_matrix){0};
    int status = sup_input("counts", counts->file, error);
    if (status == RB_OK)
        status = sup_matrix_read(counts->file, matrix, error);
    if (status == RB_OK && matrix->columns > 1 && matrix->columns != matrix->rows)
        status = sup_fail(error, RB_EINVAL,
                          "%s:%" PRId32 ": not square: %" PRId32 " line%s of %" PRId32 " values",
                          counts->file, matrix->end, matrix->rows, matrix->rows == 1 ? "" : "s",
                          matrix->columns);
    return status == RB_OK && counts->hash != 0
               ? sup_check_hash(counts->file, counts->hash, matrix->hash, error)
               : status;
}

static int parse_file(const char *name, struct sup_counts *counts, struct sup_error *error)
{
    struct sup_matrix matrix;
    size_t length = strlen(name);
    sup_hash_take(name, &length, &counts->hash);
    if (length == 0 || length >= SUP_COUNTS_FILE || strcmp(name, "-") == 0)
        return sup_fail(error, RB_EINVAL, "counts 'file:%.40s': a file of 1 to %d characters", name,
                        SUP_COUNTS_FILE - 1);
    memcpy(counts->file, name, length);
    counts->deal.rule = RB_COUNTS_GIVEN;
    const int status = sup_counts_matrix(counts, &matrix, error);
    counts->elements = matrix.sum;
    counts->ranks = matrix.rows;
    counts->pairs = matrix.columns > 1;
    counts->hash = matrix.hash;
    free(matrix.value);
    return status;
}

/* The values behind a rule's name. */
static int parse_values(const char *text, const char *values, struct rb_counts *deal)
{
    for (; *values != '\0' && *text++ == ':'; values++) {
        char word[32];
        int64_t whole = 0;
        const size_t length = strcspn(text, ":");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), text);
        text += length;
        if (*values == 'S' ? sup_parse_real(word, &deal->skew, NULL) != RB_OK ||
                                 !(deal->skew >= 0 && deal->skew <= 64)
                           : sup_parse_int(word, 0,
                                           *values == 'R'   ? INT64_MAX
                                           : *values == 'C' ? RB_MAX_RANKS
                                                            : INT32_MAX,
                                           &whole, NULL) != RB_OK)
            break;
        if (*values == 'R')
            deal->seed = (uint64_t)whole;
        else if (*values == 'C')
            deal->some = (int32_t)whole;
        else if (*values == 'F')
            deal->factor = whole;
    }
    return *values == '\0' && *text == '\0' ? RB_OK : RB_EINVAL;
}

int sup_counts_parse(const char *text, struct sup_counts *counts, struct sup_error *error)
{
    *counts = (struct sup_counts){.deal.seed = 1};
    if (strncmp(text, "file:", 5) == 0)
        return parse_file(text + 5, counts, error);
    for (int i = 0; i < RB_COUNTS_GIVEN; i++) {
        const size_t length = strcspn(rules[i].form, ":");
        if (strncmp(text, rules[i].form, length) != 0 ||
            (text[length] != '\0' && text[length] != ':'))
            continue;
        counts->deal = (struct rb_counts){.rule = (enum rb_counts_rule)i};
        if (i == RB_COUNTS_RANDOM && text[length] == '\0')
            counts->deal.seed = 1;
        else if (parse_values(text + length, rules[i].values, &counts->deal) != RB_OK)
            return sup_fail(error, RB_EINVAL,
                            "counts '%s': write %s, with whole numbers for words in capitals%s",
                            text, rules[i].form,
                            i == RB_COUNTS_ZIPF ? ", and for S a number from 0 to 64" : "");
        return RB_OK;
    }
    return sup_fail(error, RB_EINVAL,
                    "counts '%s' are unknown: there are regular, mod3, degenerate, random:SEED, "
                    "zipf:S:SEED, hot:COUNT:FACTOR:SEED, banded:WIDTH:SEED and file:NAME",
                    text);
}

const char *sup_counts_format(const struct sup_counts *counts, char *buffer, size_t size)
{
    const struct rb_counts *deal = &counts->deal;
    snprintf(buffer, size, "%.*s", (int)strcspn(rules[deal->rule].form, ":"),
             rules[deal->rule].form);
    for (const char *value = rules[deal->rule].values; *value != '\0'; value++)
        if (*value == 'S')
            sup_append(buffer, size, ":", "%.15g", deal->skew);
        else
            sup_append(buffer, size, ":", "%" PRIu64,
                       *value == 'R'   ? deal->seed
                       : *value == 'C' ? (uint64_t)deal->some
                                       : (uint64_t)deal->factor);
    if (deal->rule == RB_COUNTS_GIVEN)
        sup_append(buffer, size, ":", "%s#%016" PRIx64, counts->file, counts->hash);
    return buffer;
}

int sup_counts_check(const struct sup_counts *counts, const struct rb_collective_info *collective,
                     struct sup_error *error)
{
    char text[SUP_COUNTS_TEXT];
    if (!sup_counts_differ(counts))
        return RB_OK;
    const char *shown = sup_counts_format(counts, text, sizeof text);
    const bool pairs = counts->pairs || counts->deal.rule == RB_COUNTS_BANDED;
    if (collective->fixed_counts)
        return sup_fail(
            error, RB_EINVAL,
            "%s: the instance of %s says how much each rank has: counts must be regular", shown,
            collective->name);
    if (!collective->distributed)
        return sup_fail(
            error, RB_EINVAL,
            "%s: the data of %s are not divided among the ranks: counts must be regular", shown,
            collective->name);
    if (pairs != collective->personalized && (pairs || counts->elements > 0))
        return sup_fail(error, RB_EINVAL,
                        pairs ? "%s: these are counts of pairs of ranks, where %s has one of each "
                                "rank: a file has one value in a line"
                              : "%s: one value in a line, where %s has one of each pair of ranks: "
                                "a file has a line for each rank with a value for each",
                        shown, collective->name);
    return RB_OK;
}

int sup_counts_bytes(const struct sup_counts *counts, int64_t element, int64_t *bytes,
                     struct sup_error *error)
{
    if (counts->elements == 0 || !__builtin_mul_overflow(counts->elements, element, bytes))
        return RB_OK;
    return sup_fail(error, RB_EINVAL,
                    "%s: its %" PRId64 " elements of %" PRId64 " bytes are more than 2^63 bytes",
                    counts->file, counts->elements, element);
}

int sup_counts_apply(const struct sup_counts *counts, const struct rb_collective_info *collective,
                     int32_t p, struct rb_layout *layout, int64_t **first, struct sup_error *error)
{
    struct sup_matrix matrix = {0};
    struct rb_counts deal = counts->deal;
    *first = NULL;
    layout->first = NULL;
    int status = sup_counts_check(counts, collective, error);
    if (status != RB_OK || !sup_counts_differ(counts))
        return status;
    const int32_t parts = collective->personalized ? p : 1;
    if ((int64_t)p * parts > MOST_PARTS)
        return sup_fail(error, RB_EINVAL,
                        "irregular counts of %s are kept for each pair of ranks: p must be at most "
                        "32768, not %d",
                        collective->name, p);
    if (counts->elements > 0 && counts->ranks != p)
        return sup_fail(error, RB_EINVAL, "%s: counts of %" PRId32 " ranks, where p is %" PRId32,
                        counts->file, counts->ranks, p);
    if (deal.rule == RB_COUNTS_HOT && deal.some > p)
        return sup_fail(error, RB_EINVAL, "hot: %" PRId32 " ranks of %" PRId32, deal.some, p);
    if (counts->elements > 0)
        status = sup_counts_matrix(counts, &matrix, error);
    if (status == RB_OK) {
        deal.weight = matrix.value;
        *first = sup_calloc((size_t)p * (size_t)parts + 1, sizeof **first);
        rb_counts_deal(&deal, p, parts, layout->bytes / layout->element, *first);
        layout->first = *first;
    }
    free(matrix.value);
    return status;
}
