"""Queries of controllers that are answered at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ros_bridge.controller_api.client import Client
from ros_bridge.controller_api.supervise import SupervisorRequests
from sim_core.base.errors import CommandError
from sim_core.base.ids import NodeId
from sim_core.base.outcome import Done
from sim_core.devices.drawing.display import Display
from sim_core.session.controller_commands import OpenMotion

if TYPE_CHECKING:
    from ros_bridge.control.runner import Runner


class Requests:
    """Answers them between two steps."""

    def __init__(self, runner: Runner) -> None:
        self._supervisor = SupervisorRequests(runner)

    def number_of(self, node: NodeId) -> int:
        """Return the controllers' number of a node."""
        return self._supervisor.numbers.of_id(node)

    @staticmethod
    def is_for_supervisors(name: str) -> bool:
        """Return whether only supervisors may send a query."""
        return hasattr(SupervisorRequests, f"ask_{name}")

    def carry_out(self, client: Client, name: str, values: list[Any]) -> Any:
        """Answer one query: with its answer, or with the outcome of a command.

        Raises:
            OdesimError: with the reason why it cannot be answered.
        """
        if self.is_for_supervisors(name):
            if not client.is_supervisor:
                raise CommandError(
                    f'{client.name}: found the request "{name}" of a robot that is not a supervisor, '
                    "expected `supervisor TRUE` in the world"
                )
            return getattr(self._supervisor, f"ask_{name}")(client, *values)
        known = getattr(self, f"_ask_{name}", None)
        if known is None:
            raise CommandError(f'{client.name}: found the request "{name}", which is not known')
        return known(client, *values)

    def _ask_input(self, client: Client) -> None:
        """Do nothing: each answer has the present input of the enabled devices."""

    def _ask_is_playing(self, client: Client, tag: int, sound: str) -> bool:
        return bool(client.device(tag).is_playing(sound))  # type: ignore[attr-defined] # a speaker

    def _ask_has_file(self, client: Client, file: str) -> bool:
        path = client.folder / file
        if not path.is_file():
            raise CommandError(f"{client.name}: {path}: no such file")
        return True

    def _ask_save_picture(self, client: Client, tag: int, what: str, file: str, quality: int) -> bool:
        from ros_bridge.controller_api.picture_files import save_picture

        save_picture(client.device(tag), what, client.folder / file, quality)
        return True

    def _ask_display_image(
        self, client: Client, tag: int, number: int | None
    ) -> tuple[int, int, bytes] | None:
        """Return width, height and BGRA of a display, or of one of its stored images; None: there is none.

        Drawing commands sent before are executed first.
        """
        client.carry_out(tag)
        display = client.device(tag)
        if not isinstance(display, Display):
            return None
        pixels = display.canvas.pixels if number is None else display.images.get(number)
        if pixels is None:
            return None
        height, width = pixels.shape[:2]
        return width, height, pixels[:, :, [2, 1, 0, 3]].tobytes()

    def _ask_urdf(self, client: Client, prefix: str) -> str:
        from sim_core.model.robot_model import robot_model
        from sim_core.model.robot_parts import robot_parts
        from sim_core.scene.urdf.writer import write_urdf

        return write_urdf(robot_model(robot_parts(client.robot.node)), prefix)

    def _ask_motion_open(self, client: Client, file: str) -> Any:
        outcome = client.submit(OpenMotion(client.name, str(client.folder / file)))
        if not isinstance(outcome, Done):
            return outcome
        player = client.robot.motion_control.motion(outcome.answer)
        return {"number": outcome.answer, "duration": round(player.duration * 1e3)}

    def _ask_motion_is_over(self, client: Client, number: int) -> bool:
        return client.robot.motion_control.motion(number).is_over

    def _ask_motion_time(self, client: Client, number: int) -> int:
        return round(client.robot.motion_control.motion(number).time * 1e3)
