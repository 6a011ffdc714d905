/* platform_survey.c - walks the routes of a platform in a child process (survey.h). */
#include "studies/survey/survey.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/point.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/isolate.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/table.h"

/* ---- Cables ---------------------------------------------------------------------------------- */

static int32_t place_of(struct survey_cables *cables, int32_t i)
{
    while (cables->place[i] != i) {
        cables->place[i] = cables->place[cables->place[i]];
        i = cables->place[i];
    }
    return i;
}

static void meet(struct survey_cables *cables, int32_t i, int32_t j)
{
    cables->place[place_of(cables, i)] = place_of(cables, j);
}

static int32_t tail(int32_t link)
{
    return 2 * link;
}

static int32_t head(int32_t link)
{
    return 2 * link + 1;
}

/* True for one direction of a cable of a SimGrid fat-tree, torus or dragonfly. */
static bool is_cable(const char *name)
{
    static const char *const kinds[] = {"link_from_", "green_link_", "black_link_", "blue_link_"};
    const char *end = strrchr(name, '_');
    if (end == NULL || (strcmp(end, "_UP") != 0 && strcmp(end, "_DOWN") != 0))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strstr(name, kinds[i]) != NULL)
            return true;
    return false;
}

static void cables_init(struct survey_cables *cables, const struct s4u_platform *platform)
{
    int32_t links = s4u_link_count(platform), hosts = s4u_host_count(platform);
    *cables = (struct survey_cables){.links = links, .known = hosts > 1};
    size_t places = 2 * (size_t)links + (size_t)hosts;
    cables->place = sup_calloc(places, sizeof *cables->place);
    for (size_t i = 0; i < places; i++)
        cables->place[i] = (int32_t)i;
    for (int32_t i = 0; i < links; i++) {
        struct s4u_link link;
        s4u_link_describe(platform, i, &link);
        cables->known = cables->known && (is_cable(link.name) || !link.shared);
    }
}

static void cables_free(struct survey_cables *cables)
{
    free(cables->place);
    *cables = (struct survey_cables){0};
}

static void survey_found(struct survey_findings *findings, enum survey_finding kind,
                         const char *format, ...)
{
    if (findings->kind[kind].count++ > 0)
        return;
    va_list values;
    va_start(values, format);
    vsnprintf(findings->kind[kind].example, sizeof findings->kind[kind].example, format, values);
    va_end(values);
}

static void cables_follow(struct survey_cables *cables, const struct s4u_platform *platform,
                          const struct survey_route *route, struct survey_findings *findings)
{
    if (!cables->known || cables->broken || route->count == 0)
        return;
    int32_t here = 2 * cables->links + route->from;
    for (int32_t i = 0; i < route->count; i++) {
        meet(cables, here, tail(route->link[i]));
        here = head(route->link[i]);
    }
    meet(cables, here, 2 * cables->links + route->to);
    for (int32_t i = 0; i < route->count; i++) {
        int32_t link = route->link[i];
        if (place_of(cables, tail(link)) != place_of(cables, head(link)))
            continue;
        struct s4u_link description;
        s4u_link_describe(platform, link, &description);
        survey_found(findings, SURVEY_FIND_BROKEN_ROUTE,
                     "the route from %s to %s can't take link %s, given the routes of other pairs",
                     s4u_host_name(platform, route->from), s4u_host_name(platform, route->to),
                     description.name);
        cables->broken = true;
        return;
    }
}

/* ---- Rules ----------------------------------------------------------------------------------- */

struct kind {
    const char *name;
    const char *meaning; /* and what to do */
};

