/* record.c - see record.h.
 *
 * Records go to a buffer, and from there to the file when it is full or a second old. What that
 * takes is a record of its own, so that it is not taken for computing. A write that fails ends the
 * recording, after the last record that is there in full. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "mpi/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/library/call.h"
#include "support/memory.h"

enum { ROOM = 1 << 18, MOST_SECONDS = 1, PEERS_AT_ONCE = 4096, MOST_ALGORITHMS = 64 };

/* A communicator that was met. */
struct met {
    MPI_Comm comm;
    int32_t number, p, rank; /* number < 0: its calls are not recorded, for reason -1 - number */
    int32_t *world;          /* ranks in MPI_COMM_WORLD; owned */
};

/* A request: a persistent one, or a collective that is in flight. */
struct asked {
    MPI_Request request;
    int slot; /* -1: not in flight */
    bool persistent;
    int32_t to;              /* a persistent send, of call.bytes; -1: a collective */
    struct record_call call; /* a persistent collective */
};

static struct {
    bool began; /* at all ranks, even if this one has stopped since */
    int file;   /* -1: there is none */
    char *path;
    int64_t written; /* bytes of whole records in the file */
    char *buffer;
    size_t used;
    int64_t flushed; /* when */
    pthread_t thread;
    bool multiple;
    int keyval;
    struct met *last; /* the communicator of the last call; not if multiple */
    int32_t communicators, ranks;
    struct record_peer *peer; /* per rank of MPI_COMM_WORLD */
    int32_t *touched, touches;
    int64_t inside, left; /* the phase of point to point; 0: nothing is in it */
    bool completes;       /* it has come to the calls that complete */
    struct asked *asked;  /* sorted by request */
    size_t asks;
    uint64_t slots;
    int slot_of_started;
    const struct rb_algorithm_info *algorithm[MOST_ALGORITHMS];
    int16_t algorithms;
    atomic_llong missed[RECORD_REASONS];
} record = {.file = -1, .keyval = MPI_KEYVAL_INVALID};

bool record_runs;

bool record_is_this_thread(void)
{
    if (!record.multiple || pthread_equal(record.thread, pthread_self()))
        return true;
    atomic_fetch_add(&record.missed[RECORD_THREAD], 1);
    return false;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void stop(const char *why)
{
    record_runs = false;
    fprintf(stderr, "roundabout: RB_RECORD: '%s': %s; what was written until now is good\n",
            record.path, why);
}

static void put(const void *made, size_t bytes);

static void flush(void)
{
    const int64_t start = record_now();
    size_t done = 0;
    while (done < record.used) {
        const ssize_t wrote = write(record.file, record.buffer + done, record.used - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            const char *why = wrote < 0 ? strerror(errno) : "the disk is full";
            if (ftruncate(record.file, record.written) != 0)
                why = strerror(errno);
            record.used = 0;
            stop(why);
            return;
        }
        done += (size_t)wrote;
    }
    record.written += (int64_t)record.used;
    record.used = 0;
    record.flushed = record_now();
    const struct record_pause pause = {.start.kind = RECORD_PAUSE,
                                       .length = record.flushed - start};
    put(&pause, sizeof pause);
}

/* Its start gets the number of words. */
static void put(const void *made, size_t bytes)
{
    if (!record_runs)
        return;
    memcpy(record.buffer + record.used, made, bytes);
    ((struct record_start *)(void *)(record.buffer + record.used))->words = (uint32_t)(bytes / 8);
    record.used += bytes;
    if (record.used > ROOM)
        flush();
}

static void flush_if_old(int64_t now)
{
    if (record_runs && now - record.flushed > MOST_SECONDS * INT64_C(1000000000))
        flush();
}

/* Ends the phase. */
static void put_peers(void)
{
    struct {
        struct record_peers about;
        struct record_peer peer[PEERS_AT_ONCE];
    } all;
    if (record.left == 0)
        return;
    all.about = (struct record_peers){
        .start.kind = RECORD_PEERS, .inside = record.inside, .leave = record.left};
    for (int32_t i = 0; i < record.touches || record.left != 0; record.left = 0) {
        for (all.about.count = 0; all.about.count < PEERS_AT_ONCE && i < record.touches; i++) {
            struct record_peer *peer = &record.peer[record.touched[i]];
            all.peer[all.about.count++] = *peer;
            *peer = (struct record_peer){.to = peer->to};
        }
        put(&all, sizeof all.about + (size_t)all.about.count * sizeof *all.peer);
        all.about.inside = 0;
    }
    record.touches = 0;
    record.inside = 0;
    record.completes = false;
}

static void put_call(struct record_call *call)
{
    put_peers();
    call->start.kind = RECORD_CALL;
    put(call, sizeof *call);
    flush_if_old(call->leave);
}

void record_other(int part, int64_t enter)
{
    const int64_t now = record_now();
    if ((part & RECORD_POSTS) != 0 && record.completes)
        put_peers();
    record.completes = record.completes || (part & RECORD_COMPLETES) != 0;
    record.left = now;
    record.inside += now - enter;
    flush_if_old(now);
}

/* A call that stands in no record is still no computing. */
static void miss(int reason, int64_t enter)
{
    atomic_fetch_add(&record.missed[reason], 1);
    record_other(0, enter);
}

/* ---- Communicators --------------------------------------------------------------------------- */

static int forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    if (record.last == value)
        record.last = NULL;
    free(((struct met *)value)->world);
    free(value);
    return MPI_SUCCESS;
}

