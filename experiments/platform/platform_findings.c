/* platform_findings.c - the rules that say what is wrong with a platform's routes. */
#include "experiments/platform/platform_findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command/output/json_rows.h"

struct kind {
    const char *name;
    const char *meaning; /* and what to do */
};

static const struct kind kinds[RB_FINDINGS] = {
    [RB_FIND_NO_ROUTE] = {"no-route", "a message there aborts the simulation: add a route"},
    [RB_FIND_LOOPBACK] = {"no-loopback",
                          "several ranks on a host load its network links, or abort: give the "
                          "cluster loopback_bw and loopback_lat, or the host a route to itself"},
    [RB_FIND_SHARED_DUPLEX] = {"shared-duplex",
                               "sending while receiving halves both: give the link "
                               "sharing_policy=\"SPLITDUPLEX\", or a cluster's backbone "
                               "bb_sharing_policy=\"FATPIPE\""},
    [RB_FIND_LIMITER] =
        {"limiter", "a limiter is shared by both directions, and in SimGrid's clusters it sits "
                    "at switches too: remove limiter_link"},
    [RB_FIND_UNEVEN_LATENCY] =
        {"uneven-latency", "on a link that both share, the route of less latency gets that much "
                           "more bandwidth (CM02): put all latency on the hosts' own links, the "
                           "same on each, or none anywhere"},
    [RB_FIND_UNEVEN_LENGTH] =
        {"uneven-length", "routes there and back differ in length: in a dragonfly of several "
                          "chassis SimGrid routes wrongly inside groups, so use one chassis per "
                          "group; elsewhere see that the routes are meant so"},
    [RB_FIND_REPEATED_LINK] = {"repeated-link",
                               "the message pays for the link each time: mend the route"},
    [RB_FIND_BROKEN_ROUTE] =
        {"broken-route", "some route jumps between switches that no link joins: in a dragonfly "
                         "of several chassis SimGrid does so inside groups, so use one chassis "
                         "per group"},
};

void rb_found(struct rb_findings *findings, enum rb_finding kind, const char *format, ...)
{
    if (findings->kind[kind].count++ > 0)
        return;
    va_list values;
    va_start(values, format);
    vsnprintf(findings->kind[kind].example, sizeof findings->kind[kind].example, format, values);
    va_end(values);
}

json_t *rb_findings_json(const struct rb_findings *findings)
{
    json_t *all = json_array();
    for (int32_t i = 0; i < RB_FINDINGS; i++)
        if (findings->kind[i].count > 0)
            json_array_append_new(all, json_pack("{s:s, s:I, s:o, s:s}", "name", kinds[i].name,
                                                 "count", (json_int_t)findings->kind[i].count,
                                                 "example", rb_json_text(findings->kind[i].example),
                                                 "meaning", kinds[i].meaning));
    return all;
}

static bool is_limiter(const char *name)
{
    static const char ending[] = "_limiter";
    size_t length = strlen(name), wanted = sizeof ending - 1;
    return length > wanted && strcmp(name + length - wanted, ending) == 0;
}

static bool contains(const struct rb_route *route, int32_t link)
{
    for (int32_t i = 0; i < route->count; i++)
        if (route->link[i] == link)
            return true;
    return false;
}

static void examine_links(const struct rb_simgrid *platform, const struct rb_route *forth,
                          const struct rb_route *back, struct rb_findings *findings)
{
    const char *from = rb_simgrid_host_name(platform, forth->from);
    const char *to = rb_simgrid_host_name(platform, forth->to);
    for (int32_t i = 0; i < forth->count; i++) {
        struct rb_simgrid_link link;
        struct rb_route rest = {.link = forth->link + i + 1, .count = forth->count - i - 1};
        rb_simgrid_link_describe(platform, forth->link[i], &link);
        if (contains(&rest, forth->link[i]))
            rb_found(findings, RB_FIND_REPEATED_LINK, "the route from %s to %s crosses %s twice",
                     from, to, link.name);
        if (is_limiter(link.name))
            rb_found(findings, RB_FIND_LIMITER, "%s is on the route from %s to %s", link.name, from,
                     to);
        else if (link.shared && contains(back, forth->link[i]))
            rb_found(findings, RB_FIND_SHARED_DUPLEX, "both directions between %s and %s share %s",
                     from, to, link.name);
    }
}

void rb_examine_pair(const struct rb_simgrid *platform, const struct rb_route *forth,
                     const struct rb_route *back, struct rb_findings *findings)
{
    const char *from = rb_simgrid_host_name(platform, forth->from);
    const char *to = rb_simgrid_host_name(platform, forth->to);
    for (int32_t i = 0; i < 2; i++)
        if ((i == 0 ? forth : back)->count == 0)
            rb_found(findings, RB_FIND_NO_ROUTE, "from %s to %s", i == 0 ? from : to,
                     i == 0 ? to : from);
    if (forth->count == 0 || back->count == 0)
        return;
    if (forth->count != back->count)
        rb_found(findings, RB_FIND_UNEVEN_LENGTH,
                 "%" PRId32 " links from %s to %s, but %" PRId32 " back", forth->count, from, to,
                 back->count);
    examine_links(platform, forth, back, findings);
}

void rb_examine_loopback(const struct rb_simgrid *platform, const struct rb_route *self,
                         const bool own[], struct rb_findings *findings)
{
    const char *name = rb_simgrid_host_name(platform, self->from);
    if (self->count == 0) {
        rb_found(findings, RB_FIND_LOOPBACK, "%s has no route to itself", name);
        return;
    }
    for (int32_t i = 0; i < self->count; i++) {
        struct rb_simgrid_link link;
        if (self->link[i] < 0 || !own[self->link[i]])
            continue;
        rb_simgrid_link_describe(platform, self->link[i], &link);
        rb_found(findings, RB_FIND_LOOPBACK, "%s reaches itself over its network link %s", name,
                 link.name);
        return;
    }
}
