/* Touches each group of devices and prints what it reads; probe.py and probe.cpp do the same. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <webots/accelerometer.h>
#include <webots/altimeter.h>
#include <webots/brake.h>
#include <webots/camera.h>
#include <webots/camera_recognition_object.h>
#include <webots/compass.h>
#include <webots/connector.h>
#include <webots/display.h>
#include <webots/distance_sensor.h>
#include <webots/emitter.h>
#include <webots/gps.h>
#include <webots/gyro.h>
#include <webots/inertial_unit.h>
#include <webots/keyboard.h>
#include <webots/led.h>
#include <webots/lidar.h>
#include <webots/light_sensor.h>
#include <webots/motor.h>
#include <webots/pen.h>
#include <webots/position_sensor.h>
#include <webots/radar.h>
#include <webots/range_finder.h>
#include <webots/receiver.h>
#include <webots/robot.h>
#include <webots/speaker.h>
#include <webots/supervisor.h>
#include <webots/touch_sensor.h>
#include <webots/utils/ansi_codes.h>
#include <webots/utils/motion.h>
#include <webots/utils/string.h>
#include <webots/utils/system.h>
#include <webots/vacuum_gripper.h>
#include <webots/vehicle/car.h>
#include <webots/vehicle/driver.h>

#define STEP 8

/* Print values by their kinds: d number, i whole number, v numbers and how many, f floats likewise, s text. */
static void tell(const char *what, const char *kinds, ...) {
  va_list values;
  va_start(values, kinds);
  printf("%s", what);
  for (; *kinds; kinds++) {
    if (*kinds == 'd') {
      printf(" %.17g", va_arg(values, double));
    } else if (*kinds == 'i') {
      printf(" %d", va_arg(values, int));
    } else if (*kinds == 's') {
      printf(" %s", va_arg(values, const char *));
    } else if (*kinds == 'v') {
      const double *number = va_arg(values, const double *);
      for (int count = va_arg(values, int); count; count--) printf(" %.17g", *number++);
    } else {
      const float *number = va_arg(values, const float *);
      for (int count = va_arg(values, int); count; count--) printf(" %.17g", *number++);
    }
  }
  printf("\n");
  va_end(values);
}

static void steps(int count) {
  while (count--) wb_robot_step(STEP);
}

static double sum(const unsigned char *bytes, int count) {
  double total = 0;
  for (int i = 0; i < count; i++) total += bytes[i];
  return total;
}

