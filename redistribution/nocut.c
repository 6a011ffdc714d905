/* nocut.c - timetables of T_opt units in which no message is cut.
 *
 * Where the problem has a grid (symmetry.h), by rotation, which is quick (rotation.c), else from a
 * timetable of a few ports (groups.c). Where it has none, or only timetables without its symmetry,
 * by a search over all messages (shop.h), which succeeds for some dozens of ports. */
#include "nocut.h"

#include "shop.h"

/* A search over all messages. */
static int search_all(const struct rb_traffic *traffic, int64_t *effort, int64_t start[],
                      bool *found)
{
    const struct rb_shop shop = {traffic->senders, traffic->receivers, traffic->count,
                                 traffic->message, traffic->longest_port};
    enum rb_answer answer;
    const int status = rb_shop_decide(&shop, effort, start, &answer);
    *found = !status && answer == RB_YES;
    return status;
}

static int search_grid(const struct rb_cyclic *problem, const struct rb_traffic *traffic,
                       int64_t *effort, int64_t start[], bool *found)
{
    struct rb_symmetry grid;
    int status = rb_symmetry_init(&grid, problem, traffic);
    if (!status)
        status = rb_nocut_rotation(&grid, traffic, start, found);
    if (!status && !*found)
        status = rb_nocut_groups(&grid, traffic, effort, start, found);
    if (!status && !*found && grid.families > 1)
        status = search_all(traffic, effort, start, found);
    rb_symmetry_deinit(&grid);
    return status;
}

int rb_nocut_search(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                    int64_t *effort, int64_t start[], bool *found)
{
    return rb_symmetry_applies(problem, traffic)
               ? search_grid(&problem->dimension[0], traffic, effort, start, found)
               : search_all(traffic, effort, start, found);
}
