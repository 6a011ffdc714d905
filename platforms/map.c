/* map.c - see map.h. Switches have levels: 1 with hosts, 2 joined to those, and so on. A spot is a
 * place in the picture, for a switch or for several that follow one another. */
#include "map.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_LEVELS = 16 };

struct spot {
    double x, y;
    double out_x, out_y; /* the direction in which its hosts are, of length 1 */
    int32_t switches, hosts;
    double cell; /* size of those of its hosts */
    int32_t columns;
};

struct wire {
    char *name;
    int32_t host; /* terminal; -1: it joins two switches */
    int32_t end[2];
    double bandwidth;
    uint64_t key; /* of its stroke: two spots, or CELLS, a spot and a cell of it */
};
#define CELLS (UINT64_C(1) << 63)

struct drawing {
    const struct platform_cluster *cluster;
    double letter;
    struct platform_map *map;
    struct wire *wire;
    size_t wires;
    int32_t switches; /* numbers */
    int32_t *level;   /* of a switch; 0: there is none with this number */
    int32_t *index;   /* of a switch in its level */
    int32_t *place;   /* of a terminal among those of its spot, or -1 */
    int32_t levels, count[MOST_LEVELS + 1];
    int32_t merged;                         /* switches of a level or group in a spot */
    int32_t step[PLATFORM_MOST_DIMENSIONS]; /* the same, along each side of a grid */
    int32_t side[PLATFORM_MOST_DIMENSIONS]; /* of the grid of spots */
    int32_t first[MOST_LEVELS + 2];         /* spot of each level, and their number */
    struct spot *spot;
    int32_t together;                   /* hosts in a cell */
    double unit;                        /* between the spots of a grid */
    double cells_wide, cells_deep, gap; /* room for a spot's cells, and how far it is from it */
    bool is_star;                       /* hosts have lines */
};

/* ---- Wires ----------------------------------------------------------------------------------- */

static void add_wire(struct drawing *drawing, struct wire wire)
{
    sup_grow(&drawing->wire, drawing->wires, sizeof *drawing->wire);
    drawing->wire[drawing->wires++] = wire;
    for (int i = 0; i < 2; i++)
        if (wire.end[i] >= drawing->switches)
            drawing->switches = wire.end[i] + 1;
}

/* Both directions of each cable. */
static int collect(struct drawing *drawing, const char *text, struct sup_error *error)
{
    const struct platform_cluster *cluster = drawing->cluster;
    struct platform_network *network = NULL;
    char name[256];
    const int status = platform_lay_network(text, cluster, &network, error);
    if (status != RB_OK)
        return status;
    for (int32_t l = network->hosts; l < network->links - network->memory_links; l++) {
        struct wire wire = {.host = -1, .bandwidth = network->link[l].bandwidth};
        if (!network->link[l].shared || network->link[l].failed)
            continue;
        if (network->own_links && l < 3 * network->hosts) {
            wire.host = platform_host_terminal(&cluster->who, (l - network->hosts) / 2);
            wire.end[0] = cluster->sharers > 0 ? wire.host / cluster->sharers : 0;
            wire.end[1] = wire.end[0];
        } else {
            network->find_ends(network, l, wire.end);
        }
        wire.name = sup_strdup(platform_network_link_name(network, l, name, sizeof name));
        add_wire(drawing, wire);
    }
    platform_network_destroy(network);
    return RB_OK;
}

/* Gives a level to the switches that are joined to one of the last level; false: all have one. */
static bool find_level(struct drawing *drawing)
{
    const int32_t last = drawing->levels;
    bool any = false;
    for (size_t i = 0; i < drawing->wires; i++)
        for (int k = 0; k < 2; k++) {
            const int32_t from = drawing->wire[i].end[k], to = drawing->wire[i].end[1 - k];
            if (drawing->level[from] == last && drawing->level[to] == 0) {
                drawing->level[to] = last < MOST_LEVELS ? last + 1 : last;
                any = true;
            }
        }
    drawing->levels += any && last < MOST_LEVELS;
    return any;
}

