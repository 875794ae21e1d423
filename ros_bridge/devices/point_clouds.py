"""Arrays as sensor_msgs/PointCloud2, without a loop over the points."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import PointField

FLOAT_BYTES = 4


def fill_cloud_constants(message: Any, fields: Sequence[str], is_dense: bool) -> None:
    """Fill the layout of a PointCloud2 whose points consist of consecutive float32 fields.

    Args:
        message: the PointCloud2.
        fields: names of the fields; x, y and z are in m.
        is_dense: whether no point is NaN.
    """
    message.fields = [
        PointField(name=name, offset=FLOAT_BYTES * index, datatype=PointField.FLOAT32, count=1)
        for index, name in enumerate(fields)
    ]
    message.point_step = FLOAT_BYTES * len(fields)
    message.is_bigendian = sys.byteorder == "big"
    message.is_dense = is_dense


space_constants = partial(fill_cloud_constants, fields=("x", "y", "z"), is_dense=False)
"""Fill the layout of points in space, some of which may be NaN."""


def fill_cloud(message: Any, values: NDArray[np.floating[Any]]) -> None:
    """Fill the points of a PointCloud2 whose layout is filled.

    Args:
        message: the PointCloud2; its data are written in place if the number of points is unchanged.
        values: (rows, columns, fields) the values of each point.
    """
    rows, columns, _ = values.shape
    size = FLOAT_BYTES * values.size
    if len(message.data) != size:
        message.data = array("B", bytes(size))
    message.height, message.width = rows, columns
    message.row_step = message.point_step * columns
    if size:
        np.frombuffer(message.data, np.float32).reshape(values.shape)[...] = values
