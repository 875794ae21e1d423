/* Motion files, which the simulation plays; a name without a folder is looked for where the controller runs. */
#ifndef WEBOTS_MOTION_H
#define WEBOTS_MOTION_H

#include "../../odesim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct od_motion {
  int number, duration; /* ms */
} *WbMotionRef;

/* NULL, and a line: the file cannot be used. */
OD_API WbMotionRef wbu_motion_new(const char *file) {
  od_value *told = od_call(od_me(), "motion_open", "s", file);
  od_value *number = od_get(told, "number");
  if (!number) {
    fprintf(stderr, "Error: wbu_motion_new(): the file \"%s\" cannot be used\n", file);
    return NULL;
  }
  WbMotionRef motion = (WbMotionRef)od_room(NULL, sizeof *motion);
  motion->number = (int)number->number;
  motion->duration = (int)od_number(od_get(told, "duration"), 0);
  return motion;
}
OD_API void wbu_motion_play(WbMotionRef motion) {
  if (motion) od_command(od_me(), -1, "motion", "is", motion->number, "play");
}
OD_API void wbu_motion_stop(WbMotionRef motion) {
  if (motion) od_command(od_me(), -1, "motion", "is", motion->number, "stop");
}
OD_API void wbu_motion_delete(WbMotionRef motion) {
  wbu_motion_stop(motion);
  free(motion);
}
OD_API void wbu_motion_set_loop(WbMotionRef motion, bool loop) {
  if (motion) od_command(od_me(), -1, "motion", "isb", motion->number, "loop", (int)loop);
}
OD_API void wbu_motion_set_reverse(WbMotionRef motion, bool reverse) {
  if (motion) od_command(od_me(), -1, "motion", "isb", motion->number, "reverse", (int)reverse);
}
OD_API bool wbu_motion_is_over(WbMotionRef motion) {
  return !motion || od_number(od_call(od_me(), "motion_is_over", "i", motion->number), 0) != 0;
}
/* ms, and from its start. */
OD_API int wbu_motion_get_duration(WbMotionRef motion) { return motion ? motion->duration : 0; }
OD_API int wbu_motion_get_time(WbMotionRef motion) {
  return motion ? (int)od_number(od_call(od_me(), "motion_time", "i", motion->number), 0) : 0;
}
OD_API void wbu_motion_set_time(WbMotionRef motion, int time) {
  if (motion) od_command(od_me(), -1, "motion", "isi", motion->number, "time", time);
}

#ifdef __cplusplus
}
#endif
#endif
