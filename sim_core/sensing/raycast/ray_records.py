"""What is known of the shapes that rays have met, whoever cast them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sim_core.model.reflectance import infrared_factor
from sim_core.model.shapes import ShapeRecord
from sim_core.scene import Node


class RayRecords(ABC):
    """Answers that all follow from the shape that a ray met."""

    @abstractmethod
    def record(self, ray: int) -> ShapeRecord | None:
        """The shape that a ray met, None if it met nothing."""

    def solid(self, ray: int) -> Node | None:
        """The solid whose shape a ray met; None: of no solid, or nothing was met."""
        record = self.record(ray)
        return record.solid if record is not None else None

    def robot(self, ray: int) -> Node | None:
        """The outermost robot of the shape that a ray met; None: of no robot, or nothing was met."""
        record = self.record(ray)
        return record.robot if record is not None else None

    def reflectance(self, ray: int) -> float:
        """Infra-red reflection factor of the surface that a ray met; 1 if it met nothing."""
        record = self.record(ray)
        return infrared_factor(record.appearance) if record is not None else 1.0
