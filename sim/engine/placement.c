/* placement.c - which host each rank is on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "host_file.h"
#include "schedules/plan/random.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/units.h"

/* The rules without parameters. */
static const struct {
    const char *name;
    enum sim_placement_rule rule;
} fixed[] = {{"block", SIM_BLOCK}, {"cyclic", SIM_CYCLIC}, {"gray", SIM_GRAY}};

/* ---- Texts ----------------------------------------------------------------------------------- */

static int parse_file(const char *name, struct sim_placement *placement, struct sup_error *error)
{
    struct sim_host_file file;
    size_t length = strlen(name);
    const bool known = sup_hash_take(name, &length, &placement->hash);
    if (length == 0 || length >= SIM_FILE_NAME)
        return sup_fail(error, RB_EINVAL, "placement 'file:%.40s': a file of 1 to %d characters",
                        name, SIM_FILE_NAME - 1);
    memcpy(placement->file, name, length);
    placement->rule = SIM_FILE;
    int status = sim_host_file_read(placement->file, &file, error);
    if (status != RB_OK)
        return status;
    if (known)
        status = sup_check_hash(placement->file, placement->hash, file.hash, error);
    placement->hash = file.hash;
    sim_host_file_free(&file);
    return status;
}

/* A rule without a search. */
static int parse_rule(const char *text, struct sim_placement *placement, struct sup_error *error)
{
    static const char file[] = "file:";
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(text, fixed[i].name) == 0) {
            placement->rule = fixed[i].rule;
            return RB_OK;
        }
    if (strncmp(text, file, sizeof file - 1) == 0)
        return parse_file(text + sizeof file - 1, placement, error);
    placement->rule = SIM_RANDOM;
    const int status = sup_parse_random("placement", text, &placement->seed, error);
    if (status != RB_ENOTSUP)
        return status;
    return sup_fail(error, RB_EINVAL,
                    "placement '%s' is unknown: there are block, cyclic, gray, random:SEED (a "
                    "whole number, by default 1), file:NAME and search:SEED",
                    text);
}

int sim_placement_parse(const char *text, struct sim_placement *placement, struct sup_error *error)
{
    static const char search[] = "search:";
    *placement = (struct sim_placement){.rule = SIM_BLOCK};
    if (strcmp(text, "search") == 0)
        text = "search:1";
    if (strncmp(text, search, sizeof search - 1) != 0)
        return parse_rule(text, placement, error);
    const char *seed = text + sizeof search - 1, *rule = strchr(seed, ':');
    const size_t length = rule == NULL ? strlen(seed) : (size_t)(rule - seed);
    char *digits = sup_strndup(seed, length);
    int64_t value;
    struct sup_error why;
    const int status = sup_parse_int(digits, 0, INT64_MAX, &value, &why);
    free(digits);
    if (status != RB_OK)
        return sup_fail(error, RB_EINVAL, "placement '%s': the seed: %s", text, why.text);
    placement->search = true;
    placement->search_seed = (uint64_t)value;
    return rule == NULL ? RB_OK : parse_rule(rule + 1, placement, error);
}

const char *sim_placement_format(const struct sim_placement *placement, char *buffer, size_t size)
{
    char search[40] = "";
    const bool plain = placement->search && placement->rule == SIM_BLOCK;
    if (placement->search)
        snprintf(search, sizeof search, "search:%" PRIu64 "%s", placement->search_seed,
                 plain ? "" : ":");
    if (placement->rule == SIM_RANDOM)
        snprintf(buffer, size, "%srandom:%" PRIu64, search, placement->seed);
    else if (placement->rule == SIM_FILE)
        snprintf(buffer, size, "%sfile:%s#%016" PRIx64, search, placement->file, placement->hash);
    else
        for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
            if (placement->rule == fixed[i].rule)
                snprintf(buffer, size, "%s%s", search, plain ? "" : fixed[i].name);
    return buffer;
}

/* ---- Hosts of a file ------------------------------------------------------------------------- */

enum { HOST_NAME = 256, MOST_HINTED = 20000 };

/* The platform's hosts by name; no place: they have none. */
struct host_index {
    const struct sim_hosts *hosts;
    struct sup_map number;
};

/* The number of the host whose name is the first `length` characters of the text; `fresh`: there is
 * none yet. */
static int32_t find_name(struct host_index *index, const char *text, size_t length, int32_t fresh)
{
    const struct sim_hosts *hosts = index->hosts;
    for (uint64_t hash = sup_hash_bytes(SUP_HASH_START, text, length);; hash += 2) {
        char name[HOST_NAME];
        const int32_t h = (int32_t)*sup_map_at(&index->number, hash, fresh);
        if (h == fresh)
            return fresh;
        hosts->name(hosts->context, h, name, sizeof name);
        if (strncmp(name, text, length) == 0 && name[length] == '\0')
            return h;
    }
}

