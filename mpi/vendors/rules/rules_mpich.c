/* rules_mpich.c - MPICH's selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE).
 *
 *     {"collective=bcast": {"comm_type=intra": {
 *        "comm_size<=22": {"avg_msg_size<=4096": {"algorithm=MPIR_Bcast_intra_binomial": {}},
 *                          "avg_msg_size=any":
 * {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}, "comm_size=any": ...},
 * "comm_type=inter": ...}, ...}
 *
 * The keys of an object are conditions, tried in order; the first that holds leads to its object,
 * and nothing leads back. The file replaces the library's whole tree, and MPICH aborts at a
 * collective that is not in it. So the rules are put into the library's own tree, which is read
 * from its source (maint/tuning/coll/mpir/generic.json) or found in the library itself
 * (libmpich.so), where it is a text.
 *
 * What csel.c and csel_container.c of 4.0.2 and of main do, and what follows:
 * - Every list of comparisons must end with =any, and nothing may come after it.
 * - Numbers are read by atoi: thresholds must be below 2^31.
 * - "comm_size<N" means "at most N" in 4.0.2 where it stands below a condition on the message: only
 * <= is written, also in the copies of the library's own tree that stand for its own choice.
 * - The file is mapped into memory and read as a text that ends in 0: if its size is a whole number
 * of pages, MPICH reads beyond it. A blank is added.
 * - The algorithm is chosen without a look at what it can do. So algorithms for built-in operators,
 * commutative operators or two buffers stand below conditions that say so.
 * - Parameters of an algorithm are keys of one object, not nested, and those that are left out have
 * no value at all (main; 4.0.2 reads none of these). */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/rules/rules_format.h"

static const struct rules_call calls[] = {
    {"bcast", "bcast", -1, RULES_ALL},
    {"reduce", "reduce", -1, RULES_ALL},
    {"allreduce", "allreduce", -1, RULES_ALL},
    {"allgather", "allgather", -1, RULES_ALL},
    {"allgather", "allgatherv", -1, RULES_ALL},
    {"alltoall", "alltoall", -1, RULES_PER_PAIR},
    {"reduce-scatter", "reduce_scatter", -1, RULES_ALL},
    {"reduce-scatter", "reduce_scatter_block", -1, RULES_ALL},
    {NULL, NULL, -1, RULES_ALL},
};

/* The key that compares the size of a message of a call. */
static const char *size_key(const struct rules_call *call)
{
    static const char *const averages[] = {"bcast", "reduce", "allreduce", "alltoall"};
    for (size_t i = 0; i < sizeof averages / sizeof *averages; i++)
        if (strcmp(call->call, averages[i]) == 0)
            return "avg_msg_size";
    return "total_msg_size";
}

/* ---- What algorithms need -------------------------------------------------------------------- */

/* Conditions under which the algorithm may run, and what runs otherwise. */
struct guard {
    const char *name;
    const char *condition[2]; /* the second one, if any, below the first */
    const char *otherwise[2]; /* the opposite key, for each */
    const char *fallback;
};

#define BUILT_IN                                                                                   \
    {"is_op_built_in=yes", "count=any"},                                                           \
    {                                                                                              \
        "is_op_built_in=no", "count<pow2"                                                          \
    }
#define COMMUTATIVE                                                                                \
    {"is_commutative=yes", NULL},                                                                  \
    {                                                                                              \
        "is_commutative=no", NULL                                                                  \
    }
#define TWO_BUFFERS                                                                                \
    {"is_sendbuf_inplace=no", NULL},                                                               \
    {                                                                                              \
        "is_sendbuf_inplace=yes", NULL                                                             \
    }

