/* test_goal.c - GOAL as programs: their steps by hand, our own export read back, faults, and what a
 * wrong file is told. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "interchange/export/export.h"
#include "interchange/goal.h"
#include "interchange/programs/prove.h"
#include "tests/fitting.h"
#include "tests/interchange/messages.h"

static struct sup_error error;
static int64_t computation_ns;

/* Reads a copy of the text. */
static int read_text(const char *text, struct prg_program *program)
{
    struct sup_lines lines = {.path = "test.goal", .text = strdup(text)};
    lines.next = lines.text;
    const int status = inter_read_goal(&lines, program, &computation_ns, &error);
    free(lines.text);
    return status;
}

static enum prg_fault fault_of(const char *text)
{
    struct prg_program program;
    struct prg_verdict verdict;
    if (read_text(text, &program) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(prg_prove(&program, &verdict), RB_OK);
    prg_free(&program);
    return verdict.fault;
}

/* ---- By hand ---- */

static void assert_step(const struct prg_program *program, int32_t thread, int32_t place,
                        int32_t line, int32_t dep_thread, int32_t dep_step)
{
    const struct prg_step *step = &program->step[program->thread[thread].first + place];
    assert_int_equal(step->line, line);
    assert_int_equal(step->dep_thread, dep_thread);
    assert_int_equal(step->dep_step, dep_step);
}

/* a and b begin; c waits for both, d for c; f for a; e for c and f. */
static void operations_become_threads(void **state)
{
    struct prg_program program;
    (void)state;
    assert_int_equal(read_text("/* two\nranks */ num_ranks 2\n"
                               "rank 1 {\nsend 8b to 0 tag 4\n}\n"
                               "rank 0 { // its operations\n"
                               "a: calc 100 cpu 3\nb: recv 8b from 1 tag 4 cpu 1 nic 0\n"
                               "c: calc 20\nc requires a\nc requires b\n"
                               "d: calc 3\nd requires c\nf: calc 0\nf requires a\n"
                               "e: calc 0\ne requires f\ne requires c\n}",
                               &program),
                     RB_OK);
    assert_int_equal(computation_ns, 123);
    assert_int_equal(program.threads, 4);
    assert_int_equal(program.steps, 7);
    assert_step(&program, 0, 0, 7, PRG_NONE, PRG_NONE);  /* a */
    assert_step(&program, 0, 1, 9, 1, 0);                /* c */
    assert_step(&program, 0, 2, 12, PRG_NONE, PRG_NONE); /* d */
    assert_step(&program, 1, 0, 8, PRG_NONE, PRG_NONE);  /* b */
    assert_step(&program, 2, 0, 14, 0, 0);               /* f */
    assert_step(&program, 2, 1, 16, 0, 1);               /* e */
    assert_int_equal(program.bytes[program.thread[1].first], 8);
    assert_int_equal(program.fifo[program.step[program.thread[1].first].in].channel, 4);
    prg_free(&program);
}

/* All needs in other threads but the last are steps without data; so is the last where somebody
 * waits for the operation's start, which is when the step before it is done. */
static void further_dependences_become_steps(void **state)
{
    struct prg_program program;
    (void)state;
    assert_int_equal(read_text("num_ranks 1\nrank 0 {\nz: calc 1\n"
                               "a: calc 1\na requires z\nb: calc 1\nb requires z\nb requires a\n"
                               "c: calc 1\nc requires z\nc irequires b\n"
                               "d: calc 1\nd irequires c\n}\n",
                               &program),
                     RB_OK);
    assert_int_equal(program.threads, 3);
    assert_int_equal(program.steps, 7);
    assert_step(&program, 1, 0, 0, 0, 0); /* c waits for z, and as b for a */
    assert_step(&program, 1, 1, 0, 0, 1);
    assert_step(&program, 1, 2, 9, PRG_NONE, PRG_NONE);
    assert_step(&program, 2, 0, 12, 1, 1); /* d for both */
    prg_free(&program);
    assert_int_equal(
        read_text("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\n"
                  "x: calc 1\nx requires a\ny: calc 1\ny requires b\n"
                  "e: calc 1\ne requires x\ne requires y\ne requires c\n"
                  "g: calc 1\ng requires e\nh: calc 1\nh requires e\nh requires a\n}\n",
                  &program),
        RB_OK);
    assert_int_equal(program.threads, 4);
    assert_int_equal(program.steps, 10);
    assert_step(&program, 2, 1, 0, 0, 1); /* e follows c, and waits for x and y */
    assert_step(&program, 2, 2, 10, 1, 1);
    assert_step(&program, 3, 0, 0, 0, 0); /* h for a and e */
    assert_step(&program, 3, 1, 16, 2, 2);
    prg_free(&program);
}

/* ---- Our own ---- */

static char *exported(const struct export_request *export)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(export_write_goal(export, stream, &error), RB_OK);
    fclose(stream);
    return text;
}

