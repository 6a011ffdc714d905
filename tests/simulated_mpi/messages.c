/* messages.c - sends, receives and waits.
 *
 * Nothing that is called here has a wildcard, so the i-th send between two ranks with a tag and a
 * communicator meets the i-th receive, in whatever order they come. The network then has up to two
 * things to do for a pair: to take the data from the sender, at once if the message is short
 * (eager), else when the receive is there; and to deliver them. A send completes after the first,
 * in a step of its own. What a rank does to memory that MPI has at the moment is found: data being
 * sent are compared with what they were, and memory being received has other content until the
 * message is there. */
#include "simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    struct sm_object object;
    bool sends, captured, complete, detached, cancelled;
    bool is_any;                /* no message: sm_start_any */
    MPI_Request inner;          /* of a persistent one: what runs; MPI_REQUEST_NULL: nothing */
    int context, tag, from, to; /* ranks in MPI_COMM_WORLD */
    int count, error;
    MPI_Comm comm;
    char *data;
    const struct sm_type *type;
    size_t bytes; /* sent, or room for */
    char *packed; /* of a send: as it was when it started; of a receive: what was there before */
    struct request *peer, *next; /* in the queue of those that wait for a peer */
};

enum what { CAPTURE, COMPLETE, DELIVER };
struct event {
    enum what what;
    struct request *request;
};

bool sm_got_short[SM_MOST_RANKS], sm_got_long[SM_MOST_RANKS];
static struct request *waiting[SM_MOST_RANKS]; /* by receiver */
static struct event *events;
static int event_count, event_room;
static int64_t messages; /* of the failing rank */

void sm_messages_begin(void)
{
    memset(waiting, 0, sizeof waiting);
    event_count = 0;
    messages = 0;
}

/* ---- The network ----------------------------------------------------------------------------- */

int sm_events(void)
{
    return event_count;
}

int sm_event_rank(int event)
{
    return events[event].request->object.owner;
}

static void add_event(enum what what, struct request *request)
{
    if (event_count == event_room) {
        event_room = 2 * event_room + 64;
        events = realloc(events, (size_t)event_room * sizeof *events);
    }
    events[event_count++] = (struct event){what, request};
}

static void complete(struct request *request)
{
    const int owner = request->object.owner;
    if (owner == sm_nature.failing && sm_inside[owner] && ++messages == sm_nature.message &&
        !request->detached) {
        request->error = MPI_ERR_OTHER;
        sm_failed[owner] = true;
    }
    request->complete = true;
    sm_wake(owner);
}

static bool is_changed(const struct request *send)
{
    char *now = sm_memory(send->bytes);
    sm_pack(send->type, send->count, send->data, now);
    return memcmp(now, send->packed, send->bytes) != 0;
}

static void capture(struct request *send)
{
    if (!send->detached && is_changed(send))
        sm_fault("rank %d: data being sent to rank %d have changed meanwhile", send->from,
                 send->to);
    send->captured = true;
}

static void deliver(struct request *receive)
{
    const struct request *send = receive->peer;
    const int rank = receive->object.owner;
    const size_t got = send->bytes < receive->bytes ? send->bytes : receive->bytes;
    sm_got_long[rank] = sm_got_long[rank] || send->bytes > receive->bytes;
    sm_got_short[rank] = sm_got_short[rank] || send->bytes < receive->bytes;
    if (send->bytes > receive->bytes)
        receive->error = MPI_ERR_TRUNCATE;
    if (!receive->detached) {
        sm_unpack(receive->type, receive->count, receive->data, receive->packed, receive->bytes);
        sm_unpack(receive->type, receive->count, receive->data, send->packed, got);
    }
    complete(receive);
}

