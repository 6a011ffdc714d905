/* simgrid_settings.h - the values of SimGrid's settings, which options and platform files give. */
#ifndef PLATFORMS_SIMGRID_SETTINGS_H
#define PLATFORMS_SIMGRID_SETTINGS_H

#include <stdbool.h>

#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* RB_EINVAL if SimGrid would crash, hang or compute nonsense with this value. SimGrid checks the
 * names of settings, and texts where it wants a number. */
int platform_check_setting(const char *key, const char *value, struct sup_error *error);

/* RB_EINVAL if SimGrid's times with this value may not be those of the engine flow. */
int platform_check_flow_setting(const char *key, const char *value, struct sup_error *error);

#ifdef __cplusplus
}
#endif
#endif
