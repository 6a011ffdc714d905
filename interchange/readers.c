/* readers.c - the table of formats. */
#include "interchange/readers.h"

#include <stdio.h>
#include <string.h>

/* The first that knows the text reads it. */
static const struct inter_reader *const readers[] = {
    &inter_mscclpp_reader, &inter_plan_json, &inter_goal_reader,
    &inter_msccl_reader,   &inter_plan_csv,
};
enum { READERS = sizeof readers / sizeof readers[0] };

int inter_read(struct sup_lines *lines, struct inter_plan *plan)
{
    const char *text = lines->next + strspn(lines->next, " \t\r\n");
    char titles[200] = "";
    for (size_t i = 0, used = 0; i < READERS; i++) {
        if (readers[i]->knows(text))
            return readers[i]->read(lines, plan);
        if (used < sizeof titles)
            used += (size_t)snprintf(titles + used, sizeof titles - used, "%s%s",
                                     i == 0 ? "" : ", ", readers[i]->title);
    }
    return inter_fail(plan, 1, "no plan in a format that is known: %s", titles);
}
