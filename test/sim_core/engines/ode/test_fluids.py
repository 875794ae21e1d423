"""Fluids, tested by the law of Archimedes and the formulas of drag."""

from __future__ import annotations

import math

import pytest

from sim_core.base.errors import SceneError

G = 9.81
RHO = 1000.0
SEA = """Fluid { name "sea" translation 0 0 -5 MORE boundingObject Box { size 40 40 10 } }\n"""
FLOATING = """Solid {{ name "body" translation {at} rotation {turn} {more} boundingObject {shape}
  physics Physics {{ density {density} {damping} }}
  immersionProperties ImmersionProperties {{ fluidName "sea" {properties} }} }}\n"""
CALM = "damping Damping { linear 0.9 angular 0.9 }"
STILL = "physicsDisableTime 0"


def body(
    shape: str,
    density: float = 500.0,
    at: str = "0 0 0",
    turn: str = "0 0 1 0",
    properties: str = "",
    damping: str = "",
    more: str = "",
) -> str:
    return FLOATING.format(**locals())


def sea(more: str = "") -> str:
    return SEA.replace("MORE", more)


SHAPES = {
    "Sphere { radius 0.2 }": 4 / 3 * math.pi * 0.2**3,
    "Box { size 0.3 0.4 0.5 }": 0.06,
    "Cylinder { radius 0.2 height 0.4 }": math.pi * 0.04 * 0.4,
    "Capsule { radius 0.1 height 0.4 }": math.pi * 0.01 * 0.4 + 4 / 3 * math.pi * 0.1**3,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_buoyancy_under_water(lab, shape: str) -> None:
    world, scene = lab.make(sea() + body(shape, 800.0, "0 0 -4"), 5.0)
    world.step()
    # ρ_water·V·g up and ρ·V·g down
    assert world.frame(lab.solid(scene, "body").id).linear_velocity()[2] == pytest.approx(
        (RHO / 800.0 - 1.0) * G * 0.005, rel=1e-4
    )


def test_a_ball_of_half_the_density_floats_half_immersed(lab) -> None:
    world, scene = lab.make(sea() + body("Sphere { radius 0.2 }", at="0 0 0.05", damping=CALM), 8.0)
    lab.run(world, 15.0)
    assert world.frame(lab.solid(scene, "body").id).pose().position[2] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("density", [200.0, 650.0])
def test_the_draught_of_a_box_is_its_share_of_the_density(lab, density: float) -> None:
    height = 0.2
    floating = body("Box { size 1 1 0.2 }", density, damping=CALM)
    world, scene = lab.make(sea() + floating, 8.0)
    lab.run(world, 15.0)
    z = world.frame(lab.solid(scene, "body").id).pose().position[2]
    assert height / 2 - z == pytest.approx(density / RHO * height, abs=1e-4)


def test_the_draught_of_a_ball_by_the_formula_of_the_cap(lab) -> None:
    r, density = 0.2, 300.0
    world, scene = lab.make(sea() + body("Sphere { radius 0.2 }", density, damping=CALM), 8.0)
    lab.run(world, 15.0)
    h = r - world.frame(lab.solid(scene, "body").id).pose().position[2]
    assert math.pi * h * h * (3 * r - h) / 3 * RHO == pytest.approx(
        4 / 3 * math.pi * r**3 * density, rel=1e-3
    )


def test_a_floating_box_bobs_at_the_frequency_of_its_waterplane(lab) -> None:
    # restoring force ρ·g·A·z, mass ρ_box·A·H: ω² = ρ·g / (ρ_box·H)
    world, scene = lab.make(sea() + body("Box { size 1 1 0.2 }", at="0 0 0.02"), 1.0, STILL)
    frame = world.frame(lab.solid(scene, "body").id)
    crossings, before = [], frame.pose().position[2]
    for step in range(4000):
        world.step()
        now = frame.pose().position[2]
        if before > 0.0 >= now:
            crossings.append((step + before / (before - now)) * 1e-3)
        before = now
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert period == pytest.approx(2 * math.pi * math.sqrt(500.0 * 0.2 / (RHO * G)), rel=1e-3)


def test_a_tilted_plate_rolls_at_the_frequency_of_its_metacentre(lab) -> None:
    # b = 1 m wide, H = 0.2 m high, draught T = H/2: BM = b²/(12·T), GM = BM - (H/2 - T/2)
    b, height = 1.0, 0.2
    draught = height / 2
    gm = b * b / 12 / draught - (height / 2 - draught / 2)
    inertia_by_mass = (b * b + height * height) / 12
    text = body("Box { size 2 1 0.2 }", turn="1 0 0 0.02")
    world, scene = lab.make(sea() + text, 1.0, STILL)
    frame = world.frame(lab.solid(scene, "body").id)
    crossings, before = [], frame.pose().rotation[7]
    for step in range(4000):
        world.step()
        now = frame.pose().rotation[7]
        if before > 0.0 >= now:
            crossings.append((step + before / (before - now)) * 1e-3)
        before = now
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert period == pytest.approx(2 * math.pi * math.sqrt(inertia_by_mass / (G * gm)), rel=0.01)


def fall(
    lab, properties: str, shape: str = "Box { size 0.2 0.3 0.4 }", density: float = 1500.0, turn="0 0 1 0"
):
    deep = sea().replace("0 0 -5", "0 0 -500").replace("40 40 10", "40 40 1000")
    world, scene = lab.make(deep + body(shape, density, "0 0 -10", turn, properties), 4.0)
    lab.run(world, 20.0)
    return -world.frame(lab.solid(scene, "body").id).linear_velocity()[2]


def test_terminal_velocity_with_drag_on_the_projected_area(lab) -> None:
    c = 0.8
    properties = f'referenceArea "xyz-projected area" dragForceCoefficients 0 0 {c}'
    volume, area = 0.2 * 0.3 * 0.4, 0.2 * 0.3
    expected = math.sqrt((1500.0 - RHO) * volume * G / (c * RHO * area))
    assert fall(lab, properties) == pytest.approx(expected, rel=1e-3)


def test_terminal_velocity_of_a_box_on_its_side_uses_the_axes_of_the_solid(lab) -> None:
    c = 0.8
    properties = f'referenceArea "xyz-projection" dragForceCoefficients {c} 9 9'
    expected = math.sqrt(500.0 * 0.2 * G / (c * RHO))  # V/A_x is the length along x
    assert fall(lab, properties, turn="0 1 0 1.5707963267948966") == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_terminal_velocity_with_drag_on_the_immersed_area(lab, shape: str) -> None:
    c = 0.3
    area = {
        "Sphere": 4 * math.pi * 0.04,
        "Box": 2 * (0.12 + 0.2 + 0.15),
        "Cylinder": 2 * math.pi * 0.2 * 0.4 + 2 * math.pi * 0.04,
        "Capsule": 2 * math.pi * 0.1 * 0.4 + 4 * math.pi * 0.01,
    }[shape.split()[0]]
    expected = math.sqrt(500.0 * SHAPES[shape] * G / (c * RHO * area))
    assert fall(lab, f"dragForceCoefficients {c} 7 7", shape) == pytest.approx(expected, rel=1e-3)


def test_terminal_velocity_with_viscous_resistance(lab) -> None:
    k, viscosity = 8e4, 0.001
    expected = 500.0 * 0.024 * G / (k * viscosity)
    assert fall(lab, f"viscousResistanceForceCoefficient {k}") == pytest.approx(expected, rel=1e-3)


def test_a_body_drifts_with_the_stream(lab) -> None:
    stream = sea("streamVelocity 0.4 -0.3 0")
    properties = "dragForceCoefficients 0.5 0 0 viscousResistanceForceCoefficient 1e4"
    floating = body(
        "Box { size 0.2 0.2 0.2 }", properties=properties, damping="damping Damping { linear 0 angular 0 }"
    )
    world, scene = lab.make(stream + floating, 8.0, STILL)
    lab.run(world, 40.0)
    x, y, _ = world.frame(lab.solid(scene, "body").id).linear_velocity()
    assert (x, y) == pytest.approx((0.4, -0.3), abs=0.005)


def test_drag_torque_slows_a_spin_by_the_formula(lab) -> None:
    # I·dω/dt = -t·ρ·A·ω²: 1/ω grows by t·ρ·A/I per second
    t, w0, r = 0.001, 3.0, 0.2
    text = body(
        "Sphere { radius 0.2 }", RHO, "0 0 -3", properties=f"dragTorqueCoefficients {t} 0 0",
        more=f"angularVelocity 0 0 {w0}",
    )  # fmt: skip
    world, scene = lab.make(sea() + text, 1.0)
    lab.run(world, 2.0)
    inertia = 0.4 * RHO * 4 / 3 * math.pi * r**3 * r * r
    expected = 1 / (1 / w0 + t * RHO * 4 * math.pi * r * r / inertia * 2.0)
    assert world.frame(lab.solid(scene, "body").id).angular_velocity()[2] == pytest.approx(expected, rel=1e-3)


def test_spin_by_projected_areas_and_viscous_torque(lab) -> None:
    t, w0 = 0.002, 2.0
    properties = f'referenceArea "xyz-projected area" dragTorqueCoefficients 0 0 {t}'
    text = body(
        "Box { size 0.2 0.3 0.4 }", RHO, "0 0 -3", properties=properties, more=f"angularVelocity 0 0 {w0}"
    )
    world, scene = lab.make(sea() + text, 1.0)
    world.step()
    inertia = RHO * 0.024 * (0.04 + 0.09) / 12
    areas = 0.3 * 0.4 + 0.2 * 0.4
    expected = w0 - t * RHO * areas * w0 * w0 / inertia * 0.001
    assert world.frame(lab.solid(scene, "body").id).angular_velocity()[2] == pytest.approx(expected, rel=1e-9)
    text = text.replace(properties, "viscousResistanceTorqueCoefficient 500")
    world, scene = lab.make(sea() + text, 1.0)
    lab.run(world, 1.0)
    expected = w0 * math.exp(-0.001 * 500 / inertia * 1.0)
    assert world.frame(lab.solid(scene, "body").id).angular_velocity()[2] == pytest.approx(expected, rel=3e-3)


def test_strong_drag_never_reverses_a_motion(lab) -> None:
    properties = "dragForceCoefficients 500 0 0 dragTorqueCoefficients 500 0 0"
    text = body("Box { size 0.2 0.3 0.4 }", RHO, "0 0 -3", properties=properties, more="linearVelocity 5 0 0")
    world, scene = lab.make(
        sea() + text.replace("linearVelocity", "angularVelocity 3 1 2 linearVelocity"), 32.0
    )
    frame = world.frame(lab.solid(scene, "body").id)
    before = 5.0
    for _ in range(100):
        world.step()
        now = frame.linear_velocity()[0]
        assert -1e-9 <= now <= before
        before = now
    assert before < 0.05
    assert math.hypot(*frame.angular_velocity()) < 0.5


def test_beside_and_below_a_fluid_there_is_no_force(lab) -> None:
    for place in ("25 0 -1", "0 0 -10.5"):
        world, scene = lab.make(sea() + body("Sphere { radius 0.2 }", at=place), 5.0)
        world.step()
        velocity = world.frame(lab.solid(scene, "body").id).linear_velocity()
        assert velocity[2] == pytest.approx(-G * 0.005)


def test_a_slow_stream_moves_a_body_that_would_fall_asleep(lab) -> None:
    text = body("Box { size 0.2 0.2 0.2 }", properties="viscousResistanceForceCoefficient 400")
    world, scene = lab.make(sea("streamVelocity 0.2 0 0") + text, 8.0)
    lab.run(world, 20.0)
    mass, resistance = 4.0, 0.5 * 0.001 * 400  # half of the cube's faces are wet
    expected = 0.2 * (1 - math.exp(-resistance / mass * 20.0))
    assert world.frame(lab.solid(scene, "body").id).linear_velocity()[0] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("region", ["Plane { }", "Cylinder { radius 3 height 4 }", "Sphere { radius 2 }"])
def test_the_surface_of_a_fluid_touches_its_geometry_from_above(lab, region: str) -> None:
    top = {"Plane": 0.0, "Cylinder": 2.0, "Sphere": 2.0}[region.split()[0]]
    raised = f"boundingObject Pose {{ translation 0 0 2 children {region} }}"
    fluid = f'Fluid {{ name "sea" translation 0 0 1 {raised} }}'
    text = body("Sphere { radius 0.2 }", at=f"0 0 {top + 3}")
    world, scene = lab.make(fluid + text, 5.0, STILL)
    lab.run(world, 1.0)
    assert world.frame(lab.solid(scene, "body").id).pose().position[2] == pytest.approx(top + 3, abs=1e-9)


def test_a_body_of_several_solids_is_pushed_at_each_of_them(lab) -> None:
    # a raft of two floats, 0.6 m apart, whose deck has no immersionProperties
    float_of = """Solid {{ name "{0}" translation {0} 0 0 boundingObject Box {{ size 0.2 0.8 0.2 }}
      physics Physics {{ density 100 damping Damping {{ linear 0.9 angular 0.9 }} }}
      immersionProperties ImmersionProperties {{ fluidName "sea" }} }}"""
    raft = f"""Solid {{ name "body" children [ {float_of.format(-0.3)} {float_of.format(0.3)} ]
      boundingObject Box {{ size 0.8 0.8 0.02 }} physics Physics {{ density 300 {CALM} }} }}"""
    world, scene = lab.make(sea() + raft, 8.0)
    lab.run(world, 15.0)
    pose = world.frame(lab.solid(scene, "body").id).pose()
    mass = 2 * 0.2 * 0.8 * 0.2 * 100 + 0.8 * 0.8 * 0.02 * 300
    draught = mass / RHO / (2 * 0.2 * 0.8)
    assert 0.1 - pose.position[2] == pytest.approx(draught, abs=1e-3)
    assert pose.rotation[8] == pytest.approx(1.0, abs=1e-6)


def test_a_run_after_a_reset_is_the_same(lab) -> None:
    text = body(
        "Cylinder { radius 0.2 height 0.3 }", turn="1 0.3 0 0.4", properties="dragForceCoefficients 1 0 0"
    )
    world, _ = lab.make(sea("streamVelocity 0.2 0 0") + text)
    lab.run(world, 1.0)
    first = world.get_state().bodies.tobytes()
    world.reset()
    lab.run(world, 1.0)
    assert world.get_state().bodies.tobytes() == first


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("MORE", "density -2", "Fluid.density -2, expected a finite number of 0 or more"),
        ("MORE", "viscosity -1", "Fluid.viscosity -1, expected"),
        ("Box { size 40 40 10 }", "Mesh { }", "Mesh in the boundingObject of a Fluid, expected Box"),
        ('"sea" }', '"sea" referenceArea "all" }', 'referenceArea "all", expected "immersed area" or'),
        ('"sea" }', '"sea" dragForceCoefficients 0 -1 0 }', "dragForceCoefficients (0.0, -1.0, 0.0)"),
    ],
)  # fmt: skip
def test_invalid_values_are_refused(lab, old: str, new: str, text: str) -> None:
    scene = (SEA + body("Sphere { radius 0.2 }").replace('"sea"  }', '"sea" }')).replace(old, new)
    with pytest.raises(SceneError) as caught:
        lab.make(scene.replace("MORE", ""))
    assert text in str(caught.value)


def test_a_missing_fluid_gives_a_warning(lab) -> None:
    world, _ = lab.make(sea() + body("Sphere { radius 0.2 }").replace('fluidName "sea"', 'fluidName "see"'))
    assert [w.found for w in world.warnings] == ['ImmersionProperties names no Fluid of this world: "see"']


def test_an_inertia_that_underflows_is_refused_with_its_place(lab) -> None:
    with pytest.raises(SceneError, match="inertia") as caught:
        lab.make(sea() + body("Sphere { radius 0.2 }", 5e-324))
    assert caught.value.line > 1
