/* Nodes, for supervisors: questions, which are answered at once. */
#ifndef ODESIM_SUPERVISOR_NODES_H
#define ODESIM_SUPERVISOR_NODES_H

#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct od_node {
  int id;
  bool is_inside; /* found in the body of a PROTO */
  char *def, *type, *base, *text;
  double numbers[16];
  struct od_contact *contacts;
  struct od_node *next;
} *WbNodeRef;

typedef struct od_field {
  WbNodeRef node;
  int body, level; /* 0, or the number of the body whose field it is; -1, or the level of the PROTO whose it is */
  char *name, *type, *text;
  double numbers[4];
  struct od_field *next;
} *WbFieldRef;

typedef struct od_contact {
  double point[3]; /* m, in the axes of the world */
  int node_id;
} WbContactPoint;

OD_SHARED WbNodeRef od_nodes; /* all that were told of, and their fields */
OD_SHARED WbFieldRef od_fields;

OD_API WbNodeRef od_told_in(const od_value *told, bool is_inside) {
  if (!told || told->kind != 'o') return NULL;
  int id = (int)od_number(od_get(told, "id"), -1);
  for (WbNodeRef node = od_nodes; node; node = node->next)
    if (node->id == id && node->is_inside == is_inside) return node;
  WbNodeRef made = (WbNodeRef)calloc(1, sizeof *made);
  made->id = id;
  made->is_inside = is_inside;
  made->def = od_copy(od_string(od_get(told, "def")));
  made->type = od_copy(od_string(od_get(told, "type")));
  made->base = od_copy(od_string(od_get(told, "base")));
  made->next = od_nodes;
  return od_nodes = made;
}
OD_API WbNodeRef od_told(const od_value *told) { return od_told_in(told, false); }

/* ---- finding them */

OD_API WbNodeRef wb_supervisor_node_get_root(void) { return od_told(od_call(od_me(), "node_root", "")); }
OD_API WbNodeRef wb_supervisor_node_get_self(void) { return od_told(od_call(od_me(), "node_self", "")); }
OD_API WbNodeRef wb_supervisor_node_get_from_def(const char *def) {
  return od_told(od_call(od_me(), "node_from_def", "s", def));
}
OD_API WbNodeRef wb_supervisor_node_get_from_id(int id) { return od_told(od_call(od_me(), "node_from_id", "i", id)); }
OD_API WbNodeRef wb_supervisor_node_get_from_device(WbDeviceTag tag) {
  return od_at(tag, __func__) ? od_told(od_call(od_self, "node_from_device", "i", tag - 1)) : NULL;
}
OD_API WbNodeRef wb_supervisor_node_get_from_proto_def(WbNodeRef node, const char *def) {
  return node ? od_told_in(od_call(od_me(), "node_from_proto_def", "is", node->id, def), true) : NULL;
}
OD_API WbNodeRef wb_supervisor_node_get_parent_node(WbNodeRef node) {
  return node ? od_told(od_call(od_me(), "node_parent", "i", node->id)) : NULL;
}
/* Nothing is ever selected. */
OD_API WbNodeRef wb_supervisor_node_get_selected(void) { return NULL; }

/* ---- what one is */

/* Whether it is in the world; a line says if it has been removed. */
OD_API bool od_is_node(WbNodeRef node) { return node && od_call(od_me(), "node", "i", node->id); }
OD_API WbNodeType wb_supervisor_node_get_type(WbNodeRef node) {
  return (WbNodeType)(od_is_node(node) ? od_node_type(node->base) : WB_NODE_NO_NODE);
}
/* The name of its PROTO, if it is an instance of one. */
OD_API const char *wb_supervisor_node_get_type_name(WbNodeRef node) { return od_is_node(node) ? node->type : ""; }
#define wb_supervisor_node_get_name wb_supervisor_node_get_type_name /* as it was called before version 6.3 */
OD_API const char *wb_supervisor_node_get_base_type_name(WbNodeRef node) { return od_is_node(node) ? node->base : ""; }
OD_API bool wb_supervisor_node_is_proto(WbNodeRef node) { return od_is_node(node) && strcmp(node->type, node->base); }
OD_API const char *wb_supervisor_node_get_def(WbNodeRef node) { return od_is_node(node) ? node->def : ""; }
/* -1: it has been removed, or was found in the body of a PROTO. */
OD_API int wb_supervisor_node_get_id(WbNodeRef node) {
  return od_is_node(node) && !node->is_inside ? node->id : -1;
}
OD_API const char *wb_supervisor_node_export_string(WbNodeRef node) {
  if (!node) return "";
  const char *text = od_string(od_call(od_me(), "node_text", "i", node->id));
  free(node->text);
  return node->text = od_copy(text);
}

