"""`<noise>` of Gazebo's sensors (http://sdformat.org/spec?elem=sensor), as far as devices have noise."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.scene.gazebo.tags import Tag

GAUSSIAN = ("gaussian", "gaussian_quantized")
AXES = ("x", "y", "z")


class GaussianNoise(NamedTuple):
    """Normally distributed error of each reading: standard deviation and mean, in the unit of the value."""

    deviation: float = 0.0
    mean: float = 0.0

    @property
    def settings(self) -> dict[str, object]:
        """Noise as parameters of a device."""
        return {name: value for name, value in (("gaussian", self.deviation), ("bias", self.mean)) if value}


NONE = GaussianNoise()


def noise_in(tag: Tag | None) -> GaussianNoise:
    """Return the noise of an element; parts that no device has are listed as without effect.

    Raises:
        SceneError: a number is invalid.
    """
    noise = None if tag is None else tag.first("noise")
    if noise is None:
        return NONE
    kind = (noise.attribute("type") or noise.word("type")).lower()
    if kind in ("", "none"):
        return NONE
    if kind not in GAUSSIAN:
        noise.ignore()
        return NONE
    for name in ("bias_stddev", "dynamic_bias_stddev", "dynamic_bias_correlation_time", "precision"):
        noise.expect(name, 0.0)
    return GaussianNoise(
        noise.number("stddev", 0.0, low=0.0), noise.number("mean", 0.0) + noise.number("bias_mean", 0.0)
    )


def noise_of_axes(tag: Tag | None, axes: tuple[str, ...] = AXES) -> GaussianNoise:
    """Return the noise of several axes if it is equal for all; else list it as without effect."""
    if tag is None:
        return NONE
    found = [each for axis in axes if (each := tag.first(axis)) is not None]
    noises = {noise_in(each) for each in found}
    if len(noises) == 1 and (len(found) == len(axes) or noises == {NONE}):
        return noises.pop()
    if noises:
        tag.ignore()
    return NONE
