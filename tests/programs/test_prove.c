/* test_prove.c - right programs are proved, and each kind of fault is found where it was put. */
#define _POSIX_C_SOURCE 200809L /* strtok_r, strdup */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "programs/from_plan.h"
#include "programs/lower.h"
#include "programs/program.h"
#include "programs/prove.h"
#include "roundabout.h"

/* A program's text: "rank.thread: step; step; ..." per line; a step is words:
 *   s SLOT PEER   r SLOT PEER   cpy FROM AT   re FROM AT   rcs AT PEERIN PEEROUT
 *   rrc FROM AT PEER   rrs FROM PEERIN PEEROUT   sig PEER   wait PEER   put FROM PEER AT   nop
 * and "@thread.step" makes it wait. All FIFOs are on channel 0, one chunk per step. */
struct words {
    char kind[8];
    int a, b, c;
};

static struct prg_step step_of(struct prg_program *program, int32_t rank, const struct words *word)
{
    struct prg_step step = prg_step_of(rank);
    step.count = 1;
    if (strcmp(word->kind, "s") == 0) {
        step.from = word->a;
        step.out = prg_fifo_of(program, rank, word->b, 0, false);
    } else if (strcmp(word->kind, "r") == 0) {
        step.at = word->a;
        step.in = prg_fifo_of(program, word->b, rank, 0, false);
    } else if (strcmp(word->kind, "cpy") == 0 || strcmp(word->kind, "re") == 0) {
        step.from = word->a;
        step.at = word->b;
        step.combines = word->kind[0] == 'r';
    } else if (strcmp(word->kind, "rcs") == 0) {
        step.at = word->a;
        step.in = prg_fifo_of(program, word->b, rank, 0, false);
        step.out = prg_fifo_of(program, rank, word->c, 0, false);
    } else if (strcmp(word->kind, "rrc") == 0) {
        step.from = word->a;
        step.at = word->b;
        step.in = prg_fifo_of(program, word->c, rank, 0, false);
    } else if (strcmp(word->kind, "rrs") == 0) {
        step.from = word->a;
        step.in = prg_fifo_of(program, word->b, rank, 0, false);
        step.out = prg_fifo_of(program, rank, word->c, 0, false);
    } else if (strcmp(word->kind, "put") == 0) {
        step.from = word->a;
        step.at_rank = word->b;
        step.at = word->c;
    } else {
        step.count = 0;
        if (strcmp(word->kind, "sig") == 0)
            step.out = prg_fifo_of(program, rank, word->a, 0, true);
        else if (strcmp(word->kind, "wait") == 0)
            step.in = prg_fifo_of(program, word->a, rank, 0, true);
        else
            assert_string_equal(word->kind, "nop");
    }
    return step;
}

static void add_line(struct prg_program *program, char *line, int number)
{
    int rank, thread, length;
    assert_int_equal(sscanf(line, " %d.%d:%n", &rank, &thread, &length), 2);
    assert_int_equal(prg_begin_thread(program, rank, thread), RB_OK);
    char *rest;
    for (char *text = strtok_r(line + length, ";", &rest); text != NULL;
         text = strtok_r(NULL, ";", &rest)) {
        struct words word = {0};
        assert_true(sscanf(text, " %7s %d %d %d", word.kind, &word.a, &word.b, &word.c) >= 1);
        struct prg_step step = step_of(program, rank, &word);
        const char *dep = strchr(text, '@');
        if (dep != NULL)
            assert_int_equal(sscanf(dep, "@%d.%d", &step.dep_thread, &step.dep_step), 2);
        step.line = number;
        assert_int_equal(prg_add(program, &step), RB_OK);
    }
}

/* ---- A program as operations, carried out on numbers ------------------------------------------
 */

struct placed {
    int64_t round;
    int32_t rank;
    struct rb_op op;
};
enum { MOST_OPS = 4096, SLOTS = 256, MOST_RANKS = 16 };
static struct placed placed[MOST_OPS];
static int32_t placed_count;

