"""Memory of the compiled part of a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_core.engines.ode.contacts.kernels import (
    CALLBACK,
    FLAGGED,
    FLOORS,
    FOUND,
    HOLDERS,
    INTS,
    MOVING,
    PAIRS,
    REALS,
    ROOM,
    SECONDS,
    STATES,
    STEP_HEADER,
    STILL,
    WORLD,
    list_members,
    note_pair,
    search,
)
from sim_core.engines.ode.ode_binding import CONTACT_DOUBLES, STATE_DOUBLES


class FloorTable:
    """Arrays of `touch_floors`.

    Attributes:
        ints, reals: a row for each pair of a shape and a floor; the columns are defined in `kernels.py`.
        contacts: (surfaces, 4, CONTACT_DOUBLES) prepared contacts: stick, slide, bouncing stick, bouncing
            slide.
        points: (rows, 5) output: row, position and depth of each contact made.
        flagged: (rows + 1,) output: rows that reach the floor and are not handled by the loop; the last item
            is the number of points.
        address: argument of `touch_floors`.
    """

    def __init__(
        self, ints: list[list[int]], reals: list[list[float]], contacts: list[Any], world: int, group: int
    ) -> None:
        self._world, self._group = world, group
        self.ints = np.zeros((0, INTS), np.int64)
        self.reals = np.zeros((0, REALS))
        self.contacts = np.zeros((0, 4, CONTACT_DOUBLES))
        self.extend(ints, reals, contacts)

    def extend(self, ints: list[list[int]], reals: list[list[float]], contacts: list[Any]) -> None:
        """Add rows, and the contacts that they need; this changes `address`."""
        new = np.array(contacts, np.float64).reshape(-1, 4, CONTACT_DOUBLES)
        self.ints = np.concatenate((self.ints, np.array(ints, np.int64).reshape(-1, INTS)))
        self.reals = np.concatenate((self.reals, np.array(reals, np.float64).reshape(-1, REALS)))
        self.contacts = np.concatenate((self.contacts, new))
        self._use()

    def keep(self, rows: list[int]) -> None:
        """Keep these rows, in this order, and remove the others; this changes `address`."""
        self.ints, self.reals = self.ints[rows], self.reals[rows]
        self._use()

    def _use(self) -> None:
        rows = len(self.ints)
        self.points = np.zeros((rows, 5))
        self.flagged = np.zeros(rows + 1, np.int64)
        arrays = (self.ints, self.reals, self.contacts, self.points, self.flagged)
        sizes = (rows, len(self.contacts), self._world, self._group)
        self._header = np.array([*(array.ctypes.data for array in arrays), *sizes], np.int64)
        self.address: int = self._header.ctypes.data

    def __len__(self) -> int:
        return len(self.ints)


class StateCopier:
    """Two buffers for the state of all bodies: the last good one and the next.

    Attributes:
        address: argument of `copy_state`.
    """

    def __init__(self, addresses: list[int]) -> None:
        self._use(np.array(addresses, np.int64))

    def extend(self, addresses: list[int]) -> None:
        """Add bodies from the next copy on; this changes `address`."""
        self._use(np.concatenate((self._addresses, np.array(addresses, np.int64))))

    def remove_bodies(self, addresses: list[int]) -> None:
        """Remove bodies; this changes `address`, and the next copy is the first."""
        gone = set(addresses)  # np.isin is slower up to about 1,000 bodies
        self._use(self._addresses[[address not in gone for address in self._addresses.tolist()]])

    def _use(self, addresses: Any) -> None:
        self._addresses = addresses
        self._buffers = np.zeros((2, len(addresses), STATE_DOUBLES))
        first, second = (buffer.ctypes.data for buffer in self._buffers)
        header = [self._addresses.ctypes.data, len(addresses), first, second, 0]
        self._header = np.array(header, np.int64)
        self.address: int = self._header.ctypes.data

    @property
    def good(self) -> Any:
        """(n, STATE_DOUBLES) the last good state."""
        return self._buffers[self._header[4]]

    @property
    def other(self) -> Any:
        """(n, STATE_DOUBLES) the state before it, or the bad one that `copy_state` found."""
        return self._buffers[1 - self._header[4]]


class StepTable:
    """Data of `search` and `advance`.

    Attributes:
        address: their argument.
    """

    def __init__(self, moving: int, still: int) -> None:
        """Create it; `moving`, `still`: addresses of the spaces."""
        self._header = np.zeros(STEP_HEADER, np.int64)
        self._header[[MOVING, STILL, CALLBACK]] = moving, still, note_pair.address
        self.address: int = self._header.ctypes.data
        self._make_room(256)

    def _make_room(self, room: int) -> None:
        self._pairs = np.zeros((room, 3), np.int64)
        self._header[[PAIRS, ROOM]] = self._pairs.ctypes.data, room

    def set_shapes(self, floors: int, holders: int) -> None:
        """Set the shapes; `floors`: address of a FloorTable; `holders`: number of moving geoms, or spaces of
        geoms."""
        self._header[[FLOORS, HOLDERS]] = floors, holders

    def set_bodies(self, world: int, states: int, seconds: float) -> None:
        """Set the bodies; arguments as for `step_world`."""
        self._header[[WORLD, STATES]] = world, states
        self._header.view(np.float64)[SECONDS] = seconds

    def found(self) -> tuple[int, list[list[int]]]:
        """Return the results of `search`, which must be the last call.

        Returns:
            The number of flagged rows, and the pairs of nearby geoms, by address; third, whether they were
            found in a space of geoms.
        """
        while (found := int(self._header[FOUND])) > len(self._pairs):
            self._make_room(2 * found)
            search(self.address)
        return int(self._header[FLAGGED]), self._pairs[:found].tolist()


class SpaceOrder:
    """Reads the order of the members of spaces, by their numbers among all geoms and spaces."""

    def __init__(self, geoms: list[Any], spaces: list[Any]) -> None:
        """Create it; `geoms`, `spaces`: all of a world; they must not change afterwards."""
        addresses = [each._id() for each in (*geoms, *spaces)]
        self._numbers = {address: number for number, address in enumerate(addresses)}
        self._spaces = np.array(addresses[len(geoms) :], np.int64)
        self._members = np.zeros(len(addresses) + len(spaces), np.int64)

    def member_numbers(self) -> list[list[int]]:
        """Return the numbers in each space."""
        list_members(self._spaces, self._members)
        numbers, members = self._numbers, self._members.tolist()
        order, row = [], 0
        for _ in self._spaces:
            end = row + 1 + members[row]
            order.append([numbers[address] for address in members[row + 1 : end]])
            row = end
        return order
