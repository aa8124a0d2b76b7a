"""What a file to be written must not replace: a corpus, or anything of another kind."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from beirkit.corpora.errors import BeirkitError, UsageError

_OF_A_FOLDER = ("corpus.jsonl", "queries.jsonl", "manifest.json")


def refuse_check_outputs(args: argparse.Namespace, folders: Iterable[Path]) -> None:
    """Refuse ``--write-accept`` and ``--junit`` that would change what is checked, or replace other files.

    Args:
        args: of ``beirkit check``.
        folders: the folder that is checked, and the mended copy.

    Raises:
        UsageError: the path lies in one of the folders, or a file of another kind is there.
    """
    kinds = {
        "--write-accept": (args.write_accept, (b'{"accepted_findings"',), "list of accepted findings"),
        "--junit": (args.junit, (b"<?xml", b"<testsuite"), "XML file"),
    }
    folders = [folder.resolve() for folder in folders]
    for option, (path, beginnings, kind) in kinds.items():
        if path is None:
            continue
        if any(path.resolve().is_relative_to(folder) for folder in folders):
            raise UsageError(
                f"{option} would write into the folder that is checked",
                path=path,
                hint="write it to another place",
            )
        if path.is_file() and not _beginning(path).startswith(beginnings) and path.stat().st_size:
            raise _refused(option, path, kind)


def refuse_qrels_output(out: str, sources: Iterable[Path] = (), *, overwrite: bool = False) -> None:
    """Refuse a ``--out`` of judgments that would replace a part of a BEIR folder, a source, or no judgments.

    Args:
        out: the file to write.
        sources: the files that are read.
        overwrite: replace one of them.

    Raises:
        UsageError: such a file is there.
    """
    from beirkit.corpora.compressed import bare_name
    from beirkit.corpora.folder import is_beir_folder

    if out.endswith("/"):
        raise UsageError("--out names a folder", path=out, hint="name the file to write")
    path = Path(out).resolve()
    if bare_name(path.name) in _OF_A_FOLDER and is_beir_folder(path.parent):
        raise UsageError(
            f"--out would write over a part of the BEIR folder {path.parent.name}",
            path=out,
            hint="choose another name",
        )
    if not overwrite and path.is_file() and any(path.samefile(source) for source in sources):
        raise UsageError(
            "--out would write over what is read", path=out, hint="choose another name, or add --overwrite"
        )
    if path.is_file() and path.stat().st_size and not _holds_judgments(path):
        raise _refused("--out", Path(out), "file of judgments")


def _holds_judgments(path: Path) -> bool:
    """Whether the first judgment of a file can be read, or it has a header and none."""
    from beirkit.corpora.files import open_bytes
    from beirkit.corpora.qrels import HEADER, iter_judgments

    try:
        if next(iter_judgments(path, default_relevance=1, warn=lambda _: None), None) is not None:
            return True
        with open_bytes(path) as stream:
            return stream.read(len(HEADER) + 4).decode("utf-8", "replace").strip() in ("", HEADER, "{}")
    except BeirkitError:
        return False


def _beginning(path: Path) -> bytes:
    from beirkit.corpora.files import open_bytes

    try:
        with open_bytes(path) as stream:
            return stream.read(64)
    except BeirkitError:
        return b""


def _refused(option: str, path: Path, kind: str) -> UsageError:
    return UsageError(
        f"{option} would replace a file that is no {kind}",
        path=path,
        hint="choose another name, or delete it",
    )
