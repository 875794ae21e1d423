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

OD_API void od_enable_input(const char *device, int which, int ms) {
  od_command(od_me(), -1, device, "b", ms > 0);
  od_self->periods[which] = ms;
}

OD_API void wb_keyboard_enable(int ms) { od_enable_input("keyboard", OD_KEYBOARD, ms); }
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

/* The mouse over the picture of the world; NaN: unknown. */
typedef struct {
  double u, v, x, y, z;
  bool left, middle, right;
} WbMouseState;

OD_SHARED bool od_mouse_has_position;

OD_API void wb_mouse_enable(int ms) { od_enable_input("mouse", OD_MOUSE, ms); }
OD_API void wb_mouse_disable(void) { wb_mouse_enable(0); }
OD_API int wb_mouse_get_sampling_period(void) { return od_me()->periods[OD_MOUSE]; }
OD_API void wb_mouse_enable_3d_position(void) { od_mouse_has_position = true; }
OD_API void wb_mouse_disable_3d_position(void) { od_mouse_has_position = false; }
OD_API bool wb_mouse_is_3d_position_enabled(void) { return od_mouse_has_position; }
OD_API WbMouseState wb_mouse_get_state(void) {
  WbMouseState state = {NAN, NAN, NAN, NAN, NAN, false, false, false};
  double value[8];
  if (wb_mouse_get_sampling_period() <= 0) return state;
  od_numbers(&od_self->mouse, 0, value, 8);
  state.left = value[0] > 0, state.middle = value[1] > 0, state.right = value[2] > 0;
  state.u = value[3], state.v = value[4];
  if (od_mouse_has_position) state.x = value[5], state.y = value[6], state.z = value[7];
  return state;
}

/* The joystick, which is there from its first message on. */
OD_API void wb_joystick_enable(int ms) { od_enable_input("joystick", OD_JOYSTICK, ms); }
OD_API void wb_joystick_disable(void) { wb_joystick_enable(0); }
OD_API int wb_joystick_get_sampling_period(void) { return od_me()->periods[OD_JOYSTICK]; }
OD_API od_value *od_of_joystick(const char *part) {
  return wb_joystick_get_sampling_period() > 0 ? od_get(&od_self->joystick, part) : NULL;
}
OD_API int od_count_of_joystick(const char *part) {
  od_value *values = od_of_joystick(part);
  return values ? (int)values->count : 0;
}
OD_API int od_value_of_joystick(const char *part, int index) {
  return 0 <= index && index < od_count_of_joystick(part) ? (int)od_of_joystick(part)->item[index].number : 0;
}
OD_API bool wb_joystick_is_connected(void) { return od_of_joystick("axes") != NULL; }
OD_API const char *wb_joystick_get_model(void) { return wb_joystick_is_connected() ? "sensor_msgs/Joy" : ""; }
OD_API int wb_joystick_get_number_of_axes(void) { return od_count_of_joystick("axes"); }
OD_API int wb_joystick_get_axis_value(int axis) { return od_value_of_joystick("axes", axis); }
OD_API int wb_joystick_get_number_of_povs(void) { return od_count_of_joystick("povs"); }
OD_API int wb_joystick_get_pov_value(int pov) { return od_value_of_joystick("povs", pov); }
/* The buttons that are pressed, one after another in each step; -1: no more. */
OD_API int wb_joystick_get_pressed_button(void) {
  int count = od_count_of_joystick("buttons");
  return od_self->next_button < (size_t)count ? od_value_of_joystick("buttons", (int)od_self->next_button++) : -1;
}
/* The topic has no way back to the joystick. */
OD_API void wb_joystick_set_constant_force(int level) { (void)level; }
OD_API void wb_joystick_set_constant_force_duration(double duration) { (void)duration; }
OD_API void wb_joystick_set_auto_centering_gain(double gain) { (void)gain; }
OD_API void wb_joystick_set_resistance_gain(double gain) { (void)gain; }
OD_API void wb_joystick_set_force_axis(int axis) { (void)axis; }

#ifdef __cplusplus
}
#endif
#endif
