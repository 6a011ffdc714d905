/* topology.c - what of a cluster the output of other programs says (recommend.h).
 *
 *   sinfo -N -o "%N %c"  NODELIST CPUS          a line per node, and per partition that has it
 *   lstopo               Core L#0 + PU L#0      as text; in XML <object type="Core" ...>
 *   ibnetdiscover        Ca 1 "H-00025..." # "node01 HCA-1"
 *                        Switch 36 "S-0002..." # "..."
 *                        [1] "H-0002..."[1](2c9..) # "node01 HCA-1" lid 5 4xHDR
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recommend/recommend.h"
#include "support/memory.h"
#include "support/units.h"

enum { NO_KIND, SINFO, LSTOPO, IBNET };
enum { MOST_NODES = 1 << 20, MOST_PPN = 1 << 16, NAME = 80 };

struct reading {
    const char *path;
    int line, kind;
    char (*name)[NAME]; /* of nodes, some of them several times */
    size_t names;
    int64_t cores;    /* the least of a node */
    double gbps;      /* the fastest link of a node */
    bool at_switch;   /* the links that follow are of a switch */
    int32_t at, leaf; /* nodes at this switch, and at the one that has most */
    struct sup_error *error;
};

static void add_name(struct reading *reading, const char *name, size_t length)
{
    sup_grow(&reading->name, reading->names, sizeof *reading->name);
    snprintf(reading->name[reading->names++], NAME, "%.*s",
             (int)(length < NAME ? length : NAME - 1), name);
}

/* ---- sinfo ----------------------------------------------------------------------------------- */

static int read_sinfo(struct reading *reading, const char *line)
{
    char name[NAME], count[NAME], rest;
    int64_t cores;
    if (sscanf(line, "%79s %79s %c", name, count, &rest) != 2)
        return sup_fail(reading->error, RB_EINVAL,
                        "%s, line %d: a line of sinfo -N -o \"%%N %%c\" is a node and its "
                        "processors",
                        reading->path, reading->line);
    if (strcmp(count, "CPUS") == 0)
        return RB_OK;
    if (sup_parse_int(count, 1, MOST_PPN, &cores, NULL) != RB_OK)
        return sup_fail(reading->error, RB_EINVAL,
                        "%s, line %d: processors: \"%s\" is not from 1 to %d", reading->path,
                        reading->line, count, MOST_PPN);
    add_name(reading, name, strlen(name));
    if (reading->cores == 0 || cores < reading->cores)
        reading->cores = cores;
    return RB_OK;
}

/* ---- ibnetdiscover --------------------------------------------------------------------------- */

