"""Random edits of a world: whether what is edited is what is saved, goes on from a file, and can be reset.

On the shipped worlds in turn; the number of sequences, and of the first one:

    PYTHONPATH=.:test/support python test/support/random_edits.py 200 0 [ode | fast2d]
"""

from __future__ import annotations

import hashlib
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from goldens import feed, feed_state

from sim_core.base.config import SimulationConfig
from sim_core.base.errors import OdesimError
from sim_core.base.ids import NodeId
from sim_core.base.shipped import shipped_worlds
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.devices.vision.recognition import Recognizer
from sim_core.model.geometry import FileMesh
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node, load_scene
from sim_core.scene.loader import scene_from_text
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.parameters import fields_of
from sim_core.session.supervision.present_state import save_text

WORLDS = (
    *("wall_avoiders", "line_follower", "docking", "chairs", "meshes", "soccer", "ute", "wall_follower"),
    *(f"devices/{name}" for name in (
        "distance_sensor", "touch_sensor", "light_sensor", "radar", "lidar", "camera", "compass", "gps",
        "ball_joint", "hinge2_joint", "linear_motor", "fluid", "track", "propeller", "servo", "led",
        "differential_wheels", "coupled_motors", "connector", "charger", "pen", "vacuum_gripper",
    )),
)  # fmt: skip
PLANAR = (
    *("wall_avoiders", "fast2d", "wall_follower", "arena", "docking", "chairs", "line_follower", "soccer"),
    *(f"devices/{name}" for name in (
        "distance_sensor", "lidar", "differential_wheels", "servo", "charger", "track", "linear_motor",
    )),
)  # fmt: skip
"""Those in which something drives, or turns, in the plane."""
PICTURES = ("meshes/grass.png", "../docs/viewer_pen.png", "nowhere.png")
COMING = (
    """DEF CAME Solid { name "came" translation 0.4 0.3 0.6
      children DEF CAME_SHAPE Shape {
        appearance PBRAppearance { baseColor 0.9 0.1 0.1 } geometry Box { size 0.1 0.1 0.1 } }
      boundingObject USE CAME_SHAPE physics Physics { } recognitionColors 1 0 0 radarCrossSection 1 }""",
    'Solid { name "wall" translation 0.7 0 0.1 boundingObject Box { size 0.02 0.5 0.2 } }',
    "PointLight { location 1 1 2 intensity 0.7 }",
    """Robot { name "guest" translation -0.5 0.5 0.3 controller "<none>"
      boundingObject Box { size 0.1 0.1 0.1 } physics Physics { }
      children [
        DistanceSensor { name "eye" } GPS { name "gps" }
        LED { name "lamp" children PointLight { on FALSE } } ] }""",
    """Pose { translation 0.2 0.2 0.5
      children Solid { name "ball" boundingObject Sphere { radius 0.05 } physics Physics { } } }""",
)
WORLD_VALUES = (("gravity", 3.0), ("CFM", 1e-4), ("ERP", 0.4), ("coordinateSystem", "NUE"))
STEPS = 40
EVERY = 8
"""Steps between two hashes of all that sensors measure."""


def everywhere(node: Node) -> bool:
    """Whether a node may be edited: each may."""
    return True


class Editor(NamedTuple):
    """A simulation that is edited, and with what.

    Attributes:
        coming: texts of nodes that may come; world_values: fields of WorldInfo and their new values.
        may_edit: whether a node may be.
    """

    sim: Simulation
    coming: Sequence[str] = COMING
    world_values: Sequence[tuple[str, Any]] = WORLD_VALUES
    may_edit: Callable[[Node], bool] = everywhere

    def pick(self, random: Random, wanted: Callable[[Node], bool]) -> Node:
        """A node that may be edited and is wanted."""
        return random.choice([node for node in self.sim.scene.walk() if self.may_edit(node) and wanted(node)])


Act = Callable[[Editor, Random], str]


class Comparison(NamedTuple):
    """The hashes of two simulations that shall be alike, and what was done to one of them before."""

    what: str
    done: list[str]
    found: list[str]
    expected: list[str]

    @property
    def difference(self) -> str:
        """Where they differ, and after what; empty: nowhere."""
        pairs = enumerate(zip(self.found, self.expected, strict=True))
        at = next((step for step, (found, expected) in pairs if found != expected), None)
        return "" if at is None else "\n    ".join([f"{self.what}: another from step {at} on", *self.done])


