"""What is known of a submitted system besides figures: size, licence, date, training, prompts, warnings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from beirkit.boards.submissions import Stated, Tested
from beirkit.configs.load import load_dataset, names
from beirkit.costs import Cost, without_model
from beirkit.evaluate.imports.mteb import dataset_of
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.site.model import About
from beirkit.evaluate.stated import UNTESTED
from beirkit.evaluate.zero_shot import zero_shot_status
from beirkit.reporting import training_status
from beirkit.results import made_on

NO_MODEL = "no model"
"""The licence that is shown of a system without one."""

_PROMPTED = ("instruction", "language", "max_length", "prompts", "query_template", "template")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LARGEST = 10**15


def about_tested(results: Sequence[Tested], costs: Sequence[Cost]) -> About:
    """What its submitter says, else what is declared of the shipped retriever that it is.

    The date is that of the last of its results, where its submitter says none.
    """
    lexical = all(without_model(one.result.facts.retriever) for one in results)
    said = [one.submitted for one in results]
    own = [cost.parameters for cost in costs if cost.parameters is not None]
    return About(
        parameters=_first_number([one.parameters for one in said], own, [0] if lexical else []),
        licence=_first(
            *(one.licence for one in said), *(c.licence for c in costs), NO_MODEL if lexical else ""
        ),
        date=_first(*(one.date for one in said), max(made_on(one.result.folder) for one in results)),
        by=_first(*(one.by for one in said)),
        link=_first(*(one.link for one in said)),
    )


def about_stated(results: Sequence[Stated]) -> About:
    """What its submitter says, else what the model's own file tells."""
    said = [one.submitted for one in results]
    metas = [one.meta for one in results]
    sizes = [meta.get("n_parameters") for meta in metas]
    own = [
        int(n) for n in sizes if isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < _LARGEST
    ]
    dates = [date for date in _texts(metas, "release_date") if _DATE.fullmatch(date)]
    parameters = _first_number([one.parameters for one in said], own)
    licences = [text.removeprefix("https://") for text in _texts(metas, "license")]
    return About(
        parameters=parameters,
        licence=_first(*(one.licence for one in said), *licences, NO_MODEL if parameters == 0 else ""),
        date=_first(*(one.date for one in said), *dates),
        by=_first(*(one.by for one in said)),
        link=_first(*(one.link for one in said), *_texts(metas, "reference")),
    )


def training_tested(one: Tested) -> str:
    """Whether it was trained on the family of its dataset, as its submitter or its configuration says."""
    dataset = one.result.dataset.partition("@")[0]
    if one.submitted.trained_on is not None:
        return zero_shot_status([one.submitted.trained_on], _family(dataset))
    return _status(one.result.name, dataset, one)


_known_status: dict[tuple[str, str], str] = {}


def _status(name: str, dataset: str, one: Tested) -> str:
    """As configurations declare it; read once for a retriever and a dataset."""
    if (name, dataset) not in _known_status:
        _known_status[name, dataset] = training_status(one.result)
    return _known_status[name, dataset]


def training_stated(one: Stated, models: Mapping[str, Mapping[str, Any]]) -> str:
    """Whether a model was trained on the family of a dataset, as its file and those of its ancestors say.

    Args:
        one: the figures.
        models: what the files of all models tell, by name.
    """
    task = str(one.facts.get("task") or one.dataset)
    family = _family(one.dataset) or _family_of_task(task)
    if one.submitted.trained_on is not None:
        return zero_shot_status([one.submitted.trained_on], family)
    if not one.meta:
        return ""
    return zero_shot_status([*_trained(one.meta, models)], family)


def _trained(meta: Mapping[str, Any], models: Mapping[str, Mapping[str, Any]]) -> Iterator[list[str] | None]:
    """Families for a model and all it was made from; None: not told of one."""
    seen: set[str] = set()
    while True:
        told = meta.get("training_datasets")
        tasks = list(told) if isinstance(told, dict | list) else None
        no_model = meta.get("n_parameters") == 0
        yield (
            [_family_of_task(str(task)) for task in tasks] if tasks is not None else [] if no_model else None
        )
        parent = meta.get("adapted_from")
        if not isinstance(parent, str) or not parent:
            return
        if parent in seen or parent not in models:
            yield None
            return
        seen.add(parent)
        meta = models[parent]


