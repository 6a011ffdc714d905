/* test_placement.c - files that say where ranks are, and the search for an order of the hosts. What
 * the search says of its order is compared with loads that are counted here, round by round. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, mkfifo */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "sim/engine/host_file.h"

static char directory[] = "/tmp/test_placement_XXXXXX";
static char path[64];

static int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/hosts", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static void put(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static const char *name_letter(const void *context, int32_t host, char *name, size_t size)
{
    (void)context;
    snprintf(name, size, "n%c", 'a' + host);
    return name;
}

/* Eight hosts, na to nh. */
static const struct sim_hosts letters = {8, name_letter, NULL};

/* The ranks of the file in `path` on those hosts, as digits; or the message, from behind the path.
 */
static const char *map(int32_t p, int32_t ppn, char said[512])
{
    char text[80];
    int32_t host[64];
    struct sim_placement placement;
    struct sup_error error;
    snprintf(text, sizeof text, "file:%s", path);
    int status = sim_placement_parse(text, &placement, &error);
    if (status == RB_OK)
        status = sim_placement_map(&placement, p, ppn, &letters, host, &error);
    if (status != RB_OK) {
        const char *at = strstr(error.text, path);
        assert_int_equal(status, RB_EINVAL);
        assert_non_null(at);
        snprintf(said, 512, "%s", at + strlen(path));
        return said;
    }
    for (int32_t r = 0; r < p; r++)
        snprintf(said + r, 2, "%d", host[r]);
    return said;
}

