/* Driving a car: what a human driver could do. Speeds in km/h, angles in rad, positive to the right. */
#ifndef ODESIM_DRIVER_H
#define ODESIM_DRIVER_H

#include "cockpit.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "parts.h"

typedef enum { OD_MODE_UNDEFINED = -1, OD_MODE_SPEED, OD_MODE_TORQUE } WbuDriverControlMode;
typedef WbuDriverIndicatorState wbu_indicator_state;
typedef WbuDriverControlMode wbu_control_mode;
typedef WbuDriverWiperMode wbu_wipers_mode;
#define OD_SLOWEST 1e-3 /* rad/s: a brake's torque is the same at all speeds, down to this one */
enum { OD_DIFFERENTIAL_FRONT, OD_DIFFERENTIAL_REAR, OD_DIFFERENTIAL_CENTRAL };

typedef struct {
  od_car_parameters is;
  od_cockpit cockpit;
  int step_ms;
  WbDeviceTag steer[2], steer_sensor[2], sensor[OD_WHEELS], brake[OD_WHEELS];
  WbDeviceTag motor[OD_WHEELS]; /* 0: the wheel is not driven */
  bool drives[2];               /* front, rear */
  WbuDriverControlMode mode;
  double angle, angles[2], cruising, throttle, braking, rpm; /* angles of the right and the left wheel */
  int gear;
  double bias[3];
  bool limits_slip;
  double positions[OD_WHEELS], speeds[OD_WHEELS], acceleration; /* rad, rad/s, rad/s² */
} od_car;

OD_SHARED od_car *od_the_car;

OD_API void od_no_car(const char *what, const char *side, const char *part) {
  fprintf(stderr, "controller: robot \"%s\" %s %s%s, expected what the PROTO Car makes\n", wb_robot_get_name(), what, side,
          part);
  exit(2);
}
OD_API WbDeviceTag od_part_of_car(const char *side, const char *part, bool is_needed) {
  char name[40];
  snprintf(name, sizeof name, "%s%s", side, part);
  if (is_needed && !od_device_called(name)) od_no_car("has no device", side, part);
  return od_device_called(name);
}

/* ---- begin, step, end */

OD_API bool wbu_driver_initialization_is_possible(void) {
  od_car_parameters car;
  return od_read_car(wb_robot_get_custom_data(), &car);
}
OD_API void wbu_driver_init(void) {
  static const char *const sides[] = {"right", "left"};
  static const char *const wheels[] = {"right_front", "left_front", "right_rear", "left_rear"};
  if (od_the_car) return;
  od_car *car = (od_car *)calloc(1, sizeof *car);
  if (!od_read_car(wb_robot_get_custom_data(), &car->is)) od_no_car("is no car:", "its customData", "");
  car->step_ms = (int)wb_robot_get_basic_time_step();
  for (int i = 0; i < 2; i++) {
    car->steer[i] = od_part_of_car(sides[i], "_steer", true);
    car->steer_sensor[i] = od_part_of_car(sides[i], "_steer_sensor", true);
    wb_position_sensor_enable(car->steer_sensor[i], car->step_ms);
  }
  for (int i = 0; i < OD_WHEELS; i++) {
    car->sensor[i] = od_part_of_car(wheels[i], "_sensor", true);
    car->brake[i] = od_part_of_car(wheels[i], "_brake", true);
    car->motor[i] = od_part_of_car(wheels[i], "_wheel", false);
    car->positions[i] = NAN;
    wb_position_sensor_enable(car->sensor[i], car->step_ms);
    if (!car->motor[i]) continue;
    wb_motor_set_position(car->motor[i], INFINITY);
    wb_motor_set_velocity(car->motor[i], 0);
  }
  for (int axle = 0; axle < 2; axle++) car->drives[axle] = car->motor[2 * axle] && car->motor[2 * axle + 1];
  if (!car->drives[0] && !car->drives[1]) od_no_car("has no motors at the wheels of an axle", "", "");
  car->mode = OD_MODE_UNDEFINED;
  car->limits_slip = true;
  od_start_cockpit(&car->cockpit, car->step_ms);
  od_the_car = car;
}
OD_API od_car *od_my_car(void) { return wbu_driver_init(), od_the_car; }
OD_API void wbu_driver_cleanup(void) {
  free(od_the_car);
  od_the_car = NULL;
  wb_robot_cleanup();
}

