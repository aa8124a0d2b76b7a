"""Two invented search tools behind a local server, and how their results are written."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from beirkit.search_tools.responses import Profile

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
CSV = FIXTURES / "datasets" / "lexbench-simpleqa-verified" / "raw.csv"

GATE, PAINTER = "Who painted the Blue Gate?", "https://www.x.example/a_%28b%29/?utm_source=tool"

# What the server returns to either tool, by the beginning of the question.
GOOD: dict[str, Any] = {
    "Who painted": [
        {"link": "https://elsewhere.example/", "name": "Else", "description": "Nothing."},
        {"link": PAINTER, "name": "Gate", "description": "It was painted by Ann Lee."},
        {"link": "http://x.example/a_(b)", "name": "Gate", "description": "The same page."},
    ],
    "When was": [{"link": "http://en.m.wikipedia.org/wiki/blue_Gate_(Town)", "description": "24 June 1896."}],
    "Who built": [{"link": "http://x.example/mill?b=2&a=1#top", "description": "First line, second line"}],
    "How long": [{"link": "https://elsewhere.example/mill", "description": "It is 171 m long."}],
    "In which": [],
}  # fmt: skip
BAD: dict[str, Any] = {
    "Who painted": [
        {"link": "https://huggingface.co/datasets/any/simpleqa-copy", "description": "Questions."},
        {"link": "https://blog.example/", "description": f"5,{GATE},nobody"},
        {"link": "https://blog.example/2", "description": f"Q: {GATE} A: Ann Lee"},
        {"link": "https://x.example/c", "description": "On the gate."},
    ],
    "When was": "slow",
    "Who built": "broken",
    "How long": "no list",
    "In which": "slow",
}


class Server(ThreadingHTTPServer):
    """A server that does not mind clients who leave."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


class Tool(BaseHTTPRequestHandler):
    """The server of both tools."""

    asked: list[str]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        question = parse_qs(parts.query)["q"][0]
        type(self).asked.append(f"{parts.path} {question}")
        answers = {"/good": GOOD, "/bad": BAD}[parts.path]
        answer = next(value for start, value in answers.items() if question.startswith(start))
        if answer == "slow":
            threading.Event().wait(0.5)
        self.send_response(500 if answer == "broken" else 200)
        self.end_headers()
        body = {"error": "busy"} if isinstance(answer, str) else {"web": {"results": answer}}
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


CLIENT = """
import urllib.parse
import urllib.request


def search(question, *, timeout, address):
    query = urllib.parse.urlencode({"q": question})
    with urllib.request.urlopen(f"{address}?{query}", timeout=timeout) as response:
        return response.read()
"""


def profile(server: str, name: str, **changes: Any) -> Profile:
    settings: dict[str, Any] = {
        "name": name, "options": {"address": f"{server}/{name}"}, "per_second": 0, "timeout": 0.2,
        "results": "web.results", "fields": {"url": "link", "title": "name", "snippet": "description"},
    }  # fmt: skip
    return Profile(**{**settings, **changes})


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def row(**changes: Any) -> dict[str, Any]:
    return {"query_id": "sqv-5", "rank": 1, "url": "https://x.example/c", **changes}


def figures(report: Any, provider: str, **wanted: Any) -> dict[str, float]:
    wanted = {"population": "all", "flagged": True, **wanted}
    return {
        figure.measure: figure.mean
        for figure in report.table.figures
        if figure.provider == provider and all(getattr(figure, key) == value for key, value in wanted.items())
    }
