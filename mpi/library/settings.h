/* settings.h - what the process was told: by RB_Choose, by RB_BCAST and the like in the
 * environment, by the decision file that RB_DECISIONS names, by that which RB_REMEMBER names; the
 * first of these that says something about a call counts, else the online choice (trial.h) unless
 * RB_ONLINE is off. */
#ifndef RB_MPI_LIBRARY_SETTINGS_H
#define RB_MPI_LIBRARY_SETTINGS_H

#include <mpi.h>

#include "mpi/choice/decisions.h"

/* The collectives that the library has functions for. */
enum rb_which {
#define RB_CALL(name, collective) RB_CALL_##name,
#define RB_FUNCTION(name, fortran, arguments)
#include "list.h"
#undef RB_CALL
#undef RB_FUNCTION
    RB_CALLS
};

const char *rb_which_name(enum rb_which which); /* "reduce-scatter" */
int rb_which_of(const char *collective);        /* -1: none of them */

/* Reads the environment and the decision file, once; then and later: what was wrong with them, for
 * a person, naming the variable, or NULL. */
const char *rb_settings_wrong(void);
/* Alike at ranks that were told the same. */
uint64_t rb_settings_hash(void);

/* What a collective's calls must return at once: MPI_SUCCESS, or an error whose string says what is
 * wrong with its setting. */
int rb_settings_error(enum rb_which which);

/* The setting that was chosen for all calls of a collective; NULL: none, so ask the decision file.
 */
const struct rb_setting *rb_settings_chosen(enum rb_which which);

enum rb_online {
    RB_ONLINE_EXACT,    /* the default: where no result can depend on what is chosen */
    RB_ONLINE_ROUNDING, /* everywhere */
    RB_ONLINE_OFF       /* choice.h's rules instead */
};
enum rb_online rb_settings_online(void);
/* RB_HOSTS: the sizes of the hosts that MPI_COMM_WORLD is to be cut into, or NULL. */
const char *rb_settings_hosts(void);
/* The file where the online choice is remembered, or NULL. */
const char *rb_settings_remember(void);

/* RB_DECISIONS' rules, then RB_REMEMBER's. NULL: there is none. */
const struct rb_decisions *rb_settings_decisions(void);

#endif
