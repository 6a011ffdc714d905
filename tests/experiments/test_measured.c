/* test_measured.c - readers of measured rows, by samples of real files, and filters. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/rows/format.h"
#include "experiments/rows/rows.h"
#include "roundabout.h"

static const struct rows_defaults no_defaults;

/* Reads a text as a file; the status is the result's. */
static int read_bytes(const char *text, size_t size, const struct rows_defaults *defaults,
                      struct rows_set *set, struct sup_error *error)
{
    char path[] = "/tmp/test_measured_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, size) == (ssize_t)size);
    close(file);
    error->text[0] = '\0';
    const int status = rows_read(set, path, defaults, error);
    unlink(path);
    return status;
}

static void read_good(const char *text, const struct rows_defaults *defaults, struct rows_set *set)
{
    struct sup_error error;
    *set = (struct rows_set){0};
    if (read_bytes(text, strlen(text), defaults, set, &error) != RB_OK)
        fail_msg("%s", error.text);
}

/* The text is refused with a message that has these words behind the file's name. */
static void refuse_bytes(const char *text, size_t size, const char *words)
{
    struct rows_set set = {0};
    struct sup_error error;
    assert_int_equal(read_bytes(text, size, &no_defaults, &set, &error), RB_EINVAL);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" does not say: %s", error.text, words);
    rows_free(&set);
}

static void refuse(const char *text, const char *words)
{
    refuse_bytes(text, strlen(text), words);
}

/* ---- CSV
 * ----------------------------------------------------------------------------------------- */

#define PICO_HEADING                                                                               \
    "system,test,nodes,ranks_per_node,library,library_version,collective,algorithm,datatype,"      \
    "elements,bytes,iterations,min_s,p10_s,median_s,p90_s,notes\n"

static void pico_is_read(void **state)
{
    (void)state;
    struct rows_set set;
    read_good(PICO_HEADING
              "fugaku,t1,2x2x2,1,FJMPI,4.0.1,allreduce,BINE-B_CONT-UTOFU-65536-3,int32,8,262144,99,"
              "2.8809e-05,2.923e-05,2.9589e-05,3.019e-05,null\n"
              "leonardo,t2,64,4,OMPI,4.1.6,alltoall,modified_bruck_ompi,int32,8,1024,19,1e-5,2e-5,"
              "3e-5,4e-5,4 tasks per node\n"
              "lumi,t3,8,1,CRAY_MPICH,8.1.29,reduce_scatter,default_mpich,int32,8,32,19,1e-5,2e-5,"
              "3e-5,4e-5,null\n"
              "lumi,t3,8,1,CRAY_MPICH,8.1.29,allreduce,bine_bdw_remap_segmented_over_16384,int32,8,"
              "1048576,19,1e-5,2e-5,3e-5,4e-5,null\n"
              "lumi,t3,8,1,CRAY_MPICH,8.1.29,allreduce,non_blocking_mpich,int32,8,32,19,1e-5,2e-5,"
              "3e-5,4e-5,null\n",
              &no_defaults, &set);
    assert_int_equal(set.count, 5);
    const struct rows_row *row = &set.row[0];
    assert_string_equal(row->system, "fugaku");
    assert_string_equal(row->shape, "2x2x2");
    assert_int_equal(row->nodes, 8);
    assert_int_equal(row->p, 8);
    assert_string_equal(row->collective, "allreduce");
    assert_string_equal(row->transport, "UTOFU");
    assert_int_equal(row->segment_bytes, 65536);
    assert_int_equal(row->interfaces, 3);
    assert_int_equal(row->bytes, 262144);
    assert_int_equal(row->m_bytes, 262144);
    assert_int_equal(rows_blocks(row), 4);
    assert_int_equal(row->element_bytes, 4);
    assert_int_equal(row->runs, 99);
    assert_true(row->min_s == 2.8809e-05 && row->p10_s == 2.923e-05 &&
                row->median_s == 2.9589e-05 && row->p90_s == 3.019e-05);
    assert_string_equal(row->notes, "");
    assert_false(row->own_choice);
    row = &set.row[1];
    assert_int_equal(row->p, 256);
    assert_int_equal(row->bytes, 1024);
    assert_int_equal(row->m_bytes, 256 * 1024);
    assert_string_equal(row->algorithm, "bruck");
    assert_int_equal(row->radix, 2);
    row = &set.row[2];
    assert_string_equal(row->collective, "reduce-scatter");
    assert_true(row->own_choice && row->algorithm == NULL);
    assert_int_equal(set.row[3].segment_bytes, 16384);
    assert_true(set.row[4].algorithm == NULL && !set.row[4].own_choice);
    assert_ptr_equal(set.row[2].test, set.row[3].test);
    rows_free(&set);
}

/* Columns under other names, with units, in any order, between unknown ones. */
static void other_columns_are_read(void **state)
{
    (void)state;
    struct rows_set set;
    read_good(
        "\xef\xbb\xbfMachine;Colour;Collective;Algorithm;np;ppn;Message size;Avg (us);min_ms\r\n"
        "here;red;MPI_Bcast;binomial;6;2;64KiB;12.5;0.001\r\n"
        "here;\"re;d\";Broadcast;knomial:r=4;6;2;1e3;NaN;\r\n"
        "\r\n"
        "here;red;Barrier;x;6;2;0;1;\r\n",
        &no_defaults, &set);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.left[ROWS_NOT_TIMED].count, 1);
    assert_int_equal(set.left[ROWS_UNKNOWN].count, 1);
    const struct rows_row *row = &set.row[0];
    assert_string_equal(row->collective, "bcast");
    assert_string_equal(row->algorithm, "binomial");
    assert_int_equal(row->nodes, 3);
    assert_int_equal(row->p, 6);
    assert_int_equal(row->bytes, 65536);
    assert_true(fabs(row->median_s - 12.5e-6) < 1e-15 && fabs(row->min_s - 1e-6) < 1e-15);
    rows_free(&set);
}

