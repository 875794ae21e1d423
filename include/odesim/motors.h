/* What moves at joints: motors, servos, brakes, sensors of position, and DifferentialWheels. */
#ifndef ODESIM_MOTORS_H
#define ODESIM_MOTORS_H

#include "sensors.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WB_ROTATIONAL, WB_LINEAR } WbJointType;
#define WB_ANGULAR WB_ROTATIONAL
#define WB_SERVO_INFINITY INFINITY

/* ---- motors; those that are coupled obey what one of them is told */

/* Where a motor goes to, within its limits, where its joint's position is so many times as far. */
OD_API double od_within_limits(int tag, double position, double factor) {
  double low = od_field(od_self, tag, "minPosition", 0) / factor, high = od_field(od_self, tag, "maxPosition", 0) / factor;
  if (low > high) {
    double swapped = low;
    low = high, high = swapped;
  }
  if (low == high || isinf(position)) return position;
  return position < low ? low : position > high ? high : position;
}
OD_API double od_multiplier(int tag) { return od_field(od_self, tag, "multiplier", 1); }
OD_API void od_couple(int tag, int which, double value) {
  od_value *coupled = od_get(od_self->device[tag].info, "coupled");
  for (size_t i = 0; coupled && i < coupled->count; i++) {
    int other = (int)coupled->item[i].number;
    double scaled = isinf(value) && which == OD_TARGET ? value : value * od_multiplier(other);
    od_self->device[other].set[which] = which == OD_TARGET ? od_within_limits(other, scaled, 1) : scaled;
  }
}
OD_API void wb_motor_set_position(WbDeviceTag tag, double position) {
  if (!od_at(tag, __func__) || !od_command(od_self, tag - 1, "set_webots_position", "d", position)) return;
  od_self->device[tag - 1].set[OD_TARGET] = od_within_limits(tag - 1, position, od_multiplier(tag - 1));
  od_couple(tag - 1, OD_TARGET, position);
}
OD_API void wb_motor_set_velocity(WbDeviceTag tag, double velocity) {
  if (!od_at(tag, __func__) || !od_command(od_self, tag - 1, "set_webots_velocity", "d", velocity)) return;
  od_self->device[tag - 1].set[OD_SPEED] = velocity;
  od_couple(tag - 1, OD_SPEED, velocity);
}
OD_API void wb_motor_set_acceleration(WbDeviceTag tag, double acceleration) {
  if (od_at(tag, __func__) && od_command(od_self, tag - 1, "set_acceleration", "d", acceleration))
    od_self->device[tag - 1].set[OD_ACCELERATION] = acceleration;
}
/* N·m or N. */
OD_API void wb_motor_set_available_torque(WbDeviceTag tag, double torque) {
  if (od_at(tag, __func__) && od_command(od_self, tag - 1, "set_available_effort", "d", torque))
    od_self->device[tag - 1].set[OD_AVAILABLE] = torque;
}
OD_TELL(motor, set_torque, "set_webots_effort")
OD_API void wb_motor_set_control_pid(WbDeviceTag tag, double p, double i, double d) {
  OD_SAY(tag, "set_control_pid", "ddd", p, i, d);
}

OD_API double wb_motor_get_target_position(WbDeviceTag tag) {
  return od_setting(tag, OD_TARGET, od_info(tag, "target", NAN, __func__), __func__);
}
OD_API double wb_motor_get_max_velocity(WbDeviceTag tag) { return od_info(tag, "max_velocity", NAN, __func__); }
OD_API double wb_motor_get_velocity(WbDeviceTag tag) {
  return od_setting(tag, OD_SPEED, wb_motor_get_max_velocity(tag), __func__);
}
OD_API double wb_motor_get_acceleration(WbDeviceTag tag) {
  return od_setting(tag, OD_ACCELERATION, od_field_of(tag, "acceleration", -1, __func__), __func__);
}
/* 0, as the maximum, if there are no limits. */
OD_FIELD_OF(motor, min_position, "minPosition")
OD_FIELD_OF(motor, max_position, "maxPosition")
OD_API double wb_motor_get_multiplier(WbDeviceTag tag) { return od_field_of(tag, "multiplier", 1, __func__); }
OD_API double wb_motor_get_max_torque(WbDeviceTag tag) { return od_info(tag, "max_effort", NAN, __func__); }
OD_API double wb_motor_get_available_torque(WbDeviceTag tag) {
  return od_setting(tag, OD_AVAILABLE, wb_motor_get_max_torque(tag), __func__);
}
OD_API WbJointType wb_motor_get_type(WbDeviceTag tag) {
  return od_at(tag, __func__) && !strcmp(od_type(od_self, tag - 1), "LinearMotor") ? WB_LINEAR : WB_ROTATIONAL;
}

