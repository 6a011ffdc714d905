/* test_platforms.c - generators, their XML, the routes that SimGrid makes of it, and the findings
 * of `platform check` in faulty platforms. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/verbs.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/isolate.h"
#include "sim/simgrid/simgrid_platform.h"
#include "studies/survey/survey.h"

/* ---- Helpers ---- */

static char *xml_of(const char *text)
{
    char *xml;
    size_t size;
    struct sup_error error;
    if (platform_make_xml(text, &xml, &size, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(size, strlen(xml));
    return xml;
}

/* A file with this text; the caller unlinks and frees the path. */
static char *file_with(const char *text)
{
    char *path = strdup("/tmp/test_platforms-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static char *contents(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s is missing", path);
    char *text = calloc(1, 65536);
    size_t size = fread(text, 1, 65535, file);
    assert_true(size < 65535);
    fclose(file);
    return text;
}

static json_t *survey_of(const char *platform)
{
    json_t *survey;
    struct sup_error error;
    if (survey_platform(platform, &survey, &error) != RB_OK)
        fail_msg("%s: %s", platform, error.text);
    return survey;
}

static void expect_near(const json_t *survey, const char *name, double wanted)
{
    double value = json_number_value(json_object_get(survey, name));
    if (fabs(value - wanted) > 1e-9 * wanted)
        fail_msg("%s: %.12g, not %.12g", name, value, wanted);
}

/* ---- Requests and their messages ---- */

static void test_sizes_that_fit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parameters, *radical;
    } request[] = {
        {"fat-tree:1024", "\"2;32,32;1,32;1,1\"", "\"0-1023\""},
        {"fat-tree:1024,taper=2", "\"2;32,32;1,16;1,1\"", "\"0-1023\""},
        {"fat-tree:4", "\"2;2,2;1,2;1,1\"", "\"0-3\""},
        {"fat-tree:15", "\"2;5,3;1,5;1,1\"", "\"0-14\""},
        {"fat-tree:2048", "\"2;32,64;1,32;1,1\"", "\"0-2047\""},
        {"fat-tree:16384", "\"3;32,32,16;1,32,32;1,1,1\"", "\"0-16383\""},
        {"fat-tree:64,levels=1", "\"1;64;1;1\"", "\"0-63\""},
        {"fat-tree:60,down=5x3x4", "\"3;5,3,4;1,5,3;1,1,1\"", "\"0-59\""},
        {"dragonfly:1056", "\"11,10;1,1;12,1;8\"", "\"0-1055\""},
        {"dragonfly:4", "\"2,2;1,1;2,1;1\"", "\"0-3\""},
        {"dragonfly:72,groups=3,routers=12,global=5,local=2", "\"3,5;1,1;12,2;2\"", "\"0-71\""},
        {"torus:8x8x8", "\"8,8,8\"", "\"0-511\""},
        {"torus:5", "\"5\"", "\"0-4\""},
        {"torus:2x3x4x5", "\"2,3,4,5\"", "\"0-119\""},
        {"crossbar:1", "topology=\"FLAT\"", "\"0-0\""},
        {"crossbar:64,bandwidth=100Gbps,latency=3us", "bw=\"1.25e+10Bps\" lat=\"1.5e-06s\"",
         "\"0-63\""},
        {"crossbar:9,ports=4,bandwidth=1GBps", "bw=\"4e+09Bps\"",
         "bb_bw=\"1e+09Bps\" bb_lat=\"0s\" bb_sharing_policy=\"FATPIPE\""},
        {"crossbar:9,loopback-bandwidth=5GBps,loopback-latency=1us",
         "loopback_bw=\"5e+09Bps\" loopback_lat=\"1e-06s\"", "\"0-8\""},
    };
    for (size_t i = 0; i < sizeof request / sizeof request[0]; i++) {
        char *xml = xml_of(request[i].text), *path = file_with(xml);
        struct sup_error error;
        if (strstr(xml, request[i].parameters) == NULL || strstr(xml, request[i].radical) == NULL)
            fail_msg("%s: no %s with %s in\n%s", request[i].text, request[i].parameters,
                     request[i].radical, xml);
        assert_non_null(strstr(xml, "sharing_policy=\"SPLITDUPLEX\""));
        assert_int_equal(platform_check_xml(path, NULL, &error), RB_OK);
        unlink(path);
        free(path);
        free(xml);
    }
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } request[] = {
        {"fat-tre:64", "did you mean 'fat-tree'?"},
        {"lattice:8", "there is no platform generator 'lattice': there are fat-tree, dragonfly, "
                      "dragonfly+, hyperx, "},
        {"hypercube:13", "hypercube:13: this size does not fit, the nearest sizes that fit are 8 "
                         "and 16 "},
        {"hypercube:8192", "the nearest size that fits is 4096 "},
        {"tree:12", "tree:12: this size does not fit, the nearest sizes that fit are 8 and 16 "},
        {"tree:8,ports=2", "tree has no option 'ports'"},
        {"ring:1", "ring: number of hosts: \"1\" is not a whole number from 2"},
        {"ring:5000", "ring:5000: more than 4096 hosts"},
        {"mesh:0x4", "\"0\" is not a whole number from 1"},
        {"mesh:1x1", "mesh:1x1: one host is not a mesh"},
        {"mesh:65536x65536", "mesh:65536x65536: more than 4096 hosts"},
        {"mesh:8x8,hop-latency=1", "mesh: hop-latency: \"1\" has no unit"},
        {"fat-tree", "fat-tree needs a size after ':': fat-tree:N"},
        {"crossbar:", "crossbar needs a size after ':'"},
        {"crossbar:,latency=1us", "crossbar needs a size after ':'"},
        {"crossbar:0", "crossbar: number of hosts: \"0\" is not a whole number from 1 to 1048576"},
        {"crossbar:-3", "crossbar: number of hosts: \"-3\""},
        {"crossbar:4.5", "crossbar: number of hosts: \"4.5\""},
        {"crossbar:99999999999999999999", "crossbar: number of hosts: \"99999999999999999999\""},
        {"crossbar:4,bandwith=1GBps",
         "crossbar has no option 'bandwith': did you mean 'bandwidth'?"},
        {"crossbar:4,speed=1",
         "no option 'speed': it must be one of ports, bandwidth, latency, loopback-bandwidth"},
        {"crossbar:4,latency", "'latency' is not an option: options are written name=value"},
        {"crossbar:4,", "'' is not an option"},
        {"crossbar:4,latency=", "option 'latency' has no value"},
        {"crossbar:4,latency=1us,latency=2us", "option 'latency' is given twice"},
        {"crossbar:4,latency=1", "crossbar: latency: \"1\" has no unit"},
        {"crossbar:4,ports=0", "crossbar: ports: \"0\" is not a whole number from 1"},
        {"crossbar:4,bandwidth=1us", "crossbar: bandwidth: \"1us\""},
        {"crossbar:4,loopback-bandwidth=0Bps", "crossbar: loopback-bandwidth: \"0Bps\""},
        {"crossbar:4,memory-bandwidth=0Bps", "crossbar: memory-bandwidth: \"0Bps\" is not a"},
        {"crossbar:4,memory-bandwidth=-1GBps", "crossbar: memory-bandwidth: \"-1GBps\" is not a"},
        {"crossbar:4,memory-bandwidth=infGBps", "memory-bandwidth: \"infGBps\" is not a"},
        {"crossbar:4,memory-bandwidth=nanGBps", "memory-bandwidth: \"nanGBps\" is not a"},
        {"crossbar:4,memory-bandwidth=100", "such as 12.5GBps, 100Gbps or HDR; or none"},
        {"crossbar:4,memory-bandwidth=1e-20Bps", "memory-bandwidth: \"1e-20Bps\" is not from"},
        {"crossbar:4,memory-bandwidth=", "option 'memory-bandwidth' has no value"},
        {"crossbar:4,memory-traffic=nic", "memory-traffic: 'nic' is neither inside nor all"},
        {"crossbar:4,memory-traffic=all", "memory-traffic=all: give the memory-bandwidth, too"},
        {"crossbar:400,memory-bandwidth=90GBps", "at most 256 hosts can be written"},
        {"fat-tree:0", "fat-tree: number of hosts: \"0\""},
        {"fat-tree:1", "fat-tree:1: this size does not fit, the nearest size that fits is 4 "},
        {"fat-tree:13", "fat-tree:13: this size does not fit, the nearest sizes that fit are 12 "
                        "and 14 "},
        {"fat-tree:100,levels=1", "the nearest size that fits is 64 "},
        {"fat-tree:64,taper=3", "the nearest sizes that fit are 63 and 66 "},
        {"fat-tree:64,down=8x8,taper=3", "taper: 3 does not divide the 8 hosts of a leaf switch"},
        {"fat-tree:64,down=8x9", "down: 8x9 makes 72 hosts, not 64"},
        {"fat-tree:64,down=8x8,levels=3", "down: '8x8' has 2 levels, not levels=3"},
        {"fat-tree:512,down=128x4", "a switch of level 1 has 128 ports down and 128 up, more than"},
        {"fat-tree:64,levels=9", "levels: 9 is more than 4"},
        {"fat-tree:64,levels=1,taper=2", "one level of switches has no uplinks"},
        {"fat-tree:64,routing=dmodk", "there is no 'dmodk': did you mean 'd-mod-k'?"},
        {"fat-tree:64,routing=7",
         "fat-tree: routing: there is no '7': it must be one of d-mod-k, s-mod-k, ecmp"},
        {"fat-tree:64,routing=d-mod-k:7", "d-mod-k takes no seed: leave out ':7'"},
        {"fat-tree:64,routing=ecmp:", "routing: the seed of ecmp: \"\" is not a whole number"},
        {"fat-tree:64,routing=ecmp:-1", "the seed of ecmp: \"-1\" is not a whole number"},
        {"fat-tree:1024,routing=ecmp", "at most 256 hosts can be written"},
        {"fat-tree:64,down=8xx8", "down: '8xx8': give numbers joined by x"},
        {"dragonfly:1", "dragonfly:1: this size does not fit, the nearest size that fits is 4 "},
        {"dragonfly:1057",
         "dragonfly:1057: this size does not fit, the nearest sizes that fit are 1056 and"},
        {"dragonfly:1056,groups=10", "the nearest sizes that fit are 1050 and 1060 "},
        {"dragonfly:1056,groups=8,routers=4", "8 groups need as many routers in a group, not"},
        {"dragonfly:72,spread=2", "dragonfly: spread: '2' is neither yes nor no"},
        {"dragonfly:72,routing=ecmp",
         "dragonfly: routing: there is no 'ecmp': it must be one of minimal, valiant, "
         "valiant-pairs, ugal, ugal-l"},
        {"dragonfly:72,routing=minimal:3", "minimal takes no seed: leave out ':3'"},
        {"dragonfly:72,routing=ugal", "this routing chooses one for each message"},
        {"dragonfly:9,groups=999,hosts=997", "no size fits with these options"},
        /* Without a search of all sizes, which took minutes. */
        {"dragonfly:17,groups=1000000", "no size fits with these options"},
        {"fat-tree:17,taper=1000000,radix=1000000", "no size fits with these options"},
        {"dragonfly:1048576,groups=2,routers=524288,spread=yes",
         "at most 256 hosts can be written"},
        {"dragonfly+:17",
         "dragonfly+:17: this size does not fit, the nearest sizes that fit are 16 "
         "and 18 "},
        {"dragonfly+:30,groups=2,leaves=3,hosts=7", "the nearest size that fits is 42 "},
        {"dragonfly+:17,groups=2,leaves=1000000", "no size fits with these options"},
        {"dragonfly+:64,routing=d-mod-k",
         "it must be one of minimal, ecmp, valiant, valiant-pairs"},
        {"dragonfly+:2,spines=1000000",
         "its XML would list 4000008 links: at most 131072 can be written"},
        {"hyperx:1x3", "hyperx: '1x3': \"1\" is not a whole number from 2"},
        {"hyperx:1024x1024", "hyperx:1024x1024: more than 1048576 hosts"},
        {"slimfly:250",
         "slimfly:250: this size does not fit, the nearest sizes that fit are 200 and "
         "588 (slimfly:N, N = 2 q x q x hosts, q an odd prime)"},
        {"slimfly:162,hosts=1", "the nearest sizes that fit are 98 and 242 "}, /* 9 is no prime */
        {"slimfly:1048576", "the nearest size that fits is 868014 "},
        {"slimfly:17,hosts=1000000", "no size fits with these options"},
        {"slimfly:200,hosts=0", "slimfly: hosts: \"0\" is not a whole number from 1"},
        {"slimfly:588", "at most 256 hosts can be written"},
        {"rails:1048576x2", "rails:1048576x2: more than 1048576 hosts"},
        {"rails:4x8x2",
         "rails: '4x8x2' has 3 numbers: rails:NODESxNICS, or rails:NODES with nics="},
        {"rails:0x8", "rails: '0x8': \"0\" is not a whole number from 1"},
        {"rails:4x8,nics=6", "rails: '4x8': a node has 6 network interfaces by nics=6"},
        {"rails:4x8,rails=3", "rails: rails: 3 does not divide the 8 network interfaces of a node"},
        {"rails:4x8,cross=spine", "rails: cross: 'spine' is neither inner nor spines"},
        {"rails:4x8,radix=3,rails=2",
         "rails: radix: 3 is too small: a rail switch has 4 ports for each node, and at least one "
         "uplink"},
        {"rails:4x8,radix=0", "rails: radix: \"0\" is not a whole number from 1"},
        {"rails:4x8,inner-bandwidth=1", "rails: inner-bandwidth: \"1\" is not a bandwidth"},
        {"hyperx:4x4,routing=valiant", "this routing chooses one for each message"},
        {"tofu:4096x4096", "tofu:4096x4096: more than 1048576 hosts"},
        {"tofu:3,routing=ecmp", "tofu has no option 'routing'"},
        {"torus:8x8x", "give numbers joined by x"},
        {"torus:1x8", "\"1\" is not a whole number from 2"},
        {"torus:4096x4096", "more than 1048576 hosts"},
        {"torus:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", "more than 16 dimensions"},
    };
    for (size_t i = 0; i < sizeof request / sizeof request[0]; i++) {
        char *xml;
        size_t size;
        struct sup_error error;
        int status = platform_make_xml(request[i].text, &xml, &size, &error);
        free(xml);
        assert_int_equal(status, RB_EINVAL);
        if (strstr(error.text, request[i].message) == NULL)
            fail_msg("%s: \"%s\" lacks \"%s\"", request[i].text, error.text, request[i].message);
    }
}