/* Gbit/s of data of one lane. */
static const struct {
    const char *name;
    double gbps;
} lanes[] = {{"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", 13.64},
             {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};

/* "4xHDR", the last word of a link's line. */
static double speed_of(const char *line)
{
    const char *word = strrchr(line, ' ');
    char name[8];
    int width;
    if (word != NULL && sscanf(word, " %2dx%7s", &width, name) == 2)
        for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
            if (strcmp(lanes[i].name, name) == 0 && width >= 1 && width <= 12)
                return width * lanes[i].gbps;
    return 0;
}

/* Adapters of one node are told by what stands before " HCA-1" or " mlx5_0" in their description;
 * others count for themselves. Aggregation nodes of switches are none. */
static void read_adapter(struct reading *reading, const char *line)
{
    const char *guid = strstr(line, "\"H-"), *text = strstr(line, "# \"");
    const char *end = text == NULL ? NULL : strstr(text, " HCA-");
    if (text != NULL && end == NULL)
        end = strstr(text, " mlx");
    if (guid == NULL || strstr(line, "Aggregation Node") != NULL)
        return;
    if (end != NULL)
        add_name(reading, text + 3, (size_t)(end - text - 3));
    else
        add_name(reading, guid + 1, strcspn(guid + 1, "\""));
}

static void read_ibnet(struct reading *reading, const char *line)
{
    const bool end = strncmp(line, "Ca", 2) == 0 || strncmp(line, "Rt", 2) == 0;
    if (end || strncmp(line, "Switch", 6) == 0) {
        reading->at_switch = !end;
        reading->at = 0;
        if (line[0] == 'C')
            read_adapter(reading, line);
    } else if (line[0] == '[' && reading->at_switch && strstr(line, "\"H-") != NULL &&
               strstr(line, "Aggregation Node") == NULL) {
        const double gbps = speed_of(line);
        reading->leaf = ++reading->at > reading->leaf ? reading->at : reading->leaf;
        reading->gbps = gbps > reading->gbps ? gbps : reading->gbps;
    }
}

/* ---- lstopo ---------------------------------------------------------------------------------- */

static void read_lstopo(struct reading *reading, const char *line)
{
    static const char *const words[] = {"type=\"Core\"", "Core L#", "Core P#"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = line; (at = strstr(at, words[i])) != NULL; at++)
            reading->cores++;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int kind_of(const char *line)
{
    char name[NAME], count[NAME], rest;
    int64_t cores;
    const bool two = sscanf(line, "%79s %79s %c", name, count, &rest) == 2;
    if (two &&
        (strcmp(count, "CPUS") == 0 || sup_parse_int(count, 1, MOST_PPN, &cores, NULL) == RB_OK))
        return SINFO;
    if (strncmp(line, "Machine", 7) == 0 || strstr(line, "<topology") != NULL)
        return LSTOPO;
    return strstr(line, "# Topology file:") != NULL || strncmp(line, "vendid=", 7) == 0 ? IBNET
                                                                                        : NO_KIND;
}

static int read_line(struct reading *reading, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    reading->line++;
    if (reading->kind == NO_KIND)
        reading->kind = kind_of(line);
    if (reading->names > 8 * (size_t)MOST_NODES || reading->cores > MOST_PPN)
        return sup_fail(reading->error, RB_EINVAL, "%s, line %d: more than %d nodes, or %d cores",
                        reading->path, reading->line, MOST_NODES, MOST_PPN);
    if (reading->kind == SINFO && line[strspn(line, " \t")] != '\0')
        return read_sinfo(reading, line);
    if (reading->kind == LSTOPO)
        read_lstopo(reading, line);
    else if (reading->kind == IBNET)
        read_ibnet(reading, line);
    return RB_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int32_t count_names(struct reading *reading)
{
    int32_t count = 0;
    if (reading->names > 1)
        qsort(reading->name, reading->names, NAME, by_name);
    for (size_t i = 0; i < reading->names; i++)
        count += i == 0 || strcmp(reading->name[i - 1], reading->name[i]) != 0;
    return count;
}

static int take(struct reading *reading, struct recommend_cluster *cluster)
{
    const int32_t nodes = count_names(reading);
    if (nodes == 0 && reading->cores == 0)
        return sup_fail(reading->error, RB_EINVAL,
                        "%s: has no nodes or cores: it must be the output of sinfo -N -o \"%%N "
                        "%%c\", lstopo or ibnetdiscover",
                        reading->path);
    if (cluster->nodes == 0)
        cluster->nodes = nodes > MOST_NODES ? MOST_NODES : nodes;
    if (cluster->ppn == 0)
        cluster->ppn = (int32_t)reading->cores;
    if (cluster->nic == NULL && reading->gbps > 0) {
        snprintf(cluster->read_nic, sizeof cluster->read_nic, "%gGbps", reading->gbps);
        cluster->nic = cluster->read_nic;
    }
    if (cluster->leaf == 0)
        cluster->leaf = reading->leaf;
    return RB_OK;
}

int recommend_read_topology(const char *path, struct recommend_cluster *cluster,
                            struct sup_error *error)
{
    struct reading reading = {.path = path, .error = error};
    char *line = NULL;
    size_t room = 0;
    int status = RB_OK;
    FILE *stream = sup_got(fopen(path, "r"));
    if (stream == NULL)
        return sup_fail(error, RB_EINVAL, "--topology: %s: %s", path, strerror(errno));
    while (status == RB_OK && sup_got(getline(&line, &room, stream) > 0 ? line : NULL) != NULL)
        status = read_line(&reading, line);
    if (status == RB_OK && ferror(stream))
        status = sup_fail(error, RB_EIO, "--topology: %s: %s", path, strerror(errno));
    if (status == RB_OK)
        status = take(&reading, cluster);
    fclose(stream);
    free(line);
    free(reading.name);
    return status;
}