static const struct guard guards[] = {
    {"MPIR_Reduce_intra_reduce_scatter_gather", BUILT_IN, "MPIR_Reduce_intra_binomial"},
    {"MPIR_Reduce_intra_circ_graph", COMMUTATIVE, "MPIR_Reduce_intra_binomial"},
    {"MPIR_Allreduce_intra_reduce_scatter_allgather", BUILT_IN,
     "MPIR_Allreduce_intra_recursive_doubling"},
    {"MPIR_Allreduce_intra_ring", COMMUTATIVE, "MPIR_Allreduce_intra_recursive_doubling"},
    {"MPIR_Alltoall_intra_brucks", TWO_BUFFERS, "MPIR_Alltoall_intra_pairwise_sendrecv_replace"},
    {"MPIR_Alltoall_intra_k_brucks", TWO_BUFFERS, "MPIR_Alltoall_intra_pairwise_sendrecv_replace"},
    {"MPIR_Alltoall_intra_pairwise", TWO_BUFFERS, "MPIR_Alltoall_intra_pairwise_sendrecv_replace"},
    {"MPIR_Alltoall_intra_scattered", TWO_BUFFERS, "MPIR_Alltoall_intra_pairwise_sendrecv_replace"},
    {"MPIR_Reduce_scatter_intra_recursive_halving", COMMUTATIVE,
     "MPIR_Reduce_scatter_intra_recursive_doubling"},
    {"MPIR_Reduce_scatter_intra_pairwise", COMMUTATIVE,
     "MPIR_Reduce_scatter_intra_recursive_doubling"},
    {"MPIR_Reduce_scatter_block_intra_recursive_halving", COMMUTATIVE,
     "MPIR_Reduce_scatter_block_intra_recursive_doubling"},
    {"MPIR_Reduce_scatter_block_intra_pairwise", COMMUTATIVE,
     "MPIR_Reduce_scatter_block_intra_recursive_doubling"},
};

static const struct guard *guard_of(const char *name)
{
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
        if (strcmp(guards[i].name, name) == 0)
            return &guards[i];
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static json_t *object_with(const char *key, json_t *value)
{
    json_t *object = json_object();
    json_object_set_new(object, key, value);
    return object;
}

static json_t *algorithm_json(const char *name, json_t *parameters)
{
    char key[120];
    snprintf(key, sizeof key, "algorithm=%s", name);
    return object_with(key, parameters);
}

/* Every parameter that the algorithm has. */
static json_t *parameters_json(const struct rules_rule *rule)
{
    json_t *parameters = json_object();
    const char *at = rule->row->fixed;
    char key[64];
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        json_object_set_new(parameters, key, json_object());
        at += length + strspn(at + length, " ");
    }
    if (rule->row->fanned) {
        snprintf(key, sizeof key, "k=%" PRId32, rule->radix < 2 ? 2 : rule->radix);
        json_object_set_new(parameters, key, json_object());
    }
    if (rule->row->fixed != NULL)
        json_object_set_new(parameters, "is_non_blocking=1", json_object());
    if (rule->row->fixed != NULL && rule->row->segmented) {
        /* No segments: one chunk that is larger than any message. */
        snprintf(key, sizeof key, "chunk_size=%" PRId64,
                 rule->segment_bytes == 0 || rule->segment_bytes > INT_MAX ? INT_MAX
                                                                           : rule->segment_bytes);
        json_object_set_new(parameters, key, json_object());
        json_object_set_new(parameters, "recv_pre_posted=0", json_object());
    }
    return parameters;
}

/* The library's own tree for a call, to stand below a condition on the message. */
static json_t *own_json(json_t *own)
{
    static const char below[] = "comm_size<";
    const size_t length = sizeof below - 1;
    json_t *copy = json_object(), *under;
    const char *key;
    json_object_foreach(own, key, under)
    {
        if (strncmp(key, below, length) == 0 && isdigit((unsigned char)key[length])) {
            char at_most[64];
            snprintf(at_most, sizeof at_most, "%s=%d", below, atoi(key + length) - 1);
            json_object_set_new(copy, at_most, own_json(under));
        } else {
            json_object_set_new(copy, key, own_json(under));
        }
    }
    return copy;
}

/* The algorithm of a rule below the conditions that it needs. `own` is the library's tree for the
 * call. */
