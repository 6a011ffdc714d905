/* pairs.c - times between two ranks, the LogGP parameters as functions of the message size.
 *
 *   latency   half a round trip: o_s + L + o_r + (m - 1) G
 *   exchange  both send and receive at once (MPI_Sendrecv), as in a round of most collectives
 *   send      time in MPI_Send when no other message is in flight and the receiver waits: o_s
 *   receive   time in MPI_Recv when the message was sent long before: o_r
 *   gap       from one message of a stream to the next: max(o, g + (m - 1) G), from a stream of
 *             k + 1 messages and one of 1, as (T(k + 1) - T(1)) / k
 *
 * LogGP: Alexandrov et al. 1995. Overheads from the time in the calls: Culler et al. 1996; gap from
 * streams of k + 1 and of 1, each answered once: Hoefler, Lichei and Rehm 2007. They derive
 * overheads from round trips with delays instead; here the clock is read around the call, and its
 * own cost is subtracted. For messages for which the library waits for the receiver (rendezvous),
 * both overheads include the transfer.
 *
 * Load comes and goes, so the runs of a row lie apart in time: each pass visits every test and
 * size, in random order, for a few runs.
 *
 * Rank a of a pair measures and decides; rank b follows a's messages. Other ranks sleep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "schedules/plan/random.h"
#include "studies/measure/measure.h"
#include "support/eta.h"
#include "support/memory.h"

enum { ORDER_TAG = 1, DATA_TAG = 2, READY_TAG = 3, ROW_TAG = 4 };
enum { INTERRUPTIONS = MEASURE_PAIR_TESTS, DONE };
enum { LEAST_PASSES = 5, FIRST_PROBES = 3 };
enum { MOST_BATCH = 100, LEAST_STREAM = 4, MOST_STREAM = 64 };
#define BATCH_S   20e-6 /* the repetitions of a run take about this time */
#define STREAM_S  100e-6
#define SETTLED_S 20e-6 /* after which a short message has surely come */

/* The message from a to b. */
struct order {
    int64_t test; /* INTERRUPTIONS: asks for their number; DONE: ends */
    int64_t bytes;
    int64_t times;
};

struct pair_run {
    struct job_context *job;
    struct measure_rank_pair pair;
    int peer;
    char *out, *in; /* owned */
    int bytes;
    int64_t batch;
    double clock_s;   /* cost of reading the clock */
    double latency_s; /* of this size, roughly */
};

/* ---- The messages ---------------------------------------------------------------------------- */

static void send_data(const struct pair_run *run, int bytes)
{
    MPI_Send(run->out, bytes, MPI_BYTE, run->peer, DATA_TAG, MPI_COMM_WORLD);
}

