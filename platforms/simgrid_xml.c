/* simgrid_xml.c - a platform as a SimGrid file (simgrid.dtd, version 4.1), and SimGrid's settings.
 */
#include <float.h>
#include <inttypes.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "platform.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- Collects libxml2's errors while it makes or reads a document ---------------------------- */

static void note(void *context, platform_xml_error error)
{
    struct platform_xml_errors *errors = context;
    if (error->code == XML_ERR_NO_MEMORY)
        sup_no_memory();
    errors->any = true;
}

/* Has a text alone: its lists, which have no memory, and an encoding that is not the file's. */
static void note_text(void *context, const char *text, ...)
{
    struct platform_xml_errors *errors = context;
    if (strstr(text, "memory") != NULL)
        sup_no_memory();
    errors->any = true;
}

void platform_xml_errors_begin(struct platform_xml_errors *errors)
{
    *errors = (struct platform_xml_errors){0};
    xmlSetStructuredErrorFunc(errors, note);
    xmlSetGenericErrorFunc(errors, note_text);
}

void platform_xml_errors_end(void)
{
    xmlSetStructuredErrorFunc(NULL, NULL);
    xmlSetGenericErrorFunc(NULL, NULL);
}

/* ---- Puts a zone around a platform's outermost cluster --------------------------------------- */

/* SimGrid 4 crashes on a torus, fat-tree or dragonfly that has no zone around it; SimGrid 3 makes
 * it the root itself. */

/* The cluster with a topology that is a child of <platform>; NULL: there is none. */
static xmlNodePtr outermost_cluster(xmlDocPtr document)
{
    xmlNodePtr root = xmlDocGetRootElement(document);
    for (xmlNodePtr node = root == NULL ? NULL : root->children; node != NULL; node = node->next)
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "cluster") == 0 &&
            xmlHasProp(node, BAD_CAST "topology") != NULL)
            return node;
    return NULL;
}

static void enclose(xmlNodePtr cluster)
{
    xmlNodePtr zone = xmlNewDocNode(cluster->doc, NULL, BAD_CAST "zone", NULL);
    xmlNewProp(zone, BAD_CAST "id", BAD_CAST "around-the-cluster");
    xmlNewProp(zone, BAD_CAST "routing", BAD_CAST "Full");
    xmlReplaceNode(cluster, zone);
    xmlAddChild(zone, cluster);
}

int platform_enclose_cluster(const char *path, char **xml, size_t *size, struct sup_error *error)
{
    struct platform_xml_errors errors;
    xmlNodePtr cluster;
    int status = RB_OK;
    *xml = NULL;
    platform_xml_errors_begin(&errors);
    xmlDocPtr document =
        xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (document == NULL) {
        status = sup_fail(error, RB_EINVAL, "%s: not XML", path);
    } else if ((cluster = outermost_cluster(document)) != NULL) {
        xmlChar *text = NULL;
        int length = 0;
        enclose(cluster);
        xmlDocDumpMemory(document, &text, &length);
        *xml = sup_strdup((const char *)text);
        *size = (size_t)length;
        xmlFree(text);
    }
    xmlFreeDoc(document);
    platform_xml_errors_end();
    return status;
}

/* ---- Clusters -------------------------------------------------------------------------------- */

void platform_begin(xmlTextWriterPtr writer, const char *element)
{
    xmlTextWriterStartElement(writer, BAD_CAST element);
}

void platform_end(xmlTextWriterPtr writer)
{
    xmlTextWriterEndElement(writer);
}

void platform_write_text(xmlTextWriterPtr writer, const char *name, const char *value)
{
    xmlTextWriterWriteAttribute(writer, BAD_CAST name, BAD_CAST value);
}

void platform_write_number(xmlTextWriterPtr writer, const char *name, double value,
                           const char *unit)
{
    char text[40];
    xmlTextWriterWriteFormatAttribute(writer, BAD_CAST name, "%s%s",
                                      sup_format_real(value, text, sizeof text), unit);
}

