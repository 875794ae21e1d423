/* A rotational or linear motor: rad or m, rad/s or m/s, N·m or N. */
#ifndef WEBOTS_MOTOR_HPP
#define WEBOTS_MOTOR_HPP

#include "Device.hpp"

namespace webots {

class Brake;
class PositionSensor;

class Motor : public Device {
 public:
  typedef enum { ROTATIONAL, LINEAR } Type;
  OD_DEVICE_CLASS(Motor)
  virtual void setPosition(double position) { wb_motor_set_position(at(), position); }
  virtual void setVelocity(double velocity) { wb_motor_set_velocity(at(), velocity); }
  virtual void setAcceleration(double acceleration) { wb_motor_set_acceleration(at(), acceleration); }
  virtual void setAvailableForce(double force) { wb_motor_set_available_force(at(), force); }
  virtual void setAvailableTorque(double torque) { wb_motor_set_available_torque(at(), torque); }
  virtual void setControlPID(double p, double i, double d) { wb_motor_set_control_pid(at(), p, i, d); }
  virtual void setForce(double force) { wb_motor_set_force(at(), force); }
  virtual void setTorque(double torque) { wb_motor_set_torque(at(), torque); }
  double getTargetPosition() const { return wb_motor_get_target_position(at()); }
  double getMinPosition() const { return wb_motor_get_min_position(at()); }
  double getMaxPosition() const { return wb_motor_get_max_position(at()); }
  double getVelocity() const { return wb_motor_get_velocity(at()); }
  double getMaxVelocity() const { return wb_motor_get_max_velocity(at()); }
  double getAcceleration() const { return wb_motor_get_acceleration(at()); }
  double getAvailableForce() const { return wb_motor_get_available_force(at()); }
  double getMaxForce() const { return wb_motor_get_max_force(at()); }
  double getAvailableTorque() const { return wb_motor_get_available_torque(at()); }
  double getMaxTorque() const { return wb_motor_get_max_torque(at()); }
  double getMultiplier() const { return wb_motor_get_multiplier(at()); }
  virtual void enableForceFeedback(int samplingPeriod) { wb_motor_enable_force_feedback(at(), samplingPeriod); }
  virtual void disableForceFeedback() { wb_motor_disable_force_feedback(at()); }
  int getForceFeedbackSamplingPeriod() const { return wb_motor_get_force_feedback_sampling_period(at()); }
  double getForceFeedback() const { return wb_motor_get_force_feedback(at()); }
  virtual void enableTorqueFeedback(int samplingPeriod) { wb_motor_enable_torque_feedback(at(), samplingPeriod); }
  virtual void disableTorqueFeedback() { wb_motor_disable_torque_feedback(at()); }
  int getTorqueFeedbackSamplingPeriod() const { return wb_motor_get_torque_feedback_sampling_period(at()); }
  double getTorqueFeedback() const { return wb_motor_get_torque_feedback(at()); }
  Type getType() const { return static_cast<Type>(wb_motor_get_type(at())); }
  Brake *getBrake();
  PositionSensor *getPositionSensor();
  int getBrakeTag() const { return wb_motor_get_brake(at()); }
  int getPositionSensorTag() const { return wb_motor_get_position_sensor(at()); }
};

}  // namespace webots

#endif
