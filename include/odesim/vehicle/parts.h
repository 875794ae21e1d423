/* How a car is made, steers and is driven: the formulas of webots_api/vehicle. */
#ifndef ODESIM_CAR_PARTS_H
#define ODESIM_CAR_PARTS_H

#include "../motors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the PROTO Car writes into the robot's customData; lengths in m, torques in N·m, powers in W. */
typedef struct {
  double wheelbase, front_track, rear_track, front_radius, rear_radius;
  double brake_coefficient, wheels_damping; /* N·m at each wheel, N·m·s/rad */
  int engine;                               /* combustion, electric, parallel hybrid, power-split hybrid */
  double max_torque, max_power, min_rpm, max_rpm;
  double curve[3]; /* a, b, c of the torque a + b·rpm + c·rpm² of a combustion engine */
  double split_ratio, split_rpm, sound_rpm;
  int gears;
  double gear_ratio[32]; /* turns of the engine for one of the wheels; the first, negative, is the reverse gear */
} od_car_parameters;

enum { OD_COMBUSTION, OD_ELECTRIC, OD_PARALLEL_HYBRID, OD_POWER_SPLIT_HYBRID };
enum { OD_FRONT_RIGHT, OD_FRONT_LEFT, OD_REAR_RIGHT, OD_REAR_LEFT, OD_WHEELS }; /* the order of wheels */
#define OD_RPM (30 / acos(-1.0))     /* turns in a minute at 1 rad/s */
#define OD_LARGEST_ACCELERATION 50.0 /* rad/s², of a wheel: past it the torque is lowered */

/* False: the text is not what the PROTO writes. */
OD_API bool od_read_car(const char *custom_data, od_car_parameters *car) {
  double *const head[] = {&car->wheelbase,   &car->front_track,       &car->rear_track,    &car->front_radius,
                          &car->rear_radius, &car->brake_coefficient, &car->wheels_damping};
  double *const engine[] = {&car->max_torque, &car->max_power, &car->min_rpm,     &car->max_rpm,   &car->curve[0],
                            &car->curve[1],   &car->curve[2],  &car->split_ratio, &car->split_rpm, &car->sound_rpm};
  const char *rest = custom_data;
  char *behind;
  memset(car, 0, sizeof *car);
  for (int i = 0; i < 7; i++, rest = behind)
    if (*head[i] = strtod(rest, &behind), behind == rest) return false;
  while (*rest == ' ') rest++;
  const char *const letters = "CEPS", *letter = *rest ? strchr(letters, *rest) : NULL;
  if (!letter) return false;
  car->engine = (int)(letter - letters);
  rest++;
  for (int i = 0; i < 10; i++, rest = behind)
    if (*engine[i] = strtod(rest, &behind), behind == rest) return false;
  car->gears = (int)strtol(rest, &behind, 10);
  if (behind == rest || car->gears < 2 || car->gears > 32) return false;
  rest = behind;
  strtod(rest, &behind); /* a number that counts for nothing */
  rest = behind;
  for (int i = 0; i < car->gears; i++, rest = behind)
    if (car->gear_ratio[i] = strtod(rest, &behind), behind == rest) return false;
  return true;
}

/* ---- wheels; angles are positive to the right */

/* Angles of the right and the left wheel for that of one in their middle: cot d -+ track / (2 wheelbase). */
OD_API void od_steer(const od_car_parameters *car, double angle, double *angles) {
  for (int side = 0; side < 2; side++) {
    double half = (side == 0 ? -1 : 1) * car->front_track / 2 * tan(angle) / car->wheelbase;
    angles[side] = atan(tan(angle) / (1 + half));
  }
}
/* How far each wheel rolls while the middle of the rear axle goes 1 m. */
OD_API void od_ways(const od_car_parameters *car, double angle, double *ways) {
  double curvature = tan(angle) / car->wheelbase;
  for (int i = 0; i < OD_WHEELS; i++) {
    double track = i < OD_REAR_RIGHT ? car->front_track : car->rear_track;
    double beside = 1 + curvature * (i % 2 == 0 ? -track : track) / 2;
    ways[i] = copysign(hypot(beside, curvature * (i < OD_REAR_RIGHT ? car->wheelbase : 0)), beside);
  }
}
OD_API double od_radius(const od_car_parameters *car, int wheel) {
  return wheel < OD_REAR_RIGHT ? car->front_radius : car->rear_radius;
}

/* ---- the engine */

OD_API double od_gear_ratio(const od_car_parameters *car, int gear) {
  return gear == 0 ? 0 : car->gear_ratio[gear < 0 ? 0 : gear];
}
/* Turns in a minute at a mean speed of the wheels in rad/s. */
OD_API double od_engine_rpm(const od_car_parameters *car, int gear, double wheel_speed) {
  return fmin(car->max_rpm, fabs(wheel_speed * OD_RPM * od_gear_ratio(car, gear)));
}
OD_API double od_burnt(const od_car_parameters *car, double rpm) {
  return car->curve[0] + car->curve[1] * rpm + car->curve[2] * rpm * rpm;
}
/* N·m at full throttle; none at the highest speed. */
OD_API double od_engine_torque(const od_car_parameters *car, double rpm) {
  double torque = 0;
  if (rpm >= car->max_rpm) return 0;
  if (car->engine == OD_COMBUSTION)
    torque = od_burnt(car, fmax(rpm, car->min_rpm));
  else if (car->engine == OD_PARALLEL_HYBRID && rpm >= car->min_rpm)
    torque = od_burnt(car, rpm);
  else if (car->engine == OD_POWER_SPLIT_HYBRID && rpm >= car->min_rpm)
    torque = (1 - car->split_ratio) * od_burnt(car, car->split_rpm);
  if (car->engine != OD_COMBUSTION)
    torque += rpm > 0 ? fmin(car->max_torque, car->max_power * OD_RPM / rpm) : car->max_torque;
  return torque;
}
/* N·m at all driven wheels together; the acceleration is the largest of a wheel, rad/s². */
OD_API double od_output_torque(const od_car_parameters *car, int gear, double throttle, double rpm, double acceleration) {
  double torque = od_engine_torque(car, rpm) * throttle * od_gear_ratio(car, gear);
  return torque * fmin(1, OD_LARGEST_ACCELERATION / fmax(fabs(acceleration), OD_LARGEST_ACCELERATION));
}

/* ---- a differential shares a torque as the ways in the curve, less to what turns faster than it should */

OD_API double od_share(double bias, double first_way, double second_way) {
  return fmin(1, fmax(0, first_way / (first_way + second_way) * (1 - bias)));
}
/* Its bias once both turn so fast. */
OD_API double od_feel(double bias, double first_way, double second_way, double first, double second) {
  if (first + second == 0) return 0;
  double too_much = first / (first + second) - first_way / (first_way + second_way);
  return fmin(1, fmax(-1, bias + 2 * too_much));
}

#ifdef __cplusplus
}
#endif
#endif
