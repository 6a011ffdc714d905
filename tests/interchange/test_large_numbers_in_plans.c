/* test_large_numbers_in_plans.c - small files that ask for much: each number of each format made
 * large, alone and wherever it stands. Such a file is a plan that can be proved, or is refused by
 * one line, with little memory and at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <sys/resource.h>

#include "interchange/interchange.h"
#include "interchange/msccl_xml.h"
#include "schedules/plan/plan.h"
#include "tests/interchange/round_trip.h"

static const char *const large[] = {"3000", "65535", "1048575", "268435456", "1073741823"};
enum { LARGE = sizeof large / sizeof *large };

static int64_t refused, read;

/* Reads a text, and proves the plan if it is one. */
static void try_text(const char *text, const char *collective)
{
    struct sup_error error = {""};
    struct inter_plan file;
    char *copy = sup_strdup(text);
    struct sup_lines lines = {.path = "x", .text = copy, .next = copy};
    inter_plan_init(&file, "x", strlen(text), &error);
    int status = inter_read(&lines, &file);
    const bool none = file.program != NULL && file.header.collective[0] == '\0';
    const struct rb_collective *by = none ? &rb_none : rb_collective_named(collective);
    if (status == RB_OK)
        status = inter_plan_finish(&file, by, "file:x");
    if (status != RB_OK) {
        if (status == RB_ENOMEM || error.text[0] != 'x' || strchr(error.text, '\n') != NULL)
            fail_msg("\"%s\" of:\n%s", error.text, text);
        refused++;
    } else {
        const struct rb_plan_spec spec = {.p = file.only.p,
                                          .root = file.only.root < 0 ? 0 : file.only.root,
                                          .n = file.only.n > 0 ? file.only.n : 1,
                                          .ports = file.only.ports};
        struct rb_plan *plan;
        struct rb_verdict verdict;
        char why[300];
        read++;
        if (rb_plan_make(by, &file.algorithm, &spec, &plan, why, sizeof why) == RB_OK) {
            rb_verify_plan(plan, NULL, &verdict);
            rb_plan_destroy(plan);
        }
    }
    inter_plan_free(&file);
    free(lines.text);
}

static bool begins_number(const char *text, const char *at)
{
    return isdigit((unsigned char)*at) &&
           (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '.'));
}

/* Each number in turn, and all that are equal to it, by each of the large ones. */
static void enlarge(const char *text, const char *collective)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (!begins_number(text, at))
            continue;
        const size_t length = strspn(at, "0123456789");
        for (int everywhere = 0; everywhere < 2; everywhere++) {
            for (int i = 0; i < LARGE; i++) {
                char *made;
                size_t size;
                FILE *stream = sup_memory_open(&made, &size);
                for (const char *from = text; *from != '\0';) {
                    const size_t own = begins_number(text, from) ? strspn(from, "0123456789") : 0;
                    const bool same = own == length && memcmp(from, at, length) == 0;
                    if (from == at || (everywhere && same))
                        fputs(large[i], stream);
                    else
                        fwrite(from, 1, own > 0 ? own : 1, stream);
                    from += own > 0 ? own : 1;
                }
                sup_memory_close(stream, &made);
                try_text(made, collective);
                free(made);
            }
        }
    }
}

static void rows_of_numbers(void **state)
{
    (void)state;
    static const char csv[] = "round,rank,op,peer,port,buffer,owner,index\n"
                              "0,0,send,1,2,dst,0,3\n0,1,recv,0,2,dst,0,3\n";
    static const char copies[] =
        "round,rank,op,peer,port,buffer,owner,index,from_buffer,from_owner,from_index\n"
        "0,0,copy,0,0,tmp,4,3,src,5,6\n0,0,send,1,0,tmp,4,3,,,\n0,1,recv,0,0,tmp,4,3,,,\n";
    static const char json[] =
        "{\"p\": 2, \"n\": 1, \"root\": 0, \"ports\": 3, \"blocks\": 4, \"rounds\": 5, \"rows\": "
        "[\n"
        "{\"round\": 0, \"rank\": 0, \"op\": \"send\", \"peer\": 1, \"buffer\": \"dst\", "
        "\"owner\": 0, \"index\": 0},\n"
        "{\"round\": 0, \"rank\": 1, \"op\": \"recv\", \"peer\": 0, \"buffer\": \"dst\", "
        "\"owner\": 0, \"index\": 0}]}\n";
    static const char *const names[] = {"bcast",    "reduce", "allreduce", "allgather",
                                        "alltoall", "gather", "scan",      "scatter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enlarge(csv, names[i]);
        enlarge(copies, names[i]);
        enlarge(json, names[i]);
    }
}

