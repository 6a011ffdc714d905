/* fat_tree.c - fat-trees with two levels of switches or more (extended generalised fat-trees).
 *
 * down[i] is how many children a switch of level i + 1 has, up[i] how many parents a node of level
 * i has. A host has one link; a leaf switch has down[0] / taper uplinks or `up`; further up no
 * switch is tapered: up[i] = down[i - 1]. Worked example, fat-tree:15: down 5x3, up 1x5: 3 leaf
 * switches with 5 hosts each, and 5 top switches with a link to every leaf switch.
 *
 * A switch takes the uplink whose number is k modulo its uplinks; the rule says what k is. d-mod-k,
 * SimGrid's rule: the destination's number, so that hosts of one leaf switch are reached through
 * different top switches. s-mod-k: the source's number (Zahavi, Johnson, Kerbyson, Lang, Optimized
 * InfiniBand fat-tree routing for shift all-to-all communication patterns, 2010, compares both).
 * ecmp: a hash of source and destination, as Ethernet switches do. */
#include <inttypes.h>
#include <stdio.h>

#include "platforms/generator.h"
#include "roundabout.h"

enum { MOST_LEVELS = 4 };
/* In a shape: the levels, then down[i], then up[i], then how many nodes there are of level i. */
enum { DOWN = 1, UP = DOWN + MOST_LEVELS, NODES = UP + MOST_LEVELS };

enum { D_MOD_K, S_MOD_K, ECMP };
static const struct platform_rule rules[] = {[D_MOD_K] = {.name = "d-mod-k"},
                                             [S_MOD_K] = {.name = "s-mod-k"},
                                             [ECMP] = {.name = "ecmp", .seeded = true},
                                             {.name = NULL}};

