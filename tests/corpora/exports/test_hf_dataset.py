from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, MissingExtraError, UsageError
from beirkit.corpora.exports.base import Facts
from beirkit.corpora.exports.card import licence_id, size_category
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.records import Document, Judgment, Query
from tests.corpora.exports.samples import FACTS, collection_of, collections, records

pytest.importorskip("pyarrow")


def rows(path: Path) -> list[dict[str, Any]]:
    from pyarrow import parquet

    table: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return table


def header(out: Path) -> dict[str, Any]:
    text = (out / "README.md").read_text(encoding="utf-8")
    assert text.startswith("---\n")
    loaded: dict[str, Any] = yaml.safe_load(text[4 : text.index("\n---\n", 4)])
    return loaded


def test_columns_have_the_types_that_mteb_casts_to(weather: Collection, tmp_path: Path) -> None:
    from pyarrow import parquet

    export_folder(weather, "hf-dataset", tmp_path / "out", FACTS)
    schemas = {
        name: {field.name: str(field.type) for field in parquet.read_schema(tmp_path / "out" / name)}
        for name in ("corpus/corpus.parquet", "queries/queries.parquet", "qrels/test.parquet")
    }
    assert schemas == {
        "corpus/corpus.parquet": dict.fromkeys(("_id", "title", "text", "metadata"), "string"),
        "queries/queries.parquet": dict.fromkeys(("_id", "text", "metadata"), "string"),
        "qrels/test.parquet": {"query-id": "string", "corpus-id": "string", "score": "int32"},
    }
    assert [row["metadata"] for row in rows(tmp_path / "out/corpus/corpus.parquet")] == [
        '{"year": 1901}', "{}", "{}", "{}",
    ]  # fmt: skip


def test_metadata_are_a_column_only_where_there_are_any(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "hf-dataset", tmp_path / "out", FACTS, {"metadata": "false"})
    assert {*rows(tmp_path / "out/corpus/corpus.parquet")[0]} == {"_id", "title", "text"}
    plain = collection_of([Document("d", "", "t")], [Query("q", "t")], {"test": [Judgment("q", "d", 1)]})
    export_folder(plain, "hf-dataset", tmp_path / "plain", FACTS)
    assert {*rows(tmp_path / "plain/corpus/corpus.parquet")[0]} == {"_id", "title", "text"}
    assert {*rows(tmp_path / "plain/queries/queries.parquet")[0]} == {"_id", "text"}


def test_the_card_tells_machines_what_there_is(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "hf-dataset", tmp_path / "out", FACTS)
    card = header(tmp_path / "out")
    assert card["pretty_name"] == "Weather & tides"
    assert card["language"] == ["en"]
    assert card["license"] == "cc-by-sa-4.0"
    assert card["task_categories"] == ["text-retrieval"]
    assert card["size_categories"] == ["n<1K"]
    assert card["tags"] == ["beir", "information-retrieval", "question-answering"]
    assert card["configs"] == [
        {"config_name": "corpus", "data_files": [{"split": "corpus", "path": "corpus/corpus.parquet"}]},
        {"config_name": "queries", "data_files": [{"split": "queries", "path": "queries/queries.parquet"}]},
        {
            "config_name": "default",
            "data_files": [
                {"split": "dev", "path": "qrels/dev.parquet"},
                {"split": "test", "path": "qrels/test.parquet"},
            ],
        },
    ]
    info = {config["config_name"]: config for config in card["dataset_info"]}
    assert [(s["name"], s["num_examples"]) for s in info["default"]["splits"]] == [("dev", 1), ("test", 3)]
    assert info["corpus"]["download_size"] == (tmp_path / "out/corpus/corpus.parquet").stat().st_size


def test_the_card_has_the_sections_of_beirs_own(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "hf-dataset", tmp_path / "out", FACTS)
    text = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "\n# Weather & tides\n" in text
    assert "4 documents, 3 queries, 4 relevance judgments" in text
    section = {part.split("\n", 1)[0]: part for part in text.split("\n## ")[1:]}
    assert "question answering" in section["Supported tasks"]
    assert "`test`" in section["Supported tasks"]
    assert "`en-GB`" in section["Languages"]
    assert "`query-id`, `corpus-id`, `score`" in section["Dataset structure"]
    assert "| `test` | 2 | 3 | -1: 1, 0: 1, 2: 1 |" in section["Data splits"]
    assert "Somebody's notebook." in section["Source data"]
    assert "- one note less" in section["Source data"]
    assert "CC BY-SA 4.0" in section["Licensing information"]
    assert "```bibtex\n@misc{weather,\n  title = {Weather}\n}\n```" in section["Citation information"]
    assert section["Integrity"].count("| `qrels/") == 2


def test_what_is_not_known_is_not_invented(tmp_path: Path) -> None:
    bare = collection_of([Document("d", "", "t")], [], {})
    export_folder(bare, "hf-dataset", tmp_path / "out", Facts(name="bare"))
    card = header(tmp_path / "out")
    assert "language" not in card
    assert card["license"] == "unknown"
    assert [config["config_name"] for config in card["configs"]] == ["corpus", "queries"]
    text = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "## Languages\n\nNot stated." in text
    assert "## Licensing information\n\nNot stated." in text
    assert "## Data splits\n\nNothing is judged." in text


