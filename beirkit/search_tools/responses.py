"""Stored responses of a search tool: what is known of each, and how its profile reads it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.load import read_config
from beirkit.corpora.errors import ConfigError, DataError
from beirkit.corpora.provider_results import Status
from beirkit.corpora.supporting import Json

_NO_JSON = "is not JSON"

_log = logging.getLogger(__name__)

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


class Told:
    """What is said once of all questions, and not of each.

    Attributes:
        statuses: questions by status.
        failed: questions that were not answered, by cause.
        unread: answers that cannot be read, by cause, each with the first of them.
    """

    def __init__(self) -> None:
        self.statuses = Counter[str]()
        self.failed = Counter[str]()
        self.unread = Counter[str]()
        self._first: dict[str, Path] = {}

    def cannot_read(self, cause: str, raw: Path) -> None:
        """Count an answer."""
        self.unread[cause] += 1
        self._first.setdefault(cause, raw)

    def say(self, questions: int, folder: Path) -> None:
        """Warn of what failed, with the commonest cause."""
        if self.failed:
            cause, count = self.failed.most_common(1)[0]
            _log.warning(
                "%s: %d of %d questions were not answered, most often by %s (%d); --retry asks them again",
                folder, self.failed.total(), questions, cause, count,
            )  # fmt: skip
        if self.unread:
            cause, count = self.unread.most_common(1)[0]
            hint = "--retry asks them again"
            if cause != _NO_JSON and not (self.statuses["ok"] or self.statuses["empty"]):
                hint = "no answer can be read: correct `results` or `fields` in the profile; none is lost"
            _log.warning(
                "%s: %d answers cannot be read and count as errors; most often one %s (%d, first %s); %s",
                folder, self.unread.total(), cause, count, self._first[cause], hint,
            )  # fmt: skip


def stored_at(place: Path) -> Stored | None:
    """What is known of the response at a place (a path without a suffix); None: it was not asked for.

    Raises:
        DataError: the record is damaged.
    """
    path = place.with_suffix(".json")
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Stored)
    except msgspec.DecodeError as error:
        raise DataError(
            f"is no record of a response: {error}", path=path, hint="delete it to ask again"
        ) from error


def unread(places: Iterable[Path], profile: Profile) -> set[Path]:
    """Answers to ask for again: those that are no JSON, and those of another shape than some other answer.

    Raises:
        DataError: a stored answer was changed, or is not there.
    """
    no_json, other_shape, readable = set[Path](), set[Path](), False
    for place in places:
        stored = stored_at(place)
        if stored is None or stored.status != "ok":
            continue
        try:
            _parsed(_answer(place, stored), profile)
        except _NoJsonError:
            no_json.add(place)
        except DataError:
            other_shape.add(place)
        else:
            readable = True
    return no_json | other_shape if readable else no_json


def lines_of(place: Path, profile: Profile, folder: Path, told: Told) -> Iterator[Json]:
    """The lines of one question's results.

    Args:
        place: of its response, which is there.
        profile: how it is read.
        folder: of the collection.
        told: counts it.

    Raises:
        DataError: the stored answer was changed, or is not there.
    """
    stored = stored_at(place)
    assert stored is not None  # every question was asked
    raw, data = place.with_suffix(".raw"), _answer(place, stored)
    base = {
        "query_id": stored.query_id,
        "status": stored.status,
        "time": stored.time,
        "seconds": stored.seconds,
    }
    base |= {"evidence": raw.relative_to(folder).as_posix(), "sha256": stored.sha256}
    found: list[Json] = []
    if stored.status != "ok":
        told.failed[stored.problem or stored.status] += 1
    else:
        try:
            found = _parsed(data, profile)
        except DataError as error:
            told.cannot_read(error.found, raw)
            base["status"] = "error"
        else:
            base["status"] = "ok" if found else "empty"
    told.statuses[str(base["status"])] += 1
    yield from ({**base, "rank": rank, **result} for rank, result in enumerate(found, 1)) if found else [base]


def _answer(place: Path, stored: Stored) -> bytes:
    """The bytes that the tool returned.

    Raises:
        DataError: they were changed, or are not there.
    """
    raw = place.with_suffix(".raw")
    try:
        data = raw.read_bytes()
    except FileNotFoundError:
        data = None
    if data is None or sha256(data).hexdigest() != stored.sha256:
        found = "is not there" if data is None else "is not what the tool returned: its SHA-256 differs"
        hint = f"delete {place.with_suffix('.json')} to ask again"
        raise DataError(found, path=raw, hint=hint)
    return data


class _NoJsonError(DataError):
    """An answer is no JSON, whatever the profile says."""


def _parsed(data: bytes, profile: Profile) -> list[Json]:
    """The results in a raw response.

    Raises:
        DataError: it is not JSON, or has no list of objects with an address where the profile says.
    """
    try:
        value: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _NoJsonError(_NO_JSON) from error
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
