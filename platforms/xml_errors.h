/* xml_errors.h - collects libxml2's errors while it makes or reads a document. By default libxml2
 * would print them, and continue without an attribute or element for which it had no memory. */
#ifndef PLATFORMS_XML_ERRORS_H
#define PLATFORMS_XML_ERRORS_H

#include <libxml/xmlerror.h>
#include <stdbool.h>

#if LIBXML_VERSION >= 21200
typedef const xmlError *platform_xml_error;
#else
typedef xmlErrorPtr platform_xml_error;
#endif

struct platform_xml_errors {
    bool any;
};

/* From begin to end libxml2's errors in this thread are stored in *errors and not printed; lack of
 * memory ends the process (support/memory.h). */
void platform_xml_errors_begin(struct platform_xml_errors *errors);
void platform_xml_errors_end(void);

#endif
