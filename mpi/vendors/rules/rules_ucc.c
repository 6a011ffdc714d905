/* rules_ucc.c - UCC's variable UCC_TL_UCP_TUNE, as a line of ucc.conf or of a shell script, or
 * behind -x of mpirun.
 *
 *     UCC_TL_UCP_TUNE=bcast:0-32767:[2-inf]:@0#bcast:32768-inf:[2-inf]:@1
 *
 * A section by # has tokens by colons, in any order: collectives, types of memory, sizes of
 * messages, sizes of teams in brackets, a score, and @ with the number or name of an algorithm
 * (src/coll_score/ucc_coll_score.c). Ranges include both ends. What is left out holds for
 * everything; a later section overrides an earlier one. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mpi/vendors/rules/rules_format.h"

/* ucc_coll_args_msgsize: an alltoall counts what one rank receives, a reduce-scatter what one rank
 * ends up with. */
static const struct rules_call calls[] = {
    {"bcast", "bcast", -1, RULES_ALL},
    {"reduce", "reduce", -1, RULES_ALL},
    {"allreduce", "allreduce", -1, RULES_ALL},
    {"allgather", "allgather", -1, RULES_ALL},
    {"alltoall", "alltoall", -1, RULES_PER_RANK},
    {"reduce-scatter", "reduce_scatter", -1, RULES_PER_RANK},
    {NULL, NULL, -1, RULES_ALL},
};

static const char variable[] = "UCC_TL_UCP_TUNE";

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_range(int64_t low, int64_t high, int64_t infinite, FILE *stream)
{
    if (high == infinite)
        fprintf(stream, "%" PRId64 "-inf", low);
    else
        fprintf(stream, "%" PRId64 "-%" PRId64, low, high);
}

