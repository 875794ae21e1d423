/* Finds targets by their echoes. */
#ifndef WEBOTS_RADAR_HPP
#define WEBOTS_RADAR_HPP

#include "Device.hpp"

namespace webots {

typedef WbRadarTarget RadarTarget;

class Radar : public Device {
 public:
  OD_SENSOR_CLASS(Radar, radar)
  int getNumberOfTargets() const { return wb_radar_get_number_of_targets(at()); }
  const RadarTarget *getTargets() const { return wb_radar_get_targets(at()); }
  double getMinRange() const { return wb_radar_get_min_range(at()); }
  double getMaxRange() const { return wb_radar_get_max_range(at()); }
  double getHorizontalFov() const { return wb_radar_get_horizontal_fov(at()); }
  double getVerticalFov() const { return wb_radar_get_vertical_fov(at()); }
};

}  // namespace webots

#endif
