"""Draws the demonstrations, the robots and some PROTO files; writes docs/gallery.md and worlds/README.md.

    python3 docs/draw_gallery.py              # the pictures, into docs/gallery/, and the page
    python3 docs/draw_gallery.py office Cart  # the pictures of these, and the page
    python3 docs/draw_gallery.py --page       # the page alone

Titles and descriptions are those of the worlds and PROTO files themselves.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from transforms3d.axangles import mat2axangle

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

import sim_core
from sim_core.recording.images import export_image
from sim_core.scene.loader import world_info_of

WIDTH, HEIGHT = 640, 360
TIMES = {"docking": 2.0, "soccer": 1.0, "talkers": 1.0}
"""s of sim time until the picture; other worlds: at once, as their files say."""
DISTANCES = {
    "Ute": 8.5,
    "Pioneer3dx": 1.0,
    "SwarmRobot": 0.4,
    "Cart": 0.55,
    "TurtleBot3Burger": 0.6,
    "TurtleBot3Waffle": 0.65,
    "Pioneer3at": 1.2,
    "Create3": 0.7,
    "Husky": 2.0,
    "Thymio2": 0.3,
    "Crazyflie": 0.23,
    "UR5e": 1.9,
    "YoubotBase": 1.2,
    "E-puck": 0.2,
    "Khepera": 0.17,
}
"""m from which a robot is seen; others: 0.25."""
MIDDLES = {"Ute": 1.45}
"""m ahead of a robot's origin is its middle, which is looked at; others: 0."""
POSES = {
    "UR5e": {
        "shoulder_pan_joint": -0.9,
        "shoulder_lift_joint": -1.9,
        "elbow_joint": 1.9,
        "wrist_1_joint": -1.57,
        "wrist_2_joint": -1.57,
    }
}
"""rad to which joints go before the picture."""
STAGE = """#VRML_SIM R2025a utf8
EXTERNPROTO "{proto}"
WorldInfo {{ basicTimeStep 8 }}
Viewpoint {{ position {position} orientation {orientation} fieldOfView 0.8 }}
Background {{ skyColor 0.85 0.9 0.95 }}
DirectionalLight {{ direction 0.1 0.8 -1 intensity 3 ambientIntensity 0.2 castShadows TRUE }}
Solid {{
  children Shape {{
    appearance PBRAppearance {{ baseColor 0.8 0.8 0.78 roughness 1 metalness 0 }}
    geometry DEF FLOOR Plane {{ size 60 60 }}
    castShadows FALSE
  }}
  boundingObject USE FLOOR
}}
{name} {{ translation {behind:g} 0 0 }}
"""


def demonstrations() -> list[Path]:
    """The worlds that come along, without those that show one device each."""
    return sorted((ROOT / "worlds").glob("*.wbt"))


def robots() -> list[Path]:
    """The PROTO files of robots."""
    return sorted((ROOT / "protos" / "robots").glob("*.proto"), key=lambda path: path.stem.lower())


def scenes() -> list[Path]:
    """Worlds that show PROTO files, beside their pictures."""
    return sorted((HERE / "gallery").glob("*.wbt"))


def stage(proto: Path) -> str:
    """A world with one robot on a floor, seen from its front left, half from above."""
    distance = DISTANCES.get(proto.stem, 0.25)
    place = distance * np.array([0.8, 0.65, 0.5])
    aim = np.array([0.0, 0.0, 0.12 * distance])
    x = (aim - place) / np.linalg.norm(aim - place)
    y = np.cross([0.0, 0.0, 1.0], x)
    y /= np.linalg.norm(y)
    axis, angle = mat2axangle(np.column_stack([x, y, np.cross(x, y)]))
    return STAGE.format(
        proto=proto,
        position=" ".join(f"{each:.6g}" for each in place),
        orientation=" ".join(f"{each:.6g}" for each in (*axis, angle)),
        name=proto.stem,
        behind=-MIDDLES.get(proto.stem, 0.0),
    )


