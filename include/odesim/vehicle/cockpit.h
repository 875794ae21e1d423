/* The lights and the cockpit of a car, devices by their names; those that it has not are passed over. */
#ifndef ODESIM_CAR_COCKPIT_H
#define ODESIM_CAR_COCKPIT_H

#include "../camera.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "../motors.h"
#include "../outputs.h"

typedef enum { OD_INDICATOR_OFF, OD_INDICATOR_RIGHT, OD_INDICATOR_LEFT } WbuDriverIndicatorState;
typedef enum { OD_WIPERS_DOWN, OD_WIPERS_SLOW, OD_WIPERS_NORMAL, OD_WIPERS_FAST } WbuDriverWiperMode;
enum { OD_FRONT_LIGHT, OD_REAR_LIGHT, OD_ANTIFOG, OD_BACKWARDS, OD_BRAKES, OD_RIGHT, OD_LEFT, OD_LIGHTS };
#define OD_FOLLOWS 0.1         /* rad of steering back after which an indicator is switched off */
#define OD_STEERING_WHEEL 10.0 /* rad of the steering wheel for one of the wheels */
#define OD_FASTEST_SHOWN 220.0 /* km/h, where the needle ends */
#define OD_MOST_RPM_SHOWN 11000.0
#define OD_MIRROR_PERIOD 40    /* ms or more between the pictures of a mirror */

typedef struct {
  bool is_on[OD_LIGHTS], is_set[OD_LIGHTS];
  WbuDriverIndicatorState indicator;
  bool hazard, dipped, turns_off; /* turns_off: steering back switches the indicator off */
  double period, farthest;        /* s that an indicator is on, and off; the steering angle farthest to its side, rad */
  WbuDriverWiperMode wipers;
} od_cockpit;

OD_API WbDeviceTag od_device_called(const char *name) { return (WbDeviceTag)(od_find(od_me(), name) + 1); }

/* ---- lights */

/* The devices of a light, each with a zero behind its name. */
OD_API const char *od_light_names(int light) {
  static const char *const names[] = {
    "front_lights\0", "rear_lights\0", "antifog_lights\0", "backwards_lights\0", "brake_lights\0brake_ligths\0",
    "right_indicators\0interior_right_indicators\0", "left_indicators\0interior_left_indicators\0"};
  return names[light];
}
OD_API bool od_has_light(int light) {
  for (const char *name = od_light_names(light); *name; name += strlen(name) + 1)
    if (od_device_called(name)) return true;
  return false;
}
OD_API void od_set_light(od_cockpit *cockpit, int light, bool is_on) {
  if (cockpit->is_set[light] && cockpit->is_on[light] == is_on) return;
  cockpit->is_set[light] = true, cockpit->is_on[light] = is_on;
  for (const char *name = od_light_names(light); *name; name += strlen(name) + 1)
    if (od_device_called(name)) wb_led_set(od_device_called(name), is_on);
}
/* Whether the car has this light, and it is on. */
OD_API bool od_shines(const od_cockpit *cockpit, int light) { return cockpit->is_on[light] && od_has_light(light); }
/* Switch the indicator off once the car steers back, if it shall. */
OD_API void od_follow(od_cockpit *cockpit, double angle) {
  if (!cockpit->turns_off || cockpit->indicator == OD_INDICATOR_OFF) return;
  double side = cockpit->indicator == OD_INDICATOR_RIGHT ? 1 : -1;
  if (side * angle > side * cockpit->farthest)
    cockpit->farthest = angle;
  else if (side * (cockpit->farthest - angle) >= OD_FOLLOWS)
    cockpit->indicator = OD_INDICATOR_OFF;
}
OD_API void od_blink(od_cockpit *cockpit, double time) {
  bool shines = cockpit->period <= 0 || (long)(time / cockpit->period) % 2 == 0;
  od_set_light(cockpit, OD_RIGHT, shines && (cockpit->hazard || cockpit->indicator == OD_INDICATOR_RIGHT));
  od_set_light(cockpit, OD_LEFT, shines && (cockpit->hazard || cockpit->indicator == OD_INDICATOR_LEFT));
}

