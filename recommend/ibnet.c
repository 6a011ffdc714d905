/* ibnet.c - nodes, their adapters and links from ibnetdiscover (topology.h).
 *
 *   Switch 36 "S-0002..." # "..."
 *   [1] "H-0002..."[1](2c9..) # "node01 mlx5_0" lid 5 4xHDR
 *   sysimgguid=0x2c9..
 *   Ca 1 "H-0002..." # "node01 mlx5_0"
 *
 * A node's name stands before the adapter's in its description. An adapter whose description is the
 * maker's belongs to the node that has the other one of its board, or one whose GUID is next to its
 * own and fewer adapters than nodes usually have. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recommend/topology.h"
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

static struct recommend_adapter *find_adapter(struct recommend_topology *topology, const char *guid)
{
    for (size_t i = 0; i < topology->adapters; i++)
        if (strcmp(topology->adapter[i].guid, guid) == 0)
            return &topology->adapter[i];
    return NULL;
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

static int32_t adapters_of(const struct recommend_topology *topology, const char *node)
{
    int32_t count = 0;
    for (size_t i = 0; i < topology->adapters; i++)
        count += strcmp(topology->adapter[i].node, node) == 0;
    return count;
}

static int compare_nodes(const void *a, const void *b)
{
    return strcmp(((const struct recommend_adapter *)a)->node,
                  ((const struct recommend_adapter *)b)->node);
}

/* How many adapters most of the nodes with names have; of equally many the more. */
static int32_t usual_adapters(const struct recommend_topology *topology)
{
    enum { MOST = 64 };
    int64_t nodes[MOST + 1] = {0};
    int32_t usual = 1;
    struct recommend_adapter *sorted = sup_calloc(topology->adapters + 1, sizeof *sorted);
    if (topology->adapters > 0)
        memcpy(sorted, topology->adapter, topology->adapters * sizeof *sorted);
    qsort(sorted, topology->adapters, sizeof *sorted, compare_nodes);
    for (size_t i = 0, end; i < topology->adapters; i = end) {
        for (end = i; end < topology->adapters && compare_nodes(&sorted[i], &sorted[end]) == 0;)
            end++;
        if (sorted[i].node[0] != '\0' && end - i <= MOST)
            nodes[end - i]++;
    }
    for (int32_t i = 1; i <= MOST; i++)
        usual = nodes[i] > 0 && nodes[i] >= nodes[usual] ? i : usual;
    free(sorted);
    return usual;
}

static uint64_t distance(const struct recommend_adapter *a, const struct recommend_adapter *b)
{
    return a->number > b->number ? a->number - b->number : b->number - a->number;
}

/* The node of an adapter that does not name it; NULL: none is likely. */
static const struct recommend_adapter *find_owner(const struct recommend_topology *topology,
                                                  const struct recommend_adapter *adapter,
                                                  int32_t usual)
{
    const struct recommend_adapter *nearest = NULL;
    for (size_t i = 0; i < topology->adapters; i++) {
        const struct recommend_adapter *other = &topology->adapter[i];
        if (other->node[0] == '\0')
            continue;
        if (adapter->board != 0 && other->board == adapter->board)
            return other;
        if (distance(adapter, other) <= NEAR && adapters_of(topology, other->node) < usual &&
            (nearest == NULL || distance(adapter, other) < distance(adapter, nearest)))
            nearest = other;
    }
    return nearest;
}

static void name_nodes(struct recommend_topology *topology)
{
    const int32_t usual = usual_adapters(topology);
    const char *example = NULL;
    int64_t taken = 0, alone = 0;
    for (size_t i = 0; i < topology->adapters; i++) {
        struct recommend_adapter *adapter = &topology->adapter[i];
        if (adapter->node[0] != '\0')
            continue;
        const struct recommend_adapter *owner = find_owner(topology, adapter, usual);
        if (owner == NULL) {
            snprintf(adapter->node, sizeof adapter->node, "H-%.70s", adapter->guid);
            alone++;
        } else {
            memcpy(adapter->node, owner->node, sizeof adapter->node);
            example = adapter->node;
            taken++;
        }
    }
    if (taken > 0)
        recommend_topology_note(
            topology,
            "%" PRId64
            " adapter%s without a node's name taken for one of a node whose GUID is next "
            "to its own, such as %s",
            taken, sup_plural(taken), example);
    if (alone > 0)
        recommend_topology_note(
            topology, "%" PRId64 " adapter%s without a node's name count%s as a node each", alone,
            sup_plural(alone), alone == 1 ? "s" : "");
}

static int compare_links(const void *a, const void *b)
{
    const struct recommend_link *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return strcmp(left->node, right->node);
}

/* The switch with the most nodes, of each of which one adapter counts. */
static void find_leaf(struct recommend_topology *topology)
{
    int32_t nodes = 0;
    for (size_t i = 0; i < topology->links; i++) {
        const struct recommend_adapter *adapter = find_adapter(topology, topology->link[i].guid);
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

void recommend_topology_end_ibnet(struct recommend_topology *topology)
{
    /* A part of a file may have the switches alone. */
    for (size_t i = 0; i < topology->links; i++)
        if (find_adapter(topology, topology->link[i].guid) == NULL) {
            struct recommend_adapter adapter = {.number =
                                                    strtoull(topology->link[i].guid, NULL, 16)};
            memcpy(adapter.guid, topology->link[i].guid, sizeof adapter.guid);
            memcpy(adapter.node, topology->link[i].node, sizeof adapter.node);
            sup_grow(&topology->adapter, topology->adapters, sizeof *topology->adapter);
            topology->adapter[topology->adapters++] = adapter;
        }
    name_nodes(topology);
    find_leaf(topology);
    for (size_t i = 0; i < topology->adapters; i++)
        recommend_topology_add_name(topology, topology->adapter[i].node,
                                    strlen(topology->adapter[i].node));
    if (topology->aggregating > 0)
        recommend_topology_note(topology, "%" PRId64 " aggregation node%s of switches %s left out",
                                topology->aggregating, sup_plural(topology->aggregating),
                                topology->aggregating == 1 ? "is" : "are");
    topology->rails = usual_adapters(topology);
}
