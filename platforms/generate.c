/* generate.c - the registry of platform generators, and functions for platforms' names. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "generator.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

static const struct platform_maker *const makers[] = {
#define PLATFORM_GENERATOR(name) &name,
#include "list.h"
#undef PLATFORM_GENERATOR
};
static const struct platform_machine *const machines[] = {
#define PLATFORM_MACHINE(name) &name,
#include "list.h"
#undef PLATFORM_MACHINE
};
enum {
    MAKERS = sizeof makers / sizeof makers[0],
    MACHINES = sizeof machines / sizeof machines[0],
    FACES = MAKERS + MACHINES
};

const struct platform_generator *platform_generator_at(int32_t i)
{
    if (i < 0 || i >= FACES)
        return NULL;
    return i < MAKERS ? &makers[i]->face : &machines[i - MAKERS]->face;
}

static void list_names(const char *names[FACES])
{
    for (int32_t i = 0; i < FACES; i++)
        names[i] = platform_generator_at(i)->name;
}

/* The machine that text names, with or without a size, or NULL. */
static const struct platform_machine *find_machine(const char *text)
{
    const size_t length = strcspn(text, ":,");
    for (int32_t i = 0; i < MACHINES; i++)
        if (strlen(machines[i]->face.name) == length &&
            strncmp(text, machines[i]->face.name, length) == 0)
            return machines[i];
    return NULL;
}

/* True for a file whose first text is a number, as in lists of cables; XML begins with <. */
static bool is_edge_list(const char *path)
{
    struct stat about;
    FILE *file =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) ? sup_got(fopen(path, "r")) : NULL;
    int next = file == NULL ? EOF : fgetc(file);
    while (next == '#' || (next != EOF && isspace(next))) {
        for (const bool comment = next == '#'; comment && next != EOF && next != '\n';)
            next = fgetc(file);
        next = fgetc(file);
    }
    if (file != NULL)
        fclose(file);
    return next != EOF && isdigit(next);
}

bool platform_is_generated(const char *text)
{
    const size_t name = strcspn(text, ":/");
    if (access(text, F_OK) == 0)
        return is_edge_list(text);
    return (text[name] == ':' && name > 0) || find_machine(text) != NULL;
}

/* ---- Names as people write them -------------------------------------------------------------- */

/* Names of technologies and short names of machines. */
static const char *const other_names[][2] = {
    {"infiniband", "fat-tree"}, {"ib", "fat-tree"},       {"ethernet", "fat-tree"},
    {"roce", "fat-tree"},       {"omnipath", "fat-tree"}, {"slingshot", "dragonfly"},
    {"aries", "dragonfly"},     {"h100", "dgx-h100"},     {"b200", "dgx-b200"},
    {"gb200", "gb200-nvl72"},   {"nvl72", "gb200-nvl72"}, {"marenostrum", "marenostrum5"},
};
enum { OTHER_NAMES = sizeof other_names / sizeof other_names[0] };

/* Do the names differ in capitals, blanks, dashes and underscores alone? */
static bool is_same_name(const char *text, size_t length, const char *name)
{
    static const char ignored[] = " -_";
    for (size_t i = 0;; i++, name++) {
        while (i < length && strchr(ignored, text[i]) != NULL)
            i++;
        name += strspn(name, ignored);
        if (i == length || tolower((unsigned char)text[i]) != *name)
            return i == length && *name == '\0';
    }
}

char *platform_usual(const char *text)
{
    const size_t length = strcspn(text, ":,");
    const char *usual = NULL;
    for (int32_t i = 0; i < FACES && usual == NULL; i++)
        if (is_same_name(text, length, platform_generator_at(i)->name))
            usual = platform_generator_at(i)->name;
    for (int32_t i = 0; i < OTHER_NAMES && usual == NULL; i++)
        if (is_same_name(text, length, other_names[i][0]))
            usual = other_names[i][1];
    return usual == NULL || access(text, F_OK) == 0 ? sup_strdup(text)
                                                    : sup_format("%s%s", usual, text + length);
}

