"""Splits that were drawn by chance and cannot be computed again: taken from qrels files of the user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Judgment


class GivenSplits:
    """Which split a query belongs to, as the qrels files of a published folder say.

    Args:
        folder: holds one file per split, such as ``train.tsv``, ``dev.tsv`` and ``test.tsv``, in any form
            that judgments are read in.

    Raises:
        UsageError: there is no such folder, or no judgments in it.
        DataError: a file is damaged, or a query stands in two of them.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(
                "is no folder", path=folder, hint="name the folder that holds train.tsv, test.tsv, …"
            )
        self.files = {bare_name(path.name).partition(".")[0]: path for path in _qrels_in(folder)}
        if not self.files:
            raise UsageError("holds no .tsv file", path=folder, hint="needed is one for each split")
        self._split: dict[str, str] = {}
        for name in self.names:
            for judgment in self.judgments(name):
                earlier = self._split.setdefault(judgment.query_id, name)
                if earlier != name:
                    found = f"query {judgment.query_id!r} is judged here and in split {earlier!r}"
                    raise DataError(found, path=self.files[name], hint="a query belongs to one split")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the splits, sorted."""
        return tuple(sorted(self.files))

    def of(self, query_id: str) -> str | None:
        """The split of a query; None where no file judges it."""
        return self._split.get(query_id)

    def judgments(self, split: str) -> Iterator[Judgment]:
        """The judgments of one split as its file has them."""
        return iter_judgments(self.files[split])

    def inputs(self) -> dict[str, str]:
        """SHA-256 of the files, by name."""
        return {path.name: sha256_file(path) for _, path in sorted(self.files.items())}


def _qrels_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if bare_name(path.name).endswith(".tsv"))
