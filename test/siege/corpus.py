"""What the tries begin with: files that come along, and some that are written here."""

from __future__ import annotations

import hashlib
import io
import math
import struct
import tempfile
import wave
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ros_bridge.recorder import facts
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.changes import COMMAND, JOURNAL, OUTCOME, to_text, told_command
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene
from sim_core.scene.meshes.quiet import quiet
from sim_core.session.pipeline import Command, Wish
from sim_core.session.robot_commands import Tell
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import ImportText, SetField
from webots_api.controller.connection import PROTOCOL

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 30_000
"""Bytes of a text to begin with; larger ones are left out, so that many tries fit into a second."""
MOVING = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF BALL Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
Robot { name "r" children [
  DistanceSensor { name "d" }
  HingeJoint { device RotationalMotor { name "m" } endPoint Solid { physics Physics { } } }
] }
"""
SWEPT = MOVING.replace('"r"', '"robot1"').replace('"d"', '"ds_front"')
"""What a sweep that comes along needs."""
MESSAGES: tuple[dict[str, Any], ...] = (
    {"do": "hello", "robot": "r", "protocol": PROTOCOL, "synchronized": True},
    {"do": "step", "ms": 32, "commands": [[0, "set_velocity", 1.5], [1, "send", b"packet"]]},
    {"do": "call", "name": "field", "with": [1, [0.5, math.inf, math.nan]], "commands": []},
)
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def shipped(*patterns: str) -> list[tuple[str, bytes]]:
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    found = [(path.name, path.read_bytes()) for path in paths]
    return [(name, data) for name, data in found if len(data) <= LARGEST]


def meshes() -> list[tuple[str, bytes]]:
    import trimesh

    mesh = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], FACES)
    kinds = ("obj", "stl", "stl_ascii", "ply", "off", "glb", "dae")
    with quiet():
        made = [(f"m.{kind.removesuffix('_ascii')}", mesh.export(file_type=kind)) for kind in kinds]
    return [(name, data.encode() if isinstance(data, str) else bytes(data)) for name, data in made]


def pictures() -> list[tuple[str, bytes]]:
    made = []
    for kind in ("png", "jpeg", "bmp", "gif", "tga", "tiff", "webp"):
        out = io.BytesIO()
        Image.fromarray(np.arange(300, dtype=np.uint8).reshape(10, 10, 3)).save(out, kind)
        made.append((f"p.{kind}", out.getvalue()))
    return made


def sounds() -> list[tuple[str, bytes]]:
    made = []
    for channels, width in ((1, 1), (2, 2), (1, 3), (1, 4)):
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setparams((channels, width, 8000, 0, "NONE", ""))
            file.writeframes(bytes(range(240)))
        made.append((f"s{width}.wav", out.getvalue()))
    return made


def told() -> str:
    """The facts of a recording of `MOVING`, and what was asked of it."""
    about = {
        facts.WORLD: "w.wbt",
        facts.WORLD_HASH: hashlib.sha256(MOVING.encode()).hexdigest(),
        facts.FILES: "{}",
        facts.SEED: "0",
        facts.PARAMETERS: '{"seed": 0}',
        facts.COMMANDS: '["/r/m"]',
        facts.JOURNAL: JOURNAL,
        facts.URDF: "[]",
        facts.VERSIONS: '{"odesim": "1"}',
        facts.OPTIONS: '{"skip_missing": false, "controllers": true, "plugins": false}',
    }
    wishes: list[Wish] = [
        Tell("r", "m", "set_velocity", {"velocity": 2.0}),
        SetField("BALL", "translation", [1.0, 2.0, 3.0]),
        ImportText('Solid { name "new" }'),
    ]
    changes = [{"what": COMMAND, **told_command(Command("r", (wish,)))} for wish in wishes]
    changes += [{"what": OUTCOME, "refused": "no such node"}, {"what": "reset_scope", "scope": 3}]
    changes += [{"what": "reset", "seed": 1}, {"what": "end"}]
    lines = [to_text({"time_ns": 8_000_000 * at, **each}) for at, each in enumerate(changes[:5])]
    lines += [to_text({"time_ns": 0, **each}) for each in changes[5:]]
    return "\n".join([*(f"{name} {value}" for name, value in about.items()), *lines])


def bag_files() -> dict[str, bytes]:
    """A bag of a few messages, of two topics."""
    about = dict(line.partition(" ")[::2] for line in told().splitlines() if line.startswith(facts.PREFIX))
    with tempfile.TemporaryDirectory() as name:
        with BagWriter(Path(name) / "bag", about) as writer:
            for topic in ("/a", "/b"):
                channel = writer.add_topic(topic, "std_msgs/msg/Float64")
                for number in range(20):
                    data = b"\0\1\0\0" + struct.pack("<d", number)
                    writer.write(channel, data, number * 1_000_000, number)
        return {path.name: path.read_bytes() for path in (Path(name) / "bag").iterdir()}


def snapshot_file() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        sim = Simulation(load_scene(find_world("wall_follower")))
        sim.step()
        sim.snapshot().save(Path(name) / "s.snapshot")
        sim.close()
        return (Path(name) / "s.snapshot").read_bytes()


MAKEFILE = r"""# a controller of two sources
NAME = drive
CPP_SOURCES = $(NAME).cpp \
  $(wildcard p*.cpp)
