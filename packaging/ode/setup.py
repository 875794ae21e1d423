"""Builds the extension module with the headers of libode (Debian: libode-dev)."""

from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError


class Build(build_ext):
    """Ends with the line that says what to install."""

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except CompileError:
            raise SystemExit(
                "odesim-ode: the module was not compiled, see above; expected a compiler and the headers of "
                "Python and libode (Debian, Ubuntu: apt install gcc libc6-dev python3-dev libode-dev), "
                "or take a wheel of a release"
            ) from None


setup(
    ext_modules=[
        Extension(
            "odesim_ode",
            ["src/odesim_ode.pyx"],
            depends=[*glob("src/*.pxd"), *glob("src/*.pxi")],
            libraries=["ode"],
            # GeomTransform and two setters of Hinge2Joint are what PyODE has, and ODE advises against
            extra_compile_args=["-g0", "-Wno-deprecated-declarations"],
        )
    ],
    cmdclass={"build_ext": Build},
)
