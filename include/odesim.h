/* Drives a robot of odesim from C or C++: all of it in this one header, docs/other_languages.md says how.
 *
 *   gcc -I include my_controller.c -o my_controller -lm
 *
 * It has three parts: od_… speaks the protocol, wb_… are the functions of Webots' sixth version over it, and
 * the namespace odesim has classes for C++. All functions are weak: a program of several files has each once.
 * What a function returns a pointer to is its owner's, and stays until that is asked the same again.
 */
#ifndef ODESIM_H
#define ODESIM_H

#include <arpa/inet.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define OD_PROTOCOL 2
#define OD_PORT 48230
#define OD_SOCKET_VARIABLE "ODESIM_CONTROLLER_URL"
#define OD_ROBOT_VARIABLE "ODESIM_ROBOT"
#define OD_MOST_BYTES (512u << 20)
#define OD_API __attribute__((weak))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values, as JSON has them, and bytes */

typedef struct od_value {
  char kind;             /* z: null, b: true or false, n: number, s: text or bytes, a: array, o: object */
  double number;         /* of n and b */
  char *text;            /* of s, a zero behind it */
  size_t count;          /* bytes of s, items of a and o */
  struct od_value *item; /* of a and o */
  char *name;            /* of an item of o */
} od_value;

typedef struct {
  char *data;
  size_t count, room;
} od_text;

typedef struct {
  const char *at, *end, *raw;
  size_t raw_count;
} od_reader;

OD_API void *od_room(void *data, size_t count) {
  void *made = realloc(data, count ? count : 1);
  if (made) return made;
  fprintf(stderr, "odesim: no memory for %lu bytes\n", (unsigned long)count);
  exit(2);
}

OD_API void od_free(od_value *value) {
  for (size_t i = 0; value->item && i < value->count; i++) od_free(&value->item[i]);
  free(value->item);
  free(value->text);
  free(value->name);
  memset(value, 0, sizeof *value);
}

OD_API void od_add(od_text *text, const void *data, size_t count) {
  if (text->count + count + 1 > text->room) {
    text->room = 2 * (text->count + count + 1);
    text->data = (char *)od_room(text->data, text->room);
  }
  if (count) memcpy(text->data + text->count, data, count);
  text->count += count;
  text->data[text->count] = 0;
}

OD_API void od_print(od_text *text, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  od_add(text, line, strlen(line));
}

OD_API void od_add_number(od_text *text, double number) {
  if (isfinite(number)) {
    char digits[40], *point, local = *localeconv()->decimal_point;
    snprintf(digits, sizeof digits, "%.17g", number);
    if ((point = strchr(digits, local))) *point = '.';
    od_add(text, digits, strlen(digits));
  } else
    od_print(text, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
}

OD_API void od_add_string(od_text *text, const char *string) {
  od_add(text, "\"", 1);
  for (; *string; string++) {
    unsigned char c = (unsigned char)*string;
    if (c == '"' || c == '\\' || c < 32)
      od_print(text, "\\u%04x", c);
    else
      od_add(text, string, 1);
  }
  od_add(text, "\"", 1);
}

OD_API void od_add_value(od_text *text, const od_value *value) {
  if (value->kind == 'n')
    od_add_number(text, value->number);
  else if (value->kind == 's')
    od_add_string(text, value->text);
  else if (value->kind == 'a') {
    od_add(text, "[", 1);
    for (size_t i = 0; i < value->count; i++) {
      if (i) od_add(text, ",", 1);
      od_add_value(text, &value->item[i]);
    }
    od_add(text, "]", 1);
  } else
    od_print(text, value->kind != 'b' ? "null" : value->number ? "true" : "false");
}

OD_API bool od_skip(od_reader *reader, const char *token) {
  while (reader->at < reader->end && strchr(" \t\r\n", *reader->at)) reader->at++;
  size_t count = strlen(token);
  if ((size_t)(reader->end - reader->at) < count || memcmp(reader->at, token, count)) return false;
  reader->at += count;
  return true;
}

OD_API unsigned od_read_hex(od_reader *reader) {
  char digits[5] = "";
  if (reader->end - reader->at >= 4) memcpy(digits, reader->at, 4), reader->at += 4;
  return (unsigned)strtoul(digits, NULL, 16);
}

/* A text behind its opening quote. */
OD_API bool od_read_string(od_reader *reader, od_value *value) {
  od_text text = {NULL, 0, 0};
  od_add(&text, "", 0);
  while (reader->at < reader->end && *reader->at != '"') {
    char c = *reader->at++;
    if (c != '\\') {
      od_add(&text, &c, 1);
      continue;
    }
    c = reader->at < reader->end ? *reader->at++ : 0;
    unsigned code = (unsigned char)c;
    if (c == 'u') {
      code = od_read_hex(reader);
      if (code >> 10 == 0xD800 >> 10 && od_skip(reader, "\\u"))
        code = 0x10000 + ((code & 0x3FF) << 10) + (od_read_hex(reader) & 0x3FF);
    } else if (c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't')
      code = (unsigned)(c == 'b' ? '\b' : c == 'f' ? '\f' : c == 'n' ? '\n' : c == 'r' ? '\r' : '\t');
    char utf8[4] = {(char)code, 0, 0, 0};
    size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    if (more) utf8[0] = (char)((0xFF00 >> (more + 1)) | (code >> 6 * more));
    for (size_t i = 1; i <= more; i++) utf8[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3F));
    od_add(&text, utf8, more + 1);
  }
  value->kind = 's', value->text = text.data, value->count = text.count;
  return od_skip(reader, "\"");
}

OD_API bool od_read(od_reader *reader, od_value *value);

OD_API bool od_read_items(od_reader *reader, od_value *value, const char *end) {
  size_t room = 0;
  value->kind = *end == '}' ? 'o' : 'a';
  if (od_skip(reader, end)) return true;
  do {
    if (value->count == room) {
      room = room ? 2 * room : 4;
      value->item = (od_value *)od_room(value->item, room * sizeof *value);
    }
    od_value *item = &value->item[value->count++], name;
    memset(item, 0, sizeof *item);
    memset(&name, 0, sizeof name);
    if (*end == '}' && !(od_skip(reader, "\"") && od_read_string(reader, &name) && od_skip(reader, ":"))) {
      od_free(&name);
      return false;
    }
    bool is_good = od_read(reader, item);
    item->name = name.text;
    if (!is_good) return false;
  } while (od_skip(reader, ","));
  return od_skip(reader, end);
}

