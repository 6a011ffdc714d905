/* recorded.c - workloads from recordings of the preloaded library (mpi/record/format.h): reads the
 * ranks' files, and makes one line of steps of what all ranks did. */
#include "experiments/recorded/recorded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "roundabout.h"
#include "support/memory.h"

enum { MOST_WORDS = 1 << 20, MOST_NODES = 2000 };
enum {
    KINDS = 0
#define RECORD_COLLECTIVE(name, fortran, arguments, rule) +1
#define RECORD_SERVED                                     RECORD_COLLECTIVE
#include "mpi/record/list.h"
#undef RECORD_COLLECTIVE
#undef RECORD_SERVED
};

/* ---- Distinct things ------------------------------------------------------------------------- */

/* Numbers for distinct values: a table by hash. */
struct numbers {
    struct number {
        uint64_t hash;
        uint32_t number;
    } * place;
    size_t places, count;
};

/* The number of what has this hash, which is `next` if it is new. */
static uint32_t number_of(struct numbers *numbers, uint64_t hash, size_t next)
{
    hash |= 1;
    if (2 * numbers->count >= numbers->places) {
        const struct numbers old = *numbers;
        *numbers = (struct numbers){.places = old.places == 0 ? 256 : 2 * old.places};
        numbers->place = sup_calloc(numbers->places, sizeof *numbers->place);
        for (size_t i = 0; i < old.places; i++)
            if (old.place[i].hash != 0)
                number_of(numbers, old.place[i].hash, old.place[i].number);
        free(old.place);
    }
    size_t i = (hash * UINT64_C(0x9e3779b97f4a7c15)) >> 24 & (numbers->places - 1);
    while (numbers->place[i].hash != 0 && numbers->place[i].hash != hash)
        i = (i + 1) & (numbers->places - 1);
    if (numbers->place[i].hash == 0) {
        numbers->place[i] = (struct number){hash, (uint32_t)next};
        numbers->count++;
    }
    return numbers->place[i].number;
}

