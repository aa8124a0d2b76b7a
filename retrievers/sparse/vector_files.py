r"""Files of term weights, as other tools have them; plain or compressed, one file or a folder of them.

- JSON lines such as ``{"id": "d1", "contents": "...", "vector": {"owl": 3.1}}``: Anserini's and Pyserini's
  ``JsonVectorCollection``, and what SPLADE's own scripts write. Only the id (``id``, ``_id`` or a name that
  another format has for it) and ``vector`` are looked at.
- ``q1\towl owl hunt`` (files that end in ``.tsv`` or ``.txt``, queries alone): pseudo-text, in which a term
  of weight 2 stands twice, as topics of impact indexes are.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import lines, sha256_file
from beirkit.corpora.ids import id_problem
from beirkit.corpora.json_keys import OTHER_IDS, repeated_key
from beirkit.retrievers.dense.encoder import Role

_GREATEST = float(np.finfo(np.float32).max)
_BEYOND = 2.0**128 - 2.0**103  # and more is infinite as float32; less is rounded to the greatest number
_IDS = ("id", "_id", *OTHER_IDS[1:])
_TABLES, _LINES = (".tsv", ".txt"), (".jsonl", ".json")
_COMPRESSED = (".gz", ".bz2", ".zst")
_MOST_SHOWN = 60


@dataclass(frozen=True)
class TermVector:
    """One text as weighted terms.

    Attributes:
        key: id of the document or query.
        weights: weight of each term, finite as float32, in the file's order.
        path: the file.
        line: where it stands, from 1.
    """

    key: str
    weights: Mapping[str, float]
    path: Path
    line: int


def vector_files(place: Path, role: Role) -> list[Path]:
    """The files of one role: the one that is named, or those of a folder, by name.

    Raises:
        UsageError: there is no such place, or no file of these forms in the folder.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        dense = place.with_suffix(".npy")  # as `beirkit encode` writes them of a dense retriever
        hint = f"{dense.name} beside it holds dense vectors, and these are weights of terms"
        raise UsageError(
            "there is no such file or folder of vectors", path=place, hint=hint if dense.is_file() else ""
        )
    ends = _LINES if role == "document" else (*_LINES, *_TABLES)
    found = sorted(p for p in place.iterdir() if p.is_file() and p.name[0] != "." and _end(p) in ends)
    if not found:
        raise UsageError(f"no file in this folder ends in {', '.join(ends)}", path=place)
    return found


def vectors_sha256(place: Path, role: Role) -> str:
    """SHA-256 of the file, or of the hashes of several; their names do not count."""
    found = [sha256_file(path) for path in vector_files(place, role)]
    return found[0] if len(found) == 1 else hashlib.sha256("".join(found).encode()).hexdigest()


def read_vectors(place: Path, role: Role) -> Iterator[TermVector]:
    """Every vector, each id once, file by file in their order.

    Raises:
        UsageError: there is no such place.
        DataError: a line cannot be read, an id stands twice, or a weight is no finite number.
    """
    seen: dict[str, tuple[int, int]] = {}
    files = vector_files(place, role)
    for number, path in enumerate(files):
        table = _end(path) in _TABLES
        if table and role == "document":
            raise DataError("is a table, in which documents are not read", path=path, hint="write JSON lines")
        for line, text in lines(path):
            if not text.strip():
                continue
            try:
                key, weights = _table_row(text) if table else _json_line(text)
            except DataError as error:
                raise DataError(error.found, path=path, line=line, hint=error.hint) from error
            first = seen.setdefault(key, (number, line))
            if first != (number, line):
                where = f"line {first[1]}" if first[0] == number else f"{files[first[0]].name}:{first[1]}"
                raise DataError(f"the vector of {key!r} stands at {where} already", path=path, line=line)
            yield TermVector(key, weights, path, line)


def _end(path: Path) -> str:
    """The ending of a name that says what is in the file."""
    bare = path.with_suffix("") if path.suffix in _COMPRESSED else path
    return bare.suffix


