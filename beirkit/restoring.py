"""Figures that were imported, given back to the tool they came from: its own files, kept whole."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.whole import whole_folder
from beirkit.evaluate.exports import catalog
from beirkit.evaluate.exports.base import Problem
from beirkit.evaluate.exports.submission import files_of, write_submission
from beirkit.evaluate.imports.stated_files import StatedFile, read_stated_file, stated_files
from beirkit.importing import KEPT

_BELOW = {"mteb": "results"}
"""For each target that takes its own files back, the folder that they stand in."""


def export_stated(
    sources: Sequence[Path | str], to: str, out: Path | str, *, overwrite: bool = False
) -> list[Problem]:
    """Write the files that stated figures were imported from; the folder appears whole or not at all.

    Nothing is made of figures alone: they go back where they came from, and nowhere else. What their own
    target finds wrong with them is told, and they are written all the same, since they are somebody's.

    Args:
        sources: ``stated.json``, its folder, or folders of results.
        to: the target, which must be the tool they are of.
        out: the folder to write.
        overwrite: replace a folder that an export of results wrote before.

    Returns:
        What the target finds wrong with them.

    Raises:
        UsageError: a figure is of another tool.
        DataError: a file that was kept is gone, or another by now.
    """
    if to not in _BELOW:
        raise UsageError(
            f"export {to!r} takes ranked lists, and there are only stated figures here",
            hint=f"targets that take such figures back: {', '.join(_BELOW)}",
        )
    wanted: dict[str, Path] = {}
    for source in map(Path, sources):
        for file in stated_files(source):
            facts = read_stated_file(file)
            if facts.imported_as != to:
                raise UsageError(
                    f"holds figures of {facts.imported_as}, which cannot be made results of {to}",
                    path=file,
                    hint="run the retriever, and export its results",
                )
            wanted |= _kept(file, facts)
    target = catalog.get(to)()
    with whole_folder(out, overwrite=overwrite, written=files_of) as part:
        for name, kept in sorted(wanted.items()):
            place = part / _BELOW[to] / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept, place)
        problems = target.validate(part)
        write_submission(part, to, "", {}, [])
    return problems


def _kept(file: Path, facts: StatedFile) -> dict[str, Path]:
    """The files behind some figures, by the name that their tool gives them."""
    results = file.parent.parent.parent
    found = {name.removeprefix(f"{KEPT}/{facts.imported_as}/"): results / name for name in facts.kept}
    for name, path in found.items():
        if not path.is_file():
            raise DataError(f"names {name}, which is not in {results}", path=file, hint="import it again")
    source = next(iter(found.values()), None)
    if source is None or sha256_file(source) != facts.sha256:
        raise DataError(f"is not of {source} as it is now", path=file, hint="import it again")
    return found
