/* A car: what its driver cannot see or do. */
#ifndef WEBOTS_CAR_H
#define WEBOTS_CAR_H

#include "../../odesim/vehicle/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WBU_CAR_TRACTION, WBU_CAR_PROPULSION, WBU_CAR_FOUR_BY_FOUR } WbuCarType;
typedef enum {
  WBU_CAR_COMBUSTION_ENGINE, WBU_CAR_ELECTRIC_ENGINE, WBU_CAR_PARALLEL_HYBRID_ENGINE, WBU_CAR_POWER_SPLIT_HYBRID_ENGINE
} WbuCarEngineType;
typedef enum {
  WBU_CAR_WHEEL_FRONT_RIGHT, WBU_CAR_WHEEL_FRONT_LEFT, WBU_CAR_WHEEL_REAR_RIGHT, WBU_CAR_WHEEL_REAR_LEFT, WBU_CAR_WHEEL_NB
} WbuCarWheelIndex;
typedef WbuCarType wbu_car_type;
typedef WbuCarEngineType wbu_car_engine_type;
typedef WbuCarWheelIndex wbu_car_wheel_index;

OD_API void wbu_car_init(void) { wbu_driver_init(); }
OD_API void wbu_car_cleanup(void) { wbu_driver_cleanup(); }
/* Which wheels are driven. */
OD_API WbuCarType wbu_car_get_type(void) {
  const od_car *car = od_my_car();
  if (car->drives[0] && car->drives[1]) return WBU_CAR_FOUR_BY_FOUR;
  return car->drives[0] ? WBU_CAR_TRACTION : WBU_CAR_PROPULSION;
}
OD_API WbuCarEngineType wbu_car_get_engine_type(void) { return (WbuCarEngineType)od_my_car()->is.engine; }
OD_API double wbu_car_get_track_front(void) { return od_my_car()->is.front_track; }
OD_API double wbu_car_get_track_rear(void) { return od_my_car()->is.rear_track; }
OD_API double wbu_car_get_wheelbase(void) { return od_my_car()->is.wheelbase; }
OD_API double wbu_car_get_front_wheel_radius(void) { return od_my_car()->is.front_radius; }
OD_API double wbu_car_get_rear_wheel_radius(void) { return od_my_car()->is.rear_radius; }
/* rad that a wheel has turned; rad/s, the mean of the last step. */
OD_API double wbu_car_get_wheel_encoder(WbuCarWheelIndex wheel_index) {
  return wb_position_sensor_get_value(od_my_car()->sensor[wheel_index]);
}
OD_API double wbu_car_get_wheel_speed(WbuCarWheelIndex wheel_index) { return od_my_car()->speeds[wheel_index]; }
/* One wheel alone; the speeds of the wheels are not fitted to it. */
OD_API void od_steer_one(int side, double angle) {
  od_my_car()->angles[side] = angle;
  wb_motor_set_position(od_the_car->steer[side], angle);
}
OD_API void wbu_car_set_right_steering_angle(double angle) { od_steer_one(0, angle); }
OD_API void wbu_car_set_left_steering_angle(double angle) { od_steer_one(1, angle); }
OD_API double wbu_car_get_right_steering_angle(void) { return od_my_car()->angles[0]; }
OD_API double wbu_car_get_left_steering_angle(void) { return od_my_car()->angles[1]; }
OD_API void wbu_car_set_indicator_period(double period) { od_my_car()->cockpit.period = period; }
OD_API double wbu_car_get_indicator_period(void) { return od_my_car()->cockpit.period; }
OD_API bool wbu_car_get_backwards_lights(void) { return od_shines(&od_my_car()->cockpit, OD_BACKWARDS); }
OD_API bool wbu_car_get_brake_lights(void) { return od_shines(&od_my_car()->cockpit, OD_BRAKES); }
/* Whether wheels that slip get less of the engine's torque. */
OD_API void wbu_car_enable_limited_slip_differential(bool enable) {
  od_car *car = od_my_car();
  car->limits_slip = enable;
  for (int i = 0; i < 3; i++) car->bias[i] = 0;
}
/* Whether steering back switches the indicator off. */
OD_API void wbu_car_enable_indicator_auto_disabling(bool enable) { od_my_car()->cockpit.turns_off = enable; }

#ifdef __cplusplus
}
#endif
#endif
