/* Draws on what is below the robot. */
#ifndef WEBOTS_PEN_HPP
#define WEBOTS_PEN_HPP

#include "Device.hpp"

namespace webots {

class Pen : public Device {
 public:
  OD_DEVICE_CLASS(Pen)
  virtual void write(bool write) { wb_pen_write(at(), write); }
  virtual void setInkColor(int color, double density) { wb_pen_set_ink_color(at(), color, density); }
};

}  // namespace webots

#endif
