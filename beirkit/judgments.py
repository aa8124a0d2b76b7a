"""From what a user calls judgments to a table of them: a file, splits of a folder, a dataset's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.folder import is_beir_folder, open_folder
from beirkit.corpora.layout import find_qrels
from beirkit.corpora.qrels import iter_judgments, read_qrels
from beirkit.corpora.qrels_stream import is_stream, read_stream
from beirkit.corpora.qrels_tools import Merge, Merged, merge_qrels
from beirkit.corpora.qrels_write import form_of
from beirkit.corpora.records import Qrels
from beirkit.datasets import Dataset, choose_split, find_dataset


@dataclass(frozen=True)
class Judgments:
    """Judgments and where they came from.

    Attributes:
        name: what to call them: the file, or the dataset with its split, as in ``fiqa@test``.
        qrels: the judgments.
        sampled: whether the folder says of itself that it is a sample.
    """

    name: str
    qrels: Qrels
    sampled: bool = False


def find_judgments(
    text: str, splits: Sequence[str] = (), *, default_relevance: int | None = None
) -> list[Judgments]:
    """The judgments that a user named, one table for each split.

    A folder without ``corpus.jsonl`` will do, as long as it has ``qrels/``.

    Args:
        text: a file of judgments, a folder, the name of a dataset, or ``-`` for standard input.
        splits: splits of the folder; none: the reported one, else the only one unless it is train.
        default_relevance: the grade of every pair in a file of two columns.

    Raises:
        UsageError: the choice of the split is not clear (the message lists them), or a file has none.
        DataError: the file or folder is not there, or cannot be read.
    """
    path = Path(text)
    stream = is_stream(text)
    if stream or path.is_file():
        if splits:
            raise UsageError(
                f"{path} is one file and has no splits", hint="leave --split out, or name a BEIR folder"
            )
        if stream:
            name = "standard input" if text == "-" else text
            return [Judgments(name, read_stream(text, default_relevance=default_relevance))]
        return [Judgments(str(path), read_qrels(path, default_relevance=default_relevance))]
    if path.is_dir() and not is_beir_folder(path) and (files := find_qrels(path)):
        dataset = Dataset(path.resolve().name, path, None)
        collection = Collection(
            documents=tuple,
            queries=tuple,
            judgments={
                split: partial(iter_judgments, file, default_relevance=default_relevance)
                for split, file in files.items()
            },
            provenance=Provenance(source=dataset.name),
        )
    elif not path.exists() and _names_a_file(path):
        raise DataError("does not exist", path=text)
    else:
        dataset = find_dataset(text)
        collection = open_folder(dataset.folder, default_relevance=default_relevance)
    chosen = [choose_split(dataset, collection, split) for split in splits or (None,)]
    sampled = "sample" in collection.provenance.options
    return [
        Judgments(f"{dataset.name}@{split}", collection.qrels(split), sampled)
        for split in dict.fromkeys(chosen)
    ]


def _names_a_file(path: Path) -> bool:
    """Whether a name is that of a file of judgments, as no dataset's is."""
    try:
        form_of(path)
    except UsageError:
        return bare_name(path.name) != path.name
    return True


def merge_judgments(versions: Sequence[Judgments], how: Merge = "error") -> tuple[Judgments, Merged]:
    """Several tables made one; see :func:`beirkit.corpora.qrels_tools.merge_qrels`."""
    names = [version.name for version in versions]
    merged = merge_qrels([version.qrels for version in versions], how, names=names)
    sampled = any(version.sampled for version in versions)
    return Judgments(" + ".join(names), merged.qrels, sampled), merged
