"""Webots' Python library for cars, over the module `controller`: `Driver` and `Car`.

A car is a robot made with the PROTO `Car`, ours or Webots' own, or with one that is made from it. See
`docs/webots_controllers.md` for what is not there.
"""

from .car import Car
from .driver import Driver
