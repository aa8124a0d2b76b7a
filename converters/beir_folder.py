"""BEIR folders and zips from anywhere."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UnknownNameError, nearest
from beirkit.corpora.folder import open_folder

_CORPUS = re.compile(r"corpus\.jsonl(\.gz)?")
_PART = re.compile(r"(corpus|queries)\.jsonl(\.gz)?|qrels/[^/]+\.tsv(\.gz)?|manifest\.json")


class BeirOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`BeirFolder`."""

    folder: str = ""


class BeirFolder(Converter[BeirOptions]):
    """A BEIR folder: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``, each plain or ``.gz``.

    ``raw`` is the folder, a zip of it, or a folder or zip that has it inside.

    Options:
        folder: which of several BEIR folders inside ``raw`` to read, such as one of CQADupStack's forums.
    """

    name: ClassVar[str] = "beir"
    summary: ClassVar[str] = "a BEIR folder or zip: corpus.jsonl, queries.jsonl, qrels/*.tsv"
    Options: ClassVar[type[msgspec.Struct]] = BeirOptions

    def convert(self, raw: Path | None, options: BeirOptions) -> Collection:
        """Open the folder or zip; the files that are needed are unpacked from a zip now.

        Raises:
            DataError: there is no BEIR folder, or more than one and none was chosen.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        root = _choose(source, options.folder)
        prefix = f"{root}/" if root else ""
        names = [n for n in source.names if n.startswith(prefix) and _PART.fullmatch(n[len(prefix) :])]
        with source.named():
            found = open_folder(source.folder(root, names))
        return Collection(
            documents=source.reading(found.documents),
            queries=source.reading(found.queries),
            judgments={split: source.reading(partial(found.judgments, split)) for split in found.splits},
            provenance=msgspec.structs.replace(
                found.provenance,
                source=PurePosixPath(root).name or raw.resolve().name.removesuffix(".zip"),
                converter=self.name,
                options=msgspec.to_builtins(options),
                inputs=source.inputs(names),
            ),
        )


def _choose(source: Source, asked: str) -> str:
    """The one folder below the source that holds a corpus, as a relative path."""
    paths = (PurePosixPath(name) for name in source.names)
    roots = sorted(
        {"" if (p := str(path.parent)) == "." else p for path in paths if _CORPUS.fullmatch(path.name)}
    )
    if asked:
        wanted = asked.strip("/")
        matching = [root for root in roots if root == wanted or PurePosixPath(root).name == wanted]
        if len(matching) != 1:
            known = [root or "." for root in roots]
            raise UnknownNameError(
                f"has no BEIR folder {asked!r}", path=source.raw, hint=nearest(wanted, known)
            )
        return matching[0]
    if not roots:
        have = ", ".join(source.names[:8]) + (" …" if len(source.names) > 8 else "") or "nothing"
        raise DataError(
            "holds no BEIR folder: there is no corpus.jsonl or corpus.jsonl.gz",
            path=source.raw,
            hint=f"found: {have}",
        )
    if "" in roots:
        return ""
    if len(roots) > 1:
        raise DataError(
            f"holds {len(roots)} BEIR folders: {', '.join(roots)}",
            path=source.raw,
            hint=f"name one of them: --set folder={PurePosixPath(roots[0]).name}",
        )
    return roots[0]
