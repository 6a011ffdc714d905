/* for_libraries.c - the functions of plan.h that libraries on top of the core need. A shared
 * library has them inside (CMakeLists.txt), because the shared core exports only what roundabout.h
 * declares. They keep nothing between calls. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

int rb_why(char *why, size_t why_size, int status, const char *format, ...)
{
    if (why != NULL && why_size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(why, why_size, format, arguments);
        va_end(arguments);
    }
    return status;
}

int rb_need_one_port(const struct rb_plan *plan, char *why, size_t why_size)
{
    if (plan->ports == 1)
        return RB_OK;
    return rb_why(why, why_size, RB_EINVAL,
                  "%s %s is a one-port algorithm: ports must be 1, not %d",
                  plan->collective->info.name, plan->algorithm->info.name, (int)plan->ports);
}

int rb_on_one_port(struct rb_plan *plan, int64_t rounds, int32_t max_ops, char *why,
                   size_t why_size)
{
    plan->rounds = rounds;
    plan->max_ops = max_ops;
    return rb_need_one_port(plan, why, why_size);
}

struct rb_share rb_share_of(const struct rb_plan *plan, int32_t owner, int32_t part)
{
    const struct rb_shares *shares = plan->shares;
    const size_t end = shares->row[owner + 1];
    size_t low = shares->row[owner], high = end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (shares->share[middle].part < part)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && shares->share[low].part == part)
        return shares->share[low];
    const int64_t before =
        low < shares->row[plan->owners] ? shares->share[low].before : shares->units;
    return (struct rb_share){.part = part, .before = before};
}

/* ---- Which problem of a family --------------------------------------------------------------- */

/* NAME=VALUE,... read into numbers. */

/* The number called by the first `length` characters of word. */
static struct rb_instance_number *named(struct rb_instance_number numbers[], int32_t count,
                                        const char *word, size_t length)
{
    for (int32_t i = 0; i < count; i++)
        if (strlen(numbers[i].name) == length && strncmp(numbers[i].name, word, length) == 0)
            return &numbers[i];
    return NULL;
}

static int read_value(struct rb_instance_number *number, const char *text, size_t length, char *why,
                      size_t why_size)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (number->given)
        return rb_why(why, why_size, RB_EINVAL, "%s is given twice", number->name);
    if (length == 0 || end != text + length || errno != 0 || value < number->least ||
        value > number->most)
        return rb_why(why, why_size, RB_EINVAL, "%s must be a whole number in %lld..%lld, not %.*s",
                      number->name, (long long)number->least, (long long)number->most, (int)length,
                      text);
    number->value = value;
    number->given = true;
    return RB_OK;
}

int rb_instance_read(const char *text, struct rb_instance_number numbers[], int32_t count,
                     char *why, size_t why_size)
{
    int status = RB_OK;
    for (const char *at = text; status == RB_OK && at != NULL;) {
        const size_t word = strcspn(at, ","), name = strcspn(at, "=,");
        struct rb_instance_number *number = named(numbers, count, at, name);
        if (number == NULL)
            return rb_why(why, why_size, RB_EINVAL, "\"%.*s\" is none of its values", (int)name,
                          at);
        const size_t value = name < word ? name + 1 : word;
        status = read_value(number, at + value, word - value, why, why_size);
        at = at[word] == ',' ? at + word + 1 : NULL;
    }
    return status;
}
