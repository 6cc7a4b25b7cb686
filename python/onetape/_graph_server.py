"""A live view of a training in the browser."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, urlsplit

from onetape import _C
from onetape._C import Tensor
from onetape._graph_recording import GraphRecording

if TYPE_CHECKING:
    from onetape.nn import Module

__all__ = ["GraphServer"]

_HOST = "127.0.0.1"
# How long a question for news waits for some, and how long after the last one the page counts as looked at.
_LONGEST_WAIT = 10.0
_LOOKED_AT = 15.0
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _News:
    """The last graph that a training gave, and who waits for the next."""

    def __init__(self) -> None:
        self.wanted = False
        self._changed = threading.Condition()
        self._version = 0
        self._body = b""
        self._asked = 0.0
        self.closed = False

    def put(self, step: int, graph: str) -> None:
        with self._changed:
            self._version += 1
            self._body = f'{{"version":{self._version},"step":{step},"graph":{graph}}}'.encode()
            self._changed.notify_all()

    def after(self, version: int) -> bytes | None:
        """The last graph if it is newer than a version; waits a while for one."""
        with self._changed:
            self._asked = time.monotonic()
            if self._version <= version and not self.closed:
                self.wanted = True
                self._changed.wait_for(lambda: self._version > version or self.closed, _LONGEST_WAIT)
            self._asked = time.monotonic()
            return self._body if self._version > version else None

    def is_looked_at(self) -> bool:
        return self.wanted or time.monotonic() - self._asked < _LOOKED_AT

    def close(self) -> None:
        with self._changed:
            self.closed = True
            self.wanted = False
            self._changed.notify_all()


class _Handler(BaseHTTPRequestHandler):
    """Answers ``/<token>/`` with the page and ``/<token>/graph?after=<version>`` with news; there is nothing else."""

    protocol_version = "HTTP/1.1"
    timeout = 20

    def version_string(self) -> str:
        return "onetape"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _send(self, status: int, body: bytes = b"", kind: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _answer(self) -> None:
        server = cast(_Server, self.server)
        path = urlsplit(self.path)
        token, _, rest = path.path.removeprefix("/").partition("/")
        # A page of another site must not reach this one by a name of its own that leads here.
        if self.headers.get("Host", "") not in server.hosts:
            self.close_connection = True
            return self._send(403, b"this address is known by another name\n")
        if not hmac.compare_digest(token.encode("utf-8", "replace"), server.token.encode()):
            self.close_connection = True
            return self._send(403, b"the token is missing or wrong\n")
        if self.command not in ("GET", "HEAD"):
            self.close_connection = True
            return self._send(405, b"there is nothing to change here\n")
        if rest == "":
            return self._send(200, server.page, "text/html; charset=utf-8")
        if rest == "graph":
            after = parse_qs(path.query).get("after", ["0"])[0]
            news = server.news.after(int(after) if after.isascii() and after.isdigit() and len(after) < 19 else 0)
            if news is not None:
                return self._send(200, news, "application/json")
            self.close_connection = server.news.closed
            return self._send(410, b"the view has ended\n") if server.news.closed else self._send(204)
        return self._send(404, b"there is no such page\n")

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, title: str) -> None:
        self.token = secrets.token_urlsafe(24)
        self.news = _News()
        self.page = _C._graph_live_page(title).encode()
        super().__init__((_HOST, port), _Handler)
        self.hosts = {f"{name}:{self.server_address[1]}" for name in (_HOST, "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a browser that goes away in the middle of an answer is no error


class GraphServer:
    """A live view of a running training: its graph and the gradient norms of its parameters, in the browser.

    ::

        with onetape.graph.serve(net) as view:
            print(view.url)
            for x, y in batches:
                optimizer.zero_grad()
                loss = loss_function(net(x), y)
                loss.backward()
                view.update(loss)
                optimizer.step()

    It listens on 127.0.0.1 alone, and answers only who knows the random token in its address. While nobody looks,
    update() returns at once; while somebody does, it hands out as many graphs as the page asks for, and nodes note
    where they come from as in onetape.graph.record().
    """

    def __init__(self, params: Mapping[str, Tensor] | Module | None, port: int, title: str) -> None:
        self._params = params
        self._step = 0
        self._recording: GraphRecording | None = None
        self._lock = threading.Lock()
        self._server = _Server(port, title)
        self._thread = threading.Thread(target=self._server.serve_forever, name="onetape graph server", daemon=True)
        self._thread.start()
        self._open = True

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://{_HOST}:{self.port}/{self._server.token}/"

    @property
    def watched(self) -> bool:
        """Does somebody look, or has until some seconds ago?"""
        return self._open and self._server.news.is_looked_at()

    def update(self, tensors: Tensor | Sequence[Tensor]) -> None:
        """To be called once a step, best after backward(): shows the graph behind the tensors if somebody looks."""
        self._step += 1
        if self._server.news.wanted or self._recording is not None:
            self._update(tensors)

    def _update(self, tensors: Tensor | Sequence[Tensor]) -> None:
        from onetape._graph import graph

        news = self._server.news
        with self._lock:
            self._record(self.watched)
            if not (self._open and news.wanted):
                return
            text = graph(tensors, self._params).json()
            news.wanted = False
            news.put(self._step, text)

    def _record(self, on: bool) -> None:
        if on and self._recording is None:
            self._recording = GraphRecording()
            self._recording.__enter__()
        elif not on and self._recording is not None:
            self._recording.__exit__()
            self._recording = None

    def close(self) -> None:
        """Ends the view and frees its port; does nothing when called again."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            self._record(False)
        self._server.news.close()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> GraphServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<GraphServer on port {self.port}>" if self._open else "<GraphServer, closed>"
