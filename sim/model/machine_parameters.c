/* machine_parameters.c - the machine, from the platform and KEY:VALUE options. */
#include "model.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "platforms/platform.h"
#include "schedules/plan/random.h"
#include "sim/workload/workload.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/units.h"

enum kind { SECONDS, SHARE, BYTES, SEED, THREADS, CALIBRATION, LOGGP };

struct key {
    const char *name;
    enum kind kind;
    bool loggops;
    size_t offset;
};
#define AT(member) offsetof(struct model_parameters, member)
static const struct key keys[] = {
    {"gamma", SECONDS, false, AT(gamma_s_per_byte)},
    {"L", SECONDS, true, AT(L_s)},
    {"o", SECONDS, true, AT(o_s)},
    {"g", SECONDS, true, AT(g_s)},
    {"G", SECONDS, true, AT(G_s_per_byte)},
    {"O", SECONDS, true, AT(O_s_per_byte)},
    {"S", BYTES, true, AT(S_bytes)},
    {"noise", SHARE, false, AT(noise)},
    {"seed", SEED, false, AT(seed)},
    {"threads", THREADS, false, 0},
    {"calibration", CALIBRATION, false, 0},
    {"loggp", LOGGP, true, 0},
};
enum { KEYS = sizeof keys / sizeof keys[0], MOST_THREADS = 1024 };

/* ---- Calibrations: what `roundabout calibrate` writes (docs/measure.md) ---------------------- */

static int bad_file(const char *path, const char *what, struct sup_error *error)
{
    return sup_fail(error, RB_EINVAL, "%s: %s: give the NAME.json of roundabout calibrate", path,
                    what);
}

static int open_calibration(const char *path, json_t **root, struct sup_error *error)
{
    json_error_t why;
    if (sup_input("calibration", path, error) != RB_OK)
        return RB_EINVAL;
    FILE *file = sup_got(fopen(path, "r"));
    const int first = file == NULL ? EOF : fgetc(file); /* a directory is opened, but not read */
    if (file == NULL || (first == EOF && ferror(file) != 0)) {
        const int reason = errno;
        if (file != NULL)
            fclose(file);
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(reason));
    }
    ungetc(first, file);
    *root = json_loadf(file, 0, &why);
    fclose(file);
    if (*root == NULL)
        return sup_fail(error, RB_EINVAL, "%s:%d: %s", path, why.line < 0 ? 0 : why.line, why.text);
    return RB_OK;
}

/* A time, or a time per byte; false if it isn't there, or negative. */
static bool get_time(const json_t *object, const char *name, double *value)
{
    const json_t *number = json_object_get(object, name);
    *value = json_number_value(number);
    return json_is_number(number) && *value >= 0; /* JSON has no infinity */
}

static int read_pieces(const char *path, struct model_parameters *parameters,
                       struct sup_error *error)
{
    json_t *root;
    int status = open_calibration(path, &root, error);
    if (status != RB_OK)
        return status;
    const char *basis = json_string_value(json_object_get(root, "platform_basis"));
    const json_t *pieces = json_object_get(
        json_object_get(json_object_get(root, "tests"), basis == NULL ? "" : basis), "pieces");
    const size_t count = json_array_size(pieces);
    if (count < 1 || count > MODEL_MOST_PIECES)
        status = bad_file(path, "tests have no pieces, or more than 16", error);
    for (size_t i = 0; i < count && status == RB_OK; i++) {
        const json_t *from = json_array_get(pieces, i);
        struct model_piece *piece = &parameters->piece[i];
        piece->from_bytes = i == 0 ? 0 : json_integer_value(json_object_get(from, "from_bytes"));
        if (!get_time(from, "alpha_s", &piece->alpha_s) ||
            !get_time(from, "beta_s_per_byte", &piece->beta_s_per_byte) ||
            (i > 0 && piece->from_bytes <= piece[-1].from_bytes))
            status = bad_file(path,
                              "pieces need growing from_bytes, and alpha_s and beta_s_per_byte "
                              "that are not negative",
                              error);
    }
    parameters->pieces = (int32_t)count;
    json_decref(root);
    return status;
}

