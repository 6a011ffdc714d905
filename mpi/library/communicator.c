/* communicator.c - see communicator.h.
 *
 * Communicators for messages. No receive of the program may match a plan's message, so plans cannot
 * use the program's own communicators. A private duplicate of each would work, but an MPI library
 * has few communicators (2046 in MPICH 4.0), making one takes long, and making one inside the
 * program's collective is a collective that the program did not call: while an MPI_Comm_idup is
 * pending, Open MPI 4.1 never returns from it. Therefore one private communicator with the ranks of
 * MPI_COMM_WORLD serves all that consist of such ranks. MPI_Init of the preloaded library makes it;
 * without that, the first collective on MPI_COMM_WORLD. Ranks are translated, and each communicator
 * has a space of EXEC_TAGS tags of its own.
 *
 * The number of that space is agreed when a plan is first needed, by one MPI_Allreduce on the
 * program's communicator: each rank offers the spaces that it doesn't use, and all take the least
 * that all offered. That is safe at any moment: all ranks are in a collective on that communicator,
 * so that they may be made to wait for each other, and MPI_Allreduce is what the program might have
 * called there itself. Spaces that are offered are not offered to another communicator meanwhile,
 * by another thread; where that leaves nothing in common, the next window of spaces is tried. So
 * two communicators of one number have no rank in common.
 *
 * A space is free again when its communicator is freed. Its next use can't meet the last one's
 * messages: if both use it between ranks s and r, then r has offered it, so r has freed the old
 * communicator and has received, before, all that s sent there: collectives return when their
 * receives are complete. That doesn't hold after an error in the middle of a collective; therefore
 * the space of such a communicator is not used again in this process, nor, because it doesn't offer
 * it, with it.
 *
 * Where MPI_COMM_WORLD's ranks are not all (processes spawned, sessions), where its private
 * communicator isn't made yet or its tags are used up, a communicator gets a private one of its
 * own, at most MOST_OWN at a time. Where that can't be made either, the MPI library's own
 * collectives serve it, and another attempt follows after 1, 2, 4, 8, ... calls. Every step of this
 * is agreed by all ranks.
 *
 * The end. MPI calls the deleter of an attribute when its communicator is freed, but not for
 * MPI_COMM_WORLD before MPI is gone. Therefore an attribute of MPI_COMM_SELF, which MPI_Finalize
 * deletes first, frees what is left. Deleters of attributes that were set before it run after it,
 * and may call collectives. */
#include "communicator.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "shortcut.h"

enum {
    WINDOWS = 32,
    WORDS = 8, /* in a window */
    WORD_BITS = 64,
    WINDOW = WORDS * WORD_BITS, /* spaces in a window */
    MOST_OWN = 64,
    CREATION_TAG = 29517 /* of messages that make communicators: one that programs don't take */
};

/* The process's: MPI has one set of attribute keys, too. */
static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock; /* guards the variables below, up to the keys */
static struct lib_communicator *living;
static MPI_Comm shared = MPI_COMM_NULL; /* ranks as in MPI_COMM_WORLD */
static struct lib_place *shared_hosts;  /* of these, or NULL; constant from then on */
static int32_t spaces;                  /* that it has tags for */
static int32_t own;                     /* communicators that have a private one */
static uint64_t used[WINDOWS][WORDS];   /* or being offered */

static int key = MPI_KEYVAL_INVALID, end_key = MPI_KEYVAL_INVALID;
static int key_error;
static atomic_bool ended; /* the key is gone */

/* ---- The communicators that there are -------------------------------------------------------- */

static void list(struct lib_communicator *communicator)
{
    mtx_lock(&lock);
    communicator->next = living;
    living = communicator;
    mtx_unlock(&lock);
}

static void unlist(const struct lib_communicator *communicator)
{
    mtx_lock(&lock);
    struct lib_communicator **link = &living;
    while (*link != NULL && *link != communicator)
        link = &(*link)->next;
    if (*link != NULL)
        *link = communicator->next;
    mtx_unlock(&lock);
}

static void give_back(struct lib_communicator *communicator)
{
    mtx_lock(&lock);
    own -= communicator->owns_comm;
    if (communicator->space >= 0 && !communicator->spoilt)
        used[communicator->space / WINDOW][communicator->space % WINDOW / WORD_BITS] &=
            ~(UINT64_C(1) << communicator->space % WORD_BITS);
    mtx_unlock(&lock);
    if (communicator->owns_comm && communicator->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&communicator->comm);
}