static const struct kind kinds[SURVEY_FINDINGS] = {
    [SURVEY_FIND_NO_ROUTE] = {"no-route", "a message there aborts the simulation: add a route"},
    [SURVEY_FIND_LOOPBACK] =
        {"no-loopback", "several ranks on a host load its network links, or abort: give the "
                        "cluster loopback_bw and loopback_lat, or the host a route to itself"},
    [SURVEY_FIND_SHARED_DUPLEX] =
        {"shared-duplex",
         "sending while receiving halves both: give the link sharing_policy=\"SPLITDUPLEX\", or a "
         "cluster's backbone bb_sharing_policy=\"FATPIPE\""},
    [SURVEY_FIND_LIMITER] = {"limiter", "a limiter is shared by both directions, and in SimGrid's "
                                        "clusters it sits at switches too: remove limiter_link"},
    [SURVEY_FIND_UNEVEN_LATENCY] =
        {"uneven-latency", "on a link that both share, the route of less latency gets that much "
                           "more bandwidth (CM02): put all latency on the hosts' own links, the "
                           "same on each, or none anywhere"},
    [SURVEY_FIND_UNEVEN_LENGTH] =
        {"uneven-length", "routes there and back differ in length: in a dragonfly of several "
                          "chassis SimGrid routes wrongly inside groups, so use one chassis per "
                          "group; elsewhere see that the routes are meant so"},
    [SURVEY_FIND_REPEATED_LINK] = {"repeated-link",
                                   "the message pays for the link each time: mend the route"},
    [SURVEY_FIND_BROKEN_ROUTE] =
        {"broken-route",
         "some route jumps between switches that no link joins: in a dragonfly of several chassis "
         "SimGrid does so inside groups, so use one chassis per group"},
    [SURVEY_FIND_LATENCY] = {"implausible-latency",
                             "no link of a cluster has it: SimGrid reads a number without a unit "
                             "as seconds: give a unit (lat=\"1us\") or mend the number"},
    [SURVEY_FIND_BANDWIDTH] =
        {"implausible-bandwidth",
         "no link of a cluster has it: SimGrid reads a number without a unit "
         "as bytes per second: give a unit (bw=\"10GBps\") or mend the number"},
};

/* Between hosts halfway round the world light in a fibre takes 0.1 s; a bit crosses 3 cm of it in
 * 0.1 ns. */
static const double least_latency_s = 1e-10, most_latency_s = 0.2;
/* From a tenth of the first Ethernet's to ten times the sum of a rack of GPUs. */
static const double least_bandwidth = 1e5, most_bandwidth = 1e15;

static json_t *findings_json(const struct survey_findings *findings)
{
    json_t *all = json_array();
    for (int32_t i = 0; i < SURVEY_FINDINGS; i++)
        if (findings->kind[i].count > 0)
            json_array_append_new(all,
                                  json_pack("{s:s, s:I, s:o, s:s}", "name", kinds[i].name, "count",
                                            (json_int_t)findings->kind[i].count, "example",
                                            out_json_text(findings->kind[i].example), "meaning",
                                            kinds[i].meaning));
    return all;
}

static bool is_limiter(const char *name)
{
    static const char ending[] = "_limiter";
    size_t length = strlen(name), wanted = sizeof ending - 1;
    return length > wanted && strcmp(name + length - wanted, ending) == 0;
}

static bool contains(const struct survey_route *route, int32_t link)
{
    for (int32_t i = 0; i < route->count; i++)
        if (route->link[i] == link)
            return true;
    return false;
}

static void examine_links(const struct s4u_platform *platform, const struct survey_route *forth,
                          const struct survey_route *back, struct survey_findings *findings)
{
    const char *from = s4u_host_name(platform, forth->from);
    const char *to = s4u_host_name(platform, forth->to);
    for (int32_t i = 0; i < forth->count; i++) {
        struct s4u_link link;
        struct survey_route rest = {.link = forth->link + i + 1, .count = forth->count - i - 1};
        s4u_link_describe(platform, forth->link[i], &link);
        if (contains(&rest, forth->link[i]))
            survey_found(findings, SURVEY_FIND_REPEATED_LINK,
                         "the route from %s to %s crosses %s twice", from, to, link.name);
        if (is_limiter(link.name))
            survey_found(findings, SURVEY_FIND_LIMITER, "%s is on the route from %s to %s",
                         link.name, from, to);
        else if (link.shared && contains(back, forth->link[i]))
            survey_found(findings, SURVEY_FIND_SHARED_DUPLEX,
                         "both directions between %s and %s share %s", from, to, link.name);
    }
}

