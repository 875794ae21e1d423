"""The module that brings the Open Dynamics Engine: PyODE where it is installed, else `odesim_ode`.

`odesim_ode` (packaging/ode) has PyODE's classes and methods. All of odesim takes ODE from here, so that a
process has one libode, whose symbols are found in `ode.__file__`.
"""

try:
    import ode
except ImportError:
    import odesim_ode as ode

__all__ = ["ode"]