static void write_cluster(xmlTextWriterPtr writer, const struct platform_cluster *cluster)
{
    platform_begin(writer, "cluster");
    platform_write_text(writer, "id", cluster->name);
    platform_write_text(writer, "prefix", "host-");
    platform_write_text(writer, "suffix", "");
    xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "radical", "0-%" PRId32, cluster->hosts - 1);
    platform_write_text(writer, "speed", "1Gf");
    platform_write_number(writer, "bw",
                          cluster->bandwidth * (cluster->ports > 1 ? cluster->ports : 1), "Bps");
    platform_write_number(
        writer, "lat", cluster->latency_per_hop ? cluster->latency_s : cluster->latency_s / 2, "s");
    platform_write_text(writer, "sharing_policy", "SPLITDUPLEX");
    platform_write_number(writer, "loopback_bw", cluster->loopback_bandwidth, "Bps");
    platform_write_number(writer, "loopback_lat", cluster->loopback_latency_s, "s");
    if (cluster->ports > 1) { /* no message gets more than one port's share */
        platform_write_number(writer, "bb_bw", cluster->bandwidth, "Bps");
        platform_write_text(writer, "bb_lat", "0s");
        platform_write_text(writer, "bb_sharing_policy", "FATPIPE");
    }
    platform_write_text(writer, "topology", cluster->topology);
    if (cluster->parameters[0] != '\0')
        platform_write_text(writer, "topo_parameters", cluster->parameters);
    platform_end(writer);
}

static xmlTextWriterPtr begin_xml(xmlBufferPtr buffer, const struct platform_cluster *cluster,
                                  const char *more)
{
    xmlTextWriterPtr writer = xmlNewTextWriterMemory(buffer, 0);
    if (writer == NULL)
        sup_no_memory();
    xmlTextWriterSetIndent(writer, 1);
    xmlTextWriterSetIndentString(writer, BAD_CAST "  ");
    xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
    xmlTextWriterWriteDTD(writer, BAD_CAST "platform", NULL,
                          BAD_CAST "https://simgrid.org/simgrid.dtd", NULL);
    xmlTextWriterWriteFormatComment(writer, " %s: %s.%s ", cluster->name, cluster->note, more);
    platform_begin(writer, "platform");
    platform_write_text(writer, "version", "4.1");
    platform_begin(writer, "zone");
    platform_write_text(writer, "id", "roundabout");
    platform_write_text(writer, "routing", "Full");
    return writer;
}

static void end_xml(xmlTextWriterPtr writer)
{
    xmlTextWriterEndDocument(writer);
    xmlFreeTextWriter(writer); /* writes the rest */
}

void platform_cluster_write(const struct platform_cluster *cluster, xmlBufferPtr buffer)
{
    const bool ends = cluster->inner_links && !cluster->latency_per_hop && cluster->wire == NULL;
    xmlTextWriterPtr writer = begin_xml(
        buffer, cluster,
        ends ? " The latency lies on the hosts' own links, half at each end: the links between "
               "switches count as 0 (docs/platforms.md)."
             : "");
    if (ends) {
        platform_begin(writer, "prop");
        platform_write_text(writer, "id", PLATFORM_LATENCY_PROPERTY);
        platform_write_text(writer, "value", PLATFORM_LATENCY_ENDS);
        platform_end(writer);
    }
    if (cluster->wire != NULL)
        platform_wiring_write(writer, cluster);
    else
        write_cluster(writer, cluster);
    end_xml(writer);
}

/* ---- Routes ---------------------------------------------------------------------------------- */

/* A network as a SimGrid file that lists its hosts, links and the route of every pair of hosts:
 * for routes that no cluster of SimGrid's has. */

enum { NAME = 128 };

static void write_host(xmlTextWriterPtr writer, const struct platform_network *network,
                       int32_t host)
{
    char name[NAME];
    platform_begin(writer, "host");
    platform_write_text(writer, "id", platform_network_host_name(network, host, name, sizeof name));
    platform_write_text(writer, "speed", "1Gf");
    platform_end(writer);
}