/* The rules for one link: no cable, switch or memory is so slow or so fast. */
static void examine_link(const struct s4u_link *link, struct survey_findings *findings)
{
    if (link->latency != 0 &&
        !(link->latency >= least_latency_s && link->latency <= most_latency_s))
        survey_found(findings, SURVEY_FIND_LATENCY, "%s has a latency of %g s", link->name,
                     link->latency);
    if (!(link->bandwidth >= least_bandwidth && link->bandwidth <= most_bandwidth))
        survey_found(findings, SURVEY_FIND_BANDWIDTH, "%s has a bandwidth of %g bytes per second",
                     link->name, link->bandwidth);
}

/* The rules for one pair of different hosts. */
static void examine_pair(const struct s4u_platform *platform, const struct survey_route *forth,
                         const struct survey_route *back, struct survey_findings *findings)
{
    const char *from = s4u_host_name(platform, forth->from);
    const char *to = s4u_host_name(platform, forth->to);
    for (int32_t i = 0; i < 2; i++)
        if ((i == 0 ? forth : back)->count == 0)
            survey_found(findings, SURVEY_FIND_NO_ROUTE, "from %s to %s", i == 0 ? from : to,
                         i == 0 ? to : from);
    if (forth->count == 0 || back->count == 0)
        return;
    if (forth->count != back->count)
        survey_found(findings, SURVEY_FIND_UNEVEN_LENGTH,
                     "%" PRId32 " links from %s to %s, but %" PRId32 " back", forth->count, from,
                     to, back->count);
    examine_links(platform, forth, back, findings);
}

/* The rule for the route of a host to itself; own[l] says that link l is on a route between
 * different hosts. */
static void examine_loopback(const struct s4u_platform *platform, const struct survey_route *self,
                             const bool own[], struct survey_findings *findings)
{
    const char *name = s4u_host_name(platform, self->from);
    if (self->count == 0) {
        survey_found(findings, SURVEY_FIND_LOOPBACK, "%s has no route to itself", name);
        return;
    }
    int32_t shared = -1; /* a link that messages to other hosts use, too */
    for (int32_t i = 0; i < self->count; i++) {
        if (self->link[i] >= 0 && !own[self->link[i]])
            return; /* a loopback, whatever comes with it: the host's memory */
        shared = self->link[i] >= 0 ? self->link[i] : shared;
    }
    if (shared < 0)
        return;
    struct s4u_link link;
    s4u_link_describe(platform, shared, &link);
    survey_found(findings, SURVEY_FIND_LOOPBACK, "%s reaches itself over its network link %s", name,
                 link.name);
}

/* ---- The survey ------------------------------------------------------------------------------ */

/* The number of ordered pairs of hosts surveyed: all of them up to 1095 hosts. A route takes 0.3 to
 * 8 us. */
enum { MOST_PAIRS = 1200000 };
enum { TELL_EVERY = 1 << 12 }; /* pairs */

enum role { ROLE_UNUSED, ROLE_LOOPBACK, ROLE_HOST, ROLE_INNER, ROLES };
static const char *const role_names[ROLES] = {"unused", "loopback", "host", "inner"};

struct walk {
    struct s4u_platform *platform;
    int32_t hosts, links;
    enum role *role;  /* per link */
    bool *own;        /* per link: on a route between different hosts */
    int32_t *flows;   /* per link, when every host sends half the platform away */
    int64_t *lengths; /* pairs by number of links, up to `links` */
    struct survey_route forth, back;
    struct survey_cables cables;
    struct survey_findings findings;
    int64_t pairs;
    struct survey_route shortest, longest; /* by latency; without their links */
    double least_bandwidth, most_bandwidth;
    double loopback_latency, loopback_bandwidth; /* of the slowest host to itself; NAN: none */
    FILE *told; /* takes now and then the share of the walk that is done, a double */
    int64_t told_pairs;
};

