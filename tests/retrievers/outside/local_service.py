"""A search service on this machine, for tests: counts shared words, and misbehaves where it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from beirkit.corpora.records import Document


class LocalService:
    """Answers ``GET /search?query=…&k=…&offset=…`` and ``POST /search`` with ``{"found": {"items": […]}}``.

    Attributes:
        asked: every request: path, headers in lower case, body.
        faults: answers given before any result, first to last: a status, ``"slow"``, ``"cut"`` or ``"text"``.
        refused: queries that are always answered with status 400.
    """

    def __init__(self, documents: Iterable[Document], *, most: int | None = None) -> None:
        self.documents = [(d.doc_id, f"{d.title} {d.text}".lower().split()) for d in documents]
        self.most = most
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.faults: list[int | str] = []
        self.refused: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/search"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, query: str, k: int, offset: int) -> dict[str, Any]:
        words = set(query.lower().split())
        scored = [(float(sum(word in words for word in text)), doc_id) for doc_id, text in self.documents]
        ranked = sorted(
            (pair for pair in scored if pair[0] > 0), key=lambda pair: (pair[0], pair[1]), reverse=True
        )
        part = ranked[offset : offset + min(k, self.most or k)]
        return {"found": {"items": [{"doc": {"id": doc_id}, "score": score} for score, doc_id in part]}}


def _handler(service: LocalService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            values = {
                key: value[0]
                for key, value in parse_qs(urlsplit(self.path).query, keep_blank_values=True).items()
            }
            self._respond(values, None)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._respond(body, body)

        def _respond(self, values: dict[str, Any], body: Any) -> None:
            service.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            fault = service.faults.pop(0) if service.faults else None
            if fault == "slow":
                threading.Event().wait(1.0)
            status = 400 if values["query"] in service.refused else fault if isinstance(fault, int) else 200
            answer = json.dumps(
                service.answer(values["query"], int(values["k"]), int(values.get("offset", 0)))
            )
            data = b"<html>" if fault == "text" else answer.encode() if status == 200 else b"no such luck"
            try:
                self.send_response(status)
                if status == 429:
                    self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[:5] if fault == "cut" else data)
            except OSError:  # whoever asked has left
                pass
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
