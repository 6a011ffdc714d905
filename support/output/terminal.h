/* terminal.h - the width of the terminal to which standard output goes. */
#ifndef SUPPORT_OUTPUT_TERMINAL_H
#define SUPPORT_OUTPUT_TERMINAL_H

/* COLUMNS of the environment if it is a width, else the width of the terminal that standard output
 * is; 0: it is none. */
int out_terminal_width(void);

#endif
