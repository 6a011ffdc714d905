#include "shortcut.h"

#include <stdlib.h>

thread_local struct lib_shortcuts *lib_shortcuts;
struct lib_counts lib_counts = {.generation = 1};

static once_flag once = ONCE_FLAG_INIT;
static tss_t owned; /* a thread's table */
static bool can_own;

static void on_thread_end(void *table)
{
    free(table);
    lib_shortcuts = NULL; /* later destructors of the thread may call collectives */
}

static void start(void)
{
    int has_world, level;
    can_own = tss_create(&owned, on_thread_end) == thrd_success;
    if (PMPI_Initialized(&has_world) == MPI_SUCCESS && has_world &&
        PMPI_Query_thread(&level) == MPI_SUCCESS && level < MPI_THREAD_MULTIPLE)
        atomic_store(&lib_counts.alone, true);
}

/* Without memory, calls do without shortcuts. */
static bool has_table(void)
{
    if (lib_shortcuts != NULL)
        return true;
    call_once(&once, start);
    if (!can_own)
        return false;
    struct lib_shortcuts *made = calloc(1, sizeof *made);
    if (made == NULL || tss_set(owned, made) != thrd_success) {
        free(made);
        return false;
    }
    lib_shortcuts = made;
    return true;
}

static void add(const struct lib_shortcut_key *key, struct choice_trial *trial, int p)
{
    struct lib_shortcut *pair = lib_shortcut_pair(key);
    if (!lib_shortcut_holds(&pair[0], key))
        pair[1] = pair[0];
    pair[0] = (struct lib_shortcut){
        .key = *key,
        .trial = trial,
        .generation = atomic_load_explicit(&lib_counts.generation, memory_order_relaxed),
        .p = p};
}

void lib_shortcut_make(const struct lib_shortcut_key *key, struct choice_trial *trial, int p)
{
    struct lib_shortcut_key known = *key;
    if (!has_table())
        return;
    if (key->counts != NULL) {
        const struct lib_shortcut_key ranks = lib_shortcut_of_ranks(key);
        add(&ranks, NULL, p);
        lib_shortcut_sum(&known, p);
    }
    add(&known, trial, p);
}

void lib_shortcuts_drop(void)
{
    atomic_fetch_add(&lib_counts.generation, 1);
}

long long lib_left(enum lib_function which)
{
    return atomic_load(&lib_counts.left[which]);
}