static void large_numbers_in_programs_are_refused(void **state)
{
    (void)state;
    static const struct rb_plan_spec specs[] = {
        {.collective = "allreduce", .algorithm = "ring", .p = 3, .n = 1, .ports = 1},
        {.collective = "alltoall", .algorithm = "bruck", .p = 3, .n = 1, .ports = 1},
        {.collective = "bcast", .algorithm = "circulant", .p = 3, .n = 2, .ports = 1}};
    enlarge("num_ranks 4\nrank 0 {\nl1: send 8b to 1 tag 2\nl2: calc 16\nl2 requires l1\n}\n"
            "rank 1 {\nl1: recv 8b from 0 tag 2\n}\n",
            "bcast");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sup_error error;
        char *xml = write_by(inter_msccl_write, &specs[i], &error);
        char *json = write_by(inter_mscclpp_write, &specs[i], &error);
        enlarge(xml, specs[i].collective);
        enlarge(json, specs[i].collective);
        free(xml);
        free(json);
    }
}

/* The row and the number are named. */
static void what_is_too_large_is_named(void **state)
{
    (void)state;
    static const char head[] = "round,rank,op,peer,port,buffer,owner,index\n";
    static const struct {
        const char *rows, *expected;
    } cases[] = {
        {"0,0,send,1,0,dst,0,0\n0,1073741823,recv,0,0,dst,0,0\n", "x:3: rank: 1073741823: "},
        {"0,0,send,1073741823,0,dst,0,0\n0,1,recv,0,0,dst,0,0\n", "x:2: peer: 1073741823: "},
        {"0,0,send,1,0,dst,0,1073741823\n0,1,recv,0,0,dst,0,0\n", "x:2: index: 1073741823: "},
        {"0,0,send,1,0,tmp,1073741823,0\n0,1,recv,0,0,dst,0,0\n", "x:2: owner: 1073741823: "},
        {"0,0,send,1048575,0,dst,0,0\n900000,1,recv,0,0,dst,0,0\n", "x:2: peer: 1048575: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sup_error error = {""};
        struct inter_plan file;
        char *text = sup_format("%s%s", head, cases[i].rows);
        struct sup_lines lines = {.path = "x", .text = text, .next = text};
        inter_plan_init(&file, "x", strlen(text), &error);
        assert_int_equal(inter_read(&lines, &file), RB_OK);
        assert_int_equal(inter_plan_finish(&file, rb_collective_named("bcast"), "file:x"),
                         RB_EINVAL);
        if (strncmp(error.text, cases[i].expected, strlen(cases[i].expected)) != 0)
            fail_msg("%s", error.text);
        inter_plan_free(&file);
        free(text);
    }
}

/* What a right plan needs is never too much: a flat broadcast has the fewest rows for its rounds
 * and ranks, and a flat gather for its data. */
static void a_right_plan_is_small_enough(void **state)
{
    (void)state;
    enum { ROW = 20 };
    for (double p = 2; p <= 1 << 15; p *= 2) {
        assert_true(inter_may_need((size_t)(2 * p * ROW), p * p));
        assert_true(inter_may_need((size_t)(2 * p * ROW), 4 * p * p));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_too_large_is_named),
        cmocka_unit_test(a_right_plan_is_small_enough),
        cmocka_unit_test(rows_of_numbers),
        cmocka_unit_test(large_numbers_in_programs_are_refused),
    };
    (void)check_all; /* of round_trip.h */
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 30, (rlim_t)1 << 30});
#endif
    setrlimit(RLIMIT_CPU, &(struct rlimit){300, 300}); /* an end, where there would be none */
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%lld texts refused, %lld plans\n", (long long)refused, (long long)read);
    return failed;
}
