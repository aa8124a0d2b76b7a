"""HTML to text with html2text, which a published benchmark was made with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from beirkit.corpora.errors import MissingExtraError


class MarkedText:
    """The text of a piece of HTML, without links, images, emphasis, and without line breaks of its own.

    Text without ``<`` and ``&`` is no HTML and stays as it is.
    """

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
            raise MissingExtraError("reading paragraphs of HTML", "html") from error
        converter = html2text.HTML2Text(bodywidth=0)
        converter.ignore_links = True
        converter.ignore_images = True
        converter.ignore_emphasis = True
        converter.unicode_snob = True  # a dash stays the character it is
        return converter.handle
