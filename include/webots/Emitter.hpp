/* Sends packets. */
#ifndef WEBOTS_EMITTER_HPP
#define WEBOTS_EMITTER_HPP

#include "Device.hpp"

namespace webots {

class Emitter : public Device {
 public:
  enum { CHANNEL_BROADCAST = WB_CHANNEL_BROADCAST };
  OD_DEVICE_CLASS(Emitter)
  virtual int send(const void *data, int size) { return wb_emitter_send(at(), data, size); }
  int getBufferSize() const { return wb_emitter_get_buffer_size(at()); }
  virtual void setChannel(int channel) { wb_emitter_set_channel(at(), channel); }
  int getChannel() const { return wb_emitter_get_channel(at()); }
  double getRange() const { return wb_emitter_get_range(at()); }
  virtual void setRange(double range) { wb_emitter_set_range(at(), range); }
};

}  // namespace webots

#endif
