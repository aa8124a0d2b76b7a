"""Asking a search tool every question of a dataset: raw responses are stored before they are read."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.manifest import installed_version
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.provider_results import Status
from beirkit.corpora.supporting import Json, policy_record
from beirkit.search_tools.providers import Questions, questions_of
from beirkit.search_tools.responses import Profile, Stored, Told, lines_of, stored_at, unread

_log = logging.getLogger(__name__)

LOCK = "collection.json"
RESULTS = "results.jsonl"


@dataclass(frozen=True)
class Collected:
    """What :func:`collect` did.

    Attributes:
        path: the file of results.
        asked: questions that were asked now.
        kept: questions whose response was there already.
        statuses: questions by status.
    """

    path: Path
    asked: int
    kept: int
    statuses: dict[str, int]


def collect(
    dataset: str,
    provider: str,
    profile: Profile,
    out: Path | str,
    *,
    retry: bool = False,
    progress: Progress = silent,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Collected:
    """Ask a tool every question, going on from what is stored already, and write its results as JSON lines.

    Args:
        dataset: a dataset of supporting pages, by name or folder.
        provider: ``module:callable`` or ``FILE.py:callable``; called as ``callable(question, timeout=…,
            **options)``, it returns the raw response as bytes or text.
        profile: how it is asked and read.
        out: the folder of the collection.
        retry: ask again what timed out or failed, and what was answered and cannot be read; the latter only
            where the profile reads some other answer, since else it is the profile that is wrong.
        progress: told of every question.
        clock: seconds, for the limit of the rate.
        sleep: waits.

    Raises:
        UsageError: the callable cannot be loaded, or the folder holds another collection.
        DataError: a stored response was changed.
    """
    from beirkit.retrievers.objects import load_object

    questions, folder = questions_of(dataset), Path(out)
    ask = load_object(provider)
    if not callable(ask):
        raise UsageError(f"{provider} cannot be called", hint="it takes the question and returns bytes")
    _lock(folder, _terms(questions, provider, profile))
    places = {query_id: folder / "responses" / _file_name(query_id) for query_id in questions.tasks}
    again = unread(places.values(), profile) if retry else set()
    asked = 0
    ready = clock()
    with progress("asking", len(places), "questions") as advance:
        for query_id, place in places.items():
            known = stored_at(place)
            if known is None or (retry and known.status != "ok") or place in again:
                if (wait := ready - clock()) > 0:
                    sleep(wait)
                ready = clock() + (1 / profile.per_second if profile.per_second else 0)
                _ask(ask, questions.tasks[query_id].query, query_id, place, profile)
                asked += 1
            advance(1)
    told = Told()
    with atomic_open(folder / RESULTS, "wb") as file:
        for place in places.values():
            for line in lines_of(place, profile, folder, told):
                file.write(msgspec.json.encode(line) + b"\n")
    told.say(len(places), folder)
    return Collected(folder / RESULTS, asked, len(places) - asked, dict(sorted(told.statuses.items())))


def _terms(questions: Questions, provider: str, profile: Profile) -> Json:
    """What a collection is of; responses under other terms do not belong into it."""
    return {
        "dataset": questions.name,
        "revision": questions.revision,
        "content_ids": {"queries": questions.content["queries"]},
        "provider": provider,
        "request": profile.request(),
        "url_policy": policy_record(questions.policy),
    }


def _lock(folder: Path, terms: Json) -> None:
    path = folder / LOCK
    terms = msgspec.json.decode(msgspec.json.encode(terms))
    if path.exists():
        try:
            known = msgspec.json.decode(path.read_bytes())["terms"]
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise DataError("is no lock of a collection", path=path) from error
        changed = [key for key in terms if known.get(key) != terms[key]]
        if changed:
            raise UsageError(
                f"is of another collection: {', '.join(changed)} differ",
                path=path,
                hint="choose another folder",
            )
        return
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError("holds other things than a collection", path=folder, hint="choose another folder")
    with atomic_open(path, "wb") as out:
        data = msgspec.json.encode({"beirkit": installed_version(), "terms": terms})
        out.write(msgspec.json.format(data, indent=2) + b"\n")


def _ask(ask: Callable[..., Any], question: str, query_id: str, place: Path, profile: Profile) -> None:
    """Ask one question and store what came, whatever it is."""
    asked, start = datetime.now(UTC).isoformat(timespec="milliseconds"), time.perf_counter()
    status: Status = "ok"
    problem, raw = "", b""
    try:
        answer = ask(question, timeout=profile.timeout, **profile.options)
        if not isinstance(answer, str | bytes | bytearray):
            raise TypeError(f"the callable returned {type(answer).__name__}, not the raw response")
        raw = answer.encode() if isinstance(answer, str) else bytes(answer)
    except TimeoutError:
        status, problem = "timeout", "TimeoutError"
    except Exception as error:  # whatever a tool's own code raises is this question's result
        code = getattr(error, "code", None)
        status, problem = "error", type(error).__name__ + (f" {code}" if isinstance(code, int) else "")
        _log.info("%s: %s: %s", query_id, type(error).__name__, error)
    seconds = round(time.perf_counter() - start, 4)
    place.with_suffix(".json").unlink(missing_ok=True)  # that of an answer before, which goes now
    with atomic_open(place.with_suffix(".raw"), "wb") as out:
        out.write(raw)
    stored = Stored(
        query_id=query_id,
        status=status,
        time=asked,
        seconds=seconds,
        sha256=sha256(raw).hexdigest(),
        problem=problem,
    )
    with atomic_open(place.with_suffix(".json"), "wb") as out:  # last: only now the response counts as stored
        out.write(msgspec.json.encode(stored) + b"\n")


def _file_name(query_id: str) -> str:
    """A file's name for a query: its id where that is one, else its hash."""
    plain = (
        query_id.isascii() and query_id.replace("-", "").replace("_", "").isalnum() and len(query_id) <= 80
    )
    return query_id if plain else sha256(query_id.encode()).hexdigest()
