/* Texts that are taken apart and changed. */
#ifndef WEBOTS_STRING_H
#define WEBOTS_STRING_H

#include "../../odesim/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As strsep: the part before the next of some characters; one behind a backslash does not count. */
OD_API char *wbu_string_strsep(char **string, const char *delimiters) {
  char *begin = *string, *at = begin;
  if (!begin) return NULL;
  while (*at && !(strchr(delimiters, *at) && (at == begin || at[-1] != '\\'))) at++;
  *string = *at ? at + 1 : NULL;
  *at = 0;
  return begin;
}
/* A new text, to be freed, with all that is `before` as `after`; NULL: there is nothing to look for. */
OD_API char *wbu_string_replace(char *value, const char *before, const char *after) {
  od_text made = {NULL, 0, 0};
  if (!value || !before || !*before) return NULL;
  od_add(&made, "", 0);
  for (const char *found; (found = strstr(value, before)); value += found - value + (long)strlen(before)) {
    od_add(&made, value, (size_t)(found - value));
    if (after) od_add(&made, after, strlen(after));
  }
  od_add(&made, value, strlen(value));
  return made.data;
}

#ifdef __cplusplus
}
#endif
#endif
