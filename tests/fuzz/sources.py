"""Sources of every format: the fixture of one, with one of its files damaged."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

from beirkit.converters import catalog
from tests.fuzz.mutations import mutated

FIXTURES = Path(__file__).parent.parent / "fixtures"
TOKENS = (b"null", b"[]", b"{}", b"true", b'""', b"-7", b"1.5", b"9" * 30, b'"\\ud800"', b"<top>", b"\t")


def sources(draw: random.Random, folder: Path) -> None:
    """Convert and read everything."""
    name = draw.choice([name for name in catalog.names() if _raw(name)])
    raw, options = _raw(name), FIXTURES / name / "options.json"
    assert raw is not None
    copy = folder / raw.name
    if raw.is_dir():
        shutil.copytree(raw, copy)
    else:
        shutil.copy(raw, copy)
    files = sorted(path for path in [copy, *copy.rglob("*")] if path.is_file())
    damaged = draw.choice(files)
    damaged.write_bytes(mutated(draw, [damaged.read_bytes()], TOKENS))
    collection = catalog.convert(name, copy, json.loads(options.read_text()) if options.exists() else {})
    for stream in (
        collection.documents(),
        collection.queries(),
        *map(collection.judgments, collection.splits),
    ):
        for _ in stream:
            pass


def _raw(name: str) -> Path | None:
    return next(iter(sorted((FIXTURES / name).glob("raw*"))), None)