/* LogGP has one o: the mean of the sender's and the receiver's. */
static int read_loggp(const char *path, struct model_parameters *parameters,
                      struct sup_error *error)
{
    json_t *root;
    double send_s, receive_s;
    int status = open_calibration(path, &root, error);
    if (status != RB_OK)
        return status;
    const json_t *loggp = json_object_get(root, "loggp");
    if (get_time(loggp, "L_s", &parameters->L_s) && get_time(loggp, "o_send_s", &send_s) &&
        get_time(loggp, "o_receive_s", &receive_s) && get_time(loggp, "g_s", &parameters->g_s) &&
        get_time(loggp, "G_s_per_byte", &parameters->G_s_per_byte))
        parameters->o_s = (send_s + receive_s) / 2;
    else
        status = bad_file(path,
                          "there is no loggp with L_s, o_send_s, o_receive_s, g_s and "
                          "G_s_per_byte (all tests must have been measured)",
                          error);
    json_decref(root);
    return status;
}

/* ---- Options --------------------------------------------------------------------------------- */

static int read_value(const struct key *key, const char *text, struct model_parameters *parameters,
                      struct sup_error *error)
{
    void *const value = (char *)parameters + key->offset;
    int64_t whole;
    int status = RB_OK;
    switch (key->kind) {
    case SECONDS:
        return sup_parse_seconds(text, value, error);
    case SHARE:
        status = sup_parse_real(text, value, error);
        if (status == RB_OK && !(*(double *)value >= 0 && *(double *)value <= 1000))
            return sup_fail(error, RB_EINVAL, "\"%s\" is not a share from 0 to 1000, such as 0.05",
                            text);
        return status;
    case BYTES:
        return sup_parse_bytes(text, value, error);
    case SEED:
        status = sup_parse_int(text, 0, INT64_MAX, &whole, error);
        parameters->seed = (uint64_t)whole;
        return status;
    case THREADS:
        status = sup_parse_int(text, 1, MOST_THREADS, &whole, error);
        parameters->threads = (int32_t)whole;
        return status;
    case CALIBRATION:
        return read_pieces(text, parameters, error);
    case LOGGP:
        return read_loggp(text, parameters, error);
    }
    return RB_EINVAL;
}

static int unknown_key(const char *option, const char *name, struct sup_error *error)
{
    const char *names[KEYS];
    if (strcmp(name, "skew") == 0)
        return sup_fail(error, RB_EINVAL,
                        "the model engine has no option skew: --arrival uniform:TIME:SEED, or the "
                        "key arrival, makes ranks late");
    for (int32_t i = 0; i < KEYS; i++)
        names[i] = keys[i].name;
    char hint[SUP_HINT_SIZE];
    return sup_fail(error, RB_EINVAL, "the model engine has no option '%s': %s", option,
                    sup_hint(name, names, strlen(name) > 2 ? KEYS : 0,
                             "there are gamma, L, o, g, G, O, S, noise, seed, threads, "
                             "calibration and loggp",
                             hint));
}

static int read_option(const char *option, struct model_parameters *parameters,
                       struct sup_error *error)
{
    const char *colon = strchr(option, ':');
    const size_t length = colon == NULL ? strlen(option) : (size_t)(colon - option);
    char name[32];
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1,
             option);
    for (int32_t i = 0; i < KEYS; i++)
        if (colon != NULL && strcmp(keys[i].name, name) == 0) {
            struct sup_error why;
            const int status = read_value(&keys[i], colon + 1, parameters, &why);
            parameters->loggops = parameters->loggops || keys[i].loggops;
            return status == RB_OK
                       ? RB_OK
                       : sup_fail(error, status, "engine option %s: %s", name, why.text);
        }
    return unknown_key(option, name, error);
}

