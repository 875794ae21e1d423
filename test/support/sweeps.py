"""A small world, a module and specs for the tests of sweeps."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from processes import ODESIM, finished

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120.0
GRAVITY = 9.81

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 gravity 9.81 }
DEF BALL Robot {
  name "ball" translation 0 0 10
  children [
    GPS { name "gps" accuracy 0.1 }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "motor" maxTorque 10 maxVelocity 20 }
      endPoint Solid { name "disc" boundingObject Cylinder { radius 0.1 height 0.02 } physics Physics { } }
    }
  ]
  boundingObject Sphere { radius 0.2 }
  physics Physics { density 1000 }
}
"""

MODULE = '''
import os, signal, time
from pathlib import Path

def spin(robot, time, speed=1.0):
    robot["motor"].set_velocity(speed)

class Slow:
    """Says where it runs, and takes its time."""
    def __init__(self, robot, seconds=0.02, seed=0):
        with open(Path(__file__).with_name("pids"), "a") as file:
            file.write(f"{os.getpid()}\\n")
        self.seconds = seconds
    def step(self, now):
        time.sleep(self.seconds)

def trouble(robot, time, kind="none"):
    if kind == "raise" and time > 0.1:
        raise ValueError("no luck")
    if kind == "abort":
        os.kill(os.getpid(), signal.SIGABRT)
    while kind == "hang":
        signal.pause()

def fall(sim, height=5.0):
    sim.supervisor.set("BALL", "translation", (0.0, 0.0, height))
    sim.run(0.2)
    return {"z": sim.robot("ball").frame.pose().position[2]}

def answer(sim):
    return 42
'''


def write_project(folder: Path, spec: str) -> Path:
    """world.wbt, my_module.py and spec.yaml in a folder; returns the spec."""
    (folder / "world.wbt").write_text(WORLD)
    (folder / "my_module.py").write_text(MODULE)
    file = folder / "spec.yaml"
    file.write_text(spec)
    return file


def odesim(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end."""
    return finished(*ODESIM, *arguments, seconds=LIMIT)


def start(*arguments: str | Path) -> "subprocess.Popen[str]":
    """Start the command."""
    return subprocess.Popen(
        [sys.executable, "-m", "ros_bridge.cli", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def is_alive(pid: int) -> bool:
    """Whether a process runs (one that is dead and not yet waited for does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def interrupt(process: "subprocess.Popen[str]", times: int) -> None:
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)


def fallen(height: float, seconds: float, step: float) -> float:
    """Height of a body that fell so long from rest, in ODE's steps: z - g h² n(n+1)/2."""
    n = round(seconds / step)
    return height - GRAVITY * step**2 * n * (n + 1) / 2
