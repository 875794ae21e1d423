/* Plays sound files. */
#ifndef WEBOTS_SPEAKER_HPP
#define WEBOTS_SPEAKER_HPP

#include "Device.hpp"

namespace webots {

class Speaker : public Device {
 public:
  OD_DEVICE_CLASS(Speaker)
  static void playSound(Speaker *left, Speaker *right, const std::string &sound, double volume, double pitch,
                        double balance, bool loop) {
    wb_speaker_play_sound(left ? left->at() : 0, right ? right->at() : 0, sound.c_str(), volume, pitch, balance, loop);
  }
  bool isSoundPlaying(const std::string &sound) const { return wb_speaker_is_sound_playing(at(), sound.c_str()); }
  void stop(const std::string &sound) { wb_speaker_stop(at(), sound.c_str()); }
  bool setEngine(const std::string &engine) { return wb_speaker_set_engine(at(), engine.c_str()); }
  bool setLanguage(const std::string &language) { return wb_speaker_set_language(at(), language.c_str()); }
  std::string getEngine() { return wb_speaker_get_engine(at()); }
  std::string getLanguage() { return wb_speaker_get_language(at()); }
  void speak(const std::string &text, double volume) { wb_speaker_speak(at(), text.c_str(), volume); }
  bool isSpeaking() const { return wb_speaker_is_speaking(at()); }
};

}  // namespace webots

#endif
