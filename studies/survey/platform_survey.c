/* platform_survey.c - walks the routes of a platform in a child process (platform_survey.h). */
#include "studies/survey/platform_survey.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/point.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/isolate.h"
#include "studies/survey/platform_findings.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/rows.h"

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
    survey_cables_init(&walk->cables, walk->platform);
}

static void end_walk(struct walk *walk)
{
    survey_cables_free(&walk->cables);
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
    survey_cables_follow(&walk->cables, walk->platform, route, &walk->findings);
}

static void walk_pair(struct walk *walk, int32_t a, int32_t b)
{
    find_route(walk, a, b, &walk->forth);
    find_route(walk, b, a, &walk->back);
    note_route(walk, &walk->forth);
    note_route(walk, &walk->back);
    survey_examine_pair(walk->platform, &walk->forth, &walk->back, &walk->findings);
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
        survey_examine_loopback(walk->platform, &walk->forth, walk->own, &walk->findings);
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

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

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
            survey_examine_link(&link, &walk->findings);
    }
    return json_pack(
        "{s:o, s:s, s:i, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}",
        "platform", out_json_text(text), "hash", hash, "hosts", walk->hosts, "links",
        count_links(walk), "pairs", (json_int_t)walk->pairs, "all_pairs", walks_all(walk),
        "least_latency_s", real_or_null(walk->shortest.latency), "most_latency_s",
        real_or_null(walk->longest.latency), "least_bandwidth", real_or_null(walk->least_bandwidth),
        "most_bandwidth", real_or_null(walk->most_bandwidth), "shift_bandwidth",
        real_or_null(shift_bandwidth(walk)), "loopback_latency_s",
        real_or_null(walk->loopback_latency), "loopback_bandwidth",
        real_or_null(walk->loopback_bandwidth), "contiguity_checked", walk->cables.known,
        "route_lengths", lengths_json(walk), "link_classes", classes_json(walk), "findings",
        survey_findings_json(&walk->findings));
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
    return *survey != NULL ? RB_OK
                           : sup_fail(error, RB_EFAILED, "%s: the survey was lost", platform);
}
