"""Writes protos/vehicles/*Simple.proto: cars that stand in for Webots', which differ in numbers only.

    python3 scripts/write_cars.py

Lengths, widths, heights and wheelbases are those of the makers' data sheets, in m; the colours are our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "protos" / "vehicles"


class Car(NamedTuple):
    """A car by its data sheet.

    Attributes:
        title: what it is called. size: length, width and height, m. wheelbase: m. radius: of its wheels, m.
        color: red, green, blue.
    """

    title: str
    size: tuple[float, float, float]
    wheelbase: float
    radius: float
    color: tuple[float, float, float]


CARS = {
    "BmwX5": Car("BMW X5", (4.85, 1.93, 1.76), 2.93, 0.37, (0.43, 0.11, 0.1)),
    "CitroenCZero": Car("Citroën C-Zero", (3.48, 1.48, 1.6), 2.55, 0.28, (0.9, 0.9, 0.9)),
    "LincolnMKZ": Car("Lincoln MKZ", (4.93, 1.86, 1.48), 2.85, 0.34, (0.45, 0.45, 0.47)),
    "MercedesBenzSprinter": Car("Mercedes-Benz Sprinter", (5.91, 1.99, 2.66), 3.67, 0.35, (0.85, 0.85, 0.85)),
    "RangeRoverSportSVR": Car("Range Rover Sport SVR", (4.87, 1.98, 1.78), 2.92, 0.38, (0.05, 0.1, 0.2)),
    "TeslaModel3": Car("Tesla Model 3", (4.69, 1.85, 1.44), 2.88, 0.34, (1, 0, 0)),
    "ToyotaPrius": Car("Toyota Prius", (4.54, 1.76, 1.47), 2.7, 0.31, (0.2, 0.3, 0.5)),
}

PASSED_ON = (
    *("SFVec3f translation 0 0 0.4", "SFRotation rotation 0 0 1 0", "SFColor color COLOR"),
    *("MFColor recognitionColors [ COLOR ]", 'SFString name "vehicle"', 'SFString controller "<none>"'),
    *("MFString controllerArgs [ ]", 'SFString window "<none>"', "MFNode sensorsSlotFront [ ]"),
    *("MFNode sensorsSlotRear [ ]", "MFNode sensorsSlotTop [ ]", "MFNode sensorsSlotCenter [ ]"),
    "SFBool wheelBoundingObject FALSE",
)
"""Fields that a SimpleCar has too."""


def lines(name: str, car: Car) -> Iterator[str]:
    """The lines of the file of a car."""
    color = " ".join(map(str, car.color))
    yield "#VRML_SIM R2025a utf8"
    yield f"# A car of the size of a {car.title}, which a supervisor moves. Made by scripts/write_cars.py."
    yield 'EXTERNPROTO "SimpleCar.proto"\n'
    yield f"PROTO {name}Simple ["
    for each in PASSED_ON:
        yield f"  field {each.replace('COLOR', color)}"
    yield "  unconnectedField MFString plate [ ]"
    yield "]\n{\n  SimpleCar {"
    for each in PASSED_ON:
        field = each.split()[1]
        yield f"    {field} IS {field}"
    yield f'    model "{car.title}"'
    for field, value in zip(("length", "width", "height"), car.size, strict=True):
        yield f"    {field} {value}"
    yield f"    wheelbase {car.wheelbase}"
    yield f"    radius {car.radius}"
    yield "  }\n}"


def main() -> None:
    """Write them all."""
    for name, car in CARS.items():
        text = "\n".join(lines(name, car)) + "\n"
        (FOLDER / f"{name}Simple.proto").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