OD_API bool od_read(od_reader *reader, od_value *value) {
  memset(value, 0, sizeof *value);
  value->kind = 'z';
  if (od_skip(reader, "\"")) return od_read_string(reader, value);
  if (od_skip(reader, "[")) return od_read_items(reader, value, "]");
  if (od_skip(reader, "{")) {
    if (!od_read_items(reader, value, "}")) return false;
    od_value *part = value->count == 1 && !strcmp(value->item->name, "@") ? value->item : NULL;
    if (part && part->kind == 'a' && part->count == 2) { /* {"@": [start, length]} of the raw bytes */
      size_t start = (size_t)part->item[0].number, count = (size_t)part->item[1].number;
      od_free(value);
      if (start > reader->raw_count || count > reader->raw_count - start) return false;
      value->kind = 's', value->count = count;
      value->text = (char *)od_room(NULL, count + 1);
      memcpy(value->text, reader->raw + start, count);
      value->text[count] = 0;
    }
    return true;
  }
  if (od_skip(reader, "null")) return true;
  value->kind = 'b';
  if (od_skip(reader, "true")) return value->number = 1, true;
  if (od_skip(reader, "false")) return true;
  value->kind = 'n';
  if (od_skip(reader, "NaN")) return value->number = NAN, true;
  if (od_skip(reader, "-Infinity")) return value->number = -INFINITY, true;
  if (od_skip(reader, "Infinity")) return value->number = INFINITY, true;
  char digits[64], *point, *behind;
  size_t count = 0;
  while (reader->at + count < reader->end && count < 63 && strchr("+-.0123456789eE", reader->at[count])) count++;
  memcpy(digits, reader->at, count);
  digits[count] = 0;
  if ((point = strchr(digits, '.'))) *point = *localeconv()->decimal_point;
  value->number = strtod(digits, &behind);
  reader->at += behind - digits;
  return behind != digits;
}

/* An item of an object, NULL: there is none. */
OD_API od_value *od_get(const od_value *value, const char *name) {
  for (size_t i = 0; value && value->kind == 'o' && i < value->count; i++)
    if (!strcmp(value->item[i].name, name)) return &value->item[i];
  return NULL;
}

OD_API double od_number(const od_value *value, double otherwise) {
  return value && (value->kind == 'n' || value->kind == 'b') ? value->number : otherwise;
}

OD_API const char *od_string(const od_value *value) { return value && value->kind == 's' ? value->text : ""; }

/* Numbers of an array, NaN where there are none. */
OD_API const double *od_numbers(const od_value *value, size_t from, double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool is_there = value && value->kind == 'a' && from + i < value->count;
    numbers[i] = is_there ? od_number(&value->item[from + i], NAN) : NAN;
  }
  return numbers;
}

/* ---- a robot, over one connection */

