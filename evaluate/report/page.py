"""A page as one HTML file that runs nothing but its own script and reaches nothing outside itself.

The content security policy allows exactly one style and one script, by their hashes; text of any field goes
through the template's escaping, and what the script shows it sets as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from beirkit.corpora.errors import MissingExtraError
from beirkit.evaluate.report.blocks import Page

if TYPE_CHECKING:
    import jinja2

_PACKAGE = "beirkit.evaluate.report"


def render(page: Page) -> str:
    """The whole file; the same page is the same text.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    style, script = asset("report.css"), asset("report.js")
    return (
        environment()
        .get_template("page.html.j2")
        .render(page=page, policy=policy(style, script), style=style, script=script)
    )


def policy(style: str, script: str) -> str:
    """A content security policy for one inline style and one inline script; everything else is refused."""
    return (
        f"default-src 'none'; style-src '{digest(style)}'; script-src '{digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def digest(text: str) -> str:
    """The hash of an inline element, as a policy writes it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}"


def asset(name: str) -> str:
    """A style or script of the package."""
    text = files(_PACKAGE).joinpath("assets", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


@cache
def environment() -> jinja2.Environment:
    """Templates of the package, which escape whatever they print.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("a report", "report") from error
    # style and script stand in the file as they were hashed, so nothing may follow them but their end tag
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    return made


def shown(text: str) -> str:
    """A text as HTML can hold it: control characters become the sign for what cannot be shown."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_control(letter) else letter for letter in str(text))


def _is_control(letter: str) -> bool:
    code = ord(letter)
    return (code < 32 and letter not in "\t\n") or 127 <= code < 160 or 0xD800 <= code < 0xE000


def _template(name: str) -> str:
    return files(_PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")
