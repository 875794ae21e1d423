/* Cameras, what they recognize, and range finders: before version 7 these were cameras of type "range-finder". */
#ifndef ODESIM_CAMERA_H
#define ODESIM_CAMERA_H

#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WB_CAMERA_COLOR = 'c', WB_CAMERA_BLACK_AND_WHITE = 'b', WB_CAMERA_RANGE_FINDER = 'r' };

OD_SENSOR(camera)
OD_SENSOR(range_finder)
OD_API bool od_measures_depth(int tag) { return !strcmp(od_type(od_self, tag), "RangeFinder"); }
OD_API int wb_camera_get_width(WbDeviceTag tag) { return (int)od_info(tag, "width", 0, __func__); }
OD_API int wb_camera_get_height(WbDeviceTag tag) { return (int)od_info(tag, "height", 0, __func__); }
#define wb_range_finder_get_width wb_camera_get_width
#define wb_range_finder_get_height wb_camera_get_height
OD_API double wb_camera_get_near(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_field(od_self, tag - 1, od_measures_depth(tag - 1) ? "minRange" : "near", NAN) : NAN;
}
OD_API double wb_camera_get_far(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_field(od_self, tag - 1, od_measures_depth(tag - 1) ? "maxRange" : "far", NAN) : NAN;
}
OD_FIELD_OF(range_finder, min_range, "minRange")
OD_FIELD_OF(range_finder, max_range, "maxRange")
#define wb_camera_get_max_range wb_range_finder_get_max_range
OD_API int wb_camera_get_type(WbDeviceTag tag) {
  if (!od_at(tag, __func__) || od_measures_depth(tag - 1)) return WB_CAMERA_RANGE_FINDER;
  return strcmp(od_word_of(tag, "type", __func__), "black and white") ? WB_CAMERA_COLOR : WB_CAMERA_BLACK_AND_WHITE;
}

/* ---- zoom, focus and exposure */

/* Set something with the next step, if it is from the least to the most that the camera lets. */
OD_API void od_change(WbDeviceTag tag, const char *name, int which, double value, double least, double most,
                      const char *function) {
  if (!od_at(tag, function)) return;
  if (value >= least && value <= most && !isinf(value)) {
    od_text command = {NULL, 0, 0};
    od_print(&command, "set_%s", name);
    od_command(od_self, tag - 1, command.data, "d", value);
    free(command.data);
    od_set(tag, which, value, function);
  } else
    fprintf(stderr, "Error: %s() called for \"%s\" with %g, expected %g to %g\n", function, wb_device_get_name(tag),
            value, least, most);
}
OD_API double wb_camera_get_fov(WbDeviceTag tag) {
  double told = od_info(tag, "fov", od_field_of(tag, "fieldOfView", NAN, __func__), __func__);
  return od_setting(tag, OD_TARGET, told, __func__);
}
#define wb_range_finder_get_fov wb_camera_get_fov
OD_API double wb_camera_get_min_fov(WbDeviceTag tag) {
  return od_info_at(tag, "zoom", 0, wb_camera_get_fov(tag), __func__);
}
OD_API double wb_camera_get_max_fov(WbDeviceTag tag) {
  return od_info_at(tag, "zoom", 1, wb_camera_get_fov(tag), __func__);
}
/* Zoom, within what the Zoom node allows. */
OD_API void wb_camera_set_fov(WbDeviceTag tag, double fov) {
  od_change(tag, "fov", OD_TARGET, fov, wb_camera_get_min_fov(tag), wb_camera_get_max_fov(tag), __func__);
}
OD_API double wb_camera_get_exposure(WbDeviceTag tag) {
  return od_setting(tag, OD_EXPOSURE, od_info(tag, "exposure", 1, __func__), __func__);
}
OD_API void wb_camera_set_exposure(WbDeviceTag tag, double exposure) {
  od_change(tag, "exposure", OD_EXPOSURE, exposure, 1e-12, HUGE_VAL, __func__);
}
OD_API double wb_camera_get_focal_distance(WbDeviceTag tag) {
  return od_setting(tag, OD_FOCUS, od_info_at(tag, "focus", 0, 0, __func__), __func__);
}
OD_API double wb_camera_get_focal_length(WbDeviceTag tag) { return od_info_at(tag, "focus", 1, 0, __func__); }
OD_API double wb_camera_get_min_focal_distance(WbDeviceTag tag) { return od_info_at(tag, "focus", 2, 0, __func__); }
OD_API double wb_camera_get_max_focal_distance(WbDeviceTag tag) { return od_info_at(tag, "focus", 3, 0, __func__); }
OD_API void wb_camera_set_focal_distance(WbDeviceTag tag, double distance) {
  od_change(tag, "focal_distance", OD_FOCUS, distance, wb_camera_get_min_focal_distance(tag),
            wb_camera_get_max_focal_distance(tag), __func__);
}

