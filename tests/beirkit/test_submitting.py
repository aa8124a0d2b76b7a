"""The face of submissions: from results to a target's folder, its check, its steps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from beirkit.cli.main import main
from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Qrels
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports import catalog
from beirkit.evaluate.exports.base import Claim, Entry, Problem, Recomputable, Step, Submittable, Target
from beirkit.evaluate.exports.submission import read_submission
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.result_paths import find_results
from beirkit.submitting import export_results


class _Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    note: str = ""


class Board(Target[_Options], Submittable, Recomputable):
    """A board that takes one figure and the runs."""

    name = "board"
    summary = "a board"
    Options = _Options
    protocol = "trec_eval"
    shift: ClassVar[float] = 0.0

    def write(self, entries: Sequence[Entry], folder: Path, options: _Options) -> None:
        measure = Measure.parse("nDCG@10")
        for entry in entries:
            mean = entry.take(get_protocol(self.protocol), [measure]).mean(measure)
            assert mean is not None
            (folder / f"{entry.dataset}.json").write_text(json.dumps({"ndcg": mean + self.shift}))
            lists = [f"{q} {d} {s}\n" for q, row in entry.run.to_dict().items() for d, s in row.items()]
            (folder / f"{entry.dataset}.run").write_text("".join(lists))

    def validate(self, path: Path) -> list[Problem]:
        found = []
        for file in sorted(path.glob("*.json")):
            value = json.loads(file.read_text()).get("ndcg", 0)
            if value > 1:
                found.append(Problem(file=file.name, key="ndcg", found=str(value), expected="at most 1"))
        return found

    def steps(self, path: Path) -> Sequence[Step]:
        return [Step(what="Send it.", why="They want it."), Step(what="Have an account.", done=True)]

    def claims(self, path: Path) -> Sequence[Claim]:
        found = []
        for file in sorted(path.glob("*.run")):
            run: dict[str, dict[str, float]] = {}
            for line in file.read_text().splitlines():
                query, doc, score = line.split()
                run.setdefault(query, {})[doc] = float(score)

            def compute(
                qrels: Qrels, run: Mapping[str, Mapping[str, float]] = run
            ) -> dict[str, float | None]:
                return {"ndcg": evaluate(qrels, run, "nDCG@10", "trec_eval").mean("nDCG@10")}

            name = file.stem
            stated = json.loads((path / f"{name}.json").read_text())
            found.append(
                Claim(file=f"{name}.json", dataset=name, split="test", values=stated, compute=compute)
            )
        return found


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> type[Board]:
    get, names = catalog.get, catalog.names
    monkeypatch.setattr(catalog, "get", lambda name: Board if name == "board" else get(name))
    monkeypatch.setattr(catalog, "names", lambda: (*names(), "board"))
    return Board


@pytest.fixture
def results(birds: Path) -> Path:
    assert main(["run", "-d", "birds", "-r", "bm25", "--out", "results", "--quiet"]) == 0
    return Path("results")


def folder_of(results: Path) -> Path:
    return next(results.glob("*/*/manifest.json")).parent


def test_every_way_to_name_results_exports_the_same(
    board: type[Board], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = next(results.glob("*.json"))
    made = []
    for number, source in enumerate([results, folder_of(results), table]):
        out = Path(f"out{number}")
        assert main(["export", str(source), "--to", "board", "--out", str(out)]) == 0
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert made[0] == made[1] == made[2]
    assert set(made[0]) == {"birds.json", "birds.run", "export.json"}
    shown = capsys.readouterr()
    assert "out0: 1 system on 1 dataset, scored under the protocol trec_eval" in shown.out
    assert "birds.run" in shown.err
    told = read_submission(Path("out0"))
    assert (told.target, told.protocol, told.results[0].system) == ("board", "trec_eval", "bm25")
    assert told.results[0].shown_under == ("beirkit",)
    assert set(told.results[0].content_ids) == {"corpus", "queries", "qrels/test"}


def test_replaces_only_what_an_export_wrote(
    board: type[Board], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "results", "--to", "board", "--out", "out", "--quiet"]
    assert main([*words, "--set", "note=x"]) == 0
    assert read_submission(Path("out")).options == {"note": "x"}
    assert main(words) == 2
    assert main([*words, "--overwrite"]) == 0
    Path("out/mine.txt").write_text("mine")
    assert main([*words, "--overwrite"]) == 2
    assert "files that beirkit did not write, such as mine.txt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["export", "results", "--to", "bord", "--out", "out"], "did you mean 'board'?"),
        (["export", "birds", "--to", "board", "--out", "out"], "holds no results"),
        (["export", "results", "note=1", "--to", "board", "--out", "out"], "options stand behind --set"),
        (["export", "results", "--to", "jsonl", "--out", "out"], "takes a BEIR folder, not results"),
        (["export", "birds", "birds2", "--to", "jsonl", "--out", "out"], "one is exported at a time"),
        (["export", "results", "--to", "board", "--out", "out", "--set", "nota=1"], "did you mean 'note'?"),
        (["export", "results", "--to", "board", "--out", "out", "--system", "bm2"], "did you mean 'bm25'?"),
        (["export", "birds", "--to", "jsonl", "--out", "out", "--system", "bm25"], "chooses among results"),
        (["validate", "nowhere", "--as", "board"], "is not there"),
        (["validate", "results", "--as", "board", "--against", "birds"], "hold no ids"),
        (["validate", "results", "--as", "board", "--hidden-qrels"], "without --recompute"),
        (["submit", "board", "results"], "add --dry-run"),
        (["submit", "board", "birds/corpus.jsonl", "--dry-run"], "is no folder"),
        (["submit", "trec", "results", "--dry-run"], "is a form of files, not a board"),
    ],
)
def test_wrong_use_is_told(
    words: list[str], said: str, board: type[Board], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


def test_results_of_one_system(board: type[Board], results: Path) -> None:
    assert main(["run", "-d", "birds", "-r", "rank-bm25", "--out", "results", "--quiet"]) == 0
    for words, systems in ((["--system", "rank-bm25"], ["rank-bm25"]), ([], ["bm25", "rank-bm25"])):
        assert main(["export", "results", "--to", "board", "--out", "out", "--overwrite", *words]) == 0
        assert [one.system for one in read_submission(Path("out")).results] == systems


def test_an_incomplete_suite_is_refused(
    board: type[Board], birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under its name it stands for all of its members; single results may go by their folder."""
    Path("pair.yaml").write_text("name: pair\ndatasets: [./birds, nfcorpus]\nretrievers: [bm25]\n")
    assert main(["run", "pair.yaml", "--out", "results", "--quiet"]) == 0
    words = ["--to", "board", "--out", "out", "--quiet"]
    assert main(["export", "results/pair.json", *words]) == 2
    assert "the suite pair of bm25 is incomplete: 1 of 2, without nfcorpus" in capsys.readouterr().err
    assert main(["export", "results", *words]) == 0


