"""Changes at random: of tokens in texts, of bytes in files, of what is in archives; and PROTO files."""

from __future__ import annotations

import copy
import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}<>=:]|[^\s\[\]{}<>=:"]+|\s+')
NUMBER = re.compile(r"(?<![\w.#-])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])")
"""One group: what is split by it has the numbers at the odd places."""
OTHER_NUMBERS = (
    *("0", "-1", "1", "1e308", "-1e308", "1e-300", "-1e-160", "5e-324", "1e10", "-1e9", "1e16", "0.5"),
    *("2147483647", "-2147483648", "4294967296", "99999999999999999999", "100000", "3.1415927"),
)
TEXT = (
    'DEF USE IS PROTO EXTERNPROTO IMPORTABLE field unconnectedField hidden NULL TRUE FALSE { } [ ] " # , '
    "0 -1 1e308 -1e308 1e-300 5e-324 1e999 0x7fffffff 99999999999 nan inf .5 -.5e-3 Solid Robot Shape Box "
    "children geometry size translation name rotation WorldInfo HingeJoint endPoint device physics "
    "boundingObject SFFloat MFNode SFColor{1 0 0} hidden position_0_0 <a> </a> & - : ? ~ !!binary *a &a "
    '2001-01-01 2001-99-99 "a" "\\\\" "x.proto" ROUTE A.b TO %< >% %{ }% é \x00 \ufeff A B'
)
WORDS = TEXT.split(" ")
NUMBERS = (
    *(struct.pack("<I", each) for each in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)),
    *(struct.pack("<Q", each) for each in (1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)),
    *(struct.pack("<d", each) for each in (float("nan"), float("inf"), 1e308, 5e-324)),
)
"""What lengths and values may be in the place of those that are there."""
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


ODD: tuple[Any, ...] = (
    *(0, -1, 1, 0.5, 1e308, -1e308, 1e-320, float("inf"), float("nan"), 1 << 31, 1 << 63, -(1 << 63), 10**30),
    *("", "x", "\x00", "\ud800", None, True, False, [], {}, [[]], {"list": []}, {"dict": []}, {"set": []}),
    *({"bytes": "AAAA"}, {"array": [0, True]}, {"scalar": 0}, {"0": []}, {"deque": [[1]]}),
)
"""Values that stand where others are expected, in JSON."""
KINDS = ("f4", "f8", "i4", "i8", "u1", "?", "c16", "U3", ">f8")
"""Of the numbers in an array."""
ANCHORS = ("&a ", "*a", "<<: *a", "&a [*a, *a]", "[[[[[[[[", "{a: ", "? ", "!!python/name:os ", "- " * 30)


def changed_text(data: bytes, chance: random.Random) -> bytes:
    """Text with some changes; now and then what is no UTF-8 is replaced."""
    text = mutated_text(data.decode(errors="surrogateescape"), chance)
    return text.encode(errors="surrogateescape" if chance.random() < 0.9 else "replace")


