"""What our nodes ask of Fast DDS, by its environment variables; what the user has set stays as it is.

A participant of Fast DDS announces itself before it can hear. One that knows it not yet answers once, at
once: on a machine with few processors that answer is lost more often than not, and the next announcement
comes up to 3 s later. Only then do the two know each other. So we announce ourselves more often: see
`config/fast_dds.xml`. Controllers do not (`config/fast_dds_controllers.xml`): there can be hundreds, and
all would hear all.

Fast DDS 3.2 asks for the fields of each type that it hears of before it lets a publisher and a subscription
know each other. If the answer comes while it takes note of one more who waits for it, that one waits for
ever, or the process ends by SIGSEGV: `TypeLookupManager::notify_callbacks` walks without a lock through
what `check_type_identifier_received` adds to. Of a hundred starts of ten controllers on a busy machine one
was struck. ROS knows its types by name and hash, so all our profiles set `fastdds.type_propagation` to
`disabled`: our nodes neither say what their types are made of nor ask, and nodes of others find nothing to
ask us for.

And Fast DDS compares each publisher of a participant with each of its subscriptions: with 2,000 of both
that takes 6 s. The simulation listens to nothing that it publishes, and says so:
`config/fast_dds_simulation.xml`.

A writer takes a message for one that a subscriber may have missed as soon as a time has passed, 0 by itself:
then a timer wakes its thread for each message and subscriber, which takes as long as it takes to send one. In
2 ms one wake-up does for many. Nobody says earlier what he has missed: he waits for 5 ms himself.

Where messages do not fit into one datagram, that profile also gives the simulation a segment of shared
memory. In UDP a picture is dozens of datagrams, which fill the socket's buffer before the subscriber has
read them (200 kB on a usual Linux); of those who take best effort nearly none gets all pieces of one. Who
publishes decides how large the segment is, so subscribers on this machine need nothing. Where all messages
are small there is none: shared memory stays locked when a process that uses it is killed.

With ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST rmw_fastrtps adds shared memory to whatever transports it is
told, with ports that all processes of a machine share, whatever their domain. So LOCALHOST is said to Fast
DDS by the profiles of `config/localhost`, which do the same over UDP alone, and rmw_fastrtps is told to
leave them as they are; the nodes that a simulation starts inherit both. Nodes that know only the variable
are found, and find ours.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from xml.etree import ElementTree

from ros_bridge.base.installed_ros import has_fast_dds_2
from sim_core.base.shipped import share_dir
from sim_core.scene import Scene

CONFIG = share_dir() / "config"
CONFIG_LOCALHOST = CONFIG / "localhost"
TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
"""Of Fast DDS 3, which warns of the other name, and of Fast DDS 2."""
FOLDER_PROFILES = ("DEFAULT_FASTDDS_PROFILES.xml", "DEFAULT_FASTRTPS_PROFILES.xml")
"""Fast DDS reads these from the current folder by itself."""
UDP = "UDPv4"
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
LOCALHOST = "LOCALHOST"
OF_PROFILE = "SYSTEM_DEFAULT"
"""The range in which rmw_fastrtps changes nothing of a profile."""

DATAGRAM = 65_000
"""Bytes; what is larger goes in several pieces."""
SMALLEST_SEGMENT = 16 << 20
MESSAGES_IN_SEGMENT = 4
LARGEST_SEGMENT = 1 << 31
"""Bytes; Fast DDS counts them in 32 bits."""
TEMPORARY = "odesim-fast-dds-"
"""What the names of folders for profiles begin with that a run writes."""
_XML = "{http://www.eprosima.com}"
_PIXELS = {
    "Camera": ("width", "height", 4),
    "Display": ("width", "height", 4),
    "RangeFinder": ("width", "height", 16),  # a point has up to four numbers of 4 bytes
    "Lidar": ("horizontalResolution", "numberOfLayers", 16),
}


def prepare() -> None:
    """For viewer, recorder and operator: set what is not set; to be called before the first `rclpy.init`."""
    # Shared memory stays locked when a process that uses it is killed, and then others wait for it for ever.
    os.environ.setdefault(TRANSPORTS, UDP)
    if not _has_profile():
        folder = CONFIG
        if _stays_here():
            folder, os.environ[RANGE] = CONFIG_LOCALHOST, OF_PROFILE
        os.environ[_variable()] = str(folder / "fast_dds.xml")


def prepare_controller() -> None:
    """For a controller that no simulation started: it shall not ask what types are made of, see above.

    How it talks to others stays as it is: it may read what comes by shared memory.
    """
    if not (_has_profile() or has_fast_dds_2()):
        os.environ.setdefault(_variable(), str(CONFIG / "fast_dds_controllers.xml"))


@contextmanager
def of_simulation(largest: int) -> Iterator[None]:
    """Within this the simulation's node is made; what is set for it alone is taken back behind.

    Its controllers have a profile of their own. They use UDP alone, which no killed process can lock, unless
    a message of this world needs shared memory.

    Args:
        largest: bytes of the largest message, see `largest_message`.
    """
    remove_stale()
    segment = 0 if os.environ.get(TRANSPORTS) or _has_profile() else _segment(largest)
    os.environ.setdefault(TRANSPORTS, UDP)
    if _has_profile():
        yield
        return
    folder = CONFIG
    if _stays_here():
        folder, os.environ[RANGE] = (CONFIG, LOCALHOST) if segment else (CONFIG_LOCALHOST, OF_PROFILE)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as temporary:
        own = CONFIG / "fast_dds_shared_memory.xml" if segment else folder / "fast_dds_simulation.xml"
        if segment or has_fast_dds_2():
            own = _adapted(own, Path(temporary), segment)
        os.environ[_variable()] = str(own)
        try:
            yield
        finally:
            theirs = folder / "fast_dds_controllers.xml"
            if has_fast_dds_2():
                kept = tempfile.mkdtemp(prefix=TEMPORARY)
                atexit.register(shutil.rmtree, kept, ignore_errors=True)
                theirs = _adapted(theirs, Path(kept))
            os.environ[_variable()] = str(theirs)
            if segment:
                del os.environ[TRANSPORTS]


def largest_message(scene: Scene) -> int:
    """Bytes of the largest picture or point cloud that a device of a world publishes."""
    found = [0]
    for node in scene.walk():
        if node.type_name in _PIXELS:
            columns, rows, size = _PIXELS[node.type_name]
            found.append(node[columns] * node[rows] * size)
    return max(found)


def _segment(largest: int) -> int:
    """Bytes of shared memory for the simulation; 0: it needs none, or there is no room.

    Pages that were never written take none, but without room for one that is written the process would end.
    """
    if largest <= DATAGRAM:
        return 0
    try:
        about = os.statvfs(SHARED_MEMORY)
    except OSError:
        return 0
    if not os.access(SHARED_MEMORY, os.W_OK):
        return 0
    free = about.f_bavail * about.f_frsize // 2
    wanted = min(max(SMALLEST_SEGMENT, MESSAGES_IN_SEGMENT * largest), LARGEST_SEGMENT)
    return min(wanted, free) if free > largest else 0


def _adapted(shipped: Path, folder: Path, segment: int = 0) -> Path:
    """A profile in the words of this Fast DDS, its segment, if it has one, of so many bytes."""
    tree = ElementTree.parse(shipped)
    for element in tree.iter(f"{_XML}segment_size"):
        element.text = str(segment)
    if has_fast_dds_2():
        for element in tree.iter(f"{_XML}nack_supression_duration"):
            element.tag = f"{_XML}nackSupressionDuration"
    ElementTree.register_namespace("", _XML.strip("{}"))
    file = folder / shipped.name
    tree.write(file, encoding="UTF-8", xml_declaration=True)
    return file


def _has_profile() -> bool:
    """Whether the user has a profile; a variable that is empty names none, and ours are not the user's."""
    given = [os.environ[name] for name in PROFILES if os.environ.get(name)]
    return any(Path(file).parent not in (CONFIG, CONFIG_LOCALHOST) for file in given) or any(
        map(os.path.exists, FOLDER_PROFILES)
    )


