"""Which parameters the simulation node has: names, types, defaults and limits."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from ros_bridge.topics.layouts import LAYOUTS, ROOTS, TF_PARTS
from ros_bridge.topics.qos import DEPTH
from sim_core.base.clock import LONGEST
from sim_core.base.config import CONTACTS, PHYSICS, AckermannConfig, DriveConfig
from sim_core.base.errors import ConfigError, hint
from sim_core.base.settings import SYNCHRONIZATION

ODOM_SLIP = 1e-5
"""m: 3.2 mm of standard deviation after 1 m, 1 cm after 10 m, for each wheel."""
HIGHEST = 2**63 - 1
"""No whole number of a ROS parameter is higher."""
MODES = ("realtime", "fast", "paused")


class Rule(NamedTuple):
    """What a parameter may be."""

    type: type
    """float (an int will do), int, bool, str, or list: of strings."""
    default: Any
    """None: not set, as the world file or the enclosing level says."""
    about: str
    """What it means, with the unit."""
    low: float = -math.inf
    """Lowest value; the value itself is allowed unless `above` is True."""
    above: bool = False
    choices: tuple[str, ...] = ()
    high: float = math.inf
    """Highest value."""
    endings: tuple[str, ...] = ()
    """Of a file's name."""
    form: tuple[str, str] = ("", "")
    """A regular expression that a text fits, and the same in words."""

    def check(self, value: Any, where: str) -> Any:
        """The value in the parameter's type.

        Raises:
            ConfigError: it has another type or is past a limit.
        """
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        fits = isinstance(value, self.type) and (self.type is not int or not isinstance(value, bool))
        if fits and self.type is list:
            fits = all(isinstance(item, str) for item in value)
        if fits and self.type is int:
            fits = abs(value) <= HIGHEST
        if fits and self.type in (float, int):
            fits = math.isfinite(value) and (value > self.low if self.above else value >= self.low)
            fits = fits and value <= self.high
        if fits and self.choices:
            fits = value in self.choices
        if fits and self.endings:
            fits = value.lower().endswith(self.endings)
        if fits and self.form[0]:
            fits = re.fullmatch(self.form[0], value) is not None
        if not fits:
            shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
            raise ConfigError(
                f"{where}: found {shown}, expected {self.expected()}{hint(str(value), self.choices)}"
            )
        return value

    def expected(self) -> str:
        """The values that are allowed, in words."""
        if self.choices:
            return " or ".join([", ".join(self.choices[:-1]), self.choices[-1]])
        if self.endings:
            return f"a file that ends in {' or '.join(self.endings)}"
        if self.form[1]:
            return self.form[1]
        kind = {float: "a number", int: "a whole number", bool: "true or false", str: "a text", list: "names"}
        if self.low == -math.inf:
            return kind[self.type]
        if self.high < math.inf:
            low = f"above {self.low:g} and up" if self.above else f"from {self.low:g}"
            return f"{kind[self.type]} {low} to {self.high:g}"
        return f"{kind[self.type]} {f'above {self.low:g}' if self.above else f'of {self.low:g} or more'}"


_SAMPLING = Rule(
    float, None, "s of sim time between two samples of a sensor; 0: every step", 0.0, high=LONGEST
)
_SYNCHRONIZATION = Rule(
    str,
    None,
    "lock-step with controllers: as the world says, always or never",
    choices=tuple(SYNCHRONIZATION),
)

_CMD_VEL_TIMEOUT = Rule(
    float, None, "s of sim time after the last cmd_vel at which a robot stops; 0: never", 0.0, high=LONGEST
)

_FRAME = "letters, digits and _ . - /"
_TOPIC = (r"/?[\w/]+", "a topic's name")
_SUFFIX = (r"[A-Za-z0-9_/]+", "the end of a topic's name as it is to be written, such as /image_raw")
_LAYOUT = Rule(
    str, None, "names of topics and frames: those of odesim, Nav2 or webots_ros2", choices=tuple(LAYOUTS)
)

