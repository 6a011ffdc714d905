/* The space-time diagram: its data are the run's, its script makes the same picture again. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/run/pictures.h"
#include "tests/diagnosed_run.h"

static char place[] = "/tmp/rb_diagram_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(place) == NULL;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", place);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

static int draw(const struct run *run, const char *name, struct sup_error *error)
{
    const struct diag_diagram diagram = {
        .file = path_of(name),
        .text = {.origin = {"what it is"}, .labels = {"the plan", "the engine"}},
        .spec = &run->spec,
        .recording = &run->recording,
        .diagnosis = &run->diagnosis,
    };
    const int status = diag_picture_prepare("--diagram", diagram.file, error);
    return status == RB_OK ? diag_diagram_draw(&diagram, error) : status;
}

static void expect_drawn(const struct run *run, const char *name)
{
    struct sup_error error;
    if (draw(run, name, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(access(path_of(name), R_OK), 0);
}

/* Numbers of the lines of series i; returns how many lines. */
enum { MOST_LINES = 21000, MOST_NUMBERS = 9 };
static int read_series(const char *name, int series, double numbers[][MOST_NUMBERS])
{
    char line[512];
    int at = -1, count = 0;
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "# messages:", 11) == 0 || strncmp(line, "# cells:", 8) == 0)
            at = 0;
        else if (strncmp(line, "# critical path:", 16) == 0)
            at = 1;
        else if (at == series && line[0] != '#' && line[0] != '\n') {
            assert_true(count < MOST_LINES);
            double *row = numbers[count++];
            assert_true(sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &row[0], &row[1],
                               &row[2], &row[3], &row[4], &row[5], &row[6], &row[7], &row[8]) >= 2);
        }
    }
    fclose(file);
    return count;
}
static double numbers[MOST_LINES][MOST_NUMBERS];

/* Of few ranks: each message, and the corners of the critical path. Rank 0 sends six times, then
 * the last block goes down the chain. */
static void bars_are_the_messages(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 4, 6, 6000, blocking, NULL, NULL, 0};
    static const double corners[][2] = {{0, 0}, {10, 0}, {12, 1}, {14, 2}, {16, 3}};
    struct run run;
    diagnose(&run, &request);
    expect_drawn(&run, "chain.png");
    assert_int_equal(read_series("chain.dat", 0, numbers), run.recording.count);
    for (int32_t i = 0; i < run.recording.count; i++) {
        const struct sim_message *message = &run.recording.message[i];
        assert_true(numbers[i][0] == message->from && numbers[i][1] == message->to);
        assert_true(numbers[i][2] == message->start_s && numbers[i][3] == message->end_s);
        assert_true(numbers[i][4] == (double)(message->round - message->from)); /* the block */
        assert_true(numbers[i][8] == message->end_s);                           /* none is slowed */
    }
    assert_int_equal(read_series("chain.dat", 1, numbers), 5);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(numbers[i][0] - 1e-6 * corners[i][0]) < 1e-12 &&
                    numbers[i][1] == corners[i][1]);
    end(&run);
}

static bool has_line(const char *name, const char *wanted)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        found = found || strcmp(line, wanted) == 0;
    fclose(file);
    return found;
}

/* Two leaves with one cable: in round 1 two messages share it, and each takes 3 us instead of 2. */
static void slowed_messages_tell_what_they_lose(void **state)
{
    (void)state;
    static const char *const engines[] = {"flow", "simgrid"};
    for (int e = 0; e < 2; e++) {
        const struct request request = {"alltoall",
                                        "pairwise",
                                        4,
                                        1,
                                        16000,
                                        lockstep,
                                        "fat-tree:4,down=2x2,taper=2,bandwidth=1GBps",
                                        engines[e],
                                        0};
        struct run run;
        diagnose(&run, &request);
        expect_drawn(&run, "slowed.png");
        assert_int_equal(read_series("slowed.dat", 0, numbers), 12);
        for (int i = 0; i < 12; i++) {
            const double took_s = numbers[i][3] - numbers[i][2];
            const double moves_s = numbers[i][8] - numbers[i][2];
            assert_true(fabs(took_s - (numbers[i][5] == 1 ? 3e-6 : 2e-6)) < 1e-14);
            assert_true(fabs(moves_s - 2e-6) < 1e-14);
        }
        /* 4 us of 4 x 3 us + 8 x 2 us. */
        assert_true(has_line("slowed.gp", "slowed = 4\n"));
        assert_true(has_line("slowed.gp", "lost = 0.142857 # share of time\n"));
        end(&run);
    }
}

/* Each port has its part of a row. */
static void ports_are_drawn_apart(void **state)
{
    (void)state;
    const struct request request = {"alltoall", "bruck", 9, 1, 8100, blocking, NULL, NULL, 2};
    struct run run;
    diagnose(&run, &request);
    expect_drawn(&run, "ports.png");
    assert_int_equal(read_series("ports.dat", 0, numbers), run.recording.count);
    double ports = 0;
    for (int32_t i = 0; i < run.recording.count; i++) {
        assert_true(numbers[i][7] == run.recording.message[i].port);
        ports += numbers[i][7];
    }
    assert_true(ports == run.recording.count / 2.);
    end(&run);
}

