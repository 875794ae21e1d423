/* Sensors of a few numbers, and devices that sense whether something is there. */
#ifndef ODESIM_SENSORS_H
#define ODESIM_SENSORS_H

#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  WB_DISTANCE_SENSOR_GENERIC, WB_DISTANCE_SENSOR_INFRA_RED, WB_DISTANCE_SENSOR_SONAR, WB_DISTANCE_SENSOR_LASER
} WbDistanceSensorType;
typedef enum { WB_TOUCH_SENSOR_BUMPER, WB_TOUCH_SENSOR_FORCE, WB_TOUCH_SENSOR_FORCE3D } WbTouchSensorType;
typedef enum { WB_GPS_LOCAL_COORDINATE, WB_GPS_WGS84_COORDINATE } WbGpsCoordinateSystem;

/* Rows of three numbers, input, output and noise, one after another; NULL: the table is empty. */
OD_API const double *od_table(WbDeviceTag tag, const char *function) {
  od_device *device = od_at(tag, function);
  od_value *rows = device ? od_get(device->fields, "lookupTable") : NULL;
  if (!rows || !rows->count) return NULL;
  if (!device->table) device->table = (double *)od_room(NULL, 3 * rows->count * sizeof(double));
  for (size_t i = 0; i < rows->count; i++) od_numbers(&rows->item[i], 0, device->table + 3 * i, 3);
  return device->table;
}
OD_API int od_rows(WbDeviceTag tag, const char *function) {
  od_device *device = od_at(tag, function);
  od_value *rows = device ? od_get(device->fields, "lookupTable") : NULL;
  return rows ? (int)rows->count : 0;
}
/* The largest (sign 1) or smallest (-1) output of the lookup table. */
OD_API double od_most(WbDeviceTag tag, double sign, double otherwise, const char *function) {
  const double *table = od_table(tag, function);
  if (!table) return otherwise;
  double most = table[1];
  for (int i = 1; i < od_rows(tag, function); i++)
    if (sign * table[3 * i + 1] > sign * most) most = table[3 * i + 1];
  return most;
}
/* The place of a word among four; 0 if it is none of them. */
OD_API int od_choice(const char *word, const char *first, const char *second, const char *third) {
  return !strcmp(word, first) ? 1 : !strcmp(word, second) ? 2 : !strcmp(word, third) ? 3 : 0;
}

#define OD_NUMBER(kind) \
  OD_SENSOR(kind)       \
  OD_API double wb_##kind##_get_value(WbDeviceTag tag) { return od_number(od_reading(tag, __func__), NAN); }
#define OD_VECTOR(kind) \
  OD_SENSOR(kind)       \
  OD_API const double *wb_##kind##_get_values(WbDeviceTag tag) { return od_vector(tag, 0, __func__); }
#define OD_TABLE(kind)                                                                                          \
  OD_API const double *wb_##kind##_get_lookup_table(WbDeviceTag tag) { return od_table(tag, __func__); } \
  OD_API int wb_##kind##_get_lookup_table_size(WbDeviceTag tag) { return od_rows(tag, __func__); }

OD_NUMBER(distance_sensor)
OD_TABLE(distance_sensor)
OD_FIELD_OF(distance_sensor, aperture, "aperture")
OD_API double wb_distance_sensor_get_max_value(WbDeviceTag tag) { return od_most(tag, 1, INFINITY, __func__); }
OD_API double wb_distance_sensor_get_min_value(WbDeviceTag tag) { return od_most(tag, -1, 0, __func__); }
OD_API WbDistanceSensorType wb_distance_sensor_get_type(WbDeviceTag tag) {
  return (WbDistanceSensorType)od_choice(od_word_of(tag, "type", __func__), "infra-red", "sonar", "laser");
}
OD_NUMBER(light_sensor)
OD_TABLE(light_sensor)
OD_NUMBER(touch_sensor)
OD_TABLE(touch_sensor)
OD_API const double *wb_touch_sensor_get_values(WbDeviceTag tag) { return od_vector(tag, 0, __func__); }
OD_API WbTouchSensorType wb_touch_sensor_get_type(WbDeviceTag tag) {
  return (WbTouchSensorType)od_choice(od_word_of(tag, "type", __func__), "force", "force-3d", "");
}
OD_NUMBER(altimeter)
OD_VECTOR(compass)
OD_TABLE(compass)
OD_VECTOR(gyro)
OD_TABLE(gyro)
OD_VECTOR(accelerometer)
OD_TABLE(accelerometer)

/* Position in m, or latitude, longitude in degrees and altitude; speed in m/s. */
OD_VECTOR(gps)
OD_API double wb_gps_get_speed(WbDeviceTag tag) { return *od_vector(tag, 3, __func__); }
OD_API const double *wb_gps_get_speed_vector(WbDeviceTag tag) { return od_vector(tag, 4, __func__); }
OD_API WbGpsCoordinateSystem wb_gps_get_coordinate_system(WbDeviceTag tag) {
  return od_info(tag, "is_geographic", 0, __func__) ? WB_GPS_WGS84_COORDINATE : WB_GPS_LOCAL_COORDINATE;
}
OD_API const char *wb_gps_convert_to_degrees_minutes_seconds(double decimal_degrees) {
  static char text[64];
  int degrees = (int)decimal_degrees;
  double rest = 60.0 * (decimal_degrees - degrees);
  int minutes = (int)rest;
  snprintf(text, sizeof text, "%d\xc2\xb0 %d\xe2\x80\xb2 %d\xe2\x80\xb3", degrees, minutes,
           (int)(60.0 * (rest - minutes)));
  return text;
}

