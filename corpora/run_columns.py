"""Gathers the lines of a run file into columns, whole blocks at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import LONE_CR
from beirkit.corpora.ids import id_problem
from beirkit.corpora.packed_ids import PackedIds
from beirkit.corpora.run import LENIENT, Run, any_repeated
from beirkit.corpora.run_blocks import plain_block

_BOM = b"\xef\xbb\xbf"
_FIELDS = 6


class _ListLine(msgspec.Struct):
    query_id: str
    results: list[tuple[str, float]]
    tag: str = "beirkit"


class RunColumns:
    """Results in the order of a file, as ordinals of queries and documents and a score each.

    Blocks of plain lines are taken apart as a whole, without a text for any field
    (:mod:`beirkit.corpora.run_blocks`). From the first block that is not plain on, a block whose lines all
    have six fields is split as one text, which is still several times faster than line by line; only one
    with a blank, long or damaged line is looked at line by line.

    Args:
        path: the file, for messages.
        lenient_scores: take NaN and infinite scores.
        lines: lines of the file before those that are added.

    Attributes:
        lines: lines of the file so far.
        results: how many were added.
        long_lines: lines with text after the tag.
        copies: results dropped by :meth:`run`, as ``query/document``.
    """

    def __init__(self, path: Path, *, lenient_scores: bool = False, lines: int = 0) -> None:
        self.lines = lines
        self.results = 0
        self.long_lines = 0
        self._lenient = lenient_scores
        self.copies: list[str] = []
        self._path = path
        self._plain = True  # whether all documents so far are in _keys
        self._prefix: bytes | None = None
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._tag: bytes | None = None
        self._query_places: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._doc_places: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._queries: list[npt.NDArray[np.int32]] = []
        self._docs: list[npt.NDArray[np.int32]] = []
        self._scores: list[npt.NDArray[np.float64]] = []

    def add_block(self, block: bytes) -> None:
        """Add whole lines of TREC columns.

        Raises:
            DataError: a line has too few fields, or a score is no finite number.
        """
        if self.lines == 0:
            block = block.removeprefix(_BOM)
        if self._plain and self._add_plain(block):
            return
        self._settle()
        n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
        fields = block.split()
        if not _uniform(block, n_lines, len(fields)) or not self._add(fields):
            self._add(self._checked(block))
        self.lines += n_lines

    def add_json_line(self, number: int, line: bytes) -> None:
        """Add one line of the JSON form.

        Raises:
            DataError: the line is not of that form.
        """
        self.lines = number
        self._settle()
        if not line.strip():
            return
        try:
            row = msgspec.json.decode(line, type=_ListLine)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            odd = b"NaN" in line or b"Infinity" in line
            todo = f"JSON has no such number; write it as TREC or in a .json, and {LENIENT}" if odd else ""
            raise self._error(number, f"is no list of results: {error}", todo) from error
        if self._tag is None:
            self._tag = row.tag.encode()
        query = self._query_places[row.query_id.encode()]
        docs = [self._doc_places[doc_id.encode()] for doc_id, _ in row.results]
        self._queries.append(np.full(len(docs), query, dtype=np.int32))
        self._docs.append(np.array(docs, dtype=np.int32))
        self._scores.append(np.array([score for _, score in row.results], dtype=np.float64))

    def add_rows(self, query_ids: Sequence[Any], doc_ids: Sequence[Any], scores: Sequence[Any]) -> None:
        """Add rows of a table, numbered on from those added before; an integer id is its decimal text.

        Raises:
            DataError: an id is not a string, or a score is no finite number; with the row.
        """
        self._settle()
        for query_id, doc_id, score in zip(query_ids, doc_ids, scores, strict=True):
            self.lines += 1
            where = f"row {self.lines}:"
            for what, value in (("query", query_id), ("document", doc_id)):
                if not isinstance(value, str | int) or isinstance(value, bool):
                    raise self._error(None, f"{where} the {what} id is {value!r}, not a string")
            if isinstance(score, bool) or not isinstance(score, int | float):
                raise self._error(None, f"{where} the score of {query_id}/{doc_id} is {score!r}, no number")
            if score - score != 0 and not self._lenient:
                found = f"{where} the score of {query_id}/{doc_id} is {score}, not finite"
                raise self._error(None, found, LENIENT)
        queries = [self._query_places[str(query_id).encode()] for query_id in query_ids]
        docs = [self._doc_places[str(doc_id).encode()] for doc_id in doc_ids]
        self._queries.append(np.array(queries, dtype=np.int32))
        self._docs.append(np.array(docs, dtype=np.int32))
        self._scores.append(np.array(scores, dtype=np.float64))

    def run(self, *, strict: bool) -> Run:
        """The run of everything added: queries in order of appearance, each list in file order.

        Args:
            strict: refuse a document that stands twice in one list.

        Raises:
            DataError: an id is not UTF-8, empty or holds a control character; if strict, also a document
                that stands twice.
        """
        query_ids = self._texts(self._query_places, "query")
        doc_ids, docs = self._documents()
        queries = _joined(self._queries, np.int32)
        scores = _joined(self._scores, np.float64)
        if len(queries) and (np.diff(queries) < 0).any():  # the lists of several queries are mixed
            order = np.argsort(queries, kind="stable")
            queries, docs, scores = queries[order], docs[order], scores[order]
        offsets = np.zeros(len(query_ids) + 1, dtype=np.int64)
        np.cumsum(np.bincount(queries, minlength=len(query_ids)), out=offsets[1:])
        if any_repeated(docs, offsets):
            pairs = queries.astype(np.int64) * len(doc_ids) + docs
            keep = _best_of_each(pairs, scores)
            self.copies = [
                f"{query_ids[q]}/{doc_ids[d]}"
                for q, d in zip(queries[~keep].tolist(), docs[~keep].tolist(), strict=True)
            ]
            if strict:
                raise DataError(
                    f"{len(self.copies)} results stand twice in a list (e.g. {', '.join(self.copies[:3])})",
                    path=self._path,
                )
            queries, docs, scores = queries[keep], docs[keep], scores[keep]
            np.cumsum(np.bincount(queries, minlength=len(query_ids)), out=offsets[1:])
        tag = (self._tag or b"").decode("utf-8", "replace")
        return Run(
            query_ids,
            doc_ids,
            offsets,
            docs,
            scores,
            tag or "beirkit",
            source=str(self._path),
            duplicates=len(self.copies),
            distinct=True,
        )

    def _add_plain(self, block: bytes) -> bool:
        """Add a block if all its lines are plain."""
        found = plain_block(block, self._prefix)
        if found is None:
            return False
        columns, self._prefix = found
        if self._tag is None:
            self._tag = columns.tag
        queries = [self._query_places[query_id] for query_id in columns.query_ids]
        self._queries.append(np.repeat(np.array(queries, dtype=np.int32), columns.lengths))
        self._keys.append(columns.keys)
        self._scores.append(columns.scores)
        self.results += len(columns.scores)
        self.lines += len(columns.scores)
        return True

    def _settle(self) -> None:
        """Go on with texts as ids; those of the plain blocks are made now."""
        self._plain = False
        for keys in self._keys:
            texts = PackedIds(self._prefix or b"", keys)[:]
            docs = [self._doc_places[text.encode()] for text in texts]
            self._docs.append(np.array(docs, dtype=np.int32))
        self._keys.clear()

    def _documents(self) -> tuple[Sequence[str], npt.NDArray[np.int32]]:
        """Every document id, and the ordinal of that of each result."""
        if not self._keys:
            return self._texts(self._doc_places, "document"), _joined(self._docs, np.int32)
        keys = np.concatenate(self._keys)
        self._keys.clear()
        distinct, docs = np.unique(keys, return_inverse=True)
        return PackedIds(self._prefix or b"", distinct), docs.astype(np.int32)

    def _add(self, fields: list[bytes]) -> bool:
        """Add fields that come six by six; False where a score among them is no finite number."""
        texts = fields[4::_FIELDS]
        n_lines = len(texts)
        try:
            scores = np.fromiter(map(float, texts), np.float64, n_lines)
        except ValueError:
            return False
        odd = not self._lenient and not np.isfinite(scores).all()
        if odd or b"_" in b"".join(texts):  # Python reads 1_0 as 10
            return False
        if self._tag is None and fields:
            self._tag = fields[5]
        self._scores.append(scores)
        self.results += n_lines
        for places, column, first in (
            (self._query_places, self._queries, 0),
            (self._doc_places, self._docs, 2),
        ):
            column.append(np.fromiter(map(places.__getitem__, fields[first::_FIELDS]), np.int32, n_lines))
        return True

    def _checked(self, block: bytes) -> list[bytes]:
        """The first six fields of every line that is not blank, each line looked at by itself."""
        good: list[bytes] = []
        for number, line in enumerate(block.split(b"\n"), self.lines + 1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) != _FIELDS and b"\r" in line.rstrip():
                raise self._error(number, LONE_CR, "convert the line ends to LF")
            if len(fields) < _FIELDS:
                raise self._error(
                    number, f"has {len(fields)} fields, a run has 6", _other_form(number, fields)
                )
            if len(fields) > _FIELDS:
                self._require_rank(number, fields)
                self.long_lines += 1
            score = _number(fields[4])
            if score is None or (score - score != 0 and not self._lenient):
                shown = fields[4].decode("utf-8", "replace")
                pair = b"/".join((fields[0], fields[2])).decode("utf-8", "replace")
                todo = "" if score is None else LENIENT
                raise self._error(number, f"the score of {pair} is {shown!r}, not a finite number", todo)
            good += fields[:_FIELDS]
        return good

    def _require_rank(self, number: int, fields: list[bytes]) -> None:
        """Refuse a long line whose rank is none: its fields have moved, and another stands for the score.

        The rank is not used, so that of a line of six fields may be anything. Where the last three fields may
        be rank, score and tag too, the line can be read in two ways.
        """
        rank = fields[3]
        if not _is_whole(rank):
            raise self._error(
                number,
                f"has {len(fields)} fields and its rank {_shown(rank)} is no whole number: "
                "does an id hold a blank?",
                "ids with blanks need the form run.jsonl",
            )
        if _is_whole(fields[-3]) and _number(fields[-2]) is not None:
            first, last = (_shown(b" ".join(part)) for part in (fields[2:3], fields[2:-3]))
            raise self._error(
                number,
                f"has {len(fields)} fields and can be read in two ways: document {first} with the score "
                f"{_shown(fields[4])}, or an id with a blank, as {last}, with the score {_shown(fields[-2])}",
                "ids with blanks need the form run.jsonl; text after the tag may not end like a result",
            )

    def _texts(self, places: dict[bytes, int], what: str) -> list[str]:
        if quick := _all_at_once(places):
            return quick
        texts: list[str] = []
        for raw in places:
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError:
                raise self._error(
                    self._find(raw), f"{what} id {_shown(raw)} is not UTF-8", "save the run as UTF-8"
                ) from None
            problem = "" if text and text.isprintable() else id_problem(text)
            if problem:
                raise self._error(self._find(raw), f"{what} id {text!r} {problem}")
            texts.append(text)
        return texts

    def _find(self, raw: bytes) -> int | None:
        from beirkit.corpora.files import byte_lines

        return next((number for number, line in byte_lines(self._path) if raw in line.split()), None)

    def _error(self, line: int | None, found: str, todo: str = "") -> DataError:
        return DataError(found, path=self._path, line=line, hint=todo)


def _is_whole(field: bytes) -> bool:
    return field.removeprefix(b"-").isdigit()


def _shown(raw: bytes) -> str:
    """A field between quotes; bytes that are no UTF-8 in backslashed hexadecimals."""
    return "'" + raw.decode("utf-8", "backslashreplace") + "'"


def _all_at_once(places: Collection[bytes]) -> list[str]:
    """The ids as texts if every one is fit, else nothing: one look at all of them instead of one at each."""
    try:
        texts = b"\n".join(places).decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return []
    return texts if len(texts) == len(places) and all(texts) and "".join(texts).isprintable() else []


def _uniform(block: bytes, n_lines: int, n_fields: int) -> bool:
    """Whether every line of a block has exactly six fields."""
    if n_fields != n_lines * _FIELDS:
        return False
    data = np.frombuffer(block, dtype=np.uint8)
    blank = data <= ord(" ")  # the other control characters are no blanks, but then the counts differ
    starts = np.flatnonzero(~blank[1:] & blank[:-1]) + 1  # of every field but one at the very start
    if not blank[0]:
        starts = np.concatenate(([0], starts))
    if len(starts) != n_fields:
        return False
    ends = np.flatnonzero(data == ord("\n"))[: n_lines - 1]
    firsts = starts[_FIELDS::_FIELDS]  # of every line but the first, if all have six fields
    lasts = starts[_FIELDS - 1 : -1 : _FIELDS]
    return bool((lasts < ends).all() and (ends < firsts).all())


def _other_form(number: int, fields: list[bytes]) -> str:
    """What a line of too few fields may be instead of a result."""
    hint = "query Q0 document rank score tag"
    if len(fields) == 1 and b"," in fields[0]:
        return f"{hint}; are they separated by commas?"
    if number == 1 and len(fields) in (3, 4):
        return f"{hint}; this looks like judgments, which come after the run"
    return hint


def _number(text: bytes) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if b"_" in text else value


def _best_of_each(pairs: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Where the best score of each pair stands, the first of equal ones."""
    order = np.lexsort((-scores, pairs))
    first = np.ones(len(pairs), dtype=bool)
    first[1:] = pairs[order][1:] != pairs[order][:-1]
    keep = np.zeros(len(pairs), dtype=bool)
    keep[order[first]] = True
    return keep


def _joined(parts: Sequence[npt.NDArray[Any]], dtype: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)
