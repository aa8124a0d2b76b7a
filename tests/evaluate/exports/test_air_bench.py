"""AIR-Bench's tree and zip, and what its own check lets through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.boards import AirBench, air_bench
from beirkit.corpora.errors import UsageError
from beirkit.evaluate.exports.air_bench import AirBenchOptions, AirBenchResults
from beirkit.evaluate.exports.known import Known
from beirkit.evaluate.exports.zips import write_zip
from tests.evaluate.exports.small_results import golden, make_entry, told, tree

PLACE = "qa/finance/en_default"
FILE = "bm25/NoReranker/qa/finance/en_default_test.json"


@pytest.fixture
def written(tmp_path: Path, small_board: AirBench) -> Path:
    out = tmp_path / "out"
    AirBenchResults().write([make_entry(tmp_path)], out, AirBenchOptions(places={"birds": PLACE}))
    return out


def with_file(folder: Path, name: str = FILE, **changes: Any) -> list[str]:
    """Problems of the tree without its zip, once keys of a file were changed (None: taken out)."""
    path = folder / name
    data = json.loads((folder / FILE).read_text(encoding="utf-8")) | changes
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({k: v for k, v in data.items() if v is not None}), encoding="utf-8")
    (folder / "bm25_NoReranker.zip").unlink(missing_ok=True)
    return told(AirBenchResults().validate(folder))


def test_golden(written: Path) -> None:
    assert tree(written) == golden("air-bench")
    assert AirBenchResults().validate(written) == []


def test_every_way_to_name_it_is_valid(written: Path) -> None:
    for path in (written, written / "bm25", written / FILE, written / "bm25_NoReranker.zip"):
        assert AirBenchResults().validate(path) == []


def test_the_zip_holds_no_dev_part(tmp_path: Path, small_board: AirBench) -> None:
    lists = {"q8": {"d1": 1.0}, "q9": {"d1": 1.0}}
    dev = make_entry(tmp_path, split="dev", lists=lists, qrels={"q8": {"d1": 1}, "q9": {"d1": 1}})
    out = tmp_path / "out"
    AirBenchResults().write([make_entry(tmp_path), dev], out, AirBenchOptions(places={"birds": PLACE}))
    assert set(tree(out)) == {
        FILE,
        "bm25/NoReranker/qa/finance/en_default_dev.json",
        "bm25_NoReranker.zip!qa/finance/en_default_test.json",
    }
    assert AirBenchResults().validate(out) == []


@pytest.mark.parametrize(
    ("places", "split", "said"),
    [
        ({}, "test", "its place is not known"),
        ({"birds": "qa/finance/default"}, "test", "'qa/finance/default' is no dataset of AIR-Bench_24.05"),
        ({"birds": "qa/web/en_default"}, "dev", "qa/web/en_default has no split 'dev'"),
        ({"birds": PLACE}, "dev", "has 3 queries, and AIR-Bench 2: it is another set"),
    ],
)
def test_what_is_no_part_of_the_board_is_refused(
    tmp_path: Path, small_board: AirBench, places: dict[str, str], split: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        AirBenchResults().write(
            [make_entry(tmp_path, split=split)], tmp_path / "out", AirBenchOptions(places=places)
        )


def test_missing_split_key(written: Path) -> None:
    assert with_file(written, split=None) == ["split: no such key"]


def test_dev_queries_in_a_test_file(written: Path) -> None:
    lists = {f"q{n}": {"d1": 1.0} for n in range(1, 5)}
    assert with_file(written, search_results=lists) == ["search_results: 4 queries"]
    assert with_file(written, search_results={"q1": {"d1": 1.0}}) == ["search_results: 1 queries"]
    dev = {"q1": {"d1": 1.0}, "q9": {"d1": 1.0}}
    both = with_file(written, FILE.replace("test", "dev"), split="dev", search_results=dev)
    assert "search_results.q1: a query that stands in the dev part too" in both


def test_dev_queries_are_known_by_the_dataset(written: Path) -> None:
    known = Known(
        dataset="birds",
        splits={"test": frozenset({"q1", "q2"}), "dev": frozenset({"q3"})},
        queries=frozenset({"q1", "q2", "q3"}),
        documents=frozenset({"d1", "d2", "d3", "d4"}),
    )
    assert told(AirBenchResults().validate_against(written / FILE, known)) == [
        "search_results.q2.d5: a document that birds does not have",
        "search_results.q3: a query of the split 'dev'",
        "search_results.q3.d5: a document that birds does not have",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bm25/NoReranker/qa/finance/en_standard_test.json", "'qa/finance/en_standard'"),
        ("bm25/NoReranker/qa/fin/en_default_test.json", "'qa/fin/en_default'"),
        ("bm25/NoReranker/long-doc/law/en_lex_1K_test.json", "'test'"),
        ("qa/finance/bm25/NoReranker/x/en_default_test.json", "'qa/finance/bm25/NoReranker/x/en_defau"),
    ],
)
def test_wrong_names_of_folders_and_datasets(written: Path, name: str, said: str) -> None:
    assert any(one.startswith(f": {said}") for one in with_file(written, name))


def test_a_tree_without_the_reranker_contradicts_itself(written: Path) -> None:
    found = with_file(written, "bm25/qa/finance/en_default_test.json")
    assert found == ["model_name: 'bm25'", "reranker_name: 'NoReranker'"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"dataset_name": "other"}, "dataset_name: 'other'"),
        ({"benchmark_version": "AIR-Bench_24.04"}, "benchmark_version: 'AIR-Bench_24.04'"),
        ({"colour": "red"}, "colour: a key that the format does not have"),
        ({"search_results": []}, "search_results: []"),
    ],
)
def test_keys_that_contradict(written: Path, changes: dict[str, Any], said: str) -> None:
    assert said in with_file(written, **changes)


def test_scores_are_numbers(written: Path) -> None:
    lists = {"q1": {"d1": "0.5"}, "q2": {"d1": True}, "q3": {"": 1.0}}
    assert with_file(written, search_results=lists) == [
        "search_results.q1.d1: '0.5'",
        "search_results.q2.d1: True",
        "search_results.q3.: an id that is empty",
    ]
    (written / FILE).write_text('{"search_results": {"q1": {"d1": NaN}}}', encoding="utf-8")
    assert told(AirBenchResults().validate(written / FILE)) == [": NaN, which is no JSON"]


def test_zips_are_checked(written: Path) -> None:
    data = (written / FILE).read_bytes()
    zips = written / "bm25_NoReranker.zip"
    write_zip(zips, {"en_default_test.json": data, "../out.json": data})
    assert any("leads out of it" in one for one in told(AirBenchResults().validate(zips)))
    write_zip(zips, {"bm25/NoReranker/qa/finance/en_default_test.json": data})
    assert told(AirBenchResults().validate(zips)) != []
    dev = data.replace(b'"split": "test"', b'"split": "dev"')
    write_zip(zips, {"qa/finance/en_default_dev.json": dev})
    assert "split: 'dev'" in told(AirBenchResults().validate(zips))
    zips.write_bytes(b"PK no zip")
    assert any("is no zip" in one for one in told(AirBenchResults().validate(zips)))


def test_steps_tell_how_much_of_the_board_is_covered(written: Path) -> None:
    first = AirBenchResults().steps(written)[0]
    assert first.what == "upload bm25_NoReranker.zip: 1 of the board's 2 test sets"
    assert first.done is False


def test_the_shipped_table() -> None:
    board = air_bench()
    assert board.queries["qa/arxiv/en_default"] == {"dev": 346, "test": 1385}
    assert sum("test" in splits for splits in board.queries.values()) == 64
