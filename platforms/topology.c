/* topology.c - takes from a topology file of NCCL or RCCL (NCCL_TOPO_FILE) what a node has, for
 * those options of a request that are not given beside it.
 *
 * A <net> is a network interface, and so a host. A GPU has the bandwidth of all its <nvlink> or
 * <xgmi>, or if it has none, of the slowest <pci> up to its cpu; where GPUs differ, all have the
 * least. Hosts share what all GPUs have. A link carries what the cost models of NCCL 2.30 and RCCL
 * 2.20 count (src/graph/topo.h, topo.cc), such as 20.6 GB/s of an NVLink 4. */
#include <errno.h>
#include <inttypes.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "generator.h"
#include "roundabout.h"
#include "support/csv.h"
#include "support/data_files.h"
#include "support/units.h"

enum { MOST_BYTES = 1 << 24, MOST_COUNT = 1000, MOST_MBPS = 10000000, MOST_LANES = 32 };

/* The links of a GPU. */
struct gpu {
    const char *kind;
    int64_t links;
    double each_GBps; /* 0 if it is not known */
};

static double GBps_of(const struct gpu *gpu)
{
    return (double)gpu->links * gpu->each_GBps;
}

/* What the file says of the node. */
struct node {
    const char *path;
    struct sup_error *error;
    int64_t gpus, nets, mbps;
    struct gpu least; /* of the slowest */
};

/* ---- Elements ---- */

static bool is(const xmlNode *element, const char *name)
{
    return element->type == XML_ELEMENT_NODE && strcmp((const char *)element->name, name) == 0;
}

/* "" if there is no such attribute. */
static const char *value_of(const xmlNode *element, const char *name)
{
    for (const xmlAttr *value = element->properties; value != NULL; value = value->next)
        if (strcmp((const char *)value->name, name) == 0 && value->children != NULL &&
            value->children->content != NULL)
            return (const char *)value->children->content;
    return "";
}

static double nvlink_GBps(const xmlNode *gpu)
{
    const long sm = strtol(value_of(gpu, "sm"), NULL, 10);
    return sm >= 100 ? 40.1 : sm >= 90 ? 20.6 : sm == 86 ? 12 : sm >= 70 ? 20 : sm >= 60 ? 18 : 0;
}

/* gfx90a is 910 in older files. */
static double xgmi_GBps(const xmlNode *gpu)
{
    const char *gcn = value_of(gpu, "gcn");
    gcn += strncmp(gcn, "gfx", 3) == 0 ? 3 : 0;
    if (strncmp(gcn, "90a", 3) == 0 || strcmp(gcn, "910") == 0)
        return 36;
    return strncmp(gcn, "94", 2) == 0 ? 48 : strncmp(gcn, "90", 2) == 0 ? 24 : 0;
}

static double pcie_GBps(const xmlNode *gpu)
{
    double least = 0;
    for (const xmlNode *pci = gpu->parent; is(pci, "pci"); pci = pci->parent) {
        const double speed = strtod(value_of(pci, "link_speed"), NULL);
        const double lanes = strtod(value_of(pci, "link_width"), NULL);
        const double GBps = speed * (speed < 8 ? 0.6 : 0.75) * lanes / 8;
        if (speed > 0 && speed < 1000 && lanes >= 1 && lanes <= MOST_LANES &&
            (least == 0 || GBps < least))
            least = GBps;
    }
    return least;
}

/* Some files join a GPU to itself, by which it reaches no other. */
static int add_gpu(struct node *node, const xmlNode *element)
{
    const char *busid = value_of(element->parent, "busid");
    struct gpu gpu = {0};
    for (const xmlNode *link = element->children; link != NULL; link = link->next) {
        struct sup_error why;
        int64_t count;
        if (!is(link, "nvlink") && !is(link, "xgmi"))
            continue;
        if (sup_parse_int(value_of(link, "count"), 1, MOST_COUNT, &count, &why) != RB_OK)
            return sup_fail(node->error, RB_EINVAL, "%s:%ld: count: %s", node->path,
                            xmlGetLineNo(link), why.text);
        if (*busid != '\0' && strcmp(value_of(link, "target"), busid) == 0)
            continue;
        gpu = is(link, "xgmi") ? (struct gpu){"xgmi", gpu.links + count, xgmi_GBps(element)}
                               : (struct gpu){"nvlink", gpu.links + count, nvlink_GBps(element)};
    }
    if (gpu.links == 0)
        gpu = (struct gpu){"pci", 1, pcie_GBps(element)};
    if (node->gpus++ == 0 || GBps_of(&gpu) < GBps_of(&node->least))
        node->least = gpu;
    return RB_OK;
}

/* A speed that is given beside the file counts for all. */
static int add_net(struct node *node, const xmlNode *element, bool given)
{
    struct sup_error why;
    int64_t mbps;
    node->nets++;
    if (given)
        return RB_OK;
    if (sup_parse_int(value_of(element, "speed"), 1, MOST_MBPS, &mbps, &why) != RB_OK)
        return sup_fail(node->error, RB_EINVAL,
                        "%s:%ld: speed of <net>, in Mb/s: %s; or give bandwidth=", node->path,
                        xmlGetLineNo(element), why.text);
    if (node->mbps > 0 && mbps != node->mbps)
        return sup_fail(node->error, RB_EINVAL,
                        "%s:%ld: this <net> has %" PRId64 " Mb/s, another %" PRId64
                        ": give bandwidth=, and nics= if some don't belong to the cluster",
                        node->path, xmlGetLineNo(element), mbps, node->mbps);
    node->mbps = mbps;
    return RB_OK;
}

