"""Mending: any folder, sound, spoiled or published, ends mended or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.corpora.check import check_folder
from beirkit.corpora.errors import BeirkitError, DataError
from beirkit.corpora.mend import mend_folder
from beirkit.corpora.mend_rules import RulesNeededError
from tests.corpora.mending import STRICT, data, made

LINES = st.sampled_from(
    [
        *(
            f'{{"_id": "{row[0]}", "title": "{row[1]}", "text": "{row[2]}"}}'
            for row in (("a", "", "x"), ("a", "", "y"), ("b", "t", ""))
        ),
        '{"_id": "c", "title": null, "text": ""}',
        '{"_id": "a\\u0001", "text": "x"}',
        '{"_id": "a", "text": "x"}{"_id": "d", "text": "z"}',
        '{"_id": 7, "text": "\\u0002", "extra": [1]}',
        '{"_id":"g","title":"\\u00e4","text":"\\u0007", "metadata":{"n":1.10}}',
        '{"_id": "h", "text": "x", "n": 1e5, "metadata": {"n": 1.10}}',
        '{"_id": "h", "text": "x", "n": 1e5, "n": 1, "metadata": {}}',
        '{"_id": "e", "text": null}',
        '{"_id": "\u00e9", "text": "x"}',
        *("", "  ", "[]", '{"_id": "f"', '{"text": "no id"}', '{"_id": "\udcff", "text": ""}', '"x"'),
    ]
)
ROWS = st.sampled_from(
    [
        *(
            "query-id\tcorpus-id\tscore",
            "corpus-id\tquery-id\tscore",
            "one\ttwo\tthree",
            "a 0 a 1",
            "a\ta",
            "# note",
        ),
        *(
            "a\ta\t1",
            "a\ta\t0",
            "a\tb\t2.0",
            "a\tb\t2",
            "c\ta\t0",
            "z\ta\t1",
            "a\tz\t1",
            '"a"\t"b"\t1',
            '"a"\t"b"\t"1"',
            '"""a"""\t"b ""c"""\t1',
            "a\tb\t1\ra\tz\t2",
            "a\tb\t1.5",
        ),
        *("e\u0301\ta\t1", "a\te\u0301\t1", "a\t\u00e9\t1"),
        *("a\x01\ta\t1", "a\t\t1", "a\tb", "", "7\t7\t99999999999", "\udcff\ta\t1"),
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", ""])


def text(lines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(["", "\ufeff"]), st.lists(lines, max_size=7), ENDS).map(
        lambda parts: parts[0] + "\n".join(parts[1]) + parts[2]
    )


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpus=text(LINES), queries=text(LINES), qrels=text(ROWS))
def test_with_every_rule_given_no_error_is_left(
    corpus: str, queries: str, qrels: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("mend")
    folder = made(place, corpus, queries, qrels)
    try:
        mend_folder(folder, place / "out", STRICT)
    except DataError as error:
        if "would be left" in error.found:  # refused, and told why
            return
        raise
    empty = {code for code, text in (("BK043", corpus), ("BK044", queries)) if not text.strip("\ufeff \r\n")}
    left = {finding.code for finding in check_folder(place / "out") if finding.severity == "error"}
    assert left == empty
    report = mend_folder(place / "out", place / "again", STRICT)
    assert report.changes == []
    first, second = data(place / "out"), data(place / "again")
    assert first | {"manifest.json": b""} == second | {"manifest.json": b""}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(files=st.tuples(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60)))
def test_any_bytes_are_mended_or_refused(
    files: tuple[bytes, bytes, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("bytes")
    folder = made(place)
    for name, content in zip(("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"), files, strict=True):
        (folder / name).write_bytes(content)
    try:
        mend_folder(folder, place / "out", STRICT)
    except BeirkitError:
        assert not (place / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("scifact", []),
        ("cranfield", ["empty-documents"]),
        ("cisi", []),
        ("heq_he", []),
        *((f"xquad/beir/{language}", []) for language in ("ar", "en", "hi", "zh")),
    ],
)
def test_published_folders_stay_byte_for_byte(
    name: str, asked: list[str], shared: Path, tmp_path: Path
) -> None:
    source = shared / "data" / (name if "/" in name else f"{name}/beir")
    if asked:
        with pytest.raises(RulesNeededError) as caught:
            mend_folder(source, tmp_path / "out")
        assert [each.rule for each in caught.value.needed] == asked
    report = mend_folder(source, tmp_path / "out", dict.fromkeys(asked, "keep"))
    assert report.changes == []
    assert {
        file: content for file, content in data(tmp_path / "out").items() if file != "manifest.json"
    } == data(source)
