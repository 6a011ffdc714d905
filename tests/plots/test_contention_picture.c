/* The picture of contention: its data are the links' load, its script makes the same picture again.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/run/pictures.h"
#include "tests/diagnosed_run.h"

static char place[] = "/tmp/rb_contention_XXXXXX";

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

static void contend(struct run *run, const char *platform, const char *algorithm, int32_t p,
                    int64_t n, int64_t bytes)
{
    const struct request request = {strcmp(algorithm, "pairwise") == 0 ? "alltoall" : "bcast",
                                    algorithm,
                                    p,
                                    n,
                                    bytes,
                                    lockstep,
                                    NULL,
                                    NULL,
                                    0};
    start(run, &request);
    run->spec.want_contention = true;
    simulate(run, "flow", platform);
}

static int draw(const struct run *run, const char *name, struct sup_error *error)
{
    const struct diag_contention picture = {
        .file = path_of(name),
        .text = {.origin = {"what it is"}, .labels = {"a `date` \"$(plan)\"", "the engine @x"}},
        .contention = run->result.contention,
    };
    const int status = diag_picture_prepare("--contention", picture.file, error);
    return status == RB_OK ? diag_contention_draw(&picture, error) : status;
}

static void expect_drawn(const struct run *run, const char *name)
{
    struct sup_error error;
    if (draw(run, name, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(access(path_of(name), R_OK), 0);
}

/* The lines of a series of NAME.dat, whose comment begins with its title. */
typedef void line_reader(const char *line, void *context);
static int read_series(const char *name, const char *title, line_reader *read, void *context)
{
    char line[1024], begin[64];
    bool here = false;
    int count = 0;
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    snprintf(begin, sizeof begin, "# %s:", title);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || line[0] == '\n') {
            here = strncmp(line, begin, strlen(begin)) == 0;
        } else if (here) {
            count++;
            if (read != NULL)
                read(line, context);
        }
    }
    fclose(file);
    return count;
}

/* Full links in each microsecond: the sum over rows of load x time, per level. */
static void add_load(const char *line, void *context)
{
    double(*us)[7] = context, from_s, to_s, low, high, fullest, mean;
    assert_int_equal(
        sscanf(line, "%lf %lf %lf %lf %lf %lf", &from_s, &to_s, &low, &high, &fullest, &mean), 6);
    assert_true(fullest == mean); /* a row is a link */
    for (int i = 0; i < 7; i++)
        us[(int)low][i] +=
            fullest * fmax(fmin(to_s, (i + 1) * 1e-6) - fmax(from_s, i * 1e-6), 0) / 1e-6;
}

static void check_round(const char *line, void *context)
{
    int *contended = context, first, last, level, messages;
    double load;
    assert_int_equal(sscanf(line, "%d %d %d %lf %d", &first, &last, &level, &load, &messages), 5);
    assert_int_equal(first, last);
    assert_true(load == messages);
    if (messages > 1) {
        assert_int_equal(messages, 2);
        assert_int_equal(first, 1);
        assert_in_range(level, 1, 2);
        ++*contended;
    }
}

/* An alltoall of 4 ranks at two leaves with one cable: 1000 bytes per message, 1 us + 1 us alone.
 * In round 1 two messages share each leaf's cable, full for 2 us, and the hosts' links are half
 * full.
 */
static void two_messages_are_drawn(void **state)
{
    (void)state;
    static const double expected[4][7] = {
        {0, 4, 0, 2, 2, 0, 4}, {0, 2, 0, 2, 2, 0, 2}, {0, 2, 0, 2, 2, 0, 2}, {0, 4, 0, 2, 2, 0, 4}};
    double us[4][7] = {{0}};
    int contended = 0;
    struct run run;
    contend(&run, "fat-tree:4,down=2x2,taper=2,bandwidth=1GBps", "pairwise", 4, 1, 16000);
    expect_drawn(&run, "two.png");
    assert_true(read_series("two.dat", "cells", add_load, us) > 0);
    for (int level = 0; level < 4; level++)
        for (int i = 0; i < 7; i++)
            if (fabs(us[level][i] - expected[level][i]) > 1e-4)
                fail_msg("level %d, %d us: %g links", level, i, us[level][i]);
    assert_int_equal(read_series("two.dat", "rounds", check_round, &contended), 12);
    assert_int_equal(contended, 2);
    assert_int_equal(read_series("two.dat", "rows", NULL, NULL), 12);
    end(&run);
}

static void count_links(const char *line, void *context)
{
    int *links = context, count;
    assert_int_equal(sscanf(line, "%*f %*f %*s %d", &count), 1); /* "host up" is in quotes */
    links[0] += count;
    links[1] = count > links[1] ? count : links[1];
}

/* Of many links rows are bands, which cover all links once. */
static void many_links_are_bands(void **state)
{
    (void)state;
    int links[2] = {0, 0};
    struct run run;
    contend(&run, "torus:8x9x10", "chain", 700, 3, 90000);
    expect_drawn(&run, "many.svg");
    assert_int_equal(read_series("many.dat", "rows", NULL, NULL), 240);
    char command[256];
    snprintf(command, sizeof command, "sed -i 's/\"side \\(.\\)\"/side-\\1/' '%s'",
             path_of("many.dat"));
    assert_int_equal(system(command), 0);
    read_series("many.dat", "rows", count_links, links);
    assert_int_equal(links[0], 3 * 2 * 720);
    assert_int_equal(links[1], 18);
    end(&run);
}

static void scripts_make_the_same_picture(void **state)
{
    (void)state;
    char command[512];
    struct run run;
    contend(&run, "dragonfly:18,groups=3,routers=3", "circulant", 17, 5, 50000);
    expect_drawn(&run, "sub/`a` b.png");
    snprintf(command, sizeof command,
             "cd '%s/sub' && mv '`a` b.png' first.png && gnuplot -d './`a` b.gp' && "
             "cmp -n $(($(stat -c %%s '`a` b.png') - 12)) '`a` b.png' first.png", /* then comes the
                                                                                     mark */
             place);
    assert_int_equal(system(command), 0);
    end(&run);
}

static void nothing_is_not_drawn(void **state)
{
    (void)state;
    struct run run;
    struct sup_error error;
    contend(&run, "crossbar:2", "chain", 2, 1, 0);
    assert_int_equal(draw(&run, "nothing.png", &error), RB_EINVAL);
    assert_string_equal(error.text,
                        "there is nothing to draw: no bytes crossed a link between hosts");
    assert_int_not_equal(access(path_of("nothing.dat"), F_OK), 0);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_messages_are_drawn),
        cmocka_unit_test(many_links_are_bands),
        cmocka_unit_test(scripts_make_the_same_picture),
        cmocka_unit_test(nothing_is_not_drawn),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