static void measure_is_read(void **state)
{
    (void)state;
    struct rows_set set;
    read_good(
        "test,collective,algorithm,p,n,m_bytes,root,element_bytes,progress,median_s,min_s,"
        "runs,settled,ranks,hosts,ppn,mpi,mpi_library,host,radix\n"
        "latency,,,2,,8,,,,1e-6,1e-6,10,1,8,2,4,openmpi,Open MPI 4.1.4,node1,\n"
        "collective,alltoall,bruck,6,1,3600,0,1,blocking,1e-5,9e-6,10,1,8,2,4,openmpi,"
        "Open MPI 4.1.4,node1,3\n"
        "collective,bcast,circulant,4,7,4096,0,1,blocking,2e-5,9e-6,10,1,8,2,4,openmpi,"
        "Open MPI 4.1.4,node1,\n"
        "collective,bcast,native,8,1,4096,0,1,blocking,3e-5,9e-6,10,1,8,2,4,openmpi,"
        "Open MPI 4.1.4,node1,\n"
        "collective,bcast,chain,8,1,4096,0,1,blocking,3e-5,9e-6,10,1,8,2,4,openmpi,"
        "Open MPI 4.1.4,node1,\n"
        "collective,allreduce,rabenseifner,8,1,4096,0,1,blocking,3e-5,9e-6,10,1,8,2,4,openmpi,"
        "Open MPI 4.1.4,node1,\n",
        &no_defaults, &set);
    assert_int_equal(set.count, 5);
    /* The names are ours, whatever the library calls so. */
    assert_string_equal(set.row[3].algorithm, "chain");
    assert_string_equal(set.row[4].algorithm, "rabenseifner");
    assert_int_equal(set.left[ROWS_NO_COLLECTIVE].count, 1);
    const struct rows_row *row = &set.row[0];
    assert_string_equal(row->system, "node1");
    assert_string_equal(row->library, "openmpi");
    assert_int_equal(row->m_bytes, 3600);
    assert_int_equal(row->bytes, 600);
    assert_int_equal(row->radix, 3);
    assert_int_equal(row->nodes, 2);
    assert_int_equal(set.row[1].nodes, 1);
    assert_int_equal(rows_blocks(&set.row[1]), 7);
    assert_true(set.row[2].own_choice);
    assert_int_equal(set.row[2].p, 8);
    rows_free(&set);
}

static void wrong_csv_is_refused(void **state)
{
    (void)state;
    refuse("", "no measurements found: expected a CSV header");
    refuse("\n\n\n", "no measurements found: expected a CSV header");
    refuse("1,2,3\n4,5,6\n", "no measurements found: expected a CSV header");
    refuse("collective,algorithm,notes\n",
           ":1: missing columns: system (or --machine), nodes or p, "
           "bytes, median_s");
    refuse("system,collective,algorithm,p,bytes,time\n", ":1: column 6 is a time without a unit");
    refuse("system,collective,algorithm,p,bytes,time_s,collective\n",
           ":1: column collective is there twice");
#define HEADING "system,collective,algorithm,p,bytes,time_s\n"
    refuse(HEADING "a,bcast,ring,8,1024\n", ":2: fewer values than the heading has names (6)");
    refuse(HEADING "a,bcast,ring,8,1024,1,1\n", ":2: more values");
    refuse(HEADING "\"a,bcast,ring,8,1024,1\n", ":2: value 1: wrong quotes");
    refuse(HEADING "a,bcast,ring,8,1024,-1e-6\n", ":2: time: \"-1e-6\" is not a time of 0 or more");
    refuse(HEADING "a,bcast,ring,8,1024,1e999\n", ":2: time: \"1e999\"");
    refuse(HEADING "a,bcast,ring,8,1024,inf\n", ":2: time: \"inf\"");
    refuse(HEADING "a,bcast,ring,8,99999999999999999999,1\n", ":2: bytes: ");
    refuse(HEADING "a,bcast,ring,8,-1,1\n", ":2: bytes: ");
    refuse(HEADING "a,bcast,ring,9999999999,1,1\n", ":2: p: ");
    refuse(HEADING "a,bcast,ring,,1,1\n", ":2: the number of ranks is missing");
    refuse(HEADING "a,,ring,8,1,1\n", ":2: the collective is missing");
    refuse(HEADING "a,bcast,,8,1,1\n", ":2: the algorithm is missing");
    refuse(HEADING "a,bcast,ring,8,,1\n", ":2: the size in bytes is missing");
    refuse(HEADING "a,alltoall,linear,1000000,9223372036854775807,1\n", "more than 2^63 - 1 bytes");
    refuse("system,collective,algorithm,p,nodes,ppn,bytes,time_s\na,bcast,ring,8,2,2,1,1\n",
           ":2: 8 ranks do not fit on 2 nodes with 2 ranks each");
    refuse("system,collective,algorithm,nodes,bytes,time_s\na,bcast,ring,2x0,1,1\n",
           "\"2x0\" is not a number of nodes");
    refuse_bytes(HEADING "a,bcast\0,ring", sizeof HEADING "a,bcast\0,ring" - 1, ":2: a zero byte");
    refuse("/", "no measurements found: expected a CSV header");
    struct rows_set set = {0};
    struct sup_error error;
    assert_int_equal(rows_read(&set, "/nowhere/x.csv", &no_defaults, &error), RB_EINVAL);
    assert_int_equal(rows_read(&set, "/", &no_defaults, &error), RB_EINVAL);
    rows_free(&set);
}

/* A row that is there twice counts once; the same point measured again counts. */
static void repeated_rows_are_dropped(void **state)
{
    (void)state;
    struct rows_set set;
    read_good(HEADING "a,bcast,ring,8,1024,1e-3\n"
                      "a,bcast,ring,8,1024,1e-3\n"
                      "a,bcast,ring,8,1024,1.1e-3\n",
              &no_defaults, &set);
    assert_int_equal(set.count, 2);
    assert_int_equal(set.left[ROWS_REPEATED].count, 1);
    rows_free(&set);
}

/* ---- Benchmarks' text
 * ---------------------------------------------------------------------------- */