/* Its members as ranks of MPI_COMM_WORLD. */
static int32_t translate(struct met *met)
{
    MPI_Group group, world;
    int32_t number = -1 - RECORD_WORLD;
    int *own = malloc((size_t)met->p * sizeof *own);
    met->world = malloc((size_t)met->p * sizeof *met->world);
    if (own == NULL || met->world == NULL) {
        free(own);
        return -1 - RECORD_ROOM;
    }
    for (int32_t i = 0; i < met->p; i++)
        own[i] = i;
    if (PMPI_Comm_group(met->comm, &group) == MPI_SUCCESS) {
        if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
            if (PMPI_Group_translate_ranks(group, met->p, own, world, met->world) == MPI_SUCCESS)
                number = 0;
            PMPI_Group_free(&world);
        }
        PMPI_Group_free(&group);
    }
    for (int32_t i = 0; i < met->p && number == 0; i++)
        number = met->world[i] == MPI_UNDEFINED ? -1 - RECORD_WORLD : 0;
    free(own);
    return number;
}

static void put_members(const struct met *met)
{
    const size_t bytes =
        sizeof(struct record_members) + ((size_t)met->p + 1) / 2 * 2 * sizeof *met->world;
    struct record_members *members = bytes > ROOM ? NULL : calloc(1, bytes);
    if (members == NULL) {
        stop("a communicator has too many ranks for it, or there is no memory");
        return;
    }
    *members = (struct record_members){{RECORD_MEMBERS, 0}, met->number, met->p};
    memcpy(members + 1, met->world, (size_t)met->p * sizeof *met->world);
    put(members, bytes);
    free(members);
}

/* NULL: out of memory, or MPI says no. */
static struct met *meet(MPI_Comm comm)
{
    struct met *met = calloc(1, sizeof *met);
    int inter = 0;
    if (met == NULL)
        return NULL;
    met->comm = comm;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &met->p);
    PMPI_Comm_rank(comm, &met->rank);
    met->number = inter ? -1 - RECORD_INTER : translate(met);
    if (PMPI_Comm_set_attr(comm, record.keyval, met) != MPI_SUCCESS) {
        free(met->world);
        free(met);
        return NULL;
    }
    if (met->number == 0) {
        met->number = record.communicators++;
        put_members(met);
    }
    return met;
}

static const struct met *find(MPI_Comm comm)
{
    struct met *met = NULL;
    int is_known = false;
    if (record.last != NULL && record.last->comm == comm)
        return record.last;
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_get_attr(comm, record.keyval, &met, &is_known);
    if (!is_known)
        met = comm == MPI_COMM_NULL ? NULL : meet(comm);
    if (!record.multiple)
        record.last = met;
    return met;
}

/* ---- Requests -------------------------------------------------------------------------------- */

SUP_COMPARE(by_request, struct asked, SUP_ORDER((uintptr_t)a->request, (uintptr_t)b->request));

static size_t place_of(MPI_Request request)
{
    const struct asked asked = {.request = request};
    return sup_array_place(record.asked, record.asks, sizeof asked, &asked, by_request);
}

static struct asked *find_asked(MPI_Request request)
{
    const size_t i = place_of(request);
    return i < record.asks && record.asked[i].request == request ? &record.asked[i] : NULL;
}

