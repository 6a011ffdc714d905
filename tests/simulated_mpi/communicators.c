/* communicators.c - communicators with groups, attributes and error handlers, and where ranks meet.
 */
#include "simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key {
    struct sm_object object;
    MPI_Comm_delete_attr_function *delete;
    void *extra;
};
struct sm_attribute {
    const struct key *key;
    void *value;
    struct sm_attribute *next;
};
struct group {
    struct sm_object object;
    int size, world[SM_MOST_RANKS];
};
struct handler {
    struct sm_object object;
    MPI_Errhandler is;
};
struct meeting {
    struct sm_meeting brought;
    int context, number, arrived;
    const char *name;
    int new_context; /* of communicators made here */
    bool refused;
    struct meeting *next;
};

static struct sm_comm worlds[SM_MOST_RANKS], selves[SM_MOST_RANKS];
static struct meeting *meetings;
bool sm_group_refused, sm_aborted[SM_MOST_RANKS];
static int contexts;
static int tag_ub, codes;
static int64_t calls; /* of the failing rank */

enum { WORLD_CONTEXT, FIRST_OWN_CONTEXT };

void sm_comms_begin(void)
{
    meetings = NULL;
    contexts = FIRST_OWN_CONTEXT + SM_MOST_RANKS;
    tag_ub = sm_choose(2) == 1 ? 32767 : 1 << 28;
    calls = codes = 0;
    sm_group_refused = false;
    memset(sm_aborted, 0, sizeof sm_aborted);
    for (int r = 0; r < sm_ranks; r++) {
        worlds[r] =
            (struct sm_comm){.object = {.kind = SM_COMM, .owner = r, .handle = MPI_COMM_WORLD},
                             .context = WORLD_CONTEXT,
                             .size = sm_ranks,
                             .rank = r,
                             .handler = MPI_ERRORS_ARE_FATAL};
        for (int i = 0; i < sm_ranks; i++)
            worlds[r].world[i] = i;
        selves[r] =
            (struct sm_comm){.object = {.kind = SM_COMM, .owner = r, .handle = MPI_COMM_SELF},
                             .context = FIRST_OWN_CONTEXT + r,
                             .size = 1,
                             .world = {r},
                             .handler = MPI_ERRORS_ARE_FATAL};
    }
}

struct sm_comm *sm_comm_of(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD  ? &worlds[sm_current]
           : comm == MPI_COMM_SELF ? &selves[sm_current]
                                   : sm_object_of(comm, SM_COMM);
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = sm_comm_of(comm)->size;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = sm_comm_of(comm)->rank;
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *inter)
{
    *inter = sm_comm_of(comm)->inter;
    return MPI_SUCCESS;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

int sm_raise(MPI_Comm comm, int error)
{
    if (error != MPI_SUCCESS && sm_comm_of(comm)->handler == MPI_ERRORS_ARE_FATAL)
        sm_fault("rank %d: the error %d reached the handler of %s, which ends the "
                 "program",
                 sm_current, error, comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "a communicator");
    return error;
}

int sm_refused(MPI_Comm comm)
{
    if (sm_current < 0 || sm_current != sm_nature.failing || !sm_inside[sm_current] ||
        ++calls != sm_nature.call)
        return MPI_SUCCESS;
    sm_failed[sm_current] = true;
    return sm_raise(comm, MPI_ERR_OTHER);
}

void sm_refuse_soon(int which)
{
    sm_nature.call = calls + which;
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *result)
{
    struct handler *handler = sm_object_make(SM_HANDLER, sizeof *handler);
    handler->is = sm_comm_of(comm)->handler;
    *result = handler->object.handle;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    const bool own = handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL;
    sm_comm_of(comm)->handler =
        own ? handler : ((struct handler *)sm_object_of(handler, SM_HANDLER))->is;
    return MPI_SUCCESS;
}

int PMPI_Errhandler_free(MPI_Errhandler *handler)
{
    sm_object_free(sm_object_of(*handler, SM_HANDLER));
    return MPI_SUCCESS;
}

int PMPI_Comm_call_errhandler(MPI_Comm comm, int error)
{
    sm_raise(comm, error);
    return MPI_SUCCESS;
}

enum { CODES_OF_CLASS = 1000 };

int PMPI_Error_class(int error, int *class)
{
    *class = error >= CODES_OF_CLASS ? error / CODES_OF_CLASS : error;
    return MPI_SUCCESS;
}

int PMPI_Add_error_class(int *class)
{
    *class = MPI_ERR_LASTCODE + 1 + codes++ % 800;
    return MPI_SUCCESS;
}

int PMPI_Add_error_code(int class, int *code)
{
    *code = class * CODES_OF_CLASS + codes++ % CODES_OF_CLASS;
    return MPI_SUCCESS;
}

int PMPI_Add_error_string(int code, const char *text)
{
    return code >= CODES_OF_CLASS && strlen(text) < MPI_MAX_ERROR_STRING ? MPI_SUCCESS
                                                                         : MPI_ERR_ARG;
}

int PMPI_Initialized(int *there)
{
    *there = 1;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *level)
{
    *level = sm_nature.level;
    return MPI_SUCCESS;
}

int PMPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return MPI_SUCCESS;
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    *provided = required < sm_nature.level ? required : sm_nature.level;
    return PMPI_Init(argc, argv);
}