static void files_are_read(void **state)
{
    static const struct {
        const char *text;
        const char *said; /* by map(4, 2) */
    } files[] = {
        {"na\nnc\nnb\nnh\n", "0217"},
        {"na\r\n\r\nnc\r\nnb\r\nnh", "0217"},
        {"# by hand\n  3\n0 # the first\n\t2\n3\n", "3023"},
        {"nb:2\nna\n0:1\n", "1100"},
        {"rank 0=nd slot=0:1\nrank 1=nc slot=1\nrank 2=nd slot=p0:1-2\nrank 3=0\n", "3230"},
        {"rank 3 = na\nrank 1 = nb slot=0\nrank 0=nc\nrank 2=nh", "2170"},
        {"", ": no hosts: a line per rank is needed, with a host"},
        {"#\n\n", ": no hosts: a line per rank is needed, with a host"},
        {"0\n\n1\n2\n", ":4: the file ends after 3 ranks, but there are 4"},
        {"0\n1\n2\n3\n4\n", ":5: the file has 5 ranks, but there are 4"},
        {"0\nmb\n2\n3\n", ":2: unknown host 'mb': did you mean nb?"},
        {"0\n1\n2\n8\n", ":4: unknown host '8': hosts are na to nh, or numbers from 0 to 7"},
        {"0\n1\n2\n-1\n", ":4: unknown host '-1': hosts are na to nh, or numbers from 0 to 7"},
        {"0\n0\n0\n1\n", ":3: rank 3 on one host: ranks per host (ppn) must be at least 3"},
        {"na nb\n", ":1: 'nb' behind the host: give one host per line"},
        {"na:0\n", ":1: 'na:0' is not HOST:COUNT, with a count from 1 to 16777216"},
        {"na:2x\n", ":1: 'na:2x' is not HOST:COUNT, with a count from 1 to 16777216"},
        {":2\n", ":1: ':2' is not HOST:COUNT, with a count from 1 to 16777216"},
        {"na:16777216\n1\n", ":2: more than 16777216 ranks"},
        {"n[a-d]\n",
         (":1: 'n[a-d]' is more than one host: give one per line (scontrol show hostnames lists "
          "them)")},
        {"na slots=4\n", ":1: a host file of Open MPI doesn't say which rank is where: give a "
                         "rankfile (rank 0=na slot=0)"},
        {"rank 0=na\nnb\n", ":2: some lines begin with a rank (rank 0=HOST) and some do not"},
        {"rank 0=na\nrank 2=nb\nrank 1=nc\nrank 1=nd\n",
         ":4: rank 1 for a second time, after line 3"},
        {"rank 0=na\nrank 4=nb\n",
         ":2: rank 4, but the file has 2 ranks: they count from 0, and none may be missing"},
        {"rank 0=+n1 slot=0\n",
         ":1: '+n1' depends on the allocation of mpirun: give the host itself"},
        {"rank 0= slot=0\n", ":1: the host is missing before 'slot=0'"},
        {"rank 0=na core=0\n", ":1: 'core=0' behind the host: only slot=... may follow it"},
        {"rank one=na\n", ":1: not of the form rank 0=HOST slot=0, with ranks below 16777216"},
        {"rank 0 na\n", ":1: not of the form rank 0=HOST slot=0, with ranks below 16777216"},
        {"rank 16777216=na\n", ":1: not of the form rank 0=HOST slot=0, with ranks below 16777216"},
        {"rank\n", ":1: the file ends after 1 ranks, but there are 4"},
        {"na max_slots=4\n", ":1: a host file of Open MPI doesn't say which rank is where: give a "
                             "rankfile (rank 0=na slot=0)"},
        {"na:0\n", ":1: 'na:0' is not HOST:COUNT, with a count from 1 to 16777216"},
        {"na:2x\n", ":1: 'na:2x' is not HOST:COUNT, with a count from 1 to 16777216"},
        {"na:\n", ":1: 'na:' is not HOST:COUNT, with a count from 1 to 16777216"},
        {":2\n", ":1: ':2' is not HOST:COUNT, with a count from 1 to 16777216"},
        {"na:16777216\nnb\n", ":2: more than 16777216 ranks"},
        {"MPI_Rank,host\n0,na\n", ":1: a table (MPI_Rank,host) without the columns MPI_Rank and "
                                  "allocation, which say where each rank is"},
        {"MPI_Rank,allocation\n0x,na\n", ":2: '0x' is not a rank: a number below 16777216"},
        {"MPI_Rank,allocation\n0,na\n1,nc.here.local\n2,nb\n3,nh\n", "0217"},
        {"x, allocation ,MPI_Rank\r\n,nh,3\r\n9,na.b,0\r\n\r\n, nb ,2,more\r\n,2,1", "0217"},
        {"MPI_Rank,\"allocation\"\n0,\"na\"\n1, \"nc\" \n2,nb\n3,nh\n", "0217"},
        {"# of a job\nMPI_Rank,allocation # hosts\n3,nh\n2,nh\n1,na\n0,na\n", "0077"},
        {"COLLECTIVE,ALGORITHM,INTERNAL,EXTERNAL,TOTAL\nallreduce,ring,50.375,11.625,62.0\n",
         (":1: a table (COLLECTIVE,ALGORITHM,INTERNAL,EXTERNAL,T) without the columns MPI_Rank and "
          "allocation, which say where each rank is")},
        {"na,nb\n", ":1: a table (na,nb) without the columns MPI_Rank and allocation, which say "
                    "where each rank is"},
        {"MPI_Rank,allocation\n", ": no hosts: a line per rank is needed, with a host"},
        {"MPI_Rank,allocation\n0,na\n1\n", ":3: 1 columns: MPI_Rank and allocation are missing"},
        {"MPI_Rank,allocation\n0,na\n1,\n", ":3: the host is missing before ''"},
        {"MPI_Rank,allocation\n0,na\none,nb\n", ":3: 'one' is not a rank: a number below 16777216"},
        {"MPI_Rank,allocation\n0,na\n-1,nb\n", ":3: '-1' is not a rank: a number below 16777216"},
        {"MPI_Rank,allocation\n0,na nb\n", ":2: 'nb' behind the host: give one host per rank"},
        {"MPI_Rank,allocation\n0,na\n1,nb\n1,nc\n3,nd\n",
         ":4: rank 1 for a second time, after line 3"},
        {"MPI_Rank,allocation\n0,na\n1,nb\n4,nc\n3,nd\n",
         ":4: rank 4, but the file has 4 ranks: they count from 0, and none may be missing"},
        {"MPI_Rank,allocation\n0,na\n1,nb\n2,nx.local\n3,nd\n",
         ":4: unknown host 'nx.local': hosts are na to nh, or numbers from 0 to 7"},
        {"MPI_Rank,allocation\n0,na\n1,.local\n2,na\n3,nd\n",
         ":3: unknown host '.local': hosts are na to nh, or numbers from 0 to 7"},
    };
    char said[512];
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        put(files[i].text, strlen(files[i].text));
        assert_string_equal(map(4, 2, said), files[i].said);
    }
    char longest[260];
    memset(longest, 'n', sizeof longest);
    longest[251] = '\n';
    put(longest, 252);
    assert_string_equal(map(4, 2, said), ":1: a host's name of more than 250 characters");
    put("na\nn\0b\n", 7);
    assert_string_equal(map(4, 2, said), ":2: a zero byte: not a text file");
    /* A hole before a line of a table; not within, nor anywhere in other files. */
    static const char table[] = "MPI_Rank,allocation\n0,nd\n\0\0\0\0001,nc\n";
    put(table, sizeof table - 1);
    assert_string_equal(map(2, 2, said), "32");
    put("MPI_Rank,allocation\n0,n\0d\n", 26);
    assert_string_equal(map(1, 1, said), ":2: a zero byte: not a text file");
    put("na\n\0nb\n", 7);
    assert_string_equal(map(2, 1, said), ":2: a zero byte: not a text file");
    /* A line as long as the largest file. */
    char *blanks = malloc(1 << 24);
    assert_non_null(blanks);
    memset(blanks, ' ', 1 << 24);
    memcpy(blanks, "MPI_Rank,allocation\n", 20);
    memcpy(blanks + (1 << 24) - 4, "0,ne", 4);
    put(blanks, 1 << 24);
    free(blanks);
    assert_string_equal(map(1, 1, said), "4");
    assert_int_equal(truncate(path, (64 << 20) + 1), 0);
    assert_string_equal(map(4, 2, said), ": larger than 64 MiB: a line per rank is needed");
    unlink(path);
    assert_string_equal(map(4, 2, said), ": No such file or directory");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_string_equal(map(4, 2, said), ": not a regular file");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_string_equal(map(4, 2, said), ": not a regular file");
    rmdir(path);
}