static uint32_t call_number(struct recorded *recorded, struct numbers *numbers,
                            const struct recorded_call *call)
{
    const uint32_t number =
        number_of(numbers, sup_hash_bytes(SUP_HASH_START, call, sizeof *call), recorded->calls);
    if (number == recorded->calls) {
        sup_grow(&recorded->call, recorded->calls, sizeof *recorded->call);
        recorded->call[recorded->calls++] = *call;
    }
    return number;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* A rank's file while it is read. Its times count from the rank's start. */
struct reading {
    struct recorded *recorded;
    struct recorded_rank *rank;
    struct numbers *numbers;
    struct record_header header;
    int32_t r;
    int64_t left_ns, messages_ns, paused_ns; /* the last call's end; since then */
    uint32_t peers;                          /* 0: none since then */
    struct {                                 /* the number of an algorithm in recorded */
        int16_t of[64];
    } algorithms;
    bool ended;
};

static void add_item(struct reading *reading, const struct recorded_call *call, int64_t enter_ns,
                     int64_t leave_ns, int64_t bytes)
{
    struct recorded_rank *rank = reading->rank;
    struct recorded *recorded = reading->recorded;
    const int64_t computing_ns =
        enter_ns - reading->left_ns - reading->messages_ns - reading->paused_ns;
    if (reading->peers != 0) {
        sup_grow(&recorded->peer, recorded->peers, sizeof *recorded->peer);
        recorded->peer[recorded->peers++] = (struct recorded_peer){.to = -1};
    }
    if (rank->items == 0)
        rank->first_ns = enter_ns + reading->header.offset;
    sup_grow(&rank->item, rank->items, sizeof *rank->item);
    rank->item[rank->items++] =
        (struct recorded_item){.call = call_number(recorded, reading->numbers, call),
                               .peers = reading->peers,
                               .computing_s = computing_ns > 0 ? (float)computing_ns * 1e-9f : 0,
                               .messages_s = (float)reading->messages_ns * 1e-9f,
                               .inside_s = (float)(leave_ns - enter_ns) * 1e-9f,
                               .bytes = bytes};
    reading->left_ns = leave_ns;
    reading->messages_ns = reading->paused_ns = 0;
    reading->peers = 0;
}

/* False if it can't be right; so below. A communicator of one rank moves nothing: its calls are
 * computing. */
static bool take_call(struct reading *reading, const struct record_call *call)
{
    struct recorded *recorded = reading->recorded;
    const struct recorded_rank *rank = reading->rank;
    if (call->communicator < 0 || call->communicator >= rank->communicators ||
        call->how > RECORD_WAITED || call->leave < call->enter || call->bytes < 0 ||
        call->algorithm >= 64 || call->collective >= KINDS || call->root < -1 ||
        (call->how == RECORD_STARTED &&
         (call->slots == 0 || (call->slots & (call->slots - 1)) != 0)))
        return false;
    const int32_t communicator = rank->communicator[call->communicator];
    struct recorded_call made;
    memset(&made, 0, sizeof made); /* it is hashed */
    made.bytes = call->partial ? 0 : call->bytes;
    made.slots = call->slots;
    made.set = communicator;
    made.root = call->root;
    made.n = call->n;
    made.algorithm = call->algorithm < 0 ? -1 : reading->algorithms.of[call->algorithm];
    made.collective = call->collective;
    made.how = call->how;
    made.partial = call->partial;
    made.element = call->element;
    made.type = call->type;
    made.op = call->op;
    if (call->root >= recorded->communicator[communicator].count)
        return false;
    recorded->all_calls += call->how != RECORD_WAITED;
    recorded->bytes += call->partial || reading->r == recorded->communicator[communicator].member[0]
                           ? call->bytes
                           : 0;
    if (recorded->communicator[communicator].count > 1 || call->how == RECORD_WAITED)
        add_item(reading, &made, call->enter, call->leave, call->bytes);
    return true;
}

static bool take_members(struct reading *reading, const struct record_members *members,
                         uint32_t words)
{
    struct recorded *recorded = reading->recorded;
    struct recorded_rank *rank = reading->rank;
    const int32_t *member = (const int32_t *)(members + 1);
    const size_t size = (size_t)members->count * sizeof *member;
    bool is_in = false;
    if (members->communicator != rank->communicators || members->count < 1 ||
        members->count > recorded->ranks || sizeof *members + size > 8 * (size_t)words)
        return false;
    for (int32_t i = 0; i < members->count; i++) {
        if (member[i] < 0 || member[i] >= recorded->ranks)
            return false;
        is_in = is_in || member[i] == reading->r;
    }
    struct recorded_communicator made = {.hash = sup_hash_bytes(SUP_HASH_START, member, size),
                                         .number = members->communicator,
                                         .count = members->count};
    for (int32_t i = 0; i < rank->communicators; i++)
        made.copy += recorded->communicator[rank->communicator[i]].hash == made.hash;
    size_t found = 0;
    while (found < recorded->communicators && (recorded->communicator[found].hash != made.hash ||
                                               recorded->communicator[found].copy != made.copy))
        found++;
    if (found == recorded->communicators) {
        made.member = sup_malloc(size);
        memcpy(made.member, member, size);
        sup_grow(&recorded->communicator, found, sizeof *recorded->communicator);
        recorded->communicator[recorded->communicators++] = made;
    }
    sup_grow(&rank->communicator, (size_t)rank->communicators, sizeof *rank->communicator);
    rank->communicator[rank->communicators++] = (int32_t)found;
    return is_in;
}

static bool take_peers(struct reading *reading, const struct record_peers *peers, uint32_t words)
{
    struct recorded *recorded = reading->recorded;
    const struct record_peer *peer = (const struct record_peer *)(peers + 1);
    if (peers->count < 0 || sizeof *peers + (size_t)peers->count * sizeof *peer > 8 * (size_t)words)
        return false;
    reading->messages_ns += peers->inside;
    for (int32_t i = 0; i < peers->count; i++) {
        if (peer[i].to < 0 || peer[i].to >= recorded->ranks || peer[i].bytes < 0)
            return false;
        recorded->messages += peer[i].messages;
        if (peer[i].to == reading->r)
            continue;
        if (reading->peers == 0)
            reading->peers = (uint32_t)recorded->peers;
        sup_grow(&recorded->peer, recorded->peers, sizeof *recorded->peer);
        recorded->peer[recorded->peers++] =
            (struct recorded_peer){peer[i].to, peer[i].messages, peer[i].bytes};
    }
    return true;
}

static bool take_algorithm(struct reading *reading, const struct record_algorithm *algorithm)
{
    struct recorded *recorded = reading->recorded;
    size_t i = 0;
    if (algorithm->number < 0 || algorithm->number >= 64 || memchr(algorithm->name, 0, 40) == NULL)
        return false;
    while (i < recorded->algorithms && strcmp(recorded->algorithm[i], algorithm->name) != 0)
        i++;
    if (i == recorded->algorithms) {
        sup_grow(&recorded->algorithm, i, sizeof *recorded->algorithm);
        memcpy(recorded->algorithm[recorded->algorithms++], algorithm->name, 40);
    }
    reading->algorithms.of[algorithm->number] = (int16_t)i;
    return true;
}

/* How clocks compare at the end is not used: times are rank 0's but for the drift of clocks. */
static bool take_end(struct reading *reading, const struct record_end *end)
{
    struct recorded_call made;
    memset(&made, 0, sizeof made);
    made.how = RECORDED_END;
    made.root = made.algorithm = -1;
    made.set = reading->rank->communicators > 0 ? reading->rank->communicator[0] : 0;
    for (int i = 0; i < RECORD_REASONS; i++)
        reading->recorded->missed[i] += end->not_recorded[i];
    add_item(reading, &made, end->enter, end->enter, 0);
    reading->ended = true;
    return true;
}

static bool take(struct reading *reading, const uint64_t word[], uint32_t words)
{
    static const uint32_t least[] = {[RECORD_CALL] = sizeof(struct record_call) / 8,
                                     [RECORD_MEMBERS] = sizeof(struct record_members) / 8,
                                     [RECORD_PEERS] = sizeof(struct record_peers) / 8,
                                     [RECORD_PAUSE] = sizeof(struct record_pause) / 8,
                                     [RECORD_ALGORITHM] = sizeof(struct record_algorithm) / 8,
                                     [RECORD_END] = sizeof(struct record_end) / 8};
    const void *record = word;
    const uint32_t kind = ((const struct record_start *)record)->kind;
    if (kind < RECORD_CALL || kind > RECORD_END || words < least[kind] || reading->ended)
        return false;
    switch ((enum record_kind)kind) {
    case RECORD_CALL:
        return take_call(reading, record);
    case RECORD_MEMBERS:
        return take_members(reading, record, words);
    case RECORD_PEERS:
        return take_peers(reading, record, words);
    case RECORD_ALGORITHM:
        return take_algorithm(reading, record);
    case RECORD_END:
        return take_end(reading, record);
    case RECORD_PAUSE:
        break;
    }
    reading->paused_ns += ((const struct record_pause *)record)->length;
    return true;
}

/* A file that ends within a record is that of a killed job. */
static int read_records(struct reading *reading, FILE *file, const char *name,
                        struct sup_error *error)
{
    uint64_t *word = sup_malloc(MOST_WORDS * sizeof *word);
    int status = RB_OK;
    while (status == RB_OK && fread(word, sizeof *word, 1, file) == 1) {
        const uint32_t words = ((const struct record_start *)(const void *)word)->words;
        const long at = ftell(file) - 8;
        if (words < 1 || words > MOST_WORDS)
            status = RB_EINVAL;
        else if (fread(word + 1, sizeof *word, words - 1, file) != words - 1)
            break;
        else if (!take(reading, word, words))
            status = RB_EINVAL;
        if (status != RB_OK)
            sup_fail(error, status, "%s: not what RB_RECORD writes, from byte %ld on", name, at);
    }
    if (status == RB_OK && ferror(file))
        status = sup_fail(error, RB_EIO, "%s: %s", name, strerror(errno));
    free(word);
    return status;
}

static int check_header(const struct reading *reading, const char *name, struct sup_error *error)
{
    const struct record_header *header = &reading->header, *first = &reading->recorded->header;
    if (memcmp(header->magic, RECORD_MAGIC, sizeof header->magic) != 0)
        return sup_fail(error, RB_EINVAL, "%s: not written by RB_RECORD", name);
    if (header->rank != reading->r || header->ranks <= header->rank || header->ranks > RB_MAX_RANKS)
        return sup_fail(error, RB_EINVAL, "%s: says that it is rank %" PRId32 "'s of %" PRId32,
                        name, header->rank, header->ranks);
    return reading->r == 0 || (header->job == first->job && header->ranks == first->ranks)
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "%s: of another job than rank-0", name);
}