GLOBAL: dict[str, Rule] = {
    "layout": _LAYOUT._replace(default=next(iter(LAYOUTS))),
    "mode": Rule(str, "realtime", "realtime keeps to speed, fast never waits, paused stands", choices=MODES),
    "speed": Rule(float, 1.0, "simulated seconds per second of wall time in the mode realtime", 0.0, True),
    "physics": Rule(str, None, "ode, or fast2d; without it as WorldInfo.fast2d says", choices=PHYSICS),
    "threads": Rule(int, None, "how many cast the rays of fast2d; without it one for each processor", 1),
    "instanced": Rule(bool, False, "whether equal robots of a PROTO are held as arrays, in fast2d"),
    "contacts": Rule(str, "webots", "how soft: Webots' numbers, or stiff, from the masses", choices=CONTACTS),
    "seed": Rule(int, None, "seed of all random numbers; without it WorldInfo.randomSeed", 0, high=HIGHEST),
    "duration": Rule(float, None, "simulated seconds after which the run ends", 0.0, True, high=LONGEST),
    "clock_period": Rule(
        float, 0.01, "s of sim time between two /clock, rounded up to whole steps", 0.0, high=LONGEST
    ),
    "state_period": Rule(
        float,
        0.02,
        "s of sim time between joint states, odometry, ground truth, tf, rounded up",
        0.0,
        high=LONGEST,
    ),
    "marker_period": Rule(
        float, 0.1, "s of sim time between markers of moving bodies, rounded up", 0.0, high=LONGEST
    ),
    "trace_file": Rule(
        str, "traces.png", "written by ~/save_traces, in the current folder", endings=(".png", ".svg")
    ),
    "save_file": Rule(str, "", "written by ~/save; empty: NAME_saved.wbt beside the world's file"),
    "snapshot_file": Rule(
        str, "", "written by ~/save_snapshot; empty: NAME.snapshot beside the world's file"
    ),
    "shot_file": Rule(
        str, "shot.png", "written by ~/shot, in the current folder", endings=(".png", ".jpg", ".jpeg")
    ),
    "movie_file": Rule(str, "movie.mp4", "begun by ~/start_movie", endings=(".mp4", ".webm", ".avi", ".gif")),
    "animation_file": Rule(str, "animation.html", "written by ~/stop_animation", endings=(".html", ".htm")),
    "picture_size": Rule(
        str,
        "",
        "WIDTHxHEIGHT of shots and movies; empty: the camera's, or 1280x720",
        form=(r"|[1-9]\d{0,5}x[1-9]\d{0,5}", "WIDTHxHEIGHT, as in 1280x720"),
    ),
    "picture_camera": Rule(str, "", "ROBOT/DEVICE that shots and movies look through; empty: the Viewpoint"),
    "sampling_period": _SAMPLING,
    "synchronization": _SYNCHRONIZATION,
    "cmd_vel_timeout": _CMD_VEL_TIMEOUT._replace(default=0.0),
    "lockstep_timeout": Rule(float, 5.0, "s of wall time to wait for an answer before saying so", 0.0, True),
    "lockstep_on_timeout": Rule(
        str,
        "wait",
        "after lockstep_timeout: wait on, or continue without the robot",
        choices=("wait", "continue"),
    ),
    "wait_extern": Rule(bool, False, "wait for the controllers of <extern> robots"),
}
RECORDING = ("shot_file", "movie_file", "animation_file", "picture_size", "picture_camera")
ROBOT: dict[str, Rule] = {
    "sampling_period": _SAMPLING,
    "synchronization": _SYNCHRONIZATION,
    "controllers": Rule(int, 1, "how many controllers answer in lock-step", 1),
    "odom_slip": Rule(
        float, ODOM_SLIP, "m² of variance per m that a wheel rolls, for odom's covariance", 0.0
    ),
    "cmd_vel_timeout": _CMD_VEL_TIMEOUT,
    "battery_voltage": Rule(float, None, "V of the battery, to tell its charge in Ah", 0.0, True),
    "layout": _LAYOUT,
    "namespace": Rule(
        str,
        None,
        "of its topics, in place of its name; empty: none",
        form=(r"(/?[A-Za-z]\w*(/[A-Za-z]\w*)*/?)?", "a namespace such as fleet/left, or an empty text"),
    ),
    "frame_prefix": Rule(
        str,
        None,
        "before the names of its frames, in place of its name and a slash",
        form=(r"[\w./-]*", f"{_FRAME}, or an empty text"),
    ),
    "odom_frame": Rule(str, None, "name of its frame of dead reckoning", form=(r"[\w./-]+", _FRAME)),
    "base_frame": Rule(str, None, "name of the frame of its body", form=(r"[\w./-]+", _FRAME)),
    **{
        f"{name}_topic": Rule(str, None, f"name of the topic {name}; with a leading / absolute", form=_TOPIC)
        for name in ("cmd_vel", "odom", "joint_states", "imu")
    },
    "imu_frame": Rule(
        str, None, "frame of the topic imu, in place of its device's", form=(r"[\w./-]+", _FRAME)
    ),
    "publish_tf": Rule(str, "all", "its transforms: all, odom to base alone, none", choices=TF_PARTS),
    "root_frame": Rule(str, None, "what its tree of frames hangs on", choices=ROOTS),
}
DRIVE: dict[str, Rule] = {
    "left": Rule(list, None, "names of the motors on the left"),
    "right": Rule(list, None, "names of the motors on the right"),
    "wheel_radius": Rule(float, None, "m", 0.0, True),
    "wheel_separation": Rule(float, None, "m between the left and the right wheels", 0.0, True),
}
ACKERMANN: dict[str, Rule] = DRIVE | {
    "steering": Rule(list, None, "names of the motors that steer the left and the right wheel"),
    "wheelbase": Rule(float, None, "m between the fixed and the steered axle", 0.0, True),
    "steering_separation": Rule(float, None, "m between the pivots of the steered wheels", 0.0, True),
}
DRIVES = {DriveConfig.name: DRIVE, AckermannConfig.name: ACKERMANN}
"""The ways to drive, by the name of their table."""
_PARTS = {"image": "pictures", "camera_info": "the camera's model", "point_cloud": "points"}
DEVICE: dict[str, Rule] = {
    "sampling_period": _SAMPLING,
    "noise_seed": Rule(int, None, "seed of this device's noise", 0, high=HIGHEST),
    "topic": Rule(str, None, "in place of the device's name in its topics; with a leading / absolute"),
    "frame_id": Rule(str, None, "in place of robot/device"),
    "angle_min": Rule(
        float, None, "rad at which the scan of a whole circle starts, 0 or -π", -math.pi, high=math.pi
    ),
    **{
        f"{name}_suffix": Rule(str, None, f"end of the topic of {what}, as written", form=_SUFFIX)
        for name, what in _PARTS.items()
    },
    **{
        f"{name}_topic": Rule(
            str, None, f"name of the topic of {what}; with a leading / absolute", form=_TOPIC
        )
        for name, what in _PARTS.items()
    },
    "image_frame": Rule(
        str, None, "frame of pictures, in place of frame_id and _optical", form=(r"[\w./-]+", _FRAME)
    ),
    "always_on": Rule(bool, False, "sampled and published without a subscriber too"),
    "qos": Rule(str, "reliable", "of the device's topics", choices=("reliable", "best_effort")),
    "qos_depth": Rule(int, DEPTH, "messages kept for a slow subscriber", 1),
}
FAULTS: dict[str, Rule] = {
    "gaussian": Rule(float, 0.0, "standard deviation of an error of each reading or command, its unit", 0.0),
    "bias": Rule(float, 0.0, "constant error, in the unit of the value"),
    "drift": Rule(float, 0.0, "random walk: standard deviation of the error after 1 s", 0.0),
    "dropout": Rule(float, 0.0, "probability that a reading or a command is lost", 0.0, high=1.0),
    "latency": Rule(float, 0.0, "s by which readings are known, commands work later; rounded up", 0.0),
    "stuck_at": Rule(float, None, "s of sim time from which on the value stays", 0.0),
    "stuck_rate": Rule(float, 0.0, "probability per second that the value gets stuck", 0.0),
    "fault_fields": Rule(list, None, "fields of the reading that have the errors, as sim_core names them"),
}
DEVICE |= FAULTS