/* ---- Files, names, hashes ---- */

static void test_shipped_files(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text;
    } shipped[] = {
        {"fat-tree-1024", "fat-tree:1024"}, {"dragonfly-1056", "dragonfly:1056"},
        {"torus-8x8x8", "torus:8x8x8"},     {"crossbar-64", "crossbar:64"},
        {"hypercube-8", "hypercube:8"},
    };
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++) {
        char path[1024], file_hash[17], text_hash[17];
        snprintf(path, sizeof path, "%s/platforms/xml/%s.xml", ROUNDABOUT_SOURCE_DIR,
                 shipped[i].file);
        char *xml = xml_of(shipped[i].text), *file = contents(path);
        assert_string_equal(file, xml);
        assert_int_equal(platform_hash_of(path, file_hash, NULL), RB_OK);
        assert_int_equal(platform_hash_of(shipped[i].text, text_hash, NULL), RB_OK);
        assert_string_equal(file_hash, text_hash);
        free(file);
        free(xml);
    }
}

/* The value is FNV-1a's published one for "foobar". */
static void hashes_are_fnv_1a_of_the_content(void **state)
{
    (void)state;
    char hash[17], other[17], *path = file_with("foobar");
    assert_int_equal(platform_hash_of(path, hash, NULL), RB_OK);
    assert_string_equal(hash, "85944171f73967e8");
    assert_int_equal(platform_hash_of("crossbar:4", hash, NULL), RB_OK);
    assert_int_equal(platform_hash_of("crossbar:4,latency=2us", other, NULL), RB_OK);
    assert_string_not_equal(hash, other);
    assert_int_equal(platform_hash_of("crossbar:4,latency=1us", other, NULL), RB_OK);
    assert_string_equal(hash, other);
    unlink(path);
    free(path);
}