int PMPI_Finalize(void)
{
    sm_finalize();
    return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int status)
{
    (void)comm;
    (void)status;
    sm_aborted[sm_current] = true;
    sm_end_rank();
}

int PMPI_Get_library_version(char *version, int *length)
{
    *length = (int)strlen(strcpy(version, "simulated\tMPI, of the tests\n"));
    return MPI_SUCCESS;
}

int PMPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* Times that no two ranks agree about. */
double PMPI_Wtime(void)
{
    static double now;
    return now += 1e-6 * (1 + sm_choose(100));
}

/* ---- Attributes ------------------------------------------------------------------------------ */

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy,
                            MPI_Comm_delete_attr_function *delete, int *result, void *extra)
{
    struct key *key = sm_object_make(SM_KEY, sizeof *key);
    if (copy != MPI_COMM_NULL_COPY_FN)
        sm_fault("attributes are not copied here");
    key->delete = delete;
    key->extra = extra;
    *result = key->object.handle;
    return MPI_SUCCESS;
}

int PMPI_Comm_free_keyval(int *key)
{
    sm_object_free(sm_object_of(*key, SM_KEY));
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static struct sm_attribute **find_attribute(struct sm_comm *comm, const struct key *key)
{
    struct sm_attribute **link = &comm->attributes;
    while (*link != NULL && (*link)->key != key)
        link = &(*link)->next;
    return link;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *there)
{
    if (key == MPI_TAG_UB) {
        *(int **)value = &tag_ub;
        *there = 1;
        return MPI_SUCCESS;
    }
    const struct sm_attribute *found = *find_attribute(sm_comm_of(comm), sm_object_of(key, SM_KEY));
    *there = found != NULL;
    if (found != NULL)
        *(void **)value = found->value;
    return sm_refused(comm);
}

static int delete_attribute(struct sm_comm *comm, struct sm_attribute **link)
{
    struct sm_attribute *gone = *link;
    *link = gone->next;
    return gone->key->delete (comm->object.handle, gone->key->object.handle, gone->value,
                              gone->key->extra);
}

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void *value)
{
    struct sm_comm *on = sm_comm_of(comm);
    const int error = sm_refused(comm);
    if (error != MPI_SUCCESS)
        return error;
    struct sm_attribute **link = find_attribute(on, sm_object_of(key, SM_KEY));
    if (*link != NULL)
        delete_attribute(on, link);
    struct sm_attribute *made = sm_memory(sizeof *made);
    *made = (struct sm_attribute){
        .key = sm_object_of(key, SM_KEY), .value = value, .next = on->attributes};
    on->attributes = made;
    return MPI_SUCCESS;
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int key)
{
    struct sm_attribute **link = find_attribute(sm_comm_of(comm), sm_object_of(key, SM_KEY));
    return *link == NULL ? sm_raise(comm, MPI_ERR_KEYVAL)
                         : delete_attribute(sm_comm_of(comm), link);
}

static void delete_attributes(struct sm_comm *comm)
{
    while (comm->attributes != NULL)
        delete_attribute(comm, &comm->attributes);
}

