/* Height in m. */
#ifndef WEBOTS_ALTIMETER_HPP
#define WEBOTS_ALTIMETER_HPP

#include "Device.hpp"

namespace webots {

class Altimeter : public Device {
 public:
  OD_SENSOR_CLASS(Altimeter, altimeter)
  double getValue() const { return wb_altimeter_get_value(at()); }
};

}  // namespace webots

#endif
