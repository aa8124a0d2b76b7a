"""Records with a source, and a model's outputs for them: prompts, scores, files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from beirkit.converters.reading.json_stream import json_records
from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import atomic_open, lines, sha256_file
from beirkit.corpora.notices import warn
from beirkit.evaluate.attribution.prompts import PromptTemplate
from beirkit.evaluate.attribution.ratings import HumanRatings, Rating, ratings_of, summarize_ratings
from beirkit.evaluate.attribution.refusals import DEFAULT, PATTERNS, Judge, pattern_judge
from beirkit.evaluate.attribution.rules import AttributionRules
from beirkit.evaluate.attribution.scoring import attribute
from beirkit.evaluate.attribution.summary import AttributionSummary, Outcome, ScoredRecord, summarize

_NAMED = 3


class Keys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the fields are called in the files.

    Attributes:
        id: of a record, in both files.
        source: the text that quotes should stand in.
        question: the question, for prompts.
        output: what the model wrote.
        declined: the user's own label of a refusal, true or false, beside the output.
    """

    id: str = "id"
    source: str = "source_text"
    question: str = "question"
    output: str = "output"
    declined: str = "declined"


class SourceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record that a model is asked about.

    Attributes:
        id: the record's.
        source_text: unchanged.
        question: empty where there is none.
        genre: empty where there is none.
        difficulty: None where it is not told.
        answerable: false where ``answerable`` says so, or the difficulty is 0.
        ratings: of human annotators, where there are any.
        output: where it stands beside the source.
        declined: the user's label beside that output.
    """

    id: str
    source_text: str
    question: str
    genre: str
    difficulty: int | None
    answerable: bool
    ratings: list[Rating]
    output: str | None
    declined: bool | None


@dataclass(frozen=True)
class Output:
    """What a model wrote for a record, and the user's label, if any, of whether it declines."""

    text: str
    declined: bool | None


@dataclass(frozen=True)
class Refusals:
    """How refusals are told apart where the output has no label.

    Attributes:
        name: what the rule is called in results.
        judge: says whether an output declines.
    """

    name: str
    judge: Judge

    @classmethod
    def default(cls) -> Refusals:
        """The patterns that ship, which are ours."""
        return cls(DEFAULT, pattern_judge(PATTERNS))

    @classmethod
    def from_file(cls, path: Path) -> Refusals:
        """Patterns of a file, one regular expression a line; blank lines and ``#`` lines are passed over.

        Raises:
            DataError: there is none.
        """
        patterns = [line for _, line in lines(path) if line.strip() and not line.startswith("#")]
        if not patterns:
            raise DataError("holds no pattern", path=path, hint="write one regular expression a line")
        return cls(f"{path.name} sha256:{sha256_file(path)[:12]}", pattern_judge(patterns))

    @classmethod
    def from_callable(cls, name: str) -> Refusals:
        """A function of one's own, as ``module:function``; it gets an output and says whether it declines.

        Raises:
            UsageError: there is no such function.
        """
        from importlib import import_module

        module, colon, attribute_name = name.partition(":")
        try:
            judge = getattr(import_module(module), attribute_name) if colon else None
        except (ImportError, AttributeError, ValueError) as error:
            raise UsageError(f"{name!r} cannot be loaded: {error}") from error
        if not callable(judge):
            raise UsageError(f"{name!r} is no function", hint="write module:function")
        return cls(name, lambda output: bool(judge(output)))


@dataclass(frozen=True)
class AttributionResult:
    """Scores of every record, what they come to, and what was counted on the way.

    Attributes:
        records: in the order of the source file.
        summary: rates, abstention, tiers.
        refusals: name of the rule for refusals.
        overruled: labels that called an output with a citation a refusal, which it never is.
        ratings: human ratings of the records, where they have any.
    """

    records: list[ScoredRecord]
    summary: AttributionSummary
    refusals: str
    overruled: int
    ratings: HumanRatings | None


def read_sources(path: Path, keys: Keys | None = None) -> Iterator[SourceRecord]:
    """The records of a JSON array or of JSON lines, one at a time.

    Where outputs stand beside the sources nothing is joined by id: a file whose first record has none is
    counted, and its records are ``1``, ``2``, ….

    Raises:
        DataError: a record has no id or no source, or repeats an id; with path and line.
    """
    keys = keys or Keys()
    met: set[str] = set()
    counted = False
    for number, row in enumerate(json_records(path), 1):
        if number == 1:
            counted = keys.id == Keys().id and keys.id not in row.cells and keys.output in row.cells
        if counted and keys.id in row.cells:
            raise row.error(
                f"has {keys.id!r}, and the first record has none", "give all records one, or none"
            )
        record = _source(row, keys, str(number) if counted else row.id(keys.id))
        if record.id in met:
            raise row.error(f"the id {record.id!r} stands there twice")
        met.add(record.id)
        yield record


