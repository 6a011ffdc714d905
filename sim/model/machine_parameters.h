/* machine_parameters.h - the parameters of a machine for the engine `model`.
 *
 * A message of m bytes takes alpha + beta m; a calibration may give several pieces by m. If one of
 * LogGOPS's parameters is given, messages cost what LogGOPS says instead (Hoefler, Schneider,
 * Lumsdaine 2010, LogGOPSim): L, o, g, G, O, and the size S beyond which a sender waits for its
 * receiver. */
#ifndef SIM_MODEL_MACHINE_PARAMETERS_H
#define SIM_MODEL_MACHINE_PARAMETERS_H

#include "sim/engine/engine.h"

struct model_piece { /* for messages of at least so many bytes */
    int64_t from_bytes;
    double alpha_s, beta_s_per_byte;
};
enum { MODEL_MOST_PIECES = 16 };

struct model_parameters {
    int32_t hosts;
    struct model_piece piece[MODEL_MOST_PIECES]; /* piece[0].from_bytes is 0 */
    int32_t pieces;
    bool shares_hosts; /* several ranks are on a host and share its port: */
    double inner_alpha_s, inner_beta_s_per_byte; /* between ranks of one host */
    double gamma_s_per_byte;                     /* combining a byte with another */
    bool loggops;
    double L_s, o_s, g_s, G_s_per_byte, O_s_per_byte;
    int64_t S_bytes;
    double skew_s; /* each rank starts at a random time below this */
    double noise;  /* a message takes 1 + x times as long, x exponential with this mean */
    uint64_t seed;
    int32_t threads; /* >= 1, for one run */
};

/* Reads a spec's platform and options. RB_EINVAL, RB_EIO with a message that names what is wrong.
 */
int model_parameters_read(const struct sim_spec *spec, struct model_parameters *parameters,
                          struct sup_error *error);

/* The time at which a rank starts. */
double model_start_s(const struct model_parameters *parameters, int32_t rank);

/* The factor of noise for the time of the message from this rank. */
double model_noise(const struct model_parameters *parameters, int32_t from, int32_t port,
                   int64_t round);

/* The cost of a message between hosts, without noise. */
static inline double model_cost_s(const struct model_parameters *parameters, int64_t bytes)
{
    int32_t i = parameters->pieces - 1;
    while (i > 0 && bytes < parameters->piece[i].from_bytes)
        i--;
    return parameters->piece[i].alpha_s + parameters->piece[i].beta_s_per_byte * (double)bytes;
}

#endif