def _table_row(text: str) -> tuple[str, Mapping[str, float]]:
    key, tab, terms = text.partition("\t")
    if not tab or "\t" in terms:
        raise DataError(
            f"has {text.count(chr(9)) + 1} columns, not 2",
            hint="write the id, a tab, and the terms of a query",
        )
    if terms.startswith(('{"', "[")):
        raise DataError("has JSON behind the tab", hint="write JSON lines with the keys id and vector")
    _require_id(key)
    return key, Counter(terms.split())


def _json_line(text: str) -> tuple[str, Mapping[str, float]]:
    line = text.encode("utf-8")
    try:
        fields = msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise _no_json(text, error) from error
    if not isinstance(fields, dict):
        raise DataError("is not a JSON object", hint="each line holds one, with the keys id and vector")
    key, weights = _key(fields), fields.get("vector")
    if not isinstance(weights, dict):
        raise _no_vector(fields)
    if twice := repeated_key(line):
        raise DataError(f"the key {twice!r} stands twice in one object")
    if not set(map(type, weights.values())) <= {int, float} or not _finite(weights):
        raise _bad_weight(weights)
    if any(abs(weight) > _GREATEST for weight in weights.values()):
        weights = {term: max(-_GREATEST, min(weight, _GREATEST)) for term, weight in weights.items()}
    return key, weights


def _key(fields: Mapping[str, Any]) -> str:
    found = {name: fields[name] for name in _IDS if name in fields}
    if not found:
        keys = ", ".join(map(repr, fields)) or "none"
        raise DataError(f"has no id; its keys: {keys}", hint="every vector needs one, under the key id")
    if len(set(map(repr, found.values()))) > 1:
        told = ", ".join(f"{name} {value!r}" for name, value in found.items())
        raise DataError(f"has two ids: {told}", hint="leave one of them")
    value = next(iter(found.values()))
    if type(value) not in (str, int):
        raise DataError(f"its id is {_shown(value)}, neither a string nor an integer")
    _require_id(str(value))
    return str(value)


def _require_id(key: str) -> None:
    if problem := id_problem(key):
        raise DataError(f"id {key!r} {problem}")


def _finite(weights: Mapping[str, float]) -> bool:
    return all(abs(weight) < _BEYOND for weight in weights.values())


def _no_vector(fields: Mapping[str, Any]) -> DataError:
    vector = fields.get("vector")
    if isinstance(vector, list):
        return DataError(
            "its vector is a list, that of a dense model",
            hint="term weights are an object of terms and numbers",
        )
    if "vector" in fields:
        return DataError(f"its vector is {_shown(vector)}, no object of terms and numbers")
    keys = ", ".join(map(repr, fields)) or "none"
    return DataError(f"has no vector; its keys: {keys}", hint='write "vector": {"term": 1.5}, or {} for none')


def _bad_weight(weights: Mapping[str, Any]) -> DataError:
    for term, weight in weights.items():
        if type(weight) not in (int, float):
            return DataError(f"the weight of {term!r} is {_shown(weight)}, no number")
        if not abs(weight) < _BEYOND:
            return DataError(f"the weight of {term!r} is {weight}, beyond what float32 holds")
    raise AssertionError("every weight is sound")


def _no_json(text: str, error: Exception) -> DataError:
    """What is wrong with a line; NaN and infinity, which Python writes and JSON lacks, are named."""
    try:
        vector = json.loads(text).get("vector")
        odd = next((term, weight) for term, weight in vector.items() if weight - weight != 0)
    except (ValueError, TypeError, AttributeError, StopIteration, RecursionError):
        return DataError(f"is not JSON: {error}", hint="the line is damaged or cut")
    return DataError(f"the weight of {odd[0]!r} is {odd[1]}", hint="weights are finite numbers")


def _shown(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:_MOST_SHOWN]
