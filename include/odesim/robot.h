/* The robot of this process, with Webots' functions; devices have tags from 1 on. */
#ifndef ODESIM_ROBOT_H
#define ODESIM_ROBOT_H

#include <sys/select.h>

#include "nodes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned short WbDeviceTag;
typedef enum { WB_MODE_SIMULATION, WB_MODE_CROSS_COMPILATION, WB_MODE_REMOTE_CONTROL } WbRobotMode;
typedef enum {
  WB_EVENT_QUIT = -1, WB_EVENT_NO_EVENT, WB_EVENT_MOUSE_CLICK = 1, WB_EVENT_MOUSE_MOVE = 2, WB_EVENT_KEYBOARD = 4,
  WB_EVENT_JOYSTICK_BUTTON = 8, WB_EVENT_JOYSTICK_AXIS = 16, WB_EVENT_JOYSTICK_POV = 32
} WbUserInputEvent;
#define OD_KEY_PERIOD 20 /* ms of real time between two looks at the keys */

OD_SHARED od_robot *od_self; /* the robot of this process */
OD_SHARED int od_pixel;      /* bytes of a pixel: 3, red first, in worlds of before version 7; 4, blue first, since */

OD_API int wb_robot_init(void) {
  const char *place = getenv(OD_SOCKET_VARIABLE), *name = getenv(OD_ROBOT_VARIABLE);
  char otherwise[40];
  if (od_self) return 1;
  snprintf(otherwise, sizeof otherwise, "tcp://127.0.0.1:%d", OD_PORT);
  od_self = od_open(place && *place ? place : otherwise, name ? name : "", true);
  if (!od_self) exit(2);
  const char *version = od_string(od_get(&od_self->world, "version"));
  od_pixel = *version == 'V' && atof(version + 1) < 7.0 ? 3 : 4;
  return 1;
}

OD_API od_robot *od_me(void) { return wb_robot_init(), od_self; }

/* A text that belongs to the robot, until the next one. */
OD_API const char *od_keep_text(const char *text) {
  free(od_me()->text);
  return od_self->text = od_copy(text);
}

/* ---- time */

/* The simulation goes on; -1, once, when it is over: who asks again is a program that would never end. */
OD_API int wb_robot_step(int ms) {
  if (od_me()->ended) exit(0);
  return od_step(od_self, ms);
}
/* The whole step: readings are those of its end. */
OD_API int wb_robot_step_begin(int ms) { return wb_robot_step(ms); }
OD_API int wb_robot_step_end(void) { return od_me()->ended ? -1 : 0; }

OD_API void wb_robot_cleanup(void) {
  fflush(stdout);
  if (od_self) od_close(od_self);
}

/* What the user does now: the mouse; keys and the joystick's buttons, axes and povs as text. */
typedef struct {
  double mouse[8];
  od_text part[4];
} od_input;

OD_API void od_take_input(od_input *input) {
  od_value *joystick = &od_self->joystick;
  od_value *parts[4] = {&od_self->keys, od_get(joystick, "buttons"), od_get(joystick, "axes"), od_get(joystick, "povs")};
  od_numbers(&od_self->mouse, 0, input->mouse, 8);
  for (int i = 0; i < 4; i++) {
    input->part[i].count = 0;
    if (parts[i] && parts[i]->count)
      od_add_value(&input->part[i], parts[i]);
    else
      od_add(&input->part[i], "[]", 2);
  }
}

/* The events between two moments, as the sum of their numbers. */
OD_API int od_events_between(const od_input *before, const od_input *now) {
  static const int event[4] = {
    WB_EVENT_KEYBOARD, WB_EVENT_JOYSTICK_BUTTON, WB_EVENT_JOYSTICK_AXIS, WB_EVENT_JOYSTICK_POV
  };
  int events = 0;
  for (int i = 0; i < 3; i++)
    if (now->mouse[i] > 0 && !(before->mouse[i] > 0)) events |= WB_EVENT_MOUSE_CLICK;
  for (int i = 3; i < 5; i++)
    if (!isnan(now->mouse[i]) && now->mouse[i] != before->mouse[i]) events |= WB_EVENT_MOUSE_MOVE;
  for (int i = 0; i < 4; i++)
    if (strcmp(before->part[i].data, now->part[i].data)) events |= event[i];
  return events;
}

