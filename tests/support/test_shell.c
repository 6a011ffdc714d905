/* test_shell.c - words for a shell: bash reads each back as the text. */
#define _POSIX_C_SOURCE 200809L /* popen */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/process.h"

static void check(const char *text, const char *expected)
{
    char *word = sup_shell_word(text);
    assert_non_null(word);
    assert_string_equal(word, expected);
    free(word);
}

static void words_are_quoted_where_needed(void **state)
{
    (void)state;
    check("", "''");
    check("plain/path-1.db", "plain/path-1.db");
    check("two words", "'two words'");
    check("it's", "'it'\\''s'");
    check("$HOME `x` \"y\" \\", "'$HOME `x` \"y\" \\'");
    check("~", "'~'");
    check("a\nb", "$'a\\012b'");
    check("a\n1'\\", "$'a\\0121\\'\\\\'");
    check("\xff", "$'\\377'");
    check("h\xc3\xbcte", "'h\xc3\xbcte'");
}

/* Every byte, in bash itself. */
static void test_bash_reads_them_back(void **state)
{
    (void)state;
    char text[600], back[600];
    size_t length = 0;
    for (int byte = 1; byte < 256; byte++) {
        text[length++] = (char)byte;
        text[length++] = '7';
    }
    text[length] = '\0';
    char *word = sup_shell_word(text);
    assert_non_null(word);
    assert_null(strchr(word, '\n'));
    FILE *script = fopen("test_shell.tmp", "w");
    assert_non_null(script);
    fprintf(script, "printf %%s %s\n", word);
    free(word);
    fclose(script);
    FILE *bash = popen("LC_ALL=C bash test_shell.tmp", "r");
    assert_non_null(bash);
    const size_t read = fread(back, 1, sizeof back, bash);
    assert_int_equal(pclose(bash), 0);
    remove("test_shell.tmp");
    assert_int_equal(read, length);
    assert_memory_equal(back, text, length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_quoted_where_needed),
        cmocka_unit_test(test_bash_reads_them_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
