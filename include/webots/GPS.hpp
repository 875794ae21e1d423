/* Position in m, or latitude, longitude in degrees and altitude; speed in m/s. */
#ifndef WEBOTS_GPS_HPP
#define WEBOTS_GPS_HPP

#include "Device.hpp"

namespace webots {

class GPS : public Device {
 public:
  typedef enum { LOCAL, WGS84 } CoordinateSystem;
  OD_SENSOR_CLASS(GPS, gps)
  const double *getValues() const { return wb_gps_get_values(at()); }
  double getSpeed() const { return wb_gps_get_speed(at()); }
  const double *getSpeedVector() const { return wb_gps_get_speed_vector(at()); }
  CoordinateSystem getCoordinateSystem() const { return static_cast<CoordinateSystem>(wb_gps_get_coordinate_system(at())); }
  static std::string convertToDegreesMinutesSeconds(double decimalDegree) {
    return wb_gps_convert_to_degrees_minutes_seconds(decimalDegree);
  }
};

}  // namespace webots

#endif
