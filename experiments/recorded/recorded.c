/* recorded.c - workloads from recordings of the preloaded library (mpi/record/format.h): reads the
 * ranks' files, and makes one line of steps of what all ranks did. */
#include "experiments/recorded/recorded.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_WORDS = 1 << 20, MOST_NODES = 2000 };

/* What makes calls different steps: less and less, until the program is short enough. */
enum detail {
    BY_SIZE,      /* of messages, by powers of two */
    BY_RECEIVERS, /* who sends how many to whom */
    BY_CALL,      /* not their bytes */
};

/* ---- Files ----------------------------------------------------------------------------------- */

/* A rank's file while it is read. Its times count from the rank's start. */
struct reading {
    struct recorded *recorded;
    struct recorded_rank *rank;
    struct sup_map *calls, *peers, *algorithms, *communicators; /* their numbers */
    struct record_header header;
    int32_t r;
    int64_t left_ns, paused_ns; /* the last call's end; since then */
    int16_t algorithm[64];      /* the number of an algorithm in recorded */
    bool ended;
};

static void add_item(struct reading *reading, const struct record_call *call, uint32_t peers,
                     int64_t enter_ns, int64_t leave_ns, int64_t bytes)
{
    struct recorded *recorded = reading->recorded;
    struct recorded_rank *rank = reading->rank;
    const size_t number =
        sup_map_number(reading->calls, &recorded->call, &recorded->calls, call, sizeof *call);
    const int64_t computing_ns = enter_ns - reading->left_ns - reading->paused_ns;
    sup_grow(&rank->item, rank->items, sizeof *rank->item);
    rank->item[rank->items++] =
        (struct recorded_item){.call = (uint32_t)number,
                               .peers = peers,
                               .computing_s = computing_ns > 0 ? (float)computing_ns * 1e-9f : 0,
                               .inside_s = (float)(leave_ns - enter_ns) * 1e-9f,
                               .bytes = bytes,
                               .enter_ns = enter_ns + reading->header.offset};
    reading->left_ns = leave_ns;
    reading->paused_ns = 0;
}

/* False if it can't be right; so below. A communicator of one rank moves nothing: its calls are
 * computing. */
static bool take_call(struct reading *reading, const struct record_call *call)
{
    struct recorded *recorded = reading->recorded;
    const struct recorded_rank *rank = reading->rank;
    if (call->communicator < 0 || call->communicator >= rank->communicators ||
        call->how > RECORD_WAITED || call->leave < call->enter || call->bytes < 0 ||
        call->algorithm >= 64 || call->collective >= RECORD_COLLECTIVES || call->root < -1 ||
        (call->how == RECORD_STARTED &&
         (call->slots == 0 || (call->slots & (call->slots - 1)) != 0)))
        return false;
    const int32_t communicator = rank->communicator[call->communicator];
    struct record_call made = *call;
    made.start = (struct record_start){0, 0};
    made.enter = made.leave = made.unused = 0;
    made.bytes = call->partial ? 0 : call->bytes;
    made.communicator = communicator;
    made.algorithm = call->algorithm < 0 ? -1 : reading->algorithm[call->algorithm];
    if (call->root >= recorded->communicator[communicator].count)
        return false;
    recorded->all_calls += call->how != RECORD_WAITED;
    recorded->bytes += call->partial || reading->r == recorded->communicator[communicator].member[0]
                           ? call->bytes
                           : 0;
    if (recorded->communicator[communicator].count > 1 || call->how == RECORD_WAITED)
        add_item(reading, &made, 0, call->enter, call->leave, call->bytes);
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
    const uint64_t hash = sup_hash_bytes(made.hash, &made.copy, sizeof made.copy);
    const size_t found =
        (size_t)*sup_map_at(reading->communicators, hash, (int64_t)recorded->communicators);
    if (found == recorded->communicators) {
        made.member = memcpy(sup_malloc(size), member, size);
        sup_grow(&recorded->communicator, found, sizeof *recorded->communicator);
        recorded->communicator[recorded->communicators++] = made;
    }
    sup_grow(&rank->communicator, (size_t)rank->communicators, sizeof *rank->communicator);
    rank->communicator[rank->communicators++] = (int32_t)found;
    return is_in;
}

/* What is no collective is of the world, which each rank met first. */
static bool take_other(struct reading *reading, int how, uint32_t peers, int64_t enter_ns,
                       int64_t leave_ns)
{
    struct record_call made = {.how = (uint8_t)how, .root = -1, .algorithm = -1};
    if (reading->rank->communicators == 0 || leave_ns < enter_ns)
        return false;
    made.communicator = reading->rank->communicator[0];
    add_item(reading, &made, peers, enter_ns, leave_ns, 0);
    return true;
}

