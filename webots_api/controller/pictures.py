"""Cameras and range finders."""

from __future__ import annotations

import math
from array import array
from typing import Any

from .connection import print_error
from .device import Sensor, number_field


class CameraRecognitionObject:
    """An object recognized by a camera."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self.id: int = parts["id"]
        self.position: list[float] = parts["position"]
        self.orientation: list[float] = parts["orientation"]
        self.size: list[float] = parts["size"]
        self.position_on_image: list[int] = parts["position_on_image"]
        self.size_on_image: list[int] = parts["size_on_image"]
        self.colors: list[float] = parts["colors"]
        self.model: str = parts["model"]

    @property
    def number_of_colors(self) -> int:
        return len(self.colors) // 3

    def getId(self) -> int:
        return self.id

    def getPosition(self) -> list[float]:
        return self.position

    def getOrientation(self) -> list[float]:
        return self.orientation

    def getSize(self) -> list[float]:
        return self.size

    def getPositionOnImage(self) -> list[int]:
        return self.position_on_image

    def getSizeOnImage(self) -> list[int]:
        return self.size_on_image

    def getNumberOfColors(self) -> int:
        return self.number_of_colors

    def getColors(self) -> list[float]:
        return self.colors

    def getModel(self) -> str:
        return self.model

    get_id = getId
    get_position = getPosition
    get_orientation = getOrientation
    get_size = getSize
    get_position_on_image = getPositionOnImage
    get_size_on_image = getSizeOnImage
    get_number_of_colors = getNumberOfColors
    get_colors = getColors
    get_model = getModel


class _Picture(Sensor):
    COLOR = ord("c")
    BLACK_AND_WHITE = ord("b")
    RANGE_FINDER = ord("r")

    def getType(self) -> int:
        """Return the type of camera, one of the three numbers above, as before Webots had a RangeFinder."""
        if self._info["type"] == "RangeFinder":
            return self.RANGE_FINDER
        return self.BLACK_AND_WHITE if self._field("type", "") == "black and white" else self.COLOR

    getNear = number_field("near", 0.01)

    def moveWindow(self, x: int, y: int) -> None:
        """Do nothing but print an error once: cameras have no windows."""
        if self._numbers("moveWindow", x=x, y=y) and not self._get("window"):
            self._set("window", True)
            print_error(
                f'{type(self).__name__}.moveWindow(): "{self.name}" is shown in a panel of the viewer'
            )

    @staticmethod
    def rangeImageGetValue(image: Any, near: float, far: float, width: int, x: int, y: int) -> float:
        """Return the depth of a pixel in m; `near` and `far` are ignored; they were used in Webots 6."""
        return float(image[y * width + x])

    def getWidth(self) -> int:
        return int(self._info.get("width", 0))

    def getHeight(self) -> int:
        return int(self._info.get("height", 0))

    def getFov(self) -> float:
        return float(self._get("fov", self._info.get("fov", self._field("fieldOfView", math.nan))))

    width = property(getWidth)
    height = property(getHeight)
    near = property(getNear)

    def saveImage(self, filename: str, quality: int) -> int:
        return self._save("image", filename, quality)

    def _save(self, what: str, filename: str, quality: int) -> int:
        """Write the last picture to a file; return 0, or -1 if it failed."""
        return 0 if self._connection.call("save_picture", self._tag, what, filename, int(quality)) else -1


class Camera(_Picture):
    """Takes colour pictures: 4 bytes per pixel, blue, green, red, alpha, row by row from the top left."""

    def getImage(self) -> bytes | None:
        reading = self._reading("getImage")
        return self._blank(4 * self.getWidth() * self.getHeight()) if reading is None else reading["image"]

    def getImageArray(self) -> list[list[list[int]]] | None:
        """Return the picture as [x][y][red, green, blue]."""
        return self._as_array(self.getImage())

    def _as_array(self, image: bytes | None) -> list[list[list[int]]] | None:
        if image is None:
            return None
        width, height = self.getWidth(), self.getHeight()
        return [
            [
                [image[i + 2], image[i + 1], image[i]]
                for i in range(4 * x, 4 * (x + width * height), 4 * width)
            ]
            for x in range(width)
        ]

    @staticmethod
    def imageGetRed(image: bytes, width: int, x: int, y: int) -> int:
        return image[4 * (y * width + x) + 2]

    @staticmethod
    def imageGetGreen(image: bytes, width: int, x: int, y: int) -> int:
        return image[4 * (y * width + x) + 1]

    @staticmethod
    def imageGetBlue(image: bytes, width: int, x: int, y: int) -> int:
        return image[4 * (y * width + x)]

    @staticmethod
    def imageGetGray(image: bytes, width: int, x: int, y: int) -> int:
        at = 4 * (y * width + x)
        return (image[at] + image[at + 1] + image[at + 2]) // 3

    imageGetGrey = imageGetGray

    getFar = number_field("far")

    def getExposure(self) -> float:
        return float(self._get("exposure", self._info.get("exposure", self._field("exposure", 1.0))))

    def setExposure(self, exposure: float) -> None:
        if self._numbers("setExposure", exposure=exposure):
            self._change("setExposure", "exposure", exposure, exposure > 0.0, "a number above 0")

    def setFov(self, fov: float) -> None:
        """Set the field of view within the limits of the Zoom node, rad."""
        if not self._numbers("setFov", fov=fov):
            return
        if "zoom" not in self._info:
            self._lacks("setFov", "zoom")
            return
        low, high = self._info["zoom"]
        self._change("setFov", "fov", fov, low <= fov <= high and fov > 0.0, f"{low:g} to {high:g} rad")

    def getMinFov(self) -> float:
        return float((self._info.get("zoom") or [self.getFov()])[0])

    def getMaxFov(self) -> float:
        return float((self._info.get("zoom") or [self.getFov()])[-1])

    def getFocalDistance(self) -> float:
        return float(self._get("focal_distance", (self._info.get("focus") or [0.0])[0]))

    def getFocalLength(self) -> float:
        return float((self._info.get("focus") or [0.0, 0.0])[1])

    def getMinFocalDistance(self) -> float:
        return float((self._info.get("focus") or [0.0] * 4)[2])

    def getMaxFocalDistance(self) -> float:
        return float((self._info.get("focus") or [0.0] * 4)[3])

    def setFocalDistance(self, focalDistance: float) -> None:
        """Set the focal distance within the limits of the Focus node, m."""
        if not self._numbers("setFocalDistance", focalDistance=focalDistance):
            return
        if "focus" not in self._info:
            self._lacks("setFocalDistance", "focus")
            return
        low, high = self._info["focus"][2:]
        is_good = low <= focalDistance <= high
        self._change("setFocalDistance", "focal_distance", focalDistance, is_good, f"{low:g} to {high:g} m")

    def _change(self, method: str, name: str, value: float, is_good: bool, expected: str) -> None:
        """Send a setting with the next step if it is valid; otherwise print an error."""
        if not (is_good and math.isfinite(value)):
            print_error(f'Error: Camera.{method}(): "{self.name}": found {value:g}, expected {expected}')
            return
        self._set(name, float(value))
        self._say(f"set_{name}", float(value))

    def _lacks(self, method: str, field: str) -> None:
        print_error(f'Error: Camera.{method}(): "{self.name}" has no node in its field {field}')

    # ---- recognition

    def hasRecognition(self) -> bool:
        return bool(self._info.get("has_recognition"))

    def recognitionEnable(self, samplingPeriod: int) -> None:
        """Recognize objects, which are reported with each picture."""
        self._set("recognition", int(samplingPeriod))
        if not self.getSamplingPeriod():
            self.enable(samplingPeriod)

    def recognitionDisable(self) -> None:
        self._set("recognition", 0)

    def getRecognitionSamplingPeriod(self) -> int:
        return int(self._get("recognition", 0))

    def getRecognitionObjects(self) -> list[CameraRecognitionObject]:
        reading = self._reading("getRecognitionObjects")
        if reading is None or not self.getRecognitionSamplingPeriod():
            return []
        return [CameraRecognitionObject(each) for each in reading["objects"]]

    def getRecognitionNumberOfObjects(self) -> int:
        return len(self.getRecognitionObjects())

    def hasRecognitionSegmentation(self) -> bool:
        reading = self._connection.values.get(self._tag)
        return bool(self._info.get("has_segmentation") if reading is None else "segmentation" in reading)

    def enableRecognitionSegmentation(self) -> None:
        self._set("segmentation", True)

    def disableRecognitionSegmentation(self) -> None:
        self._set("segmentation", False)

    def isRecognitionSegmentationEnabled(self) -> bool:
        return bool(self._get("segmentation", False))

    def getRecognitionSegmentationImage(self) -> bytes | None:
        reading = self._reading("getRecognitionSegmentationImage")
        if reading is None or not self.isRecognitionSegmentationEnabled():
            return None
        picture: bytes | None = reading.get("segmentation")
        return picture

    def getRecognitionSegmentationImageArray(self) -> list[list[list[int]]] | None:
        return self._as_array(self.getRecognitionSegmentationImage())

    def saveRecognitionSegmentationImage(self, filename: str, quality: int) -> int:
        return self._save("segmentation", filename, quality)

    image = property(getImage)
    far = property(getFar)
    exposure = property(getExposure, setExposure)
    fov = property(_Picture.getFov, setFov)
    min_fov = property(getMinFov)
    max_fov = property(getMaxFov)
    focal_distance = property(getFocalDistance, setFocalDistance)
    focal_length = property(getFocalLength)
    min_focal_distance = property(getMinFocalDistance)
    max_focal_distance = property(getMaxFocalDistance)
    segmentation_image = property(getRecognitionSegmentationImage)


class RangeFinder(_Picture):
    """Measures depths in m, row by row from the top left; infinite: nothing in range."""

    def getRangeImage(self, data_type: str = "list") -> Any:
        """Return a list, or with `buffer` the bytes of 32-bit floats."""
        data = self._reading("getRangeImage")
        if data is None:
            data = self._blank(4 * self.getWidth() * self.getHeight())
        return data if data is None or data_type == "buffer" else array("f", data).tolist()

    def getRangeImageArray(self) -> list[list[float]] | None:
        """Return depths as [x][y]."""
        image = self.getRangeImage()
        return None if image is None else [image[x :: self.getWidth()] for x in range(self.getWidth())]

    @staticmethod
    def rangeImageGetDepth(image: Any, width: int, x: int, y: int) -> float:
        return float(image[y * width + x])

    getMinRange = number_field("minRange")
    getFar = getMaxRange = number_field("maxRange")

    range_image = property(getRangeImage)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)
    fov = property(_Picture.getFov)
