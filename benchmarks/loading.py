"""How long a world takes to load as its PROTO instances grow in number.

Twenty PROTO types of about twenty nodes each: fifteen plain ones, of which five are derived from others, and
five procedural ones in JavaScript. The instances differ in their fields, so that nothing is worked out once
for all. Times are the best of some, in one process: what YAML needs at the first load is not in them.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure
from sim_core.scene import load_scene

HEADER = "#VRML_SIM R2025a utf8\n"
PLAIN = """PROTO Plain{n} [
  field SFVec3f translation 0 0 0
  field SFRotation rotation 0 0 1 0
  field SFString name "plain"
  field SFColor color 1 0 0
  field MFNode slot [ ]
] {{
  Solid {{
    translation IS translation
    rotation IS rotation
    name IS name
    children [
      DEF LEG Shape {{
        appearance PBRAppearance {{ baseColor IS color }} geometry Box {{ size 0.1 0.1 {n} }}
      }}
      Pose {{ translation 1 0 0 children USE LEG }}
      Pose {{ translation 0 1 0 children USE LEG }}
      Pose {{ translation 1 1 0 children USE LEG }}
      Pose {{ children IS slot }}
    ]
    boundingObject Group {{ children [ Box {{ }} Pose {{ children Sphere {{ radius 0.2 }} }} ] }}
    physics Physics {{ density 500 }}
  }}
}}
"""
DERIVED = """EXTERNPROTO "Plain{n}.proto"
PROTO Derived{n} [
  field SFVec3f translation 0 0 0
  field SFString name "derived"
  field SFColor color 0 1 0
] {{
  Plain{n} {{ translation IS translation name IS name color IS color slot Shape {{ geometry Cone {{ }} }} }}
}}
"""
PROCEDURAL = """PROTO Procedural{n} [
  field SFVec3f translation 0 0 0
  field SFString name "procedural"
  field SFColor color 0 0 1
  field SFInt32 steps 6
] {{
  %< const size = 0.1 * fields.steps.value + {n}; >%
  Solid {{
    translation IS translation
    name IS name
    children [
      %< for (let i = 0; i < fields.steps.value; ++i) {{ >%
        Pose {{
          translation %<= i * size >% 0 %<= i * 0.1 + fields.translation.value.x >%
          children Shape {{ appearance PBRAppearance {{ baseColor IS color }} geometry Box {{ }} }}
        }}
      %< }} >%
    ]
  }}
}}
"""
KINDS = (("Plain", PLAIN, 10, ""), ("Derived", DERIVED, 5, ""))
LANGUAGE = "# template language: javascript\n"


def write_project(folder: Path, instances: int) -> Path:
    """A world with so many instances of the twenty types, in turn."""
    names = []
    for sub in ("protos", "worlds"):
        (folder / sub).mkdir(exist_ok=True)
    for kind, text, count, head in (*KINDS, ("Procedural", PROCEDURAL, 5, LANGUAGE)):
        for n in range(1, count + 1):
            names.append(f"{kind}{n}")
            file = folder / "protos" / f"{kind}{n}.proto"
            file.write_text(HEADER + head + text.format(n=n), encoding="utf-8")
    lines = [f'EXTERNPROTO "../protos/{name}.proto"' for name in names]
    for index in range(instances):
        name = names[index % len(names)]
        colour = f"{index % 7 / 7:.3f} {index % 5 / 5:.3f} 0"
        lines.append(f'{name} {{ translation {index} 0 1 name "{index}" color {colour} }}')
    world = folder / "worlds" / f"{instances}.wbt"
    world.write_text(HEADER + "WorldInfo { }\n" + "\n".join(lines), encoding="utf-8")
    return world


def figures(seconds: float) -> Iterator[Figure]:
    """A world of so many instances, and what one more costs."""
    with tempfile.TemporaryDirectory() as folder:
        times = {}
        for instances in (0, 100, 400, 800):
            world = write_project(Path(folder), instances)
            tries = max(3, int(seconds / max(0.1, _load(world))))
            times[instances] = min(_load(world) for _ in range(min(tries, 20)))
            yield Figure(f"loading {instances} instances of 20 PROTO types", 1e3 * times[instances], "ms")
        yield Figure("one instance more", 1e3 * (times[800] - times[0]) / 800, "ms")


def _load(world: Path) -> float:
    start = time.perf_counter()
    load_scene(world)
    return time.perf_counter() - start