def load(world: Path, physics: str = "ode") -> Simulation:
    """The simulation of a file."""
    return Simulation(load_scene(world), SimulationConfig(physics=physics))


def comparisons(
    world: Path, random: Random, count: int, file: Path, physics: str = "ode"
) -> Iterator[Comparison]:
    """A world that is edited before its first step, and again while it runs.

    Args:
        world: its file.
        random: says what is edited.
        count: edits each time.
        file: for a snapshot.
        physics: ode or fast2d.

    Yields:
        The edited simulation and one loaded from its saved text, then that and one opened from its
        snapshot, then that after a reset and one loaded from the world's file.
    """
    sim = load(world, physics)
    done = edit(Editor(sim), random, count)
    other = Simulation(scene_from_text(save_text(sim.world), world), sim.config)
    yield Comparison("loaded from its text", done, hashes(sim), hashes(other))
    done += ["(while it runs)", *edit(Editor(sim), random, count)]
    other = Simulation.from_snapshot(sim.snapshot().save(file))
    yield Comparison("opened from its snapshot", done, hashes(sim), hashes(other))
    sim.reset()
    yield Comparison("after a reset", done, hashes(sim), hashes(load(world, physics)))


def edit(at: Editor, random: Random, count: int, more: Sequence[Act] = ()) -> list[str]:
    """Edits that a world takes; each a line of what was done."""
    done: list[str] = []
    for _ in range(count):
        act = random.choice((*ACTS, *more))
        try:
            done.append(f"{act.__name__}: {act(at, random)}")
        except (OdesimError, LookupError) as error:  # refused, or there is nothing to edit
            done.append(f"{act.__name__} refused: {error}")
    return done


def drive(sim: Simulation) -> None:
    """Let all motors turn, and every other robot with a drive."""
    for number, robot in enumerate(sim.robots.values()):
        for place, motor in enumerate(robot.motors().values()):
            try:
                motor.set_position(math.inf)
                motor.set_velocity(0.3 * motor.max_velocity * (1 if (place + number) % 3 else -1))
            except OdesimError:
                pass
        if robot.drive is not None and number % 2:
            robot.drive.set_twist(0.1, 0.3)


def hashes(sim: Simulation) -> list[str]:
    """All of `hashed_steps`."""
    return list(hashed_steps(sim))


def hashed_steps(sim: Simulation) -> Iterator[str]:
    """What the world is, step by step, while its motors turn, and now and then what all sensors measure."""
    drive(sim)
    for step in range(STEPS):
        digest = hashlib.sha256()
        if not step % EVERY:
            sensors = [
                sensor
                for robot in sim.robots.values()
                for sensor in robot.sensors()
                if not isinstance(sensor, PictureSensor)
            ]
            sim.sample(sensors)
            seen = sim.media.of(Recognizer).objects
            feed(digest, [(each.solid["name"], each.box(each.frame.pose())) for each in seen])
            feed(digest, list(_compiled(sim.physics.model)))
        feed_state(digest, sim, with_pictures=not step % EVERY)
        for name, each in sim.stateful() if step else ():
            if name.startswith("robot ") and not (step % EVERY and isinstance(each, PictureSensor)):
                feed(digest, (name, {**vars(each.state), "seen_number": 0}))
        feed(digest, sim.physics.get_state() if step else "")
        yield digest.hexdigest()[:12]
        sim.step()


def _compiled(model: WorldModel) -> Iterator[Any]:
    """What the model says, but for what is of a file, or of a node as such."""
    for record in (*model.bounding.records, *model.visible.records):
        yield record.type_name, record.offset, record.scale, record.casts_shadow
        yield record.geometry if not isinstance(record.geometry, FileMesh) else None
        yield (
            record.appearance._replace(node=NodeId(0), textures={}) if record.appearance is not None else None
        )
        yield record.appearance.mean_colour if record.appearance is not None else None
        if record.solid is not None:
            solid = model.solid(record.solid)
            yield solid.name, solid.offset, solid.moves, solid.segment
            yield model.solid(solid.carrier).name if solid.carrier is not None else None
    background, fog, viewpoint = model.surroundings
    yield background and background.colour, fog, viewpoint.pose, viewpoint.start


