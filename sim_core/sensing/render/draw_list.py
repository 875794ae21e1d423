"""Draw list: a scene as arrays for rendering; made in the simulation, sent to the render process."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray, IntArray, Pixels
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import World
from sim_core.model.appearance import Appearance
from sim_core.model.geometry import CadShape, Plane
from sim_core.model.points_and_lines import LineSet, PointSet
from sim_core.model.shapes import ShapeRecord
from sim_core.sensing.appearance_changes import AppearanceChanges, Spot
from sim_core.sensing.picture_view import PictureView
from sim_core.sensing.raycast.frames import FramePool
from sim_core.sensing.render.ink import InkTracker, InkUpdate
from sim_core.sensing.render.materials import (
    COLUMNS,
    KIND,
    PBR,
    SEGMENT,
    emitted,
    marks_row,
    material_row,
    plain_row,
)
from sim_core.sensing.render.meshes import Form, Vertices, cad_forms, coarser, form_of, mesh_of
from sim_core.sensing.render.sky_and_fog import ambient_light, backdrop, fog_row, sky_light
from sim_core.sensing.render.surfaces import SurfaceTextures, TextureTable


class BatchKind(NamedTuple):
    """Common properties of the instances of a batch.

    Attributes:
        mesh: name of the mesh; equal names mean equal triangles.
        look: its textures.
        is_pbr: all have a PBRAppearance; otherwise none has.
        marks: "POINTS" or "LINES" for shapes without surface; empty: triangles.
        coarse: chords per circle and name of each mesh for small instances, the fewest chords first.
        is_at_eye: all are fixed to the eye (Billboards); otherwise none is.
    """

    mesh: str
    look: SurfaceTextures | None
    is_pbr: bool
    marks: str = ""
    coarse: tuple[tuple[int, str], ...] = ()
    is_at_eye: bool = False


@dataclass(frozen=True)
class DrawList:
    """All shapes to render; colours are linear.

    There are n instances, sorted by batch: batch k has those from starts[k] to starts[k + 1].

    Attributes:
        batches: common properties of the instances of each batch.
        meshes: by name; only those that were not in the previous draw list.
        pictures: textures, likewise.
        starts: (batches + 1,) int.
        frames: (n,) row of each instance's frame in the table of poses; -1: the eye.
        offsets: (n, 3) position in that frame, m.
        turns: (n, 3, 3) from mesh coordinates to the frame's axes, including the scale.
        spheres: (n, 4) centre in that frame and radius of a sphere around the instance, m.
        materials: (n, 19), see `materials.py`.
        casts: (n,) it casts a shadow.
        is_clear: (n,) it is transparent, at least in parts.
        sky: (3,) colour where no shape is.
        ambient: (3,) ambient light of the background, times its luminosity.
        fog: kind, visibility range in m, colour (3).
        backdrop: name of the picture of the sky, see `backdrop`; None: one colour.
    """

    batches: list[BatchKind]
    meshes: dict[str, Vertices]
    pictures: dict[str, Pixels]
    starts: IntArray
    frames: IntArray
    offsets: FloatArray
    turns: FloatArray
    spheres: FloatArray
    materials: FloatArray
    casts: BoolArray
    is_clear: BoolArray
    sky: FloatArray
    ambient: FloatArray
    fog: tuple[float, ...]
    backdrop: str | None = None


class ViewRequest(NamedTuple):
    """A requested picture.

    Attributes:
        view: number of the view.
        eye: (12,) position and rotation in the world.
        shown: (n,) which instances are drawn; True: all.
    """

    view: int
    eye: FloatArray
    shown: BoolArray | bool


class FrameState(NamedTuple):
    """State of the scene for the next pictures.

    Attributes:
        requests: the requested pictures.
        poses: (f, 12) poses of the frames of the draw list.
        lights: see `sim_core.devices.vision.pictures.light_rows`.
        glow: instances with changed emitted light, and that light.
        screens: changed pictures of displays, by name.
        ink: changes of the lines drawn by pens.
        spots: present spots of lasers.
    """

    requests: list[ViewRequest]
    poses: FloatArray
    lights: FloatArray
    glow: list[tuple[list[int], list[float]]]
    screens: dict[str, Pixels]
    ink: list[InkUpdate]
    spots: list[Spot]


class NewView(NamedTuple):
    """A message that replaces a view; its size and layers stay."""

    number: int
    view: PictureView


class _DrawnShape(NamedTuple):
    """A shape, or a part of one, that is drawn with one call."""

    record: ShapeRecord
    form: Form
    material: FloatArray
    look: SurfaceTextures | None

    @property
    def is_pbr(self) -> bool:
        """True if it has a PBRAppearance."""
        return bool(self.material[KIND] == PBR)

    @property
    def marks(self) -> str:
        """Kind of marks, see `BatchKind`."""
        return {PointSet: "POINTS", LineSet: "LINES"}.get(type(self.form.mesh), "")


class SceneShapes:
    """The shapes of a scene as a draw list, and their poses.

    Attributes:
        solids: solid of each instance of the last draw list; None: of no solid.
    """

    def __init__(self, world: World) -> None:
        self.solids: list[NodeId | None] = []
        self._world = world
        self._surfaces = TextureTable()
        self._sent: set[str] = set()
        self._changes: dict[str, int] = {}
        self._ink = InkTracker()

    def read_shapes(self, changes: AppearanceChanges, is_page: bool = False) -> DrawList:
        """Return the present shapes; `is_page`: for a browser, without points, lines and Billboards."""
        self._pool = FramePool(self._world)
        self._glowing: dict[NodeId, tuple[Appearance, list[int]]] = {}
        self._screens = {screen_name(display): screen for display, screen in changes.screens.items()}
        self._changes.clear()
        self._ink.report_all()
        self._surfaces.screens = {
            appearance: screen_name(display)
            for display in changes.screens
            if (appearance := self._world.model.screen_of(display)) is not None
        }
        return self._read(is_page)

    def frame_state(
        self, requests: list[ViewRequest], lights: FloatArray, changes: AppearanceChanges
    ) -> FrameState:
        """Return the state of the scene for the present pictures."""
        screens = {}
        for name, screen in self._screens.items():
            if self._changes.get(name) != screen.changes:
                self._changes[name] = screen.changes
                screens[name] = screen.pixels
        ink = self._ink.updates(changes.traces)
        spots = [spot for laser in changes.lasers if (spot := laser.spot()) is not None]
        return FrameState(requests, self.poses(), lights, self.glow(changes.colours), screens, ink, spots)

    def view_request(
        self, view: int, pose: Pose, changes: AppearanceChanges, viewer: NodeId | None
    ) -> ViewRequest:
        """Return the request for a view from a pose; `viewer`: see `AppearanceChanges.hidden`."""
        hidden = changes.hidden.get(viewer)
        shown = True if not hidden else np.array([each not in hidden for each in self._nodes], bool)
        if viewer is not None:
            shown = shown & self._is_fixed
        return ViewRequest(view, np.array([*pose.position, *pose.rotation]), shown)

    def poses(self) -> FloatArray:
        """Return the present poses of the frames, (f, 12): position and rotation, row by row."""
        self._pool.update_poses()
        return self._pool.poses

    def glow(self, colours: dict[NodeId, Vec3]) -> list[tuple[list[int], list[float]]]:
        """Return the instances with changed emitted light, and that light."""
        found = []
        for node, colour in colours.items():
            appearance, rows = self._glowing.get(node, (None, []))
            if appearance is not None:
                found.append((rows, emitted(appearance, colour).tolist()))
        return found

    def _read(self, is_page: bool) -> DrawList:
        model = self._world.model
        groups: dict[tuple[object, ...], list[_DrawnShape]] = {}
        billboards = [] if is_page else model.billboards.records
        at_eye = {record.node for record in billboards}
        for record in (*model.visible.records, *billboards):
            for item in self._items(record):
                if item.material[3] > 0.0 and all(record.scale) and not (is_page and item.marks):
                    batch_key = (item.form.key, item.look, item.is_pbr, record.node in at_eye)
                    groups.setdefault(batch_key, []).append(item)
        batches: list[BatchKind] = []
        meshes: dict[str, Vertices] = {}
        starts = [0]
        shapes: list[_DrawnShape] = []
        boxes: list[FloatArray] = []
        for group in groups.values():
            mesh = mesh_of(group[0].form)
            if len(mesh):
                first = group[0]
                coarse = [] if is_page else coarser(first.form)
                names = []
                for each in (mesh, *map(mesh_of, coarse)):
                    names.append(blake2b(each.tobytes(), digest_size=16).hexdigest())
                    meshes[names[-1]] = each
                levels = zip((form.segments for form in coarse), names[1:], strict=True)
                is_at_eye = first.record.node in at_eye
                kind = BatchKind(names[0], first.look, first.is_pbr, first.marks, tuple(levels), is_at_eye)
                batches.append(kind)
                shapes += group
                starts.append(len(shapes))
                low, high = mesh[:, :3].min(axis=0), mesh[:, :3].max(axis=0)
                boxes += [np.array([low, high], float)] * len(group)
        count, self._nodes = len(shapes), [item.record.node for item in shapes]
        self.solids = [item.record.solid for item in shapes]
        frames = np.zeros(count, np.int64)
        offsets, turns, spheres = np.zeros((count, 3)), np.zeros((count, 3, 3)), np.zeros((count, 4))
        materials = np.zeros((count, COLUMNS))
        is_clear, casts = np.zeros(count, bool), np.zeros(count, bool)
        for index, ((record, form, material, look), box) in enumerate(zip(shapes, boxes, strict=True)):
            frames[index], below, _ = self._pool.solid(record.solid)
            if record.node in at_eye:
                frames[index] = -1
            pose: Pose = below * record.offset
            size = np.array(form.scale) * record.scale
            offsets[index] = pose.position
            turns[index] = np.array(pose.rotation).reshape(3, 3) * size
            spheres[index, :3] = offsets[index] + turns[index] @ box.mean(axis=0)
            # inf where the square of a size overflows
            spheres[index, 3] = math.hypot(*((box[1] - box[0]) * size).tolist()) / 2.0
            materials[index] = material
            has_shadow = record.casts_shadow and not isinstance(
                record.geometry,
                Plane | PointSet | LineSet,  # a Plane casts none, as nothing is below it
            )
            casts[index] = material[3] == 1.0 and has_shadow and frames[index] >= 0
            is_clear[index] = material[3] < 1.0 or self._surfaces.is_clear(look)
            if record.solid is not None:
                materials[index, SEGMENT] = model.solid(record.solid).segment
            if record.appearance is not None:
                self._glowing.setdefault(record.appearance.node, (record.appearance, []))[1].append(index)
        self._is_fixed = frames >= 0
        pictures = self._surfaces.keep_only(batch.look for batch in batches)
        background, fog, viewpoint = model.surroundings
        strip = backdrop(background) if background is not None else None
        sky_picture = None
        if strip is not None:
            sky_picture = f"backdrop {blake2b(strip.tobytes(), digest_size=16).hexdigest()}"
            pictures = {**pictures, sky_picture: strip}
        known = {*meshes, *pictures}
        new_meshes = {name: mesh for name, mesh in meshes.items() if name not in self._sent}
        new_pictures = {name: pixels for name, pixels in pictures.items() if name not in self._sent}
        self._sent = known
        return DrawList(
            batches,
            new_meshes,
            new_pictures,
            np.array(starts),
            frames,
            offsets,
            turns,
            spheres,
            materials,
            casts,
            is_clear,
            sky_light(background, viewpoint.exposure),
            ambient_light(background, strip),
            fog_row(fog),
            sky_picture,
        )

    def _items(self, record: ShapeRecord) -> list[_DrawnShape]:
        """Return the items of a geometry: one, or for a CadShape one for each material in its file."""
        if isinstance(record.geometry, CadShape):
            return [
                _DrawnShape(
                    record, form, plain_row(part.colour), self._surfaces.textures_of_part(record, part)
                )
                for form, part in cad_forms(record.geometry)
            ]
        form = form_of(record.geometry)
        if form is None:
            return []
        if isinstance(form.mesh, PointSet | LineSet):
            return [_DrawnShape(record, form, marks_row(record.appearance), None)]
        look = self._surfaces.textures_of(record.appearance)
        return [_DrawnShape(record, form, material_row(record.appearance, look is not None), look)]


def screen_name(display: NodeId) -> str:
    """Return the name of the picture of a Display."""
    return f"screen {display}"
