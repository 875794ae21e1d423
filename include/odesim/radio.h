/* Emitters and receivers. */
#ifndef ODESIM_RADIO_H
#define ODESIM_RADIO_H

#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WB_CHANNEL_BROADCAST (-1)

OD_API int wb_emitter_get_buffer_size(WbDeviceTag tag) {
  return od_at(tag, __func__) ? (int)od_field(od_self, tag - 1, "bufferSize", -1) : -1;
}
OD_API int wb_emitter_send(WbDeviceTag tag, const void *data, int size) {
  int most = wb_emitter_get_buffer_size(tag);
  od_device *device = tag && tag <= od_me()->devices ? &od_self->device[tag - 1] : NULL;
  if (!device || size < 1 || (most > 0 && device->queued + size > most)) return 0;
  device->queued += size;
  return od_command(od_self, tag - 1, "send", "x", data, size);
}
OD_API int wb_emitter_get_channel(WbDeviceTag tag) {
  return od_at(tag, __func__) ? (int)od_field(od_self, tag - 1, "channel", 0) : 0;
}
OD_API void wb_emitter_set_channel(WbDeviceTag tag, int channel) {
  od_value *allowed = od_at(tag, __func__) ? od_get(od_self->device[tag - 1].fields, "allowedChannels") : NULL;
  bool is_allowed = !allowed || !allowed->count;
  for (size_t i = 0; !is_allowed && i < allowed->count; i++) is_allowed = allowed->item[i].number == channel;
  if (channel < -1 || !is_allowed) {
    fprintf(stderr, "Error: %s() called with channel %d, which cannot be set\n", __func__, channel);
    return;
  }
  OD_SAY(tag, "set_channel", "i", channel);
  OD_SET(tag, "channel", channel);
}
OD_API double wb_emitter_get_range(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_field(od_self, tag - 1, "range", -1) : NAN;
}
OD_API void wb_emitter_set_range(WbDeviceTag tag, double range) {
  if (range < 0 && range != -1) {
    fprintf(stderr, "Error: %s() called with %g, expected 0 or more, or -1 for no limit\n", __func__, range);
    return;
  }
  double most = od_at(tag, __func__) ? od_field(od_self, tag - 1, "maxRange", -1) : -1;
  double possible = most >= 0 && (range > most || range < 0) ? most : range;
  OD_SAY(tag, "set_range", "d", possible);
  OD_SET(tag, "range", possible);
}
OD_SENSOR(receiver)
OD_API int wb_receiver_get_channel(WbDeviceTag tag) { return wb_emitter_get_channel(tag); }
OD_API void wb_receiver_set_channel(WbDeviceTag tag, int channel) { wb_emitter_set_channel(tag, channel); }
OD_API int wb_receiver_get_queue_length(WbDeviceTag tag) {
  od_value *queue = od_reading(tag, __func__);
  return queue && queue->kind == 'a' ? (int)queue->count : 0;
}
/* A part of the first packet: its bytes, the strength of its signal, the direction it came from. */
OD_API od_value *od_packet(WbDeviceTag tag, int part, const char *function) {
  od_value *queue = od_reading(tag, function);
  if (queue && queue->kind == 'a' && queue->count) return &queue->item[0].item[part];
  fprintf(stderr, "Error: %s(): the queue is empty\n", function);
  return NULL;
}
OD_API const void *wb_receiver_get_data(WbDeviceTag tag) {
  od_value *data = od_packet(tag, 0, __func__);
  return data ? data->text : NULL;
}
OD_API int wb_receiver_get_data_size(WbDeviceTag tag) {
  od_value *data = od_packet(tag, 0, __func__);
  return data ? (int)data->count : -1;
}
OD_API double wb_receiver_get_signal_strength(WbDeviceTag tag) { return od_number(od_packet(tag, 1, __func__), NAN); }
OD_API const double *wb_receiver_get_emitter_direction(WbDeviceTag tag) {
  od_value *direction = od_packet(tag, 2, __func__);
  return direction ? od_numbers(direction, 0, od_self->device[tag - 1].numbers, 3) : NULL;
}
OD_API void wb_receiver_next_packet(WbDeviceTag tag) {
  od_value *queue = od_reading(tag, __func__);
  if (!queue || queue->kind != 'a' || !queue->count) return;
  od_drop_first(queue);
}

#ifdef __cplusplus
}
#endif
#endif
