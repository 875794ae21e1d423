/* A docking mechanism. */
#ifndef WEBOTS_CONNECTOR_HPP
#define WEBOTS_CONNECTOR_HPP

#include "Device.hpp"

namespace webots {

class Connector : public Device {
 public:
  OD_DEVICE_CLASS(Connector)
  virtual void enablePresence(int samplingPeriod) { wb_connector_enable_presence(at(), samplingPeriod); }
  virtual void disablePresence() { wb_connector_disable_presence(at()); }
  int getPresenceSamplingPeriod() const { return wb_connector_get_presence_sampling_period(at()); }
  int getPresence() const { return wb_connector_get_presence(at()); }
  bool isLocked() const { return wb_connector_is_locked(at()); }
  virtual void lock() { wb_connector_lock(at()); }
  virtual void unlock() { wb_connector_unlock(at()); }
};

}  // namespace webots

#endif
