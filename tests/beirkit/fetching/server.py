"""A publisher's server on this machine, which can be told to misbehave in every way met in the wild."""

from __future__ import annotations

import re
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = b"<!DOCTYPE html><html><head><title>503 Service Unavailable</title></head></html>"


@dataclass
class Content:
    """A file as the server has it; no validator where both are empty."""

    data: bytes
    etag: str = '"v1"'
    modified: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """One request that came."""

    path: str
    headers: dict[str, str]


Answer = Callable[["Handler", Content], None]


class Server:
    """Files by path, and for each path what happens to its next requests before it is served soundly."""

    def __init__(self) -> None:
        self.files: dict[str, Content] = {}
        self.next: dict[str, list[Answer]] = {}
        self.always: dict[str, Answer] = {}
        self.asked: list[Asked] = []
        self.address = ""

    def url(self, path: str) -> str:
        return self.address + path

    def ranges(self) -> list[str]:
        """The ``Range`` of every request, empty where it had none."""
        return [one.headers.get("Range", "") for one in self.asked]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to what was planned for it."""

    server_of: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server_of
        path = self.path.split("?")[0]
        server.asked.append(Asked(self.path, {name.title(): value for name, value in self.headers.items()}))
        planned = server.next.get(path) or []
        content = server.files.get(path)
        if planned or path in server.always:
            answer = planned.pop(0) if planned else server.always[path]
            answer(self, content or Content(b""))
        elif content is None:
            status(404)(self, Content(b""))
        else:
            sound(self, content)

    def do_CONNECT(self) -> None:
        """As a proxy that lets nobody through."""
        self.server_of.asked.append(Asked(f"CONNECT {self.path}", {}))
        self.send_error(502)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def head(self, code: int, length: int | None, content: Content, **more: str) -> None:
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if content.etag:
            self.send_header("ETag", content.etag)
        if content.modified:
            self.send_header("Last-Modified", content.modified)
        for name, value in {**content.headers, **more}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def start_of(self, content: Content) -> int:
        """The first byte asked for; 0 also where ``If-Range`` names another content."""
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        if match is None or (condition is not None and condition not in (content.etag, content.modified)):
            return 0
        return int(match[1])

    def break_off(self) -> None:
        """Reset the connection, as a server that dies does."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


def sound(handler: Handler, content: Content) -> None:
    """As it should be: ranges, validators, the right length."""
    start, size = handler.start_of(content), len(content.data)
    if start >= size > 0:
        handler.head(416, 0, content, Content_Range=f"bytes */{size}")
    elif start:
        handler.head(206, size - start, content, Content_Range=f"bytes {start}-{size - 1}/{size}")
        handler.wfile.write(content.data[start:])
    else:
        handler.head(200, size, content)
        handler.wfile.write(content.data)


def drop_after(count: int) -> Answer:
    """End the connection when so many bytes of what was asked for have gone."""

    def answer(handler: Handler, content: Content) -> None:
        start, size = handler.start_of(content), len(content.data)
        if start:
            handler.head(206, size - start, content, Content_Range=f"bytes {start}-{size - 1}/{size}")
        else:
            handler.head(200, size, content)
        handler.wfile.write(content.data[start : start + count])
        handler.close_connection = True

    return answer


def reset(handler: Handler, content: Content) -> None:
    """Answer nothing and reset the connection."""
    handler.break_off()


def stall_after(count: int, freed: threading.Event) -> Answer:
    """Send so many bytes and then nothing, until the event."""

    def answer(handler: Handler, content: Content) -> None:
        handler.head(200, len(content.data), content)
        handler.wfile.write(content.data[:count])
        handler.wfile.flush()
        freed.wait(20)
        handler.close_connection = True

    return answer


def ignoring_ranges(handler: Handler, content: Content) -> None:
    """Always the whole file."""
    handler.head(200, len(content.data), content)
    handler.wfile.write(content.data)


def ignoring_if_range(handler: Handler, content: Content) -> None:
    """The rest of whatever is there now."""
    del handler.headers["If-Range"]
    sound(handler, content)


def announcing(length: int, sent: int | None = None) -> Answer:
    """Say another length than what is there, and send ``sent`` bytes."""

    def answer(handler: Handler, content: Content) -> None:
        handler.head(200, length, content)
        handler.wfile.write(content.data[:sent])
        handler.close_connection = True

    return answer


def without_length(count: int | None = None) -> Answer:
    """As HTTP/1.0 does: the end of the connection is the end of the file, or of what came of it."""

    def answer(handler: Handler, content: Content) -> None:
        handler.head(200, None, content, Connection="close")
        handler.wfile.write(content.data[:count])
        handler.close_connection = True

    return answer


def chunked(pieces: int, *, whole: bool = True) -> Answer:
    """In chunks, without the last, empty one where it is not whole."""

    def answer(handler: Handler, content: Content) -> None:
        handler.head(200, None, content, Transfer_Encoding="chunked")
        step = max(1, len(content.data) // pieces)
        for place in range(0, len(content.data), step):
            chunk = content.data[place : place + step]
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if whole:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True

    return answer


def status(code: int, body: bytes = PAGE, **headers: str) -> Answer:
    """An error, with a page for people."""

    def answer(handler: Handler, content: Content) -> None:
        handler.send_response(code)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def page_as_file(handler: Handler, content: Content) -> None:
    """The page for people, called a success."""
    status(200)(handler, content)


def redirect(to: str) -> Answer:
    """Send the client elsewhere."""
    return status(302, b"", Location=to)


class _Quiet(ThreadingHTTPServer):
    """Says nothing when a client hangs up, which is what it is here for."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Let only errors of the tests' own be seen."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # as it was handed in


@contextmanager
def running() -> Iterator[Server]:
    """A server on a free port of this machine."""
    server = Server()
    handler = type("BoundHandler", (Handler,), {"server_of": server})
    with _Quiet(("127.0.0.1", 0), handler) as http:
        server.address = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
