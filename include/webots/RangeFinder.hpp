/* Depths in m, row by row from the top left. */
#ifndef WEBOTS_RANGEFINDER_HPP
#define WEBOTS_RANGEFINDER_HPP

#include "Device.hpp"

namespace webots {

class RangeFinder : public Device {
 public:
  OD_SENSOR_CLASS(RangeFinder, range_finder)
  const float *getRangeImage() const { return wb_range_finder_get_range_image(at()); }
  int getWidth() const { return wb_range_finder_get_width(at()); }
  int getHeight() const { return wb_range_finder_get_height(at()); }
  double getFov() const { return wb_range_finder_get_fov(at()); }
  double getMinRange() const { return wb_range_finder_get_min_range(at()); }
  double getMaxRange() const { return wb_range_finder_get_max_range(at()); }
  int saveImage(const std::string &filename, int quality) const {
    return wb_range_finder_save_image(at(), filename.c_str(), quality);
  }
  static float rangeImageGetDepth(const float *image, int width, int x, int y) {
    return wb_range_finder_image_get_depth(image, width, x, y);
  }
};

}  // namespace webots

#endif