/* Memory without a limit changes no hash, which were these before hosts could have memory. */
static void test_hash_of_memory(void **state)
{
    static const struct {
        const char *text, *hash;
    } known[] = {{"crossbar:4", "8bbd0c10a80d70d1"},
                 {"leonardo:7", "dfcdb3c978affb69"},
                 {"mesh:3x3", "534774becbc686b0"}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        static const char *const options[] = {
            "", ",memory-bandwidth=none", ",memory-bandwidth=90GBps", ",memory-bandwidth=91GBps",
            ",memory-bandwidth=90GBps,memory-traffic=all"};
        char text[100], hash[5][17];
        for (int k = 0; k < 5; k++) {
            snprintf(text, sizeof text, "%s%s", known[i].text, options[k]);
            assert_int_equal(platform_hash_of(text, hash[k], NULL), RB_OK);
            assert_true((k < 2) == (strcmp(hash[k], known[i].hash) == 0));
            for (int j = 1; j < k; j++)
                assert_string_not_equal(hash[j], hash[k]);
        }
    }
}

static void test_names_and_paths(void **state)
{
    (void)state;
    char *given = file_with("<platform/>"), hash[17], same[17];
    struct sup_error error;
    assert_false(platform_is_generated(given));
    assert_false(platform_is_generated("some/where:1/x.xml"));
    assert_true(platform_is_generated("fat-tree:64"));
    unlink(given);
    free(given);

    char *xml = xml_of("torus:4x4");
    given = file_with(xml);
    assert_int_equal(platform_hash_of("torus:4x4", hash, &error), RB_OK);
    assert_int_equal(platform_hash_of(given, same, &error), RB_OK);
    assert_string_equal(hash, same);
    assert_int_equal(platform_hash_of("torus:4x5", same, &error), RB_OK);
    assert_string_not_equal(hash, same);
    unlink(given);
    free(given);
    free(xml);

    assert_int_equal(platform_hash_of("no-such.xml", hash, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "no-such.xml: No such file"));
    assert_int_equal(platform_hash_of("dragonfly", hash, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "dragonfly:64"));
}

/* ---- Routes: the number of links of each equals the formula ---- */

struct shape {
    const char *text;
    int32_t side[4]; /* fat-tree: down; torus: dimensions; dragonfly: groups, routers, hosts */
    int32_t sides;
    int32_t (*links)(const struct shape *shape, int32_t from, int32_t to);
};

static int32_t crossbar_links(const struct shape *shape, int32_t from, int32_t to)
{
    (void)shape, (void)from, (void)to;
    return 2;
}

/* Up to the lowest switch above both, and down again. */
static int32_t fat_tree_links(const struct shape *shape, int32_t from, int32_t to)
{
    int32_t level = 0;
    for (; from != to; level++) {
        from /= shape->side[level];
        to /= shape->side[level];
    }
    return 2 * level;
}

static int32_t torus_links(const struct shape *shape, int32_t from, int32_t to)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < shape->sides; i++) {
        int32_t side = shape->side[i], apart = abs(from % side - to % side);
        sum += apart < side - apart ? apart : side - apart;
        from /= side;
        to /= side;
    }
    return sum;
}

