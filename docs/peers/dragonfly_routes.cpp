/* The route between two hosts of a dragonfly that SimGrid's XML describes by groups, chassis in a
 * group, blades (routers) in a chassis and nodes (hosts) at a router, with one link everywhere. g++
 * -std=c++17 dragonfly_routes.cpp -lsimgrid -o dragonfly_routes
 *   ./dragonfly_routes 3 1 2 2 h0 h1      crashes: more groups than blades in a chassis
 *   ./dragonfly_routes 2 2 2 1 h2 h3      two routers of one chassis: a link to another chassis is
 * on the way
 *   ./dragonfly_routes 2 2 2 1 h0 h1      the same in the first chassis: right */
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
    simgrid::s4u::Engine engine(&argc, argv);
    if (argc != 7) {
        std::fprintf(stderr, "usage: %s GROUPS CHASSIS BLADES NODES FROM TO\n", argv[0]);
        return 2;
    }
    int hosts = 1;
    for (int i = 1; i <= 4; i++)
        hosts *= std::atoi(argv[i]);
    std::ofstream("dragonfly.xml")
        << "<?xml version='1.0'?><!DOCTYPE platform SYSTEM "
           "'https://simgrid.org/simgrid.dtd'><platform version='4.1'><zone id='all' "
           "routing='Full'>"
        << "<cluster id='c' prefix='h' suffix='' radical='0-" << hosts - 1
        << "' speed='1Gf' bw='1GBps' lat='1us' "
        << "topology='DRAGONFLY' topo_parameters='" << argv[1] << ",1;" << argv[2] << ",1;"
        << argv[3] << ",1;" << argv[4] << "'/></zone></platform>";
    engine.load_platform("dragonfly.xml");
    std::vector<simgrid::s4u::Link *> links;
    engine.host_by_name(argv[5])->route_to(engine.host_by_name(argv[6]), links, nullptr);
    for (auto *link : links)
        std::printf("%s\n", link->get_cname());
}
