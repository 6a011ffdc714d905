/* msccl_xml.c - see msccl_xml.h. libxml2 calls us for each element (SAX2), so that nothing of the
 * file stays in memory but the steps. Until the last element is read, the buffers' sizes aren't
 * known: a step's from_rank and at_rank are buffers, its from and at are chunks of them, and `left`
 * says that it has hasdep="1". */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "interchange/msccl_xml.h"

#include <libxml/parser.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/interchange.h"
#include "support/memory.h"

const char *const inter_msccl_remarks[INTER_REMARKS] = {
    [INTER_STEPS] = "RCCL refuses more than 64 steps of a threadblock",
    [INTER_THREADBLOCKS] = "RCCL refuses more than 64 threadblocks of a gpu",
    [INTER_COUNT] = "RCCL refuses a cnt above 71",
    [INTER_GAP] = "RCCL refuses threadblocks that are not numbered 0, 1, 2, ...",
    [INTER_LOOSE_NOP] = "RCCL refuses a step that does not wait after a nop that waits",
    [INTER_NOT_HEARD] = "it waits for a step with hasdep=\"0\", and so for a later one",
    [INTER_CHUNKS] = "nchunksperloop is not the number of the data's chunks",
    [INTER_ELEMENT] = "an element that runtimes don't know is left out",
    [INTER_ROOT] = "which rank is the root is not clear: contents can't be proved",
};

enum { MOST = PRG_MAX_CHUNKS, MOST_RANKS = 1 << 20, MOST_THREADBLOCKS = 1 << 16 };
enum level { OUTSIDE, ALGO, GPU, TB, STEP };

struct reader {
    const char *path;
    struct sup_error *error;
    struct prg_program *program;
    struct inter_msccl *about;
    xmlParserCtxt *parser;
    int status; /* RB_OK until something is wrong */
    enum level level;
    int64_t skipped;                /* elements open that are not known */
    int32_t chunks;                 /* nchunksperloop */
    int32_t rank, peer[2], channel; /* of the threadblock; [1]: to which it sends */
    int32_t fifo[2];                /* PRG_NONE until it is used */
    int32_t first_thread;           /* of the gpu */
    struct end {
        int32_t thread[2];
    } * end; /* of each FIFO; owned */
    int32_t ends;
    int32_t place[MOST_THREADBLOCKS]; /* of the gpu's threadblock of a number, from 1; 0: none */
};

static int stop(struct reader *reader, int status)
{
    reader->status = status;
    xmlStopParser(reader->parser);
    return status;
}

static int check(struct reader *reader, int status)
{
    return status == RB_OK ? RB_OK : stop(reader, sup_fail(reader->error, status, "out of memory"));
}

static int32_t line_of(const struct reader *reader)
{
    return reader->parser->input == NULL ? 1 : reader->parser->input->line;
}

/* Line 0 is the present one. */
__attribute__((format(printf, 3, 4))) static int fail(struct reader *reader, int32_t line,
                                                      const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return stop(reader, sup_fail(reader->error, RB_EINVAL, "%.180s:%d: %s", reader->path,
                                 (int)(line == 0 ? line_of(reader) : line), what));
}

