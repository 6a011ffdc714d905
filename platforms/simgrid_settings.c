/* simgrid_settings.c - which values of SimGrid's settings are possible. SimGrid checks hardly any:
 * with some it crashes, aborts, or runs for ever. */
#include "platform.h"

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

/* The settings that the engine flow knows. Those without a value leave its times as they are: the
 * platform's routes say what they do, or the engines pass the setting to SimGrid themselves, which
 * then takes no other from a file. */
static const struct {
    const char *key;    /* or the beginning of keys, which ends with / */
    const char *value;  /* as flow has it */
    double least, most; /* numbers with which times are the same */
} known_to_flow[] = {
    {.key = "cpu/"},
    {.key = "smpi/"},
    {.key = "surf/precision"},
    {.key = "precision/timing"},
    {.key = "network/model"},
    {.key = "network/crosstraffic"},
    {.key = "network/TCP-gamma"},
    {.key = "network/optim"},
    {.key = "network/maxmin-selective-update"},
    {.key = "network/loopback-bw"},
    {.key = "network/loopback-lat"},
    {.key = "host/solver"},
    {"host/model", "compound", 1, 0},
    {"network/solver", "maxmin", 1, 0},
    {"network/latency-factor", "1", 1, 1},
    {"network/bandwidth-factor", "1", 1, 1},
    {"network/weight-S", "0", 0, 0},
    {"maxmin/precision", "1e-5", 0, 1e-5},
    {"precision/work-amount", "1e-5", 0, 1e-5},
    {"maxmin/concurrency-limit", "-1", -1, -1},
};

int platform_check_flow_setting(const char *key, const char *value, struct sup_error *error)
{
    char *rest;
    const double number = strtod(value, &rest);
    const bool is_number = rest != value && *rest == '\0';
    for (size_t i = 0; i < sizeof known_to_flow / sizeof *known_to_flow; i++) {
        const char *known = known_to_flow[i].key, *wanted = known_to_flow[i].value;
        const size_t length = strlen(known);
        if (strncmp(known, key, length + (known[length - 1] != '/')) != 0)
            continue;
        if (wanted == NULL || strcmp(wanted, value) == 0 ||
            (is_number && number >= known_to_flow[i].least && number <= known_to_flow[i].most))
            return RB_OK;
        return sup_fail(error, RB_EINVAL,
                        "the engine flow takes %s to be %s, not %s: only --engine simgrid obeys it",
                        key, wanted, value);
    }
    return sup_fail(error, RB_EINVAL,
                    "the engine flow does not know %s: only --engine simgrid obeys it", key);
}
