/* well_formed.c - checks that a file is XML, and a platform that SimGrid can read, before SimGrid
 * reads it: errors in SimGrid's parser end the whole process. The file may come from somebody else.
 * It is read in one pass, without building a tree and without entities, because a few lines of
 * entities can expand to gigabytes. Everything that would make SimGrid crash, run out of memory or
 * write files is refused. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */

#include <ctype.h>
#include <errno.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "joined.h"
#include "platform.h"
#include "roundabout.h"
#include "simgrid_settings.h"
#include "support/inputs.h"
#include "xml_errors.h"

enum {
    MOST_DEPTH = 200,      /* SimGrid loads zones recursively, and crashes at some thousands */
    MOST_LINKS = 1 << 24,  /* of a fat-tree */
    MOST_PARAMETERS = 100, /* in topo_parameters */
    MOST_CORES = 1 << 20,  /* of a host */
    CHUNK = 1 << 16
};

struct reading {
    xmlParserCtxtPtr parser;
    const char *path;
    struct sup_error *error;
    int status;   /* RB_OK until the first fault, whose message is in error */
    int depth;    /* of open elements */
    bool doctype; /* there was one */
    bool config;  /* inside <config> */
    bool flow;    /* the file is for the engine flow */
    bool no_memory;
    int64_t hosts; /* of all radicals so far */
    bool zone;     /* <platform> has one */
    /* Of each open element, the graph of a zone that searches shortest paths; NULL: it is none. */
    struct platform_joined *graph[MOST_DEPTH + 2];
};

/* An element's attributes in libxml2's form: name, prefix, URI, value, end of the value. */
struct attributes {
    int count;
    const xmlChar **fields;
};

static int line_of(const struct reading *reading)
{
    return xmlSAX2GetLineNumber(reading->parser);
}

