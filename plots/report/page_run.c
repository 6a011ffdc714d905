/* page_run.c - a report of one simulated run: its messages, links and diagnosis. */
#include "plots/report/page.h"

#include <math.h>
#include <stdlib.h>

#include "plots/figure/plot_look.h"
#include "sim/observe/diagnosis.h"
#include "support/memory.h"
#include "support/output/table.h"

/* ---- Messages -------------------------------------------------------------------------------- */

/* Which messages are embedded: indices into the recording, rising. */
struct choice {
    int32_t *message; /* owned */
    int32_t *place;   /* owned; per message of the recording its place in `message`, or -1 */
    int32_t count;
    int32_t every; /* those that each every-th rank receives, and the critical path's */
};

static void choose(struct choice *choice, const struct obs_recording *recording,
                   const bool on_path[])
{
    choice->every = 0;
    do {
        choice->every++;
        choice->count = 0;
        for (int32_t i = 0; i < recording->count; i++) {
            const bool taken = on_path[i] || recording->message[i].to % choice->every == 0;
            choice->place[i] = taken ? choice->count : -1;
            if (taken && choice->count < PAGE_MOST_MESSAGES)
                choice->message[choice->count] = i;
            choice->count += taken;
        }
    } while (choice->count > PAGE_MOST_MESSAGES && choice->every < recording->p);
    if (choice->count > PAGE_MOST_MESSAGES)
        choice->count = PAGE_MOST_MESSAGES;
}

/* The columns of the messages, one array each. */
enum column {
    FROM,
    TO,
    PORT,
    ROUND,
    BYTES,
    OWNER,
    FIRST,
    BLOCKS,
    CAUSE,
    AT,
    BEFORE,
    START_S,
    END_S,
    ALONE_S,
    COLUMNS
};
static const char *const column_names[COLUMNS] = {
    "from",        "to",    "port", "round",  "bytes",   "owner", "first",
    "block_count", "cause", "at",   "before", "start_s", "end_s", "alone_s"};

/* What a message carries: the first block's owner and number, and how many blocks there are. */
struct load {
    int64_t owner, first, blocks;
};

static struct load load_of(const struct sim_spec *spec, const struct sim_message *message,
                           struct rb_op ops[])
{
    struct load load = {0};
    const int32_t count = obs_message_ops(spec, message, false, ops);
    for (int32_t i = 0; i < count; i++)
        load.blocks += ops[i].at.count;
    if (count > 0) {
        load.owner = ops[0].at.owner;
        load.first = ops[0].at.first;
    }
    return load;
}

static json_t *messages_json(const struct page_run *run, const struct choice *choice,
                             const struct obs_wait waits[], struct rb_op ops[])
{
    const struct obs_recording *recording = run->recording;
    const struct sim_spec *spec = run->spec;
    json_t *columns[COLUMNS], *causes = json_array();
    for (int i = 0; i < COLUMNS; i++)
        columns[i] = json_array();
    for (int i = 0; i < OBS_CAUSES; i++)
        json_array_append_new(causes, json_string(obs_cause_names[i]));
    for (int32_t i = 0; i < choice->count; i++) {
        const struct sim_message *message = &recording->message[choice->message[i]];
        const struct load load = load_of(spec, message, ops);
        const int32_t before = waits[i].message;
        const int64_t wholes[START_S] = {[FROM] = message->from,
                                         [TO] = message->to,
                                         [PORT] = message->port,
                                         [ROUND] = message->round,
                                         [BYTES] = message->bytes,
                                         [OWNER] = load.owner,
                                         [FIRST] = load.first,
                                         [BLOCKS] = load.blocks,
                                         [CAUSE] = waits[i].cause,
                                         [AT] = waits[i].at,
                                         [BEFORE] = before < 0 ? -1 : choice->place[before]};
        const double reals[COLUMNS] = {
            [START_S] = message->start_s, [END_S] = message->end_s, [ALONE_S] = message->alone_s};
        for (int k = 0; k < COLUMNS; k++)
            json_array_append_new(columns[k],
                                  k < START_S ? json_integer(wholes[k]) : out_json_real(reals[k]));
    }
    json_t *all =
        json_pack("{s:i, s:i, s:i, s:s, s:I, s:o}", "total", recording->count, "every",
                  choice->every, "ranks", recording->p, "coloured_by", plot_colours_name(spec),
                  "colours", (json_int_t)plot_colours_count(spec), "causes", causes);
    for (int i = 0; i < COLUMNS; i++)
        json_object_set_new(all, column_names[i], columns[i]);
    return all;
}