static void osu_is_read(void **state)
{
    (void)state;
    const struct rows_defaults defaults = {
        .system = "here", .algorithm = "default", .p = 16, .ranks_per_node = 4};
    struct rows_set set;
    read_good("Loading module openmpi\n\n"
              "# OSU MPI Broadcast Latency Test v7.3\n"
              "# Datatype: MPI_CHAR.\n"
              "# Size       Avg Latency(us)\n"
              "1                      13.52\n"
              "1048576               986.45\n"
              "\n"
              "# OSU MPI Allgather Latency Test v7.4\n"
              "# Datatype: MPI_CHAR.\n"
              "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
              "1                       2.81              1.89              3.73          10\n"
              " coll_ucc_barrier.c:31 - mca_coll_ucc_barrier() running ucc barrier\n"
              "1048576               104.30            104.26            104.33          10\n"
              "# OSU MPI-CUDA All-to-All Personalized Exchange Latency Test v7.0\n"
              "# Size       Avg Latency(us)        Validation\n"
              "1024                   11.73              Pass\n"
              "# OSU MPI Reduce_scatter Latency Test v7.4\n"
              "4096                   10\n"
              "# OSU MPI Non-blocking Broadcast Latency Test v7.4\n"
              "4096                   10\n"
              "# OSU MPI Latency Test v5.6.2\n"
              "# Size          Latency (us)\n"
              "0                       1.15\n",
              &defaults, &set);
    assert_int_equal(set.count, 6);
    assert_string_equal(set.row[0].collective, "bcast");
    assert_int_equal(set.row[0].p, 16);
    assert_int_equal(set.row[0].nodes, 4);
    assert_int_equal(set.row[1].bytes, 1048576);
    assert_true(set.row[0].own_choice);
    assert_true(fabs(set.row[0].median_s - 13.52e-6) < 1e-12);
    /* A rank's data in, all ranks' data out; the slowest rank's time. */
    assert_int_equal(set.row[3].bytes, 16 * 1048576);
    assert_int_equal(set.row[3].m_bytes, 16 * 1048576);
    assert_true(fabs(set.row[3].median_s - 104.33e-6) < 1e-12);
    assert_int_equal(set.row[3].runs, 10);
    assert_string_equal(set.row[4].collective, "alltoall");
    assert_int_equal(set.row[4].bytes, 16 * 1024);
    assert_int_equal(set.row[4].m_bytes, 256 * 1024);
    assert_string_equal(set.row[5].collective, "reduce-scatter");
    assert_int_equal(set.row[5].bytes, 4096);
    assert_int_equal(set.left[ROWS_OVERLAPPED].count + set.left[ROWS_NO_COLLECTIVE].count, 2);
    rows_free(&set);

    struct sup_error error;
    struct rows_set none = {0};
    const struct rows_defaults no_ranks = {
        .system = "here", .algorithm = "x", .ranks_option = "-p"};
    static const char text[] = "# OSU MPI Broadcast Latency Test v7.3\n1 13.52\n";
    assert_int_equal(read_bytes(text, sizeof text - 1, &no_ranks, &none, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, ":2: the number of ranks is missing: give it by -p"));
    rows_free(&none);
    static const char *const runs[] = {"1e300", "-1"};
    for (size_t k = 0; k < 2; k++) {
        char row[200];
        snprintf(row, sizeof row,
                 "# OSU MPI Broadcast Latency Test v7.3\n# Size  Avg Latency(us)  Iterations\n"
                 "1  13.52  %s\n",
                 runs[k]);
        refuse(row, ":3: the number of iterations is not from 0 to 1e18");
    }
}

#define BCAST "# OSU MPI Broadcast Latency Test v7.3\n"

/* A remark speaks of all lines below it, wherever it stands and whatever the format. */
static void remarks_are_read(void **state)
{
    (void)state;
    static const struct rows_defaults agreeing = {.system = "H-ere", .p = 64, .ranks_per_node = 4};
    struct rows_set set;
    read_good(
        "a job's message\n"
        " # roundabout: machine=here p=64 ppn=4 algorithm=binomial library=ompi test=a\n" BCAST
        "1024 10\n"
        "# roundabout: algorithm=linear\n"
        "1024 11\n" BCAST "# roundabout: p=8 ppn=1 test=b\n"
        "1024 12\n",
        &no_defaults, &set);
    assert_int_equal(set.count, 3);
    for (size_t i = 0; i < set.count; i++) {
        assert_string_equal(set.row[i].system, "here");
        assert_string_equal(set.row[i].library, "ompi");
        assert_string_equal(set.row[i].name, i == 0 ? "binomial" : "linear");
        assert_string_equal(set.row[i].test, i < 2 ? "a" : "b");
        assert_int_equal(set.row[i].p, i < 2 ? 64 : 8);
        assert_int_equal(set.row[i].nodes, i < 2 ? 16 : 8);
    }
    rows_free(&set);
    read_good("# roundabout: machine=here nodes=16 algorithm=binomial\n"
              "# Benchmarking Bcast\n"
              "# #processes = 64\n"
              "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "        65536          640        46.08        48.94        47.54\n",
              &agreeing, &set);
    assert_int_equal(set.count, 1);
    assert_string_equal(set.row[0].system, "here");
    assert_string_equal(set.row[0].name, "binomial");
    assert_int_equal(set.row[0].nodes, 16);
    rows_free(&set);
    read_good("# roundabout: machine=here p=64\n"
              "collective,algorithm,p,bytes,time_s\n"
              "bcast,binomial,,1,1\n"
              "# roundabout: ppn=2\n"
              "bcast,binomial,64,1,2\n",
              &no_defaults, &set);
    assert_int_equal(set.count, 2);
    assert_string_equal(set.row[0].system, "here");
    assert_int_equal(set.row[0].nodes, 64);
    assert_int_equal(set.row[1].nodes, 32);
    rows_free(&set);
    refuse(BCAST "# roundabout: p=0\n", ":2: p: \"0\" is not a whole number from 1");
    refuse("# roundabout: q=1\n" BCAST, ":1: \"q\" is not machine");
    refuse("\n# roundabout: p=64 p=\n" BCAST, ":2: \"p=\" is not KEY=VALUE");
}

/* What an option says and what the file says are never both true, so none is taken silently. */
static void contradictions_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct rows_defaults options;
        const char *text, *message;
    } cases[] = {
        {{.system = "WRONG"},
         "# roundabout: machine=here\n" BCAST,
         ":1: machine=here, but --machine says WRONG"},
        {{.library = "mpich"},
         BCAST "# roundabout: library=ompi\n",
         ":2: library=ompi, but --library says mpich"},
        {{.algorithm = "chain"},
         "# roundabout: algorithm=binomial\n" BCAST,
         ":1: algorithm=binomial, but --algorithm says chain"},
        {{.p = 64}, "# roundabout: p=128\n" BCAST, ":1: p=128, but -p says 64"},
        {{.ranks_per_node = 4}, "# roundabout: ppn=2\n" BCAST, ":1: ppn=2, but --ppn says 4"},
        {{.p = 64, .system = "a", .algorithm = "ring"},
         "# roundabout: nodes=16 ppn=8\n" BCAST "1 1\n",
         ":3: nodes=16, but -p says 64 ranks, which with 8 on each node need 8"},
        {{.p = 64, .system = "a", .algorithm = "ring", .ranks_per_node = 8},
         "# roundabout: nodes=16\n" BCAST "1 1\n",
         ":3: nodes=16, but -p says 64 ranks, which with 8 on each node need 8"},
        {{.p = 64},
         "system,collective,algorithm,nodes,ppn,bytes,time_s\n"
         "a,bcast,ring,16,4,1,1\na,bcast,ring,8,4,1,1\n",
         ":3: nodes=8, but -p says 64 ranks, which with 4 on each node need 16"},
        {{.system = "b"}, HEADING "a,bcast,ring,8,1,1\n", ":2: machine=a, but --machine says b"},
        {{.algorithm = "chain"},
         HEADING "a,bcast,ring,8,1,1\n",
         ":2: algorithm=ring, but --algorithm says chain"},
        {{.p = 64}, HEADING "a,bcast,ring,64,1,1\na,bcast,ring,8,1,1\n", ":3: p=8, but -p says 64"},
        {{.ranks_per_node = 2},
         "system,collective,algorithm,p,ppn,bytes,time_s\n"
         "a,bcast,ring,8,4,1,1\n",
         ":2: ppn=4, but --ppn says 2"},
        {{.p = 0},
         "# roundabout: machine=b\n" HEADING "a,bcast,ring,8,1,1\n",
         ":3: machine=a, but a remark above says b"},
        {{.p = 0},
         "# roundabout: p=64\n" HEADING "a,bcast,ring,8,1,1\n",
         ":3: p=8, but a remark above says 64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rows_set set = {0};
        struct sup_error error;
        const char *text = cases[i].text;
        assert_int_equal(read_bytes(text, strlen(text), &cases[i].options, &set, &error),
                         RB_EINVAL);
        if (strstr(error.text, cases[i].message) == NULL)
            fail_msg("\"%s\" does not say: %s", error.text, cases[i].message);
        rows_free(&set);
    }
}

