"""Which split each file of a release is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from beirkit.converters.reading.source import Source
from beirkit.corpora.errors import DataError

_WORDS = {
    "train": "train", "training": "train", "dev": "dev", "development": "dev", "val": "dev", "valid": "dev",
    "validation": "dev", "test": "test",
}  # fmt: skip


def split_files(source: Source, given: Mapping[str, str], *patterns: str, what: str) -> dict[str, str]:
    """The file of each split.

    Args:
        source: where the files are.
        given: the file of each split as the user names it, by name or shell pattern; empty: the words
            ``train``, ``dev`` (or ``val``) and ``test`` in the names tell, and one file alone without such a
            word is ``test``.
        patterns: files that are looked for where none are given, as in :meth:`Source.find`.
        what: what such a file holds, for messages.

    Raises:
        DataError: there is no such file, or the names do not tell which split is which.
    """
    if given:
        return {split: source.only(pattern, what=what) for split, pattern in given.items()}
    names = source.find(*patterns)
    if len(names) < 2:
        name = source.only(*patterns, what=what)
        return {split_of(name) or "test": name}
    found: dict[str, str] = {}
    for name in names:
        split = split_of(name)
        if split is None or split in found:
            problem = f"so is {found[split]}" if split else "its name does not say which"
            hint = f"say it: --set splits.{split or 'test'}={PurePosixPath(name).name}"
            raise DataError(
                f"{name} should be the file of one split, and {problem}", path=source.raw, hint=hint
            )
        found[split] = name
    return found


def split_of(name: str) -> str | None:
    """The split that a file's name speaks of, if it speaks of one."""
    words = re.findall(r"[a-z]+", PurePosixPath(name).name.lower())
    found = {_WORDS[word] for word in words if word in _WORDS}
    return found.pop() if len(found) == 1 else None
