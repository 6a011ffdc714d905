/* simgrid_platform.cpp - loading and looking at a platform through SimGrid's C++ interface.
 *
 * C++ because the C interface has no routes that survive into SimGrid 4. */

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "platforms/network.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/isolate.h"
#include "simgrid_platform.h"
}

/* ---- A zone whose routes come from a network's formula --------------------------------------- */

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

/* Makes the running engine's platform of this network, which the zone destroys. Returns the hosts
 * in the network's order. Throws what SimGrid throws. */
static std::vector<sg4::Host *> s4u_routed_zone_create(struct platform_network *network)
{
    std::vector<sg4::Host *> hosts;
    auto *zone = new RoutedZone(network); /* the engine's */
    zone->fill(hosts);
    zone->seal();
    return hosts;
}

/* ---- Platforms ------------------------------------------------------------------------------- */

struct s4u_platform {
    std::unique_ptr<sg4::Engine> engine;
    std::vector<sg4::Host *> hosts;
    std::vector<sg4::Link *> links; /* each link's data is its number + 1 */
    std::vector<sg4::Link *> route; /* scratch */
    std::vector<int32_t> route_number;
};

namespace
{

/* docs/simgrid.md says why each is set. All are set before the platform is loaded. */
const char *const clean_network[] = {
    "--log=root.threshold:error", "--log=root.fmt:%p:%e%m%n",
    "--cfg=network/model:CM02",   "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:0",  "--cfg=surf/precision:1e-12",
    "--cfg=tracing:no",
};

std::unique_ptr<sg4::Engine> start_engine(const s4u_options &options)
{
    std::vector<std::string> text{"roundabout"};
    text.insert(text.end(), std::begin(clean_network), std::end(clean_network));
    if (options.share_hosts)
        text.emplace_back("--cfg=network/optim:Full");
    for (int32_t i = 0; i < options.count; i++)
        text.push_back(std::string("--cfg=") + options.text[i]);
    std::vector<char *> argument;
    for (auto &t : text)
        argument.push_back(t.data());
    argument.push_back(nullptr);
    int count = static_cast<int>(text.size());
    return std::make_unique<sg4::Engine>(&count, argument.data());
}

/* "--engine-option a:1, --engine-option b:2", for messages. */
std::string option_list(const s4u_options &options)
{
    std::string all;
    for (int32_t i = options.own; i < options.count; i++)
        all +=
            std::string(all.empty() ? "--engine-option " : ", --engine-option ") + options.text[i];
    return all;
}

/* The values that the user chose. */
int check_options(const s4u_options &options, sup_error *error)
{
    for (int32_t i = options.own; i < options.count; i++) {
        const std::string text = options.text[i];
        const size_t colon = text.find(':');
        sup_error why;
        if (colon != std::string::npos &&
            platform_check_setting(text.substr(0, colon).c_str(), text.substr(colon + 1).c_str(),
                                   &why) != RB_OK)
            return sup_fail(error, RB_EINVAL, "--engine-option %s", why.text);
    }
    return RB_OK;
}

bool latency_at_ends(const sg4::NetZone *zone)
{
    const char *where = zone->get_property(PLATFORM_LATENCY_PROPERTY);
    if (where && std::strcmp(where, PLATFORM_LATENCY_ENDS) == 0)
        return true;
    auto children = zone->get_children();
    return std::any_of(children.begin(), children.end(), latency_at_ends);
}

/* Marks the first and the last link of a route. */
void mark_ends(s4u_platform &platform, size_t from, size_t to, std::vector<bool> &at_end)
{
    platform.route.clear();
    double latency = 0;
    platform.hosts[from]->route_to(platform.hosts[to], platform.route, &latency);
    if (platform.route.empty())
        return;
    for (auto *link : {platform.route.front(), platform.route.back()})
        at_end[reinterpret_cast<uintptr_t>(link->get_data<void>()) - 1] = true;
}

void keep_latency_at_ends(s4u_platform &platform)
{
    std::vector<bool> at_end(platform.links.size(), false);
    size_t hosts = platform.hosts.size();
    /* Every host is once the source and once the destination, so that all host links are seen. */
    for (size_t h = 0; h < hosts; h++) {
        mark_ends(platform, h, (h + 1) % hosts, at_end);
        mark_ends(platform, h, h, at_end); /* the loopback */
    }
    for (size_t i = 0; i < platform.links.size(); i++)
        if (!at_end[i])
            platform.links[i]->set_latency(0.0);
}

template <class T> void sort_by_name(std::vector<T *> &things)
{
    std::sort(things.begin(), things.end(), [](const T *a, const T *b) {
        int order = strverscmp(a->get_cname(), b->get_cname());
        return order < 0 || (order == 0 && a->get_name() < b->get_name());
    });
}

void number_all(s4u_platform &platform)
{
    platform.engine->seal_platform();
    platform.hosts = platform.engine->get_all_hosts();
    sort_by_name(platform.hosts);
    platform.links = platform.engine->get_all_links();
    sort_by_name(platform.links);
    for (size_t i = 0; i < platform.links.size(); i++)
        platform.links[i]->set_data(reinterpret_cast<void *>(i + 1));
}

void load_file(s4u_platform &platform, const std::string &path)
{
    platform.engine->load_platform(path);
    if (platform.engine->get_netzone_root() == nullptr)
        return; /* it has no hosts */
    number_all(platform);
    if (latency_at_ends(platform.engine->get_netzone_root()))
        keep_latency_at_ends(platform);
}

/* A file in memory, so that nothing is left behind however we die. */
class MemoryFile
{
    int descriptor_ = memfd_create("platform", 0);