static int take_op(void *context, int64_t round, int32_t rank, const struct rb_op *op, int32_t line)
{
    (void)context, (void)line;
    assert_true(placed_count < MOST_OPS);
    placed[placed_count++] = (struct placed){round, rank, *op};
    return RB_OK;
}

/* Rank r's chunk of datum d is 1000 d + 16^r, so that a sum shows what it consists of. */
static int64_t memory[MOST_RANKS][SLOTS], before[MOST_RANKS][SLOTS];

static void receive(const struct placed *end)
{
    for (int32_t i = 0; i < placed_count; i++) {
        const struct placed *sent = &placed[i];
        if (sent->op.kind != RB_SEND || sent->round != end->round || sent->rank != end->op.peer ||
            sent->op.peer != end->rank || sent->op.port != end->op.port)
            continue;
        assert_int_equal(sent->op.at.count, end->op.at.count);
        for (int64_t k = 0; k < end->op.at.count; k++) {
            int64_t *at = &memory[end->rank][end->op.at.first + k];
            const int64_t came = before[sent->rank][sent->op.at.first + k];
            *at = end->op.kind == RB_RECV ? came : *at + came;
        }
        return;
    }
    fail_msg("rank %d receives in round %d what nobody sends", (int)end->rank, (int)end->round);
}

static void work(const struct placed *local)
{
    for (int64_t k = 0; k < local->op.at.count; k++) {
        int64_t *at = &memory[local->rank][local->op.at.first + k];
        const int64_t other = memory[local->rank][local->op.from.first + k];
        *at = local->op.kind == RB_COPY ? other : *at + other;
    }
}

static void carry_out(int64_t round)
{
    memcpy(before, memory, sizeof memory);
    for (int32_t i = 0; i < placed_count; i++)
        if (placed[i].round == round &&
            (placed[i].op.kind == RB_RECV || placed[i].op.kind == RB_RECV_REDUCE))
            receive(&placed[i]);
    for (int32_t i = 0; i < placed_count; i++)
        if (placed[i].round == round &&
            (placed[i].op.kind == RB_COPY || placed[i].op.kind == RB_REDUCE))
            work(&placed[i]);
}

/* Lowers a program that is right, and computes its result. */
static void check_lowered(const struct prg_program *program, int64_t room)
{
    const struct prg_contract *contract = &program->contract;
    struct prg_lowered lowered;
    struct sup_error error;
    placed_count = 0;
    memset(memory, 0, sizeof memory);
    assert_int_equal(prg_lower(program, room, take_op, NULL, &lowered, &error), RB_OK);
    assert_true(lowered.blocks <= SLOTS && program->ranks <= MOST_RANKS);
    for (int32_t r = 0; r < program->ranks; r++)
        for (int32_t i = 0; i < program->memory[r].slots; i++)
            if (contract->start(program, r, i) != PRG_NONE)
                memory[r][i] = 1000000 * (int64_t)contract->start(program, r, i) +
                               (contract->reducing ? INT64_C(1) << 4 * r : 0);
    for (int64_t t = 0; t < lowered.rounds; t++)
        carry_out(t);
    for (int32_t r = 0; r < program->ranks; r++)
        for (int32_t i = 0; i < program->memory[r].slots; i++) {
            const int32_t datum = contract->end(program, r, i);
            int64_t wanted = 0;
            for (int32_t s = 0; s < (contract->reducing ? program->ranks : 1); s++)
                wanted += 1000000 * (int64_t)datum + (contract->reducing ? INT64_C(1) << 4 * s : 0);
            if (datum != PRG_NONE)
                assert_int_equal(memory[r][i], wanted);
        }
}

