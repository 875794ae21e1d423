"""`/odesim/status`: how the run goes, as diagnostic_msgs/DiagnosticArray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from ros_bridge.node.run_mode import RunMode
from ros_bridge.topics.conversions import fill_time
from sim_core.base.clock import to_seconds


def speed_text(mode: str, speed: float, wanted: float) -> str:
    """Return mode and speed for users.

    Args:
        mode: `realtime`, `fast` or `paused`.
        speed: measured, in simulated seconds per second.
        wanted: the target in the mode realtime.
    """
    match mode:
        case "paused":
            return "Paused"
        case "fast":
            return f"Running as fast as possible: {speed:.2f} ×"
        case _:
            return f"Running at {speed:.2f} × (target {wanted:g} ×)"


def fill_status(message: Any, time_ns: int, mode: RunMode, waits: Sequence[str]) -> None:
    """Fill a DiagnosticArray with one status.

    Args:
        message: the DiagnosticArray.
        time_ns: sim time.
        mode: mode and speed of the run.
        waits: robots whose controllers have not answered for long.
    """
    name, speed, wanted = mode.name, mode.speed, mode.pacer.speed
    fill_time(message.header.stamp, time_ns)
    slow = name == "realtime" and 0.0 < speed < 0.95 * wanted
    level = DiagnosticStatus.WARN if slow or waits else DiagnosticStatus.OK
    text = f"Waiting for {', '.join(waits)}" if waits else speed_text(name, speed, wanted)
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
