/* test_programs_without_memory.c - programs made, proved and lowered, each allocation failing once:
 * RB_ENOMEM or the right result, and no memory is leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "interchange/msccl_xml.h"
#include "interchange/programs/lower.h"
#include "interchange/programs/prove.h"
#include "tests/without_memory.h"

/* The number of the same FIFO in a copy: false without memory. */
static bool copy_fifo(const struct prg_program *from, struct prg_program *to, int32_t *fifo)
{
    if (*fifo == PRG_NONE)
        return true;
    const struct prg_fifo *of = &from->fifo[*fifo];
    *fifo = prg_fifo_of(to, of->from, of->to, of->channel, of->signal);
    return *fifo != PRG_NONE;
}

static int copy(const struct prg_program *from, struct prg_program *to)
{
    struct sup_error error;
    int status = prg_init(to, from->ranks);
    if (status != RB_OK)
        return status;
    memcpy(to->memory, from->memory, (size_t)from->ranks * sizeof *to->memory);
    to->contract = from->contract;
    to->chunks = from->chunks;
    for (int32_t i = 0; i < from->threads; i++) {
        const struct prg_thread *thread = &from->thread[i];
        status = prg_begin_thread(to, thread->rank, thread->number);
        for (int64_t k = 0; status == RB_OK && k < thread->count; k++) {
            struct prg_step step = from->step[thread->first + k];
            status = copy_fifo(from, to, &step.in) && copy_fifo(from, to, &step.out)
                         ? prg_add(to, &step)
                         : RB_ENOMEM;
        }
        if (status != RB_OK)
            return status;
    }
    return prg_finish(to, &error);
}

static int take(void *count, int64_t round, int32_t rank, const struct rb_op *op, int32_t line)
{
    (void)round, (void)rank, (void)op, (void)line;
    ++*(int64_t *)count;
    return RB_OK;
}

static int copy_prove_and_lower(void *context)
{
    struct prg_program program = {0};
    struct prg_verdict verdict = {0};
    struct prg_lowered lowered = {0};
    struct sup_error error;
    int64_t operations = 0;
    int status = copy(context, &program);
    if (status == RB_OK)
        status = prg_prove(&program, &verdict);
    if (status == RB_OK && verdict.fault != PRG_RIGHT)
        status = RB_EWRONG;
    if (status == RB_OK)
        status = prg_lower(&program, verdict.least_room, take, &operations, &lowered, &error);
    free(lowered.bytes);
    prg_free(&program);
    return status == RB_OK && operations == 0 ? RB_EWRONG : status;
}

static void programs_without_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"allreduce.xml", "alltoall.xml", "bcast.xml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[4096];
        struct prg_program program = {0};
        struct inter_msccl about;
        struct sup_error error;
        snprintf(path, sizeof path, SEEDS "%s", names[i]);
        FILE *stream = fopen(path, "r");
        assert_non_null(stream);
        assert_int_equal(inter_msccl_read(stream, path, false, &program, &about, &error), RB_OK);
        fclose(stream);
        assert_int_equal(copy_prove_and_lower(&program), RB_OK);
        try_failures(copy_prove_and_lower, &program, names[i]);
        prg_free(&program);
    }
}

static int find_room(void *context)
{
    struct rb_plan *plan;
    int64_t room;
    int status = rb_plan_create(context, &plan, NULL, 0);
    if (status != RB_OK)
        return status;
    for (int by_block = 0; status == RB_OK && by_block < 2; by_block++)
        status = prg_plan_room(plan, by_block != 0, &room);
    rb_plan_destroy(plan);
    return status;
}

static void rooms_without_memory(void **state)
{
    (void)state;
    struct rb_plan_spec spec = {
        .collective = "allgather", .algorithm = "circulant", .p = 5, .n = 3};
    assert_int_equal(find_room(&spec), RB_OK);
    try_failures(find_room, &spec, "room of allgather circulant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_without_memory),
        cmocka_unit_test(rooms_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
