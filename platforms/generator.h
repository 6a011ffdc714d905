/* generator.h - what a platform generator is to its siblings in this folder.
 *
 * A generator turns a request (NAME:SIZE,detail=value,...) into the attributes of one SimGrid
 * cluster; cluster_xml.c writes them. One file and one line in generate.c per generator. */
#ifndef RB_PLATFORMS_GENERATOR_H
#define RB_PLATFORMS_GENERATOR_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform.h"

enum { RB_MOST_DETAILS = 16, RB_MOST_DIMENSIONS = 16 };

/* A request taken apart: the texts of its size and of its details, in the order of the generator's
 * options; a detail that was not given has its default, or NULL if that is derived. */
struct rb_platform_request {
    char *copy; /* owned; the texts point into it */
    const struct rb_platform_generator *face;
    const char *size;
    const char *detail[RB_MOST_DETAILS];
};

/* One SimGrid cluster. */
struct rb_cluster {
    const char *name;     /* of the zone */
    const char *topology; /* FLAT, FAT_TREE, DRAGONFLY, TORUS */
    char parameters[192]; /* SimGrid's topo_parameters, empty for FLAT */
    char note[256];       /* for the reader of the XML: what was built */
    int32_t hosts;
    int32_t ports;             /* messages that a host's own link carries at bandwidth each; 0: 1 */
    double bandwidth;          /* bytes per second, of a link, or of a port of it */
    double latency_s;          /* end to end, or per hop */
    bool latency_per_hop;      /* no link belongs to one host alone */
    bool inner_links;          /* there are links between switches */
    double loopback_bandwidth; /* bytes per second */
    double loopback_latency_s;
};

struct rb_platform_maker {
    struct rb_platform_generator face;
    /* Fills the topology, parameters, note, hosts and the flags. */
    int (*shape)(const struct rb_platform_request *request, struct rb_cluster *cluster,
                 struct rb_error *error);
};

extern const struct rb_platform_maker rb_platform_crossbar, rb_platform_fat_tree,
    rb_platform_dragonfly, rb_platform_torus;

/* The options that every generator has, for the end of its table. */
#define RB_LINK_OPTIONS(latency_default, latency_help)                                             \
    {"bandwidth", "12.5GBps", "bandwidth of a link, in each direction"},                           \
        {"latency", latency_default, latency_help},                                                \
        {"loopback-bandwidth", "25GBps",                                                           \
         "bandwidth between ranks on the same host; not shared between messages"},                 \
        {"loopback-latency", "200ns", "latency between ranks on the same host"},                   \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }
#define RB_LATENCY_HELP "latency between two hosts, whatever the number of hops"

/* The text of a detail, or NULL. Asking for one that the generator doesn't have is our mistake. */
const char *rb_request_detail(const struct rb_platform_request *request, const char *name);
/* A whole number >= least; *value is left alone if the detail is derived and was not given. */
int rb_request_int(const struct rb_platform_request *request, const char *name, int32_t least,
                   int32_t *value, struct rb_error *error);
/* The size as a number of hosts. */
int rb_request_hosts(const struct rb_platform_request *request, int32_t least, int32_t *hosts,
                     struct rb_error *error);
/* "8x4x4" into value[0 .. count - 1], each >= least. what names the text in the message. */
int rb_parse_dimensions(const char *what, const char *text, int32_t least,
                        int32_t value[RB_MOST_DIMENSIONS], int32_t *count, struct rb_error *error);
int64_t rb_product(const int32_t value[], int32_t count); /* or INT64_MAX, if that is too small */
/* "8x4x4", or with another separator. */
const char *rb_format_dimensions(const int32_t value[], int32_t count, char separator, char *buffer,
                                 size_t size);

/* Says that a size does not fit, and names the nearest that do, found with fits(). */
int rb_refuse_size(const struct rb_platform_request *request, int32_t hosts,
                   bool (*fits)(int32_t hosts, const void *data), const void *data,
                   struct rb_error *error);

int rb_request_parse(const char *text, const struct rb_platform_generator *face,
                     struct rb_platform_request *request, struct rb_error *error);
void rb_request_free(struct rb_platform_request *request); /* safe on a zeroed struct */

/* Writes the platform file's text into buffer. */
int rb_cluster_write(const struct rb_cluster *cluster, xmlBufferPtr buffer);

#endif
