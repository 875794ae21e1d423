/* The keys that are pressed, one after another; -1: no more. */
#ifndef WEBOTS_KEYBOARD_HPP
#define WEBOTS_KEYBOARD_HPP

#include "../odesim.h"

namespace webots {

class Keyboard {
 public:
  enum {
    END = WB_KEYBOARD_END, HOME, LEFT, UP, RIGHT, DOWN,
    PAGEUP = WB_KEYBOARD_PAGEUP, PAGEDOWN,
    NUMPAD_HOME = WB_KEYBOARD_NUMPAD_HOME, NUMPAD_LEFT, NUMPAD_UP, NUMPAD_RIGHT, NUMPAD_DOWN,
    NUMPAD_END = WB_KEYBOARD_NUMPAD_END,
    KEY = WB_KEYBOARD_KEY, SHIFT = WB_KEYBOARD_SHIFT, CONTROL = WB_KEYBOARD_CONTROL, ALT = WB_KEYBOARD_ALT
  };
  virtual ~Keyboard() {}
  virtual void enable(int samplingPeriod) { wb_keyboard_enable(samplingPeriod); }
  virtual void disable() { wb_keyboard_disable(); }
  int getSamplingPeriod() const { return wb_keyboard_get_sampling_period(); }
  int getKey() const { return wb_keyboard_get_key(); }
};

}  // namespace webots

#endif
