"""Geometries given by points as triangles (`sim_core/scene/meshes/triangles.py`)."""

from sim_core.scene.meshes.triangles import Triangles, triangles_of

__all__ = ["Triangles", "triangles_of"]
