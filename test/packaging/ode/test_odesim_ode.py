"""What odesim_ode computes, against closed formulas, and what it refuses where ODE would end the process."""

from __future__ import annotations

import gc
import math
import weakref
from itertools import product
from pathlib import Path
from typing import Any

import pytest


def ball(ode: Any, world: Any, mass: float = 2.0, radius: float = 0.1) -> Any:
    made = ode.Mass()
    made.setSphereTotal(mass, radius)
    body = ode.Body(world)
    body.setMass(made)
    return body


@pytest.fixture
def world(ode: Any) -> Any:
    made = ode.World()
    made.setGravity((0.0, 0.0, -10.0))
    return made


def test_the_file_of_the_module_finds_the_symbols_of_its_libode(ode: Any, built: Path) -> None:
    import ctypes

    assert ode.__file__ == str(built)
    create = ctypes.CDLL(ode.__file__).dWorldCreate
    create.restype = ctypes.c_void_p
    assert create()


def test_masses_are_those_of_the_shapes(ode: Any) -> None:
    mass = ode.Mass()
    mass.setSphereTotal(3.0, 2.0)
    assert mass.mass == pytest.approx(3.0)
    assert mass.I[0] == pytest.approx((0.4 * 3.0 * 4.0, 0.0, 0.0))
    mass.setBoxTotal(6.0, 1.0, 2.0, 3.0)
    assert mass.I[2][2] == pytest.approx(6.0 / 12.0 * (1.0 + 4.0))
    mass.translate((0.0, 0.0, 1.0))
    assert mass.c == (0.0, 0.0, 1.0)
    other = ode.Mass()
    other.setBoxTotal(2.0, 1.0, 1.0, 1.0)
    both = mass + other
    assert (mass.mass, other.mass, both.mass) == pytest.approx((6.0, 2.0, 8.0))
    assert both.c[2] == pytest.approx(6.0 / 8.0)
    both.mass = 4.0
    assert both.mass == pytest.approx(4.0)


def test_a_thrown_ball_flies_as_far_as_the_steps_say(ode: Any, world: Any) -> None:
    body, step, steps = ball(ode, world), 0.01, 100
    body.setLinearVel((1.0, 0.0, 5.0))
    for _ in range(steps):
        world.step(step)
    x, _, z = body.getPosition()
    assert x == pytest.approx(1.0)
    assert z == pytest.approx(5.0 - 10.0 * step * step * steps * (steps + 1) / 2)


def test_a_motor_named_by_the_constants_of_the_module_drives_with_its_force(ode: Any) -> None:
    world = ode.World()
    body, joint = ball(ode, world), ode.HingeJoint(world)
    joint.attach(body, None)
    joint.setAxis((0.0, 0.0, 1.0))
    joint.setParam(ode.ParamVel, 1000.0)
    joint.setParam(ode.ParamFMax, 0.004)
    joint.setFeedback(True)
    for _ in range(100):
        world.step(0.01)
    assert joint.getAngleRate() == pytest.approx(0.004 / (0.4 * 2.0 * 0.01))
    assert joint.getFeedback()[1][2] == pytest.approx(0.004)


def rolling_distance(ode: Any, rho: float) -> float:
    """How far a ball that rolls at 1 m/s comes in 1 s."""
    world, group = ode.World(), ode.JointGroup()
    world.setGravity((0.0, 0.0, -10.0))
    body = ball(ode, world)
    body.setLinearVel((1.0, 0.0, 0.0))
    body.setAngularVel((0.0, 10.0, 0.0))
    contact = ode.Contact()
    contact.setMode(ode.ContactApprox1 | ode.ContactRolling)
    contact.setMu(1.0)
    contact.setRho(rho)
    for _ in range(1000):
        x, y, _ = body.getPosition()
        contact.setContactGeomParams((x, y, -0.1), (0.0, 0.0, 1.0), 0.0)
        ode.ContactJoint(world, group, contact).attach(body, None)
        world.step(0.001)
        group.empty()
    return body.getPosition()[0]