static void start_walk(struct walk *walk)
{
    size_t links = (size_t)walk->links + 1;
    walk->role = sup_calloc(links, sizeof *walk->role);
    walk->own = sup_calloc(links, sizeof *walk->own);
    walk->flows = sup_calloc(links, sizeof *walk->flows);
    walk->lengths = sup_calloc(links, sizeof *walk->lengths);
    walk->forth.link = sup_calloc(links, sizeof *walk->forth.link);
    walk->back.link = sup_calloc(links, sizeof *walk->back.link);
    walk->shortest.latency = walk->least_bandwidth = INFINITY;
    walk->longest.latency = walk->most_bandwidth = -INFINITY;
    walk->loopback_latency = walk->loopback_bandwidth = NAN;
    cables_init(&walk->cables, walk->platform);
}

static void end_walk(struct walk *walk)
{
    cables_free(&walk->cables);
    free(walk->back.link);
    free(walk->forth.link);
    free(walk->lengths);
    free(walk->flows);
    free(walk->own);
    free(walk->role);
    s4u_platform_destroy(walk->platform);
}

/* A missing route is no error here but something to report: it comes back without links. */
static void find_route(struct walk *walk, int32_t from, int32_t to, struct survey_route *route)
{
    struct s4u_route found;
    *route = (struct survey_route){.from = from, .to = to, .link = route->link};
    if (s4u_find_route(walk->platform, from, to, &found, NULL) != RB_OK)
        return;
    route->count = found.count < walk->links ? found.count : walk->links;
    memcpy(route->link, found.link, (size_t)route->count * sizeof *route->link);
    route->latency = found.latency;
    route->bandwidth = found.bandwidth;
}

static void note_route(struct walk *walk, const struct survey_route *route)
{
    walk->pairs++;
    if (route->count == 0)
        return;
    walk->lengths[route->count]++;
    for (int32_t i = 0; i < route->count; i++) {
        enum role role = i == 0 || i + 1 == route->count ? ROLE_HOST : ROLE_INNER;
        if (walk->role[route->link[i]] < role)
            walk->role[route->link[i]] = role;
        walk->own[route->link[i]] = true;
    }
    if (route->latency < walk->shortest.latency)
        walk->shortest = *route;
    if (route->latency > walk->longest.latency)
        walk->longest = *route;
    walk->least_bandwidth = fmin(walk->least_bandwidth, route->bandwidth);
    walk->most_bandwidth = fmax(walk->most_bandwidth, route->bandwidth);
    cables_follow(&walk->cables, walk->platform, route, &walk->findings);
}

static void walk_pair(struct walk *walk, int32_t a, int32_t b)
{
    find_route(walk, a, b, &walk->forth);
    find_route(walk, b, a, &walk->back);
    note_route(walk, &walk->forth);
    note_route(walk, &walk->back);
    examine_pair(walk->platform, &walk->forth, &walk->back, &walk->findings);
}

static bool walks_all(const struct walk *walk)
{
    return (int64_t)walk->hosts * (walk->hosts - 1) <= MOST_PAIRS;
}

static void tell(struct walk *walk, double share)
{
    fwrite(&share, sizeof share, 1, walk->told);
    fflush(walk->told);
}

/* Reports the share from time to time, when the pairs of hosts 0 to a are done. */
static void tell_share(struct walk *walk, int32_t a)
{
    const double rest = 1 - (a + 1.0) / walk->hosts;
    const double share = walks_all(walk) ? 1 - rest * rest : 1 - rest;
    if (walk->pairs - walk->told_pairs < TELL_EVERY)
        return;
    walk->told_pairs = walk->pairs;
    tell(walk, share);
}

/* All pairs, or of each host its successor, so that all host links are seen, and as many others as
 * the limit allows, drawn from a fixed seed. */