static int32_t dragonfly_links(const struct shape *shape, int32_t from, int32_t to)
{
    int32_t routers = shape->side[1], hosts = shape->side[2];
    int32_t from_router = from / hosts % routers, from_group = from / hosts / routers;
    int32_t to_router = to / hosts % routers, to_group = to / hosts / routers;
    if (from_group == to_group)
        return 2 + (from_router != to_router);
    return 3 + (from_router != to_group) + (to_router != from_group);
}

static int walk(void *context, FILE *reply, struct sup_error *error)
{
    const struct shape *shape = context;
    struct s4u_platform *platform;
    int status = s4u_platform_load(shape->text, NULL, &platform, error);
    if (status != RB_OK)
        return status;
    int32_t hosts = s4u_host_count(platform);
    for (int32_t from = 0; from < hosts && status == RB_OK; from++) {
        for (int32_t to = 0; to < hosts && status == RB_OK; to++) {
            struct s4u_route route;
            int32_t links = from == to ? 1 : shape->links(shape, from, to);
            status = s4u_find_route(platform, from, to, &route, error);
            if (status == RB_OK && route.count != links)
                status = sup_fail(error, RB_EWRONG, "%s: %d links from %d to %d, not %d",
                                  shape->text, route.count, from, to, links);
        }
    }
    fprintf(reply, "%d", hosts);
    s4u_platform_destroy(platform);
    return status;
}

static void test_routes(void **state)
{
    (void)state;
    static const struct shape shape[] = {
        {"crossbar:12", {12}, 1, crossbar_links},
        {"fat-tree:15", {5, 3}, 2, fat_tree_links},
        {"fat-tree:128,taper=2", {16, 8}, 2, fat_tree_links},
        {"fat-tree:60,down=5x3x4", {5, 3, 4}, 3, fat_tree_links},
        {"torus:7", {7}, 1, torus_links},
        {"torus:2x3x4", {2, 3, 4}, 3, torus_links},
        {"torus:8x8", {8, 8}, 2, torus_links},
        {"dragonfly:18,groups=3,routers=3", {3, 3, 2}, 3, dragonfly_links},
        {"dragonfly:120,groups=5,routers=8", {5, 8, 3}, 3, dragonfly_links},
        {"dragonfly:1056", {11, 12, 8}, 3, dragonfly_links},
    };
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        struct shape job = shape[i];
        struct sup_error error;
        char *reply, *end;
        size_t size;
        if (sim_isolate("SimGrid", walk, &job, &reply, &size, &error) != RB_OK)
            fail_msg("%s", error.text);
        long hosts = 1;
        for (int32_t j = 0; j < job.sides; j++)
            hosts *= job.side[j];
        assert_int_equal(strtol(reply, &end, 10), hosts);
        free(reply);
    }
}

/* All that check looks for is right, and the latency is what was asked for on every route. */
/* SimGrid finds the same in the file as in the platform that is built without one. */
static void test_listed_routes(void **state)
{
    static const char *const platforms[] = {"fat-tree:24,routing=ecmp:3",
                                            "dragonfly:36,spread=yes,routing=valiant-pairs:2",
                                            "tofu:3x2x4"};
    (void)state;
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        char *xml = xml_of(platforms[i]), *path = file_with(xml);
        json_t *built = survey_of(platforms[i]), *read = survey_of(path);
        static const char *const same[] = {"hosts",        "links",           "route_lengths",
                                           "link_classes", "shift_bandwidth", "loopback_latency_s",
                                           "findings"};
        for (size_t j = 0; j < sizeof same / sizeof *same; j++)
            assert_true(
                json_equal(json_object_get(built, same[j]), json_object_get(read, same[j])));
        json_decref(built);
        json_decref(read);
        unlink(path);
        free(path);
        free(xml);
    }
}

static void test_generated_are_sound(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double shift; /* each host's bandwidth when all send half the platform away */
    } platform[] = {
        {"crossbar:10,latency=3us,bandwidth=1GBps", 1e9},
        {"fat-tree:64,latency=3us,bandwidth=1GBps", 1e9},
        {"fat-tree:64,latency=3us,bandwidth=1GBps,taper=4", 0.25e9},
        {"fat-tree:60,down=5x3x4,latency=3us,bandwidth=1GBps", 1e9},
        {"fat-tree:60,down=5x3x4,latency=3us,bandwidth=1GBps,routing=s-mod-k", 1e9},
        {"dragonfly:72,groups=4,routers=6,latency=3us,bandwidth=1GBps", 1e9 / 3},
        {"ring:8,latency=3us,bandwidth=1GBps", 0.25e9},
        {"hyperx:4x4,latency=3us,bandwidth=1GBps", 0.5e9},
        {"slimfly:50,hosts=1,latency=3us,bandwidth=1GBps", 1e9},
        {"tofu:8,latency=3us,bandwidth=1GBps", 0.25e9},
        {"dragonfly+:64,latency=3us,bandwidth=1GBps", 1e9 / 3},
        {"mesh:4x8,latency=3us,bandwidth=1GBps", 0.5e9},
        {"hypercube:32,latency=3us,bandwidth=1GBps", 1e9},
        {"tree:16,latency=3us,bandwidth=1GBps", 0.125e9},
        {"mesh:4x8,latency=3us,bandwidth=1GBps,memory-bandwidth=30GBps,memory-traffic=all", 0.5e9},
        {"fat-tree:64,latency=3us,bandwidth=1GBps,memory-bandwidth=30GBps,memory-traffic=all", 1e9},
    };
    for (size_t i = 0; i < sizeof platform / sizeof platform[0]; i++) {
        json_t *survey = survey_of(platform[i].text);
        if (json_array_size(json_object_get(survey, "findings")) > 0)
            fail_msg("%s: %s", platform[i].text,
                     json_dumps(json_object_get(survey, "findings"), 0));
        assert_true(json_is_true(json_object_get(survey, "all_pairs")));
        /* The names of the crossbar's links, and of memories, say nothing of their ends. */
        const bool known = i > 0 && strstr(platform[i].text, "memory") == NULL;
        assert_true(json_is_true(json_object_get(survey, "contiguity_checked")) == known);
        expect_near(survey, "least_latency_s", 3e-6);
        expect_near(survey, "most_latency_s", 3e-6);
        expect_near(survey, "least_bandwidth", 1e9);
        expect_near(survey, "shift_bandwidth", platform[i].shift);
        expect_near(survey, "loopback_latency_s", 0.2e-6);
        expect_near(survey, "loopback_bandwidth", 25e9);
        json_decref(survey);
    }
}

