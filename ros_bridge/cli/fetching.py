"""Asks whether the PROTO files that a world names and that are nowhere here may be downloaded.

At a terminal the user is asked once for each project, and the answer holds from then on; elsewhere
`--download` says it.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from ros_bridge.base.terminal import answers_yes, can_ask
from sim_core.base.trust import AnswerFile
from sim_core.scene.assets import Assets
from sim_core.scene.proto.missing import missing_declared_protos

AGREED = AnswerFile("downloads")
"""Projects whose missing PROTO files are downloaded."""
REFUSED = AnswerFile("no_downloads")
"""Those for which the user has said no."""
NO_HOST = ("192.0.2.1", 9)
"""An address that no host has (RFC 5737): whether there is a way to the network is asked of the kernel."""


def may_download(world: Path, says_so: bool) -> bool:
    """Return whether files that a world names may be downloaded, perhaps after the user was asked.

    Args:
        world: the file.
        says_so: the user has said so already.

    Raises:
        ConfigError: the answer cannot be remembered.
    """
    project = project_of(world)
    if says_so or AGREED.has(project):
        return True
    if not can_ask() or REFUSED.has(project) or not _has_network():
        return False
    missing = missing_declared_protos(world, Assets.for_world(world))
    if not missing:
        return False
    print(f"{world}: {len(missing)} PROTO ({', '.join(missing)}) are missing", file=sys.stderr)
    agrees = answers_yes(f"Download what {project} names, now and later?")
    (AGREED if agrees else REFUSED).add_project(project)
    return agrees


def project_of(world: Path) -> Path:
    """Return the folder for which an answer holds: that of the world, above `worlds`."""
    folder = world.resolve().parent
    return folder.parent if folder.name == "worlds" else folder


def _has_network() -> bool:
    """Whether there is a route to other machines; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(NO_HOST)
        except OSError:
            return False
    return True