static void sense(void) {
  WbDeviceTag gps = wb_robot_get_device("gps"), imu = wb_robot_get_device("imu"), gyro = wb_robot_get_device("gyro");
  WbDeviceTag accelerometer = wb_robot_get_device("accelerometer"), compass = wb_robot_get_device("compass");
  WbDeviceTag altimeter = wb_robot_get_device("altimeter"), distance = wb_robot_get_device("distance");
  WbDeviceTag light = wb_robot_get_device("light"), touch = wb_robot_get_device("touch");
  WbDeviceTag radar = wb_robot_get_device("radar"), connector = wb_robot_get_device("connector");
  WbDeviceTag gripper = wb_robot_get_device("gripper"), receiver = wb_robot_get_device("receiver");
  wb_gps_enable(gps, STEP);
  wb_inertial_unit_enable(imu, STEP);
  wb_gyro_enable(gyro, STEP);
  wb_accelerometer_enable(accelerometer, STEP);
  wb_compass_enable(compass, STEP);
  wb_altimeter_enable(altimeter, STEP);
  wb_distance_sensor_enable(distance, STEP);
  wb_light_sensor_enable(light, STEP);
  wb_touch_sensor_enable(touch, STEP);
  wb_radar_enable(radar, STEP);
  wb_connector_enable_presence(connector, STEP);
  wb_vacuum_gripper_enable_presence(gripper, STEP);
  wb_receiver_enable(receiver, STEP);
  wb_connector_lock(connector);
  wb_vacuum_gripper_turn_on(gripper);
  wb_robot_battery_sensor_enable(STEP);
  const double *place = wb_gps_get_values(gps);
  tell("before", "dd", place[0], wb_robot_battery_sensor_get_value());
  steps(3);
  if (place != wb_gps_get_values(gps)) tell("moved", "");
  tell("gps", "vdv", place, 3, wb_gps_get_speed(gps), wb_gps_get_speed_vector(gps), 3);
  tell("coordinates", "is", (int)wb_gps_get_coordinate_system(gps), wb_gps_convert_to_degrees_minutes_seconds(-7.5125));
  tell("imu", "vvd", wb_inertial_unit_get_roll_pitch_yaw(imu), 3, wb_inertial_unit_get_quaternion(imu), 4,
       wb_inertial_unit_get_noise(imu));
  int rows = wb_gyro_get_lookup_table_size(gyro);
  tell("gyro", "vvi", wb_gyro_get_values(gyro), 3, wb_gyro_get_lookup_table(gyro), 3 * rows, rows);
  tell("accelerometer", "v", wb_accelerometer_get_values(accelerometer), 3);
  tell("compass", "vd", wb_compass_get_values(compass), 3, wb_altimeter_get_value(altimeter));
  tell("distance", "ddddi", wb_distance_sensor_get_value(distance), wb_distance_sensor_get_max_value(distance),
       wb_distance_sensor_get_min_value(distance), wb_distance_sensor_get_aperture(distance),
       (int)wb_distance_sensor_get_type(distance));
  tell("light", "ddi", wb_light_sensor_get_value(light), wb_touch_sensor_get_value(touch),
       (int)wb_touch_sensor_get_type(touch));
  const WbRadarTarget *target = wb_radar_get_targets(radar);
  tell("radar", "iddd", wb_radar_get_number_of_targets(radar), wb_radar_get_min_range(radar),
       wb_radar_get_horizontal_fov(radar), wb_radar_get_vertical_fov(radar));
  for (int i = 0; i < wb_radar_get_number_of_targets(radar); i++, target++)
    tell("target", "dddd", target->distance, target->received_power, target->speed, target->azimuth);
  tell("held", "iiii", wb_connector_get_presence(connector), (int)wb_connector_is_locked(connector),
       (int)wb_vacuum_gripper_is_on(gripper), (int)wb_vacuum_gripper_get_presence(gripper));
  tell("heard", "isdi", wb_receiver_get_queue_length(receiver), (const char *)wb_receiver_get_data(receiver),
       wb_receiver_get_signal_strength(receiver), wb_receiver_get_channel(receiver));
  wb_receiver_next_packet(receiver);
  tell("battery", "dii", wb_robot_battery_sensor_get_value(), wb_robot_battery_sensor_get_sampling_period(),
       wb_receiver_get_queue_length(receiver));
}