static void find_levels(struct drawing *drawing)
{
    const struct platform_cluster *cluster = drawing->cluster;
    const int32_t terminals =
        cluster->latency_per_hop || cluster->sharers == 0 ? 0 : cluster->hosts;
    drawing->level = sup_calloc((size_t)drawing->switches + 1, sizeof *drawing->level);
    drawing->index = sup_calloc((size_t)drawing->switches + 1, sizeof *drawing->index);
    drawing->levels = 1;
    for (int32_t terminal = 0; terminal < terminals; terminal++) /* empty ones too */
        if (terminal / cluster->sharers < drawing->switches)
            drawing->level[terminal / cluster->sharers] = 1;
    for (size_t i = 0; i < drawing->wires; i++)
        if (drawing->wire[i].host >= 0 || cluster->latency_per_hop)
            drawing->level[drawing->wire[i].end[0]] = drawing->level[drawing->wire[i].end[1]] = 1;
    while (find_level(drawing))
        ;
    for (int32_t s = 0; s < drawing->switches; s++)
        if (drawing->level[s] > 0)
            drawing->index[s] = drawing->count[drawing->level[s]]++;
}

/* ---- Spots ----------------------------------------------------------------------------------- */

static int32_t groups_of(const struct drawing *drawing)
{
    return drawing->cluster->groups > 0 ? drawing->cluster->groups : 1;
}

/* Spots of a group, in a level. */
static int32_t spots_of(const struct drawing *drawing, int32_t level)
{
    return (drawing->count[level] / groups_of(drawing) - 1) / drawing->merged + 1;
}

static void number_spots(struct drawing *drawing)
{
    const struct platform_cluster *cluster = drawing->cluster;
    int32_t spots = 0;
    for (int32_t level = 1; level <= drawing->levels; level++) {
        drawing->first[level] = spots;
        spots += spots_of(drawing, level) * groups_of(drawing);
    }
    for (int32_t i = 0; i < cluster->sides; i++) {
        drawing->side[i] = (cluster->side[i] - 1) / drawing->step[i] + 1;
        spots = i == 0 ? drawing->side[i] : spots * drawing->side[i];
    }
    drawing->first[drawing->levels + 1] = spots;
}

static int32_t spot_of(const struct drawing *drawing, int32_t number)
{
    const struct platform_cluster *cluster = drawing->cluster;
    const int32_t level = drawing->level[number];
    int32_t index = drawing->index[number], spot = 0, stride = 1;
    if (cluster->sides == 0) {
        const int32_t group = drawing->count[level] / groups_of(drawing);
        return drawing->first[level] + index / group * spots_of(drawing, level) +
               index % group / drawing->merged;
    }
    for (int32_t i = 0; i < cluster->sides; i++) {
        spot += index % cluster->side[i] / drawing->step[i] * stride;
        index /= cluster->side[i];
        stride *= drawing->side[i];
    }
    return spot;
}

/* More switches in a spot; false: each level, group or grid is one spot. */
static bool merge(struct drawing *drawing)
{
    int32_t longest = 0;
    for (int32_t i = 0; i < drawing->cluster->sides; i++)
        longest = drawing->side[i] > drawing->side[longest] ? i : longest;
    if (drawing->cluster->sides > 0) {
        drawing->step[longest] *= 2;
        return drawing->side[longest] > 1;
    }
    for (int32_t level = 1; level <= drawing->levels; level++)
        longest = spots_of(drawing, level) > longest ? spots_of(drawing, level) : longest;
    drawing->merged *= 2;
    return longest > 1;
}

SUP_COMPARE(by_key, struct wire, SUP_ORDER(a->key, b->key));

/* Sorts by the strokes that there would be; returns their number. Hosts have none yet if none are
 * together. */