/* ---- The findings of check, and its messages about broken files ---- */

#define PLATFORM(inside)                                                                           \
    "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM "                                          \
    "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n" inside "\n</platform>\n"
#define CLUSTER(more)                                                                              \
    PLATFORM("<cluster id=\"c\" prefix=\"host-\" suffix=\"\" speed=\"1Gf\" bw=\"1GBps\" " more "/" \
             ">")
#define LOOPBACK " loopback_bw=\"1GBps\" loopback_lat=\"1us\" "
#define DRAGONFLY_96(parameters)                                                                   \
    CLUSTER("lat=\"0s\" radical=\"0-95\" topology=\"DRAGONFLY\" topo_parameters=\"" parameters     \
            "\"" LOOPBACK)
#define FULL(routes)                                                                               \
    PLATFORM("<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"                      \
             "<host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>"                        \
             "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>" \
             "<link id=\"m\" bandwidth=\"1GBps\" latency=\"1us\"/>" routes "</zone>")
#define ROUTE(from, to, links) "<route src=\"" from "\" dst=\"" to "\" " links "</route>"
#define UP                     "<link_ctn id=\"l\" direction=\"UP\"/>"

static void test_findings(void **state)
{
    (void)state;
    static const struct {
        const char *xml;
        const char *findings; /* with their counts */
    } platform[] = {
        {CLUSTER("lat=\"1us\" radical=\"0-3\"" LOOPBACK), ""},
        {CLUSTER("lat=\"1us\" radical=\"0-3\""), "no-loopback 4;"},
        {CLUSTER("lat=\"1us\" radical=\"0-3\" sharing_policy=\"SHARED\"" LOOPBACK),
         "shared-duplex 12;"},
        {CLUSTER("lat=\"1us\" radical=\"0-3\" limiter_link=\"1GBps\"" LOOPBACK), "limiter 12;"},
        {CLUSTER("lat=\"1us\" radical=\"0-3\" bb_bw=\"1GBps\" bb_lat=\"1us\"" LOOPBACK),
         "shared-duplex 6;"},
        {CLUSTER("lat=\"1us\" radical=\"0-3\" bb_bw=\"1GBps\" bb_lat=\"1us\" "
                 "bb_sharing_policy=\"FATPIPE\"" LOOPBACK),
         ""},
        {CLUSTER("lat=\"0us\" radical=\"0-15\" topology=\"TORUS\" topo_parameters=\"4,4\""),
         "no-loopback 16;"},
        {CLUSTER("lat=\"1us\" radical=\"0-15\" topology=\"TORUS\" "
                 "topo_parameters=\"4,4\"" LOOPBACK),
         "uneven-latency 1;"},
        {CLUSTER("lat=\"1us\" radical=\"0-15\" topology=\"FAT_TREE\" "
                 "topo_parameters=\"2;4,4;1,4;1,1\"" LOOPBACK),
         "uneven-latency 1;"},
        {DRAGONFLY_96("3,4;1,2;8,2;4"), ""},
        {DRAGONFLY_96("3,4;2,2;4,2;4"), "uneven-length 576;broken-route 1;"},
        {FULL(ROUTE("a", "b", ">" UP) ROUTE("a", "c", ">" UP)), "no-route 2;"},
        {FULL(ROUTE("a", "b", ">" UP) ROUTE("a", "c", ">" UP)
                  ROUTE("b", "c", "><link_ctn id=\"m\"/>")),
         "shared-duplex 1;"},
        {FULL(ROUTE("a", "b", ">" UP) ROUTE("a", "c", ">" UP)
                  ROUTE("b", "c", "symmetrical=\"NO\">" UP UP)
                      ROUTE("c", "b", "symmetrical=\"NO\"><link_ctn id=\"m\"/>")),
         "uneven-latency 1;uneven-length 1;repeated-link 1;"},
        {CLUSTER("lat=\"1\" radical=\"0-3\"" LOOPBACK), "implausible-latency 8;"},
        {CLUSTER("lat=\"200ms\" radical=\"0-3\"" LOOPBACK), ""},
        {CLUSTER("lat=\"1e-11\" radical=\"0-3\"" LOOPBACK), "implausible-latency 8;"},
        {CLUSTER("lat=\"0\" radical=\"0-3\"" LOOPBACK), ""},
        {CLUSTER("lat=\"1us\" radical=\"0-3\" loopback_bw=\"10\" loopback_lat=\"1\""),
         "implausible-latency 4;implausible-bandwidth 4;"},
        {CLUSTER("lat=\"1us\" radical=\"0-3\" bb_bw=\"1e16\" bb_lat=\"1us\" "
                 "bb_sharing_policy=\"FATPIPE\"" LOOPBACK),
         "implausible-bandwidth 1;"},
        {CLUSTER("lat=\"1us\" radical=\"0-3\" bb_bw=\"100kBps\" bb_lat=\"1us\" "
                 "bb_sharing_policy=\"FATPIPE\"" LOOPBACK),
         ""},
    };
    for (size_t i = 0; i < sizeof platform / sizeof platform[0]; i++) {
        char *path = file_with(platform[i].xml), found[256] = "";
        json_t *survey = survey_of(path), *finding;
        size_t j, used = 0;
        json_array_foreach(json_object_get(survey, "findings"), j, finding)
        {
            used += (size_t)snprintf(found + used, sizeof found - used, "%s %d;",
                                     json_string_value(json_object_get(finding, "name")),
                                     (int)json_integer_value(json_object_get(finding, "count")));
        }
        if (strcmp(found, platform[i].findings) != 0)
            fail_msg("platform %zu: found '%s', not '%s'", i, found, platform[i].findings);
        json_decref(survey);
        unlink(path);
        free(path);
    }
}