/* Wait, while the simulation stands, for what the user does, at most so many ms: the event. */
OD_API WbUserInputEvent wb_robot_wait_for_user_input_event(WbUserInputEvent event_type, int timeout) {
  od_input input[2];
  int events = 0, last = 0;
  memset(input, 0, sizeof input);
  od_call(od_me(), "input", "");
  od_take_input(&input[0]);
  for (int left = timeout; left > 0 && !events && !od_self->ended; left -= OD_KEY_PERIOD, last = !last) {
    int ms = left < OD_KEY_PERIOD ? left : OD_KEY_PERIOD;
    struct timeval pause;
    pause.tv_sec = 0, pause.tv_usec = 1000 * ms;
    select(0, NULL, NULL, NULL, &pause);
    od_call(od_self, "input", "");
    od_take_input(&input[!last]);
    events = event_type & od_events_between(&input[last], &input[!last]);
  }
  for (int i = 0; i < 4; i++) free(input[0].part[i].data), free(input[1].part[i].data);
  return od_self->ended ? WB_EVENT_QUIT : (WbUserInputEvent)(events & -events);
}

OD_API double wb_robot_get_time(void) { return od_me()->time; }
OD_API double wb_robot_get_basic_time_step(void) { return od_number(od_get(&od_me()->world, "step"), 0); }

/* ---- what it is */

OD_API od_value *od_of_robot(const char *name) { return od_get(od_get(&od_me()->world, "robot"), name); }
OD_API const char *wb_robot_get_name(void) { return od_string(od_of_robot("name")); }
OD_API const char *wb_robot_get_model(void) { return od_string(od_of_robot("model")); }
OD_API const char *wb_robot_get_controller_name(void) { return od_string(od_of_robot("controller")); }
OD_API const char *wb_robot_get_controller_arguments(void) {
  od_value *words = od_of_robot("arguments");
  od_text text = {NULL, 0, 0};
  od_add(&text, "", 0);
  for (size_t i = 0; words && i < words->count; i++) od_print(&text, i ? " %s" : "%s", od_string(&words->item[i]));
  free(od_self->text);
  return od_self->text = text.data;
}
OD_API const char *wb_robot_get_project_path(void) { return od_string(od_get(&od_me()->world, "project")); }
OD_API const char *wb_robot_get_world_path(void) { return od_string(od_get(&od_me()->world, "file")); }
OD_API bool wb_robot_get_synchronization(void) { return od_number(od_of_robot("synchronization"), 0) != 0; }
OD_API bool wb_robot_get_supervisor(void) { return od_number(od_of_robot("supervisor"), 0) != 0; }
OD_API WbNodeType wb_robot_get_type(void) { return WB_NODE_ROBOT; }
OD_API WbRobotMode wb_robot_get_mode(void) { return WB_MODE_SIMULATION; }
OD_API void wb_robot_set_mode(WbRobotMode mode, const char *arg) {
  (void)mode, (void)arg;
  fprintf(stderr, "Error: wb_robot_set_mode(): there is no real robot to control\n");
}
OD_API const char *wb_robot_get_urdf(const char *prefix) {
  return od_keep_text(od_string(od_call(od_me(), "urdf", "s", prefix ? prefix : "")));
}
OD_API const char *wb_robot_get_custom_data(void) { return od_me()->custom; }
OD_API void wb_robot_set_custom_data(const char *data) {
  char *kept = od_copy(data); /* it may be what was there before */
  free(od_me()->custom);
  od_self->custom = kept;
  od_command(od_self, -1, "custom", "s", kept);
}
#define wb_robot_get_data wb_robot_get_custom_data
#define wb_robot_set_data wb_robot_set_custom_data

/* ---- battery, and the robot's window */

