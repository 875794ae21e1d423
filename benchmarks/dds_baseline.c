/* Two programs in C on rcl that pass the messages of a lock-step to and fro: what DDS itself costs.

   dds_baseline answer           answers each pair of readings until it is killed
   dds_baseline ask SECONDS      sends the readings of each step, and prints the steps a second

   The messages are those of the lock-step in controllers.py: a JointState and a Range to the controller, a
   JointState back. Nothing is computed. */
#include <rcl/error_handling.h>
#include <rcl/rcl.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>
#include <sensor_msgs/msg/joint_state.h>
#include <sensor_msgs/msg/range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define JOINTS ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState)
#define RANGE ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, Range)

static rcl_node_t node;
static rcl_wait_set_t wait_set;

static void check(rcl_ret_t result) {
  if (result == RCL_RET_OK) return;
  fprintf(stderr, "dds_baseline: %s\n", rcl_get_error_string().str);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static rcl_publisher_t publisher(const rosidl_message_type_support_t *type, const char *topic) {
  rcl_publisher_t made = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  check(rcl_publisher_init(&made, &node, type, topic, &options));
  return made;
}

static rcl_subscription_t subscription(const rosidl_message_type_support_t *type, const char *topic) {
  rcl_subscription_t made = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  check(rcl_subscription_init(&made, &node, type, topic, &options));
  return made;
}

/* Wait until one of the subscriptions has a message; false: after a second. */
static bool wait_for(rcl_subscription_t **all, size_t count) {
  check(rcl_wait_set_clear(&wait_set));
  for (size_t i = 0; i < count; i++) check(rcl_wait_set_add_subscription(&wait_set, all[i], NULL));
  rcl_ret_t result = rcl_wait(&wait_set, RCL_S_TO_NS(1));
  if (result == RCL_RET_TIMEOUT) return false;
  check(result);
  return true;
}

/* Take a message; false: there is none. */
static bool take(rcl_subscription_t *from, void *message) {
  return rcl_take(from, message, NULL, NULL) == RCL_RET_OK;
}

static void fill(sensor_msgs__msg__JointState *joints) {
  sensor_msgs__msg__JointState__init(joints);
  rosidl_runtime_c__String__Sequence__init(&joints->name, 1);
  rosidl_runtime_c__String__assign(&joints->name.data[0], "motor");
  rosidl_runtime_c__double__Sequence__init(&joints->position, 1);
  rosidl_runtime_c__double__Sequence__init(&joints->velocity, 1);
  rosidl_runtime_c__double__Sequence__init(&joints->effort, 1);
}

static void answer(void) {
  rcl_subscription_t states = subscription(JOINTS, "joint_states"), ranges = subscription(RANGE, "distance");
  rcl_publisher_t commands = publisher(JOINTS, "joint_command");
  rcl_subscription_t *all[] = {&states, &ranges};
  sensor_msgs__msg__JointState command, state;
  sensor_msgs__msg__Range range;
  fill(&command);
  fill(&state);
  sensor_msgs__msg__Range__init(&range);
  int32_t joints_of = -1, range_of = -1;
  for (;;) {
    if (!wait_for(all, 2)) continue;
    if (wait_set.subscriptions[0] && take(&states, &state)) joints_of = state.header.stamp.sec;
    if (wait_set.subscriptions[1] && take(&ranges, &range)) range_of = range.header.stamp.sec;
    if (joints_of != range_of || joints_of == command.header.stamp.sec) continue;
    command.header.stamp.sec = joints_of;
    check(rcl_publish(&commands, &command, NULL));
  }
}

static void ask(double seconds) {
  rcl_publisher_t states = publisher(JOINTS, "joint_states"), ranges = publisher(RANGE, "distance");
  rcl_subscription_t commands = subscription(JOINTS, "joint_command");
  rcl_subscription_t *all[] = {&commands};
  sensor_msgs__msg__JointState command, state;
  sensor_msgs__msg__Range range;
  fill(&command);
  fill(&state);
  sensor_msgs__msg__Range__init(&range);
  for (size_t joints_heard = 0, ranges_heard = 0; !(joints_heard && ranges_heard); usleep(10000)) {
    check(rcl_publisher_get_subscription_count(&states, &joints_heard));
    check(rcl_publisher_get_subscription_count(&ranges, &ranges_heard));
  }
  double begin = 0.0;
  int32_t first = 0, step = 0;
  while (!begin || now() < begin + seconds) {
    state.header.stamp.sec = range.header.stamp.sec = ++step;
    check(rcl_publish(&states, &state, NULL));
    check(rcl_publish(&ranges, &range, NULL));
    while (command.header.stamp.sec != step) {
      if (!wait_for(all, 1)) break; /* the answer was sent before it had found us: the next step */
      if (wait_set.subscriptions[0]) take(&commands, &command);
    }
    if (!begin && command.header.stamp.sec == step) begin = now(), first = step;
  }
  printf("%f\n", (step - first) / (now() - begin));
}

int main(int argc, char **argv) {
  rcl_context_t context = rcl_get_zero_initialized_context();
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  check(rcl_init_options_init(&options, rcl_get_default_allocator()));
  check(rcl_init(0, NULL, &options, &context));
  rcl_node_options_t node_options = rcl_node_get_default_options();
  node = rcl_get_zero_initialized_node();
  check(rcl_node_init(&node, argv[1], "", &context, &node_options));
  wait_set = rcl_get_zero_initialized_wait_set();
  check(rcl_wait_set_init(&wait_set, 2, 0, 0, 0, 0, 0, &context, rcl_get_default_allocator()));
  if (argc > 2)
    ask(atof(argv[2]));
  else
    answer();
  return 0;
}
