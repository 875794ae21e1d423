/* The robot of this process and its devices. */
#ifndef WEBOTS_ROBOT_HPP
#define WEBOTS_ROBOT_HPP

#include <string>
#include <vector>

#include "Accelerometer.hpp"
#include "Altimeter.hpp"
#include "Brake.hpp"
#include "Camera.hpp"
#include "Compass.hpp"
#include "Connector.hpp"
#include "Device.hpp"
#include "Display.hpp"
#include "DistanceSensor.hpp"
#include "Emitter.hpp"
#include "GPS.hpp"
#include "Gyro.hpp"
#include "InertialUnit.hpp"
#include "Joystick.hpp"
#include "Keyboard.hpp"
#include "LED.hpp"
#include "Lidar.hpp"
#include "LightSensor.hpp"
#include "Motor.hpp"
#include "Mouse.hpp"
#include "Pen.hpp"
#include "PositionSensor.hpp"
#include "Radar.hpp"
#include "RangeFinder.hpp"
#include "Receiver.hpp"
#include "Servo.hpp"
#include "Speaker.hpp"
#include "TouchSensor.hpp"
#include "VacuumGripper.hpp"

namespace webots {

/* X(class, type of the node); a motor can be linear, too. */
#define OD_DEVICE_CLASSES(X) \
  X(Accelerometer, WB_NODE_ACCELEROMETER) X(Altimeter, WB_NODE_ALTIMETER)                          \
  X(Brake, WB_NODE_BRAKE) X(Camera, WB_NODE_CAMERA) X(Compass, WB_NODE_COMPASS)                    \
  X(Connector, WB_NODE_CONNECTOR) X(Display, WB_NODE_DISPLAY)                                      \
  X(DistanceSensor, WB_NODE_DISTANCE_SENSOR) X(Emitter, WB_NODE_EMITTER) X(GPS, WB_NODE_GPS)       \
  X(Gyro, WB_NODE_GYRO) X(InertialUnit, WB_NODE_INERTIAL_UNIT) X(LED, WB_NODE_LED)                 \
  X(Lidar, WB_NODE_LIDAR) X(LightSensor, WB_NODE_LIGHT_SENSOR)                                     \
  X(Motor, WB_NODE_ROTATIONAL_MOTOR) X(Pen, WB_NODE_PEN)                                           \
  X(PositionSensor, WB_NODE_POSITION_SENSOR) X(Radar, WB_NODE_RADAR)                               \
  X(RangeFinder, WB_NODE_RANGE_FINDER) X(Receiver, WB_NODE_RECEIVER) X(Servo, WB_NODE_SERVO) X(Speaker, WB_NODE_SPEAKER)   \
  X(TouchSensor, WB_NODE_TOUCH_SENSOR) X(VacuumGripper, WB_NODE_VACUUM_GRIPPER)

class Robot {
 public:
  typedef enum { MODE_SIMULATION, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL } Mode;
  typedef enum {
    EVENT_QUIT = -1, EVENT_NO_EVENT, EVENT_MOUSE_CLICK = 1, EVENT_MOUSE_MOVE = 2, EVENT_KEYBOARD = 4,
    EVENT_JOYSTICK_BUTTON = 8, EVENT_JOYSTICK_AXIS = 16, EVENT_JOYSTICK_POV = 32
  } UserInputEvent;

  Robot() {
    wb_robot_init();
    if (instance()) {
      std::fprintf(stderr, "Error: only one Robot can be made in a process\n");
      std::exit(2);
    }
    instance() = this;
  }
  virtual ~Robot() {
    if (instance() != this) return; /* a copy */
    for (std::size_t i = 0; i < devices().size(); i++) delete devices()[i];
    devices().clear();
    instance() = NULL;
    wb_robot_cleanup();
  }

  virtual int step(int duration) { return wb_robot_step(duration); }
  int stepBegin(int duration) { return wb_robot_step_begin(duration); }
  int stepEnd() { return wb_robot_step_end(); }
  UserInputEvent waitForUserInputEvent(UserInputEvent event_type, int timeout) {
    return static_cast<UserInputEvent>(
      wb_robot_wait_for_user_input_event(static_cast<WbUserInputEvent>(event_type), timeout));
  }
  double getTime() const { return wb_robot_get_time(); }
  double getBasicTimeStep() const { return wb_robot_get_basic_time_step(); }

  std::string getName() const { return wb_robot_get_name(); }
  std::string getModel() const { return wb_robot_get_model(); }
  std::string getUrdf(std::string prefix = "") const { return wb_robot_get_urdf(prefix.c_str()); }
  std::string getCustomData() const { return wb_robot_get_custom_data(); }
  void setCustomData(const std::string &data) { wb_robot_set_custom_data(data.c_str()); }
  std::string getData() const { return getCustomData(); }
  void setData(const std::string &data) { setCustomData(data); }
  Mode getMode() const { return static_cast<Mode>(wb_robot_get_mode()); }
  void setMode(Mode mode, const char *arg) { wb_robot_set_mode(static_cast<WbRobotMode>(mode), arg); }
  bool getSupervisor() const { return wb_robot_get_supervisor(); }
  bool getSynchronization() const { return wb_robot_get_synchronization(); }
  std::string getProjectPath() const { return wb_robot_get_project_path(); }
  std::string getWorldPath() const { return wb_robot_get_world_path(); }
  std::string getControllerName() const { return wb_robot_get_controller_name(); }
  std::string getControllerArguments() const { return wb_robot_get_controller_arguments(); }