static void receive_data(const struct pair_run *run, int bytes)
{
    MPI_Recv(run->in, bytes, MPI_BYTE, run->peer, DATA_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(const struct pair_run *run)
{
    MPI_Sendrecv(run->out, run->bytes, MPI_BYTE, run->peer, DATA_TAG, run->in, run->bytes, MPI_BYTE,
                 run->peer, DATA_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* b's part. */
static void serve(struct pair_run *run, const struct order *order)
{
    run->bytes = (int)order->bytes;
    MPI_Send(NULL, 0, MPI_BYTE, run->peer, READY_TAG, MPI_COMM_WORLD);
    for (int64_t i = 0; i < order->times; i++) {
        if (order->test == MEASURE_EXCHANGE)
            exchange(run);
        else if (order->test != MEASURE_RECEIVE_TIME)
            receive_data(run, run->bytes);
        if (order->test == MEASURE_LATENCY || order->test == MEASURE_RECEIVE_TIME)
            send_data(run, run->bytes);
    }
    if (order->test == MEASURE_GAP || order->test == MEASURE_SEND_TIME)
        send_data(run, 0);
}

static void tell_interruptions(const struct pair_run *run)
{
    const int64_t here = measure_interruptions();
    MPI_Send(&here, 1, MPI_INT64_T, run->peer, READY_TAG, MPI_COMM_WORLD);
}

static void serve_all(struct pair_run *run)
{
    struct order order;
    for (;;) {
        MPI_Recv(&order, sizeof order, MPI_BYTE, run->peer, ORDER_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (order.test == DONE)
            return;
        if (order.test == INTERRUPTIONS)
            tell_interruptions(run);
        else
            serve(run, &order);
    }
}

/* ---- a's part -------------------------------------------------------------------------------- */

static void give_order(const struct pair_run *run, int test, int64_t times)
{
    const struct order order = {test, run->bytes, times};
    MPI_Send(&order, sizeof order, MPI_BYTE, run->peer, ORDER_TAG, MPI_COMM_WORLD);
    if (test < MEASURE_PAIR_TESTS)
        MPI_Recv(NULL, 0, MPI_BYTE, run->peer, READY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Of both ranks. */
static int64_t ask_interruptions(const struct pair_run *run)
{
    int64_t there;
    give_order(run, INTERRUPTIONS, 0);
    MPI_Recv(&there, 1, MPI_INT64_T, run->peer, READY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return measure_interruptions() + there;
}

/* Without calling MPI. */
static void spin(double seconds)
{
    const double until_s = sup_clock_s() + seconds;
    while (sup_clock_s() < until_s)
        ;
}

static double time_round_trips(const struct pair_run *run, int64_t times)
{
    give_order(run, MEASURE_LATENCY, times);
    const double start_s = sup_clock_s();
    for (int64_t i = 0; i < times; i++) {
        send_data(run, run->bytes);
        receive_data(run, run->bytes);
    }
    return (sup_clock_s() - start_s) / (2 * (double)times);
}

static double time_exchanges(const struct pair_run *run)
{
    give_order(run, MEASURE_EXCHANGE, run->batch);
    const double start_s = sup_clock_s();
    for (int64_t i = 0; i < run->batch; i++)
        exchange(run);
    return (sup_clock_s() - start_s) / (double)run->batch;
}

static double time_stream(const struct pair_run *run, int64_t messages)
{
    give_order(run, MEASURE_GAP, messages);
    const double start_s = sup_clock_s();
    for (int64_t i = 0; i < messages; i++)
        send_data(run, run->bytes);
    receive_data(run, 0);
    return sup_clock_s() - start_s;
}

static double time_send(const struct pair_run *run)
{
    give_order(run, MEASURE_SEND_TIME, 1);
    spin(SETTLED_S);
    const double start_s = sup_clock_s();
    send_data(run, run->bytes);
    const double spent_s = sup_clock_s() - start_s - run->clock_s;
    receive_data(run, 0);
    return spent_s;
}

static double time_receive(const struct pair_run *run)
{
    give_order(run, MEASURE_RECEIVE_TIME, 1);
    spin(SETTLED_S + 2 * run->latency_s);
    const double start_s = sup_clock_s();
    receive_data(run, run->bytes);
    return sup_clock_s() - start_s - run->clock_s;
}

static double time_once(const struct pair_run *run, enum measure_pair_test test)
{
    double time_s;
    switch (test) {
    case MEASURE_LATENCY:
        return time_round_trips(run, run->batch);
    case MEASURE_EXCHANGE:
        return time_exchanges(run);
    case MEASURE_SEND_TIME:
        time_s = time_send(run);
        break;
    case MEASURE_RECEIVE_TIME:
        time_s = time_receive(run);
        break;
    default:
        time_s = time_stream(run, 1);
        time_s = (time_stream(run, run->batch + 1) - time_s) / (double)run->batch;
    }
    return time_s > 0 ? time_s : 0; /* the subtracted time may have been disturbed */
}

static int64_t repetitions(double all_s, double one_s, int64_t least, int64_t most)
{
    const double times = one_s > 0 ? all_s / one_s : (double)most;
    return times < (double)least ? least : times > (double)most ? most : (int64_t)times;
}

static double clock_cost_s(void)
{
    enum { READINGS = 1001 };
    double cost_s[READINGS];
    for (int i = 0; i < READINGS; i++) {
        const double before_s = sup_clock_s();
        cost_s[i] = sup_clock_s() - before_s;
    }
    sup_sort_reals(cost_s, READINGS);
    return cost_s[READINGS / 2];
}

static bool is_oversubscribed(const struct pair_run *run)
{
    const int *host = run->job->host;
    return host[run->pair.a] == host[run->pair.b] && run->job->cores[host[run->pair.a]] < 2;
}

/* A test with a size. */
struct pair_case {
    enum measure_pair_test test;
    int bytes;
    int64_t batch;    /* 0: not yet chosen */
    double latency_s; /* the least so far */
    struct measure_runs runs;
};

static void fill_row(const struct pair_run *run, struct pair_case *c, struct measure_result *row)
{
    const struct job_context *job = run->job;
    job_row(job, row);
    snprintf(row->test, sizeof row->test, "%s", measure_pair_test_names[c->test]);
    row->p = 2;
    row->m_bytes = run->bytes;
    row->rank_a = run->pair.a;
    row->rank_b = run->pair.b;
    row->same_host = job->host[run->pair.a] == job->host[run->pair.b];
    row->oversubscribed = is_oversubscribed(run);
    row->batch = run->batch;
    measure_runs_report(&c->runs, row);
    if (run->bytes > 0 && row->median_s > 0 && c->test != MEASURE_SEND_TIME &&
        c->test != MEASURE_RECEIVE_TIME)
        row->bandwidth_bytes_per_s = run->bytes / row->median_s;
}

static int64_t batch_of(const struct pair_case *c)
{
    if (c->test == MEASURE_LATENCY || c->test == MEASURE_EXCHANGE)
        return repetitions(BATCH_S, 2 * c->latency_s, 1, MOST_BATCH);
    return c->test == MEASURE_GAP ? repetitions(STREAM_S, c->latency_s, LEAST_STREAM, MOST_STREAM)
                                  : 1;
}

/* Warms up, and finds the length of a batch by the fastest round trip so far. If all round trips
 * were disturbed, the batch is too short: runs of such batches are forgotten. */
static void prepare(struct pair_run *run, struct pair_case *c)
{
    run->bytes = c->bytes;
    for (int i = c->batch == 0 ? 0 : FIRST_PROBES - 1; i < FIRST_PROBES; i++)
        c->latency_s = fmin(c->latency_s, time_round_trips(run, 1));
    const int64_t batch = batch_of(c);
    if (batch >= 2 * c->batch) {
        measure_runs_restart(&c->runs, run->job->request);
        c->batch = batch;
    }
    run->batch = c->batch;
    run->latency_s = c->latency_s;
    time_once(run, c->test);
}

/* Some runs of a case; true: it has all. */
static bool visit(struct pair_run *run, struct pair_case *c, int64_t pass)
{
    const struct measure_request *request = run->job->request;
    const int64_t least = (request->least_runs + LEAST_PASSES - 1) / LEAST_PASSES;
    struct measure_run one = {.pass = pass, .hopeless = is_oversubscribed(run)};
    prepare(run, c);
    int64_t before = ask_interruptions(run), after;
    bool done = false;
    for (int64_t i = 0; i < least && !done; i++) {
        const double start_s = sup_clock_s();
        one.time_s = time_once(run, c->test);
        after = ask_interruptions(run);
        one.spent_s = sup_clock_s() - start_s;
        one.disturbed = after != before;
        measure_runs_add(&c->runs, &one);
        before = after;
        done = measure_runs_done(&c->runs, request);
    }
    return done;
}

/* ---- All cases of a pair --------------------------------------------------------------------- */

/* Rank 0 writes a row. */
static int write_row(struct job_context *job, const struct measure_result *row, int status)
{
    char note[64];
    if (status == RB_OK)
        status = measure_sink_add(job->sink, row, job->error);
    snprintf(note, sizeof note, "%s", row->test);
    cli_bar_update(&job->bar, ++job->done, note);
    return status;
}

static void begin_cases(const struct measure_request *request, const struct sup_list *bytes,
                        struct pair_case *c)
{
    for (size_t i = 0; i < bytes->count; i++)
        for (int test = 0; test < MEASURE_PAIR_TESTS; test++)
            if ((request->tests & 1u << test) != 0) {
                c->test = (enum measure_pair_test)test;
                c->bytes = (int)bytes->value[i];
                c->latency_s = INFINITY;
                measure_runs_init(&c++->runs, request);
            }
}

static int end_case(struct pair_run *run, struct pair_case *c)
{
    struct measure_result row;
    fill_row(run, c, &row);
    measure_runs_free(&c->runs);
    if (run->job->rank == 0)
        return write_row(run->job, &row, RB_OK);
    MPI_Send(&row, sizeof row, MPI_BYTE, 0, ROW_TAG, MPI_COMM_WORLD);
    return RB_OK;
}

/* Passes through the cases that need more runs, which are the first `left`. */
static int measure_all(struct pair_run *run, struct pair_case cases[], size_t left)
{
    uint64_t random = run->job->request->seed;
    int status = RB_OK;
    for (int64_t pass = 0; left > 0 && status == RB_OK; pass++)
        for (size_t i = left; i > 0 && status == RB_OK; i--) {
            const size_t which = rb_random_below(&random, (uint32_t)i);
            const struct pair_case c = cases[which];
            cases[which] = cases[i - 1];
            cases[i - 1] = c;
            if (!visit(run, &cases[i - 1], pass))
                continue;
            status = end_case(run, &cases[i - 1]);
            cases[i - 1] = cases[--left];
            cases[left].runs = (struct measure_runs){0};
        }
    give_order(run, DONE, 0);
    return status;
}

/* Rank 0 while others measure. */
static int take_rows(struct job_context *job, const struct measure_rank_pair *pair,
                     const struct sup_list *bytes)
{
    struct measure_result row;
    int status = RB_OK;
    for (size_t i = 0; i < bytes->count; i++)
        for (int test = 0; test < MEASURE_PAIR_TESTS; test++)
            if ((job->request->tests & 1u << test) != 0) {
                job_receive(&row, sizeof row, pair->a, ROW_TAG, MPI_COMM_WORLD);
                status = write_row(job, &row, status);
            }
    return status;
}

static int measure_pair(struct job_context *job, struct measure_rank_pair pair,
                        const struct sup_list *bytes)
{
    const size_t count =
        (size_t)(job_count_pair_cases(job->request) / (int64_t)job->request->pair_count);
    struct pair_run run = {.job = job, .pair = pair};
    struct pair_case *cases = NULL;
    int status = RB_OK;
    if (pair.b == 0) /* rank 0 writes: it can't wait for orders */
        pair = run.pair = (struct measure_rank_pair){0, pair.a};
    const bool ours = job->rank == pair.a || job->rank == pair.b;
    size_t most = 1;
    for (size_t i = 0; i < bytes->count; i++)
        most = (size_t)bytes->value[i] > most ? (size_t)bytes->value[i] : most;
    if (ours) {
        run.peer = job->rank == pair.a ? pair.b : pair.a;
        run.out = memset(sup_malloc(most), 1, most);
        run.in = sup_malloc(most);
        cases = sup_calloc(count, sizeof *cases);
        begin_cases(job->request, bytes, cases);
    }
    job_meet(RB_OK);
    if (job->rank == pair.a) {
        run.clock_s = clock_cost_s();
        status = measure_all(&run, cases, count);
    } else if (job->rank == pair.b) {
        serve_all(&run);
    } else if (job->rank == 0) {
        status = take_rows(job, &pair, bytes);
    }
    free(run.out);
    free(run.in);
    for (size_t i = 0; cases != NULL && i < count; i++)
        measure_runs_free(&cases[i].runs);
    free(cases);
    return job_meet(status);
}

int64_t job_count_pair_cases(const struct measure_request *request)
{
    struct sup_list bytes = measure_sizes(request, true, 1);
    int64_t tests = 0;
    for (int test = 0; test < MEASURE_PAIR_TESTS; test++)
        tests += request->tests >> test & 1;
    const int64_t cases = (int64_t)(bytes.count * request->pair_count) * tests;
    sup_list_free(&bytes);
    return cases;
}

int job_pairs(struct job_context *job)
{
    struct sup_list bytes = measure_sizes(job->request, true, 1);
    int status = RB_OK;
    for (size_t i = 0; i < job->request->pair_count && status == RB_OK; i++)
        status = measure_pair(job, job->request->pair[i], &bytes);
    sup_list_free(&bytes);
    return status;
}
