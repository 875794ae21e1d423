/* A queue of the packets that were heard, the oldest first. */
#ifndef WEBOTS_RECEIVER_HPP
#define WEBOTS_RECEIVER_HPP

#include "Device.hpp"

namespace webots {

class Receiver : public Device {
 public:
  enum { CHANNEL_BROADCAST = WB_CHANNEL_BROADCAST };
  OD_SENSOR_CLASS(Receiver, receiver)
  virtual void setChannel(int channel) { wb_receiver_set_channel(at(), channel); }
  int getChannel() const { return wb_receiver_get_channel(at()); }
  int getQueueLength() const { return wb_receiver_get_queue_length(at()); }
  virtual void nextPacket() { wb_receiver_next_packet(at()); }
  int getDataSize() const { return wb_receiver_get_data_size(at()); }
  const void *getData() const { return wb_receiver_get_data(at()); }
  double getSignalStrength() const { return wb_receiver_get_signal_strength(at()); }
  const double *getEmitterDirection() const { return wb_receiver_get_emitter_direction(at()); }
};

}  // namespace webots

#endif