/* ---- The platform ---------------------------------------------------------------------------- */

/* The most ranks of a host, and collectives of a rank at a time. */
static void find_most(const struct sim_spec *spec, int32_t *ppn, int32_t *streams)
{
    const struct sim_workload *workload = spec->workload;
    *ppn = workload == NULL ? spec->ppn : 1;
    *streams = 1;
    for (int32_t j = 0; workload != NULL && j < workload->jobs; j++) {
        const struct sim_job *job = &workload->job[j];
        if (spec->only_job != 0 && spec->only_job != j + 1)
            continue;
        *ppn = job->ppn > *ppn ? job->ppn : *ppn;
        *streams = job->streams > *streams ? job->streams : *streams;
    }
}

static int read_platform(const struct sim_spec *spec, struct model_parameters *parameters,
                         struct sup_error *error)
{
    struct platform_links links;
    if (!platform_is_generated(spec->platform))
        return sup_fail(
            error, RB_EINVAL,
            "the model engine takes generated platforms, such as crossbar:%d, not files",
            sim_ranks(spec));
    const int status = platform_find_links(spec->platform, &links, error);
    if (status != RB_OK)
        return status;
    if (links.memory_bandwidth > 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: the model engine knows no memory that messages share: leave out "
                        "memory-bandwidth, or use the engine flow",
                        spec->platform);
    if (links.contended)
        return sup_fail(error, RB_EINVAL,
                        "%s: the model engine has no shared links: use a crossbar, or the engine "
                        "simgrid",
                        spec->platform);
    int32_t ppn, streams;
    find_most(spec, &ppn, &streams);
    *parameters = (struct model_parameters){
        .hosts = links.hosts,
        .piece = {{.alpha_s = links.latency_s, .beta_s_per_byte = 1 / links.bandwidth}},
        .pieces = 1,
        .most_ppn = ppn,
        .shares_hosts = ppn > 1 || streams > 1,
        .inner_alpha_s = links.loopback_latency_s,
        .inner_beta_s_per_byte = 1 / links.loopback_bandwidth,
        .L_s = links.latency_s,
        .G_s_per_byte = 1 / links.bandwidth,
        .S_bytes = INT64_MAX,
        .threads = 1};
    return RB_OK;
}

int model_parameters_read(const struct sim_spec *spec, struct model_parameters *parameters,
                          struct sup_error *error)
{
    int status = read_platform(spec, parameters, error);
    for (int32_t i = 0; i < spec->option_count && status == RB_OK; i++)
        status = read_option(spec->options[i], parameters, error);
    if (status == RB_OK && parameters->loggops && parameters->most_ppn > 1)
        status = sup_fail(error, RB_EINVAL,
                          "LogGOPS has one rank per host, not %d: leave out L, o, g, G, O and S",
                          parameters->most_ppn);
    if (status == RB_OK && parameters->loggops && spec->overlap.rule == SIM_LOCKSTEP)
        status = sup_fail(error, RB_EINVAL,
                          "LogGOPS has no lockstep: use blocking, window:W or data, or leave out "
                          "L, o, g, G, O and S");
    return status;
}

/* ---- Chance ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    return rb_random_at(x, 1);
}

/* 0 < u <= 1. */
static double uniform(uint64_t bits)
{
    return (double)((bits >> 11) + 1) * 0x1p-53;
}

double model_noise(const struct model_parameters *parameters, int32_t from, int32_t port,
                   int64_t round)
{
    if (parameters->noise == 0)
        return 1;
    const uint64_t sender = (uint64_t)(uint32_t)from << 32 | (uint32_t)port;
    return 1 - parameters->noise *
                   log(uniform(mix(mix(mix(~parameters->seed) ^ sender) ^ (uint64_t)round)));
}
