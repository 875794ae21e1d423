"""Zoom, focus and exposure over ROS: CameraInfo follows, a wrong value is said, a replay sees the same."""

import math
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import needs_gl
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Float64, String

from ros_bridge.cli.__main__ import main
from ros_bridge.recorder.bag import Bag

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
DirectionalLight { direction 0.3 0.2 -1 }
Solid { name "ball" translation 1.5 0 0.5 children Shape { appearance PBRAppearance { baseColor 1 0 0 }
  geometry Sphere { radius 0.2 } } }
Robot { name "r" controller "<none>" translation 0 0 0.5 children [
  Camera { name "cam" width 64 height 48 fieldOfView 1 zoom Zoom { }
    focus Focus { focalDistance 1 focalLength 1 maxFocalDistance 3 } }
  Display { name "screen" width 64 height 48 } ] }
"""


@needs_gl
def test_settings_are_heard_recorded_and_repeated(
    simulate: Callable[..., Any], client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, bag = tmp_path / "zoom.wbt", tmp_path / "bag"
    world.write_text(WORLD)
    run = simulate(world, mode="realtime", record=str(bag))
    infos = client.listen(CameraInfo, "/r/cam/camera_info")
    screens = client.listen(Image, "/r/screen/image_color")
    fov, exposure, focus = (
        client.speak(Float64, f"/r/cam/{name}") for name in ("fov", "exposure", "focal_distance")
    )
    client.speak(String, "/r/screen/attach_camera").publish(String(data="cam"))
    exposure.publish(Float64(data=0.5))
    focus.publish(Float64(data=2.5))
    client.until(lambda: infos, "a picture before the zoom")
    wanted = []
    for angle in (0.6, 1.3):
        wanted.append(32.0 / math.tan(angle / 2.0))
        fov.publish(Float64(data=angle))
        client.until(lambda: infos and infos[-1].k[0] == pytest.approx(wanted[-1]), "the zoom's CameraInfo")
    fov.publish(Float64(data=math.nan))
    client.until(lambda: run.says("/r/cam/fov: refused: "), "the refusal")
    client.until(lambda: any(max(each.data[::4]) > 0 for each in screens[-1:]), "red on the display")
    run.send(signal.SIGINT)
    assert run.wait(60.0) == 0, run.lines
    assert run.says("r.cam.fov: found nan, expected a finite number")
    assert all(each.k[0] == pytest.approx(wanted[-1]) for each in infos[-2:])

    assert main(["replay", str(bag)]) == 0
    assert capsys.readouterr().out.startswith("identical: ")
    with Bag(bag) as opened:
        names = ("/r/cam/camera_info", "/r/cam/image_color", "/r/screen/image_color")
        told: dict[str, list[Any]] = {name: [] for name in names}
        for item in opened.in_file_order():
            if item.topic in told:
                told[item.topic].append(opened.decode(item.data, item.type_name))
    focal = [each.k[0] for each in told[names[0]]]
    first = 32.0 / math.tan(0.5)
    assert list(dict.fromkeys(round(each, 9) for each in focal)) == [
        round(each, 9) for each in (first, *wanted)
    ]

    def pictures(name: str, channels: list[int]) -> list[bytes]:
        rows = [np.frombuffer(each.data, np.uint8).reshape(-1, 4)[:, channels] for each in told[name]]
        return [row.tobytes() for row in rows]

    seen, shown = pictures(names[1], [2, 1, 0]), pictures(names[2], [0, 1, 2])
    assert shown[-1] in seen and len(set(shown)) > 1
