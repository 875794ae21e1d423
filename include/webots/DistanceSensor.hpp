/* Distance to an obstacle, through the lookup table. */
#ifndef WEBOTS_DISTANCESENSOR_HPP
#define WEBOTS_DISTANCESENSOR_HPP

#include "Device.hpp"

namespace webots {

class DistanceSensor : public Device {
 public:
  typedef enum { GENERIC, INFRA_RED, SONAR, LASER } Type;
  OD_SENSOR_CLASS(DistanceSensor, distance_sensor)
  OD_TABLE_OF(distance_sensor)
  double getValue() const { return wb_distance_sensor_get_value(at()); }
  double getMaxValue() const { return wb_distance_sensor_get_max_value(at()); }
  double getMinValue() const { return wb_distance_sensor_get_min_value(at()); }
  double getAperture() const { return wb_distance_sensor_get_aperture(at()); }
  Type getType() const { return static_cast<Type>(wb_distance_sensor_get_type(at())); }
};

}  // namespace webots

#endif
