"""RotationalMotor and LinearMotor: move a joint by position, by velocity, or by torque or force.

At the start a motor holds the position that its joint has in the file (Webots reference, Motor). Commands are
multiplied by the motor's `multiplier`; measured values are the joint's own. A command to one of several
coupled motors (see `coupled_motors.py`) is executed by all of them.
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

    A setter clamps a value that is past a limit, and then returns a message, else None. A value that is not a
    finite number raises CommandError and changes nothing. Commands take effect in the next step.

    Attributes:
        axis: the joint axis that it drives.
        limits: limits given by its fields, or by its coupling.
        multiplier: factor applied to commanded positions, velocities and efforts.
        following: coupling to a leading joint, which replaces commands; None: there is none.
    """

    state: MotorState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        fields = self._read_fields()
        self.axis: JointAxis = fields.axis
        self.limits: MotorLimits = fields.limits
        self._pid, self._effort_gains, self._lag = fields.pid, fields.effort_gains, fields.lag
        self._initial_target = fields.initial_position, fields.initial_velocity
        self.multiplier, self.warnings = fields.multiplier, fields.warnings
        self.coupled: tuple[Motor, ...] = (self,)
        self.following: Following | None = None
        self._feedback, self._consumption = EffortFeedback(self.axis, self.world), fields.consumption
        if self._consumption and spec.robot["battery"]:
            self._feedback.enable()  # consumption depends on the effort from the first step on
        self.state = self.initial()

    @property
    def commanded_devices(self) -> tuple[Motor, ...]:
        """All coupled motors."""
        return self.coupled

    def parts(self) -> tuple[Stateful, ...]:
        """Return the effort feedback."""
        return (self._feedback,)

    def initial(self) -> MotorState:
        """Return the state that holds the joint's position within the limits, or the fields' target."""
        limits = self.limits
        position, velocity = self._initial_target
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
        return self.axis.spec.is_linear

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

        Springs and dampers of the joint are not included; a torque or force set by `set_effort` is.
        """
        if self.state.mode is ControlMode.EFFORT or self._effort_gains is not None:
            return self.state.applied_effort
        return self._feedback.latest_effort()

    @property
    def power(self) -> float:
        """Power drawn in the last step, W: |effort|·consumptionFactor; 0 without physics.

        (Webots reference, Motor, Energy Consumption. The manual has no absolute value; a motor that brakes
        draws power too, as in Webots. A negative factor returns power.)
        """
        return abs(self.effort) * self._consumption if self._consumption else 0.0

    @property
    def mode(self) -> ControlMode:
        """Quantity that the motor controls."""
        return self.state.mode

    @property
    def target_position(self) -> float:
        """Target position; inf in velocity control, NaN in effort control."""
        if self.state.mode is ControlMode.POSITION:
            return self._position_target(self.axis.position)
        return math.inf if self.state.mode is ControlMode.VELOCITY else math.nan

    @property
    def target_velocity(self) -> float:
        """Target velocity, or the speed limit of position control."""
        return self.state.target_velocity

    @property
    def commanded_velocity(self) -> float:
        """Velocity commanded to the joint in the last step, rad/s or m/s; 0 in effort control."""
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
        """Turn (or move) at a velocity from now on, in velocity control.

        In Webots this takes `setPosition(inf)` first; here the speed limit of position control is the second
        argument of `set_position`.
        """
        velocity = self._finite("velocity", velocity)
        return self._command_coupled(lambda motor: motor._set_target_velocity(velocity * motor.multiplier))

    @command(position=Number("rad or m"), velocity=Number("rad/s or m/s", optional=True))
    def set_position(self, position: float, velocity: float | None = None) -> str | None:
        """Go to a position and hold it.

        Args:
            position: rad or m; ±inf selects velocity control, as in Webots, and stops the motor until
                `set_velocity`.
            velocity: speed limit on the way, 0 or more; None: the motor's highest.
        """
        if velocity is not None:
            velocity = check_not_negative(self._label("velocity"), velocity)
        if isinstance(position, float) and math.isinf(position):
            return self._command_coupled(lambda motor: motor._set_target_velocity(0.0 * motor.multiplier))
        position = self._finite("position", position)
        return self._command_coupled(
            lambda motor: motor._set_target_position(
                position * motor.multiplier, None if velocity is None else velocity * abs(motor.multiplier)
            )
        )

    def track_position(self, now: float, then: float) -> None:
        """Move along a path: from the target `now` at the start of the next step to `then` at its end.

        This is position control with the velocity (then - now)/step added in that step: a motor that is on
        the path stays on it, where plain position control would lag behind. Afterwards `then` is the target.
        """
        now, then = check_finite(self._label("position"), now), check_finite(self._label("position"), then)
        self._command_coupled(
            lambda motor: motor._set_moving_target(now * motor.multiplier, then * motor.multiplier)
        )

    @command(effort=Number("N·m or N"))
    def set_effort(self, effort: float) -> str | None:
        """Apply a torque or force until the next command, without limits of velocity and acceleration.

        Raises:
            CommandError: not finite, or the joint's end point has no Physics, so that no force moves it.
        """
        effort = check_finite(self._label("effort"), effort)
        for motor in self.coupled:
            if not motor.axis.spec.is_dynamic:
                found = "no force moves a joint whose end point has no Physics"
                raise CommandError(f"{motor._label('effort')}: {found}")
        return self._command_coupled(lambda motor: motor._set_target_effort(effort * motor.multiplier))

    @command(meets_faults=False, effort=Number("N·m or N"))
    def set_available_effort(self, effort: float) -> str | None:
        """Set the torque or force that the motor may use, at most `max_effort`."""
        state = self.state
        what = self._label("available effort")
        effort = check_not_negative(what, effort)
        state.available_effort, message = clamped(what, effort, self.max_effort, self._effort_unit)
        state.target_effort = max(-state.available_effort, min(state.available_effort, state.target_effort))
        self.wake()
        return message

    @command(meets_faults=False, acceleration=Number("rad/s² or m/s²"))
    def set_acceleration(self, acceleration: float) -> None:
        """Limit the change of velocity per second; -1: no limit, as in the field."""
        if acceleration != -1.0:
            acceleration = check_not_negative(self._label("acceleration"), acceleration)
        self.state.control.acceleration = self._acceleration_limit(acceleration)
        self.wake()

    @command(meets_faults=False, p=Number("1/s"), i=Number("1/s²"), d=Number())
    def set_control_pid(self, p: float, i: float, d: float) -> None:
        """Set the gains of position control: P in 1/s and above 0, I in 1/s², D."""
        p, i, d = (
            check_not_negative(self._label(f"control {name}"), value)
            for name, value in (("P", p), ("I", i), ("D", d))
        )
        if p == 0.0:
            raise CommandError(f"{self._label('control P')}: found 0, expected more than 0")
        self.state.control.set_pid((p, i, d))
        self.wake()

    def stop(self) -> None:
        """Stop: velocity control with target 0."""
        self.set_velocity(0.0)

    def before_step(self) -> bool:
        """Command the joint's velocity or effort of this step; return False once it no longer changes."""
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
        """Release the joint."""
        state = self.state
        state.target_position = self._position_target(self.axis.position)
        self.axis.release()
        state.control.start_from()
        state.driven, state.released, state.applied_effort = None, False, 0.0

    def reset(self) -> None:
        """Hold the initial position with the limits of the fields."""
        super().reset()
        self._feedback.reset()
        self.wake()

    def replace_limits(self, limits: MotorLimits) -> None:
        """Replace the limits, also those of the initial state; present targets stay."""
        before = self.initial()
        self.limits = limits
        self.state.update_start(self.initial(), before)

    def read_limits(self) -> None:
        """Read the limits again as for a new motor: they include the joint's initial position."""
        self.replace_limits(self._read_fields().limits)

    def _command_coupled(self, command: Callable[[Motor], str | None]) -> str | None:
        """Execute a command on all coupled motors; return this motor's message, or else another's."""
        if self.following is not None:
            return f'{self.robot_name}.{self.name}: follows "{self.spec["follows"]}", takes no command'
        if len(self.coupled) == 1:
            return command(self)
        messages = {motor: command(motor) for motor in self.coupled}
        return messages[self] or next((text for text in messages.values() if text), None)

    def _set_target_velocity(self, velocity: float) -> str | None:
        self.state.target_velocity, message = self._within_limit(velocity)
        self._set_mode(ControlMode.VELOCITY)
        return message

    def _set_target_position(self, position: float, velocity: float | None) -> str | None:
        state = self.state
        speed, message = self._within_limit(self.max_velocity if velocity is None else velocity)
        target = self.limits.nearest(position)
        if target != position:
            what, unit = self._label("position"), "m" if self.is_linear else "rad"
            message = f"{what} {position:g} {unit} is past the limit {target:g} {unit}, clamped"
        state.target_position, state.target_velocity = target, speed
        self._set_mode(ControlMode.POSITION)
        return message

    def _set_moving_target(self, now: float, then: float) -> str | None:
        state = self.state
        now, then = self.limits.nearest(now), self.limits.nearest(then)
        state.target_position, state.target_velocity = then, self.max_velocity
        self._set_mode(ControlMode.POSITION)
        state.lead = then - now
        return None

    def _set_target_effort(self, effort: float) -> str | None:
        state = self.state
        what, unit = self._label("effort"), self._effort_unit
        state.target_effort, message = clamped(what, effort, state.available_effort, unit)
        self._set_mode(ControlMode.EFFORT)
        return message

    def _set_mode(self, mode: ControlMode) -> None:
        state = self.state
        state.lead = None
        if mode is not state.mode:
            if state.mode is ControlMode.EFFORT:
                state.control.start_from(self.axis.velocity)
                state.applied_effort = 0.0
            elif mode is ControlMode.POSITION:
                state.control.start_from(state.control.velocity)
            state.mode = mode
        self.wake()

    def _effort_by(self, gains: EffortGains) -> float:
        """Return the effort of this step by the control law for efforts."""
        state, position = self.state, self.axis.position
        error = self._position_target(position) - position
        if state.mode is ControlMode.VELOCITY:
            error = state.target_velocity - self.axis.velocity
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
        """Return the velocity of this step, and True if it must be computed again for the next step."""
        state = self.state
        control, target = state.control, state.target_velocity
        if state.mode is ControlMode.VELOCITY:
            velocity = control.hold_velocity(target)
            if self.axis.spec.is_dynamic or math.isinf(self.limits.min_position):
                return velocity, velocity != target
            position = self.axis.position
            velocity = control.velocity = self.limits.limit_velocity(velocity, position, self.step_seconds)
            return velocity, velocity != 0.0
        position = self.axis.position
        aim = state.target_position = self._position_target(position)
        lead, state.lead = state.lead, None
        if self.axis.spec.is_dynamic:
            lead = lead or 0.0
            return control.approach(aim - lead, position, target, lead / self.step_seconds), True
        if lead is not None:
            wanted = (aim - position) / self.step_seconds
            return control.hold_velocity(max(-target, min(target, wanted))), True
        velocity = control.approach_exactly(aim, position, target)
        return velocity, velocity != 0.0 or not control.has_arrived(aim, position)

    def _position_target(self, position: float) -> float:
        """Return the target position, or for a motor without one the joint's position within the limits."""
        target = self.state.target_position
        return self.limits.nearest(position) if target is None else target

    def _acceleration_limit(self, acceleration: float) -> float:
        """Return the limit of acceleration; without physics at most the effort (Webots reference, Motor)."""
        limit = math.inf if acceleration == -1.0 else acceleration
        # in an engine without masses an effort has no meaning
        if self.axis.spec.is_dynamic or not self.world.can.forces:
            return limit
        return min(limit, self.max_effort)

    def _read_fields(self) -> MotorFields:
        return read_motor_fields(self.spec, self.world)

    @property
    def _effort_unit(self) -> str:
        return "N" if self.is_linear else "N·m"
