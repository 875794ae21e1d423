"""Changes made by the services are recorded so that a replay is bitwise equal."""

from typing import Any

from ros_bridge.recorder.changes import command_of
from sim_core.base.outcome import Done
from sim_core.base.shipped import share_dir

URDF = """<robot name="cart"><link name="base_link"><inertial><mass value="2"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.4 0.3 0.2"/></geometry></collision></link>
  <gazebo reference="base_link"><mu1>0.25</mu1></gazebo></robot>"""
STATE, TIME_AND_STATE = 2, 3


def picture(sim: Any) -> list[Any]:
    """Time, and pose and velocity of all solids."""
    solids = [node for node in sim.scene.walk() if node.is_a("Solid")]
    return [sim.time_ns, *((sim.supervisor.pose(node), sim.supervisor.velocity(node)) for node in solids)]


def test_lasting_names_lead_to_their_nodes(bench: Any) -> None:
    for node in bench.sim.scene.walk():
        assert bench.sim.supervisor.find(bench.sim.supervisor.lasting(node)) is node


def test_the_same_changes_lead_to_the_same_world(bench: Any, msg: Any) -> None:
    proto = share_dir() / "protos" / "objects" / "Ball.proto"
    state = msg.EntityState()
    state.header.frame_id = "crate"
    state.pose.position.z, state.twist.angular.x = 0.7, 1.3
    bench.sim.step(7)
    bench.ok("SpawnEntity", entity_resource__resource_string=URDF, initial_pose__pose__position__z=0.1)
    bench.ok("SpawnEntity", entity_resource__uri=str(proto), name="ball", initial_pose__pose__position__x=0.3)
    bench.sim.step(11)
    bench.ok("SetEntityState", entity="BALL", state=state, set_pose=True, set_twist=True)
    bench.sim.step(20)
    bench.ok("DeleteEntity", entity="crate_1")
    bench.ok("ResetSimulation", scope=STATE)
    bench.sim.step(5)
    end = picture(bench.sim)
    assert [action["do"] for _, _, change in bench.changes for action in change["actions"]] == [
        "Spawn",
        "Spawn",
        "Place",
        "SetVelocity",
        "Remove",
        "ResetPart",
    ]

    again = type(bench)()
    for time_ns, _, details in bench.changes:
        again.sim.step((time_ns - again.sim.time_ns) // again.sim.step_ns)
        assert again.session.pipeline.replay(command_of(details)) == Done()
    again.sim.step((end[0] - again.sim.time_ns) // again.sim.step_ns)
    assert picture(again.sim) == end
