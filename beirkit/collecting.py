"""Asking a search tool every question of a dataset: raw responses are stored before they are read."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.load import read_config
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.manifest import installed_version
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.provider_results import Status
from beirkit.corpora.supporting import Json, policy_record
from beirkit.providers import Questions, questions_of

_log = logging.getLogger(__name__)

LOCK = "collection.json"
RESULTS = "results.jsonl"

_FIELDS = {"url": "url", "title": "title", "snippet": "snippet", "text": "text"}


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a tool is asked, and where in its JSON the results stand (a YAML file).

    Attributes:
        name: of the tool.
        options: keyword arguments of the callable, beside ``timeout``.
        per_second: most questions asked in a second; 0: no limit.
        timeout: seconds after which the callable should give up with ``TimeoutError``.
        results: where the list stands, such as ``web.results``; empty: the response is the list.
        fields: the tool's names of ``url``, ``title``, ``snippet`` and ``text``.
    """

    name: str
    options: dict[str, Any] = {}
    per_second: float = 1.0
    timeout: float = 30.0
    results: str = "results"
    fields: dict[str, str] = {}

    def request(self) -> Json:
        """What a response depends on; how it is read may change without asking again.

        Options may hold a key to the tool, so their values stand in no file but as a hash.
        """
        digest = sha256(msgspec.json.encode(self.options, order="deterministic")).hexdigest()
        return {
            "name": self.name,
            "options": sorted(self.options),
            "options_sha256": digest,
            "timeout": self.timeout,
        }


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one raw response, beside its bytes.

    Attributes:
        query_id: the question.
        status: ``ok``: there are bytes; ``timeout`` or ``error``: there are none.
        time: when it was asked, ISO 8601.
        seconds: how long it took.
        sha256: of the bytes.
        problem: the kind of error that the callable raised, without its message, which may hold a key.
    """

    query_id: str
    status: Status
    time: str
    seconds: float
    sha256: str = ""
    problem: str = ""


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


def read_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        ConfigError: it cannot be read, or has an unknown key or a wrong type; with file and key path.
    """
    profile = read_config(path, Profile)
    if unknown := set(profile.fields) - set(_FIELDS):
        raise ConfigError(
            f"`fields` has {min(unknown)!r}", path=path, hint=f"it may have: {', '.join(_FIELDS)}"
        )
    if profile.per_second < 0 or profile.timeout <= 0:
        raise ConfigError("`per_second` is 0 or more and `timeout` more than 0", path=path)
    return profile


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
        retry: ask again what timed out or failed.
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
    asked = 0
    ready = clock()
    with progress("asking", len(places), "questions") as advance:
        for query_id, place in places.items():
            known = _stored(place)
            if known is None or (retry and known.status != "ok"):
                if (wait := ready - clock()) > 0:
                    sleep(wait)
                ready = clock() + (1 / profile.per_second if profile.per_second else 0)
                _ask(ask, questions.tasks[query_id].query, query_id, place, profile)
                asked += 1
            advance(1)
    statuses = Counter[str]()
    with atomic_open(folder / RESULTS, "wb") as file:
        for place in places.values():
            for line in _lines(place, profile, folder, statuses):
                file.write(msgspec.json.encode(line) + b"\n")
    return Collected(folder / RESULTS, asked, len(places) - asked, dict(sorted(statuses.items())))


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


def _stored(place: Path) -> Stored | None:
    path = place.with_suffix(".json")
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Stored)
    except msgspec.DecodeError as error:
        raise DataError(
            f"is no record of a response: {error}", path=path, hint="delete it to ask again"
        ) from error


def _lines(place: Path, profile: Profile, folder: Path, statuses: Counter[str]) -> Iterator[Json]:
    """The lines of one question's results."""
    stored = _stored(place)
    assert stored is not None  # every question was asked
    raw = place.with_suffix(".raw")
    data = raw.read_bytes()
    if sha256(data).hexdigest() != stored.sha256:
        raise DataError(
            "is not what the tool returned: its SHA-256 differs", path=raw, hint="delete its .json"
        )
    base = {
        "query_id": stored.query_id,
        "status": stored.status,
        "time": stored.time,
        "seconds": stored.seconds,
    }
    base |= {"evidence": raw.relative_to(folder).as_posix(), "sha256": stored.sha256}
    found: list[Json] = []
    if stored.status == "ok":
        try:
            found = _parsed(data, profile)
        except DataError as error:
            _log.warning("%s: %s; it counts as an error, and nothing was lost", raw, error)
            base["status"] = "error"
        else:
            base["status"] = "ok" if found else "empty"
    statuses[str(base["status"])] += 1
    yield from ({**base, "rank": rank, **result} for rank, result in enumerate(found, 1)) if found else [base]


def _parsed(data: bytes, profile: Profile) -> list[Json]:
    """The results in a raw response.

    Raises:
        DataError: it is not JSON, or has no list of objects with an address where the profile says.
    """
    try:
        value: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DataError(f"is not JSON: {error}") from error
    for key in profile.results.split(".") if profile.results else ():
        if not isinstance(value, dict) or key not in value:
            raise DataError(f"has no {profile.results!r}, where the results should be")
        value = value[key]
    if not isinstance(value, list):
        raise DataError(f"has no list at {profile.results!r}")
    names = {**_FIELDS, **profile.fields}
    found = []
    for item in value:
        if not isinstance(item, dict) or not isinstance(item.get(names["url"]), str):
            raise DataError(f"has a result without {names['url']!r}")
        found.append(
            {ours: item[theirs] for ours, theirs in names.items() if isinstance(item.get(theirs), str)}
        )
    return found


def _file_name(query_id: str) -> str:
    """A file's name for a query: its id where that is one, else its hash."""
    plain = (
        query_id.isascii() and query_id.replace("-", "").replace("_", "").isalnum() and len(query_id) <= 80
    )
    return query_id if plain else sha256(query_id.encode()).hexdigest()
