/* edges.c - lists of cables; of small ones all routes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "platforms/network.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_HOSTS = 20 };

static void check_route(struct platform_network *network, int32_t from, int32_t to)
{
    struct platform_route route;
    struct sup_error error;
    int32_t at = from, ends[2];
    FUZZ_ASSERT(platform_network_route(network, from, to, 0, &route, &error) == RB_OK, "%d to %d",
                from, to);
    for (int32_t i = 0; i < route.count; i++) {
        platform_network_ends(network, route.link[i], ends);
        FUZZ_ASSERT(ends[0] == at, "%d to %d: link %d", from, to, route.link[i]);
        at = ends[1];
    }
    FUZZ_ASSERT(at == to, "%d to %d", from, to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sup_error error = {0};
    struct platform_network *network = NULL;
    char *text = sup_format("edges:%s", fuzz_file(0, data, size));
    if (platform_network_create(text, &network, &error) != RB_OK)
        fuzz_check_error(&error);
    for (int32_t i = 0; network != NULL && i < network->hosts && i < MOST_HOSTS; i++)
        for (int32_t j = 0; j < network->hosts && j < MOST_HOSTS; j++)
            check_route(network, i, j);
    platform_network_destroy(network);
    free(text);
    return 0;
}