/* Rules that need no file; engines do not ask for what the command line refuses. */
static void rules_without_files_refuse(void **state)
{
    static const struct {
        const char *placement;
        int32_t p, ppn;
        const char *said;
    } wrong[] = {
        {"block", 4, 0, "0 ranks per host: there must be at least 1"},
        {"block", 17, 2,
         "17 ranks at 2 per host need 9 hosts, but the platform has 8: take a larger platform or "
         "at least 3 ranks per host"},
        {"gray", 6, 1,
         "placement gray puts rank 4 on host number 6, but the platform has 6 hosts: it needs 2^d "
         "of them"},
        {"search:x", 4, 1,
         "placement 'search:x': the seed: \"x\" is not a whole number of at least 0"},
        {"search:123456789012345678901234567890123", 4, 1,
         "placement 'search:123456789012345678901234567890123': the seed: "
         "\"123456789012345678901234567890123\" is not a whole number of at least 0"},
        {"file:", 4, 1, "placement 'file:': a file of 1 to 999 characters"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct sim_hosts hosts = letters;
        struct sim_placement placement;
        struct sup_error error;
        int32_t host[32];
        hosts.count = strcmp(wrong[i].placement, "gray") == 0 ? 6 : hosts.count;
        int status = sim_placement_parse(wrong[i].placement, &placement, &error);
        if (status == RB_OK)
            status = sim_placement_map(&placement, wrong[i].p, wrong[i].ppn, &hosts, host, &error);
        assert_int_equal(status, RB_EINVAL);
        assert_string_equal(error.text, wrong[i].said);
    }
}

/* The text of a placement says which content the file had. */
static void changed_files_are_refused(void **state)
{
    char text[80], usual[SIM_PLACEMENT_TEXT], again[SIM_PLACEMENT_TEXT];
    struct sim_placement placement;
    struct sup_error error;
    int32_t host[2];
    (void)state;
    put("na\nnb\n", 6);
    snprintf(text, sizeof text, "search:3:file:%s", path);
    assert_int_equal(sim_placement_parse(text, &placement, NULL), RB_OK);
    sim_placement_format(&placement, usual, sizeof usual);
    assert_true(strncmp(usual, text, strlen(text)) == 0 && usual[strlen(text)] == '#');
    assert_int_equal(strlen(usual), strlen(text) + 17);
    assert_int_equal(sim_placement_parse(usual, &placement, NULL), RB_OK);
    assert_string_equal(sim_placement_format(&placement, again, sizeof again), usual);
    put("na\nnc\n", 6);
    assert_int_equal(sim_placement_map(&placement, 2, 1, &letters, host, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "the file has changed"));
    assert_int_equal(sim_placement_parse(usual, &placement, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "the file has changed"));
}

static void written_files_are_read_back(void **state)
{
    static const char *const formats[] = {"ranks", "openmpi", "mpich", "slurm", "csv"};
    static const char names[] = "nc\0nc\0na\0nc\0nh\0nh\0nb";
    static const char *const written[] = {
        "# why\nnc\nnc\nna\nnc\nnh\nnh\nnb\n",
        ("# why\nrank 0=nc slot=0\nrank 1=nc slot=1\nrank 2=na slot=0\nrank 3=nc slot=2\n"
         "rank 4=nh slot=0\nrank 5=nh slot=1\nrank 6=nb slot=0\n"),
        "# why\nnc:2\nna:1\nnc:1\nnh:2\nnb:1\n",
        "nc\nnc\nna\nnc\nnh\nnh\nnb\n",
        "MPI_Rank,allocation\n0,nc\n1,nc\n2,na\n3,nc\n4,nh\n5,nh\n6,nb\n",
    };
    (void)state;
    for (int i = 0; i < 5; i++) {
        enum sim_host_format format;
        char *text, said[512];
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        assert_int_equal(sim_host_format_parse(formats[i], &format, NULL), RB_OK);
        sim_host_file_write(stream, format, 7, names, "why");
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, written[i]);
        put(text, size);
        assert_string_equal(map(7, 3, said), "2202771");
        free(text);
    }
    enum sim_host_format format;
    struct sup_error error;
    assert_int_equal(sim_host_format_parse("ompi", &format, &error), RB_OK);
    assert_int_equal(format, SIM_HOSTS_OPENMPI);
    assert_int_equal(sim_host_format_parse("openmp", &format, &error), RB_EINVAL);
    assert_string_equal(error.text, "unknown \"openmp\": did you mean openmpi?");
}

