/* generator_options.c - NAME:SIZE,detail=value,... taken apart and checked against the generator's
 * table. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generator.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

static int32_t option_index(const struct platform_option *options, const char *name)
{
    for (int32_t i = 0; options[i].name != NULL; i++)
        if (strcmp(options[i].name, name) == 0)
            return i;
    return -1;
}

static int refuse_detail(const struct platform_request *request, const char *name,
                         struct sup_error *error)
{
    const char *names[PLATFORM_MOST_DETAILS];
    char all[256] = "";
    size_t count = 0;
    for (; request->face->options[count].name != NULL; count++)
        sup_append(all, sizeof all, ", ", "%s", names[count] = request->face->options[count].name);
    const char *nearest = sup_nearest_word(name, names, count);
    if (nearest != NULL)
        return sup_fail(error, RB_EINVAL, "%s has no option '%s': did you mean '%s'?",
                        request->face->name, name, nearest);
    return sup_fail(error, RB_EINVAL, "%s has no option '%s': it must be one of %s",
                    request->face->name, name, all);
}

static int take_detail(struct platform_request *request, char *text, bool given[],
                       struct sup_error *error)
{
    char *equals = strchr(text, '=');
    if (equals == NULL)
        return sup_fail(error, RB_EINVAL,
                        "%s: '%s' is not an option: options are written name=value, separated by "
                        "commas, which no value has",
                        request->face->name, text);
    *equals = '\0';
    int32_t i = option_index(request->face->options, text);
    if (i < 0)
        return refuse_detail(request, text, error);
    if (given[i])
        return sup_fail(error, RB_EINVAL, "%s: option '%s' is given twice", request->face->name,
                        text);
    if (equals[1] == '\0')
        return sup_fail(error, RB_EINVAL, "%s: option '%s' has no value after '='",
                        request->face->name, text);
    given[i] = true;
    request->detail[i] = equals + 1;
    return RB_OK;
}

/* A machine's face: the options of its base, with the machine's values. */
static void take_machine(struct platform_request *request, const struct platform_machine *machine)
{
    const struct platform_option *base = machine->base->face.options;
    const struct platform_option *machines = machine->face.options;
    int32_t count = 0;
    for (; base[count].name != NULL; count++) {
        assert(count < PLATFORM_MOST_DETAILS);
        const int32_t own = option_index(machines, base[count].name);
        request->option[count] = base[count];
        if (own >= 0)
            request->option[count].fallback = machines[own].fallback;
    }
    request->own = machine->face;
    request->own.options = request->option;
    request->face = &request->own;
}

/* Refuses options on which the terminals of a machine's nodes depend. */
static int check_fixed(const struct platform_request *request,
                       const struct platform_machine *machine, const bool given[],
                       struct sup_error *error)
{
    for (int32_t i = 0; machine->fixed[i] != NULL; i++) {
        const int32_t option = option_index(request->face->options, machine->fixed[i]);
        assert(option >= 0);
        if (given[option])
            return sup_fail(error, RB_EINVAL,
                            "%s: %s is the machine's own, because each node has its place: take "
                            "the generator %s for another",
                            request->face->name, machine->fixed[i], machine->base->face.name);
    }
    return RB_OK;
}

int platform_request_parse(const char *text, const struct platform_generator *face,
                           const struct platform_machine *machine, struct platform_request *request,
                           struct sup_error *error)
{
    *request = (struct platform_request){.face = face};
    bool given[PLATFORM_MOST_DETAILS] = {false};
    if (machine != NULL)
        take_machine(request, machine);
    face = request->face;
    for (int32_t i = 0; face->options[i].name != NULL; i++) {
        assert(i < PLATFORM_MOST_DETAILS);
        request->detail[i] = face->options[i].fallback;
    }
    const size_t name = strcspn(text, machine != NULL ? ":," : ":");
    const bool has_size = text[name] == ':';
    if (has_size ? text[name + 1] == '\0' || text[name + 1] == ',' : machine == NULL)
        return sup_fail(error, RB_EINVAL, "%s needs a size after ':': %s", face->name, face->sizes);
    request->copy = sup_strdup(text);
    request->size = has_size ? request->copy + name + 1 : machine->whole;
    int status = RB_OK;
    char *rest = strchr(request->copy + name, ',');
    while (rest != NULL && status == RB_OK) {
        char *detail = rest + 1;
        *rest = '\0';
        rest = strchr(detail, ',');
        if (rest != NULL)
            *rest = '\0';
        status = take_detail(request, detail, given, error);
    }
    return status == RB_OK && machine != NULL ? check_fixed(request, machine, given, error)
                                              : status;
}

