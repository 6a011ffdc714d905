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
    const struct redist_shop shop = {traffic->senders, traffic->receivers, traffic->count,
                                     traffic->message, traffic->longest_port};
    enum redist_answer answer;
    const int status = redist_shop_decide(&shop, effort, start, &answer);
    *found = !status && answer == REDIST_YES;
    return status;
}

static int search_grid(const struct rb_cyclic *problem, const struct rb_traffic *traffic,
                       int64_t *effort, int64_t start[], bool *found)
{
    struct redist_symmetry grid;
    int status = redist_symmetry_init(&grid, problem, traffic);
    if (!status)
        status = redist_nocut_rotation(&grid, traffic, start, found);
    if (!status && !*found)
        status = redist_nocut_groups(&grid, traffic, effort, start, found);
    if (!status && !*found && grid.families > 1)
        status = search_all(traffic, effort, start, found);
    redist_symmetry_deinit(&grid);
    return status;
}

int redist_nocut_search(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                        int64_t *effort, int64_t start[], bool *found)
{
    return redist_symmetry_applies(problem, traffic)
               ? search_grid(&problem->dimension[0], traffic, effort, start, found)
               : search_all(traffic, effort, start, found);
}
