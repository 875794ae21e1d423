"""Builds the extension module with the headers of libode (Debian: libode-dev)."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "odesim_ode",
            ["src/odesim_ode.pyx"],
            depends=["src/*.pxd", "src/*.pxi"],
            libraries=["ode"],
            # GeomTransform and two setters of Hinge2Joint are what PyODE has, and ODE advises against
            extra_compile_args=["-g0", "-Wno-deprecated-declarations"],
        )
    ],
)