def changed_yaml(data: bytes, chance: random.Random) -> bytes:
    """YAML with some changes, and with anchors, aliases, doubling and nesting."""
    text = changed_text(data, chance).decode(errors="replace")
    if chance.random() < 0.2:
        count = chance.choice((3, 40))
        doubled = [f"x{n}: &x{n} [*x{n - 1}, *x{n - 1}]" for n in range(1, count)]
        return "\n".join(["x0: &x0 [1]", *doubled, text]).encode(errors="replace")
    for _ in range(chance.choice((0, 1, 3))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(ANCHORS) * chance.choice((1, 1, 20, 3000)) + text[at:]
    return text.encode(errors="replace")


def changed_json(data: bytes, chance: random.Random) -> bytes:
    """JSON that is well written, with one to four values that should be others."""
    top = [json.loads(data)]
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        owner, key = chance.choice(list(_places(top)))
        value = owner[key]
        change = chance.random()
        if change < 0.25:
            other, there = chance.choice(list(_places(top)))
            owner[key] = copy.deepcopy(other[there])
        elif change < 0.5 and isinstance(value, list) and value:
            owner[key] = (
                value[:-1] if chance.random() < 0.5 else [*value, copy.deepcopy(chance.choice(value))]
            )
        elif change < 0.7 and isinstance(value, (int, float)) and not isinstance(value, bool):
            owner[key] = value * chance.choice((-1, 2, 10**6, 10**30)) + chance.choice((0, 1, -1))
        else:
            owner[key] = copy.deepcopy(chance.choice(ODD))
    return json.dumps(top[0]).encode()


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Each value in a tree, as what holds it and where in it."""
    for key, value in list(tree.items() if isinstance(tree, dict) else enumerate(tree)):
        yield tree, key
        if isinstance(value, (dict, list)):
            yield from _places(value)


def changed_archive(data: bytes, chance: random.Random) -> bytes:
    """A zip archive in which a JSON file or an array is another one."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    named = [name for name in members if name.endswith((".json", ".npy"))]
    name = "state.json" if chance.random() < 0.6 else chance.choice(named)
    change = changed_json if name.endswith(".json") else _changed_array
    members[name] = change(members[name], chance)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def _changed_array(data: bytes, chance: random.Random) -> bytes:
    array = np.load(io.BytesIO(data))
    flat = array.reshape(-1)
    change = chance.randrange(5)
    if change == 0:
        array = flat[: chance.randrange(flat.size + 1)]
    elif change == 1:
        array = np.tile(flat, chance.choice((2, 50)))
    elif change == 2:
        with np.errstate(all="ignore"):
            array = array.astype(chance.choice(KINDS))
    elif change == 3 and flat.size:
        array = array.copy()
        with np.errstate(all="ignore"):
            odd = np.array(chance.choice((0, 1, -1, 1e308, np.nan, np.inf, 2**31 - 1, 1e-310))).astype(
                array.dtype
            )
            array.reshape(-1)[chance.randrange(flat.size)] = odd
    else:
        array = np.zeros((), array.dtype)
    made = io.BytesIO()
    np.save(made, array, allow_pickle=False)
    return made.getvalue()


def changed_sizes(data: bytes, chance: random.Random) -> bytes:
    """Bytes in which numbers that may be lengths, of 64 bits, are others."""
    found = [at for at in range(len(data) - 8) if 0 < int.from_bytes(data[at : at + 8], "little") < 1 << 24]
    changed = bytearray(data)
    for _ in range(chance.randint(1, 3) if found else 0):
        at = chance.choice(found)
        there = int.from_bytes(data[at : at + 8], "little")
        number = chance.choice((0, 1, there - 1, there + 1, there * 1000, 1 << 30, 1 << 40, (1 << 64) - 1))
        changed[at : at + 8] = struct.pack("<Q", number)
    return bytes(changed) if found else mutated_bytes(data, chance)


def mutated_text(text: str, chance: random.Random) -> str:
    """The text with some changes, of tokens or of characters; or with other numbers only."""
    if chance.random() < 0.4:
        return with_other_numbers(text, chance)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
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
        elif change in (3, 4):
            parts[at] = chance.choice(WORDS) if change == 3 else f"{parts[at]} {chance.choice(WORDS)} "
        elif chance.random() < 0.3:  # or most tries would be of the same few first words
            del parts[at:]
        text = "".join(parts)
    return text


def with_other_numbers(text: str, chance: random.Random) -> str:
    """The text with one to three of its numbers replaced: what is well written, and cannot be."""
    parts = NUMBER.split(text)
    for _ in range(chance.choice((1, 1, 2, 3)) if len(parts) > 1 else 0):
        parts[chance.randrange(1, len(parts), 2)] = chance.choice(OTHER_NUMBERS)
    return "".join(parts)


def mutated_bytes(data: bytes, chance: random.Random) -> bytes:
    """The bytes with one to four changes: flipped, cut, doubled, another number, the end torn off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if not changed:
            break
        at = chance.randrange(len(changed))
        to = at + chance.choice((1, 4, 8, 64))
        change = chance.randrange(6)
        if change == 0:
            changed[at] ^= 1 << chance.randrange(8)
        elif change == 1:
            del changed[at:to]
        elif change == 2:
            changed[at:at] = changed[at:to]
        elif change in (3, 4):
            number = chance.choice(NUMBERS)
            changed[at : at + len(number)] = number
        elif chance.random() < 0.3:
            del changed[at:]
    return bytes(changed)