static int read_rank(struct recorded *recorded, struct numbers *numbers, int32_t r,
                     struct sup_error *error)
{
    struct reading reading = {
        .recorded = recorded, .rank = &recorded->rank[r], .numbers = numbers, .r = r};
    char *name = sup_format("%s/" RECORD_NAME, recorded->path, r);
    FILE *file = sup_got(fopen(name, "rb"));
    int status = RB_OK;
    if (file == NULL && r == 0)
        status =
            sup_fail(error, RB_EINVAL, "%s: no recording: no file rank-0 is in it", recorded->path);
    else if (file == NULL)
        status = sup_fail(error, RB_EINVAL, "%s: %s; the job had %" PRId32 " ranks", name,
                          strerror(errno), recorded->ranks);
    else if (fread(&reading.header, sizeof reading.header, 1, file) != 1)
        status = sup_fail(error, RB_EINVAL, "%s: not written by RB_RECORD, or cut off", name);
    if (status == RB_OK)
        status = check_header(&reading, name, error);
    if (status == RB_OK && r == 0) {
        recorded->header = reading.header;
        recorded->ranks = reading.header.ranks;
        recorded->rank = sup_calloc((size_t)recorded->ranks, sizeof *recorded->rank);
    }
    if (status == RB_OK) {
        reading.rank = &recorded->rank[r];
        reading.left_ns = reading.header.start;
        reading.rank->start_ns = reading.header.start + reading.header.offset;
        status = read_records(&reading, file, name, error);
        recorded->unfinished += !reading.ended;
    }
    if (file != NULL)
        fclose(file);
    free(name);
    return status;
}

