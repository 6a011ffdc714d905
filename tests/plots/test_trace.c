/* Traces, read back: they have the properties that viewers need, and their messages are those of
 * the run. */
#define _DEFAULT_SOURCE /* open_memstream, strsep */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/run/pictures.h"
#include "tests/diagnosed_run.h"

static char *write_trace(const struct run *run)
{
    const struct diag_trace trace = {.plan = "a \"plan\"",
                                     .platform = "a platform",
                                     .engine = "an engine",
                                     .version = "1.2+3",
                                     .spec = &run->spec,
                                     .recording = &run->recording,
                                     .diagnosis = &run->diagnosis};
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    diag_trace_write(&trace, stream);
    fclose(stream);
    return text;
}

/* Blocks of unequal length, sends and receives that overlap, ranks in different rounds. */
static const struct request requests[] = {
    {"bcast", "circulant", 9, 5, 100003, {SIM_BLOCKING, 1}, NULL, NULL, 0},
    {"bcast", "chain", 4, 6, 1003, {SIM_LOCKSTEP, 1}, NULL, NULL, 0},
    {"allgather", "ring", 7, 1, 100, {SIM_WINDOW, 4}, "torus:7", "simgrid", 0},
    {"alltoall", "bruck", 6, 1, 36000, {SIM_BLOCKING, 1}, NULL, NULL, 0},
    {"alltoall", "bruck", 7, 1, 49000, {SIM_BLOCKING, 1}, NULL, NULL, 2},
    {"bcast", "circulant", 1, 5, 100003, {SIM_BLOCKING, 1}, NULL, NULL, 0},
};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

/* ---- Trace events ---------------------------------------------------------------------------- */

enum { MOST_SLICES = 2000, RUN_TRACKS = 2 };

struct slice {
    int64_t process, track, start_ns, end_ns;
};
struct slices {
    struct slice slice[MOST_SLICES];
    int count;
};

static int64_t ns_of(const json_t *event, const char *name)
{
    const double us = json_number_value(json_object_get(event, name));
    assert_true(fabs(us * 1e3 - nearbyint(us * 1e3)) < 1e-3);
    return llround(us * 1e3);
}

static int64_t int_of(const json_t *event, const char *name)
{
    assert_true(json_is_integer(json_object_get(event, name)));
    return json_integer_value(json_object_get(event, name));
}

static bool has_phase(const json_t *event, const char *phase)
{
    return strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0;
}

/* A slice must not overlap any of its track. */
static void add_slice(struct slices *slices, const json_t *event)
{
    struct slice slice = {.process = int_of(event, "pid"),
                          .track = int_of(event, "tid"),
                          .start_ns = ns_of(event, "ts")};
    slice.end_ns = slice.start_ns + ns_of(event, "dur");
    assert_true(slice.end_ns > slice.start_ns);
    for (int i = 0; i < slices->count; i++)
        if (slices->slice[i].track == slice.track) {
            assert_int_equal(slices->slice[i].process, slice.process);
            assert_true(slices->slice[i].end_ns <= slice.start_ns ||
                        slice.end_ns <= slices->slice[i].start_ns);
        }
    assert_true(slices->count < MOST_SLICES);
    slices->slice[slices->count++] = slice;
}

/* The slice that holds an arrow's end. */
static const struct slice *slice_at(const struct slices *slices, const json_t *event)
{
    for (int i = 0; i < slices->count; i++)
        if (slices->slice[i].track == int_of(event, "tid") &&
            slices->slice[i].process == int_of(event, "pid") &&
            slices->slice[i].start_ns <= ns_of(event, "ts") &&
            ns_of(event, "ts") < slices->slice[i].end_ns)
            return &slices->slice[i];
    fail_msg("an arrow ends in the air");
    return NULL;
}

