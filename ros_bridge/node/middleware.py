"""What our nodes ask of Fast DDS, by its environment variables; what the user has set stays as it is.

A participant of Fast DDS announces itself before it can hear. One that knows it not yet answers once, at
once: on a machine with few processors that answer is lost more often than not, and the next announcement
comes up to 3 s later. Only then do the two know each other. So we announce ourselves more often: see
`config/fast_dds.xml`. Controllers do not: where there are hundreds of them, all would hear all.

And Fast DDS compares each publisher of a participant with each of its subscriptions: with 2,000 of both that
takes 6 s. The simulation listens to nothing that it publishes, and says so: `config/fast_dds_simulation.xml`.

That profile also gives the simulation a segment of shared memory for its large messages. In UDP a picture is
dozens of datagrams, which fill the socket's buffer before the subscriber has read them (200 kB on a usual
Linux); of those who take best effort nearly none gets all pieces of one. Who publishes decides how large the
segment is, so subscribers on this machine need nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

from ros_bridge.node.stale_shared_memory import SHARED_MEMORY, remove_stale
from sim_core.base.shipped import share_dir
from sim_core.scene import Scene
from sim_core.session.robot import device_nodes, robot_nodes

TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
"""Of Fast DDS 3, which warns of the other name, and of Fast DDS 2."""
FAST_DDS_2 = ("humble", "iron", "jazzy")
LOCAL_PROFILES = ("DEFAULT_FASTDDS_PROFILES.xml", "DEFAULT_FASTRTPS_PROFILES.xml")
"""Fast DDS reads these from the current folder by itself."""
UDP = "UDPv4"

DATAGRAM = 65_000
"""Bytes; what is larger goes in several pieces."""
SMALLEST_SEGMENT = 16 << 20
MESSAGES_IN_SEGMENT = 4
LARGEST_SEGMENT = 1 << 31
"""Bytes; Fast DDS counts them in 32 bits."""
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
    profile = share_dir() / "config" / "fast_dds.xml"
    if profile.is_file() and not _has_profile():
        os.environ[_variable()] = str(profile)


@contextmanager
def of_simulation(largest: int) -> Iterator[None]:
    """Within this the simulation's node is made; what is set for it alone is taken back behind.

    Its controllers have no profile. They use UDP alone, which no killed process can lock, unless a message of
    this world needs shared memory.

    Args:
        largest: bytes of the largest message, see `largest_message`.
    """
    remove_stale()
    own_transports = os.environ.get(TRANSPORTS)
    os.environ.setdefault(TRANSPORTS, UDP)
    profile = share_dir() / "config" / "fast_dds_simulation.xml"
    if _has_profile() or not profile.is_file():
        yield
        return
    segment = 0 if own_transports else _segment(largest)
    with tempfile.TemporaryDirectory(prefix="odesim-fast-dds-") as folder:
        file = Path(folder) / profile.name
        _write_profile(profile, file, segment)
        os.environ[_variable()] = str(file)
        try:
            yield
        finally:
            del os.environ[_variable()]
            if segment and largest > DATAGRAM:
                del os.environ[TRANSPORTS]


def largest_message(scene: Scene) -> int:
    """Bytes of the largest picture or point cloud that a device of a world publishes."""
    found = [0]
    for robot in robot_nodes(scene):
        for node in device_nodes(robot):
            if node.type_name in _PIXELS:
                columns, rows, size = _PIXELS[node.type_name]
                found.append(node[columns] * node[rows] * size)
    return max(found)


def _segment(largest: int) -> int:
    """Bytes of shared memory for the simulation; 0: there is no room.

    Pages that were never written take none, but without room for one that is written the process would end.
    """
    try:
        about = os.statvfs(SHARED_MEMORY)
    except OSError:
        return 0
    if not os.access(SHARED_MEMORY, os.W_OK):
        return 0
    free = about.f_bavail * about.f_frsize // 2
    wanted = min(max(SMALLEST_SEGMENT, MESSAGES_IN_SEGMENT * largest), LARGEST_SEGMENT)
    return min(wanted, free) if free > largest else 0


def _write_profile(source: Path, target: Path, segment: int) -> None:
    """The profile of the simulation with a segment of so many bytes; 0: without one."""
    tree = ElementTree.parse(source)
    if segment:
        for size in tree.iter(f"{_XML}segment_size"):
            size.text = str(segment)
    else:
        for parent in list(tree.iter()):
            for child in list(parent):
                if child.tag in (f"{_XML}transport_descriptors", f"{_XML}userTransports"):
                    parent.remove(child)
    ElementTree.register_namespace("", _XML.strip("{}"))
    tree.write(target, encoding="UTF-8", xml_declaration=True)


def _has_profile() -> bool:
    """Whether the user has a profile; a variable that is empty names none."""
    return any(os.environ.get(name) for name in PROFILES) or any(map(os.path.exists, LOCAL_PROFILES))


def _variable() -> str:
    newer, older = PROFILES
    return older if os.environ.get("ROS_DISTRO") in FAST_DDS_2 else newer
