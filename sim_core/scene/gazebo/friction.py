"""Friction of the links of a URDF robot, from `<gazebo reference>`."""

from __future__ import annotations

from sim_core.scene.gazebo.tags import GazeboTags, Tag


def friction_of_links(tags: GazeboTags) -> dict[str, float]:
    """Return friction coefficients of links: `mu1`, or `mu`, in `<gazebo reference=…>`.

    `mu2`, the perpendicular one, has an effect only if it is equal.

    Raises:
        SceneError: a coefficient is not a number of 0 or more.
    """
    found: dict[str, float] = {}
    for tag in tags.tags:
        link = tag.attribute("reference")
        if not link:
            continue
        for each in tag.all("mu1", "mu"):
            found[link] = _coefficient(each)
        for each in tag.all("mu2"):
            if _coefficient(each) != found.get(link):
                each.ignore()
    return found


def _coefficient(tag: Tag) -> float:
    return tag.as_number(low=0.0)
