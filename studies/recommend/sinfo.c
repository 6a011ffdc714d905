/* sinfo.c - nodes and their processors from Slurm's sinfo (recommend.h).
 *
 *   NODELIST CPUS            -N -o "%N %c": a line per node, and per partition that has it
 *   compute[001-040,50] 20   -o "%N %c": lists, with ranges in brackets
 *   PARTITION AVAIL TIMELIMIT NODES STATE NODELIST
 *
 * A heading says what columns are; without one there are two, of which one is a number. Processors
 * are 20, at least 20 where nodes differ ("20+"), or sockets, cores and threads ("2:10:2"): then
 * cores count. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_COLUMNS = 16, WORD = 4096 };
enum role { NO_ROLE, NAMES, NODES, CPUS, ALL_CPUS, BOARD, SOCKETS, CORES, GPUS, STATE };

static const struct {
    const char *word;
    enum role role;
} heading[] = {{"NODELIST", NAMES},   {"HOSTNAMES", NAMES},
               {"NODE_NAME", NAMES},  {"NODES", NODES},
               {"NODES(A/I)", NODES}, {"NODES(A/I/O/T)", NODES},
               {"CPUS", CPUS},        {"CPUS(A/I/O/T)", ALL_CPUS},
               {"S:C:T", BOARD},      {"SOCKETS", SOCKETS},
               {"CORES", CORES},      {"STATE", STATE},
               {"GRES", GPUS}};

static enum role role_of(const char *word)
{
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        if (strcasecmp(heading[i].word, word) == 0)
            return heading[i].role;
    return NO_ROLE;
}

/* Cuts a line at blanks and bars; returns the number of words. */
static int divide(char *line, char *word[MOST_COLUMNS])
{
    static const char between[] = " \t|";
    int count = 0;
    for (line += strspn(line, between); *line != '\0' && count < MOST_COLUMNS;) {
        word[count++] = line;
        line += strcspn(line, between);
        if (*line != '\0')
            *line++ = '\0';
        line += strspn(line, between);
    }
    return count;
}

static bool is_missing(const char *word)
{
    return strcasecmp(word, "n/a") == 0 || strcmp(word, "(null)") == 0 || strcmp(word, "-") == 0;
}

/* "20", "20+", "2:10:2", "n/a": of one node. */
static bool looks_like_cpus(const char *word)
{
    const size_t length = strspn(word, "0123456789");
    int sockets, cores, threads;
    char rest;
    return is_missing(word) ||
           (length > 0 && (word[length] == '\0' || strcmp(word + length, "+") == 0)) ||
           sscanf(word, "%6d:%6d:%6d%c", &sockets, &cores, &threads, &rest) == 3;
}

bool recommend_topology_is_sinfo(const char *line)
{
    char *copy = sup_strdup(line), *word[MOST_COLUMNS];
    const int count = divide(copy, word);
    int known = 0;
    for (int i = 0; i < count; i++)
        known += role_of(word[i]) != NO_ROLE;
    const bool is = known >= 2 || (count == 1 && known == 1) ||
                    (count == 2 && (looks_like_cpus(word[1]) ||
                                    (looks_like_cpus(word[0]) && strchr(word[1], '[') != NULL)));
    free(copy);
    return is;
}

/* Adds "a[001-003,7]b[1-2]" and what follows by commas; false: a bracket or range is wrong, or
 * there are more than `most` names then. `done` is what stands before. */
static bool add_names(struct recommend_topology *topology, size_t most, const char *done,
                      const char *rest, size_t length)
{
    const char *open = memchr(rest, '[', length);
    char name[RECOMMEND_NAME];
    if (topology->names > most || strlen(done) + length >= WORD)
        return false;
    if (open == NULL) {
        if (memchr(rest, ']', length) != NULL)
            return false;
        snprintf(name, sizeof name, "%s%.*s", done, (int)length, rest);
        if (name[0] != '\0')
            recommend_topology_add_name(topology, name, strlen(name));
        return true;
    }
    const char *close = memchr(open, ']', length - (size_t)(open - rest));
    if (close == NULL)
        return false;
    const size_t behind = length - (size_t)(close + 1 - rest);
    for (const char *at = open + 1; at < close; at += *at == ',') {
        int64_t low, high;
        char *end;
        const int width = (int)strspn(at, "0123456789");
        low = high = strtoll(at, &end, 10);
        if (width == 0 || width > 18)
            return false;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            high = strtoll(end + 1, &end, 10);
        if ((*end != ',' && end != close) || high < low || high - low > RECOMMEND_MOST_NODES)
            return false;
        for (; low <= high; low++) {
            char begun[2 * RECOMMEND_NAME];
            snprintf(begun, sizeof begun, "%s%.*s%0*" PRId64, done, (int)(open - rest), rest, width,
                     low);
            if (!add_names(topology, most, begun, close + 1, behind))
                return false;
        }
        at = end;
    }
    return true;
}