static void imb_is_read(void **state)
{
    (void)state;
    const struct rows_defaults defaults = {
        .system = "here", .algorithm = "default", .ranks_per_node = 36};
    struct rows_set set;
    read_good("#----------------------------------------------------------------\n"
              "#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part\n"
              "#----------------------------------------------------------------\n"
              "# Date                  : Wed Mar 12 23:40:30 2025\n"
              "# Calling sequence was: \n"
              "# /opt/openmpi/tests/imb/IMB-MPI1 -msglog 0:23 -npmin 192 alltoall, bcast \n"
              "# List of Benchmarks to run:\n"
              "# Alltoall\n\n"
              "#----------------------------------------------------------------\n"
              "# Benchmarking Alltoall \n"
              "# #processes = 192 \n"
              "#----------------------------------------------------------------\n"
              "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "            0         1000         0.04         0.09         0.05\n"
              "            1         1000        14.94        15.95        15.48\n"
              "         1024         1000       760.01       812.31       790.22\n\n"
              "# Benchmarking Bcast\n"
              "# #processes = 8\n"
              "# ( 184 additional processes waiting in MPI_Barrier)\n"
              "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "        65536          640        46.08        48.94        47.54\n"
              "# Benchmarking Reduce_scatter_block\n"
              "# #processes = 8\n"
              "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "         1000          640        46.08        48.94        47.54\n"
              "# Benchmarking Reduce_scatter\n"
              "# #processes = 8\n"
              "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "         1000          640        46.08        48.94        47.54\n"
              "# Benchmarking Barrier\n"
              "# #processes = 8\n"
              " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "         1000         1.08         1.94         1.54\n"
              "# Benchmarking PingPong\n"
              "# #processes = 2\n"
              "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
              "            0         1000         1.59         0.00\n"
              "# Benchmarking Multi-Bcast\n"
              "# ( 4 groups of 2 processes each running simultaneously )\n"
              "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "        65536          640        46.08        48.94        47.54\n"
              "# All processes entering MPI_Finalize\n",
              &defaults, &set);
    assert_int_equal(set.count, 6);
    assert_int_equal(set.left[ROWS_NO_COLLECTIVE].count, 1);
    assert_int_equal(set.left[ROWS_IN_GROUPS].count, 1);
    assert_int_equal(set.row[2].p, 192);
    assert_int_equal(set.row[2].nodes, 6);
    assert_int_equal(set.row[2].bytes, 192 * 1024);
    assert_int_equal(set.row[2].m_bytes, (int64_t)192 * 192 * 1024);
    assert_true(fabs(set.row[2].median_s - 812.31e-6) < 1e-12);
    assert_string_equal(set.row[3].collective, "bcast");
    assert_int_equal(set.row[3].p, 8);
    assert_int_equal(set.row[3].nodes, 1);
    assert_int_equal(set.row[3].runs, 640);
    assert_int_equal(set.row[4].bytes, 8000);
    assert_int_equal(set.row[5].bytes, 1000);
    rows_free(&set);
}

/* ---- NCCL
 * ---------------------------------------------------------------------------------------- */

#define NCCL_TESTS                                                                                 \
    "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n"                          \
    "# Collective test starting: reduce_scatter_perf\n"                                            \
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 " \
    "agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"                                    \
    "#  Rank  0 Group  0 Pid 204199 on  nid005471 device  0 [0009:01:00] NVIDIA GH200 120GB\n"     \
    "#  Rank  1 Group  0 Pid 204200 on  nid005471 device  1 [0019:01:00] NVIDIA GH200 120GB\n"     \
    "#  Rank  2 Group  0 Pid 155254 on  nid005487 device  0 [0009:01:00] NVIDIA GH200 120GB\n"     \
    "#  Rank  3 Group  0 Pid 155255 on  nid005487 device  1 [0019:01:00] NVIDIA GH200 120GB\n#\n"  \
    "nid005471:204199:204199 [0] NCCL INFO NCCL_ALGO set by environment to PAT\n"                  \
    "#                                    out-of-place                       in-place          \n" \
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "   \
    "time   algbw   busbw  #wrong \n"                                                              \
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "   \
    "(us)  (GB/s)  (GB/s)         \n"

/* The header of this file is that of version 2.17.6; times are made up. */
static void nccl_tests_are_read(void **state)
{
    (void)state;
    static const struct rows_defaults here = {.system = "here"};
    struct rows_set set;
    read_good(NCCL_TESTS
              "  1048576         65536     float     sum      -1    46.50   22.55   16.91       0"
              "    40.00   26.21   19.66       0\n"
              "  4194304        262144     float     sum      -1    90.00   46.60   34.95     N/A"
              "    91.00   46.09   34.56     N/A\n# Out of bounds values : 0 OK\n",
              &here, &set);
    assert_int_equal(set.count, 2);
    const struct rows_row *row = &set.row[0];
    assert_string_equal(row->library, "NCCL");
    assert_string_equal(row->collective, "reduce-scatter");
    assert_string_equal(row->name, "pat");
    assert_string_equal(row->algorithm, "pat");
    assert_string_equal(row->manner.engine, "nccl");
    assert_int_equal(row->p, 4);
    assert_int_equal(row->nodes, 2);
    assert_int_equal(row->ranks_per_node, 2);
    assert_int_equal(row->bytes, 1048576);
    assert_int_equal(row->runs, 20);
    assert_true(fabs(row->median_s - 46.5e-6) < 1e-12);
    rows_free(&set);
    /* An old version names no test: its command's line does; and nothing was forced. */
    read_good(
        "$ mpirun -np 2 ./build/all_gather_perf -b 8 -e 8\n"
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 7\n"
        "#  Rank  0 Pid 1 on a device  0 [0x07] A100\n#  Rank  1 Pid 2 on a device 1 [0] A100\n"
        "#   size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  "
        "#wrong\n  8 1 float none -1 10.0 0 0 0 11.0 0 0 0\n",
        &here, &set);
    assert_int_equal(set.count, 1);
    assert_string_equal(set.row[0].collective, "allgather");
    assert_true(set.row[0].own_choice);
    assert_int_equal(set.row[0].nodes, 1);
    assert_int_equal(set.row[0].bytes, 8);
    rows_free(&set);
    refuse("# nThread 1 nGpus 1\n 8 1 float sum -1 1 0 0 0\n", ":2: numbers before the heading");
    refuse("# nThread 1 nGpus 1\n#  size  count  time \n 8 1 1\n",
           ":3: nothing names the collective");
}

