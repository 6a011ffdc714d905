/* The map of a network: links join what routes say, each is in one stroke, and the picture's loads
 * are those of the links' table. */
#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/generator.h"
#include "platforms/map.h"
#include "plots/run/pictures.h"
#include "support/memory.h"
#include "tests/diagnosed_run.h"

static const char *const formulas[] = {
    "fat-tree:24,down=4x3x2",
    "fat-tree:64,down=8x8,taper=2,routing=ecmp:1",
    "fat-tree:81,down=3x3x3x3",
    "dragonfly:72,routing=valiant:1",
    "dragonfly:72,global=3,spread=yes,routing=valiant-pairs:2",
    "dragonfly+:64",
    "dragonfly+:18,groups=3,leaves=3,spines=3,hosts=2,global=3,routing=valiant:1",
    "hyperx:4x3x2,hosts=3,routing=valiant:1",
    "slimfly:200",
    "tofu:4x2x3",
    "torus:4x5x2",
    "torus:9",
    "crossbar:9,ports=2",
    "rails:7x3",
    "rails:9x4,rails=2,radix=8,cross=spines",
    "leonardo:100",
    "lumi:70",
    "fugaku:2x2x2",
    "marenostrum5:200",
    "ring:9",
    "mesh:3x4x2",
    "hypercube:16",
    "tree:16"};

/* ---- Ends ------------------------------------------------------------------------------------ */

/* Walks a route: each link begins at the node where the one before it ended. */
static void walk(struct platform_network *network, int32_t from, int32_t to, int32_t nodes)
{
    struct platform_route route;
    struct sup_error error;
    int32_t ends[2], at = from;
    assert_int_equal(
        platform_network_route(network, from, to, (uint64_t)(from * 7 + to), &route, &error),
        RB_OK);
    for (int32_t i = 0; i < route.count; i++) {
        assert_true(platform_network_ends(network, route.link[i], ends));
        if (ends[0] != at || ends[1] < 0 || ends[1] >= nodes)
            fail_msg("%d to %d: link %d leads from %d to %d, not from %d", from, to, i, ends[0],
                     ends[1], at);
        at = ends[1];
    }
    assert_int_equal(at, to);
}

static void ends_are_those_of_routes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct platform_network *network;
        struct sup_error error;
        assert_int_equal(platform_network_create(formulas[i], &network, &error), RB_OK);
        const int32_t nodes = platform_network_nodes(network);
        for (int32_t from = 0; from < network->hosts; from++)
            for (int32_t to = 0; to < network->hosts; to++)
                walk(network, from, to, nodes);
        platform_network_destroy(network);
    }
}

/* ---- Strokes --------------------------------------------------------------------------------- */

