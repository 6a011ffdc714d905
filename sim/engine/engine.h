/* engine.h - the interface of all engines, which compute how long a plan takes on a platform. An
 * engine iterates over the plan and never stores it. Simulated time is deterministic: the same
 * request gives the same bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"
#include "sim/engine/contention.h"
#include "support/error.h"

/* How rounds may overlap (docs/simgrid.md, "Overlap rules"). */
enum sim_overlap_rule {
    SIM_LOCKSTEP, /* a round ends everywhere before the next starts */
    SIM_BLOCKING, /* a rank starts its round t + 1 when its round t is complete */
    SIM_WINDOW,   /* up to `window` rounds in flight per rank; data dependences and the order of
                    messages on each port are respected; window 1 equals blocking */
    SIM_DATA,     /* all rounds in flight: only data dependences and the order of messages on each
                    port are respected */
};
struct sim_overlap {
    enum sim_overlap_rule rule;
    int32_t window; /* >= 1; read for SIM_WINDOW only */
};

/* The number of rounds, of `rounds` in all, that a rank may have in flight: 1 .. rounds, or 1 if
 * rounds is 0. */
int64_t sim_overlap_window(const struct sim_overlap *overlap, int64_t rounds);
/* Reads and writes the texts "lockstep", "blocking", "window:8" and "data". */
int sim_overlap_parse(const char *text, struct sim_overlap *overlap, struct sup_error *error);
const char *sim_overlap_format(const struct sim_overlap *overlap, char *buffer, size_t size);

/* How ranks are placed on hosts. Hosts count from 0 in the platform's order; ppn ranks per host. */
enum sim_placement_rule {
    SIM_BLOCK,  /* rank r on host r / ppn */
    SIM_CYCLIC, /* rank r on host r mod ceil(p / ppn) */
    SIM_GRAY,   /* rank r on host G(r / ppn), G the binary-reflected Gray code: ranks next to each
                  other   on neighbours of a hypercube */
    SIM_RANDOM, /* ranks in block order on ceil(p / ppn) hosts that the seed chooses at random */
    SIM_FILE,   /* as a file says (host_file.h), at most ppn ranks on a host */
};
enum { SIM_FILE_NAME = 1000, SIM_PLACEMENT_TEXT = SIM_FILE_NAME + 64 };
struct sim_placement {
    enum sim_placement_rule rule;
    uint64_t seed;        /* of SIM_RANDOM */
    bool search;          /* then the hosts are reordered for the plan (sim/network/place.h) */
    uint64_t search_seed; /* of the search */
    uint64_t hash;        /* of the file's content */
    char file[SIM_FILE_NAME];
};
/* Reads and writes the texts "block", "cyclic", "gray", "random:SEED", "file:NAME", and
 * "search:SEED" or "search:SEED:RULE", RULE one of the others. A file is read to check it, and the
 * text that is written ends with the hash of its content, "file:NAME#0123456789abcdef"; such a text
 * is refused if the file has changed. sim_placement_format needs SIM_PLACEMENT_TEXT bytes of room.
 */
int sim_placement_parse(const char *text, struct sim_placement *placement, struct sup_error *error);
const char *sim_placement_format(const struct sim_placement *placement, char *buffer, size_t size);

/* The hosts of a platform. */
struct sim_hosts {
    int32_t count;
    /* Writes the name of a host; NULL: the hosts have only numbers. */
    const char *(*name)(const void *context, int32_t host, char *name, size_t size);
    const void *context;
};

/* host[r] for 0 <= r < p, before any search. RB_EINVAL with a message if the platform has too few
 * hosts, or the file doesn't fit. */
int sim_placement_map(const struct sim_placement *placement, int32_t p, int32_t ppn,
                      const struct sim_hosts *hosts, int32_t host[], struct sup_error *error);

/* A collective of the library behind an engine. It is not a plan: it has no rounds and no
 * blocks. */
struct sim_native {
    const struct rb_collective_info *collective;
    const char *algorithm; /* the library's name for it: "ompi_pipeline" */
    int32_t p, root;
};
/* Experiments and the command line write "native:ompi_pipeline" instead of an algorithm's name.
 * Returns the library's name, a part of `algorithm`; NULL if `algorithm` does not have this
 * form. */
const char *sim_native_name(const char *algorithm);

/* How much of the network a workload has (docs/workloads.md, "Where a job's time goes"). */
enum sim_sharing {
    SIM_SHARED,    /* everything */
    SIM_UNSHARED,  /* each message takes what it takes alone on its route */
    SIM_IMMEDIATE, /* messages take no time */
};

/* A step of a workload's program that ended on a rank. */
struct sim_step_end {
    int32_t job, rank, step; /* rank of the job */
    int64_t pass;            /* how often this rank had done the step before */
    double begin_s;          /* the rank's line of steps had come to it */
    double ready_s;          /* and what it waited for was complete */
    double end_s;            /* it was complete */
};