/* A generator's name and options with this size; NULL: it has not so many hosts. */
static char *with_size(const char *text, const char *size, int32_t hosts)
{
    struct platform_cluster cluster;
    struct sup_error why;
    const int name = (int)strcspn(text, ",");
    char *sized = sup_format("%.*s:%s%s", name, text, size, text + name);
    if (platform_make_cluster(sized, &cluster, &why) == RB_OK && cluster.who.count >= hosts)
        return sized;
    free(sized);
    return NULL;
}

char *platform_smallest(const char *text, int32_t hosts)
{
    enum { MOST_TRIES = 10000 };
    char size[40], *sized = NULL;
    int32_t a = 2, b;
    if (text[strcspn(text, ":/.")] != '\0' || find_machine(text) != NULL)
        return NULL;
    while ((int64_t)a * a * a < hosts)
        a++;
    for (b = 2; (int64_t)a * b * b < hosts;)
        b++;
    const int32_t c = (hosts + a * b - 1) / (a * b);
    snprintf(size, sizeof size, "%" PRId32 "x%" PRId32 "x%" PRId32, c < 2 ? 2 : c, b, a);
    sized = with_size(text, size, hosts);
    char *node = with_size(text, "2", 16); /* of rails, which has eight hosts */
    const int32_t n = node == NULL ? hosts : (hosts - 1) / 8 + 1;
    free(node);
    for (int32_t i = 0; sized == NULL && i < MOST_TRIES; i++) {
        snprintf(size, sizeof size, "%" PRId32, (n < 2 ? 2 : n) + i);
        sized = with_size(text, size, hosts);
    }
    return sized;
}

/* The maker of the generator or machine that text names, or NULL and a message. */
static const struct platform_maker *find_maker(const char *text, struct sup_error *error)
{
    const struct platform_machine *machine = find_machine(text);
    const char *names[FACES];
    char name[64];
    if (machine != NULL)
        return machine->base;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    for (int32_t i = 0; i < MAKERS; i++)
        if (strcmp(name, makers[i]->face.name) == 0)
            return makers[i];
    list_names(names);
    const char *nearest = sup_nearest_word(name, names, FACES);
    if (nearest != NULL) {
        sup_fail(error, RB_EINVAL, "there is no platform generator '%s': did you mean '%s'?", name,
                 nearest);
        return NULL;
    }
    char all[256] = "";
    for (int32_t i = 0; i < FACES; i++)
        sup_append(all, sizeof all, ", ", "%s", names[i]);
    sup_fail(error, RB_EINVAL, "there is no platform generator '%s': there are %s", name, all);
    return NULL;
}

/* PLATFORM_LINK_OPTIONS, and others of links that the generator has. */
static int take_links(const struct platform_request *request, struct platform_cluster *cluster,
                      struct sup_error *error)
{
    const struct {
        const char *name;
        int (*parse)(const char *text, double *value, struct sup_error *error);
        double *value;
    } details[] = {
        {"bandwidth", sup_parse_bandwidth, &cluster->bandwidth},
        {"latency", sup_parse_seconds, &cluster->latency_s},
        {"loopback-bandwidth", sup_parse_bandwidth, &cluster->loopback_bandwidth},
        {"loopback-latency", sup_parse_seconds, &cluster->loopback_latency_s},
        {"inner-bandwidth", sup_parse_bandwidth, &cluster->inner_bandwidth},
        {"inner-latency", sup_parse_seconds, &cluster->inner_latency_s},
        {"hop-latency", sup_parse_seconds, &cluster->hop_latency_s},
    };
    for (size_t i = 0; i < sizeof details / sizeof details[0]; i++) {
        struct sup_error why;
        const char *name = details[i].name, *text = platform_request_detail(request, name);
        if (text != NULL && details[i].parse(text, details[i].value, &why) != RB_OK)
            return sup_fail(error, RB_EINVAL, "%s: %s: %s", request->face->name, name, why.text);
    }
    return RB_OK;
}