/* ---- pictures */

OD_API size_t od_pixels(const od_device *device) {
  return (size_t)od_number(od_get(device->info, "width"), 0) * (size_t)od_number(od_get(device->info, "height"), 0);
}
OD_API void od_fill_image(const od_device *device, void *data) {
  const od_value *image = od_get(&device->reading, "image");
  unsigned char *made = (unsigned char *)data;
  size_t count = od_pixels(device);
  if (image && od_pixel == 4) memcpy(made, image->text, 4 * count);
  for (size_t i = 0; image && od_pixel == 3 && i < count; i++)
    for (size_t part = 0; part < 3; part++) made[3 * i + part] = (unsigned char)image->text[4 * i + 2 - part];
}
/* Row by row from the top left; NULL before the next step after it was enabled, zeros until its first picture. */
OD_API const unsigned char *wb_camera_get_image(WbDeviceTag tag) {
  od_device *device = od_pictured(tag, __func__);
  if (!device) return NULL;
  size_t size = od_pixels(device) * (size_t)od_pixel;
  return (const unsigned char *)od_view_of(device, OD_PICTURE, size, od_fill_image);
}
OD_API unsigned char wb_camera_image_get_red(const unsigned char *image, int width, int x, int y) {
  return image[od_pixel * (y * width + x) + (od_pixel == 3 ? 0 : 2)];
}
OD_API unsigned char wb_camera_image_get_green(const unsigned char *image, int width, int x, int y) {
  return image[od_pixel * (y * width + x) + 1];
}
OD_API unsigned char wb_camera_image_get_blue(const unsigned char *image, int width, int x, int y) {
  return image[od_pixel * (y * width + x) + (od_pixel == 3 ? 2 : 0)];
}
OD_API unsigned char wb_camera_image_get_grey(const unsigned char *image, int width, int x, int y) {
  const unsigned char *pixel = image + od_pixel * (y * width + x);
  return (unsigned char)((pixel[0] + pixel[1] + pixel[2]) / 3);
}
#define wb_camera_image_get_gray wb_camera_image_get_grey

OD_API void od_fill_depths(const od_device *device, void *data) {
  size_t row = sizeof(float) * (size_t)od_number(od_get(device->info, "width"), 0);
  size_t rows = (size_t)od_number(od_get(device->info, "height"), 0);
  for (size_t i = 0; device->reading.kind == 's' && i < rows; i++)
    memcpy((char *)data + i * row, device->reading.text + (od_pixel == 3 ? rows - 1 - i : i) * row, row);
}
/* m, row by row; in worlds of before version 7 the lowest row is the first, since then the highest. */
OD_API const float *wb_camera_get_range_image(WbDeviceTag tag) {
  od_device *device = od_pictured(tag, __func__);
  if (!device) return NULL;
  return (const float *)od_view_of(device, OD_PICTURE, od_pixels(device) * sizeof(float), od_fill_depths);
}
#define wb_range_finder_get_range_image wb_camera_get_range_image
/* Image, near, far, width, x, y: what the image has there, for it is in m already. */
#define wb_camera_range_image_get_value(image, near, far, width, x, y) ((image)[(y) * (width) + (x)])
#define wb_camera_range_image_get_depth(image, width, x, y) ((image)[(y) * (width) + (x)])
#define wb_range_finder_image_get_depth wb_camera_range_image_get_depth
/* There is no window of a picture to be moved. */
OD_API void wb_camera_move_window(WbDeviceTag tag, int x, int y) { (void)tag, (void)x, (void)y; }
OD_API int od_save_picture(WbDeviceTag tag, const char *what, const char *file, int quality, const char *function) {
  bool is_saved = od_at(tag, function) && od_call(od_self, "save_picture", "issi", tag - 1, what, file, quality);
  return is_saved ? 0 : -1;
}
OD_API int wb_camera_save_image(WbDeviceTag tag, const char *file, int quality) {
  return od_save_picture(tag, "image", file, quality, __func__);
}
#define wb_range_finder_save_image wb_camera_save_image

/* ---- recognition: objects come with the pictures */

typedef struct {
  int id;
  double position[3], orientation[4], size[2];
  int position_on_image[2], size_on_image[2];
  int number_of_colors;
  double *colors; /* red, green, blue of each */
  char *model;
} WbCameraRecognitionObject;

