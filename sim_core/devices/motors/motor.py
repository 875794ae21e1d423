"""RotationalMotor and LinearMotor: move a joint by position, by velocity, or by torque or force.

A new motor holds the position that its joint has in the file (Webots reference, Motor).

What is commanded is multiplied by the motor's `multiplier`; what is read is the joint's own. Coupled motors
(see `coupled_motors.py`) all take what one of them is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sim_core.base.errors import CommandError
from sim_core.base.state import Stateful
from sim_core.devices.base import DeviceContext
from sim_core.devices.command_checks import check_finite, check_not_negative, clamped
from sim_core.devices.commands import Number, command
from sim_core.devices.motors.effort_feedback import EffortFeedback
from sim_core.devices.motors.following import Following
from sim_core.devices.motors.motor_control import ControlMode, EffortGains, MotorControl
from sim_core.devices.motors.motor_fields import MotorFields, MotorLimits, read_motor_fields
from sim_core.devices.motors.motor_state import MotorState
from sim_core.devices.motors.webots_motor import WebotsMotor
from sim_core.engines.world_view import JointAxis
from sim_core.model.device_spec import DeviceSpec


class Motor(WebotsMotor):
    """A motor at one axis of a joint.

    Units: rad, rad/s, N·m where `is_linear` is False; m, m/s, N where it is True.

    A setter whose value is past a limit takes the limit instead and returns one line that says so, else None.
    A value that is not a finite number raises CommandError and changes nothing. Commands take effect in the
    next step.

    Attributes:
        axis: what the motor drives.
        limits: that its fields state, or its coupling.
        multiplier: the joint gets this many times the position, velocity or effort that is commanded.
        following: what it follows whatever is commanded; None: it obeys.
    """

    state: MotorState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        fields = self._read_fields()
        self.axis: JointAxis = fields.axis
        self.limits: MotorLimits = fields.limits
        self._pid, self._effort_gains, self._lag = fields.pid, fields.effort_gains, fields.lag
        self._told_before = fields.initial_position, fields.initial_velocity
        self.multiplier = fields.multiplier
        self.warnings = fields.warnings
        self.coupled: tuple[Motor, ...] = (self,)
        self.following: Following | None = None
        self._feedback = EffortFeedback(self.axis, self.world)
        self._consumption = fields.consumption
        if self._consumption and spec.robot["battery"]:
            self._feedback.enable()  # the battery wants to know from the first step on
        self.state = self.initial()

    @property
    def told_with_it(self) -> tuple[Motor, ...]:
        """All that are coupled."""
        return self.coupled

    def parts(self) -> tuple[Stateful, ...]:
        """What measures its effort."""
        return (self._feedback,)

    def initial(self) -> MotorState:
        """It holds the position that the joint has, within the limits of its fields, or as these say."""
        limits = self.limits
        position, velocity = self._told_before
        acceleration = self._acceleration_limit(limits.acceleration)
        return MotorState(
            control=MotorControl(self.step_seconds, self._pid, acceleration, self._lag),
            mode=ControlMode.POSITION if velocity is None else ControlMode.VELOCITY,
            target_position=position,
            target_velocity=limits.max_velocity if velocity is None else self._within_limit(velocity)[0],
            available_effort=limits.max_effort,
        )

    @property
    def is_linear(self) -> bool:
        """True: m, m/s and N; False: rad, rad/s and N·m."""
        return self.axis.is_linear

    @property
    def max_velocity(self) -> float:
        """Highest speed, rad/s or m/s."""
        return self.limits.max_velocity

    @property
    def max_effort(self) -> float:
        """Highest torque or force, N·m or N."""
        return self.limits.max_effort

    @property
    def position(self) -> float:
        """Joint position, rad (continuous) or m."""
        return self.axis.position

    @property
    def velocity(self) -> float:
        """Joint velocity, rad/s or m/s."""
        return self.axis.velocity

    @property
    def effort(self) -> float:
        """Torque or force that the motor applied in the last step; measured from the first call on.

        Springs and dampers of the joint are not in it; a torque or force set by `set_effort` is.
        """
        if self.state.mode is ControlMode.EFFORT or self._effort_gains is not None:
            return self.state.applied_effort
        return self._feedback.read()

    @property
    def power(self) -> float:
        """W drawn in the last step: |effort|·consumptionFactor; 0 without physics.

        (Webots reference, Motor, Energy Consumption. The manual writes no absolute value; a motor that
        brakes draws power too, as in Webots. A negative factor gives power back.)
        """
        return abs(self.effort) * self._consumption if self._consumption else 0.0

    @property
    def mode(self) -> ControlMode:
        """What the motor holds."""
        return self.state.mode

    @property
    def target_position(self) -> float:
        """Position to go to; inf in velocity control, NaN in effort control."""
        if self.state.mode is ControlMode.POSITION:
            return self._aim(self.axis.position)
        return math.inf if self.state.mode is ControlMode.VELOCITY else math.nan

    @property
    def target_velocity(self) -> float:
        """Velocity to hold, or the speed limit of position control."""
        return self.state.target_velocity

    @property
    def commanded_velocity(self) -> float:
        """Velocity asked of the joint in the last step, rad/s or m/s; 0 in effort control."""
        return self.state.control.velocity if self.state.mode is not ControlMode.EFFORT else 0.0

    @property
    def available_effort(self) -> float:
        """Torque or force that the motor may use, N·m or N."""
        return self.state.available_effort

    def enable_feedback(self) -> None:
        """Measure `effort` from the next step on."""
        self._feedback.enable()

    @command(velocity=Number("rad/s or m/s"))
    def set_velocity(self, velocity: float) -> str | None:
        """Turn (or move) at a velocity from now on; this alone sets the motor going.

        In Webots this takes `setPosition(inf)` first; here to limit the speed of position control is the
        second argument of `set_position`.
        """
        velocity = check_finite(self._says("velocity"), velocity)
        return self._tell(lambda motor: motor._turn_at(velocity * motor.multiplier))

    @command(position=Number("rad or m"), velocity=Number("rad/s or m/s", optional=True))
    def set_position(self, position: float, velocity: float | None = None) -> str | None:
        """Go to a position and hold it.

        Args:
            position: rad or m; ±inf is Webots' way into velocity control and makes the motor stop until
                `set_velocity`.
            velocity: speed limit on the way, 0 or more; None: the motor's highest.
        """
        if velocity is not None:
            velocity = check_not_negative(self._says("velocity"), velocity)
        if isinstance(position, float) and math.isinf(position):
            return self._tell(lambda motor: motor._turn_at(0.0 * motor.multiplier))
        position = check_finite(self._says("position"), position)
        return self._tell(
            lambda motor: motor._go_to(
                position * motor.multiplier, None if velocity is None else velocity * abs(motor.multiplier)
            )
        )

    def follow(self, now: float, then: float) -> None:
        """Lead the motor along a path: be at `then` at the end of the next step, from `now` at its start.

        Position control whose law has the velocity (then - now)/step added in that step: a motor that is on
        the path stays on it, where plain position control would lag behind. Then `then` is the target.
        """
        now, then = check_finite(self._says("position"), now), check_finite(self._says("position"), then)
        self._tell(lambda motor: motor._follow(now * motor.multiplier, then * motor.multiplier))

    @command(effort=Number("N·m or N"))
    def set_effort(self, effort: float) -> str | None:
        """Apply a torque or force until the next command; velocity and acceleration limits are off.

        Raises:
            CommandError: not finite, or the joint's end point has no Physics, so that no force moves it.
        """
        effort = check_finite(self._says("effort"), effort)
        for motor in self.coupled:
            if not motor.axis.is_dynamic:
                found = "no force moves a joint whose end point has no Physics"
                raise CommandError(f"{motor._says('effort')}: {found}")
        return self._tell(lambda motor: motor._push(effort * motor.multiplier))

    @command(meets_faults=False, effort=Number("N·m or N"))
    def set_available_effort(self, effort: float) -> str | None:
        """Torque or force that the motor may use from now on, at most `max_effort`."""
        state = self.state
        what = self._says("available effort")
        effort = check_not_negative(what, effort)
        state.available_effort, message = clamped(what, effort, self.max_effort, self._effort_unit)
        state.target_effort = max(-state.available_effort, min(state.available_effort, state.target_effort))
        self.wake()
        return message

    @command(meets_faults=False, acceleration=Number("rad/s² or m/s²"))
    def set_acceleration(self, acceleration: float) -> None:
        """Limit the change of velocity per second; -1: no limit, as in the field."""
        if acceleration != -1.0:
            acceleration = check_not_negative(self._says("acceleration"), acceleration)
        self.state.control.acceleration = self._acceleration_limit(acceleration)
        self.wake()

    @command(meets_faults=False, p=Number("1/s"), i=Number("1/s²"), d=Number())
    def set_control_pid(self, p: float, i: float, d: float) -> None:
        """Gains of position control: P in 1/s and above 0, I in 1/s², D."""
        p, i, d = (
            check_not_negative(self._says(f"control {name}"), value)
            for name, value in (("P", p), ("I", i), ("D", d))
        )
        if p == 0.0:
            raise CommandError(f"{self._says('control P')}: found 0, expected more than 0")
        self.state.control.set_pid((p, i, d))
        self.wake()

    def stop(self) -> None:
        """Velocity control at 0."""
        self.set_velocity(0.0)

    def before_step(self) -> bool:
        """Ask the joint for this step's velocity or effort; sleeps once that no longer changes."""
        state = self.state
        if self.following is not None:
            velocity, again = self.following.velocity(self.axis, self.step_seconds), True
        elif state.mode is ControlMode.EFFORT:
            return self._apply_effort(state.target_effort)
        elif self._effort_gains is not None:
            self._apply_effort(self._effort_by(self._effort_gains))
            return True
        else:
            velocity, again = self._next_velocity()
        if (velocity, state.available_effort) != state.driven:
            self.axis.drive(velocity, state.available_effort)
            state.driven = (velocity, state.available_effort)
            state.released = False
        return again

    def deactivate(self) -> None:
        """Take the motor off its joint."""
        state = self.state
        state.target_position = self._aim(self.axis.position)
        self.axis.release()
        state.control.restart()
        state.driven = None
        state.released = False
        state.applied_effort = 0.0

    def reset(self) -> None:
        """Hold the initial position with the limits of its fields."""
        super().reset()
        self._feedback.reset()
        self.wake()

    def replace_limits(self, limits: MotorLimits) -> None:
        """Have other limits from the start on; what it was told stays."""
        before = self.initial()
        self.limits = limits
        self.state.begin_as(self.initial(), before)

    def read_limits(self) -> None:
        """Have those that a motor has which is made now: they let its joint be where it starts."""
        self.replace_limits(self._read_fields().limits)

    def _tell(self, command: Callable[[Motor], str | None]) -> str | None:
        """Carry out a command on all coupled motors; returns what this one, or else another, says."""
        if self.following is not None:
            return f'{self.robot_name}.{self.name}: follows "{self.spec["follows"]}", takes no command'
        messages = {motor: command(motor) for motor in self.coupled}
        return messages[self] or next((text for text in messages.values() if text), None)

    def _turn_at(self, velocity: float) -> str | None:
        self.state.target_velocity, message = self._within_limit(velocity)
        self._set_mode(ControlMode.VELOCITY)
        return message

    def _go_to(self, position: float, velocity: float | None) -> str | None:
        state = self.state
        speed, message = self._within_limit(self.max_velocity if velocity is None else velocity)
        target = self.limits.nearest(position)
        if target != position:
            what, unit = self._says("position"), "m" if self.is_linear else "rad"
            message = f"{what} {position:g} {unit} is past the limit {target:g} {unit}, clamped"
        state.target_position, state.target_velocity = target, speed
        self._set_mode(ControlMode.POSITION)
        return message

    def _follow(self, now: float, then: float) -> str | None:
        state = self.state
        now, then = self.limits.nearest(now), self.limits.nearest(then)
        state.target_position, state.target_velocity = then, self.max_velocity
        self._set_mode(ControlMode.POSITION)
        state.lead = then - now
        return None

    def _push(self, effort: float) -> str | None:
        state = self.state
        what, unit = self._says("effort"), self._effort_unit
        state.target_effort, message = clamped(what, effort, state.available_effort, unit)
        self._set_mode(ControlMode.EFFORT)
        return message

    def _set_mode(self, mode: ControlMode) -> None:
        state = self.state
        state.lead = None
        if mode is not state.mode:
            if state.mode is ControlMode.EFFORT:
                state.control.restart(self.axis.velocity)
                state.applied_effort = 0.0
            elif mode is ControlMode.POSITION:
                state.control.restart(state.control.velocity)
            state.mode = mode
        self.wake()

    def _effort_by(self, gains: EffortGains) -> float:
        """What its law for the effort asks for in this step."""
        state = self.state
        axis, turns = self.axis, state.mode is ControlMode.VELOCITY
        error = state.target_velocity - axis.velocity if turns else self._aim(axis.position) - axis.position
        return clamped("", state.control.effort(error, gains), state.available_effort, "")[0]

    def _apply_effort(self, effort: float) -> bool:
        state = self.state
        if not state.released:
            self.axis.release()
            state.released = True
            state.driven = None
        self.axis.apply_effort(effort)
        state.applied_effort = effort
        return effort != 0.0

    def _next_velocity(self) -> tuple[float, bool]:
        """This step's velocity, and whether it must be worked out again before the next."""
        state = self.state
        control, target = state.control, state.target_velocity
        if state.mode is ControlMode.VELOCITY:
            velocity = control.hold_velocity(target)
            if self.axis.is_dynamic or math.isinf(self.limits.min_position):
                return velocity, velocity != target
            position = self.axis.position
            velocity = control.velocity = self.limits.kept_inside(velocity, position, self.step_seconds)
            return velocity, velocity != 0.0
        position = self.axis.position
        aim = state.target_position = self._aim(position)
        lead, state.lead = state.lead, None
        if self.axis.is_dynamic:
            lead = lead or 0.0
            return control.approach(aim - lead, position, target, lead / self.step_seconds), True
        if lead is not None:
            wanted = (aim - position) / self.step_seconds
            return control.hold_velocity(max(-target, min(target, wanted))), True
        velocity = control.approach_exactly(aim, position, target)
        return velocity, velocity != 0.0 or not control.is_there(aim, position)

    def _aim(self, position: float) -> float:
        """The position to go to, of a joint that is at one."""
        target = self.state.target_position
        return self.limits.nearest(position) if target is None else target

    def _acceleration_limit(self, acceleration: float) -> float:
        """Without physics the field counts only up to the highest effort (Webots reference, Motor)."""
        limit = math.inf if acceleration == -1.0 else acceleration
        if self.axis.is_dynamic or not self.world.can.forces:  # without mass an effort says nothing
            return limit
        return min(limit, self.max_effort)

    def _read_fields(self) -> MotorFields:
        return read_motor_fields(self.spec, self.world)

    @property
    def _effort_unit(self) -> str:
        return "N" if self.is_linear else "N·m"
