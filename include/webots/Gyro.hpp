/* Angular velocity in rad/s. */
#ifndef WEBOTS_GYRO_HPP
#define WEBOTS_GYRO_HPP

#include "Device.hpp"

namespace webots {

class Gyro : public Device {
 public:
  OD_SENSOR_CLASS(Gyro, gyro)
  OD_TABLE_OF(gyro)
  const double *getValues() const { return wb_gyro_get_values(at()); }
};

}  // namespace webots

#endif