def _moved(random: Random, value: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(each + random.choice((-0.1, -0.03, 0.0, 0.02, 0.1)) for each in value)


def _scaled(random: Random, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(random, each) for each in value)
    return value * random.choice((0.5, 0.9, 1.1, 2.0))


def move_solid(at: Editor, random: Random) -> str:
    """A solid, wherever it is, to another place."""
    node = at.pick(random, lambda node: node.is_a("Solid"))
    value = _moved(random, at.sim.supervisor.get(node, "translation"))
    at.sim.supervisor.set(node, "translation", value)
    return f"{node.path()} to {value}"


def turn_solid(at: Editor, random: Random) -> str:
    """A solid another way round."""
    node = at.pick(random, lambda node: node.is_a("Solid"))
    value = (0.0, 0.0, 1.0, random.choice((0.1, 1.0, math.pi / 2.0)))
    at.sim.supervisor.set(node, "rotation", value)
    return f"{node.path()} by {value}"


def let_move(at: Editor, random: Random) -> str:
    """A solid that begins with a speed."""
    node = at.pick(random, lambda node: node.is_a("Solid") and node["physics"] is not None)
    field, value = random.choice(("linearVelocity", "angularVelocity")), (0.1, -0.2, 0.05)
    at.sim.supervisor.set(node, field, value)
    return f"{node.path()}.{field} {value}"


def turn_joint(at: Editor, random: Random) -> str:
    """A joint to another position."""
    places = ("jointParameters", "jointParameters2", "jointParameters3")
    node = at.pick(random, lambda node: node.parent_field in places)
    value = at.sim.supervisor.get(node, "position") + random.choice((-0.2, 0.01, 0.3))
    at.sim.supervisor.set(node, "position", value)
    return f"{node.path()} to {value}"


def move_pose(at: Editor, random: Random) -> str:
    """What stands somewhere, and is no solid."""
    node = at.pick(random, lambda node: node.is_a("Pose") and not node.is_a("Solid"))
    value = _moved(random, node["translation"])
    at.sim.supervisor.set(node, "translation", value)
    return f"{node.path()} to {value}"


def change_size(at: Editor, random: Random) -> str:
    """The size of a geometry."""
    sizes = {
        "Box": ("size",),
        "Sphere": ("radius",),
        "Cylinder": ("radius", "height"),
        "Capsule": ("radius",),
    }
    node = at.pick(random, lambda node: node.type_name in sizes)
    field = random.choice(sizes[node.type_name])
    at.sim.supervisor.set(node, field, _scaled(random, node[field]))
    return f"{node.path()}.{field} {node[field]}"


def change_mass(at: Editor, random: Random) -> str:
    """What a solid weighs."""
    node = at.pick(random, lambda node: node.type_name == "Physics")
    field = random.choice(("mass", "density"))
    at.sim.supervisor.set(node, field, _scaled(random, node[field]) if node[field] > 0.0 else 2.0)
    return f"{node.path()}.{field} {node[field]}"


def change_colour(at: Editor, random: Random) -> str:
    """The colour of a surface."""
    fields = {"Material": "diffuseColor", "PBRAppearance": "baseColor"}
    node = at.pick(random, lambda node: node.type_name in fields)
    value = (random.choice((0.0, 0.5, 1.0)), 0.3, 0.8)
    at.sim.supervisor.set(node, fields[node.type_name], value)
    at.sim.supervisor.set(node, "transparency", random.choice((0.0, 0.4, 1.0)))
    return f"{node.path()} {value}"


def change_texture(at: Editor, random: Random) -> str:
    """The picture on a surface."""
    node = at.pick(random, lambda node: node.type_name == "ImageTexture")
    value = [random.choice(PICTURES)]
    at.sim.supervisor.set(node, "url", value)
    return f"{node.path()} {value}"


def change_table(at: Editor, random: Random) -> str:
    """What a sensor answers."""
    node = at.pick(random, lambda node: node.has_field("lookupTable"))
    factor = random.choice((0.5, 2.0))
    rows = [(x, y * factor, noise) for x, y, noise in node["lookupTable"]] or [
        (0.0, 0.0, 0.0),
        (1.0, 2.0, 0.0),
    ]
    at.sim.supervisor.set(node, "lookupTable", rows)
    return f"{node.path()} {rows}"


def change_parameter(at: Editor, random: Random) -> str:
    """A parameter of a PROTO."""
    node = at.pick(random, lambda node: node.proto is not None)
    kinds = {name: kind.type for name, kind in fields_of(node).items()}
    names = [name for name, kind in kinds.items() if kind in ("SFFloat", "SFVec3f", "SFColor", "SFBool")]
    name = random.choice(names)
    value = at.sim.supervisor.get(node, name)
    if kinds[name] == "SFBool":
        value = not value
    else:
        value = (0.2, 0.6, 0.4) if kinds[name] == "SFColor" else _scaled(random, value)
    at.sim.supervisor.set(node, name, value)
    return f"{node.path()}.{name} {value}"


def change_light(at: Editor, random: Random) -> str:
    """A light."""
    node = at.pick(random, lambda node: node.is_a("Light"))
    at.sim.supervisor.set(node, "intensity", random.choice((0.0, 0.5, 2.0)))
    return f"{node.path()} {node['intensity']}"


def change_note(at: Editor, random: Random) -> str:
    """What cameras recognize, and radars find."""
    node = at.pick(random, lambda node: node.is_a("Solid"))
    if random.random() < 0.5:
        at.sim.supervisor.set(node, "recognitionColors", random.choice(([], [(1.0, 0.0, 0.0)])))
    else:
        at.sim.supervisor.set(node, "radarCrossSection", random.choice((0.0, 2.0)))
    return node.path()


def change_world(at: Editor, random: Random) -> str:
    """Gravity, how contacts are solved, and which axis is up."""
    field, value = random.choice(at.world_values)
    at.sim.supervisor.set(at.sim.scene.world_info, field, value)
    return f"{field} {value}"


def change_original(at: Editor, random: Random) -> str:
    """What USE has made copies of."""
    node = at.pick(random, lambda node: len(node.linked_nodes()) > 1)
    fields = [
        name
        for name, kind in node.node_type.fields.items()
        if kind.type in ("SFFloat", "SFVec3f", "SFColor") and node.is_set(name)
    ]
    field = random.choice(fields)
    kind = node.node_type.fields[field].type
    at.sim.supervisor.set(node, field, (0.9, 0.2, 0.2) if kind == "SFColor" else _scaled(random, node[field]))
    return f"{node.path()}.{field} {node[field]}"


def add(at: Editor, random: Random) -> str:
    """A node that comes, to the root or into a group."""
    text = random.choice(at.coming)
    into = None
    if random.random() < 0.3:
        into = at.pick(random, lambda node: node.is_a("Group") and node.has_field("children"))
    index = random.choice((-1, -1, 2))
    at.sim.supervisor.import_text(text, into, index=index)
    return f"{text[:20]} into {into} at {index}"


def remove(at: Editor, random: Random) -> str:
    """A node that goes."""
    node = at.pick(random, lambda node: node.parent is None or node.parent_field == "children")
    name = node.path()
    at.sim.supervisor.remove(node)
    return name


ACTS = (
    *(move_solid, turn_solid, let_move, turn_joint, move_pose, change_size, change_mass, change_colour),
    change_texture,
    *(change_table, change_parameter, change_light, change_note, change_world, change_original, add, remove),
)


def main(arguments: list[str]) -> int:
    """The exit code: how many sequences gave another simulation."""
    count, first = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0
    physics = arguments[2] if len(arguments) > 2 else "ode"
    names = PLANAR if physics == "fast2d" else WORLDS
    alike: Counter[str] = Counter()
    began, worlds = time.perf_counter(), shipped_worlds()
    for seed in range(first, first + count):
        random, name = Random(seed), names[seed % len(names)]
        with TemporaryDirectory() as folder:
            file = Path(folder) / "edited.snapshot"
            try:
                for each in comparisons(worlds[name], random, random.randint(1, 5), file, physics):
                    alike[each.what] += not each.difference
                    if each.difference:
                        print(f"{seed} {name} {each.difference}", flush=True)
            except OdesimError as error:
                print(f"{seed} {name}: {type(error).__name__}: {error}", flush=True)
    for what, number in alike.items():
        print(f"{number} of {count} alike, {what}")
    print(f"{time.perf_counter() - began:.0f} s")
    return int(any(number < count for number in alike.values()) or not alike)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
