/* routes_xml.c - a network as a SimGrid file that lists its hosts, links and the route of every
 * pair of hosts: for routes that no cluster of SimGrid's has. */
#include <stdio.h>

#include "generator.h"
#include "roundabout.h"

enum { NAME = 128 };

static void write_text(xmlTextWriterPtr writer, const char *name, const char *value)
{
    xmlTextWriterWriteAttribute(writer, BAD_CAST name, BAD_CAST value);
}

static void write_host(xmlTextWriterPtr writer, const struct platform_network *network,
                       int32_t host)
{
    char name[NAME];
    xmlTextWriterStartElement(writer, BAD_CAST "host");
    write_text(writer, "id", platform_network_host_name(network, host, name, sizeof name));
    write_text(writer, "speed", "1Gf");
    xmlTextWriterEndElement(writer);
}

static void write_link(xmlTextWriterPtr writer, const struct platform_network *network,
                       int32_t number)
{
    const struct platform_link *link = &network->link[number];
    char name[NAME];
    xmlTextWriterStartElement(writer, BAD_CAST "link");
    write_text(writer, "id", platform_network_link_name(network, number, name, sizeof name));
    platform_write_number(writer, "bandwidth", link->bandwidth, "Bps");
    platform_write_number(writer, "latency", link->latency_s, "s");
    write_text(writer, "sharing_policy", link->shared ? "SHARED" : "FATPIPE");
    xmlTextWriterEndElement(writer);
}

static int write_route(xmlTextWriterPtr writer, struct platform_network *network, int32_t from,
                       int32_t to)
{
    struct platform_route route;
    char name[NAME];
    const int status = platform_network_route(network, from, to, 0, &route, NULL);
    if (status != RB_OK)
        return status;
    xmlTextWriterStartElement(writer, BAD_CAST "route");
    write_text(writer, "src", platform_network_host_name(network, from, name, sizeof name));
    write_text(writer, "dst", platform_network_host_name(network, to, name, sizeof name));
    write_text(writer, "symmetrical", "NO");
    for (int32_t i = 0; i < route.count; i++) {
        xmlTextWriterStartElement(writer, BAD_CAST "link_ctn");
        write_text(writer, "id",
                   platform_network_link_name(network, route.link[i], name, sizeof name));
        xmlTextWriterEndElement(writer);
    }
    xmlTextWriterEndElement(writer);
    return RB_OK;
}

static int write_zone(xmlTextWriterPtr writer, struct platform_network *network)
{
    int status = RB_OK;
    write_text(writer, "id", "roundabout");
    write_text(writer, "routing", "Full");
    for (int32_t host = 0; host < network->hosts; host++)
        write_host(writer, network, host);
    for (int32_t link = 0; link < network->links; link++)
        write_link(writer, network, link);
    for (int32_t from = 0; from < network->hosts; from++)
        for (int32_t to = 0; to < network->hosts && status == RB_OK; to++)
            status = write_route(writer, network, from, to);
    return status;
}

int platform_routes_write(const struct platform_cluster *cluster, struct platform_network *network,
                          xmlBufferPtr buffer)
{
    xmlTextWriterPtr writer = xmlNewTextWriterMemory(buffer, 0);
    if (writer == NULL)
        return RB_ENOMEM;
    platform_begin_xml(writer);
    xmlTextWriterWriteFormatComment(writer, " %s: %s. The routes of all pairs are listed. ",
                                    cluster->name, cluster->note);
    xmlTextWriterStartElement(writer, BAD_CAST "platform");
    write_text(writer, "version", "4.1");
    xmlTextWriterStartElement(writer, BAD_CAST "zone");
    const int status = write_zone(writer, network);
    xmlTextWriterEndDocument(writer);
    xmlFreeTextWriter(writer); /* writes the rest */
    return status;
}