/* ---- Sets of communicators ------------------------------------------------------------------- */

/* A communicator goes to the set of its number, or the first one, in which its members have none.
 */
static void find_sets(struct recorded *recorded)
{
    for (size_t c = 0; c < recorded->communicators; c++) {
        struct recorded_communicator *communicator = &recorded->communicator[c];
        for (int32_t i = -1;; i++) {
            const int32_t s = i < 0 ? communicator->number : i;
            bool is_free = true;
            while (s >= recorded->sets) {
                sup_grow(&recorded->set, (size_t)recorded->sets, sizeof *recorded->set);
                struct recorded_set *set = &recorded->set[recorded->sets++];
                set->of = sup_malloc((size_t)recorded->ranks * sizeof *set->of);
                memset(set->of, 0xff, (size_t)recorded->ranks * sizeof *set->of); /* -1 */
            }
            int32_t *of = recorded->set[s].of;
            for (int32_t m = 0; m < communicator->count && is_free; m++)
                is_free = of[communicator->member[m]] < 0;
            if (!is_free || (i >= 0 && s == 0))
                continue;
            communicator->set = s;
            for (int32_t m = 0; m < communicator->count; m++)
                of[communicator->member[m]] = (int32_t)c;
            break;
        }
    }
}

/* Calls in communicators of a set become one. */
static void join_calls(struct recorded *recorded)
{
    struct numbers numbers = {0};
    struct recorded_call *old = recorded->call;
    const size_t calls = recorded->calls;
    uint32_t *number = sup_malloc((calls + 1) * sizeof *number);
    recorded->call = NULL;
    recorded->calls = 0;
    for (size_t i = 0; i < calls; i++) {
        old[i].set = recorded->communicator[old[i].set].set;
        number[i] = call_number(recorded, &numbers, &old[i]);
    }
    for (int32_t r = 0; r < recorded->ranks; r++)
        for (size_t i = 0; i < recorded->rank[r].items; i++)
            recorded->rank[r].item[i].call = number[recorded->rank[r].item[i].call];
    free(old);
    free(number);
    free(numbers.place);
}

