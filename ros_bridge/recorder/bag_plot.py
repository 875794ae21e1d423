"""`odesim bag plot`: draws trajectories on the map, or numbers over time."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.topics.message_fields import leaves
from ros_bridge.topics.names import MARKERS
from sim_core.base.arrays import FloatArray
from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import OdesimError, RecordingError, hint
from sim_core.base.geometry import convex_hull

ODOMETRY = "nav_msgs/msg/Odometry"
TRUTH = "ground_truth"
ENDINGS = (".png", ".svg", ".pdf")
MARGIN = 0.5
"""Margin around the drawn objects, m."""


LONGEST_LINE = 90
"""Maximum length of a line of the title, in characters."""
FIELD_UNITS = {
    "position.x": "m", "position.y": "m", "position.z": "m",
    "point.x": "m", "point.y": "m", "point.z": "m",
    "translation.x": "m", "translation.y": "m", "translation.z": "m",
    "linear.x": "m/s", "linear.y": "m/s", "linear.z": "m/s",
    "angular.x": "rad/s", "angular.y": "rad/s", "angular.z": "rad/s",
    "linear_acceleration.x": "m/s²", "linear_acceleration.y": "m/s²", "linear_acceleration.z": "m/s²",
    "angular_velocity.x": "rad/s", "angular_velocity.y": "rad/s", "angular_velocity.z": "rad/s",
    "voltage": "V", "current": "A", "charge": "Ah", "capacity": "Ah",
    "range": "m", "min_range": "m", "max_range": "m", "illuminance": "lx",
    "latitude": "°", "longitude": "°", "altitude": "m",
}  # fmt: skip
"""SI units by the last part of the field's name, as the standard messages define them."""


class Series(NamedTuple):
    """A number over time.

    Attributes:
        name: `/topic.field`.
        times: s.
        values: in `unit`.
        unit: empty if the message definition gives none.
    """

    name: str
    times: list[float]
    values: list[float]
    unit: str = ""


def plot(bag: Bag, wanted: Sequence[str], target: Path) -> None:
    """Draw a bag and write the picture.

    Args:
        bag: the bag to read.
        wanted: fields to draw, each as `/topic.field`; empty: the trajectories of all robots.
        target: .png, .svg or .pdf file, which must not exist.

    Raises:
        RecordingError: there is no such topic or field, nothing to draw, or the file exists.
    """
    if target.suffix.lower() not in ENDINGS:
        raise RecordingError(f"{target}: found the ending {target.suffix!r}, expected {', '.join(ENDINGS)}")
    if target.exists():
        raise RecordingError(f"{target}: exists already, expected a new file")
    import matplotlib

    matplotlib.use("Agg")
    figure = _series_figure([series(bag, each) for each in wanted]) if wanted else _map_figure(bag)
    try:
        with atomic_file(target) as part:
            figure.savefig(part, dpi=150, bbox_inches="tight")
    except OSError as error:
        raise RecordingError(f"{target}: cannot be written: {error.strerror}") from None


def series(bag: Bag, wanted: str) -> Series:
    """Return the values of `/topic.field`.

    Raises:
        RecordingError: there is no such topic or field, or it is not a number.
    """
    fits = [name for name in bag.rows if wanted.startswith(f"{name}.")]
    if wanted in bag.rows:
        raise RecordingError(f"{bag.path}: found the topic {wanted} alone, expected {wanted}.FIELD")
    if not fits:
        topic = wanted.partition(".")[0]
        raise RecordingError(f'{bag.path}: no topic "{topic}"{hint(topic, bag.rows)}; write /topic.field')
    topic = max(fits, key=len)
    field = wanted[len(topic) + 1 :]
    unit = next((unit for end, unit in FIELD_UNITS.items() if f".{field}".endswith(f".{end}")), "")
    found = Series(wanted, [], [], unit)
    for _, time_ns, message in bag.messages([topic]):
        values = dict(leaves(message, most=None))
        if field not in values:
            near = hint(field, values) or f", it has {', '.join(list(values)[:12])}"
            raise RecordingError(f'{topic}: no field "{field}"{near}')
        if not isinstance(values[field], (int, float)):
            raise RecordingError(f"{wanted}: found {values[field]!r}, expected a number")
        found.times.append(time_ns / 1e9)
        found.values.append(float(values[field]))
    return found


def _series_figure(found: Sequence[Series]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 1.2 + 2.2 * len(found)), layout="constrained")
    grid = figure.subplots(len(found), 1, sharex=True, squeeze=False)
    for axes, one in zip(grid[:, 0], found, strict=True):
        axes.plot(one.times, one.values, linewidth=1.0)
        axes.set_title("\n".join(textwrap.wrap(one.name, LONGEST_LINE)), fontsize="medium")
        field = one.name.rpartition(".")[2]
        axes.set_ylabel(f"{field} in {one.unit}" if one.unit else field)
        axes.grid(alpha=0.3)
    grid[-1, 0].set_xlabel("time in s")
    return figure


def trajectories(bag: Bag) -> dict[str, np.ndarray]:
    """Return the positions of each odometry topic in the world, (n, 2) m, by topic.

    Odometry starts at the robot's start pose: the path is moved to the first true pose, if it was recorded.
    """
    topics = [row.name for row in bag.rows.values() if row.type_name == ODOMETRY and row.messages]
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in topics}
    starts: dict[str, tuple[float, float, float]] = {}
    for topic, _, message in bag.messages(topics):
        pose = message.pose.pose
        found[topic].append((pose.position.x, pose.position.y))
        if topic not in starts:
            turn = pose.orientation
            yaw = 2.0 * math.atan2(turn.z, turn.w)
            starts[topic] = (pose.position.x, pose.position.y, yaw)
    paths = {name: np.array(points) for name, points in found.items()}
    for topic in paths:
        truth = f"{topic.removesuffix('odom')}{TRUTH}"
        if topic.endswith("/odom") and truth in paths:
            (x, y, yaw), (x0, y0, yaw0) = starts[topic], starts[truth]
            c, s = math.cos(yaw0 - yaw), math.sin(yaw0 - yaw)
            paths[topic] = (paths[topic] - (x, y)) @ np.array([[c, s], [-s, c]]) + (x0, y0)
    return paths