static void destroy(struct lib_communicator *communicator)
{
    exec_context_destroy(communicator->executor);
    lib_plan_cache_free(&communicator->plans);
    for (int i = 0; i < LIB_CALLS; i++) {
        choice_decision_row_free(&communicator->decisions[i][false]);
        choice_decision_row_free(&communicator->decisions[i][true]);
    }
    choice_trials_free(&communicator->trials);
    free(communicator->data.memory);
    free(communicator->counts.memory);
    free(communicator->rows.memory);
    free(communicator->pairs.memory);
    for (int b = 0; b < RB_BUFFERS; b++)
        free(communicator->plans_own[b].memory);
    give_back(communicator);
    free(communicator->peers);
    free(communicator->peers_by_host);
    free(communicator->own_hosts);
    lib_hosts_order_free(&communicator->hosts);
    free(communicator);
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    lib_shortcuts_drop();
    unlist(value);
    destroy(value);
    return MPI_SUCCESS;
}

static int on_end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    while (living != NULL && PMPI_Comm_delete_attr(living->of, key) == MPI_SUCCESS)
        ; /* on_delete takes it off the list */
    if (shared != MPI_COMM_NULL)
        PMPI_Comm_free(&shared);
    free(shared_hosts);
    shared_hosts = NULL;
    PMPI_Comm_free_keyval(&key);
    atomic_store(&ended, true);
    return MPI_SUCCESS;
}

/* A program that uses sessions only has no MPI_COMM_SELF, nor communicators that it can't free. */
static void make_end_key(void)
{
    int has_self;
    if (PMPI_Initialized(&has_self) != MPI_SUCCESS || !has_self)
        return;
    key_error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &end_key, NULL);
    if (key_error == MPI_SUCCESS)
        key_error = PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
    if (key_error == MPI_SUCCESS)
        key_error = PMPI_Comm_free_keyval(&end_key); /* when the attribute is gone */
}

static void make_keys(void)
{
    if (mtx_init(&lock, mtx_plain) != thrd_success) {
        key_error = MPI_ERR_NO_MEM;
        return;
    }
    key_error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    if (key_error == MPI_SUCCESS)
        make_end_key();
}

bool lib_communicators_ended(void)
{
    return atomic_load_explicit(&ended, memory_order_relaxed);
}

int lib_communicator_of(MPI_Comm comm, struct lib_communicator **found)
{
    int there;
    call_once(&once, make_keys);
    if (key_error != MPI_SUCCESS)
        return key_error;
    int error = PMPI_Comm_get_attr(comm, key, found, &there);
    if (error != MPI_SUCCESS || there)
        return error;
    struct lib_communicator *made = calloc(1, sizeof *made);
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    made->of = comm;
    made->comm = MPI_COMM_NULL;
    made->space = -1;
    if ((error = PMPI_Comm_size(comm, &made->p)) != MPI_SUCCESS ||
        (error = PMPI_Comm_rank(comm, &made->rank)) != MPI_SUCCESS ||
        (error = PMPI_Comm_set_attr(comm, key, made)) != MPI_SUCCESS) {
        destroy(made);
        return error;
    }
    lib_plan_cache_init(&made->plans, made->p, made->rank);
    list(made);
    *found = made;
    return MPI_SUCCESS;
}

/* ---- A private communicator ------------------------------------------------------------------ */

/* A communicator of the same ranks, without the attributes that a duplicate would have, or
 * MPI_COMM_NULL. Errors do not reach the program's error handler. Returns the MPI error code of
 * what comes before: then this rank can't take part, and the others wait for it. */
static int create_private(MPI_Comm of, MPI_Comm *made)
{
    MPI_Errhandler handler;
    MPI_Group group;
    *made = MPI_COMM_NULL;
    int error = PMPI_Comm_get_errhandler(of, &handler);
    if (error != MPI_SUCCESS)
        return error;
    PMPI_Comm_set_errhandler(of, MPI_ERRORS_RETURN);
    error = PMPI_Comm_group(of, &group);
    if (error == MPI_SUCCESS) {
        if (PMPI_Comm_create_group(of, group, CREATION_TAG, made) != MPI_SUCCESS)
            *made = MPI_COMM_NULL;
        PMPI_Group_free(&group);
    }
    PMPI_Comm_set_errhandler(of, handler);
    PMPI_Errhandler_free(&handler);
    return error;
}

/* MPI_COMM_NULL unless all ranks have made it; collective. MPI error code. */
static int make_private(MPI_Comm of, MPI_Comm *made)
{
    int error = create_private(of, made);
    if (error != MPI_SUCCESS)
        return error;
    int mine =
        *made != MPI_COMM_NULL && PMPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN) == MPI_SUCCESS;
    int all = 0;
    error = PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, of);
    if ((error != MPI_SUCCESS || !all) && *made != MPI_COMM_NULL)
        PMPI_Comm_free(made);
    return error;
}

