"""Services of the node: ~/pause, ~/resume, ~/step, ~/reset, ~/save, ~/save_snapshot, ~/quit, and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

from std_srvs.srv import Trigger

from sim_core.base.inbox import awaited
from sim_core.base.outcome import Done, Outcome
from sim_core.session.pipeline import Action, Command
from sim_core.session.session import Session

Service = Action | Callable[[], str]
"""A command, or a function that writes a file or answers a query; it returns a line, or refuses."""


def make_services(node: Any, session: Session, services: Mapping[str, Service]) -> None:
    """Offer services of type std_srvs/Trigger below the node's name, answered when done."""
    for name, service in services.items():
        if isinstance(service, Action):
            post = partial(session.pipeline.post, Command(f"~/{name}", (service,)))
        else:
            post = partial(session.inbox.post, service)
        node.create_service(Trigger, f"~/{name}", partial(_answer, post))


def _answer(post: Callable[[], Future[Outcome]], _: Any, response: Any) -> Any:
    outcome = awaited(post())
    response.success = isinstance(outcome, Done)
    response.message = outcome.answer or "" if isinstance(outcome, Done) else outcome.text
    return response
