"""Reading the names of measures: ``ndcg_cut_10``, ``NDCG@10``, ``P(rel=2)@5``, ``AP(judged_only=True)``."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import partial

from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.evaluate.families import Family, find_family, known_names, squeezed
from beirkit.evaluate.measures import Measure

_OPTIONS = re.compile(r"\((?P<options>[^()]*)\)")
_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_TAIL = re.compile(
    rf"(?P<name>.*?[A-Za-z])(?:_at_|[ ]at[ ]|[._-])(?P<at>{_NUMBER}(?:,{_NUMBER})*)", re.IGNORECASE
)

# What trec_eval prints where no cut-offs are named.
_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_DEFAULTS: dict[str, tuple[int | float, ...]] = {
    "ndcg_cut": _RANKS, "map_cut": _RANKS, "P": _RANKS, "recall": _RANKS, "relative_P": _RANKS,
    "success": (1, 5, 10),
    "iprec_at_recall": tuple(i / 10 for i in range(11)),
    "Rprec_mult": tuple(i / 5 for i in range(1, 11)),
}  # fmt: skip


def parse_one(text: str) -> Measure:
    """The one measure that ``text`` names.

    Raises:
        UnknownNameError: no measure has that name.
        UsageError: the cut-off or level is impossible, or ``text`` names several measures.
    """
    measures = parse_all(text)
    if len(measures) > 1:
        few = ", ".join(map(str, measures[:2]))
        raise UsageError(f"{text!r} names {len(measures)} measures", hint=f"name one, such as {few}")
    return measures[0]


def parse_all(text: str) -> list[Measure]:
    """Every measure that ``text`` names, as trec_eval reads it: ``P.5,10`` is two, bare ``P`` nine.

    Raises:
        UnknownNameError: no measure has that name.
        UsageError: the cut-off or level is impossible.
    """
    if not isinstance(text, str):
        raise UsageError(f"{text!r} is not the name of a measure")
    _require_one_name(text)
    bare, options = _split_options(text)
    name, places = _split_places(bare)
    if not places and "cutoff" in options:
        places = [options["cutoff"]]
    family = find_family(name)
    if family is None:
        raise UnknownNameError(f"unknown measure {text!r}", hint=_nearest(name, places))
    _require_options(options, text)
    level = _level(options, text)
    # ir_measures' spellings of NumRelRet and nDCG_exp
    if family.name == "NumRet" and level is not None:
        family = find_family("NumRelRet") or family
    if family.name == "nDCG" and options.get("dcg", "log2") == "exp-log2":
        family = find_family("nDCG_exp") or family
    elif options.get("dcg", "log2") != "log2":
        raise UsageError(f"{text!r}: the discount must be log2 or exp-log2")
    if level not in (None, 1) and not family.levels:
        raise UsageError(f"{text!r}: {family.name} has no relevance level")
    made = partial(Measure, family.name, level=level or 1, judged_only=_judged_only(options, family, text))
    if places:
        return [made(_at(place, family, text)) for place in places]
    if family.cut == name and family.cut in _DEFAULTS:
        return [made(at) for at in _DEFAULTS[family.cut]]
    if family.at in ("rank", "share"):
        example = f"{family.name}@{10 if family.at == 'rank' else 0.1}"
        raise UsageError(f"{text!r} needs a cut-off", hint=f"such as {example}")
    return [made(None)]


def _require_one_name(text: str) -> None:
    """Refuse ``nDCG@10,P@5`` and point to what is meant; ``P.5,10`` and ``P(rel=2,cutoff=5)`` are names."""
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", text)]
    if sum(part[:1].isalpha() for part in parts) > 1:
        raise UsageError(
            f"{text!r} names {len(parts)} measures", hint=f"put blanks between them: {' '.join(parts)}"
        )


def _split_options(text: str) -> tuple[str, dict[str, str]]:
    """The name without its parentheses, and what stands in them: ``P(rel=2)@5``."""
    stripped = text.strip()
    found = _OPTIONS.search(stripped)
    if found is None:
        return stripped, {}
    options = {}
    for pair in found["options"].split(","):
        key, _, value = (part.strip() for part in pair.partition("="))
        options[key] = value.strip("'\"")
    return stripped[: found.start()] + stripped[found.end() :], options


def _require_options(options: dict[str, str], text: str) -> None:
    for key, value in options.items():
        if key not in ("rel", "cutoff", "dcg", "judged_only"):
            told = f"{key}={value}" if value else key
            raise UsageError(f"{text!r}: {told!r} is not understood", hint="such as P(rel=2)@5")


def _judged_only(options: dict[str, str], family: Family, text: str) -> bool:
    value = options.get("judged_only", "False")
    if value.lower() not in ("true", "false"):
        raise UsageError(f"{text!r}: judged_only is true or false, not {value!r}")
    if value.lower() == "true" and family.name in ("Judged", "Hole"):
        raise UsageError(f"{text!r}: {family.name} is about results without a judgment")
    return value.lower() == "true"


def _level(options: dict[str, str], text: str) -> int | None:
    level = options.get("rel")
    if level is None:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,3}", level):
        raise UsageError(f"{text!r}: the relevance level must be a whole number from 1, not {level!r}")
    return int(level)


def _split_places(text: str) -> tuple[str, list[str]]:
    """The name and the cut-offs behind it; ``11pt_avg`` and the like are names as they stand."""
    if find_family(text) is not None:
        return text, []
    name, sign, after = text.partition("@")
    if sign:
        return name.strip(), after.split(",")
    found = _TAIL.fullmatch(text)
    return (found["name"], found["at"].split(",")) if found else (text, [])


def _nearest(name: str, places: list[str]) -> str:
    """What the writer of an unknown name may have meant, by its canonical name."""
    if squeezed(name) in ("accuracy", "acc"):
        return (
            f"BEIR's Accuracy@k (top_k_accuracy) is Success@{places[0] if places else 'k'}; ir_measures' "
            "Accuracy, how often relevant stand before other results, is not computed"
        )
    close = get_close_matches(name, known_names(), n=1, cutoff=0.6)
    family = find_family(close[0]) if close else None
    return f"did you mean {family.name!r}?" if family else "see: beirkit list measures"


def _at(place: str, family: Family, text: str) -> int | float:
    if family.at == "never":
        raise UsageError(f"{text!r}: {family.name} takes no cut-off")
    if family.at == "share":
        if not re.fullmatch(r"\d+(\.\d{1,2})?0*", place):
            raise UsageError(f"{text!r}: {place!r} is not a share with at most two decimals")
        if family.name == "IPrec" and float(place) > 1:
            raise UsageError(f"{text!r}: recall lies within 0..1")
        return float(place)
    # pytrec_eval ends the whole process on a cut-off of 0 and reads 23.4 as 23.
    if not place.isdecimal() or not place.isascii() or not place.strip("0"):
        raise UsageError(
            f"{text!r}: the cut-off must be a whole number from 1, not {place!r}",
            hint=f"such as {family.name}@10",
        )
    if len(place) > 8 or int(place) > 10_000_000:
        raise UsageError(f"{text!r}: no list is {place} results long")
    return int(place)
