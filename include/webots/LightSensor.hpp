/* Irradiance through the lookup table. */
#ifndef WEBOTS_LIGHTSENSOR_HPP
#define WEBOTS_LIGHTSENSOR_HPP

#include "Device.hpp"

namespace webots {

class LightSensor : public Device {
 public:
  OD_SENSOR_CLASS(LightSensor, light_sensor)
  OD_TABLE_OF(light_sensor)
  double getValue() const { return wb_light_sensor_get_value(at()); }
};

}  // namespace webots

#endif
