"""The wall-avoider scene in MuJoCo and pybullet, with their own contacts and solvers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.physics_scene import SPEEDS, TORQUE
from sim_core.engines.ode import PhysicsWorld
from sim_core.scene import Scene

BODY, LID, WHEEL, BALL = (0.2, 0.2, 0.175), (0.3, 0.025), (0.2, 0.01), 0.03
"""Half sizes of the box; radius and half height of the lid and of a wheel; radius of the ball. m"""


def other_engines(scene: Scene, world: PhysicsWorld, steps: int) -> dict[str, Callable[[], float]]:
    """Rounds, by name, of the engines that are installed; each returns its microseconds per step."""
    found = {}
    for name, make in (("MuJoCo", _mujoco), ("pybullet", _pybullet)):
        try:
            step = make(scene, world)
        except ImportError:
            continue
        for _ in range(100):
            step()
        found[name] = rounds_of(step, steps)
    return found


def rounds_of(step: Callable[[], Any], steps: int) -> Callable[[], float]:
    """Rounds of so many steps of an engine."""

    def run() -> float:
        start = time.perf_counter()
        for _ in range(steps):
            step()
        return (time.perf_counter() - start) / steps * 1e6

    return run


def _places(scene: Scene) -> list[tuple[float, float, float]]:
    return [node["translation"] for node in scene.nodes if node.is_a("Robot")]


def _masses(world: PhysicsWorld) -> tuple[float, float]:
    """Mass of a robot's body with lid and ball, and of a wheel, in kg."""
    first, second = world.built.bodies[:2]
    return first.mass, second.mass


def _walls(scene: Scene) -> list[Any]:
    return [node for node in scene.nodes if node.type_name == "Solid" and node["name"].startswith("wall")]


def _mujoco(scene: Scene, world: PhysicsWorld) -> Callable[[], Any]:
    import mujoco

    body_mass, wheel_mass = _masses(world)
    geoms = ['<geom type="plane" size="20 20 0.1"/>']
    for wall in _walls(scene):
        size = " ".join(str(value / 2) for value in wall["boundingObject"]["size"])
        position = " ".join(str(value) for value in wall["translation"])
        turn = " ".join(str(value) for value in wall["rotation"])
        geoms.append(f'<geom type="box" size="{size}" pos="{position}" axisangle="{turn}"/>')
    robots, motors = [], []
    for i, (x, y, z) in enumerate(_places(scene)):
        wheels = "".join(
            f'<body pos="0 {side * 0.25} -0.02"><joint name="j{i}{k}" axis="0 1 0"/>'
            f'<geom type="cylinder" size="{WHEEL[0]} {WHEEL[1]}" euler="90 0 0" mass="{wheel_mass}"/></body>'
            for k, side in enumerate((1, -1))
        )
        robots.append(
            f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{BODY[0]} {BODY[1]} {BODY[2]}" '
            f'mass="{body_mass}"/>'
            f'<geom type="cylinder" size="{LID[0]} {LID[1]}" pos="0 0 0.2" mass="0.01"/>'
            f'<geom type="sphere" size="{BALL}" pos="0.2 0 -0.19" mass="0.01" friction="0 0 0"/>'
            f"{wheels}</body>"
        )
        motors += [
            f'<velocity joint="j{i}{k}" kv="100" forcerange="-{TORQUE} {TORQUE}" forcelimited="true"/>'
            for k in (0, 1)
        ]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{world.built.seconds}"/><worldbody>{"".join(geoms + robots)}</worldbody>'
        f"<actuator>{''.join(motors)}</actuator></mujoco>"
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = [SPEEDS[i % 2] for i in range(model.nu)]
    return lambda: mujoco.mj_step(model, data)


def _pybullet(scene: Scene, world: PhysicsWorld) -> Callable[[], Any]:
    import pybullet as p

    client = p.connect(p.DIRECT)
    p.setGravity(0, 0, world.model.gravity[2], physicsClientId=client)
    p.setTimeStep(world.clock.step_ns / 1e9, physicsClientId=client)
    plane = p.createCollisionShape(p.GEOM_PLANE, physicsClientId=client)
    p.createMultiBody(0, plane, physicsClientId=client)
    for wall in _walls(scene):
        half = [value / 2 for value in wall["boundingObject"]["size"]]
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half, physicsClientId=client)
        turn = p.getQuaternionFromAxisAngle(wall["rotation"][:3], wall["rotation"][3])
        p.createMultiBody(0, shape, -1, wall["translation"], turn, physicsClientId=client)
    body_mass, wheel_mass = _masses(world)
    body = p.createCollisionShapeArray(
        shapeTypes=[p.GEOM_BOX, p.GEOM_CYLINDER, p.GEOM_SPHERE],
        halfExtents=[BODY, [0, 0, 0], [0, 0, 0]],
        radii=[0, LID[0], BALL],
        lengths=[0, 2 * LID[1], 0],
        collisionFramePositions=[[0, 0, 0], [0, 0, 0.2], [0.2, 0, -0.19]],
        physicsClientId=client,
    )
    wheel = p.createCollisionShape(
        p.GEOM_CYLINDER,
        radius=WHEEL[0],
        height=2 * WHEEL[1],
        collisionFrameOrientation=p.getQuaternionFromEuler([1.5707963, 0, 0]),
        physicsClientId=client,
    )
    for place in _places(scene):
        robot = p.createMultiBody(
            body_mass,
            body,
            -1,
            place,
            linkMasses=[wheel_mass] * 2,
            linkCollisionShapeIndices=[wheel] * 2,
            linkVisualShapeIndices=[-1, -1],
            linkPositions=[[0, 0.25, -0.02], [0, -0.25, -0.02]],
            linkOrientations=[[0, 0, 0, 1]] * 2,
            linkInertialFramePositions=[[0, 0, 0]] * 2,
            linkInertialFrameOrientations=[[0, 0, 0, 1]] * 2,
            linkParentIndices=[0, 0],
            linkJointTypes=[p.JOINT_REVOLUTE] * 2,
            linkJointAxis=[[0, 1, 0]] * 2,
            physicsClientId=client,
        )
        for index in (0, 1):
            p.setJointMotorControl2(
                robot,
                index,
                p.VELOCITY_CONTROL,
                targetVelocity=SPEEDS[index],
                force=TORQUE,
                physicsClientId=client,
            )
    return lambda: p.stepSimulation(physicsClientId=client)