def draw(world: Path, picture: Path, seconds: float = 0.0) -> None:
    """Write what a world's Viewpoint sees after so many s of sim time."""
    sim = sim_core.load_world(world, sim_core.SimulationConfig(contacts="stiff", plugins=False))
    try:
        for robot in sim.robots.values():
            for joint, angle in POSES.get(world.stem, {}).items():
                robot[joint].set_position(angle)
        sim.run(seconds)
        export_image(sim, picture, WIDTH, HEIGHT)
    finally:
        sim.close()


def draw_all(names: Sequence[str]) -> None:
    """Make the pictures of these worlds and robots anew, all of them if none is named."""
    (HERE / "gallery").mkdir(exist_ok=True)
    for world in wanted([*demonstrations(), *scenes()], names):
        print(world.stem, flush=True)
        draw(world, HERE / "gallery" / f"{world.stem}.jpg", TIMES.get(world.stem, 0.0))
    with tempfile.TemporaryDirectory() as folder:
        for proto in wanted(robots(), names):
            print(proto.stem, flush=True)
            world = Path(folder) / f"{proto.stem}.wbt"
            world.write_text(stage(proto), encoding="utf-8")
            draw(world, HERE / "gallery" / f"{proto.stem}.jpg", 1.5 if proto.stem in POSES else 0.2)


def wanted(files: Sequence[Path], names: Sequence[str]) -> list[Path]:
    """Those that are named, all if none is."""
    return [path for path in files if not names or path.stem in names]


def filled(text: str) -> str:
    """A paragraph in lines of a page."""
    return textwrap.fill(text, 98, break_long_words=False, break_on_hyphens=False)


def about(proto: Path) -> str:
    """What the first comment of a PROTO file says."""
    lines = proto.read_text(encoding="utf-8").splitlines()[1:]
    words = []
    for line in lines:
        if not line.startswith("#"):
            break
        if not re.match(r"#\s*(template language|tags|keywords|license|documentation url)\s*:", line):
            words.append(line.lstrip("# "))
    return " ".join(words)


def page() -> Iterator[str]:
    """The lines of docs/gallery.md."""
    yield "# Gallery"
    yield "\n`docs/draw_gallery.py` creates this page from the worlds and PROTO files.\n"
    yield "## Worlds"
    for world in demonstrations():
        info = world_info_of(world)
        yield f"\n### {info['title']}\n"
        yield f"![{info['title']}](gallery/{world.stem}.jpg)\n"
        yield filled(" ".join(info["info"]))
        yield f"\n    odesim run {world.stem} --viewer"
    yield "\n## PROTO files"
    for world in scenes():
        info = world_info_of(world)
        yield f"\n### {info['title']}\n"
        yield f"![{info['title']}](gallery/{world.stem}.jpg)\n"
        yield filled(f"{' '.join(info['info'])} [All of them](protos.md).")
        yield f"\n    odesim run docs/gallery/{world.name} --viewer"
    yield "\n## Robots"
    for proto in robots():
        yield f"\n### {proto.stem}\n"
        yield f"![{proto.stem}](gallery/{proto.stem}.jpg)\n"
        yield filled(about(proto))
        yield f'\n    {proto.stem} {{ translation 0 0 0 controller "my_controller" }}'


def worlds_page() -> Iterator[str]:
    """The lines of worlds/README.md."""
    yield "# Worlds"
    yield "\n`docs/draw_gallery.py` creates this page. `docs/worlds.md` has details, also of `devices/`.\n"
    yield "| world | content |"
    yield "|---|---|"
    for world in demonstrations():
        info = world_info_of(world)
        picture = f'<img src="../docs/gallery/{world.stem}.jpg" width="320">'
        yield f"| {picture} | **{info['title']}**: `odesim run {world.stem}`<br>{' '.join(info['info'])} |"


def main() -> int:
    """Draw and write what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the page alone")
    parser.add_argument("names", nargs="*", help="worlds and robots; none: all")
    arguments = parser.parse_args()
    if not arguments.page:
        draw_all(arguments.names)
    (HERE / "gallery.md").write_text("\n".join(page()) + "\n", encoding="utf-8")
    (ROOT / "worlds" / "README.md").write_text("\n".join(worlds_page()) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