void sm_event_do(int event)
{
    const struct event done = events[event];
    memmove(&events[event], &events[event + 1], (size_t)(--event_count - event) * sizeof *events);
    if (done.what == CAPTURE) {
        capture(done.request);
        add_event(COMPLETE, done.request);
        add_event(DELIVER, done.request->peer);
    } else if (done.what == COMPLETE) {
        if (!done.request->detached && is_changed(done.request))
            sm_fault("rank %d: data being sent to rank %d have changed meanwhile",
                     done.request->from, done.request->to);
        complete(done.request);
    } else {
        deliver(done.request);
    }
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool match(const struct request *a, const struct request *b)
{
    return a->sends != b->sends && a->context == b->context && a->tag == b->tag &&
           a->from == b->from;
}

static void meet(struct request *request)
{
    struct request **link = &waiting[request->to];
    while (*link != NULL && !match(*link, request))
        link = &(*link)->next;
    struct request *peer = *link;
    if (peer == NULL) {
        *link = request;
        if (request->sends)
            sm_wake(request->to); /* it may probe */
        return;
    }
    *link = peer->next;
    request->peer = peer;
    peer->peer = request;
    struct request *send = request->sends ? request : peer, *receive = send->peer;
    add_event(send->captured ? DELIVER : CAPTURE, send->captured ? receive : send);
}

static void scribble(struct request *receive)
{
    receive->packed = sm_memory(receive->bytes);
    sm_pack(receive->type, receive->count, receive->data, receive->packed);
    char *noise = sm_memory(receive->bytes);
    memset(noise, 0xa5 ^ receive->object.handle, receive->bytes);
    sm_unpack(receive->type, receive->count, receive->data, noise, receive->bytes);
}

/* Fills in a request of the current rank; MPI error code. */
static int make(bool sends, const void *data, int count, MPI_Datatype type, int peer, int tag,
                MPI_Comm comm, MPI_Request *result)
{
    const struct sm_comm *in = sm_comm_of(comm);
    const struct sm_type *of = sm_type_of(type);
    const int other = peer < 0 || peer >= in->size ? -1 : in->world[peer];
    if (count < 0 || other < 0 || tag < 0 || !of->committed)
        return sm_raise(comm, count < 0   ? MPI_ERR_COUNT
                              : other < 0 ? MPI_ERR_RANK
                              : tag < 0   ? MPI_ERR_TAG
                                          : MPI_ERR_TYPE);
    struct request *request = sm_object_make(SM_REQUEST, sizeof *request);
    request->sends = sends;
    request->data = (void *)(uintptr_t)data;
    request->count = count;
    request->type = of;
    request->bytes = (size_t)count * of->size;
    request->comm = comm;
    request->context = in->context;
    request->tag = tag;
    request->from = sends ? sm_current : other;
    request->to = sends ? other : sm_current;
    *result = request->object.handle;
    return MPI_SUCCESS;
}

static void begin(struct request *request)
{
    if (request->sends) {
        request->packed = sm_memory(request->bytes);
        sm_pack(request->type, request->count, request->data, request->packed);
        request->captured = request->is_any || request->bytes <= sm_nature.eager_bytes;
    } else {
        scribble(request);
    }
    if (!request->is_any)
        meet(request);
    if (request->captured)
        add_event(COMPLETE, request);
}

static int start_one(bool sends, const void *data, int count, MPI_Datatype type, int peer, int tag,
                     MPI_Comm comm, MPI_Request *result)
{
    const int error = make(sends, data, count, type, peer, tag, comm, result);
    if (error == MPI_SUCCESS)
        begin(sm_object_of(*result, SM_REQUEST));
    return error;
}

int sm_start_any(MPI_Comm comm, bool persistent, MPI_Request *result)
{
    sm_pause();
    const int error = sm_refused(comm);
    if (error != MPI_SUCCESS)
        return error;
    struct request *request = sm_object_make(SM_REQUEST, sizeof *request);
    request->sends = request->is_any = true;
    request->type = sm_type_of(MPI_BYTE);
    request->comm = comm;
    request->from = request->to = sm_current;
    request->inner = persistent ? MPI_REQUEST_NULL : 0;
    *result = request->object.handle;
    if (!persistent)
        begin(request);
    return MPI_SUCCESS;
}

static int start(bool sends, const void *data, int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm, MPI_Request *result)
{
    sm_pause();
    int error = sm_refused(comm);
    if (error == MPI_SUCCESS)
        error = start_one(sends, data, count, type, peer, tag, comm, result);
    sm_pause();
    return error;
}

int PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    return start(true, data, count, type, to, tag, comm, request);
}

int PMPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    return start(false, data, count, type, from, tag, comm, request);
}

int PMPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    int error = sm_refused(comm);
    if (error == MPI_SUCCESS)
        error = make(true, data, count, type, to, tag, comm, request);
    if (error == MPI_SUCCESS)
        ((struct request *)sm_object_of(*request, SM_REQUEST))->inner = MPI_REQUEST_NULL;
    return error;
}

int PMPI_Start(MPI_Request *handle)
{
    struct request *of = sm_object_of(*handle, SM_REQUEST);
    const int error = sm_refused(of->comm);
    if (error != MPI_SUCCESS)
        return error;
    if (of->inner != MPI_REQUEST_NULL)
        sm_fault("rank %d: a request that runs is started", sm_current);
    struct request *copy = sm_object_make(SM_REQUEST, sizeof *copy);
    const struct sm_object own = copy->object;
    *copy = *of;
    copy->object = own;
    copy->inner = 0;
    of->inner = own.handle;
    begin(copy);
    return MPI_SUCCESS;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* What runs under a handle; NULL: nothing. */
static struct request *running(MPI_Request handle)
{
    struct request *of = handle == MPI_REQUEST_NULL ? NULL : sm_object_of(handle, SM_REQUEST);
    return of == NULL || of->inner == 0    ? of
           : of->inner == MPI_REQUEST_NULL ? NULL
                                           : sm_object_of(of->inner, SM_REQUEST);
}

static int end(MPI_Request *handle, MPI_Status *status)
{
    struct request *of = sm_object_of(*handle, SM_REQUEST), *request = running(*handle);
    const int error = request->error;
    if (status != MPI_STATUS_IGNORE) {
        *status =
            (MPI_Status){.MPI_SOURCE = request->from, .MPI_TAG = request->tag, .MPI_ERROR = error};
        if (!request->sends)
            status->bytes =
                request->peer->bytes < request->bytes ? request->peer->bytes : request->bytes;
    }
    sm_object_free(request);
    *(of == request ? handle : &of->inner) = MPI_REQUEST_NULL;
    return error;
}

static int find_complete(int count, const MPI_Request request[], int index[])
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if (running(request[i]) != NULL && running(request[i])->complete)
            index[found++] = i;
    return found;
}

/* Some of them, in any order. */
static int draw_some(int index[], int found)
{
    for (int i = 0; i < found; i++) {
        const int other = i + sm_choose(found - i), kept = index[i];
        index[i] = index[other];
        index[other] = kept;
    }
    return found - sm_choose(found);
}

/* The communicator of the first one that runs; MPI_COMM_NULL: none does. */
static MPI_Comm comm_of(int count, const MPI_Request request[])
{
    for (int i = 0; i < count; i++)
        if (running(request[i]) != NULL)
            return running(request[i])->comm;
    return MPI_COMM_NULL;
}