/* ---- One line of steps ----------------------------------------------------------------------- */

struct joining {
    struct recorded *recorded;
    struct numbers steps, onlys;
    bool *takes;     /* per rank: it does the step */
    int32_t *ready;  /* per communicator: in which step it was complete */
    uint32_t *rough; /* per call: the same without bytes */
    bool is_rough;
};

static const struct recorded_item *next_of(const struct recorded *recorded, int32_t r)
{
    const struct recorded_rank *rank = &recorded->rank[r];
    return rank->next < rank->items ? &rank->item[rank->next] : NULL;
}

/* All members of the rank's communicator have come to the call; a wait is a rank's own. */
static bool is_complete(const struct recorded *recorded, int32_t r, uint32_t call)
{
    const struct recorded_call *about = &recorded->call[call];
    if (about->how >= RECORD_WAITED)
        return true;
    const int32_t c = recorded->set[about->set].of[r];
    const struct recorded_communicator *communicator = &recorded->communicator[c];
    for (int32_t i = 0; i < communicator->count; i++) {
        const struct recorded_item *item = next_of(recorded, communicator->member[i]);
        if (item == NULL || item->call != call)
            return false;
    }
    return true;
}

/* The rank that is behind the others among those whose call is complete; -1: none is. */
static int32_t find_ready(const struct recorded *recorded)
{
    int32_t best = -1;
    for (int32_t r = 0; r < recorded->ranks; r++) {
        const struct recorded_item *item = next_of(recorded, r);
        if (item != NULL && (best < 0 || recorded->rank[r].next < recorded->rank[best].next) &&
            is_complete(recorded, r, item->call))
            best = r;
    }
    return best;
}

static uint64_t hash_peers(const struct joining *joining, int32_t r,
                           const struct recorded_item *item)
{
    uint64_t hash = 0;
    if (item->peers == 0 || joining->is_rough)
        return item->peers != 0;
    for (const struct recorded_peer *peer = &joining->recorded->peer[item->peers]; peer->to >= 0;
         peer++) {
        const int64_t words[] = {r, peer->to, peer->messages};
        hash += sup_hash_bytes(SUP_HASH_START, words, sizeof words) | 1;
    }
    return hash;
}

/* Who of the set does the step. */
static uint32_t number_ranks(struct joining *joining, int32_t taking, int32_t all)
{
    struct recorded *recorded = joining->recorded;
    const size_t size = (size_t)recorded->ranks * sizeof *joining->takes;
    if (taking == all)
        return 0;
    const uint32_t number = number_of(
        &joining->onlys, sup_hash_bytes(SUP_HASH_START, joining->takes, size), recorded->onlys);
    if (number == recorded->onlys) {
        sup_grow(&recorded->only, recorded->onlys, sizeof *recorded->only);
        recorded->only[recorded->onlys] = sup_malloc(size);
        memcpy(recorded->only[recorded->onlys++], joining->takes, size);
    }
    return number + 1;
}

