/* platform_xml.c - platform files, before SimGrid sees them. */
#include "fuzz.h"
#include "platforms/platform.h"
#include "roundabout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sup_error error = {0};
    if (platform_check_xml(fuzz_file(0, data, size), NULL, &error) != RB_OK)
        fuzz_check_error(&error);
    return 0;
}
