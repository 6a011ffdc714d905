/* request.c - NAME:SIZE,detail=value,... taken apart and checked against the generator's table. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "roundabout.h"
#include "support/units.h"

void rb_request_free(struct rb_platform_request *request)
{
    free(request->copy);
    *request = (struct rb_platform_request){0};
}

static int32_t option_index(const struct rb_platform_option *options, const char *name)
{
    for (int32_t i = 0; options[i].name != NULL; i++)
        if (strcmp(options[i].name, name) == 0)
            return i;
    return -1;
}

static int refuse_detail(const struct rb_platform_request *request, const char *name,
                         struct rb_error *error)
{
    const char *names[RB_MOST_DETAILS];
    char all[256] = "";
    size_t count = 0, used = 0;
    for (; request->face->options[count].name != NULL; count++) {
        names[count] = request->face->options[count].name;
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count > 0 ? ", " : "",
                                     names[count]);
    }
    const char *nearest = rb_nearest_word(name, names, count);
    if (nearest != NULL)
        return rb_fail(error, RB_EINVAL, "%s has no option '%s': did you mean '%s'?",
                       request->face->name, name, nearest);
    return rb_fail(error, RB_EINVAL, "%s has no option '%s': it must be one of %s",
                   request->face->name, name, all);
}

static int take_detail(struct rb_platform_request *request, char *text, bool given[],
                       struct rb_error *error)
{
    char *equals = strchr(text, '=');
    if (equals == NULL)
        return rb_fail(error, RB_EINVAL,
                       "%s: '%s' is not an option: options are written name=value, separated by "
                       "commas",
                       request->face->name, text);
    *equals = '\0';
    int32_t i = option_index(request->face->options, text);
    if (i < 0)
        return refuse_detail(request, text, error);
    if (given[i])
        return rb_fail(error, RB_EINVAL, "%s: option '%s' is given twice", request->face->name,
                       text);
    if (equals[1] == '\0')
        return rb_fail(error, RB_EINVAL, "%s: option '%s' has no value after '='",
                       request->face->name, text);
    given[i] = true;
    request->detail[i] = equals + 1;
    return RB_OK;
}

int rb_request_parse(const char *text, const struct rb_platform_generator *face,
                     struct rb_platform_request *request, struct rb_error *error)
{
    *request = (struct rb_platform_request){.face = face};
    bool given[RB_MOST_DETAILS] = {false};
    for (int32_t i = 0; face->options[i].name != NULL; i++) {
        assert(i < RB_MOST_DETAILS);
        request->detail[i] = face->options[i].fallback;
    }
    size_t name = strcspn(text, ":");
    if (text[name] == '\0' || text[name + 1] == '\0' || text[name + 1] == ',')
        return rb_fail(error, RB_EINVAL, "%s needs a size after ':': %s", face->name, face->sizes);
    request->copy = strdup(text);
    if (request->copy == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    request->size = request->copy + name + 1;
    int status = RB_OK;
    char *rest = strchr(request->size, ',');
    while (rest != NULL && status == RB_OK) {
        char *detail = rest + 1;
        *rest = '\0';
        rest = strchr(detail, ',');
        if (rest != NULL)
            *rest = '\0';
        status = take_detail(request, detail, given, error);
    }
    return status;
}

const char *rb_request_detail(const struct rb_platform_request *request, const char *name)
{
    int32_t i = option_index(request->face->options, name);
    assert(i >= 0);
    return request->detail[i];
}

int rb_request_int(const struct rb_platform_request *request, const char *name, int32_t least,
                   int32_t *value, struct rb_error *error)
{
    const char *text = rb_request_detail(request, name);
    if (text == NULL)
        return RB_OK;
    struct rb_error why;
    int64_t number;
    if (rb_parse_int(text, least, RB_PLATFORM_MOST_HOSTS, &number, &why) != RB_OK)
        return rb_fail(error, RB_EINVAL, "%s: %s: %s", request->face->name, name, why.text);
    *value = (int32_t)number;
    return RB_OK;
}

int rb_request_hosts(const struct rb_platform_request *request, int32_t least, int32_t *hosts,
                     struct rb_error *error)
{
    struct rb_error why;
    int64_t number;
    if (rb_parse_int(request->size, least, RB_PLATFORM_MOST_HOSTS, &number, &why) != RB_OK)
        return rb_fail(error, RB_EINVAL, "%s: number of hosts: %s", request->face->name, why.text);
    *hosts = (int32_t)number;
    return RB_OK;
}

int rb_parse_dimensions(const char *what, const char *text, int32_t least,
                        int32_t value[RB_MOST_DIMENSIONS], int32_t *count, struct rb_error *error)
{
    *count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "x");
        char number[24];
        struct rb_error why;
        int64_t parsed;
        if (*count == RB_MOST_DIMENSIONS)
            return rb_fail(error, RB_EINVAL, "%s: '%s': more than %d dimensions", what, text,
                           RB_MOST_DIMENSIONS);
        if (length == 0 || length >= sizeof number)
            return rb_fail(error, RB_EINVAL, "%s: '%s': give numbers joined by x, such as 8x8x8",
                           what, text);
        memcpy(number, at, length);
        number[length] = '\0';
        if (rb_parse_int(number, least, RB_PLATFORM_MOST_HOSTS, &parsed, &why) != RB_OK)
            return rb_fail(error, RB_EINVAL, "%s: '%s': %s", what, text, why.text);
        value[(*count)++] = (int32_t)parsed;
        at += length;
        if (*at == '\0')
            return RB_OK;
    }
}

int64_t rb_product(const int32_t value[], int32_t count)
{
    int64_t product = 1;
    for (int32_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(product, value[i], &product))
            return INT64_MAX;
    return product;
}

const char *rb_format_dimensions(const int32_t value[], int32_t count, char separator, char *buffer,
                                 size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (int32_t i = 0; i < count && used < size; i++) {
        if (i > 0)
            used += (size_t)snprintf(buffer + used, size - used, "%c", separator);
        if (used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%" PRId32, value[i]);
    }
    return buffer;
}

int rb_refuse_size(const struct rb_platform_request *request, int32_t hosts,
                   bool (*fits)(int32_t hosts, const void *data), const void *data,
                   struct rb_error *error)
{
    int32_t below = hosts - 1, above = hosts + 1;
    while (below > 0 && !fits(below, data))
        below--;
    while (above <= RB_PLATFORM_MOST_HOSTS && !fits(above, data))
        above++;
    bool has_below = below > 0, has_above = above <= RB_PLATFORM_MOST_HOSTS;
    char nearest[64];
    if (!has_below && !has_above)
        snprintf(nearest, sizeof nearest, "no size fits with these options");
    else if (has_below && has_above)
        snprintf(nearest, sizeof nearest, "the nearest sizes that fit are %" PRId32 " and %" PRId32,
                 below, above);
    else
        snprintf(nearest, sizeof nearest, "the nearest size that fits is %" PRId32,
                 has_below ? below : above);
    return rb_fail(error, RB_EINVAL, "%s:%" PRId32 ": this size does not fit, %s (%s)",
                   request->face->name, hosts, nearest, request->face->sizes);
}
