"""Plain blocks of a run are taken apart to what a look at each line gives; other blocks are left alone."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from beirkit.corpora.packed_ids import PackedIds, ordinals, take
from beirkit.corpora.run import Run, id_ranks
from beirkit.corpora.run_blocks import plain_block
from beirkit.corpora.run_columns import RunColumns
from beirkit.corpora.run_files import read_run


def line(query: str = "q", doc: str = "d1", score: str = "1.5", tag: str = "t") -> bytes:
    return f"{query} Q0 {doc} 1 {score} {tag}\n".encode()


def same(a: Run, b: Run) -> None:
    assert a.to_dict() == b.to_dict()
    assert [pairs for _, pairs in a.lists()] == [pairs for _, pairs in b.lists()]
    assert (list(a.query_ids), a.tag) == (list(b.query_ids), b.tag)
    assert str(a.scores.tolist()) == str(b.scores.tolist())  # zeros have signs


def by_lines(content: bytes) -> Run:
    """The run as it is read where no block is plain."""
    columns = RunColumns(Path("x"))
    columns._settle()
    columns.add_block(content)
    return columns.run(strict=False)


plain_ids = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=10)
decimals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=4, allow_nan=False).map(str),
    st.integers(-(10**18), 10**18).map(str),
    st.from_regex(r"[+-]?([0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?", fullmatch=True),
)


@given(
    st.lists(st.tuples(plain_ids, plain_ids, decimals), min_size=1, max_size=30),
    st.sampled_from(["", "MED-"]),
)
def test_plain_blocks_give_what_lines_give(rows: list[tuple[str, str, str]], prefix: str) -> None:
    rows.sort(key=lambda row: row[0])
    content = b"".join(line(query, prefix + doc, score) for query, doc, score in rows)
    columns = RunColumns(Path("x"))
    columns.add_block(content)
    same(columns.run(strict=False), by_lines(content))


@given(decimals)
@example("0")
@example("-0")
@example("-0.0")
@example("9007199254740993")
@example("0.1000000000000000055511151231257827")
@example("000000000.5")
@example("5.")
@example("-.5")
def test_scores_are_what_python_reads(score: str) -> None:
    found = plain_block(line(score=score) + line(score="-12.25"), None)
    if len(score) > 32:
        assert found is None
    else:
        assert found is not None
        assert list(map(repr, found[0].scores.tolist())) == [repr(float(score)), "-12.25"]


@pytest.mark.parametrize(
    "score", ["-", ".", "-.", "1-2", "--1", "1.2.3", "1_0", "nan", "inf", "1e999", "x", "0x1", "+-1", "1,5"]
)
def test_scores_that_are_none_are_left_to_the_look_at_each_line(score: str) -> None:
    assert plain_block(line() + line(score=score), None) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        line() + b"\n" + line(),
        line(doc="\u00e9"),
        line(doc="a\x7f"),
        line(doc="a\x00b"),
        line(doc="a\x01b"),
        b"q Q0 a 1\x0b1.5 t\n",
        line(doc="x" * 9) + line(doc="y" * 9),
        line(query="q" * 33),
        b"q Q0 a 1 1.5\nq Q0 a 1 1.5 t u\n",
        line(tag="two words"),
    ],
)
def test_what_is_not_plain(content: bytes) -> None:
    assert plain_block(content, None) is None


@pytest.mark.parametrize("end", [b"", b"\r"])
@pytest.mark.parametrize("last", [b"", b"\n"])
def test_tabs_blanks_and_a_missing_end_are_plain(end: bytes, last: bytes) -> None:
    content = b"  q1\tQ0  doc10\t1 2.5 tag" + end + b"\nq1 Q0 doc9 2 1.5 tag" + end + last
    found = plain_block(content, None)
    assert found is not None
    columns, prefix = found
    assert (columns.query_ids, columns.lengths.tolist(), columns.tag, prefix) == (
        [b"q1"],
        [2],
        b"tag",
        b"doc",
    )
    assert PackedIds(prefix, columns.keys)[:] == ["doc10", "doc9"]
    assert columns.scores.tolist() == [2.5, 1.5]


def test_a_file_that_stops_being_plain_is_read_as_if_it_never_had_been(tmp_path: Path) -> None:
    draw = random.Random(5)
    rows = [(f"q{n // 1000}", f"doc{draw.randrange(10**6)}", f"{draw.random():.6f}") for n in range(30_000)]
    plain = b"".join(line(*row) for row in dict.fromkeys(rows))
    for odd in (b"", line("q9", "other"), line("q9", "doc\u00e9"), b"\n", line("q9", "doc" + "9" * 20)):
        (tmp_path / "run.trec").write_bytes(plain + odd + plain.replace(b"q", b"r"))
        run = read_run(tmp_path / "run.trec")
        assert isinstance(run.doc_ids, PackedIds) == (odd == b"")
        same(run, by_lines(plain + odd + plain.replace(b"q", b"r")))


def test_packed_ids_are_a_sequence_of_texts() -> None:
    texts = sorted({f"MED-{n}" for n in (1, 10, 2, 99999999, 5, 100)} | {"MED-a~"})
    keys = np.array([one.removeprefix("MED-").encode() for one in texts], dtype="S8").view(">u8")
    ids = PackedIds(b"MED-", keys.astype(np.uint64))
    assert list(ids) == texts == ids[:]
    assert [ids[i] for i in range(len(ids))] == texts
    assert ids[-1] == texts[-1]
    assert take(ids, np.array([2, 0])) == [texts[2], texts[0]] == take(texts, np.array([2, 0]))
    assert id_ranks(ids).tolist() == id_ranks(texts).tolist()
    asked = ["MED-5", "MED-", "MED-6", "5", "MED-5\0", "MED-999999999", "MED-\ud800", "", "MED-a~", "NED-5"]
    expected = [texts.index(one) if one in texts else -1 for one in asked]
    assert ordinals(ids, asked).tolist() == expected == ordinals(texts, asked).tolist()
    assert "MED-10" in ids
    assert "MED-11" not in ids
    none = PackedIds(b"", np.empty(0, dtype=np.uint64))
    assert (list(none), ordinals(none, ["a"]).tolist()) == ([], [-1])
