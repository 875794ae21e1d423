/* What a robot shows and plays: LED, pen, display, speaker; and what it hears: microphone. */
#ifndef ODESIM_OUTPUTS_H
#define ODESIM_OUTPUTS_H

#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

OD_API void wb_led_set(WbDeviceTag tag, int value) {
  if (od_set(tag, OD_LIGHT, value, __func__)) od_command(od_self, tag - 1, "set", "i", value);
}
OD_API int wb_led_get(WbDeviceTag tag) { return (int)od_setting(tag, OD_LIGHT, 0, __func__); }
OD_API void wb_pen_write(WbDeviceTag tag, bool write) { OD_SAY(tag, "write", "b", (int)write); }
OD_API void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density) {
  double parts[3] = {(color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0};
  OD_SAY(tag, "set_ink", "vd", parts, 3, density);
}

/* ---- displays; (0, 0) is the top left pixel */

#define WB_IMAGE_RGB 3
#define WB_IMAGE_RGBA 4
#define WB_IMAGE_ARGB 5
#define WB_IMAGE_BGRA 6
#define WB_IMAGE_ABGR 7
typedef struct od_image {
  int number; /* of the images that the display has had, from 1 on */
} *WbImageRef;

OD_API int wb_display_get_width(WbDeviceTag tag) { return (int)od_field_of(tag, "width", 0, __func__); }
OD_API int wb_display_get_height(WbDeviceTag tag) { return (int)od_field_of(tag, "height", 0, __func__); }
OD_API void wb_display_set_color(WbDeviceTag tag, int color) { OD_SAY(tag, "set_color", "i", color); }
OD_TELL(display, set_alpha, "set_alpha")
OD_TELL(display, set_opacity, "set_opacity")
OD_API void wb_display_set_font(WbDeviceTag tag, const char *font, int size, bool anti_aliasing) {
  OD_SAY(tag, "set_font", "sib", font, size, (int)anti_aliasing);
}
OD_API void wb_display_attach_camera(WbDeviceTag tag, WbDeviceTag camera) {
  if (od_at(camera, __func__)) OD_SAY(tag, "attach_camera", "s", wb_device_get_name(camera));
}
OD_API void wb_display_detach_camera(WbDeviceTag tag) { OD_SAY(tag, "detach_camera", ""); }
OD_API void wb_display_draw_pixel(WbDeviceTag tag, int x, int y) { OD_SAY(tag, "draw_pixel", "ii", x, y); }
OD_API void wb_display_draw_text(WbDeviceTag tag, const char *text, int x, int y) {
  OD_SAY(tag, "draw_text", "sii", text, x, y);
}
#define OD_FIGURE(name)                                                               \
  OD_API void wb_display_##name(WbDeviceTag tag, int x, int y, int width, int height) { \
    OD_SAY(tag, #name, "iiii", x, y, width, height);                                  \
  }
OD_FIGURE(draw_line)
OD_FIGURE(draw_rectangle)
OD_FIGURE(fill_rectangle)
OD_FIGURE(draw_oval)
OD_FIGURE(fill_oval)
OD_API void od_polygon(WbDeviceTag tag, const char *name, const int *x, const int *y, int size, const char *function) {
  if (!od_at(tag, function)) return;
  double *corners = (double *)od_room(NULL, 2 * (size_t)size * sizeof *corners);
  for (int i = 0; i < size; i++) corners[i] = x[i], corners[size + i] = y[i];
  od_command(od_self, tag - 1, name, "vv", corners, size, corners + size, size);
  free(corners);
}
OD_API void wb_display_draw_polygon(WbDeviceTag tag, const int *x, const int *y, int size) {
  od_polygon(tag, "draw_polygon", x, y, size, __func__);
}
OD_API void wb_display_fill_polygon(WbDeviceTag tag, const int *x, const int *y, int size) {
  od_polygon(tag, "fill_polygon", x, y, size, __func__);
}

OD_API WbImageRef od_new_image(WbDeviceTag tag) {
  WbImageRef image = (WbImageRef)od_room(NULL, sizeof *image);
  image->number = 1 + (int)od_setting(tag, OD_IMAGES, 0, __func__);
  od_set(tag, OD_IMAGES, image->number, __func__);
  return image;
}
OD_API WbImageRef wb_display_image_new(WbDeviceTag tag, int width, int height, const void *data, int format) {
  static const char *const formats[] = {"RGB", "RGBA", "ARGB", "BGRA", "ABGR"};
  if (!od_at(tag, __func__)) return NULL;
  if (format < WB_IMAGE_RGB || format > WB_IMAGE_ABGR) {
    fprintf(stderr, "Error: %s() called with format %d, expected 3 to 7\n", __func__, format);
    return NULL;
  }
  WbImageRef image = od_new_image(tag);
  int size = width * height * (format == WB_IMAGE_RGB ? 3 : 4);
  od_command(od_self, tag - 1, "image_new", "ixiis", image->number, data, size, width, height, formats[format - 3]);
  return image;
}
OD_API WbImageRef wb_display_image_load(WbDeviceTag tag, const char *file) {
  if (!od_at(tag, __func__) || !od_call(od_self, "has_file", "s", file)) return NULL;
  WbImageRef image = od_new_image(tag);
  od_command(od_self, tag - 1, "image_load", "is", image->number, file);
  return image;
}
OD_API WbImageRef wb_display_image_copy(WbDeviceTag tag, int x, int y, int width, int height) {
  if (!od_at(tag, __func__)) return NULL;
  WbImageRef image = od_new_image(tag);
  od_command(od_self, tag - 1, "image_copy", "iiiii", image->number, x, y, width, height);
  return image;
}
/* `blend`, which was not there before version 8, is whether what is transparent lets see what was there. */
OD_API void od_paste(WbDeviceTag tag, WbImageRef image, int x, int y, int blend, ...) {
  if (image && od_at(tag, "wb_display_image_paste"))
    od_command(od_self, tag - 1, "image_paste", "iiib", image->number, x, y, blend);
}
#define wb_display_image_paste(...) od_paste(__VA_ARGS__, 0, 0)
/* An image, or with NULL what is shown, into a .png or .jpg file. */
OD_API void wb_display_image_save(WbDeviceTag tag, WbImageRef image, const char *file) {
  if (image) {
    OD_SAY(tag, "image_save", "is", image->number, file);
  } else {
    OD_SAY(tag, "image_save", "ns", file);
  }
}
OD_API void wb_display_image_delete(WbDeviceTag tag, WbImageRef image) {
  if (!image) return;
  OD_SAY(tag, "image_delete", "i", image->number);
  free(image);
}

/* ---- sound */

#define OD_LETTER 0.07 /* s that a letter of a spoken text takes: it is not heard, but lasts as long */

OD_API double od_clipped(const char *name, double value, double low, double high) {
  double clipped = value < low ? low : value > high ? high : value;
  if (clipped != value)
    fprintf(stderr, "Warning: found %s %g, expected %g to %g; it is %g\n", name, value, low, high, clipped);
  return clipped;
}
/* Write down what a speaker was told since the last step: the world does it with the next one. */
OD_API void od_note_sound(WbDeviceTag tag, char sign, const char *file) {
  od_device *device = &od_self->device[tag - 1];
  if (device->set[OD_ON] != (double)od_self->steps) device->told.count = 0;
  device->set[OD_ON] = (double)od_self->steps;
  od_add(&device->told, &sign, 1);
  od_add(&device->told, file, strlen(file) + 1);
}
OD_API void od_play(WbDeviceTag tag, const char *file, double volume, double pitch, double balance, bool loop,
                    const char *side) {
  if (!od_at(tag, "wb_speaker_play_sound")) return;
  od_command(od_self, tag - 1, "play", "sdddbs", file, volume, pitch, balance, (int)loop, side);
  od_note_sound(tag, '+', file);
}
/* A file on one speaker, or its two channels on two. */
OD_API void wb_speaker_play_sound(WbDeviceTag left, WbDeviceTag right, const char *sound, double volume, double pitch,
                                  double balance, bool loop) {
  volume = od_clipped("volume", volume, 0, 1);
  balance = od_clipped("balance", balance, -1, 1);
  if (left == right || !left || !right) {
    od_play(left ? left : right, sound, volume, pitch, balance, loop, "both");
  } else {
    od_play(left, sound, volume, pitch, balance, loop, "left");
    od_play(right, sound, volume, pitch, balance, loop, "right");
  }
}
/* A file; NULL: all, and what is spoken. */
OD_API void wb_speaker_stop(WbDeviceTag tag, const char *sound) {
  if (!od_at(tag, __func__)) return;
  od_command(od_self, tag - 1, "stop", "s", sound ? sound : "");
  od_note_sound(tag, '-', sound ? sound : "");
  if (!sound || !*sound) od_set(tag, OD_TARGET, 0, __func__);
}
OD_API void wb_speaker_speak(WbDeviceTag tag, const char *text, double volume) {
  od_clipped("volume", volume, 0, 1);
  fprintf(stderr, "wb_speaker_speak(): texts are not heard: \"%s\"\n", text);
  od_set(tag, OD_TARGET, od_me()->time + OD_LETTER * (double)(*text ? strlen(text) : 1), __func__);
}
OD_API bool wb_speaker_is_speaking(WbDeviceTag tag) { return od_me()->time < od_setting(tag, OD_TARGET, 0, __func__); }
/* A file; NULL: any, or a text. What was played or stopped since the last step is so at once. */
OD_API bool wb_speaker_is_sound_playing(WbDeviceTag tag, const char *sound) {
  if (!od_at(tag, __func__)) return false;
  if ((!sound || !*sound) && wb_speaker_is_speaking(tag)) return true;
  od_device *device = &od_self->device[tag - 1];
  size_t end = device->set[OD_ON] == (double)od_self->steps ? device->told.count : 0;
  int is_told = -1;
  for (size_t at = 0; at < end; at += strlen(device->told.data + at) + 1) {
    const char *each = device->told.data + at;
    if (!each[1] || !sound || !*sound || !strcmp(each + 1, sound)) is_told = *each == '+';
  }
  if (is_told >= 0) return is_told;
  return od_number(od_call(od_self, "is_playing", "is", tag - 1, sound ? sound : ""), 0) != 0;
}
OD_API const char *wb_speaker_get_engine(WbDeviceTag tag) { return od_at(tag, __func__) ? "pico" : ""; }
OD_API bool wb_speaker_set_engine(WbDeviceTag tag, const char *engine) {
  return od_at(tag, __func__) && !strcmp(engine, "pico");
}
OD_API const char *wb_speaker_get_language(WbDeviceTag tag) { return od_at(tag, __func__) ? "en-US" : ""; }
OD_API bool wb_speaker_set_language(WbDeviceTag tag, const char *language) {
  return od_at(tag, __func__) && !strcmp(language, "en-US");
}

/* V, 32-bit floats at 44100 Hz of the last sampling period. */
OD_SENSOR(microphone)
OD_API const void *wb_microphone_get_sample_data(WbDeviceTag tag) {
  od_value *reading = od_reading(tag, __func__);
  return reading && reading->kind == 'a' ? reading->item[0].text : NULL;
}
/* Bytes. */
OD_API int wb_microphone_get_sample_size(WbDeviceTag tag) {
  od_value *reading = od_reading(tag, __func__);
  return reading && reading->kind == 'a' ? (int)reading->item[0].count : 0;
}
/* dB re 20 µPa. */
OD_API double od_microphone_get_level(WbDeviceTag tag) { return *od_vector(tag, 1, __func__); }

#ifdef __cplusplus
}
#endif
#endif
