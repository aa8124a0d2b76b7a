"""One output against its source: its claims, where their quotes stand, and how many do."""

from __future__ import annotations

from typing import Any

import msgspec

from beirkit.evaluate.attribution.matching import Match, find_quote
from beirkit.evaluate.attribution.output import Claim, parse_output
from beirkit.evaluate.attribution.rules import AttributionRules


class CheckedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim and what became of its quotes."""

    number: int
    text: str
    quotes: list[Match]

    @property
    def verified(self) -> bool:
        """Whether every quote was found."""
        return all(match.verified for match in self.quotes)


class Attributed(msgspec.Struct, frozen=True, kw_only=True):
    """An output that was checked.

    Attributes:
        precision: verified quotes (or claims, by the rules) over all; None where nothing could be parsed.
        verified: how many are.
        total: of how many.
        claims: with the place of every quote.
        unquoted: numbered lines without any quote, which precision leaves out.
        deviations: in what the output departs from the form it was asked for.
        cites: whether there is any quote that is not empty.
    """

    precision: float | None
    verified: int
    total: int
    claims: list[CheckedClaim]
    unquoted: int
    deviations: list[str]
    cites: bool


def attribute(output: str, source_text: str, rules: AttributionRules | None = None) -> Attributed:
    """Parse an output and look for each of its quotes in the source."""
    rules = rules or AttributionRules()
    parsed = parse_output(output, rules)
    claims = [_checked(claim, source_text, rules) for claim in parsed.claims]
    if rules.unit == "claim":
        outcomes = [claim.verified for claim in claims]
    else:
        outcomes = [match.verified for claim in claims for match in claim.quotes]
    return Attributed(
        precision=sum(outcomes) / len(outcomes) if outcomes else None,
        verified=sum(outcomes),
        total=len(outcomes),
        claims=claims,
        unquoted=parsed.unquoted,
        deviations=parsed.deviations,
        cites=parsed.cites,
    )


def score_model_output(
    output: str, source_text: str, rules: AttributionRules | None = None
) -> dict[str, Any]:
    """An output against its source as a plain dictionary, for scripts.

    The call is the one that Asmachta's card shows; parsing and matching are ours, since its own script is not
    published, and figures need not equal those that it gives.

    Args:
        output: numbered claims with quotes in brackets.
        source_text: the text the quotes should stand in, unchanged.
        rules: everything that the card leaves open.

    Returns:
        the fields of :class:`Attributed`: ``precision`` (None where nothing could be parsed), ``verified``,
        ``total``, ``claims`` with tier and offsets of each quote, ``unquoted``, ``deviations``, ``cites``.
    """
    found: dict[str, Any] = msgspec.to_builtins(attribute(output, source_text, rules))
    return found


def _checked(claim: Claim, source: str, rules: AttributionRules) -> CheckedClaim:
    matches = [find_quote(quote, source, rules) for quote in claim.quotes]
    return CheckedClaim(number=claim.number, text=claim.text, quotes=matches)