/* One step: all ranks that have come to this call, if it is complete. */
static void join_step(struct joining *joining, uint32_t call)
{
    struct recorded *recorded = joining->recorded;
    const struct recorded_call *about = &recorded->call[call];
    const int32_t *of = about->how < RECORD_WAITED ? recorded->set[about->set].of : NULL;
    const int32_t stamp = (int32_t)(recorded->lines & 0x3fffffff) + 1;
    struct recorded_step step = {.call = joining->is_rough ? joining->rough[call] : call};
    int32_t taking = 0, all = 0;
    memset(joining->takes, 0, (size_t)recorded->ranks * sizeof *joining->takes);
    for (int32_t r = 0; r < recorded->ranks; r++) {
        const struct recorded_item *item = next_of(recorded, r);
        all += of == NULL || of[r] >= 0;
        if (item == NULL || item->call != call)
            continue;
        int32_t *ready = of == NULL ? NULL : &joining->ready[of[r]];
        if (ready != NULL && *ready != stamp && *ready != -stamp)
            *ready = is_complete(recorded, r, call) ? stamp : -stamp;
        joining->takes[r] = ready == NULL || *ready == stamp;
        taking += joining->takes[r];
        if (joining->takes[r])
            step.peers += hash_peers(joining, r, item);
    }
    if (joining->is_rough && step.peers != 0)
        step.peers = 1;
    step.only = number_ranks(joining, taking, all);
    for (int32_t r = 0; r < recorded->ranks; r++)
        recorded->rank[r].next += joining->takes[r];
    const uint32_t number = number_of(
        &joining->steps, sup_hash_bytes(SUP_HASH_START, &step, sizeof step), recorded->steps);
    if (number == recorded->steps) {
        sup_grow(&recorded->step, recorded->steps, sizeof *recorded->step);
        recorded->step[recorded->steps++] = step;
    }
    sup_grow(&recorded->line, recorded->lines, sizeof *recorded->line);
    recorded->line[recorded->lines++] = number;
}

/* The first call of each kind, whatever its bytes. */
static uint32_t *find_rough(const struct recorded *recorded)
{
    struct numbers numbers = {0};
    uint32_t *rough = sup_malloc((recorded->calls + 1) * sizeof *rough);
    for (size_t i = 0; i < recorded->calls; i++) {
        struct recorded_call call = recorded->call[i];
        call.bytes = call.n = 0;
        rough[i] = number_of(&numbers, sup_hash_bytes(SUP_HASH_START, &call, sizeof call), i);
    }
    free(numbers.place);
    return rough;
}

/* is_rough: steps whose bytes or receivers differ are one. */
static void join_ranks(struct recorded *recorded, bool is_rough)
{
    struct joining joining = {.recorded = recorded, .is_rough = is_rough};
    joining.takes = sup_calloc((size_t)recorded->ranks, sizeof *joining.takes);
    joining.ready = sup_calloc(recorded->communicators + 1, sizeof *joining.ready);
    joining.rough = find_rough(recorded);
    recorded->lines = recorded->steps = recorded->onlys = 0;
    for (int32_t r = 0; r < recorded->ranks; r++)
        recorded->rank[r].next = 0;
    for (int32_t r; (r = find_ready(recorded)) >= 0;)
        join_step(&joining, next_of(recorded, r)->call);
    recorded->lost = 0;
    for (int32_t r = 0; r < recorded->ranks; r++)
        recorded->lost += (int64_t)(recorded->rank[r].items - recorded->rank[r].next);
    free(joining.steps.place);
    free(joining.onlys.place);
    free(joining.takes);
    free(joining.ready);
    free(joining.rough);
}

