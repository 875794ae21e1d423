"""A supervisor's edits are visible in markers, overlays and animations."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.interface.interface import build_topics
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.overlays import PREFIX
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.names import MARKERS
from ros_bridge.topics.publishing import Port
from ros_bridge.topics.records import Publication
from sim_core.scene import parse_scene
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
DEF A Solid { name "a" translation 1 0 0.5
  children DEF LOOK Shape {
    appearance PBRAppearance { baseColorMap DEF PICTURE ImageTexture { url "meshes/grass.png" } }
    geometry DEF BOX Box { size 1 1 1 } }
  boundingObject USE LOOK }
Solid { name "b" translation 4 0 0.5 children USE LOOK boundingObject USE LOOK }
"""
FILE = Path(__file__).resolve().parents[3] / "worlds" / "shown.wbt"
BALL = """DEF BALL Solid { translation 0 9 0 boundingObject DEF ROUND Sphere { radius 2 }
  children Shape { geometry USE ROUND } }"""


class Room:
    """A world and its messages.

    Attributes:
        boxes: x of the boxes that are shown, m; balls: how many balls are.
    """

    def __init__(self) -> None:
        self.sim = sim = Simulation(parse_scene(WORLD, str(FILE)))
        self.told: dict[str, MarkerArray] = {}
        room = self

        class Kept(Port):
            """Keeps the last message of a topic, as for a new subscriber."""

            wanted = True  # type: ignore[assignment]

            def _open(self, publication: Publication, changed: Callable[[Port, int], None]) -> None:
                pass

            def destroy(self) -> None:
                pass

            def publish(self, time_ns: int, source: Any) -> None:
                room.told[self.publication.name] = self._filled(time_ns, source)

        session, make_topics = Session(sim), partial(build_topics, sim, BridgeParams())
        self.session_topics = SessionTopics(session, make_topics(), make_topics, Kept)
        session.set_followers(self.session_topics)
        self.session_topics.publish_markers()

    def shown(self, kind: int) -> list[Any]:
        """Return the markers of a type."""
        return [marker for marker in self.told[MARKERS].markers if marker.type == kind and not marker.action]

    def outlines(self) -> np.ndarray:
        """Return (n, 3) m, ends of all lines of the bounding objects."""
        topics = {item.name: item for item in self.session_topics.topics.overlays.publications()}
        message = MarkerArray()
        topics[f"{PREFIX}bounding_objects"].fill(message, self.sim.time_ns)
        return np.array([(end.x, end.y, end.z) for marker in message.markers for end in marker.points])


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.sim.close()


def test_edits_reach_markers_and_overlays(room: Room) -> None:
    supervisor = room.sim.supervisor
    assert [box.scale.x for box in room.shown(Marker.CUBE)] == [1.0, 1.0]
    assert room.outlines()[:, 0].max() == pytest.approx(4.5)
    supervisor.set("BOX", "size", (2.0, 1.0, 1.0))
    assert [box.scale.x for box in room.shown(Marker.CUBE)] == [2.0, 2.0], "USE'd once more"
    assert room.outlines()[:, 0].max() == pytest.approx(5.0)
    before = [box.color for box in room.shown(Marker.CUBE)]
    supervisor.set("PICTURE", "url", ["../docs/viewer_pen.png"])
    now = [box.color for box in room.shown(Marker.CUBE)]
    assert now[0] == now[1] and now[0] != before[0]
    supervisor.import_text(BALL)
    assert len(room.shown(Marker.SPHERE)) == 1
    assert room.outlines()[:, 1].max() == pytest.approx(11.0, abs=0.1)
    supervisor.remove("BALL")
    assert not room.shown(Marker.SPHERE)
    assert room.outlines()[:, 1].max() == pytest.approx(0.5)


def test_edits_reach_an_animation(room: Room, tmp_path: Path) -> None:
    """It contains bounding spheres: the box a × b × c is in one of radius √(a² + b² + c²) / 2."""
    pytest.importorskip("viser", reason="needs the Python package viser")
    sim = room.sim
    sim.recordings.start_recording("animation", tmp_path / "a.html", fps=60.0)
    shapes = sim.recordings.running["animation"]._shapes

    def furthest(axis: int) -> float:
        sim.step()
        return float(shapes.shown.bounds()[1][axis])

    assert furthest(0) == pytest.approx(4.0 + np.sqrt(3.0) / 2.0)
    sim.supervisor.set("BOX", "size", (2.0, 1.0, 1.0))
    assert furthest(0) == pytest.approx(4.0 + np.sqrt(6.0) / 2.0)
    looks = repr([batch.look for batch in shapes.shown._list.batches])
    sim.supervisor.set("PICTURE", "url", ["../docs/viewer_pen.png"])
    sim.step()
    assert repr([batch.look for batch in shapes.shown._list.batches]) != looks
    sim.supervisor.import_text(BALL)
    assert furthest(1) == pytest.approx(9.0 + 2.0 * np.sqrt(3.0)), "a ball is in a box, too"
    sim.supervisor.remove("BALL")
    assert furthest(1) < 2.0