OD_API bool wb_camera_has_recognition(WbDeviceTag tag) { return od_info(tag, "has_recognition", 0, __func__) != 0; }
OD_API int wb_camera_recognition_get_sampling_period(WbDeviceTag tag) {
  return (int)od_setting(tag, OD_RECOGNITION, 0, __func__);
}
OD_API void wb_camera_recognition_enable(WbDeviceTag tag, int ms) {
  if (od_set(tag, OD_RECOGNITION, ms, __func__) && ms && !od_self->device[tag - 1].period) wb_camera_enable(tag, ms);
}
OD_API void wb_camera_recognition_disable(WbDeviceTag tag) { wb_camera_recognition_enable(tag, 0); }
OD_API int wb_camera_recognition_get_number_of_objects(WbDeviceTag tag) {
  od_value *objects = od_get(od_reading(tag, __func__), "objects");
  return objects && wb_camera_recognition_get_sampling_period(tag) > 0 ? (int)objects->count : 0;
}
OD_API void od_whole_numbers(const od_value *value, int *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) numbers[i] = (int)od_number(&value->item[i], 0);
}
/* They stay until the next picture, one of zeros behind them; NULL: there is no picture yet. */
OD_API const WbCameraRecognitionObject *wb_camera_recognition_get_objects(WbDeviceTag tag) {
  size_t count = (size_t)wb_camera_recognition_get_number_of_objects(tag), colors = 0;
  od_value *objects = od_get(od_reading(tag, __func__), "objects");
  if (!objects || wb_camera_recognition_get_sampling_period(tag) <= 0) return NULL;
  od_device *device = &od_self->device[tag - 1];
  od_value *object = objects->item;
  for (size_t i = 0; i < count; i++) colors += od_get(&object[i], "colors")->count;
  bool is_new;
  size_t size = (count + 1) * sizeof(WbCameraRecognitionObject);
  WbCameraRecognitionObject *made =
    (WbCameraRecognitionObject *)od_made(device, size + colors * sizeof(double), &is_new);
  double *color = (double *)(void *)(made + count + 1);
  for (size_t i = 0; is_new && i < count; i++, object++) {
    od_value *own = od_get(object, "colors");
    made[i].id = (int)od_number(od_get(object, "id"), -1);
    od_numbers(od_get(object, "position"), 0, made[i].position, 3);
    od_numbers(od_get(object, "orientation"), 0, made[i].orientation, 4);
    od_numbers(od_get(object, "size"), 0, made[i].size, 2);
    od_whole_numbers(od_get(object, "position_on_image"), made[i].position_on_image, 2);
    od_whole_numbers(od_get(object, "size_on_image"), made[i].size_on_image, 2);
    made[i].number_of_colors = (int)own->count / 3;
    made[i].colors = color;
    od_numbers(own, 0, color, own->count);
    color += own->count;
    made[i].model = od_get(object, "model")->text;
  }
  return made;
}
OD_API const WbCameraRecognitionObject *wb_camera_recognition_get_object(WbDeviceTag tag, int index) {
  bool is_there = index >= 0 && index < wb_camera_recognition_get_number_of_objects(tag);
  return is_there ? wb_camera_recognition_get_objects(tag) + index : NULL;
}
#define wb_camera_get_number_of_recognition_objects wb_camera_recognition_get_number_of_objects
#define wb_camera_get_recognition_object wb_camera_recognition_get_object

OD_API bool wb_camera_recognition_has_segmentation(WbDeviceTag tag) {
  return od_info(tag, "has_segmentation", 0, __func__) != 0;
}
OD_API void wb_camera_recognition_enable_segmentation(WbDeviceTag tag) { od_set(tag, OD_SEGMENTATION, 1, __func__); }
OD_API void wb_camera_recognition_disable_segmentation(WbDeviceTag tag) { od_set(tag, OD_SEGMENTATION, 0, __func__); }
OD_API bool wb_camera_recognition_is_segmentation_enabled(WbDeviceTag tag) {
  return od_setting(tag, OD_SEGMENTATION, 0, __func__) != 0;
}
OD_API void od_fill_segments(const od_device *device, void *data) {
  const od_value *image = od_get(&device->reading, "segmentation");
  if (image) memcpy(data, image->text, 4 * od_pixels(device));
}
/* As a picture, in the colours of the objects; NULL: not enabled, or none yet. */
OD_API const unsigned char *wb_camera_recognition_get_segmentation_image(WbDeviceTag tag) {
  od_value *image = od_get(od_reading(tag, __func__), "segmentation");
  if (!image || !wb_camera_recognition_is_segmentation_enabled(tag)) return NULL;
  od_device *device = &od_self->device[tag - 1];
  return (const unsigned char *)od_view_of(device, OD_SEGMENTS, 4 * od_pixels(device), od_fill_segments);
}
OD_API int wb_camera_recognition_save_segmentation_image(WbDeviceTag tag, const char *file, int quality) {
  return od_save_picture(tag, "segmentation", file, quality, __func__);
}

#ifdef __cplusplus
}
#endif
#endif
