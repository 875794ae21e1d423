/* The system that a controller runs on. */
#ifndef WEBOTS_SYSTEM_H
#define WEBOTS_SYSTEM_H

#include "../../odesim/value.h"

#ifdef __cplusplus
extern "C" {
#endif

OD_API const char *wbu_system_getenv(const char *variable) { return getenv(variable); }
/* As it is: no system that is served here has another. */
OD_API const char *wbu_system_short_path(const char *path) { return path; }
OD_API const char *wbu_system_tmpdir(void) { return "/tmp"; }
/* There is no Webots. */
OD_API const char *wbu_system_webots_instance_path(bool refresh) {
  (void)refresh;
  return NULL;
}

#ifdef __cplusplus
}
#endif
#endif