const char *platform_request_detail(const struct platform_request *request, const char *name)
{
    const int32_t i = option_index(request->face->options, name);
    return i < 0 ? NULL : request->detail[i];
}

/* By the pointer: a given text may be that of the default. */
bool platform_request_gives(const struct platform_request *request, const char *name)
{
    const int32_t i = option_index(request->face->options, name);
    return i >= 0 && request->detail[i] != request->face->options[i].fallback;
}

void platform_request_fill(struct platform_request *request, const char *name, double value,
                           const char *unit)
{
    assert(request->fills < PLATFORM_MOST_FILLED);
    char *text = request->filled[request->fills++];
    snprintf(text, sizeof request->filled[0], "%.9g%s", value, unit);
    request->detail[option_index(request->face->options, name)] = text;
}

int platform_request_int(const struct platform_request *request, const char *name, int32_t least,
                         int32_t *value, struct sup_error *error)
{
    const char *text = platform_request_detail(request, name);
    if (text == NULL)
        return RB_OK;
    struct sup_error why;
    int64_t number;
    if (sup_parse_int(text, least, PLATFORM_MOST_HOSTS, &number, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "%s: %s: %s", request->face->name, name, why.text);
    *value = (int32_t)number;
    return RB_OK;
}

int platform_request_ints(const struct platform_request *request,
                          const struct platform_number numbers[], struct sup_error *error)
{
    int status = RB_OK;
    for (; numbers->name != NULL && status == RB_OK; numbers++)
        status =
            platform_request_int(request, numbers->name, numbers->least, numbers->value, error);
    return status;
}

int platform_request_ports(const struct platform_request *request, int32_t *ports,
                           struct sup_error *error)
{
    const int status = platform_request_int(request, "ports", 1, ports, error);
    if (status == RB_OK && *ports == 1)
        *ports = 0;
    return status;
}

int platform_request_hosts(const struct platform_request *request, int32_t least, int32_t *hosts,
                           struct sup_error *error)
{
    struct sup_error why;
    int64_t number;
    if (sup_parse_int(request->size, least, PLATFORM_MOST_HOSTS, &number, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "%s: number of hosts: %s", request->face->name, why.text);
    *hosts = (int32_t)number;
    return RB_OK;
}

int platform_request_bool(const struct platform_request *request, const char *name, bool *value,
                          struct sup_error *error)
{
    const char *text = platform_request_detail(request, name);
    *value = strcmp(text, "yes") == 0;
    if (!*value && strcmp(text, "no") != 0)
        return sup_fail(error, RB_EINVAL, "%s: %s: '%s' is neither yes nor no", request->face->name,
                        name, text);
    return RB_OK;
}

/* The rule that the first `length` characters of text name, or a message. */
static int find_rule(const struct platform_request *request, const struct platform_rule rules[],
                     const char *text, size_t length, struct sup_error *error)
{
    const char *names[PLATFORM_MOST_RULES];
    char word[64], all[256] = "";
    int32_t count = 0;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    for (; rules[count].name != NULL; count++) {
        assert(count < PLATFORM_MOST_RULES);
        names[count] = rules[count].name;
        if (strcmp(word, names[count]) == 0)
            return count;
        sup_append(all, sizeof all, ", ", "%s", names[count]);
    }
    const char *nearest = sup_nearest_word(word, names, (size_t)count);
    if (nearest != NULL)
        return sup_fail(error, RB_EINVAL, "%s: routing: there is no '%s': did you mean '%s'?",
                        request->face->name, word, nearest);
    return sup_fail(error, RB_EINVAL, "%s: routing: there is no '%s': it must be one of %s",
                    request->face->name, word, all);
}

int platform_request_routing(const struct platform_request *request,
                             const struct platform_rule rules[], struct platform_routing *routing,
                             struct sup_error *error)
{
    const char *text = platform_request_detail(request, "routing");
    const size_t length = strcspn(text, ":");
    const int rule = find_rule(request, rules, text, length, error);
    struct sup_error why;
    int64_t seed = 1;
    if (rule < 0)
        return rule;
    if (text[length] == ':' && !rules[rule].seeded)
        return sup_fail(error, RB_EINVAL, "%s: routing: %s takes no seed: leave out '%s'",
                        request->face->name, rules[rule].name, text + length);
    if (text[length] == ':' && sup_parse_int(text + length + 1, 0, INT64_MAX, &seed, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "%s: routing: the seed of %s: %s", request->face->name,
                        rules[rule].name, why.text);
    *routing = (struct platform_routing){.rule = rule,
                                         .seed = rules[rule].seeded ? (uint64_t)seed : 0,
                                         .detours = rules[rule].detours,
                                         .per_message = rules[rule].per_message,
                                         .load = rules[rule].load};
    return RB_OK;
}

int platform_parse_dimensions(const char *what, const char *text, int32_t least,
                              int32_t value[PLATFORM_MOST_DIMENSIONS], int32_t *count,
                              struct sup_error *error)
{
    *count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "x");
        char number[24];
        struct sup_error why;
        int64_t parsed;
        if (*count == PLATFORM_MOST_DIMENSIONS)
            return sup_fail(error, RB_EINVAL, "%s: '%s': more than %d dimensions", what, text,
                            PLATFORM_MOST_DIMENSIONS);
        if (length == 0 || length >= sizeof number)
            return sup_fail(error, RB_EINVAL, "%s: '%s': give numbers joined by x, such as 8x8x8",
                            what, text);
        memcpy(number, at, length);
        number[length] = '\0';
        if (sup_parse_int(number, least, PLATFORM_MOST_HOSTS, &parsed, &why) != RB_OK)
            return sup_fail(error, RB_EINVAL, "%s: '%s': %s", what, text, why.text);
        value[(*count)++] = (int32_t)parsed;
        at += length;
        if (*at == '\0')
            return RB_OK;
    }
}

int platform_check_hosts(const struct platform_request *request, int64_t hosts,
                         struct sup_error *error)
{
    return hosts <= PLATFORM_MOST_HOSTS
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "%s:%s: more than %d hosts", request->face->name,
                          request->size, PLATFORM_MOST_HOSTS);
}