static void make_index(const struct sim_hosts *hosts, struct host_index *index)
{
    *index = (struct host_index){.hosts = hosts};
    for (int32_t h = 0; hosts->name != NULL && h < hosts->count; h++) {
        char name[HOST_NAME];
        hosts->name(hosts->context, h, name, sizeof name);
        find_name(index, name, strlen(name), h);
    }
}

/* The number of a host that the text names or numbers; -1: there is none. A name comes first, then
 * a name without the domain behind it: lrdn0005.leonardo.local is lrdn0005. */
static int32_t find_host(struct host_index *index, const char *text)
{
    const struct sim_hosts *hosts = index->hosts;
    if (index->number.places > 0) {
        const size_t length = strlen(text), short_length = strcspn(text, ".");
        int32_t found = find_name(index, text, length, -1);
        if (found < 0 && short_length > 0 && short_length < length)
            found = find_name(index, text, short_length, -1);
        if (found >= 0)
            return found;
    }
    int64_t number = 0;
    if (*text == '\0')
        return -1;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || number >= hosts->count)
            return -1;
        number = 10 * number + (*text - '0');
    }
    return number < hosts->count ? (int32_t)number : -1;
}

/* True if the names differ in their digits only: then the nearest name says little. */
static bool differ_in_digits(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
    }
}

/* The name that is nearest to the text, or the first and the last host. */
static const char *hint_host(const struct sim_hosts *hosts, const char *text, char *hint,
                             size_t size)
{
    char first[HOST_NAME], last[HOST_NAME];
    snprintf(hint, size, "hosts are numbers from 0 to %" PRId32, hosts->count - 1);
    if (hosts->name == NULL)
        return hint;
    snprintf(hint, size, "hosts are %s to %s, or numbers from 0 to %" PRId32,
             hosts->name(hosts->context, 0, first, sizeof first),
             hosts->name(hosts->context, hosts->count - 1, last, sizeof last), hosts->count - 1);
    if (hosts->count > MOST_HINTED)
        return hint;
    char *names = sup_malloc((size_t)hosts->count * HOST_NAME);
    const char **name = sup_malloc((size_t)hosts->count * sizeof *name);
    for (int32_t h = 0; h < hosts->count; h++)
        name[h] = hosts->name(hosts->context, h, names + (size_t)h * HOST_NAME, HOST_NAME);
    const char *nearest = sup_nearest_word(text, name, (size_t)hosts->count);
    if (nearest != NULL && !differ_in_digits(nearest, text))
        snprintf(hint, size, "did you mean %s?", nearest);
    free(names);
    free(name);
    return hint;
}

/* At most ppn ranks on a host: --ppn is part of the results. */
static int check_ppn(const char *path, const struct sim_host_file *file, int32_t ppn,
                     const struct sim_hosts *hosts, const int32_t host[], struct sup_error *error)
{
    int32_t *ranks = sup_calloc((size_t)hosts->count, sizeof *ranks);
    int32_t most = 0, line = 0;
    for (int32_t r = 0; r < file->ranks; r++)
        if (++ranks[host[r]] > most) {
            most = ranks[host[r]];
            if (most == ppn + 1)
                line = file->line[r];
        }
    free(ranks);
    return most <= ppn ? RB_OK
                       : sup_fail(error, RB_EINVAL,
                                  "%.180s:%" PRId32 ": rank %" PRId32
                                  " on one host: ranks per host (ppn) must be at least %" PRId32,
                                  path, line, ppn + 1, most);
}

static int place_by_file(const struct sim_placement *placement, int32_t p, int32_t ppn,
                         const struct sim_hosts *hosts, int32_t host[], struct sup_error *error)
{
    const char *path = placement->file;
    struct sim_host_file file;
    struct host_index index = {0};
    int status = sim_host_file_read(path, &file, error);
    if (status == RB_OK)
        status = sup_check_hash(placement->file, placement->hash, file.hash, error);
    if (status == RB_OK && file.ranks != p)
        status = sup_fail(error, RB_EINVAL,
                          "%.180s:%" PRId32 ": %s %" PRId32 " ranks, but there are %" PRId32, path,
                          file.line[file.ranks < p ? file.ranks - 1 : p],
                          file.ranks < p ? "the file ends after" : "the file has", file.ranks, p);
    if (status == RB_OK)
        make_index(hosts, &index);
    for (int32_t r = 0; status == RB_OK && r < p; r++) {
        char hint[2 * HOST_NAME + 64];
        /* Ranks of a line, or on the same host, often follow one another. */
        host[r] = r > 0 && file.host[r] == file.host[r - 1] ? host[r - 1]
                                                            : find_host(&index, file.host[r]);
        if (host[r] < 0)
            status = sup_fail(error, RB_EINVAL, "%.180s:%" PRId32 ": unknown host '%.80s': %.160s",
                              path, file.line[r], file.host[r],
                              hint_host(hosts, file.host[r], hint, sizeof hint));
    }
    if (status == RB_OK)
        status = check_ppn(path, &file, ppn, hosts, host, error);
    free(index.number.of);
    sim_host_file_free(&file);
    return status;
}

