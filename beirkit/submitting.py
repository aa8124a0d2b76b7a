"""From kept results to the files of a leaderboard or another tool, checked before anybody uploads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from beirkit.citing import cite
from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.exports.base import told
from beirkit.corpora.exports.catalog import checked_options
from beirkit.corpora.folder import is_beir_folder
from beirkit.corpora.whole import whole_folder
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports import catalog
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.exports.submission import Submission, files_of, write_submission
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.scores import Scores
from beirkit.result_paths import find_results
from beirkit.runs import find_run, result_folder
from beirkit.stored import StoredResult, read_suite_results


def leads_to_results(path: Path) -> bool:
    """Whether a path is a result folder, a folder of results or the table of a suite."""
    if path.is_dir():
        if is_beir_folder(path):
            return False
        return result_folder(path) is not None or any(
            True for depth in ("*", "*/*") for _ in path.glob(f"{depth}/manifest.json")
        )
    return path.is_file() and (read_suite_results(path) is not None or result_folder(path) is not None)


def export_results(
    sources: Sequence[Path | str],
    to: str,
    out: Path | str,
    options: Mapping[str, Any] | None = None,
    *,
    systems: Sequence[str] = (),
    overwrite: bool = False,
) -> Submission:
    """Write results in the form of a target; the folder appears whole or not at all.

    Args:
        sources: result folders, folders of results, or ``results/SUITE.json``.
        to: a target from ``beirkit list exports`` that takes results.
        out: the folder to write.
        options: the target's options.
        systems: names of the retrievers whose results are exported; none: all.
        overwrite: replace a folder that such an export wrote; any other is never replaced.

    Raises:
        UsageError: the target does not take such results, an option is wrong, or ``out`` may not be written.
        DataError: a result cannot stand in the form, or cannot be read.
        WriteError: the system refused to write; nothing is left.
    """
    cls = catalog.get(to)
    settings = checked_options(to, cls.Options, options or {})
    results = _of_systems(find_results([Path(source) for source in sources]), systems)
    for source in sources:
        _require_whole_suite(Path(source), systems)
    for result in results:
        if result.folder.resolve() in (Path(out).resolve(), *Path(out).resolve().parents):
            raise UsageError("lies in a result that is exported", path=out, hint="choose another folder")
    entries = [entry_of(result) for result in results]
    target = cls()
    with whole_folder(out, overwrite=overwrite, written=files_of) as part:
        target.write(entries, part, settings)
        wrong = [problem for problem in target.validate(part) if problem.severity == "error"]
        if wrong:
            raise DataError(
                f"what was written for {to} is not valid, in {len(wrong)} places, the first: {wrong[0]}",
                hint="mend the cause, or report it",
            )
        return write_submission(part, to, cls.protocol, told(settings), entries)


def _of_systems(results: list[StoredResult], systems: Sequence[str]) -> list[StoredResult]:
    there = sorted({result.name for result in results})
    for name in systems:
        if name not in there:
            raise UsageError(f"there is no result of {name!r}", hint=nearest(name, there))
    return [result for result in results if not systems or result.name in systems]


def _require_whole_suite(path: Path, systems: Sequence[str]) -> None:
    """Refuse the table of a named suite that lacks results; its mean would be over fewer.

    Raises:
        UsageError: names what is missing.
    """
    table = read_suite_results(path)
    if table is None or table.suite is None:
        return
    leaves = table.suite.leaves()
    for system in sorted({one.name for one in table.results if not systems or one.name in systems}):
        there = {one.dataset for one in table.results if one.name == system}
        missing = [leaf for leaf in leaves if leaf not in there]
        if missing:
            raise UsageError(
                f"the suite {table.suite.name} of {system} is incomplete: {len(leaves) - len(missing)} of "
                f"{len(leaves)}, without {', '.join(missing[:5])}",
                path=path,
                hint="run the others too, or name the folder of results to export what is there",
            )


def entry_of(result: StoredResult) -> Entry:
    """A kept result as targets see it.

    Raises:
        BeirkitError: its dataset is not there, holds other texts or judgments by now, or its run is damaged.
    """
    exam = result.exam()
    given = find_run(result.folder)
    run = given.read(exam.qrels, excluded=exam.excluded)
    manifest = _json(result.folder / "manifest.json")
    report = manifest.get("report")
    known = report if isinstance(report, dict) else {}

    def take(protocol: Protocol, measures: Sequence[Measure]) -> Scores:
        return evaluate(
            exam.qrels,
            run,
            measures,
            protocol,
            self_match_ids=given.self_match_ids,
            depth=given.depth,
            evidence=exam.evidence,
        )

    shown = [path.name.removeprefix("scores.").removesuffix(".jsonl") for path in _score_files(result)]
    return Entry(
        dataset=result.dataset,
        split=result.facts.split,
        system=result.name,
        manifest=manifest,
        timings=_json(result.folder / "timings.json") if (result.folder / "timings.json").is_file() else {},
        run=run,
        run_file=given.file,
        qrels=exam.qrels,
        query_texts={query.query_id: query.text for query in exam.queries},
        content_ids=exam.content,
        sampled=result.facts.sample is not None,
        take=take,
        revision=str(known.get("revision") or ""),
        folder=result.folder,
        model=str(known.get("model") or ""),
        depth=given.depth,
        shown_under=tuple(shown),
        collection=exam.collection,
        cite=lambda: cite([str(result.folder)]).bibtex(),
    )


def _score_files(result: StoredResult) -> list[Path]:
    return sorted(result.folder.glob("scores.*.jsonl"))


def _json(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"cannot be read: {error}", path=path, hint="run it again") from error
