/* preload.c - MPI's names for the library's functions: preloaded, they serve an unmodified program.
 * When MPI starts, the settings are checked, and compared between all ranks; with wrong settings
 * the program does not run. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mpi/library/communicator.h"
#include "mpi/library/settings.h"
#include "mpi/record/record.h"
#include "preload_report.h"
#include "roundabout-mpi.h"

struct ranks {
    int seen;    /* of MPI_COMM_WORLD's ranks, how many are seen to use MPI on this host */
    int with;    /* the lowest that has the library */
    int without; /* the lowest that has not; -1: none is seen */
    int error;   /* errno, where others may see more; 0: none */
};

/* ---- The MPI library ------------------------------------------------------------------------- */

/* Checks that the preloaded library was built for the program's MPI library.
 *
 * MPI's handles are addresses in Open MPI and numbers in MPICH, so a function of ours that is
 * called by a program of the other kind can neither serve the call nor pass it on. Nor can this
 * library do without the MPI library that it is linked with: that of a program which loads it late
 * (Python's) is seen by that program alone. But an MPI library of the other kind that is loaded
 * too can only be the program's. Its version is asked for, which MPI allows before MPI_Init and
 * which needs no handles.
 *
 * A program that is linked with it has not begun when this library's constructor finds it there:
 * it is started again in the same process, without this library in LD_PRELOAD. One that loads it
 * later is ended when it starts MPI. */

#ifdef OPEN_MPI
#define BUILT_FOR "Open MPI"
#else
#define BUILT_FOR "MPICH"
#endif
#define OWN_NAME "libroundabout-preload-"

/* Open MPI's versions have 256 bytes at most, MPICH's 8192. */
enum { MOST_LIBRARIES = 16, NAME_ROOM = 4096, VERSION_ROOM = 1 << 15 };

