/* xml_errors.h - what libxml2 complains of while it makes or reads a document. It would say that on
 * standard error, and goes on without the attribute or element that it had no memory for. */
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
    bool any, no_memory;
};

/* From begin to end libxml2's errors, of this thread, are noted in *errors and not shown. */
void platform_xml_errors_begin(struct platform_xml_errors *errors);
void platform_xml_errors_end(void);

#endif
