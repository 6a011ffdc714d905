/* generator.h - internal to this folder: the descriptor of a platform generator and its helpers.
 *
 * A generator turns a request (NAME:SIZE,detail=value,...) into the attributes of one SimGrid
 * cluster, or, where SimGrid has no such cluster, into switches and cables; simgrid_xml.c and
 * wiring.c write them. One file in generators/ and one line in list.h per generator. */
#pragma once

#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlwriter.h>
#include <stdbool.h>
#include <stdint.h>

#include "network.h"
#include "platform.h"

/* ---- Collects libxml2's errors while it makes or reads a document ---------------------------- */

/* By default libxml2 would print them, and continue without an attribute or element for which it
 * had no memory. */

#if LIBXML_VERSION >= 21200
typedef const xmlError *platform_xml_error;
#else
typedef xmlErrorPtr platform_xml_error;
#endif

struct platform_xml_errors {
    bool any;
};

/* From begin to end libxml2's errors in this thread are stored in *errors and not printed; lack of
 * memory ends the process (support/memory.h). */
void platform_xml_errors_begin(struct platform_xml_errors *errors);
void platform_xml_errors_end(void);

enum { PLATFORM_MOST_DETAILS = 18, PLATFORM_MOST_RULES = 8, PLATFORM_MOST_FILLED = 3 };

/* A parsed request: the texts of its size and of its options, in the order of the generator's
 * table; an option that was not given has its default, or NULL if the value is derived. */
struct platform_request {
    char *copy; /* owned; the texts point into it */
    const struct platform_generator *face;
    const char *size;
    const char *detail[PLATFORM_MOST_DETAILS];
    char filled[PLATFORM_MOST_FILLED][32];
    int32_t fills;
    /* Of a machine: its face with all options of its base. */
    struct platform_generator own;
    struct platform_option option[PLATFORM_MOST_DETAILS + 1];
};

struct platform_wiring; /* see below */

/* A rule of the option `routing`, which is written NAME or, if a hash chooses, NAME:SEED. */
struct platform_rule {
    const char *name; /* NULL ends a list */
    bool seeded;
    bool detours, per_message; /* as in struct platform_routing */
    enum platform_load load;
};

struct platform_maker;

enum { PLATFORM_DAMAGE_SIZE = 512 };

/* One SimGrid cluster, or a wired platform. */
struct platform_cluster {
    const struct platform_maker *maker;
    struct platform_hosts who; /* the hosts, which may be fewer than the terminals, of which the
                                * rest of this struct speaks */
    const char *name;          /* name of the zone */
    const char *topology; /* FLAT, FAT_TREE, DRAGONFLY, TORUS; NULL: it is wired, or SimGrid has no
                           * cluster with these routes */
    char parameters[192]; /* SimGrid's topo_parameters, empty for FLAT */
    void (*wire)(const struct platform_cluster *cluster,
                 struct platform_wiring *wiring); /* or NULL */
    int32_t side[PLATFORM_MOST_DIMENSIONS]; /* sides of a grid: the number of switches along each,
                                             * the innermost first */
    int32_t sides;                          /* 0: it is no grid */
    bool full_rows; /* of a grid: all switches of a row are joined, not only neighbours */
    int32_t groups; /* of switches, of each level as many; 0: there are none */
    int32_t shape[PLATFORM_MOST_SHAPE]; /* the generator's own data, on which its routes depend */
    struct platform_routing routing;
    char note[256];                  /* a note for the reader of the XML: what was built */
    char taken[PLATFORM_TAKEN_SIZE]; /* from a topology file; or "" */
    char file[1024];                 /* of a list of cables; or "" */
    int32_t hosts;
    const char *share;      /* what hosts that follow one another share: "node", "leaf"; or
                             * NULL */
    int32_t sharers;        /* the number of hosts that share one; 0: all are at one switch */
    int32_t ports;          /* number of messages that a host's own link carries at full
                             * bandwidth each; 0 means 1 */
    double bandwidth;       /* bytes per second of a link, or of one port of it */
    double latency_s;       /* end to end, or per hop */
    double hop_latency_s;   /* additional latency of a cable between two switches */
    double inner_bandwidth; /* of hosts that have a second link, inside a node; otherwise 0 */
    double inner_latency_s;
    bool latency_per_hop;      /* no link belongs to one host alone */
    bool inner_links;          /* there are links between switches */
    double loopback_bandwidth; /* bytes per second */
    double loopback_latency_s;
    double memory_bandwidth; /* bytes of messages per second, of a host; 0: memory limits nothing */
    bool memory_of_all;      /* messages between hosts use it, too */
    char fail[PLATFORM_DAMAGE_SIZE], slow[PLATFORM_DAMAGE_SIZE]; /* the options; "": none */
};