def test_options_stand_over_what_is_known(weather: Collection, tmp_path: Path) -> None:
    options = {
        "title": "Mine",
        "language": "he",
        "licence": "MIT",
        "source": "My desk.",
        "citation": "Me. ``` 2026.",
    }
    export_folder(weather, "hf-dataset", tmp_path / "out", FACTS, options)
    card, text = header(tmp_path / "out"), (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert (card["pretty_name"], card["language"], card["license"]) == ("Mine", ["he"], "mit")
    assert "My desk." in text
    assert "````bibtex\nMe. ``` 2026.\n````" in text


def test_splits_are_renamed_to_what_the_hub_takes(tmp_path: Path) -> None:
    odd = collection_of([Document("d", "", "t")], [], {"dl-2019": [Judgment("q", "d", 1)], "dev": []})
    with pytest.raises(DataError, match=r"--set splits\.dl-2019=dl_2019"):
        export_folder(odd, "hf-dataset", tmp_path / "out", FACTS)
    names = {"dl-2019": "test", "dev": "validation"}
    export_folder(odd, "hf-dataset", tmp_path / "out", FACTS, {"splits": names})
    assert rows(tmp_path / "out/qrels/test.parquet") == [{"query-id": "q", "corpus-id": "d", "score": 1}]
    assert rows(tmp_path / "out/qrels/validation.parquet") == []
    assert "`test` (in BEIR's form: `dl-2019`)" in (tmp_path / "out/README.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="did you mean 'dev'"):
        export_folder(odd, "hf-dataset", tmp_path / "x", FACTS, {"splits": {"dew": "test", "dl-2019": "a"}})
    with pytest.raises(UsageError, match="two splits get one name"):
        export_folder(odd, "hf-dataset", tmp_path / "x", FACTS, {"splits": {"dl-2019": "dev"}})


def test_a_grade_beyond_the_column_is_refused(tmp_path: Path) -> None:
    large = collection_of([Document("d", "", "t")], [], {"test": [Judgment("q", "d", 2**31)]})
    with pytest.raises(DataError, match=r"rows 1 to 1 do not fit Parquet"):
        export_folder(large, "hf-dataset", tmp_path / "out", FACTS)
    assert not (tmp_path / "out").exists()


def test_large_files_have_row_groups(tmp_path: Path) -> None:
    from pyarrow import parquet

    many = collection_of([Document(str(n), "", "t") for n in range(40_000)], [], {})
    export_folder(many, "hf-dataset", tmp_path / "out", FACTS)
    with parquet.ParquetFile(tmp_path / "out/corpus/corpus.parquet") as file:
        groups = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    assert groups == [16384, 16384, 7232]
    long = collection_of([Document(str(n), "", "t" * 2**16) for n in range(600)], [], {})
    export_folder(long, "hf-dataset", tmp_path / "long", FACTS)
    with parquet.ParquetFile(tmp_path / "long/corpus/corpus.parquet") as file:
        assert file.num_row_groups == 3


def test_says_how_to_install_pyarrow(
    weather: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"beirkit\[parquet\]"):
        export_folder(weather, "hf-dataset", tmp_path / "out", FACTS)
    assert not (tmp_path / "out").exists()


@given(collections())
def test_any_records_come_back(collection: Collection) -> None:
    with TemporaryDirectory() as place:
        export_folder(collection, "hf-dataset", Path(place) / "out", FACTS)
        assert records(convert("huggingface", Path(place) / "out")) == records(collection)


def test_the_converter_reads_every_split_back(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "hf-dataset", tmp_path / "out", FACTS)
    assert records(convert("huggingface", tmp_path / "out")) == records(weather)


@pytest.mark.parametrize(
    ("licence", "wanted"),
    [
        ("", "unknown"),
        ("CC BY 4.0", "cc-by-4.0"),
        ("cc-by-nc-sa-4.0", "cc-by-nc-sa-4.0"),
        ("Apache License 2.0", "apache-2.0"),
        ("MIT License", "mit"),
        ("ODC-By 1.0", "odc-by"),
        ("conflicting: CC BY 4.0, and CC BY-NC 2.0", "other"),
        ("the owner's agreement", "other"),
    ],
)
def test_a_licence_is_an_identifier_only_where_it_is_one(licence: str, wanted: str) -> None:
    assert licence_id(licence) == wanted


@given(st.integers(0, 10**9 - 1))
def test_size_categories_hold_their_size(documents: int) -> None:
    low, _, high = (
        size_category(documents).rpartition("<n<")
        if "<n<" in size_category(documents)
        else ("0", "", size_category(documents)[2:])
    )
    assert _number(low) <= documents < _number(high)


def _number(text: str) -> int:
    factor = {"K": 10**3, "M": 10**6, "B": 10**9}
    return int(text[:-1]) * factor[text[-1]] if text[-1] in factor else int(text)