def _map_figure(bag: Bag) -> Any:
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

    paths = trajectories(bag)
    if not paths:
        raise RecordingError(f"{bag.path}: no odometry was recorded; write /topic.field of what to draw")
    shapes = world_outlines(bag)
    figure = Figure(figsize=(9.0, 8.0))  # a long legend beside the map makes the picture wider
    axes = figure.subplots()
    polygons = [shape for shape in shapes if len(shape.points) > 2]
    light = [tuple(0.35 * part + 0.65 for part in shape.colour[:3]) for shape in polygons]
    edges = ["none" if shape.top < FLAT else "0.5" for shape in polygons]
    corners = [shape.points for shape in polygons]
    axes.add_collection(PolyCollection(corners, facecolors=light, edgecolors=edges, linewidths=0.5))
    colours: dict[str, str] = {}
    for topic, points in paths.items():
        robot, _, kind = topic.strip("/").rpartition("/")
        colour = colours.setdefault(robot, f"C{len(colours) % 10}")
        style = "--" if kind == "odom" else "-"
        axes.plot(points[:, 0], points[:, 1], style, color=colour, linewidth=1.2, label=topic)
        axes.plot(*points[0], "o", color=colour, markersize=4)
    solid = [shape.points for shape in polygons if shape.top >= FLAT]
    every = np.concatenate([*paths.values(), *solid])
    low, high = every.min(axis=0) - MARGIN, every.max(axis=0) + MARGIN
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x in m", ylabel="y in m")
    axes.set_aspect("equal")
    if len(paths) <= 24:
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def world_outlines(bag: Bag) -> list[Outline]:
    """Return outlines of shapes that belong to no robot: from the bag, or the world file, or none."""
    shown = next((name for name in bag.rows if name.endswith(MARKERS)), None)
    if shown is not None:
        seen: dict[int, Any] = {}
        for _, _, message in bag.messages([shown]):
            for marker in message.markers:
                if marker.ns == "world":
                    seen.setdefault(marker.id, marker)
            break  # the first array contains all shapes
        return outlines(seen.values())
    world = bag.facts.get(facts.WORLD, "")
    if not Path(world).is_file():
        return []
    from visualization_msgs.msg import MarkerArray

    from ros_bridge.composites.markers import MarkersFiller
    from sim_core.base.config import SimulationConfig
    from sim_core.session.load_world import load_world

    message = MarkerArray()
    try:
        sim = load_world(world, SimulationConfig(plugins=False))
        MarkersFiller(sim).fill(message, 0)
        sim.close()
    except OdesimError:
        return []
    return outlines(marker for marker in message.markers if marker.ns == "world")


CUBE, SPHERE, CYLINDER, TRIANGLES = 1, 2, 3, 11
"""Types of visualization_msgs/Marker."""
FLAT = 0.02
"""Height in m up to which a shape counts as ground."""
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


class Outline(NamedTuple):
    """Outline of a shape, seen from above."""

    points: FloatArray
    """(n, 2) m."""
    colour: tuple[float, float, float, float]
    top: float
    """Height above the ground, m."""


def outlines(markers: Iterable[Any]) -> list[Outline]:
    """Return the outlines of visualization_msgs/Markers, the lowest first; unsupported types are left out."""
    found: list[Outline] = []
    for marker in markers:
        colour = (marker.color.r, marker.color.g, marker.color.b, marker.color.a)
        for solid in _solids(marker):
            placed = _placed(solid, marker.pose)
            corners = convex_hull((x, y) for x, y, _ in placed.tolist())
            found.append(Outline(np.array(corners), colour, float(placed[:, 2].max())))
    return sorted(found, key=lambda outline: outline.top)


def _solids(marker: Any) -> Iterable[FloatArray]:
    """Iterate over sets of points, in the frame of the shape, whose convex hulls form the shape."""
    scale = np.array([marker.scale.x, marker.scale.y, marker.scale.z])
    angle = np.linspace(0.0, 2.0 * np.pi, 33)[:-1]
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1) / 2.0
    if marker.type == CUBE:
        yield CORNERS * scale
    elif marker.type == CYLINDER:
        yield np.concatenate([np.insert(circle, 2, z, axis=1) for z in (-0.5, 0.5)]) * scale
    elif marker.type == SPHERE:
        for_height = [(z, np.sqrt(max(0.0, 0.25 - z * z)) * 2.0) for z in np.linspace(-0.5, 0.5, 9)]
        yield np.concatenate([np.insert(circle * wide, 2, z, axis=1) for z, wide in for_height]) * scale
    elif marker.type == TRIANGLES and len(marker.points) > 2:
        corners = np.array([(p.x, p.y, p.z) for p in marker.points]) * scale
        yield from corners[: len(corners) // 3 * 3].reshape(-1, 3, 3)


def _placed(points: FloatArray, pose: Any) -> FloatArray:
    x, y, z, w = pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w
    axis = np.array([x, y, z])
    turned = points + 2.0 * np.cross(axis, np.cross(axis, points) + w * points)
    return turned + np.array([pose.position.x, pose.position.y, pose.position.z])