struct platform_maker {
    struct platform_generator face;
    /* Fills the topology, parameters, note, hosts and the flags. */
    int (*shape)(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error);
    /* The network of a cluster so shaped. As platform_network_alloc. NULL: there is no formula for
     * its routes. The network then finds ways, names links inside, says between which switches they
     * are, and where in a picture, by the functions below, of which the last two may be NULL. */
    int (*lay)(const struct platform_cluster *cluster, struct platform_network **network);
    platform_way_finder *find_way;
    platform_link_namer *name_link;
    platform_ends_finder *find_ends;
    platform_link_placer *place;
    /* Adds the cuts of a cluster so shaped to that of its hosts; may change the bandwidth of the
     * latter, which is that of the hosts' own links, and of messages. NULL: there are no others. */
    void (*cut)(const struct platform_cluster *cluster, struct platform_cuts *cuts);
};

/* Of a maker, in this order: lay and what the network does by formula. */
#define PLATFORM_FORMULA(lay_, way_, name_, ends_, place_)                                         \
    .lay = (lay_), .find_way = (way_), .name_link = (name_), .find_ends = (ends_), .place = (place_)

/* A machine is a generator with a size and options filled in, and the names and terminals of its
 * nodes. One file in machines/ and one line in list.h. Its options in face have the machine's
 * values, and as help the source of each. */
struct platform_machine {
    struct platform_generator face;
    const struct platform_maker *base;
    const char *whole;     /* the size if none is given: of the whole machine */
    const char *terminals; /* the base's size, with a terminal for each node; the size given is then
                            * the number of nodes, the first ones. NULL: it is the base's size */
    int32_t nodes;         /* the most, if there are terminals */
    const char *const *fixed; /* options on which the terminals depend, which cannot be changed */
    int32_t (*terminal)(int32_t node); /* NULL: the node's number */
    double (*share)(int32_t node);     /* of a link's bandwidth, that its own link has; NULL: 1 */
    void (*name)(const struct platform_hosts *hosts, int32_t node, char *name, size_t size);
    /* Names a part of so many terminals; false: it has no name. NULL: no part has. */
    bool (*name_part)(const char *what, int32_t part, char *name, size_t size);
};

#define PLATFORM_MACHINE(name) extern const struct platform_machine name;
#include "list.h"
#undef PLATFORM_MACHINE

/* Rules of a topology in which a message may take a detour over a random third place, for the end
 * of its list (L. G. Valiant, A scheme for fast parallel communication, 1982; A. Singh,
 * Load-balanced routing in interconnection networks, 2005: UGAL). */
#define PLATFORM_DETOUR_RULES                                                                      \
    {.name = "valiant", .seeded = true, .detours = true, .per_message = true},                     \
        {.name = "valiant-pairs", .seeded = true, .detours = true},                                \
        {.name = "ugal",                                                                           \
         .seeded = true,                                                                           \
         .detours = true,                                                                          \
         .per_message = true,                                                                      \
         .load = PLATFORM_FULLEST_LINK},                                                           \
        {.name = "ugal-l",                                                                         \
         .seeded = true,                                                                           \
         .detours = true,                                                                          \
         .per_message = true,                                                                      \
         .load = PLATFORM_FIRST_LINK},                                                             \
    {                                                                                              \
        .name = NULL                                                                               \
    }
#define PLATFORM_DETOUR_RULES_HELP                                                                 \
    "minimal; over a random third place: valiant:SEED (each message), valiant-pairs:SEED (each "   \
    "pair of hosts); the less loaded of both: ugal:SEED, ugal-l:SEED"
/* True if a message with this key takes the detour. */
bool platform_takes_detour(const struct platform_routing *routing, uint64_t key);
/* A hash of the message, or of the pair of hosts if all messages of a pair take one route. */
uint64_t platform_route_hash(const struct platform_routing *routing, int32_t from, int32_t to,
                             uint64_t key);
/* One of `count` numbers, 3 or more, but neither a nor b, which differ; k chooses. */
int32_t platform_third(uint64_t k, int32_t count, int32_t a, int32_t b);

#define PLATFORM_GENERATOR(name) extern const struct platform_maker name;
#include "list.h"
#undef PLATFORM_GENERATOR

