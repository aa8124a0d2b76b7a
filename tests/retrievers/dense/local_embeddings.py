"""An embedding service on this machine, for tests: counts words, and misbehaves where it is told to."""

from __future__ import annotations

import base64
import json
import re
import struct
import threading
import time
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIM = 64


def word_counts(text: str, dim: int = DIM) -> list[float]:
    """The vector of a text: how often each of its words occurs, at places that a hash tells."""
    vector = [0.0] * dim
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % dim] += 1.0
    return vector


class LocalEmbeddings:
    """Answers ``POST /v1/embeddings`` as OpenAI's service does; a token is a word.

    Attributes:
        asked: every request's body, in the order they came.
        headers: of every request, names in lower case.
        faults: what is done to requests, first to last, instead of answering: a status, ``(status, headers,
            body)``, or bytes that are sent with status 200. ``None``: nothing, it is answered.
        change: given the whole answer, gives another.
        longest: characters of a text that are accepted.
        most: texts of a request that are accepted.
        key: that must be sent, where there is one.
        input_key: of the texts in a request; in ``asked`` they are ``input`` always.
        pause: seconds between two bytes of an answer.
        before_answer: called before each answer.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.faults: list[int | tuple[int, dict[str, str], bytes] | bytes | str | None] = []
        self.change: Callable[[dict[str, Any]], Any] | None = None
        self.longest: int | None = None
        self.most: int | None = None
        self.key = ""
        self.input_key = "input"
        self.pause = 0.0
        self.before_answer: Callable[[], object] | None = None
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.host = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.host}/v1/embeddings"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def texts(self) -> list[str]:
        """Every text that was asked for, as often as it was."""
        return [text for body in self.asked for text in body["input"]]

    def answer(self, body: dict[str, Any]) -> Any:
        """The answer to a request that is in order."""
        entries: list[dict[str, Any]] = []
        for place, text in enumerate(body["input"]):
            vector: Any = word_counts(text, body.get("dimensions", DIM))
            if body.get("encoding_format") == "base64":
                vector = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
            entries.append({"object": "embedding", "index": place, "embedding": vector})
        words = sum(len(text.split()) for text in body["input"])
        usage = {"prompt_tokens": words, "total_tokens": words}
        made = {"object": "list", "data": entries, "model": f"{body['model']}-0001", "usage": usage}
        return made if self.change is None else self.change(made)

    def refusal(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, str]:
        """Status and words for a request that is not in order; status 200: it is."""
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            return 401, f"Incorrect API key provided: {headers.get('authorization')}"
        if self.most is not None and len(body["input"]) > self.most:
            return 413, f"batch size {len(body['input'])} > {self.most}"
        if self.longest is not None and any(len(text) > self.longest for text in body["input"]):
            return 400, f"maximum context length is {self.longest} characters"
        if any(not text for text in body["input"]):
            return 400, "input cannot be an empty string"
        return 200, ""


def _handler(service: LocalEmbeddings) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            service.asked.append({"path": self.path, "input": []})
            self._send(200, {}, b"{}")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body["input"] = body.pop(service.input_key)
            headers = {name.lower(): value for name, value in self.headers.items()}
            with service.lock:
                service.asked.append(body)
                service.headers.append(headers)
                fault = service.faults.pop(0) if service.faults else None
            if service.before_answer is not None:
                service.before_answer()
            if fault == "reset":
                self.close_connection = True
                return
            if isinstance(fault, int):
                self._send(fault, {}, b"no such luck")
            elif isinstance(fault, tuple):
                self._send(*fault)
            elif isinstance(fault, bytes):
                self._send(200, {}, fault)
            else:
                status, words = service.refusal(body, headers)
                data = json.dumps(service.answer(body) if status == 200 else {"error": {"message": words}})
                self._send(status, {}, data.encode(), cut=fault == "cut")

        def _send(self, status: int, headers: dict[str, str], data: bytes, *, cut: bool = False) -> None:
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Transfer-Encoding" not in headers:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if service.pause:
                    for place in range(len(data)):
                        self.wfile.write(data[place : place + 1])
                        time.sleep(service.pause)
                self.wfile.write(data[: len(data) // 2] if cut else b"" if service.pause else data)
            except OSError:  # whoever asked has left
                pass
            if cut:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