OD_API double od_differ(od_car *car, int which, double first_way, double second_way, double first, double second) {
  if (car->limits_slip) car->bias[which] = od_feel(car->bias[which], first_way, second_way, first, second);
  return od_share(car->bias[which], first_way, second_way);
}
/* The engine's torque, shared between the driven wheels. */
OD_API void od_push(od_car *car) {
  double torque = od_output_torque(&car->is, car->gear, car->throttle, car->rpm, car->acceleration), ways[OD_WHEELS];
  double part[2] = {1, 1};
  const double *speed = car->speeds;
  od_ways(&car->is, car->angle, ways);
  if (car->drives[0] && car->drives[1]) {
    part[0] = od_differ(car, OD_DIFFERENTIAL_CENTRAL, ways[0] + ways[1], ways[2] + ways[3],
                        (speed[0] + speed[1]) * car->is.front_radius, (speed[2] + speed[3]) * car->is.rear_radius);
    part[1] = 1 - part[0];
  }
  for (int axle = 0; axle < 2; axle++) {
    int right = 2 * axle, left = right + 1;
    if (!car->drives[axle]) continue;
    double of_right = od_differ(car, axle, ways[right], ways[left], speed[right], speed[left]);
    wb_motor_set_torque(car->motor[right], torque * part[axle] * of_right);
    wb_motor_set_torque(car->motor[left], torque * part[axle] * (1 - of_right));
  }
}
/* The speeds of the wheels in the last step. */
OD_API void od_measure(od_car *car) {
  double seconds = car->step_ms / 1e3, sum = 0;
  car->acceleration = 0;
  for (int i = 0; i < OD_WHEELS; i++) {
    double position = wb_position_sensor_get_value(car->sensor[i]), turned = position - car->positions[i];
    double speed = isnan(turned) ? 0 : turned / seconds;
    car->acceleration = fmax(car->acceleration, fabs(speed - car->speeds[i]) / seconds);
    car->positions[i] = position;
    sum += car->speeds[i] = speed;
  }
  car->rpm = od_engine_rpm(&car->is, car->gear, sum / 4);
}
/* From the speeds of the driven wheels. */
OD_API double wbu_driver_get_current_speed(void) {
  const od_car *car = od_my_car();
  double sum = 0;
  int count = 0;
  for (int i = 0; i < OD_WHEELS; i++)
    if (car->drives[i / 2]) sum += car->speeds[i] * od_radius(&car->is, i), count++;
  return 3.6 * sum / count;
}
/* One step of the world; -1: it is over. A car has no other step. */
OD_API int wbu_driver_step(void) {
  od_car *car = od_my_car();
  od_blink(&car->cockpit, wb_robot_get_time());
  bool is_backwards = car->mode == OD_MODE_TORQUE ? car->gear < 0 : car->mode == OD_MODE_SPEED && car->cruising < 0;
  od_set_light(&car->cockpit, OD_BACKWARDS, is_backwards);
  od_wipe(&car->cockpit, wb_robot_get_time());
  od_show_needle("speed_needle_motor", fabs(wbu_driver_get_current_speed()) / OD_FASTEST_SHOWN);
  od_show_needle("rpm_needle_motor", car->rpm / OD_MOST_RPM_SHOWN);
  if (car->mode == OD_MODE_TORQUE) od_push(car);
  for (int i = 0; i < OD_WHEELS && car->braking > 0; i++)
    wb_brake_set_damping_constant(car->brake[i],
                                  car->braking * car->is.brake_coefficient / fmax(fabs(car->speeds[i]), OD_SLOWEST));
  int ended = wb_robot_step(car->step_ms);
  od_measure(car);
  return ended;
}

/* ---- steering and speed */

/* Drive at a speed, without the engine: each wheel as fast as the curve asks. */
OD_API void wbu_driver_set_cruising_speed(double speed) {
  od_car *car = od_my_car();
  double ways[OD_WHEELS], mean = 0;
  int count = 0;
  if (isnan(speed)) {
    fprintf(stderr, "Error: %s(): found NaN, expected a number\n", __func__);
    return;
  }
  od_ways(&car->is, car->angle, ways);
  for (int i = 0; i < OD_WHEELS; i++)
    if (car->drives[i / 2]) mean += ways[i], count++;
  mean /= count;
  for (int i = 0; i < OD_WHEELS; i++) {
    double radius = od_radius(&car->is, i);
    if (!car->drives[i / 2]) continue;
    if (radius <= 0) {
      fprintf(stderr, "Error: %s(): the radius of the wheels is not known\n", __func__);
      break;
    }
    wb_motor_set_velocity(car->motor[i], speed / 3.6 * ways[i] / mean / radius);
    if (car->mode == OD_MODE_TORQUE) wb_motor_set_position(car->motor[i], INFINITY);
  }
  car->cruising = speed;
  car->mode = OD_MODE_SPEED;
}
OD_API double wbu_driver_get_target_cruising_speed(void) { return od_my_car()->cruising; }