/* An option of generators whose hosts have one link each. */
#define PLATFORM_PORTS_OPTION                                                                      \
    {                                                                                              \
        "ports", "1", "messages that a host's own link carries at once, each at full bandwidth"    \
    }
/* Options of every generator. */
#define PLATFORM_MEMORY_OPTIONS                                                                    \
    {"memory-bandwidth", "none",                                                                   \
     "what a host's memory carries in all, which messages inside the host share; none: they "      \
     "share nothing"},                                                                             \
        {"fail", "none",                                                                           \
         "what has failed: host:17, link:NAME, switch:3, links:5%:SEED of the cables between "     \
         "switches, and more, joined by +"},                                                       \
        {"slow", "none", "what is slow, with its share of the bandwidth: host:17:10%, and so on"}, \
    {                                                                                              \
        "memory-traffic", "inside",                                                                \
            "what uses the memory: messages inside a host, or all that a host sends and receives"  \
    }
/* Those, and those of most generators, for the end of a table. */
#define PLATFORM_LINK_OPTIONS(latency_default, latency_help)                                       \
    {"bandwidth", "12.5GBps", "bandwidth of a link, in each direction"},                           \
        {"latency", latency_default, latency_help},                                                \
        {"loopback-bandwidth", "25GBps",                                                           \
         "bandwidth between ranks on the same host; not shared between messages"},                 \
        {"loopback-latency", "200ns", "latency between ranks on the same host"},                   \
        PLATFORM_MEMORY_OPTIONS,                                                                   \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }
#define PLATFORM_LATENCY_HELP "latency between two hosts, for any number of hops"
/* Further options of wired platforms, the last of all with hops; with the first, a message between
 * two hosts crosses a cable. */
#define PLATFORM_WIRED_PORTS_OPTION                                                                \
    {                                                                                              \
        "ports", "1", "messages that a host can send and receive at once, each at full bandwidth"  \
    }
#define PLATFORM_HOP_OPTION                                                                        \
    {                                                                                              \
        "hop-latency", "0s", "additional latency of each cable between two switches"               \
    }

/* The text of a detail; NULL if it is derived and was not given, or the generator does not have it.
 */
const char *platform_request_detail(const struct platform_request *request, const char *name);
/* True if the detail was given, or filled. */
bool platform_request_gives(const struct platform_request *request, const char *name);
/* Gives a detail this value instead of its default. */
void platform_request_fill(struct platform_request *request, const char *name, double value,
                           const char *unit);
/* Fills details from the file that the detail `topology` names, if there is one, and says what
 * holds. RB_EINVAL. */
int platform_take_topology(struct platform_request *request, char taken[PLATFORM_TAKEN_SIZE],
                           struct sup_error *error);
/* A whole number >= least; *value does not change if the option is derived and was not given. */
int platform_request_int(const struct platform_request *request, const char *name, int32_t least,
                         int32_t *value, struct sup_error *error);
/* Several of them, up to one without a name. */
struct platform_number {
    const char *name;
    int32_t least, *value;
};
int platform_request_ints(const struct platform_request *request,
                          const struct platform_number numbers[], struct sup_error *error);
/* The option `ports` of PLATFORM_PORTS_OPTION; 0 for one port, so that the hash of a platform
 * without the option is the one that it had before there was the option. */
int platform_request_ports(const struct platform_request *request, int32_t *ports,
                           struct sup_error *error);
/* The size as a number of hosts. */
int platform_request_hosts(const struct platform_request *request, int32_t least, int32_t *hosts,
                           struct sup_error *error);
/* RB_EINVAL if the size means more hosts than PLATFORM_MOST_HOSTS. */
int platform_check_hosts(const struct platform_request *request, int64_t hosts,
                         struct sup_error *error);
/* The size as the sides of a torus with a host at each switch: fills side, sides, hosts,
 * inner_links, and shape with the number of sides and the sides. */
int platform_request_torus(const struct platform_request *request, struct platform_cluster *cluster,
                           struct sup_error *error);
/* "yes" or "no". */
int platform_request_bool(const struct platform_request *request, const char *name, bool *value,
                          struct sup_error *error);
/* The option `routing`: one of the rules. */
int platform_request_routing(const struct platform_request *request,
                             const struct platform_rule rules[], struct platform_routing *routing,
                             struct sup_error *error);
