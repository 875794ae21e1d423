/* The PROTO that a node is an instance of, for supervisors. */
#ifndef WEBOTS_PROTO_HPP
#define WEBOTS_PROTO_HPP

#include <map>
#include <string>

#include "Field.hpp"

namespace webots {

class Proto {
 public:
  std::string getTypeName() const { return wb_supervisor_proto_get_type_name(ref); }
  bool isDerived() const { return wb_supervisor_proto_is_derived(ref); }
  Proto *getParent() const { return findProto(wb_supervisor_proto_get_parent(ref)); }
  Field *getField(const std::string &fieldName) const {
    return Field::findField(wb_supervisor_proto_get_field(ref, fieldName.c_str()));
  }
  Field *getFieldByIndex(int index) const { return Field::findField(wb_supervisor_proto_get_field_by_index(ref, index)); }
  int getNumberOfFields() const { return wb_supervisor_proto_get_number_of_fields(ref); }
  /* The one of a reference, for as long as the program runs; NULL of NULL. */
  static Proto *findProto(WbProtoRef ref) {
    static std::map<WbProtoRef, Proto *> *const made = new std::map<WbProtoRef, Proto *>; /* it outlives all who ask */
    if (!ref) return NULL;
    Proto *&found = (*made)[ref];
    if (!found) found = new Proto(ref);
    return found;
  }

 private:
  explicit Proto(WbProtoRef ref) : ref(ref) {}
  WbProtoRef ref;
};

}  // namespace webots

#endif