/* The first fault counts. */
static void refuse(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void refuse(struct reading *reading, const char *format, ...)
{
    char what[400];
    va_list values;
    if (reading->status != RB_OK)
        return;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    reading->status =
        sup_fail(reading->error, RB_EINVAL, "%s:%d: %s", reading->path, line_of(reading), what);
}

/* Call it after everything that may have refused the file: it frees the memory of attributes. */
static void stop_if_refused(const struct reading *reading)
{
    if (reading->status != RB_OK)
        xmlStopParser(reading->parser);
}

/* The value of attribute i into text; longer ones are refused. */
static void value_at(struct reading *reading, const struct attributes *attributes, int i,
                     char text[256])
{
    const char *start = (const char *)attributes->fields[5 * i + 3];
    const char *end = (const char *)attributes->fields[5 * i + 4];
    if (end - start > 255)
        refuse(reading, "%s=\"%.20s...\" is longer than 255 letters",
               (const char *)attributes->fields[5 * i], start);
    snprintf(text, 256, "%.*s", (int)(end - start < 255 ? end - start : 255), start);
}

/* The value of the attribute of that name; "" if there is none. */
static void value_of(struct reading *reading, const struct attributes *attributes, const char *name,
                     char text[256])
{
    text[0] = '\0';
    for (int i = 0; i < attributes->count; i++)
        if (strcmp((const char *)attributes->fields[5 * i], name) == 0)
            value_at(reading, attributes, i, text);
}

static bool is_one_of(const char *word, const char *const words[])
{
    for (; *words != NULL; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* ---- Values ---- */

/* A number and a unit; several by commas (speeds). SimGrid takes nan and negative numbers, and then
 * aborts or simulates nonsense. */
static bool is_quantity(const char *text, bool zero_too)
{
    char *rest;
    do {
        double value = strtod(text, &rest);
        if (!(isdigit((unsigned char)*text) || *text == '.') || rest == text || !isfinite(value) ||
            (value == 0 && !zero_too) || (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
            return false;
        text = strchr(rest, ',');
    } while (text != NULL && *++text != '\0');
    return true;
}

/* Other numbers, in whatever unit, are lost in the rounding of times. */
static bool is_in_range(const char *text)
{
    static const double smallest = 1e-18, largest = 1e24;
    for (; text != NULL && *text != '\0'; text = strchr(text, ',')) {
        text += *text == ',';
        const double value = strtod(text, NULL);
        if (value > largest || (value > 0 && value < smallest))
            return false;
    }
    return true;
}

static void check_quantities(struct reading *reading, const struct attributes *attributes)
{
    static const char *const above_0[] = {"bw",      "bandwidth", "bb_bw", "loopback_bw",
                                          "bw_in",   "bw_out",    "speed", "limiter_link",
                                          "read_bw", "write_bw",  NULL};
    static const char *const latencies[] = {"lat", "latency", "bb_lat", "loopback_lat", NULL};
    char text[256];
    for (int i = 0; i < attributes->count; i++) {
        const char *name = (const char *)attributes->fields[5 * i];
        const bool is_latency = is_one_of(name, latencies);
        if (!is_latency && !is_one_of(name, above_0))
            continue;
        value_at(reading, attributes, i, text);
        if (is_latency && !is_quantity(text, true))
            refuse(reading, "%s=\"%s\" is not a time of at least 0, such as 1us", name, text);
        else if (!is_latency && !is_quantity(text, false))
            refuse(reading, "%s=\"%s\" is not a number above 0 with its unit, such as %s", name,
                   text, strcmp(name, "speed") == 0 ? "1Gf" : "12.5GBps");
        else if (!is_in_range(text))
            refuse(reading, "%s=\"%s\": the number must be from 1e-18 to 1e24", name, text);
    }
}

static void check_cores(struct reading *reading, const struct attributes *attributes)
{
    char text[256];
    value_of(reading, attributes, "core", text);
    const size_t digits = strspn(text, "0123456789");
    const long cores = digits < 10 ? strtol(text, NULL, 10) : 0;
    if (text[0] != '\0' && (text[digits] != '\0' || cores < 1 || cores > MOST_CORES))
        refuse(reading, "core=\"%s\" is not a whole number from 1 to %d", text, MOST_CORES);
}

/* Profiles are read to their end, which devices and pipes may lack. */
static void check_files(struct reading *reading, const struct attributes *attributes)
{
    static const char *const files[] = {"file",       "availability_file", "speed_file",
                                        "state_file", "bandwidth_file",    "latency_file",
                                        NULL};
    char text[256];
    struct stat kind;
    for (int i = 0; i < attributes->count; i++) {
        const char *name = (const char *)attributes->fields[5 * i];
        if (!is_one_of(name, files))
            continue;
        value_at(reading, attributes, i, text);
        if (stat(text, &kind) == 0 && !S_ISREG(kind.st_mode))
            refuse(reading, "%s=\"%s\" is not a file", name, text);
    }
}

/* 0-9,12,20-29: how many hosts a cluster has; 0 if that can't be understood. */
static int64_t count_radical(const char *text, const char *end)
{
    int64_t hosts = 0;
    for (;;) {
        char *rest;
        errno = 0;
        long long first = strtoll(text, &rest, 10), last = first;
        if (!isdigit((unsigned char)*text))
            return 0;
        if (*rest == '-') {
            text = rest + 1;
            last = strtoll(text, &rest, 10);
            if (!isdigit((unsigned char)*text))
                return 0;
        }
        if (errno != 0 || last < first || rest > end || (rest < end && *rest != ','))
            return 0;
        hosts += last - first >= PLATFORM_MOST_HOSTS ? PLATFORM_MOST_HOSTS + 1 : last - first + 1;
        if (rest == end || hosts > PLATFORM_MOST_HOSTS)
            return hosts;
        text = rest + 1;
    }
}

/* How many hosts the element has; 0 if it has no radical. */
static int64_t check_radical(struct reading *reading, const struct attributes *attributes)
{
    int64_t hosts = 0;
    for (int i = 0; i < attributes->count; i++) {
        const char *start = (const char *)attributes->fields[5 * i + 3];
        const char *end = (const char *)attributes->fields[5 * i + 4];
        if (strcmp((const char *)attributes->fields[5 * i], "radical") != 0)
            continue;
        hosts = count_radical(start, end);
        reading->hosts += hosts;
        if (hosts == 0)
            refuse(reading, "radical=\"%.*s\" is not numbers and ranges by commas, such as 0-9,12",
                   (int)(end - start < 60 ? end - start : 60), start);
        else if (reading->hosts > PLATFORM_MOST_HOSTS)
            refuse(reading, "the platform has more than %d hosts", PLATFORM_MOST_HOSTS);
    }
    return hosts;
}

/* ---- topo_parameters ---- */

/* Numbers from 1, by commas and semicolons: the numbers, and in form the separators. */
static int read_parameters(const char *text, int64_t value[MOST_PARAMETERS],
                           char form[MOST_PARAMETERS])
{
    int count = 0;
    for (;; text++) {
        char *rest;
        errno = 0;
        if (!isdigit((unsigned char)*text) || count == MOST_PARAMETERS)
            return 0;
        value[count] = strtoll(text, &rest, 10);
        if (errno != 0 || value[count] < 1 || value[count] > PLATFORM_MOST_HOSTS)
            return 0;
        form[count++] = *rest;
        if (*rest == '\0')
            return count;
        if (*rest != ',' && *rest != ';')
            return 0;
        text = rest;
    }
}

/* The hosts of a torus; 0: it isn't one. So the next two. */
static int64_t hosts_of_torus(const int64_t value[], const char form[], int count)
{
    int64_t hosts = 1;
    for (int i = 0; i < count; i++) {
        hosts *= value[i];
        if ((i < count - 1 && form[i] != ',') || hosts > PLATFORM_MOST_HOSTS)
            return 0;
    }
    return hosts;
}

/* levels;children of each level;parents of each level;cables of each level */
static int64_t hosts_of_fat_tree(const int64_t value[], const char form[], int count)
{
    const int64_t levels = value[0];
    int64_t hosts = 1, nodes, links = 0;
    if (count != 1 + 3 * levels)
        return 0;
    for (int64_t i = 0; i < count - 1; i++)
        if (form[i] != (i % levels == 0 ? ';' : ','))
            return 0;
    for (int64_t i = 0; i < levels; i++)
        if ((hosts *= value[1 + i]) > PLATFORM_MOST_HOSTS)
            return 0;
    nodes = hosts;
    for (int64_t i = 0; i < levels; i++) {
        /* No product of three such numbers exceeds 2^62. */
        links += nodes * value[1 + levels + i] > MOST_LINKS
                     ? MOST_LINKS + 1
                     : nodes * value[1 + levels + i] * value[1 + 2 * levels + i];
        if (links > MOST_LINKS)
            return 0;
        nodes = nodes / value[1 + i] * value[1 + levels + i];
    }
    return hosts;
}

/* groups,cables;chassis,cables;blades,cables;nodes */
static int64_t hosts_of_dragonfly(const int64_t value[], const char form[], int count)
{
    int64_t hosts = 1;
    if (count != 7 || memcmp(form, ",;,;,;", 6) != 0)
        return 0;
    for (int i = 0; i < count; i += 2)
        if ((hosts *= value[i]) > PLATFORM_MOST_HOSTS)
            return 0;
    return hosts;
}

static void check_topology(struct reading *reading, const struct attributes *attributes,
                           int64_t hosts)
{
    static const struct {
        const char *name;
        int64_t (*hosts_of)(const int64_t value[], const char form[], int count);
        const char *form;
    } topologies[] = {
        {"TORUS", hosts_of_torus, "its dimensions, such as 4,4,2"},
        {"FAT_TREE", hosts_of_fat_tree, "levels;children;parents;cables, such as 2;4,4;1,2;1,2"},
        {"DRAGONFLY", hosts_of_dragonfly,
         "groups,cables;chassis,cables;blades,cables;nodes, such as 3,4;4,3;5,1;2"},
    };
    char topology[256], text[256], form[MOST_PARAMETERS];
    int64_t value[MOST_PARAMETERS];

    value_of(reading, attributes, "topology", topology);
    value_of(reading, attributes, "topo_parameters", text);
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        if (strcmp(topologies[i].name, topology) != 0)
            continue;
        int count = read_parameters(text, value, form);
        int64_t wanted = count == 0 ? 0 : topologies[i].hosts_of(value, form, count);
        if (wanted == 0)
            refuse(reading,
                   "topo_parameters=\"%s\": %s wants whole numbers without blanks, of at most %d "
                   "hosts: %s",
                   text, topology, PLATFORM_MOST_HOSTS, topologies[i].form);
        /* SimGrid links router j of a group to group j, and doesn't look whether there is one. */
        else if (topologies[i].hosts_of == hosts_of_dragonfly && value[0] > value[4])
            refuse(reading,
                   "a dragonfly of %d groups needs as many blades in a chassis, not %d "
                   "(topo_parameters=\"%s\"): SimGrid crashes on it",
                   (int)value[0], (int)value[4], text);
        else if (wanted > hosts)
            refuse(reading, "topo_parameters=\"%s\" makes %d hosts, but radical names %d", text,
                   (int)wanted, (int)hosts);
    }
}

/* ---- Elements ---- */

/* SimGrid's settings may name files to be written, so that only what models are about is taken;
 * `calibrate` writes the factors. */
static void check_setting(struct reading *reading, const struct attributes *attributes)
{
    static const char *const kinds[] = {"network/",        "cpu/",          "host/",
                                        "surf/",           "maxmin/",       "precision/",
                                        "smpi/lat-factor", "smpi/bw-factor"};
    char text[256], value[256];
    struct sup_error why;
    value_of(reading, attributes, "id", text);
    value_of(reading, attributes, "value", value);
    if (platform_check_setting(text, value, &why) != RB_OK ||
        (reading->flow && platform_check_flow_setting(text, value, &why) != RB_OK))
        refuse(reading, "%s", why.text);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(text, kinds[i], strlen(kinds[i])) == 0)
            return;
    refuse(reading,
           "a platform may not set \"%s\", only network/..., cpu/..., host/..., surf/..., "
           "maxmin/..., precision/..., smpi/lat-factor and smpi/bw-factor; give the rest with "
           "--engine-option",
           text);
}

/* The engine flow keeps links as SimGrid loads them, and takes all for cables. */
static void check_flow(struct reading *reading, const char *element,
                       const struct attributes *attributes)
{
    static const struct {
        const char *name, *value; /* NULL: any */
    } unknown[] = {
        {"bandwidth_file", NULL},
        {"latency_file", NULL},
        {"state_file", NULL},
        {"sharing_policy", "WIFI"},
    };
    char text[256];
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        value_of(reading, attributes, unknown[i].name, text);
        if (text[0] != '\0' && (unknown[i].value == NULL || strcmp(unknown[i].value, text) == 0))
            refuse(reading, "the engine flow knows no %s=\"%s\": only --engine simgrid obeys it",
                   unknown[i].name, text);
    }
    value_of(reading, attributes, "kind", text);
    if (strcmp(element, "trace_connect") == 0 && strcmp(text, "SPEED") != 0)
        refuse(
            reading,
            "the engine flow knows no <trace_connect kind=\"%s\">: only --engine simgrid obeys it",
            text[0] == '\0' ? "HOST_AVAIL" : text);
}

static void check_root(struct reading *reading, const char *name,
                       const struct attributes *attributes)
{
    char version[256];
    value_of(reading, attributes, "version", version);
    if (strcmp(name, "platform") != 0) {
        reading->status = sup_fail(reading->error, RB_EINVAL,
                                   "%s: not a SimGrid platform: its outermost element is <%s>, "
                                   "not <platform>",
                                   reading->path, name);
    } else if (!reading->doctype) {
        refuse(reading, "SimGrid requires <!DOCTYPE platform SYSTEM "
                        "\"https://simgrid.org/simgrid.dtd\"> before <platform>");
    } else if (!(strtod(version, NULL) >= 4 && strtod(version, NULL) < 5)) {
        refuse(reading,
               "version=\"%s\": SimGrid reads platforms of version 4.1 (its program "
               "simgrid_update_xml converts older ones)",
               version);
    }
}

/* ---- Zones that search shortest paths ---- */

static void no_memory_for_graph(struct reading *reading)
{
    reading->no_memory = true;
    if (reading->status == RB_OK)
        reading->status = sup_fail(reading->error, RB_ENOMEM, "out of memory");
}

/* Adds the element to the graph of the zone that it is in, and begins one of its own. */
static void note_for_graphs(struct reading *reading, const char *element,
                            const struct attributes *attributes)
{
    static const char *const nodes[] = {"host", "router", "zone", "AS", "cluster", "peer", NULL};
    static const char *const routes[] = {"route", "zoneRoute", "ASroute", NULL};
    struct platform_joined *around = reading->graph[reading->depth - 1];
    char text[256], to[256];
    bool fits = true;
    if (around != NULL && is_one_of(element, nodes)) {
        value_of(reading, attributes, "id", text);
        fits = platform_joined_node(around, text);
    } else if (around != NULL && is_one_of(element, routes)) {
        value_of(reading, attributes, "symmetrical", text);
        const bool both_ways = strcasecmp(text, "no") != 0;
        value_of(reading, attributes, "src", text);
        value_of(reading, attributes, "dst", to);
        fits = platform_joined_edge(around, text, to, both_ways);
    }
    value_of(reading, attributes, "routing", text);
    if (strncmp(text, "Dijkstra", strlen("Dijkstra")) == 0) {
        reading->graph[reading->depth] = calloc(1, sizeof *reading->graph[0]);
        fits = fits && reading->graph[reading->depth] != NULL;
    }
    if (!fits)
        no_memory_for_graph(reading);
}

/* At the end of an element: frees its graph. */
static void end_graph(struct reading *reading)
{
    struct platform_joined *graph = reading->graph[reading->depth];
    bool no_memory = false;
    if (graph == NULL)
        return;
    const char *lonely =
        reading->status == RB_OK ? platform_joined_lonely(graph, &no_memory) : NULL;
    if (lonely != NULL)
        refuse(reading,
               "\"%.60s\" has no route to or from others of its zone, and SimGrid does not end "
               "or crashes there: with routing=\"Dijkstra\" give it a route, to itself if it is "
               "alone, or take routing=\"Full\"",
               lonely);
    if (no_memory)
        no_memory_for_graph(reading);
    platform_joined_free(graph);
    free(graph);
    reading->graph[reading->depth] = NULL;
}

/* What <platform> itself may have: SimGrid crashes if there is no zone. */
static void check_outermost(struct reading *reading, const char *element)
{
    static const char *const zones[] = {"zone", "AS", "cluster", NULL};
    if (is_one_of(element, zones))
        reading->zone = true;
    else if (strcmp(element, "cabinet") == 0)
        refuse(reading, "<cabinet> must be inside <zone routing=\"Cluster\">");
}

static void start_element(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
                          int count, int defaulted, const xmlChar **fields)
{
    struct reading *reading = context;
    const struct attributes attributes = {count, fields};
    const char *element = (const char *)name;
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;

    if (reading->depth++ == 0)
        check_root(reading, element, &attributes);
    else if (reading->depth == 2)
        check_outermost(reading, element);
    if (reading->depth > MOST_DEPTH)
        refuse(reading, "elements are nested more than %d deep", MOST_DEPTH);
    else
        note_for_graphs(reading, element, &attributes);
    if (strcmp(element, "include") == 0)
        refuse(reading, "SimGrid no longer has <include>: copy the included text to here");
    if (strcmp(element, "config") == 0)
        reading->config = true;
    if (strcmp(element, "prop") == 0 && reading->config)
        check_setting(reading, &attributes);
    int64_t hosts = check_radical(reading, &attributes);
    if (strcmp(element, "cluster") == 0)
        check_topology(reading, &attributes, hosts);
    check_quantities(reading, &attributes);
    check_cores(reading, &attributes);
    check_files(reading, &attributes);
    if (reading->flow)
        check_flow(reading, element, &attributes);
    stop_if_refused(reading);
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *uri)
{
    struct reading *reading = context;
    (void)prefix, (void)uri;
    if (reading->depth <= MOST_DEPTH)
        end_graph(reading);
    reading->depth--;
    if (strcmp((const char *)name, "config") == 0)
        reading->config = false;
    if (reading->depth == 0 && !reading->zone)
        refuse(reading, "the platform has no <zone> and no <cluster>, so it has no hosts");
    stop_if_refused(reading);
}

/* ---- The rest of XML, which no platform needs ---- */

static void doctype(void *context, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
    struct reading *reading = context;
    (void)name, (void)id, (void)system;
    reading->doctype = true;
}

static void declaration(void *context, const xmlChar *name, int type, const xmlChar *public_id,
                        const xmlChar *system_id, xmlChar *content)
{
    (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
    refuse(context, "a platform may not declare entities");
    stop_if_refused(context);
}

static void instruction(void *context, const xmlChar *target, const xmlChar *data)
{
    (void)target, (void)data;
    refuse(context, "a platform may not have processing instructions (<?...?>)");
    stop_if_refused(context);
}

static void cdata(void *context, const xmlChar *value, int length)
{
    (void)value, (void)length;
    refuse(context, "a platform may not have <![CDATA[...]]>");
    stop_if_refused(context);
}

static void keep_first(void *context, platform_xml_error error)
{
    struct reading *reading = context;
    if (error->code == XML_ERR_NO_MEMORY)
        reading->no_memory = true;
    if (reading->status != RB_OK || error->level < XML_ERR_ERROR)
        return;
    const char *message = error->message == NULL ? "out of memory" : error->message;
    reading->status = sup_fail(reading->error, RB_EINVAL, "%s:%d: not XML: %.*s", reading->path,
                               error->line > 0 ? error->line : 1, sup_first_line(message), message);
}

/* Passes the file to the parser piece by piece, until the first fault. */
static int read_all(struct reading *reading, FILE *file)
{
    char chunk[CHUNK];
    size_t got;
    while (reading->status == RB_OK && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
        xmlParseChunk(reading->parser, chunk, (int)got, 0);
    if (reading->status == RB_OK && ferror(file))
        return sup_fail(reading->error, RB_EINVAL, "%s: %s", reading->path, strerror(errno));
    if (reading->status == RB_OK)
        xmlParseChunk(reading->parser, chunk, 0, 1);
    if (reading->status == RB_OK && !reading->parser->wellFormed)
        reading->status = sup_fail(reading->error, RB_EINVAL, "%s: not XML", reading->path);
    return reading->status;
}

static int check(const char *path, bool flow, struct sup_error *error)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startElementNs = start_element,
                             .endElementNs = end_element,
                             .internalSubset = doctype,
                             .entityDecl = declaration,
                             .processingInstruction = instruction,
                             .cdataBlock = cdata,
                             .serror = keep_first};
    struct reading reading = {.path = path, .error = error, .flow = flow};
    struct stat kind;
    if (stat(path, &kind) == 0 && !S_ISREG(kind.st_mode))
        return sup_fail(error, RB_EINVAL, "%s: not a file", path);
    if (sup_input("platform", path, error) != RB_OK)
        return RB_EINVAL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    int status = RB_OK;
    struct platform_xml_errors errors; /* before there is a parser to hear of them */
    platform_xml_errors_begin(&errors);
    reading.parser = xmlCreatePushParserCtxt(&handler, &reading, NULL, 0, path);
    if (reading.parser == NULL) {
        status = sup_fail(error, RB_ENOMEM, "%s: out of memory", path);
    } else {
        xmlCtxtUseOptions(reading.parser, XML_PARSE_NONET);
        status = read_all(&reading, file);
        xmlFreeDoc(reading.parser->myDoc); /* some entities make it have one, which stays */
        xmlFreeParserCtxt(reading.parser);
        for (reading.depth = MOST_DEPTH; reading.depth > 0; reading.depth--)
            end_graph(&reading);
    }
    platform_xml_errors_end();
    if (reading.no_memory || errors.no_memory)
        status = sup_fail(error, RB_ENOMEM, "%s: out of memory", path);
    fclose(file);
    return status;
}

int platform_check_xml(const char *path, struct sup_error *error)
{
    return check(path, false, error);
}

int platform_check_flow(const char *path, struct sup_error *error)
{
    return check(path, true, error);
}
