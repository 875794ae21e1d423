"""`odesim movie` and `odesim animate`: a run that is recorded from its start to its end."""

from __future__ import annotations

import argparse

from ros_bridge import sim_node
from ros_bridge.options import RecordingOptions, RunOptions
from ros_bridge.paths import find_world


def film(arguments: argparse.Namespace, kind: str) -> int:
    """Run a world as `odesim run` does, and record it.

    Args:
        arguments: of the command line.
        kind: "movie" or "animation".

    Returns:
        Exit code: 0, or 2 after an error, which has been printed as one line.
    """
    how = RecordingOptions(
        file=arguments.file,
        size=getattr(arguments, "size", ""),
        fps=arguments.fps,
        speed=arguments.speed,
        camera=getattr(arguments, "camera", ""),
        quality=getattr(arguments, "quality", 75),
    )
    return sim_node.run(
        RunOptions(
            world=str(find_world(arguments.world)),
            mode=arguments.mode,
            seed=arguments.seed,
            params=arguments.params,
            duration=arguments.duration,
            controllers=not arguments.no_controllers,
            download=arguments.download,
            skip_missing=arguments.skip_missing,
            urdf=arguments.urdf,
            movie=how if kind == "movie" else None,
            animation=how if kind == "animation" else None,
            hurry=True,
            progress=True,
            ros_args=arguments.ros_args,
        )
    )
