"""Broken worlds and PROTO files at random: the reader must answer each with a scene or with its own errors.

    python test/fuzz_scene.py [--seconds 600] [--seed 0]

Seeds are the worlds that come with odesim and PROTO files written here; each try cuts, copies, swaps or
invents tokens or characters. What raises something else is printed with the text that did it, and the exit
code is 1.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a program, it finds the source tree

from sim_core.base.errors import OdesimError
from sim_core.scene import parse_scene, write_scene
from sim_core.scene.assets import Assets

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 20_000
"""Characters of a seed; larger worlds are cut, so that many tries fit into a second."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s\[\]{}"]+|\s+')
TEXT = (
    'DEF USE IS PROTO EXTERNPROTO IMPORTABLE field unconnectedField hidden NULL TRUE FALSE { } [ ] " # , '
    "0 -1 1e308 1e999 0x7fffffff 99999999999 nan .5 -.5e-3 Solid Robot Shape Box children geometry size "
    "translation name rotation WorldInfo HingeJoint endPoint device physics boundingObject SFFloat MFNode "
    'SFColor{1 0 0} hidden position_0_0 "a" "\\\\" "x.proto" ROUTE A.b TO %< >% %{ }% é \x00 \ufeff A B'
)
WORDS = TEXT.split(" ")
PROTOS = {
    "A": """#VRML_SIM R2025a utf8
# tags: deprecated
EXTERNPROTO "B.proto"
PROTO A [
  field SFVec3f translation 0 0 1
  field SFColor{1 0 0, 0 1 0} color 1 0 0
  field SFNode geometry Box { size 1 1 1 }
  field MFNode{Solid{}, Pose{}} slot [ Pose { } ]
  unconnectedField MFString words [ "a" "b" ]
] {
  Robot {
    translation IS translation
    children [
      DEF X Shape { appearance PBRAppearance { baseColor IS color } geometry IS geometry }
      Pose { children [ USE X ] }
      Group { children IS slot }
      B { size 2 2 2 }
      HingeJoint { endPoint B { name "b" } jointParameters HingeJointParameters { axis 0 1 0 } }
    ]
  }
}
""",
    "B": """#VRML_SIM R2023b utf8
PROTO B [ field SFVec3f size 1 1 1 field SFString name "box" ]
{ Solid { name IS name boundingObject Box { size IS size } physics Physics { } } }
""",
}
WORLD = """#VRML_SIM R2025a utf8
EXTERNPROTO "A.proto"
EXTERNPROTO "B.proto"
WorldInfo { basicTimeStep 8 }
A {
  hidden position_0_0 0.1 hidden translation_1 1 2 3
  translation 1 1 1 slot [ B { } Pose { children Shape { } } ]
}
DEF M A { color 0 1 0 geometry Sphere { } }
Group { children [ USE M B { size 1 2 3 } ] }
"""


def mutate(text: str, chance: random.Random) -> str:
    """The text with one to six changes, of tokens or of characters."""
    for _ in range(chance.randint(1, 6)):
        parts = TOKEN.findall(text) if chance.random() < 0.8 else list(text)
        if not parts:
            return text
        at = chance.randrange(len(parts))
        to = min(len(parts), at + chance.choice((1, 1, 1, 3, 20)))
        change = chance.randrange(6)
        if change == 0:
            del parts[at:to]
        elif change == 1:
            parts[at:at] = parts[at:to] * chance.choice((1, 1, 2, 50))
        elif change == 2:
            other = chance.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
        elif change == 3:
            parts[at] = chance.choice(WORDS)
        elif change == 4:
            parts.insert(at, f" {chance.choice(WORDS)} ")
        else:
            del parts[at:]
        text = "".join(parts)
    return text


def tries(seed: int) -> Callable[[], tuple[dict[str, str], str]]:
    """Makes the texts of one try after the other: PROTO files by name, and the world."""
    chance = random.Random(seed)
    worlds = [path.read_text(encoding="utf-8")[:LARGEST] for path in sorted(ROOT.glob("worlds/**/*.wbt"))]

    def one() -> tuple[dict[str, str], str]:
        protos, world = dict(PROTOS), WORLD
        kind = chance.randrange(4)
        if kind == 0:
            world = mutate(chance.choice(worlds), chance)
        elif kind == 1:
            world = mutate(world, chance)
        else:
            name = chance.choice(sorted(protos))
            protos[name] = mutate(protos[name], chance)
        return protos, world

    return one


def run(seconds: float, seed: int = 0) -> tuple[int, list[str]]:
    """Try for so many seconds; returns how many tries there were, and what went wrong."""
    make, wrong, count = tries(seed), [], 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while time.monotonic() < end:
            protos, world = make()
            for proto, text in protos.items():
                (folder / f"{proto}.proto").write_text(text, encoding="utf-8", errors="surrogatepass")
            count += 1
            try:
                scene = parse_scene(world, str(folder / "w.wbt"), Assets(cache=folder))
                parse_scene(write_scene(scene), str(folder / "w.wbt"), Assets(cache=folder))
            except OdesimError:
                continue
            except Exception:
                wrong.append(f"{traceback.format_exc()}\n{protos}\n{world}")
    return count, wrong


def main() -> int:
    """Try, and say how many tries there were."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    count, wrong = run(arguments.seconds, arguments.seed)
    print(*wrong[:10], sep="\n\n", file=sys.stderr)
    print(f"{count} tries, {len(wrong)} went wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
