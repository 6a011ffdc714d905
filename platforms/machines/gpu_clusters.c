/* gpu_clusters.c - clusters of GPUs with several network interfaces per node, by the generator
 * rails. Hosts are network interfaces, called by node and place: polaris-0-0, polaris-0-1,
 * polaris-1-0, ... docs/machine-presets.md has the sources in full.
 *
 * Where a node has fewer network interfaces than GPUs, a host stands for one of them with its GPUs:
 * its inner link is all that these have to the other hosts' GPUs together, and its loopback what
 * joins two of them. Networks that are not built by rails have rails=1 and a switch as large as a
 * pod, which stands for a cell, cabinet or island. */
#include <stdio.h>

#include "platforms/generator.h"

static const char *const fixed[] = {"nics", "topology", NULL};

static void name(const struct platform_hosts *hosts, int32_t host, char *text, size_t size)
{
    snprintf(text, size, "%s-%d-%d", hosts->machine->face.name, (int)(host / hosts->side[0]),
             (int)(host % hosts->side[0]));
}

#define RAILS_MACHINE(id, text, about, nodes, possible, ...)                                       \
    static const struct platform_option id##_options[] = {__VA_ARGS__, {NULL, NULL, NULL}};        \
    const struct platform_machine platform_##id = {.face = {.name = text,                          \
                                                            .title = about,                        \
                                                            .sizes = possible,                     \
                                                            .options = id##_options,               \
                                                            .base = "rails"},                      \
                                                   .base = &platform_rails,                        \
                                                   .whole = nodes,                                 \
                                                   .fixed = fixed,                                 \
                                                   .name = name}

/* Alike in several of them. */
#define INNER_LATENCY                                                                              \
    {                                                                                              \
        "inner-latency", "1us", "a guess; ASTRA-sim's validated HGX H100 has 0.94 us"              \
    }
#define LATENCY                                                                                    \
    {                                                                                              \
        "latency", "5us", "a guess: GPU to GPU over two network interfaces and a switch"           \
    }
#define NDR                                                                                        \
    {                                                                                              \
        "bandwidth", "48GBps", "400 Gb/s: NCCL's authors expect 46 to 48 GB/s"                     \
    }
#define SCALABLE_UNIT                                                                              \
    {                                                                                              \
        "pod", "32", "a scalable unit: NVIDIA, DGX SuperPOD"                                       \
    }

RAILS_MACHINE(dgx_h100, "dgx-h100",
              "DGX H100 nodes in a DGX SuperPOD: 8 GPUs on 8 rails; hosts dgx-h100-NODE-PLACE",
              "16", "dgx-h100, 16 nodes; dgx-h100:N, any number of them",
              {"nics", "8", "one for each GPU: NVIDIA, DGX BasePOD"}, SCALABLE_UNIT,
              {"inner-bandwidth", "371GBps",
               "18 NVLinks of 25 GB/s: NCCL counts 20.6 of each, and its authors 370 in all"},
              INNER_LATENCY, NDR, LATENCY);

RAILS_MACHINE(dgx_b200, "dgx-b200",
              "DGX B200 nodes in a DGX SuperPOD: 8 GPUs on 8 rails; hosts dgx-b200-NODE-PLACE",
              "16", "dgx-b200, 16 nodes; dgx-b200:N, any number of them",
              {"nics", "8", "one for each GPU: NVIDIA, DGX BasePOD"}, SCALABLE_UNIT,
              {"inner-bandwidth", "722GBps", "18 NVLinks of 50 GB/s: NCCL counts 40.1 of each"},
              INNER_LATENCY, NDR, LATENCY);

