"""K17-05: a conversion is read and written record by record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.cases import QRELS, Case, case

# What Linux calls VmHWM starts anew with a program; ru_maxrss may still be that of the one that started it.
CONVERT = """
import sys
from pathlib import Path
import beirkit.cli.main
from beirkit.converters import catalog
from beirkit.corpora.folder import write_folder

def memory(what):
    rows = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(rows[what].split()[0]) * 1024

before = memory("VmRSS")
manifest = write_folder(catalog.convert("beir", Path(sys.argv[1])), Path(sys.argv[2]))
print(manifest.counts.documents, memory("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads its memory from /proc")
@pytest.mark.slow
@case("K17-05")
def test_a_conversion_takes_little_memory_and_any_line(case: Case, tmp_path: Path) -> None:
    assert case["input"]["rule"].startswith("200 000 records of 500 bytes plus one record with a 20 MB text")
    folder = tmp_path / "raw"
    (folder / "qrels").mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for i in range(200_000):
            file.write(json.dumps({"_id": f"d{i}", "title": "", "text": f"{i} ".ljust(450, "x")}) + "\n")
        file.write(json.dumps({"_id": "long", "title": "", "text": "word " * 4_000_000}) + "\n")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "x"}\n', encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(f"{QRELS}q\tlong\t1\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-c", CONVERT, str(folder), str(tmp_path / "out")],
        env=dict(os.environ), check=True, capture_output=True, text=True,
    )  # fmt: skip
    documents, growth = map(int, done.stdout.split())
    assert documents == 200_001
    assert growth < 300 << 20
    with (tmp_path / "out" / "corpus.jsonl").open(encoding="utf-8") as file:
        last = json.loads(file.readlines()[-1])
    assert (last["_id"], len(last["text"])) == ("long", 20_000_000)