static int32_t sort_wires(struct drawing *drawing)
{
    int32_t strokes = 0;
    number_spots(drawing);
    for (size_t i = 0; i < drawing->wires; i++) {
        struct wire *wire = &drawing->wire[i];
        const int32_t a = spot_of(drawing, wire->end[0]), b = spot_of(drawing, wire->end[1]);
        if (wire->host < 0)
            wire->key = (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
        else if (drawing->together > 0)
            wire->key = CELLS | (uint64_t)a << 32 |
                        (uint64_t)(drawing->place[wire->host] / drawing->together);
        else
            wire->key = CELLS;
    }
    qsort(drawing->wire, drawing->wires, sizeof *drawing->wire, by_key);
    for (size_t i = 0; i < drawing->wires; i++)
        strokes += i == 0 || drawing->wire[i].key != drawing->wire[i - 1].key;
    return strokes;
}

/* Counts the switches of each spot, and the hosts, which have places in it. */
static void count_nodes(struct drawing *drawing)
{
    const int32_t spots = drawing->first[drawing->levels + 1];
    int32_t *home = sup_malloc(((size_t)drawing->cluster->hosts + 1) * sizeof *home);
    drawing->spot = sup_calloc((size_t)spots + 1, sizeof *drawing->spot);
    drawing->place = sup_calloc((size_t)drawing->cluster->hosts + 1, sizeof *drawing->place);
    for (int32_t terminal = 0; terminal < drawing->cluster->hosts; terminal++)
        home[terminal] = -1; /* empty */
    for (size_t i = 0; i < drawing->wires; i++)
        if (drawing->wire[i].host >= 0)
            home[drawing->wire[i].host] = spot_of(drawing, drawing->wire[i].end[0]);
    for (int32_t terminal = 0; terminal < drawing->cluster->hosts; terminal++)
        if (home[terminal] >= 0)
            drawing->place[terminal] = drawing->spot[home[terminal]].hosts++;
    for (int32_t number = 0; number < drawing->switches; number++)
        if (drawing->level[number] > 0)
            drawing->spot[spot_of(drawing, number)].switches++;
    for (int32_t i = 0; i < spots; i++)
        if (drawing->spot[i].switches > drawing->map->switches)
            drawing->map->switches = drawing->spot[i].switches;
    free(home);
}

static int32_t cells_of(const struct drawing *drawing, int32_t spot)
{
    return (drawing->spot[spot].hosts + drawing->together - 1) / drawing->together;
}

/* As few switches and hosts become one as the width needs. */
static void bundle(struct drawing *drawing)
{
    const double wide = drawing->map->width, most_cells = (drawing->is_star ? 0.7 : 3) * wide;
    const double most_lines =
        (drawing->cluster->sides > 0 ? 4 : 2) * wide; /* few cross in a grid */
    while (sort_wires(drawing) > most_lines && merge(drawing))
        ;
    count_nodes(drawing);
    double cells;
    do {
        cells = 0;
        drawing->together += drawing->together > 0 ? drawing->together : 1;
        for (int32_t s = 0; s < drawing->first[drawing->levels + 1]; s++)
            cells += cells_of(drawing, s);
    } while (cells > most_cells);
    drawing->map->strokes = sort_wires(drawing);
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void add_label(struct drawing *drawing, double x, double y, const char *text)
{
    struct platform_map *map = drawing->map;
    sup_grow(&map->label, (size_t)map->labels, sizeof *map->label);
    struct platform_map_label *label = &map->label[map->labels++];
    *label = (struct platform_map_label){.x = x, .y = y};
    snprintf(label->text, sizeof label->text, "%s", text);
}

static void name_level(struct drawing *drawing, int32_t count, const char *one, const char *several,
                       double y)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId32 " %s", count, count == 1 ? one : several);
    add_label(drawing, 0, y + 0.3 * drawing->letter, text);
}

/* Hosts below, the highest level on top; names on the left. */
static void lay_levels(struct drawing *drawing)
{
    struct platform_map *map = drawing->map;
    const double left = 6 * drawing->letter, wide = map->width - left;
    const double slot = wide / spots_of(drawing, 1), letter = drawing->letter;
    const int32_t levels = drawing->levels;
    const double apart = levels == 1 ? 0 : fmax(0.34 * map->width / (levels - 1), 2.5 * letter);
    drawing->gap = fmin(letter, 0.5 * slot + 2);
    drawing->cells_wide = 0.9 * slot;
    drawing->cells_deep = fmax(0.07 * map->width, fmin(0.9 * slot, letter));
    map->node = fmin(0.5 * slot, 0.7 * letter);
    for (int32_t level = 1; level <= levels; level++) {
        const int32_t count = spots_of(drawing, level);
        const double y = letter + (levels - level) * apart;
        for (int32_t i = 0; i < count; i++) {
            struct spot *spot = &drawing->spot[drawing->first[level] + i];
            spot->x = left + (i + 0.5) * wide / count;
            spot->y = y;
            spot->out_y = 1;
        }
        name_level(drawing, drawing->count[level], "switch", "switches", y);
    }
    map->height = letter + (levels - 1) * apart + drawing->gap + drawing->cells_deep;
    name_level(drawing, drawing->cluster->who.count, "host", "hosts",
               map->height - 0.5 * drawing->cells_deep);
}