RAILS_MACHINE(gb200_nvl72, "gb200-nvl72",
              "GB200 NVL72 racks: 72 GPUs on 4 rails; hosts gb200-nvl72-RACK-PLACE", "8",
              "gb200-nvl72, 8 racks; gb200-nvl72:N, any number of them",
              {"nics", "72", "one for each GPU: NVIDIA, DGX SuperPOD GB200"},
              {"rails", "4", "GPUs of a compute tray"},
              {"pod", "8", "a scalable unit, of which each rail is taken for one switch"},
              {"inner-bandwidth", "722GBps", "18 NVLinks of 50 GB/s: NCCL counts 40.1 of each"},
              INNER_LATENCY, NDR, LATENCY);

RAILS_MACHINE(polaris, "polaris",
              "Polaris at ALCF: 4 A100 and 2 Slingshot interfaces per node; with --ppn 2, hosts "
              "polaris-NODE-PLACE",
              "560", "polaris, 560 nodes; polaris:N, any number of them",
              {"nics", "2", "each with two GPUs: ALCF's user guide"},
              {"rails", "1", "it is a dragonfly, whose cables are left out"},
              {"pod", "560", "one switch for all"},
              {"inner-bandwidth", "320GBps",
               "16 NVLinks to the other two GPUs, 4 from each to each: ALCF's user guide; NCCL "
               "counts 20 GB/s of each"},
              INNER_LATENCY, {"bandwidth", "25GBps", "Slingshot-11, 200 Gb/s"}, LATENCY,
              {"loopback-bandwidth", "80GBps", "4 NVLinks between two GPUs"});

RAILS_MACHINE(leonardo_rails, "leonardo-rails",
              "the Booster of Leonardo at CINECA: 4 A100 and 4 HDR100 ports per node; hosts "
              "leonardo-rails-NODE-PLACE",
              "3456", "leonardo-rails, 3456 nodes; leonardo-rails:N, any number of them",
              {"nics", "4", "HDR100 ports: CINECA"},
              {"rails", "1", "a node's ports are at one leaf switch"},
              {"pod", "180", "a cell, with as much bandwidth outwards, as in leonardo"},
              {"inner-bandwidth", "240GBps",
               "12 NVLinks, 4 to each GPU; NCCL counts 20 GB/s of each"},
              INNER_LATENCY, {"bandwidth", "12.5GBps", "100 Gb/s"}, LATENCY);

RAILS_MACHINE(marenostrum5_rails, "marenostrum5-rails",
              "the accelerated partition of MareNostrum 5 at BSC: 4 H100 and 4 NDR200 ports per "
              "node; hosts marenostrum5-rails-NODE-PLACE",
              "1120", "marenostrum5-rails, 1120 nodes; marenostrum5-rails:N, any number of them",
              {"nics", "4", "NDR200 ports, as in marenostrum5"},
              {"rails", "1", "an island is one switch, as in marenostrum5"},
              {"pod", "160", "an island"}, {"taper", "2", "as in marenostrum5"},
              {"inner-bandwidth", "371GBps", "18 NVLinks, as in dgx-h100; 6 to each GPU"},
              INNER_LATENCY, {"bandwidth", "25GBps", "200 Gb/s"}, LATENCY);

RAILS_MACHINE(lumi_rails, "lumi-rails",
              "LUMI-G at CSC: 4 modules of 2 GPU dies, each with a Slingshot interface; with --ppn "
              "2, hosts lumi-rails-NODE-PLACE",
              "2978", "lumi-rails, 2978 nodes; lumi-rails:N, any number of them",
              {"nics", "4", "each at a module of two dies: LUMI's user guide"},
              {"rails", "1", "it is a dragonfly, whose cables are left out"},
              {"pod", "124", "a cabinet, with as much bandwidth outwards, as in lumi"},
              {"inner-bandwidth", "300GBps",
               "6 Infinity Fabric links of 50 GB/s, 3 from each die: LUMI's user guide"},
              INNER_LATENCY, {"bandwidth", "25GBps", "Slingshot-11, 200 Gb/s"}, LATENCY,
              {"loopback-bandwidth", "200GBps", "4 links between the dies: LUMI's user guide"});
