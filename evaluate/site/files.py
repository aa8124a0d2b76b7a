"""A leaderboard's site as files: the same site is the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path, PurePosixPath

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.whole import whole_folder
from beirkit.evaluate.report.page import render
from beirkit.evaluate.site.data import FORMAT, data_csv, data_json
from beirkit.evaluate.site.index import board_addresses, index_page
from beirkit.evaluate.site.model import Site
from beirkit.evaluate.site.system_page import system_page
from beirkit.evaluate.site.tables import link_to

INDEX, DATA, TABLE = "index.html", "data.json", "data.csv"


def write_site(
    site: Site, out: Path | str, *, overwrite: bool = False, progress: Progress = silent
) -> dict[str, int]:
    """Write a site; the folder appears whole or not at all.

    Args:
        site: what it says.
        out: the folder.
        overwrite: replace a site that stands there; anything else is never replaced.
        progress: shows how it gets on.

    Returns:
        The size of each file in bytes, by its name.

    Raises:
        UsageError: something stands there that may not be replaced.
        MissingExtraError: jinja2 is not installed.
    """
    names = sorted([INDEX, DATA, TABLE, *map(link_to, site.systems)])
    sizes = {}
    with (
        progress("writing pages", len(names), "files") as advance,
        whole_folder(out, overwrite=overwrite, written=files_of) as part,
    ):
        for name, text in _texts(site, names):
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_open(path, "wb") as file:
                file.write(text.encode("utf-8", "replace"))
            sizes[name] = path.stat().st_size
            advance()
    return sizes


def files_of(folder: Path) -> Set[str]:
    """The files of a site that was written before, relative to it.

    Raises:
        DataError: the folder holds no site.
    """
    path = folder / DATA
    try:
        facts = msgspec.json.decode(path.read_bytes(), type=_Written)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"is no site of a leaderboard: {error}", path=path) from error
    if facts.format != FORMAT:
        raise DataError(f"has the format {facts.format!r}, not {FORMAT!r}", path=path)
    return {name for name in facts.files if ".." not in PurePosixPath(name).parts}


class _Written(msgspec.Struct):
    format: str
    files: list[str]


def _texts(site: Site, names: list[str]) -> Iterator[tuple[str, str]]:
    boards, addresses = {board.key: board for board in site.boards}, board_addresses(site)
    yield INDEX, render(index_page(site))
    for system in site.systems:
        yield link_to(system), render(system_page(site, system, boards, addresses))
    yield TABLE, data_csv(site)
    yield DATA, data_json(site, names)