/* Where a group is: its middle, the direction away from the picture's, and its radius. */
struct group {
    double x, y, angle, r;
};

/* Switches of one level are on a circle, with their hosts outside; of several levels, in rows
 * across that direction, the lowest outside. */
static void lay_group(struct drawing *drawing, const struct group *group, int32_t number)
{
    const double turn = 8 * atan(1), r = group->r;
    const double u_x = cos(group->angle), u_y = sin(group->angle);
    const int32_t levels = drawing->levels;
    for (int32_t level = 1; level <= levels; level++) {
        const int32_t count = spots_of(drawing, level);
        struct spot *spot = &drawing->spot[drawing->first[level] + number * count];
        for (int32_t i = 0; i < count; i++, spot++) {
            const double share = (i + 0.5) / count, angle = group->angle + turn * (share + 0.5);
            const double u = levels == 1 ? 0 : (0.2 - 1.1 * (level - 1.0) / (levels - 1)) * r;
            const double v = (share - 0.5) * 1.8 * r;
            spot->out_x = levels == 1 ? cos(angle) : u_x;
            spot->out_y = levels == 1 ? sin(angle) : u_y;
            spot->x = group->x + (levels == 1 ? 0.5 * r * spot->out_x : u * u_x - v * u_y);
            spot->y = group->y + (levels == 1 ? 0.5 * r * spot->out_y : u * u_y + v * u_x);
        }
    }
}

/* Groups on an ellipse, with their numbers outside. */
static void lay_groups(struct drawing *drawing)
{
    struct platform_map *map = drawing->map;
    const double turn = 8 * atan(1), letter = drawing->letter;
    const double across = 0.5 * map->width, down = 0.85 * across;
    const int32_t groups = groups_of(drawing);
    /* A radius that lets neighbours be where they are closest, at the ends of the longer axis. */
    const double share = 2.9 / groups, room = fmax(down - 1.3 * letter, 0.2 * down);
    const double r = fmin(share * room / (1 + share), 0.3 * down), edge = r + 1.7 * letter;
    map->height = 2 * down;
    drawing->gap = 0.12 * r;
    drawing->cells_wide = (drawing->levels == 1 ? 0.44 * turn : 1.8) * r / spots_of(drawing, 1);
    drawing->cells_deep = (drawing->levels == 1 ? 0.38 : 0.6) * r;
    map->node = fmin(0.4 * drawing->cells_wide, 0.1 * r);
    for (int32_t g = 0; g < groups; g++) {
        const double angle = turn * (g - 0.25 * groups) / groups, beyond = r + 0.7 * letter;
        const struct group group = {across + (across - edge) * cos(angle),
                                    down + (down - edge) * sin(angle), angle, r};
        char name[32];
        snprintf(name, sizeof name, "%" PRId32, g);
        lay_group(drawing, &group, g);
        add_label(drawing, group.x + beyond * cos(angle) - 0.28 * letter * (double)strlen(name),
                  group.y + beyond * sin(angle) + 0.35 * letter, name);
    }
}

static void lay_ring(struct drawing *drawing)
{
    struct platform_map *map = drawing->map;
    const int32_t spots = drawing->first[drawing->levels + 1];
    const double turn = 8 * atan(1), r = 0.24 * map->width, slot = turn * r / spots;
    map->height = 2.5 * r;
    map->node = fmin(0.4 * slot, drawing->letter);
    drawing->gap = 0.5 * map->node + 0.02 * r;
    drawing->cells_wide = fmin(0.8 * slot, 0.15 * r);
    drawing->cells_deep = 0.2 * r;
    for (int32_t i = 0; i < spots; i++) {
        struct spot *spot = &drawing->spot[i];
        spot->out_x = sin(turn * i / spots);
        spot->out_y = -cos(turn * i / spots);
        spot->x = 0.5 * map->width + r * spot->out_x;
        spot->y = 1.25 * r + r * spot->out_y;
    }
}

