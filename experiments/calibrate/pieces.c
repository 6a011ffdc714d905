/* pieces.c - see pieces.h. */
#include "experiments/calibrate/pieces.h"

#include <math.h>
#include <stdlib.h>

#include "roundabout.h"

enum { LEAST_SIZES = 3 }; /* of a piece */

/* Relative errors below this are the noise of any measurement: no piece is worth making for them.
 */
#define NOISE 0.01

/* ---- One piece ------------------------------------------------------------------------------- */

static double squares(const struct rb_timed_size sample[], size_t count, double alpha, double beta)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = (alpha + beta * sample[i].bytes) / sample[i].time_s - 1;
        sum += error * error;
    }
    return sum;
}

/* Least squares of (alpha + beta x) / y - 1 with neither negative; the sum of squares. */
static double fit_line(const struct rb_timed_size sample[], size_t count, double *alpha,
                       double *beta)
{
    double u = 0, v = 0, uu = 0, uv = 0, vv = 0; /* u = 1 / y, v = x / y */
    for (size_t i = 0; i < count; i++) {
        const double a = 1 / sample[i].time_s, b = sample[i].bytes / sample[i].time_s;
        u += a;
        v += b;
        uu += a * a;
        uv += a * b;
        vv += b * b;
    }
    const double det = uu * vv - uv * uv;
    *alpha = det > 0 ? (u * vv - v * uv) / det : -1;
    *beta = det > 0 ? (v * uu - u * uv) / det : -1;
    if (*alpha >= 0 && *beta >= 0)
        return squares(sample, count, *alpha, *beta);
    const double flat = u / uu, steep = vv > 0 ? v / vv : 0;
    const double flat_error = squares(sample, count, flat, 0);
    const double steep_error = squares(sample, count, 0, steep);
    const bool is_flat = flat_error <= steep_error;
    *alpha = is_flat ? flat : 0;
    *beta = is_flat ? 0 : steep;
    return is_flat ? flat_error : steep_error;
}

/* ---- All pieces ------------------------------------------------------------------------------ */

/* error[k * (count + 1) + j]: least error of k + 1 pieces on the first j samples, the last of which
 * begins at sample from[...]. */
struct table {
    size_t count;
    double *error;
    size_t *from;
};

static void fill_table(const struct rb_timed_size sample[], int32_t most, struct table *table)
{
    const size_t width = table->count + 1;
    double alpha, beta;
    for (size_t i = 0; i < width * (size_t)most; i++)
        table->error[i] = INFINITY;
    for (size_t i = 0; i < table->count; i++)
        for (size_t j = i + 1; j <= table->count; j++) {
            if (i > 0 && (j - i < LEAST_SIZES || i < LEAST_SIZES))
                continue;
            const double error = fit_line(sample + i, j - i, &alpha, &beta);
            for (int32_t k = 0; k < most; k++) {
                const size_t here = (size_t)k * width + j;
                if (k == 0 ? i > 0 : i == 0)
                    continue;
                const double before = k == 0 ? 0 : table->error[here - width - j + i];
                if (before + error < table->error[here]) {
                    table->error[here] = before + error;
                    table->from[here] = i;
                }
            }
        }
}

static int32_t choose_count(const struct table *table, int32_t most)
{
    const double n = (double)table->count;
    double best = INFINITY;
    int32_t chosen = 1;
    for (int32_t k = 1; k <= most; k++) {
        const double error = table->error[(size_t)k * (table->count + 1) - 1];
        const double criterion = n * log(error / n + NOISE * NOISE) + 3 * k * log(n);
        if (criterion < best) {
            best = criterion;
            chosen = k;
        }
    }
    return chosen;
}

/* Where the next piece begins between two sizes: where the lines cross, or half-way on a
 * logarithmic axis. */
static double break_between(const struct rb_piece *a, const struct rb_piece *b, double last,
                            double next)
{
    const double slope = a->beta_s_per_byte - b->beta_s_per_byte;
    const double cross = slope == 0 ? NAN : (b->alpha_s - a->alpha_s) / slope;
    if (cross >= last && cross < next)
        return floor(cross);
    return floor(sqrt(fmax(last, 1) * next));
}

static void take_pieces(const struct rb_timed_size sample[], const struct table *table,
                        struct rb_pieces *pieces)
{
    size_t end = table->count;
    double error = 0;
    for (int32_t k = pieces->count - 1; k >= 0; k--) {
        const size_t from = table->from[(size_t)k * (table->count + 1) + end];
        struct rb_piece *piece = &pieces->piece[k];
        error += fit_line(sample + from, end - from, &piece->alpha_s, &piece->beta_s_per_byte);
        piece->above_bytes = -1;
        if (end < table->count)
            piece[1].above_bytes =
                break_between(piece, piece + 1, sample[end - 1].bytes, sample[end].bytes);
        end = from;
    }
    pieces->rms = sqrt(error / (double)table->count);
}

int rb_fit_pieces(const struct rb_timed_size sample[], size_t count, int32_t most,
                  struct rb_pieces *pieces)
{
    const size_t cells = (count + 1) * (size_t)most;
    struct table table = {.count = count,
                          .error = malloc(cells * sizeof *table.error),
                          .from = calloc(cells, sizeof *table.from)};
    const bool good = table.error != NULL && table.from != NULL;
    if (good) {
        fill_table(sample, most, &table);
        pieces->count = choose_count(&table, most);
        take_pieces(sample, &table, pieces);
    }
    free(table.error);
    free(table.from);
    return good ? RB_OK : RB_ENOMEM;
}

const struct rb_piece *rb_piece_of(const struct rb_pieces *pieces, double bytes)
{
    int32_t k = pieces->count - 1;
    while (k > 0 && bytes <= pieces->piece[k].above_bytes)
        k--;
    return &pieces->piece[k];
}

double rb_pieces_time(const struct rb_pieces *pieces, double bytes)
{
    const struct rb_piece *piece = rb_piece_of(pieces, bytes);
    return piece->alpha_s + piece->beta_s_per_byte * bytes;
}
