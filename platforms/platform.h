/* platform.h - platforms by generator name, as SimGrid XML.
 *
 * NAME:N or NAME:AxBxC with details after commas: fat-tree:1024,bandwidth=12.5GBps,latency=1us.
 * `latency` is the whole latency of a message between two hosts, whatever the number of hops: half
 * of it lies on each end's host link and none inside, because SimGrid's CM02 model shares a link in
 * inverse proportion to the latency of the routes (docs/simgrid.md). Only on a torus, whose hosts
 * have no host links, it is the latency of each hop (docs/platforms.md). */
#ifndef PLATFORMS_PLATFORM_H
#define PLATFORMS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct platform_option {
    const char *name;
    const char *fallback; /* default, as text; NULL: derived, the help says how */
    const char *help;
};
struct platform_generator {
    const char *name;                      /* "fat-tree" */
    const char *title;                     /* one line */
    const char *sizes;                     /* the sizes that are possible */
    const struct platform_option *options; /* ends with name NULL */
};
const struct platform_generator *platform_generator_at(int32_t i); /* NULL beyond the end */

/* True if the text names a generator (NAME:...) rather than a file. An existing file is a file. */
bool platform_is_generated(const char *text);

/* The zone property of a generated platform whose XML cannot express where the latency lies: every
 * link has half the end-to-end latency, and a program that loads the platform must set the latency
 * of all links except hosts' own to 0. */
#define PLATFORM_LATENCY_PROPERTY "roundabout-latency"
#define PLATFORM_LATENCY_ENDS     "ends"

enum { PLATFORM_MOST_HOSTS = 1 << 20 };

/* The XML as text; the caller frees it. RB_EINVAL with a message that names the part of the text
 * that is wrong and what would be right (the nearest sizes that fit, the options there are),
 * RB_ENOMEM. */
int platform_make_xml(const char *text, char **xml, size_t *size, struct sup_error *error);

/* The cost of a message between two hosts, without making the XML. */
struct platform_links {
    int32_t hosts;
    double bandwidth; /* bytes per second */
    double latency_s;
    double loopback_bandwidth, loopback_latency_s; /* between ranks on one host; not shared */
    bool contended; /* messages between different pairs of hosts may share links, or differ in
                       latency: the values are those of one link */
};
/* Errors as platform_make_xml. */
int platform_find_links(const char *text, struct platform_links *links, struct sup_error *error);

/* How many hosts, that follow one another, share a "router" (dragonfly) or a "leaf" switch
 * (fat-tree). RB_EINVAL: the platform has no such thing; or as platform_make_xml. */
int platform_find_group(const char *text, const char *what, int32_t *hosts,
                        struct sup_error *error);

/* Writes that XML to path. As platform_make_xml, or RB_EIO; then no file is left. */
int platform_generate(const char *text, const char *path, struct sup_error *error);

/* Checks that the file is well-formed XML whose root is <platform>, without anything that makes
 * SimGrid crash, hang or write files: invalid topologies, radicals of billions, deep nesting,
 * entities, settings. RB_EINVAL with file, line and reason. SimGrid checks the rest. */
int platform_check_xml(const char *path, struct sup_error *error);

/* 16 hex digits that identify the platform's content (FNV-1a 64 of the XML, or of the shape where
 * SimGrid does not know the routes). */
int platform_hash_of(const char *text, char hash[17], struct sup_error *error);

#ifdef __cplusplus
}
#endif
#endif