#define CALL(coll, algo, size, time, bandwidth)                                                    \
    "{\"header\": {\"id\": \"0x7f\", \"rank\": 2, \"n_ranks\": 8, \"nnodes\": 2}, \"metadata\": "  \
    "{\"hostname\": \"a\"}, \"coll_perf\": {\"coll\": \"" coll "\", \"coll_sn\": 1, " algo         \
    "\"coll_msg_size_bytes\": " size ", \"coll_exec_time_us\": " time                              \
    ", \"coll_algobw_gbs\": " bandwidth ", \"coll_busbw_gbs\": 1}}\n"

static void inspectors_calls_are_read(void **state)
{
    (void)state;
    static const struct rows_defaults here = {.system = "here"};
    struct rows_set set;
    read_good(CALL("AllReduce", "", "1000000", "30", "33.3")
                  CALL("AllReduce", "", "1000000", "10", "100")
                      CALL("AllReduce", "", "1000000", "20", "50")
                          CALL("AllGather", "\"coll_algo\": \"RING\", ", "1000000", "80",
                               "100") "{\"header\": {\"id\": \"0x80\", \"rank\": 0, \"n_ranks\": "
                                      "2, \"nnodes\": 1}, "
                                      "\"dump_stats\": {}}\n{\"coll_perf\": {\"coll\": "
                                      "\"ReduceScatter\", \"coll_algo\": "
                                      "\"COLLNET_DIRECT\", \"coll_msg_size_bytes\": 64, "
                                      "\"coll_exec_time_us\": 5}}\n",
              &here, &set);
    assert_int_equal(set.count, 3);
    assert_true(set.row[0].own_choice);
    assert_int_equal(set.row[0].runs, 3);
    assert_true(fabs(set.row[0].median_s - 20e-6) < 1e-12);
    assert_int_equal(set.row[0].p, 8);
    assert_int_equal(set.row[0].nodes, 2);
    assert_int_equal(set.row[0].bytes, 1000000);
    /* 100 GB/s in 80 us are 8 MB: the size was one rank's part. */
    assert_int_equal(set.row[1].bytes, 8000000);
    assert_string_equal(set.row[1].algorithm, "multi-ring");
    assert_string_equal(set.row[2].collective, "reduce-scatter");
    assert_null(set.row[2].algorithm);
    assert_string_equal(set.row[2].manner.engine, "nccl");
    assert_int_equal(set.row[2].p, 2);
    rows_free(&set);
    refuse(CALL("AllReduce", "", "\"1\"", "30", "1"), ":1: not a call of NCCL's inspector");
    refuse(CALL("AllReduce", "", "1", "30", "1") "{\"coll_perf\": {\n", ":2: not JSON");
    refuse("{\"coll_perf\": {\"coll\": \"AllReduce\", \"coll_msg_size_bytes\": 64, "
           "\"coll_exec_time_us\": 5}}\n",
           "n_ranks in a header");
}

#define TUNING                                                                                     \
    "n1:1:2 [0] NCCL INFO comm 0x55 rank 13 nRanks 16 nNodes 2 localRanks 8 localRank 5 MNNVL 0\n" \
    "n1:1:2 [0] NCCL INFO   Algorithm   |              Tree               |         Ring        "  \
    "|\nn1:1:2 [0] NCCL INFO   Protocol    |    LL |   LL128 |   Simple |  LL | LL128 | Simple "   \
    "|\n"                                                                                          \
    "n1:1:2 [0] NCCL INFO  Max NThreads |    512 | 640 | 512 | 512 | 640 | 512 |\n"

static void the_tuning_table_is_read(void **state)
{
    (void)state;
    static const struct rows_defaults here = {.system = "here"};
    struct rows_set set;
    read_good(TUNING "n1:1:2 [0] NCCL INFO     AllReduce | 10.0/ 1.0 | 30.0/ 10.0 | 100.0/ 20.0 | "
                     "20.0/ 2.0 | 0.0/ 0.0 | 90.0/ 40.0 |\n",
              &here, &set);
    assert_int_equal(set.count, 2 * 11);
    assert_int_equal(set.row[0].p, 16);
    assert_int_equal(set.row[0].ranks_per_node, 8);
    assert_string_equal(set.row[0].library, "NCCL model");
    assert_string_equal(set.row[0].algorithm, "two-tree-in-lanes");
    assert_string_equal(set.row[11].algorithm, "multi-ring");
    for (int i = 0; i < 11; i++) {
        const double m = (double)set.row[i].bytes / 1000;
        const double tree = fmin(10 + m, fmin(30 + m / 10, 100 + m / 20));
        const double ring = fmin(20 + m / 2, 90 + m / 40);
        assert_true(fabs(set.row[i].median_s / tree * 1e6 - 1) < 1e-9);
        assert_true(fabs(set.row[11 + i].median_s / ring * 1e6 - 1) < 1e-9);
    }
    rows_free(&set);
    /* As before 2.19. */
    read_good("n1:1:2 [0] NCCL INFO comm 0x55 rank 1 nRanks 4 nNodes 2 busId 1\n"
              "n1:1:2 [0] NCCL INFO Latency/AlgBw |    Tree/    LL |    Ring/ LL128 |\n"
              "n1:1:2 [0] NCCL INFO     Broadcast |     0.0/   0.0 |    14.0/   3.0 |\n",
              &here, &set);
    assert_int_equal(set.count, 11);
    assert_string_equal(set.row[0].collective, "bcast");
    assert_string_equal(set.row[0].name, "ring");
    rows_free(&set);
    refuse(TUNING "n1:1:2 [0] NCCL INFO     AllReduce | 10.0/ 1.0 | 30.0/ 10.0 |\n",
           ":5: 2 values for the 6 columns");
    refuse(TUNING "n1:1:2 [0] NCCL INFO     AllReduce | 1/1 | 1/1 | 1/1 | 1/1 | much | 1/1 |\n",
           ":5: \"much\" is not a latency");
}

/* ---- Files as people post them --------------------------------------------------------------- */

