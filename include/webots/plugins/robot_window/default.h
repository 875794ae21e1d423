/* Webots' own window of a robot, which is not there: what is told to it goes nowhere. */
#ifndef WEBOTS_DEFAULT_ROBOT_WINDOW_H
#define WEBOTS_DEFAULT_ROBOT_WINDOW_H

#include "../../../odesim.h"

#ifdef __cplusplus
extern "C" {
#endif

OD_API void wbu_default_robot_window_configure(void) {}
OD_API void wbu_default_robot_window_update(void) {}
OD_API void wbu_default_robot_window_set_images_max_size(int max_width, int max_height) {
  (void)max_width, (void)max_height;
}

#ifdef __cplusplus
}
#endif
#endif
