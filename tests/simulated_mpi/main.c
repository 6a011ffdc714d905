/* main.c - test_simulated_mpi [--seed S] [--seeds N] [--seconds T] [--ranks N ...]: cases from seed
 * S on, N of them or as many as take T seconds, up to the third that fails. What fails is made
 * smaller, and the command that repeats it is printed; then the exit status is 1.
 *
 * A case runs in a child process, as many one after the other as go well. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "simulation.h"
#include "subject.h"

enum { MOST_SECONDS = 4, MOST_FAILURES = 3, SEEDS = 20000, SHRINK_SECONDS = 60 };

/* What a child tells. */
static struct shared {
    uint64_t seed; /* under way */
    uint64_t cases;
    struct limits had;
    char about[1000], fault[9000];
} * shared;

void sm_fault(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(shared->fault, sizeof shared->fault, format, arguments);
    va_end(arguments);
    shared->had = case_had;
    shared->had.most[LIMIT_SURPRISES] = sm_surprises();
    _exit(1);
}

static void run_seed(uint64_t seed, const struct limits *limits)
{
    shared->seed = seed;
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = MOST_SECONDS}, NULL);
    (seed % 4 == 0   ? library_run
     : seed % 8 == 1 ? program_run
                     : executor_run)(seed, limits, shared->about, sizeof shared->about);
    shared->had = case_had;
}

/* True: the child ended well. */
static bool await(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        snprintf(shared->fault, sizeof shared->fault, "%s",
                 WTERMSIG(status) == SIGVTALRM ? "it does not end" : strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) > 1)
        snprintf(shared->fault, sizeof shared->fault, "a sanitizer, or exit, with status %d",
                 WEXITSTATUS(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool passes(uint64_t seed, const struct limits *limits)
{
    const pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(3);
        run_seed(seed, limits);
        _exit(0);
    }
    return await(child);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Making it smaller ----------------------------------------------------------------------- */

/* Halves the way to the least value that still fails; a failure that is not monotone is found less
 * small. */
static void shrink_one(uint64_t seed, struct limits *limits, enum limit which, double until)
{
    int64_t good =
        which == LIMIT_RANKS || which == LIMIT_BLOCKS || which == LIMIT_WIDTH || which == LIMIT_RUNS
            ? 0
            : -1;
    int64_t bad = limits->most[which];
    while (bad - good > 1 && seconds() < until) {
        const int64_t middle = good + (bad - good) / 2;
        struct limits smaller = *limits;
        smaller.most[which] = middle;
        if (passes(seed, &smaller))
            good = middle;
        else
            bad = middle;
    }
    limits->most[which] = bad;
}

static void report(const char *program, uint64_t seed, struct limits limits)
{
    const struct limits all = limits;
    const double until = seconds() + SHRINK_SECONDS;
    printf("seed %" PRIu64 " (%s): %s\n", seed, shared->about, shared->fault);
    fflush(stdout);
    for (int i = 0; i < LIMITS && shared->had.most[i] > 0; i++)
        if (limits.most[i] > shared->had.most[i])
            limits.most[i] = shared->had.most[i];
    if (passes(seed, &limits)) /* a signal: what it had is not known */
        limits = all;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < LIMITS; i++)
            shrink_one(seed, &limits, (enum limit)i, until);
    passes(seed, &limits);
    printf("  smaller (%s): %s\n  repeat: %s --seed %" PRIu64 " --seeds 1", shared->about,
           shared->fault, program, seed);
    for (int i = 0; i < LIMITS; i++)
        printf(" %s %" PRId64, limit_name[i], limits.most[i]);
    printf("\n");
    fflush(stdout);
}

/* ---- The program ----------------------------------------------------------------------------- */

static void run_seeds(uint64_t first, uint64_t end, double until, const struct limits *limits)
{
    for (uint64_t seed = first; seed < end && seconds() < until; seed++) {
        run_seed(seed, limits);
        shared->cases++;
    }
    if (subjects_counted)
        exit(0); /* which writes the counts */
    _exit(0);
}

/* The value after `name`; `otherwise` if it is not there. */
static int64_t option(int argc, char **argv, const char *name, int64_t otherwise)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], name) == 0)
            return strtoll(argv[i + 1], NULL, 10);
    return otherwise;
}

static bool is_known(const char *name)
{
    for (int i = 0; i < LIMITS; i++)
        if (strcmp(name, limit_name[i]) == 0)
            return true;
    return strcmp(name, "--seed") == 0 || strcmp(name, "--seeds") == 0 ||
           strcmp(name, "--seconds") == 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2)
        if (!is_known(argv[i]) || i + 1 == argc) {
            fprintf(stderr, "test_simulated_mpi: %s: no option with a value\n", argv[i]);
            return 2;
        }
    const bool timed = option(argc, argv, "--seconds", 0) > 0;
    const uint64_t first = (uint64_t)option(argc, argv, "--seed", 1);
    const uint64_t end =
        first + (uint64_t)option(argc, argv, "--seeds", timed ? INT64_MAX / 2 : SEEDS);
    const double start = seconds(),
                 until = start + (double)option(argc, argv, "--seconds", 1000000);
    struct limits limits;
    int failed = 0;
    for (int i = 0; i < LIMITS; i++)
        limits.most[i] = option(argc, argv, limit_name[i], INT32_MAX);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    subjects_load(SUBJECT, SM_MOST_RANKS);
    for (uint64_t seed = first; seed < end && seconds() < until && failed < MOST_FAILURES;
         seed = shared->seed + 1) {
        const pid_t child = fork();
        if (child == 0)
            run_seeds(seed, end, until, &limits);
        if (await(child))
            break;
        failed++;
        report(argv[0], shared->seed, limits);
    }
    printf("%" PRIu64 " cases, %d failed, %.1f s\n", shared->cases, failed, seconds() - start);
    return failed > 0;
}
