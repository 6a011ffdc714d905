/* add.c - from a draft of a row to a row (format.h). */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/units.h"

struct rows_draft rows_empty_draft(void)
{
    return (struct rows_draft){.root = 0,
                               .size = -1,
                               .min_s = NAN,
                               .p10_s = NAN,
                               .median_s = NAN,
                               .p90_s = NAN,
                               .ci_low_s = NAN,
                               .ci_high_s = NAN};
}

bool rows_parse_nodes(const char *text, int64_t *nodes, bool *torus)
{
    char part[24];
    *nodes = 1;
    *torus = false;
    for (;;) {
        const size_t length = strcspn(text, "xX");
        int64_t factor;
        if (length == 0 || length >= sizeof part)
            return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (sup_parse_int(part, 1, RB_MAX_RANKS, &factor, NULL) != RB_OK)
            return false;
        *nodes *= factor;
        if (*nodes > RB_MAX_RANKS)
            return false;
        if (text[length] == '\0')
            return true;
        *torus = true;
        text += length + 1;
    }
}

/* Our collective of a benchmark's name, "MPI_Reduce_scatter_block": "reduce-scatter"; NULL: we have
 * none. */
static const char *rows_collective(const char *text)
{
    const struct rb_collective_info *info = sup_collective_named(text);
    return info == NULL || info->instance != NULL ? NULL : info->name;
}

static const char digits[] = "0123456789";

/* ---- Ranks and nodes ------------------------------------------------------------------------- */

/* PICO's column of ranks per node can be 1 where the notes say "4 tasks per node"; the allocation
 * of that job and its least sizes, one element per rank, agree with the notes. 0: they say nothing.
 */
static int64_t noted_ranks_per_node(const char *notes)
{
    static const char words[] = " tasks per node";
    const char *at = notes == NULL ? NULL : strstr(notes, words);
    int64_t number = 0;
    char figures[16];
    if (at == NULL)
        return 0;
    const char *first = at;
    while (first > notes && first[-1] >= '0' && first[-1] <= '9')
        first--;
    snprintf(figures, sizeof figures, "%.*s", (int)(at - first), first);
    return sup_parse_int(figures, 1, RB_MAX_RANKS, &number, NULL) == RB_OK ? number : 0;
}

/* The number that stands with one of the words in a file's name: 16 of "nodes" in osu.16nodes.txt,
 * osu-nodes16.txt and osu_nodes_16.txt. Both stand together between other characters than letters
 * and figures: a4p8b names no ranks. 0: none. */
static int64_t named_number(const char *path, const char *const words[])
{
    const char *name = sup_base_name(path);
    for (const char *end, *at = name + strcspn(name, digits); *at != '\0';
         at = end + strcspn(end, digits)) {
        char number_text[16], word[2][12] = {"", ""};
        int64_t number;
        end = at + strspn(at, digits);
        snprintf(number_text, sizeof number_text, "%.*s", (int)(end - at), at);
        const char *before = at > name && strchr("=_-.", at[-1]) != NULL ? at - 1 : at;
        const char *first = before;
        while (first > name && isalpha((unsigned char)first[-1]))
            first--;
        size_t length = 0;
        while (isalpha((unsigned char)end[length]))
            length++;
        if ((at == name || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)end[length]))
            snprintf(word[0], sizeof word[0], "%.*s", (int)length, end);
        if ((first == name || !isalnum((unsigned char)first[-1])) && length == 0)
            snprintf(word[1], sizeof word[1], "%.*s", (int)(before - first), first);
        for (int i = 0; words[i] != NULL; i++)
            if (rows_same_text(words[i], word[word[0][0] == '\0'], false) &&
                sup_parse_int(number_text, 1, RB_MAX_RANKS, &number, NULL) == RB_OK)
                return number;
    }
    return 0;
}

