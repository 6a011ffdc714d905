/* enclose.c - puts a zone around a platform's outermost cluster. SimGrid 4 crashes on a torus,
 * fat-tree or dragonfly that has no zone around it; SimGrid 3 makes it the root itself. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

#include "platform.h"
#include "roundabout.h"
#include "support/memory.h"
#include "xml_errors.h"

/* The cluster with a topology that is a child of <platform>; NULL: there is none. */
static xmlNodePtr outermost_cluster(xmlDocPtr document)
{
    xmlNodePtr root = xmlDocGetRootElement(document);
    for (xmlNodePtr node = root == NULL ? NULL : root->children; node != NULL; node = node->next)
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "cluster") == 0 &&
            xmlHasProp(node, BAD_CAST "topology") != NULL)
            return node;
    return NULL;
}

static void enclose(xmlNodePtr cluster)
{
    xmlNodePtr zone = xmlNewDocNode(cluster->doc, NULL, BAD_CAST "zone", NULL);
    xmlNewProp(zone, BAD_CAST "id", BAD_CAST "around-the-cluster");
    xmlNewProp(zone, BAD_CAST "routing", BAD_CAST "Full");
    xmlReplaceNode(cluster, zone);
    xmlAddChild(zone, cluster);
}

int platform_enclose_cluster(const char *path, char **xml, size_t *size, struct sup_error *error)
{
    struct platform_xml_errors errors;
    xmlNodePtr cluster;
    int status = RB_OK;
    *xml = NULL;
    platform_xml_errors_begin(&errors);
    xmlDocPtr document =
        xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (document == NULL) {
        status = sup_fail(error, RB_EINVAL, "%s: not XML", path);
    } else if ((cluster = outermost_cluster(document)) != NULL) {
        xmlChar *text = NULL;
        int length = 0;
        enclose(cluster);
        xmlDocDumpMemory(document, &text, &length);
        *xml = sup_strdup((const char *)text);
        *size = (size_t)length;
        xmlFree(text);
    }
    xmlFreeDoc(document);
    platform_xml_errors_end();
    return status;
}