/* Proves a text; `chunks` of input, output and scratch per rank. */
static struct prg_verdict prove(int32_t ranks, const char *collective, bool in_place, int32_t in,
                                int32_t out, int32_t scratch, const char *text)
{
    struct prg_program program;
    struct prg_verdict verdict;
    struct sup_error error = {""};
    assert_int_equal(prg_init(&program, ranks), RB_OK);
    for (int32_t r = 0; r < ranks; r++) {
        program.memory[r].chunks[PRG_INPUT] = in;
        program.memory[r].chunks[PRG_OUTPUT] = out;
        program.memory[r].chunks[PRG_SCRATCH] = scratch;
    }
    assert_int_equal(prg_set_collective(&program, collective, in_place, 0, &error), RB_OK);
    char *copy = strdup(text), *rest;
    int number = 1;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        add_line(&program, line, number++);
    free(copy);
    assert_int_equal(prg_finish(&program, &error), RB_OK);
    assert_int_equal(prg_prove(&program, &verdict), RB_OK);
    if (verdict.fault == PRG_RIGHT && program.contract.collective != NULL)
        check_lowered(&program, verdict.least_room);
    prg_free(&program);
    return verdict;
}

static void expect(struct prg_verdict verdict, enum prg_fault fault, const char *what)
{
    if (strstr(verdict.what, what) == NULL || verdict.fault != fault)
        fail_msg("fault %d, \"%s\" instead of fault %d, \"%s\"", (int)verdict.fault, verdict.what,
                 (int)fault, what);
}

static void right_programs(void **state)
{
    (void)state;
    struct prg_verdict verdict = prove(2, "allgather", true, 1, 2, 0,
                                       "0.0: s 0 1; r 1 1\n"
                                       "1.0: s 1 0; r 0 0\n");
    expect(verdict, PRG_RIGHT, "");
    assert_true(verdict.contents);
    assert_int_equal(verdict.messages, 2);
    assert_int_equal(verdict.least_room, 1);
    /* A ring of three, with a fused step that forwards what it has combined. */
    verdict = prove(3, "allreduce", true, 1, 1, 0,
                    "0.0: s 0 1; rcs 0 2 1\n"
                    "1.0: rrs 0 0 2; rcs 0 0 2\n"
                    "2.0: rrc 0 0 1; s 0 0; r 0 1\n");
    expect(verdict, PRG_RIGHT, "");
    assert_true(verdict.contents && verdict.same_order);
    /* By scratch, one-sided, with a signal; and what each rank has for the other. */
    expect(prove(2, "alltoall", false, 2, 2, 0,
                 "0.0: put 1 1 2; sig 1; cpy 0 2; wait 1\n"
                 "1.0: put 0 0 3; sig 0; cpy 1 3; wait 0\n"),
           PRG_RIGHT, "");
    /* The same step order in two threads, by a dependence. */
    expect(prove(2, "broadcast", true, 1, 1, 1,
                 "0.0: cpy 0 1\n"
                 "0.1: s 1 1 @0.0\n"
                 "1.0: r 0 0\n"),
           PRG_RIGHT, "");
    expect(prove(1, "allreduce", false, 1, 1, 0, "0.0: cpy 0 1\n"), PRG_RIGHT, "");
}

/* Rank 1 takes nothing of rank 0 before the others have sent one chunk to and fro for long, so that
 * rank 0 fills the FIFO and must wait. */
static void full_fifo(void **state)
{
    (void)state;
    char text[12288] = "0.0:", line[3][2048] = {"1.0: r 0 2;", "2.0:", "3.0:"};
    for (int i = 0; i < 12; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), " s %d 1;", i);
        snprintf(line[0] + strlen(line[0]), sizeof line[0] - strlen(line[0]), " r %d 0;", i);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "\n0.1:");
    for (int i = 0; i < 12; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), " s %d 2;", i);
        snprintf(line[1] + strlen(line[1]), sizeof line[1] - strlen(line[1]), " r %d 0; s %d 3;", i,
                 i);
        snprintf(line[2] + strlen(line[2]), sizeof line[2] - strlen(line[2]), " r %d 2;", i);
    }
    for (int i = 0; i < 20; i++) {
        strcat(line[1], " r 0 3; s 0 3;");
        strcat(line[2], " s 0 2; r 0 2;");
    }
    strcat(line[1], " s 0 1;");
    for (int i = 0; i < 3; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\n%s", line[i]);
    const struct prg_verdict verdict = prove(4, "broadcast", true, 12, 12, 0, text);
    expect(verdict, PRG_RIGHT, "");
    assert_int_equal(verdict.least_room, 1);
}