static void test_broken_files(void **state)
{
    (void)state;
    static const struct {
        const char *xml, *message;
        int status;
    } broken[] = {
        {"", "not XML", RB_EINVAL},
        {"hello", ":1: not XML", RB_EINVAL},
        {"<platform version=\"4.1\"/>", ":1: SimGrid requires <!DOCTYPE platform SYSTEM",
         RB_EINVAL},
        {"<html/>", "its outermost element is <html>, not <platform>", RB_EINVAL},
        /* Attributes are not looked at after the fault: their memory may be gone. */
        {"<!DOCTYPE platform SYSTEM \"x\"><html radical=\"0-511\" bw=\"1\" lat=\"1\"/>",
         "its outermost element is <html>, not <platform>", RB_EINVAL},
        {PLATFORM("<zone id=\"z\" routing=\"Full\">\n<host id=\"a\">\n</zone>"),
         ":6: not XML: Opening and ending tag mismatch: host", RB_EINVAL},
        {PLATFORM("<zone id=z routing=\"Full\"></zone>"), ":4: not XML: AttValue:", RB_EINVAL},
        {PLATFORM("<zone id=\"z\" routing=\"Full\"></zone>"), "has no hosts", RB_EINVAL},
        {PLATFORM("<zone id=\"z\" routing=\"Full\"><hots id=\"a\"/></zone>"), ":4: Invalid XML",
         RB_EINVAL},
        {DRAGONFLY_96("6,1;2,1;4,1;2"), ":4: a dragonfly of 6 groups needs as many blades",
         RB_EINVAL},
        /* What SimGrid refuses itself. */
        {CLUSTER("lat=\"1us\" radical=\"0-14\" topology=\"TORUS\" topo_parameters=\"4,4\""),
         "Zone(c): error when creating host number 15", RB_EINVAL},
        {CLUSTER("lat=\"1us\" radical=\"0-1,3-,5\""), "radical: \",\" (U+002C) must not be there",
         RB_EINVAL},
        {CLUSTER("lat=\"1us\" radical=\"5-3\""), "radical: 5-3 runs backwards", RB_EINVAL},
        {CLUSTER(
             "lat=\"1us\" radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,4\""),
         ":4: Fat trees are defined by the levels number and 3 vectors", RB_EINVAL},
        {CLUSTER("lat=\"1us\" radical=\"0-15\" topology=\"DRAGONFLY\" topo_parameters=\"2;2;1;1\""),
         "Dragonfly topologies are defined by 3 levels with 2 elements each", RB_EINVAL},
        {PLATFORM("<include file=\"x.xml\"/>"), "<include> tag was removed", RB_EINVAL},
        {PLATFORM(""), "has no hosts", RB_EINVAL},
        {PLATFORM("<cabinet id=\"c\" prefix=\"n\" radical=\"0-3\" suffix=\"\" speed=\"1Gf\" "
                  "bw=\"1GBps\" lat=\"1us\"/>"),
         "has no hosts", RB_EINVAL},
        {PLATFORM("<trace id=\"t\" periodicity=\"1.0\">0.0 1.0</trace>"), "has no hosts",
         RB_EINVAL},
        {PLATFORM("<host id=\"a\" speed=\"1Gf\" core=\"0\"/>"), "", RB_EINVAL},
        {"<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"3\"><zone id=\"z\" routing=\"Full\"/></platform>",
         ":2: ******* THIS FILE IS TOO OLD", RB_EINVAL},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char *path = file_with(broken[i].xml);
        struct sup_error error = {0};
        json_t *survey;
        int status = survey_platform(path, &survey, &error);
        assert_null(survey);
        if (status != broken[i].status || strstr(error.text, broken[i].message) == NULL)
            fail_msg("file %zu: status %d, \"%s\"", i, status, error.text);
        unlink(path);
        free(path);
    }
}

#define PARAMETERS(topology, parameters)                                                           \
    CLUSTER("lat=\"1us\" radical=\"0-15\" topology=\"" topology "\" topo_parameters=\"" parameters \
            "\"")

static void refuses(const char *xml, const char *message)
{
    char *path = file_with(xml);
    struct sup_error error = {""};
    int status = platform_check_xml(path, NULL, &error);
    if (status != RB_EINVAL || strstr(error.text, message) == NULL)
        fail_msg("%.400s: status %d, \"%s\"", xml, status, error.text);
    unlink(path);
    free(path);
}

/* A file of this text is taken, and these settings of it are ignored. */
static void ignores(const char *xml, const char *ignored)
{
    char *path = file_with(xml), what[PLATFORM_IGNORED];
    struct sup_error error = {""};
    if (platform_check_xml(path, what, &error) != RB_OK)
        fail_msg("%.400s: %s", xml, error.text);
    assert_string_equal(what, ignored);
    unlink(path);
    free(path);
}

/* SimGrid drops what stands behind a number of a radical: "0\u221215" is one host. */
static void test_misread_characters(void **state)
{
    static const struct {
        const char *text, *code;
    } odd[] = {{"\xe2\x88\x92", "U+2212"},
               {"\xe2\x80\x93", "U+2013"},
               {"\xe2\x80\x91", "U+2011"},
               {"\xef\xbc\x8d", "U+FF0D"},
               {"\xc2\xa0", "U+00A0"},
               {"\xe2\x80\x89", "U+2009"},
               {"\xef\xbc\x95", "U+FF15"},
               {"\xd9\xa3", "U+0663"},
               {";", "U+003B"},
               {".", "U+002E"},
               {"x", "U+0078"},
               {"+", "U+002B"},
               {"&#8722;", "U+2212"},
               {"&#160;", "U+00A0"}};
    static const char *const good[] = {"0-15",  " 0-15 ", "0 - 15",         "0-3, 5,\n7",
                                       "00-03", "7",      "0-0,1-1,100-101"};
    static const char plain[] = "0-15,20";
    char xml[600], wanted[60];
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        for (int at = 0; at <= (int)strlen(plain); at++)
            for (int in_place = 0; in_place < 2 && at + in_place <= (int)strlen(plain);
                 in_place++) {
                snprintf(xml, sizeof xml,
                         PLATFORM("<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"%.*s%s%s\" "
                                  "speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>"),
                         at, plain, odd[i].text, plain + at + in_place);
                snprintf(wanted, sizeof wanted, "(%s) must not be there", odd[i].code);
                refuses(xml, wanted);
            }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        snprintf(xml, sizeof xml,
                 PLATFORM("<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"%s\" speed=\"1Gf\" "
                          "bw=\"1GBps\" lat=\"1us\"/>"),
                 good[i]);
        ignores(xml, "");
    }
    refuses(CLUSTER("lat=\"1us\" radical=\"\""), "radical: a number is missing");
    refuses(CLUSTER("lat=\"1us\" radical=\"0-\""), "radical: a number is missing");
    ignores(PLATFORM("<host id=\"n\xc3\xb6rd-1\" speed=\"1Gf\"/>"), "");
    refuses(PLATFORM("<host id=\"a\" speed=\"1,5Gf\"/>"), "a comma divides speeds");
    ignores(PLATFORM("<host id=\"a\" speed=\"1Gf,0.5Gf\"/>"), "");
}