/* Lists repeat the nodes of several partitions, but a list has each of its nodes once. */
static bool add_list(struct recommend_topology *topology, const char *list)
{
    const size_t all = 8 * (size_t)RECOMMEND_MOST_NODES;
    const size_t most = topology->names + RECOMMEND_MOST_NODES;
    while (*list != '\0') {
        size_t length = 0;
        for (int depth = 0; list[length] != '\0' && (list[length] != ',' || depth > 0); length++)
            depth += list[length] == '[' ? 1 : list[length] == ']' ? -1 : 0;
        if (!add_names(topology, most < all ? most : all, "", list, length))
            return false;
        list += length + (list[length] == ',');
    }
    return true;
}

static bool is_out(const char *state)
{
    static const char *const out[] = {"down",  "drain", "drng",  "fail",
                                      "maint", "unk",   "inval", "not_resp"};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (strncasecmp(state, out[i], strlen(out[i])) == 0)
            return true;
    return false;
}

/* A word of "10/20/2/32" or "10/20": the total. */
static int64_t total_of(const char *word)
{
    int64_t part[4];
    const int count = sscanf(word, "%9" SCNd64 "/%9" SCNd64 "/%9" SCNd64 "/%9" SCNd64, &part[0],
                             &part[1], &part[2], &part[3]);
    return count == 4 ? part[3] : count == 2 ? part[0] + part[1] : count == 1 ? part[0] : 0;
}

/* Processors of a node; 0: not known. RB_EINVAL. */
static int read_cpus(struct recommend_topology *topology, char *word, int64_t *cores)
{
    int sockets, per_socket, threads;
    char *plus = strchr(word, '+');
    *cores = 0;
    if (is_missing(word)) {
        topology->unknown++;
        return RB_OK;
    }
    if (sscanf(word, "%6d:%6d:%6d", &sockets, &per_socket, &threads) == 3) {
        *cores = (int64_t)sockets * per_socket;
        if (*cores > 0 && *cores <= RECOMMEND_MOST_PPN)
            return RB_OK;
    }
    if (plus != NULL && plus[1] == '\0') {
        topology->open++;
        *plus = '\0';
    }
    return sup_parse_int(word, 1, RECOMMEND_MOST_PPN, cores, NULL) == RB_OK
               ? RB_OK
               : sup_fail(topology->error, RB_EINVAL,
                          "%s, line %d: processors: \"%s\" is not from 1 to %d", topology->path,
                          topology->line, word, RECOMMEND_MOST_PPN);
}

/* Of "gpu:h100:8(S:0-1),nvme:1": 8. */
static int64_t gpus_of(const char *word)
{
    int64_t gpus = 0;
    for (; word != NULL && *word != '\0'; word += *word == ',') {
        const size_t length = strcspn(word, ",(");
        size_t at = length;
        while (at > 0 && isdigit((unsigned char)word[at - 1]))
            at--;
        if (strncmp(word, "gpu:", 4) == 0 && at < length && length - at <= 5)
            gpus += strtol(word + at, NULL, 10);
        word += length;
        word += *word == '(' ? strcspn(word, ")") : 0;
        word += strcspn(word, ",");
    }
    return gpus;
}

static int wrong_line(const struct recommend_topology *topology)
{
    return sup_fail(topology->error, RB_EINVAL,
                    "%s, line %d: a line of sinfo -N -o \"%%N %%c\" is a node, or a list such as "
                    "n[01-16,20], and its processors",
                    topology->path, topology->line);
}

/* Which words of a line are what. */
struct line {
    char *word[STATE + 1]; /* by role; NULL: none */
};

