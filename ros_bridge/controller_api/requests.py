"""Questions of controllers that are answered at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ros_bridge.controller_api.describe import is_supervisor
from ros_bridge.controller_api.session import Session
from ros_bridge.controller_api.supervise import SupervisorRequests
from sim_core.base.errors import CommandError

if TYPE_CHECKING:
    from ros_bridge.controller_api.api import Host


class Requests:
    """Answers them, between two steps."""

    def __init__(self, host: Host) -> None:
        self._supervisor = SupervisorRequests(host)

    @staticmethod
    def is_for_supervisors(name: str) -> bool:
        """Whether only supervisors may ask this."""
        return hasattr(SupervisorRequests, f"ask_{name}")

    def carry_out(self, session: Session, name: str, values: list[Any]) -> Any:
        """Answer one question.

        Raises:
            OdesimError: says why it cannot be answered.
        """
        if self.is_for_supervisors(name):
            if not is_supervisor(session.robot):
                raise CommandError(
                    f'{session.name}: found the question "{name}" of a robot that is no supervisor, expected '
                    "`supervisor TRUE` in the world"
                )
            return getattr(self._supervisor, f"ask_{name}")(session, *values)
        known = getattr(self, f"_ask_{name}", None)
        if known is None:
            raise CommandError(f'{session.name}: found the question "{name}", which is not known')
        return known(session, *values)

    def _ask_is_playing(self, session: Session, tag: int, sound: str) -> bool:
        return bool(session.device(tag).is_playing(sound))  # type: ignore[attr-defined] # a speaker

    def _ask_has_file(self, session: Session, file: str) -> bool:
        path = session.folder / file
        if not path.is_file():
            raise CommandError(f"{session.name}: {path}: no such file")
        return True

    def _ask_save_picture(self, session: Session, tag: int, what: str, file: str, quality: int) -> bool:
        from ros_bridge.controller_api.picture_files import save_picture

        save_picture(session.device(tag), what, session.folder / file, quality)
        return True

    def _ask_urdf(self, session: Session, prefix: str) -> str:
        from sim_core.scene.urdf.from_scene import robot_model
        from sim_core.scene.urdf.writer import write_urdf

        return write_urdf(robot_model(session.robot.node))

    def _ask_motion_open(self, session: Session, file: str) -> dict[str, Any]:
        from sim_core.session.players.motion import read_motion
        from sim_core.session.players.motion_player import MotionPlayer

        robot = session.robot
        player = MotionPlayer(read_motion(session.folder / file), robot.motors(), robot.playback)
        session.players.append(player)
        return {"number": len(session.players) - 1, "duration": round(player.duration * 1e3)}

    def _ask_motion_is_over(self, session: Session, number: int) -> bool:
        return bool(session.players[number].is_over)

    def _ask_motion_time(self, session: Session, number: int) -> int:
        return round(session.players[number].time * 1e3)
