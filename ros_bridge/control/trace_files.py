"""`~/save_traces`: what the pens have drawn, as a picture."""

from __future__ import annotations

from pathlib import Path

from sim_core.devices.drawing.pen import Pen
from sim_core.devices.drawing.trace_pictures import save_traces
from sim_core.session.simulation import Simulation


def save_all_traces(sim: Simulation, file: str) -> str:
    """Write the traces of all pens to a .png or .svg file.

    Returns:
        A line that says what was written.

    Raises:
        CommandError: nothing has been drawn, another ending, or the file cannot be written.
    """
    pens = [
        device
        for robot in sim.robots.values()
        for device in robot.devices.values()
        if isinstance(device, Pen)
    ]
    view = save_traces(file, [pen.trace for pen in pens])
    return (
        f"{Path(file).resolve()}: x from {view.left:.3g} to {view.right:.3g} m, y from {view.bottom:.3g} to "
        + (f"{view.top:.3g} m, {view.pixels_per_metre:.4g} pixels per metre")
    )
