/* platform.h - platforms by generator name, as SimGrid XML.
 *
 * NAME:N or NAME:AxBxC with details after commas: fat-tree:1024,bandwidth=12.5GBps,latency=1us.
 * A machine's name is a generator too, with the sizes and options of a real machine:
 * leonardo:256,routing=ecmp:1; without a size it is the whole machine (docs/machine-presets.md).
 * `latency` is the whole latency of a message between two hosts, whatever the number of hops: half
 * of it lies on each end's host link and none inside, because SimGrid's CM02 model shares a link in
 * inverse proportion to the latency of the routes (docs/simgrid.md). Only on a torus, whose hosts
 * have no host links, it is the latency of each hop (docs/platforms.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

struct platform_option {
    const char *name;
    const char *fallback; /* default, as text; NULL: derived, the help says how */
    const char *help;
};
struct platform_generator {
    const char *name;                      /* "fat-tree" */
    const char *title;                     /* one line */
    const char *sizes;                     /* the sizes that are possible */
    const struct platform_option *options; /* ends with name NULL; of a machine, those that differ
                                            * from its base */
    const char *base;                      /* of a machine, the generator that makes it; or NULL */
};
/* First the generators, then the machines; NULL beyond the end. */
const struct platform_generator *platform_generator_at(int32_t i);

/* The text with the generator's or machine's name as it is here, whatever its capitals, blanks and
 * dashes; also for a few names of technologies, such as infiniband, which is a fat tree. The caller
 * frees it. */
char *platform_usual(const char *text);

/* A generator's text without a size, "fat-tree" or "fat-tree,taper=2", with that of the smallest
 * platform of its kind that has so many hosts, which of grids has three dimensions; NULL: it is no
 * such text. The caller frees it. */
char *platform_smallest(const char *text, int32_t hosts);

/* True if the text names a generator (NAME:...) or a machine rather than a file. An existing file
 * is a file. */
bool platform_is_generated(const char *text);

/* The zone property of a generated platform whose XML cannot express where the latency lies: every
 * link has half the end-to-end latency, and a program that loads the platform must set the latency
 * of all links except hosts' own to 0. */
#define PLATFORM_LATENCY_PROPERTY "roundabout-latency"
#define PLATFORM_LATENCY_ENDS     "ends"

enum { PLATFORM_MOST_HOSTS = 1 << 20 };

/* The XML as text; the caller frees it. RB_EINVAL with a message that names the part of the text
 * that is wrong and what would be right (the nearest sizes that fit, the options there are). */
int platform_make_xml(const char *text, char **xml, size_t *size, struct sup_error *error);

/* The cost of a message between two hosts, without making the XML. */
struct platform_links {
    int32_t hosts;
    double bandwidth; /* bytes per second */
    double latency_s;
    double loopback_bandwidth, loopback_latency_s; /* between ranks on one host; not shared */
    double memory_bandwidth; /* bytes per second, which they share besides; 0: they don't */
    bool contended; /* messages between different pairs of ranks may share links, or differ in
                       latency: the values are those of one link */
};
/* Errors as platform_make_xml. */
int platform_find_links(const char *text, struct platform_links *links, struct sup_error *error);

/* How many terminals, that follow one another, share a "node" (rails), a "router" (dragonfly) or a
 * "leaf" switch (fat-tree). RB_EINVAL: the platform has no such thing; or as platform_make_xml. */
int platform_find_group(const char *text, const char *what, int32_t *terminals,
                        struct sup_error *error);

/* The hosts of a generated platform: what they are called, and where they are. A terminal is a
 * place for a host in the generator's own order, in which hosts of a switch follow one another.
 * Host h is in terminal h, but for machines, whose nodes are numbered otherwise and need not fill
 * all terminals. */
struct platform_machine;
enum { PLATFORM_MOST_DIMENSIONS = 16, PLATFORM_MOST_GONE = 256 };
struct platform_hosts {
    int32_t count;
    int32_t terminals;                      /* >= count */
    const struct platform_machine *machine; /* NULL: hosts are called host-0, host-1, ... */
    int32_t side[PLATFORM_MOST_DIMENSIONS]; /* of a torus, for names by coordinates */
    int32_t sides;
    int32_t gone[PLATFORM_MOST_GONE], gones; /* failed hosts, in order: the others, `count`, are
                                              * numbered on */
};
/* Errors as platform_make_xml. */
int platform_find_hosts(const char *text, struct platform_hosts *hosts, struct sup_error *error);
int32_t platform_host_terminal(const struct platform_hosts *hosts, int32_t host);
/* The name of a host, cut to size; returns `name`. The context is a struct platform_hosts. */
const char *platform_host_name(const void *context, int32_t host, char *name, size_t size);
/* What people call a part of the platform, such as the third "leaf" switch or "group": "cell 3". */
const char *platform_part_name(const struct platform_hosts *hosts, const char *what, int32_t part,
                               char *name, size_t size);

/* What the platform has from its topology file, for people (docs/platforms.md); "" if it has none.
 * Errors as platform_make_xml. */
enum { PLATFORM_TAKEN_SIZE = 512 };
int platform_find_taken(const char *text, char taken[PLATFORM_TAKEN_SIZE], struct sup_error *error);

/* The text of a generator's platform without its damage, or NULL if it has none. The caller frees
 * it. */
char *platform_healthy(const char *text);

/* Checks that the file is well-formed XML whose root is <platform>, without anything that makes
 * SimGrid crash, hang or write files: invalid topologies, radicals of billions, deep nesting,
 * entities, settings. RB_EINVAL with file, line and reason. SimGrid checks the rest. Sets
 * `ignored`, unless it is NULL, to the settings that change nothing for plans, by commas. */
enum { PLATFORM_IGNORED = 256 };
int platform_check_xml(const char *path, char ignored[PLATFORM_IGNORED], struct sup_error *error);

/* The same, and that nothing in the file changes SimGrid's times in a way that the engine flow does
 * not know: settings of the model, profiles of links and hosts over time, wireless links. */
int platform_check_flow(const char *path, struct sup_error *error);

/* RB_EINVAL if SimGrid would crash, hang or compute nonsense with this value of a setting, which
 * options and files give. SimGrid checks the names of settings, and texts where it wants a number.
 */
int platform_check_setting(const char *key, const char *value, struct sup_error *error);
/* RB_EINVAL if SimGrid's times with this value may not be those of the engine flow. */
int platform_check_flow_setting(const char *key, const char *value, struct sup_error *error);

/* The XML of a checked file with a zone around its torus, fat-tree or dragonfly, for SimGrid 4
 * crashes without; NULL if the file is fine as it is. The caller frees it. RB_EINVAL. */
int platform_enclose_cluster(const char *path, char **xml, size_t *size, struct sup_error *error);

/* 16 hex digits that identify the platform's content (FNV-1a 64 of the XML, or of the shape where
 * SimGrid does not know the routes). */
int platform_hash_of(const char *text, char hash[17], struct sup_error *error);
