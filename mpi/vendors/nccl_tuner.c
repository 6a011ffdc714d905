/* nccl_tuner.c - a tuner plugin of NCCL and RCCL that chooses as a table says, alone in one shared
 * library without dependencies (docs/gpu.md).
 *
 *     NCCL_TUNER_PLUGIN=libroundabout-nccl-tuner.so RB_NCCL_TABLE=table.csv mpirun ...
 *
 * The table is what `--format nccl-ranges` and `--format nccl` write (rules_nccl.c): lines
 *
 *     collective,least bytes,most bytes,algorithm,protocol,channels,nodes,ranks
 *
 * of which the first one that holds counts. Nodes and ranks are a number, LOW-HIGH, or -1 for any;
 * a protocol of -1 leaves the protocol to NCCL, channels of -1 their number. A ninth and tenth
 * column are those of NCCL's example plugin, numPipeOps and regBuff. A file that is not as it
 * should be is named with its line in a warning, and nothing of it is used.
 *
 * NCCL tries the versions from v6 down (src/include/plugin/tuner of NCCL 2.30.7); the layouts below
 * are those of its headers. From v3 on the plugin gets a table of predicted times, in microseconds,
 * negative where there is no such algorithm, and makes 0 what shall be taken. It never changes a
 * negative time, and never the number of channels unless the table names one: any number but 0
 * would be an order. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4 };
enum { LOG_WARN = 2, LOG_INFO = 3, LOG_TUNING = 0x40 };
enum { ANY = -1, MOST_RULES = 1 << 20 };

typedef void logger(int level, unsigned long flags, const char *file, int line, const char *format,
                    ...);

/* A range with both ends; ANY: from 0 to the largest number. */
struct range {
    uint64_t low, high;
};

struct rule {
    int collective;
    struct range bytes, nodes, ranks;
    int algorithm, protocol, channels, operations, registered; /* ANY: see above */
    int line;                                                  /* in the file, for reports */
};

struct tuner {
    struct rule *rule;
    size_t count;
    uint64_t nodes, ranks;
    logger *log; /* NULL: NCCL gave none */
};

struct call {
    int collective;
    size_t bytes;
    int operations, registered; /* ANY: this version does not say */
};

static const char *const collectives[] = {"broadcast",     "reduce",    "allgather",
                                          "reducescatter", "allreduce", NULL};
static const char *const algorithms[] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat", NULL};
static const char *const protocols[] = {"ll", "ll128", "simple", NULL};

/* ---- The table ------------------------------------------------------------------------------- */

static bool read_name(const char *text, const char *const names[], bool may_be_any, int *value)
{
    *value = ANY;
    if (may_be_any && strcmp(text, "-1") == 0)
        return true;
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(text, names[i]) == 0)
            *value = i;
    return *value != ANY;
}

static bool read_number(const char **at, uint64_t *value)
{
    *value = 0;
    const char *begin = *at;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return *at > begin;
}

/* "8", "8-64", "-1". */
static bool read_range(const char *text, struct range *range)
{
    *range = (struct range){0, UINT64_MAX};
    if (strcmp(text, "-1") == 0)
        return true;
    if (!read_number(&text, &range->low))
        return false;
    range->high = range->low;
    if (*text == '-') {
        text++;
        if (!read_number(&text, &range->high))
            return false;
    }
    return *text == '\0' && range->low <= range->high;
}

static bool read_small(const char *text, int *value)
{
    uint64_t number;
    *value = ANY;
    if (strcmp(text, "-1") == 0)
        return true;
    if (!read_number(&text, &number) || *text != '\0' || number > INT_MAX)
        return false;
    *value = (int)number;
    return true;
}

/* Cuts a line at commas, without the blanks around; returns the number of words, at most `most`
 * + 1. */