/* The memory of hosts. Only the formula knows it, or the XML that lists all routes. */
static int take_memory(const struct platform_request *request, struct platform_cluster *cluster,
                       struct sup_error *error)
{
    const char *bandwidth = platform_request_detail(request, "memory-bandwidth");
    const char *traffic = platform_request_detail(request, "memory-traffic");
    const char *generator = request->face->name;
    struct sup_error why;
    cluster->memory_of_all = strcmp(traffic, "all") == 0;
    if (!cluster->memory_of_all && strcmp(traffic, "inside") != 0)
        return sup_fail(error, RB_EINVAL, "%s: memory-traffic: '%s' is neither inside nor all",
                        generator, traffic);
    if (strcmp(bandwidth, "none") == 0)
        return cluster->memory_of_all
                   ? sup_fail(error, RB_EINVAL,
                              "%s: memory-traffic=all: give the memory-bandwidth, too", generator)
                   : RB_OK;
    if (sup_parse_bandwidth(bandwidth, &cluster->memory_bandwidth, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "%s: memory-bandwidth: %s; or none", generator, why.text);
    cluster->topology = NULL;
    return RB_OK;
}

/* The number of a machine's nodes; the request's size becomes that of its base. */
static int take_nodes(struct platform_request *request, const struct platform_machine *machine,
                      int32_t *nodes, struct sup_error *error)
{
    if (machine->terminals == NULL)
        return RB_OK;
    const int status = platform_request_hosts(request, 1, nodes, error);
    if (status == RB_OK && *nodes > machine->nodes)
        return sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": the machine has %" PRId32 " nodes",
                        machine->face.name, *nodes, machine->nodes);
    request->size = machine->terminals;
    return status;
}

/* Says whose the hosts are. Of a machine, only the formula knows the routes. */
static void take_hosts(const struct platform_machine *machine, int32_t nodes,
                       struct platform_cluster *cluster)
{
    struct platform_hosts *who = &cluster->who;
    *who = (struct platform_hosts){.count = nodes > 0 ? nodes : cluster->hosts,
                                   .terminals = cluster->hosts,
                                   .machine = machine};
    if (machine == NULL)
        return;
    cluster->topology = NULL;
    if (machine->terminals != NULL)
        return;
    who->sides = cluster->shape[0];
    memcpy(who->side, cluster->shape + 1, (size_t)who->sides * sizeof *who->side);
}

static bool is_damaged(const struct platform_cluster *cluster)
{
    return cluster->fail[0] != '\0' || cluster->slow[0] != '\0';
}

/* With all hosts, and without memory. */
static int lay_healthy(const struct platform_cluster *cluster, struct platform_network **network)
{
    struct platform_hosts who = cluster->who;
    const int status = cluster->maker->lay(cluster, network);
    who.count += who.gones;
    who.gones = 0;
    if (status == RB_OK && who.machine != NULL)
        *network = platform_machine_network(&who, *network);
    return status;
}

/* Damage, of which only the formula knows the routes. */
static int take_damage(const struct platform_request *request, struct platform_cluster *cluster,
                       struct sup_error *error)
{
    struct platform_network *network = NULL;
    const char *const names[] = {"fail", "slow"};
    char *const texts[] = {cluster->fail, cluster->slow};
    for (size_t i = 0; i < 2; i++) {
        const char *text = platform_request_detail(request, names[i]);
        if (strlen(text) >= PLATFORM_DAMAGE_SIZE)
            return sup_fail(error, RB_EINVAL, "%s: %s: longer than %d characters",
                            request->face->name, names[i], PLATFORM_DAMAGE_SIZE - 1);
        if (strcmp(text, "none") != 0)
            strcpy(texts[i], text);
    }
    if (!is_damaged(cluster))
        return RB_OK;
    cluster->topology = NULL;
    cluster->wire = NULL;
    int status = lay_healthy(cluster, &network);
    status = status == RB_OK ? platform_damage(cluster, &network, &cluster->who, error)
                             : sup_fail(error, RB_EINVAL, "%s: more than %d links", cluster->name,
                                        PLATFORM_MOST_LINKS);
    platform_network_destroy(network);
    return status;
}

int platform_make_cluster(const char *text, struct platform_cluster *cluster,
                          struct sup_error *error)
{
    struct platform_request request = {0};
    const bool listed = access(text, F_OK) == 0;
    char *named = listed ? sup_format("%s:%s", platform_edges.face.name, text) : NULL;
    const struct platform_maker *maker = listed ? &platform_edges : find_maker(text, error);
    const struct platform_machine *machine = listed ? NULL : find_machine(text);
    int32_t nodes = 0;
    if (maker == NULL)
        return RB_EINVAL;
    int status =
        platform_request_parse(listed ? named : text, &maker->face, machine, &request, error);
    free(named);
    *cluster = (struct platform_cluster){.maker = maker, .name = request.face->name};
    if (status == RB_OK)
        status = platform_take_topology(&request, cluster->taken, error);
    if (status == RB_OK && machine != NULL)
        status = take_nodes(&request, machine, &nodes, error);
    if (status == RB_OK)
        status = maker->shape(&request, cluster, error);
    if (status == RB_OK) {
        take_hosts(machine, nodes, cluster);
        status = take_links(&request, cluster, error);
    }
    if (status == RB_OK)
        status = take_memory(&request, cluster, error);
    if (status == RB_OK)
        status = take_damage(&request, cluster, error);
    free(request.copy);
    return status;
}

