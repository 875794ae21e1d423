"""Entities: names, filters, states, bounds."""

import math
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Vector3
from hypothesis import given
from hypothesis import strategies as st

from ros_bridge.control.simulation_interfaces.filters import distance, names_with
from sim_core.base.errors import CommandError

ALL = ["BALL", "crate", "crate_1", "rover"]
NOT_FOUND, FAILED, UNSUPPORTED = 2, 4, 0
BOX, HULL, SPHERE = 1, 2, 3


def points(*numbers: tuple[float, float, float]) -> list[Vector3]:
    return [Vector3(x=float(x), y=float(y), z=float(z)) for x, y, z in numbers]


def test_entities_are_the_outermost_solids_each_by_a_name_of_its_own(bench: Any) -> None:
    assert bench.ok("GetEntities").entities == ALL
    bench.ok("DeleteEntity", entity="crate")
    assert bench.ok("GetEntities").entities == ["BALL", "crate_1", "rover"]
    bench.ok("ResetSimulation")
    assert bench.ok("GetEntities").entities == ALL


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("^crate", ["crate", "crate_1"]),
        ("[[:upper:]]{4}", ["BALL"]),
        ("_[[:digit:]]$|^rov", ["crate_1", "rover"]),
        ("nobody", []),
    ],
)
def test_names_are_filtered_by_posix_expressions(bench: Any, expression: str, names: list[str]) -> None:
    assert bench.ok("GetEntities", filters__filter=expression).entities == names


def test_a_broken_expression_is_refused(bench: Any) -> None:
    bench.refused("GetEntities", FAILED, "not a valid regular expression", filters__filter="cr[")
    bench.refused("GetEntities", FAILED, "not a valid regular expression", filters__filter="a{9999999999}")


def test_a_bracket_between_brackets_is_one() -> None:
    assert names_with("[[a]", ("[x", "a", "y")) == {"[x", "a"}


def test_an_expression_that_takes_for_ever_is_refused() -> None:
    """Each of 40 letters doubles the ways in which `(a+)+` can be read."""
    with pytest.raises(CommandError, match=r"takes more than 1 s .* expected a simpler one"):
        names_with("(a+)+$", (40 * "a" + "!",))


def test_categories_and_tags_filter_together(bench: Any, msg: Any) -> None:
    robot, moving, standing = (msg.EntityCategory(category=number) for number in (1, 4, 5))
    chosen = bench.ok("GetEntities", filters__categories=[robot, moving]).entities
    assert chosen == ["BALL", "rover"]
    assert bench.ok("GetEntities", filters__categories=[standing]).entities == ["crate", "crate_1"]
    one = bench.ok("GetEntities", filters__tags__tags=["ball", "Robot"]).entities
    assert one == ["BALL", "rover"]
    both = bench.ok("GetEntities", filters__tags__tags=["ball", "Solid"], filters__tags__filter_mode=1)
    assert both.entities == ["BALL"]
    mixed = bench.ok("GetEntities", filters__tags__tags=["Solid"], filters__categories=[moving])
    assert mixed.entities == ["BALL"]


def test_info_can_be_set_until_another_world_is_loaded(bench: Any, msg: Any) -> None:
    info = bench.ok("GetEntityInfo", entity="crate").info
    assert (info.category.category, info.description) == (5, "a crate")
    info = msg.EntityInfo(category=msg.EntityCategory(category=2), description="Ann", tags=["visitor"])
    bench.ok("SetEntityInfo", entity="crate", info=info)
    assert bench.ok("GetEntityInfo", entity="crate").info.description == "Ann"
    assert bench.ok("GetEntities", filters__tags__tags=["visitor"]).entities == ["crate"]
    bad = msg.EntityInfo(category=msg.EntityCategory(category=3))
    bench.refused("SetEntityInfo", FAILED, "category 3", entity="crate", info=bad)


def test_a_box_turned_by_45_degrees_has_its_bounds_in_its_own_frame(bench: Any) -> None:
    bounds = bench.ok("GetEntityBounds", entity="crate").bounds
    assert bounds.type == BOX
    upper, lower = [(point.x, point.y, point.z) for point in bounds.points]
    assert upper == pytest.approx((1.0, 1.0, 0.5)) and lower == pytest.approx((-1.0, -1.0, -0.5))


