"""Makes the pictures of `protos/appearances/textures` from noise, each of them seamless.

    python3 scripts/make_textures.py [FOLDER]

A picture is 512 pixels wide and high. What it is made of has a period of that many pixels (noise is filtered
by its Fourier transform, patterns are laid a whole number of times), so that it goes on at its edges. A
colour has the mean that stands here, a normal map is that of the heights that the colour was made with.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SIZE = 512
FOLDER = Path(__file__).resolve().parent.parent / "protos" / "appearances" / "textures"
QUALITY = 80
Array = NDArray[np.float64]

ROWS, COLUMNS = np.meshgrid(np.arange(SIZE), np.arange(SIZE), indexing="ij")


class Material(NamedTuple):
    """What a texture is drawn from.

    Attributes:
        colour: (512, 512, 3) sRGB, of any mean.
        mean: the mean that the colour is moved to, 0 to 1.
        height: (512, 512) in pixels, for a normal map; None: it has none.
        roughness: (512, 512) 0 to 1, for a roughness map; None: it has none.
    """

    colour: Array
    mean: tuple[float, float, float]
    height: Array | None = None
    roughness: Array | None = None


def noise(seed: int, across: float, along: float | None = None) -> Array:
    """(512, 512) periodic noise of mean 0 and deviation 1: white noise, smoothed by a Gaussian.

    Args:
        seed: another for another noise.
        across: deviation of the Gaussian along a row, in pixels; along: the same along a column.
    """
    white = np.random.default_rng(seed).standard_normal((SIZE, SIZE))
    frequency = np.fft.fftfreq(SIZE)
    sigma = across if along is None else along
    response = np.exp(
        -2.0 * np.pi**2 * ((frequency[None, :] * across) ** 2 + (frequency[:, None] * sigma) ** 2)
    )
    smooth = np.fft.ifft2(np.fft.fft2(white) * response).real
    return (smooth - smooth.mean()) / smooth.std()


def cloudy(seed: int, coarsest: float, octaves: int) -> Array:
    """Noise of several sizes, each half as large and 0.6 times as strong as the one before."""
    total = sum(0.6**k * noise(seed + k, coarsest / 2.0**k) for k in range(octaves))
    return np.asarray(total / total.std())


def tinted(shade: Array, *tints: tuple[Array, tuple[float, float, float]]) -> Array:
    """(512, 512, 3): one shade for red, green and blue, and more of a colour where another array is large."""
    colour = np.repeat(shade[..., None], 3, axis=2)
    for amount, tint in tints:
        colour = colour + amount[..., None] * np.array(tint)
    return colour


def cells(rows: int, columns: int, shift: float = 0.0) -> tuple[Array, Array, NDArray[np.int64]]:
    """Bricks laid in rows, each row moved by `shift` of a brick against the one before.

    Returns:
        (512, 512) distance from the nearest joint, in pixels; how far along the brick, 0 to 1; its number.
    """
    high, wide = SIZE / rows, SIZE / columns
    row = (ROWS // high).astype(np.int64)
    place = (COLUMNS / wide + shift * row) % columns
    column = place.astype(np.int64)
    u, v = place - column, (ROWS % high) / high
    margin = np.minimum(np.minimum(u, 1.0 - u) * wide, np.minimum(v, 1.0 - v) * high)
    return margin, u, row * columns + column


def each(number: NDArray[np.int64], seed: int) -> Array:
    """A normal random number for each brick."""
    return np.asarray(np.random.default_rng(seed).standard_normal(int(number.max()) + 1)[number])


def step(value: Array, low: float, high: float) -> Array:
    """0 below `low`, 1 above `high`, smooth between."""
    t = np.clip((value - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))


def asphalt() -> Material:
    """Grit of bright and dark stones in bitumen."""
    stones = noise(1, 1.1)
    shade = 0.05 * stones + 0.05 * np.clip(noise(2, 1.6) - 1.4, 0.0, 2.0) + 0.012 * cloudy(3, 60.0, 3)
    return Material(tinted(shade), (0.25, 0.25, 0.26))


def grass() -> Material:
    """Blades in two directions over darker ground, patches that are more yellow."""
    blades = noise(11, 0.8, 5.0) + noise(12, 2.4, 2.4) + 0.8 * noise(13, 4.5, 0.9)
    patches = cloudy(14, 70.0, 4)
    shade = 0.045 * blades + 0.015 * noise(15, 14.0)
    return Material(
        tinted(shade, (patches, (0.022, 0.012, 0.0)), (blades, (0.0, 0.02, 0.0))), (0.3, 0.5, 0.2)
    )


def planks(rows: int, columns: int, seed: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Distance from the joints, grain, and number of planks along the rows."""
    margin, _, number = cells(rows, columns, 0.37 * columns)
    fine, broad = noise(seed, 40.0, 0.9), noise(seed + 1, 70.0, 4.0)
    roll = (np.abs(each(number, seed + 2)) * 200.0).astype(np.int64)
    places = (ROWS, (COLUMNS + roll) % SIZE)
    return margin, fine[places] + 1.3 * broad[places], number


