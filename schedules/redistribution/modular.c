/* modular.c - T_opt without cuts by modular classes (modular_times.c), in any number of dimensions.
 *
 * The product of timetables: where message a of the first dimension has the time from start to
 * start + length, message (a, b) has the part of it that message b has of the second dimension's
 * timetable, in which every unit takes length(a). So no port is used twice, and the lengths
 * multiply. The product is T_opt if the same side never rests in all dimensions. On grids that
 * overlap, what stays at its rank leaves a gap, so T_opt may be less: then it is refused. */
#include "modular.h"

#include <stdlib.h>

#include "schedules/plan/plan.h"

struct factor {
    struct rb_traffic traffic; /* of one slice */
    int64_t *start;            /* [messages] */
    int64_t length;
};

static int init(struct factor *f, const struct rb_cyclic *dimension, char *why, size_t why_size)
{
    const int64_t slice = redist_cyclic_slice(dimension);
    struct rb_redistribution alone = {
        .dimensions = 1, .dimension = {*dimension}, .at = dimension->P};
    if (slice == 0 || slice > dimension->M)
        return rb_why(why, why_size, RB_EINVAL,
                      "modular needs M, %lld, to be a multiple of lcm(P r, Q s), which is more",
                      (long long)dimension->M);
    alone.dimension[0].M = slice;
    const int status = rb_traffic_init(&f->traffic, &alone, why, why_size);
    if (status != RB_OK)
        return status;
    f->start = malloc((f->traffic.count + 1) * sizeof *f->start);
    if (f->start == NULL)
        return RB_ENOMEM;
    return redist_modular_times(dimension, &f->traffic, f->start, &f->length, why, why_size);
}

static void deinit(struct factor *f)
{
    rb_traffic_deinit(&f->traffic);
    free(f->start);
}

static int by_ranks(const void *x, const void *y)
{
    const struct rb_message *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static size_t find(const struct rb_traffic *traffic, int32_t from, int32_t to)
{
    const struct rb_message wanted = {.from = from, .to = to};
    const struct rb_message *const found =
        bsearch(&wanted, traffic->message, traffic->count, sizeof wanted, by_ranks);
    return (size_t)(found - traffic->message);
}

/* When a message of the product starts. The last dimension's coordinate is the lowest digit of a
 * rank, so the digits come from the end, and the start is put together from there. */
static int64_t start_of(struct rb_message m, const struct factor factor[], int32_t dimensions)
{
    int64_t start = 0, length = 1; /* of the dimensions behind */
    for (int32_t k = dimensions - 1; k >= 0; k--) {
        const struct rb_traffic *const t = &factor[k].traffic;
        const size_t i = find(t, m.from % t->senders, m.to % t->receivers);
        start = factor[k].start[i] * length + t->message[i].length * start;
        length *= factor[k].length;
        m.from /= t->senders;
        m.to /= t->receivers;
    }
    return start;
}

int redist_modular_starts(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                          int64_t start[], int64_t *length, char *why, size_t why_size)
{
    struct factor factor[RB_MAX_DIMENSIONS] = {0};
    int status = RB_OK;
    *length = 1;
    if (problem == NULL)
        return rb_why(why, why_size, RB_EINVAL, "modular needs a problem, not only its traffic");
    for (int32_t k = 0; k < problem->dimensions && status == RB_OK; k++) {
        status = init(&factor[k], &problem->dimension[k], why, why_size);
        *length *= factor[k].length;
    }
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        start[i] = start_of(traffic->message[i], factor, problem->dimensions);
    for (int32_t k = 0; k < problem->dimensions; k++)
        deinit(&factor[k]);
    return status;
}

static int check_slices(const struct rb_redistribution *problem, char *why, size_t why_size)
{
    for (int32_t k = 0; k < problem->dimensions; k++) {
        const struct rb_cyclic *const z = &problem->dimension[k];
        if (z->M % redist_cyclic_slice(z) != 0)
            return rb_why(why, why_size, RB_EINVAL,
                          "modular needs M, %lld, to be a multiple of lcm(P r, Q s), %lld",
                          (long long)z->M, (long long)redist_cyclic_slice(z));
    }
    return RB_OK;
}

static int check_length(int64_t length, const struct rb_traffic *traffic, char *why,
                        size_t why_size)
{
    if (length == traffic->longest_port)
        return RB_OK;
    return rb_why(why, why_size, RB_EINVAL, "modular takes %lld units here, not %lld: %s",
                  (long long)length, (long long)traffic->longest_port,
                  traffic->copies > 0 ? "on grids that overlap there is less to send"
                                      : "its dimensions differ in which side never rests");
}

int redist_modular(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                   const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                   char *why, size_t why_size)
{
    (void)options;
    int64_t *start = malloc((traffic->count + 1) * sizeof *start), length;
    *timetable = (struct rb_timetable){0};
    int status = start == NULL
                     ? RB_ENOMEM
                     : redist_modular_starts(problem, traffic, start, &length, why, why_size);
    if (status == RB_OK)
        status = check_slices(problem, why, why_size);
    if (status == RB_OK)
        status = check_length(length, traffic, why, why_size);
    if (status == RB_OK)
        status = redist_timetable_of_starts(traffic, start, timetable);
    free(start);
    if (status != RB_OK)
        rb_timetable_deinit(timetable);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}