/* ---- steering wheel, lever, needles, wipers, mirrors */

OD_API void od_move_part(const char *name, double position) {
  WbDeviceTag motor = od_device_called(name);
  if (motor) wb_motor_set_position(motor, position);
}
OD_API void od_show_indicator(WbuDriverIndicatorState side) {
  WbDeviceTag motor = od_device_called("indicator_lever_motor");
  if (motor)
    wb_motor_set_position(motor, side == OD_INDICATOR_RIGHT  ? wb_motor_get_max_position(motor)
                                 : side == OD_INDICATOR_LEFT ? wb_motor_get_min_position(motor)
                                                : 0);
}
OD_API void od_show_needle(const char *name, double part) {
  WbDeviceTag motor = od_device_called(name);
  if (motor) wb_motor_set_position(motor, fmin(1, part) * wb_motor_get_max_position(motor));
}
OD_API bool od_has_wipers(void) {
  return od_device_called("right_wiper_motor") && od_device_called("left_wiper_motor") && od_device_called("wiper_sensor");
}
OD_API void od_move_wipers(bool is_up) {
  static const char *const names[] = {"right_wiper_motor", "left_wiper_motor"};
  for (int i = 0; i < 2; i++) {
    WbDeviceTag motor = od_device_called(names[i]);
    wb_motor_set_position(motor, is_up ? wb_motor_get_max_position(motor) : wb_motor_get_min_position(motor));
  }
}
/* A car without wipers stays OD_WIPERS_DOWN. */
OD_API void od_set_wipers(od_cockpit *cockpit, WbuDriverWiperMode mode) {
  if (!od_has_wipers()) return;
  cockpit->wipers = mode;
  wb_motor_set_velocity(od_device_called("right_wiper_motor"), mode == OD_WIPERS_FAST ? 4 : 2);
  wb_motor_set_velocity(od_device_called("left_wiper_motor"), mode == OD_WIPERS_FAST ? 4 : 2);
  if (mode == OD_WIPERS_DOWN) od_move_wipers(false);
}
/* Turn round at the ends; slow wipers wipe in the first of four seconds. */
OD_API void od_wipe(const od_cockpit *cockpit, double time) {
  if (cockpit->wipers == OD_WIPERS_DOWN) return;
  WbDeviceTag motor = od_device_called("right_wiper_motor");
  double low = wb_motor_get_min_position(motor), high = wb_motor_get_max_position(motor), near = 0.02 * (high - low);
  double now = wb_position_sensor_get_value(od_device_called("wiper_sensor"));
  if (now >= high - near || (cockpit->wipers == OD_WIPERS_SLOW && (long)time % 4 != 0))
    od_move_wipers(false);
  else if (now <= low + near)
    od_move_wipers(true);
}
OD_API void od_start_cockpit(od_cockpit *cockpit, int step_ms) {
  static const char *const mirrors[] = {"rear", "left_wing", "right_wing"};
  memset(cockpit, 0, sizeof *cockpit);
  cockpit->turns_off = true;
  cockpit->period = 0.34;
  if (od_has_wipers()) wb_position_sensor_enable(od_device_called("wiper_sensor"), step_ms);
  for (int i = 0; i < 3; i++) {
    char camera_name[32], display_name[32];
    snprintf(camera_name, sizeof camera_name, "%s_camera", mirrors[i]);
    snprintf(display_name, sizeof display_name, "%s_display", mirrors[i]);
    WbDeviceTag camera = od_device_called(camera_name), display = od_device_called(display_name);
    if (!camera || !display || wb_camera_get_width(camera) != wb_display_get_width(display) ||
        wb_camera_get_height(camera) != wb_display_get_height(display))
      continue;
    wb_camera_enable(camera, (OD_MIRROR_PERIOD + step_ms - 1) / step_ms * step_ms);
    wb_display_attach_camera(display, camera);
  }
}

#ifdef __cplusplus
}
#endif
#endif