/* The messages with what they waited for. */
static json_t *chosen_messages(const struct page_run *run, const bool on_path[])
{
    const struct obs_recording *recording = run->recording;
    const size_t count = (size_t)recording->count + 1;
    const size_t most = count < PAGE_MOST_MESSAGES ? count : PAGE_MOST_MESSAGES;
    struct choice choice = {.message = sup_reallocarray(NULL, most, sizeof *choice.message),
                            .place = sup_reallocarray(NULL, count, sizeof *choice.place)};
    struct obs_wait *waits = sup_reallocarray(NULL, most, sizeof *waits);
    const size_t most_ops = (size_t)rb_plan_max_ops(run->spec->plan) + 1;
    struct rb_op *ops = sup_reallocarray(NULL, most_ops, sizeof *ops);
    choose(&choice, recording, on_path);
    if (obs_waits_find(run->spec, run->result, recording, choice.message, choice.count, waits,
                       NULL) != RB_OK)
        sup_no_memory();
    json_t *messages = messages_json(run, &choice, waits, ops);
    free(choice.message);
    free(choice.place);
    free(waits);
    free(ops);
    return messages;
}

static json_t *all_messages(const struct page_run *run)
{
    const struct obs_recording *recording = run->recording;
    bool *on_path = sup_calloc((size_t)recording->count + 1, sizeof *on_path);
    for (int32_t i = 0; i < run->path->count; i++)
        on_path[run->path->step[i].message - recording->message] = true;
    json_t *messages = chosen_messages(run, on_path);
    free(on_path);
    return messages;
}

/* ---- Links over time ------------------------------------------------------------------------- */

static double carried_by(const struct sim_contention *contention, int32_t link)
{
    const struct sim_carrier *carrier = &contention->link[link];
    double sum = 0;
    for (int32_t bin = 0; carrier->carried != NULL && bin < contention->bins; bin++)
        sum += carrier->carried[bin] / carrier->bandwidth;
    return sum;
}

/* Sets chosen[] for the `most` links of a level that carry most for their bandwidth. */
static void choose_links(const struct sim_level *level, int32_t most, const double carried[],
                         bool chosen[])
{
    for (int32_t k = 0; k < most && k < level->count; k++) {
        int32_t best = -1;
        for (int32_t i = level->first; i < level->first + level->count; i++)
            if (!chosen[i] && carried[i] > 0 && (best < 0 || carried[i] > carried[best]))
                best = i;
        if (best < 0)
            return;
        chosen[best] = true;
    }
}

/* The loads of a link, from 0 to 1, to three digits after the point: bins that carry nothing are 0.
 */
static json_t *link_json(const struct sim_contention *contention, int32_t link)
{
    const struct sim_carrier *carrier = &contention->link[link];
    json_t *loads = json_array();
    for (int32_t bin = 0; bin < contention->bins; bin++) {
        const double length_s =
            fmin(contention->bin_s, contention->time_s - bin * contention->bin_s);
        const double load = carrier->carried[bin] / (carrier->bandwidth * length_s);
        json_array_append_new(loads,
                              load < 5e-4 ? json_integer(0) : json_real(round(1000 * load) / 1000));
    }
    return json_pack("{s:o, s:i, s:f, s:o}", "link", out_json_text(carrier->name), "level",
                     carrier->level, "bandwidth_bytes_per_s", carrier->bandwidth, "load", loads);
}

static json_t *rounds_json(const struct sim_contention *contention)
{
    json_t *columns = json_array();
    for (int32_t column = 0; column < contention->columns; column++) {
        json_t *loads = json_array();
        for (int32_t level = 0; level < contention->levels; level++)
            json_array_append_new(
                loads, json_real(contention->round[column * contention->levels + level].load));
        json_array_append_new(columns, loads);
    }
    return columns;
}

