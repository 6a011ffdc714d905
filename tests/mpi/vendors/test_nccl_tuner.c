/* test_nccl_tuner.c - the tuner plugin for NCCL, loaded as NCCL loads it, by a stand-in of NCCL for
 * each version: the layouts are written here once more, from NCCL's headers. What it chooses is
 * compared with the rules of NCCL's example plugin, written down here too: the first line that
 * holds, single numbers alone. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALGORITHMS = 7, PROTOCOLS = 3 };
enum { TREE, RING, COLLNET_DIRECT, COLLNET_CHAIN, NVLS, NVLS_TREE, PAT };
enum { LL, LL128, SIMPLE };
enum { BROADCAST, REDUCE, ALLGATHER, REDUCESCATTER, ALLREDUCE };

typedef void logger(int, unsigned long, const char *, int, const char *, ...);

static char said[4096];
static int warnings;

static void listen(int level, unsigned long flags, const char *file, int line, const char *format,
                   ...)
{
    va_list values;
    assert_int_equal(flags, 0x40);
    assert_true(level == 2 || level == 3);
    assert_non_null(file);
    assert_true(line > 0);
    warnings += level == 2;
    va_start(values, format);
    vsnprintf(said, sizeof said, format, values);
    va_end(values);
}

/* NCCL's headers. */
struct v2 {
    const char *name;
    int (*init)(size_t, size_t, logger *, void **);
    int (*getCollInfo)(void *, int, size_t, int, int, int, int *, int *, int *);
    int (*destroy)(void *);
};
struct v3 {
    const char *name;
    int (*init)(size_t, size_t, logger *, void **);
    int (*getCollInfo)(void *, int, size_t, int, float **, int, int, int *);
    int (*destroy)(void *);
};
struct v4 {
    const char *name;
    int (*init)(size_t, size_t, logger *, void **);
    int (*getCollInfo)(void *, int, size_t, int, float **, int, int, int, int *);
    int (*destroy)(void *);
};
struct domains {
    int count, least, most;
};
struct constants {
    double base[7][3], hw[3][7][3], bandwidth[5][4][3];
};
struct v5 {
    const char *name;
    int (*init)(void **, uint64_t, size_t, size_t, logger *, struct domains *, struct constants *);
    int (*getCollInfo)(void *, int, size_t, int, float **, int, int, int, int *);
    int (*finalize)(void *);
};
struct v6 {
    struct v5 v5;
    int (*getChunkSize)(void *, int, size_t, int, int, int, size_t *);
};

static const char *plugin_path;
static char table_path[] = "/tmp/nccl_tuner_XXXXXX";

static const void *plugin(int version)
{
    static void *library;
    char symbol[64];
    if (library == NULL)
        library = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    snprintf(symbol, sizeof symbol, "ncclTunerPlugin_v%d", version);
    const void *found = dlsym(library, symbol);
    assert_non_null(found);
    return found;
}

