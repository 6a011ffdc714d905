/* xml_errors.c - see xml_errors.h. */
#include "xml_errors.h"

#include "support/memory.h"

static void note(void *context, platform_xml_error error)
{
    struct platform_xml_errors *errors = context;
    if (error->code == XML_ERR_NO_MEMORY)
        sup_no_memory();
    errors->any = true;
}

/* Its lists have a text for an error only: that there is no memory. */
static void note_text(void *context, const char *text, ...)
{
    (void)context, (void)text;
    sup_no_memory();
}

void platform_xml_errors_begin(struct platform_xml_errors *errors)
{
    *errors = (struct platform_xml_errors){0};
    xmlSetStructuredErrorFunc(errors, note);
    xmlSetGenericErrorFunc(errors, note_text);
}

void platform_xml_errors_end(void)
{
    xmlSetStructuredErrorFunc(NULL, NULL);
    xmlSetGenericErrorFunc(NULL, NULL);
}
