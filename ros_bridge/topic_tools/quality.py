"""Quality of service from the options of `ros2 topic`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSPresetProfiles,
    QoSProfile,
    QoSReliabilityPolicy,
)


def matching_qos(arguments: argparse.Namespace, publishers: Sequence[Any]) -> QoSProfile:
    """Return the QoS of a subscription that fits all publishers: as strict as all of them offer."""
    qos = requested_qos(arguments)
    words = (arguments.qos_reliability, arguments.qos_durability, arguments.qos_history, arguments.qos_depth)
    profiles = [info.qos_profile for info in publishers]
    if profiles and all(word is None for word in words):  # only the preset was requested
        reliable = all(each.reliability == QoSReliabilityPolicy.RELIABLE for each in profiles)
        latched = all(each.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL for each in profiles)
        qos.reliability = QoSReliabilityPolicy.RELIABLE if reliable else QoSReliabilityPolicy.BEST_EFFORT
        qos.durability = QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE
    return qos


def requested_qos(arguments: argparse.Namespace) -> QoSProfile:
    """Return the preset with the changes of further options."""
    qos = QoSPresetProfiles.get_from_short_key(arguments.qos_profile)
    if arguments.qos_history is not None:
        qos.history = QoSHistoryPolicy.get_from_short_key(arguments.qos_history)
    if arguments.qos_reliability is not None:
        qos.reliability = QoSReliabilityPolicy.get_from_short_key(arguments.qos_reliability)
    if arguments.qos_durability is not None:
        qos.durability = QoSDurabilityPolicy.get_from_short_key(arguments.qos_durability)
    if arguments.qos_depth is not None:
        qos.depth = arguments.qos_depth
    elif qos.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL and qos.depth == 0:
        qos.depth = 1
    return qos