def test_rolling_friction_slows_a_ball(ode: Any) -> None:
    """A torque of rho·m·g slows it by rho·g/r / (1 + 2/5), rho in metres."""
    rho = 0.002
    assert rolling_distance(ode, 0.0) == pytest.approx(1.0, rel=1e-3)
    assert rolling_distance(ode, rho) == pytest.approx(1.0 - 0.5 * rho * 10.0 / 0.1 / 1.4, rel=2e-3)


def test_a_mesh_is_touched_where_its_triangles_are(ode: Any) -> None:
    points = list(product((-1.0, 1.0), (-1.0, 1.0), (-0.5, 0.5)))
    faces = [
        *((0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3), (0, 4, 5), (0, 5, 1)),
        *((2, 3, 7), (2, 7, 6), (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5)),
    ]
    data = ode.TriMeshData()
    data.build(points, faces)
    mesh = ode.GeomTriMesh(data)
    assert mesh.getTriangleCount() == 12
    assert mesh.getTriangle(0) == tuple(points[corner] for corner in faces[0])
    assert mesh.getAABB() == (-1.0, 1.0, -1.0, 1.0, -0.5, 0.5)
    mesh.setPosition((0.0, 0.0, 2.0))
    ray = ode.GeomRay(None, 10.0)
    ray.set((0.3, 0.2, 10.0), (0.0, 0.0, -1.0))
    hits = [contact.getContactGeomParams() for contact in ode.collide(ray, mesh)]  # of the far side too
    place, _, depth, first, second = min(hits, key=lambda hit: hit[2])
    assert place == pytest.approx((0.3, 0.2, 2.5))
    assert depth == pytest.approx(7.5)
    assert (first, second) == (ray, mesh)
    sphere = ode.GeomSphere(None, 0.5)
    sphere.setPosition((0.3, 0.2, 2.9))
    depths = [contact.getContactGeomParams()[2] for contact in ode.collide(sphere, mesh)]
    assert max(depths) == pytest.approx(0.1)  # ODE adds one of the edge between two triangles of the face


def test_every_kind_of_space_finds_the_pairs_that_touch(ode: Any) -> None:
    spaces = [
        *(ode.SimpleSpace(), ode.HashSpace(), ode.SAPSpace()),
        ode.QuadTreeSpace((0, 0, 0), (9, 9, 9), 3),
    ]
    for space in spaces:
        geoms = [ode.GeomSphere(space, 0.6) for _ in range(5)]
        for row, geom in enumerate(geoms):
            geom.setPosition((float(row), 0.1 * row, 0.0))
        found: list[frozenset[int]] = []
        space.collide(
            found, lambda pairs, a, b, all=geoms: pairs.append(frozenset((all.index(a), all.index(b))))
        )
        assert sorted(map(sorted, set(found))) == [[row, row + 1] for row in range(4)], space
        assert len(space) == 5


def test_heights_are_those_of_the_callback(ode: Any) -> None:
    data = ode.HeightfieldData()
    data.build_callback(0.25, lambda height, x, z: height, 4.0, 4.0, 5, 5, 1.0, 0.0, 1.0, 0)
    ground = ode.GeomHeightfield(data)
    ray = ode.GeomRay(None, 5.0)
    ray.set((0.3, 2.0, 0.2), (0.0, -1.0, 0.0))
    (hit,) = ode.collide(ray, ground)
    assert hit.getContactGeomParams()[2] == pytest.approx(1.75)


def test_a_callback_that_raises_ends_the_search_and_its_error_comes_out(ode: Any) -> None:
    space, calls = ode.SimpleSpace(), []
    geoms = [ode.GeomSphere(space, 1.0) for _ in range(3)]

    def fail(argument: Any, first: Any, second: Any) -> None:
        calls.append(argument)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        space.collide("argument", fail)
    with pytest.raises(KeyError, match="mine"):
        ode.collide2(geoms[0], geoms[1], "argument", fail)
    assert calls == ["argument"] * 2


