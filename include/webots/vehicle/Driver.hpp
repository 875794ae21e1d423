/* Driving a car: speeds in km/h, angles in rad, positive to the right. */
#ifndef WEBOTS_DRIVER_HPP
#define WEBOTS_DRIVER_HPP

#include "../../odesim/vehicle/driver.h"
#include "../Supervisor.hpp"

namespace webots {

class Driver : public Supervisor {
 public:
  typedef enum { INDICATOR_OFF, INDICATOR_RIGHT, INDICATOR_LEFT } IndicatorState;
  typedef enum { UNDEFINED_CONTROL_MODE = -1, SPEED, TORQUE } ControlMode;
  typedef enum { DOWN, SLOW, NORMAL, FAST } WiperMode;
  Driver() { wbu_driver_init(); }
  virtual ~Driver() { wbu_driver_cleanup(); }
  static bool isInitialisationPossible() { return wbu_driver_initialization_is_possible(); }
  /* The robot of this process, made if there is none; NULL: it is no driver. */
  static Driver *getDriverInstance() { return instance() ? dynamic_cast<Driver *>(instance()) : new Driver(); }

  virtual int step() { return wbu_driver_step(); }
  void setSteeringAngle(double steeringAngle) { wbu_driver_set_steering_angle(steeringAngle); }
  double getSteeringAngle() { return wbu_driver_get_steering_angle(); }
  void setCruisingSpeed(double speed) { wbu_driver_set_cruising_speed(speed); }
  double getTargetCruisingSpeed() { return wbu_driver_get_target_cruising_speed(); }
  double getCurrentSpeed() { return wbu_driver_get_current_speed(); }
  void setThrottle(double throttle) { wbu_driver_set_throttle(throttle); }
  double getThrottle() { return wbu_driver_get_throttle(); }
  void setBrakeIntensity(double intensity) { wbu_driver_set_brake_intensity(intensity); }
  double getBrakeIntensity() { return wbu_driver_get_brake_intensity(); }
  void setBrake(double brake) { setBrakeIntensity(brake); }
  void setIndicator(IndicatorState state) { wbu_driver_set_indicator(static_cast<WbuDriverIndicatorState>(state)); }
  IndicatorState getIndicator() { return static_cast<IndicatorState>(wbu_driver_get_indicator()); }
  void setHazardFlashers(bool state) { wbu_driver_set_hazard_flashers(state); }
  bool getHazardFlashers() { return wbu_driver_get_hazard_flashers(); }
  void setDippedBeams(bool state) { wbu_driver_set_dipped_beams(state); }
  bool getDippedBeams() { return wbu_driver_get_dipped_beams(); }
  void setAntifogLights(bool state) { wbu_driver_set_antifog_lights(state); }
  bool getAntifogLights() { return wbu_driver_get_antifog_lights(); }
  double getRpm() { return wbu_driver_get_rpm(); }
  void setGear(int gear) { wbu_driver_set_gear(gear); }
  int getGear() { return wbu_driver_get_gear(); }
  int getGearNumber() { return wbu_driver_get_gear_number(); }
  ControlMode getControlMode() { return static_cast<ControlMode>(wbu_driver_get_control_mode()); }
  void setWiperMode(WiperMode mode) { wbu_driver_set_wiper_mode(static_cast<WbuDriverWiperMode>(mode)); }
  WiperMode getWiperMode() { return static_cast<WiperMode>(wbu_driver_get_wiper_mode()); }
  void setWipersMode(WiperMode mode) { setWiperMode(mode); }
  WiperMode getWipersMode() { return getWiperMode(); }

 private:
  virtual int step(int) { return step(); } /* a car has no other step */
};

}  // namespace webots

#endif
