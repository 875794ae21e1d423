/* Fields of nodes and the PROTO that nodes are instances of, for supervisors. */
#ifndef ODESIM_SUPERVISOR_FIELDS_H
#define ODESIM_SUPERVISOR_FIELDS_H

#include "supervisor_nodes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- finding them */

OD_API WbFieldRef od_make_field(WbNodeRef node, const char *name, const char *type, int body, int level) {
  for (WbFieldRef field = od_fields; field; field = field->next)
    if (field->node == node && field->body == body && field->level == level && !strcmp(field->name, name)) return field;
  WbFieldRef made = (WbFieldRef)calloc(1, sizeof *made);
  made->node = node, made->body = body, made->level = level;
  made->name = od_copy(name);
  made->type = od_copy(type);
  made->next = od_fields;
  return od_fields = made;
}
/* NULL, without a word, if there is no such field. With `of_base` that of the node that a PROTO makes. */
OD_API WbFieldRef od_find_field(WbNodeRef node, const char *name, bool of_base) {
  if (!node || !name) return NULL;
  int body = of_base ? (int)od_number(od_call(od_me(), "proto", "i", node->id), 0) : 0;
  od_value *type = od_call(od_me(), "field_type", "isi", node->id, name, body);
  return type ? od_make_field(node, name, od_string(type), body, -1) : NULL;
}
OD_API int od_count_fields(WbNodeRef node, bool of_base) {
  od_value *names = node ? od_call(od_me(), "field_names", "ib", node->id, (int)of_base) : NULL;
  return names ? (int)names->count : -1;
}
OD_API WbFieldRef od_field_at(WbNodeRef node, int index, bool of_base) {
  od_value *names = node ? od_call(od_me(), "field_names", "ib", node->id, (int)of_base) : NULL;
  if (!names || index < 0 || index >= (int)names->count) return NULL;
  char *name = od_copy(od_string(&names->item[index]));
  WbFieldRef found = od_find_field(node, name, of_base);
  free(name);
  return found;
}
OD_API WbFieldRef wb_supervisor_node_get_field(WbNodeRef node, const char *name) {
  return od_find_field(node, name, false);
}
OD_API WbFieldRef wb_supervisor_node_get_base_node_field(WbNodeRef node, const char *name) {
  return od_find_field(node, name, true);
}
OD_API WbFieldRef wb_supervisor_node_get_field_by_index(WbNodeRef node, int index) {
  return od_field_at(node, index, false);
}
OD_API WbFieldRef wb_supervisor_node_get_base_node_field_by_index(WbNodeRef node, int index) {
  return od_field_at(node, index, true);
}
OD_API int wb_supervisor_node_get_number_of_fields(WbNodeRef node) { return od_count_fields(node, false); }
OD_API int wb_supervisor_node_get_number_of_base_node_fields(WbNodeRef node) { return od_count_fields(node, true); }
#define wb_supervisor_node_get_proto_field wb_supervisor_node_get_base_node_field
#define wb_supervisor_node_get_proto_field_by_index wb_supervisor_node_get_base_node_field_by_index
#define wb_supervisor_node_get_proto_number_of_fields wb_supervisor_node_get_number_of_base_node_fields

/* ---- what one is */

OD_API const char *wb_supervisor_field_get_name(WbFieldRef field) { return field ? field->name : ""; }
/* Empty, and as a number 0: its node has gone, or its PROTO has been made anew. */
OD_API const char *wb_supervisor_field_get_type_name(WbFieldRef field) {
  if (!field) return "";
  od_value *is_there = field->level < 0
                         ? od_call(od_me(), "field_type", "isi", field->node->id, field->name, field->body)
                         : od_call(od_me(), "proto_level", "ii", field->body, field->level);
  return is_there ? field->type : "";
}
OD_API WbFieldType wb_supervisor_field_get_type(WbFieldRef field) {
  static const char *const names[] = {"Bool", "Int32", "Float", "Vec2f", "Vec3f", "Rotation", "Color", "String", "Node"};
  const char *type = wb_supervisor_field_get_type_name(field);
  for (int i = 0; *type && i < 9; i++)
    if (!strcmp(type + 2, names[i])) return (WbFieldType)((*type == 'M' ? WB_MF : 0) + i + 1);
  return WB_NO_FIELD;
}
/* What is asked for is always of now. */
OD_API void wb_supervisor_field_enable_sf_tracking(WbFieldRef field, int ms) { (void)field, (void)ms; }
OD_API void wb_supervisor_field_disable_sf_tracking(WbFieldRef field) { (void)field; }
/* The field in the scene tree that it has its value from; NULL: there is none. */
OD_API WbFieldRef wb_supervisor_field_get_actual_field(WbFieldRef field) {
  if (!field) return NULL;
  od_value *told = field->level < 0
                     ? od_call(od_me(), "field_actual", "isi", field->node->id, field->name, field->body)
                     : od_call(od_me(), "proto_actual", "iis", field->body, field->level, field->name);
  WbNodeRef node = od_told(od_get(told, "node"));
  return node ? od_make_field(node, od_string(od_get(told, "name")), od_string(od_get(told, "type")), 0, -1) : NULL;
}

