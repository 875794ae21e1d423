"""The services of the node: ~/pause, ~/resume, ~/step, ~/reset, ~/physics_reset, ~/save_traces, ~/quit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from std_srvs.srv import Trigger

from sim_core.base.inbox import Inbox
from sim_core.base.outcome import Done

Service = Callable[[], str]
"""Does what is asked for between two steps, and says in one line what it did; OdesimError: it refused."""


def make_services(node: Any, inbox: Inbox, services: Mapping[str, Service]) -> None:
    """Offer each of these as a std_srvs/Trigger below the node's name; answered when it has been done."""
    for name, service in services.items():
        node.create_service(Trigger, f"~/{name}", _callback(inbox, service))


def _callback(inbox: Inbox, service: Service) -> Callable[[Any, Any], Any]:
    def answer(_: Any, response: Any) -> Any:
        outcome = inbox.ask(service)
        response.success = isinstance(outcome, Done)
        response.message = outcome.answer or "" if isinstance(outcome, Done) else outcome.text
        return response

    return answer
