"""`odesim topic list`, `info`, `type`, `find`: topics with their publishers and subscribers."""

from __future__ import annotations

import argparse

from ros_bridge.topic_tools.topic_inspector import TopicInspector
from ros_bridge.topics.conversions import full_type


def show_list(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Print the names of all topics."""
    topic_inspector.wait_for_discovery(arguments.spin_time)
    topics = topic_inspector.topics(arguments.include_hidden_topics)
    if arguments.count_topics:
        print(len(topics))
    elif arguments.verbose:
        for title, one, count in (
            ("Published", "publisher", topic_inspector.node.count_publishers),
            ("Subscribed", "subscriber", topic_inspector.node.count_subscribers),
        ):
            print(f"{title} topics:")
            for name, kinds in topics.items():
                if number := count(name):
                    print(f" * {name} [{', '.join(kinds)}] {number} {one}{'s' * (number > 1)}")
            print()
    else:
        for name, kinds in topics.items():
            print(f"{name} [{', '.join(kinds)}]" if arguments.show_types else name)
    return 0


def show_info(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Print the description of a topic."""
    kinds = topic_inspector.found(arguments.topic_name)
    topic_inspector.wait_for_discovery(arguments.spin_time)
    name, node = topic_inspector.full_name(arguments.topic_name), topic_inspector.node
    end = "\n\n" if arguments.verbose else "\n"
    print(f"Type: {kinds[0] if len(kinds) == 1 else kinds}", end=end)
    print(f"Publisher count: {node.count_publishers(name)}", end=end)
    for info in node.get_publishers_info_by_topic(name) if arguments.verbose else ():
        print(info, end=end)
    print(f"Subscription count: {node.count_subscribers(name)}", end=end)
    for info in node.get_subscriptions_info_by_topic(name) if arguments.verbose else ():
        print(info, end=end)
    return 0


def show_type(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Print the types of a topic."""
    for kind in topic_inspector.found(arguments.topic_name):
        print(kind)
    return 0


def show_found(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Print the topics of a type."""
    kind = full_type(arguments.topic_type)
    topic_inspector.wait_for_discovery(arguments.spin_time)
    names = [
        name
        for name, kinds in topic_inspector.topics(arguments.include_hidden_topics).items()
        if kind in kinds
    ]
    if arguments.count_topics:
        print(len(names))
    else:
        print("".join(f"{name}\n" for name in names), end="")
    return 0