  virtual void batterySensorEnable(int samplingPeriod) { wb_robot_battery_sensor_enable(samplingPeriod); }
  virtual void batterySensorDisable() { wb_robot_battery_sensor_disable(); }
  int batterySensorGetSamplingPeriod() const { return wb_robot_battery_sensor_get_sampling_period(); }
  double batterySensorGetValue() const { return wb_robot_battery_sensor_get_value(); }

  void wwiSend(const char *data, int size) { wb_robot_wwi_send(data, size); }
  void wwiSendText(const std::string &text) { wb_robot_wwi_send_text(text.c_str()); }
  const char *wwiReceive(int *size) { return wb_robot_wwi_receive(size); }
  std::string wwiReceiveText() {
    const char *text = wb_robot_wwi_receive_text();
    return text ? text : "";
  }

  Keyboard *getKeyboard() { return &keyboard; }
  /* Names of version 6; 0: no more keys. */
  enum {
    KEYBOARD_END = WB_KEYBOARD_END, KEYBOARD_HOME, KEYBOARD_LEFT, KEYBOARD_UP, KEYBOARD_RIGHT, KEYBOARD_DOWN,
    KEYBOARD_PAGEUP = WB_KEYBOARD_PAGEUP, KEYBOARD_PAGEDOWN, KEYBOARD_KEY = WB_KEYBOARD_KEY,
    KEYBOARD_SHIFT = WB_KEYBOARD_SHIFT, KEYBOARD_CONTROL = WB_KEYBOARD_CONTROL, KEYBOARD_ALT = WB_KEYBOARD_ALT
  };
  virtual void keyboardEnable(int samplingPeriod) { wb_robot_keyboard_enable(samplingPeriod); }
  virtual void keyboardDisable() { wb_robot_keyboard_disable(); }
  int keyboardGetKey() const { return wb_robot_keyboard_get_key(); }
  Mouse *getMouse() { return &mouse; }
  Joystick *getJoystick() { return &joystick; }

  int getNumberOfDevices() const { return wb_robot_get_number_of_devices(); }
  Device *getDevice(const std::string &name) { return getDeviceFromTag(wb_robot_get_device(name.c_str())); }
  Device *getDeviceByIndex(int index) { return getDeviceFromTag(wb_robot_get_device_by_index(index)); }
#define OD_GET(Kind, type)                                                            \
  Kind *get##Kind(const std::string &name) { return dynamic_cast<Kind *>(getDevice(name)); }
  OD_DEVICE_CLASSES(OD_GET)
#undef OD_GET

  /* Made when it is asked for first, for as long as the robot is there; NULL: there is none. */
  static Device *getDeviceFromTag(int tag) {
    if (tag <= 0 || !instance()) return NULL;
    if (static_cast<std::size_t>(tag) >= devices().size()) devices().resize(static_cast<std::size_t>(tag) + 1, NULL);
    Device *&found = devices()[static_cast<std::size_t>(tag)];
    if (!found) found = instance()->create(static_cast<WbDeviceTag>(tag));
    return found;
  }
  static int getDeviceTypeFromTag(int tag) { return wb_device_get_node_type(static_cast<WbDeviceTag>(tag)); }
  static std::string getDeviceNameFromTag(int tag) { return wb_device_get_name(static_cast<WbDeviceTag>(tag)); }
  static int getDeviceTagFromIndex(int index) { return wb_robot_get_device_by_index(index); }
  static int getDeviceTagFromName(const std::string &name) { return wb_robot_get_device(name.c_str()); }

 protected:
  /* A class of one's own for a kind of devices. */
#define OD_CREATE(Kind, type) \
  virtual Kind *create##Kind(WbDeviceTag tag) const { return new Kind(tag); }
  OD_DEVICE_CLASSES(OD_CREATE)
#undef OD_CREATE
  static Robot *&instance() {
    static Robot *made = NULL;
    return made;
  }

 private:
  static std::vector<Device *> &devices() {
    static std::vector<Device *> made;
    return made;
  }
  Device *create(WbDeviceTag tag) const {
    switch (wb_device_get_node_type(tag)) {
#define OD_CASE(Kind, type) \
  case type: return create##Kind(tag);
      OD_DEVICE_CLASSES(OD_CASE)
#undef OD_CASE
      case WB_NODE_LINEAR_MOTOR: return createMotor(tag);
      default: return new OtherDevice(tag);
    }
  }
  class OtherDevice : public Device {
   public:
    OD_DEVICE_CLASS(OtherDevice)
  };
  Keyboard keyboard;
  Mouse mouse;
  Joystick joystick;
};

inline Brake *Motor::getBrake() { return dynamic_cast<Brake *>(Robot::getDeviceFromTag(getBrakeTag())); }
inline PositionSensor *Motor::getPositionSensor() {
  return dynamic_cast<PositionSensor *>(Robot::getDeviceFromTag(getPositionSensorTag()));
}
inline Motor *Brake::getMotor() { return dynamic_cast<Motor *>(Robot::getDeviceFromTag(getMotorTag())); }
inline PositionSensor *Brake::getPositionSensor() {
  return dynamic_cast<PositionSensor *>(Robot::getDeviceFromTag(getPositionSensorTag()));
}
inline Brake *PositionSensor::getBrake() { return dynamic_cast<Brake *>(Robot::getDeviceFromTag(getBrakeTag())); }
inline Motor *PositionSensor::getMotor() { return dynamic_cast<Motor *>(Robot::getDeviceFromTag(getMotorTag())); }

}  // namespace webots

#endif