/* ---- reading */

/* The whole value of now. */
OD_API od_value *od_whole(WbFieldRef field) {
  if (field->level >= 0) return od_call(od_me(), "proto_get", "iis", field->body, field->level, field->name);
  return od_call(od_me(), "field_get", "isi", field->node->id, field->name, field->body);
}
OD_API bool od_is_of(WbFieldRef field, const char *type, const char *function) {
  if (field && !strcmp(field->type, type)) return true;
  const char *name = field ? field->name : "NULL", *found = field ? field->type : "no field";
  fprintf(stderr, "Error: %s() called for '%s', which is %s, expected %s\n", function, name, found, type);
  return false;
}
/* An index from the end as one from the start, of so many places; -1, and a line: there is no such place. */
OD_API int od_place(WbFieldRef field, int index, size_t count, const char *function) {
  int at = index < 0 ? (int)count + index : index;
  if (at >= 0 && at < (int)count) return at;
  fprintf(stderr, "Error: %s() called for '%s' with the index %d of %d\n", function, field->name, index, (int)count);
  return -1;
}
/* The value of now; of a field of several the one of an index, from the end if it is negative. */
OD_API od_value *od_field_value(WbFieldRef field, const char *type, int index, const char *function) {
  od_value *value = od_is_of(field, type, function) ? od_whole(field) : NULL;
  if (*type == 'S' || !value) return value;
  int at = od_place(field, index, value->count, function);
  return at < 0 ? NULL : &value->item[at];
}
OD_API int wb_supervisor_field_get_count(WbFieldRef field) {
  od_value *value = field && *field->type == 'M' ? od_whole(field) : NULL;
  return value ? (int)value->count : -1;
}
OD_API const double *od_field_numbers(WbFieldRef field, const char *type, int index, size_t count, const char *function) {
  static double none[4];
  return od_numbers(od_field_value(field, type, index, function), 0, field ? field->numbers : none, count);
}
OD_API const char *od_field_text(WbFieldRef field, const char *type, int index, const char *function) {
  const char *text = od_string(od_field_value(field, type, index, function));
  if (!field) return "";
  char *kept = od_copy(text);
  free(field->text);
  return field->text = kept;
}
OD_API WbNodeRef od_field_node(WbFieldRef field, const char *type, int index, const char *function) {
  bool is_inside = field && (field->body > 0 || field->node->is_inside);
  return od_told_in(od_field_value(field, type, index, function), is_inside);
}

/* ---- writing */

/* What takes the place of so many items: 1 to replace, 0 to insert, -1 to remove one. */
enum { OD_REPLACE, OD_INSERT, OD_REMOVE };

OD_API void od_write(WbFieldRef field, const char *function, od_value *value) {
  if (field->level >= 0)
    fprintf(stderr, "Error: %s() called for '%s', the field of a PROTO, which is read only\n", function, field->name);
  else
    od_call(od_me(), "field_set", "isij", field->node->id, field->name, field->body, value);
}
/* Have an array with another item at an index, one more, or one less. */
OD_API void od_change_item(WbFieldRef field, const char *function, int index, int how, od_value *item) {
  od_value whole = {'a', 0, NULL, 0, NULL, NULL}, *now = od_whole(field);
  int at = now ? od_place(field, index, now->count + (how == OD_INSERT), function) : -1;
  if (at < 0) return;
  od_join(&whole, now);
  if (how == OD_INSERT) {
    memmove(whole.item + at + 1, whole.item + at, (whole.count++ - (size_t)at) * sizeof whole);
  } else {
    od_free(&whole.item[at]);
    if (how == OD_REMOVE) memmove(whole.item + at, whole.item + at + 1, (--whole.count - (size_t)at) * sizeof whole);
  }
  if (item) whole.item[at] = *item, memset(item, 0, sizeof *item);
  od_write(field, function, &whole);
  od_free(&whole);
}
/* Give a value, with its kind as of od_command; to a field of several at an index. */
OD_API void od_set_field(WbFieldRef field, const char *type, int index, int how, const char *function,
                         const char *kind, ...) {
  od_text text = {NULL, 0, 0}, raw = {NULL, 0, 0};
  va_list arguments;
  if (!od_is_of(field, type, function)) return;
  va_start(arguments, kind);
  bool is_good = od_arguments(&text, &raw, kind, arguments);
  va_end(arguments);
  if (is_good) {
    od_reader reader = {text.data + 1, text.data + text.count, NULL, 0};
    od_value value;
    od_read(&reader, &value);
    if (*type == 'M')
      od_change_item(field, function, index, how, &value);
    else
      od_write(field, function, &value);
    od_free(&value);
  } else
    fprintf(stderr, "Error: %s(): found NaN, expected a number\n", function);
  free(text.data);
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
    od_set_field(field, "SF" name, 0, OD_REPLACE, __func__, letter, __VA_ARGS__);                      \
  }                                                                                                    \
  OD_API void wb_supervisor_field_set_mf_##kind(WbFieldRef field, int index, type value) {             \
    od_set_field(field, "MF" name, index, OD_REPLACE, __func__, letter, __VA_ARGS__);                  \
  }                                                                                                    \
  OD_API void wb_supervisor_field_insert_mf_##kind(WbFieldRef field, int index, type value) {          \
    od_set_field(field, "MF" name, index, OD_INSERT, __func__, letter, __VA_ARGS__);                   \
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
OD_FIELD(node, WbNodeRef, "Node", od_field_node(field, wanted, index, __func__))

