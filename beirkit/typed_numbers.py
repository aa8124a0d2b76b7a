"""A published number as somebody types it: a fraction, or a percentage with or without its sign."""

from __future__ import annotations

import re

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.explain.explanation import Target

_NUMBER = re.compile(r"([0-9]*)(?:\.([0-9]*))?", re.ASCII)
_AS_PRINTED = "write it as it is printed, such as 0.665, 66.5 or 66.5%"


def typed(text: str, note: str = "") -> Target:
    """A number as it is printed: ``0.665``, ``.665``, ``66.5`` in percent, ``66.5%`` or ``66.5 %``.

    Without a sign what is above 1 is read as a percentage, which the target's ``reading`` says. Each digit
    that is printed counts: half a unit of the last one is how exact the number is.

    Args:
        text: the number.
        note: where it stands.

    Raises:
        UsageError: it is no number that a measure can have, or may be a fraction or a percentage.
    """
    bare = text.strip()
    signed = bare.endswith("%")
    digits = bare.removesuffix("%").rstrip()
    read = _NUMBER.fullmatch(digits)
    if read is None or not digits.strip("."):
        raise _no_number(text, digits)
    value, decimals = float(digits), len(read[2] or "")
    if value > 100:
        raise UsageError(f"{text!r} is more than 100%, which no measure is", hint=_AS_PRINTED)
    if not signed and not decimals and value <= 1:
        raise UsageError(
            f"{text!r} has no decimals, so that nearly every number would print like it",
            hint=f"write them, as {digits.rstrip('.')}.000, or a percentage, as {digits.rstrip('.')}%",
        )
    percent = signed or value > 1
    if percent:
        value, decimals = value / 100, decimals + 2
    value = round(value, 15)
    reading = (
        f"{text.strip()} is read as a percentage: {value:.{decimals}f}" if percent and not signed else ""
    )
    return Target(value=value, decimals=decimals, says=note or "the published number", reading=reading)


def _no_number(text: str, digits: str) -> UsageError:
    if re.fullmatch(r"[-−–]\s*[0-9.]+", digits):
        return UsageError(f"{text!r} is negative, which no measure is", hint=_AS_PRINTED)
    if digits.casefold().lstrip("+-") in ("nan", "inf", "infinity"):
        return UsageError(f"{text!r} is no number that can be printed", hint=_AS_PRINTED)
    if re.fullmatch(r"[0-9]*,[0-9]+", digits):
        return UsageError(f"{text!r} has a comma", hint=f"write {text.replace(',', '.').strip()}")
    return UsageError(f"{text!r} is no number", hint=_AS_PRINTED)
