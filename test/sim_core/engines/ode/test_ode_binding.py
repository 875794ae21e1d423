"""The corrected constants of ODE: with those of PyODE motors have no force and friction has no effect."""

from __future__ import annotations

import math

import pytest

from sim_core.base.errors import PhysicsError
from sim_core.engines.ode import ode_binding as binding
from sim_core.engines.ode.pyode import ode


def sphere(world: ode.World, mass: float = 2.0, radius: float = 0.1) -> ode.Body:
    body = ode.Body(world)
    inertia = 0.4 * mass * radius * radius
    body.setMass(binding.make_mass(mass, (inertia, 0, 0, 0, inertia, 0, 0, 0, inertia)))
    return body


def test_a_motor_turns_its_hinge_with_its_force() -> None:
    world = ode.World()
    body = sphere(world)
    joint = ode.HingeJoint(world)
    joint.attach(body, None)
    joint.setAnchor((0, 0, 0))
    joint.setAxis((0, 0, 1))
    binding.set_motor(joint, 1000.0, 0.004)
    for _ in range(100):
        world.step(0.01)
    assert joint.getAngleRate() == pytest.approx(0.004 / (0.4 * 2.0 * 0.01) * 1.0, rel=1e-6)


def test_a_sphere_has_the_given_mass() -> None:
    world = ode.World()
    world.setGravity((0, 0, -10))
    body = sphere(world, 3.0)
    body.addForce((0, 0, 30.0))
    world.step(0.01)
    assert body.getLinearVel() == pytest.approx((0, 0, 0), abs=1e-12)


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_coulomb_friction_stops_a_body(mu: float) -> None:
    world = ode.World()
    world.setGravity((0, 0, -10))
    body = sphere(world)
    body.setLinearVel((1.0, 0, 0))
    group, contact = ode.JointGroup(), ode.Contact()
    contact.setMode(binding.CONTACT_APPROX1 | binding.CONTACT_FDIR1)
    contact.setMu(mu)
    contact.setFDir1((1, 0, 0))
    for _ in range(50):
        contact.setContactGeomParams(body.getPosition(), (0, 0, 1), 0.0)
        ode.ContactJoint(world, group, contact).attach(body, None)
        world.step(0.001)
        group.empty()
    assert body.getLinearVel()[0] == pytest.approx(1.0 - mu * 10 * 0.05, rel=1e-3)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_calls_that_would_end_the_process_are_refused(value: float) -> None:
    with pytest.raises(PhysicsError):
        binding.finite("force", value)
    with pytest.raises(PhysicsError):
        binding.positive("mass", value)
    with pytest.raises(PhysicsError):
        binding.set_motor(None, value, 1.0)


@pytest.mark.parametrize("mass", [0.0, -1.0, math.nan])
def test_invalid_masses_are_refused(mass: float) -> None:
    with pytest.raises(PhysicsError):
        binding.make_mass(mass, (1, 0, 0, 0, 1, 0, 0, 0, 1))
    with pytest.raises(PhysicsError):
        binding.make_mass(1.0, (mass, 0, 0, 0, 1, 0, 0, 0, 1))


def test_state_in_odes_memory_is_that_of_the_body() -> None:
    world = ode.World()
    body = sphere(world)
    body.setPosition((1, 2, 3))
    body.setLinearVel((4, 5, 6))
    import ctypes

    numbers = (ctypes.c_double * binding.STATE_DOUBLES).from_address(binding.state_address(body))
    assert tuple(numbers[0:3]) == (1, 2, 3)
    assert tuple(numbers[20:23]) == (4, 5, 6)


@pytest.mark.parametrize("moments", [(1e-308, 1.0, 1.0), (1e-14, 1.0, 1.0), (1e-25, 1e-25, 1e-25)])
def test_an_inertia_that_is_singular_up_to_rounding_is_refused(moments: tuple[float, float, float]) -> None:
    """ODE would end the process."""
    a, b, c = moments
    with pytest.raises(PhysicsError, match="not by a hair"):
        binding.make_mass(1.0, (a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c))
