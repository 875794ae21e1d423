"""The overlays' topics: published only with subscribers, at a limited rate, in changing worlds."""

import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import yaml
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.interface.interface import build_topics
from ros_bridge.overlays import OVERLAYS, PREFIX
from ros_bridge.overlays.publishing import STILL_PERIOD, Overlays
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.names import MARKERS
from sim_core.session.load_world import load_world

ROOT = Path(__file__).resolve().parents[3]


def ends_of(message: MarkerArray, namespace: str) -> np.ndarray:
    (marker,) = (marker for marker in message.markers if marker.ns == namespace)
    return np.array([(point.x, point.y, point.z) for point in marker.points])


def test_nobody_listens_nothing_is_done(world_file) -> None:
    """Contacts are recorded only while wanted; a world at rest is published twice a second."""
    sim = load_world(world_file())
    overlays = Overlays(sim, str)
    fills = {item.name: item.fill for item in overlays.publications()}
    wanted: set[str] = set()
    published: list[str] = []

    def publish(name: str, time_ns: int) -> None:
        published.append(name)
        fills[name](MarkerArray(), time_ns)

    publishers = SimpleNamespace(is_wanted=wanted.__contains__, publish_topic=publish)

    def look() -> None:
        overlays.publish(publishers, sim.time_ns)

    for _ in range(3):
        sim.step()
        look()
    assert not sim.physics.record_contacts
    assert not published
    name = f"{PREFIX}contact_points"
    wanted.add(name)
    look()
    assert sim.physics.record_contacts
    sim.step()
    assert sim.physics.contacts
    start = time.monotonic()
    for _ in range(5):
        look()
    assert len(published) <= 2 + (time.monotonic() - start) / STILL_PERIOD + 1
    assert set(published) == wanted
    wanted.clear()
    look()
    assert not sim.physics.record_contacts


def test_every_overlay_has_a_topic(world_file) -> None:
    names = {item.name for item in build_topics(load_world(world_file()), BridgeParams()).publications}
    assert {f"{PREFIX}{name}" for name in OVERLAYS} <= names


def test_rays_and_contacts_come_over_ros_and_a_new_wall_is_met(world_file, simulate, client) -> None:
    """The sonar at x = 0.2 faces the wall at x = 2.9, later a nearer one at x = 1.9."""
    simulation = simulate(world_file(), controllers=False)
    rays = client.listen(MarkerArray, f"{PREFIX}sensor_rays")
    contacts = client.listen(MarkerArray, f"{PREFIX}contact_points")

    def met() -> float:
        return float(ends_of(rays[-1], "DistanceSensor")[1, 0]) if rays else 0.0

    client.until(lambda: abs(met() - 2.9) < 0.01, "the end of the ray at the wall")
    assert rays[-1].markers[0].action == Marker.DELETEALL
    assert rays[-1].markers[1].header.frame_id == "world"
    client.until(lambda: contacts and len(contacts[-1].markers) == 3, "contacts and their normals")
    assert np.abs(ends_of(contacts[-1], "points")[:, 2]).max() < 0.01  # on the floor
    client.call("pause")
    words = client.speak(String, "/odesim/import_node")
    words.publish(
        String(
            data='Solid { name "near" translation 2 0 0.5 '
            "children DEF N Shape { geometry Box { size 0.2 4 1 } } boundingObject USE N }"
        )
    )
    client.until(lambda: abs(met() - 1.9) < 0.01, "the end of the ray at the new wall, in a paused world")
    client.call("quit")
    assert simulation.wait() == 0


def test_rviz_offers_every_overlay_and_asks_for_none() -> None:
    """A display that is not enabled does not subscribe."""
    settings = yaml.safe_load((ROOT / "config" / "odesim.rviz").read_text())
    shown = {
        display["Topic"]["Value"]: display["Enabled"]
        for display in settings["Visualization Manager"]["Displays"]
        if display["Class"] == "rviz_default_plugins/MarkerArray"
    }
    assert shown == {MARKERS: True} | {f"{PREFIX}{name}": False for name in OVERLAYS}