/* Engines put the ranks where the file says: on 16 hosts at two routers, not at the same one. */
static void engines_take_files(void **state)
{
    static const char *const engines[] = {"flow", "simgrid", "smpi", "model"};
    const struct rb_plan_spec wanted = {
        .collective = "bcast", .algorithm = "circulant", .p = 3, .n = 2};
    const struct rb_layout layout = {.bytes = 1000, .element = 1};
    char text[80];
    struct rb_plan *plan;
    (void)state;
    put("host-9:2\n4\n", 11);
    assert_int_equal(rb_plan_create(&wanted, &plan, text, sizeof text), RB_OK);
    snprintf(text, sizeof text, "file:%s", path);
    for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        struct sim_spec spec = {.plan = plan,
                                .layout = &layout,
                                .platform = "crossbar:16",
                                .ppn = 2,
                                .overlap = {.rule = SIM_BLOCKING},
                                .want_hosts = true};
        struct sim_result result;
        struct sup_error error;
        if (sim_engine_find(engines[e]) == NULL)
            continue; /* built without SMPI */
        assert_int_equal(sim_placement_parse(text, &spec.placement, NULL), RB_OK);
        if (sim_run(sim_engine_find(engines[e]), &spec, &result, &error) != RB_OK)
            fail_msg("%s: %s", engines[e], error.text);
        assert_int_equal(result.host[0], 9);
        assert_int_equal(result.host[1], 9);
        assert_int_equal(result.host[2], 4);
        assert_memory_equal(result.host_names, "host-9\0host-9\0host-4", 21);
        assert_true(fabs(result.alpha_s - 2e-7) < 1e-12); /* of the loopback */
        sim_result_free(&result);
    }
    rb_plan_destroy(plan);
}

