/* advice.h - what to do instead of words that a verb does not take, of which the first row that
 * fits is said. What another verb takes needs no row: the tables of options say which verb it is.
 */
#pragma once

#include "support/options/options.h"

static const struct cli_advice advice[] = {
    /* In place of a verb. */
    {"", "explain|why|diagnose",
     "type roundabout simulate --diagnose, which says what a run waits for"},
    {"", "compare|diff",
     "type roundabout report OLD.db NEW.db for two sweeps, or roundabout tune --search for "
     "algorithms"},
    {"", "search|optimize|optimise|best|fastest|select", "type roundabout tune --search -p P -m M"},
    {"", "run|sim|time|benchmark",
     "type roundabout simulate -p P -m M, or roundabout sweep for an experiment"},
    {"", "prove|proof|validate", "type roundabout verify"},
    {"", "draw|figure|figures|graph", "type roundabout plot RESULTS"},
    {"", "describe|topology|topo|locate|generate", "type roundabout platform @ PLATFORM"},
    {"", "algorithms|collectives|engines|platforms|machines", "type roundabout list @"},
    {"", "experiment|resume",
     "type roundabout sweep EXPERIMENT, which also goes on with an interrupted one"},
    {"", "fit|model|forecast|extrapolate", "type roundabout predict FILE..."},
    {"", "rules|export|tuning", "type roundabout tune RESULTS --format ompi -o rules.conf"},
    {"", "info|version", "type roundabout --version, or roundabout doctor"},
    {"", "*.db|*/*.db", "type roundabout tune @, or roundabout report @"},
    {"", "*.yaml|*.yml", "type roundabout sweep @"},
    {"", "*.csv|*.txt|*.log", "type roundabout predict @"},

    /* Operands. */
    {"verify|simulate|plan", "*.json|*.xml|*.csv|*.goal",
     "a plan's file is an option: write --algorithm file:@"},
    {"simulate|plan|verify|schedule", "[0-9]*", "write -p @ for the number of ranks"},
    {"simulate", "[a-z]*:*", "write --platform @"},
    {"simulate|plan|verify|tune",
     "bcast|broadcast|allreduce|allgather|alltoall|reduce|reduce-scatter|scatter|gather|scan|"
     "exscan|barrier",
     "write --collective @"},

    /* Options with another meaning or name here. */
    {"simulate|tune|audit|recommend|predict",
     "--cores|--cpus|--slots|--gpus|--gpus-per-node|--ranks-per-gpu",
     "write --ppn with the number of ranks of a node"},
    {"simulate", "--why|--explain|--critical-path|--bottleneck",
     "write --diagnose, which says what the time waits for"},
    {NULL, "--why|--explain|--critical-path|--bottleneck",
     "type roundabout simulate --diagnose, which says what a run waits for"},
    {"sweep", "--partition|--account|--qos|--constraint", "write --slurm --slurm-option='@=NAME'"},
    {NULL, "--partition|--account|--qos|--constraint",
     "only batch jobs have partitions: type roundabout sweep --slurm FILE --slurm-option='@=NAME'"},
    {NULL, "--verbose|-v", "write --details, which prints everything that is known"},
    {NULL, "--version|-V", "type roundabout --version"},
    {NULL, "--csv|--json", "write --format with csv or json"},
    {"recommend", "--bandwidth|--speed", "write --nic with the rate of a node's link"},
    {"simulate", "--bandwidth|--speed|--latency|--nic|--network|--topology",
     "write it into the platform: --platform fat-tree:64,bandwidth=25GBps,latency=1us"},
    {"tune|audit|sweep", "--bandwidth|--speed|--latency|--nic|--network|--topology",
     "write it into a platform, such as fat-tree:64,bandwidth=25GBps,latency=1us"},
    {"simulate", "--nodes|-N",
     "write --ppn for the ranks of a node; -p over --ppn is the number of nodes"},
    {"plot|report", "--nodes|-N", "write -p and --ppn, whose quotient is the number of nodes"},
    {"plan|verify|simulate|measure", "--segment|--segsize|--segment-size|--chunks",
     "write -n with the number of blocks, which is the message's size over the segment's"},
    {"sweep",
     "--collective|--algorithm|--ranks|-p|--blocks|-n|--bytes|-m|--ppn|--platform|--placement|--"
     "root|--ports|--radix|"
     "--groups|--instance|--counts|--element|--overlap|--jitter|--engine-option",
     "an experiment's file says this: copy experiments/default.yaml and change its line"},
    {"tune", "--what=F|--what=G|--what=constants",
     "write --what fit, and --constant with F or G for one of them"},
    {"predict", "--platform",
     "measured rows have no platform: type roundabout simulate, or roundabout tune --search, with "
     "@"},
    {"predict", "--engine|--overlap|--placement|--radix|--groups|--root",
     "predict fits measured rows: type roundabout tune --search with @, which simulates"},
    {"recommend", "--bytes|-m",
     "recommend chooses the sizes: type roundabout tune --search with @"},
    {"recommend", "--algorithm",
     "recommend tries all algorithms: type roundabout tune --search with @"},
    {"recommend", "--ranks|-p", "write --nodes and --ppn, whose product is the number of ranks"},
    {0},
};
