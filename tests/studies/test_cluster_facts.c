/* test_cluster_facts.c - what of a cluster sinfo, ibnetdiscover and lstopo say. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "roundabout.h"
#include "studies/recommend/recommend.h"

static bool for_gpus;

static int read_text(const char *text, struct recommend_cluster *cluster, struct sup_error *error)
{
    char path[] = "/tmp/test_cluster_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    *cluster = (struct recommend_cluster){.gpus = for_gpus};
    const int status = recommend_read_topology(path, cluster, error);
    unlink(path);
    return status;
}

static bool has_note(const struct recommend_cluster *cluster, const char *words)
{
    for (int i = 0; i < cluster->notes; i++)
        if (strstr(cluster->note[i], words) != NULL)
            return true;
    return false;
}

static void expect(const char *text, int32_t nodes, int32_t ppn, const char *note)
{
    struct recommend_cluster cluster;
    struct sup_error error;
    if (read_text(text, &cluster, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    if (cluster.nodes != nodes || cluster.ppn != ppn)
        fail_msg("%s: %d nodes of %d", text, (int)cluster.nodes, (int)cluster.ppn);
    if (note == NULL ? cluster.notes > 0 : !has_note(&cluster, note))
        fail_msg("%s: %s", text, cluster.notes > 0 ? cluster.note[0] : "no note");
}

static void refuse(const char *text, const char *words)
{
    struct recommend_cluster cluster;
    struct sup_error error;
    assert_int_equal(read_text(text, &cluster, &error), RB_EINVAL);
    if (strstr(error.text, words) == NULL)
        fail_msg("%s does not say %s", error.text, words);
}

static void all_forms_of_sinfo(void **state)
{
    (void)state;
    expect("NODELIST CPUS\ncompute[001-040] 20\n", 40, 20, NULL);
    expect("compute[001-040] 20\n", 40, 20, NULL);
    expect("NODELIST|CPUS\r\nn[1-3,7]|8\r\nn7|8\r\n", 4, 8, NULL);
    expect("NODELIST CPUS\nn[1-3,07],gpu[01-02]a[1-2],login 8\n", 9, 8, NULL);
    expect("NODELIST CPUS\nn[1-2] 8\nn[01-02] 8\n", 4, 8, NULL);
    expect("HOSTNAMES S:C:T\na 2:8:2\nb 2:8:2\n", 2, 16, NULL);
    expect("NODELIST CPUS\na 2:8:1\n", 1, 16, NULL);
    expect("a[1-2] 2:8:1\n", 2, 16, NULL);
    expect("NODELIST SOCKETS CORES THREADS CPUS\na[1-4] 2 24 2 96\n", 4, 48, NULL);
    expect("CPUS NODELIST\n64 n[1-2]\n", 2, 64, NULL);
    expect("64 n[1-2]\n", 2, 64, NULL);
    expect("PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\nall* up 1-00:00:00 2 idle n[1-2]\n"
           "all* up 1-00:00:00 1 mix n3\ntest up 10:00 2 idle n[1-2]\n",
           3, 0, NULL);
    expect("PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\nall* up inf 2 down* n[1-2]\n"
           "all* up inf 1 idle n3\n",
           3, 0, "2 nodes that are down or drained count, too");
    expect("NODELIST NODES PARTITION STATE CPUS S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON\n"
           "n1 1 all* idle 64 2:16:2 1 0 1 (null) none\nn2 1 all* drained 64 2:16:2 1 0 1 (null) "
           "bad disk today\n",
           2, 32, "1 node that is down or drained counts, too");
    expect("NODELIST CPUS\nn[1-4] 20+\n", 4, 20, "the least, 20, counts");
    expect("NODELIST CPUS\nn1 20\nn2 64\n", 2, 20, "the least, 20, counts");
    expect("NODELIST CPUS\nn1 20\nn2 N/A\n", 2, 20, "1 line without a number of processors");
    expect("NODES CPUS\n40 20\n", 40, 20, "nodes without names are counted");
    expect("NODELIST CPUS(A/I/O/T)\nn[1-2] 10/22/0/32\n", 2, 16, NULL);
    expect("NODES(A/I/O/T) CPUS\n10/20/2/32 8\n", 32, 8, "nodes without names are counted");
    expect("NODELIST CPUS STATE\nn1 8 idle\nNODELIST CPUS\nn2 8 down\n", 2, 8, NULL);
    refuse("NODELIST CPUS\nn[1-3 8\n", "line 2: \"n[1-3\" is no list");
    refuse("NODELIST CPUS\nn[3-1] 8\n", "is no list");
    refuse("NODELIST CPUS\nn[1-999999999] 8\n", "is no list");
    refuse("NODELIST CPUS\nn[1-9999][1-9999] 8\n", "is no list");
    refuse("NODELIST CPUS\nn[a-b] 8\n", "is no list");
    refuse("n1 8\nn2 many\n", "line 2: processors: \"many\"");
    refuse("n1 8\nn2\n", "line 2: a line of sinfo");
}

static void expect_gpus(const char *text, int32_t ppn, const char *note)
{
    for_gpus = true;
    expect(text, 2, ppn, note);
    for_gpus = false;
}

/* Of GPUs the ranks of a node are those, not its processors. */
static void gpus_are_counted(void **state)
{
    (void)state;
    expect_gpus("NODELIST CPUS GRES STATE\nn1 224 gpu:h100:8(S:0-1) idle\nn2 224 gpu:8 idle\n", 8,
                NULL);
    expect_gpus("NODELIST GRES\nn[1-2] nvme:2,gpu:a100:4(IDX:0,1),gpu:2(S:0,1)\n", 6, NULL);
    expect_gpus("NODELIST CPUS GRES\nn1 8 gpu:4\nn2 8 gpu:2\n", 2, NULL);
    expect_gpus("NODELIST CPUS GRES\nn[1-2] 64 (null)\n", 0, "no GPUs are named, so 8 of a node");
    expect_gpus("NODELIST CPUS\nn[1-2] 64\n", 0, "no GPUs are named, so 8 of a node");
    expect("NODELIST CPUS GRES\nn[1-2] 64 gpu:h100:8\n", 2, 64, NULL);
    expect("<system version=\"1\">\n<cpu numaid=\"0\">\n</cpu></system>\n", 0, 0, NULL);
    refuse("<systom version=\"1\">\n", "or NCCL's topology");
}