/* ---- The search ------------------------------------------------------------------------------ */

/* The time that the rounds' fullest links need over that of their longest messages alone, times the
 * rounds. All hosts' own links are alike, and blocks are as long as others. */
static double count_loads(const struct rb_plan *plan, const char *platform, const int32_t host[])
{
    const struct rb_layout layout = {.bytes = 180 << 12, .element = 1};
    struct platform_network *network;
    double sum = 0, all = 0;
    assert_int_equal(platform_network_create(platform, &network, NULL), RB_OK);
    double *load = calloc((size_t)network->links, sizeof *load);
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan) + 1, sizeof *ops);
    assert_true(load != NULL && ops != NULL);
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
        double most = 0, alone = 0;
        memset(load, 0, (size_t)network->links * sizeof *load);
        for (int32_t r = 0; r < rb_plan_ranks(plan); r++) {
            struct rb_rank rank;
            rb_plan_rank(plan, r, &rank);
            const int32_t count = rb_plan_round(plan, &rank, t, ops);
            for (int32_t i = 0; i < count; i++) {
                struct platform_route route;
                if (ops[i].kind != RB_SEND)
                    continue;
                assert_int_equal(platform_network_route(network, host[r], host[ops[i].peer],
                                                        (uint64_t)t, &route, NULL),
                                 RB_OK);
                const double bytes = (double)rb_layout_bytes(plan, &layout, &ops[i].at);
                alone = fmax(alone, bytes / route.bandwidth);
                for (int32_t l = 0; l < route.count; l++) {
                    const struct platform_link *link = &network->link[route.link[l]];
                    load[route.link[l]] += link->shared ? bytes / link->bandwidth : 0;
                    most = fmax(most, load[route.link[l]]);
                }
            }
        }
        sum += most;
        all += alone;
    }
    platform_network_destroy(network);
    free(load);
    free(ops);
    return all > 0 ? sum / all * (double)rb_plan_rounds(plan) : 0;
}

struct wanted {
    const char *algorithm, *groups, *platform, *placement;
    int32_t p, ppn;
    int64_t n;
};

