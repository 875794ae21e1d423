/* Ranges in m, layers from the top, each from left to right. */
#ifndef WEBOTS_LIDAR_HPP
#define WEBOTS_LIDAR_HPP

#include "Device.hpp"

namespace webots {

typedef WbLidarPoint LidarPoint;

class Lidar : public Device {
 public:
  OD_SENSOR_CLASS(Lidar, lidar)
  void enablePointCloud() { wb_lidar_enable_point_cloud(at()); }
  void disablePointCloud() { wb_lidar_disable_point_cloud(at()); }
  bool isPointCloudEnabled() const { return wb_lidar_is_point_cloud_enabled(at()); }
  const float *getRangeImage() const { return wb_lidar_get_range_image(at()); }
  const float *getLayerRangeImage(int layer) const { return wb_lidar_get_layer_range_image(at(), layer); }
  const LidarPoint *getPointCloud() const { return wb_lidar_get_point_cloud(at()); }
  const LidarPoint *getLayerPointCloud(int layer) const { return wb_lidar_get_layer_point_cloud(at(), layer); }
  int getNumberOfPoints() const { return wb_lidar_get_number_of_points(at()); }
  int getHorizontalResolution() const { return wb_lidar_get_horizontal_resolution(at()); }
  int getNumberOfLayers() const { return wb_lidar_get_number_of_layers(at()); }
  double getMinFrequency() const { return wb_lidar_get_min_frequency(at()); }
  double getMaxFrequency() const { return wb_lidar_get_max_frequency(at()); }
  double getFrequency() const { return wb_lidar_get_frequency(at()); }
  void setFrequency(double frequency) { wb_lidar_set_frequency(at(), frequency); }
  double getFov() const { return wb_lidar_get_fov(at()); }
  double getVerticalFov() const { return wb_lidar_get_vertical_fov(at()); }
  double getMinRange() const { return wb_lidar_get_min_range(at()); }
  double getMaxRange() const { return wb_lidar_get_max_range(at()); }
};

}  // namespace webots

#endif