/* ---- where it is and how it moves; vectors in the axes of the world's file */

OD_API const double *od_pose(WbNodeRef node, int columns, int from) {
  double pose[16];
  od_numbers(od_call(od_me(), "node_pose", "in", node->id), 0, pose, 16);
  for (int i = 0; i < 3 * columns; i++) node->numbers[i] = pose[i / columns * 4 + from + i % columns];
  return node->numbers;
}
/* m. */
OD_API const double *wb_supervisor_node_get_position(WbNodeRef node) { return node ? od_pose(node, 1, 3) : NULL; }
/* 3 x 3, row by row. */
OD_API const double *wb_supervisor_node_get_orientation(WbNodeRef node) { return node ? od_pose(node, 3, 0) : NULL; }
/* 4 x 4, row by row, in the frame of another node, NULL: in the world. */
OD_API const double *wb_supervisor_node_get_pose(WbNodeRef node, WbNodeRef from_node) {
  if (!node) return NULL;
  od_value *pose = from_node ? od_call(od_me(), "node_pose", "ii", node->id, from_node->id)
                             : od_call(od_me(), "node_pose", "in", node->id);
  return od_numbers(pose, 0, node->numbers, 16);
}
/* Linear in m/s, then angular in rad/s. */
OD_API const double *wb_supervisor_node_get_velocity(WbNodeRef node) {
  return node ? od_numbers(od_call(od_me(), "node_velocity", "i", node->id), 0, node->numbers, 6) : NULL;
}
OD_API void wb_supervisor_node_set_velocity(WbNodeRef node, const double velocity[6]) {
  if (node) od_call(od_me(), "node_set_velocity", "iv", node->id, velocity, 6);
}
/* During the next step: N and N·m, in its own axes or those of the world. */
OD_API void wb_supervisor_node_add_force(WbNodeRef node, const double force[3], bool relative) {
  if (node) od_call(od_me(), "node_add_force", "ivnb", node->id, force, 3, (int)relative);
}
OD_API void wb_supervisor_node_add_force_with_offset(WbNodeRef node, const double force[3], const double offset[3],
                                                     bool relative) {
  if (node) od_call(od_me(), "node_add_force", "ivvb", node->id, force, 3, offset, 3, (int)relative);
}
OD_API void wb_supervisor_node_add_torque(WbNodeRef node, const double torque[3], bool relative) {
  if (node) od_call(od_me(), "node_add_torque", "ivb", node->id, torque, 3, (int)relative);
}
OD_API const double *wb_supervisor_node_get_center_of_mass(WbNodeRef node) {
  return node ? od_numbers(od_call(od_me(), "node_centre_of_mass", "i", node->id), 0, node->numbers, 3) : NULL;
}
/* Of the last step, as contact points are. */
OD_API bool wb_supervisor_node_get_static_balance(WbNodeRef node) {
  return node && od_number(od_call(od_me(), "node_static_balance", "i", node->id), 0) != 0;
}
/* Those of the last step, until they are asked for again; none in the step in which they are asked for first. */
OD_API WbContactPoint *wb_supervisor_node_get_contact_points(WbNodeRef node, bool include_descendants, int *size) {
  od_value *found = node ? od_call(od_me(), "node_contacts", "ib", node->id, (int)include_descendants) : NULL;
  size_t count = found ? found->count : 0;
  if (size) *size = (int)count;
  if (!count) return NULL;
  node->contacts = (WbContactPoint *)od_room(node->contacts, count * sizeof *node->contacts);
  for (size_t i = 0; i < count; i++) {
    od_numbers(&found->item[i], 0, node->contacts[i].point, 3);
    node->contacts[i].node_id = (int)od_number(&found->item[i].item[3], -1);
  }
  return node->contacts;
}
/* Versions before R2021 have no `include_descendants`. */
OD_API int od_count_contacts(WbNodeRef node, int include_descendants, ...) {
  int size;
  wb_supervisor_node_get_contact_points(node, include_descendants, &size);
  return size;
}
#define wb_supervisor_node_get_number_of_contact_points(...) od_count_contacts(__VA_ARGS__, 0, 0)
OD_API const WbContactPoint *od_contact_at(WbNodeRef node, int index) {
  int size;
  WbContactPoint *points = wb_supervisor_node_get_contact_points(node, false, &size);
  return index >= 0 && index < size ? &points[index] : NULL;
}
OD_API const double *wb_supervisor_node_get_contact_point(WbNodeRef node, int index) {
  const WbContactPoint *found = od_contact_at(node, index);
  return found ? found->point : NULL;
}
OD_API WbNodeRef wb_supervisor_node_get_contact_point_node(WbNodeRef node, int index) {
  const WbContactPoint *found = od_contact_at(node, index);
  return found ? wb_supervisor_node_get_from_id(found->node_id) : NULL;
}
/* What is asked for is always of now: nothing has to be followed, but that contacts are noted from now on. */
OD_API void wb_supervisor_node_enable_pose_tracking(WbNodeRef node, int ms, WbNodeRef from_node) {
  (void)node, (void)ms, (void)from_node;
}
OD_API void wb_supervisor_node_disable_pose_tracking(WbNodeRef node, WbNodeRef from_node) { (void)node, (void)from_node; }
OD_API void wb_supervisor_node_enable_contact_points_tracking(WbNodeRef node, int ms, bool include_descendants) {
  (void)ms;
  wb_supervisor_node_get_contact_points(node, include_descendants, NULL);
}
OD_API void od_track_no_more(WbNodeRef node, ...) { (void)node; }
#define wb_supervisor_node_disable_contact_points_tracking(...) od_track_no_more(__VA_ARGS__, 0)
#define wb_supervisor_node_enable_contact_point_tracking wb_supervisor_node_enable_contact_points_tracking
#define wb_supervisor_node_disable_contact_point_tracking wb_supervisor_node_disable_contact_points_tracking

/* ---- what is done with it */

#define OD_DO(name, question) \
  OD_API void wb_supervisor_node_##name(WbNodeRef node) { \
    if (node) od_call(od_me(), question, "i", node->id);  \
  }
OD_DO(remove, "node_remove")
OD_DO(reset_physics, "node_reset_physics")
OD_DO(restart_controller, "node_restart_controller")
OD_DO(move_viewpoint, "node_move_viewpoint")
OD_API void wb_supervisor_node_set_visibility(WbNodeRef node, WbNodeRef from, bool visible) {
  if (node && from) od_call(od_me(), "node_set_visibility", "iib", node->id, from->id, (int)visible);
}
OD_API void wb_supervisor_node_set_joint_position(WbNodeRef node, double position, int index) {
  if (node) od_call(od_me(), "node_set_joint_position", "idi", node->id, position, index);
}
OD_API void wb_supervisor_node_save_state(WbNodeRef node, const char *state_name) {
  if (node) od_call(od_me(), "node_save_state", "is", node->id, state_name);
}
OD_API void wb_supervisor_node_load_state(WbNodeRef node, const char *state_name) {
  if (node) od_call(od_me(), "node_load_state", "is", node->id, state_name);
}

#ifdef __cplusplus
}
#endif
#endif
