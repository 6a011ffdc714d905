/* topology.h - what is read of a cluster from other programs' output; private to this folder. */
#ifndef STUDIES_RECOMMEND_TOPOLOGY_H
#define STUDIES_RECOMMEND_TOPOLOGY_H

#include "studies/recommend/recommend.h"

enum { RECOMMEND_NAME = 80, RECOMMEND_MOST_PPN = 1 << 16, RECOMMEND_MOST_NODES = 1 << 20 };

/* An adapter of a node, and a link of a switch to one. */
struct recommend_adapter {
    char guid[RECOMMEND_NAME], node[RECOMMEND_NAME]; /* node "": it has no name */
    bool named;                                      /* by its description */
    uint64_t number, board;                          /* of the guid, of the board; 0: not known */
};
struct recommend_link {
    char guid[RECOMMEND_NAME], node[RECOMMEND_NAME];
    int32_t from; /* number of the switch */
};

struct recommend_topology {
    const char *path;
    int line, kind;
    char (*name)[RECOMMEND_NAME]; /* owned: of nodes, some of them several times */
    size_t names;
    int64_t counted;            /* nodes without names */
    int64_t cores, most_cores;  /* the least and the most of a node */
    int64_t gpus;               /* the least of a node that has some; 0: none is known */
    int column[16], columns;    /* of sinfo: what each is, and how many; 0: no heading */
    int64_t unknown, open, out; /* lines of sinfo: without processors, with "20+", of nodes that
                                 * are down */
    struct recommend_adapter *adapter; /* owned */
    struct recommend_link *link;       /* owned */
    size_t adapters, links;
    uint64_t board;
    int32_t switches, at_switch; /* how many, and that whose links follow; 0: none */
    int64_t aggregating;
    double gbps;         /* the fastest link of a node */
    int32_t leaf, rails; /* nodes of the leaf switch that has most; usual adapters of a node */
    struct recommend_cluster *cluster;
    struct sup_error *error;
};

void recommend_topology_add_name(struct recommend_topology *topology, const char *name,
                                 size_t length);
/* Adds a note on what is doubtful, as long as there is room. */
void recommend_topology_note(struct recommend_topology *topology, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True if a line begins the output of sinfo; reads a line; adds notes at the end. */
bool recommend_topology_is_sinfo(const char *line);
int recommend_topology_read_sinfo(struct recommend_topology *topology, const char *line);
void recommend_topology_end_sinfo(struct recommend_topology *topology);

/* Likewise, of ibnetdiscover; at the end it names the nodes. */
bool recommend_topology_is_ibnet(const char *line);
void recommend_topology_read_ibnet(struct recommend_topology *topology, const char *line);
void recommend_topology_end_ibnet(struct recommend_topology *topology);

#endif