static struct platform_map *map_of(const char *text, double width)
{
    struct sup_error error;
    struct platform_map *map;
    if (platform_map_create(text, width, 8, &map, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    return map;
}

/* A link has one stroke, the way back the same; strokes are not too many, and are in the picture.
 */
static void check_strokes(const char *text, double width)
{
    struct platform_map *map = map_of(text, width);
    int32_t links = 0, lines = 0, *counted;
    counted = sup_calloc((size_t)map->strokes + 1, sizeof *counted);
    for (int32_t i = 0; i < map->links; i++) {
        const struct platform_map_link *link = &map->link[i];
        const size_t length = strlen(link->name);
        assert_in_range(link->stroke, 0, map->strokes - 1);
        counted[link->stroke]++;
        assert_true(i == 0 || strcmp(link->name, link[-1].name) > 0);
        assert_ptr_equal(platform_map_find(map, link->name), link);
        if (strcmp(link->name + length - 3, "_UP") == 0) {
            char *back = sup_format("%.*s_DOWN", (int)length - 3, link->name);
            assert_non_null(platform_map_find(map, back));
            assert_int_equal(platform_map_find(map, back)->stroke, link->stroke);
            free(back);
        }
    }
    for (int32_t i = 0; i < map->strokes; i++) {
        double x, y;
        assert_int_equal(counted[i], map->stroke[i].links);
        assert_int_equal(sscanf(map->stroke[i].path, "M%lf %lf", &x, &y), 2);
        if (!(x >= 0 && x <= map->width && y >= 0 && y <= map->height))
            fail_msg("%s, %g wide: %s is outside", text, width, map->stroke[i].path);
        assert_true(map->stroke[i].width > 0 && isfinite(map->stroke[i].width));
        assert_true(strlen(map->stroke[i].path) < sizeof map->stroke[i].path - 8);
        links += map->stroke[i].links;
        lines += !map->stroke[i].is_cell;
    }
    assert_int_equal(links, map->links);
    assert_true(lines <= 4 * width || width < 500); /* groups are never merged */
    free(counted);
    platform_map_destroy(map);
}

static void each_link_has_one_stroke(void **state)
{
    (void)state;
    static const char *const large[] = {
        "fat-tree:1024",  "dragonfly:1056",      "torus:16x16",
        "torus:64x64x16", "crossbar:5000",       "fat-tree:4096,levels=3",
        "leonardo",       "hypercube:4096",      "hyperx:8x8x8",
        "crossbar:1",     "fat-tree:8,levels=1", "dragonfly:65536",
        "slimfly:10830"};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        check_strokes(formulas[i], 500);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        check_strokes(large[i], 500);
        check_strokes(large[i], 60);
    }
}

/* Where there is room, a stroke is a cable; where not, neighbours are together. */
static void few_links_have_strokes_of_their_own(void **state)
{
    (void)state;
    static const char *const plain[] = {"fat-tree:24,down=4x3x2",
                                        "dragonfly:1056",
                                        "torus:4x5x3",
                                        "hyperx:4x3x2,hosts=3",
                                        "tofu:4x2x3",
                                        "crossbar:64",
                                        "mesh:3x4x2",
                                        "tree:16",
                                        "ring:9"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        struct platform_map *map = map_of(plain[i], 504);
        for (int32_t s = 0; s < map->strokes; s++)
            if (map->stroke[s].links != 2)
                fail_msg("%s: %d links at %s", plain[i], map->stroke[s].links, map->stroke[s].path);
        platform_map_destroy(map);
    }
    struct platform_map *map = map_of("fat-tree:1024", 504); /* 32 leaves of 32 hosts, 32 spines */
    assert_int_equal(map->strokes, 16 * 16 + 1024);
    assert_int_equal(map->switches, 2);
    for (int32_t s = 0; s < map->strokes; s++)
        assert_int_equal(map->stroke[s].links, map->stroke[s].is_cell ? 2 : 8);
    platform_map_destroy(map);
}

/* A torus of 4 x 4: known places. */
static void neighbours_are_joined(void **state)
{
    (void)state;
    struct platform_map *map = map_of("torus:4x4", 480);
    const char *row = map->stroke[platform_map_find(map, "torus_link_from_0_to_1_UP")->stroke].path;
    const char *round =
        map->stroke[platform_map_find(map, "torus_link_from_3_to_0_UP")->stroke].path;
    double x, y, dx, dy;
    assert_int_equal(sscanf(row, "M%lf %lfl%lf %lf", &x, &y, &dx, &dy), 4);
    assert_true(dy == 0 && fabs(dx - 40) < 0.01);
    assert_non_null(strrchr(round, 'M'));
    assert_true(strrchr(round, 'M') != round); /* a stub at each end */
    assert_int_equal(map->strokes, 32);
    platform_map_destroy(map);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static xmlDocPtr draw(const struct run *run, const char *platform, const char *title)
{
    struct sup_error error;
    char *svg;
    size_t size;
    FILE *memory = sup_memory_open(&svg, &size);
    const struct plot_look look = {.title = title};
    const struct diag_network_map picture = {
        .platform = platform,
        .text = {.origin = {"-->", title}, .labels = {"a <plan> & \"b\"", "the engine \x01\xff"}},
        .look = &look,
        .result = &run->result,
    };
    if (diag_network_map_draw(&picture, memory, &error) != RB_OK)
        fail_msg("%s", error.text);
    sup_memory_close(memory, &svg);
    xmlDocPtr document = xmlReadMemory(svg, (int)size, "picture.svg", NULL, XML_PARSE_NONET);
    assert_non_null(document);
    free(svg);
    return document;
}

struct sum {
    int links, strokes;
    double most;
};

/* Compares each stroke with the links' table. */
static void compare(xmlNodePtr node, const struct run *run, struct sum *sum)
{
    for (; node != NULL; node = node->next) {
        xmlChar *count = xmlGetProp(node, (const xmlChar *)"data-links");
        xmlChar *load = xmlGetProp(node, (const xmlChar *)"data-load");
        xmlChar *title = node->children == NULL ? NULL : xmlNodeGetContent(node->children);
        if (count != NULL) {
            sum->links += atoi((const char *)count);
            sum->strokes++;
            sum->most = fmax(sum->most, atof((const char *)load));
            assert_true((title != NULL) == (atof((const char *)load) > 0));
        }
        for (int32_t i = 0; count != NULL && title != NULL && i < run->result.link_count; i++) {
            const struct sim_link *link = &run->result.links[i];
            const size_t length = strlen(link->name);
            if (strncmp((const char *)title, link->name, length) == 0 && title[length] == ':')
                assert_true(fabs(atof((const char *)load) - (double)link->bytes / link->bandwidth /
                                                                run->result.time_s) < 1e-8);
        }
        xmlFree(count);
        xmlFree(load);
        xmlFree(title);
        compare(node->children, run, sum);
    }
}

/* The fullest link that messages can share. */
static double most_load(const struct run *run, const struct platform_map *map)
{
    double most = 0;
    for (int32_t i = 0; i < run->result.link_count; i++) {
        const struct sim_link *link = &run->result.links[i];
        if (platform_map_find(map, link->name) != NULL)
            most = fmax(most, (double)link->bytes / link->bandwidth / run->result.time_s);
        else
            assert_non_null(strstr(link->name, "backbone")); /* no message shares it */
    }
    return most;
}

static void check_picture(const char *engine, const char *platform)
{
    const struct request request = {"bcast", "circulant", 8, 5, 100000, blocking, NULL, NULL, 0};
    struct platform_map *map = map_of(platform, 500);
    struct run run;
    struct sum sum = {0};
    start(&run, &request);
    run.spec.want_links = INT32_MAX;
    simulate(&run, engine, platform);
    xmlDocPtr document = draw(&run, platform, "5 < 6 & \"7\"");
    compare(xmlDocGetRootElement(document), &run, &sum);
    assert_int_equal(sum.links, map->links);
    assert_true(sum.most > 0 && fabs(sum.most - most_load(&run, map)) < 1e-8);
    xmlFreeDoc(document);
    platform_map_destroy(map);
    end(&run);
}

static void loads_are_those_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        check_picture("flow", formulas[i]);
    check_picture("simgrid", "fat-tree:16");
    check_picture("simgrid", "dragonfly:72");
    check_picture("simgrid", "torus:4x4");
    check_picture("simgrid", "crossbar:8");
}

/* In each window, and in all, a stroke has its fullest link's load; the windows' mean is as much as
 * the whole. */
static void a_page_has_the_loads_over_time(void **state)
{
    (void)state;
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const struct request request = {"bcast", "circulant", 16, 5, 1000000, blocking, NULL, NULL, 0};
    const char *path, *loads;
    double width, bandwidth, load, time_s, window_s;
    int links, windows, drawn = 0;
    struct run run;
    json_t *stroke, *name;
    size_t i;
    start(&run, &request);
    run.spec.want_contention = true;
    simulate(&run, "flow", "torus:4x4");
    json_t *map = diag_network_map_json("torus:4x4", run.result.contention);
    assert_non_null(map);
    assert_int_equal(json_unpack(map, "{s:f, s:f, s:i}", "time_s", &time_s, "window_s", &window_s,
                                 "windows", &windows),
                     0);
    assert_in_range(windows, 33, 64);
    json_array_foreach(json_object_get(map, "strokes"), i, stroke)
    {
        double sum = 0;
        assert_int_equal(json_unpack(stroke, "[s, F, i, F, F, o, s]", &path, &width, &links,
                                     &bandwidth, &load, &name, &loads),
                         0);
        assert_int_equal(links, 2);
        assert_int_equal(strlen(loads), json_is_null(name) ? 0 : windows);
        for (int k = 0; loads[k] != '\0'; k++)
            sum += (double)(strchr(digits, loads[k]) - digits) / 63 *
                   fmin(window_s, time_s - k * window_s) / time_s;
        assert_true(sum >= load - 0.01); /* the other direction may add to it */
        drawn += load > 0;
    }
    assert_true(drawn > 10);
    json_decref(map);
    assert_null(diag_network_map_json("platform.xml", run.result.contention));
    end(&run);
}

static void nothing_sent_is_idle(void **state)
{
    (void)state;
    const struct request request = {"bcast", "binomial", 1, 1, 0, blocking, NULL, NULL, 0};
    struct run run;
    struct sum sum = {0};
    start(&run, &request);
    run.spec.want_links = INT32_MAX;
    simulate(&run, "flow", "fat-tree:16");
    xmlDocPtr document = draw(&run, "fat-tree:16", NULL);
    compare(xmlDocGetRootElement(document), &run, &sum);
    assert_true(sum.most == 0 && sum.strokes > 0);
    xmlFreeDoc(document);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_those_of_routes),
        cmocka_unit_test(each_link_has_one_stroke),
        cmocka_unit_test(few_links_have_strokes_of_their_own),
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(loads_are_those_of_the_table),
        cmocka_unit_test(a_page_has_the_loads_over_time),
        cmocka_unit_test(nothing_sent_is_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
