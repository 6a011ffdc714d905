/* pieces.c - times as functions of the size (calibrate.h). */
#include "studies/calibrate/calibrate.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_SIZES = 3 /* of a piece */, REWEIGHTINGS = 12 };

/* Errors below this are the noise of any measurement: no piece is worth making for them. */
#define NOISE 0.01
/* Larger errors are not noise. */
#define OUTLIER 0.1
/* Times that are certain to this share have full weight. */
#define WELL_KNOWN 0.05

/* ---- One piece ------------------------------------------------------------------------------- */

struct line {
    double alpha_s, beta; /* neither is negative */
};

/* ln(predicted / measured), and no worse than if the prediction were that small. */
static double log_error(const struct line *line, const struct calib_timed_size *sample)
{
    return log(fmax(line->alpha_s + line->beta * sample->bytes, 1e-15) / sample->time_s);
}

static double trust(const struct calib_timed_size *sample)
{
    return WELL_KNOWN / fmax(sample->noise, WELL_KNOWN);
}

/* Huber's loss: squares, but beyond OUTLIER only in proportion. */
static double loss(const struct calib_timed_size sample[], size_t count, const struct line *line)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = trust(&sample[i]) * fabs(log_error(line, &sample[i]));
        sum += error < OUTLIER ? error * error : OUTLIER * (2 * error - OUTLIER);
    }
    return sum;
}

/* What weight makes (predicted - measured)^2 the loss of this sample, near this line. */
static double weight_of(const struct line *line, const struct calib_timed_size *sample)
{
    const double error = log_error(line, sample), time_s = sample->time_s;
    const double difference = (exp(error) - 1) * time_s;
    const double slope = fabs(error) < 1e-6 ? 1 / time_s : error / difference;
    const double share = trust(sample);
    return slope * slope * share * share * fmin(1, OUTLIER / fmax(share * fabs(error), OUTLIER));
}

/* Weighted least squares; the weights are those near another line, or relative errors'. */
static struct line solve(const struct calib_timed_size sample[], size_t count,
                         const struct line *near)
{
    double one = 0, x = 0, xx = 0, y = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        const double time_s = sample[i].time_s, bytes = sample[i].bytes;
        const double weight = near == NULL ? 1 / (time_s * time_s) : weight_of(near, &sample[i]);
        one += weight;
        x += weight * bytes;
        xx += weight * bytes * bytes;
        y += weight * time_s;
        xy += weight * bytes * time_s;
    }
    const double det = one * xx - x * x;
    const struct line both = {(y * xx - xy * x) / det, (xy * one - y * x) / det};
    if (det > 0 && both.alpha_s >= 0 && both.beta >= 0)
        return both;
    const struct line flat = {y / one, 0}, steep = {0, xx > 0 ? xy / xx : 0};
    return loss(sample, count, &flat) <= loss(sample, count, &steep) ? flat : steep;
}

/* The line of least loss, by weights that are set anew; *least is its loss. */
static struct line fit_line(const struct calib_timed_size sample[], size_t count, double *least)
{
    struct line best = solve(sample, count, NULL), line = best;
    *least = loss(sample, count, &best);
    for (int i = 0; i < REWEIGHTINGS; i++) {
        line = solve(sample, count, &line);
        const double here = loss(sample, count, &line);
        if (here < *least) {
            *least = here;
            best = line;
        }
    }
    return best;
}

/* ---- All pieces ------------------------------------------------------------------------------ */

/* error[k * (count + 1) + j]: least error of k + 1 pieces on the first j samples, the last of which
 * begins at sample from[...]. */
struct table {
    size_t count;
    double *error;
    size_t *from;
};

static void fill_table(const struct calib_timed_size sample[], int32_t most, struct table *table)
{
    const size_t width = table->count + 1;
    double error;
    for (size_t i = 0; i < width * (size_t)most; i++)
        table->error[i] = INFINITY;
    for (size_t i = 0; i < table->count; i++)
        for (size_t j = i + 1; j <= table->count; j++) {
            if (i > 0 && (j - i < LEAST_SIZES || i < LEAST_SIZES))
                continue;
            fit_line(sample + i, j - i, &error);
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
static double break_between(const struct calib_piece *a, const struct calib_piece *b, double last,
                            double next)
{
    const double slope = a->beta_s_per_byte - b->beta_s_per_byte;
    const double cross = slope == 0 ? NAN : (b->alpha_s - a->alpha_s) / slope;
    if (cross >= last && cross < next)
        return floor(cross);
    return floor(sqrt(fmax(last, 1) * next));
}

static void take_pieces(const struct calib_timed_size sample[], const struct table *table,
                        struct calib_pieces *pieces)
{
    size_t end = table->count;
    double least, error = 0;
    for (int32_t k = pieces->count - 1; k >= 0; k--) {
        const size_t from = table->from[(size_t)k * (table->count + 1) + end];
        struct calib_piece *piece = &pieces->piece[k];
        const struct line line = fit_line(sample + from, end - from, &least);
        *piece = (struct calib_piece){-1, line.alpha_s, line.beta};
        error += least;
        if (end < table->count)
            piece[1].above_bytes =
                break_between(piece, piece + 1, sample[end - 1].bytes, sample[end].bytes);
        end = from;
    }
    pieces->error = sqrt(error / (double)table->count);
}

void calib_fit_pieces(const struct calib_timed_size sample[], size_t count, int32_t most,
                      struct calib_pieces *pieces)
{
    const size_t cells = (count + 1) * (size_t)most;
    struct table table = {.count = count,
                          .error = sup_malloc(cells * sizeof *table.error),
                          .from = sup_calloc(cells, sizeof *table.from)};
    fill_table(sample, most, &table);
    pieces->count = choose_count(&table, most);
    take_pieces(sample, &table, pieces);
    free(table.error);
    free(table.from);
}

const struct calib_piece *calib_piece_of(const struct calib_pieces *pieces, double bytes)
{
    int32_t k = pieces->count - 1;
    while (k > 0 && bytes <= pieces->piece[k].above_bytes)
        k--;
    return &pieces->piece[k];
}

double calib_pieces_time(const struct calib_pieces *pieces, double bytes)
{
    const struct calib_piece *piece = calib_piece_of(pieces, bytes);
    return piece->alpha_s + piece->beta_s_per_byte * bytes;
}
