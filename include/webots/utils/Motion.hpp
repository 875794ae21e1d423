/* Motion files, which the simulation plays. */
#ifndef WEBOTS_MOTION_HPP
#define WEBOTS_MOTION_HPP

#include <string>

#include "motion.h"

namespace webots {

class Motion {
 public:
  explicit Motion(const std::string &fileName) : motion(wbu_motion_new(fileName.c_str())) {}
  virtual ~Motion() { wbu_motion_delete(motion); }
  bool isValid() const { return motion != NULL; }
  virtual void play() { wbu_motion_play(motion); }
  virtual void stop() { wbu_motion_stop(motion); }
  int getDuration() const { return wbu_motion_get_duration(motion); }
  int getTime() const { return wbu_motion_get_time(motion); }
  virtual void setTime(int time) { wbu_motion_set_time(motion, time); }
  virtual void setReverse(bool reverse) { wbu_motion_set_reverse(motion, reverse); }
  virtual void setLoop(bool loop) { wbu_motion_set_loop(motion, loop); }
  bool isOver() const { return wbu_motion_is_over(motion); }

 protected:
  WbMotionRef getMotionRef() const { return motion; }

 private:
  Motion(const Motion &);
  Motion &operator=(const Motion &);
  WbMotionRef motion;
};

}  // namespace webots

#endif
