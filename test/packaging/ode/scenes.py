"""Scenes that any module with PyODE's names can run, and all numbers that come of them.

python scenes.py MODULE    # prints them as JSON, reals in hexadecimal
"""

from __future__ import annotations

import array
import importlib
import json
import math
import random
import sys
from collections.abc import Iterator
from typing import Any

# of ode/common.h and ode/contact.h: PyODE's own numbers are those of another ODE
LO_STOP, HI_STOP, VELOCITY, MAX_FORCE, CFM, SUSPENSION_ERP, SUSPENSION_CFM = 0, 1, 2, 5, 8, 11, 12
SECOND, THIRD = 256, 512
MU2, FDIR1, BOUNCE, SOFT_ERP, SOFT_CFM, SLIP1, APPROX1 = 0x1, 0x2, 0x4, 0x8, 0x10, 0x100, 0x7000


def numbers(draw: random.Random, count: int, size: float = 1.0) -> tuple[float, ...]:
    return tuple(draw.uniform(-size, size) for _ in range(count))


def direction(draw: random.Random, count: int = 3) -> tuple[float, ...]:
    found = numbers(draw, count)
    length = math.hypot(*found)  # `sum` rounds in another way from Python 3.12 on
    return tuple(value / length for value in found)


def body(ode: Any, world: Any, draw: random.Random) -> Any:
    made = ode.Body(world)
    mass = ode.Mass()
    mass.setBox(draw.uniform(100.0, 900.0), *(draw.uniform(0.1, 0.5) for _ in range(3)))
    made.setMass(mass)
    made.setPosition(numbers(draw, 3))
    made.setQuaternion(direction(draw, 4))
    made.setLinearVel(numbers(draw, 3))
    made.setAngularVel(numbers(draw, 3))
    return made


def state(body: Any) -> list[Any]:
    return [
        body.getPosition(),
        body.getRotation(),
        body.getQuaternion(),
        body.getLinearVel(),
        body.getAngularVel(),
    ]


def masses(ode: Any, draw: random.Random) -> Iterator[Any]:
    for _ in range(5):
        a, b, c, d = (draw.uniform(0.1, 2.0) for _ in range(4))
        axis = draw.choice((1, 2, 3))
        for name, sizes in (
            ("setSphere", (a, b)),
            ("setBox", (a, b, c, d)),
            ("setBoxTotal", (a, b, c, d)),
            ("setCylinder", (a, axis, b, c)),
            ("setCylinderTotal", (a, axis, b, c)),
            ("setCappedCylinder", (a, axis, b, c)),
            ("setCappedCylinderTotal", (a, axis, b, c)),
            ("setParameters", (a, 0.0, 0.0, 0.0, b, b, b, 0.01, 0.02, 0.03)),
        ):
            mass = ode.Mass()
            getattr(mass, name)(*sizes)
            yield name, mass.mass, mass.c, mass.I
            mass.adjust(d)
            other = ode.Mass()
            other.setSphere(1.0, c)
            mass.add(other)
            mass.translate(numbers(draw, 3))
            yield mass.mass, mass.c, mass.I, str(mass)


def forces(ode: Any, draw: random.Random) -> Iterator[Any]:
    world = ode.World()
    world.setGravity((0.1, 0.2, -9.81))
    world.setLinearDamping(0.01)
    world.setAngularDamping(0.02)
    falling = body(ode, world, draw)
    falling.setFiniteRotationMode(1)
    falling.setFiniteRotationAxis((0.0, 1.0, 2.0))
    for _ in range(40):
        for name in ("addForce", "addTorque", "addRelForce", "addRelTorque"):
            getattr(falling, name)(numbers(draw, 3, 5.0))
        for name in ("addForceAtPos", "addForceAtRelPos", "addRelForceAtPos", "addRelForceAtRelPos"):
            getattr(falling, name)(numbers(draw, 3, 5.0), numbers(draw, 3))
        yield falling.getForce(), falling.getTorque()
        world.step(0.01)
        yield state(falling)
        for name in (
            *("getRelPointPos", "getRelPointVel", "getPointVel"),
            *("getPosRelPoint", "vectorToWorld", "vectorFromWorld"),
        ):
            yield getattr(falling, name)(numbers(draw, 3))
    yield falling.getFiniteRotationAxis(), world.impulseToForce(0.1, (1.0, 2.0, 3.0)), world.getGravity()


