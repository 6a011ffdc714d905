/* settings.c - see settings.h. Keeps the process's settings. */
#include "settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <threads.h>

#include "roundabout-mpi.h"
#include "shortcut.h"
#include "support/memory.h"
#include "support/units.h"

static const struct {
    const char *collective, *variable;
} names[LIB_CALLS] = {
#define LIB_CALL(name, collective) [LIB_CALL_##name] = {collective, "RB_" #name},
#define LIB_FUNCTION(name, fortran, collective, arguments, key)
#include "list.h"
};

struct chosen {
    bool given;
    struct choice_setting setting;
    int error; /* of the environment */
};

static once_flag once = ONCE_FLAG_INIT;
static struct chosen chosen[LIB_CALLS];
static struct choice_decisions *decisions;
static int decisions_error;
static enum lib_online online;
static const char *hosts;
static int rails;
static struct sup_error wrong; /* the first thing wrong in the environment */
static int refused;            /* the error of RB_Choose, or MPI_SUCCESS */

/* What must be the same at all ranks: the values of variables, those of the collectives first, and
 * the texts of files. */
enum { ONLINE = LIB_CALLS, HOSTS, RAILS, REPORT, REMEMBER, DECISIONS_TEXT, REMEMBER_TEXT };
static const char *const other_names[LIB_SETTINGS - LIB_CALLS] = {
    "RB_ONLINE", "RB_HOSTS", "RB_RAILS", "RB_REPORT", "RB_REMEMBER", "RB_DECISIONS", "RB_REMEMBER"};
_Static_assert(REMEMBER_TEXT == LIB_SETTINGS - 1, "LIB_SETTINGS counts them");
static uint64_t hashes[LIB_SETTINGS];

const char *lib_function_name(enum lib_function which)
{
    return names[which].collective;
}

int lib_function_of(const char *collective)
{
    for (int i = 0; i < LIB_CALLS; i++)
        if (strcmp(collective, names[i].collective) == 0)
            return i;
    return -1;
}

/* The code with this text from now on; *code is made the first time, since MPI has a hundred or so
 * of them and takes none back. */
static int error_code_of(int *code, const char *text)
{
    static int class = MPI_SUCCESS;
    char line[MPI_MAX_ERROR_STRING];
    snprintf(line, sizeof line, "%.*s", MPI_MAX_ERROR_STRING - 1, text);
    if ((class == MPI_SUCCESS && PMPI_Add_error_class(&class) != MPI_SUCCESS) ||
        (*code == MPI_SUCCESS && PMPI_Add_error_code(class, code) != MPI_SUCCESS) ||
        PMPI_Add_error_string(*code, line) != MPI_SUCCESS)
        return MPI_ERR_ARG;
    return *code;
}

/* ---- The environment ------------------------------------------------------------------------- */

const char *lib_settings_variable(int setting, bool *is_text)
{
    *is_text = setting >= DECISIONS_TEXT;
    return setting < LIB_CALLS ? names[setting].variable : other_names[setting - LIB_CALLS];
}

/* The value of this setting's variable, or NULL. The terminating zero is hashed too. */
static const char *value_of(int setting)
{
    bool is_text;
    const char *value = getenv(lib_settings_variable(setting, &is_text));
    hashes[setting] = SUP_HASH_START;
    if (value != NULL)
        hashes[setting] = sup_hash_bytes(SUP_HASH_START, value, strlen(value) + 1);
    return value;
}

/* Remembers the first one, also as the error of the calls that it concerns. */
static void note_wrong(int *error, const char *text)
{
    if (wrong.text[0] == '\0')
        sup_fail(&wrong, RB_EINVAL, "%s", text);
    if (*error == MPI_SUCCESS)
        *error = error_code_of(error, text);
}

static void read_setting(enum lib_function which)
{
    const char *value = value_of((int)which);
    char why[sizeof wrong.text];
    struct sup_error error;
    if (value == NULL)
        return;
    chosen[which].given = true;
    if (choice_setting_parse(names[which].collective, value, &chosen[which].setting, why,
                             sizeof why) == RB_OK)
        return;
    sup_fail(&error, RB_EINVAL, "%s: %s", names[which].variable, why);
    note_wrong(&chosen[which].error, error.text);
}

/* The rules of the file that a setting's variable names. NULL: it names none, or a wrong one, or
 * one that is not there yet and `may_lack`. Pipes and devices are refused, because reading them may
 * not end. */
static struct choice_decisions *read_rules(int setting, bool may_lack)
{
    bool is_text;
    const char *variable = lib_settings_variable(setting, &is_text), *name = getenv(variable);
    struct sup_error error = {0}, why = {0};
    struct choice_decisions *rules = NULL;
    struct stat about;
    FILE *file = NULL;
    if (name == NULL)
        return NULL;
    const bool is_there = stat(name, &about) == 0;
    const bool is_new = !is_there ? errno == ENOENT && name[0] != '\0'
                                  : S_ISREG(about.st_mode) && about.st_size == 0;
    if (may_lack && is_new)
        return NULL;
    if (is_there && !S_ISREG(about.st_mode))
        sup_fail(&why, RB_EINVAL, "%s: it must be a regular file", name);
    else if ((file = fopen(name, "r")) == NULL)
        sup_fail(&why, RB_EINVAL, "%s: %s", name, strerror(errno));
    else
        choice_decisions_read(file, name, &rules, &why);
    if (file != NULL)
        fclose(file);
    if (rules == NULL) {
        sup_fail(&error, RB_EINVAL, "%s: %s", variable, why.text);
        note_wrong(&decisions_error, error.text);
        return NULL;
    }
    hashes[setting] = choice_decisions_hash(rules);
    return rules;
}