static void see(void) {
  WbDeviceTag camera = wb_robot_get_device("camera"), depths = wb_robot_get_device("depths");
  WbDeviceTag lidar = wb_robot_get_device("lidar");
  wb_camera_recognition_enable(camera, STEP);
  wb_camera_recognition_enable_segmentation(camera);
  wb_camera_set_exposure(camera, 2.0);
  wb_camera_set_fov(camera, 0.8);
  wb_camera_set_focal_distance(camera, 1.5);
  wb_range_finder_enable(depths, STEP);
  wb_lidar_enable(lidar, STEP);
  wb_lidar_enable_point_cloud(lidar);
  steps(2);
  /* addresses that are kept over a step show its readings */
  const unsigned char *image = wb_camera_get_image(camera);
  const unsigned char *segments = wb_camera_recognition_get_segmentation_image(camera);
  const float *range_image = wb_range_finder_get_range_image(depths), *ranges = wb_lidar_get_range_image(lidar);
  const WbLidarPoint *point = wb_lidar_get_layer_point_cloud(lidar, 1);
  steps(1);
  int width = wb_camera_get_width(camera), height = wb_camera_get_height(camera), size = 4 * width * height;
  tell("camera", "iidddd", width, height, wb_camera_get_fov(camera), wb_camera_get_min_fov(camera),
       wb_camera_get_max_fov(camera), wb_camera_get_near(camera));
  tell("optics", "ddddd", wb_camera_get_exposure(camera), wb_camera_get_focal_distance(camera),
       wb_camera_get_focal_length(camera), wb_camera_get_min_focal_distance(camera),
       wb_camera_get_max_focal_distance(camera));
  tell("pixel", "iiiid", wb_camera_image_get_red(image, width, 4, 2), wb_camera_image_get_green(image, width, 4, 2),
       wb_camera_image_get_blue(image, width, 4, 2), wb_camera_image_get_gray(image, width, 4, 2), sum(image, size));
  int count = wb_camera_recognition_get_number_of_objects(camera);
  tell("recognition", "iiid", (int)wb_camera_has_recognition(camera), count,
       (int)wb_camera_recognition_has_segmentation(camera),
       sum(segments, size));
  const WbCameraRecognitionObject *object = wb_camera_recognition_get_objects(camera);
  for (int i = 0; i < count; i++, object++) {
    tell("object", "svvviiiiiv", object->model, object->position, 3, object->orientation, 4, object->size, 2,
         object->position_on_image[0], object->position_on_image[1], object->size_on_image[0],
         object->size_on_image[1], object->number_of_colors, object->colors, 3 * object->number_of_colors);
    tell("id", "i", object->id == wb_supervisor_node_get_id(wb_supervisor_node_get_from_def("BOX")));
  }
  int pixels = wb_range_finder_get_width(depths) * wb_range_finder_get_height(depths);
  tell("depths", "iidddf", wb_range_finder_get_width(depths), wb_range_finder_get_height(depths),
       wb_range_finder_get_fov(depths), wb_range_finder_get_min_range(depths), wb_range_finder_get_max_range(depths),
       range_image, pixels);
  int row = wb_lidar_get_horizontal_resolution(lidar);
  tell("lidar", "iiidddddff", row, wb_lidar_get_number_of_layers(lidar), wb_lidar_get_number_of_points(lidar),
       wb_lidar_get_fov(lidar), wb_lidar_get_vertical_fov(lidar), wb_lidar_get_min_range(lidar),
       wb_lidar_get_max_range(lidar), wb_lidar_get_frequency(lidar), ranges, 2 * row,
       wb_lidar_get_layer_range_image(lidar, 1), row);
  for (int i = 0; i < row; i++, point++)
    tell("point", "dddi", (double)point->x, (double)point->y, (double)point->z, point->layer_id);
}