static void write_link(xmlTextWriterPtr writer, const struct platform_network *network,
                       int32_t number)
{
    const struct platform_link *link = &network->link[number];
    char name[NAME];
    platform_begin(writer, "link");
    platform_write_text(writer, "id",
                        platform_network_link_name(network, number, name, sizeof name));
    platform_write_number(writer, "bandwidth", link->bandwidth, "Bps");
    platform_write_number(writer, "latency", link->latency_s, "s");
    platform_write_text(writer, "sharing_policy", link->shared ? "SHARED" : "FATPIPE");
    platform_end(writer);
}

static void write_route(xmlTextWriterPtr writer, struct platform_network *network, int32_t from,
                        int32_t to)
{
    struct platform_route route;
    char name[NAME];
    if (platform_network_route(network, from, to, 0, &route, NULL) != RB_OK)
        sup_no_memory(); /* a formula knows all routes */
    platform_begin(writer, "route");
    platform_write_text(writer, "src",
                        platform_network_host_name(network, from, name, sizeof name));
    platform_write_text(writer, "dst", platform_network_host_name(network, to, name, sizeof name));
    platform_write_text(writer, "symmetrical", "NO");
    for (int32_t i = 0; i < route.count; i++) {
        platform_begin(writer, "link_ctn");
        platform_write_text(writer, "id",
                            platform_network_link_name(network, route.link[i], name, sizeof name));
        platform_end(writer);
    }
    platform_end(writer);
}

void platform_routes_write(const struct platform_cluster *cluster, struct platform_network *network,
                           xmlBufferPtr buffer)
{
    xmlTextWriterPtr writer = begin_xml(buffer, cluster, " The routes of all pairs are listed.");
    for (int32_t host = 0; host < network->hosts; host++)
        write_host(writer, network, host);
    for (int32_t link = 0; link < network->links; link++)
        write_link(writer, network, link);
    for (int32_t from = 0; from < network->hosts; from++)
        for (int32_t to = 0; to < network->hosts; to++)
            write_route(writer, network, from, to);
    end_xml(writer);
}

/* ---- Settings -------------------------------------------------------------------------------- */

/* Which values of SimGrid's settings are possible. SimGrid checks hardly any: with some it crashes,
 * aborts, or runs for ever. */

/* Settings that are numbers. */
static const struct {
    const char *key;
    double least, most;
    const char *wanted;
} numbers[] = {
    {"maxmin/precision", DBL_MIN, 1, "above 0 and at most 1"},
    {"surf/precision", DBL_MIN, 1, "above 0 and at most 1"},
    {"precision/timing", DBL_MIN, 1, "above 0 and at most 1"},
    {"precision/work-amount", DBL_MIN, 1, "above 0 and at most 1"},
    {"maxmin/concurrency-limit", 1, INFINITY, "of at least 1, or -1 for no limit"},
    {"network/bandwidth-factor", 1e-9, 1e9, "from 1e-9 to 1e9"},
    {"network/latency-factor", 0, 1e9, "from 0 to 1e9"},
    {"network/loopback-bw", 1, 1e18, "from 1 to 1e18 (bytes per second)"},
    {"network/loopback-lat", 0, 1e9, "from 0 to 1e9 (seconds)"},
    {"network/weight-S", 0, 1e18, "from 0 to 1e18 (bytes)"},
    {"network/TCP-gamma", 0, 1e18, "from 0 to 1e18 (bytes)"},
    {"contexts/stack-size", 16, 1 << 20, "from 16 to 1048576 (KiB)"},
    {"contexts/guard-size", 0, 1 << 20, "from 0 to 1048576 (pages)"},
    {"contexts/nthreads", 1, 1024, "from 1 to 1024"},
};

/* Settings that are words. */
static const struct {
    const char *key;
    const char *word[8];
} words[] = {
    /* Constant wants a platform without links, ns-3 one of its own. */
    {"network/model", {"CM02", "LV08", "SMPI", "IB"}},
    {"network/optim", {"Lazy", "TI", "Full"}},
    {"cpu/optim", {"Lazy", "TI", "Full"}},
    {"cpu/model", {"Cas01"}},
    {"host/model", {"default", "compound", "ptask_L07"}},
};

