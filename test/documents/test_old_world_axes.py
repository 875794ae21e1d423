"""Worlds of the time of the book on Webots: x is north, y is up, and a robot without rotation faces -z.

They speak so to controllers and supervisors, and ENU and FLU on topics.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from controller_runs import write_controllers
from processes import ODESIM, ReadProcess

from ros_bridge.recorder.bag import Bag

PLACE, TURN = (1.0, 0.5, 2.0), 0.6
WORLD = f"""#VRML_SIM V6.0 utf8
WorldInfo {{ }}
DEF ROBOT Supervisor {{ name "robot" controller "book"
  translation {" ".join(map(str, PLACE))} rotation 0 1 0 {TURN}
  children [ GPS {{ name "gps" }} Compass {{ name "compass" }}
    Camera {{ name "camera" width 8 height 4 fieldOfView 0.785 }}
    Transform {{ translation -0.5 0 -2 children Shape {{ geometry DEF SIDE Box {{ size 1 9 0.1 }}
      appearance Appearance {{ material Material {{ emissiveColor 1 0 0 }} }} }} }}
    Transform {{ translation 0.5 0 -2 children Shape {{ geometry USE SIDE
      appearance Appearance {{ material Material {{ emissiveColor 0 0 1 }} }} }} }} ]
}}
DEF BALL Solid {{ name "ball" translation 3 4 5 }}
"""
BOOK = """from math import atan2, pi
from controller import Supervisor
robot = Supervisor()
gps, compass, camera = (robot.getDevice(name) for name in ("gps", "compass", "camera"))
for device in (gps, compass, camera):
    device.enable(32)
ball = robot.getFromDef("BALL").getField("translation")
print("said ball", *ball.getSFVec3f())
ball.setSFVec3f([6, 7, 8])
for _ in range(5):
    robot.step(32)
print("said moved", *robot.getFromDef("BALL").getPosition())
print("said gps", *gps.getValues())
north = compass.getValues()
yaw = (atan2(north[0], north[2]) - 1.5708) / pi * 180.0
print("said yaw", yaw + 360.0 if yaw < 0.0 else yaw)
image = camera.getImage()
print("said left", camera.imageGetRed(image, 8, 1, 2), camera.imageGetBlue(image, 8, 1, 2))
print("said right", camera.imageGetRed(image, 8, 6, 2), camera.imageGetBlue(image, 8, 6, 2))
while robot.step(32) != -1:
    pass
"""


def test_controllers_hear_the_axes_of_the_book_and_topics_enu_and_flu(tmp_path: Path) -> None:
    write_controllers(tmp_path, {"book": BOOK})
    world = tmp_path / "worlds" / "book.wbt"
    world.parent.mkdir()
    world.write_text(WORLD)
    bag = tmp_path / "bag"
    run = ReadProcess(*ODESIM, "run", world, "--mode", "fast", "--duration", "0.5", "--record", bag)
    assert run.wait() == 0, run.lines

    words = [line.split("said ")[1].split() for line in run.says("robot: said ")]
    said = {name: tuple(map(float, values)) for name, *values in words}
    assert said["ball"] == (3.0, 4.0, 5.0) and said["moved"] == pytest.approx((6.0, 7.0, 8.0))
    assert said["gps"] == pytest.approx(PLACE), "value 1 is the height"
    assert said["yaw"] == (pytest.approx(360.0 - math.degrees(TURN), abs=1e-3),)
    assert said["left"][0] > 200.0 > 50.0 > said["left"][1]
    assert said["right"][1] > 200.0 > 50.0 > said["right"][0]

    topics = ("/robot/gps", "/robot/compass/north_vector", "/robot/camera/image_color")
    with Bag(bag) as reader:
        last: dict[str, Any] = {topic: message for topic, _, message in reader.messages(topics)}
    point, vector, image = (last[topic] for topic in topics)
    north, up, east = PLACE
    assert (point.point.x, point.point.y, point.point.z) == pytest.approx((east, north, up))
    forward, left = -math.sin(TURN), -math.cos(TURN)  # north is to its right, and ever more behind it
    assert (vector.vector.x, vector.vector.y, vector.vector.z) == pytest.approx(
        (forward, left, 0.0), abs=1e-9
    )
    pixels = image.data.reshape(image.height, image.width, -1)[2]
    red, blue = (2, 0) if image.encoding.startswith("bgr") else (0, 2)
    assert pixels[1][red] > 200 > 50 > pixels[1][blue] and pixels[6][blue] > 200 > 50 > pixels[6][red]
