/* simgrid_version.h - which SimGrid this is. */
#ifndef SIM_SIMGRID_SIMGRID_VERSION_H
#define SIM_SIMGRID_SIMGRID_VERSION_H

/* Version numbers: those of the headers that the program was compiled with, and those of the
 * library that runs. */
struct s4u_versions {
    int compiled[3], running[3];
};
struct s4u_versions s4u_versions(void);

#endif
