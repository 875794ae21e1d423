"""The PROTO files of a project that can be added, and what they say of themselves."""

from pathlib import Path

from sim_core.scene.assets import Assets
from sim_core.scene.proto.catalogue import available_protos

CHAIR = """#VRML_SIM R2023b utf8
# license: Apache License 2.0
# license url: https://example.org/license
# documentation url: https://example.org/chair
# keywords: furniture/chair, household/toy
# template language: javascript
# A chair with two colours.
# It has no arms.
EXTERNPROTO "Leg.proto"
PROTO Chair [ field SFVec3f translation 0 0 0 ] { %< const high = 1; >% Leg { translation IS translation } }
"""
LEG = "#VRML_SIM R2023b utf8\n# tags: hidden, nonDeterministic\nPROTO Leg [ ] { Solid { } }\n"
OLD = "#VRML_SIM R2023b utf8\n# tags: deprecated\nPROTO Old [ ] { Solid { } }\n"
STAIN = "#VRML_SIM R2023b utf8\nPROTO Stain [ ] { PBRAppearance { } }\n"


def test_what_a_project_offers_and_what_is_said_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "protos"
    files = {"chairs/Chair": CHAIR, "chairs/Leg": LEG, "Old": OLD, "looks/Stain": STAIN, "Broken": "PROTO"}
    files["Round"] = "#VRML_SIM R2023b utf8\nPROTO Round [ ] { Round { } }\n"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.proto").write_text(text, encoding="utf-8")
    (folder / "icons").mkdir()
    (folder / "icons" / "Chair.png").write_bytes(b"")
    found = {each.name: each for each in available_protos(Assets.for_world(tmp_path / "worlds" / "w.wbt"))}
    assert [name for name, each in found.items() if each.is_own] == ["Chair", "Stain"]
    chair = found["Chair"]
    assert chair.head.comments == ("A chair with two colours.", "It has no arms.")
    assert chair.head.words("keywords") == ("furniture/chair", "household/toy")
    assert chair.head.keys["documentation url"] == "https://example.org/chair"
    assert (chair.base.name, chair.folder, chair.icon) == ("Solid", "chairs", folder / "icons" / "Chair.png")
    assert (found["Stain"].base.name, found["Stain"].icon) == ("PBRAppearance", None)
    assert {"E-puck", "WoodenBox"} <= found.keys()  # those that come with odesim
    assert found["E-puck"].base.name == "Robot"
