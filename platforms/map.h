/* map.h - how the network of a generated platform is drawn: strokes, each for one link or a bundle.
 *
 * Indirect networks are drawn by levels, their hosts as cells below the switches; those with groups
 * have these on an ellipse; grids are planes of rows and columns, or a ring; hosts at one switch
 * are a star. A generator need not say more than its sides or groups (generator.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

/* Both directions of a cable have one stroke; so have the cables between the same two nodes, or
 * between the same two rows of nodes that are drawn as one. A cell, the stroke of hosts' own links,
 * is as long as it is wide. */
struct platform_stroke {
    char path[96];    /* as in SVG */
    double width;     /* relative to a line of least capacity: 1; of a cell, in the map's unit */
    double bandwidth; /* bytes per second, of all links */
    int32_t links;
    bool is_cell;
};

struct platform_map_link {
    char *name;     /* owned */
    int32_t stroke; /* which stands for it */
};

struct platform_map_label {
    double x, y;
    char text[32];
};

struct platform_map {
    double width, height; /* in the unit of the letters */
    double line;          /* width of a line of least capacity */
    double node;          /* size of a switch */
    char *nodes;          /* all switches, as one path; owned */
    int32_t switches;     /* that a switch of the picture stands for, at most */
    int32_t strokes;
    struct platform_stroke *stroke; /* owned */
    int32_t links;                  /* all that messages can share */
    struct platform_map_link *link; /* by name; owned */
    int32_t labels;
    struct platform_map_label *label; /* owned */
};

/* The map of a generator's or a machine's text, so wide, with letters of this size. Nodes become
 * one where there are too many lines for the width. O(links log links). RB_EINVAL for a file, of
 * which it is not known how links join nodes, or as platform_make_xml. */
int platform_map_create(const char *text, double width, double letter, struct platform_map **map,
                        struct sup_error *error);
void platform_map_destroy(struct platform_map *map); /* NULL is fine */
/* The link with this name, or NULL. O(log links). */
const struct platform_map_link *platform_map_find(const struct platform_map *map, const char *name);