static void messages_of_program(const struct prg_program *program, struct messages *messages)
{
    messages->count = 0;
    for (int64_t s = 0; s < program->steps; s++)
        if (program->step[s].out != PRG_NONE) {
            const struct prg_fifo *fifo = &program->fifo[program->step[s].out];
            add_message(messages, (struct message){fifo->from, fifo->to, (uint32_t)fifo->channel,
                                                   program->bytes[s]});
        }
}

static void our_plans_come_back_with_their_messages(void **state)
{
    static const struct sim_overlap rules[] = {{SIM_BLOCKING, 1}, {SIM_WINDOW, 3}, {SIM_DATA, 1}};
    static struct messages expected, found;
    const struct rb_algorithm_info *algorithm;
    (void)state;
    for (int32_t a = 0; (algorithm = rb_algorithm_at(a)) != NULL; a++) {
        const int32_t p = fitting_ranks(algorithm, 9);
        const struct rb_plan_spec spec = {
            .collective = algorithm->collective, .algorithm = algorithm->name, .p = p, .n = 3};
        const struct rb_layout layout = {.bytes = INT64_C(100) * p * p, .element = 1};
        struct export_request export = {.layout = &layout, .overlap = rules[a % 3]};
        struct rb_plan *plan;
        struct prg_program program;
        struct prg_verdict verdict;
        assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
        export.plan = plan;
        char *text = exported(&export);
        assert_int_equal(read_text(text, &program), RB_OK);
        assert_int_equal(prg_prove(&program, &verdict), RB_OK);
        if (verdict.fault != PRG_RIGHT)
            fail_msg("%s %s: %s", algorithm->collective, algorithm->name, verdict.what);
        messages_of_program(&program, &found);
        messages_of_plan(plan, &layout, 1, &expected);
        if (!same_messages(&expected, &found))
            fail_msg("%s %s: other messages", algorithm->collective, algorithm->name);
        free(text);
        prg_free(&program);
        rb_plan_destroy(plan);
    }
}

/* ---- Comments ---- */

/* A comment of random signs, which may look like other comments. Only one between lines may end
 * with its line. */
static const char *comment(uint32_t *seed, bool between_lines, char text[24])
{
    static const char signs[] = "/*}x {/*";
    bool to_line_end = false;
    int length = 2;
    *seed = *seed * 1664525u + 1013904223u;
    uint32_t left = *seed >> 4;
    to_line_end = between_lines && (left & 1);
    memcpy(text, to_line_end ? "//" : "/*", 3);
    for (left >>= 1; length < 10; left >>= 3, length++) {
        text[length] = signs[left % 8];
        /* What ends the comment, or would with the sign before. */
        if (!to_line_end && length > 2 && text[length] == '/' && text[length - 1] == '*')
            text[length] = between_lines ? '\n' : 'y';
    }
    strcpy(text + length, to_line_end ? "\n" : text[length - 1] == '*' ? "/" : "*/");
    return text;
}

/* What stands in comments is nothing, also other comments' begins and ends: the first end counts,
 * and a comment's first sign is not part of its end. */
static void comments_are_nothing(void **state)
{
    static const char plain[] = "num_ranks 2\nrank 0 {\ncalc 7\nsend 3b to 1 tag 2\n}\n"
                                "rank 1 {\nrecv 3b from 0 tag 2\n}\n";
    (void)state;
    for (uint32_t run = 0; run < 5000; run++) {
        uint32_t seed = run;
        char text[4096], *end = text, one[24];
        struct prg_program program;
        for (const char *c = plain; *c != '\0'; c++) {
            *end++ = *c;
            if (*c == '\n' || *c == ' ')
                end = stpcpy(end, comment(&seed, *c == '\n', one));
        }
        *end = '\0';
        if (read_text(text, &program) != RB_OK)
            fail_msg("seed %d: %s in\n%s", (int)run, error.text, text);
        if (computation_ns != 7 || program.steps != 3 || program.threads != 3)
            fail_msg("seed %d: another program:\n%s", (int)run, text);
        prg_free(&program);
    }
}

/* ---- Tags and labels ---- */

