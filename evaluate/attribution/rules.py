"""Everything about attribution that no card fixes, as parameters that are kept with the figures."""

from __future__ import annotations

from typing import Literal

import msgspec


class AttributionRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How quotes are found, and what a claim counts for.

    Asmachta's own script is not published; its card fixes the form of an output, the order of the three tiers
    and the mean over records. The rest is ours, and stands here.

    Attributes:
        fuzzy_threshold: similarity, from 0 to 1, of a whole quote to its place in the source from which it
            counts as found; 1 leaves out the fuzzy tier.
        fuzzy_least: characters that a quote must have to be looked for so, after white space is normalised;
            a shorter one resembles too much.
        short: characters under which a verified quote is warned of as hardly evidence.
        unit: what precision counts: each quote, or each claim, which is verified when all its quotes are.
        brackets: which brackets of a line are quotes: those at its end with nothing but white space and
            punctuation between them (``trailing``), the last pair alone (``last``), or all pairs (``all``).
        lists: which numbered lines count where the numbering starts again: of all lists, or of the last.
    """

    fuzzy_threshold: float = 0.9
    fuzzy_least: int = 15
    short: int = 5
    unit: Literal["quote", "claim"] = "quote"
    brackets: Literal["trailing", "last", "all"] = "trailing"
    lists: Literal["all", "last"] = "all"

    def __post_init__(self) -> None:
        if not 0 < self.fuzzy_threshold <= 1:
            raise ValueError(f"fuzzy_threshold is {self.fuzzy_threshold}; it must be above 0 and at most 1")
        for name in ("fuzzy_least", "short"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be 1 or more")