/* A fabric of nodes with some adapters each on as many leaf switches; those of the last node have
 * no names, but for the first. */
static char *make_fabric(int nodes, int rails, bool one_leaf, const char *unnamed, bool sections)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fprintf(stream, "#\n# Topology file: generated on Wed\n#\n");
    for (int leaf = 0; leaf < (one_leaf ? 1 : rails); leaf++) {
        fprintf(stream, "vendid=0x2c9\nsysimgguid=0xaa%02x\nSwitch\t65 \"S-aa%02x\"\t# \"leaf\"\n",
                leaf, leaf);
        for (int i = 0; i < nodes * rails; i++)
            if (one_leaf || i % rails == leaf) {
                char name[40];
                snprintf(name, sizeof name, "node%02d mlx5_%d", i / rails, i % rails);
                fprintf(
                    stream, "[%d]\t\"H-cc00%04x\"[1](cc00%04x) \t# \"%s\" lid 6 4xNDR\n", i, i, i,
                    i % rails > 0 && unnamed != NULL && i / rails == nodes - 1 ? unnamed : name);
            }
        fprintf(stream,
                "[65]\t\"H-aa10%02x\"[1](aa) \t# \"Mellanox Technologies Aggregation Node\" "
                "lid 190 4xNDR\n\n",
                leaf);
    }
    for (int i = 0; sections && i < nodes * rails; i++) {
        char name[40];
        snprintf(name, sizeof name, "node%02d mlx5_%d", i / rails, i % rails);
        fprintf(stream,
                "sysimgguid=0xcc00%04x\ncaguid=0xcc00%04x\nCa\t1 \"H-cc00%04x\"\t# \"%s\"\n", i, i,
                i, i % rails > 0 && unnamed != NULL && i / rails == nodes - 1 ? unnamed : name);
    }
    fclose(stream);
    return text;
}

