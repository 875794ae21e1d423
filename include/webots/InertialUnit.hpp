/* Orientation in the world: rad, or the quaternion x, y, z, w. */
#ifndef WEBOTS_INERTIALUNIT_HPP
#define WEBOTS_INERTIALUNIT_HPP

#include "Device.hpp"

namespace webots {

class InertialUnit : public Device {
 public:
  OD_SENSOR_CLASS(InertialUnit, inertial_unit)
  const double *getRollPitchYaw() const { return wb_inertial_unit_get_roll_pitch_yaw(at()); }
  const double *getQuaternion() const { return wb_inertial_unit_get_quaternion(at()); }
  double getNoise() const { return wb_inertial_unit_get_noise(at()); }
};

}  // namespace webots

#endif