def parquetry() -> Material:
    """Oak strips, each of its own shade."""
    margin, grain, number = planks(8, 2, 21)
    joint = 1.0 - step(margin, 0.3, 1.6)
    shade = 0.028 * grain + 0.045 * each(number, 24) - 0.28 * joint
    colour = tinted(shade, (0.03 * each(number, 25), (1.0, 0.5, 0.0)))
    return Material(colour * np.array([1.0, 0.85, 0.7]), (0.6, 0.42, 0.25))


def pine() -> Material:
    """The face of one board: lines of years, bent."""
    bend = 9.0 * noise(31, 90.0, 25.0)
    years = np.sin(2.0 * np.pi * (ROWS * 22.0 / SIZE + 0.12 * bend))
    shade = 0.05 * years * np.abs(years) + 0.018 * noise(32, 30.0, 0.9) + 0.02 * noise(33, 120.0, 20.0)
    return Material(tinted(shade, (years, (0.0, -0.012, -0.022))), (0.75, 0.55, 0.3))


def pavement() -> Material:
    """Rectangular stones in a running bond."""
    margin, _, number = cells(8, 4, 0.5)
    face = step(margin, 1.0, 5.0)
    rough = cloudy(41, 8.0, 4)
    colour = tinted(0.04 * rough + 0.045 * each(number, 42) - 0.22 * (1.0 - face))
    return Material(colour, (0.6, 0.6, 0.58), height=4.0 * face + 0.5 * rough)


def bricks() -> Material:
    """A wall of bricks and mortar."""
    margin, _, number = cells(8, 4, 0.5)
    face = step(margin, 2.0, 4.5)
    rough = cloudy(51, 6.0, 4)
    own = 0.05 * each(number, 52)
    fired = tinted(0.035 * rough, (own, (1.0, 0.6, 0.5))) + np.array([0.62, 0.25, 0.17])
    mortar = tinted(0.03 * cloudy(53, 3.0, 3)) + np.array([0.66, 0.62, 0.57])
    colour = mortar + face[..., None] * (fired - mortar)
    return Material(colour, (0.6, 0.28, 0.2), height=4.0 * face + 0.6 * rough)


def roughcast() -> Material:
    """Plaster that was thrown at the wall."""
    bumps = np.clip(noise(61, 3.5), -0.6, 2.0) + 0.5 * noise(62, 1.5)
    return Material(
        tinted(0.022 * bumps + 0.008 * cloudy(63, 80.0, 3)), (0.85, 0.83, 0.8), height=0.9 * bumps
    )


def tiles() -> Material:
    """Four square tiles, their surface clouded, with grey joints."""
    margin, _, number = cells(2, 2)
    face = step(margin, 1.6, 3.6)
    cloud = cloudy(71, 40.0, 5)
    colour = tinted(0.022 * cloud + 0.016 * each(number, 72), (cloud, (0.006, 0.002, -0.006)))
    colour = colour - 0.26 * (1.0 - face)[..., None]
    roughness = 0.95 - 0.6 * face + 0.03 * cloud
    return Material(colour, (0.74, 0.73, 0.7), height=2.5 * face, roughness=roughness)