/* Returns false without memory. */
static bool add_asked(const struct asked *asked)
{
    struct asked *old = find_asked(asked->request);
    if (old != NULL)
        *old = *asked;
    else if (sup_array_insert(&record.asked, record.asks, sizeof *asked, place_of(asked->request),
                              asked))
        record.asks++;
    else
        return false;
    return true;
}

static void remove_asked(struct asked *asked)
{
    const size_t behind = record.asks-- - (size_t)(asked - record.asked) - 1;
    memmove(asked, asked + 1, behind * sizeof *asked);
}

static MPI_Request request_at(const struct record_arguments *given, int i)
{
    return given->is_fortran ? PMPI_Request_f2c(((const MPI_Fint *)given->request)[i])
                             : ((const MPI_Request *)given->request)[i];
}

static int request_count(const struct record_arguments *given)
{
    return given->single ? 1 : (int)given->count;
}

/* ---- What a call is about -------------------------------------------------------------------- */

/* The number of a predefined type or operator. */
static uint8_t type_number(MPI_Datatype type)
{
#define TYPE(name) MPI_##name,
    const MPI_Datatype types[] = {RECORD_TYPES(TYPE)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == type)
            return (uint8_t)(i + 1);
    return 0;
}

static uint8_t op_number(MPI_Op op)
{
    const MPI_Op ops[] = {RECORD_OPS(TYPE)};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i] == op)
            return (uint8_t)(i + 1);
    return 0;
}

static int64_t size_of(MPI_Datatype type)
{
    MPI_Count size = 0;
    return type != MPI_DATATYPE_NULL && PMPI_Type_size_x(type, &size) == MPI_SUCCESS ? size : 0;
}

