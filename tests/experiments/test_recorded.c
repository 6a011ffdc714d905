/* test_recorded.c - workloads from recordings whose times are known, because the test writes them.
 */
#define _DEFAULT_SOURCE /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/recorded/recorded.h"
#include "roundabout.h"

enum { RANKS = 4, PASSES = 3 };
/* A rank's file; now: nanoseconds since its start; offset: of its clock, at the end. */
struct making {
    FILE *file;
    int64_t now, offset;
};

static void put(struct making *making, void *record, uint32_t kind, size_t size)
{
    *(struct record_start *)record = (struct record_start){kind, (uint32_t)(size / 8)};
    assert_int_equal(fwrite(record, size, 1, making->file), 1);
}

static void members(struct making *making, int32_t number, int32_t first, int32_t count)
{
    struct {
        struct record_members about;
        int32_t of[RANKS];
    } all = {.about = {.communicator = number, .count = count}};
    for (int32_t i = 0; i < count; i++)
        all.of[i] = first + i;
    put(making, &all, RECORD_MEMBERS, sizeof all);
}

static void call_as(struct making *making, uint8_t how, int collective, int32_t communicator,
                    int64_t bytes, int64_t inside)
{
    struct record_call made = {.enter = making->now,
                               .leave = making->now + inside,
                               .bytes = bytes,
                               .how = how,
                               .slots = how != RECORD_BLOCKING,
                               .communicator = communicator,
                               .root = -1,
                               .collective = (uint8_t)collective,
                               .element = 1,
                               .algorithm = -1};
    making->now = made.leave;
    put(making, &made, RECORD_CALL, sizeof made);
}

static void call(struct making *making, int collective, int32_t communicator, int64_t bytes,
                 int64_t inside)
{
    call_as(making, RECORD_BLOCKING, collective, communicator, bytes, inside);
}

static void phase(struct making *making, int32_t to, int64_t bytes, int64_t until)
{
    struct {
        struct record_peers about;
        struct record_peer peer;
    } all = {{.count = 1, .inside = until - making->now, .leave = until}, {to, 1, bytes}};
    making->now = until;
    put(making, &all, RECORD_PEERS, sizeof all);
}

/* A recording in a new directory, of which each rank's calls are made by `make`, read. */
static int read_made(void (*make)(struct making *, int32_t r), char **text,
                     struct workload_told *told, struct sup_error *error)
{
    char directory[] = "/tmp/test_recorded_XXXXXX", name[64];
    size_t size;
    const struct workload_wishes wishes = {0};
    assert_non_null(mkdtemp(directory));
    for (int32_t r = 0; r < RANKS; r++) {
        struct record_header header = {.magic = RECORD_MAGIC, .rank = r, .ranks = RANKS};
        struct record_end end = {0};
        snprintf(name, sizeof name, "%s/" RECORD_NAME, directory, r);
        struct making making = {.file = fopen(name, "wb")};
        assert_non_null(making.file);
        assert_int_equal(fwrite(&header, sizeof header, 1, making.file), 1);
        members(&making, 0, 0, RANKS);
        make(&making, r);
        end.enter = making.now;
        end.offset = making.offset;
        put(&making, &end, RECORD_END, sizeof end);
        fclose(making.file);
    }
    const int status =
        workload_source_text(&recorded_source, directory, &wishes, text, &size, told, error);
    for (int32_t r = 0; r < RANKS; r++) {
        snprintf(name, sizeof name, "%s/" RECORD_NAME, directory, r);
        unlink(name);
    }
    rmdir(directory);
    return status;
}

