"""Access control: only the viewer's own page may connect, from other machines only with the token.

A browser lets any web page open a WebSocket to 127.0.0.1 and sends the origin of that page in `Origin` (RFC
6455, 4.1 and 10.2); refusing foreign pages is left to the server, and viser does not. Programs that are not
browsers send no `Origin` and are admitted. A foreign page whose name resolves to 127.0.0.1 (DNS rebinding)
has the same name in `Origin` and `Host`, so behind a loopback address the name must be one of this machine.

Where the viewer listens to other machines too, its address contains a token. The page that is opened with it
receives a cookie (RFC 6265), which its browser sends when it loads the page's files and opens the WebSocket;
programs may put the token into the address of the WebSocket itself.
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

from ros_bridge.base.connection_limits import shorten_loop_messages
from sim_core.base.errors import in_one_line

LOCAL = "localhost"
TOKEN = "token"
"""Name of the token in the address."""
COOKIE = "odesim_viewer"
HANDSHAKES = "websockets.server"
"""Logger of the package that viser uses as its server."""


def is_own_page(origin: str | None, host_header: str | None, bound_to: str) -> bool:
    """Return whether a handshake comes from the viewer's own page, or from no page at all.

    Args:
        origin: its header `Origin`; None: there is none.
        host_header: its header `Host`.
        bound_to: address at which the viewer listens.
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
    """Return a token for an address that other machines can reach; empty for a loopback address."""
    return "" if is_loopback(host) else secrets.token_urlsafe(16)


def has_token(token: str, path: str, cookies: str) -> bool:
    """Return whether a request contains the token.

    Args:
        token: the expected token; empty: none is needed.
        path: of the request, including the part after `?`.
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
def foreign_pages_refused(host: str, token: str = "") -> Iterator[None]:
    """Make a viser server that is started within answer handshakes of foreign pages with 403.

    With a token it also refuses all handshakes that do not contain it.

    This is the one place that changes viser: it calls `websockets.asyncio.server.serve` without an argument
    for a check of one's own, so while it starts, that function is replaced by one that checks before viser
    does.

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
            except LookupError:  # the header occurs twice
                origin, host_header = "null", None
            if not is_own_page(origin, host_header, host):
                return connection.respond(
                    http.HTTPStatus.FORBIDDEN, "Only the viewer's own page may connect.\n"
                )
            if not has_token(token, request.path, ";".join(headers.get_all("Cookie"))):
                return connection.respond(http.HTTPStatus.FORBIDDEN, "The viewer's address needs a token.\n")
            response = process_request(connection, request) if process_request is not None else None
            if inspect.isawaitable(response):
                response = await response
            if token and response is not None:
                response.headers["Set-Cookie"] = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"
            return response

        return serve(*arguments, process_request=process, **options)

    logging.getLogger(HANDSHAKES).addFilter(_in_a_line)
    shorten_loop_messages("viewer")
    server.serve = checked_serve  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        server.serve = serve  # type: ignore[misc]


def is_loopback(host: str) -> bool:
    """Return whether a name or an address is this machine's loopback."""
    if host == LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _in_a_line(record: logging.LogRecord) -> bool:
    """Shorten log records of websockets about malformed requests to one line without a traceback."""
    if record.exc_info and record.exc_info[1] is not None:
        record.msg = f"viewer: {record.getMessage()}: {in_one_line(record.exc_info[1])}"
        record.args, record.exc_info, record.exc_text = (), None, None
    return True
