/* A robot that may see and change everything. */
#ifndef WEBOTS_SUPERVISOR_HPP
#define WEBOTS_SUPERVISOR_HPP

#include "Node.hpp"
#include "Robot.hpp"

namespace webots {

class Supervisor : public Robot {
 public:
  typedef enum {
    SIMULATION_MODE_PAUSE, SIMULATION_MODE_REAL_TIME, SIMULATION_MODE_FAST, SIMULATION_MODE_RUN = SIMULATION_MODE_FAST
  } SimulationMode;
  enum {
    MOVIE_READY, MOVIE_RECORDING, MOVIE_SAVING, MOVIE_WRITE_ERROR, MOVIE_ENCODING_ERROR, MOVIE_SIMULATION_ERROR
  };
  /* The robot of this process, made if there is none; NULL: it is no supervisor. */
  static Supervisor *getSupervisorInstance() {
    return instance() ? dynamic_cast<Supervisor *>(instance()) : new Supervisor();
  }

  Node *getRoot() const { return Node::findNode(wb_supervisor_node_get_root()); }
  Node *getSelf() const { return Node::findNode(wb_supervisor_node_get_self()); }
  Node *getFromDef(const std::string &name) const { return Node::findNode(wb_supervisor_node_get_from_def(name.c_str())); }
  Node *getFromId(int id) const { return Node::findNode(wb_supervisor_node_get_from_id(id)); }
  Node *getFromDevice(const Device *device) const { return device ? getFromDeviceTag(device->getTag()) : NULL; }
  Node *getFromDeviceTag(int tag) const {
    return Node::findNode(wb_supervisor_node_get_from_device(static_cast<WbDeviceTag>(tag)));
  }
  Node *getSelected() const { return Node::findNode(wb_supervisor_node_get_selected()); }

  virtual void simulationQuit(int status) { wb_supervisor_simulation_quit(status); }
  virtual void simulationReset() { wb_supervisor_simulation_reset(); }
  virtual void simulationResetPhysics() { wb_supervisor_simulation_reset_physics(); }
  virtual void simulationPhysicsReset() { simulationResetPhysics(); }
  SimulationMode simulationGetMode() const { return static_cast<SimulationMode>(wb_supervisor_simulation_get_mode()); }
  virtual void simulationSetMode(SimulationMode mode) {
    wb_supervisor_simulation_set_mode(static_cast<WbSimulationMode>(mode));
  }
  virtual void worldLoad(const std::string &file) { wb_supervisor_world_load(file.c_str()); }
  virtual void loadWorld(const std::string &file) { worldLoad(file); }
  virtual void worldReload() { wb_supervisor_world_reload(); }
  virtual void simulationRevert() { worldReload(); }
  virtual bool worldSave() { return wb_supervisor_world_save(NULL); }
  virtual bool worldSave(const std::string &file) { return wb_supervisor_world_save(file.c_str()); }
  virtual bool saveWorld() { return worldSave(); }
  virtual bool saveWorld(const std::string &file) { return worldSave(file); }

  virtual void setLabel(int id, const std::string &label, double xpos, double ypos, double size, int color,
                        double transparency = 0, const std::string &font = "Arial") {
    wb_supervisor_set_label(id, label.c_str(), xpos, ypos, size, color, transparency, font.c_str());
  }
  void exportImage(const std::string &file, int quality) const { wb_supervisor_export_image(file.c_str(), quality); }
  virtual bool animationStartRecording(const std::string &file) {
    return wb_supervisor_animation_start_recording(file.c_str());
  }
  virtual bool animationStopRecording() { return wb_supervisor_animation_stop_recording(); }
  virtual void movieStartRecording(const std::string &file, int width, int height, int codec, int quality,
                                   int acceleration, bool caption) {
    wb_supervisor_movie_start_recording(file.c_str(), width, height, codec, quality, acceleration, caption);
  }
  virtual void startMovie(const std::string &file, int width, int height, int codec, int quality, int acceleration,
                          bool caption) {
    movieStartRecording(file, width, height, codec, quality, acceleration, caption);
  }
  virtual void movieStopRecording() { wb_supervisor_movie_stop_recording(); }
  virtual void stopMovie() { movieStopRecording(); }
  bool movieIsReady() const { return wb_supervisor_movie_is_ready(); }
  bool movieFailed() const { return wb_supervisor_movie_failed(); }
  int movieGetStatus() const { return wb_supervisor_movie_get_status(); }
  int getMovieStatus() { return movieGetStatus(); }

  bool virtualRealityHeadsetIsUsed() const { return false; }
  const double *virtualRealityHeadsetGetPosition() const { return NULL; }
  const double *virtualRealityHeadsetGetOrientation() const { return NULL; }
};

}  // namespace webots

#endif