static bool take_peers(struct reading *reading, const struct record_peers *peers, uint32_t words)
{
    struct recorded *recorded = reading->recorded;
    const struct record_peer *peer = (const struct record_peer *)(peers + 1);
    const size_t first = recorded->peers;
    if (peers->count < 0 || sizeof *peers + (size_t)peers->count * sizeof *peer > 8 * (size_t)words)
        return false;
    for (int32_t i = 0; i <= peers->count; i++) {
        const struct record_peer end = {.to = -1}, one = i < peers->count ? peer[i] : end;
        if (i < peers->count && (one.to < 0 || one.to >= recorded->ranks || one.bytes < 0))
            return false;
        recorded->messages += one.messages;
        if (one.to == reading->r) {
            recorded->to_itself += one.messages;
            continue;
        }
        sup_grow(&recorded->peer, recorded->peers, sizeof *recorded->peer);
        recorded->peer[recorded->peers++] = one;
    }
    const size_t bytes = (recorded->peers - first) * sizeof *recorded->peer;
    const int64_t found =
        *sup_map_at(reading->peers, sup_hash_bytes(SUP_HASH_START, &recorded->peer[first], bytes),
                    (int64_t)first);
    if ((size_t)found != first)
        recorded->peers = first;
    return take_other(reading, RECORDED_MESSAGES, (uint32_t)found, peers->leave - peers->inside,
                      peers->leave);
}

static bool take_algorithm(struct reading *reading, const struct record_algorithm *algorithm)
{
    struct recorded *recorded = reading->recorded;
    if (algorithm->number < 0 || algorithm->number >= 64 || memchr(algorithm->name, 0, 40) == NULL)
        return false;
    reading->algorithm[algorithm->number] =
        (int16_t)sup_map_number(reading->algorithms, &recorded->algorithm, &recorded->algorithms,
                                algorithm->name, sizeof algorithm->name);
    return true;
}