static int find_words(struct recommend_topology *topology, char *word[], int count,
                      struct line *line)
{
    *line = (struct line){.word = {NULL}};
    if (topology->columns > 0) {
        for (int i = 0; i < count && i < topology->columns; i++)
            line->word[topology->column[i]] = word[i];
        return line->word[NAMES] != NULL || line->word[NODES] != NULL ? RB_OK
                                                                      : wrong_line(topology);
    }
    if (count != 2)
        return wrong_line(topology);
    const bool swapped = looks_like_cpus(word[0]) && !looks_like_cpus(word[1]);
    line->word[CPUS] = word[!swapped];
    line->word[strspn(word[swapped], "0123456789") == strlen(word[swapped]) ? NODES : NAMES] =
        word[swapped];
    return RB_OK;
}

static bool is_heading(struct recommend_topology *topology, char *word[], int count)
{
    int known = 0;
    for (int i = 0; i < count; i++)
        known += role_of(word[i]) != NO_ROLE;
    if (known == 0 || (known == 1 && count > 1 && topology->columns == 0))
        return false;
    topology->columns = count;
    for (int i = 0; i < count; i++)
        topology->column[i] = (int)role_of(word[i]);
    return true;
}

static int read_cores(struct recommend_topology *topology, const struct line *line, int64_t nodes,
                      int64_t *cores)
{
    int64_t sockets, per_socket;
    *cores = 0;
    if (line->word[BOARD] != NULL)
        return read_cpus(topology, line->word[BOARD], cores);
    if (line->word[SOCKETS] != NULL && line->word[CORES] != NULL) {
        int status = read_cpus(topology, line->word[SOCKETS], &sockets);
        if (status == RB_OK)
            status = read_cpus(topology, line->word[CORES], &per_socket);
        *cores = status == RB_OK ? sockets * per_socket : 0;
        return status;
    }
    if (line->word[CPUS] != NULL)
        return read_cpus(topology, line->word[CPUS], cores);
    if (line->word[ALL_CPUS] != NULL && nodes > 0)
        *cores = total_of(line->word[ALL_CPUS]) / nodes;
    return RB_OK;
}

static int read_words(struct recommend_topology *topology, char *word[], int count)
{
    struct line line;
    int64_t cores, nodes = 0;
    if (is_heading(topology, word, count))
        return RB_OK;
    int status = find_words(topology, word, count, &line);
    if (status != RB_OK)
        return status;
    const size_t before = topology->names;
    const bool named = line.word[NAMES] != NULL && !is_missing(line.word[NAMES]);
    if (named && !add_list(topology, line.word[NAMES]))
        return sup_fail(
            topology->error, RB_EINVAL,
            "%s, line %d: \"%.60s\" is no list of at most %d nodes, such as n[01-16,20]",
            topology->path, topology->line, line.word[NAMES], RECOMMEND_MOST_NODES);
    nodes = (int64_t)(topology->names - before);
    if (!named && line.word[NODES] != NULL) {
        nodes = total_of(line.word[NODES]);
        topology->counted += nodes;
    }
    if (line.word[STATE] != NULL && is_out(line.word[STATE]))
        topology->out += nodes;
    if (nodes == 0)
        return RB_OK;
    const int64_t gpus = gpus_of(line.word[GPUS]);
    if (gpus > 0 && (topology->gpus == 0 || gpus < topology->gpus))
        topology->gpus = gpus;
    status = read_cores(topology, &line, nodes, &cores);
    if (cores > 0 && (topology->cores == 0 || cores < topology->cores))
        topology->cores = cores;
    topology->most_cores = cores > topology->most_cores ? cores : topology->most_cores;
    return status;
}

int recommend_topology_read_sinfo(struct recommend_topology *topology, const char *line)
{
    char *copy = sup_strdup(line), *word[MOST_COLUMNS];
    const int count = divide(copy, word);
    const int status = count == 0 ? RB_OK : read_words(topology, word, count);
    free(copy);
    return status;
}

void recommend_topology_end_sinfo(struct recommend_topology *topology)
{
    if (topology->counted > 0)
        recommend_topology_note(
            topology, "nodes without names are counted as the file counts them, in each partition "
                      "again: sinfo -N names them");
    if (topology->most_cores > topology->cores || topology->open > 0)
        recommend_topology_note(topology,
                                "nodes differ in processors: the least, %" PRId64 ", counts",
                                topology->cores);
    if (topology->unknown > 0)
        recommend_topology_note(topology, "%" PRId64 " line%s without a number of processors",
                                topology->unknown, sup_plural(topology->unknown));
    if (topology->out > 0)
        recommend_topology_note(topology, "%" PRId64 " node%s down or drained count%s, too",
                                topology->out, topology->out == 1 ? " that is" : "s that are",
                                topology->out == 1 ? "s" : "");
}