OD_API void wb_robot_battery_sensor_enable(int ms) {
  od_command(od_me(), -1, "battery", "i", ms);
  od_self->periods[OD_BATTERY] = ms;
}
OD_API void wb_robot_battery_sensor_disable(void) { wb_robot_battery_sensor_enable(0); }
OD_API int wb_robot_battery_sensor_get_sampling_period(void) { return od_me()->periods[OD_BATTERY]; }
/* J; -1: the robot has no battery. */
OD_API double wb_robot_battery_sensor_get_value(void) { return od_me()->battery; }

OD_API void wb_robot_wwi_send_text(const char *text) {
  od_me()->periods[OD_WINDOW] = 1;
  od_command(od_self, -1, "window", "s", text);
}
/* The oldest text from the window, until the next one is asked for; NULL: there is none. */
OD_API const char *wb_robot_wwi_receive_text(void) {
  if (!od_me()->periods[OD_WINDOW]) od_command(od_self, -1, "window", "");
  od_self->periods[OD_WINDOW] = 1;
  if (!od_self->window.count) return NULL;
  const char *text = od_keep_text(od_string(od_self->window.item));
  od_drop_first(&od_self->window);
  return text;
}
/* Texts alone go to a window and come from it: the size counts the zero behind them. */
OD_API void wb_robot_wwi_send(const char *data, int size) {
  char *text = (char *)od_room(NULL, (size_t)size + 1);
  memcpy(text, data, (size_t)size);
  text[size] = 0;
  wb_robot_wwi_send_text(text);
  free(text);
}
OD_API const char *wb_robot_wwi_receive(int *size) {
  const char *text = wb_robot_wwi_receive_text();
  if (size) *size = text ? (int)strlen(text) + 1 : 0;
  return text;
}

/* ---- its devices */

OD_API WbDeviceTag wb_robot_get_device(const char *name) {
  int tag = od_find(od_me(), name);
  if (tag < 0) fprintf(stderr, "Error: wb_robot_get_device(): device \"%s\" was not found on this robot\n", name);
  return (WbDeviceTag)(tag + 1);
}
OD_API int wb_robot_get_number_of_devices(void) { return od_me()->devices; }
OD_API WbDeviceTag wb_robot_get_device_by_index(int index) {
  if (index >= 0 && index < od_me()->devices) return (WbDeviceTag)(index + 1);
  fprintf(stderr, "Error: %s() called with index %d, expected 0 to %d\n", __func__, index, od_self->devices - 1);
  return 0;
}

/* The device of a tag, until the next step or question; NULL, and a line, if there is none. */
OD_API od_device *od_at(WbDeviceTag tag, const char *function) {
  if (tag >= 1 && tag <= od_me()->devices) return &od_self->device[tag - 1];
  fprintf(stderr, "Error: %s(): there is no device with the tag %d\n", function, tag);
  return NULL;
}

OD_API const char *wb_device_get_name(WbDeviceTag tag) {
  od_device *device = od_at(tag, __func__);
  return device ? od_string(od_get(device->info, "name")) : "";
}
OD_API const char *wb_device_get_model(WbDeviceTag tag) {
  od_device *device = od_at(tag, __func__);
  return device ? od_string(od_get(device->fields, "model")) : "";
}
OD_API WbNodeType wb_device_get_node_type(WbDeviceTag tag) {
  return (WbNodeType)(od_at(tag, __func__) ? od_node_type(od_type(od_self, tag - 1)) : WB_NODE_NO_NODE);
}
#define wb_device_get_type wb_device_get_node_type

/* ---- what the functions of all devices are made of */

