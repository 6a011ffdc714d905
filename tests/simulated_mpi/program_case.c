/* program_case.c - a case of a program under the preloaded library: calls in C and in Fortran on
 * the world, on halves of it and on an inter-communicator, some of them by another thread, with
 * RB_RECORD, RB_REPORT, RB_REMEMBER and settings that are wrong or differ. Data are those that the
 * simulated MPI's own functions give, and a recording has what was called. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "case.h"
#include "mpi/record/format.h"
#include "subject.h"

enum { MOST_STEPS = 12, MANY = 70, MOST_COUNT = 20, WORLD = 0, HALF, INTER, COMMS };
enum what { COLLECTIVES, MESSAGES, NOWHERE, OTHER_THREAD, IN_FLIGHT, WHATS };

struct step {
    enum what what;
    int collective, how, comm, count, root, starts, send, receive, distance, wait;
    bool in_fortran, in_place, doubles;
    uint64_t seed;
};

/* A call that a recording must have. */
struct expected {
    int collective, how, comm, root;
    int64_t bytes;
    bool partial;
};

/* Settings that end the program, with what is said; at all ranks, or at one alone. */
static const struct {
    const char *name, *value, *said;
} wrongs[] = {{"RB_ONLINE", "never", "RB_ONLINE"},
              {"RB_REPORT", "r.json", "a report is text, or CSV"},
              {"RB_REPORT", "", "No such file"},
              {"RB_REPORT", "/nowhere/r", "'/nowhere/r'"},
              {"RB_REMEMBER", "/nowhere/r", "/nowhere/r"},
              {"RB_REMEMBER", "/dev/full", "/dev/full"},
              {"RB_RECORD", "/nowhere/r", "/nowhere/r"},
              {"RB_RECORD", "/dev/null", "/dev/null"},
              {"RB_DECISIONS", "/nowhere/r", "/nowhere/r"},
              {"RB_HOSTS", "0", "RB_HOSTS"},
              {"RB_RAILS", "many", "RB_RAILS"},
              {"RB_BCAST", "no-such", "RB_BCAST"}};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

static struct {
    int p, steps, failing_step, wrong,
        wrong_rank; /* wrong < 0: nothing is; wrong_rank < 0: at all ranks */
    struct step step[MOST_STEPS];
    int without; /* the rank that is said to run without the library; -1: none is */
    bool records, report, remembers, differs, alone, threads, starts_in_fortran, all_seen, has_job;
    bool gave_up[SM_MOST_RANKS], ended[SM_MOST_RANKS];
    const char *own_name, *own_value; /* the setting at wrong_rank */
    char environment[300];
    struct expected expected[SM_MOST_RANKS][MOST_STEPS * MANY];
    int calls[SM_MOST_RANKS];
    int64_t messages[SM_MOST_RANKS][SM_MOST_RANKS], bytes[SM_MOST_RANKS][SM_MOST_RANKS];
    int64_t missed[SM_MOST_RANKS][RECORD_REASONS];
    char *said;
    size_t said_bytes;
} the;
static char place[40]; /* the directory of all files */

/* ---- Drawing --------------------------------------------------------------------------------- */

/* `directory` is "" or what the value is in. */
static void set(const char *name, const char *directory, const char *value)
{
    const size_t length = strlen(the.environment);
    char all[100];
    snprintf(all, sizeof all, "%s%s", directory, value);
    setenv(name, all, 1);
    snprintf(the.environment + length, sizeof the.environment - length, " %s=%s", name, all);
}