ifeq ($(OSTYPE),windows)
LIBRARIES = -lws2_32
else
LIBRARIES += -L"lib folder" -lm
endif
CFLAGS := -O2 -DN="a b" ${MORE}
ifndef WEBOTS_HOME
INCLUDE = -I parts
endif
include $(WEBOTS_HOME_PATH)/resources/Makefile.include
"""
GAZEBO = """<!-- gz sim --levels --><robot name="cart"><link name="base"><inertial><mass value="3"/>
<inertia ixx="0.02" iyy="0.02" izz="0.03"/></inertial></link><link name="eye"/>
<joint name="j" type="fixed"><parent link="base"/><child link="eye"/></joint>
<gazebo reference="eye"><mu1>0.5</mu1><mu2>0.5</mu2><kp value="1e6"/>
<sensor name="laser" type="gpu_lidar"><update_rate>10</update_rate><topic>scan</topic>
<pose degrees="true">0 0 0.1 0 0 90</pose><gz_frame_id>eye</gz_frame_id><lidar><scan><horizontal>
<samples>36</samples>
<resolution>1</resolution><min_angle>0</min_angle><max_angle>6.28</max_angle></horizontal><vertical>
<samples>2</samples>
<min_angle>-0.4</min_angle><max_angle>0</max_angle></vertical></scan><range><min>0.1</min><max>10</max>
</range>
<noise><type>gaussian</type><mean>0</mean><stddev>0.01</stddev></noise></lidar></sensor>
<sensor name="camera" type="camera"><topic>camera/image_raw</topic><camera>
<camera_info_topic>c/i</camera_info_topic>
<horizontal_fov>1.4</horizontal_fov><image><width>8</width><height>6</height></image><distortion>
<k1>-0.25</k1>
<p1>0.01</p1><center>0.5 0.5</center></distortion></camera>
<plugin name="p" filename="libgazebo_ros_camera.so"><ros>
<namespace>n</namespace><remapping>image_raw:=i</remapping></ros><frame_name>f</frame_name></plugin>
</sensor>
<sensor name="kinect" type="rgbd_camera"><topic>k</topic></sensor>
<sensor name="imu" type="imu"><imu><angular_velocity><x><noise type="gaussian"><stddev>0.1</stddev>
</noise></x>
</angular_velocity></imu></sensor></gazebo>
<gazebo><plugin name="d" filename="libgazebo_ros_diff_drive.so"><left_joint>a</left_joint>
<right_joint>b</right_joint>
<wheel_diameter>0.1</wheel_diameter><robot_base_frame>base</robot_base_frame></plugin></gazebo></robot>
"""
