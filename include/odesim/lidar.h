/* Lidars: layers from the top, each from left to right; m, infinite where nothing is in range. */
#ifndef ODESIM_LIDAR_H
#define ODESIM_LIDAR_H

#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  float x, y, z;
  int layer_id;
  float time;
} WbLidarPoint;

OD_SENSOR(lidar)
OD_FIELD_OF(lidar, min_range, "minRange")
OD_FIELD_OF(lidar, max_range, "maxRange")
OD_FIELD_OF(lidar, vertical_fov, "verticalFieldOfView")
OD_FIELD_OF(lidar, min_frequency, "minFrequency")
OD_FIELD_OF(lidar, max_frequency, "maxFrequency")
OD_API int wb_lidar_get_horizontal_resolution(WbDeviceTag tag) { return (int)od_info(tag, "width", 0, __func__); }
OD_API int wb_lidar_get_number_of_layers(WbDeviceTag tag) {
  return (int)od_field_of(tag, "numberOfLayers", 0, __func__);
}
OD_API size_t od_points(const od_device *device) {
  return (size_t)od_number(od_get(device->info, "width"), 0) *
         (size_t)od_number(od_get(device->fields, "numberOfLayers"), 0);
}
OD_API int wb_lidar_get_number_of_points(WbDeviceTag tag) {
  const od_device *device = od_at(tag, __func__);
  return device ? (int)od_points(device) : 0;
}
/* 2 pi of a rotating one. */
OD_API double wb_lidar_get_fov(WbDeviceTag tag) {
  bool is_rotating = !strcmp(od_word_of(tag, "type", __func__), "rotating");
  return is_rotating ? 2 * acos(-1.0) : od_field_of(tag, "fieldOfView", NAN, __func__);
}
OD_API double wb_lidar_get_frequency(WbDeviceTag tag) {
  return od_setting(tag, OD_SPEED, od_field_of(tag, "defaultFrequency", NAN, __func__), __func__);
}
OD_API void wb_lidar_set_frequency(WbDeviceTag tag, double frequency) {
  if (od_at(tag, __func__) && od_command(od_self, tag - 1, "set_frequency", "d", frequency))
    od_set(tag, OD_SPEED, frequency, __func__);
}
OD_API void od_fill_ranges(const od_device *device, void *data) {
  const od_value *ranges = od_get(&device->reading, "ranges");
  if (ranges) memcpy(data, ranges->text, od_points(device) * sizeof(float));
}
/* NULL before the next step after it was enabled, zeros until the first scan. */
OD_API const float *wb_lidar_get_range_image(WbDeviceTag tag) {
  od_device *device = od_pictured(tag, __func__);
  if (!device) return NULL;
  return (const float *)od_view_of(device, OD_PICTURE, od_points(device) * sizeof(float), od_fill_ranges);
}
OD_API bool od_has_layer(WbDeviceTag tag, int layer, const char *function) {
  int count = wb_lidar_get_number_of_layers(tag);
  if (layer >= 0 && layer < count) return true;
  fprintf(stderr, "Error: %s() called with layer %d, expected 0 to %d\n", function, layer, count - 1);
  return false;
}
OD_API const float *wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer) {
  const float *image = wb_lidar_get_range_image(tag);
  return image && od_has_layer(tag, layer, __func__) ? image + layer * wb_lidar_get_horizontal_resolution(tag) : NULL;
}

OD_API bool wb_lidar_is_point_cloud_enabled(WbDeviceTag tag) { return od_setting(tag, OD_CLOUD, 0, __func__) != 0; }
OD_API void od_cloud(WbDeviceTag tag, bool is_wanted, const char *function) {
  if (od_set(tag, OD_CLOUD, is_wanted, function)) od_command(od_self, tag - 1, "cloud", "b", (int)is_wanted);
}
OD_API void wb_lidar_enable_point_cloud(WbDeviceTag tag) { od_cloud(tag, true, __func__); }
OD_API void wb_lidar_disable_point_cloud(WbDeviceTag tag) { od_cloud(tag, false, __func__); }
OD_API void od_fill_points(const od_device *device, void *data) {
  const od_value *points = od_get(&device->reading, "points");
  size_t width = (size_t)od_number(od_get(device->info, "width"), 0), count = od_points(device);
  WbLidarPoint *made = (WbLidarPoint *)data;
  for (size_t i = 0; i < count; i++) {
    if (points) memcpy(&made[i], points->text + i * 3 * sizeof(float), 3 * sizeof(float));
    made[i].layer_id = (int)(i / width);
  }
}
/* In the lidar's axes; NULL as of the ranges, and until a scan has come with points. */
OD_API const WbLidarPoint *wb_lidar_get_point_cloud(WbDeviceTag tag) {
  od_device *device = od_pictured(tag, __func__);
  if (!device) return NULL;
  if (!wb_lidar_is_point_cloud_enabled(tag)) {
    fprintf(stderr, "Error: %s() called for \"%s\", whose point cloud is not enabled\n", __func__,
            wb_device_get_name(tag));
    return NULL;
  }
  if (device->reading.kind == 'o' && !od_get(&device->reading, "points")) return NULL;
  size_t size = od_points(device) * sizeof(WbLidarPoint);
  return (const WbLidarPoint *)od_view_of(device, OD_POINTS, size, od_fill_points);
}
OD_API const WbLidarPoint *wb_lidar_get_layer_point_cloud(WbDeviceTag tag, int layer) {
  const WbLidarPoint *cloud = od_has_layer(tag, layer, __func__) ? wb_lidar_get_point_cloud(tag) : NULL;
  return cloud ? cloud + layer * wb_lidar_get_horizontal_resolution(tag) : NULL;
}
OD_API const WbLidarPoint *wb_lidar_get_point(WbDeviceTag tag, int index) {
  const WbLidarPoint *cloud = wb_lidar_get_point_cloud(tag);
  return cloud && index >= 0 && index < wb_lidar_get_number_of_points(tag) ? cloud + index : NULL;
}

#ifdef __cplusplus
}
#endif
#endif
