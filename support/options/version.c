/* version.c - which release and commit this is; apart, because it changes with every commit. */
#include "roundabout_commit.h"
#include "support/options/options.h"

const char cli_program_version[] = ROUNDABOUT_COMMIT;
const char cli_program_date[] = ROUNDABOUT_DATE;
