/* Driving a car, in C: all of it is in odesim/vehicle/driver.h, here are the names that would be anybody's. */
#ifndef WEBOTS_DRIVER_H
#define WEBOTS_DRIVER_H

#include "../../odesim/vehicle/driver.h"

#ifdef __cplusplus
static const WbuDriverIndicatorState OFF = OD_INDICATOR_OFF, RIGHT = OD_INDICATOR_RIGHT, LEFT = OD_INDICATOR_LEFT;
static const WbuDriverControlMode UNDEFINED_CONTROL_MODE = OD_MODE_UNDEFINED, SPEED = OD_MODE_SPEED,
                                  TORQUE = OD_MODE_TORQUE;
static const WbuDriverWiperMode DOWN = OD_WIPERS_DOWN, SLOW = OD_WIPERS_SLOW, NORMAL = OD_WIPERS_NORMAL,
                                FAST = OD_WIPERS_FAST;
#else
#define OFF OD_INDICATOR_OFF
#define RIGHT OD_INDICATOR_RIGHT
#define LEFT OD_INDICATOR_LEFT
#define UNDEFINED_CONTROL_MODE OD_MODE_UNDEFINED
#define SPEED OD_MODE_SPEED
#define TORQUE OD_MODE_TORQUE
#define DOWN OD_WIPERS_DOWN
#define SLOW OD_WIPERS_SLOW
#define NORMAL OD_WIPERS_NORMAL
#define FAST OD_WIPERS_FAST
#endif
#endif