static int check_word(size_t i, const char *value, struct sup_error *error)
{
    char all[128] = "";
    for (size_t k = 0; words[i].word[k] != NULL; k++) {
        if (strcmp(words[i].word[k], value) == 0)
            return RB_OK;
        sup_append(all, sizeof all, ", ", "%s", words[i].word[k]);
    }
    return sup_fail(error, RB_EINVAL, "%s:%s: it must be one of %s", words[i].key, value, all);
}

int platform_check_setting(const char *key, const char *value, struct sup_error *error)
{
    char *rest;
    const double number = strtod(value, &rest);
    const bool is_number = rest != value && *rest == '\0';
    const size_t first = strcspn(value, " \t\n,");
    if (value[first] != '\0')
        return sup_fail(error, RB_EINVAL,
                        "%s:%.*s...: SimGrid takes what follows a blank or a comma for another "
                        "setting: give each by itself",
                        key, (int)first, value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].key, key) == 0)
            return check_word(i, value, error);
    if (strcmp(value, "help") == 0)
        return sup_fail(error, RB_EINVAL, "%s:help is a question, not a setting", key);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && is_number; i++) {
        if (strcmp(numbers[i].key, key) != 0)
            continue;
        if (isinf(numbers[i].most) && number == -1)
            return RB_OK;
        if (!(number >= numbers[i].least && number <= numbers[i].most))
            return sup_fail(error, RB_EINVAL, "%s:%s: it must be a number %s", key, value,
                            numbers[i].wanted);
    }
    return RB_OK;
}

/* The settings that the engine flow knows. Those without a value leave its times as they are: the
 * platform's routes say what they do, or the engines pass the setting to SimGrid themselves, which
 * then takes no other from a file. */
static const struct {
    const char *key;    /* or the beginning of keys, which ends with / */
    const char *value;  /* as flow has it */
    double least, most; /* numbers with which times are the same */
} known_to_flow[] = {
    {.key = "cpu/"},
    {.key = "smpi/"},
    {.key = "surf/precision"},
    {.key = "precision/timing"},
    {.key = "network/model"},
    {.key = "network/crosstraffic"},
    {.key = "network/TCP-gamma"},
    {.key = "network/optim"},
    {.key = "network/maxmin-selective-update"},
    {.key = "network/loopback-bw"},
    {.key = "network/loopback-lat"},
    {.key = "host/solver"},
    {"host/model", "compound", 1, 0},
    {"network/solver", "maxmin", 1, 0},
    {"network/latency-factor", "1", 1, 1},
    {"network/bandwidth-factor", "1", 1, 1},
    {"network/weight-S", "0", 0, 0},
    {"maxmin/precision", "1e-5", 0, 1e-5},
    {"precision/work-amount", "1e-5", 0, 1e-5},
    {"maxmin/concurrency-limit", "-1", -1, -1},
};

int platform_check_flow_setting(const char *key, const char *value, struct sup_error *error)
{
    char *rest;
    const double number = strtod(value, &rest);
    const bool is_number = rest != value && *rest == '\0';
    for (size_t i = 0; i < sizeof known_to_flow / sizeof *known_to_flow; i++) {
        const char *known = known_to_flow[i].key, *wanted = known_to_flow[i].value;
        const size_t length = strlen(known);
        if (strncmp(known, key, length + (known[length - 1] != '/')) != 0)
            continue;
        if (wanted == NULL || strcmp(wanted, value) == 0 ||
            (is_number && number >= known_to_flow[i].least && number <= known_to_flow[i].most))
            return RB_OK;
        return sup_fail(error, RB_EINVAL,
                        "the engine flow takes %s to be %s, not %s: only --engine simgrid obeys it",
                        key, wanted, value);
    }
    return sup_fail(error, RB_EINVAL,
                    "the engine flow does not know %s: only --engine simgrid obeys it", key);
}