def test_ids_are_held_against_a_dataset(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "results", "--to", "sentence-transformers", "--out", "out", "--quiet"]
    assert main(words) == 0
    assert main(["validate", "out", "--as", "sentence-transformers", "--against", "birds"]) == 0
    queries = Path("birds/queries.jsonl")
    queries.write_text(queries.read_text().replace('"q1"', '"q9"'))
    Path("birds/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td2\t1\n")
    capsys.readouterr()
    assert main(["validate", "out", "--as", "sentence-transformers", "--against", "birds"]) == 1
    assert "a query that birds does not have" in capsys.readouterr().out


def test_nothing_is_left_of_what_is_not_valid(
    board: type[Board], results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(board, "shift", 1.0)
    assert main(["export", "results", "--to", "board", "--out", "out"]) == 2
    assert "birds.json: ndcg: found" in capsys.readouterr().err
    assert not Path("out").exists()


def test_findings_are_printed_and_are_json(
    board: type[Board], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "results", "--to", "board", "--out", "out", "--quiet"]) == 0
    assert main(["validate", "out", "--as", "board"]) == 0
    assert "out: valid for board" in capsys.readouterr().err
    Path("out/birds.json").write_text('{"ndcg": 64.5}')
    assert main(["validate", "out", "--as", "board"]) == 1
    assert capsys.readouterr().out == "error birds.json: ndcg: found 64.5; expected at most 1\n"
    assert main(["validate", "out", "--as", "board", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["valid"], data["errors"], data["problems"][0]["key"]) == (False, 1, "ndcg")
    assert main(["submit", "board", "out", "--dry-run"]) == 2
    assert "is not valid for board" in capsys.readouterr().err


def test_scores_are_derived_again_from_the_runs(
    board: type[Board], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "results", "--to", "board", "--out", "out", "--quiet"]) == 0
    words = ["validate", "out", "--as", "board", "--recompute", "birds/qrels/test.tsv"]
    assert main(words) == 0
    assert "1 of 1 scores are what the submitted runs come to" in capsys.readouterr().err
    true = json.loads(Path("out/birds.json").read_text())["ndcg"]
    Path("out/birds.json").write_text('{"ndcg": 0.999}')
    assert main(words) == 1
    assert f"error birds.json: ndcg: found 0.999000; expected {true:.6f}" in capsys.readouterr().out
    assert main([*words[:-1], "sparrows=birds/qrels/test.tsv"]) == 2
    assert "no judgments of birds@test" in capsys.readouterr().err
    assert main([*words[:-1], "birds"]) == 2
    assert "birds: is a folder (name the split's file: birds/qrels/SPLIT.tsv)" in capsys.readouterr().err


def test_hidden_judgments_stay_hidden(
    board: type[Board], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """q4 found nothing, which is said of it by name where the judgments are not secret."""
    assert main(["export", "results", "--to", "board", "--out", "out", "--quiet"]) == 0
    words = ["validate", "out", "--as", "board", "--recompute", "birds=birds/qrels/test.tsv"]
    assert main(words) == 0
    assert "'q4'" in capsys.readouterr().err
    assert main([*words, "--hidden-qrels"]) == 0
    shown = capsys.readouterr()
    assert "q4" not in shown.out + shown.err
    assert "ndcg" in shown.out
    assert main([*words[:-1], "birds=nowhere.tsv", "--hidden-qrels"]) == 2
    assert "nowhere.tsv: does not exist" in capsys.readouterr().err


def test_what_is_exported_into_a_folder_of_results_is_none_of_them(results: Path) -> None:
    before = [result.folder for result in find_results([results])]
    for target in ("capsule", "trec", "beir"):
        for place in (results / target, results / "birds@test" / target):
            export_results([results], target, place)
    assert [result.folder for result in find_results([results])] == before
    with pytest.raises(UsageError, match="lies in a result that is exported"):
        export_results([results], "capsule", before[0] / "packed")


def test_steps_are_printed_and_nothing_is_sent(
    board: type[Board], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "results", "--to", "board", "--out", "out", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["submit", "board", "out", "--dry-run"]) == 0
    assert capsys.readouterr().out == (
        " 1. [ ] Send it.\n        They want it.\n 2. [x] Have an account.\nNothing was uploaded.\n"
    )


def test_both_kinds_are_listed(board: type[Board], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "exports", "--json"]) == 0
    listed = {(item["name"], item["takes"]) for item in json.loads(capsys.readouterr().out)}
    assert {("trec", "folder"), ("board", "results")} <= listed
