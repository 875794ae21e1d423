"""Reader of a sweep specification (spec) from a YAML file; every error is reported with file and line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from os.path import isfile  # unlike Path.is_file, returns false for names that are too long
from pathlib import Path
from typing import Any

from sim_core.base.errors import ConfigError, OdesimError
from sim_core.base.limits import limit, limit_text
from sim_core.base.trust import DecideTrust, require_trust
from sim_core.experiments.sweep.spec import IN_PROCESS, Distribution, Job, SamplePlan, Spec
from sim_core.experiments.sweep.spec_check import check_spec
from sim_core.experiments.sweep.table import ENDINGS
from sim_core.experiments.sweep.yaml_lines import KeyPath, YamlWithLines

WITH_ROS = "ros_bridge.cli.batch_run:run_one"
NAMES = (
    "world", "worlds", "duration", "period", "seeds", "controller", "robots", "run", "fixed", "grid",
    "sample", "metrics", "results", "limit", "ros", "domain", "record",
)  # fmt: skip
SAMPLE_NAMES = ("count", "method", "seed", "parameters")
RANGE_NAMES = ("low", "high", "log", "integer", "choices")

FindWorld = Callable[[str], Path]


def read_spec(
    path: str | Path, find_world: FindWorld = Path, decide_trust: DecideTrust = require_trust
) -> Spec:
    """Read and check a spec; worlds are read too, so that misspelt fields are found early.

    Args:
        path: the YAML file.
        find_world: returns the file of a world that is not beside the spec, such as a world of odesim.
        decide_trust: called with the issues to decide whether worlds and modules beside the spec may run.

    Raises:
        ConfigError: one line with file, line, what was found and what was expected.
        SceneError, SceneErrors: a world cannot be read.
    """
    return _SpecReader(YamlWithLines(path), Path(path).resolve().parent, find_world).read_spec(decide_trust)


class _SpecReader:
    def __init__(self, yaml: YamlWithLines, folder: Path, find_world: FindWorld) -> None:
        self.yaml = yaml
        self.folder = folder
        self.find_world = find_world
        self.top = yaml.value

    def read_spec(self, decide_trust: DecideTrust) -> Spec:
        self.yaml.known_names((), self.top, NAMES)
        worlds = self._worlds()
        job = self._job()
        spec = Spec(
            self.yaml.file,
            job,
            worlds,
            self._seeds(),
            self._table("fixed"),
            self._grid(),
            self._sample(),
            self._results(),
        )
        check_spec(spec, self.yaml, decide_trust)
        return replace(spec, sources=self._sources(job))

    # ---- parts

    def _worlds(self) -> dict[str, str]:
        if ("world" in self.top) == ("worlds" in self.top):
            self.yaml.refuse(
                (), "both world and worlds" if "world" in self.top else "no world", "one of them"
            )
        key = "world" if "world" in self.top else "worlds"
        names = self.top[key] if key == "worlds" else [self.top[key]]
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            self.yaml.refuse((key,), repr(names), "files of worlds, or names of shipped ones")
        found = {}
        for index, name in enumerate(names):
            beside = self.folder / name
            try:
                found[name] = str((beside if isfile(beside) else self.find_world(name)).resolve())
            except OdesimError as error:
                raise ConfigError(
                    f"{self.yaml.place_of((key, index) if key == 'worlds' else (key,))}: {error}"
                ) from None
        return found

    def _job(self) -> Job:
        ros = self._typed("ros", bool, False, "true or false")
        code = {name: self._typed(name, str, None, "module:function") for name in ("controller", "run")}
        if ros and (code["controller"] or code["run"]):
            name = "controller" if code["controller"] else "run"
            self.yaml.refuse((name,), code[name], "none with ros: true, where the world's controllers run")
        if code["controller"] and code["run"]:
            self.yaml.refuse(("run",), "run and controller", "one of them")
        for name in ("domain", "record"):
            if name in self.top and not ros:
                self.yaml.refuse((name,), name, "it with ros: true alone")
        domain = self._typed("domain", int, None, "the number of a ROS domain")
        if domain is not None and not 0 <= domain <= 101:
            self.yaml.refuse(("domain",), str(domain), "a number from 0 to 101")
        record = self._typed("record", str, None, "a folder")
        duration = self._number("duration", None, above=True)
        if duration is None and not code["run"]:
            self.yaml.refuse((), "no duration", "seconds of sim time")
        return Job(
            folder=str(self.folder),
            duration=duration,
            period=self._number("period", 0.0) or 0.0,
            controller=code["controller"],
            robots=self._texts("robots", ()),
            run=code["run"],
            metrics=self._texts("metrics", Job.metrics if not code["run"] else ()),
            runner=WITH_ROS if ros else IN_PROCESS,
            domain=domain,
            record=str(self.folder / record) if record else None,
            limit=self._number("limit", Job.limit, above=True) or Job.limit,
        )

    def _seeds(self) -> tuple[int, ...]:
        seeds = self.top.get("seeds", 1)
        if isinstance(seeds, int) and not isinstance(seeds, bool) and seeds > 0:
            if seeds > limit("runs"):
                self.yaml.refuse(("seeds",), repr(seeds), limit_text("runs"))
            return tuple(range(seeds))
        whole = isinstance(seeds, list) and all(
            isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in seeds
        )
        if not whole or not seeds or len(set(seeds)) < len(seeds):
            self.yaml.refuse(
                ("seeds",),
                repr(seeds),
                "how many (0, 1, …), or a list of different whole numbers of 0 or more",
            )
        return tuple(seeds)

    def _grid(self) -> dict[str, tuple[Any, ...]]:
        grid = self._table("grid")
        for name, values in grid.items():
            if not isinstance(values, list) or not values:
                self.yaml.refuse(("grid", name), repr(values), "a list of values")
        return {name: tuple(values) for name, values in grid.items()}

    def _sample(self) -> SamplePlan | None:
        if "sample" not in self.top:
            return None
        table = self._table("sample")
        self.yaml.known_names(("sample",), table, SAMPLE_NAMES)
        count, seed = table.get("count"), table.get("seed", 0)
        method = table.get("method", "latin")
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            self.yaml.refuse(("sample", "count"), repr(count), "how many points, a whole number above 0")
        if count > limit("runs"):
            self.yaml.refuse(("sample", "count"), repr(count), limit_text("runs"))
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            self.yaml.refuse(("sample", "seed"), repr(seed), "a whole number of 0 or more")
        if method not in ("latin", "random"):
            self.yaml.refuse(("sample", "method"), repr(method), "latin or random")
        parameters = table.get("parameters")
        if not isinstance(parameters, dict) or not parameters:
            self.yaml.refuse(("sample", "parameters"), repr(parameters), "names of parameters with ranges")
        ranges = {
            name: self._range(("sample", "parameters", name), each) for name, each in parameters.items()
        }
        return SamplePlan(count, method, seed, ranges)

    def _range(self, key_path: KeyPath, table: Any) -> Distribution:
        if not isinstance(table, dict):
            self.yaml.refuse(key_path, repr(table), "{low: …, high: …} or {choices: […]}")
        self.yaml.known_names(key_path, table, RANGE_NAMES)
        choices = table.get("choices")
        if choices is not None:
            if not isinstance(choices, list) or not choices or len(table) > 1:
                self.yaml.refuse(key_path, repr(table), "choices: a list, and nothing else")
            return Distribution(choices=tuple(choices))
        low, high = table.get("low"), table.get("high")
        is_vector = isinstance(low, list)
        lows = tuple(low) if isinstance(low, list) else (low,)
        highs = tuple(high) if isinstance(high, list) else (high,)
        numbers = [*lows, *highs]
        fits = (
            len(lows) == len(highs) and isinstance(high, list) is is_vector and all(map(_is_number, numbers))
        )
        if not fits or any(a > b for a, b in zip(lows, highs, strict=True)):
            self.yaml.refuse(
                key_path, repr(table), "low and high: finite numbers, or lists of as many, low ≤ high"
            )
        is_log, is_integer = table.get("log", False), table.get("integer", False)
        if is_log and min(numbers) <= 0:
            self.yaml.refuse(key_path, repr(table), "numbers above 0 with log: true")
        if is_integer and not all(float(each).is_integer() for each in numbers):
            self.yaml.refuse(key_path, repr(table), "whole numbers with integer: true")
        return Distribution(lows, highs, is_vector, bool(is_log), bool(is_integer))

    def _results(self) -> Path:
        name = self._typed("results", str, f"{Path(self.yaml.file).stem}.csv", "a file")
        path: Path = self.folder / str(name)
        if path.suffix not in ENDINGS:
            self.yaml.refuse(("results",), f'"{name}"', f"a file that ends in {' or '.join(ENDINGS)}")
        return path

    def _sources(self, job: Job) -> tuple[str, ...]:
        """Return the user's modules beside the spec."""
        names = [name for name in (job.controller, job.run, *job.metrics) if name and ":" in name]
        files = [
            self.folder.joinpath(*name.partition(":")[0].split(".")).with_suffix(".py") for name in names
        ]
        return tuple(dict.fromkeys(str(file) for file in files if file.is_file()))

    # ---- values

    def _table(self, name: str) -> dict[str, Any]:
        table = self.top.get(name) or {}
        if not isinstance(table, dict) or not all(isinstance(key, str) for key in table):
            self.yaml.refuse((name,), repr(table), "names with values")
        return table

    def _typed(self, name: str, kind: type, default: Any, expected: str) -> Any:
        value = self.top.get(name)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool) or value == "":
            self.yaml.refuse((name,), repr(value), expected)
        return value

    def _number(self, name: str, default: float | None, above: bool = False) -> float | None:
        value = self.top.get(name)
        if value is None:
            return default
        if not _is_number(value) or value < 0 or (above and value == 0):
            self.yaml.refuse(
                (name,), repr(value), f"seconds, a number {'above 0' if above else 'of 0 or more'}"
            )
        return float(value)

    def _texts(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.top.get(name)
        if value is None:
            return default
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.yaml.refuse((name,), repr(value), "a list of names")
        return tuple(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
