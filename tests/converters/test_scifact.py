"""SciFact: the published BEIR files from either form of the raw release."""

from __future__ import annotations

import csv
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.converters.expected import differences
from beirkit.converters.reading.printed_arrays import integer_array, string_array
from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import DataError
from beirkit.corpora.folder import write_folder

JSONL = Path(__file__).parent.parent / "fixtures" / "scifact" / "raw"


def test_the_release_in_csv_gives_the_published_files_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "scifact"
    collection = convert("scifact", folder / "raw" / "scifact_hf_csv.zip")
    manifest = write_folder(collection, tmp_path / "scifact", ascii=True)
    for name in ("corpus.jsonl", "queries.jsonl"):
        assert (tmp_path / "scifact" / name).read_bytes() == (folder / "beir" / name).read_bytes()
    for split in ("test", "train"):
        written = (tmp_path / "scifact" / "qrels" / f"{split}.tsv").read_text().splitlines()
        published = (folder / "beir" / "qrels" / f"{split}.tsv").read_text().splitlines()
        assert written[0] == published[0]
        assert sorted(written) == sorted(published)
    expected = load_dataset("scifact").expected
    assert expected is not None
    assert differences(manifest, expected) == []


def test_the_release_in_json_lines_gives_what_the_one_in_csv_gives(shared: Path, tmp_path: Path) -> None:
    archive = shared / "data" / "scifact" / "raw" / "scifact_hf_csv.zip"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "csv")
    from_csv = convert("scifact", tmp_path / "csv")
    release = tmp_path / "release" / "data"
    release.mkdir(parents=True)
    write_release(tmp_path / "csv", release)
    from_jsonl = convert("scifact", tmp_path / "release")
    assert list(from_jsonl.documents()) == list(from_csv.documents())
    assert list(from_jsonl.queries()) == list(from_csv.queries())
    for split in ("test", "train"):
        assert list(from_jsonl.judgments(split)) == list(from_csv.judgments(split))


def test_a_folder_with_only_the_archive_names_it(tmp_path: Path) -> None:
    (tmp_path / "release.zip").write_bytes(b"PK")
    with pytest.raises(DataError) as caught:
        convert("scifact", tmp_path)
    assert str(caught.value).endswith(f"(an archive is read as it is: name {tmp_path / 'release.zip'})")


def write_release(csv_folder: Path, release: Path) -> None:
    """Write the CSV form in the layout of the original release, with another reader than ours."""
    csv.field_size_limit(1 << 30)

    def rows(name: str) -> list[dict[str, str]]:
        with (csv_folder / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    with (release / "corpus.jsonl").open("w") as out:
        for cells in rows("corpus_train.csv"):
            abstract = string_array(Row(release, 1, dict(cells)), "abstract")
            fields = {"doc_id": int(cells["doc_id"]), "title": cells["title"], "abstract": abstract}
            out.write(json.dumps(fields) + "\n")
    for source, target in (
        ("claims_train.csv", "claims_train.jsonl"),
        ("claims_validation.csv", "claims_dev.jsonl"),
    ):
        claims: dict[str, dict[str, object]] = {}
        evidence: dict[str, dict[str, list[object]]] = {}
        for cells in rows(source):
            cited = [int(number) for number in cells["cited_doc_ids"].strip("[]").split()]
            claims.setdefault(
                cells["id"], {"id": int(cells["id"]), "claim": cells["claim"], "cited_doc_ids": cited}
            )
            found = evidence.setdefault(cells["id"], {})
            if cells["evidence_doc_id"]:
                sentences = [int(number) for number in cells["evidence_sentences"].strip("[]").split()]
                item = {"sentences": sentences, "label": cells["evidence_label"]}
                found.setdefault(cells["evidence_doc_id"], []).append(item)
        lines = (json.dumps({**claim, "evidence": evidence[key]}) for key, claim in claims.items())
        (release / target).write_text("".join(f"{line}\n" for line in lines))


def test_citing_an_abstract_twice_is_one_judgment() -> None:
    judged = [(j.query_id, j.doc_id) for j in convert("scifact", JSONL).judgments("train")]
    assert judged == [("2", "40"), ("2", "7"), ("0", "7")]


def test_sentences_lose_their_edge_blanks_and_titles_keep_them() -> None:
    documents = {document.doc_id: document for document in convert("scifact", JSONL).documents()}
    assert documents["40"].text == "Salt lowers the freezing point. So roads are salted."
    assert documents["7"].title == "  Bees"
    assert documents["123"].text == ""


def test_a_missing_file_is_named_with_what_is_there(tmp_path: Path) -> None:
    shutil.copytree(JSONL, tmp_path / "raw")
    (tmp_path / "raw" / "claims_dev.jsonl").unlink()
    with pytest.raises(DataError) as caught:
        convert("scifact", tmp_path / "raw")
    assert "corpus.jsonl, claims_train.jsonl, claims_dev.jsonl" in str(caught.value)
    assert "found: claims_test.jsonl, claims_train.jsonl, corpus.jsonl" in str(caught.value)


def test_a_float_id_is_refused_with_its_line(tmp_path: Path) -> None:
    shutil.copytree(JSONL, tmp_path / "raw")
    corpus = tmp_path / "raw" / "corpus.jsonl"
    corpus.write_text(corpus.read_text().replace('"doc_id": 7,', '"doc_id": 7.0,'))
    with pytest.raises(DataError, match=r"corpus\.jsonl:2: .*7\.0, neither text nor an integer"):
        list(convert("scifact", tmp_path / "raw").documents())


def cell(text: str) -> Row:
    return Row(Path("a.csv"), 9, {"x": text})


@pytest.mark.parametrize(
    ("printed", "strings"),
    [
        ("['One.' 'Two.']", ["One.", "Two."]),
        ("['One.'\n \"It's two.\"\n 'Th\\'ree']", ["One.", "It's two.", "Th'ree"]),
        ("['a\\n' ' \\x85 é']", ["a\n", " \x85 é"]),
        ("['joined''not']", ["joined", "not"]),
        ("['a', 'b']", ["a", "b"]),
        ("[]", []),
        ("['] [']", ["] ["]),
    ],
)
def test_printed_arrays_of_strings(printed: str, strings: list[str]) -> None:
    assert string_array(cell(printed), "x") == strings


@pytest.mark.parametrize(
    "printed", ["['a' __import__('os')]", "['a' ... 'b']", "['a", "[f'{1}']", "[b'a']", "[1]", "None"]
)
def test_anything_else_in_an_array_of_strings_is_refused(printed: str) -> None:
    with pytest.raises(DataError, match=r"a\.csv:9: column 'x'"):
        string_array(cell(printed), "x")


def test_printed_arrays_of_integers() -> None:
    assert integer_array(cell("[ 5152028 11705328]"), "x") == ["5152028", "11705328"]
    assert integer_array(cell("[1, 02]"), "x") == ["1", "02"]
    assert integer_array(cell("[]"), "x") == []
    for wrong in ("5", "[1.0]", "[-1]", "", "[a]"):
        with pytest.raises(DataError, match=r"a\.csv:9: column 'x' is no array of integers"):
            integer_array(cell(wrong), "x")
