/* A robot, over one connection to a simulation: od_… speaks the protocol of docs/other_languages.md. */
#ifndef ODESIM_CONNECTION_H
#define ODESIM_CONNECTION_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "value.h"

#define OD_PROTOCOL 3
#define OD_PORT 48230
#define OD_SOCKET_VARIABLE "ODESIM_CONTROLLER_URL"
#define OD_ROBOT_VARIABLE "ODESIM_ROBOT"
#define OD_MOST_BYTES (512u << 20)

#ifdef __cplusplus
extern "C" {
#endif

/* Settings of a device that a controller can ask for. */
enum { OD_TARGET, OD_SPEED, OD_ACCELERATION, OD_AVAILABLE, OD_LOCKED, OD_ON, OD_CLOUD, OD_RECOGNITION, OD_SEGMENTATION,
       OD_EXPOSURE, OD_FOCUS, OD_IMAGES, OD_LIGHT, OD_SETTINGS };

typedef struct od_device od_device;
/* Pictures and scans that stay in their place, for a controller may keep the address: each shows the last reading. */
enum { OD_PICTURE, OD_POINTS, OD_SEGMENTS, OD_VIEWS };
typedef struct {
  void *data; /* NULL: not asked for */
  size_t size;
  void (*fill)(const od_device *device, void *data); /* copies the last reading */
} od_view;

struct od_device {
  od_value *info, *fields; /* what the simulation tells of it; fields that a controller sets are set there */
  od_value reading;        /* the last one; of a Receiver all packets that have not been taken */
  double position, velocity; /* of a motor, NaN: not known; the velocity is the mean of the last step */
  double queued;           /* bytes in the queue of an Emitter */
  double *numbers;         /* 16: the last reading as numbers, NaN where there are none */
  double *table;           /* the lookup table, three numbers a row; NULL: not asked for */
  double set[OD_SETTINGS]; /* what the controller has set, NaN: nothing */
  int period, feedback_period, position_period; /* ms, 0: not enabled */
  long enabled_at;         /* step */
  void *made;              /* a list, as a controller gets it, of this reading */
  od_view view[OD_VIEWS];
  bool is_told;            /* that it was read and not enabled */
  od_text told;            /* what a speaker was told since the last step */
};

typedef struct {
  int socket;
  bool ended;
  double time;           /* s, sim time */
  long steps;
  od_value world;        /* the answer to "hello" */
  od_value answer;       /* the last one */
  od_device *device;     /* by their tags: the first is 0, -1 is the robot itself */
  int devices;
  od_text commands, raw; /* for the next step or question */
  od_value keys, window; /* codes of the keys that are held; what the robot's window has said and nobody has taken */
  od_value mouse;        /* left, middle, right, u, v, x, y, z */
  od_value joystick;     /* lists of its buttons that are pressed, axes and povs */
  size_t next_key;       /* of those, that is read next */
  size_t next_button;
  char *custom, *text;   /* the robot's customData; a text that was asked for */
  double battery;        /* J */
  int periods[5];        /* ms, of keyboard, battery, window, mouse, joystick: 0: not enabled */
} od_robot;

enum { OD_KEYBOARD, OD_BATTERY, OD_WINDOW, OD_MOUSE, OD_JOYSTICK }; /* of its periods */

OD_API int od_connect(const char *place) {
  struct sockaddr_in port;
  struct sockaddr_un path;
  memset(&port, 0, sizeof port);
  memset(&path, 0, sizeof path);
  int made, on = 1;
  if (!strncmp(place, "tcp://", 6)) {
    char host[64] = "";
    const char *colon = strrchr(place, ':');
    snprintf(host, sizeof host, "%.*s", (int)(colon - place - 6 > 0 ? colon - place - 6 : 0), place + 6);
    port.sin_family = AF_INET;
    port.sin_port = htons((uint16_t)atoi(colon + 1));
    if (inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1", &port.sin_addr) != 1) return -1;
    made = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connect(made, (struct sockaddr *)&port, sizeof port) ? -1 : made;
  }
  path.sun_family = AF_UNIX;
  if (strlen(place) >= sizeof path.sun_path) return -1;
  strcpy(path.sun_path, place);
  made = socket(AF_UNIX, SOCK_STREAM, 0);
  return connect(made, (struct sockaddr *)&path, sizeof path) ? -1 : made;
}

OD_API bool od_send(od_robot *robot, const od_text *text, const od_text *raw) {
  uint32_t head[2] = {htonl((uint32_t)text->count), htonl((uint32_t)raw->count)};
  const void *part[3] = {head, text->data, raw->data};
  size_t count[3] = {sizeof head, text->count, raw->count};
  od_text all = {NULL, 0, 0};
  for (int i = 0; i < 3; i++) od_add(&all, part[i], count[i]);
  size_t sent = 0;
  while (!robot->ended && sent < all.count) {
    ssize_t now = send(robot->socket, all.data + sent, all.count - sent, MSG_NOSIGNAL);
    if (now <= 0 && errno != EINTR)
      robot->ended = true;
    else if (now > 0)
      sent += (size_t)now;
  }
  free(all.data);
  return !robot->ended;
}

OD_API bool od_take(od_robot *robot, void *data, size_t count) {
  for (char *at = (char *)data; count;) {
    ssize_t now = recv(robot->socket, at, count, 0);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    at += now;
    count -= (size_t)now;
  }
  return true;
}

/* Take the descriptions of devices, which follow those that are known, out of an answer. */
OD_API void od_add_devices(od_robot *robot, od_value *told) {
  if (!told) return;
  od_value *kept = told->item; /* as long as the program runs */
  size_t count = told->count;
  told->count = 0, told->item = NULL;
  robot->device = (od_device *)od_room(robot->device, ((size_t)robot->devices + count + 1) * sizeof *robot->device);
  for (size_t i = 0; i < count; i++) {
    od_device *made = &robot->device[robot->devices++];
    memset(made, 0, sizeof *made);
    made->info = &kept[i];
    made->fields = od_get(made->info, "fields");
    made->position = made->velocity = NAN;
    made->numbers = (double *)od_room(NULL, 16 * sizeof *made->numbers);
    for (int k = 0; k < 16; k++) made->numbers[k] = NAN;
    for (int k = 0; k < OD_SETTINGS; k++) made->set[k] = NAN;
  }
}

/* Wait for the answer; false: the simulation is over. */
OD_API bool od_receive(od_robot *robot) {
  uint32_t head[2];
  od_free(&robot->answer);
  if (robot->ended) return false;
  robot->ended = true;
  if (!od_take(robot, head, sizeof head)) return false;
  size_t count = ntohl(head[0]), raw = ntohl(head[1]);
  if (count > OD_MOST_BYTES || raw > OD_MOST_BYTES) return false;
  char *data = (char *)od_room(NULL, count + raw);
  if (od_take(robot, data, count + raw)) {
    od_reader reader = {data, data + count, data + count, raw};
    robot->ended = !od_read(&reader, &robot->answer) || od_get(&robot->answer, "end");
  }
  free(data);
  if (robot->ended) return false;
  robot->time = od_number(od_get(&robot->answer, "time"), robot->time);
  od_add_devices(robot, od_get(&robot->answer, "devices"));
  od_value *lines = od_get(&robot->answer, "lines"), *error = od_get(&robot->answer, "error");
  od_move(&robot->keys, od_get(&robot->answer, "keys"));
  od_move(&robot->mouse, od_get(&robot->answer, "mouse"));
  od_move(&robot->joystick, od_get(&robot->answer, "joystick"));
  for (size_t i = 0; lines && i < lines->count; i++) fprintf(stderr, "%s\n", od_string(&lines->item[i]));
  if (error) fprintf(stderr, "%s\n", od_string(error));
  return true;
}

/* A robot by its name, on a simulation: the path of its socket, or tcp://127.0.0.1:48230.
 * NULL, and a line that says why, if there is no such simulation or no such robot that is free. */
OD_API od_robot *od_open(const char *place, const char *name, bool synchronized) {
  od_robot *robot = (od_robot *)calloc(1, sizeof *robot);
  od_text text = {NULL, 0, 0}, none = {NULL, 0, 0};
  if ((robot->socket = od_connect(place)) < 0) {
    fprintf(stderr, "odesim: no simulation answers at %s\n", place);
    free(robot);
    return NULL;
  }
  od_print(&text, "{\"do\":\"hello\",\"protocol\":%d,\"synchronized\":%s,\"robot\":", OD_PROTOCOL,
           synchronized ? "true" : "false");
  od_add_string(&text, name);
  od_add(&text, "}", 1);
  bool is_good = od_send(robot, &text, &none) && od_receive(robot);
  free(text.data);
  robot->world = robot->answer;
  memset(&robot->answer, 0, sizeof robot->answer);
  if (!is_good || !od_get(&robot->world, "devices")) {
    if (!is_good) fprintf(stderr, "odesim: the simulation has ended\n");
    shutdown(robot->socket, SHUT_RDWR);
    od_free(&robot->world);
    free(robot);
    return NULL;
  }
  robot->custom = od_copy(od_string(od_get(&robot->world, "custom")));
  robot->battery = NAN;
  return robot;
}

OD_API int od_find(const od_robot *robot, const char *name) {
  for (int i = 0; i < robot->devices; i++)
    if (!strcmp(od_string(od_get(robot->device[i].info, "name")), name)) return i;
  return -1;
}

OD_API const char *od_type(const od_robot *robot, int tag) {
  return tag < 0 ? "Robot" : od_string(od_get(robot->device[tag].info, "type"));
}

/* Have a device, or with -1 the robot, do something from the next step on. */
OD_API bool od_command(od_robot *robot, int tag, const char *name, const char *kinds, ...) {
  va_list arguments;
  size_t before = robot->commands.count;
  if (tag >= robot->devices) return false;
  od_print(&robot->commands, "%s[%d,\"%s\"", before ? "," : "", tag, name);
  va_start(arguments, kinds);
  bool is_good = od_arguments(&robot->commands, &robot->raw, kinds, arguments);
  va_end(arguments);
  od_add(&robot->commands, "]", 1);
  if (!is_good) {
    const char *device = tag < 0 ? "the robot" : od_string(od_get(robot->device[tag].info, "name"));
    fprintf(stderr, "Error: %s of %s: found NaN, expected a number\n", name, device);
    robot->commands.count = before;
  }
  return is_good;
}

OD_API bool od_send_with_commands(od_robot *robot, od_text *text) {
  od_print(text, ",\"commands\":[");
  od_add(text, robot->commands.data, robot->commands.count);
  od_add(text, "]}", 2);
  bool is_sent = od_send(robot, text, &robot->raw);
  robot->commands.count = robot->raw.count = 0;
  free(text->data);
  return is_sent;
}

/* Ask for a step of so many ms. Who drives several robots asks for a step of each, then ends each. */
OD_API void od_begin_step(od_robot *robot, int ms) {
  od_text text = {NULL, 0, 0};
  od_print(&text, "{\"do\":\"step\",\"ms\":%d", ms);
  od_send_with_commands(robot, &text);
}

/* Put packets behind those that are not read yet, as far as the receiver's bufferSize lets them. */
OD_API void od_keep_packets(od_value *kept, od_value *packets, double room) {
  double used = 0;
  if (kept->kind != 'a') {
    od_free(kept);
    memset(kept, 0, sizeof *kept);
    kept->kind = 'a';
  }
  for (size_t i = 0; i < kept->count; i++) used += (double)kept->item[i].item[0].count;
  kept->item = (od_value *)od_room(kept->item, (kept->count + packets->count + 1) * sizeof *kept);
  for (size_t i = 0; i < packets->count; i++) {
    double size = (double)packets->item[i].item[0].count;
    if (room >= 0 && used + size > room) {
      od_free(&packets->item[i]);
    } else {
      kept->item[kept->count++] = packets->item[i];
      used += size;
    }
  }
  free(packets->item);
}

/* Forget the list of the last reading, and show the present one in its places; zeros: there is none. */
OD_API void od_show(od_device *device) {
  free(device->made);
  device->made = NULL;
  for (od_view *view = device->view; view < device->view + OD_VIEWS; view++) {
    if (view->data && !device->reading.kind) memset(view->data, 0, view->size);
    if (view->data && device->reading.kind) view->fill(device, view->data);
  }
}

OD_API void od_keep(od_robot *robot, od_device *device, od_value *reading) {
  if (!strcmp(od_type(robot, (int)(device - robot->device)), "Receiver") && reading->kind == 'a') {
    od_keep_packets(&device->reading, reading, od_number(od_get(device->fields, "bufferSize"), -1));
  } else {
    od_move(&device->reading, reading);
    od_numbers(&device->reading, 0, device->numbers, 16);
    od_show(device);
  }
  memset(reading, 0, sizeof *reading);
}

/* Wait for the end of the step: 0, or how many ms it came late; -1: the simulation is over. */
OD_API int od_end_step(od_robot *robot) {
  double before = robot->time;
  if (!od_receive(robot)) return -1;
  robot->steps++;
  od_value *readings = od_get(&robot->answer, "readings"), *positions = od_get(&robot->answer, "positions");
  od_value *queued = od_get(&robot->answer, "queued"), *supervisor = od_get(&robot->answer, "supervisor");
  if (supervisor) od_get(od_get(&robot->world, "robot"), "supervisor")->number = supervisor->number;
  for (size_t i = 0; readings && i < readings->count; i++) {
    od_value *pair = readings->item[i].item;
    if (od_get(&robot->answer, "reset")) od_free(&robot->device[(int)pair[0].number].reading);
    od_keep(robot, &robot->device[(int)pair[0].number], &pair[1]);
  }
  for (size_t i = 0; positions && i < positions->count; i++) {
    od_device *device = &robot->device[(int)positions->item[i].item[0].number];
    double position = positions->item[i].item[1].number;
    device->velocity = (position - device->position) / (robot->time - before);
    device->position = position;
  }
  od_value *window = od_get(&robot->answer, "window"), *custom = od_get(&robot->answer, "custom");
  if (window) od_join(&robot->window, window);
  if (custom) free(robot->custom), robot->custom = od_copy(od_string(custom));
  robot->battery = od_number(od_get(&robot->answer, "battery"), NAN);
  robot->next_key = robot->next_button = 0;
  for (int i = 0; i < robot->devices; i++) robot->device[i].queued = 0;
  for (size_t i = 0; queued && i < queued->count; i++)
    robot->device[(int)queued->item[i].item[0].number].queued = queued->item[i].item[1].number;
  return (int)od_number(od_get(&robot->answer, "late"), 0);
}

OD_API int od_step(od_robot *robot, int ms) {
  fflush(stdout);
  od_begin_step(robot, ms);
  return od_end_step(robot);
}

/* Ask something now: the answer, which stays until the next one; NULL: null, or it was refused in a line. */
OD_API od_value *od_call(od_robot *robot, const char *name, const char *kinds, ...) {
  od_text text = {NULL, 0, 0}, with = {NULL, 0, 0};
  va_list arguments;
  va_start(arguments, kinds);
  bool is_good = od_arguments(&with, &robot->raw, kinds, arguments);
  va_end(arguments);
  if (!is_good) {
    fprintf(stderr, "Error: %s: found NaN, expected a number\n", name);
    free(with.data);
    return NULL;
  }
  od_print(&text, "{\"do\":\"call\",\"name\":\"%s\",\"with\":[", name);
  if (with.count) od_add(&text, with.data + 1, with.count - 1); /* without the first comma */
  od_add(&text, "]", 1);
  free(with.data);
  if (!od_send_with_commands(robot, &text) || !od_receive(robot)) return NULL;
  od_value *result = od_get(&robot->answer, "result");
  return result && result->kind != 'z' ? result : NULL;
}

/* Whether a sensor tells nothing any more once it is disabled: a picture, a scan, a sound. */
OD_API bool od_forgets(const char *type) {
  return !strcmp(type, "Camera") || !strcmp(type, "RangeFinder") || !strcmp(type, "Lidar") || !strcmp(type, "Microphone");
}

/* Sample a sensor every so many ms; 0: no longer, and its last value stays. */
OD_API void od_enable(od_robot *robot, int tag, int ms) {
  od_device *device = &robot->device[tag];
  if (ms < 0 || ms == device->period) return;
  if (ms)
    od_command(robot, tag, "enable", "i", ms);
  else
    od_command(robot, tag, "disable", "");
  if (!ms && od_forgets(od_type(robot, tag))) od_free(&device->reading), od_show(device);
  device->period = ms;
  device->enabled_at = robot->steps;
}

/* Write down what the controller has set, in the place of the field's value. */
OD_API void od_remember(od_robot *robot, int tag, const char *field, double value) {
  od_value *place = od_get(robot->device[tag].fields, field);
  if (place) place->kind = 'n', place->number = value;
}

OD_API double od_field(const od_robot *robot, int tag, const char *field, double otherwise) {
  return od_number(od_get(robot->device[tag].fields, field), otherwise);
}

OD_API void od_close(od_robot *robot) {
  robot->ended = true;
  shutdown(robot->socket, SHUT_RDWR);
}

#ifdef __cplusplus
}
#endif
#endif
