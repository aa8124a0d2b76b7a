"""Manifests, and content ids that survive every re-encoding."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError
from beirkit.corpora.folder import folder_content_ids, open_folder, write_folder
from beirkit.corpora.manifest import (
    ContentId,
    FileFacts,
    SplitCounts,
    content_ids,
    read_manifest,
    verify_manifest,
)
from beirkit.corpora.records import Document, Judgment, Query


def fingerprint(*fields: bytes) -> int:
    """The rule, written down a second time: a tag, then each field behind its length."""
    data = fields[0] + b"".join(b" %d:" % len(field) + field for field in fields[1:])
    return int(hashlib.sha256(data).hexdigest(), 16)


def test_the_rule() -> None:
    content = ContentId()
    assert content.hexdigest() == "0" * 64
    content.add_document(Document("d1", "Föhn", "wind", {"left": "out"}))
    content.add_document(Document("d2", "", "x"))
    expected = fingerprint(b"document", b"d1", "Föhn".encode(), b"wind") + fingerprint(
        b"document", b"d2", b"", b"x"
    )
    assert content.hexdigest() == f"{expected % 2**256:064x}"
    content = ContentId()
    content.add_documents([Document("d1", "Föhn", "wind", {"left": "out"}), Document("d2", "", "x")])
    assert content.hexdigest() == f"{expected % 2**256:064x}"
    content = ContentId()
    content.add_query(Query("q", "what"))
    assert content.hexdigest() == f"{fingerprint(b'query', b'q', b'what'):064x}"
    content = ContentId()
    content.add_judgment(Judgment("q", "d", -2))
    assert content.hexdigest() == f"{fingerprint(b'judgment', b'q', b'd', b'-2'):064x}"


@pytest.mark.parametrize(
    "other",
    [
        Document("d", "ab", "c"),  # the same letters, cut elsewhere
        Document("d", "", "abc"),
        Document("da", "", "bc"),
        Document("d", "a", "bc "),
        Document("d", "A", "bc"),
        Document("d", "a", "b\u0063\u0301"),
    ],
)
def test_any_change_of_what_counts_changes_it(other: Document) -> None:
    def of(document: Document) -> str:
        content = ContentId()
        content.add_document(document)
        return content.hexdigest()

    assert of(Document("d", "a", "bc")) == of(Document("d", "a", "bc", {"k": 1}))
    assert of(Document("d", "a", "bc")) != of(other)


def test_a_lone_surrogate_has_no_content_id() -> None:
    with pytest.raises(DataError, match="document 'd' holds half of a surrogate pair"):
        ContentId().add_document(Document("d", "", "\ud800"))
    with pytest.raises(DataError, match="document 'd' holds half of a surrogate pair"):
        ContentId().add_documents([Document("c", "", "x"), Document("d", "", "\ud800")])


def shuffled(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    head = lines[:1] if path.suffix == ".tsv" else []
    rest = lines[len(head) :]
    random.Random(5).shuffle(rest)
    path.write_text("".join(head + rest), encoding="utf-8")


def re_escaped(path: Path) -> None:
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        ascii = not path.read_text(encoding="utf-8").isascii()
        turned = (
            json.dumps(dict(reversed(line.items())), ensure_ascii=ascii, separators=(",", ":"))
            for line in lines
        )
        path.write_bytes("".join(line + "\r\n" for line in turned).encode())
    else:  # as TREC's columns
        rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
        path.write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in rows))


def packed(path: Path) -> None:
    Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def bare(path: Path) -> None:
    """Without metadata, as other hosts keep it."""
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        kept = ({key: value for key, value in line.items() if key != "metadata"} for line in lines)
        path.write_text("".join(json.dumps(line) + "\n" for line in kept))


CHANGES = [shuffled, re_escaped, packed, bare]


def change(folder: Path, how: Callable[[Path], None]) -> None:
    for path in [*folder.glob("*.jsonl"), *folder.glob("qrels/*.tsv")]:
        how(path)


@pytest.mark.parametrize("how", CHANGES)
def test_one_id_in_every_form(folder: Path, how: Callable[[Path], None]) -> None:
    expected = content_ids(open_folder(folder))
    before = {path.name: path.read_bytes() for path in folder.rglob("*.*")}
    change(folder, how)
    assert {path.name: path.read_bytes() for path in folder.rglob("*.*")} != before
    assert content_ids(open_folder(folder)) == expected
    assert sorted(expected) == ["corpus", "qrels/dev", "qrels/test", "queries"]
    assert len(set(expected.values())) == 4


def test_one_id_for_scifact_in_every_form(shared: Path, tmp_path: Path) -> None:
    source = open_folder(shared / "data" / "scifact" / "beir")
    expected = content_ids(source)
    for how in CHANGES:
        made = tmp_path / how.__name__
        write_folder(source, made)
        change(made, how)
        assert content_ids(open_folder(made)) == expected
        assert folder_content_ids(made) == expected


def test_what_a_manifest_says(folder: Path, tmp_path: Path) -> None:
    corpus, queries = {"d": {"text": "x"}}, {"q": "x", "r": "y"}
    collection = Collection.from_dicts(corpus, queries, {"q": {"d": 1, "e": 0}, "r": {"d": -1}})
    collection.provenance = Provenance(
        source="tiny", converter="dicts", options={"b": tmp_path, "a": 1}, licence="CC0", inputs={"f": "00"}
    )
    manifest = write_folder(collection, tmp_path / "out", version="9.9")
    assert manifest.beirkit == "9.9"
    assert (manifest.counts.documents, manifest.counts.queries) == (1, 2)
    assert manifest.counts.splits == {"test": SplitCounts(3, 2, {"-1": 1, "0": 1, "1": 1})}
    data = (tmp_path / "out" / "corpus.jsonl").read_bytes()
    assert manifest.files["corpus.jsonl"] == FileFacts(len(data), hashlib.sha256(data).hexdigest())
    assert sorted(manifest.files) == ["corpus.jsonl", "qrels/test.tsv", "queries.jsonl"]
    assert manifest.content_ids == content_ids(collection)
    read = read_manifest(tmp_path / "out")
    assert read.provenance.options == {"a": 1, "b": str(tmp_path)}
    assert (read.provenance.licence, read.provenance.inputs) == ("CC0", {"f": "00"})
    assert (read.counts, read.files, read.content_ids) == (
        manifest.counts,
        manifest.files,
        manifest.content_ids,
    )
    assert open_folder(tmp_path / "out").provenance == read.provenance


def test_a_manifest_is_held_against_its_files(folder: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    write_folder(open_folder(folder), made)
    assert verify_manifest(made) == []
    queries = made / "queries.jsonl"
    time = queries.stat().st_mtime_ns
    queries.write_bytes(queries.read_bytes().replace(b"warm", b"cold"))  # as many bytes
    assert queries.stat().st_mtime_ns >= time
    assert verify_manifest(made) == ["queries.jsonl has another SHA-256 than the manifest says"]
    (made / "qrels" / "dev.tsv").rename(made / "qrels" / "train.tsv")
    with (made / "corpus.jsonl").open("a") as out:
        out.write('{"_id": "new", "text": "x"}\n')
    size = (made / "corpus.jsonl").stat().st_size
    assert verify_manifest(made) == [
        "qrels/dev.tsv is in the manifest and not in the folder",
        f"corpus.jsonl has {size} bytes, the manifest says {size - 28}",
        "qrels/train.tsv is in the folder and not in the manifest",
        "queries.jsonl has another SHA-256 than the manifest says",
    ]


def test_ids_of_a_folder_come_from_its_manifest_only_while_it_is_true(folder: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    write_folder(open_folder(folder), made)
    truth = content_ids(open_folder(folder))
    manifest = json.loads((made / "manifest.json").read_text())
    manifest["content_ids"]["corpus"] = "told"
    (made / "manifest.json").write_text(json.dumps(manifest))
    assert folder_content_ids(made) == {**truth, "corpus": "told"}  # the files are those it tells of
    (made / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td2\t2\n")
    changed = folder_content_ids(made)
    assert changed["corpus"] == truth["corpus"]
    assert changed["qrels/dev"] != truth["qrels/dev"]
    assert folder_content_ids(folder) == truth  # no manifest


def test_manifests_of_others(folder: Path) -> None:
    with pytest.raises(DataError, match=r"manifest\.json: cannot be read"):
        read_manifest(folder)
    (folder / "manifest.json").write_text('{"name": "another tool"}')
    with pytest.raises(DataError, match="is not a manifest of beirkit"):
        read_manifest(folder)
    assert open_folder(folder).provenance == Provenance(source="weather")
    assert set(folder_content_ids(folder)) == {"corpus", "queries", "qrels/dev", "qrels/test"}
