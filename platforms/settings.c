/* settings.c - which values of SimGrid's settings are possible. SimGrid checks hardly any: with
 * some it crashes, aborts, or runs for ever. */
#include "settings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

/* Settings that are numbers. */
static const struct {
    const char *key;
    double least, most;
    const char *wanted;
} numbers[] = {
    {"maxmin/precision", DBL_MIN, 1, "above 0 and at most 1"},
    {"surf/precision", DBL_MIN, 1, "above 0 and at most 1"},
    {"precision/timing", DBL_MIN, 1, "above 0 and at most 1"},
    {"precision/work-amount", DBL_MIN, 1, "above 0 and at most 1"},
    {"maxmin/concurrency-limit", 1, INFINITY, "of at least 1, or -1 for no limit"},
    {"network/bandwidth-factor", 1e-9, 1e9, "from 1e-9 to 1e9"},
    {"network/latency-factor", 0, 1e9, "from 0 to 1e9"},
    {"network/loopback-bw", 1, 1e18, "from 1 to 1e18 (bytes per second)"},
    {"network/loopback-lat", 0, 1e9, "from 0 to 1e9 (seconds)"},
    {"network/weight-S", 0, 1e18, "from 0 to 1e18 (bytes)"},
    {"network/TCP-gamma", 0, 1e18, "from 0 to 1e18 (bytes)"},
    {"contexts/stack-size", 16, 1 << 20, "from 16 to 1048576 (KiB)"},
    {"contexts/guard-size", 0, 1 << 20, "from 0 to 1048576 (pages)"},
    {"contexts/nthreads", 1, 1024, "from 1 to 1024"},
};

/* Settings that are words. */
static const struct {
    const char *key;
    const char *word[8];
} words[] = {
    /* Constant wants a platform without links, ns-3 one of its own. */
    {"network/model", {"CM02", "LV08", "SMPI", "IB"}},
    {"network/optim", {"Lazy", "TI", "Full"}},
    {"cpu/optim", {"Lazy", "TI", "Full"}},
    {"cpu/model", {"Cas01"}},
    {"host/model", {"default", "compound", "ptask_L07"}},
};

static int check_word(size_t i, const char *value, struct sup_error *error)
{
    char all[128] = "";
    for (size_t k = 0; words[i].word[k] != NULL; k++) {
        if (strcmp(words[i].word[k], value) == 0)
            return RB_OK;
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", k > 0 ? ", " : "", words[i].word[k]);
    }
    return sup_fail(error, RB_EINVAL, "%s:%s: it must be one of %s", words[i].key, value, all);
}

int platform_check_setting(const char *key, const char *value, struct sup_error *error)
{
    char *rest;
    const double number = strtod(value, &rest);
    const bool is_number = rest != value && *rest == '\0';
    const size_t first = strcspn(value, " \t\n,");
    if (value[first] != '\0')
        return sup_fail(error, RB_EINVAL,
                        "%s:%.*s...: SimGrid takes what follows a blank or a comma for another "
                        "setting: give each by itself",
                        key, (int)first, value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].key, key) == 0)
            return check_word(i, value, error);
    if (strcmp(value, "help") == 0)
        return sup_fail(error, RB_EINVAL, "%s:help is a question, not a setting", key);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && is_number; i++) {
        if (strcmp(numbers[i].key, key) != 0)
            continue;
        if (isinf(numbers[i].most) && number == -1)
            return RB_OK;
        if (!(number >= numbers[i].least && number <= numbers[i].most))
            return sup_fail(error, RB_EINVAL, "%s:%s: it must be a number %s", key, value,
                            numbers[i].wanted);
    }
    return RB_OK;
}
