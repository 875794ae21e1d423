"""What controllers cost: an exchange with one of Webots, a step with one of rclpy, a fleet under one node.

The exchange: a robot with a motor and two sensors, whose controller steps with every basic step of 5 ms;
both processes on one core. Times are per step, wall time, as the controller sees them. On a machine with
other work the lower ones are what to look at: they have few of the steps that others interrupted.

The lock-step: that robot under an rclpy node (`RobotClient`), which answers the readings of each step with a
velocity.

The fleet: robots of the world swarm, in steps of 32 ms of fast 2D, in lock-step with `examples/fleet.py`;
the robots are held as arrays, or written out.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bare import dds_exchanges, node_exchanges, socket_exchange
from benchmarks.figures import Figure
from benchmarks.scenes import ROOT

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ["ROS_DOMAIN_ID"] = "88"

LONE = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 5 }
Robot {
  name "robot" controller "stepper"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device [ RotationalMotor { name "motor" } PositionSensor { name "position" } ]
      endPoint Solid { boundingObject Box { size 0.2 0.1 0.1 } physics Physics { density -1 mass 1 } }
    }
    DistanceSensor { name "distance" translation 0.3 0 0 lookupTable [ 0 0 0, 10 10 0 ] }
  ]
  boundingObject Box { size 0.1 0.1 0.1 }
}
Solid { translation 3 0 0 boundingObject Box { size 1 1 1 } }
"""
STEPPER = """
import math
import time
from controller import Robot

robot = Robot()
step = int(robot.getBasicTimeStep())
motor, position, distance = (robot.getDevice(name) for name in ("motor", "position", "distance"))
motor.setPosition(math.inf)
position.enable(step)
distance.enable(step)
times = [time.perf_counter()]
while robot.step(step) != -1:
    motor.setVelocity(1.0 + 1e-3 * (position.getValue() % 1.0) + 1e-3 * distance.getValue())
    times.append(time.perf_counter())
times = times[len(times) // 4 :]  # warm
spans = sorted(1e6 * (b - a) for a, b in zip(times, times[1:]))
quantiles = [spans[int(len(spans) * part)] for part in (0.05, 0.25, 0.5)]
print("exchange", *(f"{each:.0f}" for each in quantiles), flush=True)
"""
LISTENER = """
from rclpy.node import Node
from sensor_msgs.msg import JointState, Range
from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

class Listener(Node):
    def __init__(self):
        super().__init__("listener", parameter_overrides=READINGS_ALONE)
        self.driven = RobotClient(self, {"joint_states": JointState, "distance": Range}, self.drive)

    def drive(self, readings):
        angle, distance = readings["joint_states"].position[0], readings["distance"].range
        return {"motor": 1.0 + 1e-3 * (angle % 1.0) + 1e-3 * distance}

run(Listener)
"""
EACH_STEP = "odesim: {ros__parameters: {sampling_period: 0.005, state_period: 0.005, lockstep_timeout: 60}}\n"
SPACING = 0.4
"""m between two robots of the fleet."""
CONTROL_PERIOD = 0.032
FLEET = """odesim: {ros__parameters: {physics: fast2d, sampling_period: %g, state_period: %g,
  lockstep_timeout: 60.0, wait_extern: true, instanced: %s, fleet: {swarm: {robots: ["r*"]}}}}
"""


def run_command(world: Path, seconds: float, *more: str) -> list[str]:
    """That of a simulation in the mode fast."""
    arguments = ("run", str(world), "--mode", "fast", "--duration", f"{seconds:g}", *more)
    return [sys.executable, "-m", "ros_bridge.cli", *arguments]


def exchange(folder: Path, seconds: float) -> str:
    """µs of an exchange: 5 %, 25 % and half of all are quicker."""
    (folder / "worlds").mkdir()
    (folder / "controllers" / "stepper").mkdir(parents=True)
    (folder / "worlds" / "lone.wbt").write_text(LONE, encoding="utf-8")
    (folder / "controllers" / "stepper" / "stepper.py").write_text(STEPPER, encoding="utf-8")
    pinned = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    command = pinned + run_command(folder / "worlds" / "lone.wbt", seconds)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "exchange " in line]
    return lines[0].partition("exchange ")[2] if lines else f"failed: {done.stderr[-200:]}"


