"""Results that ``beirkit run`` kept: of which system and dataset each is, and what it scored."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import BeirkitError, DataError, UnknownNameError, UsageError
from beirkit.corpora.folder import is_beir_folder
from beirkit.costs import read_cost
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.score_files import read_scores
from beirkit.evaluate.scores import Scores
from beirkit.exam import Exam, Sample, prepare
from beirkit.results import slug, source_folder
from beirkit.runs import find_run, result_folder

if TYPE_CHECKING:
    from beirkit.datasets import Dataset

_RUN_AGAIN = "run it again with -d FOLDER, which finds this result and keeps the place"

_SEED = re.compile(r"[:,]seed=[^,]*(?=,|$)")


# A search that took less says nothing about speed.
_LEAST_SECONDS = 0.1
_Key = TypeVar("_Key", str, tuple[str, str])


class _Facts(msgspec.Struct):
    """Of a result's manifest, what tells whose it is."""

    dataset: str
    split: str
    content_ids: dict[str, str]
    retriever: dict[str, Any]
    k: int
    name: str
    queries: int
    stage: int | str = ""
    sample: Sample | None = None


@dataclass(frozen=True)
class StoredResult:
    """One result folder.

    Attributes:
        folder: where it is.
        facts: of its manifest.
    """

    folder: Path
    facts: _Facts

    @property
    def dataset(self) -> str:
        """The dataset's name, without the mark of a sample."""
        sample = self.facts.sample
        return self.facts.dataset if sample is None else self.facts.dataset.removesuffix(sample.label)

    @property
    def name(self) -> str:
        """The retriever's name, without its seed."""
        bare = _SEED.sub("", self.facts.name)
        return bare if bare == self.facts.name or ":" in bare else bare.replace(",", ":", 1)

    @property
    def configuration(self) -> str:
        """A hash of all that was set, but for seeds and the dataset."""
        return _digest([_without_seeds(self.facts.retriever), self.facts.stage, self.facts.k])

    @property
    def seeded(self) -> str:
        """The same with seeds: equal work on a dataset has equal ones."""
        return _digest([self.facts.retriever, self.facts.stage, self.facts.k])

    def speed(self) -> tuple[float, str] | None:
        """Queries per second and the machine they were searched on, where it took a while and is known."""
        cost = read_cost(self.folder)
        rate = cost.queries_per_second
        return None if rate is None or self.facts.queries < rate * _LEAST_SECONDS else (rate, cost.machine)

    def stored_scores(self, protocol: Protocol) -> Scores | None:
        """The scores under a protocol as they were kept, None where there are none of these very rules."""
        path = self.folder / f"scores.{slug(protocol.name)}.jsonl"
        scores = read_scores(path) if path.is_file() else None
        return scores if scores is not None and scores.protocol == protocol else None

    def searched(self) -> frozenset[str] | None:
        """The judged queries that were searched, as any of its scores has them; None: there are none."""
        path = next(iter(sorted(self.folder.glob("scores.*.jsonl"))), None)
        return None if path is None else frozenset(read_scores(path).query_ids)

    def exam(self) -> Exam:
        """The dataset as it was searched: in the folder where it was then, else under its name.

        Raises:
            BeirkitError: it is not there, or holds other texts or judgments by now.
        """
        from beirkit.datasets import NotBuiltError, find_dataset

        source = source_folder(self.folder)
        changed = self.dataset
        if source is not None and is_beir_folder(source):
            exam = self._prepared(find_dataset(str(source)))
            if exam.content == self.facts.content_ids:
                return exam
            changed = str(source)
        try:
            dataset = find_dataset(self.dataset)
        except NotBuiltError:
            raise
        except (UnknownNameError, DataError) as error:
            raise self._not_there(source, changed, error) from error
        exam = self._prepared(dataset)
        if exam.content != self.facts.content_ids:
            raise self._has_changed(changed)
        return exam

    def _prepared(self, dataset: Dataset) -> Exam:
        return prepare(replace(dataset, name=self.dataset), self.facts.split, self.facts.sample)

    def _not_there(self, source: Path | None, changed: str, error: BeirkitError) -> BeirkitError:
        if source is None:
            return UnknownNameError(
                f"{error.found}, and {self.folder} is too old to say where it was",
                hint=f"{_RUN_AGAIN}; or go to the folder that holds {self.dataset}",
            )
        if changed == str(source):
            return self._has_changed(changed)
        return UsageError(
            f"{self.dataset}, which {self.folder} is of, is no longer in {source}",
            hint=f"{_RUN_AGAIN}; or put the dataset back",
        )

    def _has_changed(self, dataset: str) -> UsageError:
        return UsageError(
            f"{dataset} has changed since {self.folder} was made",
            hint="run it again, or put back the texts and judgments of then",
        )

    def scores(self, protocol: Protocol, measures: Sequence[Measure], *, depth: int | None = None) -> Scores:
        """What was kept, or else the run scored again where its dataset is built.

        Args:
            protocol: the rules.
            measures: what is wanted.
            depth: results per query that count, where that is fewer than there are.

        Raises:
            UsageError: a measure was not kept, and the dataset cannot be found.
        """
        kept = self.stored_scores(protocol)
        if kept is not None and set(measures) <= set(kept.measures):
            if depth is None or depth == kept.depth:
                return kept
            if all(m.cutoff is not None and m.cutoff <= depth and not m.judged_only for m in measures):
                return replace(kept, depth=depth)  # none of them looks deeper
        try:
            exam = self.exam()
        except BeirkitError as error:
            have = kept.measures if kept is not None and depth in (None, kept.depth) else ()
            lacking = ", ".join(str(m) for m in measures if m not in have)
            to_depth = "" if depth is None else f" to depth {depth}"
            raise UsageError(
                f"holds no scores of {lacking}{to_depth} under the protocol {protocol.name}, and cannot be "
                f"scored again: {error.found}",
                path=self.folder,
                hint=f"name the judgments with --qrels, or {error.hint or 'run it again with -m'}",
            ) from error
        from beirkit.evaluate.engine import evaluate

        given = find_run(self.folder)
        return evaluate(
            exam.qrels,
            given.read(exam.qrels, excluded=exam.excluded),
            measures,
            protocol,
            self_match_ids=given.self_match_ids,
            depth=given.depth if depth is None else depth,
            evidence=exam.evidence,
        )