def read_outputs(path: Path, known: Iterable[str], keys: Keys | None = None) -> dict[str, Output]:
    """A model's outputs by record, from a JSON array or JSON lines of ``id`` and ``output``.

    Args:
        path: the file.
        known: ids of the records.
        keys: names of the fields.

    Raises:
        DataError: an output is of no record, or a record has two; with path and line.
    """
    keys, known = keys or Keys(), set(known)
    outputs: dict[str, Output] = {}
    for row in json_records(path):
        name = row.id(keys.id)
        if name not in known:
            raise row.error(f"is an output for {name!r}, and there is no such record")
        if name in outputs:
            raise row.error(f"is a second output for {name!r}")
        outputs[name] = Output(row.text(keys.output), _label(row, keys))
    return outputs


def score_outputs(
    records: Iterable[SourceRecord],
    outputs: Mapping[str, Output] | None = None,
    *,
    rules: AttributionRules | None = None,
    refusals: Refusals | None = None,
    path: Path | None = None,
) -> AttributionResult:
    """Score a model's outputs against the sources.

    A record without an output counts as one that cannot be parsed, and is told. An output with a citation is
    an answer, whatever else it says and however it is labelled.

    Args:
        records: sources.
        outputs: by record; None: they stand beside the sources.
        rules: everything about matching that is open.
        refusals: how refusals are told; None: the shipped patterns.
        path: the file that should hold outputs, for messages.

    Raises:
        DataError: there is no record, or none has an output.
    """
    rules, refusals = rules or AttributionRules(), refusals or Refusals.default()
    scored: list[ScoredRecord] = []
    ratings: list[list[Rating]] = []
    overruled = 0
    for record in records:
        output = _output_of(record, outputs)
        attributed = attribute(output.text if output else "", record.source_text, rules)
        outcome = _outcome(output, attributed.cites, refusals.judge)
        overruled += bool(output and output.declined and attributed.cites)
        if record.ratings:
            ratings.append(record.ratings)
        scored.append(
            ScoredRecord(
                id=record.id,
                genre=record.genre,
                difficulty=record.difficulty,
                answerable=record.answerable,
                outcome=outcome,
                attributed=attributed,
            )
        )
    missing = [record.id for record in scored if record.outcome == "missing"]
    if len(missing) == len(scored):
        raise DataError("no record has an output" if scored else "there is no record", path=path)
    if missing:
        warn(f"{len(missing)} records have no output and count as unparsable: {_some(missing)}")
    if overruled:
        warn(f"{overruled} outputs are labelled as declining and cite all the same: they count as answers")
    return AttributionResult(
        records=scored,
        summary=summarize(scored, rules),
        refusals=refusals.name,
        overruled=overruled,
        ratings=summarize_ratings(ratings) if ratings else None,
    )


def write_prompts(path: Path | str, records: Iterable[SourceRecord], template: PromptTemplate) -> int:
    """Write a prompt per record as JSON lines of ``id``, ``prompt`` and the template's SHA-256.

    Returns:
        How many there are.

    Raises:
        DataError: a record has no question.
    """
    count = 0
    with atomic_open(path, "wb") as file:
        for record in records:
            count += 1
            if not record.question:
                raise DataError(f"the record {record.id!r} has no question, so it has no prompt")
            prompt = template.render(record.source_text, record.question)
            line = {"id": record.id, "prompt": prompt, "template_sha256": template.sha256}
            file.write(msgspec.json.encode(line) + b"\n")
    return count


def write_scores(path: Path | str, records: Iterable[ScoredRecord]) -> None:
    """Write what was found in each output, as JSON lines in the order of the records."""
    with atomic_open(path, "wb") as file:
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")


def _source(row: Row, keys: Keys, record_id: str) -> SourceRecord:
    source = row.text(keys.source)
    if not source:
        raise row.error(f"has an empty {keys.source!r}")
    difficulty = row.cells.get("difficulty")
    if difficulty is not None and type(difficulty) is not int:
        raise row.error(f"the difficulty is {difficulty!r}, not a whole number")
    answerable = row.cells.get("answerable")
    try:
        ratings = list(ratings_of(row.cells["human_ratings"])) if row.cells.get("human_ratings") else []
    except (ValueError, AttributeError) as error:
        raise row.error(f"human_ratings: {error}") from error
    return SourceRecord(
        id=record_id,
        source_text=source,
        question=row.text(keys.question) if keys.question in row.cells else "",
        genre=row.text("genre") if "genre" in row.cells else "",
        difficulty=difficulty,
        answerable=difficulty != 0 if answerable is None else bool(answerable),
        ratings=ratings,
        output=row.text(keys.output) if keys.output in row.cells else None,
        declined=_label(row, keys),
    )


def _label(row: Row, keys: Keys) -> bool | None:
    label: Any = row.cells.get(keys.declined)
    if label is not None and not isinstance(label, bool):
        raise row.error(f"{keys.declined!r} is {label!r}, neither true nor false")
    return label


def _output_of(record: SourceRecord, outputs: Mapping[str, Output] | None) -> Output | None:
    if outputs is not None:
        return outputs.get(record.id)
    return None if record.output is None else Output(record.output, record.declined)


def _outcome(output: Output | None, cites: bool, judge: Judge) -> Outcome:
    if output is None:
        return "missing"
    if cites:
        return "answered"
    if output.declined is not None:
        return "declined" if output.declined else "answered"
    if not output.text.strip():
        return "empty"
    return "declined" if judge(output.text) else "answered"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
