"""Settings of Fast DDS for our nodes, by environment variables; what the user has set is not changed.

A participant of Fast DDS announces itself before it can receive. A participant that does not know it yet
answers once, immediately: on a machine with few processors that answer is mostly lost, and the next
announcement follows up to 3 s later; only then are the two connected. Therefore our nodes announce themselves
more often: see `config/fast_dds.xml`. Controllers do not (`config/fast_dds_controllers.xml`): there can be
hundreds, and all would receive all announcements.

Fast DDS 3.2 requests the fields of each type it discovers before it matches a publisher and a subscription.
If the answer arrives while another endpoint is added that waits for it, that one waits forever, or the
process ends with SIGSEGV: `TypeLookupManager::notify_callbacks` iterates without a lock over data that
`check_type_identifier_received` extends. This affected one of a hundred starts of ten controllers on a busy
machine. ROS identifies types by name and hash, so all our profiles set `fastdds.type_propagation` to
`disabled`: our nodes neither publish nor request type descriptions, and other nodes have nothing to request
from us.

Also, Fast DDS compares each publisher of a participant with each of its subscriptions: with 2,000 of both
that takes 6 s. The simulation subscribes to nothing that it publishes, and declares this:
`config/fast_dds_simulation.xml`.

A writer considers a message as one that a subscriber may have missed after a time, by default 0: then a timer
wakes its thread for each message and subscriber, which takes as long as sending one. With 2 ms one wake-up
serves many. No message is repeated later than otherwise: a subscriber itself waits for 5 ms before it reports
a loss.

The answers of hundreds of robots arrive at the simulation at once, and its readings at their controllers.
The socket's default buffer of 200 kB holds those of some 200; what does not fit is lost until it is sent
again. So all our profiles ask for 4 MB, of which the system grants what net.core.rmem_max permits.

Before rmw_fastrtps sends the answer of a service it waits for the discovery of the client's reader, 0.1 s by
default, and then drops the answer ("client will not receive response"). If the datagram that announces that
reader was lost, as happens on a busy machine, it is sent again after 1 s, the heartbeat period of discovery.
So the profiles of the simulation let services wait 1.5 s (max_blocking_time of `service`). The whole node
stands still meanwhile: that is the cost of a client that ends before it is answered.

If messages do not fit into one datagram, that profile also gives the simulation a segment of shared memory.
In UDP a picture consists of dozens of datagrams, which fill the socket's buffer before the subscriber has
read them (200 kB on a usual Linux); best-effort subscribers receive hardly any complete picture. The
publisher determines the size of the segment, so subscribers on this machine need no settings. If all messages
are small there is no segment: shared memory stays locked when a process that uses it is killed.

With ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST rmw_fastrtps adds shared memory to the configured transports,
with ports that all processes of a machine share, whatever their domain. Therefore LOCALHOST is implemented by
the profiles of `config/localhost`, which do the same over UDP only, and rmw_fastrtps is set not to change
them; the nodes that a simulation starts inherit both. Nodes that use only the variable discover ours, and
vice versa.
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
"""Variables of Fast DDS 3, which warns about the other name, and of Fast DDS 2."""
FOLDER_PROFILES = ("DEFAULT_FASTDDS_PROFILES.xml", "DEFAULT_FASTRTPS_PROFILES.xml")
"""Files that Fast DDS reads from the current folder by itself."""
UDP = "UDPv4"
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
LOCALHOST = "LOCALHOST"
OF_PROFILE = "SYSTEM_DEFAULT"
"""Discovery range with which rmw_fastrtps does not change a profile."""

DATAGRAM = 65_000
"""Bytes; larger messages are fragmented."""
SMALLEST_SEGMENT = 16 << 20
MESSAGES_IN_SEGMENT = 4
LARGEST_SEGMENT = 1 << 31
"""Bytes; Fast DDS uses 32-bit sizes."""
TEMPORARY = "odesim-fast-dds-"
"""Prefix of the folders for profiles written by a run."""
_XML = "{http://www.eprosima.com}"
_PIXELS = {
    "Camera": ("width", "height", 4),
    "Display": ("width", "height", 4),
    "RangeFinder": ("width", "height", 16),  # a point has up to four numbers of 4 bytes
    "Lidar": ("horizontalResolution", "numberOfLayers", 16),
}


def prepare() -> None:
    """Set what is not set, for viewer, recorder and operator; call it before the first `rclpy.init`."""
    # Shared memory stays locked when a process that uses it is killed, and others wait for it forever.
    os.environ.setdefault(TRANSPORTS, UDP)
    if not _has_profile():
        folder = CONFIG
        if _is_localhost_only():
            folder, os.environ[RANGE] = CONFIG_LOCALHOST, OF_PROFILE
        os.environ[_variable()] = str(folder / "fast_dds.xml")


def prepare_controller() -> None:
    """Disable type requests, see above, for a controller that was not started by a simulation.

    Its transports are not changed: it may receive by shared memory.
    """
    if not (_has_profile() or has_fast_dds_2()):
        os.environ.setdefault(_variable(), str(CONFIG / "fast_dds_controllers.xml"))


@contextmanager
def simulation_settings(largest: int) -> Iterator[None]:
    """Set what the simulation's node needs while it is created within the context, and unset it afterwards.

    Its controllers have a profile of their own. They use UDP only, which a killed process cannot lock, unless
    a message of this world needs shared memory.

    Args:
        largest: size of the largest message in bytes, see `largest_message`.
    """
    remove_stale()
    segment = 0 if os.environ.get(TRANSPORTS) or _has_profile() else _segment(largest)
    os.environ.setdefault(TRANSPORTS, UDP)
    if _has_profile():
        yield
        return
    folder = CONFIG
    if _is_localhost_only():
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
    """Return the size in bytes of the largest picture or point cloud that a device of a world publishes."""
    found = [0]
    for node in scene.walk():
        if node.type_name in _PIXELS:
            columns, rows, size = _PIXELS[node.type_name]
            found.append(node[columns] * node[rows] * size)
    return max(found)


def _segment(largest: int) -> int:
    """Return the bytes of shared memory for the simulation; 0: it needs none, or there is not enough.

    Pages that were never written use no memory, but if there is none for a written page, the process ends.
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
    """Write a profile for this version of Fast DDS, with the given size of its segment."""
    tree = ElementTree.parse(shipped)
    for element in tree.iter(f"{_XML}segment_size"):
        element.text = str(segment)
    if has_fast_dds_2():
        for element in tree.iter(f"{_XML}nack_supression_duration"):
            element.tag = f"{_XML}nackSupressionDuration"
    ElementTree.register_namespace("", _XML.strip("{}"))
    file = folder / shipped.parent.name / shipped.name
    file.parent.mkdir(exist_ok=True)
    tree.write(file, encoding="UTF-8", xml_declaration=True)
    return file


