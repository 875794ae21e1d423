/* Holds what touches it. */
#ifndef WEBOTS_VACUUMGRIPPER_HPP
#define WEBOTS_VACUUMGRIPPER_HPP

#include "Device.hpp"

namespace webots {

class VacuumGripper : public Device {
 public:
  OD_DEVICE_CLASS(VacuumGripper)
  virtual void enablePresence(int samplingPeriod) { wb_vacuum_gripper_enable_presence(at(), samplingPeriod); }
  virtual void disablePresence() { wb_vacuum_gripper_disable_presence(at()); }
  int getPresenceSamplingPeriod() const { return wb_vacuum_gripper_get_presence_sampling_period(at()); }
  bool getPresence() const { return wb_vacuum_gripper_get_presence(at()); }
  bool isOn() const { return wb_vacuum_gripper_is_on(at()); }
  virtual void turnOn() { wb_vacuum_gripper_turn_on(at()); }
  virtual void turnOff() { wb_vacuum_gripper_turn_off(at()); }
};

}  // namespace webots

#endif
