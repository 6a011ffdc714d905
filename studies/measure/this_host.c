/* this_host.c - the machine of this process (measure.h). */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN */

#include "studies/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

static void read_cpu(const struct utsname *system, char *cpu, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(cpu, size, "%s", system->machine);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(cpu, size, "%s", colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

static void read_environment(const char *name, char *text, size_t size)
{
    const char *value = getenv(name);
    snprintf(text, size, "%s", value == NULL ? "" : value);
}

void measure_machine_read(struct measure_machine *machine)
{
    struct utsname system;
    if (uname(&system) != 0)
        system = (struct utsname){.nodename = "unknown", .machine = "unknown"};
    snprintf(machine->host, sizeof machine->host, "%.60s", system.nodename);
    snprintf(machine->kernel, sizeof machine->kernel, "%.30s %.60s", system.sysname,
             system.release);
    read_cpu(&system, machine->cpu, sizeof machine->cpu);
    machine->cores = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    read_environment("SLURM_JOB_ID", machine->job, sizeof machine->job);
    read_environment("SLURM_JOB_PARTITION", machine->partition, sizeof machine->partition);
    read_environment("SLURM_JOB_NODELIST", machine->nodes, sizeof machine->nodes);
}

int64_t measure_interruptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}