struct libraries {
    int count;
    char name[MOST_LIBRARIES][NAME_ROOM];
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Finds libraries whose name begins like those of MPI libraries. The loader is locked meanwhile. */
static int note_library(struct dl_phdr_info *info, size_t size, void *data)
{
    struct libraries *libraries = data;
    (void)size;
    if (libraries->count < MOST_LIBRARIES && strncmp(base_of(info->dlpi_name), "libmpi", 6) == 0 &&
        strlen(info->dlpi_name) < NAME_ROOM)
        strcpy(libraries->name[libraries->count++], info->dlpi_name);
    return 0;
}

/* True if there is an MPI library of the other kind. Gives its version, in one line without
 * details. */
static bool find_other(char version[VERSION_ROOM])
{
    static struct libraries libraries; /* MPI is started once */
    bool other = false;
    libraries.count = 0;
    dl_iterate_phdr(note_library, &libraries);
    for (int i = 0; i < libraries.count && !other; i++) {
        int (*get_version)(char *version, int *length) = NULL;
        int length = 0;
        void *library = dlopen(libraries.name[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL)
            continue;
        *(void **)&get_version = dlsym(library, "PMPI_Get_library_version");
        if (get_version != NULL && get_version(version, &length) == MPI_SUCCESS) {
            const bool is_open_mpi = strncmp(version, "Open MPI", strlen("Open MPI")) == 0;
            other = is_open_mpi != (strcmp(BUILT_FOR, "Open MPI") == 0);
        }
        dlclose(library);
    }
    if (other) {
        version[strcspn(version, ",\n")] = '\0';
        for (char *tab = strchr(version, '\t'); tab != NULL; tab = strchr(tab, '\t'))
            *tab = ' ';
    }
    return other;
}

/* True in the one process of a job that prints messages. */
static bool is_speaker(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const char *rank = getenv(ranks[i]);
        if (rank != NULL && strcmp(rank, "0") != 0)
            return false;
    }
    return true;
}

static void say(const char *version, const char *what)
{
    if (is_speaker())
        fprintf(stderr,
                "roundabout: this library is built for " BUILT_FOR
                ", but the program uses %s: %s\n",
                version, what);
}

/* mpirun ends all processes when one has ended with an error: the others wait until the one that
 * speaks has done so, or for some seconds, as it may have ended otherwise. */
static void wait_for_speaker(void)
{
    enum { SECONDS = 3 };
    if (!is_speaker())
        sleep(SECONDS);
}

/* Removes this library, and those for other MPI libraries, from LD_PRELOAD. False: none is there.
 */
static bool leave_environment(void)
{
    const char *preload = getenv("LD_PRELOAD");
    char *all = preload == NULL ? NULL : strdup(preload);
    char *others = preload == NULL ? NULL : calloc(1, strlen(preload) + 2);
    bool found = false;
    char *rest = all;
    for (char *name; all != NULL && others != NULL && (name = strsep(&rest, ": ")) != NULL;) {
        const bool own = strncmp(base_of(name), OWN_NAME, strlen(OWN_NAME)) == 0;
        found = found || own;
        if (!own && *name != '\0')
            strcat(strcat(others, *others != '\0' ? ":" : ""), name);
    }
    if (found)
        found = (*others != '\0' ? setenv("LD_PRELOAD", others, 1) : unsetenv("LD_PRELOAD")) == 0;
    free(all);
    free(others);
    return found;
}

/* The loader calls it with main's arguments. */
__attribute__((constructor)) static void start_without(int argc, char **argv)
{
    char version[VERSION_ROOM];
    (void)argc;
    if (!find_other(version) || !leave_environment())
        return;
    say(version, "it runs without Roundabout; preload the library that is built for it");
    execv("/proc/self/exe", argv);
    say(version, "it can't be started again without this library");
    wait_for_speaker();
    _exit(2);
}

/* Ends the program with status 2, and a line that says why, if it uses another MPI library. Call it
 * before MPI starts. Programs that are linked with the other MPI library do not get here: they were
 * executed again without this library. */
static void check_flavour(void)
{
    char version[VERSION_ROOM];
    if (!find_other(version))
        return;
    say(version, "preload the library that is built for it");
    wait_for_speaker();
    exit(2);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Finds ranks of this host that run without the preloaded library.
 *
 * Ranks that lack the library take part in no collective of ours, so it can't be asked for by MPI,
 * and what a launcher's key-value store would need differs from launcher to launcher. But a host
 * shows its processes: whose environment says that they are ranks of this job, and which libraries
 * they have mapped. */

struct look {
    const char *rank_variable, *job; /* job: PMIx's name of it; NULL: the ranks have one parent */
    char library[4096];              /* this one, as maps has it */
    int p;
    bool *uses_mpi, *has_library; /* of each rank */
    int error;                    /* as in struct ranks */
};

/* ---- What /proc says ------------------------------------------------------------------------- */

/* Without memory or files a rank sees less than others do. */
static void note_error(struct look *look)
{
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
        look->error = errno;
}

/* The content of /proc/PID/NAME with a zero behind it, which the caller frees; NULL: there is none
 * to be read. */
static char *content_of(struct look *look, const char *process, const char *name, size_t *size)
{
    enum { STEP = 1 << 16, MOST = 1 << 24 };
    char path[64], *text = NULL;
    ssize_t got = 1;
    snprintf(path, sizeof path, "/proc/%.20s/%s", process, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    for (*size = 0; file >= 0 && got > 0 && *size<MOST; *size += got> 0 ? (size_t)got : 0) {
        char *grown = realloc(text, *size + STEP + 1);
        text = grown != NULL ? grown : text;
        got = grown != NULL ? read(file, text + *size, STEP) : -1;
    }
    if (file < 0 || got < 0)
        note_error(look);
    if (file >= 0)
        close(file);
    if (text != NULL)
        text[*size] = '\0';
    return text;
}

/* The value of a variable in the content of environ; NULL: it is not there. */
static const char *value_in(const char *environment, size_t size, const char *variable)
{
    const size_t length = strlen(variable);
    for (const char *at = environment; at < environment + size; at += strlen(at) + 1)
        if (strncmp(at, variable, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

static int parent_of(struct look *look, const char *process)
{
    size_t size;
    int parent = -1;
    char *stat = content_of(look, process, "stat", &size);
    const char *behind_name = stat == NULL ? NULL : strrchr(stat, ')');
    if (behind_name == NULL || sscanf(behind_name, ") %*c %d", &parent) != 1)
        parent = -1;
    free(stat);
    return parent;
}

/* ---- This job -------------------------------------------------------------------------------- */

#define OWN_FILE "/libroundabout-preload-"

/* The library that this function is in. */
static void find_library(struct look *look)
{
    size_t size;
    char *maps = content_of(look, "self", "maps", &size), *rest = maps;
    snprintf(look->library, sizeof look->library, "%s", OWN_FILE);
    for (char *line; maps != NULL && (line = strsep(&rest, "\n")) != NULL;) {
        uintptr_t first, end;
        int at = 0;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &first, &end, &at) == 2 &&
            at > 0 && line[at] == '/' && first <= (uintptr_t)check_flavour &&
            (uintptr_t)check_flavour < end)
            snprintf(look->library, sizeof look->library, "%s", line + at);
    }
    free(maps);
}

/* The rank in this job that the process is of; -1: it is none of it. */
static int rank_of(const struct look *look, const char *environment, size_t size)
{
    const char *rank = value_in(environment, size, look->rank_variable);
    const char *job = value_in(environment, size, "PMIX_NAMESPACE");
    char *end;
    if (rank == NULL || (look->job != NULL && (job == NULL || strcmp(job, look->job) != 0)))
        return -1;
    const long number = strtol(rank, &end, 10);
    return *end == '\0' && end != rank && number >= 0 && number < look->p ? (int)number : -1;
}

/* Mapped libraries are looked for only where the environment does not say that this one is. */
static void note_process(struct look *look, const char *process)
{
    struct stat about;
    char path[64];
    size_t size;
    snprintf(path, sizeof path, "/proc/%.20s", process);
    if (stat(path, &about) != 0 || about.st_uid != geteuid() ||
        (look->job == NULL && parent_of(look, process) != getppid()))
        return;
    char *environment = content_of(look, process, "environ", &size);
    const int rank = environment == NULL ? -1 : rank_of(look, environment, size);
    if (rank >= 0) {
        const char *preload = value_in(environment, size, "LD_PRELOAD");
        bool has = preload != NULL && strstr(preload, OWN_FILE) != NULL, uses = has;
        char *maps = has ? NULL : content_of(look, process, "maps", &size);
        if (maps != NULL) {
            has = strstr(maps, look->library) != NULL || strstr(maps, OWN_FILE) != NULL;
            uses = strstr(maps, "/libmpi") != NULL;
        }
        look->has_library[rank] = look->has_library[rank] || has;
        look->uses_mpi[rank] = look->uses_mpi[rank] || uses;
        free(maps);
    }
    free(environment);
}

/* Looks for the p ranks after PMPI_Init, when all of them have begun to start MPI. What is not seen
 * (processes of another user, programs that are linked statically, a system without /proc, a
 * launcher that is not known) counts as nothing, so that no rank is said to lack what it has. */
static void look_for_ranks(int p, struct ranks *ranks)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    struct look look = {.p = p, .job = getenv("PMIX_NAMESPACE")};
    const struct dirent *entry;
    *ranks = (struct ranks){.with = -1, .without = -1};
    for (size_t i = 0; i < 4 && look.rank_variable == NULL; i++)
        look.rank_variable = getenv(variables[i]) != NULL ? variables[i] : NULL;
    if (look.rank_variable == NULL || p == 1)
        return;
    look.uses_mpi = calloc(2 * (size_t)p, sizeof *look.uses_mpi);
    DIR *processes = look.uses_mpi == NULL ? NULL : opendir("/proc");
    if (processes == NULL)
        note_error(&look);
    if (processes != NULL) {
        look.has_library = look.uses_mpi + p;
        find_library(&look);
        while ((entry = readdir(processes)) != NULL)
            if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
                note_process(&look, entry->d_name);
        closedir(processes);
        for (int r = p - 1; r >= 0; r--) {
            ranks->seen += look.uses_mpi[r] || look.has_library[r];
            if (look.has_library[r])
                ranks->with = r;
            else if (look.uses_mpi[r])
                ranks->without = r;
        }
    }
    free(look.uses_mpi);
    ranks->error = look.error;
}

/* ---- The start and the end ------------------------------------------------------------------- */

/* The fault of this rank's settings; NULL: none. */
static const char *wrong_here(int rank, struct sup_error *error)
{
    const char *wrong = lib_settings_wrong();
    if (wrong != NULL)
        return wrong;
    return preload_report_start(rank, error) == RB_OK &&
                   preload_remember_start(rank, error) == RB_OK && record_open(rank, error) == RB_OK
               ? NULL
               : error->text;
}

/* The lowest rank with a fault of its own, or p; the first setting in which ranks differ, or -1. */
static void compare_settings(const char *wrong, int rank, int p, int *faulty, int *differing)
{
    /* The minimum of a hash and that of its complement give the least and the greatest hash. */
    uint64_t mine[1 + 2 * LIB_SETTINGS], least[1 + 2 * LIB_SETTINGS];
    mine[0] = (uint64_t)(wrong == NULL ? p : rank);
    for (int i = 0; i < LIB_SETTINGS; i++) {
        mine[1 + 2 * i] = lib_settings_hashes()[i];
        mine[2 + 2 * i] = ~mine[1 + 2 * i];
    }
    PMPI_Allreduce(mine, least, 1 + 2 * LIB_SETTINGS, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    *faulty = (int)least[0];
    *differing = 0;
    while (*differing < LIB_SETTINGS && least[1 + 2 * *differing] == ~least[2 + 2 * *differing])
        ++*differing;
    if (*differing == LIB_SETTINGS)
        *differing = -1;
}

/* "'chain'", or "not set". */
static void show_value(const char *variable, struct sup_error *shown)
{
    const char *value = getenv(variable);
    sup_fail(shown, 0, value == NULL ? "not set" : "'%.80s'", value);
}

/* The lowest rank whose setting is not rank 0's says both. */
static void say_difference(int setting, int rank, int p)
{
    struct {
        uint64_t hash;
        struct sup_error value;
    } first = {.hash = lib_settings_hashes()[setting]};
    struct sup_error here;
    bool is_text;
    const char *variable = lib_settings_variable(setting, &is_text);
    int speaker;
    show_value(variable, &here);
    first.value = here;
    PMPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    const int mine = lib_settings_hashes()[setting] != first.hash ? rank : p;
    PMPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == speaker)
        fprintf(stderr,
                "roundabout: the ranks have different settings: %s is %s at rank %d, %s %s at rank "
                "0; it must be the same at all ranks\n",
                variable, here.text, rank, is_text ? "with another text than" : "and",
                first.value.text);
}

/* Ends the program unless all ranks have the same, valid settings. One rank prints why. A file may
 * be replaced between the readings of two ranks, by another job that remembers its choices. */
static void check_settings(void)
{
    enum { MOST_READINGS = 50 };
    struct sup_error error = {0};
    int rank, p, faulty, differing;
    bool is_text = true;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    const char *wrong = wrong_here(rank, &error);
    compare_settings(wrong, rank, p, &faulty, &differing);
    for (int i = 1; i < MOST_READINGS && faulty == p && differing >= 0 && is_text; i++) {
        lib_settings_variable(differing, &is_text);
        if (!is_text)
            break;
        /* Where ranks share cores, they would take turns at waiting for each other, and read one by
         * one; asleep they all wake at once. */
        const struct timespec pause = {.tv_nsec = 100000L * i};
        nanosleep(&pause, NULL);
        lib_settings_read_files();
        wrong = lib_settings_wrong();
        compare_settings(wrong, rank, p, &faulty, &differing);
    }
    if (faulty == p && differing < 0)
        return;
    if (faulty == rank && rank == 0)
        fprintf(stderr, "roundabout: %s\n", wrong);
    else if (faulty == rank)
        fprintf(stderr, "roundabout: rank %d: %s\n", rank, wrong);
    else if (faulty == p)
        say_difference(differing, rank, p);
    record_discard();
    PMPI_Finalize();
    exit(2);
}

/* True if some ranks run without the library: then nothing collective of ours can be done. If all
 * ranks are seen, all that have the library see the same, and the MPI library serves them from now
 * on; ranks of other hosts can't be told, so that the job ends. It also ends if a rank can't look,
 * because it might decide otherwise than those that can. */
static bool is_on_some_ranks_only(void)
{
    struct ranks ranks;
    int rank, p;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    look_for_ranks(p, &ranks);
    if (ranks.error != 0) {
        fprintf(stderr,
                "roundabout: rank %d can't look for ranks without this library: %s; the job ends\n",
                rank, strerror(ranks.error));
        PMPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (ranks.without < 0)
        return false;
    const bool all_seen = ranks.seen == p;
    if (rank == ranks.with)
        fprintf(stderr,
                "roundabout: rank %d runs without this library; preload it (LD_PRELOAD) on all "
                "ranks or on none: %s\n",
                ranks.without, all_seen ? "the MPI library serves all calls" : "the job ends");
    if (!all_seen)
        PMPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < LIB_CALLS; i++)
        RB_Choose(lib_function_name((enum lib_function)i), "native");
    return true;
}

/* MPI has started. Whatever carries messages is made now, when the program can't be in the middle
 * of anything; where that fails, the MPI library serves the program. */
static int start(void)
{
    struct lib_communicator *world;
    if (is_on_some_ranks_only())
        return MPI_SUCCESS;
    check_settings();
    int error = lib_communicator_of(MPI_COMM_WORLD, &world);
    if (error == MPI_SUCCESS)
        error = lib_communicator_connect(world);
    if (error == MPI_SUCCESS)
        record_begin(world->comm, world->first_tag + EXEC_REPORT_TAG);
    return error;
}

int MPI_Init(int *argc, char ***argv)
{
    check_flavour();
    const int error = PMPI_Init(argc, argv);
    return error != MPI_SUCCESS ? error : start();
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    check_flavour();
    const int error = PMPI_Init_thread(argc, argv, required, provided);
    return error != MPI_SUCCESS ? error : start();
}

#ifdef MPI_SESSION_NULL
/* A session is no start: there may be no MPI_COMM_WORLD, by whose ranks a recording goes. */
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    int is_started = false;
    PMPI_Initialized(&is_started);
    if (!is_started && getenv("RB_RECORD") != NULL && is_speaker())
        fprintf(stderr, "roundabout: RB_RECORD: MPI is started by a session; nothing is recorded "
                        "before MPI_Init\n");
    return PMPI_Session_init(info, handler, session);
}
#endif

int MPI_Finalize(void)
{
    struct lib_communicator *world;
    if (lib_communicator_of(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        record_end(world->comm, world->first_tag + EXEC_REPORT_TAG);
    preload_report_end();
    preload_remember_end();
    return PMPI_Finalize();
}

/* ---- The collectives ------------------------------------------------------------------------- */

#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    int MPI_##name(arguments(LIB_PARAMETER))                                                       \
    {                                                                                              \
        return record_is_on() ? record_##fortran(arguments(LIB_VALUE))                             \
                              : RB_##name(arguments(LIB_VALUE));                                   \
    }
#include "mpi/library/list.h"
