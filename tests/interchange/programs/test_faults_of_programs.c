/* test_faults_of_programs.c - right programs are proved, and each kind of fault is found where it
 * was put. */
#define _POSIX_C_SOURCE 200809L /* strtok_r, strdup */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interchange/programs/lower.h"
#include "interchange/programs/program.h"
#include "interchange/programs/prove.h"
#include "roundabout.h"

/* A program's text: "rank.thread: step; step; ..." per line; a step is words:
 *   s SLOT PEER   r SLOT PEER   cpy FROM AT   re FROM AT   rcs AT PEERIN PEEROUT
 *   rrc FROM AT PEER   rrs FROM PEERIN PEEROUT   sig PEER   wait PEER   put FROM PEER AT   nop
 * "@thread.step" makes it wait, and "*N" gives it N chunks. All FIFOs are on channel 0. */
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
        const char *dep = strchr(text, '@'), *many = strchr(text, '*');
        if (many != NULL)
            step.count = atoi(many + 1);
        if (dep != NULL)
            assert_int_equal(sscanf(dep, "@%d.%d", &step.dep_thread, &step.dep_step), 2);
        step.line = number;
        assert_int_equal(prg_add(program, &step), RB_OK);
    }
}

/* ---- A program as operations, carried out on numbers ----------------------------------------- */

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
            if (prg_datum(program, contract->start, r, PRG_INPUT, i) != PRG_NONE)
                memory[r][i] =
                    1000000 * (int64_t)prg_datum(program, contract->start, r, PRG_INPUT, i) +
                    (contract->reducing ? INT64_C(1) << 4 * r : 0);
    for (int64_t t = 0; t < lowered.rounds; t++)
        carry_out(t);
    for (int32_t r = 0; r < program->ranks; r++)
        for (int32_t i = 0; i < program->memory[r].slots; i++) {
            const int32_t datum = prg_datum(program, contract->end, r, PRG_OUTPUT, i);
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
    if (verdict.fault == PRG_RIGHT && program.contract.collective != NULL && ranks <= MOST_RANKS)
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

static void fifos_need_room_for_what_nobody_takes(void **state)
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

static void unequal_numbers_of_messages_are_faults(void **state)
{
    (void)state;
    expect(prove(2, "broadcast", true, 1, 1, 0, "0.0: s 0 1; s 0 1\n1.0: r 0 0\n"), PRG_UNMATCHED,
           "rank 0 sends 2 messages to rank 1 on channel 0, which takes 1");
    expect(prove(2, "broadcast", true, 1, 1, 0, "0.0: nop\n1.0: r 0 0\n"), PRG_UNMATCHED,
           "sends 0 messages");
}

static void unordered_accesses_are_races(void **state)
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

static void wrong_contents_are_named(void **state)
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

static void sizes_that_no_collective_has_are_refused(void **state)
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

/* ---- Known answers for many programs --------------------------------------------------------- */

static uint32_t seed;
static int32_t random_below(int32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (int32_t)((seed >> 8) % (uint32_t)limit);
}

static void write_more(char **text, const char *format, ...)
{
    char more[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(more, sizeof more, format, arguments);
    va_end(arguments);
    *text = stpcpy(*text, more);
}

/* Rank 0 combines what each rank sends it, that of rank v `times` times, and sends the result. */
static struct prg_verdict star(int32_t p, int32_t v, int times)
{
    static char text[1 << 16];
    char *end = text;
    write_more(&end, "0.0:");
    for (int32_t r = 1; r < p; r++)
        for (int i = 0; i < (r == v ? times : 1); i++)
            write_more(&end, " rrc 0 0 %d;", (int)r);
    for (int32_t r = 1; r < p; r++)
        write_more(&end, " s 0 %d;", (int)r);
    for (int32_t r = 1; r < p; r++) {
        write_more(&end, "\n%d.0:", (int)r);
        for (int i = 0; i < (r == v ? times : 1); i++)
            write_more(&end, " s 0 0;");
        write_more(&end, " r 0 0;");
    }
    return prove(p, "allreduce", true, 1, 1, 0, text);
}

/* The contribution of each rank of many, once, twice or not at all. */
static void each_rank_contributes_once(void **state)
{
    static const int32_t ranks[] = {2, 63, 64, 65, 127, 128, 129, 200};
    char what[80];
    (void)state;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        const struct prg_verdict right = star(ranks[i], 0, 1);
        expect(right, PRG_RIGHT, "");
        assert_true(right.contents && right.same_order);
        assert_int_equal(right.messages, 2 * (ranks[i] - 1));
        for (int32_t v = 1; v < ranks[i]; v++) {
            snprintf(what, sizeof what, "the contribution of rank %d twice", (int)v);
            expect(star(ranks[i], v, 2), PRG_CONTENTS, what);
            snprintf(what, sizeof what, "lacks the contribution of rank %d", (int)v);
            /* At the end of the text, so that 6 is not found in 64. */
            const struct prg_verdict lacks = star(ranks[i], v, 0);
            expect(lacks, PRG_CONTENTS, what);
            assert_string_equal(strstr(lacks.what, "lacks"), what);
        }
    }
}

/* Messages of any lengths wait in slots of their own while their receiver exchanges chunks with
 * rank 2, which has all of them. */
static void late_messages_keep_their_slots(void **state)
{
    static char text[1 << 15], from_0[1 << 13], from_2[1 << 13];
    (void)state;
    for (uint32_t run = 0; run < 300; run++) {
        seed = run;
        const int32_t messages = 1 + random_below(24), most = 1 + random_below(4);
        int32_t chunks = 0, length[24];
        for (int32_t i = 0; i < messages; i++)
            chunks += length[i] = 1 + random_below(most);
        char *end = text, *end_0 = from_0, *end_2 = from_2;
        write_more(&end, "1.0:");
        write_more(&end_0, "\n0.1: s 0 2 *%d\n0.0:", (int)chunks);
        write_more(&end_2, "\n2.0: r 0 0 *%d;", (int)chunks);
        for (int32_t i = 0, first = 0; i < messages; first += length[i++]) {
            for (int32_t k = random_below(3) > 0 ? 0 : random_below(12); k > 0; k--) {
                write_more(&end, " r %d 2; s %d 2;", (int)first, (int)first);
                write_more(&end_2, " s %d 1; r %d 1;", (int)first, (int)first);
            }
            write_more(&end, " r %d 0 *%d;", (int)first, (int)length[i]);
            write_more(&end_0, " s %d 1 *%d;", (int)first, (int)length[i]);
        }
        stpcpy(stpcpy(end, from_0), from_2);
        const struct prg_verdict verdict = prove(3, "broadcast", true, chunks, chunks, 0, text);
        if (verdict.fault != PRG_RIGHT || verdict.least_room != 1)
            fail_msg("seed %d: %s, room %d", (int)run, verdict.what, (int)verdict.least_room);
    }
}

/* A random program, whose steps are numbered in an order in which they can be done. known[a][b]:
 * step b is done after step a in every order. */
enum { THREADS = 6, STEPS = 24, PAIRS = THREADS * THREADS };
struct random_program {
    struct prg_step step[STEPS];
    int32_t thread_of[STEPS], place[STEPS], steps;
    int32_t last[THREADS], length[THREADS];                        /* last step, or -1 */
    int32_t put[2][PAIRS][STEPS], puts[2][PAIRS], taken[2][PAIRS]; /* [1]: of signals */
    bool known[STEPS][STEPS];
};

static int32_t rank_of(int32_t thread)
{
    return thread / 2;
}

static void note_order(struct random_program *random, int32_t earlier, int32_t after)
{
    for (int32_t a = 0; earlier >= 0 && a < random->steps; a++)
        if (a == earlier || random->known[a][earlier])
            random->known[a][after] = true;
}

static void take_from(struct random_program *random, struct prg_program *program, int32_t pair,
                      bool signal, struct prg_step *step)
{
    const int32_t to = pair % THREADS;
    const int32_t sender = random->put[signal][pair][random->taken[signal][pair]++];
    step->in = prg_fifo_of(program, rank_of(pair / THREADS), rank_of(to), pair, signal);
    if (!step->relaxed && !random->step[sender].relaxed)
        note_order(random, sender, random->steps);
}

static void add_random(struct random_program *random, struct prg_program *program, int32_t thread,
                       struct prg_step step)
{
    const int32_t now = random->steps;
    note_order(random, random->last[thread], now);
    if (random_below(3) == 0 && now > 0) { /* perhaps it waits for another thread of the rank */
        const int32_t other = random_below(now);
        if (rank_of(random->thread_of[other]) == rank_of(thread)) {
            step.dep_thread = random->thread_of[other] % 2;
            step.dep_step = random->place[other];
            note_order(random, other, now);
        }
    }
    if (step.in == PRG_NONE && random_below(3) == 0) {
        const bool signal = step.count == 0 || step.from == PRG_NONE || step.at != PRG_NONE;
        const int32_t to = random_below(THREADS), pair = thread * THREADS + to;
        if (rank_of(to) != rank_of(thread)) {
            step.out = prg_fifo_of(program, rank_of(thread), rank_of(to), pair, signal);
            random->put[signal][pair][random->puts[signal][pair]++] = now;
        }
    }
    step.line = now + 1;
    random->step[now] = step;
    random->thread_of[now] = thread;
    random->place[now] = random->length[thread]++;
    random->last[thread] = now;
    random->steps++;
}

/* A step that takes what is in a FIFO, if there is something in one, or reads or writes. */
static void add_any(struct random_program *random, struct prg_program *program, bool signal,
                    bool only_take)
{
    enum { SLOTS_EACH = 2 };
    int32_t pair = random_below(PAIRS), tries = PAIRS;
    while (tries > 0 && random->taken[signal][pair] == random->puts[signal][pair]) {
        pair = (pair + 1) % PAIRS;
        tries--;
    }
    const int32_t thread = tries > 0 ? pair % THREADS : random_below(THREADS);
    struct prg_step step = prg_step_of(rank_of(thread));
    step.count = !signal || random_below(2);
    step.relaxed = step.count == 0 && random_below(4) == 0;
    if (tries > 0)
        take_from(random, program, pair, signal, &step);
    else if (only_take)
        return;
    if (step.in == PRG_NONE && step.count > 0)
        step.from = random_below(SLOTS_EACH);
    if ((!signal && tries > 0) || (step.from >= 0 && random_below(2)))
        step.at = random_below(SLOTS_EACH);
    if (step.from >= 0 && step.at >= 0 && random_below(3) == 0) /* one-sided */
        *(random_below(2) ? &step.from_rank : &step.at_rank) = random_below(THREADS / 2);
    add_random(random, program, thread, step);
}

static bool reads_or_writes(const struct prg_step *step, int32_t rank, int32_t slot, bool writes)
{
    return writes ? step->at == slot && step->at_rank == rank
                  : step->from == slot && step->from_rank == rank;
}

static bool is_race(const struct random_program *random, int32_t a, int32_t b)
{
    const struct prg_step *x = &random->step[a], *y = &random->step[b];
    bool meet = false;
    for (int kind = 1; kind < 4; kind++) /* not both read */
        for (int32_t at = 0; at < 6; at++)
            meet = meet || (reads_or_writes(x, at / 2, at % 2, kind & 1) &&
                            reads_or_writes(y, at / 2, at % 2, kind >> 1));
    return meet && a != b && random->thread_of[a] != random->thread_of[b] && !random->known[a][b] &&
           !random->known[b][a];
}

static bool has_race(const struct random_program *random)
{
    for (int32_t a = 0; a < random->steps; a++)
        for (int32_t b = 0; b < a; b++)
            if (is_race(random, a, b))
                return true;
    return false;
}

/* Two lines of a message: "... (line 3) ... (line 7) ...". */
static bool names_race(const struct random_program *random, const char *what)
{
    const char *first = strstr(what, "(line "),
               *second = first ? strstr(first + 1, "(line ") : NULL;
    return second != NULL && is_race(random, atoi(first + 6) - 1, atoi(second + 6) - 1);
}

static struct random_program make_random(struct prg_program *program)
{
    struct random_program random = {.steps = 0};
    struct sup_error error;
    memset(random.last, -1, sizeof random.last);
    assert_int_equal(prg_init(program, THREADS / 2), RB_OK);
    for (int32_t r = 0; r < THREADS / 2; r++)
        program->memory[r].chunks[PRG_SCRATCH] = 2;
    assert_int_equal(prg_set_collective(program, "custom", false, 0, &error), RB_OK);
    for (int32_t left = 4 + random_below(9); left > 0; left--)
        add_any(&random, program, random_below(2), false);
    for (bool more = true; more && random.steps < STEPS;) {
        const int32_t steps = random.steps;
        add_any(&random, program, false, true); /* messages are taken; signals may be left over */
        more = random.steps > steps;
    }
    for (int32_t t = 0; t < THREADS; t++) {
        assert_int_equal(prg_begin_thread(program, rank_of(t), t % 2), RB_OK);
        for (int32_t s = 0; s < random.steps; s++)
            if (random.thread_of[s] == t)
                assert_int_equal(prg_add(program, &random.step[s]), RB_OK);
    }
    assert_int_equal(prg_finish(program, &error), RB_OK);
    return random;
}

/* A race is found where, and only where, no path of waits leads from one access to the other. */
static void races_are_what_no_wait_orders(void **state)
{
    int32_t found = 0, runs = 0;
    (void)state;
    for (uint32_t run = 0; run < 20000; run++) {
        struct prg_program program;
        struct prg_verdict verdict;
        seed = run;
        const struct random_program random = make_random(&program);
        if (random.steps < STEPS) { /* every message is taken */
            assert_int_equal(prg_prove(&program, &verdict), RB_OK);
            const bool race = has_race(&random);
            if (!race && strstr(verdict.what, " signals to ") != NULL)
                verdict.fault = PRG_RIGHT; /* some are left over */
            if (verdict.fault != (race ? PRG_RACE : PRG_RIGHT) ||
                (race && !names_race(&random, verdict.what)))
                fail_msg("seed %d: %s race, but fault %d: %s", (int)run, race ? "a" : "no",
                         (int)verdict.fault, verdict.what);
            found += race;
            runs++;
        }
        prg_free(&program);
    }
    assert_true(4 * found > runs && 4 * (runs - found) > runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_programs),
        cmocka_unit_test(full_fifo),
        cmocka_unit_test(same_order),
        cmocka_unit_test(fifos_need_room_for_what_nobody_takes),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(unequal_numbers_of_messages_are_faults),
        cmocka_unit_test(unordered_accesses_are_races),
        cmocka_unit_test(wrong_contents_are_named),
        cmocka_unit_test(sizes_that_no_collective_has_are_refused),
        cmocka_unit_test(room_of_plans),
        cmocka_unit_test(each_rank_contributes_once),
        cmocka_unit_test(late_messages_keep_their_slots),
        cmocka_unit_test(races_are_what_no_wait_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