/* A message is taken by a receive of the same tag, of all 2^32. */
static void tags_are_told_apart(void **state)
{
    static const uint32_t tags[] = {
        0,        1,        255,       256,      65535,          65536,          65537,
        1u << 17, 1u << 30, INT32_MAX, 1u << 31, (1u << 31) + 1, UINT32_MAX - 1, UINT32_MAX};
    enum { TAGS = sizeof tags / sizeof tags[0] };
    (void)state;
    for (int i = 0; i < TAGS * TAGS; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "num_ranks 2\nrank 0 {\nsend 8b to 1 tag %u\n}\nrank 1 {\nrecv 8b from 0 tag "
                 "%u\n}\n",
                 tags[i / TAGS], tags[i % TAGS]);
        assert_int_equal(fault_of(text), i / TAGS == i % TAGS ? PRG_RIGHT : PRG_UNMATCHED);
    }
}

/* Operations whose labels are l, ll, lll, ..., each of which requires the one before it in an order
 * that has nothing to do with the labels': one thread, in that order. */
static void labels_are_told_apart(void **state)
{
    enum { LABELS = 400 };
    struct prg_program program;
    char *text, letters[LABELS + 1] = "";
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    (void)state;
    memset(letters, 'l', LABELS);
    fputs("num_ranks 1\nrank 0 {\n", stream);
    for (int i = LABELS; i > 0; i--)
        fprintf(stream, "%.*s: calc 1\n", i, letters);
    for (int i = 1; i < LABELS; i++)
        fprintf(stream, "%.*s requires %.*s\n", i * 7 % LABELS + 1, letters,
                (i - 1) * 7 % LABELS + 1, letters);
    fputs("}\n", stream);
    fclose(stream);
    if (read_text(text, &program) != RB_OK)
        fail_msg("%.80s", error.text);
    assert_int_equal(program.threads, 1);
    for (int i = 0; i < LABELS; i++)
        assert_int_equal(program.step[i].line, 2 + LABELS - i * 7 % LABELS);
    prg_free(&program);
    free(text);
}

/* ---- Size ---- */

/* Messages that are all independent are a thread each, for which no square of memory is needed. */
static void independent_messages_take_little_memory(void **state)
{
    enum { MESSAGES = 40000 };
    struct rlimit before, limited;
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    (void)state;
    fputs("num_ranks 2\n", stream);
    for (int rank = 0; rank < 2; rank++) {
        fprintf(stream, "rank %d {\n", rank);
        for (int i = 0; i < MESSAGES; i++)
            fprintf(stream, "%s%d: %s 8b %s %d\nb%d: calc 1\nb%d requires %s%d\n",
                    rank == 0 ? "s" : "r", i, rank == 0 ? "send" : "recv",
                    rank == 0 ? "to" : "from", 1 - rank, i, i, rank == 0 ? "s" : "r", i);
        fputs("}\n", stream);
    }
    fclose(stream);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limited = before;
#if !defined(__SANITIZE_ADDRESS__) /* whose shadow is larger */
    limited.rlim_cur = (rlim_t)1 << 32;
#endif
    assert_int_equal(setrlimit(RLIMIT_AS, &limited), 0);
    assert_int_equal(fault_of(text), PRG_RIGHT);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    free(text);
}

/* ---- Faults ---- */

#define EXCHANGE(size, tag, needs)                                                                 \
    "num_ranks 2\nrank 0 {\nr: recv 8b from 1 tag 0\ns: send 8b to 1 tag 0\n" needs                \
    "}\nrank 1 {\nr: recv " size "b from 0 tag " tag "\ns: send 8b to 0 tag 0\ns requires r\n}\n"

static void faults_are_found(void **state)
{
    (void)state;
    assert_int_equal(fault_of(EXCHANGE("8", "0", "")), PRG_RIGHT);
    assert_int_equal(fault_of(EXCHANGE("9", "0", "")), PRG_UNMATCHED);
    assert_int_equal(fault_of(EXCHANGE("8", "1", "")), PRG_UNMATCHED);
    assert_int_equal(fault_of(EXCHANGE("8", "0", "s requires r\n")), PRG_DEADLOCK);
    assert_int_equal(fault_of(EXCHANGE("8", "0", "s irequires r\n")), PRG_RIGHT);
    assert_int_equal(fault_of("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\n"), PRG_UNMATCHED);
    /* Messages that nothing orders go in the order of the file. */
    assert_int_equal(fault_of("num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 2b to 1\n}\n"
                              "rank 1 {\na: recv 1b from 0\nb: recv 2b from 0\nb requires a\n}\n"),
                     PRG_RIGHT);
}

