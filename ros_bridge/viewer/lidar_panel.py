"""Panel that shows a lidar scan from above."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from sensor_msgs.msg import LaserScan

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.topic_picture_panel import Shown, TopicPicturePanel

SIZE = 480
"""Width and height of the picture, pixels."""
GROUND, RING, SIGHT = (16, 22, 30), (52, 66, 82), (24, 58, 74)
HIT, LIDAR, WORDS = (99, 230, 190), (255, 146, 43), (140, 155, 170)


def lidar_panel(context: ViewerContext) -> TopicPicturePanel:
    """Make a panel for topics of sensor_msgs/LaserScan."""
    return TopicPicturePanel(
        context, "Lidar", LaserScan, "Choose a lidar topic.", _shown, gone=False, format="png"
    )


def _shown(scan: Any) -> Shown:
    ranges = np.array(scan.ranges, float)
    seen = np.isfinite(ranges) & (ranges >= scan.range_min) & (ranges <= scan.range_max)
    nearest = f"nearest hit at {ranges[seen].min():.2f} m" if seen.any() else "no hits"
    return scan_picture(scan), f"{len(ranges)} rays, up to {scan.range_max:.3g} m, {nearest}"


def scan_picture(scan: Any) -> NDArray[np.uint8]:
    """Draw the hits from above, (SIZE, SIZE, 3): ahead is up, the lidar in the centre, range rings around."""
    ranges = np.array(scan.ranges, float)
    angles = scan.angle_min + scan.angle_increment * np.arange(len(ranges))
    seen = np.isfinite(ranges) & (ranges >= scan.range_min) & (ranges <= scan.range_max)
    reach = float(ranges[seen].max()) * 1.08 if seen.any() else float(scan.range_max)
    middle = SIZE / 2.0
    scale = middle / reach
    picture = Image.new("RGB", (SIZE, SIZE), GROUND)
    draw = ImageDraw.Draw(picture)
    ends = np.where(seen, ranges, 0.0)
    places = middle - scale * np.stack([ends * np.sin(angles), ends * np.cos(angles)], axis=1)
    outline = [(middle, middle), *map(tuple, places.tolist())]
    if len(outline) > 2:
        draw.polygon(outline, fill=SIGHT)
    step = ring_step(reach)
    for number in range(1, int(reach * math.sqrt(2.0) / step) + 1):
        radius = number * step * scale
        draw.ellipse([middle - radius, middle - radius, middle + radius, middle + radius], outline=RING)
        draw.text((middle + 3, middle - radius + 2), f"{number * step:g} m", fill=WORDS)
    for x, y in places[seen].tolist():
        draw.ellipse([x - 2, y - 2, x + 2, y + 2], fill=HIT)
    draw.polygon([(middle, middle - 9), (middle - 6, middle + 6), (middle + 6, middle + 6)], fill=LIDAR)
    return np.asarray(picture)


def ring_step(reach: float) -> float:
    """Return the distance between rings, 1, 2 or 5 times a power of ten; two to five fit into `reach` m."""
    power = 10.0 ** math.floor(math.log10(reach))
    return power * (0.2 if reach < 2.0 * power else 0.5 if reach < 5.0 * power else 2.0)