def concrete() -> Material:
    """Clouds, pores, and faint scratches."""
    pores = step(noise(81, 1.4), 2.1, 2.8)
    scratches = 0.012 * noise(82, 60.0, 0.8)
    shade = 0.03 * cloudy(83, 90.0, 6) + 0.012 * noise(84, 0.9) + scratches - 0.14 * pores
    return Material(tinted(shade), (0.6, 0.59, 0.57))


def carpet() -> Material:
    """Loops in rows, of two yarns."""
    loops = np.sin(2.0 * np.pi * COLUMNS / 8.0) * np.sin(2.0 * np.pi * ROWS / 8.0 + 0.9 * noise(91, 3.0))
    yarn = noise(92, 2.2)
    shade = 0.03 * loops + 0.028 * yarn + 0.01 * cloudy(93, 60.0, 3)
    return Material(tinted(shade, (yarn, (-0.006, 0.0, 0.01))), (0.32, 0.36, 0.42))


def soil() -> Material:
    """Crumbs, and some stones."""
    crumbs = cloudy(101, 7.0, 4)
    stones = step(noise(102, 4.0), 1.9, 2.3)
    shade = 0.05 * crumbs + 0.03 * cloudy(103, 80.0, 3) + 0.12 * stones
    return Material(tinted(shade, (stones, (0.0, 0.02, 0.04))), (0.45, 0.34, 0.23))


def cardboard() -> Material:
    """Fibres, and the shadows of the flutes below."""
    flutes = np.sin(2.0 * np.pi * COLUMNS / 16.0)
    shade = 0.008 * flutes + 0.014 * noise(111, 12.0, 1.0) + 0.012 * cloudy(112, 80.0, 3)
    return Material(tinted(shade), (0.72, 0.55, 0.37))


def foliage() -> Material:
    """Leaves, the upper ones brighter."""
    colour = np.zeros((SIZE, SIZE, 3))
    for layer in range(4):
        leaf = step(noise(121 + layer, 5.0 - 0.6 * layer, 5.0), 0.1, 0.35)[..., None]
        tone = 0.05 * layer + 0.03 * noise(131 + layer, 9.0)[..., None]
        colour += leaf * (tone * np.array([0.8, 1.2, 0.5]) - colour)
    return Material(colour, (0.2, 0.36, 0.14))


def bark() -> Material:
    """Furrows along the stem."""
    ridges = np.abs(noise(141, 3.5, 28.0))
    return Material(tinted(0.07 * np.clip(ridges, 0.0, 1.4) + 0.02 * noise(142, 1.5, 4.0)), (0.36, 0.27, 0.2))


def rust() -> Material:
    """Grey metal that has rusted in spots."""
    spots = step(cloudy(151, 50.0, 5), 0.1, 0.8)
    metal = tinted(0.015 * noise(152, 30.0, 1.0)) + np.array([0.52, 0.52, 0.53])
    brown = tinted(0.05 * cloudy(153, 6.0, 3)) + np.array([0.42, 0.22, 0.1])
    return Material(metal + spots[..., None] * (brown - metal), (0.46, 0.4, 0.36))


def waves() -> Material:
    """Waves of sheet metal along the columns."""
    height = np.sin(2.0 * np.pi * COLUMNS / 64.0)
    return Material(tinted(0.1 * height + 0.004 * noise(161, 2.0, 12.0)), (0.7, 0.7, 0.7))


