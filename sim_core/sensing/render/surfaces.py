"""Textures of surfaces, and their mapping. No GL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sim_core.base.arrays import Pixels
from sim_core.base.errors import SceneError
from sim_core.base.ids import NodeId
from sim_core.model.appearance import BASE, EMISSIVE, UNTURNED, Appearance, Pbr, Texture, TextureTransform
from sim_core.model.geometry import CadShape
from sim_core.model.shapes import ShapeRecord
from sim_core.scene.meshes.mesh_files import MeshPart
from sim_core.scene.meshes.picture_files import PictureError

COLOURS = (BASE, EMISSIVE)
"""Textures of colours; the others contain numbers. A Display replaces these."""
_FILTERING = 4
"""Filtering of textures named by mesh files, as the default of ImageTexture."""


class TextureMap(NamedTuple):
    """A texture of a surface.

    Attributes:
        role: what it is used for.
        picture: its name.
        repeat_s, repeat_t: it is repeated across and upwards; otherwise its edge is extended.
        filtering: 0: the nearest pixel; above, a mean of pixels; from 2 on, sharper at oblique angles (Webots
            reference, ImageTexture).
        is_srgb: its numbers are sRGB; otherwise linear; those of emitted light are linear too, as in Webots.
    """

    role: str
    picture: str
    repeat_s: bool
    repeat_t: bool
    filtering: int
    is_srgb: bool


class SurfaceTextures(NamedTuple):
    """The textures of a surface.

    Attributes:
        maps: in the order of `Appearance.textures`.
        turn: texture transform.
        normal, occlusion: strengths of these textures.
    """

    maps: tuple[TextureMap, ...]
    turn: TextureTransform
    normal: float
    occlusion: float

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of the textures."""
        return tuple(each.role for each in self.maps)


class TextureTable:
    """The textures of appearances, and their pictures.

    Attributes:
        screens: name of the picture of a Display, by the appearance on which it is shown.
    """

    def __init__(self) -> None:
        self.screens: dict[NodeId, str] = {}
        self._pictures: dict[str, Pixels] = {}
        self._clear: set[str] = set()

    def textures_of(self, appearance: Appearance | None) -> SurfaceTextures | None:
        """Return the textures of an appearance; None: it has none that can be read."""
        if appearance is None:
            return None
        screen = self.screens.get(appearance.node)
        maps = []
        for role, texture in appearance.textures.items():
            name = screen if screen is not None and role in COLOURS else self._name(texture)
            if name is not None:
                is_srgb = role == BASE and appearance.shading is not None
                lie = (texture.repeat_s, texture.repeat_t, texture.filtering)
                maps.append(TextureMap(role, name, *lie, is_srgb))
        if not maps:
            return None
        normal, occlusion = 1.0, 1.0
        if isinstance(appearance.shading, Pbr):
            normal, occlusion = appearance.shading.normal_factor, appearance.shading.occlusion_strength
        return SurfaceTextures(tuple(maps), appearance.turn, normal, occlusion)

    def textures_of_part(self, record: ShapeRecord, part: MeshPart) -> SurfaceTextures | None:
        """Return the texture of a part of a CadShape; None: it has none, or it cannot be read, which is
        logged once."""
        picture = part.picture
        if picture is None:
            return None
        try:
            name = self._store(picture.pixels())
        except PictureError as error:
            if isinstance(record.geometry, CadShape) and (file := record.geometry.file) is not None:
                what = f'CadShape.url {file.url}: its picture "{picture.name}": {error}'
                file.log_unusable(SceneError(*record.source, what), "the shape is drawn without it")
            return None
        return SurfaceTextures((TextureMap(BASE, name, True, True, _FILTERING, True),), UNTURNED, 1.0, 1.0)

    def is_clear(self, look: SurfaceTextures | None) -> bool:
        """Return True if a look is transparent in parts."""
        return look is not None and any(
            each.role == BASE and (each.picture in self._clear or each.picture in self.screens.values())
            for each in look.maps
        )

    def keep_only(self, looks: Iterable[SurfaceTextures | None]) -> dict[str, Pixels]:
        """Remove all pictures but those of these looks; return them by name, without those of screens."""
        names = {each.picture for look in looks if look is not None for each in look.maps}
        self._pictures = {name: pixels for name, pixels in self._pictures.items() if name in names}
        self._clear &= names
        return self._pictures

    def _name(self, texture: Texture) -> str | None:
        try:
            pixels = texture.pixels()
        except SceneError as error:
            if texture.file is not None:
                texture.file.log_unusable(error, "the surface is drawn without it")
            return None
        return self._store(pixels) if pixels is not None else None

    def _store(self, pixels: Pixels) -> str:
        """Store a picture, and return its name."""
        name = f"picture {id(pixels)}"  # unique, as the picture is read once and stored here
        if name not in self._pictures:
            self._pictures[name] = pixels
            if (pixels[..., 3] < 255).any():
                self._clear.add(name)
        return name