OD_API void wb_motor_enable_torque_feedback(WbDeviceTag tag, int ms) {
  od_device *device = od_at(tag, __func__);
  if (!device) return;
  od_command(od_self, tag - 1, "feedback", "i", ms);
  device->feedback_period = ms;
  if (ms <= 0) od_free(&device->reading);
}
OD_API void wb_motor_disable_torque_feedback(WbDeviceTag tag) { wb_motor_enable_torque_feedback(tag, 0); }
OD_API int wb_motor_get_torque_feedback_sampling_period(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_self->device[tag - 1].feedback_period : 0;
}
OD_API double wb_motor_get_torque_feedback(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_number(&od_self->device[tag - 1].reading, NAN) : NAN;
}
#define wb_motor_set_available_force wb_motor_set_available_torque
#define wb_motor_set_force wb_motor_set_torque
#define wb_motor_get_available_force wb_motor_get_available_torque
#define wb_motor_get_max_force wb_motor_get_max_torque
#define wb_motor_enable_force_feedback wb_motor_enable_torque_feedback
#define wb_motor_disable_force_feedback wb_motor_disable_torque_feedback
#define wb_motor_get_force_feedback wb_motor_get_torque_feedback
#define wb_motor_get_force_feedback_sampling_period wb_motor_get_torque_feedback_sampling_period
/* Names of versions 7 and 8. */
#define wb_motor_set_control_p wb_servo_set_control_p
#define wb_motor_set_motor_force wb_motor_set_available_torque
#define wb_motor_set_motor_torque wb_motor_set_available_torque
#define wb_motor_enable_motor_force_feedback wb_motor_enable_torque_feedback
#define wb_motor_disable_motor_force_feedback wb_motor_disable_torque_feedback
#define wb_motor_get_motor_force_feedback wb_motor_get_torque_feedback

/* ---- brakes, and what else is at a joint: a tag, 0: there is none */

OD_NUMBER(position_sensor)
OD_TELL(brake, set_damping_constant, "set_damping")
OD_API WbDeviceTag od_neighbour(WbDeviceTag tag, const char *what, const char *function) {
  return (WbDeviceTag)(od_info(tag, what, -1, function) + 1);
}
#define OD_AT_JOINT(kind, name, what) \
  OD_API WbDeviceTag wb_##kind##_get_##name(WbDeviceTag tag) { return od_neighbour(tag, what, __func__); }
#define OD_JOINT_TYPE(kind)                                                       \
  OD_API WbJointType wb_##kind##_get_type(WbDeviceTag tag) {                      \
    return od_info(tag, "is_linear", 0, __func__) ? WB_LINEAR : WB_ROTATIONAL;    \
  }
OD_AT_JOINT(motor, brake, "brake")
OD_AT_JOINT(motor, position_sensor, "sensor")
OD_AT_JOINT(brake, motor, "motor")
OD_AT_JOINT(brake, position_sensor, "sensor")
OD_JOINT_TYPE(brake)
OD_AT_JOINT(position_sensor, motor, "motor")
OD_AT_JOINT(position_sensor, brake, "brake")
OD_JOINT_TYPE(position_sensor)

/* ---- servos, of worlds of before version 7.2: a joint and its motor in one */