/* Runs of a benchmark, each with the lines that are its rows. */
static const struct {
    const char *text;
    size_t rows;
} runs[] = {
    {"# OSU MPI Broadcast Latency Test v7.3\n"
     "# Datatype: MPI_CHAR.\n"
     "# Size       Avg Latency(us)\n"
     "1                      13.52\n"
     "4096                  104.30\n"
     "\n"
     "# OSU MPI Allreduce Latency Test v7.3\n"
     "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
     "8                       2.81              1.89              3.73          10\n",
     3},
    {"# Benchmarking Alltoall\n"
     "# #processes = 16\n"
     "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
     "         1024         1000       810.03       812.31       811.49\n"
     "        65536          160     19800.21     19912.44     19860.00\n",
     2},
    {"# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20\n"
     "# Collective test starting: all_reduce_perf\n"
     "#  Rank  0 Group  0 Pid 1 on  n1 device  0 [0x01] NVIDIA\n"
     "#  Rank  1 Group  0 Pid 1 on  n1 device  1 [0x02] NVIDIA\n"
     "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
     "        1024           256     float     sum      -1    46.50   22.55   39.46      0\n"
     "        4096          1024     float     sum      -1    56.50   22.55   39.46      0\n",
     2},
    {"collective,algorithm,p,bytes,median_us\nbcast,default,8,1024,5.1\nbcast,default,8,2048,7.1\n",
     2}};
enum { RUNS = sizeof runs / sizeof *runs };

static const struct rows_defaults posted_defaults = {
    .system = "here", .unnamed_algorithm = "default", .unnamed_p = 16};

/* Adds a text, each line with what stands before it and at its end. */
static void add_lines(char *to, const char *text, const char *before, const char *end)
{
    to += strlen(to);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        to += sprintf(to, "%s%.*s%s\n", before, (int)length, text, end);
        text += length + (text[length] == '\n');
    }
}

static void expect_same(const struct rows_set *got, const struct rows_set *want, const char *what)
{
    if (got->count != want->count)
        fail_msg("%s: %zu rows, not %zu", what, got->count, want->count);
    for (size_t i = 0; i < want->count; i++) {
        const struct rows_row *a = &got->row[i], *b = &want->row[i];
        if (strcmp(a->collective, b->collective) != 0 || a->p != b->p || a->bytes != b->bytes ||
            fabs(a->median_s - b->median_s) > 1e-15 || a->nodes != b->nodes)
            fail_msg("%s: row %zu is another one", what, i);
    }
}

static void launchers_prefixes_are_taken_off(void **state)
{
    static const char *const prefixes[] = {"[1,0]<stdout>:",
                                           "[prterun-n1-7@1,0]<stdout>: ",
                                           "Wed May 16 10:17:50 2018[1,0]<stdout>:",
                                           "Wed May 16 10:17:50 2018<stdout>:",
                                           "May  6 10:17:50 ",
                                           "2024-05-06T10:17:50.123456Z ",
                                           "2024-05-06 10:17:50,123 ",
                                           "[2024-05-06 10:17:50] [rank 3] ",
                                           "10:17:50.25 ",
                                           "1715000000.125 ",
                                           "2024-05-06T10:17:50.123456Z stdout F ",
                                           "node01 10:17:50 INFO ",
                                           "0: ",
                                           "  7: ",
                                           "[0] ",
                                           "node01: ",
                                           "worker-0  | ",
                                           "(3) ",
                                           "> "};
    (void)state;
    for (size_t r = 0; r < RUNS; r++) {
        struct rows_set plain;
        read_good(runs[r].text, &posted_defaults, &plain);
        assert_int_equal(plain.count, runs[r].rows);
        assert_null(plain.prefix);
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            for (int ends = 0; ends < 3; ends++) {
                static const char *const end[] = {"", "\r", "\x1b[0m"};
                char text[4000] = "", before[100];

                struct rows_set set;
                snprintf(before, sizeof before, "%s%s", ends == 2 ? "\x1b[32;1m" : "", prefixes[i]);
                add_lines(text, runs[r].text, before, end[ends]);
                read_good(text, &posted_defaults, &set);
                expect_same(&set, &plain, prefixes[i]);
                assert_non_null(set.prefix);
                rows_free(&set);
            }
        rows_free(&plain);
    }
}

/* Two ranks whose lines take turns, and each of which runs by itself. */
static void output_of_ranks_is_told_apart(void **state)
{
    (void)state;
    for (size_t r = 0; r < RUNS - 1; r++) { /* a CSV file has one heading */
        char text[4000] = "", twice[4000];
        const char *at = runs[r].text;
        struct rows_set want, set;
        snprintf(twice, sizeof twice, "%s%s", runs[r].text, runs[r].text);
        read_good(runs[r].text, &posted_defaults, &want);
        while (*at != '\0') {
            char line[200];
            const size_t length = strcspn(at, "\n");
            snprintf(line, sizeof line, "%.*s", (int)length, at);
            add_lines(text, *line == '\0' ? "\n" : line, "[1,0]<stdout>:", "");
            add_lines(text, *line == '\0' ? "\n" : line, "[1,1]<stdout>:", "");
            at += length + 1;
        }
        read_good(text, &posted_defaults, &set);
        assert_int_equal(set.labels, 2);
        assert_int_equal(set.left[ROWS_REPEATED].count,
                         want.count); /* the second rank's are the same */
        expect_same(&set, &want, "two ranks");
        rows_free(&set);
        rows_free(&want);
    }
}

/* The end of a line was lost: what follows begins with a prefix or is a heading. */
static void lines_that_ran_together_are_cut(void **state)
{
    static const char *const cases[] = {
        "[1,0]<stdout>:# OSU MPI Broadcast Latency Test v7.3\n[1,0]<stdout>:# Size  Avg "
        "Latency(us)\n"
        "[1,0]<stdout>:1   13.52[1,0]<stdout>:4096   104.30\n",
        "0: # OSU MPI Broadcast Latency Test v7.3\n0: # Size  Avg Latency(us)\n"
        "0: 1   13.520: 4096   104.30\n",
        "10:17:50 # OSU MPI Broadcast Latency Test v7.3\n10:17:50 # Size  Avg Latency(us)\n"
        "10:17:50 1   13.5210:17:51 4096   104.30\n",
        "# OSU MPI Broadcast Latency Test v7.3\n# Size  Avg Latency(us)\n"
        "1   13.52# OSU MPI Broadcast Latency Test v7.3\n# Size  Avg Latency(us)\n4096 104.30\n"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rows_set set;
        read_good(cases[i], &posted_defaults, &set);
        if (set.count != 2 || set.row[0].bytes != 1 || set.row[1].bytes != 4096 ||
            fabs(set.row[0].median_s - 13.52e-6) > 1e-12 ||
            fabs(set.row[1].median_s - 104.3e-6) > 1e-12)
            fail_msg("case %zu: %zu rows", i, set.count);
        rows_free(&set);
    }
}