static void remark(struct reader *reader, enum inter_msccl_remark remark, bool is_so, int32_t line)
{
    if (is_so && reader->about->remark[remark] == 0)
        reader->about->remark[remark] = line;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* A whole number from least to most; a text if most is 0. */
struct attribute {
    const char *name;
    int32_t least, most;
    bool optional;
};
struct value {
    const char *text; /* NULL: it is missing */
    int length;
    int32_t number; /* 0 if it is missing */
};
/* For "%.*s". */
#define SHOWN(value) (value)->length < 40 ? (value)->length : 40, (value)->text

static bool is_text(const struct value *value, const char *text)
{
    return (size_t)value->length == strlen(text) &&
           memcmp(value->text, text, (size_t)value->length) == 0;
}

static bool read_number(const struct attribute *attribute, struct value *value)
{
    const int sign = value->length > 0 && value->text[0] == '-';
    int64_t number = 0;
    int i = sign;
    for (; i < value->length && value->text[i] >= '0' && value->text[i] <= '9' && number <= MOST;
         i++)
        number = 10 * number + (value->text[i] - '0');
    number = sign ? -number : number;
    value->number = (int32_t)number;
    return i > sign && i == value->length && number >= attribute->least &&
           number <= attribute->most;
}

enum { NGPUS, COLL, CHUNKS, IN_PLACE, OUT_OF_PLACE };
enum { S, TYPE, SRCBUF, SRCOFF, DSTBUF, DSTOFF, CNT, DEPID, DEPS, HASDEP, MOST_VALUES };

/* ---- Elements -------------------------------------------------------------------------------- */

static int begin_algo(struct reader *reader, const struct value value[])
{
    struct inter_msccl *about = reader->about;
    snprintf(about->collective, sizeof about->collective, "%.*s", SHOWN(&value[COLL]));
    reader->chunks = value[CHUNKS].number;
    about->in_place = value[IN_PLACE].number == 1;
    about->out_of_place =
        value[OUT_OF_PLACE].text == NULL ? !about->in_place : value[OUT_OF_PLACE].number == 1;
    return check(reader, prg_init(reader->program, value[NGPUS].number));
}

/* A rank that was there has slots, until prg_set_collective counts them. */
static int begin_gpu(struct reader *reader, const struct value value[])
{
    const int32_t rank = reader->rank = value[0].number, p = reader->program->ranks;
    if (rank >= p)
        return fail(reader, 0, "gpu %d: with ngpus=\"%d\" it must be from 0 to %d", (int)rank,
                    (int)p, (int)p - 1);
    struct prg_memory *memory = &reader->program->memory[rank];
    if (memory->slots > 0)
        return fail(reader, 0, "a second gpu %d", (int)rank);
    *memory = (struct prg_memory){
        {value[1].number, value[2].number, value[3].number}, .slots = 1, .line = line_of(reader)};
    reader->first_thread = reader->program->threads;
    return RB_OK;
}

static int begin_tb(struct reader *reader, const struct value value[])
{
    const int32_t p = reader->program->ranks;
    for (int i = 0; i < 2; i++) {
        reader->fifo[i] = PRG_NONE;
        reader->peer[i] = value[1 + i].number;
        if (reader->peer[i] >= p || reader->peer[i] == reader->rank)
            return fail(reader, 0, "%s=\"%d\": it must be another rank, 0 to %d, or -1: none",
                        i == 0 ? "recv" : "send", (int)reader->peer[i], (int)p - 1);
    }
    int32_t *place = &reader->place[value[0].number];
    if (*place != 0)
        return fail(reader, 0, "a second tb %d of gpu %d", (int)value[0].number, (int)reader->rank);
    *place = reader->program->threads - reader->first_thread + 1;
    remark(reader, INTER_THREADBLOCKS, *place > INTER_RCCL_THREADBLOCKS, line_of(reader));
    reader->channel = value[3].number;
    return check(reader, prg_begin_thread(reader->program, reader->rank, value[0].number));
}

/* The FIFO by which the threadblock sends or receives, made when it is first used. An end of a FIFO
 * belongs to one threadblock, which counts its messages. */
static int fifo_of(struct reader *reader, bool sends, int32_t *fifo)
{
    struct prg_program *program = reader->program;
    const int32_t peer = reader->peer[sends], rank = reader->rank;
    const char *what = sends ? "send" : "receive";
    *fifo = reader->fifo[sends];
    if (*fifo != PRG_NONE)
        return RB_OK;
    if (peer < 0 || reader->channel < 0)
        return fail(reader, 0, "it must %s, but its tb has no peer or channel for that", what);
    *fifo = reader->fifo[sends] =
        prg_fifo_of(program, sends ? rank : peer, sends ? peer : rank, reader->channel, false);
    if (*fifo == PRG_NONE)
        return check(reader, RB_ENOMEM);
    for (; reader->ends <= *fifo; reader->ends++) {
        sup_grow(&reader->end, (size_t)reader->ends, sizeof *reader->end);
        reader->end[reader->ends] = (struct end){{PRG_NONE, PRG_NONE}};
    }
    int32_t *thread = &reader->end[*fifo].thread[sends];
    if (*thread != PRG_NONE)
        return fail(reader, 0,
                    "tb %d and tb %d of gpu %d both %s on channel %d with gpu %d, so their "
                    "messages have no order: each needs a channel of its own",
                    (int)program->thread[*thread].number,
                    (int)program->thread[program->threads - 1].number, (int)rank, what,
                    (int)reader->channel, (int)peer);
    *thread = program->threads - 1;
    return RB_OK;
}

static const struct type {
    const char *name;
    bool receives, from, at, sends, combines;
} types[] = {
    {"s", .from = true, .sends = true},
    {"r", .receives = true, .at = true},
    {"cpy", .from = true, .at = true},
    {"re", .from = true, .at = true, .combines = true},
    {"rcs", .receives = true, .at = true, .sends = true},
    {"rrs", .receives = true, .from = true, .sends = true},
    {"rrc", .receives = true, .from = true, .at = true},
    {"rrcs", .receives = true, .from = true, .at = true, .sends = true},
    {"nop", .receives = false},
};
enum { TYPES = sizeof types / sizeof types[0], NOP = TYPES - 1 };

/* The buffer and the chunk in it. */
static int read_chunk(struct reader *reader, const char *side, const struct value value[2],
                      int32_t *buffer, int32_t *chunk)
{
    static const char letters[PRG_BUFFERS + 1] = "ios";
    const char *letter = value[0].length == 1 ? memchr(letters, value[0].text[0], 3) : NULL;
    if (letter == NULL)
        return fail(reader, 0, "%sbuf=\"%.*s\": it must be i, o or s", side, SHOWN(&value[0]));
    if (value[1].number < 0)
        return fail(reader, 0, "%soff=\"-1\": it must be 0 or more", side);
    *buffer = (int32_t)(letter - letters);
    *chunk = value[1].number;
    return RB_OK;
}

static int read_step(struct reader *reader, const struct value value[], struct prg_step *step)
{
    const struct type *type = types;
    while (type < types + TYPES && !is_text(&value[TYPE], type->name))
        type++;
    if (type == types + TYPES)
        return fail(reader, 0,
                    "type=\"%.*s\": it must be s, r, cpy, re, rcs, rrs, rrc, rrcs or nop",
                    SHOWN(&value[TYPE]));
    step->combines = type->combines;
    step->count = type == &types[NOP] ? 0 : value[CNT].number;
    if (step->count == 0 && type != &types[NOP])
        return fail(reader, 0, "cnt=\"0\": it must be 1 or more");
    int status = RB_OK;
    if (type->from)
        status = read_chunk(reader, "src", &value[SRCBUF], &step->from_rank, &step->from);
    if (status == RB_OK && type->at)
        status = read_chunk(reader, "dst", &value[DSTBUF], &step->at_rank, &step->at);
    if (status == RB_OK && type->receives)
        status = fifo_of(reader, false, &step->in);
    if (status == RB_OK && type->sends)
        status = fifo_of(reader, true, &step->out);
    return status;
}

static int begin_step(struct reader *reader, const struct value value[])
{
    const struct prg_program *program = reader->program;
    const int64_t number = program->thread[program->threads - 1].count;
    struct prg_step step = prg_step_of(reader->rank);
    step.line = line_of(reader);
    if (read_step(reader, value, &step) != RB_OK)
        return RB_EINVAL;
    if (value[S].number != number)
        return fail(reader, 0, "s=\"%d\": it is step %lld of its tb", (int)value[S].number,
                    (long long)number);
    step.left = value[HASDEP].number == 1;
    step.dep_thread = value[DEPID].number;
    step.dep_step = step.dep_thread == PRG_NONE ? PRG_NONE : value[DEPS].number;
    remark(reader, INTER_STEPS, number == INTER_RCCL_STEPS, step.line);
    remark(reader, INTER_COUNT, step.count > INTER_RCCL_COUNT, step.line);
    remark(reader, INTER_LOOSE_NOP,
           number > 0 && step.count > 0 && step.dep_thread == PRG_NONE &&
               program->step[program->steps - 1].count == 0 &&
               program->step[program->steps - 1].dep_thread != PRG_NONE,
           step.line);
    return check(reader, prg_add(reader->program, &step));
}

/* ---- The end of a gpu: whom its steps wait for ----------------------------------------------- */

static int find_dependence(struct reader *reader, struct prg_step *step, const int32_t heard[])
{
    const struct prg_thread *first = &reader->program->thread[reader->first_thread];
    const int32_t number = step->dep_thread;
    const int32_t place = number < MOST_THREADBLOCKS ? reader->place[number] - 1 : -1;
    if (place < 0 || step->dep_step < 0 || step->dep_step >= first[place].count)
        return fail(reader, step->line, "it waits for step %d of tb %d, which gpu %d has not",
                    (int)step->dep_step, (int)number, (int)reader->rank);
    const int32_t next = heard[first[place].first - first->first + step->dep_step];
    if (next == PRG_NONE)
        return fail(reader, step->line,
                    "it waits for ever: step %d of tb %d, and all after it, have hasdep=\"0\"",
                    (int)step->dep_step, (int)number);
    remark(reader, INTER_NOT_HEARD, next != step->dep_step, step->line);
    step->dep_thread = place;
    step->dep_step = next;
    return RB_OK;
}

/* heard[i]: the next step with hasdep="1" of the same threadblock, from step i of the gpu on. */
static void find_heard(struct reader *reader, int32_t heard[])
{
    const struct prg_program *program = reader->program;
    const int64_t first = program->thread[reader->first_thread].first;
    for (int32_t i = reader->first_thread; i < program->threads; i++) {
        const struct prg_thread *thread = &program->thread[i];
        int32_t next = PRG_NONE;
        for (int64_t k = thread->count - 1; k >= 0; k--) {
            next = program->step[thread->first + k].left ? (int32_t)k : next;
            heard[thread->first - first + k] = next;
        }
        remark(reader, INTER_GAP, thread->number >= program->threads - reader->first_thread,
               line_of(reader));
    }
}

static int end_gpu(struct reader *reader)
{
    struct prg_program *program = reader->program;
    if (program->threads == reader->first_thread)
        return RB_OK;
    const int64_t first = program->thread[reader->first_thread].first;
    int32_t *heard = sup_reallocarray(NULL, (size_t)(program->steps - first), sizeof *heard);
    find_heard(reader, heard);
    int status = RB_OK;
    for (int64_t i = first; status == RB_OK && i < program->steps; i++)
        if (program->step[i].dep_thread != PRG_NONE)
            status = find_dependence(reader, &program->step[i], heard);
    free(heard);
    for (int32_t i = reader->first_thread; i < program->threads; i++)
        reader->place[program->thread[i].number] = 0;
    return status;
}

/* ---- After the last element ------------------------------------------------------------------ */

/* Whether a thread begins by sending, as only one of a broadcast's root can, or ends by keeping
 * something, which only a reduction's root needs. */
static bool is_of_root(const struct prg_program *program, const struct prg_thread *thread,
                       bool reduces)
{
    if (thread->count == 0)
        return false;
    const struct prg_step *step = &program->step[thread->first + (reduces ? thread->count - 1 : 0)];
    return reduces ? step->at != PRG_NONE && step->out == PRG_NONE && !step->left
                   : step->in == PRG_NONE && step->from != PRG_NONE && step->dep_thread == PRG_NONE;
}

static int32_t find_root(struct reader *reader, bool reduces)
{
    const struct prg_program *program = reader->program;
    int32_t root = PRG_NONE;
    for (int32_t i = 0; i < program->threads; i++)
        if (is_of_root(program, &program->thread[i], reduces)) {
            const int32_t rank = program->thread[i].rank;
            remark(reader, INTER_ROOT, root != PRG_NONE && root != rank, 1);
            root = rank;
        }
    return root == PRG_NONE ? 0 : root;
}

static int place_chunks(struct reader *reader, int32_t rank, const struct prg_step *step,
                        int32_t *owner, int32_t *chunk)
{
    static const char *const names[PRG_BUFFERS] = {"input", "output", "scratch"};
    const struct prg_memory *memory = &reader->program->memory[rank];
    const int32_t buffer = *owner;
    if (*chunk == PRG_NONE)
        return RB_OK;
    if (step->count > memory->chunks[buffer] - (int64_t)*chunk)
        return fail(reader, step->line, "gpu %d has %d chunks of %s, not %d and %d more", (int)rank,
                    (int)memory->chunks[buffer], names[buffer], (int)*chunk, (int)step->count);
    *owner = rank;
    *chunk += memory->base[buffer];
    return RB_OK;
}

static int place_all(struct reader *reader)
{
    const struct prg_program *program = reader->program;
    for (int32_t i = 0; i < program->threads; i++) {
        const struct prg_thread *thread = &program->thread[i];
        for (int64_t k = thread->first; k < thread->first + thread->count; k++) {
            struct prg_step *step = &program->step[k];
            step->left = false;
            if (place_chunks(reader, thread->rank, step, &step->from_rank, &step->from) != RB_OK ||
                place_chunks(reader, thread->rank, step, &step->at_rank, &step->at) != RB_OK)
                return RB_EINVAL;
        }
    }
    return RB_OK;
}

static int finish(struct reader *reader, bool out_of_place)
{
    struct prg_program *program = reader->program;
    const struct inter_msccl *about = reader->about;
    struct sup_error error;
    for (int32_t rank = 0; rank < program->ranks; rank++)
        if (program->memory[rank].slots == 0)
            return fail(reader, 0, "there is no gpu %d, though ngpus=\"%d\"", (int)rank,
                        (int)program->ranks);
    const bool reduces = strcmp(about->collective, "reduce") == 0;
    const bool rooted = reduces || strcmp(about->collective, "broadcast") == 0;
    const int32_t root = rooted ? find_root(reader, reduces) : 0;
    const bool in_place = about->in_place && !(out_of_place && about->out_of_place);
    if (prg_set_collective(program, about->remark[INTER_ROOT] > 0 ? "" : about->collective,
                           in_place, root, &error) != RB_OK)
        return fail(reader, 0, "%s", error.text);
    const bool exchanges = strcmp(about->collective, "alltoall") == 0;
    remark(reader, INTER_CHUNKS,
           program->contract.collective != NULL &&
               reader->chunks != program->chunks / (exchanges ? program->ranks : 1),
           1);
    if (place_all(reader) != RB_OK)
        return RB_EINVAL;
    const int status = prg_finish(program, &error);
    return status == RB_EINVAL ? fail(reader, 1, "%s", error.text) : check(reader, status);
}

/* ---- libxml2 --------------------------------------------------------------------------------- */

static const struct element {
    const char *name;
    int (*begin)(struct reader *reader, const struct value value[]);
    int size;
    struct attribute attribute[MOST_VALUES];
} inside[] = {
    [OUTSIDE] = {"algo",
                 begin_algo,
                 5,
                 {{"ngpus", 1, MOST_RANKS, false},
                  {"coll", 0, 0, false},
                  {"nchunksperloop", 0, MOST, false},
                  {"inplace", 0, 1, true},
                  {"outofplace", 0, 1, true}}},
    [ALGO] = {"gpu",
              begin_gpu,
              4,
              {{"id", 0, MOST, false},
               {"i_chunks", 0, MOST, false},
               {"o_chunks", 0, MOST, false},
               {"s_chunks", 0, MOST, false}}},
    [GPU] = {"tb",
             begin_tb,
             4,
             {{"id", 0, MOST_THREADBLOCKS - 1, false},
              {"recv", -1, MOST, false},
              {"send", -1, MOST, false},
              {"chan", -1, MOST, false}}},
    [TB] = {"step",
            begin_step,
            MOST_VALUES,
            {{"s", 0, MOST, false},
             {"type", 0, 0, false},
             {"srcbuf", 0, 0, false},
             {"srcoff", -1, MOST, false},
             {"dstbuf", 0, 0, false},
             {"dstoff", -1, MOST, false},
             {"cnt", 0, MOST, false},
             {"depid", -1, MOST, false},
             {"deps", -1, MOST, false},
             {"hasdep", 0, 1, false}}},
    [STEP] = {.name = ""},
};

/* Attributes come as name, prefix, URI, value and its end. Files mostly have the table's order. */
static int read_attributes(struct reader *reader, const struct element *element,
                           const xmlChar **found, int count, struct value value[])
{
    const struct attribute *table = element->attribute;
    const int size = element->size;
    memset(value, 0, (size_t)size * sizeof *value);
    for (int i = 0; i < count; i++, found += 5) {
        int k = 0;
        while (k < size && strcmp((const char *)found[0], table[(i + k) % size].name) != 0)
            k++;
        if (k < size)
            value[(i + k) % size] =
                (struct value){(const char *)found[3], (int)(found[4] - found[3]), 0};
    }
    for (int k = 0; k < size; k++) {
        if (value[k].text == NULL && !table[k].optional)
            return fail(reader, 0, "<%s> without %s", element->name, table[k].name);
        if (value[k].text != NULL && table[k].most > 0 && !read_number(&table[k], &value[k]))
            return fail(reader, 0, "%s=\"%.*s\": it must be a whole number from %d to %d",
                        table[k].name, SHOWN(&value[k]), (int)table[k].least, (int)table[k].most);
    }
    return RB_OK;
}

static void begin_element(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int namespaces, const xmlChar **declared, int count,
                          int defaulted, const xmlChar **found)
{
    struct reader *reader = context;
    (void)prefix, (void)uri, (void)namespaces, (void)declared, (void)defaulted;
    const struct element *element = &inside[reader->level];
    struct value value[MOST_VALUES];
    const bool known = reader->skipped == 0 && strcmp((const char *)name, element->name) == 0;
    if (reader->status != RB_OK)
        return;
    if (known) {
        if (read_attributes(reader, element, found, count, value) == RB_OK &&
            element->begin(reader, value) == RB_OK)
            reader->level++;
    } else if (reader->level == OUTSIDE) {
        fail(reader, 0, "<%.40s>: a schedule begins with <algo>", (const char *)name);
    } else {
        remark(reader, INTER_ELEMENT, true, line_of(reader));
        reader->skipped++;
    }
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *uri)
{
    struct reader *reader = context;
    (void)name, (void)prefix, (void)uri;
    if (reader->status != RB_OK)
        return;
    if (reader->skipped > 0)
        reader->skipped--;
    else if (reader->level-- == GPU)
        end_gpu(reader);
}

static void refuse_document_type(void *context, const xmlChar *name, const xmlChar *id,
                                 const xmlChar *system)
{
    struct reader *reader = context;
    (void)name, (void)id, (void)system;
    if (reader->status == RB_OK)
        fail(reader, 0, "a schedule has no document type (<!DOCTYPE>)");
}

static void hear_error(void *context, xmlErrorPtr error)
{
    struct reader *reader = context;
    const bool ends = error->code == XML_ERR_DOCUMENT_END &&
                      (reader->level != OUTSIDE || reader->program->ranks == 0);
    const char *what = ends ? "the file ends before </algo>" : error->message;
    if (reader->status == RB_OK && error->level >= XML_ERR_ERROR)
        fail(reader, error->line, "%.*s", sup_first_line(what), what);
}

static int parse(struct reader *reader, FILE *stream)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startElementNs = begin_element,
                             .endElementNs = end_element,
                             .internalSubset = refuse_document_type,
                             .serror = hear_error};
    char part[1 << 16];
    reader->parser = xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
    if (reader->parser == NULL)
        return sup_fail(reader->error, RB_ENOMEM, "out of memory");
    xmlCtxtUseOptions(reader->parser, XML_PARSE_NONET);
    for (size_t size = 1; size > 0 && reader->status == RB_OK;) {
        size = fread(part, 1, sizeof part, stream);
        xmlParseChunk(reader->parser, part, (int)size, size == 0);
    }
    if (reader->status == RB_OK && ferror(stream) != 0)
        return sup_fail(reader->error, RB_EIO, "%.300s: reading failed", reader->path);
    return reader->status;
}