static void read_decisions(void)
{
    struct choice_decisions *learned;
    hashes[DECISIONS_TEXT] = hashes[REMEMBER_TEXT] = 0;
    decisions = read_rules(DECISIONS_TEXT, false);
    if (online == LIB_ONLINE_OFF || (learned = read_rules(REMEMBER_TEXT, true)) == NULL)
        return;
    if (decisions == NULL)
        decisions = choice_decisions_none();
    if (decisions == NULL || choice_decisions_append(decisions, learned) != RB_OK)
        note_wrong(&decisions_error, "RB_REMEMBER: out of memory");
    choice_decisions_free(learned);
}

static void read_online(void)
{
    static const char *const words[] = {
        [LIB_ONLINE_EXACT] = "exact", [LIB_ONLINE_ROUNDING] = "rounding", [LIB_ONLINE_OFF] = "off"};
    const char *value = value_of(ONLINE);
    struct sup_error error;
    online = LIB_ONLINE_EXACT;
    for (int i = 0; i < 3 && value != NULL; i++)
        if (strcmp(value, words[i]) == 0) {
            online = (enum lib_online)i;
            return;
        }
    if (value == NULL)
        return;
    sup_fail(&error, RB_EINVAL, "RB_ONLINE: '%.60s': it must be exact, rounding or off", value);
    note_wrong(&decisions_error, error.text);
}

/* Sizes in the form of a plan's groups, on one level or two. */
static void read_hosts(void)
{
    const char *value = value_of(HOSTS), *slash = value != NULL ? strchr(value, '/') : NULL;
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "circulant", .p = 1, .n = 1, .groups = value};
    struct rb_plan *plan;
    struct sup_error error;
    if (value == NULL)
        return;
    const bool is_plain = value[0] != '\0' && strchr(value, '@') == NULL &&
                          (slash == NULL || strchr(slash + 1, '/') == NULL);
    if (is_plain && rb_plan_create(&spec, &plan, NULL, 0) == RB_OK) {
        rb_plan_destroy(plan);
        hosts = value;
        return;
    }
    sup_fail(&error, RB_EINVAL,
             "RB_HOSTS: it must be sizes of hosts in ranks, at least one each, such as 4 or 3,1,4, "
             "and behind a slash those of leaf switches, as in 4/40, not \"%.60s\"",
             value);
    note_wrong(&decisions_error, error.text);
}

/* A number of network interfaces, or "off", which is one, or "hwloc". */
static void read_rails(void)
{
    const char *value = value_of(RAILS);
    int64_t number = value != NULL && strcmp(value, "hwloc") == 0 ? LIB_RAILS_HWLOC : 1;
    struct sup_error error;
    if (value == NULL)
        return;
    if (strcmp(value, "off") == 0 || number == LIB_RAILS_HWLOC ||
        sup_parse_int(value, 1, RB_MAX_PORTS, &number, &error) == RB_OK) {
        rails = (int)number;
        return;
    }
    sup_fail(&error, RB_EINVAL,
             "RB_RAILS: it must be how many network interfaces each host has, 1 to %d, off or "
             "hwloc, not \"%.60s\"",
             (int)RB_MAX_PORTS, value);
    note_wrong(&decisions_error, error.text);
}

static void read_environment(void)
{
    value_of(REPORT);
    value_of(REMEMBER);
    for (int i = 0; i < LIB_CALLS; i++)
        read_setting((enum lib_function)i);
    read_online();
    read_hosts();
    read_rails();
    read_decisions();
}

const char *lib_settings_wrong(void)
{
    call_once(&once, read_environment);
    return wrong.text[0] == '\0' ? NULL : wrong.text;
}

const uint64_t *lib_settings_hashes(void)
{
    call_once(&once, read_environment);
    return hashes;
}

void lib_settings_read_files(void)
{
    choice_decisions_free(decisions);
    read_decisions();
}

int lib_settings_error(enum lib_function which)
{
    call_once(&once, read_environment);
    return chosen[which].given ? chosen[which].error : decisions_error;
}

const struct choice_setting *lib_settings_chosen(enum lib_function which)
{
    return chosen[which].given ? &chosen[which].setting : NULL;
}

const struct choice_decisions *lib_settings_decisions(void)
{
    return decisions;
}

enum lib_online lib_settings_online(void)
{
    return online;
}

const char *lib_settings_hosts(void)
{
    call_once(&once, read_environment);
    return hosts;
}

int lib_settings_rails(void)
{
    call_once(&once, read_environment);
    return rails;
}

const char *lib_settings_remember(void)
{
    return online == LIB_ONLINE_OFF ? NULL : getenv("RB_REMEMBER");
}

/* ---- RB_Choose ------------------------------------------------------------------------------- */

/* "bcast, reduce, ...", into text. */
static const char *list_names(char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < LIB_CALLS; i++)
        sup_append(text, size, ", ", "%s", names[i].collective);
    return text;
}

int RB_Choose(const char *collective, const char *setting)
{
    char why[sizeof wrong.text], all[200];
    struct choice_setting parsed = {0};
    const int which = lib_function_of(collective);
    call_once(&once, read_environment);
    if (which < 0) {
        snprintf(why, sizeof why, "'%.100s' is no collective to choose for: there are %s",
                 collective, list_names(all, sizeof all));
        return error_code_of(&refused, why);
    }
    if (setting != NULL &&
        choice_setting_parse(collective, setting, &parsed, why, sizeof why) != RB_OK)
        return error_code_of(&refused, why);
    chosen[which] = (struct chosen){.given = setting != NULL, .setting = parsed};
    lib_shortcuts_drop();
    return MPI_SUCCESS;
}
