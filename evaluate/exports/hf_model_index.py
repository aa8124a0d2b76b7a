"""Results in the header of a model card: the key ``model-index``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.files import atomic_open
from beirkit.evaluate.exports.base import Entry, Problem, Step, Submittable, Target
from beirkit.evaluate.exports.hf_card import split_card, with_results
from beirkit.evaluate.exports.hf_index_check import check_card
from beirkit.evaluate.exports.hf_scores import Scored, hub_steps, percent, scored_of_one_model
from beirkit.evaluate.exports.mteb_scores import score_names
from beirkit.evaluate.exports.submission import find_submission

CARD = "README.md"
PERCENT = "percent"


class ModelIndexOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`ModelIndex`."""

    card: str = ""
    model: dict[str, str] = {}
    revision: dict[str, str] = {}
    task: dict[str, str] = {}
    measures: tuple[str, ...] = ("ndcg_at_10", "map_at_100", "recall_at_100", "mrr_at_10")
    scale: Literal["percent", "fraction"] = "percent"


class ModelIndex(Target[ModelIndexOptions], Submittable):
    """``README.md``: the card of one model, with its results in the header.

    Of an existing card nothing changes by a byte but the results that are put in or replaced. Each measure
    says in its name whether its values are percentages or fractions, since the form leaves that open. Scores
    are those of the protocol ``mteb``, from the kept run.

    Options:
        card: the model's card as it is; none: a header alone is written.
        model: the model's name, ``ORGANISATION/MODEL``, by system, where the results do not know it.
        revision: the model's revision by system, likewise.
        task: ``TASK`` or ``TASK/SUBSET`` by dataset, where it is not a shipped dataset.
        measures: names of mteb; the task's main measure comes first in any case.
        scale: ``percent``, 0 to 100, or ``fraction``, 0 to 1.
    """

    name: ClassVar[str] = "hf-model-index"
    summary: ClassVar[str] = "results in the header of a model card on the Hugging Face hub"
    Options: ClassVar[type[msgspec.Struct]] = ModelIndexOptions
    protocol: ClassVar[str] = "mteb"

    def write(self, entries: Sequence[Entry], folder: Path, options: ModelIndexOptions) -> None:
        """Write the card; see :class:`Target`."""
        for measure in options.measures:
            if measure not in score_names():
                raise UsageError(
                    f"mteb has no measure {measure!r}", hint=nearest(measure, sorted(score_names()))
                )
        card = _read(Path(options.card)) if options.card else ""
        names, scored = scored_of_one_model(entries, self.name, options.model, options.revision, options.task)
        results = [_result(one, options) for one in scored]
        try:
            made = with_results(card, names.name.partition("/")[2], results)
        except DataError as error:
            raise DataError(error.found, path=options.card or CARD, hint=error.hint) from error
        with atomic_open(folder / CARD, "wb") as out:
            out.write(made.encode("utf-8"))

    def validate(self, path: Path) -> list[Problem]:
        """Everything that is wrong; see :class:`Target`."""
        card = path / CARD if path.is_dir() else path
        if not card.is_file():
            return [Problem(file=CARD, found="no card", expected="README.md with a header")]
        return check_card(card)

    def steps(self, path: Path) -> Sequence[Step]:
        """What to do; see :class:`Submittable`."""
        card = path / CARD if path.is_dir() else path
        header = split_card(_read(card))
        submission = find_submission(path)
        counted = f"{len(submission.results)} datasets" if submission is not None else "its results"
        lines = 0 if header is None else header.text.count("\n")
        return hub_steps(
            f"Put {card} in the place of the model's {CARD} ({counted}; the header has {lines} lines).",
            ["Know that the hub shows no leaderboard of these; for MTEB's own there is the target mteb."],
        )


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read as a card: {error}", path=path) from error


def _result(one: Scored, options: ModelIndexOptions) -> dict[str, Any]:
    placed, facts = one.placed, one.placed.facts
    measures = dict.fromkeys((facts.main_score, *options.measures))
    several = f" ({placed.subset})" if len(facts.subsets) > 1 else ""
    metrics = []
    for measure in measures:
        value = one.main if measure == facts.main_score else one.values[measure]
        if value is not None:
            shown = percent(value) if options.scale == PERCENT else value
            metrics.append({"type": measure, "name": f"{measure}, {options.scale}", "value": shown})
    return {
        "task": {"type": "Retrieval"},
        "dataset": {
            "type": facts.path,
            "name": f"MTEB {placed.task}{several}",
            "config": placed.subset,
            "split": placed.entry.split,
            "revision": facts.revision,
        },
        "metrics": metrics,
    }
