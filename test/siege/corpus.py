"""What the tries begin with: files that come along, and some that are written here."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import struct
import tempfile
import wave
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import CompressionType, IndexType, Writer
from PIL import Image

from ros_bridge.recorder import facts
from ros_bridge.recorder.bag_metadata import RecordedTopic, channel_metadata
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.changes import COMMAND, JOURNAL, OUTCOME, described_command, to_text
from ros_bridge.topics.qos import SENSOR
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene
from sim_core.scene.meshes.silenced_readers import quiet
from sim_core.session.pipeline import Action, Command
from sim_core.session.robot_commands import DeviceCommand
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
QOS = channel_metadata(RecordedTopic("/a", "", "", SENSOR))["offered_qos_profiles"]
COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#f" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>4</vcount><p>0 1 2 3</p></polylist>
</mesh></geometry></library_geometries>
<library_nodes><node id="n0"><instance_geometry url="#g"/></node>NODES</library_nodes>
<library_visual_scenes><visual_scene id="w"><node><instance_node url="#n8"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>
"""
STATEMENTS = {
    "javascript": """%< let z = 0;
  JSON.stringify = () => '{"text": 5, "printed": [], "files": {}}';
  Array.prototype.join = () => 7; String = Number; Object.prototype.files = 5;
  print('\\ud800', '\\u001b[2J', {}, null); console.log("x".repeat(10));
  wbfile.writeTextFile('a.txt', '\\udfff'); wbfile.writeTextFile('a\\0b.txt', "text");
  wbfile.writeTextFile("b/".repeat(3), 5); try { wbfile.writeTextFile("../c.txt") } catch (e) { print(e) };
  [..."abcdefgh"].forEach((n) => wbfile.writeTextFile(n, ""));
  Object.prototype.toJSON = () => 5; let r = () => r();
  let s = "x"; try { while (s.length < 2e3) s += s } catch (e) { };
>% %<= "" >%""",
    "lua": """%{ local z = 0;
  print("a", nil, {}); print("\\255"); local s = "x"; for n = 1, 10 do s = s .. s end;
  tostring = nil; string.rep = nil; print(#(s or "")); math.floor = 5; setmetatable(_G, {__index = error});
}% %{= "" }%""",
}
"""What templates may do to who runs them, each statement to be had in any order."""
REQUESTS = (
    "GET /window0/panel.html HTTP/1.1\r\nHost: HERE\r\n\r\n",
    "GET /window0/%00/..%2f?a=b#c HTTP/1.1\r\nHost: HERE\r\nOrigin: http://HERE\r\n\r\n",
    "GET /wwi/RobotWindow.js HTTP/1.0\r\nHost: localhost\r\nLast-Event-ID: 99\r\n\r\n",
    "POST /window0/send HTTP/1.1\r\nHost: HERE\r\nOrigin: http://HERE\r\nContent-Length: 4\r\n\r\ntext",
    "GET foo\r\n\r\n",
    "GET http://[::1/ HTTP/9.9\r\nHost: HERE\r\nContent-Length: 1_0\r\n\r\n",
)
"""Of browsers, to a server of robot windows at HERE."""
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
    actions: list[Action] = [
        DeviceCommand("r", "m", "set_velocity", {"velocity": 2.0}),
        SetField("BALL", "translation", [1.0, 2.0, 3.0]),
        ImportText('Solid { name "new" }'),
    ]
    changes = [{"what": COMMAND, **described_command(Command("r", (action,)))} for action in actions]
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


def compressed_bags() -> list[tuple[str, bytes]]:
    """Bags of a few messages in compressed chunks, with an index and without."""
    made = []
    for kind in (CompressionType.ZSTD, CompressionType.LZ4):
        for has_index in (True, False):
            out = io.BytesIO()
            index = IndexType.ALL if has_index else IndexType.NONE
            writer = Writer(
                out, chunk_size=300, compression=kind, index_types=index, use_statistics=has_index
            )
            writer.start("ros2")
            schema = writer.register_schema("std_msgs/msg/Float64", "ros2msg", b"float64 data")
            channel = writer.register_channel("/a", "cdr", schema, {"offered_qos_profiles": QOS})
            for number in range(40):
                data = b"\0\1\0\0" + struct.pack("<d", number)
                writer.add_message(channel, number * 1_000_000, data, number * 1_000_000)
            writer.finish()
            made.append((f"{kind.name.lower()}{'' if has_index else '_scanned'}.mcap", out.getvalue()))
    return made


