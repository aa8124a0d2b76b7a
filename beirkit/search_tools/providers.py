"""Search tools scored on a dataset of supporting pages: from files of results to a table."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.folder import folder_content_ids
from beirkit.corpora.provider_results import ProviderResults, read_results
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import write_run
from beirkit.corpora.supporting import Supporting, Task, policy_of, policy_record, task_of
from beirkit.corpora.urls import UrlPolicy, document_url
from beirkit.corpora.whole import whole_folder
from beirkit.datasets import find_dataset
from beirkit.evaluate import answer_cues, leaks
from beirkit.evaluate.provider_table import ProviderTable, table
from beirkit.evaluate.supporting_pages import CAVEATS, Judged, judge

_log = logging.getLogger(__name__)

TABLE = "providers.json"


@dataclass(frozen=True)
class Questions:
    """The questions of a dataset whose judgments are addresses of pages.

    Attributes:
        name: of the dataset.
        tasks: by query id, in order.
        policy: when two addresses are one document.
        content: content ids of the folder's parts.
        revision: of the source, where known.
    """

    name: str
    tasks: dict[str, Task]
    policy: UrlPolicy
    content: dict[str, str]
    revision: str


@dataclass(frozen=True)
class ProviderReport:
    """What :func:`score_providers` found.

    Attributes:
        about: dataset, content ids, and every rule with its hash.
        table: the tools side by side.
        judged: each tool's outcomes.
        runs: each tool's lists as runs over the dataset's documents.
    """

    about: dict[str, Any]
    table: ProviderTable
    judged: tuple[Judged, ...]
    runs: dict[str, Run]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the single outcomes, as JSON has it."""
        return {"about": self.about, "caveats": list(CAVEATS), **msgspec.to_builtins(self.table)}

    def write(self, folder: Path | str) -> None:
        """Write ``providers.json`` and for each tool ``outcomes/NAME.jsonl`` and ``runs/NAME.trec.gz``.

        Every outcome names the results and the stored responses that it rests on. The folder is there whole
        or not at all; one that was written so before is replaced, so that no other tool's files stay in it.

        Raises:
            UsageError: the folder holds other things, which are never replaced.
            WriteError: the system refused to write; what was there before still is.
        """
        with whole_folder(folder, overwrite=True, written=files_of) as part:
            self._fill(part)

    def _fill(self, folder: Path) -> None:
        with atomic_open(folder / TABLE, "wb") as out:
            out.write(msgspec.json.format(msgspec.json.encode(self.to_dict()), indent=2) + b"\n")
        for name, run in self.runs.items():
            write_run(run, folder / _run_name(name))
        for tool in self.judged:
            with atomic_open(folder / _outcomes_name(tool.provider), "wb") as out:
                for query_id, outcome in tool.outcomes.items():
                    without = tool.unflagged[query_id]
                    row = msgspec.to_builtins(outcome)
                    if outcome.flags:
                        row["without_flagged"] = msgspec.to_builtins(
                            {"page": without.page, "answer": without.answer}
                        )
                    out.write(msgspec.json.encode(row) + b"\n")


def files_of(folder: Path) -> set[str]:
    """The files that :meth:`ProviderReport.write` wrote into a folder.

    Raises:
        DataError: it is no such folder.
    """
    path = folder / TABLE
    try:
        names = list(msgspec.json.decode(path.read_bytes())["about"]["results"])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, LookupError, TypeError) as error:
        raise DataError("is no table of search tools", path=path) from error
    return {TABLE, *map(_run_name, names), *map(_outcomes_name, names)}


def _run_name(tool: str) -> str:
    return f"runs/{tool}.trec.gz"


def _outcomes_name(tool: str) -> str:
    return f"outcomes/{tool}.jsonl"


def questions_of(dataset: str) -> Questions:
    """The questions of a dataset, by its name or folder.

    Raises:
        DataError: its queries are no questions with supporting pages.
    """
    found = find_dataset(dataset)
    collection: Collection = found.open()
    tasks = {query.query_id: task_of(query) for query in collection.queries()}
    if not tasks:
        raise DataError("has no questions", path=found.folder)
    provenance = collection.provenance
    return Questions(
        found.name,
        tasks,
        policy_of(provenance.options),
        folder_content_ids(found.folder),
        provenance.revision,
    )


def score_providers(
    dataset: str,
    results: Mapping[str, Path | str] | Sequence[Path | str],
    cutoffs: Sequence[int] = (1, 5, 10),
    *,
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> ProviderReport:
    """Score what search tools returned by the supporting pages of a dataset.

    Args:
        dataset: a name, or a BEIR folder that the format ``lexbench`` made.
        results: files of results, by the name of the tool, or named by their files; the first is what all
            others are compared with.
        cutoffs: ranks that count.
        level: of tests; intervals have 1 minus it.
        seed: of every draw.
        samples: how many are drawn.

    Raises:
        UsageError: the dataset or a file does not exist, or two tools have one name.
        DataError: a line is damaged; with path and line.
    """
    questions = questions_of(dataset)
    for name in results if isinstance(results, Mapping) else ():
        if not re.fullmatch(r"\w[\w .+-]*", name):
            raise UsageError(
                f"{name!r} cannot name a file", hint="letters, digits, blanks, '-', '_', '+' and '.'"
            )
    files: list[ProviderResults] = (
        [read_results(Path(path), name) for name, path in results.items()]
        if isinstance(results, Mapping)
        else [read_results(Path(path)) for path in results]
    )
    judged = tuple(judge(questions.tasks, file, questions.policy) for file in files)
    for tool in judged:
        if tool.unknown:
            shown = ", ".join(tool.unknown[:3])
            _log.warning(
                "%s: %d queries are no questions of %s and are left out: %s",
                tool.provider, len(tool.unknown), questions.name, shown,
            )  # fmt: skip
    about = {
        "dataset": questions.name,
        "revision": questions.revision,
        "content_ids": questions.content,
        "judgment_kind": "reference-url",
        "url_policy": policy_record(questions.policy),
        "answer_cues": answer_cues.NAME,
        "leaks": {"name": leaks.NAME, "sha256": leaks.definition_sha256()},
        "results": {file.name: {"path": file.path, "sha256": file.sha256} for file in files},
    }
    return ProviderReport(
        about,
        table(questions.tasks, judged, cutoffs, level=level, seed=seed, samples=samples),
        judged,
        {file.name: run_of(questions, file) for file in files},
    )


def run_of(questions: Questions, results: ProviderResults) -> Run:
    """A tool's lists as a run over documents, each scored one over the tool's rank of it.

    Of two results that are one document the first is kept, and a copy of a reference stands under the
    reference's id. The rank of a result *within a run* may therefore be less than the tool's own, on which
    the measures of supporting pages stand. What is no address cannot stand in a run.
    """
    lists: dict[str, dict[str, float]] = {}
    for query_id, task in questions.tasks.items():
        supporting, found = Supporting(task, questions.policy), dict[str, float]()
        response = results.responses.get(query_id)
        for result in response.results if response is not None else ():
            address = document_url(result.url, questions.policy)
            if address.tier != "invalid":
                found.setdefault(supporting.of(address) or address.canonical, 1 / result.rank)
        if response is not None:
            lists[query_id] = found
    return Run.from_dict(
        {query: row for query, row in lists.items() if row}, tag=results.name.replace(" ", "_")
    )