/* Of many messages: cells with the colour of a message that the row's rank receives then; a rank
 * that receives nothing has none. */
static void bundles_have_a_message_of_their_time(void **state)
{
    (void)state;
    static const int32_t ranks[] = {41, 300};
    for (int i = 0; i < 2; i++) {
        const struct request request = {"bcast",  "circulant", ranks[i], 7, 10000000,
                                        blocking, NULL,        NULL,     0};
        const int step = (ranks[i] + 127) / 128;
        struct run run;
        bool any[300] = {false};
        diagnose(&run, &request);
        expect_drawn(&run, "many.svg");
        const int count = read_series("many.dat", 0, numbers);
        for (int cell = 0; cell < count; cell++) {
            const int32_t rank = (int32_t)(numbers[cell][0] - 0.5 * (step - 1));
            bool found = false;
            for (int32_t k = 0; k < run.recording.count && !found; k++) {
                const struct sim_message *message = &run.recording.message[k];
                found = message->to == rank &&
                        message->start_s < numbers[cell][1] + run.result.time_s / 320 &&
                        message->end_s > numbers[cell][1] - run.result.time_s / 320;
            }
            assert_true(found);
            assert_true(numbers[cell][2] >= 0 && numbers[cell][2] < 7);
            any[rank] = true;
        }
        for (int32_t rank = 0; rank < ranks[i]; rank++)
            assert_int_equal(any[rank], rank > 0 && rank % step == 0);
        end(&run);
    }
}

/* Of many with one block: cells whose busy time is the ranks'. */
static void density_is_the_busy_time(void **state)
{
    (void)state;
    static const int32_t ranks[] = {41, 300};
    for (int i = 0; i < 2; i++) {
        const struct request request = {"bcast",
                                        "binomial",
                                        ranks[i],
                                        1,
                                        10000000,
                                        blocking,
                                        i == 0 ? "fat-tree:64,down=4x4x4,taper=4" : NULL,
                                        i == 0 ? "simgrid" : NULL,
                                        0};
        struct run run;
        double busy_s = 0, cells_s = 0;
        diagnose(&run, &request);
        expect_drawn(&run, "many.svg");
        const int count = read_series("many.dat", 0, numbers), rows = ranks[i] < 128 ? 41 : 128;
        assert_int_equal(count, rows * 160);
        for (int32_t rank = 0; rank < ranks[i]; rank++)
            busy_s += run.diagnosis.rank[rank].busy_s;
        for (int cell = 0; cell < count; cell++) {
            const int row = cell / 160;
            const int32_t in_row =
                ((row + 1) * ranks[i] + rows - 1) / rows - (row * ranks[i] + rows - 1) / rows;
            assert_true(numbers[cell][2] >= 0 && numbers[cell][2] <= 1 + 1e-5);
            cells_s += numbers[cell][2] * in_row * run.result.time_s / 160;
        }
        assert_true(fabs(cells_s - busy_s) < 1e-5 * busy_s);
        end(&run);
    }
}

static void scripts_make_the_same_picture(void **state)
{
    (void)state;
    const struct request request = {"allgather", "ring", 5, 1, 5000, lockstep, NULL, NULL, 0};
    struct run run;
    char command[512];
    diagnose(&run, &request);
    expect_drawn(&run, "sub/ring.png");
    snprintf(
        command, sizeof command,
        "cd '%s/sub' && mv ring.png first.png && gnuplot -d ring.gp && "
        "cmp -n $(($(stat -c %%s ring.png) - 12)) ring.png first.png", /* then comes the mark */
        place);
    assert_int_equal(system(command), 0);
    end(&run);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "a.jpg", ".png", "dir/.pdf", "png", "a.pdf/"};
    struct sup_error error;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (diag_picture_prepare("--diagram", names[i], &error) != RB_EINVAL ||
            strstr(error.text, names[i]) == NULL)
            fail_msg("%s: %s", names[i], error.text);
    assert_int_equal(diag_picture_prepare("--diagram", path_of("no/such/place.svg"), &error),
                     RB_EINVAL);
    assert_non_null(strstr(error.text, "there is no directory"));
}

static void nothing_is_not_drawn(void **state)
{
    (void)state;
    const struct request request = {"bcast", "chain", 1, 6, 6000, blocking, NULL, NULL, 0};
    struct run run;
    struct sup_error error;
    diagnose(&run, &request);
    assert_int_equal(draw(&run, "nothing.png", &error), RB_EINVAL);
    assert_string_equal(error.text, "there are no messages to draw, or they take no time");
    assert_int_not_equal(access(path_of("nothing.dat"), F_OK), 0);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_the_messages),
        cmocka_unit_test(ports_are_drawn_apart),
        cmocka_unit_test(slowed_messages_tell_what_they_lose),
        cmocka_unit_test(bundles_have_a_message_of_their_time),
        cmocka_unit_test(density_is_the_busy_time),
        cmocka_unit_test(scripts_make_the_same_picture),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(nothing_is_not_drawn),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
