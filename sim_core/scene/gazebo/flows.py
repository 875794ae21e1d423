"""LiftDrag and Hydrodynamics of gz-sim, as Wing and Hydrodynamics nodes of a link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sim_core.scene.gazebo.found import FluidForce, Names, PluginsFound
from sim_core.scene.gazebo.tags import Tag, names_in

_WING = {
    "area": ("area", 1.0),
    "airDensity": ("air_density", 1.2041),
    "angleOfAttack": ("a0", 0.0),
    "liftSlope": ("cla", 1.0),
    "dragSlope": ("cda", 0.01),
    "stallAngle": ("alpha_stall", 1.5707963267948966),
    "liftSlopePastStall": ("cla_stall", 0.0),
    "dragSlopePastStall": ("cda_stall", 1.0),
    "controlSlope": ("control_joint_rad_to_cl", 4.0),
}
"""Tag and default of gz-sim for each number of a Wing."""
_DIRECTIONS = {"centerOfPressure": "cp", "forward": "forward", "upward": "upward"}
_DERIVATIVE = re.compile(r"([xyzkmn])(Dot)?([UVWPQR])(?:(?:abs)?([UVWPQR]))?")
"""Name of a stability derivative: axis of the force or torque, velocity, and for quadratic drag the velocity
whose size is a factor."""
_FORCES, _VELOCITIES = "xyzkmn", "UVWPQR"


def lift_drag(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read a wing; `cma` and `cma_stall` have no effect in gz-sim either.

    Raises:
        SceneError: a number is invalid.
    """
    plugin.all("cma", "cma_stall")
    links = names_in(plugin.all("link_name")[:1], found.links)
    controls = plugin.all("control_joint_name")[:1]
    control = names_in(controls, joints)
    if not links or len(control) < len(controls):
        plugin.ignore()
        return
    fields: dict[str, object] = {name: plugin.number(tag, default) for name, (tag, default) in _WING.items()}
    for name, tag in _DIRECTIONS.items():
        if (written := plugin.first(tag)) is not None:
            fields[name] = tuple(written.numbers(3))
    fields["radialSymmetry"] = plugin.flag("radial_symmetry")
    fields["control"] = control[0] if control else ""
    found.fluid_forces.append(FluidForce(links[0], "Wing", fields, plugin.source))


def hydrodynamics(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read added mass and drag, which are negative derivatives of forces by accelerations and velocities.

    Raises:
        SceneError: a number is invalid.
    """
    plugin.all("water_density", "waterDensity", "namespace")  # gz-sim does not use the density either
    links = names_in(plugin.all("link_name")[:1], found.links)
    if not links:
        plugin.ignore()
        return
    matrices = {name: [0.0] * 36 for name in ("addedMass", "linearDrag", "quadraticDrag")}
    for name, row, column, value in _derivatives(plugin):
        matrices[name][6 * row + column] = -value
    if plugin.flag("disable_added_mass"):
        matrices["addedMass"] = [0.0] * 36
    plugin.expect(
        "disable_coriolis", "false", 0.0, *(("true", 1.0) if not any(matrices["addedMass"]) else ())
    )
    current = plugin.first("default_current")
    fields: dict[str, object] = {name: _short(values) for name, values in matrices.items() if any(values)}
    if current is not None:
        fields["current"] = tuple(current.numbers(3))
    found.fluid_forces.append(FluidForce(links[0], "Hydrodynamics", fields, plugin.source))


def _derivatives(plugin: Tag) -> Iterator[tuple[str, int, int, float]]:
    """Yield matrix, row, column and value of each derivative; those with two different velocities have no
    effect."""
    for _, item in plugin.item.children:
        name = _DERIVATIVE.fullmatch(item.name)
        if name is None:
            continue
        force, dot, velocity, factor = name.groups()
        if factor not in (None, velocity) or (dot and factor):
            continue
        matrix = "addedMass" if dot else "quadraticDrag" if factor else "linearDrag"
        row, column = _FORCES.index(force), _VELOCITIES.index(velocity)
        yield matrix, row, column, plugin.number(item.name, 0.0)


def _short(values: list[float]) -> list[float]:
    """Return the diagonal of a matrix if there is nothing beside it."""
    diagonal = values[::7]
    return diagonal if sum(map(bool, diagonal)) == sum(map(bool, values)) else values


def with_one_added_mass(forces: Sequence[FluidForce]) -> list[FluidForce]:
    """Return the forces on a link with the sum of its added masses in the last Hydrodynamics: forces of two
    added masses, each from the acceleration without the other, would not be that of their sum."""
    hulls = [each for each in forces if each.type_name == "Hydrodynamics" and "addedMass" in each.fields]
    if len(hulls) < 2:
        return list(forces)
    whole = [sum(values) for values in zip(*(_long(each.fields["addedMass"]) for each in hulls), strict=True)]
    made = []
    for each in forces:
        if each in hulls:
            fields = {name: value for name, value in each.fields.items() if name != "addedMass"}
            if each is hulls[-1]:
                fields["addedMass"] = whole
            each = each._replace(fields=fields)
        made.append(each)
    return [each for each in made if each.type_name != "Hydrodynamics" or each.fields]


def _long(values: object) -> list[float]:
    """Return a matrix of 36 numbers for one that may be only its diagonal."""
    assert isinstance(values, list)
    if len(values) == 36:
        return values
    return [values[row] if row == column else 0.0 for row in range(6) for column in range(6)]
