/* A screen; (0, 0) is its top left pixel. */
#ifndef WEBOTS_DISPLAY_HPP
#define WEBOTS_DISPLAY_HPP

#include "Camera.hpp"
#include "Device.hpp"
#include "ImageRef.hpp"

namespace webots {

class Display : public Device {
 public:
  enum { RGB = WB_IMAGE_RGB, RGBA, ARGB, BGRA, ABGR };
  OD_DEVICE_CLASS(Display)
  int getWidth() const { return wb_display_get_width(at()); }
  int getHeight() const { return wb_display_get_height(at()); }
  virtual void setColor(int color) { wb_display_set_color(at(), color); }
  virtual void setAlpha(double alpha) { wb_display_set_alpha(at(), alpha); }
  virtual void setOpacity(double opacity) { wb_display_set_opacity(at(), opacity); }
  virtual void setFont(const std::string &font, int size, bool antiAliasing) {
    wb_display_set_font(at(), font.c_str(), size, antiAliasing);
  }
  virtual void attachCamera(Camera *camera) { wb_display_attach_camera(at(), static_cast<WbDeviceTag>(camera->getTag())); }
  virtual void detachCamera() { wb_display_detach_camera(at()); }
  virtual void drawPixel(int x, int y) { wb_display_draw_pixel(at(), x, y); }
  virtual void drawLine(int x1, int y1, int x2, int y2) { wb_display_draw_line(at(), x1, y1, x2, y2); }
  virtual void drawRectangle(int x, int y, int width, int height) {
    wb_display_draw_rectangle(at(), x, y, width, height);
  }
  virtual void drawOval(int cx, int cy, int a, int b) { wb_display_draw_oval(at(), cx, cy, a, b); }
  virtual void drawPolygon(const int *x, const int *y, int size) { wb_display_draw_polygon(at(), x, y, size); }
  virtual void drawText(const std::string &text, int x, int y) { wb_display_draw_text(at(), text.c_str(), x, y); }
  virtual void fillRectangle(int x, int y, int width, int height) {
    wb_display_fill_rectangle(at(), x, y, width, height);
  }
  virtual void fillOval(int cx, int cy, int a, int b) { wb_display_fill_oval(at(), cx, cy, a, b); }
  virtual void fillPolygon(const int *x, const int *y, int size) { wb_display_fill_polygon(at(), x, y, size); }
  ImageRef *imageNew(int width, int height, const void *data, int format) const {
    return made(wb_display_image_new(at(), width, height, data, format));
  }
  ImageRef *imageCopy(int x, int y, int width, int height) const {
    return made(wb_display_image_copy(at(), x, y, width, height));
  }
  ImageRef *imageLoad(const std::string &filename) const { return made(wb_display_image_load(at(), filename.c_str())); }
  virtual void imagePaste(ImageRef *ir, int x, int y, bool blend = false) {
    wb_display_image_paste(at(), ir ? ir->getImageRef() : NULL, x, y, blend);
  }
  void imageSave(ImageRef *ir, const std::string &filename) const {
    wb_display_image_save(at(), ir ? ir->getImageRef() : NULL, filename.c_str());
  }
  void imageDelete(ImageRef *ir) const {
    if (ir) wb_display_image_delete(at(), ir->getImageRef());
    delete ir;
  }

 private:
  static ImageRef *made(WbImageRef image) { return image ? new ImageRef(image) : NULL; }
};

}  // namespace webots

#endif