def test_a_moved_body_tells(ode: Any, world: Any) -> None:
    body, told = ball(ode, world), []
    body.setMovedCallback(told.append)
    world.step(0.01)
    body.setMovedCallback(None)
    world.step(0.01)
    assert told == [body]


def test_what_would_end_the_process_is_refused(ode: Any, world: Any) -> None:
    body, other = ball(ode, world), ball(ode, world)
    joint, group = ode.BallJoint(world), ode.JointGroup()
    grouped = ode.HingeJoint(world, group)
    geom, space = ode.GeomSphere(), ode.SimpleSpace()
    grouped.setFeedback(True)
    group.empty()
    for call, error in (
        (lambda: joint.attach(body, body), ValueError),
        (lambda: ode.Hinge2Joint(world).attach(body, None), ValueError),
        (lambda: grouped.attach(body, other), ValueError),
        (lambda: grouped.setFeedback(False), ValueError),
        (lambda: geom.setOffsetPosition((0, 0, 0)), ValueError),
        (lambda: space.remove(geom), ValueError),
        (lambda: ode.GeomSphere(space).getSpace().add(ode.GeomSphere(space)), ValueError),
        (lambda: ode.GeomPlane().setPosition((0, 0, 0)), ValueError),
        (lambda: ode.Mass().setCylinder(1.0, 0, 1.0, 1.0), ValueError),
        (lambda: body.setMass(None), TypeError),
        (lambda: ode.ContactJoint(world, group, None), TypeError),
        (lambda: ode.TriMeshData().build([(0, 0, 0)], [(0, 0, 1)]), ValueError),
        (lambda: ode.GeomTriMesh(ode.TriMeshData()), ValueError),
        (lambda: ode.HeightfieldData().buildByte(b"123", 1, 1.0, 1.0, 2, 2, 1.0, 0.0, 0.0, 0), ValueError),
        (lambda: body.setPosition((1.0, 2.0)), IndexError),
        (lambda: body.setPosition("abc"), TypeError),
    ):
        with pytest.raises(error):
            call()
    assert math.isclose(body.getMass().mass, 2.0)


def test_objects_end_with_their_last_reference_in_any_order(ode: Any) -> None:
    class Owner:
        pass

    owner = Owner()
    owner.world = ode.World()
    owner.space = ode.HashSpace()
    owner.group = ode.JointGroup()
    owner.bodies = [ball(ode, owner.world) for _ in range(10)]
    owner.geoms = [ode.GeomSphere(owner.space) for _ in owner.bodies]
    owner.joints = []
    for first, second, geom in zip(owner.bodies, owner.bodies[1:], owner.geoms, strict=False):
        geom.setBody(first)
        for group in (None, owner.group):
            owner.joints.append(ode.HingeJoint(owner.world, group))
            owner.joints[-1].attach(first, second)
            owner.joints[-1].owner = owner
            owner.joints[-1].setFeedback(True)
    owner.world.step(0.01)
    ended = [weakref.ref(value) for value in (owner, owner.world, owner.space, *owner.bodies, *owner.geoms)]
    del owner, first, second, geom, group
    gc.collect()
    assert [reference() for reference in ended] == [None] * len(ended)


def test_a_joint_of_no_group_ends_with_its_reference_and_one_of_a_group_with_the_group(
    ode: Any, world: Any
) -> None:
    body = ball(ode, world)
    joint, group = ode.BallJoint(world), ode.JointGroup()
    joint.attach(body, None)
    ode.BallJoint(world, group).attach(body, None)
    assert body.getNumJoints() == 2
    del joint
    assert body.getNumJoints() == 1
    group.empty()
    assert body.getNumJoints() == 0
