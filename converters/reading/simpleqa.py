"""The two files of SimpleQA: Google's SimpleQA Verified and OpenAI's original."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from beirkit.converters.reading.readers import read_csv
from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.supporting import Task

VERIFIED = ("original_index", "problem", "answer", "topic", "answer_type", "urls")
ORIGINAL = ("metadata", "problem", "answer")

SPLIT = "split at every comma"
LINES = "each item split at line ends, bullets and white space around it dropped"
ONCE = "each once, in order; unmatched closing parentheses at the end dropped"

_FORMS = {
    "verified": ("Google's SimpleQA Verified", "lexbench-simpleqa-verified"),
    "original": ("OpenAI's SimpleQA", "openai-simpleqa"),
}
"""What each form holds, and the dataset that is made of it."""


def is_original(row: Row) -> bool:
    """Whether a row is of OpenAI's file, whose labels and addresses stand in ``metadata``."""
    return "metadata" in row.cells


def has_original(path: Path) -> bool:
    """Whether a file is OpenAI's, by its first row."""
    first = next(read_csv(path), None)
    return first is not None and is_original(first)


def require_form(wanted: str, raw: Path, path: Path | None) -> None:
    """Refuse a source that another dataset is made of.

    Args:
        wanted: ``verified``, ``original``, or ``any``.
        raw: the source.
        path: its questions; None: it is a release.

    Raises:
        UsageError: names the other dataset.
    """
    found = "original" if path is not None and has_original(path) else "verified"
    if wanted not in ("any", found):
        holds, name = _FORMS[found]
        raise UsageError(
            f"holds {holds}, not {_FORMS[wanted][0]}",
            path=raw,
            hint=f"convert it with: beirkit convert {name} {shlex.quote(str(raw))}",
        )


def read_simpleqa(path: Path, longest: int) -> Iterator[Task]:
    """The questions of either file, in its order.

    Args:
        path: the CSV file.
        longest: most code points of a question; 0: any length.

    Raises:
        DataError: a column is missing, or the metadata of a row cannot be read; with path and line.
    """
    digest = sha256_file(path)
    for number, row in enumerate(read_csv(path)):
        question = row.text("problem")
        if longest and len(question) > longest:
            continue
        read = _original if is_original(row) else _verified
        prefix, dataset, index, labels, urls, split = read(row, number)
        yield Task(
            id=f"{prefix}-{index}",
            query=question,
            reference_answer=row.text("answer"),
            reference_urls=list(dict.fromkeys(without_unmatched(url) for url in urls)),
            topic=labels[0],
            answer_type=labels[1],
            provenance={"dataset": dataset, "original_index": index, "sha256": digest},
            derivation={"selection": selection(longest), "reference_urls": f"{split}; {ONCE}"},
        )


def selection(longest: int) -> str:
    """The rule by which questions are chosen, in words."""
    return f"questions of at most {longest} Unicode code points" if longest else "every question"


def steps(path: Path, longest: int) -> dict[str, str]:
    """What is done to a file of either form, in words."""
    split = LINES if has_original(path) else SPLIT
    return {"selection": selection(longest), "reference_urls": f"{split}; {ONCE}"}


def without_unmatched(url: str) -> str:
    """An address without closing parentheses at its end that nothing opens."""
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1]
    return url


_Read = tuple[str, str, int, tuple[str, str], list[str], str]


def _verified(row: Row, number: int) -> _Read:
    index = row.text("original_index")
    if not index.isdecimal():
        raise row.error(f"original_index is {index!r}, not a whole number")
    urls = [url for url in row.text("urls").split(",") if url]
    labels = row.text("topic"), row.text("answer_type")
    return "sqv", "google/simpleqa-verified", int(index), labels, urls, SPLIT


def _original(row: Row, number: int) -> _Read:
    try:
        metadata: Any = ast.literal_eval(row.text("metadata"))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise row.error("metadata is not a Python literal", "OpenAI's file has {'topic': …} there") from error
    if not isinstance(metadata, dict) or not isinstance(metadata.get("urls"), list):
        raise row.error("metadata has no list of urls")
    items = [row.as_text("metadata", item) for item in metadata["urls"]]
    urls = [url for item in items for line in item.splitlines() if (url := line.strip().lstrip("-•* "))]
    labels = str(metadata.get("topic", "")), str(metadata.get("answer_type", ""))
    return "sqa", "openai/simple-evals", number, labels, urls, LINES
