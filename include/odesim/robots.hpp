/* Several robots from one program, with the classes of a simulator that read X3D, whose robots are here too. */
#ifndef ODESIM_ROBOTS_HPP
#define ODESIM_ROBOTS_HPP

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "connection.h"

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
