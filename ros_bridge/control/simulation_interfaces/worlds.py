"""LoadWorld, UnloadWorld, GetCurrentWorld, GetAvailableWorlds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces.filters import tags_match
from ros_bridge.control.simulation_interfaces.messages import answer, world_resource
from ros_bridge.control.simulation_interfaces.resources import existing, local_path, uri_of
from sim_core.base.errors import Code, CommandError, OdesimError, in_one_line
from sim_core.base.shipped import WORLD_ENDINGS, find_world, share_dir, worlds_below
from sim_core.scene import Scene, parse_scene
from sim_core.scene.asset_check import missing_files
from sim_core.scene.assets import Assets
from sim_core.session.run_commands import SetMode

UNSUPPORTED_FORMAT, NO_RESOURCE, PARSE_ERROR, MISSING_ASSETS, UNSUPPORTED_ELEMENTS = 101, 102, 103, 104, 106
"""Result codes of LoadWorld."""
NO_WORLD_LOADED = 101
SHIPPED = "odesim"
"""Tag of the worlds shipped with odesim."""


class WorldServices:
    """Each method implements the service of its name.

    Attributes:
        is_loading: whether another world is being read and built.
    """

    def __init__(self, runner: Runner, messages: Any) -> None:
        self._runner, self._messages = runner, messages
        self._nothing: Scene | None = None
        self._text = ""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.is_loading = False
        self.loaded: Callable[[], Any] = lambda: None
        """Called when another world has been loaded."""

    @property
    def has_world(self) -> bool:
        """Whether a world is loaded; false after UnloadWorld."""
        return self._nothing is None or self._runner.session.sim.scene is not self._nothing

    def require_world(self, code: int = Code.INCORRECT_STATE) -> None:
        """Refuse a request that needs a world.

        Raises:
            CommandError: none is loaded.
        """
        if not self.has_world:
            raise CommandError("no world is loaded", code)

    def load_world(self, request: Any, response: Any) -> None:
        """Continue with another world, stopped; the present world is kept if it cannot be loaded."""
        resource = world_resource(request)
        path = self._path(resource)
        self.is_loading = True
        try:
            scene = self._read(path, request.ignore_missing_or_unsupported_assets)
            if request.fail_on_unsupported_element and scene.warnings:
                raise CommandError(str(scene.warnings[0]), UNSUPPORTED_ELEMENTS)
            self._runner.load(str(path), scene)
            self._runner.execute(SetMode("paused"))
        finally:
            self.is_loading = False
        self._text = "" if resource.uri else resource.resource_string
        self.loaded()
        response.world = self._current()

    def unload_world(self, request: Any, response: Any) -> None:
        """Unload the world and pause until another is loaded."""
        self.require_world(NO_WORLD_LOADED)
        nothing = parse_scene("#VRML_SIM R2025a utf8\nWorldInfo { }", "no world")
        self._runner.load(nothing.file, nothing)
        self._runner.execute(SetMode("paused"))
        self._nothing = nothing

    def get_current_world(self, request: Any, response: Any) -> None:
        """Return the loaded world."""
        self.require_world(NO_WORLD_LOADED)
        response.world = self._current()

    def get_available_worlds(self, request: Any, response: Any) -> None:
        """Return the shipped worlds, those next to the present world, and those in further folders."""
        share = share_dir() / "worlds"
        found = {path: _tags(path, share, [SHIPPED]) for path in worlds_below(share)}
        if self.has_world and (own := Path(self._runner.session.sim.scene.file).resolve()).is_file():
            for path in sorted(own.parent.iterdir()):
                if path.suffix.lower() in WORLD_ENDINGS:
                    found.setdefault(path, [])
        failures = []
        for source in request.additional_sources:
            try:
                path = local_path(source)
                if path.is_dir():
                    found.update({each: _tags(each, path, []) for each in worlds_below(path)})
                elif path.suffix.lower() in WORLD_ENDINGS:
                    found.setdefault(existing(path, source), [])
                else:
                    raise CommandError(f'no folder and no world "{source}"', Code.NOT_FOUND)
            except CommandError as refusal:
                if not request.continue_on_error:
                    raise
                failures.append(str(refusal))
        worlds = []
        for path, tags in found.items():
            if tags_match(request.filter, tags):
                world = self._messages.WorldResource()
                world.name, world.tags, world_resource(world).uri = path.stem, tags, uri_of(path)
                worlds.append(world)
        response.worlds = worlds
        if failures:
            answer(response.result, Code.OK, "; ".join(failures))

    # ---- helpers

    def _path(self, resource: Any) -> Path:
        """Return the file of the world; a world given as text is written to a file."""
        uri = resource.uri.strip()
        if uri:
            path = local_path(uri)
            if not path.exists():
                try:
                    path = find_world(uri)
                except OdesimError as error:
                    raise CommandError(str(error), Code.NOT_FOUND) from None
            path = existing(path, uri)
            if path.suffix.lower() not in WORLD_ENDINGS:
                expected = ", ".join(WORLD_ENDINGS)
                raise CommandError(
                    f'found "{uri}", expected a file that ends in {expected}', UNSUPPORTED_FORMAT
                )
            return path
        text = resource.resource_string
        if not text.strip():
            raise CommandError("found neither uri nor resource_string, expected one of them", NO_RESOURCE)
        start = text.lstrip()
        ending = ".wbt"
        if start.startswith("<") and "<X3D" in start:
            ending = ".x3d"
        elif not start.startswith(("#VRML_SIM", "VRML_SIM")):
            raise CommandError(
                f'found "{start.splitlines()[0][:60]}", expected #VRML_SIM or X3D at the start of a world',
                UNSUPPORTED_FORMAT,
            )
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="odesim_world_")
        path = Path(self._folder.name) / f"resource_string{ending}"
        path.write_text(start, encoding="utf-8")
        return path

    def _read(self, path: Path, skip_missing: bool) -> Scene:
        try:
            scene = self._runner.read(str(path), skip_missing)
        except OdesimError as error:
            if not skip_missing:
                try:
                    self._runner.read(str(path), True)
                except OdesimError:
                    raise CommandError(in_one_line(error), PARSE_ERROR) from None
                raise CommandError(in_one_line(error), MISSING_ASSETS) from None
            raise CommandError(in_one_line(error), PARSE_ERROR) from None
        missing = [] if skip_missing else missing_files(scene, Assets.for_world(str(path)))
        if missing:
            raise CommandError(str(missing[0]), MISSING_ASSETS)
        return scene

    def _current(self) -> Any:
        scene = self._runner.session.sim.scene
        world = self._messages.WorldResource()
        path = Path(scene.file).resolve()
        info = scene.world_info
        world.name = info["title"] or path.stem
        world.description = "\n".join(info["info"])
        world.tags = _tags(path, share_dir() / "worlds", [SHIPPED])
        if self._text and self._folder is not None and path.parent == Path(self._folder.name).resolve():
            world_resource(world).resource_string = self._text
        else:
            world_resource(world).uri = path.as_uri()
        return world


def _tags(path: Path, root: Path, tags: list[str]) -> list[str]:
    """Return the tags, followed by the folders between a root and a world, if it is below the root."""
    path, root = path.resolve(), root.resolve()
    return [*tags, *path.relative_to(root).parts[:-1]] if path.is_relative_to(root) else []
