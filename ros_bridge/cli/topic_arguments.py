"""Arguments of the subcommands of `odesim topic`, which are those of `ros2 topic`."""

from __future__ import annotations

import argparse

DEFAULT_TRUNCATE = 128
HZ_WINDOW, BW_WINDOW = 10000, 100
SPIN_TIME = 1.5
"""Seconds of wall time for discovery, as there is no daemon."""
PROFILES = ("default", "sensor_data", "services_default", "parameters", "parameter_events", "system_default")
RELIABILITIES = ("reliable", "best_effort", "system_default", "best_available")
DURABILITIES = ("volatile", "transient_local", "system_default", "best_available")


def positive(text: str) -> float:
    """Return a number above 0.

    Raises:
        ArgumentTypeError: the text is not such a number.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"found {text}, expected a number above 0")
    return value


def count(text: str) -> int:
    """Return a whole number, 0 or more.

    Raises:
        ArgumentTypeError: the text is not such a number.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"found {text}, expected a whole number")
    return int(text)


def window(text: str) -> int:
    """Return a whole number above 0.

    Raises:
        ArgumentTypeError: the text is not such a number.
    """
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"found {text}, expected a whole number above 0")
    return int(text)


def add_topic_commands(parser: argparse.ArgumentParser) -> None:
    """Add `list`, `echo`, `hz`, `bw`, `info`, `pub`, `type` and `find`."""
    actions = parser.add_subparsers(metavar="VERB", required=True, dest="verb")
    shown = actions.add_parser("list", help="the names of all topics")
    shown.add_argument("-t", "--show-types", action="store_true", help="and their types")
    shown.add_argument("-v", "--verbose", action="store_true", help="and how many publish and listen")
    found = actions.add_parser("find", help="the topics of a type")
    found.add_argument("topic_type", metavar="TYPE", help="such as sensor_msgs/msg/Image")
    for one in (shown, found):
        one.add_argument("-c", "--count-topics", action="store_true", help="only how many they are")
        one.add_argument("--include-hidden-topics", action="store_true", help="those with _ in front too")
    info = actions.add_parser("info", help="the type of a topic, and who publishes and listens")
    info.add_argument("-v", "--verbose", action="store_true", help="nodes, types, hashes and QoS of each")
    kind = actions.add_parser("type", help="the type of a topic")
    for one in (shown, found, info):
        about = "time for finding who is there; default: %(default)s"
        one.add_argument("--spin-time", type=positive, default=SPIN_TIME, metavar="SECONDS", help=about)
    echo, pub = actions.add_parser("echo", help="messages as they come"), _add_pub(actions)
    bw = actions.add_parser("bw", help="bytes of a topic in a second")
    for one in (info, kind, echo, bw):
        one.add_argument("topic_name", metavar="TOPIC")
    _add_echo(echo)
    _add_qos(echo, "sensor_data", "subscribe")
    _add_qos(pub, "default", "publish")
    hz = actions.add_parser("hz", help="how often messages come")
    hz.add_argument("topic_names", metavar="TOPIC", nargs="+")
    hz.add_argument("--wall-time", action="store_true", help="whatever clock the node has")
    for one, most in ((hz, HZ_WINDOW), (bw, BW_WINDOW)):
        about = "messages that are looked back at; default: %(default)s"
        one.add_argument("-w", "--window", type=window, default=most, metavar="WINDOW", help=about)


def _add_echo(echo: argparse.ArgumentParser) -> None:
    echo.add_argument("message_type", metavar="TYPE", nargs="?", help="default: that of its publishers")
    echo.add_argument("--once", action="store_true", help="the first message only")
    echo.add_argument("--timeout", type=positive, metavar="SECONDS", help="end after this time")
    echo.add_argument("--field", help="a part of the message, such as pose.pose.position")
    echo.add_argument("--filter", dest="filter_expr", metavar="EXPR", help="Python about the message m")
    echo.add_argument("--csv", action="store_true", help="all values with commas between them")
    echo.add_argument("--no-arr", action="store_true", help="of arrays only the length")
    echo.add_argument("--no-str", action="store_true", help="of strings only the length")
    echo.add_argument("-f", "--full-length", action="store_true", help="all of arrays and strings")
    about = "elements and letters shown of arrays and strings; default: %(default)s"
    echo.add_argument("-l", "--truncate-length", type=count, default=DEFAULT_TRUNCATE, help=about)
    echo.add_argument("--flow-style", action="store_true", help="each list in one line")
    echo.add_argument("--raw", action="store_true", help="the bytes as they came")
    echo.add_argument("-c", "--clear", action="store_true", help="clear the screen before each message")
    echo.add_argument("--no-lost-messages", action="store_true", help="do not tell of those that were lost")


def _add_pub(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    pub = actions.add_parser("pub", help="publish messages")
    pub.add_argument("topic_name", metavar="TOPIC")
    pub.add_argument("message_type", metavar="TYPE", help="such as geometry_msgs/msg/Twist")
    about = (
        "its fields in YAML, such as '{linear: {x: 0.2}}'; `header: auto` and `stamp: now` are the present"
    )
    pub.add_argument("values", metavar="VALUES", nargs="?", default="{}", help=about)
    pub.add_argument("-r", "--rate", type=positive, default=1.0, metavar="HZ", help="default: %(default)s")
    often = pub.add_mutually_exclusive_group()
    often.add_argument("-1", "--once", action="store_true", help="one message")
    often.add_argument("-t", "--times", type=count, default=0, metavar="N", help="so many; 0: until Ctrl-C")
    pub.add_argument("-p", "--print", type=count, default=1, metavar="N", help="print every N-th only")
    about = "wait until so many listen; default: 1 with --once and --times, else 0"
    pub.add_argument("-w", "--wait-matching-subscriptions", type=count, metavar="N", help=about)
    pub.add_argument("--max-wait-time-secs", type=positive, metavar="SECONDS", help="wait no longer")
    about = "stay so long behind the last message; default: %(default)s"
    pub.add_argument("--keep-alive", type=positive, default=0.1, metavar="SECONDS", help=about)
    return pub


def _add_qos(parser: argparse.ArgumentParser, default: str, what: str) -> None:
    about = f"preset quality of service to {what} with; default: {default}"
    parser.add_argument("--qos-profile", choices=PROFILES, default=default, help=about)
    parser.add_argument("--qos-depth", type=count, metavar="N")
    parser.add_argument("--qos-history", choices=("keep_last", "keep_all", "system_default"))
    parser.add_argument("--qos-reliability", choices=RELIABILITIES)
    parser.add_argument("--qos-durability", choices=DURABILITIES)
