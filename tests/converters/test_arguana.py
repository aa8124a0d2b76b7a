"""ArguAna: ids made of paths, repeated texts, and points without a counter."""

from __future__ import annotations

import logging
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels
from tests.house.published import published_queries

RAW = Path(__file__).parent.parent / "fixtures" / "arguana" / "raw"
HEALTH = Path("02-extracted-arguments", "test", "health", "animals-health-general-oats")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    shutil.copytree(RAW, tmp_path / "raw")
    return tmp_path / "raw"


def test_the_published_ids_have_the_form_that_is_made_of_paths(shared: Path) -> None:
    folder = shared / "data" / "arguana" / "beir"
    texts = published_queries(folder / "topics.beir-v1.0.0-arguana.test.tsv.gz")
    qrels = read_qrels(folder / "qrels.beir-v1.0.0-arguana.test.txt")
    form = re.compile(r"test-[a-z-]+-[a-z0-9]+-(pro|con)[0-9]{2}a")
    assert all(form.fullmatch(query_id) for query_id in texts)
    assert qrels == {query_id: {f"{query_id[:-1]}b": 1} for query_id in texts}
    assert len(texts) - len(set(texts.values())) == 108  # one debate stands under several themes


def test_published_texts_have_no_address_and_no_line_end(shared: Path) -> None:
    folder = shared / "data" / "arguana" / "beir"
    texts = published_queries(folder / "topics.beir-v1.0.0-arguana.test.tsv.gz").values()
    assert not [text for text in texts if re.search(r"http\S", text) or "\n" in text or text != text.strip()]


def test_the_published_orphans_are_known_defects(shared: Path) -> None:
    from beirkit.configs.load import load_dataset

    qrels = read_qrels(shared / "data" / "arguana" / "beir" / "qrels.beir-v1.0.0-arguana.test.txt")
    judged = {doc_id for row in qrels.values() for doc_id in row}
    (orphans,) = (defect for defect in load_dataset("arguana").known if defect.code == "BK026")
    assert len(orphans.ids) == orphans.count == 5
    assert judged.issuperset(orphans.ids)


def test_a_point_without_a_counter_is_judged_as_in_beir_or_not(
    release: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (release / HEALTH / "con" / "con01b-counter.txt").unlink()
    with caplog.at_level(logging.WARNING):
        assert convert("arguana", release).qrels("test")["test-health-ahgo-con01a"] == {
            "test-health-ahgo-con01b": 1
        }
    assert "1 points have no counter (test-health-ahgo-con01b, …) and are judged all the same" in caplog.text
    assert "test-health-ahgo-con01a" not in convert("arguana", release, {"judge_missing": False}).qrels(
        "test"
    )


def test_every_copy_of_a_text_can_be_kept() -> None:
    documents = list(convert("arguana", RAW, {"repeated_texts": True}).documents())
    assert len(documents) == 10
    assert len({document.text for document in documents}) == 6


def test_the_release_s_folder_of_arguments_does_as_well_as_the_whole_or_an_archive(tmp_path: Path) -> None:
    whole = convert("arguana", RAW)
    packed = tmp_path / "arguana-counterargs-corpus.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(RAW.rglob("*.txt")):
            archive.write(path, Path("arguana-counterargs-corpus") / path.relative_to(RAW))
    for other in (convert("arguana", RAW / "02-extracted-arguments"), convert("arguana", packed)):
        assert list(other.documents()) == list(whole.documents())
        assert list(other.queries()) == list(whole.queries())


def test_text_that_is_not_utf8_is_named_with_its_line(release: Path) -> None:
    (release / HEALTH / "pro" / "pro01a-point.txt").write_bytes(b"Oats\n\ncaf\xe9\n")
    with pytest.raises(DataError, match=r"pro01a-point\.txt:3: is not UTF-8"):
        list(convert("arguana", release).queries())


def test_a_folder_of_something_else_is_told_with_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match=r"holds no arguments such as test/THEME/.*found: corpus\.jsonl"):
        convert("arguana", tmp_path)