/* So many planes next to each other that the picture is about 1.6 times as wide as high. */
static int32_t planes_across(int32_t planes, double wide, double high)
{
    int32_t best = 1;
    double least = INFINITY;
    for (int32_t across = 1; across <= planes; across++) {
        const int32_t rows = (planes + across - 1) / across;
        const double odd = fabs(log(across * wide / (rows * high) / 1.6)) +
                           2.0 * (across * rows - planes) / planes;
        if (odd < least)
            best = across;
        least = fmin(least, odd);
    }
    return best;
}

/* Planes of the first two sides. */
static void lay_grid(struct drawing *drawing)
{
    struct platform_map *map = drawing->map;
    const int32_t *side = drawing->side, plane = side[0] * side[1];
    const int32_t planes = drawing->first[drawing->levels + 1] / plane;
    const double wide = side[0] + 0.8, high = side[1] + 0.8;
    const int32_t across = planes_across(planes, wide, high), down = (planes - 1) / across + 1;
    const double unit = map->width / fmax(fmax(across * wide, 12), down * high / 0.75);
    const double left = 0.5 * (map->width - unit * across * wide);
    drawing->unit = unit;
    map->height = unit * down * high;
    map->node = (drawing->cluster->latency_per_hop ? 0.2 : 0.13) * unit;
    drawing->cells_wide = drawing->cells_deep = 0.5 * unit;
    drawing->gap = -0.5 * drawing->cells_deep;
    for (int32_t s = 0; s < plane * planes; s++) {
        struct spot *spot = &drawing->spot[s];
        const int32_t p = s / plane, i = s % plane;
        spot->x = left + unit * (p % across * wide + i % side[0] + 0.9);
        spot->y = unit * (p / across * high + i / side[0] + 0.9);
        spot->out_y = 1;
    }
}

static void lay_spots(struct drawing *drawing)
{
    if (drawing->cluster->groups > 0)
        lay_groups(drawing);
    else if (drawing->cluster->sides == 1)
        lay_ring(drawing);
    else if (drawing->cluster->sides > 1)
        lay_grid(drawing);
    else
        lay_levels(drawing);
}

/* ---- Strokes --------------------------------------------------------------------------------- */

static void draw_stub(struct platform_stroke *stroke, const struct spot *at, double x, double y)
{
    sup_append(stroke->path, sizeof stroke->path, "", "M%.4g %.4gl%.4g %.4g", at->x, at->y, x, y);
}

static void draw_line(struct platform_stroke *stroke, const struct spot *a, const struct spot *b)
{
    draw_stub(stroke, a, b->x - a->x, b->y - a->y);
}

/* Bent towards a third place. */
static void draw_arc(struct platform_stroke *stroke, const struct spot *a, const struct spot *b,
                     double x, double y)
{
    snprintf(stroke->path, sizeof stroke->path, "M%.4g %.4gQ%.4g %.4g %.4g %.4g", a->x, a->y, x, y,
             b->x, b->y);
}

/* Away from a row. */
static void draw_bow(struct platform_stroke *stroke, const struct spot *a, const struct spot *b)
{
    draw_arc(stroke, a, b, 0.5 * (a->x + b->x) + 0.25 * (b->y - a->y),
             0.5 * (a->y + b->y) - 0.25 * (b->x - a->x));
}

/* Neighbours in a plane have a line; round its border they have two stubs, and from plane to plane
 * one at the lower switch. All others have a bow. */
static void draw_in_grid(const struct drawing *drawing, struct platform_stroke *stroke, int32_t a,
                         int32_t b)
{
    const struct spot *from = &drawing->spot[a], *to = &drawing->spot[b];
    const double stub = 0.4 * drawing->unit, along[] = {1, -1, 1, -1, 0.4, -0.4};
    int32_t i = 0, stride = 1;
    while (a / stride % drawing->side[i] == b / stride % drawing->side[i])
        stride *= drawing->side[i++];
    const int32_t apart = (b - a) / stride, side = drawing->side[i];
    const bool wraps = apart == side - 1 && side > 2;
    if (i < 2 && apart == 1) {
        draw_line(stroke, from, to);
    } else if (drawing->cluster->full_rows || side == 2) {
        draw_bow(stroke, from, to);
    } else if (i < 2) {
        draw_stub(stroke, from, i == 0 ? -stub : 0, i == 0 ? 0 : -stub);
        draw_stub(stroke, to, i == 0 ? stub : 0, i == 0 ? 0 : stub);
    } else {
        draw_stub(stroke, wraps ? to : from, stub * along[(i - 2) % 6], i % 4 < 2 ? stub : -stub);
    }
}