static int some(int count, MPI_Request request[], int *done, int index[], MPI_Status status[],
                bool waits)
{
    const MPI_Comm comm = comm_of(count, request);
    int error, found;
    sm_pause();
    *done = MPI_UNDEFINED;
    if (comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    if ((error = sm_refused(comm)) != MPI_SUCCESS)
        return error;
    while ((found = find_complete(count, request, index)) == 0 && waits)
        sm_wait("waits for some of", request, count);
    *done = found == 0 ? 0 : draw_some(index, found);
    for (int i = 0; i < *done; i++) {
        const int its = end(&request[index[i]], &status[i]);
        error = its != MPI_SUCCESS ? MPI_ERR_IN_STATUS : error;
    }
    if (error == MPI_SUCCESS) /* then the field is not MPI's to write */
        for (int i = 0; i < *done; i++)
            status[i].MPI_ERROR = MPI_ERR_INTERN;
    sm_pause();
    return sm_raise(sm_nature.world_quirk ? MPI_COMM_WORLD : comm, error);
}

int PMPI_Waitsome(int count, MPI_Request request[], int *done, int index[], MPI_Status status[])
{
    return some(count, request, done, index, status, true);
}

int PMPI_Testsome(int count, MPI_Request request[], int *done, int index[], MPI_Status status[])
{
    return some(count, request, done, index, status, false);
}

static bool are_complete(const MPI_Request request[], int count)
{
    for (int i = 0; i < count; i++)
        if (running(request[i]) != NULL && !running(request[i])->complete)
            return false;
    return true;
}

/* Waits for all; `status` is the last one's. */
static int wait_all(MPI_Request request[], int count, MPI_Status *status, MPI_Comm comm,
                    const char *what)
{
    int error = MPI_SUCCESS;
    while (!are_complete(request, count))
        sm_wait(what, request, count);
    for (int i = 0; i < count; i++) {
        if (running(request[i]) == NULL)
            continue;
        const int its = end(&request[i], i == count - 1 ? status : MPI_STATUS_IGNORE);
        error = its != MPI_SUCCESS ? its : error;
    }
    sm_pause();
    return comm == MPI_COMM_NULL ? error : sm_raise(comm, error);
}

int PMPI_Waitall(int count, MPI_Request request[], MPI_Status status[])
{
    const MPI_Comm comm = comm_of(count, request);
    const int error = comm == MPI_COMM_NULL ? MPI_SUCCESS : sm_refused(comm);
    (void)status; /* nobody looks at them */
    return error != MPI_SUCCESS
               ? error
               : wait_all(request, count, MPI_STATUS_IGNORE, comm, "waits for all of");
}

/* The flag says whether they are complete. */
int PMPI_Testall(int count, MPI_Request request[], int *flag, MPI_Status status[])
{
    sm_pause();
    *flag = are_complete(request, count);
    return *flag ? PMPI_Waitall(count, request, status) : MPI_SUCCESS;
}

int PMPI_Waitany(int count, MPI_Request request[], int *index, MPI_Status *status)
{
    int all[SM_MOST_REQUESTS], found;
    const MPI_Comm comm = comm_of(count, request);
    const int error = comm == MPI_COMM_NULL ? MPI_SUCCESS : sm_refused(comm);
    *index = MPI_UNDEFINED;
    if (comm == MPI_COMM_NULL || error != MPI_SUCCESS)
        return error;
    while ((found = find_complete(count, request, all)) == 0)
        sm_wait("waits for any of", request, count);
    *index = all[sm_choose(found)];
    return sm_raise(comm, end(&request[*index], status));
}

int PMPI_Testany(int count, MPI_Request request[], int *index, int *flag, MPI_Status *status)
{
    int all[SM_MOST_REQUESTS];
    sm_pause();
    *index = MPI_UNDEFINED;
    *flag = comm_of(count, request) == MPI_COMM_NULL || find_complete(count, request, all) > 0;
    return *flag ? PMPI_Waitany(count, request, index, status) : MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int index;
    return PMPI_Waitany(1, request, &index, status);
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int index;
    return PMPI_Testany(1, request, &index, flag, status);
}

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    (void)status;
    *flag = are_complete(&request, 1);
    return MPI_SUCCESS;
}

/* Starts some persistent ones, one after the other. */
int PMPI_Startall(int count, MPI_Request request[])
{
    int error = MPI_SUCCESS;
    for (int i = 0; i < count && error == MPI_SUCCESS; i++)
        error = PMPI_Start(&request[i]);
    return error;
}

/* ---- Probing --------------------------------------------------------------------------------- */

