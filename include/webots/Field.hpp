/* A field of a node, for supervisors. */
#ifndef WEBOTS_FIELD_HPP
#define WEBOTS_FIELD_HPP

#include <map>
#include <string>

#include "../odesim.h"

namespace webots {

class Node;

class Field {
 public:
  typedef enum {
    NO_FIELD, SF_BOOL, SF_INT32, SF_FLOAT, SF_VEC2F, SF_VEC3F, SF_ROTATION, SF_COLOR, SF_STRING, SF_NODE,
    MF = WB_MF, MF_BOOL, MF_INT32, MF_FLOAT, MF_VEC2F, MF_VEC3F, MF_ROTATION, MF_COLOR, MF_STRING, MF_NODE
  } Type;
  std::string getName() const { return wb_supervisor_field_get_name(ref); }
  Type getType() const { return static_cast<Type>(wb_supervisor_field_get_type(ref)); }
  std::string getTypeName() const { return wb_supervisor_field_get_type_name(ref); }
  int getCount() const { return wb_supervisor_field_get_count(ref); }
  Field *getActualField() const { return findField(wb_supervisor_field_get_actual_field(ref)); }
  void enableSFTracking(int samplingPeriod) { wb_supervisor_field_enable_sf_tracking(ref, samplingPeriod); }
  void disableSFTracking() { wb_supervisor_field_disable_sf_tracking(ref); }
  bool getSFBool() const { return wb_supervisor_field_get_sf_bool(ref); }
  bool getMFBool(int index) const { return wb_supervisor_field_get_mf_bool(ref, index); }
  void setSFBool(bool value) { wb_supervisor_field_set_sf_bool(ref, value); }
  void setMFBool(int index, bool value) { wb_supervisor_field_set_mf_bool(ref, index, value); }
  void insertMFBool(int index, bool value) { wb_supervisor_field_insert_mf_bool(ref, index, value); }
  int getSFInt32() const { return wb_supervisor_field_get_sf_int32(ref); }
  int getMFInt32(int index) const { return wb_supervisor_field_get_mf_int32(ref, index); }
  void setSFInt32(int value) { wb_supervisor_field_set_sf_int32(ref, value); }
  void setMFInt32(int index, int value) { wb_supervisor_field_set_mf_int32(ref, index, value); }
  void insertMFInt32(int index, int value) { wb_supervisor_field_insert_mf_int32(ref, index, value); }
  double getSFFloat() const { return wb_supervisor_field_get_sf_float(ref); }
  double getMFFloat(int index) const { return wb_supervisor_field_get_mf_float(ref, index); }
  void setSFFloat(double value) { wb_supervisor_field_set_sf_float(ref, value); }
  void setMFFloat(int index, double value) { wb_supervisor_field_set_mf_float(ref, index, value); }
  void insertMFFloat(int index, double value) { wb_supervisor_field_insert_mf_float(ref, index, value); }
  std::string getSFString() const { return wb_supervisor_field_get_sf_string(ref); }
  std::string getMFString(int index) const { return wb_supervisor_field_get_mf_string(ref, index); }
  void setSFString(const std::string &value) { wb_supervisor_field_set_sf_string(ref, value.c_str()); }
  void setMFString(int index, const std::string &value) { wb_supervisor_field_set_mf_string(ref, index, value.c_str()); }
  void insertMFString(int index, const std::string &value) { wb_supervisor_field_insert_mf_string(ref, index, value.c_str()); }
  const double *getSFVec2f() const { return wb_supervisor_field_get_sf_vec2f(ref); }
  const double *getMFVec2f(int index) const { return wb_supervisor_field_get_mf_vec2f(ref, index); }
  void setSFVec2f(const double values[2]) { wb_supervisor_field_set_sf_vec2f(ref, values); }
  void setMFVec2f(int index, const double values[2]) { wb_supervisor_field_set_mf_vec2f(ref, index, values); }
  void insertMFVec2f(int index, const double values[2]) { wb_supervisor_field_insert_mf_vec2f(ref, index, values); }
  const double *getSFVec3f() const { return wb_supervisor_field_get_sf_vec3f(ref); }
  const double *getMFVec3f(int index) const { return wb_supervisor_field_get_mf_vec3f(ref, index); }
  void setSFVec3f(const double values[3]) { wb_supervisor_field_set_sf_vec3f(ref, values); }
  void setMFVec3f(int index, const double values[3]) { wb_supervisor_field_set_mf_vec3f(ref, index, values); }
  void insertMFVec3f(int index, const double values[3]) { wb_supervisor_field_insert_mf_vec3f(ref, index, values); }
  const double *getSFRotation() const { return wb_supervisor_field_get_sf_rotation(ref); }
  const double *getMFRotation(int index) const { return wb_supervisor_field_get_mf_rotation(ref, index); }
  void setSFRotation(const double values[4]) { wb_supervisor_field_set_sf_rotation(ref, values); }
  void setMFRotation(int index, const double values[4]) { wb_supervisor_field_set_mf_rotation(ref, index, values); }
  void insertMFRotation(int index, const double values[4]) { wb_supervisor_field_insert_mf_rotation(ref, index, values); }
  const double *getSFColor() const { return wb_supervisor_field_get_sf_color(ref); }
  const double *getMFColor(int index) const { return wb_supervisor_field_get_mf_color(ref, index); }
  void setSFColor(const double values[3]) { wb_supervisor_field_set_sf_color(ref, values); }
  void setMFColor(int index, const double values[3]) { wb_supervisor_field_set_mf_color(ref, index, values); }
  void insertMFColor(int index, const double values[3]) { wb_supervisor_field_insert_mf_color(ref, index, values); }
  Node *getSFNode() const;
  Node *getMFNode(int index) const;
  void removeMF(int index) { wb_supervisor_field_remove_mf(ref, index); }
  void removeSF() { wb_supervisor_field_remove_sf(ref); }
  void importMFNode(int position, const std::string &filename) {
    wb_supervisor_field_import_mf_node(ref, position, filename.c_str());
  }
  void importMFNodeFromString(int position, const std::string &nodeString) {
    wb_supervisor_field_import_mf_node_from_string(ref, position, nodeString.c_str());
  }
  void importSFNodeFromString(const std::string &nodeString) {
    wb_supervisor_field_import_sf_node_from_string(ref, nodeString.c_str());
  }
  /* The one of a reference, for as long as the program runs; NULL of NULL. */
  static Field *findField(WbFieldRef ref) {
    static std::map<WbFieldRef, Field *> *const made = new std::map<WbFieldRef, Field *>; /* it outlives all who ask */
    if (!ref) return NULL;
    Field *&found = (*made)[ref];
    if (!found) found = new Field(ref);
    return found;
  }

 private:
  explicit Field(WbFieldRef ref) : ref(ref) {}
  WbFieldRef ref;
};

}  // namespace webots

#endif