static void act(void) {
  WbDeviceTag motor = wb_robot_get_device("motor"), lift = wb_robot_get_device("lift");
  WbDeviceTag display = wb_robot_get_device("display"), led = wb_robot_get_device("led");
  WbDeviceTag pen = wb_robot_get_device("pen"), speaker = wb_robot_get_device("speaker");
  WbDeviceTag sensor = wb_motor_get_position_sensor(motor), brake = wb_motor_get_brake(motor);
  wb_position_sensor_enable(sensor, STEP);
  tell("limits", "dddddddd", wb_motor_get_min_position(motor), wb_motor_get_max_position(motor),
       wb_motor_get_max_velocity(motor), wb_motor_get_max_torque(motor), wb_motor_get_velocity(motor),
       wb_motor_get_acceleration(motor), wb_motor_get_multiplier(motor), wb_motor_get_target_position(motor));
  wb_motor_set_position(motor, 9.0);
  wb_motor_set_velocity(motor, 2.0);
  wb_motor_set_acceleration(motor, 50.0);
  wb_motor_set_available_torque(motor, 5.0);
  wb_motor_set_control_pid(motor, 8.0, 0.0, 0.0);
  wb_motor_enable_torque_feedback(motor, STEP);
  wb_motor_set_position(lift, 0.1);
  wb_brake_set_damping_constant(brake, 0.01);
  wb_led_set(led, 3);
  wb_pen_set_ink_color(pen, 0x102030, 0.5);
  wb_pen_write(pen, true);
  steps(5);
  tell("motor", "ddddddii", wb_position_sensor_get_value(sensor), wb_motor_get_target_position(motor),
       wb_motor_get_velocity(motor), wb_motor_get_acceleration(motor), wb_motor_get_available_torque(motor),
       wb_motor_get_torque_feedback(motor), (int)wb_motor_get_type(motor), (int)wb_motor_get_type(lift));
  tell("joint", "sssiiiis", wb_device_get_name(wb_position_sensor_get_motor(sensor)),
       wb_device_get_name(wb_position_sensor_get_brake(sensor)),
       wb_device_get_name(wb_brake_get_position_sensor(brake)), (int)wb_brake_get_type(brake), !wb_motor_get_brake(lift),
       wb_led_get(led), (int)wb_device_get_node_type(motor), wb_device_get_model(lift));
  wb_display_set_color(display, 0xFF0000);
  wb_display_fill_rectangle(display, 0, 0, 8, 4);
  wb_display_set_color(display, 0x00FF00);
  wb_display_set_alpha(display, 0.5);
  wb_display_set_opacity(display, 0.7);
  wb_display_set_font(display, "Arial", 8, true);
  wb_display_draw_pixel(display, 1, 1);
  wb_display_draw_line(display, 0, 0, 7, 3);
  wb_display_draw_rectangle(display, 1, 1, 3, 2);
  wb_display_draw_oval(display, 4, 2, 2, 1);
  wb_display_fill_oval(display, 4, 2, 1, 1);
  const int x[] = {0, 3, 3, 5, 7, 7}, y[] = {0, 0, 3, 0, 0, 2};
  wb_display_draw_polygon(display, x, y, 3);
  wb_display_fill_polygon(display, x + 3, y + 3, 3);
  wb_display_draw_text(display, "a", 0, 0);
  unsigned char pixels[12];
  for (int i = 0; i < 12; i++) pixels[i] = (unsigned char)i;
  WbImageRef made = wb_display_image_new(display, 2, 2, pixels, WB_IMAGE_RGB);
  WbImageRef copied = wb_display_image_copy(display, 0, 0, 4, 4);
  wb_display_image_paste(display, made, 6, 2, false);
  wb_display_image_paste(display, copied, 2, 0, true);
  wb_display_image_save(display, NULL, "shown.png");
  wb_display_image_delete(display, made);
  steps(1);
  WbImageRef loaded = wb_display_image_load(display, "shown.png");
  tell("display", "iiii", wb_display_get_width(display), wb_display_get_height(display), loaded != NULL,
       wb_display_image_load(display, "gone.png") == NULL);
  wb_display_image_delete(display, loaded);
  wb_display_image_delete(display, copied);
  tell("silent", "i", (int)wb_speaker_is_sound_playing(speaker, "beep.wav"));
  wb_speaker_play_sound(speaker, speaker, "beep.wav", 1.0, 1.0, 0.0, true);
  tell("plays", "iii", (int)wb_speaker_is_sound_playing(speaker, "beep.wav"),
       (int)wb_speaker_is_sound_playing(speaker, "other.wav"), (int)wb_speaker_is_sound_playing(speaker, ""));
  steps(2);
  int playing = wb_speaker_is_sound_playing(speaker, "beep.wav");
  wb_speaker_stop(speaker, "beep.wav");
  wb_speaker_speak(speaker, "hello", 1.0);
  tell("stops", "iiis", playing, (int)wb_speaker_is_sound_playing(speaker, "beep.wav"),
       (int)wb_speaker_is_speaking(speaker), wb_speaker_get_language(speaker));
  WbMotionRef motion = wbu_motion_new("wave.motion");
  wbu_motion_play(motion);
  steps(2);
  tell("motion", "iiii", motion != NULL, wbu_motion_get_duration(motion), wbu_motion_get_time(motion),
       (int)wbu_motion_is_over(motion));
  wbu_motion_delete(motion);
}