static json_t *rule_json(const struct rules_rule *rule, json_t *own)
{
    if (rule->row == NULL)
        return own_json(own);
    json_t *json = algorithm_json(rule->row->name, parameters_json(rule));
    const struct guard *guard = guard_of(rule->row->name);
    for (int i = 1; guard != NULL && i >= 0; i--) {
        if (guard->condition[i] == NULL)
            continue;
        /* A comparison ends with =any; either order will do for the others. */
        json_t *otherwise = algorithm_json(guard->fallback, json_object());
        json_t *both = object_with(guard->otherwise[i], otherwise);
        json_object_set_new(both, guard->condition[i], json);
        json = both;
    }
    return json;
}

/* "KEY<=VALUE", or "KEY=any" for the last one. */
static void set_below(json_t *object, const char *key, int64_t value, bool last, json_t *json)
{
    char text[64];
    if (last)
        snprintf(text, sizeof text, "%s=any", key);
    else
        snprintf(text, sizeof text, "%s<=%" PRId64, key, value);
    json_object_set_new(object, text, json);
}

static json_t *ranks_json(const struct rules_table *table, size_t from, size_t end, json_t *own)
{
    const char *key = size_key(table->rule[from].call);
    json_t *object = json_object();
    for (size_t i = from; i < end; i++) {
        const struct rules_rule *rule = &table->rule[i];
        set_below(object, key, rule->high, i + 1 == end, rule_json(rule, own));
    }
    return object;
}

static json_t *call_json(const struct rules_table *table, size_t from, size_t end, json_t *own)
{
    json_t *object = json_object();
    for (size_t next; from < end; from = next) {
        next = rules_ranks_end(table, from);
        set_below(object, "comm_size", table->rule[from].p_high, next == end,
                  ranks_json(table, from, next, own));
    }
    return object;
}

/* ---- The library's own tree ------------------------------------------------------------------ */

/* The whole tree is a text that begins so, without blanks, in the library. */
static const char beginning[] = "{\"collective=";
enum { MOST_LIBRARY_BYTES = 1 << 30 };

/* The one with algorithms for all collectives; MPICH has trees for compositions, too. */
static bool is_whole(const json_t *tree)
{
    return json_object_get(tree, "collective=bcast") != NULL &&
           json_object_get(tree, "collective=ibcast") != NULL;
}

static json_t *find_tree(const char *text, size_t size)
{
    const size_t length = sizeof beginning - 1;
    for (const char *at = text; at != NULL && at + length < text + size; at++) {
        at = memchr(at, '{', (size_t)(text + size - at));
        if (at == NULL)
            break;
        const size_t left = (size_t)(text + size - at);
        const char *end = memchr(at, '\0', left);
        if (left <= length || memcmp(at, beginning, length) != 0 || end == NULL)
            continue;
        json_t *tree = json_loadb(at, (size_t)(end - at), 0, NULL);
        if (is_whole(tree))
            return tree;
        json_decref(tree);
    }
    return NULL;
}

static int read_base(const char *path, json_t **tree, struct sup_error *error)
{
    char *text = NULL;
    size_t size;
    *tree = NULL;
    if (path == NULL)
        return sup_fail(error, RB_EINVAL,
                        "the rules replace MPICH's whole tree: name the library (libmpich.so) or "
                        "its generic.json with --base");
    const int status = rules_slurp(path, MOST_LIBRARY_BYTES, &text, &size, error);
    if (status == RB_OK) {
        *tree = json_loadb(text, size, 0, NULL);
        if (!is_whole(*tree)) {
            json_decref(*tree);
            *tree = find_tree(text, size);
        }
    }
    free(text);
    if (status == RB_OK && *tree == NULL)
        return sup_fail(error, RB_EINVAL,
                        "--base: %s has no selection tree of MPICH: name the library "
                        "(libmpich.so) or its maint/tuning/coll/mpir/generic.json",
                        path);
    return status;
}