def _stays_here() -> bool:
    """Whether the nodes are to find those of this machine alone, and our profiles can say so."""
    replaced = Path(os.environ.get(_variable(), "")).parent == CONFIG_LOCALHOST
    is_fast_dds = "fastrtps" in os.environ.get("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")
    asked = os.environ.get(RANGE) == LOCALHOST and is_fast_dds and not os.environ.get("ROS_STATIC_PEERS")
    return replaced or asked


def _variable() -> str:
    newer, older = PROFILES
    return older if has_fast_dds_2() else newer


SHARED_MEMORY = Path("/dev/shm")
YOUNG = 60.0
"""Seconds of wall time in which a process surely has locked what it made."""
_LOCK = re.compile(r"(fastdds_[0-9a-f]{16})_el")


def remove_stale(folder: Path = SHARED_MEMORY, young: float = YOUNG) -> int:
    """Remove what killed processes of this user have left of Fast DDS in shared memory.

    With ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST rmw_fastrtps uses shared memory, whatever transports it is
    told. Each participant has a segment of 0.5 MB, `fastdds_<16 hex digits>`, and holds a lock on the file of
    that name and `_el` for as long as it lives. Who can get the lock knows that the segment belongs to
    nobody, and so does `fastdds shm clean`. A file is locked just after it was made: young ones are left
    alone. Names are random and not used again. Ports, which are, Fast DDS mends by itself.

    Args:
        folder: where the files are.
        young: in seconds; what was made since stays.

    Returns:
        How many segments were removed.
    """
    removed = 0
    with suppress(OSError):  # no such folder
        for name in os.listdir(folder):
            found = _LOCK.fullmatch(name)
            if found:
                with suppress(OSError):  # another one was quicker, or it is locked
                    _remove(folder / found[1], folder / name, young)
                    removed += 1
    return removed


def _remove(segment: Path, lock: Path, young: float) -> None:
    """Remove one segment with its lock.

    Raises:
        OSError: it is in use, young, another user's, or gone.
    """
    descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
            raise PermissionError(lock)
        if time.time() - about.st_mtime < young:
            raise BlockingIOError(lock)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        segment.unlink(missing_ok=True)
        lock.unlink()
    finally:
        os.close(descriptor)
