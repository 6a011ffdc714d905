/* nics.c - see nics.h. */
#include "nics.h"

#include <stddef.h>
#include <stdlib.h>

#include "support/memory.h"

void flow_nics_init(struct flow_nics *nics, int32_t count, int32_t slots)
{
    nics->nic = sup_malloc(((size_t)count + 1) * sizeof *nics->nic);
    nics->place = sup_calloc((size_t)slots + 1, sizeof *nics->place);
    for (int32_t i = 0; i < count; i++)
        nics->nic[i] = (struct flow_nic){-1, -1};
}

void flow_nics_free(struct flow_nics *nics)
{
    free(nics->nic);
    free(nics->place);
    *nics = (struct flow_nics){0};
}

/* True if the message stands before one that starts now. The bytes of one that is ready may move.
 */
static bool stays_before(const struct flow_nics *nics, int32_t slot, int32_t started)
{
    const struct flow_nic_place *a = &nics->place[slot], *b = &nics->place[started];
    if (a->is_ready || a->start_s < b->start_s)
        return true;
    return a->round != b->round ? a->round < b->round : slot < started;
}

void flow_nics_add(struct flow_nics *nics, int32_t slot, int32_t nic, double start_s, int64_t round)
{
    struct flow_nic_place *place = &nics->place[slot];
    *place = (struct flow_nic_place){nic, -1, -1, .start_s = start_s, .round = round};
    if (nic < 0)
        return;
    struct flow_nic *queue = &nics->nic[nic];
    place->previous = queue->last;
    while (place->previous >= 0 && !stays_before(nics, place->previous, slot)) {
        place->next = place->previous;
        place->previous = nics->place[place->next].previous;
    }
    *(place->next < 0 ? &queue->last : &nics->place[place->next].previous) = slot;
    *(place->previous < 0 ? &queue->first : &nics->place[place->previous].next) = slot;
}

bool flow_nics_ready(struct flow_nics *nics, int32_t slot)
{
    struct flow_nic_place *place = &nics->place[slot];
    place->is_ready = true;
    return place->nic < 0 || nics->nic[place->nic].first == slot;
}

int32_t flow_nics_remove(struct flow_nics *nics, int32_t slot)
{
    const struct flow_nic_place *place = &nics->place[slot];
    if (place->nic < 0)
        return -1;
    struct flow_nic *queue = &nics->nic[place->nic];
    queue->first = place->next;
    *(place->next < 0 ? &queue->last : &nics->place[place->next].previous) = -1;
    return place->next >= 0 && nics->place[place->next].is_ready ? place->next : -1;
}