static void walk_pairs(struct walk *walk)
{
    int32_t each = MOST_PAIRS / 2 / walk->hosts;
    uint64_t state = 1;
    for (int32_t a = 0; a < walk->hosts; a++) {
        if (a > 0)
            tell_share(walk, a - 1);
        if (walks_all(walk)) {
            for (int32_t b = a + 1; b < walk->hosts; b++)
                walk_pair(walk, a, b);
            continue;
        }
        walk_pair(walk, a, (a + 1) % walk->hosts);
        for (int32_t i = 1; i < each; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint64_t distance = 1 + (state >> 33) % (uint64_t)(walk->hosts - 1);
            walk_pair(walk, a, (int32_t)(((uint64_t)a + distance) % (uint64_t)walk->hosts));
        }
    }
    /* Nearly equal sums of the same latencies in another order are equal. */
    if (walk->longest.latency > walk->shortest.latency * (1 + 1e-9))
        survey_found(&walk->findings, SURVEY_FIND_UNEVEN_LATENCY,
                     "%g us from %s to %s, but %g us from %s to %s", walk->shortest.latency * 1e6,
                     s4u_host_name(walk->platform, walk->shortest.from),
                     s4u_host_name(walk->platform, walk->shortest.to), walk->longest.latency * 1e6,
                     s4u_host_name(walk->platform, walk->longest.from),
                     s4u_host_name(walk->platform, walk->longest.to));
}

static void walk_loopbacks(struct walk *walk)
{
    for (int32_t a = 0; a < walk->hosts; a++) {
        find_route(walk, a, a, &walk->forth);
        examine_loopback(walk->platform, &walk->forth, walk->own, &walk->findings);
        if (walk->forth.count == 0)
            continue;
        walk->loopback_latency = fmax(walk->loopback_latency, walk->forth.latency);
        walk->loopback_bandwidth = fmin(walk->loopback_bandwidth, walk->forth.bandwidth);
        for (int32_t i = 0; i < walk->forth.count; i++)
            if (walk->forth.link[i] >= 0 && walk->role[walk->forth.link[i]] == ROLE_UNUSED)
                walk->role[walk->forth.link[i]] = ROLE_LOOPBACK;
    }
}

/* The bandwidth of the slowest host when every host sends to the host half the platform away: its
 * share of the busiest link. */
static double shift_bandwidth(struct walk *walk)
{
    double least = INFINITY;
    for (int32_t a = 0; a < walk->hosts && walk->hosts > 1; a++) {
        find_route(walk, a, (a + walk->hosts / 2) % walk->hosts, &walk->forth);
        for (int32_t i = 0; i < walk->forth.count; i++) {
            struct s4u_link link;
            s4u_link_describe(walk->platform, walk->forth.link[i], &link);
            int32_t flows = ++walk->flows[walk->forth.link[i]];
            least = fmin(least, link.shared ? link.bandwidth / flows : link.bandwidth);
        }
    }
    return least;
}

/* ---- The walk as JSON ----------------------------------------------------------------------- */

static json_t *lengths_json(const struct walk *walk)
{
    json_t *all = json_array();
    for (int32_t i = 1; i <= walk->links; i++)
        if (walk->lengths[i] > 0)
            json_array_append_new(
                all, json_pack("{s:i, s:I}", "links", i, "pairs", (json_int_t)walk->lengths[i]));
    return all;
}

/* The class that the link belongs to, added if it is the first of its kind. */
static json_t *class_of(json_t *classes, const char *role, const struct s4u_link *link)
{
    size_t i;
    json_t *class;
    json_array_foreach(classes, i, class)
    {
        if (strcmp(json_string_value(json_object_get(class, "role")), role) == 0 &&
            json_real_value(json_object_get(class, "bandwidth")) == link->bandwidth &&
            json_real_value(json_object_get(class, "latency_s")) == link->latency &&
            json_boolean_value(json_object_get(class, "shared")) == link->shared)
            return class;
    }
    class = json_pack("{s:s, s:f, s:f, s:b, s:I}", "role", role, "bandwidth", link->bandwidth,
                      "latency_s", link->latency, "shared", link->shared, "links", (json_int_t)0);
    json_array_append_new(classes, class);
    return class;
}