static void supervise(void) {
  WbNodeRef box = wb_supervisor_node_get_from_def("BOX"), car = wb_supervisor_node_get_from_def("CAR");
  WbNodeRef root = wb_supervisor_node_get_root(), self = wb_supervisor_node_get_self();
  tell("node", "sssiiiis", wb_supervisor_node_get_type_name(box), wb_supervisor_node_get_base_type_name(box),
       wb_supervisor_node_get_def(box), (int)wb_supervisor_node_get_type(box), (int)wb_supervisor_node_is_proto(box),
       wb_supervisor_node_get_from_id(wb_supervisor_node_get_id(box)) == box,
       wb_supervisor_node_get_parent_node(box) == root, wb_supervisor_node_get_type_name(self));
  WbNodeRef gps = wb_supervisor_node_get_from_device(wb_robot_get_device("gps"));
  tell("device", "si", wb_supervisor_node_get_type_name(gps), wb_supervisor_node_get_selected() == NULL);
  double pose[16];
  memcpy(pose, wb_supervisor_node_get_pose(box, NULL), sizeof pose);
  double seen[16], turn[9];
  memcpy(seen, wb_supervisor_node_get_pose(box, self), sizeof seen);
  memcpy(turn, wb_supervisor_node_get_orientation(box), sizeof turn);
  tell("pose", "vvvv", pose, 16, seen, 16, turn, 9, wb_supervisor_node_get_center_of_mass(box), 3);
  WbFieldRef place = wb_supervisor_node_get_field(box, "translation");
  const double there[] = {3.0, 0.5, 0.5};
  wb_supervisor_field_set_sf_vec3f(place, there);
  tell("place", "vssii", wb_supervisor_field_get_sf_vec3f(place), 3, wb_supervisor_field_get_name(place),
       wb_supervisor_field_get_type_name(place), (int)wb_supervisor_field_get_type(place),
       wb_supervisor_field_get_count(place));
  WbFieldRef colors = wb_supervisor_node_get_field(box, "recognitionColors");
  const double green[] = {0.0, 1.0, 0.0}, blue[] = {0.25, 0.5, 0.75};
  wb_supervisor_field_insert_mf_color(colors, 1, green);
  wb_supervisor_field_set_mf_color(colors, -1, blue);
  double kept[9];
  for (int i = 0; i < 3; i++) memcpy(kept + 3 * i, wb_supervisor_field_get_mf_color(colors, i), 3 * sizeof *kept);
  tell("colors", "iv", wb_supervisor_field_get_count(colors), kept, 9);
  wb_supervisor_field_remove_mf(colors, 0);
  tell("fewer", "iv", wb_supervisor_field_get_count(colors), wb_supervisor_field_get_mf_color(colors, 0), 3);
  WbProtoRef proto = wb_supervisor_node_get_proto(car);
  WbFieldRef base = wb_supervisor_proto_get_field(proto, "wheelbase");
  tell("proto", "siidsssii", wb_supervisor_proto_get_type_name(proto), (int)wb_supervisor_proto_is_derived(proto),
       wb_supervisor_proto_get_number_of_fields(proto) == wb_supervisor_node_get_number_of_fields(car),
       wb_supervisor_field_get_sf_float(base),
       wb_supervisor_field_get_name(wb_supervisor_proto_get_field_by_index(proto, 0)),
       wb_supervisor_field_get_name(wb_supervisor_field_get_actual_field(base)),
       wb_supervisor_field_get_name(wb_supervisor_node_get_field_by_index(car, 1)),
       wb_supervisor_field_get_count(wb_supervisor_node_get_base_node_field(car, "children")),
       (int)wb_supervisor_node_is_proto(car));
  WbFieldRef children = wb_supervisor_node_get_field(root, "children");
  int count = wb_supervisor_field_get_count(children);
  wb_supervisor_field_import_mf_node_from_string(
    children, -1,
    "DEF BALL Solid { name \"ball\" translation 9 9 9 physics Physics { mass 2 density -1 } "
    "boundingObject Sphere { radius 0.1 } }");
  WbNodeRef ball = wb_supervisor_field_get_mf_node(children, count);
  const double force[] = {0.0, 0.0, 2.0 * 9.81 + 10.0}, side[] = {1.0, 0.0, 0.0}, above[] = {0.0, 0.0, 0.01};
  wb_supervisor_node_add_force(ball, force, false);
  wb_supervisor_node_add_force_with_offset(ball, side, above, true);
  wb_supervisor_node_add_torque(ball, above, false);
  steps(1);
  memcpy(pose, wb_supervisor_node_get_position(ball), 3 * sizeof *pose);
  memcpy(seen, wb_supervisor_node_get_velocity(ball), 6 * sizeof *seen);
  tell("ball", "vvi", pose, 3, seen, 6, (int)wb_supervisor_node_get_static_balance(ball));
  wb_supervisor_node_save_state(ball, "here");
  const double velocity[] = {1.0, 2.0, 3.0, 0.0, 0.0, 1.0};
  wb_supervisor_node_set_velocity(ball, velocity);
  wb_supervisor_node_get_number_of_contact_points(ball, true);
  steps(1);
  memcpy(seen, wb_supervisor_node_get_velocity(ball), 6 * sizeof *seen);
  int touching;
  wb_supervisor_node_get_contact_points(ball, false, &touching);
  tell("thrown", "vii", seen, 6, touching, strlen(wb_supervisor_node_export_string(ball)) > 20);
  wb_supervisor_node_reset_physics(ball);
  wb_supervisor_node_load_state(ball, "here");
  tell("back", "v", wb_supervisor_node_get_position(ball), 3);
  wb_supervisor_node_remove(ball);
  wb_supervisor_node_get_parent_node(wb_supervisor_node_get_from_device(wb_robot_get_device("motor")));
  tell("gone", "iii", wb_supervisor_field_get_count(children) - count, (int)wb_supervisor_simulation_get_mode(),
       (int)wb_supervisor_world_save("saved.wbt"));
  wb_supervisor_set_label(1, "label", 0.1, 0.1, 0.1, 0xFF0000, 0.0, "Arial");
  wb_supervisor_simulation_reset_physics();
  tell("movie", "iii", (int)wb_supervisor_movie_is_ready(), (int)wb_supervisor_movie_failed(),
       wb_supervisor_movie_get_status());
}

