/* test_topology.c - rails with the topology file of a node: what is taken, what is refused. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, truncate */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/platform.h"
#include "roundabout.h"

static char directory[] = "/tmp/test_topology-XXXXXX";
static const char path[] = "node.xml";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int leave(void **state)
{
    (void)state;
    unlink(path);
    return chdir("/") != 0 || rmdir(directory) != 0;
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define NODE(...)         "<system version=\"1\"><cpu numaid=\"0\">\n" __VA_ARGS__ "</cpu></system>\n"
#define PCI(bus, lane, x) "<pci busid=\"" bus "\" link_speed=\"" lane "\" link_width=\"" x "\">"
#define GPU(bus, kind, ...)                                                                        \
    PCI(bus, "32.0 GT/s PCIe", "16") "<gpu dev=\"0\" " kind ">" __VA_ARGS__ "</gpu></pci>\n"
#define LINK(kind, target, count) "<" kind " target=\"" target "\" count=\"" count "\"/>"
#define NET(speed)                "<pci class=\"0x020700\"><nic><net speed=\"" speed "\"/></nic></pci>\n"
#define SM(sm, count)             GPU("a", "sm=\"" sm "\"", LINK("nvlink", "s", count)) NET("400000")
#define GCN(gcn, count)                                                                            \
    GPU("a", "sm=\"304\" gcn=\"" gcn "\"", LINK("xgmi", "b", count)) NET("400000")
#define PLAIN(bus) GPU(bus, "sm=\"90\"", "")
#define H100(bus)  GPU(bus, "sm=\"90\"", LINK("nvlink", "s", "9") LINK("nvlink", "t", "9"))

/* ---- What is taken ---- */

/* Both have the same hash, so all bandwidths and sizes are the same. */
static void test_values(void **state)
{
    static const struct {
        const char *xml, *with, *same;
    } values[] = {
        {NODE(H100("a") H100("b") NET("400000") NET("400000")), "rails:4",
         "nics=2,bandwidth=50GBps,inner-bandwidth=370.8GBps"},
        {NODE(SM("100", "18")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=721.8GBps"},
        {NODE(SM("103", "18")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=721.8GBps"},
        {NODE(SM("86", "4")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=48GBps"},
        {NODE(SM("80", "12")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=240GBps"},
        {NODE(SM("70", "6")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=120GBps"},
        {NODE(SM("60", "4")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=72GBps"},
        {NODE(GCN("gfx942", "7")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=336GBps"},
        {NODE(GCN("940", "3")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=144GBps"},
        {NODE(GCN("910", "7")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=252GBps"},
        {NODE(GCN("gfx90a", "7")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=252GBps"},
        {NODE(GCN("908", "3")), "rails:4", "nics=1,bandwidth=50GBps,inner-bandwidth=72GBps"},
        /* PCIe: of all links up to the cpu the slowest, of 8 and of 6 coded bits in 10. */
        {NODE(PLAIN("a") NET("100000")), "rails:4",
         "nics=1,bandwidth=12.5GBps,inner-bandwidth=48GBps"},
        {NODE(PCI("c", "8 GT/s", "16") PLAIN("a") "</pci>" NET("100000")), "rails:4",
         "nics=1,bandwidth=12.5GBps,inner-bandwidth=12GBps"},
        {NODE(PCI("c", "", "0") PCI("d", "2.5 GT/s PCIe", "8") PLAIN("a") "</pci></pci>" NET("1")),
         "rails:4", "nics=1,bandwidth=125kBps,inner-bandwidth=1.5GBps"},
        /* A link to itself, and GPUs that differ. */
        {NODE(GPU("a", "sm=\"80\"", LINK("nvlink", "a", "12")) NET("400000")), "rails:4",
         "nics=1,bandwidth=50GBps,inner-bandwidth=48GBps"},
        {NODE(H100("a") GPU("b", "sm=\"90\"", LINK("nvlink", "s", "17")) NET("8") NET("8")),
         "rails:4", "nics=2,bandwidth=1MBps,inner-bandwidth=350.2GBps"},
        /* As many hosts as network interfaces, whatever the number of GPUs. */
        {NODE(H100("a") H100("b") H100("c") H100("d") NET("200000") NET("200000")), "rails:4",
         "nics=2,bandwidth=25GBps,inner-bandwidth=741.6GBps"},
        {NODE(H100("a") H100("b") H100("c") NET("8") NET("8")), "rails:4",
         "nics=2,bandwidth=1MBps,inner-bandwidth=556.2GBps"},
        /* What is given beside it. */
        {NODE(H100("a") H100("b") NET("8") NET("8")), "rails:4x4",
         "nics=4,bandwidth=1MBps,inner-bandwidth=185.4GBps"},
        {NODE(H100("a") H100("b") NET("8") NET("80")), "rails:4,nics=1,bandwidth=3GBps",
         "nics=1,bandwidth=3GBps,inner-bandwidth=741.6GBps"},
        {NODE(GPU("a", "", LINK("nvlink", "s", "9")) NET("8")),
         "rails:4,inner-bandwidth=7GBps,latency=3us,rails=1",
         "nics=1,bandwidth=1MBps,inner-bandwidth=7GBps,latency=3us,rails=1"},
        {NODE(""), "rails:4x2,bandwidth=2GBps,inner-bandwidth=7GBps",
         "nics=2,bandwidth=2GBps,inner-bandwidth=7GBps"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char with[200], same[200], hash[2][17];
        struct sup_error error = {""};
        write_file(values[i].xml);
        snprintf(with, sizeof with, "%s,topology=%s", values[i].with, path);
        snprintf(same, sizeof same, "rails:4,%s", values[i].same);
        if (platform_hash_of(with, hash[0], &error) != RB_OK)
            fail_msg("%s: %s", same, error.text);
        assert_int_equal(platform_hash_of(same, hash[1], NULL), RB_OK);
        if (strcmp(hash[0], hash[1]) != 0) {
            char taken[PLATFORM_TAKEN_SIZE];
            platform_find_taken(with, taken, NULL);
            fail_msg("%s: %s", same, taken);
        }
    }
}

static void test_account(void **state)
{
    char taken[PLATFORM_TAKEN_SIZE];
    (void)state;
    write_file(NODE(H100("a") H100("b") H100("c") H100("d") NET("200000") NET("200000")));
    assert_int_equal(platform_find_taken("rails:4,topology=node.xml", taken, NULL), RB_OK);
    assert_string_equal(taken, "node.xml: nics=2 (net), bandwidth=25GBps (200000 Mb/s), "
                               "inner-bandwidth=741.6GBps (4 gpu x 18 nvlink x 20.6 GB/s / "
                               "2 nics)");
    assert_int_equal(platform_find_taken("rails:4x1,topology=node.xml,bandwidth=1.5GBps,"
                                         "inner-bandwidth=371GBps",
                                         taken, NULL),
                     RB_OK);
    assert_string_equal(taken, "node.xml: nics=1 (given), bandwidth=1.5GBps (given), "
                               "inner-bandwidth=371GBps (given)");
    assert_int_equal(platform_find_taken("rails:4x1", taken, NULL), RB_OK);
    assert_string_equal(taken, "");
}

/* ---- What is refused ---- */

static void refuse(const char *options, const char *said)
{
    char text[200], taken[PLATFORM_TAKEN_SIZE];
    struct sup_error error = {""};
    snprintf(text, sizeof text, "rails:4,topology=%s", options);
    if (platform_find_taken(text, taken, &error) != RB_EINVAL || strcmp(error.text, said) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", text, error.text, said);
}

static void test_refused(void **state)
{
    static const struct {
        const char *xml, *said;
    } files[] = {
        {"", "node.xml: not a topology of NCCL, which begins with <system>"},
        {"hello", "node.xml:1: not XML: Start tag expected, '<' not found"},
        {"<system>\n<cpu>\n", "node.xml:3: not XML: Premature end of data in tag cpu line 2"},
        {"<!DOCTYPE system [<!ENTITY x \"y\">]><system>&x;</system>",
         "node.xml: not a topology of NCCL, which begins with <system>"},
        {"<graphs version=\"1\"><gpu/></graphs>",
         "node.xml: not a topology of NCCL, which begins with <system>"},
        {"<gpu/>", "node.xml: not a topology of NCCL, which begins with <system>"},
        {NODE(PCI("a", "32.0 GT/s PCIe", "16") "</pci>"),
         "node.xml: it has no <net> (give nics=), no <net speed> (give bandwidth=), no <gpu> (give "
         "inner-bandwidth=)"},
        {NODE(NET("400000") "<pci><gpu sm=\"90\"/></pci>"),
         "node.xml: it has no known <nvlink>, <xgmi> or <pci link_speed> of a <gpu> (give "
         "inner-bandwidth=)"},
        {NODE(SM("30", "4")), "node.xml: it has no known <nvlink>, <xgmi> or <pci link_speed> of a "
                              "<gpu> (give inner-bandwidth=)"},
        {NODE(GCN("gfx1100", "4")),
         "node.xml: it has no known <nvlink>, <xgmi> or <pci link_speed> of a <gpu> (give "
         "inner-bandwidth=)"},
        /* One GPU of them. */
        {NODE(H100("a") "<pci><gpu sm=\"90\"/></pci>" NET("8")),
         "node.xml: it has no known <nvlink>, <xgmi> or <pci link_speed> of a <gpu> (give "
         "inner-bandwidth=)"},
        {NODE(H100("a") NET("400000") NET("400000") NET("10000")),
         "node.xml:5: this <net> has 10000 Mb/s, another 400000: give bandwidth=, and nics= if "
         "some "
         "don't belong to the cluster"},
        {NODE(H100("a") NET("0")), "node.xml:3: speed of <net>, in Mb/s: \"0\" is not a whole "
                                   "number from 1 to 10000000; or give bandwidth="},
        {NODE(H100("a") NET("-1")), "node.xml:3: speed of <net>, in Mb/s: \"-1\" is not a whole "
                                    "number from 1 to 10000000; or give bandwidth="},
        {NODE(H100("a") "<net name=\"x\"/>"),
         "node.xml:3: speed of <net>, in Mb/s: \"\" is not a whole number from 1 to 10000000; or "
         "give bandwidth="},
        {NODE(SM("90", "-1")), "node.xml:2: count: \"-1\" is not a whole number from 1 to 1000"},
        {NODE(SM("90", "1000000000000000000000")),
         "node.xml:2: count: \"1000000000000000000000\" is not a whole number from 1 to 1000"},
        {NODE(GPU("a", "gcn=\"gfx942\"", "<xgmi/>")),
         "node.xml:2: count: \"\" is not a whole number from 1 to 1000"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_file(files[i].xml);
        refuse(path, files[i].said);
    }
}

static void test_refused_options(void **state)
{
    (void)state;
    write_file(NODE(H100("a") NET("8")));
    refuse("missing.xml", "missing.xml: No such file or directory");
    refuse("-", "-: No such file or directory");
    refuse("/tmp", "/tmp: not a file of at most 16 MiB");
    refuse("/dev/zero", "/dev/zero: not a file of at most 16 MiB");
    refuse("node.xml,topology=node.xml", "rails: option 'topology' is given twice");
    refuse("no,de.xml", "rails: 'de.xml' is not an option: options are written name=value, "
                        "separated by commas, which no value has");
    refuse("node.xml,nics=0", "rails: nics: \"0\" is not a whole number from 1 to 1048576");
    refuse("node.xml,nics=3,rails=2",
           "rails: rails: 2 does not divide the 3 network interfaces of a node");
    assert_int_equal(truncate(path, (1 << 24) + 1), 0);
    refuse(path, "node.xml: not a file of at most 16 MiB");
    assert_int_equal(truncate(path, 1000), 0);
    refuse(path, "node.xml:5: a zero byte: this is no text file");
}

/* What the parser itself stops. */
static void files_nested_too_deep_are_refused(void **state)
{
    enum { DEEP = 10000 };
    char *text = calloc(5 * DEEP + 20, 1), taken[PLATFORM_TAKEN_SIZE];
    struct sup_error error = {""};
    (void)state;
    assert_non_null(text);
    strcpy(text, "<system>");
    for (int i = 0; i < DEEP; i++)
        memcpy(text + 8 + 5 * i, "<pci>", 5);
    write_file(text);
    free(text);
    assert_int_equal(platform_find_taken("rails:4,topology=node.xml", taken, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "node.xml:1: not XML: Excessive depth in document"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_account),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_options),
        cmocka_unit_test(files_nested_too_deep_are_refused),
    };
    return cmocka_run_group_tests_name("topology", tests, enter, leave);
}