void sm_finalize(void)
{
    delete_attributes(&selves[sm_current]);
    delete_attributes(&worlds[sm_current]);
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    struct sm_comm *freed = sm_object_of(*comm, SM_COMM);
    delete_attributes(freed);
    sm_object_free(freed);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* ---- Meetings -------------------------------------------------------------------------------- */

static struct meeting *meet(MPI_Comm comm, const char *name, const void *mine, size_t bytes)
{
    struct sm_comm *in = sm_comm_of(comm);
    const int number = in->meetings++;
    sm_pause();
    struct meeting *found = meetings;
    while (found != NULL && (found->context != in->context || found->number != number))
        found = found->next;
    if (found == NULL) {
        found = sm_memory(sizeof *found);
        *found = (struct meeting){.context = in->context,
                                  .number = number,
                                  .name = name,
                                  .new_context = contexts,
                                  .refused = sm_choose(6) == 1,
                                  .next = meetings};
        meetings = found;
        contexts += SM_MOST_RANKS;
    }
    if (strcmp(found->name, name) != 0)
        sm_fault("rank %d is in %s where another is in %s", sm_current, name, found->name);
    found->brought.data[in->rank] = memcpy(sm_memory(bytes + 1), bytes > 0 ? mine : "", bytes);
    found->brought.bytes[in->rank] = bytes;
    if (++found->arrived == in->size)
        for (int r = 0; r < in->size; r++)
            sm_wake(in->world[r]);
    while (found->arrived < in->size)
        sm_wait(name, NULL, 0);
    sm_pause();
    return found;
}

const struct sm_meeting *sm_meet(MPI_Comm comm, const char *name, const void *mine, size_t bytes)
{
    return &meet(comm, name, mine, bytes)->brought;
}

static void group_of(const struct sm_comm *comm, MPI_Group *result)
{
    struct group *group = sm_object_make(SM_GROUP, sizeof *group);
    group->size = comm->size;
    memcpy(group->world, comm->world, sizeof group->world);
    *result = group->object.handle;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    const int error = sm_refused(comm);
    if (error == MPI_SUCCESS)
        group_of(sm_comm_of(comm), group);
    return error;
}

int PMPI_Group_free(MPI_Group *group)
{
    sm_object_free(sm_object_of(*group, SM_GROUP));
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group from, int count, const int rank[], MPI_Group to,
                               int result[])
{
    const struct group *a = sm_object_of(from, SM_GROUP), *b = sm_object_of(to, SM_GROUP);
    for (int i = 0; i < count; i++) {
        result[i] = MPI_UNDEFINED;
        for (int j = 0; j < b->size; j++)
            if (b->world[j] == a->world[rank[i]])
                result[i] = j;
    }
    return MPI_SUCCESS;
}

/* ---- New communicators ----------------------------------------------------------------------- */

struct place {
    int color, key, rank;
};

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->rank - y->rank;
}

static struct meeting *split(MPI_Comm comm, const char *name, int color, int key, MPI_Comm *result)
{
    const struct sm_comm *of = sm_comm_of(comm);
    const struct place mine = {color, key, of->rank};
    struct place places[SM_MOST_RANKS];
    struct meeting *meeting = meet(comm, name, &mine, sizeof mine);
    int first = -1, count = 0;
    for (int r = 0; r < of->size; r++) {
        const struct place *its = meeting->brought.data[r];
        if (its->color != color)
            continue;
        first = first < 0 ? r : first;
        places[count++] = *its;
    }
    qsort(places, (size_t)count, sizeof *places, by_key);
    struct sm_comm *made = sm_object_make(SM_COMM, sizeof *made);
    made->context = meeting->new_context + first;
    made->size = count;
    made->handler = of->handler;
    for (int i = 0; i < count; i++) {
        made->world[i] = of->world[places[i].rank];
        made->rank = places[i].rank == of->rank ? i : made->rank;
    }
    *result = made->object.handle;
    return meeting;
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    split(comm, "MPI_Comm_split", color, key, made);
    return MPI_SUCCESS;
}

/* Hosts of three ranks, or of one. It does not fail: who then has a communicator is not said. */
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    (void)info;
    if (type != MPI_COMM_TYPE_SHARED)
        return sm_raise(comm, MPI_ERR_ARG);
    split(comm, "MPI_Comm_split_type", sm_current / (sm_nature.level % 2 == 0 ? 3 : 1), key, made);
    return MPI_SUCCESS;
}

/* All members fail where there are no more, or one alone that has no memory. */
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    const struct sm_comm *of = sm_comm_of(comm);
    if (((struct group *)sm_object_of(group, SM_GROUP))->size != of->size || tag < 0)
        sm_fault("a group is made of a part of a communicator");
    const struct meeting *meeting = split(comm, "MPI_Comm_create_group", 0, of->rank, made);
    sm_group_refused = sm_group_refused || meeting->refused;
    const int error = meeting->refused ? sm_raise(comm, MPI_ERR_OTHER) : sm_refused(comm);
    if (error != MPI_SUCCESS)
        PMPI_Comm_free(made);
    return error;
}