/* The last reading; a line says, once, that the sensor is not enabled. */
OD_API od_value *od_reading(WbDeviceTag tag, const char *function) {
  od_device *device = od_at(tag, function);
  if (!device) return NULL;
  if (!device->period && !device->is_told) {
    const char *name = od_string(od_get(device->info, "name"));
    fprintf(stderr, "Error: %s() called for \"%s\", which is not enabled\n", function, name);
    device->is_told = true;
  }
  return &device->reading;
}
/* Numbers of the last reading, from one on; they stay in their place and are those of the last step. */
OD_API const double *od_vector(WbDeviceTag tag, size_t from, const char *function) {
  static double none[16];
  if (od_reading(tag, function)) return od_self->device[tag - 1].numbers + from;
  return od_numbers(NULL, 0, none, 16);
}
/* A number that the simulation tells of a device beside its fields. */
OD_API double od_info(WbDeviceTag tag, const char *name, double otherwise, const char *function) {
  od_device *device = od_at(tag, function);
  return device ? od_number(od_get(device->info, name), otherwise) : otherwise;
}
/* A number of a list that the simulation tells of a device. */
OD_API double od_info_at(WbDeviceTag tag, const char *name, size_t at, double otherwise, const char *function) {
  od_device *device = od_at(tag, function);
  od_value *list = device ? od_get(device->info, name) : NULL;
  return list && at < list->count ? od_number(&list->item[at], otherwise) : otherwise;
}
OD_API double od_field_of(WbDeviceTag tag, const char *name, double otherwise, const char *function) {
  return od_at(tag, function) ? od_field(od_self, tag - 1, name, otherwise) : otherwise;
}
OD_API const char *od_word_of(WbDeviceTag tag, const char *name, const char *function) {
  od_device *device = od_at(tag, function);
  return device ? od_string(od_get(device->fields, name)) : "";
}
/* What the controller has set. */
OD_API double od_setting(WbDeviceTag tag, int which, double otherwise, const char *function) {
  od_device *device = od_at(tag, function);
  return device && !isnan(device->set[which]) ? device->set[which] : otherwise;
}
OD_API bool od_set(WbDeviceTag tag, int which, double value, const char *function) {
  od_device *device = od_at(tag, function);
  if (device) device->set[which] = value;
  return device != NULL;
}
/* A list of so many bytes that is made of the reading, zeros where it is new. */
OD_API void *od_made(od_device *device, size_t size, bool *is_new) {
  *is_new = !device->made;
  if (*is_new) device->made = calloc(size + 1, 1);
  return device->made;
}
/* The place of a picture or scan of so many bytes, zeros until the first reading. */
OD_API void *od_view_of(od_device *device, int which, size_t size, void (*fill)(const od_device *, void *)) {
  od_view *view = &device->view[which];
  if (!view->data) {
    view->data = calloc(size + 1, 1), view->size = size, view->fill = fill;
    if (device->reading.kind) fill(device, view->data);
  }
  return view->data;
}
/* The device, if there can be a picture: it is enabled and a step has ended since. To a controller of before R2018 the
   library gave a picture at once. */
OD_API od_device *od_pictured(WbDeviceTag tag, const char *function) {
  od_device *device = od_reading(tag, function) ? &od_self->device[tag - 1] : NULL;
  if (!device || !device->period) return NULL;
  bool is_old = *od_string(od_get(&od_self->world, "version")) == 'V';
  return is_old || od_self->steps > device->enabled_at ? device : NULL;
}

#define OD_SAY(tag, ...) \
  if (od_at(tag, __func__)) od_command(od_self, (tag) - 1, __VA_ARGS__)
#define OD_SET(tag, field, value) \
  if (od_at(tag, __func__)) od_remember(od_self, (tag) - 1, field, value)

#define OD_SENSOR(kind)                                                                               \
  OD_API void wb_##kind##_enable(WbDeviceTag tag, int ms) {                                           \
    if (od_at(tag, __func__)) od_enable(od_self, tag - 1, ms);                                        \
  }                                                                                                   \
  OD_API void wb_##kind##_disable(WbDeviceTag tag) { wb_##kind##_enable(tag, 0); }                    \
  OD_API int wb_##kind##_get_sampling_period(WbDeviceTag tag) {                                       \
    return od_at(tag, __func__) ? od_self->device[tag - 1].period : 0;                                \
  }
#define OD_FIELD_OF(kind, name, field) \
  OD_API double wb_##kind##_get_##name(WbDeviceTag tag) { return od_field_of(tag, field, NAN, __func__); }
#define OD_TELL(kind, name, command) \
  OD_API void wb_##kind##_##name(WbDeviceTag tag, double value) { OD_SAY(tag, command, "d", value); }

#ifdef __cplusplus
}
#endif
#endif
