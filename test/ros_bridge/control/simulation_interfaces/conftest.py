"""The services of the standard over a simulation in this process, without ROS."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import standard_messages as messages

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces.server import Services
from ros_bridge.recorder.changes import described_command
from sim_core.scene import Scene, load_scene, parse_scene
from sim_core.session.pipeline import Command
from sim_core.session.session import Journal, Session
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { title "yard" info [ "for tests" ] basicTimeStep 8 }
DEF DOCK Pose { translation 3 4 0 rotation 0 0 1 1.5707963267948966
  children Shape { geometry Box { size 2 1 0.5 } } }
Pose { translation 0 0 2 children [
  DEF BALL Solid { translation 0 0 3 model "ball" boundingObject Sphere { radius 0.1 }
    physics Physics { density -1 mass 2 } } ] }
Solid { name "crate" translation -5 0 0.5 rotation 0 0 1 0.7853981633974483
  boundingObject Box { size 2 2 1 } description "a crate" }
Solid { name "crate" translation -5 9 0.5 boundingObject Box { size 2 2 1 } }
Robot { name "rover" translation 1 2 0.3 controller "void" children GPS { name "gps" }
  boundingObject Box { size 0.4 0.2 0.2 } physics Physics { } }
"""


class Bench(Journal):
    """A simulation, its services, and a minimal node."""

    def __init__(self, text: str = WORLD) -> None:
        self.mode, self.steps_left, self.has_ended = "paused", 0, False
        self.said: list[str] = []
        self.changes: list[tuple[int, str, dict[str, Any]]] = []
        self.is_on = True
        self.use(Simulation(parse_scene(text, "yard.wbt")))

    def use(self, sim: Simulation) -> None:
        """Serve this simulation."""
        self.sim = sim
        self.session = Session(sim, self)
        self.session.run = self
        self.services = Services(self, messages.msg)

    def set_mode(self, mode: str) -> str:
        """Of the run."""
        self.mode, self.steps_left = mode or "fast", 0
        return mode

    def reset(self, restarts: bool) -> str:
        """Of the run."""
        self.session.reset()
        return "reset"

    def restart_connected(self) -> None:
        """There are no controllers."""

    def read(self, path: str, skip_missing: bool | None = None) -> Scene:
        """A world from its file."""
        return load_scene(path, skip_missing=bool(skip_missing))

    def quit(self, exit_code: int, lingers: bool) -> str:
        """Of the run."""
        self.has_ended = True
        return "ending"

    def warn(self, line: str) -> None:
        """For the log."""
        self.said.append(line)

    execute = Runner.execute

    def command(self, command: Command) -> None:
        """For the journal."""
        self.changes.append((self.sim.time_ns, "command", json.loads(json.dumps(described_command(command)))))

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        """For the journal."""
        self.changes.append((before_ns, what, details))

    def load(self, path: str | None, scene: Scene | None = None) -> str:
        """Of the run."""
        assert path is not None and scene is not None
        self.sim.load(scene)
        return path

    def ask(self, service: str, **fields: Any) -> Any:
        """The answer of a service; a dotted field, written with two underscores, is one of a field."""
        request = getattr(messages.srv, service).Request()
        for name, value in fields.items():
            *path, last = name.split("__")
            at = request
            for each in path:
                at = getattr(at, each)
            setattr(at, last, value)
        response = getattr(messages.srv, service).Response()
        self.services.carry_out(service, request, response)
        return response

    def ok(self, service: str, **fields: Any) -> Any:
        """The answer, which must be OK."""
        response = self.ask(service, **fields)
        assert response.result.result == 1, response.result.error_message
        return response

    def refused(self, service: str, code: int, text: str, **fields: Any) -> None:
        """The request must be refused so, with one line that holds the text."""
        result = self.ask(service, **fields).result
        assert (result.result, "\n" in result.error_message) == (code, False), result.error_message
        assert text in result.error_message


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def msg() -> SimpleNamespace:
    """The message classes."""
    return messages.msg


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
