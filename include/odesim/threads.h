/* Threads of a program. Webots' functions are for one thread at a time: a mutex keeps others away meanwhile. */
#ifndef ODESIM_THREADS_H
#define ODESIM_THREADS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *WbMutexRef;

typedef struct {
  void (*task)(void *);
  void *parameter;
} od_task;

OD_API void *od_run_task(void *data) {
  od_task task = *(od_task *)data;
  free(data);
  task.task(task.parameter);
  return NULL;
}
/* Call a function in a thread of its own. */
OD_API void wb_robot_task_new(void (*task)(void *), void *param) {
  pthread_t thread;
  od_task *made = (od_task *)od_room(NULL, sizeof *made);
  made->task = task, made->parameter = param;
  if (pthread_create(&thread, NULL, od_run_task, made)) {
    fprintf(stderr, "Error: wb_robot_task_new(): there can be no further thread\n");
    free(made);
  } else
    pthread_detach(thread);
}

OD_API WbMutexRef wb_robot_mutex_new(void) {
  pthread_mutex_t *mutex = (pthread_mutex_t *)od_room(NULL, sizeof *mutex);
  pthread_mutex_init(mutex, NULL);
  return mutex;
}
OD_API void wb_robot_mutex_lock(WbMutexRef mutex) { pthread_mutex_lock((pthread_mutex_t *)mutex); }
OD_API void wb_robot_mutex_unlock(WbMutexRef mutex) { pthread_mutex_unlock((pthread_mutex_t *)mutex); }
OD_API void wb_robot_mutex_delete(WbMutexRef mutex) {
  pthread_mutex_destroy((pthread_mutex_t *)mutex);
  free(mutex);
}

#ifdef __cplusplus
}
#endif
#endif