/* Arrow i is message i: from the sender's slice to the receiver's, of the message's times. */
static void check_arrow(const struct run *run, const struct slices *slices, const json_t *event,
                        bool at_receiver)
{
    const int64_t id = int_of(event, "id");
    assert_in_range(id, 0, run->recording.count - 1);
    const struct sim_message *message = &run->recording.message[id];
    const struct slice *slice = slice_at(slices, event);
    assert_int_equal(slice->process, RUN_TRACKS + (at_receiver ? message->to : message->from));
    assert_int_equal(slice->start_ns, llround(message->start_s * 1e9));
    assert_int_equal(slice->end_ns, llround(message->end_s * 1e9));
}

static void check_events(const struct run *run, const json_t *events)
{
    static struct slices slices;
    const json_t *event;
    size_t i;
    int starts = 0, ends = 0, phases = 0;
    slices.count = 0;
    for (int phase = 0; phase < OBS_PHASES; phase++)
        phases += llround(run->diagnosis.phase[phase].to_s * 1e9) >
                  llround(run->diagnosis.phase[phase].from_s * 1e9);
    json_array_foreach(events, i, event)
    {
        if (has_phase(event, "X"))
            add_slice(&slices, event);
        else
            assert_true(has_phase(event, "M") || has_phase(event, "s") || has_phase(event, "f"));
    }
    assert_int_equal(slices.count, 2 * run->recording.count + run->diagnosis.path.count + phases);
    json_array_foreach(events, i, event)
    {
        if (!has_phase(event, "s") && !has_phase(event, "f"))
            continue;
        *(has_phase(event, "f") ? &ends : &starts) += 1;
        check_arrow(run, &slices, event, has_phase(event, "f"));
    }
    assert_int_equal(starts, run->recording.count);
    assert_int_equal(ends, run->recording.count);
}

static void events_are_as_viewers_want_them(void **state)
{
    (void)state;
    for (int i = 0; i < REQUESTS; i++) {
        struct run run;
        json_error_t where;
        diagnose(&run, &requests[i]);
        char *text = write_trace(&run);
        json_t *trace = json_loads(text, 0, &where);
        if (trace == NULL)
            fail_msg("line %d: %s", where.line, where.text);
        check_events(&run, json_object_get(trace, "traceEvents"));
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(trace, "otherData"), "plan")),
            "a \"plan\"");
        json_decref(trace);
        free(text);
        end(&run);
    }
}

/* Of a chain of three: 0 to 1 in round 0, 1 to 2 in round 1, 2 us each. */
static void events_say_what_they_are(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 3, 1, 1000, blocking, NULL, NULL, 0};
    static const char *const lines[] = {
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4,\"tid\":7,\"args\":{\"name\":\"rank "
        "2\"}}",
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":4,\"tid\":8,\"args\":{\"name\":"
        "\"receives\"}}",
        "{\"ph\":\"X\",\"name\":\"1 to 2, round 1 (data)\",\"pid\":1,\"tid\":2,\"ts\":2.0,"
        "\"dur\":2.0}",
        "{\"ph\":\"X\",\"cat\":\"receive\",\"name\":\"round 1, block "
        "0\",\"pid\":4,\"tid\":8,\"ts\":2.000,\"dur\":2.000,\"args\":{\"round\":1,\"block\":0,"
        "\"from\":1,\"bytes\":1000}}",
        "{\"ph\":\"s\",\"cat\":\"message\",\"name\":\"message\",\"id\":1,\"pid\":3,\"tid\":5,"
        "\"ts\":2.000}",
    };
    struct run run;
    diagnose(&run, &request);
    char *text = write_trace(&run);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("no %s in\n%s", lines[i], text);
    free(text);
    end(&run);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void names_end_in_json(void **state)
{
    (void)state;
    struct sup_error error;
    assert_int_equal(diag_trace_check_name("a.b/c.json", &error), RB_OK);
    static const char *const wrong[] = {"json", ".json", "c.trace", "c.json.txt"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(diag_trace_check_name(wrong[i], &error), RB_EINVAL);
        assert_non_null(strstr(error.text, "must end in .json"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_as_viewers_want_them),
        cmocka_unit_test(events_say_what_they_are),
        cmocka_unit_test(names_end_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