static void draw_between(const struct drawing *drawing, struct platform_stroke *stroke, int32_t a,
                         int32_t b)
{
    const struct spot *from = &drawing->spot[a], *to = &drawing->spot[b];
    const double x = 0.5 * drawing->map->width, y = 0.5 * drawing->map->height;
    const int32_t groups = groups_of(drawing);
    int32_t level = 1;
    while (level < drawing->levels && a >= drawing->first[level + 1])
        level++;
    const bool same_level = b < drawing->first[level + 1];
    const int32_t n = spots_of(drawing, level), first = drawing->first[level];
    if (a == b) { /* within the spot */
        stroke->is_cell = true;
        stroke->width = 1.8 * drawing->map->node;
        draw_stub(stroke, &(struct spot){.x = from->x - 0.5 * stroke->width, .y = from->y},
                  stroke->width, 0);
    } else if (drawing->cluster->sides > 1) {
        draw_in_grid(drawing, stroke, a, b);
    } else if (groups > 1 && same_level && (a - first) / n != (b - first) / n) {
        draw_arc(stroke, from, to, x + 0.3 * (0.5 * (from->x + to->x) - x),
                 y + 0.3 * (0.5 * (from->y + to->y) - y));
    } else if (same_level && drawing->cluster->sides == 0 && groups == 1) {
        draw_bow(stroke, from, to);
    } else {
        draw_line(stroke, from, to);
    }
}

static void draw_cell(const struct drawing *drawing, struct platform_stroke *stroke, int32_t s,
                      int32_t cell)
{
    const struct spot *spot = &drawing->spot[s];
    const int32_t columns = spot->columns, rest = cells_of(drawing, s) - cell / columns * columns;
    const double out = drawing->gap + (cell / columns + 0.07) * spot->cell;
    const double by = (cell % columns + 0.5 - 0.5 * (rest < columns ? rest : columns)) * spot->cell;
    const struct spot at = {.x = spot->x + out * spot->out_x - by * spot->out_y,
                            .y = spot->y + out * spot->out_y + by * spot->out_x};
    stroke->is_cell = true;
    stroke->width = 0.86 * spot->cell;
    draw_stub(stroke, &at, stroke->width * spot->out_x, stroke->width * spot->out_y);
}

/* Round the only switch. */
static void draw_ray(const struct drawing *drawing, struct platform_stroke *stroke, int32_t cell)
{
    const double turn = 8 * atan(1), r = 0.2 * drawing->map->width;
    const double angle = turn * cell / cells_of(drawing, 0), x = r * sin(angle),
                 y = -r * cos(angle);
    const struct spot *at = &drawing->spot[0], start = {.x = at->x + 0.2 * x, .y = at->y + 0.2 * y};
    draw_stub(stroke, &start, x, y);
}

/* In so many columns that cells are largest. */
static void size_cells(const struct drawing *drawing, struct spot *spot, int32_t cells)
{
    spot->columns = 1;
    for (int32_t columns = 1; columns <= cells; columns++) {
        const double rows = (cells - 1) / columns + 1;
        const double size = fmin(drawing->cells_wide / columns, drawing->cells_deep / rows);
        if (size > spot->cell) {
            spot->cell = size;
            spot->columns = columns;
        }
    }
}

static void draw_strokes(struct drawing *drawing)
{
    struct platform_map *map = drawing->map;
    double least = INFINITY;
    struct platform_stroke *stroke = NULL;
    map->stroke = sup_calloc((size_t)map->strokes + 1, sizeof *map->stroke);
    map->link = sup_calloc(drawing->wires + 1, sizeof *map->link);
    for (size_t i = 0; i < drawing->wires; i++) {
        struct wire *wire = &drawing->wire[i];
        const int32_t a = (int32_t)((wire->key & ~CELLS) >> 32), b = (int32_t)(uint32_t)wire->key;
        if (i == 0 || wire->key != wire[-1].key) {
            stroke = stroke == NULL ? map->stroke : stroke + 1;
            if (wire->host < 0)
                draw_between(drawing, stroke, a, b);
            else if (drawing->is_star)
                draw_ray(drawing, stroke, b);
            else
                draw_cell(drawing, stroke, a, b);
        }
        stroke->links++;
        stroke->bandwidth += wire->bandwidth;
        map->link[map->links++] =
            (struct platform_map_link){wire->name, (int32_t)(stroke - map->stroke)};
        wire->name = NULL;
    }
    for (int32_t i = 0; i < map->strokes; i++)
        if (!map->stroke[i].is_cell)
            least = fmin(least, map->stroke[i].bandwidth);
    for (int32_t i = 0; i < map->strokes; i++)
        if (!map->stroke[i].is_cell)
            map->stroke[i].width = fmin(1 + 0.5 * log2(map->stroke[i].bandwidth / least), 4);
}

