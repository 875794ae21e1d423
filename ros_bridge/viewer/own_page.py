"""Only the viewer's own page may talk to the viewer; from other machines, one that has the token.

A browser lets any web page open a WebSocket to 127.0.0.1 and tells in `Origin` whose page it is (RFC 6455,
4.1 and 10.2); refusing strangers is left to the server, and viser does not. Programs that are no browsers
send no `Origin` and may come. A page of a stranger whose name resolves to 127.0.0.1 (DNS rebinding) has the
same name in `Origin` and `Host`, so behind a loopback address the name must be one of this machine.

Where the viewer listens to other machines too, its address holds a token. The page that is opened with it is
given a cookie (RFC 6265), which its browser sends with the files of the page and with the handshake of the
WebSocket; programs may put the token into the address of the WebSocket itself.
"""

from __future__ import annotations

import hmac
import http
import inspect
import ipaddress
import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ros_bridge.base.crowds import let_loop_say_in_a_line
from sim_core.base.errors import in_one_line

LOCAL = "localhost"
TOKEN = "token"
"""What it is called in the address."""
COOKIE = "odesim_viewer"
HANDSHAKES = "websockets.server"
"""The log of the package that viser listens with."""


def is_own_page(origin: str | None, host_header: str | None, bound_to: str) -> bool:
    """Whether a handshake comes from the viewer's own page, or from no page at all.

    Args:
        origin: its header `Origin`; None: there is none.
        host_header: its header `Host`.
        bound_to: the address that the viewer listens at.
    """
    if origin is None:
        return True
    try:
        page = urlsplit(origin)
        host, port = page.hostname, page.port
        server = urlsplit(f"//{host_header}")
        same = (host, port) == (server.hostname, server.port)
    except ValueError:
        return False
    if not host or not host_header or not same:
        return False
    return not is_loopback(bound_to) or is_loopback(host) or host == bound_to


def new_token(host: str) -> str:
    """A token for those who come to an address; empty: only this machine does, and needs none."""
    return "" if is_loopback(host) else secrets.token_urlsafe(16)


def is_let_in(token: str, path: str, cookies: str) -> bool:
    """Whether a request brings the token.

    Args:
        token: empty: none is asked for.
        path: of the request, with what stands behind its `?`.
        cookies: its header `Cookie`.
    """
    if not token:
        return True
    try:
        given = parse_qs(urlsplit(path).query).get(TOKEN, [])
    except ValueError:
        given = []
    try:
        kept = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        kept = None
    given += [kept.value] if kept is not None else []
    return any(hmac.compare_digest(each.encode(errors="replace"), token.encode()) for each in given)


@contextmanager
def strangers_refused(host: str, token: str = "") -> Iterator[None]:
    """A viser server that is started within it answers the handshakes of strangers' pages with 403.

    With a token it answers all so that do not bring it.

    The one place that reaches into viser: it calls `websockets.asyncio.server.serve` and has no argument for
    a check of its own, so while it starts that function is one that puts the check before viser's.
    """
    from websockets.asyncio import server

    serve = server.serve

    @wraps(serve)
    def checked_serve(
        *arguments: Any, process_request: Callable[..., Any] | None = None, **options: Any
    ) -> Any:
        async def process(connection: Any, request: Any) -> Any:
            headers = request.headers
            try:
                origin, host_header = headers.get("Origin"), headers.get("Host")
            except LookupError:  # a header twice
                origin, host_header = "null", None
            if not is_own_page(origin, host_header, host):
                return connection.respond(http.HTTPStatus.FORBIDDEN, "The viewer serves its own page only.\n")
            if not is_let_in(token, request.path, ";".join(headers.get_all("Cookie"))):
                return connection.respond(http.HTTPStatus.FORBIDDEN, "The viewer's address has a token.\n")
            response = process_request(connection, request) if process_request is not None else None
            if inspect.isawaitable(response):
                response = await response
            if token and response is not None:
                response.headers["Set-Cookie"] = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"
            return response

        return serve(*arguments, process_request=process, **options)

    logging.getLogger(HANDSHAKES).addFilter(_in_a_line)
    let_loop_say_in_a_line("viewer")
    server.serve = checked_serve  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        server.serve = serve  # type: ignore[misc]


def is_loopback(host: str) -> bool:
    """Whether a name or an address is of the machine itself."""
    if host == LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _in_a_line(record: logging.LogRecord) -> bool:
    """Let websockets say who came and talked nonsense without where in it that was found out."""
    if record.exc_info and record.exc_info[1] is not None:
        record.msg = f"viewer: {record.getMessage()}: {in_one_line(record.exc_info[1])}"
        record.args, record.exc_info, record.exc_text = (), None, None
    return True
