"""`beirkit qrels`: what it prints where, what it writes, what it refuses."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.corpora.folder import open_folder, write_folder
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.sample import sample

HEADER = "query-id\tcorpus-id\tscore\n"
BIRDS = {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}, "q4": {"d4": 1}}


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Judgments of four grades in TREC's form."""
    path = tmp_path / "raw.qrel"
    path.write_text("q1 0 d1 3\nq1 0 d2 1\nq1 0 d3 2\nq2 0 d1 1\nq3 0 d 0\n", encoding="utf-8")
    return path


def test_a_look(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["qrels", str(birds)]) == 0
    shown = capsys.readouterr()
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["birds@test"] in rows
    assert ["1", "4", "80.0%", "4"] in rows
    assert ["2", "1", "20.0%", "1"] in rows
    assert ["judged", "documents", "1", "1", "1.25", "2"] in rows
    assert "content id " in shown.err
    assert main(["qrels", str(birds), "--json"]) == 0
    shown = capsys.readouterr()
    data = json.loads(shown.out)
    assert shown.err == ""
    assert (data["source"], data["judgments"], data["grades"]) == ("birds@test", 5, {"1": 4, "2": 1})


def test_judgments_go_to_standard_output_and_the_summary_beside_it(
    raw: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    words = ["qrels", str(raw), "--where", "grade > 0", "--grades", "3=2,2=1,1=drop", "--to", "beir"]
    assert main(words) == 0
    shown = capsysbinary.readouterr()
    assert shown.out.decode() == HEADER + "q1\td1\t2\nq1\td3\t1\n"
    assert shown.err.decode().splitlines()[:4] == [
        "beirkit: 2 judgments of 1 query (grade 1: 1, grade 2: 1)",
        "beirkit: --where dropped 1 judgment",
        "beirkit: --grades dropped 2 judgments",
        "beirkit: --grades changed 2 grades",
    ]
    assert main([*words, "--quiet"]) == 0
    assert capsysbinary.readouterr().err == b""


@pytest.mark.parametrize("name", ["t.tsv.gz", "t.trec", "t.jsonl", "t.json"])
def test_the_name_of_the_file_picks_the_form(
    name: str, birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["qrels", str(birds), "--out", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["out"] == name
    assert read_qrels(tmp_path / name) == BIRDS


def test_steps(raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ids").write_text("q1\nq2\nq7\n", encoding="utf-8")
    assert main(["qrels", str(raw), "--queries", "ids", "--binarize", "2", "--out", "t.tsv"]) == 0
    assert read_qrels(tmp_path / "t.tsv") == {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 0}}
    told = capsys.readouterr().err
    assert "--queries dropped 1 judgment\n" in told
    assert "--binarize changed 4 grades: 2 and more are 1, others 0" in told
    assert "1 id of ids has no judgment (e.g. q7)" in told
    assert main(["qrels", str(raw), "--min-grade", "2", "--binarize", "--out", "u.tsv"]) == 0
    assert read_qrels(tmp_path / "u.tsv") == {"q1": {"d1": 1, "d3": 1}}


def test_merging(raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "more.tsv").write_text(HEADER + "q1\td1\t1\nq1\td2\t1\nq9\td1\t1\n", encoding="utf-8")
    words = ["qrels", str(raw), "more.tsv", "--out", "t.tsv"]
    assert main(words) == 2
    assert "query 'q1' and document 'd1': 3 and 1" in capsys.readouterr().err
    assert main([*words, "--merge", "max"]) == 0
    assert read_qrels(tmp_path / "t.tsv")["q1"] == {"d1": 3, "d2": 1, "d3": 2}
    assert "merged 2 sources: 1 judgment the same, 1 settled" in capsys.readouterr().err


def test_difference(raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "new.tsv").write_text(HEADER + "q1\td1\t2\nq1\td3\t1\nq9\td1\t1\n", encoding="utf-8")
    assert main(["qrels", str(raw), "--diff", "new.tsv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[:4] == [
        f"from {raw} to new.tsv: 1 added, 3 removed, 2 graded otherwise, 0 the same",
        "1 judged query more: q9",
        "2 judged queries fewer: q2, q3",
        "grades: 2 to 1: 1; 3 to 2: 1",
    ]
    assert ["q1", "0", "1", "2"] in [row.split() for row in rows]
    assert (
        main(
            [
                "qrels",
                str(raw),
                "--where",
                "grade>0",
                "--grades",
                "3=2,2=1,1=drop",
                "--diff",
                "new.tsv",
                "--json",
            ]
        )
        == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert (data["added"], data["removed"], data["changed"], data["same"]) == (1, 0, 0, 2)
    assert data["queries"] == {"q9": {"added": {"d1": 1}, "removed": {}, "changed": {}}}


def test_splits(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (birds / "qrels" / "dev.tsv").write_text(HEADER + "q1\td2\t1\n", encoding="utf-8")
    assert main(["qrels", str(birds)]) == 2
    assert "it has dev, test" in capsys.readouterr().err
    assert main(["qrels", str(birds), "--split", "dev", "--split", "test", "--out", "t.tsv"]) == 0
    assert read_qrels(tmp_path / "t.tsv")["q1"] == {"d2": 1, "d1": 2, "d3": 1}
    (birds / "corpus.jsonl").unlink()
    assert main(["qrels", str(birds), "--split", "dev", "--out", "u.tsv"]) == 0
    assert read_qrels(tmp_path / "u.tsv") == {"q1": {"d2": 1}}
    assert main(["qrels", "t.tsv", "--split", "dev"]) == 2
    assert "has no splits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--to", "bier"], "did you mean 'beir'?"),
        (["--to", "beir", "--json"], "add --out FILE"),
        (["--to", "parquet"], "add --out FILE.parquet"),
        (["--out", "-"], "add --to beir"),
        (["--out", "t.dat"], "say it with --to"),
        (["--diff", "x", "--to", "beir"], "--diff only looks"),
        (["--where", "grade>>2"], "column 7"),
        (["--grades", "1"], "is not OLD=NEW"),
        (["--grades", "1=2"], "no new grade is given for 0 (1 judgments), 2 (1 judgments), 3 (1 judgments)"),
        (["--queries", "nowhere.txt"], "nowhere.txt: does not exist"),
    ],
)
def test_refused(words: list[str], message: str, raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["qrels", str(raw), *words]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_an_id_that_trec_cannot_carry_leaves_no_half_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd.tsv").write_text(HEADER + "q1\td1\t1\nq1\td 2\t1\n", encoding="utf-8")
    assert main(["qrels", "odd.tsv", "--to", "trec"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "document id 'd 2' holds white space" in shown.err
    assert "--to jsonl" in shown.err


def test_a_sample_does_not_leave_the_tool(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(sample(open_folder(birds), "test", queries=2), tmp_path / "part")
    assert main(["qrels", "part"]) == 0
    assert main(["qrels", "part", "--out", "t.tsv"]) == 2
    assert "part@test is a sample" in capsys.readouterr().err
    assert not (tmp_path / "t.tsv").exists()


def test_two_columns_need_a_grade(tmp_path: Path, birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("query-id\tcorpus-id\nq1\td1\nq2\td2\n", encoding="utf-8")
    assert main(["qrels", str(pairs)]) == 2
    assert "say default_relevance=1 or --default-relevance 1" in capsys.readouterr().err
    words = ["qrels", str(pairs), "--default-relevance", "2"]
    assert main([*words, "--to", "beir"]) == 0
    assert capsys.readouterr().out == HEADER + "q1\td1\t2\nq2\td2\t2\n"
    assert main([*words, "--diff", str(pairs), "--json"]) == 0  # for the other side too
    assert json.loads(capsys.readouterr().out)["same"] == 2
    (birds / "qrels" / "test.tsv").write_bytes(pairs.read_bytes())
    assert main(["qrels", str(birds), "--default-relevance", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["grades"] == {"3": 2}


def _type_in(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize(
    "content",
    [
        b"q1 0 d1 3\nq2 0 d2 -1\n",
        HEADER.encode() + b"q1\td1\t3\nq2\td2\t-1\n",
        gzip.compress(b"q1 0 d1 3\nq2 0 d2 -1\n"),
        b'{"qid": "q1", "docid": "d1", "rel": 3}\n{"qid": "q2", "docid": "d2", "rel": -1}\n',
        b'{"q1": {"d1": 3},\n"q2": {"d2": -1}}\n',
    ],
    ids=["trec", "beir", "gzip", "jsonl", "json"],
)
def test_standard_input_is_told_by_what_it_holds(
    content: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _type_in(monkeypatch, content)
    assert main(["qrels", "-", "--to", "trec"]) == 0
    assert capsys.readouterr().out == "q1 0 d1 3\nq2 0 d2 -1\n"


def test_a_mistake_in_standard_input_is_told_with_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _type_in(monkeypatch, b"q1 0 d1 3\nq2 0 d2 many\n")
    assert main(["qrels", "-"]) == 2
    assert "beirkit: error: standard input:2: the grade is 'many'" in capsys.readouterr().err
    assert main(["qrels", "-", "/dev/stdin"]) == 2
    assert "standard input can be read once only" in capsys.readouterr().err


def test_a_pipe_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"q1 0 d1 3\n"), daemon=True)
    writer.start()
    assert main(["qrels", str(pipe), "--to", "trec"]) == 0
    writer.join(10)
    assert capsys.readouterr().out == "q1 0 d1 3\n"


def test_grades_below_zero_are_written_as_they_are(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw.write_text("q1 0 d1 -1\nq1 0 d2 1\n", encoding="utf-8")
    assert main(["qrels", str(raw), "--grades", "-1=0,1=1", "--to", "trec"]) == 0
    assert capsys.readouterr().out == "q1 0 d1 0\nq1 0 d2 1\n"


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "manifest.json"])
def test_a_part_of_a_folder_is_not_written_over(
    raw: Path, birds: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (birds / name).touch()
    before = (birds / name).read_bytes()
    for spelt in (birds / name, birds / "qrels" / ".." / name):
        assert main(["qrels", str(raw), "--out", str(spelt), "--to", "jsonl"]) == 2
        assert "--out would write over a part of the BEIR folder birds" in capsys.readouterr().err
    assert (birds / name).read_bytes() == before


@pytest.mark.parametrize("content", ["to do: buy bread\n", "q1 Q0 d1 1 2.0 mine\n", "word\n"])
def test_only_judgments_are_replaced_by_judgments(
    raw: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = raw.with_name("out.tsv")
    out.write_text(content, encoding="utf-8")
    assert main(["qrels", str(raw), "--out", str(out)]) == 2
    assert "out.tsv: --out would replace a file that is no file of judgments" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == content
    for old in ("", HEADER, "q9 0 d9 1\n"):
        out.write_text(old, encoding="utf-8")
        assert main(["qrels", str(raw), "--out", str(out), "-q"]) == 0
        assert read_qrels(out) == read_qrels(raw)


@pytest.mark.parametrize("linked", [False, True])
def test_a_source_is_replaced_only_when_asked(
    raw: Path, linked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = raw.read_bytes()
    out = tmp_path / "link.qrel" if linked else raw
    if linked:
        out.symlink_to(raw)
    words = ["qrels", str(raw), "--min-grade", "3", "--to", "trec", "--out", str(out)]
    assert main(words) == 2
    assert "--out would write over what is read (choose another name, or add --overwrite)" in (
        capsys.readouterr().err
    )
    assert raw.read_bytes() == before
    assert main([*words, "--overwrite", "-q"]) == 0
    assert raw.read_text() == "q1 0 d1 3\n"


def test_the_judgments_of_a_source_folder_are_not_replaced(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["qrels", str(birds), "--out", str(birds / "qrels" / "test.tsv")]) == 2
    assert "--out would write over what is read" in capsys.readouterr().err
    assert main(["qrels", str(birds), "--out", str(birds / "qrels" / "dev.tsv"), "-q"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nofile.tsv"], "error: nofile.tsv: does not exist"),
        (["no/file.qrels.gz"], "error: no/file.qrels.gz: does not exist"),
        (["raw.qrel", "--out", "q.tsv/"], "q.tsv/: --out names a folder"),
        (["raw.qrel", "--queries", "broken.json"], "broken.json: is not JSON"),
        (["raw.qrel", "--queries", "odd.json"], "odd.json: is neither an array of ids nor an object"),
    ],
)
def test_names_of_files_that_will_not_do(
    words: list[str], message: str, raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.json").write_text("[1,")
    (tmp_path / "odd.json").write_text('[["q1"]]')
    assert main(["qrels", *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "q.tsv").exists()


@pytest.mark.parametrize("content", ['["q1", "q3"]', '{"q1": "text", "q3": ""}'])
def test_queries_may_be_json(
    content: str, raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ids.json").write_text(content)
    assert main(["qrels", str(raw), "--queries", "ids.json", "--where", "doc matches 'd[^1-9]*'"]) == 0
    assert main(["qrels", str(raw), "--queries", "ids.json", "--to", "trec", "-q"]) == 0
    assert capsys.readouterr().out.endswith("q1 0 d1 3\nq1 0 d2 1\nq1 0 d3 2\nq3 0 d 0\n")


def test_nothing_in_standard_input_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _type_in(monkeypatch, b"")
    assert main(["qrels", "-"]) == 2
    assert "standard input: is empty (did the command before it fail?)" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["{q} 0 d1 3", "{q}\td1\t3", '{"q 0 d1 3'])
def test_ids_may_begin_as_json_does(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _type_in(monkeypatch, f"{line}\n".encode())
    assert main(["qrels", "-", "--to", "beir", "-q"]) == 0
    assert capsys.readouterr().out == HEADER + line.replace(" 0 ", "\t").replace(" ", "\t") + "\n"


@pytest.mark.parametrize("suffix", [".bz2", ".zst"])
def test_judgments_are_compressed_as_the_name_says(suffix: str, raw: Path, tmp_path: Path) -> None:
    assert main(["qrels", str(raw), "--out", f"out.tsv{suffix}", "-q"]) == 0
    assert read_qrels(tmp_path / f"out.tsv{suffix}") == read_qrels(raw)