static void write_table(const char *text, size_t size)
{
    FILE *file = fopen(table_path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* One call of a version from 3 on, as NCCL makes it. */
struct outcome {
    float table[ALGORITHMS][PROTOCOLS];
    int channels;
};

static struct outcome at_first = {
    {{9, 8, 7}, {30, 20, 25}, {-1, -1, -1}, {-1, -1, -1}, {-1, -1, 4}, {-1, -1, 6}, {-1, -1, 5}},
    0};

static struct outcome call(int version, size_t ranks, size_t nodes, int collective, size_t bytes,
                           int operations, int registered)
{
    struct outcome o = at_first;
    float **table = (float **)o.table;
    void *context = NULL;
    if (version == 3 || version == 4) {
        const struct v3 *v3 = plugin(3);
        const struct v4 *v4 = plugin(4);
        assert_int_equal((version == 3 ? v3->init : v4->init)(ranks, nodes, listen, &context), 0);
        assert_int_equal(version == 3
                             ? v3->getCollInfo(context, collective, bytes, operations, table,
                                               ALGORITHMS, PROTOCOLS, &o.channels)
                             : v4->getCollInfo(context, collective, bytes, operations, table,
                                               ALGORITHMS, PROTOCOLS, registered, &o.channels),
                         0);
        assert_int_equal((version == 3 ? v3->destroy : v4->destroy)(context), 0);
        return o;
    }
    struct domains domains = {1, 8, 8};
    struct constants constants, before;
    memset(&constants, 0x5a, sizeof constants);
    before = constants;
    const struct v5 *v5 = version == 5 ? plugin(5) : &((const struct v6 *)plugin(6))->v5;
    assert_int_equal(v5->init(&context, 7, ranks, nodes, listen, &domains, &constants), 0);
    assert_int_equal(v5->getCollInfo(context, collective, bytes, operations, table, ALGORITHMS,
                                     PROTOCOLS, registered, &o.channels),
                     0);
    assert_int_equal(v5->finalize(context), 0);
    assert_memory_equal(&constants, &before, sizeof before);
    return o;
}

static void expect(const struct outcome *o, int algorithm, int protocol, int channels)
{
    struct outcome wanted = at_first;
    if (algorithm >= 0)
        wanted.table[algorithm][protocol] = 0;
    wanted.channels = channels;
    assert_memory_equal(o, &wanted, sizeof wanted);
}

static void table(const char *text)
{
    write_table(text, strlen(text));
}

static void test_every_version_chooses(void **state)
{
    (void)state;
    table("# made by hand\n"
          "allreduce,0,65535,tree,ll,-1,-1,64\n"
          "allreduce,65536,1048575,ring,-1,-1,-1,32-128\n"
          "allreduce,1048576,18446744073709551615,nvls,simple,16,8,64\n"
          "broadcast,0,100,ring,ll128,-1,2-4,-1\r\n"
          "\n"
          "allgather,0,100,pat,-1,-1,-1,-1,1,0\n");
    for (int version = 3; version <= 6; version++) {
        struct outcome o = call(version, 64, 8, ALLREDUCE, 1024, 1, 0);
        expect(&o, TREE, LL, 0);
        assert_string_equal(said, "Roundabout's tuner: allreduce of 1024 bytes: tree ll by line 2");
        o = call(version, 65, 8, ALLREDUCE, 1024, 1, 0);
        expect(&o, -1, 0, 0);
        o = call(version, 128, 8, ALLREDUCE, 65536, 1,
                 0); /* NCCL's own best protocol of the ring */
        expect(&o, RING, LL128, 0);
        o = call(version, 129, 8, ALLREDUCE, 65536, 1, 0);
        expect(&o, -1, 0, 0);
        o = call(version, 64, 8, ALLREDUCE, SIZE_MAX, 1, 0);
        expect(&o, NVLS, SIMPLE, 16);
        o = call(version, 64, 4, ALLREDUCE, SIZE_MAX, 1, 0);
        expect(&o, -1, 0, 0);
        o = call(version, 3, 3, BROADCAST, 100, 1, 0);
        expect(&o, RING, LL128, 0);
        o = call(version, 3, 5, BROADCAST, 100, 1, 0);
        expect(&o, -1, 0, 0);
        o = call(version, 3, 5, ALLGATHER, 100, 1, 0);
        expect(&o, PAT, SIMPLE, 0);
        o = call(version, 3, 5, ALLGATHER, 100, 2, 0);
        expect(&o, -1, 0, 0);
        o = call(version, 3, 5, ALLGATHER, 100, 1,
                 1); /* v3 does not say whether buffers are registered */
        expect(&o, version == 3 ? PAT : -1, SIMPLE, 0);
        o = call(version, 3, 5, REDUCE, 100, 1, 0);
        expect(&o, -1, 0, 0);
        o = call(version, 3, 5, 77, 100, 1, 0);
        expect(&o, -1, 0, 0);
    }
    assert_int_equal(warnings, 0);
}

static void version_2_takes_what_is_available(void **state)
{
    (void)state;
    const struct v2 *v2 = plugin(2);
    void *context;
    table("allreduce,0,99,tree,ll,-1,-1,-1\nallreduce,100,199,nvls,simple,4,-1,-1\nallreduce,200,"
          "299,ring,-1,-1,-1,-1\n"
          "allreduce,300,399,pat,simple,-1,-1,-1\n");
    static const struct {
        size_t bytes;
        int nvls, algorithm, protocol, channels;
    } cases[] = {{0, 0, TREE, LL, 0}, {100, 1, NVLS, SIMPLE, 4}, {100, 0, -1, -1, 0},
                 {200, 1, -1, -1, 0}, {300, 1, -1, -1, 0},       {400, 1, -1, -1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int algorithm = -1, protocol = -1, channels = 0;
        assert_int_equal(v2->init(8, 1, listen, &context), 0);
        assert_int_equal(v2->getCollInfo(context, ALLREDUCE, cases[i].bytes, 0, cases[i].nvls, 1,
                                         &algorithm, &protocol, &channels),
                         0);
        assert_int_equal(v2->destroy(context), 0);
        assert_int_equal(algorithm, cases[i].algorithm);
        assert_int_equal(protocol, cases[i].protocol);
        assert_int_equal(channels, cases[i].channels);
    }
}

/* What NCCL can't do stays negative, and a table of fewer algorithms is not overrun. */
static void test_what_is_not_available(void **state)
{
    (void)state;
    table("allreduce,0,99,collnet_direct,-1,2,-1,-1\nallreduce,100,199,nvls,ll,2,-1,-1\nallreduce,"
          "200,299,pat,-1,2,-1,-1\n");
    struct outcome o = call(5, 8, 1, ALLREDUCE, 0, 1, 0);
    expect(&o, -1, 0, 0);
    assert_non_null(strstr(said, "not available"));
    o = call(5, 8, 1, ALLREDUCE, 100, 1, 0);
    expect(&o, -1, 0, 0);
    const struct v4 *v4 = plugin(4);
    void *context;
    o = at_first;
    assert_int_equal(v4->init(8, 1, listen, &context), 0);
    assert_int_equal(v4->getCollInfo(context, ALLREDUCE, 200, 1, (float **)o.table, 6, PROTOCOLS, 0,
                                     &o.channels),
                     0);
    expect(&o, -1, 0, 0);
    assert_int_equal(
        v4->getCollInfo(context, ALLREDUCE, 200, 1, NULL, 6, PROTOCOLS, 0, &o.channels), 0);
    assert_int_equal(v4->destroy(context), 0);
    assert_int_equal(v4->destroy(NULL), 0);
    assert_int_equal(v4->init(8, 1, NULL, &context), 0); /* no logger */
    assert_int_equal(
        v4->getCollInfo(context, ALLREDUCE, 100, 1, (float **)o.table, 7, PROTOCOLS, 0, NULL), 0);
    assert_int_equal(v4->destroy(context), 0);
}

static void test_wrong_tables_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"allreduce,0,99,tree,ll,-1,-1\n", "line 1 has not eight to ten columns"},
        {"#\nallreduce,0,99,tree,ll,-1,-1,-1,-1,-1,-1\n", "line 2 has not eight to ten columns"},
        {"alreduce,0,99,tree,ll,-1,-1,-1\n", "names no collective"},
        {"allreduce,9,8,tree,ll,-1,-1,-1\n", "no range of bytes"},
        {"allreduce,0,18446744073709551616,tree,ll,-1,-1,-1\n", "no range of bytes"},
        {"allreduce,0,9x,tree,ll,-1,-1,-1\n", "no range of bytes"},
        {"allreduce,0,99,Tree,ll,-1,-1,-1\n", "names no algorithm"},
        {"allreduce,0,99,-1,ll,-1,-1,-1\n", "names no algorithm"},
        {"allreduce,0,99,tree,LL,-1,-1,-1\n", "names no protocol"},
        {"allreduce,0,99,tree,ll,0,-1,-1\n", "no number of channels"},
        {"allreduce,0,99,tree,ll,4294967297,-1,-1\n", "no number of channels"},
        {"allreduce,0,99,tree,ll,-1,8-4,-1\n", "columns 7 and 8"},
        {"allreduce,0,99,tree,ll,-1,-1,-2\n", "columns 7 and 8"},
        {"allreduce,0,99,tree,ll,-1,-1,-1,x\n", "columns 9 and 10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text, "%sallreduce,0,99,ring,ll,-1,-1,-1\n", cases[i].text);
        warnings = 0;
        table(text);
        const struct outcome o = call(6, 8, 1, ALLREDUCE, 5, 1, 0);
        expect(&o, -1, 0, 0); /* nothing of the file is used */
        assert_int_equal(warnings, 1);
        if (strstr(said, cases[i].says) == NULL)
            fail_msg("%s: said %s", cases[i].text, said);
    }
    char text[1024];
    memset(text, 'a', sizeof text);
    write_table(text, sizeof text);
    struct outcome o = call(6, 8, 1, ALLREDUCE, 5, 1, 0);
    expect(&o, -1, 0, 0);
    assert_non_null(strstr(said, "line 1 is too long"));
    table("allreduce,0,99,tree,ll,-1,-1,-1\nallreduce\n"); /* nor what stands before the line */
    o = call(6, 8, 1, ALLREDUCE, 5, 1, 0);
    expect(&o, -1, 0, 0);
    assert_non_null(strstr(said, "line 2 has not eight to ten columns"));
    setenv("RB_NCCL_TABLE", "/nonexistent/table", 1);
    o = call(6, 8, 1, ALLREDUCE, 5, 1, 0);
    expect(&o, -1, 0, 0);
    assert_non_null(strstr(said, "can't read /nonexistent/table"));
    setenv("RB_NCCL_TABLE", "/tmp", 1); /* a directory */
    o = call(6, 8, 1, ALLREDUCE, 5, 1, 0);
    expect(&o, -1, 0, 0);
    unsetenv("RB_NCCL_TABLE");
    setenv("NCCL_TUNER_CONFIG_FILE", table_path, 1); /* the example's variable */
    table("allreduce,0,99,tree,ll,-1,-1,-1\n");
    o = call(6, 8, 1, ALLREDUCE, 5, 1, 0);
    expect(&o, TREE, LL, 0);
    unsetenv("NCCL_TUNER_CONFIG_FILE");
    o = call(6, 8, 1, ALLREDUCE, 5, 1, 0);
    expect(&o, -1, 0, 0);
    assert_non_null(strstr(said, "names no table"));
    setenv("RB_NCCL_TABLE", table_path, 1);
    warnings = 0;
}

/* A line leaves the protocol to the times: of the least ones the first, and only those that there
 * are. */
static void test_the_first_of_equals(void **state)
{
    (void)state;
    static const struct {
        float times[PROTOCOLS];
        int first;
    } cases[] = {{{5, 5, 5}, LL},     {{6, 5, 5}, LL128},  {{5, 6, 5}, LL},
                 {{6, 6, 5}, SIMPLE}, {{-1, 5, 5}, LL128}, {{-1, -1, 5}, SIMPLE}};
    const struct outcome before = at_first;
    table("allreduce,0,99,tree,-1,-1,-1,-1\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int version = 3; version <= 6; version++) {
            memcpy(at_first.table[TREE], cases[i].times, sizeof cases[i].times);
            const struct outcome o = call(version, 8, 1, ALLREDUCE, 5, 1, 0);
            expect(&o, TREE, cases[i].first, 0);
        }
    at_first = before;
}

static uint64_t seed = 20261125;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* Random tables of single numbers: the choice is that of NCCL's example, but for the number of
 * channels, which the example sets to 1 where no line names one. */
static void test_chooses_as_the_example(void **state)
{
    (void)state;
    static const char *const names[] = {
        "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
    static const char *const collectives[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                              "allreduce"};
    static const char *const protocols[] = {"ll", "ll128", "simple"};
    struct line {
        int collective, low, high, algorithm, protocol, channels, nodes, ranks;
    } lines[20];
    for (int round = 0; round < 400; round++) {
        char text[4000];
        size_t size = 0;
        for (int i = 0; i < 20; i++) {
            struct line *l = &lines[i];
            *l = (struct line){
                (int)below(5),     (int)below(8),    0,
                (int)below(7),     (int)below(3),    below(2) ? -1 : (int)below(9) + 1,
                (int)below(4) - 1, (int)below(4) - 1};
            l->high = l->low + (int)below(6);
            l->nodes += l->nodes == 0;
            l->ranks += l->ranks == 0;
            size +=
                (size_t)snprintf(text + size, sizeof text - size, "%s,%d,%d,%s,%s,%d,%d,%d\n",
                                 collectives[l->collective], l->low, l->high, names[l->algorithm],
                                 protocols[l->protocol], l->channels, l->nodes, l->ranks);
        }
        write_table(text, size);
        for (int i = 0; i < 30; i++) {
            const int collective = (int)below(5), bytes = (int)below(14), nodes = (int)below(3) + 1,
                      ranks = (int)below(3) + 1;
            const struct outcome o = call(3 + (int)below(4), (size_t)ranks, (size_t)nodes,
                                          collective, (size_t)bytes, 1, 0);
            int algorithm = -1, protocol = 0, channels = 0;
            for (int k = 0; k < 20; k++) {
                const struct line *l = &lines[k];
                if (l->collective != collective || bytes < l->low || bytes > l->high ||
                    (l->nodes != -1 && l->nodes != nodes) || (l->ranks != -1 && l->ranks != ranks))
                    continue;
                if (at_first.table[l->algorithm][l->protocol] >= 0) {
                    algorithm = l->algorithm;
                    protocol = l->protocol;
                    channels = l->channels == -1 ? 0 : l->channels;
                }
                break;
            }
            expect(&o, algorithm, protocol, channels);
        }
    }
}

/* Mangled tables: no crash, and what was negative stays so. */
static void test_mangled_tables(void **state)
{
    (void)state;
    static const char good[] = "# "
                               "head\nallreduce,0,65535,tree,ll,-1,-1,64\nallreduce,65536,99999,"
                               "ring,-1,-1,-1,32-128,1,0\n";
    static const char bytes[] = ",-0189\n\r #x\0\xff\"";
    for (int round = 0; round < 3000; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (unsigned changes = below(6) + 1; changes > 0; changes--)
            text[below(sizeof good - 1)] = bytes[below(sizeof bytes - 1)];
        write_table(text, below(sizeof good));
        const struct outcome o =
            call(3 + (int)below(4), 64, 8, ALLREDUCE, below(2) ? 5 : 65536, 1, 0);
        for (int a = 0; a < ALGORITHMS; a++) {
            for (int p = 0; p < PROTOCOLS; p++) {
                const float was = at_first.table[a][p], is = o.table[a][p];
                if (was < 0)
                    assert_true(is <= was && is >= was);
                else
                    assert_true(is <= 0 || (is <= was && is >= was));
            }
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_version_chooses),
        cmocka_unit_test(version_2_takes_what_is_available),
        cmocka_unit_test(test_what_is_not_available),
        cmocka_unit_test(test_wrong_tables_are_named),
        cmocka_unit_test(test_the_first_of_equals),
        cmocka_unit_test(test_chooses_as_the_example),
        cmocka_unit_test(test_mangled_tables),
    };
    plugin_path = argc > 1 ? argv[1] : "./libroundabout-nccl-tuner.so";
    if (mkstemp(table_path) < 0)
        return 1;
    setenv("RB_NCCL_TABLE", table_path, 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(table_path);
    return failed;
}