#define wb_servo_set_position wb_motor_set_position
#define wb_servo_set_velocity wb_motor_set_velocity
#define wb_servo_set_acceleration wb_motor_set_acceleration
#define wb_servo_set_motor_force wb_motor_set_available_torque
#define wb_servo_set_force wb_motor_set_torque
#define wb_servo_get_target_position wb_motor_get_target_position
#define wb_servo_get_min_position wb_motor_get_min_position
#define wb_servo_get_max_position wb_motor_get_max_position
#define wb_servo_enable_motor_force_feedback wb_motor_enable_torque_feedback
#define wb_servo_disable_motor_force_feedback wb_motor_disable_torque_feedback
#define wb_servo_get_motor_force_feedback wb_motor_get_torque_feedback
#define wb_servo_get_motor_force_feedback_sampling_period wb_motor_get_torque_feedback_sampling_period
OD_API void wb_servo_set_control_p(WbDeviceTag tag, double p) { OD_SAY(tag, "set_control_pid", "ddd", p, 0.0, 0.0); }
OD_API void wb_servo_enable_position(WbDeviceTag tag, int ms) {
  od_device *device = od_at(tag, __func__);
  if (!device) return;
  od_command(od_self, tag - 1, "position", "i", ms);
  device->position_period = ms;
  if (ms <= 0) device->position = NAN;
}
OD_API void wb_servo_disable_position(WbDeviceTag tag) { wb_servo_enable_position(tag, 0); }
OD_API int wb_servo_get_position_sampling_period(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_self->device[tag - 1].position_period : 0;
}
OD_API double wb_servo_get_position(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_self->device[tag - 1].position : NAN;
}
OD_API WbJointType wb_servo_get_type(WbDeviceTag tag) {
  return !strcmp(od_word_of(tag, "type", __func__), "linear") ? WB_LINEAR : WB_ROTATIONAL;
}

/* ---- DifferentialWheels */

OD_API int od_wheels(void) {
  for (int i = 0; i < od_me()->devices; i++)
    if (!strcmp(od_type(od_self, i), "DifferentialWheels")) return i;
  fprintf(stderr, "Error: robot \"%s\" is no DifferentialWheels\n", wb_robot_get_name());
  exit(2);
}
OD_API void wb_differential_wheels_set_speed(double left, double right) {
  int tag = od_wheels();
  if (!od_command(od_self, tag, "set_speed", "dd", left, right)) return;
  od_self->device[tag].set[OD_SPEED] = left, od_self->device[tag].set[OD_TARGET] = right;
}
OD_API double od_wheel_speed(int side) {
  double speed = od_me()->device[od_wheels()].set[side];
  return isnan(speed) ? 0 : speed;
}
OD_API double wb_differential_wheels_get_left_speed(void) { return od_wheel_speed(OD_SPEED); }
OD_API double wb_differential_wheels_get_right_speed(void) { return od_wheel_speed(OD_TARGET); }
OD_API void wb_differential_wheels_enable_encoders(int ms) {
  int tag = od_wheels();
  od_command(od_self, tag, "feedback", "i", ms);
  od_self->device[tag].feedback_period = ms;
}
OD_API void wb_differential_wheels_disable_encoders(void) {
  wb_differential_wheels_enable_encoders(0);
  od_numbers(NULL, 0, od_self->device[od_wheels()].numbers, 2);
}
OD_API int wb_differential_wheels_get_encoders_sampling_period(void) {
  return od_me()->device[od_wheels()].feedback_period;
}
OD_API double wb_differential_wheels_get_left_encoder(void) { return od_me()->device[od_wheels()].numbers[0]; }
OD_API double wb_differential_wheels_get_right_encoder(void) { return od_me()->device[od_wheels()].numbers[1]; }
#define wb_differential_wheels_get_left_encoders wb_differential_wheels_get_left_encoder /* the book's */
#define wb_differential_wheels_get_right_encoders wb_differential_wheels_get_right_encoder
OD_API void wb_differential_wheels_set_encoders(double left, double right) {
  od_command(od_me(), od_wheels(), "set_encoders", "dd", left, right);
}
OD_API double wb_differential_wheels_get_max_speed(void) { return od_field(od_me(), od_wheels(), "maxSpeed", NAN); }
OD_API double wb_differential_wheels_get_speed_unit(void) { return od_field(od_me(), od_wheels(), "speedUnit", NAN); }

#ifdef __cplusplus
}
#endif
#endif
