/* Lines on the standard and on the error output. */
#ifndef WEBOTS_CONSOLE_H
#define WEBOTS_CONSOLE_H

#include "../odesim/value.h"

#define WB_STDOUT 1
#define WB_STDERR 2

#ifdef __cplusplus
extern "C" {
#endif

OD_API void wb_console_print(const char *text, int stream) {
  fputs(text, stream == WB_STDERR ? stderr : stdout);
  fflush(stream == WB_STDERR ? stderr : stdout);
}

#ifdef __cplusplus
}
#endif
#endif
