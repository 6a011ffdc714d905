/* rules.c - files of rules of MPI libraries: whatever is read, a look-up answers twice alike,
 * within the sizes for which it says that the answer holds. */
#include <inttypes.h>
#include <string.h>

#include "fuzz.h"
#include "mpi/vendors/rules/rules.h"

static const char *const collectives[] = {"bcast", "allgather", "alltoall", "reduce-scatter"};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

static void check(const struct rules_file *file, const char *collective, int32_t p, int64_t m)
{
    const struct rules_query query = {.collective = collective, .p = p, .ppn = p % 3, .m_bytes = m};
    const char *call = rules_call(rules_file_format(file), collective);
    struct rules_answer first, second;
    const bool found = rules_look_up(file, &query, &first);
    FUZZ_ASSERT(rules_look_up(file, &query, &second) == found, "two answers");
    if (!found)
        return;
    const int64_t size = rules_measure(rules_file_format(file), call, p, m);
    FUZZ_ASSERT(strcmp(first.name, second.name) == 0, "%s and %s", first.name, second.name);
    FUZZ_ASSERT(first.low <= size && size <= first.high,
                "%" PRId64 " is not in %" PRId64 "..%" PRId64, size, first.low, first.high);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int32_t ranks[] = {1, 2, 7, 64, 1000000};
    static const int64_t sizes[] = {0, 1, 4096, INT64_C(1) << 40};
    const char *name = size == 0 ? NULL : rules_format_word(data[0] % 16);
    const struct rules_format *format = name == NULL ? NULL : rules_format_find(name);
    struct rules_file *file;
    struct sup_error error = {.text = ""};
    if (size == 0)
        return 0;
    if (rules_parse("file", (const char *)data + 1, size - 1, format, &file, &error) != RB_OK) {
        FUZZ_ASSERT(error.text[0] != '\0' && strchr(error.text, '\n') == NULL, "%s", error.text);
        return 0;
    }
    for (size_t i = 0; i < COLLECTIVES * 5 * 4; i++)
        check(file, collectives[i % COLLECTIVES], ranks[i / COLLECTIVES % 5],
              sizes[i / COLLECTIVES / 5]);
    rules_file_free(file);
    return 0;
}