/* The text of its workload, which the caller frees. */
static char *text_of(void (*make)(struct making *, int32_t r), struct workload_told *told)
{
    char *text;
    struct sup_error error = {""};
    const int status = read_made(make, &text, told, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(status, RB_OK);
    return text;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in\n%s", part, text);
}

/* ---- Ranks that are late in turn ------------------------------------------------------------- */

/* In each pass a message to the next rank and an allreduce, which in the last pass is
 * interrupted; before it, the recorder writes for 7 us, which is no computing. */
static void stencil(struct making *making, int32_t r)
{
    making->now = 1000;
    call(making, RECORD_OF_Barrier, 0, 0, 100);
    for (int32_t k = 0; k < PASSES; k++) {
        struct record_pause pause = {.length = 7000};
        put(making, &pause, RECORD_PAUSE, sizeof pause);
        making->now += pause.length;
        const int64_t begin = making->now;
        making->now += 10000 * (1 + (r + k) % RANKS);
        phase(making, (r + 1) % RANKS, 4096, begin + 40500);
        call(making, RECORD_OF_Allreduce, 0, 8, k == 2 ? 10000 : 200);
    }
}

static void computing_is_as_it_was(void **state)
{
    (void)state;
    struct workload_told told = {0};
    char *text = text_of(stencil, &told);
    has(text, "repeat: 3\n        do:\n"
              "          - {compute: {each: [10us, 20us, 30us, 40us, 20us, 30us, 40us, 10us, "
              "30us, 40us, 10us, 20us]}}\n"
              "          - matrix: {messages: [[0, 1, 4096], [1, 2, 4096], [2, 3, 4096], "
              "[3, 0, 4096]]}\n"
              "          - {allreduce: {bytes: 8}}\n");
    /* In each pass one rank receives from one that computes for 30 us longer. */
    assert_true(told.waiting_s > 22.49e-6 && told.waiting_s < 22.51e-6);
    assert_true(told.interrupted_s > 9.79e-6 && told.interrupted_s < 9.81e-6);
    assert_true(told.communicating_s > 56.99e-6 && told.communicating_s < 57.01e-6);
    free(text);
    workload_told_free(&told);
}

/* All ranks always compute as long: that is one number. */
static void steady(struct making *making, int32_t r)
{
    (void)r;
    call(making, RECORD_OF_Barrier, 0, 0, 100);
    for (int32_t k = 0; k < PASSES; k++) {
        making->now += 10000;
        call(making, RECORD_OF_Allreduce, 0, 8, 1000);
    }
}

static void steady_computing_is_one_number(void **state)
{
    (void)state;
    struct workload_told told = {0};
    char *text = text_of(steady, &told);
    has(text, "- {compute: 10us}\n");
    free(text);
    workload_told_free(&told);
}

/* ---- Communicators that are apart ------------------------------------------------------------ */

/* Two rows, of which one is ahead; in the end the ranks of the first don't call the same. The clock
 * of the last rank drifts so much that all its calls were at the start. */
static void rows(struct making *making, int32_t r)
{
    members(making, 1, r / 2 * 2, 2);
    making->now = r / 2 * 1000000;
    for (int k = 0; k < 5; k++)
        call(making, RECORD_OF_Allreduce, 1, 8, 100);
    call(making, RECORD_OF_Barrier, 0, 0, 100);
    call(making, RECORD_OF_Allreduce, 1, r == 0 ? 8 : 16, 100);
    call(making, RECORD_OF_Barrier, 0, 0, 100);
    making->offset = r == 3 ? -making->now : 0;
}

static void steps_wait_for_all_members(void **state)
{
    (void)state;
    struct workload_told told = {0};
    char *text = text_of(rows, &told);
    has(text, "set-1: {grid: [2, 2], along: [1]}");
    has(text, "repeat: 5\n        do:\n          - {allreduce: {in: set-1, bytes: 8}}\n"
              "      - {allreduce: {bytes: 1}}\n"
              "      - {only: [2..3], allreduce: {in: set-1, bytes: 16}}\n");
    /* Once the first row for the second, and in each of 7 calls rank 3. */
    assert_true(told.waiting_s > 224e-9 && told.waiting_s < 226e-9);
    has(told.said.sentence[told.said.count - 1], "Left out: the last 10 calls");
    free(text);
    workload_told_free(&told);
}

/* All calls of the last rank were at the start, by its clock at the end: it alone waits, in two. */
static void drifting(struct making *making, int32_t r)
{
    for (int k = 0; k < 3; k++)
        call(making, RECORD_OF_Barrier, 0, 0, 100);
    making->offset = r == 3 ? -making->now : 0;
}

static void clocks_drift(void **state)
{
    (void)state;
    struct workload_told told = {0};
    free(text_of(drifting, &told));
    assert_true(told.waiting_s > 49e-9 && told.waiting_s < 51e-9);
    workload_told_free(&told);
}

/* ---- What was started ------------------------------------------------------------------------ */

/* Of three waits the last is much longer, for whatever reason. */
static void started(struct making *making, int32_t r)
{
    (void)r;
    for (int k = 0; k < PASSES; k++) {
        call_as(making, RECORD_STARTED, RECORD_OF_Allreduce, 0, 8, 100);
        call_as(making, RECORD_WAITED, 0, 0, 0, k == 2 ? 10000 : 100);
    }
}

static void waits_are_not_divided(void **state)
{
    (void)state;
    struct workload_told told = {0};
    char *text = text_of(started, &told);
    has(text, "- {start: started-0, allreduce: {bytes: 8}}\n          - {wait: [started-0]}\n");
    assert_true(told.communicating_s > 10e-6);
    assert_true(told.waiting_s == 0 && told.interrupted_s == 0);
    free(text);
    workload_told_free(&told);
}

/* ---- Calls without loops --------------------------------------------------------------------- */

static void irregular(struct making *making, int32_t r)
{
    (void)r;
    for (int64_t k = 0; k < 2100; k++)
        call(making, RECORD_OF_Allreduce, 0, 8 + k * k % 4099, 100);
}

static void bytes_are_a_mean(void **state)
{
    (void)state;
    char *text = text_of(irregular, NULL);
    has(text, "repeat: 2100\n        do:\n          - {allreduce: {bytes: 2037}}\n");
    free(text);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Rank 0 sends three to rank 1 and one to rank 2, all others one to themselves. */
static void unequal(struct making *making, int32_t r)
{
    struct {
        struct record_peers about;
        struct record_peer peer[2];
    } all = {{.count = 2, .inside = 100, .leave = 100}, {{1, 3, 3000}, {2, 1, 700}}};
    if (r > 0) {
        phase(making, r, 8, 100);
        return;
    }
    making->now = 100;
    put(making, &all, RECORD_PEERS, sizeof all);
}

static void messages_go_one_after_another(void **state)
{
    (void)state;
    struct workload_told told = {0};
    char *text = text_of(unequal, &told);
    has(text,
        "      - matrix: {messages: [[0, 1, 1000], [0, 2, 700]]}\n      - repeat: 2\n        do:\n"
        "          - matrix: {messages: [[0, 1, 1000]]}\n");
    has(told.said.sentence[1], "Left out: 3 messages of ranks to themselves.");
    free(text);
    workload_told_free(&told);
}

/* Ranks 1 and 3 send to rank 2, then to rank 0, then less. */
static void unlike(struct making *making, int32_t r)
{
    for (int k = 0; k < PASSES && r % 2 == 1; k++) {
        phase(making, 2, 4096 + k, making->now + 100);
        phase(making, 0, 4096, making->now + 100);
        phase(making, 0, 512, making->now + 100);
    }
}

static void phases_are_told_apart(void **state)
{
    (void)state;
    char *text = text_of(unlike, NULL);
    has(text, "repeat: 3\n        do:\n"
              "          - matrix: {messages: [[1, 2, 4097], [3, 2, 4097]]}\n"
              "          - matrix: {messages: [[1, 0, 4096], [3, 0, 4096]]}\n"
              "          - matrix: {messages: [[1, 0, 512], [3, 0, 512]]}\n");
    free(text);
}

/* ---- Files that are damaged ------------------------------------------------------------------ */

static void root_beyond(struct making *making, int32_t r)
{
    (void)r;
    struct record_call made = {.root = RANKS, .algorithm = -1};
    put(making, &made, RECORD_CALL, sizeof made);
}

static void member_beyond(struct making *making, int32_t r)
{
    if (r == RANKS - 1)
        members(making, 1, r, 2);
}

static void left_early(struct making *making, int32_t r)
{
    (void)r;
    call(making, RECORD_OF_Barrier, 0, 0, -1);
}

static void empty_record(struct making *making, int32_t r)
{
    (void)r;
    const struct record_start none = {RECORD_PAUSE, 0};
    assert_int_equal(fwrite(&none, sizeof none, 1, making->file), 1);
}

static void other_job(struct making *making, int32_t r)
{
    const uint64_t job = r == 2;
    fseek(making->file, offsetof(struct record_header, job), SEEK_SET);
    assert_int_equal(fwrite(&job, sizeof job, 1, making->file), 1);
    fseek(making->file, 0, SEEK_END);
}

/* A file of more ranks than the job had. */
static void fewer_ranks(struct making *making, int32_t r)
{
    const int32_t ranks = RANKS - 1;
    (void)r;
    fseek(making->file, offsetof(struct record_header, ranks), SEEK_SET);
    assert_int_equal(fwrite(&ranks, sizeof ranks, 1, making->file), 1);
    fseek(making->file, 0, SEEK_END);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct making *, int32_t r);
        const char *says;
    } damages[] = {{root_beyond, "rank-0: not what RB_RECORD writes, from byte"},
                   {member_beyond, "rank-3: not what RB_RECORD writes, from byte"},
                   {left_early, "rank-0: not what RB_RECORD writes, from byte"},
                   {empty_record, "rank-0: not what RB_RECORD writes, from byte"},
                   {other_job, "rank-2: of another job than rank-0"},
                   {fewer_ranks, "rank-3: of another job: that of rank-0 had 3 ranks"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *text = NULL;
        struct workload_told told = {0};
        struct sup_error error = {""};
        assert_int_equal(read_made(damages[i].make, &text, &told, &error), RB_EINVAL);
        has(error.text, damages[i].says);
        workload_told_free(&told);
    }
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Compares the steps of the nodes with the line from `at` on; returns where they end. */
static size_t unfold(const struct recorded_program *program, uint32_t first, uint32_t length,
                     const uint32_t line[], size_t lines, size_t at)
{
    for (uint32_t i = first; i < first + length; i++) {
        const struct recorded_node *node = &program->node[i];
        for (int64_t k = 0; k < node->times && node->length > 0; k++)
            at = unfold(program, node->first, node->length, line, lines, at);
        if (node->length > 0)
            continue;
        if (at >= lines || node->step != line[at])
            return SIZE_MAX / 2;
        at++;
    }
    return at;
}

/* Runs of few steps, in which loops of many shapes stand side by side. */
static void loops_are_the_line(void **state)
{
    (void)state;
    enum { LINES = 300, SEEDS = 2000 };
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct recorded_program program;
        uint32_t line[LINES], next = seed;
        for (size_t i = 0; i < LINES;) {
            next = next * 1664525 + 1013904223;
            for (uint32_t run = 1 + (next >> 24) % 4; run > 0 && i < LINES; run--)
                line[i++] = (next >> 16) % 4;
        }
        recorded_fold(line, LINES, &program);
        if (unfold(&program, program.first, program.length, line, LINES, 0) != LINES)
            fail_msg("seed %u: the loops are not the line", (unsigned)seed);
        free(program.node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computing_is_as_it_was),
        cmocka_unit_test(steady_computing_is_one_number),
        cmocka_unit_test(steps_wait_for_all_members),
        cmocka_unit_test(clocks_drift),
        cmocka_unit_test(waits_are_not_divided),
        cmocka_unit_test(bytes_are_a_mean),
        cmocka_unit_test(messages_go_one_after_another),
        cmocka_unit_test(phases_are_told_apart),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(loops_are_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