typedef struct {
  od_value *info, *fields; /* what the simulation tells of it; fields that a controller sets are set there */
  od_value reading;        /* the last one; of a Receiver all packets that have not been taken */
  double position, velocity; /* of a motor, NaN: not known; the velocity is the mean of the last step */
  double queued;           /* bytes in the queue of an Emitter */
  double numbers[16];      /* what was read last as several numbers */
  int period;              /* ms, 0: not enabled */
  long enabled_at;         /* step */
  void *picture;           /* as a controller gets it, made of the reading */
} od_device;

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
} od_robot;

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
  od_value *kept = (od_value *)od_room(NULL, sizeof *kept); /* as long as the program runs */
  *kept = *told;
  told->count = 0, told->item = NULL;
  size_t count = (size_t)robot->devices + kept->count;
  robot->device = (od_device *)od_room(robot->device, (count + 1) * sizeof *robot->device);
  for (size_t i = 0; i < kept->count; i++) {
    od_device *made = &robot->device[robot->devices++];
    memset(made, 0, sizeof *made);
    made->info = &kept->item[i];
    made->fields = od_get(made->info, "fields");
    made->position = made->velocity = NAN;
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

/* Arguments by their kinds, each with a comma before it: d number (double), i whole number, b bool (int), s text,
 * x bytes (const void *, int), v numbers (const double *, int), j od_value *, n null. False: one is NaN. */
OD_API bool od_arguments(od_text *text, od_text *raw, const char *kinds, va_list arguments) {
  for (; *kinds; kinds++) {
    od_add(text, ",", 1);
    if (*kinds == 'd') {
      double number = va_arg(arguments, double);
      if (isnan(number)) return false;
      od_add_number(text, number);
    } else if (*kinds == 'i')
      od_print(text, "%d", va_arg(arguments, int));
    else if (*kinds == 'b')
      od_print(text, va_arg(arguments, int) ? "true" : "false");
    else if (*kinds == 's')
      od_add_string(text, va_arg(arguments, const char *));
    else if (*kinds == 'j')
      od_add_value(text, va_arg(arguments, od_value *));
    else if (*kinds == 'x') {
      const void *data = va_arg(arguments, const void *);
      int count = va_arg(arguments, int);
      od_print(text, "{\"@\":[%lu,%d]}", (unsigned long)raw->count, count);
      od_add(raw, data, (size_t)count);
    } else if (*kinds == 'v') {
      const double *number = va_arg(arguments, const double *);
      int count = va_arg(arguments, int);
      for (int i = 0; i < count; i++) {
        if (isnan(number[i])) return false;
        od_add(text, i ? "," : "[", 1);
        od_add_number(text, number[i]);
      }
      od_add(text, "]", 1);
    } else
      od_print(text, "null");
  }
  return true;
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

OD_API void od_keep(od_robot *robot, od_device *device, od_value *reading) {
  if (!strcmp(od_type(robot, (int)(device - robot->device)), "Receiver") && reading->kind == 'a') {
    od_keep_packets(&device->reading, reading, od_number(od_get(device->fields, "bufferSize"), -1));
  } else {
    od_free(&device->reading);
    device->reading = *reading;
    free(device->picture);
    device->picture = NULL;
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
  if (!ms && od_forgets(od_type(robot, tag))) od_free(&device->reading);
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

/* ---- Webots' functions, of its sixth version: one robot for a process, devices by tags from 1 on */

typedef unsigned short WbDeviceTag;

/* X(constant, name of the type), in the order of Webots' nodes.h; the last are those of worlds of old. */
#define OD_NODES(X)                                                                                       \
  X(NO_NODE, "") X(APPEARANCE, "Appearance") X(BACKGROUND, "Background") X(BILLBOARD, "Billboard")        \
  X(BOX, "Box") X(CAD_SHAPE, "CadShape") X(CAPSULE, "Capsule") X(COLOR, "Color") X(CONE, "Cone")          \
  X(COORDINATE, "Coordinate") X(CYLINDER, "Cylinder") X(DIRECTIONAL_LIGHT, "DirectionalLight")            \
  X(ELEVATION_GRID, "ElevationGrid") X(FOG, "Fog") X(GROUP, "Group") X(IMAGE_TEXTURE, "ImageTexture")     \
  X(INDEXED_FACE_SET, "IndexedFaceSet") X(INDEXED_LINE_SET, "IndexedLineSet") X(MATERIAL, "Material")     \
  X(MESH, "Mesh") X(MUSCLE, "Muscle") X(NORMAL, "Normal") X(PBR_APPEARANCE, "PBRAppearance")              \
  X(PLANE, "Plane") X(POINT_LIGHT, "PointLight") X(POINT_SET, "PointSet") X(POSE, "Pose")                 \
  X(SHAPE, "Shape") X(SPHERE, "Sphere") X(SPOT_LIGHT, "SpotLight")                                        \
  X(TEXTURE_COORDINATE, "TextureCoordinate") X(TEXTURE_TRANSFORM, "TextureTransform")                     \
  X(TRANSFORM, "Transform") X(VIEWPOINT, "Viewpoint") X(ROBOT, "Robot") X(ACCELEROMETER, "Accelerometer") \
  X(ALTIMETER, "Altimeter") X(BRAKE, "Brake") X(CAMERA, "Camera") X(COMPASS, "Compass")                   \
  X(CONNECTOR, "Connector") X(DISPLAY, "Display") X(DISTANCE_SENSOR, "DistanceSensor")                    \
  X(EMITTER, "Emitter") X(GPS, "GPS") X(GYRO, "Gyro") X(INERTIAL_UNIT, "InertialUnit") X(LED, "LED")      \
  X(LIDAR, "Lidar") X(LIGHT_SENSOR, "LightSensor") X(LINEAR_MOTOR, "LinearMotor") X(PEN, "Pen")           \
  X(POSITION_SENSOR, "PositionSensor") X(PROPELLER, "Propeller") X(RADAR, "Radar")                        \
  X(RANGE_FINDER, "RangeFinder") X(RECEIVER, "Receiver") X(ROTATIONAL_MOTOR, "RotationalMotor")           \
  X(SKIN, "Skin") X(SPEAKER, "Speaker") X(TOUCH_SENSOR, "TouchSensor")                                    \
  X(VACUUM_GRIPPER, "VacuumGripper") X(BALL_JOINT, "BallJoint")                                           \
  X(BALL_JOINT_PARAMETERS, "BallJointParameters") X(CHARGER, "Charger")                                   \
  X(CONTACT_PROPERTIES, "ContactProperties") X(DAMPING, "Damping") X(FLUID, "Fluid") X(FOCUS, "Focus")    \
  X(HINGE_JOINT, "HingeJoint") X(HINGE_JOINT_PARAMETERS, "HingeJointParameters")                          \
  X(HINGE_2_JOINT, "Hinge2Joint") X(IMMERSION_PROPERTIES, "ImmersionProperties")                          \
  X(JOINT_PARAMETERS, "JointParameters") X(LENS, "Lens") X(LENS_FLARE, "LensFlare")                       \
  X(PHYSICS, "Physics") X(RECOGNITION, "Recognition") X(SLIDER_JOINT, "SliderJoint") X(SLOT, "Slot")      \
  X(SOLID, "Solid") X(SOLID_REFERENCE, "SolidReference") X(TRACK, "Track") X(TRACK_WHEEL, "TrackWheel")   \
  X(WORLD_INFO, "WorldInfo") X(ZOOM, "Zoom") X(MICROPHONE, "Microphone") X(RADIO, "Radio")                \
  X(DIFFERENTIAL_WHEELS, "DifferentialWheels") X(SERVO, "Servo") X(EXTRUSION, "Extrusion")

#define OD_CONSTANT(constant, name) WB_NODE_##constant,
#define OD_NAME(constant, name) name,
typedef enum { OD_NODES(OD_CONSTANT) OD_NODE_COUNT } WbNodeType;
#define WB_NODE_SUPERVISOR WB_NODE_ROBOT /* what these are when a world has been read */
#define WB_NODE_CUSTOM_ROBOT WB_NODE_ROBOT
#define WB_NODE_GRIPPER WB_NODE_SOLID
enum {
  WB_SF_BOOL = 1, WB_SF_INT32, WB_SF_FLOAT, WB_SF_VEC2F, WB_SF_VEC3F, WB_SF_ROTATION, WB_SF_COLOR, WB_SF_STRING,
  WB_SF_NODE, WB_MF = 0x10, WB_MF_BOOL, WB_MF_INT32, WB_MF_FLOAT, WB_MF_VEC2F, WB_MF_VEC3F, WB_MF_ROTATION,
  WB_MF_COLOR, WB_MF_STRING, WB_MF_NODE
};
typedef int WbFieldType;
enum { WB_CAMERA_COLOR = 'c', WB_CAMERA_BLACK_AND_WHITE = 'b', WB_CAMERA_RANGE_FINDER = 'r' };
#define WB_CHANNEL_BROADCAST (-1)
#define WB_SERVO_INFINITY INFINITY

OD_API od_robot *od_self; /* the robot of this process */
OD_API int od_pixel;      /* bytes of a pixel: 3, red first, in worlds of before version 7; 4, blue first, since */

OD_API int od_node_type(const char *name) {
  static const char *const names[] = {OD_NODES(OD_NAME)};
  for (int i = 1; i < OD_NODE_COUNT; i++)
    if (!strcmp(names[i], name)) return i;
  return WB_NODE_NO_NODE;
}

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

/* The simulation goes on; -1, once, when it is over: who asks again is a program that would never end. */
OD_API int wb_robot_step(int ms) {
  if (od_me()->ended) exit(0);
  return od_step(od_self, ms);
}

OD_API void wb_robot_cleanup(void) {
  fflush(stdout);
  if (od_self) od_close(od_self);
}

OD_API WbDeviceTag wb_robot_get_device(const char *name) {
  int tag = od_find(od_me(), name);
  if (tag < 0) fprintf(stderr, "Error: wb_robot_get_device(): device \"%s\" was not found on this robot\n", name);
  return (WbDeviceTag)(tag + 1);
}

OD_API const char *od_of_robot(const char *name) { return od_string(od_get(od_get(&od_me()->world, "robot"), name)); }
OD_API const char *wb_robot_get_name(void) { return od_of_robot("name"); }
OD_API const char *wb_robot_get_model(void) { return od_of_robot("model"); }
OD_API const char *wb_robot_get_controller_name(void) { return od_of_robot("controller"); }
OD_API const char *wb_robot_get_project_path(void) { return od_string(od_get(&od_me()->world, "project")); }
OD_API const char *wb_robot_get_world_path(void) { return od_string(od_get(&od_me()->world, "file")); }
OD_API double wb_robot_get_time(void) { return od_me()->time; }
OD_API double wb_robot_get_basic_time_step(void) { return od_number(od_get(&od_me()->world, "step"), 0); }
OD_API int wb_robot_get_number_of_devices(void) { return od_me()->devices; }
OD_API WbDeviceTag wb_robot_get_device_by_index(int index) { return (WbDeviceTag)(index + 1); }
OD_API bool wb_robot_get_synchronization(void) {
  return od_number(od_get(od_get(&od_me()->world, "robot"), "synchronization"), 0) != 0;
}
OD_API bool wb_robot_get_supervisor(void) {
  return od_number(od_get(od_get(&od_me()->world, "robot"), "supervisor"), 0) != 0;
}
OD_API int wb_robot_get_mode(void) { return 0; }

OD_API void wb_robot_battery_sensor_enable(int ms) { od_command(od_me(), -1, "battery", "i", ms); }
OD_API void wb_robot_battery_sensor_disable(void) { wb_robot_battery_sensor_enable(0); }
OD_API double wb_robot_battery_sensor_get_value(void) {
  return od_number(od_get(&od_me()->answer, "battery"), NAN);
}
OD_API void wb_robot_keyboard_enable(int ms) { od_command(od_me(), -1, "keyboard", "b", ms > 0); }
OD_API void wb_robot_keyboard_disable(void) { wb_robot_keyboard_enable(0); }
/* The keys that are held, one after another; 0: no more. */
OD_API int wb_robot_keyboard_get_key(void) {
  od_value *keys = od_get(&od_me()->answer, "keys");
  return keys && keys->count ? (int)keys->item[--keys->count].number : 0;
}

/* The device of a tag; NULL, and a line, if there is none. */
OD_API od_device *od_at(WbDeviceTag tag, const char *function) {
  if (tag >= 1 && tag <= od_me()->devices) return &od_self->device[tag - 1];
  fprintf(stderr, "Error: %s(): there is no device with the tag %d\n", function, tag);
  return NULL;
}

OD_API od_value *od_reading(WbDeviceTag tag, const char *function) {
  od_device *device = od_at(tag, function);
  if (device && !device->period) {
    const char *name = od_string(od_get(device->info, "name"));
    fprintf(stderr, "Error: %s() called for \"%s\", which is not enabled\n", function, name);
  }
  return device ? &device->reading : NULL;
}

OD_API const double *od_vector(WbDeviceTag tag, size_t from, size_t count, const char *function) {
  static double none[4];
  od_value *reading = od_reading(tag, function);
  return od_numbers(reading, from, reading ? od_self->device[tag - 1].numbers + from : none, count);
}

#define OD_SAY(tag, ...) \
  if (od_at(tag, __func__)) od_command(od_self, (tag) - 1, __VA_ARGS__)
#define OD_SET(tag, field, value) \
  if (od_at(tag, __func__)) od_remember(od_self, (tag) - 1, field, value)

#define OD_SENSOR(kind)                                                      \
  OD_API void wb_##kind##_enable(WbDeviceTag tag, int ms) {                  \
    if (od_at(tag, __func__)) od_enable(od_self, tag - 1, ms);               \
  }                                                                          \
  OD_API void wb_##kind##_disable(WbDeviceTag tag) { wb_##kind##_enable(tag, 0); } \
  OD_API int wb_##kind##_get_sampling_period(WbDeviceTag tag) {              \
    return od_at(tag, __func__) ? od_self->device[tag - 1].period : 0;       \
  }
#define OD_NUMBER(kind) \
  OD_SENSOR(kind)       \
  OD_API double wb_##kind##_get_value(WbDeviceTag tag) { return od_number(od_reading(tag, __func__), NAN); }
#define OD_VECTOR(kind) \
  OD_SENSOR(kind)       \
  OD_API const double *wb_##kind##_get_values(WbDeviceTag tag) { return od_vector(tag, 0, 3, __func__); }
#define OD_TELL(kind, name, command) \
  OD_API void wb_##kind##_##name(WbDeviceTag tag, double value) { OD_SAY(tag, command, "d", value); }

OD_NUMBER(distance_sensor)
OD_NUMBER(light_sensor)
OD_NUMBER(touch_sensor)
OD_API const double *wb_touch_sensor_get_values(WbDeviceTag tag) { return od_vector(tag, 0, 3, __func__); }
OD_NUMBER(position_sensor)
OD_VECTOR(gps)
OD_API double wb_gps_get_speed(WbDeviceTag tag) { return *od_vector(tag, 3, 1, __func__); }
OD_VECTOR(compass)
OD_VECTOR(gyro)
OD_VECTOR(accelerometer)
OD_SENSOR(inertial_unit)
OD_API const double *wb_inertial_unit_get_roll_pitch_yaw(WbDeviceTag tag) { return od_vector(tag, 0, 3, __func__); }

OD_API const char *wb_device_get_name(WbDeviceTag tag) {
  od_device *device = od_at(tag, __func__);
  return device ? od_string(od_get(device->info, "name")) : "";
}
OD_API WbNodeType wb_device_get_node_type(WbDeviceTag tag) {
  return (WbNodeType)(od_at(tag, __func__) ? od_node_type(od_type(od_self, tag - 1)) : WB_NODE_NO_NODE);
}

OD_API void wb_led_set(WbDeviceTag tag, int value) {
  od_device *device = od_at(tag, __func__);
  if (device && od_command(od_self, tag - 1, "set", "i", value)) device->numbers[0] = value;
}
OD_API int wb_led_get(WbDeviceTag tag) { return od_at(tag, __func__) ? (int)od_self->device[tag - 1].numbers[0] : 0; }
OD_API void wb_pen_write(WbDeviceTag tag, bool write) { OD_SAY(tag, "write", "b", write); }
OD_API void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density) {
  double parts[3] = {(color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0};
  OD_SAY(tag, "set_ink", "vd", parts, 3, density);
}
OD_API void wb_connector_lock(WbDeviceTag tag) { OD_SAY(tag, "lock", ""); }
OD_API void wb_connector_unlock(WbDeviceTag tag) { OD_SAY(tag, "unlock", ""); }
OD_SENSOR(connector)
OD_API void wb_connector_enable_presence(WbDeviceTag tag, int ms) { wb_connector_enable(tag, ms); }
OD_API void wb_connector_disable_presence(WbDeviceTag tag) { wb_connector_enable(tag, 0); }
OD_API int wb_connector_get_presence(WbDeviceTag tag) {
  double presence = *od_vector(tag, 0, 1, __func__);
  return isnan(presence) ? -1 : (int)presence;
}

/* ---- wheels, motors and servos */

OD_API int od_wheels(void) {
  for (int i = 0; i < od_me()->devices; i++)
    if (!strcmp(od_type(od_self, i), "DifferentialWheels")) return i;
  fprintf(stderr, "Error: robot \"%s\" is no DifferentialWheels\n", wb_robot_get_name());
  exit(2);
}
OD_API void wb_differential_wheels_set_speed(double left, double right) {
  od_command(od_me(), od_wheels(), "set_speed", "dd", left, right);
}
OD_API void wb_differential_wheels_enable_encoders(int ms) {
  od_command(od_me(), od_wheels(), "feedback", "i", ms);
}
OD_API void wb_differential_wheels_disable_encoders(void) {
  wb_differential_wheels_enable_encoders(0);
  od_free(&od_self->device[od_wheels()].reading);
}
OD_API double od_encoder(size_t side) {
  double value;
  return *od_numbers(&od_me()->device[od_wheels()].reading, side, &value, 1);
}
OD_API double wb_differential_wheels_get_left_encoder(void) { return od_encoder(0); }
OD_API double wb_differential_wheels_get_right_encoder(void) { return od_encoder(1); }
#define wb_differential_wheels_get_left_encoders wb_differential_wheels_get_left_encoder /* the book's */
#define wb_differential_wheels_get_right_encoders wb_differential_wheels_get_right_encoder
OD_API void wb_differential_wheels_set_encoders(double left, double right) {
  od_command(od_me(), od_wheels(), "set_encoders", "dd", left, right);
}
OD_API double wb_differential_wheels_get_max_speed(void) { return od_field(od_me(), od_wheels(), "maxSpeed", NAN); }
OD_API double wb_differential_wheels_get_speed_unit(void) { return od_field(od_me(), od_wheels(), "speedUnit", NAN); }

OD_TELL(servo, set_position, "set_webots_position")
OD_TELL(servo, set_velocity, "set_webots_velocity")
OD_TELL(servo, set_acceleration, "set_acceleration")
OD_TELL(servo, set_motor_force, "set_available_effort")
OD_TELL(servo, set_force, "set_webots_effort")
OD_TELL(motor, set_position, "set_webots_position")
OD_TELL(motor, set_velocity, "set_webots_velocity")
OD_TELL(motor, set_acceleration, "set_acceleration")
OD_TELL(motor, set_available_torque, "set_available_effort")
OD_TELL(motor, set_available_force, "set_available_effort")
OD_TELL(motor, set_torque, "set_webots_effort")
OD_TELL(motor, set_force, "set_webots_effort")
OD_API void wb_servo_set_control_p(WbDeviceTag tag, double p) { OD_SAY(tag, "set_control_pid", "ddd", p, 0.0, 0.0); }
OD_API void wb_motor_set_control_pid(WbDeviceTag tag, double p, double i, double d) {
  OD_SAY(tag, "set_control_pid", "ddd", p, i, d);
}
OD_API void wb_servo_enable_position(WbDeviceTag tag, int ms) {
  od_device *device = od_at(tag, __func__);
  if (device) od_command(od_self, tag - 1, "position", "i", ms);
  if (device && ms <= 0) device->position = NAN;
}
OD_API void wb_servo_disable_position(WbDeviceTag tag) { wb_servo_enable_position(tag, 0); }
OD_API double wb_servo_get_position(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_self->device[tag - 1].position : NAN;
}
OD_API void wb_servo_enable_motor_force_feedback(WbDeviceTag tag, int ms) {
  od_device *device = od_at(tag, __func__);
  if (device) od_command(od_self, tag - 1, "feedback", "i", ms);
  if (device && ms <= 0) od_free(&device->reading);
}
OD_API void wb_servo_disable_motor_force_feedback(WbDeviceTag tag) { wb_servo_enable_motor_force_feedback(tag, 0); }
OD_API double wb_servo_get_motor_force_feedback(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_number(&od_self->device[tag - 1].reading, NAN) : NAN;
}

/* ---- cameras; one of type "range-finder" is a RangeFinder */

OD_SENSOR(camera)
OD_SENSOR(range_finder)
OD_API bool od_measures_depth(int tag) { return !strcmp(od_type(od_self, tag), "RangeFinder"); }
OD_API int wb_camera_get_width(WbDeviceTag tag) {
  od_device *device = od_at(tag, __func__);
  return device ? (int)od_number(od_get(device->info, "width"), 0) : 0;
}
OD_API int wb_camera_get_height(WbDeviceTag tag) {
  od_device *device = od_at(tag, __func__);
  return device ? (int)od_number(od_get(device->info, "height"), 0) : 0;
}
OD_API double wb_camera_get_fov(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_field(od_self, tag - 1, "fieldOfView", NAN) : NAN;
}
OD_API void wb_camera_set_fov(WbDeviceTag tag, double fov) {
  OD_SAY(tag, "set_fov", "d", fov);
  OD_SET(tag, "fieldOfView", fov);
}
OD_API double wb_camera_get_near(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_field(od_self, tag - 1, od_measures_depth(tag - 1) ? "minRange" : "near", NAN) : NAN;
}
OD_API double wb_camera_get_far(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_field(od_self, tag - 1, od_measures_depth(tag - 1) ? "maxRange" : "far", NAN) : NAN;
}
OD_API int wb_camera_get_type(WbDeviceTag tag) {
  od_device *device = od_at(tag, __func__);
  if (!device || od_measures_depth(tag - 1)) return WB_CAMERA_RANGE_FINDER;
  const char *type = od_string(od_get(device->fields, "type"));
  return strcmp(type, "black and white") ? WB_CAMERA_COLOR : WB_CAMERA_BLACK_AND_WHITE;
}

/* Row by row from the top left; NULL before the next step after it was enabled, zeros until its first picture. */
OD_API const unsigned char *wb_camera_get_image(WbDeviceTag tag) {
  od_value *reading = od_reading(tag, __func__);
  od_device *device = reading ? &od_self->device[tag - 1] : NULL;
  if (!device || !device->period || od_self->steps <= device->enabled_at) return NULL;
  const unsigned char *taken = (const unsigned char *)od_get(reading, "image");
  if (taken) taken = (const unsigned char *)od_get(reading, "image")->text;
  if (taken && od_pixel == 4) return taken;
  size_t count = (size_t)wb_camera_get_width(tag) * (size_t)wb_camera_get_height(tag);
  if (!device->picture) {
    unsigned char *made = (unsigned char *)calloc(count + 1, (size_t)od_pixel);
    for (size_t i = 0; taken && i < count; i++)
      for (size_t part = 0; part < 3; part++) made[3 * i + part] = taken[4 * i + 2 - part];
    device->picture = made;
  }
  return (const unsigned char *)device->picture;
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

/* m, row by row; in worlds of before version 7 the lowest row is the first, since then the highest. */
OD_API const float *wb_camera_get_range_image(WbDeviceTag tag) {
  od_value *reading = od_reading(tag, __func__);
  od_device *device = reading ? &od_self->device[tag - 1] : NULL;
  if (!device || !device->period || od_self->steps <= device->enabled_at) return NULL;
  size_t row = sizeof(float) * (size_t)wb_camera_get_width(tag), rows = (size_t)wb_camera_get_height(tag);
  if (!device->picture) {
    char *made = (char *)calloc(rows + 1, row);
    for (size_t i = 0; reading->kind == 's' && i < rows; i++)
      memcpy(made + i * row, reading->text + (od_pixel == 3 ? rows - 1 - i : i) * row, row);
    device->picture = made;
  }
  return (const float *)device->picture;
}
OD_API const float *wb_range_finder_get_range_image(WbDeviceTag tag) { return wb_camera_get_range_image(tag); }
/* Image, near, far, width, x, y: what the image has there, for it is in m already. */
#define wb_camera_range_image_get_value(image, near, far, width, x, y) ((image)[(y) * (width) + (x)])
#define wb_camera_range_image_get_depth(image, width, x, y) ((image)[(y) * (width) + (x)])
#define wb_range_finder_image_get_depth wb_camera_range_image_get_depth
/* There is no window of a picture to be moved. */
OD_API void wb_camera_move_window(WbDeviceTag tag, int x, int y) { (void)tag, (void)x, (void)y; }
OD_API int wb_camera_save_image(WbDeviceTag tag, const char *file, int quality) {
  if (!od_at(tag, __func__)) return -1;
  return od_call(od_self, "save_picture", "issi", tag - 1, "image", file, quality) ? 0 : -1;
}

/* ---- radio */

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
  od_free(queue->item);
  memmove(queue->item, queue->item + 1, --queue->count * sizeof *queue);
}

/* ---- supervisors: questions, which are answered at once */

typedef struct od_node {
  int id;
  char *def, *type, *base;
  double numbers[16];
  struct od_node *next;
} *WbNodeRef;

typedef struct od_field {
  WbNodeRef node;
  char *name, *type, *text;
  double numbers[4];
  struct od_field *next;
} *WbFieldRef;

OD_API WbNodeRef od_nodes; /* all that were told of, and their fields */
OD_API WbFieldRef od_fields;

OD_API char *od_copy(const char *text) { return strcpy((char *)od_room(NULL, strlen(text) + 1), text); }

OD_API WbNodeRef od_told(const od_value *told) {
  if (!told || told->kind != 'o') return NULL;
  int id = (int)od_number(od_get(told, "id"), -1);
  for (WbNodeRef node = od_nodes; node; node = node->next)
    if (node->id == id) return node;
  WbNodeRef made = (WbNodeRef)calloc(1, sizeof *made);
  made->id = id;
  made->def = od_copy(od_string(od_get(told, "def")));
  made->type = od_copy(od_string(od_get(told, "type")));
  made->base = od_copy(od_string(od_get(told, "base")));
  made->next = od_nodes;
  return od_nodes = made;
}

OD_API WbNodeRef wb_supervisor_node_get_root(void) { return od_told(od_call(od_me(), "node_root", "")); }
OD_API WbNodeRef wb_supervisor_node_get_self(void) { return od_told(od_call(od_me(), "node_self", "")); }
OD_API WbNodeRef wb_supervisor_node_get_from_def(const char *def) {
  return od_told(od_call(od_me(), "node_from_def", "s", def));
}
/* Whether it is in the world; a line says if it has been removed. */
OD_API bool od_is_node(WbNodeRef node) { return node && od_call(od_me(), "node", "i", node->id); }
OD_API WbNodeType wb_supervisor_node_get_type(WbNodeRef node) {
  return (WbNodeType)(od_is_node(node) ? od_node_type(node->base) : WB_NODE_NO_NODE);
}
OD_API const char *wb_supervisor_node_get_type_name(WbNodeRef node) { return od_is_node(node) ? node->type : ""; }
#define wb_supervisor_node_get_name wb_supervisor_node_get_type_name /* as it was called before version 6.3 */
OD_API const char *wb_supervisor_node_get_def(WbNodeRef node) { return od_is_node(node) ? node->def : ""; }
OD_API int wb_supervisor_node_get_id(WbNodeRef node) { return od_is_node(node) ? node->id : -1; }
OD_API WbNodeRef wb_supervisor_node_get_parent_node(WbNodeRef node) {
  return node ? od_told(od_call(od_me(), "node_parent", "i", node->id)) : NULL;
}
OD_API const double *od_pose(WbNodeRef node, int columns, int from) {
  double pose[16];
  od_numbers(od_call(od_me(), "node_pose", "in", node->id), 0, pose, 16);
  for (int i = 0; i < 3 * columns; i++) node->numbers[i] = pose[i / columns * 4 + from + i % columns];
  return node->numbers;
}
/* m, in the axes of the file. */
OD_API const double *wb_supervisor_node_get_position(WbNodeRef node) { return node ? od_pose(node, 1, 3) : NULL; }
/* 3 x 3, row by row. */
OD_API const double *wb_supervisor_node_get_orientation(WbNodeRef node) { return node ? od_pose(node, 3, 0) : NULL; }
/* Linear in m/s, then angular in rad/s. */
OD_API const double *wb_supervisor_node_get_velocity(WbNodeRef node) {
  return node ? od_numbers(od_call(od_me(), "node_velocity", "i", node->id), 0, node->numbers, 6) : NULL;
}
OD_API void wb_supervisor_node_set_velocity(WbNodeRef node, const double velocity[6]) {
  if (node) od_call(od_me(), "node_set_velocity", "iv", node->id, velocity, 6);
}
OD_API void wb_supervisor_node_remove(WbNodeRef node) {
  if (node) od_call(od_me(), "node_remove", "i", node->id);
}

/* NULL, without a word, if there is no such field. */
OD_API WbFieldRef wb_supervisor_node_get_field(WbNodeRef node, const char *name) {
  for (WbFieldRef field = od_fields; field; field = field->next)
    if (field->node == node && !strcmp(field->name, name)) return field;
  od_value *type = node ? od_call(od_me(), "field_type", "isb", node->id, name, false) : NULL;
  if (!type) return NULL;
  WbFieldRef made = (WbFieldRef)calloc(1, sizeof *made);
  made->node = node;
  made->name = od_copy(name);
  made->type = od_copy(od_string(type));
  made->next = od_fields;
  return od_fields = made;
}
/* Empty, and as a number 0: its node has gone. */
OD_API const char *wb_supervisor_field_get_type_name(WbFieldRef field) {
  return field && od_call(od_me(), "field_type", "isb", field->node->id, field->name, false) ? field->type : "";
}
OD_API WbFieldType wb_supervisor_field_get_type(WbFieldRef field) {
  static const char *const names[] = {"Bool", "Int32", "Float", "Vec2f", "Vec3f", "Rotation", "Color", "String", "Node"};
  const char *type = wb_supervisor_field_get_type_name(field);
  for (int i = 0; *type && i < 9; i++)
    if (!strcmp(type + 2, names[i])) return (*type == 'M' ? WB_MF : 0) + i + 1;
  return 0;
}

/* The value of now; of a field of several the one of an index, from the end if it is negative. */
OD_API od_value *od_field_value(WbFieldRef field, const char *type, int index, const char *function) {
  if (!field || strcmp(field->type, type)) {
    const char *name = field ? field->name : "NULL", *found = field ? field->type : "no field";
    fprintf(stderr, "Error: %s() called for '%s', which is %s, expected %s\n", function, name, found, type);
    return NULL;
  }
  od_value *value = od_call(od_me(), "field_get", "isb", field->node->id, field->name, false);
  if (*type == 'S' || !value) return value;
  int at = index < 0 ? (int)value->count + index : index;
  if (at >= 0 && at < (int)value->count) return &value->item[at];
  fprintf(stderr, "Error: %s() called for '%s' with the index %d of %d\n", function, field->name, index,
          (int)value->count);
  return NULL;
}
OD_API int wb_supervisor_field_get_count(WbFieldRef field) {
  if (!field || *field->type != 'M') return -1;
  od_value *value = od_call(od_me(), "field_get", "isb", field->node->id, field->name, false);
  return value ? (int)value->count : -1;
}
/* Give a value, with its kind as of od_command; of a field of several at an index. */
OD_API void od_set_field(WbFieldRef field, const char *type, int index, const char *function, const char *kind, ...) {
  od_value *place = od_field_value(field, type, index, function);
  if (!field || strcmp(field->type, type) || (*type == 'M' && !place)) return;
  od_text text = {NULL, 0, 0}, raw = {NULL, 0, 0};
  va_list arguments;
  va_start(arguments, kind);
  bool is_good = od_arguments(&text, &raw, kind, arguments);
  va_end(arguments);
  if (is_good) {
    od_reader reader = {text.data + 1, text.data + text.count, NULL, 0};
    od_value value, whole = {'z', 0, NULL, 0, NULL, NULL};
    od_read(&reader, &value);
    if (*type == 'M') { /* the whole of it, with another item */
      whole = *od_get(&od_self->answer, "result");
      od_get(&od_self->answer, "result")->item = NULL;
      od_free(place);
      *place = value;
    } else
      whole = value;
    whole.name = NULL;
    od_call(od_self, "field_set", "isbj", field->node->id, field->name, false, &whole);
    od_free(&whole);
  } else
    fprintf(stderr, "Error: %s(): found NaN, expected a number\n", function);
  free(text.data);
}
OD_API const double *od_field_numbers(WbFieldRef field, const char *type, int index, size_t count, const char *function) {
  static double none[4];
  return od_numbers(od_field_value(field, type, index, function), 0, field ? field->numbers : none, count);
}
OD_API const char *od_field_text(WbFieldRef field, const char *type, int index, const char *function) {
  const char *text = od_string(od_field_value(field, type, index, function));
  if (!field) return "";
  free(field->text);
  return field->text = od_copy(text);
}

#define OD_FIELD(kind, type, name, get)                                                                \
  OD_API type wb_supervisor_field_get_sf_##kind(WbFieldRef field) {                                    \
    const char *wanted = "SF" name;                                                                    \
    int index = 0;                                                                                     \
    return get;                                                                                        \
  }                                                                                                    \
  OD_API type wb_supervisor_field_get_mf_##kind(WbFieldRef field, int index) {                         \
    const char *wanted = "MF" name;                                                                    \
    return get;                                                                                        \
  }
