/* settings.h - the settings of the process: those of RB_Choose, of RB_BCAST and similar variables,
 * of the decision file that RB_DECISIONS names, and of the file that RB_REMEMBER names. The first
 * of these that applies to a call holds; otherwise the online choice (trial.h) decides, unless
 * RB_ONLINE is off. */
#pragma once

#include <mpi.h>

#include "mpi/choice/decisions.h"

/* The collectives that the library has functions for. */
enum lib_function {
#define LIB_CALL(name, collective) LIB_CALL_##name,
#define LIB_FUNCTION(name, fortran, collective, arguments, key)
#include "list.h"
#undef LIB_CALL
#undef LIB_FUNCTION
    LIB_CALLS
};

const char *lib_function_name(enum lib_function which); /* "reduce-scatter" */
int lib_function_of(const char *collective);            /* -1: none of them */

/* Reads the environment and the decision file, once; then and later: what was wrong with them, for
 * a person, naming the variable, or NULL. */
const char *lib_settings_wrong(void);
/* What must be the same at all ranks, as a hash for each setting. */
enum { LIB_SETTINGS = LIB_CALLS + 7 };
const uint64_t *lib_settings_hashes(void);
/* The variable of a setting; *is_text: the setting is the text of the file that it names. */
const char *lib_settings_variable(int setting, bool *is_text);
/* Reads the files again, which another job may have replaced since; before any call. */
void lib_settings_read_files(void);

/* The error that a collective's calls must return at once, whose string says what is wrong with its
 * setting; or MPI_SUCCESS. */
int lib_settings_error(enum lib_function which);

/* The setting that was chosen for all calls of a collective; NULL: none, so the
 * decision file holds. */
const struct choice_setting *lib_settings_chosen(enum lib_function which);

enum lib_online {
    LIB_ONLINE_EXACT,    /* the default: only where no result can depend on the choice */
    LIB_ONLINE_ROUNDING, /* everywhere */
    LIB_ONLINE_OFF       /* choice.h's rules instead */
};
enum lib_online lib_settings_online(void);
/* RB_HOSTS: the sizes of the hosts that MPI_COMM_WORLD is to be cut into, or NULL. */
const char *lib_settings_hosts(void);
/* RB_RAILS: the number of network interfaces that each host is to have; 0: it says nothing, or that
 * they are to be looked for, also where hosts are pretended. */
enum { LIB_RAILS_HWLOC = -1 };
int lib_settings_rails(void);
/* The file where the online choice is remembered, or NULL. */
const char *lib_settings_remember(void);

/* RB_DECISIONS' rules, then RB_REMEMBER's. NULL: there is none. */
const struct choice_decisions *lib_settings_decisions(void);
