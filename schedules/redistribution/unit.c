/* unit.c - Theorem 1 of the paper, implemented literally: every message is cut into units, and the
 * multigraph of units is coloured with T_opt colours by repeated matchings that cover all critical
 * ports.
 *
 * A matching that covers them does so until a message ends or another port becomes critical, so it
 * serves for all units of that time (matching.c). The baseline: as many start-ups as units. Work
 * and memory: units. */
#include "redistribution.h"
#include "schedules/plan/plan.h"

static int64_t units_of(const struct rb_traffic *traffic)
{
    int64_t units = 0;
    for (size_t i = 0; i < traffic->count; i++)
        units += traffic->message[i].length;
    return units;
}

static int cut(const struct rb_timetable *whole, struct rb_timetable *units)
{
    size_t room = 0;
    for (size_t i = 0; i < whole->count; i++)
        for (int64_t k = 0; k < whole->piece[i].length; k++) {
            const struct rb_piece p = whole->piece[i];
            const struct rb_piece unit = {p.message, p.first + k, 1, p.start + k};
            if (redist_timetable_add(units, &room, unit) != RB_OK)
                return RB_ENOMEM;
        }
    redist_timetable_finish(units);
    return RB_OK;
}

int redist_unit(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                char *why, size_t why_size)
{
    const int64_t most =
        options != NULL && options->most_pieces > 0 ? options->most_pieces : RB_MOST_PIECES;
    struct rb_timetable whole;
    *timetable = (struct rb_timetable){0};
    if (units_of(traffic) > most)
        return rb_why(why, why_size, RB_EINVAL,
                      "unit cuts into %lld pieces here, more than %lld: matching doesn't",
                      (long long)units_of(traffic), (long long)most);
    int status = redist_matching(problem, traffic, options, &whole, why, why_size);
    if (status == RB_OK && cut(&whole, timetable) != RB_OK) {
        rb_timetable_deinit(timetable);
        status = rb_why(why, why_size, RB_ENOMEM, "out of memory");
    }
    rb_timetable_deinit(&whole);
    return status;
}