/* A message of a simulated run. Both ends were ready at start_s; the receiver had the message at
 * end_s. */
struct sim_message {
    int32_t from, to, port;
    int64_t round, bytes;
    double start_s, end_s;
    double alone_s;    /* how long it would have taken if it had shared no link; 0: not known */
    int32_t job, step; /* of a workload, whose ranks from and to are */
};

/* Receives every message of a run, in an order that depends on the engine but is always the same: a
 * rank's messages of one port and direction come in the order of their rounds. The observer is
 * called in the calling process while the engine runs, even if the engine runs in a child. */
struct sim_observer {
    void (*message)(void *context, const struct sim_message *message); /* NULL: not wanted */
    void *context;
    /* Of a workload: every step that ends on a rank, in the order of time; NULL: not wanted. */
    void (*step)(void *context, const struct sim_step_end *end);
};

/* Learns now and then how far a long run is: from 0, which an engine tells that doesn't know it
 * yet, to 1, never less than before. Called in the calling process; a run in a child tells some
 * times per second even when there is nothing new, so that a clock can be shown. */
struct sim_meter {
    void (*tell)(void *context, double share);
    void *context;
};
enum { SIM_TELL_EVERY = 64 }; /* messages */

struct sim_spec {
    const struct rb_plan *plan;      /* or NULL: */
    const struct sim_native *native; /* the native collective if plan is NULL; only for engines with
                                      * find_native */
    const struct sim_workload *workload; /* then plan, native, layout, ppn and placement are not
                                          * read (sim/workload/workload.h); or NULL */
    int32_t only_job;         /* of the workload: 1 + the only job that runs; 0: all run */
    enum sim_sharing sharing; /* of the workload */
    const struct rb_layout *layout;
    const char *platform; /* a SimGrid XML file, or a generator such as fat-tree:1024 */
    int32_t ppn;          /* ranks per host, >= 1 */
    struct sim_placement placement;
    struct sim_overlap overlap;
    const char *const *options; /* options of the engine itself, such as "network/model:LV08"; may
                                 * be NULL */
    int32_t option_count;
    const char *variant; /* variant of the engine, for simgrid "actors" or "signals"; NULL: its
                          * choice */
    uint64_t jitter; /* a seed: latencies differ a little from the platform's (jitter.h); 0: not */
    double most_s; /* of no interest is how much longer than this the run would take: flow gives it
                    * up, with an infinite time and nothing else that is right; 0: no limit */
    bool want_finish;                    /* fill finish_s */
    bool want_hosts;                     /* fill host and host_names */
    int32_t want_links;                  /* the number of busiest links to report; 0: none */
    bool want_contention;                /* fill contention; only for engines that measure links */
    const struct sim_observer *observer; /* NULL: no observer; only for engines that observe */
    const struct sim_meter *meter;       /* NULL: nobody asks how far the run is */
};

/* The number of ranks of the workload, the plan or the native collective. */
int32_t sim_ranks(const struct sim_spec *spec);

struct sim_link {
    char *name;
    int64_t bytes; /* bytes carried in the whole run, added when a message starts */
    int64_t messages;
    int64_t most_in_round; /* messages in its fullest round of the plan */
    double bandwidth;      /* bytes per second */
};

/* Of the links that messages share, the one with the highest load in one round of the plan. */
struct sim_fullest {
    double load; /* the time that it needs for its messages over that which the longest message of
                  * the round needs on hosts' own links; up to 1 no round takes longer than that */
    int64_t messages; /* 0: no link carries messages */
    int64_t round;
    char link[128];
};

/* How a search reordered the hosts. The load of a round is that of its fullest link
 * (sim_fullest.load); before and after are the sums over the rounds that were looked at. */
struct sim_searched {
    bool done;
    int64_t rounds;      /* of the plan */
    int64_t looked_at;   /* rounds that the search looked at: all, or a sample of a long plan */
    int64_t different;   /* of them */
    int32_t units;       /* hosts, or groups of hosts, that were exchanged as a whole */
    int64_t tried, kept; /* exchanges */
    double before, after;
};

