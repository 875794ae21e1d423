/* Keyboard, mouse and joystick of whoever watches. */
#ifndef ODESIM_OPERATOR_H
#define ODESIM_OPERATOR_H

#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WB_KEYBOARD_END = 312, WB_KEYBOARD_HOME, WB_KEYBOARD_LEFT, WB_KEYBOARD_UP, WB_KEYBOARD_RIGHT, WB_KEYBOARD_DOWN,
  WB_KEYBOARD_PAGEUP = 366, WB_KEYBOARD_PAGEDOWN, WB_KEYBOARD_NUMPAD_HOME = 375, WB_KEYBOARD_NUMPAD_LEFT,
  WB_KEYBOARD_NUMPAD_UP, WB_KEYBOARD_NUMPAD_RIGHT, WB_KEYBOARD_NUMPAD_DOWN, WB_KEYBOARD_NUMPAD_END = 382,
  WB_KEYBOARD_KEY = 0x0000ffff, WB_KEYBOARD_SHIFT = 0x00010000, WB_KEYBOARD_CONTROL = 0x00020000,
  WB_KEYBOARD_ALT = 0x00040000
};
/* Names of version 6. */
#define WB_ROBOT_KEYBOARD_END WB_KEYBOARD_END
#define WB_ROBOT_KEYBOARD_HOME WB_KEYBOARD_HOME
#define WB_ROBOT_KEYBOARD_LEFT WB_KEYBOARD_LEFT
#define WB_ROBOT_KEYBOARD_UP WB_KEYBOARD_UP
#define WB_ROBOT_KEYBOARD_RIGHT WB_KEYBOARD_RIGHT
#define WB_ROBOT_KEYBOARD_DOWN WB_KEYBOARD_DOWN
#define WB_ROBOT_KEYBOARD_PAGEUP WB_KEYBOARD_PAGEUP
#define WB_ROBOT_KEYBOARD_PAGEDOWN WB_KEYBOARD_PAGEDOWN
#define WB_ROBOT_KEYBOARD_KEY WB_KEYBOARD_KEY
#define WB_ROBOT_KEYBOARD_SHIFT WB_KEYBOARD_SHIFT
#define WB_ROBOT_KEYBOARD_CONTROL WB_KEYBOARD_CONTROL
#define WB_ROBOT_KEYBOARD_ALT WB_KEYBOARD_ALT

OD_API void wb_keyboard_enable(int ms) {
  od_command(od_me(), -1, "keyboard", "b", ms > 0);
  od_self->periods[OD_KEYBOARD] = ms;
}
OD_API void wb_keyboard_disable(void) { wb_keyboard_enable(0); }
OD_API int wb_keyboard_get_sampling_period(void) { return od_me()->periods[OD_KEYBOARD]; }
/* The keys that are held, one after another in each step; -1: no more. */
OD_API int wb_keyboard_get_key(void) {
  if (wb_keyboard_get_sampling_period() <= 0 || od_self->next_key >= od_self->keys.count) return -1;
  return (int)od_self->keys.item[od_self->next_key++].number;
}
#define wb_robot_keyboard_enable wb_keyboard_enable
#define wb_robot_keyboard_disable wb_keyboard_disable
/* 0: no more. */
OD_API int wb_robot_keyboard_get_key(void) {
  int key = wb_keyboard_get_key();
  return key < 0 ? 0 : key;
}

/* There are none: they are said to be missing when they are enabled, and nothing comes of them. */

OD_API void od_enable_absent(const char *what, int *period, int ms) {
  if (ms && !*period) fprintf(stderr, "wb_%s_enable(): there is no %s, nothing will come\n", what, what);
  *period = ms;
}
OD_SHARED int od_mouse_period;
OD_SHARED int od_joystick_period;

typedef struct {
  double u, v, x, y, z;
  bool left, middle, right;
} WbMouseState;

OD_API void wb_mouse_enable(int ms) { od_enable_absent("mouse", &od_mouse_period, ms); }
OD_API void wb_mouse_disable(void) { wb_mouse_enable(0); }
OD_API int wb_mouse_get_sampling_period(void) { return od_mouse_period; }
OD_API void wb_mouse_enable_3d_position(void) {}
OD_API void wb_mouse_disable_3d_position(void) {}
OD_API bool wb_mouse_is_3d_position_enabled(void) { return false; }
/* Nothing is pressed and the pointer is nowhere. */
OD_API WbMouseState wb_mouse_get_state(void) {
  WbMouseState state = {NAN, NAN, NAN, NAN, NAN, false, false, false};
  return state;
}

OD_API void wb_joystick_enable(int ms) { od_enable_absent("joystick", &od_joystick_period, ms); }
OD_API void wb_joystick_disable(void) { wb_joystick_enable(0); }
OD_API int wb_joystick_get_sampling_period(void) { return od_joystick_period; }
OD_API bool wb_joystick_is_connected(void) { return false; }
OD_API const char *wb_joystick_get_model(void) { return ""; }
OD_API int wb_joystick_get_number_of_axes(void) { return 0; }
OD_API int wb_joystick_get_axis_value(int axis) { return 0 * axis; }
OD_API int wb_joystick_get_number_of_povs(void) { return 0; }
OD_API int wb_joystick_get_pov_value(int pov) { return 0 * pov; }
OD_API int wb_joystick_get_pressed_button(void) { return -1; }
OD_API void wb_joystick_set_constant_force(int level) { (void)level; }
OD_API void wb_joystick_set_constant_force_duration(double duration) { (void)duration; }
OD_API void wb_joystick_set_auto_centering_gain(double gain) { (void)gain; }
OD_API void wb_joystick_set_resistance_gain(double gain) { (void)gain; }
OD_API void wb_joystick_set_force_axis(int axis) { (void)axis; }

#ifdef __cplusplus
}
#endif
#endif
