/* A node of the world, for supervisors: m, m/s, rad/s, N, in the axes of the world's file. */
#ifndef WEBOTS_NODE_HPP
#define WEBOTS_NODE_HPP

#include <map>
#include <string>

#include "Field.hpp"
#include "Proto.hpp"

namespace webots {

typedef WbContactPoint ContactPoint;

class Node {
 public:
#define OD_TYPE(constant, name) constant = WB_NODE_##constant,
  typedef enum { OD_NODES(OD_TYPE) } Type;
#undef OD_TYPE
  virtual void remove() { wb_supervisor_node_remove(ref); }
  int getId() const { return wb_supervisor_node_get_id(ref); }
  Type getType() const { return static_cast<Type>(wb_supervisor_node_get_type(ref)); }
  std::string getDef() const { return wb_supervisor_node_get_def(ref); }
  std::string getTypeName() const { return wb_supervisor_node_get_type_name(ref); }
  std::string getBaseTypeName() const { return wb_supervisor_node_get_base_type_name(ref); }
  Node *getParentNode() const { return findNode(wb_supervisor_node_get_parent_node(ref)); }
  bool isProto() const { return wb_supervisor_node_is_proto(ref); }
  Proto *getProto() const { return Proto::findProto(wb_supervisor_node_get_proto(ref)); }
  Node *getFromProtoDef(const std::string &name) const {
    return findNode(wb_supervisor_node_get_from_proto_def(ref, name.c_str()));
  }

  int getNumberOfFields() const { return wb_supervisor_node_get_number_of_fields(ref); }
  int getNumberOfBaseNodeFields() const { return wb_supervisor_node_get_number_of_base_node_fields(ref); }
  Field *getField(const std::string &fieldName) const {
    return Field::findField(wb_supervisor_node_get_field(ref, fieldName.c_str()));
  }
  Field *getBaseNodeField(const std::string &fieldName) const {
    return Field::findField(wb_supervisor_node_get_base_node_field(ref, fieldName.c_str()));
  }
  Field *getProtoField(const std::string &fieldName) const { return getBaseNodeField(fieldName); }
  Field *getFieldByIndex(int index) const {
    return Field::findField(wb_supervisor_node_get_field_by_index(ref, index));
  }
  Field *getBaseNodeFieldByIndex(int index) const {
    return Field::findField(wb_supervisor_node_get_base_node_field_by_index(ref, index));
  }

  const double *getPosition() const { return wb_supervisor_node_get_position(ref); }
  const double *getOrientation() const { return wb_supervisor_node_get_orientation(ref); }
  const double *getPose() const { return wb_supervisor_node_get_pose(ref, NULL); }
  const double *getPose(const Node *fromNode) const {
    return wb_supervisor_node_get_pose(ref, fromNode ? fromNode->ref : NULL);
  }
  const double *getVelocity() const { return wb_supervisor_node_get_velocity(ref); }
  void setVelocity(const double velocity[6]) { wb_supervisor_node_set_velocity(ref, velocity); }
  const double *getCenterOfMass() const { return wb_supervisor_node_get_center_of_mass(ref); }
  bool getStaticBalance() const { return wb_supervisor_node_get_static_balance(ref); }
  ContactPoint *getContactPoints(bool includeDescendants, int *size) const {
    return wb_supervisor_node_get_contact_points(ref, includeDescendants, size);
  }
  int getNumberOfContactPoints(bool includeDescendants = false) const {
    return wb_supervisor_node_get_number_of_contact_points(ref, includeDescendants);
  }
  const double *getContactPoint(int index) const { return wb_supervisor_node_get_contact_point(ref, index); }
  Node *getContactPointNode(int index) const { return findNode(wb_supervisor_node_get_contact_point_node(ref, index)); }
  void enableContactPointsTracking(int samplingPeriod, bool includeDescendants = false) const {
    wb_supervisor_node_enable_contact_points_tracking(ref, samplingPeriod, includeDescendants);
  }
  void disableContactPointsTracking(bool includeDescendants = false) const {
    wb_supervisor_node_disable_contact_points_tracking(ref, includeDescendants);
  }
  void enablePoseTracking(int samplingPeriod, const Node *fromNode = NULL) const {
    wb_supervisor_node_enable_pose_tracking(ref, samplingPeriod, fromNode ? fromNode->ref : NULL);
  }
  void disablePoseTracking(const Node *fromNode = NULL) const {
    wb_supervisor_node_disable_pose_tracking(ref, fromNode ? fromNode->ref : NULL);
  }

  std::string exportString() const { return wb_supervisor_node_export_string(ref); }
  void resetPhysics() { wb_supervisor_node_reset_physics(ref); }
  void restartController() { wb_supervisor_node_restart_controller(ref); }
  void moveViewpoint() const { wb_supervisor_node_move_viewpoint(ref); }
  void setVisibility(Node *from, bool visible) {
    wb_supervisor_node_set_visibility(ref, from ? from->ref : NULL, visible);
  }
  void addForce(const double force[3], bool relative) { wb_supervisor_node_add_force(ref, force, relative); }
  void addForceWithOffset(const double force[3], const double offset[3], bool relative) {
    wb_supervisor_node_add_force_with_offset(ref, force, offset, relative);
  }
  void addTorque(const double torque[3], bool relative) { wb_supervisor_node_add_torque(ref, torque, relative); }
  void saveState(const std::string &stateName) { wb_supervisor_node_save_state(ref, stateName.c_str()); }
  void loadState(const std::string &stateName) { wb_supervisor_node_load_state(ref, stateName.c_str()); }
  void setJointPosition(double position, int index = 1) {
    wb_supervisor_node_set_joint_position(ref, position, index);
  }
  /* The one of a reference, for as long as the program runs; NULL of NULL. */
  static Node *findNode(WbNodeRef ref) {
    static std::map<WbNodeRef, Node *> *const made = new std::map<WbNodeRef, Node *>; /* it outlives all who ask */
    if (!ref) return NULL;
    Node *&found = (*made)[ref];
    if (!found) found = new Node(ref);
    return found;
  }

 private:
  explicit Node(WbNodeRef ref) : ref(ref) {}
  virtual ~Node() {}
  WbNodeRef ref;
};

inline Node *Field::getSFNode() const { return Node::findNode(wb_supervisor_field_get_sf_node(ref)); }
inline Node *Field::getMFNode(int index) const { return Node::findNode(wb_supervisor_field_get_mf_node(ref, index)); }

}  // namespace webots

#endif