def lockstep(folder: Path, seconds: float) -> float:
    """Steps a second of wall time with a node of ROS that answers each.

    The difference between a long run and a short one: the start of the node takes as long in both.
    """
    (folder / "controllers" / "listener").mkdir(parents=True)
    (folder / "controllers" / "listener" / "listener.py").write_text(LISTENER, encoding="utf-8")
    world, parameters = folder / "worlds" / "listened.wbt", folder / "listened.yaml"
    world.parent.mkdir(exist_ok=True)
    world.write_text(LONE.replace("stepper", "listener"), encoding="utf-8")
    parameters.write_text(EACH_STEP, encoding="utf-8")
    short, long = seconds / 5.0, seconds
    took = []
    for simulated in (short, long):
        command = run_command(world, simulated, "--params", str(parameters))
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        took.append(simulated / times_real_time(done.stdout + done.stderr))
    return (long - short) / 0.005 / (took[1] - took[0])


def times_real_time(said: str) -> float:
    """How fast a run says that it was; nan: it did not."""
    ends = [line for line in said.splitlines() if "times real time" in line]
    return float(ends[-1].rpartition(" times real time")[0].rpartition(" ")[2]) if ends else math.nan


def fleet(folder: Path, count: int, seconds: float, instanced: bool) -> float:
    """How much faster than real time a fleet goes that one node drives in lock-step."""
    side = math.ceil(math.sqrt(count))
    robots = "\n".join(
        f'SwarmRobot {{ name "r{k + 1}" translation {SPACING * (k % side)} {SPACING * (k // side)} 0 '
        f"rotation 0 0 1 {k % 6} }}"
        for k in range(count)
    )
    world = folder / f"fleet{count}.wbt"
    proto = f'EXTERNPROTO "{ROOT}/protos/robots/SwarmRobot.proto"\nWorldInfo {{ basicTimeStep 32 }}\n'
    world.write_text(f"#VRML_SIM R2025a utf8\n{proto}{robots}\n", encoding="utf-8")
    parameters = folder / "fleet.yaml"
    parameters.write_text(FLEET % (CONTROL_PERIOD, CONTROL_PERIOD, str(instanced).lower()), encoding="utf-8")
    more = ("--no-controllers", "--params", str(parameters))
    sim = subprocess.Popen(
        run_command(world, seconds, *more),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    node = subprocess.Popen([sys.executable, str(ROOT / "examples" / "fleet.py")])
    try:
        said, _ = sim.communicate(timeout=600.0)
    finally:
        node.terminate()
        node.wait()
        sim.kill()
    return times_real_time(said)


def figures(seconds: float) -> Iterator[Figure]:
    """The exchange, the lock-step, and fleets of 1,000 and 10,000."""
    with tempfile.TemporaryDirectory() as name:
        spans = exchange(Path(name), 7.0 * seconds).split()
        yield Figure("exchange, a quarter is quicker", float(spans[1]), "µs")
        half, bare = float(spans[2]), socket_exchange()
        peer = "as quick as 64 bytes to and fro over a socket"
        yield Figure("exchange, half is quicker", half, "µs", peer, bare / half, 0.08)
        speed, bare = lockstep(Path(name), 250.0 * seconds), node_exchanges(seconds)
        peer = "as fast as two nodes that only answer"
        yield Figure("rclpy node in lock-step", speed, "steps/s", peer, speed / bare, 0.7)
        programs = dds_exchanges(seconds)
        if programs is not None:
            peer = "as fast as two programs in C on rcl that pass the same messages"
            yield Figure("rclpy node in lock-step", speed, "steps/s", peer, speed / programs)
        whole, arrays, many = (
            fleet(Path(name), count, 7.0 * seconds, instanced)
            for count, instanced in ((1000, False), (1000, True), (10_000, True))
        )
        what, unit = "under one rclpy node", "times real time"
        yield Figure(f"fleet of 1,000 {what}", whole, unit)
        yield Figure(
            f"fleet of 1,000 {what}, as arrays", arrays, unit, "as fast as without", arrays / whole, 2.0
        )
        peer = "as fast, robot for robot, as 1,000"
        yield Figure(f"fleet of 10,000 {what}, as arrays", many, unit, peer, 10.0 * many / arrays, 0.5)
