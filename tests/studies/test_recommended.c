/* test_recommended.c - what fabrics' files say of a cluster, the shapes that hold its nodes, and
 * which times at fewer ranks others are expected from. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms/platform.h"
#include "studies/recommend/recommend.h"
#include "support/units.h"

static uint32_t seed;
static int32_t random_below(int32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (int32_t)((seed >> 8) % (uint32_t)limit);
}

static void read_text(const char *text, struct recommend_cluster *cluster)
{
    char path[] = "/tmp/test_recommended_XXXXXX";
    struct sup_error error;
    const int file = mkstemp(path);
    *cluster = (struct recommend_cluster){0};
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    const int status = recommend_read_topology(path, cluster, &error);
    unlink(path);
    if (status != RB_OK)
        fail_msg("%s in\n%s", error.text, text);
}

/* ---- Fabrics --------------------------------------------------------------------------------- */

/* Gbit/s of data of a lane: the InfiniBand Architecture Specification's rates, less the share of
 * 8b/10b up to QDR, and of 64b/66b for FDR10 and FDR. */
static const struct {
    const char *name;
    double gbps;
} lanes[] = {{"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", 13.64},
             {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};
enum { LANES = sizeof lanes / sizeof lanes[0] };

static double bandwidth_of(const struct recommend_cluster *cluster)
{
    double bytes_per_s;
    struct sup_error error;
    assert_non_null(cluster->nic);
    assert_int_equal(sup_parse_bandwidth(cluster->nic, &bytes_per_s, &error), RB_OK);
    return bytes_per_s * 8 / 1e9;
}

/* Each width that links have, of each kind of lane; what is no width is not taken. */
static void a_link_has_its_lanes(void **state)
{
    static const struct {
        const char *width;
        int lanes;
    } widths[] = {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"12", 12}, {"0", 0}, {"13", 0}, {"", 0}};
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (size_t i = 0; i < LANES; i++) {
            struct recommend_cluster cluster;
            char text[400];
            snprintf(text, sizeof text,
                     "vendid=0x2c9\nSwitch\t24 \"S-1\"\t# \"MT\"\n"
                     "[1]\t\"H-1\"[1](1)\t# \"a HCA-1\" lid 4 %sx%s\n"
                     "Ca\t1 \"H-1\"\t# \"a HCA-1\"\n",
                     widths[w].width, lanes[i].name);
            read_text(text, &cluster);
            assert_int_equal(cluster.nodes, 1);
            assert_true((cluster.nic != NULL) == (widths[w].lanes > 0));
            if (cluster.nic != NULL)
                assert_true(fabs(bandwidth_of(&cluster) / (widths[w].lanes * lanes[i].gbps) - 1) <
                            1e-4);
        }
}

/* Random fabrics: nodes with several adapters, switches with more or fewer of them, faster links
 * between switches, and aggregation nodes, which are none. */
