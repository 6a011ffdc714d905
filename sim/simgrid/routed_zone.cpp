/* routed_zone.cpp - see routed_zone.h. */
#include "routed_zone.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include "roundabout.h"

namespace sg4 = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

namespace
{

#if SIMGRID_VERSION_MAJOR < 4
/* The first zone is the root. */
void put_into_platform(routing::NetZoneImpl &)
{
}

sg4::Host *new_host(routing::NetZoneImpl &zone, const char *name)
{
    return zone.create_host(name, {1e9});
}

sg4::Link *new_link(routing::NetZoneImpl &zone, const char *name, double bandwidth)
{
    return zone.create_link(name, {bandwidth});
}
#else
/* The engine makes the root, which gives its models to the zones below it. */
void put_into_platform(routing::NetZoneImpl &zone)
{
    zone.set_parent(sg4::Engine::get_instance()->get_netzone_root()->get_impl());
}

sg4::Host *new_host(routing::NetZoneImpl &zone, const char *name)
{
    return zone.add_host(name, {1e9});
}

sg4::Link *new_link(routing::NetZoneImpl &zone, const char *name, double bandwidth)
{
    return zone.add_link(name, {bandwidth});
}
#endif

/* Its hosts are its only points, in their order, so that a point's id is the host's number. */
class RoutedZone : public routing::NetZoneImpl
{
    platform_network *network_;
    std::vector<sg4::Link *> link_;

  public:
    explicit RoutedZone(platform_network *network)
        : routing::NetZoneImpl("roundabout"), network_(network)
    {
    }
    RoutedZone(const RoutedZone &) = delete;
    RoutedZone &operator=(const RoutedZone &) = delete;
    ~RoutedZone() override
    {
        platform_network_destroy(network_);
    }

    void fill(std::vector<sg4::Host *> &hosts)
    {
        char name[256];
        put_into_platform(*this);
        for (int32_t h = 0; h < network_->hosts; h++) {
            platform_network_host_name(network_, h, name, sizeof name);
            hosts.push_back(new_host(*this, name)->seal());
        }
        for (int32_t l = 0; l < network_->links; l++) {
            const platform_link &own = network_->link[l];
            platform_network_link_name(network_, l, name, sizeof name);
            link_.push_back(new_link(*this, name, own.bandwidth));
            link_.back()->set_latency(own.latency_s);
            if (!own.shared)
                link_.back()->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
            link_.back()->seal();
        }
    }

    void get_local_route(const routing::NetPoint *from, const routing::NetPoint *to,
                         routing::Route *into, double *latency) override
    {
        platform_route route;
        sup_error error;
        if (platform_network_route(network_, static_cast<int32_t>(from->id()),
                                   static_cast<int32_t>(to->id()), 0, &route, &error) != RB_OK)
            throw std::runtime_error(error.text);
        for (int32_t i = 0; i < route.count; i++)
            into->link_list_.push_back(link_[static_cast<size_t>(route.link[i])]->get_impl());
        if (latency != nullptr)
            *latency += route.latency_s;
    }
};

} // namespace

std::vector<sg4::Host *> s4u_routed_zone_create(struct platform_network *network)
{
    std::vector<sg4::Host *> hosts;
    auto *zone = new RoutedZone(network); /* the engine's */
    zone->fill(hosts);
    zone->seal();
    return hosts;
}
