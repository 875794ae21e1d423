"""GLSL programs, compiled at their first use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import moderngl

GLSL = Path(__file__).with_name("glsl")
COLOURED = ("color", "light")
"""Layers with the colours of surfaces: as shown by a camera, or linear light."""
_FRAGMENTS = {
    "shadow": "shadow.frag",
    "color": "surface.frag",
    "light": "surface.frag",
    "depth": "depth.frag",
    "geometry": "geometry.frag",
    "segmentation": "segmentation.frag",
}
MARKS = ("POINTS", "LINES")
"""Features of shapes without surface."""
AT_EYE = "AT_EYE"
"""Feature of shapes fixed to the eye."""
TILES = "TILES"
"""Feature of pictures that are tiles of one, see `tiles.py`."""


class Programs:
    """One program for each layer and set of features (`#ifdef` in `surface.frag`)."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._programs: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._screen_passes: dict[tuple[str, tuple[str, ...]], ScreenPass] = {}

    def program_of(self, layer: str, features: tuple[str, ...] = ()) -> Any:
        """Return the program of a layer; features matter for colours only."""
        if layer == "light":
            features = (*features, "LIGHT")
        marks = tuple(feature for feature in features if feature in MARKS)
        if layer == "shadow":
            features = ("CAST", *(each for each in features if each == TILES))
        elif layer not in COLOURED or marks:
            features = tuple(each for each in features if each in (*MARKS, AT_EYE, TILES, "LIGHT"))
        key = (layer, features)
        found = self._programs.get(key)
        if found is None:
            fragment = "marks.frag" if marks and layer in COLOURED else _FRAGMENTS[layer]
            found = self._programs[key] = compiled(self._gl, "surface.vert", fragment, features)
        return found

    def screen_pass(self, fragment: str, features: tuple[str, ...] = ()) -> ScreenPass:
        """Return the program that draws a whole picture with a file in `glsl/`."""
        key = (fragment, features)
        if key not in self._screen_passes:
            self._screen_passes[key] = ScreenPass(
                self._gl, compiled(self._gl, "whole.vert", fragment, features)
            )
        return self._screen_passes[key]


class ScreenPass:
    """A program that draws each pixel of a picture."""

    def __init__(self, context: Any, program: Any) -> None:
        self._gl = context
        self._program = program
        self._array = context.vertex_array(program, [])

    def draw(self, uniforms: Mapping[str, object]) -> None:
        """Draw into the buffer and viewport in use."""
        set_uniforms(self._program, uniforms)
        self._array.render(moderngl.TRIANGLES, vertices=3)

    def fill(self, target: Any, uniforms: Mapping[str, object], **textures: Any) -> None:
        """Draw over a whole buffer; textures are passed by the names of their uniforms."""
        target.use()
        target.viewport = (0, 0, target.width, target.height)
        self.draw_over(uniforms, **textures)

    def draw_over(self, uniforms: Mapping[str, object], **textures: Any) -> None:
        """Draw over the buffer and viewport in use."""
        self._gl.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        for unit, texture in enumerate(textures.values()):
            texture.use(unit)
        self.draw({**uniforms, **{name: unit for unit, name in enumerate(textures)}})


def compiled(context: Any, vertex: str, fragment: str, features: tuple[str, ...] = ()) -> Any:
    """Compile the program of two files in `glsl/`; each feature is a `#define` of both."""
    return context.program(
        vertex_shader=_source(vertex, features), fragment_shader=_source(fragment, features)
    )


def set_uniforms(program: Any, uniforms: Mapping[str, object]) -> None:
    """Set the uniforms that the program uses."""
    for name, value in uniforms.items():
        if name not in program:
            continue
        if isinstance(value, bytes):  # an array; the compiler keeps only its used part
            uniform = program[name]
            uniform.write(value[: 4 * uniform.dimension * uniform.array_length])
        else:
            program[name].value = value


def _source(file: str, features: tuple[str, ...]) -> str:
    """Return a source file with its features after the first line, `#version`, and its included files
    inserted."""
    version, line_end, rest = (GLSL / file).read_text().partition("\n")
    while (
        whole := re.sub(r'#include "(.+)"', lambda include: (GLSL / include[1]).read_text(), rest)
    ) != rest:
        rest = whole
    return version + line_end + "".join(f"#define {feature}\n" for feature in features) + rest