/* Between the two comparisons clocks drift evenly. */
static bool take_end(struct reading *reading, const struct record_end *end)
{
    const struct record_header *header = &reading->header;
    const double drift =
        (double)(end->offset - header->offset) / (double)(end->enter - header->start);
    for (int i = 0; i < RECORD_REASONS; i++)
        reading->recorded->missed[i] += end->not_recorded[i];
    reading->ended = take_other(reading, RECORDED_END, 0, end->enter, end->enter);
    for (size_t i = 0; i < reading->rank->items && end->enter > header->start; i++) {
        int64_t *enter_ns = &reading->rank->item[i].enter_ns;
        *enter_ns += (int64_t)(drift * (double)(*enter_ns - header->offset - header->start));
    }
    return reading->ended;
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

/* Files of another job are not overlooked because it had more ranks. */
static int check_others(const struct recorded *recorded, struct sup_error *error)
{
    DIR *directory = sup_got(opendir(recorded->path));
    int status = RB_OK, r, length;
    for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        if (sscanf(entry->d_name, RECORD_NAME "%n", &r, &length) == 1 &&
            entry->d_name[length] == '\0' && r >= recorded->ranks && status == RB_OK)
            status = sup_fail(
                error, RB_EINVAL, "%s/%s: of another job: that of rank-0 had %" PRId32 " rank%s",
                recorded->path, entry->d_name, recorded->ranks, sup_plural(recorded->ranks));
    if (directory != NULL)
        closedir(directory);
    return status;
}

static int read_rank(struct recorded *recorded, struct sup_map numbers[4], int32_t r,
                     struct sup_error *error)
{
    struct reading reading = {.recorded = recorded,
                              .calls = &numbers[0],
                              .peers = &numbers[1],
                              .algorithms = &numbers[2],
                              .communicators = &numbers[3],
                              .r = r};
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
        status = check_others(recorded, error);
    }
    if (status == RB_OK) {
        reading.rank = &recorded->rank[r];
        reading.left_ns = reading.header.start;
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

/* Calls in communicators of a set become one, then, without their sizes, those that differ in
 * bytes. */
static void join_calls(struct recorded *recorded, bool has_sizes)
{
    struct sup_map numbers = {0};
    struct record_call *old = recorded->call;
    const size_t calls = recorded->calls;
    uint32_t *number = sup_malloc((calls + 1) * sizeof *number);
    recorded->call = NULL;
    recorded->calls = 0;
    for (size_t i = 0; i < calls; i++) {
        if (!has_sizes)
            old[i].bytes = old[i].n = 0;
        else
            old[i].communicator = recorded->communicator[old[i].communicator].set;
        number[i] = (uint32_t)sup_map_number(&numbers, &recorded->call, &recorded->calls, &old[i],
                                             sizeof *old);
    }
    for (int32_t r = 0; r < recorded->ranks; r++)
        for (size_t i = 0; i < recorded->rank[r].items; i++)
            recorded->rank[r].item[i].call = number[recorded->rank[r].item[i].call];
    free(old);
    free(number);
    free(numbers.of);
}

/* ---- One line of steps ----------------------------------------------------------------------- */

struct joining {
    struct recorded *recorded;
    struct sup_map steps, onlys;
    bool *takes; /* per rank: it does the step */
    struct {     /* per communicator: members that have come to their next call of it */
        int32_t count;
        uint32_t call;
        bool differ;
    } * come;
    enum detail detail;
};

static const struct recorded_item *next_of(const struct recorded *recorded, int32_t r)
{
    const struct recorded_rank *rank = &recorded->rank[r];
    return rank->next < rank->items ? &rank->item[rank->next] : NULL;
}

/* The communicator of a rank's call; -1: it is the rank's own. */
static int32_t communicator_of(const struct recorded *recorded, int32_t r, uint32_t call)
{
    const struct record_call *about = &recorded->call[call];
    return about->how >= RECORD_WAITED ? -1 : recorded->set[about->communicator].of[r];
}

static void come(struct joining *joining, int32_t r)
{
    const struct recorded_item *item = next_of(joining->recorded, r);
    const int32_t c = item == NULL ? -1 : communicator_of(joining->recorded, r, item->call);
    if (c < 0)
        return;
    if (joining->come[c].count++ == 0)
        joining->come[c].call = item->call;
    joining->come[c].differ = joining->come[c].differ || joining->come[c].call != item->call;
}

/* All members of the rank's communicator have come to the call. */
static bool is_complete(const struct joining *joining, int32_t r, uint32_t call)
{
    const int32_t c = communicator_of(joining->recorded, r, call);
    return c < 0 || (joining->come[c].count == joining->recorded->communicator[c].count &&
                     !joining->come[c].differ);
}

/* The rank that is behind the others among those whose call is complete; -1: none is. */
static int32_t find_ready(const struct joining *joining)
{
    const struct recorded *recorded = joining->recorded;
    int32_t best = -1;
    for (int32_t r = 0; r < recorded->ranks; r++) {
        const struct recorded_item *item = next_of(recorded, r);
        if (item != NULL && (best < 0 || recorded->rank[r].next < recorded->rank[best].next) &&
            is_complete(joining, r, item->call))
            best = r;
    }
    return best;
}

static uint64_t hash_peers(const struct joining *joining, int32_t r,
                           const struct recorded_item *item)
{
    const struct recorded *recorded = joining->recorded;
    uint64_t hash = 0;
    if (joining->detail == BY_CALL || recorded->call[item->call].how != RECORDED_MESSAGES)
        return 0;
    for (const struct record_peer *peer = &recorded->peer[item->peers]; peer->to >= 0; peer++) {
        int size = 0;
        if (joining->detail == BY_SIZE)
            (void)frexp((double)peer->bytes, &size);
        const int64_t words[] = {r, peer->to, peer->messages, size};
        hash += recorded_mix(sup_hash_bytes(SUP_HASH_START, words, sizeof words));
    }
    return hash;
}

/* One step: all ranks that have come to this call, if it is complete. */
static void join_step(struct joining *joining, uint32_t call)
{
    struct recorded *recorded = joining->recorded;
    struct recorded_step step = {.call = call};
    int32_t taking = 0, all = 0;
    for (int32_t r = 0; r < recorded->ranks; r++) {
        const struct recorded_item *item = next_of(recorded, r);
        const bool takes = item != NULL && item->call == call && is_complete(joining, r, call);
        all += recorded->call[call].how >= RECORD_WAITED || communicator_of(recorded, r, call) >= 0;
        joining->takes[r] = takes;
        taking += takes;
        step.peers += takes ? hash_peers(joining, r, item) : 0;
    }
    if (taking < all)
        step.only = 1 + (uint32_t)sup_map_number(&joining->onlys, &recorded->only, &recorded->onlys,
                                                 joining->takes, (size_t)recorded->ranks);
    for (int32_t r = 0; r < recorded->ranks; r++) {
        const int32_t c = joining->takes[r] ? communicator_of(recorded, r, call) : -1;
        recorded->rank[r].next += joining->takes[r];
        if (c >= 0)
            joining->come[c].count = 0;
    }
    for (int32_t r = 0; r < recorded->ranks; r++)
        if (joining->takes[r])
            come(joining, r);
    sup_grow(&recorded->line, recorded->lines, sizeof *recorded->line);
    recorded->line[recorded->lines++] = (uint32_t)sup_map_number(
        &joining->steps, &recorded->step, &recorded->steps, &step, sizeof step);
}

static void join_ranks(struct recorded *recorded, enum detail detail)
{
    struct joining joining = {.recorded = recorded, .detail = detail};
    joining.takes = sup_calloc((size_t)recorded->ranks, sizeof *joining.takes);
    joining.come = sup_calloc(recorded->communicators + 1, sizeof *joining.come);
    recorded->lines = recorded->steps = recorded->onlys = 0;
    for (int32_t r = 0; r < recorded->ranks; r++) {
        recorded->rank[r].next = 0;
        come(&joining, r);
    }
    for (int32_t r; (r = find_ready(&joining)) >= 0;)
        join_step(&joining, next_of(recorded, r)->call);
    recorded->lost = 0;
    for (int32_t r = 0; r < recorded->ranks; r++)
        recorded->lost += (int64_t)(recorded->rank[r].items - recorded->rank[r].next);
    free(joining.steps.of);
    free(joining.onlys.of);
    free(joining.takes);
    free(joining.come);
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
    struct sup_map numbers = {0};
    struct stream *stream = NULL;
    size_t streams = 0;
    for (size_t i = 0; i < recorded->calls; i++) {
        struct record_call call = recorded->call[i];
        call.root = 0;
        stream_of[i] = (uint32_t)*sup_map_at(
            &numbers, sup_hash_bytes(SUP_HASH_START, &call, sizeof call), (int64_t)streams);
        if (stream_of[i] < streams)
            continue;
        sup_grow(&stream, streams, sizeof *stream);
        stream[streams++] =
            (struct stream){.size = size_of_set(recorded, call.communicator), .moves = true};
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
    free(numbers.of);
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
    struct sup_map steps = {0};
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
            struct record_call call = recorded->call[step.call];
            call.root = RECORDED_MOVING;
            sup_grow(&recorded->call, recorded->calls, sizeof *recorded->call);
            its->call = (uint32_t)recorded->calls;
            recorded->call[recorded->calls++] = call;
            size[its->call] = its->size;
            turn[its->call] = its->first;
        }
        step.call = its->call;
        line[i] =
            (uint32_t)sup_map_number(&steps, &recorded->step, &recorded->steps, &step, sizeof step);
    }
    if (any) {
        recorded_fold(line, recorded->lines, program);
        any = place_roots(recorded, program, program->first, program->length, 0, size, turn);
        if (!any)
            free(program->node);
    }
    free(steps.of);
    free(stream_of);
    free(stream);
    free(line);
    free(size);
    free(turn);
    return any;
}

/* In as much detail as MOST_NODES allow. */
static void make_program(struct recorded *recorded, struct recorded_program *program)
{
    join_calls(recorded, true);
    for (enum detail detail = BY_SIZE; detail <= BY_CALL; detail++) {
        if (detail == BY_CALL)
            join_calls(recorded, false);
        join_ranks(recorded, detail);
        if (recorded->lines == 0)
            return;
        if (detail < BY_CALL && recorded->steps > MOST_NODES)
            continue;
        free(program->node);
        if (!fold_moving(recorded, program))
            recorded_fold(recorded->line, recorded->lines, program);
        if (program->nodes <= MOST_NODES)
            break;
    }
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
    struct recorded recorded = {.path = path};
    struct recorded_program program = {0};
    struct sup_map numbers[4] = {0};
    int status = RB_OK;
    for (int32_t r = 0; (r == 0 || r < recorded.ranks) && status == RB_OK; r++)
        status = read_rank(&recorded, numbers, r, error);
    for (int i = 0; i < 4; i++)
        free(numbers[i].of);
    if (status == RB_OK) {
        find_sets(&recorded);
        make_program(&recorded, &program);
        if (recorded.lines == 0)
            status = sup_fail(error, RB_EINVAL, "%s: no calls of all ranks are in it", path);
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
