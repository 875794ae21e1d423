"""The GLSL programs, compiled when they are first needed."""

from __future__ import annotations

from typing import Any

from sim_core.render import shaders

LAYERS = ("color", "depth", "segmentation")
_FRAGMENTS = {
    "shadow": shaders.CAST,
    "color": shaders.COLOUR,
    "depth": shaders.DEPTH,
    "segmentation": shaders.SEGMENT,
}


class Programs:
    """One program for each layer and choice of features (`#ifdef` in `shaders.py`)."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._programs: dict[tuple[str, tuple[str, ...]], Any] = {}

    def of(self, layer: str, features: tuple[str, ...] = ()) -> Any:
        """The program of a layer; what features say counts for colour only."""
        key = (layer, features if layer == "color" else ("CAST",) if layer == "shadow" else ())
        found = self._programs.get(key)
        if found is None:
            found = self._programs[key] = self._gl.program(
                vertex_shader=_with(shaders.VERTEX, key[1]),
                fragment_shader=_with(_FRAGMENTS[layer], key[1]),
            )
        return found


def set_uniform(program: Any, name: str, value: object) -> None:
    """A uniform, if the program has a use for it."""
    if name not in program:
        return
    if isinstance(value, bytes):  # an array, of which the compiler keeps as much as is used
        uniform = program[name]
        uniform.write(value[: 4 * uniform.dimension * uniform.array_length])
    else:
        program[name].value = value


def _with(source: str, features: tuple[str, ...]) -> str:
    head, line, rest = source.partition("#version 330\n")
    return head + line + "".join(f"#define {feature}\n" for feature in features) + rest