/* ---- The rules ------------------------------------------------------------------------------- */

/* The first `wanted` entries of a random permutation of the hosts (Fisher and Yates). The remainder
 * of a 64-bit number favours no host by more than hosts / 2^64. */
static int32_t *choose_hosts(uint64_t seed, int32_t hosts, int32_t wanted)
{
    int32_t *host = sup_malloc((size_t)hosts * sizeof *host);
    for (int32_t h = 0; h < hosts; h++)
        host[h] = h;
    for (int32_t h = 0; h < wanted; h++) {
        int32_t other = h + (int32_t)(rb_random_next(&seed) % (uint64_t)(hosts - h));
        int32_t swap = host[h];
        host[h] = host[other];
        host[other] = swap;
    }
    return host;
}

/* The binary-reflected Gray code (US patent 2632058, 1953): G(i) and G(i + 1) differ in one bit. */
static int32_t gray(int32_t i)
{
    return i ^ i >> 1;
}

static int place_by_gray_code(int32_t p, int32_t ppn, int32_t hosts, int32_t host[],
                              struct sup_error *error)
{
    for (int32_t r = 0; r < p; r++) {
        host[r] = gray(r / ppn);
        if (host[r] >= hosts)
            return sup_fail(error, RB_EINVAL,
                            "placement gray puts rank %" PRId32 " on host number %" PRId32
                            ", but the platform has %" PRId32 " hosts: it needs 2^d of them",
                            r, host[r], hosts);
    }
    return RB_OK;
}

int sim_placement_map(const struct sim_placement *placement, int32_t p, int32_t ppn,
                      const struct sim_hosts *of, int32_t host[], struct sup_error *error)
{
    const int32_t hosts = of->count;
    if (ppn < 1)
        return sup_fail(error, RB_EINVAL, "%d ranks per host: there must be at least 1", ppn);
    int32_t wanted = (int32_t)(((int64_t)p + ppn - 1) / ppn);
    if (wanted > hosts)
        return sup_fail(error, RB_EINVAL,
                        "%d ranks at %d per host need %d hosts, but the platform has %d: take a "
                        "larger platform or at least %" PRId64 " ranks per host",
                        p, ppn, wanted, hosts, ((int64_t)p + hosts - 1) / (hosts > 0 ? hosts : 1));
    if (placement->rule == SIM_RANDOM) {
        int32_t *chosen = choose_hosts(placement->seed, hosts, wanted);
        for (int32_t r = 0; r < p; r++)
            host[r] = chosen[r / ppn];
        free(chosen);
    } else if (placement->rule == SIM_FILE) {
        return place_by_file(placement, p, ppn, of, host, error);
    } else if (placement->rule == SIM_GRAY) {
        return place_by_gray_code(p, ppn, hosts, host, error);
    } else {
        for (int32_t r = 0; r < p; r++)
            host[r] = placement->rule == SIM_BLOCK ? r / ppn : r % wanted;
    }
    return RB_OK;
}

/* ---- Overlap rules as text ------------------------------------------------------------------- */

/* The rules without a number. */
static const char *const names[] = {
    [SIM_LOCKSTEP] = "lockstep", [SIM_BLOCKING] = "blocking", [SIM_DATA] = "data"};

int sim_overlap_parse(const char *text, struct sim_overlap *overlap, struct sup_error *error)
{
    static const char window[] = "window:";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != NULL && strcmp(names[i], text) == 0) {
            *overlap = (struct sim_overlap){.rule = (enum sim_overlap_rule)i, .window = 1};
            return RB_OK;
        }
    if (strncmp(text, window, sizeof window - 1) == 0) {
        int64_t rounds;
        struct sup_error reason = {0};
        int status = sup_parse_int(text + sizeof window - 1, 1, INT32_MAX, &rounds, &reason);
        if (status)
            return sup_fail(error, status, "overlap rule '%s': the window: %s", text, reason.text);
        *overlap = (struct sim_overlap){.rule = SIM_WINDOW, .window = (int32_t)rounds};
        return RB_OK;
    }
    return sup_fail(error, RB_EINVAL,
                    "overlap rule '%s' is unknown: there are lockstep, blocking, window:W (up to W "
                    "rounds in flight per rank, window:8) and data (all of them)",
                    text);
}

int64_t sim_overlap_window(const struct sim_overlap *overlap, int64_t rounds)
{
    const int64_t wanted = overlap->rule == SIM_WINDOW ? overlap->window
                           : overlap->rule == SIM_DATA ? rounds
                                                       : 1;
    return wanted < rounds ? wanted : rounds > 0 ? rounds : 1;
}

const char *sim_overlap_format(const struct sim_overlap *overlap, char *buffer, size_t size)
{
    if (overlap->rule == SIM_WINDOW)
        snprintf(buffer, size, "window:%d", overlap->window);
    else
        snprintf(buffer, size, "%s", names[overlap->rule]);
    return buffer;
}
