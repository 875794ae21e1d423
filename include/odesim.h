/* Drives a robot of odesim from C or C++, with no library: docs/other_languages.md says how.
 *
 *   gcc -I include my_controller.c -o my_controller -lm
 *
 * od_… speaks the protocol, wb_… are Webots' functions over it, the namespace odesim has classes for several robots.
 * A file of a program has its own copy of the functions that it uses, the robot is one for all of them.
 * What a function returns a pointer to is its owner's, and stays until that is asked the same again.
 */
#ifndef ODESIM_H
#define ODESIM_H

#include "odesim/camera.h"
#include "odesim/connection.h"
#include "odesim/lidar.h"
#include "odesim/motors.h"
#include "odesim/operator.h"
#include "odesim/outputs.h"
#include "odesim/radio.h"
#include "odesim/robot.h"
#include "odesim/sensors.h"
#include "odesim/supervisor.h"
#include "odesim/threads.h"
#ifdef __cplusplus
#include "odesim/robots.hpp"
#endif

#endif
