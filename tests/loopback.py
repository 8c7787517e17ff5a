"""Stand-ins for the Hub, on this machine."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from unittest import mock


class Hub(NamedTuple):
    """A server's address, and the paths that it was asked for so far."""

    url: str
    asked: list[str]


@contextmanager
def answering(status: int) -> Iterator[Hub]:
    """Serve `status` and an empty list to every request."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(b"[]")

        def log_message(self, *arguments) -> None:
            """Say nothing: the tests look at `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    with _no_proxy():
        try:
            yield Hub(f"http://127.0.0.1:{server.server_port}", asked)
        finally:
            server.shutdown()
            server.server_close()


@contextmanager
def silent() -> Iterator[Hub]:
    """Accept connections and never answer."""
    with socket.create_server(("127.0.0.1", 0)) as server, _no_proxy():
        yield Hub(f"http://127.0.0.1:{server.getsockname()[1]}", [])


@contextmanager
def refusing() -> Iterator[Hub]:
    """Have a port that nobody listens on."""
    with socket.socket() as held, _no_proxy():
        held.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can take it
        yield Hub(f"http://127.0.0.1:{held.getsockname()[1]}", [])


@contextmanager
def _no_proxy() -> Iterator[None]:
    with mock.patch.dict(os.environ, {"no_proxy": "*", "NO_PROXY": "*"}):
        yield
