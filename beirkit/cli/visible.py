r"""What commands print reaches the terminal through here: no name, path or text of the data can command it.

A terminal takes escape sequences, other control characters and marks that turn the direction of writing for
commands: a name that holds some could hide lines, write others, or show another name than it has. They are
printed as what they are, ``\x1b`` or ``\u202e``. Line feeds and tabs stay, but for errors and tables.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

# C0, DEL and C1 but for tab and line feed; Unicode's Bidi_Control; separators of lines; halves of surrogates
_COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""The text with what a terminal would obey written out, as in ``\x1b[2J``."""
    return _COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """The same on one line: a name cannot end it and begin another one."""
    return visible(text).replace("\n", "\\n")


def json_text(data: Any, *, ascii_only: bool = False) -> str:
    """Strict JSON (never NaN) whose strings a terminal does not obey, and any reader of JSON has unchanged.

    Args:
        data: what JSON can hold.
        ascii_only: escape everything beyond ASCII.
    """
    text = json.dumps(data, ensure_ascii=ascii_only, indent=2, allow_nan=False)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Visible:
    """A stream that takes everything and lets nothing through that a terminal would obey."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        # bars of other libraries begin anew with a carriage return, and stand on standard error
        kept = "\r" if text.startswith("\r") and self.beneath is beneath(sys.stderr) else ""
        self.beneath.write(kept + visible(text[len(kept) :]))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


def beneath(stream: TextIO) -> TextIO:
    """The stream itself, for what writes commands of its own: tables and bars, which clean their texts."""
    return stream.beneath if isinstance(stream, _Visible) else stream


def print_visibly() -> None:
    """Let all that is printed from now on go through :func:`visible`, whoever prints it, tracebacks too."""
    sys.stdout = cast("TextIO", _Visible(beneath(sys.stdout)))
    sys.stderr = cast("TextIO", _Visible(beneath(sys.stderr)))