int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const struct sm_comm *in = sm_comm_of(comm);
    const struct request wanted = {
        .context = in->context, .tag = tag, .from = in->world[from], .to = sm_current};
    sm_pause();
    const int error = sm_refused(comm);
    const struct request *found = waiting[sm_current];
    while (found != NULL && !match(found, &wanted))
        found = found->next;
    *flag = found != NULL;
    if (found != NULL && status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){.MPI_SOURCE = from, .MPI_TAG = tag, .bytes = found->bytes};
    return error;
}

int PMPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    int flag, error;
    while ((error = PMPI_Iprobe(from, tag, comm, &flag, status)) == MPI_SUCCESS && !flag)
        sm_wait("probes", NULL, 0);
    return error;
}

int PMPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    if (to == MPI_PROC_NULL)
        return sm_refused(comm);
    const int error = start(true, data, count, type, to, tag, comm, &request);
    return error != MPI_SUCCESS ? error : wait_all(&request, 1, MPI_STATUS_IGNORE, comm, "sends");
}

int PMPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    MPI_Request request;
    const int error = start(false, data, count, type, from, tag, comm, &request);
    return error != MPI_SUCCESS ? error : wait_all(&request, 1, status, comm, "receives");
}

/* Which of the two starts first is not said. */
int PMPI_Sendrecv(const void *out, int sent, MPI_Datatype out_type, int to, int out_tag, void *in,
                  int received, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                  MPI_Status *status)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const bool receives_first = sm_choose(2) == 1;
    sm_pause();
    int error = sm_refused(comm);
    if (error == MPI_SUCCESS && receives_first)
        error = start_one(false, in, received, in_type, from, in_tag, comm, &request[1]);
    if (error == MPI_SUCCESS)
        error = start_one(true, out, sent, out_type, to, out_tag, comm, &request[0]);
    if (error == MPI_SUCCESS && !receives_first)
        error = start_one(false, in, received, in_type, from, in_tag, comm, &request[1]);
    return error != MPI_SUCCESS ? error : wait_all(request, 2, status, comm, "sends and receives");
}

int PMPI_Cancel(MPI_Request *handle)
{
    struct request *request = sm_object_of(*handle, SM_REQUEST);
    request->cancelled = true;
    return MPI_SUCCESS;
}

/* A cancelled receive takes no message. */
int PMPI_Request_free(MPI_Request *handle)
{
    struct request *request = sm_object_of(*handle, SM_REQUEST);
    struct request **link = &waiting[request->to];
    if (request->inner > MPI_REQUEST_NULL)
        sm_fault("rank %d: a request that runs is freed", sm_current);
    request->detached = true;
    while (*link != NULL && *link != request)
        link = &(*link)->next;
    if (request->cancelled && *link != NULL)
        *link = request->next;
    sm_object_free(request);
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    const size_t size = sm_type_of(type)->size;
    *count = size == 0                   ? 0
             : status->bytes % size != 0 ? MPI_UNDEFINED
                                         : (int)(status->bytes / size);
    return MPI_SUCCESS;
}

/* ---- What is said of them -------------------------------------------------------------------- */

void sm_describe_request(MPI_Request handle, char *text, size_t size)
{
    const struct request *request = sm_object_of(handle, SM_REQUEST);
    if (!request->complete && request->inner == 0 && !request->is_any)
        snprintf(text, size, " [%s rank %d, tag %d, context %d, %zu bytes%s]",
                 request->sends ? "to" : "from", request->sends ? request->to : request->from,
                 request->tag, request->context, request->bytes,
                 request->peer != NULL ? ", met" : "");
}

bool sm_messages_left(char *text, size_t size)
{
    for (int r = 0; r < sm_ranks; r++)
        for (const struct request *request = waiting[r]; request != NULL; request = request->next)
            if (!sm_failed[request->from] && !sm_failed[request->to]) {
                snprintf(text, size, "left over: a %s from rank %d to rank %d, tag %d, context %d",
                         request->sends ? "message" : "receive", request->from, request->to,
                         request->tag, request->context);
                return true;
            }
    return false;
}