static void same_order(void **state)
{
    (void)state;
    /* ((0 + 1) + 2) at rank 0, ((1 + 2) + 0) at 1, ((2 + 0) + 1) at 2. */
    const struct prg_verdict verdict = prove(3, "allreduce", false, 1, 1, 0,
                                             "0.0: s 0 1; s 0 2; cpy 0 1; rrc 1 1 1; rrc 1 1 2\n"
                                             "1.0: s 0 0; s 0 2; cpy 0 1; rrc 1 1 2; rrc 1 1 0\n"
                                             "2.0: s 0 0; s 0 1; cpy 0 1; rrc 1 1 0; rrc 1 1 1\n");
    expect(verdict, PRG_RIGHT, "");
    assert_false(verdict.same_order);
}

static void room(void **state)
{
    (void)state;
    /* Both send three before they take one. */
    const struct prg_verdict verdict = prove(2, "allgather", true, 3, 6, 0,
                                             "0.0: s 0 1; s 1 1; s 2 1; r 3 1; r 4 1; r 5 1\n"
                                             "1.0: s 3 0; s 4 0; s 5 0; r 0 0; r 1 0; r 2 0\n");
    expect(verdict, PRG_RIGHT, "");
    assert_int_equal(verdict.least_room, 3);
    assert_non_null(strstr(verdict.tight, "thread 0 of rank 0 (line 1) waits for room to rank 1"));
}

static void deadlocks(void **state)
{
    (void)state;
    expect(prove(2, "allgather", true, 1, 2, 0, "0.0: r 1 1; s 0 1\n1.0: r 0 0; s 1 0\n"),
           PRG_DEADLOCK,
           "thread 0 of rank 0 (line 1) waits for a message of rank 1, channel 0; thread 0 of rank "
           "1 (line 2) waits for a message of rank 0");
    expect(prove(1, "allreduce", true, 1, 1, 0, "0.0: nop @1.0\n0.1: nop @0.0\n"), PRG_DEADLOCK,
           "thread 0 of rank 0 (line 1) waits for thread 1 of rank 0");
    expect(prove(2, "custom", true, 1, 1, 0, "0.0: wait 1; sig 1\n1.0: wait 0; sig 0\n"),
           PRG_DEADLOCK, "waits for a signal of rank 1");
}

static void counts(void **state)
{
    (void)state;
    expect(prove(2, "broadcast", true, 1, 1, 0, "0.0: s 0 1; s 0 1\n1.0: r 0 0\n"), PRG_UNMATCHED,
           "rank 0 sends 2 messages to rank 1 on channel 0, which takes 1");
    expect(prove(2, "broadcast", true, 1, 1, 0, "0.0: nop\n1.0: r 0 0\n"), PRG_UNMATCHED,
           "sends 0 messages");
}

static void races(void **state)
{
    (void)state;
    expect(prove(2, "broadcast", true, 1, 1, 1,
                 "0.0: cpy 0 1\n"
                 "0.1: s 1 1\n"
                 "1.0: r 0 0\n"),
           PRG_RACE, "scratch chunk 0 of rank 0");
    /* Rank 1 learns that the data have come, by a message through rank 2; without it, it doesn't.
     */
    const char *text = "0.0: put 0 1 0; s 0 2\n"
                       "1.0: r 1 2; cpy 0 1\n"
                       "2.0: r 0 0; s 0 1\n";
    expect(prove(3, "broadcast", true, 1, 1, 1, text), PRG_RIGHT, "");
    expect(prove(3, "broadcast", true, 1, 1, 1,
                 "0.0: s 0 2; put 0 1 0\n"
                 "1.0: r 1 2; cpy 0 1\n"
                 "2.0: r 0 0; s 0 1\n"),
           PRG_RACE, "chunk 0 of rank 1");
    /* A signal before the data orders nothing. */
    expect(prove(2, "broadcast", true, 1, 1, 1,
                 "0.0: sig 1; put 0 1 0\n"
                 "1.0: wait 0; cpy 0 1\n"),
           PRG_RACE, "output chunk 0 of rank 1");
    expect(prove(2, "broadcast", true, 1, 1, 1,
                 "0.0: put 0 1 0; sig 1\n"
                 "1.0: wait 0; cpy 0 1\n"),
           PRG_RIGHT, "");
    /* A later step of the other thread than the one that is waited for. */
    expect(prove(1, "allreduce", true, 1, 1, 1, "0.0: nop; cpy 0 1\n0.1: cpy 1 0 @0.0\n"), PRG_RACE,
           "nothing orders the two");
}

