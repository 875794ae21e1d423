/* A light. */
#ifndef WEBOTS_LED_HPP
#define WEBOTS_LED_HPP

#include "Device.hpp"

namespace webots {

class LED : public Device {
 public:
  OD_DEVICE_CLASS(LED)
  virtual void set(int value) { wb_led_set(at(), value); }
  int get() const { return wb_led_get(at()); }
};

}  // namespace webots

#endif