/* True for SimGrid's own link for hosts without a route to themselves, if no route uses it. */
static bool is_spare(const struct walk *walk, int32_t i)
{
    struct s4u_link link;
    s4u_link_describe(walk->platform, i, &link);
    return walk->role[i] == ROLE_UNUSED && strcmp(link.name, "__loopback__") == 0;
}

static json_int_t count_links(const struct walk *walk)
{
    json_int_t count = 0;
    for (int32_t i = 0; i < walk->links; i++)
        count += !is_spare(walk, i);
    return count;
}

static json_t *classes_json(const struct walk *walk)
{
    json_t *classes = json_array();
    for (int32_t i = 0; i < walk->links; i++) {
        struct s4u_link link;
        if (is_spare(walk, i))
            continue;
        s4u_link_describe(walk->platform, i, &link);
        json_t *class = class_of(classes, role_names[walk->role[i]], &link);
        json_int_t count = json_integer_value(json_object_get(class, "links"));
        json_object_set_new(class, "links", json_integer(count + 1));
    }
    return classes;
}

static json_t *walk_json(struct walk *walk, const char *text, const char *hash)
{
    for (int32_t i = 0; i < walk->links; i++) {
        struct s4u_link link;
        s4u_link_describe(walk->platform, i, &link);
        if (!is_spare(walk, i))
            examine_link(&link, &walk->findings);
    }
    return json_pack(
        "{s:o, s:s, s:i, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}",
        "platform", out_json_text(text), "hash", hash, "hosts", walk->hosts, "links",
        count_links(walk), "pairs", (json_int_t)walk->pairs, "all_pairs", walks_all(walk),
        "least_latency_s", out_json_real(walk->shortest.latency), "most_latency_s",
        out_json_real(walk->longest.latency), "least_bandwidth",
        out_json_real(walk->least_bandwidth), "most_bandwidth", out_json_real(walk->most_bandwidth),
        "shift_bandwidth", out_json_real(shift_bandwidth(walk)), "loopback_latency_s",
        out_json_real(walk->loopback_latency), "loopback_bandwidth",
        out_json_real(walk->loopback_bandwidth), "contiguity_checked", walk->cables.known,
        "route_lengths", lengths_json(walk), "link_classes", classes_json(walk), "findings",
        findings_json(&walk->findings));
}

enum stage { LOADING, WALKING, STAGES };

struct job {
    const char *platform;
    char hash[17];
    struct sim_isolate_listener listener; /* of shares: how far the walk is */
    struct cli_bar bar;
    struct sup_eta *eta;        /* of the stages */
    struct sup_eta_running now; /* the present one */
    double started_s;           /* the present one */
};

/* SimGrid connects each host of a fat-tree by looking through all others. */
static double load_s(const char *platform, double hosts)
{
    const bool looks = strncmp(platform, "fat-tree", strlen("fat-tree")) == 0;
    return 6e-5 * hosts + (looks ? 3e-8 * hosts * hosts : 0);
}

static void start_progress(struct job *job)
{
    struct platform_links links = {.hosts = 1000}; /* of a file, not known yet */
    if (platform_is_generated(job->platform) &&
        platform_find_links(job->platform, &links, NULL) != RB_OK)
        links.hosts = 1; /* the survey will say why */
    const double hosts = links.hosts, pairs = fmin(hosts * hosts, MOST_PAIRS);
    const double cost_s[STAGES] = {load_s(job->platform, hosts), 4e-6 * pairs};
    job->eta = sup_eta_create(STAGES, 1, 0);
    for (size_t i = 0; i < STAGES; i++)
        sup_eta_describe(job->eta, i, cost_s[i], i);
    cli_bar_start(&job->bar, "platform", 0);
    job->started_s = sup_clock_s();
}

static void show_share(void *context)
{
    struct job *job = context;
    if (!cli_bar_is_due(&job->bar))
        return;
    job->now.elapsed_s = sup_clock_s() - job->started_s;
    /* A copy, because gcc 12 with sanitizers warns that &job->now has 8 bytes. */
    const struct sup_eta_running now = job->now;
    cli_bar_show(&job->bar, sup_eta_left_s(job->eta, &now, 1),
                 job->now.piece == LOADING ? "loading" : NULL);
}