static json_t *contention_json(const struct sim_contention *contention)
{
    double *carried = sup_calloc((size_t)contention->links + 1, sizeof *carried);
    bool *chosen = sup_calloc((size_t)contention->links + 1, sizeof *chosen);
    json_t *levels = json_array(), *links = json_array();
    for (int32_t i = 0; i < contention->links; i++)
        carried[i] = carried_by(contention, i);
    for (int32_t i = 0; i < contention->levels; i++) {
        const struct sim_level *level = &contention->level[i];
        choose_links(level, PAGE_MOST_LINKS / contention->levels, carried, chosen);
        json_array_append_new(levels, json_pack("{s:o, s:i}", "name", out_json_text(level->name),
                                                "links", level->count));
    }
    for (int32_t i = 0; i < contention->links; i++)
        if (chosen[i])
            json_array_append_new(links, link_json(contention, i));
    free(carried);
    free(chosen);
    return json_pack("{s:f, s:f, s:i, s:i, s:I, s:I, s:o, s:o, s:o}", "time_s", contention->time_s,
                     "bin_s", contention->bin_s, "bins", contention->bins, "total",
                     contention->links, "rounds", (json_int_t)contention->rounds, "column_rounds",
                     (json_int_t)contention->column_rounds, "levels", levels, "links", links,
                     "load_of_rounds", rounds_json(contention));
}

/* ---- Ranks and steps ------------------------------------------------------------------------- */

/* If an array is too long, keeps some of its items, spread evenly, and notes how many there were.
 */
static void thin(json_t *parent, const char *name, json_t *left_out)
{
    json_t *all = json_object_get(parent, name);
    const size_t count = json_array_size(all);
    if (count <= PAGE_MOST_ROWS)
        return;
    json_t *kept = json_array();
    for (size_t i = 0; i < PAGE_MOST_ROWS; i++)
        json_array_append(kept, json_array_get(all, i * (count - 1) / (PAGE_MOST_ROWS - 1)));
    json_object_set_new(parent, name, kept);
    json_object_set_new(left_out, name, json_integer((json_int_t)count));
}

/* finish_s has nothing that the ranks of the diagnosis don't have. */
static json_t *thin_diagnosis(json_t *simulated)
{
    json_t *diagnosis = json_object_get(simulated, "diagnosis"), *left_out = json_object();
    json_object_del(simulated, "finish_s");
    thin(diagnosis, "ranks", left_out);
    thin(json_object_get(diagnosis, "critical_path"), "steps", left_out);
    return left_out;
}

/* ---- The page's data ------------------------------------------------------------------------- */

json_t *page_run_data(const struct page_run *run)
{
    const struct sim_contention *contention = run->result == NULL ? NULL : run->result->contention;
    json_t *left_out = thin_diagnosis(run->simulated);
    json_t *data = json_pack("{s:s, s:o, s:o, s:o}", "kind", "run", "origin", run->origin,
                             "simulated", run->simulated, "left_out", left_out);
    if (run->recording != NULL)
        json_object_set_new(data, "messages", all_messages(run));
    if (contention != NULL && contention->levels > 0)
        json_object_set_new(data, "contention", contention_json(contention));
    if (run->map != NULL)
        json_object_set_new(data, "map", run->map);
    return data;
}

json_t *page_workload_data(json_t *simulated, json_t *origin, json_t *steps,
                           const struct sim_contention *contention, json_t *map)
{
    json_t *data = json_pack("{s:s, s:o, s:o, s:o}", "kind", "workload", "origin", origin,
                             "simulated", simulated, "steps", steps);
    if (contention != NULL && contention->levels > 0)
        json_object_set_new(data, "contention", contention_json(contention));
    if (map != NULL)
        json_object_set_new(data, "map", map);
    return data;
}

/* What simulate has printed has these members at least. */
static bool is_simulated(const json_t *value)
{
    const json_t *diagnosis = json_object_get(value, "diagnosis");
    return json_is_string(json_object_get(value, "collective")) &&
           json_is_string(json_object_get(value, "engine")) &&
           json_is_number(json_object_get(value, "time_s")) &&
           (diagnosis == NULL || json_is_object(diagnosis));
}

int page_run_read(const char *path, json_t *origin, json_t **data, struct sup_error *error)
{
    json_error_t why;
    struct page_run run = {.simulated = json_load_file(path, JSON_REJECT_DUPLICATES, &why),
                           .origin = origin};
    *data = NULL;
    int status = RB_OK;
    if (run.simulated == NULL)
        status =
            sup_fail(error, RB_EINVAL,
                     "%s: is neither a results file nor JSON that simulate prints: line %d: %s",
                     path, why.line, why.text);
    else if (!is_simulated(run.simulated))
        status = sup_fail(error, RB_EINVAL,
                          "%s: is not what roundabout simulate --format json prints: collective, "
                          "engine or time_s is missing",
                          path);
    if (status == RB_OK) {
        *data = page_run_data(&run);
        return RB_OK;
    }
    json_decref(run.simulated);
    json_decref(origin);
    return status;
}
