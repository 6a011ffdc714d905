/* msccl.c - MSCCL XML: what is read can be proved, and gives the same verdict twice; what is not
 * read has a message of one line. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include <string.h>

#include "fuzz.h"
#include "interchange/msccl_xml.h"
#include "interchange/programs/prove.h"

static int read_bytes(const uint8_t *data, size_t size, bool out_of_place,
                      struct prg_program *program)
{
    struct inter_msccl about;
    struct sup_error error = {.text = ""};
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "r");
    const int status = inter_msccl_read(stream, "file", out_of_place, program, &about, &error);
    fclose(stream);
    FUZZ_ASSERT((status == 0) == (error.text[0] == '\0') && strchr(error.text, '\n') == NULL, "%s",
                error.text);
    return status;
}

/* The proof takes memory for the data of a collective on all ranks. */
static bool is_small(const struct prg_program *program)
{
    return (int64_t)program->ranks * program->contract.data < 1 << 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct prg_verdict verdict[2] = {{.least_room = 0}};
    if (size == 0)
        return 0;
    for (int i = 0; i < 2; i++) {
        struct prg_program program = {0};
        if (read_bytes(data, size, false, &program) == 0 && is_small(&program))
            FUZZ_ASSERT(prg_prove(&program, &verdict[i]) == 0, "out of memory");
        prg_free(&program);
    }
    FUZZ_ASSERT(memcmp(&verdict[0], &verdict[1], sizeof verdict[0]) == 0, "two verdicts");
    return 0;
}
