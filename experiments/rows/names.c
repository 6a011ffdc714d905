/* names.c - from names in the data to our algorithms (names.h). The names themselves are in the
 * table of libraries (mpi/vendors/names/); here is how suites put them together. */
#include "experiments/rows/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mpi/vendors/names/mpilib.h"
#include "roundabout.h"
#include "support/names.h"
#include "support/units.h"

enum { LONGEST_NAME = 120 };

/* "default", "default_ompi", "default-default", "native": the library chose. Fujitsu's
 * "default-ring" is an algorithm. */
static bool is_own_choice(const char *name)
{
    return strcmp(name, "default") == 0 || strncmp(name, "default_", 8) == 0 ||
           strcmp(name, "default-default") == 0 || strcmp(name, "native") == 0 ||
           strcmp(name, "auto") == 0;
}

/* Cuts "-NUMBER" or "_NUMBER" off the end of a name. */
static bool cut_number(char *name, char sign, int64_t *number)
{
    char *last = strrchr(name, sign);
    if (last == NULL || last[1] == '\0' || strspn(last + 1, "0123456789") != strlen(last + 1) ||
        sup_parse_int(last + 1, 0, INT64_MAX, number, NULL) != RB_OK)
        return false;
    *last = '\0';
    return true;
}

/* BINE-B_CONT-UTOFU-65536-3: family and variant, transport, segment size, interfaces. */
static void cut_fugaku(char *name, struct rows_name *read)
{
    int64_t segment, interfaces;
    char copy[LONGEST_NAME];
    strcpy(copy, name);
    if (!cut_number(copy, '-', &interfaces) || !cut_number(copy, '-', &segment) || interfaces < 1 ||
        interfaces > RB_MAX_PORTS)
        return;
    const char *transport = sup_ends_in(copy, "-UTOFU") ? "UTOFU"
                            : sup_ends_in(copy, "-MPI") ? "MPI"
                                                        : NULL;
    if (transport == NULL)
        return;
    copy[strlen(copy) - strlen(transport) - 1] = '\0';
    strcpy(name, copy);
    read->transport = transport;
    read->segment_bytes = segment;
    read->interfaces = (int32_t)interfaces;
}

static bool take(const char *library, const char *collective, const char *name,
                 struct rows_name *read)
{
    const struct mpilib_algorithm *row = mpilib_named(library, collective, name);
    if (row == NULL)
        return false;
    const struct rb_algorithm_info *info = mpilib_info(row);
    read->known = true;
    read->manner.engine = row->manner.engine;
    if (info != NULL) {
        read->algorithm = info->name;
        read->manner = row->manner;
        if (read->radix == 0 && info->radix != NULL)
            read->radix = row->radix;
    }
    return true;
}

/* Our own name, with a radix after it if there is one: "knomial:r=4". */
static bool take_own(const char *collective, const char *name, struct rows_name *read)
{
    char plain[LONGEST_NAME];
    const char *radix = strstr(name, ":r=");
    int64_t number = 0;
    snprintf(plain, sizeof plain, "%.*s",
             (int)(radix == NULL ? strlen(name) : (size_t)(radix - name)), name);
    if (radix != NULL && sup_parse_int(radix + 3, 2, RB_MAX_RANKS, &number, NULL) != RB_OK)
        return false;
    const struct rb_algorithm_info *info = rb_algorithm_find(collective, plain);
    if (info == NULL)
        return false;
    read->known = true;
    read->algorithm = info->name;
    read->radix = info->radix == NULL ? 0 : (int32_t)number;
    return true;
}

/* "COLLNET_DIRECT", as NCCL's own messages have it, is "collnetdirect". */
static void cut_case(char *name)
{
    char *to = name;
    for (; *name != '\0'; name++)
        if (*name != '_')
            *to++ = (char)tolower((unsigned char)*name);
    *to = '\0';
}

struct rows_name rows_read_name(const char *library, const char *collective, const char *name)
{
    struct rows_name read = {.transport = "", .interfaces = 1};
    const char *mpi = sup_library_named(library);
    char key[LONGEST_NAME];
    int64_t segment;
    if (is_own_choice(name)) {
        read.own_choice = true;
        if (mpi != NULL && strcmp(mpi, "nccl") == 0)
            read.manner.engine = "nccl";
        return read;
    }
    if (strlen(name) >= sizeof key)
        return read;
    strcpy(key, name);
    if (mpi != NULL && strcmp(mpi, "nccl") == 0)
        cut_case(key);
    cut_fugaku(key, &read);
    if (take("pico", collective, key, &read) || take("fujitsu", collective, key, &read) ||
        (mpi != NULL && take(mpi, collective, key, &read)) || take_own(collective, key, &read))
        return read;
    /* PICO's "..._segmented_over_16384". */
    if (cut_number(key, '_', &segment) && take("pico", collective, key, &read))
        read.segment_bytes = segment;
    return read;
}
