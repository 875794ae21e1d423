/* A bumper, or a sensor of forces in N. */
#ifndef WEBOTS_TOUCHSENSOR_HPP
#define WEBOTS_TOUCHSENSOR_HPP

#include "Device.hpp"

namespace webots {

class TouchSensor : public Device {
 public:
  typedef enum { BUMPER, FORCE, FORCE3D } Type;
  OD_SENSOR_CLASS(TouchSensor, touch_sensor)
  OD_TABLE_OF(touch_sensor)
  double getValue() const { return wb_touch_sensor_get_value(at()); }
  const double *getValues() const { return wb_touch_sensor_get_values(at()); }
  Type getType() const { return static_cast<Type>(wb_touch_sensor_get_type(at())); }
};

}  // namespace webots

#endif
