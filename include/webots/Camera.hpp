/* Pictures: 4 bytes a pixel, blue, green, red, alpha, from the top left; what they show; zoom and focus. */
#ifndef WEBOTS_CAMERA_HPP
#define WEBOTS_CAMERA_HPP

#include "Device.hpp"

namespace webots {

typedef WbCameraRecognitionObject CameraRecognitionObject;

class Camera : public Device {
 public:
  OD_SENSOR_CLASS(Camera, camera)
  const unsigned char *getImage() const { return wb_camera_get_image(at()); }
  int getWidth() const { return wb_camera_get_width(at()); }
  int getHeight() const { return wb_camera_get_height(at()); }
  double getFov() const { return wb_camera_get_fov(at()); }
  double getMaxFov() const { return wb_camera_get_max_fov(at()); }
  double getMinFov() const { return wb_camera_get_min_fov(at()); }
  virtual void setFov(double fov) { wb_camera_set_fov(at(), fov); }
  double getExposure() const { return wb_camera_get_exposure(at()); }
  void setExposure(double exposure) { wb_camera_set_exposure(at(), exposure); }
  double getFocalLength() const { return wb_camera_get_focal_length(at()); }
  double getFocalDistance() const { return wb_camera_get_focal_distance(at()); }
  double getMaxFocalDistance() const { return wb_camera_get_max_focal_distance(at()); }
  double getMinFocalDistance() const { return wb_camera_get_min_focal_distance(at()); }
  virtual void setFocalDistance(double focalDistance) { wb_camera_set_focal_distance(at(), focalDistance); }
  double getNear() const { return wb_camera_get_near(at()); }
  int saveImage(const std::string &filename, int quality) const {
    return wb_camera_save_image(at(), filename.c_str(), quality);
  }
  /* One of type "range-finder", of worlds of before version 8. */
  const float *getRangeImage() const { return wb_camera_get_range_image(at()); }
  double getMaxRange() const { return wb_camera_get_far(at()); }
  int getType() const { return wb_camera_get_type(at()); }
  static float rangeImageGetDepth(const float *image, int width, int x, int y) { return image[y * width + x]; }
  bool hasRecognition() const { return wb_camera_has_recognition(at()); }
  void recognitionEnable(int samplingPeriod) { wb_camera_recognition_enable(at(), samplingPeriod); }
  void recognitionDisable() { wb_camera_recognition_disable(at()); }
  int getRecognitionSamplingPeriod() const { return wb_camera_recognition_get_sampling_period(at()); }
  int getRecognitionNumberOfObjects() const { return wb_camera_recognition_get_number_of_objects(at()); }
  const CameraRecognitionObject *getRecognitionObjects() const { return wb_camera_recognition_get_objects(at()); }
  bool hasRecognitionSegmentation() const { return wb_camera_recognition_has_segmentation(at()); }
  void enableRecognitionSegmentation() { wb_camera_recognition_enable_segmentation(at()); }
  void disableRecognitionSegmentation() { wb_camera_recognition_disable_segmentation(at()); }
  bool isRecognitionSegmentationEnabled() const { return wb_camera_recognition_is_segmentation_enabled(at()); }
  const unsigned char *getRecognitionSegmentationImage() const {
    return wb_camera_recognition_get_segmentation_image(at());
  }
  int saveRecognitionSegmentationImage(const std::string &filename, int quality) const {
    return wb_camera_recognition_save_segmentation_image(at(), filename.c_str(), quality);
  }
  static unsigned char imageGetRed(const unsigned char *image, int width, int x, int y) {
    return wb_camera_image_get_red(image, width, x, y);
  }
  static unsigned char imageGetGreen(const unsigned char *image, int width, int x, int y) {
    return wb_camera_image_get_green(image, width, x, y);
  }
  static unsigned char imageGetBlue(const unsigned char *image, int width, int x, int y) {
    return wb_camera_image_get_blue(image, width, x, y);
  }
  static unsigned char imageGetGray(const unsigned char *image, int width, int x, int y) {
    return wb_camera_image_get_gray(image, width, x, y);
  }
  static unsigned char imageGetGrey(const unsigned char *image, int width, int x, int y) {
    return wb_camera_image_get_grey(image, width, x, y);
  }
};

}  // namespace webots

#endif