def test_bounds_choose_whom_they_overlap(bench: Any) -> None:
    """The corner of the turned crate reaches to x = -5 + √2; a box along the axes round it would too."""
    reach = -5.0 + math.sqrt(2.0)

    def chosen(kind: int, *corners: tuple[float, float, float]) -> list[str]:
        answer = bench.ok("GetEntities", filters__bounds__type=kind, filters__bounds__points=points(*corners))
        found: list[str] = answer.entities
        return found

    assert chosen(SPHERE, (reach + 0.5, 0, 0.5), (0.501, 0, 0)) == ["crate"]
    assert chosen(SPHERE, (reach + 0.5, 0, 0.5), (0.499, 0, 0)) == []
    assert chosen(BOX, (0, 1, 1), (reach - 0.001, -1, 0)) == ["crate"]
    assert chosen(BOX, (0, 1, 1), (reach + 0.001, -1, 0)) == []
    # Beside the corner, within a box along the axes round the crate, but outside the crate itself.
    assert chosen(BOX, (reach, 1.4, 1), (reach - 0.2, 1.0, 0)) == []
    assert chosen(HULL, (0, 0, 0.5), (reach - 0.01, 0, 0.5), (0, 1, 0.5)) == ["crate"]
    assert chosen(HULL, (0, 0, 0.5), (reach + 0.01, 0, 0.5), (0, 1, 0.5)) == []
    assert chosen(SPHERE, (0, 0, 0), (100, 0, 0)) == ALL


def test_wrong_bounds_are_refused(bench: Any) -> None:
    one = points((0, 0, 0))
    bench.refused("GetEntities", FAILED, "1 points", filters__bounds__type=BOX, filters__bounds__points=one)
    bench.refused("GetEntities", UNSUPPORTED, "type 9", filters__bounds__type=9)
    far = points((0, 0, 0), (math.nan, 0, 0))
    bench.refused("GetEntities", FAILED, "finite", filters__bounds__type=SPHERE, filters__bounds__points=far)


def test_states_are_those_of_the_world(bench: Any) -> None:
    bench.sim.step(25)
    answer = bench.ok("GetEntitiesStates", filters__filter="BALL|rover")
    assert answer.entities == ["BALL", "rover"]
    ball = answer.states[0]
    assert ball.header.frame_id == "world" and ball.header.stamp.nanosec == 25 * 8_000_000
    assert ball.twist.linear.z == pytest.approx(-9.81 * 0.2)
    assert ball.pose.position.z == pytest.approx(5.0 - 9.81 * 0.008**2 * 25 * 26 / 2)
    bench.refused("GetEntityState", NOT_FOUND, 'did you mean "rover"', entity="rovr")


def test_a_state_is_set_in_the_frame_of_another_entity(bench: Any, msg: Any) -> None:
    """p = p_F + R p', v = v_F + ω_F × (p − p_F) + R v', for the crate turned by 45° that stands."""
    state = msg.EntityState()
    state.header.frame_id = "crate"
    state.pose.position.x, state.twist.linear.y, state.twist.angular.z = 2.0, 3.0, 0.5
    bench.ok("SetEntityState", entity="BALL", state=state, set_pose=True, set_twist=True)
    now = bench.ok("GetEntityState", entity="BALL").state
    half = math.sqrt(0.5)
    assert (now.pose.position.x, now.pose.position.y) == pytest.approx((-5 + 2 * half, 2 * half))
    assert now.pose.position.z == pytest.approx(0.5)
    assert (now.twist.linear.x, now.twist.linear.y) == pytest.approx((-3 * half, 3 * half))
    assert now.twist.angular.z == pytest.approx(0.5)
    assert (now.pose.orientation.z, now.pose.orientation.w) == pytest.approx(
        (math.sin(math.pi / 8), math.cos(math.pi / 8))
    )