/* Takes the ranks from the file's name if nothing else says them. */
static void read_file_name(const struct rows_file *file, struct rows_draft *draft)
{
    static const char *const nodes[] = {"nodes", "node", "hosts", NULL};
    static const char *const p[] = {"p", "np", "ranks", "procs", "tasks", NULL};
    static const char *const ppn[] = {"ppn", "tpn", NULL};
    draft->nodes = named_number(file->lines.path, nodes);
    draft->p = named_number(file->lines.path, p);
    if (draft->ranks_per_node == 0)
        draft->ranks_per_node = named_number(file->lines.path, ppn);
    file->set->by_name += draft->nodes > 0 || draft->p > 0;
}

/* Takes the ranks from the run's command if nothing else says them; RB_EINVAL if an option says
 * otherwise. */
static int read_command(const struct rows_file *file, struct rows_draft *draft)
{
    const struct rows_command *command = &file->command;
    const struct {
        const char *option;
        int64_t optional, command;
    } both[] = {{"-p", file->options.p, command->p},
                {"--ppn", file->options.ranks_per_node, command->ranks_per_node}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (both[i].optional > 0 && both[i].command > 0 && both[i].optional != both[i].command)
            return rows_wrong(
                file, "%s says %" PRId64 ", and the command above %" PRId64 ": leave %s out",
                both[i].option, both[i].optional, both[i].command, both[i].option);
    if (draft->p == 0 && draft->nodes == 0) {
        draft->p = command->p;
        draft->nodes = command->nodes;
    }
    if (draft->ranks_per_node == 0)
        draft->ranks_per_node = command->ranks_per_node;
    return RB_OK;
}

static int complete_ranks(const struct rows_file *file, bool optional_p, struct rows_draft *draft)
{
    if (draft->p == 0 && draft->nodes == 0)
        read_file_name(file, draft);
    if (draft->ranks_per_node == 0 && draft->nodes > 0 && draft->p > 0)
        draft->ranks_per_node = (draft->p - 1) / draft->nodes + 1;
    if (draft->ranks_per_node == 0 && file->defaults->unnamed_ranks_per_node > 0)
        draft->ranks_per_node = file->defaults->unnamed_ranks_per_node;
    if (draft->ranks_per_node == 0)
        draft->ranks_per_node = 1;
    if (draft->p == 0 && draft->nodes == 0)
        draft->p = file->defaults->unnamed_p;
    if (draft->p == 0 && draft->nodes == 0) {
        const char *option = file->defaults->ranks_option;
        return rows_wrong(file,
                          "the number of ranks is missing: give it by %s%sa line \"# roundabout: "
                          "p=64 ppn=4\" above, or in the file's name, such as "
                          "osu_bcast.16nodes.4ppn.txt",
                          option == NULL ? "" : option, option == NULL ? "" : ", ");
    }
    if (draft->p == 0)
        draft->p = draft->nodes * draft->ranks_per_node;
    /* A communicator may have fewer ranks than the job. */
    const int64_t least = (draft->p - 1) / draft->ranks_per_node + 1;
    if (optional_p && draft->nodes != 0 && draft->nodes != least)
        return rows_wrong(file,
                          "nodes=%" PRId64 ", but -p says %" PRId64 " ranks, which with %" PRId64
                          " on each node need %" PRId64 ": leave -p out",
                          draft->nodes, draft->p, draft->ranks_per_node, least);
    if (draft->nodes == 0 || draft->nodes > least)
        draft->nodes = least;
    if (draft->p > RB_MAX_RANKS)
        return rows_wrong(file, "%" PRId64 " ranks: at most %d are possible", draft->p,
                          RB_MAX_RANKS);
    if (draft->p > draft->nodes * draft->ranks_per_node)
        return rows_wrong(
            file, "%" PRId64 " ranks do not fit on %" PRId64 " nodes with %" PRId64 " ranks each",
            draft->p, draft->nodes, draft->ranks_per_node);
    return RB_OK;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static int complete_sizes(const struct rows_file *file, const struct rows_draft *draft,
                          struct rows_row *row)
{
    const struct rb_collective_info *info = rb_collective_find(row->collective);
    /* A reduce-scatter's size is its input vector, which every rank has. */
    const bool parted = info->distributed && !info->reducing;
    const int64_t to_buffer = draft->size_of == ROWS_OF_BLOCK && parted ? row->p : 1;
    const int64_t to_all = info->personalized && draft->size_of != ROWS_OF_ALL ? row->p : 1;
    if (__builtin_mul_overflow(draft->size, to_buffer, &row->bytes) ||
        __builtin_mul_overflow(row->bytes, to_all, &row->m_bytes))
        return rows_wrong(
            file, "%" PRId64 " bytes for %" PRId32 " ranks: more than 2^63 - 1 bytes in all",
            draft->size, row->p);
    if (draft->size_of == ROWS_OF_ALL && info->personalized)
        row->bytes = row->m_bytes / row->p;
    return RB_OK;
}

/* ---- Rows
 * ---------------------------------------------------------------------------------------- */

/* What options, remarks and rows can all say. */
static const struct word {
    const char *key, *option; /* option NULL: there is none */
    bool number;
    size_t at; /* in a draft */
} words[] = {{"machine", "--machine", false, offsetof(struct rows_draft, system)},
             {"library", "--library", false, offsetof(struct rows_draft, library)},
             {"test", NULL, false, offsetof(struct rows_draft, test)},
             {"algorithm", "--algorithm", false, offsetof(struct rows_draft, name)},
             {"p", "-p", true, offsetof(struct rows_draft, p)},
             {"ppn", "--ppn", true, offsetof(struct rows_draft, ranks_per_node)},
             {"nodes", NULL, true, offsetof(struct rows_draft, nodes)}};
enum { WORDS = sizeof words / sizeof *words };

static const char **text_of(const struct rows_draft *draft, const struct word *word)
{
    return (const char **)((char *)draft + word->at);
}

static int64_t *number_of(const struct rows_draft *draft, const struct word *word)
{
    return (int64_t *)((char *)draft + word->at);
}

static bool is_missing(const char *text)
{
    return text == NULL || *text == '\0';
}

static bool is_said(const struct rows_draft *draft, const struct word *word)
{
    return word->number ? *number_of(draft, word) != 0 : !is_missing(*text_of(draft, word));
}

/* RB_EINVAL if both say the word and differ. */
static int agree(const struct rows_file *file, const struct word *word,
                 const struct rows_draft *here, const struct rows_draft *before)
{
    char numbers[2][24];
    const char *value[2];
    const bool by_option = is_said(&file->options, word);
    if (!is_said(here, word) || !is_said(before, word))
        return RB_OK;
    if (word->number ? *number_of(here, word) == *number_of(before, word)
                     : rows_same_text(*text_of(here, word), *text_of(before, word), false) ||
                           (strcmp(word->key, "library") == 0 &&
                            sup_same_library(*text_of(here, word), *text_of(before, word))))
        return RB_OK;
    for (int i = 0; i < 2; i++) {
        const struct rows_draft *draft = i == 0 ? here : before;
        if (word->number)
            snprintf(numbers[i], sizeof numbers[i], "%" PRId64, *number_of(draft, word));
        value[i] = word->number ? numbers[i] : *text_of(draft, word);
    }
    return rows_wrong(file, "%s=%.60s, but %s says %.60s: leave %s out%s", word->key, value[0],
                      by_option ? word->option : "a remark above", value[1],
                      by_option ? word->option : "one of them",
                      by_option && strcmp(word->key, "machine") == 0
                          ? "; --system chooses the rows of a machine"
                          : "");
}

/* Takes what the row does not say from options and remarks. */
static int complete(const struct rows_file *file, struct rows_draft *draft)
{
    for (int i = 0; i < WORDS; i++) {
        const struct word *word = &words[i];
        const int status = agree(file, word, draft, &file->said);
        if (status != RB_OK)
            return status;
        if (word->number && !is_said(draft, word))
            *number_of(draft, word) = *number_of(&file->said, word);
        else if (!is_said(draft, word))
            *text_of(draft, word) = *text_of(&file->said, word);
    }
    if (is_missing(draft->system))
        draft->system = file->defaults->unnamed;
    if (is_missing(draft->library))
        draft->library = file->defaults->unnamed_library;
    if (is_missing(draft->name) && file->defaults->unnamed_algorithm != NULL) {
        draft->name = file->defaults->unnamed_algorithm;
        file->set->assumed++;
    }
    return RB_OK;
}

/* The texts of a row. */
static void keep_texts(struct rows_file *file, const struct rows_draft *draft, struct rows_row *row)
{
    struct rows_texts **texts = &file->set->texts;
    const struct {
        const char **to;
        const char *text;
    } kept[] = {
        {&row->system, draft->system},   {&row->test, draft->test},
        {&row->library, draft->library}, {&row->library_version, draft->library_version},
        {&row->name, draft->name},       {&row->notes, draft->notes},
        {&row->shape, draft->shape},     {&row->overlap, draft->overlap},
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        *kept[i].to = rows_texts_keep(texts, kept[i].text == NULL ? "" : kept[i].text);
}

/* Names come in runs, but several algorithms may take turns. */
static struct rows_name name_of(struct rows_file *file, const struct rows_row *row)
{
    const char *library = file->own_names ? "" : row->library;
    const void *texts[] = {library, row->collective, row->name};
    const uint64_t hash = sup_hash_bytes(SUP_HASH_START, texts, sizeof texts);
    struct rows_known_name *known = &file->known[hash % ROWS_KNOWN_NAMES];
    if (known->name != row->name || known->collective != row->collective ||
        known->library != library)
        *known = (struct rows_known_name){library, row->collective, row->name,
                                          rows_read_name(library, row->collective, row->name)};
    return known->read;
}

static void read_name(struct rows_file *file, struct rows_row *row)
{
    const struct rows_name name = name_of(file, row);
    row->algorithm = name.algorithm;
    row->manner = name.manner;
    row->transport = name.transport;
    row->own_choice = name.own_choice;
    row->radix = mpilib_radix(row->radix == 0 ? name.radix : row->radix, row->p);
    row->interfaces = row->interfaces == 0 ? name.interfaces : row->interfaces;
    row->segment_bytes = row->segment_bytes == 0 ? name.segment_bytes : row->segment_bytes;
}

/* ---- Rows that are there already ------------------------------------------------------------- */

static bool is_same(const struct rows_row *a, const struct rows_row *b)
{
    struct rows_row left = *a, right = *b;
    left.file = right.file = left.line = right.line = 0;
    return memcmp(&left, &right, sizeof left) == 0;
}

static uint64_t hash_of(const struct rows_row *row)
{
    uint64_t hash = sup_hash_bytes(SUP_HASH_START, &row->median_s, sizeof row->median_s);
    hash = sup_hash_bytes(hash, &row->name, sizeof row->name);
    hash = sup_hash_bytes(hash, &row->test, sizeof row->test);
    return sup_hash_bytes(hash, &row->bytes, sizeof row->bytes);
}

/* True if the row, which would be the set's next, is there already. */
static bool is_repeated(struct rows_set *set, const struct rows_row *row)
{
    for (uint64_t hash = hash_of(row);; hash += 2) {
        const size_t i = (size_t)*sup_map_at(&set->seen, hash, (int64_t)set->count);
        if (i == set->count)
            return false;
        if (is_same(&set->row[i], row))
            return true;
    }
}

static void append(struct rows_file *file, const struct rows_row *row)
{
    struct rows_set *set = file->set;
    if (is_repeated(set, row)) {
        rows_leave(file, ROWS_REPEATED, row->collective);
        return;
    }
    sup_grow(&set->row, set->count, sizeof *set->row);
    memcpy(&set->row[set->count++], row, sizeof *row); /* with its padding, for is_same */
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int check_missing(const struct rows_file *file, const struct rows_draft *draft)
{
    if (is_missing(draft->collective))
        return rows_wrong(file, "the collective is missing");
    if (is_missing(draft->system))
        return rows_wrong(file, "the machine is missing: give it by --machine");
    if (is_missing(draft->name))
        return rows_wrong(file, "the algorithm is missing: give it by --algorithm; default is the "
                                "library's choice");
    if (draft->size < 0)
        return rows_wrong(file, "the size in bytes is missing");
    return RB_OK;
}

int rows_add(struct rows_file *file, const struct rows_draft *given)
{
    struct rows_draft draft = *given;
    struct rows_row row;
    memset(&row, 0, sizeof row);
    if (draft.p == 0 && draft.ranks_per_node == 1 && noted_ranks_per_node(draft.notes) > 1)
        draft.ranks_per_node = noted_ranks_per_node(draft.notes);
    int status = complete(file, &draft);
    if (status == RB_OK)
        status = check_missing(file, &draft);
    if (status != RB_OK)
        return status;
    row.collective = rows_collective(draft.collective);
    if (row.collective == NULL) {
        rows_leave(file, ROWS_UNKNOWN, draft.collective);
        return RB_OK;
    }
    if (isnan(draft.median_s) || draft.median_s == 0) {
        rows_leave(file, ROWS_NOT_TIMED, row.collective);
        return RB_OK;
    }
    if (!(draft.median_s > 0) || isinf(draft.median_s))
        return rows_wrong(file, "the time is %g s, not a time above 0", draft.median_s);
    if (given->p == 0 && given->nodes == 0)
        status = read_command(file, &draft);
    if (status == RB_OK)
        status = complete_ranks(file, given->p == 0 && file->options.p > 0, &draft);
    if (status != RB_OK)
        return status;
    row.p = (int32_t)draft.p;
    row.nodes = (int32_t)draft.nodes;
    row.ranks_per_node = (int32_t)draft.ranks_per_node;
    row.radix = (int32_t)draft.radix;
    row.interfaces = (int32_t)draft.interfaces;
    row.root = (int32_t)draft.root;
    row.element_bytes = draft.element_bytes < 1 ? 1 : draft.element_bytes;
    row.segment_bytes = draft.segment_bytes;
    row.n = draft.n;
    row.runs = draft.runs;
    row.min_s = draft.min_s;
    row.p10_s = draft.p10_s;
    row.median_s = draft.median_s;
    row.p90_s = draft.p90_s;
    const bool interval = draft.ci_low_s > 0 && draft.ci_high_s > 0;
    const bool percentiles = draft.p10_s > 0 && draft.p90_s > 0;
    row.low_s = interval ? draft.ci_low_s : percentiles ? draft.p10_s : NAN;
    row.high_s = interval ? draft.ci_high_s : percentiles ? draft.p90_s : NAN;
    row.file = file->number;
    row.line = file->lines.at;
    status = complete_sizes(file, &draft, &row);
    if (status != RB_OK)
        return status;
    keep_texts(file, &draft, &row);
    read_name(file, &row);
    append(file, &row);
    return RB_OK;
}

/* ---- Remarks
 * --------------------------------------------------------------------------------------- */

static const char remark[] = "# roundabout:";

bool rows_is_remark(const struct rows_file *file)
{
    const char *text = file->lines.line + strspn(file->lines.line, " \t");
    return strncmp(text, remark, sizeof remark - 1) == 0;
}

static int read_word(struct rows_file *file, const char *key, const char *value)
{
    int i = 0;
    while (i < WORDS && strcmp(words[i].key, key) != 0)
        i++;
    if (i == WORDS)
        return rows_wrong(
            file, "\"%.40s\" is not machine, library, test, algorithm, p, ppn or nodes", key);
    if (!words[i].number)
        *text_of(&file->said, &words[i]) = rows_texts_keep(&file->set->texts, value);
    else if (sup_parse_int(value, 1, RB_MAX_RANKS, number_of(&file->said, &words[i]), NULL) !=
             RB_OK)
        return rows_wrong(file, "%s: \"%.40s\" is not a whole number from 1", key, value);
    return agree(file, &words[i], &file->said, &file->options);
}

int rows_read_remark(struct rows_file *file)
{
    char *word = strstr(file->lines.line, remark) + sizeof remark - 1;
    for (;;) {
        word += strspn(word, " \t");
        if (*word == '\0')
            return RB_OK;
        char *end = word + strcspn(word, " \t");
        const bool last = *end == '\0';
        *end = '\0';
        char *value = strchr(word, '=');
        if (value == NULL || value[1] == '\0')
            return rows_wrong(file, "\"%.40s\" is not KEY=VALUE", word);
        *value++ = '\0';
        const int status = read_word(file, word, value);
        if (status != RB_OK || last)
            return status;
        word = end + 1;
    }
}