/* Settings of computing change nothing for plans; others of SMPI's are not taken. */
static void test_settings_of_computing(void **state)
{
#define SETTING(key, value) PLATFORM("<config><prop id=\"" key "\" value=\"" value "\"/></config>")
    (void)state;
    ignores(SETTING("smpi/simulate-computation", "0"), "smpi/simulate-computation");
    ignores(PLATFORM("<config><prop id=\"smpi/host-speed\" value=\"1Gf\"/><prop "
                     "id=\"smpi/cpu-threshold\" value=\"-1\"/></config>"),
            "smpi/host-speed, smpi/cpu-threshold");
    ignores(SETTING("smpi/bw-factor", "0:1"), "");
    refuses(SETTING("smpi/async-small-thresh", "1"), "remove it");
    refuses(SETTING("tracing", "yes"), "a platform may not set \"tracing\"");
    refuses(SETTING("smpi/simulate-computation-x", "1"), "remove it");
}

/* SimGrid's settings, from options and from files. */
static void test_settings(void **state)
{
    static const struct {
        const char *key, *value, *wrong; /* NULL: nothing */
    } cases[] = {
        {"network/model", "LV08", NULL},
        {"network/model", "ns-3", "network/model:ns-3: it must be one of CM02, LV08, SMPI, IB"},
        {"network/model", "help", "it must be one of"},
        {"cpu/optim", "x", "cpu/optim:x: it must be one of Lazy, TI, Full"},
        {"plugin", "help", "plugin:help is a question, not a setting"},
        {"surf/precision", "0", "surf/precision:0: it must be a number above 0 and at most 1"},
        {"surf/precision", "1e-18", NULL},
        {"surf/precision", "nan", "above 0"},
        {"network/bandwidth-factor", "-1", "from 1e-9 to 1e9"},
        {"network/bandwidth-factor", "0.97", NULL},
        {"network/bandwidth-factor", "0:1;1000:0.5", NULL}, /* SimGrid's to judge */
        {"maxmin/concurrency-limit", "0", "of at least 1, or -1 for no limit"},
        {"maxmin/concurrency-limit", "-1", NULL},
        {"contexts/stack-size", "1", "from 16 to 1048576 (KiB)"},
        {"contexts/nthreads", "inf", "from 1 to 1024"},
        {"unknown", "-1", NULL},
        {"cpu/solver", "maxmin tracing:yes", "what follows a blank or a comma"},
        {"cpu/solver", "maxmin,tracing:yes", "what follows a blank or a comma"},
        {"cpu/solver", "maxmin\ntracing:yes", "what follows a blank or a comma"},
        {"smpi/bw-factor", "0:1;1000:0.5", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sup_error error = {""};
        const int status = platform_check_setting(cases[i].key, cases[i].value, &error);
        if (cases[i].wrong == NULL
                ? status != RB_OK
                : status != RB_EINVAL || strstr(error.text, cases[i].wrong) == NULL)
            fail_msg("%s:%s: status %d, \"%s\"", cases[i].key, cases[i].value, status, error.text);
    }
}

/* What SimGrid crashes on, takes gigabytes or for ever for, or lets a file do that it shouldn't. */
static void test_hostile_files(void **state)
{
    (void)state;
    char hash[17];
    assert_int_equal(platform_hash_of(".", hash, NULL), RB_EINVAL); /* a directory */
    static const char *const bad_torus[] = {
        PARAMETERS("TORUS", "4, 4"),  PARAMETERS("TORUS", "   "),
        PARAMETERS("TORUS", ""),      PARAMETERS("TORUS", "4,0"),
        PARAMETERS("TORUS", "-4,-4"), PARAMETERS("TORUS", "99999999999999999999,2")};
    static const char *const bad_tree[] = {PARAMETERS("FAT_TREE", "2;4,4;1,1000000;1,5"),
                                           PARAMETERS("FAT_TREE", "2;4096,4096;1,1;1,2"),
                                           PARAMETERS("FAT_TREE", "1;16;1;1000000000"),
                                           PARAMETERS("FAT_TREE", "2;4,4 ;1,4;1,1")};
    static const char *const bad_dragonfly[] = {PARAMETERS("DRAGONFLY", "   "),
                                                PARAMETERS("DRAGONFLY", "2,1;2,1;2,1;x")};
    for (size_t i = 0; i < sizeof bad_torus / sizeof *bad_torus; i++)
        refuses(bad_torus[i], "are not whole numbers from 1");
    for (size_t i = 0; i < sizeof bad_tree / sizeof *bad_tree; i++)
        refuses(bad_tree[i], "topo_parameters");
    for (size_t i = 0; i < sizeof bad_dragonfly / sizeof *bad_dragonfly; i++)
        refuses(bad_dragonfly[i], "are not whole numbers from 1");
    refuses(CLUSTER("radical=\"0-2000000000\""), ":4: the platform has more than 1048576 hosts");
    refuses(CLUSTER("radical=\"0-1,3,5-999999,0-48585\""), "more than 1048576 hosts");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"nanBps\" latency=\"1us\"/>"),
            ":4: bandwidth=\"nanBps\" is not a number from 1e-18 to 1e24 with its unit, such as "
            "12.5GBps");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"0x1p3Bps\" latency=\"1us\"/>"), "is not a number");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"1e400Bps\" latency=\"1us\"/>"), "is not a number");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"1GBps\" latency=\"-1us\"/>"),
            "is not a number from 1e-18 to 1e24, or 0, with its unit, such as 1us");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"1GBps\" latency=\"inf\"/>"), "is not a number");
    refuses(PLATFORM("<host id=\"a\" speed=\"1Gf\" speed_file=\"/dev/zero\"/>"), "is not a file");
    refuses(PLATFORM("<config id=\"General\"><prop id=\"tracing/filename\" value=\"x\"/></config>"),
            "a platform may not set \"tracing/filename\"");
    refuses(PLATFORM("<config id=\"General\"><prop id=\"smpi/trace\" value=\"x\"/></config>"),
            "a platform may not set \"smpi/trace\"");
    refuses(
        PLATFORM("<config><prop id=\"cpu/solver\" value=\"maxmin tracing/filename:x\"/></config>"),
        "cpu/solver:maxmin...: SimGrid takes what follows a blank or a comma");
    refuses(PLATFORM("<?php x ?>"), "may not have processing instructions");
    refuses(PLATFORM("<![CDATA[<config/>]]>"), "may not have <![CDATA[");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"1e300GBps\" latency=\"1us\"/>"),
            ":4: bandwidth=\"1e300GBps\" is not a number from 1e-18 to 1e24");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"1e-300Bps\" latency=\"1us\"/>"), "from 1e-18");
    refuses(PLATFORM("<link id=\"l\" bandwidth=\"1Bps\" latency=\"1e300s\"/>"), "from 1e-18");
    refuses(PLATFORM("<host id=\"a\" speed=\"1Gf,1e300Gf\"/>"), "from 1e-18");
    refuses(PLATFORM("<host id=\"a\" speed=\"1Gf\" core=\"1048577\"/>"),
            ":4: core=\"1048577\" is not a whole number from 1 to 1048576");
    refuses(PLATFORM("<host id=\"a\" speed=\"1Gf\" core=\"99999999999\"/>"),
            "is not a whole number");
    refuses(PLATFORM("<host id=\"a\" speed=\"1Gf\" core=\"1.5\"/>"), "is not a whole number");
    refuses(
        PLATFORM("<config id=\"General\"><prop id=\"maxmin/precision\" value=\"-1\"/></config>"),
        ":4: maxmin/precision:-1: it must be a number above 0 and at most 1");
    refuses("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\" [\n"
            "<!ENTITY a \"aaaaaaaaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n"
            "<platform version=\"4.1\"><zone id=\"&b;\" routing=\"Full\"/></platform>",
            ":2: a platform may not declare entities");
}

