/* write_platform.c - a generated platform as a file: write_platform TEXT PATH */
#include <stdio.h>

#include "platforms/platform.h"

int main(int argc, char *argv[])
{
    struct sup_error error = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: %s TEXT PATH\n", argv[0]);
        return 2;
    }
    if (platform_generate(argv[1], argv[2], &error)) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return 3;
    }
    return 0;
}
