"""Copies of reference pages: where they may be, and which of the captured pages are some."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from beirkit.configs.mirrors import MirrorGroup, load_mirrors
from beirkit.corpora.equivalence import EquivalenceRule, Page, candidates, find_copies
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open, byte_lines
from beirkit.corpora.supporting import EquivalentCopy
from beirkit.corpora.urls import UrlPolicy, document_url
from beirkit.search_tools.providers import questions_of

_log = logging.getLogger(__name__)


def candidate_urls(dataset: str, mirrors: list[MirrorGroup] | None = None) -> Iterator[tuple[str, str]]:
    """Each reference of a dataset with each address at which a copy of it may be, to be captured.

    Args:
        dataset: a dataset of supporting pages, by name or folder.
        mirrors: groups of templates; ``None``: the shipped ones.
    """
    groups = [group.templates for group in mirrors or load_mirrors()]
    for task in questions_of(dataset).tasks.values():
        for url in task.reference_urls:
            yield from ((url, made) for made in candidates(url, groups))


def verify_copies(
    dataset: str,
    pages: Path,
    out: Path,
    *,
    rule: EquivalenceRule | None = None,
    mirrors: list[MirrorGroup] | None = None,
) -> list[EquivalentCopy]:
    """Write the copies among captured pages as JSON lines, as the format ``lexbench`` takes them.

    Args:
        dataset: a dataset of supporting pages, by name or folder.
        pages: JSON lines of captured pages: ``url``, ``title``, ``text``, ``observed``, ``status``.
        out: the file to write.
        rule: when a page is a copy.
        mirrors: groups of templates; ``None``: the shipped ones.

    Raises:
        DataError: a line of ``pages`` is damaged, or has no day on which it was read.
    """
    questions = questions_of(dataset)
    captured = read_pages(pages, questions.policy)
    groups = [group.templates for group in mirrors or load_mirrors()]
    found = list(find_copies(questions.tasks.values(), captured, groups, rule, questions.policy))
    with atomic_open(out, "wb") as file:
        for copy in found:
            file.write(msgspec.json.encode(copy) + b"\n")
    return found


def read_pages(path: Path, policy: UrlPolicy) -> dict[str, Page]:
    """Captured pages by canonical address, the first of each.

    Raises:
        DataError: a line is damaged, or a page with a text has no day on which it was read.
    """
    found: dict[str, Page] = {}
    statuses = Counter[str]()
    for number, line in byte_lines(path):
        if not line.strip():
            continue
        try:
            page = msgspec.json.decode(line, type=Page)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DataError(f"is no captured page: {error}", path=path, line=number) from error
        if page.text and not page.observed:
            hint = 'a copy tells when it was seen: "observed": "2026-01-31"'
            raise DataError("has no day on which it was read", path=path, line=number, hint=hint)
        statuses[page.status] += 1
        found.setdefault(document_url(page.url, policy).canonical, page)
    if failed := statuses.total() - statuses["ok"]:
        _log.warning("%s: %d pages were not read and prove nothing", path, failed)
    return found
