"""Output folders of TIRA, and what its checks let through."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.exports.submission import write_submission
from beirkit.evaluate.exports.tira import METADATA, Tira, TiraOptions
from tests.evaluate.exports.small_results import changed, golden, make_entry, told, tree

OPTIONS = TiraOptions(team="ann", repository="https://example.org/ann/code")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    out = tmp_path / "out"
    entry = make_entry(tmp_path / "results")
    Tira().write([entry], out, OPTIONS)
    write_submission(out, "tira", "", {}, [entry])
    return out


def with_metadata(folder: Path, old: str, new: str) -> list[str]:
    path = folder / METADATA
    path.write_bytes(changed(path.read_bytes(), old, new))
    return told(Tira().validate(folder))


def test_golden(tmp_path: Path) -> None:
    out = tmp_path / "out"
    Tira().write([make_entry(tmp_path / "results")], out, OPTIONS)
    assert tree(out) == golden("tira")
    assert Tira().validate(out) == []


def test_several_results_are_several_folders(tmp_path: Path) -> None:
    entries = [make_entry(tmp_path / "results"), make_entry(tmp_path / "results", system="bm25 two")]
    Tira().write(entries, tmp_path / "out", OPTIONS)
    assert {name.rpartition("/")[0] for name in tree(tmp_path / "out")} == {
        "birds@test/bm25",
        "birds@test/bm25-two",
    }
    assert Tira().validate(tmp_path / "out") == []


def test_the_place_of_the_dataset_stays_here(written: Path) -> None:
    assert not any(b"private" in data for data in tree(written).values())


def test_a_file_is_that_of_its_folder_or_none(written: Path) -> None:
    """A valid folder somewhere below says nothing of another file."""
    (other := written.parent / "notes.txt").write_text("none")
    (line,) = told(Tira().validate(other))
    assert "notes.txt" in line
    assert Tira().validate(other)[0].expected == "run.txt or run.txt.gz, beside ir-metadata.yml"
    for name in ("run.txt", METADATA):
        assert Tira().validate(written / name) == []
    (written / "run.txt").write_text("none\n")
    assert told(Tira().validate(written / METADATA))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (TiraOptions(repository="https://example.org/x"), "asks for the team"),
        (TiraOptions(team="ann"), "asks for the repository"),
        (TiraOptions(team="ann", repository="my code"), "'my code' is no address"),
    ],
)
def test_what_nobody_else_knows_is_asked_for(tmp_path: Path, options: TiraOptions, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Tira().write([make_entry(tmp_path)], tmp_path / "out", options)


def test_small_runs_and_samples_are_refused(tmp_path: Path) -> None:
    small = make_entry(tmp_path / "a", lists={"q1": {"d1": 1.0}, "q2": {"d2": 1.0}})
    with pytest.raises(UsageError, match="2 results for 3 queries; TIRA refuses"):
        Tira().write([small], tmp_path / "out", OPTIONS)
    with pytest.raises(UsageError, match="is a sample"):
        Tira().write([make_entry(tmp_path / "b", sampled=True)], tmp_path / "out", OPTIONS)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("team: ann", "team: ''", "actor.team: ''", id="empty string"),
        pytest.param("team: ann", "team: ENTER_VALUE_HERE", "actor.team: 'ENTER_VALUE_HERE'", id="default"),
        pytest.param("team: ann", "team: 7", "actor.team: 7", id="no text"),
        pytest.param("team: ann", "teams: ann", "actor.team: nothing", id="missing"),
        pytest.param(
            "https://example.org/ann/code", "somewhere",
            "implementation.source.repository: 'somewhere'", id="any repository text",
        ),
        pytest.param("actor:", "colour: red\nactor:", "colour: 'colour'", id="unknown key"),
        pytest.param(
            "name: birds/test", "name: beir/scifact/test",
            "data.test collection.name: 'beir/scifact/test'", id="another data set",
        ),
        pytest.param("actor:", "ir_metadata.start\nactor:", "line 1: 'ir_metadata.start'", id="bare marker"),
    ],
)  # fmt: skip
def test_what_the_check_of_metadata_lets_through(written: Path, old: str, new: str, said: str) -> None:
    found = with_metadata(written, old, new)
    assert said in found or (said.startswith("line 1") and any("no YAML" in one for one in found))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("q1 Q0 d1 1", "q1 Q0 d1 0", "line 1: rank: '0'"),
        ("d2 2 1.25", "d2 2 4.25", "line 2: score: 4.25 below 3.5"),
    ],
)
def test_what_the_check_of_runs_lets_through(written: Path, old: str, new: str, said: str) -> None:
    run = written / "run.txt"
    run.write_bytes(changed(run.read_bytes(), old, new))
    assert said in told(Tira().validate(written))


def test_what_tira_refuses_is_told(written: Path) -> None:
    run = (written / "run.txt").read_bytes()
    (written / "run.txt").write_bytes(b"".join(run.splitlines(keepends=True)[:3]))
    assert told(Tira().validate(written)) == [": 3 lines", ": 1 queries"]
    (written / "run.txt.gz").write_bytes(b"")
    assert ": run.txt and run.txt.gz" in told(Tira().validate(written))
    (written / "run.txt").unlink()
    (written / "run.txt.gz").unlink()
    assert told(Tira().validate(written)) == [": neither run.txt nor run.txt.gz"]


def test_metadata_may_be_missing(written: Path) -> None:
    (written / METADATA).unlink()
    found = Tira().validate(written)
    assert told(found) == []
    assert told(found, "warning") == [": no such file"]


def test_steps_name_the_clients_commands(tmp_path: Path) -> None:
    entries = [make_entry(tmp_path / "results"), make_entry(tmp_path / "results", system="bm25 two")]
    out = tmp_path / "out"
    Tira().write(entries, out, OPTIONS)
    described, *_, first, second, _last = Tira().steps(out)
    assert (described.done, described.what) == (True, "ir-metadata.yml says who ran what: 2 of 2 runs")
    run = out / "birds@test/bm25"
    assert first.what == f"upload {run}: tira-cli upload --directory {run} --dataset ID --system bm25"
    assert "what the task calls birds/test in TIRA" in first.why
    assert second.what.endswith("--system bm25-two")
    (run / METADATA).unlink()
    described, *_ = Tira().steps(out)
    assert (described.done, described.what) == (False, "write ir-metadata.yml for 1 of 2 runs")
