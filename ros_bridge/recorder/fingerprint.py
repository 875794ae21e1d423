"""Hashes of readings: two runs with equal hashes are identical to the last bit.

The hash covers the messages of each topic with their times. Topics are ordered by name, so that the order in
which they publish at one time does not matter. Padding between fields, which serializers leave as it was,
counts as zeros. Topics that depend on wall time or on subscribers (/clock, /odesim/status, markers, overlays)
are left out, and so is /tf: all its poses are in odom, ground truth and joint states, too.
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
    """Hash of messages by topic.

    Attributes:
        messages: number of hashed messages.
    """

    def __init__(self) -> None:
        self._topics: dict[str, Any] = {}
        self._decoder = Decoder()
        self.messages = 0

    def add_message(self, topic: str, kind: str, time_ns: int, data: bytes) -> None:
        """Add a message: its topic, type, time in ns, and its bytes in CDR."""
        message = self._decoder.decode(data, kind)
        digest = self._topics.setdefault(topic, hashlib.sha256(kind.encode()))
        digest.update(time_ns.to_bytes(8, "little", signed=True))
        digest.update(self._decoder.store.serialize_cdr(message, kind))
        self.messages += 1

    def make_port(self, node: Any, publication: Publication, changed: Changed) -> Port:
        """Return a port, as `publishing.Port`, whose messages are hashed."""
        return _HashedPort(self, node, publication, changed)

    def hexdigest(self) -> str:
        """Return the hash of all topics in hexadecimal."""
        table = {name: self._topics[name].hexdigest() for name in sorted(self._topics)}
        return hashlib.sha256(json.dumps(table).encode()).hexdigest()


def is_hashed(topic: str) -> bool:
    """Return whether the messages of a topic are hashed."""
    return is_reading(topic) and not topic.endswith((TF, TF_STATIC))


class _HashedPort(SerializingPort):
    """Port whose messages are hashed instead of published."""

    def __init__(
        self, fingerprint: Fingerprint, node: Any, publication: Publication, changed: Changed
    ) -> None:
        self._fingerprint = fingerprint
        super().__init__(node, publication, changed)

    def _open(self, publication: Publication, changed: Changed) -> None:
        """Do nothing: there is no publisher."""

    def destroy(self) -> None:
        """Do nothing: there is no publisher."""

    @property
    def wanted(self) -> bool:
        """Whether the topic is hashed."""
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
    """Return the hash of all readings of a run in this process, without controllers and without DDS.

    Args:
        world: the world file.
        duration: sim time in s.
        seed: seed of all noise; None: that of the world.
        drive: called with the simulation before the first step, to command it or to add tasks (`sim.every`).

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
    """Return the hash of all messages that a simulation recorded with `--record`, without commands."""
    fingerprint = Fingerprint()
    commands = {facts.CHANGES, *map(str, bag.table(facts.COMMANDS, list, "[]"))}
    for item in bag.in_file_order():
        if item.topic not in commands and is_hashed(item.topic):
            fingerprint.add_message(item.topic, item.type_name, item.log_time_ns, item.data)
    return fingerprint.hexdigest()
