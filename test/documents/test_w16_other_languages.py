"""W16: controllers in C with the book's functions, started by a world, and the thesis's clients over TCP."""

import math
import os
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from processes import ODESIM, ReadProcess

from ros_bridge.controller_api.compiling import build_program, include_folder
from sim_core.base.errors import ConfigError
from webots_api.controller.connection import PROTOCOL
from webots_api.controller.constants import FIELDS, NODE_NUMBERS
from webots_api.controller.wire import Incoming, pack, receive

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "other_languages.md").read_text(encoding="utf-8")
LIMIT = 120.0
GCC = ("gcc", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include")
STEP, RADIUS, AXLE, UNIT, RESOLUTION = 0.01, 0.1, 0.4, 0.5, 100.0
WORLD = f"""#VRML_SIM V6.0 utf8
WorldInfo {{ basicTimeStep 10 gravity 0 -9.81 0 }}
Viewpoint {{ }}
Background {{ skyColor [ 0 0 1 ] }}
DirectionalLight {{ direction 0 -1 -1 ambientIntensity 1 }}
DEF WALL Solid {{ name "wall" translation -1.5 1 17 children DEF BOX Shape {{
  appearance Appearance {{ material Material {{ diffuseColor 1 0 0 }} }} geometry Box {{ size 3 3 0.1 }} }}
  boundingObject USE BOX }}
DifferentialWheels {{ name "wheels" controller "wheels" slipNoise 0 encoderNoise 0
  encoderResolution {RESOLUTION} axleLength {AXLE} wheelRadius {RADIUS} maxSpeed 20 maxAcceleration 1e6
  speedUnit {UNIT} children GPS {{ name "gps" resolution -1 }} }}
Robot {{ name "eye" controller "eye" translation 0 1 20 children [
  Camera {{ name "camera" width 16 height 8 fieldOfView 1 }}
  Camera {{ name "depth" type "range-finder" width 16 height 8 fieldOfView 1 near 0.1 far 9 }}
  LED {{ name "led" }} ] }}
Robot {{ name "arm" controller "arm" translation 0 5 0 children [
  Servo {{ name "turn" maxForce 100 boundingObject Box {{ size 0.1 0.1 0.1 }}
    physics Physics {{ density -1 mass 0.5 }} }} ] }}
Robot {{ name "mouth" controller "radio" translation 5 0 0
  children Emitter {{ name "emitter" channel 1 maxRange 6 bufferSize 32 }} }}
Robot {{ name "ear" controller "radio" translation 5 0 4
  children Receiver {{ name "receiver" channel 1 }} }}
Supervisor {{ name "boss" controller "boss" }}
"""

WHEELS = """
#include <stdio.h>
#include <webots/robot.h>
#include <webots/differential_wheels.h>
#include <webots/gps.h>
#define TIME_STEP 10

int main() {
  int i;
  wb_robot_init();
  WbDeviceTag gps = wb_robot_get_device("gps");
  wb_gps_enable(gps, TIME_STEP);
  wb_differential_wheels_enable_encoders(TIME_STEP);
  wb_differential_wheels_set_speed(4, 2);
  printf("before %g %g\\n", wb_differential_wheels_get_left_encoders(), wb_gps_get_values(gps)[0]);
  for (i = 0; i < 100; i++)
    wb_robot_step(TIME_STEP);
  const double *place = wb_gps_get_values(gps);
  printf("place %.9g %.9g %.9g\\n", place[0], place[1], place[2]);
  printf("encoders %.9g %.9g\\n", wb_differential_wheels_get_left_encoders(),
         wb_differential_wheels_get_right_encoders());
  wb_differential_wheels_set_encoders(1000, -1000);
  wb_differential_wheels_set_speed(0.0 / 0.0, 0);
  wb_robot_step(TIME_STEP);
  printf("encoders %.9g %.9g\\n", wb_differential_wheels_get_left_encoders(),
         wb_differential_wheels_get_right_encoders());
  for (;;)
    wb_robot_step(TIME_STEP);
}
"""
EYE = """
#include <stdio.h>
#include <webots/robot.h>
#include <webots/camera.h>
#include <webots/led.h>
#define TIME_STEP 10

int main() {
  wb_robot_init();
  WbDeviceTag camera = wb_robot_get_device("camera"), depth = wb_robot_get_device("depth");
  wb_camera_enable(camera, TIME_STEP);
  wb_camera_enable(depth, TIME_STEP);
  wb_led_set(wb_robot_get_device("led"), 1);
  wb_robot_get_device("nose");
  wb_robot_step(TIME_STEP);
  int width = wb_camera_get_width(camera), height = wb_camera_get_height(camera), x, y, same = 1;
  const unsigned char *image = wb_camera_get_image(camera);
  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++) {
      const unsigned char *pixel = image + 3 * (y * width + x);
      same = same && pixel[0] == wb_camera_image_get_red(image, width, x, y) &&
             pixel[1] == wb_camera_image_get_green(image, width, x, y) &&
             pixel[2] == wb_camera_image_get_blue(image, width, x, y) &&
             (pixel[0] + pixel[1] + pixel[2]) / 3 == wb_camera_image_get_grey(image, width, x, y);
    }
  printf("size %d %d %d\\n", width, height, same);
  for (x = 1; x < width; x += 13)
    printf("red %d blue %d\\n", wb_camera_image_get_red(image, width, x, 4),
           wb_camera_image_get_blue(image, width, x, 4));
  const float *range = wb_camera_get_range_image(depth);
  float near = wb_camera_get_near(depth), far = wb_camera_get_far(depth);
  printf("near %g far %g fov %g\\n", near, far, wb_camera_get_fov(depth));
  printf("depth %.6g", wb_camera_range_image_get_value(range, near, far, width, 1, 4));
  printf(" type %d %d\\n", wb_camera_get_type(camera) == WB_CAMERA_COLOR,
         wb_camera_get_type(depth) == WB_CAMERA_RANGE_FINDER);
  printf("saved %d\\n", wb_camera_save_image(camera, "seen.png", 100));
  while (wb_robot_step(TIME_STEP) != -1) {
  }
  wb_robot_cleanup();
  return 0;
}
"""
ARM = """
#include <webots/servo.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  WbDeviceTag turn = wb_robot_get_device("turn");
  wb_servo_enable_position(turn, 10);
  wb_servo_enable_motor_force_feedback(turn, 10);
  wb_servo_set_control_p(turn, 5);
  wb_servo_set_position(turn, 0.7);
  std_out("before", wb_servo_get_position(turn));
  for (int i = 0; i < 50; i++) {
    wb_robot_step(10);
    std_out("at", wb_servo_get_position(turn));
  }
  std_out("torque", wb_servo_get_motor_force_feedback(turn));
  wb_servo_disable_position(turn);
  while (wb_robot_step(10) != -1);
  return argc - 1 + (argv[1] != 0);
}
"""
PRINTER = """
#include <cstdio>
void std_out(const char *word, double number) { std::printf("%s %.9g\\n", word, number); }
"""
RADIO = """
#include <stdio.h>
#include <string.h>
#include <webots/robot.h>
#include <webots/emitter.h>
#include <webots/receiver.h>

static void speak(WbDeviceTag tag) {
  char message[128];
  int i;
  for (i = 0; i < 3; i++) {
    sprintf(message, "hello%d", i);
    printf("sent %d\\n", wb_emitter_send(tag, message, strlen(message) + 1));
  }
  printf("fits %d\\n", wb_emitter_send(tag, message, 12));
  wb_emitter_set_channel(tag, WB_CHANNEL_BROADCAST);
  wb_emitter_set_range(tag, 100);
  printf("has %d %g %d\\n", wb_emitter_get_channel(tag), wb_emitter_get_range(tag),
         wb_emitter_get_buffer_size(tag));
}

int main() {
  wb_robot_init();
  int is_mouth = !strcmp(wb_robot_get_name(), "mouth");
  WbDeviceTag tag = wb_robot_get_device(is_mouth ? "emitter" : "receiver");
  if (is_mouth)
    speak(tag);
  else
    wb_receiver_enable(tag, 10);
  wb_robot_step(10);
  while (!is_mouth && wb_receiver_get_queue_length(tag) > 0) {
    const char *message = wb_receiver_get_data(tag);
    const double *dir = wb_receiver_get_emitter_direction(tag);
    double signal = wb_receiver_get_signal_strength(tag);
    printf("received %s %d %g %g %g %g\\n", message, wb_receiver_get_data_size(tag), signal, dir[0],
           dir[1], dir[2]);
    wb_receiver_next_packet(tag);
  }
  while (wb_robot_step(10) != -1) {
  }
  return 0;
}
"""
BOSS = """
#include <stdio.h>
#include <string.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main() {
  wb_robot_init();
  WbNodeRef root = wb_supervisor_node_get_root(), wall = wb_supervisor_node_get_from_def("WALL");
  WbFieldRef children = wb_supervisor_node_get_field(root, "children");
  WbFieldRef place = wb_supervisor_node_get_field(wall, "translation");
  WbNodeRef gone = wb_supervisor_node_get_from_def("GONE");
  printf("none %d %d\\n", !gone, !wb_supervisor_node_get_field(wall, "gone"));
  int count = wb_supervisor_field_get_count(children);
  printf("place %s %d\\n", wb_supervisor_field_get_type_name(place),
         wb_supervisor_field_get_type(place) == WB_SF_VEC3F);
  printf("wall %s", wb_supervisor_node_get_name(wall));
  printf(" %d\\n", wb_supervisor_node_get_type(wall) == WB_NODE_SOLID);
  int i;
  for (i = 0; i < count; i++) {
    WbNodeRef node = wb_supervisor_field_get_mf_node(children, i);
    if (wb_supervisor_node_get_type(node) == WB_NODE_DIFFERENTIAL_WHEELS)
      printf("wheels %s\\n", wb_supervisor_node_get_name(node));
  }
  wb_robot_step(10);
  wb_robot_step(10);
  const double there[3] = {-1.5, 1.25, 16};
  wb_supervisor_field_set_sf_vec3f(place, there);
  const double *now = wb_supervisor_field_get_sf_vec3f(place);
  printf("moved %g %g %g\\n", now[0], now[1], now[2]);
  wb_supervisor_field_set_sf_float(place, 3);
  wb_supervisor_field_set_sf_string(wb_supervisor_node_get_field(wall, "name"), "the \\"wall\\" \\303\\274");
  printf("named %s\\n", wb_supervisor_field_get_sf_string(wb_supervisor_node_get_field(wall, "name")));
  WbFieldRef sky = wb_supervisor_node_get_field(wb_supervisor_field_get_mf_node(children, 2), "skyColor");
  const double grey[3] = {0.5, 0.25, 0.125};
  wb_supervisor_field_set_mf_color(sky, 0, grey);
  const double *colour = wb_supervisor_field_get_mf_color(sky, -1);
  printf("sky %g %g %g of %d\\n", colour[0], colour[1], colour[2], wb_supervisor_field_get_count(sky));
  FILE *file = fopen("ball.wbt", "w");
  fprintf(file, "#VRML_SIM V6.0 utf8\\nDEF BALL Solid { name \\"ball\\" translation 1 2 3 }\\n");
  fclose(file);
  wb_supervisor_field_import_mf_node(children, -1, "ball.wbt");
  WbNodeRef ball = wb_supervisor_field_get_mf_node(children, count);
  now = wb_supervisor_node_get_position(ball);
  printf("ball %g %g %g of %d\\n", now[0], now[1], now[2], wb_supervisor_field_get_count(children) - count);
  wb_supervisor_set_label(0, "hello World", 0, 0, 0.1, 0xff0000, 0);
  for (i = 0; i < 118; i++)
    wb_robot_step(10);
  wb_supervisor_simulation_physics_reset();
  wb_supervisor_simulation_quit();
  while (wb_robot_step(10) != -1) {
  }
  printf("time %g\\n", wb_robot_get_time());
  wb_robot_cleanup();
  return 0;
}
"""


def build(folder: Path, name: str, *flags: str) -> Path:
    """The program that the documented command builds of a source."""
    program = folder / Path(name).stem
    compiler = "g++" if name.endswith(".cpp") else "gcc"
    command = [compiler, *GCC[1:], *flags, folder / name, "-o", program, "-lm"]
    subprocess.run(list(map(str, command)), check=True, timeout=LIMIT)
    return program


def said(lines: list[str], robot: str) -> list[list[str]]:
    """What a robot's controller has printed, in words."""
    return [line.split(f" {robot}: ", 1)[1].split() for line in lines if f"]: {robot}: " in line]


def numbers(words: list[str]) -> list[float]:
    return [float(word) for word in words[1:]]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A run of the book's controllers: `wheels` is built by hand, the others by the simulation."""
    folder = tmp_path_factory.mktemp("book")
    sources = {"wheels": WHEELS, "eye": EYE, "arm": ARM, "radio": RADIO, "boss": BOSS}
    for name, source in sources.items():
        place = folder / "controllers" / name
        place.mkdir(parents=True)
        ending = ".cpp" if name == "arm" else ".c"
        (place / f"{name}{ending}").write_text(source, encoding="utf-8")
    build(folder / "controllers" / "wheels", "wheels.c")
    arm = folder / "controllers" / "arm"
    (arm / "printer.cpp").write_text(PRINTER, encoding="utf-8")
    (arm / "arm.cpp").write_text("void std_out(const char *, double);\n" + ARM, encoding="utf-8")
    world = folder / "worlds" / "book.wbt"
    world.parent.mkdir()
    world.write_text(WORLD, encoding="utf-8")
    run = ReadProcess(*ODESIM, "run", world, "--mode", "fast", "--duration", "30")
    try:
        assert run.wait(LIMIT) == 0, run.lines
    finally:
        run.end()
    assert [path.name for path in (arm.iterdir())] != [] and not (arm / "arm").exists()
    assert (folder / "controllers" / "eye" / "seen.png").stat().st_size > 0
    return run.lines


def test_wheels_and_encoders_by_the_formulas(lines: list[str]) -> None:
    """ω = 4·0.5 and 2·0.5 rad/s for 1 s: an arc about a point beside the axle; ahead is -z, left is -x."""
    before, place, first, again, *_ = (
        words for words in said(lines, "wheels") if words[0] in ("before", "place", "encoders")
    )
    assert all(map(math.isnan, numbers(before)))
    speed, rate = RADIUS * 1.5, -RADIUS / AXLE
    ahead, left = speed / rate * math.sin(rate), speed / rate * (1.0 - math.cos(rate))
    assert numbers(place) == pytest.approx([-left, 0.0, -ahead], rel=1e-3, abs=1e-9)
    assert numbers(first) == pytest.approx([2.0 * RESOLUTION, 1.0 * RESOLUTION])
    # set anew; a speed that is no number changed nothing
    assert numbers(again) == pytest.approx([1000 + 2.0 * STEP * RESOLUTION, -1000 + STEP * RESOLUTION])
    assert any("found NaN" in " ".join(words) for words in said(lines, "wheels"))


def test_pictures_have_three_bytes_a_pixel_and_depths_are_in_metres(lines: list[str]) -> None:
    """The wall stands on the left, 2.95 m ahead; the sky is blue."""
    told = {words[0]: words for words in said(lines, "eye")}
    assert told["size"][1:] == ["16", "8", "1"]
    left, right = (words for words in said(lines, "eye") if words[0] == "red")
    assert int(left[1]) > 100 > int(left[3]) and int(right[3]) > 200 > int(right[1])
    assert told["near"][1::2] == ["0.1", "9", "1"]
    assert float(told["depth"][1]) == pytest.approx(2.95, abs=1e-3) and told["depth"][3:] == ["1", "1"]
    assert told["saved"] == ["saved", "0"]
    assert any('"nose" was not found' in " ".join(words) for words in said(lines, "eye"))


def test_a_servo_obeys_the_p_controller(lines: list[str]) -> None:
    """V = P·(target - position), within the velocity of 10 rad/s."""
    before, *told = [words for words in said(lines, "arm") if words[0] in ("before", "at")]
    position = 0.0
    assert math.isnan(float(before[1]))
    for words in told:
        position += 5.0 * (0.7 - position) * STEP
        assert float(words[1]) == pytest.approx(position, abs=1e-4)
    assert len(told) == 50


def test_packets_come_in_order_with_strength_and_direction(lines: list[str]) -> None:
    """1/r² of 4 m; the emitter is on the receiver's -z. Packets of 7, 7, 7 and 12 bytes are 33 of 32."""
    mouth, ear = said(lines, "mouth"), said(lines, "ear")
    assert mouth[:5] == [["sent", "1"]] * 3 + [["fits", "0"], ["has", "-1", "6", "32"]]
    assert [words[:3] for words in ear] == [["received", f"hello{k}", "7"] for k in range(3)]
    for words in ear:
        assert [float(word) for word in words[3:]] == pytest.approx([1.0 / 16.0, 0.0, 0.0, -1.0], abs=1e-9)


def test_the_supervisor_finds_reads_writes_imports_and_quits(lines: list[str]) -> None:
    told = said(lines, "boss")
    complaint = next(words for words in told if "expected" in words)
    assert complaint[-2:] == ["expected", "SFFloat"]
    assert [words for words in told if words is not complaint] == [
        *(
            ["none", "1", "1"],
            ["place", "SFVec3f", "1"],
            ["wall", "Solid", "1"],
            ["wheels", "DifferentialWheels"],
        ),
        ["moved", "-1.5", "1.25", "16"],
        ["named", "the", '"wall"', "ü"],
        ["sky", "0.5", "0.25", "0.125", "of", "1"],
        ["ball", "1", "2", "3", "of", "1"],
        ["time", "1.2"],
    ]


def test_only_what_is_not_built_is_built_and_not_into_the_users_folder(lines: list[str]) -> None:
    built = [line for line in lines if ": built with " in line]
    found = {re.search(r"(\w+\.c\w*): built with (\S+) into ", line).groups() for line in built}  # type: ignore[union-attr]
    cached = {("eye.c", "gcc"), ("arm.cpp", "g++"), ("radio.c", "gcc"), ("boss.c", "gcc")}
    assert found <= cached and len(built) == len(found)


def test_what_cannot_be_built_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) {\n  return gone;\n}\n")
    with pytest.raises(ConfigError, match=r"wrong\.c:2:10: error: .gone. undeclared"):
        build_program(source, str)
    source.write_text("int main(void) { return 0; }\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"wrong\.c: found no gcc, expected it, or a program"):
        build_program(source, str)


def test_every_header_is_the_one_in_c_and_in_cpp(tmp_path: Path) -> None:
    """In C99 and C++11, in two files of one program; the numbers are those of the module `controller`."""
    include = include_folder()
    names = [str(path.relative_to(include)) for path in sorted(include.glob("webots/**/*.h*"))]
    classes = "".join(f"#include <{name}>\n" for name in names)
    text = "".join(f"#include <{name}>\n" for name in names if name.endswith(".h")) + "#include <stdio.h>\n"
    main = 'int other(void); int main(void) { printf("%d %d %d\\n", OD_PROTOCOL, WB_NODE_SERVO, WB_MF_NODE); '
    (tmp_path / "one.c").write_text(text + main + "return other(); }\n")
    (tmp_path / "two.c").write_text(text + "int other(void) { return od_self != 0; }\n")
    build(tmp_path, "one.c", "-std=c99", "-pedantic", str(tmp_path / "two.c"))
    told = subprocess.run([tmp_path / "one"], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(PROTOCOL), str(NODE_NUMBERS["SERVO"]), str(FIELDS["MFNode"])]
    (tmp_path / "one.cpp").write_text(classes + "int main() { return wb_supervisor_simulation_quit(), 0; }\n")
    build(tmp_path, "one.cpp", "-std=c++11", "-pedantic")


SEVERAL = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Solid { translation 2.05 0 0 boundingObject Box { size 0.1 9 1 } }
DifferentialWheels { name "robot1" controller "<extern>" slipNoise 0 encoderNoise 0 encoderResolution 100
  axleLength 0.4 wheelRadius 0.1 maxSpeed 20 maxAcceleration 1e6
  children DistanceSensor { name "front" translation 0.1 0 0 aperture 0 type "laser"
    lookupTable [ 0 0 0, 5 5 0 ] } }
DEF LEFT Robot { name "left" controller "<extern>" translation 1 3 0 children [
  GPS { name "gps" } DistanceSensor { name "ds" aperture 0 type "laser" lookupTable [ 0 0 0, 5 5 0 ] }
  HingeJoint { device RotationalMotor { name "motor" } endPoint Solid { } } ] }
DEF RIGHT Robot { name "right" controller "<extern>" translation 0.5 -3 0 children [
  GPS { name "gps" } DistanceSensor { name "ds" aperture 0 type "laser" lookupTable [ 0 0 0, 5 5 0 ] }
  HingeJoint { device RotationalMotor { name "motor" } endPoint Solid { } } ] }
Robot { name "snake" controller "<extern>" }
DifferentialWheels { name "mad" translation 0 9 0 axleLength 0.4 wheelRadius 0.1 }
Robot { name "idle" }
"""
TWO = """
#include <odesim.h>
#include <iostream>
using namespace odesim;

int main() {
  Simulation simulation;
  if (!simulation.connect("127.0.0.1", true)) return 3;
  if (simulation.getRobot("nobody")) return 4;
  const char *names[] = {"left", "right"};
  Motor *motor[2];
  GPS *gps[2];
  DistanceSensor *ds[2];
  for (int i = 0; i < 2; i++) {
    Robot *robot = simulation.getRobot(names[i]);
    if (!robot || robot->getMotor("ds") || robot->getGPS("gone")) return 5;
    motor[i] = robot->getMotor("motor"), gps[i] = robot->getGPS("gps");
    ds[i] = robot->getDistanceSensor("ds");
    motor[i]->setVelocity(i + 2.0f);
  }
  float velocity, distance, x, y, z;
  std::cout << "before " << ds[0]->getDistance(distance) << gps[0]->getPosition(x, y, z) << std::endl;
  for (int k = 0; simulation.step(32); k++)
    for (int i = 0; i < 2 && k == 10; i++)
      if (motor[i]->getVelocity(velocity) && ds[i]->getDistance(distance) && gps[i]->getPosition(x, y, z))
        std::cout << names[i] << " " << velocity << " " << distance << " " << x << " " << y << std::endl;
  return 0;
}
"""
SNAKE = "from controller import Robot\nr = Robot()\nwhile r.step(16) != -1: pass\nprint(r.getTime())\n"
GARBAGE = {
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n": "a message of 1195725856 and",
    struct.pack(">II", 5, 0) + b"nope!": "Expecting value",
    struct.pack(">II", 4, 0) + b"null": "a JSON NoneType, no object",
    struct.pack(">II", 21, 2) + b'{"a": {"@": [1, 99]}}xx': "bytes 1 to 100 of 2",
}


def connected(address: str) -> socket.socket:
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    made = socket.create_connection((host, int(port)))
    made.settimeout(LIMIT)
    return made


def address_of(run: ReadProcess) -> str:
    run.until_it_says("may connect to tcp://", LIMIT)
    return run.says("may connect to tcp://")[0].split()[-1]


def client(address: str, robot: str, *command: str | Path) -> subprocess.Popen[str]:
    variables = {
        "ODESIM_CONTROLLER_URL": address,
        "ODESIM_ROBOT": robot,
        "PYTHONPATH": str(ROOT / "webots_api"),
    }
    return subprocess.Popen(
        list(map(str, command)), env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True
    )


def test_clients_in_three_languages_over_tcp_and_garbage(tmp_path: Path) -> None:
    """The page's example: v = 10·(d - 0.5), d falls by r·v in a step; two robots from one program in C++."""
    (tmp_path / "world.wbt").write_text(SEVERAL, encoding="utf-8")
    source = PAGE.split("<!-- test: example -->")[1].split("```c\n")[1].split("```")[0]
    assert len(source.splitlines()) <= 30
    example = tmp_path / "drive" / "drive.c"
    example.parent.mkdir()
    example.write_text(source, encoding="utf-8")
    (tmp_path / "two.cpp").write_text(TWO, encoding="utf-8")
    (tmp_path / "snake.py").write_text(SNAKE, encoding="utf-8")
    two = build(tmp_path, "two.cpp")
    run = ReadProcess(
        *ODESIM, "run", tmp_path / "world.wbt", "--mode", "fast", "--duration", "6.4", "--wait-extern",
        "--controller-port", "0", "--ros-args", "-p", "lockstep_timeout:=200.0",
    )  # fmt: skip
    programs = []
    try:
        address = address_of(run)
        for data, found in GARBAGE.items():
            with connected(address) as peer:
                peer.sendall(data)
                incoming = Incoming()
                answer = receive(peer, incoming)
                assert answer is not None and found in answer["error"]
                assert receive(peer, incoming) is None
            run.until_it_says(f"{address}: found {found}")
        with connected(address) as peer:
            peer.sendall(pack({"do": "hello"})[:9])  # and gone
        with connected(address) as idle, connected(address) as peer:
            hello = {"do": "hello", "robot": "idle", "protocol": PROTOCOL, "synchronized": False}
            idle.sendall(pack(hello))  # and no step: nobody waits for it
            incoming = Incoming()
            for message, found in (
                ({"do": "fly"}, "hello"),
                ({"do": "hello", "robot": "gone", "protocol": PROTOCOL}, "gone"),
                ({"do": "hello", "robot": "mad", "protocol": 1}, f"expected {PROTOCOL}"),
                ({"do": "hello", "robot": "mad", "protocol": PROTOCOL}, ""),
                ({"do": "fly"}, "fly"),
                ({"do": "step", "ms": math.nan, "commands": []}, "NaN"),
            ):
                peer.sendall(pack(message))
                answer = receive(peer, incoming)
                assert answer is not None and found in answer.get("error", ""), (message, answer)
            commands = [[0, "set_speed", math.nan, 1.0], [7, "enable", 16]]
            peer.sendall(pack({"do": "step", "ms": 16, "commands": commands}))
            by_hand = (*ODESIM, "controller", "--simulation", str(run.process.pid), "robot1")
            programs = [
                client("", "", *by_hand, example),
                client(address, "", two),
                client(address, "snake", sys.executable, tmp_path / "snake.py"),
            ]
            answer = receive(peer, incoming)
            assert answer is not None and len(answer["lines"]) == 2 and answer["time"] == 0.016
            peer.close()
            told = [program.communicate(timeout=LIMIT)[0].splitlines() for program in programs]
        assert [program.returncode for program in programs] == [0, 0, 0]
        assert run.wait(LIMIT) == 0 and not run.says("Traceback"), run.lines
    finally:
        for program in programs:
            program.kill()
        run.end()
    distance, steps = 1.9, 0
    while 10.0 * (distance - 0.5) >= 0.1:
        steps += 1
        distance -= 0.1 * 10.0 * (distance - 0.5) * 0.016 if steps > 1 else 0.0
    assert told[0][-1:] == [f"stands {distance:.3f} m before the wall after {steps * 0.016:.2f} s"]
    assert told[1][0] == "before 00"
    for line, velocity, at in ((told[1][1], 2.0, (1.0, 3.0)), (told[1][2], 3.0, (0.5, -3.0))):
        assert [float(word) for word in line.split()[1:]] == pytest.approx(
            [velocity, 2.0 - at[0], *at], abs=1e-5
        )
    assert told[2] == ["6.4"]


FOLLOWER = """
#include "MoRS_API.h"
#include <iostream>
using namespace MORS_API;

static void drive(Motor *left, Motor *right, float left_speed, float right_speed) {
  left->setVelocity(left_speed);
  right->setVelocity(right_speed);
}

int main(int argc, char **argv) {
  Simulation simulation = Simulation();
  if (argc != 3 || !simulation.connect("127.0.0.1", strcmp(argv[1], "true") == 0)) return 3;
  Robot *robot = simulation.getRobot(argv[2]);
  if (!robot) return 4;
  Motor *right = robot->getMotor("motor_right"), *left = robot->getMotor("motor_left");
  DistanceSensor *front = robot->getDistanceSensor("ds_front"), *beside = robot->getDistanceSensor("ds_left");
  GPS *gps = robot->getGPS("gps");
  if (!right || !left || !front || !beside || !gps) return 5;
  for (int count = 0; simulation.step(200); count++) {
    float x, y, z, ahead, wall;
    if (count % 100 == 0 && gps->getPosition(x, y, z))
      std::cout << x << " " << y << " " << z << std::endl;
    if (!front->getDistance(ahead) || !beside->getDistance(wall)) return 6;
    if (ahead < 1.0)
      drive(left, right, 4, -4);
    else if (wall < 0.4)
      drive(left, right, 4, 2);
    else if (wall > 1.6)
      drive(left, right, 2, 4);
    else
      drive(left, right, 4, 4);
  }
  return 0;
}
"""


def test_the_program_of_the_thesis_drives_its_robot(tmp_path: Path) -> None:
    """The law of appendix D in the scene of appendix C: it starts where that has it, moves, stays inside."""
    scene = (ROOT / "worlds" / "x3d" / "wall_follower.x3d").read_text(encoding="utf-8")
    (tmp_path / "scene.x3d").write_text(
        scene.replace('controller="wall_follower"', 'controller="&lt;extern&gt;"'), encoding="utf-8"
    )
    (tmp_path / "follower.cpp").write_text(FOLLOWER, encoding="utf-8")
    program = build(tmp_path, "follower.cpp")
    run = ReadProcess(
        *ODESIM, "run", tmp_path / "scene.x3d", "--mode", "fast", "--duration", "41", "--wait-extern",
        "--controller-port", "0", "--ros-args", "-p", "lockstep_timeout:=200.0",
    )  # fmt: skip
    try:
        driver = client(address_of(run), "", program, "true", "robot2")
        told = driver.communicate(timeout=LIMIT)[0]
        assert run.wait(LIMIT) == 0, run.lines
    finally:
        run.end()
    assert driver.returncode == 0
    places = [[float(word) for word in line.split()] for line in told.splitlines()]
    assert len(places) == 3
    assert places[0] == pytest.approx([-5.0, 0.22, 0.0], abs=0.05)
    for (x, _, z), (x_before, _, z_before) in zip(places[1:], places, strict=False):
        assert math.hypot(x - x_before, z - z_before) > 1.0
        assert max(abs(x), abs(z)) < 10.0
