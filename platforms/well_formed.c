/* well_formed.c - checks a platform file before SimGrid reads it. The file may come from somebody
 * else. It is read in one pass, without building a tree and without entities, because a few lines
 * of entities can expand to gigabytes. Refused is what would make SimGrid write files, run out of
 * memory or compute nonsense; what SimGrid refuses itself in clear words is left to it, since it
 * runs in a child process. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "generator.h"
#include "platform.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/memory.h"

enum {
    MOST_DEPTH = 200,      /* SimGrid loads zones recursively, and crashes at some thousands */
    MOST_LINKS = 1 << 24,  /* of a fat-tree */
    MOST_PARAMETERS = 100, /* in topo_parameters */
    MOST_CORES = 1 << 20,  /* of a host */
    CHUNK = 1 << 16
};

struct reading {
    xmlParserCtxtPtr parser;
    const char *path;
    struct sup_error *error;
    int status;                     /* RB_OK until the first fault, whose message is in error */
    int depth;                      /* of open elements */
    bool doctype;                   /* there was one */
    bool config;                    /* inside <config> */
    bool flow;                      /* the file is for the engine flow */
    int64_t hosts;                  /* of all radicals so far */
    char ignored[PLATFORM_IGNORED]; /* settings, by commas */
};

/* An element's attributes in libxml2's form: name, prefix, URI, value, end of the value. */
struct attributes {
    int count;
    const xmlChar **fields;
};

static int line_of(const struct reading *reading)
{
    return xmlSAX2GetLineNumber(reading->parser);
}

