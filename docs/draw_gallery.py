"""Draws every demonstration and every robot that comes along, and writes docs/gallery.md, which shows them.

    python3 docs/draw_gallery.py              # the pictures, into docs/gallery/, and the page
    python3 docs/draw_gallery.py --page       # the page alone

Titles and descriptions are those of the worlds and PROTO files themselves.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from transforms3d.axangles import mat2axangle

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

import sim_core
from sim_core.recording.images import export_image
from sim_core.scene import load_scene

WIDTH, HEIGHT = 640, 360
TIMES = {"docking": 2.0, "soccer": 1.0, "talkers": 1.0}
"""s of sim time until the picture; other worlds: at once, as their files say."""
DISTANCES = {"Ute": 10.0, "Pioneer3dx": 1.3, "SwarmRobot": 0.5, "Cart": 0.6, "TurtleBot3Burger": 0.55}
"""m from which a robot is seen; others: 0.25."""
STAGE = """#VRML_SIM R2025a utf8
EXTERNPROTO "{proto}"
WorldInfo {{ basicTimeStep 8 }}
Viewpoint {{ position {position} orientation {orientation} fieldOfView 0.8 }}
Background {{ skyColor 0.85 0.9 0.95 }}
DirectionalLight {{ direction 0.5 0.3 -1 intensity 0.9 ambientIntensity 0.6 castShadows TRUE }}
Solid {{
  children Shape {{
    appearance PBRAppearance {{ baseColor 0.8 0.8 0.78 roughness 1 metalness 0 }}
    geometry DEF FLOOR Plane {{ size 60 60 }}
  }}
  boundingObject USE FLOOR
}}
{name} {{ }}
"""


def demonstrations() -> list[Path]:
    """The worlds that come along, without those that show one device each."""
    return sorted((ROOT / "worlds").glob("*.wbt"))


def robots() -> list[Path]:
    """The PROTO files of robots."""
    return sorted((ROOT / "protos" / "robots").glob("*.proto"), key=lambda path: path.stem.lower())


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
    )


def draw(world: Path, picture: Path, seconds: float = 0.0) -> None:
    """Write what a world's Viewpoint sees after so many s of sim time."""
    sim = sim_core.load_world(world, sim_core.SimulationConfig(contacts="stiff", plugins=False))
    try:
        sim.run(seconds)
        export_image(sim, picture, WIDTH, HEIGHT)
    finally:
        sim.close()


def draw_all() -> None:
    """Make all pictures anew."""
    (HERE / "gallery").mkdir(exist_ok=True)
    for world in demonstrations():
        print(world.stem, flush=True)
        draw(world, HERE / "gallery" / f"{world.stem}.jpg", TIMES.get(world.stem, 0.0))
    with tempfile.TemporaryDirectory() as folder:
        for proto in robots():
            print(proto.stem, flush=True)
            world = Path(folder) / f"{proto.stem}.wbt"
            world.write_text(stage(proto), encoding="utf-8")
            draw(world, HERE / "gallery" / f"{proto.stem}.jpg", 0.2)


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
    yield "\nMade by `docs/draw_gallery.py` from the worlds and PROTO files themselves.\n"
    yield "## Demonstrations"
    for world in demonstrations():
        info = load_scene(world).world_info
        yield f"\n### {info['title']}\n"
        yield f"![{info['title']}](gallery/{world.stem}.jpg)\n"
        yield " ".join(info["info"])
        yield f"\n    odesim run {world.stem} --viewer"
    yield "\n## Robots"
    for proto in robots():
        yield f"\n### {proto.stem}\n"
        yield f"![{proto.stem}](gallery/{proto.stem}.jpg)\n"
        yield about(proto)
        yield f'\n    {proto.stem} {{ translation 0 0 0 controller "my_controller" }}'


def main() -> int:
    """Draw and write what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the page alone")
    if not parser.parse_args().page:
        draw_all()
    (HERE / "gallery.md").write_text("\n".join(page()) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
