"""The referee of the world `soccer`, a supervisor, for Webots' Python interface.

It tells the players by radio where the ball is, counts the goals, shows the score as a label, takes a
picture of every goal, and puts ball and players back for the kick-off. Argument: the folder of the pictures;
without it they are put into the folder of temporary files.
"""

import os
import sys
import tempfile
from pathlib import Path

from controller import Supervisor

PERIOD = 8
"""ms; between two looks: it looks at every step, so that no ball goes in and out unseen."""
GOAL_X, GOAL_HALF, BALL_RADIUS = 2.0, 0.5, 0.08
"""m; a goal counts when the whole ball is behind the line."""
PATIENCE, STIR = 6.0, 0.15
"""A ball that has not moved by so many m in so many s is brought to the middle."""
PLAYERS = ("BLUE1", "BLUE2", "YELLOW1", "YELLOW2")


def scorer(x: float, y: float) -> str | None:
    """Who has scored, if the ball's middle is at x and y, m."""
    if abs(x) > GOAL_X + BALL_RADIUS and abs(y) <= GOAL_HALF:  # NaN, after the end of the run, is no goal
        return "blue" if x > 0.0 else "yellow"
    return None


class Referee:
    """Leads the game."""

    def __init__(self, pictures: Path) -> None:
        self.supervisor = Supervisor()
        self.pictures = pictures
        self.score = {"blue": 0, "yellow": 0}
        self.ball = self.supervisor.getFromDef("BALL")
        self.emitter = self.supervisor.getDevice("emitter")
        nodes = [self.ball, *(self.supervisor.getFromDef(name) for name in PLAYERS)]
        self.starts = [
            (node, place, place.getSFVec3f(), turn, turn.getSFRotation())
            for node in nodes
            for place, turn in [(node.getField("translation"), node.getField("rotation"))]
        ]
        self.rested = (0.0, 0.0, 0.0)  # time and place since when and where the ball rests
        self.show()

    def show(self) -> None:
        """The score over the field."""
        blue, yellow = self.score["blue"], self.score["yellow"]
        self.supervisor.setLabel(0, f"blue {blue} : {yellow} yellow", 0.34, 0.86, 0.08, 0x202020, 0.0)

    def kick_off(self, with_players: bool) -> None:
        """The ball, or all, back to where they were at the start."""
        for node, place, where, turn, how in self.starts if with_players else self.starts[:1]:
            place.setSFVec3f(where)
            turn.setSFRotation(how)
            node.resetPhysics()

    def goal(self, team: str, now: float) -> None:
        """Somebody has scored."""
        self.score[team] += 1
        blue, yellow = self.score["blue"], self.score["yellow"]
        self.show()
        file = self.pictures / f"goal_{blue}_{yellow}.png"
        self.supervisor.exportImage(str(file), 90)
        print(f"goal for {team} at {now:.3f} s, blue {blue} : {yellow} yellow, picture {file}")
        self.kick_off(with_players=True)

    def look(self) -> None:
        """At one moment of the game."""
        now = self.supervisor.getTime()
        x, y, _ = self.ball.getPosition()
        team = scorer(x, y)
        if team is not None:
            self.goal(team, now)
            x = y = 0.0
        since, rest_x, rest_y = self.rested
        if max(abs(x - rest_x), abs(y - rest_y)) > STIR:
            self.rested = (now, x, y)
        elif now - since > PATIENCE:
            print(f"drop ball at {now:.3f} s")
            self.kick_off(with_players=False)
            self.rested = (now, 0.0, 0.0)
            x = y = 0.0
        self.emitter.send([x, y])


def main() -> None:
    """Lead the game to its end."""
    default = Path(tempfile.gettempdir()) / f"odesim_soccer-{os.getuid()}"
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    pictures.mkdir(parents=True, exist_ok=True)
    referee = Referee(pictures)
    while referee.supervisor.step(PERIOD) != -1:
        referee.look()


if __name__ == "__main__":
    main()