static int read_elements(struct node *node, const xmlNode *element, bool given)
{
    int status = RB_OK;
    while (element != NULL && status == RB_OK) {
        if (is(element, "gpu"))
            status = add_gpu(node, element);
        else if (is(element, "net"))
            status = add_net(node, element, given);
        if (element->type == XML_ELEMENT_NODE && element->children != NULL) {
            element = element->children;
            continue;
        }
        while (element != NULL && element->next == NULL)
            element = element->parent;
        element = element == NULL ? NULL : element->next;
    }
    return status;
}

static int read_tree(struct node *node, const char *text, bool given)
{
    struct platform_xml_errors errors;
    int status;
    platform_xml_errors_begin(&errors);
    xmlResetLastError();
    xmlDoc *tree = xmlReadMemory(text, (int)strlen(text), NULL, NULL, XML_PARSE_NONET);
    const xmlError *fault = xmlGetLastError();
    if (fault != NULL)
        status = sup_fail(node->error, RB_EINVAL, "%s:%d: not XML: %.*s", node->path, fault->line,
                          sup_first_line(fault->message), fault->message);
    else if (tree == NULL || tree->intSubset != NULL || !is(xmlDocGetRootElement(tree), "system"))
        status = sup_fail(node->error, RB_EINVAL,
                          "%s: not a topology of NCCL, which begins with <system>", node->path);
    else
        status = read_elements(node, xmlDocGetRootElement(tree), given);
    xmlFreeDoc(tree);
    platform_xml_errors_end();
    return status;
}

static int read_file(struct node *node, bool given)
{
    struct sup_lines lines = {0};
    struct stat about;
    if (stat(node->path, &about) != 0)
        return sup_fail(node->error, RB_EINVAL, "%s: %s", node->path, strerror(errno));
    if (!S_ISREG(about.st_mode) || about.st_size > MOST_BYTES)
        return sup_fail(node->error, RB_EINVAL, "%s: not a file of at most 16 MiB", node->path);
    int status = sup_input("topology", node->path, node->error);
    if (status == RB_OK)
        status = sup_lines_read(&lines, node->path, node->error);
    if (status == RB_OK)
        status = read_tree(node, lines.next, given);
    free(lines.text);
    return status;
}

/* ---- Options ---- */

/* Says in `taken` what holds, or in one message all that is missing. */
static int take_values(struct platform_request *request, const struct node *node, int64_t hosts,
                       char taken[PLATFORM_TAKEN_SIZE])
{
    char speed[40], links[120], missing[256] = "";
    const struct gpu *gpu = &node->least;
    const struct {
        const char *option, *unit, *why, *what; /* what is missing if the value is 0 */
        double value;
    } items[] = {
        {"nics", "", "net", "<net>", (double)node->nets},
        {"bandwidth", "GBps", speed, "<net speed>", (double)node->mbps / 8000},
        {"inner-bandwidth", "GBps", links,
         node->gpus == 0 ? "<gpu>" : "known <nvlink>, <xgmi> or <pci link_speed> of a <gpu>",
         (double)node->gpus * GBps_of(gpu) / (double)hosts},
    };
    snprintf(taken, PLATFORM_TAKEN_SIZE, "%.180s: ", node->path);
    snprintf(speed, sizeof speed, "%" PRId64 " Mb/s", node->mbps);
    snprintf(links, sizeof links, "%" PRId64 " gpu x %" PRId64 " %s x %.9g GB/s / %" PRId64 " nics",
             node->gpus, gpu->links, gpu->kind, gpu->each_GBps, hosts);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        const char *option = items[i].option, *why = items[i].why;
        if (platform_request_gives(request, option))
            why = "given";
        else if (items[i].value > 0)
            platform_request_fill(request, option, items[i].value, items[i].unit);
        else
            sup_append(missing, sizeof missing, ", ", "no %s (give %s=)", items[i].what, option);
        if (*missing == '\0')
            sup_append(taken, PLATFORM_TAKEN_SIZE, i == 0 ? "" : ", ", "%s=%.40s (%s)", option,
                       platform_request_detail(request, option), why);
    }
    return *missing == '\0'
               ? RB_OK
               : sup_fail(node->error, RB_EINVAL, "%s: it has %s", node->path, missing);
}

int platform_take_topology(struct platform_request *request, char taken[PLATFORM_TAKEN_SIZE],
                           struct sup_error *error)
{
    struct node node = {.path = platform_request_detail(request, "topology"), .error = error};
    const char *x = strchr(request->size, 'x');
    int32_t nics = 0;
    if (node.path == NULL)
        return RB_OK;
    if (x != NULL && !platform_request_gives(request, "nics"))
        platform_request_fill(request, "nics", strtod(x + 1, NULL), "");
    int status = platform_request_int(request, "nics", 1, &nics, error);
    if (status == RB_OK)
        status = read_file(&node, platform_request_gives(request, "bandwidth"));
    const int64_t hosts = nics > 0 ? nics : node.nets > 0 ? node.nets : 1;
    return status == RB_OK ? take_values(request, &node, hosts, taken) : status;
}
