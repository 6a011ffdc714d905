/* cluster_xml.c - a platform as a SimGrid file (simgrid.dtd, version 4.1); and its clusters. */
#include <inttypes.h>
#include <stdlib.h>

#include "generator.h"
#include "support/memory.h"
#include "support/units.h"

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

xmlTextWriterPtr platform_begin_xml(xmlBufferPtr buffer, const struct platform_cluster *cluster,
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

void platform_end_xml(xmlTextWriterPtr writer)
{
    xmlTextWriterEndDocument(writer);
    xmlFreeTextWriter(writer); /* writes the rest */
}

void platform_cluster_write(const struct platform_cluster *cluster, xmlBufferPtr buffer)
{
    const bool ends = cluster->inner_links && !cluster->latency_per_hop && cluster->wire == NULL;
    xmlTextWriterPtr writer = platform_begin_xml(
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
    platform_end_xml(writer);
}