static int cut(char *line, char *words[], int most)
{
    int count = 0;
    for (char *at = line; at != NULL && count <= most; count++) {
        char *comma = strchr(at, ',');
        if (comma != NULL)
            *comma = '\0';
        at += strspn(at, " \t");
        for (size_t n = strlen(at); n > 0 && strchr(" \t\r", at[n - 1]) != NULL;)
            at[--n] = '\0';
        if (count < most)
            words[count] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    return count;
}

/* What is wrong with a line; NULL: nothing. */
static const char *read_rule(char *line, struct rule *rule)
{
    char *word[10];
    uint64_t least, most;
    const int count = cut(line, word, 10);
    if (count < 8 || count > 10)
        return "has not eight to ten columns";
    if (!read_name(word[0], collectives, false, &rule->collective))
        return "names no collective: broadcast, reduce, allgather, reducescatter or allreduce";
    const char *low = word[1], *high = word[2];
    if (!read_number(&low, &least) || *low != '\0' || !read_number(&high, &most) || *high != '\0' ||
        least > most)
        return "has no range of bytes in columns 2 and 3";
    rule->bytes = (struct range){least, most};
    if (!read_name(word[3], algorithms, false, &rule->algorithm))
        return "names no algorithm of NCCL in column 4";
    if (!read_name(word[4], protocols, true, &rule->protocol))
        return "names no protocol in column 5: ll, ll128, simple, or -1";
    if (!read_small(word[5], &rule->channels) || rule->channels == 0)
        return "has no number of channels in column 6, nor -1";
    if (!read_range(word[6], &rule->nodes) || !read_range(word[7], &rule->ranks))
        return "has no number in columns 7 and 8, nor LOW-HIGH, nor -1";
    rule->operations = rule->registered = ANY;
    if ((count > 8 && !read_small(word[8], &rule->operations)) ||
        (count > 9 && !read_small(word[9], &rule->registered)))
        return "has no number in columns 9 and 10, nor -1";
    return NULL;
}

static bool add_rule(struct tuner *tuner, const struct rule *rule)
{
    if ((tuner->count & (tuner->count - 1)) == 0) { /* full: room for twice as many */
        const size_t room = tuner->count == 0 ? 1 : 2 * tuner->count;
        struct rule *grown = realloc(tuner->rule, room * sizeof *grown);
        if (grown == NULL)
            return false;
        tuner->rule = grown;
    }
    tuner->rule[tuner->count++] = *rule;
    return true;
}

#define SAY(tuner, level, ...)                                                                     \
    do {                                                                                           \
        if ((tuner)->log != NULL)                                                                  \
            (tuner)->log(level, LOG_TUNING, __FILE__, __LINE__, __VA_ARGS__);                      \
    } while (0)

static void read_table(struct tuner *tuner, const char *path)
{
    char line[512];
    const char *wrong = NULL;
    int number = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        SAY(tuner, LOG_WARN, "Roundabout's tuner: can't read %s; NCCL chooses by itself", path);
        return;
    }
    while (wrong == NULL && fgets(line, sizeof line, file) != NULL) {
        struct rule rule = {.line = ++number};
        const size_t length = strlen(line);
        if (length == sizeof line - 1 && line[length - 1] != '\n')
            wrong = "is too long";
        line[strcspn(line, "\n")] = '\0';
        if (wrong != NULL || line[0] == '#' || line[strspn(line, " \t\r")] == '\0')
            continue;
        wrong = read_rule(line, &rule);
        if (wrong == NULL && tuner->count == MOST_RULES)
            wrong = "is one too many";
        if (wrong == NULL && !add_rule(tuner, &rule))
            wrong = "does not fit into memory";
    }
    if (wrong == NULL && ferror(file))
        wrong = "can't be read";
    fclose(file);
    if (wrong != NULL) {
        SAY(tuner, LOG_WARN, "Roundabout's tuner: %s, line %d %s; NCCL chooses by itself", path,
            number, wrong);
        tuner->count = 0;
        return;
    }
    SAY(tuner, LOG_INFO, "Roundabout's tuner: %zu lines of %s for %llu ranks on %llu nodes",
        tuner->count, path, (unsigned long long)tuner->ranks, (unsigned long long)tuner->nodes);
}

static int begin(size_t ranks, size_t nodes, logger *log, void **context)
{
    if (context == NULL)
        return INVALID_ARGUMENT;
    const char *path = getenv("RB_NCCL_TABLE");
    if (path == NULL || *path == '\0')
        path = getenv("NCCL_TUNER_CONFIG_FILE");
    struct tuner *tuner = calloc(1, sizeof *tuner);
    if (tuner == NULL)
        return SYSTEM_ERROR;
    tuner->ranks = ranks;
    tuner->nodes = nodes;
    tuner->log = log;
    if (path != NULL && *path != '\0')
        read_table(tuner, path);
    else
        SAY(tuner, LOG_WARN,
            "Roundabout's tuner: RB_NCCL_TABLE names no table; NCCL chooses by itself");
    *context = tuner;
    return SUCCESS;
}

static int end(void *context)
{
    struct tuner *tuner = context;
    if (tuner != NULL)
        free(tuner->rule);
    free(tuner);
    return SUCCESS;
}

/* ---- The choice ------------------------------------------------------------------------------ */

static bool holds(struct range range, uint64_t value)
{
    return range.low <= value && value <= range.high;
}

static bool fits(int asked, int value)
{
    return asked == ANY || value == ANY || asked == value;
}

/* NULL: no line holds. */
static const struct rule *find_rule(const struct tuner *tuner, const struct call *call)
{
    for (size_t i = 0; tuner != NULL && i < tuner->count; i++) {
        const struct rule *rule = &tuner->rule[i];
        if (rule->collective == call->collective && holds(rule->bytes, call->bytes) &&
            holds(rule->nodes, tuner->nodes) && holds(rule->ranks, tuner->ranks) &&
            fits(rule->operations, call->operations) && fits(rule->registered, call->registered))
            return rule;
    }
    return NULL;
}

static void report(const struct tuner *tuner, const struct call *call, const struct rule *rule,
                   int protocol, bool taken)
{
    const char *const how = protocol == ANY ? "with NCCL's protocol" : protocols[protocol];
    if (taken)
        SAY(tuner, LOG_INFO, "Roundabout's tuner: %s of %zu bytes: %s %s by line %d",
            collectives[call->collective], call->bytes, algorithms[rule->algorithm], how,
            rule->line);
    else
        SAY(tuner, LOG_INFO,
            "Roundabout's tuner: %s of %zu bytes: line %d asks for %s %s, which is not available; "
            "NCCL chooses by itself",
            collectives[call->collective], call->bytes, rule->line, algorithms[rule->algorithm],
            how);
}