def counted_meshes() -> list[tuple[str, bytes]]:
    """Meshes that say how much there is, and name it more than once."""
    corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    uri = f"data:application/octet-stream;base64,{base64.b64encode(corners).decode()}"
    told = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "children": [2]}, {"mesh": 0}, {"mesh": 0, "scale": [2, 2, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 4}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": uri}],
    }
    nodes = "".join(
        f'<node id="n{n}"><instance_node url="#n{n - 1}"/><instance_node url="#n{n - 1}"/></node>'
        for n in range(1, 9)
    )
    return [("m.gltf", json.dumps(told).encode()), ("m.dae", COLLADA.replace("NODES", nodes).encode())]


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
SDF = """<sdf version="1.9"><world name="w"><physics><max_step_size>0.01</max_step_size></physics>
<gravity>0 0 -9.8</gravity><include><uri>model://ground_plane</uri><pose>0 0 0 0 0 0</pose></include>
<frame name="f"><pose>1 0 0 0 0 0</pose></frame>
<light name="s" type="spot"><direction>0 0 -1</direction></light>
<model name="m"><pose relative_to="f" degrees="true">0 0 1 0 0 90</pose><self_collide>1</self_collide>
<link name="a"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry><surface><friction><ode><mu>0.5</mu>
<mu2>0.1</mu2><fdir1 gz:expressed_in="b">1 1 0</fdir1><slip1>0.1</slip1></ode>
<torsional><coefficient>0.5</coefficient><patch_radius>0.1</patch_radius></torsional></friction>
<contact><collide_bitmask>0x03</collide_bitmask></contact>
<bounce><restitution_coefficient>0.3</restitution_coefficient></bounce></surface></collision>
<visual name="v"><geometry><polyline><point>0 0</point><point>1 0</point><point>1 1</point><height>1</height>
</polyline></geometry><material><script><name>Gazebo/Red</name></script></material></visual></link>
<link name="b"><pose>1 0 0 0 0 0</pose><collision name="c"><geometry>
<ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></collision>
<sensor name="l" type="gpu_lidar"><topic>scan</topic></sensor></link>
<link name="c"><pose>2 0 0 0 0 0</pose><gravity>0</gravity></link><frame name="g" attached_to="b"/>
<joint name="j" type="revolute"><parent>a</parent><child>g</child>
<axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower><upper>1e16</upper></limit>
<dynamics><damping>1</damping></dynamics></axis></joint>
<joint name="k" type="universal"><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz></axis>
<axis2><xyz>1 0 0</xyz></axis2></joint><joint name="o" type="ball"><parent>a</parent><child>c</child></joint>
<joint name="p" type="revolute"><parent>a</parent><child>d</child><axis><xyz>1 0 0</xyz><mimic joint="j">
<multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>
<link name="d"/>
<plugin filename="gz-sim-thruster-system" name="gz::sim::systems::Thruster"><joint_name>j</joint_name>
<propeller_diameter>0.2</propeller_diameter><max_thrust_cmd>50</max_thrust_cmd></plugin>
<model name="n"><static>true</static><link name="a"/></model>
<joint name="w" type="fixed"><parent>world</parent><child>n::a</child></joint></model>
<plugin filename="gz-sim-buoyancy-system" name="gz::sim::systems::Buoyancy"><graded_buoyancy>
<default_density>1000</default_density><density_change><above_depth>0</above_depth><density>1</density>
</density_change></graded_buoyancy><enable>m::a</enable></plugin></world></sdf>
"""