#define OD_FIELD_SET(kind, type, name, letter, ...)                                                    \
  OD_API void wb_supervisor_field_set_sf_##kind(WbFieldRef field, type value) {                        \
    od_set_field(field, "SF" name, 0, __func__, letter, __VA_ARGS__);                                  \
  }                                                                                                    \
  OD_API void wb_supervisor_field_set_mf_##kind(WbFieldRef field, int index, type value) {             \
    od_set_field(field, "MF" name, index, __func__, letter, __VA_ARGS__);                              \
  }
OD_FIELD(bool, bool, "Bool", od_number(od_field_value(field, wanted, index, __func__), 0) != 0)
OD_FIELD_SET(bool, bool, "Bool", "b", (int)value)
OD_FIELD(int32, int, "Int32", (int)od_number(od_field_value(field, wanted, index, __func__), 0))
OD_FIELD_SET(int32, int, "Int32", "i", value)
OD_FIELD(float, double, "Float", od_number(od_field_value(field, wanted, index, __func__), 0))
OD_FIELD_SET(float, double, "Float", "d", value)
OD_FIELD(vec2f, const double *, "Vec2f", od_field_numbers(field, wanted, index, 2, __func__))
OD_FIELD_SET(vec2f, const double *, "Vec2f", "v", value, 2)
OD_FIELD(vec3f, const double *, "Vec3f", od_field_numbers(field, wanted, index, 3, __func__))
OD_FIELD_SET(vec3f, const double *, "Vec3f", "v", value, 3)
OD_FIELD(rotation, const double *, "Rotation", od_field_numbers(field, wanted, index, 4, __func__))
OD_FIELD_SET(rotation, const double *, "Rotation", "v", value, 4)
OD_FIELD(color, const double *, "Color", od_field_numbers(field, wanted, index, 3, __func__))
OD_FIELD_SET(color, const double *, "Color", "v", value, 3)
OD_FIELD(string, const char *, "String", od_field_text(field, wanted, index, __func__))
OD_FIELD_SET(string, const char *, "String", "s", value)
OD_FIELD(node, WbNodeRef, "Node", od_told(od_field_value(field, wanted, index, __func__)))

