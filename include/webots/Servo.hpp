/* A joint and its motor in one, of worlds of before version 7.2. */
#ifndef WEBOTS_SERVO_HPP
#define WEBOTS_SERVO_HPP

#include "Motor.hpp"

namespace webots {

class Servo : public Motor {
 public:
  explicit Servo(const std::string &name) : Motor(name) {}
  explicit Servo(WbDeviceTag tag) : Motor(tag) {}
  virtual void setMotorForce(double force) { wb_servo_set_motor_force(at(), force); }
  virtual void setControlP(double p) { wb_servo_set_control_p(at(), p); }
  virtual void enablePosition(int samplingPeriod) { wb_servo_enable_position(at(), samplingPeriod); }
  virtual void disablePosition() { wb_servo_disable_position(at()); }
  int getPositionSamplingPeriod() const { return wb_servo_get_position_sampling_period(at()); }
  double getPosition() const { return wb_servo_get_position(at()); }
  virtual void enableMotorForceFeedback(int samplingPeriod) { enableForceFeedback(samplingPeriod); }
  virtual void disableMotorForceFeedback() { disableForceFeedback(); }
  double getMotorForceFeedback() const { return getForceFeedback(); }
  Type getType() const { return static_cast<Type>(wb_servo_get_type(at())); }
};

}  // namespace webots

#endif