/* What a benchmark did not measure, or found wrong, is counted with its reason. */
static void rows_are_left_out_with_a_reason(void **state)
{
#define OSU_TESTED "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)  Validation\n"
#define IMB_TABLE                                                                                  \
    "# Benchmarking Bcast\n# #processes = 8\n #bytes #repetitions t_min[usec] t_max[usec] "        \
    "t_avg[usec]\n 8 1000 1.0 2.0 1.5\n"
#define NCCL_TABLE                                                                                 \
    "# nThread 1 nGpus 1\n# Collective test starting: all_reduce_perf\n# Rank 0 Pid 1 on n1\n"     \
    "#   Rank 1 Pid 1 on n1\n# size count type redop root time algbw busbw #wrong time #wrong\n"   \
    "8 2 float sum -1 9.5 1 1 0 9.5 0\n"
    static const struct {
        const char *text;
        enum rows_left reason;
        const char *note;
    } cases[] = {
        {OSU_TESTED "8 1.5 Pass\n16 1.5 Fail\n", ROWS_FAILED,
         "1 row whose validation failed (Allreduce) is left out"},
        {OSU_TESTED "8 1.5 Pass\n16 1.5 FAILED\n", ROWS_FAILED, NULL},
        {OSU_TESTED "8 1.5 Pass\n16 N/A\n", ROWS_NOT_MEASURED, NULL},
        {OSU_TESTED "8 1.5 Pass\n16 nan Pass\n", ROWS_NOT_MEASURED, NULL},
        {OSU_TESTED "8 1.5 Pass\n16 19.0132 19.63 Pass\n", ROWS_TORN, NULL},
        {OSU_TESTED "8 1.5 Pass\n16 0.00 Pass\n", ROWS_NOT_TIMED, NULL},
        {OSU_TESTED "8 1.5 Pass\n# OSU MPI Non-blocking Allgather Latency Test v5.3.2\n"
                    "# Size Overall(us) Compute(us) Pure Comm.(us) Overlap(%)\n1 2 1 1 44.29\n",
         ROWS_OVERLAPPED, NULL},
        {OSU_TESTED "8 1.5 Pass\n# OSU MPI Bi-Directional Bandwidth Test\n1 2\n",
         ROWS_NO_COLLECTIVE, NULL},
        {IMB_TABLE " 16 out-of-mem.; needed X=   1.001 GB; use flag \"-mem X\"\n",
         ROWS_NOT_MEASURED, "1 row that the benchmark did not measure (out-of-mem.) is left out"},
        {IMB_TABLE " 16 time-out.; Time limit is over\n", ROWS_NOT_MEASURED, NULL},
        {IMB_TABLE " 16 int-overflow.; The production rank*size caused int overflow\n",
         ROWS_NOT_MEASURED, NULL},
        {IMB_TABLE " 16 1000 1.0\n", ROWS_TORN, NULL},
        {IMB_TABLE "# Benchmarking Ibcast\n#bytes #repetitions t_ovrl[usec] t_pure[usec] "
                   "t_CPU[usec] overlap[%]\n 8 1000 2 1 1 50\n",
         ROWS_OVERLAPPED, NULL},
        {IMB_TABLE "# Benchmarking Bcast\n# #processes = 8\n#bytes #repetitions t_min[usec] "
                   "t_max[usec] t_avg[usec] defects\n 16 1000 1 2 1 0.50\n",
         ROWS_FAILED, NULL},
        {NCCL_TABLE "16 4 float sum -1 9.5 1 1 3 9.5 0\n", ROWS_FAILED, NULL},
        {NCCL_TABLE "16 4 float sum -1 N/A N/A N/A N/A 9.5 0\n", ROWS_NOT_MEASURED, NULL},
        {NCCL_TABLE "16 4 float sum -1 9.5\n", ROWS_TORN, NULL},
        {"collective,algorithm,bytes,p,median_s\nbcast,binomial,8,8,1e-6\nbcast,binomial,16,8,N/"
         "A\n",
         ROWS_NOT_TIMED, NULL},
        {"collective,algorithm,bytes,p,median_s,counts\nalltoall,pairwise,8,8,1e-6,regular\n"
         "alltoall,pairwise,16,8,1e-6,banded:1:1\n",
         ROWS_IRREGULAR, "1 row of ranks whose counts differ (banded:1:1) is left out"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rows_defaults defaults = posted_defaults;
        struct rows_set set;
        struct sup_error error;
        int64_t left = 0;
        defaults.algorithm = strncmp(cases[i].text, "coll", 4) == 0 ? NULL : "default";
        read_good(cases[i].text, &defaults, &set);
        for (int k = 0; k < ROWS_REASONS; k++)
            left += set.left[k].count;
        if (set.count != 1 || left != 1 || set.left[cases[i].reason].count != 1)
            fail_msg("case %zu: %zu rows, %d left out", i, set.count, (int)left);
        if (strncmp(cases[i].text, "# nThread", 9) == 0)
            assert_int_equal(set.row[0].p, 2);
        char *note = rows_note(&set, 0);
        assert_non_null(note);
        if (cases[i].note != NULL)
            assert_string_equal(note, cases[i].note);
        free(note);
        assert_null(rows_note(&set, 1));
        /* Without a row there is an error that says the same. */
        set.count = 0;
        assert_int_equal(rows_need_some(&set, &error), RB_EINVAL);
        assert_non_null(strstr(error.text, "no row can be used: it has 1 row "));
        rows_free(&set);
    }
}

/* Several runs in one file, of which each command says how many ranks it has. */
static void commands_say_the_ranks(void **state)
{
    static const struct {
        const char *command;
        int32_t p, nodes;
    } cases[] = {{"$ mpirun -np 44 --map-by ppr:22:node -host a,b ./mpi/osu_bcast -m 1:1", 44, 2},
                 {"+ /opt/mpi/bin/mpiexec.hydra -n 12 -ppn 4 osu_bcast", 12, 3},
                 {"srun --label -N 3 --ntasks-per-node=5 ./osu_bcast -i 7", 15, 3},
                 {"[user@n1 ~]$ srun --ntasks 8 osu_bcast", 8, 8},
                 {"mpirun.openmpi --np=6 osu_bcast -x 9", 6, 6}};
    char text[4000] = "";
    struct rows_set set;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        sprintf(text + strlen(text),
                "%s\n# OSU MPI Broadcast Latency Test v7.3\n# Size  Avg Latency(us)\n1  13.52\n",
                cases[i].command);
    const struct rows_defaults defaults = {.system = "here", .algorithm = "default"};
    read_good(text, &defaults, &set);
    assert_int_equal(set.count, sizeof cases / sizeof *cases);
    for (size_t i = 0; i < set.count; i++) {
        assert_int_equal(set.row[i].p, cases[i].p);
        assert_int_equal(set.row[i].nodes, cases[i].nodes);
    }
    rows_free(&set);
    struct rows_defaults other = defaults;
    struct sup_error error;
    other.p = 16;
    assert_int_equal(read_bytes(text, strlen(text), &other, &set, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, ":4: -p says 16, and the command above 44: leave -p out"));
    rows_free(&set);
}

/* ---- The data in the repository
 * ------------------------------------------------------------------ */

static void pico_data_are_complete(void **state)
{
    (void)state;
    struct rows_set set = {0};
    struct sup_error error;
    int64_t own = 0;
    if (rows_read(&set, SOURCE_DIRECTORY "/data/pico/measurements.csv", &no_defaults, &error) !=
        RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(set.count, 5955);
    assert_int_equal(set.left[ROWS_UNKNOWN].count + set.left[ROWS_NO_COLLECTIVE].count +
                         set.left[ROWS_NOT_TIMED].count + set.left[ROWS_REPEATED].count,
                     0);
    for (size_t i = 0; i < set.count; i++) {
        own += set.row[i].own_choice;
        const struct rows_row *row = &set.row[i];
        const struct rows_name name = rows_read_name(row->library, row->collective, row->name);
        if (!name.known && !name.own_choice)
            fail_msg("%s %s is not in the table of libraries", row->collective, row->name);
    }
    assert_int_equal(own, 514);
    const char *system;
    assert_int_equal(rows_system(&set, "marenostrum", &system, &error), RB_OK);
    assert_string_equal(system, "mare_nostrum");
    assert_int_equal(rows_system(&set, "MARE", &system, &error), RB_OK);
    assert_string_equal(system, "mare_nostrum");
    assert_int_equal(rows_system(&set, "l", &system, &error), RB_EINVAL);
    assert_string_equal(error.text, "\"l\" begins several names: the systems of these rows are "
                                    "fugaku, leonardo, lumi, mare_nostrum");
    assert_int_equal(rows_system(&set, "frontier", &system, &error), RB_EINVAL);
    rows_free(&set);
}

/* ---- Filters
 * ------------------------------------------------------------------------------------- */

static const struct rows_row sample = {.system = "mare_nostrum",
                                       .test = "t1",
                                       .library = "OMPI",
                                       .library_version = "4.1.5",
                                       .collective = "reduce-scatter",
                                       .name = "bine_send_remap_over",
                                       .algorithm = "bine",
                                       .transport = "",
                                       .notes = "",
                                       .nodes = 8,
                                       .ranks_per_node = 4,
                                       .p = 32,
                                       .interfaces = 1,
                                       .bytes = 65536,
                                       .m_bytes = 65536};

static void filters_choose(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool matches;
    } cases[] = {
        {"nodes<=64", true},
        {"nodes=8", true},
        {"nodes==2x2x2", true},
        {"nodes!=8", false},
        {"nodes < 8", false},
        {"nodes>=8", true},
        {"nodes>7", true},
        {"p=32 & ppn=4", true},
        {"p=32, ppn=3", false},
        {"p=31 | ppn=4", true},
        {"p=31 or ppn=3 or nodes=8", true},
        {"p=31 & ppn=3 | nodes=8", true},
        {"p=31 & (ppn=3 | nodes=8)", false},
        {"!nodes=8", false},
        {"not (nodes=9)", true},
        {"bytes>=64KiB", true},
        {"bytes<64KiB", false},
        {"bytes=65536", true},
        {"m<1MB", true},
        {"collective=reduce_scatter", true},
        {"collective=Reduce-Scatter", true},
        {"collective!=bcast", true},
        {"algorithm~bine_*", true},
        {"algorithm~*_OVER", true},
        {"algorithm~b?ne", true},
        {"algorithm=bine", true},
        {"algorithm=bin", false},
        {"algorithm~*ompi", false},
        {"system=MareNostrum", true},
        {"library=\"OMPI\" and version='4.1.5'", true},
        {"transport=\"\"", true},
        {"notes=x", false},
        {"segment=0 & interfaces=1", true},
        {"test=t1&&test!=t2||test=t3", true},
        {"orders=1", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases - 1; i++) {
        struct rows_filter *filter;
        struct sup_error error;
        if (rows_filter_parse(cases[i].text, &filter, &error) != RB_OK)
            fail_msg("%s", error.text);
        if (rows_filter_matches(filter, &sample) != cases[i].matches)
            fail_msg("%s", cases[i].text);
        rows_filter_free(filter);
    }
    assert_true(rows_filter_matches(NULL, &sample));
}

static void wrong_filters_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "\"\", character 1: a field such as nodes, bytes or algorithm must come here"},
        {"nods=1", "\"nods=1\", character 1: there is no field \"nods\": did you mean nodes?"},
        {"nodes", "\"nodes\", character 6: =, !=, <, <=, > or >= must come here"},
        {"nodes=", "\"nodes=\", character 7: a value must come here"},
        {"nodes=x", "\"nodes=x\", character 7: \"x\" is not a number of nodes, such as 8 or 2x2x2"},
        {"nodes~8", "\"nodes~8\", character 6: a number is compared by =, !=, <, <=, > or >="},
        {"test<1", "\"test<1\", character 5: a text is compared by =, != or ~"},
        {"p=1 p=2", "\"p=1 p=2\", character 5: & or | must come here"},
        {"p=1 &",
         "\"p=1 &\", character 6: a field such as nodes, bytes or algorithm must come here"},
        {"(p=1", "\"(p=1\", character 5: a ) must come here"},
        {"p=1)", "\"p=1)\", character 4: & or | must come here"},
        {"test='a", "\"test='a\", character 6: this quote has no end"},
        {"p=-1", "\"p=-1\", character 3: \"-1\" is not a whole number of at least 0"},
    };
    struct rows_filter *filter;
    struct sup_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(rows_filter_parse(cases[i].text, &filter, &error), RB_EINVAL);
        assert_string_equal(error.text, cases[i].message);
    }
    char deep[2000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(rows_filter_parse(deep, &filter, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "too many parentheses"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pico_is_read),
        cmocka_unit_test(other_columns_are_read),
        cmocka_unit_test(measure_is_read),
        cmocka_unit_test(wrong_csv_is_refused),
        cmocka_unit_test(repeated_rows_are_dropped),
        cmocka_unit_test(osu_is_read),
        cmocka_unit_test(remarks_are_read),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(imb_is_read),
        cmocka_unit_test(nccl_tests_are_read),
        cmocka_unit_test(inspectors_calls_are_read),
        cmocka_unit_test(the_tuning_table_is_read),
        cmocka_unit_test(launchers_prefixes_are_taken_off),
        cmocka_unit_test(output_of_ranks_is_told_apart),
        cmocka_unit_test(lines_that_ran_together_are_cut),
        cmocka_unit_test(rows_are_left_out_with_a_reason),
        cmocka_unit_test(commands_say_the_ranks),
        cmocka_unit_test(pico_data_are_complete),
        cmocka_unit_test(filters_choose),
        cmocka_unit_test(wrong_filters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