struct sim_result {
    double time_s;     /* when the last rank finished */
    double *job_end_s; /* of a workload: when each job's last rank finished; NAN of one that runs
                        * until others end, 0 of one that did not run; owned */
    int32_t jobs;
    double *finish_s; /* per rank, if wanted; owned */
    int32_t *host;    /* per rank, if wanted; owned */
    char *host_names; /* of these hosts, each ended by a zero byte; owned */
    size_t host_names_size;
    struct sim_searched searched;
    int64_t rounds;         /* of the plan; 0 for a native collective */
    int64_t messages;       /* between ranks; smpi: those that carry data */
    int64_t bytes;          /* moved between ranks, each message once */
    struct sim_link *links; /* busiest first, owned */
    int32_t link_count;
    struct sim_fullest fullest; /* if links are wanted */
    int64_t switch_bytes; /* over links that are no host's own, counted on each, if links are wanted
                           * and the engine is flow */
    struct sim_contention *contention; /* if wanted; owned */
    int32_t hosts;                     /* of the platform */
    bool uncontended;       /* all host pairs have the same cost, and only host links are shared */
    double alpha_s;         /* uncontended: latency of a message between hosts; otherwise from rank
                             * 0 to rank 1 */
    double beta_s_per_byte; /* 1 / bandwidth of the bottleneck of the same message */
    double wall_s;          /* real time of the replay, without loading the platform */
    double load_s;          /* real time for loading the platform */
    int64_t peak_bytes;     /* peak resident memory of the process that simulated */
    char variant[16];       /* which variant ran */
};

void sim_result_free(struct sim_result *result); /* safe on a zeroed struct */

/* Fills host and host_names, if spec wants them, from host[r] for each rank. */
void sim_result_take_hosts(const struct sim_spec *spec, const struct sim_hosts *hosts,
                           const int32_t host[], struct sim_result *result);

/* How much real time a run takes on a core of its own, of a machine of 2020: start_s, host_s for
 * each host of the platform, round_s for each round, operation_s for each operation of the plan,
 * byte_s for each byte of each rank's buffers in a reduction, and for each message
 *
 *   message_s + crowd_s p / (p + 1000)
 *     + (1 - exchanged) (far flow_s i^power + connected connected_s i^connected_power)
 *   where i = idle^2 in_flight
 *
 * of in_flight messages at a time. crowd_s: the data of many ranks are not in the caches. Engines
 * that compute the rates of all messages in flight when one starts or ends do it once for all that
 * start or end at the same moment. Those are many where all ranks do the same thing in every round,
 * as round a ring, and few where a share of the ranks, `idle`, has nothing to do in a round. How
 * many rates depend on each other, three other shares say. They are few if pairs of ranks send to
 * each other in a round (`exchanged`), and if messages go no farther than to a neighbouring host
 * (not `far`). They are all if links connect all messages (`connected`), because messages of hosts
 * are mixed: in one round, a host with several ranks sends to several hosts and receives from
 * several. tests/bench/point_cost.c measures what the numbers are fitted to. They serve progress
 * lines and searches. */
struct sim_costs {
    double start_s, host_s, round_s, message_s, crowd_s, operation_s, byte_s;
    double flow_s, power, connected_s, connected_power; /* 0: the engine shares no links */
};

struct sim_engine {
    const char *name;
    const char *title;
    const char *variants; /* names of its variants, "signals, actors"; NULL: none */
    const char *options;  /* names of its options, "gamma, L, o"; NULL: none */
    /* True if the library behind it can be started only once, so that it must run in a child; NULL:
     * never. */
    bool (*needs_process)(const struct sim_spec *spec);
    struct sim_costs costs;
    /* Those of the variant that would run this plan: of spec, the plan, the layout, ppn, overlap
     * and variant count. NULL, also as the answer: as above. */
    const struct sim_costs *(*costs_of)(const struct sim_spec *spec);
    bool computes;       /* its time is that of a cost model in closed form: it sends no messages */
    bool walks;          /* it runs workloads */
    bool jitters;        /* it heeds spec->jitter */
    bool observes;       /* it reports messages to spec->observer; otherwise sim_run refuses an
                          * observer */
    bool counts_links;   /* it fills result->links if these are wanted */
    bool measures_links; /* it knows which link carries how much when; otherwise sim_run refuses
                          * want_contention */
    int (*simulate)(const struct sim_spec *spec, struct sim_result *result,
                    struct sup_error *error);
    /* Checks that the library behind the engine has this algorithm. RB_EINVAL and a message that
     * names the nearest one. NULL: the engine runs only plans. */
    int (*find_native)(const struct rb_collective_info *collective, const char *name,
                       struct sup_error *error);
};

const struct sim_engine *sim_engine_at(int32_t i); /* NULL beyond the end */
const struct sim_engine *sim_engine_find(const char *name);
/* The engine and the variant that a text names, "simgrid" or "simgrid:actors"; the variant, which
 * may be NULL, is in the text. RB_EINVAL, with what there is. */
int sim_engine_read(const char *text, const struct sim_engine **engine, const char **variant,
                    struct sup_error *error);
/* The engine that runs native collectives; NULL: none was built. */
const struct sim_engine *sim_engine_of_natives(void);

/* Runs the engine, in a child process if the engine needs one. A crash of the child (or of SimGrid
 * in it) gives RB_EFAILED with a message that says how it ended. May be called any number of times.
 * The child is killed if this process ends. */
int sim_run(const struct sim_engine *engine, const struct sim_spec *spec, struct sim_result *result,
            struct sup_error *error);
