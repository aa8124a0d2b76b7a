"""What search tools returned: ranked addresses by query, with the tool's own ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines, sha256_file

Status = Literal["ok", "empty", "timeout", "error"]
STATUSES: tuple[Status, ...] = get_args(Status)

_KEYS = '{"query_id": …, "rank": 1, "url": …, "title": …, "snippet": …, "text": …}'


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a list.

    Attributes:
        rank: the tool's own, from 1; it is kept where another result is the same document.
        url: as the tool gave it.
        title: of the page.
        snippet: the extract that the tool shows.
        text: what else of the page the tool gave.
        line: where it stands in its file.
    """

    rank: int
    url: str
    title: str = ""
    snippet: str = ""
    text: str = ""
    line: int = 0

    @property
    def shown(self) -> str:
        """All the text that the tool returned."""
        return "\n".join(part for part in (self.title, self.snippet, self.text) if part)


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool returned for one query.

    Attributes:
        query_id: the query.
        status: ``ok``; ``empty``: no results; ``timeout`` and ``error``: no answer.
        results: by the tool's rank.
        time: when it was asked, ISO 8601, where that was told.
        seconds: how long it took, where that was told.
        evidence: path of the stored raw response, where there is one.
        sha256: of the stored raw response.
    """

    query_id: str
    status: Status
    results: tuple[Result, ...] = ()
    time: str = ""
    seconds: float | None = None
    evidence: str = ""
    sha256: str = ""


class ProviderResults(msgspec.Struct, frozen=True, kw_only=True):
    """All that one tool returned.

    Attributes:
        name: of the tool.
        path: the file it was read from.
        sha256: of that file.
        responses: by query.
    """

    name: str
    path: str
    sha256: str
    responses: dict[str, Response]


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    query_id: str
    rank: int | None = None
    url: str | None = None
    title: str | None = None
    snippet: str | None = None
    text: str | None = None
    status: Status = "ok"
    time: str | None = None
    seconds: float | None = None
    evidence: str | None = None
    sha256: str | None = None


def is_provider_results(path: Path) -> bool:
    """Whether a file is JSON lines of a tool's results, by its first line."""
    if not path.is_file():
        return False
    try:
        first = next((line for _, line in byte_lines(path) if line.strip()), b"")
        value: Any = msgspec.json.decode(first)
    except (DataError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(value, dict) and "query_id" in value and ("url" in value or "status" in value)


def read_results(path: Path, name: str = "") -> ProviderResults:
    """Read JSON lines of results, one result a line; a query without results is one line with its status.

    Args:
        path: the file, plain or compressed.
        name: of the tool; by default that of the file.

    Raises:
        DataError: a line is damaged, has no rank, a rank below 1, one that its query has already, a result
            and a status that allows none, or two statuses for one query; with path and line.
    """
    found: dict[str, list[Result]] = {}
    told: dict[str, _Line] = {}
    decoder = msgspec.json.Decoder(_Line)
    for number, data in byte_lines(path):
        if not data.strip():
            continue
        try:
            line = decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            hint = f"write {_KEYS}"
            if "$.status" in str(error):
                hint = f"status is one of {', '.join(STATUSES)}"
            raise DataError(f"is no result: {error}", path=path, line=number, hint=hint) from error
        results = found.setdefault(line.query_id, [])
        first = told.setdefault(line.query_id, line)
        if first.status != line.status or (first is not line and line.status != "ok"):
            raise _wrong(path, number, line, f"is told both {first.status!r} and {line.status!r}")
        if line.url is None and line.rank is None and line.status != "ok":
            continue
        if line.status != "ok":
            raise _wrong(path, number, line, f"has a result, and its status is {line.status!r}")
        if line.url is None or line.rank is None:
            raise _wrong(path, number, line, "has a result without url or rank")
        if line.rank < 1:
            raise _wrong(path, number, line, f"has the rank {line.rank}; ranks count from 1")
        if any(result.rank == line.rank for result in results):
            raise _wrong(path, number, line, f"has rank {line.rank} twice")
        results.append(_result(line, line.rank, line.url, number))
    if not found:
        raise DataError("holds no results", path=path, hint=f"each line is {_KEYS}")
    return ProviderResults(
        name=name or path.name.partition(".")[0],
        path=str(path),
        sha256=sha256_file(path),
        responses={query: _response(told[query], results) for query, results in found.items()},
    )


def _result(line: _Line, rank: int, url: str, number: int) -> Result:
    title, snippet, text = line.title or "", line.snippet or "", line.text or ""
    return Result(rank=rank, url=url, title=title, snippet=snippet, text=text, line=number)


def _response(line: _Line, results: list[Result]) -> Response:
    return Response(
        query_id=line.query_id,
        status=line.status,
        results=tuple(sorted(results, key=lambda result: result.rank)),
        time=line.time or "",
        seconds=line.seconds,
        evidence=line.evidence or "",
        sha256=line.sha256 or "",
    )


def _wrong(path: Path, number: int, line: _Line, what: str) -> DataError:
    return DataError(f"query {line.query_id!r} {what}", path=path, line=number)