class _SuiteMember(msgspec.Struct):
    name: str
    members: list[str | _SuiteMember]

    def node(self) -> SuiteNode:
        return SuiteNode(self.name, tuple(m if isinstance(m, str) else m.node() for m in self.members))


class _SuiteItem(msgspec.Struct):
    path: str
    protocol: str
    retriever: str
    dataset: str
    training: str = ""


class _SuiteFile(msgspec.Struct):
    results: list[_SuiteItem]
    title: str = ""
    suite: _SuiteMember | None = None


@dataclass(frozen=True)
class SuiteResults:
    """What ``results/<suite>.json`` lists.

    Attributes:
        suite: its members; None: datasets that were only named side by side.
        protocol: the name of the one they were scored under.
        results: the result folders.
        training: of each dataset and retriever, whether it was trained on the dataset's family.
    """

    suite: SuiteNode | None
    protocol: str
    results: tuple[StoredResult, ...]
    training: dict[tuple[str, str], str]


def read_suite_results(path: Path) -> SuiteResults | None:
    """The results that a table of ``beirkit run`` lists; None where the file is something else.

    Paths in it that lead nowhere are looked for beside the file, so a results folder can be moved.

    Raises:
        DataError: a result folder is gone.
    """
    if path.suffix != ".json" or not path.is_file():
        return None
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_SuiteFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    results = []
    for item in file.results:
        beside = path.parent.joinpath(*Path(item.path).parts[-2:])
        found = next((one for one in (beside, Path(item.path)) if (one / "manifest.json").is_file()), None)
        if found is None:
            raise DataError(f"lists {item.path}, which is not there", path=path, hint="run the suite again")
        results.append(read_result(found))
    named = file.suite is not None and file.suite.name
    return SuiteResults(
        file.suite.node() if file.suite is not None and named else None,
        file.results[0].protocol if file.results else "beirkit",
        tuple(results),
        {(item.dataset, item.retriever): item.training for item in file.results},
    )


def read_result(path: Path) -> StoredResult:
    """The result folder that a path is, or whose run file it is.

    Raises:
        DataError: it is none, or its manifest is damaged.
    """
    folder = result_folder(path) or path
    manifest = folder / "manifest.json"
    try:
        return StoredResult(folder, msgspec.json.decode(manifest.read_bytes(), type=_Facts))
    except OSError as error:
        raise DataError(
            "is no result of beirkit run",
            path=path,
            hint="name one retriever's folder, or results/SUITE.json",
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"is no manifest of a result: {error}", path=manifest, hint="run it again") from error


def system_of(results: Sequence[StoredResult]) -> list[str]:
    """The name of each result's system; results that differ in the seed only have the same.

    Retrievers of one name are told apart by the folder of results they are in, so that an old one can be
    compared with a new one, and within one folder by their configuration.
    """
    names = [one.name for one in results]
    roots = short_names([one.folder.parent.parent for one in results])
    root_of = [roots[one.folder.parent.parent] for one in results]
    many = _with_several(names, [one.configuration for one in results])
    unclear = _with_several(list(zip(names, root_of, strict=True)), [one.configuration for one in results])
    hashed = {name for name, _ in unclear}  # one folder of results has several: their place does not tell
    work = Counter((name, one.dataset, one.seeded) for name, one in zip(names, results, strict=True))
    twice = {name for (name, _, _), times in work.items() if times > 1}
    found = []
    for name, root, one in zip(names, root_of, results, strict=True):
        placed = name in twice or (name in many and name not in hashed)
        label = f"{root}/{name}" if placed and len(roots) > 1 else name
        found.append(f"{label}--{one.configuration[:6]}" if name in hashed else label)
    again = Counter((name, one.dataset, one.seeded) for name, one in zip(found, results, strict=True))
    return [
        f"{name}--{one.folder.name[-8:]}" if again[name, one.dataset, one.seeded] > 1 else name
        for name, one in zip(found, results, strict=True)
    ]


def _with_several(keys: Sequence[_Key], values: Sequence[str]) -> set[_Key]:
    """The keys that stand beside more than one value."""
    found: dict[_Key, set[str]] = defaultdict(set)
    for key, value in zip(keys, values, strict=True):
        found[key].add(value)
    return {key for key, seen in found.items() if len(seen) > 1}


def short_names(paths: Sequence[Path]) -> dict[Path, str]:
    """For each path its last part, with the parents it takes to tell it from the others."""
    names: dict[Path, str] = {}
    for path in dict.fromkeys(paths):
        parts = [part for part in path.parts if part not in (".", "/")]
        names[path] = str(path)
        for depth in range(1, len(parts) + 1):
            name = "/".join(parts[-depth:])
            others = (other for other in set(paths) if other != path)
            if all(name != "/".join(other.parts[-depth:]) for other in others):
                names[path] = name
                break
    return names


def _without_seeds(facts: Any) -> Any:
    if isinstance(facts, dict):
        return {key: _without_seeds(value) for key, value in facts.items() if key != "seed"}
    return facts


def _digest(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
