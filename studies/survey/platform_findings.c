/* platform_findings.c - the rules that find faults of a platform's routes. */
#include "studies/survey/platform_findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/output/rows.h"

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

void survey_found(struct survey_findings *findings, enum survey_finding kind, const char *format,
                  ...)
{
    if (findings->kind[kind].count++ > 0)
        return;
    va_list values;
    va_start(values, format);
    vsnprintf(findings->kind[kind].example, sizeof findings->kind[kind].example, format, values);
    va_end(values);
}

json_t *survey_findings_json(const struct survey_findings *findings)
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

void survey_examine_link(const struct s4u_link *link, struct survey_findings *findings)
{
    if (link->latency != 0 &&
        !(link->latency >= least_latency_s && link->latency <= most_latency_s))
        survey_found(findings, SURVEY_FIND_LATENCY, "%s has a latency of %g s", link->name,
                     link->latency);
    if (!(link->bandwidth >= least_bandwidth && link->bandwidth <= most_bandwidth))
        survey_found(findings, SURVEY_FIND_BANDWIDTH, "%s has a bandwidth of %g bytes per second",
                     link->name, link->bandwidth);
}

void survey_examine_pair(const struct s4u_platform *platform, const struct survey_route *forth,
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

void survey_examine_loopback(const struct s4u_platform *platform, const struct survey_route *self,
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
