/* scheduler.c - see simulation.h. Every choice is drawn here. The calm choice is 0, and after
 * nature's number of surprises all choices are: so a failing case shrinks to the surprises that it
 * needs. */
#include "simulation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

enum { STACK_BYTES = 512 << 10, MOST_STEPS = 3000000, CHUNK_BYTES = 1 << 20 };

struct rank {
    ucontext_t context;
    char *stack; /* kept for the next case */
    bool ended, waits;
    int64_t until; /* the step before which it does not go on */
    const char *what;
    const MPI_Request *request;
    int count;
    int64_t allocations, allocated, writes;
};

struct sm_nature sm_nature;
int sm_ranks, sm_current = -1;
bool sm_failed[SM_MOST_RANKS], sm_inside[SM_MOST_RANKS], sm_other_thread[SM_MOST_RANKS];
const char *sm_own_name[SM_MOST_RANKS], *sm_own_value[SM_MOST_RANKS];
static struct rank ranks[SM_MOST_RANKS];
static ucontext_t scheduler;
static void (*body)(int rank);
static uint64_t random_state;
static int64_t surprises, now;
static int starving;

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Chunks are kept for the next case. */
struct chunk {
    struct chunk *next;
    size_t used, room;
    _Alignas(16) char data[];
};
static struct chunk *chunks, *in_use;

void *sm_memory(size_t bytes)
{
    bytes = (bytes + 31) & ~(size_t)15;
    while (in_use == NULL || in_use->used + bytes > in_use->room) {
        struct chunk **next = in_use == NULL ? &chunks : &in_use->next;
        if (*next == NULL) {
            const size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
            *next = malloc(sizeof **next + room);
            **next = (struct chunk){.room = room};
        }
        in_use = *next;
        in_use->used = 0;
    }
    void *memory = in_use->data + in_use->used;
    in_use->used += bytes;
    return memset(memory, 0, bytes);
}

/* In a ring, so that a case that ends early frees all. */
struct block {
    struct block *next, *last;
    size_t bytes;
    int rank;
    _Alignas(16) char data[];
};
static struct block blocks = {.next = &blocks, .last = &blocks};

void *sm_allocate(size_t bytes)
{
    struct rank *rank = sm_current >= 0 ? &ranks[sm_current] : NULL;
    if (rank != NULL && sm_inside[sm_current] && sm_current == sm_nature.failing &&
        ++rank->allocations == sm_nature.allocation) {
        sm_failed[sm_current] = true;
        errno = ENOMEM;
        return NULL;
    }
    struct block *block = malloc(sizeof *block + bytes);
    *block =
        (struct block){.next = &blocks, .last = blocks.last, .bytes = bytes, .rank = sm_current};
    blocks.last = block->last->next = block;
    if (rank != NULL)
        rank->allocated++;
    return block->data;
}

static struct block *block_of(void *memory)
{
    return (struct block *)(void *)((char *)memory - offsetof(struct block, data));
}

void sm_free(void *memory)
{
    if (memory == NULL)
        return;
    struct block *block = block_of(memory);
    block->last->next = block->next;
    block->next->last = block->last;
    if (block->rank >= 0)
        ranks[block->rank].allocated--;
    free(block);
}

void *sm_reallocate(void *old, size_t bytes)
{
    void *made = sm_allocate(bytes);
    if (made == NULL || old == NULL)
        return made;
    memcpy(made, old, bytes < block_of(old)->bytes ? bytes : block_of(old)->bytes);
    sm_free(old);
    return made;
}

int64_t sm_allocated(int rank)
{
    return ranks[rank].allocated;
}

bool sm_write_fails(void)
{
    struct rank *rank = &ranks[sm_current];
    if (sm_current != sm_nature.failing || ++rank->writes != sm_nature.writing)
        return false;
    sm_failed[sm_current] = true;
    return true;
}

/* ---- Choices --------------------------------------------------------------------------------- */

