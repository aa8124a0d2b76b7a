"""Whatever happens to a file, a validator tells it, and an importer reads it or refuses it in one line."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from beirkit.corpora.errors import BeirkitError
from beirkit.evaluate.exports import catalog
from beirkit.evaluate.exports.capsule import CapsuleFile, CapsuleOptions
from beirkit.evaluate.exports.capsule_file import sums
from beirkit.evaluate.exports.zips import write_zip
from beirkit.evaluate.imports.catalog import importer_for
from tests.evaluate.exports.small_results import golden, make_entry, tree
from tests.evaluate.imports.test_importers import FILES
from tests.fuzz.mutations import mutated

TARGETS = ("air-bench", "beir", "capsule", "sentence-transformers", "tira", "trec")
CASES = 40


@pytest.mark.parametrize("target", TARGETS)
def test_a_validator_never_raises(target: str, tmp_path: Path) -> None:
    draw, files = random.Random(7), golden(target)
    if target == "capsule":
        CapsuleFile().write([make_entry(tmp_path)], tmp_path / "whole", CapsuleOptions(judgments=True))
        files = tree(tmp_path / "whole")
    for case in range(CASES):
        folder = tmp_path / str(case)
        spoiled = draw.choice(sorted(files))
        zips: dict[str, dict[str, bytes]] = {}
        for name, data in {**files, spoiled: mutated(draw, [files[spoiled]])}.items():
            outer, inside, inner = name.partition("!")
            if inside:
                zips.setdefault(outer, {})[inner] = data
            else:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        for name, contents in zips.items():
            if "SHA256SUMS" in contents and "SHA256SUMS" not in spoiled:
                del contents["SHA256SUMS"]
                contents["SHA256SUMS"] = sums(contents)
            write_zip(folder / name, dict(contents))
            if draw.random() < 0.3:
                (folder / name).write_bytes(mutated(draw, [(folder / name).read_bytes()]))
        for problem in catalog.get(target)().validate(folder):
            assert str(problem)


@pytest.mark.parametrize(
    ("kind", "make"), [row[:2] for row in FILES], ids=[str(n) for n in range(len(FILES))]
)
def test_an_importer_reads_or_refuses(kind: str, make: Callable[[Path], Path], tmp_path: Path) -> None:
    draw, path = random.Random(11), make(tmp_path)
    sound = path.read_bytes()
    refused = 0
    for _ in range(CASES):
        path.write_bytes(mutated(draw, [sound]))
        for asked in (kind, None):
            try:
                list(importer_for(path, asked).read(path))
            except BeirkitError:
                refused += 1
    assert refused
