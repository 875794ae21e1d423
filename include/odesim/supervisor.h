/* The run itself, for supervisors: labels, recordings, resets, other worlds. */
#ifndef ODESIM_SUPERVISOR_H
#define ODESIM_SUPERVISOR_H

#include "supervisor_fields.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  WB_SUPERVISOR_SIMULATION_MODE_PAUSE, WB_SUPERVISOR_SIMULATION_MODE_REAL_TIME, WB_SUPERVISOR_SIMULATION_MODE_FAST
} WbSimulationMode;
#define WB_SUPERVISOR_SIMULATION_MODE_RUN WB_SUPERVISOR_SIMULATION_MODE_FAST
enum {
  WB_SUPERVISOR_MOVIE_READY, WB_SUPERVISOR_MOVIE_RECORDING, WB_SUPERVISOR_MOVIE_SAVING, WB_SUPERVISOR_MOVIE_WRITE_ERROR,
  WB_SUPERVISOR_MOVIE_ENCODING_ERROR, WB_SUPERVISOR_MOVIE_SIMULATION_ERROR
};

/* Behind `transparency` later versions have a font. */
OD_API void od_label(int id, const char *text, double x, double y, double size, int color, double transparency,
                     const char *font, ...) {
  od_call(od_me(), "label", "isdddids", id, text, x, y, size, color, transparency, font);
}
#define wb_supervisor_set_label(...) od_label(__VA_ARGS__, "Arial", "")

OD_API void od_quit(int status) { od_call(od_me(), "quit", "i", status); }
#define wb_supervisor_simulation_quit(...) od_quit(__VA_ARGS__ + 0) /* later versions give a status */
/* The world at its start; no controller is started anew. */
OD_API void wb_supervisor_simulation_reset(void) { od_call(od_me(), "reset", ""); }
OD_API void wb_supervisor_simulation_reset_physics(void) { od_call(od_me(), "reset_physics", ""); }
#define wb_supervisor_simulation_physics_reset wb_supervisor_simulation_reset_physics
OD_API WbSimulationMode wb_supervisor_simulation_get_mode(void) {
  return (WbSimulationMode)od_number(od_call(od_me(), "get_mode", ""), 0);
}
OD_API void wb_supervisor_simulation_set_mode(WbSimulationMode mode) { od_call(od_me(), "set_mode", "i", (int)mode); }
/* Another world, or the same from its file; all controllers end. */
OD_API void wb_supervisor_world_load(const char *file) { od_call(od_me(), "world_load", "s", file); }
OD_API void wb_supervisor_world_reload(void) { od_call(od_me(), "world_load", "n"); }
#define wb_supervisor_simulation_revert wb_supervisor_world_reload
#define wb_supervisor_load_world wb_supervisor_world_load
/* NULL: into its own file. */
OD_API bool wb_supervisor_world_save(const char *file) {
  return od_call(od_me(), "world_save", file ? "s" : "n", file) != NULL;
}
#define wb_supervisor_save_world wb_supervisor_world_save

OD_API void wb_supervisor_export_image(const char *file, int quality) {
  od_call(od_me(), "export_image", "si", file, quality);
}
/* The ending of the file says its codec, there is no caption. Version 6 has neither an acceleration nor a caption. */
OD_API void od_start_movie(const char *file, int width, int height, int codec, int quality, int acceleration, ...) {
  double size[2] = {(double)width, (double)height};
  (void)codec;
  od_call(od_me(), "movie_start", "svid", file, size, 2, quality, (double)acceleration);
}
#define wb_supervisor_movie_start_recording(...) od_start_movie(__VA_ARGS__, 1, 0)
#define wb_supervisor_start_movie wb_supervisor_movie_start_recording
OD_API void wb_supervisor_movie_stop_recording(void) { od_call(od_me(), "movie_stop", ""); }
#define wb_supervisor_stop_movie wb_supervisor_movie_stop_recording
OD_API bool wb_supervisor_movie_is_ready(void) { return od_number(od_call(od_me(), "movie_is_ready", ""), 0) != 0; }
OD_API bool wb_supervisor_movie_failed(void) { return od_number(od_call(od_me(), "movie_failed", ""), 0) != 0; }
OD_API int wb_supervisor_movie_get_status(void) {
  if (!wb_supervisor_movie_is_ready()) return WB_SUPERVISOR_MOVIE_RECORDING;
  return wb_supervisor_movie_failed() ? WB_SUPERVISOR_MOVIE_WRITE_ERROR : WB_SUPERVISOR_MOVIE_READY;
}
#define wb_supervisor_get_movie_status wb_supervisor_movie_get_status
/* A page that plays what has moved; nothing plays .wva any more, that becomes one too. */
OD_API bool wb_supervisor_animation_start_recording(const char *file) {
  size_t count = strlen(file) >= 4 && !strcmp(file + strlen(file) - 4, ".wva") ? strlen(file) - 4 : strlen(file);
  od_text page = {NULL, 0, 0};
  od_add(&page, file, count);
  if (file[count]) od_add(&page, ".html", 5);
  bool is_started = od_call(od_me(), "animation_start", "s", page.data) != NULL;
  free(page.data);
  return is_started;
}
OD_API bool wb_supervisor_animation_stop_recording(void) { return od_call(od_me(), "animation_stop", "") != NULL; }
#define wb_supervisor_start_animation wb_supervisor_animation_start_recording
#define wb_supervisor_stop_animation wb_supervisor_animation_stop_recording

OD_API bool wb_supervisor_virtual_reality_headset_is_used(void) { return false; }
OD_API const double *wb_supervisor_virtual_reality_headset_get_position(void) { return NULL; }
OD_API const double *wb_supervisor_virtual_reality_headset_get_orientation(void) { return NULL; }

#ifdef __cplusplus
}
#endif
#endif
