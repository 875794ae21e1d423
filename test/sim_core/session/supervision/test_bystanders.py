"""An edit of a running world equals, to the last bit, a load of the edited world that continues from the
state before; bodies that it does not concern are unchanged."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bystanders import run
from random_edits import hashes

from sim_core.base.shipped import shipped_worlds
from sim_core.model.dynamics.difference import difference
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

SEEDS = {"chairs": 7, "docking": 5, "devices/touch_sensor": 8, "devices/vacuum_gripper": 3}
PLANAR_SEEDS = {"fast2d": 8, "wall_avoiders": 3}
"""Distance of edits from each world's bodies."""


@pytest.mark.parametrize(
    ("world", "seed", "physics"),
    [(*each, "ode") for each in SEEDS.items()] + [(*each, "fast2d") for each in PLANAR_SEEDS.items()],
)
def test_bodies_far_from_edits_continue_to_the_last_bit(world: str, seed: int, physics: str) -> None:
    file = shipped_worlds()[world]
    done, seen = run(file, seed, 4, physics)
    assert len([line for line in done if " refused" not in line]) >= 4, done
    assert seen == run(file, 0, 0, physics)[1], done


HEAP = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0.1 }
Solid { name "floor" boundingObject Plane { size 20 20 } }
DEF LOW Solid { name "low" translation 0 0 0.1
  boundingObject DEF LOW_BOX Box { size 0.4 0.4 0.2 } physics DEF LOW_MASS Physics { density -1 mass 2 } }
DEF HIGH Solid { name "high" translation 0.05 0 0.29
  boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 1 } }
DEF BALL Solid { name "ball" translation 1 0 0.4 linearVelocity 0.5 0.2 0
  boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }
DEF REST Solid { name "rest" translation 3 0 0.05
  boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 } }
DEF CART Solid { name "cart" translation 0 3 0.1
  boundingObject Box { size 0.4 0.2 0.1 } physics DEF CART_MASS Physics { density -1 mass 2 }
  children HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.2 0.15 0 }
    endPoint Solid { name "wheel" translation 0.2 0.15 0 boundingObject Sphere { radius 0.1 }
      physics DEF WHEEL_MASS Physics { density -1 mass 0.5 } } } }
DEF LAST Solid { name "last" translation -1 0 0.5
  boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
"""
COMES = 'Solid { name "comes" translation 0 1 0.5 boundingObject Sphere { radius 0.1 } physics Physics { } }'
PLATFORM = """Solid { name "platform" translation 0.9 0 0.05 boundingObject Box { size 2 2 0.1 } }
Solid { name "above" translation 0 0 0.6 boundingObject Sphere { radius 0.1 } physics Physics { } }"""
IN_PLACE: dict[str, Callable[[Simulation], object]] = {
    "size": lambda sim: sim.supervisor.set("LOW_BOX", "size", (0.4, 0.3, 0.2)),
    "mass": lambda sim: sim.supervisor.set("LOW_MASS", "mass", 3.0),
    "mass of a chassis": lambda sim: sim.supervisor.set("CART_MASS", "mass", 7.0),
    "mass of a wheel": lambda sim: sim.supervisor.set("WHEEL_MASS", "mass", 4.0),
    "removal": lambda sim: sim.supervisor.remove("LAST"),
    "coming of a floor": lambda sim: sim.supervisor.import_text(PLATFORM),
    "coming": lambda sim: sim.supervisor.import_text(COMES),
}


@pytest.mark.parametrize("kind", IN_PLACE)
@pytest.mark.parametrize("steps", [1, 12])
def test_a_change_in_place_equals_a_build_of_the_edited_scene(kind: str, steps: int) -> None:
    """Both ways, while all bodies move and while some are about to fall asleep."""
    change = IN_PLACE[kind]
    runs = []
    for is_built in (False, True):
        sim = Simulation(parse_scene(HEAP, "heap.wbt"))
        sim.step(steps)
        editing = sim.physics.can.editing
        assert editing is not None
        former, before, builds = editing.named_state(), editing.dynamics, sim.physics.builds
        change(sim)
        if is_built:
            editing.rebuild(difference(before, editing.dynamics), former)
        runs.append((hashes(sim), sim.physics.builds - builds))
    (in_place, few), (built, more) = runs
    assert in_place == built
    assert few < more


def awake(sim: Simulation, name: str) -> bool:
    owners = sim.physics.built.reading.owners  # type: ignore[attr-defined]
    return bool(owners[sim.supervisor.node(name).id].body.isEnabled())


def height(sim: Simulation, name: str) -> float:
    return sim.supervisor.pose(name).position[2]


@pytest.mark.parametrize(
    "edit",
    [
        lambda sim: sim.supervisor.remove("LOW"),
        lambda sim: sim.supervisor.set("LOW", "translation", (0.0, 5.0, 0.1)),
        lambda sim: sim.supervisor.set("LOW_BOX", "size", (0.4, 0.4, 0.05)),
    ],
)
def test_an_edit_wakes_only_bodies_that_touch_it(edit: Callable[[Simulation], object]) -> None:
    """A body on the edited solid falls: √(2·0.1/g) is 0.14 s for the first 0.1 m."""
    sim = Simulation(parse_scene(HEAP.replace("linearVelocity 0.5 0.2 0", ""), "heap.wbt"))
    while awake(sim, "HIGH") or awake(sim, "REST") or awake(sim, "BALL"):
        assert sim.time < 20.0
        sim.step()
    before = height(sim, "HIGH")
    edit(sim)
    assert awake(sim, "HIGH")
    assert not awake(sim, "REST")
    assert not awake(sim, "BALL")
    sim.run(0.3)
    assert height(sim, "HIGH") < before - 0.1


@pytest.mark.parametrize("field", ["gravity", "CFM", "ERP"])
def test_a_field_of_the_world_that_is_set_to_its_own_value_changes_nothing(field: str) -> None:
    runs = []
    for sets in (False, True):
        sim = Simulation(parse_scene(HEAP, "heap.wbt"))
        sim.step(12)
        if sets:
            sim.supervisor.set(sim.scene.world_info, field, sim.scene.world_info[field])
        runs.append(hashes(sim))
    assert runs[0] == runs[1]