static void a_fabric_is_counted(void **state)
{
    enum { SWITCHES = 4, NODES = 12 };
    (void)state;
    for (uint32_t run = 0; run < 500; run++) {
        static char text[1 << 14];
        char adapters[1 << 12] = "";
        struct recommend_cluster cluster;
        bool seen[NODES] = {false};
        int32_t nodes = 0, leaf = 0, guid = 0;
        double most = 0;
        seed = run * 2654435761u;
        strcpy(text, "#\n# Topology file: generated on Mon\n#\nvendid=0x2c9\n");
        for (int s = 0; s < SWITCHES; s++) {
            const int32_t here = random_below(6) + (s == 0);
            char *end = text + strlen(text);
            bool at_leaf[NODES] = {false};
            int32_t nodes_here = 0;
            end += sprintf(end, "Switch\t24 \"S-%d\"\t\t# \"MT\" base port 0\n", s);
            for (int32_t k = 0; k < here; k++) {
                const int32_t node = random_below(NODES), kind = random_below(LANES);
                const int32_t width = 1 << random_below(3);
                end += sprintf(end, "[%d]\t\"H-%d\"[1](%d)\t# \"node%d %s-%d\" lid 4 %dx%s\n",
                               (int)k, (int)guid, (int)guid, (int)node, guid % 2 ? "HCA" : "mlx5",
                               (int)(guid % 4), (int)width, lanes[kind].name);
                sprintf(adapters + strlen(adapters),
                        "Ca\t1 \"H-%d\"\t# \"node%d %s\"\n[1](%d)\t"
                        "\"S-%d\"[1]\t# lid 1 12xXDR\n",
                        (int)guid, (int)node, guid % 2 ? "HCA-1" : "mlx5_0", (int)guid, s);
                nodes += !seen[node];
                seen[node] = true;
                nodes_here += !at_leaf[node]; /* however many of its adapters are here */
                at_leaf[node] = true;
                most = fmax(most, width * lanes[kind].gbps);
                guid++;
            }
            leaf = nodes_here > leaf ? nodes_here : leaf;
            end += sprintf(end, "[20]\t\"S-9\"[%d]\t# \"spine\" lid 9 12xXDR\n", s);
            sprintf(end, "[21]\t\"H-9%d\"[1](9)\t# \"Aggregation Node\" lid 5 12xXDR\n\n", s);
        }
        strcat(text, adapters);
        strcat(text, "Ca\t1 \"H-90\"\t\t# \"Mellanox Technologies Aggregation Node\"\n");
        read_text(text, &cluster);
        if (cluster.nodes != nodes || cluster.leaf != leaf ||
            fabs(bandwidth_of(&cluster) / most - 1) > 1e-4)
            fail_msg("seed %d: %d nodes, %d at a leaf, %s; not %d, %d, %g Gbps", (int)run,
                     (int)cluster.nodes, (int)cluster.leaf, cluster.nic, (int)nodes, (int)leaf,
                     most);
    }
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Hosts of the smallest shape: whole for those that any number fits, or the next grid or power. */
static int32_t smallest(const char *network, int32_t nodes)
{
    int32_t side = 2;
    nodes = nodes < 2 ? 2 : nodes;
    if (strcmp(network, "hypercube") == 0) {
        while (side < nodes)
            side *= 2;
        return side;
    }
    if (strcmp(network, "torus") == 0)
        for (;; side++)
            for (int32_t more = 0; more < 3; more++) {
                const int32_t hosts = (side + (more > 0)) * (side + (more > 1)) * side;
                if (hosts >= nodes)
                    return hosts;
            }
    if (strcmp(network, "mesh") == 0)
        for (;; side++)
            for (int32_t more = 0; more < 2; more++)
                if ((side + more) * side >= nodes)
                    return (side + more) * side;
    return nodes;
}

static void shapes_are_the_smallest(void **state)
{
    static const char *const networks[] = {"crossbar", "hypercube", "torus", "mesh"};
    (void)state;
    for (int32_t nodes = 1; nodes <= 70; nodes++)
        for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
            const struct recommend_cluster cluster = {.nodes = nodes, .network = networks[i]};
            struct platform_links links;
            struct sup_error error;
            char *text;
            assert_int_equal(recommend_platform(&cluster, &text, &error), RB_OK);
            assert_int_equal(platform_find_links(text, &links, &error), RB_OK);
            if (links.hosts != smallest(networks[i], nodes))
                fail_msg("%s for %d nodes", text, (int)nodes);
            free(text);
        }
    for (int32_t leaf = 2; leaf <= 9; leaf++) /* as many leaf switches as are needed */
        for (int32_t nodes = leaf + 1; nodes <= 40; nodes++) {
            const struct recommend_cluster cluster = {
                .nodes = nodes, .network = "fat-tree", .leaf = leaf};
            const int32_t leaves = nodes / leaf + (nodes % leaf > 0);
            char *text, expected[64];
            struct sup_error error;
            assert_int_equal(recommend_platform(&cluster, &text, &error), RB_OK);
            snprintf(expected, sizeof expected, "fat-tree:%d,down=%dx%d", (int)(leaves * leaf),
                     (int)leaf, (int)leaves);
            assert_string_equal(text, expected);
            free(text);
        }
}

