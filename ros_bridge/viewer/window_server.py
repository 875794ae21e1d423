"""Server of robot windows: pages of a world's project, shown in the browsers of this machine.

Files of a project are sent unchanged and never run here. In the browser they have an origin of their own
(another port than the viewer's), so they can access neither the viewer's page nor its connection. A page
talks with its robot's controller only: messages of the controller arrive as server-sent events, its own are
sent by POST.
"""

from __future__ import annotations

import json
import mimetypes
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ros_bridge.base.connection_limits import max_connections
from ros_bridge.base.own_page import is_own_page
from sim_core.base.errors import in_one_line

HOST = "127.0.0.1"
MAX_MESSAGE = 1_000_000
"""Longest message of a page, bytes."""
KEPT_MESSAGES = 100
"""Messages of a controller that are kept for pages opened later."""
IDLE_LIMIT = 60.0
"""Seconds without a request after which a connection is closed."""
STOP_PERIOD = 0.05
"""Seconds between two checks whether to stop."""
MAX_DIGITS = 19
"""Most digits of a number in a header."""
KEEPALIVE_PERIOD = 15.0
"""Seconds without a message after which an empty event is sent."""
API = "/wwi/RobotWindow.js"
_API_OF_WEBOTS = re.compile(r"https?://(?:www\.)?cyberbotics\.com/wwi/[\w.-]+/RobotWindow\.js")
_HEAD = re.compile(r"<head[^>]*>", re.IGNORECASE)
SCRIPT = """
export default class RobotWindow {
  constructor() {
    const about = window.odesimWindow;
    this.name = about.robot;
    new EventSource(about.base + 'stream').onmessage = (event) =>
      this.receive(JSON.parse(event.data), about.robot);
  }
  send(message) {
    fetch(window.odesimWindow.base + 'send', {method: 'POST', body: String(message)});
  }
  receive(message, robot) { console.log(robot + ': ' + message); }
  setTitle(title) { document.title = title; }
}
"""
"""Module that Webots' pages import; a page receives messages by overriding `receive`."""
INTRODUCTION = """<script>
window.odesimWindow = ABOUT;
window.webots = {window: () => {
  if (!window.robotWindow) {
    const waiting = [], stub = {receive: () => {}, send: (text) => waiting.push(text), setTitle: () => {}};
    window.robotWindow = stub;
    import('API').then((module) => {
      const made = new module.default();
      made.receive = (message, robot) => stub.receive(message, robot);
      stub.send = (text) => made.send(text);
      waiting.forEach((text) => made.send(text));
    });
  }
  return window.robotWindow;
}};
</script>"""
"""Inserted into pages made before R2022b, which call `webots.window(NAME)` and import nothing."""


@dataclass
class _Window:
    """The window of a robot: its files, and the messages of its controller."""

    robot: str
    folder: Path
    texts: list[str] = field(default_factory=list)
    first: int = 0
    """Serial number of the first of `texts`."""