def test_velocities_in_a_frame_that_turns_are_those_seen_from_it(bench: Any, msg: Any) -> None:
    turning = msg.EntityState()
    turning.twist.angular.z = 2.0
    bench.ok("SetEntityState", entity="rover", state=turning, set_twist=True)
    at_rest = msg.EntityState()
    at_rest.header.frame_id = "rover"
    at_rest.pose.position.x = 3.0
    bench.ok("SetEntityState", entity="BALL", state=at_rest, set_pose=True, set_twist=True)
    now = bench.ok("GetEntityState", entity="BALL").state.twist
    assert (now.linear.x, now.linear.y, now.angular.z) == pytest.approx((0.0, 6.0, 2.0))


def test_only_what_is_flagged_is_set_and_velocity_stays_with_a_new_pose(bench: Any, msg: Any) -> None:
    bench.sim.step(25)
    state = msg.EntityState()
    state.pose.position.x = 8.0
    bench.ok("SetEntityState", entity="BALL", state=state, set_pose=True)
    now = bench.ok("GetEntityState", entity="BALL").state
    assert now.pose.position.x == pytest.approx(8.0)
    assert now.twist.linear.z == pytest.approx(-9.81 * 0.2)


def test_impossible_states_are_refused_and_change_nothing(bench: Any, msg: Any) -> None:
    def state(**fields: float) -> Any:
        made = msg.EntityState()
        for name, value in fields.items():
            *path, last = name.split("__")
            at = made
            for each in path:
                at = getattr(at, each)
            setattr(at, last, value)
        return made

    def refused(code: int, text: str, entity: str, given: Any, **flags: bool) -> None:
        bench.refused("SetEntityState", code, text, entity=entity, state=given, **flags)

    refused(101, "length 0", "BALL", state(pose__orientation__w=0.0), set_pose=True)
    refused(101, "finite", "BALL", state(pose__position__x=math.inf), set_pose=True)
    refused(101, "no frame", "BALL", state(header__frame_id="moon"), set_pose=True)  # type: ignore[arg-type]
    refused(FAILED, "finite", "BALL", state(twist__linear__x=math.nan), set_twist=True)
    refused(FAILED, "expected no velocity", "crate", state(twist__linear__x=1.0), set_twist=True)
    for entity in ("crate", "BALL"):
        pushed = state(acceleration__linear__x=1.0)
        refused(UNSUPPORTED, "found an acceleration", entity, pushed, set_acceleration=True)
    assert bench.ok("GetEntityState", entity="BALL").state.pose.position.z == pytest.approx(5.0)
    bench.ok("SetEntityState", entity="crate", state=state(), set_twist=True)


def test_named_poses_are_marks_without_solids_in_them(bench: Any) -> None:
    (pose,) = bench.ok("GetNamedPoses").poses
    assert (pose.name, pose.pose.position.x, pose.pose.position.y) == ("DOCK", 3.0, 4.0)
    assert pose.pose.orientation.z == pytest.approx(math.sqrt(0.5))
    bounds = bench.ok("GetNamedPoseBounds", name="DOCK").bounds
    upper, lower = [(point.x, point.y, point.z) for point in bounds.points]
    assert upper == pytest.approx((1.0, 0.5, 0.25)) and lower == pytest.approx((-1.0, -0.5, -0.25))
    bench.refused("GetNamedPoseBounds", NOT_FOUND, "DOCK", name="DOK")
    assert bench.ok("GetNamedPoses", tags__tags=["none"]).poses == []


@given(
    st.lists(st.tuples(*[st.floats(-2.0, 2.0)] * 3), min_size=1, max_size=8),
    st.lists(st.tuples(*[st.floats(-2.0, 2.0)] * 3), min_size=1, max_size=8),
    st.floats(-3.0, 3.0),
)
def test_the_distance_of_hulls_is_proven_by_a_plane_between_them(first: Any, second: Any, way: float) -> None:
    """No separating plane has a larger gap, and the distance is symmetric."""
    one, other = np.array(first), np.array(second) + np.array([way, 0.0, 0.0])
    found = distance(one, other)
    directions = np.random.default_rng(1).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    gaps = (other @ directions.T).min(axis=0) - (one @ directions.T).max(axis=0)
    assert gaps.max() <= found + 1e-6
    assert distance(one, one) == distance(other, other[:1]) == 0.0
    assert distance(one, other) == pytest.approx(distance(other, one), abs=1e-6)
