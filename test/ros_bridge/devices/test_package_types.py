"""Devices in types of packages that may not be installed, replaced by classes with the same fields."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from geometry_msgs.msg import Pose, PoseWithCovariance
from pictures import needs_gl
from std_msgs.msg import Header, String

from ros_bridge.devices import make_bridge, package_types
from ros_bridge.devices.base import Style
from ros_bridge.devices.package_types import inputs_of, outputs_of
from ros_bridge.topics.conversions import messages_of
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Solid { name "ball" translation 2 0.5 0.25 model "toy" recognitionColors [ 1 0.5 0 ]
  children Shape { geometry Sphere { radius 0.1 } } }
Robot { name "r" children [
  Camera { name "eye" width 200 height 100 fieldOfView 1.5 recognition Recognition { } }
  Compass { name "compass" } Pen { name "pen" } Receiver { name "ear" }
  VacuumGripper { name "cup" boundingObject Box { size 0.1 0.1 0.1 } }
] }
"""
AS_WEBOTS = Style(as_webots_ros2=True)


def stand_in(name: str, **fields: Callable[[], Any]) -> type:
    """Return a message class with these fields, each with a function for its default."""

    def init(self: Any, **values: Any) -> None:
        for key, make in fields.items():
            setattr(self, key, values.pop(key) if key in values else make())
        assert not values

    return type(name, (), {"__init__": init, "__slots__": tuple(fields)})


def box() -> Any:
    place = SimpleNamespace(x=0.0, y=0.0)
    return SimpleNamespace(center=SimpleNamespace(position=place), size_x=0.0, size_y=0.0)


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """vision_msgs and webots_ros2_msgs, with the fields that their files declare."""
    hypothesis = stand_in("ObjectHypothesis", class_id=str, score=float)
    vision = {
        "ObjectHypothesisWithPose": stand_in(
            "ObjectHypothesisWithPose", hypothesis=hypothesis, pose=PoseWithCovariance
        ),
        "Detection2D": stand_in("Detection2D", header=Header, results=list, bbox=box, id=str),
        "Detection2DArray": stand_in("Detection2DArray", header=Header, detections=list),
    }
    stamped = SimpleNamespace
    webots = {
        "CameraRecognitionObject": stand_in(
            "CameraRecognitionObject",
            id=int,
            pose=lambda: stamped(header=Header(), pose=Pose()),
            bbox=box,
            colors=list,
            model=str,
        ),
        "CameraRecognitionObjects": stand_in("CameraRecognitionObjects", header=Header, objects=list),
        "PenInkProperties": stand_in("PenInkProperties", color=int, density=float),
        **{
            name: stand_in(name, header=Header, data=kind)
            for name, kind in (("FloatStamped", float), ("StringStamped", str), ("BoolStamped", bool))
        },
    }
    for name, classes in (("vision_msgs", vision), ("webots_ros2_msgs", webots)):
        module, inner = ModuleType(name), ModuleType(f"{name}.msg")
        inner.__dict__.update(classes)
        module.msg = inner  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setitem(sys.modules, f"{name}.msg", inner)
    monkeypatch.setattr(package_types, "messages_of", lambda name: sys.modules.get(f"{name}.msg"))


@pytest.fixture
def sim() -> Any:
    made = Simulation(parse_scene(WORLD, "w.wbt"))
    yield made
    made.close()


def both(bridge: Any) -> tuple[list[Any], list[Any]]:
    return outputs_of(bridge), bridge.outputs()


def of(sim: Simulation, device: str, style: Style = AS_WEBOTS) -> dict[str, Any]:
    """Its outputs by suffix."""
    return {each.name: each for each in outputs_of(make_bridge(sim.robot("r")[device], style))}


def test_without_the_packages_all_is_as_it_was(sim: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_types, "messages_of", lambda name: None)
    for device in sim.robot("r").devices.values():
        bridge = make_bridge(device, AS_WEBOTS)
        kinds = [[(each.name, each.message_type) for each in found] for found in both(bridge)]
        assert kinds[0] == kinds[1]
        assert [each.name for each in inputs_of(bridge)] == [each.name for each in bridge.inputs()]


def test_sources_in_a_workspace_are_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "such_msgs" / "msg").mkdir(parents=True)
    (tmp_path / "other_msgs").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert messages_of("such_msgs") is None and messages_of("other_msgs") is None
    assert messages_of("std_msgs").String is String


@pytest.mark.usefixtures("packages")
def test_the_layout_decides_about_the_types(sim: Simulation) -> None:
    def kinds(device: str, style: Style) -> dict[str, str]:
        return {name: each.message_type.__name__ for name, each in of(sim, device, style).items()}

    assert kinds("compass", AS_WEBOTS)["bearing"] == "FloatStamped"
    assert kinds("compass", Style())["bearing"] == "Float64"
    ear = kinds("ear", AS_WEBOTS)
    assert (ear["data"], ear["signal_strength"]) == ("StringStamped", "FloatStamped")
    assert kinds("cup", AS_WEBOTS)["presence"] == "BoolStamped"
    eye = kinds("eye", AS_WEBOTS)
    assert eye["recognitions"] == "Detection2DArray"
    assert eye["recognitions/webots"] == "CameraRecognitionObjects"
    plain = kinds("eye", Style())
    assert (plain["recognitions"], plain["recognitions/detections"]) == ("PointCloud2", "Detection2DArray")
    assert "recognitions/webots" not in plain


@needs_gl
@pytest.mark.usefixtures("packages")
def test_what_is_recognized_is_in_optical_axes_and_pixels(sim: Simulation) -> None:
    """2 m ahead, 0.5 m to the left, 0.25 m up; its rectangle by the pinhole, f = w/2/tan(fov/2)."""
    camera = sim.robot("r")["eye"]
    camera.demand = lambda: True
    sim.step(2)
    outputs = of(sim, "eye")
    focal = 100.0 / math.tan(0.75)
    for name in ("recognitions", "recognitions/webots"):
        message = outputs[name].message_type()
        outputs[name].fill(message, camera.reading)
        (item,) = message.detections if name == "recognitions" else message.objects
        pose = item.results[0].pose.pose if name == "recognitions" else item.pose.pose
        place = (pose.position.x, pose.position.y, pose.position.z)
        assert place == pytest.approx((-0.5, -0.25, 2.0), abs=1e-6)
        turn = (pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w)
        assert turn == pytest.approx((0.5, -0.5, 0.5, 0.5), abs=1e-6)
        middle = item.bbox.center.position
        assert middle.x == pytest.approx(100.0 - focal * 0.25, abs=1.0)
        assert middle.y == pytest.approx(50.0 - focal * 0.125, abs=1.0)
        assert item.bbox.size_x == pytest.approx(focal * 0.1, abs=1.0)
    assert item.model == "toy"
    assert [(each.r, each.g, each.b) for each in item.colors] == [(1.0, 0.5, 0.0)]


@pytest.mark.usefixtures("packages")
def test_texts_and_ink(sim: Simulation) -> None:
    message = SimpleNamespace(data="")
    of(sim, "ear")["data"].fill(message, SimpleNamespace(data=b"hello\0rest"))
    assert message.data == "hello"
    (ink,) = (each for each in inputs_of(make_bridge(sim.robot("r")["pen"])) if each.name == "set_ink_color")
    (wish,) = ink.decode(SimpleNamespace(color=0xFF0033, density=0.5))
    assert wish.arguments == {"colour": (1.0, 0.0, 0.2), "density": 0.5}
