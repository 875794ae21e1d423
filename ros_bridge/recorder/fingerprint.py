"""Hashes of readings: two runs are the same to the last bit if their hashes are.

Hashed is what is published on each topic, message by message, with its time; topics count by name, so that
the order in which they publish at one time does not matter. Bytes between fields, which serializers leave as
they were, are taken as zeros. What goes by wall time or by who listens (/clock, /odesim/status, markers,
overlays) is left out, and so is /tf: it tells no pose that odom, ground truth and joint states do not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.player import ReplayedWorld, is_reading
from ros_bridge.recorder.recording import SerializingPort
from ros_bridge.topics.cdr import Decoder
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.names import TF, TF_STATIC
from ros_bridge.topics.publishing import Changed, Port
from ros_bridge.topics.records import Publication
from sim_core.base.clock import to_nanoseconds


class Fingerprint:
    """A hash of messages by topic.

    Attributes:
        messages: how many went in.
    """

    def __init__(self) -> None:
        self._topics: dict[str, Any] = {}
        self._decoder = Decoder()
        self.messages = 0

    def add_message(self, topic: str, kind: str, time_ns: int, data: bytes) -> None:
        """One message: its topic, type, time in ns, and its bytes in CDR."""
        message = self._decoder.read(data, kind)
        digest = self._topics.setdefault(topic, hashlib.sha256(kind.encode()))
        digest.update(time_ns.to_bytes(8, "little", signed=True))
        digest.update(self._decoder.store.serialize_cdr(message, kind))
        self.messages += 1

    def make_port(self, node: Any, publication: Publication, changed: Changed) -> Port:
        """The port of a topic whose messages go in, as `publishing.Port`."""
        return _HashedPort(self, node, publication, changed)

    def hexdigest(self) -> str:
        """The hash of all topics, in hexadecimal."""
        table = {name: self._topics[name].hexdigest() for name in sorted(self._topics)}
        return hashlib.sha256(json.dumps(table).encode()).hexdigest()


def is_hashed(topic: str) -> bool:
    """Whether the messages of a topic go in."""
    return is_reading(topic) and topic not in (TF, TF_STATIC)


class _HashedPort(SerializingPort):
    """Puts its messages into a fingerprint."""

    def __init__(
        self, fingerprint: Fingerprint, node: Any, publication: Publication, changed: Changed
    ) -> None:
        self._fingerprint = fingerprint
        super().__init__(node, publication, changed)

    def _open(self, publication: Publication, changed: Changed) -> None:
        """Nobody is told that it is there."""

    def destroy(self) -> None:
        """Nobody needs to know."""

    @property
    def wanted(self) -> bool:
        """Whether it tells of the world."""
        return is_hashed(self.publication.name)

    def publish(self, time_ns: int, source: Any) -> None:
        """Hash the message."""
        if self.wanted:
            data, log_time_ns, is_new = self._serialized(time_ns, 0, source)
            if is_new:
                kind = type_name(self.publication.message_type)
                self._fingerprint.add_message(self.publication.name, kind, log_time_ns, data)


def hash_of_run(
    world: str | Path, duration: float, seed: int | None = None, drive: Callable[[Any], None] | None = None
) -> str:
    """The hash of all readings of a run in this process, without controllers and without DDS.

    Args:
        world: its file.
        duration: s of sim time.
        seed: of all noise; None: the world's.
        drive: gets the simulation before it moves, to command it or to add tasks (`sim.every`).

    Raises:
        OdesimError: the world cannot be simulated.
    """
    from ros_bridge.parameters.options import RunOptions
    from ros_bridge.parameters.parameter_file import read_parameter_file, world_values
    from ros_bridge.parameters.parameters import build_parameters, option_values, world_parameter_file
    from sim_core.model.device_spec import device_names
    from sim_core.scene import load_scene

    scene = load_scene(world)
    own = world_parameter_file(world)
    values = world_values(scene) + (read_parameter_file(own) if own is not None else [])
    values += option_values(RunOptions(str(world), seed=seed))
    fingerprint = Fingerprint()
    player = ReplayedWorld(scene, build_parameters(values, device_names(scene)), fingerprint.make_port)
    try:
        if drive is not None:
            drive(player.sim)
        player.session.begin()
        player.session.advance(to_nanoseconds(duration))
    finally:
        player.close()
    return fingerprint.hexdigest()


def hash_of_bag(bag: Bag) -> str:
    """The hash of what a simulation published while `--record` recorded it; commands do not count."""
    fingerprint = Fingerprint()
    commands = {facts.CHANGES, *map(str, bag.table(facts.COMMANDS, list, "[]"))}
    for item in bag.in_file_order():
        if item.topic not in commands and is_hashed(item.topic):
            fingerprint.add_message(item.topic, item.type_name, item.log_time_ns, item.data)
    return fingerprint.hexdigest()