/* From v3 on. `table` has `protocol_count` times for each algorithm. */
static int choose(const struct tuner *tuner, const struct call *call, float *table,
                  int algorithm_count, int protocol_count, int *channels)
{
    const struct rule *rule = find_rule(tuner, call);
    if (rule == NULL || table == NULL)
        return SUCCESS;
    float *times = NULL, *best = NULL;
    if (rule->algorithm < algorithm_count)
        times = table + (ptrdiff_t)rule->algorithm * protocol_count;
    for (int i = 0; times != NULL && i < protocol_count; i++)
        if (times[i] >= 0 && fits(rule->protocol, i) && (best == NULL || times[i] < *best))
            best = &times[i];
    const int protocol = best == NULL ? rule->protocol : (int)(best - times);
    report(tuner, call, rule, protocol < 3 ? protocol : ANY, best != NULL);
    if (best == NULL)
        return SUCCESS;
    *best = 0;
    if (channels != NULL && rule->channels != ANY)
        *channels = rule->channels;
    return SUCCESS;
}

static int choose_v2(void *context, int collective, size_t bytes, int collnet, int nvls,
                     int operations, int *algorithm, int *protocol, int *channels)
{
    const struct call call = {collective, bytes, operations, ANY};
    const struct rule *rule = find_rule(context, &call);
    /* By number: tree, ring, two by switches of the network, two by NVLink's. */
    const bool available[] = {true, true, collnet != 0, collnet != 0, nvls != 0, nvls != 0};
    /* NCCL chooses the protocol only together with the algorithm here. */
    if (rule == NULL || rule->protocol == ANY || algorithm == NULL || protocol == NULL)
        return SUCCESS;
    const bool taken =
        rule->algorithm < (int)(sizeof available / sizeof *available) && available[rule->algorithm];
    report(context, &call, rule, rule->protocol, taken);
    if (!taken)
        return SUCCESS;
    *algorithm = rule->algorithm;
    *protocol = rule->protocol;
    if (channels != NULL && rule->channels != ANY)
        *channels = rule->channels;
    return SUCCESS;
}

static int choose_v3(void *context, int collective, size_t bytes, int operations, float **table,
                     int algorithm_count, int protocol_count, int *channels)
{
    const struct call call = {collective, bytes, operations, ANY};
    return choose(context, &call, (float *)table, algorithm_count, protocol_count, channels);
}

static int choose_v4(void *context, int collective, size_t bytes, int operations, float **table,
                     int algorithm_count, int protocol_count, int registered, int *channels)
{
    const struct call call = {collective, bytes, operations, registered};
    return choose(context, &call, (float *)table, algorithm_count, protocol_count, channels);
}

/* ---- The versions ---------------------------------------------------------------------------- */

static int begin_v5(void **context, uint64_t communicator, size_t ranks, size_t nodes, logger *log,
                    void *domains, void *constants)
{
    (void)communicator;
    (void)domains;
    (void)constants;
    return begin(ranks, nodes, log, context);
}

typedef int choose_v4_function(void *, int, size_t, int, float **, int, int, int, int *);

struct tuner_v2 {
    const char *name;
    int (*init)(size_t, size_t, logger *, void **);
    int (*choose)(void *, int, size_t, int, int, int, int *, int *, int *);
    int (*destroy)(void *);
};

struct tuner_v3 {
    const char *name;
    int (*init)(size_t, size_t, logger *, void **);
    int (*choose)(void *, int, size_t, int, float **, int, int, int *);
    int (*destroy)(void *);
};

struct tuner_v4 {
    const char *name;
    int (*init)(size_t, size_t, logger *, void **);
    choose_v4_function *choose;
    int (*destroy)(void *);
};

struct tuner_v5 {
    const char *name;
    int (*init)(void **, uint64_t, size_t, size_t, logger *, void *, void *);
    choose_v4_function *choose;
    int (*finalize)(void *);
};

struct tuner_v6 {
    struct tuner_v5 v5;
    int (*chunk)(void *, int, size_t, int, int, int, size_t *); /* NULL: NCCL's own */
};

#define NAME   "Roundabout"
#define EXPORT __attribute__((visibility("default")))

EXPORT const struct tuner_v2 ncclTunerPlugin_v2 = {NAME, begin, choose_v2, end};
EXPORT const struct tuner_v3 ncclTunerPlugin_v3 = {NAME, begin, choose_v3, end};
EXPORT const struct tuner_v4 ncclTunerPlugin_v4 = {NAME, begin, choose_v4, end};
EXPORT const struct tuner_v5 ncclTunerPlugin_v5 = {NAME, begin_v5, choose_v4, end};
EXPORT const struct tuner_v6 ncclTunerPlugin_v6 = {{NAME, begin_v5, choose_v4, end}, NULL};