def joints(ode: Any, draw: random.Random) -> Iterator[Any]:
    """Every kind of joint, driven, with what it measures."""
    for kind in (
        *("BallJoint", "HingeJoint", "SliderJoint", "UniversalJoint", "Hinge2Joint"),
        *("FixedJoint", "AMotor", "LMotor", "Plane2DJoint"),
    ):
        world = ode.World()
        world.setGravity((0.0, 0.0, -9.81))
        world.setERP(0.4)
        world.setCFM(1e-6)
        first, second = body(ode, world, draw), body(ode, world, draw)
        joint = getattr(ode, kind)(world)
        joint.attach(first, None if kind == "Plane2DJoint" else second)
        getters = ["getAnchor", "getAnchor2"] if hasattr(joint, "setAnchor") else []
        if getters:
            joint.setAnchor(numbers(draw, 3))
        if kind in ("HingeJoint", "SliderJoint"):
            joint.setAxis(direction(draw))
            getters.append("getAxis")
        elif kind in ("UniversalJoint", "Hinge2Joint"):
            joint.setAxis1((0.0, 0.6, 0.8))
            joint.setAxis2((1.0, 0.0, 0.0))
            getters += ["getAxis1", "getAxis2", "getAngle1", "getAngle1Rate", "getAngle2Rate"]
        elif kind in ("AMotor", "LMotor"):
            joint.setNumAxes(3)
            for axis in range(3):
                joint.setAxis(axis, axis, direction(draw))
        elif kind == "FixedJoint":
            joint.setFixed()
        getters += {
            "HingeJoint": ["getAngle", "getAngleRate"],
            "SliderJoint": ["getPosition", "getPositionRate"],
            "UniversalJoint": ["getAngle2"],
        }.get(kind, [])
        if kind == "Plane2DJoint":
            joint.setXParam(VELOCITY, 0.3)
            joint.setXParam(MAX_FORCE, 10.0)
            joint.setYParam(CFM, 0.1)
            joint.setAngleParam(VELOCITY, 1.0)
            joint.setAngleParam(MAX_FORCE, 1.0)
        elif kind not in ("BallJoint", "FixedJoint"):
            for offset in (0, SECOND, THIRD)[: 3 if "Motor" in kind else 2 if "2" in kind else 1]:
                joint.setParam(VELOCITY + offset, draw.uniform(-2.0, 2.0))
                joint.setParam(MAX_FORCE + offset, draw.uniform(1.0, 20.0))
                yield joint.getParam(VELOCITY + offset), joint.getParam(MAX_FORCE + offset)
            if kind in ("HingeJoint", "SliderJoint"):
                joint.setParam(HI_STOP, 0.5)
                joint.setParam(LO_STOP, -0.5)
            if kind == "Hinge2Joint":
                joint.setParam(SUSPENSION_ERP, 0.3)
                joint.setParam(SUSPENSION_CFM, 1e-3)
        joint.setFeedback(True)
        for _ in range(25):
            if kind == "HingeJoint":
                joint.addTorque(draw.uniform(-1.0, 1.0))
            elif kind == "SliderJoint":
                joint.addForce(draw.uniform(-1.0, 1.0))
            elif kind in ("UniversalJoint", "Hinge2Joint"):
                joint.addTorques(*numbers(draw, 2))
            elif kind == "AMotor":
                joint.addTorques(*numbers(draw, 3))
            world.step(0.005)
            yield state(first), state(second), [getattr(joint, name)() for name in getters]
            if kind == "AMotor":
                yield [[joint.getAngleRate(axis), joint.getAxis(axis)] for axis in range(3)]
            yield joint.getFeedback()[: 2 if kind == "Plane2DJoint" else 4]  # of no second body: garbage
        yield ode.areConnected(first, second), first.getNumJoints()


def shapes(ode: Any, space: Any, draw: random.Random) -> list[Any]:
    made = [
        ode.GeomSphere(space, draw.uniform(0.1, 0.3)),
        ode.GeomBox(space, tuple(draw.uniform(0.2, 0.5) for _ in range(3))),
        ode.GeomCapsule(space, draw.uniform(0.1, 0.2), draw.uniform(0.1, 0.4)),
        ode.GeomCylinder(space, draw.uniform(0.1, 0.2), draw.uniform(0.1, 0.4)),
    ]
    transform = ode.GeomTransform(space)
    inner = ode.GeomBox(None, (0.2, 0.3, 0.1))
    inner.setPosition((0.05, 0.0, 0.1))
    transform.setGeom(inner)
    transform.setInfo(1)
    return [*made, transform]