static int64_t count_at(const struct record_arguments *given, const void *counts, int i)
{
    return given->is_large ? ((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

static int64_t sum(const struct record_arguments *given, const void *counts, int p)
{
    int64_t all = 0;
    for (int i = 0; i < p && counts != NULL; i++)
        all += count_at(given, counts, i);
    return all;
}

/* Of all pairs that this rank sends to, by types of their own. */
static int64_t sent_by_types(const struct record_arguments *given, int p)
{
    const bool in_place = given->sendbuf == MPI_IN_PLACE;
    const void *counts = in_place ? given->recvcounts : given->sendcounts;
    const void *types = in_place ? given->recvtypes : given->sendtypes;
    int64_t all = 0;
    for (int i = 0; i < p; i++)
        all += count_at(given, counts, i) *
               size_of(given->is_fortran ? PMPI_Type_f2c(((const MPI_Fint *)types)[i])
                                         : ((const MPI_Datatype *)types)[i]);
    return all;
}

/* Sets the type, and returns bytes. Arguments that mean nothing at this rank are not looked at. */
static int64_t count_bytes(enum record_rule rule, const struct record_arguments *g,
                           const struct met *met, MPI_Datatype *type)
{
    const int64_t p = met->p;
    const bool root = g->root == met->rank, in_place = g->sendbuf == MPI_IN_PLACE;
    switch (rule) {
    case RECORD_WHOLE:
    case RECORD_PARTS:
        *type = g->datatype;
        return g->count * size_of(*type) * (rule == RECORD_PARTS ? p : 1);
    case RECORD_SUMMED:
        *type = g->recvtype != 0 ? g->recvtype : g->datatype;
        return sum(g, g->recvcounts, met->p) * size_of(*type);
    case RECORD_RECEIVED:
    case RECORD_PAIRS:
        *type = g->recvtype;
        return g->recvcount * size_of(*type) * p * (rule == RECORD_PAIRS ? p : 1);
    case RECORD_SCATTERED:
        *type = root ? g->sendtype : g->recvtype;
        return (root ? g->sendcount : g->recvcount) * size_of(*type) * p;
    case RECORD_GATHERED:
        *type = root ? g->recvtype : g->sendtype;
        return (root ? g->recvcount : g->sendcount) * size_of(*type) * p;
    case RECORD_GIVEN:
        *type = root && in_place ? g->recvtype : g->sendtype;
        return (root && in_place ? count_at(g, g->recvcounts, met->rank) : g->sendcount) *
               size_of(*type);
    case RECORD_TAKEN:
        *type = root ? g->sendtype : g->recvtype;
        return (root ? count_at(g, g->sendcounts, met->rank) : g->recvcount) * size_of(*type);
    case RECORD_SENT:
        if (g->recvtypes != NULL)
            return sent_by_types(g, met->p);
        *type = in_place ? g->recvtype : g->sendtype;
        return sum(g, in_place ? g->recvcounts : g->sendcounts, met->p) * size_of(*type);
    case RECORD_NOTHING:
    case RECORD_NEIGHBOURS:
        break;
    }
    return 0;
}

static int16_t algorithm_number(const struct rb_algorithm_info *algorithm)
{
    int16_t i = 0;
    if (algorithm == NULL)
        return -1;
    while (i < record.algorithms && record.algorithm[i] != algorithm)
        i++;
    if (i == MOST_ALGORITHMS)
        return -1;
    if (i == record.algorithms) {
        struct record_algorithm made = {.start.kind = RECORD_ALGORITHM, .number = i};
        record.algorithm[record.algorithms++] = algorithm;
        snprintf(made.name, sizeof made.name, "%s", algorithm->name);
        put(&made, sizeof made);
    }
    return i;
}

/* The slot of what is started; -1: there is none left. */
static int take_slot(MPI_Request request, const struct record_call *call, bool persistent)
{
    const struct asked *before = find_asked(request);
    int slot = 0;
    if (before != NULL && before->slot >= 0) { /* another thread has waited for it */
        struct record_call wait = {.enter = call->enter,
                                   .leave = call->enter,
                                   .how = RECORD_WAITED,
                                   .slots = UINT64_C(1) << before->slot,
                                   .root = -1,
                                   .algorithm = -1};
        record.slots &= ~wait.slots;
        put_call(&wait);
    }
    while (slot < 64 && (record.slots >> slot & 1) != 0)
        slot++;
    const struct asked asked = {request, slot, persistent, -1, *call};
    if (slot == 64 || !add_asked(&asked))
        return -1;
    record.slots |= UINT64_C(1) << slot;
    return slot;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void record_collective(enum record_collective collective, enum record_rule rule, int how,
                       const struct record_arguments *given, int64_t enter)
{
    const int64_t leave = record_now();
    const struct met *met = find(given->comm);
    const struct lib_served served = lib_last_served;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    lib_last_served = (struct lib_served){NULL, 0}; /* the next call may be a shortcut */
    if (met == NULL || met->number < 0) {
        miss(met == NULL ? RECORD_ROOM : -1 - met->number, enter);
        return;
    }
    const bool has_root = collective == RECORD_OF_Bcast || collective == RECORD_OF_Reduce ||
                          collective == RECORD_OF_Scatter || collective == RECORD_OF_Gather ||
                          collective == RECORD_OF_Scatterv || collective == RECORD_OF_Gatherv;
    struct record_call call = {.enter = enter,
                               .leave = leave,
                               .bytes = count_bytes(rule, given, met, &type),
                               .communicator = met->number,
                               .root = has_root ? given->root : -1,
                               .collective = (uint8_t)collective,
                               .how = (uint8_t)how,
                               .partial = rule >= RECORD_SENT,
                               .type = type_number(type),
                               .op = given->op != 0 ? op_number(given->op) : 0,
                               .algorithm = -1};
    const int64_t element = size_of(type);
    call.element = element > 255 ? 0 : (uint8_t)element;
    if (how == RECORD_BLOCKING) {
        call.algorithm = algorithm_number(served.algorithm);
        call.n = served.n;
    } else if (how == RECORD_INITIATED) {
        const struct asked asked = {request_at(given, 0), -1, true, -1, call};
        if (!add_asked(&asked))
            miss(RECORD_ROOM, enter);
        return;
    } else {
        const int slot = take_slot(request_at(given, 0), &call, false);
        if (slot < 0) {
            miss(RECORD_ROOM, enter);
            return;
        }
        call.slots = UINT64_C(1) << slot;
    }
    put_call(&call);
}

static void count_sent(int32_t to, int64_t bytes)
{
    struct record_peer *peer = &record.peer[to];
    if (peer->messages++ == 0)
        record.touched[record.touches++] = to;
    peer->bytes += bytes;
}

/* Where a message goes; -1: nowhere, or that is not recorded. */
static int32_t receiver_of(const struct record_arguments *given, int64_t *bytes)
{
    const struct met *met = given->dest == MPI_PROC_NULL ? NULL : find(given->comm);
    const bool pair = given->sendtype != 0;
    if (met != NULL && met->number < 0)
        atomic_fetch_add(&record.missed[-1 - met->number], 1);
    *bytes = (pair ? given->sendcount : given->count) *
             (given->partitions > 0 ? given->partitions : 1) *
             size_of(pair ? given->sendtype : given->datatype);
    return met == NULL || met->number < 0 || given->dest < 0 || given->dest >= met->p
               ? -1
               : met->world[given->dest];
}

void record_sent(const struct record_arguments *given, int part, int64_t enter)
{
    int64_t bytes;
    record_other(part, enter);
    const int32_t to = receiver_of(given, &bytes);
    if (to >= 0)
        count_sent(to, bytes);
}

void record_persistent(const struct record_arguments *given, int64_t enter)
{
    struct asked asked = {request_at(given, 0), -1, true, -1, {.bytes = 0}};
    record_other(0, enter);
    asked.to = receiver_of(given, &asked.call.bytes);
    if (asked.to >= 0 && !add_asked(&asked))
        miss(RECORD_ROOM, enter);
}

void record_started(const struct record_arguments *given, int64_t enter)
{
    const int64_t leave = record_now();
    bool any = false;
    if (record.completes)
        put_peers();
    for (int i = 0; i < request_count(given); i++) {
        struct asked *asked = find_asked(request_at(given, i));
        if (asked != NULL && asked->to >= 0)
            count_sent(asked->to, asked->call.bytes);
        if (asked == NULL || asked->to >= 0)
            continue;
        struct record_call call = asked->call;
        const int slot = take_slot(request_at(given, i), &call, true);
        if (slot < 0) {
            miss(RECORD_ROOM, enter);
            continue;
        }
        call.how = RECORD_STARTED;
        call.enter = any ? leave : enter;
        call.leave = leave;
        call.slots = UINT64_C(1) << slot;
        any = true;
        put_call(&call);
    }
    if (!any)
        record_other(RECORD_POSTS, enter);
}

void record_look(const struct record_arguments *given, struct record_pending *pending)
{
    pending->count = 0;
    for (int i = 0; record.asks > 0 && i < request_count(given) && pending->count < 64; i++) {
        const MPI_Request request = request_at(given, i);
        const struct asked *asked = find_asked(request);
        if (asked == NULL || (asked->slot < 0 && !given->single))
            continue;
        pending->of[pending->count].index = i;
        pending->of[pending->count++].request = request;
    }
}

/* A persistent request stays when it is complete. */
static bool is_complete(const struct record_arguments *given, int i, const struct asked *asked)
{
    const MPI_Request now = request_at(given, i);
    int complete = true;
    if (now != MPI_REQUEST_NULL && asked->slot >= 0)
        PMPI_Request_get_status(now, &complete, MPI_STATUS_IGNORE);
    return now == MPI_REQUEST_NULL || (asked->persistent && complete);
}

void record_waited(const struct record_arguments *given, const struct record_pending *pending,
                   int64_t enter)
{
    struct record_call call = {
        .enter = enter, .leave = record_now(), .how = RECORD_WAITED, .root = -1, .algorithm = -1};
    for (int i = 0; i < pending->count; i++) {
        struct asked *asked = find_asked(pending->of[i].request);
        if (asked == NULL || !is_complete(given, pending->of[i].index, asked))
            continue;
        if (asked->slot >= 0)
            call.slots |= UINT64_C(1) << asked->slot;
        asked->slot = -1;
        if (request_at(given, pending->of[i].index) == MPI_REQUEST_NULL)
            remove_asked(asked);
    }
    record.slots &= ~call.slots;
    if (call.slots != 0)
        put_call(&call);
    else
        record_other(RECORD_COMPLETES, enter);
}

/* ---- The start and the end ------------------------------------------------------------------- */

int record_open(int rank, struct sup_error *error)
{
    const char *directory = getenv("RB_RECORD");
    MPI_Comm parent = MPI_COMM_NULL;
    char name[64];
    if (directory == NULL || PMPI_Comm_get_parent(&parent) != MPI_SUCCESS ||
        parent != MPI_COMM_NULL) /* spawned processes have ranks of their own */
        return RB_OK;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return sup_fail(error, RB_EINVAL, "RB_RECORD: '%s': %s", directory, strerror(errno));
    char *path = realpath(directory, NULL);
    if (path == NULL)
        return sup_fail(error, RB_EINVAL, "RB_RECORD: '%s': %s", directory, strerror(errno));
    snprintf(name, sizeof name, "/" RECORD_NAME, rank);
    record.path = malloc(strlen(path) + strlen(name) + 1);
    record.buffer = malloc(2 * ROOM);
    if (record.path != NULL)
        strcat(strcpy(record.path, path), name);
    free(path);
    if (record.path == NULL || record.buffer == NULL)
        return sup_fail(error, RB_ENOMEM, "RB_RECORD: out of memory");
    record.file = open(record.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (record.file < 0)
        return sup_fail(error, RB_EINVAL, "RB_RECORD: '%s': %s", record.path,
                        errno == EEXIST ? "there is a recording already; give a new directory"
                                        : strerror(errno));
    return RB_OK;
}

void record_discard(void)
{
    if (record.file >= 0)
        unlink(record.path);
}

/* What to add to this rank's clock to have rank 0's: half of the shortest way there and back is
 * its error. Clocks that may be one are. */
static int64_t compare_clocks(MPI_Comm comm, int tag)
{
    enum { TIMES = 8 };
    int64_t there = 0, offset = 0, best = INT64_MAX;
    int rank, p;
    if (comm == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    for (int i = TIMES; rank == 0 && i < TIMES * p; i++) {
        PMPI_Recv(&there, 1, MPI_INT64_T, i / TIMES, tag, comm, MPI_STATUS_IGNORE);
        there = record_now();
        PMPI_Send(&there, 1, MPI_INT64_T, i / TIMES, tag, comm);
    }
    for (int i = 0; rank > 0 && i < TIMES; i++) {
        const int64_t start = record_now();
        PMPI_Send(&start, 1, MPI_INT64_T, 0, tag, comm);
        PMPI_Recv(&there, 1, MPI_INT64_T, 0, tag, comm, MPI_STATUS_IGNORE);
        const int64_t end = record_now();
        if (end - start >= best)
            continue;
        best = end - start;
        offset = there - (start + end) / 2;
    }
    return llabs(offset) <= best ? 0 : offset;
}

static void write_header(int rank, uint64_t job, int64_t offset)
{
    struct record_header header = {.magic = RECORD_MAGIC,
                                   .rank = rank,
                                   .ranks = record.ranks,
                                   .job = job,
                                   .offset = offset,
                                   .start = record_now()};
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    for (char *tab = strchr(library, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' '; /* MPICH's */
    snprintf(header.library, sizeof header.library, "%.90s", library);
    memcpy(record.buffer, &header, sizeof header);
    record.used = sizeof header;
    record_runs = true;
    flush();
}

void record_begin(MPI_Comm comm, int tag)
{
    const bool here = record.file >= 0;
    int level = MPI_THREAD_SINGLE, rank, on[2] = {here, !here}, all[2];
    uint64_t job = (uint64_t)record_now() ^ (uint64_t)getpid() << 48;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &record.ranks);
    PMPI_Allreduce(on, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (here && !all[0]) {
        record_discard();
        fprintf(stderr,
                "roundabout: RB_RECORD: rank %d has it, others have not: nothing is recorded\n",
                rank);
    }
    if (!all[0])
        return;
    record.began = true;
    PMPI_Bcast(&job, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    PMPI_Query_thread(&level);
    record.multiple = level == MPI_THREAD_MULTIPLE;
    record.thread = pthread_self();
    record.peer = calloc((size_t)record.ranks, sizeof *record.peer);
    record.touched = calloc((size_t)record.ranks, sizeof *record.touched);
    for (int32_t r = 0; r < record.ranks && record.peer != NULL; r++)
        record.peer[r].to = r;
    const int64_t offset = compare_clocks(comm, tag);
    if (record.peer == NULL || record.touched == NULL ||
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &record.keyval, NULL) !=
            MPI_SUCCESS) {
        stop("out of memory");
        return;
    }
    write_header(rank, job, offset);
    find(MPI_COMM_WORLD); /* the first one */
}

void record_end(MPI_Comm comm, int tag)
{
    struct record_end end = {.start.kind = RECORD_END, .enter = record_now()};
    if (!record.began)
        return;
    end.offset = compare_clocks(comm, tag);
    if (record_runs) {
        put_peers();
        for (int i = 0; i < RECORD_REASONS; i++)
            end.not_recorded[i] = atomic_load(&record.missed[i]);
        put(&end, sizeof end);
        flush();
    }
    record_runs = false;
    if (close(record.file) != 0)
        stop(strerror(errno));
    if (record.keyval != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&record.keyval);
}