/* A network interface of each GPU's; of other ranks up to 8, which all have as many. */
static void nodes_of_rails_have_network_interfaces(void **state)
{
    static const struct {
        struct recommend_cluster cluster;
        const char *expected;
    } cases[] = {
        {{.nodes = 16, .ppn = 8, .gpus = true}, "rails:16x8"},
        {{.nodes = 3, .ppn = 5, .gpus = true}, "rails:3x5"},
        {{.nodes = 8, .ppn = 72, .gpus = true}, "rails:8x72"},
        {{.nodes = 8, .ppn = 72}, "rails:8x8"},
        {{.nodes = 2, .ppn = 12}, "rails:2x6"},
        {{.nodes = 2, .ppn = 1}, "rails:2x1"},
        {{.nodes = 4}, "rails:4x8"},
        {{.nodes = 4, .ppn = 8, .nics = 2, .nic = "NDR200"}, "rails:4x2,bandwidth=NDR200"},
        {{.nodes = 4, .ppn = 8, .nics = 2, .wiring = "/none.xml"}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recommend_cluster cluster = cases[i].cluster;
        struct sup_error error;
        char *text;
        cluster.network = "rails";
        const int status = recommend_platform(&cluster, &text, &error);
        if (cases[i].expected == NULL) {
            assert_int_equal(status, RB_EINVAL);
            assert_string_equal(error.text, "--topology: /none.xml: No such file or directory");
            continue;
        }
        assert_int_equal(status, RB_OK);
        assert_string_equal(text, cases[i].expected);
        free(text);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A factor of 8 apart, and the largest of 64 MiB, as long as a rank has no more than 1 GiB. */
static void calls_are_of_all_sizes(void **state)
{
    static const char *const collectives[] = {"bcast", "allgather", "alltoall", "reduce-scatter"};
    const struct sim_spec plain = {0};
    struct point_known_platform platform;
    struct sup_error error;
    (void)state;
    assert_int_equal(point_known_platform_make("crossbar:40", &plain, sim_engine_find("flow"),
                                               &platform, &error),
                     RB_OK);
    struct recommend_request request = {.platform = &platform,
                                        .where = "crossbar:40",
                                        .nodes = 40,
                                        .ppn = 1,
                                        .collective = collectives,
                                        .collectives = 4,
                                        .format = rules_format_find("impi"),
                                        .budget_s = 0.05,
                                        .jobs = 1};
    struct recommend_answer answer;
    if (recommend(&request, &answer, &error) != RB_OK)
        fail_msg("%s", error.text);
    const struct decide *decision = &answer.decision;
    for (size_t first = 0, end; first < decision->call_count; first = end) {
        const struct decide_call *cell = &decision->calls[first];
        const char *call = rules_call(request.format, collectives[cell->place]);
        const int64_t p = cell->p, all = INT64_C(1) << 40;
        const int64_t times = all / rules_measure(request.format, call, cell->p, all);
        for (end = first; end < decision->call_count && decision->calls[end].p == cell->p &&
                          decision->calls[end].place == cell->place;)
            end++;
        size_t at = first;
        for (int64_t size = 1; size <= 64 << 20; size *= size == 1 << 24 ? 4 : 8) {
            const int64_t shares = times < p ? 1 : times < p * p ? p : p * p;
            if (size * shares > (p << 30))
                continue;
            assert_true(at < end);
            assert_int_equal(decision->calls[at++].m_bytes, size * shares);
        }
        assert_int_equal(at, end);
    }
    recommend_free(&answer);
    point_known_platform_free(&platform);
}

/* NCCL's own choices are the fastest by its model, in which 64 MiB on 2 nodes of 8 take a ring with
 * LL128 on 8 channels of 45 GB/s: 14 us, 28 hops of 1.9 us inside and 2 of 4 us between nodes. The
 * file has the protocols, and plans that are simulated are no loss to it. */
static void nccl_chooses_by_its_model(void **state)
{
    static const char *const allreduce[] = {"allreduce"};
    const struct sim_spec plain = {0};
    struct point_known_platform platform;
    struct recommend_answer answer;
    struct sup_error error;
    (void)state;
    assert_int_equal(
        point_known_platform_make("dgx-h100:2", &plain, sim_engine_find("flow"), &platform, &error),
        RB_OK);
    const struct recommend_request request = {.platform = &platform,
                                              .where = "dgx-h100:2",
                                              .nodes = 2,
                                              .ppn = 8,
                                              .ranks_per_host = 1,
                                              .collective = allreduce,
                                              .collectives = 1,
                                              .format = rules_format_find("nccl"),
                                              .budget_s = 0.5,
                                              .jobs = 1};
    if (recommend(&request, &answer, &error) != RB_OK)
        fail_msg("%s", error.text);
    const struct decide_call *last = NULL;
    for (size_t i = 0; i < answer.decision.call_count; i++) {
        const struct decide_call *call = &answer.decision.calls[i];
        last = call->p == 16 && call->m_bytes == 64 << 20 ? call : last;
        assert_int_equal(call->choice->source, DECIDE_COMPUTED);
        assert_true(call->own.time_s > 0 && call->own.time_s == call->choice->time_s);
        for (size_t k = call->first; k < call->first + call->count; k++) {
            const struct decide_way *way = &answer.decision.ways[k];
            assert_int_equal(way->source == DECIDE_COMPUTED, way->offered || way->own);
            assert_true(!way->offered || way->time_s >= call->own.time_s);
            assert_true(way->source != DECIDE_SIMULATED ||
                        way->time_s >= call->bound.time_s * (1 - 1e-9));
            assert_true(way->offered || way->own || strcmp(way->name, "multi-ring") != 0);
        }
    }
    assert_non_null(last);
    assert_string_equal(last->choice->name, "ring");
    assert_string_equal(((const struct recommend_try *)last->choice->more)->protocol, "LL128");
    const double by_hand_us =
        14 + 28 * 1.9 + 2 * 4 + 30. / 16 * (64 << 20) / (1000 * 8 * fmin(.92 * 45, 36.7));
    assert_true(fabs(last->choice->time_s / (1e-6 * by_hand_us) - 1) < 1e-9);
    assert_non_null(strstr(answer.file, ",tree,ll128,-1,-1,-1"));
    assert_non_null(strstr(answer.file, ",ring,ll128,-1,-1,-1"));
    assert_null(strstr(answer.file, "lacks the fastest"));
    recommend_free(&answer);
    point_known_platform_free(&platform);
}

/* ---- Measured rows --------------------------------------------------------------------------- */

/* The default stays if it is faster; rows of other ranks per node, of other algorithms and
 * segments do not count for a choice. */
static void measured_times_are_taken(void **state)
{
    static const char *const bcast[] = {"bcast"};
    (void)state;
    for (int percent = -1; percent <= 1; percent += 2) {
        static const struct rows_defaults defaults;
        char text[8000] =
            "system,nodes,ppn,library,library_version,collective,algorithm,segment_bytes,bytes,"
            "time_us\n";
        char path[] = "/tmp/test_recommended_XXXXXX";
        struct rows_set set = {0};
        struct sup_error error;
        for (int nodes = 4; nodes <= 16; nodes *= 2)
            for (int bytes = 1024; bytes <= 1 << 20; bytes *= 32)
                for (int k = 0; k < 5; k++) /* the last: two ranks per node */
                    snprintf(text + strlen(text), sizeof text - strlen(text),
                             "here,%d,%d,OMPI,4.1.5,bcast,%s_ompi,%s,%d,%g\n",
                             k == 4 ? nodes / 2 : nodes, 1 + (k == 4),
                             k == 0  ? "default"
                             : k < 3 ? "chain"
                                     : "binomial",
                             k == 1   ? "512"
                             : k == 2 ? "256"
                                      : "",
                             bytes,
                             (100 + bytes / 100) * (k == 0   ? 1
                                                    : k == 1 ? 1 + percent / 100.
                                                    : k == 2 ? 3
                                                    : k == 3 ? 2
                                                             : 0.01));
        const int file = mkstemp(path);
        assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
        close(file);
        const int status = rows_read(&set, path, &defaults, &error);
        unlink(path);
        if (status != RB_OK)
            fail_msg("%s", error.text);
        const struct rows_row *row[60];
        for (size_t i = 0; i < set.count; i++)
            row[i] = &set.row[i];
        struct recommend_request request = {.where = "here",
                                            .nodes = 16,
                                            .ppn = 1,
                                            .collective = bcast,
                                            .collectives = 1,
                                            .format = rules_format_find("ompi"),
                                            .budget_s = 1,
                                            .jobs = 1,
                                            .row = row,
                                            .rows = set.count};
        struct recommend_answer answer;
        if (recommend(&request, &answer, &error) != RB_OK)
            fail_msg("%s", error.text);
        int32_t measured = 0;
        for (size_t c = 0; c < answer.decision.call_count; c++) {
            const struct decide_call *cell = &answer.decision.calls[c];
            if (cell->p < 4 ||
                (cell->m_bytes != 1024 && cell->m_bytes != 1 << 15 && cell->m_bytes != 1 << 20))
                continue;
            const double time_s = (100 + (int)cell->m_bytes / 100) / 1e6;
            measured++;
            if (fabs(cell->own.time_s / time_s - 1) > 1e-4 ||
                (strcmp(cell->choice->name, DECIDE_OWN_NAME) == 0) != (percent == 1))
                fail_msg("p = %d, m = %d: %s", (int)cell->p, (int)cell->m_bytes,
                         cell->choice->name);
            if (percent == -1 && !(fabs(cell->choice->time_s / time_s - 0.99) < 1e-4))
                fail_msg("p = %d, m = %d: %s in segments of %d: %g instead of %g s", (int)cell->p,
                         (int)cell->m_bytes, cell->choice->name, (int)cell->choice->segment_bytes,
                         cell->choice->time_s, 0.99 * time_s);
        }
        assert_int_equal(measured, 9);
        recommend_free(&answer);
        rows_free(&set);
    }
}

/* ---- Expectations ---------------------------------------------------------------------------- */

static double closed_s(const struct recommend_request *request, const struct recommend_try *try_)
{
    const struct rb_layout layout = {.bytes = try_->point.m_bytes, .element = 1};
    struct rb_plan *plan;
    double time_s;
    assert_int_equal(rb_plan_create(&try_->point.plan, &plan, NULL, 0), RB_OK);
    if (rb_plan_cost(plan, &layout, request->platform->alpha_s, request->platform->beta_s_per_byte,
                     &time_s) != RB_OK)
        time_s = (double)rb_plan_rounds(plan);
    rb_plan_destroy(plan);
    return time_s;
}

static bool is_like(const struct recommend_answer *answer, size_t a, size_t b)
{
    const struct decide_way *one = &answer->decision.ways[a], *other = &answer->decision.ways[b];
    return answer->try_[a].point.algorithm == answer->try_[b].point.algorithm &&
           one->radix == other->radix &&
           (!other->offered || (one->offered && one->segment_bytes == other->segment_bytes));
}

/* What is expected of a call's way, by the closed form's ratio, of the nearest n on the next fewer
 * ranks; of those of one node nothing is expected for several nodes. NAN: nothing. */
static double expected(const struct recommend_request *request,
                       const struct recommend_answer *answer, const struct decide_call *cell,
                       int32_t fewer, size_t way)
{
    const struct decide_way *ways = answer->decision.ways;
    size_t like = way;
    double least = INFINITY;
    if (fewer == 0 || (fewer <= request->ppn && cell->p > request->ppn && request->ppn > 1))
        return NAN;
    for (size_t c = 0; c < answer->decision.call_count; c++) {
        const struct decide_call *before = &answer->decision.calls[c];
        if (before->p != fewer || before->size != cell->size)
            continue;
        for (size_t i = before->first; i < before->first + before->count; i++) {
            const double apart = fabs(log((double)ways[i].n / (double)ways[way].n));
            if (is_like(answer, i, way) && !isnan(ways[i].time_s) && apart < least) {
                least = apart;
                like = i;
            }
        }
    }
    return like == way ? NAN
                       : ways[like].time_s * closed_s(request, &answer->try_[way]) /
                             closed_s(request, &answer->try_[like]);
}

/* Where the budget was too small for the library's own choice, no rule is made, though other ways
 * may have times. */
static void what_was_not_run_stays(void **state)
{
    static const char *const bcast[] = {"bcast"};
    const struct sim_spec plain = {0};
    struct point_known_platform platform;
    struct recommend_answer answer;
    struct sup_error error;
    size_t untimed = 0, ruled = 0;
    (void)state;
    assert_int_equal(point_known_platform_make("fat-tree:256", &plain, sim_engine_find("flow"),
                                               &platform, &error),
                     RB_OK);
    struct recommend_request request = {.platform = &platform,
                                        .where = "fat-tree:256",
                                        .nodes = 256,
                                        .ppn = 1,
                                        .collective = bcast,
                                        .collectives = 1,
                                        .format = rules_format_find("ompi"),
                                        .budget_s = 0.3,
                                        .jobs = 1};
    if (recommend(&request, &answer, &error) != RB_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < answer.decision.call_count; i++) {
        const struct decide_call *call = &answer.decision.calls[i];
        const bool own = strcmp(call->choice->name, DECIDE_OWN_NAME) == 0;
        bool times = false;
        for (size_t k = call->first; k < call->first + call->count; k++)
            times |= answer.decision.ways[k].offered && !isnan(answer.decision.ways[k].time_s);
        untimed += times && isnan(call->own.time_s);
        ruled += !own;
        if (isnan(call->own.time_s) && !own)
            fail_msg("p = %d, %lld B: %s, and the library's own choice was not run", (int)call->p,
                     (long long)call->m_bytes, call->choice->name);
    }
    assert_true(untimed > 0 && ruled > 0);
    recommend_free(&answer);
    request.budget_s = 0;
    assert_int_equal(recommend(&request, &answer, &error), RB_OK);
    char *said = decide_say_gains(&answer.decision, DECIDE_ALL_PLACES, "Open MPI", "bcast");
    assert_string_equal(said, "No time of Open MPI's own choices for bcast is known, so they stay");
    free(said);
    recommend_free(&answer);
    point_known_platform_free(&platform);
}

static void times_are_expected_from_fewer_ranks(void **state)
{
    static const char *const bcast[] = {"bcast"};
    static const int32_t ppns[] = {1, 4};
    (void)state;
    for (size_t k = 0; k < sizeof ppns / sizeof ppns[0]; k++) {
        const struct sim_spec plain = {0};
        struct point_known_platform platform;
        struct recommend_answer answer;
        struct sup_error error;
        struct recommend_request request = {.where = "crossbar:6",
                                            .nodes = 6,
                                            .ppn = ppns[k],
                                            .collective = bcast,
                                            .collectives = 1,
                                            .format = rules_format_find("ompi"),
                                            .budget_s = 1,
                                            .jobs = 1};
        int64_t finite = 0, none = 0, predicted = 0;
        assert_int_equal(point_known_platform_make("crossbar:6", &plain, sim_engine_find("flow"),
                                                   &platform, &error),
                         RB_OK);
        request.platform = &platform;
        if (recommend(&request, &answer, &error) != RB_OK)
            fail_msg("%s", error.text);
        for (size_t c = 0; c < answer.decision.call_count; c++) {
            const struct decide_call *cell = &answer.decision.calls[c];
            int32_t fewer = 0;
            for (size_t i = 0; i < answer.decision.call_count; i++)
                if (answer.decision.calls[i].p < cell->p && answer.decision.calls[i].p > fewer)
                    fewer = answer.decision.calls[i].p;
            for (size_t i = cell->first; i < cell->first + cell->count; i++) {
                const struct recommend_try *try_ = &answer.try_[i];
                const struct decide_way *way = &answer.decision.ways[i];
                const double known = expected(&request, &answer, cell, fewer, i);
                if (isnan(known) ? !isnan(try_->expected_s)
                                 : !(fabs(try_->expected_s / known - 1) < 1e-9))
                    fail_msg("ppn %d, %s, p = %d, m = %lld: %g s expected, not %g", (int)ppns[k],
                             try_->point.plan.algorithm, (int)cell->p, (long long)cell->m_bytes,
                             try_->expected_s, known);
                finite += !isnan(known);
                none += isnan(known) && cell->p > request.ppn && fewer > 0;
                predicted += way->source == DECIDE_PREDICTED;
                if (way->source == DECIDE_PREDICTED)
                    assert_true(way->time_s == try_->expected_s);
            }
        }
        assert_true(finite > 100 && predicted > 10 && (none > 100 || request.ppn == 1));
        /* SimGrid finds the same; of times that were twice as long or half, half or all of them. */
        assert_true(answer.confirmed > 0 && answer.difference < 1e-9);
        for (int again = 0; again < 2; again++) {
            for (size_t i = 0; i < answer.decision.call_count; i++)
                answer.decision.calls[i].taken.time_s *= again == 0 ? 2 : 0.25;
            answer.difference = 0;
            assert_int_equal(recommend_confirm(&request, &answer, &error), RB_OK);
            assert_true(fabs(answer.difference - (again == 0 ? 0.5 : 1)) < 1e-9);
        }
        recommend_free(&answer);
        point_known_platform_free(&platform);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_has_its_lanes),
        cmocka_unit_test(a_fabric_is_counted),
        cmocka_unit_test(shapes_are_the_smallest),
        cmocka_unit_test(nodes_of_rails_have_network_interfaces),
        cmocka_unit_test(calls_are_of_all_sizes),
        cmocka_unit_test(nccl_chooses_by_its_model),
        cmocka_unit_test(measured_times_are_taken),
        cmocka_unit_test(what_was_not_run_stays),
        cmocka_unit_test(times_are_expected_from_fewer_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