/* 64 bits that depend on the seed and on these two numbers. */
uint64_t platform_hash_numbers(uint64_t seed, uint64_t a, uint64_t b);
/* "8x4x4" into value[0 .. count - 1], each >= least. what names the text in the message. */
int platform_parse_dimensions(const char *what, const char *text, int32_t least,
                              int32_t value[PLATFORM_MOST_DIMENSIONS], int32_t *count,
                              struct sup_error *error);
int64_t platform_product(const int32_t value[],
                         int32_t count); /* or INT64_MAX, if that is too small */
/* "8x4x4", or with another separator. */
const char *platform_format_dimensions(const int32_t value[], int32_t count, char separator,
                                       char *buffer, size_t size);

/* ---- Pairs, and cables between groups ----
 *
 * Pairs of `count` things are numbered (0, 1), (0, 2) .. (1, 2) ..; each has two links, from the
 * lower to the higher one and back. */
int32_t platform_pair_link(int32_t count, int32_t from, int32_t to);
void platform_pair_find(int32_t count, int32_t pair, int32_t *i, int32_t *j);
/* The place of a pair's link in the order by its sending end, then by the other: from 0 on. */
int32_t platform_pair_order(int32_t count, int32_t link);

/* Several cables between any two groups, spread over the switches of each. */
struct platform_group_cables {
    int32_t groups;
    int32_t switches; /* of a group, to which cables may lead */
    int32_t cables;   /* between two groups */
};
/* The switch of a group where its end of a cable to another group is. */
int32_t platform_cable_switch(const struct platform_group_cables *cables, int32_t group,
                              int32_t peer, int32_t cable);
/* The cable from a group to another for a message that is at this switch: one of the switch's own
 * if it has any, otherwise one of all; k chooses. */
int32_t platform_cable_choose(const struct platform_group_cables *cables, int32_t group, int32_t at,
                              int32_t peer, uint64_t k);
/* The number of the link, of all those between groups. */
int32_t platform_cable_link(const struct platform_group_cables *cables, int32_t from, int32_t to,
                            int32_t cable);
/* The place of such a link in the order by its sending group, then by the other. */
int32_t platform_cable_order(const struct platform_group_cables *cables, int32_t link);

/* Fails with a message that the size does not fit and which nearest sizes do, found with fits(). */
int platform_refuse_size(const struct platform_request *request, int32_t hosts,
                         bool (*fits)(int32_t hosts, const void *data), const void *data,
                         struct sup_error *error);

/* machine: NULL if the face is no machine's. */
int platform_request_parse(const char *text, const struct platform_generator *face,
                           const struct platform_machine *machine, struct platform_request *request,
                           struct sup_error *error);

/* The cluster of a generator's text. RB_EINVAL. */
int platform_make_cluster(const char *text, struct platform_cluster *cluster,
                          struct sup_error *error);
/* Its network, of a maker that has a formula. RB_EINVAL for too many links. */
int platform_lay_network(const char *text, const struct platform_cluster *cluster,
                         struct platform_network **network, struct sup_error *error);

/* A network with so many links, loopbacks and hosts' own links included, all as the cluster has
 * them; those within have the bandwidth of one link. RB_EINVAL for too many links. */
enum { PLATFORM_MOST_LINKS = 1 << 26 };
int platform_network_alloc(const struct platform_cluster *cluster, int64_t links, int32_t longest,
                           struct platform_network **made);

/* The name of a link where each switch has so many hosts. */
void platform_name_switch_link(const struct platform_network *network, int32_t link,
                               int32_t switch_hosts, char *name, size_t size);

/* Adds links for the memories of the cluster's hosts. RB_EINVAL for too many links. */
int platform_network_add_memory(const struct platform_cluster *cluster,
                                struct platform_network *network);

/* The network of a machine's hosts, from that of all terminals, which it takes over. */
struct platform_network *platform_machine_network(const struct platform_hosts *hosts,
                                                  struct platform_network *terminals);

/* True if a host's own link is narrower than others: not all nodes are alike. O(hosts). */
bool platform_machine_links_differ(const struct platform_hosts *hosts);

/* Makes of a healthy network that with what the cluster's
 * options fail and slow say; and fills who->gone and the count. RB_EINVAL, also if it falls apart.
 */
int platform_damage(const struct platform_cluster *cluster, struct platform_network **network,
                    struct platform_hosts *who, struct sup_error *error);