static void contents(void **state)
{
    (void)state;
    expect(prove(2, "allgather", true, 1, 2, 0, "0.0: s 0 1; r 1 1\n1.0: s 1 0; r 1 0\n"),
           PRG_CONTENTS, "at the end output chunk 0 of rank 1 has nothing where chunk 0 belongs");
    expect(prove(2, "allreduce", true, 1, 1, 0, "0.0: s 0 1; r 0 1\n1.0: s 0 0; rrc 0 0 0\n"),
           PRG_CONTENTS, "lacks the contribution of rank 0");
    expect(prove(2, "allreduce", true, 1, 1, 0, "0.0: s 0 1; rrc 0 0 1\n1.0: rrc 0 0 0; s 0 0\n"),
           PRG_CONTENTS, "the contribution of rank 0 twice");
    expect(prove(2, "allreduce", true, 2, 2, 0, "0.0: s 1 1\n1.0: rrc 0 0 0\n"), PRG_CONTENTS,
           "combines chunk 0 with chunk 1");
    expect(prove(2, "broadcast", false, 1, 1, 1, "0.0: s 2 1\n1.0: r 1 0\n"), PRG_UNSET,
           "reads scratch chunk 0 of rank 0");
    expect(prove(2, "broadcast", true, 1, 1, 0, "0.0: s 0 1\n1.0: rrc 0 0 0\n"), PRG_UNSET, "");
}

/* A plan's exchanges of b blocks need room for b of them, and for one message. */
static void room_of_plans(void **state)
{
    (void)state;
    const struct {
        const char *collective, *algorithm;
        int32_t p;
        int64_t n, blocks;
    } cases[] = {{"allgather", "ring", 9, 3, 3},
                 {"allgather", "recursive-doubling", 16, 1, 8},
                 {"bcast", "circulant", 17, 5, 1},
                 {"bcast", "circulant", 1, 5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rb_plan_spec spec = {.collective = cases[i].collective,
                                          .algorithm = cases[i].algorithm,
                                          .p = cases[i].p,
                                          .n = cases[i].n};
        struct rb_plan *plan;
        int64_t room;
        assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
        assert_int_equal(prg_plan_room(plan, false, &room), RB_OK);
        assert_int_equal(room, cases[i].blocks > 0);
        assert_int_equal(prg_plan_room(plan, true, &room), RB_OK);
        assert_int_equal(room, cases[i].blocks);
        rb_plan_destroy(plan);
    }
}

static void refused(void **state)
{
    (void)state;
    struct prg_program program;
    struct sup_error error;
    assert_int_equal(prg_init(&program, 2), RB_OK);
    program.memory[0].chunks[PRG_OUTPUT] = 3;
    assert_int_equal(prg_set_collective(&program, "allgather", true, 0, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "allgather of 2 ranks can't have 3 chunks"));
    program.memory[0].chunks[PRG_OUTPUT] = 2;
    assert_int_equal(prg_set_collective(&program, "allgather", true, 0, &error), RB_OK);
    struct prg_step step = prg_step_of(1);
    step.at = 2;
    step.count = 1;
    step.line = 7;
    assert_int_equal(prg_begin_thread(&program, 1, 0), RB_OK);
    assert_int_equal(prg_add(&program, &step), RB_OK);
    assert_int_equal(prg_finish(&program, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "line 7: rank 1 has 2 slots"));
    prg_free(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_programs), cmocka_unit_test(full_fifo), cmocka_unit_test(same_order),
        cmocka_unit_test(room),           cmocka_unit_test(deadlocks), cmocka_unit_test(counts),
        cmocka_unit_test(races),          cmocka_unit_test(contents),  cmocka_unit_test(refused),
        cmocka_unit_test(room_of_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
