"""HTML to text with html2text, which a published benchmark was made with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from beirkit.corpora.errors import MissingExtraError


class MarkedText:
    """The text of a piece of HTML, without links and without line breaks of its own.

    Text without ``<`` and ``&`` is no HTML and stays as it is.

    Args:
        plain: leave out images and emphasis too, and keep dashes and quotes the characters they are.
    """

    def __init__(self, *, plain: bool = True) -> None:
        self._plain = plain

    def __call__(self, markup: str) -> str:
        """The text.

        Raises:
            MissingExtraError: there is markup, and html2text is not installed.
        """
        return self._convert(markup).strip() if "<" in markup or "&" in markup else markup

    @cached_property
    def _convert(self) -> Callable[[str], str]:
        try:
            import html2text
        except ImportError as error:
            raise MissingExtraError("reading HTML as BEIR did", "html") from error
        converter = html2text.HTML2Text(bodywidth=0)
        converter.ignore_links = True
        converter.ignore_images = self._plain
        converter.ignore_emphasis = self._plain
        converter.unicode_snob = self._plain  # a dash stays the character it is
        return converter.handle
