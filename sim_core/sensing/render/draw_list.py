"""A scene as the arrays that are drawn; made in the simulation, sent to the render process."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray, IntArray, Pixels
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import World
from sim_core.model.appearance import Appearance
from sim_core.model.geometry import CadShape, Plane
from sim_core.model.marks import LineSet, PointSet
from sim_core.model.shapes import ShapeRecord
from sim_core.model.surroundings import Background, Fog
from sim_core.scene.meshes.picture_files import picture_of
from sim_core.sensing.looks import Looks, Spot
from sim_core.sensing.picture_view import GAMMA, PictureView
from sim_core.sensing.raycast.frames import FramePool
from sim_core.sensing.render.ink import InkMail, InkNews
from sim_core.sensing.render.materials import (
    COLUMNS,
    KIND,
    PBR,
    SEGMENT,
    emitted,
    marks_row,
    material_row,
    plain_row,
    to_linear,
)
from sim_core.sensing.render.meshes import Form, Vertices, cad_forms, coarser, form_of, mesh_of
from sim_core.sensing.render.surfaces import Look, LookTable

NO_FOG, LINEAR, EXPONENTIAL, EXPONENTIAL2 = range(4)
_FOGS = {"LINEAR": LINEAR, "EXPONENTIAL": EXPONENTIAL, "EXPONENTIAL2": EXPONENTIAL2}


class BatchKind(NamedTuple):
    """What the instances of a batch have in common.

    Attributes:
        mesh: its name: equal names, equal triangles.
        coarse: chords round a circle and name of each mesh for where it is small in a picture; the fewest
            first.
        is_at_eye: all hang before the eye; otherwise none does.
        look: the pictures on it.
        is_pbr: all have a PBRAppearance; otherwise none has.
        marks: "POINTS" or "LINES" of what has no surface; empty: triangles.
    """

    mesh: str
    look: Look | None
    is_pbr: bool
    marks: str = ""
    coarse: tuple[tuple[int, str], ...] = ()
    is_at_eye: bool = False


@dataclass(frozen=True)
class DrawList:
    """What there is to draw; colours in proportion to light.

    n instances, sorted by batch: batch k has those from starts[k] to starts[k + 1].

    Attributes:
        batches: what the instances of each have in common.
        meshes: by name; those alone that were not in the draw list before this one.
        pictures: likewise.
        starts: (batches + 1,) int.
        frames: (n,) row of each instance's frame in the table of poses; -1: the eye.
        offsets: (n, 3) place in that frame, m.
        turns: (n, 3, 3) from mesh coordinates to the frame's axes, with size.
        spheres: (n, 4) middle in that frame and radius of a sphere round the instance, m.
        materials: (n, 19), see `materials.py`.
        casts: (n,) it casts a shadow.
        is_clear: (n,) one can see through it, at least somewhere.
        sky: (3,) where nothing is.
        around: (3,) light of the background on things, times its luminosity.
        fog: kind, visibility range in m, colour (3).
        backdrop: name of the picture of the sky, see `backdrop.py`; None: one colour.
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
    around: FloatArray
    fog: tuple[float, ...]
    backdrop: str | None = None


class Sight(NamedTuple):
    """A picture that is asked for.

    Attributes:
        view: its number.
        eye: (12,) place and rotation in the world.
        shown: (n,) which instances are drawn; True: all.
    """

    view: int
    eye: FloatArray
    shown: BoolArray | bool


class Moment(NamedTuple):
    """What is drawn now.

    Attributes:
        sights: the pictures of it.
        poses: (f, 12) those of the frames of the draw list.
        lights: see `sim_core.devices.vision.pictures.light_rows`.
        glow: instances and the light that they give off in place of their own.
        screens: pictures that are new, by name.
        ink: what is new of the lines that pens draw.
        spots: of lasers, those that there are now.
    """

    sights: list[Sight]
    poses: FloatArray
    lights: FloatArray
    glow: list[tuple[list[int], list[float]]]
    screens: dict[str, Pixels]
    ink: list[InkNews]
    spots: list[Spot]


class NewView(NamedTuple):
    """A view is drawn so from now on; its size and layers are as before."""

    number: int
    view: PictureView


class _DrawnShape(NamedTuple):
    """A shape, or a part of one, that is drawn in one go."""

    record: ShapeRecord
    form: Form
    material: FloatArray
    look: Look | None

    @property
    def is_pbr(self) -> bool:
        """It has a PBRAppearance."""
        return bool(self.material[KIND] == PBR)

    @property
    def marks(self) -> str:
        """As of `BatchKind`."""
        return {PointSet: "POINTS", LineSet: "LINES"}.get(type(self.form.mesh), "")