static void search(const struct wanted *wanted, struct rb_plan **plan, struct sim_result *result)
{
    const struct rb_plan_spec spec = {.collective = "bcast",
                                      .algorithm = wanted->algorithm,
                                      .p = wanted->p,
                                      .n = wanted->n,
                                      .groups = wanted->groups};
    const struct rb_layout layout = {.bytes = 180 << 12, .element = 1};
    struct sim_spec run = {.layout = &layout,
                           .platform = wanted->platform,
                           .ppn = wanted->ppn,
                           .overlap = {.rule = SIM_BLOCKING},
                           .want_hosts = true};
    char why[200];
    struct sup_error error;
    if (rb_plan_create(&spec, plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    run.plan = *plan;
    assert_int_equal(sim_placement_parse(wanted->placement, &run.placement, NULL), RB_OK);
    if (sim_run(sim_engine_find("flow"), &run, result, &error) != RB_OK)
        fail_msg("%s", error.text);
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The search says the sums that are counted here, is never worse than the order that it begins
 * with, takes no other hosts and puts no more ranks on one, and gives the same order again. */
static void search_is_right(void **state)
{
    char by_file[80];
    const struct wanted all[] = {
        {"circulant", NULL, "dragonfly:72", "search:1", 72, 1, 9},
        {"circulant", "4", "dragonfly:72", by_file, 48, 4, 9},
        {"circulant", NULL, "dragonfly:72", "search:2:random:5", 50, 1, 9},
        {"circulant", NULL, "dragonfly:72", "search:3:cyclic", 30, 4, 9},
        {"circulant", NULL, "fat-tree:64,taper=2", "search:4:random:1", 40, 1, 5},
        {"circulant", NULL, "torus:4x4x4", "search:5", 64, 1, 5},
        {"circulant", NULL, "dragonfly:72,routing=valiant:1", "search:1", 72, 1, 9},
        {"hosts", "2", "dragonfly:72", "search:6", 71, 1, 9},
        {"binomial", NULL, "dragonfly:72", "search:7", 17, 2, 1},
        {"circulant", NULL, "crossbar:16", "search:8", 16, 1, 5},
        {"circulant", NULL, "crossbar:16", "search:8", 1, 1, 5},
    };
    (void)state;
    /* Groups of four ranks on one host or two, not all alike. */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 36; i += 3) {
        static const int first[] = {4, 3, 4, 1}; /* ranks on the first of two hosts */
        for (int k = 0; k < 4; k++)
            fprintf(file, "%d\n", k < first[i % 4] ? i : i + 1);
    }
    assert_int_equal(fclose(file), 0);
    snprintf(by_file, sizeof by_file, "search:9:file:%s", path);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct wanted *wanted = &all[i];
        struct sim_result result, again, before;
        struct rb_plan *plan, *same;
        struct wanted unsearched = *wanted;
        const char *rule = strchr(wanted->placement + 7, ':');
        unsearched.placement = rule == NULL ? "block" : rule + 1;
        search(wanted, &plan, &result);
        const struct sim_searched *searched = &result.searched;
        assert_true(searched->done);
        assert_int_equal(searched->looked_at, rb_plan_rounds(plan));
        if (fabs(count_loads(plan, wanted->platform, result.host) - searched->after) > 1e-9)
            fail_msg("%s %s: %.17g instead of %.17g", wanted->platform, wanted->placement,
                     searched->after, count_loads(plan, wanted->platform, result.host));
        assert_true(searched->after <= searched->before);

        search(&unsearched, &same, &before);
        if (fabs(count_loads(plan, wanted->platform, before.host) - searched->before) > 1e-9)
            fail_msg("%s %s before: %.17g instead of %.17g", wanted->platform, wanted->placement,
                     searched->before, count_loads(plan, wanted->platform, before.host));
        rb_plan_destroy(same);
        search(wanted, &same, &again);
        assert_memory_equal(result.host, again.host, (size_t)wanted->p * sizeof *result.host);
        assert_true(again.searched.after == searched->after &&
                    again.searched.tried == searched->tried);
        qsort(again.host, (size_t)wanted->p, sizeof *again.host, by_number);
        qsort(before.host, (size_t)wanted->p, sizeof *before.host, by_number);
        assert_memory_equal(again.host, before.host, (size_t)wanted->p * sizeof *before.host);
        sim_result_free(&result);
        sim_result_free(&again);
        sim_result_free(&before);
        rb_plan_destroy(plan);
        rb_plan_destroy(same);
    }
}

/* Another seed, another order. */
static void seeds_differ(void **state)
{
    struct sim_result result[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct rb_plan *plan;
        search(&(struct wanted){"circulant", NULL, "dragonfly:72", i == 0 ? "search:1" : "search:2",
                                72, 1, 3},
               &plan, &result[i]);
        rb_plan_destroy(plan);
    }
    assert_memory_not_equal(result[0].host, result[1].host, 72 * sizeof *result[0].host);
    sim_result_free(&result[0]);
    sim_result_free(&result[1]);
}

/* One rank at each router: circulant's skips share links in rank order, and needn't. */
static void search_frees_routers(void **state)
{
    char text[80];
    struct sim_result result;
    struct rb_plan *plan;
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int32_t r = 0; r < 128; r++)
        fprintf(file, "host-%d\n", 8 * r);
    assert_int_equal(fclose(file), 0);
    snprintf(text, sizeof text, "search:1:file:%s", path);
    search(&(struct wanted){"circulant", NULL, "dragonfly:1056", text, 128, 1, 10}, &plan, &result);
    assert_true(result.searched.before > 20);
    assert_true(fabs(result.searched.after - 16) < 1e-9); /* 10 - 1 + 7 rounds, 1 in each */
    sim_result_free(&result);
    rb_plan_destroy(plan);
}

