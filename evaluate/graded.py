"""Which measures suit the judgments: a reference by its address is no grade."""

from __future__ import annotations

from collections.abc import Iterable

from beirkit.corpora.errors import UsageError
from beirkit.corpora.notices import warn
from beirkit.evaluate.measures import Measure, parse_measures
from beirkit.evaluate.supporting_pages import CAVEATS

SWITCH = "--ndcg-on-references"
REFERENCES = "reference-url"


def fitting_measures(
    asked: Iterable[str | Measure], default: Iterable[str | Measure], kind: str, *, graded: bool = False
) -> tuple[Measure, ...]:
    """The measures to compute: those asked for, else the default ones that suit the judgments.

    Args:
        asked: what was asked for; empty: nothing.
        default: what is reported otherwise.
        kind: the ``judgment_kind`` of the dataset.
        graded: whether nDCG over references is meant.

    Raises:
        UsageError: nDCG of references is asked for without saying that it is meant.
    """
    allowed = graded or kind != REFERENCES
    asked = list(asked)
    wanted = parse_measures(asked) if asked else ()
    if refused := [measure for measure in wanted if not allowed and _is_gain(measure)]:
        raise UsageError(
            f"{refused[0]} needs graded relevance, and these judgments are the addresses of references",
            hint=f"take Success or RR; or say {SWITCH}, and never average it with graded relevance",
        )
    if kind == REFERENCES:
        warn(f"judgments are addresses of references, not grades; {CAVEATS[0]}")
    if wanted:
        return wanted
    return tuple(measure for measure in parse_measures(default) if allowed or not _is_gain(measure))


def _is_gain(measure: Measure) -> bool:
    return measure.family.startswith("nDCG")