/* The first share comes when the platform is loaded. */
static void hear_share(void *context, const void *share)
{
    struct job *job = context;
    if (job->now.piece == LOADING) {
        const double now_s = sup_clock_s();
        sup_eta_done(job->eta, LOADING, now_s - job->started_s);
        job->now.piece = WALKING;
        job->started_s = now_s;
    }
    memcpy(&job->now.share, share, sizeof job->now.share);
    show_share(job);
}

static int survey_in_child(void *context, FILE *reply, struct sup_error *error)
{
    const struct job *job = context;
    struct walk walk = {0};
    const int status = s4u_platform_load(job->platform, NULL, &walk.platform, error);
    if (status != RB_OK)
        return status;
    walk.told = job->listener.told;
    tell(&walk, 0);
    walk.hosts = s4u_host_count(walk.platform);
    walk.links = s4u_link_count(walk.platform);
    start_walk(&walk);
    walk_pairs(&walk);
    walk_loopbacks(&walk);
    json_t *result = walk_json(&walk, job->platform, job->hash);
    json_dumpf(result, reply, JSON_COMPACT);
    json_decref(result);
    end_walk(&walk);
    return RB_OK;
}

/* What options say has failed, or is slow, and whom a scheduler leaves out. */
static void add_damage(json_t *survey, const char *platform)
{
    struct platform_network *network;
    struct platform_hosts who;
    struct sup_error error;
    char name[256];
    if (platform_network_create(platform, &network, &error) != RB_OK)
        return;
    if (network->damaged && platform_find_hosts(platform, &who, &error) == RB_OK) {
        json_t *failed = json_array(), *slow = json_array(), *out = json_array();
        for (int32_t l = network->hosts; l < network->links; l++)
            if (network->link[l].failed || network->link[l].slow)
                json_array_append_new(
                    network->link[l].failed ? failed : slow,
                    json_string(platform_network_link_name(network, l, name, sizeof name)));
        const int32_t gones = who.gones;
        who.gones = 0;
        for (int32_t i = 0; i < gones; i++)
            json_array_append_new(
                out, json_string(platform_host_name(&who, who.gone[i], name, sizeof name)));
        json_object_set_new(survey, "failed_links", failed);
        json_object_set_new(survey, "slow_links", slow);
        json_object_set_new(survey, "failed_hosts", out);
    }
    platform_network_destroy(network);
}

int survey_platform(const char *platform, json_t **survey, struct sup_error *error)
{
    struct job job = {.platform = platform,
                      .listener = {.record_size = sizeof job.now.share,
                                   .hear = hear_share,
                                   .idle = show_share,
                                   .context = &job}};
    char *reply = NULL, taken[PLATFORM_TAKEN_SIZE] = "";
    size_t size = 0;
    *survey = NULL;
    start_progress(&job);
    int status = platform_hash_of(platform, job.hash, error);
    if (status == RB_OK)
        status = platform_is_generated(platform) ? platform_find_taken(platform, taken, error)
                                                 : point_check_file(platform, error);
    if (status == RB_OK)
        status = s4u_ready(error);
    if (status == RB_OK)
        status = sim_isolate_listening("SimGrid", survey_in_child, &job, &job.listener, &reply,
                                       &size, error);
    cli_bar_end(&job.bar);
    sup_eta_destroy(job.eta);
    if (status != RB_OK)
        return status;
    *survey = json_loadb(reply, size, 0, NULL);
    free(reply);
    if (taken[0] != '\0')
        json_object_set_new(*survey, "topology", out_json_text(taken));
    if (*survey != NULL && platform_is_generated(platform))
        add_damage(*survey, platform);
    return *survey != NULL ? RB_OK
                           : sup_fail(error, RB_EFAILED, "%s: the survey was lost", platform);
}
