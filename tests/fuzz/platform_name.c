/* platform_name.c - platforms by generator: the links' costs are known without the XML, and the XML
 * is a valid platform. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "platforms/platform.h"
#include "roundabout.h"

/* Of those whose XML is made; it may have many more links. */
enum { MOST_SIZE = 128, MOST_HOSTS = 24 };

static void check_xml(const char *text)
{
    struct sup_error error = {0};
    char *xml;
    size_t size;
    if (platform_make_xml(text, &xml, &size, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(strlen(xml) == size, "%zu bytes of XML, of %zu", strlen(xml), size);
    const char *path = fuzz_file(0, xml, size);
    FUZZ_ASSERT(platform_check_xml(path, NULL, &error) == RB_OK, "%s", error.text);
    free(xml);
}

static void check(const char *text)
{
    struct sup_error error = {0};
    struct platform_links links;
    if (platform_find_links(text, &links, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(links.hosts >= 1 && links.hosts <= PLATFORM_MOST_HOSTS, "%d hosts", links.hosts);
    FUZZ_ASSERT(links.bandwidth > 0 && isfinite(links.bandwidth), "%g B/s", links.bandwidth);
    FUZZ_ASSERT(links.latency_s >= 0 && isfinite(links.latency_s), "%g s", links.latency_s);
    if (links.hosts <= MOST_HOSTS)
        check_xml(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MOST_SIZE)
        return 0;
    char *text = fuzz_text(data, size);
    if (platform_is_generated(text))
        check(text);
    free(text);
    return 0;
}