/* ---- Roots that move ------------------------------------------------------------------------- */

/* Calls that are alike but for the root. */
struct stream {
    int32_t first, last, size; /* roots; of the communicators, 0: they differ */
    int64_t count;
    uint32_t call; /* with RECORDED_MOVING */
    bool moves;
};

/* Of all communicators of the set; 0: they differ. */
static int32_t size_of_set(const struct recorded *recorded, int32_t s)
{
    int32_t size = -1;
    for (int32_t r = 0; r < recorded->ranks; r++) {
        const int32_t c = recorded->set[s].of[r];
        if (c >= 0 && size != recorded->communicator[c].count)
            size = size < 0 ? recorded->communicator[c].count : 0;
    }
    return size;
}

/* Sets the stream of each call with a root, by number; returns the streams, which the caller
 * frees. */
static struct stream *find_streams(const struct recorded *recorded, uint32_t stream_of[])
{
    struct numbers numbers = {0};
    struct stream *stream = NULL;
    size_t streams = 0;
    for (size_t i = 0; i < recorded->calls; i++) {
        struct recorded_call call = recorded->call[i];
        call.root = 0;
        stream_of[i] =
            number_of(&numbers, sup_hash_bytes(SUP_HASH_START, &call, sizeof call), streams);
        if (stream_of[i] < streams)
            continue;
        sup_grow(&stream, streams, sizeof *stream);
        stream[streams++] = (struct stream){.size = size_of_set(recorded, call.set), .moves = true};
    }
    for (size_t i = 0; i < recorded->lines; i++) {
        const uint32_t c = recorded->step[recorded->line[i]].call;
        struct stream *its = &stream[stream_of[c]];
        const int32_t root = recorded->call[c].root;
        its->moves = its->moves && root >= 0 && its->size > 1 &&
                     (its->count == 0 || root == (its->last + 1) % its->size);
        its->first = its->count == 0 ? root : its->first;
        its->last = root;
        its->count++;
    }
    free(numbers.place);
    return stream;
}

/* Each step in which a root moves has it at one distance from the counter of its loop. `turn`: of
 * calls, how often they were. */
static bool place_roots(const struct recorded *recorded, struct recorded_program *program,
                        uint32_t first, uint32_t length, int64_t counter, const int32_t size[],
                        int64_t turn[])
{
    for (uint32_t i = first; i < first + length; i++) {
        struct recorded_node *node = &program->node[i];
        for (int64_t k = 0; k < node->times && node->length > 0; k++)
            if (!place_roots(recorded, program, node->first, node->length, k, size, turn))
                return false;
        const uint32_t call = node->length > 0 ? 0 : recorded->step[node->step].call;
        if (node->length > 0 || recorded->call[call].root != RECORDED_MOVING)
            continue;
        const int32_t p = size[call];
        const int32_t root = (int32_t)(((turn[call]++ - counter) % p + p) % p);
        if (node->root >= 0 && node->root != root)
            return false;
        node->root = root;
    }
    return true;
}