/* A message alone on a slow link holds its round up, and an order keeps messages off slow and
 * failed links: the closed form of a ring without contention. */
static void search_avoids_damage(void **state)
{
    static const char *const platforms[] = {"dragonfly:72,slow=links:5%:1:25%",
                                            "dragonfly:72,fail=links:5%:2"};
    const struct rb_plan_spec wanted = {
        .collective = "allgather", .algorithm = "ring", .p = 72, .n = 1};
    const struct rb_layout layout = {.bytes = 72 << 12, .element = 1};
    struct rb_plan *plan;
    char why[200];
    (void)state;
    assert_int_equal(rb_plan_create(&wanted, &plan, why, sizeof why), RB_OK);
    for (size_t i = 0; i < 2; i++) {
        struct sim_spec run = {.plan = plan,
                               .layout = &layout,
                               .platform = platforms[i],
                               .ppn = 1,
                               .overlap = {.rule = SIM_BLOCKING}};
        struct sim_result result;
        struct sup_error error;
        assert_int_equal(sim_placement_parse("search:1", &run.placement, NULL), RB_OK);
        if (sim_run(sim_engine_find("flow"), &run, &result, &error) != RB_OK)
            fail_msg("%s", error.text);
        assert_true(result.searched.before >= (i == 0 ? 284 : 71) - 1e-9);
        assert_true(fabs(result.searched.after - 71) < 1e-9);
        assert_true(result.time_s < 71 * (1.1e-6 + 4096 / 12.5e9));
        sim_result_free(&result);
    }
    rb_plan_destroy(plan);
}

/* Groups that are routers stay on routers, in their order, and the last, which has fewer ranks, on
 * its own. */
static void search_keeps_groups_whole(void **state)
{
    struct sim_result result;
    struct rb_plan *plan;
    int32_t moved = 0;
    (void)state;
    search(&(struct wanted){"hosts", "8", "dragonfly:1056", "search:1", 500, 1, 20}, &plan,
           &result);
    for (int32_t r = 0; r < 500; r++) {
        assert_int_equal(result.host[r] / 8, result.host[r - r % 8] / 8);
        assert_int_equal(result.host[r] % 8, r % 8);
        moved += result.host[r] != r;
    }
    for (int32_t r = 496; r < 500; r++)
        assert_int_equal(result.host[r], r);
    assert_true(moved > 0 && result.searched.after < result.searched.before);
    assert_int_equal(result.searched.units, 62);
    sim_result_free(&result);
    rb_plan_destroy(plan);
}

/* With a pattern: the tests with such names. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(rules_without_files_refuse),
        cmocka_unit_test(changed_files_are_refused),
        cmocka_unit_test(written_files_are_read_back),
        cmocka_unit_test(engines_take_files),
        cmocka_unit_test(search_is_right),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(search_frees_routers),
        cmocka_unit_test(search_avoids_damage),
        cmocka_unit_test(search_keeps_groups_whole),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
