"""Repeats a recorded run with its commands, and compares every reading.

Each command is applied before the same step as in the recording, in the order of the file, whether its
controller was in lock-step or not. So the run is identical to the last bit unless the program, its libraries
or the processor have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

from ros_bridge.control.recording_services import start_animation, start_movie
from ros_bridge.parameters.options import RecordingOptions
from ros_bridge.parameters.parameter_file import values_from_overrides
from ros_bridge.parameters.parameters import Parameters, build_parameters
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.changes import READABLE, from_text, number_of
from ros_bridge.recorder.player import ReplayedWorld, is_reading
from ros_bridge.recorder.recording import SerializingPort
from ros_bridge.recorder.run_facts import hash_of
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.message_fields import first_difference
from ros_bridge.topics.publishing import Changed, Port
from ros_bridge.topics.records import Publication
from sim_core.base.clock import to_nanoseconds, to_seconds
from sim_core.base.errors import RecordingError
from sim_core.base.trust import DecideTrust, require_trust, trust_issues_of_urdf
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene, load_scene
from sim_core.scene.by_name import set_fields
from sim_core.scene.robot_files import add_robot_files
from sim_core.scene.urdf.spawn import parse_argument
from sim_core.session.run_commands import RESET_PART
from sim_core.session.simulation import Simulation


class Difference(NamedTuple):
    """Difference between a replay and its recording."""

    topic: str
    time_ns: int
    """Log time, which continues after resets."""
    field: str
    """Name of the field; empty: the whole message."""
    recorded: Any
    now: Any

    def __str__(self) -> str:
        place = f"{self.topic} at {to_seconds(self.time_ns):.9g} s"
        if not self.field:
            return f"{place}: recorded {self.recorded}, now {self.now}"
        return f"{place}: {self.field}: recorded {self.recorded!r}, now {self.now!r}"


class Comparison:
    """Compares two streams of messages for each topic, recorded and replayed.

    Attributes:
        topics: names of the compared topics.
        difference: the first difference; None: none so far.
        skip_pictures: whether topics that depend on pictures are left out.
        messages: number of identical messages.
        offset_ns: log time minus sim time.
    """

    def __init__(self, bag: Bag, topics: Collection[str], skip_pictures: bool = False) -> None:
        self._bag = bag
        self.topics = set(topics)
        self.skip_pictures = skip_pictures
        self.difference: Difference | None = None
        self.offset_ns = 0
        self.messages = 0
        self.seen: set[str] = set()
        self._recorded: dict[str, deque[tuple[int, bytes]]] = {name: deque() for name in self.topics}
        self._now: dict[str, deque[tuple[int, bytes]]] = {name: deque() for name in self.topics}
        self._types: dict[str, str] = {}

    def make_port(self, node: Any, publication: Publication, changed: Changed) -> Port:
        """Return the port of a topic, which compares its messages or does nothing."""
        return ComparedPort(self, node, publication, changed)

    def recorded(self, topic: str, time_ns: int, data: bytes) -> None:
        """Add a message of the bag."""
        waiting = self._now[topic]
        if waiting:
            self._compare(topic, (time_ns, data), waiting.popleft())
        else:
            self._recorded[topic].append((time_ns, data))

    def published(self, publication: Publication, log_time_ns: int, data: bytes) -> None:
        """Add a message of the simulation."""
        topic, now = publication.name, (log_time_ns, data)
        self._types[topic] = type_name(publication.message_type)
        waiting = self._recorded[topic]
        if waiting:
            self._compare(topic, waiting.popleft(), now)
        else:
            self._now[topic].append(now)

    def check_all_recorded(self) -> None:
        """Check that no message was published that is not in the bag; all messages up to now were added."""
        for topic, waiting in self._now.items():
            if waiting:
                self._differs(topic, waiting[0][0], "", "nothing", "a message")

    def check_all_published(self, until_ns: int) -> None:
        """Check that all messages of the bag up to a log time were published."""
        for topic, waiting in self._recorded.items():
            if waiting and waiting[0][0] <= until_ns:
                self._differs(topic, waiting[0][0], "", "a message", "nothing")

    def _compare(self, topic: str, recorded: tuple[int, bytes], now: tuple[int, bytes]) -> None:
        if self.difference is not None:  # later differences follow from it
            return
        self.seen.add(topic)
        self.messages += 1
        if recorded == now:
            return
        first = min(recorded[0], now[0])
        if recorded[0] < now[0]:
            self._differs(topic, first, "", "a message", "nothing")
            return
        if recorded[0] > now[0]:
            self._differs(topic, first, "", "nothing", "a message")
            return
        kind = self._types[topic]
        if self._bag.canonical(recorded[1], kind) == self._bag.canonical(now[1], kind):
            return  # only padding differs
        name, a, b = first_difference(self._bag.decode(recorded[1], kind), self._bag.decode(now[1], kind))
        self._differs(topic, first, name, a, b)

    def _differs(self, topic: str, time_ns: int, field: str, recorded: Any, now: Any) -> None:
        if self.difference is None:
            self.difference = Difference(topic, time_ns, field, recorded, now)


class ComparedPort(SerializingPort):
    """Port whose messages are compared instead of published."""

    def __init__(self, comparison: Comparison, node: Any, publication: Publication, changed: Changed) -> None:
        self._comparison = comparison
        drawn = any(isinstance(sensor, PictureSensor) for sensor in publication.sensors)
        if drawn and comparison.skip_pictures:
            comparison.topics.discard(publication.name)
        self._is_compared = publication.name in comparison.topics
        super().__init__(node, publication, changed)

    def _open(self, publication: Publication, changed: Changed) -> None:
        """Do nothing: there is no publisher."""

    def destroy(self) -> None:
        """Do nothing: there is no publisher."""

    @property
    def wanted(self) -> bool:
        """Whether the topic is compared."""
        return self._is_compared

    def publish(self, time_ns: int, source: Any) -> None:
        """Compare the message."""
        if self._is_compared:
            data, log_time_ns, is_new = self._serialized(time_ns, self._comparison.offset_ns, source)
            if is_new:
                self._comparison.published(self.publication, log_time_ns, data)


RESTARTS = ("reset", "load_world", RESET_PART)
"""Changes after which sim time is 0."""
AHEAD_NS = 1_000_000_000
"""Time in ns by which the bag is read ahead of the simulation."""
ShowProgress = Callable[[int], None]


class Film(NamedTuple):
    """A movie or an animation of a replay.

    Attributes:
        how: file, size and other options.
        start: sim time in s at which the movie begins.
        is_page: whether it is an animation, which is a page, not a movie.
    """

    how: RecordingOptions
    start: float
    is_page: bool = False


class Result(NamedTuple):
    """Result of a replay."""

    messages: int
    topics: int
    difference: Difference | None
    end_ns: int
    """Log time of the end, ns."""


def replay(
    bag: Bag,
    world: str | None = None,
    skip_pictures: bool = False,
    progress: ShowProgress = lambda time_ns: None,
    decide_trust: DecideTrust = require_trust,
    film: Film | None = None,
    watch: Callable[[Simulation], object] = lambda sim: None,
) -> Result:
    """Repeat a recorded run.

    Args:
        bag: a bag written by `odesim run --record`.
        world: the world file, if it has been moved.
        skip_pictures: whether pictures are neither drawn nor compared.
        progress: called with the log time.
        decide_trust: called with trust issues; raises ConfigError if programs of the world must not run.
        film: movie to record; None: none.
        watch: called with the simulation before its first step.

    Raises:
        OdesimError: the run cannot be repeated, because the world has changed or the bag was not written by
            odesim; or the movie cannot be written.
    """
    plugins = bool(bag.table(facts.OPTIONS, dict).get("plugins", True))
    urdf = [str(each) for each in bag.table(facts.URDF, list)]
    scene = _scene(bag, world, urdf, plugins, decide_trust)
    comparison = Comparison(bag, set(filter(is_reading, bag.rows)) - {facts.CHANGES}, skip_pictures)
    player = ReplayedWorld(scene, _parameters(bag, scene), comparison.make_port, urdf, plugins)
    try:
        seed = bag.facts.get(facts.SEED)
        if str(player.sim.seed) != seed:
            raise RecordingError(
                f"{bag.path}: recorded with seed {seed}, the world now has {player.sim.seed}"
            )
        watch(player.sim)
        end_ns = _Replay(bag, player, comparison, progress, film).all()
    finally:
        player.close()
    if player.sim.recordings.failures:
        raise RecordingError(player.sim.recordings.failures[0])
    found = comparison.difference
    return Result(
        comparison.messages, len(comparison.seen), found, end_ns if found is None else found.time_ns
    )


class _Replay:
    """A replay in progress."""

    def __init__(
        self,
        bag: Bag,
        player: ReplayedWorld,
        comparison: Comparison,
        progress: ShowProgress,
        film: Film | None,
    ) -> None:
        self._bag, self._player, self._comparison, self._progress = bag, player, comparison, progress
        self._film = film
        self._ended = False

    def all(self) -> int:
        """Run to the end or to the first difference; return its log time."""
        comparison, player = self._comparison, self._player
        sim = player.sim
        player.session.begin()
        last_ns = 0
        for item in self._bag.in_file_order():
            if comparison.difference is not None:
                return last_ns
            if item.topic == facts.CHANGES:
                self._change(from_text(self._bag.decode(item.data, item.type_name).data))
            elif player.takes(item.topic):
                self._advance(item.log_time_ns)
                player.command(item.topic, item.data, item.type_name)
            elif item.topic in comparison.topics:
                comparison.recorded(item.topic, item.log_time_ns, item.data)
                if item.log_time_ns - comparison.offset_ns - sim.time_ns > AHEAD_NS:
                    self._advance(item.log_time_ns - sim.step_ns)
            last_ns = max(last_ns, item.log_time_ns)
        if not self._ended:  # interrupted recording: messages of the last step may be missing
            self._advance(last_ns - sim.step_ns)
            comparison.check_all_published(last_ns - sim.step_ns)
        return sim.time_ns + comparison.offset_ns

    def _change(self, change: dict[str, Any]) -> None:
        comparison, player = self._comparison, self._player
        time_ns = number_of(change, "time_ns")
        if time_ns + comparison.offset_ns > self._bag.span.end_ns + AHEAD_NS:
            raise RecordingError(
                f"{self._bag.path}: found a change at {to_seconds(time_ns):g} s, "
                "expected none behind the end of the recording"
            )
        self._advance(time_ns + comparison.offset_ns)
        what, form = change["what"], self._bag.facts.get(facts.JOURNAL, "2")
        if form not in READABLE and what not in (*RESTARTS, "end"):
            raise RecordingError(
                f'{self._bag.path}: found "{what}" in a journal of form {form}, expected form '
                f"{' or '.join(READABLE)}; replay it with the odesim that recorded it"
            )
        if what == "end":
            self._ended = True
            comparison.check_all_recorded()
            comparison.check_all_published(time_ns + comparison.offset_ns)
            return
        if what in RESTARTS:
            comparison.check_all_recorded()
            comparison.check_all_published(time_ns + comparison.offset_ns)
            comparison.offset_ns += time_ns + player.sim.step_ns
        player.apply_change(what, change)

    def _advance(self, log_time_ns: int) -> None:
        """Step to a log time up to which the bag has been read."""
        target = log_time_ns - self._comparison.offset_ns
        if target <= self._player.sim.time_ns:
            return
        self._comparison.check_all_recorded()
        session = self._player.session
        if self._film is not None and target > (start_ns := to_nanoseconds(self._film.start)):
            session.advance(start_ns)
            (start_animation if self._film.is_page else start_movie)(session.sim, self._film.how)
            self._film = None
        session.advance(target)
        self._progress(log_time_ns)


def _scene(bag: Bag, world: str | None, urdf: list[str], plugins: bool, decide_trust: DecideTrust) -> Scene:
    """Return the recorded world if it is unchanged and its programs may run, without which it differs."""
    missing = [name for name in (facts.WORLD, facts.WORLD_HASH, facts.PARAMETERS) if name not in bag.facts]
    if missing:
        raise RecordingError(f"{bag.path}: found no {missing[0]}, expected a bag of odesim run --record")
    file = world or bag.facts[facts.WORLD]
    if not Path(file).is_file():
        raise RecordingError(f"{file}: not found, expected the recorded world; --world FILE says where it is")
    _check_hash(bag, file, bag.facts[facts.WORLD_HASH])
    for other, recorded in bag.table(facts.FILES, dict, "{}").items():
        _check_hash(bag, other, str(recorded))
    skip_missing = bool(bag.table(facts.OPTIONS, dict).get("skip_missing", False))
    instanced = bool(bag.table(facts.PARAMETERS, dict).get("instanced", False))
    scene = load_scene(file, skip_missing=skip_missing, lenient=True, instanced=instanced)
    if plugins:
        decide_trust(scene.trust_issues_of_plugin())
    decide_trust([issue for each in urdf for issue in trust_issues_of_urdf(parse_argument(each).file)])
    add_robot_files(scene, urdf)
    set_fields(scene, bag.table(facts.FIELDS, dict, "{}"))
    return scene


def _check_hash(bag: Bag, file: str, recorded: str) -> None:
    found = hash_of(file)
    if found != recorded:
        raise RecordingError(
            f"{file}: has changed since {bag.path} was recorded: "
            f"found SHA-256 {found[:12]}…, expected {recorded[:12]}…"
        )


def _parameters(bag: Bag, scene: Scene) -> Parameters:
    values = values_from_overrides(bag.table(facts.PARAMETERS, dict), str(bag.path))
    return build_parameters(values, device_names(scene), [each.name for each in scene.folded])
