/* Values as JSON has them, and bytes: what messages are made of. */
#ifndef ODESIM_VALUE_H
#define ODESIM_VALUE_H

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OD_API static inline /* a function; a file has those that it uses */
#define OD_SHARED __attribute__((weak)) /* a variable, one for all files of a program */

#ifdef __cplusplus
extern "C" {
#endif

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

/* Put a value in the place of another, if there is one. */
OD_API void od_move(od_value *place, od_value *value) {
  if (!value) return;
  od_free(place);
  *place = *value;
  place->name = NULL;
  value->kind = 'z', value->count = 0, value->text = NULL, value->item = NULL;
}

/* Put the items of an array behind those of another. */
OD_API void od_join(od_value *array, od_value *more) {
  if (array->kind != 'a') od_free(array), array->kind = 'a';
  array->item = (od_value *)od_room(array->item, (array->count + more->count + 1) * sizeof *array);
  if (more->count) memcpy(array->item + array->count, more->item, more->count * sizeof *array);
  array->count += more->count;
  free(more->item);
  more->item = NULL, more->count = 0;
}

/* Take the first item out of an array. */
OD_API void od_drop_first(od_value *array) {
  od_free(array->item);
  memmove(array->item, array->item + 1, --array->count * sizeof *array);
}

OD_API char *od_copy(const char *text) { return strcpy((char *)od_room(NULL, strlen(text) + 1), text); }

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

#ifdef __cplusplus
}
#endif
#endif