static void talk(void) {
  tell("robot", "ssssdiis", wb_robot_get_name(), wb_robot_get_model(), wb_robot_get_controller_name(),
       wb_robot_get_controller_arguments(), wb_robot_get_basic_time_step(), (int)wb_robot_get_supervisor(),
       (int)wb_robot_get_synchronization(), wb_robot_get_custom_data());
  wb_robot_set_custom_data("said \"so\"");
  tell("custom", "ssi", wb_robot_get_custom_data(), wb_device_get_name(wb_robot_get_device("gps")),
       wb_robot_get_number_of_devices());
  tell("urdf", "ii", (int)strlen(wb_robot_get_urdf("")), (int)strlen(ANSI_RED_FOREGROUND));
  char parts[] = "a\\,b,c", *rest = parts, *first = wbu_string_strsep(&rest, ",");
  char *other = wbu_string_replace(rest, "c", "dd");
  if (strcmp(first, "a\\,b") || strcmp(other, "dd") || strcmp(wbu_system_tmpdir(), "/tmp")) tell("texts", "s", first);
  free(other);
  tell("no_key", "i", wb_keyboard_get_key());
  wb_keyboard_enable(STEP);
  wb_mouse_enable(STEP);
  wb_joystick_enable(STEP);
  wb_mouse_enable_3d_position();
  tell("no_joystick", "iii", wb_joystick_is_connected(), wb_mouse_get_state().left, wb_joystick_get_number_of_axes());
  printf("waits\n");
  int key = -1;
  while (wb_robot_step(STEP) != -1) {
    key = wb_keyboard_get_key();
    if (key != -1 && wb_mouse_get_state().left && wb_joystick_is_connected()) break;
  }
  int second = wb_keyboard_get_key();
  tell("keys", "iiii", key, second, wb_keyboard_get_key(), WB_EVENT_KEYBOARD);
  WbMouseState mouse = wb_mouse_get_state();
  tell("mouse", "iiiddddd", mouse.left, mouse.middle, mouse.right, mouse.u, mouse.v, mouse.x, mouse.y, mouse.z);
  tell("joystick", "iii", wb_joystick_get_number_of_axes(), wb_joystick_get_axis_value(0), wb_joystick_get_axis_value(1));
  int pressed = wb_joystick_get_pressed_button(), next = wb_joystick_get_pressed_button();
  tell("buttons", "iii", pressed, next, wb_joystick_get_pressed_button());
}