static uint64_t draw(void)
{
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

int sm_choose(int bound)
{
    if (bound <= 1 || surprises >= sm_nature.surprises)
        return 0;
    const int choice = (int)(draw() % (uint64_t)bound);
    surprises += choice != 0;
    return choice;
}

int64_t sm_surprises(void)
{
    return surprises;
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

void sm_begin(void)
{
    sm_current = -1;
    in_use = NULL;
    while (blocks.next != &blocks)
        sm_free(blocks.next->data);
    sm_types_begin();
}

void sm_world_begin(const struct sm_nature *nature, int count)
{
    sm_nature = *nature;
    sm_ranks = count;
    random_state = nature->seed;
    surprises = now = 0;
    starving = sm_choose(count);
    for (int r = 0; r < SM_MOST_RANKS; r++) {
        ranks[r] = (struct rank){.stack = ranks[r].stack};
        sm_own_name[r] = NULL;
        sm_other_thread[r] = false;
        sm_failed[r] = sm_inside[r] = sm_got_short[r] = sm_got_long[r] = false;
    }
    sm_messages_begin();
    sm_comms_begin();
}

void sm_end_rank(void)
{
    ranks[sm_current].ended = true;
    swapcontext(&ranks[sm_current].context, &scheduler);
    abort();
}

static void start(void)
{
    body(sm_current);
    sm_end_rank();
}

static void make_rank(struct rank *rank)
{
    if (rank->stack == NULL)
        rank->stack =
            mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(rank->stack,
                                  STACK_BYTES); /* of a rank that ended within a call */
#endif
    getcontext(&rank->context);
    rank->context.uc_stack.ss_sp = rank->stack;
    rank->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&rank->context, start, 0);
    rank->until = sm_nature.late > 0 && sm_choose(3) == 1 ? sm_choose(sm_nature.late) : 0;
}

static void leave(void)
{
    swapcontext(&ranks[sm_current].context, &scheduler);
}

void sm_wait(const char *what, const MPI_Request request[], int count)
{
    struct rank *rank = &ranks[sm_current];
    rank->waits = true;
    rank->what = what;
    rank->request = request;
    rank->count = count;
    leave();
}

void sm_wake(int rank)
{
    ranks[rank].waits = false;
}

/* Half of the surprises are short, so that ranks meet again. */
void sm_pause(void)
{
    if (sm_nature.late > 0 && sm_choose(8) == 1) {
        ranks[sm_current].until = now + sm_choose(sm_choose(2) == 0 ? 4 : sm_nature.late);
        leave();
    }
}

void sm_describe(char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int r = 0; r < sm_ranks && length + 200 < size; r++) {
        const struct rank *rank = &ranks[r];
        length += (size_t)snprintf(text + length, size - length, "\n  rank %d %s", r,
                                   rank->ended ? "has ended" : rank->what);
        for (int i = 0; i < rank->count && !rank->ended && length + 200 < size; i++)
            if (rank->request[i] != MPI_REQUEST_NULL) {
                sm_describe_request(rank->request[i], text + length, size - length);
                length += strlen(text + length);
            }
    }
}

/* ---- The order of what happens --------------------------------------------------------------- */

static int go_on(int rank)
{
    sm_current = rank;
    swapcontext(&scheduler, &ranks[rank].context);
    sm_current = -1;
    return rank;
}

/* Number `choice` of ready ranks and events. */
static void happen(const int ready[], int count, int choice)
{
    if (choice < count)
        go_on(ready[choice]);
    else
        sm_event_do(choice - count);
}

static bool starves(const int ready[], int count, int choice)
{
    return (choice < count ? ready[choice] : sm_event_rank(choice - count)) == starving;
}

static int pick(const int ready[], int count, int events)
{
    const int all = count + events;
    int choice = sm_choose(all);
    switch (sm_nature.order) {
    case SM_RANKS_FIRST:
        return count > 0 ? sm_choose(count) : choice;
    case SM_NETWORK_FIRST:
        return events > 0 ? count + sm_choose(events) : choice;
    case SM_LAST_FIRST:
        return all - 1 - sm_choose(sm_choose(4) == 1 ? all : 1);
    case SM_ONE_STARVES:
        for (int i = 0; i < all && starves(ready, count, choice); i++)
            choice = (choice + 1) % all;
        return choice;
    default:
        return choice;
    }
}

static int find_ready(int ready[])
{
    int count = 0;
    for (int i = 0; i < sm_ranks; i++) {
        const int r = (int)((now + i) % sm_ranks);
        if (!ranks[r].ended && !ranks[r].waits && ranks[r].until <= now)
            ready[count++] = r;
    }
    return count;
}

/* The next step at which a late rank goes on; -1: none is late. */
static int64_t next_late(void)
{
    int64_t next = -1;
    for (int r = 0; r < sm_ranks; r++)
        if (!ranks[r].ended && !ranks[r].waits && (next < 0 || ranks[r].until < next))
            next = ranks[r].until;
    return next;
}

bool sm_run(void (*of_rank)(int rank))
{
    body = of_rank;
    for (int r = 0; r < sm_ranks; r++) {
        make_rank(&ranks[r]);
    }
    for (; now < MOST_STEPS; now++) {
        int ready[SM_MOST_RANKS];
        const int count = find_ready(ready), events = sm_events();
        if (count + events > 0) {
            happen(ready, count, pick(ready, count, events));
            continue;
        }
        const int64_t next = next_late();
        if (next < 0)
            break;
        now = next - 1;
    }
    if (now >= MOST_STEPS)
        sm_fault("it does not end");
    for (int r = 0; r < sm_ranks; r++)
        if (!ranks[r].ended)
            return false;
    return true;
}
