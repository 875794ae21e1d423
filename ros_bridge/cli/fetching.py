"""Asks whether missing PROTO files of a world may be downloaded.

At a terminal the user is asked once for each project, and the answer is stored; without a terminal
`--download` allows it.
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
"""Projects whose missing PROTO files may be downloaded."""
REFUSED = AnswerFile("no_downloads")
"""Projects for which the user has refused it."""
NO_HOST = ("192.0.2.1", 9)
"""Address without a host (RFC 5737), used to ask the kernel whether there is a route to the network."""


def may_download(world: Path, assume_yes: bool) -> bool:
    """Return whether missing files of a world may be downloaded; ask the user if necessary.

    Args:
        world: the world file.
        assume_yes: whether the user has agreed by an option.

    Raises:
        ConfigError: the answer cannot be stored.
    """
    project = project_of(world)
    if assume_yes or AGREED.has(project):
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
    """Return the project folder for which an answer is valid: the parent of `worlds`."""
    folder = world.resolve().parent
    return folder.parent if folder.name == "worlds" else folder


def _has_network() -> bool:
    """Return whether there is a route to other machines; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(NO_HOST)
        except OSError:
            return False
    return True