static void drive_on(int count) {
  while (count--) wbu_driver_step();
}

static void drive(void) {
  wbu_car_init();
  WbDeviceTag gps = wb_robot_get_device("gps");
  wb_gps_enable(gps, STEP);
  wb_emitter_send(wb_robot_get_device("emitter"), "hello", 6);
  tell("car", "iidddddiii", (int)wbu_car_get_type(), (int)wbu_car_get_engine_type(), wbu_car_get_wheelbase(),
       wbu_car_get_track_front(), wbu_car_get_track_rear(), wbu_car_get_front_wheel_radius(),
       wbu_car_get_rear_wheel_radius(), wbu_driver_get_gear_number(), (int)wbu_driver_initialization_is_possible(),
       (int)wbu_driver_get_control_mode());
  wbu_driver_set_steering_angle(0.3);
  wbu_driver_set_cruising_speed(20.0);
  wbu_driver_set_indicator(RIGHT);
  wbu_driver_set_dipped_beams(true);
  wbu_driver_set_antifog_lights(true);
  wbu_driver_set_hazard_flashers(false);
  drive_on(30);
  double speeds[4], turned[4];
  for (int i = 0; i < WBU_CAR_WHEEL_NB; i++) {
    speeds[i] = wbu_car_get_wheel_speed((WbuCarWheelIndex)i);
    turned[i] = wbu_car_get_wheel_encoder((WbuCarWheelIndex)i);
  }
  tell("cruises", "dddvvdd", wbu_driver_get_current_speed(), wbu_driver_get_target_cruising_speed(),
       wbu_driver_get_steering_angle(), speeds, 4, turned, 4, wbu_car_get_right_steering_angle(),
       wbu_car_get_left_steering_angle());
  tell("lights", "iiiiiidi", (int)wbu_driver_get_indicator(), (int)wbu_driver_get_dipped_beams(),
       (int)wbu_driver_get_antifog_lights(), (int)wbu_driver_get_hazard_flashers(), (int)wbu_car_get_brake_lights(),
       (int)wbu_car_get_backwards_lights(), wbu_car_get_indicator_period(), (int)wbu_driver_get_wiper_mode());
  wbu_driver_set_gear(1);
  wbu_driver_set_throttle(0.5);
  wbu_car_enable_limited_slip_differential(true);
  drive_on(30);
  tell("pushes", "ddidi", wbu_driver_get_current_speed(), wbu_driver_get_rpm(), wbu_driver_get_gear(),
       wbu_driver_get_throttle(), (int)wbu_driver_get_control_mode());
  wbu_driver_set_steering_angle(0.0);
  wbu_driver_set_throttle(0.0);
  wbu_driver_set_brake_intensity(0.5);
  drive_on(10);
  tell("brakes", "ddiiv", wbu_driver_get_current_speed(), wbu_driver_get_brake_intensity(),
       (int)wbu_car_get_brake_lights(), (int)wbu_driver_get_indicator(), wb_gps_get_values(gps), 3);
  wbu_car_cleanup();
}

int main(void) {
  wb_robot_init();
  if (!strcmp(wb_robot_get_name(), "car")) {
    drive();
    return 0;
  }
  sense();
  see();
  act();
  supervise();
  talk();
  wb_robot_cleanup();
  return 0;
}
