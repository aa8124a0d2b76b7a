"""HotpotQA: both shapes of questions, pages from shards, a tar or the questions, BEIR's own splits."""

from __future__ import annotations

import bz2
import io
import json
import logging
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.converters.reading.supporting_facts import read_questions
from beirkit.corpora.errors import DataError, UsageError

RAW = Path(__file__).parent.parent / "fixtures" / "hotpotqa" / "raw"


@pytest.mark.parametrize(
    ("name", "count", "pages", "judged"),
    [
        ("hotpotqa_train_100.json", 100, 994, 200),
        ("hotpotqa_sample_array.json", 30, 145, None),  # its contexts are cut
        ("hotpotqa_sample_jsonlines.json", 10, None, 20),
    ],
)
def test_the_real_samples_in_both_shapes(
    shared: Path, name: str, count: int, pages: int | None, judged: int | None
) -> None:
    raw = shared / "data" / "hotpotqa" / "raw"
    questions = list(read_questions(raw / name))
    assert len(questions) == count
    assert all(len(set(question.titles)) == len(question.titles) == 2 for question in questions)
    collection = convert("hotpotqa", raw, {"questions": {"train": name}, "corpus": "contexts"})
    documents = {document.doc_id: document for document in collection.documents()}
    assert pages is None or len(documents) == pages
    judgments = list(collection.judgments("train"))
    assert judged is None or len(judgments) == judged
    assert {judgment.doc_id for judgment in judgments} <= documents.keys()
    assert all(question.query in list(collection.queries()) for question in questions[:3])


def test_the_real_contexts_are_joined_with_nothing_between_their_sentences(shared: Path) -> None:
    raw = shared / "data" / "hotpotqa" / "raw"
    rows = json.loads((raw / "hotpotqa_train_100.json").read_bytes())
    texts = {title: "".join(sentences) for row in rows for title, sentences in row["context"]}
    options = {"questions": {"train": "hotpotqa_train_100.json"}, "corpus": "contexts"}
    assert {d.title: d.text for d in convert("hotpotqa", raw, options).documents()} == texts


def with_tar(raw: Path) -> None:
    """The shards as they are released: compressed, in a compressed tar."""
    name = "enwiki-20171001-pages-meta-current-withlinks-abstracts"
    with tarfile.open(raw / f"{name}.tar.bz2", "w:bz2") as out:
        for shard in sorted((raw / "enwiki-abstracts").rglob("wiki_*")):
            content = bz2.compress(shard.read_bytes())
            member = tarfile.TarInfo(f"{name}/{shard.parent.name}/{shard.name}.bz2")
            member.size = len(content)
            out.addfile(member, io.BytesIO(content))
    shutil.rmtree(raw / "enwiki-abstracts")


def test_abstracts_are_read_from_their_tar(tmp_path: Path) -> None:
    shutil.copytree(RAW, tmp_path / "raw")
    with_tar(tmp_path / "raw")
    from_tar, from_folder = convert("hotpotqa", tmp_path / "raw"), convert("hotpotqa", RAW)
    assert list(from_tar.judgments("train")) == list(from_folder.judgments("train"))
    assert list(from_tar.documents()) == list(from_tar.documents()) == list(from_folder.documents())
    assert any(name.endswith(".tar.bz2") for name in from_tar.provenance.inputs)