static const struct platform_option options[] = {
    {"levels", NULL,
     "levels of switches, 1 to 4; derived: the smallest number from 2 that radix allows"},
    {"down", NULL, "children of a switch, from the leaves up: 32x32; derived: as even as possible"},
    {"taper", "1", "hosts per uplink of a leaf switch: 1 is full bisection, 2 is half"},
    {"up", NULL, "uplinks of a leaf switch; derived: its hosts divided by taper"},
    {"radix", "64", "largest number of ports of a switch"},
    {"routing", "d-mod-k",
     "what chooses the uplink: d-mod-k (the destination), s-mod-k (the source), ecmp:SEED (a hash "
     "of both)"},
    PLATFORM_PORTS_OPTION,
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

struct tree {
    int32_t levels; /* 0: derived */
    int32_t taper;
    int32_t up; /* 0: derived */
    int32_t radix;
    int32_t down[PLATFORM_MOST_DIMENSIONS];
};

static int32_t uplinks(const struct tree *tree, int32_t level)
{
    if (level + 1 == tree->levels)
        return 0;
    if (level == 0 && tree->up > 0)
        return tree->up;
    return level == 0 ? tree->down[0] / tree->taper : tree->down[level];
}

static bool switch_fits(const struct tree *tree, int32_t level)
{
    bool whole = level > 0 || tree->levels == 1 || tree->down[0] % tree->taper == 0;
    return whole && tree->down[level] >= 2 &&
           (int64_t)tree->down[level] + uplinks(tree, level) <= tree->radix;
}

static int32_t spread(const struct tree *tree)
{
    int32_t least = INT32_MAX, most = 0;
    for (int32_t i = 0; i < tree->levels; i++) {
        least = tree->down[i] < least ? tree->down[i] : least;
        most = tree->down[i] > most ? tree->down[i] : most;
    }
    return most - least;
}

/* Tries all splits of the hosts over the levels from `level` up. Keeps the most even split, and
 * among equally even ones the one with the fullest leaf switches. */
static void split(int32_t hosts, int32_t level, struct tree *tree, struct tree *best)
{
    if (level + 1 == tree->levels) {
        tree->down[level] = hosts;
        if (switch_fits(tree, level) && (best->levels == 0 || spread(tree) < spread(best)))
            *best = *tree;
        return;
    }
    for (int32_t down = hosts / 2 < tree->radix ? hosts / 2 : tree->radix; down >= 2; down--) {
        tree->down[level] = down;
        if (hosts % down == 0 && switch_fits(tree, level))
            split(hosts / down, level + 1, tree, best);
    }
}

static bool find(int32_t hosts, const struct tree *asked, struct tree *found)
{
    int32_t first = asked->levels > 0 ? asked->levels : 2;
    int32_t last = asked->levels > 0 ? asked->levels : MOST_LEVELS;
    *found = (struct tree){0};
    if (last > 1 && hosts % asked->taper != 0) /* otherwise all sizes would be tried without
                                                * success */
        return false;
    for (int32_t levels = first; levels <= last && found->levels == 0; levels++) {
        struct tree tree = *asked;
        tree.levels = levels;
        split(hosts, 0, &tree, found);
    }
    return found->levels != 0;
}

static bool fits(int32_t hosts, const void *data)
{
    struct tree found;
    return find(hosts, data, &found);
}

/* The tree that `down` describes, if it makes sense. */
static int take_down(const struct platform_request *request, const char *text, int32_t hosts,
                     struct tree *tree, struct sup_error *error)
{
    int32_t count;
    int status = platform_parse_dimensions("fat-tree: down", text, 2, tree->down, &count, error);
    if (status != RB_OK)
        return status;
    if (count > MOST_LEVELS || (tree->levels > 0 && tree->levels != count))
        return sup_fail(error, RB_EINVAL,
                        "fat-tree: down: '%s' has %" PRId32 " levels, not %s%" PRId32, text, count,
                        tree->levels > 0 ? "levels=" : "at most ",
                        tree->levels > 0 ? tree->levels : MOST_LEVELS);
    tree->levels = count;
    if (platform_product(tree->down, count) != hosts)
        return sup_fail(error, RB_EINVAL, "fat-tree: down: %s makes %" PRId64 " hosts, not %s",
                        text, platform_product(tree->down, count), request->size);
    if (count > 1 && tree->down[0] % tree->taper != 0)
        return sup_fail(error, RB_EINVAL,
                        "fat-tree: taper: %" PRId32 " does not divide the %" PRId32
                        " hosts of a leaf switch",
                        tree->taper, tree->down[0]);
    for (int32_t i = 0; i < count; i++)
        if (!switch_fits(tree, i))
            return sup_fail(error, RB_EINVAL,
                            "fat-tree: down: a switch of level %" PRId32 " has %" PRId32
                            " ports down and %" PRId32 " up, more than radix=%" PRId32,
                            i + 1, tree->down[i], uplinks(tree, i), tree->radix);
    return RB_OK;
}

static void describe(const struct tree *tree, struct platform_cluster *cluster)
{
    int32_t up[MOST_LEVELS] = {1}, parallel[MOST_LEVELS] = {1, 1, 1, 1};
    char downs[48], ups[48], parallels[48];
    for (int32_t i = 1; i < tree->levels; i++)
        up[i] = uplinks(tree, i - 1);
    platform_format_dimensions(tree->down, tree->levels, ',', downs, sizeof downs);
    platform_format_dimensions(up, tree->levels, ',', ups, sizeof ups);
    platform_format_dimensions(parallel, tree->levels, ',', parallels, sizeof parallels);
    cluster->share = "leaf";
    cluster->sharers = tree->down[0];
    snprintf(cluster->parameters, sizeof cluster->parameters, "%" PRId32 ";%s;%s;%s", tree->levels,
             downs, ups, parallels);
    if (tree->levels == 1)
        snprintf(cluster->note, sizeof cluster->note, "%" PRId32 " hosts on one switch",
                 cluster->hosts);
    else
        snprintf(cluster->note, sizeof cluster->note,
                 "%" PRId32 " hosts, %" PRId32 " levels of switches; a leaf switch has %" PRId32
                 " hosts and %" PRId32 " uplinks",
                 cluster->hosts, tree->levels, tree->down[0], up[1]);
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    struct tree asked = {0}, tree;
    const struct platform_number numbers[] = {{"levels", 1, &asked.levels},
                                              {"taper", 1, &asked.taper},
                                              {"up", 1, &asked.up},
                                              {"radix", 2, &asked.radix},
                                              {0}};
    int status = platform_request_hosts(request, 1, &cluster->hosts, error);
    if (status == RB_OK)
        status = platform_request_ints(request, numbers, error);
    if (status == RB_OK)
        status = platform_request_routing(request, rules, &cluster->routing, error);
    if (status == RB_OK)
        status = platform_request_ports(request, &cluster->ports, error);
    if (status != RB_OK)
        return status;
    if (asked.levels > MOST_LEVELS)
        return sup_fail(error, RB_EINVAL, "fat-tree: levels: %" PRId32 " is more than %d",
                        asked.levels, MOST_LEVELS);
    const char *down = platform_request_detail(request, "down");
    if (down != NULL) {
        tree = asked;
        status = take_down(request, down, cluster->hosts, &tree, error);
    } else if (!find(cluster->hosts, &asked, &tree)) {
        status = platform_refuse_size(request, cluster->hosts, fits, &asked, error);
    }
    if (status != RB_OK)
        return status;
    if (tree.levels == 1 && (tree.taper != 1 || tree.up > 0))
        return sup_fail(error, RB_EINVAL, "fat-tree: %s: one level of switches has no uplinks",
                        tree.up > 0 ? "up" : "taper");
    if (tree.taper != 1 && tree.up > 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: up and taper both say how many uplinks there are: give one",
                        request->face->name);
    const bool is_simgrids = cluster->routing.rule == D_MOD_K && cluster->ports == 0;
    cluster->topology = is_simgrids ? "FAT_TREE" : NULL;
    cluster->inner_links = tree.levels > 1;
    describe(&tree, cluster);
    cluster->shape[0] = tree.levels;
    int64_t nodes = cluster->hosts;
    for (int32_t i = 0; i < tree.levels; i++) {
        cluster->shape[DOWN + i] = tree.down[i];
        cluster->shape[UP + i] = i == 0 ? 1 : uplinks(&tree, i - 1);
        /* Too many for a number are too many links, too. */
        cluster->shape[NODES + i] = (int32_t)(nodes < INT32_MAX ? nodes : INT32_MAX);
        nodes = nodes / tree.down[i] * cluster->shape[UP + i];
    }
    return RB_OK;
}

/* ---- Routes ----------------------------------------------------------------------------------
 *
 * A node of level i (hosts are level 0) is told by its subtree, host / (down[0] .. down[i - 1]),
 * and by its plane, a number below up[0] .. up[i - 1] = planes, whose digits are the parents that a
 * way up to it takes. Its position in the level is plane + planes * subtree; the links to its
 * parents follow those of the positions before, up and down in turn. */

/* The number of which the uplinks are digits. */
static uint64_t find_k(const struct platform_routing *routing, int32_t from, int32_t to)
{
    if (routing->rule == ECMP)
        return platform_hash_numbers(routing->seed, (uint64_t)from, (uint64_t)to);
    return (uint64_t)(routing->rule == S_MOD_K ? from : to);
}

/* k's last digit to the base, and those before. One division, of 32 bits where that will do: the
 * divisions are most of what a route costs, so there is none that can be spared. */
struct split {
    uint64_t rest;
    int32_t digit;
};
static struct split split_off(uint64_t k, int32_t base)
{
    if (base == 1)
        return (struct split){k, 0};
    if (k >> 32 == 0)
        return (struct split){(uint32_t)k / (uint32_t)base,
                              (int32_t)((uint32_t)k % (uint32_t)base)};
    return (struct split){k / (uint64_t)base, (int32_t)(k % (uint64_t)base)};
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t *down = network->shape + DOWN, *up = network->shape + UP;
    int32_t first[MOST_LEVELS], planes[MOST_LEVELS + 1] = {1}, target[MOST_LEVELS + 1] = {to};
    int32_t parent[MOST_LEVELS], plane[MOST_LEVELS + 1] = {0};
    uint64_t k = find_k(&network->routing, from, to);
    int32_t level = 0, count = 0;
    (void)key; /* all messages of a pair take the same way */
    for (int32_t base = network->hosts; from != target[level]; level++) {
        const struct split digit = split_off(k, up[level]);
        k = digit.rest;
        parent[level] = digit.digit;
        first[level] = base;
        link[count++] =
            base + 2 * ((plane[level] + planes[level] * from) * up[level] + parent[level]);
        base += 2 * network->shape[NODES + level] * up[level];
        plane[level + 1] = plane[level] + parent[level] * planes[level];
        planes[level + 1] = planes[level] * up[level];
        target[level + 1] = target[level] / down[level];
        from /= down[level];
    }
    while (level-- > 0)
        link[count++] =
            first[level] +
            2 * ((plane[level] + planes[level] * target[level]) * up[level] + parent[level]) + 1;
    return count;
}

/* Switches level by level; below the leaf switches, hosts. */
static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t *down = network->shape + DOWN, *up = network->shape + UP, hosts = network->hosts;
    const int32_t number = (link - hosts) / 2;
    int32_t first = 0, nodes = hosts, planes = 1, level = 0, below = 0;
    while (number - first >= nodes * up[level]) {
        first += nodes * up[level];
        below += level > 0 ? nodes : 0; /* switches of lower levels */
        planes *= up[level];
        nodes = nodes / down[level] * up[level];
        level++;
    }
    const int32_t node = (number - first) / up[level], parent = (number - first) % up[level];
    const int32_t subtree = node / planes / down[level], plane = node % planes + planes * parent;
    ends[0] = below + node;
    ends[1] = (level > 0 ? below + nodes : 0) + plane + planes * up[level] * subtree;
}

