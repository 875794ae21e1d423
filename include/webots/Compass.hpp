/* Unit vector to the north, in the axes of the device. */
#ifndef WEBOTS_COMPASS_HPP
#define WEBOTS_COMPASS_HPP

#include "Device.hpp"

namespace webots {

class Compass : public Device {
 public:
  OD_SENSOR_CLASS(Compass, compass)
  OD_TABLE_OF(compass)
  const double *getValues() const { return wb_compass_get_values(at()); }
};

}  // namespace webots

#endif
