"""`/odesim/markers`: the visible shapes of the world for RViz."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ros_bridge.composites.marker_shapes import Part, parts_of
from ros_bridge.composites.marker_traces import TraceMarkers
from ros_bridge.control.node_outline import name_to_pick
from ros_bridge.topics.conversions import fill_pose, fill_time, fill_vector
from ros_bridge.topics.frames import WORLD
from sim_core.base.geometry import Pose
from sim_core.devices.light.led import Led
from sim_core.model.appearance import Appearance
from sim_core.model.kinematics import can_move
from sim_core.model.shapes import ShapeRecord, visible_shapes
from sim_core.scene import Node
from sim_core.session.charger import Charger
from sim_core.session.simulation import Simulation

GREY = (0.7, 0.7, 0.7, 1.0)


class _Placed(NamedTuple):
    """A marker and where it is now."""

    marker: Any
    pose: Callable[[], Pose]
    moves: bool


class MarkersFill:
    """Fills visualization_msgs/MarkerArray, with everything or with what moves.

    Attributes:
        everything: True: the next array holds all shapes, because somebody may not have seen them yet.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._placed: list[_Placed] | None = None
        self._lamps: list[_Lamp] = []
        self._traces = TraceMarkers(sim)
        self.everything = True
        self._forget = False

    def remake(self) -> None:
        """The world looks otherwise: begin again, and let who shows it forget what was there."""
        self._placed = None
        self._lamps = []
        self.everything = self._forget = True

    def constants(self, message: Any) -> None:
        """Nothing: shapes are made when first asked for, which may be never."""

    def fill(self, message: Any, time_ns: int) -> None:
        """The poses of now."""
        if self._placed is None:
            self._placed = list(self._make())
        for lamp in self._lamps:
            lamp.fill()
        shown = [item for item in self._placed if item.moves or self.everything]
        lines = list(self._traces.markers(self.everything))
        labels = self._label_markers() if self.everything else []
        orders = [Marker(action=Marker.DELETEALL)] if self._forget else []
        self.everything = self._forget = False
        for marker, pose, _ in shown:
            fill_time(marker.header.stamp, time_ns)
            fill_pose(marker.pose, pose())
        for marker in lines:
            fill_time(marker.header.stamp, time_ns)
        # The traces come first: among them may be the order to forget all markers.
        message.markers = orders + lines + [item.marker for item in shown] + labels

    def _label_markers(self) -> list[Any]:
        """The supervisor's texts, over the origin: left to right along -y, as the world is seen from -x."""
        found = []
        for number, label in self._sim.supervisor.labels.items():
            marker = Marker(id=number, ns="labels", type=Marker.TEXT_VIEW_FACING, action=Marker.ADD)
            marker.header.frame_id = WORLD
            marker.text = label.text
            marker.scale.z = label.size
            marker.pose.position.y, marker.pose.position.z = 0.5 - label.x, 1.5 - label.y
            red, green, blue = label.colour
            marker.color = ColorRGBA(r=red, g=green, b=blue, a=1.0 - label.transparency)
            found.append(marker)
        return found

    def _make(self) -> list[_Placed]:
        placed: list[_Placed] = []
        leds = _leds(self._sim)
        for record in visible_shapes(self._sim.scene):
            led = leds.get(record.appearance.node) if record.appearance is not None else None
            for part in parts_of(record.geometry):
                one = self._place(record, part, len(placed))
                one.marker.text = name_to_pick(self._sim, record.solid)  # nothing shows it as text
                placed.append(one._replace(moves=one.moves or led is not None))  # its colour changes
                if led is not None:
                    self._lamps.append(_Lamp(placed[-1].marker, led, _colour(record.appearance)))
        return placed

    def _place(self, record: ShapeRecord, part: Part, number: int) -> _Placed:
        offset = record.offset * part.pose
        if record.solid is None:
            return _Placed(_marker(record, part, number), lambda: offset, False)
        frame = self._sim.physics.frame(record.solid)
        wheel = next((node for node in record.node.ancestors() if node.type_name == "TrackWheel"), None)
        belt = self._sim.physics.belt(record.solid) if wheel is not None else None
        if wheel is not None and belt is not None:
            return _Placed(
                _marker(record, part, number), lambda: frame.pose() * belt.wheel_turn(wheel) * offset, True
            )
        return _Placed(_marker(record, part, number), lambda: frame.pose() * offset, can_move(record.solid))


class _Lamp(NamedTuple):
    """The marker of a shape that an LED or a charger lets shine."""

    marker: Any
    led: Led | Charger
    dark: tuple[float, float, float, float]

    def fill(self) -> None:
        """Its own colour, as far as the light of the LED does not outshine it."""
        light = self.led.colour
        rest = 1.0 - max(light)
        red, green, blue = (own * rest + part for own, part in zip(self.dark, light, strict=False))
        self.marker.color = ColorRGBA(r=red, g=green, b=blue, a=self.dark[3])


def _leds(sim: Simulation) -> dict[Node, Led | Charger]:
    """LEDs and chargers by the appearances that they change."""
    devices = [device for robot in sim.robots.values() for device in robot.devices.values()]
    shining: list[Led | Charger] = [*sim.chargers, *(device for device in devices if isinstance(device, Led))]
    return {look: each for each in shining for look in each.appearances}


def _marker(record: ShapeRecord, part: Part, number: int) -> Any:
    marker = Marker(id=number, ns=record.robot["name"] if record.robot else "world", action=Marker.ADD)
    marker.header.frame_id = WORLD
    marker.type = getattr(Marker, part.kind)
    size = tuple(length * factor for length, factor in zip(part.size, record.scale, strict=True))
    fill_vector(marker.scale, (abs(size[0]), abs(size[1]), abs(size[2])))
    red, green, blue, alpha = part.colour or _colour(record.appearance)
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=alpha)
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in part.points]
    marker.mesh_resource = part.file
    return marker


def _colour(appearance: Appearance | None) -> tuple[float, float, float, float]:
    """Mean colour, and opacity."""
    return (appearance.mean_colour if appearance is not None else None) or GREY