class SceneShapes:
    """The shapes of a scene as a draw list, and where they are.

    Attributes:
        solids: to which each instance of the draw list that was read last belongs; None: to none.
    """

    def __init__(self, world: World) -> None:
        self.solids: list[NodeId | None] = []
        self._world = world
        self._surfaces = LookTable()
        self._sent: set[str] = set()
        self._changes: dict[str, int] = {}
        self._ink = InkMail()

    def read(self, looks: Looks, is_page: bool = False) -> DrawList:
        """The shapes as they are now; for a page in a browser without points, lines and Billboards."""
        self._pool = FramePool(self._world)
        self._glowing: dict[NodeId, tuple[Appearance, list[int]]] = {}
        self._screens = {screen_name(display): screen for display, screen in looks.screens.items()}
        self._changes.clear()
        self._ink.forget()
        self._surfaces.screens = {
            appearance: screen_name(display)
            for display in looks.screens
            if (appearance := self._world.model.screen_of(display)) is not None
        }
        return self._read(is_page)

    def moment(self, sights: list[Sight], lights: FloatArray, looks: Looks) -> Moment:
        """What has to be known to draw pictures now."""
        screens = {}
        for name, screen in self._screens.items():
            if self._changes.get(name) != screen.changes:
                self._changes[name] = screen.changes
                screens[name] = screen.pixels
        ink = self._ink.news(looks.traces)
        spots = [spot for laser in looks.lasers if (spot := laser.spot()) is not None]
        return Moment(sights, self.poses(), lights, self.glow(looks.colours), screens, ink, spots)

    def sight(self, view: int, pose: Pose, looks: Looks, viewer: NodeId | None) -> Sight:
        """A view from a pose in the world, for a viewer, see `Looks.hidden`."""
        hidden = looks.hidden.get(viewer)
        shown = True if not hidden else np.array([each not in hidden for each in self._nodes], bool)
        if viewer is not None:
            shown = shown & self._is_fixed
        return Sight(view, np.array([*pose.position, *pose.rotation]), shown)

    def poses(self) -> FloatArray:
        """(f, 12) the frames now: place and rotation, row by row."""
        self._pool.read()
        return self._pool.poses

    def glow(self, colours: dict[NodeId, Vec3]) -> list[tuple[list[int], list[float]]]:
        """Instances that give off another light than their fields say, and that light."""
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
                    alike = (item.form.key, item.look, item.is_pbr, record.node in at_eye)
                    groups.setdefault(alike, []).append(item)
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
            spheres[index, 3] = math.hypot(*((box[1] - box[0]) * size).tolist()) / 2.0  # of 1e308 it is inf
            materials[index] = material
            has_shadow = record.casts_shadow and not isinstance(
                record.geometry,
                Plane | PointSet | LineSet,  # none below a Plane
            )
            casts[index] = material[3] == 1.0 and has_shadow and frames[index] >= 0
            is_clear[index] = material[3] < 1.0 or self._surfaces.is_clear(look)
            if record.solid is not None:
                materials[index, SEGMENT] = model.solid(record.solid).segment
            if record.appearance is not None:
                self._glowing.setdefault(record.appearance.node, (record.appearance, []))[1].append(index)
        self._is_fixed = frames >= 0
        pictures = self._surfaces.forget_all_but(batch.look for batch in batches)
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
            _sky(background, viewpoint.exposure),
            _around(background, strip),
            _fog(fog),
            sky_picture,
        )

    def _items(self, record: ShapeRecord) -> list[_DrawnShape]:
        """A geometry is one item, a CadShape one for each material in its file."""
        if isinstance(record.geometry, CadShape):
            return [
                _DrawnShape(record, form, plain_row(part.colour), self._surfaces.look_of_part(record, part))
                for form, part in cad_forms(record.geometry)
            ]
        form = form_of(record.geometry)
        if form is None:
            return []
        if isinstance(form.mesh, PointSet | LineSet):
            return [_DrawnShape(record, form, marks_row(record.appearance), None)]
        look = self._surfaces.look_of(record.appearance)
        return [_DrawnShape(record, form, material_row(record.appearance, look is not None), look)]


def screen_name(display: NodeId) -> str:
    """Of the picture that a Display shows."""
    return f"screen {display}"


BRIGHTEST = 1e6
"""Luminosity of a Background that counts at most: all is white long before, and shaders have numbers of 32
bits."""


def _sky(background: Background | None, exposure: float) -> FloatArray:
    """The light that a picture with the Viewpoint's exposure shows as the colour that is written."""
    if background is None or background.colour is None:
        return np.zeros(3)
    shown = np.clip(background.colour, 0.0, 1.0) ** GAMMA
    light: FloatArray = -np.log(1.0 + 1e-9 - shown) / max(exposure, 1e-9)
    return light


def _around(background: Background | None, strip: Pixels | None) -> FloatArray:
    """Colours of the sky count as they are written, up to white, as in Webots; pictures with their mean."""
    if background is None:
        return np.zeros(3)
    luminosity = min(background.luminosity, BRIGHTEST)
    if strip is not None:
        mean: FloatArray = strip[..., :3].mean(axis=(0, 1)) / 255.0
        return mean * luminosity
    return np.clip(background.colour or (0.0, 0.0, 0.0), 0.0, 1.0) * luminosity


def _fog(fog: Fog | None) -> tuple[float, ...]:
    if fog is None:
        return (NO_FOG, 1.0, 0.0, 0.0, 0.0)
    return (_FOGS[fog.kind], fog.visibility, *to_linear(fog.colour))


SIDES = (
    # Ahead, to the right in the picture, upwards, seen from within (Webots reference, Background); front: -x.
    ((-1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((1, 0, 0), (0, -1, 0), (0, 0, 1)),
    ((0, -1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (0, 1, 0), (1, 0, 0)),
    ((0, 0, -1), (0, 1, 0), (-1, 0, 0)),
)


def backdrop(background: Background) -> Pixels | None:
    """(6·n, n, 4) the pictures, one below the other; None: there are none, or one of them cannot be had.

    All get the size of the largest.
    """
    if not background.pictures:
        return None
    try:
        pictures = [picture_of(file) for file in background.pictures]
    except SceneError:
        return None
    side = max(max(picture.shape[:2]) for picture in pictures)
    squares = []
    for picture in pictures:
        rows, columns = (np.arange(side) * length // side for length in picture.shape[:2])
        squares.append(picture[rows[:, None], columns])
    return np.concatenate(squares)
