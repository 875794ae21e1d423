"""Geometries given by points as triangles (`sim_core/scene/triangles.py`)."""

from sim_core.scene.triangles import Triangles, triangles_of

__all__ = ["Triangles", "triangles_of"]
