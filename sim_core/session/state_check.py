"""Checks that states from a file fit the objects of the simulation."""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sim_core.base.field_types import returned
from sim_core.base.state import State, Stateful
from sim_core.devices.media import Media
from sim_core.devices.motors.motor_control import MotorControl
from sim_core.devices.sensor import Sensor, SensorState
from sim_core.sensing.trace import TraceState

MEDIUM = "medium "
"""Prefix of the names of states of media."""


LARGEST, LARGEST_WHOLE = 1e100, (1 << 63) - 1


def make_media(media: Media, states: Iterable[str]) -> None:
    """Create the media to which the named states belong."""
    for name in states:
        if name.startswith(MEDIUM):
            media.named(name.removeprefix(MEDIUM).partition(".")[0])


def check_states(owners: Mapping[str, Stateful], states: Mapping[str, State]) -> None:
    """Check that states belong to existing objects and fit them.

    Raises:
        ValueError: a state does not; the message names it.
    """
    for name, state in states.items():
        if name not in owners or type(state) is not type(owners[name].state):
            raise ValueError(f"{name}: a {type(state).__name__}")
        _check_numbers(name, state)
        _check_shapes(name, owners[name].state, state)
        _check_reading(name, owners[name], state)


def _check_numbers(name: str, value: Any) -> None:
    """Check that finite numbers are small enough not to overflow in sums; infinite ones are allowed."""
    if isinstance(value, int) and not -LARGEST_WHOLE <= value <= LARGEST_WHOLE:
        raise ValueError(f"{name}: a whole number of {value.bit_length()} bits")
    if isinstance(value, float) and LARGEST < abs(value) < math.inf:
        raise ValueError(f"{name}: the number {value}")
    if (
        isinstance(value, np.ndarray)
        and value.dtype == float
        and np.any(np.isfinite(value) & (np.abs(value) > LARGEST))
    ):
        raise ValueError(f"{name}: numbers beyond {LARGEST:g}")
    if isinstance(value, dict):
        value = [*value, *value.values()]
    elif dataclasses.is_dataclass(value):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, (tuple, list, deque, set, frozenset)):
        for each in value:
            _check_numbers(name, each)


def _check_shapes(name: str, own: State, state: State) -> None:
    """Check that arrays have the size they have at the start (traces may grow) and motors the world's
    step."""
    if isinstance(state, TraceState):
        rows = {len(state.times), len(state.values), len(state.strokes)}
        if len(rows) > 1 or state.values.shape[1:] != (10,) or not 0 <= state.count <= len(state.times):
            raise ValueError(f"{name}: a trace of {state.count} points in {rows} rows")
        return
    for field, value in vars(own).items():
        found = vars(state)[field]
        if isinstance(value, np.ndarray) and value.shape != found.shape:
            raise ValueError(f"{name}.{field}: an array of {found.shape}, expected {value.shape}")
        if isinstance(value, MotorControl) and found.step != value.step:
            raise ValueError(f"{name}.{field}: a step of {found.step} s, expected {value.step}")


def _check_reading(name: str, owner: Stateful, state: State) -> None:
    """Check that a sensor's last reading is of its kind."""
    if not isinstance(owner, Sensor) or not isinstance(state, SensorState) or state.latest is None:
        return
    if not returned(type(owner).sample)(state.latest):
        raise ValueError(f"{name}: the reading {type(state.latest).__name__}")