OD_API void wb_supervisor_field_remove_mf(WbFieldRef field, int index) {
  if (!field || *field->type != 'M') {
    od_is_of(field, "MF…", __func__);
  } else if (strcmp(field->type, "MFNode")) {
    od_change_item(field, __func__, index, OD_REMOVE, NULL);
  } else
    wb_supervisor_node_remove(wb_supervisor_field_get_mf_node(field, index));
}
#define wb_supervisor_field_remove_mf_node wb_supervisor_field_remove_mf
OD_API void wb_supervisor_field_remove_sf(WbFieldRef field) {
  WbNodeRef node = wb_supervisor_field_get_sf_node(field);
  if (node) wb_supervisor_node_remove(node);
}

/* Before a position, 0: the first; -1: behind the last. */
OD_API void od_import(WbFieldRef field, int position, const char *what, const char *text) {
  int at = position < 0 && field && *field->type == 'M' ? wb_supervisor_field_get_count(field) + 1 + position : position;
  if (field) od_call(od_me(), what, "isisi", field->node->id, field->name, field->body, text, at);
}
OD_API void wb_supervisor_field_import_mf_node(WbFieldRef field, int position, const char *file) {
  od_import(field, position, "field_import_file", file);
}
OD_API void wb_supervisor_field_import_mf_node_from_string(WbFieldRef field, int position, const char *text) {
  od_import(field, position, "field_import", text);
}
OD_API void wb_supervisor_field_import_sf_node(WbFieldRef field, const char *file) {
  od_import(field, -1, "field_import_file", file);
}
OD_API void wb_supervisor_field_import_sf_node_from_string(WbFieldRef field, const char *text) {
  od_import(field, -1, "field_import", text);
}

/* ---- the PROTO that a node is an instance of, until its body is made anew */

typedef struct od_proto {
  WbNodeRef node;
  int body, level; /* 0: the PROTO of the instance, 1: the one it derives from, … */
  char *type;
  struct od_proto *next;
} *WbProtoRef;

OD_SHARED WbProtoRef od_protos;

OD_API WbProtoRef od_make_proto(WbNodeRef node, int body, int level) {
  for (WbProtoRef proto = od_protos; proto; proto = proto->next)
    if (proto->node == node && proto->body == body && proto->level == level) return proto;
  WbProtoRef made = (WbProtoRef)calloc(1, sizeof *made);
  made->node = node, made->body = body, made->level = level;
  made->next = od_protos;
  return od_protos = made;
}
OD_API od_value *od_proto_told(WbProtoRef proto) {
  return proto ? od_call(od_me(), "proto_level", "ii", proto->body, proto->level) : NULL;
}
OD_API WbProtoRef wb_supervisor_node_get_proto(WbNodeRef node) {
  od_value *body = node ? od_call(od_me(), "proto", "i", node->id) : NULL;
  return body ? od_make_proto(node, (int)body->number, 0) : NULL;
}
OD_API const char *wb_supervisor_proto_get_type_name(WbProtoRef proto) {
  od_value *told = od_proto_told(proto);
  if (!told) return "";
  free(proto->type);
  return proto->type = od_copy(od_string(od_get(told, "type")));
}
OD_API bool wb_supervisor_proto_is_derived(WbProtoRef proto) {
  return od_number(od_get(od_proto_told(proto), "derived"), 0) != 0;
}
OD_API WbProtoRef wb_supervisor_proto_get_parent(WbProtoRef proto) {
  return wb_supervisor_proto_is_derived(proto) ? od_make_proto(proto->node, proto->body, proto->level + 1) : NULL;
}
OD_API int wb_supervisor_proto_get_number_of_fields(WbProtoRef proto) {
  od_value *fields = od_get(od_proto_told(proto), "fields");
  return fields ? (int)fields->count : -1;
}
/* One of its fields, which can only be read: by its name, or with NULL by its index. */
OD_API WbFieldRef od_proto_field(WbProtoRef proto, const char *name, int index) {
  od_value *fields = od_get(od_proto_told(proto), "fields");
  for (int i = 0; fields && i < (int)fields->count; i++) {
    od_value *pair = fields->item[i].item;
    if (name ? !strcmp(name, pair[0].text) : i == index)
      return od_make_field(proto->node, pair[0].text, pair[1].text, proto->body, proto->level);
  }
  return NULL;
}
OD_API WbFieldRef wb_supervisor_proto_get_field(WbProtoRef proto, const char *name) {
  return od_proto_field(proto, name, -1);
}
OD_API WbFieldRef wb_supervisor_proto_get_field_by_index(WbProtoRef proto, int index) {
  return od_proto_field(proto, NULL, index);
}

#ifdef __cplusplus
}
#endif
#endif