  public:
    MemoryFile(const char *text, size_t size)
    {
        while (size > 0) {
            ssize_t written = write(descriptor_, text, size);
            if (written <= 0)
                throw std::bad_alloc();
            text += written;
            size -= static_cast<size_t>(written);
        }
    }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    ~MemoryFile()
    {
        if (descriptor_ >= 0)
            close(descriptor_);
    }
    std::string path() const
    {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }
};

/* The first line of SimGrid's message, with the platform's name in place of the memory file's. */
std::string without_memory_file(std::string message, const char *platform)
{
    message.resize(static_cast<size_t>(sup_first_line(message.c_str())));
    const size_t at = message.find("/proc/self/fd/");
    if (at != std::string::npos)
        message.replace(at, message.find_first_of(": ", at) - at, platform);
    return message;
}

/* Routes that SimGrid does not know come from the network's formula. */
int load_routed(s4u_platform &platform, const char *text, sup_error *error)
{
    platform_network *network = nullptr;
    const int status = platform_network_create(text, &network, error);
    if (status != RB_OK)
        return status;
    if (network->routing.per_message) {
        platform_network_destroy(network);
        return sup_fail(error, RB_EINVAL,
                        "%s: SimGrid has one route for each pair of hosts, and this routing "
                        "chooses one for each message: use --engine flow",
                        text);
    }
    const std::vector<sg4::Host *> hosts = s4u_routed_zone_create(network);
    number_all(platform);
    platform.hosts = hosts; /* in the network's order, whatever their names are */
    return RB_OK;
}

int load_generated(s4u_platform &platform, const char *text, sup_error *error)
{
    bool is_simgrids = false;
    int status = platform_network_is_simgrids(text, &is_simgrids, error);
    if (status == RB_OK && !is_simgrids)
        return load_routed(platform, text, error);
    if (status != RB_OK)
        return status;
    char *xml = nullptr;
    size_t size = 0;
    status = platform_make_xml(text, &xml, &size, error);
    std::unique_ptr<char, decltype(&std::free)> owned(xml, std::free);
    if (status == RB_OK)
        load_file(platform, MemoryFile(xml, size).path());
    return status;
}

int load_platform(s4u_platform &platform, const char *text, sup_error *error)
{
    if (platform_is_generated(text))
        return load_generated(platform, text, error);
    struct stat about;
    const char *trouble = nullptr;
    if (stat(text, &about) != 0 || access(text, R_OK) != 0)
        trouble = std::strerror(errno);
    else if (S_ISDIR(about.st_mode))
        trouble = "that is a directory";
    if (trouble)
        return sup_fail(error, RB_EINVAL,
                        "platform '%s': %s; give a SimGrid XML file or a generator such as "
                        "fat-tree:1024",
                        text, trouble);
    char *xml = nullptr;
    size_t size = 0;
    const int status = platform_enclose_cluster(text, &xml, &size, error);
    std::unique_ptr<char, decltype(&std::free)> owned(xml, std::free);
    if (status == RB_OK)
        load_file(platform, xml ? MemoryFile(xml, size).path() : text);
    return status;
}

} // namespace

