"""Controllers in Java: compiled if needed, and run with Webots' own package for Java."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from ros_bridge.controller_api.libcontroller import LibController
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import cache_dir

JAVA_SOURCE = ".java"
JAVA_PROGRAMS = (".class", ".jar")
"""Suffixes of compiled controllers, in the order in which they are searched."""
JAVA = (*JAVA_PROGRAMS, JAVA_SOURCE)
PACKAGE = "java/Controller.jar"
"""Webots' package, below the folder of its libraries; the library that it loads is next to it."""


def java_command(file: Path, library: LibController | None, say: Callable[[str], object]) -> list[str]:
    """Return the command line of a controller in Java, without its arguments.

    Its main class is named after the file. Classes and jar files next to it can be imported, and those of
    CLASSPATH.

    Args:
        file: a class, a jar file or a source; a source is compiled into the user's cache, unless it is there.
        library: Webots' own, with the package for Java, which only a whole Webots contains; None: none.
        say: receives a line about the compilation, and all errors of the compiler, line by line.

    Raises:
        ConfigError: Java or Webots' package is missing, or the source cannot be compiled.
    """
    package = None if library is None else library.folder / PACKAGE
    if package is None or not package.is_file():
        found = f"{file}: found no {package or PACKAGE}, which a controller in Java needs"
        raise ConfigError(f"{found}; expected WEBOTS_HOME to name an installation of Webots")
    paths = [str(package), str(file.parent), f"{file.parent}/*"]
    paths += filter(None, [os.environ.get("CLASSPATH")])
    if file.suffix == JAVA_SOURCE:
        try:
            paths.insert(0, str(_compiled(file, paths, say)))
        except OSError as error:
            expected = "a source that can be read, and a folder that can be written for its classes"
            raise ConfigError(f"{file}: found {error}, expected {expected}") from None
    library_path = f"-Djava.library.path={package.parent}"
    return [_installed("java", file), library_path, "-classpath", os.pathsep.join(paths), file.stem]


def _compiled(source: Path, paths: list[str], say: Callable[[str], object]) -> Path:
    """Return the folder with the classes of a source and of those that it uses in its folder."""
    hashed = hashlib.sha256(repr((str(source), paths)).encode())
    for each in sorted(source.parent.rglob(f"*{JAVA_SOURCE}")):
        content = each.read_bytes()
        hashed.update(f"{each} {len(content)}\n".encode() + content)
    classes = cache_dir() / "controllers" / hashed.hexdigest()[:16]
    if classes.is_dir():
        return classes
    compiler = _installed("javac", source)
    say(f"{source}: compiled with javac into {classes}")
    classes.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=classes.parent) as folder:
        built = Path(folder, classes.name)
        # Annotation processors are code of a jar file, which runs in the compiler.
        words = [compiler, "-proc:none", "-nowarn", "-sourcepath", str(source.parent), "-d", str(built)]
        words += ["-classpath", os.pathsep.join(paths), str(source)]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            lines = done.stderr.splitlines()
            for line in lines:
                say(line)
            raise ConfigError(next((line for line in lines if "error:" in line), f"{source}: {lines}"))
        built.replace(classes)
    return classes


def _installed(program: str, file: Path) -> str:
    """Return the path of a program of Java.

    Raises:
        ConfigError: it is not installed.
    """
    found = shutil.which(program)
    if found is None:
        raise ConfigError(f"{file}: found no {program}, expected it (apt-get install default-jdk-headless)")
    return found