static void draw_nodes(struct drawing *drawing)
{
    size_t size;
    FILE *memory = sup_memory_open(&drawing->map->nodes, &size);
    for (int32_t s = 0; s < drawing->first[drawing->levels + 1]; s++)
        fprintf(memory, "M%.4g %.4gh%.3g", drawing->spot[s].x - 0.5 * drawing->map->node,
                drawing->spot[s].y, drawing->map->node);
    sup_memory_close(memory, &drawing->map->nodes);
}

/* ---- The map --------------------------------------------------------------------------------- */

SUP_COMPARE(by_name, struct platform_map_link, strcmp(a->name, b->name));

static void draw(struct drawing *drawing)
{
    struct platform_map *map = drawing->map;
    find_levels(drawing);
    drawing->is_star = drawing->count[1] == 1 && drawing->levels == 1;
    bundle(drawing);
    if (drawing->is_star) {
        map->height = 0.5 * map->width;
        map->node = 0.05 * map->width;
        drawing->spot[0].x = 0.5 * map->width;
        drawing->spot[0].y = 0.5 * map->height;
    } else {
        lay_spots(drawing);
    }
    for (int32_t s = 0; s < drawing->first[drawing->levels + 1]; s++)
        size_cells(drawing, &drawing->spot[s], cells_of(drawing, s));
    draw_strokes(drawing);
    draw_nodes(drawing);
    map->line = fmax(map->width / map->strokes, 0.0007 * map->width);
    map->line = fmin(fmax(map->line, 0.06 * drawing->unit), 0.2 * drawing->letter);
    if (map->links > 0)
        qsort(map->link, (size_t)map->links, sizeof *map->link, by_name);
}

int platform_map_create(const char *text, double width, double letter, struct platform_map **map,
                        struct sup_error *error)
{
    struct platform_cluster cluster;
    struct drawing drawing = {.cluster = &cluster, .letter = letter, .merged = 1};
    *map = NULL;
    if (!platform_is_generated(text))
        return sup_fail(error, RB_EINVAL,
                        "%s: how the links of a file join its nodes isn't known: use a generator "
                        "or a machine (roundabout list)",
                        text);
    int status = platform_make_cluster(text, &cluster, error);
    if (status == RB_OK && cluster.maker == &platform_edges)
        return sup_fail(error, RB_EINVAL,
                        "%s: a list of cables doesn't say where its switches are: a map is of a "
                        "generator or a machine (roundabout list)",
                        text);
    if (status == RB_OK)
        status = collect(&drawing, text, error);
    if (status != RB_OK) {
        for (size_t i = 0; i < drawing.wires; i++)
            free(drawing.wire[i].name);
        free(drawing.wire);
        return status;
    }
    for (int32_t i = 0; i < PLATFORM_MOST_DIMENSIONS; i++)
        drawing.step[i] = 1;
    *map = drawing.map = sup_calloc(1, sizeof **map);
    drawing.map->width = width;
    draw(&drawing);
    free(drawing.wire); /* the names are the map's */
    free(drawing.level);
    free(drawing.index);
    free(drawing.place);
    free(drawing.spot);
    return RB_OK;
}

void platform_map_destroy(struct platform_map *map)
{
    if (map == NULL)
        return;
    for (int32_t i = 0; i < map->links; i++)
        free(map->link[i].name);
    free(map->link);
    free(map->stroke);
    free(map->label);
    free(map->nodes);
    free(map);
}

const struct platform_map_link *platform_map_find(const struct platform_map *map, const char *name)
{
    const struct platform_map_link wanted = {.name = (char *)(uintptr_t)name};
    return map->links == 0
               ? NULL
               : bsearch(&wanted, map->link, (size_t)map->links, sizeof wanted, by_name);
}