/* True if SimGrid makes the routes of the cluster's XML. */
static bool is_simgrids(const struct platform_cluster *cluster)
{
    return cluster->topology != NULL || cluster->wire != NULL;
}

int platform_lay_network(const char *text, const struct platform_cluster *cluster,
                         struct platform_network **network, struct sup_error *error)
{
    struct platform_hosts who = cluster->who;
    int status = lay_healthy(cluster, network);
    if (status == RB_OK && is_damaged(cluster))
        status = platform_damage(cluster, network, &who, error);
    if (status == RB_OK && cluster->memory_bandwidth > 0)
        status = platform_network_add_memory(cluster, *network);
    if (status == RB_OK)
        return RB_OK;
    platform_network_destroy(*network);
    *network = NULL;
    return sup_fail(error, RB_EINVAL, "%s: more than %d links", text, PLATFORM_MOST_LINKS);
}

/* Lists the routes that SimGrid doesn't make. */
static int write_routes(const char *text, const struct platform_cluster *cluster,
                        xmlBufferPtr buffer, struct sup_error *error)
{
    struct platform_network *network = NULL;
    if (cluster->routing.per_message)
        return sup_fail(error, RB_EINVAL,
                        "%s: SimGrid's XML has one route for each pair of hosts, and this routing "
                        "chooses one for each message: leave out routing=, or use it with --engine "
                        "flow",
                        text);
    if (cluster->who.count > PLATFORM_MOST_LISTED_HOSTS)
        return sup_fail(error, RB_EINVAL,
                        "%s: SimGrid has no such routes, and its XML would list those of all pairs "
                        "of hosts: at most %d hosts can be written",
                        text, PLATFORM_MOST_LISTED_HOSTS);
    int status = platform_lay_network(text, cluster, &network, error);
    if (status == RB_OK && network->links > PLATFORM_MOST_LISTED_LINKS)
        status = sup_fail(error, RB_EINVAL,
                          "%s: its XML would list %" PRId32 " links: at most %d can be written",
                          text, network->links, PLATFORM_MOST_LISTED_LINKS);
    if (status == RB_OK)
        platform_routes_write(cluster, network, buffer);
    platform_network_destroy(network);
    return status;
}

/* The writer continues after a failed call, for which lack of memory is the only possible reason.
 */
int platform_make_xml(const char *text, char **xml, size_t *size, struct sup_error *error)
{
    struct platform_cluster cluster;
    struct platform_xml_errors errors;
    *xml = NULL;
    int status = platform_make_cluster(text, &cluster, error);
    if (status != RB_OK)
        return status;
    platform_xml_errors_begin(&errors);
    xmlBufferPtr buffer = xmlBufferCreate();
    if (buffer == NULL)
        sup_no_memory();
    if (is_simgrids(&cluster))
        platform_cluster_write(&cluster, buffer);
    else
        status = write_routes(text, &cluster, buffer, error);
    if (errors.any)
        sup_no_memory();
    if (status == RB_OK) {
        *xml = sup_strdup((const char *)xmlBufferContent(buffer));
        *size = strlen(*xml);
    }
    xmlBufferFree(buffer);
    platform_xml_errors_end();
    return status;
}

char *platform_healthy(const char *text)
{
    char *healthy = platform_is_generated(text) ? sup_strdup(text) : NULL;
    bool any = false;
    for (char *at = healthy == NULL ? NULL : strchr(healthy, ','); at != NULL;) {
        char *next = strchr(at + 1, ',');
        const bool is_damage = strncmp(at, ",fail=", 6) == 0 || strncmp(at, ",slow=", 6) == 0;
        if (!is_damage || strncmp(at + 6, "none", strcspn(at + 6, ",")) == 0) {
            at = next;
            continue;
        }
        any = true;
        memmove(at, next == NULL ? "" : next, next == NULL ? 1 : strlen(next) + 1);
        at = *at == ',' ? at : NULL;
    }
    if (any)
        return healthy;
    free(healthy);
    return NULL;
}