/* Before a position, 0: the first; -1: behind the last. */
OD_API void od_import(WbFieldRef field, int position, const char *what, const char *text) {
  int at = position < 0 ? wb_supervisor_field_get_count(field) + 1 + position : position;
  if (field) od_call(od_me(), what, "isbsi", field->node->id, field->name, false, text, at);
}
OD_API void wb_supervisor_field_import_mf_node(WbFieldRef field, int position, const char *file) {
  od_import(field, position, "field_import_file", file);
}
OD_API void wb_supervisor_field_import_mf_node_from_string(WbFieldRef field, int position, const char *text) {
  od_import(field, position, "field_import", text);
}

/* Behind `transparency` later versions have a font. */
OD_API void od_label(int id, const char *text, double x, double y, double size, int color, double transparency,
                     const char *font, ...) {
  od_call(od_me(), "label", "isdddids", id, text, x, y, size, color, transparency, font);
}
#define wb_supervisor_set_label(...) od_label(__VA_ARGS__, "Arial", "")
OD_API void wb_supervisor_export_image(const char *file, int quality) {
  od_call(od_me(), "export_image", "si", file, quality);
}
OD_API void od_quit(int status) { od_call(od_me(), "quit", "i", status); }
#define wb_supervisor_simulation_quit(...) od_quit(__VA_ARGS__ + 0) /* later versions give a status */
OD_API void wb_supervisor_simulation_revert(void) { od_call(od_me(), "world_load", "n"); }
OD_API void wb_supervisor_simulation_physics_reset(void) { od_call(od_me(), "reset_physics", ""); }
OD_API void wb_supervisor_start_movie(const char *file, int width, int height, int type, int quality) {
  double size[2] = {(double)width, (double)height};
  (void)type; /* the ending of the file says it */
  od_call(od_me(), "movie_start", "svid", file, size, 2, quality, 1.0);
}
OD_API void wb_supervisor_stop_movie(void) { od_call(od_me(), "movie_stop", ""); }
/* Nothing plays .wva any more: that becomes a page. */
OD_API void wb_supervisor_start_animation(const char *file) {
  size_t count = strlen(file) >= 4 && !strcmp(file + strlen(file) - 4, ".wva") ? strlen(file) - 4 : strlen(file);
  char *page = (char *)od_room(NULL, count + 6);
  sprintf(page, "%.*s%s", (int)count, file, file[count] ? ".html" : "");
  od_call(od_me(), "animation_start", "s", page);
  free(page);
}
OD_API void wb_supervisor_stop_animation(void) { od_call(od_me(), "animation_stop", ""); }

