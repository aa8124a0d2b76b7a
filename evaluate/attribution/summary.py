"""What a model's outputs come to over all records: three rates that stay apart, and abstention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec
import numpy as np

from beirkit.evaluate.attribution.matching import TIERS
from beirkit.evaluate.attribution.rules import AttributionRules
from beirkit.evaluate.attribution.scoring import Attributed

Outcome = Literal["answered", "declined", "empty", "missing"]
OUTCOMES: tuple[Outcome, ...] = ("answered", "declined", "empty", "missing")

SEED = 20_240_611
SAMPLES = 2_000

Interval = tuple[float, float] | None


class ScoredRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record with what was made of the output for it.

    Attributes:
        id: of the record.
        genre: as the record says; empty where it does not.
        difficulty: as the record says.
        answerable: whether its source answers the question.
        outcome: whether the output answers, declines, is empty, or is not there.
        attributed: its claims and quotes; those of an absent output are of an empty one.
    """

    id: str
    genre: str
    difficulty: int | None
    answerable: bool
    outcome: Outcome
    attributed: Attributed


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """The three rates over answerable records, each with a bootstrap interval over records.

    Attributes:
        records: answerable records.
        parsed: of how many the output has a claim with a quote.
        verified_quote_rate_strict: mean precision, an output that cannot be parsed counting as 0; what the
            card's example computes.
        verified_quote_rate_parsed: mean precision over parsed outputs only; None without one.
        format_compliance: share of outputs that could be parsed. The first rate is the product of the others.
        exact_format: share of outputs that are to the letter what was asked for.
        claims_with_quote: share of numbered claims that have a quote; None without a claim.
        strict_interval: 95 % interval of the first rate; None of fewer than two records.
        parsed_interval: of the second.
        compliance_interval: of the third.
    """

    records: int
    parsed: int
    verified_quote_rate_strict: float | None
    verified_quote_rate_parsed: float | None
    format_compliance: float | None
    exact_format: float | None
    claims_with_quote: float | None
    strict_interval: Interval
    parsed_interval: Interval
    compliance_interval: Interval


class Abstention(msgspec.Struct, frozen=True, kw_only=True):
    """Who declined, of the records that have an answer and of those that have none.

    Attributes:
        answerable: number of records by outcome.
        unanswerable: the same of those without an answer.
        declined_unanswerable: share of the unanswerable that was declined, which is right; None without any.
        declined_answerable: share of the answerable that was declined, which is wrong; None without any.
    """

    answerable: dict[str, int]
    unanswerable: dict[str, int]
    declined_unanswerable: float | None
    declined_answerable: float | None


class AttributionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Everything over all records.

    Attributes:
        rules: what the figures were computed with.
        overall: the rates.
        genres: the rates by genre.
        difficulties: the rates by difficulty.
        quotes: number of quotes by the tier they were found in.
        tier_shares: the same as shares of all quotes.
        warnings: number of quotes by warning.
        deviations: number of outputs by how they depart from the form.
        abstention: who declined.
        seed: of the bootstrap.
        samples: resamples of the bootstrap.
    """

    rules: AttributionRules
    overall: Rates
    genres: dict[str, Rates]
    difficulties: dict[str, Rates]
    quotes: dict[str, int]
    tier_shares: dict[str, float]
    warnings: dict[str, int]
    deviations: dict[str, int]
    abstention: Abstention
    seed: int = SEED
    samples: int = SAMPLES


def summarize(records: Sequence[ScoredRecord], rules: AttributionRules) -> AttributionSummary:
    """Rates over answerable records, in all and by genre and difficulty; abstention over all."""
    answerable = [record for record in records if record.answerable]
    matches = [match for record in answerable for claim in record.attributed.claims for match in claim.quotes]
    tiers = Counter(match.tier for match in matches)
    present = [record for record in answerable if record.outcome != "missing"]
    return AttributionSummary(
        rules=rules,
        overall=_rates(answerable),
        genres=_by(answerable, lambda record: record.genre),
        difficulties=_by(
            answerable, lambda record: "" if record.difficulty is None else str(record.difficulty)
        ),
        quotes={tier: tiers[tier] for tier in TIERS},
        tier_shares={tier: tiers[tier] / len(matches) for tier in TIERS} if matches else {},
        warnings=_sorted(Counter(warning for match in matches for warning in match.warnings)),
        deviations=_sorted(Counter(d for record in present for d in record.attributed.deviations)),
        abstention=_abstention(records),
    )


def _by(records: Sequence[ScoredRecord], key: Callable[[ScoredRecord], str]) -> dict[str, Rates]:
    names = sorted({key(record) for record in records} - {""})
    return {name: _rates([record for record in records if key(record) == name]) for name in names}


def _rates(records: Sequence[ScoredRecord]) -> Rates:
    found = [record.attributed for record in records]
    strict = [one.precision or 0.0 for one in found]
    parsed = [one.precision for one in found if one.precision is not None]
    compliant = [float(one.precision is not None) for one in found]
    exact = [float(one.precision is not None and not one.deviations) for one in found]
    quoted = sum(len(one.claims) for one in found)
    claims = quoted + sum(one.unquoted for one in found)
    return Rates(
        records=len(records),
        parsed=len(parsed),
        verified_quote_rate_strict=_mean(strict),
        verified_quote_rate_parsed=_mean(parsed),
        format_compliance=_mean(compliant),
        exact_format=_mean(exact),
        claims_with_quote=quoted / claims if claims else None,
        strict_interval=_interval(strict),
        parsed_interval=_interval(parsed),
        compliance_interval=_interval(compliant),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _interval(values: Sequence[float]) -> Interval:
    from beirkit.evaluate.statistics.intervals import bootstrap_interval

    if len(values) < 2:
        return None
    return bootstrap_interval(np.array(values), np.random.default_rng(SEED), samples=SAMPLES)


def _abstention(records: Sequence[ScoredRecord]) -> Abstention:
    counts = {
        kind: Counter(record.outcome for record in records if record.answerable is kind)
        for kind in (True, False)
    }
    shares = {
        kind: counted["declined"] / counted.total() if counted else None for kind, counted in counts.items()
    }
    return Abstention(
        answerable={outcome: counts[True][outcome] for outcome in OUTCOMES},
        unanswerable={outcome: counts[False][outcome] for outcome in OUTCOMES},
        declined_unanswerable=shares[False],
        declined_answerable=shares[True],
    )


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
