/* test_formats_without_memory.c - plans written in the formats of other programs, and read back: if
 * an allocation fails below the formats, RB_ENOMEM or the plan that is read otherwise, and no
 * memory is leaked. */
#define _GNU_SOURCE /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "interchange/export/export.h"
#include "interchange/interchange.h"
#include "interchange/msccl_xml.h"
#include "schedules/plan/plan.h"
#include "tests/spared_memory.h"

typedef int write_plan(const struct rb_plan *plan, FILE *stream, struct sup_error *error);

static int write_goal(const struct rb_plan *plan, FILE *stream, struct sup_error *error)
{
    const struct rb_layout layout = {.bytes = 1000, .element = 1};
    const struct export_request request = {
        .plan = plan, .layout = &layout, .overlap = {.rule = SIM_DATA}};
    return export_write_goal(&request, stream, error);
}

struct wanted {
    const char *collective, *algorithm;
    write_plan *write;
    int64_t places; /* rounds of ranks that do something, with memory; 0: not known yet */
};

/* RB_EWRONG: another plan than with memory. */
static int read_back(struct wanted *wanted, const char *text)
{
    struct inter_plan plan;
    struct sup_error error;
    struct sup_lines lines = {.path = "text", .text = sup_strdup(text)};
    lines.next = lines.text;
    inter_plan_init(&plan, "text", strlen(text), &error);
    int status = inter_read(&lines, &plan);
    if (status == RB_OK)
        status = inter_plan_finish(
            &plan, wanted->write == write_goal ? &rb_none : rb_collective_named(wanted->collective),
            "file:text");
    if (status == RB_OK && wanted->places == 0)
        wanted->places = (int64_t)plan.places;
    if (status == RB_OK && (plan.wrong != NULL || (int64_t)plan.places != wanted->places))
        status = RB_EWRONG;
    inter_plan_free(&plan);
    free(lines.text);
    return status;
}

static int write_and_read(void *context)
{
    struct wanted *wanted = context;
    const struct rb_plan_spec spec = {
        .collective = wanted->collective, .algorithm = wanted->algorithm, .p = 4, .n = 2};
    struct sup_error error;
    struct rb_plan *plan;
    char *text;
    size_t size;
    int status = rb_plan_create(&spec, &plan, NULL, 0);
    if (status != RB_OK)
        return status;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    status = wanted->write(plan, stream, &error);
    assert_int_equal(fclose(stream), 0);
    rb_plan_destroy(plan);
    if (status == RB_OK)
        status = read_back(wanted, text);
    __real_free(text);
    return status;
}

/* What a program has that ends is not freed; leaks of those that go on are counted by try_failures.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static jmp_buf end;

static void end_program(void)
{
    longjmp(end, 1);
}

/* Some readers end the program, which frees everything. */
static int write_and_read_or_end(void *context)
{
    if (setjmp(end) == 0)
        return write_and_read(context);
    alive = spared = 0;
    return RB_ENOMEM;
}

static void formats_without_memory(void **state)
{
    (void)state;
    static struct wanted forms[] = {
        {.collective = "allreduce", "ring", inter_msccl_write},
        {.collective = "alltoall", "pairwise", inter_msccl_write},
        {.collective = "allreduce", "ring", inter_mscclpp_write},
        {.collective = "allgather", "circulant", inter_mscclpp_write},
        {.collective = "bcast", "binomial", write_goal},
        {.collective = "allreduce", "ring", write_goal},
    };
    sup_no_memory_handler(end_program);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (write_and_read(&forms[i]) != RB_OK)
            fail_msg("form %d, %s: not read back", (int)i, forms[i].collective);
        try_failures(write_and_read_or_end, &forms[i], forms[i].collective);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formats_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