def _has_profile() -> bool:
    """Return whether the user has a profile; empty variables and our own profiles do not count."""
    given = [os.environ[name] for name in PROFILES if os.environ.get(name)]
    return not all(map(_is_ours, given)) or any(map(os.path.exists, FOLDER_PROFILES))


def _is_ours(profile: str) -> bool:
    """Return whether a profile is one that we ship, or that a run has adapted."""
    folder = Path(profile).parent
    return folder in (CONFIG, CONFIG_LOCALHOST) or folder.parent.name.startswith(TEMPORARY)


def _is_localhost_only() -> bool:
    """Return whether discovery is limited to this machine, and our profiles can implement that."""
    profile = os.environ.get(_variable(), "")
    replaced = _is_ours(profile) and Path(profile).parent.name == CONFIG_LOCALHOST.name
    is_fast_dds = "fastrtps" in os.environ.get("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")
    is_localhost = (
        os.environ.get(RANGE) == LOCALHOST and is_fast_dds and not os.environ.get("ROS_STATIC_PEERS")
    )
    return replaced or is_localhost


def _variable() -> str:
    newer, older = PROFILES
    return older if has_fast_dds_2() else newer


SHARED_MEMORY = Path("/dev/shm")
YOUNG = 60.0
"""Seconds of wall time after which a process has surely locked the files it created."""
_LOCK = re.compile(r"(fastdds_[0-9a-f]{16})_el")


def remove_stale(folder: Path = SHARED_MEMORY, young: float = YOUNG) -> int:
    """Remove what killed processes of this user have left of Fast DDS in shared memory.

    With ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST rmw_fastrtps uses shared memory, whatever the transports are.
    Each participant has a segment of 0.5 MB, `fastdds_<16 hex digits>`, and holds a lock on the file with
    that name and `_el` while it lives. If the lock is free, the segment belongs to nobody; `fastdds shm
    clean` checks the same. A file is locked shortly after its creation: young ones are kept. Names are random
    and not used again. Ports, whose names are, are repaired by Fast DDS itself.

    Args:
        folder: where the files are.
        young: in seconds; newer files are kept.

    Returns:
        Number of segments removed.
    """
    removed = 0
    with suppress(OSError):  # the folder does not exist
        for name in os.listdir(folder):
            found = _LOCK.fullmatch(name)
            if found:
                with suppress(OSError):  # removed by another process, or locked
                    _remove(folder / found[1], folder / name, young)
                    removed += 1
    return removed


def _remove(segment: Path, lock: Path, young: float) -> None:
    """Remove one segment with its lock.

    Raises:
        OSError: it is in use, young, another user's, or already removed.
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
