/* command_words.c - see command_words.h. Most values are right and small, so that most lines get
 * far; some are edges, of the wrong kind, or hostile. */
#include "command_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/engine.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint32_t command_draw(struct command_source *source, uint32_t below)
{
    source->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = source->state;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) >> 32) % below;
}

/* Oddities: none in a calm line. */
static bool odd_in(struct command_source *source, uint32_t times)
{
    return !source->calm && command_draw(source, times) == 0;
}

static bool one_in(struct command_source *source, uint32_t times)
{
    return command_draw(source, times) == 0;
}

#define PICK(source, array) ((array)[command_draw((source), COUNT(array))])

static void put(char *word, const char *text)
{
    snprintf(word, WORD_SIZE, "%s", text);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void put_edge(struct command_source *source, char *word)
{
    static const char *const edges[] = {
        "0",     "-1",        "-0",      "nan",    "inf",    "-inf", "",      " ",      "1e3",
        "0x10",  "1.5",       ".",       "1_0",    "1__0",   "+3",   "3x",    "1e-400", "1e400",
        "2^31",  "2^0",       "1,",      ",",      "1..",    "..",   "5..1",  "1..3*2", "1..9+4",
        "1,1,1", "0..0*2",    "1..2..3", "1..3*0", "k",      "1kk",  "64KiB", "1us",    "5%",
        "\xff",  "\033[31m1", "1\n2",    "½",      "1..3+-1"};
    put(word, PICK(source, edges));
}

static void put_huge(struct command_source *source, struct command_line *line, char *word)
{
    static const char *const huge[] = {"2^30",
                                       "2147483647",
                                       "2147483648",
                                       "2^31",
                                       "2^62",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "18446744073709551616",
                                       "1e18",
                                       "1e300",
                                       "1000000",
                                       "1..1000000",
                                       "2^62,1",
                                       "4TiB"};
    put(word, PICK(source, huge));
    line->large = true;
}

static void put_whole(struct command_source *source, struct command_line *line,
                      const struct cli_option *option, char *word)
{
    const uint32_t kind = source->calm ? 4 + command_draw(source, 36) : command_draw(source, 40);
    int64_t value = option->least + command_draw(source, 9);
    if (kind == 0)
        put_huge(source, line, word);
    else if (kind < 4)
        put_edge(source, word);
    else if (kind < 10 && option->type == CLI_OPT_INTS)
        snprintf(word, WORD_SIZE, "%" PRId64 "..%" PRId64, value, value + command_draw(source, 5));
    else if (kind < 14 && option->type == CLI_OPT_INTS)
        snprintf(word, WORD_SIZE, "%" PRId64 ",%" PRId64, value, value + command_draw(source, 30));
    else if (!source->calm && kind == 14 && option->most > 0 && option->most < 1 << 12)
        snprintf(word, WORD_SIZE, "%" PRId64, option->most + (int64_t)command_draw(source, 2));
    else if (!source->calm && kind == 15)
        snprintf(word, WORD_SIZE, "%" PRId64, option->least - 1);
    else
        snprintf(word, WORD_SIZE, "%" PRId64,
                 value + (kind % 4 == 0 ? command_draw(source, 24) : 0));
}

static void put_bytes(struct command_source *source, struct command_line *line,
                      const struct cli_option *option, char *word)
{
    static const char *const sizes[] = {"0",  "1",  "1KB",    "64KiB", "1MiB", "1000000",
                                        "3B", "17", "1.5KiB", "40MB",  "1GB",  "4096"};
    static const char *const lists[] = {"1KiB..64KiB*4", "1,2,3", "0,1MB", "100..500+100"};
    const uint32_t kind = source->calm ? 3 + command_draw(source, 21) : command_draw(source, 24);
    if (kind == 0)
        put_huge(source, line, word);
    else if (kind < 3)
        put_edge(source, word);
    else if (kind < 7 && option->type == CLI_OPT_BYTESES)
        put(word, PICK(source, lists));
    else if (strcmp(option->name, "element") == 0)
        snprintf(word, WORD_SIZE, "%" PRIu32, 1 + command_draw(source, 9));
    else
        put(word, PICK(source, sizes));
}

static void put_real(struct command_source *source, char *word)
{
    static const char *const reals[] = {"0.5", "1", "2", "1e-9", "70", "0.02", "100"};
    if (odd_in(source, 6))
        put_edge(source, word);
    else
        put(word, PICK(source, reals));
}

static void put_choice(struct command_source *source, const struct cli_option *option, char *word)
{
    const char *choices = option->choices;
    uint32_t count = 1;
    if (choices == NULL) { /* the words of a table */
        while (option->word_at((int32_t)count) != NULL)
            count++;
        put(word, option->word_at((int32_t)command_draw(source, count)));
        return;
    }
    for (const char *c = choices; *c != '\0'; c++)
        count += *c == '|';
    for (uint32_t skip = command_draw(source, count); skip > 0; skip--)
        choices = strchr(choices, '|') + 1;
    snprintf(word, WORD_SIZE, "%.*s%s", (int)strcspn(choices, "|"), choices,
             odd_in(source, 30) ? "x" : "");
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static void put_file(struct command_source *source, char *word)
{
    put(word, source->files[command_draw(source, (uint32_t)source->file_count)].name);
}

/* With this ending, or any. */
static void put_file_like(struct command_source *source, const char *ending, char *word)
{
    for (int attempt = 0; attempt < 40; attempt++) {
        put_file(source, word);
        const char *dot = strrchr(word, '.');
        if (dot != NULL && strcmp(dot, ending) == 0)
            return;
    }
}

static void put_output(struct command_source *source, char *word)
{
    static const char *const names[] = {"-",
                                        "-",
                                        "out",
                                        "out.csv",
                                        "out.json",
                                        "out.db",
                                        "out.pdf",
                                        "out.svg",
                                        "out.png",
                                        "out.trace",
                                        "out.txt",
                                        "sub/out",
                                        "/dev/null",
                                        "/dev/full",
                                        "nowhere/out",
                                        ".",
                                        "",
                                        "/",
                                        "figures",
                                        "a b.svg",
                                        "quote'.pdf",
                                        "quote\".svg",
                                        "-x",
                                        "%s%n.json",
                                        "back\\.png",
                                        "$x.svg",
                                        "{a,b}.pdf",
                                        "#.svg",
                                        "*.csv",
                                        "'`touch PWN`'.pdf",
                                        "|touch PWN;.svg",
                                        "<touch PWN;.png",
                                        "$(touch PWN).svg",
                                        "`touch PWN`",
                                        ";touch PWN",
                                        "'.system('touch PWN').'.svg",
                                        "\"; !touch PWN\n.svg",
                                        "new\nline.svg",
                                        "\033[31mred.svg",
                                        "\xff\xfe.svg",
                                        "tab\t.json",
                                        "file:x.db",
                                        ":memory:"};
    const uint32_t kind = command_draw(source, 60);
    if (kind == 0) {
        memset(word, 'l', 300);
        word[300] = '\0';
    } else if (kind < 4) {
        put_file(source, word);
    } else {
        put(word, PICK(source, names));
    }
}

static void put_algorithm(struct command_source *source, char *word)
{
    static const char *const natives[] = {"native", "native:ompi", "native:ompi_pipeline",
                                          "native:"};
    uint32_t count = 0;
    while (rb_algorithm_at((int32_t)count) != NULL)
        count++;
    if (one_in(source, 20))
        put(word, PICK(source, natives));
    else
        put(word, rb_algorithm_at((int32_t)command_draw(source, count))->name);
}

static void put_collective(struct command_source *source, char *word)
{
    uint32_t count = 0;
    while (rb_collective_at((int32_t)count) != NULL)
        count++;
    put(word, rb_collective_at((int32_t)command_draw(source, count))->name);
}

static void put_platform(struct command_source *source, struct command_line *line, char *word)
{
    static const char *const details[] = {"",
                                          "",
                                          "",
                                          "",
                                          ",latency=1us",
                                          ",bandwidth=12.5GBps,latency=0",
                                          ",taper=2",
                                          ",latency=nan",
                                          ",bandwidth=0",
                                          ",nothing=1",
                                          ",",
                                          ",latency",
                                          ",bandwidth=1e300GBps",
                                          ",latency=1e300s"};
    static const char *const sizes[] = {"64", "16", "8", "4x4", "2x2x2", "1", "56", "7", "32"};
    static const char *const odd[] = {"0",           "-1",      "",     "4x",
                                      "x",           "1048576", "2^30", "0x0",
                                      "4x4x4x4x4x4", "1e6",     "3x0",  "2147483648x2"};
    uint32_t count = 0;
    while (platform_generator_at((int32_t)count) != NULL)
        count++;
    const uint32_t kind = command_draw(source, 30);
    if (kind < 4) {
        put_file_like(source, ".xml", word);
    } else if (kind == 4) {
        put_output(source, word);
    } else {
        const bool is_odd = kind < 7 && !source->calm;
        line->large = line->large || is_odd;
        snprintf(word, WORD_SIZE, "%s:%s%s",
                 platform_generator_at((int32_t)command_draw(source, count))->name,
                 is_odd ? PICK(source, odd) : PICK(source, sizes), PICK(source, details));
    }
}

static void put_instance(struct command_source *source, struct command_line *line, char *word)
{
    static const char *const odd[] = {"q=",
                                      "q=2^62",
                                      "P=2",
                                      "P=0,r=1,Q=1,s=1",
                                      "q=1,q=2",
                                      "=",
                                      "P=2,r=3,Q=4,s=5,M=7",
                                      "q=0..9",
                                      "P=1..3,r=2,Q=2,s=1",
                                      "q=\033[31m",
                                      "r=2^62"};
    if (odd_in(source, 4)) {
        put(word, PICK(source, odd));
        line->large = line->large || strstr(word, "2^62") != NULL;
    } else if (one_in(source, 2)) {
        snprintf(word, WORD_SIZE, "q=%" PRIu32, command_draw(source, 9));
    } else {
        const uint32_t from = 1 + command_draw(source, 5), to = 1 + command_draw(source, 5);
        snprintf(word, WORD_SIZE, "P=%" PRIu32 ",r=%" PRIu32 ",Q=%" PRIu32 ",s=%" PRIu32, from,
                 1 + command_draw(source, 7), to, 1 + command_draw(source, 7));
    }
}

static void put_engine_option(struct command_source *source, struct command_line *line, char *word)
{
    static const char *const options[] = {"gamma:1ns",
                                          "L:1us",
                                          "o:1us",
                                          "g:0",
                                          "G:1ns",
                                          "O:1ns",
                                          "S:64KiB",
                                          "noise:0.5",
                                          "seed:3",
                                          "threads:2",
                                          "noise:nan",
                                          "L:-1us",
                                          "L:",
                                          ":",
                                          "nothing:1",
                                          "S:2^62",
                                          "threads:1000000",
                                          "network/model:LV08",
                                          "network/model:x",
                                          "network/TCP-gamma:0",
                                          "network/crosstraffic:0",
                                          "calibration:all.json",
                                          "calibration:absent.json",
                                          "loggp:all.json",
                                          "loggp:pieces.json"};
    (void)line;
    put(word, PICK(source, options));
}

static void put_rule(struct command_source *source, const char *option, char *word)
{
    static const char *const overlap[] = {"blocking", "lockstep", "window:4", "window:1",
                                          "data",     "window:0", "window:",  "window:2147483648",
                                          "x"};
    static const char *const placement[] = {
        "block", "cyclic", "gray", "random:1", "random:", "search:1:gray", "file:/dev/null", "x"};
    static const char *const counts[] = {"regular", "mod3", "degenerate", "random:7", "random:-1"};
    static const char *const engines[] = {"model", "model", "simgrid", "smpi", "flow", "x"};
    static const char *const variants[] = {"signals", "actors", "waves", "windows", "events", "x"};
    static const char *const times[] = {"1s", "10ms", "0", "1", "1e300s", "nan", "-1s"};
    static const char *const any[] = {"circulant", "all",           "1",  "",   "x,y", "best", "F",
                                      "\033[31m",  "'`touch PWN`'", "\"", "\\", "%s",  "\xff"};
    if (strcmp(option, "overlap") == 0)
        put(word, PICK(source, overlap));
    else if (strcmp(option, "placement") == 0)
        put(word, PICK(source, placement));
    else if (strcmp(option, "counts") == 0)
        put(word, PICK(source, counts));
    else if (strcmp(option, "engine") == 0 || strcmp(option, "confirm") == 0)
        put(word, PICK(source, engines));
    else if (strcmp(option, "variant") == 0)
        put(word, PICK(source, variants));
    else if (strstr(option, "limit") != NULL || strstr(option, "time") != NULL)
        put(word, PICK(source, times));
    else
        put(word, PICK(source, any));
}

/* Options whose value names a file to be written. */
static bool is_output(const char *option)
{
    static const char *const names[] = {"output",  "diagram", "contention", "trace", "record",
                                        "figures", "results", "gantt",      "data",  "plots"};
    for (uint32_t i = 0; i < COUNT(names); i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

static void put_text(struct command_source *source, struct command_line *line, const char *option,
                     char *word)
{
    if (is_output(option))
        put_output(source, word);
    else if (odd_in(source, 25))
        put_edge(source, word);
    else if (strcmp(option, "collective") == 0)
        put_collective(source, word);
    else if (strcmp(option, "algorithm") == 0 || strcmp(option, "focus") == 0)
        put_algorithm(source, word);
    else if (strcmp(option, "platform") == 0)
        put_platform(source, line, word);
    else if (strcmp(option, "instance") == 0)
        put_instance(source, line, word);
    else if (strcmp(option, "engine-option") == 0)
        put_engine_option(source, line, word);
    else
        put_rule(source, option, word);
}

static void put_value(struct command_source *source, struct command_line *line,
                      const struct cli_option *option, char *word)
{
    switch (option->type) {
    case CLI_OPT_INT:
    case CLI_OPT_INTS:
        put_whole(source, line, option, word);
        break;
    case CLI_OPT_BYTES:
    case CLI_OPT_BYTESES:
        put_bytes(source, line, option, word);
        break;
    case CLI_OPT_REAL:
        put_real(source, word);
        break;
    case CLI_OPT_CHOICE:
        put_choice(source, option, word);
        break;
    case CLI_OPT_TEXT:
    case CLI_OPT_FLAG:
        put_text(source, line, option->name, word);
        break;
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static char *add(struct command_line *line)
{
    return line->word[line->count < MOST_WORDS - 1 ? line->count++ : MOST_WORDS - 1];
}

static void note_output(const struct command_source *source, struct command_line *line,
                        const char *value)
{
    for (int i = 0; i < source->file_count; i++)
        if (strcmp(source->files[i].name, value) == 0)
            line->output[i] = true;
}

/* An algorithm and its collective. */
static void add_algorithm(struct command_source *source, struct command_line *line)
{
    char algorithm[WORD_SIZE];
    const struct rb_algorithm_info *info;
    put_algorithm(source, algorithm);
    for (int32_t i = (int32_t)command_draw(source, 40); (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->name, algorithm) == 0)
            break;
    put(add(line), "--algorithm");
    put(add(line), algorithm);
    put(add(line), "--collective");
    put(add(line), info == NULL ? "bcast" : info->collective);
}

/* Repeats are refused, mostly. */
static bool is_given(const struct command_line *line, const struct cli_option *option)
{
    for (int i = 0; i < line->count; i++) {
        const char *word = line->word[i];
        if ((word[0] == '-' && word[1] == option->letter && option->letter != 0) ||
            (strncmp(word, "--", 2) == 0 &&
             strncmp(word + 2, option->name, strlen(option->name)) == 0))
            return true;
    }
    return false;
}

static void add_option(struct command_source *source, struct command_line *line,
                       const struct cli_option *option)
{
    char value[WORD_SIZE];
    if (!option->repeatable && is_given(line, option) && !odd_in(source, 10))
        return;
    const bool takes_value = option->type != CLI_OPT_FLAG;
    if (takes_value)
        put_value(source, line, option, value);
    if (takes_value && is_output(option->name))
        note_output(source, line, value);
    if (option->letter != 0 && one_in(source, 2)) {
        const bool attached = takes_value && one_in(source, 4);
        snprintf(add(line), WORD_SIZE, "-%c%.390s", option->letter, attached ? value : "");
        if (takes_value && !attached)
            put(add(line), value);
    } else if (takes_value && one_in(source, 4)) {
        snprintf(add(line), WORD_SIZE, "--%s=%.300s", option->name, value);
    } else {
        snprintf(add(line), WORD_SIZE, "--%s", option->name);
        if (takes_value ? !odd_in(source, 60) : odd_in(source, 60))
            put(add(line), takes_value ? value : "1");
    }
}

static bool option_called(const struct cli_verb *verb, const char *name, struct cli_option *option)
{
    for (int32_t i = 0; cli_verb_option(verb, i, option); i++)
        if (strcmp(option->name, name) == 0)
            return true;
    return false;
}

static bool is_verb(const struct cli_verb *verb, const char *name)
{
    return strcmp(verb->name, name) == 0;
}

static void add_operand(struct command_source *source, struct command_line *line,
                        const struct cli_verb *verb, int place)
{
    static const char *const platform_words[] = {"list", "generate", "describe", "check"};
    static const char *const checks[] = {"formulas", "table-3",     "core", "model",
                                         "pairs",    "collectives", "x"};
    char *word = add(line);
    if (is_verb(verb, "platform") && place == 0)
        put(word, PICK(source, platform_words));
    else if (is_verb(verb, "platform"))
        put_platform(source, line, word);
    else if (is_verb(verb, "sweep"))
        put_file_like(source, ".yaml", word);
    else if (is_verb(verb, "tune") || is_verb(verb, "plot"))
        put_file_like(source, ".db", word);
    else if (is_verb(verb, "calibrate"))
        put_file_like(source, ".csv", word);
    else
        put(word, PICK(source, checks));
    if (odd_in(source, 25))
        put_file(source, word);
    if (odd_in(source, 60))
        put_output(source, word);
}

/* What keeps a line short when nothing was said of it: small ranges, one process. */
static void add_bounds(struct command_source *source, struct command_line *line,
                       const struct cli_verb *verb)
{
    static const char *const always[] = {"source-ranks", "source-block", "target-ranks",
                                         "target-block"};
    static const char *const names[] = {"ranks", "blocks", "bytes", "output"};
    struct cli_option option;
    for (uint32_t i = 0; i < COUNT(always); i++)
        if (option_called(verb, always[i], &option) && !odd_in(source, 10))
            add_option(source, line, &option);
    if (option_called(verb, "algorithm", &option) && option_called(verb, "collective", &option) &&
        one_in(source, 2))
        add_algorithm(source, line);
    for (uint32_t i = 0; i < COUNT(names); i++) {
        const bool known = option_called(verb, names[i], &option);
        const bool needed = i == 0 && !is_verb(verb, "plot") && !is_verb(verb, "tune");
        if (known && (needed || option.required ? !odd_in(source, 12) : one_in(source, 3)))
            add_option(source, line, &option);
        else if (needed && known && is_verb(verb, "verify"))
            line->large = true; /* the default is all p up to 130 */
    }
    if (is_verb(verb, "check") || is_verb(verb, "bench") || is_verb(verb, "sweep") ||
        is_verb(verb, "measure"))
        line->large = true;
}

static const struct cli_verb *draw_verb(struct command_source *source)
{
    /* How often a verb comes, for those that are not like the others. */
    static const struct {
        const char *name;
        uint32_t weight;
    } weights[] = {{"bench", 1},     {"check", 1}, {"measure", 2}, {"plot", 4},
                   {"list", 3},      {"sweep", 6}, {"plan", 20},   {"simulate", 20},
                   {"platform", 14}, {"tune", 14}, {"verify", 8}};
    for (;;) {
        const struct cli_verb *verb =
            source->verbs[command_draw(source, (uint32_t)source->verb_count)];
        uint32_t weight = 10;
        for (uint32_t i = 0; i < COUNT(weights); i++)
            if (is_verb(verb, weights[i].name))
                weight = weights[i].weight;
        if (command_draw(source, 20) < weight)
            return verb;
    }
}

static void add_oddity(struct command_source *source, struct command_line *line)
{
    static const char *const odd[] = {"--",     "-",  "--help",     "-h",  "--version", "--x",
                                      "--rank", "-Z", "-\xff",      "---", "--=",       "--ranks",
                                      "",       "=",  "--platfrom", "-pn4"};
    put(add(line), PICK(source, odd));
}

static void shuffle_some(struct command_source *source, struct command_line *line)
{
    char kept[WORD_SIZE];
    const int a = (int)command_draw(source, (uint32_t)line->count);
    const int b = (int)command_draw(source, (uint32_t)line->count);
    memcpy(kept, line->word[a], WORD_SIZE);
    memcpy(line->word[a], line->word[b], WORD_SIZE);
    memcpy(line->word[b], kept, WORD_SIZE);
    line->large = true; /* bounds may have gone */
    memset(line->output, 1, sizeof line->output);
}

void command_make(struct command_source *source, struct command_line *line)
{
    memset(line, 0, sizeof *line);
    source->calm = command_draw(source, 5) < 3;
    const struct cli_verb *verb = draw_verb(source);
    uint32_t options = 0;
    struct cli_option option;
    while (cli_verb_option(verb, (int32_t)options, &option))
        options++;
    if (odd_in(source, 60))
        snprintf(add(line), WORD_SIZE, "%.30sx", verb->name);
    else
        put(add(line), verb->name);
    const int operands = verb->most_operands == 0
                             ? (int)odd_in(source, 40)
                             : 1 + (is_verb(verb, "platform") ? 1 : 0) - (int)odd_in(source, 12);
    for (int i = 0; i < operands; i++)
        add_operand(source, line, verb, i);
    add_bounds(source, line, verb);
    for (uint32_t more = command_draw(source, 5); more > 0 && options > 0; more--)
        if (cli_verb_option(verb, (int32_t)command_draw(source, options), &option))
            add_option(source, line, &option);
    if (odd_in(source, 8))
        add_oddity(source, line);
    if (odd_in(source, 16))
        shuffle_some(source, line);
}