int inter_msccl_read(FILE *stream, const char *path, bool out_of_place, struct prg_program *program,
                     struct inter_msccl *about, struct sup_error *error)
{
    struct reader *reader = sup_calloc(1, sizeof *reader);
    *about = (struct inter_msccl){0};
    *reader = (struct reader){.path = path, .error = error, .program = program, .about = about};
    int status = parse(reader, stream);
    if (status == RB_OK)
        status = finish(reader, out_of_place);
    xmlFreeParserCtxt(reader->parser);
    free(reader->end);
    free(reader);
    return status;
}

/* ---- As a plan ------------------------------------------------------------------------------- */

static bool knows(const char *text)
{
    return text[0] == '<' && strstr(text, "<algo") != NULL;
}

static void note_remarks(const struct inter_msccl *about, char *text, size_t size)
{
    for (int i = 0; i < INTER_REMARKS; i++)
        if (about->remark[i] > 0)
            sup_append(text, size, "; ", "line %d: %s", (int)about->remark[i],
                       inter_msccl_remarks[i]);
}

static int read_plan(struct sup_lines *lines, struct inter_plan *plan)
{
    struct prg_program program = {0};
    struct inter_msccl about;
    FILE *stream = sup_got(fmemopen(lines->next, strlen(lines->next), "r"));
    if (stream == NULL)
        return sup_fail(plan->error, RB_ENOMEM, "out of memory");
    int status = inter_msccl_read(stream, plan->path, false, &program, &about, plan->error);
    fclose(stream);
    if (status != RB_OK)
        return prg_free(&program), status;
    status = inter_take_program(plan, lines, &program, PRG_NCCL_SLOTS);
    if (plan->program != NULL)
        note_remarks(&about, plan->program->remarks, sizeof plan->program->remarks);
    return status;
}

const struct inter_reader inter_msccl_reader = {"MSCCL XML", knows, read_plan};
