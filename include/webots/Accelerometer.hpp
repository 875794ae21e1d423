/* Acceleration in m/s², gravity included. */
#ifndef WEBOTS_ACCELEROMETER_HPP
#define WEBOTS_ACCELEROMETER_HPP

#include "Device.hpp"

namespace webots {

class Accelerometer : public Device {
 public:
  OD_SENSOR_CLASS(Accelerometer, accelerometer)
  OD_TABLE_OF(accelerometer)
  const double *getValues() const { return wb_accelerometer_get_values(at()); }
};

}  // namespace webots

#endif