#ifdef __cplusplus
} /* extern "C" */

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/* Several robots from one program, with the classes of a simulator that read X3D, whose robots are here too. */
namespace odesim {

class Device {
 public:
  Device(od_robot *robot, int tag) : robot_(robot), tag_(tag) {}
  od_robot *robot() const { return robot_; }
  od_device &data() const { return robot_->device[tag_]; }
  int tag() const { return tag_; }

 protected:
  static bool take(const od_value &value, float &number) {
    if (value.kind == 'n') number = (float)value.number;
    return value.kind == 'n';
  }
  od_robot *robot_;
  int tag_;
};

class DistanceSensor : public Device {
 public:
  using Device::Device;
  bool getDistance(float &distance) const { return take(data().reading, distance); } /* m; false: none yet */
};

class GPS : public Device {
 public:
  using Device::Device;
  bool getPosition(float &x, float &y, float &z) const { /* m, in the axes of the file */
    const od_value &reading = data().reading;
    return reading.kind == 'a' && take(reading.item[0], x) && take(reading.item[1], y) && take(reading.item[2], z);
  }
};

class Motor : public Device {
 public:
  using Device::Device;
  bool getVelocity(float &velocity) const { /* rad/s, the mean of the last step; false: none yet */
    if (!std::isnan(data().velocity)) velocity = (float)data().velocity;
    return !std::isnan(data().velocity);
  }
  bool setVelocity(float velocity) { return od_command(robot_, tag_, "set_velocity", "d", (double)velocity); }
};

class Robot {
 public:
  explicit Robot(od_robot *robot) : robot_(robot) {}
  DistanceSensor *getDistanceSensor(const std::string &name) { return sensor<DistanceSensor>(name, "DistanceSensor"); }
  GPS *getGPS(const std::string &name) { return sensor<GPS>(name, "GPS"); }
  Motor *getMotor(const std::string &name) {
    int tag = od_find(robot_, name.c_str());
    if (tag < 0 || !std::strstr(od_type(robot_, tag), "Motor")) return nullptr;
    od_command(robot_, tag, "position", "i", 1);
    return new Motor(robot_, tag);
  }
  od_robot *data() const { return robot_; }

