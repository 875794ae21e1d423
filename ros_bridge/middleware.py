"""What our nodes ask of Fast DDS, by its environment variables; what the user has set stays as it is.

A participant of Fast DDS announces itself before it can hear. One that knows it not yet answers once, at
once: on a machine with few processors that answer is lost more often than not, and the next announcement
comes up to 3 s later. Only then do the two know each other. So we announce ourselves more often: see
`config/fast_dds.xml`. Controllers do not: where there are hundreds of them, all would hear all.

And Fast DDS compares each publisher of a participant with each of its subscriptions: with 2,000 of both that
takes 6 s. The simulation listens to nothing that it publishes, and says so: `config/fast_dds_simulation.xml`.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

from ros_bridge.stale_shared_memory import remove_stale
from sim_core.shipped import share_dir

TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
"""Of Fast DDS 3, which warns of the other name, and of Fast DDS 2."""
FAST_DDS_2 = ("humble", "iron", "jazzy")
LOCAL_PROFILES = ("DEFAULT_FASTDDS_PROFILES.xml", "DEFAULT_FASTRTPS_PROFILES.xml")
"""Fast DDS reads these from the current folder by itself."""


def prepare(is_simulation: bool = False) -> None:
    """Set what is not set; to be called before the first `rclpy.init`.

    Args:
        is_simulation: no node of this process listens to another one of it.
    """
    # Shared memory stays locked when a process that uses it is killed, and then others wait for it for ever.
    os.environ.setdefault(TRANSPORTS, "UDPv4")
    if is_simulation:
        remove_stale()
    profile = _profile(is_simulation)
    leave_out_profile(os.environ)
    has_own = any(os.environ.get(name) for name in PROFILES) or any(map(os.path.exists, LOCAL_PROFILES))
    if profile.is_file() and not has_own:
        newer, older = PROFILES
        os.environ[older if os.environ.get("ROS_DISTRO") in FAST_DDS_2 else newer] = str(profile)


def leave_out_profile(environment: MutableMapping[str, str]) -> None:
    """Take out of an environment what `prepare` set for our own nodes alone."""
    ours = [str(_profile(is_simulation)) for is_simulation in (False, True)]
    for name in PROFILES:
        if environment.get(name) in ours:
            del environment[name]


def _profile(is_simulation: bool) -> Path:
    return share_dir() / "config" / f"fast_dds{'_simulation' if is_simulation else ''}.xml"
