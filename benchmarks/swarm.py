"""Worlds of small round robots with two wheels, made in code: for the benchmark and the tests of fast 2D."""

from __future__ import annotations

RADIUS, SEPARATION = 0.05, 0.2
"""Of the wheels of `robot_text`, m."""
BODY = 0.125
"""Radius of its body and of its disc, m."""


def robot_text(name: str, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, more: str = "") -> str:
    """A round robot with two wheels, its frame at the height of the axle; `more` goes among its children."""
    wheel = f"boundingObject Cylinder {{ radius {RADIUS} height 0.02 }} physics Physics {{ mass 0.1 }}"
    half = SEPARATION / 2.0
    sides = ""
    for side, at in (("left", half), ("right", -half)):
        sides += f"""
        HingeJoint {{
          jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {at} 0 }}
          device RotationalMotor {{ name "{side}" maxVelocity 1000 maxTorque 10 }}
          endPoint Solid {{
            name "{side} wheel" translation 0 {at} 0 rotation 1 0 0 1.5707963267948966 {wheel}
          }}
        }}"""
    return f"""
    Robot {{
      name "{name}" translation {x} {y} {RADIUS} rotation 0 0 1 {yaw} controller "void"
      children [
        {sides}
        Solid {{
          name "caster" translation 0.08 0 {0.01 - RADIUS} contactMaterial "caster"
          boundingObject Sphere {{ radius 0.01 }} physics Physics {{ mass 0.02 }}
        }}
        {more}
      ]
      boundingObject Pose {{ translation 0 0 0.06 children Cylinder {{ radius {BODY} height 0.08 }} }}
      physics Physics {{ density -1 mass 1 centerOfMass [ 0.02 0 0 ] }}
    }}"""


def wall_text(name: str, x: float, y: float, size: str, yaw: float = 0.0) -> str:
    """A box on the ground."""
    height = float(size.split()[2])
    place = f"translation {x} {y} {height / 2.0} rotation 0 0 1 {yaw}"
    return f'Solid {{ name "{name}" {place} boundingObject Box {{ size {size} }} }}'


def world_text(*nodes: str, step: float = 32.0) -> str:
    """A world with a floor."""
    smooth = 'contactProperties [ ContactProperties { material1 "caster" coulombFriction 0 } ]'
    info = f"WorldInfo {{ basicTimeStep {step} {smooth} }}"
    floor = 'Solid { name "floor" boundingObject Plane { size 50 50 } }'
    return "\n".join(["#VRML_SIM R2025a utf8", info, floor, *nodes])