/* SimGrid 4 crashes on a torus, fat-tree or dragonfly with no zone around it. */
static void test_outermost_cluster(void **state)
{
    (void)state;
    static const char torus[] = "radical=\"0-15\" topology=\"TORUS\" topo_parameters=\"4,4\"";
    static const struct {
        const char *xml;
        bool enclosed;
    } platform[] = {
        {CLUSTER("lat=\"0us\" radical=\"0-15\" topology=\"TORUS\" topo_parameters=\"4,4\""), true},
        {CLUSTER("lat=\"1us\" radical=\"0-3\""), false},
        {FULL(ROUTE("a", "b", ">" UP)), false},
    };
    for (size_t i = 0; i < sizeof platform / sizeof *platform; i++) {
        char *path = file_with(platform[i].xml), *xml;
        size_t size = 0;
        struct sup_error error;
        assert_int_equal(platform_enclose_cluster(path, &xml, &size, &error), RB_OK);
        assert_int_equal(xml != NULL, platform[i].enclosed);
        if (xml != NULL) {
            assert_int_equal(size, strlen(xml));
            assert_non_null(strstr(xml, "routing=\"Full\"><cluster id=\"c\""));
            assert_non_null(strstr(xml, torus));
        }
        free(xml);
        unlink(path);
        free(path);
    }
    struct sup_error error;
    char *xml;
    size_t size;
    assert_int_equal(platform_enclose_cluster("/no/such/file", &xml, &size, &error), RB_EINVAL);
    assert_null(xml);
}

/* SimGrid crashes on 20,000 nested zones. */
static void test_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 20000 };
    static const char start[] = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                "<platform version=\"4.1\">\n",
                      zone[] = "<zone id=\"z\" routing=\"Full\">\n";
    char *xml = malloc(sizeof start + DEPTH * (sizeof zone - 1));
    assert_non_null(xml);
    memcpy(xml, start, sizeof start);
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(xml + sizeof start - 1 + i * (sizeof zone - 1), zone, sizeof zone);
    refuses(xml, ":202: elements are nested more than 200 deep");
    free(xml);
}

/* ---- The verb ---- */

static int run(const char *action, const char *platform, const char *output)
{
    const char *const argument[] = {"--format", "csv", "-o", output, action, platform};
    bool generates = strcmp(action, "generate") == 0; /* has no formats */
    char *copy[7] = {NULL};
    int count = 0;
    for (size_t i = generates ? 2 : 0; i < 6 && argument[i] != NULL; i++)
        copy[count++] = strdup(argument[i]);
    int status = cli_verb_main(&verb_platform, count, copy);
    for (int i = 0; i < count; i++)
        free(copy[i]);
    return status;
}

static void expect_output(const char *path, const char *wanted)
{
    char *text = contents(path);
    if (strstr(text, wanted) == NULL)
        fail_msg("\"%s\" is not in\n%s", wanted, text);
    free(text);
}

static void the_verb_lists_generates_and_checks(void **state)
{
    (void)state;
    char *output = file_with(""), *xml = xml_of("fat-tree:16"),
         *wrong =
             file_with(CLUSTER("lat=\"1us\" radical=\"0-3\" sharing_policy=\"SHARED\"" LOOPBACK));
    assert_int_equal(run("list", NULL, output), CLI_EXIT_DONE);
    expect_output(output, "\nfat-tree,taper,1,");
    assert_int_equal(run("generate", "fat-tree:16", output), CLI_EXIT_DONE);
    char *written = contents(output);
    assert_string_equal(written, xml);
    free(written);
    assert_int_equal(run("describe", "fat-tree:16", output), CLI_EXIT_DONE);
    expect_output(output, "\nlinks_host,32,12500000000,5e-07,1,\n");
    expect_output(output, "\nlinks_inner,32,12500000000,0,1,\n");
    expect_output(output, "\nroute_length,2,,,,48\nroute_length,4,,,,192\n");
    assert_int_equal(run("check", "fat-tree:16", output), CLI_EXIT_DONE);
    assert_int_equal(run("check", wrong, output), CLI_EXIT_FALSE);
    expect_output(output, "\nshared-duplex,12,both directions between host-0 and host-1 share");
    assert_int_equal(run("check", "fat-tree:17", output), CLI_EXIT_USAGE);
    assert_int_equal(run("chekc", "fat-tree:16", output), CLI_EXIT_USAGE);
    assert_int_equal(run("list", "fat-tree:16", output), CLI_EXIT_USAGE);
    assert_int_equal(run("check", NULL, output), CLI_EXIT_USAGE);
    unlink(output);
    unlink(wrong);
    free(output);
    free(wrong);
    free(xml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_that_fit),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_shipped_files),
        cmocka_unit_test(hashes_are_fnv_1a_of_the_content),
        cmocka_unit_test(test_hash_of_memory),
        cmocka_unit_test(test_names_and_paths),
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_listed_routes),
        cmocka_unit_test(test_generated_are_sound),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_outermost_cluster),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_misread_characters),
        cmocka_unit_test(test_settings_of_computing),
        cmocka_unit_test(test_hostile_files),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(the_verb_lists_generates_and_checks),
    };
    return cmocka_run_group_tests_name("platforms", tests, NULL, NULL);
}
