/* terminal.c - see terminal.h. */
#define _DEFAULT_SOURCE /* TIOCGWINSZ */

#include "support/output/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 20, MOST_WIDTH = 100000 };

int out_terminal_width(void)
{
    const char *text = getenv("COLUMNS");
    struct winsize window;
    if (text != NULL && *text != '\0' && strspn(text, "0123456789") == strlen(text)) {
        const long width = strtol(text, NULL, 10);
        if (width >= LEAST_WIDTH && width <= MOST_WIDTH)
            return (int)width;
    }
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= LEAST_WIDTH)
        return window.ws_col;
    return 0;
}
