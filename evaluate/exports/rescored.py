"""What is said where a board's rules are not those that a result was shown under."""

from __future__ import annotations

from beirkit.corpora.notices import warn
from beirkit.evaluate.exports.base import Entry


def tell_rescored(entry: Entry, protocol: str) -> None:
    """Say that a result was scored anew, where it was only shown under other rules."""
    if protocol not in entry.shown_under:
        shown = " and ".join(entry.shown_under) or "no protocol"
        warn(f"{entry.label}: shown under {shown}; scored anew from its run under {protocol}")