def tread_plate() -> Material:
    """Bars on a plate, in turns along one diagonal and the other."""
    u, v = (COLUMNS % 64) - 32.0, (ROWS % 64) - 32.0
    side = np.where((COLUMNS // 64 + ROWS // 64) % 2 == 0, 1.0, -1.0)
    along, across = (u + side * v) / np.sqrt(2.0), (v - side * u) / np.sqrt(2.0)
    bar = 1.0 - step(np.sqrt((along / 26.0) ** 2 + (across / 6.0) ** 2), 0.75, 1.0)
    return Material(tinted(0.16 * bar + 0.015 * noise(171, 1.5)), (0.6, 0.6, 0.62))


def chevrons() -> Material:
    """Pale tiles that meet in a zigzag, with grey joints."""
    slant = ROWS + np.abs((COLUMNS % 256) - 128.0)
    joint = np.minimum(
        np.minimum(slant % 64, 64 - slant % 64), np.minimum(COLUMNS % 128, 128 - COLUMNS % 128)
    )
    face = step(joint, 0.8, 2.5)
    number = ((slant // 64) % 8 * 4 + COLUMNS // 128).astype(np.int64)
    cloud = cloudy(181, 30.0, 4)
    return Material(tinted(0.025 * each(number, 182) + 0.012 * cloud - 0.2 * (1.0 - face)), (0.8, 0.78, 0.74))


def chequered_parquetry() -> Material:
    """Oak strips in squares, in turns along the rows and the columns."""
    along = parquetry().colour
    turned = (COLUMNS // 128 + ROWS // 128) % 2 == 0
    return Material(np.where(turned[..., None], along, along.transpose(1, 0, 2)), (0.6, 0.42, 0.25))


def windows() -> Material:
    """Four floors of a front, with four windows in each."""
    u, v = (COLUMNS % 128) / 128.0, (ROWS % 128) / 128.0
    off = np.maximum(np.abs(u - 0.5) / 0.32, np.abs(v - 0.52) / 0.3)
    glass = 1.0 - step(off, 0.9, 0.93)
    frame = (1.0 - step(off, 1.0, 1.04)) - glass
    bars = glass * (1.0 - step(np.abs(u - 0.5), 0.012, 0.018))
    number = (ROWS // 128 * 4 + COLUMNS // 128).astype(np.int64)
    wall = tinted(0.012 * cloudy(191, 20.0, 4)) + 0.74
    pane = tinted(0.05 * each(number, 192) - 0.12 * v) + np.array([0.3, 0.38, 0.46])
    colour = wall + glass[..., None] * (pane - wall) + (0.18 * frame + 0.45 * bars)[..., None]
    return Material(colour, (0.64, 0.66, 0.68))


MATERIALS: dict[str, Callable[[], Material]] = {
    "asphalt": asphalt, "bark": bark, "cardboard": cardboard, "carpet": carpet,
    "chequered_parquetry": chequered_parquetry, "chevrons": chevrons, "concrete": concrete,
    "foliage": foliage, "grass": grass, "parquetry": parquetry, "pavement": pavement, "pine": pine,
    "red_bricks": bricks, "roughcast": roughcast, "rust": rust, "soil": soil, "tiles": tiles,
    "tread_plate": tread_plate, "waves": waves, "windows": windows,
}  # fmt: skip


def centred(colour: Array, mean: tuple[float, float, float]) -> Array:
    """The colour with this mean, in what can be shown; a few rounds, for what is cut off moves the mean."""
    for _ in range(4):
        colour = np.clip(colour + (np.array(mean) - colour.mean(axis=(0, 1))), 0.0, 1.0)
    return colour


def normals(height: Array) -> Array:
    """(512, 512, 3) the normal map of heights in pixels: x to the right, y up, z out; -1 to 1 is 0 to 1."""
    right = (np.roll(height, -1, axis=1) - np.roll(height, 1, axis=1)) / 2.0
    up = (np.roll(height, 1, axis=0) - np.roll(height, -1, axis=0)) / 2.0
    normal = np.stack([-right, -up, np.ones_like(height)], axis=2)
    return np.asarray(normal / np.linalg.norm(normal, axis=2, keepdims=True) / 2.0 + 0.5)


def pictures() -> dict[str, Array]:
    """Every picture by the stem of its file, 0 to 1."""
    found = {}
    for name, make in MATERIALS.items():
        material = make()
        found[name] = centred(material.colour, material.mean)
        if material.height is not None:
            found[f"{name}_normal"] = normals(material.height)
        if material.roughness is not None:
            found[f"{name}_roughness"] = tinted(np.clip(material.roughness, 0.0, 1.0))
    return found


def main(folder: Path = FOLDER) -> int:
    """Write all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures().items():
        pixels = np.rint(picture * 255.0).astype(np.uint8)
        chroma = 0 if name.endswith("_normal") else 2  # directions need all of their colours
        Image.fromarray(pixels).save(
            folder / f"{name}.jpg", quality=QUALITY, optimize=True, subsampling=chroma
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