static void wrong_files_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "test.goal:0: the file ends before num_ranks"},
        {"ranks 2\n", "test.goal:1:1: missing: num_ranks"},
        {"num_ranks 0\n", "test.goal:1:12: there must be a rank"},
        {"num_ranks 99999999999999999999\n", "test.goal:1:11: too large: 99999999999999999999"},
        {"num_ranks 2\nrank 2 {\n}\n", "test.goal:2:6: too large: 2"},
        {"num_ranks 2\nrank 0\n{\n}\n", "test.goal:2:7: missing: {"},
        {"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "test.goal:4:9: the rank stands twice"},
        {"num_ranks 2\nrank 0 {\n", "test.goal:2: the file ends before }"},
        {"num_ranks 2\nrank 0 {\nsend b to 1\n}\n", "test.goal:3:6: missing: BYTES"},
        {"num_ranks 2\nrank 0 {\nsend 1b from 1\n}\n", "test.goal:3:9: missing: 'b to RANK'"},
        {"num_ranks 2\nrank 0 {\nsend 9223372036854775807b to 1\nsend 1b to 1\n}\n",
         "test.goal:4:13: all messages have more than 2^63 bytes"},
        {"num_ranks 2\nrank 0 {\nrecv 1b from -1\n}\n",
         "test.goal:3:14: what matches anything can't be matched beforehand"},
        {"num_ranks 2\nrank 0 {\ncalc 1 nic 2\n}\n", "test.goal:3:8: missing: the end of the line"},
        {"num_ranks 2\nrank 0 {\na: calc 1\na: calc 1\n}\n",
         "test.goal:4:3: a label that stands twice: a"},
        {"num_ranks 2\nrank 0 {\na: calc 1\na requires b\n}\n",
         "test.goal:4:13: no operation before has the label b"},
        {"num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb irequires a\n}\n",
         "test.goal:3: the operation requires itself by way of others"},
        {"num_ranks x\n", "test.goal:1:11: missing: RANKS"},
        {"num_ranks 2\nranks 0 {\n}\n", "test.goal:2:1: missing: 'rank RANK {'"},
        {"num_ranks 2\nrank x {\n}\n", "test.goal:2:6: missing: RANK"},
        {"num_ranks 2\nrank 0 {\nrecv 1b to 1\n}\n", "test.goal:3:9: missing: 'b from RANK'"},
        {"num_ranks 2\nrank 0 {\nsend 1 to 1\n}\n", "test.goal:3:8: missing: 'b to RANK'"},
        {"num_ranks 2\nrank 0 {\nsend 1b to x\n}\n", "test.goal:3:12: missing: RANK"},
        {"num_ranks 2\nrank 0 {\nsend 1b to 1 tag x\n}\n", "test.goal:3:18: missing: tag"},
        {"num_ranks 2\nrank 0 {\nsend 1b to 1 cpu x\n}\n", "test.goal:3:18: missing: cpu"},
        {"num_ranks 2\nrank 0 {\nsend 1b to 1 nic x\n}\n", "test.goal:3:18: missing: nic"},
        {"num_ranks 2\nrank 0 {\ncalc x\n}\n", "test.goal:3:6: missing: NANOSECONDS"},
        {"num_ranks 2\nrank 0 {\ncalc 1 cpu x\n}\n", "test.goal:3:12: missing: cpu"},
        {"num_ranks 2\nrank 0 {\na: calc 1\nb requires a\n}\n",
         "test.goal:4:11: no operation before has the label b"},
        {"num_ranks 2\nrank 0 {\na: calc 1\na irequires b\n}\n",
         "test.goal:4:14: no operation before has the label b"},
        {"num_ranks 2\nrank 0 {\n: calc 1\n}\n",
         "test.goal:3:1: missing: send, recv, calc, requires or irequires"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct prg_program program;
        assert_int_equal(read_text(wrong[i].text, &program), RB_EINVAL);
        assert_string_equal(error.text, wrong[i].message);
        prg_free(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_become_threads),
        cmocka_unit_test(further_dependences_become_steps),
        cmocka_unit_test(our_plans_come_back_with_their_messages),
        cmocka_unit_test(comments_are_nothing),
        cmocka_unit_test(tags_are_told_apart),
        cmocka_unit_test(labels_are_told_apart),
        cmocka_unit_test(independent_messages_take_little_memory),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(wrong_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