/* The private communicator of MPI_COMM_WORLD, which only one thread makes. */
static int make_shared(void)
{
    int *tags, there, error;
    MPI_Comm made;
    if ((error = PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tags, &there)) != MPI_SUCCESS ||
        (error = make_private(MPI_COMM_WORLD, &made)) != MPI_SUCCESS)
        return error;
    struct lib_place *hosts = NULL;
    if (made != MPI_COMM_NULL && (error = lib_hosts_find(made, &hosts)) != MPI_SUCCESS) {
        PMPI_Comm_free(&made);
        return error;
    }
    const int fit = (there ? *tags : INT16_MAX) / EXEC_TAGS;
    mtx_lock(&lock);
    shared = made;
    shared_hosts = hosts;
    spaces = fit < WINDOWS * WINDOW ? fit : WINDOWS * WINDOW;
    mtx_unlock(&lock);
    return MPI_SUCCESS;
}

static MPI_Comm shared_one(void)
{
    mtx_lock(&lock);
    const MPI_Comm found = shared;
    mtx_unlock(&lock);
    return found;
}

/* ---- Connecting ------------------------------------------------------------------------------ */

/* What a rank can do; combined over all ranks, what all of them can do. */
enum { CAN_SHARE = 1, CAN_OWN = 2 };
struct offer {
    uint64_t can;
    uint64_t free[WORDS]; /* of one window: bit b % WORD_BITS of word b / WORD_BITS is space b */
};

static void make_offer(int window, uint64_t can, struct offer *offer)
{
    *offer = (struct offer){.can = can};
    mtx_lock(&lock);
    if (own >= MOST_OWN)
        offer->can &= ~(uint64_t)CAN_OWN;
    for (int b = 0; b < WINDOW && (can & CAN_SHARE) != 0 && window * WINDOW + b < spaces; b++)
        offer->free[b / WORD_BITS] |= ~used[window][b / WORD_BITS] & (UINT64_C(1) << b % WORD_BITS);
    for (int i = 0; i < WORDS; i++)
        used[window][i] |= offer->free[i];
    mtx_unlock(&lock);
}

/* Takes the least space that all have offered, and takes the others back. -1: there is none. */
static int32_t take_offered(int window, const struct offer *mine, const struct offer *all)
{
    int32_t space = 0;
    while (space < WINDOW && (all->free[space / WORD_BITS] >> space % WORD_BITS & 1) == 0)
        space++;
    mtx_lock(&lock);
    for (int i = 0; i < WORDS; i++)
        used[window][i] &= ~mine->free[i];
    if (space < WINDOW)
        used[window][space / WORD_BITS] |= UINT64_C(1) << space % WORD_BITS;
    mtx_unlock(&lock);
    return space < WINDOW ? window * WINDOW + space : -1;
}

/* A space of the shared communicator, or -1; what all ranks can do. MPI error code. */
static int agree(struct lib_communicator *communicator, uint64_t can, struct offer *all)
{
    for (int window = 0; window < WINDOWS && communicator->space < 0; window++) {
        struct offer mine;
        make_offer(window, can, &mine);
        const int error = PMPI_Allreduce(&mine, all, sizeof mine / sizeof(uint64_t), MPI_UINT64_T,
                                         MPI_BAND, communicator->of);
        if (error != MPI_SUCCESS) {
            *all = (struct offer){0};
            take_offered(window, &mine, all);
            return error;
        }
        communicator->space = take_offered(window, &mine, all);
        if ((all->can & CAN_SHARE) == 0 || (window + 1) * WINDOW >= spaces) /* alike at all */
            break;
    }
    return MPI_SUCCESS;
}

/* The communicator's ranks in MPI_COMM_WORLD; true if all of them are in it. peers stays NULL if
 * the numbers are the same. */
static bool translate(struct lib_communicator *communicator)
{
    const int p = communicator->p;
    free(communicator->peers);
    communicator->peers = NULL;
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    int *ranks = malloc(2 * (size_t)p * sizeof *ranks);
    bool inside = ranks != NULL, same = true;
    for (int i = 0; i < p && inside; i++)
        ranks[p + i] = i;
    inside = inside && PMPI_Comm_group(communicator->of, &group) == MPI_SUCCESS &&
             PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS &&
             PMPI_Group_translate_ranks(group, p, ranks + p, world, ranks) == MPI_SUCCESS;
    for (int i = 0; i < p && inside; i++) {
        inside = ranks[i] != MPI_UNDEFINED;
        same = same && ranks[i] == i;
    }
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    if (inside && !same)
        communicator->peers = ranks;
    else
        free(ranks);
    return inside;
}