/* SimGrid numbers switches downwards from 2 hosts - 1. */
static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const int32_t hosts = network->hosts, number = (link - hosts) / 2, top = 2 * hosts - 1;
    int32_t ends[2];
    find_ends(network, link, ends);
    snprintf(name, size, "link_from_%d_%d_%d_%s", number < hosts ? ends[0] : top - ends[0],
             top - ends[1], number, link % 2 == hosts % 2 ? "UP" : "DOWN");
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    static const char *const lower[] = {"host", "leaf", "spine"};
    const int32_t *down = network->shape + DOWN, *up = network->shape + UP;
    const bool goes_up = (link - network->hosts) % 2 == 0;
    int32_t number = (link - network->hosts) / 2, nodes = network->hosts, level = 0;
    while (number >= nodes * up[level]) {
        number -= nodes * up[level];
        nodes = nodes / down[level] * up[level];
        level++;
    }
    place->level += goes_up ? level : 2 * network->shape[0] - level;
    if (level < 3)
        snprintf(place->name, sizeof place->name, "%s %s", lower[level], goes_up ? "up" : "down");
    else
        snprintf(place->name, sizeof place->name, "level %d %s", level, goes_up ? "up" : "down");
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t levels = cluster->shape[0];
    int64_t links = cluster->hosts;
    for (int32_t i = 0; i < levels; i++)
        links += (int64_t)2 * cluster->shape[NODES + i] * cluster->shape[UP + i];
    return platform_network_alloc(cluster, links, 2 * levels, made);
}

/* A subtree of level i has one switch of level i per plane, each with up[i] uplinks. */
static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    const int32_t *down = cluster->shape + DOWN, *up = cluster->shape + UP;
    int64_t hosts = 1, uplinks = 1;
    for (int32_t i = 1; i < cluster->shape[0]; i++) {
        hosts *= down[i - 1];
        uplinks *= up[i];
        platform_cuts_add(cuts, i == 1 ? "leaf" : NULL, hosts,
                          cluster->bandwidth * (double)uplinks);
    }
}

const struct platform_maker platform_fat_tree = {
    .face = {.name = "fat-tree",
             .title = "levels of switches with full bisection, or tapered at the leaves",
             .sizes = "fat-tree:N, N a product of two or more factors that the radix allows",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = cut,
};
