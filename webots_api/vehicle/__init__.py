"""Webots' Python library for cars, based on the module `controller`: `Driver` and `Car`.

A car is an instance of the PROTO `Car`, that of odesim or of Webots, or of a derived one. See
`docs/webots_controllers.md` for what is not supported.
"""

from .car import Car
from .driver import Driver