class _Http(ThreadingHTTPServer):
    """HTTP server with the windows; its threads end with the process."""

    daemon_threads = True

    def __init__(self, owner: WindowServer) -> None:
        super().__init__((HOST, 0), _Handler)
        self.owner = owner
        self._places = threading.Semaphore(max_connections())

    def get_request(self) -> Any:
        """Accept the next connection; wait a moment if there is no file descriptor for it."""
        try:
            return super().get_request()
        except OSError:
            time.sleep(STOP_PERIOD)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in its own thread; close it if there are too many."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve the connection, then free its slot."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print errors, except those of a browser that closes the connection."""
        error = sys.exception()
        if not isinstance(error, OSError):
            print(f"robot window: {in_one_line(error or OSError())}", file=sys.stderr, flush=True)


class WindowServer:
    """Serves windows on the loopback address.

    Args:
        on_message: called with robot and text when a page sends a message, in another thread.

    """

    def __init__(self, on_message: Callable[[str, str], Any]) -> None:
        self.on_message = on_message
        self.changed = threading.Condition()
        self.is_open = True
        self.windows: dict[str, _Window] = {}
        self._http = _Http(self)
        threading.Thread(target=self._http.serve_forever, args=(STOP_PERIOD,), daemon=True).start()

    def serve_page(self, robot: str, page: Path) -> str:
        """Serve the folder of a robot's page from now on; return the page's address."""
        key = f"window{len(self.windows)}"
        self.windows[key] = _Window(robot, page.parent.resolve())
        return f"http://{HOST}:{self._http.server_port}/{key}/{page.name}"

    def send(self, robot: str, text: str) -> None:
        """Send a message of a controller to the windows of its robot."""
        with self.changed:
            for window in self.windows.values():
                if window.robot == robot:
                    window.texts.append(text)
                    gone = max(0, len(window.texts) - KEPT_MESSAGES)
                    window.first += gone
                    del window.texts[:gone]
            self.changed.notify_all()

    def close(self) -> None:
        """Stop the server."""
        with self.changed:
            self.is_open = False
            self.changed.notify_all()
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Handles the requests of one browser."""

    server: _Http
    timeout = IDLE_LIMIT

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Send a file of a window's folder, the API module, or the stream of messages."""
        path, window, key, rest = self._parse_path()
        if not self._is_allowed():
            self.send_error(HTTPStatus.FORBIDDEN)
        elif path == API:
            self._send(SCRIPT.encode(), "text/javascript")
        elif window is not None and rest == "stream":
            self._stream(window)
        elif window is not None:
            self._send_file(window, key, rest)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Receive a message for the controller."""
        _, window, _, rest = self._parse_path()
        length = _number(self.headers.get("Content-Length", ""))
        if not self._is_allowed() or not self.headers.get("Origin"):
            self.send_error(HTTPStatus.FORBIDDEN)
        elif window is None or rest != "send":
            self.send_error(HTTPStatus.NOT_FOUND)
        elif length is None or length > MAX_MESSAGE:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            text = self.rfile.read(length).decode("utf-8", "replace")
            self.server.owner.on_message(window.robot, text)
            self._send(b"", "text/plain")

    def _parse_path(self) -> tuple[str, _Window | None, str, str]:
        """Return the path of the request, the window it names with its key, and the rest of the path."""
        try:
            path = unquote(urlsplit(self.path).path)
        except ValueError:  # for example //[
            path = ""
        key, _, rest = path.removeprefix("/").partition("/")
        return path, self.server.owner.windows.get(key), key, rest

    def _is_allowed(self) -> bool:
        """Return whether a page of ours sent the request, to a name of this machine (see `own_page.py`)."""
        host = self.headers.get("Host", "")
        return is_own_page(self.headers.get("Origin") or f"http://{host}", host, HOST)

    def _send_file(self, window: _Window, key: str, name: str) -> None:
        try:
            file = (window.folder / name).resolve()
            content = file.read_bytes() if file.is_relative_to(window.folder) and file.is_file() else None
        except (OSError, ValueError, RuntimeError):  # not a file name, or not readable
            content = None
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        if kind in ("text/html", "text/javascript", "application/javascript"):
            text = _API_OF_WEBOTS.sub(API, content.decode("utf-8", "replace"))
            if kind == "text/html":
                about = json.dumps({"robot": window.robot, "base": f"/{key}/"}).replace("<", "\\u003c")
                opening = INTRODUCTION.replace("ABOUT", about).replace("'API'", f"'{API}'")
                head = _HEAD.search(text)
                at = head.end() if head else 0
                text = text[:at] + opening + text[at:]
            content, kind = text.encode(), f"{kind}; charset=utf-8"
        self._send(content, kind)

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, window: _Window) -> None:
        """Send messages until the page disconnects; after an interruption, continue there."""
        owner, last = self.server.owner, _number(self.headers.get("Last-Event-ID", ""))
        number = last + 1 if last is not None else 0
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        try:
            while owner.is_open:
                with owner.changed:
                    number = max(number, window.first)
                    if number >= window.first + len(window.texts):
                        owner.changed.wait(KEEPALIVE_PERIOD)
                    texts = window.texts[number - window.first :]
                events = [f"id: {number + n}\ndata: {json.dumps(text)}\n\n" for n, text in enumerate(texts)]
                number += len(texts)
                self.wfile.write(("".join(events) or ":\n\n").encode())
                self.wfile.flush()
        except OSError:
            return  # the page has disconnected


def _number(text: str) -> int | None:
    """Parse a number in a header; return None if it is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < MAX_DIGITS else None
