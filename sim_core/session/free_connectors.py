"""Connectors of plain solids, outside robots, to which connectors of robots dock."""

from __future__ import annotations

from itertools import count

from sim_core.base.config import DeviceConfig
from sim_core.base.ids import NodeId
from sim_core.base.state import Resettable
from sim_core.devices import Device, DeviceContext, make_device
from sim_core.devices.media import Media
from sim_core.devices.noise import device_seed
from sim_core.model.changes import Aspect, Edit, Edits
from sim_core.model.robots import free_connectors


class FreeConnectors(Resettable):
    """The Connectors outside robots; they have no topics and receive no commands.

    They lock as their fields say (`isLocked`, `autoLock`), are locked to, and break, as in Webots, where all
    connectors of a world know of each other.
    """

    def __init__(self, media: Media, seed: int) -> None:
        """Create the connectors that the world has now; they are not registered with the media yet.

        Raises:
            DeviceError: a field has an impossible value.
        """
        self._media, self._seed = media, seed
        self._devices: dict[NodeId, Device] = {}
        self._find()

    def parts(self) -> tuple[Device, ...]:
        """Return all connectors in file order."""
        return tuple(self._devices.values())

    def register_devices(self) -> None:
        """Register the connectors with the media."""
        for device in self._devices.values():
            device.on_added()

    def reset(self) -> None:
        """Reset all connectors to the start."""
        for device in self._devices.values():
            device.reset()

    def apply_edits(self, edits: Edits) -> bool:
        """Update the connectors after edits that the model has applied already.

        Returns:
            True if connectors were added or removed, so that all devices must register with the media again.

        Raises:
            DeviceError: a field has an impossible value.
        """
        return any(map(self._concerns, edits)) and self._find()

    def _concerns(self, edit: Edit) -> bool:
        """Return True if an edit may change a connector or their number; then all nodes are searched."""
        if edit.aspect in (Aspect.DEVICE, Aspect.NOTE):
            return edit.node is not None and edit.node.id in self._devices
        if edit.aspect is not Aspect.STRUCTURE:
            return False
        return bool(self._devices) or edit.node is None or bool(free_connectors([edit.node]))

    def _find(self) -> bool:
        """Update the connectors from the model; return True if any was added or removed."""
        before = self._devices
        found: dict[NodeId, Device] = {}
        for spec in self._media.world.model.free_connectors():
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
    """Return a unique name: several devices may have the same path, and no robot's name tells them apart."""
    return next(name for k in count(1) if (name := path if k == 1 else f"{path} {k}") not in taken)
