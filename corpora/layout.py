"""Where the files of a BEIR folder lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from beirkit.corpora.compressed import SUFFIXES
from beirkit.corpora.errors import DataError
from beirkit.corpora.spans import SUFFIX as SPANS

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Layout:
    """The files of one BEIR folder.

    Attributes:
        folder: the folder.
        corpus: ``corpus.jsonl``, plain or compressed (``.gz``, ``.bz2``, ``.zst``).
        queries: ``queries.jsonl``, plain or compressed.
        qrels: by split, ``qrels/<split>.tsv``, plain or compressed; empty where nothing is judged.
        spans: by split, ``qrels/<split>.spans.jsonl``, where there are any.
    """

    folder: Path
    corpus: Path
    queries: Path
    qrels: dict[str, Path]
    spans: dict[str, Path] = field(default_factory=dict)

    def files(self) -> dict[str, Path]:
        """Every data file by its name relative to the folder, sorted."""
        paths = [self.corpus, self.queries, *self.qrels.values(), *self.spans.values()]
        return {path.relative_to(self.folder).as_posix(): path for path in sorted(paths)}


def find_layout(folder: Path | str) -> Layout:
    """Find the files of a BEIR folder, without opening any.

    Raises:
        DataError: this is no folder, a file is missing, or stands there both plain and compressed.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError("is not a folder" if folder.exists() else "does not exist", path=folder)
    corpus, queries = _either(folder, "corpus.jsonl"), _either(folder, "queries.jsonl")
    if corpus is None:
        raise DataError("has no corpus.jsonl", path=folder, hint=_elsewhere(folder))
    if queries is None:
        raise DataError("has no queries.jsonl", path=folder, hint="a BEIR folder needs one")
    return Layout(folder, corpus, queries, find_qrels(folder), find_spans(folder))


def find_qrels(folder: Path) -> dict[str, Path]:
    """The judgment files of a BEIR folder by split, sorted by split."""
    qrels: dict[str, Path] = {}
    for packed in ("", *SUFFIXES):
        suffix = f".tsv{packed}"
        for path in sorted(folder.glob(f"qrels/*{suffix}")):
            split = path.name.removesuffix(suffix)
            if split in qrels:
                raise _both(folder, [f"qrels/{qrels[split].name}", f"qrels/{path.name}"])
            if path.is_file() and not split.startswith("."):
                qrels[split] = path
    return dict(sorted(qrels.items()))


def find_spans(folder: Path) -> dict[str, Path]:
    """The files of spans of a BEIR folder by split."""
    found = (path for packed in ("", *SUFFIXES) for path in sorted(folder.glob(f"qrels/*{SPANS}{packed}")))
    return {path.name.partition(SPANS)[0]: path for path in found if not path.name.startswith(".")}


def is_beir_folder(path: Path | str) -> bool:
    """Whether a folder holds a corpus and queries under BEIR's names."""
    try:
        find_layout(path)
    except DataError:
        return False
    return True


def require_split_name(split: str, path: Path | None = None) -> None:
    """Refuse a split that cannot name a file.

    Args:
        split: the split.
        path: its file, where it comes from one.

    Raises:
        DataError: it cannot.
    """
    if not split or split != Path(split).name or split.startswith(".") or not split.isprintable():
        hint = "name it with visible characters, without a slash, not beginning with a dot"
        raise DataError(f"split {split!r} cannot be a file name", path=path, hint=hint)


def _either(folder: Path, name: str) -> Path | None:
    found = [path for packed in ("", *SUFFIXES) if (path := folder / f"{name}{packed}").is_file()]
    if len(found) > 1:
        raise _both(folder, [path.name for path in found])
    return found[0] if found else None


def _both(folder: Path, names: list[str]) -> DataError:
    return DataError(
        f"holds both {names[0]} and {names[1]}", path=folder, hint="remove the one that is out of date"
    )


def _elsewhere(folder: Path) -> str:
    inner = sorted(path.parent.name for path in folder.glob("*/corpus.jsonl*"))
    if not inner:
        return "a BEIR folder holds corpus.jsonl, queries.jsonl and qrels/"
    return (
        f"did you mean {inner[0]}/ inside it?" if len(inner) == 1 else "it holds several: " + ", ".join(inner)
    )
