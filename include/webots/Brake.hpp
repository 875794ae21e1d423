/* A brake at a joint. */
#ifndef WEBOTS_BRAKE_HPP
#define WEBOTS_BRAKE_HPP

#include "Device.hpp"

namespace webots {

class Motor;
class PositionSensor;

class Brake : public Device {
 public:
  typedef enum { ROTATIONAL, LINEAR } Type;
  enum { ANGULAR = ROTATIONAL };
  OD_DEVICE_CLASS(Brake)
  Type getType() const { return static_cast<Type>(wb_brake_get_type(at())); }
  void setDampingConstant(double dampingConstant) const { wb_brake_set_damping_constant(at(), dampingConstant); }
  Motor *getMotor();
  PositionSensor *getPositionSensor();
  int getMotorTag() const { return wb_brake_get_motor(at()); }
  int getPositionSensorTag() const { return wb_brake_get_position_sensor(at()); }
};

}  // namespace webots

#endif