static void draw_environment(uint64_t *random)
{
    static const char *const names[] = {"RB_ONLINE",    "RB_HOSTS",    "RB_RAILS",
                                        "RB_DECISIONS", "RB_BCAST",    "RB_RECORD",
                                        "RB_REPORT",    "RB_REMEMBER", "RB_ALLREDUCE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    unsetenv("PMI_RANK");
    unsetenv("PMIX_NAMESPACE");
    the.wrong = the.wrong_rank = the.without = -1;
    if (draw_below(random, 4) == 0)
        set("RB_ONLINE", "", "exact");
    if ((the.records = draw_below(random, 4) != 0))
        set("RB_RECORD", place, "/recording");
    if ((the.report = draw_below(random, 3) == 0))
        set("RB_REPORT", place, draw_below(random, 2) == 0 ? "/report.csv" : "/report");
    if ((the.remembers = draw_below(random, 4) == 0))
        set("RB_REMEMBER", place, "/rules");
    const int odd = draw_below(random, 20), which = draw_below(random, WRONGS),
              rank = draw_below(random, the.p), at_all = draw_below(random, 2);
    if (odd == 0) {
        the.wrong = which;
        the.own_name = wrongs[which].name;
        the.own_value = wrongs[which].value;
        the.wrong_rank = at_all == 1 || the.p == 1 ? -1 : rank;
        if (the.wrong_rank < 0)
            set(the.own_name, "", the.own_value);
    } else if (odd == 1 && the.p > 1) {
        the.differs = true;
        the.own_name = "RB_ALLREDUCE";
        the.own_value = "native";
        the.wrong_rank = 1 + rank % (the.p - 1);
    } else if (odd == 2 && the.p > 1 && the.records) {
        the.alone = true; /* a rank does not record */
        the.own_name = "RB_RECORD";
        the.wrong_rank = rank;
    } else if (odd < 6) {
        set("PMI_RANK", "", "0");
        the.without = odd == 3 || the.p == 1 ? -1 : rank;
        the.all_seen = odd < 5 || the.p < 3;
        if ((the.has_job = at_all == 1))
            set("PMIX_NAMESPACE", "", "this job");
    }
}

static void draw_step(uint64_t *random, struct step *step, const struct limits *limits)
{
    const int what = draw_below(random, 16);
    *step = (struct step){
        .what = what < 8    ? COLLECTIVES
                : what < 13 ? MESSAGES
                            : (enum what)(what - 11),
        .collective = draw_below(random, CALL_STARTED),
        .how = draw_below(random, 3),
        .comm = draw_below(random, COMMS),
        .count = (int)case_limited(limits, LIMIT_ELEMENTS, 1 + draw_below(random, MOST_COUNT)),
        .root = draw_below(random, SM_MOST_RANKS),
        .starts = 1 + draw_below(random, 3),
        .send = draw_below(random, CALL_Recv - CALL_Send),
        .receive = draw_below(random, 6),
        .distance = draw_below(random, 4),
        .wait = draw_below(random, 8),
        .in_fortran = draw_below(random, 2) == 0,
        .in_place = draw_below(random, 3) == 0,
        .doubles = draw_below(random, 2) == 0,
        .seed = draw(random)};
    if (step->what != COLLECTIVES && step->comm == INTER)
        step->comm = WORLD;
}

static void draw_all(uint64_t seed, const struct limits *limits)
{
    uint64_t random = seed + 2;
    memset(&the, 0, sizeof the);
    the.p = (int)case_limited(limits, LIMIT_RANKS, 1 + draw_below(&random, 6));
    draw_environment(&random);
    the.threads = draw_below(&random, 2) == 0;
    the.starts_in_fortran = draw_below(&random, 2) == 0;
    the.steps = (int)case_limited(limits, LIMIT_RUNS, 1 + draw_below(&random, MOST_STEPS));
    for (int i = 0; i < the.steps; i++)
        draw_step(&random, &the.step[i], limits);
}

/* ---- What a rank has ------------------------------------------------------------------------- */

struct rank {
    int rank, half; /* of the world; which half it is in */
    MPI_Comm comm[COMMS];
    bool ok;
    struct call_arguments given;
    MPI_Request request[MANY];
    MPI_Status status[MANY];
    int counts[SM_MOST_RANKS], own_counts[SM_MOST_RANKS], places[SM_MOST_RANKS];
    MPI_Datatype types[SM_MOST_RANKS];
    double in[SM_MOST_RANKS * (MOST_COUNT + SM_MOST_RANKS)],
        out[SM_MOST_RANKS * (MOST_COUNT + SM_MOST_RANKS)],
        native[SM_MOST_RANKS * (MOST_COUNT + SM_MOST_RANKS)];
};

static int ranks_of(const struct rank *me, int comm)
{
    return comm == HALF ? (the.p + 1 - me->half) / 2 : the.p;
}

/* Where there is no failure, there is no error; with one, the rank stops. */
static void check(struct rank *me, int error, int call)
{
    if (error != MPI_SUCCESS && sm_nature.failing < 0)
        sm_fault("rank %d: %s returns %d", me->rank, call_name(call, false), error);
    me->ok = me->ok && error == MPI_SUCCESS;
}

static void make(struct rank *me, const struct step *step, int call)
{
    if (me->ok)
        check(me, call_make(call, step->in_fortran, &me->given), call);
}

static void fill(struct rank *me, const struct step *step)
{
    uint64_t random = step->seed + (uint64_t)me->rank;
    for (size_t i = 0; i < sizeof me->in / sizeof *me->in; i++) {
        const int number = draw_below(&random, 1000);
        me->in[i] = number;
        if (!step->doubles)
            memcpy(&me->in[i], (int[]){number, number + 1}, sizeof *me->in);
    }
    memcpy(me->out, me->in, sizeof me->in);
    memcpy(me->native, me->in, sizeof me->in);
}

/* Counts differ between ranks where a call allows it. */
static bool varies(int collective)
{
    return collective == RECORD_OF_Reduce_scatter || collective == RECORD_OF_Allgatherv ||
           collective == RECORD_OF_Gatherv || collective == RECORD_OF_Scatterv;
}

static bool has_root(int collective)
{
    return collective == RECORD_OF_Bcast || collective == RECORD_OF_Reduce ||
           collective == RECORD_OF_Scatter || collective == RECORD_OF_Gather ||
           collective == RECORD_OF_Gatherv || collective == RECORD_OF_Scatterv;
}

/* Calls that this rank may make with MPI_IN_PLACE, of which no more is asked here. */
static bool in_place(const struct step *step, bool is_root)
{
    const int c = step->collective;
    return step->in_place &&
           (c == RECORD_OF_Allreduce || c == RECORD_OF_Allgather || c == RECORD_OF_Allgatherv ||
            c == RECORD_OF_Alltoallw || (c == RECORD_OF_Gatherv && is_root));
}

static void prepare(struct rank *me, const struct step *step)
{
    const int p = ranks_of(me, step->comm), root = step->root % p;
    const bool vary = varies(step->collective);
    const MPI_Datatype type = step->doubles ? MPI_DOUBLE : MPI_INT;
    int own;
    PMPI_Comm_rank(me->comm[step->comm], &own);
    fill(me, step);
    for (int r = 0; r < SM_MOST_RANKS; r++) {
        me->counts[r] = step->count + (vary ? r : 0);
        me->places[r] = r * (MOST_COUNT + SM_MOST_RANKS);
        me->types[r] = type;
    }
    const bool places = in_place(step, own == root);
    me->given = (struct call_arguments){.buffer = me->out,
                                        .buf = me->in,
                                        .recvbuf = me->out,
                                        .sendbuf = places ? MPI_IN_PLACE : me->in,
                                        .count = step->count,
                                        .sendcount = me->counts[own],
                                        .recvcount = me->counts[own],
                                        .root = root,
                                        .tag = 3,
                                        .sendtag = 3,
                                        .recvtag = 3,
                                        .sendcounts = me->counts,
                                        .recvcounts = me->counts,
                                        .displs = me->places,
                                        .sdispls = me->places,
                                        .rdispls = me->places,
                                        .datatype = type,
                                        .sendtype = type,
                                        .recvtype = type,
                                        .sendtypes = places ? NULL : me->types,
                                        .recvtypes = me->types,
                                        .op = MPI_SUM,
                                        .comm = me->comm[step->comm],
                                        .request = me->request,
                                        .status = me->status,
                                        .statuses = me->status};
}

/* ---- What a recording must have of it -------------------------------------------------------- */

/* All ranks record. */
static bool is_begun(void)
{
    return the.records && !the.alone && !the.differs && the.wrong < 0 && the.without < 0;
}

static bool is_recorded(const struct rank *me)
{
    return is_begun() && sm_nature.failing < 0 && me->ok;
}
/* As the call is documented (docs/mpi.md): all data of a communicator, or what this rank gives. */
static int64_t bytes_of(const struct rank *me, const struct step *step)
{
    const int64_t p = ranks_of(me, step->comm);
    const int64_t element = step->doubles ? 8 : 4, m = step->count * element;
    switch (step->collective) {
    case RECORD_OF_Reduce_scatter_block:
    case RECORD_OF_Allgather:
    case RECORD_OF_Scatter:
    case RECORD_OF_Gather:
    case RECORD_OF_Alltoallv:
    case RECORD_OF_Alltoallw:
        return m * p;
    case RECORD_OF_Alltoall:
        return m * p * p;
    case RECORD_OF_Reduce_scatter:
    case RECORD_OF_Allgatherv:
        return m * p + p * (p - 1) / 2 * element;
    case RECORD_OF_Gatherv:
    case RECORD_OF_Scatterv:
        return me->given.sendcount * element;
    default:
        return step->collective < RECORD_OF_Barrier ? m : 0;
    }
}

static void expect(struct rank *me, const struct step *step, int how)
{
    const int c = step->collective, rank = me->rank;
    if (!is_recorded(me))
        return;
    if (step->comm == INTER) {
        the.missed[rank][RECORD_INTER]++;
        return;
    }
    the.expected[rank][the.calls[rank]++] = (struct expected){
        .collective = c,
        .how = how,
        .comm = step->comm,
        .bytes = bytes_of(me, step),
        .root = has_root(c) ? me->given.root : -1,
        .partial = c == RECORD_OF_Alltoallv || c == RECORD_OF_Gatherv || c > RECORD_OF_Gatherv};
}

static void expect_message(struct rank *me, const struct step *step)
{
    const int to = step->comm == HALF ? 2 * me->given.dest + me->half : me->given.dest;
    if (!is_recorded(me))
        return;
    the.messages[me->rank][to]++;
    the.bytes[me->rank][to] += (int64_t)step->count * (step->doubles ? 8 : 4);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Waits for `count` requests, which stay if they are persistent, by one of eight calls; those that
 * test are made three times, and then one that waits. */
static void await(struct rank *me, const struct step *step, int count)
{
    static const int waits[] = {CALL_Wait, CALL_Waitall, CALL_Waitany, CALL_Waitsome},
                     tests[] = {CALL_Test, CALL_Testall, CALL_Testany, CALL_Testsome};
    struct call_arguments *g = &me->given;
    const int wait = waits[step->wait % 4], test = tests[step->wait % 4];
    int left = count, tries = step->wait < 4 ? 0 : 3;
    g->count = count;
    while (left > 0 && me->ok) {
        const bool tests_now = tries-- > 0;
        g->flag = !tests_now;
        g->outcount = 0;
        if (step->wait % 4 == 0)
            g->request = &me->request[count - left];
        make(me, step, tests_now ? test : wait);
        if (step->wait % 4 == 1)
            left -= g->flag ? left : 0;
        else if (step->wait % 4 == 3)
            left -= g->outcount > 0 ? g->outcount : 0;
        else
            left -= g->flag ? 1 : 0;
    }
    g->request = me->request;
}

/* Calls it, and MPI's own function on the same data, if there is one. */
static void block(struct rank *me, const struct step *step)
{
    const struct call_arguments given = me->given;
    me->given.buffer = me->given.recvbuf = me->native;
    sm_inside[me->rank] = false;
    const bool compares = me->ok && call_native(step->collective, &me->given);
    sm_inside[me->rank] = true;
    me->given = given;
    make(me, step, step->collective);
    if (compares && me->ok && memcmp(me->out, me->native, sizeof me->out) != 0)
        sm_fault("rank %d: %s has another result", me->rank,
                 call_name(step->collective, step->in_fortran));
    expect(me, step, RECORD_BLOCKING);
}

static void do_collective(struct rank *me, const struct step *step)
{
    if (step->how == 0) {
        block(me, step);
        return;
    }
    make(me, step, step->how * CALL_STARTED + step->collective);
    if (step->how == 1 || step->comm == INTER)
        expect(me, step, RECORD_STARTED);
    if (step->how == 1) {
        await(me, step, 1);
        return;
    }
    for (int i = 0; i < step->starts && me->ok; i++) {
        const int count = me->given.count;
        me->given.count = 1;
        make(me, step, step->starts == 2 ? CALL_Startall : CALL_Start);
        me->given.count = count;
        if (step->comm != INTER)
            expect(me, step, RECORD_STARTED);
        await(me, step, 1);
        me->given.count = count;
    }
    make(me, step, CALL_Request_free);
}

/* Receives by one of six ways; a request that this leaves is number `at`. Returns how many. */
static int receive(struct rank *me, const struct step *step, int at)
{
    static const int probe[] = {0, 0, CALL_Probe, CALL_Iprobe, CALL_Mprobe, CALL_Improbe};
    struct call_arguments *g = &me->given;
    g->buf = me->out;
    g->flag = step->receive == 4;
    if (step->receive > 1)
        make(me, step, probe[step->receive]);
    const bool matched = step->receive > 3 && g->flag,
               waits = step->receive == 1 || step->receive == 5;
    g->request = &me->request[at];
    make(me, step, matched ? (waits ? CALL_Imrecv : CALL_Mrecv) : waits ? CALL_Irecv : CALL_Recv);
    g->request = me->request;
    return waits;
}

/* To the rank `distance` further on, and from the one as far back. */
static void do_messages(struct rank *me, const struct step *step)
{
    struct call_arguments *g = &me->given;
    const int p = ranks_of(me, step->comm), call = CALL_Send + step->send;
    const bool blocks = call < CALL_Isend, persists = call >= CALL_Send_init;
    int own;
    PMPI_Comm_rank(me->comm[step->comm], &own);
    g->dest = (own + step->distance) % p;
    g->source = (own + p * SM_MOST_RANKS - step->distance) % p;
    g->sendcount = g->recvcount = step->count;
    g->sendbuf = me->in;
    if (call == CALL_Sendrecv || call == CALL_Sendrecv_replace) {
        g->buf = me->out;
        make(me, step, call);
        expect_message(me, step);
    } else if (blocks) {
        g->buf = me->out;
        make(me, step, CALL_Irecv);
        g->buf = me->in;
        make(me, step, call);
        expect_message(me, step);
        await(me, step, 1);
    } else {
        make(me, step, call);
        g->count = persists ? 1 : g->count;
        if (persists)
            make(me, step, step->starts == 2 ? CALL_Startall : CALL_Start);
        g->count = step->count;
        expect_message(me, step);
        await(me, step, 1 + receive(me, step, 1));
        if (persists)
            make(me, step, CALL_Request_free);
    }
    const int from = step->comm == HALF ? 2 * g->source + me->half : g->source;
    uint64_t random = step->seed + (uint64_t)from;
    const int first = draw_below(&random, 1000);
    int as_int;
    memcpy(&as_int, me->out, sizeof as_int);
    if (me->ok && (step->doubles ? me->out[0] != first : as_int != first))
        sm_fault("rank %d: a message by %s has other data", me->rank,
                 call_name(call, step->in_fortran));
}

/* More than a recording has slots for. */
static void fly(struct rank *me, struct step *step)
{
    step->collective = RECORD_OF_Barrier;
    step->wait = 1;
    for (int i = 0; i < MANY; i++) {
        me->given.request = &me->request[i];
        make(me, step, CALL_STARTED + RECORD_OF_Barrier);
        if (i < 64)
            expect(me, step, RECORD_STARTED);
        else if (is_recorded(me))
            the.missed[me->rank][RECORD_ROOM]++;
    }
    me->given.request = me->request;
    await(me, step, MANY);
}

static void do_step(struct rank *me, struct step step)
{
    const bool multiple = the.threads && sm_nature.level == MPI_THREAD_MULTIPLE;
    prepare(me, &step);
    switch (step.what) {
    case MESSAGES:
        do_messages(me, &step);
        break;
    case NOWHERE:
        me->given.dest = MPI_PROC_NULL;
        make(me, &step, CALL_Send);
        break;
    case IN_FLIGHT:
        fly(me, &step);
        break;
    case OTHER_THREAD:
        step.how = 0;
        sm_other_thread[me->rank] = multiple;
        if (!multiple)
            do_collective(me, &step);
        else
            make(me, &step, step.collective);
        the.missed[me->rank][RECORD_THREAD] += multiple && is_recorded(me);
        sm_other_thread[me->rank] = false;
        break;
    default:
        do_collective(me, &step);
    }
}

/* ---- A rank ---------------------------------------------------------------------------------- */

/* True: MPI has started; else the library has ended the rank, or a failure did. */
static bool start(struct rank *me)
{
    const struct subject *of = &subjects[me->rank];
    int required = MPI_THREAD_MULTIPLE, provided = -1, error = -1;
    if (the.threads && the.starts_in_fortran)
        of->start_thread_in_fortran(&required, &provided, &error);
    else if (the.threads)
        error = of->start_thread(NULL, NULL, required, &provided);
    else if (the.starts_in_fortran)
        of->start_in_fortran(&error);
    else
        error = of->start(NULL, NULL);
    check(me, error, RECORD_OF_Barrier);
    return me->ok;
}

static void make_comms(struct rank *me)
{
    me->half = me->rank % 2;
    me->comm[WORLD] = MPI_COMM_WORLD;
    sm_inside[me->rank] = false;
    PMPI_Comm_split(MPI_COMM_WORLD, me->half, me->rank, &me->comm[HALF]);
    PMPI_Comm_split(MPI_COMM_WORLD, 0, me->rank, &me->comm[INTER]);
    sm_comm_of(me->comm[INTER])->inter = true;
    sm_inside[me->rank] = true;
}

static void be_rank(int rank)
{
    static struct rank all[SM_MOST_RANKS];
    struct rank *me = &all[rank];
    *me = (struct rank){.rank = rank, .ok = true};
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    sm_inside[rank] =
        sm_nature.call + sm_nature.message == 0; /* errors end a program that starts */
    if (start(me)) {
        make_comms(me);
        for (int i = 0; i < the.steps && me->ok; i++) {
            if (rank == sm_nature.failing && i == the.failing_step)
                sm_refuse_soon(the.step[i].starts);
            do_step(me, the.step[i]);
        }
    }
    the.gave_up[rank] = !me->ok;
    if (me->ok) {
        int error = MPI_SUCCESS;
        PMPI_Comm_free(&me->comm[HALF]);
        PMPI_Comm_free(&me->comm[INTER]);
        if (the.starts_in_fortran)
            subjects[rank].end_in_fortran(&error);
        else
            error = subjects[rank].end();
        the.ended[rank] = error == MPI_SUCCESS;
    }
    sm_inside[rank] = false;
    subject_end_thread();
}

/* ---- The recording --------------------------------------------------------------------------- */

struct read {
    uint64_t slots; /* in flight */
    int calls;
    int64_t messages[SM_MOST_RANKS], bytes[SM_MOST_RANKS];
    bool ended;
};

static void read_call(int rank, struct read *read, const struct record_call *call)
{
    const struct expected *want = &the.expected[rank][read->calls];
    if (call->leave < call->enter)
        sm_fault("recording of rank %d: a call ends before it begins", rank);
    if (call->how == RECORD_WAITED) {
        if ((call->slots & ~read->slots) != 0 || call->slots == 0)
            sm_fault("recording of rank %d: a wait for what is not in flight", rank);
        read->slots &= ~call->slots;
        return;
    }
    if (call->how == RECORD_STARTED && (call->slots == 0 || (call->slots & read->slots) != 0))
        sm_fault("recording of rank %d: a slot is taken twice", rank);
    read->slots |= call->how == RECORD_STARTED ? call->slots : 0;
    read->calls++;
    if (sm_nature.failing < 0 &&
        (read->calls > the.calls[rank] || call->collective != want->collective ||
         call->how != want->how || (call->communicator != 0) != (want->comm != WORLD) ||
         call->root != want->root || call->bytes != want->bytes ||
         (call->partial != 0) != want->partial))
        sm_fault(
            "recording of rank %d: call %d is %s, how %d, %lld bytes, root %d, communicator %d",
            rank, read->calls, call_name(call->collective, false), call->how,
            (long long)call->bytes, call->root, call->communicator);
}

static void read_end(int rank, struct read *read, const struct record_end *end)
{
    read->ended = true;
    for (int i = 0; i < RECORD_REASONS && sm_nature.failing < 0; i++)
        if (end->not_recorded[i] != the.missed[rank][i])
            sm_fault("recording of rank %d: %lld calls are not recorded for reason %d, not %lld",
                     rank, (long long)end->not_recorded[i], i, (long long)the.missed[rank][i]);
}

static void read_record(int rank, struct read *read, const struct record_start *start)
{
    const struct record_peers *peers = (const void *)start;
    const struct record_peer *peer = (const void *)(peers + 1);
    if (start->kind == RECORD_CALL)
        read_call(rank, read, (const void *)start);
    else if (start->kind == RECORD_END)
        read_end(rank, read, (const void *)start);
    for (int i = 0; start->kind == RECORD_PEERS && i < peers->count; i++) {
        read->messages[peer[i].to] += peer[i].messages;
        read->bytes[peer[i].to] += peer[i].bytes;
    }
}

/* What is there is good up to its end; without a failure all is there. */
static void check_recording(int rank)
{
    static uint64_t words[1 << 18];
    const size_t header = sizeof(struct record_header) / sizeof *words;
    char path[80];
    struct read read = {0};
    snprintf(path, sizeof path, "%s/recording/" RECORD_NAME, place, rank);
    FILE *file = fopen(path, "r");
    const size_t count =
        file == NULL ? 0 : fread(words, sizeof *words, sizeof words / sizeof *words, file);
    if (file != NULL)
        fclose(file);
    for (size_t i = header; i < count;) {
        const struct record_start *start = (const void *)&words[i];
        if (start->words == 0 || i + start->words > count)
            sm_fault("recording of rank %d: it ends within a record", rank);
        read_record(rank, &read, start);
        i += start->words;
    }
    if (sm_nature.failing >= 0)
        return;
    if (!read.ended || read.calls != the.calls[rank] || read.slots != 0)
        sm_fault("recording of rank %d: %d calls of %d, %s end", rank, read.calls, the.calls[rank],
                 read.ended ? "an" : "no");
    for (int r = 0; r < the.p; r++)
        if (read.messages[r] != the.messages[rank][r] || read.bytes[r] != the.bytes[rank][r])
            sm_fault(
                "recording of rank %d: %lld messages of %lld bytes to rank %d, not %lld of %lld",
                rank, (long long)read.messages[r], (long long)read.bytes[r], r,
                (long long)the.messages[rank][r], (long long)the.bytes[rank][r]);
}

/* ---- What is left ---------------------------------------------------------------------------- */

static bool is_there(const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return access(path, F_OK) == 0;
}

static int lines_said(void)
{
    int lines = 0;
    for (const char *at = the.said; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    return lines;
}

static void check_refusal(const char *part)
{
    for (int r = 0; r < the.p; r++)
        if (subjects[r].status != 2 || the.ended[r])
            sm_fault("rank %d goes on with wrong settings", r);
    const bool other = the.wrong_rank >= 0 && strstr(the.said, "different settings") != NULL;
    if (lines_said() != 1 || (strstr(the.said, part) == NULL && !other))
        sm_fault("wrong settings, and said is: %s", the.said);
    if (is_there("recording/rank-0"))
        sm_fault("a recording of a program that did not run");
}

static void check_files(void)
{
    if (the.wrong >= 0 || the.differs) {
        check_refusal(the.differs ? "different settings" : wrongs[the.wrong].said);
        return;
    }
    const bool ends = the.without < 0 || the.all_seen;
    for (int r = 0; r < the.p; r++)
        if (the.ended[r] != ends || sm_aborted[r] == ends)
            sm_fault("rank %d has %s", r, ends ? "not come to its end" : "not been ended");
    if (the.without >= 0) {
        if (strstr(the.said, "runs without this library") == NULL || lines_said() != 1)
            sm_fault("a rank has no library, and said is: %s", the.said);
        return;
    }
    if (sm_group_refused)
        return;
    if (the.report && !is_there("report.csv") && !is_there("report"))
        sm_fault("no report");
    if (lines_said() != (the.alone ? the.p - 1 : 0))
        sm_fault("said is: %s", the.said);
}

/* A rank that has no memory to look for the others ends the job, as it might decide alone. */
static bool is_blind(int rank)
{
    const bool blind = sm_failed[rank] && sm_aborted[rank];
    if (blind && strstr(the.said, "can't look for ranks") == NULL)
        sm_fault("rank %d ends the job, and said is: %s", rank, the.said);
    return blind;
}

static void describe(char *text, size_t size)
{
    int length = snprintf(text, size, "program,%s, p = %d", the.environment, the.p);
    if (sm_nature.failing >= 0)
        length +=
            snprintf(text + length, size - (size_t)length,
                     "; on rank %d fails allocation %lld, call %lld, message %lld, write %lld",
                     sm_nature.failing, (long long)sm_nature.allocation, (long long)sm_nature.call,
                     (long long)sm_nature.message, (long long)sm_nature.writing);
    for (int i = 0; i < the.steps && length < (int)size; i++) {
        const struct step *step = &the.step[i];
        const int call = step->what == COLLECTIVES || step->what == OTHER_THREAD
                             ? step->how * CALL_STARTED + step->collective
                         : step->what == MESSAGES ? CALL_Send + step->send
                                                  : CALL_Waitall;
        length += snprintf(text + length, size - (size_t)length, "; %d %s on %d, %d, root %d",
                           (int)step->what, call_name(call, step->in_fortran), step->comm,
                           step->count, step->root);
    }
}

void program_run(uint64_t seed, const struct limits *limits, char *text, size_t size)
{
    uint64_t random = seed + 3;
    char proc[60];
    sm_begin();
    snprintf(place, sizeof place, "/tmp/simulated-mpi-XXXXXX");
    if (mkdtemp(place) == NULL)
        sm_fault("no directory");
    draw_all(seed, limits);
    struct sm_nature nature = case_nature(&random, the.p, limits);
    if (nature.allocation > 0) /* a program allocates more often than a call */
        nature.allocation += 30 * draw_below(&random, 6);
    if (nature.allocation > 0 && draw_below(&random, 4) == 0) {
        nature.writing = 1 + nature.allocation % 4;
        nature.allocation = 0;
    }
    the.failing_step = -1;
    if (nature.failing < 0 && draw_below(&random, 3) == 0) {
        nature.failing = draw_below(&random, the.p);
        nature.call = INT64_MAX;
        the.failing_step = draw_below(&random, the.steps);
    }
    sm_world_begin(&nature, the.p);
    subjects_reset(the.p);
    describe(text, size);
    snprintf(proc, sizeof proc, "%s/proc", place);
    processes_make(getenv("PMI_RANK") == NULL ? NULL : proc, the.p, the.without, the.all_seen,
                   the.has_job ? "this job" : "some job");
    if (the.wrong_rank >= 0) {
        sm_own_name[the.wrong_rank] = the.own_name;
        sm_own_value[the.wrong_rank] = the.own_value;
    }
    const int first_file = open("/dev/null", O_RDONLY);
    FILE *before = sm_said;
    sm_said = open_memstream(&the.said, &the.said_bytes);
    const bool all_ended = sm_run(be_rank);
    fclose(sm_said);
    sm_said = before;
    for (int file = first_file; file < first_file + 4 * SM_MOST_RANKS; file++)
        close(file); /* ranks that ended early have left some open */
    if (nature.failing < 0)
        check_files();
    for (int r = 0; r < the.p && is_begun(); r++)
        check_recording(r);
    bool lasted = all_ended; /* the library may wait for what it was refused */
    for (int r = 0; r < the.p; r++) {
        the.gave_up[r] =
            the.gave_up[r] || (sm_failed[r] && nature.call + nature.message > 0) || is_blind(r);
        lasted = lasted && !the.gave_up[r];
    }
    case_check_end(the.p, lasted, the.gave_up, true);
    free(the.said);
    case_remove(place);
    case_had.most[LIMIT_SURPRISES] = sm_surprises();
}
