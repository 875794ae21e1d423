/* The position of a joint, rad or m. */
#ifndef WEBOTS_POSITIONSENSOR_HPP
#define WEBOTS_POSITIONSENSOR_HPP

#include "Device.hpp"

namespace webots {

class Brake;
class Motor;

class PositionSensor : public Device {
 public:
  typedef enum { ROTATIONAL, LINEAR } Type;
  enum { ANGULAR = ROTATIONAL };
  OD_SENSOR_CLASS(PositionSensor, position_sensor)
  double getValue() const { return wb_position_sensor_get_value(at()); }
  Type getType() const { return static_cast<Type>(wb_position_sensor_get_type(at())); }
  Brake *getBrake();
  Motor *getMotor();
  int getBrakeTag() const { return wb_position_sensor_get_brake(at()); }
  int getMotorTag() const { return wb_position_sensor_get_motor(at()); }
};

}  // namespace webots

#endif