@cache
def _family(dataset: str) -> str:
    return load_dataset(dataset).family if dataset in names("datasets") else ""


@cache
def _family_of_task(task: str) -> str:
    return _family(dataset_of(task, "default")) or task.lower()


def prompts_of(results: Mapping[str, Tested]) -> dict[str, str]:
    """Prompts, templates and lengths of a system by their place in its configuration.

    Args:
        results: by board; a setting that differs between boards stands once for each.
    """
    found: dict[str, dict[str, str]] = {}
    for board, one in results.items():
        for place, value in _settings(one.result.facts.retriever, ""):
            found.setdefault(place, {})[board] = value
    told: dict[str, str] = {}
    for place, by_board in sorted(found.items()):
        if len(set(by_board.values())) == 1:
            told[place] = next(iter(by_board.values()))
        else:
            told |= {f"{place}, {board}": value for board, value in by_board.items()}
    return told


def _settings(facts: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(facts, list):
        for number, one in enumerate(facts, 1):
            yield from _settings(one, f"{place}{number}.")
    if not isinstance(facts, dict):
        return
    for key, value in facts.items():
        if key not in _PROMPTED:
            yield from _settings(value, f"{place}{key}.")
        elif isinstance(value, dict):
            yield from ((f"{place}{key}.{inner}", _plain(text)) for inner, text in value.items())
        else:
            yield place + key, _plain(value)


def _plain(value: Any) -> str:
    if value in ("", None):
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def warnings_tested(one: Tested, scores: Scores) -> tuple[str, ...]:
    """What a reader must know of one result, in sentences."""
    counts, said = scores.counts, []
    facts = one.result.facts
    if facts.sample is not None:
        said.append(f"It is of a sample: {facts.sample.label.lstrip('+')}.")
    told = (
        (counts.missing, "of the judged queries have no results"),
        (counts.results_not_in_corpus, "results are documents that are not in the corpus"),
        (counts.relevant_not_in_corpus, "relevant documents are not in the corpus"),
        (counts.scores_not_finite, "results have a score that is no number"),
        (counts.duplicates, "results stood twice in a list and counted once"),
        (counts.self_matches_kept, "results are the query itself and were scored"),
    )
    said += [f"{number:,} {what}." for number, what in told if number]
    said += [
        f"{share:.1%} of the {role} texts were cut at the maximum length."
        for role, share in sorted(_cut(_report(one)).items())
    ]
    return tuple(said)


def _report(one: Tested) -> Any:
    try:
        return json.loads((one.result.folder / "manifest.json").read_text(encoding="utf-8")).get("report")
    except (OSError, ValueError, AttributeError):
        return None


def _cut(report: Any) -> dict[str, float]:
    """Of each role the share of texts that were longer than what the model reads."""
    if not isinstance(report, dict):
        return {}
    shares = {role: one.get("truncated_share") for role, one in report.items() if isinstance(one, dict)}
    return {
        role: float(share) for role, share in shares.items() if isinstance(share, int | float) and share > 0
    }


def warnings_stated(results: Sequence[Stated]) -> tuple[str, ...]:
    """What a reader must know of figures without values of single queries."""
    versions = sorted({str(one.facts["mteb"]) for one in results if one.facts.get("mteb")})
    told = [f"These are {UNTESTED}."]
    if versions:
        told.append(f"mteb wrote them in the versions {', '.join(versions)}.")
    return tuple(told)


def _first(*texts: str) -> str:
    return next((text for text in texts if text), "")


def _first_number(*groups: Sequence[int | None]) -> int | None:
    return next((number for group in groups for number in group if number is not None), None)


def _texts(metas: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    found = [meta.get(key) for meta in metas]
    return [text for text in found if isinstance(text, str) and text]
