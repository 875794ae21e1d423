"""Changes at random: of tokens in texts, of bytes in files; and PROTO files to begin with."""

from __future__ import annotations

import random
import re
import struct

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