def test_an_error_in_the_tar_names_its_member(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    (raw / "enwiki-abstracts" / "AB" / "wiki_00").write_text('{"id": "1", "title": "T", "text": "whole"}\n')
    with_tar(raw)
    with pytest.raises(DataError, match=r"tar\.bz2!.*/AB/wiki_00\.bz2:1: column 'text' is not a list"):
        list(convert("hotpotqa", raw).documents())


def test_without_abstracts_both_forms_are_named(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    shutil.rmtree(raw / "enwiki-abstracts")
    with pytest.raises(DataError, match=r"has no file enwiki-\*abstracts\.tar or wiki_"):
        convert("hotpotqa", raw)
    (raw / "train").mkdir()
    with tarfile.open(raw / "enwiki-abstracts.tar", "w") as out:
        out.add(raw / "train", "train")
    with pytest.raises(DataError, match=r"enwiki-abstracts\.tar: has no file wiki_"):
        list(convert("hotpotqa", raw).documents())


def test_contexts_serve_as_pages(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = convert("hotpotqa", RAW, {"corpus": "contexts"})
        assert [document.doc_id for document in collection.documents()] == [
            "Kitchen",
            "Cook_(disambiguation)",
            "Empty_page",
        ]
        assert [judgment.doc_id for judgment in collection.judgments("train")] == ["Kitchen", "Kitchen"]
    assert (
        "split train: 2 supporting pages are no documents; left out: Salt & Pepper (film), Zoë Åkesson"
        in caplog.text
    )


def test_pages_with_two_texts_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def question(number: int, text: str) -> dict[str, Any]:
        return {
            "_id": str(number),
            "question": "q",
            "supporting_facts": [["A", 0]],
            "context": [["A", [text]]],
        }

    (tmp_path / "q.json").write_text(json.dumps([question(1, "a"), question(2, "a"), question(3, "b")]))
    options = {"questions": {"test": "q.json"}, "corpus": "contexts"}
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        assert [d.text for d in convert("hotpotqa", tmp_path, options).documents()] == ["a"]
    assert "1 pages come again with another text; the first one counts" in caplog.text


def test_without_splits_it_is_told_that_dev_stays_in_train(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = convert("hotpotqa", RAW)
        assert collection.splits == ("test", "train")
        list(collection.judgments("test"))
        assert "by chance" not in caplog.text
        list(collection.judgments("train"))
        list(collection.judgments("train"))
    assert caplog.text.count("without its qrels (--set splits=FOLDER) they stay in train") == 1


def test_given_splits_say_which_questions_are_in_dev(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "dev.tsv").write_text(
        "query-id\tcorpus-id\tscore\n5a879ab05542996e4f30887e\t290\t1\n5a879ab05542996e4f30887e\t25\t1\n"
    )
    collection = convert("hotpotqa", RAW, {"splits": str(tmp_path)})
    assert collection.splits == ("dev", "test", "train")
    assert collection.qrels("dev") == {"5a879ab05542996e4f30887e": {"290": 1, "25": 1}}
    assert collection.qrels("train") == {"5a7a06935542990198eaf050": {"12": 1, "25": 1}}
    assert "dev.tsv" in collection.provenance.inputs
    assert "drew its dev questions" not in caplog.text
    with pytest.raises(UsageError, match="is no folder"):
        convert("hotpotqa", RAW, {"splits": str(tmp_path / "absent")})


@pytest.mark.parametrize(
    ("facts", "context", "found"),
    [
        ([], [], "has no supporting fact"),
        ("A", [], "column 'supporting_facts' holds A"),
        ([["A"]], [], r"column 'supporting_facts' holds \['A'\]"),
        ([[7, 0]], [], "column 'supporting_facts' is not text but the number 7"),
        ({"title": ["A", "B"], "sent_id": [0]}, [], r"column 'supporting_facts' holds \('B', None\)"),
        ({"title": ["A"]}, [], "has no 'sent_id'"),
        ([["A", 0]], [["A", "text"]], "column 'A' is not a list but 'text'"),
        ([["A", 0]], [["A", [7]]], "column 'A' is not text but the number 7"),
    ],
)
def test_damaged_questions_are_refused_with_their_line(
    tmp_path: Path, facts: object, context: object, found: str
) -> None:
    whole = {"_id": "1", "question": "q", "supporting_facts": [["A", 0]], "context": []}
    damaged = {**whole, "_id": "2", "supporting_facts": facts, "context": context}
    (tmp_path / "q.json").write_text(f"{json.dumps(whole)}\n{json.dumps(damaged)}\n")
    with pytest.raises(DataError, match=rf"q\.json:2: {found}"):
        list(read_questions(tmp_path / "q.json"))


def test_an_array_of_questions_is_read_in_pieces_and_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(read_questions(RAW / "hotpot_train_v1.1.json"))
    monkeypatch.setattr("beirkit.converters.reading.json_stream._CHUNK", 11)
    assert list(read_questions(RAW / "hotpot_train_v1.1.json")) == whole
    cut = tmp_path / "cut.json"
    cut.write_bytes((RAW / "hotpot_train_v1.1.json").read_bytes()[:-40])
    with pytest.raises(DataError, match=r"cut\.json:\d+: is not JSON"):
        list(read_questions(cut))
