/* well_formed.c - is a file XML, and a SimGrid platform? Asked before SimGrid sees it, whose parser
 * gives up on the whole process, and whose dragonfly crashes without a word. */
#include <libxml/xmlreader.h>
#include <stdio.h>
#include <string.h>

#include "platform.h"
#include "roundabout.h"
#include "xml_errors.h"

/* The first thing that the parser complained about. */
struct complaint {
    int line; /* 0: none yet */
    bool no_memory;
    char text[256];
};

static void keep_first(void *context, rb_xml_error error)
{
    struct complaint *first = context;
    first->no_memory |= error->code == XML_ERR_NO_MEMORY;
    if (first->line > 0 || error->level < XML_ERR_ERROR)
        return;
    first->line = error->line > 0 ? error->line : 1;
    const char *message = error->message == NULL ? "out of memory" : error->message;
    snprintf(first->text, sizeof first->text, "%.*s", (int)strcspn(message, "\n"), message);
}

/* Where the current element starts; the parser itself may be further on. */
static int line_of(xmlTextReaderPtr reader)
{
    return (int)xmlGetLineNo(xmlTextReaderCurrentNode(reader));
}

static int check_root(xmlTextReaderPtr reader, const char *path, bool has_doctype,
                      struct rb_error *error)
{
    const char *name = (const char *)xmlTextReaderConstName(reader);
    if (strcmp(name, "platform") != 0)
        return rb_fail(error, RB_EINVAL,
                       "%s: no SimGrid platform: its outermost element is <%s>, not <platform>",
                       path, name);
    if (!has_doctype)
        return rb_fail(error, RB_EINVAL,
                       "%s:%d: SimGrid wants <!DOCTYPE platform SYSTEM "
                       "\"https://simgrid.org/simgrid.dtd\"> before <platform>",
                       path, line_of(reader));
    return RB_OK;
}

/* SimGrid links router j of a group to group j, and doesn't look whether there is such a router. */
static int check_dragonfly(xmlTextReaderPtr reader, const char *path, struct rb_error *error)
{
    int status = RB_OK, groups, blades;
    xmlChar *topology = xmlTextReaderGetAttribute(reader, BAD_CAST "topology");
    xmlChar *parameters = xmlTextReaderGetAttribute(reader, BAD_CAST "topo_parameters");
    if (topology != NULL && parameters != NULL &&
        strcmp((const char *)topology, "DRAGONFLY") == 0 &&
        sscanf((const char *)parameters, "%d,%*d;%*d,%*d;%d", &groups, &blades) == 2 &&
        groups > blades)
        status =
            rb_fail(error, RB_EINVAL,
                    "%s:%d: a dragonfly of %d groups needs as many blades in a chassis, not %d "
                    "(topo_parameters=\"%s\"): SimGrid crashes on it",
                    path, line_of(reader), groups, blades, (const char *)parameters);
    xmlFree(parameters);
    xmlFree(topology);
    return status;
}

int rb_platform_check_xml(const char *path, struct rb_error *error)
{
    struct complaint first = {0};
    bool has_doctype = false;
    int status = RB_OK, read = 0;
    struct rb_xml_errors errors; /* before there is a reader to hear of them */
    rb_xml_errors_begin(&errors);
    xmlTextReaderPtr reader = xmlReaderForFile(path, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
    if (reader == NULL) {
        rb_xml_errors_end();
        if (errors.no_memory)
            return rb_fail(error, RB_ENOMEM, "%s: out of memory", path);
        return rb_fail(error, RB_EINVAL, "%s: can't be read", path);
    }
    xmlTextReaderSetStructuredErrorHandler(reader, keep_first, &first);
    while (status == RB_OK && (read = xmlTextReaderRead(reader)) == 1) {
        has_doctype |= xmlTextReaderNodeType(reader) == XML_READER_TYPE_DOCUMENT_TYPE;
        if (xmlTextReaderNodeType(reader) != XML_READER_TYPE_ELEMENT)
            continue;
        if (xmlTextReaderDepth(reader) == 0)
            status = check_root(reader, path, has_doctype, error);
        else if (xmlStrcmp(xmlTextReaderConstName(reader), BAD_CAST "cluster") == 0)
            status = check_dragonfly(reader, path, error);
    }
    if (first.no_memory || errors.no_memory)
        status = rb_fail(error, RB_ENOMEM, "%s: out of memory", path);
    else if (read < 0)
        status = rb_fail(error, RB_EINVAL, "%s:%d: not XML: %s", path, first.line, first.text);
    xmlFreeTextReader(reader);
    rb_xml_errors_end();
    return status;
}