static int write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error)
{
    const char *before = "UCC_TL_UCP_TUNE=";
    (void)error;
    rules_write_head(table, head, "# ", stream);
    for (size_t i = 0; i < table->count; i++) {
        const struct rules_rule *rule = &table->rule[i];
        if (rule->row == NULL)
            continue;
        fprintf(stream, "%s%s:", before, rule->call->call);
        write_range(rule->low, rule->high, INT64_MAX, stream);
        fputs(":[", stream);
        write_range(rule->p_low, rule->p_high, INT32_MAX, stream);
        fprintf(stream, "]:@%d", rule->row->id);
        before = "#";
    }
    fputc('\n', stream);
    return RB_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct range {
    int64_t low, high;
};

enum { MOST_RANGES = 16 };

/* What one section says. */
struct section {
    const struct rules_call *call[16];
    size_t calls;
    bool other_call, algorithm;
    struct range size[MOST_RANGES], ranks[MOST_RANGES];
    size_t sizes, teams;
    char name[64];
};

/* "32k", "1m", "inf". */
static bool read_units(const char *text, char **end, int64_t *value)
{
    static const char units[] = "kmgt";
    if (strncasecmp(text, "inf", 3) == 0) {
        *end = (char *)text + 3;
        *value = INT64_MAX;
        return true;
    }
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoll(text, end, 10);
    const char *unit = **end == '\0' ? NULL : strchr(units, tolower((unsigned char)**end));
    if (unit != NULL) {
        const int shift = 10 * (int)(unit - units + 1);
        *value = *value > INT64_MAX >> shift ? INT64_MAX : *value << shift;
        ++*end;
    }
    if (**end == 'b' || **end == 'B')
        ++*end;
    return true;
}

/* "0-32k,1m-inf", to the end of the text; of teams also "8". The count stays if it is none. */
static bool read_ranges(const char *text, bool single, struct range range[MOST_RANGES],
                        size_t *count)
{
    char *at = (char *)text;
    for (size_t i = 0; i < MOST_RANGES; at++) {
        struct range *to = &range[i++];
        if (!read_units(at, &at, &to->low))
            return false;
        to->high = to->low;
        if (*at == '-' ? !read_units(at + 1, &at, &to->high) : !single)
            return false;
        if (*at == '\0') {
            *count = i;
            return true;
        }
        if (*at != ',')
            return false;
    }
    return false;
}

static bool read_calls(const struct rules_format *format, char *token, struct section *section)
{
    static const char *const others[] = {"allgatherv",      "alltoallv", "barrier", "fanin",
                                         "fanout",          "gather",    "gatherv", "scatter",
                                         "reduce_scatterv", "scatterv"};
    struct section found = *section;
    char *rest;
    for (char *name = strtok_r(token, ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest)) {
        const struct rules_call *call = rules_call_named(format, name);
        bool known = call != NULL;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known = known || strcmp(name, others[i]) == 0;
        if (!known || found.calls == sizeof found.call / sizeof *found.call)
            return false;
        if (call != NULL)
            found.call[found.calls++] = call;
        found.other_call = true;
    }
    *section = found;
    return true;
}

static bool is_score(const char *token)
{
    return strcmp(token, "inf") == 0 ||
           (*token != '\0' && strspn(token, "0123456789") == strlen(token));
}

static bool is_memory(const char *token)
{
    static const char *const types[] = {"host", "cuda", "cuda_managed", "rocm", "rocm_managed"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(token, types[i], strlen(types[i])) == 0)
            return true;
    return false;
}

static bool read_token(const struct rules_format *format, const char *token,
                       struct section *section)
{
    char copy[512];
    const size_t length = strlen(token);
    if (length == 0 || length >= sizeof copy)
        return false;
    for (size_t i = 0; i <= length; i++) /* UCC reads names without regard to case */
        copy[i] = (char)tolower((unsigned char)token[i]);
    if (token[0] == '@') {
        section->algorithm = true;
        return snprintf(section->name, sizeof section->name, "%s", copy + 1) <
               (int)sizeof section->name;
    }
    if (token[0] == '[' && token[length - 1] == ']') {
        copy[length - 1] = '\0';
        return read_ranges(copy + 1, true, section->ranks, &section->teams);
    }
    return is_memory(token) || is_score(token) ||
           read_ranges(token, false, section->size, &section->sizes) ||
           read_calls(format, copy, section);
}

static const struct mpilib_algorithm *find_algorithm(const struct rules_call *call,
                                                     const char *name)
{
    char *end;
    const long id = strtol(name, &end, 10);
    if (*name != '\0' && *end == '\0')
        return mpilib_numbered("ucc", call->call, (int)id, 0);
    return mpilib_named("ucc", call->collective, name);
}

static int32_t ranks_of(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

/* A line for each call, size and team of the section. */
static int add_lines(const struct rules_text *text, const struct section *section,
                     struct rules_file *file, struct sup_error *error)
{
    static const struct range all = {0, INT64_MAX};
    const size_t sizes = section->sizes == 0 ? 1 : section->sizes;
    const size_t teams = section->teams == 0 ? 1 : section->teams;
    for (size_t i = 0; i < section->calls * sizes * teams; i++) {
        const struct rules_call *call = section->call[i / (sizes * teams)];
        const struct range *size = section->sizes == 0 ? &all : &section->size[i / teams % sizes];
        const struct range *team = section->teams == 0 ? &all : &section->ranks[i % teams];
        const struct mpilib_algorithm *row = find_algorithm(call, section->name);
        if (row == NULL)
            return rules_complain(text, error, "%s has no algorithm \"%.40s\"", call->call,
                                  section->name);
        struct rules_line *line = rules_add(file, call, row);
        line->rule.low = size->low;
        line->rule.high = size->high;
        line->rule.p_low = ranks_of(team->low);
        line->rule.p_high = ranks_of(team->high);
    }
    return RB_OK;
}

static int read_section(const struct rules_text *text, char *section_text, struct rules_file *file,
                        struct sup_error *error)
{
    struct section section = {.calls = 0};
    char *rest;
    for (char *token = strtok_r(section_text, ":", &rest); token != NULL;
         token = strtok_r(NULL, ":", &rest)) {
        if (!read_token(file->format, token, &section))
            return rules_complain(text, error,
                                  "\"%.60s\" is no collective, range, score or @algorithm", token);
    }
    if (!section.other_call)
        for (const struct rules_call *call = file->format->call; call->collective != NULL; call++)
            section.call[section.calls++] = call;
    return section.algorithm ? add_lines(text, &section, file, error) : RB_OK;
}

static int read_value(const struct rules_text *text, char *value, struct rules_file *file,
                      struct sup_error *error)
{
    int status = RB_OK;
    char *rest;
    if (*value++ != '=') /* of another variable, whose name begins so */
        return RB_OK;
    file->count = 0; /* the last value counts */
    for (char *section = strtok_r(value, "#", &rest); section != NULL && status == RB_OK;
         section = strtok_r(NULL, "#", &rest))
        status = read_section(text, section, file, error);
    return status;
}

static int parse(struct rules_text *text, struct rules_file *file, struct sup_error *error)
{
    const bool names_any = memchr(text->at, '@', (size_t)(text->end - text->at)) != NULL;
    const int status = rules_each_line(text, variable, read_value, file, error);
    if (status != RB_OK || names_any)
        return status;
    text->line = 0;
    return rules_complain(text, error,
                          "no section names an algorithm, such as allreduce:@ring: UCC takes its "
                          "own ones");
}

static bool is_mine(const char *text, size_t size)
{
    return rules_has_word(text, size, variable);
}

const struct rules_format rules_ucc = {
    .name = "ucc",
    .title = "UCC's variable UCC_TL_UCP_TUNE",
    .library = "ucc",
    .call = calls,
    .most_bytes = INT64_MAX,
    .variables = RULES_FILE_SETS,
    .write = write,
    .parse = parse,
    .is_mine = is_mine,
    .last_wins = true,
};
