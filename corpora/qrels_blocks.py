"""Judgments of a file in which nothing is odd, many lines at a time; any other file is left to its parser."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes
from beirkit.corpora.findings import Refused
from beirkit.corpora.qrels_lines import parse_grade
from beirkit.corpora.records import Qrels

_BLOCK = 1 << 17  # bytes
# Fields of printable ASCII without quotes, no comment; what could be read in two ways does not match.
_FIELD = rb"[!#-~]++"
_START = rb"(?!#)"
_TREC = re.compile(rb"(?:%b%b +%b +%b +%b *\r?\n)*+" % (_START, _FIELD, _FIELD, _FIELD, _FIELD))
_TABLE = re.compile(rb"(?:%b%b\t%b\t%b\r?\n)*+" % (_START, _FIELD, _FIELD, _FIELD))
_HEADER = re.compile(rb"query-id\tcorpus-id\tscore\r?\n")


def plain_judgments(path: Path) -> Qrels | None:
    """The judgments of TREC's four columns or BEIR's table, as :class:`QrelsParser` reads them.

    Returns:
        ``None`` where the file holds anything that must be told or refused, or is of another form.
    """
    if not path.is_file() or bare_name(path.name).endswith((".json", ".jsonl", ".parquet")):
        return None
    try:
        return _judgments(path)
    except (DataError, Refused):
        return None


def _judgments(path: Path) -> Qrels | None:
    qrels: Qrels = {}
    grades: dict[str, int] = {}
    line, width, total = _TREC, 4, 0
    with open_bytes(path) as stream:
        for number in count():
            block = stream.read(_BLOCK)
            if not block:
                break
            block += stream.readline()
            if not block.endswith(b"\n"):
                block += b"\n"
            if number == 0 and b"\t" in block[: block.index(b"\n")]:
                line, width = _TABLE, 3
                header = _HEADER.match(block)
                block = block[header.end() :] if header else block
            if not line.fullmatch(block):
                return None
            fields = block.decode("ascii").split()
            texts = fields[width - 1 :: width]
            grades |= {text: parse_grade(text) for text in set(texts).difference(grades)}
            total += len(texts)
            last, row = "", {}
            for query_id, doc_id, text in zip(
                fields[::width], fields[width - 2 :: width], texts, strict=True
            ):
                if query_id != last:
                    last, row = query_id, qrels.setdefault(query_id, {})
                row[doc_id] = grades[text]
    return qrels if total == sum(map(len, qrels.values())) else None  # else a pair stands twice