static void adapters_are_of_nodes(void **state)
{
    static const char *const unnamed[] = {NULL, "MT4129 ConnectX7   Mellanox Technologies",
                                          "localhost mlx5_1"};
    (void)state;
    for (int nodes = 2; nodes <= 6; nodes++)
        for (int rails = 1; rails <= 3; rails++)
            for (int of = 0; of < 2; of++)
                for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
                    char *text = make_fabric(nodes, rails, of == 1, unnamed[i], true);
                    struct recommend_cluster cluster;
                    struct sup_error error;
                    assert_int_equal(read_text(text, &cluster, &error), RB_OK);
                    if (cluster.nodes != nodes || cluster.leaf != nodes)
                        fail_msg("%d nodes of %d adapters: %d, %d at a leaf", nodes, rails,
                                 (int)cluster.nodes, (int)cluster.leaf);
                    assert_string_equal(cluster.nic, "400Gbps");
                    assert_int_equal(has_note(&cluster, "adapters each (rails)"), rails > 1);
                    assert_int_equal(has_note(&cluster, "without a node's name"),
                                     rails > 1 && unnamed[i] != NULL);
                    free(text);
                    text = make_fabric(nodes, rails, of == 1, NULL, false);
                    assert_int_equal(read_text(text, &cluster, &error), RB_OK);
                    assert_int_equal(cluster.nodes, nodes);
                    free(text);
                }
    struct recommend_cluster cluster = {0};
    struct sup_error error;
    /* A large fabric takes no longer than its lines do. */
    char *large = make_fabric(10000, 2, false, unnamed[1], true);
    assert_int_equal(read_text(large, &cluster, &error), RB_OK);
    assert_int_equal(cluster.nodes, 10000);
    free(large);
    cluster = (struct recommend_cluster){0};
    assert_int_equal(recommend_read_topology(SOURCE_DIRECTORY
                                             "/tests/cli/posted/ibnetdiscover-small.txt",
                                             &cluster, &error),
                     RB_OK);
    assert_int_equal(cluster.nodes, 3);
    assert_int_equal(cluster.leaf, 3);
    assert_true(has_note(&cluster, "such as node02"));
    assert_true(has_note(&cluster, "2 aggregation nodes"));
    assert_true(has_note(&cluster, "rails:3x2"));
}

/* Two nodes, of which the second has an adapter that only its maker named, with this GUID. No
 * boards are known. The number of nodes, and a note on that adapter. */
static void expect_maker(const char *guid, int32_t nodes, const char *note)
{
    char text[600];
    snprintf(text, sizeof text,
             "# Topology file: generated on Wed\n"
             "Ca\t1 \"H-cc0000\"\t# \"node00 mlx5_0\"\nCa\t1 \"H-cc0001\"\t# \"node00 mlx5_1\"\n"
             "Ca\t1 \"H-cc0100\"\t# \"node01 mlx5_0\"\n"
             "Ca\t1 \"H-%s\"\t# \"MT4129 ConnectX7   Mellanox Technologies\"\n",
             guid);
    expect(text, nodes, 0, note);
}

static void adapters_without_boards_are_of_the_nearest_node(void **state)
{
    (void)state;
    expect_maker("cc0101", 2, "such as node01");
    expect_maker("cc0110", 2, "such as node01");
    expect_maker("cc0111", 3, "1 adapter without a node's name counts as a node each");
}

/* Two nodes that a cable joins. */
static void without_switches_there_is_no_leaf(void **state)
{
    static const char text[] =
        "# Topology file: generated on Wed\n"
        "Ca\t1 \"H-cc0000\"\t# \"node00 mlx5_0\"\n"
        "[1](cc0000)\t\"H-cc0100\"[1](cc0100)\t# lid 1 lmc 0 \"node01 mlx5_0\" lid 2 4xHDR\n"
        "Ca\t1 \"H-cc0100\"\t# \"node01 mlx5_0\"\n"
        "[1](cc0100)\t\"H-cc0000\"[1](cc0000)\t# lid 2 lmc 0 \"node00 mlx5_0\" lid 1 4xHDR\n";
    struct recommend_cluster cluster;
    struct sup_error error;
    (void)state;
    assert_int_equal(read_text(text, &cluster, &error), RB_OK);
    assert_int_equal(cluster.nodes, 2);
    assert_int_equal(cluster.leaf, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_of_sinfo),
        cmocka_unit_test(gpus_are_counted),
        cmocka_unit_test(adapters_are_of_nodes),
        cmocka_unit_test(adapters_without_boards_are_of_the_nearest_node),
        cmocka_unit_test(without_switches_there_is_no_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
