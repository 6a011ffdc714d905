/* shell.h - text as one word of a shell's command line. */
#ifndef SUPPORT_SHELL_H
#define SUPPORT_SHELL_H

/* The text as a word that bash, zsh and ksh read back as the text: unchanged if it needs no quotes,
 * otherwise as '...'; with characters that cannot be displayed (visible.h) as $'...', so that a
 * word is always on one line. The caller frees it. */
char *sup_shell_word(const char *text);

#endif
