"""The motion editor: poses of a robot's motors at times, played or saved as a Webots motion file."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from builtin_interfaces.msg import Duration
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ros_bridge.topics.names import in_namespace, legal_name
from ros_bridge.viewer.motion_draft import MILLISECOND, NO_STEP, MotionDraft, parse_positions, positions_text
from ros_bridge.viewer.panel import NOTHING, ViewerContext, download, set_choices
from ros_bridge.viewer.polled_topic import PolledTopic
from sim_core.base.errors import SceneErrors
from sim_core.session.players.motion import parse_motion

GAP = 500
"""Default time between poses, ms."""
ADD, REMOVE, UP, DOWN = "Add", "Remove", "Up", "Down"
NOW, SHOW = "Read current", "Send robot there"


class MotionPanel:
    """List of poses, and the motor positions of the selected one."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._draft = MotionDraft()
        self._at = -1
        self._robot = NOTHING
        self._states: PolledTopic | None = None
        self._present: dict[str, float] = {}
        self._publisher: Any = None
        self._again_ns: int | None = None
        gui = context.server.gui
        self._robots = gui.add_dropdown("Robot to move", (NOTHING,))
        context.on_use(self._robots, lambda event: self._choose(event.target.value))
        self._list = gui.add_dropdown("Poses", (NOTHING,))
        context.on_use(self._list, lambda event: self._open(event.target.value))
        order = gui.add_button_group("Pose", (ADD, REMOVE, UP, DOWN))
        context.on_use(order, lambda event: self._reorder(event.target.value))
        self._step = gui.add_number(
            "Fixed step, ms", NO_STEP, min=0, step=10, hint="0: each pose has its own time"
        )
        context.on_use(self._step, lambda event: self._set_step(int(event.target.value)))
        self._time = gui.add_number("Time, ms", 0, min=0, step=1)
        self._name = gui.add_text("Pose name", "")
        self._motors = gui.add_text(
            "Positions",
            "",
            multiline=True,
            hint="one line NAME POSITION for each motor, rad or m; *: not commanded",
        )
        context.on_use(gui.add_button("Apply to pose"), lambda _: self._apply())
        here = gui.add_button_group("Robot", (NOW, SHOW), hint="read its present positions, or move it there")
        context.on_use(
            here, lambda event: self._read_positions() if event.target.value == NOW else self._move_robot()
        )
        self._loop = gui.add_checkbox("Loop", False)
        self._reverse = gui.add_checkbox("Reverse", False)
        played = gui.add_button_group("Motion", ("Play", "Stop"))
        context.on_use(played, lambda event: self._play() if event.target.value == "Play" else self._stop())
        context.on_use(gui.add_button("Save motion", icon="download"), self._save)
        upload = gui.add_upload_button("Open motion", icon="upload", mime_type=".motion,.txt")
        upload.on_upload(lambda event: context.inbox.put(lambda: self._load(event.target.value)))
        self._note = gui.add_html("")

    def refresh(self, now: float) -> None:
        """List the robots that have joints, read their joint states, and restart a loop."""
        set_choices(self._robots, self._with_joints(), gone=self._robot in self._context.robots)
        self._choose(self._robots.value)  # a robot that has gone leaves the list
        for message in self._states.take() if self._states is not None else []:
            self._present = dict(zip(message.name, message.position, strict=True))
        time_ns = self._context.link.time_ns
        if self._again_ns is not None and time_ns is not None and time_ns >= self._again_ns:
            self._play()

    def _with_joints(self) -> tuple[str, ...]:
        return tuple(
            name
            for name in self._context.robots
            if in_namespace(name, "joint_states") in self._context.topics
        )

    def _choose(self, robot: str) -> None:
        if robot == self._robot:
            return
        if self._states is not None:
            self._states.close()
            self._context.node.destroy_publisher(self._publisher)
            self._states = self._publisher = None
        self._robot, self._present, self._again_ns = robot, {}, None
        if robot != NOTHING:
            self._states = PolledTopic(self._context.watch, JointState, in_namespace(robot, "joint_states"))
            self._publisher = self._context.node.create_publisher(
                JointTrajectory, in_namespace(robot, "joint_trajectory"), 10
            )

    # ---- poses

    def _show(self, at: int) -> None:
        """Show the list, and the pose at an index."""
        titles = [f"{number}: {pose.time} ms {pose.name}" for number, pose in enumerate(self._draft.poses, 1)]
        self._at = min(at, len(titles) - 1)
        self._list.options = tuple(titles) or (NOTHING,)
        if self._at < 0:
            self._time.value, self._name.value, self._motors.value = 0, "", ""
            return
        self._list.value = titles[self._at]
        pose = self._draft.poses[self._at]
        self._time.value, self._name.value = pose.time, pose.name
        self._motors.value = positions_text(pose.positions, self._names())

    def _open(self, title: str) -> None:
        number = title.partition(":")[0]
        if number.isdigit() and int(number) - 1 != self._at:
            self._show(int(number) - 1)

    def _reorder(self, button: str) -> None:
        if button == ADD:
            self._show(self._draft.insert_pose(self._at, self._measured(), self._draft.step or GAP))
        elif self._at < 0:
            self._show_message("There is no pose. Press Add to create one.")
        elif button == REMOVE:
            self._draft.remove_pose(self._at)
            self._show(self._at)
        else:
            self._show(self._draft.swap(self._at, -1 if button == UP else 1))

    def _set_step(self, step: int) -> None:
        if step != self._draft.step:
            self._draft.set_step(step)
            self._show(self._at)

    def _apply(self) -> bool:
        """Apply the entered values to the pose; return whether they are valid."""
        if self._at < 0:
            self._show_message("There is no pose. Press Add to create one.")
            return False
        try:
            positions = parse_positions(self._motors.value)
            self._draft.replace_pose(self._at, int(self._time.value), self._name.value, positions)
        except ValueError as error:
            self._show_message(str(error))
            return False
        self._show_message("")
        self._show(self._at)
        return True

    def _measured(self) -> dict[str, float]:
        """Return the current positions of all joints that have a motor."""
        return {name: self._present[name] for name in self._names() if math.isfinite(self._present[name])}

    def _names(self) -> tuple[str, ...]:
        """Return the motors of the robot: the joints that have an effort topic."""
        effort_topic = in_namespace(self._robot, "{}/effort")
        return tuple(
            name for name in self._present if effort_topic.format(legal_name(name)) in self._context.topics
        )

    def _read_positions(self) -> None:
        if self._at >= 0:
            self._motors.value = positions_text(self._measured(), self._names())
            self._apply()

    def _move_robot(self) -> None:
        if self._apply():
            pose = self._draft.poses[self._at]
            self._send(tuple(pose.positions), [(GAP * MILLISECOND, tuple(pose.positions.values()))])

    # ---- motions

    def _play(self) -> None:
        self._again_ns = None
        try:
            self._draft.text()  # raises if something is missing
        except ValueError as error:
            self._show_message(str(error))
            return
        path = self._draft.path(self._reverse.value)
        points = list(zip(path.times_ns, map(tuple, path.positions.tolist()), strict=True))
        is_sent = self._send(self._draft.joints, points)
        if is_sent and self._loop.value and self._context.link.time_ns is not None and path.end_ns > 0:
            self._again_ns = self._context.link.time_ns + path.end_ns

    def _stop(self) -> None:
        self._again_ns = None
        self._send((), [])

    def _send(self, joints: tuple[str, ...], points: list[tuple[int, tuple[float, ...]]]) -> bool:
        if self._publisher is None:
            self._show_message("No robot is selected. Select one with motors.")
            return False
        message = JointTrajectory(joint_names=list(joints))
        for time_ns, positions in points:
            due = Duration(sec=time_ns // 10**9, nanosec=time_ns % 10**9)
            message.points.append(JointTrajectoryPoint(positions=list(positions), time_from_start=due))
        self._publisher.publish(message)
        self._show_message("")
        return True

    def _save(self, event: Any) -> None:
        """Send the file to the browser that asked for it."""
        try:
            text = self._draft.text()
        except ValueError as error:
            self._show_message(str(error))
            return
        download(event.client, f"{self._robot.replace('/', '_')}.motion", text.encode())

    def _load(self, file: Any) -> None:
        try:
            self._draft = MotionDraft.from_motion(parse_motion(file.content.decode("utf-8"), file.name))
        except (UnicodeDecodeError, SceneErrors) as error:
            self._show_message(" ".join(str(error).split()))
            return
        self._step.value = NO_STEP
        self._show_message(f"{file.name}: {len(self._draft.poses)} poses")
        self._show(0)

    def _show_message(self, text: str) -> None:
        self._note.content = f'<div id="odesim-motion" style="padding:0 0.8em">{escape(text)}</div>'