/* Begins a platform file's text in buffer, with a comment about the cluster; ends in <platform>. */
/* Writes the platform file's text into buffer. */
void platform_cluster_write(const struct platform_cluster *cluster, xmlBufferPtr buffer);
/* The same of a network whose routes only the formula knows: a zone that lists the route of every
 * pair of hosts. */
void platform_routes_write(const struct platform_cluster *cluster, struct platform_network *network,
                           xmlBufferPtr buffer);
enum { PLATFORM_MOST_LISTED_HOSTS = 256, PLATFORM_MOST_LISTED_LINKS = 1 << 17 };

/* ---- Wired platforms ----
 *
 * Each host has a full-duplex link of its own to a switch; cables, full duplex too, join switches.
 * SimGrid searches shortest paths (routing DijkstraCache), and a mesh has many of them. So the XML
 * has each switch several times, once per stage of a route, and only those steps between these
 * stops that leave a single shortest path, the intended one. Some host must reach every stop,
 * because otherwise SimGrid's search does not end. `wire` gives first the switches and cables, then
 * the steps; hosts and loopbacks are written for it. */
struct platform_stop {
    int32_t node;  /* number of the switch */
    int32_t stage; /* from 0 */
};
void platform_wire_switch(struct platform_wiring *wiring, int32_t node, int32_t stages);
void platform_wire_cable(struct platform_wiring *wiring, int32_t from, int32_t to);
/* Steps of routes. A host's own link is the first and the last step; steps between switches use the
 * cable (from, to), or (to, from) backwards. */
void platform_wire_leave(struct platform_wiring *wiring, int32_t host, struct platform_stop to);
void platform_wire_step(struct platform_wiring *wiring, struct platform_stop from,
                        struct platform_stop to, bool backwards);
void platform_wire_arrive(struct platform_wiring *wiring, struct platform_stop from, int32_t host);

enum {
    PLATFORM_MOST_WIRED_HOSTS = 4096
}; /* SimGrid's shortest paths take memory: docs/platforms.md */
/* True for a power of two, at least 2, that can be wired. For platform_refuse_size. */
bool platform_is_wired_power(int32_t hosts, const void *unused);
/* Fills in the common values of all wired platforms, and ports; hosts must be set, and the note
 * does not change. */
int platform_wired_shape(const struct platform_request *request, struct platform_cluster *cluster,
                         void (*wire)(const struct platform_cluster *cluster,
                                      struct platform_wiring *wiring),
                         struct sup_error *error);
/* The wiring of a grid without wrap-around; routes go along one side after the other. */
void platform_wire_grid(const struct platform_cluster *cluster, struct platform_wiring *wiring);
/* The cuts of a grid without and with wrap-around, for makers. */
void platform_cut_mesh(const struct platform_cluster *cluster, struct platform_cuts *cuts);
void platform_cut_torus(const struct platform_cluster *cluster, struct platform_cuts *cuts);

/* Writes the zone of a wired platform. */
void platform_wiring_write(xmlTextWriterPtr writer, const struct platform_cluster *cluster);

/* ---- The formula of grids whose hosts have links of their own ----
 *
 * A shape has the number of sides, the sides, and what rows are. */
enum { PLATFORM_TOFU_ROWS, PLATFORM_OPEN_ROWS, PLATFORM_RING_ROWS }; /* Tofu: rings but of two */
enum { PLATFORM_GRID_ROWS = PLATFORM_MOST_DIMENSIONS + 1 };
platform_way_finder platform_grid_way;
platform_ends_finder platform_grid_ends;
platform_link_placer platform_grid_place;
int platform_grid_lay(const struct platform_cluster *cluster, struct platform_network **made);
/* The names of the links of wired platforms, and their network, with so many cables inside. */
platform_link_namer platform_wired_name;
int platform_wired_lay(const struct platform_cluster *cluster, int64_t cables, int32_t longest,
                       struct platform_network **made);
#define PLATFORM_GRID_FORMULA(name_)                                                               \
    PLATFORM_FORMULA(platform_grid_lay, platform_grid_way, name_, platform_grid_ends,              \
                     platform_grid_place)

/* Begins an element. What follows are its attributes, until another begins or it ends. */
void platform_begin(xmlTextWriterPtr writer, const char *element);
void platform_end(xmlTextWriterPtr writer);
/* An attribute. */
void platform_write_text(xmlTextWriterPtr writer, const char *name, const char *value);
/* Writes an attribute: the shortest decimal that is read as the same number, with its unit. */
void platform_write_number(xmlTextWriterPtr writer, const char *name, double value,
                           const char *unit);
