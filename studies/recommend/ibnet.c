/* ibnet.c - nodes, their adapters and links from ibnetdiscover (recommend.h).
 *
 *   Switch 36 "S-0002..." # "..."
 *   [1] "H-0002..."[1](2c9..) # "node01 mlx5_0" lid 5 4xHDR
 *   sysimgguid=0x2c9..
 *   Ca 1 "H-0002..." # "node01 mlx5_0"
 *
 * A node's name stands before the adapter's in its description. An adapter whose description is the
 * maker's belongs to the node that has the other one of its board, or one whose GUID is next to its
 * own and fewer adapters than nodes usually have. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/units.h"

enum { NEAR = 16 }; /* between the GUIDs of adapters of a node */

/* Gbit/s of data of one lane. */
static const struct {
    const char *name;
    double gbps;
} lanes[] = {{"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", 13.64},
             {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};

bool recommend_topology_is_ibnet(const char *line)
{
    return strstr(line, "# Topology file:") != NULL || strncmp(line, "vendid=", 7) == 0;
}

/* "4xHDR", the last word of a link's line. */
static double speed_of(const char *line)
{
    const char *word = strrchr(line, ' ');
    char name[8];
    int width;
    if (word != NULL && sscanf(word, " %2dx%7s", &width, name) == 2)
        for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
            if (strcmp(lanes[i].name, name) == 0 && width >= 1 && width <= 12)
                return width * lanes[i].gbps;
    return 0;
}

/* "H-0002c9..." into 0002c9...; false: there is none. */
static bool read_guid(const char *line, char guid[RECOMMEND_NAME])
{
    const char *at = strstr(line, "\"H-");
    if (at != NULL)
        snprintf(guid, RECOMMEND_NAME, "%.*s", (int)strcspn(at + 3, "\""), at + 3);
    return at != NULL && guid[0] != '\0';
}

static bool is_adapter(const char *word)
{
    static const char *const names[] = {"HCA-", "mlx", "hfi", "qib", "bnxt", "cxi", "ib", "mthca"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The node's name in a description, "node01 mlx5_0"; "": the maker wrote it. */
static void read_node(const char *line, char node[RECOMMEND_NAME])
{
    char text[2 * RECOMMEND_NAME], word[2][RECOMMEND_NAME];
    const char *at = strstr(line, "# \"");
    node[0] = '\0';
    if (at == NULL)
        return;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at + 3, "\""), at + 3);
    const int words = sscanf(text, "%79s %79s", word[0], word[1]);
    if (words < 1 || strncmp(word[0], "localhost", 9) == 0 ||
        (words == 2 && !is_adapter(word[1])) || (words == 1 && is_adapter(word[0])))
        return;
    snprintf(node, RECOMMEND_NAME, "%s", word[0]);
}

SUP_COMPARE(compare_guids, struct recommend_adapter, SUP_ORDER(a->number, b->number),
            strcmp(a->guid, b->guid));

/* Among the first adapters, which are sorted. */
static struct recommend_adapter *find_adapter(const struct recommend_topology *topology,
                                              size_t sorted, const char *guid)
{
    struct recommend_adapter wanted = {.number = strtoull(guid, NULL, 16)};
    memcpy(wanted.guid, guid, sizeof wanted.guid);
    return sorted == 0 ? NULL
                       : bsearch(&wanted, topology->adapter, sorted, sizeof wanted, compare_guids);
}

static void add_adapter(struct recommend_topology *topology, const char *line, uint64_t board)
{
    struct recommend_adapter adapter = {.board = board};
    if (!read_guid(line, adapter.guid))
        return;
    adapter.number = strtoull(adapter.guid, NULL, 16);
    read_node(line, adapter.node);
    sup_grow(&topology->adapter, topology->adapters, sizeof *topology->adapter);
    topology->adapter[topology->adapters++] = adapter;
}

static bool is_aggregating(const char *line)
{
    return strstr(line, "Aggregation Node") != NULL;
}

void recommend_topology_read_ibnet(struct recommend_topology *topology, const char *line)
{
    static const char board[] = "sysimgguid=";
    const bool end = strncmp(line, "Ca", 2) == 0 || strncmp(line, "Rt", 2) == 0;
    if (strncmp(line, board, sizeof board - 1) == 0) {
        topology->board = strtoull(line + sizeof board - 1, NULL, 16);
    } else if (end || strncmp(line, "Switch", 6) == 0) {
        topology->at_switch = end ? 0 : ++topology->switches;
        topology->aggregating += end && is_aggregating(line);
        if (line[0] == 'C' && !is_aggregating(line))
            add_adapter(topology, line, topology->board);
        topology->board = 0;
    } else if (line[0] == '[' && topology->at_switch > 0 && !is_aggregating(line)) {
        struct recommend_link link = {.from = topology->at_switch};
        const double gbps = speed_of(line);
        if (!read_guid(line, link.guid))
            return;
        read_node(line, link.node);
        sup_grow(&topology->link, topology->links, sizeof *topology->link);
        topology->link[topology->links++] = link;
        topology->gbps = gbps > topology->gbps ? gbps : topology->gbps;
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A node that adapters name, and how many it has. */
struct node {
    char name[RECOMMEND_NAME];
    int32_t adapters;
};

SUP_COMPARE(compare_nodes, struct node, strcmp(a->name, b->name));

/* The nodes that have names, sorted; returns how many there are. The caller frees them. */
static size_t list_nodes(const struct recommend_topology *topology, struct node **nodes)
{
    struct node *node = sup_calloc(topology->adapters + 1, sizeof *node);
    size_t named = 0, count = 0;
    for (size_t i = 0; i < topology->adapters; i++)
        if (topology->adapter[i].node[0] != '\0')
            memcpy(node[named++].name, topology->adapter[i].node, sizeof node->name);
    qsort(node, named, sizeof *node, compare_nodes);
    for (size_t i = 0; i < named; i++) {
        if (count == 0 || compare_nodes(&node[count - 1], &node[i]) != 0) {
            memmove(&node[count], &node[i], sizeof *node);
            node[count++].adapters = 0;
        }
        node[count - 1].adapters++;
    }
    *nodes = node;
    return count;
}

/* How many adapters most of the nodes have; of equally many the more. */
static int32_t usual_adapters(const struct node node[], size_t count)
{
    enum { MOST = 64 };
    int64_t nodes[MOST + 1] = {0};
    int32_t usual = 1;
    for (size_t i = 0; i < count; i++)
        if (node[i].adapters <= MOST)
            nodes[node[i].adapters]++;
    for (int32_t i = 1; i <= MOST; i++)
        usual = nodes[i] > 0 && nodes[i] >= nodes[usual] ? i : usual;
    return usual;
}

static uint64_t distance(const struct recommend_adapter *a, const struct recommend_adapter *b)
{
    return a->number > b->number ? a->number - b->number : b->number - a->number;
}

/* The node of an adapter that does not name it: that of one of its board, else of the nearest whose
 * node has fewer adapters than usual. NULL: none is likely. */
static struct node *find_owner(const struct recommend_topology *topology, size_t at,
                               struct node node[], size_t nodes, int32_t usual)
{
    const struct recommend_adapter *adapter = &topology->adapter[at];
    const size_t first = at > NEAR ? at - NEAR : 0;
    struct node *nearest = NULL;
    uint64_t least = NEAR + 1;
    for (size_t i = first; i < topology->adapters && i <= at + NEAR; i++) {
        const struct recommend_adapter *other = &topology->adapter[i];
        struct node wanted;
        if (!other->named)
            continue;
        memcpy(wanted.name, other->node, sizeof wanted.name);
        struct node *owner = bsearch(&wanted, node, nodes, sizeof *node, compare_nodes);
        if (adapter->board != 0 && other->board == adapter->board)
            return owner;
        if (distance(adapter, other) < least && owner->adapters < usual) {
            nearest = owner;
            least = distance(adapter, other);
        }
    }
    return nearest;
}

static void name_nodes(struct recommend_topology *topology)
{
    struct node *node;
    const size_t nodes = list_nodes(topology, &node);
    const int32_t usual = usual_adapters(node, nodes);
    const char *example = NULL;
    int64_t taken = 0, alone = 0;
    for (size_t i = 0; i < topology->adapters; i++)
        topology->adapter[i].named = topology->adapter[i].node[0] != '\0';
    for (size_t i = 0; i < topology->adapters; i++) {
        struct recommend_adapter *adapter = &topology->adapter[i];
        if (adapter->named)
            continue;
        struct node *owner = find_owner(topology, i, node, nodes, usual);
        if (owner == NULL) {
            snprintf(adapter->node, sizeof adapter->node, "H-%.70s", adapter->guid);
            alone++;
        } else {
            memcpy(adapter->node, owner->name, sizeof adapter->node);
            owner->adapters++;
            example = adapter->node;
            taken++;
        }
    }
    topology->rails = usual;
    free(node);
    if (taken > 0)
        recommend_topology_note(
            topology,
            "%" PRId64
            " adapter%s without a node's name %s taken for one of a node whose GUID is next "
            "to its own, such as %s",
            taken, sup_plural(taken), taken == 1 ? "is" : "are", example);
    if (alone > 0)
        recommend_topology_note(
            topology, "%" PRId64 " adapter%s without a node's name count%s as a node each", alone,
            sup_plural(alone), alone == 1 ? "s" : "");
}

SUP_COMPARE(compare_links, struct recommend_link, SUP_ORDER(a->from, b->from),
            strcmp(a->node, b->node));

/* The switch with the most nodes, of each of which one adapter counts. */
static void find_leaf(struct recommend_topology *topology)
{
    int32_t nodes = 0;
    for (size_t i = 0; i < topology->links; i++) {
        const struct recommend_adapter *adapter =
            find_adapter(topology, topology->adapters, topology->link[i].guid);
        if (adapter != NULL)
            memcpy(topology->link[i].node, adapter->node, sizeof adapter->node);
    }
    if (topology->links > 0)
        qsort(topology->link, topology->links, sizeof *topology->link, compare_links);
    for (size_t i = 0; i < topology->links; i++) {
        const struct recommend_link *link = &topology->link[i];
        nodes = i > 0 && link[-1].from == link->from ? nodes : 0;
        nodes += nodes == 0 || strcmp(link[-1].node, link->node) != 0;
        topology->leaf = nodes > topology->leaf ? nodes : topology->leaf;
    }
}

static void sort_adapters(struct recommend_topology *topology)
{
    if (topology->adapters > 1)
        qsort(topology->adapter, topology->adapters, sizeof *topology->adapter, compare_guids);
}

/* A part of a file may have the switches alone. */
static void add_adapters_of_links(struct recommend_topology *topology)
{
    const size_t sorted = topology->adapters;
    size_t count = 0;
    for (size_t i = 0; i < topology->links; i++)
        if (find_adapter(topology, sorted, topology->link[i].guid) == NULL) {
            struct recommend_adapter adapter = {.number =
                                                    strtoull(topology->link[i].guid, NULL, 16)};
            memcpy(adapter.guid, topology->link[i].guid, sizeof adapter.guid);
            memcpy(adapter.node, topology->link[i].node, sizeof adapter.node);
            sup_grow(&topology->adapter, topology->adapters, sizeof *topology->adapter);
            topology->adapter[topology->adapters++] = adapter;
        }
    sort_adapters(topology);
    for (size_t i = 0; i < topology->adapters; i++) /* an adapter has several links */
        if (count == 0 || compare_guids(&topology->adapter[count - 1], &topology->adapter[i]) != 0)
            memmove(&topology->adapter[count++], &topology->adapter[i], sizeof *topology->adapter);
    topology->adapters = count;
}

void recommend_topology_end_ibnet(struct recommend_topology *topology)
{
    sort_adapters(topology);
    add_adapters_of_links(topology);
    name_nodes(topology);
    find_leaf(topology);
    for (size_t i = 0; i < topology->adapters; i++)
        recommend_topology_add_name(topology, topology->adapter[i].node,
                                    strlen(topology->adapter[i].node));
    if (topology->aggregating > 0)
        recommend_topology_note(topology, "%" PRId64 " aggregation node%s of switches %s left out",
                                topology->aggregating, sup_plural(topology->aggregating),
                                topology->aggregating == 1 ? "is" : "are");
}
