"""The executable `webots` of `odesim webots-home`: runs odesim with the command line of Webots.

The world is run for controllers made for Webots, as the instance with the number `--port`. As in Webots,
missing PROTO files are downloaded, mistakes in a world are warnings, and the simulation waits for the
controllers of `<extern>` robots. odesim's own topics are below `/odesim`, because webots_ros2's drivers
publish their topics under the names of webots_ros2, and its supervisor publishes `/clock`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))

from ros_bridge.base.exit_codes import ERROR
from ros_bridge.webots_protocol.socket_folders import FIRST_NUMBER
from ros_bridge.webots_protocol.versions import SERVED
from sim_core.base.errors import ConfigError, hint

MODES = {"realtime": "realtime", "fast": "fast", "pause": "paused"}
"""Modes by their names in Webots."""
WITHOUT_EFFECT = (
    *("--batch", "--fullscreen", "--minimize", "--no-rendering", "--stdout", "--stderr", "--clear-cache"),
    *("--extern-urls", "--heartbeat", "--log-performance"),
)
"""Options of Webots for its window and its log, which are ignored."""
NAMESPACE = "/odesim"
OWN_TOPICS = ("/clock", "/tf", "/tf_static")
"""Topics that are not moved into the namespace."""


def odesim_arguments(words: Sequence[str]) -> list[str]:
    """Return the arguments of `odesim` for arguments of Webots.

    Args:
        words: arguments of `webots`; empty ones, which launch files may contain, are ignored.

    Raises:
        ConfigError: an option is unknown or has an invalid value, or there is more than one world.
    """
    options: dict[str, str] = {}
    worlds = []
    for word in filter(None, words):
        name, _, value = word.partition("=")
        if name == "--version":
            return ["--version"]
        if not word.startswith("-"):
            worlds.append(word)
        elif name in ("--mode", "--port", "--stream"):
            options[name] = value
        elif name not in WITHOUT_EFFECT:
            near = hint(name, [*WITHOUT_EFFECT, "--mode", "--port", "--stream", "--version"])
            raise ConfigError(f"webots: found {word}, expected an option of Webots that odesim has{near}")
    if len(worlds) > 1:
        raise ConfigError(f"webots: found the worlds {', '.join(worlds)}, expected one")
    mode, number = options.get("--mode", "realtime"), options.get("--port", str(FIRST_NUMBER))
    if mode not in MODES:
        raise ConfigError(f"webots: found --mode={mode}, expected one of {', '.join(MODES)}")
    if not (number.isascii() and number.isdecimal() and 0 < int(number) < 1 << 16):
        raise ConfigError(f"webots: found --port={number}, expected a number from 1 to 65535")
    run = ["run", *worlds, "--mode", MODES[mode], "--webots-protocol", number]
    run += ["--wait-extern", "--download", *["--viewer"] * ("--stream" in options)]
    run += ["--ros-args", "-r", f"__ns:={NAMESPACE}"]
    for topic in OWN_TOPICS:
        run += ["-r", f"{topic}:={NAMESPACE}{topic}"]
    return run


def main() -> None:
    """Replace this process by odesim; exit if the arguments are invalid."""
    try:
        words = odesim_arguments(sys.argv[1:])
    except ConfigError as error:
        print(error, file=sys.stderr)
        sys.exit(ERROR)
    if words == ["--version"]:
        print(f"Webots version: {next(iter(SERVED))}, in its place:", flush=True)
    os.execv(sys.executable, [sys.executable, "-m", "ros_bridge.cli", *words])


if __name__ == "__main__":
    main()
