/* decide.c - the calls of a decision, what they hold, what was left out, and how a library decides
 * (decide.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/decide.h"
#include "mpi/vendors/names/mpilib.h"
#include "support/memory.h"
#include "support/units.h"

const char *decide_word(struct decide *decision, const char *text)
{
    if (text == NULL)
        return NULL;
    for (size_t i = decision->word_count; i-- > 0;)
        if (strcmp(decision->words[i], text) == 0)
            return decision->words[i];
    sup_grow(&decision->words, decision->word_count, sizeof *decision->words);
    return decision->words[decision->word_count++] = sup_strdup(text);
}

size_t decide_add_place(struct decide *decision, const struct decide_place *given)
{
    struct decide_place place = *given;
    place.place = decide_word(decision, given->place);
    place.library = decide_word(decision, given->library);
    place.collective = decide_word(decision, given->collective);
    place.per_node = given->per_node > 0 ? given->per_node : given->ppn;
    for (size_t i = 0; i < decision->place_count; i++) {
        const struct decide_place *known = &decision->places[i];
        if (known->place == place.place && known->library == place.library &&
            known->collective == place.collective && known->ppn == place.ppn &&
            known->setting == place.setting)
            return i;
    }
    sup_grow(&decision->places, decision->place_count, sizeof *decision->places);
    decision->places[decision->place_count] = place;
    return decision->place_count++;
}

static struct decide_way own_words(struct decide *decision, struct decide_way way)
{
    way.name = decide_word(decision, way.name);
    way.algorithm = decide_word(decision, way.algorithm);
    way.groups = decide_word(decision, way.groups);
    way.rival = decide_word(decision, way.rival);
    way.typed = decide_word(decision, way.typed);
    return way;
}

void decide_add_call(struct decide *decision, const struct decide_call *call)
{
    sup_grow(&decision->calls, decision->call_count, sizeof *decision->calls);
    struct decide_call *added = &decision->calls[decision->call_count++];
    *added = *call;
    added->run = decide_word(decision, call->run);
    added->own = own_words(decision, call->own);
    added->first = decision->way_count;
    added->count = 0;
}

void decide_add_way(struct decide *decision, const struct decide_way *way)
{
    sup_grow(&decision->ways, decision->way_count, sizeof *decision->ways);
    decision->ways[decision->way_count++] = own_words(decision, *way);
    decision->calls[decision->call_count - 1].count++;
}

struct decide_way decide_untimed(int32_t radix, int64_t segment_bytes)
{
    return (struct decide_way){.radix = radix,
                               .segment_bytes = segment_bytes,
                               .offered = true,
                               .time_s = NAN,
                               .low_s = NAN,
                               .high_s = NAN,
                               .confirmed_s = NAN};
}

/* ---- What was left out ----------------------------------------------------------------------- */

static const struct {
    const char *unit, *why;
} reasons[DECIDE_REASONS] = {
    [DECIDE_NO_RULE] =
        {"point", "left out, because the file has no rule there and the library decides by itself"},
    [DECIDE_UNDECIDED] = {"point", "left out, because the library's own choice has no time there"},
    [DECIDE_OTHERS] = {"row", "left out, because the library is another one"},
    [DECIDE_NOT_MEASURED] = {"point", "left out, because the choice was not measured"},
    [DECIDE_NO_PLAN] = {"point", "not judged, because the choice has no plan here"},
    [DECIDE_TOO_LONG] = {"choice", "left out, because a simulation would take too long"},

    [DECIDE_UNTRIED] = {"row", "not used"},
};

void decide_leave_out(struct decide *decision, enum decide_reason reason, int64_t count,
                      const char *what)
{
    struct out_left_out *left_out = &decision->left_out[reason];
    const bool named = reason != DECIDE_FAILED || left_out->count == 0;
    out_leave_out(left_out, count, named ? what : NULL);
}

char *decide_say_left_out(const struct decide *decision, enum decide_reason reason)
{
    const struct out_left_out *left_out = &decision->left_out[reason];
    char which[120];
    if (left_out->count == 0)
        return NULL;
    if (reason == DECIDE_FAILED)
        return sup_format("%" PRId64 " simulation%s failed, such as %s", left_out->count,
                          sup_plural(left_out->count), left_out->names);
    snprintf(which, sizeof which, "%s %s", left_out->count == 1 ? "is" : "are",
             reasons[reason].why);
    return out_left_out_text(left_out, 0, reasons[reason].unit, which);
}

void decide_free(struct decide *decision)
{
    for (size_t i = 0; i < decision->word_count; i++)
        free(decision->words[i]);
    free(decision->words);
    free(decision->places);
    free(decision->calls);
    free(decision->ways);
    free((void *)decision->losses);
    free(decision->rules);
    *decision = (struct decide){0};
}

/* ---- How a library decides, and the blocks of its segments ----------------------------------- */

const struct rb_algorithm_info *decide_plan_of(const struct decide_library *library,
                                               const struct decide_taken *taken,
                                               const char *collective, int32_t p, int32_t per_node)
{
    const struct mpilib_algorithm *row = mpilib_named(library->library, collective, taken->name);
    if (taken->algorithm == NULL || (row != NULL && !mpilib_serves(row, p, per_node)))
        return NULL;
    return rb_algorithm_find(collective, taken->algorithm);
}

/* For n = 1; NULL: there is none. */
static struct rb_plan *plan_of_one(const struct rb_plan_spec *spec)
{
    struct rb_plan_spec one = *spec;
    struct rb_plan *plan;
    char why[200];
    one.n = 1;
    const int status = rb_plan_create(&one, &plan, why, sizeof why);
    sup_had_memory(status != RB_ENOMEM);
    return status == RB_OK ? plan : NULL;
}

/* Blocks of all data for n = 1; 0: there is no plan. */
static int64_t blocks_of_one(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan = plan_of_one(spec);
    if (plan == NULL)
        return 0;
    const int64_t blocks = rb_plan_blocks(plan) * rb_plan_owners(plan);
    rb_plan_destroy(plan);
    return blocks;
}

int32_t decide_radix(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan = spec->radix == 0 ? plan_of_one(spec) : NULL;
    const int32_t radix = plan == NULL ? spec->radix : rb_plan_radix(plan);
    rb_plan_destroy(plan);
    return radix;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

int64_t decide_blocks(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t segment_bytes)
{
    const struct rb_algorithm_info *info = rb_algorithm_find(spec->collective, spec->algorithm);
    const int64_t blocks = blocks_of_one(spec);
    if (info == NULL || blocks == 0)
        return 0;
    if (segment_bytes <= 0 || !info->pipelined)
        return 1;
    const int64_t n = ceil_div(ceil_div(m_bytes, blocks), segment_bytes);
    return n > 1 ? n : 1;
}

int64_t decide_segment(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t n)
{
    const int64_t blocks = blocks_of_one(spec);
    return n <= 1 || blocks == 0 ? 0 : ceil_div(ceil_div(m_bytes, blocks), n);
}
