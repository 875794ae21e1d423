/* A device of the robot, and what the classes of all devices are made of. */
#ifndef WEBOTS_DEVICE_HPP
#define WEBOTS_DEVICE_HPP

#include <string>

#include "../odesim.h"

namespace webots {

class Device {
 public:
  virtual ~Device() {}
  const std::string &getName() const { return name; }
  std::string getModel() const { return wb_device_get_model(tag); }
  int getNodeType() const { return wb_device_get_node_type(tag); }
  int getTag() const { return tag; }
  static bool hasType(int tag, int type) {
    return tag > 0 && wb_device_get_node_type(static_cast<WbDeviceTag>(tag)) == type;
  }

 protected:
  explicit Device(const std::string &name) : tag(wb_robot_get_device(name.c_str())), name(name) {}
  explicit Device(WbDeviceTag tag) : tag(tag), name(wb_device_get_name(tag)) {}
  WbDeviceTag at() const { return tag; }

 private:
  WbDeviceTag tag;
  std::string name;
};

#define OD_DEVICE_CLASS(Kind)                            \
  explicit Kind(const std::string &name) : Device(name) {} \
  explicit Kind(WbDeviceTag tag) : Device(tag) {}

#define OD_SENSOR_CLASS(Kind, kind)                                                        \
  OD_DEVICE_CLASS(Kind)                                                                    \
  virtual void enable(int samplingPeriod) { wb_##kind##_enable(at(), samplingPeriod); }    \
  virtual void disable() { wb_##kind##_disable(at()); }                                    \
  int getSamplingPeriod() const { return wb_##kind##_get_sampling_period(at()); }

#define OD_TABLE_OF(kind)                                                                        \
  int getLookupTableSize() const { return wb_##kind##_get_lookup_table_size(at()); }             \
  const double *getLookupTable() const { return wb_##kind##_get_lookup_table(at()); }

}  // namespace webots

#endif