/* Steer the middle of the front axle so; each wheel by Ackermann's condition. */
OD_API void wbu_driver_set_steering_angle(double steering_angle) {
  od_car *car = od_my_car();
  if (isnan(steering_angle)) {
    fprintf(stderr, "Error: %s(): found NaN, expected a number\n", __func__);
    return;
  }
  car->angle = steering_angle;
  od_steer(&car->is, steering_angle, car->angles);
  for (int i = 0; i < 2; i++) wb_motor_set_position(car->steer[i], car->angles[i]);
  od_move_part("steering_wheel_motor", OD_STEERING_WHEEL * steering_angle);
  od_follow(&car->cockpit, steering_angle);
  if (car->cockpit.indicator == OD_INDICATOR_OFF) od_show_indicator(OD_INDICATOR_OFF);
  if (car->mode == OD_MODE_SPEED) wbu_driver_set_cruising_speed(car->cruising);
}
/* The mean of both wheels' angles now. */
OD_API double wbu_driver_get_steering_angle(void) {
  const od_car *car = od_my_car();
  return (wb_position_sensor_get_value(car->steer_sensor[0]) + wb_position_sensor_get_value(car->steer_sensor[1])) / 2;
}

/* ---- engine and brake */

OD_API double od_part(double value, const char *function) {
  if (!(value >= 0 && value <= 1)) fprintf(stderr, "Error: %s() called with %g, expected 0 to 1\n", function, value);
  return value > 0 ? fmin(value, 1) : 0;
}
/* Drive with the engine, by this part of its torque, 0 to 1. */
OD_API void wbu_driver_set_throttle(double throttle) {
  od_my_car()->throttle = od_part(throttle, __func__);
  od_the_car->mode = OD_MODE_TORQUE;
}
OD_API double wbu_driver_get_throttle(void) { return od_my_car()->throttle; }
/* Brake all wheels by this part of the torque that the car can, 0 to 1. */
OD_API void wbu_driver_set_brake_intensity(double intensity) {
  od_car *car = od_my_car();
  car->braking = od_part(intensity, __func__);
  od_set_light(&car->cockpit, OD_BRAKES, car->braking > 0);
  for (int i = 0; i < OD_WHEELS && car->braking == 0; i++) wb_brake_set_damping_constant(car->brake[i], 0);
}
OD_API double wbu_driver_get_brake_intensity(void) { return od_my_car()->braking; }
#define wbu_driver_set_brake wbu_driver_set_brake_intensity
#define wbu_driver_get_brake wbu_driver_get_brake_intensity
/* With the reverse gear. */
OD_API int wbu_driver_get_gear_number(void) { return od_my_car()->is.gears; }
/* -1: reverse, 0: none, 1 and more: forward. */
OD_API void wbu_driver_set_gear(int gear) {
  int highest = wbu_driver_get_gear_number() - 1;
  if (gear < -1 || gear > highest)
    fprintf(stderr, "Error: %s() called with gear %d, expected -1 to %d\n", __func__, gear, highest);
  od_the_car->gear = gear < -1 ? -1 : gear > highest ? highest : gear;
}
OD_API bool od_cruises(const char *function) {
  if (od_my_car()->mode != OD_MODE_SPEED) return false;
  fprintf(stderr, "Error: %s(): there is no engine while the car drives at a cruising speed\n", function);
  return true;
}
OD_API int wbu_driver_get_gear(void) { return od_cruises(__func__) ? 0 : od_the_car->gear; }
OD_API double wbu_driver_get_rpm(void) { return od_cruises(__func__) ? 0 : od_the_car->rpm; }
OD_API WbuDriverControlMode wbu_driver_get_control_mode(void) { return od_my_car()->mode; }

/* ---- lights and wipers */

OD_API void wbu_driver_set_indicator(WbuDriverIndicatorState state) {
  od_my_car()->cockpit.indicator = state;
  od_the_car->cockpit.farthest = od_the_car->angle;
  od_show_indicator(state);
}
OD_API WbuDriverIndicatorState wbu_driver_get_indicator(void) { return od_my_car()->cockpit.indicator; }
OD_API void wbu_driver_set_hazard_flashers(bool state) { od_my_car()->cockpit.hazard = state; }
OD_API bool wbu_driver_get_hazard_flashers(void) { return od_my_car()->cockpit.hazard; }
OD_API void wbu_driver_set_dipped_beams(bool state) {
  od_my_car()->cockpit.dipped = state;
  od_set_light(&od_the_car->cockpit, OD_FRONT_LIGHT, state);
  od_set_light(&od_the_car->cockpit, OD_REAR_LIGHT, state);
}
OD_API bool wbu_driver_get_dipped_beams(void) { return od_my_car()->cockpit.dipped; }
OD_API void wbu_driver_set_antifog_lights(bool state) { od_set_light(&od_my_car()->cockpit, OD_ANTIFOG, state); }
OD_API bool wbu_driver_get_antifog_lights(void) { return od_shines(&od_my_car()->cockpit, OD_ANTIFOG); }
OD_API void wbu_driver_set_wiper_mode(WbuDriverWiperMode mode) { od_set_wipers(&od_my_car()->cockpit, mode); }
OD_API WbuDriverWiperMode wbu_driver_get_wiper_mode(void) { return od_my_car()->cockpit.wipers; }
#define wbu_driver_set_wipers_mode wbu_driver_set_wiper_mode
#define wbu_driver_get_wipers_mode wbu_driver_get_wiper_mode

#ifdef __cplusplus
}
#endif
#endif