 private:
  template <class Kind>
  Kind *sensor(const std::string &name, const char *type) { /* measured in every step of the world */
    int tag = od_find(robot_, name.c_str());
    if (tag < 0 || std::strcmp(od_type(robot_, tag), type)) return nullptr;
    od_enable(robot_, tag, 1);
    return new Kind(robot_, tag);
  }
  od_robot *robot_;
};

class Simulation {
 public:
  /* In step with it, or not. Where ODESIM_CONTROLLER_URL is set it says the place, for who is started by a world. */
  bool connect(const std::string &ip, bool synchronized, int port = OD_PORT) {
    const char *said = std::getenv(OD_SOCKET_VARIABLE);
    place_ = said && *said ? said : "tcp://" + ip + ":" + std::to_string(port);
    synchronized_ = synchronized;
    int made = od_connect(place_.c_str());
    if (made >= 0) shutdown(made, SHUT_RDWR);
    return made >= 0;
  }
  Robot *getRobot(const std::string &name) {
    for (Robot *each : robots_)
      if (name == od_string(od_get(od_get(&each->data()->world, "robot"), "name"))) return each;
    od_robot *made = od_open(place_.c_str(), name.c_str(), synchronized_);
    if (!made) return nullptr;
    robots_.push_back(new Robot(made));
    return robots_.back();
  }
  /* All robots go on for so many ms; false: it is over. */
  bool step(int ms) {
    bool goes_on = true;
    std::fflush(stdout);
    for (Robot *each : robots_) od_begin_step(each->data(), ms);
    for (Robot *each : robots_) goes_on = od_end_step(each->data()) >= 0 && goes_on;
    return goes_on;
  }

 private:
  std::string place_;
  bool synchronized_ = true;
  std::vector<Robot *> robots_;
};

}  // namespace odesim
#endif
#endif