/* Puts the rules of each call into the tree. */
static int splice(const struct rules_table *table, const char *path, json_t *tree,
                  struct sup_error *error)
{
    for (size_t i = 0, end; i < table->count; i = end) {
        char key[64];
        end = rules_call_end(table, i);
        snprintf(key, sizeof key, "collective=%s", table->rule[i].call->call);
        json_t *collective = json_object_get(tree, key);
        json_t *own = json_object_get(collective, "comm_type=intra");
        if (own == NULL)
            return sup_fail(error, RB_EINVAL, "--base: %s: \"%s\" has no \"comm_type=intra\"", path,
                            key);
        json_object_set_new(collective, "comm_type=intra", call_json(table, i, end, own));
    }
    return RB_OK;
}

static int write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error)
{
    enum { PAGE = 4096 };
    json_t *tree;
    int status = read_base(head->base, &tree, error);
    if (status == RB_OK)
        status = splice(table, head->base, tree, error);
    char *text = status == RB_OK ? json_dumps(tree, JSON_INDENT(1)) : NULL;
    if (text != NULL)
        fprintf(stream, "%s\n%s", text, (strlen(text) + 1) % PAGE == 0 ? "\n" : "");
    free(text);
    json_decref(tree);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum kind {
    ALGORITHM,
    COLLECTIVE,
    RANKS_AT_MOST,
    RANKS_BELOW,
    SIZE_AT_MOST,
    SIZE_BELOW,
    COUNT_AT_MOST,
    PPN_AT_MOST,
    PPN_BELOW,
    ANY,   /* ends a list */
    FLAG,  /* holds for a query or not; may end a list */
    POWER, /* as FLAG, but must not end a list */
};

struct key {
    const char *text; /* the whole key, or what it begins with */
    enum kind kind;
    bool begins;
};

/* parse_json_tree in csel.c. */
static const struct key keys[] = {
    {"algorithm=", ALGORITHM, true},
    {"composition=", ALGORITHM, true},
    {"collective=", COLLECTIVE, true},
    {"comm_size<=", RANKS_AT_MOST, true},
    {"comm_size=any", ANY, false},
    {"comm_size=pow2", POWER, false},
    {"comm_size=node_comm_size", FLAG, false},
    {"comm_size<", RANKS_BELOW, true},
    {"avg_msg_size<=", SIZE_AT_MOST, true},
    {"avg_msg_size<", SIZE_BELOW, true},
    {"avg_msg_size=any", ANY, false},
    {"total_msg_size<=", SIZE_AT_MOST, true},
    {"total_msg_size<", SIZE_BELOW, true},
    {"total_msg_size=any", ANY, false},
    {"count<=", COUNT_AT_MOST, true},
    {"count<pow2", POWER, false},
    {"count=any", ANY, false},
    {"comm_avg_ppn<=", PPN_AT_MOST, true},
    {"comm_avg_ppn<", PPN_BELOW, true},
    {"comm_type=intra", FLAG, false},
    {"comm_type=inter", FLAG, false},
    {"is_multi_threaded=yes", FLAG, false},
    {"is_multi_threaded=no", FLAG, false},
    {"is_commutative=yes", FLAG, false},
    {"is_commutative=no", FLAG, false},
    {"is_sendbuf_inplace=yes", FLAG, false},
    {"is_sendbuf_inplace=no", FLAG, false},
    {"is_op_built_in=yes", FLAG, false},
    {"is_op_built_in=no", FLAG, false},
    {"is_block_regular=yes", FLAG, false},
    {"is_block_regular=no", FLAG, false},
    {"is_node_consecutive=yes", FLAG, false},
    {"is_node_consecutive=no", FLAG, false},
    {"comm_hierarchy=parent", FLAG, false},
    {"comm_hierarchy=node_roots", FLAG, false},
    {"comm_hierarchy=node", FLAG, false},
    {"comm_hierarchy=flat", FLAG, false},
    {"comm_hierarchy=any", FLAG, false},
    {"any", ANY, false},
};

/* MPL_strdup_no_spaces. */
static const char *without_blanks(const char *key, char *text, size_t size)
{
    size_t length = 0;
    for (; *key != '\0' && length + 1 < size; key++)
        if (!isspace((unsigned char)*key))
            text[length++] = *key;
    text[length] = '\0';
    return text;
}

static const struct key *key_of(const char *text)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t length = strlen(keys[i].text);
        if (keys[i].begins ? strncmp(text, keys[i].text, length) == 0
                           : strcmp(text, keys[i].text) == 0)
            return &keys[i];
    }
    return NULL;
}

