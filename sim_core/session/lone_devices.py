"""Devices that stand in no robot: the connectors of plain solids, which those of robots dock to."""

from __future__ import annotations

from itertools import count

from sim_core.base.config import DeviceConfig
from sim_core.base.ids import NodeId
from sim_core.base.state import Stateful
from sim_core.devices import Device, DeviceContext, make_device
from sim_core.devices.media import Media
from sim_core.devices.noise import device_seed
from sim_core.model.changes import Aspect, Edit, Edits
from sim_core.model.robots import lone_connectors


class LoneDevices(Stateful):
    """The Connectors outside robots; nobody reads them or tells them anything.

    They lock as their fields say (`isLocked`, `autoLock`), are locked to, and break, as in Webots, where all
    connectors of a world know of each other.
    """

    def __init__(self, media: Media, seed: int) -> None:
        """Make those that the world has now; they have not entered it yet.

        Raises:
            DeviceError: a field has a value that is not possible.
        """
        self._media, self._seed = media, seed
        self._devices: dict[NodeId, Device] = {}
        self._find()

    def parts(self) -> tuple[Device, ...]:
        """All of them, in file order."""
        return tuple(self._devices.values())

    def enter(self) -> None:
        """Tell the media of them."""
        for device in self._devices.values():
            device.on_added()

    def reset(self) -> None:
        """Back to the start."""
        for device in self._devices.values():
            device.reset()

    def take_edits(self, edits: Edits) -> bool:
        """The scene has been edited, and the model is so already.

        Returns:
            Whether others are there than before, so that all devices must enter the media anew.

        Raises:
            DeviceError: a value is not possible.
        """
        return any(map(self._concerns, edits)) and self._find()

    def _concerns(self, edit: Edit) -> bool:
        """Whether an edit may be of one of them, or of which there are: all nodes are looked through then."""
        if edit.aspect in (Aspect.DEVICE, Aspect.NOTE):
            return edit.node is not None and edit.node.id in self._devices
        if edit.aspect is not Aspect.STRUCTURE:
            return False
        return bool(self._devices) or edit.node is None or bool(lone_connectors([edit.node]))

    def _find(self) -> bool:
        """Have those that the world has now; whether they are others than before."""
        before = self._devices
        found: dict[NodeId, Device] = {}
        for spec in self._media.world.model.lone_connectors():
            device = before.get(spec.id)
            if device is None:
                seed = device_seed(self._seed, spec.path, None)
                context = DeviceContext(self._media.world, "", DeviceConfig(), seed, self._media)
                device = make_device(spec, context)
                device.name = _free_name(spec.path, {each.name for each in found.values()})
            else:
                device.spec = spec
                device.read_fields()
            found[spec.id] = device
        self._devices = found
        return list(before) != list(found)


def _free_name(path: str, taken: set[str]) -> str:
    """A name for a device of which there may be others of the same path; no robot tells them apart."""
    return next(name for k in count(1) if (name := path if k == 1 else f"{path} {k}") not in taken)
