/* routes_xml.c - a network as a SimGrid file that lists its hosts, links and the route of every
 * pair of hosts: for routes that no cluster of SimGrid's has. */

#include "generator.h"
#include "roundabout.h"
#include "support/memory.h"

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
    xmlTextWriterPtr writer =
        platform_begin_xml(buffer, cluster, " The routes of all pairs are listed.");
    for (int32_t host = 0; host < network->hosts; host++)
        write_host(writer, network, host);
    for (int32_t link = 0; link < network->links; link++)
        write_link(writer, network, link);
    for (int32_t from = 0; from < network->hosts; from++)
        for (int32_t to = 0; to < network->hosts; to++)
            write_route(writer, network, from, to);
    platform_end_xml(writer);
}