/* Messages go to a communicator where this process has that rank. */
static void place(struct lib_communicator *communicator, MPI_Comm comm, int rank)
{
    communicator->comm = comm;
    communicator->first_tag = communicator->owns_comm ? 0 : communicator->space * EXEC_TAGS;
    communicator->self = (struct exec_self){comm, rank, communicator->first_tag + EXEC_SELF_TAG};
}

static int place_in_shared(struct lib_communicator *communicator, MPI_Comm comm)
{
    const int *peers = communicator->peers, rank = communicator->rank;
    place(communicator, comm, peers != NULL ? peers[rank] : rank);
    return MPI_SUCCESS;
}

static int place_in_own(struct lib_communicator *communicator)
{
    MPI_Comm made;
    free(communicator->peers);
    communicator->peers = NULL;
    const int error = make_private(communicator->of, &made);
    if (error != MPI_SUCCESS || made == MPI_COMM_NULL)
        return error;
    const int found = lib_hosts_find(made, &communicator->own_hosts);
    if (found != MPI_SUCCESS) {
        PMPI_Comm_free(&made);
        return found;
    }
    communicator->owns_comm = true;
    mtx_lock(&lock);
    own++;
    mtx_unlock(&lock);
    place(communicator, made, communicator->rank);
    return MPI_SUCCESS;
}

int lib_communicator_connect(struct lib_communicator *communicator)
{
    struct offer all = {0};
    int error = MPI_SUCCESS;
    if (communicator->comm != MPI_COMM_NULL)
        return MPI_SUCCESS;
    if ((communicator->connections & (communicator->connections - 1)) != 0) {
        communicator->connections++;
        return MPI_SUCCESS;
    }
    communicator->connections++;
    if (communicator->executor == NULL)
        communicator->executor = exec_context_create();
    if (communicator->of == MPI_COMM_WORLD && shared_one() == MPI_COMM_NULL)
        error = make_shared();
    const MPI_Comm world = shared_one();
    uint64_t can = 0; /* without memory */
    if (communicator->executor != NULL)
        can = CAN_OWN | (world != MPI_COMM_NULL && translate(communicator) ? CAN_SHARE : 0);
    if (error == MPI_SUCCESS)
        error = agree(communicator, can, &all);
    if (error != MPI_SUCCESS)
        return error;
    if (communicator->space >= 0)
        return place_in_shared(communicator, world);
    return (all.can & CAN_OWN) != 0 ? place_in_own(communicator) : MPI_SUCCESS;
}

int lib_communicator_find_hosts(struct lib_communicator *communicator)
{
    struct lib_hosts_order *order = &communicator->hosts;
    const int p = communicator->p, *peers = communicator->peers;
    const struct lib_place *known =
        communicator->owns_comm ? communicator->own_hosts : shared_hosts;
    if (order->sizes != NULL || known == NULL || communicator->comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    struct lib_place *places = malloc((size_t)p * sizeof *places);
    int *by_host = malloc((size_t)p * sizeof *by_host);
    int error = places == NULL || by_host == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    for (int r = 0; r < p && error == MPI_SUCCESS; r++)
        places[r] = known[peers != NULL ? peers[r] : r];
    if (error == MPI_SUCCESS)
        error = lib_hosts_order_make(places, p, order);
    free(places);
    communicator->groups = (struct choice_groups){.sizes = order->sizes,
                                                  .levels = order->levels,
                                                  .count = order->hosts,
                                                  .lanes = order->lanes,
                                                  .moved = order->position != NULL};
    if (error != MPI_SUCCESS || order->rank == NULL) {
        free(by_host);
        return error;
    }
    for (int i = 0; i < p; i++) {
        const int r = order->rank[i];
        by_host[i] = peers != NULL ? peers[r] : r;
    }
    communicator->peers_by_host = by_host;
    communicator->plans.rank_by_host = order->position[communicator->rank];
    return MPI_SUCCESS;
}

void *lib_scratch_reserve(struct lib_scratch *scratch, size_t bytes)
{
    if (bytes > scratch->bytes || scratch->memory == NULL) {
        free(scratch->memory);
        scratch->memory = malloc(bytes > 0 ? bytes : 1);
        scratch->bytes = scratch->memory == NULL ? 0 : bytes;
    }
    return scratch->memory;
}
