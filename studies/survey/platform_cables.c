/* platform_cables.c - where the ends of links are, as far as routes tell (platform_findings.h). */
#include <stdlib.h>
#include <string.h>

#include "studies/survey/platform_findings.h"
#include "support/memory.h"

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

void survey_cables_init(struct survey_cables *cables, const struct s4u_platform *platform)
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

void survey_cables_free(struct survey_cables *cables)
{
    free(cables->place);
    *cables = (struct survey_cables){0};
}

void survey_cables_follow(struct survey_cables *cables, const struct s4u_platform *platform,
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
