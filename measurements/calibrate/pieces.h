/* pieces.h - a time as a function of the message size: alpha + beta m, with other constants where
 * the MPI library changes its protocol.
 *
 * Errors are |ln(predicted / measured)|, because times span many powers of ten, squared up to 10 %
 * and in proportion beyond, so that a few disturbed times have little influence (Huber 1964); times
 * that are less certain than 5 % have proportionally less weight. The constants come from
 * iteratively reweighted least squares. For each number of pieces the best break points are found
 * by dynamic programming over all of them (Bellman and Roth 1969); the number of pieces is the one
 * with the smallest Bayesian information criterion (Schwarz 1978), each further piece costing three
 * parameters: alpha, beta and where it begins. Pieces need not meet. */
#ifndef MEASUREMENTS_CALIBRATE_PIECES_H
#define MEASUREMENTS_CALIBRATE_PIECES_H

#include <stddef.h>
#include <stdint.h>

struct calib_timed_size {
    double bytes, time_s; /* time_s > 0 */
    double noise;         /* how uncertain the time is, as a share of it; 0: unknown */
};

/* alpha_s + beta_s_per_byte m for sizes above `above_bytes`, up to the next piece's. */
struct calib_piece {
    double above_bytes;              /* a whole number; -1 in the first piece */
    double alpha_s, beta_s_per_byte; /* neither is negative */
};

enum { CALIB_MOST_PIECES = 8 };
struct calib_pieces {
    struct calib_piece piece[CALIB_MOST_PIECES];
    int32_t count;
    double error; /* root of the mean loss: of small errors the root mean square */
};

/* count >= 1 samples, bytes rising, each size once; `most` from 1 to CALIB_MOST_PIECES. A piece has
 * three sizes or more. O(count^3). */
void calib_fit_pieces(const struct calib_timed_size sample[], size_t count, int32_t most,
                      struct calib_pieces *pieces);

/* The constants for a size, and the time. */
const struct calib_piece *calib_piece_of(const struct calib_pieces *pieces, double bytes);
double calib_pieces_time(const struct calib_pieces *pieces, double bytes);

#endif