OD_SENSOR(inertial_unit)
OD_FIELD_OF(inertial_unit, noise, "noise")
OD_API const double *wb_inertial_unit_get_roll_pitch_yaw(WbDeviceTag tag) { return od_vector(tag, 0, __func__); }
/* x, y, z, w. */
OD_API const double *wb_inertial_unit_get_quaternion(WbDeviceTag tag) { return od_vector(tag, 3, __func__); }

/* ---- connectors and grippers */

#define OD_PRESENCE(kind)                                                                                   \
  OD_SENSOR(kind)                                                                                           \
  OD_API void wb_##kind##_enable_presence(WbDeviceTag tag, int ms) { wb_##kind##_enable(tag, ms); }         \
  OD_API void wb_##kind##_disable_presence(WbDeviceTag tag) { wb_##kind##_enable(tag, 0); }                 \
  OD_API int wb_##kind##_get_presence_sampling_period(WbDeviceTag tag) {                                    \
    return wb_##kind##_get_sampling_period(tag);                                                            \
  }

OD_PRESENCE(connector)
OD_API void wb_connector_lock(WbDeviceTag tag) {
  if (od_set(tag, OD_LOCKED, 1, __func__)) od_command(od_self, tag - 1, "lock", "");
}
OD_API void wb_connector_unlock(WbDeviceTag tag) {
  if (od_set(tag, OD_LOCKED, 0, __func__)) od_command(od_self, tag - 1, "unlock", "");
}
OD_API int wb_connector_get_presence(WbDeviceTag tag) {
  double presence = *od_vector(tag, 0, __func__);
  return isnan(presence) ? -1 : (int)presence;
}
OD_API bool wb_connector_is_locked(WbDeviceTag tag) {
  double measured = od_at(tag, __func__) ? od_self->device[tag - 1].numbers[1] : 0;
  double told = isnan(measured) ? od_field_of(tag, "isLocked", 0, __func__) : measured;
  return od_setting(tag, OD_LOCKED, told, __func__) != 0;
}

OD_PRESENCE(vacuum_gripper)
OD_API void wb_vacuum_gripper_turn_on(WbDeviceTag tag) {
  if (od_set(tag, OD_ON, 1, __func__)) od_command(od_self, tag - 1, "turn_on", "");
}
OD_API void wb_vacuum_gripper_turn_off(WbDeviceTag tag) {
  if (od_set(tag, OD_ON, 0, __func__)) od_command(od_self, tag - 1, "turn_off", "");
}
OD_API bool wb_vacuum_gripper_is_on(WbDeviceTag tag) {
  return od_setting(tag, OD_ON, od_field_of(tag, "isOn", 0, __func__), __func__) != 0;
}
OD_API bool wb_vacuum_gripper_get_presence(WbDeviceTag tag) { return od_number(od_reading(tag, __func__), 0) != 0; }

/* ---- radars */

typedef struct {
  double distance, received_power, speed, azimuth;
} WbRadarTarget;

OD_SENSOR(radar)
OD_FIELD_OF(radar, min_range, "minRange")
OD_FIELD_OF(radar, max_range, "maxRange")
OD_FIELD_OF(radar, horizontal_fov, "horizontalFieldOfView")
OD_FIELD_OF(radar, vertical_fov, "verticalFieldOfView")
OD_API int wb_radar_get_number_of_targets(WbDeviceTag tag) {
  od_value *reading = od_reading(tag, __func__);
  return reading && reading->kind == 'a' ? (int)reading->count : 0;
}
/* They stay until the next reading, one of zeros behind them; NULL: there is no reading yet. */
OD_API const WbRadarTarget *wb_radar_get_targets(WbDeviceTag tag) {
  od_value *reading = od_reading(tag, __func__);
  if (!reading || reading->kind != 'a') return NULL;
  bool is_new;
  size_t count = reading->count;
  od_device *device = &od_self->device[tag - 1];
  WbRadarTarget *made = (WbRadarTarget *)od_made(device, (count + 1) * sizeof *made, &is_new);
  for (size_t i = 0; is_new && i < count; i++) {
    double part[4];
    od_numbers(&device->reading.item[i], 0, part, 4);
    made[i].distance = part[0], made[i].received_power = part[1], made[i].speed = part[2], made[i].azimuth = part[3];
  }
  return made;
}
OD_API const WbRadarTarget *wb_radar_get_target(WbDeviceTag tag, int index) {
  bool is_there = index >= 0 && index < wb_radar_get_number_of_targets(tag);
  return is_there ? wb_radar_get_targets(tag) + index : NULL;
}

#ifdef __cplusplus
}
#endif
#endif