int platform_find_links(const char *text, struct platform_links *links, struct sup_error *error)
{
    struct platform_cluster cluster;
    const int status = platform_make_cluster(text, &cluster, error);
    if (status == RB_OK)
        *links = (struct platform_links){.hosts = cluster.who.count,
                                         .bandwidth = cluster.bandwidth,
                                         .latency_s = cluster.latency_s,
                                         .loopback_bandwidth = cluster.loopback_bandwidth,
                                         .loopback_latency_s = cluster.loopback_latency_s,
                                         .memory_bandwidth = cluster.memory_bandwidth,
                                         .contended =
                                             cluster.inner_links || cluster.latency_per_hop ||
                                             is_damaged(&cluster) || cluster.memory_bandwidth > 0};
    return status;
}

int platform_find_cuts(const char *text, struct platform_cuts *cuts, struct sup_error *error)
{
    struct platform_cluster cluster;
    *cuts = (struct platform_cuts){0};
    if (!platform_is_generated(text))
        return sup_fail(error, RB_EINVAL, "%s: the cuts of a file are not known", text);
    const int status = platform_make_cluster(text, &cluster, error);
    if (status == RB_OK) {
        const int32_t ports = cluster.ports > 1 ? cluster.ports : 1;
        *cuts = (struct platform_cuts){
            .who = cluster.who,
            .message_bandwidth = cluster.bandwidth,
            .latency_s = cluster.latency_s,
            .loopback_bandwidth = cluster.memory_bandwidth > 0
                                      ? fmin(cluster.loopback_bandwidth, cluster.memory_bandwidth)
                                      : cluster.loopback_bandwidth,
            .loopback_latency_s = cluster.loopback_latency_s,
            .memory_bandwidth = cluster.memory_bandwidth,
            .memory_of_all = cluster.memory_of_all,
            .irregular = is_damaged(&cluster) || cluster.file[0] != '\0' ||
                         platform_machine_links_differ(&cluster.who),
            .grid = {.hop_s = cluster.latency_per_hop ? cluster.latency_s : cluster.hop_latency_s},
            .count = 1,
            .cut = {{.name = "host", .terminals = 1, .bandwidth = cluster.bandwidth * ports}}};
        if (cluster.maker->cut != NULL)
            cluster.maker->cut(&cluster, cuts);
    }
    return status;
}

int platform_find_hosts(const char *text, struct platform_hosts *hosts, struct sup_error *error)
{
    struct platform_cluster cluster;
    const int status = platform_make_cluster(text, &cluster, error);
    if (status == RB_OK)
        *hosts = cluster.who;
    return status;
}

int platform_find_taken(const char *text, char taken[PLATFORM_TAKEN_SIZE], struct sup_error *error)
{
    struct platform_cluster cluster = {.taken = ""};
    const int status = platform_make_cluster(text, &cluster, error);
    memcpy(taken, cluster.taken, PLATFORM_TAKEN_SIZE);
    return status;
}

int platform_find_group(const char *text, const char *what, int32_t *terminals,
                        struct sup_error *error)
{
    struct platform_cluster cluster;
    int status = platform_make_cluster(text, &cluster, error);
    if (status == RB_OK && (cluster.share == NULL || strcmp(cluster.share, what) != 0))
        status = sup_fail(error, RB_EINVAL, "groups: hosts of %s share no %s: %s%s", text, what,
                          cluster.share == NULL ? "give sizes" : "they share a ",
                          cluster.share == NULL ? "" : cluster.share);
    *terminals = status == RB_OK ? cluster.sharers : 0;
    return status;
}

int platform_network_create(const char *text, struct platform_network **network,
                            struct sup_error *error)
{
    struct platform_cluster cluster;
    *network = NULL;
    int status = platform_make_cluster(text, &cluster, error);
    return status == RB_OK ? platform_lay_network(text, &cluster, network, error) : status;
}

