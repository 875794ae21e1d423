"""`/odesim/status`: how the run goes, as diagnostic_msgs/DiagnosticArray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from ros_bridge.node.run_mode import RunMode
from ros_bridge.topics.conversions import fill_time
from sim_core.base.clock import to_seconds


def fill_status(message: Any, time_ns: int, mode: RunMode, waits: Sequence[str]) -> None:
    """Fill a DiagnosticArray with one status.

    Args:
        message: the DiagnosticArray.
        time_ns: sim time.
        mode: how the run goes on.
        waits: robots whose controllers have not answered for long.
    """
    name, speed, wanted = mode.name, mode.speed, mode.pacer.speed
    fill_time(message.header.stamp, time_ns)
    slow = name == "realtime" and 0.0 < speed < 0.95 * wanted
    level = DiagnosticStatus.WARN if slow or waits else DiagnosticStatus.OK
    text = f"{name}, {speed:.2f} times real time"
    if waits:
        text = f"waiting for {', '.join(waits)}"
    elif slow:
        text += f", behind {wanted:g}"
    rows = {
        "mode": name,
        "sim_time": f"{to_seconds(time_ns):.3f}",
        "speed": f"{speed:.3f}",
        "speed_wanted": f"{wanted:g}",
        "lost_wall_time": f"{mode.pacer.lost:.3f}",
        "lockstep_waits_for": ", ".join(waits),
    }
    values = [KeyValue(key=key, value=value) for key, value in rows.items()]
    message.status = [
        DiagnosticStatus(
            level=level, name="odesim: simulation", message=text, hardware_id="odesim", values=values
        )
    ]