int s4u_platform_load(const char *platform, const struct s4u_options *options,
                      struct s4u_platform **loaded, struct sup_error *error)
{
    *loaded = nullptr;
    const s4u_options wanted = options != nullptr ? *options : s4u_options{};
    int status = check_options(wanted, error);
    if (status != RB_OK)
        return status;
    const std::string given = option_list(wanted);
    sim_isolated_input(true, "platform '%s'%s%s", platform, given.empty() ? "" : " with ",
                       given.c_str());
    try {
        auto made = std::make_unique<s4u_platform>();
        try {
            made->engine = start_engine(wanted);
        } catch (const std::exception &e) {
            return sup_fail(error, RB_EINVAL, "SimGrid refuses %s: %.*s", given.c_str(),
                            sup_first_line(e.what()), e.what());
        }
        status = load_platform(*made, platform, error);
        if (status == RB_OK && made->hosts.empty())
            status = sup_fail(error, RB_EINVAL, "platform '%s' has no hosts", platform);
        if (status == RB_OK)
            *loaded = made.release();
        sim_isolated_input(false, "platform '%s'%s%s", platform, given.empty() ? "" : " with ",
                           given.c_str());
    } catch (const std::bad_alloc &) {
        status = sup_fail(error, RB_ENOMEM, "out of memory for platform '%s'", platform);
    } catch (const std::exception &e) {
        status = sup_fail(error, RB_EINVAL, "platform '%s': %s", platform,
                          without_memory_file(e.what(), platform).c_str());
    }
    return status;
}

void s4u_platform_destroy(struct s4u_platform *platform)
{
    delete platform;
}

int32_t s4u_host_count(const struct s4u_platform *platform)
{
    return static_cast<int32_t>(platform->hosts.size());
}

const char *s4u_host_name(const struct s4u_platform *platform, int32_t host)
{
    return platform->hosts[static_cast<size_t>(host)]->get_cname();
}

void *s4u_host_handle(const struct s4u_platform *platform, int32_t host)
{
    return platform->hosts[static_cast<size_t>(host)];
}

int32_t s4u_link_count(const struct s4u_platform *platform)
{
    return static_cast<int32_t>(platform->links.size());
}

void s4u_link_describe(const struct s4u_platform *platform, int32_t link,
                       struct s4u_link *description)
{
    const sg4::Link *l = platform->links[static_cast<size_t>(link)];
    *description = {l->get_cname(), l->get_bandwidth(), l->get_latency(),
                    l->get_sharing_policy() != sg4::Link::SharingPolicy::FATPIPE};
}

void s4u_link_delay(struct s4u_platform *platform, int32_t link, double factor)
{
    sg4::Link *l = platform->links[static_cast<size_t>(link)];
    l->set_latency(l->get_latency() * factor);
}

int s4u_find_route(struct s4u_platform *platform, int32_t from, int32_t to, struct s4u_route *route,
                   struct sup_error *error)
{
    const sg4::Host *source = platform->hosts[static_cast<size_t>(from)];
    const sg4::Host *destination = platform->hosts[static_cast<size_t>(to)];
    try {
        platform->route.clear();
        platform->route_number.clear();
        route->latency = 0;
        route->bandwidth = 0;
        source->route_to(destination, platform->route, &route->latency);
        for (const auto *link : platform->route) {
            double bandwidth = link->get_bandwidth();
            if (platform->route_number.empty() || bandwidth < route->bandwidth)
                route->bandwidth = bandwidth;
            auto number = reinterpret_cast<uintptr_t>(link->get_data<void>());
            platform->route_number.push_back(static_cast<int32_t>(number) - 1);
        }
    } catch (const std::exception &e) {
        return sup_fail(error, RB_EFAILED, "no route from host %s to host %s: %.*s",
                        source->get_cname(), destination->get_cname(), sup_first_line(e.what()),
                        e.what());
    }
    route->link = platform->route_number.data();
    route->count = static_cast<int32_t>(platform->route_number.size());
    return RB_OK;
}
