"""A BEIR folder to spoil and mend."""

from __future__ import annotations

from pathlib import Path

from beirkit.corpora.mend_rules import RULES

HEADER = "query-id\tcorpus-id\tscore\n"
CORPUS = '{"_id": "d1", "title": "", "text": "a", "metadata": {}}\n{"_id": "d2", "title": "t", "text": "b"}\n'
QUERIES = '{"_id": "q1", "text": "a"}\n{"_id": "q2", "text": "b"}\n'
QRELS = HEADER + "q1\td1\t1\nq1\td2\t0\nq2\td2\t2\n"
CONFLICT = QRELS + "q1\td1\t3\nq1\td1\t2\n"

# a choice of every rule that leaves nothing in doubt
STRICT = {
    name: next(
        choice for choice in ("drop", "max", "strip", "1", "beir-order", "keep") if choice in rule.choices
    )
    for name, rule in RULES.items()
}


def made(tmp_path: Path, corpus: str = CORPUS, queries: str = QUERIES, qrels: str = QRELS) -> Path:
    folder = tmp_path / "source"
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, text in (("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels/test.tsv", qrels)):
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    return folder


def data(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
