/* cluster_xml.c - a platform as a SimGrid file (simgrid.dtd, version 4.1); and its clusters. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "generator.h"
#include "roundabout.h"
#include "support/units.h"

static void write_text(xmlTextWriterPtr writer, const char *name, const char *value)
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
    xmlTextWriterStartElement(writer, BAD_CAST "cluster");
    write_text(writer, "id", cluster->name);
    write_text(writer, "prefix", "host-");
    write_text(writer, "suffix", "");
    xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "radical", "0-%" PRId32, cluster->hosts - 1);
    write_text(writer, "speed", "1Gf");
    platform_write_number(writer, "bw",
                          cluster->bandwidth * (cluster->ports > 1 ? cluster->ports : 1), "Bps");
    platform_write_number(
        writer, "lat", cluster->latency_per_hop ? cluster->latency_s : cluster->latency_s / 2, "s");
    write_text(writer, "sharing_policy", "SPLITDUPLEX");
    platform_write_number(writer, "loopback_bw", cluster->loopback_bandwidth, "Bps");
    platform_write_number(writer, "loopback_lat", cluster->loopback_latency_s, "s");
    if (cluster->ports > 1) { /* no message gets more than one port's share */
        platform_write_number(writer, "bb_bw", cluster->bandwidth, "Bps");
        write_text(writer, "bb_lat", "0s");
        write_text(writer, "bb_sharing_policy", "FATPIPE");
    }
    write_text(writer, "topology", cluster->topology);
    if (cluster->parameters[0] != '\0')
        write_text(writer, "topo_parameters", cluster->parameters);
    xmlTextWriterEndElement(writer);
}

static void write_comment(xmlTextWriterPtr writer, const struct platform_cluster *cluster,
                          bool ends)
{
    xmlTextWriterWriteFormatComment(
        writer, " %s: %s.%s ", cluster->name, cluster->note,
        ends ? " The latency lies on the hosts' own links, half at each end: the links between "
               "switches count as 0 (docs/platforms.md)."
             : "");
}

void platform_begin_xml(xmlTextWriterPtr writer)
{
    xmlTextWriterSetIndent(writer, 1);
    xmlTextWriterSetIndentString(writer, BAD_CAST "  ");
    xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
    xmlTextWriterWriteDTD(writer, BAD_CAST "platform", NULL,
                          BAD_CAST "https://simgrid.org/simgrid.dtd", NULL);
}

static void write_platform(xmlTextWriterPtr writer, const struct platform_cluster *cluster)
{
    bool ends = cluster->inner_links && !cluster->latency_per_hop && cluster->wire == NULL;
    platform_begin_xml(writer);
    write_comment(writer, cluster, ends);
    xmlTextWriterStartElement(writer, BAD_CAST "platform");
    write_text(writer, "version", "4.1");
    xmlTextWriterStartElement(writer, BAD_CAST "zone");
    write_text(writer, "id", "roundabout");
    write_text(writer, "routing", "Full");
    if (ends) {
        xmlTextWriterStartElement(writer, BAD_CAST "prop");
        write_text(writer, "id", PLATFORM_LATENCY_PROPERTY);
        write_text(writer, "value", PLATFORM_LATENCY_ENDS);
        xmlTextWriterEndElement(writer);
    }
    if (cluster->wire != NULL)
        platform_wiring_write(writer, cluster);
    else
        write_cluster(writer, cluster);
    xmlTextWriterEndDocument(writer);
}

int platform_cluster_write(const struct platform_cluster *cluster, xmlBufferPtr buffer)
{
    xmlTextWriterPtr writer = xmlNewTextWriterMemory(buffer, 0);
    if (writer == NULL)
        return RB_ENOMEM;
    write_platform(writer, cluster);
    xmlFreeTextWriter(writer); /* writes the rest */
    return RB_OK;
}