int platform_network_is_simgrids(const char *text, bool *yes, struct sup_error *error)
{
    struct platform_cluster cluster;
    const int status = platform_make_cluster(text, &cluster, error);
    *yes = status == RB_OK && is_simgrids(&cluster);
    return status;
}

/* True if the generator's size is that of its sides, as in torus:AxB. */
static bool is_of_sides(const char *name)
{
    const char *sizes = "";
    for (int32_t i = 0; i < FACES; i++)
        if (strcmp(platform_generator_at(i)->name, name) == 0)
            sizes = platform_generator_at(i)->sizes;
    const size_t first = strcspn(sizes, ":");
    return strncmp(sizes + first, ":AxB", 4) == 0;
}

static int refuse_path(const char *text, int reason, struct sup_error *error)
{
    const char *names[FACES];
    list_names(names);
    const char *nearest = sup_nearest_word(text, names, FACES);
    if (reason == ENOENT && nearest != NULL && strchr(text, '/') == NULL)
        return sup_fail(error, RB_EINVAL,
                        "'%s' is no file; the generator is written with a size, as in %s:%s", text,
                        nearest, is_of_sides(nearest) ? "8x8" : "64");
    return sup_fail(error, RB_EINVAL, "%s: %s", text, strerror(reason));
}

static int hash_file(const char *path, uint64_t *hash, struct sup_error *error)
{
    char buffer[4096];
    size_t got;
    struct stat kind;
    /* It is read several times, which a pipe can't be, and to its end, which a device may lack. */
    if (stat(path, &kind) == 0 && !S_ISREG(kind.st_mode) && !S_ISDIR(kind.st_mode))
        return sup_fail(error, RB_EINVAL, "%s: not a file", path);
    FILE *file = sup_got(fopen(path, "r"));
    if (file == NULL)
        return refuse_path(path, errno, error);
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        *hash = sup_hash_bytes(*hash, buffer, got);
    int status = ferror(file) ? sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno)) : RB_OK;
    fclose(file);
    return status;
}

/* Everything on which a network depends that has no XML. */
static uint64_t hash_numbers(const struct platform_cluster *cluster)
{
    char text[512];
    snprintf(text, sizeof text, "%s %d %d %.17g %.17g %.17g %.17g %d:%" PRIu64, cluster->name,
             cluster->who.count, cluster->ports, cluster->bandwidth, cluster->latency_s,
             cluster->loopback_bandwidth, cluster->loopback_latency_s, cluster->routing.rule,
             cluster->routing.seed);
    if (cluster->inner_bandwidth > 0)
        sup_append(text, sizeof text, " ", "%.17g %.17g %.17g", cluster->inner_bandwidth,
                   cluster->inner_latency_s, cluster->hop_latency_s);
    if (cluster->memory_bandwidth > 0)
        sup_append(text, sizeof text, " ", "memory %.17g %d", cluster->memory_bandwidth,
                   cluster->memory_of_all);
    uint64_t hash = sup_hash_bytes(SUP_HASH_START, text, strlen(text));
    if (is_damaged(cluster)) {
        hash = sup_hash_bytes(hash, cluster->fail, strlen(cluster->fail) + 1);
        hash = sup_hash_bytes(hash, cluster->slow, strlen(cluster->slow) + 1);
    }
    return sup_hash_bytes(hash, cluster->shape, sizeof cluster->shape);
}

static int hash_generated(const char *text, uint64_t *hash, struct sup_error *error)
{
    struct platform_cluster cluster;
    char *xml = NULL;
    size_t size;
    int status = platform_make_cluster(text, &cluster, error);
    if (status == RB_OK && !is_simgrids(&cluster)) {
        *hash = hash_numbers(&cluster);
    } else if (status == RB_OK) {
        status = platform_make_xml(text, &xml, &size, error);
        if (status == RB_OK)
            *hash = sup_hash_bytes(*hash, xml, size);
    }
    free(xml);
    return status;
}

int platform_hash_of(const char *text, char hash[17], struct sup_error *error)
{
    uint64_t value = SUP_HASH_START;
    int status;
    if (platform_is_generated(text))
        status = hash_generated(text, &value, error);
    else
        status = hash_file(text, &value, error);
    if (status == RB_OK)
        snprintf(hash, 17, "%016" PRIx64, value);
    return status;
}
