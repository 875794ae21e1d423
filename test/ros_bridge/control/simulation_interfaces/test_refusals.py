"""Any invalid request is refused in one line, and the world is unchanged."""

from typing import Any

import pytest
from obeying import perform

from sim_core.base.errors import CommandError
from sim_core.session.supervision.present_state import save_text
from sim_core.session.world_commands import Place

LONG = "n" * 300
ENDLESS, NAN = float("inf"), float("nan")
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    *(
        ("LoadWorld", {"world_resource__uri": uri})
        for uri in ("/dev/zero", "https://[::1", f"/{LONG}.wbt", "file://%00.wbt")
    ),
    (
        "LoadWorld",
        {"world_resource__resource_string": "#VRML_SIM R2025a utf8\nSolid { translation nan 0 0 }"},
    ),
    ("LoadWorld", {"world_resource__resource_string": '#VRML_SIM R2025a utf8\nSolid { name "\ud800" }'}),
    *(
        ("SpawnEntity", {"entity_resource__uri": uri})
        for uri in ("/dev/zero", "https://[::1", "package://\0/x.urdf", f"/{LONG}.urdf", "~nouser/x.proto")
    ),
    ("SpawnEntity", {"entity_resource__resource_string": 'EXTERNPROTO "https://[::1" Thing { }'}),
    ("SpawnEntity", {"entity_resource__resource_string": "<robot>" + "<link>" * 5000}),
    ("SpawnEntity", {"entity_resource__resource_string": "Solid { }", "name": "\ud800"}),
    (
        "SpawnEntity",
        {"entity_resource__uri": "\0", "initial_pose__pose__position__x": NAN},
    ),
    ("SetEntityState", {"entity": "BALL", "set_pose": True, "state__pose__orientation__w": ENDLESS}),
    ("SetEntityState", {"entity": "BALL", "set_twist": True, "state__twist__linear__x": NAN}),
    ("SetEntityState", {"entity": LONG, "set_pose": True}),
    ("GetEntities", {"filters__filter": "[" * 5000}),
    ("GetEntities", {"filters__filter": "(" * 5000}),
    ("DeleteEntity", {"entity": "\0"}),
    ("SetSimulationState", {"state__state": 255}),
]


@pytest.mark.parametrize(("service", "fields"), REQUESTS)
def test_requests_that_make_no_sense_change_nothing(bench: Any, service: str, fields: dict[str, Any]) -> None:
    before = save_text(bench.sim.world)
    result = bench.ask(service, **fields).result
    assert result.result != 1 and result.error_message and "\n" not in result.error_message
    assert save_text(bench.sim.world) == before
    bench.sim.step()


def test_a_pose_of_which_half_is_refused_is_refused_whole(bench: Any) -> None:
    """A rotation is refused by whatever it raises, here for numbers past those of a double."""
    ball = bench.sim.supervisor.node("BALL")
    before = bench.sim.supervisor.pose(ball)
    with pytest.raises(CommandError):
        perform(bench.sim, Place("BALL", (1.0, 2.0, 3.0), (float("nan"),) * 9))
    assert bench.sim.supervisor.pose(ball) == before