/* The first fault counts. */
static void refuse(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void refuse(struct reading *reading, const char *format, ...)
{
    char what[400];
    va_list values;
    if (reading->status != RB_OK)
        return;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    reading->status =
        sup_fail(reading->error, RB_EINVAL, "%s:%d: %s", reading->path, line_of(reading), what);
}

/* Call it after everything that may have refused the file: it frees the memory of attributes. */
static void stop_if_refused(const struct reading *reading)
{
    if (reading->status != RB_OK)
        xmlStopParser(reading->parser);
}

/* The value of attribute i into text; longer ones are refused. */
static void value_at(struct reading *reading, const struct attributes *attributes, int i,
                     char text[256])
{
    const char *start = (const char *)attributes->fields[5 * i + 3];
    const char *end = (const char *)attributes->fields[5 * i + 4];
    if (end - start > 255)
        refuse(reading, "%s=\"%.20s...\" is longer than 255 letters",
               (const char *)attributes->fields[5 * i], start);
    snprintf(text, 256, "%.*s", (int)(end - start < 255 ? end - start : 255), start);
}

/* The value of the attribute of that name; "" if there is none. */
static void value_of(struct reading *reading, const struct attributes *attributes, const char *name,
                     char text[256])
{
    text[0] = '\0';
    for (int i = 0; i < attributes->count; i++)
        if (strcmp((const char *)attributes->fields[5 * i], name) == 0)
            value_at(reading, attributes, i, text);
}

static bool is_one_of(const char *word, const char *const words[])
{
    for (; *words != NULL; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* ---- Values ---- */

/* A number and a unit; several by commas (speeds). SimGrid takes nan and negative numbers, and then
 * aborts or simulates nonsense; numbers out of range are lost in the rounding of times. */
static bool is_quantity(const char *text, bool zero_too)
{
    static const double smallest = 1e-18, largest = 1e24;
    char *rest;
    do {
        const double value = strtod(text, &rest);
        if (!(isdigit((unsigned char)*text) || *text == '.') || rest == text ||
            (text[0] == '0' && tolower((unsigned char)text[1]) == 'x') ||
            !(value == 0 ? zero_too : value >= smallest && value <= largest))
            return false;
        text = strchr(rest, ',');
    } while (text != NULL && *++text != '\0');
    return true;
}

/* True if one of several numbers has no unit, but the last one has: "1,5Gf" is 1 flop/s. */
static bool lacks_unit(const char *text)
{
    const char *comma = strchr(text, ',');
    return comma != NULL && comma > text && isdigit((unsigned char)comma[-1]) &&
           isalpha((unsigned char)text[strlen(text) - 1]);
}

static void check_quantities(struct reading *reading, const struct attributes *attributes)
{
    static const char *const above_0[] = {"bw",      "bandwidth", "bb_bw", "loopback_bw",
                                          "bw_in",   "bw_out",    "speed", "limiter_link",
                                          "read_bw", "write_bw",  NULL};
    static const char *const latencies[] = {"lat", "latency", "bb_lat", "loopback_lat", NULL};
    char text[256];
    for (int i = 0; i < attributes->count; i++) {
        const char *name = (const char *)attributes->fields[5 * i];
        const bool is_latency = is_one_of(name, latencies);
        if (!is_latency && !is_one_of(name, above_0))
            continue;
        value_at(reading, attributes, i, text);
        if (lacks_unit(text))
            refuse(reading, "%s=\"%s\": a comma divides speeds, each with its unit: write 1.5Gf",
                   name, text);
        if (!is_quantity(text, is_latency))
            refuse(reading,
                   "%s=\"%s\" is not a number from 1e-18 to 1e24%s with its unit, such as %s", name,
                   text, is_latency ? ", or 0," : "",
                   is_latency                   ? "1us"
                   : strcmp(name, "speed") == 0 ? "1Gf"
                                                : "12.5GBps");
    }
}

static void check_cores(struct reading *reading, const struct attributes *attributes)
{
    char text[256];
    value_of(reading, attributes, "core", text);
    const size_t digits = strspn(text, "0123456789");
    if (text[digits] != '\0' || digits > 9 || atol(text) > MOST_CORES)
        refuse(reading, "core=\"%s\" is not a whole number from 1 to %d", text, MOST_CORES);
}

/* Profiles are read to their end, which devices and pipes may lack. */
static void check_files(struct reading *reading, const struct attributes *attributes)
{
    static const char *const files[] = {"file",       "availability_file", "speed_file",
                                        "state_file", "bandwidth_file",    "latency_file",
                                        NULL};
    char text[256];
    struct stat kind;
    for (int i = 0; i < attributes->count; i++) {
        const char *name = (const char *)attributes->fields[5 * i];
        if (!is_one_of(name, files))
            continue;
        value_at(reading, attributes, i, text);
        if (stat(text, &kind) == 0 && !S_ISREG(kind.st_mode))
            refuse(reading, "%s=\"%s\" is not a file", name, text);
    }
}

/* The character of a UTF-8 text; libxml2 has checked the text. */
static int32_t character_at(const char *text, size_t *length)
{
    const unsigned char *at = (const unsigned char *)text;
    *length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    int32_t code = *length == 1 ? at[0] : at[0] & (0xff >> (*length + 1));
    for (size_t i = 1; i < *length; i++)
        code = code << 6 | (at[i] & 0x3f);
    return code;
}

/* A number of a radical, with blanks around it as SimGrid reads it; -1: there is none. */
static int64_t read_number(const char **at, const char *end)
{
    int64_t number = -1;
    while (*at < end && isspace((unsigned char)**at))
        ++*at;
    for (; *at < end && isdigit((unsigned char)**at); ++*at)
        number = number > INT32_MAX ? number : 10 * (number < 0 ? 0 : number) + (**at - '0');
    while (*at < end && isspace((unsigned char)**at))
        ++*at;
    return number;
}

/* 0-9,12,20-29. SimGrid leaves out what stands behind a number, and takes no host of a range that
 * runs backwards. */
static void check_radical_text(struct reading *reading, const char *at, const char *end)
{
    static const char wanted[] = "a radical is numbers and ranges by commas, such as 0-15,20";
    size_t length;
    for (;; at++) {
        const int64_t first = read_number(&at, end);
        const bool is_range = first >= 0 && at < end && *at == '-';
        at += is_range;
        const int64_t last = is_range ? read_number(&at, end) : first;
        if ((first < 0 || last < 0 || (at < end && *at != ',')) && at == end) {
            refuse(reading, "radical: a number is missing at its end: %s", wanted);
            return;
        }
        if (first < 0 || last < 0 || (at < end && *at != ',')) {
            const int32_t code = character_at(at, &length);
            refuse(reading, "radical: \"%.*s\" (U+%04X) must not be there: %s", (int)length, at,
                   (unsigned)code, wanted);
            return;
        }
        if (last < first) {
            refuse(reading, "radical: %" PRId64 "-%" PRId64 " runs backwards and has no host: %s",
                   first, last, wanted);
            return;
        }
        reading->hosts += last - first + 1;
        if (reading->hosts > PLATFORM_MOST_HOSTS) {
            refuse(reading, "the platform has more than %d hosts", PLATFORM_MOST_HOSTS);
            return;
        }
        if (at >= end)
            return;
    }
}

static void check_radical(struct reading *reading, const struct attributes *attributes)
{
    for (int i = 0; i < attributes->count; i++)
        if (strcmp((const char *)attributes->fields[5 * i], "radical") == 0)
            check_radical_text(reading, (const char *)attributes->fields[5 * i + 3],
                               (const char *)attributes->fields[5 * i + 4]);
}

/* ---- topo_parameters ---- */

/* The numbers from 1, which commas and semicolons divide; 0: the text has something else. */
static int read_parameters(const char *text, int64_t value[MOST_PARAMETERS])
{
    int count = 0;
    for (;; text++) {
        char *rest;
        if (!isdigit((unsigned char)*text) || count == MOST_PARAMETERS)
            return 0;
        value[count] = strtoll(text, &rest, 10);
        if (value[count] < 1 || value[count] > PLATFORM_MOST_HOSTS)
            return 0;
        count++;
        if (*rest == '\0')
            return count;
        if (*rest != ',' && *rest != ';')
            return 0;
        text = rest;
    }
}

/* levels;children of each level;parents of each level;cables of each level */
static bool has_too_many_links(const int64_t value[], int count)
{
    const int64_t levels = value[0], *children = value + 1;
    int64_t nodes = 1, links = 0;
    if (count != 1 + 3 * levels)
        return false; /* SimGrid refuses it */
    for (int64_t i = 0; i < levels; i++)
        if ((nodes *= children[i]) > PLATFORM_MOST_HOSTS)
            return true;
    for (int64_t i = 0; i < levels; i++) {
        const int64_t parents = children[levels + i], cables = children[2 * levels + i];
        /* No product of three such numbers exceeds 2^62. */
        if (nodes * parents > MOST_LINKS || (links += nodes * parents * cables) > MOST_LINKS)
            return true;
        nodes = nodes / children[i] * parents;
    }
    return false;
}

/* SimGrid makes at most as many hosts as radical names, but other things without a limit. */
static void check_topology(struct reading *reading, const struct attributes *attributes)
{
    static const char *const known[] = {"TORUS", "FAT_TREE", "DRAGONFLY", NULL};
    char topology[256], text[256];
    int64_t value[MOST_PARAMETERS];
    value_of(reading, attributes, "topology", topology);
    value_of(reading, attributes, "topo_parameters", text);
    if (!is_one_of(topology, known))
        return;
    const int count = read_parameters(text, value);
    if (count == 0)
        refuse(reading,
               "topo_parameters=\"%s\" are not whole numbers from 1 to %d, with commas and "
               "semicolons but without blanks",
               text, PLATFORM_MOST_HOSTS);
    else if (strcmp(topology, "FAT_TREE") == 0 && has_too_many_links(value, count))
        refuse(reading, "topo_parameters=\"%s\" make more than %d links", text, MOST_LINKS);
    /* SimGrid links router j of a group to group j, and doesn't look whether there is one. */
    else if (strcmp(topology, "DRAGONFLY") == 0 && count == 7 && value[0] > value[4])
        refuse(reading,
               "a dragonfly of %d groups needs as many blades in a chassis, not %d "
               "(topo_parameters=\"%s\"): SimGrid crashes on it",
               (int)value[0], (int)value[4], text);
}

/* ---- Elements ---- */

/* Settings that tell SMPI how to simulate the computing of an MPI program, of which a plan has
 * none; SimGrid 3.32 knows them, and 4.x does. */
static bool is_of_computing(const char *key)
{
    static const char *const known[] = {
        "smpi/simulate-computation",      "smpi/host-speed",     "smpi/cpu-threshold",
        "smpi/grow-injected-times",       "smpi/display-allocs", "smpi/shared-malloc",
        "smpi/auto-shared-malloc-thresh", "smpi/list-leaks",     NULL};
    return is_one_of(key, known);
}

/* SimGrid's settings may name files to be written, so that only what models are about is taken;
 * `calibrate` writes the factors. */
static void check_setting(struct reading *reading, const struct attributes *attributes)
{
    static const char *const kinds[] = {"network/",        "cpu/",          "host/",
                                        "surf/",           "maxmin/",       "precision/",
                                        "smpi/lat-factor", "smpi/bw-factor"};
    char text[256], value[256];
    struct sup_error why;
    value_of(reading, attributes, "id", text);
    value_of(reading, attributes, "value", value);
    if (platform_check_setting(text, value, &why) != RB_OK ||
        (reading->flow && platform_check_flow_setting(text, value, &why) != RB_OK))
        refuse(reading, "%s", why.text);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(text, kinds[i], strlen(kinds[i])) == 0)
            return;
    if (is_of_computing(text)) {
        sup_append(reading->ignored, sizeof reading->ignored, ", ", "%s", text);
        return;
    }
    refuse(reading,
           "a platform may not set \"%s\", only network/..., cpu/..., host/..., surf/..., "
           "maxmin/..., precision/..., smpi/lat-factor and smpi/bw-factor: remove it",
           text);
}

/* The engine flow keeps links as SimGrid loads them, and takes all for cables. */
static void check_flow(struct reading *reading, const char *element,
                       const struct attributes *attributes)
{
    static const struct {
        const char *name, *value; /* NULL: any */
    } unknown[] = {
        {"bandwidth_file", NULL},
        {"latency_file", NULL},
        {"state_file", NULL},
        {"sharing_policy", "WIFI"},
    };
    char text[256];
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        value_of(reading, attributes, unknown[i].name, text);
        if (text[0] != '\0' && (unknown[i].value == NULL || strcmp(unknown[i].value, text) == 0))
            refuse(reading, "the engine flow knows no %s=\"%s\": only --engine simgrid obeys it",
                   unknown[i].name, text);
    }
    value_of(reading, attributes, "kind", text);
    if (strcmp(element, "trace_connect") == 0 && strcmp(text, "SPEED") != 0)
        refuse(
            reading,
            "the engine flow knows no <trace_connect kind=\"%s\">: only --engine simgrid obeys it",
            text[0] == '\0' ? "HOST_AVAIL" : text);
}

static void check_root(struct reading *reading, const char *name)
{
    if (strcmp(name, "platform") != 0)
        reading->status = sup_fail(reading->error, RB_EINVAL,
                                   "%s: not a SimGrid platform: its outermost element is <%s>, "
                                   "not <platform>",
                                   reading->path, name);
    else if (!reading->doctype)
        refuse(reading, "SimGrid requires <!DOCTYPE platform SYSTEM "
                        "\"https://simgrid.org/simgrid.dtd\"> before <platform>");
}

static void start_element(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
                          int count, int defaulted, const xmlChar **fields)
{
    struct reading *reading = context;
    const struct attributes attributes = {count, fields};
    const char *element = (const char *)name;
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;

    if (reading->depth++ == 0)
        check_root(reading, element);
    if (reading->depth > MOST_DEPTH)
        refuse(reading, "elements are nested more than %d deep", MOST_DEPTH);
    if (strcmp(element, "config") == 0)
        reading->config = true;
    if (strcmp(element, "prop") == 0 && reading->config)
        check_setting(reading, &attributes);
    check_radical(reading, &attributes);
    if (strcmp(element, "cluster") == 0)
        check_topology(reading, &attributes);
    check_quantities(reading, &attributes);
    check_cores(reading, &attributes);
    check_files(reading, &attributes);
    if (reading->flow)
        check_flow(reading, element, &attributes);
    stop_if_refused(reading);
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *uri)
{
    struct reading *reading = context;
    (void)prefix, (void)uri;
    reading->depth--;
    if (strcmp((const char *)name, "config") == 0)
        reading->config = false;
    stop_if_refused(reading);
}

/* ---- The rest of XML, which no platform needs ---- */

static void doctype(void *context, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
    struct reading *reading = context;
    (void)name, (void)id, (void)system;
    reading->doctype = true;
}

static void declaration(void *context, const xmlChar *name, int type, const xmlChar *public_id,
                        const xmlChar *system_id, xmlChar *content)
{
    (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
    refuse(context, "a platform may not declare entities");
    stop_if_refused(context);
}

static void instruction(void *context, const xmlChar *target, const xmlChar *data)
{
    (void)target, (void)data;
    refuse(context, "a platform may not have processing instructions (<?...?>)");
    stop_if_refused(context);
}

static void cdata(void *context, const xmlChar *value, int length)
{
    (void)value, (void)length;
    refuse(context, "a platform may not have <![CDATA[...]]>");
    stop_if_refused(context);
}

static void keep_first(void *context, platform_xml_error error)
{
    struct reading *reading = context;
    if (error->code == XML_ERR_NO_MEMORY || error->message == NULL)
        sup_no_memory();
    if (reading->status != RB_OK || error->level < XML_ERR_ERROR)
        return;
    reading->status =
        sup_fail(reading->error, RB_EINVAL, "%s:%d: not XML: %.*s", reading->path,
                 error->line > 0 ? error->line : 1, sup_first_line(error->message), error->message);
}

/* Passes the file to the parser piece by piece, until the first fault. */
static int read_all(struct reading *reading, FILE *file)
{
    char chunk[CHUNK];
    size_t got;
    while (reading->status == RB_OK && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
        xmlParseChunk(reading->parser, chunk, (int)got, 0);
    if (reading->status == RB_OK && ferror(file))
        return sup_fail(reading->error, RB_EINVAL, "%s: %s", reading->path, strerror(errno));
    if (reading->status == RB_OK)
        xmlParseChunk(reading->parser, chunk, 0, 1);
    if (reading->status == RB_OK && !reading->parser->wellFormed)
        reading->status = sup_fail(reading->error, RB_EINVAL, "%s: not XML", reading->path);
    return reading->status;
}

static int check(const char *path, bool flow, char ignored[PLATFORM_IGNORED],
                 struct sup_error *error)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startElementNs = start_element,
                             .endElementNs = end_element,
                             .internalSubset = doctype,
                             .entityDecl = declaration,
                             .processingInstruction = instruction,
                             .cdataBlock = cdata,
                             .serror = keep_first};
    struct reading reading = {.path = path, .error = error, .flow = flow};
    struct platform_xml_errors errors;
    struct stat kind;
    if (stat(path, &kind) == 0 && !S_ISREG(kind.st_mode))
        return sup_fail(error, RB_EINVAL, "%s: not a file", path);
    if (sup_input("platform", path, error) != RB_OK)
        return RB_EINVAL;
    FILE *file = sup_got(fopen(path, "rb"));
    if (file == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    platform_xml_errors_begin(&errors); /* before there is a parser to hear of them */
    reading.parser = xmlCreatePushParserCtxt(&handler, &reading, NULL, 0, path);
    if (reading.parser == NULL)
        sup_no_memory();
    xmlCtxtUseOptions(reading.parser, XML_PARSE_NONET);
    int status = read_all(&reading, file);
    if (status == RB_OK && errors.any)
        status = sup_fail(error, RB_EINVAL, "%s: not XML: it is not in the encoding that it names",
                          path);
    xmlFreeDoc(reading.parser->myDoc); /* some entities make it have one, which stays */
    xmlFreeParserCtxt(reading.parser);
    platform_xml_errors_end();
    fclose(file);
    if (ignored != NULL)
        memcpy(ignored, reading.ignored, sizeof reading.ignored);
    return status;
}

int platform_check_xml(const char *path, char ignored[PLATFORM_IGNORED], struct sup_error *error)
{
    return check(path, false, ignored, error);
}

int platform_check_flow(const char *path, struct sup_error *error)
{
    return check(path, true, NULL, error);
}