/* Folds the line with roots that move where all of a stream do. False: it is as good without. */
static bool fold_moving(struct recorded *recorded, struct recorded_program *program)
{
    struct numbers steps = {0};
    uint32_t *stream_of = sup_malloc((recorded->calls + 1) * sizeof *stream_of);
    struct stream *stream = find_streams(recorded, stream_of);
    uint32_t *line = sup_malloc((recorded->lines + 1) * sizeof *line);
    const size_t calls = recorded->calls;
    int32_t *size = sup_calloc(2 * calls + 1, sizeof *size);
    int64_t *turn = sup_calloc(2 * calls + 1, sizeof *turn);
    bool any = false;
    for (size_t i = 0; i < recorded->lines; i++) {
        struct recorded_step step = recorded->step[recorded->line[i]];
        struct stream *its = &stream[stream_of[step.call]];
        line[i] = recorded->line[i];
        if (!its->moves || its->count < 3)
            continue;
        any = true;
        if (its->call == 0) {
            struct recorded_call call = recorded->call[step.call];
            call.root = RECORDED_MOVING;
            sup_grow(&recorded->call, recorded->calls, sizeof *recorded->call);
            its->call = (uint32_t)recorded->calls;
            recorded->call[recorded->calls++] = call;
            size[its->call] = its->size;
            turn[its->call] = its->first;
        }
        step.call = its->call;
        line[i] =
            number_of(&steps, sup_hash_bytes(SUP_HASH_START, &step, sizeof step), recorded->steps);
        if (line[i] == recorded->steps) {
            sup_grow(&recorded->step, recorded->steps, sizeof *recorded->step);
            recorded->step[recorded->steps++] = step;
        }
    }
    if (any) {
        recorded_fold(line, recorded->lines, program);
        any = place_roots(recorded, program, program->first, program->length, 0, size, turn);
        if (!any)
            free(program->node);
    }
    free(steps.place);
    free(stream_of);
    free(stream);
    free(line);
    free(size);
    free(turn);
    return any;
}

static void fold(struct recorded *recorded, struct recorded_program *program)
{
    if (!fold_moving(recorded, program))
        recorded_fold(recorded->line, recorded->lines, program);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void free_recorded(struct recorded *recorded)
{
    for (int32_t r = 0; r < recorded->ranks; r++) {
        free(recorded->rank[r].item);
        free(recorded->rank[r].communicator);
    }
    for (size_t c = 0; c < recorded->communicators; c++)
        free(recorded->communicator[c].member);
    for (int32_t s = 0; s < recorded->sets; s++)
        free(recorded->set[s].of);
    for (size_t i = 0; i < recorded->onlys; i++)
        free(recorded->only[i]);
    free(recorded->rank);
    free(recorded->call);
    free(recorded->communicator);
    free(recorded->set);
    free(recorded->peer);
    free(recorded->algorithm);
    free(recorded->step);
    free(recorded->only);
    free(recorded->line);
}

static int write_recording(const char *path, const struct workload_wishes *wishes, FILE *text,
                           struct workload_told *told, struct sup_error *error)
{
    struct recorded recorded = {.path = path, .ranks = 1};
    struct recorded_rank first = {0};
    struct recorded_program program = {0};
    struct numbers numbers = {0};
    int status = RB_OK;
    recorded.rank = &first;
    sup_grow(&recorded.peer, 0, sizeof *recorded.peer);
    recorded.peers = 1; /* 0 stands for none */
    for (int32_t r = 0; r < recorded.ranks && status == RB_OK; r++)
        status = read_rank(&recorded, &numbers, r, error);
    free(numbers.place);
    if (recorded.rank == &first) {
        recorded.rank = NULL;
        recorded.ranks = 0;
    }
    if (status == RB_OK) {
        find_sets(&recorded);
        join_calls(&recorded);
        join_ranks(&recorded, false);
        if (recorded.lines == 0)
            status = sup_fail(error, RB_EINVAL, "%s: no calls of all ranks are in it", path);
    }
    if (status == RB_OK)
        fold(&recorded, &program);
    if (status == RB_OK && program.nodes > MOST_NODES) {
        for (size_t i = 0; i < recorded.onlys; i++)
            free(recorded.only[i]);
        free(program.node);
        join_ranks(&recorded, true);
        fold(&recorded, &program);
    }
    if (status == RB_OK)
        status = recorded_write(&recorded, &program, wishes, text, told, error);
    free(program.node);
    free_recorded(&recorded);
    return status;
}

static bool is_recording(const char *path, const char *head, size_t size)
{
    (void)path;
    (void)size;
    return head == NULL;
}

const struct workload_source recorded_source = {"recording", is_recording, write_recording};