int platform_request_torus(const struct platform_request *request, struct platform_cluster *cluster,
                           struct sup_error *error)
{
    int32_t *side = cluster->side;
    int status = platform_parse_dimensions(request->face->name, request->size, 2, side,
                                           &cluster->sides, error);
    const int64_t hosts = status == RB_OK ? platform_product(side, cluster->sides) : 0;
    if (status == RB_OK)
        status = platform_check_hosts(request, hosts, error);
    if (status != RB_OK)
        return status;
    cluster->hosts = (int32_t)hosts;
    cluster->inner_links = true;
    cluster->shape[0] = cluster->sides;
    memcpy(cluster->shape + 1, side, (size_t)cluster->sides * sizeof *side);
    return RB_OK;
}

int64_t platform_product(const int32_t value[], int32_t count)
{
    int64_t product = 1;
    for (int32_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(product, value[i], &product))
            return INT64_MAX;
    return product;
}

const char *platform_format_dimensions(const int32_t value[], int32_t count, char separator,
                                       char *buffer, size_t size)
{
    const char between[] = {separator, '\0'};
    buffer[0] = '\0';
    for (int32_t i = 0; i < count; i++)
        sup_append(buffer, size, between, "%" PRId32, value[i]);
    return buffer;
}

int platform_refuse_size(const struct platform_request *request, int32_t hosts,
                         bool (*fits)(int32_t hosts, const void *data), const void *data,
                         struct sup_error *error)
{
    int32_t below = hosts - 1, above = hosts + 1;
    while (below > 0 && !fits(below, data))
        below--;
    while (above <= PLATFORM_MOST_HOSTS && !fits(above, data))
        above++;
    bool has_below = below > 0, has_above = above <= PLATFORM_MOST_HOSTS;
    char nearest[64];
    if (!has_below && !has_above)
        snprintf(nearest, sizeof nearest, "no size fits with these options");
    else if (has_below && has_above)
        snprintf(nearest, sizeof nearest, "the nearest sizes that fit are %" PRId32 " and %" PRId32,
                 below, above);
    else
        snprintf(nearest, sizeof nearest, "the nearest size that fits is %" PRId32,
                 has_below ? below : above);
    return sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": this size does not fit, %s (%s)",
                    request->face->name, hosts, nearest, request->face->sizes);
}