def contacts(ode: Any, draw: random.Random) -> Iterator[Any]:
    """Bodies of all shapes fall on a plane and a heightfield, in every kind of space, with both solvers."""
    spaces = (
        lambda: ode.SimpleSpace(),
        lambda: ode.HashSpace(),
        lambda: ode.QuadTreeSpace((0.0, 0.0, 0.0), (10.0, 10.0, 10.0), 4),
    )  # not SAPSpace: PyODE's misses pairs
    for number, make in enumerate(spaces):
        world = ode.World()
        world.setGravity((0.0, 0.0, -9.81))
        world.setAutoDisableFlag(1)
        space, group, order = make(), ode.JointGroup(), []
        floor = ode.GeomPlane(space, (0.0, 0.0, 1.0), -0.3)
        data = ode.HeightfieldData()
        heights = array.array("d", [draw.uniform(0.0, 0.2) for _ in range(25)])
        data.buildDouble(heights, 1, 4.0, 4.0, 5, 5, 1.0, 0.0, 0.5, 0)
        hills = ode.GeomHeightfield(data, 1, space)
        hills.setRotation((1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0))
        hills.setPosition((0.0, 0.0, -0.4))
        geoms = [floor, hills, *(geom for _ in range(3) for geom in shapes(ode, space, draw))]
        bodies = []
        for geom in geoms[2:]:
            bodies.append(body(ode, world, draw))
            geom.setBody(bodies[-1])
            if not isinstance(geom, ode.GeomTransform):
                geom.setOffsetPosition(numbers(draw, 3, 0.05))
        index = {geom: row for row, geom in enumerate(geoms)}

        def near(
            flags: int,
            first: Any,
            second: Any,
            world: Any = world,
            group: Any = group,
            order: Any = order,
            index: Any = index,
        ) -> None:
            if first.getBody() is None and second.getBody() is None:
                return
            for contact in ode.collide(first, second):
                place, normal, depth, one, other = contact.getContactGeomParams()
                order.append((index[first], index[second], index[one], index[other], place, normal, depth))
                contact.setMode(flags)
                contact.setMu(0.7)
                contact.setMu2(0.4)
                contact.setBounce(0.2)
                contact.setBounceVel(0.1)
                contact.setSoftERP(0.3)
                contact.setSoftCFM(1e-4)
                contact.setSlip1(1e-3)
                contact.setFDir1((-normal[1], normal[0], 0.0) if abs(normal[2]) < 0.9 else (1.0, 0.0, 0.0))
                ode.ContactJoint(world, group, contact).attach(first.getBody(), second.getBody())

        for step in range(30):
            space.collide(MU2 | FDIR1 | BOUNCE | SOFT_ERP | SOFT_CFM | SLIP1 | APPROX1, near)
            if number % 2:
                world.quickStep(0.01)
            else:
                world.step(0.01)
            group.empty()
            yield list(order)
            order.clear()
            if step % 5 == 0:
                yield [[state(each), each.isEnabled()] for each in bodies]
                yield [[geom.getAABB(), geom.isEnabled()] for geom in geoms]
        if not isinstance(space, ode.QuadTreeSpace):  # ODE cannot list its geoms
            yield [index[geom] for geom in space], space.getNumGeoms()
        space.remove(geoms[3])
        yield [space.query(geom) for geom in geoms], len(space)


def rays(ode: Any, draw: random.Random) -> Iterator[Any]:
    ray, inner = ode.GeomRay(None, 5.0), ode.SimpleSpace()
    geoms = [ode.GeomPlane(inner, (0.0, 0.0, 1.0), -0.5), *shapes(ode, inner, draw)[:4]]
    for _ in range(60):
        for geom in geoms[1:]:
            geom.setPosition(numbers(draw, 3))
            geom.setQuaternion(direction(draw, 4))
            yield geom.getRotation(), geom.getQuaternion(), geom.getPosition()
        ray.set(numbers(draw, 3), direction(draw))
        yield ray.get(), [geom.pointDepth((0.1, 0.2, 0.3)) for geom in geoms[:4]]
        found: list[Any] = []
        ode.collide2(ray, inner, found, lambda hits, a, b: hits.extend(ode.collide(a, b)))
        yield [contact.getContactGeomParams()[:3] for contact in found]


def spelled(value: Any) -> Any:
    """A value for JSON, each bit of a real kept."""
    if isinstance(value, float):
        return value.hex()
    return [spelled(each) for each in value] if isinstance(value, (list, tuple)) else value


SCENES = (masses, forces, joints, contacts, rays)


def main(module: str) -> None:
    """Print what all scenes give, each with three seeds."""
    ode = importlib.import_module(module)
    print(
        json.dumps(
            {
                f"{scene.__name__} {seed}": spelled(list(scene(ode, random.Random(seed))))
                for scene in SCENES
                for seed in range(3)
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