enum { MOST_DEPTH = 64 };

/* True if nothing needs to follow the key in its object. */
static bool may_end(enum kind kind)
{
    return kind == ALGORITHM || kind == COLLECTIVE || kind == ANY || kind == FLAG;
}

/* What MPICH asserts (validate_tree), and that keys and algorithms are known. */
static int check_tree(const struct rules_text *text, json_t *object, const char *above, int depth,
                      struct sup_error *error)
{
    const size_t count = json_object_size(object);
    size_t at = 0;
    const char *name;
    json_t *below;
    if (depth > MOST_DEPTH)
        return rules_complain(text, error, "more than %d conditions in each other", MOST_DEPTH);
    if (count == 0)
        return rules_complain(text, error, "\"%.80s\" leads to no algorithm", above);
    json_object_foreach(object, name, below)
    {
        char plain[160];
        const struct key *key = key_of(without_blanks(name, plain, sizeof plain));
        at++;
        if (key == NULL)
            return rules_complain(text, error, "\"%.80s\" is no condition that MPICH knows", plain);
        if (!json_is_object(below))
            return rules_complain(text, error, "\"%.80s\" must have an object", plain);
        if (key->kind == ANY && at < count)
            return rules_complain(text, error, "\"%.80s\" is followed by another condition", plain);
        if (key->kind == ALGORITHM)
            return RB_OK;
        if (at == count && !may_end(key->kind))
            return rules_complain(text, error, "\"%.80s\" is the last condition, but =any must be",
                                  plain);
        const int status = check_tree(text, below, plain, depth + 1, error);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

static int parse(struct rules_text *text, struct rules_file *file, struct sup_error *error)
{
    int status = rules_load_json(text, &file->tree, error);
    if (status == RB_OK && !json_is_object(file->tree))
        status = rules_complain(text, error, "must be an object");
    return status == RB_OK ? check_tree(text, file->tree, text->name, 0, error) : status;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

struct search {
    const struct rules_query *query;
    const struct rules_call *call;
    int64_t size;
    struct rules_answer *answer;
};

static int32_t ppn_of(const struct rules_query *query)
{
    return query->ppn < 1 ? 1 : query->ppn;
}

/* The elements of a call, 4 bytes each. */
static int64_t count_of(const struct search *search)
{
    return search->size / 4;
}

static bool flag_holds(const struct search *search, const char *key)
{
    const struct rules_query *query = search->query;
    const int32_t p = query->p, ppn = ppn_of(query);
    const bool one_node = p <= ppn, ordered = query->not_commutative;
    const struct {
        const char *key;
        bool holds;
    } flags[] = {
        {"comm_type=intra", true},
        {"comm_size=node_comm_size", one_node},
        {"is_multi_threaded=no", true},
        {"is_commutative=yes", !ordered},
        {"is_commutative=no", ordered},
        {"is_sendbuf_inplace=no", true},
        {"is_op_built_in=yes", !ordered},
        {"is_op_built_in=no", ordered},
        {"is_block_regular=yes", true},
        {"is_node_consecutive=yes", true},
        {"comm_hierarchy=parent", ppn > 1 && !one_node},
        {"comm_hierarchy=flat", ppn == 1},
        {"comm_hierarchy=any", true},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].key, key) == 0)
            return flags[i].holds;
    return false;
}

static bool power_holds(const struct search *search, const char *key)
{
    const int32_t p = search->query->p;
    int32_t power = 1;
    while (power <= p / 2)
        power *= 2;
    return strcmp(key, "comm_size=pow2") == 0 ? power == p : count_of(search) < power;
}

/* The condition on the size, and where the answer changes because of it. */
static bool is_at_most(struct search *search, int64_t most)
{
    struct rules_answer *answer = search->answer;
    if (search->size <= most) {
        answer->high = most < answer->high ? most : answer->high;
        return true;
    }
    answer->low = most + 1 > answer->low ? most + 1 : answer->low;
    return false;
}

static bool holds(struct search *search, const struct key *key, const char *text)
{
    const char *rest = text + strlen(key->text);
    const int64_t value = key->begins ? atoi(rest) : 0;
    switch (key->kind) {
    case COLLECTIVE:
        return strcmp(rest, search->call->call) == 0;
    case RANKS_AT_MOST:
        return search->query->p <= value;
    case RANKS_BELOW:
        return search->query->p < value;
    case SIZE_AT_MOST:
        return is_at_most(search, value);
    case SIZE_BELOW:
        return is_at_most(search, value - 1);
    case COUNT_AT_MOST:
        return count_of(search) <= value;
    case PPN_AT_MOST:
        return ppn_of(search->query) <= value;
    case PPN_BELOW:
        return ppn_of(search->query) < value;
    case FLAG:
        return flag_holds(search, text);
    case POWER:
        return power_holds(search, text);
    case ANY:
    case ALGORITHM:
        break;
    }
    return true;
}

static bool has_parameters(json_t *parameters, const char *fixed)
{
    while (fixed != NULL && *fixed != '\0') {
        char key[64];
        const size_t length = strcspn(fixed, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, fixed);
        if (json_object_get(parameters, key) == NULL)
            return false;
        fixed += length + strspn(fixed + length, " ");
    }
    return true;
}

static void answer_by(struct search *search, const char *name, json_t *parameters)
{
    struct rules_answer *answer = search->answer;
    size_t count;
    const struct mpilib_algorithm *row = mpilib_rows("mpich", &count);
    const char *key;
    json_t *ignored;
    snprintf(answer->name, sizeof answer->name, "%s", name);
    for (size_t i = 0; i < count && answer->row == NULL; i++)
        if (strcmp(row[i].name, name) == 0 && strcmp(row[i].call, search->call->call) == 0 &&
            has_parameters(parameters, row[i].fixed))
            answer->row = &row[i];
    json_object_foreach(parameters, key, ignored)
    {
        if (strncmp(key, "chunk_size=", 11) == 0)
            answer->segment_bytes = atoi(key + 11) == INT_MAX ? 0 : atoi(key + 11);
        if (strncmp(key, "k=", 2) == 0)
            answer->radix = atoi(key + 2);
    }
}

static bool look_up(const struct rules_file *file, const struct rules_query *query,
                    const struct rules_call *call, int64_t size, struct rules_answer *answer)
{
    struct search search = {query, call, size, answer};
    json_t *object = file->tree;
    while (object != NULL) {
        json_t *found = NULL, *below;
        const char *name;
        json_object_foreach(object, name, below)
        {
            char plain[160];
            const struct key *key = key_of(without_blanks(name, plain, sizeof plain));
            if (key->kind == ALGORITHM) {
                answer_by(&search, plain + strlen(key->text), below);
                return true;
            }
            if (holds(&search, key, plain)) {
                found = below;
                break;
            }
        }
        object = found;
    }
    return false;
}

static bool is_mine(const char *text, size_t size)
{
    return rules_has_word(text, size, "\"collective=");
}

#define SELECTION(...)                                                                             \
    {                                                                                              \
        .library = "mpich", .call = calls, .strict_ranks = true, .segments = true,                 \
        .most_bytes = INT_MAX, .write = write, .parse = parse, .is_mine = is_mine,                 \
        .look_up = look_up,                                                                        \
        .variables = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=@ "                                \
                     "MPIR_CVAR_DEVICE_COLLECTIVES=none",                                          \
        .base = "MPICH's own tree: the library (libmpich.so), or its generic.json", __VA_ARGS__    \
    }

const struct rules_format rules_mpich =
    SELECTION(.name = "mpich", .title = "MPICH's selection file: 4.0 and later, algorithms of 4.0",
              .version = 400);

const struct rules_format rules_mpich_5_1 =
    SELECTION(.name = "mpich-5.1",
              .title = "MPICH's selection file: 5.1, with trees and circ_graph", .version = 501);
