"""`/odesim/status`: how the run goes, as diagnostic_msgs/DiagnosticArray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from ros_bridge.topics.conversions import fill_time
from sim_core.base.clock import to_seconds


class SpeedMeter:
    """Simulated seconds per second of wall time between two calls."""

    def __init__(self) -> None:
        self._last: tuple[float, int] | None = None

    def restart(self) -> None:
        """Sim time jumps."""
        self._last = None

    def measure(self, now: float, time_ns: int) -> float:
        """The speed since the last call, at a wall time in seconds and a sim time in nanoseconds; first 0."""
        last, self._last = self._last, (now, time_ns)
        if last is None or now <= last[0]:
            return 0.0
        return to_seconds(time_ns - last[1]) / (now - last[0])


def fill_status(
    message: Any,
    time_ns: int,
    mode: str,
    wanted_speed: float,
    speed: float,
    lost: float,
    waits: Sequence[str],
) -> None:
    """Fill a DiagnosticArray with one status.

    Args:
        message: the DiagnosticArray.
        time_ns: sim time.
        mode: realtime, fast or paused.
        wanted_speed: parameter `speed`.
        speed: what was reached.
        lost: seconds of wall time that could not be made up for.
        waits: robots whose controllers have not answered for long.
    """
    fill_time(message.header.stamp, time_ns)
    slow = mode == "realtime" and 0.0 < speed < 0.95 * wanted_speed
    level = DiagnosticStatus.WARN if slow or waits else DiagnosticStatus.OK
    text = f"{mode}, {speed:.2f} times real time"
    if waits:
        text = f"waiting for {', '.join(waits)}"
    elif slow:
        text += f", behind {wanted_speed:g}"
    rows = {
        "mode": mode,
        "sim_time": f"{to_seconds(time_ns):.3f}",
        "speed": f"{speed:.3f}",
        "speed_wanted": f"{wanted_speed:g}",
        "lost_wall_time": f"{lost:.3f}",
        "lockstep_waits_for": ", ".join(waits),
    }
    values = [KeyValue(key=key, value=value) for key, value in rows.items()]
    message.status = [
        DiagnosticStatus(
            level=level, name="odesim: simulation", message=text, hardware_id="odesim", values=values
        )
    ]
